"""provider add, list, key, test, remove: services that answer questions to a model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sparknb.commands.context import Context
from sparknb.commands.outcomes import step_view
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table, View
from sparknb.commands.words import count, forgotten, next_steps
from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.core.problems import Problem
from sparknb.core.providers import ProviderProfile, key_reference, make_profile

if TYPE_CHECKING:
    from sparknb.host.provider_trials import ProviderReport
    from sparknb.host.providers import ProviderState

__all__ = ["COMMANDS"]

_GROUP = "Providers"
_MOST_SHOWN = 20
_PLACES = {
    "id": "ID",
    "name": "--name",
    "baseUrl": "--base-url",
    "model": "--model",
}
_ID = Argument(name="id", completion="provider", help="The provider's id.")
_HAS_KEY: dict[bool | None, Cell] = {
    True: Span("set", "good"),
    False: Span("missing", "bad"),
    None: Span("unknown: the keychain does not answer", "warning"),
}


# ------------------------------------------------------------------------- add
async def _add(context: Context, values: Values) -> Outcome:
    profile = _profile(values)
    host = await context.host()
    # before a person types a key in vain
    await host.providers.require_addable(profile)
    takes_key = host.providers.takes_key(profile)
    notices = await host.providers.add(
        profile,
        # in no variable: a traceback may show them
        await context.door.read_secret(_asked(profile)) if takes_key else None,
    )
    keychain = host.keychain
    if takes_key:
        notices = [*notices, *forgotten(keychain)]
    document = {
        "provider": profile.to_wire(),
        "keyStored": takes_key,
        "notices": [n.to_wire() for n in notices],
    }
    said = Span(f" is added{f', its key is in {keychain.label}' if takes_key else ''}")
    steps = [(f"sparknb provider test {profile.id}", "lists its models, asks one")]
    state = None if takes_key else await host.providers.state(profile)
    if profile.needs_key and state is not None and not state.has_key:
        variable = keychain.variable(key_reference(profile.id))
        steps.insert(0, (f"set the variable {variable}", "its key is read from it"))
    line = Line((Span(profile.id, "strong"), said), "done")
    return Outcome(document, step_view(line, notices, next_steps(steps)))


def _profile(values: Values) -> ProviderProfile:
    """Give the profile that was typed; problems are told at the words for it."""
    if values["base_url"] is None:
        raise UsageError(
            "where the service is has to be said",
            path="--base-url",
            hint="such as --base-url https://api.example.com/v1",
        )
    try:
        return make_profile(
            values["id"],
            base_url=values["base_url"],
            name=values["name"],
            model=values["model"],
            needs_key=not values["no_key"],
        )
    except InvalidInputError as error:
        placed = [replace(p, path=_PLACES[p.path]) for p in error.problems]
        path, hint = _PLACES[error.path], error.hint
    raise InvalidInputError(placed[0].message, path=path, hint=hint, problems=placed)


def _asked(profile: ProviderProfile) -> str:
    return f"Key of {profile.id}"


# ------------------------------------------------------------------------ list
async def _list(context: Context, values: Values) -> Outcome:
    del values
    host = await context.host_if_there()
    states = [] if host is None else await host.providers.list()
    rows = [{**s.profile.to_wire(), "hasKey": s.has_key} for s in states]
    return Outcome({"providers": rows}, _table(states))


def _table(states: "Sequence[ProviderState]") -> Table:
    return Table(
        title="Providers",
        columns=(
            Column("ID"),
            Column("NAME", yields=True),
            Column("BASE URL", wraps=True),
            Column("MODEL", wraps=True),
            Column("KEY"),
        ),
        rows=[_row(state) for state in states],
        empty="There are no providers yet. Add one: sparknb provider add ID"
        " --base-url URL",
    )


def _row(state: "ProviderState") -> Sequence[Cell]:
    profile = state.profile
    key = _HAS_KEY[state.has_key] if profile.needs_key else Span("not needed", "quiet")
    model: Cell = profile.model or Span("-", "quiet")
    return (Span(profile.id, "strong"), profile.name, profile.base_url, model, key)


# ------------------------------------------------------------------------- key
async def _key(context: Context, values: Values) -> Outcome:
    host = await context.host()
    profile = await host.providers.require_key_settable(values["id"])
    notices = await host.providers.set_key(
        profile.id,
        # in no variable: a traceback may show them
        await context.door.read_secret(_asked(profile)),
    )
    notices = [*notices, *forgotten(host.keychain)]
    document = {
        "id": profile.id,
        "stored": True,
        "keychain": host.keychain.kind,
        "notices": [n.to_wire() for n in notices],
    }
    said = (Span("the key of "), Span(profile.id, "strong"))
    where = Span(f" is stored in {host.keychain.label}")
    return Outcome(document, step_view(Line((*said, where), "done"), notices))


# ------------------------------------------------------------------------ test
async def _test(context: Context, values: Values) -> Outcome:
    host = await context.host()
    report = await host.providers.test(values["id"])
    document = {
        "provider": report.profile.to_wire(),
        "models": None if report.models is None else [*report.models],
        "reply": report.reply,
    }
    return Outcome(document, Stack(_report(report)))


def _report(report: "ProviderReport") -> list[View]:
    profile, models = report.profile, report.models
    name = Span(profile.id, "strong")
    parts: list[View] = []
    if report.reply is not None:
        said = Span(f" answers with {profile.model}: {report.reply[:200]}")
        parts.append(Line((name, said), "done"))
    if models is None:
        said = Span(f" does not list its models: {report.unlisted}")
        parts.append(Line((name, said), "notice"))
    else:
        parts.append(_models(profile, models))
    if not report.is_model_listed:
        parts.append(Line(f"{profile.model} is none of those listed", "warning"))
    if profile.model is None:
        parts.append(Line("no model is set, so none was asked", "notice"))
    return parts


def _models(profile: ProviderProfile, models: Sequence[str]) -> View:
    shown: list[Sequence[Cell]] = [(model,) for model in models[:_MOST_SHOWN]]
    more = len(models) - len(shown)
    if more:
        shown.append((Span(f"… and {count(more, 'model')} more", "quiet"),))
    return Table(
        title=f"Models of {profile.id}",
        columns=(Column("MODEL", wraps=True),),
        rows=shown,
        empty=f"{profile.id} lists no models.",
    )


# ---------------------------------------------------------------------- remove
async def _remove(context: Context, values: Values) -> Outcome:
    host = await context.host()
    profile = host.providers.get(values["id"])
    tools = await host.providers.remove(profile.id)
    notices = [_in_use(tools)] if tools else []
    document = {
        "id": profile.id,
        "removed": True,
        "notices": [n.to_wire() for n in notices],
    }
    line = Line((Span(profile.id, "strong"), Span(" is removed")), "done")
    return Outcome(document, step_view(line, notices))


def _in_use(tools: Sequence[str]) -> Problem:
    return Problem(
        code="TOOL_IN_USE",
        message=f"these tools name it and cannot be called now: {', '.join(tools)}",
        path="ID",
        level="warning",
    )


COMMANDS = (
    Command(
        path=("provider", "add"),
        summary="Add a service that answers questions to a model.",
        details=(
            "Vision tools name it by its id. Any service with an OpenAI-compatible API"
            " will do, also one on this machine. Its key comes from a hidden prompt, or"
            " from standard input, and goes to the keychain."
        ),
        group=_GROUP,
        arguments=(Argument(name="id", help="What tools name it by."),),
        options=(
            Option(
                name="--base-url",
                metavar="URL",
                help="Its address, as far as /chat/completions.",
            ),
            Option(
                name="--model",
                metavar="M",
                help="The model to ask where a tool names none.",
            ),
            Option(name="--name", metavar="TEXT", help="What people call it."),
            Option(name="--no-key", kind="flag", help="It wants no key."),
        ),
        examples=(
            "sparknb provider add local --base-url http://127.0.0.1:11434/v1 --no-key",
            "pass show key | sparknb provider add eyes --base-url https://eyes.test/v1",
        ),
        run=_add,
    ),
    Command(
        path=("provider", "list"),
        summary="List the providers, and whether their keys are set.",
        group=_GROUP,
        run=_list,
    ),
    Command(
        path=("provider", "key"),
        summary="Store a provider's key, in place of the one before.",
        details="It comes from a hidden prompt, or from standard input.",
        group=_GROUP,
        arguments=(_ID,),
        run=_key,
    ),
    Command(
        path=("provider", "test"),
        summary="List a provider's models, and ask its model for one word.",
        details=(
            "Asks only what is listed where the provider has no model. The one word may"
            " cost a few tokens."
        ),
        group=_GROUP,
        arguments=(_ID,),
        run=_test,
    ),
    Command(
        path=("provider", "remove"),
        summary="Remove a provider and its key.",
        details="Tools that name it stay, and cannot be called until it is back.",
        group=_GROUP,
        arguments=(_ID,),
        run=_remove,
    ),
)
