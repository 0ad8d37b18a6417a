"""The shapes that Orca's document gives to responses, checked strictly: no key too few, none too many."""

from __future__ import annotations

import base64
import re
from typing import Any

CODES = {-32700, -32600, -32601, -32602, -32603, *range(1001, 1008)}
NODE = {
    "backend": str, "id": str, "path": str, "class": str, "label": str, "rect": dict, "enabled": bool,
    "visible": bool,
}  # fmt: skip
STATE = {
    "active_tab": str, "project_loaded": bool, "slicing": bool, "slice_progress": int, "foreground": bool,
}  # fmt: skip
NINE = [
    "tree.dump", "tree.find", "widget.get", "input.click", "input.type", "input.key", "sync.wait_for",
    "app.state", "screenshot.window",
]  # fmt: skip


def check_response(response: Any, method: str | None) -> None:
    """Whether it is the response that the document describes for a request of that method."""
    assert response["jsonrpc"] == "2.0"
    if "error" in response:
        assert response.keys() == {"jsonrpc", "id", "error"}
        assert response["error"].keys() == {"code", "message"}
        assert response["error"]["code"] in CODES
        assert isinstance(response["error"]["message"], str)
        assert response["error"]["message"]
        return
    assert response.keys() == {"jsonrpc", "id", "result"}
    RESULTS[method or ""](response["result"])


def check_node(node: Any, *, children: bool, above: str | None = None) -> None:
    """Below a given node, its path is that one's with a class and an index among all siblings."""
    # In a program of Dear ImGui alone the root is its window, and a node like other roots.
    imgui = node["backend"] == "imgui" and node["path"].startswith("ImGui/")
    optional = {"value", "name_hint"} & node.keys() | ({"children"} if children and not imgui else set())
    assert node.keys() == NODE.keys() | optional
    for key, kind in NODE.items():
        assert isinstance(node[key], kind), (key, node[key])
    assert node["rect"].keys() == {"x", "y", "w", "h"}
    assert all(type(number) is int for number in node["rect"].values())
    assert isinstance(node.get("value", ""), str)
    assert node["id"]
    if imgui:
        assert node["id"] == node["path"]
        assert node["path"].endswith(f"/{node['label']}")
    elif above is not None:
        name = re.escape(node["class"])
        assert re.fullmatch(rf"{re.escape(above)}/{name}\[\d+\]", node["path"])
    for child in node.get("children", []):
        check_node(child, children=True, above=node["path"])


def _tree(result: Any) -> None:
    check_node(result, children=True)


def _flat(result: Any) -> None:
    assert isinstance(result, list)
    for node in result:
        check_node(node, children=False)


def _version(result: Any) -> None:
    assert result.keys() == {"version", "protocol", "capabilities"}
    assert (result["version"], result["protocol"]) == ("1.0.0", "2.0")
    assert result["capabilities"][:9] == NINE


def _ok(result: Any) -> None:
    assert result == {"ok": True}


def _waited(result: Any) -> None:
    assert result.keys() == {"ok", "elapsed_ms"}
    assert result["ok"] is True
    assert type(result["elapsed_ms"]) is int
    assert result["elapsed_ms"] >= 0


def _state(result: Any) -> None:
    assert result.keys() == STATE.keys() | ({"modal_dialog"} & result.keys())
    for key, kind in STATE.items():
        assert type(result[key]) is kind
    assert isinstance(result.get("modal_dialog", ""), str)


def _screenshot(result: Any) -> None:
    assert result.keys() == {"png_base64", "width", "height"}
    png = base64.b64decode(result["png_base64"], validate=True)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)]
    assert size == [result["width"], result["height"]]


def _loaded(result: Any) -> None:
    assert result.keys() == {"ok", "loaded"}
    assert result["ok"] is True
    assert type(result["loaded"]) is int


def _view(result: Any) -> None:
    assert result.keys() == {"ok", "view", "index"}
    assert result["ok"] is True
    assert isinstance(result["view"], str)
    assert type(result["index"]) is int


RESULTS = {
    "automation.version": _version,
    "tree.dump": _tree,
    "tree.find": _flat,
    "widget.get": _tree,
    "input.click": _ok,
    "input.type": _ok,
    "input.key": _ok,
    "sync.wait_for": _waited,
    "app.state": _state,
    "screenshot.window": _screenshot,
    "screenshot.viewport3d": _screenshot,
    "file.open": _loaded,
    "view.select": _view,
}
