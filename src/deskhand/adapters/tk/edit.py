"""Replacing values. On the GUI thread, as actions: what the program does in answer may open a dialog."""

from __future__ import annotations

import tkinter

from ...model.errors import ActionFailed
from ...model.node import Node
from ..performer import no_value, number_within, read_only
from .kinds import text_of
from .roots import Handle

_ENTRIES = ("entry", "tentry", "tcombobox")


def set_value(handle: Handle, node: Node, value: str) -> None:
    """Replace the value of a field, a spin box or a slider."""
    what, kind, call = str(node), handle.known.kind, handle.call
    if kind in ("spinbox", "tspinbox", "scale", "tscale"):
        _set_number(handle, node, value)
        return
    if not node.editable:
        raise read_only(what) if node.value is not None else no_value(what)
    if kind == "text":
        call("delete", "1.0", "end")
        call("insert", "1.0", value)
        return
    if kind not in _ENTRIES:
        raise no_value(what)
    if kind == "tcombobox":
        call("set", value)
    else:
        call("delete", 0, "end")
        call("insert", 0, value)
    if text_of(call("get")) != value:
        raise ActionFailed(f"{what} does not accept {_shown(node, value)}: its program refused it")


def _set_number(handle: Handle, node: Node, value: str) -> None:
    if not node.enabled or not node.editable:
        raise read_only(str(node))
    if node.options:
        if value not in [option.text for option in node.options]:
            raise ActionFailed(f"{node} does not accept {value!r}: it has a list of values")
    else:
        number_within(value, node.minimum, node.maximum, str(node))
    handle.call("set", value)
    if handle.known.kind in ("spinbox", "tspinbox"):
        command = handle.call("cget", "-command")
        if text_of(command):
            # As its arrows do.
            handle.known.root.call("uplevel", "#0", command)


def insert(handle: Handle, node: Node, text: str) -> None:
    """Put a text where the cursor is, as if it were typed."""
    if not handle.known.root.call("::deskhand::insert", handle.path, text):
        raise ActionFailed(
            f"{node} takes keys, but no text that is on no key", suggestions=("type what is on the keyboard",)
        )


def select_all(handle: Handle) -> None:
    handle.known.root.call("event", "generate", handle.path, "<<SelectAll>>")


def to_end(handle: Handle) -> None:
    """Let what is typed next come at the end."""
    kind = handle.known.kind
    try:
        if kind == "text":
            handle.call("tag", "remove", "sel", "1.0", "end")
            handle.call("mark", "set", "insert", "end - 1 chars")
            handle.call("see", "insert")
        elif kind in (*_ENTRIES, "spinbox", "tspinbox"):
            handle.call("selection", "clear")
            handle.call("icursor", "end")
    except tkinter.TclError:
        return  # a program may have its own widget there


def _shown(node: Node, value: str) -> str:
    return "this value" if node.password else repr(value)
