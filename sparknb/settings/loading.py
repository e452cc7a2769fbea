"""Reads the settings, each from the first place that gives it.

The order is: argument, environment variable, `<home>/settings.toml`, default.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from sparknb.core.errors import InvalidInputError, refusal
from sparknb.core.problems import Problem
from sparknb.core.secret_variables import SECRET_VARIABLES
from sparknb.settings.homes import find_project_home, user_folder
from sparknb.settings.model import HiddenVariables, Settings, Source, safe_url
from sparknb.settings.table import SETTINGS, Setting

__all__ = ["load_settings"]

_FILE = "settings.toml"
_LONGEST_FILE = 64 * 1024  # bytes
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})
_SQLITE = "sqlite:///"


def load_settings(
    *,
    home: str | Path | None = None,
    database_url: str | None = None,
    keychain: str | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Settings:
    """Read all settings; makes and changes nothing.

    Args:
        home: The home; a relative path begins at `cwd`, `~` is the user's folder.
        database_url: Where the registry is.
        keychain: Which keychain to use.
        environment: Variables in place of those of the process.
        cwd: Where to look for a project home; None is the current folder.

    Raises:
        InvalidInputError: A value is not allowed; `problems` has all of them, each at
            its variable, key or argument.
    """
    variables = os.environ if environment is None else environment
    here = cwd or _current_folder()
    user = user_folder()
    place, source, notices = _choose_home(home, variables, here, user)
    given = _Given(
        arguments={"database_url": database_url, "keychain": keychain},
        variables=variables,
        file=_read_file(place / _FILE),
        notices=notices,
    )
    values = given.values()
    given.note_unknown_names()
    if given.refused:
        raise refusal(given.refused, "the configuration")
    given.sources["home"] = source
    return Settings(
        home=place,
        database_url=_registry_url(values, given.sources, place, here),
        keychain=values.get("keychain", "auto"),
        require_passing_cases=values.get("require_passing_cases", False),
        mcp_token=values.get("mcp_token"),
        examples_port=values.get("examples_port", 8700),
        user_folder=user,
        secret_environment=HiddenVariables(
            {n: v for n, v in variables.items() if n.startswith(SECRET_VARIABLES)}
        ),
        proxy_environment=HiddenVariables(
            {n: v for n, v in variables.items() if n.lower() in _PROXIES}
        ),
        sources=given.sources,
        notices=tuple(given.notices),
    )


# ---------------------------------------------------------------------- the home
def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed: no project is above nothing
        return Path(os.sep)


def _choose_home(
    argument: str | Path | None, variables: Mapping[str, str], here: Path, user: Path
) -> tuple[Path, Source, list[Problem]]:
    variable = variables.get("SPARKNB_HOME", "").strip()
    if argument is not None and str(argument):
        return _folder(argument, here, "home"), "argument", []
    if variable:
        return _folder(variable, here, "SPARKNB_HOME"), "environment", []
    project, notices = find_project_home(here, user)
    if project is not None:
        return project, "project", notices
    return _folder(user, here, "home"), "default", notices


def _folder(given: str | Path, here: Path, path: str) -> Path:
    try:
        home = here / Path(given).expanduser()
        is_taken = not stat.S_ISDIR(home.stat().st_mode)
    except FileNotFoundError:
        return home
    except (OSError, ValueError, RuntimeError):  # too long, NUL, an unknown ~user
        raise InvalidInputError(
            "the home is not the path of a folder that can be looked at",
            path=path,
            hint="give a folder that you may write to",
        ) from None
    if is_taken:
        raise InvalidInputError(
            f"the home {home} is a file; a home is a folder",
            path=path,
            hint="give a folder that you may write to, or one that is not there yet",
        )
    return home


# --------------------------------------------------------------------- the file
def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST_FILE + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    import tomllib  # most homes have no such file

    if len(content) > _LONGEST_FILE:
        raise _unreadable(path, f"it has more than {_LONGEST_FILE} bytes")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        # Its text repeats what stands there, so only the place is taken from it.
        place = re.search(r"line \d+, column \d+", str(error))
        where = f"at {place[0]}" if place else "at its end"
        raise _unreadable(path, f"it is no TOML {where}") from None
    except (UnicodeDecodeError, RecursionError):
        raise _unreadable(path, "it is no TOML in UTF-8") from None


def _unreadable(path: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"{path} cannot be read: {why}", path=_FILE, hint="correct or remove the file"
    )


# ------------------------------------------------------------------- the values
@dataclass(slots=True)
class _Given:
    """What the places give, and what is wrong with it."""

    arguments: Mapping[str, str | None]
    variables: Mapping[str, str]
    file: Mapping[str, Any]
    notices: list[Problem]
    sources: dict[str, Source] = field(default_factory=dict)
    refused: list[Problem] = field(default_factory=list)

    def values(self) -> dict[str, Any]:
        """Give the values by key, without those that nobody gives."""
        values: dict[str, Any] = {}
        for setting in SETTINGS:
            self._check_place(setting)
            written, source, path = self._find(setting)
            self.sources[setting.key] = source
            if source == "default":
                continue
            values[setting.key] = setting.accept(written)
            if values[setting.key] is None:
                self._refuse(path, f"it must be {setting.allowed}")
        return values

    def note_unknown_names(self) -> None:
        """Warn of keys and variables that nobody reads, where they look like ours."""
        keys = [s.key for s in SETTINGS if s.is_in_file]
        for key in sorted(self.file.keys() - {s.key for s in SETTINGS}):
            self._warn(f"{_FILE}: {key}", _nearest(key, keys) or keys)
        names = [s.variable for s in SETTINGS]
        ours = {n for n in self.variables if n.startswith("SPARKNB_")}
        for name in sorted(ours - {*names}):
            # Others may have variables of this prefix: only a slip of the pen counts.
            near = _nearest(name, names, 0.85)
            if near and not name.startswith(SECRET_VARIABLES):
                self._warn(name, near)

    def _find(self, setting: Setting) -> tuple[Any, Source, str]:
        """Give what was written, in which place, and the path to name it by."""
        argument = self.arguments.get(setting.key)
        if argument is not None:
            return argument, "argument", setting.key
        variable = self.variables.get(setting.variable, "")
        if variable.strip():
            return variable, "environment", setting.variable
        if setting.is_in_file and setting.key in self.file:
            return self.file[setting.key], "settings.toml", f"{_FILE}: {setting.key}"
        return None, "default", ""

    def _check_place(self, setting: Setting) -> None:
        """Refuse what the file may not hold: its home, and every secret."""
        written = self.file.get(setting.key)
        if written is None:
            return
        path = f"{_FILE}: {setting.key}"
        if not setting.is_in_file:
            self._refuse(path, f"only the variable {setting.variable} can give it")
        elif setting.key == "database_url" and safe_url(str(written)) != written:
            self._refuse(
                path,
                f"a file must not hold a password: use {setting.variable}, or the "
                "password file of PostgreSQL",
            )

    def _refuse(self, path: str, why: str) -> None:
        # The value is not repeated: it may be a secret in the wrong place.
        message = f"{path} is not allowed: {why}"
        self.refused.append(Problem(code="INVALID_INPUT", message=message, path=path))

    def _warn(self, path: str, near: list[str]) -> None:
        self.notices.append(
            Problem(
                code="SETTING_UNKNOWN",
                message=f"{path} is no setting and does nothing",
                path=path,
                hint=f"did you mean {' or '.join(near)}?",
                level="warning",
            )
        )


def _nearest(name: str, known: list[str], likeness: float = 0.6) -> list[str]:
    from difflib import get_close_matches  # most people spell well

    return get_close_matches(name, known, 1, likeness)


def _registry_url(
    values: Mapping[str, Any], sources: Mapping[str, Source], home: Path, here: Path
) -> str:
    """Give the database URL; a file without a folder lies where it was named."""
    url = values.get("database_url")
    if url is None:
        if "?" in str(home):
            raise InvalidInputError(
                "the path of the home has a question mark, which a database URL "
                "cannot hold",
                path="home",
                hint="choose another folder",
            )
        return _SQLITE + (home / "registry.db").as_posix()
    file, mark, query = str(url).removeprefix(_SQLITE).partition("?")
    is_relative = url.startswith(_SQLITE) and file and not PurePath(file).is_absolute()
    if not is_relative or file.startswith((":memory:", "file:")):
        return str(url)
    base = home if sources["database_url"] == "settings.toml" else here
    return f"{_SQLITE}{(base / file).as_posix()}{mark}{query}"
