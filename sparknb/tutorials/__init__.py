"""The lessons: where they are, a copy to work on, and checks of their exercises."""

from sparknb.tutorials.answers import check
from sparknb.tutorials.copying import CopiedTutorials, copy_tutorials
from sparknb.tutorials.lessons import LESSONS, Lesson, example_secrets
from sparknb.tutorials.shipped import shipped_folder

__all__ = [
    "LESSONS",
    "CopiedTutorials",
    "Lesson",
    "check",
    "copy_tutorials",
    "example_secrets",
    "shipped_folder",
]
