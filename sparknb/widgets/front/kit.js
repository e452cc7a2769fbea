// What all widgets share: elements, forms, tables, dialogs, focus, theme, messages.
// Words of tools, servers and people only ever become text nodes.

const BUSY_AFTER = 600; // ms without an answer until the view says that it waits
const WAITS = "Waiting for the kernel: a running cell holds it. ";
const GONE = "The kernel that this belongs to is gone: run the cell again.";
const DISCONNECTED = "jupyter-widgets-disconnected"; // set by the widget manager
const LOST = ["dead", "restarting", "autorestarting", "terminating"];

// Several widgets stand on one page, each with its own copy of this text.
const OWN = [...crypto.getRandomValues(new Uint8Array(6))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");
let counted = 0;
const unique = (word) => `spark-${word}-${OWN}-${(counted += 1)}`;

// The host writes "the value is empty"; a page shows sentences.
function sentence(text) {
  const end = /[.!?]$/.test(text) ? "" : ".";
  return text && text[0].toUpperCase() + text.slice(1) + end;
}

// ---------------------------------------------------------------------- elements
// JupyterLab's shortcuts would take keys that are meant for a control: two d at a
// button delete the cell. It looks for this mark from the focused element upwards, and
// acts on that element before it comes to the panel around it.
const OWN_KEYS = "data-lm-suppress-shortcuts";
const CONTROLS = ["button", "input", "select", "textarea"];

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  if (CONTROLS.includes(tag) || element.hasAttribute("tabindex"))
    element.setAttribute(OWN_KEYS, "true");
  element.append(...children.flat().filter((child) => child || child === ""));
  return element;
}

function button(label, press, kind = "plain") {
  const element = h("button", { type: "button", class: `spark-button ${kind}` }, label);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") press(element);
  });
  return element;
}

function mark(word, tone, glyph) {
  const sign = h("span", { class: "spark-glyph", "aria-hidden": "true" }, glyph);
  return h("span", { class: `spark-mark ${tone}` }, sign, word);
}

const RISKS = ["read", "low-write", "high-write", "destructive"];

// A word, and as many bars as the risk is high: no colour is needed to read it.
function riskMark(risk, said = "Risk: ") {
  const level = RISKS.indexOf(risk);
  const bars = RISKS.map((_, i) => h("i", { class: i <= level ? "full" : "" }));
  return h(
    "span",
    { class: "spark-risk", "data-risk": risk },
    h("span", { class: "spark-bars", "aria-hidden": "true" }, bars),
    said && h("span", { class: "spark-unseen" }, said),
    risk,
  );
}

// Long text scrolls inside its place; a keyboard reaches it there.
function scrolling(text, label, cleanups) {
  const place = h("pre", { class: "spark-code" }, text);
  const watch = new ResizeObserver(() => {
    const scrolls =
      place.scrollHeight > place.clientHeight + 1 ||
      place.scrollWidth > place.clientWidth + 1;
    const said = `${label}, scrolls`;
    const wanted = { tabindex: "0", role: "group", "aria-label": said, [OWN_KEYS]: "true" };
    for (const [name, value] of Object.entries(wanted))
      if (scrolls) place.setAttribute(name, value);
      else place.removeAttribute(name);
  });
  watch.observe(place);
  cleanups.push(() => watch.disconnect());
  return place;
}

function select(place) {
  const range = document.createRange();
  range.selectNodeContents(place);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

// A button that copies the text of a place, or at least selects it.
function copier(place, say) {
  return button("Copy", async () => {
    select(place);
    try {
      await navigator.clipboard.writeText(place.textContent);
      say("Copied.", "good");
    } catch {
      say("The text is selected: press Ctrl+C to copy it.", "notice");
    }
  });
}

function facts(rows, kind = "") {
  const shown = rows.filter(Boolean);
  return h(
    "dl",
    { class: `spark-facts ${kind}` },
    shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

// Rows are [heading, ...cells]; the first cell of a row names it.
function table(caption, heads, rows) {
  const line = ([name, ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, name), cells.map((c) => h("td", {}, c)));
  const head = heads.map((text) => h("th", { scope: "col" }, text));
  return h(
    "table",
    { class: "spark-table" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, rows.map(line)),
  );
}

// -------------------------------------------------------------------------- form
// A control with its label, its hint and a place for what is wrong with it.
function field(label, control, { hint = "", hidden = false } = {}) {
  control.id = unique("field");
  const said = h("span", { class: "spark-hint", id: unique("hint") }, hint);
  const wrong = h("span", { class: "spark-wrong", id: unique("wrong") });
  const described = [hint && said.id, wrong.id].filter(Boolean).join(" ");
  control.setAttribute("aria-describedby", described);
  const name = h(
    "label",
    { for: control.id, class: hidden ? "spark-unseen" : "spark-label" },
    label,
  );
  const made = {
    element: h("div", { class: "spark-field" }, name, control, hint && said, wrong),
    control, // may be replaced
    refuse(text) {
      wrong.textContent = text;
      if (text) made.control.setAttribute("aria-invalid", "true");
      else made.control.removeAttribute("aria-invalid");
    },
  };
  return made;
}

// One of several values. A blocked one can be reached, so that its reason is read,
// but not picked: `why(value)` says what speaks against it.
function choices(legend, options, { why, pick }) {
  const group = unique("choice");
  const reason = h("p", { class: "spark-hint", id: unique("why") });
  const items = new Map();
  for (const { value, label, note } of options) {
    const about = note && h("span", { class: "spark-hint", id: unique("note") }, note);
    const input = h("input", { type: "radio", name: group, value });
    if (about) input.setAttribute("aria-describedby", about.id);
    input.addEventListener("click", (event) => {
      const against = why(value);
      if (against) event.preventDefault();
      reason.textContent = sentence(against);
      if (!against) pick(value);
    });
    input.addEventListener("focus", () => (reason.textContent = sentence(why(value))));
    input.addEventListener("blur", () => (reason.textContent = ""));
    const name = h("span", { class: "spark-name" }, label);
    const item = h("label", { class: "spark-choice" }, input, h("span", {}, name, about));
    items.set(value, { input, item });
  }
  reason.setAttribute("role", "status");
  const element = h(
    "fieldset",
    { class: "spark-choices" },
    h("legend", {}, legend),
    h("div", { class: "spark-options" }, [...items.values()].map(({ item }) => item)),
    reason,
  );
  const show = (chosen) => {
    for (const [value, { input, item }] of items) {
      const against = why(value);
      input.checked = value === chosen;
      if (against) input.setAttribute("aria-disabled", "true");
      else input.removeAttribute("aria-disabled");
      item.classList.toggle("blocked", Boolean(against));
      item.classList.toggle("picked", value === chosen);
    }
  };
  return { element, show };
}

// A field for a value that nobody may read later: every fresh one is a new element,
// since an emptied one can give back its text by undo.
function secretField(label, hint) {
  const fresh = () =>
    h("input", {
      type: "password",
      class: "spark-input",
      autocomplete: "off",
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
      "data-1p-ignore": true,
      "data-lpignore": "true",
    });
  const made = field(label, fresh(), { hint });
  const toggle = button("Show", () => reveal(toggle.textContent === "Show"), "small");
  const reveal = (shown) => {
    made.control.type = shown ? "text" : "password";
    toggle.textContent = shown ? "Hide" : "Show";
    toggle.setAttribute("aria-label", `${toggle.textContent} the value`);
  };
  const keys = (event) => {
    if (event.key === "Enter" && !event.isComposing) made.enter?.();
  };
  made.control.addEventListener("keydown", keys);
  made.control.replaceWith(h("div", { class: "spark-beside" }));
  const row = made.element.querySelector(".spark-beside");
  row.append(made.control, toggle);
  reveal(false);
  made.toggle = toggle;
  made.empty = () => {
    const next = fresh();
    for (const name of ["id", "aria-describedby", "aria-invalid", "disabled"])
      if (made.control.hasAttribute(name))
        next.setAttribute(name, made.control.getAttribute(name));
    next.addEventListener("keydown", keys);
    const hadFocus = document.activeElement === made.control;
    made.control.value = "";
    made.control.replaceWith(next);
    made.control = next;
    if (hadFocus) next.focus({ preventScroll: true });
    reveal(false);
  };
  made.take = () => {
    const bytes = new TextEncoder().encode(made.control.value);
    made.empty();
    return bytes;
  };
  return made;
}

// ------------------------------------------------------------------------ dialog
// A panel that asks or takes something; `role` is alertdialog for a question.
function dialog(role, title, aside, ...body) {
  const heading = h("div", { class: "spark-title", id: unique("title") }, title);
  heading.setAttribute("role", "heading");
  heading.setAttribute("aria-level", "4");
  const actions = h("div", { class: "spark-actions" });
  const live = h("p", { class: "spark-live", role: "status" });
  const foot = h("div", { class: "spark-foot" }, actions, live);
  const head = h("div", { class: "spark-head" }, heading, aside);
  const element = h(
    "section",
    { class: "spark-panel", role, "aria-labelledby": heading.id, tabindex: "-1" },
    head,
    body,
    foot,
  );
  return {
    element,
    actions,
    say(text, tone = "") {
      live.className = `spark-live ${tone}`;
      live.textContent = text;
    },
    // Nothing more to do here: the outcome stands where the buttons were.
    settle(outcome) {
      const hadFocus = actions.contains(document.activeElement);
      element.setAttribute("role", "group");
      actions.replaceChildren(outcome);
      if (hadFocus) element.focus({ preventScroll: true });
    },
  };
}

// ------------------------------------------------------------------------- focus
const BUSY_PLACES =
  'input, textarea, select, iframe, [contenteditable]:not([contenteditable="false"]), ' +
  '[role="textbox"], [role="dialog"] *, [role="menu"] *, .spark *';

// A new question takes the focus, unless somebody writes or decides elsewhere.
function offerFocus(target) {
  if (document.activeElement?.matches(BUSY_PLACES)) return false;
  target.focus({ preventScroll: true });
  return true;
}

// ------------------------------------------------------------------------- theme
const THEMED = ["--jp-layout-color1", "--vscode-editor-background"];

function brightness(colour) {
  const [r, g, b] = (colour.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

function followTheme(root, cleanups) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const look = () => {
    const style = getComputedStyle(root);
    const isDark = THEMED.some((name) => style.getPropertyValue(name).trim())
      ? brightness(style.backgroundColor) < 0.5
      : system.matches;
    root.dataset.theme = isDark ? "dark" : "light";
  };
  const watch = new MutationObserver(look);
  for (const place of [document.documentElement, document.body])
    watch.observe(place, { attributes: true });
  system.addEventListener("change", look);
  cleanups.push(() => watch.disconnect());
  cleanups.push(() => system.removeEventListener("change", look));
  return look;
}

// ---------------------------------------------------------------------- messages
// Sends to the kernel; says so when the kernel is busy or gone.
function connect(model, el, cleanups) {
  const waiting = new Map();
  const kernel = model.widget_manager?.kernel;
  const link = {
    isLive: true,
    changed: () => {},
    say: () => {},
    // Resolves with what the kernel made of it; "taken" only ends the waiting.
    ask(kind, fields = {}, { said = "It is sent.", buffers } = {}) {
      const id = `${OWN}-${(counted += 1)}`;
      return new Promise((resolve) => {
        const timer = setTimeout(() => link.say(WAITS + said, "notice"), BUSY_AFTER);
        waiting.set(id, { resolve, timer });
        try {
          model.send({ id, kind, ...fields }, undefined, buffers);
        } catch {
          lose();
        }
      });
    },
  };
  const lose = () => {
    for (const { timer } of waiting.values()) clearTimeout(timer);
    waiting.clear();
    if (!link.isLive) return;
    link.isLive = false;
    link.changed();
  };
  const look = () => {
    if (el.classList.contains(DISCONNECTED) || LOST.includes(kernel?.status)) lose();
  };
  const hear = (message) => {
    const asked = waiting.get(message?.re);
    if (!asked) return;
    clearTimeout(asked.timer);
    link.say("");
    if (message.kind === "taken") return;
    waiting.delete(message.re);
    asked.resolve(message);
  };
  const watch = new MutationObserver(look);
  watch.observe(el, { attributes: true, attributeFilter: ["class"] });
  model.on("msg:custom", hear);
  kernel?.statusChanged?.connect(look);
  cleanups.push(() => model.off("msg:custom", hear));
  cleanups.push(() => kernel?.statusChanged?.disconnect(look));
  cleanups.push(() => watch.disconnect());
  cleanups.push(() => waiting.forEach(({ timer }) => clearTimeout(timer)));
  look();
  return link;
}

// --------------------------------------------------------------------------- view
// `build` gets {model, root, link, cleanups} and gives {update, appeared}.
function widget(build) {
  return {
    render({ model, el }) {
      const cleanups = [];
      const root = h("div", { class: "spark", [OWN_KEYS]: "true" });
      const link = connect(model, el, cleanups);
      const view = build({ model, root, link, cleanups });
      const update = () => view.update();
      link.changed = update;
      model.on("change", update);
      cleanups.push(() => model.off("change", update));
      el.append(root);
      const theme = followTheme(root, cleanups);
      let isNew = true;
      const size = new ResizeObserver(() => {
        theme();
        if (isNew && root.isConnected) view.appeared?.();
        isNew &&= !root.isConnected;
      });
      size.observe(root);
      cleanups.push(() => size.disconnect());
      update();
      return () => cleanups.splice(0).forEach((clean) => clean());
    },
  };
}
