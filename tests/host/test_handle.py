"""The blocking handle: in scripts, inside a running loop, and when interrupted."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import sparknb
from sparknb.core.errors import InvalidInputError, ToolCallError
from sparknb.host import Spark
from sparknb.host.loop_thread import LoopThread
from tests.hosting import Definition, http_tool


@pytest.fixture
def spark(tmp_path: Path) -> Iterator[Spark]:
    with sparknb.open_spark(tmp_path / "home", keychain="memory") as handle:
        yield handle


def test_a_tool_is_called_like_a_function(
    spark: Spark, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_json({"n": 1})
    get_tool["spec"]["response"]["format"] = "json"
    spark.studio.draft(get_tool)
    spark.studio.publish("items")
    assert list(spark.tools) == ["custom_items"]
    tool = spark.tools["custom_items"]
    assert tool(q="x").unwrap() == {"n": 1}
    assert "custom_items(q)" in repr(tool)
    with pytest.raises(ToolCallError) as failed:
        tool(z=1).unwrap()
    assert failed.value.code == "INVALID_INPUT"
    assert {p.path for p in failed.value.problems} == {"input.q", "input.z"}


def test_a_tool_is_found_by_its_id_as_well(spark: Spark, get_tool: Definition) -> None:
    spark.studio.draft(get_tool)
    spark.studio.publish("items")
    assert spark.tools["items"].name == "custom_items"
    assert "items" in spark.tools
    assert "custom_items" in spark.tools
    assert (len(spark.tools), list(spark.tools)) == (1, ["custom_items"])


@pytest.mark.parametrize("prefix", ["", "custom_"])
def test_a_tool_that_is_not_there_says_what_to_do(
    spark: Spark, get_tool: Definition, prefix: str
) -> None:
    def said(name: str) -> str:
        with pytest.raises(KeyError) as missed:
            spark.tools[name]
        assert type(missed.value) is KeyError
        assert spark.tools.get(name) is None
        assert name not in spark.tools
        return str(missed.value.args[0])

    spark.studio.draft(get_tool)
    assert said(f"{prefix}items") == "items is only a draft: publish it first"
    spark.studio.publish("items")
    unknown = said(f"{prefix}itmes")
    assert unknown == f"no tool is named {prefix}itmes: did you mean {prefix}items?"
    spark.studio.set_enabled("items", False)
    assert said(f"{prefix}items") == "items is disabled: enable it first"
    assert said(f"{prefix}itmes").endswith(": list the tools again")
    for hostile in ("", "\x1b[31m", "\ud800", "x" * 10_000):
        assert said(prefix + hostile).isascii()
        assert len(said(prefix + hostile)) < 200
    number: object = 5
    assert number not in spark.tools


def test_the_blocking_verbs_are_the_async_ones_with_their_documentation(
    spark: Spark,
) -> None:
    assert {"draft", "publish", "rollback", "delete"} <= set(dir(spark.studio))
    assert "next step" not in repr(spark.studio)
    assert "pending draft" in str(spark.studio.publish.__doc__)
    with pytest.raises(AttributeError, match="no verb 'fly'"):
        _ = spark.studio.fly
    with pytest.raises(InvalidInputError):
        spark.studio.draft({})


def test_it_works_while_the_callers_own_loop_runs(
    spark: Spark, get_tool: Definition
) -> None:
    async def inside_a_kernel() -> int:
        spark.studio.draft(get_tool)
        return int(spark.studio.list().total)

    assert asyncio.run(inside_a_kernel()) == 1


def test_traces_come_as_a_data_frame(
    spark: Spark, get_tool: Definition, httpserver: HTTPServer
) -> None:
    assert list(spark.traces().columns)[:2] == ["tool_id", "tool_version"]
    httpserver.expect_request("/items").respond_with_data("found")
    spark.studio.draft(get_tool)
    spark.studio.publish("items")
    spark.tools["custom_items"](q="x")
    frame = spark.traces(tool="items")
    assert frame["status"].tolist() == ["ok"]


def test_a_closed_handle_says_so_and_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    handle = sparknb.open_spark(tmp_path / "home", keychain="memory")
    handle.close()
    handle.close()
    with pytest.raises(RuntimeError, match="closed"):
        handle.surface()
    assert threading.active_count() == before


def test_closing_cancels_a_call_of_another_thread_and_traces_it(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    arrived, done = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        arrived.set()
        done.wait(20)
        return Response("late")

    httpserver.expect_request("/items").respond_with_handler(answer)
    ended: list[BaseException] = []

    def call(spark: Spark) -> None:
        try:
            spark.call("items", {"q": "x"})
        except CancelledError as error:
            ended.append(error)

    home = tmp_path / "closing"
    with sparknb.open_spark(home, keychain="memory") as spark:
        spark.studio.draft(http_tool(httpserver.url_for("/items?q={{q}}")))
        spark.studio.publish("items")
        caller = threading.Thread(target=call, args=(spark,))
        caller.start()
        assert arrived.wait(20)
    done.set()
    caller.join(20)
    assert len(ended) == 1
    with sparknb.open_spark(home, keychain="memory") as spark:
        assert list(spark.traces().status) == ["cancelled"]


def test_a_blocking_call_from_the_loop_itself_is_refused() -> None:
    loop = LoopThread()

    async def nested() -> None:
        loop.run(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="its own loop"):
        loop.run(nested())
    loop.close()


SCRIPT = """
import sys
import sparknb
with sparknb.open_spark(sys.argv[1], keychain="memory") as spark:
    try:
        spark.call("items", {"q": "x"})
    except KeyboardInterrupt:
        rows = spark.traces()
        print("interrupted", rows["status"].tolist())
"""


def test_an_interrupt_ends_the_call_at_once_and_traces_it(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    arrived, gate = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        arrived.set()
        gate.wait(20)
        return Response("late")

    httpserver.expect_request("/slow").respond_with_handler(answer)
    with sparknb.open_spark(tmp_path / "home", keychain="memory") as spark:
        tool = http_tool(httpserver.url_for("/slow?q={{q}}"))
        spark.studio.draft({**tool, "timeoutMs": 60_000})
        spark.studio.publish("items")
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "home")],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert arrived.wait(30)
        os.kill(child.pid, signal.SIGINT)
        out, _ = child.communicate(timeout=20)
    finally:
        gate.set()
        child.kill()
    assert out.strip() == "interrupted ['cancelled']"
