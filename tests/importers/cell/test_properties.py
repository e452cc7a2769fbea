"""What holds for every text and for every definition."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from sparknb.core.validation import validate
from sparknb.importers.cell import read_cell, read_values
from tests.importers.cell.told import WEATHER

PIECES = st.sampled_from([
    "{{x}}", "{{", "}}", "${a}", "$${a}", "title", "params", "request", "body", "a?",
    ": ", ":\n", "- ", "\n", "\n  ", "\t", "{", "}", "[", "]", ", ", "# ", "---\n",
    "|\n", ">-\n", "&a ", "*a", "!!str ", "!", "'", '"', "\\", "\\u", "%", "@", "? ",
    "1e3", ".inf", "0x", "\0", "\ud800", "\u2028", "\ufeff", "\r", "é", "9" * 4500,
])  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join)


def check_lines(text: str) -> None:
    """Read a cell: no crash, and every problem has a line of it, in order."""
    cell = read_cell(text, {"a": "b"}, tool_id="weather")
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    last = 2 + text.count("\n") + text.count("\r")
    assert all(1 <= lines[p.path] <= last for p in found)
    places = [lines[p.path] for p in found]
    assert places == sorted(places)
    assert all(p.path or p.hint for p in found)
    assert bool(cell.problems) or cell.document is not None


@given(TEXTS)
@example('title: "\\ud800"')
@example('a: "\\x')
@example("? ? ?\n: :\n- -")
@example("&a \n{{x}}{{x}}")
@example("{{x}}: {{y}}: [{{z}}]")
def test_any_text_is_read_without_a_crash(text: str) -> None:
    check_lines(text)
    read = read_values(text, {"a": "b"})
    read.lines([p.path for p in read.problems])


@given(st.data())
def test_a_cell_with_a_piece_changed_is_read_without_a_crash(
    data: st.DataObject,
) -> None:
    at = data.draw(st.integers(0, len(WEATHER)))
    end = data.draw(st.integers(at, min(len(WEATHER), at + 30)))
    check_lines(WEATHER[:at] + data.draw(TEXTS) + WEATHER[end:])


# ------------------------------------------------------ the short form is the long
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
WORDS = st.text(
    st.characters(
        codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="{}$"
    ),
    min_size=1,
    max_size=20,
)
LEAVES = st.none() | st.booleans() | st.integers() | WORDS
BODIES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def short_forms(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a short form with the definition that it stands for."""
    names = draw(st.dictionaries(NAMES, st.booleans(), max_size=4))
    kinds = {n: {"type": draw(st.sampled_from(["string", "integer"]))} for n in names}
    url = "http://127.0.0.1/" + "".join(f"&{n}={{{{{n}}}}}" for n in names)
    url = url.replace("&", "?", 1)
    method = draw(st.sampled_from(["POST", "PUT", "PATCH"]))
    title, description = draw(WORDS), f"For tests: {draw(WORDS)}"
    labels = draw(st.lists(WORDS, max_size=2, unique=True))
    short: dict[str, Any] = {
        "title": title,
        "description": description,
        "params": {
            n + "?" * (not is_required): kinds[n] for n, is_required in names.items()
        },
        "request": f"{method} {url}",
        "headers": {"X-Api-Key": "secret:k", "Accept": "*/*"},
        "response": {"format": "text", "extract": dict.fromkeys(labels, "$.a")},
        "timeoutMs": draw(st.integers(1000, 300_000)),
    }
    required = [n for n, is_required in names.items() if is_required]
    schema: dict[str, Any] = {"type": "object", "properties": kinds}
    request = {
        "method": method,
        "urlTemplate": url,
        "headers": [
            {"name": "X-Api-Key", "secretRef": "k"},
            {"name": "Accept", "valueTemplate": "*/*"},
        ],
    }
    extract = [{"label": label, "jsonPath": "$.a"} for label in labels]
    long: dict[str, Any] = {
        "id": "weather",
        "title": title,
        "description": description,
        "type": "http",
        "inputSchema": schema | ({"required": required} if required else {}),
        "timeoutMs": short["timeoutMs"],
        "secretRefs": {"k": "custom-tool:weather:k"},
        "spec": {
            "request": request,
            "response": {"format": "text", "extract": extract},
        },
    }
    return short, long


@given(short_forms())
def test_the_short_form_gives_the_same_definition_as_the_long(
    forms: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    short, long = forms
    for spelled in (json.dumps(short), json.dumps(short, indent=1, ensure_ascii=False)):
        cell = read_cell(spelled, tool_id="weather")
        assert cell.problems == ()
        made, wanted = validate(cell.document), validate(long)
        assert made.normalized == wanted.normalized
        assert made.definition is not None
        assert wanted.definition is not None
        assert made.definition.digest == wanted.definition.digest


@given(st.lists(BODIES, max_size=3) | st.dictionaries(WORDS, BODIES, max_size=3))
def test_a_body_is_sent_as_it_is_written(body: Any) -> None:
    short = {"title": "T", "description": "For the tests.", "request": "POST http://a/"}
    cell = read_cell(json.dumps(short | {"body": body}), tool_id="weather")
    assert [str(p) for p in cell.check() if p.level == "error"] == []
    assert cell.document is not None
    template = cell.document["spec"]["request"]["body"]["jsonTemplate"]
    assert json.loads(template) == body
    assert "{{" not in template
    assert "}}" not in template
