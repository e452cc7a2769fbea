"""What a TypeScript tool gives, fails with and prints (ST-41 to ST-43)."""

from typing import Any

import pytest

from sparknb.core.errors import ExecutionFailedError, InvalidInputError
from tests.runtimes.deno.programs import Sandbox, sandbox, tool


@pytest.mark.parametrize(
    ("body", "text", "data"),
    [
        ("'as it is'", "as it is", None),
        ("''", "", None),
        ("'\\u00e9\\ud83d\\ude00\\n'", "é😀\n", None),
        ("undefined", "null", None),
        ("null", "null", None),
        ("0", "0", 0),
        ("false", "false", False),
        ("0 / 0", "null", None),
        ("[]", "[]", []),
        ("[1, undefined, 'é']", '[\n  1,\n  null,\n  "é"\n]', [1, None, "é"]),
        ("({ a: { b: [] }, c: undefined })", '{\n  "a": {\n    "b": []\n  }\n}',
         {"a": {"b": []}}),
        ("new Date(0)", '"1970-01-01T00:00:00.000Z"', "1970-01-01T00:00:00.000Z"),
        ("new (class A { x = 1 })()", '{\n  "x": 1\n}', {"x": 1}),
        ("Promise.resolve(7)", "7", 7),
        ("({ toJSON: () => 'other' })", '"other"', "other"),
    ],
)  # fmt: skip
def test_a_text_is_given_as_it_is_and_all_else_as_json(
    typescript: Sandbox, body: str, text: str, data: Any
) -> None:
    outcome = typescript.result(f"export default () => {body}")
    assert outcome.text == text
    assert outcome.data == data
    assert outcome.bytes == len(text.encode())


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("10n", "a BigInt"),
        ("({ a: { 'b.c': [0, 10n] } })", 'a BigInt at result["a"]["b.c"][1]'),
        ("[[{ a: [[1]], b: 1 }], { '\\n': 1n }]", 'a BigInt at result[1]["\\n"]'),
        ("new Set([1])", "a Set"),
        ("[new Map()]", "a Map at result[0]"),
        ("new Uint8Array(2)", "bytes"),
        ("({ a: new ArrayBuffer(1) })", "bytes"),
        ("(() => 1)", "a function"),
        ("Symbol('x')", "a symbol"),
        ("({ a: Promise.resolve(1) })", 'a Promise at result["a"]'),
        ("(function* () {})()", "a generator"),
        ("Array(200).fill(0).reduce((inner) => [inner], 1)", "128 levels"),
    ],
)
def test_what_is_no_json_fails_and_names_the_type(
    typescript: Sandbox, body: str, kind: str
) -> None:
    message = typescript.failure(f"export default () => ({body})")
    assert message.startswith("the result cannot be written as JSON: ")
    assert kind in message


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("a.b = a", 'an object that holds itself) at result["b"]'),
        ("a.b = [1, { c: a }]", 'an object that holds itself) at result["b"][1]["c"]'),
        ("a.b = []; a.b.push(a.b)", 'an array that holds itself) at result["b"][0]'),
        ("a.b = { toJSON: () => ({ c: a }) }", 'itself) at result["b"]["c"]'),
    ],
)
def test_a_circle_fails_and_its_place_is_named(
    typescript: Sandbox, body: str, what: str
) -> None:
    source = f"export default () => {{ const a: any = {{}}; {body}; return a }}"
    message = typescript.failure(source)
    assert message.startswith("the result cannot be written as JSON: a cycle (")
    assert message.endswith(what)


def test_what_stands_in_two_places_is_no_circle(typescript: Sandbox) -> None:
    source = (
        "export default () => { const a = { x: [1] }; const b = { a };"
        " return [b, a, [[[b, a]]], b] }"
    )
    a, b = {"x": [1]}, {"a": {"x": [1]}}
    assert typescript.result(source).data == [b, a, [[[b, a]]], b]


def test_a_place_is_told_on_one_line_of_bounded_length(typescript: Sandbox) -> None:
    source = (
        "export default () => { let a: any = 1n; for (let n = 0; n < 100; n++)"
        " a = { ['\\u2028é'.repeat(500)]: a }; return a }"
    )
    message = typescript.failure(source)
    assert message.startswith("the result cannot be written as JSON: a BigInt at")
    assert len(message) < 1500
    assert message.isprintable()


@pytest.mark.parametrize("body", ["'é'.repeat(513)", "['é'.repeat(600)]"])
def test_a_result_that_is_too_large_fails_and_is_never_cut(
    typescript: Sandbox, body: str
) -> None:
    message = typescript.failure(f"export default () => {body}", max_output_bytes=1024)
    assert "maxOutputBytes allows 1,024" in message


def test_a_result_of_exactly_the_limit_is_given(typescript: Sandbox) -> None:
    source = "export default () => 'é'.repeat(512)"
    assert typescript.result(source, max_output_bytes=1024).bytes == 1024


def test_the_input_arrives_as_it_was_given(typescript: Sandbox) -> None:
    given = {
        "text": 'é😀\u2028\\ "\n',
        "whole": 2**53 - 1,
        "least": -(2**53) + 1,
        "part": 0.1,
        "round": 5.0,
        "yes": True,
        "list": ["</script>", "__proto__"],
        "__proto__": "own",
    }
    source = (
        "export default (input) => [Object.keys(input), Object.values(input),"
        " input.round === 5, Object.getPrototypeOf(input) === Object.prototype]"
    )
    names, values, is_five, is_plain = typescript.result(source, given).data
    assert dict(zip(names, values, strict=True)) == given
    assert is_five
    assert is_plain


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**400])
@pytest.mark.parametrize("shape", ["alone", "listed"])
def test_an_integer_that_would_be_rounded_is_refused(
    typescript: Sandbox, number: int, shape: str
) -> None:
    given = {"n": number} if shape == "alone" else {"n": [1, number]}
    with pytest.raises(InvalidInputError) as caught:
        typescript.runtime.prepare(tool("export default () => 1", given), given)
    path = "input.n" if shape == "alone" else "input.n.1"
    assert [problem.path for problem in caught.value.problems] == [path]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "export default () => {\n  throw new TypeError('bad é')\n}",
            "the program failed: TypeError: bad é (line 2, column 9)",
        ),
        (
            (
                "interface A {\n  a: 1\n}\nconst f = (a: A) => a.b.c;\n"
                "export default () => f({ a: 1 })"
            ),
            "(line 4, column 25)",
        ),
        ("export default async () => { throw 'text' }", 'failed: "text"'),
        ("export default () => { throw null }", "the program failed: null"),
        ("export default () => { throw { code: 1 } }", "failed: { code: 1 }"),
        (
            "export default () => { throw { a: 'x'.repeat(60), b: 'y'.repeat(60) } }",
            f'failed: {{ a: "{"x" * 60}", b: "{"y" * 60}" }}',
        ),
        ("throw new Error('early'); export default () => 1", "Error: early (line 1"),
        ("export default () => missing", "ReferenceError: missing is not defined"),
        ("const f = () => f() + 1; export default f", "Maximum call stack size"),
        (
            (
                "export default async () => { Promise.reject(new Error('alone'));"
                " await new Promise((done) => setTimeout(done, 5000)) }"
            ),
            "Error: alone (line 1",
        ),
        (
            (
                "export default async () => {"
                " setTimeout(() => { throw Error('late') }, 1);"
                " await new Promise((done) => setTimeout(done, 5000)) }"
            ),
            "Error: late (line 1",
        ),
        (
            (
                "export default () => { throw new Proxy({}, { get() { throw 1 },"
                " getPrototypeOf() { throw 2 } }) }"
            ),
            "an error that cannot be read",
        ),
        (
            "export default () => { throw new Error('x'.repeat(100_000)) }",
            "xxx… (line 1, column 30)",
        ),
        (
            "\n\nexport default () => { throw new Error('\\n    at f (tool.ts:9:9)') }",
            r"Error: \n    at f (tool.ts:9:9) (line 3, column 30)",
        ),
        (
            (
                "export default () => { const e = new Error('x');"
                " e.stack = '\\n    at tool.ts:' + '9'.repeat(900) + ':1'; throw e }"
            ),
            "the program failed: Error: x",
        ),
        ("let f: any = 1; export default f;", "the default export is not a function"),
    ],
)
def test_a_program_that_fails_says_why_and_where(
    typescript: Sandbox, source: str, message: str
) -> None:
    said = typescript.failure(source)
    assert message in said
    assert len(said) < 2500
    assert "blob:" not in said
    assert "file:" not in said


def test_what_a_program_prints_is_kept_beside_the_result(typescript: Sandbox) -> None:
    source = (
        "console.log('a', 1, { b: [2] });\n"
        "export default () => { console.error('é'); console.info(); return 'text' }"
    )
    outcome = typescript.result(source)
    assert outcome.text == "text"
    assert outcome.printed == "a 1 { b: [ 2 ] }\né\n\n"


def test_what_a_program_printed_is_told_when_it_fails(typescript: Sandbox) -> None:
    source = "export default () => { console.log('step 1'); throw new Error('bad') }"
    message = typescript.failure(source)
    assert message.endswith("(line 1, column 53)\nprinted:\nstep 1\n")


@pytest.mark.parametrize(
    "thrown",
    [
        "new Error('bad\\nprinted:\\nforged')",
        "new Error('bad\\u2028printed:\\rforged\\x1b[2A')",
        "Object.assign(new Error('bad'), { name: 'a\\nprinted:\\nforged' })",
        "{ 'bad\\n': 'printed:\\nforged' }",
        "Symbol('bad\\nprinted:\\nforged')",
        "Object.assign(new Error('bad'), { toString: () => 'a\\nprinted:\\nforged' })",
    ],
)
def test_a_program_cannot_pass_its_reason_for_lines_of_ours(
    typescript: Sandbox, thrown: str
) -> None:
    source = f"export default () => {{ console.log('true'); throw {thrown} }}"
    reason, *below = typescript.failure(source).split("\n")
    assert reason.startswith("the program failed: ")
    assert reason.isprintable()
    assert below == ["printed:", "true", ""]


def test_at_most_64_kib_are_kept_of_what_is_printed(typescript: Sandbox) -> None:
    source = (
        "export default () => { for (let n = 0; n < 2000; n++)"
        " console.log('é'.repeat(1000)); return 'done' }"
    )
    outcome = typescript.result(source)
    assert outcome.text == "done"
    assert 60_000 < len(outcome.printed.encode()) <= 65_536


def test_timers_run_in_order_and_can_be_stopped(typescript: Sandbox) -> None:
    source = """\
export default async () => {
  const seen: string[] = [];
  clearTimeout(setTimeout(() => seen.push("never"), 1));
  setTimeout((a, b) => seen.push(a + b), 5, "la", "ter");
  await new Promise<void>((done) => {
    const id = setInterval(() => {
      if (seen.push("tick") === 3) { clearInterval(id); done(); }
    }, 10);
  });
  clearTimeout(undefined); clearInterval({} as any);
  return seen;
}
"""
    assert typescript.result(source).data == ["later", "tick", "tick"]


def test_what_is_left_of_the_web_works(typescript: Sandbox) -> None:
    source = """\
export default async () => {
  const stop = new AbortController();
  stop.abort();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("a"));
  return [
    stop.signal.aborted, digest.byteLength, crypto.randomUUID().length,
    new URL("http://x/y?z=%C3%A9").searchParams.get("z"), atob(btoa("x")),
    structuredClone({ a: new Date(0) }).a.getTime(),
    new TextDecoder().decode(new Uint8Array([195, 169])),
    new Intl.NumberFormat("de").format(1.5), new Date(0).getTimezoneOffset(),
  ];
}
"""
    found = typescript.result(source).data
    assert found == [True, 32, 36, "é", "x", 0, "é", "1,5", 0]


def test_a_result_may_be_so_deep_and_a_deeper_one_says_what_to_do(
    typescript: Sandbox,
) -> None:
    source = (
        "export default ({ n }: { n: number }) => { let a: unknown = 1;"
        " while (n--) a = [a]; return a }"
    )
    value = typescript.result(source, {"n": 128}).data
    assert str(value) == "[" * 128 + "1" + "]" * 128
    with pytest.raises(ExecutionFailedError) as caught:
        typescript.result(source, {"n": 129})
    assert "values nested deeper than 128 levels" in caught.value.message
    assert caught.value.hint == "return it less deeply nested"
    with pytest.raises(ExecutionFailedError) as caught:
        typescript.result("export default () => 1n")
    assert caught.value.hint == "return texts, numbers, arrays and objects"


def test_typescript_that_only_a_compiler_understands_runs(typescript: Sandbox) -> None:
    source = """\
enum A { X = 1 }
namespace N { export const y = 2 }
class P { constructor(private z: number) {} get() { return this.z } }
const f = <T,>(x: T): x is T & string => true;
export default (input: { a?: number }) =>
  [A.X, N.y, new P(3).get(), f(1), input!.a satisfies number | undefined]
"""
    assert typescript.result(source).data == [1, 2, 3, True, None]


def test_without_deno_a_call_and_a_check_say_how_to_install_it(
    tmp_path: Any,
) -> None:
    with sandbox(binary=tmp_path / "deno") as opened:
        (problem,) = opened.problems("export default () => 1")
        assert (problem.code, problem.level) == ("CHECK_SKIPPED", "warning")
        assert "pip install" in (problem.hint or "")
        assert "is not installed" in opened.failure("export default () => 1")
        (proof,) = opened.do(opened.runtime.prove())
        assert not proof.held
        assert "pip install" in proof.detail
