"""Operations that are made of others: their caller decides, and the engine waits.

They hold functions of the caller, so they run in the caller's process, over any Runner, and are never sent to
another. `engine/compound.py` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .node import Window
from .operations import TIMEOUT, Operation
from .record import dataclass
from .tree import Tree

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Compound(Operation[R_co]):
    """An operation that is made of others."""


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
