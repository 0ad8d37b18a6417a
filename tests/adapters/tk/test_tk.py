"""Tk from inside: what the order form has none of. The programs' own reports are the judge."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, connect, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, NotVisible, Stale
from deskhand.model.node import MASK

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    (made / "first.txt").touch()
    return made


@pytest.fixture(scope="module")
def widgets(folder: Path) -> Iterator[App]:
    command = [sys.executable, str(HERE / "widgets.py"), str(folder)]
    with launch(command, headless=True, default_timeout=20) as app:
        yield app


@pytest.fixture(scope="module")
def custom() -> Iterator[App]:
    with launch([sys.executable, str(HERE / "custom_order.py")], headless=True, default_timeout=20) as app:
        yield app


def says(app: App, what: str) -> None:
    expect(app.locator("#report")).to_have_text(what)


# -- dialogs ---------------------------------------------------------------------------------------


def test_a_message_box_made_in_tcl_is_answered(widgets: App) -> None:
    widgets.get_by_role("button", name="Ask").click()
    box = widgets.locator('dialog[name="Sure"]')
    expect(box.get_by_text("Shall it be done?")).to_be_visible()
    assert widgets.state().modal_dialog == "Sure"
    with pytest.raises(ActionFailed, match="behind the modal dialog 'Sure'"):
        widgets.get_by_role("button", name="Ask").activate(timeout=1)
    box.get_by_role("button", name="OK").click()
    says(widgets, "asked True")


def test_a_file_is_chosen_in_the_file_box_made_in_tcl(widgets: App, folder: Path) -> None:
    widgets.get_by_role("button", name="Open").first.click()
    box = widgets.locator('dialog[name="Pick"]')
    box.locator('text[name="first.txt"]').click()
    expect(box.get_by_label("File name")).to_have_value("first.txt")
    box.get_by_role("button", name="Open").click()
    says(widgets, f"opened {folder / 'first.txt'}")


def test_pressing_what_opens_a_modal_dialog_returns_while_it_is_open(widgets: App) -> None:
    widgets.get_by_role("button", name="Own dialog").activate()
    done = widgets.locator('dialog[name="Own"] >> button')
    expect(done).to_be_visible()
    gone = done.get().uid
    done.activate()
    says(widgets, "own dialog done")
    with pytest.raises(Stale, match='button "Done"'):
        widgets.locator(f"uid={gone}").click(timeout=0)


# -- what is drawn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stop", "ring", "words"])
def test_an_item_of_a_canvas_is_clicked_where_it_is_drawn(widgets: App, name: str) -> None:
    (item,) = [node for node in widgets.locator("#canvas").tree() if node.object_name == name]
    widgets.locator(f'uid="{item.uid}"').click()
    says(widgets, f"drawn {name}")


def test_a_tagged_range_of_a_text_that_reacts_to_clicks_is_a_link(widgets: App) -> None:
    assert [node.name for node in widgets.locator("#text").tree() if node.role == "link"] == ["manual"]
    widgets.locator('link[name="manual"]').click()
    says(widgets, "link followed")


# -- controls --------------------------------------------------------------------------------------


def test_an_option_menu_is_a_combo_box(widgets: App) -> None:
    size = widgets.locator("#classic >> combo-box").first
    assert [option.text for option in size.get().options] == ["small", "large"]
    size.select_option(text="large")
    says(widgets, "size large")
    expect(size).to_have_value("large")


def test_a_check_button_between_its_states_is_ticked(widgets: App) -> None:
    box = widgets.get_by_role("checkbox", name="Mixed")
    assert box.get().mixed
    box.check()
    says(widgets, "mixed 1")


def test_a_value_that_a_validation_refuses_is_an_error(widgets: App) -> None:
    digits = widgets.locator("#digits")
    digits.set_value("12")
    with pytest.raises(ActionFailed, match="does not accept '1a'"):
        digits.set_value("1a")
    digits.fill("3x4")
    expect(digits).to_have_value("34")


def test_the_text_of_an_entry_that_shows_stars_is_masked_in_details_too(widgets: App) -> None:
    widgets.locator("#secret").fill("hunter2")
    expect(widgets.locator("#secret")).to_have_value(MASK)
    tree = widgets.run(ops.ReadTree(details=True, internals=True)).tree
    assert tree is not None
    assert "hunter2" not in str([node.fields for node in tree])


def test_the_list_of_a_combo_box_is_a_popup_whose_items_are_clicked(widgets: App) -> None:
    widgets.locator("#fruit").expand()
    assert [window.kind for window in widgets.windows()] == ["regular", "regular", "popup"]
    widgets.locator('list-item[name="pear"]').click()
    says(widgets, "fruit pear")
    expect(widgets.locator("#fruit")).to_have_value("pear")


def test_a_widget_of_a_class_of_the_programs_own_is_recognised(widgets: App) -> None:
    own = widgets.get_by_role("button", name="Own class")
    assert own.get().native_class == "MyButton"
    own.activate()
    says(widgets, "own class pressed")


# -- many rows -------------------------------------------------------------------------------------


def test_a_tree_view_of_ten_thousand_rows_reports_what_is_on_screen(widgets: App) -> None:
    many = widgets.locator("#many")
    view = many.get().virtualization
    assert view is not None
    assert view.items_count == 10_000
    assert len(many.tree()) < 150
    assert dict(view.visible_cells[2].cells) == {"#0": "Row 2", "name": "name 2", "size": "007"}
    many.select_option(text="Row 9000")
    says(widgets, "rows row9000")
    assert widgets.locator('tree-item[name="Row 9000"]').get().selected


def test_rows_in_an_opened_row_are_counted_and_scrolled_away_ones_can_be_reached(widgets: App) -> None:
    many = widgets.locator("#many")
    many.scroll_to(row=0)
    row = widgets.locator('tree-item[name="Row 1"]')
    uid = row.get().uid
    row.expand()
    view = many.get().virtualization
    assert view is not None
    assert view.items_count == 10_050
    many.scroll_to(row=5000)
    away = widgets.locator(f"uid={uid}")
    away.click()
    says(widgets, "rows row1")
    away.collapse()


def test_a_heading_is_clicked(widgets: App) -> None:
    widgets.locator('column-header[name="Name"]').click()
    says(widgets, "sorted by name")


def test_several_items_of_a_list_are_chosen(widgets: App) -> None:
    names = widgets.locator("#names")
    names.select_option(text="name 3")
    widgets.run(ops.Select("#names", text="name 5", extend=True))
    says(widgets, "names (3, 5)")


# -- windows and interpreters ----------------------------------------------------------------------


def test_a_second_interpreter_is_part_of_the_same_app(widgets: App) -> None:
    widgets.get_by_role("button", name="Elsewhere").click()
    says(widgets, "pressed elsewhere")


def test_a_window_is_moved_and_minimized(widgets: App) -> None:
    second = widgets.locator('window[name="Second"]')
    second.control_window("move", x=700, y=300)
    bounds = second.bounds()
    assert bounds is not None
    assert (bounds.x, bounds.y) == (700, 300)
    second.control_window("minimize")
    assert {window.title: window.minimized for window in widgets.windows()} == {
        "Widgets": False,
        "Second": True,
    }
    with pytest.raises(NotVisible):
        widgets.get_by_role("button", name="Elsewhere").click(timeout=0)
    second.control_window("restore")
    widgets.get_by_role("button", name="Elsewhere").click()


# -- CustomTkinter ---------------------------------------------------------------------------------


def reports(app: App, what: str) -> None:
    expect(app.locator("text").last).to_have_text(what)


def test_controls_of_customtkinter_are_one_element_each(custom: App) -> None:
    roles = [node.role for node in custom.tree()]
    assert roles.count("textfield") == 2
    assert "canvas" not in roles
    assert custom.get_by_label("Customer").get().placeholder == "Full name"


def test_a_customtkinter_form_is_filled_in(custom: App) -> None:
    custom.get_by_label("Customer").fill("Ada")
    custom.get_by_label("Customer").type(" L.")
    custom.get_by_role("button", name="Order").click()
    reports(custom, "order for Ada L.")
    custom.get_by_label("Secret").fill("hunter2")
    expect(custom.get_by_label("Secret")).to_have_value(MASK)
    custom.get_by_label("Size").select_option(text="large")
    reports(custom, "size large")
    custom.get_by_role("checkbox", name="Gift").check()
    reports(custom, "gift 1")
    custom.get_by_role("switch", name="Fast").click()
    reports(custom, "fast 1")
    custom.get_by_label("Amount").set_value("7")
    reports(custom, "amount 7")
    custom.locator("tab-list").select_option(text="History")
    reports(custom, "view History")
    custom.get_by_role("button", name="Forget").click()
    reports(custom, "forgotten")


# -- a program of another project ------------------------------------------------------------------


@pytest.mark.programs
def test_a_program_is_written_saved_and_run_in_idle(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("")
    with launch(["/usr/bin/idle", str(program)], headless=True, default_timeout=30) as app:
        editor = app.locator('window[name*="program.py"]')
        editor.locator("editable-text").type("print('sum', 40 + 2)\n")
        editor.get_by_role("menu-item", name="Save", exact=True).click()
        expect(app.locator('window[name^="program.py"]')).to_be_visible()
        editor.locator("editable-text").press("F5")
        expect(app.locator('window[name^="IDLE Shell"] >> editable-text')).to_contain_text("sum 42")
    assert program.read_text() == "print('sum', 40 + 2)\n"


# -- in a program of one's own ---------------------------------------------------------------------

OWN = """
import sys, threading, tkinter, deskhand
handle = deskhand.enable(gip=sys.argv[1])
root = tkinter.Tk()
button = tkinter.Button(root, text="Press", command=lambda: button.config(text="pressed"))
button.pack()
deskhand.set_id(button, "btn_press")
def close():
    before = threading.active_count()
    handle.close()
    print(threading.active_count() < before, root.tk.eval("namespace exists ::deskhand"), flush=True)
    root.after(50, root.destroy)
tkinter.Button(root, text="Close", command=lambda: root.after(0, close)).pack()
root.mainloop()
"""


def test_a_program_of_ones_own_names_widgets_and_keeps_no_trace_after_close(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(OWN)
    address = str(tmp_path / "gip")
    with launch([sys.executable, str(script), address], headless=True, default_timeout=20) as app:
        with connect(address) as own:
            own.locator("#btn_press").click()
            expect(own.locator("#btn_press")).to_have_text("pressed")
        app.get_by_role("button", name="Close").activate()
        assert app.wait_for_exit(timeout=20) == 0
        assert app.stdout.split() == ["True", "0"]
