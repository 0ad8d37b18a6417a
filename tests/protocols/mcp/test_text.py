"""The text of a snapshot: what a model needs to operate a window, within a number of tokens."""

from __future__ import annotations

import re
import threading

import pytest

from deskhand.engine.observe import difference
from deskhand.model import operations as ops
from deskhand.model.node import AppInfo, Node, Option, Rect, Window
from deskhand.model.operations import Snapshot
from deskhand.model.tree import Tree
from deskhand.serving.mcp import mcp_server

AT = Rect(0, 0, 100, 20)


class Screen:
    """A runner over nodes that do not change, and the text of its snapshots."""

    def __init__(self, *nodes, windows=None):
        first = nodes[0]
        self.nodes = list(nodes)
        self.windows = windows or (Window(first.uid, first.name, bounds=first.bounds, focused=True),)
        self.server = mcp_server(self)

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.GetAppInfo):
            return AppInfo("GTK", "3", 7, toolkit="atspi")
        if isinstance(operation, ops.Find):
            return [node for node in self.nodes if f'"{node.uid}"' in operation.target]
        assert isinstance(operation, ops.ReadTree)
        return Snapshot(1, tree=Tree(list(self.nodes), self.windows))

    def close(self):
        pass

    def snapshot(self, **arguments):
        answer = self.server.call("ui_get_snapshot", arguments, threading.Event())
        assert not answer["isError"], answer
        return answer

    def tree(self, **arguments):
        return self.snapshot(**arguments)["content"][0]["text"].split("\n")

    def notes(self, **arguments):
        return self.snapshot(**arguments)["content"][1]["text"].split("\n")


class Nodes:
    """Makes nodes with uids in order, on the screen unless given otherwise."""

    def __init__(self):
        self.made = []

    def add(self, parent, role, name=None, **fields):
        fields.setdefault("bounds", AT)
        uid = f"u-{len(self.made) + 1}"
        if fields["bounds"] is None:
            del fields["bounds"]
        known = {"role": role, "native_class": "Native", "backend": "atspi", **fields}
        if name is not None:
            known["name"] = name
        if parent is not None:
            known["parent"] = parent
        self.made.append(Node(uid, **known))
        return uid


@pytest.fixture
def nodes():
    nodes = Nodes()
    nodes.add(None, "window", "Editor")
    return nodes


def menu(nodes, parent="u-1", name="File", entries=("New", "Open", "Save"), **fields):
    uid = nodes.add(parent, "menu", name)
    for entry in entries:
        nodes.add(uid, "menu-item", entry, bounds=None, **fields)
    return uid


def test_a_closed_menu_is_one_line_with_the_number_of_its_entries(nodes):
    uid = menu(nodes)
    inner = nodes.add(uid, "menu", "Recent", bounds=None)
    nodes.add(inner, "menu-item", "a.txt", bounds=None)
    nodes.add("u-1", "button", "Go")
    screen = Screen(*nodes.made)

    assert screen.tree() == [
        "Stage[0] Editor (focused)",
        '  window (uid=u-1) "Editor"',
        '    menu (uid=u-2) "File" (5 entries, closed)',
        '    button (uid=u-8) "Go"',
    ]
    assert any(
        line.startswith('closed menus: {"root":"u-2"}') and "ui_query" in line for line in screen.notes()
    )


def test_the_entries_of_a_closed_menu_are_listed_below_it_as_root(nodes):
    uid = menu(nodes)
    inner = nodes.add(uid, "menu", "Recent", bounds=None)
    nodes.add(inner, "menu-item", "a.txt", bounds=None)

    lines = Screen(*nodes.made).tree(root=uid)

    assert [line.strip() for line in lines[1:]] == [
        'menu (uid=u-2) "File"',
        'menu-item (uid=u-3) "New"',
        'menu-item (uid=u-4) "Open"',
        'menu-item (uid=u-5) "Save"',
        'menu (uid=u-6) "Recent" (1 entry, closed)',
    ]


def test_the_entries_of_an_open_menu_are_listed(nodes):
    uid = nodes.add("u-1", "menu", "File")
    nodes.add(uid, "menu-item", "Save")

    assert '      menu-item (uid=u-3) "Save"' in Screen(*nodes.made).tree()


def test_an_entry_that_holds_a_nameless_popup_is_one_closed_menu(nodes):
    file = nodes.add("u-1", "menu-item", "File")
    popup = nodes.add(file, "menu", bounds=None)
    nodes.add(popup, "menu-item", "Save", bounds=None)
    screen = Screen(*nodes.made)

    assert screen.tree()[-1] == '    menu-item (uid=u-2) "File" (1 entry, closed)'
    assert screen.tree(root=file)[-1] == '    menu-item (uid=u-4) "Save"'


def test_the_json_of_a_closed_menu_has_its_entries(nodes):
    menu(nodes)

    root = Screen(*nodes.made).snapshot()["structuredContent"]["output"]["stages"][0]["scene"]["root"]

    assert len(root["children"][0]["children"]) == 3


def test_the_options_of_a_closed_combo_box_are_among_the_values_only(nodes):
    options = (Option(0, "red"), Option(1, "green"))
    box = nodes.add("u-1", "combo-box", "Colour", options=options, value="red")
    inside = nodes.add(box, "menu", bounds=None)
    nodes.add(inside, "menu-item", "red", bounds=None)
    screen = Screen(*nodes.made)

    assert screen.tree()[-1] == '    combo-box (uid=u-2) "Colour"'
    assert 'u-2 = "red" of red | green' in screen.notes()


def test_all_options_of_a_combo_box_are_listed_where_it_is_asked_for_by_itself(nodes):
    texts = [f"Comma-separated values, variant {at} (.csv)" for at in range(30)]
    box = nodes.add("u-1", "combo-box", "Format", options=tuple(map(Option, range(30), texts)))
    screen = Screen(*nodes.made)

    assert f"u-2 = of {' | '.join(texts[:8])} | … 22 more" in screen.notes()
    assert f"u-2 = of {' | '.join(texts)}" in screen.notes(root=box)


def test_empty_cells_are_counted_and_the_focused_one_is_listed(nodes):
    sheet = nodes.add("u-1", "table", "Sheet1")
    nodes.add(sheet, "cell", "A1", editable=True, focused=True)
    nodes.add(sheet, "cell", "B1", editable=True, text="7", value="7")
    for name in ("C1", "A2", "B2"):
        nodes.add(sheet, "cell", name, editable=True)
    screen = Screen(*nodes.made)

    assert screen.tree()[2:] == [
        '    table (uid=u-2) "Sheet1"',
        '      cell (uid=u-3) "A1"',
        '      cell (uid=u-4) "7" (B1)',
        '      … 3 empty cells, "C1" to "B2"',
    ]
    assert any("rows only counted" in line and "ui_query" in line for line in screen.notes())


def test_a_long_run_of_rows_is_counted_and_its_root_lists_all(nodes):
    table = nodes.add("u-1", "table", "Files")
    for at in range(50):
        row = nodes.add(table, "row")
        nodes.add(row, "cell", f"file {at}", selected=at == 40)
        nodes.add(row, "cell", f"{at} kB")
    screen = Screen(*nodes.made)

    tree = screen.tree()
    listed = [line for line in tree if '"file ' in line]

    assert len(listed) == 13
    assert '"file 40"' in listed[-1], "a row that is selected is listed"
    assert tree[-1] == "      … 37 more rows"
    assert len([line for line in screen.tree(root=table) if '"file ' in line]) == 50


def test_a_list_of_a_few_rows_is_listed_and_its_options_are_not_said_twice(nodes):
    options = tuple(Option(at, f"Page {at}") for at in range(20))
    pages = nodes.add("u-1", "list", "Pages", options=options)
    for at in range(20):
        nodes.add(pages, "list-item", f"Page {at}")
    screen = Screen(*nodes.made)

    assert sum('"Page ' in line for line in screen.tree()) == 20
    assert not any(" = of " in line for line in screen.notes())


def test_nodes_that_look_the_same_are_counted_after_the_first_ones(nodes):
    for at in range(32):
        nodes.add("u-1", "button", "0" if at != 20 else "1")
    nodes.add("u-1", "button", "=")

    assert [line.strip() for line in Screen(*nodes.made).tree()[2:]] == [
        'button (uid=u-2) "0"',
        'button (uid=u-3) "0"',
        'button (uid=u-4) "0"',
        '… 17 more button "0", which ui_query finds',
        'button (uid=u-22) "1"',
        'button (uid=u-23) "0"',
        'button (uid=u-24) "0"',
        'button (uid=u-25) "0"',
        '… 8 more button "0", which ui_query finds',
        'button (uid=u-34) "="',
    ]


def test_a_button_in_a_button_of_the_same_name_has_no_line(nodes):
    outer = nodes.add("u-1", "button", "Basic")
    inner = nodes.add(outer, "button", "Basic")
    nodes.add(inner, "text", text="Basic")

    assert Screen(*nodes.made).tree()[2:] == ['    button (uid=u-2) "Basic"']


def test_a_combo_box_that_says_nothing_is_seen_on_a_screenshot(nodes):
    nodes.add("u-1", "combo-box", bounds=Rect(0, 0, 138, 34))

    assert Screen(*nodes.made).tree()[-1] == "    combo-box (uid=u-2) (138x34, use ui_screenshot)"


def test_what_can_be_operated_is_listed_before_texts_where_the_tokens_end(nodes):
    for at in range(200):
        nodes.add("u-1", "text", text=f"a sentence that explains something at length, number {at}")
    for at in range(20):
        nodes.add("u-1", "button", f"Button {at}")
    screen = Screen(*nodes.made)

    answer = screen.snapshot(maxTokens=1000)
    tree, notes = (block["text"] for block in answer["content"])

    assert tree.count("button (uid=") == 20
    assert 0 < tree.count("text (uid=") < 200
    assert len(tree) + len(notes) <= 1000 * 2.5
    left = int(re.search(r"(\d+) nodes beyond 1000 tokens left out", notes)[1])
    assert tree.count("text (uid=") + left == 200
    assert "larger maxTokens" in notes
    assert answer["structuredContent"]["output"]["leftOut"]["nodes"] == left


def test_a_snapshot_has_three_thousand_tokens_by_default_and_its_json_all_nodes(nodes):
    for at in range(1000):
        nodes.add("u-1", "button", f"Button {at}")
    screen = Screen(*nodes.made)

    answer = screen.snapshot()
    length = sum(len(block["text"]) for block in answer["content"])

    assert 2500 * 2.5 < length <= 3000 * 2.75
    assert "beyond 3000 tokens left out" in answer["content"][1]["text"]
    root = answer["structuredContent"]["output"]["stages"][0]["scene"]["root"]
    assert len(root["children"]) == 1000


def test_a_dialog_that_is_open_gets_its_lines_before_the_window_behind_it(nodes):
    for at in range(1000):
        nodes.add("u-1", "button", f"Button {at}")
    dialog = nodes.add(None, "dialog", "Question")
    nodes.add(dialog, "text", text="Discard all changes?")
    nodes.add(dialog, "button", "Discard")
    windows = (Window("u-1", "Editor"), Window(dialog, "Question", kind="dialog", focused=True, modal=True))
    screen = Screen(*nodes.made, windows=windows)

    text = "\n".join(screen.tree(stage="all", maxTokens=300))

    assert '"Discard all changes?"' in text
    assert '"Discard"' in text
    assert '"Button 0"' in text
    assert '"Button 999"' not in text


def test_what_is_scrolled_away_comes_after_what_is_on_the_screen(nodes):
    for at in range(300):
        nodes.add("u-1", "button", f"Above {at}", offscreen=True)
    nodes.add("u-1", "text", text="Total: 7")

    assert any('"Total: 7"' in line for line in Screen(*nodes.made).tree(maxTokens=300))


def test_a_button_without_a_name_has_its_tooltip(nodes):
    nodes.add("u-1", "button", description="Edit this brush\nShift  Edit all")
    nodes.add("u-1", "toggle-button", tooltip="Lock pixels", checked=False)
    nodes.add("u-1", "button", "Named", tooltip="Says more")

    assert [line.strip() for line in Screen(*nodes.made).tree()[2:]] == [
        'button (uid=u-2) "Edit this brush"',
        'toggle-button (uid=u-3) "Lock pixels"',
        'button (uid=u-4) "Named"',
    ]


def test_a_canvas_and_a_box_that_draws_itself_have_a_line_with_their_size(nodes):
    nodes.add("u-1", "canvas", bounds=Rect(0, 0, 640, 480))
    nodes.add("u-1", "group", focusable=True, bounds=Rect(0, 0, 207, 413))
    nodes.add("u-1", "group", bounds=Rect(0, 0, 10, 10))

    assert [line.strip() for line in Screen(*nodes.made).tree()[2:]] == [
        "canvas (uid=u-2) (640x480, use ui_screenshot)",
        "group (uid=u-3) (207x413, use ui_screenshot)",
    ]


def test_scroll_bars_and_texts_that_a_line_says_already_have_no_line(nodes):
    nodes.add("u-1", "scroll-bar", value="0")
    frame = nodes.add("u-1", "group", "Timeout")
    nodes.add(frame, "text", text="Timeout")
    label = nodes.add("u-1", "text", text="Name", child_count=1)
    nodes.add(label, "textfield", "Name", editable=True)

    assert [line.strip() for line in Screen(*nodes.made).tree()[2:]] == [
        'group (uid=u-3) "Timeout"',
        'textfield (uid=u-6) "Name"',
    ]


def test_a_class_is_the_toolkits_own_and_else_the_role_of_selectors(nodes):
    nodes.add("u-1", "editable-text", "Notes", native_class="Text")
    nodes.add("u-1", "editable-text", "Notes", native_class="QTextEdit", backend="qt")
    nodes.add("u-1", "unknown", "Odd", native_class="Odd")

    assert [line.split()[0] for line in Screen(*nodes.made).tree()[2:]] == [
        "editable-text",
        "QTextEdit",
        "Odd",
    ]


def test_the_whole_tree_in_full_mode_folds_nothing(nodes):
    menu(nodes)

    assert sum("menu-item" in line for line in Screen(*nodes.made).tree(mode="full")) == 3


# -- receipts and matches ------------------------------------------------------------------------------


class Changing(Screen):
    """The same for a model, which an action turns into something else."""

    def __init__(self, *nodes, then=(), opened=(), closed=(), **options):
        super().__init__(*nodes, **options)
        self.server = mcp_server(self, parts="content")
        self.before = Tree(self.nodes, self.windows, 1)
        self.then = then
        self.windows_then = (*opened, *(window for window in self.windows if window.uid not in closed))

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.Action):
            self.nodes, self.windows = list(self.then), self.windows_then
            return ops.Done()
        if isinstance(operation, ops.ReadTree) and operation.since is not None:
            tree = Tree(self.nodes, self.windows, 2)
            return Snapshot(2, tree if operation.whole else None, difference(self.before, tree))
        return None if isinstance(operation, ops.WaitIdle) else super().run(operation, cancel)

    def receipt(self):
        answer = self.server.call(
            "ui_perform", {"actions": [{"type": "pressKey", "key": "F2"}]}, threading.Event()
        )
        assert not answer["isError"], answer
        return answer["content"][0]["text"].split("\n")


def test_a_receipt_lists_the_buttons_of_a_new_dialog_first(nodes):
    before = list(nodes.made)
    dialog = nodes.add(None, "dialog", "Export")
    bar = nodes.add(dialog, "menu", "View")
    nodes.add(bar, "menu-item", "Zoom", bounds=None)
    table = nodes.add(dialog, "table", "Files")
    for at in range(50):
        nodes.add(table, "cell", f"file {at}", bounds=Rect(0, at * 20, 100, 20))
    nodes.add(dialog, "textfield", "Name:", editable=True, value="in.png", text="in.png")
    nodes.add(dialog, "button", "Export")
    nodes.add(dialog, "button", "Cancel")
    opened = (Window(dialog, "Export", kind="dialog", modal=True, focused=True),)
    app = Changing(*before, then=nodes.made, opened=opened)

    told = app.receipt()

    assert told[:6] == [
        "done: pressKey",
        "revision 2",
        f'windowsOpened: "Export" (uid={dialog}) modal',
        f'+dialog (uid={dialog}) "Export"',
        '+button (uid=u-57) "Export"',
        '+button (uid=u-58) "Cancel"',
    ]
    assert '+textfield (uid=u-56) "Name:" = "in.png"' in told
    assert '+menu (uid=u-3) "View" (1 entry, closed)' in told
    assert "… 38 more rows" in told
    assert not any("Zoom" in line for line in told)
    assert re.fullmatch(r"\d+ more; ui_get_snapshot shows what there is now", told[-1])


def test_the_json_of_a_receipt_lists_the_buttons_of_a_new_dialog_first(nodes):
    before = list(nodes.made)
    dialog = nodes.add(None, "dialog", "Export")
    for at in range(300):
        nodes.add(dialog, "text", text=f"line {at}")
    nodes.add(dialog, "button", "Export")
    app = Changing(*before, then=nodes.made, opened=(Window(dialog, "Export", focused=True),))
    app.server = mcp_server(app)

    answer = app.server.call(
        "ui_perform", {"actions": [{"type": "pressKey", "key": "F2"}]}, threading.Event()
    )
    receipt = answer["structuredContent"]["output"]["receipt"]

    assert [entry["text"] for entry in receipt["added"][:2]] == ["Export", "Export"]
    assert receipt["added"][1]["type"] == "Native"
    assert len(receipt["added"]) + receipt["leftOut"]["entries"] == 302


def test_a_receipt_says_in_one_line_each_what_changed_closed_and_went(nodes):
    first, second = (nodes.add("u-1", "button", name) for name in ("One", "Two"))
    total = nodes.add("u-1", "text", "Total", text="0")
    dialog = nodes.add(None, "dialog", "Question")
    for at in range(40):
        nodes.add(dialog, "button", f"Answer {at}")
    windows = (Window("u-1", "Editor"), Window(dialog, "Question", focused=True))
    then = [
        nodes.made[0],
        nodes.made[1].changed(enabled=False),
        nodes.made[2].changed(enabled=False),
        nodes.made[3].changed(text="7"),
    ]
    app = Changing(*nodes.made, then=then, closed=(dialog,), windows=windows)

    assert app.receipt() == [
        "done: pressKey",
        "revision 2",
        f'windowsClosed: {dialog} dialog "Question"',
        f'~{total} text "7" (text "Total")',
        f"~{first} {second} not enabled",
    ]


def test_a_receipt_of_changes_that_have_no_lines_says_that_there_are_some(nodes):
    menu(nodes)
    then = [node.changed(enabled=False) if node.role == "menu-item" else node for node in nodes.made]
    app = Changing(*nodes.made, then=then)

    assert app.receipt()[1:] == ["revision 2", "3 changes in nodes that a snapshot does not list"]


def test_matches_are_lines_with_their_states_and_what_they_are_in(nodes):
    file = menu(nodes, entries=("Save",), enabled=False)
    nodes.add("u-1", "button", tooltip="Save all")
    app = Changing(*nodes.made)

    def found(**arguments):
        answer = app.server.call("ui_query", arguments, threading.Event())
        return answer["content"][0]["text"].split("\n")

    assert found(selector={"text": "save"}) == [
        'menu-item (uid=u-3) "Save" disabled in menu "File"',
        'button (uid=u-4) "Save all"',
    ]
    assert found(selector={"text": "save"}, limit=1)[-1] == "1 more; a limit above 1 shows them"
    assert found(selector={"text": "nothing"}) == ["no match"]
    assert file == "u-2"
