"""One WebDriver session: its commands, each as operations of one app."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from ...model import operations as ops
from ...model.errors import ActionFailed, DeskhandError, NotConnected, Stale, UiBusy, WaitTimeout
from ...model.node import Node, Rect, Window
from ...model.operations import Cancel, Operation
from ...model.order import shown_text
from ...model.record import dataclass
from ...model.selector import by_uid
from ...model.tree import Tree
from . import alerts, keys, locate, source
from .actions import Input, Step, steps_of
from .capabilities import IMPLICIT, NAME, PLATFORM, TIMEOUTS, read_timeouts, whole
from .errors import WebDriverError

R = TypeVar("R")

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""What the standard calls a reference to an element."""
_LEGACY_ELEMENT = "ELEMENT"
_SHADOW = "shadow-6066-11e4-a52e-4f735466cecf"

_SETTLE = 2.0
"""How long an app may take after an action until it is idle, in seconds."""
_GONE = 5.0
"""How long an alert may take to close, in seconds."""
_FOUND = 10_000
"""How many elements one command finds."""
_HANDLED = frozenset(("regular", "dialog", "floating", "sheet", "systemDialog"))
"""Kinds of windows that have a handle."""
_PLAIN = re.compile(r"(?!hex\.)[A-Za-z0-9_.:@+~-]+")
_NAME = re.compile(rf"(?P<mark>\w+)\.(?:hex\.(?P<hex>[0-9a-f]+)|(?P<plain>{_PLAIN.pattern}))")


class App(Protocol):
    """What a session drives."""

    id: str
    """What `appium:app` said, or the app's name."""
    desktop: bool
    """Whether it is the whole desktop and not one app."""

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R: ...

    def state(self, id: str) -> int:
        """Whether an app runs, in Appium's numbers: 1 not running, 3 in the background, 4 in front."""

    def activate(self, id: str) -> None:
        """Bring an app to the front; start it if it does not run."""

    def terminate(self, id: str) -> bool:
        """End an app; whether it ran."""

    def launch(self, command: Sequence[str]) -> int:
        """Start a further program next to it; its process id."""

    def close(self) -> None: ...


class Tools(Protocol):
    """What a session needs that a protocol does not do itself."""

    def xpath(self, document: str, expression: str, context: int, timeout: float) -> list[int]:
        """The elements that an expression finds, by their number in the document, from an element on."""

    def until_found(
        self, attempt: Callable[[], tuple[list[R], int]], app: App, timeout: float, cancel: Cancel
    ) -> list[R]:
        """What an attempt finds, tried again when the app's tree is no longer of the returned revision."""

    def pause(self, seconds: float, cancel: Cancel) -> None: ...


@dataclass(frozen=True)
class Call:
    """One command: the variable parts of its path, its body, and whether its client went away."""

    path: Mapping[str, str]
    body: Mapping[str, Any]
    cancel: Cancel


class Session:
    """The state of a session, and its commands."""

    def __init__(self, id: str, app: App, wanted: Mapping[str, Any], tools: Tools) -> None:
        self.id = id
        self.app = app
        self.created = time.time()
        self.used = time.monotonic()
        self.running = 0
        """How many commands run now."""
        self.idle_timeout: float | None = None
        """How long it may be without commands, in seconds; None for ever."""
        self.timeouts: dict[str, int | None] = {**TIMEOUTS, **read_timeouts(wanted.get("timeouts", {}))}
        self.settings: dict[str, Any] = {}
        self._wanted = wanted
        self._tools = tools
        self._window: str | None = None
        """The window that a client switched to; otherwise the main one is current."""
        self._last: tuple[Rect | None, str, list[Node], Tree] | None = None
        """The last source, and where the window was."""
        self._input = Input()
        self._acting = threading.Lock()
        self._mark = id.replace("-", "")[:12]

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client gets."""
        return {
            **{name: value for name, value in self._wanted.items() if name != "webSocketUrl"},
            "browserName": "",
            "browserVersion": "",
            "platformName": PLATFORM,
            "appium:automationName": NAME,
            "acceptInsecureCerts": False,
            "pageLoadStrategy": self._wanted.get("pageLoadStrategy", "normal"),
            "setWindowRect": True,
            "strictFileInteractability": False,
            "proxy": {},
            "timeouts": dict(self.timeouts),
            "unhandledPromptBehavior": self._wanted.get("unhandledPromptBehavior", "ignore"),
        }

    # -- what commands are made of -------------------------------------------------------------

    @property
    def implicit(self) -> float:
        """How long elements are waited for, in seconds."""
        given = self.timeouts[IMPLICIT]
        return ops.LONGEST if given is None else min(given / 1000, ops.LONGEST)

    def run(self, operation: Operation[R], cancel: Cancel) -> R:
        return self.app.run(operation, cancel)

    def act(self, operation: ops.Action, cancel: Cancel) -> ops.Done:
        """Do something, and return when the app has reacted to it."""
        done = self.run(operation, cancel)
        self.settle(cancel)
        return done

    def settle(self, cancel: Cancel) -> None:
        # An app that stays busy, or that the action ended, shows in what is asked next.
        with suppress(UiBusy, NotConnected, WaitTimeout):
            self.run(ops.WaitIdle(timeout=_SETTLE), cancel)

    def reference(self, node: Node) -> dict[str, str]:
        """What a client calls an element."""
        return {ELEMENT: self._name(node.uid)}

    def uid(self, reference: object) -> str:
        """The uid that a reference stands for; `no such element` if it is not one of this session."""
        if isinstance(reference, dict):
            reference = reference.get(ELEMENT, reference.get(_LEGACY_ELEMENT))
        if not isinstance(reference, str):
            raise WebDriverError("invalid argument", "this is not a reference to an element")
        found = _NAME.fullmatch(reference)
        if found is None or found["mark"] != self._mark:
            raise WebDriverError("no such element", f"'{reference[:100]}' is not an element of this session")
        if found["plain"] is not None:
            return found["plain"]
        with suppress(ValueError):
            return bytes.fromhex(found["hex"]).decode()
        raise WebDriverError("no such element", f"'{reference[:100]}' is not an element of this session")

    def reference_text(self, reference: object) -> str:
        """The text of a reference, checked."""
        return self._name(self.uid(reference))

    def node(self, reference: object, cancel: Cancel, *, details: bool = False) -> Node:
        """The node behind a reference as it is now; `stale element reference` if it is gone."""
        uid = self.uid(reference)
        target = by_uid(uid)
        if details:
            return self.run(ops.Get(target), cancel)
        found = self.run(ops.Find(target, internals=True), cancel)
        if not found:
            raise _stale(uid)
        return found[0]

    def target(self, call: Call) -> str:
        return by_uid(self.uid(call.path["element"]))

    def tree(self, cancel: Cancel, target: str | None = None) -> Tree:
        tree = self.run(ops.ReadTree(target), cancel).tree
        assert tree is not None, "without a revision to compare with, the whole tree is returned"
        return tree

    # -- windows -------------------------------------------------------------------------------

    def windows(self, cancel: Cancel) -> list[Window]:
        """The windows that have a handle, the main one first."""
        return [window for window in self.run(ops.ListWindows(), cancel) if window.kind in _HANDLED]

    def window(self, cancel: Cancel) -> Window:
        """The current window; `no such window` if there is none."""
        windows = self.windows(cancel)
        found = windows[:1] if self._window is None else [one for one in windows if one.uid == self._window]
        if not found:
            closed = "it was closed" if self._window is not None else "the app has no window"
            raise WebDriverError("no such window", f"there is no current window: {closed}")
        return found[0]

    def origin(self, cancel: Cancel) -> Rect | None:
        """Where the current window is, from which bounds are seen; None for the screen."""
        if self.app.desktop and self._window is None:
            return None
        try:
            return self.window(cancel).bounds
        except WebDriverError:
            return None

    def handle(self, window: Window) -> str:
        return self._name(window.uid)

    def _name(self, uid: str) -> str:
        """What a client calls an element or window: a part of a path, so with no other characters."""
        return f"{self._mark}.{uid}" if _PLAIN.fullmatch(uid) else f"{self._mark}.hex.{uid.encode().hex()}"

    def get_window(self, call: Call) -> str:
        return self.handle(self.window(call.cancel))

    def get_handles(self, call: Call) -> list[str]:
        return [self.handle(window) for window in self.windows(call.cancel)]

    def switch_window(self, call: Call) -> None:
        wanted = call.body.get("handle", call.body.get("name"))
        if not isinstance(wanted, str):
            raise WebDriverError("invalid argument", "'handle' must be a text")
        windows = self.windows(call.cancel)
        found = next((window for window in windows if self.handle(window) == wanted), None)
        if found is None:
            known = ", ".join(f"{self.handle(window)} '{window.title or ''}'" for window in windows[:10])
            raise WebDriverError(
                "no such window", f"no window '{wanted[:100]}'; there are: {known or 'none'}"
            )
        self._window = found.uid

    def close_window(self, call: Call) -> list[str]:
        window = self.window(call.cancel)
        # An app may end with its last window, before it has answered.
        with suppress(NotConnected):
            self.act(ops.ControlWindow(by_uid(window.uid), do="close"), call.cancel)
        with suppress(NotConnected):
            return self.get_handles(call)
        return []

    def get_rect(self, call: Call) -> dict[str, Any]:
        bounds = self.window(call.cancel).bounds
        return source.rect(bounds or Rect(0, 0, 0, 0), None)

    def set_rect(self, call: Call) -> dict[str, Any]:
        place = [_dimension(call.body.get(name), name, negative=True) for name in ("x", "y")]
        size = [_dimension(call.body.get(name), name) for name in ("width", "height")]
        window = self.window(call.cancel)
        target = by_uid(window.uid)
        restore = ops.ControlWindow(target, do="restore")
        if window.minimized or window.maximized:
            self.act(restore, call.cancel)
        if window.minimized and self.window(call.cancel).maximized:
            self.act(restore, call.cancel)  # it was minimized from there
        if size != [None, None]:
            resize = ops.ControlWindow(target, do="resize", width=size[0], height=size[1])
            self.act(resize, call.cancel)
        if place != [None, None]:
            self.act(ops.ControlWindow(target, do="move", x=place[0], y=place[1]), call.cancel)
        return self.get_rect(call)

    def control(self, do: str) -> Callable[[Call], dict[str, Any]]:
        def answer(call: Call) -> dict[str, Any]:
            self.act(ops.ControlWindow(by_uid(self.window(call.cancel).uid), do=do), call.cancel)
            return self.get_rect(call)

        return answer

    def switch_frame(self, call: Call) -> None:
        wanted = call.body.get("id")
        if wanted is None:
            return
        if isinstance(wanted, dict):
            self.node(wanted, call.cancel)
        elif isinstance(wanted, bool) or not isinstance(wanted, (int, str)):
            raise WebDriverError("invalid argument", "a frame is null, a number or an element")
        raise WebDriverError("no such frame", "windows of desktop apps have no frames")

    def title(self, call: Call) -> str:
        return self.window(call.cancel).title or ""

    # -- finding -------------------------------------------------------------------------------

    def find_one(self, call: Call) -> dict[str, str]:
        found = self._find(call)
        if not found:
            raise self._none_found(call)
        return self.reference(_meant(found))

    def find_all(self, call: Call) -> list[dict[str, str]]:
        return [self.reference(node) for node in _fields_first(self._find(call))]

    def _find(self, call: Call) -> list[Node]:
        wanted = locate.sought(call.body.get("using"), call.body.get("value"))
        root = self.uid(call.path["element"]) if "element" in call.path else None
        if wanted.xpath is not None:
            expression = wanted.xpath
            return self._tools.until_found(
                lambda: self._by_xpath(expression, root, call.cancel), self.app, self.implicit, call.cancel
            )
        found = self._by_selectors(wanted.selectors, root, call.cancel)
        if not found and self.implicit:
            awaited = locate.below(root, ", ".join(wanted.selectors))
            wait = ops.Wait(awaited, "exists", any_match=True, timeout=self.implicit)
            with suppress(WaitTimeout):
                self.run(wait, call.cancel)
                found = self._by_selectors(wanted.selectors, root, call.cancel)
        if not found and root is not None:
            self.node(call.path["element"], call.cancel)
        return found

    def _by_selectors(self, selectors: Sequence[str], root: str | None, cancel: Cancel) -> list[Node]:
        """What the first selector that matches finds: in the window that was switched to, else anywhere."""
        roots = [root] if root is not None or self._window is None else [self._window, None]
        for selector in selectors:
            for each in roots:
                found = self.run(ops.Find(locate.below(each, selector), _FOUND), cancel)
                if found:
                    return list(found)
        return []

    def _by_xpath(self, expression: str, root: str | None, cancel: Cancel) -> tuple[list[Node], int]:
        document, order, tree = self._document(cancel)
        context = 0
        if root is not None:
            context = next((at for at, node in enumerate(order, 1) if node.uid == root), 0)
            if not context:
                raise _stale(root)
        numbers = self._tools.xpath(document, expression, context, max(self.implicit, 5.0))
        found = [order[number - 1] for number in numbers if number]
        if self._window is not None and root is None:
            here = [node for node in found if tree.window_of(node).uid == self._window]
            found = here or found
        return found[:_FOUND], tree.revision

    def _none_found(self, call: Call) -> WebDriverError:
        using, value = call.body.get("using"), str(call.body.get("value"))
        waited = f" within {self.implicit:g} s" if self.implicit else ""
        hints = ""
        if using != "xpath":
            wanted = locate.sought(using, value)
            with suppress(DeskhandError):
                try:
                    self.run(ops.Get(wanted.selectors[0]), call.cancel)
                except DeskhandError as error:
                    hints = f": {error.message}"
        return WebDriverError("no such element", f"no element with {using} {value[:200]!r}{waited}{hints}")

    def active(self, call: Call) -> dict[str, str]:
        found = self.run(ops.Find(":focused"), call.cancel)
        if not found:
            raise WebDriverError("no such element", "no element has the keyboard focus")
        return self.reference(found[-1])

    def no_shadow_root(self, call: Call) -> None:
        self.node(call.path["element"], call.cancel)
        raise WebDriverError("no such shadow root", "elements of desktop apps have no shadow root")

    # -- reading elements ----------------------------------------------------------------------

    def selected(self, call: Call) -> bool:
        node = self.node(call.path["element"], call.cancel)
        return bool(node.checked or node.selected)

    def enabled(self, call: Call) -> bool:
        return self.node(call.path["element"], call.cancel).enabled

    def displayed(self, call: Call) -> bool:
        return self.node(call.path["element"], call.cancel).visible

    def text(self, call: Call) -> str:
        return shown_text(self.node(call.path["element"], call.cancel)) or ""

    def tag(self, call: Call) -> str:
        return self.node(call.path["element"], call.cancel).role

    def label(self, call: Call) -> str:
        return self.node(call.path["element"], call.cancel).name or ""

    def rect(self, call: Call) -> dict[str, Any]:
        node = self.node(call.path["element"], call.cancel)
        return source.rect(node.bounds or Rect(0, 0, 0, 0), self.origin(call.cancel))

    def attribute(self, call: Call) -> str | None:
        return self._attribute(call.path["element"], call.path["name"], call.cancel)

    def _attribute(self, reference: object, name: str, cancel: Cancel) -> str | None:
        node = self.node(reference, cancel)
        found = source.attribute(node, name, self._origin_for(name, cancel))
        if found is not None:
            return found
        # Native properties are read only for one node at a time.
        return source.attribute(self.node(reference, cancel, details=True), name, None)

    def property(self, call: Call) -> Any:
        node = self.node(call.path["element"], call.cancel, details=True)
        name = call.path["name"]
        return source.value_of(node, name, self._origin_for(name, call.cancel))

    def _origin_for(self, name: str, cancel: Cancel) -> Rect | None:
        return self.origin(cancel) if name in ("x", "y") else None

    def css(self, call: Call) -> str:
        font = self.node(call.path["element"], call.cancel, details=True).font
        if font is None:
            return ""
        size = "" if font.size is None else f"{source.number(font.size)}pt"
        known = {
            "font-family": font.family, "font-size": size, "font-weight": font.weight, "color": font.color,
        }  # fmt: skip
        return known.get(call.path["name"].lower()) or ""

    # -- acting on elements --------------------------------------------------------------------

    def click(self, call: Call) -> None:
        with self._acting:
            click = ops.Click(self.target(call), self.implicit, modifiers=_held(self._input))
            self.act(click, call.cancel)

    def clear(self, call: Call) -> None:
        with self._acting:
            self.act(ops.SetValue(self.target(call), self.implicit, value=""), call.cancel)

    def send_keys(self, call: Call) -> None:
        text = _typed(call.body)
        node = self.node(call.path["element"], call.cancel)
        with self._acting:
            self._type(node, text, call.cancel)

    def _type(self, node: Node, text: str, cancel: Cancel) -> None:
        # Once a key was pressed in it, it has the focus; to name it again would move its cursor.
        target: str | None = by_uid(node.uid)
        operations: list[ops.Action] = []
        for stroke in keys.typed(text):
            if isinstance(stroke, str):
                raise WebDriverError("unsupported operation", f"there is no key U+{ord(stroke):04X} here")
            if stroke.kind == "key":
                operations.append(ops.Key(target, self.implicit, keys=stroke.name))
                target = None
            elif node.editable:
                operations.append(ops.TypeText(target, self.implicit, text=stroke.name))
            else:
                operations += [ops.Key(target, self.implicit, keys=letter) for letter in stroke.name]
        for number, operation in enumerate(operations):
            if number and isinstance(operation, ops.Key) and isinstance(operations[number - 1], ops.TypeText):
                # A field that completes what was typed takes Enter for its list until it has done so.
                self.settle(cancel)
            self.run(operation, cancel)
        self.settle(cancel)

    def set_value(self, call: Call) -> None:
        """Appium: replace the value in one step."""
        text = _typed(call.body)
        with self._acting:
            self.act(ops.SetValue(self.target(call), self.implicit, value=text), call.cancel)

    # -- input sources -------------------------------------------------------------------------

    def perform(self, call: Call) -> None:
        with self._acting:
            steps = steps_of(
                call.body,
                self._input,
                lambda reference: self.node(reference, call.cancel),
                self.origin(call.cancel),
                self.implicit,
            )
            self._do(steps, call.cancel)

    def release(self, call: Call) -> None:
        with self._acting:
            self._do(self._input.release(self.implicit), call.cancel)

    def _do(self, steps: Sequence[Step], cancel: Cancel) -> None:
        for step in steps:
            if isinstance(step, float):
                self._tools.pause(step, cancel)
            else:
                self.run(step, cancel)
        if steps:
            self.settle(cancel)

    # -- documents and screenshots -------------------------------------------------------------

    def source(self, call: Call) -> str:
        return self._document(call.cancel)[0]

    def _document(self, cancel: Cancel) -> tuple[str, list[Node], Tree]:
        """The source, its nodes in order, and their tree; the last one again if nothing changed."""
        origin = self.origin(cancel)
        known = self._last
        if known is not None and known[0] == origin:
            seen = self.run(ops.ReadTree(since=known[3].revision), cancel)
            if seen.difference is not None and seen.difference.empty:
                return known[1:]
        else:
            seen = self.run(ops.ReadTree(), cancel)
        tree = self.tree(cancel) if seen.tree is None else seen.tree
        document, order = source.document(tree, self.app.id, origin)
        self._last = origin, document, order, tree
        return document, order, tree

    def markup(self, reference: object, cancel: Cancel, *, inner: bool) -> str:
        """An element as it is in the source; with `inner` what is below it alone."""
        node = self.node(reference, cancel)
        tree = self.tree(cancel, by_uid(node.uid))
        nodes = [below for root in tree.roots for below in tree.children(root)] if inner else tree.roots
        return source.fragment(tree, nodes, self.origin(cancel))

    def screenshot(self, call: Call) -> str:
        if self.app.desktop and self._window is None:
            image = self.run(ops.Screenshot(desktop=True), call.cancel)
        else:
            image = self.run(ops.Screenshot(by_uid(self.window(call.cancel).uid)), call.cancel)
        return base64.b64encode(image.png).decode()

    def element_screenshot(self, call: Call) -> str:
        node = self.node(call.path["element"], call.cancel)
        image = self.run(ops.Screenshot(by_uid(node.uid), timeout=self.implicit), call.cancel)
        return base64.b64encode(image.png).decode()

    # -- alerts --------------------------------------------------------------------------------

    def _alert(self, cancel: Cancel) -> tuple[Window, Tree]:
        window = alerts.open_alert(self.run(ops.ListWindows(), cancel))
        if window is None:
            raise WebDriverError("no such alert", "no modal dialog is open")
        return window, self.tree(cancel, by_uid(window.uid))

    def alert_text(self, call: Call) -> str:
        window, tree = self._alert(call.cancel)
        return alerts.text_of(tree, window)

    def alert_send(self, call: Call) -> None:
        text = call.body.get("text")
        if not isinstance(text, str):
            raise WebDriverError("invalid argument", "'text' must be a text")
        window, tree = self._alert(call.cancel)
        field = alerts.field_of(tree)
        if field is None:
            raise WebDriverError(
                "element not interactable", f"'{window.title or 'the alert'}' has no field for a text"
            )
        self.act(ops.SetValue(by_uid(field.uid), self.implicit, value=text), call.cancel)

    def end_alert(self, accept: bool) -> Callable[[Call], None]:
        def answer(call: Call) -> None:
            window, tree = self._alert(call.cancel)
            button = alerts.button_of(tree, accept=accept)
            target = by_uid(window.uid)
            if button is not None:
                self.act(ops.Click(by_uid(button.uid), max(self.implicit, 1.0)), call.cancel)
            else:
                # What every toolkit does with these keys in a message box.
                self.act(ops.Key(keys="enter" if accept else "escape"), call.cancel)
            try:
                self.run(ops.Wait(target, "gone", timeout=_GONE), call.cancel)
            except (Stale, NotConnected):
                return
            except WaitTimeout:
                raise ActionFailed(f"'{window.title or 'the alert'}' is still open") from None

        return answer

    # -- timeouts, settings --------------------------------------------------------------------

    def get_timeouts(self, _: Call) -> dict[str, Any]:
        return dict(self.timeouts)

    def set_timeouts(self, call: Call) -> None:
        body = call.body
        if "type" in body and "ms" in body:  # before the standard
            name = {"page load": "pageLoad"}.get(str(body["type"]), str(body["type"]))
            body = {name: body["ms"]}
        self.timeouts.update(read_timeouts(body))

    def set_implicit(self, call: Call) -> None:
        self.timeouts[IMPLICIT] = whole(call.body.get("ms"), "'ms'")

    def get_settings(self, _: Call) -> dict[str, Any]:
        return dict(self.settings)

    def set_settings(self, call: Call) -> None:
        given = call.body.get("settings", call.body)
        if not isinstance(given, dict):
            raise WebDriverError("invalid argument", "'settings' must be an object")
        self.settings.update(given)


def _meant(found: Sequence[Node]) -> Node:
    """Which of several matches a client that wants one gets: the first visible one.

    A field comes before the caption that names it, as captions have no name in what clients know from HTML.
    """
    visible = [node for node in found if node.visible] or list(found)
    first = visible[0]
    if first.role not in _CAPTIONS:
        return first
    return next((node for node in visible if node.labelled_by is not None and node.name == first.name), first)


def _fields_first(found: Sequence[Node]) -> list[Node]:
    """What was found by one name, with the caption of a field after the field.

    Some clients ask for all and take the first. Anything else stays in the order of the document.
    """
    if len({node.name for node in found}) != 1 or all(node.labelled_by is None for node in found):
        return list(found)
    return sorted(found, key=lambda node: node.role in _CAPTIONS)


_CAPTIONS = frozenset(("text", "label-text", "caption"))


def _stale(uid: str) -> WebDriverError:
    return WebDriverError("stale element reference", f"{uid} is gone: find the element again")


def _held(state: Input) -> tuple[str, ...]:
    return tuple(modifier for modifier in ops.MODIFIERS if modifier in state.held)


def _typed(body: Mapping[str, Any]) -> str:
    """The text that a client sends as `text`, or, before the standard, as a list `value`."""
    text = body.get("text", body.get("value"))
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = "".join(text)
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        raise WebDriverError("invalid argument", "'text' must be a text")
    return text


def _dimension(value: Any, name: str, *, negative: bool = False) -> float | None:
    if value is None:
        return None
    least = -(2**31) if negative else 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < 2**31:
        raise WebDriverError("invalid argument", f"'{name}' must be a number, not {str(value)[:40]}")
    return float(value)
