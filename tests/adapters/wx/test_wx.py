"""What wx has that the form of the conformance suite lacks: native dialogs, all controls, screenshots, a
wedged GUI thread. The gallery's own report is the judge."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, Desktop, attach, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionFailed,
    InvalidParams,
    NotEditable,
    NotEnabled,
    OptionNotFound,
    Stale,
    UiBusy,
)

HERE = Path(__file__).parent
DEBIAN = "/usr/bin/python3"


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture(scope="module")
def goes_on(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that ends the wedge of the gallery, once it is there."""
    return tmp_path_factory.mktemp("gallery") / "goes_on"


@pytest.fixture(scope="module")
def gallery(desktop: Desktop, goes_on: Path) -> Iterator[App]:
    """The gallery, in an interpreter that has nothing of ours."""
    env = {**desktop.env, "GALLERY_GOES_ON": str(goes_on)}
    with launch([DEBIAN, str(HERE / "gallery.py")], env=env) as app:
        yield app


@pytest.fixture
def app(gallery: App, request: pytest.FixtureRequest) -> App:
    """The gallery at the page that the test names, with nothing open."""
    page = getattr(request.function, "page", None)
    if page is not None:
        gallery.locator("#book").select_option(text=page)
        gallery.wait_idle()
    return gallery


def on(page: str):
    """A test that begins at a page of the gallery."""

    def mark(test):
        test.page = page
        return test

    return mark


def says(app: App, what: str) -> None:
    expect(app.locator("#report")).to_have_text(what)


def entry(app: App, name: str):
    return app.locator(f'menu-bar >> [name="{name}"]')


# -- dialogs that wx does not list --------------------------------------------------------------


def test_a_native_message_dialog_is_read_and_answered(app: App) -> None:
    entry(app, "Message…").activate()
    dialog = app.locator('dialog[name="Sure"]')
    expect(dialog).to_be_visible()
    assert app.state().modal_dialog == "Sure"
    assert len({window.app_name for window in app.windows()}) == 1, "all windows are of one program"
    expect(dialog.get_by_text("Really?")).to_be_visible()
    expect(dialog.get_by_text("It cannot be undone.")).to_be_visible()
    assert dialog.locator("button").count() == 3
    dialog.locator('button[name="No"]').click()
    says(app, "no")
    assert app.state().modal_dialog is None


def test_a_button_of_a_native_dialog_is_pressed_without_the_mouse(app: App) -> None:
    entry(app, "Message…").click()
    app.locator('dialog >> button[name="Yes"]').activate()
    says(app, "yes")


def test_what_is_behind_a_modal_dialog_is_refused(app: App) -> None:
    entry(app, "Message…").activate()
    expect(app.locator("dialog")).to_be_visible()
    for action in (ops.Press, ops.Click):
        with pytest.raises(ActionFailed, match="behind the modal dialog 'Sure'"):
            app.run(action('menu-item[name="Yield"]', timeout=0))
    app.keyboard.press("esc")
    says(app, "cancel")


def test_a_file_is_chosen_in_a_native_file_dialog(app: App, tmp_path: Path) -> None:
    wanted = tmp_path / "model.stl"
    wanted.write_text("solid")
    entry(app, "Open…").activate()
    dialog = app.locator('dialog[name="Which file"]')
    with pytest.raises(ActionFailed, match="no file"):
        dialog.set_value(str(tmp_path / "nothing"))
    dialog.set_value(str(wanted))
    expect(dialog).to_have_value(str(wanted))
    dialog.locator('button[name="Open"]').click()
    says(app, str(wanted))


def test_a_name_is_typed_into_a_native_save_dialog(app: App, tmp_path: Path) -> None:
    entry(app, "Save as…").activate()
    dialog = app.locator('dialog[name="Which file"]')
    dialog.locator("textfield:visible").fill(str(tmp_path / "größe.gcode"))
    dialog.locator('button[name="Save"]').click()
    says(app, str(tmp_path / "größe.gcode"))


def test_a_file_to_be_written_is_set_as_a_whole(app: App, tmp_path: Path) -> None:
    entry(app, "Save as…").activate()
    dialog = app.locator('dialog[name="Which file"]')
    dialog.set_value(str(tmp_path / "a.gcode"))
    dialog.locator('button[name="Save"]').activate()
    says(app, str(tmp_path / "a.gcode"))


def test_a_dialog_of_the_programs_own_is_driven(app: App) -> None:
    entry(app, "Own dialog…").click()
    app.locator("#own_field").type("hello")
    field = app.locator("#own_field").get()
    app.locator('dialog >> button[name="OK"]').click()
    says(app, "own hello")
    with pytest.raises(Stale, match="own_field"):
        app.locator(f"uid={field.uid}").click(timeout=0)


@on("panes")
def test_a_popup_menu_is_walked_into_its_submenu(app: App) -> None:
    app.locator("#context").right_click()
    app.locator('menu >> menu-item[name="More"]').hover()
    app.locator('menu >> menu-item[name="Deep"]').click()
    says(app, "deep")


@on("panes")
def test_a_click_that_an_open_menu_would_take_is_refused(app: App) -> None:
    app.locator("#context").right_click()
    with pytest.raises(ActionFailed, match="a menu is open"):
        app.locator('button[name="Right"]').click()
    app.keyboard.press("esc")
    expect(app.locator("menu")).to_be_hidden()


# -- controls -----------------------------------------------------------------------------------


@on("simple")
def test_simple_controls_do_what_they_are_for(app: App) -> None:
    app.locator('button[name="Folder"]').activate()
    says(app, "folder")
    app.locator('toggle-button[name="Hold"]').click()
    says(app, "hold True")
    three = app.locator('checkbox[name="Three"]')
    assert three.get().mixed
    three.check()
    says(app, "three 1")
    app.locator('radio[name="M"]').click()
    says(app, "size M")
    with pytest.raises(NotEnabled):
        app.locator('radio[name="L"]').click(timeout=0)
    app.locator("link").activate()
    says(app, "link http://localhost/")


@on("simple")
@pytest.mark.parametrize(("field", "value", "report", "held"), [
    ("#real", "1.25", "real 1.25", "1.25"),
    ("#when", "13:45", "when (13, 45, 0)", "13:45:00"),
    ("#calendar", "2026-05-20", "calendar 2026-05-20", "2026-05-20"),
    ("#paint", "#00ff00", "paint #00FF00", "#00FF00"),
    ("#file", "/etc/passwd", "file /etc/passwd", "/etc/passwd"),
    ("#styled", "é\nx", "styled", "é\nx"),
])  # fmt: skip
def test_a_value_is_set_and_reported(app: App, field: str, value: str, report: str, held: str) -> None:
    app.locator(field).set_value(value)
    says(app, report)
    expect(app.locator(field)).to_have_value(held)


@on("simple")
def test_a_value_that_does_not_fit_is_refused(app: App) -> None:
    with pytest.raises(ActionFailed, match="did not take all"):
        app.locator("#limited").set_value("four")
    with pytest.raises(NotEditable):
        app.locator("#fixed").set_value("x", timeout=0)
    with pytest.raises(Exception, match="not between 0 and 2"):
        app.locator("#real").set_value("7")


@on("simple")
def test_long_and_foreign_text_is_entered_at_once_and_detail_says_so(app: App) -> None:
    done = app.locator("#search").type("Ångström 🙂")
    assert "input method" in (done.detail or "")
    expect(app.locator("#search")).to_have_value("Ångström 🙂")


@on("choices")
def test_every_kind_of_combo_box_and_list_is_chosen_from(app: App) -> None:
    app.locator("#editable").select_option(text="two")
    says(app, "combo two")
    app.locator("#editable").fill("free")
    says(app, "combo text free")
    app.locator("#own_drawn").select_option(index=1)
    says(app, "own drawn y")
    app.locator("#bitmaps").select_option(text="moon")
    says(app, "bitmaps moon")
    app.locator("#several").select_option(index=0)
    app.run(ops.Select("#several", index=2, extend=True))
    says(app, "several [0, 2]")
    app.locator('#checks >> list-item[name="milk"]').check()
    says(app, "checks ('milk',)")


@on("choices")
def test_the_list_of_a_combo_box_that_is_open_is_clicked_and_pressed(app: App) -> None:
    for combo in ("#editable", "#closed", "#bitmaps"):
        texts = [option.text for option in app.locator(combo).get().options]
        app.locator(combo).expand()
        rows = app.locator("[class=GtkTreeMenu] > list-item")
        expect(rows).to_have_count(2)
        assert [row.name for row in rows.nodes()] == texts
        rows.nth(1).click()
        expect(app.locator(combo)).to_have_value(texts[1])
        app.locator(combo).expand()
        assert [row.selected for row in rows.nodes()] == [False, True]
        rows.nth(0).activate()
        expect(app.locator(combo)).to_have_value(texts[0])
        expect(rows).to_have_count(0)


@on("simple")
def test_two_clicks_at_one_place_are_not_a_double_click_unless_that_is_meant(app: App) -> None:
    field = app.locator("#limited")
    field.fill("ab")
    field.click()
    field.click()
    app.keyboard.type("c")
    expect(field).to_have_value("abc")
    field.dblclick()
    app.keyboard.type("d")
    expect(field).to_have_value("d")
    field.click()
    field.dblclick()
    field.click()
    app.keyboard.type("e")
    expect(field).to_have_value("de")


@on("views")
def test_a_list_control_is_sorted_chosen_from_and_opened(app: App) -> None:
    app.locator("#table").select_option(text="file 30")
    says(app, "file 30")
    app.locator("#table").scroll_to(row=0)
    app.locator('#table >> cell[name="file 2"]').dblclick()
    says(app, "opened 2")
    app.locator('#table >> column-header[name="Size"]').click()
    says(app, "sorted 1")


@on("views")
def test_of_a_hundred_thousand_rows_those_on_the_screen_are_read(app: App) -> None:
    app.locator("#many").scroll_to(row=54_321)
    app.locator('#many >> cell[name="54321"]').click()
    many = app.locator("#many").get().virtualization
    assert many is not None
    assert (many.items_count, many.selected_indices) == (100_000, (54_321,))
    app.locator("#cells").scroll_to(row=99_000)
    expect(app.locator('#cells >> cell[name="r99000c0"]')).to_be_visible()
    grid = app.locator("#cells").get().virtualization
    assert grid is not None
    assert grid.items_count == 100_000
    assert len(grid.visible_cells) < 20
    app.locator("#cells").scroll(dy=-3)
    turned = app.locator("#cells").get().virtualization
    assert turned is not None
    assert grid.visible_range is not None
    assert turned.visible_range is not None
    assert turned.visible_range[0] < grid.visible_range[0]


@on("panes")
def test_the_wheel_scrolls_an_area_changes_no_control_in_it_and_says_if_nothing_moved(app: App) -> None:
    slider = app.locator("#turned")
    near = app.get_by_role("button", name="Near").bounds()
    assert near is not None
    for target in (app.locator("#area"), slider):
        assert target.scroll(dy=-2).detail == "nothing moved"
        assert target.scroll(dy=1).detail is None
        now = app.get_by_role("button", name="Near").bounds()
        assert now is not None
        assert now.y < near.y
        assert slider.get().number == 20
        assert target.scroll(dy=-1).detail is None


@on("views")
def test_the_row_of_a_cell_that_is_chosen_is_reported_with_the_grid(app: App) -> None:
    grid = app.locator("#cells")
    for row in (3, 1):
        grid.select_option(index=row)
        table = grid.get().virtualization
        assert table is not None
        assert (table.selected_indices, table.focused_index) == ((row,), row)
    app.run(ops.Select("#cells", index=4, extend=True))
    table = grid.get().virtualization
    assert table is not None
    assert 4 in table.selected_indices


@on("data")
def test_typing_into_a_drawn_field_sets_it_and_detail_says_so(app: App) -> None:
    done = app.locator("#copies").type("5")
    assert "set as a whole" in (done.detail or "")
    says(app, "copies 15")


@on("views")
def test_a_tree_is_opened_searched_and_edited(app: App) -> None:
    app.locator('#tree >> tree-item[name="branch 3"]').expand()
    app.locator('#tree >> tree-item[name="leaf 3.2"]').click()
    says(app, "tree leaf 3.2")
    app.locator("#tree").select_option(text="leaf 29.29")
    says(app, "tree leaf 29.29")
    app.locator('#tree >> tree-item[name="leaf 29.29"]').set_value("last")
    expect(app.locator('#tree >> tree-item[name="last"]')).to_be_visible()


@on("data")
def test_data_views_are_chosen_from_ticked_and_edited(app: App) -> None:
    app.locator("#rows").select_option(text="task 33")
    says(app, "task 33")
    app.locator("#rows").scroll_to(row=0)
    app.locator('#rows >> cell[name="task 1"]').set_value("done")
    says(app, "changed 1")
    app.locator('#rows >> row[name="done"] >> cell:nth(1)').check()
    expect(app.locator('#rows >> row[name="done"] >> cell:nth(1)')).to_be_checked()
    app.locator('#rows >> cell[name="task 2"]').click()
    says(app, "task 2")
    app.locator('#places >> tree-item[name="Europe"]').expand()
    app.locator('#places >> tree-item[name="Paris"]').click()
    says(app, "place Paris")


@on("data")
def test_a_property_is_set_unless_it_is_read_only(app: App) -> None:
    app.locator("#copies").set_value("3")
    says(app, "copies 3")
    app.locator("#paper").set_value("Letter")
    says(app, "paper Letter")
    with pytest.raises(NotEditable):
        app.locator("#printer").set_value("x", timeout=0)


@on("data")
def test_a_property_that_is_true_or_false_is_ticked_and_flags_hide_nothing_behind_them(app: App) -> None:
    app.locator("#colour").check()
    says(app, "colour True")
    expect(app.locator("#colour")).to_be_checked()
    app.locator("#sides").set_value("front, back")
    says(app, "sides front, back")
    assert app.locator("#printer").get().value == "none"


@on("books")
def test_books_of_every_kind_show_the_page_that_is_chosen(app: App) -> None:
    app.locator("#by_choice").select_option(text="second")
    expect(app.locator('button[name="second of by_choice"]')).to_be_visible()
    app.locator("#by_program").select_option(index=1)
    expect(app.locator('button[name="second of by_program"]')).to_be_visible()
    app.locator('#aui >> tab[name="second"]').click()
    says(app, "aui 1")
    expect(app.locator('button[name="first of aui"]')).to_be_hidden()


@on("library")
def test_buttons_that_are_drawn_in_python_are_called_clicked_and_pressed(app: App) -> None:
    for label in ("Drawn", "Plate"):
        button = app.locator(f'button[name="{label}"]')
        button.click()
        says(app, f"pressed {label}")
        app.locator('button[name="Plate"]' if label == "Drawn" else 'button[name="Drawn"]').activate()
        says(app, f"pressed {'Plate' if label == 'Drawn' else 'Drawn'}")
    held = app.locator('toggle-button[name="Held"]')
    held.check()
    says(app, "pressed Held")
    expect(held).to_be_checked()
    held.click()
    expect(held).not_to_be_checked()
    assert app.locator('text[name="Drawn text"]').get().automation_id is None


@on("library")
def test_fields_of_the_library_hold_what_is_filled_in(app: App) -> None:
    for field, text in (("whole", "42"), ("phone", "555-0199")):
        app.locator(f"#{field}").fill(text)
        expect(app.locator(f"#{field}")).to_have_value(text)
    with pytest.raises(InvalidParams):
        app.locator("#whole").fill("many", timeout=0)
    app.locator("#float").set_value("2.5")
    says(app, "float 2.5")
    assert app.locator("#float").get().maximum == 10


@on("library")
def test_lists_of_combo_boxes_that_are_windows_of_their_own_are_shown_and_chosen_from(app: App) -> None:
    fruit = app.locator("#fruit")
    fruit.select_option("apple")
    expect(fruit).to_have_value("apple")
    fruit.click()
    app.locator('popover >> list-item[name="pear"]').click()
    expect(fruit).to_have_value("pear")
    expect(app.locator("popover")).to_have_count(0)
    with pytest.raises(OptionNotFound, match="combo"):
        fruit.select_option("stone", timeout=0)


@on("choices")
def test_the_list_that_an_own_drawn_combo_box_opens_is_clicked_and_pressed(app: App) -> None:
    rows = app.locator("popover >> list-item")
    for row, choose in ((0, "click"), (1, "activate")):
        app.locator("#own_drawn").expand()
        expect(rows).to_have_count(2)
        getattr(rows.nth(row), choose)()
        says(app, f"own drawn {'xy'[row]}")
        expect(rows).to_have_count(0)


@on("library")
def test_lists_and_trees_that_are_drawn_in_python_are_chosen_from_and_ticked(app: App) -> None:
    app.locator('#html_list >> list-item[name="bold one"]').click()
    says(app, "html 0")
    app.locator("#html_list").select_option("two")
    says(app, "html 1")
    app.locator('#drawn_tree >> tree-item[name="branch"]').expand()
    app.locator('#drawn_tree >> tree-item[name="leaf"]').click()
    says(app, "drawn tree leaf")
    box = app.locator('#drawn_tree >> tree-item[name="box"]')
    box.check()
    expect(box).to_be_checked()
    app.locator('#drawn_table >> cell[name="1 kB"]').click()
    says(app, "drawn row 1")
    app.locator("#drawn_table").select_option("2 kB")
    says(app, "drawn row 2")
    app.locator('#drawn_table >> row[name="file 0"]').check()
    expect(app.locator('#drawn_table >> row[name="file 0"]')).to_be_checked()


@on("library")
def test_a_tree_list_with_boxes_is_read_and_ticked(app: App) -> None:
    cut = app.locator('#work >> tree-item[name="cut"]')
    cut.expand()
    app.locator('#work >> tree-item[name="measure"]').click()
    says(app, "step measure")
    cut.check()
    expect(cut).to_be_checked()
    assert not app.locator('#work >> tree-item[name="glue"]').get().checked
    assert app.locator("#work").get().native_class == "wxTreeListCtrl"


@on("library")
def test_books_that_are_drawn_in_python_have_tabs(app: App) -> None:
    for book, said in (("flat", "flat"), ("agw_aui", "agw aui")):
        app.locator(f'#{book} >> tab[name="second"]').click()
        says(app, f"{said} 1")
        app.locator(f"#{book}").select_option("first")
        expect(app.locator(f"#{book}")).to_have_value("first")


@on("library")
def test_a_page_that_is_a_field_itself_is_one(app: App) -> None:
    field = app.locator("#flat > editable-text")
    assert (field.get().name, field.get().value) == ("first", "text of flat")
    assert app.locator('#flat > tab-panel[name="second"]').get().native_class == "wxPanel"


@on("books")
def test_tools_are_pressed_and_held(app: App) -> None:
    app.locator('#aui_tools >> button[name="Cut"]').click()
    says(app, "aui tool 31")
    app.locator('#bar_tools >> button[name="Cut"]').activate()
    says(app, "tool 41 False")
    app.locator('#bar_tools >> toggle-button[name="Pin"]').click()
    says(app, "tool 42 True")
    expect(app.locator('#bar_tools >> toggle-button[name="Pin"]')).to_be_checked()


@on("panes")
def test_a_pane_is_opened_and_something_far_away_is_scrolled_to(app: App) -> None:
    inside = app.locator('button[name="In the pane"]')
    assert not inside.get().visible
    app.locator("#pane").expand()
    expect(inside).to_be_visible()
    app.locator('button[name="Far"]').click()
    says(app, "far")


def test_every_control_of_the_gallery_can_be_read(app: App) -> None:
    for page in [node.name for node in app.run(ops.Find("#book > tab"))]:
        app.locator("#book").select_option(text=page)
        tree = app.run(ops.ReadTree(details=True, internals=True)).tree
        assert tree is not None
        assert [node for node in tree if "unreadable" in node.properties] == []
    sizer = app.locator("#canvas").get().properties["sizer"]
    assert sizer["rect"][2:] == [200, 150]


# -- screenshots, time and ends ------------------------------------------------------------------


@on("drawn")
def test_a_screenshot_has_what_opengl_draws_now(app: App) -> None:
    first = app.run(ops.Screenshot("#canvas"))
    assert (first.width, first.height) == (200, 150)
    assert _is_one_colour(first.png)
    app.locator("#book").select_option(text="simple")
    app.wait_idle()
    assert not _is_one_colour(app.run(ops.Screenshot("#page_simple")).png)
    app.locator("#book").select_option(text="drawn")
    app.run(ops.Click("#canvas", x=7, y=9))
    says(app, "canvas 7,9")
    app.locator("#canvas").type("é")
    says(app, "char é")


def _is_one_colour(png: bytes) -> bool:
    """Whether an image shows one colour only, judged by its size in bytes: such an image is small."""
    return len(png) < 2_000


def test_an_action_that_lets_events_be_handled_is_waited_for(app: App) -> None:
    entry(app, "Yield").activate()
    assert app.locator("#report").text_content() == "yielded"


def test_a_wedged_gui_thread_is_reported_with_the_line_that_it_is_at(app: App, goes_on: Path) -> None:
    entry(app, "Wedge").activate()
    with pytest.raises(UiBusy, match=r"did not start it after .* it is in wedge \(gallery.py:\d+\)"):
        app.run(ops.WaitIdle(timeout=0.5))
    assert app.info().title == "Gallery"
    goes_on.touch()
    says(app, "unwedged")


def ours(program: str, desktop: Desktop) -> subprocess.CompletedProcess[str]:
    """Run a program next to this file that uses the adapter itself."""
    env = {**desktop.env, "PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    command = [DEBIAN, str(HERE / program)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_rectangles_are_those_of_wx(desktop: Desktop) -> None:
    ran = ours("rectangles.py", desktop)
    assert ran.stdout.splitlines()[:-1] == [], ran.stderr
    assert int(ran.stdout.split()[-1]) > 80


def test_bars_move_with_the_window_they_are_in(desktop: Desktop) -> None:
    ran = ours("moved.py", desktop)
    assert ran.stdout.split("\n") == ["moved True", "as before True ", ""], ran.stdout + ran.stderr


def test_only_changes_are_reported(desktop: Desktop) -> None:
    ran = ours("changes.py", desktop)
    assert ran.stdout.splitlines() == [
        "at rest False",
        "kept True",
        "looks first True",
        "fresh True True True",
        "followed True True",
        "after a change True",
        "after the end False",
        "left [] 1",
    ], ran.stderr


_PLAIN = """
import wx
app = wx.App()
frame = wx.Frame(None, title="Plain")
button = wx.Button(frame, label="End")
button.Bind(wx.EVT_BUTTON, lambda _: frame.Close())
frame.Show()
print("up", flush=True)
app.MainLoop()
"""


def test_a_program_that_runs_is_entered(desktop: Desktop) -> None:
    command = [DEBIAN, "-c", _PLAIN]
    with subprocess.Popen(command, env=desktop.env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            with attach(process.pid) as app:
                assert app.info().toolkit == "wx"
                app.locator('button[name="End"]').click()
            assert process.wait(20) == 0
        finally:
            process.kill()


_ARRANGED = """
import wx, wx.aui
app = wx.App()
frame = wx.Frame(None, title="Panes", size=(500, 300))
manager = wx.aui.AuiManager(frame)
manager.AddPane(wx.TextCtrl(frame), wx.aui.AuiPaneInfo().CenterPane())
tools = wx.Panel(frame)
wx.Button(tools, label="Tool")
manager.AddPane(tools, wx.aui.AuiPaneInfo().Left().Caption("Tools").BestSize((150, 100)))
manager.Update()
frame.Show()
parent = wx.MDIParentFrame(None, title="Documents", size=(400, 300))
for title in ("First", "Second"):
    child = wx.MDIChildFrame(parent, title=title)
    wx.Button(child, label=f"In {title}")
    child.Show()
parent.Show()
app.MainLoop()
"""


def test_arranged_panes_and_document_windows_are_named_by_their_captions(desktop: Desktop) -> None:
    with launch([DEBIAN, "-c", _ARRANGED], env=desktop.env) as app:
        expect(
            app.locator('window[name="Panes"] > region[name="Tools"] > button[name="Tool"]')
        ).to_be_visible()
        expect(app.locator('window[name="Second"] > button')).to_be_visible()
        expect(app.locator('window[name="First"] > button')).to_be_hidden()


_LOADED = """
import sys
sys.path[:0] = [sys.argv[1], "/usr/lib/python3/dist-packages"]
import wx
before = set(sys.modules)
import deskhand.adapters.wx
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names) - {"deskhand", "wx"}))
"""


def test_the_adapter_needs_nothing_but_the_standard_library_and_wx(desktop: Desktop) -> None:
    source = str(Path(__file__).parents[3] / "src")
    command = [DEBIAN, "-I", "-S", "-c", _LOADED, source]
    ran = subprocess.run(command, env=desktop.env, capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


_MOVES = """
import wx

app = wx.App()
frame = wx.Frame(None, title="Moves", size=(400, 300))
panels = [wx.Panel(frame, name="left"), wx.Panel(frame, name="right")]
sizer = wx.BoxSizer()
for panel in panels:
    sizer.Add(panel, 1, wx.EXPAND)
frame.SetSizer(sizer)
box = wx.CheckBox(panels[0], label="Moved", pos=(5, 50))
frame.Bind(wx.EVT_CLOSE, lambda _: box.Reparent(panels[1]))
frame.Show()
app.MainLoop()
"""


def test_a_control_that_moves_into_another_window_is_the_same_and_is_found_by_its_uid(
    desktop: Desktop, tmp_path: Path
) -> None:
    script = tmp_path / "moves.py"
    script.write_text(_MOVES)
    with launch([DEBIAN, str(script)], env=desktop.env) as app:
        box = app.locator('checkbox[name="Moved"]').get()
        right = app.locator("#right").get().uid
        with pytest.raises(ActionFailed):  # it moves the box instead of closing
            app.run(ops.ControlWindow(do="close"))
        # Nothing else is read after that.
        assert app.run(ops.Get(f"uid={box.uid}", timeout=0)).parent == right


_ALONE = """
import wx

app = wx.App()
frame = wx.Frame(None, title="Alone")
frame.Show()
app.MainLoop()
print("ended", flush=True)
"""


def test_an_idle_program_ends_when_its_only_window_is_closed(desktop: Desktop, tmp_path: Path) -> None:
    script = tmp_path / "alone.py"
    script.write_text(_ALONE)
    with launch([DEBIAN, str(script)], env=desktop.env) as app:
        app.locator('window[name="Alone"]').wait_for()
        app.wait_idle()
        app.run(ops.ControlWindow(do="close"))
        assert app.wait_for_exit(timeout=30) == 0
        assert app.stdout == "ended\n"
