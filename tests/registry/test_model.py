"""Whatever steps are taken in whatever order: the registry agrees with a model."""

from dataclasses import dataclass, field
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sparknb.core.errors import SparknbError
from sparknb.registry import open_memory_registry
from tests.registry.definitions import definition

_IDS = ("aaa", "bbb")
_names = st.sampled_from(_IDS)
_titles = st.sampled_from(("One", "Two"))
_numbers = st.integers(1, 6)


@dataclass
class Model:
    """A tool as the rules describe it: versions are (title, source, status)."""

    title: str
    versions: dict[int, tuple[str, int | None, str]] = field(default_factory=dict)
    published: int | None = None
    draft: int = 1
    revision: int = 1
    last: int = 1
    enabled: bool = False

    @property
    def is_pending(self) -> bool:
        return self.published is None or self.draft > self.published

    def release(self, number: int, source: int | None) -> None:
        if self.published is not None:
            title, origin, _ = self.versions[self.published]
            self.versions[self.published] = (title, origin, "archived")
        self.versions[number] = (self.title, source, "published")
        self.enabled = self.enabled or self.published is None
        self.published = self.draft = number


class Lifecycle(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.registry = open_memory_registry()
        self.tools: dict[str, Model] = {}
        self.newest_first: list[str] = []

    def teardown(self) -> None:
        self.registry.close()

    def _touched(self, name: str) -> None:
        if name in self.newest_first:
            self.newest_first.remove(name)
        self.newest_first.insert(0, name)

    def _expect(self, code: str | None, step: Any) -> None:
        mark = self.registry.change_mark()
        if code is None:
            step()
            return
        with pytest.raises(SparknbError) as caught:
            step()
        assert caught.value.code == code
        assert self.registry.change_mark() == mark

    @rule(name=_names, title=_titles)
    def create(self, name: str, title: str) -> None:
        code = "ALREADY_EXISTS" if name in self.tools else None
        made = definition(name, title=title)
        self._expect(code, lambda: self.registry.create_draft(made))
        if code is None:
            self.tools[name] = Model(title, {1: (title, None, "draft")})
            self._touched(name)

    @rule(name=_names, title=_titles, expected=st.none() | _numbers)
    def save(self, name: str, title: str, expected: int | None) -> None:
        tool = self.tools.get(name)
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif expected not in (None, tool.revision):
            code = "CONFLICT"
        made = definition(name, title=title)
        self._expect(
            code, lambda: self.registry.save_draft(made, expected_revision=expected)
        )
        if tool is None or code is not None or tool.title == title:
            return
        if not tool.is_pending:
            tool.draft = tool.last = tool.last + 1
        tool.title = title
        tool.revision += 1
        tool.versions[tool.draft] = (title, None, "draft")
        self._touched(name)

    @rule(name=_names)
    def discard(self, name: str) -> None:
        tool = self.tools.get(name)
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif tool.published is None or not tool.is_pending:
            code = "INVALID_INPUT"
        self._expect(code, lambda: self.registry.discard_draft(name))
        if tool is None or tool.published is None or code is not None:
            return
        del tool.versions[tool.draft]
        tool.draft = tool.published
        tool.title = tool.versions[tool.published][0]
        self._touched(name)

    @rule(name=_names, off=st.sampled_from((0, 0, 0, 1)))
    def publish(self, name: str, off: int) -> None:
        tool = self.tools.get(name)
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif off or not tool.is_pending:
            code = "CONFLICT"
        version, revision = (tool.draft, tool.revision) if tool else (1, 1)
        self._expect(
            code,
            lambda: self.registry.publish(
                name, expected_version=version, expected_revision=revision + off
            ),
        )
        if tool is not None and code is None:
            tool.release(tool.draft, None)
            self._touched(name)

    @rule(name=_names, enabled=st.booleans())
    def switch(self, name: str, enabled: bool) -> None:
        tool = self.tools.get(name)
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif enabled and tool.published is None:
            code = "DENIED"
        self._expect(code, lambda: self.registry.set_enabled(name, enabled=enabled))
        if tool is not None and code is None and tool.enabled != enabled:
            tool.enabled = enabled
            self._touched(name)

    @rule(name=_names, to=_numbers, off=st.sampled_from((0, 0, 0, 1)))
    def roll_back(self, name: str, to: int, off: int) -> None:
        tool = self.tools.get(name)
        expected = ((tool.published if tool else None) or 1) + off
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif tool.is_pending:
            code = "INVALID_INPUT"
        elif off:
            code = "CONFLICT"
        elif to not in tool.versions:
            code = "NOT_FOUND"
        elif to == tool.published:
            code = "INVALID_INPUT"
        self._expect(
            code,
            lambda: self.registry.rollback(name, to, expected_version=expected),
        )
        if tool is None or code is not None:
            return
        tool.last += 1
        tool.title = tool.versions[to][0]
        tool.release(tool.last, to)
        self._touched(name)

    @precondition(lambda self: self.tools)
    @rule(name=_names)
    def delete(self, name: str) -> None:
        tool = self.tools.get(name)
        code = None
        if tool is None:
            code = "NOT_FOUND"
        elif tool.enabled:
            code = "CONFLICT"
        self._expect(code, lambda: self.registry.delete(name))
        if tool is not None and code is None:
            del self.tools[name]
            self.newest_first.remove(name)

    @invariant()
    def agrees_with_the_model(self) -> None:
        listed, _ = self.registry.tools()
        assert [tool.id for tool in listed] == self.newest_first
        for tool in listed:
            model = self.tools[tool.id]
            assert (
                tool.title,
                tool.enabled,
                tool.published_version,
                tool.draft_version,
                tool.draft_revision,
                tool.is_pending,
            ) == (
                model.title,
                model.enabled,
                model.published,
                model.draft,
                model.revision,
                model.is_pending,
            )
            stored = {
                v.version: (v.definition["title"], v.source_version, v.status)
                for v in self.registry.versions(tool.id)
            }
            assert stored == model.versions

    @invariant()
    def offers_what_is_enabled(self) -> None:
        offered = {(row.id, row.number) for row in self.registry.surface()}
        enabled = {(n, m.published) for n, m in self.tools.items() if m.enabled}
        assert offered == enabled


TestLifecycle = Lifecycle.TestCase
TestLifecycle.settings = settings(max_examples=30, stateful_step_count=30)
