// Takes one secret value for a command that waits for it.

const ENDINGS = {
  given: ["The value was handed on; it is kept nowhere here.", "good", "✓"],
  cancelled: ["Cancelled. No value was given.", "quiet", "✕"],
  expired: ["No value was given in time.", "quiet", "✕"],
};

export default widget(({ model, root, link, cleanups }) => {
  const label = model.get("label");
  const hint = "It is sent once and shown nowhere. Paste works.";
  const entry = secretField("Value", hint);
  const panel = dialog("group", label, null, entry.element);
  link.say = panel.say;
  root.append(panel.element);
  cleanups.push(entry.empty);
  let isSent = false;
  const send = async (kind, buffers) => {
    isSent = true;
    const said = "What you entered is on its way, and no longer in the field.";
    const reply = await link.ask(kind, {}, { said, buffers });
    isSent = false;
    if (reply.kind === "wrong") {
      entry.refuse(reply.text);
      entry.control.focus();
    } else if (reply.kind === "ignored") {
      panel.say("The kernel no longer waits for a value.", "bad");
    }
  };
  const give = () => {
    if (isSent) return;
    if (!entry.control.value) {
      entry.refuse("Enter a value first.");
      entry.control.focus();
      return;
    }
    entry.refuse("");
    send("value", [entry.take()]);
  };
  const cancel = button("Cancel", () => !isSent && send("cancel"));
  const ok = button("Use this value", give, "primary");
  entry.enter = give;
  panel.actions.append(cancel, ok);
  const close = () => {
    entry.empty();
    for (const c of [entry.control, entry.toggle, cancel, ok]) c.disabled = true;
  };
  const update = () => {
    const status = model.get("status");
    if (status !== "open") {
      close();
      entry.element.hidden = true;
      panel.say("");
      panel.settle(mark(...(ENDINGS[status] ?? ENDINGS.cancelled)));
    } else if (!link.isLive) {
      close();
      panel.say(GONE, "bad");
    }
  };
  const appeared = () => {
    if (model.get("status") === "open" && link.isLive) offerFocus(entry.control);
  };
  return { update, appeared };
});
