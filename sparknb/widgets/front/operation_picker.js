// Picks operations of an API description, and has them saved as drafts.

const ROW = 46; // px; all rows are alike, so that only those in sight are drawn
const AROUND = 8; // rows drawn above and below
const SHOWN_ROWS = 8;

const number = (count) => count.toLocaleString("en");
const some = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export default widget(({ model, root, link, cleanups }) => {
  const saved = () => model.get("saved");
  const items = model.get("items").map((item, index) => ({
    ...item,
    index,
    words: [item.operation, item.summary, ...item.tags].join("\n").toLowerCase(),
  }));
  const canPick = (item) => !item.against && !saved()[item.index];
  const picked = new Set();
  let shown = items;
  let active = 0;
  let isSent = false;
  let isTouched = false; // somebody moved to a row: until then none is told of

  // ---------------------------------------------------------------------- filters
  const search = field("Search", h("input", { type: "search", class: "spark-input" }));
  const counts = new Map();
  for (const { tags } of items)
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const options = [...counts].map(([tag, count]) =>
    h("option", { value: tag }, `${tag} (${number(count)})`),
  );
  const all = h("option", { value: "" }, "All tags");
  const tags = field("Tag", h("select", { class: "spark-input" }, all, options));
  tags.element.hidden = counts.size === 0;
  const filter = () => {
    const words = search.control.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tag = counts.size && tags.control.value;
    shown = items.filter(
      (item) =>
        (!tag || item.tags.includes(tag)) && words.every((w) => item.words.includes(w)),
    );
    active = 0;
    isTouched = false;
    list.scrollTop = 0;
    update();
  };
  search.control.addEventListener("input", filter);
  tags.control.addEventListener("change", filter);

  // ------------------------------------------------------------------------- list
  const height = h("div", { role: "none" });
  const list = h(
    "div",
    {
      class: "spark-list",
      role: "listbox",
      tabindex: "0",
      "aria-multiselectable": "true",
      "aria-label": "Operations",
    },
    height,
  );
  const idOf = unique("row");
  const empty = h("p", { class: "spark-hint" }, "No operation fits the search.");
  const row = (item, place) => {
    const isPicked = picked.has(item.index);
    const id = saved()[item.index];
    const said = item.against ? "cannot be imported" : id ? `saved as ${id}` : null;
    const size = said ?? some(item.tokens, "token");
    const tone = item.against ? "blocked" : id ? "saved" : isPicked ? "picked" : "";
    return h(
      "div",
      {
        class: `spark-row ${tone}${place === active ? " active" : ""}`,
        role: "option",
        id: `${idOf}-${place}`,
        style: `top: ${place * ROW}px`,
        "aria-selected": String(isPicked),
        "aria-disabled": canPick(item) ? null : "true",
        "aria-setsize": shown.length,
        "aria-posinset": place + 1,
        "data-place": place,
      },
      h("span", { class: "spark-tick", "aria-hidden": "true" }, isPicked || id ? "✓" : ""),
      h("span", { class: "spark-what" }, h("code", {}, item.operation), " ", h("span", {}, item.summary)),
      " ",
      h("span", { class: "spark-size" }, size),
    );
  };
  const draw = () => {
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - AROUND);
    const seen = Math.ceil((list.clientHeight || ROW * SHOWN_ROWS) / ROW);
    const places = new Set();
    for (let at = from; at < Math.min(shown.length, from + seen + 2 * AROUND); at += 1)
      places.add(at);
    if (shown.length) places.add(active);
    const rows = [...places].sort((a, b) => a - b).map((at) => row(shown[at], at));
    list.replaceChildren(height, ...rows);
  };
  let drawing = 0;
  const drawSoon = () => {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      draw();
    });
  };
  list.addEventListener("scroll", drawSoon);
  cleanups.push(() => cancelAnimationFrame(drawing));

  // ---------------------------------------------------------------------- picking
  const toggle = (place, wanted) => {
    isTouched = true;
    const item = shown[place];
    if (!item || !canPick(item)) return;
    if (wanted ?? !picked.has(item.index)) picked.add(item.index);
    else picked.delete(item.index);
  };
  const go = (place) => {
    isTouched = true;
    active = Math.max(0, Math.min(shown.length - 1, place));
    const top = active * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    const bottom = top + ROW - list.clientHeight;
    if (bottom > list.scrollTop) list.scrollTop = bottom;
  };
  const steps = {
    ArrowDown: () => active + 1,
    ArrowUp: () => active - 1,
    PageDown: () => active + SHOWN_ROWS,
    PageUp: () => active - SHOWN_ROWS,
    Home: () => 0,
    End: () => shown.length - 1,
  };
  const pickAll = () => {
    for (let place = 0; place < shown.length; place += 1) toggle(place, true);
    update();
  };
  list.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step) {
      go(step());
      if (event.shiftKey && event.key.startsWith("Arrow")) toggle(active, true);
    } else if (event.key === " ") toggle(active);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) pickAll();
    else return;
    event.preventDefault();
    update();
  });
  list.addEventListener("click", (event) => {
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (place === undefined || !link.isLive) return;
    active = Number(place);
    toggle(active);
    update();
  });
  const every = button("Select all", pickAll, "small");
  const none = button(
    "Clear",
    () => {
      picked.clear();
      isTouched = false;
      update();
    },
    "small",
  );

  // ------------------------------------------------------------------------ panel
  const aside = h("span", { class: "spark-aside", role: "status" });
  const about = h("div", { class: "spark-about" });
  const keys = h(
    "p",
    { class: "spark-hint" },
    "Keys in the list: Space picks, arrows move, Ctrl+A picks all.",
  );
  const steps_ = scrolling("", "What to do next", cleanups);
  const next = h("div", { class: "spark-next", hidden: true }, steps_);
  const bar = h(
    "div",
    { class: "spark-bar" },
    search.element,
    tags.element,
    h("div", { class: "spark-beside" }, every, none),
  );
  const title = model.get("title");
  const panel = dialog("group", title, aside, bar, list, empty, keys, about, next);
  root.append(panel.element);
  link.say = panel.say;
  next.append(h("div", {}, copier(steps_, panel.say)));

  const details = (item) => {
    const id = saved()[item.index];
    return facts([
      ["operation", h("code", {}, item.operation)],
      item.summary && ["does", item.summary],
      item.tags.length > 0 && ["tags", item.tags.join(", ")],
      item.isDeprecated && ["note", "It is deprecated."],
      item.against && ["why not", sentence(item.against)],
      !item.against && ["becomes", id ? `${id}, saved` : item.id],
      item.secrets.length > 0 && ["secrets", item.secrets.join(", ")],
      item.notices.length > 0 && ["notes", item.notices.map(sentence).join(" ")],
    ]);
  };
  const take = async () => {
    if (isSent || picked.size === 0) return;
    hold(true);
    const chosen = [...picked].sort((a, b) => a - b);
    const reply = await link.ask("import", { chosen }, { said: "Your choice is on its way." });
    hold(false);
    hear(reply);
  };
  const hold = (held) => {
    isSent = held;
    take_.setAttribute("aria-disabled", String(held || picked.size === 0));
  };
  const hear = ({ kind, count, left, steps, text, hint }) => {
    if (kind === "saved") {
      picked.clear();
      const onward = steps.length ? "Go on with these lines:" : "";
      const said = [`${some(count, "draft")} saved.`, left && sentence(left), onward];
      steps_.textContent = steps.join("\n");
      next.hidden = steps.length === 0;
      isTouched = false;
      panel.say(said.filter(Boolean).join(" "), left ? "notice" : "good");
      update();
    } else if (kind === "wrong")
      panel.say([text, hint].filter(Boolean).map(sentence).join(" "), "bad");
    else panel.say("The kernel did not take this choice. Nothing was saved.", "bad");
  };
  const take_ = button("Import", take, "primary");
  panel.actions.append(take_);

  const update = () => {
    for (const index of [...picked]) if (!canPick(items[index])) picked.delete(index);
    const tokens = [...picked].reduce((sum, index) => sum + items[index].tokens, 0);
    const possible = items.filter((item) => !item.against).length;
    aside.textContent = `${number(picked.size)} of ${some(possible, "tool")}, ${some(tokens, "token")}`;
    height.style.height = `${shown.length * ROW}px`;
    list.style.height = `${Math.min(SHOWN_ROWS, Math.max(1, shown.length)) * ROW + 2}px`;
    list.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    keys.hidden = shown.length === 0;
    draw();
    if (shown.length) list.setAttribute("aria-activedescendant", `${idOf}-${active}`);
    else list.removeAttribute("aria-activedescendant");
    about.hidden = !isTouched;
    about.replaceChildren(...(isTouched && shown.length ? [details(shown[active])] : []));
    take_.textContent = picked.size ? `Import ${some(picked.size, "tool")}` : "Import";
    take_.setAttribute("aria-disabled", String(isSent || picked.size === 0));
    none.disabled = picked.size === 0 || !link.isLive;
    for (const control of [search.control, tags.control, every, take_])
      control.disabled = !link.isLive;
    if (!link.isLive) panel.say(GONE, "bad");
  };
  return { update, appeared: draw };
});
