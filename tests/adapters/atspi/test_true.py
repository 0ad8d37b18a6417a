"""A connection that stays open sees what the program shows, also where the toolkit announces nothing.

Judged by raw AT-SPI: an independent walk in a process of its own. Once that has seen something, the very
next read of the open connection must have it too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deskhand import App, Desktop
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.adapters.atspi.bus import Connection, Lane
from deskhand.adapters.atspi.wire import Method
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.node import Node
from deskhand.model.verified import mismatches

from .conftest import Running, Start, starting

pytestmark = pytest.mark.programs

DEBIAN = "/usr/bin/python3"
HERE = Path(__file__).parent
DEMO = Path(__file__).parents[3] / "demo"
ROUNDS = 8
"""How often a dialog is read both ways after it has loaded: some seconds, for a walk takes most of one."""
_WALK = """
import json, sys
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
found = []
def visit(node):
    if node is None or node.get_role_name() == "menu bar":
        return
    states = node.get_state_set()
    text = node.get_text_iface()
    box = node.get_component_iface() and Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
    found.append((
        node.get_role_name(),
        node.get_name(),
        text and Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node)),
        states.contains(Atspi.StateType.SHOWING),
        states.contains(Atspi.StateType.SELECTED),
        box and (box.x, box.y, box.width, box.height),
    ))
    count = node.get_child_count()
    if count > 1000:
        for row in range(6):
            for column in range(4):
                visit(Atspi.Table.get_accessible_at(node, row, column))
    else:
        for at in range(count):
            visit(node.get_child_at_index(at))
desktop = Atspi.get_desktop(0)
for at in range(desktop.get_child_count()):
    app = desktop.get_child_at_index(at)
    if app is not None and app.get_process_id() == int(sys.argv[1]):
        visit(app)
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Raw:
    """An object as the program has it on the bus."""

    role: str
    name: str
    text: str | None
    showing: bool
    selected: bool
    box: tuple[int, int, int, int] | None


def raw(desktop: Desktop, running: Running) -> list[Raw]:
    """What a program has on the bus, but for its menus; of a huge table, the cells at its beginning."""
    argv = [DEBIAN, "-c", _WALK, str(running.adapter.info().pid)]
    answer = subprocess.run(argv, env=desktop.env, capture_output=True, text=True, check=True, timeout=60)
    return [
        Raw(role, name, text, showing, selected, None if box is None else tuple(box))
        for role, name, text, showing, selected, box in json.loads(answer.stdout)
    ]


def until(desktop: Desktop, running: Running, shown: Callable[[list[Raw]], object]) -> list[Raw]:
    """Wait until the program itself shows something."""
    deadline = time.monotonic() + 30
    while True:
        found = raw(desktop, running)
        if shown(found):
            return found
        assert time.monotonic() < deadline, found


def read(running: Running) -> list[Node]:
    return list(running.adapter.read(timeout=30))


def names(running: Running, role: str) -> set[str]:
    return {node.name or "" for node in read(running) if node.platform_role == role}


def names_of(found: list[Raw], role: str) -> set[str]:
    return {one.name for one in found if one.role == role}


# -- GTK 3 ---------------------------------------------------------------------------------------


def test_title_of_a_tab_that_changes_later_is_seen(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    running = start("gedit", str(tmp_path / "none.txt"), until="editable-text:visible")
    read(running)
    running.app.locator("editable-text:visible").first.type("words")
    until(desktop, running, lambda found: "*none.txt" in names_of(found, "label"))
    assert "*none.txt" in names(running, "label")


GROWING = """if 1:
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk
    window = Gtk.Window(title="Growing")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    button = Gtk.Button(label="Add")
    box.add(button)
    window.add(box)
    def add(_):
        label = Gtk.Label(label=f"label {len(box.get_children())}")
        box.pack_start(label, False, False, 0)
        label.show()
    button.connect("clicked", add)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()
"""


def test_labels_that_are_added_to_a_window_later_are_seen(start: Start, desktop: Desktop) -> None:
    running = start(DEBIAN, "-c", GROWING, until='button[name="Add"]')
    for number in (1, 2, 3):
        read(running)
        running.app.get_by_role("button", name="Add").click()
        until(desktop, running, lambda found, number=number: f"label {number}" in names_of(found, "label"))  # type: ignore[misc]
        labels = [node for node in read(running) if node.name == f"label {number}"]
        assert [(node.visible, node.bounds is not None) for node in labels] == [(True, True)]


TITLED = """if 1:
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk
    dialog = Gtk.Dialog(title="Titled", use_header_bar=1)
    dialog.get_content_area().add(Gtk.Label(label="content"))
    dialog.add_button("Done", 1)
    dialog.show_all()
    Gtk.main()
"""


def test_parts_of_a_dialog_of_gtk_3_have_the_order_in_which_it_lists_them(
    start: Start, desktop: Desktop
) -> None:
    running = start(DEBIAN, "-c", TITLED, until="dialog")
    listed = [one.name for one in raw(desktop, running) if one.name in ("content", "Done")]
    assert [node.name for node in read(running) if node.name in ("content", "Done")] == listed
    assert [node.name for node in read(running) if node.name in ("content", "Done")] == listed


def test_file_chooser_keeps_its_files_and_places(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    files = [f"file {number}.txt" for number in range(12)]
    for name in files:
        (tmp_path / name).write_text(name)
    running = start("mousepad", str(tmp_path / files[0]), until="editable-text", name="mousepad")
    read(running)
    running.app.keyboard.press("ctrl+shift+s")

    def shown(found: list[Raw]) -> Counter[tuple[str, str]]:
        rows = ("table cell", "list item", "label", "table row")
        return Counter((one.role, one.name) for one in found if one.role in rows and one.name)

    before = shown(until(desktop, running, lambda found: names_of(found, "table cell") >= set(files)))
    agreed = 0
    deadline = time.monotonic() + 60
    while agreed < ROUNDS:
        ours = Counter(
            (node.platform_role or "", node.name)
            for node in running.adapter.read(internals=True, timeout=30)
            if node.name
        )
        after = shown(raw(desktop, running))
        if before == after:
            agreed += 1
            assert after - ours == Counter()
        assert time.monotonic() < deadline, "the dialog never came to an end"
        before = after


def test_details_have_the_same_attributes_whatever_was_read_before(start: Start) -> None:
    running = start(DEBIAN, str(DEMO / "gtk3_form.py"), until="button")
    adapter = running.adapter
    read(running)
    running.app.get_by_role("button", name="Place order…").click()
    running.app.locator("dialog").first.wait_for(timeout=20)
    running.app.wait_idle()
    read(running)

    def attributes(nodes: list[Node]) -> dict[str, object]:
        return {node.uid: node.properties.get("attributes") for node in nodes}

    warm = attributes(list(adapter.read(details=True, timeout=30)))
    (dialog,) = [node.uid for node in read(running) if node.role == "dialog"]
    assert warm[dialog] == {"toolkit": "gtk", "window-type": "dialog"}
    assert attributes(list(adapter.read_cold(details=True, timeout=30))) == warm
    for uid in list(warm)[:: max(1, len(warm) // 10)]:
        assert attributes(list(adapter.read(uid, depth=0, details=True, timeout=30))) == {uid: warm[uid]}


TREE = """if 1:
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk
    store = Gtk.TreeStore(str)
    for name in ("Africa", "Asia", "Europe"):
        parent = store.append(None, [name])
        for number in range(3):
            store.append(parent, [f"{name} {number}"])
    view = Gtk.TreeView(model=store)
    view.append_column(Gtk.TreeViewColumn("Place", Gtk.CellRendererText(), text=0))
    window = Gtk.Window(title="Places", default_width=300, default_height=400)
    window.add(view)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()
"""


_RENAMED = """
import sys
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton
app = QApplication(sys.argv)
app.setApplicationName("Before")
window, button = QMainWindow(), QPushButton("Rename")
window.setCentralWidget(button)
button.clicked.connect(lambda: (app.setApplicationName("After"), button.setText("Renamed")))
window.show()
sys.exit(app.exec())
"""


def test_a_program_that_calls_itself_by_another_name_has_that(start: Start) -> None:
    app = start(sys.executable, "-c", _RENAMED, until="button").app
    assert {window.app_name for window in app.windows()} == {"Before"}
    app.locator("button").click()
    app.locator('button[name="Renamed"]').wait_for()
    assert {window.app_name for window in app.windows()} == {"After"}


def test_a_cold_read_does_not_connect_to_the_session_bus_again(start: Start, desktop: Desktop) -> None:
    """Programs such as d-feet list all connections there, and would change by being read."""
    running = start(sys.executable, "-c", _RENAMED, until="button")

    def connections() -> int:
        """How many there were so far: the bus numbers them."""
        connection = Connection(desktop.env["DBUS_SESSION_BUS_ADDRESS"])
        connection.close()
        return int(connection.unique_name.rpartition(".")[2])

    before = connections()
    for _ in range(3):
        running.adapter.read_cold(timeout=20)
    assert connections() == before + 1


def test_rows_below_an_expanded_one_are_where_they_moved_to(start: Start, desktop: Desktop) -> None:
    running = start(DEBIAN, "-c", TREE, until='[name="Europe"]')
    read(running)
    running.app.locator('tree-item[name="Africa"]').first.expand()
    found = until(desktop, running, lambda found: "Africa 2" in names_of(found, "table cell"))
    theirs = {one.name: one.box for one in found if one.role == "table cell"}
    ours = {node.name: node.bounds for node in read(running) if node.role == "tree-item"}
    assert {name: (box.x, box.y, box.width, box.height) for name, box in ours.items() if box} == theirs


# -- GTK 4 ---------------------------------------------------------------------------------------


def test_button_of_gnome_calculator_that_got_another_label_has_it(start: Start, desktop: Desktop) -> None:
    running = start("gnome-calculator", until='button[name="7"]')
    assert "Basic" in {node.name for node in read(running)}
    running.app.keyboard.press("ctrl+alt+p")
    until(desktop, running, lambda found: "Programming" in {one.name for one in found})
    ours = {node.name for node in read(running)}
    assert "Basic" not in ours
    assert "Programming" in ours


# -- Qt ------------------------------------------------------------------------------------------


def test_what_is_inside_a_checkable_group_box_is_read(start: Start) -> None:
    code = """if 1:
        from PyQt5 import QtWidgets
        app = QtWidgets.QApplication([])
        box = QtWidgets.QGroupBox("Proxy")
        box.setCheckable(True)
        box.setChecked(False)
        QtWidgets.QVBoxLayout(box).addWidget(QtWidgets.QPushButton("inside"))
        box.show()
        app.exec()
    """
    app = start(DEBIAN, "-c", code, until='[name="Proxy"]').app
    assert not app.get_by_role("button", name="inside").get().enabled
    app.locator('checkbox[name="Proxy"]').first.check()
    assert app.get_by_role("button", name="inside").get().enabled


def test_settings_of_keepassxc_that_open_after_a_read_are_visible(
    start: Start, desktop: Desktop, tmp_path: Path
) -> None:
    running = start("env", f"TMPDIR={tmp_path}", "keepassxc", until="menu-bar", timeout=60)
    read(running)
    running.app.locator('menu-bar >> menu-item[name="Settings"]').first.click()
    box = "Remember previously used databases"

    def boxes(found: list[Raw]) -> set[str]:
        return {one.name.strip() for one in found if one.role == "check box" and one.showing}

    theirs = boxes(until(desktop, running, lambda found: box in boxes(found)))
    nodes = read(running)
    assert {n.name for n in nodes if n.platform_role == "check box" and n.visible} == theirs
    placed = {n.name for n in nodes if n.platform_role == "list item" and n.visible and n.bounds}
    assert placed >= {"General", "Security", "Browser Integration", "SSH Agent"}


UNEVEN = """if 1:
    import importlib, sys
    QtGui, QtWidgets = (importlib.import_module(f"{sys.argv[1]}.{name}") for name in ("QtGui", "QtWidgets"))
    app = QtWidgets.QApplication([])
    model = QtGui.QStandardItemModel()
    top = [QtGui.QStandardItem(name) for name in ("top", "second", "third")]
    model.appendRow(top)
    for number in range(3):
        top[0].appendRow([QtGui.QStandardItem(f"item {number}"), QtGui.QStandardItem("more")])
    tree = QtWidgets.QTreeView()
    tree.setModel(model)
    tree.expandAll()
    tree.show()
    app.exec()
"""


@pytest.mark.parametrize(
    ("python", "binding"), [(DEBIAN, "PyQt5"), (sys.executable, "PySide6")], ids=["qt5", "qt6"]
)
def test_items_of_a_qt_tree_whose_rows_have_unequal_lengths_keep_their_uids(
    start: Start, python: str, binding: str
) -> None:
    running = start(python, "-c", UNEVEN, binding, until='tree-item[name="item 1"]')
    items = [(node.uid, node.name) for node in read(running) if node.role == "tree-item"]
    assert {"item 0", "item 1", "item 2"} <= {name for _, name in items}
    for _ in range(3):
        assert [(node.uid, node.name) for node in read(running) if node.role == "tree-item"] == items
    receipt = running.app.keyboard.press("end", receipt=True).receipt
    assert receipt is not None
    assert (receipt.added, receipt.removed) == ((), ())


# -- LibreOffice ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def calc(desktop: Desktop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    profile = tmp_path_factory.mktemp("profile")
    with starting(desktop) as start:
        yield start(
            "localc", "--norestore", "--nologo", f"-env:UserInstallation=file://{profile}",
            until='cell[name="A3"]', timeout=90, name="soffice",
        )  # fmt: skip


def cells(found: list[Raw]) -> dict[str, str]:
    return {one.name: one.text or "" for one in found if one.role == "table cell" and one.text}


def text(app: App, cell: str) -> str | None:
    return app.locator(f'cell[name="{cell}"]').get().text


def test_cells_of_calc_show_what_was_typed_and_computed(calc: Running, desktop: Desktop) -> None:
    app = calc.app
    app.keyboard.press("ctrl+home")
    read(calc)
    for typed in ("10", "20", "=A1+A2"):
        app.keyboard.type(typed, submit=True)
    until(desktop, calc, lambda found: cells(found).get("A3") == "30")
    assert [text(app, cell) for cell in ("A1", "A2", "A3")] == ["10", "20", "30"]
    app.keyboard.press("ctrl+home")
    app.keyboard.type("15", submit=True)
    until(desktop, calc, lambda found: cells(found).get("A3") == "35")
    assert [text(app, cell) for cell in ("A1", "A2", "A3")] == ["15", "20", "35"]


def test_cells_of_calc_that_are_set_have_their_values(calc: Running, desktop: Desktop) -> None:
    app = calc.app
    for cell, value in (("B1", "7"), ("B2", "words"), ("B1", "8"), ("B2", "other")):
        app.locator(f'cell[name="{cell}"]').set_value(value)
        until(desktop, calc, lambda found, cell=cell, value=value: cells(found).get(cell) == value)  # type: ignore[misc]
        assert text(app, cell) == value


def test_click_on_a_cell_of_calc_hits_that_cell(calc: Running, desktop: Desktop) -> None:
    def fields(found: list[Raw]) -> set[str | None]:
        return {one.text for one in found if one.role == "text" and one.showing}

    for cell in ("A1", "C5", "F20", "B2"):
        calc.app.locator(f'cell[name="{cell}"]').click()
        # The Name Box has the address of the cell that has the cursor.
        until(desktop, calc, lambda found, cell=cell: cell in fields(found))  # type: ignore[misc]


def test_calc_has_one_menu_bar_and_it_has_a_size(calc: Running) -> None:
    (bar,) = [node for node in read(calc) if node.role == "menu-bar"]
    assert bar.visible
    assert bar.bounds is not None
    assert min(bar.bounds.width, bar.bounds.height) > 0


def test_sheet_that_is_added_and_selected_by_keys_is_the_selected_one(
    calc: Running, desktop: Desktop
) -> None:
    def selected(found: list[Raw]) -> list[str]:
        return [
            one.name
            for one in found
            if one.role == "page tab" and one.name.startswith("Sheet") and one.selected
        ]

    app = calc.app
    app.locator('menu-bar >> [name="Sheet"] >> [name="Insert Sheet at End..."]').first.click()
    app.locator('dialog[name="Append Sheet"]').wait_for(timeout=30)
    app.keyboard.press("enter")
    until(desktop, calc, lambda found: "Sheet2" in names_of(found, "page tab"))
    for key, sheet in (("ctrl+Page_Up", "Sheet1"), ("ctrl+Page_Down", "Sheet2"), ("ctrl+Page_Up", "Sheet1")):
        app.keyboard.press(key)
        until(desktop, calc, lambda found, sheet=sheet: selected(found) == [sheet])  # type: ignore[misc]
        tabs = {node.name: node.selected for node in read(calc) if node.role == "tab"}
        assert tabs == {"Sheet1": sheet == "Sheet1", "Sheet2": sheet == "Sheet2"}


@pytest.mark.parametrize("kit", ["3.0", "4.0"])
def test_rows_of_a_long_list_of_gtk_are_those_in_view(start: Start, tmp_path: Path, kit: str) -> None:
    log = tmp_path / "log"
    running = start(sys.executable, str(HERE / "gtk_rows.py"), kit, str(log), until="list-item")

    def shown() -> tuple[int, ...] | None:
        view = next((node.virtualization for node in read(running) if node.virtualization), None)
        return None if view is None else view.visible_range

    def in_view() -> tuple[int, ...]:
        return tuple(int(row) for row in log.read_text().split())

    for _ in range(4):
        assert shown() == in_view()
        running.app.run(ops.Scroll("list" if kit == "4.0" else "list-box", dy=30))
        running.app.wait_idle()
    assert in_view()[0] > 100
    first = in_view()[0] + 1
    assert any(node.name == f"Row {first}" and not node.offscreen for node in read(running))
    assert Path(f"{log}.warnings").read_text() == ""


HEADERS = """if 1:
    import importlib, sys
    widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
    app = widgets.QApplication(["headers"])
    tree = widgets.QTreeWidget()
    tree.setHeaderLabels([f"Column {number}" for number in range(8)])
    for number in range(6):
        tree.setColumnHidden(number, True)
    tree.resize(600, 300)
    tree.show()
    app.exec_() if sys.argv[1] == "PyQt5" else app.exec()
"""


@pytest.mark.parametrize("kit", ["PyQt5", "PySide6"])
def test_headers_of_qt_next_to_hidden_columns_have_bounds(start: Start, kit: str) -> None:
    python = DEBIAN if kit == "PyQt5" else sys.executable
    running = start(python, "-c", HEADERS, kit, until="column-header")
    headers = [node for node in read(running) if node.role == "column-header"]
    shown = [node.name for node in headers if node.bounds is not None and node.bounds.width > 0]
    assert shown == ["Column 6", "Column 7"]
    cold = {node.uid: (node.bounds, node.offscreen) for node in running.adapter.read_cold(timeout=30)}
    assert all(cold[node.uid] == (node.bounds, node.offscreen) for node in headers)


REPEATING = """if 1:
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk
    window = Gtk.Window(title="Repeating")
    box = Gtk.Box()
    label = Gtk.Label(label="steady")
    button = Gtk.Button(label="Rename")
    button.connect("clicked", lambda _: label.get_accessible().set_name("renamed"))
    box.add(label)
    box.add(button)
    window.add(box)
    def repeat():
        for name in ("accessible-name", "accessible-description"):
            label.get_accessible().notify(name)
        return True
    GLib.timeout_add(5, repeat)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()
"""


def test_program_that_announces_an_unchanged_name_again_and_again_is_idle(start: Start) -> None:
    running = start(DEBIAN, "-c", REPEATING, until='text[name="steady"]')
    running.app.wait_idle(timeout=10)
    running.app.get_by_role("button", name="Rename").click()
    running.app.get_by_role("text", name="renamed").wait_for(timeout=20)


HIDDEN = """if 1:
    import importlib, sys
    widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
    app = widgets.QApplication(["hidden"])
    window = widgets.QWidget()
    layout = widgets.QVBoxLayout(window)
    rows = widgets.QListWidget()
    rows.addItems([f"Row {number}" for number in range(40)])
    table = widgets.QTableWidget(40, 2)
    for number in range(40):
        table.setItem(number, 0, widgets.QTableWidgetItem(f"Cell {number}"))
    for view in (rows, table):
        layout.addWidget(view)
        view.setRowHidden(1, True)
    button = widgets.QPushButton("Hide")
    button.clicked.connect(lambda: [view.setRowHidden(2, True) for view in (rows, table)])
    layout.addWidget(button)
    window.resize(400, 300)
    window.show()
    app.exec_() if sys.argv[1] == "PyQt5" else app.exec()
"""


@pytest.mark.parametrize("kit", ["PyQt5", "PySide6"])
def test_rows_of_qt_that_are_hidden_are_not_visible_and_those_scrolled_away_are_off_screen(
    start: Start, kit: str
) -> None:
    running = start(DEBIAN if kit == "PyQt5" else sys.executable, "-c", HIDDEN, kit, until='[name="Row 0"]')

    def seen(kind: str) -> list[tuple[bool, bool]]:
        known = {node.name: (node.visible, node.offscreen) for node in read(running)}
        return [known[f"{kind} {number}"] for number in (0, 1, 2, 39)]

    for kind in ("Row", "Cell"):
        assert seen(kind) == [(True, False), (False, False), (True, False), (True, True)]
    running.app.get_by_role("button", name="Hide").click()
    running.app.wait_idle()
    for kind in ("Row", "Cell"):
        assert seen(kind) == [(True, False), (False, False), (False, False), (True, True)]


COMPLETING = """if 1:
    import importlib, sys
    widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
    core = importlib.import_module(f"{sys.argv[1]}.QtCore")
    app = widgets.QApplication(["completing"])
    field = widgets.QLineEdit()
    offers = widgets.QTreeWidget()
    offers.setWindowFlags(core.Qt.WindowType.Popup)
    def offer(text):
        offers.clear()
        offers.addTopLevelItem(widgets.QTreeWidgetItem([text + " and more"]))
        offers.move(field.mapToGlobal(core.QPoint(0, field.height())))
        offers.setVisible(not text.endswith("more"))
    field.textChanged.connect(offer)
    offers.itemClicked.connect(lambda item, _: field.setText(item.text(0)))
    field.show()
    app.exec_() if sys.argv[1] == "PyQt5" else app.exec()
"""


@pytest.mark.parametrize("kit", ["PyQt5", "PySide6"])
def test_list_that_qt_opens_while_text_is_typed_is_in_the_tree(start: Start, kit: str) -> None:
    python = DEBIAN if kit == "PyQt5" else sys.executable
    running = start(python, "-c", COMPLETING, kit, until="textfield")
    running.app.locator("textfield").type("x")
    offered = running.app.locator('tree-item[name="x and more"]')
    offered.wait_for(timeout=20)
    tree = running.adapter.read(timeout=20)
    assert [window.kind for window in tree.windows] == ["regular", "popup"]
    assert {node.uid: node.parent for node in running.adapter.read_cold(timeout=20)} == {
        node.uid: node.parent for node in tree
    }
    offered.click()
    offered.wait_for(state="gone", timeout=20)
    assert running.app.locator("textfield").get().value == "x and more"


def test_a_program_of_gtk_4_that_has_closed_windows_is_not_asked_for_all_that_was_in_them(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GTK 4 never takes what was in a window off its list, which makes each read slower than the last."""
    form = subprocess.Popen(
        [DEBIAN, str(DEMO / "gtk4_form.py"), "--again"],
        env=dict(desktop.env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert form.stdin is not None
    assert form.stdout is not None
    asked: list[bytes] = []
    post = Connection.post

    def noted(self: Connection, lane: Lane, path: bytes, method: Method, *rest: Any) -> None:
        asked.append(method.message(1, path))
        post(self, lane, path, method, *rest)

    monkeypatch.setattr(Connection, "post", noted)
    adapter, fresh = (AtspiAdapter(desktop.env, pid=form.pid) for _ in range(2))
    app = App(LocalEngine(Session(adapter), "form"))
    try:
        for _ in range(8):
            app.locator("button").first.wait_for(timeout=30)
            form.stdin.write("again\n")
            form.stdin.flush()
            assert form.stdout.readline() == "ready\n"
        app.wait_idle(timeout=30)
        whole = [
            (node.role, node.name, node.text, node.bounds, node.placeholder)
            for node in fresh.read(timeout=30)
        ]
        asked.clear()
        tree = adapter.read(timeout=30)
        assert asked
        assert not [message for message in asked if b"GetItems" in message]
        assert [(node.role, node.name, node.text, node.bounds, node.placeholder) for node in tree] == whole
        assert [node.placeholder for node in tree if node.placeholder] == ["Full name"]
        assert mismatches(tree, adapter.read_cold(timeout=30)) == []
    finally:
        fresh.close()
        app.close()
        adapter.close()
        form.kill()
        form.communicate()
