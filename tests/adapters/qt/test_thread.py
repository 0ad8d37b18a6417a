"""The way onto the GUI thread: deadlines, dialogs, and programs that end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from deskhand.model.errors import UiBusy
from tests.adapters.qt.scene.program import BINDINGS, program

LOOPS = {"glib": {}, "unix": {"QT_NO_GLIB": "1"}}


@pytest.fixture(scope="module", params=[(b, loop) for b in BINDINGS for loop in LOOPS], ids="-".join)
def app(request):
    binding, loop = request.param
    with program("every_widget", binding, **LOOPS[loop]) as app:
        yield app


def test_what_a_call_gives_or_raises_comes_back(app):
    assert app.here("answer = adapter.call(lambda: 6 * 7, timeout=5)") == 42
    assert app.here(
        """
try:
    adapter.call(lambda: 1 / 0, timeout=5)
except ZeroDivisionError as error:
    answer = str(error)
"""
    ) == "division by zero"  # fmt: skip


def test_calls_from_any_thread_run_on_the_gui_thread(app):
    assert app.here(
        """
import threading
seen = []
def ask():
    seen.append(adapter.call(threading.get_ident, timeout=5))
threads = [threading.Thread(target=ask) for _ in range(10)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
seen.append(adapter.call(lambda: adapter.call(threading.get_ident, timeout=5), timeout=5))
answer = set(seen) == {threading.main_thread().ident}
"""
    )


def test_a_blocked_gui_thread_costs_the_caller_its_deadline_only(app):
    answer = app.here(
        """
import threading, time
from deskhand.model.errors import UiBusy
adapter.info()
ran, told, blocked, free = [], {}, threading.Event(), threading.Event()
blocker = threading.Thread(target=lambda: adapter.call(lambda: (blocked.set(), free.wait(20)), timeout=20))
blocker.start()
blocked.wait(5)
began = time.monotonic()
try:
    adapter.call(lambda: ran.append(1), timeout=0.2)
except UiBusy as error:
    told = {"message": error.message, "started": error.details["started"]}
told["after"] = time.monotonic() - began
title = adapter.info().title
free.set()
blocker.join()
adapter.call(lambda: None, timeout=5)
answer = {**told, "ran": ran, "title": title}
"""
    )
    assert 0.2 <= answer["after"] < 5
    assert "did not start it after 0.2 s" in answer["message"]
    assert answer["started"] is False
    assert answer["ran"] == []
    assert answer["title"] == "Every widget"


def test_the_error_says_where_the_program_is(app):
    with pytest.raises(UiBusy, match="snooze") as caught:
        app.here(
            """
import time
awake = []
def snooze():
    while not awake:
        time.sleep(0.01)
try:
    adapter.call(snooze, timeout=0.5)
finally:
    awake.append(True)
"""
        )
    assert caught.value.details["started"] is True
    app.idle()


def test_an_action_that_opens_a_dialog_returns_while_it_waits(app):
    answer = app.here(
        """
import time
import deskhand.adapters.qt.thread as ways
# Without asking whether the event loop goes on: that it settles must do.
probe, ways._PROBE_AFTER = ways._PROBE_AFTER, 60
began = time.monotonic()
def ask():
    return QtWidgets.QMessageBox.question(form, "Sure?", "?").value
given = adapter._ui.post(ask, 5)
opened = time.monotonic() - began
title = adapter.call(lambda: app.activeModalWidget().windowTitle(), timeout=5)
def second():
    QtWidgets.QInputDialog.getText(form, "Second", "?")
adapter._ui.post(second, 5)
titles = adapter.call(lambda: app.activeModalWidget().windowTitle(), timeout=5)
adapter._ui.post(lambda: app.activeModalWidget().reject(), 5)
adapter._ui.post(lambda: app.activeModalWidget().reject(), 5)
left = adapter.call(lambda: app.activeModalWidget(), timeout=5)
ways._PROBE_AFTER = probe
answer = [given, opened, title, titles, left]
"""
    )
    assert answer[0] is None
    assert answer[1] < 4
    assert answer[2:] == ["Sure?", "Second", None]


def test_a_dialog_that_keeps_pythons_lock_is_seen_and_closed(app):
    answer = app.here(
        """
adapter._ui.post(lambda: QtWidgets.QFontDialog.getFont(form), 5)
open = adapter.call(lambda: type(app.activeModalWidget()).__name__, timeout=5)
adapter._ui.post(lambda: app.activeModalWidget().reject(), 5)
left = adapter.call(lambda: app.activeModalWidget(), timeout=5)
answer = [open, left]
"""
    )
    assert answer == ["QFontDialog", None]


def test_a_dialog_that_keeps_pythons_lock_is_seen_although_its_caller_was_impatient_before_it_opened(app):
    answer = app.here(
        """
import threading, time
import deskhand.adapters.qt.thread as ways
begun, free = threading.Event(), threading.Event()
threading.Thread(target=lambda: adapter.call(lambda: (begun.set(), free.wait(20)), timeout=20)).start()
begun.wait(20)
asking = threading.Thread(target=lambda: adapter._ui.post(lambda: QtWidgets.QFontDialog.getFont(form), 20))
probe, ways._PROBE_AFTER = ways._PROBE_AFTER, 0
asking.start()
end = time.monotonic() + 20
while len(adapter._ui._jobs) < 2 and time.monotonic() < end:
    time.sleep(0.01)
ways._PROBE_AFTER = probe
free.set()
asking.join()
open = adapter.call(lambda: type(app.activeModalWidget()).__name__, timeout=5)
adapter._ui.post(lambda: app.activeModalWidget().reject(), 5)
answer = [open, adapter.call(lambda: app.activeModalWidget(), timeout=5)]
"""
    )
    assert answer == ["QFontDialog", None]


def test_a_dialog_that_keeps_pythons_lock_is_seen_while_several_act_at_once(app):
    answer = app.here(
        """
import threading, time
adapter._ui.post(lambda: QtWidgets.QFontDialog.getFont(form), 20)
begun, done = threading.Event(), []
def first():
    begun.set()
    with adapter._ui.own_loop():
        end = time.monotonic() + 20
        while not done and time.monotonic() < end:
            app.processEvents()
            time.sleep(0.001)
other = threading.Thread(target=lambda: begun.wait(20) and adapter._ui.post(lambda: done.append(True), 20))
other.start()
adapter._ui.post(first, 20)
other.join()
time.sleep(0.05)  # who comes only now needs the lock as well
open = adapter.call(lambda: type(app.activeModalWidget()).__name__, timeout=5)
adapter._ui.post(lambda: app.activeModalWidget().reject(), 5)
answer = [done, open, adapter.call(lambda: app.activeModalWidget(), timeout=5)]
"""
    )
    assert answer == [[True], "QFontDialog", None]


def test_an_action_without_a_dialog_returns_what_it_gives(app):
    assert app.here("answer = adapter._ui.post(lambda: 'done', 5)") == "done"
    assert app.here("answer = adapter._ui.post(lambda: [app.processEvents(), 'done'][1], 5)") == "done"


def test_an_action_that_keeps_the_event_loop_going_returns_early(app):
    took = app.here(
        """
import time
enough = []
def busy():
    end = time.monotonic() + 20
    while time.monotonic() < end and not enough:
        app.processEvents()
began = time.monotonic()
adapter._ui.post(busy, 20)
answer = time.monotonic() - began
enough.append(True)
while adapter._ui._acting:
    time.sleep(0.01)
"""
    )
    assert took < 5


TYPING = """
import threading, time
from deskhand.model.errors import UiBusy
from deskhand.model.operations import TypeText
adapter.call(lambda: (form.pages.setCurrentWidget(form.letter.parent()), form.letter.clear()), timeout=5)
uid = next(node.uid for node in adapter.read(timeout=5) if node.automation_id == "letter")
def typed():
    return adapter.call(lambda: len(form.letter.toPlainText()), timeout=5)
"""


def test_others_are_answered_while_a_long_text_is_typed(app):
    assert app.here(
        TYPING
        + """
text = "a long letter " * 60
seen = set()
# The caller may get no time of a busy machine while one such text is typed.
for turn in range(1, 6):
    typist = threading.Thread(
        target=lambda: adapter.perform(TypeText("uid=" + uid, text=text), uid, None, timeout=60)
    )
    typist.start()
    while typist.is_alive():
        seen.add(typed() % len(text))
    typist.join()
    if seen != {0}:
        break
answer = [typed() == turn * len(text), seen != {0}]
"""
    ) == [True, True]


def test_a_text_that_takes_too_long_is_typed_no_further(app):
    message, typed, later = app.here(
        TYPING
        + """
try:
    adapter.perform(TypeText("uid=" + uid, text="x" * 20_000), uid, None, timeout=1)
except UiBusy as error:
    told = error.message
before = typed()
adapter.idle(timeout=5)
answer = [told, before, typed()]
"""
    )
    assert message == f"{typed} of 20000 key strokes were made in time"
    assert later == typed < 20_000


@pytest.mark.parametrize("binding", BINDINGS)
def test_callers_learn_at_once_that_the_program_ended(binding):
    # They ask on and on, also while Qt's objects are destroyed; leaving the program sees that it ends well.
    with program("every_widget", binding) as app:
        app.do(
            "form.more = [QtWidgets.QPushButton() for _ in range(20)]\n"
            "for button in form.more: form.scene.addWidget(button)"
        )
        answer = app.here(
            """
import threading, time
from deskhand.model.errors import AppGone
told, asking, all_told = {}, threading.Barrier(5), threading.Event()
def keep_asking(who):
    adapter.read(timeout=30)
    asking.wait(20)
    while True:
        start = time.monotonic()
        try:
            adapter.read(timeout=30)
        except AppGone as error:
            told.setdefault(who, [error.kind, time.monotonic() - start])
            if len(told) == 4:
                all_told.set()
for who in range(4):
    threading.Thread(target=keep_asking, args=[who], daemon=True).start()
asking.wait(20)
adapter._ui.later(app.quit)
all_told.wait(20)
answer = list(told.values())
"""
        )
        assert len(answer) == 4
        assert all(kind == "app_gone" and took < 5 for kind, took in answer)


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_that_ends_its_loop_and_begins_another_is_there_again(binding):
    with program("every_widget", binding) as app:
        app.send("do", code="import threading; app.again = threading.Event()")
        answer = app.here(
            """
import time
from deskhand.model.errors import AppGone
adapter._ui.later(app.quit)
gone = 0
end = time.monotonic() + 20
while time.monotonic() < end:
    try:
        if adapter.call(lambda: app.property("rounds"), timeout=5) == 2:
            break
    except AppGone:
        gone += 1
        app.again.set()
        time.sleep(0.01)
answer = [gone > 0, adapter.call(lambda: app.property("rounds"), timeout=5)]
"""
        )
        assert answer == [True, 2]


@pytest.mark.parametrize("binding", BINDINGS)
def test_closing_leaves_nothing_behind(binding):
    with program("every_widget", binding) as app:
        answer = app.here(
            """
import threading
from deskhand.adapters.qt.adapter import QtAdapter
from deskhand.model.errors import AppGone
def notifiers():
    return sum(isinstance(each, QtCore.QSocketNotifier) for each in __import__("gc").get_objects())
before = adapter.call(notifiers, timeout=5), threading.active_count()
others = [QtAdapter() for _ in range(3)]
for other in others:
    other.subscribe(lambda: None)
    other.read(timeout=5)
    other.idle(timeout=5)
    other.close()
try:
    others[0].read(timeout=5)
    gone = False
except AppGone:
    gone = True
del other, others
adapter.call(lambda: (__import__("gc").collect(), app.sendPostedEvents(None, 52)), timeout=5)
after = adapter.call(notifiers, timeout=5), threading.active_count()
answer = [gone, before == after]
"""
        )
        assert answer == [True, True]


@pytest.mark.parametrize("binding", BINDINGS)
def test_no_weak_reference_of_ours_is_left_when_python_ends(binding):
    # PySide6 frees what they refer to without a word to them, which can be the end of the process.
    code = f"""if 1:
        import atexit, gc, sys, weakref
        from {binding} import QtWidgets
        gc.disable()
        app = QtWidgets.QApplication([])
        window = QtWidgets.QWidget()
        labels = [QtWidgets.QLabel("label", window) for _ in range(3)]
        window.show()
        count = lambda: [weakref.getweakrefcount(one) for one in (window, *labels)]
        atexit.register(lambda: print(count()))
        import deskhand
        from deskhand.adapters.qt.adapter import QtAdapter
        none, adapter = count(), QtAdapter()
        deskhand.set_id(labels[0], "first")
        adapter.subscribe(print)
        adapter.read(timeout=5)
        print(none, count())
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["[0, 0, 0, 0] [1, 2, 1, 1]", "[0, 0, 0, 0]"],
    ), done.stderr
