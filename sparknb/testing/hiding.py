"""Keeps the values of secrets out of what a check tells."""

import os

from sparknb.core.redaction import Redactor
from sparknb.core.secret_variables import SECRET_VARIABLES

__all__ = ["redactor"]


def redactor() -> Redactor:
    """Give what hides the values that the environment lets in.

    It must see a text whole: half a value, as a cut leaves it, looks like any text.
    """
    values = [v for n, v in os.environ.items() if n.startswith(SECRET_VARIABLES) and v]
    return Redactor(values, patterns=True)
