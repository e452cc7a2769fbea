import copy
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.settings import (
    SETTINGS,
    Settings,
    load_settings,
    safe_url,
)
from tests import canary

TOKEN = "canary_mcp_8Qw2-Lk"
PASSWORD = "canary_db_5Rt9-Zz"


def load(
    environment: Mapping[str, str] | None = None, cwd: Path | None = None, **more: Any
) -> Settings:
    return load_settings(environment=environment or {}, cwd=cwd, **more)


def refused(*arguments: Any, **more: Any) -> InvalidInputError:
    with pytest.raises(InvalidInputError) as caught:
        load(*arguments, **more)
    return caught.value


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


# ----------------------------------------------------------------- order of places
def test_without_any_setting_the_defaults_hold(
    isolated_home: Path, tmp_path: Path
) -> None:
    settings = load(cwd=tmp_path)
    user = isolated_home / ".local" / "share" / "sparknb"
    assert settings.home == user
    assert settings.user_folder == user
    assert settings.database_url == f"sqlite:///{user}/registry.db"
    assert settings.keychain == "auto"
    assert settings.require_passing_cases is False
    assert settings.mcp_token is None
    assert settings.examples_port == 8700
    assert set(settings.sources.values()) == {"default"}
    assert settings.notices == ()
    assert not user.exists()


def test_an_argument_goes_before_a_variable_before_the_file(home: Path) -> None:
    (home / "settings.toml").write_text(
        'keychain = "memory"\nrequire_passing_cases = true\nexamples_port = 9000\n',
        encoding="utf-8",
    )
    environment = {"SPARKNB_HOME": str(home), "SPARKNB_KEYCHAIN": "env"}
    from_file = load({"SPARKNB_HOME": str(home)})
    assert (from_file.keychain, from_file.sources["keychain"]) == (
        "memory",
        "settings.toml",
    )
    from_variable = load(environment)
    assert (from_variable.keychain, from_variable.sources["keychain"]) == (
        "env",
        "environment",
    )
    from_argument = load(environment, keychain="os")
    assert (from_argument.keychain, from_argument.sources["keychain"]) == (
        "os",
        "argument",
    )
    assert from_argument.require_passing_cases is True
    assert from_argument.examples_port == 9000


def test_the_variables_of_the_process_are_read_when_none_are_given(
    monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    monkeypatch.setenv("SPARKNB_KEYCHAIN", "memory")
    settings = load_settings()
    assert settings.keychain == "memory"
    assert settings.home == isolated_home / "sparknb"  # as SPARKNB_HOME says


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_variable_counts_as_not_set(text: str, tmp_path: Path) -> None:
    names = [setting.variable for setting in SETTINGS]
    settings = load(dict.fromkeys(names, text), cwd=tmp_path)
    assert set(settings.sources.values()) == {"default"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("Yes", True), (" on ", True), ("false", False), ("0", False)],
)
def test_a_switch_has_the_usual_words(text: str, value: bool) -> None:
    settings = load({"SPARKNB_REQUIRE_PASSING_CASES": text})
    assert settings.require_passing_cases is value


# ------------------------------------------------------------------------- the home
def test_a_home_may_be_relative_or_below_the_users_folder(
    tmp_path: Path, isolated_home: Path
) -> None:
    assert load(cwd=tmp_path, home="x/y").home == tmp_path / "x" / "y"
    assert load({"SPARKNB_HOME": "~/z"}).home == isolated_home / "z"
    assert load(home=Path("~/z"), cwd=tmp_path).sources["home"] == "argument"


@pytest.mark.parametrize("name", ["nul\0nul", "x" * 5000, "~nobody-of-this-name/x"])
def test_a_home_that_is_no_path_is_refused(name: str) -> None:
    assert refused(home=name).path == "home"
    assert refused({"SPARKNB_HOME": name}).path == "SPARKNB_HOME"


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    error = refused({"SPARKNB_HOME": str(file)})
    assert error.path == "SPARKNB_HOME"
    assert "is a file" in error.message


def test_a_removed_current_folder_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert load().sources["home"] == "default"


def test_a_home_whose_path_a_database_url_cannot_hold_is_refused(
    tmp_path: Path,
) -> None:
    assert refused(home=tmp_path / "what?").path == "home"
    settings = load(home=tmp_path / "what?", database_url="sqlite:////x.db")
    assert settings.database_url == "sqlite:////x.db"


# ----------------------------------------------------------------- values not allowed
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("SPARKNB_KEYCHAIN", "plaintext"),
        ("SPARKNB_KEYCHAIN", "OS"),
        ("SPARKNB_REQUIRE_PASSING_CASES", "maybe"),
        ("SPARKNB_EXAMPLES_PORT", "0"),
        ("SPARKNB_EXAMPLES_PORT", "65536"),
        ("SPARKNB_EXAMPLES_PORT", "８７００"),
        ("SPARKNB_EXAMPLES_PORT", "9" * 5000),
        ("SPARKNB_EXAMPLES_PORT", "-1"),
        ("SPARKNB_DATABASE_URL", "mysql://db/x"),
        ("SPARKNB_DATABASE_URL", "registry.db"),
    ],
)
def test_a_value_that_is_not_allowed_names_its_variable_and_what_is(
    variable: str, text: str
) -> None:
    error = refused({variable: text})
    assert error.path == variable
    [setting] = [s for s in SETTINGS if s.variable == variable]
    assert setting.allowed in error.message
    assert text not in error.message or len(text) < 3


def test_an_argument_that_is_not_allowed_is_named() -> None:
    assert refused(keychain="x").path == "keychain"
    assert refused(database_url="x").path == "database_url"


def test_all_values_that_are_not_allowed_come_together(home: Path) -> None:
    (home / "settings.toml").write_text("examples_port = true\n", encoding="utf-8")
    environment = {"SPARKNB_HOME": str(home), "SPARKNB_KEYCHAIN": TOKEN}
    error = refused(environment)
    assert [p.path for p in error.problems] == [
        "SPARKNB_KEYCHAIN",
        "settings.toml: examples_port",
    ]
    assert TOKEN not in str(error.to_wire())


# ---------------------------------------------------------------------- settings.toml
@pytest.mark.parametrize(
    "content",
    [
        b"keychain = ",
        b"keychain",
        b"\xff",
        b"a = " + b"[" * 10_000,
        b'x = "unended',
        b"# " + b"x" * 70_000,
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(
    home: Path, content: bytes
) -> None:
    (home / "settings.toml").write_bytes(content)
    error = refused(home=home)
    assert error.path == "settings.toml"
    assert "settings.toml cannot be read" in error.message


def test_a_broken_file_is_not_repeated(home: Path) -> None:
    (home / "settings.toml").write_text(f"a = 1\n{TOKEN} {PASSWORD}", encoding="utf-8")
    error = refused(home=home)
    assert "at line 2, column" in error.message
    assert TOKEN not in str(error.to_wire())


def test_a_folder_in_place_of_the_file_is_refused(home: Path) -> None:
    (home / "settings.toml").mkdir()
    assert refused(home=home).path == "settings.toml"


def test_a_file_with_a_byte_order_mark_is_read(home: Path) -> None:
    (home / "settings.toml").write_text('keychain = "env"', encoding="utf-8-sig")
    assert load(home=home).keychain == "env"


@pytest.mark.parametrize("written", ["5", '["os"]', "true", "1979-05-27", "{a = 1}"])
def test_a_value_of_another_type_is_refused(home: Path, written: str) -> None:
    (home / "settings.toml").write_text(f"keychain = {written}", encoding="utf-8")
    assert refused(home=home).path == "settings.toml: keychain"


def test_the_file_may_hold_no_secret(home: Path) -> None:
    url = f"postgresql+psycopg://ann:{PASSWORD}@db.test/x"
    (home / "settings.toml").write_text(
        f'mcp_token = "{TOKEN}"\ndatabase_url = "{url}"\nhome = "/x"\n',
        encoding="utf-8",
    )
    error = refused(home=home)
    assert [p.path for p in error.problems] == [
        "settings.toml: home",
        "settings.toml: database_url",
        "settings.toml: mcp_token",
    ]
    assert "SPARKNB_MCP_TOKEN" in error.problems[2].message
    for secret in (TOKEN, PASSWORD):
        assert secret not in str(error.to_wire())


def test_unknown_names_are_warned_of_with_the_nearest_known(home: Path) -> None:
    (home / "settings.toml").write_text(
        'keychian = "os"\n[other]\nx = 1\n', encoding="utf-8"
    )
    environment = {
        "SPARKNB_HOME": str(home),
        "SPARKNB_KEYCHIAN": "os",
        "SPARKNB_TEST_WITHOUT_KEYRING": "1",
        "SPARKNB_SECRET__KEYCHAIN": "value",
    }
    notices = load(environment).notices
    assert [(n.code, n.level, n.path) for n in notices] == [
        ("SETTING_UNKNOWN", "warning", "settings.toml: keychian"),
        ("SETTING_UNKNOWN", "warning", "settings.toml: other"),
        ("SETTING_UNKNOWN", "warning", "SPARKNB_KEYCHIAN"),
    ]
    assert notices[0].hint == "did you mean keychain?"
    assert notices[2].hint == "did you mean SPARKNB_KEYCHAIN?"


# ---------------------------------------------------------------------- database URL
def test_a_relative_database_lies_where_it_was_named(
    home: Path, tmp_path: Path
) -> None:
    (home / "settings.toml").write_text(
        'database_url = "sqlite:///team/r.db?mode=ro"', encoding="utf-8"
    )
    assert load(home=home, cwd=tmp_path).database_url == (
        f"sqlite:///{home}/team/r.db?mode=ro"
    )
    given = load(home=home, cwd=tmp_path, database_url="sqlite:///r.db")
    assert given.database_url == f"sqlite:///{tmp_path}/r.db"


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "sqlite:////abs/r.db",
        "postgresql+psycopg://db.test/x",
    ],
)
def test_other_database_urls_stay_as_they_are(url: str) -> None:
    assert load({"SPARKNB_DATABASE_URL": url}).database_url == url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////abs/r.db", "sqlite:////abs/r.db"),
        ("postgresql://db.test:5432/x", "postgresql://db.test:5432/x"),
        ("postgresql://ann@db.test/x", "postgresql://ann@db.test/x"),
        (f"postgresql://ann:{PASSWORD}@db/x", "postgresql://ann:***@db/x"),
        (f"postgresql://ann:a/b@c:{PASSWORD}@db/x", "postgresql://ann:***@db/x"),
        (f"postgresql://:{PASSWORD}@db/x", "postgresql://:***@db/x"),
        (
            f"postgresql://db/x?user=ann&password={PASSWORD}&sslmode=require",
            "postgresql://db/x?user=ann&password=***&sslmode=require",
        ),
        (
            f"postgresql://db/x?SSLPassword={PASSWORD}",
            "postgresql://db/x?SSLPassword=***",
        ),
        ("nonsense", "nonsense"),
    ],
)
def test_a_database_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert safe_url(url) == shown


# -------------------------------------------------------------------------- secrets
def test_settings_never_show_a_secret(tmp_path: Path) -> None:
    environment = {
        "SPARKNB_HOME": str(tmp_path),
        "SPARKNB_MCP_TOKEN": TOKEN,
        "SPARKNB_DATABASE_URL": f"postgresql+psycopg://ann:{PASSWORD}@db.test/x",
        "SPARKNB_SECRET__WEATHER__KEY": TOKEN,
        "https_proxy": f"http://ann:{PASSWORD}@proxy.test:3128",
    }
    settings = load(environment)
    assert settings.mcp_token == TOKEN
    wire = settings.to_wire()
    shown = f"{settings!r} {settings} {json.dumps(wire)} {settings.secret_environment}"
    for secret in (TOKEN, PASSWORD):
        for form in canary.text_forms(secret):
            assert form not in shown
    assert wire["mcp_token"] == {
        "value": "[secret]",
        "source": "environment",
        "variable": "SPARKNB_MCP_TOKEN",
    }
    assert wire["database_url"]["value"] == "postgresql+psycopg://ann:***@db.test/x"
    assert list(wire) == [setting.key for setting in SETTINGS]
    for held in (settings, settings.secret_environment):
        with pytest.raises(TypeError):
            vars(held)
        for show in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled"):
                show(held)


def test_variables_of_secrets_and_proxies_are_handed_on() -> None:
    settings = load(
        {
            "SPARKNB_SECRET__WEATHER__KEY": "value-1",
            "HTTP_PROXY": "http://proxy.test",
            "no_proxy": "*.test",
            "PATH": "/bin",
        }
    )
    assert settings.secret_environment == {"SPARKNB_SECRET__WEATHER__KEY": "value-1"}
    assert settings.proxy_environment == {
        "HTTP_PROXY": "http://proxy.test",
        "no_proxy": "*.test",
    }
    assert len(settings.proxy_environment) == 2
    assert "x" not in settings.secret_environment


def test_the_table_names_each_setting_once() -> None:
    for name in ("key", "variable"):
        names = [getattr(setting, name) for setting in SETTINGS]
        assert len(set(names)) == len(names)
    assert all(s.variable == f"SPARKNB_{s.key.upper()}" for s in SETTINGS)
    assert all(s.meaning and s.default and s.allowed for s in SETTINGS)
    assert not any(s.is_in_file for s in SETTINGS if s.is_secret)
