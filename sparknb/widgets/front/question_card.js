// Asks one question: no, or yes.

const ANSWERS = {
  approved: ["You said yes.", "good", "✓"],
  rejected: ["You said no. Nothing was changed.", "quiet", "✕"],
  expired: ["Nobody answered in time. Nothing was changed.", "quiet", "✕"],
  cancelled: ["Cancelled before an answer. Nothing was changed.", "quiet", "✕"],
};

export default widget(({ model, root, link }) => {
  const card = model.get("card");
  const panel = dialog("alertdialog", card.title, null, facts(card.details));
  link.say = panel.say;
  root.append(panel.element);
  let isSent = false;
  const buttons = [];
  const answer = async (kind) => {
    if (isSent) return;
    hold(true);
    const said = "Your answer is on its way.";
    const reply = await link.ask(kind, { nonce: card.nonce }, { said });
    hold(false);
    if (reply.kind === "ignored")
      panel.say("The kernel did not take this answer. Nothing was changed.", "bad");
  };
  const hold = (held) => {
    isSent = held;
    for (const b of buttons) b.setAttribute("aria-disabled", held);
  };
  buttons.push(button("No", () => answer("reject")));
  buttons.push(button("Yes", () => answer("approve"), "primary"));
  panel.actions.append(...buttons);
  const update = () => {
    const status = model.get("status");
    if (status !== "open") {
      panel.say("");
      panel.settle(mark(...(ANSWERS[status] ?? ANSWERS.cancelled)));
    } else if (!link.isLive) {
      for (const b of buttons) b.disabled = true;
      panel.say(GONE, "bad");
    }
  };
  const appeared = () => {
    if (model.get("status") !== "open" || !link.isLive) return;
    const where = offerFocus(buttons[0]) ? "" : " No is the first button.";
    panel.say(`A command waits for your answer.${where}`);
  };
  return { update, appeared };
});
