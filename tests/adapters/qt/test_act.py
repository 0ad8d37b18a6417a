"""Actions on a form of widgets, judged by what the form itself says happened."""

import pytest

from deskhand.model.errors import (
    ActionFailed,
    ActionUnsupported,
    InvalidKey,
    InvalidParams,
    NotEditable,
    NotEnabled,
    NotFocusable,
    NotReady,
    NotVisible,
    OptionNotFound,
    Stale,
)

PROGRAM = "widgets_form"


def clicks(form):
    """The events that the canvas received, without their positions."""
    return [line.split()[0] for line in form.journal if line != "entered"]


# -- the mouse -----------------------------------------------------------------------------------


def test_click_presses_and_releases_a_button(form):
    form.click("form.push")
    assert form.journal == ["push down", "pushed"]


def test_click_in_a_wide_check_box_ticks_it(form):
    form.click("form.check")
    assert form.journal == ["check True"]


def test_click_on_a_group_box_hits_its_check_box(form):
    form.click("form.box")
    assert form.journal == ["box False"]


def test_click_on_a_radio_button_chooses_it(form):
    form.click("form.courier")
    assert form.journal == ["delivery Courier"]


def test_click_on_a_cell_that_shows_nothing_but_a_box_ticks_it(form):
    form.ask("form.table.item(1, 3).setText('')")
    form.scroll("item(form.table, 1, 3)", into_view=True)
    form.click("item(form.table, 1, 3)")
    assert form.journal[-1] == "cell 1,3  Checked"


COMPLETIONS = (
    "form.line.setCompleter("
    "importlib.import_module(f'{BINDING}.QtWidgets').QCompleter(['apple', 'apricot'], form.line))"
)


def test_open_completions_close_when_another_element_is_used(form):
    form.ask(COMPLETIONS)
    form.type_text("form.line", text="ap")
    assert form.ask("app.activePopupWidget() is not None")
    form.click("form.push")
    assert form.journal[-1] == "pushed"

    form.type_text("form.line", text="r")
    form.type_text("form.digits", text="7")
    assert form.ask("[form.line.text(), form.digits.text()]") == ["apr", "7"]


def test_completions_stay_open_for_further_typing_or_a_choice(form):
    form.ask(COMPLETIONS)
    form.type_text("form.line", text="a")
    form.type_text("form.line", text="p")
    form.click("item(form.line.completer().popup(), 1)")
    assert form.ask("form.line.text()") == "apricot"


def test_click_takes_offset_button_and_modifiers(form):
    form.click("form.canvas", x=5, y=6, button="right", modifiers=["ctrl", "shift"])
    held = "ShiftModifier|ControlModifier"
    assert form.journal[-2:] == [f"down RightButton 5,6 {held}", f"up RightButton 5,6 {held}"]


def test_two_clicks_in_a_row_are_not_a_double_click(form):
    form.click("form.canvas")
    form.click("form.canvas")
    assert clicks(form) == ["down", "up", "down", "up"]


def test_double_and_triple_clicks_arrive_as_such(form):
    form.click("form.canvas", count=2)
    assert clicks(form) == ["down", "up", "double", "up"]
    form.click("form.canvas", count=3)
    assert clicks(form) == ["down", "up", "double", "up", "down", "up"]


def test_double_click_leaves_the_programs_interval_alone(form):
    before = form.ask("app.doubleClickInterval()")
    form.click("form.canvas", count=2)
    assert form.ask("app.doubleClickInterval()") == before


def test_click_gives_the_focus_as_a_real_one(form):
    form.click("form.line")
    assert form.ask("form.line.hasFocus()")


def test_click_at_a_point_on_the_screen(form):
    x, y = form.ask("[form.push.mapToGlobal(form.push.rect().center()).x(), "
                    "form.push.mapToGlobal(form.push.rect().center()).y()]")  # fmt: skip
    form.click(x=x, y=y)
    assert form.journal == ["push down", "pushed"]


def test_click_where_no_window_is_says_what_there_is(form):
    with pytest.raises(ActionFailed, match='window "Everything" at'):
        form.click(x=5000, y=5000)


def test_click_names_the_widget_that_covers_the_target(form):
    form.ask("form.cover()")
    with pytest.raises(NotReady, match='button "Push" is covered by QFrame "lid"'):
        form.click("form.push")
    assert form.journal == []


def test_click_finds_a_free_spot_of_a_half_covered_widget(form):
    form.ask("form.cover()")
    form.ask("form.lid.resize(form.push.width() * 3 // 4, form.push.height())")
    form.click("form.push")
    assert form.journal == ["push down", "pushed"]


def test_click_names_the_dialog_in_front(form):
    form.click("form.ask")
    with pytest.raises(NotReady, match='button "Push" is covered by dialog "Question"'):
        form.click("form.push")
    form.click("form.question.button(form.question.StandardButton.Yes)")
    assert form.journal == ["answered Yes"]


def test_click_answers_while_the_dialog_it_opened_is_open(form):
    form.click("form.ask")
    assert form.ask("form.question.isVisible()")
    assert form.journal == []
    form.press("form.question.button(form.question.StandardButton.No)")
    assert form.journal == ["answered No"]


def test_click_on_something_scrolled_away_says_so(form):
    with pytest.raises(NotVisible, match='nothing of button "Far" shows'):
        form.click("form.far")


def test_hover_enters_the_widget(form):
    form.hover("form.push")
    form.hover("form.canvas")
    assert form.journal == ["entered"]
    assert form.ask("form.canvas.underMouse()")


def test_mouse_down_and_up_are_separate(form):
    form.mouse_down("form.canvas", x=1, y=1)
    assert form.journal[-1] == "down LeftButton 1,1"
    form.mouse_up("form.canvas", x=9, y=9)
    assert form.journal == ["dragged to 9,9", "up LeftButton 9,9"]


def test_mouse_up_where_the_mouse_is_already_moves_nothing(form):
    form.mouse_down("form.canvas", x=3, y=4)
    assert form.journal[-1] == "down LeftButton 3,4"
    form.mouse_up("form.canvas", x=3, y=4)
    assert form.journal == ["up LeftButton 3,4"]


def test_mouse_up_without_a_target_lets_go_where_the_mouse_is(form):
    form.mouse_down("form.canvas", x=3, y=4)
    form.mouse_up()
    assert form.journal[-1] == "up LeftButton 3,4"


def test_wheel_turns_notch_by_notch_and_positive_is_down(form):
    form.scroll("form.canvas", dy=2, dx=0)
    assert form.journal[-2:] == ["wheel 0,-120", "wheel 0,-120"]
    form.scroll("form.canvas", dx=0.5)
    assert form.journal == ["wheel -60,0"]


def test_wheel_scrolls_a_list(form):
    form.scroll("form.names", dy=3)
    assert form.ask("form.names.verticalScrollBar().value()") > 0
    form.scroll("form.names", dy=-3)
    assert form.ask("form.names.verticalScrollBar().value()") == 0


@pytest.mark.parametrize(
    "target", ["form.far.parentWidget().parentWidget().parentWidget()", "form.controls[1]"]
)
def test_wheel_scrolls_an_area_and_changes_no_control_in_it(form, target):
    form.ask("form.fill_area()")
    area = "form.far.parentWidget().parentWidget().parentWidget()"
    for dy in (1, 5):
        before = form.ask(f"{area}.verticalScrollBar().value()")
        assert form.scroll(target, dy=dy) == {}
        assert form.ask(f"{area}.verticalScrollBar().value()") > before
    assert set(form.ask("form.set_to()")) == {20}


def test_wheel_that_moves_nothing_says_so(form):
    assert form.scroll("form.names", dy=-3) == {"detail": "nothing moved"}
    assert form.scroll("form.names", dy=3) == {}


def test_wheel_over_a_window_full_of_controls_changes_none(form):
    form.ask("form.fill_area()")
    before = form.ask("[form.set_to(), form.slider.value(), form.combo.currentIndex()]")
    form.scroll("form", dy=4)
    assert form.ask("[form.set_to(), form.slider.value(), form.combo.currentIndex()]") == before


def test_wheel_over_a_control_that_is_in_no_scroll_area_is_refused(form):
    before = form.ask("form.slider.value()")
    with pytest.raises(ActionUnsupported, match="would be changed by the wheel"):
        form.scroll("form.slider", dy=3)
    assert form.ask("form.slider.value()") == before


# -- drags ---------------------------------------------------------------------------------------


def test_drag_moves_a_slider_by_its_handle(form):
    form.drag("form.slider", "form.slider", to_x=80, to_y=10)
    assert form.ask("form.slider.value()") > 20
    assert form.journal[-1] == f"slider {form.ask('form.slider.value()')}"


def test_drag_goes_in_as_many_steps_as_asked(form):
    form.drag("form.canvas", "form.canvas", x=10, y=10, to_x=50, to_y=30, steps=4)
    steps = [line for line in form.journal if line.startswith("dragged")]
    assert steps == ["dragged to 20,15", "dragged to 30,20", "dragged to 40,25", "dragged to 50,30"]


def test_drag_and_drop_from_one_widget_to_another(form):
    if form.platform == "offscreen":
        with pytest.raises(ActionFailed, match="offscreen platform has none"):
            form.drag("form.dragged", "form.drop")
        return
    form.drag("form.dragged", "form.drop")
    assert form.journal == ["dropped cargo", "drag ended CopyAction"]


def test_drag_to_a_point_on_the_screen(form):
    x, y = form.ask("[form.canvas.mapToGlobal(QtCore.QPoint(60, 30)).x(), "
                    "form.canvas.mapToGlobal(QtCore.QPoint(60, 30)).y()]")  # fmt: skip
    form.drag("form.canvas", x=2, y=2, to_x=x, to_y=y, steps=2)
    assert form.journal[-1] == "up LeftButton 60,30"


# -- press, tick, open ---------------------------------------------------------------------------


def test_press_pushes_a_button(form):
    form.press("form.push")
    assert form.journal == ["push down", "pushed"]


def test_press_on_a_disabled_button_says_so(form):
    with pytest.raises(NotEnabled, match='button "Dead" is not enabled'):
        form.press("form.dead")


def test_press_toggles_a_checkable_group_box(form):
    form.press("form.box")
    assert form.journal == ["box False"]


def test_press_selects_a_tab(form):
    form.press("Tab(form.tabs.tabBar(), 1)")
    assert form.journal == ["tab 1"]


def test_press_on_an_item_activates_it(form):
    form.press("item(form.names, 2)")
    assert form.journal == ["selected name 2", "activated name 2"]


def test_press_follows_a_link(form):
    form.press("form.link")
    assert form.journal == ["link help:1"]


def test_press_on_what_has_no_press_of_its_own_clicks_and_says_so(form):
    answer = form.press("Header(form.table.horizontalHeader(), 1, 'Age')")
    assert form.journal == ["header 1"]
    assert "clicked with the mouse" in answer["detail"]


def test_set_checked_does_nothing_if_it_is_so_already(form):
    form.set_checked("form.check", checked=True)
    form.set_checked("form.check", checked=True)
    assert form.journal == ["check True"]
    form.set_checked("form.check", checked=False)
    assert form.journal == ["check False"]


def test_set_checked_gets_past_the_third_state(form):
    form.set_checked("form.three", checked=True)
    assert form.journal == ["three PartiallyChecked", "three Checked"]


def test_set_checked_cannot_untick_a_radio_button(form):
    form.set_checked("form.post", checked=True)
    with pytest.raises(ActionFailed, match="tick"):
        form.set_checked("form.post", checked=False)


def test_expand_opens_and_closes_the_calendar_of_a_date(form):
    with pytest.raises(ActionUnsupported):
        form.expand("form.day", expanded=True)
    form.ask("form.day.setCalendarPopup(True)")
    form.expand("form.day", expanded=True)
    assert form.ask("form.day.calendarWidget().isVisible()")
    form.expand("form.day", expanded=False)
    assert not form.ask("form.day.calendarWidget().isVisible()")


def test_set_checked_ticks_a_menu_entry_and_a_cell(form):
    form.set_checked("MenuEntry(form.file, form.wrap)", checked=True)
    form.set_checked("item(form.table, 1, 3)", checked=True)
    assert form.journal == ["wrap True", "cell 1,3 tick Checked"]


def test_set_checked_on_a_cell_without_a_box_says_so(form):
    with pytest.raises(ActionUnsupported, match="cannot be ticked"):
        form.set_checked("item(form.names, 1)", checked=True)


def test_expand_opens_and_shuts_a_tree_item(form):
    form.expand("item(form.tree, 0)")
    form.expand("item(form.tree, 0)")
    form.expand("item(form.tree, 0)", expanded=False)
    assert form.journal == ["opened Fruit", "shut Fruit"]
    with pytest.raises(ActionUnsupported, match="nothing below"):
        form.expand("item(form.tree, 0, 0, form.tree.model().index(0, 0))")


def test_expand_opens_a_combo_box_whose_items_can_be_clicked(form):
    form.expand("form.combo")
    assert form.ask("form.combo.view().isVisible()")
    form.click("item(form.combo.view(), 2)")
    assert form.journal == ["chose Japan"]
    form.expand("form.combo")
    form.expand("form.combo", expanded=False)
    assert not form.ask("form.combo.view().isVisible()")


def test_expand_opens_a_menu_and_closes_it(form):
    form.expand("MenuEntry(form.menuBar(), form.file.menuAction())")
    assert form.ask("form.file.isVisible()")
    form.expand("MenuEntry(form.menuBar(), form.file.menuAction())", expanded=False)
    assert not form.ask("form.file.isVisible()")


# -- menus ---------------------------------------------------------------------------------------


def test_click_on_an_entry_opens_the_menus_on_the_way(form):
    form.click("MenuEntry(form.file, form.save)")
    assert form.journal == ["saved"]
    form.click("MenuEntry(form.recent, form.recent.actions()[0])")
    assert form.journal == ["opened a.txt"]
    assert form.ask("app.activePopupWidget() is None")


def test_click_opens_the_menu_of_a_button(form):
    form.click("MenuEntry(form.extra, form.extra.actions()[0])")
    assert form.journal == ["extra"]


def test_press_on_an_entry_of_a_closed_menu_triggers_it(form):
    form.press("MenuEntry(form.file, form.save)")
    assert form.journal == ["saved"]


def test_press_on_an_entry_of_an_open_menu_closes_the_menu(form):
    form.click("MenuEntry(form.menuBar(), form.file.menuAction())")
    form.press("MenuEntry(form.file, form.save)")
    assert form.journal == ["saved"]
    assert form.ask("app.activePopupWidget() is None")


def test_a_disabled_entry_is_refused(form):
    for act in (form.click, form.press):
        with pytest.raises(NotEnabled, match='menu-item "Never" is not enabled'):
            act("MenuEntry(form.file, form.file.actions()[-1])")


def test_a_menu_that_is_filled_as_it_opens_has_its_entries_after_a_click_on_it(form):
    form.click("MenuEntry(form.menuBar(), form.tools.menuAction())")
    form.click("MenuEntry(form.tools, form.tools.actions()[1])")
    assert form.journal == ["Count"]
    # These are from the last time: by the click they are gone, and others like them are there.
    form.click("MenuEntry(form.tools, form.tools.actions()[0])")
    assert form.journal == ["Sort"]
    form.click("MenuEntry(form.deeper, form.deeper.actions()[0])")
    assert form.journal == ["bottom"]
    assert form.ask("app.activePopupWidget() is None")


def test_select_in_a_menu_that_is_filled_as_it_opens_opens_it(form):
    form.select("MenuEntry(form.menuBar(), form.tools.menuAction())", text="Count")
    assert form.journal == ["Count"]
    with pytest.raises(OptionNotFound, match="no option 'Nothing'; there are 'Sort', 'Count', 'Deeper'"):
        form.select("form.tools", text="Nothing")
    assert form.ask("app.activePopupWidget() is None")


def test_an_entry_that_is_disabled_or_gone_once_its_menu_opens_is_reported_and_nothing_stays_open(form):
    with pytest.raises(NotEnabled, match='menu-item "Undo" is not enabled'):
        form.click("MenuEntry(form.tools, form.tools.actions()[0])")
    assert form.ask("app.activePopupWidget() is None")
    form.ask("form.tools.addAction('Passing')")
    with pytest.raises(Stale, match='menu-item "Passing" is gone: its menu was filled anew'):
        form.click("MenuEntry(form.tools, form.tools.actions()[-1])")
    assert form.ask("app.activePopupWidget() is None")
    assert form.journal == []


def test_an_open_menu_is_in_the_way_of_a_click(form):
    form.expand("MenuEntry(form.menuBar(), form.file.menuAction())")
    with pytest.raises(NotReady, match='button "Push" is covered by menu "File"'):
        form.click("form.push")
    form.key(keys="esc")
    form.click("form.push")
    assert form.journal == ["push down", "pushed"]


def test_show_menu_opens_the_context_menu_of_a_row(form):
    form.show_menu("item(form.table, 2)")
    form.click("MenuEntry(app.activePopupWidget(), app.activePopupWidget().actions()[0])")
    assert form.journal == ["removed 2", "menu closed"]


def test_a_right_click_opens_the_context_menu_too(form):
    form.click("item(form.table, 1)", button="right")
    assert form.ask("app.activePopupWidget().actions()[0].text()") == "Remove"
    form.key(keys="escape")
    assert form.journal == ["menu closed"]


def test_show_menu_shows_a_widgets_own_actions(form):
    form.show_menu("form.lazy")
    form.key(keys="down")
    form.key(keys="enter")
    assert form.journal == ["copied"]


def test_show_menu_without_a_menu_says_so(form):
    with pytest.raises(ActionUnsupported, match="has no context menu"):
        form.show_menu("form.push")


# -- typing --------------------------------------------------------------------------------------


def test_type_text_presses_one_key_after_another(form):
    form.type_text("form.line", text="Ab1!")
    assert form.journal == ["edited A", "edited Ab", "edited Ab1", "edited Ab1!"]


def test_type_text_takes_any_script(form):
    form.type_text("form.line", text="é Ж 日本 😀 e\u0301")
    assert form.ask("form.line.text()") == "é Ж 日本 😀 e\u0301"


def test_type_text_appends_clears_and_submits(form):
    form.type_text("form.line", text="one")
    form.type_text("form.line", text=" two")
    assert form.ask("form.line.text()") == "one two"
    form.type_text("form.line", text="new", clear=True, submit=True)
    assert form.journal[-2:] == ["submitted new", "finished new"]


def test_type_text_types_lines_into_a_text_edit(form):
    form.type_text("form.text", text="a\nb\tc", clear=True)
    assert form.ask("form.text.toPlainText()") == "a\nb\tc"


def test_type_text_without_a_target_goes_where_the_focus_is(form):
    form.focus("form.secret")
    form.type_text(text="pass")
    assert form.ask("form.secret.text()") == "pass"


def test_type_text_refuses_what_is_read_only(form):
    with pytest.raises(NotEditable, match="is read-only"):
        form.type_text("form.fixed", text="x")


def test_type_text_edits_a_cell(form):
    form.type_text("item(form.table, 1, 0)", text="Ada", clear=True, submit=True)
    assert form.journal == ["cell 1,0 Ada Unchecked"]


def test_type_text_fills_a_spin_box(form):
    form.type_text("form.spin", text="12", clear=True, submit=True)
    assert form.ask("form.spin.value()") == 12


def test_type_text_sets_a_slider_as_a_whole_or_not_at_all(form):
    assert "as a whole" in form.type_text("form.slider", text="40", clear=True)["detail"]
    assert form.journal == ["slid 40", "slider 40"]
    with pytest.raises(NotEditable, match="takes no text"):
        form.type_text("form.slider", text="50")


# -- keys ----------------------------------------------------------------------------------------


def test_key_fires_shortcuts_of_actions_and_of_the_window(form):
    form.key(keys="ctrl+s")
    form.key("form.line", keys="F5")
    assert form.journal == ["saved", "refreshed"]


@pytest.mark.parametrize("chord", ["Control+S", "CTRL+s", "ctrl + s"])
def test_key_names_do_not_depend_on_case(form, chord):
    form.key(keys=chord)
    assert form.journal == ["saved"]


def test_key_moves_the_focus(form):
    form.focus("form.line")
    form.key(keys="tab")
    assert form.ask("form.secret.hasFocus()")
    form.key(keys="shift+tab")
    assert form.ask("form.line.hasFocus()")


def test_key_on_a_target_goes_there(form):
    form.key("form.canvas", keys="a")
    form.key("form.canvas", keys="A")
    form.key("form.canvas", keys="ö")
    form.key("form.canvas", keys="pagedown")
    keys = [line for line in form.journal if "0x1000020" not in line]
    assert keys == ["key 0x41 'a'", "key 0x41 'A'", "key 0xd6 'ö'", "key 0x1000017 ''"]


def test_key_opens_a_menu_by_its_mnemonic(form):
    form.key(keys="alt+f")
    assert form.ask("form.file.isVisible()")
    form.key(keys="esc")


def test_unknown_key_error_names_similar_keys(form):
    with pytest.raises(InvalidKey) as caught:
        form.key(keys="ctrl+entr")
    assert caught.value.near == ("enter",)


# -- values --------------------------------------------------------------------------------------


def test_set_value_replaces_text_as_if_it_was_edited(form):
    form.set_value("form.line", value="Zoë")
    assert form.journal == ["edited Zoë"]
    form.set_value("form.line", value="")
    assert form.journal == ["edited "]
    form.focus("form.secret")
    assert form.journal == ["finished "]


def test_set_value_says_what_a_field_did_not_take(form):
    with pytest.raises(ActionFailed, match="validator"):
        form.set_value("form.digits", value="abc")
    with pytest.raises(NotEditable):
        form.set_value("form.fixed", value="x")


def test_set_value_never_returns_a_password(form):
    with pytest.raises(ActionFailed, match="at most 6 characters") as caught:
        form.set_value("form.secret", value="hunter22")
    assert "hunter" not in str(caught.value.to_json())


def test_set_value_fills_text_edits(form):
    form.set_value("form.text", value="a\nb")
    form.set_value("form.rich", value="plain")
    assert form.ask("[form.text.toPlainText(), form.rich.toPlainText()]") == ["a\nb", "plain"]


def test_set_value_turns_numbers(form):
    form.set_value("form.spin", value="7")
    form.set_value("form.real", value="2.5")
    form.set_value("form.dial", value="9")
    form.set_value("form.slider", value="42")
    assert form.ask("[form.spin.value(), form.real.value(), form.dial.value()]") == [7, 2.5, 9]
    assert form.journal == ["spin 7", "slid 42", "slider 42"]


@pytest.mark.parametrize(
    ("target", "value"), [("spin", "51"), ("spin", "many"), ("slider", "101"), ("slider", "x")]
)
def test_set_value_names_the_limits(form, target, value):
    with pytest.raises(InvalidParams):
        form.set_value(f"form.{target}", value=value)
    assert form.ask(f"form.{target}.value()") == 0


def test_set_value_reads_a_number_with_its_suffix(form):
    form.set_value("form.spin", value="8 kg")
    assert form.ask("form.spin.value()") == 8


def test_set_value_takes_iso_dates_and_times(form):
    form.set_value("form.day", value="2025-06-07")
    form.set_value("form.clock", value="13:45")
    form.set_value("form.moment", value="2026-12-31T23:59:00")
    assert form.journal == ["day 2025-06-07"]
    assert form.ask("form.clock.time().toString('HH:mm')") == "13:45"
    assert form.ask("form.moment.dateTime().toString('yyyy-MM-dd HH:mm')") == "2026-12-31 23:59"
    with pytest.raises(InvalidParams, match="is not a date or time"):
        form.set_value("form.day", value="tomorrow")


def test_set_value_ticks_by_true_and_false(form):
    form.set_value("form.check", value="true")
    form.set_value("form.check", value="false")
    assert form.journal == ["check True", "check False"]
    with pytest.raises(InvalidParams):
        form.set_value("form.check", value="perhaps")


def test_set_value_on_combo_boxes(form):
    form.set_value("form.combo", value="Kenya")
    form.set_value("form.free", value="anything")
    assert form.journal == ["chose Kenya"]
    assert form.ask("form.free.currentText()") == "anything"
    with pytest.raises(OptionNotFound):
        form.set_value("form.combo", value="Atlantis")


def test_set_value_edits_a_cell_through_its_editor(form):
    form.set_value("item(form.table, 2, 1)", value="33")
    assert form.journal == ["cell 2,1 33 Unchecked"]
    assert form.ask("form.table.indexWidget(form.table.model().index(2, 1)) is None")


def test_set_value_refuses_cells_that_are_locked(form):
    with pytest.raises(NotEditable, match="model does not let"):
        form.set_value("item(form.table, 1, 2)", value="x")
    form.ask("form.table.setEditTriggers(form.table.EditTrigger.NoEditTriggers)")
    with pytest.raises(NotEditable, match="view does not let"):
        form.set_value("item(form.table, 1, 0)", value="x")


@pytest.mark.parametrize("target", ["form.bar", "form.link", "form.push", "form.tabs"])
def test_set_value_refuses_what_only_shows_something(form, target):
    with pytest.raises(NotEditable):
        form.set_value(target, value="1")


# -- choosing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [{"text": "Japan"}, {"index": 2}, {"value": "jp"}])
def test_select_in_a_combo_box_by_text_index_or_value(form, by):
    assert form.select("form.combo", **by) == {"selected": {"value": "jp", "index": 2, "text": "Japan"}}
    assert form.journal == ["chose Japan"]
    assert form.ask("form.combo.currentText()") == "Japan"


def test_select_lists_what_there_is(form):
    with pytest.raises(OptionNotFound, match="did you mean 'Kenya'") as caught:
        form.select("form.combo", text="Kenia")
    assert caught.value.details["options"] == ["France", "Kenya", "Japan", "Peru"]
    assert caught.value.near[0] == "Kenya"
    with pytest.raises(OptionNotFound, match="it has 4"):
        form.select("form.combo", index=9)
    with pytest.raises(NotEnabled, match="'Peru'"):
        form.select("form.combo", text="Peru")


def test_select_opens_a_combo_box_that_fills_itself_late(form):
    assert form.select("form.shy", text="later")["selected"]["index"] == 1
    assert not form.ask("form.shy.view().isVisible()")


def test_select_a_tab(form):
    assert form.select("form.tabs", text="Second")["selected"]["index"] == 1
    assert form.journal == ["tab 1"]
    assert form.select("form.tabs", index=0)["selected"]["text"] == "First"
    with pytest.raises(NotEnabled):
        form.select("form.tabs", text="Third")


def test_select_a_row_of_a_list_and_extend(form):
    assert form.select("form.names", text="name 40")["selected"]["index"] == 40
    assert form.journal == ["selected name 40", "clicked name 40"]
    form.select("form.names", index=3, extend=True)
    assert form.journal == ["selected name 3 name 40", "clicked name 3"]
    form.select("form.names", index=5)
    assert form.journal == ["selected name 5", "clicked name 5"]


def test_a_tab_widget_without_that_tab_is_called_by_its_own_name(form):
    for on in ("form.tabs", "form.tabs.tabBar()", "Tab(form.tabs.tabBar(), 0)"):
        with pytest.raises(OptionNotFound, match='tab-list "tabs" has no option'):
            form.select(on, text="nowhere")


def test_select_a_cell_of_a_table(form):
    assert form.select("form.table", index=4, column=1)["selected"] == {"value": "4", "index": 4, "text": "4"}
    assert form.ask("[form.table.currentRow(), form.table.currentColumn()]") == [4, 1]
    assert form.select("form.table", text="person 7")["selected"]["index"] == 7
    with pytest.raises(OptionNotFound):
        form.select("form.table", text="no such row")


def test_select_in_a_tree_opens_the_way_to_the_item(form):
    form.select("form.tree", text="Iron")
    assert form.ask("form.tree.currentItem().text(0)") == "Iron"
    assert form.journal == ["opened Metal"]
    form.select("item(form.tree, 0)", index=1)
    assert form.ask("form.tree.currentItem().text(0)") == "Pear"


def test_select_in_a_view_without_a_model_says_that_there_is_nothing(form):
    form.ask("setattr(form, 'empty', type(form.tree).__mro__[1](form)) or form.empty.show()")
    with pytest.raises(OptionNotFound):
        form.select("form.empty", index=0)


def test_select_in_a_menu_and_among_radio_buttons(form):
    form.select("form.file", text="Save")
    form.select("form.box", text="Courier")
    assert form.journal == ["saved", "delivery Courier"]


def test_select_where_nothing_can_be_chosen_says_so(form):
    with pytest.raises(NotEditable, match="no options to choose from"):
        form.select("form.line", text="x")


# -- into view, focus, windows -------------------------------------------------------------------


def test_scroll_into_view_makes_a_widget_clickable(form):
    form.scroll("form.far", into_view=True)
    form.click("form.far")
    assert form.journal == ["far"]


def test_scroll_to_a_row_by_number_and_by_text(form):
    for by in ({"row": 90}, {"text": "name 60"}):
        form.scroll("form.names", **by)
        rect = f"form.names.visualItemRect(form.names.item({by.get('row', 60)}))"
        assert form.ask(f"form.names.viewport().rect().contains({rect})")
    with pytest.raises(OptionNotFound, match="it has 100 rows"):
        form.scroll("form.names", row=100)


def test_focus_goes_to_the_widget(form):
    form.focus("form.digits")
    assert form.ask("form.digits.hasFocus()")
    with pytest.raises(NotFocusable):
        form.focus("form.link.buddy() or form.drop")


def test_focus_fails_behind_a_dialog(form):
    form.click("form.ask")
    for act in (form.focus, lambda target: form.key(target, keys="a")):
        with pytest.raises(NotReady, match='covered by dialog "Question"'):
            act("form.line")
    form.press("form.question.button(form.question.StandardButton.No)")


def test_windows_move_and_resize(form):
    form.control_window("form.push", do="move", x=60, y=70)
    form.control_window("form.push", do="resize", width=950, height=720)
    assert form.ask("[form.width(), form.height()]") == [950, 720]
    at = "form.mapToGlobal(QtCore.QPoint(0, 0))"
    assert form.ask(f"[{at}.x(), {at}.y()]") == [60, 70]


def test_a_size_that_the_window_refuses_is_reported(form):
    form.ask("form.setMinimumSize(800, 600)")
    answer = form.control_window("form", do="resize", width=10, height=10)
    assert answer["detail"].startswith("it is 8")


def test_windows_minimize_maximize_and_come_back(form):
    form.control_window("form", do="minimize")
    assert form.ask("form.isMinimized()")
    form.control_window("form", do="restore")
    assert not form.ask("form.isMinimized()")
    form.control_window("form", do="maximize")
    assert form.ask("form.isMaximized()")
    form.control_window("form", do="restore")
    assert not form.ask("form.isMaximized()")
    form.control_window("form", do="focus")
    assert form.ask("form.isActiveWindow()")


def test_a_window_closes_or_says_that_it_does_not(form):
    form.ask("setattr(form, 'closeEvent', lambda event: event.ignore())")
    with pytest.raises(ActionFailed, match='keeps window "Everything" open'):
        form.control_window("form.push", do="close")
    form.ask("delattr(form, 'closeEvent')")
    form.control_window("form.push", do="close")
    assert not form.ask("form.isVisible()")
