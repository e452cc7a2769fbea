"""Endpoints of the map shop: all but the feedback need a key."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sparknb.examples.answers import bytes_answer, json_answer
from sparknb.examples.endpoint import Call, Endpoint, Refusal
from sparknb.examples.orders import NewOrder, Order, OrderChange, Status
from sparknb.examples.shapes import described
from sparknb.examples.world import load_world

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["ORDER_ENDPOINTS"]


@dataclass(frozen=True, slots=True)
class Account:
    """Who the key belongs to."""

    name: str = described("Name of the account.")
    signed_in_with: Literal["api-key", "bearer"] = described("Which kind of key.")


@dataclass(frozen=True, slots=True)
class OrderSearch:
    """Which orders, and from where on."""

    status: Status | None = described("Only orders this far.", default=None)
    after: int = described("Only later numbers.", default=0, minimum=0)
    limit: int = described("Orders a page.", default=20, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True)
class OrderPage:
    """One page of orders, by number."""

    items: list[Order] = described("The orders.")
    next_after: int | None = described("Null on the last page.", default=None)


@dataclass(frozen=True, slots=True)
class OrderNumber:
    """One order."""

    id: int = described("Number of the order.", minimum=1)


@dataclass(frozen=True, slots=True)
class OrderHeaders:
    """How a repeated request is told from a new one."""

    key: str | None = described(
        "The same key gives the same order, however often it is sent.",
        default=None,
        max_length=100,
        alias="Idempotency-Key",
    )


@dataclass(frozen=True, slots=True)
class Feedback:
    """A form that a customer fills in."""

    message: str = described("What to say.", max_length=2000)
    stars: int = described("How content.", default=5, minimum=1, maximum=5)
    topics: list[str] | None = described(
        "What it is about.", default=None, max_length=40
    )


async def _account(call: Call) -> "Response":
    kind = "api-key" if "x-api-key" in call.request.headers else "bearer"
    return json_answer({"name": "Example account", "signed_in_with": kind})


async def _orders(call: Call) -> "Response":
    search: OrderSearch = call.query
    found = call.shelf.orders.list(
        after=search.after, limit=search.limit + 1, status=search.status
    )
    page = found[: search.limit]
    following = page[-1].id if len(found) > len(page) else None
    return json_answer(OrderPage(list(page), following))


async def _order(call: Call) -> "Response":
    return json_answer(_present(call.shelf.orders.get(call.path.id), call))


async def _create(call: Call) -> "Response":
    order: NewOrder = call.body
    if load_world().city(order.city) is None:
        raise Refusal(422, "UNKNOWN_CITY", f"no city is called {order.city!r}")
    stored, is_new = call.shelf.orders.add(order, call.headers.key)
    headers = {"location": f"{call.shelf.url}/orders/{stored.id}"}
    return json_answer(stored, status=201 if is_new else 200, headers=headers)


async def _change(call: Call) -> "Response":
    changed = call.shelf.orders.change(call.path.id, call.body)
    return json_answer(_present(changed, call))


async def _remove(call: Call) -> "Response":
    if not call.shelf.orders.remove(call.path.id):
        _present(None, call)
    return bytes_answer(b"", "", status=204)


def _present(order: Order | None, call: Call) -> Order:
    if order is None:
        raise Refusal(404, "UNKNOWN_ORDER", f"no order has the number {call.path.id}")
    return order


async def _feedback(call: Call) -> "Response":
    return json_answer(call.body, status=201)


ORDER_ENDPOINTS = (
    Endpoint(
        path="/me",
        operation="getAccount",
        summary="Whose key this is",
        tag="orders",
        handler=_account,
        answer=Account,
        needs_key=True,
    ),
    Endpoint(
        path="/orders",
        operation="listOrders",
        summary="List orders",
        tag="orders",
        handler=_orders,
        query_shape=OrderSearch,
        answer=OrderPage,
        needs_key=True,
    ),
    Endpoint(
        path="/orders",
        operation="createOrder",
        summary="Order something",
        tag="orders",
        handler=_create,
        methods=("POST",),
        header_shape=OrderHeaders,
        body_shape=NewOrder,
        answer=Order,
        status=201,
        needs_key=True,
    ),
    Endpoint(
        path="/orders/{id}",
        operation="getOrder",
        summary="One order",
        tag="orders",
        handler=_order,
        path_shape=OrderNumber,
        answer=Order,
        needs_key=True,
        refusals=(404,),
    ),
    Endpoint(
        path="/orders/{id}",
        operation="changeOrder",
        summary="Change an order",
        tag="orders",
        handler=_change,
        methods=("PATCH",),
        path_shape=OrderNumber,
        body_shape=OrderChange,
        answer=Order,
        needs_key=True,
        refusals=(404,),
    ),
    Endpoint(
        path="/orders/{id}",
        operation="removeOrder",
        summary="Remove an order",
        tag="orders",
        handler=_remove,
        methods=("DELETE",),
        path_shape=OrderNumber,
        answer=None,
        status=204,
        needs_key=True,
        refusals=(404,),
    ),
    Endpoint(
        path="/feedback",
        operation="sendFeedback",
        summary="Send the feedback form",
        tag="orders",
        handler=_feedback,
        methods=("POST",),
        body_shape=Feedback,
        body_type="application/x-www-form-urlencoded",
        answer=Feedback,
        status=201,
    ),
)
