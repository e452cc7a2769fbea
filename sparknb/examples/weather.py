"""Invented weather: it looks plausible, and is the same for a place every time."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from sparknb.examples.shapes import described

__all__ = ["Condition", "Weather", "invent_weather"]

Condition = Literal["sunny", "cloudy", "rain", "snow", "fog", "storm"]


@dataclass(frozen=True, slots=True)
class Weather:
    """The weather of a place on one day of the week to come."""

    city: str = described("Name of the city, or the coordinates.")
    country: str = described("ISO 3166 code of the country; empty at sea.")
    day: int = described("0 is today, 6 the last day known.")
    condition: Condition = described("What the sky looks like.")
    temperature: float = described("In degrees Celsius, or Fahrenheit when asked.")
    humidity: int = described("Relative humidity in per cent.")
    wind_kmh: int = described("Wind speed in kilometres per hour.")


def invent_weather(
    city: str,
    country: str,
    latitude: float,
    longitude: float,
    *,
    day: int = 0,
    fahrenheit: bool = False,
) -> Weather:
    """Give the weather of a place, colder towards the poles."""
    dice = sha256(f"{latitude:.2f} {longitude:.2f} {day}".encode()).digest()
    celsius = round(29 - abs(latitude) * 0.5 + dice[0] % 11 - 5 + dice[1] % 10 / 10, 1)
    skies: tuple[Condition, ...] = ("sunny", "cloudy", "rain", "fog", "storm")
    condition = skies[dice[2] % len(skies)]
    if celsius < 0 and condition in ("rain", "storm"):
        condition = "snow"
    return Weather(
        city,
        country,
        day,
        condition,
        round(celsius * 9 / 5 + 32, 1) if fahrenheit else celsius,
        35 + dice[3] % 60,
        dice[4] % 45,
    )
