"""ui_get_snapshot: what a snapshot contains, in which form, and what it leaves out."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace

import pytest

from deskhand.adapters.memory import Element
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.node import Column, Node, Virtualization, VisibleRow
from deskhand.protocols.mcp.tools import FIELDS
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import LINE, Client, Fixed, nodes_of, window_of


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
        assert len(list(nodes_of(output))) == 2, "a window is always included"
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
