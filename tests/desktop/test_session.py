"""The desktop as a whole: programs of Debian and an app with deskhand inside, side by side in one tree."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deskhand import App, Desktop, aio, connect, launch
from deskhand.adapters.atspi import AtspiAdapter, bus
from deskhand.adapters.display import Display
from deskhand.adapters.merge import JoinedAdapter
from deskhand.cli.main import commands
from deskhand.desktop import session as outside
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionUnsupported,
    Ambiguous,
    AppGone,
    NotFound,
    ScreenshotFailed,
    Stale,
    UiBusy,
)
from deskhand.model.node import Window
from deskhand.processes import registry
from deskhand.processes.children import Process
from tests.traces import stopped, until

pytestmark = pytest.mark.programs

FORM = Path(__file__).parents[2] / "demo" / "qt_form.py"
CALCULATOR = 'window[name="galculator"]'
SEVEN = 'toggle-button[name="7"]'


@contextmanager
def on(desktop: Desktop) -> Iterator[None]:
    """Be on a desktop, with a registry of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in desktop.env.items():
            patch.setenv(name, value)
        patch.setenv(registry.VARIABLE, str(desktop.folder / "registry"))
        patch.delenv("DESKHAND_APP", raising=False)
        yield


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    """With galculator, mousepad and a Qt form that has deskhand inside."""
    with Desktop() as desktop, on(desktop), ExitStack() as stack:
        for program in ("galculator", "mousepad"):
            desktop.spawn([program], stdout="null", stderr="null")
        form = stack.enter_context(launch([sys.executable, FORM], name="order"))
        form.locator("#order_form").wait_for()
        with connect() as app:
            for selector in (CALCULATOR, 'window[name$="Mousepad"]'):
                app.locator(selector).wait_for(timeout=20)
            app.wait_idle(timeout=20)
        yield desktop


@pytest.fixture
def everything(desktop: Desktop) -> Iterator[App]:
    with connect("desktop:") as app:
        yield app


@pytest.fixture
def start(desktop: Desktop) -> Iterator[Callable[..., Process]]:
    """Starts a program, and ends it after the test."""
    with ExitStack() as stack:

        def run(*argv: str, on_: Desktop = desktop, **env: str) -> Process:
            process = on_.spawn(argv, env=env, stdout="null", stderr="null")
            stack.callback(process.wait, 20)
            stack.callback(process.signal, signal.SIGKILL)
            return process

        yield run


Start = Callable[..., Process]


def deskhand(*words: str) -> Result:
    return CliRunner().invoke(commands, words, prog_name="deskhand")


def window(app: App, title: str) -> Window:
    return next(one for one in app.windows() if title in (one.title or ""))


# -- one tree ----------------------------------------------------------------------------------


def test_all_programs_are_in_one_tree_each_from_its_richest_source(everything: App) -> None:
    tree = everything.tree()
    assert tree.cut is None
    sources = {root.name: root.backend for root in tree.roots}
    assert sources["galculator"] == "atspi"
    assert sources["Order form"] == "qt"
    assert [root.name for root in tree.roots].count("Order form") == 1
    assert {one.app_name for one in tree.windows} >= {"galculator", "mousepad"}


def test_actions_go_to_the_program_of_their_target_and_say_how_they_were_done(everything: App) -> None:
    everything.locator("#name").fill("Ada")
    assert everything.locator("#name").get().value == "Ada"
    everything.run(ops.Press(f'{CALCULATOR} >> toggle-button[name="AC"]'))
    # GTK 3 would run the handler inside the call, so that a press is real input too.
    assert everything.run(ops.Press(f"{CALCULATOR} >> {SEVEN}")).detail == "by real input"
    assert everything.run(ops.Click(f"{CALCULATOR} >> {SEVEN}")).detail == "by real input"
    everything.run(ops.Wait(f"{CALCULATOR} >> editable-text", "text", "77", timeout=5))


def test_a_button_may_be_pressed_again_at_once(everything: App) -> None:
    everything.run(ops.Press(f'{CALCULATOR} >> toggle-button[name="AC"]'))
    uid = everything.locator(f"{CALCULATOR} >> {SEVEN}").get().uid
    adapter = AtspiAdapter(app="galculator")
    try:
        for _ in range(4):
            adapter.perform(ops.Press(), uid, None, timeout=5)
    finally:
        adapter.close()
    everything.run(ops.Wait(f"{CALCULATOR} >> editable-text", "text", "7777", timeout=5))


def test_keys_go_where_the_focus_is_in_any_process(everything: App) -> None:
    everything.locator("#name").fill("")
    everything.run(ops.ControlWindow("#order_form", do="focus"))
    everything.locator("#name").focus()
    everything.keyboard.type("Grace")
    everything.run(ops.Wait("#name", "value", value="Grace", timeout=5))
    assert everything.tree().focused == everything.locator("#name").get().uid
    editor = 'window[name$="Mousepad"] >> editable-text'
    everything.locator(editor).focus()
    until(lambda: everything.tree().focused == everything.locator(editor).get().uid)


def test_where_there_is_no_real_input_what_needs_it_is_refused_with_the_reason(desktop: Desktop) -> None:
    blind = {name: value for name, value in desktop.env.items() if name != "DISPLAY"}
    session = Session(AtspiAdapter(blind, app="galculator"))
    try:
        with pytest.raises(ActionUnsupported, match="needs an X11 display"):
            session.run(ops.Click(SEVEN))
        assert session.run(ops.Press(SEVEN)).detail == "through accessibility"
        with pytest.raises(ScreenshotFailed, match="X11"):
            session.run(ops.Screenshot())
    finally:
        session.close()


def test_a_uid_of_another_bus_is_stale(everything: App) -> None:
    uid = everything.locator(f"{CALCULATOR} >> {SEVEN}").get().uid
    with pytest.raises(Stale):
        everything.run(ops.Get(f'uid="{"0000" if uid[:4] != "0000" else "ffff"}{uid[4:]}"', timeout=0))


def test_a_receipt_of_an_action_reports_what_changed_on_the_desktop(everything: App) -> None:
    done = everything.run(ops.SetValue("#name", value="Edith", receipt=True))
    assert done.receipt is not None
    assert any(change.uid.partition("@")[2] for change in done.receipt.changed)


def test_menus_and_popups_are_found_while_they_are_open(everything: App) -> None:
    editor = 'window[name$="Mousepad"]'
    everything.run(ops.Click(f"{editor} >> editable-text", button="right"))
    everything.run(ops.Wait('menu-item[name="Paste"]:visible', "exists", timeout=5))
    everything.keyboard.press("escape")
    everything.run(ops.Click(f'{editor} >> menu-bar >> [name="Search"]'))
    everything.run(ops.Wait('menu-item[name^="Find"]:visible', "exists", timeout=5))
    everything.keyboard.press("escape")


def test_a_file_chooser_is_a_window_of_its_own(everything: App) -> None:
    everything.run(ops.Press('window[name$="Mousepad"] >> menu-item[name="Open..."]'))
    everything.run(ops.Wait('[name="Open File"]', "visible", timeout=10))
    chooser = window(everything, "Open File")
    assert chooser.kind == "dialog"
    everything.run(ops.ControlWindow(f'uid="{chooser.uid}"', do="close"))
    everything.run(ops.Wait('[name="Open File"]', "gone", timeout=10))


# -- one program -------------------------------------------------------------------------------


def test_a_program_is_named_as_it_names_itself_or_as_its_process_is_called(desktop: Desktop) -> None:
    with connect("galculator") as app:
        assert [one.app_name for one in app.windows()] == ["galculator"]
        pid = app.windows()[0].pid
    with connect(f"desktop:{pid}") as app:
        assert app.locator(SEVEN).count() == 1
    with connect("order") as app:
        assert app.info().toolkit == "qt", "one that has deskhand inside is asked itself"


def test_several_programs_of_a_name_are_ambiguous_and_none_is_not_found(
    desktop: Desktop, start: Start
) -> None:
    second = start("galculator")
    until(lambda: second.pid in {program.pid for program in outside.programs()})
    with pytest.raises(Ambiguous) as several:
        outside.session("galculator")
    assert str(second.pid) in several.value.message
    done = deskhand("--app", "galculator", "tree")
    assert done.exit_code == 5
    assert f"galculator (pid {second.pid})" in done.stderr
    with pytest.raises(NotFound, match=r"on the desktop: .*galculator"):
        outside.session("gimp")
    done = deskhand("--app", "galculatr", "tree")
    assert done.exit_code == 3
    assert "galculator" in done.stderr


def test_apps_that_are_not_on_the_desktop_are_mentioned_and_not_read(
    desktop: Desktop, everything: App
) -> None:
    with launch([sys.executable, FORM], name="away", env={"QT_QPA_PLATFORM": "offscreen"}):
        assert [one.title for one in everything.windows()].count("Order form") == 1
        with pytest.raises(NotFound) as caught:
            outside.session("nothing")
        assert any("away" in hint for hint in caught.value.suggestions)
        assert "inside, on another desktop" in deskhand("apps").stdout
        assert deskhand("--app", "away", "get", "#order_form", "name").stdout == "Order form\n"


def test_a_program_that_has_just_been_started_is_waited_for(desktop: Desktop, start: Start) -> None:
    session = outside.session(pid=start("galculator").pid)
    try:
        session.run(ops.Wait(SEVEN, "visible", timeout=20))
    finally:
        session.close()


def test_the_end_of_the_program_is_reported(desktop: Desktop, start: Start) -> None:
    program = start("galculator")
    session = outside.session(pid=program.pid)
    try:
        session.run(ops.Wait(SEVEN, "visible", timeout=20))
        program.signal(signal.SIGKILL)
        program.wait(10)
        with pytest.raises(AppGone, match=f"process {program.pid} ended"):
            until(lambda: session.run(ops.ReadTree()) is None)
    finally:
        session.close()


def forget_process(window: Window) -> None:
    """Remove from a window the property that names its process."""
    display = Display(os.environ)
    with closing(display):
        assert window.native_id is not None
        (atom,) = display.atoms("_NET_WM_PID")
        display.tell(struct.pack("<BxHII", 19, 3, window.native_id, atom))  # DeleteProperty
        assert display.numbers(window.native_id, "_NET_WM_PID") == ()


def test_a_program_without_accessibility_has_windows_and_real_input(desktop: Desktop, start: Start) -> None:
    program = start("galculator", NO_AT_BRIDGE="1")
    done = until(lambda: (found := deskhand("--pid", str(program.pid), "windows")).exit_code == 0 and found)
    assert "galculator" in done.stdout
    session = outside.session(pid=program.pid)
    try:
        before = session.run(ops.Screenshot("window")).png
        assert session.run(ops.TypeText("window", text="42")).detail == "by real input"
        until(lambda: session.run(ops.Screenshot("window")).png != before)
        with pytest.raises(ActionUnsupported, match="not on the accessibility bus"):
            session.run(ops.Press("window"))
        forget_process(session.run(ops.ListWindows())[0])
        with closing(outside.session(pid=program.pid)) as anew:
            # As those of Tk, which never say whose they are: the display knows.
            assert [one.app_name for one in anew.run(ops.ListWindows())] == ["galculator"]
        assert session.run(ops.ControlWindow("window", do="close")).detail == "by the window manager"
        program.wait(10)
    finally:
        session.close()


# -- the doors ---------------------------------------------------------------------------------


def test_without_an_app_every_command_is_about_the_desktop(desktop: Desktop, tmp_path: Path) -> None:
    listed = deskhand("apps").stdout
    assert "accessibility" in listed
    assert "inside" in listed
    assert "galculator" in deskhand("tree", "--depth", "1").stdout
    assert deskhand("get", "#order_form", "name").stdout == "Order form\n"
    assert deskhand("click", f"{CALCULATOR} >> {SEVEN}").exit_code == 0
    assert deskhand("wait", f"{CALCULATOR} >> {SEVEN}").exit_code == 0
    assert deskhand("set", "#name", "Joan").exit_code == 0
    assert deskhand("window", "focus", CALCULATOR).exit_code == 0
    assert "focused" in next(row for row in deskhand("windows").stdout.splitlines() if "galculator" in row)
    file = tmp_path / "screen.png"
    assert deskhand("screenshot", str(file)).stdout == f"{file} (1280x800)\n"


def test_the_tree_of_a_desktop_takes_one_connection_to_each_server_and_one_read(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[str] = []
    displays: list[str] = []
    reads: list[str] = []
    connect_to, open_display, read = bus._connect, Display.__init__, JoinedAdapter.read

    def noted_connect(address: str, *rest: Any) -> Any:
        connected.append(address)
        return connect_to(address, *rest)

    def noted_display(self: Display, *rest: Any, **options: Any) -> None:
        displays.append("display")
        open_display(self, *rest, **options)

    def noted_read(self: JoinedAdapter, *rest: Any, **options: Any) -> Any:
        reads.append("read")
        return read(self, *rest, **options)

    monkeypatch.setattr(bus, "_connect", noted_connect)
    monkeypatch.setattr(Display, "__init__", noted_display)
    monkeypatch.setattr(JoinedAdapter, "read", noted_read)

    shown = deskhand("tree").stdout

    assert 'window "galculator"' in shown
    assert "#order_form" in shown, "with selectors"
    assert sorted(connected) == sorted(set(connected))
    assert desktop.env["DBUS_SESSION_BUS_ADDRESS"] in connected
    assert (len(displays), len(reads)) == (1, 1)


def test_a_program_that_is_started_just_before_is_in_the_tree(start: Start) -> None:
    with Desktop() as own, on(own):
        start("galculator", on_=own)
        assert "galculator" in deskhand("tree", "--depth", "0").stdout


def test_the_asynchronous_library_drives_the_desktop_too(desktop: Desktop) -> None:
    async def titles() -> list[str | None]:
        async with aio.connect() as app:
            return [one.title for one in await app.windows()]

    assert "galculator" in asyncio.run(titles())


def test_fifty_clients_at_once_are_answered(desktop: Desktop, tmp_path: Path) -> None:
    address = str(tmp_path / "gip")
    server = subprocess.Popen(
        [Path(sys.executable).with_name("deskhand"), "serve", "--gip", address],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        assert [server.stdout.readline() for _ in range(2)][-1] == "ready\n"

        def client(number: int) -> tuple[int, str]:
            with connect(address, timeout=30) as app:
                app.run(ops.SetValue("#notes", value=str(number), timeout=30))
                return len(app.tree()), app.locator(f"{CALCULATOR} >> {SEVEN}").get().role

        with ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(client, range(50)))
        assert {role for _, role in answers} == {"toggle-button"}
        assert min(size for size, _ in answers) > 300
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(10) == 128 + signal.SIGTERM
        server.stdout.close()


# -- windows and screenshots ---------------------------------------------------------------------


def test_windows_are_focused_and_moved(everything: App) -> None:
    for selector, title in ((CALCULATOR, "galculator"), ("#order_form", "Order form")):
        everything.run(ops.ControlWindow(selector, do="focus"))
        until(partial(_has_focus, everything, title))
    done = everything.run(ops.ControlWindow(CALCULATOR, do="move", x=30, y=40))
    assert done.detail == "by the window manager"
    bounds = window(everything, "galculator").bounds
    assert bounds is not None
    assert (bounds.x, bounds.y) == (30, 40)


def test_a_covered_window_is_photographed_as_a_whole(everything: App) -> None:
    editor = 'window[name$="Mousepad"]'
    everything.mouse.move(1279, 799)  # what is under the pointer looks different
    everything.run(ops.ControlWindow(CALCULATOR, do="move", x=10, y=30))
    everything.run(ops.ControlWindow("#order_form", do="minimize"))
    everything.run(ops.ControlWindow(editor, do="move", x=620, y=100))
    everything.run(ops.ControlWindow(editor, do="focus"))
    everything.wait_idle()
    alone = settled(everything, CALCULATOR)
    button = settled(everything, f"{CALCULATOR} >> {SEVEN}")
    everything.run(ops.ControlWindow(editor, do="move", x=20, y=60))
    everything.wait_idle()
    before = everything.windows()
    assert settled(everything, CALCULATOR) == alone
    assert settled(everything, f"{CALCULATOR} >> {SEVEN}") == button
    assert everything.windows() == before, "nothing was moved or brought to the front"
    everything.run(ops.ControlWindow(CALCULATOR, do="minimize"))
    with pytest.raises(ScreenshotFailed, match="minimized"), connect("galculator") as app:
        app.screenshot()
    for selector in (CALCULATOR, "#order_form"):
        everything.run(ops.ControlWindow(selector, do="restore"))


def settled(app: App, selector: str) -> bytes:
    """A screenshot that no longer changes: a window that loses the focus fades, without any event."""
    shots: list[bytes] = []

    def still() -> bool:
        shots.append(app.run(ops.Screenshot(selector)).png)
        return len(shots) > 2 and len(set(shots[-3:])) == 1

    until(still)
    return shots[-1]


# -- faults ------------------------------------------------------------------------------------


def test_a_program_that_is_killed_during_a_read_costs_only_its_own_part(
    desktop: Desktop, start: Start
) -> None:
    victims = [start("galculator") for _ in range(4)]
    pids = {victim.pid for victim in victims}
    until(lambda: pids <= {program.pid for program in outside.programs()})
    for victim, delay in zip(victims, (0.0, 0.004, 0.01, 0.02), strict=True):
        session = outside.session()
        killer = threading.Timer(delay, os.kill, (victim.pid, signal.SIGKILL))
        try:
            killer.start()
            tree = session.run(ops.ReadTree()).tree
        finally:
            killer.join()
            session.close()
        assert tree is not None
        titles = [one.title for one in tree.windows if one.pid not in pids]
        assert "galculator" in titles
        assert "Order form" in titles
        assert sum("Mousepad" in (title or "") for title in titles) == 1


@pytest.mark.parametrize("inside", [False, True])
def test_a_program_that_hangs_is_named_and_works_again_when_it_goes_on(
    desktop: Desktop, start: Start, inside: bool
) -> None:
    with ExitStack() as stack:
        if inside:
            ill = stack.enter_context(launch([sys.executable, FORM], name="ill"))
            pid = ill.process.pid if ill.process is not None else 0
        else:
            pid = start("galculator").pid
        session = outside.session()
        stack.callback(session.close)
        session.ui_timeout = 1.0
        until(lambda: pid in {one.pid for one in session.run(ops.ListWindows())})
        with stopped(pid):
            if not inside:
                only = Session(AtspiAdapter(pid=pid), ui_timeout=1.0)
                stack.callback(only.close)
                with pytest.raises(UiBusy, match=f"pid {pid}"):
                    only.run(ops.ReadTree())
            tree = session.run(ops.ReadTree()).tree
            assert tree is not None
            assert tree.cut is not None
            assert f"(pid {pid})" in tree.cut.reason
            titles = [one.title for one in tree.windows if one.pid != pid]
            assert {"galculator", "Order form"} <= set(titles)
            if not inside:
                assert "accessibility, does not answer" in deskhand("apps").stdout
                assert f"(pid {pid})" in deskhand("windows").stdout
            began = time.monotonic()
            session.run(ops.SetValue('window[name$="Mousepad"] >> editable-text', value="goes on"))
            assert time.monotonic() - began < 5
        until(lambda: pid in {one.pid for one in session.run(ops.ListWindows())})
        # It has to answer first what it was asked meanwhile.
        until(lambda: (done := session.run(ops.ReadTree()).tree) is not None and done.cut is None)


def test_programs_may_start_and_end_between_reads(desktop: Desktop, everything: App, start: Start) -> None:
    until(lambda: len(everything.windows()) == 3)  # those of the tests before may still be closing
    for _ in range(3):
        program = start("galculator")
        until(partial(_has_window, everything, program.pid))
        os.kill(program.pid, signal.SIGKILL)
        program.wait(10)
        until(lambda: len(everything.windows()) == 3)


def test_an_accessibility_bus_that_is_started_again_is_followed(start: Start) -> None:
    with Desktop() as own, on(own):
        old = start("galculator", on_=own)
        session = outside.session()
        try:
            session.run(ops.Wait(SEVEN, "visible", timeout=20))
            uid = session.run(ops.Find(SEVEN))[0].uid
            os.kill(_bus_of(own), signal.SIGKILL)
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(session.run, ops.Wait("editable-text", "visible", timeout=30))
                start("mousepad", on_=own)
                assert waiting.result(40).node is not None
            session.run(ops.TypeText("editable-text", text="again"))
            session.run(ops.Wait("editable-text", "text", "again", timeout=5))
            with pytest.raises(Stale):
                session.adapter.read(uid, timeout=5)
            # Programs do not look for the new bus; what is left of this one is its window.
            until(lambda: old.pid in {one.pid for one in session.run(ops.ListWindows())})
        finally:
            session.close()


def test_a_desktop_that_ended_is_reported(start: Start) -> None:
    with Desktop() as own, on(own):
        session: Session = outside.session()
        session.run(ops.ReadTree())
    try:
        with pytest.raises(Exception, match=r"gone|display"):
            session.run(ops.ReadTree())
    finally:
        session.close()


def _has_focus(app: App, title: str) -> bool:
    return [one.title for one in app.windows() if one.focused] == [title]


def _has_window(app: App, pid: int) -> bool:
    return pid in {one.pid for one in app.windows()}


def _bus_of(desktop: Desktop) -> int:
    """The process id of the accessibility bus."""
    address = desktop.a11y_address.partition(",")[0]
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # other processes end meanwhile
            command = path.read_bytes()
            if address.encode() in command and b"dbus-daemon" in command:
                return int(path.parent.name)
    raise AssertionError(f"no bus at {address}")
