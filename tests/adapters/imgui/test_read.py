"""What is reported for each item that Dear ImGui draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui, imgui_knobs, imgui_toggle

from deskhand.model import codec
from deskhand.model import operations as ops
from deskhand.model.errors import Ambiguous, Stale
from deskhand.model.node import MASK, Node
from tests.adapters.imgui.drawn import Driven, driven, window
from tests.traces import until


@pytest.fixture(scope="module")
def drawn() -> Iterator[Driven]:
    with driven(lambda: None) as one:
        yield one


def draw(drawn: Driven, function: Callable[[], Any]) -> None:
    """From now on this is drawn, in a window of its own."""

    def both() -> None:
        with window():
            function()

    drawn.program.draw = both
    drawn.program.wait_frames(3)


def only(drawn: Driven, function: Callable[[], Any]) -> Node:
    """The one item that is drawn."""
    draw(drawn, function)
    tree = drawn.app.tree()
    root = next(node for node in tree if node.name == "Window")
    (item,) = tree.children(root)
    return item


def test_a_label_is_its_name_its_id_and_its_path(drawn: Driven) -> None:
    node = only(drawn, lambda: imgui.button("Save##doc"))
    assert (node.role, node.native_class, node.backend) == ("button", "button", "imgui")
    assert (node.name, node.object_name) == ("Save", "doc")
    assert node.automation_id == "ImGui/Window/Save##doc"


def test_three_hashes_name_it_too(drawn: Driven) -> None:
    node = only(drawn, lambda: imgui.button("Save 17###save"))
    assert (node.name, node.object_name) == ("Save 17", "save")


def test_the_rectangle_is_that_of_the_item(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("Here", (100, 40))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        seen.append((low.x, low.y, high.x - low.x, high.y - low.y))

    seen: list[tuple[float, float, float, float]] = []
    node = only(drawn, function)
    assert node.bounds == seen[-1]


VALUES: list[tuple[str, Callable[[], Any], dict[str, Any]]] = [
    ("small button", lambda: imgui.small_button("a"), {"native_class": "button", "role": "button"}),
    ("arrow", lambda: imgui.arrow_button("##up", imgui.Dir.up), {"role": "button", "object_name": "up"}),
    ("link", lambda: imgui.text_link("more"), {"role": "link", "name": "more"}),
    ("checkbox", lambda: imgui.checkbox("a", True), {"role": "checkbox", "checked": True, "value": None}),
    ("flags", lambda: imgui.checkbox_flags("a", 1, 3), {"checked": False, "mixed": True}),
    ("radio", lambda: imgui.radio_button("a", True), {"role": "radio", "checked": True}),
    ("radio of many", lambda: imgui.radio_button("a", 2, 3), {"role": "radio", "checked": False}),
    (
        "combo",
        lambda: imgui.combo("a", 1, ["x", "y"]),
        {"role": "combo-box", "value": "y", "expanded": False},
    ),
    ("combo of zeros", lambda: imgui.combo("a", 0, "x\0y\0"), {"value": "x"}),
    ("list box", lambda: imgui.list_box("a", 1, ["x", "y"]), {"role": "list-box", "value": "y"}),
    ("selectable", lambda: imgui.selectable("a", True), {"role": "list-item", "selected": True}),
    (
        "slider",
        lambda: imgui.slider_float("a", 0.5, 0.0, 1.0),
        {"role": "slider", "value": "0.5", "number": 0.5},
    ),
    ("slider range", lambda: imgui.slider_int("a", 3, 1, 9), {"minimum": 1.0, "maximum": 9.0, "value": "3"}),
    ("slider format", lambda: imgui.slider_float("a", 2, 0, 9, "%.1f mm"), {"text": "2.0 mm", "value": "2"}),
    ("angle", lambda: imgui.slider_angle("a", 0.0), {"minimum": -360.0, "value": "0"}),
    ("tall slider", lambda: imgui.v_slider_int("a", (20, 60), 4, 0, 9), {"role": "slider", "value": "4"}),
    (
        "drag",
        lambda: imgui.drag_int("a", 4),
        {"role": "spin-button", "native_class": "drag", "minimum": None},
    ),
    (
        "number",
        lambda: imgui.input_int("a", 4),
        {"role": "spin-button", "native_class": "input", "value": "4"},
    ),
    ("double", lambda: imgui.input_double("a", 4.25), {"value": "4.25", "editable": True}),
    (
        "text field",
        lambda: imgui.input_text("a", "hi"),
        {"role": "textfield", "value": "hi", "editable": True},
    ),
    ("lines", lambda: imgui.input_text_multiline("a", "x\ny"), {"role": "editable-text", "value": "x\ny"}),
    ("hint", lambda: imgui.input_text_with_hint("a", "Type", ""), {"placeholder": "Type", "value": ""}),
    (
        "read only",
        lambda: imgui.input_text("a", "hi", imgui.InputTextFlags_.read_only),
        {"editable": False, "value": "hi"},
    ),
    ("colour", lambda: imgui.color_edit3("a", [1.0, 0.5, 0.0]), {"role": "color-well", "value": "#ff8000"}),
    (
        "colour button",
        lambda: imgui.color_button("a", (0, 0, 1, 1)),
        {"value": "#0000ffff", "role": "color-well"},
    ),
    ("menu item", lambda: imgui.menu_item("a", "", False, False), {"role": "menu-item", "enabled": False}),
    ("closed tree", lambda: imgui.tree_node("a"), {"role": "tree-item", "expanded": False}),
    ("header", lambda: imgui.collapsing_header("a"), {"role": "disclosure-triangle", "expanded": False}),
    ("text", lambda: imgui.text("hello"), {"role": "text", "text": "hello"}),
    ("coloured", lambda: imgui.text_colored((1, 0, 0, 1), "red"), {"role": "text", "text": "red"}),
    ("label and text", lambda: imgui.label_text("a", "b"), {"role": "text", "name": "a", "text": "b"}),
    ("heading", lambda: imgui.separator_text("Part"), {"role": "heading", "text": "Part"}),
    (
        "progress",
        lambda: imgui.progress_bar(0.25),
        {"role": "progress-indicator", "number": 0.25, "text": "25%"},
    ),
    ("plot", lambda: imgui.plot_lines("a", np.array([1, 2], np.float32)), {"role": "figure", "name": "a"}),
    ("of another module", lambda: imgui_toggle.toggle("a", True), {"role": "switch", "checked": True}),
    ("knob", lambda: imgui_knobs.knob("a", 0.5, 0.0, 1.0), {"role": "slider", "number": 0.5, "maximum": 1.0}),
    ("disabled", lambda: disabled(lambda: imgui.button("a")), {"enabled": False}),
]


def disabled(function: Callable[[], Any]) -> None:
    imgui.begin_disabled()
    function()
    imgui.end_disabled()


@pytest.mark.parametrize(("function", "told"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_an_item_says_what_it_is_and_what_it_holds(
    drawn: Driven, function: Callable[[], Any], told: dict[str, Any]
) -> None:
    node = only(drawn, function)
    assert {name: getattr(node, name) for name in told} == told


def test_choices_are_listed(drawn: Driven) -> None:
    options = only(drawn, lambda: imgui.combo("a", 1, ["x", "y##1"])).options
    assert [(one.text, one.selected) for one in options] == [("x", False), ("y", True)]


def test_several_numbers_are_one_group_of_fields(drawn: Driven) -> None:
    group = only(drawn, lambda: imgui.drag_float3("Size##s", [1.0, 2.5, 3.0]))
    assert (group.role, group.value) == ("group", "1, 2.5, 3")
    parts = drawn.app.tree().children(group)
    assert [(part.name, part.value, part.role) for part in parts] == [
        ("x", "1", "spin-button"),
        ("y", "2.5", "spin-button"),
        ("z", "3", "spin-button"),
    ]
    assert parts[0].bounds is not None
    assert parts[1].bounds is not None
    assert parts[0].bounds.x + parts[0].bounds.width <= parts[1].bounds.x


def test_a_password_never_leaves_the_app(drawn: Driven) -> None:
    node = only(drawn, lambda: imgui.input_text("a", "hunter2", imgui.InputTextFlags_.password))
    assert (node.value, node.text, node.password) == (MASK, MASK, True)
    snapshot = drawn.app.run(ops.ReadTree(details=True, internals=True))
    assert "hunter2" not in json.dumps(codec.encode(snapshot))


def test_a_field_without_a_label_is_called_by_the_text_before_it(drawn: Driven) -> None:
    def function() -> None:
        imgui.text("Width")
        imgui.same_line()
        imgui.input_int("##w", 3)

    draw(drawn, function)
    assert drawn.app.locator("#w").get().name == "Width"


def test_a_collapsed_window_says_so_and_hides_what_is_drawn_in_it(drawn: Driven) -> None:
    def function() -> None:
        imgui.set_next_window_collapsed(True)
        with window("Folded"):
            imgui.button("Inside")

    drawn.program.draw = function
    drawn.program.wait_frames(3)
    assert drawn.app.locator('window[name="Folded"]').get().expanded is False
    assert drawn.app.locator('button[name="Inside"]').get().visible is False


def test_what_is_scrolled_away_is_offscreen(drawn: Driven) -> None:
    def function() -> None:
        imgui.begin_child("##area", (0, 100))
        imgui.button("Near")
        imgui.dummy((1, 1000))
        imgui.button("Far")
        imgui.end_child()

    draw(drawn, function)
    assert drawn.app.locator('#area >> button[name="Near"]').get().offscreen is False
    assert drawn.app.locator('#area >> button[name="Far"]').get().offscreen is True


def test_what_is_scrolled_behind_the_title_is_offscreen(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("Top")
        imgui.dummy((1, 1000))
        imgui.set_scroll_y(imgui.get_frame_height() + imgui.get_style().window_padding.y)

    draw(drawn, function)
    top = drawn.app.locator('button[name="Top"]').get()
    window_bounds = drawn.app.locator('window[name="Window"]').bounds()
    assert top.bounds is not None
    assert window_bounds is not None
    assert top.bounds.y >= window_bounds.y
    assert top.offscreen is True


def test_a_table_reports_its_columns_and_the_rows_in_sight(drawn: Driven) -> None:
    def function() -> None:
        if imgui.begin_table("grid", 2, imgui.TableFlags_.scroll_y, (300, 120)):
            imgui.table_setup_column("Key")
            imgui.table_setup_column("Value")
            imgui.table_headers_row()
            clipper = imgui.ListClipper()
            clipper.begin(500)
            while clipper.step():
                for row in range(clipper.display_start, clipper.display_end):
                    imgui.table_next_row()
                    imgui.table_next_column()
                    imgui.text(f"key {row}")
                    imgui.table_next_column()
                    imgui.text(f"value {row}")
            imgui.end_table()

    table = only(drawn, function)
    view = table.virtualization
    assert table.object_name == "grid"
    assert view is not None
    assert view.items_count == 500
    assert [column.text for column in view.columns] == ["Key", "Value"]
    assert view.visible_range is not None
    assert view.visible_range[0] == 0
    assert view.visible_range[1] < 20
    assert dict(view.visible_cells[2].cells) == {"0": "key 2", "1": "value 2"}
    assert drawn.app.locator('#grid >> cell[name="value 3"]').count() == 1


def test_entries_of_an_open_menu_or_combo_box_are_its_children(drawn: Driven) -> None:
    def function() -> None:
        if imgui.begin_combo("Pick", "one"):
            imgui.selectable("one", True)
            imgui.selectable("two", False)
            imgui.end_combo()

    draw(drawn, function)
    drawn.app.get_by_role("combo-box", name="Pick").expand()
    pick = drawn.app.locator("combo-box >> list-box-option")
    assert [node.name for node in drawn.app.run(ops.Find(pick.selector))] == ["one", "two"]
    options = drawn.app.get_by_role("combo-box", name="Pick").get().options
    assert [(one.text, one.selected) for one in options] == [("one", True), ("two", False)]
    drawn.app.get_by_role("combo-box", name="Pick").collapse()
    assert pick.count() == 0


def test_choices_that_a_combo_box_draws_by_itself_are_in_it_while_it_is_open(drawn: Driven) -> None:
    def function() -> None:
        _, chosen[0] = imgui.combo("Pick", chosen[0], options)

    options, chosen = [f"option {number}##{number}" for number in range(30)], [1]
    draw(drawn, function)
    pick = drawn.app.locator("combo-box >> list-box-option")
    assert pick.count() == 0
    drawn.app.get_by_role("combo-box", name="Pick").expand()
    choices = drawn.app.run(ops.Find(pick.selector))
    assert [node.name for node in choices] == [f"option {number}" for number in range(30)]
    assert [node.name for node in choices if node.selected] == ["option 1"]
    assert not choices[0].offscreen
    assert choices[0].automation_id == "ImGui/Window/option 0##0"
    # A click, as real input gives it, also on one that must be scrolled to.
    for number in (2, 25, 0):
        drawn.app.get_by_role("combo-box", name="Pick").expand()
        drawn.app.locator(f'list-box-option[name="option {number}"]').click()
        until(lambda number=number: chosen == [number])
    assert pick.count() == 0


def test_a_modal_popup_is_a_dialog_that_blocks_input_to_the_rest(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("Behind")
        if ask:
            imgui.open_popup("Sure?")
        if imgui.begin_popup_modal("Sure?")[0]:
            if imgui.button("Yes"):
                ask.clear()
                imgui.close_current_popup()
            imgui.end_popup()

    ask = [True]
    draw(drawn, function)
    dialog = drawn.app.locator('dialog[name="Sure?"]').get()
    assert dialog.modal is True
    assert drawn.app.locator('dialog >> button[name="Yes"]').get().enabled is True
    assert drawn.app.get_by_role("button", name="Behind").get().enabled is False
    assert drawn.app.state().modal_dialog == "Sure?"
    drawn.app.locator('dialog >> button[name="Yes"]').click()
    assert drawn.app.get_by_role("button", name="Behind").get().enabled is True


def test_a_tooltip_is_reported_with_its_item(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("Help")
        imgui.set_item_tooltip("It helps")

    assert only(drawn, function).tooltip == "It helps"


def test_text_that_is_drawn_on_a_button_without_a_label_is_its_name(drawn: Driven) -> None:
    def function() -> None:
        at = imgui.get_cursor_screen_pos()
        imgui.invisible_button("##own", (120, 30))
        imgui.get_window_draw_list().add_text((at.x + 8, at.y + 8), 0xFFFFFFFF, "My own")

    draw(drawn, function)
    assert drawn.app.locator("#own").get().name == "My own"
    assert drawn.app.locator(".drawn_text").get().text == "My own"


def test_an_item_that_a_program_makes_itself_is_there(drawn: Driven) -> None:
    def function() -> None:
        at = imgui.get_cursor_screen_pos()
        box = imgui.internal.ImRect(at, imgui.ImVec2(at.x + 80, at.y + 20))
        imgui.internal.item_size(box)
        imgui.internal.item_add(box, imgui.get_id("made"))

    node = only(drawn, function)
    assert node.native_class == "item"
    assert node.bounds is not None
    assert (node.bounds.width, node.bounds.height) == (80, 20)


def test_two_of_the_same_label_have_one_id_and_two_uids(drawn: Driven) -> None:
    def function() -> None:
        for number in range(2):
            imgui.push_id(number)
            imgui.button("Same")
            imgui.pop_id()

    draw(drawn, function)
    with pytest.raises(Ambiguous):
        drawn.app.locator('#"ImGui/Window/Same"').get(timeout=0)
    assert len({node.uid for node in drawn.app.run(ops.Find('button[name="Same"]'))}) == 2


def test_a_text_that_changes_stays_the_same_node(drawn: Driven) -> None:
    words = ["before"]
    first = only(drawn, lambda: imgui.text(words[0]))
    words[0] = "after"
    drawn.program.wait_frames(2)
    assert drawn.app.locator(f"uid={first.uid}").get().text == "after"


def test_an_item_that_is_no_longer_drawn_is_stale_by_its_name(drawn: Driven) -> None:
    node = only(drawn, lambda: imgui.button("Short lived"))
    draw(drawn, lambda: imgui.text("nothing"))
    with pytest.raises(Stale, match="Short lived"):
        drawn.app.locator(f"uid={node.uid}").click(timeout=0)


def test_an_id_can_be_given_by_window_and_label_or_by_path(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("One##1")
        imgui.button("Two##2")

    drawn.adapter.set_id(("Window", "One##1"), "btn_one")
    drawn.adapter.set_id("ImGui/Window/Two##2", "btn_two")
    draw(drawn, function)
    assert drawn.app.locator("#btn_one").get().name == "One"
    assert drawn.app.locator("#btn_two").get().name == "Two"


def test_details_include_what_dear_imgui_knows(drawn: Driven) -> None:
    node = only(drawn, lambda: imgui.button("Deep##d"))
    properties = drawn.app.locator(f"uid={node.uid}").get().properties
    assert properties["label"] == "Deep##d"
    assert properties["function"] == "button"
    assert properties["window"] == "Window"
    assert properties["id"] != 0
