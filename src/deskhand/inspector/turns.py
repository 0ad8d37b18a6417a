"""Who operates the app: its clients, or a person who has taken over; and the questions that people answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

from ..model.errors import Cancelled
from ..model.operations import Cancel
from ..model.policy import asking
from ..model.record import dataclass

person: ContextVar[object | None] = ContextVar("person", default=None)
"""The page whose action is performed now; None for any other client."""
_CANCEL_CHECK = 0.1
"""How often it is checked whether a client that waits is still there, in seconds."""


class Turn:
    """Whose turn it is. Thread-safe; `changed` is called when that changes."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._free = threading.Condition()
        self._holder: object | None = None
        self._waiting = 0

    @property
    def holder(self) -> object | None:
        """The page of the person who has taken over; None if clients operate."""
        return self._holder

    @property
    def waiting(self) -> int:
        """How many operations of clients wait."""
        return self._waiting

    def take(self, page: object) -> bool:
        """Let clients wait from now on; False if another person has taken over."""
        with self._free:
            if self._holder not in (None, page):
                return False
            self._holder = page
        self._changed()
        return True

    def give_back(self, page: object) -> None:
        """Let clients operate again; does nothing if this page has not taken over."""
        with self._free:
            if self._holder is not page:
                return
            self._holder = None
            self._free.notify_all()
        self._changed()

    def is_mine(self) -> bool:
        """Whether an operation of this thread may begin now."""
        return self._holder is None or self._holder is person.get()

    def wait(self, cancel: Cancel | None) -> None:
        """Wait until an operation of this thread may begin. Raises Cancelled if its caller goes away.

        As while a person is asked, the time of the operation does not pass.
        """
        pausing: AbstractContextManager[None] = asking.get() or nullcontext()
        with pausing, self._free:
            self._waiting += 1
            try:
                while not self.is_mine():
                    if cancel is not None and cancel.is_set():
                        raise Cancelled("the caller went away while a person operated the app")
                    self._free.wait(_CANCEL_CHECK)
            finally:
                self._waiting -= 1


@dataclass(frozen=True)
class Question:
    """Something that a person is asked."""

    number: int
    text: str
    until: float
    """When it is answered with no, in seconds since 1970."""


class Questions:
    """The questions of a policy that are open. Thread-safe; `changed` is called when they change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._answered = threading.Condition()
        self._open: dict[int, Question] = {}
        self._answers: dict[int, bool] = {}
        self._count = 0

    @property
    def open(self) -> tuple[Question, ...]:
        """Those that have no answer yet."""
        with self._answered:
            return tuple(self._open.values())

    def ask(self, question: str, timeout: float) -> bool | None:
        """Ask, and wait for the answer; None if there is none in time.

        What a person does on a page is allowed by that: they are who would be asked.
        """
        if person.get() is not None:
            return True
        with self._answered:
            self._count += 1
            number = self._count
            self._open[number] = Question(number, question, time.time() + timeout)
        self._changed()
        try:
            with self._answered:
                self._answered.wait_for(lambda: number in self._answers, timeout)
                return self._answers.pop(number, None)
        finally:
            with self._answered:
                self._open.pop(number, None)
            self._changed()

    def answer(self, number: int, yes: bool) -> bool:
        """Answer one; False if it is not open any more."""
        with self._answered:
            if number not in self._open or number in self._answers:
                return False
            self._answers[number] = yes
            self._answered.notify_all()
        return True
