"""Actions through xa11y: what an element offers itself where it does, real input where it does not.

What neither can do is refused with the reason. Runs in the worker of the program that is acted on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ...model import operations as ops
from ...model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    ActionUnsupported,
    AppGone,
    DeskhandError,
    Stale,
    UiBusy,
)
from ...model.keys import Chord
from ...model.node import Rect
from ...model.operations import Action
from ..choices import Choice, named
from ..performer import (
    ALREADY,
    Answer,
    Offer,
    Options,
    State,
    arranged,
    at_once,
    no_point,
    no_rows,
    number_within,
    perform,
    spot,
)
from . import build
from .worker import Deadline

if TYPE_CHECKING:
    import xa11y

    from .adapter import SeenElement

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
_SCROLLING = 5.0
_NOTCHES = 10
_NOTCH = 100
"""More pixels than a notch of the wheel is likely to scroll."""
_DOUBLE_CLICK = 0.5
"""The longest time between two presses that systems count as a double click by default, in seconds."""
_LISTED = 5
_VIEWS = ("table", "tree-grid", "grid", "tree", "list", "list-box")
BY_INPUT = "real input"
Point = tuple[int, int]
_NEAR = 8
"""Presses further apart than this are never a double click, in pixels."""


class _Pointer:
    """The mouse and keyboard, which all programs share."""

    def __init__(self) -> None:
        self.input: xa11y.InputSim | None = None
        self.pressed: tuple[float, str, Point] | None = None
        """When, with which button and at which point the pointer was pressed last."""


class Performer:
    """Performs actions; `fresh` answers with an element as it is now."""

    def __init__(self, library: Any, fresh: Callable[[SeenElement, Deadline], SeenElement]) -> None:
        self._library = library
        self._fresh = fresh
        self._pointer = _Pointer()

    def perform(
        self, action: Action, entry: SeenElement | None, other: SeenElement | None, deadline: Deadline
    ) -> Answer:
        """Do it now. The element is read again first, so that one that is gone is reported."""
        entry = None if entry is None else self._fresh(entry, deadline)
        target = "where the focus is" if entry is None else str(entry.node)
        toolkit = _Toolkit(self._library, self._fresh, self._pointer, deadline)
        with translated(f"{ops.NAMES[type(action)]}: {target}"):
            return at_once(perform(toolkit, action, entry, other))


class _Toolkit:
    """The primitives of xa11y for one action. Implements performer.Toolkit."""

    title = "xa11y"

    def __init__(
        self,
        library: Any,
        fresh: Callable[[SeenElement, Deadline], SeenElement],
        pointer: _Pointer,
        deadline: Deadline,
    ) -> None:
        self._library = library
        self._fresh = fresh
        self._pointer = pointer
        self._deadline = deadline

    def _now(self, entry: SeenElement) -> SeenElement:
        """The element as it is now."""
        return self._fresh(entry, self._deadline)

    def describe(self, entry: SeenElement) -> str:
        return str(entry.node)

    def state(self, entry: SeenElement) -> State:
        return State.of(self._now(entry).node)

    def until(self, so: Callable[[], bool]) -> bool:
        end = time.monotonic() + min(_SETTLE, self._deadline.remaining)
        while not (held := so()) and time.monotonic() < end:
            time.sleep(_LOOK)  # toolkits do what they are asked to when their loop comes round
        return held

    # -- through accessibility -------------------------------------------------------------------

    def press(self, entry: SeenElement) -> Answer:
        return {"detail": self._press(entry)}

    def toggle(self, entry: SeenElement, checked: bool) -> Answer:
        return self.press(entry)

    def _press(self, entry: SeenElement) -> str:
        offered = entry.element.actions
        for name in _PRESS:
            if name in offered:
                getattr(entry.element, name)()
                return f"accessibility: {name}"
        if not offered and entry.node.bounds is not None and entry.node.focusable:
            self._click(entry)
            return "real input: it offers no action"
        raise self._unsupported("pressed", entry)

    def expand(self, entry: SeenElement, wanted: bool) -> Answer:
        name = "expand" if wanted else "collapse"
        offered = entry.element.actions
        if name in offered:
            getattr(entry.element, name)()
            detail = f"accessibility: {name}"
        elif entry.node.role in ("combo-box", "menu-item", "menu") and entry.node.expanded is not None:
            detail = self._press(entry)
        elif entry.node.role == "tree-item" and entry.node.bounds is not None:
            self._click_until_focused(entry)
            self._inputs().press("ArrowRight" if wanted else "ArrowLeft")
            detail = "real input: it offers no such action"
        else:
            raise self._unsupported("expanded" if wanted else "collapsed", entry)
        until = time.monotonic() + min(_SETTLE, self._deadline.remaining)
        while self._expanded(entry) not in (wanted, None):
            if time.monotonic() >= until:
                raise ActionFailed(f"{entry.node} did not {name}")
            time.sleep(_LOOK)  # toolkits expand when their loop comes round
        return {"detail": detail}

    def _expanded(self, entry: SeenElement) -> bool | None:
        """Whether it is expanded now; None if the toolkit does not say."""
        try:
            return self._now(entry).node.expanded
        except Stale:
            # Qt replaces all items of a tree when one of them expands.
            siblings = [] if entry.parent is None else entry.parent.element.children()
            before = entry.element
            alike = [
                sibling for sibling in siblings if (sibling.role, sibling.name) == (before.role, before.name)
            ]
            if not alike:
                raise
            return alike[0].expanded if len(alike) == 1 else None

    def focus(self, entry: SeenElement) -> Answer:
        """Give it the keyboard focus. Keys sent before it has the focus would go elsewhere."""
        self._raise(entry)
        entry.element.focus()
        now = self._once(entry, lambda now: now.node.focused or not now.node.focusable)
        if now.node.focusable and not now.node.focused:
            raise ActionFailed(f"{entry.node} did not take the focus")
        return {"detail": "accessibility"}

    def _once(
        self, entry: SeenElement, so: Callable[[SeenElement], bool], within: float = _SETTLE
    ) -> SeenElement:
        """The element once a condition holds, or as it is when time is up. Reads it at least once."""
        until = time.monotonic() + min(within, self._deadline.remaining)
        while True:
            now = self._now(entry)
            if so(now) or time.monotonic() >= until:
                return now
            time.sleep(_LOOK)  # toolkits do what they are asked to when their loop comes round

    def set_value(self, entry: SeenElement, value: str) -> Answer:
        number: float | None = None
        if entry.node.number is not None:
            number = number_within(value, entry.node.minimum, entry.node.maximum, str(entry.node))
            entry.element.set_numeric_value(number)
        else:
            entry.element.set_value(value)
        if entry.node.password:
            return {"detail": "accessibility"}

        def says(now: SeenElement) -> bool:
            node = now.node
            return node.value == value or (number is not None and node.number == number) or node.password

        now = self._once(entry, says)
        if not says(now):
            raise ActionFailed(f"set {entry.node} to '{value}'; it says '{now.node.value}'")
        return {"detail": "accessibility"}

    def offer(self, entry: SeenElement, action: ops.Select) -> Offer | None:
        if entry.node.role in ("table", "tree-grid", "grid"):
            raise ActionUnsupported(
                f"xa11y does not report the rows and columns of {entry.node}",
                suggestions=("click the cell itself",),
            )
        choices = _choices(entry.element)
        names = [build.title(choice) for choice in choices]

        def take(choice: Choice, extend: bool) -> Answer:
            return {"detail": self._choose(entry, choices[choice.index], names, choice.index, extend)}

        return Options(str(entry.node), named(names), take) if choices else None

    def _choose(
        self,
        entry: SeenElement,
        choice: xa11y.Element,
        names: list[str],
        index: int,
        extend: bool,
    ) -> str:
        for name in ("select", "press"):
            if name in choice.actions and not extend:
                getattr(choice, name)()
                within = _SETTLE if entry.node.role in build.CHOOSERS else 0
                chosen = self._chosen(entry, names, index, within)
                if index not in chosen and chosen:
                    raise ActionFailed(f"chose '{names[index]}' in {entry.node}; {_shown(names, chosen)}")
                return f"accessibility: {name}"
        chosen = set()
        for within in (_EFFECT, _SETTLE):
            at = _middle(self._place(entry, choice, index))
            self._click_at(at, held=["Ctrl"] if extend else [])
            chosen = self._chosen(entry, names, index, within)
            if index in chosen:
                return "real input: the options offer no action"
        if entry.node.role == "combo-box" and self._now(entry).node.expanded:
            self._inputs().press("Escape")
        raise ActionFailed(f"clicked '{names[index]}' in {entry.node}; {_shown(names, chosen)}")

    def _place(self, entry: SeenElement, choice: xa11y.Element, index: int) -> Rect:
        """Where on the screen an option is; a list that drops down is opened for that."""
        drops = entry.node.role == "combo-box"
        if drops and self._now(entry).node.expanded is not True:
            self._press(entry)
        read: list[Rect | None] = []
        until = time.monotonic() + min(_SETTLE, self._deadline.remaining)
        while len(read) < 2 or time.monotonic() < until:
            now = self._now(entry)
            # In Qt the options of a closed list have bounds too, in the corner of the screen.
            choices = [] if drops and now.node.expanded is False else _choices(now.element)
            read.append(build.rect(choices[index]) if index < len(choices) else None)
            # It may still be moving.
            if read[-1] is not None and read[-2:-1] == read[-1:]:
                return read[-1]
            time.sleep(_LOOK)
        raise ActionUnsupported(f"'{choice.name}' in {entry.node} offers no action and is not on the screen")

    def _chosen(self, entry: SeenElement, names: list[str], index: int, within: float) -> set[int]:
        """The options that are chosen once the wanted one is, or when time is up; empty if none says so."""
        until = time.monotonic() + min(within, self._deadline.remaining)
        while True:
            try:
                chosen = self._chosen_now(entry, names)
            except Stale:
                return {index}  # the choice took it away
            if index in chosen or time.monotonic() >= until:
                return chosen
            time.sleep(_LOOK)  # toolkits choose when their loop comes round

    def _chosen_now(self, entry: SeenElement, names: list[str]) -> set[int]:
        now = self._now(entry)
        if entry.node.role == "combo-box":
            if now.node.expanded:
                return set()
            # In Qt an option counts as selected as soon as the pointer is over it; it is chosen once the
            # combo box shows it.
            for shown in (now.element.value, now.element.name):
                if shown in names:
                    return {index for index, name in enumerate(names) if name == shown}
        return {index for index, choice in enumerate(_choices(now.element)) if choice.selected}

    def to_row(self, entry: SeenElement, row: int | None, text: str | None) -> None:
        if entry.node.role not in _VIEWS:
            raise no_rows(str(entry.node))
        raise ActionUnsupported(
            f"xa11y does not report the rows of {entry.node} that are not on the screen",
            suggestions=("turn the wheel over it: scroll(dy=…)",),
        )

    def wheel(self, entry: SeenElement | None, dx: float, dy: float) -> Answer:
        if entry is None:
            raise ActionUnsupported("the wheel needs a target to turn over")
        self._inputs().scroll(self.point(entry, None, None), round(dx), round(dy))
        return {"detail": BY_INPUT}

    def into_view(self, entry: SeenElement) -> Answer:
        return {"detail": self._into_view(entry)}

    def _into_view(self, entry: SeenElement) -> str:
        if not entry.node.offscreen:
            return ALREADY
        try:
            entry.element.scroll_into_view()
            if not self._now(entry).node.offscreen:
                return "accessibility: scroll_into_view"
        except self._library.XA11yError:
            pass
        # Fallback: Qt knows no such action, and macOS does nothing; the wheel does it.
        area, until = entry.around.clip, time.monotonic() + min(_SCROLLING, self._deadline.remaining)
        seen: Rect | None = None
        turned: tuple[float, Rect | None] | None = None
        """When the wheel was turned last, and where the element was before."""
        while area is not None and time.monotonic() < until:
            node = self._now(entry).node
            if node.bounds is None and not node.offscreen:
                return BY_INPUT
            if node.bounds is not None:
                moving, seen = node.bounds != seen, node.bounds
                if not moving and not node.offscreen:
                    return BY_INPUT
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

    def show_menu(self, entry: SeenElement) -> Answer:
        if "show_menu" in entry.element.actions:
            entry.element.show_menu()
            return {"detail": "accessibility: show_menu"}
        self._click(entry, "right")
        return {"detail": BY_INPUT}

    def control(self, action: ops.ControlWindow, entry: SeenElement | None) -> Answer:
        if entry is None:
            raise ActionUnsupported("xa11y needs a target in the window that is meant")
        window = self._now(entry.window)
        verb = _WINDOW[action.do]
        if verb not in window.element.actions:
            raise self._unsupported(action.do, window)
        if action.do not in ("move", "resize"):
            getattr(window.element, verb)()
            return {"detail": f"accessibility: {verb}"}
        wanted = arranged(action, window.node.bounds or Rect(0, 0, 0, 0))
        if action.do == "resize":
            window.element.resize_to(*wanted)
            self._placed(window, lambda now: (round(now.width), round(now.height)) == wanted)
            return {"detail": "accessibility: resize_to"}
        x, y = wanted

        def there(now: Rect) -> bool:
            return (round(now.x), round(now.y)) == (x, y)

        window.element.move_to(x, y)
        came = self._placed(window, there, settles=True)
        if not there(came):
            # It places what the program draws, and reports the bounds with the frame around that.
            window.element.move_to(round(2 * x - came.x), round(2 * y - came.y))
            self._placed(window, there)
        return {"detail": "accessibility: move_to"}

    def _placed(self, window: SeenElement, there: Callable[[Rect], bool], *, settles: bool = False) -> Rect:
        """The bounds of a window once they are as wanted, or as near as the window manager allows.

        With `settles`, also once they are others and the same twice.
        """
        before = window.node.bounds
        read: list[Rect | None] = []

        def so(now: SeenElement) -> bool:
            read.append(now.node.bounds)
            settled = settles and read[-1] != before and read[-2:-1] == read[-1:]
            return settled or (read[-1] is not None and there(read[-1]))

        bounds = self._once(window, so).node.bounds
        if bounds is None or (bounds == before and not there(bounds)):
            raise ActionFailed(f"{window.node} did not move or resize; its bounds are {bounds}")
        return bounds

    # -- by real input ---------------------------------------------------------------------------

    def type_text(self, action: ops.TypeText, entry: SeenElement | None) -> Answer:
        detail = BY_INPUT
        if entry is not None and action.clear:
            self.set_value(entry, "")
        if entry is not None:
            self.focus(entry)
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

    def key(self, chord: Chord, entry: SeenElement | None) -> Answer:
        if entry is not None:
            self.focus(entry)
        held = [_HELD[name] for name in chord.modifiers]
        if chord.key == "Backtab":
            held.append("Shift")
        key = _KEYS.get(chord.key, chord.key) if chord.key is not None else chord.text or ""
        self._inputs().chord(key, held)
        return {"detail": BY_INPUT}

    def aim(self, entry: SeenElement | None, x: float | None, y: float | None) -> Point:
        self._raise(entry)
        return (0, 0) if _in_closed_menu(entry) else self.point(entry, x, y)

    def on_screen(self, at: Point) -> tuple[float, float]:
        return at

    def move(self, at: Point) -> Answer:
        self._inputs().move_to(at)
        return {"detail": BY_INPUT}

    def click(self, at: Point, entry: SeenElement | None, action: ops.Click) -> Answer:
        if entry is not None and _in_closed_menu(entry):
            # Fallback: what is in a menu that is closed has no bounds, and is pressed all the same.
            return self.press(entry)
        self._click_at(at, action.button, action.count, _held(action.modifiers))
        return {"detail": BY_INPUT}

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> Answer:
        self._inputs().move_to(at)
        with self._apart(at, button):
            self._inputs().mouse_down(_button(button))
        return {"detail": BY_INPUT}

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> Answer:
        if at is not None:
            self._inputs().move_to(at)
        self._inputs().mouse_up(_button(button))
        return {"detail": BY_INPUT}

    def drag(self, start: Point, end: Point, action: ops.Drag) -> Answer:
        with self._apart(start, action.button):
            self._inputs().drag(start, end, button=_button(action.button), held=_held(action.modifiers))
        return {"detail": BY_INPUT}

    def _click(self, entry: SeenElement, button: Any = "left") -> None:
        self._raise(entry)
        self._click_at(self.point(entry, None, None), button)

    def _click_at(
        self,
        at: Point,
        button: Any = "left",
        count: int = 1,
        held: list[str] | None = None,
    ) -> None:
        with self._apart(at, button):
            self._inputs().click(at, button=button, count=count, held=held or [])

    @contextmanager
    def _apart(self, at: Point, button: str) -> Iterator[None]:
        """Around each press: two actions at one point are two clicks, however soon one follows the other.

        The second half of a double click does nothing to some elements, such as options of a Qt combo box.
        """
        if self._pointer.pressed is not None:
            before, last, point = self._pointer.pressed
            near = all(abs(now - then) <= _NEAR for now, then in zip(at, point, strict=True))
            left = before + _DOUBLE_CLICK - time.monotonic()
            if near and last == button and left > 0:
                time.sleep(left)  # the time between two presses is what makes them a double click
                self._deadline.check("keeping two clicks apart")
        try:
            yield
        finally:
            self._pointer.pressed = (time.monotonic(), button, at)

    def _click_until_focused(self, entry: SeenElement) -> None:
        """Click where it is, and again where it is by then: a page just shown may still be laid out."""
        for within in (_EFFECT, _SETTLE):
            self._click(entry)
            entry = self._once(entry, lambda now: now.node.focused, within)
            if entry.node.focused:
                return
        raise ActionFailed(f"{entry.node} was clicked, and did not take the focus")

    def _raise(self, entry: SeenElement | None) -> None:
        """Bring the window to the front, unless the program is there already, maybe with a menu open."""
        if entry is None or self._in_front(entry) or "activate" not in entry.window.element.actions:
            return
        entry.window.element.activate()
        until = time.monotonic() + min(_EFFECT, self._deadline.remaining)
        while not self._in_front(entry) and time.monotonic() < until:
            time.sleep(_LOOK)  # the window manager does it in its own time

    def _in_front(self, entry: SeenElement) -> bool:
        """Whether one of the program's windows is the active one."""
        windows = entry.program.app.as_element().children()
        return any(window.active for window in windows if window.role in build.WINDOWS)

    def point(self, entry: SeenElement | None, x: float | None, y: float | None) -> Point:
        if entry is None:
            if x is None or y is None:
                raise no_point()
            return round(x), round(y)
        bounds = entry.node.bounds
        if bounds is None:
            raise ActionUnsupported(
                f"{entry.node} has no bounds that accessibility reports",
                suggestions=("use an action that it offers itself: press, set-value, select, focus",),
            )
        across, down = spot(bounds, x, y)
        return round(across), round(down)

    def _inputs(self) -> xa11y.InputSim:
        if self._pointer.input is None:
            self._pointer.input = self._library.input_sim()
        return self._pointer.input

    def _unsupported(self, done: str, entry: SeenElement) -> ActionUnsupported:
        offered = ", ".join(entry.element.actions) or "nothing"
        return ActionUnsupported(
            f"{entry.node} cannot be {done} through xa11y, to which it offers {offered}",
            suggestions=("click it, or use the keyboard",),
        )


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Errors of xa11y as errors of ours."""
    import xa11y  # it is installed if we get here

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


def _in_closed_menu(entry: SeenElement | None) -> bool:
    return entry is not None and entry.node.bounds is None and entry.node.role.startswith("menu-item")


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
