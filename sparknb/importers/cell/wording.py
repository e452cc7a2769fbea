"""What the rules of definitions say, in the words of a short form."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sparknb.core.problems import Problem
from sparknb.importers.cell.forms import closest, meant
from sparknb.importers.cell.json_body import place_of
from sparknb.importers.cell.short_form import Expanded

__all__ = ["quoted", "retold", "says_anew", "with_meant"]

_KNOWN = "known keys: "
_TEMPLATE = "spec.request.body.jsonTemplate"
_FIXES: Mapping[str, str] = {
    "must be a string, not a number": "put it in quotes",
    "must be a string, not a boolean": "put it in quotes",
    "must be an object, not a string": "such as {type: string}",
}
_HINTS: Sequence[tuple[str, str]] = (
    (
        "declare a name under secretRefs and give it as secretRef",
        "write secret:NAME as its value",
    ),
    ("with secretRef", "with secret:NAME as its value"),
    ("from secretRef", "from secret:NAME"),
    ("under inputSchema.properties", "under params"),
)


def says_anew(problem: Problem, silent: Collection[str]) -> bool:
    """Whether a problem of the definition says more than others do already.

    Args:
        problem: Its path is one of the definition.
        silent: Paths that the expansion filled in.
    """
    path = problem.path
    if problem.code == "SENSITIVE_NAME" and path.endswith(".valueTemplate"):
        # that it has to be a secret is told as well; a form field has no short form
        return not path.startswith("spec.request.headers.")
    while path and path not in silent:
        path = path.rpartition(".")[0]
    return not path


def retold(problem: Problem, made: Expanded) -> Problem:
    """Give a problem of the definition as one of the short form it was made of."""
    known, rest = problem.path, ""
    while known and known not in made.places:
        known, _, last = known.rpartition(".")
        rest = f".{last}{rest}"
    path, word = made.places.get(known, ("", ""))
    message, spoken = problem.message, _spoken(problem.path)
    if word and not rest and message.startswith(f"{spoken} "):
        message = word + message.removeprefix(spoken)
    body = made.root.get("body") if problem.path == _TEMPLATE else None
    rest = rest if body is None else place_of(problem, body.node)
    where = f"{path}{rest}" if path else problem.path
    return replace(problem, path=where, message=message, hint=_hint(problem.hint))


def _spoken(path: str) -> str:
    """Give how messages of the rules name a place."""
    keys = path.rsplit(".", 2)
    return ".".join(keys[-2:]) if keys[-1].isdigit() else keys[-1]


def _hint(hint: str | None) -> str | None:
    for theirs, ours in _HINTS:
        hint = hint and hint.replace(theirs, ours)
    return hint


def with_meant(problems: Sequence[Problem]) -> list[Problem]:
    """Give the problems, those of unknown keys with the key that was probably meant.

    That the meant key is missing is not told as well.
    """
    told: list[Problem] = []
    misspelled: set[str] = set()
    for problem in problems:
        hint = problem.hint or ""
        if problem.code == "FIELD_UNKNOWN" and hint.startswith(_KNOWN):
            parent, dot, key = problem.path.rpartition(".")
            known = hint.removeprefix(_KNOWN).split(", ")
            misspelled.add(f"{parent}{dot}{closest(key, known)}")
            told.append(replace(problem, hint=meant(key, known) + hint))
        else:
            told.append(problem)
    return [p for p in told if p.code != "FIELD_MISSING" or p.path not in misspelled]


def quoted(problem: Problem) -> Problem:
    """Give the problem of a word that YAML takes for something else with what to do."""
    if problem.hint is not None or problem.code != "FIELD_TYPE":
        return problem
    ends = (end for end in _FIXES if problem.message.endswith(end))
    return replace(problem, hint=_FIXES.get(next(ends, "")))
