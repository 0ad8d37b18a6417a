"""Finding by a toolkit's own selectors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model.errors import ActionUnsupported
from deskhand.model.operations import Find, ReadTree


class StyledAdapter(MemoryAdapter):
    """A toolkit that knows CSS."""

    def lookup(self, css: str, *, limit: int, timeout: float) -> Sequence[str]:
        return ["u-3", "u-gone", "u-2"][:limit] if css == ".styled > *" else []


@pytest.fixture
def window() -> Element:
    return Element("window", "Main", children=[Element("button", "One"), Element("button", "Two")])


def test_a_toolkit_is_asked_in_its_own_language_and_reports_the_order(window: Element) -> None:
    session = Session(StyledAdapter([window]))
    session.run(ReadTree())

    found = session.run(Find(".styled > *", native=True))

    assert [node.name for node in found] == ["Two", "One"]
    assert session.run(Find("::not our language", native=True)) == ()
    session.close()


def test_a_toolkit_without_such_a_language_says_so(window: Element) -> None:
    session = Session(MemoryAdapter([window]))

    with pytest.raises(ActionUnsupported):
        session.run(Find(".styled", native=True))
    session.close()
