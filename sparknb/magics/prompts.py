"""Questions asked by text prompts, on the thread that waits for the answer."""

from collections.abc import Callable, Sequence
from typing import Any

from sparknb.commands.context import Question
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
    """Show a call and give the answer; edited arguments are shown again."""
    shown = to_text(approval_view(request))
    known = read_arguments(request.arguments)
    arguments: dict[str, Any] | None = None
    while True:
        answer = read(f"{shown}\n{_CHOICES}").strip().lower()
        if answer in ("a", "approve", "y", "yes"):
            return Decision(outcome="allow", arguments=arguments)
        if answer not in ("e", "edit"):
            return Decision(outcome="reject", reason="you rejected the call")
        arguments, shown = _edit(read, known, arguments)


def _edit(
    read: Read, known: Sequence[Argument], before: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, str]:
    """Go through the arguments; give them as they are now, and what to say."""
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
    if values is None:
        return None, "The arguments stand as they were given."
    now = {a.name: a for a in read_arguments(values)}
    lines = [f"{printable(name)} = {a.shown}" for name, a in now.items()]
    return values, "\n".join(["The arguments are now:", *(lines or ["none"])])
