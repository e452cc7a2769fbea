"""TypeScript tools that call other tools (ST-58)."""

import asyncio
from typing import Any

import pytest

from sparknb.core.errors import NotFoundError
from sparknb.core.protocols import RunOutcome
from tests.runtimes.deno.programs import Others, Sandbox, children


async def _echo(arguments: Any) -> Any:
    return {"given": arguments}


async def _missing(_: Any) -> Any:
    raise NotFoundError("no tool has the id b")


async def _forever(_: Any) -> Any:
    await asyncio.Event().wait()


async def _odd(_: Any) -> Any:
    return float("inf")


def _program(body: str) -> str:
    return f"export default async (input, sdk) => {{ {body} }}"


def test_a_program_gets_the_value_of_what_it_calls(typescript: Sandbox) -> None:
    others = Others({"a": _echo})
    source = _program("return await sdk.tools.call('a', { x: [1, null, 'é'] })")
    outcome = typescript.result(source, tools=others)
    assert outcome.data == {"given": {"x": [1, None, "é"]}}
    assert others.asked == [("a", {"x": [1, None, "é"]})]


def test_a_refusal_can_be_caught_with_its_code(typescript: Sandbox) -> None:
    source = _program(
        "try { await sdk.tools.call('b', {}) } catch (e) {"
        " return [e instanceof Error, e.code, e.message] }"
    )
    outcome = typescript.result(source, tools=Others({"b": _missing}))
    assert outcome.data == [True, "NOT_FOUND", "no tool has the id b"]


def test_a_refusal_that_is_not_caught_ends_the_program(typescript: Sandbox) -> None:
    message = typescript.failure(_program("return await sdk.tools.call('b', {})"))
    assert "ToolError: DENIED: tool may not call b" in message


@pytest.mark.parametrize(
    "call",
    ["", "'a'", "'a', null", "'a', [1]", "null, {}", "{}, {}", "Symbol(), {}",
     "'a', () => 1", "'a', { x: 1n }", "'a', circle", "'a', bad"],
)  # fmt: skip
def test_what_is_no_call_is_refused_and_the_program_goes_on(
    typescript: Sandbox, call: str
) -> None:
    source = _program(
        "const circle = {}; circle.a = circle;"
        "const bad = new Proxy({}, { ownKeys() { throw new Error('no') } });"
        f"try {{ await sdk.tools.call({call}) }} catch {{ return 'refused' }}"
    )
    assert typescript.result(source).text == "refused"


def test_calls_at_once_get_each_its_own_answer(typescript: Sandbox) -> None:
    async def late(arguments: Any) -> Any:
        await asyncio.sleep(0.02 if arguments["n"] % 2 else 0)
        return arguments["n"]

    source = _program(
        "return await Promise.all(Array.from({ length: 100 },"
        " (_, n) => sdk.tools.call('late', { n })))"
    )
    outcome = typescript.result(source, tools=Others({"late": late}))
    assert outcome.data == list(range(100))


def test_a_large_input_and_a_large_answer_arrive_whole(typescript: Sandbox) -> None:
    source = _program(
        "const a = await sdk.tools.call('a', { x: 'é'.repeat(500_000) });"
        "return a.given.x.length"
    )
    assert typescript.result(source, tools=Others({"a": _echo})).data == 500_000


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (2**53 - 1, "number"),
        (-(2**53) + 1, "number"),
        (2**53, "bigint"),
        (-(2**53), "bigint"),
        (2**64 + 1, "bigint"),
        (1e300, "number"),
        (-12345678901234567.0, "number"),
        (0.1234567890123456, "number"),
        ("9007199254740993", "string"),
    ],
)
def test_whole_numbers_of_an_answer_are_exact_in_any_size(
    typescript: Sandbox, answer: Any, kinds: str
) -> None:
    async def found(_: Any) -> Any:
        return {"a": [answer, {"b": answer}], "__proto__": answer}

    source = _program(
        "const { a: [first, { b }], ['__proto__']: own } ="
        " await sdk.tools.call('found', {});"
        "return [first, b, own].map((each) => `${typeof each} ${each}`).join()"
    )
    text = typescript.result(source, tools=Others({"found": found})).text
    one, *others = text.split(",")
    assert others == [one, one]
    kind, _, value = one.partition(" ")
    assert kind == kinds
    assert type(answer)(value) == answer


def test_a_number_too_large_for_a_number_is_never_rounded_in_silence(
    typescript: Sandbox,
) -> None:
    async def found(arguments: Any) -> Any:
        return arguments.get("n", 2**53 + 1)

    source = _program(
        "const tried = async (step) => { try { return await step() }"
        " catch (error) { return error.name } };"
        "const n = await sdk.tools.call('found', {});"
        "return [await tried(() => n + 1), await tried(() => n * 2n),"
        " await tried(() => sdk.tools.call('found', { n })),"
        " await tried(() => sdk.tools.call('found', { n: `${n}` }))].map(String)"
    )
    outcome = typescript.result(source, tools=Others({"found": found}))
    assert outcome.data == [
        "TypeError", "18014398509481986", "TypeError", "9007199254740993"
    ]  # fmt: skip
    source = _program("return { n: await sdk.tools.call('found', {}) }")
    message = typescript.failure(source, tools=Others({"found": found}))
    assert 'a BigInt at result["n"]' in message


def test_a_deep_answer_with_a_large_number_arrives_whole(typescript: Sandbox) -> None:
    async def deep(_: Any) -> Any:
        value: Any = 2**53 + 1
        for _ in range(700):
            value = [value]
        return value

    source = _program(
        "const answer = await sdk.tools.call('deep', {});"
        "return `${answer.flat(Infinity)[0]}`"
    )
    text = typescript.result(source, tools=Others({"deep": deep})).text
    assert text == "9007199254740993"


def test_a_value_that_is_no_json_is_refused(typescript: Sandbox) -> None:
    source = _program("return await sdk.tools.call('odd', {})")
    message = typescript.failure(source, tools=Others({"odd": _odd}))
    assert "EXECUTION_FAILED: the result cannot be given to code" in message


def test_calls_that_nobody_waits_for_end_with_the_program(typescript: Sandbox) -> None:
    source = _program("sdk.tools.call('slow', {}); return 'done'")
    outcome = typescript.result(source, tools=Others({"slow": _forever}))
    assert outcome.text == "done"
    assert len(children()) <= 1  # the parser


def test_a_fault_of_ours_is_not_hidden_from_the_host(typescript: Sandbox) -> None:
    async def broken(_: Any) -> Any:
        raise ZeroDivisionError

    source = _program("try { await sdk.tools.call('x', {}) } catch {} for (;;);")
    with pytest.raises(ZeroDivisionError):
        typescript.result(source, tools=Others({"x": broken}))


def test_programs_that_wait_for_programs_do_not_lock_each_other_out(
    typescript: Sandbox,
) -> None:
    async def inner(_: Any) -> Any:
        return (await typescript.run("export default () => 'inner'")).text

    async def many() -> list[RunOutcome]:
        source = _program("return await sdk.tools.call('inner', {})")
        others = Others({"inner": inner})
        return await asyncio.gather(
            *(typescript.run(source, tools=others) for _ in range(10))
        )

    assert [outcome.text for outcome in typescript.do(many())] == ["inner"] * 10
