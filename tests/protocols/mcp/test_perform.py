"""ui_perform: actions, their results, receipts and deadlines."""

from __future__ import annotations

import threading
import time

import pytest

from deskhand.adapters.memory import Element
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, UiBusy
from deskhand.model.node import Node
from deskhand.model.operations import Difference
from deskhand.model.policy import asking
from deskhand.protocols.mcp.difference import difference
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Blocked, Client, window_of
from tests.wire.form import make_session


def test_actions_are_done_in_order_and_each_has_a_result(call, session):
    name, submit = call.one("#name_edit"), call.one("#submit_button")

    told = call(
        "ui_perform",
        actions=[
            {"type": "focus", "target": {"ref": name}},
            {"type": "typeText", "text": "Ad"},
            {"type": "setText", "target": {"ref": name}, "text": "Ada"},
            {"type": "click", "target": submit["uid"]},
        ],
    )

    kinds = ["focus", "typeText", "setText", "click"]
    assert told["results"] == [{"ok": True, "type": kind} for kind in kinds]
    assert session.run(ops.Get("#name_edit")).value == "Ada"
    assert session.run(ops.Get("#report")).text == "submitted"


def test_a_receipt_reports_what_changed_and_the_new_revision(call):
    told = call("ui_perform", actions=[{"type": "click", "target": {"ref": call.one("#submit_button")}}])

    receipt = told["receipt"]
    report = next(change for change in receipt["changed"] if change.get("id") == "report")
    assert report["now"] == {"text": "submitted"}
    assert told["revision"] == receipt["revision"]
    assert told["idle"] is True
    assert call("ui_get_snapshot", sinceRevision=told["revision"])["noChange"] is True
    assert "receipt" not in call("ui_perform", actions=[], receipt=False)


def test_actions_are_one_batch_that_reads_the_tree_once_before_and_once_after(session):
    class Asked:
        def __init__(self):
            self.operations = []

        def run(self, operation, cancel=None):
            self.operations.append(operation)
            return session.run(operation, cancel)

    uids = [Client(mcp_server(session)).one(css)["uid"] for css in ("#name_edit", "#submit_button")]
    runner = Asked()
    actions = [{"type": "setText", "target": uids[0], "text": "Ada"}, {"type": "click", "target": uids[1]}]

    told = Client(mcp_server(runner))("ui_perform", actions=actions)

    assert told["receipt"]["changed"]
    asked = [type(operation) for operation in runner.operations if not isinstance(operation, ops.Find)]
    assert asked == [ops.ReadTree, ops.SetValue, ops.Click, ops.WaitIdle, ops.ReadTree]


def test_many_actions_have_a_receipt_too_and_questions_make_no_revision_forgotten(call):
    first = call("ui_get_snapshot")["revision"]
    name, submit = call.one("#name_edit"), call.one("#submit_button")
    actions = [{"type": "setText", "target": {"ref": name}, "text": str(at)} for at in range(12)]

    told = call("ui_perform", actions=[*actions, {"type": "click", "target": {"ref": submit}}])

    assert {"name_edit", "report"} <= {change["id"] for change in told["receipt"]["changed"]}
    for _ in range(12):
        call("ui_get_node", ref=name)
    assert call("ui_get_snapshot", sinceRevision=first)["sinceRevision"] == first


def test_a_difference_reports_the_focus_in_new_nodes():
    field = Node(uid="u-2", parent="u-1", role="textfield", name="Name")

    def told(focused):
        return difference(None, Difference(1, 2, added=(field,), focused=focused), lambda _: None)

    assert told("u-2")["focus"] == {"uid": "u-2"}
    assert "focus" not in told("u-1")


def test_a_text_that_is_no_longer_there_is_a_change(make):
    status = Element("text", text="saved", native_class="Label")
    button = Element("button", "Go", native_class="Button", on_press=lambda: setattr(status, "text", None))
    _, call = make(window_of(status, button))
    before = call("ui_get_snapshot")["revision"]

    receipt = call("ui_perform", actions=[{"type": "click", "target": {"ref": call.one("Button")}}])[
        "receipt"
    ]

    change = next(change for change in receipt["changed"] if change["type"] == "Label")
    assert (change["now"]["text"], change["before"]["text"]) == (None, "saved")
    lines = call.raw("ui_get_snapshot", sinceRevision=before)["content"][0]["text"]
    assert f'~{change["uid"]} text ""' in lines


def test_a_receipt_says_which_of_what_came_cannot_be_used_yet(make):
    window = window_of()

    def go():
        window.children.append(Element("button", "Save", enabled=False, native_class="Button"))
        window.children.append(Element("checkbox", "Keep", checked=True, native_class="CheckBox"))

    window.children.append(Element("button", "Go", native_class="Button", on_press=go))
    _, call = make(window)

    receipt = call("ui_perform", actions=[{"type": "click", "target": {"ref": call.one("Button")}}])[
        "receipt"
    ]

    added = {node["text"]: node.get("states") for node in receipt["added"]}
    assert added == {"Save": ["disabled"], "Keep": ["checked"]}


def test_of_removed_nodes_the_upper_ones_are_described_and_nameless_boxes_are_not(make):
    yes = Element("button", "Yes", native_class="Button")
    box = Element("group", children=[yes], native_class="HBox")
    panel = Element("group", "Question", children=[box], native_class="Panel")
    window = window_of(panel)
    window.children.append(
        Element("button", "Go", native_class="Button", on_press=lambda: window.children.remove(panel))
    )
    _, call = make(window)
    uids = {name: call.one(name)["uid"] for name in ("Panel", "Button")}

    go = call("ui_query", selector={"text": "Go"})["matches"][0]["ref"]
    told = call("ui_perform", actions=[{"type": "click", "target": {"ref": go}}])["receipt"]["removed"]

    assert told == [{"uid": uids["Panel"], "what": 'group "Question" is gone'}, {"uid": uids["Button"]}]


def test_a_receipt_lists_nodes_and_windows_that_come_and_go(make):
    window = window_of(native_class="Stage")
    old = Element("text", text="Old", native_class="Label")
    question = window_of(Element("button", "Yes", native_class="Button"), title="Sure?")

    def go():
        window.children.remove(old)
        window.children.append(Element("text", text="New", native_class="Label"))
        adapter.windows.append(question)

    window.children += [old, Element("button", "Go", native_class="Button", on_press=go)]
    adapter, call = make(window)

    told = call("ui_perform", actions=[{"type": "click", "target": {"ref": call.one("Button")}}])["receipt"]

    assert {"Label", "Button"} <= {node["type"] for node in told["added"]}
    assert "New" in [node.get("text") for node in told["added"]]
    assert ["Old" in gone["what"] for gone in told["removed"]] == [True]
    assert [opened["title"] for opened in told["windowsOpened"]] == ["Sure?"]


def test_every_action_runs_after_a_failed_one_if_that_is_asked_for_and_the_call_fails(call, session):
    answer = call.raw(
        "ui_perform",
        onError="continue",
        actions=[
            {"type": "click", "target": {"ref": {"uid": "u-none"}}},
            {"type": "fly"},
            {"type": "pressKey", "key": "NO_SUCH_KEY"},
            {"type": "pressKey", "key": "A", "modifiers": ["HYPER"]},
            {"type": "click", "target": {"ref": call.one("#cancel_button")}},
            {"type": "setText", "target": {"ref": call.one("#report")}, "text": "x"},
            {"type": "click"},
            {"type": "scroll", "deltaY": 1},
            {"type": "click", "target": {"ref": 7}},
            {"type": "typeText", "text": "x", "amount": 2},
            "click",
            {"type": "click", "target": {"ref": call.one("#submit_button")}},
        ],
    )

    error = answer["structuredContent"]["error"]
    results = answer["structuredContent"]["output"]["results"]
    assert answer["isError"] is True
    assert error["code"] == "MCP_UI_ACTION_FAILED"
    assert error["details"]["index"] == 0
    assert error["details"]["type"] == "click"
    assert error["details"]["reason"] == "NODE_NOT_FOUND"
    assert error["details"]["results"] == results
    assert [result["ok"] for result in results] == [False] * 11 + [True]
    assert [result["reason"] for result in results[:-1]] == [
        "NODE_NOT_FOUND", "INVALID_PARAMS", "INVALID_KEY_CODE", "INVALID_KEY_CODE", "TARGET_DISABLED",
        "UNSUPPORTED_TARGET_TYPE", "INVALID_PARAMS", "INVALID_PARAMS", "INVALID_PARAMS", "INVALID_PARAMS",
        "INVALID_PARAMS",
    ]  # fmt: skip
    assert results[1]["error"].startswith("Unknown action type: fly")
    assert session.run(ops.Get("#report")).text == "submitted"


def test_no_action_runs_after_a_failed_one_and_the_call_has_all_results(call, session):
    submit = {"ref": call.one("#submit_button")}
    answer = call.raw(
        "ui_perform",
        actions=[
            {"type": "setText", "target": {"ref": call.one("#name_edit")}, "text": "Ada"},
            {"type": "click", "target": {"ref": call.one("#cancel_button")}},
            {"type": "click", "target": submit},
            "nonsense",
        ],
    )

    error = answer["structuredContent"]["error"]
    results = answer["structuredContent"]["output"]["results"]
    assert answer["isError"] is True
    assert error["code"] == "MCP_UI_ACTION_FAILED"
    assert (error["details"]["index"], error["details"]["type"]) == (1, "click")
    assert error["details"]["results"] == results
    assert "2 after it were not run" in error["message"]
    assert [result["ok"] for result in results] == [True, False, False, False]
    skipped = {"ok": False, "skipped": True, "error": "not run, because action 1 failed"}
    assert results[2:] == [{**skipped, "type": "click"}, {**skipped, "type": None}]
    assert "skipped" not in results[1]
    assert session.run(ops.Get("#name_edit")).value == "Ada"
    assert session.run(ops.Get("#report")).text != "submitted"
    changed = answer["structuredContent"]["output"]["receipt"]["changed"]
    assert [change["id"] for change in changed] == ["name_edit"], "what was done is in the receipt"


def test_an_app_that_ends_in_the_middle_leaves_the_results_of_what_was_done():
    class Ending(Noting):
        def run(self, operation, cancel=None):
            if self.done:
                raise AppGone("the app has ended with exit code 0", exit_code=0)
            return super().run(operation, cancel)

    runner = Ending()
    actions = [{"type": "click", "x": 1, "y": 1}] * 3

    answer = Client(mcp_server(runner)).raw("ui_perform", actions=actions, onError="continue")

    assert answer["structuredContent"]["error"]["details"]["index"] == 1
    results = answer["structuredContent"]["output"]["results"]
    assert [result["ok"] for result in results] == [True, False, False]
    assert results[2]["skipped"] is True
    assert "has ended" in results[1]["error"]
    assert answer["structuredContent"]["output"]["receipt"] == {"exited": True, "exitCode": 0}
    runner.close()


def test_select_without_an_option_says_how_to_select_a_row(call):
    action = {"type": "select", "target": {"ref": call.one("#submit_button")}}

    error = call.error("ui_perform", actions=[action])

    assert error["details"]["reason"] == "INVALID_PARAMS"
    assert "click a row" in error["message"]


@pytest.mark.parametrize("receipt", [True, False])
def test_the_time_for_all_actions_is_kept_by_whatever_an_action_needs(session, receipt):
    uid = Client(mcp_server(session)).one("#submit_button")["uid"]
    began = time.monotonic()

    error = Client(mcp_server(Blocked(session))).error(
        "ui_perform",
        actions=[
            {"type": "click", "target": uid},
            {"type": "click", "target": {"path": "/stages[0]/scene/root"}},
        ],
        receipt=receipt,
        timeoutMs=100,
    )

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert time.monotonic() - began < 3


def test_an_action_waits_for_its_target_as_long_as_the_call_may_take(make):
    button = Element("button", "Save", "save", enabled=False)
    adapter, call = make(window_of(button))
    click = {"type": "click", "target": call.one("#save")["uid"]}
    assert call.error("ui_perform", actions=[click])["code"] == "MCP_UI_ACTION_FAILED"

    timer = threading.Timer(1.5, lambda: adapter.post(lambda: setattr(button, "enabled", True)))
    timer.start()
    assert call("ui_perform", actions=[click], timeoutMs=30_000)["results"] == [{"ok": True, "type": "click"}]
    timer.join()


def test_a_wait_takes_its_timeout_even_while_the_program_does_not_answer(session):
    began = time.monotonic()
    blocked = Blocked(session)
    error = Client(mcp_server(blocked)).error("ui_wait", selector={"css": "#report"}, timeoutMs=100)
    assert error["code"] == "MCP_UI_TIMEOUT"
    assert time.monotonic() - began < 3
    blocked.free.set()

    later = Client(mcp_server(Blocked(session, 1.2)))
    assert later("ui_wait", selector={"css": "#report"}, timeoutMs=20_000)["elapsedMs"] >= 1000


def test_an_action_that_the_app_takes_too_long_for_is_a_timeout_with_the_results_of_all(session):
    class Hanging(Noting):
        def run(self, operation, cancel=None):
            if isinstance(operation, ops.Key):
                raise UiBusy("busy")
            return super().run(operation, cancel)

    runner = Hanging()
    actions = [{"type": "click", "x": 1, "y": 1}, {"type": "pressKey", "key": "TAB"}]

    error = Client(mcp_server(runner)).error("ui_perform", actions=actions)

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert error["details"]["index"] == 1
    assert [result["ok"] for result in error["details"]["results"]] == [True, False]
    runner.close()


class Noting:
    """A runner that notes what it is asked to do."""

    def __init__(self):
        self.done = []
        self.session = make_session()

    def run(self, operation, cancel=None):
        if operation.acts:
            self.done.append(operation)
            return ops.Done()
        return self.session.run(operation, cancel)

    def close(self):
        self.session.close()


def test_the_time_that_a_person_needs_to_allow_an_action_is_not_taken_from_the_next_one():
    class Asked(Noting):
        def run(self, operation, cancel=None):
            if operation.acts:
                with asking.get():
                    threading.Event().wait(1.2)
            return super().run(operation, cancel)

    runner = Asked()
    actions = [{"type": "click", "x": 1, "y": 1}, {"type": "click", "x": 2, "y": 2}]
    told = Client(mcp_server(runner))("ui_perform", actions=actions, timeoutMs=1000, receipt=False)
    assert [result["ok"] for result in told["results"]] == [True, True]
    runner.close()


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "x": 1, "y": 2}, ops.Click(x=1, y=2, timeout=1.0)),
        (
            {"type": "click", "target": "T", "x": 3, "y": 4, "button": "RIGHT", "modifiers": ["Control"]},
            ops.Click('uid="u-4"', x=3, y=4, button="right", modifiers=("ctrl",), timeout=1.0),
        ),
        ({"type": "doubleClick", "target": "T"}, ops.Click('uid="u-4"', count=2, timeout=1.0)),
        (
            {"type": "mousePressed", "target": "T", "button": "MIDDLE"},
            ops.MouseDown('uid="u-4"', button="middle", timeout=1.0),
        ),
        ({"type": "mouseReleased", "x": 1, "y": 1}, ops.MouseUp(x=1, y=1, timeout=1.0)),
        (
            {"type": "scroll", "target": "T", "deltaY": -400},
            ops.Scroll('uid="u-4"', dy=10.0, dx=0.0, timeout=1.0),
        ),
        (
            {"type": "pressKey", "key": "ENTER", "modifiers": ["CTRL", "cmd"]},
            ops.Key(keys="ctrl+meta+ENTER", timeout=1.0),
        ),
        ({"type": "pressKey", "key": "BACK_SPACE"}, ops.Key(keys="BACK_SPACE", timeout=1.0)),
        ({"type": "pressKey", "key": "A"}, ops.Key(keys="a", timeout=1.0)),
        ({"type": "pressKey", "key": "KP_UP"}, ops.Key(keys="up", timeout=1.0)),
        ({"type": "pressKey", "key": "ADD", "modifiers": ["CTRL"]}, ops.Key(keys="ctrl++", timeout=1.0)),
        ({"type": "pressKey", "key": "left_parenthesis"}, ops.Key(keys="(", timeout=1.0)),
        (
            {"type": "drag", "from": {"ref": {"uid": "u-4"}, "x": 1, "y": 2}, "to": {"x": 5, "y": 6}},
            ops.Drag('uid="u-4"', x=1, y=2, to_x=5, to_y=6, timeout=1.0),
        ),
        (
            {"type": "drag", "from": {"target": {"ref": "u-4"}}, "to": {"target": "u-4", "x": 1}},
            ops.Drag('uid="u-4"', to='uid="u-4"', to_x=1, timeout=1.0),
        ),
        (
            {"type": "select", "target": "T", "text": "Kenya"},
            ops.Select('uid="u-4"', text="Kenya", timeout=1.0),
        ),
        ({"type": "setChecked", "target": "T", "checked": True}, ops.SetChecked('uid="u-4"', timeout=1.0)),
        (
            {"type": "expand", "target": "T", "expanded": False},
            ops.Expand('uid="u-4"', expanded=False, timeout=1.0),
        ),
        ({"type": "showMenu", "target": "T"}, ops.ShowMenu('uid="u-4"', timeout=1.0)),
    ],
)
def test_an_action_becomes_the_operation_that_it_means(action, expected):
    runner = Noting()
    call = Client(mcp_server(runner))
    if action.get("target") == "T":
        action = {**action, "target": {"ref": {"uid": "u-4"}}}
    call("ui_get_snapshot")

    call("ui_perform", actions=[action], receipt=False)

    assert runner.done == [expected]
    runner.close()
