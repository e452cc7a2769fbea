"""Tools to try in the browser, and the words of the cells that try them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparknb.examples import ExampleService
from tests.browser.notebook_page import NotebookPage
from tests.hosting import Definition, Session

if TYPE_CHECKING:
    from playwright.sync_api import Locator

__all__ = [
    "LOAD",
    "SCRIPT",
    "asked",
    "asking",
    "button",
    "notes",
    "open_shop",
]

LOAD = "%load_ext sparknb"
SCRIPT = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
"""What runs wherever a text is taken for HTML."""

_TEXT = {"type": "string", "description": "What to write."}


def open_shop(home: Path, service: ExampleService) -> None:
    """Publish the tools; each has its own way to need a person."""
    session = Session(home)
    try:
        for tool in (
            note(service),
            peek(service),
            remark(service, "remark"),
            remark(service, "advice"),
            hostile(service),
        ):
            session.run(session.host.studio.draft(tool))
            for name in tool.get("secretRefs", {}):
                session.run(session.host.secrets.set(tool["id"], name, "not yours"))
            session.run(session.host.studio.publish(tool["id"]))
    finally:
        session.close()


def note(service: ExampleService) -> Definition:
    """Give a tool whose calls change something."""
    return _tool(
        id="note",
        title="Leave a note",
        description="Leaves a note at the example service.",
        parameters={"text": _TEXT, "copies": {"type": "integer", "default": 1}},
        request=_post(service, '{"text": {{text}}, "copies": {{copies}}}'),
    )


def remark(service: ExampleService, tool_id: str) -> Definition:
    """Give one whose risk a test may change; each test has its own."""
    return _tool(
        id=tool_id,
        title="Make a remark",
        description="Leaves a remark at the example service.",
        parameters={"text": _TEXT},
        request=_post(service, '{"text": {{text}}}'),
    )


def peek(service: ExampleService) -> Definition:
    """Give one that only reads, with a secret that the service sends back."""
    request = {
        "method": "GET",
        "urlTemplate": f"{service.url}/echo?q={{{{text}}}}",
        "headers": [{"name": "X-Api-Key", "secretRef": "key"}],
    }
    tool = _tool(
        id="peek",
        title="Look at a note",
        description="Gives back what it is sent, with all headers.",
        parameters={"text": _TEXT},
        request=request,
    )
    return tool | {"secretRefs": {"key": "custom-tool:peek:key"}}


def hostile(service: ExampleService) -> Definition:
    """Give one whose every text is an attack on the page."""
    return _tool(
        id="hostile",
        title=f"Bad {SCRIPT}",
        description=f"Also bad: {SCRIPT}",
        parameters={"text": {"type": "string", "description": SCRIPT}},
        request=_post(service, '{"text": {{text}}}'),
    )


def _post(service: ExampleService, template: str) -> dict[str, Any]:
    return {
        "method": "POST",
        "urlTemplate": f"{service.url}/echo",
        "body": {"mode": "json", "jsonTemplate": template},
    }


def _tool(
    *, parameters: dict[str, Any], request: dict[str, Any], **words: str
) -> Definition:
    schema = {"type": "object", "properties": parameters, "required": ["text"]}
    spec = {"request": request, "response": {"format": "json"}}
    return {**words, "type": "http", "inputSchema": schema, "spec": spec}


# ------------------------------------------------------------------ in the notebook
def asking(text: str, *, tool: str = "note", options: str = "") -> str:
    """Give a cell that tries a tool with a text."""
    return f"%%spark_test {tool} {options}\ntext: {json.dumps(text)}\n"


def asked(notebook: NotebookPage, index: int) -> "Locator":
    """Give the open cards in a cell's output."""
    return notebook.output(index).get_by_role("alertdialog")


def button(place: "Locator", name: str) -> "Locator":
    """Give a button by its whole name."""
    return place.get_by_role("button", name=name, exact=True)


def notes(service: ExampleService) -> list[Any]:
    """Give the bodies of the POST requests that the service received, in order."""
    return [json.loads(r.body) for r in service.requests if r.method == "POST"]
