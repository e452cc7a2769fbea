"""Exercises of lessons 2 to 5: cells as people write them, from nothing to solved."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest

from sparknb.examples import ExampleService
from sparknb.importers.cell import read_cell
from sparknb.importers.curl import read_curl
from sparknb.importers.openapi import import_operations, select
from sparknb.importers.openapi.document import read_description
from sparknb.tutorials import check
from tests.hosting import Session


class Desk(Session):
    """A session in which cells are written, against the example service."""

    def __init__(self, home: Path, service: str) -> None:
        super().__init__(home)
        self.service = service

    def write(
        self, tool_id: str, text: str, *, kind: str | None = None, publish: bool = False
    ) -> None:
        passed = {"service": self.service}
        cell = read_cell(text, passed, tool_id=tool_id, tool_type=kind)
        assert cell.document is not None
        assert cell.check() == []
        self.run(self.host.studio.draft(cell.document))
        if publish:
            self.run(self.host.studio.publish(tool_id))

    def paste(
        self,
        tool_id: str,
        command: str,
        parameters: Literal["none", "auto"] = "none",
    ) -> None:
        preview = read_curl(command, tool_id=tool_id, parameters=parameters)
        assert preview.definition is not None
        self.run(self.host.studio.draft(preview.definition))

    def bring(self, operation: str) -> None:
        """Import one operation of the service's own description."""
        document = httpx.get(f"{self.service}/openapi.json", trust_env=False).content
        description = read_description(document)
        chosen = select(description, operations=[operation])
        for draft in import_operations(description, selected=chosen).drafts:
            self.run(self.host.studio.draft(draft.definition))

    def secret(self, tool_id: str, name: str, value: str) -> None:
        self.run(self.host.secrets.set(tool_id, name, value))

    def state(self, exercise: str) -> tuple[int, str]:
        """Give how many points are met, and what is missing."""
        document = self.run(check(self.host, exercise)).document
        assert len(set(document["met"])) == len(document["met"]), "said twice"
        return len(document["met"]), document.get("missing", "solved")


@pytest.fixture
def desk(tmp_path: Path, example_service: ExampleService) -> Iterator[Desk]:
    opened = Desk(tmp_path / "home", example_service.url)
    yield opened
    opened.close()


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


# ----------------------------------------------------------------- 2. imports
SEARCH = "curl -G '{}/{}' -d q=Oslo -d limit=3"
COUNTRY = """
title: One country
description: One country
params:
  code: {type: string}
request: GET ${service}/countries/{{code}}
"""


def test_02_1_a_command_that_always_does_the_same_is_half_of_it(desk: Desk) -> None:
    assert desk.state("02-1") == (0, "There is no tool search_cities yet.")
    desk.paste("search_cities", SEARCH.format(desk.service, "countries"))
    assert desk.state("02-1")[0] == 1
    desk.paste("search_cities", SEARCH.format(desk.service, "cities"))
    assert desk.state("02-1")[0] == 2
    desk.paste("search_cities", SEARCH.format(desk.service, "cities"), "auto")
    assert desk.state("02-1") == (3, "It is a draft so far, and agents see no drafts.")
    desk.run(desk.host.studio.publish("search_cities"))
    assert desk.state("02-1") == (5, "solved")


def test_02_2_an_operation_wants_words_that_help_a_model(desk: Desk) -> None:
    assert desk.state("02-2")[0] == 0
    desk.write("get_country", changed(COUNTRY, ("countries/", "cities/")))
    assert desk.state("02-2")[0] == 1
    desk.bring("getCountry")
    assert desk.state("02-2") == (2, "Its description does not say when to use it.")
    words = ("description: One country", "description: Use it when a code is given.")
    desk.write("get_country", changed(COUNTRY, words), publish=True)
    assert desk.state("02-2") == (5, "solved")


# -------------------------------------------------------------------- 3. risk
PAY = """
title: Pay an order
description: Marks an order as paid. Use it when the user says that it was paid.
params:
  id: {type: integer}
request: PATCH ${service}/orders/{{id}}
headers: {X-Api-Key: "secret:api_key"}
body: {status: paid}
risk: high-write
"""
WEATHER = """
title: Weather
description: Gives the weather of a city. Use it when somebody asks.
params:
  city: {type: string}
request: GET ${service}/weather?city={{city}}
"""


def test_03_1_a_risk_may_be_higher_than_derived(
    desk: Desk, example_service: ExampleService
) -> None:
    assert desk.state("03-1")[0] == 0
    desk.write("pay_order", changed(PAY, ("PATCH", "PUT")))
    assert desk.state("03-1")[0] == 1
    desk.write("pay_order", changed(PAY, ("paid}", 'paid, note: "x"}')))
    assert desk.state("03-1")[0] == 2
    desk.write("pay_order", changed(PAY, ("risk: high-write", "")))
    assert desk.state("03-1") == (3, "Its risk is low-write so far.")
    desk.write("pay_order", PAY)
    assert desk.state("03-1")[0] == 4
    desk.secret("pay_order", "api_key", example_service.api_key)
    desk.run(desk.host.studio.publish("pay_order"))
    assert desk.state("03-1") == (6, "solved")
    desk.run(desk.host.studio.set_enabled("pay_order", enabled=False))
    assert desk.state("03-1")[1].startswith("It is switched off")


def test_03_2_what_asks_need_not_change_anything(desk: Desk) -> None:
    assert desk.state("03-2")[0] == 0
    desk.write("city_weather", WEATHER, publish=True)
    assert desk.state("03-2") == (1, "Its risk is read: nobody is asked.")
    raised = WEATHER + "risk: low-write\n"
    desk.write("city_weather", raised + "effect: update\n")
    assert desk.state("03-2")[0] == 2
    desk.write("city_weather", raised)  # the effect follows from GET
    assert desk.state("03-2")[0] == 3
    desk.run(desk.host.studio.publish("city_weather"))
    assert desk.state("03-2") == (5, "solved")


# ----------------------------------------------------------------- 4. secrets
ACCOUNT = """
title: Account of the shop
description: Tells whose account it is. Use it when somebody asks for it.
request: GET ${service}/me
headers: {Authorization: "secret:token"}
"""
ORDERS = """
title: My orders
description: Gives the orders of the map shop. Use it when somebody asks for them.
request: GET ${service}/orders
headers: {X-Api-Key: "secret:api_key"}
"""


def test_04_1_a_value_is_given_by_a_person_and_has_to_be_right(
    desk: Desk, example_service: ExampleService
) -> None:
    assert desk.state("04-1")[0] == 0
    desk.write("shop_account", ACCOUNT)
    assert desk.state("04-1") == (1, "token has no value yet.")
    desk.secret("shop_account", "token", example_service.bearer_token)
    assert desk.state("04-1")[0] == 2
    desk.run(desk.host.studio.publish("shop_account"))
    assert desk.state("04-1")[1].startswith("The service did not know the token")
    desk.secret("shop_account", "token", f"Bearer {example_service.bearer_token}")
    assert desk.state("04-1") == (4, "solved")


def test_04_2_a_tool_with_a_secret_of_its_own(
    desk: Desk, example_service: ExampleService
) -> None:
    assert desk.state("04-2")[0] == 0
    desk.write("my_orders", changed(ORDERS, ("/orders", "/me")))
    assert desk.state("04-2")[0] == 1
    for wrong in (("X-Api-Key", "Authorization"), ("secret:api_key", "secret:key")):
        desk.write("my_orders", changed(ORDERS, wrong))
        assert desk.state("04-2")[0] == 2
    desk.write("my_orders", ORDERS)
    assert desk.state("04-2") == (3, "api_key has no value yet.")
    desk.secret("my_orders", "api_key", example_service.api_key)
    desk.run(desk.host.studio.publish("my_orders"))
    assert desk.state("04-2") == (6, "solved")


# ---------------------------------------------------------------- 5. versions
FIND = """
title: Find a city
description: Finds a city by a part of its name. Use it when it is not clear which.
params:
  q: {type: string}
request: GET ${service}/cities?q={{q}}&limit=1
response: {format: json, extract: {Name: "$.items[*].name"}}
"""
UNITS_LINE = "  units?: {type: string, enum: [metric, imperial], default: metric}\n"
UNITS = changed(
    WEATHER,
    ("request:", f"{UNITS_LINE}request:"),
    ("?city={{city}}", "?city={{city}}&units={{units}}"),
)
DAYS = changed(
    UNITS,
    (
        "  city: {type: string}",
        "  city: {type: string}\n  day?: {type: integer, default: 0}",
    ),
    ("&units={{units}}", "&units={{units}}&day={{day}}"),
)


def test_05_1_what_worked_comes_back_as_a_version_of_its_own(desk: Desk) -> None:
    studio = desk.host.studio
    assert desk.state("05-1")[0] == 0
    desk.write("find_city", FIND, publish=True)
    desk.write("find_city", changed(FIND, (".name", ".title")), publish=True)
    assert desk.state("05-1") == (2, "What is published is not version 1 again.")
    desk.write("find_city", changed(FIND, (".name", ".other")))
    assert desk.state("05-1")[0] == 1
    desk.run(studio.discard_draft("find_city"))
    desk.run(studio.rollback("find_city", 1))
    assert desk.state("05-1") == (4, "solved")
    desk.run(studio.set_enabled("find_city", enabled=False))
    assert desk.state("05-1")[1].startswith("It is switched off")


@pytest.mark.parametrize("too_early", [True, False])
def test_05_2_the_next_version_waits(desk: Desk, too_early: bool) -> None:
    assert desk.state("05-2")[0] == 0
    desk.write("city_weather", UNITS, publish=True)
    assert desk.state("05-2") == (1, "It does not take a day yet.")
    desk.write("city_weather", DAYS, publish=too_early)
    if too_early:
        assert desk.state("05-2")[1] == "Agents use it already, and it should wait."
        desk.write("city_weather", changed(DAYS, ("title: Weather", "title: New")))
        assert desk.state("05-2") == (6, "Agents use a version that takes a day.")
        desk.run(desk.host.studio.discard_draft("city_weather"))
        desk.run(desk.host.studio.rollback("city_weather", 1))
        desk.write("city_weather", DAYS)
    assert desk.state("05-2") == (8, "solved")


@pytest.mark.parametrize(
    ("change", "met", "missing"),
    [
        (("day={{day}}", "days={{day}}"), 1, "It does not take a day yet."),
        (("units={{units}}&", ""), 2, "It does not take units any more."),
        (("day?", "day"), 3, "More than the city has to be given"),
        (("units?", "units"), 3, "More than the city has to be given"),
        (("default: 0", "default: 1"), 3, "More than the city has to be given"),
        (("/weather", "/wether"), 4, "The request goes elsewhere"),
        (("/weather", "/weather/at"), 4, "The request goes elsewhere"),
        (("city: {type: string}", "city: {type: integer}"), 7, "The draft does not"),
        (("request:", "risk: low-write\nrequest:"), 7, "The draft does not work."),
    ],
)
def test_05_2_a_next_version_that_broke_something_is_not_solved(
    desk: Desk, change: tuple[str, str], met: int, missing: str
) -> None:
    desk.write("city_weather", UNITS, publish=True)
    text = changed(DAYS, change)
    if change[0].startswith("units={{"):  # the cell would be refused
        text = changed(text, (UNITS_LINE, ""))
    desk.write("city_weather", text)
    found = desk.state("05-2")
    assert found[0] == met
    assert found[1].startswith(missing)


def test_05_2_the_typing_error_is_found_also_where_agents_have_it(desk: Desk) -> None:
    typo = ("/weather", "/wether")
    desk.write("city_weather", changed(UNITS, typo), publish=True)
    desk.write("city_weather", changed(DAYS, typo))
    assert desk.state("05-2")[1].startswith("The request goes elsewhere")


@pytest.mark.parametrize(
    ("exercise", "tool_id"),
    [
        ("02-1", "search_cities"),
        ("02-2", "get_country"),
        ("03-1", "pay_order"),
        ("03-2", "city_weather"),
        ("04-1", "shop_account"),
        ("04-2", "my_orders"),
        ("05-1", "find_city"),
        ("05-2", "city_weather"),
        ("06-1", "to_fahrenheit"),
        ("06-2", "temperature_gap"),
    ],
)
def test_a_tool_of_another_kind_with_that_name_is_no_accident(
    desk: Desk, exercise: str, tool_id: str
) -> None:
    vision = {
        "id": tool_id,
        "title": "Look at a picture",
        "description": "Tells what a picture shows.",
        "type": "provider-vision",
        "inputSchema": {
            "type": "object",
            "properties": {
                "images": {"type": "array", "items": {"type": "string"}},
                "question": {"type": "string"},
            },
            "required": ["images"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"providerProfileId": "any", "exposeToAgent": False},
    }
    desk.run(desk.host.studio.draft(vision))
    assert desk.state(exercise)[1] != "solved"
