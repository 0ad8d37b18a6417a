"""Who may speak with the agent, and what becomes of callers when the JVM is stopped or ends."""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from deskhand.adapters.javafx.adapter import JavaFxAdapter
from deskhand.adapters.javafx.keyboard import stroke
from deskhand.inject import jvm
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, ConnectFailed, DeskhandError, InvalidKey, UiBusy, Unauthorized
from tests.traces import stopped

from .conftest import Program, read_until


@pytest.fixture(scope="module")
def zoo(start: Callable[..., Program]) -> Program:
    """As on Java 11 to 15, which have no Unix sockets, on a dense screen, and with little memory."""
    return start("-Ddeskhand.tcp=true", "-Dglass.gtk.uiScale=2", "-Xmx64m")


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="deskhand-zoo.") as path:
        yield Path(path)


def test_without_unix_sockets_a_secret_is_asked_for(zoo: Program) -> None:
    (file,) = zoo.folder.glob("*.tcp")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    address, secret = file.read_text().split()
    assert address.startswith("127.0.0.1:")
    for wrong in (None, "", "guessed"):
        with pytest.raises(AppGone):
            JavaFxAdapter(address, wrong).close()
    adapter = JavaFxAdapter(address, secret)
    assert adapter.info().framework == "JavaFX"
    adapter.close()


def test_a_screenshot_has_all_the_pixels_of_a_dense_screen(zoo: Program) -> None:
    image = zoo.app.run(ops.Screenshot("#canvas"))
    assert (image.width, image.height, image.scale) == (120, 120, 2)
    window = zoo.app.run(ops.Screenshot())
    bounds = zoo.app.windows()[0].bounds
    assert bounds is not None
    assert (window.width, window.height) == (bounds.width * 2, bounds.height * 2)


def test_an_invalid_message_ends_only_that_connection(zoo: Program) -> None:
    (file,) = zoo.folder.glob("*.tcp")
    host, _, port = file.read_text().split()[0].partition(":")
    head = b"\0\0\0\x02\0\0\0\0"
    for bytes_ in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 8, head + b"[]", head + b"{{"):
        with socket.create_connection((host, int(port)), 5) as channel:
            channel.sendall(bytes_)
            with suppress(ConnectionResetError):  # what was not read is thrown away
                assert channel.recv(1) == b""
    assert zoo.adapter.info().title == "Zoo"


def test_a_length_that_is_only_announced_takes_no_memory(zoo: Program) -> None:
    (file,) = zoo.folder.glob("*.tcp")
    host, _, port = file.read_text().split()[0].partition(":")

    def memory() -> int:
        """What the program uses, in MB."""
        status = Path(f"/proc/{zoo.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) // 1024

    before = memory()
    with ExitStack() as stack:
        for _ in range(20):
            channel = stack.enter_context(socket.create_connection((host, int(port)), 5))
            channel.sendall((16 << 20).to_bytes(4, "big") + bytes(4) + b"{")
        for _ in range(20):
            zoo.adapter.read(timeout=30)
        assert memory() - before < 150


def test_an_unknown_request_is_refused(zoo: Program) -> None:
    with pytest.raises(DeskhandError, match="does not know 'dance'"):
        zoo.adapter._link.ask("dance", 5)
    with pytest.raises(DeskhandError, match="must be a number"):
        zoo.adapter._link.ask("read", 5, depth="deep")


def test_errors_quote_only_the_beginning_of_a_long_text(zoo: Program) -> None:
    with pytest.raises(DeskhandError, match=r"does not know 'x{200}… ") as caught:
        zoo.adapter._link.ask("x" * 1_000_000, 5)
    assert len(str(caught.value)) < 300


def test_a_request_that_is_too_long_for_the_heap_is_refused(zoo: Program) -> None:
    with pytest.raises(DeskhandError, match="too long for this JVM"):
        zoo.adapter._link.ask("perform", 5, uid="u-1", action="set_value", value="x" * 12_000_000)
    assert zoo.adapter.info().title == "Zoo"


def test_long_requests_that_wait_do_not_take_the_memory_of_the_program(zoo: Program) -> None:
    (file,) = zoo.folder.glob("*.tcp")
    address, secret = file.read_text().split()
    host, _, port = address.partition(":")

    def message(**fields: object) -> bytes:
        text = json.dumps(fields, ensure_ascii=False).encode()
        return struct.pack(">II", len(text), 0) + text

    sent = [message(id=number, ask="state", timeout=60.0, x="€" * 400_000) for number in range(60)]
    with socket.create_connection((host, int(port)), 60) as channel:
        channel.sendall(message(secret=secret))
        zoo.app.locator("#wedge").activate()
        with pytest.raises(UiBusy):
            read_until(zoo.adapter, 0.2)
        with channel.makefile("rb") as answers, ThreadPoolExecutor() as pool:
            pool.submit(channel.sendall, b"".join(sent))
            found = []
            for _ in sent:
                found.append(json.loads(answers.read(struct.unpack(">II", answers.read(8))[0])))
    assert sorted(answer["id"] for answer in found) == list(range(60))
    refused = [answer["error"]["message"] for answer in found if "error" in answer]
    assert 0 < len(refused) < 60
    assert all("too long for this JVM" in message for message in refused)
    assert zoo.adapter.info().title == "Zoo"


def test_the_agent_listens_in_a_further_folder_when_loaded_again(zoo: Program, folder: Path) -> None:
    jvm.inject(zoo.process.pid, folder, 10)
    (agent,) = jvm.listening(folder)
    adapter = JavaFxAdapter(agent.address, agent.secret, agent.pid)
    assert adapter.info().pid == zoo.process.pid
    adapter.close()


def test_the_agent_does_not_listen_where_others_could_come_in(zoo: Program, folder: Path) -> None:
    folder.chmod(0o755)
    with pytest.raises(DeskhandError):
        jvm.inject(zoo.process.pid, folder, 10)
    assert not list(folder.iterdir())


def test_a_socket_of_another_user_is_not_spoken_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = str(folder / "1.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        with pytest.raises(Unauthorized, match=f"process {os.getpid()}"):
            JavaFxAdapter(address, pid=1)
        ours = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: ours + 1)
        with pytest.raises(Unauthorized, match=f"user {ours}"):
            JavaFxAdapter(address)
    with pytest.raises(ConnectFailed):
        JavaFxAdapter(str(folder / "2.sock"))


def test_keys_that_javafx_does_not_have_are_reported() -> None:
    assert stroke("shift+tab") == {"code": "TAB", "text": None, "modifiers": ["shift"]}
    assert stroke("ctrl+s") == {"text": "s", "modifiers": ["ctrl"]}
    with pytest.raises(InvalidKey):
        stroke("back")


def test_a_stopped_jvm_is_busy_and_a_killed_one_is_gone(zoo: Program) -> None:
    with stopped(zoo.process.pid), pytest.raises(UiBusy):
        zoo.adapter.read(depth=0, timeout=0.1)
    zoo.adapter.read(depth=0, timeout=10)
    zoo.process.kill()
    with pytest.raises(AppGone) as caught:
        read_until(zoo.adapter, 5)
    assert caught.value.details["pid"] == zoo.process.pid
    with pytest.raises(AppGone):
        zoo.adapter.idle(timeout=1)
    assert zoo.adapter.info().title == "Zoo"
