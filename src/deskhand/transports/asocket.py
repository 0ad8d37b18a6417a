"""Unix sockets for asyncio: the client of socket.py once more."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from .achannel import AsyncioChannel
from .address import socket_path
from .framing import Splitter, Unreadable
from .interface import BadAddress, ChannelClosed, NotAllowed, Stopped, Unsent
from .socket import LONGEST_ANSWER, LOOK, check_server, connect_error, has_ended, is_stopped, server_pid

_CHUNK = 262144


class AsyncSocketChannel(AsyncioChannel):
    """A connection to a Unix socket; made by `connect`."""

    def __init__(
        self, url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, splitter: Splitter
    ) -> None:
        super().__init__(url)
        self._reader = reader
        self._writer = writer
        self._splitter = splitter
        self._peer = server_pid(writer.get_extra_info("socket"))
        self._vigil: asyncio.TimerHandle | None = None
        self._stopped: Stopped | None = None
        self._closed = False

    @classmethod
    async def connect(
        cls, address: str | Path, timeout: float, *, framing: str = "text", limit: int = LONGEST_ANSWER
    ) -> AsyncSocketChannel:
        path = socket_path(address)
        if not hasattr(asyncio, "open_unix_connection"):
            raise BadAddress("this system has no Unix sockets; use http://… or ws://…")
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_unix_connection(path), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"unix:{path} accepted no connection for {timeout:g} s") from None
        except OSError as error:
            raise connect_error(path, error) from None
        try:
            check_server(writer.get_extra_info("socket"))
        except NotAllowed:
            writer.close()
            raise
        return cls(f"unix:{path}", reader, writer, Splitter(limit=limit, framing=framing))

    def _look_after(self, peer: int) -> None:
        """See whether an answer that takes long may still come."""
        if is_stopped(peer):
            self._stopped = Stopped(self.url, peer)
            self._writer.transport.abort()  # closing would first write data that is never read
        else:
            self._vigil = asyncio.get_running_loop().call_later(LOOK, self._look_after, peer)

    async def _exchange(self, message: bytes, reply: bool, patience: float | None) -> bytes:
        if self._closed:
            raise Unsent(f"the connection to {self.url} is closed")
        if has_ended(self._writer.get_extra_info("socket")):
            raise Unsent(f"{self.url} closed the connection")
        if patience is not None and self._peer is not None:
            self._vigil = asyncio.get_running_loop().call_later(patience, self._look_after, self._peer)
        try:
            self._writer.write(self._splitter.frame(message))
            await self._writer.drain()
            return await self._receive() if reply else b""
        except (ChannelClosed, OSError):
            stopped, self._stopped = self._stopped, None
            if stopped is not None:
                raise stopped from None
            raise
        finally:
            if self._vigil is not None:
                self._vigil.cancel()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._writer.close()
            with suppress(OSError):  # it was gone already
                await self._writer.wait_closed()

    def _abort(self) -> None:
        self._closed = True
        self._writer.close()

    async def _receive(self) -> bytes:
        while True:
            data = await self._reader.read(_CHUNK)
            if not data:
                raise ChannelClosed(f"{self.url} closed the connection")
            for found in self._splitter.feed(data):
                if isinstance(found, Unreadable):
                    raise ChannelClosed(f"the answer of {self.url} cannot be read: {found.reason}")
                return found
