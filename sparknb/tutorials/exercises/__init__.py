"""The exercises of the lessons: what an answer must be, point by point."""

from collections.abc import Mapping

from sparknb.tutorials.exercises import (
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
)
from sparknb.tutorials.exercises.points import Exercise, Point

__all__ = ["EXERCISES", "Exercise", "Point"]

EXERCISES: Mapping[str, Exercise] = {
    "01-1": lesson_01.find_cities,
    "01-2": lesson_01.short_weather,
    "02-1": lesson_02.search_cities,
    "02-2": lesson_02.get_country,
    "03-1": lesson_03.pay_order,
    "03-2": lesson_03.costly_weather,
    "04-1": lesson_04.shop_account,
    "04-2": lesson_04.my_orders,
    "05-1": lesson_05.bring_back,
    "05-2": lesson_05.next_version,
    "06-1": lesson_06.to_fahrenheit,
    "06-2": lesson_06.temperature_gap,
}
