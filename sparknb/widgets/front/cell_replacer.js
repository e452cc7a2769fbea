// Shows a cell to go on with, and puts it in the place of the one that made it.

// The notebook's own part of sparknb listens for this; it knows cells, a widget does not.
const REPLACE = "sparknb:replace-cell";

export default widget(({ model, root, link, cleanups }) => {
  const { text, magic, hasSecret } = model.get("cell");
  const said = hasSecret
    ? "The cell above still holds the secret that was pasted. Replace it, then save the notebook."
    : "It makes the same tool, as a cell that you can change.";
  const note = h("p", { class: hasSecret ? "spark-note bad" : "spark-lead" }, said);
  const code = scrolling(text, "The cell", cleanups);
  code.classList.add("tall");
  const panel = dialog("group", "Go on with this cell", null, note, code);
  root.append(panel.element);
  link.say = panel.say;

  const replace = () => {
    const detail = { text, magic, answer: "" };
    const options = { bubbles: true, composed: true, cancelable: true, detail };
    root.dispatchEvent(new CustomEvent(REPLACE, options));
    if (detail.answer === "replaced") {
      settle();
      link.ask("replaced", {}, { said: "The cell is replaced." });
    } else if (detail.answer === "changed")
      panel.say("The cell is another by now, and stays as it is. Copy the text instead.", "bad");
    else {
      select(code);
      panel.say(
        "This page cannot replace cells. Copy the text and paste it over the cell.",
        "notice",
      );
    }
  };
  const settle = () => {
    note.hidden = true;
    panel.settle(mark("The cell is replaced. Save the notebook.", "good", "✓"));
  };
  const copying = copier(code, panel.say);
  const replacing = button("Replace this cell", replace, "primary");
  panel.actions.append(copying, replacing);
  const update = () => {
    if (model.get("status") === "replaced") settle();
  };
  return { update };
});
