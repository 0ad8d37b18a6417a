"""Programs of Debian, unmodified, seen and operated through the accessibility bus."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from deskhand import App, Desktop, expect
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, ActionUnsupported, ConnectFailed, NotEnabled, Stale, UiBusy
from deskhand.model.node import MASK
from deskhand.model.roles import ROLES
from tests.conformance.outside_form import COMMANDS
from tests.conformance.protocol_clients import Orca
from tests.traces import stopped, until

from .conftest import Start

pytestmark = pytest.mark.programs

HERE = Path(__file__).parent


def test_text_is_typed_into_an_editor_and_read_back(start: Start) -> None:
    running = start("mousepad", until="editable-text")
    text = "Grüße, 世界 – ∑ 😀\nsecond line"
    running.app.locator("editable-text").first.type(text)
    assert running.shows(text)
    long = "abcdefghi " * 60
    running.app.locator("editable-text").first.fill(long, timeout=60)
    assert running.app.locator("editable-text").first.get().value == long, "told when all of it is there"


def test_the_menus_of_an_editor_are_walked(start: Start) -> None:
    running = start("mousepad", until="editable-text")
    running.app.locator("editable-text").first.fill("one two")
    running.app.run(ops.Press('menu-item[name="Select All"]'))
    running.app.run(ops.Press('menu-item[name="Delete Selection"]'))
    assert running.shows("")
    assert running.app.locator("editable-text").first.get().text == ""


def test_the_inner_part_of_a_file_chooser_is_not_a_second_dialog(start: Start) -> None:
    app = start("zenity", "--file-selection", until="dialog").app
    app.locator('dialog >> group[name="File Chooser Widget"] >> table[name="Files"]').wait_for()
    assert app.locator("dialog").count() == 1


def test_the_visible_field_of_a_file_chooser_is_meant_although_it_hides_others_of_that_label(
    start: Start, tmp_path: Path
) -> None:
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text("kept\n")
    app = start("gedit", str(before), until="window").app
    app.keyboard.press("ctrl+shift+s")
    name = app.get_by_label("Name")
    name.fill("after.txt", timeout=30)
    assert {node.visible for node in name.nodes()} == {True, False}
    app.locator('dialog >> button[name="Save"]').click(timeout=30)
    until(lambda: after.exists() and after.read_text() == "kept\n")


def test_keys_do_not_overtake_a_click_that_the_window_manager_handles_first(
    start: Start, desktop: Desktop
) -> None:
    form = start(*COMMANDS["gtk4"], until='textfield[name="Password"]').app
    secret = form.locator('textfield[name="Password"]')
    with ThreadPoolExecutor() as pool:
        with stopped(desktop._window_manager.pid):
            typing = pool.submit(secret.type, "a")
            wait([typing], 0.5)  # longer than a program is given to react to a click
        typing.result(20)
    expect(secret).to_have_value(MASK)


def test_a_dialog_that_an_entry_of_a_menu_opens_is_answered(start: Start) -> None:
    code = """if 1:
        from PyQt5 import QtWidgets
        app = QtWidgets.QApplication([])
        window = QtWidgets.QMainWindow()
        button = QtWidgets.QPushButton("nothing asked")
        def ask():
            QtWidgets.QMessageBox.question(window, "Question", "Sure?")
            button.setText("answered")
        window.menuBar().addMenu("File").addAction("Ask").triggered.connect(ask)
        window.setCentralWidget(button)
        window.show()
        app.exec()
    """
    app = start(COMMANDS["qt5"][0], "-c", code, until='button[name="nothing asked"]').app
    for _ in range(2):
        app.get_by_role("menu-item", name="Ask").activate()
        app.locator('dialog >> button[name="Yes"]').click()
        expect(app.get_by_role("button", name="answered")).to_be_visible()


def test_an_entry_that_is_disabled_is_not_pressed_also_if_it_became_so_unsaid(start: Start) -> None:
    code = """if 1:
        from PyQt5 import QtWidgets
        app = QtWidgets.QApplication([])
        window = QtWidgets.QMainWindow()
        button = QtWidgets.QPushButton("swap")
        file = window.menuBar().addMenu("File")
        menus = [file.addMenu("Send"), window.menuBar().addMenu("Edit")]
        entries = [file.addAction("Copy"), file.addAction("Paste")]
        entries += [menu.addAction("in " + menu.title()) for menu in menus]
        for entry in entries:
            entry.triggered.connect(lambda _, text=entry.text(): window.setWindowTitle("chose " + text))
        entries[1].setEnabled(False)
        menus[1].setEnabled(False)
        def swap():
            for one in (*entries[:2], *menus):
                one.setEnabled(not one.isEnabled())
        button.clicked.connect(swap)
        window.setCentralWidget(button)
        window.show()
        app.exec()
    """
    app = start(COMMANDS["qt5"][0], "-c", code, until='button[name="swap"]').app
    on, off = ["Copy", "in Send"], ["Paste", "in Edit"]
    for _ in range(3):
        for name in on:
            app.get_by_role("menu-item", name=name).activate()
            expect(app.locator(f'window[name="chose {name}"]')).to_be_visible()
        for name in off:
            with pytest.raises(NotEnabled):
                app.get_by_role("menu-item", name=name).activate(timeout=0)
        expect(app.locator(f'window[name="chose {on[-1]}"]')).to_be_visible()
        app.get_by_role("button", name="swap").click()
        on, off = off, on


def test_every_role_is_one_of_the_unified_ones(start: Start) -> None:
    running = start("mousepad", until="editable-text")
    tree = running.adapter.read(timeout=10)
    assert {node.role for node in tree} <= ROLES
    assert all(node.platform_role for node in tree)
    assert len({node.uid for node in tree}) == len(tree)


def test_uids_stay_from_one_reader_to_the_next(start: Start, desktop: Desktop) -> None:
    running = start("galculator", until='[name="7"]')
    first = {node.uid: node.name for node in running.adapter.read(timeout=10)}
    other = AtspiAdapter(desktop.env, pid=running.process.pid)
    try:
        assert {node.uid: node.name for node in other.read(timeout=10)} == first
    finally:
        other.close()


def test_a_cold_read_has_the_same_uids_even_for_an_open_menu_without_a_parent(
    start: Start,
) -> None:
    running = start(*COMMANDS["qt5"], until='textfield[name="Name"]')
    running.app.locator('textfield[name="Name"]').click(button="right")
    running.app.locator('menu-item[name~="Paste"]:visible').first.wait_for()
    warm = {node.uid: (node.role, node.name) for node in running.adapter.read(timeout=10)}
    assert {node.uid: (node.role, node.name) for node in running.adapter.read_cold(timeout=10)} == warm
    for window in running.adapter.read(timeout=10).windows:
        below = [node.uid for node in running.adapter.read(window.uid, timeout=10)]
        assert [node.uid for node in running.adapter.read_cold(window.uid, timeout=10)] == below


def test_places_are_where_the_pixels_are(start: Start) -> None:
    running = start("gnome-calculator", until='button[name="7"]')
    equals = running.app.locator('button[name="="]').get()
    assert equals.bounds is not None
    png = running.adapter.screenshot(equals.uid, timeout=10)
    assert (png.width, png.height) == (equals.bounds.width, equals.bounds.height)
    running.app.locator('button[name="7"]').click()
    assert running.shows("7")
    # GTK 4 does not do that, and calls the button "8 8".
    with pytest.raises(ActionFailed, match='button "8" did not take the focus') as caught:
        running.app.locator('button[name="8"]').focus()
    assert "tab" in caught.value.suggestions[0]


@pytest.mark.parametrize(
    ("scale", "command"),
    [("GDK_SCALE=2", COMMANDS["gtk3"]), ("QT_SCALE_FACTOR=1.5", COMMANDS["qt5"])],
    ids=["GTK 3", "Qt 5"],
)
def test_places_are_where_the_pixels_are_also_in_an_enlarged_program(
    start: Start, scale: str, command: list[str]
) -> None:
    factor = float(scale.partition("=")[2])
    running = start("env", scale, *command, until='button[name="Greet"]')
    greet = running.app.get_by_role("button", name="Greet")
    assert greet.click().detail == "by real input"
    assert running.shows("Hello, !")
    seen = greet.get()
    window = running.app.windows()[0].bounds
    assert seen.bounds is not None
    assert window is not None
    assert seen.bounds.width == pytest.approx(seen.properties["extents"][2] * factor)
    assert seen.bounds.intersection(window) == seen.bounds
    running.app.run(ops.ControlWindow("window", do="move", x=40, y=24))
    greet.click()
    moved = greet.get().bounds
    assert moved is not None
    assert (moved.x - 40, moved.y - 24) == pytest.approx(
        (seen.bounds.x - window.x, seen.bounds.y - window.y), abs=factor
    )


def test_a_window_is_moved_resized_minimised_and_closed(start: Start, desktop: Desktop) -> None:
    running = start("mousepad", until="editable-text")
    app = running.app
    app.run(ops.ControlWindow("window", do="move", x=60, y=70))
    app.run(ops.ControlWindow("window", do="resize", width=500, height=400))
    window = app.windows()[0]
    assert window.bounds is not None
    assert tuple(window.bounds) == (60, 70, 500, 400)
    menu = app.locator('menu-bar >> menu[name="File"]').bounds()
    assert menu is not None
    assert 60 <= menu.x < 80
    assert 70 <= menu.y < 110
    app.run(ops.ControlWindow("window", do="minimize"))
    assert app.windows()[0].minimized
    app.run(ops.ControlWindow("window", do="restore"))
    assert not app.windows()[0].minimized
    app.run(ops.ControlWindow("window", do="maximize"))
    assert app.windows()[0].maximized
    app.run(ops.ControlWindow("window", do="close"))
    running.process.wait(10)


def test_the_main_window_of_a_program_is_its_own_also_behind_others(start: Start) -> None:
    behind = start("galculator", until='[name="7"]')
    front = start("mousepad", until="editable-text")
    before = front.app.windows()[0].bounds
    behind.app.run(ops.ControlWindow(do="move", x=60, y=70))
    window = behind.app.windows()[0]
    assert window.bounds is not None
    assert tuple(window.bounds)[:2] == (60, 70)
    assert front.app.windows()[0].bounds == before


def test_a_screenshot_of_the_screen_is_a_png_of_its_size(start: Start, desktop: Desktop) -> None:
    running = start("galculator", until='[name="7"]')
    adapter = AtspiAdapter(desktop.env)
    try:
        image = adapter.screenshot(None, timeout=5)
    finally:
        adapter.close()
    assert image.png.startswith(b"\x89PNG")
    assert struct.unpack(">II", image.png[16:24]) == desktop.size
    assert running.adapter.screenshot(None, timeout=5).width < desktop.size[0]


def test_a_program_that_hangs_is_named_and_the_others_are_read(start: Start, desktop: Desktop) -> None:
    well, ill = start("galculator", until='[name="7"]'), start("mousepad", until="editable-text")
    adapter = AtspiAdapter(desktop.env)
    try:
        assert {window.app_name for window in adapter.read(timeout=10).windows} >= {"galculator", "mousepad"}
        with stopped(ill.process.pid):
            tree = adapter.read(timeout=1)
            assert "galculator" in {window.app_name for window in tree.windows}
            assert tree.cut is not None
            assert "mousepad" in tree.cut.reason
            began = time.monotonic()
            adapter.read(timeout=5)
            assert time.monotonic() - began < 4, "a program that hung before is not waited for again"
        deadline = time.monotonic() + 10
        while "mousepad" not in {window.app_name for window in adapter.read(timeout=5).windows}:
            assert time.monotonic() < deadline
        assert well.adapter.read(timeout=5).cut is None
    finally:
        adapter.close()


def test_a_wait_for_a_program_that_hangs_does_not_block_others(start: Start, desktop: Desktop) -> None:
    well, ill = start("galculator", until='[name="7"]'), start("mousepad", until="editable-text")
    seven = next(node for node in well.adapter.read(timeout=5) if node.name == "7")
    with contextlib.closing(AtspiAdapter(desktop.env)) as adapter, ThreadPoolExecutor() as threads:
        victim = next(window for window in adapter.read(timeout=10).windows if window.app_name == "mousepad")
        with stopped(ill.process.pid):
            done, waiting = wait(
                {threads.submit(adapter.read, timeout=30) for _ in range(2)}, 10, FIRST_COMPLETED
            )
            (early,), (late,) = done, waiting
            assert "mousepad" in str(early.result().cut)
            adapter.perform(ops.Press(), seven.uid, None, timeout=5)
            with pytest.raises(UiBusy, match="mousepad"):
                adapter.perform(ops.Press(), victim.uid, None, timeout=5)
            assert not late.done()
        tree = late.result(20)
        assert tree.cut is None
        assert "mousepad" in {window.app_name for window in tree.windows}
        assert well.shows("7")


def test_a_program_that_is_busy_when_it_is_met_is_found_by_its_name_later(
    start: Start, desktop: Desktop
) -> None:
    busy = start("mousepad", until="editable-text")
    with contextlib.closing(AtspiAdapter(desktop.env, app="mousepad")) as adapter:
        pid = busy.process.pid
        with stopped(pid), pytest.raises(UiBusy, match=f"pid {pid}.*does not answer") as caught:
            adapter.read(timeout=1)
        assert "end it if it hangs" in caught.value.suggestions[0]
        app = App(LocalEngine(Session(adapter), "mousepad"))
        app.locator("editable-text").first.wait_for(timeout=20)
        assert {window.app_name for window in app.windows()} == {"mousepad"}


def test_a_program_that_is_killed_in_the_middle_leaves_the_others(start: Start, desktop: Desktop) -> None:
    well, ill = start("galculator", until='[name="7"]'), start("mousepad", until="editable-text")
    adapter = AtspiAdapter(desktop.env)
    try:
        victim = next(window for window in adapter.read(timeout=10).windows if window.app_name == "mousepad")
        os.kill(ill.process.pid, signal.SIGKILL)
        tree = adapter.read(timeout=5)
        assert "galculator" in {window.app_name for window in tree.windows}
        ill.process.wait(10)
        with pytest.raises(Stale):
            adapter.perform(ops.Press(), victim.uid, None, timeout=2)
        assert well.shows("0")
    finally:
        adapter.close()


def test_changes_are_heard_and_cost_little(start: Start) -> None:
    running = start("galculator", until='[name="7"]')
    before = running.adapter.read(timeout=10)
    heard: list[bool] = []
    stop = running.adapter.subscribe(lambda: heard.append(True))
    running.app.run(ops.Press('toggle-button[name="7"]'))
    after = running.adapter.read(timeout=10)
    stop()
    assert heard
    same = sum(1 for node in after if before.get(node.uid) is node)
    assert same > len(after) * 0.8, "what did not change is the same object"


def test_what_is_outside_cannot_run_functions_inside(start: Start) -> None:
    running = start("galculator", until='[name="7"]')
    with pytest.raises(ActionUnsupported):
        running.adapter.call(lambda: None, timeout=1)


def test_the_end_of_the_desktop_is_reported() -> None:
    with Desktop() as own, contextlib.closing(AtspiAdapter(own.env)) as adapter:
        adapter.read(timeout=5)
        own.close()
        for _ in range(2):
            with pytest.raises(ConnectFailed, match="does not answer") as caught:
                adapter.read(timeout=2)
            assert caught.value.target == own.display


def test_a_password_stays_in_the_program(start: Start) -> None:
    running = start(sys.executable, str(HERE / "gtk3_fields.py"), until="button")
    secret = next(node for node in running.adapter.read(timeout=5) if node.password)
    running.app.run(ops.SetValue(f"uid={secret.uid}", value="hunter2"))
    assert running.shows("7 characters")
    tree = running.adapter.read(details=True, timeout=5)
    assert "hunter2" not in repr([node.fields for node in tree])
    assert next(node for node in tree if node.password).value == MASK


def test_fields_of_gtk_are_filled_ticked_and_chosen(start: Start) -> None:
    running = start(sys.executable, str(HERE / "gtk3_fields.py"), until="button")
    app = running.app
    app.get_by_role("textfield", name="Name").fill("Ada")
    assert running.shows("name Ada")
    app.locator('checkbox[name="News"]').check()
    assert running.shows("news True")
    app.run(ops.Select("combo-box", text="Kenya"))
    assert running.shows("country Kenya")
    app.run(ops.SetValue("spin-button", value="7"))
    assert running.shows("amount 7")
    app.run(ops.SetValue("slider", value="30"))
    assert running.shows("volume 30")
    assert app.locator('button[name="Off"]').get().enabled is False
    app.run(ops.Click('button[name="Far away"]'))
    assert running.shows("far")


def test_a_client_of_orca_finds_the_display_of_a_calculator_by_its_value(start: Start) -> None:
    running = start("galculator", until='[name="7"]')
    for key in "7*6=":
        running.app.locator(f'toggle-button[name="{key}"]').click()
    assert running.shows("42")
    orca = Orca(running.app)
    (display,) = orca.call("tree.find", value="42")
    assert display["label"] == ""
    target = {"path": display["path"]}
    assert orca.call("sync.wait_for", target=target, state="value", value="42")["ok"] is True
