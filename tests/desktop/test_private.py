"""A private desktop has all that programs need, and leaves nothing behind, whatever part of it dies."""

from __future__ import annotations

import errno
import os
import queue
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deskhand import x11
from deskhand.desktop.private import Desktop, _next, parse_size, run_on_desktop
from deskhand.model.errors import (
    AccessibilityUnavailable,
    ConnectFailed,
    InvalidParams,
    LaunchFailed,
    MissingProgram,
)
from tests.traces import TIMEOUT, Parent, parent, until, until_nothing, without_rights

PARENT = """
import json, sys
from deskhand.desktop.private import Desktop
with Desktop() as desktop:
    app = desktop.spawn(["sh", "-c", "setsid sleep 1001 & sleep 1002"])
    facts = {"supervisor": desktop.supervisor.pid, "app": app.pid, "number": int(desktop.display[1:])}
    print(json.dumps(facts), flush=True)
    if sys.stdin.readline() == "failed?\\n":
        app.wait(20)
        desktop.supervisor._over.wait(20)
        print(json.dumps({"failed": desktop.failed}), flush=True)
        sys.stdin.read()
"""

PARTS = {
    "the display": "Xvfb",
    "the session bus": "dbus-daemon --session",
    "the window manager": "openbox",
    "the accessibility service": "/usr/libexec/at-spi-bus-launcher",
    "the accessibility bus": "/usr/bin/dbus-daemon --config-file=/usr/share/defaults/at-spi2",
}


@pytest.fixture(scope="module")
def desktop():
    with Desktop() as desktop:
        yield desktop


def left(process: Parent, number: int) -> dict[str, object]:
    """Its traces, with those that a display leaves outside of the temp folder."""
    traces = process.left()
    paths = (x11.socket_path(number), x11.lock_path(number), *x11.keymap_paths(number))
    files = [str(path) for path in paths if path.exists()]
    return {**traces, "display": files} if files else traces


def part(process: Parent, command: str) -> int:
    return until(lambda: process.pid_of(command))


def ask(desktop: Desktop, script: str) -> str:
    """What a shell script on the desktop prints."""
    answer = subprocess.run(
        ["sh", "-c", script], env=desktop.env, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def stub(folder: Path, name: str, script: str) -> dict[str, str]:
    """An environment in which a program is replaced by a shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


# Coming up


def test_a_window_manager_runs(desktop):
    with x11.Connection(int(desktop.display[1:]), desktop._cookie) as x:
        (check,) = struct.unpack("<I", x.property("_NET_SUPPORTING_WM_CHECK"))
    assert check


def test_it_has_the_size_that_was_asked_for():
    with Desktop((640, 480)) as small:
        screenshot = small.screenshot()
    assert struct.unpack(">II", screenshot[16:24]) == (640, 480)


def test_the_pointer_is_out_of_the_way():
    with Desktop((640, 480)) as small, x11.Connection(int(small.display[1:]), small._cookie) as x:
        query_pointer = struct.pack("<BBHI", 38, 0, 2, x.root)
        assert struct.unpack_from("<hh", x.ask(query_pointer)[0], 16) == (639, 479)


def test_a_window_can_be_seen_in_a_screenshot(desktop, tmp_path):
    code = """
from PySide6.QtWidgets import QApplication, QLabel
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtCore import QTimer
app = QApplication([])
label = QLabel("private")
label.setStyleSheet("background: rgb(10, 200, 30); font-size: 40px")
label.resize(300, 200)
label.show()
facts = QGuiApplication.platformName(), len(QFontDatabase.families()) > 0
QTimer.singleShot(0, lambda: print(*facts, flush=True))
app.exec()
"""
    log = tmp_path / "log"
    app = desktop.spawn([sys.executable, "-c", code], stdout=log, stderr=log)
    try:
        until(lambda: "xcb True" in app.tail() or app.poll() is not None)
        assert app.poll() is None, app.tail()
        green = bytes((10, 200, 30))
        until(lambda: pixels(desktop.screenshot()).count(green) > 30_000)
    finally:
        app.kill()


def pixels(screenshot: bytes) -> bytes:
    """The uncompressed lines of a PNG that has one block of data."""
    start = screenshot.index(b"IDAT")
    (length,) = struct.unpack(">I", screenshot[start - 4 : start])
    return zlib.decompress(screenshot[start + 4 : start + 4 + length])


def test_the_accessibility_bus_is_up_and_announced(desktop):
    call = "dbus-send --session --print-reply=literal --dest=org.a11y.Bus /org/a11y/bus"
    assert ask(desktop, f"{call} org.a11y.Bus.GetAddress") == desktop.a11y_address
    for name in ("IsEnabled", "ScreenReaderEnabled"):
        get = f"{call} org.freedesktop.DBus.Properties.Get string:org.a11y.Status string:{name}"
        assert "boolean true" in ask(desktop, get)
    with x11.Connection(int(desktop.display[1:]), desktop._cookie) as x:
        assert x.property("AT_SPI_BUS").decode() == desktop.a11y_address
    registry = "dbus-send --bus=$A --print-reply --dest=org.a11y.atspi.Registry /org/a11y/atspi/registry"
    assert "array" in ask(
        desktop, f"A='{desktop.a11y_address}'; {registry} org.a11y.atspi.Registry.GetRegisteredEvents"
    )


def test_the_accessibility_address_is_announced_on_the_root_window(tmp_path):
    env = stub(tmp_path, "dbus-send", "echo '   unix:path=/somewhere,guid=1'")
    with Desktop(env=env) as short, x11.Connection(int(short.display[1:]), short._cookie) as x:
        assert x.property("AT_SPI_BUS") == b"unix:path=/somewhere,guid=1"


def test_home_and_all_xdg_folders_are_private(desktop):
    for name in (
        "HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
    ):
        assert Path(desktop.env[name]).is_relative_to(desktop.folder)
    assert Path(desktop.env["XDG_RUNTIME_DIR"]).stat().st_mode & 0o777 == 0o700
    assert desktop.bus_address.startswith(f"unix:path={desktop.env['XDG_RUNTIME_DIR']}/bus")


def test_nothing_of_the_desktop_around_it_leaks_in(monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("AT_SPI_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    with Desktop(env={"MINE": "1"}) as inner:
        assert "WAYLAND_DISPLAY" not in inner.env
        assert "AT_SPI_BUS_ADDRESS" not in inner.env
        assert inner.env["QT_QPA_PLATFORM"] == "xcb"
        assert inner.env["MINE"] == "1"


def test_packages_installed_for_the_user_are_still_found(desktop):
    where = "import site; print(site.getusersitepackages())"
    outside = subprocess.run(
        [sys.executable, "-c", where], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert ask(desktop, f"'{sys.executable}' -c '{where}'") == outside


def test_a_stranger_without_the_cookie_is_refused(desktop):
    with pytest.raises(ConnectFailed, match="refused"):
        x11.Connection(int(desktop.display[1:]), bytes(16))


def test_the_display_number_is_reserved_for_as_long_as_it_lives():
    with Desktop() as short:
        number = int(short.display[1:])
        assert x11.lock_path(number).read_text() == f"{short.supervisor.pid:>10}\n"
        answer = subprocess.run(["Xvfb", short.display], capture_output=True, text=True, timeout=TIMEOUT)
        assert answer.returncode != 0
    assert not x11.lock_path(number).exists()


def test_a_display_number_whose_socket_has_another_owner_is_left_alone(monkeypatch):
    with Desktop() as first:
        taken = int(first.display[1:])
        # As in a container that shares the sockets, but neither the lock files nor the network.
        x11.lock_path(taken).rename(first.folder / "lock")
        free = taken + 1 if taken + 1 < 60000 else taken - 1
        monkeypatch.setattr("deskhand.desktop.private._numbers", lambda: iter([taken, free]))
        with Desktop() as second:
            assert second.display == f":{free}"
        assert x11.socket_path(taken).exists()
        (first.folder / "lock").rename(x11.lock_path(taken))
        assert first.screenshot()
    assert not x11.socket_path(taken).exists()


def test_eight_live_side_by_side():
    with ThreadPoolExecutor(8) as pool:
        desktops = list(pool.map(lambda _: Desktop((320, 240)).start(), range(8)))
        try:
            assert len({desktop.display for desktop in desktops}) == 8
            assert len({desktop.a11y_address for desktop in desktops}) == 8
            for desktop in desktops:
                assert desktop.failed is None
                assert desktop.screenshot()
        finally:
            list(pool.map(Desktop.close, desktops))
    assert not any(desktop.folder.exists() for desktop in desktops)


def test_it_works_for_a_user_without_rights_and_home():
    code = "from deskhand import Desktop\nwith Desktop() as desktop: print(len(desktop.screenshot()))"
    with parent(code, env={"HOME": "/nonexistent"}, **without_rights()) as process:
        assert process.says()
        assert process.popen.wait(TIMEOUT) == 0
        assert process.left() == {}


# Not coming up


def test_a_missing_program_is_named_with_its_package(tmp_path):
    for name in ("Xvfb", "dbus-daemon", "dbus-send"):
        (tmp_path / name).symlink_to(shutil.which(name))
    with pytest.raises(MissingProgram, match=r"needs 'openbox'.*apt install openbox") as caught:
        Desktop(env={"PATH": str(tmp_path)}).start()
    assert caught.value.details == {"missing": ["openbox"], "package": "openbox"}


def test_all_missing_programs_are_named_at_once(tmp_path):
    with pytest.raises(MissingProgram) as caught:
        Desktop(env={"PATH": str(tmp_path)}).start()
    assert caught.value.details["package"] == "xvfb dbus openbox"


def test_a_missing_accessibility_service_is_named_with_its_package(tmp_path):
    env = stub(
        tmp_path, "dbus-send", "echo 'Error org.freedesktop.DBus.Error.ServiceUnknown: no' >&2; exit 1"
    )
    with pytest.raises(MissingProgram, match="apt install at-spi2-core"):
        Desktop(env=env).start()


def test_an_accessibility_service_that_fails_is_reported(tmp_path):
    env = stub(tmp_path, "dbus-send", "echo 'it broke' >&2; exit 1")
    with pytest.raises(AccessibilityUnavailable, match="it broke"):
        Desktop(env=env).start()


@pytest.mark.parametrize("name", ["Xvfb", "dbus-daemon", "openbox"])
def test_what_a_failing_part_said_is_in_the_error(name, tmp_path):
    desktop = Desktop(env=stub(tmp_path, name, "echo 'no luck today' >&2; exit 3"))
    with pytest.raises(LaunchFailed, match=rf"(?s){name} .*no luck today"):
        desktop.start()
    assert not desktop.folder.exists()


def test_the_part_that_failed_is_named_and_not_those_that_ended_because_of_it(tmp_path):
    stub(tmp_path, "dbus-daemon", "exec sleep 1000")
    env = stub(tmp_path, "Xvfb", "echo 'no luck today' >&2; exit 3")
    with pytest.raises(LaunchFailed, match=r"Xvfb ended with exit code 3; it said: no luck today"):
        Desktop(env=env).start()


# In the order in which they are waited for: those before it must be up in time for it to be named.
@pytest.mark.parametrize(("name", "timeout"), [("dbus-daemon", 0.2), ("Xvfb", 3.0), ("openbox", 6.0)])
def test_a_part_that_hangs_costs_no_more_than_the_timeout(name, timeout, tmp_path):
    desktop = Desktop(env=stub(tmp_path, name, "exec sleep 1000"), timeout=timeout)
    started = time.monotonic()
    with pytest.raises(LaunchFailed, match=name):
        desktop.start()
    assert time.monotonic() - started < timeout + 4.3
    assert not desktop.folder.exists()


def test_a_window_manager_that_no_thread_can_start_again_is_named(monkeypatch, tmp_path):
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "deskhand-desktop":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(LaunchFailed, match=r"openbox ended with exit code 3"):
        Desktop(env=stub(tmp_path, "openbox", "exit 3"), timeout=3.0).start()


@pytest.mark.parametrize("size", [(0, 800), (1280, 40000)])
def test_an_impossible_size_is_refused(size):
    with pytest.raises(InvalidParams):
        Desktop(size)


def test_sizes_are_read():
    assert parse_size("1024x768") == (1024, 768)
    for text in ("1024", "x", "1024x", "-1x5", "axb"):
        with pytest.raises(InvalidParams, match="1280x800"):
            parse_size(text)


# Ending


def test_closing_leaves_nothing():
    with parent(PARENT) as process:
        number = process.says()["number"]
        part(process, "sleep 1001")
        assert process.asks_to_end() == 0
        assert left(process, number) == {}


@pytest.mark.parametrize("name", ["the display", "the session bus"])
def test_a_vital_part_that_is_killed_takes_everything_along(name):
    with parent(PARENT) as process:
        number = process.says()["number"]
        part(process, "sleep 1001")
        os.kill(part(process, PARTS[name]), signal.SIGKILL)
        until_nothing(lambda: left(process, number))
        process.popen.stdin.write("failed?\n")
        process.popen.stdin.flush()
        assert process.says()["failed"].endswith("was ended by SIGKILL")


@pytest.mark.parametrize("name", ["the accessibility service", "the accessibility bus", "the window manager"])
def test_any_other_part_that_is_killed_leaves_programs_alone_and_nothing_behind(name):
    with parent(PARENT) as process:
        facts = process.says()
        killed = part(process, PARTS[name])
        os.kill(killed, signal.SIGKILL)
        until(lambda: killed not in process.processes())
        assert facts["app"] in process.processes()
        assert process.asks_to_end() == 0
        assert left(process, facts["number"]) == {}


@pytest.mark.parametrize("who", ["supervisor", "parent"])
def test_a_killed_supervisor_or_parent_leaves_nothing(who):
    with parent(PARENT) as process:
        facts = process.says()
        part(process, "sleep 1001")
        os.kill(process.pid if who == "parent" else facts["supervisor"], signal.SIGKILL)
        until_nothing(lambda: left(process, facts["number"]))


def test_what_a_killed_supervisor_and_parent_left_is_removed_at_the_next_start():
    with parent(PARENT) as process:
        facts = process.says()
        part(process, "sleep 1001")
        process.kill_with(facts["supervisor"])
        until(lambda: not process.pid_of("Xvfb"))
        assert left(process, facts["number"]).keys() == {"processes", "files", "display"}
        env = {**os.environ, "TMPDIR": str(process.folder)}
        subprocess.run(
            [sys.executable, "-c", "from deskhand.processes.children import sweep; sweep()"],
            env=env,
            check=True,
        )
        assert left(process, facts["number"]) == {}


@pytest.mark.parametrize("moment", ["supervisor", "Xvfb", "openbox", "/usr/libexec/at-spi-bus-launcher"])
def test_a_parent_killed_while_the_desktop_comes_up_leaves_nothing(moment):
    displays = set(x11.SOCKETS.parent.glob(".X*-lock"))
    with parent(PARENT) as process:
        until(lambda: process.processes() if moment == "supervisor" else process.pid_of(moment))
        lines = process.processes()
        supervisors = [pid for pid, line in lines.items() if "supervisor.py" in line]
        numbers = [int(line.split()[1][1:]) for line in lines.values() if line.startswith("Xvfb :")]
        process.kill()
        until_nothing(process.left)
        mine = {f"{pid:>10}\n" for pid in supervisors}
        assert not [
            path for path in set(x11.SOCKETS.parent.glob(".X*-lock")) - displays if text(path) in mine
        ]
        keymaps = [path for number in numbers for path in x11.keymap_paths(number)]
        assert not [path for path in keymaps if path.exists()]


def test_a_supervisor_killed_while_a_display_number_is_taken_leaves_no_lock(monkeypatch):
    desktop = Desktop()
    clean, locks = desktop.supervisor.clean, []

    def clean_and_kill(paths: list[Path], *, lock: tuple[Path, str]) -> None:
        clean(paths, lock=lock)
        locks.append(lock[0])
        if not desktop.failed:
            os.kill(desktop.supervisor.pid, signal.SIGKILL)
            until(lambda: desktop.supervisor._over.is_set())

    monkeypatch.setattr(desktop.supervisor, "clean", clean_and_kill)
    with pytest.raises(LaunchFailed, match=r"did not come up: the supervisor .* was ended by SIGKILL"):
        desktop.start()
    assert locks
    assert not [path for path in locks if path.exists()]


def test_a_display_that_ends_before_it_has_read_its_keyboard_layout_leaves_no_file(tmp_path):
    env = stub(tmp_path, "Xvfb", 'touch "/tmp/server-${1#:}.xkm"; echo "made it" >&2; exit 3')
    desktop = Desktop(env=env)
    with pytest.raises(LaunchFailed, match="made it"):
        desktop.start()
    assert not Path(f"/tmp/server-{desktop.display[1:]}.xkm").exists()


def text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_a_killed_window_manager_is_started_again(desktop):
    first = desktop._window_manager
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: desktop._window_manager is not first)
    with x11.Connection(int(desktop.display[1:]), desktop._cookie) as x:
        until(lambda: x.property("_OPENBOX_PID") == struct.pack("<I", desktop._window_manager.pid))


def test_a_window_manager_that_keeps_ending_ends_the_desktop():
    with Desktop() as short:
        for _ in range(4):
            manager = short._window_manager
            os.kill(manager.pid, signal.SIGKILL)
            until(lambda ended=manager: short._window_manager is not ended or short.failed)
        assert short.failed == "openbox ended 4 times, at last it was ended by SIGKILL"
        until(lambda: not short.folder.exists())


# The command


RUN = "import sys; from deskhand.desktop.private import run_on_desktop; sys.exit(run_on_desktop({!r}))"


def command(*argv: str) -> str:
    return RUN.format(list(argv))


def test_a_command_has_our_streams_and_gives_its_exit_code():
    code = command("sh", "-c", 'read word; echo "$word on $DISPLAY"; echo bad >&2; exit 7')
    answer = subprocess.run([sys.executable, "-c", code], input="bread\n", capture_output=True, text=True)
    assert answer.returncode == 7
    assert answer.stdout.startswith("bread on :")
    assert answer.stderr == "bad\n"


def test_a_command_ended_by_a_signal_gives_128_and_more():
    assert run_on_desktop(["sh", "-c", "kill -9 $$"]) == 128 + 9


def test_a_command_that_is_not_there_gives_127(capfd):
    assert run_on_desktop(["no-such-command"]) == 127
    assert run_on_desktop(["/no/such/command"]) == 127
    assert "cannot start 'no-such-command': no such program on PATH" in capfd.readouterr().err


def test_a_command_that_cannot_be_run_gives_126(capfd):
    assert run_on_desktop(["/etc/passwd"]) == 126
    assert os.strerror(errno.EACCES) in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_all(number):
    with parent(command("sh", "-c", "echo '{}'; setsid sleep 1001 & sleep 1002")) as process:
        process.says()
        part(process, "sleep 1001")
        process.popen.send_signal(number)
        assert process.popen.wait(TIMEOUT) == 128 + number
        assert process.left() == {}


def test_a_command_may_answer_a_signal_with_its_own_exit_code():
    with parent(command("sh", "-c", "trap 'exit 5' INT; echo '{}'; sleep 1001 & wait")) as process:
        process.says()
        process.popen.send_signal(signal.SIGINT)
        assert process.popen.wait(TIMEOUT) == 5


def test_a_second_signal_does_not_wait_for_the_command():
    with parent(command("sh", "-c", "trap '' INT; echo '{}'; while :; do sleep 1001; done")) as process:
        process.says()
        started = time.monotonic()
        process.popen.send_signal(signal.SIGINT)
        until(lambda: not process.pid_of("sleep 1001") or time.monotonic() - started > 0.3)
        process.popen.send_signal(signal.SIGINT)
        assert process.popen.wait(TIMEOUT) == 128 + signal.SIGINT
        assert time.monotonic() - started < 4.5
        assert process.left() == {}


def test_the_end_of_the_desktop_is_reported_and_gives_1():
    script = command("sh", "-c", "echo '{}'; sleep 1001")
    with parent(script, stderr=subprocess.PIPE) as process:
        process.says()
        os.kill(part(process, "Xvfb"), signal.SIGKILL)
        assert process.popen.wait(TIMEOUT) == 1
        assert "the private desktop ended: Xvfb" in process.popen.stderr.read()
        assert process.left() == {}


def test_what_a_command_leaves_running_ends_with_it():
    with parent(command("sh", "-c", "setsid sleep 1001 >/dev/null & echo '{}'")) as process:
        process.says()
        assert process.popen.wait(TIMEOUT) == 0
        assert process.left() == {}


@pytest.fixture
def displays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for sockets and locks of displays, so that those of the machine are left alone."""
    sockets = tmp_path / ".X11-unix"
    sockets.mkdir()
    monkeypatch.setattr(x11, "SOCKETS", sockets)
    return sockets


def _locked(number: int, pid: int, age: float) -> tuple[Path, Path]:
    lock, socket_ = x11.lock_path(number), x11.socket_path(number)
    lock.write_text(f"{pid:>10}\n")
    os.utime(lock, (time.time() - age,) * 2)
    socket_.touch()
    return lock, socket_


def test_what_displays_left_that_were_killed_with_their_supervisors_is_removed(displays: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = _locked(2000, ended.pid, 100)
    new = _locked(2001, ended.pid, 1)
    runs = _locked(2002, os.getpid(), 100)
    another = _locked(99, ended.pid, 100)
    served = _locked(2003, ended.pid, 100)
    served[1].unlink()
    with socket.socket(socket.AF_UNIX) as display:
        display.bind(str(served[1]))
        display.listen()
        x11.remove_dead(range(1000, 3000), 60)

    assert not any(path.exists() for path in left)
    assert all(path.exists() for kept in (new, runs, another, served) for path in kept)


def test_a_signal_that_interrupts_no_waiting_is_noticed_all_the_same() -> None:
    inbox: queue.SimpleQueue[int | None] = queue.SimpleQueue()

    def raise_it() -> None:
        # In this thread, as if it had come just before the main one began to wait: nothing wakes that up.
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda number, _: inbox.put(number))
    try:
        threading.Timer(0.3, raise_it).start()
        assert _next(inbox) == signal.SIGUSR1
    finally:
        signal.signal(signal.SIGUSR1, before)
