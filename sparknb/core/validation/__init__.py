"""The rules of definitions: problems as data, all of them, and the normal form."""

from sparknb.core.validation.building import read_definition
from sparknb.core.validation.definition import validate, validate_text
from sparknb.core.validation.report import Report

__all__ = ["Report", "read_definition", "validate", "validate_text"]
