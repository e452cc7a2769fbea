"""Questions asked by text prompts, on the thread that waits for the answer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparknb.commands.context import Question
from sparknb.commands.running import failed
from sparknb.core.errors import SparknbError
from sparknb.core.protocols import ApprovalRequest, Decision
from sparknb.displays import approval_view, printable, question_view, to_text
from sparknb.widgets.arguments import Argument, changed, read_arguments

__all__ = ["confirm", "decide"]

Read = Callable[[str], str]
"""Shows a prompt, gives the line that was typed."""

_CHOICES = "[a]pprove, [e]dit arguments or [R]eject: "


def confirm(read: Read, question: Question) -> bool:
    """Show what would be done and give the answer; anything but yes is no."""
    said = read(f"{to_text(question_view(question))}\n[y]es or [N]o: ")
    return said.strip().lower() in ("y", "yes")


def decide(read: Read, request: ApprovalRequest) -> Decision:
    """Show a call and give the answer; after an edit the call is shown anew."""
    shown = to_text(approval_view(request))
    known = read_arguments(request.arguments)
    arguments: dict[str, Any] | None = None
    while True:
        answer = read(f"{shown}\n{_CHOICES}").strip().lower()
        if answer in ("a", "approve", "y", "yes"):
            return Decision(outcome="allow", arguments=arguments)
        if answer not in ("e", "edit"):
            return Decision(outcome="reject", reason="you rejected the call")
        arguments, said = _edit(read, known, arguments)
        shown = _drawn(request, arguments or {}) if said is None else said


def _drawn(request: ApprovalRequest, arguments: Mapping[str, Any]) -> str:
    """Give the call as it would be with these arguments, or why it cannot be."""
    if request.with_arguments is None:
        now = {a.name: a for a in read_arguments(arguments)}
        lines = [f"{printable(name)} = {a.shown}" for name, a in now.items()]
        return "\n".join(["The arguments are now:", *(lines or ["none"])])
    try:
        return to_text(approval_view(request.with_arguments(arguments)))
    except SparknbError as error:
        return to_text(failed(error).view)


def _edit(
    read: Read, known: Sequence[Argument], before: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, str | None]:
    """Go through the arguments; give them as they are now, and what else to say."""
    editable = [argument for argument in known if argument.kind != "fixed"]
    if not editable:
        return before, "There are no arguments to edit."
    edits: dict[str, str] = {}
    left_out: list[str] = []
    for argument in editable:
        typed = read(
            f"{printable(argument.name)}, now {argument.shown}"
            " (Enter keeps it, - leaves it out): "
        ).rstrip("\r\n")
        if typed == "-":
            left_out.append(argument.name)
        elif typed:
            edits[argument.name] = typed
    values, wrong = changed(known, edits, left_out)
    if wrong:
        said = [f"{printable(name)}: {text}" for name, text in wrong.items()]
        return before, "\n".join([*said, "The arguments stay as they were."])
    return values, "The arguments stand as they were given." if values is None else None
