"""GIP's error codes, and the errors of the core that they stand for, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model import errors
from ...model.errors import ERRORS, DeskhandError

PARSE, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NOT_FOUND, NOT_VISIBLE, NOT_ENABLED, NOT_CONNECTED, TIMEOUT, NOT_FOCUSABLE, NOT_EDITABLE = range(1, 8)

_CODES: dict[type[DeskhandError], int] = {
    errors.ParseError: PARSE,
    errors.InvalidRequest: INVALID_REQUEST,
    errors.UnknownMethod: METHOD_NOT_FOUND,
    errors.InvalidParams: INVALID_PARAMS,
    errors.OptionNotFound: INVALID_PARAMS,
    errors.NotFound: NOT_FOUND,
    errors.Ambiguous: NOT_FOUND,
    errors.NoWindows: INTERNAL,
    errors.NotVisible: NOT_VISIBLE,
    errors.NotEnabled: NOT_ENABLED,
    errors.NotFocusable: NOT_FOCUSABLE,
    errors.NotEditable: NOT_EDITABLE,
    errors.NotStable: TIMEOUT,
    errors.WaitTimeout: TIMEOUT,
    errors.UiBusy: TIMEOUT,
    errors.Disabled: NOT_CONNECTED,
    errors.NotConnected: NOT_CONNECTED,
    DeskhandError: INTERNAL,
}
"""The most special class that an error belongs to decides."""

_SUGGESTIONS = {
    NOT_FOUND: ("take a snapshot and use one of its refs",),
    NOT_VISIBLE: ("check whether the element is hidden, or in a tab or page that is not shown",),
    NOT_ENABLED: ("check what the program wants before it enables the element",),
    TIMEOUT: ("try again; the program may have been busy",),
    NOT_FOCUSABLE: ("type into an element that takes the keyboard focus",),
    NOT_EDITABLE: ("use an element whose text can be changed",),
}

_SUGGESTIONS_FOR: dict[type[DeskhandError], tuple[str, ...]] = {
    errors.OptionNotFound: ("choose one of the options that are listed",),
    errors.ConnectFailed: ("connect to the name of its socket, its window's title or its process id",),
}
"""For errors whose code is that of others too."""

_TITLES = {
    NOT_FOUND: "Widget not found",
    NOT_VISIBLE: "Widget not visible",
    NOT_ENABLED: "Widget not enabled",
    NOT_FOCUSABLE: "Widget not focusable",
    NOT_EDITABLE: "Widget not editable",
}

_ADDED = ("ref", "reason", "similar", "methodCode")
"""What GIP's own methods add to the fields of the error in the data."""


def code_of(error: DeskhandError) -> int:
    """The code that stands for an error."""
    return next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)


def to_gip(error: DeskhandError, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The error object for one of GIP's own methods."""
    code = code_of(error)
    ref = params.get("ref")
    if isinstance(error, errors.ActionUnsupported) and method in ("select", "qt_select_tab"):
        code = NOT_EDITABLE
    data: dict[str, Any] = {"kind": error.kind}
    if isinstance(ref, str):
        data["ref"] = ref
    elif isinstance(params.get("target"), str):
        data["target"] = params["target"]
    data["reason"] = error.message
    if code == NOT_FOUND:
        data["similar"] = [_ref(known) for known in error.near or error.matches]
    usual = _SUGGESTIONS_FOR.get(type(error), _SUGGESTIONS.get(code, ()))
    data["suggestions"] = [*error.suggestions] or [*usual]
    if isinstance(error, errors.ActionUnsupported) and code == NOT_EDITABLE:
        data["suggestions"] = ["select works on combo boxes, lists, tables, trees and tab bars"]
    if method == "type" and code in (NOT_FOCUSABLE, NOT_EDITABLE):
        # The document's section on `type` calls both 4, which its table of all codes gives to something else.
        data["methodCode"] = 4
    if error.last_seen is not None:
        data["last_seen"] = error.last_seen
    data.update({name: value for name, value in error.details.items() if name != "uid"})
    return {"code": code, "message": _message(code, error, ref), "data": data}


def to_core(error: DeskhandError) -> dict[str, Any]:
    """The error object for `deskhand_*` methods: all fields, so that a client can raise the same error."""
    return {"code": code_of(error), "message": error.message, "data": error.to_json()}


def from_gip(code: int, message: str, data: Mapping[str, Any], method: str = "") -> DeskhandError:
    """The error that an error object stands for, of our own server or of another one."""
    if data.get("kind") in ERRORS:
        fields = {name: value for name, value in data.items() if name not in _ADDED}
        return DeskhandError.from_json({"message": message, **fields})
    kind = _KINDS.get(code, errors.ActionFailed)
    if code == NOT_CONNECTED and method == "type":
        kind = errors.NotEditable
    ref = data.get("ref")
    details: dict[str, Any] = {
        name: value
        for name, value in data.items()
        if name in ("reason", "options", "field") and isinstance(value, (str, list))
    }
    return kind(
        message,
        target=ref if isinstance(ref, str) else None,
        near=_strings(data.get("similar")),
        suggestions=_strings(data.get("suggestions")),
        code=code,
        **details,
    )


_KINDS: dict[int, type[DeskhandError]] = {
    PARSE: errors.ParseError,
    INVALID_REQUEST: errors.InvalidRequest,
    METHOD_NOT_FOUND: errors.UnknownMethod,
    INVALID_PARAMS: errors.InvalidParams,
    NOT_FOUND: errors.NotFound,
    NOT_VISIBLE: errors.NotVisible,
    NOT_ENABLED: errors.NotEnabled,
    NOT_CONNECTED: errors.NotConnected,
    TIMEOUT: errors.WaitTimeout,
    NOT_FOCUSABLE: errors.NotFocusable,
    NOT_EDITABLE: errors.NotEditable,
}


def _message(code: int, error: DeskhandError, ref: object) -> str:
    if code in _TITLES and isinstance(ref, str):
        return f"{_TITLES[code]}: {ref}"
    if code == NOT_CONNECTED:
        return f"Not connected to application: {error.message}"
    if code == TIMEOUT:
        return f"Operation timed out: {error.message}"
    if code == INVALID_PARAMS:
        return f"Invalid params: {error.message}"
    return error.message


def _ref(known: str) -> str:
    return known.removeprefix("path=")


def _strings(value: object) -> tuple[str, ...]:
    return tuple(part for part in value if isinstance(part, str)) if isinstance(value, list) else ()
