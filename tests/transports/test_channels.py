"""Channels of every transport, for threads and for asyncio, behave the same."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from deskhand.transports import pipe
from deskhand.transports.http import HttpServer
from deskhand.transports.interface import BadAddress, CannotConnect, ChannelClosed, NotAllowed, Stopped
from deskhand.transports.open import kind_of, open_async_channel, open_channel
from deskhand.transports.pipe import PipeChannel, PipeServer, pipe_name
from deskhand.transports.socket import SocketServer
from tests.traces import stopped
from tests.transports.echo import Echo


@pytest.fixture
def echo():
    echo = Echo()
    yield echo
    echo.release.set()


@pytest.fixture(params=["unix", "ws", "http"])
def server(request, tmp_path, echo):
    if request.param == "unix":
        server = SocketServer(tmp_path / "s", echo)
    else:
        server = HttpServer(f"{request.param}://127.0.0.1:0/gip", echo)
    yield server
    server.close()


class _Blocking:
    """The asyncio channel, used from a test without asyncio."""

    def __init__(self, url, **options):
        self._loop = asyncio.new_event_loop()
        try:
            self._channel = self._loop.run_until_complete(open_async_channel(url, **options))
        except BaseException:
            self._loop.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def exchange(self, message, timeout=None, **options):
        return self._loop.run_until_complete(self._channel.exchange(message, timeout, **options))

    def close(self):
        if not self._loop.is_closed():
            self._loop.run_until_complete(self._channel.close())
            # What was closed in the same moment has its last step still before it.
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()


@pytest.fixture(params=["threads", "asyncio"])
def open_one(request):
    return open_channel if request.param == "threads" else _Blocking


def test_messages_are_exchanged(server, open_one):
    with open_one(server.url) as channel:
        assert channel.exchange(b'{"a":"\xc3\xa4"}', 5) == b'{"a":"\xc3\xa4"}'
        assert channel.exchange(b'{"b":2}') == b'{"b":2}'


def test_a_long_answer_comes_whole(server, open_one):
    long = b'{"a":[' + b'{"x":"y"},' * 300_000 + b"0]}"
    with open_one(server.url) as channel:
        assert channel.exchange(long, 30) == long


def test_a_notification_waits_for_nothing(server, open_one):
    with open_one(server.url) as channel:
        assert channel.exchange(b'{"quiet":1}', 5, reply=False) == b""
        assert channel.exchange(b'{"b":2}', 5) == b'{"b":2}'


def test_an_exchange_ends_at_its_deadline_and_cancels_what_runs(server, open_one, echo):
    with open_one(server.url) as channel:
        with pytest.raises(TimeoutError, match=r"did not answer within 0\.1 s"):
            channel.exchange(b'{"wait":1}', 0.1)
        echo.until(lambda echo: echo.cancelled == 1)
        with pytest.raises(ChannelClosed):
            channel.exchange(b"{}", 5)


def test_a_server_that_goes_away_ends_the_channel(server, open_one):
    with open_one(server.url) as channel:
        assert channel.exchange(b"{}", 5) == b"{}"
        server.close()
        with pytest.raises(ChannelClosed):
            channel.exchange(b"{}", 5)


def test_closing_twice_does_no_harm(server, open_one):
    channel = open_one(server.url)
    channel.close()
    channel.close()


def test_a_missing_server_is_reported(open_one, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for address in (f"ws://127.0.0.1:{port}", f"http://127.0.0.1:{port}", str(tmp_path / "s")):
        with pytest.raises(CannotConnect):
            open_one(address, timeout=5)


@pytest.mark.parametrize("address", ["ftp://a", "x" * 300, "ws://", "http://"])
def test_an_invalid_address_is_reported(open_one, address):
    with pytest.raises(BadAddress):
        open_one(address, timeout=5)


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_token_is_shown_and_a_wrong_one_reported(open_one, scheme, echo):
    with HttpServer(f"{scheme}://127.0.0.1:0", echo, token="right") as server:
        with open_one(server.url, token="right") as channel:
            assert channel.exchange(b"{}", 5) == b"{}"
        for token in (None, "wrong"):
            with pytest.raises(NotAllowed, match="token"), open_one(server.url, token=token) as channel:
                channel.exchange(b"{}", 5)


def test_closing_from_another_thread_ends_an_exchange(server, echo):
    channel = open_channel(server.url)
    caught = []

    def wait():
        try:
            channel.exchange(b'{"wait":1}', 30)
        except ChannelClosed as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert echo.waiting.acquire(timeout=10)
    channel.close()
    thread.join(10)
    assert len(caught) == 1
    echo.until(lambda echo: echo.cancelled == 1)


def test_cancelling_an_exchange_ends_it_on_the_other_side_too(server, echo):
    async def main():
        channel = await open_async_channel(server.url)
        task = asyncio.ensure_future(channel.exchange(b'{"wait":1}', 30))
        await asyncio.to_thread(echo.waiting.acquire, timeout=10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(echo.until, lambda echo: echo.cancelled == 1)
        with pytest.raises(ChannelClosed):
            await channel.exchange(b"{}", 5)
        await channel.close()

    asyncio.run(main())


def test_tasks_take_turns_on_one_channel(server):
    async def main():
        async with await open_async_channel(server.url) as channel:
            messages = [b'{"n":%d}' % number for number in range(20)]
            assert await asyncio.gather(*(channel.exchange(message, 10) for message in messages)) == messages

    asyncio.run(main())


def test_a_connection_that_the_server_let_go_is_opened_again(echo):
    """Servers end an HTTP connection that was idle for some time."""
    with HttpServer("http://127.0.0.1:0", echo) as server, open_channel(server.url) as channel:
        assert channel.exchange(b"{}", 5) == b"{}"
        channel._connection.sock.shutdown(socket.SHUT_RDWR)
        assert channel.exchange(b"{}", 5) == b"{}"


@pytest.mark.parametrize("framing", ["text", "length"])
def test_sockets_can_be_asked_in_either_framing(tmp_path, echo, framing, open_one):
    with SocketServer(tmp_path / "s", echo) as server, open_one(server.url, framing=framing) as channel:
        assert channel.exchange(b'{"a":1}', 5) == b'{"a":1}'


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("my_app", "unix"), ("/tmp/x", "unix"), ("unix:/tmp/x", "unix"), ("unix:///tmp/x", "unix"),
        ("ws://h:1/", "websocket"), ("wss://h", "websocket"), ("http://h", "http"), ("https://h", "http"),
        ("pipe:my_app", "pipe"), (r"\\.\pipe\my_app", "pipe"),
    ],
)  # fmt: skip
def test_an_address_determines_the_transport(address, kind):
    assert kind_of(address) == kind


# -- pipes ------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="there they exist")
def test_pipes_say_that_they_are_for_windows(echo):
    with pytest.raises(BadAddress, match="Windows"):
        PipeServer("pipe:my_app", echo)
    with pytest.raises(BadAddress, match="Windows"):
        open_channel("pipe:my_app")


def test_a_pipe_has_its_full_name():
    for address in ("pipe:my_app", r"\\.\pipe\my_app", "my_app", r"C:\Temp\my_app"):
        assert pipe_name(address) == r"\\.\pipe\my_app"
    with pytest.raises(BadAddress):
        pipe_name("pipe:")


@pytest.fixture
def pipe_server(tmp_path, echo):
    """The same code over what multiprocessing has here in place of pipes."""
    with PipeServer(str(tmp_path / "p"), echo, family="AF_UNIX") as server:
        server.name = str(tmp_path / "p")
        yield server


def test_what_serves_pipes_exchanges_messages(pipe_server):
    with PipeChannel(pipe_server.name, 5, family="AF_UNIX") as channel:
        assert channel.exchange(b'{"a":1}', 5) == b'{"a":1}'
        assert channel.exchange(b'{"quiet":1}', 5, reply=False) == b""
        assert channel.exchange(b'{"b":1}', 5) == b'{"b":1}'


def test_what_serves_pipes_serves_several(pipe_server, echo):
    with (
        PipeChannel(pipe_server.name, 5, family="AF_UNIX") as one,
        PipeChannel(pipe_server.name, 5, family="AF_UNIX") as two,
    ):
        assert one.exchange(b'{"a":1}', 5) == b'{"a":1}'
        assert two.exchange(b'{"a":2}', 5) == b'{"a":2}'
    echo.until(lambda echo: echo.closed == 2)


def test_a_pipe_exchange_ends_at_its_deadline(pipe_server):
    with (
        PipeChannel(pipe_server.name, 5, family="AF_UNIX") as channel,
        pytest.raises(TimeoutError),
    ):
        channel.exchange(b'{"wait":1}', 0.1)


def test_closing_what_serves_pipes_ends_its_threads(tmp_path, echo, monkeypatch):
    monkeypatch.setattr(pipe, "_LOOK", 0.02)
    threads = set(threading.enumerate())
    server = PipeServer(str(tmp_path / "p"), echo, family="AF_UNIX")
    channel = PipeChannel(str(tmp_path / "p"), 5, family="AF_UNIX")
    assert channel.exchange(b"{}", 5) == b"{}"
    server.close()
    with pytest.raises(ChannelClosed):
        channel.exchange(b"{}", 5)
    channel.close()
    for thread in set(threading.enumerate()) - threads:
        thread.join(10)
    assert set(threading.enumerate()) <= threads


_SLOW = """
import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("listening", flush=True)
while True:
    peer, _ = server.accept()
    while peer.recv(65536):
        time.sleep(0.5)
        peer.sendall(b"{}\\n")
"""


@pytest.fixture
def slow(tmp_path):
    """A server in another process that answers everything after half a second, and its address."""
    path = str(tmp_path / "slow")
    with subprocess.Popen([sys.executable, "-c", _SLOW, path], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process, path
        process.kill()


def test_a_server_that_is_stopped_is_not_waited_for_when_patience_ends(slow, open_one):
    process, path = slow
    with open_one(path) as channel:
        assert channel.exchange(b"{}", 30, patience=0.05) == b"{}"  # one that is only slow is
        with stopped(process.pid):
            began = time.monotonic()
            with pytest.raises(Stopped, match=f"process {process.pid} is stopped") as caught:
                channel.exchange(b"{}", 30, patience=0.2)
            assert 0.2 <= time.monotonic() - began < 10
            assert caught.value.pid == process.pid
        with pytest.raises(ChannelClosed):
            channel.exchange(b"{}", 5)


def test_a_server_that_goes_on_before_patience_ends_is_waited_for(slow, open_one):
    process, path = slow
    with open_one(path) as channel, stopped(process.pid):
        threading.Timer(0.1, os.kill, (process.pid, signal.SIGCONT)).start()
        assert channel.exchange(b"{}", 30, patience=10) == b"{}"


def test_more_than_a_stopped_server_takes_in_is_given_up_too(slow, tmp_path):
    process, path = slow
    with _Blocking(path) as channel, stopped(process.pid), pytest.raises(Stopped):
        channel.exchange(b"1" * 10_000_000, 30, patience=0.2)
