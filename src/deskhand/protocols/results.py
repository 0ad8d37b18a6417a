"""What operations return, as JSON text, for the protocols that carry operations as they are."""

from __future__ import annotations

from typing import Any

from ..model import codec
from ..model.node import Rect
from ..model.operations import Snapshot
from .jsontext import dumps


def encode_result(result: Any) -> bytes:
    """The result of an operation as JSON; a tree is encoded by a quicker way than the others."""
    if not isinstance(result, Snapshot) or result.tree is None:
        return dumps(codec.encode(result))
    tree = result.tree
    data: dict[str, Any] = {
        "revision": tree.revision,
        "captured_at": tree.captured_at,
        "windows": tree.windows,
        "nodes": [node.fields for node in tree.nodes],
    }
    if tree.focused:
        data["focused"] = tree.focused
    if tree.cut:
        data["cut"] = tree.cut
    answer: dict[str, Any] = {"revision": result.revision, "tree": data}
    if result.difference is not None:
        answer["difference"] = result.difference
    if result.selectors:
        answer["selectors"] = result.selectors
    return dumps(answer, _encode_part)


def _encode_part(value: Any) -> Any:
    # There is one in every node.
    return tuple(value) if type(value) is Rect else codec.encode(value)
