"""A kernel's side and a page's side of widgets, without a notebook between them."""

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from comm.base_comm import BaseComm

from sparknb.core.errors import SparknbError
from sparknb.host.loop_thread import LoopThread

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

T = TypeVar("T")

THEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "--jp-layout-color1": "white",
        "--jp-content-font-color1": "rgba(0, 0, 0, 0.87)",
    },
    "dark": {
        "--jp-layout-color1": "#111111",
        "--jp-content-font-color1": "rgba(255, 255, 255, 1)",
    },
    "bare": {},
}


class RecordingComm(BaseComm):
    """A comm whose other end is a list."""

    def __init__(self, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(**options)

    def publish_msg(
        self,
        msg_type: str,
        data: Any = None,
        metadata: Any = None,
        buffers: Any = None,
        **keys: Any,
    ) -> None:
        self.sent.append({"type": msg_type, "data": data, "buffers": buffers or []})

    def drain(self) -> list[dict[str, Any]]:
        taken, self.sent[:] = list(self.sent), []
        return [m["data"] for m in taken if m["type"] == "comm_msg"]


def say(widget: Any, content: Any, buffers: Any = ()) -> list[dict[str, Any]]:
    """Send a custom message as a page would; give the replies."""
    widget.comm.drain()
    widget._handle_msg(
        {
            "content": {"data": {"method": "custom", "content": content}},
            "buffers": [memoryview(b) for b in buffers],
        }
    )
    return replies(widget)


def replies(widget: Any) -> list[dict[str, Any]]:
    sent = widget.comm.drain()
    return [m["content"] for m in sent if m["method"] == "custom"]


class Hand:
    """A courier by hand: what is to be done waits until `deliver` is called."""

    def __init__(self, loop: LoopThread) -> None:
        self.loop = loop
        self.waiting: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []

    def send(
        self,
        work: Callable[[], Coroutine[Any, Any, T]],
        then: Callable[[T | SparknbError], None],
    ) -> None:
        self.waiting.append((work, then))

    def deliver(self) -> None:
        for work, then in self.waiting:
            outcome: Any
            try:
                outcome = self.loop.run(work())
            except SparknbError as error:
                outcome = error
            then(outcome)
        self.waiting = []


_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Widgets</title>
<style>
%s
body {
  background: var(--jp-layout-color1);
  color: var(--jp-content-font-color1);
  margin: 12px;
}
%s
</style></head>
<body><main>
<h1 style="font-size: 15px">Notebook</h1>
<label>Editor <textarea id="editor"></textarea></label>
<div id="out"></div>
</main></body></html>"""

_MOUNT = """
async ({ esm, state, id, name }) => {
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  window.stage ??= { models: {} };
  const known = window.stage.models[id];
  const model = known ?? {
    state, sent: [], hearers: {},
    widget_manager: { kernel: { status: "idle" } },
    get(key) { return this.state[key]; },
    set() { throw new Error("a page never writes the state"); },
    save_changes() { throw new Error("a page never writes the state"); },
    on(event, hear) { (this.hearers[event] ??= new Set()).add(hear); },
    off(event, hear) { this.hearers[event]?.delete(hear); },
    tell(event, ...what) {
      for (const hear of [...(this.hearers[event] ?? [])]) hear(...what);
    },
    send(content, callbacks, buffers = []) {
      const bytes = buffers.map((b) => [...new Uint8Array(b.buffer ?? b)]);
      this.sent.push({ content: structuredClone(content), buffers: bytes });
    },
  };
  window.stage.models[id] = model;
  const el = document.createElement("div");
  el.dataset.view = name;
  const { default: widget } = await import(url);
  const clean = await widget.render({ model, el });
  document.querySelector("#out").append(el);
  (window.stage.clean ??= {})[name] = () => { clean(); el.remove(); };
  await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
}
"""


class Stage:
    """A page with views of real widgets; `pump` is the kernel getting round to it."""

    def __init__(self, page: "Page", theme: str = "light") -> None:
        self.page = page
        self.widgets: dict[str, Any] = {}
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        self._theme = theme

    def open(self, css: str) -> None:
        variables = "".join(f"{n}: {v};" for n, v in THEMES[self._theme].items())
        self.page.set_content(_PAGE % (f":root {{ {variables} }}", css))

    def show(self, widget: Any, name: str = "view") -> "Locator":
        """Mount a view of a widget, as a notebook's output would."""
        if not self.page.locator("#out").count():
            self.open(widget._css)
        self.widgets[widget.model_id] = widget
        state = {n: getattr(widget, n) for n in widget.trait_names(sync=True)}
        state = {n: v for n, v in state.items() if n != "layout" and n[0] != "_"}
        what = {"esm": widget._esm, "state": json.loads(json.dumps(state))}
        self.page.evaluate(_MOUNT, what | {"id": widget.model_id, "name": name})
        return self.page.locator(f"[data-view={name}]")

    def pump(self) -> list[dict[str, Any]]:
        """Take what pages sent to the kernel, then what the kernel sent to pages."""
        taken = []
        for identity, widget in self.widgets.items():
            sent = self.page.evaluate("id => stage.models[id].sent.splice(0)", identity)
            for message in sent:
                taken.append(message["content"])
                data = {"method": "custom", "content": message["content"]}
                buffers = [memoryview(bytes(b)) for b in message["buffers"]]
                widget._handle_msg({"content": {"data": data}, "buffers": buffers})
            self.flush(widget)
        return taken

    def flush(self, widget: Any) -> None:
        """Bring to the pages what the kernel has sent."""
        for data in widget.comm.drain():
            self.page.evaluate(
                """([id, data]) => {
                  const model = stage.models[id];
                  if (data.method === "custom") model.tell("msg:custom", data.content);
                  else { Object.assign(model.state, data.state); model.tell("change"); }
                }""",
                [widget.model_id, data],
            )

    def focused(self) -> str:
        """Give the text or label of what has the focus."""
        return str(
            self.page.evaluate(
                """() => { const a = document.activeElement;
                return a.labels?.[0]?.textContent || a.id || a.textContent
                || a.tagName }"""
            )
        )
