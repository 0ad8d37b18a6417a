"""What is selected is selected as the program sees it, and not only marked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deskhand import Desktop
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed
from tests.adapters.atspi.conftest import Running, Start
from tests.adapters.atspi.test_menus import says, until

HERE = Path(__file__).parent
_SHOWN = """
import gi, sys
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
stack = [Atspi.get_desktop(0)]
while stack:
    one = stack.pop()
    if one.get_role_name() == "check box" and one.get_state_set().contains(Atspi.StateType.SHOWING):
        print(one.get_name())
    stack += [kid for kid in map(one.get_child_at_index, range(one.get_child_count())) if kid is not None]
"""


def shown_boxes(desktop: Desktop) -> set[str]:
    """The check boxes on the screen, as another reader sees them."""
    found = subprocess.run(
        ("/usr/bin/python3", "-c", _SHOWN),
        env=dict(desktop.env), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(found.stdout.splitlines())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture(params=["PySide6", "PyQt5"])
def lists(request: pytest.FixtureRequest, start: Start, log: Path) -> Running:
    python = "/usr/bin/python3" if request.param == "PyQt5" else sys.executable
    return start(python, str(HERE / "qt_pages.py"), request.param, str(log), until="list")


def test_a_program_of_qt_reacts_to_what_is_selected(lists: Running, log: Path) -> None:
    app = lists.app
    for target, line in (
        ('list[name="Current"]', "current {}"),
        ('list[name="Clicked"]', "clicked Row {}"),
        ('[name="Tree"]', "tree Row {}"),
    ):
        for number in (2, 30, 1):
            log.write_text("")
            done = app.run(ops.Select(target, text=f"Row {number}"))
            assert done.detail == "by real input"
            says(log, line.format(number))


def test_what_is_selected_already_is_left_alone(lists: Running, log: Path) -> None:
    assert lists.app.run(ops.Select('list[name="Current"]', text="Row 0")).detail == "it was so already"
    lists.app.run(ops.Select('list[name="Current"]', text="Row 1"))
    says(log, "current 1")


def test_several_rows_are_selected_one_after_the_other(lists: Running, log: Path) -> None:
    several = 'list[name="Several"]'
    lists.app.run(ops.Select(several, text="Row 1"))
    lists.app.run(ops.Select(several, text="Row 3", extend=True))
    says(log, "several Row 1", "several Row 1, Row 3")
    lists.app.run(ops.Select(several, text="Row 3"))
    says(log, "several Row 1", "several Row 1, Row 3", "several Row 3")


def test_the_field_with_the_keyboard_has_the_focus_and_not_the_current_item(lists: Running) -> None:
    app = lists.app
    app.locator('[name="Field"]').focus()
    app.keyboard.press("x")
    until(lambda: app.locator('[name="Field"]').input_value() == "x", "the field has the keyboard")
    tree = app.tree()
    focused = tree.get(tree.focused)
    assert focused is not None
    assert focused.name == "Field"


def test_keys_for_the_current_item_of_a_list_without_the_keyboard_go_to_the_list(
    lists: Running, log: Path
) -> None:
    app = lists.app
    app.locator('[name="Field"]').focus()
    app.locator('list[name="Current"] >> list-item[name="Row 0"]').press("Down")
    says(log, "current 1")
    tree = app.tree()
    focused = tree.get(tree.focused)
    assert focused is not None
    assert focused.role in ("list", "list-item")


def test_what_does_not_become_selected_is_an_error(lists: Running) -> None:
    with pytest.raises(ActionFailed, match='"Fixed", and it is not selected'):
        lists.app.run(ops.Select('list[name="Never"]', text="Fixed"))


def test_a_program_of_gtk_reacts_to_what_is_selected(start: Start, log: Path) -> None:
    running = start(sys.executable, str(HERE / "gtk3_pages.py"), str(log), until='[name="Rows"]')
    log.write_text("")
    for target, text, line in (
        ('[name="Rows"]', "Row 3", "activated 3"),
        ('[name="Rows"]', "Row 30", "activated 30"),
        ('[name="Lines"]', "Line 2", "cursor 2"),
        ('[name="Lines"]', "Line 35", "cursor 35"),
    ):
        assert running.app.run(ops.Select(target, text=text)).detail == "by real input"
        until(lambda line=line: log.read_text().splitlines()[-1:] == [line], log.read_text())  # type: ignore[misc]


def test_the_settings_of_keepassxc_change_their_page(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    running = start("env", f"TMPDIR={tmp_path}", "keepassxc", until="menu-bar", timeout=60)
    app = running.app
    app.locator('menu-bar >> menu-item[name="Settings"]').first.click()
    for page, box in (
        ("Security", "Clear clipboard after"),
        ("General", "Remember previously used databases"),
    ):
        app.run(ops.Select("list", text=page))
        until(lambda box=box: box in shown_boxes(desktop), f"{page} is not shown", 30)  # type: ignore[misc]


def test_the_options_of_qbittorrent_change_their_page(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    settings = tmp_path / "qBittorrent" / "qBittorrent.conf"
    settings.parent.mkdir()
    settings.write_text("[LegalNotice]\nAccepted=true\n")
    running = start(
        "env",
        f"TMPDIR={tmp_path}",
        f"XDG_CONFIG_HOME={tmp_path}",
        "qbittorrent",
        until="menu-bar",
        timeout=60,
    )
    app = running.app
    app.keyboard.press("alt+o")
    app.locator("dialog").first.wait_for(timeout=30)
    for page, box in (("Downloads", "Use Subcategories"), ("Behavior", "Use alternating row colors")):
        app.run(ops.Select("dialog >> list", text=page))
        until(
            lambda box=box: box in shown_boxes(desktop),  # type: ignore[misc]
            f"{page} is not shown: {sorted(shown_boxes(desktop))}", 30,
        )  # fmt: skip


def test_combo_box_of_gtk_3_keeps_its_options_while_its_list_is_open(start: Start) -> None:
    running = start(sys.executable, str(HERE / "gtk3_fields.py"), until="combo-box")
    combo = running.app.locator("combo-box")
    closed = combo.get()
    assert [option.text for option in closed.options] == ["France", "Kenya", "Japan"]
    combo.click()
    until(lambda: running.app.locator('menu-item[name="Kenya"]').get().visible, "the list is open")
    opened, tree = combo.get(), running.adapter.read(timeout=20)
    assert (opened.options, opened.actions) == (closed.options, closed.actions)
    assert {node.uid: node.parent for node in running.adapter.read_cold(timeout=20)} == {
        node.uid: node.parent for node in tree
    }
    assert [window.title for window in tree.windows] == ["Fields"]
    entry = next(node for node in tree if node.name == "Japan")
    assert combo.get().uid in [node.uid for node in tree.ancestors(entry)]
    running.app.locator('menu-item[name="Japan"]').click()
    until(lambda: running.shows("country Japan"), "the program has what was clicked in the list")


def test_link_button_of_gtk_3_is_a_link_and_other_buttons_are_not(start: Start) -> None:
    app = start(sys.executable, str(HERE / "gtk3_fields.py"), until="combo-box").app

    assert [node.name for node in app.locator("link").nodes()] == ["More about us"]
    assert [node.name for node in app.locator("button").nodes()] == ["Off", "Far away"]


FIXED = """if 1:
    import importlib, sys
    widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
    app = widgets.QApplication(["fixed"])
    tree = widgets.QTreeWidget()
    item = widgets.QTreeWidgetItem(["Fixed"])
    item.addChild(widgets.QTreeWidgetItem(["inside"]))
    tree.addTopLevelItem(item)
    tree.setItemsExpandable(False)
    tree.resize(400, 300)
    tree.show()
    app.exec_() if sys.argv[1] == "PyQt5" else app.exec()
"""


@pytest.mark.parametrize("kit", ["PyQt5", "PySide6"])
def test_what_does_not_become_expanded_is_an_error(start: Start, kit: str) -> None:
    python = "/usr/bin/python3" if kit == "PyQt5" else sys.executable
    app = start(python, "-c", FIXED, kit, until='[name="Fixed"]').app
    with pytest.raises(ActionFailed, match='"Fixed", and it does not say that it is so'):
        app.run(ops.Expand('[name="Fixed"]', expanded=True))


SHY = """if 1:
    import importlib, sys
    widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
    core = importlib.import_module(f"{sys.argv[1]}.QtCore")
    class Shy(widgets.QLineEdit):
        def focusInEvent(self, event):
            super().focusInEvent(event)
            core.QTimer.singleShot(0, bold.setFocus)
    app = widgets.QApplication(["shy"])
    window = widgets.QWidget()
    layout = widgets.QVBoxLayout(window)
    bold, shy = widgets.QLineEdit(), Shy()
    for field, name in ((bold, "Bold"), (shy, "Shy")):
        field.setAccessibleName(name)
        layout.addWidget(field)
    window.show()
    app.exec_() if sys.argv[1] == "PyQt5" else app.exec()
"""


@pytest.mark.parametrize("kit", ["PyQt5", "PySide6"])
def test_focus_that_the_program_takes_back_at_once_is_an_error(start: Start, kit: str) -> None:
    python = "/usr/bin/python3" if kit == "PyQt5" else sys.executable
    app = start(python, "-c", SHY, kit, until='[name="Shy"]').app
    app.run(ops.Focus('[name="Bold"]'))
    with pytest.raises(ActionFailed, match='"Shy" does not have the focus'):
        app.run(ops.Focus('[name="Shy"]'))
    assert app.locator('[name="Bold"]').get().focused
