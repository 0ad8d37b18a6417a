"""What another user has prepared is neither trusted nor in the way, for root as little as for others."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskhand import expect, launch, x11
from deskhand.desktop.private import Desktop
from deskhand.model.errors import ActionFailed, ConnectFailed, LaunchFailed
from deskhand.serving.endpoints import open_log
from deskhand.transports import address
from deskhand.transports import socket as sockets
from deskhand.transports.interface import AddressInUse, NotAllowed
from deskhand.transports.socket import SocketChannel
from tests.security.other_user import MAY_SWITCH, PYTHON, UID

SERVE = """
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("ready", flush=True)
server.accept()[0].recv(1)
"""


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder like /tmp, that all users may enter and write to."""
    folder = Path("/tmp") / f"dh{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o1777)
    yield folder
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


@contextmanager
def served_by_other(path: Path) -> Iterator[None]:
    """A socket that another user serves; of who may not become another user, our own."""
    options = {"user": UID, "group": UID, "extra_groups": []} if MAY_SWITCH else {}
    command = [PYTHON, "-I", "-S", "-c", SERVE, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd="/", **options) as process:  # type: ignore[call-overload]  # as above
        assert process.stdout.readline() == b"ready\n"
        yield
        process.kill()


def be_another(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """Who may not give files away becomes another user than their owner."""
    if not MAY_SWITCH:
        monkeypatch.setattr(module, "geteuid", lambda: os.getuid() + 1)


def test_a_client_does_not_trust_the_socket_of_another_user(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_another(monkeypatch, sockets.os)
    with served_by_other(shared / "gip"), pytest.raises(NotAllowed, match="belongs to user"):
        SocketChannel(shared / "gip", 20)


def test_a_socket_that_another_user_left_behind_is_not_removed(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shared / "gip"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    if MAY_SWITCH:
        os.chown(path, UID, UID)
    be_another(monkeypatch, address.os)
    with pytest.raises(AddressInUse, match="another user"):
        address.vacate(path)
    assert path.exists()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_wire_log_is_not_written_where_another_user_waits_for_it(
    shared: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = shared / "wire.log", tmp_path / "target"
    if kind == "file":
        path.touch()
    else:
        target.touch()
        path.symlink_to(target)
    if MAY_SWITCH:
        os.chown(path, UID, UID, follow_symlinks=False)
    be_another(monkeypatch, os)

    # Some kernels refuse such links by themselves.
    with pytest.raises(ActionFailed, match=r"user|Permission denied"):
        open_log(path)

    assert (target if kind == "link" else path).read_bytes() == b""


def test_a_wire_log_may_be_a_link_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    log = open_log(tmp_path / "link")
    assert log is not None
    log.close()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600


# -- display numbers ----------------------------------------------------------------------------------


@pytest.fixture
def few_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Displays have few numbers; their files are elsewhere until the display itself is to be started."""
    monkeypatch.setattr("deskhand.desktop.private._DISPLAYS", range(58000, 58007))
    return tmp_path


def test_display_numbers_that_others_have_taken_are_passed_over(few_numbers: Path) -> None:
    locks = [x11.lock_path(number) for number in range(58000, 58006)]
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{x11.socket_path(58000)}")
        abstract.listen()
        for lock in locks[1:]:
            lock.write_text("         1\n")
        try:
            with Desktop() as desktop:
                assert desktop.display == ":58006"
        finally:
            for lock in locks[1:]:
                lock.unlink()


def test_that_all_display_numbers_are_taken_is_an_error_that_says_by_what(few_numbers: Path) -> None:
    locks = [x11.lock_path(number) for number in range(58000, 58007)]
    for lock in locks:
        lock.write_text("         1\n")
    try:
        # With a /tmp of its own, a display does not see them.
        with pytest.raises(LaunchFailed, match=r"58000 to 58006 is taken.*-lock"):
            Desktop(tmp="shared").start()
    finally:
        for lock in locks:
            lock.unlink()


SQUAT = """
import socket, sys
held = []
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    with open(f"/tmp/.X{number}-lock", "w") as lock:
        lock.write("         1\\n")
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"/tmp/.X11-unix/X{number}")
    server.listen()
    held.append(server)
print("ready", flush=True)
sys.stdin.read()
"""
# Numbers that no desktop of another test takes, and other ones in each worker: all use the same folder.
_FIRST = 100 * (1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
SQUATTED = range(_FIRST, _FIRST + 100)


@pytest.fixture
def squatted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Path, int]]:
    """All numbers that a display may have are taken by files and sockets of another user: their inodes."""
    monkeypatch.setattr("deskhand.desktop.private._DISPLAYS", SQUATTED)
    options = {"user": UID, "group": UID, "extra_groups": []} if MAY_SWITCH else {}
    command = [PYTHON, "-I", "-S", "-c", SQUAT, str(SQUATTED[0]), str(SQUATTED[-1] + 1)]
    taken = [place(number) for number in SQUATTED for place in (x11.lock_path, x11.socket_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd="/", **pipes, **options) as process:  # type: ignore[call-overload]  # as above
        try:
            assert process.stdout.readline() == b"ready\n"
            yield {path: path.lstat().st_ino for path in taken}
        finally:
            process.kill()
            for path in taken:
                path.unlink(missing_ok=True)


def test_a_desktop_starts_although_another_user_has_taken_all_display_numbers_by_files(
    squatted: dict[Path, int],
) -> None:
    with Desktop() as desktop, launch(["galculator"], desktop=desktop) as app:
        number = int(desktop.display[1:])
        assert number in SQUATTED
        assert desktop.tmp is not None
        assert (desktop.tmp / x11.SOCKETS.name / f"X{number}").is_socket()
        found = subprocess.run(
            ["xdotool", "search", "--name", "galculator"], env=desktop.env, capture_output=True, timeout=60
        )
        assert found.stdout.split(), found.stderr
        app.locator('[name="7"]').click()
        expect(app.locator("editable-text")).to_have_text("7")
        assert desktop.screenshot().startswith(b"\x89PNG")
    assert {path: path.lstat().st_ino for path in squatted} == squatted


def test_a_connection_to_a_display_passes_over_the_socket_of_another_user(
    squatted: dict[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    number, cookie = SQUATTED[0], b"0123456789abcdef"
    if not MAY_SWITCH:
        monkeypatch.setattr(x11, "_is_trusted", lambda peer: isinstance(peer.getpeername(), bytes))
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0{x11.socket_path(number)}")
        own.listen()
        own.settimeout(30)
        with pytest.raises(ConnectFailed):  # what listens there never answers
            x11.Connection(number, cookie, 1.0)
        seen, _ = own.accept()
        with seen:
            assert cookie in seen.recv(1000)


def test_every_display_number_is_tried_once() -> None:
    from deskhand.desktop.private import _DISPLAYS, _numbers

    assert sorted(_numbers()) == list(_DISPLAYS)
