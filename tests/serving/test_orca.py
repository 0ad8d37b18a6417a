"""What happens in a program is reported to every listener, and nothing is done while there is none."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.restricted import Restricted
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone
from deskhand.protocols.orca.events import Event
from deskhand.serving import orca
from deskhand.serving.orca import Feed, OrcaEvents


class Ear:
    """A listener that takes messages as they come."""

    def __init__(self, source: OrcaEvents, wanted: str = "") -> None:
        self.some = threading.Event()
        self.source = source
        self.taken: list[dict[str, Any]] = []
        feed = source.join(wanted, self.some.set)
        assert isinstance(feed, Feed)
        self.feed = feed

    def until(self, event: str, holds: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next event of that name."""
        while True:
            self.some.clear()
            self.taken += map(json.loads, self.feed.take())
            while self.taken:
                told = self.taken.pop(0)
                if told["event"] == event and holds(told):
                    return told
            assert self.feed.ended is None, self.feed.ended
            assert self.some.wait(10), f"no {event} came"

    def leave(self) -> None:
        self.source.leave(self.feed)
        for thread in watchers() if self.source._watch is None else ():
            thread.join(5)


def watchers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "orca-events"]


@pytest.fixture
def window() -> Element:
    field = Element("textfield", "Name", "name", value="", native_class="TextCtrl")
    return Element("window", "Main", "main", native_class="Frame", children=[field])


@pytest.fixture
def adapter(window: Element) -> Iterator[MemoryAdapter]:
    adapter = MemoryAdapter([window])
    yield adapter
    adapter.close()


@pytest.fixture
def session(adapter: MemoryAdapter) -> Session:
    return Session(adapter)


@pytest.fixture
def source(session: Session) -> OrcaEvents:
    return OrcaEvents(session)


@pytest.fixture
def ear(source: OrcaEvents) -> Iterator[Ear]:
    ear = Ear(source)
    ear.until("ready")
    yield ear
    ear.leave()


def change(adapter: MemoryAdapter, function: Callable[[], object]) -> None:
    adapter.call(function, timeout=5)
    adapter.touch()


def test_a_changed_value_is_reported_with_the_old_value(session: Session, ear: Ear) -> None:
    session.run(ops.SetValue("#name", value="Ada"))
    told = ear.until("node.changed")
    assert (told["node"]["id"], told["node"]["value"]) == ("name", "Ada")
    assert (told["changed"], told["before"]) == (["value"], {"value": ""})
    assert told["seq"] == 2


def test_elements_that_come_and_go_are_reported(adapter: MemoryAdapter, window: Element, ear: Ear) -> None:
    change(adapter, lambda: window.children.append(Element("button", "New", native_class="Button")))
    assert ear.until("node.added")["node"]["path"] == "Frame/Button[1]"
    change(adapter, lambda: window.children.pop())
    assert ear.until("node.removed")["node"]["path"] == "Frame/Button[1]"


def test_windows_that_open_and_close_are_reported(adapter: MemoryAdapter, ear: Ear) -> None:
    dialog = Element("dialog", "Sure?", "sure", native_class="Dialog", modal=True)
    change(adapter, lambda: adapter.windows.append(dialog))
    assert ear.until("window.opened")["node"]["id"] == "sure"
    assert ear.until("app.state")["state"]["modal_dialog"] == "Sure?"
    change(adapter, lambda: adapter.windows.remove(dialog))
    assert ear.until("window.closed")["node"]["id"] == "sure"


def test_the_state_that_the_app_registers_is_reported(
    session: Session, adapter: MemoryAdapter, ear: Ear
) -> None:
    session.app_state = lambda: {"busy": True, "progress": 30}
    session.run(ops.SetValue("#name", value="slicing"))
    told = ear.until("app.state")["state"]
    assert (told["slicing"], told["slice_progress"]) == (True, 30)


def test_log_messages_are_reported_even_if_logged_wrongly(ear: Ear) -> None:
    logging.getLogger("slicer").warning("layer %d", 7)
    wrong = logging.LogRecord("slicer", logging.ERROR, "", 1, "layer %d", ("seven",), None)
    (handler,) = (one for one in logging.getLogger().handlers if type(one).__module__ == orca.__name__)
    handler.handle(wrong)
    told = ear.until("log")
    assert (told["level"], told["logger"], told["message"]) == ("warning", "slicer", "layer 7")
    assert ear.until("log")["message"] == "layer %d"


def test_only_what_is_requested_is_reported(source: OrcaEvents, session: Session) -> None:
    ear = Ear(source, "log")
    ear.until("ready")
    session.run(ops.SetValue("#name", value="Ada"))
    logging.getLogger("slicer").warning("here")
    assert ear.until("log")["seq"] == 2, "what is not wanted is not counted"
    ear.leave()
    assert source.join("log,nothing", lambda: None) == "no events 'nothing'; there are node, window, app, log"


def test_a_later_listener_gets_ready_first(source: OrcaEvents, ear: Ear) -> None:
    other = Ear(source)
    assert other.until("ready")["seq"] == 1
    other.leave()


def test_nothing_runs_without_a_listener(source: OrcaEvents, adapter: MemoryAdapter) -> None:
    handlers = list(logging.getLogger().handlers)
    assert watchers() == []
    ear = Ear(source)
    ear.until("ready")
    assert len(watchers()) == 1
    ear.leave()
    assert watchers() == []
    assert logging.getLogger().handlers == handlers
    assert adapter._changed == []


def test_a_program_that_does_nothing_is_left_alone(
    source: OrcaEvents, adapter: MemoryAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear = Ear(source)
    ear.until("ready")
    looked: list[float] = []
    read = adapter.read

    def counted(*args: Any, **options: Any) -> Any:
        looked.append(time.monotonic())
        return read(*args, **options)

    monkeypatch.setattr(adapter, "read", counted)
    time.sleep(0.5)  # there is nothing to wait for: it is that nothing happens
    assert len(looked) <= 3
    ear.leave()


def test_a_program_that_changes_all_the_time_is_left_time_for_itself(
    source: OrcaEvents, window: Element, adapter: MemoryAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear = Ear(source, "log")
    ear.until("ready")
    looked: list[float] = []
    read = adapter.read

    def counted(*args: Any, **options: Any) -> Any:
        looked.append(time.monotonic())
        return read(*args, **options)

    monkeypatch.setattr(adapter, "read", counted)
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        change(adapter, lambda: setattr(window.children[0], "value", str(time.monotonic())))
    assert 2 <= len(looked) <= 60
    ear.leave()


def test_a_slow_reader_learns_how_much_it_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orca, "HELD", 3)
    feed = Feed(frozenset(), lambda: None)
    for number in range(5):
        feed.put(Event("log", json.dumps({"event": "log", "number": number})))
    taken = [json.loads(message) for message in feed.take()]
    assert [told.get("number") for told in taken] == [0, 1, 2, None]
    assert (taken[3]["event"], taken[3]["count"], taken[3]["seq"]) == ("dropped", 2, 5)
    feed.put(Event("log", '{"event":"log"}'))
    assert [json.loads(message)["seq"] for message in feed.take()] == [6]


def test_long_messages_are_held_only_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orca, "HELD_SIZE", 100)
    feed = Feed(frozenset(), lambda: None)
    feed.put(Event("log", json.dumps({"event": "log", "message": "x" * 60})))
    feed.put(Event("log", json.dumps({"event": "log", "message": "x" * 60})))
    assert [json.loads(message)["event"] for message in feed.take()] == ["log", "dropped"]


def test_so_many_listen_and_no_more(source: OrcaEvents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orca, "MAX_FEEDS", 1)
    ear = Ear(source)
    assert source.join("", lambda: None) == "1 clients listen already"
    ear.leave()


def test_a_program_that_is_switched_off_says_so_and_is_reported_again_later(session: Session) -> None:
    runner = Restricted(session, standby=True)
    source = OrcaEvents(runner)
    ear = Ear(source)
    ear.until("app.disabled")
    late = Ear(source)
    late.until("app.disabled")
    runner.enabled = True
    ear.until("ready")
    session.run(ops.SetValue("#name", value="Ada"))
    ear.until("node.changed")
    ear.leave()
    late.leave()


def test_the_end_of_the_program_ends_the_feed(session: Session) -> None:
    class Mortal(Session):
        gone = False

        def run(self, operation: Any, cancel: Any = None) -> Any:
            if self.gone:
                raise AppGone("the app is gone")
            return session.run(operation, cancel)

    runner = Mortal(session.adapter)
    ear = Ear(OrcaEvents(runner))
    ear.until("ready")
    runner.gone = True
    session.run(ops.SetValue("#name", value="last words"))
    assert ear.until("app.gone")["message"] == "the app is gone"
    while ear.feed.ended is None:
        assert ear.some.wait(10)
    assert ear.feed.ended == "the program is gone"
