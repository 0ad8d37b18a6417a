"""Unix sockets: which clients are accepted, which call waits for which, and what is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from deskhand.transports import address
from deskhand.transports.address import socket_path
from deskhand.transports.interface import AddressInUse, BadAddress, CannotConnect, ChannelClosed, NotAllowed
from deskhand.transports.socket import SocketChannel, SocketServer
from tests.traces import without_rights
from tests.transports.echo import Echo


@pytest.fixture
def echo():
    echo = Echo()
    yield echo
    echo.release.set()


@pytest.fixture
def server(tmp_path, echo):
    with SocketServer(tmp_path / "s", echo) as server:
        yield server


def dial(server) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(10)
    peer.connect(str(server.path))
    return peer


def read_line(peer) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        part = peer.recv(1)
        assert part, f"closed after {line!r}"
        line += part
    return line


def wait_for(condition) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


# -- addresses --------------------------------------------------------------------------------------


def test_a_bare_name_is_in_the_temp_directory(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert socket_path("my_app") == tmp_path / "my_app"


@pytest.mark.parametrize("text", ["unix:{}/s", "unix://{}/s", "{}/s"])
def test_a_path_is_taken_as_it_is(text, tmp_path):
    assert socket_path(text.format(tmp_path)) == tmp_path / "s"


def test_a_relative_path_is_seen_from_here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert socket_path("./s") == tmp_path / "s"


@pytest.mark.parametrize("text", ["", "unix:", "a\0b", ".", "/tmp/"])
def test_what_names_no_socket_is_refused(text):
    with pytest.raises(BadAddress):
        socket_path(text)


def test_a_path_that_is_too_long_is_refused_with_its_length(tmp_path):
    with pytest.raises(BadAddress, match="may be 107 bytes long"):
        SocketServer(tmp_path / ("x" * 120), Echo())


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadAddress, match="no directory"):
        SocketServer(tmp_path / "no" / "s", Echo())


# -- who may come in --------------------------------------------------------------------------------


def test_only_the_owner_may_open_it_whatever_the_umask(tmp_path, echo):
    before = os.umask(0)
    try:
        with SocketServer(tmp_path / "s", echo) as server:
            assert server.path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_let_in():
    other_user = 65534
    script = (
        f"import os, socket, sys; os.setgroups([]); os.setgid({other_user}); os.setuid({other_user})\n"
        "peer = socket.socket(socket.AF_UNIX)\n"
        "try: peer.connect(sys.argv[1])\n"
        "except PermissionError as error: sys.exit(f'errno {error.errno}')\n"
        "peer.settimeout(5); peer.sendall(b'{}'); print(peer.recv(10))"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101 - the folder is open, so it is the socket that refuses
        with SocketServer(Path(folder, "s"), Echo()) as server:
            run = [sys.executable, "-I", "-c", script, str(server.path)]
            refused = subprocess.run(run, capture_output=True, text=True, timeout=30, check=False)
            assert refused.stderr.strip() == "errno 13"
            # Even if the file is made accessible to all, the user is checked.
            server.path.chmod(0o777)
            ended = subprocess.run(run, capture_output=True, text=True, timeout=30, check=False)
            assert "b'{}" not in ended.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_client_does_not_talk_to_a_server_of_another_user():
    """The name may be a trap in a folder that every user can write to."""
    without_rights()
    other_user = 65534
    script = (
        f"import os, sys; os.setgroups([]); os.setgid({other_user}); os.setuid({other_user})\n"
        "from deskhand.transports.socket import SocketChannel\n"
        "from deskhand.transports.interface import NotAllowed\n"
        "try: SocketChannel(sys.argv[1], 5)\n"
        "except NotAllowed as error: print(error)\n"
    )
    other = 12345
    trap = (
        f"import os, socket, sys; os.setgid({other}); os.setuid({other})\n"
        "server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777)\n"
        "server.listen(); print('ready', flush=True); sys.stdin.read()"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # noqa: PTH101 - as /tmp is
        path = str(Path(folder, "s"))
        command = [sys.executable, "-I", "-c", trap, path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdout.readline() == b"ready\n"
            told = subprocess.run(
                [sys.executable, "-c", script, path],
                capture_output=True, text=True, timeout=30, check=False,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
            )  # fmt: skip
            server.stdin.close()
            server.wait(10)
    assert "belongs to user 12345" in told.stdout, told.stderr


def test_a_socket_without_a_server_is_replaced(tmp_path, echo):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    with SocketServer(path, echo) as server, dial(server) as peer:
        peer.sendall(b"{}")
        assert read_line(peer) == b"{}\n"


def test_a_socket_that_is_served_is_left_alone_and_its_user_named(server):
    with pytest.raises(AddressInUse, match=rf"in use by .*\({os.getpid()}\)"):
        SocketServer(server.path, Echo())
    with dial(server) as peer:
        peer.sendall(b"{}")
        assert read_line(peer) == b"{}\n"


def test_a_file_that_is_not_a_socket_is_left_alone(tmp_path):
    path = tmp_path / "s"
    path.write_text("precious")
    with pytest.raises(AddressInUse, match="is not a socket"):
        SocketServer(path, Echo())
    assert path.read_text() == "precious"


def test_of_many_that_start_at_once_exactly_one_gets_the_name(tmp_path, monkeypatch):
    user_of = address._user_of

    def user_of_slowly(path):
        user = user_of(path)
        threading.Event().wait(0.02)  # long enough for all to see that it has no server
        return user

    monkeypatch.setattr(address, "_user_of", user_of_slowly)
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    begin = threading.Barrier(12)
    servers, refused = [], []

    def start():
        begin.wait()
        try:
            servers.append(SocketServer(path, Echo()))
        except AddressInUse as error:
            refused.append(error)

    threads = [threading.Thread(target=start) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert len(servers) == 1
        assert len(refused) == 11
        with dial(servers[0]) as peer:
            peer.sendall(b"{}")
            assert read_line(peer) == b"{}\n"
    finally:
        for server in servers:
            server.close()


# -- talking ----------------------------------------------------------------------------------------


def test_the_conversation_knows_the_address_and_the_client(server, echo):
    with dial(server) as peer:
        peer.sendall(b"{}")
        read_line(peer)
    assert echo.opened == [("unix", f"unix:{server.path}", f"unix-1 pid {os.getpid()}")]


def test_pipelined_requests_are_answered_in_order(server):
    with dial(server) as peer:
        peer.sendall(b"".join(b'{"n":%d}' % number for number in range(1000)))
        assert [json.loads(read_line(peer))["n"] for _ in range(1000)] == list(range(1000))


def test_the_answer_has_the_framing_of_the_question(server):
    with dial(server) as lines, dial(server) as lengths:
        lines.sendall(b' \n{"a":1}')
        lengths.sendall(b'\0\0\0\7{"a":1}')
        assert read_line(lines) == b'{"a":1}\n'
        assert lengths.recv(11, socket.MSG_WAITALL) == b'\0\0\0\7{"a":1}'


def test_a_peer_that_ended_only_its_own_side_still_gets_its_answers(server):
    with dial(server) as peer:
        peer.sendall(b'{"a":1}{"b":2}{"unfinished":')
        peer.shutdown(socket.SHUT_WR)
        assert [read_line(peer) for _ in range(3)] == [b'{"a":1}\n', b'{"b":2}\n', b'{"unfinished":\n']
        assert peer.recv(1) == b""


def test_a_peer_that_half_closed_and_waits_is_not_cancelled(server, echo):
    with dial(server) as peer:
        peer.sendall(b'{"wait":1}')
        peer.shutdown(socket.SHUT_WR)
        echo.waiting.acquire(timeout=10)
        echo.release.set()
        assert read_line(peer) == b'{"wait":1}\n'
    assert echo.cancelled == 0


def test_a_peer_that_goes_away_cancels_what_it_waits_for(server, echo):
    peer = dial(server)
    peer.sendall(b'{"wait":1}')
    assert echo.waiting.acquire(timeout=10)
    peer.close()
    echo.until(lambda echo: echo.cancelled == 1)
    echo.until(lambda echo: echo.closed == 1)


def test_a_waiting_call_does_not_delay_others(server, echo):
    with dial(server) as waits, dial(server) as other:
        waits.sendall(b'{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
        other.sendall(b"{}")
        assert read_line(other) == b"{}\n"
        echo.release.set()
        assert read_line(waits) == b'{"wait":1}\n'


def test_a_client_that_never_reads_does_not_delay_others(server):
    stuck = dial(server)
    stuck.setblocking(False)
    message = b'{"a":"' + b"x" * 100_000 + b'"}'
    try:
        for _ in range(50):
            stuck.send(message)
    except BlockingIOError:
        pass
    with stuck, dial(server) as other:
        other.sendall(b"{}")
        assert read_line(other) == b"{}\n"


def test_what_is_not_a_message_is_refused_and_the_next_one_answered(server):
    with dial(server) as peer:
        peer.sendall(b"nonsense\n{}")
        assert b"refused" in read_line(peer)
        assert read_line(peer) == b"{}\n"


def test_64_megabytes_are_refused_and_the_next_message_is_answered(server):
    with dial(server) as peer:
        peer.settimeout(60)
        chunk = b"x" * (1 << 20)
        peer.sendall(b'{"a":"')
        for _ in range(64):
            peer.sendall(chunk)
        peer.sendall(b'"}\n{}\n')
        assert b"refused" in read_line(peer)
        assert read_line(peer) == b"{}\n"


def test_fifty_clients_at_once_are_all_answered(server):
    failures = []

    def talk(number):
        try:
            with dial(server) as peer:
                for turn in range(40):
                    message = b'{"client":%d,"turn":%d}' % (number, turn)
                    peer.sendall(message)
                    assert read_line(peer) == message + b"\n"
        except (OSError, AssertionError) as error:
            failures.append(error)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_hundreds_of_clients_can_wait_at_the_door_at_once(tmp_path):
    with address.listen(tmp_path / "s"), contextlib.ExitStack() as stack:
        for _ in range(300):
            peer = stack.enter_context(socket.socket(socket.AF_UNIX))
            peer.setblocking(False)
            peer.connect(str(tmp_path / "s"))


def test_more_clients_than_allowed_are_turned_away(tmp_path, echo, capfd):
    with SocketServer(tmp_path / "s", echo, max_connections=2) as server:
        with dial(server) as one, dial(server) as two:
            one.sendall(b"{}")
            two.sendall(b"{}")
            assert read_line(one) == read_line(two) == b"{}\n"
            with dial(server) as three:
                assert three.recv(1) == b""
        echo.until(lambda echo: echo.closed == 2)
        wait_for(lambda: not server._connections)
        with SocketChannel(server.path, 5) as again:
            assert again.exchange(b"{}", 5) == b"{}"
    assert "2 clients are connected already" in capfd.readouterr().err


# -- the end ----------------------------------------------------------------------------------------


def test_closing_leaves_nothing_behind(tmp_path, echo):
    threads = set(threading.enumerate())
    handles = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    server = SocketServer(tmp_path / "s", echo)
    peers = [dial(server) for _ in range(3)]
    peers[0].sendall(b'{"wait":1}')
    assert echo.waiting.acquire(timeout=10)
    for peer in peers[1:]:
        peer.sendall(b"{}")
        read_line(peer)
    server.close()
    assert not server.path.exists()
    assert set(threading.enumerate()) <= threads
    for peer in peers:
        with peer:
            assert peer.recv(10) in (b"", b'{"wait":1}\n')
    assert len(os.listdir("/proc/self/fd")) == handles  # noqa: PTH208 - a count
    server.close()


def test_connections_that_ended_leave_no_handle_behind(server, echo):
    handles = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    for number in range(30):
        with dial(server) as peer:
            peer.sendall(b"{}")
            read_line(peer)
        echo.until(lambda echo, number=number: echo.closed == number + 1)
    wait_for(lambda: len(os.listdir("/proc/self/fd")) == handles)  # noqa: PTH208 - a count


def test_closing_does_not_remove_the_socket_of_another_server(tmp_path):
    first = SocketServer(tmp_path / "s", Echo())
    first.path.unlink()
    with SocketServer(tmp_path / "s", Echo()) as second:
        first.close()
        assert second.path.exists()


def test_an_idle_server_uses_no_time(server, echo):
    with dial(server), dial(server) as waits:
        waits.sendall(b'{"wait":1}{"more":1}')
        assert echo.waiting.acquire(timeout=10)
        waits.sendall(b'{"still more":1}')
        before = time.process_time()
        threading.Event().wait(0.5)
        assert time.process_time() - before < 0.1


# -- the client -------------------------------------------------------------------------------------


@pytest.mark.parametrize("framing", ["text", "length"])
def test_a_channel_exchanges_messages(server, framing):
    with SocketChannel(server.path, 5, framing=framing) as channel:
        long = b'{"a":"' + b"x" * 3_000_000 + b'"}'
        assert channel.exchange(b'{"a":1}', 5) == b'{"a":1}'
        assert channel.exchange(b'{"quiet":1}', 5, reply=False) == b""
        assert channel.exchange(long, 20) == long


def test_a_channel_may_be_used_by_many_threads(server):
    results = []
    with SocketChannel(server.path, 5) as channel:

        def talk(number):
            message = b'{"n":%d}' % number
            results.append(channel.exchange(message, 10) == message)

        threads = [threading.Thread(target=talk, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [True] * 20


def test_an_exchange_ends_at_its_deadline_and_the_channel_with_it(server, echo):
    with SocketChannel(server.path, 5) as channel:
        with pytest.raises(TimeoutError, match=r"did not answer within 0\.1 s"):
            channel.exchange(b'{"wait":1}', 0.1)
        with pytest.raises(ChannelClosed):
            channel.exchange(b"{}", 5)
    echo.until(lambda echo: echo.cancelled == 1)


def test_closing_a_channel_ends_an_exchange_in_another_thread(server, echo):
    channel = SocketChannel(server.path, 5)
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


def test_a_channel_says_that_the_server_went_away(tmp_path):
    server = SocketServer(tmp_path / "s", Echo())
    with SocketChannel(server.path, 5) as channel:
        server.close()
        with pytest.raises(ChannelClosed):
            channel.exchange(b"{}", 5)


def test_a_missing_server_is_reported_with_what_to_do(tmp_path):
    with pytest.raises(CannotConnect, match="does the program run"):
        SocketChannel(tmp_path / "nothing", 1)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(tmp_path / "stale"))
    with pytest.raises(CannotConnect, match="has ended"):
        SocketChannel(tmp_path / "stale", 1)
    with pytest.raises(BadAddress):
        SocketChannel("x" * 200, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_a_socket_without_permission_is_reported(server):
    server.path.chmod(0)
    with pytest.raises(NotAllowed):
        SocketChannel(server.path, 1)
