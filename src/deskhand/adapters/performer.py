"""Performs every action of the model with the primitives of one toolkit: what is the same for all of them.

A toolkit says how a node is (`state`) and what it offers to choose from (`offer`), and does single things to
it. Here is decided when nothing is to be done, which option is meant, whether an action had its effect, and
which error each situation has. Nothing here knows a toolkit, waits or chooses a thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from types import GeneratorType
from typing import Generic, Protocol, TypeAlias, TypeVar, cast

from ..model import keys
from ..model import operations as ops
from ..model.errors import (
    ActionFailed,
    ActionUnsupported,
    AppGone,
    InvalidParams,
    NotEditable,
    NotFocusable,
    OptionNotFound,
    Stale,
)
from ..model.keys import Chord
from ..model.node import Node, Rect
from ..model.operations import Action
from ..model.record import dataclass
from .choices import Choice, insist, no_options, selected

T = TypeVar("T")
H = TypeVar("H")
"""What a toolkit calls one of its nodes."""
H_contra = TypeVar("H_contra", contravariant=True)
P = TypeVar("P")
"""What a toolkit calls a point."""

Answer = Mapping[str, object]
Steps = Generator[None, None, T]
"""Something that is done bit by bit: at each `yield` the program may go on, such as draw a frame."""
Doing: TypeAlias = T | Generator[None, None, T]
"""What a primitive gives: its result, if all is done when it returns, or the steps that lead to it."""

ALREADY = "it was so already"
MOST_NOTCHES = 1000
"""How far the wheel is turned by one action at most."""
_PRESSES = 3
"""How often something with three states is pressed at most until it is in the wanted one."""
_TRUE, _FALSE = ("true", "1", "yes", "on", "checked"), ("false", "0", "no", "off", "unchecked")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


@dataclass(frozen=True)
class State:
    """How a node is, as far as actions need to know."""

    checked: bool | None = None
    """None for what cannot be ticked."""
    mixed: bool = False
    """Whether it is between ticked and not ticked."""
    expanded: bool | None = None
    """None for what cannot be opened, or does not say whether it is open."""
    takes: str | None = None
    """How its value is set: "value" as a whole, "tick" or "option" by ticking or choosing; None if never."""

    @classmethod
    def of(cls, node: Node) -> State:
        """What a node says of itself."""
        takes = "value" if node.editable else "tick" if node.checked is not None else None
        if node.options and not node.editable:
            takes = "option"
        return cls(node.checked, node.mixed, node.expanded, takes)

    @property
    def tick(self) -> bool | None:
        return None if self.mixed else self.checked


class Offer(Protocol):
    """What a node offers to choose from."""

    def pick(self, action: ops.Select) -> Doing[Choice]:
        """The option that is meant; OptionNotFound if there is none."""

    def choose(self, choice: Choice, extend: bool) -> Doing[Answer | None]:
        """Choose it, and return when it is chosen."""


@dataclass(frozen=True)
class Options:
    """Options that are all known."""

    what: str
    """What has them, for errors."""
    choices: Sequence[Choice]
    take: Callable[[Choice, bool], Doing[Answer | None]]

    def pick(self, action: ops.Select) -> Choice:
        return insist(action, self.what, self.choices)

    def choose(self, choice: Choice, extend: bool) -> Doing[Answer | None]:
        return self.take(choice, extend)


class Toolkit(Protocol, Generic[H_contra, P]):
    """The primitives of one toolkit."""

    title: str
    """What it is called in errors."""

    def describe(self, handle: H_contra) -> str:
        """A node in words, such as `button "Save"`."""

    def state(self, handle: H_contra) -> State:
        """How a node is now; Stale if it is gone."""

    def until(self, so: Callable[[], bool]) -> Doing[bool]:
        """Whether something is so, at the latest after the time that a program may take to react."""

    # -- pointer and keys ------------------------------------------------------------------------

    def aim(self, handle: H_contra | None, x: float | None, y: float | None) -> Doing[P]:
        """A point to press at, its window in front and nothing over it; without a handle, of the screen."""

    def point(self, handle: H_contra | None, x: float | None, y: float | None) -> Doing[P]:
        """The same, whatever is over it."""

    def on_screen(self, at: P) -> tuple[float, float] | None:
        """Where on the screen a point is, in logical pixels; None if that is not known."""

    def move(self, at: P) -> Doing[Answer | None]: ...

    def click(self, at: P, handle: H_contra | None, action: ops.Click) -> Doing[Answer | None]: ...

    def hold(self, at: P, button: str, modifiers: tuple[str, ...]) -> Doing[Answer | None]:
        """Press a mouse button and keep it down."""

    def release(self, at: P | None, button: str, modifiers: tuple[str, ...]) -> Doing[Answer | None]:
        """Let a mouse button go, at a point or where the pointer is."""

    def drag(self, start: P, end: P, action: ops.Drag) -> Doing[Answer | None]: ...

    def key(self, chord: Chord, handle: H_contra | None) -> Doing[Answer | None]:
        """Press a chord, at a node or where the focus is."""

    def type_text(self, action: ops.TypeText, handle: H_contra | None) -> Doing[Answer | None]: ...

    # -- what a node does itself -----------------------------------------------------------------

    def press(self, handle: H_contra) -> Doing[Answer | None]: ...

    def toggle(self, handle: H_contra, checked: bool) -> Doing[Answer | None]:
        """Press something that can be ticked and is not in this state yet."""

    def expand(self, handle: H_contra, expanded: bool) -> Doing[Answer | None]:
        """Open or close it, and return when it is so; `cannot_expand` if it cannot be opened."""

    def set_value(self, handle: H_contra, value: str) -> Doing[Answer | None]:
        """Replace the value of something that takes one."""

    def offer(self, handle: H_contra, action: ops.Select) -> Doing[Offer | None]:
        """What it offers to choose from; None if it offers nothing."""

    def focus(self, handle: H_contra) -> Doing[Answer | None]: ...

    def show_menu(self, handle: H_contra) -> Doing[Answer | None]: ...

    def into_view(self, handle: H_contra) -> Doing[Answer | None]: ...

    def to_row(self, handle: H_contra, row: int | None, text: str | None) -> Doing[Answer | None]:
        """Scroll to a row; `no_row` if there is none such, `no_rows` if it has no rows at all."""

    def wheel(self, handle: H_contra | None, dx: float, dy: float) -> Doing[Answer | None]: ...

    def control(self, action: ops.ControlWindow, handle: H_contra | None) -> Doing[Answer | None]:
        """Do this to the window of a node, or to the main one. See `arranged` for a move or resize."""


def arranged(action: ops.ControlWindow, now: Rect) -> tuple[int, int]:
    """Where a move is to put a window, or how large a resize makes it: what is not given stays unchanged."""
    x, y, width, height = now
    if action.do == "move":
        return round(x if action.x is None else action.x), round(y if action.y is None else action.y)
    return (
        round(width if action.width is None else action.width),
        round(height if action.height is None else action.height),
    )


def perform(toolkit: Toolkit[H, P], action: Action, handle: H | None, to: H | None) -> Steps[Answer]:
    """Do an action to a node, or where the pointer or the focus is; `to` is the second node of a drag."""
    done: Doing[Answer | None]
    point: tuple[float, float] | None = None
    match action:
        case ops.Click():
            at = yield from do(toolkit.aim(handle, action.x, action.y))
            point = toolkit.on_screen(at)
            done = toolkit.click(at, handle, action)
        case ops.Hover():
            at = yield from do(toolkit.point(handle, action.x, action.y))
            point = toolkit.on_screen(at)
            done = toolkit.move(at)
        case ops.MouseDown():
            at = yield from do(toolkit.aim(handle, action.x, action.y))
            point = toolkit.on_screen(at)
            done = toolkit.hold(at, action.button, action.modifiers)
        case ops.MouseUp():
            here = handle is None and action.x is None
            end = None if here else (yield from do(toolkit.point(handle, action.x, action.y)))
            point = None if end is None else toolkit.on_screen(end)
            done = toolkit.release(end, action.button, action.modifiers)
        case ops.Drag():
            start = yield from do(toolkit.aim(handle, action.x, action.y))
            end = yield from do(toolkit.point(to, action.to_x, action.to_y))
            point = toolkit.on_screen(end)
            done = toolkit.drag(start, end, action)
        case ops.Key():
            done = toolkit.key(keys.parse(action.keys), handle)
        case ops.TypeText():
            done = toolkit.type_text(action, handle)
        case ops.Scroll():
            return (yield from _scroll(toolkit, action, handle))
        case ops.ControlWindow():
            done = toolkit.control(action, handle)
        case _ if handle is None:
            raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        case _:
            return (yield from _semantic(toolkit, action, handle))
    answer = _answer((yield from do(done)))
    return answer if point is None else {**answer, "point": point}


def at_once(steps: Steps[T]) -> T:
    """The result of steps none of which waits."""
    try:
        next(steps)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("a primitive of this toolkit is not done when it returns")


def do(doing: Doing[T]) -> Steps[T]:
    """Do something that may take several steps."""
    if isinstance(doing, GeneratorType):
        return cast("T", (yield from doing))
    return cast("T", doing)


def path(start: tuple[float, float], end: tuple[float, float], steps: int) -> list[tuple[float, float]]:
    """The points of a drag after its start, the last one being its end."""
    (x, y), (to_x, to_y), steps = start, end, max(steps, 1)
    return [(x + (to_x - x) * at / steps, y + (to_y - y) * at / steps) for at in range(1, steps + 1)]


def spot(bounds: tuple[float, float, float, float], x: float | None, y: float | None) -> tuple[float, float]:
    """The point at an offset in bounds; the middle in each direction that has none."""
    left, top, width, height = bounds
    return left + (width / 2 if x is None else x), top + (height / 2 if y is None else y)


# -- what differs with the node -----------------------------------------------------------------


def _semantic(toolkit: Toolkit[H, P], action: Action, handle: H) -> Steps[Answer]:
    match action:
        case ops.Press():
            done = toolkit.press(handle)
        case ops.SetChecked(checked=checked):
            return (yield from _check(toolkit, handle, checked))
        case ops.Expand(expanded=expanded):
            if toolkit.state(handle).expanded is expanded:
                return {"detail": ALREADY}
            done = toolkit.expand(handle, expanded)
        case ops.SetValue(value=value):
            return (yield from _set_value(toolkit, handle, value))
        case ops.Select():
            return (yield from _select(toolkit, action, handle))
        case ops.Focus():
            done = toolkit.focus(handle)
        case ops.ShowMenu():
            done = toolkit.show_menu(handle)
        case _:
            raise ActionUnsupported(f"{toolkit.title} cannot do {ops.NAMES[type(action)]}")
    return _answer((yield from do(done)))


def _check(toolkit: Toolkit[H, P], handle: H, wanted: bool) -> Steps[Answer]:
    """Press it until it is as wanted: what has three states may need it twice."""
    state = toolkit.state(handle)
    what = toolkit.describe(handle)
    if state.checked is None:
        raise cannot_tick(what)
    if state.tick is wanted:
        return {"detail": ALREADY}
    answer: Answer = {}
    for _ in range(_PRESSES):
        before = state
        answer = _answer((yield from do(toolkit.toggle(handle, wanted))))
        try:
            changed = yield from do(toolkit.until(lambda: toolkit.state(handle).tick is not before.tick))  # noqa: B023 - called at once
            state = toolkit.state(handle)
        except (Stale, AppGone):
            return answer  # pressing it took it away, or ended the program
        if state.tick is wanted:
            return answer
        if not changed:
            break
    now = "partly ticked" if state.mixed else "ticked" if state.checked else "not ticked"
    raise ActionFailed(
        f"{what} was pressed, and is {now} still",
        suggestions=() if wanted else ("if it is one of a group, tick another one instead",),
        last_seen={"checked": state.tick},
    )


def _set_value(toolkit: Toolkit[H, P], handle: H, value: str) -> Steps[Answer]:
    match toolkit.state(handle).takes:
        case "tick":
            return (yield from _check(toolkit, handle, truth(value)))
        case "option":
            return (yield from _select(toolkit, ops.Select(text=value), handle))
        case None:
            raise no_value(toolkit.describe(handle))
    return _answer((yield from do(toolkit.set_value(handle, value))))


def _select(toolkit: Toolkit[H, P], action: ops.Select, handle: H) -> Steps[Answer]:
    offer = yield from do(toolkit.offer(handle, action))
    if offer is None:
        raise no_options(toolkit.describe(handle))
    choice = yield from do(offer.pick(action))
    answer = yield from do(offer.choose(choice, action.extend))
    return {**selected(choice), **_answer(answer)}


def _scroll(toolkit: Toolkit[H, P], action: ops.Scroll, handle: H | None) -> Steps[Answer]:
    answer: Answer = {}
    if handle is not None and (action.row is not None or action.text is not None):
        answer = _answer((yield from do(toolkit.to_row(handle, action.row, action.text))))
    elif handle is not None and action.into_view:
        answer = _answer((yield from do(toolkit.into_view(handle))))
    if not action.dx and not action.dy:
        return answer
    dx, dy = (max(-MOST_NOTCHES, min(MOST_NOTCHES, amount)) for amount in (action.dx, action.dy))
    return _answer((yield from do(toolkit.wheel(handle, dx, dy))))


def _answer(done: Answer | None) -> Answer:
    return done or {}


# -- the error for each situation ----------------------------------------------------------------


def cannot_press(what: str) -> ActionUnsupported:
    return ActionUnsupported(f"{what} cannot be pressed", suggestions=("click it, or press something in it",))


def cannot_tick(what: str) -> ActionUnsupported:
    return ActionUnsupported(f"{what} cannot be ticked", suggestions=("target a check box or radio button",))


def cannot_expand(what: str) -> ActionUnsupported:
    return ActionUnsupported(
        f"{what} cannot be opened or closed", suggestions=("target a tree item, combo box or menu",)
    )


def cannot_focus(what: str) -> NotFocusable:
    return NotFocusable(
        f"{what} cannot take the focus",
        suggestions=("target an element that can, such as a text field or button",),
    )


def no_value(what: str) -> NotEditable:
    return NotEditable(f"{what} has no value that could be set", suggestions=("target the field itself",))


def read_only(what: str) -> NotEditable:
    return NotEditable(f"{what} is read-only", last_seen={"editable": False})


def no_rows(what: str) -> ActionUnsupported:
    return ActionUnsupported(
        f"{what} has no rows to scroll to", suggestions=("target a list, table or tree",)
    )


def no_row(what: str, row: int | None, text: str | None, count: int) -> OptionNotFound:
    wanted = f"row {row}" if row is not None else f"row {text!r}"
    return OptionNotFound(f"{what} has no {wanted}; it has {count} rows", options_count=count)


def no_column(what: str, column: int, count: int) -> OptionNotFound:
    return OptionNotFound(f"{what} has no column {column}; it has {count}", options_count=count)


def one_only(what: str) -> ActionFailed:
    return ActionFailed(f"{what} lets one item be selected only; extend is not possible")


def no_point() -> ActionUnsupported:
    return ActionUnsupported("neither a target nor a point on the screen was given")


# -- values --------------------------------------------------------------------------------------


def number(value: str, what: str) -> float:
    """The number that a text is; InvalidParams if it is none."""
    try:
        found = float(value.strip())
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise not_a_number(value, what)
    return found


def not_a_number(value: str, what: str) -> InvalidParams:
    return InvalidParams(f"{value!r} is not a number, as {what} needs one", field="value")


def number_within(value: str, low: float | None, high: float | None, what: str) -> float:
    """The same, if the limits of a field allow it."""
    found = number(value, what)
    if low is not None and high is not None and low > high:
        return found  # so some toolkits say that there are no limits
    if (low is not None and found < low) or (high is not None and found > high):
        limits = f"at least {low:g}" if high is None else f"at most {high:g}"
        if low is not None and high is not None:
            limits = f"between {low:g} and {high:g}"
        raise InvalidParams(f"{value} is not {limits}, the limits of {what}", field="value")
    return found


def whole_number(found: float, what: str) -> int:
    """A number without a fraction; InvalidParams if it has one."""
    if found != int(found):
        raise InvalidParams(f"{found:g} is not a whole number, as {what} needs one", field="value")
    return int(found)


def truth(value: str) -> bool:
    """Whether a text means ticked; InvalidParams if it means neither."""
    word = value.strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise InvalidParams(f"{value!r} is neither true nor false", field="value")
    return word in _TRUE


def time_of_day(value: str, what: str) -> tuple[int, int, int]:
    """Hour, minute and second of a text such as 13:45 or 13:45:30; InvalidParams if it is none."""
    match = _TIME.fullmatch(value.strip())
    found = cast("tuple[int, int, int]", tuple(int(part or 0) for part in match.groups())) if match else None
    if found is None or found[0] > 23 or found[1] > 59 or found[2] > 59:
        raise InvalidParams(f"{value!r} is not a time such as 13:45, as {what} needs one", field="value")
    return found
