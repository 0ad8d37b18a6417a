"""A record behaves as a data class of the standard library does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any, ClassVar

import pytest

from deskhand.model import record


def make(dataclass: Any) -> Any:
    @dataclass(frozen=True)
    class Point:
        """A place."""

        kind: ClassVar[str] = "point"
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)

        def moved(self) -> Any:
            return replace(self, x=self.x + 1)

    @dataclass(frozen=True)
    class Spot(Point):
        """A place with a colour."""

        colour: str = "red"

    @dataclass(frozen=True)
    class Empty:
        """Nothing."""

    @dataclass(eq=False)
    class Box:
        """Can be changed."""

        size: int = 1

    @dataclass
    class Pair:
        """Can be changed, and compared."""

        left: int = 1

    class Namespace:
        pass

    for kind in (Point, Spot, Empty, Box, Pair):
        kind.__qualname__ = kind.__name__
        setattr(Namespace, kind.__name__, kind)
    return Namespace


@pytest.fixture(params=["ours", "theirs"])
def kinds(request: pytest.FixtureRequest) -> Any:
    return make(record.dataclass if request.param == "ours" else dataclasses.dataclass)


def test_fields_have_their_defaults_also_inherited_ones(kinds: Any):
    spot = kinds.Spot(1)
    assert (spot.x, spot.y, spot.tags, spot.note, spot.colour, spot.kind) == (1, 2, [], "", "red", "point")
    assert kinds.Point(1).tags is not kinds.Point(1).tags
    assert kinds.Point(1, 5, ["a"], note="b").tags == ["a"]


def test_what_is_missing_or_unknown_is_a_type_error(kinds: Any):
    for arguments in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            kinds.Point(**arguments)


def test_they_are_equal_if_their_type_and_fields_are(kinds: Any):
    assert kinds.Point(1) == kinds.Point(1, note="not compared")
    assert kinds.Point(1) != kinds.Point(2)
    assert kinds.Point(1) != kinds.Spot(1)
    assert kinds.Point(1) != 1
    assert kinds.Empty() == kinds.Empty()
    assert kinds.Pair() == kinds.Pair()
    assert kinds.Box() != kinds.Box()


def test_frozen_ones_can_be_keys_and_others_only_by_identity(kinds: Any):
    assert len({kinds.Empty(), kinds.Empty()}) == 1
    assert len({kinds.Box(), kinds.Box()}) == 2
    with pytest.raises(TypeError):
        hash(kinds.Pair())
    with pytest.raises(TypeError):
        hash(kinds.Point(1))  # a list in it


def test_frozen_ones_cannot_be_changed(kinds: Any):
    point = kinds.Spot(1)
    for name in ("x", "colour", "unknown"):
        with pytest.raises(FrozenInstanceError):
            setattr(point, name, 2)
    with pytest.raises(FrozenInstanceError):
        del point.x
    box = kinds.Box()
    box.size = 3
    assert box.size == 3


def test_they_print_as_they_are_written(kinds: Any):
    assert repr(kinds.Spot(1, note="x")) == "Spot(x=1, y=2, tags=[], colour='red')"
    assert repr(kinds.Empty()) == "Empty()"


def test_the_standard_library_works_on_them(kinds: Any):
    point = kinds.Point(1, tags=["a"])
    assert [row.name for row in fields(point)] == ["x", "y", "tags", "note"]
    assert point.moved() == kinds.Point(2, tags=["a"])
    assert dataclasses.asdict(kinds.Box(2)) == {"size": 2}
    assert copy.deepcopy(point) == point
    assert copy.copy(point) == point
    match kinds.Spot(1, 7):
        case kinds.Spot(x, y, colour="red"):
            assert (x, y) == (1, 7)
        case _:
            raise AssertionError


@record.dataclass(frozen=True)
class Sent:
    """Known by its module."""

    a: int = 1


def test_they_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(Sent(3))) == Sent(3)
