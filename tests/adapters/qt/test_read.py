"""What the adapter reads of a window with every widget, in both bindings, with and without a screen."""

from __future__ import annotations

import json

import pytest

from deskhand.model import codec
from deskhand.model.errors import Stale
from deskhand.model.node import MASK
from deskhand.model.roles import ROLES
from tests.adapters.qt.scene.program import BINDINGS, PLATFORMS, program
from tests.traces import until

ROWS = ("cell", "tree-item", "list-item")
PAGES = ("buttons", "texts", "choices", "views", "containers", "drawings")


@pytest.fixture(scope="module", params=[(b, p) for p in PLATFORMS for b in BINDINGS], ids="-".join)
def running(request):
    with program("every_widget", *request.param) as app:
        yield app


@pytest.fixture
def app(running):
    return running


def show(app, page):
    app.do(f"form.pages.setCurrentIndex({PAGES.index(page)})")


def children(tree, node):
    return [child for child in tree if child.parent == node.uid]


def names(nodes):
    return [node.name for node in nodes]


# -- the whole ----------------------------------------------------------------------------------


def test_every_node_has_a_known_role_and_comes_after_its_parent(app):
    for page in PAGES:
        show(app, page)
        known = set()
        for node in app.tree(internals=True):
            assert node.role in ROLES
            assert node.backend == "qt"
            assert node.uid not in known
            assert node.parent is None or node.parent in known
            known.add(node.uid)


def test_the_main_window_is_described(app):
    window = app.tree().windows[0]
    assert (window.title, window.kind, window.modal) == ("Every widget", "regular", False)
    assert window.pid == app.process.pid
    assert window.scale == app.ask("form.devicePixelRatioF()")
    assert list(window.bounds) == app.ask("list(form.geometry().getRect())")
    assert window.native_id == (app.ask("int(form.winId())") if app.platform == "xcb" else None)


def test_bounds_are_where_the_program_has_its_widgets(app):
    for page in PAGES:
        show(app, page)
        for name in (
            "push",
            "street",
            "fruit",
            "tree",
            "in_options",
            "drawing",
            "zoom",
            "layers",
            "line_number",
        ):
            at = app.ask(
                f"form.{name}.mapToGlobal(QtCore.QPoint(0, 0)).toTuple()"
                if app.binding == "PySide6"
                else f"(lambda p: (p.x(), p.y()))(form.{name}.mapToGlobal(QtCore.QPoint(0, 0)))"
            )
            size = app.ask(f"(form.{name}.width(), form.{name}.height())")
            assert list(app.get(name).bounds) == [*at, *size]


def test_the_uid_of_a_node_stays_the_same(app):
    show(app, "texts")
    first = {node.automation_id: node.uid for node in app.tree() if node.automation_id}
    show(app, "choices")
    second = {node.automation_id: node.uid for node in app.tree() if node.automation_id}
    assert first.items() == second.items()


def test_a_node_read_alone_is_as_in_the_whole(app):
    for page in PAGES:
        show(app, page)
        tree = app.tree()
        for node in [each for each in tree if each.visible][::5]:
            assert app.tree(node.uid, depth=0).nodes[0].fields == node.fields


def test_a_subtree_is_as_in_the_whole(app):
    show(app, "containers")
    tree = app.tree()
    page = next(node for node in tree if node.automation_id == "containers_page")
    below = [page, *tree.descendants(page)]
    assert [node.fields for node in app.tree(page.uid)] == [node.fields for node in below]


def test_depth_leaves_out_what_is_deeper_and_still_counts_it(app):
    show(app, "containers")
    whole = app.tree()
    for depth in (0, 1, 2, 3):
        tree = app.tree(depth=depth)
        levels = {None: -1}
        for node in whole:
            levels[node.uid] = levels[node.parent] + 1
        assert [node.uid for node in tree] == [node.uid for node in whole if levels[node.uid] <= depth]
        assert [node.child_count for node in tree] == [
            node.child_count for node in whole if levels[node.uid] <= depth
        ]


def test_children_are_counted(app):
    for page in PAGES:
        show(app, page)
        tree = app.tree()
        for node in tree:
            assert node.child_count == len(children(tree, node)), node


def test_the_order_of_siblings_is_theirs_not_that_in_which_they_are_drawn(app):
    show(app, "buttons")
    page = app.get("buttons_page")
    before = names(children(app.tree(), page))
    app.do("form.push.raise_(); form.check.lower()")
    assert names(children(app.tree(), page)) == before
    assert names(children(app.tree(), app.get("splitter")))[:3:2] == ["left", "right"]
    pages = [node for node in children(app.tree(), app.get("pages")) if node.role == "tab-panel"]
    assert names(pages) == [page.capitalize() for page in PAGES]
    app.do("form.pages.tabBar().moveTab(0, 2)")
    pages = [node for node in children(app.tree(), app.get("pages")) if node.role == "tab-panel"]
    assert names(pages)[:3] == ["Texts", "Choices", "Buttons"]
    app.do("form.pages.tabBar().moveTab(2, 0)")


# -- buttons ------------------------------------------------------------------------------------


def test_buttons_are_called_by_their_captions(app):
    show(app, "buttons")
    push, toggle = app.get("push"), app.get("toggle")
    assert (push.role, push.name, push.text) == ("button", "Push & pull", "Push & pull")
    assert (toggle.role, toggle.checked) == ("toggle-button", True)
    assert app.get("icon_only").name == "Make it bold"
    assert app.get("link").name == "Go on"
    assert names(children(app.tree(), app.get("box"))) == ["OK", "Cancel"]


def test_boxes_say_whether_they_are_ticked(app):
    show(app, "buttons")
    assert (app.get("check").role, app.get("check").checked, app.get("check").mixed) == (
        "checkbox",
        True,
        False,
    )
    assert app.get("three").mixed
    assert [app.get(name).checked for name in ("red", "green")] == [False, True]
    assert app.get("red").role == "radio"


def test_a_button_has_the_entries_of_its_menu(app):
    show(app, "buttons")
    opens = app.get("opens")
    entries = children(app.tree(), opens)
    assert [(entry.name, entry.enabled) for entry in entries] == [("One", True), ("Two", False)]
    assert (opens.expanded, opens.child_count) == (False, 2)


def test_what_is_in_a_disabled_group_is_disabled_but_not_itself(app):
    show(app, "buttons")
    off, inside = app.get("off"), app.get("in_off")
    assert (off.enabled, off.enabled_self) == (False, None)
    assert (inside.enabled, inside.enabled_self) == (False, True)


def test_what_is_in_a_button_is_read_also_when_it_comes_later(app):
    show(app, "buttons")
    assert app.get("in_button").parent == app.get("full").uid
    app.do(
        "form.late = QtWidgets.QLabel('late', form.push); form.late.setObjectName('late'); form.late.show()"
    )
    assert app.get("late").parent == app.get("push").uid
    app.do("form.late.setParent(None); form.late.deleteLater(); del form.late")
    assert app.get("push").child_count == 0


def test_hidden_things_are_there_and_said_to_be_hidden(app):
    show(app, "buttons")
    assert app.get("hidden").visible is False
    assert app.get("hidden").visible_self is None
    street = app.get("street")
    assert (street.visible, street.visible_self) == (False, True)


def test_a_control_of_the_programs_own_has_its_accessible_name(app):
    stars = app.get("stars")
    assert (stars.native_class, stars.name, stars.focusable) == ("Stars", "3 stars", True)


# -- texts --------------------------------------------------------------------------------------


def test_fields_are_called_by_the_label_beside_above_or_of_theirs(app):
    show(app, "texts")
    assert app.get("street").name == "Street"
    assert app.get("town").name == "Town"
    assert app.get("letter").name == "Letter"
    assert app.get("search").name == "Search…"
    assert app.get("zoom").name == "Zoom"


def test_a_box_without_a_caption_is_called_by_the_label_that_belongs_to_it(app):
    gift = app.get("gift")
    assert (gift.role, gift.name) == ("checkbox", "Gift")
    assert app.tree(gift.uid).nodes[0].name == "Gift"
    app.do("form.gift.setText(' Wrapped ')")
    assert app.get("gift").name == app.tree(gift.uid).nodes[0].name == "Wrapped", "its own, without space"
    app.do("form.gift.parent().layout().labelForField(form.gift).setText('Present')")
    assert app.get("gift").name == "Wrapped"
    app.do("form.gift.setText('')")
    assert app.get("gift").name == "Present"
    app.do("form.gift.parent().layout().labelForField(form.gift).setText('Gift:')")
    assert app.get("gift").name == "Gift"


def test_a_box_without_a_caption_is_called_by_the_label_to_its_left_if_that_ends_with_a_colon(app):
    show(app, "texts")
    label = "form.street.parent().layout().itemAtPosition(0, 0).widget()"
    app.do("form.street.hide(); form.bare = QtWidgets.QCheckBox(objectName='bare')")
    app.do("form.street.parent().layout().addWidget(form.bare, 0, 1)")
    assert app.get("bare").name == "Street"
    app.do(f"{label}.setText('Street')")
    assert app.get("bare").name is None
    app.do(f"{label}.setText('Street:'); form.bare.deleteLater(); form.street.show()")


def test_a_field_takes_the_new_text_of_its_label(app):
    show(app, "texts")
    app.do("form.street.parent().layout().itemAtPosition(0, 0).widget().setText('Lane')")
    assert app.get("street").name == "Lane"
    app.do("form.street.parent().layout().itemAtPosition(0, 0).widget().setText('Street:')")
    assert app.get("street").name == "Street"


def test_texts_are_read(app):
    show(app, "texts")
    street, letter, log = app.get("street"), app.get("letter"), app.get("log")
    assert (street.role, street.value, street.editable) == ("textfield", "Main Road 1", True)
    assert (letter.role, letter.value) == ("editable-text", "Dear Ada,\nhello")
    assert (log.value, log.text, log.editable) == ("line 1\nline 2", "line 1\nline 2", False)
    assert (app.get("fixed").editable, app.get("fixed").text) == (False, "cannot be changed")
    assert (app.get("manual").role, app.get("manual").text) == ("document", "read me")
    assert app.get("town").placeholder == "where you live"
    assert app.get("keys").value == "Ctrl+K"


def test_labels_are_read_as_they_are_seen(app):
    show(app, "texts")
    assert app.get("rich").text == "Total: 5\xa0€"
    assert app.get("literal").text == "a & b < c"
    assert app.get("icon_label").role == "image"
    assert app.get("badge").text == "New"


def test_passwords_never_leave_the_program(app):
    show(app, "texts")
    for name in ("secret", "silent", "on_edit"):
        node = app.get(name)
        assert (node.password, node.value, node.text) == (True, MASK, None)
    app.do("form.on_edit.setFocus(); form.on_edit.selectAll()")
    everything = [
        app.tree(),
        app.tree(details=True, internals=True),
        app.tree(app.get("secret").uid, details=True),
    ]
    assert "hunter" not in json.dumps(codec.encode(everything))
    app.do("form.silent.clear()")
    assert app.get("silent").value == ""
    app.do("form.silent.setText('hunter3')")


def test_a_long_text_is_cut_and_says_so(app):
    app.do("form.log.setPlainText('x' * 50_000)")
    log = app.get("log")
    assert len(log.value) == 20_001
    assert log.value.endswith("…")
    assert log.properties["characterCount"] == 50_000
    app.do("form.log.setPlainText('line 1\\nline 2')")


# -- choices ------------------------------------------------------------------------------------


def test_a_combo_box_lists_its_options(app):
    fruit = app.get("fruit")
    assert (fruit.role, fruit.name, fruit.value, fruit.editable) == ("combo-box", "Fruit", "Pear", False)
    assert [(option.text, option.value, option.selected) for option in fruit.options] == [
        ("Apple", "1", False),
        ("Pear", "2", True),
    ]
    city = app.get("city")
    assert (city.name, city.value, city.editable) == ("City", "Somewhere", True)
    many = app.get("many")
    assert (len(many.options), many.options_count) == (100, 250)


def test_data_of_an_option_that_cannot_be_sent_is_left_out(app):
    app.do("""
class Odd:
    def __eq__(self, other): raise ValueError("which of us?")
form.fruit.addItem("Quince", Odd())""")
    assert [(option.text, option.value) for option in app.get("fruit").options][-1] == ("Quince", None)
    app.do("form.fruit.removeItem(2)")


def test_an_open_combo_box_has_a_popup_with_its_options(app):
    show(app, "choices")
    app.do("form.fruit.showPopup()")
    tree = app.tree()
    popup = next(node for node in tree if node.role == "menu-list-popup")
    assert [node.name for node in tree.descendants(popup) if node.role == "list-item"] == ["Apple", "Pear"]
    assert tree.window(popup.uid).kind == "popup"
    assert app.get("fruit").expanded is True
    app.do("form.fruit.hidePopup()")
    assert app.get("fruit").expanded is False
    assert all(node.role != "menu-list-popup" for node in app.tree())


def test_numbers_have_limits_and_a_text(app):
    show(app, "choices")
    weight, price, slider = app.get("weight"), app.get("price"), app.get("slider")
    assert (weight.role, weight.value, weight.text, weight.number) == ("spin-button", "1200", "1200 kg", 1200)
    assert (weight.minimum, weight.maximum) == (1, 9000)
    assert (price.value, price.text) == ("9.50", "€ 9.50")
    assert (slider.role, slider.value, slider.minimum, slider.maximum) == ("slider", "2", -5, 5)
    assert (app.get("dial").number, app.get("scroll").role) == (30, "scroll-bar")
    progress, busy = app.get("progress"), app.get("busy")
    assert (progress.role, progress.number, progress.text) == ("progress-indicator", 24, "24%")
    assert (busy.number, busy.value) == (None, None)
    assert app.get("lcd").text == "17"


def test_dates_and_times_have_the_text_they_show(app):
    day, clock, calendar = app.get("day"), app.get("clock"), app.get("calendar")
    assert (day.role, day.value, day.properties["dateTime"]) == (
        "date-picker",
        "28.02.2026",
        "2026-02-28T00:00:00",
    )
    assert (clock.role, clock.value) == ("input-time", "08:30")
    assert calendar.value == "2026-05-01"


def test_inner_parts_are_left_out_unless_asked_for(app):
    show(app, "choices")
    classes = {node.automation_id for node in app.tree()}
    assert not classes & {"qt_spinbox_lineedit", "qt_scrollarea_viewport", "qt_scrollarea_vcontainer"}
    inner = [node for node in app.tree(internals=True) if node.internal]
    weight = app.get("weight")
    assert [node.value for node in inner if node.parent == weight.uid] == ["1200 kg"]
    assert app.tree(inner[0].uid).nodes[0].uid == inner[0].uid


# -- containers ---------------------------------------------------------------------------------


def test_tabs_are_nodes_and_pages_have_their_names(app):
    show(app, "texts")
    tree = app.tree()
    pages = app.get("pages")
    tabs = [node for node in children(tree, pages) if node.role == "tab"]
    assert [(tab.name, tab.selected) for tab in tabs] == [
        (page.capitalize(), page == "texts") for page in PAGES
    ]
    assert (pages.role, pages.value) == ("tab-list", "Texts")
    page = app.get("texts_page")
    assert (page.role, page.name, page.visible) == ("tab-panel", "Texts", True)
    show(app, "containers")
    bar = app.get("bar")
    assert [(tab.name, tab.enabled) for tab in children(app.tree(), bar)] == [
        ("One", True),
        ("Two", True),
        ("Three", False),
    ]


def test_the_bar_of_a_tab_widget_is_not_an_element_whatever_its_name(app):
    app.do("form.lone = QtWidgets.QTabWidget(); form.lone.setObjectName('lone')")
    app.do("form.lone.setTabBar(QtWidgets.QTabBar()); form.lone.tabBar().setObjectName('own bar')")
    app.do("form.lone.addTab(QtWidgets.QWidget(), 'Only'); form.lone.show()")
    inside = children(app.tree(), app.get("lone"))
    assert [(node.role, node.name) for node in inside] == [("tab", "Only"), ("tab-panel", "Only")]
    app.do("form.lone.close(); del form.lone")


def test_a_page_that_is_a_field_is_called_by_its_tab_however_it_is_read(app):
    app.do("form.lone = QtWidgets.QTabWidget(); form.lone.addTab(QtWidgets.QTableWidget(), 'Basket')")
    app.do("form.lone.widget(0).setObjectName('basket'); form.lone.show()")
    table = app.get("basket")
    assert (table.role, table.name) == ("table", "Basket")
    assert app.tree(table.uid).nodes[0].name == "Basket"
    assert app.tree(table.uid, depth=0, details=True).nodes[0].name == "Basket"
    app.do("form.lone.close(); del form.lone")


def test_a_page_takes_the_new_text_of_its_tab(app):
    app.do("form.pages.setTabText(1, 'Wo&rds')")
    assert app.get("texts_page").name == "Words"
    app.do("form.pages.setTabText(1, '&Texts')")
    assert app.get("texts_page").name == "Texts"


def test_a_group_can_be_ticked(app):
    options, inside = app.get("options"), app.get("in_options")
    assert (options.role, options.name, options.checked) == ("group", "Options", False)
    assert inside.enabled is False


def test_what_is_scrolled_away_is_off_the_screen(app):
    show(app, "containers")
    tree = app.tree()
    rows = [node for node in tree if (node.name or "").startswith("row ") and node.role == "button"]
    shown = [node.name for node in rows if not node.offscreen]
    assert len(rows) == 40
    assert shown[0] == "row 0"
    assert len(shown) < 10
    app.do("form.area.verticalScrollBar().setValue(form.area.verticalScrollBar().maximum())")
    rows = [node for node in app.tree() if (node.name or "").startswith("row ") and node.role == "button"]
    assert [node.name for node in rows if not node.offscreen][-1] == "row 39"
    app.do("form.area.verticalScrollBar().setValue(0)")


def test_the_card_that_is_shown_is_visible(app):
    show(app, "containers")
    cards = children(app.tree(), app.get("stack"))
    assert [(card.name, card.visible) for card in cards] == [
        ("card 0", False),
        ("card 1", True),
        ("card 2", False),
    ]


def test_a_tool_box_has_a_tab_for_each_page_and_says_which_is_shown(app):
    show(app, "containers")

    def tabs():
        inside = children(app.tree(), app.get("tool_box"))
        return [(node.name, node.selected) for node in inside if node.role == "tab"]

    assert tabs() == [("First", True), ("Second", False)]
    app.do("form.tool_box.insertItem(1, QtWidgets.QLabel('between'), 'Between')")
    app.do("form.tool_box.setCurrentIndex(2)")
    assert sorted(tabs()) == [("Between", False), ("First", False), ("Second", True)]
    app.do("form.tool_box.removeItem(1); form.tool_box.setCurrentIndex(0)")


def test_docks_mdi_windows_lines_and_the_status_bar_are_read(app):
    show(app, "containers")
    tree = app.tree()
    assert [(node.role, node.name) for node in children(tree, app.get("mdi"))] == [
        ("window", "Document 0"),
        ("window", "Document 1"),
    ]
    assert (app.get("dock").role, app.get("dock").name) == ("region", "Layers")
    assert app.get("line").role == "separator"
    status = next(node for node in tree if node.role == "status")
    assert status.text == "ready to go"
    assert app.get("line_number").parent == status.uid


def test_a_window_that_its_program_keeps_off_the_screen_is_one(app):
    app.do("form.unseen = QtWidgets.QWidget(); form.unseen.setObjectName('unseen')")
    app.do("form.unseen.setAttribute(QtCore.Qt.WidgetAttribute.WA_DontShowOnScreen); form.unseen.show()")
    assert (app.get("unseen").role, app.get("unseen").parent) == ("window", None)
    app.do("form.unseen.close(); del form.unseen")


def test_a_dock_that_floats_is_a_window_of_its_own(app):
    app.do("form.dock.setFloating(True)")
    tree = app.tree()
    dock = app.get("dock")
    assert dock.parent is None
    assert tree.window(dock.uid).kind == "floating"
    assert tree.roots[0].native_class == "Form"
    app.do("form.dock.setFloating(False)")
    assert app.get("dock").parent == tree.roots[0].uid


# -- menus and tool bars ------------------------------------------------------------------------


def test_menus_are_read_whether_open_or_not(app):
    tree = app.tree()
    bar = next(node for node in tree if node.role == "menu-bar")
    file, view = children(tree, bar)
    assert (file.name, file.expanded, file.bounds.height > 0) == ("File", False, True)
    entries = children(tree, file)
    assert [entry.name for entry in entries] == ["Open…", "Save", "Secret", None, "Export"]
    assert [entry.visible for entry in entries] == [True, True, False, True, True]
    assert [entry.offscreen for entry in entries] == [True, True, False, True, True]
    assert not file.offscreen
    assert [entry.role for entry in entries][3] == "separator"
    assert (entries[0].properties["shortcut"], entries[0].bounds) == ("Ctrl+O", None)
    assert (entries[1].automation_id, entries[1].enabled) == ("action_save", False)
    assert names(children(tree, entries[4])) == ["as PDF"]
    assert [entry.enabled for entry in children(tree, entries[4])] == [True]
    app.do("form.menuBar().actions()[0].menu().actions()[4].menu().setEnabled(False)")
    inside = app.tree()
    assert [inside.get(entry.uid).enabled for entry in children(tree, entries[4])] == [False], "below it"
    app.do("form.menuBar().actions()[0].menu().actions()[4].menu().setEnabled(True)")
    assert [(entry.role, entry.checked) for entry in children(tree, view)] == [
        ("menu-item-radio", False),
        ("menu-item-radio", True),
        ("menu-item-checkbox", False),
    ]


def test_an_open_menu_is_where_it_was_opened_from(app):
    app.do("form.file = form.menuBar().actions()[0].menu(); form.file.popup(QtCore.QPoint(300, 200))")
    tree = app.tree()
    file = next(node for node in tree if node.name == "File")
    first = children(tree, file)[0]
    assert file.expanded is True
    assert [window.title for window in tree.windows] == ["Every widget"]
    at = app.ask("list(form.file.geometry().getRect())")
    inside = app.ask("list(form.file.actionGeometry(form.file.actions()[0]).getRect())")
    assert list(first.bounds) == [at[0] + inside[0], at[1] + inside[1], inside[2], inside[3]]
    assert not first.offscreen
    app.do("form.file.close()")


def test_a_context_menu_is_a_window_of_its_own(app):
    app.do("form.context = QtWidgets.QMenu(form); form.context.addAction('Copy')")
    app.do("form.context.popup(QtCore.QPoint(200, 200))")
    tree = app.tree()
    menu = tree.roots[-1]
    assert (menu.role, tree.window(menu.uid).kind) == ("menu", "popup")
    assert names(children(tree, menu)) == ["Copy"]
    app.do("form.context.close(); form.context.deleteLater(); del form.context")
    assert len(app.tree().roots) == 1


def test_a_tool_bar_without_room_for_all_its_tools_has_a_button_that_shows_the_others(app):
    def more(**how):
        return [node for node in app.tree(**how) if node.native_class == "QToolBarExtension" and node.visible]

    bar = "form.findChild(QtWidgets.QToolBar)"
    assert more() == []
    app.do(f"form.tools = [{bar}.addAction(f'a rather long tool {{at}}') for at in range(60)]")
    (shown,) = more()
    assert (shown.name, shown.role, shown.checked) == ("More", "toggle-button", False)
    assert shown.bounds.width > 0
    assert app.tree(shown.uid).nodes[0].name == "More"
    assert [node.uid for node in more(internals=True)] == [shown.uid]
    app.do(f"[{bar}.removeAction(tool) for tool in form.tools]")
    assert more() == []


def test_tool_bars_have_buttons_called_by_their_actions(app):
    tree = app.tree()
    bar = next(node for node in tree if node.role == "toolbar")
    assert bar.name == "Main tools"
    assert [(node.role, node.name) for node in children(tree, bar)] == [
        ("button", "Cut"),
        ("separator", None),
        ("text", "Zoom"),
        ("combo-box", "Zoom"),
    ]
    assert app.get("action_cut").role == "button"


# -- drawings -----------------------------------------------------------------------------------


def test_graphics_items_are_nodes_where_they_are_seen(app):
    show(app, "drawings")
    tree = app.tree()
    frame, words, proxy = children(tree, app.get("drawing"))
    assert (frame.native_class, frame.name, frame.selected) == ("QGraphicsRectItem", "the frame", False)
    assert (words.role, words.text) == ("text", "words")
    assert names(children(tree, frame)) == ["inside"]
    button = app.get("in_scene")
    assert (button.parent, button.role, button.name) == (proxy.uid, "button", "In a scene")
    at = app.ask(
        "(lambda p: (p.x(), p.y()))(form.drawing.viewport().mapToGlobal(form.drawing.mapFromScene(10, 10)))"
    )
    assert abs(frame.bounds.x - at[0]) <= 2
    assert abs(frame.bounds.y - at[1]) <= 2
    assert app.tree(words.uid).nodes[0].fields == words.fields


def test_reading_a_scene_leaves_its_items_alone(app):
    show(app, "drawings")
    before = app.ask("len(form.scene.items())")
    for _ in range(3):
        app.tree()
        app.do("import gc; gc.collect()")
    assert app.ask("len(form.scene.items())") == before
    assert app.ask("form.in_scene.text()") == "In a scene"


# -- programs as they are --------------------------------------------------------------------------


def test_names_that_a_program_takes_from_qt_do_not_get_in_the_way(app):
    app.do("form.own = form.make_own()")
    tree = app.tree()
    dialog = next(node for node in tree if node.automation_id == "own")
    below = list(tree.descendants(dialog))
    assert (dialog.role, dialog.name, tree.window(dialog.uid).title) == ("dialog", "Own", "Own")
    assert {"Panel", "Spin", "cell", "Tab", "page"} <= set(names(below))
    assert next(node for node in below if node.name == "Spin" and node.role == "spin-button").value == "7"
    for node in [dialog, *below]:
        assert app.tree(node.uid, depth=0).nodes[0].uid == node.uid
    assert app.tree(dialog.uid, details=True).nodes[0].font is not None
    app.do("QtWidgets.QDialog.close(form.own); form.own.deleteLater(); del form.own")


# -- details ------------------------------------------------------------------------------------


def test_details_have_the_properties_and_the_font(app):
    app.do("form.push.setProperty('color_scheme', 'dark'); form.push.setStatusTip('pushes')")
    plain = app.get("push")
    node = app.tree(plain.uid, details=True).nodes[0]
    assert not plain.properties
    assert node.properties["text"] == "&Push && pull"
    assert node.properties["autoDefault"] is False
    assert node.properties["color_scheme"] == "dark"
    assert node.description == "pushes"
    assert node.font.family == app.ask("form.push.font().family()")
    assert node.font.color == app.ask("form.push.palette().buttonText().color().name()")
    assert node.font.weight == "normal"
    json.dumps(codec.encode(app.tree(details=True)))


def test_a_given_id_wins_over_the_object_name(app):
    app.do("adapter.set_id(form.push, 'btn_push'); adapter.set_id(form.bar, 'bar')")
    node = app.get("btn_push")
    assert (node.automation_id, node.object_name) == ("btn_push", "push")
    assert app.get("bar").object_name is None
    app.do("adapter._registry.know(form.push).automation_id = None")


# -- what comes and goes ------------------------------------------------------------------------


def test_what_is_gone_is_stale_and_called_by_name(app):
    app.do("form.gone = QtWidgets.QPushButton('Short life', form); form.gone.setObjectName('gone')")
    app.do("form.gone.show()")
    uid = app.get("gone").uid
    app.do("form.gone.deleteLater(); del form.gone")
    with pytest.raises(Stale, match='QPushButton "Short life"'):
        app.tree(uid)


def test_a_window_that_its_program_drops_goes(app):
    app.do("import weakref; form.other = QtWidgets.QWidget(); form.other.setObjectName('other')")
    app.do("QtWidgets.QHBoxLayout(form.other).addWidget(QtWidgets.QTableWidget(3, 3)); form.other.show()")
    for _ in range(3):
        other = app.get("other")
    assert app.tree().windows[0].title == "Every widget"
    app.do("form.trace = weakref.ref(form.other); del form.other")
    assert app.ask("form.trace() is None")
    assert all(node.uid != other.uid for node in app.tree())
    with pytest.raises(Stale):
        app.tree(other.uid)


def test_dialogs_of_qts_own_are_read_while_they_wait(app):
    for _ in range(2):
        app.post("QtWidgets.QMessageBox.question(form, 'Sure?', 'Really <b>delete</b> it?')")
        tree = app.tree()
        box = tree.roots[-1]
        assert (box.role, box.name, box.modal) == ("dialog", "Sure?", True)
        assert "Really delete it?" in names(tree.descendants(box))
        assert [n.name for n in tree.descendants(box) if n.role == "button"] == ["Yes", "No"]
        assert tree.window(box.uid).modal
        assert app.state().modal_dialog == "Sure?"
        app.do("import gc; gc.collect()")
        again = {node.uid for node in app.tree()}
        assert {node.uid for node in tree} == again
        app.do("app.activeModalWidget().reject()")
        assert len(app.tree().windows) == 1
        with pytest.raises(Stale, match=r"QMessageBox \"Sure\?\""):
            app.tree(box.uid)


def test_a_file_dialog_is_read(app):
    code = (
        "QtWidgets.QFileDialog.getOpenFileName(form, 'Open', '/usr', options=QtWidgets.QFileDialog.Option(1))"
    )
    app.post(code.replace("Option(1)", "Option.DontUseNativeDialog"))
    tree = app.tree()
    dialog = tree.roots[-1]
    assert (dialog.role, dialog.name) == ("dialog", "Open")
    found = {node.name for node in tree.descendants(dialog)}
    assert {"Open", "Cancel", "File name"} <= found

    def listed() -> bool:
        tree = app.tree()
        rows = [node for node in tree.descendants(tree.roots[-1]) if node.role in ROWS]
        return any(node.name == "share" for node in rows)

    until(listed)  # Qt reads the folder in a thread of its own
    app.do("app.activeModalWidget().reject()")


def test_an_input_dialog_for_a_password_masks_it(app):
    hidden = "QtWidgets.QLineEdit.EchoMode.Password"
    app.post(f"QtWidgets.QInputDialog.getText(form, 'Who?', 'Pass:', {hidden}, 'hunter9')")
    tree = app.tree()
    field = next(node for node in tree.descendants(tree.roots[-1]) if node.role == "textfield")
    assert (field.value, field.name) == (MASK, "Pass")
    assert "hunter9" not in json.dumps(codec.encode(app.tree(details=True, internals=True)))
    app.do("app.activeModalWidget().reject()")


def test_a_tool_tip_is_read_while_it_is_shown(app):
    app.do("QtWidgets.QToolTip.showText(form.mapToGlobal(QtCore.QPoint(50, 50)), 'a hint', form)")
    tip = next(node for node in app.tree() if node.role == "tooltip")
    assert tip.text == "a hint"
    app.do("QtWidgets.QToolTip.hideText(); QtCore.QThread.msleep(400)")


def test_a_window_without_a_title_has_the_name_that_its_title_bar_shows(app):
    app.do("QtWidgets.QApplication.setApplicationDisplayName('Plans'); form.setWindowTitle('')")
    tree = app.tree()
    window = next(node for node in tree if node.role == "window")
    assert (window.name, tree.windows[0].title, app.info().title) == ("Plans", "Plans", "Plans")
    app.do("form.setWindowTitle('Every widget'); QtWidgets.QApplication.setApplicationDisplayName('')")
    tree = app.tree()
    assert (tree.nodes[0].name, tree.windows[0].title, app.info().title) == ("Every widget",) * 3


def test_the_state_says_which_view_is_active(app):
    show(app, "views")
    assert app.state().active_view == "Views"
    assert app.state().modal_dialog is None
    info = app.info()
    assert (info.framework, info.title, info.toolkit) == (app.binding, "Every widget", "qt")


# -- reading only what differs --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_reading_what_differs_gives_the_same_as_reading_everything(running, seed):
    if running.platform == "xcb":
        pytest.skip("nothing in it depends on the screen")
    with program("every_widget", running.binding) as app:
        assert app.here(
            f"""
import random, sys
sys.path.insert(0, {str(__file__.rsplit("/tests/", 1)[0])!r})
from tests.adapters.qt.scene.mutations import compare
answer = compare(adapter, form, QtCore, QtGui, QtWidgets, random.Random({seed}), 120)
"""
        ) is None  # fmt: skip


def test_an_unchanged_node_is_the_same_object(app):
    show(app, "texts")
    same = app.here(
        "a = adapter.read(timeout=9); b = adapter.read(timeout=9); "
        "answer = sum(x is y for x, y in zip(a, b)) / len(a.nodes)"
    )
    assert same > 0.6
