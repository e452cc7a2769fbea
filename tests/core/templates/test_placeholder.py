"""Placeholders are found, checked and told apart from stray braces."""

import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.definitions import Parameter
from sparknb.core.templates.placeholder import (
    FORMS,
    Placeholder,
    check,
    names_of,
    placeholders_of,
    scan,
    whole,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("plain", ("plain",)),
        ("{{a}}", (Placeholder("a"),)),
        ("{{ a }}", (Placeholder("a"),)),
        ("{{\t a \n}}", (Placeholder("a"),)),
        ("{{a|csv}}", (Placeholder("a", "csv"),)),
        ("{{ a | csv }}", (Placeholder("a", "csv"),)),
        ("x{{a}}y{{_b2}}", ("x", Placeholder("a"), "y", Placeholder("_b2"))),
        ("{{a}}{{a}}", (Placeholder("a"), Placeholder("a"))),
        ("{{{a}}}", ("{", Placeholder("a"), "}")),
        ("{a} } {", ("{a} } {",)),
    ],
)
def test_a_text_is_cut_into_literals_and_placeholders(
    text: str, parts: tuple[str | Placeholder, ...]
) -> None:
    assert scan(text) == (parts, [])


@pytest.mark.parametrize(
    "text",
    [
        "{{",
        "}}",
        "{{a",
        "a}}",
        "{{}}",
        "{{ }}",
        "{{2a}}",
        "{{a-b}}",
        "{{a.b}}",
        "{{a b}}",
        "{{a|}}",
        "{{a||csv}}",
        "{{é}}",
        "{{a}}}}",
        "{{{{a}}}}",
        "{{a|csv|csv}}",
        "{ {a}}",
    ],
)
def test_braces_left_over_are_one_problem_that_says_where(text: str) -> None:
    _, problems = scan(text)

    assert [p.code for p in problems] == ["INVALID_TEMPLATE"]
    assert "at character" in problems[0].message
    assert problems[0].hint == "a placeholder is written {{name}} or {{name | form}}"


def test_the_place_of_stray_braces_is_counted_from_one() -> None:
    assert "character 7" in scan("{{a}} }}")[1][0].message


def test_half_a_character_is_a_problem() -> None:
    assert "surrogate" in scan("a\ud800{{b}}")[1][0].message


@given(st.text(alphabet="{}| \tabcsv_1é\ud800\x00", max_size=60))
def test_any_text_is_cut_without_loss(text: str) -> None:
    parts, problems = scan(text)

    literals = [part for part in parts if isinstance(part, str)]
    assert all(literals)
    rest = text
    for literal in literals:
        assert literal in rest
        rest = rest.partition(literal)[2]
    if not placeholders_of(parts):
        assert "".join(literals) == text
    stray = any("{{" in p or "}}" in p for p in literals)
    assert bool(problems) == (stray or "\ud800" in text)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "}" * 100_000,
        "{{" + " " * 100_000,
        "{{a" + " " * 100_000,
        "{{" + "a" * 100_000,
        "{{a|" + "b" * 100_000,
        "{{a | " * 20_000,
        "{{a}}" * 20_000,
        "{{a" * 30_000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    scan(text)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("placeholder", "words"),
    [
        (Placeholder("nobody"), "'nobody' is not declared"),
        (Placeholder("q", "csv"), "needs type array"),
        (Placeholder("list", "json"), "needs type string"),
        (Placeholder("list", "CSV"), "unknown form"),
        (Placeholder("list", "tsv"), "unknown form"),
    ],
)
def test_undeclared_names_and_unfit_forms_are_problems(
    parameters: Mapping[str, Parameter], placeholder: Placeholder, words: str
) -> None:
    found = check([placeholder], parameters, forms=FORMS, place="here")

    assert [p.code for p in found] == ["INVALID_TEMPLATE"]
    assert words in found[0].message


def test_a_form_out_of_place_is_a_problem_that_names_those_in_place(
    parameters: Mapping[str, Parameter],
) -> None:
    placeholder = Placeholder("list", "ssv")
    forms = frozenset({"csv"})

    [problem] = check([placeholder], parameters, forms=forms, place="in a header")

    assert problem.message == "the form 'ssv' does not work in a header"
    assert problem.hint == "forms that do: csv"


def test_where_no_form_works_the_hint_says_none() -> None:
    found = check([Placeholder("a", "csv")], None, forms=frozenset(), place="here")
    assert [p.hint for p in found] == ["forms that do: none"]


def test_a_repeated_fault_is_told_once(parameters: Mapping[str, Parameter]) -> None:
    twice = [Placeholder("nobody"), Placeholder("nobody")]
    assert len(check(twice, parameters, forms=FORMS, place="here")) == 1


def test_without_declared_parameters_only_the_form_is_checked() -> None:
    found = [Placeholder("nobody", "csv"), Placeholder("a", "zip")]
    problems = check(found, None, forms=FORMS, place="here")
    assert [p.message for p in problems] == ["a placeholder has an unknown form"]


def test_a_name_that_looks_like_a_key_is_not_repeated(
    parameters: Mapping[str, Parameter],
) -> None:
    name = "ghp_" + "a1B2" * 9

    [problem] = check([Placeholder(name)], parameters, forms=FORMS, place="here")

    assert name not in str(problem)


def test_whole_tells_whether_a_placeholder_is_all_there_is() -> None:
    assert whole(scan("{{ a }}")[0]) == Placeholder("a")
    assert whole(scan("{{a}} ")[0]) is None
    assert whole(scan("a")[0]) is None
    assert whole(()) is None


def test_names_are_those_of_all_placeholders() -> None:
    assert names_of(scan("{{a}} {{b|csv}} {{a}}")[0]) == {"a", "b"}
