"""OpenAPI: one draft or one skip for each operation (ST-99 to ST-112)."""

from sparknb.importers.openapi.operations import import_operations
from sparknb.importers.openapi.outcomes import Draft, Imported, Listed, Skip
from sparknb.importers.openapi.selection import listing, select

__all__ = [
    "Draft",
    "Imported",
    "Listed",
    "Skip",
    "import_operations",
    "listing",
    "select",
]
