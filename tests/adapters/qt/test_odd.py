"""Actions on dialogs made in C++, scenes, subwindows, tool bars and QML inside widgets."""

import time

import pytest

from deskhand.model.errors import InvalidParams, NotReady, NotVisible

PROGRAM = "odd_form"

MODAL = "modal()"
WIDGETS = "stage.program.QtWidgets"


def test_a_message_box_made_in_qt_is_answered(form):
    form.click("form.question")
    yes = f"{MODAL}.button({WIDGETS}.QMessageBox.StandardButton.Yes)"
    form.click(yes)
    assert form.journal == ["question Yes"]
    form.press("form.question")
    form.key(keys="esc")
    assert form.journal == ["question No"]


def test_a_dialog_that_has_not_got_the_focus_yet_gets_the_keys(form):
    form.ask("form.keep_focus()")
    try:
        form.click("form.question")
        form.key(keys="esc")
        assert form.journal == ["question No"]
    finally:
        form.ask("form.give_focus_back()")


def test_an_input_dialog_is_filled(form):
    form.click("form.text")
    form.type_text(f"{MODAL}.findChild({WIDGETS}.QLineEdit)", text="Zoë", clear=True, submit=True)
    assert form.journal == ["text Zoë True"]


def test_a_file_dialog_is_filled(form):
    form.click("form.file")
    form.set_value(f"{MODAL}.findChild({WIDGETS}.QLineEdit)", value="/tmp/new.txt")
    form.press(f"{MODAL}.findChild({WIDGETS}.QDialogButtonBox).buttons()[0]")
    assert form.journal == ["file /tmp/new.txt"]


def test_a_dialog_that_opens_by_itself_is_in_the_way(form):
    form.click("form.later")
    while form.ask(f"{MODAL} is None"):
        pass
    with pytest.raises(NotReady, match='covered by dialog "Static"'):
        form.click("form.text")
    form.key(keys="enter")
    assert form.journal == ["question Yes"]


def test_a_window_modal_dialog_blocks_its_parent_only(form):
    form.press("form.sheet")
    with pytest.raises(NotReady, match='covered by dialog "Sheet"'):
        form.click("form.text")
    form.click(f"form.sheet_.findChild({WIDGETS}.QPushButton)")
    assert form.journal == ["sheet done"]


def test_items_of_a_scene_are_clicked_and_dragged(form):
    form.scroll("SceneItem(form.view, form.box)", into_view=True)
    form.click("SceneItem(form.view, form.box)")
    assert form.ask("form.box.isSelected()")
    x, y = form.ask("[form.box.x(), form.box.y()]")
    form.drag("SceneItem(form.view, form.box)", "form.view", to_x=150, to_y=120)
    assert form.ask(f"[form.box.x() > {x}, form.box.y() > {y}]") == [True, True]


def test_a_widget_inside_a_scene_is_clicked_where_the_scene_shows_it(form):
    with pytest.raises(NotVisible, match="scrolled away"):
        form.click("form.embedded")
    form.scroll("form.embedded", into_view=True)
    form.click("form.embedded")
    form.press("SceneItem(form.view, form.proxy)")
    assert form.journal == ["embedded", "embedded"]


def test_a_subwindow_in_front_covers_the_one_behind(form):
    form.ask("form.area.setActiveSubWindow(form.subs[1])")
    form.ask("form.subs[0].setGeometry(form.subs[1].geometry())")
    with pytest.raises(NotReady, match='covered by window "two"'):
        form.click("form.subs[0].widget()")
    form.click("form.subs[1].widget()")
    assert form.journal == ["clicked in two"]


def test_a_subwindow_is_a_window_of_its_own(form):
    form.control_window("form.subs[0]", do="maximize")
    assert form.ask("form.subs[0].isMaximized()")
    form.control_window("form.subs[0]", do="restore")
    form.control_window("form.subs[0]", do="resize", width=180, height=100)
    assert form.ask("[form.subs[0].width(), form.subs[0].height()]") == [180, 100]
    form.control_window("form.subs[0]", do="close")
    assert form.ask("[sub.windowTitle() for sub in form.area.subWindowList()]") == ["two"]


def test_tool_bars_and_their_menus(form):
    form.click("form.bar.widgetForAction(form.action)")
    form.click("MenuEntry(form.menu, form.menu.actions()[0])")
    form.press("form.split")
    form.press("MenuEntry(form.menu, form.menu.actions()[0])")
    assert form.journal == ["ran", "inner", "inner"]


def test_a_tool_that_finds_no_room_is_clicked_after_the_button_that_shows_it(form):
    form.ask("form.setAnimated(False)")
    form.ask("[form.bar.addAction(f'a rather long tool {at}', lambda: form.say('last')) for at in range(20)]")
    last = "form.bar.widgetForAction(form.bar.actions()[-1])"
    form.key(keys="shift")  # lets the tool bar see that it has no room
    with pytest.raises(NotVisible):
        form.click(last)
    form.click(f"form.bar.findChild({WIDGETS}.QToolButton, 'qt_toolbar_ext_button')")
    form.click(last)
    assert form.journal == ["last"]


def test_everything_answers_while_a_menu_that_qt_opened_is_open(form):
    form.press("form.split")
    assert form.ask("form.menu.isVisible()")
    form.key(keys="esc")
    form.click("form.split")
    assert form.ask("form.menu.isVisible()")
    form.key(keys="esc")


def test_a_question_that_a_dialog_of_qt_asks_is_answered(form, tmp_path):
    (tmp_path / "old.txt").write_text("old")
    form.click("form.file")
    form.set_value(f"{MODAL}.findChild({WIDGETS}.QLineEdit)", value=str(tmp_path / "old.txt"))
    form.press(f"{MODAL}.findChild({WIDGETS}.QDialogButtonBox).buttons()[0]")
    assert "already exists" in form.ask("modal().text()")
    form.press(f"{MODAL}.button({WIDGETS}.QMessageBox.StandardButton.Yes)")
    assert form.journal == [f"file {tmp_path / 'old.txt'}"]


def test_a_calendar_takes_a_date(form):
    form.set_value("form.calendar", value="2030-02-03")
    assert form.journal == ["date 2030-02-03"]
    with pytest.raises(InvalidParams):
        form.set_value("form.calendar", value="2030-02-31")


def test_a_tab_that_found_no_room_is_brought_into_view(form):
    form.scroll("Tab(form.many, 15)", into_view=True)
    form.click("Tab(form.many, 15)")
    assert form.journal == ["tab 15"]
    form.scroll("Tab(form.many, 0)", into_view=True)
    form.click("Tab(form.many, 0)")
    assert form.journal == ["tab 0"]


def test_hovering_shows_the_tool_tip(form):
    form.control_window("form", do="focus")  # Qt shows tool tips in the active window only
    form.hover("form.text")
    form.hover("form.tip")
    until = time.monotonic() + 10
    while not form.ask(f"{WIDGETS}.QToolTip.isVisible()") and time.monotonic() < until:
        pass
    assert form.ask(f"{WIDGETS}.QToolTip.text()") == "a tip"


def test_a_splitter_is_dragged_by_its_handle(form):
    before = form.ask("form.splitter.sizes()")
    form.drag("form.splitter.handle(1)", "form.splitter.widget(1)", to_x=80, to_y=20)
    assert form.journal[-1] == "split"
    assert form.ask("form.splitter.sizes()")[0] > before[0]


def test_qml_inside_a_widget_is_driven_through_that_widget(form):
    form.click("form.item('gilt')")
    form.type_text("form.item('ink')", text="ab")
    form.set_value("form.item('ink')", value="ä")
    assert form.journal == ["gilt", "ink a", "ink ab", "ink ä"]


def test_qml_inside_a_widget_is_behind_dialogs_too(form):
    form.click("form.question")
    with pytest.raises(NotReady, match='covered by dialog "Static"'):
        form.click("form.item('gilt')")
    form.key(keys="esc")
    assert form.journal == ["question No"]
