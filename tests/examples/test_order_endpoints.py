"""The map shop and its keys."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from sparknb.examples import BEARER_TOKEN, ExampleService


def place(shop: httpx.Client, **more: Any) -> dict[str, Any]:
    answer = shop.post("/orders", json={"city": "Oslo", "item": "map"} | more)
    assert answer.status_code == 201, answer.text
    order: dict[str, Any] = answer.json()
    return order


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Api-Key": ""},
        {"X-Api-Key": "wrong"},
        {"Authorization": BEARER_TOKEN},
        {"Authorization": f"Basic {BEARER_TOKEN}"},
        {"Authorization": "Bearer wrong"},
        {"X-Api-Key": "schlüssel".encode("latin-1").decode("latin-1")},
    ],
)
@pytest.mark.parametrize("path", ["/me", "/orders", "/orders/1", "/orders/x"])
def test_without_a_right_key_nothing_of_the_shop_is_seen(
    client: httpx.Client, headers: dict[str, str], path: str
) -> None:
    raw = [(k.encode(), v.encode("latin-1")) for k, v in headers.items()]
    answer = client.get(path, headers=raw)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "KEY_REQUIRED"
    assert answer.headers["www-authenticate"] == 'Bearer realm="example"'


def test_both_kinds_of_key_open_the_shop(
    client: httpx.Client, shop: httpx.Client
) -> None:
    bearer = client.get("/me", headers={"Authorization": f"bearer {BEARER_TOKEN}"})
    assert bearer.json() == {"name": "Example account", "signed_in_with": "bearer"}
    assert shop.get("/me").json()["signed_in_with"] == "api-key"


def test_an_order_goes_from_new_to_gone(shop: httpx.Client) -> None:
    order = place(shop, city="München", quantity=3, note="à bientôt")
    path = f"/orders/{order['id']}"
    assert order["total_cents"] == 3 * 690
    assert shop.get(path).json() == order
    changed = shop.patch(path, json={"status": "paid", "quantity": 2}).json()
    assert changed == order | {"status": "paid", "quantity": 2, "total_cents": 1380}
    assert shop.delete(path).status_code == 204
    for answer in (shop.get(path), shop.delete(path), shop.patch(path, json={})):
        assert answer.json()["error"]["code"] == "UNKNOWN_ORDER"


def test_orders_are_listed_page_by_page(shop: httpx.Client) -> None:
    first = shop.get("/orders", params={"limit": 3}).json()
    assert len(first["items"]) == 3
    after = {"limit": 3, "after": first["next_after"]}
    second = shop.get("/orders", params=after).json()
    assert second["items"][0]["id"] > first["items"][-1]["id"]
    sent = shop.get("/orders", params={"status": "sent"}).json()
    assert {order["status"] for order in sent["items"]} == {"sent"}


def test_the_same_key_never_orders_twice(shop: httpx.Client) -> None:
    headers = {"Idempotency-Key": "order-once"}
    body = {"city": "Lima", "item": "globe"}

    def send(_: int) -> httpx.Response:
        return shop.post("/orders", json=body, headers=headers)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(16)))
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [201]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"item": "map"}, "INVALID_REQUEST"),
        ({"city": "Oslo", "item": "boat"}, "INVALID_REQUEST"),
        ({"city": "Oslo", "item": "map", "quantity": "2"}, "INVALID_REQUEST"),
        ({"city": "Oslo", "item": "map", "quantity": True}, "INVALID_REQUEST"),
        ({"city": "Oslo", "item": "map", "quantity": 0}, "INVALID_REQUEST"),
        ({"city": "Oslo", "item": "map", "note": "x" * 501}, "INVALID_REQUEST"),
        ({"city": "Nowhereville", "item": "map"}, "UNKNOWN_CITY"),
        ([], "INVALID_REQUEST"),
        ("order", "INVALID_REQUEST"),
    ],
)
def test_a_wrong_order_is_refused_and_not_stored(
    shop: httpx.Client, body: Any, code: str
) -> None:
    before = shop.get("/orders?limit=100").json()
    answer = shop.post("/orders", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
    assert shop.get("/orders?limit=100").json() == before


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' * 50_000]
)
def test_broken_json_is_refused(shop: httpx.Client, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = shop.post("/orders", content=content, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["error"]["details"][0]["name"] == "body"


def test_another_media_type_is_refused(shop: httpx.Client) -> None:
    answer = shop.post("/orders", data={"city": "Oslo", "item": "map"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (
        415,
        "WRONG_CONTENT_TYPE",
    )


def test_another_method_is_refused_with_the_ones_there_are(
    shop: httpx.Client,
) -> None:
    answer = shop.put("/orders/1", json={})
    assert answer.status_code == 405
    allowed = set(answer.headers["allow"].replace(" ", "").split(","))
    assert allowed == {"GET", "HEAD", "PATCH", "DELETE"}


def test_a_form_is_read_with_repeated_fields(client: httpx.Client) -> None:
    form = {"message": "grüße & mehr", "stars": "4", "topics": ["a", "b"]}
    assert client.post("/feedback", data=form).json() == {
        "message": "grüße & mehr",
        "stars": 4,
        "topics": ["a", "b"],
    }


def test_a_wrong_form_is_refused(client: httpx.Client) -> None:
    form = {"stars": "6", "topics": ["x" * 41]}
    details = client.post("/feedback", data=form).json()["error"]["details"]
    assert [d["name"] for d in details] == ["message", "stars", "topics"]


def test_a_form_of_too_many_fields_is_refused(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/feedback", content=b"a=1&" * 2000, headers=headers)
    assert answer.status_code == 422


def test_a_body_above_a_mebibyte_is_refused(
    client: httpx.Client, example_service: ExampleService
) -> None:
    answer = client.post("/echo", content=b"x" * (1_048_576 + 1))
    assert (answer.status_code, answer.json()["error"]["code"]) == (
        413,
        "BODY_TOO_LARGE",
    )
    assert len(example_service.requests[-1].body) == 1_048_576
    assert len(client.post("/echo", content=b"x" * 1_048_576).json()["body"]) > 10**6
