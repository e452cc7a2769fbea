"""What every keychain promises, asked of all of them."""

import copy
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sparknb.core.errors import KeychainUnavailableError
from sparknb.core.protocols import Keychain, StoredSecret
from sparknb.keychain import EnvKeychain, MemoryKeychain, OsKeychain, variable_name
from tests import canary

REFERENCE = "custom-tool:weather:api-key"
VALUE = "canary_7f3e-Kbk2_9dQxLw"
SECRET = StoredSecret(VALUE, "https://api.test:443")

pytestmark = pytest.mark.keyring


@dataclass
class Bench:
    """One kind of keychain: how to fill it, and another one beside it."""

    keychain: Keychain
    put: Callable[[str, StoredSecret], Keychain]
    other_registry: Keychain


def os_bench(request: pytest.FixtureRequest) -> Bench:
    request.getfixturevalue("session_bus")
    name = request.node.name
    keychain = OsKeychain(name)

    def put(reference: str, secret: StoredSecret) -> Keychain:
        keychain.write(reference, secret)
        return keychain

    return Bench(keychain, put, OsKeychain(f"{name} other"))


def memory_bench(request: pytest.FixtureRequest) -> Bench:
    keychain = MemoryKeychain()

    def put(reference: str, secret: StoredSecret) -> Keychain:
        keychain.write(reference, secret)
        return keychain

    return Bench(keychain, put, MemoryKeychain())


def env_bench(request: pytest.FixtureRequest) -> Bench:
    def put(reference: str, secret: StoredSecret) -> Keychain:
        return EnvKeychain({variable_name(reference): secret.value})

    return Bench(EnvKeychain({}), put, EnvKeychain({}))


MAKERS = {"os": os_bench, "memory": memory_bench, "env": env_bench}


@pytest.fixture(params=MAKERS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return MAKERS[request.param](request)


@pytest.fixture(params=["os", "memory"])
def writable(request: pytest.FixtureRequest) -> Bench:
    return MAKERS[request.param](request)


# ------------------------------------------------------------------------ all kinds
def test_a_name_without_a_value_reads_as_none(bench: Bench) -> None:
    assert bench.keychain.read(REFERENCE) is None


def test_a_value_is_read_as_it_was_given(bench: Bench) -> None:
    found = bench.put(REFERENCE, SECRET).read(REFERENCE)
    assert found is not None
    assert found.value == VALUE


def test_another_name_does_not_find_the_value(bench: Bench) -> None:
    keychain = bench.put(REFERENCE, SECRET)
    assert keychain.read("custom-tool:weather:api-key2") is None
    assert keychain.read("custom-tool:weather2:api-key") is None


def test_removing_a_name_without_a_value_says_so_and_fails_not(bench: Bench) -> None:
    assert bench.keychain.remove(REFERENCE) is False


def test_a_keychain_says_what_it_is(bench: Bench) -> None:
    assert bench.keychain.kind in MAKERS
    assert bench.keychain.label
    assert bench.keychain.is_read_only == (bench.keychain.kind == "env")
    assert bench.keychain.fallback_reason is None


def test_a_keychain_never_shows_a_value(bench: Bench) -> None:
    keychain = bench.put(REFERENCE, SECRET)
    names = [n for n in dir(keychain) if not n.startswith("__")]
    inside = [getattr(keychain, name) for name in names]
    shown = f"{keychain!r} {keychain} {inside} {keychain.read(REFERENCE)!r}"
    for form in canary.text_forms(VALUE):
        assert form not in shown
    with pytest.raises(TypeError):
        vars(keychain)
    for show in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled") as caught:
            show(keychain)
        assert VALUE not in str(caught.value)


# -------------------------------------------------------------------- writable kinds
@pytest.mark.parametrize(
    "secret",
    [
        StoredSecret("x" * 16_000, "https://api.test:443"),
        StoredSecret("caf\xe9 \"quoted\" \\ 'single' {json}", "127.0.0.1"),
        StoredSecret("ключ 🔑", None),
        StoredSecret('{"v":1,"origin":null,"value":"other"}', None),
    ],
    ids=["long", "latin-1", "unicode", "like an entry"],
)
def test_value_and_origin_come_back_whole(
    writable: Bench, secret: StoredSecret
) -> None:
    writable.keychain.write(REFERENCE, secret)
    assert writable.keychain.read(REFERENCE) == secret


def test_a_second_write_takes_the_place_of_the_first(writable: Bench) -> None:
    writable.keychain.write(REFERENCE, SECRET)
    second = StoredSecret("another", "https://other.test:443")
    writable.keychain.write(REFERENCE, second)
    assert writable.keychain.read(REFERENCE) == second
    assert writable.keychain.remove(REFERENCE) is True
    assert writable.keychain.read(REFERENCE) is None


def test_a_removed_value_is_gone_and_the_others_stay(writable: Bench) -> None:
    other = "custom-tool:weather:other"
    writable.keychain.write(REFERENCE, SECRET)
    writable.keychain.write(other, SECRET)
    assert writable.keychain.remove(REFERENCE) is True
    assert writable.keychain.read(REFERENCE) is None
    assert writable.keychain.read(other) == SECRET
    assert writable.keychain.remove(REFERENCE) is False


def test_two_registries_never_share_or_remove_values(writable: Bench) -> None:
    writable.keychain.write(REFERENCE, SECRET)
    assert writable.other_registry.read(REFERENCE) is None
    assert writable.other_registry.remove(REFERENCE) is False
    assert writable.keychain.read(REFERENCE) == SECRET


def test_writers_at_the_same_time_lose_no_other_entry(writable: Bench) -> None:
    same = "custom-tool:weather:same"
    start = threading.Barrier(8)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait(timeout=20)
            own = f"custom-tool:weather:own{number}"
            writable.keychain.write(own, StoredSecret(f"own {number}"))
            writable.keychain.write(same, StoredSecret(f"same {number}"))
        except BaseException as error:  # noqa: BLE001  # shown by the test below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not failures
    for number in range(8):
        found = writable.keychain.read(f"custom-tool:weather:own{number}")
        assert found == StoredSecret(f"own {number}")
    last = writable.keychain.read(same)
    assert last is not None
    assert last.value in {f"same {number}" for number in range(8)}


# --------------------------------------------------------------------- read-only kind
def test_the_read_only_kind_names_the_variable_to_set() -> None:
    keychain = EnvKeychain({})
    assert keychain.is_read_only
    with pytest.raises(KeychainUnavailableError) as caught:
        keychain.write(REFERENCE, SECRET)
    assert caught.value.hint is not None
    assert "SPARKNB_SECRET__WEATHER__API_KEY" in caught.value.hint
    assert VALUE not in str(caught.value.to_wire())


def test_the_read_only_kind_treats_every_value_as_removed_by_others() -> None:
    keychain = EnvKeychain({"SPARKNB_SECRET__WEATHER__API_KEY": VALUE})
    assert keychain.remove(REFERENCE) is False
    assert keychain.read(REFERENCE) == StoredSecret(VALUE)
