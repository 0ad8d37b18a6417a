"""Windows of thousands of widgets: whatever changes in one of them is in the next read."""

from __future__ import annotations

import pytest

from tests.adapters.qt_scene.program import BINDINGS, program


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
