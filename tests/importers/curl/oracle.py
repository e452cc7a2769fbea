"""The real curl and the imported tool, both towards one recorder, compared."""

import itertools
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import parse_qsl, unquote_to_bytes

import pytest

from sparknb.core.protocols import StoredSecret
from sparknb.importers.curl import Preview, read_curl
from tests.hosting import Session
from tests.importers.curl.recorder import Arrived, Recorder

__all__ = ["Outcome", "differences", "run_all"]

_NUMBERS = itertools.count()  # no id twice: nothing has to be deleted between tests
_LONGEST = 20.0  # seconds that one command may take
_ORIGIN = "@@"  # stands for the recorder in a command
# curl and sparknb each set their own, or leave them out.
_FRAMING = {"host", "content-length", "connection", "accept-encoding", "expect"}
_CURLS_OWN = {"user-agent": b"curl/", "accept": b"*/*"}
_OURS = {"user-agent": b"sparknb/", "accept": b"*/*"}


@dataclass(frozen=True)
class Outcome:
    """What one command came to."""

    command: str
    preview: Preview
    curl: Arrived | None
    tool: Arrived | None

    @property
    def notices(self) -> str:
        return "\n".join(n.message for n in self.preview.notices)

    @property
    def codes(self) -> list[str]:
        return [p.code for p in self.preview.problems]


class Bash:
    """One bash for many commands, without start-up files; it waits for each."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(_LONGEST)
        self._process.stdout.close()

    def run(self, text: str) -> None:
        """Run a command to its end."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        watch = threading.Timer(_LONGEST, self._process.kill)
        watch.start()
        try:
            stdin.write(f"{{ {text}\n}} </dev/null >/dev/null 2>&1; echo done\n")
            stdin.flush()
            assert stdout.readline() == "done\n", text
        finally:
            watch.cancel()


def run_all(
    commands: Sequence[str],
    session: Session,
    recorder: Recorder,
    *,
    parameters: Literal["none", "auto"] = "none",
) -> list[Outcome]:
    """Let the real curl send each command, then the tool that is imported from it."""
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"the machine has no {program}")
    texts = [command.replace(_ORIGIN, recorder.origin) for command in commands]
    with Bash() as bash:
        sent = [_by_curl(text, bash, recorder) for text in texts]
    previews = [
        read_curl(  # noqa: S604  # the name of a shell's rules; nothing is run
            text,
            tool_id=f"case_{next(_NUMBERS)}",
            shell="posix",
            parameters=parameters,
        )
        for text in texts
    ]
    _accept(previews, session)
    return [
        Outcome(text, preview, by_curl, _by_tool(preview, session, recorder))
        for text, preview, by_curl in zip(texts, previews, sent, strict=True)
    ]


def _accept(previews: Sequence[Preview], session: Session) -> None:
    definitions = [p.definition for p in previews if p.definition is not None]
    secrets = {
        p.definition["id"]: {n: StoredSecret(v) for n, v in p.secrets.items()}
        for p in previews
        if p.definition
    }
    session.run(session.host.imports.accept(definitions, secrets=secrets))


def _by_curl(text: str, bash: Bash, recorder: Recorder) -> Arrived | None:
    """Give what curl sends; None when that is nothing, or not one request."""
    bash.run(text)
    arrived = recorder.take()
    return arrived[0] if len(arrived) == 1 else None


def _by_tool(preview: Preview, session: Session, recorder: Recorder) -> Arrived | None:
    if preview.definition is None:
        return None
    test = session.host.studio.test(preview.definition["id"], {})
    result, arrived = session.run(test), recorder.take()
    assert result.ok, (preview, result.text)
    assert len(arrived) == 1
    return arrived[0]


# ---------------------------------------------------------------------- comparison
def differences(outcome: Outcome) -> Iterator[str]:
    """Yield what differs without a notice that says so."""
    curl, tool = outcome.curl, outcome.tool
    assert curl is not None
    assert tool is not None
    told = outcome.notices
    if curl.method != tool.method and not (
        "methods are in capitals" in told and curl.method.upper() == tool.method
    ):
        yield f"method {tool.method}, not {curl.method}"
    if not _same_target(curl.target, tool.target, told):
        yield f"target {tool.target!r}, not {curl.target!r}"
    yield from _header_differences(curl, tool, told)
    if not _same_body(curl, tool, told):
        yield f"body {tool.body!r}, not {curl.body!r}"


def _same_target(want: bytes, got: bytes, told: str) -> bool:
    if want == got:
        return True
    if "of the query are encoded again" in told:
        (path, _, query), (our_path, _, our_query) = (
            target.partition(b"?") for target in (want, got)
        )
        same_path = unquote_to_bytes(path) == unquote_to_bytes(our_path)
        return same_path and _query(query) == _query(our_query)
    is_told = "percent-encoded" in told
    return is_told and unquote_to_bytes(want) == unquote_to_bytes(got)


def _query(text: bytes) -> list[tuple[str, str]]:
    return parse_qsl(text.decode(), keep_blank_values=True)


def _header_differences(curl: Arrived, tool: Arrived, told: str) -> Iterator[str]:
    want, got = _headers(curl, _CURLS_OWN), _headers(tool, _OURS)
    for name in want.keys() | got.keys():
        a, b = want.get(name), got.get(name)
        if a != b and not _is_told(name, a or b"", b or b"", told):
            yield f"header {name}: {b!r}, not {a!r}"


def _is_told(name: str, want: bytes, got: bytes, told: str) -> bool:
    """Tell whether a notice says what became of a header."""

    def says(words: str) -> bool:
        return f"header {name} {words}".lower() in told.lower()

    if says("is left out") or says("cannot be taken away"):
        return not got
    if says("is sent as latin-1"):
        return want.decode() == got.decode("latin-1")
    if says("is given twice"):
        return _values(want.replace(b";", b",")) == _values(got.replace(b";", b","))
    if says("is written with its braces apart"):
        return _tokens(want) == _tokens(got)
    return name == "content-type" and f"Content-Type {got.decode()}" in told


def _values(field: bytes) -> set[bytes]:
    return {value.strip() for value in field.split(b",")}


def _headers(request: Arrived, own: dict[str, bytes]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name, value in request.headers:
        if name in _FRAMING or value.startswith(own.get(name, b"\0")):
            continue
        found[name] = found[name] + b", " + value if name in found else value
    return found


def _same_body(curl: Arrived, tool: Arrived, told: str) -> bool:
    a, b = curl.body, tool.body
    if a == b:
        return True
    if "compact form" in told or "escaped again" in told:
        return _tokens(a) == _tokens(b)
    if "form is encoded again" in told:
        return _pairs(a) == _pairs(b)
    if "percent-encoded" in told:
        return unquote_to_bytes(a) == unquote_to_bytes(b)
    return "braces of the body are sent apart" in told and _tokens(a) == _tokens(b)


def _tokens(body: bytes) -> list[str]:
    """The tokens of JSON; numbers as written, strings by what they mean."""
    found = re.findall(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', body.decode())
    return [f"text {json.loads(t)}" if t[0] == '"' else t for t in found]


def _pairs(body: bytes) -> list[tuple[str, str]]:
    return parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True)
