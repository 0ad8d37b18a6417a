"""An engine of our own over another project's server, and how to recognise such a server."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..adapters.foreign.gip import GipAdapter
from ..engine.session import Session
from ..model.errors import (
    AppGone,
    ConnectFailed,
    DeskhandError,
    Disabled,
    UiBusy,
    Unauthorized,
)
from ..protocols.gip.client import decode_reply, encode_call, is_ours
from ..protocols.orca.client import PATH as ORCA_PATH
from ..serving import devtools
from ..transports.interface import Channel, NotAllowed
from ..transports.open import open_channel
from .targets import ORCA


def probe(address: str, token: str | None, timeout: float) -> Session | None:
    """Connect and see who is there: None for one of our own GIP servers, else an engine over the other one.

    By HTTP that may also be a server of the Orca protocol, and at the port of a browser its pages.
    """
    calls = Calls(address, token, timeout)
    try:
        info = _introduce(calls, address, timeout)
    except _NoGip:
        calls.close()
        if urlsplit(address).path == ORCA_PATH and address.startswith("http://"):
            from .orca import OrcaSession  # with HTTP, which few need

            with contextlib.suppress(ConnectFailed):
                return OrcaSession(ORCA + urlsplit(address).netloc, token=token, timeout=timeout)
        if (found := _browser(address, timeout)) is not None:
            return found
        raise
    except ConnectFailed:
        calls.close()
        # It refuses to speak GIP by WebSocket, as a browser does.
        if (found := _browser(address, timeout)) is not None:
            return found
        raise
    except BaseException:
        calls.close()
        raise
    if info is None:
        calls.close()
        return None
    return ForeignSession(calls, info)


def _browser(address: str, timeout: float) -> Session | None:
    """An engine over the browser whose debugging port is at an address; None if there is none."""
    if not address.startswith(("ws://", "http://")):
        return None
    try:
        found = devtools.find(address, timeout)
    except ConnectFailed:
        return None
    return None if found is None else Session(devtools.browser(found, timeout=timeout))


def browser(address: str, timeout: float) -> Session:
    """An engine over the browser at `cdp://HOST:PORT`; ConnectFailed if there is none."""
    url = "ws://" + address.partition("://")[2]
    found = devtools.find(url, timeout)
    if found is None:
        raise ConnectFailed(
            f"what answers at {address} is not a browser",
            target=address,
            suggestions=("start one with --remote-debugging-port=PORT", "or: deskhand run -- chromium URL"),
        )
    return Session(devtools.browser(found, timeout=timeout))


def _introduce(calls: Calls, address: str, timeout: float) -> Mapping[str, Any] | None:
    """What a foreign server says about its program; None if the server is one of ours."""
    calls.open()
    try:
        result = calls("connect", {"target": address}, timeout)
    except (AppGone, UiBusy, Unauthorized):
        raise
    except Disabled:
        return None  # only our own servers can be switched off
    except DeskhandError as refused:
        # Older servers do not know `connect`, and some know only one target; both can be driven.
        _insist_on_gip(calls, address, refused, timeout)
        return {}
    if is_ours(result):
        return None
    info = result.get("app_info") if isinstance(result, Mapping) else None
    return info if isinstance(info, Mapping) else {}


def _insist_on_gip(calls: Calls, address: str, refused: DeskhandError, timeout: float) -> None:
    try:
        answer = calls("ping", {}, timeout)
    except DeskhandError:
        answer = None
    if not isinstance(answer, Mapping):
        raise _NoGip(f"{address} does not speak GIP: {refused.message}", target=address)


class _NoGip(ConnectFailed):
    """A server answers, and speaks another protocol."""


class ForeignSession(Session):
    """An engine that closes its connection when it is closed."""

    def __init__(self, calls: Calls, info: Mapping[str, Any] | None) -> None:
        super().__init__(GipAdapter(calls, info=info))
        self._calls = calls

    def close(self) -> None:
        super().close()
        self._calls.close()


class Calls:
    """Calls methods of a GIP server, one at a time; connects again after a call that was not answered."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        self._address = address
        self._token = token
        self._timeout = timeout
        self._lock = threading.Lock()
        self._channel: Channel | None = None
        self._answered = False

    def __call__(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        """Call a method; gives its result or raises a DeskhandError."""
        request = encode_call(method, params)
        with self._lock:
            channel = self._channel or self._connect()
            self._channel = None
            try:
                reply = channel.exchange(request.data, timeout)
            except TimeoutError:
                raise UiBusy(f"no answer to {method} within {timeout:g} s", target=self._address) from None
            except NotAllowed as error:
                raise Unauthorized(str(error), target=self._address) from None
            except OSError as error:
                raise self._unreachable(error) from None
            except BaseException:
                channel.close()
                raise
            self._channel = channel
            self._answered = True
        return decode_reply(request, reply)

    def open(self) -> None:
        """Connect now; otherwise the first call does."""
        self._channel = self._channel or self._connect()

    def close(self) -> None:
        """End the connection."""
        if self._channel is not None:
            self._channel.close()

    def _connect(self) -> Channel:
        try:
            return open_channel(self._address, self._timeout, self._token)
        except NotAllowed as error:
            raise Unauthorized(str(error), target=self._address) from None
        except OSError as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: OSError) -> ConnectFailed | AppGone:
        if self._answered:
            return AppGone(f"the app is gone: {error}", target=self._address)
        return ConnectFailed(str(error), target=self._address)
