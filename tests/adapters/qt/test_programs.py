"""Programs of other kinds than a window full of widgets."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.adapters.qt.scene.program import BINDINGS, program


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_without_a_window_has_an_empty_tree(binding):
    with program("no_window", binding) as app:
        tree = app.tree()
        assert (len(tree), tree.windows, tree.focused) == (0, (), None)
        assert app.info().title is None
        assert app.state().active_view is None
        app.do("form.show()")
        assert [node.automation_id for node in app.tree()] == ["later"]
        app.do("form.hide()")
        assert len(app.tree()) == 0


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_window_that_draws_itself_is_one_node(binding):
    with program("plain_window", binding) as app:
        tree = app.tree()
        (window,) = tree
        assert (window.role, window.name, window.automation_id) == ("window", "Plain", "plain")
        assert (tree.windows[0].uid, tree.windows[0].title) == (window.uid, "Plain")
        assert list(window.bounds)[2:] == [200, 100]
        assert app.tree(window.uid).nodes[0].fields == window.fields
        assert app.state().active_view == "Plain"


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_window_of_qml_is_read_whatever_was_asked_first(binding):
    with program("quick_window", binding) as app:
        assert app.get("label").text == "before"
        assert app.here(
            """
import threading
told = threading.Event()
stop = adapter.subscribe(told.set)
adapter.idle(timeout=10)
told.clear()
def change():
    form.rootObjects()[0].findChild(QtCore.QObject, "label").setProperty("text", "after")
adapter.call(change, timeout=5)
answer = told.wait(5)
stop()
"""
        )
        assert app.get("label").text == "after"


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_without_a_gui_is_there_and_empty(binding):
    code = f"""
import threading
from {binding} import QtCore
from deskhand.adapters.qt.adapter import QtAdapter
assert not QtAdapter.present()
app = QtCore.QCoreApplication([])
assert QtAdapter.present()
adapter = QtAdapter()
def look():
    adapter.idle(timeout=10)
    print(len(adapter.read(timeout=10)), adapter.state(timeout=10).foreground, adapter.info().framework)
    adapter._ui.later(app.quit)
threading.Thread(target=look).start()
app.exec()
adapter.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["0", "False", binding]


@pytest.mark.parametrize("binding", BINDINGS)
def test_the_adapter_may_be_made_on_any_thread(binding):
    code = f"""
import os, threading
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from {binding} import QtWidgets
from deskhand.adapters.qt.adapter import QtAdapter
app = QtWidgets.QApplication([])
window = QtWidgets.QWidget()
window.setWindowTitle("Made elsewhere")
window.show()
def look():
    adapter = QtAdapter()
    print(adapter.read(timeout=20).windows[0].title, flush=True)
    adapter.close()
    os._exit(0)
threading.Thread(target=look).start()
app.exec()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "Made elsewhere"


def test_without_an_application_the_error_says_what_is_missing():
    code = """
from deskhand.adapters.qt.adapter import QtAdapter
from deskhand.model.errors import NotConnected
try:
    QtAdapter()
except NotConnected as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "wanted one of PySide6, PyQt6, PyQt5, PySide2; none of them is loaded" in done.stdout
