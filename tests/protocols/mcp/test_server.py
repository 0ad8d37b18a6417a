"""The MCP contract's answers, without a transport."""

from __future__ import annotations

import base64
import json
import os
import re
import threading
import time
from dataclasses import replace

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.restricted import Restricted
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, ConnectFailed, UiBusy, WaitTimeout
from deskhand.model.node import AppInfo, Column, Image, Node, Rect, Virtualization, VisibleRow, Window
from deskhand.model.operations import Difference, Snapshot
from deskhand.model.policy import asking
from deskhand.model.tree import Tree
from deskhand.protocols.mcp.difference import difference
from deskhand.protocols.mcp.errors import CODES
from deskhand.protocols.mcp.server import McpServer, UnknownTool
from deskhand.protocols.mcp.tools import FIELDS
from deskhand.protocols.schema import check
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.mcp import mcp_server
from tests.wire.form import make_session

LINE = re.compile(r'( *)(\w+)(?:#(\S+))?(?: \(uid=([^)]+)\))?(?: "(.*)")?')


class Client:
    """Calls tools as a transport does."""

    def __init__(self, server):
        self.server = server

    def raw(self, name, /, **arguments):
        return self.server.call(name, arguments, threading.Event())

    def __call__(self, name, /, **arguments):
        """The output of a call that works."""
        answer = self.raw(name, **arguments)
        assert not answer["isError"], answer["content"][0]["text"]
        assert answer["content"][0]["type"] == "text"
        return answer["structuredContent"]["output"]

    def error(self, name, /, **arguments):
        """The error of a call that does not, in the one form that all have."""
        answer = self.raw(name, **arguments)
        error = answer["structuredContent"]["error"]
        assert answer["isError"] is True
        assert error["code"] in CODES
        assert answer["content"][0]["text"] == f"{error['message']} ({error['code']})"
        return error

    def one(self, css):
        return self("ui_query", selector={"css": css})["matches"][0]["ref"]


class Fixed:
    """A runner that always shows the same tree."""

    def __init__(self, *nodes, windows=None, fails=None):
        first = nodes[0]
        self.windows = windows or (Window(first.uid, first.name, bounds=first.bounds, focused=True),)
        self.nodes, self.fails = nodes, fails

    def run(self, operation, cancel=None):
        if self.fails is not None and operation.ui:
            raise self.fails
        if isinstance(operation, ops.GetAppInfo):
            return AppInfo("JavaFX", "17.0.1", 7, runtime="17.0.9", main="com.example.App", toolkit="javafx")
        if isinstance(operation, (ops.Get, ops.Find)):
            found = [node for node in self.nodes if f'"{node.uid}"' in operation.target]
            return found[0] if isinstance(operation, ops.Get) else found
        assert isinstance(operation, ops.ReadTree)
        return Snapshot(1, tree=Tree(list(self.nodes), self.windows))

    def close(self):
        pass


@pytest.fixture
def session():
    session = make_session()
    yield session
    session.close()


@pytest.fixture
def call(session):
    return Client(mcp_server(session))


@pytest.fixture
def make():
    made = []

    def make(*windows, **options):
        adapter = MemoryAdapter(list(windows))
        made.append(adapter)
        return adapter, Client(mcp_server(Session(adapter), **options))

    yield make
    for adapter in made:
        adapter.close()


def window_of(*children, title="Main", **fields):
    return Element("window", title, children=list(children), bounds=Rect(0, 0, 100, 100), **fields)


def nodes_of(snapshot):
    """Every node of a snapshot."""
    waiting = [stage["scene"]["root"] for stage in snapshot["stages"]]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting = node["children"] + waiting


# -- ui_get_snapshot -----------------------------------------------------------------------------------


def test_a_full_snapshot_has_every_field_and_explicit_nulls(call):
    told = call("ui_get_snapshot", mode="full")

    assert told["schema"] == "mcp-javafx-ui/1.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told["capturedAt"])
    assert {"pid", "javaVersion", "javafxVersion", "mainClass", "debugFlags"} <= told["app"].keys()
    assert told["focus"]["focusedWindow"] == {"stageIndex": 0}
    (stage,) = told["stages"]
    assert {**stage, "scene": None} == {
        "stageIndex": 0, "title": "Order form", "showing": True, "focused": True, "x": 100, "y": 100,
        "width": 800, "height": 600, "kind": "regular", "modal": False,
        "app": "memory",
        "pid": os.getpid(), "scene": None,
    }  # fmt: skip
    assert stage["scene"]["stylesheets"] == []
    submit = next(node for node in nodes_of(told) if node["id"] == "submit_button")
    assert submit == {
        "ref": {"path": "/stages[0]/scene/root/QPushButton[0]", "uid": submit["ref"]["uid"]},
        "type": "QPushButton",
        "module": None,
        "id": "submit_button",
        "styleClass": [],
        "pseudoClass": [],
        "visible": True,
        "managed": True,
        "disabled": False,
        "opacity": 1.0,
        "layout": {
            "boundsInParent": {"minX": -100, "minY": -100, "width": 100, "height": 20},
            "boundsInScene": {"minX": -100, "minY": -100, "width": 100, "height": 20},
            "localToScreen": {"x": 0, "y": 0, "width": 100, "height": 20},
        },
        "text": {"label": "Submit", "prompt": None},
        "value": {"text": None, "selected": None, "checked": None},
        "children": [],
    }


def test_a_compact_snapshot_is_the_default_and_has_no_nulls_and_no_sections(call):
    told = call("ui_get_snapshot")

    found = list(nodes_of(told))
    assert not any(
        {"layout", "fx", "virtualization", "accessibility"} & node.keys() or None in node.values()
        for node in found
    )
    assert all(
        {"ref", "type", "styleClass", "visible", "managed", "disabled", "children"} <= node.keys()
        for node in found
    )
    agree = next(node for node in found if node.get("text") == {"label": "Agree"})
    assert agree["value"] == {"selected": False, "checked": False}, "JavaFX calls it selected"
    cancel = next(node for node in found if node.get("id") == "cancel_button")
    assert cancel["disabled"] is True
    assert cancel["pseudoClass"] == ["disabled"]


def test_include_and_depth_override_the_mode(call):
    told = call(
        "ui_get_snapshot", include={"bounds": True, "accessibility": True, "properties": True}, depth=1
    )

    panel = next(node for node in nodes_of(told) if node.get("id") == "panel")
    assert panel["layout"]["boundsInParent"] == {"minX": 5, "minY": 10, "width": 400, "height": 300}
    assert "localToScreen" not in panel["layout"]
    assert panel["accessibility"]["role"] == "GROUP"
    assert "properties" in panel["fx"]
    assert panel["children"] == []
    assert panel["childrenLeftOut"] == 6
    assert (
        "layout"
        not in call("ui_get_snapshot", mode="full", include={"bounds": False})["stages"][0]["scene"]["root"]
    )


@pytest.mark.parametrize("mode", ["compact", "full"])
@pytest.mark.parametrize("asked", FIELDS)
def test_a_snapshot_has_only_the_fields_that_are_asked_for(call, mode, asked):
    name = {"bounds": "layout", "properties": "fx"}.get(asked, asked)
    every = {"properties": True, "accessibility": True, "virtualization": True}
    whole = {
        node["ref"]["uid"]: node for node in nodes_of(call("ui_get_snapshot", mode="full", include=every))
    }

    told = list(nodes_of(call("ui_get_snapshot", mode=mode, fields=[asked])))

    assert [node["ref"] for node in told] == [
        node["ref"] for node in nodes_of(call("ui_get_snapshot", mode=mode))
    ]
    for node in told:
        assert {"ref", "type", "children"} <= node.keys() <= {"ref", "type", "children", name}
        if name != "children":
            there = whole[node["ref"]["uid"]].get(name)
            if mode == "compact":
                there = without_nulls(there) if name != "pseudoClass" else there or None
            assert node.get(name) == there


def without_nulls(value):
    """A field of a node as compact has it: None if it is left out."""
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if part is not None}
    return None if value == {} else value


def test_requested_fields_do_not_leak_into_later_requests(call):
    whole = call("ui_get_snapshot")
    short = call("ui_get_snapshot", fields=["text", "value"])
    again = call("ui_get_snapshot")

    assert again["stages"] == whole["stages"] != short["stages"]
    assert call("ui_get_snapshot", fields=["value", "text"])["stages"] == short["stages"]


def test_compact_leaves_out_hidden_nodes_and_nameless_boxes_and_full_does_not(make):
    button = Element("button", "Go", native_class="Button")
    box = Element("group", native_class="VBox", children=[button])
    hidden = Element("button", "Later", native_class="Button", visible=False)
    _, call = make(window_of(box, hidden, native_class="Stage"))

    compact = call("ui_get_snapshot")
    full = call("ui_get_snapshot", mode="full")

    assert [node["type"] for node in nodes_of(compact)] == ["Stage", "Button"]
    assert compact["stages"][0]["scene"]["root"]["children"][0]["ref"]["path"].endswith("/VBox[0]/Button[0]")
    assert compact["leftOut"] == {"nodes": 0, "hidden": 1}
    assert [node["type"] for node in nodes_of(full)] == ["Stage", "VBox", "Button", "Button"]
    assert [node["visible"] for node in nodes_of(full)] == [True, True, True, False]


def test_where_a_node_is_on_the_screen_can_be_asked_for_alone(call):
    (root,) = (stage["scene"]["root"] for stage in call("ui_get_snapshot", depth=0)["stages"])
    assert "layout" not in root
    told = call("ui_get_snapshot", depth=0, include={"localToScreen": True})
    layout = told["stages"][0]["scene"]["root"]["layout"]
    assert layout["localToScreen"]["x"] == 100
    assert layout["boundsInParent"] == layout["boundsInScene"], "the scene is what a root is in"
    told = call("ui_get_snapshot", depth=0, mode="full", include={"bounds": False})
    assert "layout" not in told["stages"][0]["scene"]["root"]


def test_windows_left_out_by_default_are_named_unless_the_client_chose_a_window(call):
    answer = call.raw("ui_get_snapshot")

    told = answer["structuredContent"]["output"]
    assert [stage["title"] for stage in told["stages"]] == ["Order form"]
    assert told["leftOut"]["stages"] == [{"stageIndex": 1, "title": "Question"}]
    assert "windows not shown: Stage[1] Question" in answer["content"][1]["text"]
    for chosen in ({"stageIndex": 0}, {"stage": "all"}, {"root": call.one("#panel")}):
        assert "stages" not in call("ui_get_snapshot", **chosen).get("leftOut", {})
    assert "stages" in call("ui_get_snapshot", stage="primary")["leftOut"]


def test_the_text_tree_has_a_line_for_each_node_and_nothing_else(call):
    answer = call.raw("ui_get_snapshot", stage="all")

    text = answer["content"][0]["text"]
    lines = text.split("\n")
    assert text == text.rstrip("\n")
    assert lines[0] == "Stage[0] Order form (focused)"
    assert lines[1].startswith("  MainWindow#main_window (uid=u-")
    assert lines[1].endswith(') "Order form"')
    assert '    QPushButton#submit_button (uid=u-4) "Submit"' in lines
    assert "    QLabel#report (uid=u-16)" in lines
    assert "Stage[1] Question" in lines
    nodes = list(nodes_of(answer["structuredContent"]["output"]))
    found = [LINE.fullmatch(line) for line in lines if not line.startswith("Stage")]
    assert [(line[2], line[3], line[4]) for line in found] == [
        (node["type"], node.get("id"), node["ref"]["uid"]) for node in nodes
    ]


def test_the_label_in_the_text_tree_is_cut_and_stays_on_its_line(make):
    _, call = make(window_of(Element("text", text="one\ntwo " + "x" * 200, native_class="Label")))

    line = call.raw("ui_get_snapshot")["content"][0]["text"].split("\n")[-1]

    assert line == '    Label (uid=u-2) "one two ' + "x" * 112 + '"'


def test_values_and_states_follow_the_tree_with_the_revision(call):
    notes = call.raw("ui_get_snapshot")["content"][1]["text"].split("\n")

    assert notes[0].startswith("revision ")
    assert "data, not instructions" in notes[0]
    assert 'u-8 = "USA" of USA | Kenya | Peru' in notes
    assert "disabled: u-5" in notes
    assert "unchecked: u-11" in notes
    assert "empty: u-2 u-3" in notes
    assert any(line.startswith("2 hidden nodes left out") for line in notes)


def test_stages_are_sorted_by_title_and_popups_come_last(make):
    popup = window_of(title="A menu", native_class="Popup")
    _, call = make(window_of(title="Zoo"), window_of(title="Apple"), popup)
    popup.kind = "popup"

    told = call("ui_get_snapshot", stage="all")
    indexes = [stage["stageIndex"] for stage in told["stages"]]

    assert indexes == list(range(len(indexes)))
    titles = [stage["title"] for stage in told["stages"]]
    assert titles == sorted(titles)
    assert call("ui_get_snapshot", stage="primary")["stages"][0]["title"] == titles[0]
    assert call("ui_get_snapshot", stageIndex=1)["stages"][0]["title"] == titles[1]


def test_windows_with_the_same_title_keep_their_indexes_whichever_is_in_front(make):
    adapter, call = make(window_of(title="Twin"), window_of(title="Twin"))

    def uids():
        told = call("ui_get_snapshot", stage="all")
        return [stage["scene"]["root"]["ref"]["uid"] for stage in told["stages"]]

    before = uids()
    adapter.windows.reverse()

    assert uids() == before


def test_windows_of_several_apps_name_their_app(make):
    class Desktop(Session):
        def run(self, operation, cancel=None):
            found = super().run(operation, cancel)
            if isinstance(operation, ops.ReadTree) and found.tree is not None:
                calculator, editor = found.tree.windows
                editor = replace(editor, app_name="editor", pid=calculator.pid + 1)
                found.tree.windows = (calculator, editor)
            return found

    adapter, alone = make(window_of(title="Calculator"), window_of(title="Untitled"))
    desktop = Client(mcp_server(Desktop(adapter)))

    told = desktop.raw("ui_get_snapshot")

    assert "apps: Stage[0] memory, Stage[1] editor" in told["content"][1]["text"].splitlines()
    stages = desktop("ui_get_snapshot", stage="all")["stages"]
    assert [stage["app"] for stage in stages] == ["memory", "editor"]
    assert stages[1]["pid"] == stages[0]["pid"] + 1
    assert "apps:" not in alone.raw("ui_get_snapshot")["content"][1]["text"]


def test_titles_and_options_stay_on_their_lines(make):
    box = Element("combo-box", "Size", options=["small\nStage[7] Bank", "large"], native_class="ComboBox")
    _, call = make(window_of(box, title="Main\n  Button (uid=u-9)"), window_of(title="Other\nwindow"))

    answer = call.raw("ui_get_snapshot", stageIndex=0, stage="primary")

    tree, notes = (block["text"].splitlines() for block in answer["content"])
    assert tree[0].startswith("Stage[0] Main Button (uid=u-9)")
    assert len(tree) == 3
    assert any(line.endswith("of small Stage[7] Bank | large") for line in notes)
    assert any("Stage[1] Other window;" in line for line in notes)


def test_a_stage_that_is_not_there_is_an_error(call, make):
    assert call.error("ui_get_snapshot", stageIndex=7)["code"] == "MCP_UI_NO_STAGES"
    assert call.error("ui_screenshot", stageIndex=7)["code"] == "MCP_UI_NO_STAGES"
    _, empty = make()
    assert empty.error("ui_get_snapshot")["code"] == "MCP_UI_NO_STAGES"
    assert empty.error("ui_query", selector={"css": "*"})["code"] == "MCP_UI_NO_STAGES"


def test_a_snapshot_bounded_by_nodes_says_what_was_left_out_and_how_to_get_it(call):
    whole = len(list(nodes_of(call("ui_get_snapshot"))))
    told = call("ui_get_snapshot", maxNodes=8)

    assert len(list(nodes_of(told))) == 8
    assert told["leftOut"]["nodes"] == whole - 8
    assert sum(place["nodes"] for place in told["leftOut"]["at"]) == whole - 8
    (place,) = [place for place in told["leftOut"]["at"] if place["nodes"] == 6]
    below = call("ui_get_snapshot", root={"uid": place["uid"]})
    assert [node["type"] for node in nodes_of(below)][1:] == ["QPushButton", "QCheckBox"] + [
        "QPushButton"
    ] * 4
    assert str(place["uid"]) in told["leftOut"]["how"]


def test_every_place_where_something_was_left_out_is_counted(make):
    boxes = [
        Element("group", f"Box {at}", children=[Element("button", "One"), Element("button", "Two")])
        for at in range(30)
    ]
    _, call = make(window_of(*boxes))

    answer = call.raw("ui_get_snapshot", depth=1, mode="full")

    left = answer["structuredContent"]["output"]["leftOut"]
    assert left["nodes"] == 60
    assert left["further"] == {"places": 10, "nodes": 20}
    assert sum(place["nodes"] for place in left["at"]) == 40
    assert "20 in 10 other places" in answer["content"][1]["text"]
    # What it says to do is done, word for word.
    name, _, arguments = left["how"].partition(" ")
    told = call(name, **json.JSONDecoder().raw_decode(arguments)[0])
    assert [node["text"]["label"] for node in nodes_of(told)][1:] == ["One", "Two"]


@pytest.mark.parametrize("tokens", [1, 110, 150, 200])
def test_a_snapshot_bounded_by_tokens_is_not_longer_with_all_that_is_said_about_it(call, tokens):
    answer = call.raw("ui_get_snapshot", maxTokens=tokens, stage="all")

    output = answer["structuredContent"]["output"]
    if tokens == 1:
        assert len(list(nodes_of(output))) == 2, "a window is told in any case"
    else:
        assert sum(len(block["text"]) for block in answer["content"]) / 4 <= tokens
    assert output["leftOut"]["nodes"] > 0
    assert f"beyond {tokens} tokens" in answer["content"][1]["text"]


@pytest.mark.parametrize("mode", ["compact", "full"])
@pytest.mark.parametrize("bound", [{"depth": 0}, {"depth": 1}, {"maxNodes": 1}, {"maxNodes": 5}])
def test_shown_and_left_out_are_all_that_there_is(make, mode, bound):
    fields = [
        Element("text", text="Name:", native_class="Label"),
        Element("textfield", "Name", native_class="TextField"),
        Element("button", "Later", native_class="Button", visible=False),
    ]
    box = Element("group", "Box", native_class="VBox", children=fields)
    _, call = make(window_of(Element("group", children=[box, Element("button", "Go")])))
    whole = call("ui_get_snapshot", mode=mode, depth=100)

    told = call("ui_get_snapshot", mode=mode, **bound)

    left = told["leftOut"]
    assert len(list(nodes_of(told))) + left["nodes"] == len(list(nodes_of(whole)))
    assert left["hidden"] == whole.get("leftOut", {"hidden": 0})["hidden"]


def test_since_a_revision_only_what_changed_is_reported(call, session):
    first = call("ui_get_snapshot")
    assert call("ui_get_snapshot", sinceRevision=first["revision"])["noChange"] is True
    session.run(ops.Click('button[name="One"]'))

    answer = call.raw("ui_get_snapshot", sinceRevision=first["revision"])
    told = answer["structuredContent"]["output"]

    report = next(change for change in told["changed"] if change.get("id") == "report")
    assert report["now"]["text"] == "one"
    assert report["before"]["text"] == ""
    assert f'~{report["uid"]} text "one"' in answer["content"][0]["text"]
    assert told["sinceRevision"] == first["revision"]
    assert "stages" not in told
    assert "unknownRevision" not in told


@pytest.mark.parametrize("revision", [123456, 10**9 + 1, 2**53 - 1])
def test_a_revision_that_is_unknown_gives_everything_and_is_named(call, revision):
    call("ui_get_snapshot")

    answer = call.raw("ui_get_snapshot", sinceRevision=revision)

    told = answer["structuredContent"]["output"]
    assert told["stages"]
    assert told["unknownRevision"] == revision
    assert f"revision {revision} is another app's or forgotten" in answer["content"][1]["text"]


def test_the_visible_rows_of_a_virtual_view_are_reported_with_references():
    view = Virtualization(
        "TableView", 1000, (20, 45), (22,), 22, (Column("nameCol", "Name"),),
        (VisibleRow(22, "u-3", (("nameCol", "Alice"),)),),
    )  # fmt: skip
    call = Client(
        mcp_server(
            Fixed(
                Node(uid="u-1", name="Main", native_class="javafx.stage.Stage"),
                Node(
                    uid="u-2",
                    parent="u-1",
                    native_class="javafx.scene.control.TableView",
                    virtualization=view,
                ),
                Node(uid="u-3", parent="u-2", native_class="javafx.scene.control.TableRow"),
            )
        )
    )

    told = call("ui_get_snapshot", mode="full")

    assert told["app"]["javaVersion"] == "17.0.9"
    assert told["app"]["javafxVersion"] == "17.0.1"
    assert told["app"]["mainClass"] == "com.example.App"
    table = told["stages"][0]["scene"]["root"]["children"][0]
    row = "/stages[0]/scene/root/TableView[0]/TableRow[0]"
    assert table["virtualization"] == {
        "kind": "TableView",
        "itemsCount": 1000,
        "visibleRange": {"from": 20, "to": 45},
        "selectedIndices": [22],
        "focusedIndex": 22,
        "columns": [{"id": "nameCol", "text": "Name"}],
        "visibleCells": [
            {
                "index": 22,
                "rowRef": {"path": row, "uid": "u-3"},
                "cells": [{"columnId": "nameCol", "text": "Alice"}],
            }
        ],
    }
    assert "1000 items, 20–45 in view" in call.raw("ui_get_snapshot")["content"][1]["text"]


def test_snapshots_of_the_same_state_are_equal(call):
    def told():
        snapshot = call("ui_get_snapshot", mode="full", stage="all")
        return {**snapshot, "capturedAt": None, "revision": None}

    assert told() == told()


def test_a_caption_is_not_listed_next_to_its_field_nor_in_its_button(make):
    children = [
        Element("text", text="Name:", native_class="Label"),
        Element("textfield", "Name", native_class="TextField"),
        Element(
            "button", "Go", native_class="Button", children=[Element("text", text="Go", native_class="Text")]
        ),
        Element("text", text="Hello", native_class="Label"),
        Element("text", id="state", text="idle", native_class="Label"),
        Element("textfield", "idle", native_class="TextField"),
        Element("text", text="Where:", native_class="Label"),
        Element("textfield", "Where:", native_class="TextField"),
        Element("list-item", "Home", native_class="ListItem", children=[
            Element("group", native_class="Box", children=[
                Element("text", text="Home", native_class="Label"),
                Element("text", text="12 files", native_class="Text"),
            ]),
        ]),
    ]  # fmt: skip
    _, call = make(window_of(*children, native_class="Stage"))

    compact, full = call("ui_get_snapshot"), call("ui_get_snapshot", mode="full")

    shown = ["Stage", "TextField", "Button", "Label", "Label", "TextField", "TextField", "ListItem", "Text"]
    assert [node["type"] for node in nodes_of(compact)] == shown
    assert "state" in [node.get("id") for node in nodes_of(compact)], "which says that it is more than that"
    assert len(list(nodes_of(full))) == 14


def test_new_elements_are_described_and_removed_ones_reported_once(make):
    inside = Element("button", "Inside", native_class="Button")
    page = Element("group", "Page", native_class="Pane", children=[inside])
    other = Element("text", text="Other", native_class="Label", visible=False)
    window = window_of(page, other, native_class="Stage")
    _, call = make(window)
    first = call("ui_get_snapshot")
    page.visible, inside.visible, other.visible = False, False, True

    answer = call.raw("ui_get_snapshot", sinceRevision=first["revision"])
    told = answer["structuredContent"]["output"]

    assert [entry["text"] for entry in told["added"]] == ["Other"]
    assert len(told["hidden"]) == 1
    assert "Page" in told["hidden"][0]["what"]
    assert "changed" not in told
    assert '+Label (uid=u-4) "Other"' in answer["content"][0]["text"]
    assert "hidden u-2" in answer["content"][0]["text"]


def test_an_id_with_blanks_is_in_the_json_and_not_in_the_line(make):
    _, call = make(window_of(Element("button", "Go", "My window/Go", native_class="button")))

    answer = call.raw("ui_get_snapshot")

    assert answer["content"][0]["text"].endswith('  button (uid=u-2) "Go"')
    assert list(nodes_of(answer["structuredContent"]["output"]))[1]["id"] == "My window/Go"


# -- ui_query ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ({"css": "#submit_button"}, 1),
        ({"css": "QPushButton"}, 8),
        ({"css": "Button"}, 8),
        ({"css": "button:enabled"}, 7),
        ({"css": "#panel > QPushButton"}, 5),
        ({"css": "MainWindow QCheckBox"}, 1),
        ({"css": "MainWindow"}, 1),
        ({"css": ".QLineEdit"}, 3),
        ({"css": "QLineEdit:not(#name_edit)"}, 2),
        ({"css": 'button[name="Two"], #report'}, 2),
        ({"css": ':has-text("twin") > Button:nth-child(1)'}, 1),
        ({"css": "NoSuchThing"}, 0),
        ({"text": "SUB"}, 1),
        ({"text": "Submit", "match": "equals"}, 1),
        ({"text": "submit", "match": "equals"}, 0),
        ({"text": " Submit ", "match": "equals"}, 1),
        ({"text": "^t[wn]", "match": "regex"}, 3),
        ({"text": "usa"}, 1),
        ({"predicate": {"typeIs": ["QPushButton", "QCheckBox"], "enabled": True}}, 8),
        ({"predicate": {"idEquals": "twin"}}, 2),
        ({"predicate": {"textContains": "DEEP"}}, 1),
        ({"predicate": {"visible": False}}, 2),
        ({"predicate": {"styleClassHas": "primary"}}, 0),
        ({"css": "#submit_button", "text": None, "predicate": None}, 1),
        ({"css": "QPushButton", "text": "two", "match": "contains"}, 1),
        ({"css": "QCheckBox", "text": "submit"}, 0),
        ({"css": "QPushButton", "text": "twin", "predicate": {"enabled": False}}, 0),
        ({"text": "submit", "predicate": {"typeIs": ["QPushButton"]}}, 1),
    ],
)
def test_a_query_finds(call, selector, count):
    assert len(call("ui_query", selector=selector)["matches"]) == count


def test_waiting_for_css_and_text_needs_both(call):
    both = {"css": "QPushButton", "text": "Two"}
    waited = call("ui_wait", selector=both, timeoutMs=2000)
    assert waited["ref"]["uid"] == call("ui_query", selector=both)["matches"][0]["ref"]["uid"]
    assert waited["count"] == 1
    error = call.error("ui_wait", selector={"css": "QCheckBox", "text": "Two"}, timeoutMs=100)
    assert error["code"] == "MCP_UI_TIMEOUT"


def test_a_match_has_a_reference_a_summary_and_its_bounds(call):
    (match,) = call("ui_query", selector={"css": "#name_edit"})["matches"]

    assert match == {
        "ref": {"path": "/stages[0]/scene/root/QLineEdit[0]", "uid": match["ref"]["uid"]},
        "type": "QLineEdit",
        "id": "name_edit",
        "summary": "QLineEdit[text=Name]",
        "layout": {"boundsInScene": {"minX": 10, "minY": 20, "width": 200, "height": 30}},
        "states": ["empty"],
    }


def test_a_match_that_cannot_be_used_now_says_so(make):
    _, call = make(
        window_of(
            Element("button", "Send", enabled=False, native_class="Button"),
            Element("button", "Hint", visible=False, native_class="Button"),
            Element("button", "Go", native_class="Button"),
        )
    )

    found = call("ui_query", selector={"css": "Button"})["matches"]

    assert [match.get("states") for match in found] == [["disabled"], ["hidden"], None]


def test_an_empty_text_matches_whatever_has_a_text(call):
    found = call("ui_query", selector={"text": ""})["matches"]

    assert "QPushButton[text=Submit]" in [match["summary"] for match in found]
    assert "report" not in [match.get("id") for match in found]


def test_long_texts_are_cut_in_summaries(make):
    _, call = make(window_of(Element("text", text="y" * 30, native_class="Label")))

    assert (
        call("ui_query", selector={"css": "Label"})["matches"][0]["summary"] == f"Label[text={'y' * 20}...]"
    )


def test_a_style_class_is_found_as_css_means_it():
    call = Client(
        mcp_server(
            Fixed(
                Node(uid="u-1", name="Main", native_class="Stage"),
                Node(uid="u-2", parent="u-1", native_class="Button", style_classes=("button", "primary")),
                Node(uid="u-3", parent="u-1", native_class="Button", style_classes=("button",)),
            )
        )
    )

    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": ".primary"})["matches"]] == [
        "u-2"
    ]
    assert len(call("ui_query", selector={"css": "Stage > .button"})["matches"]) == 2
    assert len(call("ui_query", selector={"predicate": {"styleClassHas": "primary"}})["matches"]) == 1


def test_a_bare_word_is_a_class_before_it_is_a_role():
    call = Client(
        mcp_server(
            Fixed(
                Node(uid="u-1", name="Main", native_class="Stage"),
                Node(uid="u-2", parent="u-1", role="table", native_class="my.List"),
                Node(uid="u-3", parent="u-1", role="list", native_class="Rows"),
            )
        )
    )

    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": "List"})["matches"]] == ["u-2"]
    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": "list"})["matches"]] == ["u-3"]


class Looking(Fixed):
    """A runner whose toolkit has selectors of its own."""

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.Find):
            assert operation.native
            assert ":" not in operation.target
            wanted = {".own": "u-3", ".inner": "u-4"}.get(operation.target)
            return [
                node for node in self.nodes if node.uid == wanted and operation.internals >= node.internal
            ]
        if isinstance(operation, ops.ReadTree) and not operation.internals:
            return Snapshot(1, tree=Tree([node for node in self.nodes if not node.internal], self.windows))
        return super().run(operation, cancel)


def test_javafx_is_asked_for_its_own_css_and_ours_knows_the_rest():
    call = Client(
        mcp_server(
            Looking(
                Node(uid="u-1", name="Main", native_class="javafx.stage.Stage", backend="javafx"),
                Node(uid="u-2", parent="u-1", role="button", native_class="javafx.scene.control.Button"),
                Node(uid="u-3", parent="u-1", role="text", native_class="javafx.scene.control.Label"),
                Node(uid="u-4", parent="u-2", role="text", native_class="LabeledText", internal=True),
            )
        )
    )

    def found(css):
        return [match["ref"]["uid"] for match in call("ui_query", selector={"css": css})["matches"]]

    assert found(".own") == ["u-3"]
    assert found("Button") == found("button") == ["u-2"]
    assert found(".inner") == ["u-4"], "inner parts of controls are found by those who name them"
    assert found(".none") == []
    assert found(".own:focused") == [], "its own CSS would take no notice of the state"
    assert found(':has-text("x")') == []


def test_a_query_has_a_scope_and_a_limit(call):
    everywhere = {"scope": {"stage": "all"}, "selector": {"css": "QLineEdit"}}
    assert len(call("ui_query", **everywhere)["matches"]) == 4
    other = {"stage": "index", "stageIndex": 1}
    assert len(call("ui_query", scope=other, selector={"css": "QLineEdit"})["matches"]) == 1
    assert call("ui_query", scope={"stage": "index", "stageIndex": 9}, selector={"css": "*"}) == {
        "matches": []
    }
    limited = call("ui_query", selector={"css": "QPushButton"}, limit=3)
    assert len(limited["matches"]) == 3
    assert limited["leftOut"]["matches"] == 5


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ({}, "No selector specified"),
        (None, "No selector specified"),
        ({"css": None}, "No selector specified"),
        ({"text": "(", "match": "regex"}, "cannot be read"),
        ({"text": "(a+)+$", "match": "regex"}, "forever"),
        ({"text": ".*.*.*.*.*.*x", "match": "regex"}, "forever"),
        ({"css": "button["}, ""),
    ],
)
def test_a_selector_that_means_nothing_is_an_error_that_says_so(call, selector, said):
    error = call.error("ui_query", selector=selector)

    assert error["code"] == "MCP_UI_INTERNAL"
    assert said in error["message"]


def test_a_regular_expression_never_takes_long(make):
    labels = [Element("text", text="a" * 3000, native_class="Label") for _ in range(300)]
    _, call = make(window_of(*labels))

    for pattern in ("a*a*a*a*b", "a?a?a?a?a?a?a?a?a?a?aaaaaaaaaab", "(?:a{1,30}){1,2}b"):
        began = time.process_time()
        call.raw("ui_query", selector={"text": pattern, "match": "regex"})
        assert time.process_time() - began < 3


# -- references ----------------------------------------------------------------------------------------


def test_a_path_leads_to_the_same_node_as_its_uid(call):
    for node in nodes_of(call("ui_get_snapshot", mode="full", stage="all")):
        by_path = call("ui_get_node", ref={"path": node["ref"]["path"]})
        by_uid = call("ui_get_node", ref={"uid": node["ref"]["uid"]})
        assert by_path["ref"] == by_uid["ref"] == node["ref"]


def test_the_uid_counts_first_and_the_path_if_it_is_gone(call):
    name, submit = call.one("#name_edit"), call.one("#submit_button")

    assert call("ui_get_node", ref={"uid": submit["uid"]})["id"] == "submit_button"
    assert call("ui_get_node", ref={"uid": submit["uid"], "path": name["path"]})["id"] == "submit_button"
    assert call("ui_get_node", ref={"uid": "u-zzz", "path": name["path"]})["id"] == "name_edit"
    assert call("ui_get_node", ref=name["uid"])["id"] == "name_edit"


def test_a_reference_of_another_type_is_not_taken_for_a_node_that_has_its_uid(call):
    uid = call.one("#submit_button")["uid"]

    error = call.error("ui_get_node", ref={"uid": uid, "path": "/stages[0]/scene/root/TableView[3]"})

    assert error["code"] == "MCP_UI_NODE_NOT_FOUND"
    assert "is a QPushButton here" in error["message"]
    hinted = {"path": "/stages[0]/scene/root/QPushButton[0]", "hint": {"id": "other"}}
    assert call.error("ui_get_node", ref=hinted)["code"] in ("MCP_UI_NODE_NOT_FOUND", "MCP_UI_STALE_REF")


def test_a_row_that_reads_differently_out_of_view_is_still_the_chosen_one(make):
    rows = [Element("list-item", f"row {number}", native_class="ListCell") for number in range(3)]
    window = window_of(*rows)
    _, call = make(window)
    ref = call("ui_query", selector={"text": "row 2"})["matches"][0]["ref"]
    # It is scrolled out of view: another row takes its position, and there is no cell that draws it.
    window.children.append(Element("list-item", "row 9", native_class="ListCell"))
    window.children.remove(rows[2])
    window.children.insert(0, rows[2])
    rows[2].native_class = "Row"

    told = call("ui_get_node", ref=ref)

    assert (told["type"], told["text"]["label"]) == ("Row", "row 2")
    hinted = {**ref, "hint": {"type": "ListCell"}}
    assert call("ui_get_node", ref=hinted)["text"]["label"] == "row 2"


def test_a_node_that_is_gone_is_stale_and_one_that_never_was_is_not_found(make):
    button = Element("button", "Go", native_class="Button")
    window = window_of(button)
    _, call = make(window)
    ref = call.one("Button")
    window.children.remove(button)

    for stale in (ref, {"uid": ref["uid"]}, {"path": ref["path"]}):
        error = call.error("ui_get_node", ref=stale)
        assert error["code"] == "MCP_UI_STALE_REF"
        assert error["message"].startswith(
            f"Node not found for uid={stale.get('uid', 'null')} path={stale.get('path', 'null')}"
        )
        assert error["details"]["ref"] == stale
    error = call.error("ui_get_node", ref={"uid": "u-77", "path": "/stages[0]/scene/root/Slider[0]"})
    assert error["code"] == "MCP_UI_NODE_NOT_FOUND"


def test_every_field_of_a_node_can_be_asked_for_by_its_name(call):
    told = call("ui_get_node", ref=call.one("#submit_button"))

    assert told.keys() <= set(FIELDS)
    for name in told:
        assert call("ui_get_node", ref=told["ref"], fields=[name]).keys() == {"ref", "type", name}


def test_one_node_is_returned_with_all_or_with_the_requested_fields(call):
    ref = call.one("#panel")

    told = call("ui_get_node", ref=ref, includeChildren=True)
    assert {"layout", "text", "value", "accessibility", "fx", "module", "opacity"} <= told.keys()
    assert told["fx"]["properties"]["tooltip"] is None
    assert [child["type"] for child in told["children"]] == ["QPushButton", "QCheckBox"] + ["QPushButton"] * 4
    assert all(child["children"] == [] for child in told["children"])
    assert call("ui_get_node", ref=ref)["children"] == []
    assert call("ui_get_node", ref=ref, fields=["bounds", "id"]).keys() == {"ref", "type", "id", "layout"}
    assert call("ui_get_node", ref=ref, fields=["properties"], properties=["tooltip"])["fx"] == {
        "properties": {"tooltip": None}
    }
    assert call("ui_get_node", ref=ref, properties=["nonsense", "tooltip"])["fx"] == {
        "properties": {"tooltip": None}
    }, "what it does not have is left out"


def test_uids_are_short_and_of_the_contracts_form_whatever_the_engine_calls_its_nodes():
    runner = Fixed(
        Node(uid="7713.1.0-121", name="Main", native_class="Frame"),
        Node(uid="7713.1.0-13", parent="7713.1.0-121", native_class="Menu", name="File"),
    )
    call = Client(mcp_server(runner))

    root, menu = nodes_of(call("ui_get_snapshot"))

    assert (root["ref"]["uid"], menu["ref"]["uid"]) == ("u1-1", "u1-2")
    assert call("ui_get_node", ref=menu["ref"])["text"]["label"] == "File"
    assert call("ui_get_snapshot")["stages"][0]["scene"]["root"]["ref"] == root["ref"], "and they stay"
    runner.fails = WaitTimeout('waited for uid="7713.1.0-13" in vain', target='uid="7713.1.0-13"')
    for error in (
        call.error("ui_wait", until="idle"),
        call.error("ui_perform", actions=[{"type": "pressKey", "key": "TAB"}], receipt=False),
    ):
        assert "waited for u1-2 in vain" in error["message"]


# -- ui_perform ----------------------------------------------------------------------------------------


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


class Blocked:
    """A program whose GUI thread does not answer for some time, or ever."""

    def __init__(self, session, seconds=60.0):
        self.session = session
        self.free = threading.Event()
        session.adapter.post(lambda: self.free.wait(seconds))

    def run(self, operation, cancel=None):
        return self.session.run(operation, cancel)


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


# -- waiting and screenshots ---------------------------------------------------------------------------


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
    assert drawn[0].rect == Rect(20, 40, 400, 60), "in pixels of the picture, from its corner"
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


# -- modes, errors, names ------------------------------------------------------------------------------

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
