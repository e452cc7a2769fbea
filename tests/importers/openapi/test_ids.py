"""Ids of imported tools: readable, valid, each different, the same again."""

import hashlib
import re
from typing import Any

import pytest

from sparknb.importers.openapi.ids import Ids
from tests.costs import cpu_seconds
from tests.importers.openapi.documents import described, draft_of, imported

VALID = re.compile(r"[a-z][a-z0-9_]{2,63}")


def hashed(operation: str) -> str:
    return f"op_{hashlib.sha256(operation.encode()).hexdigest()[:8]}"


@pytest.mark.parametrize(
    ("operation_id", "expected"),
    [
        ("getPetById", "get_pet_by_id"),
        ("getHTTPResponse", "get_http_response"),
        ("listV2Users", "list_v2_users"),
        ("pets.list-all  now", "pets_list_all_now"),
        ("__x__y__z__", "x_y_z"),
        ("2fa", "op_2fa"),
        ("a", "a_op"),
        ("a1", "a1_op"),
        ("9", "op_9"),
        ("取得", hashed("GET /things")),
        ("---", hashed("GET /things")),
        ("é", hashed("GET /things")),
        ("a" * 70, "a" * 64),
        ("tools_list", "tools_list_2"),
        ("toolsGuide", "tools_guide_2"),
        ("tools_other", "tools_other"),
        (404, "op_404"),
        (None, "get_things"),
        ("", "get_things"),
        (["x"], "get_things"),
    ],
)
def test_an_operation_id_becomes_an_id(operation_id: object, expected: str) -> None:
    made = draft_of({"operationId": operation_id})
    assert made.definition["id"] == expected
    assert VALID.fullmatch(expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/pets/{petId}/toys", "get_pets_pet_id_toys"),
        ("/", "get"),
        ("/Ä", "get"),
        ("/v1.2/a-b", "get_v1_2_a_b"),
    ],
)
def test_without_one_method_and_path_make_the_id(path: str, expected: str) -> None:
    names = re.findall(r"\{(.*?)\}", path)
    parameters = [
        {"name": name, "in": "path", "schema": {"type": "string"}} for name in names
    ]
    assert draft_of({"parameters": parameters}, path).definition["id"] == expected


def test_what_is_taken_gets_a_number() -> None:
    paths = {f"/p{n}": {"get": {"operationId": "same"}} for n in range(4)}
    made = imported(paths, is_taken=lambda tool_id: tool_id in {"same", "same_3"})
    ids = [draft.definition["id"] for draft in made.drafts]
    assert ids == ["same_2", "same_4", "same_5", "same_6"]


def test_a_number_that_another_operation_has_is_passed_over() -> None:
    given = ["same", "same_2", "same", "same"]
    paths = {f"/p{n}": {"get": {"operationId": i}} for n, i in enumerate(given)}
    ids = [draft.definition["id"] for draft in imported(paths).drafts]
    assert ids == ["same", "same_2", "same_3", "same_4"]


def test_a_long_id_is_shortened_to_fit_its_number() -> None:
    paths = {f"/p{n}": {"get": {"operationId": "b" * 80}} for n in range(11)}
    ids = [draft.definition["id"] for draft in imported(paths).drafts]
    assert ids[0] == "b" * 64
    assert ids[1] == "b" * 62 + "_2"
    assert ids[10] == "b" * 61 + "_11"
    assert len(set(ids)) == len(ids)


def test_the_same_document_gives_the_same_ids() -> None:
    paths: dict[str, Any] = {
        f"/p{n % 3}/{n}": {"get": {}, "post": {}} for n in range(9)
    }
    first, again = ([d.definition["id"] for d in imported(paths).drafts] for _ in "ab")
    assert first == again
    assert len(set(first)) == 18


def test_thousands_of_namesakes_cost_little() -> None:
    paths = {f"/p{n}": {"get": {"operationId": "same"}} for n in range(3000)}
    operations = described(paths).operations()

    def name_all() -> None:
        ids = Ids(lambda _: False)
        for operation in operations:
            ids.take(ids.propose(operation))

    assert cpu_seconds(name_all) < 1
