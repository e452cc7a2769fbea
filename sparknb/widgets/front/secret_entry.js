// Takes the value of a tool's secret, gives it to the host and forgets it.

function standing(secret) {
  if (secret.isSet === null) return mark("unknown", "warning", "?");
  return secret.isSet ? mark("stored", "good", "✓") : mark("missing", "bad", "✕");
}

export default widget(({ model, root, link, cleanups }) => {
  const entry = secretField("Value", "It is sent once and shown nowhere. Paste works.");
  const aside = h("span", { class: "spark-aside" });
  const lead = h("p", { class: "spark-lead" });
  const stands = h("p", { class: "spark-means" });
  const refusal = h("p", { class: "spark-note", hidden: true });
  const title = `Secret ${model.get("secret").name}`;
  const panel = dialog("group", title, aside, lead, stands, refusal, entry.element);
  link.say = panel.say;
  root.append(panel.element);
  cleanups.push(entry.empty);
  let isSent = false;
  const store = async () => {
    if (isSent) return;
    panel.say("");
    if (!entry.control.value) {
      entry.refuse("Enter a value first.");
      entry.control.focus();
      return;
    }
    entry.refuse("");
    isSent = true;
    save.setAttribute("aria-disabled", "true");
    const said = "The value is on its way, and no longer in the field.";
    const reply = await link.ask("store", {}, { said, buffers: [entry.take()] });
    isSent = false;
    save.removeAttribute("aria-disabled");
    if (reply.kind === "stored") {
      panel.say(["Stored.", ...reply.notices.map(sentence)].join(" "), "good");
    } else if (reply.kind === "wrong") {
      entry.refuse([reply.text, reply.hint].filter(Boolean).map(sentence).join(" "));
      entry.control.focus();
    } else {
      panel.say("The kernel did not take the value. Nothing was stored.", "bad");
    }
  };
  const save = button("Save", store, "primary");
  entry.enter = store;
  panel.actions.append(save);
  const update = () => {
    const secret = model.get("secret");
    entry.empty();
    aside.replaceChildren(standing(secret));
    const bound = secret.boundTo ? `It goes to ${secret.boundTo} only.` : "";
    lead.replaceChildren("for the tool ", h("strong", {}, secret.tool));
    stands.textContent = `${sentence(secret.status)} ${bound}`;
    const said = [secret.refusal, secret.hint].filter(Boolean).map(sentence);
    refusal.textContent = said.join(" ");
    refusal.hidden = !secret.refusal;
    const isOff = Boolean(secret.refusal) || !link.isLive;
    for (const c of [entry.control, entry.toggle, save]) c.disabled = isOff;
    if (!link.isLive) panel.say(GONE, "bad");
  };
  return { update };
});
