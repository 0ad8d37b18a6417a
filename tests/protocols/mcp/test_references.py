"""References to nodes, and ui_get_node."""

from __future__ import annotations

from deskhand.adapters.memory import Element
from deskhand.model.errors import WaitTimeout
from deskhand.model.node import Node
from deskhand.protocols.mcp.tools import FIELDS
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Client, Fixed, nodes_of, window_of


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
    runner.fails = WaitTimeout('waited 5 s for uid="7713.1.0-13"', target='uid="7713.1.0-13"')
    for error in (
        call.error("ui_wait", until="idle"),
        call.error("ui_perform", actions=[{"type": "pressKey", "key": "TAB"}], receipt=False),
    ):
        assert "waited 5 s for u1-2" in error["message"]
