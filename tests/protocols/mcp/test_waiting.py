"""ui_wait and ui_screenshot."""

from __future__ import annotations

import base64
import json
import threading
import time

import pytest

from deskhand.adapters.memory import Element
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.node import Image, Rect
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Client, window_of


def test_waiting_ends_when_the_condition_holds(call, session):
    threading.Timer(0.1, lambda: session.run(ops.Click("#submit_button"))).start()

    told = call("ui_wait", selector={"css": "#report"}, until="text", value="submitted", timeoutMs=3000)

    assert told["ok"] is True
    assert told["elapsedMs"] < 3000
    assert call("ui_wait", until="idle")["ok"] is True
    assert call("ui_wait", selector={"predicate": {"idEquals": "twin"}}, until="count", count=2)["count"] == 2


def test_a_wait_that_times_out_says_what_was_seen(call):
    began = time.monotonic()
    error = call.error("ui_wait", ref=call.one("#cancel_button"), until="enabled", timeoutMs=200)

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert time.monotonic() - began < 2
    assert "enabled=False" in error["message"]
    assert call.error("ui_wait")["code"] == "MCP_UI_INTERNAL"


def test_one_of_several_nodes_that_match_is_enough_to_end_a_wait(call):
    assert call("ui_wait", selector={"text": "twin"}, timeoutMs=300)["count"] == 2
    assert call("ui_wait", selector={"css": "QPushButton"}, until="disabled", timeoutMs=300)["ref"] == {
        "uid": call.one("#cancel_button")["uid"]
    }
    assert call("ui_wait", selector={"css": "QPushButton"}, until="name", value="Two", timeoutMs=300)["ref"]
    error = call.error("ui_wait", selector={"text": "twin"}, until="disabled", timeoutMs=100)
    assert error["code"] == "MCP_UI_TIMEOUT"
    assert "enabled=True" in error["message"]


class Seeing:
    """A runner that has a screenshot of everything."""

    def __init__(self, session, image):
        self.session, self.image = session, image

    def run(self, operation, cancel=None):
        return self.image if isinstance(operation, ops.Screenshot) else self.session.run(operation, cancel)


def test_a_screenshot_can_have_numbers_on_interactive_elements(session):
    drawn = []

    def draw(png, marks):
        drawn.extend(marks)
        return b"drawn " + png

    png = b"\x89PNG"
    seen = Seeing(session, Image(png, 1600, 1200))
    call = Client(mcp_server(seen, draw=draw))
    plain = call("ui_screenshot", stageIndex=0)
    answer = call.raw("ui_screenshot", marks=True)
    told = answer["structuredContent"]["output"]

    assert plain["contentType"] == "image/png"
    assert base64.b64decode(plain["dataBase64"]) == png
    assert base64.b64decode(told["dataBase64"]) == b"drawn " + png
    assert drawn[0].rect == Rect(20, 40, 400, 60), "in pixels of the screenshot, from its corner"
    assert [mark["mark"] for mark in told["marks"]] == [mark.number for mark in drawn]
    assert "QLineEdit[text=Name]" in [mark["summary"] for mark in told["marks"]]
    assert "dataBase64" not in answer["content"][0]["text"]


@pytest.mark.parametrize("parts", ["structured", "content", "both"])
def test_a_screenshot_is_in_one_part_of_a_result_only(session, parts, tmp_path):
    log = WireLog(tmp_path / "wire")
    server = mcp_server(Seeing(session, Image(b"\x89PNG", 1600, 1200)), parts=parts, log=log)

    answer = Client(server).raw("ui_screenshot")
    log.close()

    data = base64.b64encode(b"\x89PNG").decode()
    image = {"type": "image", "data": data, "mimeType": "image/png"}
    assert (image in answer["content"]) is (parts != "structured")
    assert ("structuredContent" in answer) is (parts != "content")
    assert json.dumps(answer).count(data) == 1
    if parts == "structured":
        assert answer["structuredContent"]["output"]["dataBase64"] == data
    assert data not in (tmp_path / "wire").read_text()


def test_results_for_models_are_content_only_and_say_as_much(call, session):
    model = Client(mcp_server(session, parts="content"))

    for name, arguments in (
        ("ui_get_snapshot", {}),
        ("ui_query", {"selector": {"css": "*"}}),
        ("ui_get_node", {"ref": "u-none"}),
        ("ui_perform", {"actions": [{"type": "fly"}]}),
    ):
        answer, structured = model.raw(name, **arguments), call.raw(name, **arguments)
        assert answer.keys() == {"content", "isError", "_meta"}
        assert answer["isError"] is structured["isError"]
        assert len(answer["content"]) == len(structured["content"])
        assert structured["structuredContent"]
    assert not any("outputSchema" in tool for tool in model.server.tools())
    assert all("outputSchema" in tool for tool in call.server.tools())
    assert all("outputSchema" in tool for tool in mcp_server(session, parts="both").tools())


def test_menus_and_column_headers_have_numbers_on_a_screenshot_and_popups_have_none(make):
    inside = Rect(1, 1, 5, 5)
    adapter, _ = make(
        window_of(
            Element("menu", "File", bounds=inside, native_class="Menu"),
            Element("column-header", "Price", bounds=inside, native_class="TableColumn"),
            Element("menu", bounds=inside, native_class="ContextMenu"),
        )
    )
    call = Client(mcp_server(Seeing(Session(adapter), Image(b"", 100, 100))))

    told = call("ui_screenshot", marks=True)["marks"]

    assert [mark["summary"] for mark in told] == ["Menu[text=File]", "TableColumn[text=Price]"]


def test_elements_without_a_number_on_a_screenshot_are_counted(make):
    buttons = [Element("button", str(at), bounds=Rect(1, 1, 5, 5)) for at in range(205)]
    adapter, _ = make(window_of(*buttons))
    call = Client(mcp_server(Seeing(Session(adapter), Image(b"", 100, 100))))

    told = call("ui_screenshot", marks=True)

    assert len(told["marks"]) == 200
    assert told["leftOut"]["marks"] == 5
