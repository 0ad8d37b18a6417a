"""Opens the pages of a browser at a debugging address, after a check of whose browser it is.

Anything that can reach such a port controls the browser, and what answers there controls what we report: so
a port of this machine is used only if a process of our own user has it, or one of root.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from ..adapters.web.adapter import WebAdapter
from ..adapters.web.channel import WebSocket, ask_version
from ..model.errors import Unauthorized
from ..transports.users import Peers

_PAGE = "/devtools/page/"
_BROWSER = "/devtools/browser"


def is_devtools(address: str) -> bool:
    """Whether an address can only be one of the DevTools protocol."""
    return urlsplit(address).path.startswith("/devtools/")


def find(address: str, timeout: float) -> str | None:
    """The WebSocket of the browser at an address such as `http://localhost:9222`; None for anything else."""
    parts = urlsplit(address)
    if is_devtools(address):
        return address
    if parts.scheme not in ("ws", "http") or parts.path not in ("", "/") or parts.port is None:
        return None
    said = ask_version(parts.netloc, timeout)
    # It names itself by the address that it was asked at, so that only the path is taken.
    return None if said is None else f"ws://{parts.netloc}{urlsplit(said['webSocketDebuggerUrl']).path}"


def browser(
    url: str, *, pid: int | None = None, env: Mapping[str, str] | None = None, timeout: float = 5.0
) -> WebAdapter:
    """An adapter for the browser, or the one page, whose WebSocket this is."""
    path = urlsplit(url).path
    page = path.removeprefix(_PAGE) if path.startswith(_PAGE) else None
    channel = WebSocket(url, lambda connection: insist_on_ours(connection, url), timeout)
    local = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
    return WebAdapter(channel, pid=pid, page=page, env=env, local=local)


def insist_on_ours(connection: socket.socket, url: str) -> None:
    """Raise Unauthorized if another user of this machine has the other end."""
    with Peers() as peers:
        there = peers.visitor(connection.getsockname()[:2], connection.getpeername()[:2])
    if there.refused is not None:
        raise Unauthorized(
            f"the browser at {url} belongs to {there.name}, not to the user of this process",
            target=url,
            suggestions=("start a browser of your own: deskhand run -- chromium URL",),
        )
