"""Valid messages of each protocol, from which inputs are made: from recorded conversations and schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from deskhand.model.operations import OPERATIONS
from deskhand.protocols.mcp.tools import PROMPTS, UI_TOOLS

_WIRE = Path(__file__).parents[1] / "wire"
_VALUES: dict[str, Any] = {
    "target": "#name_edit", "to": "#panel", "text": "abc", "value": "Kenya", "keys": "Ctrl+A", "key": "Tab",
    "timeout": 0.01, "poll": 0.01, "state": "visible", "since": 1, "depth": 3, "limit": 10, "index": 1,
    "x": 5, "y": 6, "to_x": 50, "to_y": 60, "button": "left", "modifiers": ["ctrl"], "count": 1, "steps": 2,
    "do": "focus", "width": 300, "height": 200, "checked": True, "expanded": True, "dx": 0, "dy": -10,
    "row": 1,
    "column": 1,
}  # fmt: skip
"""What fields of operations are given, by their names."""


def gip() -> list[Any]:
    """The recorded requests, and one for each operation."""
    recorded = [step["send"] for step in _steps(_WIRE) if "send" in step]
    return recorded + [
        {"jsonrpc": "2.0", "id": 1, "method": f"deskhand_{name}", "params": _params(kind)}
        for name, kind in OPERATIONS.items()
    ]


def orca() -> list[Any]:
    """The recorded requests."""
    return [
        {"jsonrpc": "2.0", "id": 1, "method": step["ask"], "params": step.get("params", {})}
        for step in _steps(_WIRE / "orca")
        if "ask" in step
    ]


def agent() -> list[tuple[str, Any]]:
    """Paths and bodies of the recorded requests; none ends the server, or waits for a window."""
    found = []
    for step in _steps(_WIRE / "agent"):
        method, path = step.get("ask", "GET /").split(" ", 1)
        body = step.get("body", {})
        if method == "POST" and path != "/shutdown" and not (path == "/wait" and "window" in body):
            found.append((path, body))
    return found


def mcp() -> list[Any]:
    """A call of each tool with all it takes, but for the one that waits, and every other kind of request."""
    asked: list[tuple[str, Any]] = [
        ("tools/call", {"name": name, "arguments": example(tool.schema)})
        for name, tool in UI_TOOLS.items()
        if name != "ui_wait"
    ] * 4
    asked += [("prompts/get", {"name": name, "arguments": {"goal": "x"}}) for name in PROMPTS]
    asked += [("ping", {}), ("tools/list", {}), ("prompts/list", {"cursor": "x"})]
    asked += [("logging/setLevel", {"level": "info"}), ("resources/list", {})]
    asked += [("initialize", INITIALIZE), ("notifications/cancelled", {"requestId": 1, "reason": "x"})]
    return [{"jsonrpc": "2.0", "id": 1, "method": method, "params": params} for method, params in asked]


INITIALIZE: dict[str, Any] = {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"},
}  # fmt: skip


def jvm(uids: list[str]) -> list[Any]:
    """A request of each kind to the agent in a JVM, for some nodes of its program."""
    uid = uids[len(uids) // 2]
    asked: list[dict[str, Any]] = [
        {"ask": "hello"},
        {
            "ask": "read",
            "root": uid,
            "depth": 2,
            "details": True,
            "internals": True,
            "since": 1,
            "cold": False,
        },
        {"ask": "read", "since": 1},
        {"ask": "lookup", "css": ".button", "window": uids[0], "limit": 5},
        {"ask": "state"},
        {"ask": "subscribe"},
        {"ask": "unsubscribe"},
    ]
    performed = {
        "press": {},
        "set_checked": {"checked": True},
        "expand": {"expanded": False},
        "set_value": {"value": "12"},
        "select": {"text": "two", "index": 1, "value": "two", "row": 1, "column": 0, "extend": False},
        "focus": {},
    }
    pointer = [{"ask": "perform", "uid": uid, "action": action, **how} for action, how in _POINTER.items()]
    asked += [
        {"ask": "perform", "uid": node, "action": action, **how}
        for node in uids
        for action, how in performed.items()
    ]
    # Real input takes up to a second each: the display is waited for.
    return [{"id": 1, "timeout": 5.0, **each} for each in asked * 20 + pointer]


# Without `count` and `steps`, which the engine bounds: the agent goes on until its deadline.
_POINTER: dict[str, dict[str, Any]] = {
    "click": {"x": 1.5, "y": 2, "button": "left", "modifiers": ["ctrl"]},
    "hover": {"x": 1, "y": 1},
    "mouse_down": {"x": 1, "y": 1, "button": "left"},
    "mouse_up": {"x": 1, "y": 1, "button": "left"},
    "drag": {"x": 1, "y": 1, "to": "u-2", "to_x": 4, "to_y": 4, "button": "left"},
    "key": {"code": "TAB", "text": "\t", "modifiers": ["shift"]},
    "type_text": {"text": "abc", "clear": True, "submit": False},
    "scroll": {"dx": 1, "dy": -2, "into_view": True, "x": 1, "y": 1},
}


def example(schema: dict[str, Any]) -> Any:
    """Data that a schema describes, with every field that it names."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example(schema["anyOf"][0])
    match schema.get("type"):
        case "object":
            return {name: example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [example(schema["items"])]
        case "string":
            return "#name_edit"
        case "boolean":
            return True
        case _:
            return 1


def _steps(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.jsonl")):
        yield from (json.loads(line) for line in file.read_text().splitlines() if line)


def _params(kind: type[Any]) -> dict[str, Any]:
    """All fields of an operation; those that the table does not know by their defaults, or a text."""
    plain = (str, int, float, bool, type(None))
    return {
        field.name: _VALUES.get(field.name, field.default if isinstance(field.default, plain) else "abc")
        for field in fields(kind)
    }
