"""What every action on the desktop needs at hand: the talk with a program, and the keyboard and the pointer.

What an action is made of is here; what it means for a button, a field or a view is in the modules beside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...model.errors import ActionFailed, NotReady, UiBusy
from ...model.node import Rect
from ...model.operations import Click
from ..display import Display
from ..fence import Fence
from ..keyboard import Input
from ..performer import Answer, no_point
from . import aim, build
from .bus import CallError, turn
from .item import Item
from .kinds import MANAGED, role_name
from .live import Live
from .stack import Stack
from .strategy import Facet
from .vocabulary import ACCESSIBLE, ACTION, PROPERTIES, State
from .windows import Windows, XWindow, blocker, need_display
from .wire import Method, Variant, path_field, unpack

Point = tuple[float, float]

BY_ACCESSIBILITY = "through accessibility"
BY_INPUT = "by real input"
EFFECT = 0.6
"""How long an effect is waited for before another way is tried, in seconds."""
REACT_SLOW = 0.3
"""How long a program may take to react to what makes it work, in seconds."""
DOUBLE_CLICK = 0.5
"""Two clicks with more time than this between them are two clicks, in seconds."""
_LOOKS = 25
"""How often an effect is looked for in a second before it counts as missing."""
_REACT = 0.06
_QUIET = 0.02
"""How long no event comes when a program is done reacting, in seconds: more than a frame."""
_NESTED = 0.3
"""How long an action may take before the program is asked whether it runs a dialog meanwhile, in seconds."""
describe = build.describe
_HELD = 0.3
"""How long a button stays down that accessibility pressed: GTK shows it for 250 ms, Qt for 100."""
_HELD_ROLES = frozenset(("push button", "link"))


class Hands:
    """The programs as they are known, the windows, and what real input is made with.

    `matched` and `timeout` are those of the action that is being performed.
    """

    def __init__(
        self,
        live: Live,
        display: Display | None,
        windows: Windows | None,
        managed: Callable[[Item], dict[Item, XWindow]],
    ) -> None:
        """`managed` waits until the window manager has a window, and tells which it has."""
        self.live = live
        self._managed = managed
        self.display = display
        self.windows = windows
        self.stack = None if display is None or windows is None else Stack(display, windows)
        self.matched: dict[Item, XWindow] = {}
        self.timeout = 5.0
        self.fence: Fence | None = None
        """What input must not go beyond, if anything."""
        self.acted = False
        """Whether the program was given anything to react to in this operation."""
        self._input: Input | None = None
        self._pressed: tuple[Item | None, float] = (None, 0.0)
        self._clicked: tuple[Item | None, float] = (None, 0.0)

    def close(self) -> None:
        if self._input is not None:
            self._input.close()

    # -- keyboard and pointer --------------------------------------------------------------------

    def reached(self, item: Item) -> bool:
        """Whether real input reaches the program."""
        return self.display is not None and item.app.placed

    def front(self, item: Item | None) -> None:
        """Bring the window of an item to the front, so that input reaches it and nothing else."""
        if item is None or self.windows is None:
            return
        if item.window not in self.matched and self.reached(item):
            # It was opened just now: input that is made before it has the focus is lost.
            self.matched = self._managed(item.window)
        window = self.matched.get(item.window)
        if window is not None:
            now = self.windows.find(window.id)
            if now is not None:
                self.windows.activate(now)

    def insist_on_unblocked(self, item: Item) -> None:
        """NotReady if a modal dialog keeps input from the window of an item.

        Accessibility would reach it all the same, and the program do what it is not prepared for.
        """
        window = self.matched.get(item.window)
        if window is not None and self.windows is not None:
            above = blocker(window, self.windows.all())
            title = None if above is None else above.title
        else:
            title = _blocked_by(item)
        if title is not None:
            dialog = f"the modal dialog '{title}'" if title else "a modal dialog without a title"
            raise NotReady(
                f"{describe(item)} is behind {dialog}",
                suggestions=("answer the dialog first",),
                blocked_by=title,
            )

    def insist_on_keys(self, item: Item) -> None:
        """NotReady if an open menu or another popup takes the keys that are meant for an item."""
        aim.insist_on_keys(self, item)

    def aim(self, item: Item | None, x: float | None, y: float | None) -> Point:
        """A point to press at, once the item is ready for that and its window in front."""
        self.let_go(item)
        self.front(item)
        return self.point(item, x, y)

    def point(self, item: Item | None, x: float | None, y: float | None, *, free: bool = True) -> Point:
        """Where on the screen to point: at an offset in an item, or at the best point of its visible part.

        With `free`, NotReady says what covers it.
        """
        need_display(self.display, item is None or item.app.placed)
        if item is None:
            if x is None or y is None:
                raise no_point()
            return x, y
        return aim.point(self, item, x, y, free=free)

    def bounds(self, item: Item) -> Rect:
        """The visible part of an item by now; NotVisible if there is none, be it for a moment only."""
        return aim.place(self, item)[1]

    def blocked(self, item: Item, spot: Point) -> bool:
        """Whether another window gets the input at a point of an item."""
        return aim.blocked(self, item, spot)

    def input(self, item: Item | None = None) -> Input:
        """The keyboard and the pointer, if they reach the program of that item."""
        display = need_display(self.display, item is None or item.app.placed)
        if self._input is None:
            self._input = Input(display)
        self._input.fence = self.fence
        return self._input

    # -- actions -----------------------------------------------------------------------------------

    def click(self, action: Click, item: Item | None) -> Answer:
        """Click on an item that is on the screen, or on a point of the screen."""
        return self.click_at(self.aim(item, action.x, action.y), action, item)

    def click_at(self, at: Point, action: Click, item: Item | None) -> Answer:
        """Click at a point that was found."""
        before = self.live.changes
        self.input().click(*at, action.button, action.count, action.modifiers)
        self._clicked = (item, time.monotonic())
        self.react(item, before)
        return {"detail": BY_INPUT}

    def let_pass(self, item: Item) -> None:
        """Wait until a click on an item would not be the second half of a double click."""
        clicked, since = self._clicked
        if clicked is item:
            time.sleep(max(0.0, since + DOUBLE_CLICK - time.monotonic()))

    def do(self, item: Item, number: int) -> bool:
        """Let an item do one of its actions; False if that opened a dialog and is still to be answered."""
        self.let_go(item)
        self.acted = True
        self._pressed = (item, time.monotonic())
        before = self.live.changes
        done = self._nested(item, ACTION, "DoAction", "i", number, reply="b")
        if done is False:
            raise ActionFailed(f"{describe(item)} refused its action number {number}")
        # Qt presses a button a while after the request.
        slow = item.app.toolkit.lower() == "qt" and role_name(item).endswith("button")
        if done and item.app.how.held and role_name(item) in _HELD_ROLES:
            self._pressed = (item, time.monotonic())
            self.let_go(item)
        self.react(item, before, REACT_SLOW if slow else _REACT)
        return done is not None

    def let_go(self, item: Item | None) -> None:
        """Wait until a button that accessibility pressed is up again; until then it is deaf to everything."""
        pressed, since = self._pressed
        if pressed is item and item is not None:
            time.sleep(max(0.0, since + _HELD - time.monotonic()))

    def action(self, item: Item, wanted: tuple[str, ...], *, first: bool) -> int | None:
        """The number of the best of the wanted actions; with `first`, else of any but to take the focus."""
        names = [name.lower().replace("_", " ") for name in self._action_names(item)]
        for name in wanted:
            if name in names:
                return names.index(name)
        if first:
            return next(
                (number for number, name in enumerate(names) if name not in ("setfocus", "showmenu")), None
            )
        return None

    def _action_names(self, item: Item) -> list[str]:
        count = self.get(item, ACTION, "NActions")
        names = []
        for number in range(min(int(count or 0), 20)):
            name = self.ask(item, ACTION, "GetName", "i", number, reply="s")
            names.append(str(name or ""))
        return names

    # -- the talk with a program -------------------------------------------------------------------

    def ask(
        self, item: Item, interface: str, member: str, signature: str = "", *values: Any, reply: str
    ) -> Any:
        """One call; None if the program refused it."""
        with self.live.lock:
            try:
                answer = item.app.lane.ask(
                    item.path, interface, member, signature, *values, reply=reply, timeout=self.timeout
                )
            except CallError as error:
                if error.name == "no answer":
                    raise UiBusy(f"{item.app.name}: {error}") from error
                return None
        return answer[0] if answer else None

    def get(self, item: Item, interface: str, name: str) -> Any:
        return self.ask(item, PROPERTIES, "Get", "ss", interface, name, reply="v")

    def set(self, item: Item, interface: str, name: str, value: Variant) -> None:
        self.ask(item, PROPERTIES, "Set", "ssv", interface, name, value, reply="")

    def _nested(
        self, item: Item, interface: str, member: str, signature: str, *values: Any, reply: str
    ) -> Any:
        """A call that may open a dialog and be answered only after that; None if so."""
        lane, side = self.live.action_lane(item.app), item.app.bus_lane
        answers: list[bytes | CallError] = []
        probes: list[bytes | CallError] = []
        deadline = time.monotonic() + self.timeout
        ask_again = time.monotonic() + _NESTED
        with self.live.lock:
            method = Method(lane.destination, interface, member, signature, *values)
            lane.call(item.field, method, _collect, answers)
            while not answers and lane.failed is None:
                now = time.monotonic()
                if now > ask_again:
                    ask_again = deadline
                    probe = Method(side.destination, ACCESSIBLE, "GetRole")
                    side.call(path_field(item.app.root.path), probe, _collect, probes)
                lane.fill()
                side.fill()
                if probes:
                    # It answers others: what the action opened has a loop of its own.
                    self.live.leave(item.app, lane, answers)
                    return None
                if now > deadline:
                    lane.fail(f"it did not answer within {self.timeout:g} s")
                    side.failed = lane.failed = None
                    raise UiBusy(f"{item.app.name} did not answer within {self.timeout:g} s")
                turn([lane.connection, side.connection], min(ask_again, deadline) - now)
        if not answers:
            return None  # the program ended by it
        if isinstance(answers[0], CallError):
            raise ActionFailed(f"{describe(item)}: {answers[0]}")
        return unpack(reply, answers[0])[0]

    # -- what became of it -------------------------------------------------------------------------

    def look(self, item: Item) -> None:
        """Read again what changed in the program of an item."""
        self.live.look(self.timeout, lambda app: app is item.app)

    def refresh(self, item: Item, facets: int) -> None:
        """Read some of an item again."""
        self.live.refresh(item, facets, self.timeout)

    def is_now(self, item: Item, states: int) -> bool:
        """Whether an item has one of the states."""
        self.refresh(item, Facet.STATES)
        return bool(item.states & states)

    def becomes(self, item: Item, states: int, on: bool, timeout: float = EFFECT) -> bool:
        """Wait until an item has one of the states, or none of them."""
        return self.wait(lambda: self.is_now(item, states) == on, timeout)

    def wait(self, condition: Callable[[], bool], timeout: float = EFFECT) -> bool:
        """Wait until something is so; False if it is not in time, nor after a number of looks.

        On a busy machine that time may be over before the program had any.
        """
        began = time.monotonic()
        looks = 1
        while not condition():
            waited = time.monotonic() - began
            if waited >= timeout and (looks >= timeout * _LOOKS or waited >= self.timeout):
                return False
            looks += 1
            self.hear(0.02)
        return True

    def react(self, item: Item | None, before: int | None = None, limit: float = _REACT) -> None:
        """Give the program the time to react: until events came and ended, or a moment passed."""
        self.acted = True
        before = self.live.changes if before is None else before
        self.come_round(item, EFFECT)
        deadline = time.monotonic() + limit
        while self.live.changes == before and time.monotonic() < deadline:
            self.hear(0.005)
        quiet = time.monotonic() + _QUIET
        latest = quiet + REACT_SLOW
        heard = self.live.changes
        while heard != before and time.monotonic() < min(quiet, latest):
            self.hear(_QUIET / 4)
            if self.live.changes != heard:
                heard, quiet = self.live.changes, time.monotonic() + _QUIET
        if item is not None and item.app.toolkit.lower() == "qt" and item.app.bus in self.live.apps:
            # Qt animates a button that it presses on request; a second press within that time would be lost.
            self.becomes(item, State.PRESSED, False, REACT_SLOW)

    def come_round(self, item: Item | None, silence: float) -> None:
        """Return when the loop of a program came round, in which it takes in input; or if it is silent.

        Without an item, it is the program in front.
        """
        front = item or next((one for one, window in self.matched.items() if window.active), None)
        if front is not None and self.live.come_round([front.app], silence):
            self.live.come_round([front.app], silence)

    def hear(self, timeout: float) -> None:
        """Let events in for so long."""
        with self.live.lock:
            turn([self.live.connection], timeout)


def _blocked_by(item: Item) -> str | None:
    """The title of a modal dialog, where no display tells whose it is but the program has only one window."""
    shown = [one for one in item.app.windows if one.role in MANAGED and one.shown]
    modal = [one for one in shown if one.states & State.MODAL]
    if not modal or [one for one in shown if one not in modal] != [item.window]:
        return None
    return modal[-1].name


def _collect(into: list[bytes | CallError], answer: bytes | CallError) -> None:
    into.append(answer)
