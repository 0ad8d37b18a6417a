"""What single gestures become: on a Qt form that one module shares, with real input."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.recording import Recording, Step
from deskhand.recording.formats import python_lines

from .replays import Recorded, recorded

FORM = """
import sys
from PySide6 import QtCore, QtGui, QtWidgets

app = QtWidgets.QApplication([])
window = QtWidgets.QWidget(windowTitle="Gestures")
grid = QtWidgets.QVBoxLayout(window)

def add(kind, name, *given):
    widget = kind(*given)
    widget.setObjectName(name)
    grid.addWidget(widget)
    return widget

name = add(QtWidgets.QLineEdit, "name")
other = add(QtWidgets.QLineEdit, "other")
box = add(QtWidgets.QCheckBox, "box", "Box")
button = add(QtWidgets.QPushButton, "button", "Press")
said = add(QtWidgets.QLabel, "said", "-")
button.clicked.connect(lambda: said.setText(said.text() + "p"))
volume = add(QtWidgets.QSlider, "volume", QtCore.Qt.Orientation.Horizontal)
amount = add(QtWidgets.QSpinBox, "amount")
files = add(QtWidgets.QListWidget, "files")
files.addItems([f"file {number}" for number in range(40)])
files.setMaximumHeight(90)
files.itemDoubleClicked.connect(lambda item: said.setText(f"opened {item.text()}"))
start = add(QtWidgets.QPushButton, "start", "Start")
late = add(QtWidgets.QPushButton, "late", "Late")
late.hide()
start.clicked.connect(lambda: QtCore.QTimer.singleShot(900, late.show))
window.setContextMenuPolicy(QtCore.Qt.ContextMenuPolicy.ActionsContextMenu)
save = QtGui.QAction("Save", window, shortcut="Ctrl+S")
save.triggered.connect(lambda: said.setText("saved"))
window.addAction(save)
choose = add(QtWidgets.QPushButton, "choose", "Choose…")
own = QtWidgets.QFileDialog.Option.DontUseNativeDialog
choose.clicked.connect(lambda: said.setText(QtWidgets.QFileDialog.getOpenFileName(window, options=own)[0]))
window.show()
sys.exit(app.exec())
"""


@pytest.fixture(scope="module")
def made() -> Iterator[Recorded]:
    with recorded([sys.executable, "-c", FORM]) as made:
        yield made


@pytest.fixture
def after(made: Recorded) -> Callable[[int], list[str]]:
    """The code of the steps that were made since the test began, once there are so many."""
    begun = len(made.recording.steps)

    def code(count: int) -> list[str]:
        deadline = time.monotonic() + 10
        while len(made.recording.steps) < begun + count and time.monotonic() < deadline:
            time.sleep(0.05)
        made.recording._catch_up()
        return [line for step in made.recording.steps[begun:] for line in python_lines(step)]

    return code


def test_text_that_is_corrected_is_one_fill(made: Recorded, after: Callable[[int], list[str]]) -> None:
    made.person.click("#name")
    made.person.type("Adx")
    made.person.press("Backspace")
    made.person.type("a")
    assert after(1) == ['app.locator("#name").fill("Ada")']


def test_text_that_is_pasted_is_what_the_field_holds(
    made: Recorded, after: Callable[[int], list[str]]
) -> None:
    made.person.click("#name")
    made.person.press("ctrl+a", "ctrl+c")
    made.person.click("#other")
    made.person.press("ctrl+v")
    assert after(2)[-1] == 'app.locator("#other").fill("Ada")'


def test_a_box_is_checked_by_the_keyboard(made: Recorded, after: Callable[[int], list[str]]) -> None:
    made.person.click("#other")
    made.person.press("Tab", "space")
    assert after(1)[-1] == 'app.locator("#box").check()'
    made.person.press("space")
    assert after(2)[-1] == 'app.locator("#box").uncheck()'


def test_a_button_is_pressed_by_space_and_by_a_double_click(
    made: Recorded, after: Callable[[int], list[str]]
) -> None:
    made.person.click("#box", at=(8, 8))
    made.person.press("Tab", "space")
    assert after(2)[1:] == ['app.locator("#button").click()']
    made.person.click("#button", count=2)
    assert after(3)[-1] == 'app.locator("#button").dblclick()'


def test_a_slider_and_a_spin_box_are_set(made: Recorded, after: Callable[[int], list[str]]) -> None:
    x, y = made.person.point("#volume", (6, 10))
    made.person.drag((x, y), (x + 60, y))
    value = made.app.locator("#volume").input_value()
    assert after(1) == [f'app.locator("#volume").set_value("{value}")']
    made.person.wheel("#amount", -3)
    assert after(2)[-1] == 'app.locator("#amount").set_value("3")'


def test_a_row_that_was_scrolled_to_is_opened(made: Recorded, after: Callable[[int], list[str]]) -> None:
    made.person.wheel("#files", 5)
    made.person.click('list-item[name="file 16"]', count=2)
    made.person.wait(lambda: made.app.locator("#said").text_content() == "opened file 16")
    code = after(2)
    assert code[0].startswith('app.locator("#files").scroll('), code
    assert code[1:] == ['app.get_by_role("list-item", name="file 16").dblclick()']


def test_shortcuts_and_context_menus(made: Recorded, after: Callable[[int], list[str]]) -> None:
    made.person.press("ctrl+s")
    made.person.click("#said", button="right")
    made.person.click('menu-item[name="Save"]')
    assert after(3) == [
        'app.keyboard.press("Control+s")',
        'app.locator("#said").right_click()',
        'app.get_by_role("menu-item", name="Save").click()',
    ]


def test_what_appears_late_is_waited_for(made: Recorded, after: Callable[[int], list[str]]) -> None:
    made.person.click("#start")
    made.person.click("#late")
    assert after(3)[-2:] == [
        'expect(app.locator("#late")).to_be_visible()',
        'app.locator("#late").click()',
    ]


def test_a_file_that_is_picked_by_name_is_chosen_by_its_path(
    made: Recorded, after: Callable[[int], list[str]]
) -> None:
    made.person.click("#choose")
    made.person.see("dialog")
    made.person.type("pyproject.toml")
    made.person.press("Enter")
    made.person.wait(lambda: "pyproject" in (made.app.locator("#said").text_content() or ""))
    path = Path("pyproject.toml").absolute()
    assert after(2) == ['app.locator("#choose").click()', f'app.choose_file("{path}")']


def test_a_file_dialog_that_is_cancelled_is_repeated_as_it_was(
    made: Recorded, after: Callable[[int], list[str]]
) -> None:
    made.person.click("#choose")
    made.person.see("dialog")
    made.person.click('button[name="Cancel"]')
    code = after(2)
    assert code[-1] == 'app.get_by_role("button", name="Cancel").click()'
    assert not any("choose_file" in line for line in code)


def test_an_expectation_can_be_recorded_at_a_point(made: Recorded) -> None:
    x, y = made.person.point("#said")
    step = made.recording.expect("visible", point=(round(x), round(y)))
    assert (step.method, step.target) == ("to_be_visible", "#said")


def test_events_say_what_was_recorded_and_when(made: Recorded) -> None:
    events = made.recording.events
    assert [event.number for event in events] == list(range(len(events)))
    assert all(isinstance(event.step, Step) and event.at > 0 for event in events)
    assert isinstance(made.recording, Recording)


def test_fields_that_are_filled_in_at_once_are_distinguished(
    made: Recorded, after: Callable[[int], list[str]]
) -> None:
    made.person.click("#name")
    made.person.rush("ctrl+a", "G", "r", "a", "c", "e", "Tab", "H", "o", "p", "p", "e", "r")
    assert after(2)[-2:] == ['app.locator("#name").fill("Grace")', 'app.locator("#other").fill("Hopper")']
