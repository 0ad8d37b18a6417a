"""What a person is shown of an operation and of how it ended: a line, its parameters, its result. Bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..model import operations as ops
from ..model.codec import encode
from ..model.errors import DeskhandError
from ..model.node import Image, Node
from ..model.operations import Operation
from ..model.selector import parse
from ..model.tree import Tree

TYPED: Mapping[type[Operation[Any]], str] = {ops.TypeText: "text", ops.SetValue: "value", ops.Key: "keys"}
"""The fields that may hold a password."""
_LISTED = 20
"""How many nodes of a result are shown."""
_LONGEST = 4000
"""How many characters of a text are shown."""


def title(operation: Operation[Any], name: str, params: Mapping[str, Any], method: str | None) -> str:
    """An operation in one line."""
    verb = name if method is None else method.rpartition(".")[2]
    words = [verb.replace("_", " ")]
    if (target := params.get("target")) is not None:
        words.append(short(str(target), 80))
    if isinstance(operation, ops.Wait) and verb == name:
        words.append(("not " if operation.negate else "") + operation.state)
    for field in ("text", "value", "keys", "index", "count", "view", "do"):
        value = params.get(field)
        if value is not None and not (field == "count" and not isinstance(operation, ops.Wait)):
            words.append(f'"{short(value, 60)}"' if isinstance(value, str) else str(value))
    return " ".join(words)


def parameters(operation: Operation[Any], params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of an operation, without what is of no use to a person. Changes the dict."""
    params.pop("sure", None)
    if isinstance(operation, ops.Execute):
        # Its arguments may be secrets: as in the audit log, only the program is recorded.
        params["command"] = " ".join([*operation.command.split(maxsplit=1)[:1], "…"])
    if isinstance(operation, ops.Upload):
        params["content"] = f"{len(operation.content)} bytes"
    return {name: bounded(value) for name, value in params.items()}


def outcome(result: Any, operation: Operation[Any]) -> Any:
    """What an operation returned."""
    if isinstance(result, Image):
        return {"width": result.width, "height": result.height}
    if isinstance(result, bytes):
        return {"bytes": len(result)}
    if isinstance(result, ops.Snapshot):
        size = None if result.tree is None else len(result.tree)
        return {"revision": result.revision, **({} if size is None else {"nodes": size})}
    if isinstance(result, ops.Done):
        return bounded(encode(replace(result, receipt=None, point=None, waits=())))
    if isinstance(operation, ops.GetClipboard):
        return {"characters": len(str(result))}
    if isinstance(result, tuple):
        return {"count": len(result), "first": [_label(part) for part in result[:_LISTED]]}
    if isinstance(result, Node):
        return {"uid": result.uid, "label": str(result)}
    if isinstance(result, ops.Waited):
        return {
            "elapsed": round(result.elapsed, 4),
            **({} if result.count is None else {"count": result.count}),
            **({} if result.node is None else {"uid": result.node.uid, "label": str(result.node)}),
        }
    return bounded(encode(result))


def receipt(result: Any) -> Any:
    """What an action changed, if a receipt was requested."""
    given = getattr(result, "receipt", None)
    if given is None:
        return None
    return bounded(
        {
            "changed": [change.what for change in given.changed[:_LISTED]],
            "added": [str(node) for node in given.added[:_LISTED]],
            "removed": [change.what for change in given.removed[:_LISTED]],
            "windows_opened": [window.title for window in given.windows_opened],
            "windows_closed": list(given.windows_closed),
            **({} if given.exit is None else {"exit": str(given.exit)}),
        }
    )


def failure(error: BaseException | None) -> dict[str, Any] | None:
    """Why an operation failed."""
    if error is None:
        return None
    if isinstance(error, DeskhandError):
        told: dict[str, Any] = bounded(encode(error.to_json()))
        return told
    return {"kind": type(error).__name__, "message": short(str(error), _LONGEST)}


def matches(tree: Tree, target: str) -> list[Node] | None:
    """What a selector finds; None if it is not a selector."""
    try:
        return list(parse(target).find(tree))
    except DeskhandError:
        return None


def is_secret(tree: Tree | None, operation: Operation[Any], uid: str | None = None) -> bool | None:
    """Whether what is typed goes into a password field; None if that is not known.

    `uid` is the node that it went into, once that is known.
    """
    if tree is None:
        return None
    target = getattr(operation, "target", None)
    if uid is not None or target is None:
        node = tree.get(uid or tree.focused)
        return None if node is None else node.password
    found = matches(tree, target)
    return any(node.password for node in found) if found else None


def bounded(value: Any) -> Any:
    """Plain data with its texts and lists cut."""
    if isinstance(value, str):
        return short(value, _LONGEST)
    if isinstance(value, dict):
        return {name: bounded(part) for name, part in list(value.items())[:100]}
    if isinstance(value, (list, tuple)):
        return [bounded(part) for part in value[:100]]
    return value


def short(text: str, limit: int) -> str:
    """A text, or how it begins and how long it is."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _label(part: Any) -> Any:
    return {"uid": part.uid, "label": str(part)} if isinstance(part, Node) else bounded(encode(part))
