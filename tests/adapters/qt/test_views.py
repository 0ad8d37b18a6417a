"""Lists, tables and trees: what is on the screen, however much there is."""

from __future__ import annotations

import pytest

from deskhand.model.errors import Stale
from tests.adapters.qt.scene.program import BINDINGS, PLATFORMS, program


@pytest.fixture(scope="module", params=[(b, p) for p in PLATFORMS for b in BINDINGS], ids="-".join)
def app(request):
    with program("every_widget", *request.param) as app:
        app.do("form.pages.setCurrentIndex(3)")
        yield app


def below(app, name, role):
    tree = app.tree()
    view = next(node for node in tree if node.automation_id == name)
    return [node for node in tree.descendants(view) if node.role == role]


def texts(nodes):
    return [node.text for node in nodes]


# -- lists --------------------------------------------------------------------------------------


def test_a_list_has_the_items_on_the_screen_and_their_count(app):
    app.do("form.names.scrollToTop()")
    items = below(app, "names", "list-item")
    view = app.get("names").virtualization
    assert (view.kind, view.items_count) == ("list", 500)
    assert view.visible_range == (0, len(items) - 1)
    assert texts(items) == [f"name {row}" for row in range(len(items))]
    assert 5 < len(items) < 60
    assert [row.uid for row in view.visible_cells] == [item.uid for item in items]


def test_a_scrolled_list_has_other_items(app):
    app.do("form.names.scrollToBottom()")
    items = below(app, "names", "list-item")
    view = app.get("names").virtualization
    assert view.visible_range[1] == 499
    assert texts(items)[-1] == "name 499"
    assert items[-1].properties["row"] == 499
    app.do("form.names.scrollToTop()")


def test_the_selection_of_a_list_is_reported(app):
    app.do("form.names.setCurrentIndex(form.name_model.index(3, 0))")
    view = app.get("names").virtualization
    assert (view.selected_indices, view.focused_index) == ((3,), 3)
    assert [item.text for item in below(app, "names", "list-item") if item.selected] == ["name 3"]
    app.do("form.names.clearSelection()")


def test_items_in_columns_are_all_there(app):
    items = below(app, "icons", "list-item")
    assert texts(items)[:3] == ["icon 0", "icon 1", "icon 2"]
    assert (items[0].checked, items[1].checked) == (True, None)
    rect = app.ask("list(form.icons.visualItemRect(form.icons.item(5)).getRect())")
    corner = app.ask("(lambda p: [p.x(), p.y()])(form.icons.viewport().mapToGlobal(QtCore.QPoint(0, 0)))")
    assert list(items[5].bounds) == [corner[0] + rect[0], corner[1] + rect[1], rect[2], rect[3]]


def test_an_item_keeps_its_uid_when_others_come_before_it(app):
    app.do("form.layers.clear(); form.layers.addItems(['one', 'two'])")
    before = {item.text: item.uid for item in below(app, "layers", "list-item")}
    app.do("form.layers.insertItem(0, 'zero')")
    after = {item.text: item.uid for item in below(app, "layers", "list-item")}
    assert before.items() <= after.items()
    app.do("form.layers.takeItem(1)")
    with pytest.raises(Stale, match='"one"'):
        app.tree(before["one"])
    assert app.tree(before["two"]).nodes[0].text == "two"


# -- tables -------------------------------------------------------------------------------------


def test_a_table_has_headers_rows_and_cells(app):
    app.do("form.numbers.scrollToTop()")
    tree = app.tree()
    table = app.get("numbers")
    view = table.virtualization
    headers = [node for node in tree if node.parent == table.uid and node.role == "column-header"]
    rows = [node for node in tree if node.parent == table.uid and node.role == "row"]
    assert texts(headers) == ["Name", "Double", "Quarter", "Nothing"]
    assert [column.text for column in view.columns] == texts(headers)
    assert view.items_count == 10_000
    assert view.visible_range == (0, len(rows) - 1)
    cells = [node for node in tree if node.parent == rows[3].uid]
    assert texts(cells) == ["row 3", "6", "0.75", ""]
    assert dict(view.visible_cells[3].cells) == {"0": "row 3", "1": "6", "2": "0.75", "3": ""}
    assert (rows[3].name, rows[3].properties["row"]) == ("4", 3)


def test_cells_say_what_can_be_done_to_them(app):
    cells = {tuple(node.properties.values()): node for node in below(app, "numbers", "cell")}
    assert [cells[row, 0].checked for row in (0, 1)] == [False, True]
    assert (cells[1, 1].editable, cells[1, 2].editable) == (True, False)
    assert (cells[1, 1].enabled, cells[2, 1].enabled) == (True, False)
    assert "toggle" in cells[0, 0].actions
    assert "edit" in cells[1, 1].actions


def test_selected_cells_and_rows_are_reported(app):
    app.do("form.numbers.selectRow(1)")
    cells = below(app, "numbers", "cell")
    assert {node.properties["row"] for node in cells if node.selected} == {1}
    assert [row.properties["row"] for row in below(app, "numbers", "row") if row.selected] == [1]
    app.do("form.numbers.selectAll()")
    selected = app.get("numbers").virtualization.selected_indices
    assert (selected[0], len(selected)) == (0, 100)
    app.do("form.numbers.clearSelection()")


def test_a_table_scrolled_far_down_has_those_rows(app):
    app.do("form.numbers.scrollTo(form.grid_model.index(9_000, 0), form.numbers.ScrollHint.PositionAtTop)")
    first, last = app.get("numbers").virtualization.visible_range
    assert first == 9_000
    assert last < 9_050
    assert texts(below(app, "numbers", "cell"))[0] == "row 9000"
    app.do("form.numbers.scrollToTop()")


def test_cells_that_span_hidden_columns_and_moved_ones_are_as_they_are_seen(app):
    tree = app.tree()
    table = app.get("merged")
    rows = [node for node in tree if node.parent == table.uid and node.role == "row"]
    shown = [texts(node for node in tree if node.parent == row.uid) for row in rows]
    assert shown == [["0/3", "0/0"], ["1/3"], ["2/3", "2/0", "2/1"], ["3/3", "3/0", "3/1"]]
    big = next(node for node in tree if node.text == "0/0")
    assert big.bounds.width in (199, 200)
    assert big.bounds.height in (59, 60)
    assert not big.editable
    button = next(node for node in tree if node.name == "In a cell")
    assert button.parent == table.uid


def test_an_item_off_the_screen_can_still_be_read(app):
    app.do("form.numbers.scrollToTop()")
    first = below(app, "numbers", "cell")[0]
    app.do("form.numbers.scrollToBottom()")
    alone = app.tree(first.uid).nodes[0]
    assert (alone.text, alone.offscreen) == ("row 0", True)
    app.do("form.numbers.scrollToTop()")


def test_a_table_costs_what_is_on_the_screen(app):
    asked = app.here(
        """
calls = [0]
real = type(form.grid_model).data
def data(self, index, role=0):
    calls[0] += 1
    return real(self, index, role)
type(form.grid_model).data = data
adapter.read(timeout=20)
answer = calls[0]
type(form.grid_model).data = real
"""
    )
    assert 0 < asked < 500


def test_the_editor_of_a_cell_is_below_the_table(app):
    app.do("form.numbers.edit(form.grid_model.index(1, 1))")
    tree = app.tree()
    table = next(node for node in tree if node.automation_id == "numbers")
    editors = [
        node for node in tree if node.parent == table.uid and node.role in ("textfield", "spin-button")
    ]
    assert len(editors) == 1
    app.do("form.numbers.setCurrentIndex(form.grid_model.index(0, 0)); form.numbers.clearSelection()")


# -- trees --------------------------------------------------------------------------------------


def test_a_tree_has_items_below_items(app):
    app.do("form.tree.collapseAll(); form.tree.topLevelItem(1).setExpanded(True)")
    tree = app.tree()
    view = app.get("tree")
    top = [node for node in tree if node.parent == view.uid and node.role == "tree-item"]
    assert texts(top)[:3] == ["part 0", "part 1", "part 2"]
    assert [item.expanded for item in top[:2]] == [False, True]
    inside = [node for node in tree if node.parent == top[1].uid]
    assert [(node.role, node.text) for node in inside] == [
        ("cell", "1 mm"),
        ("tree-item", "part 1a"),
        ("tree-item", "part 1b"),
        ("tree-item", "part 1c"),
    ]
    assert (view.virtualization.items_count, top[1].child_count) == (30, 4)


def test_items_whose_parent_is_scrolled_away_are_still_below_it(app):
    app.do("form.tree.expandAll()")
    app.do("form.deep = form.tree.topLevelItem(20).child(2).child(0)")
    app.do("form.tree.scrollToItem(form.deep, form.tree.ScrollHint.PositionAtTop); del form.deep")
    tree = app.tree()
    screw = next(node for node in tree if node.text == "screw 20c")
    above = list(tree.ancestors(screw))
    assert texts(above[:2]) == ["part 20c", "part 20"]
    assert above[0].offscreen
    assert above[1].offscreen
    assert not screw.offscreen
    app.do("form.tree.collapseAll(); form.tree.scrollToTop()")


def test_a_model_that_is_gone_leaves_an_empty_view(app):
    app.do("form.names.setModel(None)")
    assert app.get("names").virtualization is None
    app.do("form.names.setModel(form.name_model)")
    assert app.get("names").virtualization.items_count == 500


def test_a_table_can_be_a_window_of_its_own(app):
    app.do("form.alone = QtWidgets.QTableWidget(2, 1); form.alone.setObjectName('alone')")
    app.do("form.alone.setItem(0, 0, QtWidgets.QTableWidgetItem('first')); form.alone.show()")
    for _ in range(3):
        table = app.get("alone")
        assert (table.role, table.parent) == ("table", None)
        assert "first" in texts(below(app, "alone", "cell"))
    app.do("form.alone.item(0, 0).setText('second')")
    assert "second" in texts(below(app, "alone", "cell"))
    app.do("form.alone.close(); del form.alone")


STRICT = """
class Strict(QtCore.QAbstractTableModel):
    def rowCount(self, parent):
        return 2

    def columnCount(self, parent):
        return 2

    def data(self, index, role):
        return f"{index.row()}/{index.column()}" if role == 0 else None

    def headerData(self, section, orientation, role):
        return f"at {section}" if role == 0 else None

form.strict = QtWidgets.QTableView(objectName="strict")
form.strict.setModel(Strict(form.strict))
form.strict.resize(400, 300)
form.strict.show()
"""


def test_a_model_of_ones_own_is_given_every_argument(app):
    app.do(STRICT)
    assert texts(below(app, "strict", "cell")) == ["0/0", "0/1", "1/0", "1/1"]
    columns = app.get("strict").virtualization.columns
    assert [column.text for column in columns] == ["at 0", "at 1"]
    app.do("form.strict.close(); del form.strict")


def test_a_model_that_raises_is_not_read_as_empty(app):
    raising = "def headerData(self, section, orientation, role):\n        1 / len(broken)"
    app.do(
        "broken = ['not yet']\n"
        + STRICT.replace("def headerData(self, section, orientation, role):", raising)
    )
    app.do("broken.clear()")  # only for our read: if Qt itself asks, the binding may end the program
    told = app.get("strict").properties
    app.do("broken.append('repaired')")
    assert told["unreadable"] == "headerData: ZeroDivisionError: division by zero"
    assert "unreadable" not in app.get("strict").properties
    app.do("form.strict.close(); del form.strict")
