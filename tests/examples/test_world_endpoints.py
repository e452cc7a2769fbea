"""Cities, countries and weather."""

import httpx
import pytest


def error_code(answer: httpx.Response) -> str:
    code: str = answer.json()["error"]["code"]
    return code


def test_cities_are_found_without_their_accents_largest_first(
    client: httpx.Client,
) -> None:
    found = client.get("/cities", params={"q": "zurich", "limit": 2}).json()
    assert found["items"][0]["name"] == "Zürich"
    assert found["items"][0]["country"] == "CH"
    assert found["items"][0]["population"] >= found["items"][1]["population"]


def test_the_cursor_leads_through_all_cities_of_a_country_once(
    client: httpx.Client,
) -> None:
    query: dict[str, str | int] = {"country": "no", "limit": 20}
    seen: list[int] = []
    for _ in range(20):
        page = client.get("/cities", params=query).json()
        seen += [city["id"] for city in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert len(seen) == len(set(seen)) == page["total"] > 20


@pytest.mark.parametrize("cursor", ["after-", "after--1", "after-²", "10", "x"])
def test_a_cursor_of_somebody_else_is_refused(
    client: httpx.Client, cursor: str
) -> None:
    answer = client.get("/cities", params={"cursor": cursor})
    assert (answer.status_code, error_code(answer)) == (422, "INVALID_CURSOR")


def test_a_cursor_behind_the_end_gives_an_empty_page(client: httpx.Client) -> None:
    page = client.get("/cities", params={"cursor": "after-99999999"}).json()
    assert (page["items"], page["next_cursor"]) == ([], None)


def test_a_city_is_found_by_id(client: httpx.Client) -> None:
    assert client.get("/cities/3143244").json()["name"] == "Oslo"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/cities/1", 404, "UNKNOWN_CITY"),
        ("/cities/oslo", 422, "INVALID_REQUEST"),
        ("/cities?limit=0", 422, "INVALID_REQUEST"),
        ("/cities?limit=101", 422, "INVALID_REQUEST"),
        ("/cities?limit=1e1", 422, "INVALID_REQUEST"),
        ("/cities?limit=" + "1" * 50, 422, "INVALID_REQUEST"),
        ("/countries/xx", 404, "UNKNOWN_COUNTRY"),
        ("/countries?page=0", 422, "INVALID_REQUEST"),
        ("/countries?continent=EUROPE", 422, "INVALID_REQUEST"),
        ("/weather", 422, "INVALID_REQUEST"),
        ("/weather?city=Nowhereville", 404, "UNKNOWN_CITY"),
        ("/weather?city=Oslo&country=SE", 404, "UNKNOWN_CITY"),
        ("/weather?city=Oslo&day=7", 422, "INVALID_REQUEST"),
        ("/weather/at?latitude=nan&longitude=0", 422, "INVALID_REQUEST"),
        ("/weather/at?latitude=90.1&longitude=0", 422, "INVALID_REQUEST"),
        ("/nothing/here", 404, "NOT_FOUND"),
        ("/cities/", 404, "NOT_FOUND"),
    ],
)
def test_a_wrong_request_gets_one_plain_refusal(
    client: httpx.Client, path: str, status: int, code: str
) -> None:
    answer = client.get(path)
    assert (answer.status_code, error_code(answer)) == (status, code)


def test_a_refusal_names_every_wrong_value(client: httpx.Client) -> None:
    answer = client.get("/weather?day=9&units=kelvin").json()
    names = [detail["name"] for detail in answer["error"]["details"]]
    assert names == ["city", "day", "units"]


def test_link_headers_lead_through_all_countries(client: httpx.Client) -> None:
    url, seen = "/countries?per_page=60&continent=AF", 0
    for _ in range(5):
        answer = client.get(url)
        seen += len(answer.json())
        if "next" not in answer.links:
            break
        url = answer.links["next"]["url"]
    assert seen > 50
    assert answer.links["first"]["url"].endswith("continent=AF&page=1")


def test_a_page_behind_the_last_is_empty(client: httpx.Client) -> None:
    answer = client.get("/countries?page=1000")
    assert (answer.status_code, answer.json()) == (200, [])


def test_weather_is_the_same_every_time(client: httpx.Client) -> None:
    first = client.get("/weather", params={"city": "OSLO"})
    assert first.json() == {
        "city": "Oslo",
        "country": "NO",
        "day": 0,
        "condition": "cloudy",
        "temperature": 1.8,
        "humidity": 86,
        "wind_kmh": 19,
    }
    assert client.get("/weather", params={"city": "oslo"}).content == first.content


@pytest.mark.parametrize("name", ["München", "Munich", "MUNCHEN", "慕尼黑"])
def test_a_city_is_known_by_its_other_names(client: httpx.Client, name: str) -> None:
    assert client.get("/weather", params={"city": name}).json()["city"] == "Munich"


def test_the_country_chooses_between_cities_of_one_name(client: httpx.Client) -> None:
    texas = client.get("/weather", params={"city": "Paris", "country": "us"}).json()
    assert (texas["city"], texas["country"]) == ("Paris", "US")


def test_weather_comes_in_fahrenheit_and_for_points(client: httpx.Client) -> None:
    oslo = {"city": "Oslo", "units": "imperial"}
    assert client.get("/weather", params=oslo).json()["temperature"] == 35.2
    pole = {"latitude": -89.5, "longitude": 0}
    weather = client.get("/weather/at", params=pole).json()
    assert weather["city"] == "-89.50, 0.00"
    assert weather["temperature"] < 0
    assert weather["condition"] not in ("rain", "storm")
