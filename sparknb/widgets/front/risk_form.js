// What a call of a tool can break: floor, derivation, and the author's choice.

const NAMES = { risk: "Risk", effect: "Effect", idempotency: "Repeating" };

export default widget(({ model, root, link }) => {
  const rules = () => model.get("rules");
  const stored = () => model.get("tool").chosen;
  let chosen = { ...stored() };
  const wanted = { ...chosen }; // what was picked, also where a rule allows less

  const why = (part, value) =>
    part === "risk" ? rules().risk[value].why : rules()[part][chosen.risk][value];
  const pick = (part) => (value) => {
    wanted[part] = value;
    chosen = { ...chosen, [part]: value };
    panel.say(part === "risk" ? fit() : "");
    update();
  };
  // A risk may leave effect or idempotency only one value: it is set, and said.
  const fit = () => {
    const said = [];
    for (const part of ["effect", "idempotency"]) {
      const left = Object.keys(rules()[part][chosen.risk]).filter((v) => !why(part, v));
      const next = left.includes(wanted[part]) ? wanted[part] : left[0];
      if (next === chosen[part]) continue;
      chosen = { ...chosen, [part]: next };
      said.push(`${NAMES[part]} is now ${next}.`);
    }
    return said.join(" ");
  };

  const risks = RISKS.map((value) => ({ value, label: riskMark(value, "") }));
  const effects = Object.keys(rules().effect.read).map((value) => ({ value, label: value }));
  const again = Object.entries(rules().repeats).map(([value, note]) => ({
    value,
    label: value,
    note,
  }));
  const groups = {
    risk: choices(NAMES.risk, risks, {
      why: (v) => why("risk", v),
      pick: pick("risk"),
    }),
    effect: choices(NAMES.effect, effects, {
      why: (v) => why("effect", v),
      pick: pick("effect"),
    }),
    idempotency: choices(NAMES.idempotency, again, {
      why: (v) => why("idempotency", v),
      pick: pick("idempotency"),
    }),
  };

  const lead = h("p", { class: "spark-lead" });
  const derivation = h("p", { class: "spark-means" });
  const meaning = h("p", { class: "spark-note" });
  const compared = h("div", { class: "spark-values" });
  const conflict = h("p", { class: "spark-note bad", role: "alert", hidden: true });
  const aside = h("span", { class: "spark-aside" });
  const panel = dialog(
    "group",
    `Risk of ${model.get("tool").id}`,
    aside,
    lead,
    derivation,
    groups.risk.element,
    groups.effect.element,
    groups.idempotency.element,
    compared,
    meaning,
    conflict,
  );
  link.say = panel.say;
  root.append(panel.element);

  let isSent = false;
  const ask = async (kind, fields, said) => {
    if (isSent) return;
    hold(true);
    const reply = await link.ask(kind, fields, { said });
    hold(false);
    hear(reply);
  };
  const hold = (held) => {
    isSent = held;
    for (const b of [save, reset, reload]) b.setAttribute("aria-disabled", held);
  };
  const hear = ({ kind, text, hint }) => {
    const { stands } = model.get("tool");
    conflict.hidden = kind !== "conflict";
    reload.hidden = kind !== "conflict";
    if (kind === "saved") panel.say(`Saved: ${stands}.`, "good");
    else if (kind === "unchanged") panel.say("Unchanged: nothing had to be saved.");
    else if (kind === "loaded") panel.say(`Loaded: ${stands}. Your choice is kept.`);
    else if (kind === "conflict") {
      conflict.textContent = `${sentence(text)} Nothing was saved, and your choice is kept.`;
      reload.focus();
    } else panel.say([text, hint].filter(Boolean).map(sentence).join(" "), "bad");
  };
  const save = button("Save to draft", () => ask("save", chosen, "It is on its way."), "primary");
  const reload = button("Load it again", () => ask("load", {}, "It is on its way."));
  const reset = button("Undo changes", () => {
    chosen = { ...stored() };
    Object.assign(wanted, chosen);
    panel.say("");
    update();
  });
  reload.hidden = true;
  panel.actions.append(reload, reset, save);

  const update = () => {
    const tool = model.get("tool");
    const was = tool.chosen;
    if (why("risk", chosen.risk)) chosen = { ...chosen, risk: tool.floor };
    fit();
    aside.replaceChildren(riskMark(chosen.risk));
    lead.replaceChildren(
      h("strong", {}, tool.from),
      ` needs at least risk ${tool.floor}. You see ${tool.stands}.`,
    );
    derivation.textContent = tool.derivation;
    for (const part of Object.keys(groups)) groups[part].show(chosen[part]);
    const line = (part) => [
      NAMES[part],
      was[part],
      chosen[part] === was[part] ? chosen[part] : h("strong", {}, `${chosen[part]} (changed)`),
    ];
    const lines = Object.keys(groups).map(line);
    compared.replaceChildren(table("At a glance", ["Part", "Stored", "Chosen"], lines));
    meaning.textContent = rules().risk[chosen.risk].meaning;
    const isChanged = Object.keys(groups).some((part) => chosen[part] !== was[part]);
    reset.disabled = !isChanged || !link.isLive;
    for (const b of [save, reload]) b.disabled = !link.isLive;
    for (const input of root.querySelectorAll("input")) input.disabled = !link.isLive;
    if (!link.isLive) panel.say(GONE, "bad");
  };
  return { update };
});
