"""Settings: the only reader of environment variables and of the user's folders."""

from sparknb.settings.homes import init_home, make_home
from sparknb.settings.loading import load_settings
from sparknb.settings.model import Settings, safe_url
from sparknb.settings.table import SETTINGS, Setting

__all__ = [
    "SETTINGS",
    "Setting",
    "Settings",
    "init_home",
    "load_settings",
    "make_home",
    "safe_url",
]
