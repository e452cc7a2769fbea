"""Starters: definitions to begin with (ST-113, ST-114)."""

from sparknb.importers.starters.starter import STARTERS, Blank, Starter, starter

__all__ = ["STARTERS", "Blank", "Starter", "starter"]
