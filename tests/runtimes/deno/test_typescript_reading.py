"""What a TypeScript source may hold, as its parser sees it (ST-37)."""

import asyncio

import psutil
import pytest

from tests.runtimes.deno.programs import Sandbox, children, sandbox, tool

_END = "\nexport default () => 1;"


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("import a from 'b';", 1, 1),
        ("import 'b';", 1, 1),
        ("  import type { A } from 'b';", 1, 3),
        ("import { type A } from 'b';", 1, 1),
        ("import text from 'b' with { type: 'text' };", 1, 1),
        ("import defer * as b from 'b';", 1, 1),
        ("import source b from 'b';", 1, 1),
        ("import a = require('b');", 1, 1),
        ("import a = N.b;", 1, 1),
        ("export import a = require('b');", 1, 1),
        ("export * from 'b';", 1, 1),
        ("export * as b from 'b';", 1, 1),
        ("export { a } from 'b';", 1, 1),
        ("export type { A } from 'b';", 1, 1),
        ("export {} from 'b';", 1, 1),
        ("const a = import('b');", 1, 11),
        ("const a = import(\n'b' + 1);", 1, 11),
        ("const a = () => import(name);", 1, 17),
        ("const a = import.defer('b');", 1, 11),
        ("const a = import.meta;", 1, 11),
        ("const a = import.meta.url;", 1, 11),
        ("const a = `${import('b')}`;", 1, 14),
        ("let a: import('b').C;", 1, 8),
        ("type A = typeof import('b');", 1, 17),
        ("type A = Array<import('b').C<import('d').E>>;", 1, 16),
        ("function a(b: import('b').C) {}", 1, 15),
        ("class A extends B<import('b').C> {}", 1, 19),
        ("class A { @d(import('b')) x = 1 }", 1, 14),
        ("class A { constructor(private b = import('b')) {} }", 1, 35),
        ("class A { static { import('b') } }", 1, 20),
        ("class A { [import.meta.url]() {} }", 1, 12),
        ("enum A { B = import('b') as any }", 1, 14),
        ("namespace N { export const a = import('b') }", 1, 32),
        ("declare module 'b' { import c from 'd'; }", 1, 22),
        ("const a = <T = import('b').C>(x: T) => x;", 1, 16),
        ("let a: typeof b<import('b').C>;", 1, 17),
        ("let a: `${import('b').C}`;", 1, 11),
        ("abstract class A { abstract b: import('b').C }", 1, 32),
        ("interface A { [k: string]: import('b').C }", 1, 28),
        ("const a = require('b');", 1, 11),
        ("const a = require?.('b');", 1, 11),
        ("const a = (require as any)('b');", 1, 11),
        ("const { a } = require('b')!.c;", 1, 15),
        ("/// <reference path='b' />", 1, 1),
        ("///<reference types='b' />", 1, 1),
        ("\n  // @deno-types='b'", 2, 3),
        ("// @ts-types='b'", 1, 1),
        ("/** @jsxImportSource b */", 1, 1),
        ("const é = '😀'; import('b')", 1, 16),
        ("/* 😀\n */ /*\r\n*/ import('b')", 3, 4),
        ("\ufeffimport 'b';", 1, None),
        ("// x\u2028import 'b';", 1, None),
        ("// x\rimport 'b';", 1, None),
    ],
)
def test_a_source_that_loads_a_module_is_refused_where_it_does(
    typescript: Sandbox, source: str, line: int, column: int | None
) -> None:
    problems = typescript.problems(source + _END)
    assert {problem.code for problem in problems} == {"CODE_IMPORT"}
    assert problems[0].path == "spec.runtime.source"
    assert problems[0].line == line
    if column is not None:
        assert problems[0].column == column


@pytest.mark.parametrize(
    "source",
    [
        "const a = \"import b from 'c'\";",
        "const a = 'import(1)' + `import ${'import'} require('x')`;",
        "// import b from 'c'; require('c')",
        "/* import('c') import.meta */",
        "const a = /import/;",
        "const a = { import: 1, require: 2 }; a.import; a?.import; a.require('x');",
        "class A { import() {} get require() { return 1 } #import = 1; }",
        "interface A { import: string; require(a: string): void }",
        "type A = { import?: 'import' };",
        "enum A { import = 1 }",
        "const { import: a } = { import: 1 };",
        "const a = importing, important = 1; function importing() {}",
        "const $import = 1, _import = 2, import$ = 3, éimport = 4;",
        "const a = { 'import': 1 }['import'];",
        "function f() { return new.target }",
        "const b = typeof require;",
        "// see the <reference> of the @deno-types comment",
        "const a = '/// <reference path=x />';",
        "#!/usr/bin/env deno",
    ],
)
def test_the_words_are_fine_where_they_load_nothing(
    typescript: Sandbox, source: str
) -> None:
    first = "" if source.startswith("#!") else "// é😀\n"
    assert typescript.problems(first + source + _END) == []


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("export default () => {", 1, None),
        ("export default () => {\n  return 'a\n}", 2, None),
        ("interface A {\n  b: 1\n}\nconst a = 1; const a = 2;" + _END, 4, None),
        ("return 1" + _END, 1, None),
        ("break" + _END, 1, None),
        ("class A { accessor b = 1 }" + _END, 1, None),
        ("export default () => 1; export default () => 2;", 1, None),
        ("export { missing };" + _END, 1, None),
        ("const a = ;", 1, 11),
        ("\n\nconst é = '😀' = = 1;", 3, None),
        ("\0", 1, 1),
        ("const a = <b/>;", 1, None),
        ("im\\u0070ort('x')", 1, 1),
        ("((((", 1, 5),
    ],
)
def test_a_source_that_cannot_be_read_says_where(
    typescript: Sandbox, source: str, line: int, column: int | None
) -> None:
    problem, *_ = typescript.problems(source)
    assert problem.code == "CODE_SYNTAX"
    assert problem.line == line
    assert column is None or problem.column == column


def test_a_source_is_read_and_never_run(typescript: Sandbox) -> None:
    loops = "for (;;); export default () => 1;"
    throws = "await 0; throw new Error('it ran'); export default () => 1;"
    for source in (loops, throws, "(() => { for (;;); })(); export default () => 1"):
        assert typescript.problems(source) == []


@pytest.mark.parametrize(
    "entry",
    [
        "export default function () {}",
        "export default async function named(input: object) {}",
        "export default (a) => a",
        "export default async () => {}",
        "export default (() => 1) as any",
        "export default (() => 1) satisfies Function",
        "const f = () => 1; export default f",
        "const f = function () {}; export { f as default }",
        "const f = wrap(() => 1); function wrap(x) { return x } export default f",
        "export default wrap(() => 1); function wrap(x) { return x }",
        "function f() {} export { f as 'default' }",
        "let f; f = () => 1; export default f",
        "const { f } = { f: () => 1 }; export default f",
        "const g = () => 1, f = g; export default f",
        "export default function f(a: string): void; export default function f(a) {}",
    ],
)
def test_a_default_export_that_may_be_a_function_is_an_entry(
    typescript: Sandbox, entry: str
) -> None:
    assert typescript.problems(entry) == []


@pytest.mark.parametrize(
    ("source", "message", "column"),
    [
        ("", "no default export", 1),
        ("// nothing", "no default export", 1),
        ("  /* 1\n2 */  const a = 1", "no default export", 7),
        ("export const run = () => 1", "no default export", 1),
        ("function main() {}", "no default export", 1),
        ("type F = () => 1; export type { F as default }", "no default export", 1),
        ("export default 1", "not a function", 1),
        ("export default 'text'", "not a function", 1),
        ("export default { call() {} }", "not a function", 1),
        ("export default class {}", "not a function", 1),
        ("class A {} export default A", "not a function", 12),
        ("export default interface A {}", "not a function", 1),
        ("enum A {} export default A", "not a function", 11),
        ("const f = 1; export default f", "not a function", 14),
        ("const f = g, g = f; export default f", "not a function", 21),
        ("export default unknown", "not a function", 1),
        ("const f = { a: 1 } as const; export { f as default }", "not a function", 39),
    ],
)
def test_a_source_without_an_entry_is_refused(
    typescript: Sandbox, source: str, message: str, column: int
) -> None:
    (problem,) = typescript.problems(source)
    assert problem.code == "CODE_ENTRY"
    assert message in problem.message
    assert problem.hint is not None
    assert (problem.line, problem.column) == (source.count("\n") + 1, column)


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("export = () => 1", 1, 1),
        ("interface A { b: string }\nenum C {\n  D,\n}\n  export = () => 1", 5, 3),
        ("export default () => 1;\nexport = 3", 2, 1),
    ],
)
def test_an_export_of_the_older_kind_is_one_problem_at_its_place(
    typescript: Sandbox, source: str, line: int, column: int
) -> None:
    (problem,) = typescript.problems(source)
    assert (problem.code, problem.line, problem.column) == ("CODE_ENTRY", line, column)
    assert problem.message == "`export =` is no default export"
    assert "export default" in (problem.hint or "")


def test_exports_of_the_older_kind_hide_nothing_else(typescript: Sandbox) -> None:
    source = "import 'x';\nexport = 1;\nexport default 1"
    found = [(each.code, each.line) for each in typescript.problems(source)]
    assert found == [("CODE_IMPORT", 1), ("CODE_ENTRY", 2), ("CODE_ENTRY", 3)]


def test_all_imports_are_told_in_order_and_the_missing_entry_last(
    typescript: Sandbox,
) -> None:
    source = "const a = import('b');\n\nimport c from 'd';\n" + "import 'x';\n" * 100
    problems = typescript.problems(source)
    places = [(problem.line, problem.column) for problem in problems]
    assert places[:3] == [(1, 11), (3, 1), (4, 1)]
    assert len(problems) == 50  # a person reads no more
    assert typescript.codes("import 'x';\n" * 3)[-2:] == ["CODE_IMPORT", "CODE_ENTRY"]


@pytest.mark.parametrize(
    "source",
    [
        "const a = " + "[" * 60_000 + "]" * 60_000 + _END,
        "const a = " + "(" * 90_000 + _END,
        "const a = " + "!" * 190_000 + "1" + _END,
    ],
    ids=["lists", "brackets", "operators"],
)
def test_a_source_that_is_too_much_for_a_parser_gets_an_answer(
    typescript: Sandbox, source: str
) -> None:
    for problem in typescript.problems(source):
        assert problem.code == "CODE_SYNTAX"
    assert typescript.codes("export default () => 1") == []


@pytest.mark.parametrize("half", ["\ud800", "\ud800\ud800"])
def test_half_a_character_is_a_character(typescript: Sandbox, half: str) -> None:
    assert typescript.codes(f"const a = '{half}'; // {half}{_END}") == []
    assert typescript.codes(f"const a = '{half}'; import('b'){_END}") == ["CODE_IMPORT"]


def test_sources_that_are_asked_for_at_once_all_get_their_own_answer(
    typescript: Sandbox,
) -> None:
    async def all_of_them() -> list[int | None]:
        sources = [
            "\n" * (number % 7) + "import 'x';" + _END + f"// {number % 11}"
            for number in range(100)
        ]
        found = await asyncio.gather(
            *(typescript.runtime.check(tool(source)) for source in sources)
        )
        return [problems[0].line for problems in found]

    assert typescript.do(all_of_them()) == [number % 7 + 1 for number in range(100)]


def test_whoever_stops_waiting_leaves_the_parser_to_the_others(
    typescript: Sandbox,
) -> None:
    async def stopped_and_not() -> list[str]:
        source = "import 'y';" + "\n" * 50_000 + _END
        first = asyncio.create_task(typescript.runtime.check(tool(source)))
        second = asyncio.create_task(typescript.runtime.check(tool(source)))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return [problem.code for problem in await second]

    assert typescript.do(stopped_and_not()) == ["CODE_IMPORT"]


def test_a_parser_that_was_killed_is_started_again() -> None:
    others = set(children())
    with sandbox() as opened:
        assert opened.codes("export default 1") == ["CODE_ENTRY"]
        (pid,) = set(children()) - others
        psutil.Process(pid).kill()
        assert opened.codes("export default 2") == ["CODE_ENTRY"]


def test_very_many_imports_are_told_as_what_they_are(typescript: Sandbox) -> None:
    found = typescript.problems('import "a";' * 19_000 + "export default () => 1;")
    assert {problem.code for problem in found} == {"CODE_IMPORT"}
    assert (found[0].line, found[0].column) == (1, 1)


def test_a_source_that_takes_too_long_does_not_hold_the_parser_again(
    typescript: Sandbox,
) -> None:
    deep = "export default()=>" + "a?(b):c=>(" * 26 + "1" + ")" * 26
    (first,) = typescript.problems(deep)
    assert "within 5 seconds" in first.message
    before = children()
    assert typescript.problems(deep) == [first]
    assert children() == before  # no parser was started for it
    assert typescript.problems("export default () => 1;") == []
