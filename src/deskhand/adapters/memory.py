"""A user interface made of plain Python objects, for trying out the engine without a toolkit.

It has a GUI thread of its own, so that calls, deadlines and change events are as real as in a
toolkit; it has no pixels, so screenshots and real input are not to be had.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .. import background
from ..model import operations as ops
from ..model.errors import ActionFailed, ActionUnsupported, AppGone, NotEditable, Stale, UiBusy
from ..model.node import MASK, AppInfo, AppState, Image, Node, Option, Rect, Window, called
from ..model.operations import Action
from ..model.tree import Tree
from .choices import insist, named, no_options, selected

T = TypeVar("T")

_ACTIONS = {
    "button": ("press", "focus"),
    "checkbox": ("press", "toggle", "focus"),
    "radio": ("press", "select", "focus"),
    "textfield": ("set-value", "focus"),
    "combo-box": ("press", "select", "expand", "focus"),
    "list": ("select", "scroll", "focus"),
}


@dataclass(eq=False)
class Element:
    """One element; change its fields on the GUI thread (`MemoryAdapter.call`), then call `touch`."""

    role: str
    name: str | None = None
    id: str | None = None
    children: list[Element] = field(default_factory=list)
    value: str | None = None
    text: str | None = None
    checked: bool | None = None
    options: list[str] = field(default_factory=list)
    visible: bool = True
    enabled: bool = True
    modal: bool = False
    password: bool = False
    bounds: Rect | None = None
    native_class: str = ""
    labelled_by: str | None = None
    """Whose text its name is, where it is called by a label beside it."""
    on_press: Callable[[], object] | None = None
    on_change: Callable[[str], object] | None = None

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def editable(self) -> bool:
        return self.role in ("textfield", "editable-text", "spin-button")

    @property
    def focusable(self) -> bool:
        return self.role in _ACTIONS or self.editable


class MemoryAdapter:
    """Drives a list of windows, the main one first."""

    name = "memory"

    def __init__(self, windows: list[Element]) -> None:
        self.windows = windows
        self.focused: Element | None = None
        self._uids: dict[int, tuple[str, Element]] = {}
        self._elements: dict[str, Element] = {}
        self._changed: list[Callable[[], None]] = []
        self._closed = False
        self._gui = background.Worker("memory-gui")

    # -- the program's side --------------------------------------------------------------------

    def touch(self) -> None:
        """Wake the waiting calls: something changed."""
        for changed in list(self._changed):
            changed()

    def post(self, function: Callable[[], Any]) -> Future[Any]:
        """Run something on the GUI thread, some time."""
        return self._gui.begin(function)

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        title = self.windows[0].name if self.windows else None
        return AppInfo("memory", "1", os.getpid(), title, toolkit=self.name)

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        if self._closed:
            raise AppGone("the program has ended")
        if threading.current_thread() is self._gui.thread:
            return function()
        future = self.post(function)
        try:
            result: T = future.result(timeout)
        except FutureTimeout:
            future.cancel()
            raise UiBusy(
                f"the GUI thread did not answer within {timeout:.3g} s",
                suggestions=("see what the program is doing, or give it more time",),
            ) from None
        return result

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        return self.call(lambda: self._read(root, depth), timeout=timeout)

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        def act() -> Mapping[str, object]:
            element = None if uid is None else self._element(uid)
            answer = self._perform(action, element)
            self.touch()
            return answer

        return self.call(act, timeout=timeout)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        raise ActionUnsupported("the memory adapter has no pixels")

    def desktop(self, *, timeout: float) -> Image:
        raise ActionUnsupported("the memory adapter has no pixels")

    def idle(self, *, timeout: float) -> None:
        self.call(lambda: None, timeout=timeout)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(changed)
        return lambda: self._changed.remove(changed)

    def state(self, *, timeout: float) -> AppState:
        modal = next((window.name for window in self.windows if window.modal and window.visible), None)
        return AppState(foreground=True, modal_dialog=modal)

    def set_id(self, widget: object, automation_id: str) -> None:
        assert isinstance(widget, Element)
        widget.id = automation_id

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._gui.close(1)

    # -- on the GUI thread ---------------------------------------------------------------------

    def _uid(self, element: Element) -> str:
        known = self._uids.get(id(element))
        if known is None:
            known = self._uids[id(element)] = (f"u-{len(self._uids) + 1}", element)
            self._elements[known[0]] = element
        return known[0]

    def _element(self, uid: str) -> Element:
        element = self._elements.get(uid)
        if element is None or not any(element is known for window in self.windows for known in window.walk()):
            what = f"{_call(element)} " if element else ""
            raise Stale(f"{what}{uid} is gone", target=f"uid={uid}")
        return element

    def _read(self, root: str | None, depth: int | None) -> Tree:
        start = None if root is None else self._element(root)
        nodes: list[Node] = []
        for window in self.windows:
            self._add(nodes, window, None, (True, True), start, depth, start is None)
        windows = tuple(
            Window(
                uid=self._uid(window),
                title=window.name,
                app_name="memory",
                pid=os.getpid(),
                kind="dialog" if window.role == "dialog" else "regular",
                bounds=window.bounds,
                focused=window is self.windows[0],
                showing=window.visible,
                modal=window.modal,
            )
            for window in self.windows
        )
        focused = self._uid(self.focused) if self.focused else None
        return Tree(nodes, windows, focused=focused)

    def _add(
        self,
        nodes: list[Node],
        element: Element,
        parent: str | None,
        above: tuple[bool, bool],
        start: Element | None,
        depth: int | None,
        inside: bool,
    ) -> None:
        visible, enabled = element.visible and above[0], element.enabled and above[1]
        if element is start:
            inside = True
        if inside:
            nodes.append(self._node(element, parent, visible, enabled))
        below = depth if not inside or depth is None else depth - 1
        if inside and depth == 0:
            return
        for child in element.children:
            self._add(nodes, child, self._uid(element), (visible, enabled), start, below, inside)

    def _node(self, element: Element, parent: str | None, visible: bool, enabled: bool) -> Node:
        value = MASK if element.password and element.value else element.value
        fields: dict[str, Any] = {
            "uid": self._uid(element),
            "role": element.role,
            "native_class": element.native_class or element.role.title().replace("-", ""),
            "backend": self.name,
            "name": element.name,
            "labelled_by": element.labelled_by,
            "automation_id": element.id,
            "text": element.text if element.text is not None else value,
            "value": value,
            "checked": element.checked,
            "visible": visible,
            "enabled": enabled,
            "focused": element is self.focused,
            "focusable": element.focusable,
            "editable": element.editable,
            "password": element.password,
            "modal": element.modal,
            "bounds": element.bounds or Rect(0, 0, 100, 20),
            "actions": _ACTIONS.get(element.role, ()),
            "child_count": len(element.children),
            "options": tuple(
                Option(index, text, text, text == element.value) for index, text in enumerate(element.options)
            ),
        }
        if parent is not None:
            fields["parent"] = parent
        return Node.of({name: value for name, value in fields.items() if value is not None})

    def _perform(self, action: Action, element: Element | None) -> Mapping[str, object]:
        match action, element:
            case ops.Click(button="left") | ops.Press(), Element():
                self._press(element)
            case ops.SetChecked(checked=checked), Element() if element.checked is not None:
                if element.checked != checked:
                    self._press(element)
                if element.checked != checked:
                    raise ActionFailed(f"{_call(element)} was pressed, and is ticked still")
            case ops.TypeText(), _ if (typed := element or self.focused) is not None:
                self.focused = typed
                self._set(typed, ("" if action.clear else typed.value or "") + action.text)
                if action.submit and typed.on_press:
                    typed.on_press()
            case ops.SetValue(value=value), Element():
                self._set(element, value)
            case ops.Select(), Element():
                return self._select(element, action)
            case ops.Focus(), Element():
                self.focused = element
            case ops.Scroll(), Element():
                pass
            case ops.ControlWindow(do="close"), Element():
                self.windows[:] = [window for window in self.windows if element not in window.walk()]
            case _:
                what = element.role if element else "the focus"
                raise ActionUnsupported(f"the memory adapter cannot {ops.NAMES[type(action)]} on {what}")
        return {}

    def _press(self, element: Element) -> None:
        if element.focusable:
            self.focused = element
        if element.checked is not None:
            element.checked = True if element.role == "radio" else not element.checked
        if element.on_press is not None:
            element.on_press()

    def _set(self, element: Element, value: str) -> None:
        if not element.editable:
            raise NotEditable(f"{_call(element)} cannot be edited")
        element.value = value
        if element.on_change is not None:
            element.on_change(value)

    def _select(self, element: Element, action: ops.Select) -> dict[str, object]:
        what = _call(element)
        if not element.options:
            raise no_options(what)
        choice = insist(action, what, named(element.options))
        element.value = choice.text
        if element.on_change is not None:
            element.on_change(element.value)
        return selected(choice)


def _call(element: Element) -> str:
    """What to call an element in an error."""
    return called(element.role, element.name or element.text or element.id)
