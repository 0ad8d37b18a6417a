"""A recording of what a person does to an app: begun, followed, ended.

The input is observed on the app's display and the app is read by a runner; neither changes nor delays what
the app does. Steps are made a moment after a gesture, when what it led to can be seen.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..model.errors import ActionUnsupported, ConnectFailed, InvalidParams
from ..model.node import MASK, Node
from ..model.operations import Runner
from ..model.order import shown_text
from ..model.outline import cut_note
from ..model.reading import read, render
from ..model.selector import parse
from ..model.tree import Tree
from .display import Input, Listener
from .formats import FORMATS, Source, program
from .gestures import Gesture, Pointed, Recognizer, Typed
from .hit import element_at
from .meaning import SETTLED, Interpreter
from .naming import element
from .outcome import written
from .steps import Step
from .timeline import Timeline

EXPECTATIONS = ("text", "value", "visible", "enabled", "checked", "tree")
"""What can be expected of an element, or for `tree` of the whole app."""
_TICK = 0.05
"""How often it is seen whether a gesture is complete, in seconds."""
_END = 10.0
"""How long the last steps may take when the recording ends, in seconds."""


@dataclass(frozen=True)
class Event:
    """A step was made, or the last one was changed."""

    step: Step
    number: int
    """Which step of the recording, from 0."""
    at: float
    """When, in seconds since the recording began."""


class Recording:
    """Records from the moment it is made until `stop`. Thread-safe."""

    def __init__(
        self,
        runner: Runner,
        env: Mapping[str, str],
        *,
        source: Source | None = None,
        pid: int | None = None,
        on_event: Callable[[Event], None] | None = None,
        on_point: Callable[[int, int], None] | None = None,
        owns: Callable[[int], bool] | None = None,
        close_runner: bool = False,
    ) -> None:
        """`runner` reads the app, and `env` leads to its display; `pid` is its process.

        `on_event` and `on_point`, with where a button of the pointer went down, are called in a thread of the
        recording. `owns` says whether a process is one of the app:
        where others share its display, what is done to those is not recorded.
        """
        self.source = source or Source()
        if env.get("WAYLAND_DISPLAY") and not env.get("DISPLAY"):
            raise ActionUnsupported(
                "input cannot be recorded in a Wayland session: it shows a program only its own input",
                suggestions=("record on a private desktop: deskhand record --headless -- COMMAND",),
            )
        self._events: list[Event] = []
        self._began = time.monotonic()
        self._on_event = on_event
        self._on_point = on_point
        self._owns = owns
        self._lock = threading.RLock()
        self._inputs: queue.SimpleQueue[Input | None] = queue.SimpleQueue()
        self._pending: list[Gesture] = []
        self._lost: str | None = None
        self._stopped = threading.Event()
        with contextlib.ExitStack() as opened:
            if close_runner:
                opened.callback(runner.close)
            self._timeline = Timeline(runner)
            opened.callback(self._timeline.close)
            self._listener = Listener(env, self._inputs.put)
            opened.callback(self._listener.close)
            self._opened = opened.pop_all()
        self._recognizer = Recognizer(self._listener.meaning)
        self._interpreter = Interpreter(self._timeline, self._listener, pid)
        self._thread = threading.Thread(target=self._work, name="deskhand-recording", daemon=True)
        self._thread.start()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # -- what was recorded ----------------------------------------------------------------------

    @property
    def events(self) -> tuple[Event, ...]:
        """The steps so far. The last may still change: more may be typed into the same field."""
        with self._lock:
            return tuple(self._events)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The same without their times."""
        return tuple(event.step for event in self.events)

    def code(self, format: str = "pytest") -> str:
        """The program that repeats what was done so far."""
        if format not in FORMATS:
            raise InvalidParams(f"no format '{format}'; there are: {', '.join(FORMATS)}", field="format")
        return program(self.steps, format, self.source)

    @property
    def ended(self) -> str | None:
        """Why nothing more can be recorded: the app or its display is gone. None while it can."""
        if self._timeline.gone is not None:
            return "the app has ended"
        return self._lost or self._listener.failed

    def stop(self) -> tuple[Step, ...]:
        """End it; all steps. What was done just before is in them."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._inputs.put(None)
            self._thread.join(_END)
            self._opened.close()
        return self.steps

    # -- expectations ----------------------------------------------------------------------------

    def expect(self, kind: str, selector: str | None = None, *, point: tuple[int, int] | None = None) -> Step:
        """Record that an element is as it is now: its text, value, what it holds, or that it is visible.

        The element is the one that the selector matches, or the one at a point of the screen; without
        either, the one under the pointer. `tree` without either is about the whole app.
        """
        if kind not in EXPECTATIONS:
            raise InvalidParams(
                f"'{kind}' cannot be expected; there are: {', '.join(EXPECTATIONS)}", field="kind"
            )
        self._catch_up()
        moment = self._timeline.read() or self._timeline.last
        tree = moment.tree
        node = None
        if kind != "tree" or selector is not None or point is not None:
            node = self._element(tree, selector, point)
        step = _expectation(kind, tree, node)
        with self._lock:
            for held in self._interpreter.rest():
                self._add(held)
            self._add(step)
        return step

    def _element(self, tree: Tree, selector: str | None, point: tuple[int, int] | None) -> Node:
        if selector is not None:
            found = parse(selector).find(tree)
            visible = [node for node in found if node.visible] or found
            if len(visible) != 1:
                raise InvalidParams(
                    f"{len(visible) or 'no'} elements match {selector}; an expectation is about one",
                    field="selector",
                )
            return visible[0]
        x, y = self._listener.pointer() if point is None else point
        node = element_at(tree, x, y, self._listener.windows_at(x, y))
        if node is None:
            raise InvalidParams(f"no element of the app is at {x}, {y}", field="point")
        return node

    def _catch_up(self) -> None:
        """Wait until what was done so far has become steps."""
        deadline = time.monotonic() + 3 * SETTLED + 1
        while time.monotonic() < deadline:
            with self._lock:
                if not self._pending and self._inputs.empty():
                    return
            time.sleep(_TICK)  # gestures become complete by time that passes

    # -- the thread ------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            self._follow()
        except ConnectFailed as error:
            self._lost = error.message
        with self._lock:
            self._recognizer.finish()
            if self._pending and self._timeline.gone is None:
                self._timeline.read()
            self._interpret(final=True)
            for step in self._interpreter.rest():
                self._add(step)

    def _follow(self) -> None:
        """Take the inputs as they come. ConnectFailed if the display is gone."""
        while True:
            try:
                event = self._inputs.get(timeout=_TICK)
            except queue.Empty:
                event = None
                if self.ended is not None and self._inputs.empty():
                    return
            if self._stopped.is_set() and event is None and self._inputs.empty():
                return
            with self._lock:
                if event is None:
                    self._recognizer.pause(time.monotonic())
                else:
                    self._take(event)
                self._interpret(final=False)
                for step in [] if self._pending else self._interpreter.late():
                    self._add(step)

    def _take(self, event: Input) -> None:
        made = self._recognizer.take(event)
        if not made or not self._is_ours(event):
            return
        self._pending += made
        for one in made:
            if isinstance(one, Pointed) and self._on_point is not None:
                self._on_point(one.x, one.y)

    def _is_ours(self, event: Input) -> bool:
        """Whether it was done to the app, and not to another program of the display."""
        if self._owns is None:
            return True
        return any(map(self._owns, self._listener.owners(event.windows)))

    def _interpret(self, *, final: bool) -> None:
        """Make steps of the gestures whose results can be seen."""
        while self._pending:
            gesture = self._pending[0]
            following = self._pending[1] if len(self._pending) > 1 else None
            now = time.monotonic()
            if not gesture.complete or (now < gesture.ended + SETTLED and not final):
                return
            if final and now < gesture.ended + SETTLED and self._timeline.gone is None:
                time.sleep(gesture.ended + SETTLED - now)  # what it leads to has no event of its own
                self._timeline.read()
            elif self._timeline.last.began < gesture.ended + SETTLED and self._timeline.gone is None:
                self._timeline.read()
            self._pending.pop(0)
            for step in self._interpreter.steps(gesture, following):
                self._add(step)
            if isinstance(gesture, Typed):
                gesture.keys.clear()

    def _add(self, step: Step) -> None:
        last = self._events[-1].step if self._events else None
        number = len(self._events)
        if last is not None and _replaces(last, step):
            number -= 1
            self._events.pop()
        event = Event(step, number, time.monotonic() - self._began)
        self._events.append(event)
        if self._on_event is not None:
            self._on_event(event)


def _replaces(last: Step, step: Step) -> bool:
    """Whether a step leaves nothing of the one before it."""
    if step.comment is not None or last.comment is not None or last.target != step.target:
        return False
    if last.method == step.method and step.method in ("fill", "set_value", "select_option"):
        return True
    return last.method == "click" and step.method == "fill"


def _expectation(kind: str, tree: Tree, node: Node | None) -> Step:
    if kind == "tree":
        part = tree if node is None else Tree([node, *tree.descendants(node)], tree.windows)
        if node is not None:
            part = Tree([node.changed(parent=None), *tree.descendants(node)], tree.windows)
        shown = render(read(part), cut_note(part))
        named = None if node is None else element(tree, node)
        return Step("to_match_tree", named, ("\n" + shown.rstrip("\n") + "\n",))
    assert node is not None, "only a tree can be of the whole app"
    named = element(tree, node)
    if kind == "visible":
        return Step("to_be_visible", named)
    if kind == "enabled":
        return Step("to_be_enabled" if node.enabled else "to_be_disabled", named)
    if kind == "checked":
        if node.checked is None:
            raise InvalidParams(f"{node} cannot be ticked", field="kind")
        return Step("to_be_checked", named, options={} if node.checked else {"checked": False})
    if node.password or node.value == MASK:
        raise InvalidParams(f"{node} is a password field, whose text is not recorded", field="kind")
    text = written(node) if kind == "value" else shown_text(node)
    if text is None:
        raise InvalidParams(f"{node} has no {kind}", field="kind")
    return Step("to_have_value" if kind == "value" else "to_have_text", named, (text,))
