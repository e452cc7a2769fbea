// Asks about one call: reject, edit the arguments, approve.

const OUTCOMES = {
  approved: ["Approved, for this call only.", "good", "✓"],
  rejected: ["Rejected. Nothing was sent.", "quiet", "✕"],
  expired: ["Nobody answered in time. Nothing was sent.", "quiet", "✕"],
  cancelled: ["Cancelled before an answer. Nothing was sent.", "quiet", "✕"],
};

function outcomeOf(status, edited) {
  const [words, tone, glyph] = OUTCOMES[status] ?? OUTCOMES.cancelled;
  const names = edited.length ? ` Edited: ${edited.join(", ")}.` : "";
  return mark(words + names, tone, glyph);
}

// The control for a value; text stays text, everything else is written as JSON.
function controlFor({ kind, edited }) {
  const common = { class: "spark-input", autocomplete: "off", spellcheck: "false" };
  if (kind === "boolean") {
    const options = ["true", "false"].map((v) => h("option", { value: v }, v));
    const select = h("select", common, options);
    select.value = edited;
    return select;
  }
  const isLong = kind === "json" || kind === "quoted" || /[\n\t]/.test(edited);
  const control =
    isLong || edited.length > 60
      ? h("textarea", { ...common, rows: Math.min(8, edited.split("\n").length + 1) })
      : h("input", { ...common, type: "text" });
  if (kind === "number") control.inputMode = "decimal";
  if (kind !== "text") control.classList.add("mono");
  control.dir = "auto";
  control.value = edited;
  return control;
}

const HINTS = { number: "A number", json: "JSON", quoted: "JSON: text between double quotes" };

function flaw(kind, text) {
  if (kind === "text" || kind === "boolean") return "";
  try {
    const value = JSON.parse(text);
    if (kind === "number" && typeof value !== "number") return "This must be a number.";
    if (kind === "quoted" && typeof value !== "string")
      return "This must be text between double quotes.";
    return "";
  } catch {
    return kind === "number" ? "This must be a number." : "This is not valid JSON yet.";
  }
}

// The fields for all arguments; `read()` gives what differs from what was asked.
function argumentFields(list) {
  const fields = list.map((argument) => {
    const { kind, label } = argument;
    if (kind === "fixed") return { argument };
    const made = field(label, controlFor(argument), { hint: HINTS[kind] ?? "" });
    const box = h("input", { type: "checkbox", "aria-label": `Leave out ${label}` });
    const check = () => made.refuse(box.checked ? "" : flaw(kind, made.control.value));
    made.control.addEventListener("blur", (event) => {
      // not on the way to a button: it would move under the pointer
      if (!event.relatedTarget?.closest("button")) check();
    });
    made.control.addEventListener("input", () => made.refuse(""));
    box.addEventListener("change", () => {
      made.control.disabled = box.checked;
      check();
    });
    const out = h("label", { class: "spark-leave" }, box, "leave out");
    made.element.querySelector("label").after(out);
    return { argument, made, box, check };
  });
  const shownAs = ({ argument, made }) =>
    made?.element ??
    facts([[argument.label, "Too long to be edited here; it stays as it is."]]);
  return {
    element: h("div", { class: "spark-fields" }, fields.map(shownAs)),
    first: () => fields.find(({ made }) => made)?.made.control,
    refuse(wrong) {
      for (const { argument, made } of fields) made?.refuse(wrong[argument.name] ?? "");
      fields.find(({ argument }) => wrong[argument.name])?.made?.control.focus();
    },
    read() {
      const edits = {};
      const leftOut = [];
      for (const { argument, made, box, check } of fields) {
        if (!made) continue;
        check();
        if (box.checked) leftOut.push(argument.name);
        else if (made.control.value !== argument.edited)
          edits[argument.name] = made.control.value;
      }
      const bad = fields.find(({ made }) => made?.control.hasAttribute("aria-invalid"));
      bad?.made.control.focus();
      return bad ? null : { edits, leftOut };
    },
  };
}

export default widget(({ model, root, link, cleanups }) => {
  const card = model.get("card");
  const key = { call: card.call, nonce: card.nonce };
  const lead = h("p", { class: "spark-lead", id: unique("lead") });
  lead.append(h("strong", {}, card.title), " ", h("span", {}, card.tool));
  const means = h("p", { class: "spark-means", id: unique("means") }, card.means);
  const request = card.url && [
    "Request",
    scrolling(`${card.method} ${card.url}`, "Request", cleanups),
  ];
  const mayCall = card.mayCall.length > 0 && ["May call", card.mayCall.join(", ")];
  const body = card.body && ["Body", scrolling(card.body, "Body", cleanups)];
  const values = h("div", { class: "spark-values" });
  const again = h("p", { class: "spark-hint", hidden: true });
  again.textContent =
    "Request and body are shown as asked. They are made again from your values, " +
    "and checked, before anything is sent.";
  const panel = dialog(
    "alertdialog",
    "Approve this call?",
    riskMark(card.risk),
    lead,
    means,
    facts([mayCall, request]),
    values,
    again,
    facts([body]),
  );
  panel.element.setAttribute("aria-describedby", `${lead.id} ${means.id}`);
  panel.element.dataset.risk = card.risk;
  link.say = panel.say;
  root.append(panel.element);

  const reading = card.arguments.length
    ? h(
        "div",
        { role: "group", "aria-label": "Arguments" },
        h("p", { class: "spark-label" }, "Arguments"),
        facts(
          card.arguments.map(({ label, shown }) => [
            label,
            scrolling(shown, label, cleanups),
          ]),
          "named",
        ),
      )
    : h("p", { class: "spark-hint" }, "No arguments.");

  let fields = null;
  let isSent = false;
  const buttons = [];

  const send = async (kind, more) => {
    if (isSent) return;
    hold(true);
    const said = "Your answer is on its way.";
    const reply = await link.ask(kind, { ...key, ...more }, { said });
    hold(false);
    if (reply.kind === "wrong") {
      fields?.refuse(reply.fields);
      panel.say("Correct the marked arguments.", "bad");
    } else if (reply.kind === "ignored") {
      panel.say("The kernel did not take this answer. Nothing was sent.", "bad");
    }
  };
  const hold = (held) => {
    isSent = held;
    for (const b of buttons) b.setAttribute("aria-disabled", held);
  };
  const approve = () => {
    const changes = fields ? fields.read() : { edits: {}, leftOut: [] };
    if (changes) send("approve", changes);
    else panel.say("Correct the marked arguments.", "bad");
  };
  const edit = () => {
    fields = argumentFields(card.arguments);
    layOut();
    fields.first()?.focus();
  };
  const undo = () => {
    fields = null;
    panel.say("");
    layOut();
    buttons[1].focus();
  };

  const layOut = () => {
    values.replaceChildren(fields ? fields.element : reading);
    again.hidden = !fields;
    const yes = card.risk === "destructive" ? "danger" : "primary";
    const canEdit = card.arguments.some(({ kind }) => kind !== "fixed");
    buttons.splice(0);
    buttons.push(button("Reject", () => send("reject")));
    if (canEdit)
      buttons.push(fields ? button("Undo edits", undo) : button("Edit arguments", edit));
    buttons.push(button(fields ? "Approve as edited" : "Approve", approve, yes));
    panel.actions.replaceChildren(...buttons);
  };

  const update = () => {
    const status = model.get("status");
    if (status === "open" && link.isLive) return;
    fields = null;
    values.replaceChildren(reading);
    again.hidden = true;
    if (status === "open") {
      for (const b of buttons) b.disabled = true;
      panel.say(GONE, "bad");
    } else {
      panel.say("");
      panel.settle(outcomeOf(status, model.get("edited") ?? []));
    }
  };
  layOut();
  const appeared = () => {
    if (model.get("status") !== "open" || !link.isLive) return;
    const where = offerFocus(buttons[0]) ? "" : " Reject is the first button.";
    panel.say(`A call waits for your answer.${where}`);
  };
  return { update, appeared };
});
