"""The restricted input schema (ST-5, ST-6)."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from sparknb.core.definitions import Parameter, ParameterType
from sparknb.core.input_schema import fits_type, is_finite_number, misfits
from sparknb.core.problems import Problem
from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    Field,
    Tell,
    at,
    bad_value,
    choice,
    closed,
    exactly,
    listing,
    missing,
    text,
    wrong_type,
)
from sparknb.core.wording import join_path, show

__all__ = ["declared_parameters", "read_schema"]

_MOST_PARAMETERS = 32
_MOST_ENUM = 50
_LONGEST_NAME = 64
_LONGEST_ENUM_TEXT = 200
_LONGEST_DEFAULT_TEXT = 2000
_MOST_DEFAULT_ELEMENTS = 50
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_SCALARS = ("string", "number", "integer", "boolean")
_WITH_ENUM = ("string", "number", "integer")


# ---------------------------------------------------------------- one parameter
def _enum_value(value: Any, path: str, tell: Tell) -> Any:
    if isinstance(value, str):
        if len(value) <= _LONGEST_ENUM_TEXT:
            return value
        rule = f"must have at most {_LONGEST_ENUM_TEXT} characters, not {len(value)}"
        tell(bad_value(path, rule))
    elif is_finite_number(value):
        return value
    else:
        tell(bad_value(path, "must be a string or a number"))
    return BROKEN


def _default_element(value: Any, path: str, tell: Tell) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_DEFAULT_TEXT:
        rule = f"must have at most {_LONGEST_DEFAULT_TEXT} characters, not {len(value)}"
        tell(bad_value(path, rule))
    elif isinstance(value, str | bool) or is_finite_number(value):
        return value
    elif isinstance(value, int | float):
        tell(bad_value(path, "must be a number that JSON readers can hold"))
    else:
        tell(wrong_type(path, "a string, number or boolean", value))
    return BROKEN


_default_array = listing(_default_element, most=_MOST_DEFAULT_ELEMENTS)


def _default(value: Any, path: str, tell: Tell) -> Any:
    read = _default_array if isinstance(value, list) else _default_element
    sound = read(value, path, tell)
    return BROKEN if _holds_broken(sound) else sound


def _holds_broken(value: Any) -> bool:
    return value is BROKEN or (isinstance(value, list) and BROKEN in value)


_parameter_shape = closed(
    Field("type", choice(*get_args(ParameterType))),
    Field("title", text(0, 120), OPTIONAL),
    Field("description", text(0, 1000), OPTIONAL),
    Field("items", closed(Field("type", choice(*_SCALARS))), OPTIONAL),
    Field("enum", listing(_enum_value, least=1, most=_MOST_ENUM), OPTIONAL),
    Field("default", _default, OPTIONAL),
)


def _parameter(value: Any, path: str, tell: Tell) -> Any:
    sound = _parameter_shape(value, path, tell)
    if sound is BROKEN or sound["type"] is BROKEN:
        return sound
    if "items" in sound or sound["type"] == "array":
        _check_items(sound, path, tell)
    if "enum" in sound:
        _check_enum(sound, path, tell)
        _check_repeats(sound["enum"], path, tell)
    if "default" in sound:
        _check_default(sound, path, tell)
    return _with_whole_numbers(sound)


def _check_items(sound: Mapping[str, Any], path: str, tell: Tell) -> None:
    is_array = sound["type"] == "array"
    if is_array and "items" not in sound:
        tell(missing(f"{path}.items"))
    elif "items" in sound and not is_array:
        tell(bad_value(f"{path}.items", "must only stand beside type array"))


def _check_enum(sound: Mapping[str, Any], path: str, tell: Tell) -> None:
    wanted = sound["type"]
    if wanted not in _WITH_ENUM:
        rule = f"must only stand beside one of the types {', '.join(_WITH_ENUM)}"
        tell(bad_value(f"{path}.enum", rule))
    elif sound["enum"] is not BROKEN:
        for position, value in enumerate(sound["enum"]):
            if value is not BROKEN and not fits_type(value, wanted):
                rule = f"must be of the parameter's type, {wanted}"
                tell(bad_value(f"{path}.enum.{position}", rule))


def _check_repeats(enum: Any, path: str, tell: Tell) -> None:
    seen: set[Any] = set()
    for position, value in enumerate(() if enum is BROKEN else enum):
        if value in seen and value is not BROKEN:
            at_value = f"{path}.enum.{position}"
            tell(bad_value(at_value, "must not repeat an earlier value", strict=True))
        seen.add(value)


def _check_default(sound: Mapping[str, Any], path: str, tell: Tell) -> None:
    parameter = _declared("", sound)
    default, enum = sound["default"], sound.get("enum")
    if default is BROKEN or parameter is None or _holds_broken(enum):
        return
    if enum is not None:
        parameter = replace(parameter, enum=tuple(enum))
    for suffix, rule in misfits(parameter, default):
        hint = "the check of a call would refuse this default"
        tell(bad_value(f"{path}.default{suffix}", rule, hint=hint, strict=True))


def _with_whole_numbers(sound: dict[str, Any]) -> dict[str, Any]:
    """Spell 5.0 as 5 where an integer is declared."""
    if "integer" in (sound["type"], at(sound, "items", "type")):
        for key in sound.keys() & {"enum", "default"}:
            sound[key] = _whole(sound[key])
    return sound


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return [_whole(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# ------------------------------------------------------------------- the schema
def _properties(value: Any, path: str, tell: Tell) -> Any:
    if not isinstance(value, dict):
        tell(wrong_type(path, "an object", value))
        return BROKEN
    fits = len(value) <= _MOST_PARAMETERS
    if not fits:
        rule = f"must have at most {_MOST_PARAMETERS} parameters, not {len(value)}"
        tell(bad_value(path, rule))
    sound: dict[str, Any] = {}
    for name in list(value)[:_MOST_PARAMETERS]:
        at_name = join_path(path, name)
        is_named = isinstance(name, str) and _NAME.fullmatch(name)
        if not is_named:
            rule = "must be a name of a-z, A-Z, 0-9 and _ that starts with no digit"
            tell(bad_value(at_name, rule, hint=_plainer(name, value)))
        elif len(name) > _LONGEST_NAME:
            rule = f"must have at most {_LONGEST_NAME} characters, not {len(name)}"
            tell(bad_value(at_name, rule, strict=True))
        parameter = _parameter(value[name], at_name, tell)
        sound[name] = parameter if is_named else BROKEN
    return sound if fits else BROKEN


def _plainer(name: Any, taken: Mapping[Any, Any]) -> str | None:
    """Give the hint to write a name without its accents, where that is a name."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    apart = unicodedata.normalize("NFKD", name)
    plain = "".join(sign for sign in apart if not unicodedata.combining(sign))
    is_free = _NAME.fullmatch(plain) is not None and plain not in taken
    return f"write {plain}" if is_free and len(plain) <= _LONGEST_NAME else None


def _required_name(value: Any, path: str, tell: Tell) -> Any:
    if isinstance(value, str):
        return value
    tell(wrong_type(path, "a string", value))
    return BROKEN


_schema_shape = closed(
    Field("type", exactly("object")),
    Field("properties", _properties),
    Field("required", listing(_required_name, most=_MOST_PARAMETERS), OPTIONAL),
)


def read_schema(value: Any, path: str, tell: Tell) -> Any:
    """Read an input schema; a name that `required` repeats is kept once."""
    sound = _schema_shape(value, path, tell)
    if sound is BROKEN or not isinstance(sound.get("required"), list):
        return sound
    names: dict[Any, None] = {}
    for position, name in enumerate(sound["required"]):
        at_name = f"{path}.required.{position}"
        if name in names and name is not BROKEN:
            tell(
                Problem(
                    code="FIELD_VALUE",
                    message=f"'{show(name)}' is required twice; it is kept once",
                    path=at_name,
                    level="warning",
                )
            )
        elif _is_undeclared(name, sound["properties"]):
            tell(bad_value(at_name, "must name one of the properties"))
        names[name] = None
    sound["required"] = list(names)
    return sound


def _is_undeclared(name: Any, properties: Any) -> bool:
    return name is not BROKEN and properties is not BROKEN and name not in properties


# ---------------------------------------------------- what templates ask it for
def declared_parameters(schema: Any) -> dict[str, Parameter] | None:
    """Give the parameters of a schema that was read, as far as templates need them.

    None when the schema, a name or a type is broken: nothing can be said then.
    """
    if schema is BROKEN or schema["properties"] is BROKEN:
        return None
    found = {name: _declared(name, p) for name, p in schema["properties"].items()}
    sound = {name: p for name, p in found.items() if p is not None}
    return sound if len(sound) == len(found) else None


def _declared(name: str, sound: Any) -> Parameter | None:
    if sound is BROKEN or sound["type"] is BROKEN:
        return None
    item_type: Any = None
    if sound["type"] == "array":
        item_type = at(sound, "items", "type")
        if item_type is None or item_type is BROKEN:
            return None
    return Parameter(name=name, type=sound["type"], required=False, item_type=item_type)
