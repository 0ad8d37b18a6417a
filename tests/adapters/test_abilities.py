"""What only some adapters can do is still possible where they are a part of another adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from deskhand.adapters import overlay
from deskhand.adapters.companions import WithOthers
from deskhand.adapters.imgui.adapter import ImguiAdapter
from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.adapters.overlay import SeveralAdapter
from deskhand.adapters.scope import Scope
from deskhand.model.adapter import Abilities, Adapter, abilities
from deskhand.model.tree import Tree
from deskhand.model.verified import Verified


class Able(MemoryAdapter):
    """Has every ability."""

    clipboard = "the clipboard"

    def __init__(self) -> None:
        super().__init__([Element("window", "Main")])
        self.followers: list[Callable[[Tree | None], None]] = []

    def follow(self, changed: Callable[[Tree | None], None]) -> Callable[[], None]:
        self.followers.append(changed)
        return lambda: self.followers.remove(changed)

    def lookup(self, selector: str, *, limit: int, timeout: float) -> list[str]:
        return [selector]

    def read_cold(self, *args: Any, **options: Any) -> Tree:
        return self.read(*args, **options)

    def uid_of(self, widget: object) -> str:
        return str(widget)


class Drawn:
    """Stands for Dear ImGui in a canvas."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.subscribers: list[Callable[[], None]] = []

    def embed(self, *_: object) -> None: ...

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.subscribers.append(changed)
        return lambda: self.subscribers.remove(changed)

    def set_id_by_label(self, item: object, automation_id: str) -> None: ...


@pytest.fixture
def able() -> Iterator[Able]:
    adapter = Able()
    yield adapter
    adapter.close()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    monkeypatch.setattr(overlay.canvases, "watch", lambda: None)
    return Drawn()


def both(able: Able, drawn: Drawn) -> SeveralAdapter:
    return SeveralAdapter(able, cast("ImguiAdapter", drawn))


def given_by(adapter: Adapter) -> tuple[list[Tree | None], Callable[[], None]]:
    """What those who follow an adapter are given, and how to stop."""
    given: list[Tree | None] = []
    follows = abilities(adapter).follows
    assert follows is not None
    return given, follows.follow(given.append)


def test_an_adapter_without_abilities_has_none() -> None:
    adapter = MemoryAdapter([])
    assert abilities(adapter) == Abilities()
    adapter.close()


def test_a_toolkit_with_dear_imgui_in_a_canvas_can_still_be_followed(able: Able, drawn: Drawn) -> None:
    adapter, tree = both(able, drawn), Tree([])
    given, stop = given_by(adapter)
    able.followers[0](tree)
    drawn.stages.append("a context that draws")
    able.followers[0](tree)
    drawn.subscribers[0]()
    # The tree of the toolkit lacks what Dear ImGui draws.
    assert given == [tree, None, None]
    stop()
    assert (able.followers, drawn.subscribers) == ([], [])


def test_abilities_survive_every_composition(able: Able, drawn: Drawn) -> None:
    composed = WithOthers(both(able, drawn), Scope(1), "app", env={})
    found = abilities(composed)
    assert found.clipboard == "the clipboard"
    assert found.looks_up is found.knows_widgets is able
    assert found.names_by_label is drawn
    assert found.reads_cold is None, "it would lack the windows of other processes"
    given, stop = given_by(composed)
    able.followers[0](None)
    assert given == [None]
    stop()
    assert able.followers == []


def test_an_adapter_whose_reads_are_verified_gives_no_trees_of_its_own(able: Able) -> None:
    adapter = cast("Adapter", Verified(able))
    given, stop = given_by(adapter)
    able.followers[0](Tree([]))
    assert given == [None]
    stop()
