"""Endpoints about cities, countries and weather."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sparknb.examples.answers import json_answer, page_links
from sparknb.examples.endpoint import Call, Endpoint, Refusal
from sparknb.examples.shapes import described
from sparknb.examples.weather import Weather, invent_weather
from sparknb.examples.world import City, Country, fold, load_world

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["WORLD_ENDPOINTS"]

Continent = Literal["AF", "AN", "AS", "EU", "NA", "OC", "SA"]


@dataclass(frozen=True, slots=True)
class CitySearch:
    """Which cities, and from where on."""

    q: str | None = described("Part of the name.", default=None, max_length=100)
    country: str | None = described("Country code.", default=None, max_length=2)
    min_population: int = described("Smallest city wanted.", default=0, minimum=0)
    limit: int = described("Cities a page.", default=10, minimum=1, maximum=100)
    cursor: str | None = described(
        "Where the next page begins: `next_cursor` of the page before.",
        default=None,
        max_length=20,
    )


@dataclass(frozen=True, slots=True)
class CityPage:
    """One page of cities, the largest first."""

    items: list[City] = described("The cities.")
    total: int = described("How many match in all.")
    next_cursor: str | None = described("Null on the last page.", default=None)


@dataclass(frozen=True, slots=True)
class CityNumber:
    """One city."""

    id: int = described("GeoNames id.")


@dataclass(frozen=True, slots=True)
class CountrySearch:
    """Which countries, and which page of them."""

    continent: Continent | None = described("Only this continent.", default=None)
    page: int = described("Page number, from 1.", default=1, minimum=1)
    per_page: int = described("Countries a page.", default=20, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True)
class CountryCode:
    """One country."""

    code: str = described("ISO 3166 code, two letters.", max_length=2)


@dataclass(frozen=True, slots=True)
class WeatherPlace:
    """A city by name, on one day."""

    city: str = described("Name of the city in any spelling.", max_length=100)
    country: str | None = described("Country code.", default=None, max_length=2)
    day: int = described("0 is today.", default=0, minimum=0, maximum=6)
    units: Literal["metric", "imperial"] = described(
        "Degrees Celsius or Fahrenheit.", default="metric"
    )


@dataclass(frozen=True, slots=True)
class WeatherPoint:
    """A point on the map, on one day."""

    latitude: float = described("Degrees north.", minimum=-90, maximum=90)
    longitude: float = described("Degrees east.", minimum=-180, maximum=180)
    day: int = described("0 is today.", default=0, minimum=0, maximum=6)


def _code(text: str | None) -> str | None:
    return None if text is None else text.upper()


async def _cities(call: Call) -> "Response":
    search: CitySearch = call.query
    start = _start(search.cursor)
    world = load_world()
    wanted, country = fold(search.q or ""), _code(search.country)
    found = [
        city
        for city, name in zip(world.cities, world.folded, strict=True)
        if city.population >= search.min_population
        and country in (None, city.country)
        and (not wanted or wanted in name)
    ]
    end = start + search.limit
    following = f"after-{end}" if end < len(found) else None
    return json_answer(CityPage(found[start:end], len(found), following))


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    number = cursor.removeprefix("after-")
    if number == cursor or not (number.isascii() and number.isdigit()):
        raise Refusal(422, "INVALID_CURSOR", "cursor is not one that we gave")
    return int(number)


async def _city(call: Call) -> "Response":
    city = load_world().by_id.get(call.path.id)
    if city is None:
        raise Refusal(404, "UNKNOWN_CITY", f"no city has the id {call.path.id}")
    return json_answer(city)


async def _countries(call: Call) -> "Response":
    search: CountrySearch = call.query
    found = [
        country
        for country in load_world().countries.values()
        if search.continent in (None, country.continent)
    ]
    pages = -(-len(found) // search.per_page)
    start = (search.page - 1) * search.per_page
    url = f"{call.shelf.url}/countries?per_page={search.per_page}"
    if search.continent is not None:
        url += f"&continent={search.continent}"
    return json_answer(
        found[start : start + search.per_page],
        headers=page_links(url, search.page, pages),
    )


async def _country(call: Call) -> "Response":
    country = load_world().countries.get(call.path.code.upper())
    if country is None:
        raise Refusal(404, "UNKNOWN_COUNTRY", f"no country is {call.path.code!r}")
    return json_answer(country)


async def _weather(call: Call) -> "Response":
    place: WeatherPlace = call.query
    city = load_world().city(place.city, _code(place.country))
    if city is None:
        raise Refusal(404, "UNKNOWN_CITY", f"no city is called {place.city!r}")
    return json_answer(
        invent_weather(
            city.name,
            city.country,
            city.latitude,
            city.longitude,
            day=place.day,
            fahrenheit=place.units == "imperial",
        )
    )


async def _weather_at(call: Call) -> "Response":
    point: WeatherPoint = call.query
    name = f"{point.latitude:.2f}, {point.longitude:.2f}"
    return json_answer(
        invent_weather(name, "", point.latitude, point.longitude, day=point.day)
    )


WORLD_ENDPOINTS = (
    Endpoint(
        path="/cities",
        operation="listCities",
        summary="Search cities",
        description="Cities of more than 15,000 people, the largest first, by cursor.",
        tag="world",
        handler=_cities,
        query_shape=CitySearch,
        answer=CityPage,
    ),
    Endpoint(
        path="/cities/{id}",
        operation="getCity",
        summary="One city",
        tag="world",
        handler=_city,
        path_shape=CityNumber,
        answer=City,
        refusals=(404,),
    ),
    Endpoint(
        path="/countries",
        operation="listCountries",
        summary="Countries, page by page",
        description="Other pages are named in the Link header.",
        tag="world",
        handler=_countries,
        query_shape=CountrySearch,
        answer=list[Country],
    ),
    Endpoint(
        path="/countries/{code}",
        operation="getCountry",
        summary="One country",
        tag="world",
        handler=_country,
        path_shape=CountryCode,
        answer=Country,
        refusals=(404,),
    ),
    Endpoint(
        path="/weather",
        operation="getWeather",
        summary="The weather of a city",
        description="Invented, and the same every time: good for tests.",
        tag="world",
        handler=_weather,
        query_shape=WeatherPlace,
        answer=Weather,
        refusals=(404,),
    ),
    Endpoint(
        path="/weather/at",
        operation="getWeatherAt",
        summary="The weather of a point on the map",
        description="Invented, and the same every time: good for tests.",
        tag="world",
        handler=_weather_at,
        query_shape=WeatherPoint,
        answer=Weather,
    ),
)
