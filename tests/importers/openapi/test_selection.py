"""What there is to choose from, and choosing."""

from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError, NotFoundError
from sparknb.importers.openapi import import_operations, listing, select
from sparknb.importers.openapi.model import Description
from tests.importers.openapi.documents import described

PETS: dict[str, Any] = {
    "/pets": {
        "get": {"operationId": "listPets", "tags": ["pets"], "summary": "Lists\npets"},
        "post": {"operationId": "addPet", "tags": ["pets", "write"]},
    },
    "/pets/{id}": {"head": {"description": "Looks."}},
    "/shop": {"get": {"tags": ["shop", 5], "deprecated": True}},
    "/again": {"get": {"operationId": "listPets", "tags": "pets"}},
}


@pytest.fixture
def pets() -> Description:
    return described(PETS)


def test_every_operation_is_listed(pets: Description) -> None:
    rows = listing(pets)
    assert [row.operation for row in rows] == [
        "GET /pets",
        "POST /pets",
        "HEAD /pets/{id}",
        "GET /shop",
        "GET /again",
    ]
    wire = rows[0].to_wire()
    assert wire.pop("tokens") > 10
    assert wire == {
        "operation": "GET /pets",
        "operationId": "listPets",
        "summary": "Lists pets",
        "tags": ["pets"],
        "deprecated": False,
        "skip": None,
    }
    assert (rows[2].skip, rows[2].tokens) == ("UNSUPPORTED_METHOD", 0)
    assert rows[2].summary == "Looks."
    assert (rows[3].tags, rows[3].deprecated) == (("shop",), True)


def test_the_size_listed_is_that_of_the_draft(pets: Description) -> None:
    sizes = [row.tokens for row in listing(pets) if row.skip is None]
    drafts = import_operations(pets).drafts
    assert sizes[:3] == [draft.tokens for draft in drafts[:3]]


def test_a_list_knows_the_base_url() -> None:
    nowhere = described({"/a": {"get": {}}}, servers=[])
    assert [row.skip for row in listing(nowhere)] == ["NO_SERVER"]
    at = listing(nowhere, base_url="http://127.0.0.1:1")
    assert [row.skip for row in at] == [None]
    with pytest.raises(InvalidInputError):
        listing(nowhere, base_url="nowhere")


def chosen(pets: Description, *operations: str, tags: tuple[str, ...] = ()) -> Any:
    return [operation.name for operation in select(pets, operations, tags)]


def test_operations_are_selected_by_id_path_or_tag(pets: Description) -> None:
    assert chosen(pets, "addPet") == ["POST /pets"]
    assert chosen(pets, "listPets") == ["GET /pets", "GET /again"]
    assert chosen(pets, " get   /shop ") == ["GET /shop"]
    assert chosen(pets, tags=("pets",)) == ["GET /pets", "POST /pets"]
    assert chosen(pets, "GET /shop", "addPet", "POST /pets", tags=("write",)) == [
        "POST /pets",
        "GET /shop",
    ]
    assert len(chosen(pets)) == 5


@pytest.mark.parametrize(
    ("operations", "tags", "hint"),
    [
        (["listPet"], [], "listPets"),
        (["GET /pet"], [], "GET /pets"),
        (["PUT /pets"], [], "/pets"),
        ([], ["pet"], "pets"),
        (["addPet", "zzzzzz"], [], "--list"),
        (["x\x1b[31m"], ["pets"], "--list"),
        ([""], [], "--list"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    pets: Description, operations: list[str], tags: list[str], hint: str
) -> None:
    with pytest.raises(NotFoundError) as caught:
        select(pets, operations, tags)
    assert hint in str(caught.value.hint)
    assert caught.value.message.isprintable()
