"""Programs that call tools, in their real sandboxes: examples 20 and 21, and traces."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import SparknbError
from tests.host.coding import LANGUAGES, CodingSession
from tests.hosting import Answering, Definition, http_tool

EITHER = pytest.mark.parametrize("language", LANGUAGES)

# One call of a tool; what comes of it is the result, also a failure.
CALLING = {
    "python": """async def run():
    try:
        return await call_tool("{tool}", {given})
    except RuntimeError as error:
        return "caught " + str(error)
""",
    "typescript": """export default async (input, sdk) => {{
  try {{
    return await sdk.tools.call("{tool}", {given});
  }} catch (error) {{
    return `caught ${{error.code}}: ${{error.message}}`;
  }}
}};
""",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodingSession]:
    session = CodingSession(tmp_path_factory.mktemp("composing") / "home")
    yield session
    session.close()


def calling(language: str, tool: str, given: str = "{}") -> str:
    return CALLING[language].format(tool=tool, given=given)


@pytest.fixture
def lookup(house: CodingSession, httpserver: HTTPServer) -> str:
    """Publish an http tool that looks items up, once; give its id."""
    tool = http_tool(httpserver.url_for("/items") + "?q={{q}}", tool_id="lookup")
    saved = house.run(house.host.studio.draft(tool))
    if not saved.unchanged:
        house.run(house.host.studio.publish("lookup"))
    return "lookup"


@pytest.fixture
def crowd() -> Iterator[HTTPServer]:
    """Give a server that answers many at the same time."""
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        yield server


def newest(house: CodingSession, count: int) -> list[tuple[str, str, str, str | None]]:
    """Give (tool, source, status, error code) of the last traces, oldest first."""
    found = house.run(house.host.traces.list(limit=count))
    return [(r.tool_id, r.source, r.status, r.error_code) for r in reversed(found)]


def refused(house: CodingSession, definition: Definition) -> SparknbError:
    house.run(house.host.studio.draft(definition))
    with pytest.raises(SparknbError) as caught:
        house.run(house.host.studio.publish(definition["id"]))
    return caught.value


# ------------------------------------------------------------------ example 20
@EITHER
def test_20_circles_risks_and_depths_are_refused_at_publish(
    house: CodingSession, language: str
) -> None:
    source = {"python": "def run(): return 1", "typescript": "export default () => 1;"}
    tool_a = house.define(language, source[language])
    house.publish(tool_a)
    tool_b = house.new(language, source[language], named=(tool_a["id"],))
    tool_a["spec"]["permissions"] = {"toolIds": [tool_b]}
    (problem,) = refused(house, tool_a).problems
    assert problem.code == "DEPENDENCY_CYCLE"
    assert f"{tool_a['id']} -> {tool_b} -> {tool_a['id']}" in problem.message

    writes: dict[str, Any] = {
        "risk": "low-write",
        "effect": "update",
        "idempotency": "unsafe",
    }
    writer = house.new(language, source[language], **writes)
    low = house.define(language, source[language], named=(writer,))
    assert [p.code for p in refused(house, low).problems] == ["DEPENDENCY_RISK"]

    below: tuple[str, ...] = ()
    for _ in range(8):
        above = house.define(language, source[language], named=below)
        below = (house.by_hand(above),)
    ninth = house.define(language, source[language], named=below)
    assert [p.code for p in refused(house, ninth).problems] == ["DEPENDENCY_DEPTH"]


# ------------------------------------------------------------------ example 21
@EITHER
def test_21_a_tool_that_is_not_named_is_refused_and_nothing_is_sent(
    house: CodingSession, language: str, lookup: str, httpserver: HTTPServer
) -> None:
    source = calling(language, lookup, '{"q": "x"}')
    result = house.outcome(language, source)
    assert result.ok
    assert result.text.startswith("caught DENIED: ")
    assert lookup in result.text
    assert httpserver.log == []


@EITHER
def test_21_a_circle_made_by_hand_ends_with_its_chain(
    house: CodingSession, language: str
) -> None:
    first = house.define(language, "export default () => 1;")
    second = house.define(language, calling(language, first["id"]))
    second["spec"]["permissions"] = {"toolIds": [first["id"]]}
    first["spec"]["runtime"]["source"] = calling(language, second["id"])
    first["spec"]["permissions"] = {"toolIds": [second["id"]]}
    house.by_hand(first)
    house.by_hand(second)
    result = house.call(first["id"], {})
    chain = f"{first['id']} -> {second['id']} -> {first['id']}"
    assert result.text.startswith("caught DENIED: ")
    assert chain in result.text
    assert newest(house, 3) == [
        (first["id"], "nested", "denied", "DENIED"),
        (second["id"], "nested", "ok", None),
        (first["id"], "direct", "ok", None),
    ]


# --------------------------------------------------------------- what they get
@EITHER
def test_a_program_gets_json_as_a_value_and_all_else_as_text(
    house: CodingSession, language: str, lookup: str, httpserver: HTTPServer
) -> None:
    source = calling(language, lookup, '{"q": "a b&c"}')
    tool_id = house.new(language, source, named=(lookup,))
    for body, got in (('{"n": [1, 2.5, null]}', {"n": [1, 2.5, None]}), ("ü {", "ü {")):
        asked = httpserver.expect_ordered_request("/items", query_string={"q": "a b&c"})
        asked.respond_with_data(body)
        result = house.call(tool_id, {})
        assert (result.data if isinstance(got, dict) else result.text) == got
    assert newest(house, 2) == [
        (lookup, "nested", "ok", None),
        (tool_id, "direct", "ok", None),
    ]


@EITHER
def test_many_tools_are_called_at_once(
    house: CodingSession, language: str, crowd: HTTPServer
) -> None:
    together = threading.Barrier(8, timeout=20)

    def answer(request: Request) -> Response:
        together.wait()  # only a call that does not wait for the others gets here
        return Response(request.args["q"])

    crowd.expect_request("/items").respond_with_handler(answer)
    lookup = f"crowd_{language}"
    house.publish(http_tool(crowd.url_for("/items") + "?q={{q}}", tool_id=lookup))
    source = {
        "python": f"""import asyncio

async def run():
    asked = [call_tool("{lookup}", {{"q": f"n{{n}}"}}) for n in range(8)]
    return await asyncio.gather(*asked)
""",
        "typescript": f"""export default async (input, sdk) =>
  await Promise.all([...Array(8).keys()].map(
    (n) => sdk.tools.call("{lookup}", {{q: `n${{n}}`}})));
""",
    }[language]
    result = house.outcome(language, source, named=(lookup,))
    assert result.data == [f"n{n}" for n in range(8)]


@EITHER
def test_a_failure_has_the_code_and_the_words_of_the_tool(
    house: CodingSession, language: str, lookup: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("gone fishing", status=404)
    tool_id = house.new(
        language, calling(language, lookup, '{"q": "x"}'), named=(lookup,)
    )
    result = house.call(tool_id, {})
    assert result.text.startswith("caught HTTP_ERROR: ")
    assert "gone fishing" in result.text
    wrong = house.outcome(
        language, calling(language, lookup, '{"z": 1}'), named=(lookup,)
    )
    assert wrong.text.startswith("caught INVALID_INPUT: ")


@EITHER
def test_a_failure_that_is_not_caught_ends_the_program_with_its_words(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": 'async def run():\n    return await call_tool("nobody", {})\n',
        "typescript": "export default async (input, sdk) =>\n"
        '  await sdk.tools.call("nobody", {});\n',
    }[language]
    result = house.outcome(language, source)
    assert result.error_code == "EXECUTION_FAILED"
    assert "may not call nobody" in result.text
    setting = {"python": "# tools: ID", "typescript": "tools: ID"}[language]
    assert result.hint == (
        f"name it in its cell, as in {setting}, or in spec.permissions.toolIds"
    )


@EITHER
def test_a_failure_has_the_hint_of_the_refused_call_that_ended_it_and_no_other(
    house: CodingSession, language: str, lookup: str
) -> None:
    asked = {
        "python": f'await call_tool("{lookup}", {{"z": 1}})',
        "typescript": f'await sdk.tools.call("{lookup}", {{ z: 1 }})',
    }[language]
    passed_on, *others = {
        "python": (
            f"async def run(): return {asked}",
            f"async def run():\n  try: {asked}\n  except RuntimeError: return 1 / 0",
            (
                f"async def run():\n  try: {asked}\n"
                "  except RuntimeError as error: print(error)\n  return 1 / 0"
            ),
            (
                f"async def run():\n  try: {asked}\n"
                "  except RuntimeError as e: raise ValueError(f'lost: {e}') from None"
            ),
        ),
        "typescript": (
            f"export default async (input, sdk) => {asked};",
            f"export default async (_, sdk) => {asked}.catch(() => gone);",
            (
                f"export default async (_, sdk) => {asked}.catch((e) => {{\n"
                "  console.log(`${e.code}: ${e.message}`); gone; });"
            ),
            (
                f"export default async (_, sdk) => {asked}.catch((e) => {{\n"
                "  throw new Error(`lost: ${e.code}: ${e.message}`); });"
            ),
        ),
    }[language]
    told = house.run(house.host.call(lookup, {"z": 1}))
    assert told.hint
    assert house.outcome(language, passed_on, named=(lookup,)).hint == told.hint
    for other in others:
        failed = house.outcome(language, other, named=(lookup,))
        assert (failed.error_code, failed.hint) == ("EXECUTION_FAILED", None)


def test_programs_of_both_languages_call_each_other(
    house: CodingSession, lookup: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_json({"from": "the server"})
    inner = house.new(
        "python", calling("python", lookup, '{"q": "x"}'), named=(lookup,)
    )
    middle = house.new("typescript", calling("typescript", inner), named=(inner,))
    outer = house.new("python", calling("python", middle), named=(middle,))
    assert house.call(outer, {}).data == {"from": "the server"}
    assert [row[:2] for row in newest(house, 4)] == [
        (lookup, "nested"),
        (inner, "nested"),
        (middle, "nested"),
        (outer, "direct"),
    ]


def test_one_call_leads_to_at_most_256_others(house: CodingSession) -> None:
    leaf = house.new("python", "def run(): return 1")
    source = f"""async def run():
    done = 0
    while True:
        try:
            done += await call_tool("{leaf}", {{}})
        except RuntimeError as error:
            return [done, str(error)[:6]]
"""
    result = house.outcome("python", source, named=(leaf,), timeoutMs=120_000)
    assert result.data == [256, "DENIED"]


# -------------------------------------------------------------- time, approval
@pytest.fixture
def held(httpserver: HTTPServer) -> Iterator[None]:
    """Let the server keep every request until the test is over."""
    over = threading.Event()

    def answer(_: Request) -> Response:
        over.wait(30)
        return Response("late")

    httpserver.expect_request("/items").respond_with_handler(answer)
    yield
    over.set()


@EITHER
def test_a_nested_call_has_a_time_limit_of_its_own(
    house: CodingSession, language: str, httpserver: HTTPServer, held: None
) -> None:
    del held
    url = httpserver.url_for("/items") + "?q={{q}}"
    slow = http_tool(url, tool_id=f"slow_{language}")
    house.publish(slow | {"timeoutMs": 1000})
    source = calling(language, slow["id"], '{"q": "x"}')
    result = house.outcome(language, source, named=(slow["id"],))
    assert result.text == "caught TIMEOUT: no result within 1000 ms"


@EITHER
def test_the_time_limit_of_the_program_ends_what_it_called(
    house: CodingSession, language: str, lookup: str, held: None
) -> None:
    del held
    source = calling(language, lookup, '{"q": "x"}')
    tool_id = house.new(language, source, named=(lookup,), timeoutMs=1000)
    assert house.call(tool_id, {}).error_code == "TIMEOUT"
    assert newest(house, 2) == [
        (lookup, "nested", "cancelled", "CANCELLED"),
        (tool_id, "direct", "timeout", "TIMEOUT"),
    ]


@EITHER
def test_the_answer_to_the_program_covers_what_it_calls(
    house: CodingSession, language: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items", method="POST").respond_with_data("done")
    url = httpserver.url_for("/items") + "?q={{q}}"
    order = http_tool(url, tool_id=f"order_{language}", method="POST")
    house.publish(order)
    source = calling(language, order["id"], '{"q": "x"}')
    tool_id = house.new(
        language,
        source,
        named=(order["id"],),
        risk="low-write",
        effect="create",
        idempotency="unsafe",
    )
    unasked = house.call(tool_id, {})
    assert unasked.error_code == "APPROVAL_UNAVAILABLE"
    assert posted(httpserver) == 0
    approver = Answering()
    assert house.call(tool_id, {}, approver=approver).text == "done"
    (asked,) = approver.asked
    assert list(asked.preview.dependencies) == [order["id"]]
    assert posted(httpserver) == 1


def posted(server: HTTPServer) -> int:
    """Give how many orders came; a request that was held before may be logged late."""
    return sum(request.method == "POST" for request, _ in server.log)
