import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.commands.views import Line
from sparknb.core.results import ResultMeta, ToolResult
from sparknb.displays import MIME_TYPE, Shown, to_html, to_text, to_wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_the_form_says_its_version_and_its_kind() -> None:
    assert to_wire({"a": [1, "b"]}, kind="result") == {
        "version": 1,
        "kind": "result",
        "document": {"a": [1, "b"]},
    }


def test_what_differs_from_run_to_run_is_no_part_of_it() -> None:
    def result(number: int) -> dict[str, Any]:
        meta = ResultMeta(duration_ms=number, bytes=3)
        return ToolResult(
            ok=True, text="abc", meta=meta, trace_id=f"id-{number}"
        ).to_wire()

    assert to_wire(result(1)) == to_wire(result(2))
    document = to_wire(result(1))["document"]
    assert document == {
        "ok": True,
        "text": "abc",
        "meta": {"bytes": 3, "truncated": False},
    }


def test_a_trace_is_shown_without_its_id_and_time() -> None:
    trace = {
        "id": "7",
        "toolId": "weather",
        "inputSha256": "ab",
        "durationMs": 3,
        "createdAt": "2026-11-30T00:00:00.000Z",
    }
    document = to_wire({"traces": [trace]})["document"]
    assert document == {"traces": [{"toolId": "weather", "inputSha256": "ab"}]}


def test_what_people_wrote_keeps_all_its_keys() -> None:
    written = {"id": "a", "createdAt": {"type": "string"}, "durationMs": 1}
    for key in ("definition", "draft", "published", "normalized", "data", "cases"):
        assert to_wire({key: written})["document"] == {key: written}


@given(JSON)
def test_any_document_can_be_written_as_utf_8(document: Any) -> None:
    text = json.dumps(to_wire(document), ensure_ascii=False, allow_nan=False)
    assert text.encode()


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1: 2}, object, "\ud800"]
)
def test_what_json_lacks_is_told_as_text(value: Any) -> None:
    json.dumps(to_wire([value]), ensure_ascii=False, allow_nan=False).encode()


def test_a_cell_gets_text_html_and_json() -> None:
    shown = Shown(Line("done", "done"), {"ok": True}, kind="step")
    assert shown._repr_mimebundle_() == {
        "text/plain": to_text(shown.view),
        "text/html": to_html(shown.view),
        MIME_TYPE: {"version": 1, "kind": "step", "document": {"ok": True}},
    }
    assert str(shown) == repr(shown) == "✓ done"


def test_json_that_jupyterlab_would_draw_itself_is_not_offered() -> None:
    assert "application/json" not in Shown(Line("x"), {})._repr_mimebundle_()


def test_a_front_end_may_choose_its_forms() -> None:
    shown = Shown(Line("x"))
    assert list(shown._repr_mimebundle_(include={"text/html"})) == ["text/html"]
    left = shown._repr_mimebundle_(exclude={"text/html", MIME_TYPE})
    assert list(left) == ["text/plain"]
