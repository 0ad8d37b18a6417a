"""What is done to a program that draws with Dear ImGui: the program itself says what arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from imgui_bundle import imgui

from deskhand.model import operations as ops
from deskhand.model.errors import ActionUnsupported, InvalidKey, InvalidParams, NotReady, OptionNotFound
from tests.adapters.imgui.drawn import Driven, driven, window


@pytest.fixture(scope="module")
def program() -> Iterator[Driven]:
    with driven(lambda: None) as one:
        yield one


@pytest.fixture
def drawn(program: Driven) -> Iterator[Driven]:
    program.program.draw = lambda: None
    program.program.wait_frames(2)
    program.log.clear()
    yield program
    # Nothing of one test is left for the next: what is being typed into, and popups that are open.
    program.adapter.call(rest, timeout=5)


def rest() -> None:
    imgui.internal.clear_active_id()
    if imgui.get_current_context().open_popup_stack:
        imgui.internal.close_popup_to_level(0, False)


def draw(drawn: Driven, function: Callable[[], Any], name: str = "Window") -> None:
    """From now on this is drawn, in a window of its own."""

    def both() -> None:
        with window(name):
            function()

    drawn.program.draw = both
    drawn.program.wait_frames(3)


# -- the pointer --------------------------------------------------------------------------------


def mouse_pad(log: list[str]) -> None:
    """Says what the mouse does over it."""
    imgui.invisible_button("##pad", (200, 100), imgui.ButtonFlags_.mouse_button_left)
    if not imgui.is_item_hovered():
        return
    for button, name in enumerate(("left", "right", "middle")):
        clicks = imgui.get_mouse_clicked_count(button)
        if clicks:
            held = [key for key in ("ctrl", "shift", "alt", "super") if getattr(imgui.get_io(), f"key_{key}")]
            log.append(" ".join([name, str(clicks), *held]))


def test_clicks_arrive_with_button_count_and_modifiers(drawn: Driven) -> None:
    draw(drawn, lambda: mouse_pad(drawn.log))
    pad = drawn.app.locator("#pad")
    pad.click()
    pad.right_click()
    drawn.app.run(ops.Click("#pad", button="middle"))
    drawn.app.run(ops.Click("#pad", modifiers=("ctrl", "shift")))
    assert drawn.log == ["left 1", "right 1", "middle 1", "left 1 ctrl shift"]


def test_a_double_click_is_one_and_two_clicks_are_none(drawn: Driven) -> None:
    draw(drawn, lambda: mouse_pad(drawn.log))
    drawn.app.locator("#pad").dblclick()
    assert drawn.log == ["left 1", "left 2"]
    drawn.log.clear()
    drawn.app.locator("#pad").click()
    drawn.app.locator("#pad").click()
    assert drawn.log == ["left 1", "left 1"]


def test_a_click_lands_at_the_offset_that_was_asked_for(drawn: Driven) -> None:
    def function() -> None:
        if imgui.invisible_button("##pad", (200, 100)):
            at, low = imgui.get_mouse_pos(), imgui.get_item_rect_min()
            drawn.log.append(f"{at.x - low.x:g},{at.y - low.y:g}")

    draw(drawn, function)
    drawn.app.run(ops.Click("#pad", x=13, y=7))
    assert drawn.log == ["13,7"]


def test_hovering_shows_the_tooltip_and_presses_nothing(drawn: Driven) -> None:
    def function() -> None:
        if imgui.button("Help"):
            drawn.log.append("pressed")
        if imgui.is_item_hovered():
            imgui.begin_tooltip()
            imgui.text("It helps")
            imgui.end_tooltip()

    draw(drawn, function)
    drawn.app.get_by_role("button", name="Help").hover()
    drawn.app.locator("tooltip >> text").wait_for()
    drawn.program.wait_frames(5)
    assert drawn.app.locator("tooltip >> text").get().text == "It helps"
    assert drawn.log == []


def test_a_button_that_is_held_stays_so_until_it_is_let_go(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("Hold")
        drawn.log.append(str(imgui.is_item_active()))

    draw(drawn, function)
    drawn.app.run(ops.MouseDown('button[name="Hold"]'))
    drawn.log.clear()
    drawn.program.wait_frames(3)
    assert set(drawn.log) == {"True"}
    drawn.app.run(ops.MouseUp())
    drawn.log.clear()
    drawn.program.wait_frames(3)
    assert set(drawn.log) == {"False"}


def test_something_is_dragged_and_dropped(drawn: Driven) -> None:
    def function() -> None:
        imgui.button("From", (80, 40))
        if imgui.begin_drag_drop_source():
            imgui.set_drag_drop_payload_py_id("thing", 17)
            imgui.end_drag_drop_source()
        imgui.dummy((1, 60))
        imgui.button("To", (80, 40))
        if imgui.begin_drag_drop_target():
            payload = imgui.accept_drag_drop_payload_py_id("thing")
            if payload is not None:
                drawn.log.append(f"dropped {payload.data_id}")
            imgui.end_drag_drop_target()

    draw(drawn, function)
    drawn.app.run(ops.Drag('button[name="From"]', to='button[name="To"]'))
    assert drawn.log == ["dropped 17"]


def test_the_wheel_turns_over_what_was_named(drawn: Driven) -> None:
    def function() -> None:
        imgui.begin_child("##area", (0, 100))
        imgui.dummy((1, 1000))
        scrolled.append(imgui.get_scroll_y())
        imgui.end_child()

    scrolled: list[float] = []
    draw(drawn, function)
    drawn.app.locator("#area").scroll(dy=3)
    down = scrolled[-1]
    drawn.app.locator("#area").scroll(dy=-2)
    assert 0 < scrolled[-1] < down


def test_what_a_backend_says_of_the_real_pointer_does_not_move_ours_until_it_moves(drawn: Driven) -> None:
    def function() -> None:
        imgui.get_io().add_mouse_pos_event(*real)
        if imgui.button("Aim"):
            drawn.log.append("pressed")
        hovered.append(imgui.is_item_hovered())

    real, hovered = [700.0, 500.0], [False]
    draw(drawn, function)
    drawn.app.get_by_role("button", name="Aim").click()
    drawn.program.wait_frames(5)
    assert drawn.log == ["pressed"]
    assert hovered[-1] is True
    real[0] = 710.0
    drawn.program.wait_frames(5)
    assert hovered[-1] is False


def test_a_c_backend_that_always_reports_the_real_pointer_does_not_move_ours(drawn: Driven) -> None:
    def function() -> None:
        # Not through Python's function, which we wrap.
        imgui.IO.add_mouse_pos_event.__wrapped__(imgui.get_io(), 700.0, 500.0)
        if imgui.button("Aim"):
            drawn.log.append("pressed")
        hovered.append(imgui.is_item_hovered())

    hovered = [False]
    draw(drawn, function)
    drawn.app.get_by_role("button", name="Aim").click()
    drawn.program.wait_frames(5)
    assert drawn.log == ["pressed"]
    assert hovered[-1] is True


def test_what_another_window_covers_is_not_clicked(drawn: Driven) -> None:
    def function() -> None:
        with window("Below"):
            if imgui.button("Below"):
                drawn.log.append("pressed")
        imgui.set_next_window_focus()
        with window("Above"):
            imgui.text("over it")

    drawn.program.draw = function
    drawn.program.wait_frames(3)
    with pytest.raises(NotReady, match="covered by the window 'Above'"):
        drawn.app.get_by_role("button", name="Below").click(timeout=0.3)
    assert drawn.log == []


def test_a_popup_that_is_open_is_closed_by_a_click_beside_it_which_still_arrives(drawn: Driven) -> None:
    def function() -> None:
        if imgui.button("Beside"):
            drawn.log.append("beside")
        if imgui.begin_combo("Pick", "one"):
            imgui.selectable("one", False)
            imgui.end_combo()

    draw(drawn, function)
    drawn.app.get_by_role("combo-box", name="Pick").expand()
    drawn.app.get_by_role("button", name="Beside").click()
    assert drawn.log == ["beside"]
    assert drawn.app.get_by_role("combo-box", name="Pick").get().expanded is False


# -- the keyboard -------------------------------------------------------------------------------


def test_any_text_is_typed_and_keys_edit_it(drawn: Driven) -> None:
    def function() -> None:
        _, text[0] = imgui.input_text("Field##f", text[0])

    text = ["old"]
    draw(drawn, function)
    drawn.app.locator("#f").type("é 日本 🙂")
    assert text == ["oldé 日本 🙂"]
    drawn.app.keyboard.press("backspace")
    drawn.app.keyboard.press("home")
    drawn.app.keyboard.press("delete")
    drawn.app.keyboard.press("shift+a")
    assert text == ["Aldé 日本 "]
    drawn.app.locator("#f").fill("")
    assert text == [""]


def test_lines_are_typed_with_enter(drawn: Driven) -> None:
    def function() -> None:
        _, text[0] = imgui.input_text_multiline("Notes##n", text[0])

    text = [""]
    draw(drawn, function)
    drawn.app.locator("#n").fill("one\ntwo")
    assert text == ["one\ntwo"]


def test_a_value_that_counts_only_with_enter_is_set(drawn: Driven) -> None:
    def function() -> None:
        done, text[0] = imgui.input_text("Field##f", text[0], imgui.InputTextFlags_.enter_returns_true)
        if done:
            drawn.log.append(text[0])

    text = [""]
    draw(drawn, function)
    drawn.app.locator("#f").set_value("now")
    assert drawn.log == ["now"]


def test_a_chord_reaches_the_program_and_leaves_no_key_held(drawn: Driven) -> None:
    def function() -> None:
        if imgui.is_key_chord_pressed(int(imgui.Key.mod_ctrl) | int(imgui.Key.mod_shift) | int(imgui.Key.f5)):
            drawn.log.append("ctrl+shift+f5")
        held.append(imgui.get_io().key_ctrl or imgui.is_key_down(imgui.Key.f5))

    held: list[bool] = []
    draw(drawn, function)
    drawn.app.keyboard.press("ctrl+shift+f5")
    assert drawn.log == ["ctrl+shift+f5"]
    drawn.program.wait_frames(2)
    assert held[-1] is False


def test_a_key_that_dear_imgui_does_not_have_is_refused(drawn: Driven) -> None:
    draw(drawn, lambda: imgui.text("nothing"))
    with pytest.raises(InvalidKey, match="VolumeUp"):
        drawn.app.keyboard.press("volumeup")


# -- values and choices -------------------------------------------------------------------------


def test_numbers_are_set_in_every_kind_of_field(drawn: Driven) -> None:
    def function() -> None:
        _, value["slider"] = imgui.slider_float("Slider##slider", value["slider"], 0, 10)
        _, value["drag"] = imgui.drag_int("Drag##drag", value["drag"])
        _, value["input"] = imgui.input_float("Input##input", value["input"], 0.1)
        _, value["tall"] = imgui.v_slider_int("##tall", (20, 60), value["tall"], 0, 9)

    value: dict[str, Any] = {"slider": 0.0, "drag": 0, "input": 0.0, "tall": 0}
    draw(drawn, function)
    for name, wanted in (("slider", "2.5"), ("drag", "-7"), ("input", "1e3"), ("tall", "4")):
        drawn.app.locator(f"#{name}").set_value(wanted)
    assert value == {"slider": 2.5, "drag": -7, "input": 1000.0, "tall": 4}


def test_several_numbers_are_set_together_or_one_by_one(drawn: Driven) -> None:
    def function() -> None:
        _, value[:] = imgui.input_float3("Size##size", value)

    value = [1.0, 2.0, 3.0]
    draw(drawn, function)
    drawn.app.locator("#size").set_value("4, 5.5, 6")
    assert value == [4.0, 5.5, 6.0]
    drawn.app.locator('#size >> [name="y"]').set_value("9")
    assert value == [4.0, 9.0, 6.0]
    with pytest.raises(InvalidParams, match="3 numbers, not 2"):
        drawn.app.locator("#size").set_value("1, 2")


def test_a_colour_is_set(drawn: Driven) -> None:
    def function() -> None:
        _, value[:] = imgui.color_edit3("Colour##c", value)

    value = [0.0, 0.0, 0.0]
    draw(drawn, function)
    drawn.app.locator("#c").set_value("#ff8000")
    assert [round(part * 255) for part in value] == [255, 128, 0]
    with pytest.raises(InvalidParams):
        drawn.app.locator("#c").set_value("red")


def test_a_text_that_is_not_a_number_is_refused(drawn: Driven) -> None:
    draw(drawn, lambda: imgui.input_int("Number##n", 3))
    with pytest.raises(InvalidParams, match="not a number"):
        drawn.app.locator("#n").set_value("many")


@pytest.mark.parametrize("kind", ["combo", "list_box"])
def test_an_option_far_down_is_chosen(drawn: Driven, kind: str) -> None:
    def function() -> None:
        _, chosen[0] = getattr(imgui, kind)("Many##m", chosen[0], options)

    options, chosen = [f"option {number}" for number in range(100)], [0]
    draw(drawn, function)
    done = drawn.app.locator("#m").select_option(text="option 77")
    assert chosen == [77]
    assert done.selected == {"value": "option 77", "index": 77, "text": "option 77"}
    drawn.app.locator("#m").select_option(index=3)
    assert chosen == [3]
    with pytest.raises(OptionNotFound) as caught:
        drawn.app.locator("#m").select_option(text="option 777")
    assert "option 77" in caught.value.near


def test_an_option_that_the_program_draws_itself_is_chosen(drawn: Driven) -> None:
    def function() -> None:
        if imgui.begin_combo("Pick##p", chosen[0]):
            for option in ("one", "two", "three"):
                if imgui.selectable(option, option == chosen[0])[0]:
                    chosen[0] = option
            imgui.end_combo()

    chosen = ["one"]
    draw(drawn, function)
    drawn.app.locator("#p").select_option(text="three")
    assert chosen == ["three"]
    assert drawn.app.locator("#p").get().expanded is False


def test_trees_and_headers_open_and_close_and_only_when_needed(drawn: Driven) -> None:
    def function() -> None:
        shown = imgui.collapsing_header("Part")
        if imgui.is_item_toggled_open():
            drawn.log.append("part")
        if shown:
            imgui.text("in the part")
        opened = imgui.tree_node_ex("Branch", imgui.TreeNodeFlags_.open_on_arrow)
        if imgui.is_item_toggled_open():
            drawn.log.append("branch")
        if opened:
            imgui.tree_node_ex("Leaf", imgui.TreeNodeFlags_.leaf | imgui.TreeNodeFlags_.no_tree_push_on_open)
            imgui.tree_pop()

    draw(drawn, function)
    branch = drawn.app.locator('tree-item[name="Branch"]')
    branch.expand()
    branch.expand()
    assert drawn.app.locator('tree-item[name="Branch"] > tree-item[name="Leaf"]').count() == 1
    branch.collapse()
    assert drawn.app.locator('tree-item[name="Leaf"]').count() == 0
    drawn.app.locator("disclosure-triangle").expand()
    assert drawn.log == ["branch", "branch", "part"]
    with pytest.raises(ActionUnsupported):
        drawn.app.get_by_text("in the part").expand()


def test_a_menu_is_opened_and_an_entry_of_its_submenu_chosen(drawn: Driven) -> None:
    def function() -> None:
        with window("Menus", flags=imgui.WindowFlags_.menu_bar):
            if imgui.begin_menu_bar():
                if imgui.begin_menu("File"):
                    if imgui.begin_menu("Recent"):
                        if imgui.menu_item_simple("first.txt"):
                            drawn.log.append("opened first.txt")
                        imgui.end_menu()
                    _, grid[0] = imgui.menu_item("Grid", "", grid[0])
                    imgui.end_menu()
                imgui.end_menu_bar()

    grid = [False]
    drawn.program.draw = function
    drawn.program.wait_frames(3)
    drawn.app.get_by_role("menu-item", name="File").click()
    drawn.app.get_by_role("menu-item", name="Recent").expand()
    drawn.app.get_by_role("menu-item", name="first.txt").click()
    assert drawn.log == ["opened first.txt"]
    drawn.app.get_by_role("menu-item", name="File").expand()
    drawn.app.locator('[name="Grid"]').check()
    assert grid == [True]
    drawn.app.get_by_role("menu-item", name="File").expand()
    assert drawn.app.locator('menu-item-checkbox[name="Grid"]').get().checked is True
    drawn.app.get_by_role("menu-item", name="File").collapse()
    assert drawn.app.locator('[name="Grid"]').count() == 0


def test_what_cannot_be_pressed_says_so(drawn: Driven) -> None:
    draw(drawn, lambda: imgui.text("just text"))
    with pytest.raises(ActionUnsupported, match="cannot be pressed"):
        drawn.app.get_by_text("just text").activate()


def test_a_row_far_away_is_found_by_its_text_and_chosen(drawn: Driven) -> None:
    def function() -> None:
        if imgui.begin_table("grid", 1, imgui.TableFlags_.scroll_y, (300, 120)):
            clipper = imgui.ListClipper()
            clipper.begin(3000)
            while clipper.step():
                rows.append(clipper.display_end - clipper.display_start)
                for row in range(clipper.display_start, clipper.display_end):
                    imgui.table_next_row()
                    imgui.table_next_column()
                    if imgui.selectable(f"row {row}", False)[0]:
                        drawn.log.append(f"chose {row}")
            imgui.end_table()

    rows: list[int] = []
    draw(drawn, function)
    done = drawn.app.locator("#grid").select_option(text="row 2345")
    assert drawn.log == ["chose 2345"]
    assert done.selected == {"value": "row 2345", "index": 2345, "text": "row 2345"}
    with pytest.raises(OptionNotFound, match="has no row"):
        drawn.app.locator("#grid").select_option(text="row 9999")
    rows.clear()
    drawn.program.wait_frames(3)
    assert max(rows) < 100, "all rows are drawn only to look for one"


# -- windows ------------------------------------------------------------------------------------


def test_a_window_is_moved_resized_collapsed_and_closed(drawn: Driven) -> None:
    def function() -> None:
        if not opened[0]:
            return
        imgui.set_next_window_pos((10, 10), imgui.Cond_.once)
        opened[0] = bool(imgui.begin("Floating", True)[1])
        imgui.end()

    opened = [True]
    drawn.program.draw = function
    drawn.program.wait_frames(3)
    floating = drawn.app.locator('window[name="Floating"]')
    floating.control_window("move", x=40, y=60)
    floating.control_window("resize", width=210, height=120)
    drawn.app.wait_idle()
    assert floating.bounds() == (40, 60, 210, 120)
    floating.control_window("minimize")
    assert floating.get().expanded is False
    floating.control_window("restore")
    assert floating.get().expanded is True
    floating.control_window("close")
    assert opened == [False]
    assert floating.count() == 0


def test_a_window_without_a_closing_button_cannot_be_closed(drawn: Driven) -> None:
    draw(drawn, lambda: imgui.text("inside"), "Fixed")
    with pytest.raises(ActionUnsupported, match="no button that closes it"):
        drawn.app.locator('window[name="Fixed"]').control_window("close")
