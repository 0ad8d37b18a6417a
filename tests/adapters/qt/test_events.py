"""Reporting when something may look different, and when the program is idle."""

from __future__ import annotations

import pytest

from deskhand.model.errors import UiBusy
from tests.adapters.qt.scene.program import BINDINGS, PLATFORMS, program

WATCH = """
import threading, time
told = threading.Event()
count = [0]
def changed():
    count[0] += 1
    told.set()
stop = adapter.subscribe(changed)
adapter.idle(timeout=10)
told.clear()
"""


@pytest.fixture(scope="module", params=[(b, p) for p in PLATFORMS for b in BINDINGS], ids="-".join)
def app(request):
    with program("every_widget", *request.param) as app:
        yield app


@pytest.mark.parametrize(
    "change",
    [
        "form.line_number.setText('line 2')",
        "form.push.setEnabled(not form.push.isEnabled())",
        "form.push.setVisible(not form.push.isVisible())",
        "form.setWindowTitle('Other')",
        "form.pages.setCurrentIndex(3 - form.pages.currentIndex())",
        "form.statusBar().showMessage(str(QtCore.QTime.currentTime().msec()))",
        "setattr(form, 'window2', QtWidgets.QDialog(form)), form.window2.show()",
    ],
)
def test_a_change_is_reported(app, change):
    assert app.here(
        WATCH
        + f"""
adapter.call(lambda: ({change}), timeout=5)
answer = told.wait(5)
stop()
"""
    )


@pytest.mark.parametrize("change", ["form.window3.setWindowTitle('Third')", "form.window3.close()"])
def test_a_change_of_a_second_window_is_reported(app, change):
    show = "setattr(form, 'window3', QtWidgets.QDialog(form)), form.window3.show()"
    assert app.here(
        f"""
adapter.call(lambda: ({show}), timeout=5)
adapter.idle(timeout=5)
"""
        + WATCH
        + f"""
adapter.call(lambda: {change}, timeout=5)
answer = told.wait(5)
stop()
"""
    )


def test_reading_reports_no_change(app):
    assert app.here(
        WATCH
        + """
time.sleep(0.2)
count[0] = 0
for _ in range(5):
    adapter.read(timeout=20)
    adapter.read(timeout=20, details=True, internals=True)
adapter.idle(timeout=5)
answer = count[0]
stop()
"""
    ) == 0  # fmt: skip


def test_after_stopping_nothing_is_reported_or_watched(app):
    assert app.here(
        WATCH
        + """
again = adapter.subscribe(changed)
stop()
stop()
adapter.call(lambda: form.line_number.setText("x"), timeout=5)
still = told.wait(5)
again()
adapter.idle(timeout=5)
count[0] = 0
adapter.call(lambda: form.line_number.setText("y"), timeout=5)
adapter.idle(timeout=5)
watch = adapter._changes._watch
answer = [still, count[0], watch._filter is None, watch._wanting == {}]
"""
    ) == [True, 0, True, True]


def test_idle_waits_for_what_was_begun(app):
    assert app.here(
        """
steps = []
def step():
    steps.append(len(steps))
    form.line_number.setText(f"step {len(steps)}")
    if len(steps) < 8:
        QtCore.QTimer.singleShot(0, step)
adapter.call(step, timeout=5)
adapter.idle(timeout=5)
answer = steps
"""
    ) == list(range(8))


def test_idle_settles_under_an_animation_that_never_ends(app):
    took = app.here(
        """
import time
def spin():
    form.ticks = QtCore.QTimer(form)
    form.ticks.timeout.connect(lambda: form.slider.setValue(-form.slider.value()) or form.pages.update())
    form.ticks.start(1)
adapter.call(spin, timeout=5)
began = time.monotonic()
adapter.idle(timeout=10)
answer = time.monotonic() - began
adapter.call(lambda: form.ticks.stop(), timeout=5)
"""
    )
    assert took < 5


def test_idle_gives_up_at_its_deadline(app):
    with pytest.raises(UiBusy):
        app.here(
            """
import threading
begun, free = threading.Event(), threading.Event()
threading.Thread(target=lambda: adapter.call(lambda: (begun.set(), free.wait(5)), timeout=10)).start()
begun.wait(5)
try:
    adapter.idle(timeout=0.2)
finally:
    free.set()
"""
        )
    app.idle()


def test_idle_is_quick_when_there_is_nothing_to_wait_for(app):
    assert app.here(
        """
import time
began = time.monotonic()
for _ in range(20):
    adapter.idle(timeout=5)
answer = (time.monotonic() - began) / 20
"""
    ) < 0.2  # fmt: skip


def test_windows_come_and_go_while_a_client_watches(app):
    assert app.here(
        WATCH
        + """
def churn(number):
    dialog = QtWidgets.QDialog(form if number % 2 else None)
    QtWidgets.QVBoxLayout(dialog).addWidget(QtWidgets.QSpinBox())
    dialog.show()
    if number % 3 == 0:
        dialog.close()
        dialog.deleteLater()
    elif number % 3 == 1:
        dialog.setParent(None)
churn.__globals__.update(QtWidgets=QtWidgets, form=form)
for number in range(60):
    adapter.call(lambda: churn(number), timeout=10)
    adapter.read(timeout=10)
adapter.idle(timeout=10)
stop()
answer = count[0] > 0
"""
    )
