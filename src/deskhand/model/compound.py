"""Operations that are made of others: their caller decides, and the engine waits.

They hold functions of the caller, so they run in the caller's process, over any Runner, and are never sent to
another. `engine/compound.py` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from .errors import DeskhandError
from .node import Window
from .operations import TIMEOUT, Action, Compound, Done, Exit, Runner, Snapshot
from .record import dataclass
from .tree import Tree

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Bounded(Runner, Protocol):
    """A Runner whose operations share one deadline: each read gets the time that is left of it.

    UiBusy if the app does not answer in time. Time that a person needs to allow an action does not count.
    """

    @property
    def left(self) -> float:
        """How many seconds are left; 0 if none are."""


@dataclass(frozen=True)
class WaitUntil(Compound[R_co]):
    """Wait until the tree meets a condition of the caller's. WaitTimeout if it does not in time."""

    met: Callable[[Tree], R_co]
    """Returns the result. Raises NotReady, which says what was found instead, while there is none."""
    what: str
    """What is waited for, for the error: `a button to be enabled`."""
    timeout: float = TIMEOUT
    poll: float = 0.1
    """How often to read again if the toolkit reports no change."""


@dataclass(frozen=True)
class WaitWindows(Compound[R_co]):
    """Wait until the windows meet a condition of the caller's. WaitTimeout if they do not in time."""

    met: Callable[[tuple[Window, ...]], R_co]
    """Returns the result. Raises NotReady, which says what was found instead, while there is none."""
    what: str
    """What is waited for, for the error: `a window to open`."""
    timeout: float = TIMEOUT
    absent: bool = False
    """Also wait for an app, or a desktop, that cannot be reached yet."""


@dataclass(frozen=True)
class Within(Compound[R_co]):
    """Do something that takes several operations, which share one deadline."""

    work: Callable[[Bounded], R_co]
    timeout: float = TIMEOUT


Step = Callable[[Bounded, float], Action]
"""Makes an action of a batch when those before it are done. May read, and wait so long for its target."""


@dataclass(frozen=True)
class Outcome:
    """What became of one action of a batch: one of these."""

    done: Done | None = None
    error: DeskhandError | None = None
    after: int | None = None
    """It was not performed, because the action with this number failed."""


@dataclass(frozen=True)
class Performed:
    """What became of a batch."""

    outcomes: tuple[Outcome, ...]
    idle: bool | None = None
    """Whether the app was idle afterwards; None if that was not waited for."""
    before: Tree | None = None
    """The tree before the first action, if a receipt was requested."""
    after: Snapshot | None = None
    """What differs from it after the last action, with the whole tree if anything does."""
    unknown: DeskhandError | None = None
    """Why that is not known."""
    exit: Exit | None = None
    """Set if an action ended the app."""


@dataclass(frozen=True)
class Batch(Compound[Performed]):
    """Perform actions one after the other, and report once what all of them changed.

    Raises what concerns more than one action: the app cannot be reached, or automation is switched off.
    """

    steps: tuple[Step, ...]
    timeout: float = TIMEOUT
    """How long all of it may take."""
    stop: bool = True
    """Perform no more actions after one that failed."""
    settle: bool = True
    """Wait until the app is idle after the last action."""
    receipt: bool = True
    """Report what changed."""
