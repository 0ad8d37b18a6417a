"""A program with another project's Orca server, such as OrcaSlicer itself, as one more toolkit.

The protocol tells class, label, value and place, and can click, type and press keys; all its input is real.
What needs more is refused with a reason, never imitated.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

from ...model import keys
from ...model import operations as ops
from ...model.errors import (
    ActionFailed,
    ActionUnsupported,
    Ambiguous,
    NotFound,
    ScreenshotFailed,
    Stale,
    UnknownMethod,
)
from ...model.node import AppInfo, AppState, Image, Node
from ...model.operations import Action
from ...model.tree import Tree
from ..choices import named, not_found
from ..external import Outer
from .gip_roles import EDITABLE
from .orca_tree import CHECKABLE, Key, OrcaElement, Reading, read_dump, read_node

T = TypeVar("T")

Call = Callable[[str, Mapping[str, Any], float], Any]
"""Calls a method with parameters and a timeout in seconds; gives its result or raises a DeskhandError."""
Subscribe = Callable[[Callable[[], None]], Callable[[], None]]
"""Calls a function at every change, until what it gives is called."""

_KEYS = {
    "Return": "enter", "Tab": "tab", "Escape": "esc", "Space": "space", "Delete": "delete",
    "Backspace": "backspace", **{f"F{number}": f"f{number}" for number in range(1, 13)},
}  # fmt: skip
"""The keys that the protocol names; a server ignores every other one without a word."""
_MORE_KEYS = {
    "Left": "left", "Right": "right", "Up": "up", "Down": "down", "Home": "home", "End": "end",
    "PageUp": "pageup", "PageDown": "pagedown", "Insert": "insert",
    **{f"F{number}": f"f{number}" for number in range(13, 25)},
}  # fmt: skip
"""Those that only our own servers know."""
_OPTIONS = frozenset((
    "list-item", "list-box-option", "menu-item", "menu-item-radio", "menu-item-checkbox", "menu-list-option",
    "tab", "tree-item", "radio", "row",
))  # fmt: skip
_CLICKED_TO_FOCUS = EDITABLE | {"canvas", "list", "table", "tree", "tree-grid"}
_DOUBLE_CLICK = 0.5
"""How far apart two clicks must be to be two, in seconds."""
_INSTRUMENT = ("instrument the program by deskhand run, which can do everything",)


class OrcaAdapter(Outer):
    """Drives a program through `call`. Implements model.adapter.Adapter."""

    name = "orca"

    def __init__(
        self,
        call: Call,
        *,
        version: str = "",
        subscribe: Subscribe | None = None,
        ours: Callable[[], bool] = lambda: False,
    ) -> None:
        """`subscribe` tells of changes where the server pushes events; `ours`, whether it is one of ours."""
        self._call = call
        self._subscribe = subscribe
        self._ours = ours
        self._clicked: tuple[str, float] = ("", 0.0)
        """What was clicked last, and when."""
        self._info = AppInfo(framework="orca", version=version, pid=0, title=None, toolkit=self.name)
        self._uids: dict[Key, str] = {}
        self._numbers = count(1)
        self._called: dict[str, str] = {}
        """By uid, what each element was called when it was seen last."""
        self._seen = Reading(Tree([]), {})

    def info(self) -> AppInfo:
        windows = self._seen.tree.windows
        return replace(self._info, title=windows[0].title) if windows else self._info

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        known = None if root is None else self._seen.elements.get(root)
        if known is not None and depth == 0 and (target := self._seen.target(known)) is not None:
            return self._one(known, target, details, timeout)
        seen = read_dump(self._call("tree.dump", {}, timeout), self._uid, details=details)
        self._seen = seen
        self._called.update({node.uid: str(node) for node in seen.tree.nodes})
        if root is not None and root not in seen.elements:
            raise self._gone(root)
        return seen.tree.part(root, depth)

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        if uid is None:
            return self._at_focus(action, timeout)
        element = self._element(uid)
        match action:
            case ops.Click(count=1 | 2, x=None, y=None):
                self._click(element, timeout, **_click_options(action))
            case ops.Press():
                self._click(element, timeout)
            case ops.ShowMenu():
                self._click(element, timeout, button="right")
            case ops.SetChecked(checked=wanted):
                self._check(element, wanted, timeout)
            case ops.TypeText():
                self._type(action, element, timeout)
            case ops.SetValue(value=value) if element.node.role not in ("slider", "scroll-bar"):
                self._type(ops.TypeText(text=value, clear=True), element, timeout)
            case ops.Key(keys=chord):
                tokens = self._tokens(chord)
                self._focus(element, "press keys on it", timeout)
                self._do("input.key", {"keys": tokens}, timeout)
            case ops.Focus():
                self._focus(element, "focus it", timeout)
                return {"detail": "clicked: the protocol has no other way to give the focus"}
            case ops.Select(column=None, extend=False):
                return self._select(action, element, timeout)
            case _:
                raise _unsupported(action)
        return {}

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        params: dict[str, Any] = {}
        if uid is not None and uid != getattr(self._seen.tree.main, "uid", None):
            params = {"target": self._target(self._element(uid))}
        return _image(self._do("screenshot.window", params, timeout))

    def desktop(self, *, timeout: float) -> Image:
        if not self._ours():
            # Another server would ignore the parameter, and answer with its main window.
            raise ActionUnsupported(
                "the Orca protocol has no screenshot of the desktop",
                suggestions=("serve the program by deskhand run --orca, which has one",),
            )
        return _image(self._do("screenshot.window", {"desktop": True}, timeout))

    def idle(self, *, timeout: float) -> None:
        """The protocol cannot tell; a server answers once the program has drawn what was asked before."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Servers of other projects have no events; a wait for those reads again and again."""
        return (lambda: None) if self._subscribe is None else self._subscribe(changed)

    def state(self, *, timeout: float) -> AppState:
        answer = self._do("app.state", {}, timeout)
        if not isinstance(answer, dict):
            raise ActionFailed(f"the Orca server answered no state: {str(answer)[:200]}")
        state = dict(answer)
        view, progress, modal = (state.pop(name, None) for name in _SPOKEN)
        loaded, busy, foreground = (state.pop(name, False) is True for name in _FLAGS)
        return AppState(
            active_view=view if isinstance(view, str) and view else None,
            project_loaded=loaded,
            busy=busy,
            progress=progress if isinstance(progress, int) else -1,
            foreground=foreground,
            modal_dialog=modal if isinstance(modal, str) else None,
            extra=state,
        )

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        """Nothing of ours runs in the program; what it registered is asked for by a method of its own."""
        return function()

    def close(self) -> None:
        """The connection belongs to the code that made it."""

    # -- what some servers offer ---------------------------------------------------------------------

    def open_files(self, paths: list[str], timeout: float) -> object:
        """Let the program open files of its own machine."""
        return self._do("file.open", {"paths": paths}, timeout)

    def select_view(self, view: str, timeout: float) -> object:
        """Let the program show one of its views."""
        return self._do("view.select", {"view": view}, timeout)

    def viewport3d(self, index: int | None, width: int, height: int, timeout: float) -> Image:
        """Let the program draw its 3D view."""
        params = {"width": width, "height": height, **({} if index is None else {"plate": index})}
        return _image(self._do("screenshot.viewport3d", params, timeout))

    # -- acting ----------------------------------------------------------------------------------------

    def _at_focus(self, action: Action, timeout: float) -> Mapping[str, object]:
        match action:
            case ops.TypeText():
                self._write(action, timeout)
            case ops.Key(keys=chord):
                self._do("input.key", {"keys": self._tokens(chord)}, timeout)
            case _:
                raise _unsupported(action, "at a point of the screen: it acts on elements, and on the focus")
        return {}

    def _click(self, element: OrcaElement, timeout: float, **options: Any) -> None:
        self._act("input.click", element, timeout, **options)

    def _check(self, element: OrcaElement, wanted: bool, timeout: float) -> None:
        node = element.node
        if node.checked is None:
            why = "has no check" if node.role not in CHECKABLE else "does not tell whether it is checked"
            raise ActionUnsupported(f"{node} {why}", suggestions=("click it, and look at what it did",))
        if node.checked is not wanted:
            self._click(element, timeout)

    def _type(self, action: ops.TypeText, element: OrcaElement, timeout: float) -> None:
        if not action.clear and not action.submit:
            self._act("input.type", element, timeout, text=action.text)
            return
        # Clicked separately: a click right before typing would undo the selection of the existing text.
        self._click(element, timeout)
        self._write(action, timeout)
        if action.clear and not action.submit and _holds_number(element):
            # It takes what was typed when the focus leaves it.
            self._do("input.key", {"keys": ["tab"]}, timeout)
        if action.clear and not action.submit:
            self._insist(element, action.text, timeout)

    def _write(self, action: ops.TypeText, timeout: float) -> None:
        if action.clear:
            self._do("input.key", {"keys": ["ctrl", "a"]}, timeout)
        if action.text:
            self._do("input.type", {"text": action.text}, timeout)
        elif action.clear:
            self._do("input.key", {"keys": ["delete"]}, timeout)
        if action.submit:
            self._do("input.key", {"keys": ["enter"]}, timeout)

    def _insist(self, element: OrcaElement, text: str, timeout: float) -> None:
        """See that what was there before is gone: not everywhere does ctrl+a select it."""
        node = self.read(element.node.uid, depth=0, timeout=timeout).nodes[0]
        held, before = node.value, element.value or ""
        if not held or not before or held == text or _number(held) == _number(text) is not None:
            return
        if held.startswith(before) or held.endswith(before):
            raise ActionFailed(
                f"{node} holds '{held[:200]}' now: what was there could not be replaced by ctrl+a and typing",
                target=f"uid={node.uid}",
            )

    def _focus(self, element: OrcaElement, why: str, timeout: float) -> None:
        node = element.node
        if node.role not in _CLICKED_TO_FOCUS and not node.editable:
            raise ActionUnsupported(
                f"cannot {why}: the Orca protocol gives the focus by a click, which would operate {node}",
                suggestions=("press keys without a target, where the focus is", *_INSTRUMENT),
            )
        self._click(element, timeout)

    def _select(self, action: ops.Select, element: OrcaElement, timeout: float) -> Mapping[str, object]:
        seen = self._seen
        options = [node for node in seen.tree.descendants(element.node) if node.role in _OPTIONS]
        if not options:
            raise ActionUnsupported(
                f"the Orca protocol cannot choose in {element.node}, whose options are not elements",
                suggestions=("click it, and type or press keys", *_INSTRUMENT),
            )
        wanted = action.text if action.text is not None else action.value
        for index, node in enumerate(options):
            if index == action.index or (wanted is not None and wanted in (node.name, node.value)):
                self._click(seen.elements[node.uid], timeout)
                return {"selected": {"index": index, "text": node.name}}
        names = [str(node.name) for node in options]
        raise not_found(action, str(element.node), named(names), len(names))

    def _tokens(self, chord: str) -> list[str]:
        """A chord in the protocol's words; its server would ignore any other without a word."""
        parsed = keys.parse(chord)
        modifiers = ["cmd" if name == "meta" else name for name in parsed.modifiers]
        if parsed.key == "Backtab":
            return [*modifiers, "shift", "tab"]
        if parsed.text is not None:
            return [*modifiers, parsed.text.lower()]
        name = parsed.key or ""
        if name in _KEYS:
            return [*modifiers, _KEYS[name]]
        if name in _MORE_KEYS and self._ours():
            return [*modifiers, _MORE_KEYS[name]]
        raise ActionUnsupported(
            f"the Orca protocol has no key '{name}'",
            suggestions=(f"it has single characters, {', '.join(_KEYS.values())}", *_INSTRUMENT),
        )

    # -- finding what to act on ------------------------------------------------------------------------

    def _act(self, method: str, element: OrcaElement, timeout: float, **params: Any) -> None:
        target = self._target(element)
        self._keep_clicks_apart(element)
        if "path" in target and element.positional:
            # Meanwhile another may stand where it stood, and would be clicked in its place.
            self._one(element, target, False, timeout)
        try:
            self._do(method, {"target": target, **params}, timeout)
        except NotFound as error:
            raise _stale(element, error.message) from None
        except Ambiguous as error:
            raise Ambiguous(error.message, target=f"uid={element.node.uid}") from None

    def _keep_clicks_apart(self, element: OrcaElement) -> None:
        """Two clicks on one element in a moment would be a double click, which selects text."""
        uid, at = self._clicked
        rest = at + _DOUBLE_CLICK - time.monotonic()
        if uid == element.node.uid and rest > 0 and (element.node.editable or not self._ours()):
            time.sleep(rest)
        self._clicked = (element.node.uid, time.monotonic())

    def _one(self, element: OrcaElement, target: Mapping[str, Any], details: bool, timeout: float) -> Tree:
        """One element as it is now; Stale if it is gone, or another is in its place."""
        try:
            data = self._do("widget.get", {"target": target}, timeout)
        except (NotFound, Ambiguous) as error:
            raise _stale(element, error.message) from None
        if not isinstance(data, Mapping) or not element.may_be(data):
            raise _stale(element, "another element is in its place")
        return Tree([read_node(data, element, details=details)], self._seen.tree.windows)

    def _element(self, uid: str) -> OrcaElement:
        element = self._seen.elements.get(uid)
        if element is None:
            raise self._gone(uid)
        return element

    def _gone(self, uid: str) -> Stale:
        return Stale(f"{self._called.get(uid, uid)} is gone", target=f"uid={uid}")

    def _target(self, element: OrcaElement) -> dict[str, Any]:
        target = self._seen.target(element)
        if target is None:
            raise Ambiguous(
                f"the Orca server cannot distinguish them: several have the path '{element.path}', "
                f"as {element.node} has",
                target=f"uid={element.node.uid}",
                suggestions=("give it another label in the program; after ## it is not shown",),
            )
        return target

    def _do(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        try:
            return self._call(method, params, timeout)
        except UnknownMethod as error:
            raise ActionUnsupported(
                f"this Orca server does not know {method}: {error.message}", suggestions=_INSTRUMENT
            ) from None

    def _uid(self, key: Key) -> str:
        return self._uids.get(key) or self._uids.setdefault(key, f"o-{next(self._numbers)}")


_SPOKEN = ("active_tab", "slice_progress", "modal_dialog")
_FLAGS = ("project_loaded", "slicing", "foreground")


def _click_options(action: ops.Click) -> dict[str, Any]:
    """Only what was asked for."""
    options: dict[str, Any] = {}
    if action.button != "left":
        options["button"] = action.button
    if action.count == 2:
        options["double"] = True
    if action.modifiers:
        options["modifiers"] = ["cmd" if name == "meta" else name for name in action.modifiers]
    return options


def _holds_number(element: OrcaElement) -> bool:
    """Whether a field may be one for numbers; ImGui's say so by what they hold alone."""
    if element.node.role == "spin-button":
        return True
    return element.backend == "imgui" and element.value is not None and _number(element.value) is not None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _image(answer: Any) -> Image:
    try:
        png = base64.b64decode(answer["png_base64"], validate=True)
        return Image(png, int(answer["width"]), int(answer["height"]))
    except (TypeError, KeyError, ValueError, binascii.Error):
        raise ScreenshotFailed(
            f"the Orca server did not answer with a screenshot: {str(answer)[:200]}"
        ) from None


def _unsupported(action: Action, how: str = "like this") -> ActionUnsupported:
    what = ops.NAMES[type(action)].replace("_", " ")
    return ActionUnsupported(
        f"the Orca protocol clicks, types and presses keys; it cannot {what} {how}", suggestions=_INSTRUMENT
    )


def _stale(element: OrcaElement, reason: str) -> Stale:
    node: Node = element.node
    return Stale(f"{node} was there and is gone: {reason}", target=f"uid={node.uid}")
