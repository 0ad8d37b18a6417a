"""The Agent contract's answers, without a transport."""

from __future__ import annotations

import json
import threading
import time
from collections import deque

import pytest

from deskhand import __version__
from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.client.deferred import Deferred
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    AppGone,
    DeskhandError,
    Stale,
    UiBusy,
)
from deskhand.model.node import Node, Rect, Window
from deskhand.model.operations import Executed, Snapshot
from deskhand.model.tree import Cut, Tree
from deskhand.protocols.wirelog import WireLog
from deskhand.serving import agent as serving
from deskhand.serving.agent import agent_server
from tests.wire.agent_shapes import check_answer, check_element
from tests.wire.form import make_session


class Asked:
    """A request, as a transport hands it over."""

    def __init__(self, path, body=b"{}", method="POST", **query):
        self.method, self.path, self.query, self.peer = method, path, query, "test"
        self.body = body

    def read(self, limit):
        return self.body

    def chunks(self):
        yield self.body


def answer(server, path, body=None, **options):
    """Status and JSON of an answer that has the right shape."""
    request = Asked(path, json.dumps(body or {}).encode(), **options)
    reply = server.handle(request, threading.Event())
    text = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
    if not path.startswith("/deskhand/") and reply.status != 500:
        check_answer(path, reply.status, text)
    return reply.status, json.loads(text)


@pytest.fixture
def session():
    session = make_session()
    yield session
    session.close()


@pytest.fixture
def server(session):
    return agent_server(session)


def window_of(*children, title="Main"):
    return Element("window", title, children=list(children), bounds=Rect(0, 0, 100, 100))


@pytest.fixture
def make():
    made = []

    def make(*windows):
        adapter = MemoryAdapter(list(windows))
        made.append(adapter)
        return adapter, agent_server(Session(adapter))

    yield make
    for adapter in made:
        adapter.close()


class Scripted:
    """A runner that gives these answers in order, and then always the last one."""

    def __init__(self, *answers):
        self.answers = deque(answers)
        self.asked = []

    def run(self, operation, cancel=None):
        self.asked.append(operation)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer(operation) if callable(answer) else answer

    def close(self):
        pass


# -- health -----------------------------------------------------------------------------------------


def test_health_says_which_agent_it_is(server):
    assert answer(server, "/health", method="GET") == (
        200,
        {"accessible": True, "platform": "linux", "deskhand": __version__},
    )


def test_health_is_asked_for_by_get_alone(server):
    status, body = answer(server, "/health")
    assert (status, body["error"]) == (404, "not_found")
    assert body["details"] == "/health answers to GET, not to POST"


def test_health_is_503_until_accessibility_answers_and_then_200():
    error = AccessibilityUnavailable("no bus")
    server = agent_server(Scripted(error, error, ()))
    status, body = answer(server, "/health", method="GET")
    assert (status, body["accessible"], body["error"]) == (503, False, "accessibility_unavailable")
    assert "no bus" in body["details"]
    answer(server, "/health", method="GET")
    assert answer(server, "/health", method="GET")[0] == 200


def test_health_does_not_wait_for_a_program_that_is_busy():
    release = threading.Event()
    calls = []

    def block(operation):
        calls.append(operation)
        if len(calls) > 1:
            release.wait(30)
        return ()

    server = agent_server(Scripted(block))
    assert answer(server, "/health", method="GET")[0] == 200
    began = time.monotonic()
    for _ in range(3):
        assert answer(server, "/health", method="GET")[0] == 200
    assert time.monotonic() - began < 5
    assert len(calls) == 2, "one question at a time"
    release.set()


def test_an_early_request_waits_for_a_desktop_that_is_starting(monkeypatch):
    monkeypatch.setattr(serving, "_PATIENCE", 0)
    monkeypatch.setattr(serving, "_FIRST_PATIENCE", 30)
    there = threading.Event()
    server = agent_server(Scripted(lambda _: there.wait(30) and ()), early=True)
    threading.Timer(0.05, there.set).start()
    assert answer(server, "/health", method="GET")[0] == 200


def test_a_busy_program_is_accessible():
    assert answer(agent_server(Scripted(UiBusy("busy"))), "/health", method="GET")[0] == 200


# -- what is meant ----------------------------------------------------------------------------------


def test_a_miss_names_what_is_nearly_so(server):
    status, body = answer(server, "/press", {"role": "button", "label": "Submti"})
    assert (status, body["error"]) == (400, "not_found")
    assert "button label='Submit' id=submit_button pos=(0,0)" in body["details"]
    _, body = answer(server, "/press", {"role": "buton"})
    assert "button" in body["details"]
    _, body = answer(server, "/press", {"role": "checkbox", "label": "Submit"})
    assert "button label='Submit'" in body["details"]
    _, body = answer(server, "/press", {"window": "Ordre form"})
    assert body["error"] == "window_not_found"
    assert "'Order form' (memory)" in body["details"]


def test_candidates_are_listed_a_line_each(server):
    _, body = answer(server, "/press", {"id": "twin"})
    assert body == {"error": "ambiguous", "details": "\n".join(["button label='twin' id=twin pos=(0,0)"] * 2)}


def test_no_more_than_ten_candidates_are_listed(make):
    _, server = make(window_of(*(Element("button", f"B{number}") for number in range(25))))
    lines = answer(server, "/press", {"role": "button"})[1]["details"].splitlines()
    assert len(lines) == 11
    assert lines[-1] == "and 15 more"


def test_an_element_without_an_id_can_be_named_by_what_an_error_calls_it(make):
    adapter, server = make(
        window_of(Element("checkbox", "X", checked=False), Element("checkbox", "X", checked=False))
    )
    lines = answer(server, "/press", {"label": "X"})[1]["details"].splitlines()
    second = lines[1].partition("id=")[2].partition(" ")[0]
    assert answer(server, "/press", {"id": second}) == (200, {"success": True})
    assert [box.checked for box in adapter.windows[0].children] == [False, True]


def test_the_index_counts_over_all_windows_in_their_order(make):
    adapter, server = make(
        window_of(Element("checkbox", "X", checked=False)),
        window_of(Element("checkbox", "X", checked=False), title="Second"),
    )
    assert answer(server, "/press", {"label": "x", "index": 1})[0] == 200
    assert [window.children[0].checked for window in adapter.windows] == [False, True]
    status, body = answer(server, "/press", {"label": "x", "index": 2})
    assert (status, body["error"]) == (400, "not_found")
    assert "2 elements" in body["details"]


def test_a_whole_label_goes_before_a_part_of_others_unless_an_index_counts_them(make):
    adapter, server = make(
        window_of(
            *(Element("checkbox", name, checked=False) for name in ("C6", "6", "66", "Save as", "save"))
        )
    )
    assert answer(server, "/press", {"label": "6"}) == (200, {"success": True})
    assert answer(server, "/press", {"label": "SAVE"}) == (200, {"success": True})
    assert answer(server, "/press", {"label": "6", "index": 2}) == (200, {"success": True})
    assert [box.name for box in adapter.windows[0].children if box.checked] == ["6", "66", "save"]
    assert answer(server, "/press", {"label": "sa"})[1]["error"] == "ambiguous"


def test_a_label_finds_the_field_and_not_its_caption(make):
    adapter, server = make(
        window_of(
            Element("text", "Country"),
            Element("combo-box", "Country", options=["France", "Japan"], value="France"),
            Element("text", "Notes"),
            Element("text", "Notes"),
        )
    )
    country = {"label": "Country", "value": "Japan"}
    assert answer(server, "/set-value", country) == (200, {"success": True})
    assert adapter.windows[0].children[1].value == "Japan"
    assert answer(server, "/inspect", {"label": "country", "index": 0})[1]["element"]["role"] == "text"
    assert answer(server, "/press", {"label": "Notes"})[1]["error"] == "ambiguous"


def test_two_fields_of_the_same_label_stay_ambiguous(make):
    _, server = make(
        window_of(*(Element(role, "Name", value="") for role in ("text", "textfield", "text", "textfield")))
    )
    body = answer(server, "/set-value", {"label": "Name", "value": "Ada"})[1]
    assert body["error"] == "ambiguous"
    assert [line.split()[0] for line in body["details"].splitlines()] == ["textfield", "textfield"]


def test_a_window_is_not_an_element_of_itself(server):
    assert answer(server, "/inspect", {"role": "window"})[1]["error"] == "not_found"
    assert answer(server, "/inspect", {"role": "dialog"})[1]["error"] == "not_found"


def test_an_element_that_is_gone_when_it_is_pressed_was_not_found():
    tree = Tree([Node.of({"uid": "w"}), Node.of({"uid": "x", "parent": "w"})], (Window("w", "W"),))
    server = agent_server(Scripted(Snapshot(1, tree), Stale("it is gone")))
    assert answer(server, "/press", {})[1]["error"] == "not_found"


# -- the menu bar -----------------------------------------------------------------------------------


def with_menu(title="Main"):
    item = Element("menu-item", "Open")
    return window_of(
        Element("group", children=[Element("menu-bar", children=[Element("menu", "File", children=[item])])]),
        Element("button", "OK"),
        title=title,
    )


def test_the_menu_bar_of_the_focused_application_is_a_window_at_the_end(make):
    adapter, server = make(with_menu(), window_of(title="Second"))
    adapter.windows[0].children[0].children[0].bounds = Rect(1, 2, 30, 4)
    _, body = answer(server, "/snapshot", {"mode": "full"})
    assert [(one.get("title"), one["windowType"]) for one in body["windows"]] == [
        ("Main", "regular"),
        ("Second", "regular"),
        ("Menu Bar", "menuBar"),
    ]
    bar = body["windows"][-1]
    assert (bar["appName"], bar["focused"], bar["positionX"], bar["sizeWidth"]) == ("memory", False, 1, 30)
    assert bar["elements"][0]["label"] == "File"
    assert bar["elements"][0]["children"][0]["label"] == "Open"


def test_what_is_in_the_menu_bar_and_in_its_window_has_its_children_once(make):
    _, server = make(with_menu())
    _, body = answer(server, "/snapshot", {"mode": "full", "depth": 9})
    elements = [one for window in body["windows"] for one in window["elements"]]
    while elements:
        one = elements.pop()
        assert one["childCount"] == len(one.get("children", [])), one
        elements += one.get("children", [])


def test_the_menu_bar_obeys_filters_and_depth(make):
    _, server = make(with_menu())
    _, body = answer(server, "/snapshot", {"mode": "full", "window": "menu bar", "depth": 1})
    (bar,) = body["windows"]
    assert (bar["title"], len(bar["elements"]), "children" in bar["elements"][0]) == ("Menu Bar", 1, False)
    _, body = answer(server, "/snapshot", {"window": "Main"})
    assert [one["title"] for one in body["windows"]] == ["Main"]
    _, body = answer(server, "/snapshot", {"window": "memory", "role": "menu-item", "depth": 9})
    assert [len(one["elements"]) for one in body["windows"]] == [1, 1]


def test_the_menu_bar_is_in_no_list_of_windows_and_makes_nothing_ambiguous(make):
    _, server = make(with_menu())
    assert [one["title"] for one in answer(server, "/windows")[1]["windows"]] == ["Main"]
    assert answer(server, "/inspect", {"label": "Open"})[0] == 200
    assert answer(server, "/inspect", {"label": "Open", "window": "Menu Bar"})[0] == 200
    assert answer(server, "/inspect", {"label": "OK", "window": "Menu Bar"})[1]["error"] == "not_found"


def test_without_a_menu_bar_there_is_none(server):
    assert len(answer(server, "/snapshot")[1]["windows"]) == 2


# -- snapshots --------------------------------------------------------------------------------------


def test_a_hidden_window_is_left_out_and_a_minimized_one_is_not():
    windows = (
        Window("a", "A"),
        Window("b", "B", showing=False),
        Window("c", "C", showing=False, minimized=True),
    )
    tree = Tree([Node.of({"uid": one.uid}) for one in windows], windows)
    server = agent_server(Scripted(Snapshot(1, tree)))
    for path in ("/windows", "/snapshot"):
        assert [one["title"] for one in answer(server, path)[1]["windows"]] == ["A", "C"]


@pytest.mark.parametrize("path", ["/snapshot", "/windows"])
def test_programs_that_did_not_answer_are_named_beside_those_that_did(path):
    tree = Tree(
        [Node.of({"uid": "w"})], (Window("w", "W"),), cut=Cut(1, "programs that are missing: 'kcalc'")
    )
    reply = agent_server(Scripted(Snapshot(1, tree))).handle(Asked(path), threading.Event())
    body = json.loads(reply.body)
    assert [one["title"] for one in body["windows"]] == ["W"]
    assert "kcalc" in body["details"]


@pytest.mark.parametrize("path", ["/snapshot", "/press", "/window-focus"])
def test_a_window_of_a_program_that_did_not_answer_is_missing_because_of_that(path):
    tree = Tree(
        [Node.of({"uid": "w"})], (Window("w", "W"),), cut=Cut(1, "programs that are missing: 'kcalc'")
    )
    status, body = answer(agent_server(Scripted(Snapshot(1, tree))), path, {"window": "KCalc"})
    assert (status, body["error"]) == (400, "window_not_found")
    assert body["details"].endswith("; programs that are missing: 'kcalc'")


def test_no_more_levels_are_read_than_are_asked_for():
    runner = Scripted(Snapshot(1, Tree([])))
    answer(agent_server(runner), "/snapshot", {"depth": 7})
    assert runner.asked[0] == ops.ReadTree(depth=7)


# -- acting -----------------------------------------------------------------------------------------


def test_a_reason_is_given_for_what_did_not_work():
    tree = Tree([Node("w", role="window"), Node("b", role="button", parent="w")], [Window("w", "W")])
    runner = Scripted(Snapshot(1, tree), ActionFailed("it snapped", suggestions=("glue it",)))
    status, body = answer(agent_server(runner), "/press", {"role": "button"})
    assert (status, body) == (200, {"success": False, "message": "it snapped; glue it"})


def test_a_reason_is_given_for_what_cannot_be_done_now(server):
    status, body = answer(server, "/press", {"id": "cancel_button"})
    assert (status, body["error"]) == (400, "action_unsupported")
    assert "not enabled" in body["details"]


def test_a_reason_is_given_for_what_cannot_be_done_at_all(server):
    status, body = answer(server, "/set-value", {"id": "submit_button", "value": "x"})
    assert (status, body["error"]) == (400, "action_unsupported")
    assert "cannot be edited; target" in body["details"], "what no waiting can change is not waited for"


@pytest.mark.parametrize(
    ("actions", "status"), [((), 400), (("show-menu", "scroll-into-view"), 400), (("press",), 200)]
)
def test_what_is_only_there_to_be_looked_at_is_pressed_if_it_says_that_it_can_be(actions, status):
    label = Node("l", role="text", name="Name", parent="w", actions=actions)
    runner = Scripted(Snapshot(1, Tree([Node("w", role="window"), label], [Window("w", "W")])), ops.Done())
    found, body = answer(agent_server(runner), "/press", {"label": "name"})
    assert found == status
    if status == 400:
        assert body["error"] == "action_unsupported"
        assert 'text "Name" offers nothing to press' in body["details"]


@pytest.mark.parametrize("left", [1, 2], ids=["while it closed", "before it was looked again"])
def test_a_program_that_ends_with_its_window_has_closed_it(left):
    tree = Tree([], [Window("w", "W")])
    answers = [Snapshot(1, tree), ops.Done()][:left]
    server = agent_server(Scripted(*answers, AppGone("the app is gone")))
    assert answer(server, "/window-close", {"window": "W"}) == (
        200,
        {"success": True, "message": "its program ended"},
    )


def test_a_program_that_ends_instead_of_moving_its_window_is_gone():
    server = agent_server(Scripted(Snapshot(1, Tree([], [Window("w", "W")])), AppGone("the app is gone")))
    status, body = answer(server, "/window-move", {"window": "W", "x": 1, "y": 1})
    assert (status, body["error"]) == (503, "accessibility_unavailable")


def windows_runner(*states):
    """A runner whose window has these states, one after the other at each read."""
    looks = deque(states)

    def look():
        return (looks[0] if len(looks) == 1 else looks.popleft(),)

    def run(operation):
        match operation:
            case ops.ListWindows():
                return look()
            case ops.ReadTree():
                return Snapshot(1, Tree([], look()))
            case ops.ControlWindow():
                return ops.Done()
        return None

    return Scripted(run)


@pytest.mark.parametrize("do", ["focus", "minimize", "close"])
def test_a_window_that_did_not_obey_is_reported(do, monkeypatch):
    monkeypatch.setattr("deskhand.protocols.agent.server._SETTLE", 0.2)
    server = agent_server(windows_runner(Window("w", "W")))
    status, body = answer(server, f"/window-{do}", {"window": "w"})
    assert (status, body["success"]) == (200, False)
    assert do in body["message"]


@pytest.mark.parametrize(
    ("do", "now"),
    [("focus", {"focused": True}), ("minimize", {"minimized": True}), ("close", {"showing": False})],
)
def test_a_window_may_take_a_moment_to_obey(do, now):
    before = Window("w", "W")
    server = agent_server(windows_runner(before, before, before, Window("w", "W", **now)))
    assert answer(server, f"/window-{do}", {"window": "w"}) == (200, {"success": True})


@pytest.mark.parametrize(
    ("path", "wanted", "said"),
    [
        ("/window-move", {"x": 5, "y": 6.4}, {}),
        ("/window-move", {"x": -9000, "y": 6}, {"message": "it is at 5,6 now"}),
        ("/window-resize", {"width": 70, "height": 80}, {}),
        ("/window-resize", {"width": 1, "height": 80}, {"message": "it is 70×80 now"}),
    ],
)
def test_the_final_position_of_a_window_is_reported_if_it_differs(path, wanted, said):
    server = agent_server(windows_runner(Window("w", "W", bounds=Rect(5, 6, 70, 80))))
    assert answer(server, path, {"window": "w", **wanted}) == (200, {"success": True, **said})


# -- waiting ----------------------------------------------------------------------------------------


def test_a_wait_ends_as_soon_as_the_window_is_there(make):
    adapter, server = make(window_of())

    def open_window():
        adapter.windows.append(window_of(title="Second"))
        adapter.touch()

    timer = threading.Timer(0.1, lambda: adapter.post(open_window))
    timer.start()
    began = time.monotonic()
    assert answer(server, "/wait", {"window": "second", "timeout": 30}) == (200, {"success": True})
    assert time.monotonic() - began < 5
    timer.join()


def test_a_wait_is_one_question_that_the_engine_answers_when_the_windows_differ(session):
    runner = Scripted(session.run)

    answer(agent_server(runner), "/wait", {"window": "nowhere", "timeout": 0.5})

    first, second = runner.asked
    assert (type(first), first.since) == (ops.ListWindows, None)
    assert second.since == session.run(ops.ListWindows())


def test_a_wait_reads_when_something_changes_and_otherwise_rarely(make):
    adapter, server = make(window_of())
    looks = []
    read = adapter.read
    adapter.read = lambda *words, **options: looks.append(1) or read(*words, **options)
    answer(server, "/wait", {"window": "nowhere", "timeout": 0.6})
    assert len(looks) < 20


def test_a_wait_sees_a_title_that_changes(make):
    adapter, server = make(window_of())
    timer = threading.Timer(0.05, lambda: adapter.post(lambda: setattr(adapter.windows[0], "name", "Later")))
    timer.start()
    assert answer(server, "/wait", {"window": "later", "timeout": 30}) == (200, {"success": True})
    timer.join()


def test_a_wait_that_times_out_says_what_was_found(server):
    status, body = answer(server, "/wait", {"window": "Settings", "timeout": 0})
    assert (status, body["success"]) == (200, False)
    assert "'Order form'" in body["message"]


def test_a_wait_of_more_than_an_hour_is_rejected_with_a_hint_about_seconds(server):
    status, body = answer(server, "/wait", {"window": "Settings", "timeout": 5000})
    assert status == 400
    assert "for 5000 milliseconds write 5" in json.dumps(body)


def test_a_wait_outlasts_the_time_without_accessibility():
    error = AccessibilityUnavailable("no bus yet")
    server = agent_server(Scripted(error, error, (Window("w", "W"),)))
    assert answer(server, "/wait", {"timeout": 30}) == (200, {"success": True})
    status, body = answer(agent_server(Scripted(error)), "/wait", {"timeout": 0.1})
    assert (status, body["success"]) == (200, False)
    assert "no bus yet" in body["message"]


def test_a_wait_ends_when_its_caller_goes_away(make):
    _, server = make()
    cancel = threading.Event()
    timer = threading.Timer(0.1, cancel.set)
    timer.start()
    began = time.monotonic()
    server.handle(Asked("/wait", b'{"timeout": 60}'), cancel)
    assert time.monotonic() - began < 10
    timer.join()


# -- what is not there yet --------------------------------------------------------------------------


def test_a_desktop_that_comes_late_is_opened_when_it_is_there(session, monkeypatch):
    monkeypatch.setattr("deskhand.client.deferred._AGAIN", 0)
    tries = iter([AccessibilityUnavailable("no bus"), OSError("no socket"), session])

    def open_():
        found = next(tries)
        if isinstance(found, Exception):
            raise found
        return found

    server = agent_server(Deferred(open_))
    for said in ("no bus", "no socket"):
        status, body = answer(server, "/windows")
        assert (status, body["error"]) == (503, "accessibility_unavailable")
        assert said in body["details"]
    assert answer(server, "/windows")[0] == 200
    assert answer(server, "/windows")[0] == 200


def test_an_unavailable_runner_is_not_opened_again_at_once():
    tries = []

    def open_():
        tries.append(1)
        raise AccessibilityUnavailable("no bus")

    late = Deferred(open_)
    for _ in range(5):
        with pytest.raises(AccessibilityUnavailable, match="no bus"):
            late.run(ops.ListWindows())
    assert len(tries) == 1
    late.close()


# -- operations -------------------------------------------------------------------------------------


def test_every_operation_can_be_had(server):
    status, body = answer(server, "/deskhand/find", {"target": "#name_edit"})
    assert (status, body[0]["automation_id"]) == (200, "name_edit")
    assert answer(server, "/deskhand/type_text", {"target": "#name_edit", "text": "Ada"})[0] == 200
    assert answer(server, "/deskhand/get", {"target": "#name_edit"})[1]["value"] == "Ada"
    assert answer(server, "/deskhand/read_tree")[1]["tree"]["windows"][0]["title"] == "Order form"


def test_an_error_of_an_operation_has_all_its_fields(server):
    status, body = answer(server, "/deskhand/get", {"target": 'button[name="Submti"]'})
    assert (status, body["error"], body["kind"]) == (400, "not_found", "not_found")
    assert body["near"]
    error = DeskhandError.from_json({k: v for k, v in body.items() if k not in ("error", "details")})
    assert error.near[0] == "#submit_button"
    status, body = answer(server, "/deskhand/clik")
    assert (status, body["error"], body["near"][0]) == (404, "not_found", "click")
    status, body = answer(server, "/deskhand/get", {"target": 5})
    assert (status, body["error"], body["field"]) == (400, "invalid_json", "target")


class Box:
    """A machine that does nothing."""

    def execute(self, operation, cancel=None):
        return Executed(3, f"ran {operation.command}")


def test_operations_of_the_machine_are_run_by_it_and_not_by_the_program(session):
    server = agent_server(session, machine=Box())
    assert answer(server, "/deskhand/execute", {"command": "x"})[1] == {"exit_code": 3, "stdout": "ran x"}
    status, body = answer(agent_server(session), "/deskhand/execute", {"command": "x"})
    assert (status, body["kind"]) == (403, "exec_failed")


def test_a_program_is_not_ended_with_its_server(session):
    ended = []
    server = agent_server(session, shutdown=lambda: ended.append(1))
    for path in ("/shutdown", "/deskhand/shutdown"):
        reply = server.handle(Asked(path), threading.Event())
        assert reply.status == 200
        reply.after()
    assert ended == [1, 1]
    assert answer(server, "/windows")[0] == 200
    assert answer(agent_server(session), "/shutdown")[1]["error"] == "action_unsupported"


# -- what should not happen -------------------------------------------------------------------------


def test_an_internal_error_is_500_and_reported(caplog):
    status, body = answer(agent_server(Scripted(ValueError("oops"))), "/windows")
    assert (status, body["error"]) == (500, "internal")
    assert "oops" in body["details"]
    assert "oops" in caplog.text


def test_what_a_toolkit_calls_things_never_breaks_an_answer(make):
    odd = '\ud800 \x00 \u2028 " \\ </script> 😀'
    _, server = make(window_of(Element("button", odd, "i\ud800d"), title=odd))
    _, body = answer(server, "/snapshot")
    check_element(body["windows"][0]["elements"][0])


# -- the log ----------------------------------------------------------------------------------------


def test_requests_and_answers_are_logged_without_passwords(session, tmp_path):
    log = WireLog(tmp_path / "wire", text=True)
    server = agent_server(session, log=log)
    answer(server, "/set-value", {"id": "password_edit", "value": "hunter22"})
    answer(server, "/set-value", {"id": "name_edit", "value": "Ada"})
    answer(server, "/deskhand/set_value", {"target": "#password_edit", "value": "hunter23"})
    answer(server, "/set-value", {"id": "missing", "value": "hunter24"})
    log.close()
    text = (tmp_path / "wire").read_text()
    assert "hunter2" not in text
    assert '"value":"Ada"' in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["dir"] for line in lines] == ["in", "out"] * 4
    assert lines[0]["message"]["method"] == "POST /set-value"
    assert lines[1]["message"] == {"success": True}
