"""What has a uid: wx windows, parts that they draw, and GTK widgets that wx does not know.

A part's uid says what it is, so nothing is remembered of it. A window is touched only after those around it
have confirmed that it is still there: a wrapper cannot tell when what C++ made is gone.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, TypeAlias

import wx

from ...model.errors import Stale
from ...model.node import Node
from ...model.record import dataclass
from .gtk import Gtk, gtk
from .kinds import Kind, kind_of, native_class, python_class

_REMEMBERED = 1000
"""Of how many that are gone it is remembered what they were."""


@dataclass(frozen=True)
class Part:
    """Something that a window draws and that is not a window: a tab, a tool, a row, a menu entry."""

    window: Any
    kind: str
    key: str


@dataclass(frozen=True)
class Widget:
    """A GTK widget that wx does not know, by its address."""

    at: int


Handle: TypeAlias = Any
"""A wx.Window, a Part or a Widget."""


class Known:
    """What is remembered of a window."""

    __slots__ = (
        "above", "automation_id", "block", "kind", "native_class", "node", "number", "scene", "style", "top",
        "uid", "window",
    )  # fmt: skip

    def __init__(self, window: Any, uid: str) -> None:
        self.window = window
        self.uid = uid
        self.kind: Kind = kind_of(window)
        self.native_class = native_class(window)
        self.top: bool = window.IsTopLevel()
        self.automation_id: str | None = None
        self.style = python_class(window)
        """The name of a Python class of the program's own."""
        self.above: Known | None = None
        """What it was in when it was seen last."""
        self.node: Node | None = None
        """How it was seen last."""
        self.block: Any = None
        """What was read of the windows in it; see `scene`."""
        self.number: int | None = None
        """What the window system calls it."""
        self.scene: Any = None
        """The same of a whole top-level window."""


class Registry:
    """Gives uids, and finds what has them. Belongs to the GUI thread."""

    def __init__(self) -> None:
        self._known: dict[Any, Known] = {}
        self._by_uid: dict[str, Known] = {}
        self._count = 0
        self._gone: OrderedDict[str, str] = OrderedDict()
        self.changed = False
        """Whether windows came or went since the last sweep."""
        self.renamed = False
        """Whether a window was given an automation id since the last read."""

    def know(self, window: Any) -> Known:
        known = self._known.get(window)
        if known is None:
            self._count += 1
            known = self._known[window] = Known(window, f"w{self._count}")
            self._by_uid[known.uid] = known
            window.Bind(wx.EVT_WINDOW_DESTROY, self._destroyed)
        return known

    def _destroyed(self, event: Any) -> None:
        """Forget a window before another is made at its address, for which its wrapper would stand then."""
        event.Skip()
        known = self._known.pop(event.GetWindow(), None)
        if known is None:
            return
        self._by_uid.pop(known.uid, None)
        self.changed = True
        if known.node is not None:
            self.label(known.uid, str(known.node))
        outer: Known | None = known
        while outer is not None:
            outer.block = outer.scene = None
            outer = outer.above

    def name(self, window: Any, automation_id: str) -> None:
        """Give a window an automation id."""
        self.know(window).automation_id = automation_id
        self.renamed = True

    def uid(self, handle: Handle) -> str:
        """The uid of a window, a part or a widget."""
        if isinstance(handle, Part):
            return f"{self.know(handle.window).uid}:{handle.kind}:{handle.key}"
        if isinstance(handle, Widget):
            return self.widget(handle.at, _need(gtk))
        return self.know(handle).uid

    def widget(self, at: int, gtk: Gtk) -> str:
        """The uid of a GTK widget."""
        number = gtk.id_of(at)
        if not number:
            self._count += 1
            number = self._count
            gtk.give_id(at, number)
        return f"g{number}"

    def label(self, uid: str, label: str) -> None:
        """Remember what something was, for when it is gone."""
        self._gone[uid] = label
        self._gone.move_to_end(uid)
        if len(self._gone) > _REMEMBERED:
            self._gone.popitem(last=False)

    def handle(self, uid: str) -> Handle:
        """What has a uid; Stale if it is not there any more."""
        owner, _, rest = uid.partition(":")
        if owner.startswith("g") and gtk is not None:
            return Widget(self._find_widget(owner))
        known = self._by_uid.get(owner)
        if known is None or not (is_there(known) or _has_moved(known)):
            raise self.stale(uid)
        if not rest:
            return known.window
        kind, _, key = rest.partition(":")
        return Part(known.window, kind, key)

    def stale(self, uid: str) -> Stale:
        known = self._by_uid.get(uid)
        what = self._gone.get(uid) or (
            str(known.node) if known is not None and known.node is not None else ""
        )
        return Stale(f"{what}{' ' if what else ''}(uid {uid}) is gone", target=f"uid={uid}")

    def sweep(self, there: set[str]) -> None:
        """Forget the windows that a full read did not come across, other than inner ones and hidden ones."""
        self.changed = False
        for window, known in list(self._known.items()):
            if known.uid not in there and known.node is not None and not is_there(known):
                self.label(known.uid, str(known.node))
                del self._known[window], self._by_uid[known.uid]

    def clear(self) -> None:
        for window in self._known:
            if window:
                window.Unbind(wx.EVT_WINDOW_DESTROY, handler=self._destroyed)
        self._known.clear()
        self._by_uid.clear()
        if gtk is not None:
            for window in gtk.windows():
                for widget in gtk.below(window):
                    if gtk.id_of(widget):
                        gtk.give_id(widget, 0)

    def _find_widget(self, uid: str) -> int:
        api = _need(gtk)
        number = int(uid[1:]) if uid[1:].isdecimal() else -1
        for window in api.windows():
            for widget in api.below(window):
                if api.id_of(widget) == number:
                    return widget
        raise self.stale(uid)


def is_there(known: Known) -> bool:
    """Whether a window is in the tree of windows, judged by those around it."""
    if known.above is None:
        return any(top is known.window for top in wx.GetTopLevelWindows())
    if not is_there(known.above):
        return False
    above = known.above.window
    if any(child is known.window for child in above.GetChildren()):
        return True
    return isinstance(above, wx.Frame) and above.GetMenuBar() is known.window


def _has_moved(known: Known) -> bool:
    """Whether a window is in another one than when it was read last, which is then in `above`."""
    below = list(wx.GetTopLevelWindows())
    while below:
        window = below.pop()
        inside = list(window.GetChildren())
        if known.window in inside:
            return True
        below += [child for child in inside if not child.IsTopLevel()]
    return False


def _need(found: Gtk | None) -> Gtk:
    assert found is not None, "only GTK has widgets that wx does not know"
    return found
