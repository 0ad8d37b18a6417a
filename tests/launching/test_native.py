"""Programs written in C++: an agent gets into those that it can enter, and the others run on undisturbed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypno import inject_py

from deskhand import App, Desktop, attach, connect, expect, launch
from deskhand.inject import elf, preload
from deskhand.launching import launcher, ways
from deskhand.model.errors import AppGone, LaunchFailed, NotFound
from deskhand.processes import registry

pytestmark = pytest.mark.programs

PATIENCE = 60.0

WINDOW = """
#include <stdlib.h>
#include <unistd.h>
void _ZN12QApplicationC1ERiPPci(void *, int *, char **, int);
int _ZN12QApplication4execEv(void);
void _ZN7QWidgetC1EPS_6QFlagsIN2Qt10WindowTypeEE(void *, void *, int);
void _ZN7QWidget4showEv(void *);
static long application[64], widget[64];
int main(int count, char **words) {
    BEFORE
    _ZN12QApplicationC1ERiPPci(application, &count, words, 0x050f08);
    _ZN7QWidgetC1EPS_6QFlagsIN2Qt10WindowTypeEE(widget, 0, 0);
    _ZN7QWidget4showEv(widget);
    return _ZN12QApplication4execEv();
}
"""
"""A program that is linked with Qt 5 and shows an empty window, without any header of Qt."""


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "registry"))


def build(folder: Path, before: str = "", *, libraries: Path | None = None) -> str:
    """The window as a program that does something before, with its own copy of Qt if that is in a folder."""
    source, program = folder / "window.c", folder / "window"
    source.write_text(WINDOW.replace("BEFORE", before))
    names = [f"libQt5{part}.so.5" for part in ("Widgets", "Gui", "Core")]
    found = [elf.library(name, () if libraries is None else (str(libraries),)) for name in names]
    own = [] if libraries is None else [f"-Wl,-rpath,{libraries}", "-Wl,--disable-new-dtags"]
    paths = [path for path in found if path is not None]
    subprocess.run(["gcc", "-o", str(program), str(source), *paths, *own], check=True)
    return str(program)


def says(app: App) -> tuple[str, str]:
    """Which way was taken into an app, and why."""
    assert app.process is not None
    return app.process.taken.way, app.process.taken.reason


def threads(pid: int) -> set[str]:
    return {path.read_text().strip() for path in Path(f"/proc/{pid}/task").glob("*/comm")}


def test_kcalc_is_driven_by_object_names_that_the_accessibility_bus_does_not_have(desktop: Desktop) -> None:
    with launch(["kcalc"], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "qt"
        assert says(app) == ("inside", "a Qt 5 program, with an agent in it")
        for key in ("pb7", "pbMultiplication", "pb6", "pbPlus", "pb1", "pbEqual"):
            app.locator(f"#{key}").click()
        expect(app.locator("#calc_display")).to_have_text("43")
        display = app.locator("#calc_display").get()
        assert display.native_class == "KCalcDisplay", "a class that the binding does not know"
        app.keyboard.press("Ctrl+Q")
        assert app.wait_for_exit(timeout=PATIENCE) == 0
        assert app.process is not None
        assert "deskhand" not in app.process.stderr


def test_a_qt_6_program_of_debian_is_configured_by_object_names(tmp_path: Path) -> None:
    with launch(["qt6ct"], headless=True, home=tmp_path, timeout=PATIENCE) as app:
        assert app.info().framework == "PyQt6"
        app.locator("#styleComboBox").select_option(text="Fusion")
        app.locator('#buttonBox button[name="OK"]').click()
        assert app.wait_for_exit(timeout=PATIENCE) == 0
    assert "style=Fusion" in (tmp_path / ".config/qt6ct/qt6ct.conf").read_text()


def test_what_a_program_in_cpp_has_destroyed_is_gone_and_is_read_no_more(tmp_path: Path) -> None:
    with launch(["qbittorrent"], headless=True, home=tmp_path, timeout=PATIENCE) as app:
        app.get_by_role("button", name="I Agree").click()
        app.locator('window[name^="qBittorrent"]').wait_for(timeout=PATIENCE)
        for _ in range(2):
            app.keyboard.press("alt+o")
            app.locator('dialog[name="Preferences"]').wait_for(timeout=PATIENCE)
            page = app.get_by_role("list-item", name="Downloads")
            page.click()
            fields = [node.uid for node in app.locator('dialog[name="Preferences"] >> :input').nodes()]
            app.locator('dialog >> button[name="OK"]').click(receipt=True)
            with pytest.raises(NotFound):
                app.locator(f"uid={fields[0]}").get()
            app.locator('menu-item[name="File"]').click()
            app.keyboard.press("Escape")
            about = app.locator('menu-item[name="About"]').activate(receipt=True)
            assert about.receipt is not None
            assert [window.title for window in about.receipt.windows_opened] == ["About qBittorrent"]
            app.keyboard.press("Escape", receipt=True)
        (window,) = app.windows()
        ended = app.keyboard.press("ctrl+q", receipt=True)
        assert ended.receipt is not None
        assert ended.receipt.windows_closed == (window.uid,)
        assert app.wait_for_exit(timeout=PATIENCE) == 0


def test_a_program_in_cpp_has_the_titles_and_roles_that_it_has_from_outside(tmp_path: Path) -> None:
    with launch(["focuswriter"], headless=True, home=tmp_path, timeout=PATIENCE) as app:
        assert says(app)[0] == "inside"
        assert [window.title for window in app.windows()] == ["(Untitled 1) — FocusWriter"]
        app.get_by_role("window", name="(Untitled 1) — FocusWriter").get()
        assert app.locator('menu-item[name="Align Left"]').get().checked
        app.locator('toolbar > button[name="Find"]').get()
    with launch(["keepassxc"], headless=True, home=tmp_path, timeout=PATIENCE) as app:
        app.get_by_role("checkbox", name="Settings").click()
        app.get_by_role("checkbox", name="Backup database file before saving").check()


def test_a_wx_program_has_the_menus_and_labels_that_it_has_from_outside(tmp_path: Path) -> None:
    with launch(["filezilla"], headless=True, home=tmp_path, timeout=PATIENCE) as app:
        app.locator('dialog >> button[name="OK"]').click()
        app.locator('textfield[name="Host:"]').fill("127.0.0.1")
        assert app.get_by_label("Host:").get().value == "127.0.0.1"
        app.locator('menu[name="Edit"]').click()
        opened = app.locator('menu[name="Edit"] >> menu-item[name="Settings..."]').click(receipt=True)
        assert opened.receipt is not None
        assert [window.title for window in opened.receipt.windows_opened] == ["Settings"]


def test_a_program_that_a_model_starts_is_driven_from_outside_unless_it_is_asked_for() -> None:
    env = {"PATH": os.environ["PATH"]}
    assert not ways.plan(["kcalc"], env, None, for_model=True).enters
    assert ways.plan(["kcalc"], env, "inside", for_model=True).enters
    assert ways.plan(["kcalc"], env, None).enters


def test_a_wx_program_of_debian_is_driven_by_native_classes(desktop: Desktop) -> None:
    with launch(["filezilla"], desktop=desktop, timeout=PATIENCE) as app:
        assert says(app) == ("inside", "a wxWidgets program, with an agent in it")
        app.locator('dialog >> button[name="OK"]').click()
        app.locator('.wxTextCtrl[name="Host"]').fill("127.0.0.1")
        app.locator('.wxTextCtrl[name="Port"]').fill("1")
        app.locator('.wxButton:has-text("Quickconnect")').click()
        log = app.locator('.wxTextCtrl[value*="ECONNREFUSED"]')
        expect(log).to_be_visible(timeout=PATIENCE)
        assert app.process is not None
        assert "Debug:" not in app.process.stderr, "what the binding says when it is loaded"


def test_way_outside_leaves_the_program_alone(desktop: Desktop) -> None:
    with launch(["kcalc"], desktop=desktop, way="outside", timeout=PATIENCE) as app:
        assert app.info().toolkit == "atspi"
        assert says(app)[0] == "outside"
        maps = Path(f"/proc/{app.pid}/maps").read_text()
        assert preload.SHIM.name not in maps
        assert "libpython" not in maps


def test_a_script_that_starts_the_program_is_followed(desktop: Desktop, tmp_path: Path) -> None:
    script = tmp_path / "start"
    script.write_text("#!/bin/sh\nsleep 0.1\nkcalc\n")
    script.chmod(0o755)
    with launch([str(script)], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "qt"
        assert says(app) == ("inside", "a script that sh runs, with an agent in it")


def test_a_program_that_goes_on_as_a_child_of_itself_is_entered_there(
    desktop: Desktop, tmp_path: Path
) -> None:
    with launch([build(tmp_path, "if (fork()) return 0;")], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "qt"
        assert [node.native_class for node in app.tree()] == ["QWidget"]


def test_a_program_that_crashes_on_its_start_is_reported_as_it_would_be_without_us(
    desktop: Desktop, tmp_path: Path
) -> None:
    with pytest.raises(LaunchFailed, match="was ended by SIGABRT") as failed:
        launch([build(tmp_path, "abort();")], desktop=desktop, timeout=PATIENCE)
    assert failed.value.details["stderr"] == ""


def test_a_program_that_brings_its_own_qt_runs_on_and_is_driven_from_outside(
    desktop: Desktop, tmp_path: Path
) -> None:
    for part in ("Widgets", "Gui", "Core"):
        found = elf.library(f"libQt5{part}.so.5")
        assert found is not None
        shutil.copy(found, tmp_path / f"libQt5{part}.so.5")
    with launch([build(tmp_path, libraries=tmp_path)], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "atspi"
        way, reason = says(app)
        assert way == "outside"
        assert f"it brings its own Qt ({tmp_path}/libQt5Gui.so.5)" in reason
        assert "libpython" in Path(f"/proc/{app.pid}/maps").read_text(), "the check is made inside"
        assert app.process is not None
        assert "deskhand" not in app.process.stderr


def test_where_python_cannot_be_loaded_the_program_runs_on_and_the_reason_is_reported(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preload, "python", lambda: ("/no/libpython3.so", "/usr/bin/python3"))
    with launch(["kcalc"], desktop=desktop, timeout=PATIENCE) as app:
        way, reason = says(app)
        assert way == "outside"
        assert "Python cannot be loaded into it: /no/libpython3.so: cannot open" in reason
        app.get_by_role("button", name="7").click()
    with pytest.raises(LaunchFailed, match="cannot be driven from inside: Python cannot be loaded into it"):
        launch(["kcalc"], desktop=desktop, way="inside", timeout=PATIENCE)


def test_a_client_that_hangs_up_does_not_end_the_program(desktop: Desktop) -> None:
    with launch(["kcalc"], desktop=desktop, timeout=PATIENCE) as app:
        assert app.pid is not None
        tasks = Path(f"/proc/{app.pid}/task")
        ours = [task.name for task in tasks.iterdir() if blocks(task, signal.SIGPIPE)]
        assert len(ours) >= 2, "the thread that started Python, and those that serve"
        # While a thread starts another one, the C library blocks all signals in it.
        until(lambda: not blocks(tasks / str(app.pid), signal.SIGPIPE))


def blocks(task: Path, number: int) -> bool:
    """Whether a thread blocks a signal."""
    status = (task / "status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_python_is_not_started_in_children_without_a_toolkit(desktop: Desktop, tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    with launch(["sh", "-c", f"cat {held} & kcalc"], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "qt"
        cat = subprocess.run(
            ["pgrep", "-f", f"^cat {held}"], capture_output=True, text=True, check=True
        ).stdout.split()[0]
        maps = Path(f"/proc/{cat}/maps").read_text()
        assert preload.SHIM.name in maps
        assert "libpython" not in maps
        assert threads(int(cat)) == {"cat"}
        held.write_text("end")


def test_run_says_which_way_it_took_and_why(desktop: Desktop) -> None:
    deskhand = [str(Path(sys.executable).with_name("deskhand")), "run", "--timeout", "60"]
    with subprocess.Popen(
        [*deskhand, "--", "kcalc"], env=desktop.env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == "kcalc: driven from inside: a Qt 5 program, with an agent in it\n"
        running.send_signal(signal.SIGINT)
    refused = subprocess.run(
        [*deskhand, "--way", "inside", "--", "wish"], env=desktop.env, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "'wish' is a Tcl program, and cannot be driven from inside" in refused.stderr
    assert "--way outside" in refused.stderr


# -- programs that run already --------------------------------------------------------------------


PROGRAM = """
import sys
from {binding} import QtWidgets
app = QtWidgets.QApplication(sys.argv)
button = QtWidgets.QPushButton("Press")
button.setObjectName("press")
button.show()
sys.exit(app.exec())
"""
LEFT = """
import sys, threading
ours = ("deskhand", "_deskhand")
found = [kind.__qualname__ for kind in map(type, sys.meta_path) if kind.__module__.startswith(ours)]
found += [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
kind = sys.modules["{binding}.QtWidgets"].QApplication
found += [name for name, value in vars(kind).items() if hasattr(value, "patched_by")]
open({path!r}, "w").write(repr(found))
"""


def state(pid: int) -> tuple[list[str], list[str]]:
    """The threads and open files of a process."""
    names = sorted(path.read_text().strip() for path in Path(f"/proc/{pid}/task").glob("*/comm"))
    files = sorted(str(path.readlink()).partition(":")[0] for path in Path(f"/proc/{pid}/fd").iterdir())
    return names, files


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "not within a minute"
        time.sleep(0.02)


@contextlib.contextmanager
def running(desktop: Desktop, *command: str) -> Iterator[int]:
    """A program of the desktop that was not started by us, once its window is there; its process id."""
    with subprocess.Popen(command, env=desktop.env, stdout=subprocess.DEVNULL) as process:
        try:
            with connect(f"desktop:{process.pid}", timeout=PATIENCE) as outside:
                outside.wait_idle(timeout=PATIENCE)
            yield process.pid
            assert process.poll() in (None, -signal.SIGTERM), "it goes on unless the test ends it"
        finally:
            process.terminate()


def test_a_running_program_is_entered_and_left_unchanged_twice(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in desktop.env.items():
        monkeypatch.setenv(name, value)
    with running(desktop, "kcalc") as pid:
        before = state(pid)
        for _ in range(2):
            with attach(pid, timeout=PATIENCE) as app:
                for key in ("pbAllClear", "pb7", "pbMultiplication", "pb6", "pbPlus", "pb1", "pbEqual"):
                    app.locator(f"#{key}").click()
                expect(app.locator("#calc_display")).to_have_text("43")
                assert "deskhand" in state(pid)[0]
                launcher.detach(pid, timeout=PATIENCE)
                with pytest.raises(AppGone):
                    app.tree()
            until(lambda: state(pid) == before)
        with pytest.raises(NotFound):
            launcher.detach(pid)


def test_two_attaches_at_once_share_one_agent(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in desktop.env.items():
        monkeypatch.setenv(name, value)
    with running(desktop, "kcalc") as pid, ThreadPoolExecutor() as pool:
        apps = list(pool.map(lambda _: attach(pid, timeout=PATIENCE), range(2)))
        assert {app.address for app in apps} == {f"unix:{registry.app(pid=pid).control}"}
        assert [app.locator("#pb7").get().native_class for app in apps] == ["KCalcButton"] * 2
        for app in apps:
            app.close()
        launcher.detach(pid, timeout=PATIENCE)


@pytest.mark.parametrize("binding", ["PySide6", "PyQt6"])
def test_a_python_program_is_left_unchanged(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, binding: str
) -> None:
    for name, value in desktop.env.items():
        monkeypatch.setenv(name, value)
    with running(desktop, sys.executable, "-c", PROGRAM.format(binding=binding)) as pid:
        before = state(pid)
        with attach(pid, timeout=PATIENCE) as app:
            app.locator("#press").click()
        launcher.detach(pid, timeout=PATIENCE)
        until(lambda: state(pid) == before)
        seen = tmp_path / "seen"
        inject_py(pid, LEFT.format(binding=binding, path=str(seen)))
        until(lambda: seen.exists() and seen.read_text() == "[]")


def test_a_program_that_is_entered_becomes_richer_in_the_tree_of_the_desktop_while_a_wait_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Desktop() as desktop, ThreadPoolExecutor() as pool:
        for name, value in desktop.env.items():
            monkeypatch.setenv(name, value)
        with running(desktop, "kcalc") as pid, connect("desktop:") as everything:
            display = everything.locator("#calc_display")
            assert display.count() == 0, "the bus of Qt 5 has no ids"
            waits = pool.submit(lambda: expect(display).to_have_text("43", timeout=PATIENCE))
            with attach(pid, timeout=PATIENCE) as app:
                for key in ("pb7", "pbMultiplication", "pb6", "pbPlus", "pb1", "pbEqual"):
                    app.locator(f"#{key}").click()
            waits.result(PATIENCE)
            assert [window.pid for window in everything.windows()] == [pid], "not a second time from the bus"
            uid = everything.locator("#pbAllClear").get().uid
            everything.locator(f"uid={uid}").click()
            expect(display).to_have_text("0")
            launcher.detach(pid, timeout=PATIENCE)
            until(lambda: display.count() == 0)
            assert [window.pid for window in everything.windows()] == [pid], "from the bus again"
            os.kill(pid, signal.SIGTERM)
            until(lambda: not everything.windows())


def test_a_gtk_program_of_debian_is_driven_by_the_ids_of_its_ui_file_if_that_is_asked_for(
    desktop: Desktop,
) -> None:
    with launch(["galculator"], desktop=desktop, way="inside", timeout=PATIENCE) as app:
        assert app.info().toolkit == "gtk"
        for key in ("button_7", "button_mult", "button_6", "button_enter"):
            app.locator(f"#{key}").click()
        expect(app.locator("#textview")).to_have_value("42")
    with launch(["galculator"], desktop=desktop, timeout=PATIENCE) as app:
        assert app.info().toolkit == "atspi"
        assert says(app)[1].endswith("an agent is put into it with --way inside only")
