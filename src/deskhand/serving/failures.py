"""Which error a failed connection to an engine is for its callers."""

from __future__ import annotations

from typing import Any

from ..model.deadline import lost, stopped, timeout_of
from ..model.errors import AppGone, ConnectFailed, DeskhandError, UiBusy, Unauthorized
from ..model.operations import Operation
from ..transports.interface import ChannelClosed, NotAllowed, Stopped, Unsent


def failure(error: OSError, address: str, operation: Operation[Any]) -> DeskhandError:
    """The error for an exchange with an app that failed."""
    if isinstance(error, Stopped):
        return UiBusy(
            f"the app did not answer within {stopped(operation):g} s: process {error.pid} is stopped",
            target=address,
            suggestions=(f"let it go on: kill -CONT {error.pid}",),
        )
    if isinstance(error, TimeoutError):
        return UiBusy(
            f"the app did not answer within {lost(timeout_of(operation)):g} s",
            target=address,
            suggestions=("see whether its process hangs or is swapped out",),
        )
    if isinstance(error, NotAllowed):
        return Unauthorized(str(error), target=address)
    gone = AppGone(f"the app is gone: {error}", target=address)
    if isinstance(error, ChannelClosed) and not isinstance(error, Unsent):
        gone.details["sent"] = True
    return gone


def unreached(error: OSError, address: str, *, reached: bool) -> DeskhandError:
    """The error for a connection that could not be made, to an app that was or was not reached before."""
    if isinstance(error, NotAllowed):
        return Unauthorized(str(error), target=address)
    if reached:
        return AppGone(f"the app is gone: {error}", target=address)
    return ConnectFailed(str(error) or "the app did not answer", target=address)
