"""The shapes that GIP's document gives to replies, checked strictly: no key too few, none too many."""

from __future__ import annotations

from typing import Any

CODES = {-32700, -32600, -32601, -32602, -32603, 1, 2, 3, 4, 5, 6, 7}
NODE = {
    "ref": str, "type": str, "objectName": (str, type(None)), "visible": bool, "enabled": bool,
    "geometry": dict, "properties": dict, "children": list,
}  # fmt: skip
COMMON = {
    "text": str, "checked": bool, "value": (str, int, float), "placeholder": str, "selected": bool,
    "focused": bool, "title": str, "currentText": str,
}  # fmt: skip


def check_reply(reply: Any, method: str | None, *, legacy: bool = False) -> None:
    """Whether it is the reply that the document describes for a request of that method."""
    assert isinstance(reply, dict)
    assert isinstance(reply["id"], (int, float, str)) or ("error" in reply and reply["id"] is None)
    if legacy:
        assert reply.keys() == {"id", "result"}
        if reply["result"].get("success") is False:
            assert isinstance(reply["result"]["error"], str)
            return
    else:
        assert reply["jsonrpc"] == "2.0"
        assert reply.keys() in ({"jsonrpc", "result", "id"}, {"jsonrpc", "error", "id"})
    if "error" in reply:
        check_error(reply["error"])
    elif method in RESULTS:
        RESULTS[method](reply["result"])


def check_error(error: Any) -> None:
    assert error.keys() == {"code", "message", "data"}
    assert error["code"] in CODES
    assert isinstance(error["message"], str)
    assert error["message"]
    data = error["data"]
    assert isinstance(data, dict)
    if "suggestions" in data:
        assert all(isinstance(suggestion, str) for suggestion in data["suggestions"])
    if "ref" in data:
        assert isinstance(data["ref"], str)
        assert isinstance(data["reason"], str)
        if error["code"] == 1:
            assert all(ref.split("/")[0] == "root" for ref in data["similar"])


def check_node(node: Any, above: str | None = None) -> None:
    assert node.keys() == NODE.keys()
    for key, kind in NODE.items():
        assert isinstance(node[key], kind), (key, node[key])
    if above is None:
        assert node["ref"] == "root"
    else:
        assert node["ref"].startswith(f"{above}/")
        assert "/" not in node["ref"][len(above) + 1 :]
    assert node["geometry"].keys() == {"x", "y", "width", "height"}
    assert all(type(number) in (int, float) for number in node["geometry"].values())
    for name, kind in COMMON.items():
        if name in node["properties"]:
            assert isinstance(node["properties"][name], kind), (name, node["properties"][name])
    for child in node["children"]:
        check_node(child, node["ref"])


def check_success(result: Any) -> None:
    assert result == {"success": True}


def check_connect(result: Any) -> None:
    assert result.keys() == {"success", "app_info"}
    assert result["success"] is True
    info = result["app_info"]
    assert all(isinstance(info[name], str) for name in ("framework", "version", "transport"))
    assert isinstance(info["pid"], int)


def check_select(result: Any) -> None:
    assert result.keys() == {"success", "selected"}
    assert result["success"] is True
    assert result["selected"].keys() == {"value", "index", "text"}


def check_ping(result: Any) -> None:
    assert result.keys() == {"status", "timestamp", "uptime"}
    assert result["status"] == "ok"
    assert isinstance(result["timestamp"], int)
    assert result["uptime"] >= 0


RESULTS = {
    "connect": check_connect,
    "disconnect": check_success,
    "snapshot": check_node,
    "click": check_success,
    "type": check_success,
    "select": check_select,
    "qt_select_tab": check_select,
    "ping": check_ping,
}
