"""The arguments of a call, written in a cell."""

import pytest

from sparknb.importers.cell import read_values


def test_arguments_are_what_yaml_says() -> None:
    read = read_values("city: Oslo\ndays: 3\ntags: [no, '5']\n", {})
    assert read.arguments == {"city": "Oslo", "days": 3, "tags": ["no", "5"]}
    assert read.problems == ()


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n"])
def test_an_empty_cell_gives_no_arguments(text: str) -> None:
    assert read_values(text, {}).arguments == {}


@pytest.mark.parametrize("text", ["[1]", "word", "5", "null"])
def test_what_is_no_mapping_is_left_to_the_check_of_the_call(text: str) -> None:
    read = read_values(text, {})
    assert read.problems == ()
    assert not isinstance(read.arguments, dict)


def test_variables_are_filled_in() -> None:
    read = read_values("city: '${a} $${a}'", {"a": "Oslo"})
    assert read.arguments == {"city": "Oslo ${a}"}


def test_problems_and_lines_are_at_the_input() -> None:
    read = read_values("\ncity: {{x}}\nlist:\n  - 1\n  - &a 2\ncity: 2\n", {})
    paths = [p.path for p in read.problems]
    assert paths == ["input.city", "input.list.1", "input.city"]
    wanted = ["input.city", "input.list.1", "input.list.0.deeper", "input", "else"]
    assert list(read.lines(wanted).values()) == [3, 6, 5, 3, 2]


def test_a_question_mark_is_part_of_a_name_here() -> None:
    read = read_values("params: {a?: 1}", {})
    assert read.arguments == {"params": {"a?": 1}}


def test_a_text_that_is_no_yaml_has_its_line() -> None:
    read = read_values("a: 1\nb: 'x", {})
    (problem,) = read.problems
    assert read.lines([problem.path]) == {"input": 3}
