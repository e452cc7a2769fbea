"""A real kernel, driven as a front end does it: cells, prompts, clicks on widgets."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.magics.notebooks import sockets

__all__ = ["Cell", "Kernel", "Page", "Widget", "running_kernel"]

_PATIENCE_SECONDS = 60.0
MIME = "application/vnd.sparknb.v1+json"


@dataclass(slots=True)
class Widget:
    """A widget as a page knows it: its state, and a way to send messages."""

    comm_id: str
    state: dict[str, Any]
    page: "Page"
    replies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return str(self.state.get("_anywidget_id", "")).rpartition(".")[2]

    def send(self, kind: str, *, value: str | None = None, **fields: Any) -> None:
        """Send a custom message, as the page of this widget does."""
        self.page.sent += 1
        content = {"id": f"view-{self.page.sent}", "kind": kind, **fields}
        data = {"method": "custom", "content": content}
        buffers = None if value is None else [value.encode()]
        self.page.send_comm(self.comm_id, data, buffers)

    def approve(self, edits: Mapping[str, str] | None = None, **more: Any) -> None:
        key = {"call": self.state["card"]["call"], "nonce": self.state["card"]["nonce"]}
        self.send("approve", **(key | {"edits": edits or {}, "leftOut": []} | more))

    def reject(self) -> None:
        card = self.state["card"]
        self.send("reject", call=card["call"], nonce=card["nonce"])


@dataclass(slots=True)
class Cell:
    """What one execution gave."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    reply: dict[str, Any] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def take(self, output: dict[str, Any]) -> None:
        """Add an output; a stream goes on, however often the kernel flushed it."""
        last = self.outputs[-1] if self.outputs else {}
        if output["type"] == "stream" and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            self.outputs.append(output)

    @property
    def error(self) -> tuple[str, str] | None:
        """Name and text of the error that the cell ended in."""
        found = [o for o in self.outputs if o["type"] == "error"]
        return (found[0]["ename"], found[0]["evalue"]) if found else None

    @property
    def traceback(self) -> str:
        found = [o for o in self.outputs if o["type"] == "error"]
        return "\n".join(found[0]["traceback"]) if found else ""

    @property
    def bundles(self) -> list[dict[str, Any]]:
        kinds = ("display_data", "execute_result")
        return [o["data"] for o in self.outputs if o["type"] in kinds]

    @property
    def text(self) -> str:
        """All that a person reads, widgets left out."""
        views = [b for b in self.bundles if not _is_widget(b)]
        texts = [b["text/plain"] for b in views]
        streams = [o["text"] for o in self.outputs if o["type"] == "stream"]
        return "\n".join([*streams, *texts])

    @property
    def html(self) -> str:
        return "\n".join(b.get("text/html", "") for b in self.bundles)


def _is_widget(bundle: Mapping[str, Any]) -> bool:
    return "application/vnd.jupyter.widget-view+json" in bundle


class Page:
    """The front end of one kernel: what it shows, and what a person does on it."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client
        self.widgets: dict[str, Widget] = {}
        self.sent = 0

    def send_comm(
        self, comm_id: str, data: Mapping[str, Any], buffers: Sequence[bytes] | None
    ) -> None:
        message = self.client.session.msg(
            "comm_msg", {"comm_id": comm_id, "data": dict(data)}
        )
        channel = self.client.shell_channel
        self.client.session.send(channel.socket, message, buffers=list(buffers or ()))

    def hear(self, message: Mapping[str, Any]) -> Widget | None:
        """Take a message about widgets; give a widget that is new."""
        content = message["content"]
        if message["msg_type"] == "comm_open":
            state = dict(content["data"].get("state", {}))
            widget = Widget(content["comm_id"], state, self)
            self.widgets[content["comm_id"]] = widget
            return widget if widget.kind else None
        widget_or_none = self.widgets.get(content.get("comm_id", ""))
        if widget_or_none is not None and message["msg_type"] == "comm_msg":
            data = content["data"]
            widget_or_none.state.update(data.get("state", {}))
            if data.get("method") == "custom":
                widget_or_none.replies.append(data["content"])
        if message["msg_type"] == "comm_close":
            self.widgets.pop(content["comm_id"], None)
        return None


OnWidget = Callable[[Widget], None]


class Kernel:
    """A running kernel with one page before it."""

    def __init__(self, manager: KernelManager, folder: Path) -> None:
        self.manager = manager
        self.folder = folder
        self.client = manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=_PATIENCE_SECONDS)
        self.page = Page(self.client)

    def run(
        self,
        code: str,
        *,
        answers: Sequence[str] | None = None,
        on_widget: OnWidget | None = None,
        on_prompt: Callable[[], None] | None = None,
        silent: bool = False,
    ) -> Cell:
        """Run a cell to its end.

        Args:
            code: The cell.
            answers: What is typed at prompts; None forbids them, as nbclient does.
            on_widget: Called with each new widget of ours, while the cell runs.
            on_prompt: Called in place of answering a prompt.
            silent: Whether the history leaves it out.
        """
        allows = answers is not None or on_widget is not None or on_prompt is not None
        sent = self.begin(code, allows=allows, silent=silent)
        return self.finish(
            sent, answers=answers, on_widget=on_widget, on_prompt=on_prompt
        )

    def begin(self, code: str, *, allows: bool = False, silent: bool = False) -> str:
        """Hand a cell to the kernel; give what `finish` wants."""
        return str(self.client.execute(code, allow_stdin=allows, silent=silent))

    def finish(
        self,
        sent: str,
        *,
        answers: Sequence[str] | None = None,
        on_widget: OnWidget | None = None,
        on_prompt: Callable[[], None] | None = None,
    ) -> Cell:
        """Wait for the end of a cell; options as in `run`."""
        cell, started = Cell(), time.monotonic()
        typed = iter(answers or ())
        while not cell.reply:
            self._hear(sent, cell, on_widget)
            if self._is_asked():
                prompt = self.client.get_stdin_msg(timeout=1)["content"]["prompt"]
                cell.prompts.append(prompt)
                if on_prompt is not None:
                    on_prompt()
                else:
                    self.client.input(next(typed))
            if time.monotonic() - started > _PATIENCE_SECONDS:
                raise TimeoutError(f"the cell does not end: {cell}")
        cell.seconds = time.monotonic() - started
        return cell

    def interrupt(self) -> None:
        os.kill(self.pid, signal.SIGINT)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    @property
    def pid(self) -> int:
        pid = self.manager.provisioner.process.pid  # type: ignore[union-attr]  # a local one has it
        return int(pid)

    def value(self, expression: str) -> str:
        """Give the text of a Python expression."""
        cell = self.run(f"print({expression})")
        assert cell.error is None, cell.traceback
        return cell.text.rstrip("\n")

    def complete(self, code: str) -> list[str]:
        reply = self.client.complete(code, len(code), reply=True, timeout=30)
        return list(reply["content"]["matches"])

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    # -------------------------------------------------------------- the wires
    def _hear(self, sent: str, cell: Cell, on_widget: OnWidget | None) -> None:
        """Take the next message from the kernel, if one comes soon."""
        if not self.client.iopub_channel.socket.poll(20):
            return
        message = self.client.get_iopub_msg(timeout=1)
        kind, content = message["msg_type"], message["content"]
        if kind.startswith("comm"):
            widget = self.page.hear(message)
            if widget is not None and on_widget is not None:
                on_widget(widget)
        if message["parent_header"].get("msg_id") != sent:
            return
        if kind in ("stream", "display_data", "execute_result", "error"):
            cell.take({"type": kind, **content})
        if kind == "status" and content["execution_state"] == "idle":
            cell.reply = self._reply(sent)

    def _reply(self, sent: str) -> dict[str, Any]:
        while True:
            reply = self.client.get_shell_msg(timeout=_PATIENCE_SECONDS)
            if reply["parent_header"].get("msg_id") == sent:
                return dict(reply["content"])

    def _is_asked(self) -> bool:
        return bool(self.client.stdin_channel.socket.poll(0))


def _plain_environment() -> dict[str, str]:
    """Give the environment without what is the person's own."""
    masked = ("SPARKNB_", "JUPYTER", "XDG_", "PYTEST_", "PYTHON_KEYRING", "COLUMNS")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(masked) and not name.lower().endswith("_proxy")
    }


@contextmanager
def running_kernel(folder: Path, *arguments: str, **variables: str) -> Iterator[Kernel]:
    """Give a kernel in a folder of its own, with its own home and history."""
    folder.mkdir(parents=True, exist_ok=True)
    fixed = {
        "HOME": str(folder),
        "SPARKNB_HOME": str(folder / "sparknb"),
        "SPARKNB_KEYCHAIN": "memory",
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "TMPDIR": str(folder),
    }
    manager = KernelManager(config=sockets(folder))
    with (folder / "kernel.log").open("wb") as log:
        manager.start_kernel(
            env={**_plain_environment(), **fixed, **variables},
            extra_arguments=list(arguments),
            cwd=str(folder),
            stdout=log,
            stderr=log,
        )
    try:
        kernel = Kernel(manager, folder)
    except RuntimeError as error:
        error.add_note((folder / "kernel.log").read_text(encoding="utf-8"))
        raise
    try:
        yield kernel
    finally:
        kernel.close()
