"""JavaFX beyond what the form shows: its less common controls, dialogs, pop-ups, several windows."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

from deskhand import App, expect
from deskhand.adapters.javafx.adapter import JavaFxAdapter
from deskhand.model import codec
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionFailed,
    ActionUnsupported,
    InvalidKey,
    InvalidParams,
    NotEditable,
    NotReady,
    OptionNotFound,
    Stale,
    UiBusy,
)
from deskhand.model.node import MASK, Node, Virtualization
from deskhand.model.tree import Tree
from deskhand.x11 import Connection, parse_display, read_cookie

from .conftest import Program, read_until


@pytest.fixture(scope="module")
def zoo(start: Callable[..., Program]) -> Program:
    return start()


@pytest.fixture(scope="module")
def app(zoo: Program) -> App:
    return zoo.app


def view(app: App, selector: str) -> Virtualization:
    found = app.locator(selector).get().virtualization
    assert found is not None
    return found


# -- looking ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("selector", "fields"), [
    ("#bold", {"role": "toggle-button", "checked": False, "tooltip": "Makes it bold"}),
    ('link[name="More about it"]', {"native_class": "javafx.scene.control.Hyperlink"}),
    ("#edit", {"role": "button", "name": "Edit", "expanded": False}),
    ("#split", {"role": "split-button", "name": "Send"}),
    ("#graphic", {"role": "button", "name": "Pictured"}),
    ("#size", {"role": "combo-box", "name": "Size", "value": "M"}),
    ("#city", {"role": "combo-box", "name": "City", "editable": True}),
    ("#colour", {"role": "color-well", "value": "#ffffff"}),
    ("#progress", {"role": "progress-indicator", "number": 0.25, "minimum": 0, "maximum": 1}),
    ("#secret", {"role": "textfield", "password": True, "value": MASK}),
    ("#fixed", {"role": "textfield", "editable": False, "text": "cannot be changed"}),
    ("#three", {"role": "checkbox", "mixed": True}),
    ("#first", {"role": "group", "name": "First", "expanded": True}),
    ("#chart", {"role": "figure", "name": "Sales"}),
    ("#canvas", {"role": "canvas"}),
    ("#files", {"role": "tree-grid"}),
    ("#numbers", {"role": "list"}),
])  # fmt: skip
def test_each_control_has_the_right_role(app: App, selector: str, fields: dict[str, object]) -> None:
    node = app.locator(selector).get()
    assert {name: getattr(node, name) for name in fields} == fields
    assert node.backend == "javafx"


def test_the_class_module_and_style_of_a_node_are_reported(app: App) -> None:
    bold = app.locator("#bold").get()
    assert bold.native_class == "javafx.scene.control.ToggleButton"
    assert bold.module == "javafx.controls"
    assert bold.platform_role == "TOGGLE_BUTTON"
    assert bold.style_classes == ("toggle-button",)
    assert bold.properties["managed"] is True
    assert bold.properties["opacity"] == 1
    assert bold.font is not None


def test_the_uid_is_in_the_properties_of_the_node(zoo: Program, app: App) -> None:
    app.locator("#uid").activate()
    zoo.says(f"uid {app.locator('#bold').get().uid}")


def test_ids_styles_and_tooltips_are_current(app: App) -> None:
    uid = app.locator("#canvas").get().uid
    for styles, tooltip, first in ((("marked",), "To draw on", "canvas"), ((), None, "chart")) * 2:
        app.locator("#change").activate()
        tree = app.tree()
        canvas = tree.get(uid)
        assert canvas is not None
        assert (canvas.automation_id, canvas.style_classes, canvas.tooltip) == ("canvas", styles, tooltip)
        above = tree.parent(canvas)
        assert above is not None
        assert tree.children(above)[0].automation_id == first


def test_a_password_is_masked_before_it_leaves_the_program(zoo: Program) -> None:
    for internals in (False, True):
        tree = zoo.adapter.read(details=True, internals=internals, timeout=5)
        assert "hunter2" not in json.dumps(codec.encode(tree))


@pytest.mark.parametrize(("text", "told"), [
    ("X" * 90 + "日" * 900, "X" * 90 + "日" * 900),
    ('"A" \\ C:\\', '"A" \\ C:\\'),
    ("\x80 ÄÉ \u07ff \u0800 ДА 日本 … \uffff", "\x80 ÄÉ \u07ff \u0800 ДА 日本 … \uffff"),
    ("\U00010000 𝄞😀 \U0010ffff", "\U00010000 𝄞😀 \U0010ffff"),
    ("HALF \ud83d, \ude00 PAIRS \ud83d", "HALF \ufffd, \ufffd PAIRS \ufffd"),
])  # fmt: skip
def test_every_character_comes_out_as_it_is(app: App, text: str, told: str) -> None:
    app.locator("#city").set_value(text)
    assert app.locator("#city").input_value() == told


def test_what_did_not_change_is_the_same_object_again(zoo: Program, app: App) -> None:
    app.locator("#upper").set_value("ABC")
    before = _at_rest(zoo, app)
    app.locator("#upper").set_value("XYZ")
    after = zoo.adapter.read(timeout=5)
    told = [node.automation_id for node in after if node is not before.get(node.uid)]
    assert told == ["upper"]


def test_nothing_is_missed_where_only_changes_are_reported(zoo: Program, app: App) -> None:
    changes: tuple[Callable[[], object], ...] = (
        lambda: None,
        lambda: app.locator("#numbers").scroll_to(row=50),
        lambda: app.locator("#words").click(),
        lambda: app.keyboard.press("esc"),
        lambda: app.locator('#files >> tree-item[name="disk"]').collapse(),
        lambda: app.locator('#files >> tree-item[name="disk"]').expand(),
        lambda: app.locator("#swap").activate(),
        lambda: app.locator("#back").activate(),
        lambda: app.locator("#second").click(),
        lambda: app.locator('window[name="Second"]').control_window("close"),
    )
    for change in changes:
        change()
        app.wait_idle()  # JavaFX may mix up the sizes of scenes that are shown in quick succession
        deadline = time.monotonic() + 10
        # A window may still be moving; what was missed would stay so.
        while (told := _seen(zoo.adapter)) != (whole := _seen_anew(zoo)) and time.monotonic() < deadline:
            app.wait_idle()
        assert told == whole


def _at_rest(zoo: Program, app: App) -> Tree:
    """The tree, once nothing in it changes any more."""
    deadline = time.monotonic() + 10
    before = zoo.adapter.read(timeout=5)
    while True:
        app.wait_idle()
        after = zoo.adapter.read(timeout=5)
        if after.nodes is before.nodes:
            return after
        assert time.monotonic() < deadline, "the program never settled, or no two reads were the same"
        before = after


def _seen(adapter: JavaFxAdapter) -> tuple[object, ...]:
    tree = adapter.read(timeout=5)
    return [node.fields for node in tree], tree.windows, tree.focused


def _seen_anew(zoo: Program) -> tuple[object, ...]:
    """The same, read by a new adapter."""
    other = JavaFxAdapter(next(zoo.folder.glob("*.sock")).as_posix())
    try:
        return _seen(other)
    finally:
        other.close()


def test_inner_parts_of_controls_are_reported_only_when_asked_for(zoo: Program) -> None:
    plain = zoo.adapter.read(timeout=5)
    assert not any(node.internal for node in plain)
    inner = zoo.adapter.read(internals=True, timeout=5)
    assert {node.uid for node in plain} <= {node.uid for node in inner}
    assert len({node.uid for node in inner}) == len(inner)
    bold = next(node for node in inner if node.automation_id == "bold")
    assert [child.role for child in inner.children(bold)] == ["text"]


def test_a_part_of_the_tree_is_the_same_as_in_the_whole(zoo: Program) -> None:
    whole = zoo.adapter.read(timeout=5)
    for node in whole:
        part = zoo.adapter.read(node.uid, depth=0, timeout=5)
        assert [told.uid for told in part] == [node.uid]
        assert _settled(part.nodes[0]) == _settled(node), node
    tree_item = next(node for node in whole if node.role == "tree-item" and node.name == "disk")
    below = zoo.adapter.read(tree_item.uid, timeout=5)
    assert [node.uid for node in below][1:] == [node.uid for node in whole.descendants(tree_item)]


def _settled(node: Node) -> dict[str, object]:
    return {name: value for name, value in node.fields.items() if name not in ("bounds", "focused")}


def test_a_turned_button_has_bounds_as_it_is_drawn(app: App) -> None:
    bounds = app.locator("#turned").bounds()
    assert bounds is not None
    assert bounds.height > bounds.width


def test_css_is_looked_up_by_javafx_itself(zoo: Program, app: App) -> None:
    tree = app.tree()
    found = [tree.get(uid) for uid in zoo.adapter.lookup("FlowPane > .toggle-button", timeout=5)]
    assert [node.automation_id for node in found if node] == ["bold"]
    assert tree.main is not None
    assert zoo.adapter.lookup("#zoo", timeout=5) == [tree.main.uid]
    assert [node.automation_id for node in app.run(ops.Find("#bold", native=True))] == ["bold"]
    rows = zoo.adapter.lookup("#files .tree-table-row-cell", timeout=5)
    assert {row.uid for row in view(app, "#files").visible_cells} <= set(rows)
    assert zoo.adapter.lookup("#nothing", timeout=5) == []


# -- views --------------------------------------------------------------------------------------


def test_a_list_of_100000_rows_reports_those_on_the_screen(app: App) -> None:
    app.locator("#numbers").scroll_to(row=0)
    numbers = view(app, "#numbers")
    assert numbers.items_count == 100_000
    assert numbers.visible_range is not None
    first, last = numbers.visible_range
    assert (first, last < 20) == (0, True)
    assert [row.cells[0][1] for row in numbers.visible_cells][:2] == ["number 0", "number 1"]


def test_a_row_keeps_its_uid_while_its_node_is_used_for_others(zoo: Program, app: App) -> None:
    app.locator("#numbers").scroll_to(row=0)
    row = app.locator('#numbers >> list-item[name="number 1"]').get()
    button = app.locator('#numbers >> list-item[name="number 1"] >> button').get()
    app.locator("#numbers").scroll_to(row=90_000)
    far = app.locator('#numbers >> list-item[name="number 90001"]').get()
    assert far.uid != row.uid
    away = zoo.adapter.read(row.uid, depth=0, timeout=5).nodes[0]
    assert (away.name, away.offscreen) == ("1", True)
    app.locator('#numbers >> list-item[name="number 90001"] >> button').click()
    zoo.says("more of 90001")
    with pytest.raises(Stale):
        app.locator(f"uid={button.uid}").click(timeout=0)
    app.locator(f"uid={row.uid}").click()
    assert app.locator('#numbers >> list-item[name="number 1"]').get().uid == row.uid
    assert view(app, "#numbers").selected_indices == (1,)


def test_a_tree_table_is_reported_as_a_tree_with_columns(zoo: Program, app: App) -> None:
    app.locator('#files >> tree-item[name="folder 0"]').expand()
    app.locator("#files").select_option(text="file 2.3")
    zoo.says("file file 2.3")
    files = view(app, "#files")
    assert files.kind == "TreeTableView"
    assert files.items_count == 84
    assert [column.id for column in files.columns] == ["name", "length"]
    assert files.selected_indices == (files.focused_index,)
    chosen = next(row for row in files.visible_cells if row.index == files.focused_index)
    assert dict(chosen.cells) == {"name": "file 2.3", "length": "8"}
    tree = app.tree()
    item = tree.get(chosen.uid)
    assert item is not None
    assert [above.name for above in tree.ancestors(item)][:2] == ["folder 2", "disk"]


def test_a_box_in_a_cell_is_ticked(zoo: Program, app: App) -> None:
    box = app.locator("#flags >> cell:nth(4)")
    box.check()
    zoo.says("flag 2 true")
    assert box.get().checked is True


def test_a_click_on_a_row_selects_also_where_single_cells_are_selected(app: App) -> None:
    app.locator("#flags >> row:nth(1)").click()
    assert view(app, "#flags").selected_indices == (1,)
    assert app.locator("#flags >> cell:nth(2)").get().checked is True, "and its box is not meant"
    assert app.locator("#flags >> cell:nth(3)").get().selected is True


@pytest.mark.parametrize("key", ["+", "=", "-", "*", "a"])
def test_a_key_types_its_own_sign_and_no_other(app: App, key: str) -> None:
    city = app.locator("#city")
    city.set_value("x")
    city.press("End")
    city.press(key)
    assert city.get().value == f"x{key}"


def test_unknown_option_error_lists_the_available_options(app: App) -> None:
    with pytest.raises(OptionNotFound) as caught:
        app.locator("#city").select_option(text="Limo")
    assert caught.value.near == ("Lima",)
    with pytest.raises(OptionNotFound):
        app.locator("#numbers").scroll_to(row=100_000)


# -- acting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("operation", "report"), [
    (ops.Press("#graphic"), "pictured"),
    (ops.Click('#files >> column-header[name="Name"]'), "sorted name"),
    (ops.Click("#mouse", count=2), "mouse PRIMARY 2"),
    (ops.Click("#mouse", button="right", modifiers=("ctrl",)), "mouse SECONDARY 1 ctrl"),
    (ops.Click('menu-item[name="Deep"]'), "deep chosen"),
    (ops.Click('#edit >> menu-item-radio[name="Large"]'), "large true"),
    (ops.Press('#edit >> menu-item[name="Copy"]'), "copied"),
    (ops.Press("#split"), "sent"),
    (ops.Press("link"), "link followed"),
    (ops.Select("#size", text="L"), "size L"),
    (ops.SetValue("#city", value="Rome"), "city Rome"),
    (ops.SetValue("#colour", value="#ff8800"), "colour 0xff8800ff"),
    (ops.Select("#accordion", text="Other"), "open Other"),
    (ops.Expand("#first"), "open First"),
    (ops.Click("#other"), "open Other"),
    (ops.SetValue("#pages", value="3"), "page 3"),
    (ops.Click("#turned"), "turned pressed"),
    (ops.Click("#canvas", x=10, y=20), "canvas 10,20"),
    (ops.Scroll("#canvas", dy=1), "wheel down"),
    (ops.Scroll("#canvas", dy=-1), "wheel up"),
    (ops.Scroll("#canvas", dx=1), "wheel right"),
    (ops.SetChecked("#bold"), "bold true"),
    (ops.Key("#bold", keys="space"), "bold false"),
])  # fmt: skip
def test_what_is_done_reaches_the_program(zoo: Program, app: App, operation: ops.Action, report: str) -> None:
    app.run(operation)
    zoo.says(report)


def test_a_wheel_that_moves_nothing_says_so(app: App) -> None:
    numbers = app.locator("#numbers")
    numbers.scroll_to(row=0)
    assert numbers.scroll(dy=-2).detail == "nothing moved"
    first = numbers.get().virtualization
    assert numbers.scroll(dy=3).detail is None
    then = numbers.get().virtualization
    assert first is not None
    assert then is not None
    assert first.visible_range != then.visible_range
    numbers.scroll(dy=-3)


def test_a_button_is_released_where_the_mouse_is_without_moving_it(zoo: Program, app: App) -> None:
    app.run(ops.MouseDown("#canvas", x=10, y=20, button="right"))
    zoo.says("canvas 10,20 other")
    app.run(ops.MouseUp("#canvas", x=10, y=20, button="right"))
    zoo.says("released after 0 moves at 10,20")
    app.run(ops.MouseDown("#canvas", x=10, y=20, button="right"))
    app.run(ops.MouseUp("#canvas", x=40, y=30, button="right"))
    zoo.says("released after 5 moves at 40,30")


def test_two_clicks_at_one_place_are_not_a_double_click(zoo: Program, app: App) -> None:
    for _ in range(2):
        app.run(ops.Click("#mouse"))
    assert app.locator("#report").text_content() == "mouse PRIMARY 1"


def test_a_box_with_three_states_is_ticked(app: App) -> None:
    app.locator("#three").check()
    node = app.locator("#three").get()
    assert (node.checked, node.mixed) == (True, False)


def test_what_something_else_covers_is_not_clicked(app: App) -> None:
    with pytest.raises(NotReady, match="glass") as raised:
        app.locator("#covered").click(timeout=0.3)
    assert "glass" in raised.value.details["covered_by"]


def test_a_text_that_the_field_refuses_is_reported(app: App) -> None:
    with pytest.raises(ActionFailed, match="'abc'"):
        app.locator("#upper").set_value("abc")
    with pytest.raises(ActionFailed, match="10000 characters") as caught:
        app.locator("#upper").set_value("a" * 10_000)
    assert len(caught.value.message) < 600
    app.locator("#upper").set_value("ABC")
    assert app.locator("#upper").input_value() == "ABC"


def test_wrong_values_are_reported(app: App) -> None:
    with pytest.raises(InvalidParams, match="not a colour"):
        app.locator("#colour").set_value("no such colour")
    with pytest.raises(InvalidParams, match="0 to 4"):
        app.locator("#pages").set_value("17")
    with pytest.raises(NotEditable):
        app.locator("#fixed").set_value("x")
    with pytest.raises(InvalidKey):
        app.keyboard.press("refresh")
    with pytest.raises(ActionUnsupported, match="context menu"):
        app.run(ops.ShowMenu("#canvas"))


def test_an_error_in_the_program_is_reported(app: App) -> None:
    with pytest.raises(ActionFailed, match="broken on purpose"):
        app.locator("#throw").activate()


# -- windows ------------------------------------------------------------------------------------


def test_an_alert_shows_its_header_and_content_and_blocks_other_windows(zoo: Program, app: App) -> None:
    app.locator("#ask").activate()
    dialog = app.locator('dialog[name="Sure?"]')
    expect(dialog).to_be_visible()
    assert app.state().modal_dialog == "Sure?"
    texts = [node.text for node in app.run(ops.Find('dialog[name="Sure?"] >> text'))]
    assert texts == ["All of it is deleted", "It cannot be undone."]
    buttons = app.run(ops.Find('dialog[name="Sure?"] >> button'))
    assert {node.name for node in buttons} == {"OK", "Cancel"}
    with pytest.raises(ActionFailed, match="blocked by the dialog"):
        app.locator("#bold").click()
    dialog.get_by_role("button", name="OK").click()
    zoo.says("answered OK")
    assert app.state().modal_dialog is None


def test_a_dialog_is_filled_in(zoo: Program, app: App) -> None:
    app.locator("#words").click()
    app.locator("dialog >> textfield").fill("after")
    app.keyboard.press("enter")
    zoo.says("words after")


def test_several_stages_are_driven(zoo: Program, app: App) -> None:
    app.locator("#second").click()
    expect(app.locator('window[name="Second"]')).to_be_visible()
    assert [window.title for window in app.windows()] == ["Zoo", "Second"]
    _at_rest(zoo, app)
    app.locator("#inner").click()
    zoo.says("pressed in second")
    second = app.locator('window[name="Second"]')
    second.control_window("move", x=300, y=200)
    bounds = second.bounds()
    assert bounds is not None
    assert (bounds.x, bounds.y) == (300, 200)
    app.locator("#bold").focus()
    assert [window.title for window in app.windows() if window.focused] == ["Zoo"]
    second.control_window("close")
    expect(second).to_be_hidden()


def test_additional_elements_of_skins_are_listed_and_operated(zoo: Program, app: App) -> None:
    app.locator("#third").activate()
    third = app.locator('window[name="Third"]')
    expect(third).to_be_visible()
    _at_rest(zoo, app)
    assert not app.locator('button[name="Tool 6"]').get().visible
    third.get_by_role("button", name="Overflow button").click()
    tree = app.tree()
    assert len({node.uid for node in tree}) == len(tree)
    app.locator('button[name="Tool 6"]').click()
    zoo.says("Tool 6 used")
    assert [node.name for node in app.run(ops.Find("#nothing >> text"))] == ["Nothing yet"]
    app.locator("#ticks").set_value(9)
    assert app.locator("#ticks").input_value() == "10"
    third.get_by_role("button", name="Drawn").activate()
    zoo.says("drawn pressed")
    tab = app.tree().descendants(app.locator('tab[name="Extra"]').get())
    assert [(node.role, node.name) for node in tab] == [("text", "In extra"), ("button", "Close")]
    app.locator('tab[name="Extra"] >> button').click()
    zoo.says("extra closed")
    third.control_window("close")
    expect(third).to_be_hidden()


def test_a_window_that_shows_another_scene_is_the_same_window(zoo: Program, app: App) -> None:
    uid = app.locator("#zoo").get().uid
    heard = threading.Event()
    unsubscribe = zoo.adapter.subscribe(heard.set)
    app.locator("#swap").activate()
    expect(app.locator("#count")).to_have_text("0")
    assert app.locator("window").get().uid == uid
    app.wait_idle()
    heard.clear()
    app.locator("#more").activate()
    assert heard.wait(5)
    unsubscribe()
    app.locator("#back").activate()
    assert app.locator("#zoo").get().uid == uid
    app.wait_idle()  # JavaFX may mix up the sizes of scenes that are shown in quick succession


def test_idle_means_that_the_window_has_the_size_that_javafx_reports(zoo: Program, app: App) -> None:
    for button, narrow in (("#swap", True), ("#back", False)) * 5:
        app.locator(button).activate()
        app.wait_idle()
        bounds = app.windows()[0].bounds
        assert (bounds.width < 200) is narrow
        assert _size_on_display(zoo, "Zoo") == (bounds.width, bounds.height)


def test_a_release_that_no_window_receives_is_answered_within_a_second(app: App) -> None:
    app.run(ops.Hover("#canvas"))
    took = []
    for _ in range(3):  # the quickest counts: the machine may be busy
        began = time.monotonic()
        app.run(ops.MouseUp("#canvas"))
        took.append(time.monotonic() - began)
    assert min(took) < 1, took


def test_a_click_that_the_pointer_cannot_make_is_given_to_what_is_at_that_point(
    start: Callable[..., Program], zoo: Program, app: App
) -> None:
    other = start()  # as large, and placed at the same point
    other.app.wait_idle()
    _keep_in_front(other)
    done = app.run(ops.Click("#flags >> row:nth(1)"))
    assert done.detail == "by events: the window system did not bring the pointer there"
    assert view(app, "#flags").selected_indices == (1,)
    app.locator("#first").expand()
    app.locator("#other").click()
    zoo.says("open Other")
    with pytest.raises(NotReady, match="glass"):
        app.locator("#covered").click(timeout=0.3)
    other.process.kill()
    other.process.wait(20)


def _keep_in_front(zoo: Program) -> None:
    (window,) = _output(
        ["xdotool", "search", "--all", "--pid", str(zoo.process.pid), "--name", "^Zoo$"], zoo
    ).split()
    host, number = parse_display(zoo.environment["DISPLAY"])
    with Connection(number, read_cookie(zoo.environment, number), host=host) as display:
        (above,) = display.atoms("_NET_WM_STATE_ABOVE")
        display.message(int(window), "_NET_WM_STATE", 1, above)
        assert display.manager_caught_up(5)
        assert above in display.numbers(int(window), "_NET_WM_STATE")


def _size_on_display(zoo: Program, title: str) -> tuple[int, int]:
    """How large a window is, as the display has it."""
    (window,) = _output(["xdotool", "search", "--name", f"^{title}$"], zoo).split()
    lines = _output(["xdotool", "getwindowgeometry", "--shell", window], zoo).splitlines()
    said = dict(line.split("=") for line in lines)
    return int(said["WIDTH"]), int(said["HEIGHT"])


def _output(command: list[str], zoo: Program) -> str:
    return subprocess.run(command, env=zoo.environment, check=True, capture_output=True, text=True).stdout


def test_a_window_may_refuse_to_close(zoo: Program, app: App) -> None:
    app.locator("#zoo").control_window("close")
    zoo.says("refused to close")


def test_a_window_is_maximized_and_minimized(app: App) -> None:
    zoo = app.locator("#zoo")
    for do, states in (
        ("maximize", (True, False)),
        ("restore", (False, False)),
        ("minimize", (False, True)),
        ("restore", (False, False)),
    ):
        zoo.control_window(do)
        window = app.windows()[0]
        assert (window.maximized, window.minimized) == states, do


def test_a_popup_is_a_window_of_its_own(zoo: Program, app: App) -> None:
    app.locator("#popup").click()
    assert [window.kind for window in app.windows()] == ["regular", "popup"]
    app.locator('popover >> button[name="In the popup"]').click()
    zoo.says("popup pressed")
    # A click elsewhere would only close it; that is done first.
    app.locator("#graphic").click()
    zoo.says("pictured")
    assert [window.kind for window in app.windows()] == ["regular"]


def test_a_popup_closes_when_something_else_gets_the_keys(app: App) -> None:
    app.locator("#city").expand()
    app.run(ops.Key("#city", keys="down"))
    assert [window.kind for window in app.windows()] == ["regular", "popup"]
    app.locator("#colour").expand()
    app.locator("#upper").fill("UP")
    assert [window.kind for window in app.windows()] == ["regular"]


def test_a_context_menu_is_a_window_until_it_is_closed(app: App) -> None:
    app.run(ops.ShowMenu("#upper"))
    assert app.locator('menu >> menu-item[name="Paste"]').count() == 1
    app.keyboard.press("esc")
    assert [window.kind for window in app.windows()] == ["regular"]


def test_a_screenshot_of_a_part_shows_that_part(app: App) -> None:
    image = app.run(ops.Screenshot("#canvas"))
    assert (image.width, image.height) == (60, 60)


# -- changes, and an FX thread that is busy -------------------------------------------------------


def test_changes_are_reported_and_reading_is_not_a_change(zoo: Program, app: App) -> None:
    app.locator("#upper").focus()  # whose caret blinks
    app.wait_idle()
    heard = threading.Event()
    unsubscribe = zoo.adapter.subscribe(heard.set)
    try:
        zoo.adapter.idle(timeout=5)
        heard.clear()
        for _ in range(10):
            zoo.adapter.read(timeout=5)
            zoo.adapter.idle(timeout=5)
        assert not heard.is_set()
        app.locator("#graphic").activate()
        app.locator("#split").activate()
        assert heard.wait(5)
    finally:
        unsubscribe()


def test_a_blocked_fx_thread_costs_the_caller_its_deadline_alone(zoo: Program, app: App) -> None:
    other = type(zoo.adapter)(next(zoo.folder.glob("*.sock")).as_posix())
    try:
        app.locator("#bold").uncheck()
        bold = app.locator("#bold").get()
        app.locator("#wedge").activate()
        with pytest.raises(UiBusy):
            read_until(zoo.adapter, 0.2)
        began = time.monotonic()
        assert other.info().title == "Zoo"
        with pytest.raises(UiBusy):
            other.perform(ops.Press(), bold.uid, None, timeout=0.2)
        assert time.monotonic() - began < 3
        zoo.says("free again")
        zoo.adapter.idle(timeout=5)
        assert app.locator("#bold").get().checked is False
    finally:
        other.close()
