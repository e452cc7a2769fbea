"""Export files of Spark Work's Tool Studio, read and written (ST-83 to ST-87).

Pure: text to definitions with everything that is wrong, and definitions to text.
"""

from sparknb.core.exchange.form import (
    MAX_BYTES,
    Entry,
    Export,
    ExportFile,
    Skip,
    Source,
)
from sparknb.core.exchange.original import Difference, differences
from sparknb.core.exchange.reading import read_export
from sparknb.core.exchange.writing import write_export

__all__ = [
    "MAX_BYTES",
    "Difference",
    "Entry",
    "Export",
    "ExportFile",
    "Skip",
    "Source",
    "differences",
    "read_export",
    "write_export",
]
