"""secret set, status, delete: values for the headers that need them."""

from sparknb.commands.context import Context
from sparknb.commands.inputs import ID
from sparknb.commands.outcomes import step_view
from sparknb.commands.table import Argument, Command, Outcome, Values
from sparknb.commands.views import Line, Span, Stack, View
from sparknb.commands.words import (
    forgotten,
    next_steps,
    secret_step,
    secret_table,
)
from sparknb.core.errors import (
    UsageError,
)
from sparknb.core.secret_scan import contains_secret

__all__ = ["COMMANDS"]

_GROUP = "Secrets"
_NAME = Argument(
    name="name", completion="secret", help="The secret's name in the definition."
)


def _name(values: Values) -> str:
    """Give the name, unless a value was pasted in its place."""
    name = str(values["name"])
    if contains_secret(name):
        raise UsageError(
            "NAME looks like a secret value, not like a name",
            path="NAME",
            hint="give the name of the definition's secretRefs; the value is asked for",
        )
    return name


async def _set(context: Context, values: Values) -> Outcome:
    tool_id, name = values["id"], _name(values)
    host = await context.host()
    # before a person types a value in vain
    await host.secrets.require_settable(tool_id, name)
    notices = await host.secrets.set(
        tool_id,
        name,
        # in no variable: a traceback may show them
        await context.door.read_secret(f"Value of {name} for {tool_id}"),
    )
    keychain = host.keychain
    notices = [*notices, *forgotten(keychain)]
    document = {
        "id": tool_id,
        "name": name,
        "stored": True,
        "keychain": keychain.kind,
        "notices": [n.to_wire() for n in notices],
    }
    said = (
        Span(name, "strong"),
        Span(f" of {tool_id} is stored in {keychain.label}"),
    )
    return Outcome(document, step_view(Line(said, "done"), notices))


async def _status(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]
    host = await context.host()
    status = await host.secrets.status(tool_id)
    keychain = host.keychain
    document = {"id": tool_id, "secretStatus": status, "keychain": keychain.kind}
    parts: list[View] = [secret_table(status)]
    if status:
        parts.append(Line((Span(f"keychain: {keychain.label}", "quiet"),)))
    missing = [name for name, is_set in status.items() if not is_set]
    if missing:
        steps = [secret_step(keychain, tool_id, name) for name in missing]
        parts.append(next_steps(steps))
    return Outcome(document, Stack(parts))


async def _delete(context: Context, values: Values) -> Outcome:
    tool_id, name = values["id"], _name(values)
    host = await context.host()
    deleted = await host.secrets.delete(tool_id, name)
    said = "is deleted" if deleted else "had no value"
    line = Line((Span(name, "strong"), Span(f" of {tool_id} {said}")), "done")
    return Outcome({"id": tool_id, "name": name, "deleted": deleted}, line)


COMMANDS = (
    Command(
        path=("secret", "set"),
        summary="Store a secret's value in the keychain.",
        details=(
            "The value comes from a hidden prompt, or from standard input; it is never"
            " a word of the command, where the shell's history would keep it."
        ),
        group=_GROUP,
        arguments=(ID, _NAME),
        examples=(
            "sparknb secret set weather api_key",
            "pass show weather | sparknb secret set weather api_key",
        ),
        run=_set,
    ),
    Command(
        path=("secret", "status"),
        summary="Show which secrets of a tool have a value.",
        group=_GROUP,
        arguments=(ID,),
        run=_status,
    ),
    Command(
        path=("secret", "delete"),
        summary="Remove a secret's value from the keychain.",
        group=_GROUP,
        arguments=(ID, _NAME),
        run=_delete,
    ),
)
