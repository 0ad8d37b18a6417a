"""Which point of an element is hit, what is in the way of it, and how it is scrolled to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deskhand import App, Desktop, expect
from deskhand.model import operations as ops
from deskhand.model.errors import NotReady

from .conftest import Running, Start

SCENES = Path(__file__).parent / "scenes"
DEBIAN = "/usr/bin/python3"
COMMANDS = {
    "gtk3": (DEBIAN, str(SCENES / "pointing_gtk.py"), "3.0"),
    "gtk4": (DEBIAN, str(SCENES / "pointing_gtk.py"), "4.0"),
    "qt5": (DEBIAN, str(SCENES / "pointing_qt.py"), "PyQt5"),
    "qt6": (sys.executable, str(SCENES / "pointing_qt.py"), "PySide6"),
}


class Scene:
    """A window of one toolkit, and what it says happened to it."""

    def __init__(self, toolkit: str, running: Running, state: Path) -> None:
        self.toolkit = toolkit
        self.app: App = running.app
        self._state = state

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._state.read_text())
        return found

    def becomes(self, condition: Callable[[dict[str, Any]], bool]) -> bool:
        """Wait until the scene says so."""
        deadline = time.monotonic() + 10
        while not condition(self.state):
            if time.monotonic() > deadline:
                return False
            self.app.wait_idle()
        return True

    def button(self, name: str) -> Any:
        return self.app.get_by_role("button", name=name)

    def area(self) -> Any:
        """What scrolls everything below the first rows."""
        scrollers = [node for node in self.app.tree() if node.role == "scroll-area"]
        if scrollers:
            return self.app.locator(f"uid={scrollers[0].uid}")
        wide = self.app.tree().get(self.button("Wide").get().uid)
        assert wide is not None
        viewport = list(self.app.tree().ancestors(wide))[1]
        return self.app.locator(f"uid={viewport.uid}")


def wait_until(condition: Callable[[], object], timeout: float = 10) -> bool:
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)  # what is waited for is outside of what deskhand can announce
    return True


def popups(desktop: Desktop) -> list[str]:
    """The windows on the screen that are frames of the window manager or popups, as xwininfo lists them."""
    env = {**os.environ, **desktop.env}
    tree = subprocess.run(
        ["xwininfo", "-root", "-children"], env=env, capture_output=True, text=True, check=True
    )
    ids = re.findall(r"^\s+(0x[0-9a-f]+) ", tree.stdout, re.MULTILINE)
    found = []
    for one in ids:
        about = subprocess.run(
            ["xwininfo", "-id", one, "-all"], env=env, capture_output=True, text=True, check=False
        )
        if "IsViewable" in about.stdout and "Override Redirect State: yes" in about.stdout:
            found.append(one)
    return found


@pytest.fixture(params=COMMANDS)
def scene(request: pytest.FixtureRequest, start: Start, tmp_path: Path) -> Scene:
    state = tmp_path / "state"
    running = start(*COMMANDS[request.param], str(state), until='button[name="Save"]')
    return Scene(request.param, running, state)


def test_a_wide_element_is_clicked_in_its_visible_part(scene: Scene) -> None:
    wide = scene.button("Wide")
    seen = wide.get()
    assert seen.bounds is not None
    assert seen.bounds.width > 1400
    part = seen.properties["visible_bounds"]
    assert part[2] <= 420
    wide.click()
    assert scene.becomes(lambda state: state["wide"] == 1)


def test_a_point_outside_the_visible_part_is_refused(scene: Scene) -> None:
    with pytest.raises(NotReady) as caught:
        scene.button("Wide").click(position=(1300, 10), timeout=0)
    assert caught.value.details["out_of_sight"]
    scene.app.wait_idle()
    assert scene.state["wide"] == 0


def test_elements_below_the_fold_are_scrolled_to_and_no_control_on_the_way_is_changed(scene: Scene) -> None:
    before = scene.state["values"]
    for name, what in (("Far away", "far"), ("Inside", "inside"), ("Wide", "wide")):
        scene.button(name).click()
        assert scene.becomes(lambda state, what=what: state[what] == 1), name  # type: ignore[misc]
    assert scene.state["values"] == before


def test_the_wheel_scrolls_an_area_full_of_controls_and_changes_none(scene: Scene) -> None:
    before = scene.state["values"]
    area = scene.area()
    done = area.scroll(dy=4)
    assert done.detail in ("by real input", "through accessibility")
    assert scene.becomes(lambda state: state["scrolled"][0] > 0)
    area.scroll(dx=2)
    assert scene.becomes(lambda state: state["aside"] > 0)
    assert scene.state["values"] == before


def test_the_wheel_over_a_control_scrolls_what_it_is_in(scene: Scene) -> None:
    before = scene.state["values"]
    spins = [node for node in scene.app.tree() if node.role == "spin-button" and node.visible]
    scene.app.run(ops.Scroll(f"uid={spins[0].uid}", dy=3))
    assert scene.becomes(lambda state: state["scrolled"][0] > 0)
    assert scene.state["values"] == before


def test_a_scroll_that_moves_nothing_says_so(scene: Scene) -> None:
    done = scene.area().scroll(dy=-2)
    assert done.detail is not None
    assert "nothing moved" in done.detail
    assert scene.state["scrolled"][0] == 0


@pytest.mark.parametrize("opened", [True, False], ids=["open already", "about to open"])
def test_a_completion_list_that_typing_opened_does_not_take_the_next_click(
    scene: Scene, desktop: Desktop, opened: bool
) -> None:
    before = len(popups(desktop))
    scene.app.locator('[name="Name"]').first.type("exis")
    if scene.toolkit == "gtk4":
        # It cannot be closed reliably, so what it covers is refused.
        assert wait_until(lambda: len(popups(desktop)) > before)
        with pytest.raises(NotReady) as caught:
            scene.button("Save").click(timeout=0.3)
        assert caught.value.details["covered_by"]
        assert (scene.state["save"], scene.state["name"]) == (0, "exis")
        return
    assert not opened or wait_until(lambda: len(popups(desktop)) > before)
    scene.button("Save").click()
    assert scene.becomes(lambda state: state["save"] == 1)
    assert scene.state["name"] == "exis"
    scene.button("Save").click()
    assert scene.becomes(lambda state: state["save"] == 2)


def test_an_open_menu_is_named_as_what_covers_the_rest_and_its_entries_can_be_clicked(
    start: Start, tmp_path: Path
) -> None:
    running = start(*COMMANDS["qt5"], str(tmp_path / "state"), until='button[name="Save"]')
    scene = Scene("qt5", running, tmp_path / "state")
    scene.button("Menu").click()
    entry = scene.app.get_by_role("menu-item", name="An entry")
    entry.wait_for()
    with pytest.raises(NotReady) as caught:
        scene.button("Save").click(timeout=0.3)
    assert "menu" in str(caught.value.details["covered_by"])
    entry.click()
    scene.button("Save").click()
    assert scene.becomes(lambda state: state["save"] == 1)


def test_a_widget_drawn_on_top_is_named_as_what_covers_the_one_below(scene: Scene) -> None:
    cover = scene.app.get_by_label("Cover")
    cover.check()
    with pytest.raises(NotReady) as caught:
        scene.button("Hidden").click(timeout=0.5)
    assert "An overlay" in str(caught.value.details["covered_by"])
    assert scene.state["hidden"] == 0
    with ThreadPoolExecutor() as pool:
        clicking = pool.submit(scene.button("Hidden").click, timeout=30)
        cover.uncheck()
        clicking.result(40)
    assert scene.becomes(lambda state: state["hidden"] == 1)


def test_the_box_of_a_group_is_hit(start: Start, tmp_path: Path) -> None:
    running = start(*COMMANDS["qt6"], str(tmp_path / "state"), until='button[name="Save"]')
    scene = Scene("qt6", running, tmp_path / "state")
    scene.app.locator('[name="A group"]').first.click()
    assert scene.becomes(lambda state: state["group"] == 1)
    assert scene.state["values"] == [0] * 20 + [4] * 10


@pytest.mark.programs
def test_the_pages_of_a_preferences_dialog_are_opened_by_a_click(start: Start) -> None:
    app = start("qbittorrent", until='button[name="I Agree"]').app
    app.get_by_role("button", name="I Agree").click()
    app.locator("menu-bar").wait_for(timeout=20)
    app.keyboard.press("alt+o")
    for page, shown in (("Speed", "Global Rate Limits"), ("Behavior", "Transfer List")):
        app.get_by_role("list-item", name=page).click(timeout=20)
        expect(app.locator(f'[name="{shown}"]').first).to_be_visible()
    last = app.get_by_role("checkbox", name="Log performance warnings")
    assert last.get().offscreen
    last.check()
    expect(last).to_be_checked()


@pytest.mark.programs
def test_a_row_wider_than_its_list_is_opened_by_a_click(start: Start) -> None:
    app = start("d-feet", until="list-item", name="d-feet").app
    row = app.locator('list-item:has-text("org.freedesktop.DBus")').first
    seen = row.get()
    assert seen.bounds is not None
    assert seen.bounds.width > 463
    row.click()
    expect(app.locator('[name="Address:"], [name="Bus Name:"], tree-grid').first).to_be_visible()


@pytest.mark.programs
def test_the_completion_list_of_a_file_dialog_does_not_take_the_click_on_save(
    start: Start, desktop: Desktop, tmp_path: Path
) -> None:
    for name in ("existing.txt", "open.txt"):
        (tmp_path / name).write_text("old")
    app = start("mousepad", str(tmp_path / "open.txt"), until="editable-text", name="mousepad").app
    app.locator("editable-text").first.fill("new")
    app.keyboard.press("ctrl+shift+s")
    field = app.locator('dialog >> textfield[name="Name:"]')
    field.wait_for()
    before = popups(desktop)
    app.wait_idle()
    app.keyboard.press("ctrl+a")
    app.keyboard.type("existing.tx")
    assert wait_until(lambda: len(popups(desktop)) > len(before))
    app.keyboard.type("t")
    app.locator('dialog >> button[name="Save"]').click()
    app.locator('button[name="Replace"]').click()
    assert wait_until(lambda: (tmp_path / "existing.txt").read_text() == "new")


ROWS = """if 1:
    import importlib, sys
    widgets = importlib.import_module(sys.argv[1] + ".QtWidgets")
    app = widgets.QApplication([])
    rows = widgets.QListWidget()
    rows.addItems([f"Row {number}" for number in range(40)])
    rows.currentTextChanged.connect(rows.setWindowTitle)
    rows.resize(200, 200)
    rows.show()
    (getattr(app, "exec", None) or app.exec_)()
"""


@pytest.mark.parametrize(
    ("python", "binding"), [(DEBIAN, "PyQt5"), (sys.executable, "PySide6")], ids=["qt5", "qt6"]
)
def test_rows_of_a_list_that_are_scrolled_away_are_scrolled_to_and_clicked(
    start: Start, python: str, binding: str
) -> None:
    app = start(python, "-c", ROWS, binding, until='list-item[name="Row 1"]').app
    for name in ("Row 30", "Row 2", "Row 39"):
        row = app.get_by_role("list-item", name=name, exact=True)
        if name != "Row 2":
            assert (row.get().visible, row.get().offscreen) == (True, True)
        row.click()
        expect(app.locator(f'[name="{name}"]').first).to_be_visible()
        assert wait_until(lambda name=name: app.windows()[0].title == name)  # type: ignore[misc]


RECYCLED = """if 1:
    import gi
    gi.require_version("Gtk", "4.0")
    from gi.repository import GLib, Gtk
    Gtk.init()
    window = Gtk.Window(title="none", default_width=300, default_height=300)
    model = Gtk.SingleSelection(model=Gtk.StringList.new([f"Row {n}" for n in range(200)]), autoselect=False)
    model.set_selected(Gtk.INVALID_LIST_POSITION)
    model.connect("notify::selected", lambda one, _: window.set_title(one.get_selected_item().get_string()))
    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, row: row.set_child(Gtk.Label()))
    factory.connect("bind", lambda _, row: row.get_child().set_label(row.get_item().get_string()))
    window.set_child(Gtk.ScrolledWindow(child=Gtk.ListView(model=model, factory=factory)))
    window.present()
    GLib.MainLoop().run()
"""


def test_a_row_whose_position_another_row_has_by_now_is_scrolled_away(start: Start) -> None:
    app = start(DEBIAN, "-c", RECYCLED, until='list-item[name="Row 0"]').app
    first = app.get_by_role("list-item", name="Row 0", exact=True)
    first.click()
    assert wait_until(lambda: app.windows()[0].title == "Row 0")
    second = app.get_by_role("list-item", name="Row 1", exact=True)
    app.locator("list").first.scroll(dy=10)
    with pytest.raises(NotReady) as caught:
        second.click(timeout=0.5)
    assert caught.value.details["out_of_sight"]
    assert "scrolled away" in str(caught.value)
    app.wait_idle()
    assert app.windows()[0].title == "Row 0"
    app.locator("list").first.scroll(dy=-20)
    second.click()
    assert wait_until(lambda: app.windows()[0].title == "Row 1")


POPOVERS = """if 1:
    import gi, sys
    from pathlib import Path
    gi.require_version("Gtk", "4.0")
    from gi.repository import Gio, GLib, Gtk
    Gtk.init()
    window = Gtk.Window(title="popovers", default_width=400, default_height=300)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(column)
    column.append(Gtk.Label(label="above", height_request=80))
    menu = Gio.Menu()
    for name in ("One", "Two", "Three"):
        menu.append(name, "chosen." + name)
    actions = Gio.SimpleActionGroup()
    for name in ("One", "Two", "Three"):
        action = Gio.SimpleAction(name=name)
        action.connect("activate", lambda one, _: Path(sys.argv[1]).write_text(one.get_name()))
        actions.add_action(action)
    window.insert_action_group("chosen", actions)
    column.append(Gtk.MenuButton(label="Menu", menu_model=menu, halign=Gtk.Align.END))
    inside = Gtk.Button(label="Inside")
    inside.connect("clicked", lambda _: Path(sys.argv[1]).write_text("Inside"))
    column.append(Gtk.MenuButton(label="More", popover=Gtk.Popover(child=inside), halign=Gtk.Align.CENTER))
    window.present()
    GLib.MainLoop().run()
"""


@pytest.mark.parametrize(
    ("opener", "role", "name", "scale"),
    [("Menu", "menu-item", "Two", 1), ("More", "button", "Inside", 1), ("More", "button", "Inside", 2)],
)
def test_what_is_in_an_open_popover_is_where_its_window_is(
    start: Start, desktop: Desktop, tmp_path: Path, opener: str, role: str, name: str, scale: int
) -> None:
    said = tmp_path / "said"
    argv = ("env", f"GDK_SCALE={scale}", DEBIAN, "-c", POPOVERS, str(said))
    app = start(*argv, until='button[name="Menu"]').app
    app.locator(f'button[name="{opener}"]').first.click()
    inside = app.get_by_role(role, name=name, exact=True)
    inside.wait_for()
    app.wait_idle()
    bounds = inside.get().bounds
    assert bounds is not None
    x, y = (str(round(one)) for one in bounds.center)
    subprocess.run(
        ["xdotool", "mousemove", x, y, "click", "1"], env=dict(desktop.env), check=True, timeout=20
    )
    assert wait_until(lambda: said.exists() and said.read_text() == name)
