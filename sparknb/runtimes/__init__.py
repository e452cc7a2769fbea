"""Filled in by the modules beside it."""
