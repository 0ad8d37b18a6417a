"""Orca's error codes, and the errors of the core that they stand for."""

from __future__ import annotations

from ...model import errors
from ...model.errors import DeskhandError

PARSE, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NOT_FOUND, NOT_ACTIONABLE, WAIT_TIMEOUT, UI_BUSY, SCREENSHOT_FAILED, DISABLED, LOAD_FAILED = range(1001, 1008)

_CODES: dict[type[DeskhandError], int] = {
    errors.ParseError: PARSE,
    errors.InvalidRequest: INVALID_REQUEST,
    errors.UnknownMethod: METHOD_NOT_FOUND,
    errors.InvalidParams: INVALID_PARAMS,
    errors.NotFound: NOT_FOUND,
    errors.Ambiguous: NOT_FOUND,
    errors.NotReady: NOT_ACTIONABLE,
    errors.ActionUnsupported: NOT_ACTIONABLE,
    errors.WaitTimeout: WAIT_TIMEOUT,
    errors.UiBusy: UI_BUSY,
    errors.NotConnected: UI_BUSY,
    errors.ConnectFailed: UI_BUSY,
    errors.AccessibilityUnavailable: UI_BUSY,
    errors.Cancelled: UI_BUSY,
    errors.ScreenshotFailed: SCREENSHOT_FAILED,
    errors.Disabled: DISABLED,
    errors.ActionsOff: DISABLED,
    errors.Refused: NOT_ACTIONABLE,
    errors.LoadFailed: LOAD_FAILED,
    DeskhandError: INTERNAL,
}
"""The most special class that an error belongs to decides."""


def code_of(error: DeskhandError) -> int:
    """The code that stands for an error."""
    return next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)


def message_of(error: DeskhandError) -> str:
    """All that an error says to people, on one line: there is no other place for it."""
    return "; ".join((error.message, *error.hints))
