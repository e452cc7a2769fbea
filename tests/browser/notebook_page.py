"""One notebook in the page: run its cells, look at them, treat its kernel badly."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

__all__ = ["NotebookPage", "text_of", "write_notebook"]

Output = Mapping[str, Any]


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write a notebook of code cells."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{index}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for index, source in enumerate(cells)
    ]
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")


class NotebookPage:
    """An open notebook. Cells count from 0.

    Attributes:
        page: The page of JupyterLab, with whatever else is open in it.
        path: The notebook below the server's folder.
        file: The notebook on disk.
        panel_id: Id of its element.
        kernel_id: The kernel that it began with.
    """

    def __init__(self, page: "Page", file: Path, kernel: Mapping[str, str]) -> None:
        self.page = page
        self.file = file
        self.path = file.name
        opened = self._do("open", kernel)
        self.panel_id: str = opened["panel"]
        self.kernel_id: str = opened["kernel"]

    # --------------------------------------------------------------------- cells
    def start(self, index: int) -> None:
        """Begin to run a cell; it may wait for a person."""
        self._do("run", index)

    def wait(self, index: int) -> list[Output]:
        """Wait for the end of a cell that was begun, and give its outputs."""
        self.page.wait_for_function(
            "([path, index]) => sparkTest.ran(path, index) !== 'running'",
            arg=[self.path, index],
        )
        how = self._do("ran", index)
        assert how == "done", how
        return self.outputs(index)

    def run(self, index: int) -> list[Output]:
        """Run a cell to its end and give its outputs."""
        self.start(index)
        return self.wait(index)

    def is_running(self, index: int) -> bool:
        """Tell whether a cell that was begun has not ended."""
        return bool(self._do("ran", index) == "running")

    def outputs(self, index: int) -> list[Output]:
        """Give the outputs of a cell as they would be saved."""
        found: list[Output] = self._do("outputs", index)
        return found

    def text(self, index: int) -> str:
        """Give all text of a cell's outputs: streams, text/plain, errors."""
        return "\n".join(text_of(output) for output in self.outputs(index))

    def set_source(self, index: int, text: str) -> None:
        """Put another text into a cell."""
        self._do("setSource", index, text)

    def cell(self, index: int) -> "Locator":
        """Give the element of a cell."""
        return self.page.locator(f"#{self.panel_id} .jp-Notebook-cell").nth(index)

    def output(self, index: int) -> "Locator":
        """Give the element that holds a cell's outputs, without their prompts."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def whole(self) -> "Locator":
        """Give the element of all cells together."""
        return self.page.locator(f"#{self.panel_id} .jp-WindowedPanel-viewport")

    def select(self, index: int) -> None:
        """Select a cell in command mode, as the arrow keys do."""
        self._do("select", index)

    def show(self) -> None:
        """Bring this notebook to the front."""
        self._do("show")

    # ----------------------------------------------------------- file and kernel
    def save(self) -> dict[str, Any]:
        """Save, and give what the file holds."""
        self._do("act", "docmanager:save")
        return self.saved()

    def saved(self) -> dict[str, Any]:
        """Give what the file holds."""
        found: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return found

    def interrupt(self) -> None:
        """Interrupt the kernel with the command of the menu."""
        self._do("act", "kernelmenu:interrupt")

    def save_with_widgets(self) -> dict[str, Any]:
        """Save with "Save Widget State" on, and give what the file holds."""
        command = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"
        self._do("act", command)
        try:
            return self.save()
        finally:
            self._do("act", command)  # it is a switch

    def restart(self) -> None:
        """Restart the kernel with the command of the menu; wait until it is back."""
        self._do("show")
        self.page.evaluate(
            "() => void jupyterapp.commands.execute('kernelmenu:restart')"
        )
        dialog = self.page.locator(".jp-Dialog")
        dialog.get_by_role("button", name="Confirm Kernel Restart").click()
        dialog.wait_for(state="detached")
        self.wait_for_kernel()

    def dismiss_death_notice(self) -> None:
        """Wait for what JupyterLab says about a dead kernel, and for the next one."""
        dialog = self.page.locator(".jp-Dialog").filter(has_text="appears to have died")
        dialog.get_by_role("button", name="Ok").click()
        dialog.wait_for(state="detached")
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        """Wait until the kernel is connected, has answered, and is idle."""
        self._do("connected")

    def kernel_status(self) -> str:
        """Give the kernel's status as JupyterLab sees it."""
        return str(self._do("kernelStatus"))

    def close(self, *, keeps_kernel: bool = False) -> bool:
        """Close without saving; tell whether the kernel was kept, as an idle one is."""
        return bool(self._do("close", keeps_kernel))

    def _do(self, name: str, *arguments: Any) -> Any:
        script = "([name, words]) => sparkTest[name](...words)"
        return self.page.evaluate(script, [name, [self.path, *arguments]])


def text_of(output: Output) -> str:
    """Give an output's text: of a stream, text/plain, or of an error."""
    if output["output_type"] == "stream":
        return _joined(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return _joined(output["data"].get("text/plain", ""))


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
