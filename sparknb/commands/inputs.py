"""Options and readings that several commands share."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from sparknb.commands.context import READ_LIMIT, Context
from sparknb.commands.table import Argument, Option, Values
from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.core.problems import Problem, under
from sparknb.core.protocols import Approver

__all__ = [
    "CALL_YES",
    "FILE",
    "ID",
    "INPUT",
    "VAR",
    "YES",
    "approver",
    "parse_arguments",
    "program_flaw",
    "read_arguments",
    "read_body",
    "text_flaw",
    "variables",
    "version_option",
]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_LANGUAGES = {
    ".py": "python",
    ".ts": "typescript",
    ".mts": "typescript",
    ".js": "typescript",
    ".mjs": "typescript",
}

_EXAMPLE = '\'{"city": "Oslo"}\''

FILE = Argument(
    name="file",
    kind="path",
    shown="FILE|-",
    help="A definition as JSON; - reads standard input.",
)
ID = Argument(name="id", completion="tool", help="The tool's id.")
INPUT = Option(
    name="--input",
    kind="json",
    metavar="JSON",
    help="The arguments as a JSON object; - reads standard input. Left out: {}.",
)
YES = Option(name="--yes", kind="flag", help="Do it without asking.")
VAR = Option(
    name="--var",
    metavar="NAME",
    repeats=True,
    help="Let ${NAME} in the cell stand for this Python variable.",
)
CALL_YES = Option(
    name="--yes", kind="flag", help="Approve this call, whatever the tool's risk."
)


def version_option(meaning: str) -> Option:
    """Give the option that names one version of the tool."""
    return Option(
        name="--version",
        kind="integer",
        metavar="N",
        minimum=1,
        completion="version",
        help=meaning,
    )


async def read_arguments(context: Context, values: Values) -> Any:
    """Give the arguments of a call.

    Raises:
        InvalidInputError: The text is not JSON.
        UsageError: Standard input is wanted twice.
    """
    text = values["input"]
    if text is None:
        return {}
    if text == "-":
        if values.get("target") == "-":
            raise UsageError("standard input can be read once: --input - or FILE -")
        text = await context.door.read_input(READ_LIMIT + 1)
    return parse_arguments(text, INPUT)


def parse_arguments(text: str | bytes, option: Option) -> Any:
    """Give the arguments that a JSON text holds; `option` is where it was given.

    Raises:
        InvalidInputError: The text is not JSON.
    """
    from sparknb.core.json_text import parse_json

    parsed, problems = parse_json(text)
    if problems:
        found = under("input", problems)
        first = found[0]
        example = f"write it in single quotes, such as {option.name} {_EXAMPLE}"
        hint = f"{first.hint}; {example}" if first.hint else example
        raise InvalidInputError(
            f"{option.name} is not usable JSON: {first.message}",
            path=first.path,
            hint=hint,
            problems=[replace(first, hint=hint), *found[1:]],
        )
    return parsed


def program_flaw(name: str, data: bytes) -> Problem | None:
    """Give what to do with a file that holds a program where a definition goes."""
    language = _LANGUAGES.get(PurePath(name).suffix.lower())
    if language is None or data.lstrip().startswith(b"{"):
        return None
    return Problem(
        code="FIELD_VALUE",
        message="the file holds a program, where a definition as JSON is wanted",
        hint=f"in a notebook, `%%spark_tool ID --type {language}` takes the program"
        f" below it; elsewhere it is spec.runtime.source of a definition, as"
        f" `sparknb new {language}` prints one",
    )


def text_flaw(name: str, data: bytes) -> Problem | None:
    """Give why a file cannot hold a definition: it is empty, too large or no text."""
    from sparknb.core.json_text import MAX_BYTES

    subject = "standard input" if name == "-" else name
    if len(data) > MAX_BYTES:
        said = f"{subject} is larger than {MAX_BYTES:,} bytes"
        hint = "no definition is as large as that: give another file"
    elif not data.strip():
        said = f"{subject} is empty"
        hint = "write a definition as JSON; `sparknb new http` prints one"
    else:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            said = f"{subject} is not UTF-8 at byte {error.start}"
        else:
            return None
        hint = "save it as UTF-8"
        if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            hint += ", or give another file: a definition is text"
    return Problem(code="FIELD_VALUE", message=said, path="FILE", hint=hint)


def approver(context: Context, values: Values) -> Approver | None:
    """Give whom to ask about a call: nobody any more, once `--yes` was said."""
    from sparknb.host.approval import FlagApprover

    return FlagApprover() if values["yes"] else context.door.approver


async def read_body(context: Context) -> str:
    """Give what stands below the line of a cell magic."""
    data = await context.door.read_input(READ_LIMIT + 1)
    return data.decode("utf-8", "surrogatepass")


def variables(context: Context, values: Values) -> Mapping[str, str]:
    """Give the texts of the Python variables that were passed by name.

    Raises:
        UsageError: A word after `--var` is no name, or there is no notebook.
        NotFoundError: There is no such variable.
        InvalidInputError: It has no text.
    """
    names: list[str] = values["var"] or []
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                "--var takes the name of a Python variable",
                path="--var",
                hint="--var city lets ${city} stand for the variable city",
            )
    return {name: context.door.variable(name) for name in names}
