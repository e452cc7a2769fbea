"""Profiles of services are kept whole, each id once, in every kind of registry."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparknb.core.errors import AlreadyExistsError
from sparknb.core.protocols import Registry
from sparknb.core.providers import ProviderProfile, make_profile


def profile(profile_id: str = "local", **changes: object) -> ProviderProfile:
    given = {"base_url": "http://127.0.0.1:8080/v1", **changes}
    return make_profile(profile_id, **given)  # type: ignore[arg-type]  # as a test gives it


def test_a_profile_comes_back_as_it_was_given(registry: Registry) -> None:
    full = profile("Full.1", name="Größe \u2713", model="eyes:8b", needs_key=False)
    for each in (full, profile("bare")):
        registry.add_provider(each)
        assert registry.provider(each.id) == each
    assert registry.providers() == [full, profile("bare")]


def test_ids_differ_by_case_and_are_sorted_by_their_characters(
    registry: Registry,
) -> None:
    for name in ("b", "a", "B", "A-1"):
        registry.add_provider(profile(name))
    assert [p.id for p in registry.providers()] == ["A-1", "B", "a", "b"]
    assert registry.remove_provider("b")
    assert registry.provider("B") is not None


def test_an_id_is_taken_once(registry: Registry) -> None:
    registry.add_provider(profile())
    with pytest.raises(AlreadyExistsError) as caught:
        registry.add_provider(profile(name="Another"))
    assert caught.value.path == "id"
    assert registry.provider("local") == profile()


def test_a_removed_profile_is_gone_and_its_id_free(registry: Registry) -> None:
    registry.add_provider(profile())
    assert registry.remove_provider("local")
    assert not registry.remove_provider("local")
    assert registry.provider("local") is None
    registry.add_provider(profile(name="Again"))
    assert registry.providers() == [profile(name="Again")]


@pytest.mark.parametrize("odd", ["", "\0", "a\0b", "\ud800", "x" * 100_000, "'; --"])
def test_what_cannot_be_an_id_names_no_profile(registry: Registry, odd: str) -> None:
    assert registry.provider(odd) is None
    assert not registry.remove_provider(odd)


def test_of_two_who_add_the_same_id_one_is_refused(
    opened: Callable[[], Registry],
) -> None:
    names = [f"Service {n}" for n in range(4)]
    registries = [opened() for _ in names]

    def add(place: int) -> bool:
        try:
            registries[place].add_provider(profile(name=names[place]))
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(len(names)) as pool:
        added = list(pool.map(add, range(len(names))))
    assert added.count(True) == 1
    kept = registries[0].provider("local")
    assert kept is not None
    assert kept.name == names[added.index(True)]


def test_profiles_leave_the_tools_alone(registry: Registry) -> None:
    mark = registry.change_mark()
    registry.add_provider(profile())
    registry.remove_provider("local")
    assert registry.change_mark() == mark
    assert registry.tools() == ([], 0)
