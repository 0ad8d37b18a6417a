"""Windows of thousands of widgets: whatever changes in one of them is in the next read."""

from __future__ import annotations

import pytest

from tests.adapters.qt.scene.program import BINDINGS, program


@pytest.fixture(scope="module", params=BINDINGS)
def app(request):
    with program("many_widgets", request.param) as app:
        app.tree()
        yield app


@pytest.mark.parametrize("number", [0, 1_234, 2_499])
def test_what_seldom_changes_is_read_each_time(app, number):
    label = f"form.labels[{number}]"
    app.do(f"{label}.setToolTip('tip'); {label}.setAccessibleName('spoken')")
    node = app.get(f"label_{number}")
    assert (node.tooltip, node.name, node.focusable) == ("tip", "spoken", False)
    app.do(f"{label}.setFocusPolicy(Qt.FocusPolicy.StrongFocus)")
    assert app.get(f"label_{number}").focusable
    app.do(f"{label}.setToolTip('other'); {label}.setAccessibleName('')")
    node = app.get(f"label_{number}")
    assert (node.tooltip, node.name) == ("other", f"label {number}")


@pytest.mark.parametrize("number", [3, 777, 2_400])
def test_a_widget_in_a_label_is_seen_at_once(app, number):
    app.do(f"form.inside = QtWidgets.QPushButton('In', form.labels[{number}]); form.inside.show()")
    tree = app.tree()
    inside = [node for node in tree if node.name == "In"]
    assert [tree.parent(node).automation_id for node in inside] == [f"label_{number}"]
    app.do("form.inside.deleteLater()")
    assert not [node for node in app.tree() if node.name == "In"]


@pytest.mark.parametrize("number", [5, 2_300])
def test_a_known_widget_that_moves_into_a_label_from_a_hidden_window_is_seen_at_once(app, number):
    app.do(
        "form.other = QtWidgets.QWidget(); form.moved = QtWidgets.QPushButton('Moved', form.other); "
        "form.other.show()"
    )
    assert [node.name for node in app.tree() if node.name == "Moved"]
    app.do("form.other.hide()")
    app.tree()
    app.do(f"form.moved.setParent(form.labels[{number}]); form.moved.show()")
    tree = app.tree()
    moved = [node for node in tree if node.name == "Moved"]
    assert [tree.parent(node).automation_id for node in moved] == [f"label_{number}"]
    app.do("form.moved.deleteLater(); form.other.deleteLater()")


def test_a_widget_in_a_label_is_seen_although_another_comes_at_the_same_time(app):
    app.do("form.inside = QtWidgets.QPushButton('In', form.labels[9]); form.inside.show()")
    app.do("form.beside = QtWidgets.QPushButton('Beside', form); form.beside.show()")
    names = {node.name for node in app.tree()}
    app.do("form.inside.deleteLater(); form.beside.deleteLater()")
    assert {"In", "Beside"} <= names


def test_an_element_that_takes_the_name_of_an_inner_part_is_one_and_the_other_way_round(app):
    def labels():
        return sum(node.name == "label 44" for node in app.tree())

    assert labels() == 1
    app.do("form.labels[44].setObjectName('qt_rubberband')")
    assert labels() == 0
    app.do("form.labels[44].setObjectName('label_44')")
    assert labels() == 1


def test_reading_a_line_edit_again_makes_no_wrapper_for_the_object_inside_it(app):
    """In PyQt6 the wrapper is kept; in PySide6 none is made at all, as making the first one takes 16 ms."""
    app.do("import gc, weakref; form.edit = QtWidgets.QLineEdit(form); form.edit.show()")
    count = "sum(type(one) is QtCore.QObject for one in gc.get_objects())"
    before = app.ask(count)
    app.tree()
    made = app.ask(count) - before
    app.do("form.inside = form.edit.children()[0]; form.known = weakref.ref(form.inside); del form.inside")
    kept = app.ask("form.known() is not None")
    app.do("form.edit.deleteLater()")
    assert (made, kept) == {"PyQt6": (1, True), "PySide6": (0, False)}[app.binding]


def test_a_read_after_one_that_failed_shows_what_changed_before_the_failure(app):
    app.tree()
    app.here(
        """
from deskhand.adapters.qt.build import Build
make = Build._make
def fail_once(self, *arguments):
    Build._make = make
    raise RuntimeError("once")
Build._make = fail_once
"""
    )
    app.do("form.labels[2_345].setText('new text')")
    with pytest.raises(AssertionError, match="once"):
        app.tree()
    assert app.get("label_2345").name == "new text"
    app.do("form.labels[2_345].setText('label 2345')")
