"""The way into the frames of one context and back, for callers on any thread, with a deadline.

What is asked for happens at the border of a frame: reading takes the last complete one, and an action is a
generator that goes on by one step before each. Without requests, nothing is recorded and nothing kept awake.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ...model.errors import AppGone, UiBusy
from ..jobs import Job, line_of
from ..performer import Steps
from .hands import Hands
from .place import Place, Surface
from .record import Frame, Recorder
from .scene import FrameElements
from .wrappers import ARGS, FLAGS, HIGH, ID, LOW, RESULT, SPEC, STATUS, Call

T = TypeVar("T")
_FRESH = 0.05
"""How old the last frame may be to be taken as what is on the screen, in seconds."""
_PATIENCE = 0.1
"""How long a frame is waited for before it is asked for again, in seconds."""
_REST = 0.15
"""How long no frame must have begun for a program to have stopped drawing, in seconds."""
_ENDING = 2.0
"""The same for a program that was asked to end, which takes a while."""
_INTEREST = 2.0
"""How long frames are recorded after the last request, in seconds."""


class _Script:
    """An action that is being played."""

    __slots__ = ("cancelled", "done", "ending", "error", "make", "played", "steps", "value")

    def __init__(self, make: Callable[[], Steps[Any]]) -> None:
        self.make = make
        self.steps: Steps[Any] | None = None
        self.done = threading.Event()
        self.cancelled = False
        self.played = False
        """Whether all was done, and only what came of it has not been drawn yet."""
        self.ending = False
        """Whether it asks the program to end."""
        self.value: Any = None
        self.error: BaseException | None = None


class Stage:
    """One context: its recorder, its hands, and the calls that wait for its frames."""

    def __init__(
        self, recorder: Recorder, prefix: str, surface_of: Callable[[Recorder], Surface | None]
    ) -> None:
        self.recorder = recorder
        self.prefix = prefix
        """Before each uid, so that no other context has the same."""
        self.surface: Surface | None = None
        self.place = Place()
        """Where the last frame was drawn."""
        self.hands = Hands(recorder.imgui, recorder.context)
        self.goes_on: Callable[[], bool] = lambda: False
        """Whether the program waits for its user in the midst of a frame; asked from any thread."""
        self._surface_of = surface_of
        self._front: Frame | None = None
        self._condition = threading.Condition()
        self._asked = 0.0
        self._ended = 0.0
        """When a frame ended last."""
        self._waiting = 0
        """How many callers wait for a frame."""
        self._jobs: deque[Job] = deque()
        self._scripts: deque[_Script] = deque()
        self._script: _Script | None = None
        self._changed: list[Callable[[], None]] = []
        self._looks: list[Any] = []
        self._scene: FrameElements | None = None
        if recorder.inside:
            self.surface = surface_of(recorder)
        recorder.on_begin.append(self._begin)
        recorder.on_end.append(self._end)
        recorder.on_gone.append(self._gone)
        recorder.real_pointer = self.hands.take_real_pointer

    # -- from any thread -------------------------------------------------------------------------

    def scene(self, timeout: float) -> FrameElements:
        """What is on the screen; UiBusy if no frame comes in time."""
        return self._scene_of(self.frame(timeout))

    def last_scene(self) -> FrameElements | None:
        """What was on the screen at the last read, however long ago."""
        return None if self._front is None else self._scene_of(self._front)

    def frame(self, timeout: float) -> Frame:
        """The last complete frame if it is fresh, or else the next one."""
        began = self._ask()
        front = self._front
        if front is not None and (began - front.ended < _FRESH or self.recorder.inside):
            return front
        return self._later_than(began, timeout)

    def next_frame(self, timeout: float) -> Frame:
        """The next frame that ends."""
        self._ask()
        front = self._front
        return self._later_than(0.0 if front is None else front.ended, timeout)

    def call(self, function: Callable[[], T], timeout: float) -> T:
        """What a function returns or raises at the end of a frame, on the GUI thread."""
        if self.recorder.inside:
            return function()
        self._check()
        job = Job(function)
        self._jobs.append(job)
        self._wait(lambda wait: job.done.acquire(timeout=wait), timeout)
        if not job.left:
            raise job.give_up(timeout, self.recorder.thread)
        return cast("T", job.outcome())

    def play(self, make: Callable[[], Steps[T]], timeout: float) -> T | None:
        """Play an action step by step, one before each frame, until its effect was drawn.

        None if the program waits for its user in the midst of a frame, as for a dialog of another toolkit.
        """
        self._check()
        script = _Script(make)
        self._ask()
        self._scripts.append(script)
        if self._wait(script.done.wait, timeout, lambda: script.played and self._rests(script.ending)):
            return None
        if not script.done.is_set() and not script.played:
            script.cancelled = True
            raise self._busy(timeout, "; the action had begun" if script.steps is not None else "")
        if script.error is not None:
            raise script.error
        return cast("T", script.value)

    def expect_end(self, unseen: Any) -> None:
        """From an action that asked the program to end: it is done when the context goes.

        If instead no further frame is drawn, `unseen` is its result.
        """
        assert self._script is not None, "called by its steps"
        self._script.played = self._script.ending = True
        self._script.value = unseen

    def idle(self, timeout: float) -> None:
        """Return once two frames in a row have the same items at the same places, and no input is left."""
        deadline = time.monotonic() + timeout
        before: Frame | None = None
        while True:
            frame = self.next_frame(max(0.0, deadline - time.monotonic()))
            at_rest = before is not None and not self.hands.pending and self._script is None
            if at_rest and before is not None and _places(before.calls) == _places(frame.calls):
                return
            before = frame

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(changed)
        self.recorder.wanted = True
        self.wake()

        def stop() -> None:
            if changed in self._changed:
                self._changed.remove(changed)

        return stop

    def wake(self) -> None:
        """Ask for a frame, where frames come only when something happens."""
        # In the midst of one, a program that is made to draw would begin another.
        if self.surface is not None and not self.recorder.within:
            self.surface.wake()

    def close(self) -> None:
        """Stop recording the context and driving it. On the GUI thread if that still draws."""
        recorder = self.recorder
        for functions, function in (
            (recorder.on_begin, self._begin),
            (recorder.on_end, self._end),
            (recorder.on_gone, self._gone),
        ):
            if function in functions:
                functions.remove(function)
        recorder.wanted, recorder.real_pointer = False, None
        self._let_go(AppGone("deskhand was closed in this program"))

    # -- on the GUI thread -----------------------------------------------------------------------

    def _begin(self) -> None:
        surface = self.surface = self._surface_of(self.recorder)
        script = self._script
        if script is None and self._scripts:
            script = self._script = self._scripts.popleft()
        if script is not None or self.hands.at is not None:
            # Not in every frame: to ask for the real pointer may be a question to the display.
            self.hands.keep_pointer(None if surface is None else surface.pointer())
        if script is not None:
            self._step(script)
        if self.recorder.wanted and not self._needed():
            self.recorder.wanted = False

    def _step(self, script: _Script) -> None:
        hands = self.hands
        hands.busy = True
        try:
            if script.cancelled:
                if script.steps is not None:
                    script.steps.close()
                hands.rest()
            else:
                if script.steps is None:
                    hands.acted = False
                    script.steps = self._settled(script)
                next(script.steps)
                hands.sent()
                return
        except StopIteration as end:
            script.value = end.value
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            script.error = error
            hands.rest()
        hands.busy = False
        hands.settle()
        self._script = None
        self._asked = time.monotonic()
        script.done.set()

    def _settled(self, script: _Script) -> Steps[Any]:
        """The steps, and a frame that shows what came of them."""
        script.value = value = yield from script.make()
        script.played = True
        # In one frame the program hears of it; what it drew before that shows it in the next.
        yield
        yield
        while self.hands.pending:
            yield
        return value

    def _end(self) -> None:
        self._ended = time.monotonic()
        while self._jobs:
            job = self._jobs.popleft()
            if job.claim():
                job.run()
        front = self.recorder.front
        if front is not self._front:
            if self.surface is not None:
                self.place = self.surface.look(self.recorder.context)
            self._front = front
        if self._changed and front is not None:
            looks = _looks(front.calls)
            if looks != self._looks:
                self._looks = looks
                for changed in list(self._changed):
                    changed()
        with self._condition:
            self._condition.notify_all()
        if self._awaited():
            if self.surface is not None:
                self.surface.wake()
            # Runners in C++ keep Python to themselves between frames; other threads get their turn here.
            time.sleep(0)

    def _gone(self) -> None:
        """The context goes: what ended the program may have been an action, which is done then."""
        self._let_go(_closed())

    def _awaited(self) -> bool:
        """Whether a call waits for another frame."""
        return bool(self._waiting or self._script is not None or self._scripts or self._jobs)

    def _needed(self) -> bool:
        """Whether a client is interested in what is drawn."""
        return bool(self._changed) or self._awaited() or time.monotonic() - self._asked < _INTEREST

    # -- within ----------------------------------------------------------------------------------

    def _ask(self) -> float:
        """Frames are recorded from now on, for a while."""
        self._asked = time.monotonic()
        self.recorder.wanted = True
        return self._asked

    def _scene_of(self, frame: Frame) -> FrameElements:
        scene = self._scene
        if scene is None or scene.frame is not frame:
            self._scene = scene = FrameElements(frame)
        return scene

    def _later_than(self, moment: float, timeout: float) -> Frame:
        """The first frame that ends after a moment."""
        until = time.monotonic() + timeout
        with self._condition:
            self._waiting += 1
        try:
            while True:
                with self._condition:
                    front = self._front
                    if front is not None and front.ended > moment:
                        return front
                    self._check()
                    self.recorder.wanted = True
                    self.wake()
                    self._condition.wait(max(0.0, min(until - time.monotonic(), _PATIENCE)))
                    if self._front is not front:
                        continue
                if front is not None and self.goes_on():
                    return front
                if time.monotonic() >= until:
                    raise self._busy(timeout)
        finally:
            with self._condition:
                self._waiting -= 1

    def _rests(self, ending: bool) -> bool:
        """Whether the program stopped drawing, as one does that ends; for longer, if it was asked to end."""
        return not self.recorder.within and time.monotonic() - self._ended > (_ENDING if ending else _REST)

    def _wait(
        self, wait: Callable[[float], object], timeout: float, enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait, and ask for frames meanwhile; true if the program waits for its user instead."""
        until = time.monotonic() + timeout
        self.wake()
        while (left := until - time.monotonic()) > 0 and not wait(min(left, _PATIENCE)) and not enough():
            self._check()
            if self.goes_on():
                return True
            self.wake()
        return False

    def _busy(self, timeout: float, how_far: str = "") -> UiBusy:
        where = line_of(self.recorder.thread) if self.recorder.within else None
        at = f"; it is in {where}" if where else ""
        return UiBusy(
            f"the program drew no frame within {timeout:.3g} s{how_far}{at}",
            where=where,
            suggestions=("see what the program is doing, or give it more time",),
        )

    def _check(self) -> None:
        if self.recorder.gone:
            raise _closed()

    def _let_go(self, error: AppGone) -> None:
        """End all waiting calls."""
        for job in self._jobs:
            if job.claim():
                job.error = error
                job.leave()
        for script in (*self._scripts, *([] if self._script is None else [self._script])):
            # What did something already when the program ended is most likely what ended it.
            script.error = None if script is self._script and self.hands.acted else error
            if script.ending:
                script.value = None
            script.done.set()
        self._jobs.clear()
        self._scripts.clear()
        self._script = None


def _closed() -> AppGone:
    return AppGone("the window that Dear ImGui was drawn in is closed")


def _looks(calls: list[Call]) -> list[Any]:
    """What can be seen of the calls, for comparing two frames."""
    return [
        (
            call[SPEC].kind,
            [argument for argument in call[ARGS][:2] if type(argument) in _PLAIN],
            call[RESULT] if type(call[RESULT]) in _PLAIN else repr(call[RESULT]),
            call[ID],
            call[FLAGS],
            call[STATUS],
            call[LOW] and (call[LOW].x, call[LOW].y, call[HIGH].x, call[HIGH].y),
        )
        for call in calls
    ]


def _places(calls: list[Call]) -> list[Any]:
    """Which items are where; what they say may change all the time, as a clock does."""
    return [
        (call[SPEC].kind, call[ID], call[LOW] and (round(call[LOW].x), round(call[LOW].y))) for call in calls
    ]


_PLAIN = frozenset((bool, int, float, str, type(None)))
