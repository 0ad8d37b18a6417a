"""Actions through xa11y: what an element offers itself where it does, real input where it does not.

What neither can do is refused with the reason. Runs in the worker of the program that is acted on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ...model import operations as ops
from ...model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    ActionUnsupported,
    AppGone,
    DeskhandError,
    NotEditable,
    Stale,
    UiBusy,
)
from ...model.keys import parse
from ...model.node import Rect
from ...model.operations import Action
from ..choices import named, not_found
from . import build
from .worker import Deadline

if TYPE_CHECKING:
    import xa11y

    from .adapter import Entry

_KEYS = {
    "Return": "Enter", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown",
    "Backtab": "Tab", "Control": "Ctrl",
}  # fmt: skip
"""Keys that xa11y calls otherwise than Qt."""
_HELD = {"ctrl": "Ctrl", "shift": "Shift", "alt": "Alt", "meta": "Meta"}
_WINDOW = {
    "close": "close", "focus": "activate", "maximize": "maximize", "minimize": "minimize", "move": "move_to",
    "resize": "resize_to", "restore": "restore",
}  # fmt: skip
_PRESS = ("press", "toggle", "select", "show_menu", "expand")
_GONE = ("UnknownObject", "no longer", "defunct", "InvalidUIElement", "UIA_E_ELEMENTNOTAVAILABLE")
_ENDED = ("ServiceUnknown", "NameHasNoOwner", "Disconnected", "NoReply")
_SETTLE = 2.0
_LOOK = 0.03
_EFFECT = 0.6
"""How long an effect is waited for before it is tried again, in seconds."""
_TRIES = 2
_SCROLLING = 5.0
_NOTCHES = 10
_NOTCH = 100
"""More pixels than a notch of the wheel is likely to scroll."""


class Performer:
    """Performs actions; `fresh` answers with an element as it is now."""

    def __init__(self, library: Any, fresh: Callable[[Entry, Deadline], Entry]) -> None:
        self._library = library
        self._fresh = fresh
        self._input: xa11y.InputSim | None = None

    def perform(
        self, action: Action, entry: Entry | None, other: Entry | None, deadline: Deadline
    ) -> Mapping[str, object]:
        """Do it now. The element is looked at again first, so that what is gone is told."""
        entry = None if entry is None else self._fresh(entry, deadline)
        what = ops.NAMES[type(action)]
        target = "where the focus is" if entry is None else str(entry.node)
        with translated(f"{what}: {target}"):
            match action, entry:
                case ops.Press(), entry if entry is not None:
                    return {"detail": self._press(entry)}
                case ops.SetChecked(checked=checked), entry if entry is not None:
                    return self._check(entry, checked)
                case ops.Expand(expanded=expanded), entry if entry is not None:
                    return self._expand(entry, expanded, deadline)
                case ops.SetValue(value=value), entry if entry is not None:
                    return self._set(entry, value, deadline)
                case ops.TypeText(), _:
                    return self._type(action, entry, deadline)
                case ops.Key(keys=keys), _:
                    return self._key(keys, entry)
                case ops.Select(), entry if entry is not None:
                    return self._select(action, entry, deadline)
                case ops.Scroll(), entry if entry is not None:
                    return self._scroll(action, entry, deadline)
                case ops.Focus(), entry if entry is not None:
                    entry.element.focus()
                    return {"detail": "accessibility"}
                case ops.ShowMenu(), entry if entry is not None:
                    return self._menu(entry)
                case ops.ControlWindow(), entry if entry is not None:
                    return self._window(action, entry, deadline)
                case _:
                    return self._point(action, entry, other)

    # -- through accessibility -------------------------------------------------------------------

    def _press(self, entry: Entry) -> str:
        offered = entry.element.actions
        for name in _PRESS:
            if name in offered:
                getattr(entry.element, name)()
                return f"accessibility: {name}"
        if not offered and entry.node.bounds is not None and entry.node.focusable:
            self._click(entry)
            return "real input: it offers no action"
        raise self._unsupported("pressed", entry)

    def _check(self, entry: Entry, wanted: bool) -> Mapping[str, object]:
        if entry.node.checked is None:
            raise self._unsupported("ticked", entry)
        if entry.node.checked == wanted and not entry.node.mixed:
            return {"detail": "it was so already"}
        return {"detail": self._press(entry)}

    def _expand(self, entry: Entry, wanted: bool, deadline: Deadline) -> Mapping[str, object]:
        if entry.node.expanded == wanted:
            return {"detail": "it was so already"}
        name = "expand" if wanted else "collapse"
        offered = entry.element.actions
        if name in offered:
            getattr(entry.element, name)()
            return {"detail": f"accessibility: {name}"}
        if entry.node.role in ("combo-box", "menu-item", "menu") and entry.node.expanded is not None:
            return {"detail": self._press(entry)}
        if entry.node.role == "tree-item" and entry.node.bounds is not None:
            self._click_until_focused(entry, deadline)
            self._inputs().press("ArrowRight" if wanted else "ArrowLeft")
            return {"detail": "real input: it offers no such action"}
        raise self._unsupported("expanded" if wanted else "collapsed", entry)

    def _set(self, entry: Entry, value: str, deadline: Deadline) -> Mapping[str, object]:
        if not entry.node.editable:
            raise NotEditable(f"{entry.node} cannot be edited", suggestions=("target the field itself",))
        number = _number(value)
        if entry.node.number is not None and number is not None:
            entry.element.set_numeric_value(number)
        else:
            entry.element.set_value(value)
        if entry.node.password:
            return {"detail": "accessibility"}
        until = time.monotonic() + min(_SETTLE, deadline.remaining)
        while True:
            now = self._fresh(entry, deadline).node
            if now.value == value or (number is not None and now.number == number) or now.password:
                return {"detail": "accessibility"}
            if time.monotonic() >= until:
                raise ActionFailed(f"set {entry.node} to '{value}'; it says '{now.value}'")
            time.sleep(_LOOK)  # toolkits take the value when their loop comes round

    def _select(self, action: ops.Select, entry: Entry, deadline: Deadline) -> Mapping[str, object]:
        if entry.node.role in ("table", "tree-grid", "grid"):
            raise ActionUnsupported(
                f"xa11y does not tell the rows and columns of {entry.node}",
                suggestions=("click the cell itself",),
            )
        choices = _choices(entry.element)
        if not choices:
            raise self._unsupported("chosen from", entry)
        names = [build.title(choice) for choice in choices]
        wanted = action.text if action.text is not None else action.value
        index = action.index if wanted is None else names.index(wanted) if wanted in names else None
        if index is None or not 0 <= index < len(choices):
            raise not_found(action, str(entry.node), named(names), len(names))
        detail = self._choose(entry, choices[index], index, action.extend, deadline)
        return {"detail": detail, "selected": {"index": index, "text": names[index], "value": names[index]}}

    def _choose(
        self, entry: Entry, choice: xa11y.Element, index: int, extend: bool, deadline: Deadline
    ) -> str:
        for name in ("select", "press"):
            if name in choice.actions and not extend:
                getattr(choice, name)()
                return f"accessibility: {name}"
        wanted = build.title(choice)
        held = ["Ctrl"] if extend else []
        for _ in range(_TRIES):
            self._inputs().click(_middle(self._place(entry, choice, index, deadline)), held=held)
            if self._chosen(entry, index, wanted, deadline):
                return "real input: the options offer no action"
        raise ActionFailed(f"clicked '{wanted}' in {entry.node}; it was not chosen")

    def _place(self, entry: Entry, choice: xa11y.Element, index: int, deadline: Deadline) -> Rect:
        """Where on the screen an option is; a list that drops down is opened for that."""
        drops = entry.node.role == "combo-box"
        if drops and self._fresh(entry, deadline).node.expanded is not True:
            self._press(entry)
        place: Rect | None = None
        until = time.monotonic() + min(_SETTLE, deadline.remaining)
        while time.monotonic() < until:
            # It may still be on its way to its place.
            now = _choices(entry.element)
            before, place = place, build.rect(now[index]) if index < len(now) else None
            if place is not None and place == before:
                return place
            time.sleep(_LOOK)
        raise ActionUnsupported(f"'{choice.name}' in {entry.node} offers no action and is not on the screen")

    def _chosen(self, entry: Entry, index: int, wanted: str, deadline: Deadline) -> bool:
        """Whether an option became the one that is chosen, before long."""
        until = time.monotonic() + min(_EFFECT, deadline.remaining)
        while True:
            now = _choices(entry.element)
            if index < len(now) and now[index].selected:
                return True
            if entry.node.role == "combo-box" and self._fresh(entry, deadline).node.value == wanted:
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK)  # toolkits choose when their loop comes round

    def _scroll(self, action: ops.Scroll, entry: Entry, deadline: Deadline) -> Mapping[str, object]:
        if action.row is not None or action.text is not None:
            raise ActionUnsupported(
                f"xa11y does not tell the rows of {entry.node} that are not on the screen",
                suggestions=("turn the wheel over it: scroll(dy=…)",),
            )
        if action.into_view:
            return {"detail": self._into_view(entry, deadline)}
        self._inputs().scroll(self._at(entry, None, None), round(action.dx), round(action.dy))
        return {"detail": "real input"}

    def _into_view(self, entry: Entry, deadline: Deadline) -> str:
        if not entry.node.offscreen:
            return "it was so already"
        try:
            entry.element.scroll_into_view()
            if not self._fresh(entry, deadline).node.offscreen:
                return "accessibility: scroll_into_view"
        except self._library.XA11yError:
            pass
        # Fallback: Qt knows no such action, and macOS does nothing; the wheel does it.
        area, until = entry.around.clip, time.monotonic() + min(_SCROLLING, deadline.remaining)
        before, moved = None, time.monotonic()
        while area is not None and time.monotonic() < until:
            node = self._fresh(entry, deadline).node
            if not node.offscreen:
                return "real input"
            if node.bounds is None or node.bounds != before:
                before, moved = node.bounds, time.monotonic()
            elif time.monotonic() - moved > _EFFECT:
                break
            dx, dy = 0, _NOTCHES  # GTK does not tell where what is scrolled away is; most often it is below
            if node.bounds is not None:
                away = node.bounds.center[1] - area.center[1]
                aside = node.bounds.center[0] - area.center[0]
                dx, dy = (0, _notches(away)) if abs(away) > area.height / 2 else (_notches(aside), 0)
            self._inputs().scroll(_middle(area), dx, dy)
            time.sleep(_LOOK)  # the wheel is answered by no event that all toolkits have
        raise ActionUnsupported(f"{entry.node} cannot be scrolled into view through xa11y")

    def _menu(self, entry: Entry) -> Mapping[str, object]:
        if "show_menu" in entry.element.actions:
            entry.element.show_menu()
            return {"detail": "accessibility: show_menu"}
        self._click(entry, "right")
        return {"detail": "real input"}

    def _window(self, action: ops.ControlWindow, entry: Entry, deadline: Deadline) -> Mapping[str, object]:
        window = self._fresh(entry.window, deadline)
        verb = _WINDOW[action.do]
        if verb not in window.element.actions:
            raise self._unsupported(action.do, window)
        if action.do not in ("move", "resize"):
            getattr(window.element, verb)()
            return {"detail": f"accessibility: {verb}"}
        bounds = window.node.bounds or Rect(0, 0, 0, 0)
        if action.do == "resize":
            size = (action.width or bounds.width, action.height or bounds.height)
            window.element.resize_to(*map(round, size))
            self._placed(window, deadline)
            return {"detail": "accessibility: resize_to"}
        x = bounds.x if action.x is None else action.x
        y = bounds.y if action.y is None else action.y
        window.element.move_to(round(x), round(y))
        came = self._placed(window, deadline)
        if came is not None and (came.x, came.y) != (x, y):
            # It places what the program draws, and tells the bounds with the frame around that.
            window.element.move_to(round(2 * x - came.x), round(2 * y - came.y))
            self._placed(window, deadline)
        return {"detail": "accessibility: move_to"}

    def _placed(self, window: Entry, deadline: Deadline) -> Rect | None:
        """Where a window is once that is the same twice."""
        before = window.node.bounds
        until = time.monotonic() + min(_SETTLE, deadline.remaining)
        seen: Rect | None = None
        while True:
            now = self._fresh(window, deadline).node.bounds
            if now == seen and (now != before or time.monotonic() >= until - _SETTLE / 2):
                return now
            seen = now
            if time.monotonic() >= until:
                return now
            time.sleep(_LOOK)  # the window manager answers when it has done it, and tells nobody

    # -- by real input ---------------------------------------------------------------------------

    def _type(self, action: ops.TypeText, entry: Entry | None, deadline: Deadline) -> Mapping[str, object]:
        detail = "real input"
        if entry is not None and action.clear:
            self._set(entry, "", deadline)
        if entry is not None:
            entry.element.focus()
            if entry.element.value and not action.clear:
                # Some toolkits select all of a field that takes the focus, and typing would replace it.
                end = len(entry.element.value)
                with suppress(self._library.XA11yError):
                    entry.element.select_text(end, end)
        if (
            entry is not None
            and entry.node.editable
            and not (action.text.isascii() and action.text.isprintable())
        ):
            # Fallback: a keyboard layout lacks most characters, and xa11y types only those it has.
            entry.element.type_text(action.text)
            detail = "accessibility: some characters are on no key"
        elif action.text:
            self._inputs().type_text(action.text)
        if action.submit:
            self._inputs().press("Enter")
        return {"detail": detail}

    def _key(self, keys: str, entry: Entry | None) -> Mapping[str, object]:
        chord = parse(keys)
        if entry is not None:
            entry.element.focus()
        held = [_HELD[name] for name in chord.modifiers]
        if chord.key == "Backtab":
            held.append("Shift")
        key = _KEYS.get(chord.key, chord.key) if chord.key is not None else chord.text or ""
        self._inputs().chord(key, held)
        return {"detail": "real input"}

    def _point(self, action: Action, entry: Entry | None, other: Entry | None) -> Mapping[str, object]:
        pointer = self._inputs
        match action:
            case ops.Click():
                if (
                    entry is not None
                    and entry.node.bounds is None
                    and entry.node.role.startswith("menu-item")
                ):
                    # Fallback: what is in a menu that is closed has no place, and is pressed all the same.
                    return {"detail": self._press(entry)}
                self._raise(entry)
                at = self._at(entry, action.x, action.y)
                held = _held(action.modifiers)
                pointer().click(at, button=_button(action.button), count=action.count, held=held)
            case ops.Hover():
                pointer().move_to(self._at(entry, action.x, action.y))
            case ops.MouseDown():
                self._raise(entry)
                pointer().move_to(self._at(entry, action.x, action.y))
                pointer().mouse_down(_button(action.button))
            case ops.MouseUp():
                if entry is not None or action.x is not None:
                    pointer().move_to(self._at(entry, action.x, action.y))
                pointer().mouse_up(_button(action.button))
            case ops.Drag():
                self._raise(entry)
                start, end = self._at(entry, action.x, action.y), self._at(other, action.to_x, action.to_y)
                pointer().drag(start, end, button=_button(action.button), held=_held(action.modifiers))
            case _:
                target = "no element" if entry is None else str(entry.node)
                raise ActionUnsupported(f"xa11y cannot {ops.NAMES[type(action)]} on {target}")
        return {"detail": "real input"}

    def _click(self, entry: Entry, button: Any = "left") -> None:
        self._raise(entry)
        self._inputs().click(self._at(entry, None, None), button=button)

    def _click_until_focused(self, entry: Entry, deadline: Deadline) -> None:
        """Click where it is, and again where it is by then: a page just shown may still be laid out."""
        for _ in range(_TRIES):
            self._click(entry)
            until = time.monotonic() + min(_EFFECT, deadline.remaining)
            while time.monotonic() < until:
                entry = self._fresh(entry, deadline)
                if entry.node.focused:
                    return
                time.sleep(_LOOK)  # toolkits take the focus when their loop comes round
        raise ActionFailed(f"{entry.node} was clicked, and did not take the focus")

    def _raise(self, entry: Entry | None) -> None:
        """Bring the window to the front, unless the program is there already, maybe with a menu open."""
        if entry is None:
            return
        windows = [one for one in entry.program.app.as_element().children() if one.role in build.WINDOWS]
        window = entry.window.element
        if not any(one.active for one in windows) and "activate" in window.actions:
            window.activate()

    def _at(self, entry: Entry | None, x: float | None, y: float | None) -> tuple[int, int]:
        """The point on the screen."""
        if entry is None:
            if x is None or y is None:
                raise ActionUnsupported("a point on the screen needs both x and y")
            return round(x), round(y)
        bounds = entry.node.bounds
        if bounds is None:
            raise ActionUnsupported(
                f"{entry.node} has no place on the screen that accessibility tells",
                suggestions=("use an action that it offers itself: press, set-value, select, focus",),
            )
        middle = bounds.center
        return (
            round(middle[0] if x is None else bounds.x + x),
            round(middle[1] if y is None else bounds.y + y),
        )

    def _inputs(self) -> xa11y.InputSim:
        if self._input is None:
            self._input = self._library.input_sim()
        return self._input

    def _unsupported(self, done: str, entry: Entry) -> ActionUnsupported:
        offered = ", ".join(entry.element.actions) or "nothing"
        return ActionUnsupported(
            f"{entry.node} cannot be {done} through xa11y, to which it offers {offered}",
            suggestions=("click it, or use the keyboard",),
        )


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Errors of xa11y as errors of ours."""
    import xa11y  # whoever gets here has it

    try:
        yield
    except xa11y.XA11yError as error:
        raise _ours(error, doing, xa11y) from error


def _ours(error: Exception, doing: str, library: Any) -> DeskhandError:
    said = str(error)
    if isinstance(error, library.PermissionDeniedError):
        return AccessibilityUnavailable(
            f"{doing}: the system refuses it: {said}",
            suggestions=("allow this terminal or program under accessibility in the system's settings",),
        )
    if isinstance(error, library.AccessibilityNotEnabledError):
        return AccessibilityUnavailable(f"{doing}: {said}")
    if isinstance(error, library.ActionNotSupportedError):
        return ActionUnsupported(f"{doing}: xa11y: {said}")
    if isinstance(error, library.TimeoutError):
        return UiBusy(f"{doing}: {said}")
    if any(word in said for word in _ENDED):
        return AppGone(f"{doing}: the program has ended")
    if any(word in said for word in _GONE) or isinstance(error, library.SelectorNotMatchedError):
        return Stale(f"{doing}: it is gone")
    return ActionFailed(f"{doing}: {said}")


def _choices(element: xa11y.Element) -> list[xa11y.Element]:
    """What can be chosen in a combo box, list or tab bar."""
    found = []
    stack = list(reversed(element.children()))
    while stack:
        child = stack.pop()
        role = build.role_of(child, top=False)
        if role in build.CHOICES:
            found.append(child)
        elif role in ("menu", "list", "list-box", "group", "tab-list"):
            stack.extend(reversed(child.children()))
    return found


def _middle(place: Rect) -> tuple[int, int]:
    return round(place.x + place.width / 2), round(place.y + place.height / 2)


def _notches(distance: float) -> int:
    """How often to turn the wheel for a distance, rather too little than too much."""
    turns = max(1, min(_NOTCHES, int(abs(distance) / _NOTCH)))
    return turns if distance > 0 else -turns


def _button(name: str) -> Any:
    return name


def _held(modifiers: tuple[str, ...]) -> list[str]:
    return [_HELD[name] for name in modifiers]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
