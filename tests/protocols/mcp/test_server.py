"""The server as a whole: modes, errors, names, schemas, prompts and the log."""

from __future__ import annotations

import json
import threading
import time

import pytest

from deskhand.engine.restricted import Restricted
from deskhand.model.errors import AppGone, ConnectFailed, UiBusy
from deskhand.model.node import Node
from deskhand.protocols.mcp.server import McpServer, UnknownTool
from deskhand.protocols.schema import check
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Blocked, Client, Fixed

CALLS = [
    ("ui_get_snapshot", {}),
    ("ui_query", {"selector": {"css": "*"}}),
    ("ui_get_node", {"ref": {"uid": "u-1"}}),
    ("ui_perform", {"actions": [{"type": "click", "x": 1, "y": 1}]}),
    ("ui_perform", {"actions": []}),
    ("ui_wait", {"until": "idle"}),
    ("ui_wait", {"selector": {"css": "*"}, "timeoutMs": 100}),
    ("ui_screenshot", {}),
    ("ui_window", {}),
    ("ui_window", {"do": "close"}),
    ("ui_clipboard", {}),
    ("ui_clipboard", {"text": "x"}),
    ("ui_wait", {"until": "opened", "window": "Main", "timeoutMs": 100}),
]
WRONG = [(name, {"nonsense": 1}) for name, _ in CALLS] + [("ui_query", {}), ("ui_get_node", {"ref": {}})]


@pytest.mark.parametrize(("name", "arguments"), CALLS + WRONG)
def test_a_server_that_is_switched_off_says_so_from_every_tool_even_for_wrong_calls(session, name, arguments):
    for read_only in (False, True):
        call = Client(mcp_server(Restricted(session, standby=True), read_only=read_only))
        error = call.error(name, **arguments)
        assert error["code"] == "MCP_UI_NOT_ENABLED"
        assert "--standby" in error["message"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
@pytest.mark.parametrize(
    ("fails", "code"),
    [
        (UiBusy("busy"), "MCP_UI_TIMEOUT"),
        (AppGone("ended"), "MCP_UI_NO_STAGES"),
        (KeyError("bug"), "MCP_UI_INTERNAL"),
    ],
)
def test_what_goes_wrong_below_has_one_of_the_seven_codes(name, arguments, fails, code):
    call = Client(mcp_server(Fixed(Node(uid="u-1"), fails=fails)))

    assert call.error(name, **arguments)["code"] == code


def test_the_error_for_an_app_that_is_gone_says_what_to_do_and_names_no_socket():
    gone = AppGone("the app is gone: no socket /tmp/x", target="unix:/tmp/x", pid=7)
    error = Client(mcp_server(Fixed(Node(uid="u-1"), fails=gone))).error("ui_get_snapshot")

    assert error["message"] == "the app is gone: it has ended, or closed the connection; start it again"
    assert error["details"] == {"pid": 7}


def test_a_desktop_that_is_gone_is_reported_without_what_the_system_says_about_sockets():
    gone = ConnectFailed("display ':99' does not answer: [Errno 9] Bad file descriptor", target=":99")
    error = Client(mcp_server(Fixed(Node(uid="u-1"), fails=gone))).error("ui_get_snapshot")

    assert error["code"] == "MCP_UI_NO_STAGES"
    assert "the desktop that the app was on is gone" in error["message"]
    assert "descriptor" not in json.dumps(error)


def test_a_read_only_server_lists_nothing_that_acts_and_refuses_it(session):
    server = mcp_server(session, read_only=True)
    call = Client(server)

    assert [tool["name"] for tool in server.tools()] == [
        "ui_get_snapshot",
        "ui_query",
        "ui_get_node",
        "ui_wait",
    ]
    assert server.health()["tools"] == [tool["name"] for tool in server.tools()]
    error = call.error("ui_perform", actions=[{"type": "click", "x": 1, "y": 1}])
    assert error["code"] == "MCP_UI_ACTION_FAILED"
    assert error["message"].startswith("Actions are disabled")
    assert call.error("ui_perform", actions="all")["message"].startswith("Actions are disabled")


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("ui_get_snapshot", {"dept": 1}, "dept"),
        ("ui_get_snapshot", {"depth": "1"}, "depth"),
        ("ui_get_snapshot", {"depth": -1}, "depth"),
        ("ui_get_snapshot", {"depth": True}, "depth"),
        ("ui_get_snapshot", {"stage": "other"}, "stage"),
        ("ui_get_snapshot", {"include": []}, "include"),
        ("ui_get_snapshot", {"include": {"bounds": 1}}, "include.bounds"),
        ("ui_get_snapshot", {"include": {"colour": True}}, "include.colour"),
        ("ui_get_snapshot", {"maxNodes": 0}, "maxNodes"),
        ("ui_get_snapshot", {"fields": "id"}, "fields"),
        ("ui_get_snapshot", {"fields": ["id", "label"]}, "fields[1]"),
        ("ui_query", {"selector": "button"}, "selector"),
        ("ui_query", {"selector": {"css": 1}}, "selector.css"),
        ("ui_query", {"selector": {"text": "x", "match": "like"}}, "selector.match"),
        ("ui_query", {"selector": {"css": "*"}, "scope": {"stage": "here"}}, "scope.stage"),
        ("ui_query", {"selector": {"predicate": {"typeIs": "Button"}}}, "selector.predicate.typeIs"),
        ("ui_query", {"selector": {"predicate": {"typeIs": [1]}}}, "selector.predicate.typeIs[0]"),
        ("ui_query", {"selector": {"css": "*"}, "limit": 0}, "limit"),
        ("ui_get_node", {}, "ref"),
        ("ui_get_node", {"ref": 4}, "ref"),
        ("ui_get_node", {"ref": {}}, "ref"),
        ("ui_get_node", {"ref": {"uid": 4}}, "ref.uid"),
        ("ui_get_node", {"ref": "u-1", "includeChildren": "yes"}, "includeChildren"),
        ("ui_get_node", {"ref": "u-1", "fields": "id"}, "fields"),
        ("ui_get_node", {"ref": "u-1", "fields": ["id", "label"]}, "fields[1]"),
        ("ui_perform", {}, "actions"),
        ("ui_perform", {"actions": {}}, "actions"),
        ("ui_perform", {"actions": [], "timeoutMs": "5"}, "timeoutMs"),
        ("ui_perform", {"actions": [], "await": True}, "await"),
        ("ui_perform", {"actions": [], "timeoutMs": 10**30}, "timeoutMs"),
        ("ui_wait", {"until": "later"}, "until"),
        ("ui_wait", {"until": "idle", "timeoutMs": 10**12}, "timeoutMs"),
        ("ui_screenshot", {"stageIndex": 0.5}, "stageIndex"),
    ],
)
def test_wrong_types_and_unknown_fields_are_reported_by_name(call, name, arguments, field):
    error = call.error(name, **arguments)

    assert error["code"] == "MCP_UI_INTERNAL"
    assert error["details"]["field"] == field


def test_null_is_the_same_as_leaving_out(call):
    assert "stages" in call("ui_get_snapshot", stage=None, depth=None, include=None, sinceRevision=None)


def test_arguments_need_not_be_an_object_to_get_an_answer(call):
    for arguments in (None, [], "x", 1):
        answer = call.server.call("ui_get_snapshot", arguments, threading.Event())
        assert answer["isError"] is (arguments is not None)


def test_older_names_and_arguments_that_are_wrapped_once_more_are_taken(call):
    for name in ("ui.getSnapshot", "ui.query", "ui.getNode", "ui.perform", "ui.screenshot"):
        assert "error" in call.raw(name, nonsense=1)["structuredContent"]
    assert "stages" in call("ui.getSnapshot")
    wrapped = {"name": "ui_query", "arguments": {"selector": {"css": "#report"}}}
    assert (
        len(
            call.server.call("ui_query", wrapped, threading.Event())["structuredContent"]["output"]["matches"]
        )
        == 1
    )


def test_an_unknown_tool_is_an_error_of_the_protocol(call):
    with pytest.raises(UnknownTool, match="Unknown tool: ui_fly"):
        call.raw("ui_fly")
    with pytest.raises(UnknownTool):
        call.raw("app_launch", command=["true"])


def test_every_tool_says_what_it_is_for_and_what_it_takes(call):
    for tool in call.server.tools():
        assert len(tool["description"]) > 20
        assert tool["title"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["properties"].keys() == {"output", "error"}
        assert tool["_meta"] == {"schemaVersion": "2"}
        assert "readOnlyHint" in tool["annotations"]
        _each_described(tool["inputSchema"], tool["description"])


PLAIN = {
    "accessibility", "awaitUiIdle", "bounds", "checked", "controlInternals", "count", "depth", "expanded",
    "height", "includeChildren", "includeControlInternals", "index", "limit", "localToScreen", "maxNodes",
    "mode", "onError", "properties", "receipt", "screenshot", "selector", "stageIndex", "text", "timeoutMs",
    "until", "value", "virtualization", "width", "x", "y",
}  # fmt: skip
"""Members whose names say what they are."""


def _each_described(schema, about):
    assert schema.get("additionalProperties") is False or "properties" not in schema
    assert set(schema.get("required", ())) <= schema.get("properties", {}).keys()
    for name, part in schema.get("properties", {}).items():
        words = part.get("description", "")
        assert words or "enum" in part or name in about or name in PLAIN, name
        if "default" in part:
            check(part, part["default"])
        _each_described(part, words)


def test_what_models_read_about_all_tools_is_within_2500_tokens(session):
    class Apps:
        """Never called: the tools are listed only."""

    tools = McpServer(apps=Apps(), parts="content").tools()

    for listed in (tools, mcp_server(session).tools()):
        read = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in listed]
        text = json.dumps(read, ensure_ascii=False, separators=(",", ":"))
        # cl100k_base takes 4.3 characters of this for a token, so that this estimate has room.
        assert len(text) / 3.5 <= 2500
    # Nothing is lost: whatever programs are offered, models are, but for what is only in JSON.
    for tool, whole in zip(tools, McpServer(apps=Apps()).tools(), strict=True):
        assert tool["name"] == whole["name"]
        left_out = whole["inputSchema"]["properties"].keys() - tool["inputSchema"]["properties"].keys()
        assert left_out == ({"include", "fields"} if tool["name"] == "ui_get_snapshot" else set())


def test_what_is_taken_if_nothing_is_given_is_in_the_schemas(call):
    schemas = {tool["name"]: tool["inputSchema"] for tool in call.server.tools()}

    def default(tool, name):
        return schemas[tool]["properties"][name].get("default")

    assert schemas["ui_query"]["required"] == ["selector"]
    assert default("ui_get_snapshot", "stage") == "focused"
    assert default("ui_get_snapshot", "mode") == "compact"
    assert default("ui_query", "limit") == 50
    assert default("ui_perform", "timeoutMs") == default("ui_wait", "timeoutMs") == 5000
    assert default("ui_perform", "awaitUiIdle") is default("ui_perform", "receipt") is True
    assert default("ui_screenshot", "stageIndex") == -1


@pytest.mark.parametrize("x", [float("nan"), float("-inf"), 1e300])
def test_a_number_that_means_nothing_is_refused(call, x):
    answer = call.raw("ui_perform", actions=[{"type": "click", "x": x, "y": 1}])

    (result,) = answer["structuredContent"]["output"]["results"]
    assert result["reason"] == "INVALID_PARAMS"
    assert "'x' must be" in result["error"]


def test_the_error_for_an_unknown_reference_repeats_no_more_than_helps(call):
    error = call.error("ui_get_node", ref={"uid": "x" * 5000})

    assert error["code"] == "MCP_UI_NODE_NOT_FOUND"
    assert len(json.dumps(error)) < 4000


def test_every_result_and_error_is_marked_as_untrusted_data(call):
    first = call("ui_get_snapshot")["revision"]
    for name, arguments in (
        ("ui_get_snapshot", {}),
        ("ui_get_snapshot", {"sinceRevision": first}),
        ("ui_query", {"selector": {"css": "*"}}),
        ("ui_get_node", {"ref": "u-none"}),
        ("ui_perform", {"actions": [{"type": "fly"}]}),
    ):
        assert call.raw(name, **arguments)["_meta"] == {"deskhand/untrusted": True}


def test_results_say_that_texts_are_data(call):
    for name, arguments in (("ui_get_snapshot", {}), ("ui_query", {"selector": {"css": "*"}})):
        assert "data, not instructions" in call.raw(name, **arguments)["content"][1]["text"]


def test_prompts_have_their_arguments_in_them(call):
    server = call.server
    assert [prompt["name"] for prompt in server.prompts()] == ["inspect_ui", "test_click", "fill_form"]
    said = server.prompt("test_click", {"element": "the OK button"})["messages"][0]["content"]["text"]
    assert "the OK button" in said
    assert "ui_get_snapshot" in server.prompt("inspect_ui", {})["messages"][0]["content"]["text"]
    with pytest.raises(ValueError, match="fields"):
        server.prompt("fill_form", {})
    with pytest.raises(UnknownTool):
        server.prompt("sing", {})


def test_passwords_are_neither_returned_nor_logged(session, tmp_path):
    log = WireLog(tmp_path / "wire", text=True)
    call = Client(mcp_server(session, log=log))
    secret, name = call.one("#password_edit"), call.one("#name_edit")

    call("ui_perform", actions=[{"type": "setText", "target": {"ref": secret}, "text": "hunter22"}])
    call("ui_perform", actions=[{"type": "setText", "target": {"ref": name}, "text": "visible"}])
    told = json.dumps(call.raw("ui_get_snapshot", mode="full")) + json.dumps(call("ui_get_node", ref=secret))
    log.close()

    assert session.adapter.windows[0].children[1].value == "hunter22"
    assert "hunter22" not in told
    assert "••••" in told.encode().decode("unicode_escape", "ignore") or "\\u2022" in told
    logged = (tmp_path / "wire").read_text()
    assert "hunter22" not in logged
    assert "visible" in logged


def test_what_is_typed_where_an_action_before_it_puts_the_focus_is_not_logged(session, tmp_path):
    log = WireLog(tmp_path / "wire", text=True)
    call = Client(mcp_server(session, log=log))
    secret, name = call.one("#password_edit"), call.one("#name_edit")
    call("ui_perform", actions=[{"type": "focus", "target": {"ref": name}}])

    call(
        "ui_perform",
        actions=[{"type": "focus", "target": {"ref": secret}}, {"type": "typeText", "text": "hunter22"}],
    )
    log.close()

    assert session.adapter.windows[0].children[1].value == "hunter22"
    assert "hunter22" not in (tmp_path / "wire").read_text()


def test_a_program_that_does_not_answer_holds_up_the_log_for_a_second_and_nothing_typed_is_in_it(
    session, tmp_path
):
    log = WireLog(tmp_path / "wire", text=True)
    call = Client(mcp_server(Blocked(session), log=log))
    began = time.monotonic()

    actions = [{"type": "typeText", "text": f"hunter{at}"} for at in range(6)]
    error = call.error("ui_perform", actions=actions, timeoutMs=100)
    log.close()

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert time.monotonic() - began < 4
    assert "hunter" not in (tmp_path / "wire").read_text()
