"""JSON bodies: values keep their type and never change the structure."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.definitions import JsonBody, Parameter
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_json_body

Parameters = Mapping[str, Parameter]
Render = Callable[..., RenderedRequest]


@pytest.mark.parametrize(
    ("template", "body"),
    [
        (' { "a" : [ 1 , true , null , "x y" ] } ', '{"a":[1,true,null,"x y"]}'),
        ("\t{\r\n}\n", "{}"),
        ("[ ]", "[]"),
        ("1", "1"),
        ('"text"', '"text"'),
        ("[1.10,1e400,-0,0.0e-5,12345678901234567890]",
         "[1.10,1e400,-0,0.0e-5,12345678901234567890]"),
        ('"\ufffc é 😀 \\u00e9 \\ud83d\\ude00 \\/ \\" \\\\"',
         '"\ufffc é 😀 \\u00e9 \\ud83d\\ude00 \\/ \\" \\\\"'),
        ('["\\u007b\\u007ba\\u007d\\u007d"]',
         '["\\u007b\\u007ba\\u007d\\u007d"]'),
        ('{"a":{"b":{"c":1}}}', '{"a":{"b":{"c":1}}}'),
        ('{"a b\\u0000":1,"":2}', '{"a b\\u0000":1,"":2}'),
        ('{"a":{"x":1},"b":{"x":2}}', '{"a":{"x":1},"b":{"x":2}}'),
        ('["{ } {a} } {"]', '["{ } {a} } {"]'),
    ],
)  # fmt: skip
def test_literals_are_sent_compact_and_as_written(
    render: Render, template: str, body: str
) -> None:
    request = render(body=JsonBody(template))

    assert request.body == body.encode()
    assert request.headers == (("Content-Type", "application/json"),)


@pytest.mark.parametrize(
    ("template", "arguments", "body"),
    [
        ('{"n": {{n}}, "s": "hi {{q}}"}', {"n": 5, "q": '"}'},
         '{"n":5,"s":"hi \\"}"}'),
        ('{"a":{"b":{{n}}}}', {"n": 5.0}, '{"a":{"b":5}}'),
        ('{"a":{"b":{{ n }} } }', {"n": 1}, '{"a":{"b":1}}'),
        ("[{{q}},{{n}},{{x}},{{b}},{{list}}]",
         {"q": 'a"\n\\', "n": 2**70, "x": 1e21, "b": False, "list": ["1", "é"]},
         '["a\\"\\n\\\\",1180591620717411303424,1e+21,false,["1","é"]]'),
        ('["{{q}}{{n}}-{{x}}-{{b}}-{{list}}"]',
         {"q": '"', "n": 1, "x": 0.5, "b": True, "list": ["\n"]},
         '["\\"1-0.5-true-[\\"\\\\n\\"]"]'),
        ('"{{q}}"', {"q": '","x":"'}, '"\\",\\"x\\":\\""'),
        ("{{q}}", {"q": "{{n}} \ufffc\u2028\x7f😀"}, '"{{n}} \ufffc\u2028\x7f😀"'),
        ('"\\\\{{q}}"', {"q": '"'}, '"\\\\\\""'),
        ('"{{{q}}}"', {"q": "x"}, '"{x}"'),
        ("{{q}}", {"q": ""}, '""'),
        ("{{ids}}", {"ids": []}, "[]"),
        ("{{d}}", {}, '"dd"'),
        ('{"a":{{a}},"b":1}'.replace("{{a}}", "{{o}}"), {}, '{"b":1}'),
        ('{"a":{{o}}}', {}, "{}"),
        ('{"z":1,"a":{{o}},"b":{"c":{{p}},"d":2}}', {}, '{"z":1,"b":{"d":2}}'),
        ('[{"a":{{o}}},3]', {}, "[{},3]"),
        ('{"a":{{o}}}', {"o": ""}, '{"a":""}'),
    ],
)  # fmt: skip
def test_values_are_put_in(
    render: Render, template: str, arguments: dict[str, Any], body: str
) -> None:
    assert render(body=JsonBody(template), **arguments).body == body.encode()


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("{}", "{}"),
        (' { "a" : [ 1 , "x  y" ] } ', '{"a":[1,"x  y"]}'),
        (
            "[1.10,1e400,12345678901234567890123]",
            "[1.10,1e400,12345678901234567890123]",
        ),
        ('"{{n}} }} {{"', '"{{n}} }} {{"'),
        ("null", "null"),
        ("[" * 64 + "]" * 64, "[" * 64 + "]" * 64),
    ],
)
def test_the_json_form_inserts_a_value_with_its_digits(
    render: Render, text: str, sent: str
) -> None:
    body = JsonBody('{"v":{{q | json}},"w":[{{ o | json }}]}')
    assert render(body=body, q=text, o="1").body == f'{{"v":{sent},"w":[1]}}'.encode()


@pytest.mark.parametrize(
    "text",
    [
        '{"a":',
        "",
        " ",
        "{a:1}",
        "{'a':1}",
        "[1,]",
        '{"a":1,}',
        '{"a" 1}',
        "[1 2]",
        "1 2",
        "}",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "-",
        "tru",
        "True",
        '"a',
        '"\n"',
        '"\\x"',
        '"\\u12g4"',
        "\ufeff1",
        "1\u00a0",
        "{{n}}",
        '{"a":{{n}}}',
        '{"a":1,"a":1}',
        '{"a":1,"\\u0061":2}',
        '[{"b":{"a":1,"a":2}}]',
        "[" * 65 + "]" * 65,
        '{"a":' * 65 + "1" + "}" * 65,
        "[" * 100_000,
        '"\ud800"',
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_the_json_form_refuses_all_but_strict_json(render: Render, text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(body=JsonBody('{"v":{{q | json}}}'), q=text)
    assert [p.path for p in caught.value.problems] == ["input.q"]


def test_an_absent_json_form_leaves_its_member_out(render: Render) -> None:
    assert render(body=JsonBody('{"v":{{o | json}}}')).body == b"{}"


@pytest.mark.parametrize("template", ["{{o}}", " {{ o | json }}\n"])
def test_a_body_that_is_one_absent_value_is_no_body(
    render: Render, template: str
) -> None:
    request = render(body=JsonBody(template))

    assert request.body is None
    assert request.headers == ()


@pytest.mark.parametrize(
    "template", ['["x {{o}}"]', '{"a":"{{o}}"}', '"{{o}}"', "[{{o}}]", "[1,{{o}}]",
                 '{"a":[{{o}}]}']
)  # fmt: skip
def test_elsewhere_an_absent_value_is_refused(render: Render, template: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(body=JsonBody(template))
    assert [p.path for p in caught.value.problems] == ["input.o"]


def test_values_that_cannot_be_sent_are_all_told(render: Render) -> None:
    body = JsonBody('{"a":{{q}},"b":"{{o}}","c":{{x}},"d":{{list}},"e":{{n}}}')
    with pytest.raises(InvalidInputError) as caught:
        render(body=body, q="\ud800", o="\udc00", x=float("nan"), list=["\ud800"], n=1)
    names = [p.path.removeprefix("input.") for p in caught.value.problems]
    assert names == ["q", "o", "x", "list"]


@pytest.mark.parametrize(
    ("template", "words", "strict"),
    [
        ("", "a JSON value is expected at line 1, column 1", False),
        ('{"a":}', "a JSON value is expected at line 1, column 6", False),
        ('{\n  "a": 1\n  "b": 2}', "',' or '}' is expected at line 3, column 3", False),
        ("[1 2]", "',' or ']' is expected at line 1, column 4", False),
        ('{"a" 1}', "':' is expected", False),
        ("{a: 1}", "a string is expected", False),
        ('{"a":1,}', "a string is expected", False),
        ('"a\nb"', "a string is expected", False),
        ('"a', "a string is expected", False),
        ("[1,]", "a JSON value is expected", False),
        ("[NaN]", "a JSON value is expected", False),
        ("{} {}", "something follows the end", False),
        ("{{q}}{{n}}", "something follows the end", False),
        ("1{{n}}", "something follows the end", False),
        ("[-{{n}}]", "a JSON value is expected", False),
        ("[{{q]", "'{{' begins no placeholder", False),
        ("{{{q}}}", "'{{' begins no placeholder", False),
        ('{"q":"a }}"}', "in a string belongs to no placeholder", False),
        ('{"q":"{{ }}"}', "in a string belongs to no placeholder", False),
        ('{"a}}":1}', "in a string belongs to no placeholder", False),
        ('"\\{{q}}"', "a string is expected", False),
        ('"\\u00{{q}}"', "a string is expected", False),
        ('{"{{q}}": 1}', "a member name holds a placeholder", True),
        ('{"x{{q}}": 1}', "a member name holds a placeholder", True),
        ("{{{q}}: 1}", "'{{' begins no placeholder", False),
        ("{ {{q}}: 1}", "a placeholder cannot be a member name", True),
        ('{"a":1,\n"a":2}', "repeated in its object at line 2, column 1", True),
        ('{"a":1,"\\u0061":{{n}}}', "repeated in its object", True),
        ('[{"b":{"a":1,"a":2}}]', "repeated in its object", True),
        ("[" * 129 + "]" * 129, "deeper than 128 levels", True),
        ("{{nobody}}", "not declared", False),
        ('"{{nobody}}"', "not declared", False),
        ("{{list | csv}}", "as a JSON value", False),
        ('"{{q | json}}"', "inside a JSON string", False),
        ('"{{list | csv}}"', "inside a JSON string", False),
        ("{{list | json}}", "needs type string", False),
        ('"\ud800"', "surrogate", False),
    ],
)
def test_a_bad_template_is_refused_when_saved(
    parameters: Parameters, template: str, words: str, strict: bool
) -> None:
    parsed, problems = parse_json_body(template, parameters)

    assert parsed is None
    [problem] = problems
    assert problem.code == "INVALID_TEMPLATE"
    assert words in problem.message
    assert problem.strict is strict


def test_stray_braces_in_a_string_come_with_the_way_to_write_them(
    parameters: Parameters,
) -> None:
    [problem] = parse_json_body('{"query":"{a{b}}"}', parameters)[1]
    assert problem.hint is not None
    assert "\\u007d\\u007d" in problem.hint


def test_all_problems_are_told_at_once(parameters: Parameters) -> None:
    template = '{"{{q}}":1,"a":{{nobody}},"a":"}}","c":"{{nobody}} {{q | json}}" 1'
    _, problems = parse_json_body(template, parameters)
    assert len(problems) == 6
    assert len({p.message for p in problems}) == 6


def test_lines_are_counted_across_several_problems() -> None:
    template = '{"a":1,\n"a":2,"a":3,\n\n  "a":4}'
    messages = [p.message for p in parse_json_body(template, None)[1]]
    assert [m.partition(" at ")[2] for m in messages] == [
        "line 2, column 1",
        "line 2, column 7",
        "line 4, column 3",
    ]


def test_a_template_of_128_levels_is_read_and_sent(render: Render) -> None:
    body = render(body=JsonBody("[" * 128 + "{{n}}" + "]" * 128), n=1).body
    assert body == b"[" * 128 + b"1" + b"]" * 128


def test_a_template_knows_its_names_and_literal_members() -> None:
    template = (
        '{"a":"x\\u0041","b":{"token":"abc","n":1,"c":"{{d}}"},'
        '"e":[{"f":"g"},"h"],"i":{{j}},"k":"l {{m}}"}'
    )
    parsed, _ = parse_json_body(template, None)

    assert parsed is not None
    assert parsed.names == {"d", "j", "m"}
    assert parsed.literal_members == (("a", "xA"), ("token", "abc"), ("f", "g"))


@pytest.mark.parametrize(
    "template",
    [
        "[" * 100_000,
        "{" * 100_000,
        "}" * 100_000,
        '{"a":' * 20_000,
        '"' + "\\" * 100_000,
        '"' + "\\u0061" * 16_000,
        '"' + "{{" * 50_000 + '"',
        '"' + "{{q}}" * 20_000 + '"',
        "[" + "{{q}}," * 16_000,
        "[" + "1," * 50_000,
        " " * 100_000,
        "1" * 100_000,
        "1." + "1" * 100_000 + "e",
        "{" + '"a":1,' * 16_000 + '"a":1}',
        "[" + '{"a":1,"a":1},' * 3_000 + "1]",
        "[" + '"}}",' * 5_000 + "1]",
    ],
    ids=lambda text: ascii(text)[:16],
)
def test_hostile_templates_are_read_in_linear_time(template: str) -> None:
    start = time.process_time()
    parse_json_body(template, None)
    assert time.process_time() - start < 10


def test_a_large_value_of_the_json_form_is_read_quickly(render: Render) -> None:
    text = json.dumps([{"name": "x" * 20, "n": i} for i in range(5_000)])
    start = time.process_time()
    request = render(body=JsonBody("{{q | json}}"), q=text)
    assert time.process_time() - start < 10
    assert request.body == text.replace(" ", "").encode()
