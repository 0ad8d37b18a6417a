"""What a control draws that is not a window: how such parts are read and operated, the same for all."""

from __future__ import annotations

from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Node
from ...model.operations import Select
from ...model.record import dataclass
from ..choices import LISTED, Choice, not_found
from ..performer import Offer, cannot_expand, cannot_press, cannot_tick, no_value
from .kinds import describe
from .place import Fields, Place

Bounds = tuple[int, int, int, int]
"""Left, top, width and height on the screen."""


class Drawn:
    """The parts of one kind of control. A part is known by a key, which is a text."""

    kind = ""
    """What its parts are called in uids."""

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        """Put the nodes of the parts that there are, or that are on the screen, below the window's."""
        raise NotImplementedError

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        """The node of one part, also of one that is not on the screen."""
        raise Stale("this part is not shown any more")

    def count(self, window: Any) -> int:
        """How many nodes `read` would put directly below the window's, or any number but 0."""
        return 1

    def bounds(self, window: Any, key: str) -> Bounds | None:
        """Where a part is on the screen; None if it is not there."""
        return None

    def call(self, window: Any, key: str) -> str:
        """What to call a part in an error message."""
        return f"{self.kind} {key}"

    # -- actions, on the GUI thread ----------------------------------------------------------------

    def press(self, window: Any, key: str) -> None:
        raise cannot_press(self.call(window, key))

    def tick(self, window: Any, key: str, checked: bool) -> None:
        """Tick or untick a part that is not so yet."""
        raise cannot_tick(self.call(window, key))

    def expand(self, window: Any, key: str, expanded: bool) -> None:
        """Open or close a part that is not so yet."""
        raise cannot_expand(self.call(window, key))

    def value(self, window: Any, key: str) -> str:
        """What a part holds, where that can be set."""
        return ""

    def text(self, window: Any, key: str) -> str:
        """What a row says, of those that `row` finds."""
        return self.value(window, key)

    def set_value(self, window: Any, key: str, value: str) -> None:
        raise no_value(self.call(window, key))

    def offer(self, window: Any, key: str | None) -> Offer | None:
        """What can be chosen; with a key, below that part. By default the rows, if it can find them."""
        return Rows(self, window) if type(self).row is not Drawn.row else None

    def title(self, window: Any) -> str:
        """What to call the control in an error message."""
        return describe(window)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        """Choose the part itself."""
        self.press(window, key)

    def show(self, window: Any, key: str) -> None:
        """Scroll so that a part can be seen."""

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        """The key of a row by number or text."""
        return None

    def rows(self, window: Any) -> int:
        """How many rows there are."""
        return 0

    def cell(self, window: Any, key: str, column: int | None) -> str:
        """The key of the cell in a column of a row that `row` found; of the row where there are no cells."""
        return key

    def number(self, key: str) -> int:
        """The number of a row."""
        return int(key)


@dataclass(frozen=True)
class Row(Choice):
    """A row that can be chosen."""

    key: str = ""


@dataclass(frozen=True)
class Rows:
    """The rows of a control, which may be too many to list. Implements performer.Offer."""

    parts: Drawn
    window: Any
    what: str = ""
    """What has them, for errors; by default the window."""

    def pick(self, action: Select) -> Row:
        parts, window = self.parts, self.window
        key = parts.row(window, action.index, action.text if action.text is not None else action.value)
        if key is None:
            count = parts.rows(window)
            first = [parts.row(window, at, None) for at in range(min(count, LISTED))]
            listed = [Choice(at, parts.text(window, row)) for at, row in enumerate(first) if row is not None]
            raise not_found(action, self.what or parts.title(window), listed, count)
        key = parts.cell(window, key, action.column)
        return Row(parts.number(key), parts.text(window, key), key=key)

    def choose(self, choice: Choice, extend: bool) -> None:
        assert isinstance(choice, Row), "only rows are picked"
        self.parts.choose(self.window, choice.key, extend)


def send(window: Any, event: Any) -> None:
    """Let the program handle an event, as if its user had caused it."""
    event.SetEventObject(window)
    window.GetEventHandler().ProcessEvent(event)


def command(window: Any, binder: Any, number: int = 0, text: str = "", **more: Any) -> None:
    """The same for a command event of a control."""
    event = wx.CommandEvent(binder.typeId, more.get("id", window.GetId()))
    event.SetInt(number)
    if text:
        event.SetString(text)
    send(window, event)


def style_of(window: Any) -> int:
    """The style of a control. Those of wx.lib.agw have styles of their own, with the same numbers."""
    own = getattr(window, "GetAGWWindowStyleFlag", None)
    return int(window.GetWindowStyleFlag() if own is None else own())


def in_client(window: Any, rect: Any) -> Bounds:
    """A rectangle in a window's client area, on the screen."""
    # By the class above all: what is drawn in Python may mean a window inside.
    x, y = wx.Window.ClientToScreen(window, rect.x, rect.y)
    return x, y, rect.width, rect.height


def named(fields: Fields, text: str) -> None:
    """The caption of a part."""
    if text:
        fields["name"] = fields["text"] = text
