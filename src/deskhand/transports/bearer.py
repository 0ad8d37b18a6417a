"""Whose token a request bears. Found out by the guard of a server, and known to whatever answers the request.

The threads in which requests are answered are started with a copy of the request's context, so that `bearer`
is the same there.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

MAIN = "main"
"""What the token is called that a server is started with."""


class Bearer(Protocol):
    """A client that has a token."""

    @property
    def name(self) -> str:
        """What its token is called."""

    @property
    def valid(self) -> bool:
        """Whether the token is still accepted: a connection may outlast it."""


Bearers = Callable[[str], "Bearer | None"]
"""Says who bears a token, None if it is not accepted; takes as long for a wrong one as for any other."""

bearer: ContextVar[Bearer | None] = ContextVar("bearer", default=None)
"""Who sent the request that is being answered; None where no token is asked for."""


def the_only(token: str) -> Bearers:
    """For a server that accepts a single token."""
    wanted = token.encode()
    return lambda given: _Main() if hmac.compare_digest(given.encode(), wanted) else None


class _Main:
    name = MAIN
    valid = True
