"""What a uid stands for, and that it never stands for anything else."""

from __future__ import annotations

import pytest

from tests.adapters.qt.scene.program import BINDINGS, program

BEFORE = """
from deskhand.adapters.qt.handles import MenuEntry, Header, Item, Registry, SceneItem, Tab
from deskhand.model.errors import Stale
import gc, weakref
W = QtWidgets
registry = Registry(adapter._binding)
def gone(uid):
    try:
        registry.native(uid)
    except Stale as error:
        return str(error)
    return None
def delete(native):
    native.deleteLater()
    app.sendPostedEvents(native, 52)
"""


@pytest.fixture(scope="module", params=BINDINGS)
def app(request):
    with program("every_widget", request.param) as app:
        yield app


def on_gui(app, code):
    """Run code on the GUI thread; it sets `answer`."""
    lines = "\n".join(f"    {line}" for line in code.strip().splitlines())
    return app.here(
        BEFORE
        + f"""
def run():
    answer = None
{lines}
    return answer
run.__globals__.update(QtWidgets=QtWidgets, QtCore=QtCore, QtGui=QtGui, form=form, app=app)
answer = adapter.call(run, timeout=20)
"""
    )


def test_a_uid_leads_back_to_its_object(app):
    assert on_gui(
        app,
        """
uid = registry.uid(form.push)
answer = registry.native(uid) is form.push and registry.uid(form.push) == uid and uid.startswith("u-")
""",
    )


def test_an_object_that_is_destroyed_is_stale_by_name(app):
    assert (
        on_gui(
            app,
            """
button = W.QPushButton("Save", form)
known = registry.know(button)
known.label = "Save"
uid = known.uid
delete(button)
first = gone(uid)
del button, known
gc.collect()
answer = [first, gone(uid)]
""",
        )
        == [f'QPushButton "Save" (uid {uid}) is gone' for uid in ["u-1"]] * 2
    )


def test_uids_are_never_given_out_again(app):
    assert on_gui(
        app,
        """
seen = set()
for _ in range(300):
    label = W.QLabel("x")
    box = W.QSpinBox()
    uids = {registry.uid(label), registry.uid(box), registry.uid(box.findChild(W.QLineEdit))}
    assert not uids & seen
    seen |= uids
    del label, box
answer = [len(seen), all(gone(uid) for uid in seen)]
""",
    ) == [900, True]


def test_nothing_is_kept_alive(app):
    assert (
        on_gui(
            app,
            """
window = W.QWidget()
table = W.QTableWidget(2, 2)
W.QVBoxLayout(window).addWidget(table)
tabs = W.QTabBar()
tabs.addTab("x")
menu = W.QMenu()
action = menu.addAction("y")
scene = W.QGraphicsScene()
view = W.QGraphicsView(scene)
scene.addRect(0, 0, 1, 1)
registry.uid(window)
registry.item(table, table.model().index(0, 0))
registry.tabs(tabs)
registry.entry(menu, action)
registry.header(table.horizontalHeader(), 0, "1")
registry.scene_item(view, scene.items()[0])
traces = [weakref.ref(each) for each in (window, table, tabs, menu, view, scene)]
del window, table, tabs, menu, action, view, scene
gc.collect()
answer = [trace() is None for trace in traces]
""",
        )
        == [True] * 6
    )


def test_the_inner_parts_of_a_dialog_made_in_c_stay_the_same(app):
    app.post("W = QtWidgets; W.QMessageBox.information(form, 'Title', 'Text')")
    assert on_gui(
        app,
        """
box = app.activeModalWidget()
button = box.findChild(W.QPushButton)
uid = registry.uid(button)
del box, button
gc.collect()
again = app.activeModalWidget().findChild(W.QPushButton)
answer = [registry.uid(again) == uid, registry.native(uid) is again, again.text()]
""",
    ) == [True, True, "OK"]
    app.do("app.activeModalWidget().accept()")


def test_rows_keep_their_uid_wherever_they_move(app):
    assert on_gui(
        app,
        """
table = W.QTableWidget(3, 2)
for row in range(3):
    table.setItem(row, 0, W.QTableWidgetItem(str(row)))
model = table.model()
uids = [registry.item(table, model.index(row, 0)) for row in range(3)]
other = registry.item(table, model.index(1, 1))
table.insertRow(0)
moved = [registry.native(uid).index.row() for uid in uids]
table.sortItems(0, QtCore.Qt.SortOrder.DescendingOrder)
texts = [registry.native(uid).index.data() for uid in uids]
cell = registry.native(other)
row = registry.item(table, model.index(0, 0), row=True)
answer = [moved, texts, cell.index.column(), registry.native(row).row, row in uids]
table.removeRow(registry.native(uids[1]).index.row())
answer += [gone(uids[1]) is not None, gone(other) is not None, gone(uids[0])]
table.setColumnCount(3)
answer += [gone(uids[0]) is not None]
""",
    ) == [[1, 2, 3], ["0", "1", "2"], 1, True, False, True, True, None, True]


def test_tabs_keep_their_uid_wherever_they_move(app):
    assert on_gui(
        app,
        """
bar = W.QTabBar()
for text in "abc":
    bar.addTab(text)
uids = registry.tabs(bar)
bar.moveTab(0, 2)
moved = [registry.native(uid).index for uid in uids]
bar.setTabText(2, "renamed")
renamed = registry.native(uids[0]).index
bar.removeTab(0)
answer = [moved, renamed, gone(uids[1]) is not None, registry.native(uids[2]).index]
pages = W.QTabWidget()
for text in "xx":
    pages.addTab(W.QWidget(), text)
first, second = registry.tabs(pages.tabBar())
pages.removeTab(0)
answer += [gone(first) is not None, registry.native(second).index]
""",
    ) == [[2, 0, 1], 2, True, 0, True, 0]


def test_entries_headers_and_graphics_items_are_stale_when_they_are_gone(app):
    assert on_gui(
        app,
        """
menu = W.QMenu()
action = menu.addAction("one")
entry = registry.entry(menu, action)
here = isinstance(registry.native(entry), MenuEntry)
menu.removeAction(action)
table = W.QTableWidget(1, 2)
table.setHorizontalHeaderLabels(["A", "B"])
header = registry.header(table.horizontalHeader(), 1, "B")
section = registry.native(header).section
table.setHorizontalHeaderLabels(["A", "C"])
scene = W.QGraphicsScene()
view = W.QGraphicsView(scene)
item = scene.addRect(0, 0, 1, 1)
graphics = registry.scene_item(view, item)
same = registry.native(graphics).item is item
scene.clear()
scene.addRect(0, 0, 1, 1)
answer = [here, bool(gone(entry)), section, bool(gone(header)), same, bool(gone(graphics))]
""",
    ) == [True, True, 1, True, True, True]


def test_what_is_gone_is_let_go_of(app):
    assert on_gui(
        app,
        """
for _ in range(40):
    spins = [W.QSpinBox() for _ in range(50)]
    for spin in spins:
        registry.uid(spin.findChild(W.QLineEdit))
    del spin, spins
    registry.purge()
gc.collect()
answer = len(registry._kept) < 1500 and len(registry.known) < 3000 and len(registry._gone) <= 1000
""",
    )


def test_rows_are_remembered_up_to_a_bound(app):
    assert on_gui(
        app,
        """
from deskhand.adapters.qt import handles
table = W.QTableWidget(handles.ROWS_KEPT + 100, 1)
uids = [registry.item(table, table.model().index(row, 0)) for row in range(table.rowCount())]
answer = [len(registry._lines) == handles.ROWS_KEPT, gone(uids[0]) is not None, gone(uids[-1])]
""",
    ) == [True, True, None]


def test_cells_are_remembered_up_to_a_bound(app):
    assert on_gui(
        app,
        """
from deskhand.adapters.qt import handles
kept, handles.CELLS_KEPT = handles.CELLS_KEPT, 100
table = W.QTableWidget(60, 2)
cells = [(row, column) for row in range(60) for column in range(2)]
uids = [registry.item(table, table.model().index(row, column)) for row, column in cells]
handles.CELLS_KEPT = kept
answer = [len(registry._lines), gone(uids[0]) is not None, gone(uids[19]) is not None, gone(uids[20])]
""",
    ) == [50, True, True, None]
