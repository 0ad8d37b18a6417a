"""Actions through xa11y: what an element offers itself where it does, real input where it does not.

What neither can do is refused with the reason. Runs in the worker of the program that is acted on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
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
from ..choices import named, no_options, not_found
from ..performer import number_within
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
_DOUBLE_CLICK = 0.5
"""The longest time between two presses that systems count as a double click by default, in seconds."""
_LISTED = 5
_NEAR = 8
"""Presses further apart than this are never a double click, in pixels."""


class Performer:
    """Performs actions; `fresh` answers with an element as it is now."""

    def __init__(self, library: Any, fresh: Callable[[Entry, Deadline], Entry]) -> None:
        self._library = library
        self._fresh = fresh
        self._input: xa11y.InputSim | None = None
        self._pressed: tuple[float, str, tuple[int, int]] | None = None
        """When, with which button and at which point the pointer was pressed last."""

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
                    return {"detail": self._press(entry, deadline)}
                case ops.SetChecked(checked=checked), entry if entry is not None:
                    return self._check(entry, checked, deadline)
                case ops.Expand(expanded=expanded), entry if entry is not None:
                    return self._expand(entry, expanded, deadline)
                case ops.SetValue(value=value), entry if entry is not None:
                    return self._set(entry, value, deadline)
                case ops.TypeText(), _:
                    return self._type(action, entry, deadline)
                case ops.Key(keys=keys), _:
                    return self._key(keys, entry, deadline)
                case ops.Select(), entry if entry is not None:
                    return self._select(action, entry, deadline)
                case ops.Scroll(), entry if entry is not None:
                    return self._scroll(action, entry, deadline)
                case ops.Focus(), entry if entry is not None:
                    self._focus(entry, deadline)
                    return {"detail": "accessibility"}
                case ops.ShowMenu(), entry if entry is not None:
                    return self._menu(entry, deadline)
                case ops.ControlWindow(), entry if entry is not None:
                    return self._window(action, entry, deadline)
                case _:
                    return self._point(action, entry, other, deadline)

    # -- through accessibility -------------------------------------------------------------------

    def _press(self, entry: Entry, deadline: Deadline) -> str:
        offered = entry.element.actions
        for name in _PRESS:
            if name in offered:
                getattr(entry.element, name)()
                return f"accessibility: {name}"
        if not offered and entry.node.bounds is not None and entry.node.focusable:
            self._click(entry, deadline)
            return "real input: it offers no action"
        raise self._unsupported("pressed", entry)

    def _check(self, entry: Entry, wanted: bool, deadline: Deadline) -> Mapping[str, object]:
        if entry.node.checked is None:
            raise self._unsupported("ticked", entry)
        if _tick(entry) == (wanted, False):
            return {"detail": "it was so already"}
        detail, presses = "", 0
        # With three states, the first press may lead to the middle one.
        while presses == 0 or (presses < _TRIES and entry.node.mixed):
            detail, presses = self._press(entry, deadline), presses + 1
            try:
                entry = self._once(entry, partial(_differs, _tick(entry)), deadline)
            except Stale:
                return {"detail": detail}  # pressing it took it away
        if _tick(entry) != (wanted, False):
            state = "partly ticked" if entry.node.mixed else "ticked" if entry.node.checked else "not ticked"
            raise ActionFailed(f"pressed {entry.node}; it is {state}")
        return {"detail": detail}

    def _expand(self, entry: Entry, wanted: bool, deadline: Deadline) -> Mapping[str, object]:
        if entry.node.expanded == wanted:
            return {"detail": "it was so already"}
        name = "expand" if wanted else "collapse"
        offered = entry.element.actions
        if name in offered:
            getattr(entry.element, name)()
            detail = f"accessibility: {name}"
        elif entry.node.role in ("combo-box", "menu-item", "menu") and entry.node.expanded is not None:
            detail = self._press(entry, deadline)
        elif entry.node.role == "tree-item" and entry.node.bounds is not None:
            self._click_until_focused(entry, deadline)
            self._inputs().press("ArrowRight" if wanted else "ArrowLeft")
            detail = "real input: it offers no such action"
        else:
            raise self._unsupported("expanded" if wanted else "collapsed", entry)
        until = time.monotonic() + min(_SETTLE, deadline.remaining)
        while self._expanded(entry, deadline) not in (wanted, None):
            if time.monotonic() >= until:
                raise ActionFailed(f"{entry.node} did not {name}")
            time.sleep(_LOOK)  # toolkits expand when their loop comes round
        return {"detail": detail}

    def _expanded(self, entry: Entry, deadline: Deadline) -> bool | None:
        """Whether it is expanded now; None if the toolkit does not say."""
        try:
            return self._fresh(entry, deadline).node.expanded
        except Stale:
            # Qt replaces all items of a tree when one of them expands.
            siblings = [] if entry.parent is None else entry.parent.element.children()
            before = entry.element
            alike = [one for one in siblings if (one.role, one.name) == (before.role, before.name)]
            if not alike:
                raise
            return alike[0].expanded if len(alike) == 1 else None

    def _focus(self, entry: Entry, deadline: Deadline) -> None:
        """Give it the keyboard focus. Keys sent before it has the focus would go elsewhere."""
        self._raise(entry, deadline)
        entry.element.focus()
        now = self._once(entry, lambda now: now.node.focused or not now.node.focusable, deadline)
        if now.node.focusable and not now.node.focused:
            raise ActionFailed(f"{entry.node} did not take the focus")

    def _once(
        self, entry: Entry, so: Callable[[Entry], bool], deadline: Deadline, within: float = _SETTLE
    ) -> Entry:
        """The element once a condition holds, or as it is when time is up. Reads it at least once."""
        until = time.monotonic() + min(within, deadline.remaining)
        while True:
            now = self._fresh(entry, deadline)
            if so(now) or time.monotonic() >= until:
                return now
            time.sleep(_LOOK)  # toolkits do what they are asked to when their loop comes round

    def _set(self, entry: Entry, value: str, deadline: Deadline) -> Mapping[str, object]:
        if not entry.node.editable:
            raise NotEditable(f"{entry.node} cannot be edited", suggestions=("target the field itself",))
        number = _number(value)
        if entry.node.number is not None:
            number = number_within(value, entry.node.minimum, entry.node.maximum, str(entry.node))
            entry.element.set_numeric_value(number)
        else:
            entry.element.set_value(value)
        if entry.node.password:
            return {"detail": "accessibility"}

        def says(now: Entry) -> bool:
            node = now.node
            return node.value == value or (number is not None and node.number == number) or node.password

        now = self._once(entry, says, deadline)
        if not says(now):
            raise ActionFailed(f"set {entry.node} to '{value}'; it says '{now.node.value}'")
        return {"detail": "accessibility"}

    def _select(self, action: ops.Select, entry: Entry, deadline: Deadline) -> Mapping[str, object]:
        if entry.node.role in ("table", "tree-grid", "grid"):
            raise ActionUnsupported(
                f"xa11y does not tell the rows and columns of {entry.node}",
                suggestions=("click the cell itself",),
            )
        choices = _choices(entry.element)
        if not choices:
            raise no_options(str(entry.node))
        names = [build.title(choice) for choice in choices]
        wanted = action.text if action.text is not None else action.value
        index = action.index if wanted is None else names.index(wanted) if wanted in names else None
        if index is None or not 0 <= index < len(choices):
            raise not_found(action, str(entry.node), named(names), len(names))
        detail = self._choose(entry, choices[index], names, index, action.extend, deadline)
        return {"detail": detail, "selected": {"index": index, "text": names[index], "value": names[index]}}

    def _choose(
        self,
        entry: Entry,
        choice: xa11y.Element,
        names: list[str],
        index: int,
        extend: bool,
        deadline: Deadline,
    ) -> str:
        for name in ("select", "press"):
            if name in choice.actions and not extend:
                getattr(choice, name)()
                within = _SETTLE if entry.node.role in build.CHOOSERS else 0
                chosen = self._chosen(entry, names, index, deadline, within)
                if index not in chosen and chosen:
                    raise ActionFailed(f"chose '{names[index]}' in {entry.node}; {_shown(names, chosen)}")
                return f"accessibility: {name}"
        chosen = set()
        for within in (_EFFECT, _SETTLE):
            at = _middle(self._place(entry, choice, index, deadline))
            self._click_at(at, deadline, held=["Ctrl"] if extend else [])
            chosen = self._chosen(entry, names, index, deadline, within)
            if index in chosen:
                return "real input: the options offer no action"
        if entry.node.role == "combo-box" and self._fresh(entry, deadline).node.expanded:
            self._inputs().press("Escape")
        raise ActionFailed(f"clicked '{names[index]}' in {entry.node}; {_shown(names, chosen)}")

    def _place(self, entry: Entry, choice: xa11y.Element, index: int, deadline: Deadline) -> Rect:
        """Where on the screen an option is; a list that drops down is opened for that."""
        drops = entry.node.role == "combo-box"
        if drops and self._fresh(entry, deadline).node.expanded is not True:
            self._press(entry, deadline)
        read: list[Rect | None] = []
        until = time.monotonic() + min(_SETTLE, deadline.remaining)
        while len(read) < 2 or time.monotonic() < until:
            now = self._fresh(entry, deadline)
            # In Qt the options of a closed list have bounds too, in the corner of the screen.
            choices = [] if drops and now.node.expanded is False else _choices(now.element)
            read.append(build.rect(choices[index]) if index < len(choices) else None)
            # It may still be moving.
            if read[-1] is not None and read[-2:-1] == read[-1:]:
                return read[-1]
            time.sleep(_LOOK)
        raise ActionUnsupported(f"'{choice.name}' in {entry.node} offers no action and is not on the screen")

    def _chosen(
        self, entry: Entry, names: list[str], index: int, deadline: Deadline, within: float
    ) -> set[int]:
        """The options that are chosen once the wanted one is, or when time is up; empty if none says so."""
        until = time.monotonic() + min(within, deadline.remaining)
        while True:
            try:
                chosen = self._chosen_now(entry, names, deadline)
            except Stale:
                return {index}  # the choice took it away
            if index in chosen or time.monotonic() >= until:
                return chosen
            time.sleep(_LOOK)  # toolkits choose when their loop comes round

    def _chosen_now(self, entry: Entry, names: list[str], deadline: Deadline) -> set[int]:
        now = self._fresh(entry, deadline)
        if entry.node.role == "combo-box":
            if now.node.expanded:
                return set()
            # In Qt an option counts as selected as soon as the pointer is over it; it is chosen once the
            # combo box shows it.
            for shown in (now.element.value, now.element.name):
                if shown in names:
                    return {index for index, name in enumerate(names) if name == shown}
        return {index for index, choice in enumerate(_choices(now.element)) if choice.selected}

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
        seen: Rect | None = None
        turned: tuple[float, Rect | None] | None = None
        """When the wheel was turned last, and where the element was before."""
        while area is not None and time.monotonic() < until:
            node = self._fresh(entry, deadline).node
            if node.bounds is None and not node.offscreen:
                return "real input"
            if node.bounds is not None:
                moving, seen = node.bounds != seen, node.bounds
                if not moving and not node.offscreen:
                    return "real input"
                waits = turned is not None and turned[1] == seen
                if turned is not None and waits and time.monotonic() - turned[0] > _SETTLE:
                    break
                if moving or waits:
                    # What is turned before the last turn has taken effect would carry it too far.
                    time.sleep(_LOOK)
                    continue
            dx, dy = 0, _NOTCHES  # GTK does not tell where what is scrolled away is; most often it is below
            if node.bounds is not None:
                away = node.bounds.center[1] - area.center[1]
                aside = node.bounds.center[0] - area.center[0]
                dx, dy = (0, _notches(away)) if abs(away) > area.height / 2 else (_notches(aside), 0)
            self._inputs().scroll(_middle(area), dx, dy)
            turned = (time.monotonic(), node.bounds)
            time.sleep(_LOOK)  # the wheel is answered by no event that all toolkits have
        raise ActionUnsupported(f"{entry.node} cannot be scrolled into view through xa11y")

    def _menu(self, entry: Entry, deadline: Deadline) -> Mapping[str, object]:
        if "show_menu" in entry.element.actions:
            entry.element.show_menu()
            return {"detail": "accessibility: show_menu"}
        self._click(entry, deadline, "right")
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
            size = round(action.width or bounds.width), round(action.height or bounds.height)
            window.element.resize_to(*size)
            self._placed(window, lambda now: (round(now.width), round(now.height)) == size, deadline)
            return {"detail": "accessibility: resize_to"}
        x = round(bounds.x if action.x is None else action.x)
        y = round(bounds.y if action.y is None else action.y)

        def there(now: Rect) -> bool:
            return (round(now.x), round(now.y)) == (x, y)

        window.element.move_to(x, y)
        came = self._placed(window, there, deadline, settles=True)
        if not there(came):
            # It places what the program draws, and tells the bounds with the frame around that.
            window.element.move_to(round(2 * x - came.x), round(2 * y - came.y))
            self._placed(window, there, deadline)
        return {"detail": "accessibility: move_to"}

    def _placed(
        self, window: Entry, there: Callable[[Rect], bool], deadline: Deadline, *, settles: bool = False
    ) -> Rect:
        """The bounds of a window once they are as wanted, or as near as the window manager allows.

        With `settles`, also once they are others and the same twice.
        """
        before = window.node.bounds
        read: list[Rect | None] = []

        def so(now: Entry) -> bool:
            read.append(now.node.bounds)
            settled = settles and read[-1] != before and read[-2:-1] == read[-1:]
            return settled or (read[-1] is not None and there(read[-1]))

        bounds = self._once(window, so, deadline).node.bounds
        if bounds is None or (bounds == before and not there(bounds)):
            raise ActionFailed(f"{window.node} did not move or resize; its bounds are {bounds}")
        return bounds

    # -- by real input ---------------------------------------------------------------------------

    def _type(self, action: ops.TypeText, entry: Entry | None, deadline: Deadline) -> Mapping[str, object]:
        detail = "real input"
        if entry is not None and action.clear:
            self._set(entry, "", deadline)
        if entry is not None:
            self._focus(entry, deadline)
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

    def _key(self, keys: str, entry: Entry | None, deadline: Deadline) -> Mapping[str, object]:
        chord = parse(keys)
        if entry is not None:
            self._focus(entry, deadline)
        held = [_HELD[name] for name in chord.modifiers]
        if chord.key == "Backtab":
            held.append("Shift")
        key = _KEYS.get(chord.key, chord.key) if chord.key is not None else chord.text or ""
        self._inputs().chord(key, held)
        return {"detail": "real input"}

    def _point(
        self, action: Action, entry: Entry | None, other: Entry | None, deadline: Deadline
    ) -> Mapping[str, object]:
        pointer = self._inputs
        match action:
            case ops.Click():
                if (
                    entry is not None
                    and entry.node.bounds is None
                    and entry.node.role.startswith("menu-item")
                ):
                    # Fallback: what is in a menu that is closed has no place, and is pressed all the same.
                    return {"detail": self._press(entry, deadline)}
                self._raise(entry, deadline)
                at = self._at(entry, action.x, action.y)
                held = _held(action.modifiers)
                self._click_at(at, deadline, _button(action.button), action.count, held)
            case ops.Hover():
                pointer().move_to(self._at(entry, action.x, action.y))
            case ops.MouseDown():
                self._raise(entry, deadline)
                at = self._at(entry, action.x, action.y)
                pointer().move_to(at)
                with self._apart(at, action.button, deadline):
                    pointer().mouse_down(_button(action.button))
            case ops.MouseUp():
                if entry is not None or action.x is not None:
                    pointer().move_to(self._at(entry, action.x, action.y))
                pointer().mouse_up(_button(action.button))
            case ops.Drag():
                self._raise(entry, deadline)
                start, end = self._at(entry, action.x, action.y), self._at(other, action.to_x, action.to_y)
                with self._apart(start, action.button, deadline):
                    pointer().drag(start, end, button=_button(action.button), held=_held(action.modifiers))
            case _:
                target = "no element" if entry is None else str(entry.node)
                raise ActionUnsupported(f"xa11y cannot {ops.NAMES[type(action)]} on {target}")
        return {"detail": "real input"}

    def _click(self, entry: Entry, deadline: Deadline, button: Any = "left") -> None:
        self._raise(entry, deadline)
        self._click_at(self._at(entry, None, None), deadline, button)

    def _click_at(
        self,
        at: tuple[int, int],
        deadline: Deadline,
        button: Any = "left",
        count: int = 1,
        held: list[str] | None = None,
    ) -> None:
        with self._apart(at, button, deadline):
            self._inputs().click(at, button=button, count=count, held=held or [])

    @contextmanager
    def _apart(self, at: tuple[int, int], button: str, deadline: Deadline) -> Iterator[None]:
        """Around each press: two actions at one point are two clicks, however soon one follows the other.

        The second half of a double click does nothing to some elements, such as options of a Qt combo box.
        """
        if self._pressed is not None:
            before, last, point = self._pressed
            near = all(abs(now - then) <= _NEAR for now, then in zip(at, point, strict=True))
            left = before + _DOUBLE_CLICK - time.monotonic()
            if near and last == button and left > 0:
                time.sleep(left)  # the time between two presses is what makes them a double click
                deadline.check("keeping two clicks apart")
        try:
            yield
        finally:
            self._pressed = (time.monotonic(), button, at)

    def _click_until_focused(self, entry: Entry, deadline: Deadline) -> None:
        """Click where it is, and again where it is by then: a page just shown may still be laid out."""
        for within in (_EFFECT, _SETTLE):
            self._click(entry, deadline)
            entry = self._once(entry, lambda now: now.node.focused, deadline, within)
            if entry.node.focused:
                return
        raise ActionFailed(f"{entry.node} was clicked, and did not take the focus")

    def _raise(self, entry: Entry | None, deadline: Deadline) -> None:
        """Bring the window to the front, unless the program is there already, maybe with a menu open."""
        if entry is None or self._in_front(entry) or "activate" not in entry.window.element.actions:
            return
        entry.window.element.activate()
        until = time.monotonic() + min(_EFFECT, deadline.remaining)
        while not self._in_front(entry) and time.monotonic() < until:
            time.sleep(_LOOK)  # the window manager does it in its own time

    def _in_front(self, entry: Entry) -> bool:
        """Whether one of the program's windows is the active one."""
        windows = entry.program.app.as_element().children()
        return any(one.active for one in windows if one.role in build.WINDOWS)

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


def _tick(entry: Entry) -> tuple[bool | None, bool]:
    return entry.node.checked, entry.node.mixed


def _differs(before: tuple[bool | None, bool], now: Entry) -> bool:
    return _tick(now) != before


def _shown(names: list[str], chosen: set[int]) -> str:
    shown = ", ".join(f"'{names[index]}'" for index in sorted(chosen)[:_LISTED] if index < len(names))
    return f"chosen is {shown}" if shown else "nothing was chosen"


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
