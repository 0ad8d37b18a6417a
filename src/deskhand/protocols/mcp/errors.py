"""The MCP contract's seven error codes, and the errors of the core that they stand for."""

from __future__ import annotations

from typing import Any

from ...model import errors
from ...model.errors import DeskhandError

NOT_ENABLED = "MCP_UI_NOT_ENABLED"
NO_STAGES = "MCP_UI_NO_STAGES"
NODE_NOT_FOUND = "MCP_UI_NODE_NOT_FOUND"
STALE_REF = "MCP_UI_STALE_REF"
ACTION_FAILED = "MCP_UI_ACTION_FAILED"
TIMEOUT = "MCP_UI_TIMEOUT"
INTERNAL = "MCP_UI_INTERNAL"

CODES = (NOT_ENABLED, NO_STAGES, NODE_NOT_FOUND, STALE_REF, ACTION_FAILED, TIMEOUT, INTERNAL)

_CODES: dict[type[DeskhandError], str] = {
    errors.Disabled: NOT_ENABLED,
    errors.WindowNotFound: NO_STAGES,
    errors.NotConnected: NO_STAGES,
    errors.ConnectFailed: NO_STAGES,
    errors.AccessibilityUnavailable: NO_STAGES,
    errors.Stale: STALE_REF,
    errors.NotFound: NODE_NOT_FOUND,
    errors.Ambiguous: NODE_NOT_FOUND,
    errors.NotReady: ACTION_FAILED,
    errors.ActionUnsupported: ACTION_FAILED,
    errors.ActionFailed: ACTION_FAILED,
    errors.OptionNotFound: ACTION_FAILED,
    errors.InvalidKey: ACTION_FAILED,
    errors.ActionsOff: ACTION_FAILED,
    errors.Refused: ACTION_FAILED,
    errors.LaunchFailed: ACTION_FAILED,
    errors.WaitTimeout: TIMEOUT,
    errors.UiBusy: TIMEOUT,
    DeskhandError: INTERNAL,
}
"""The most special class that an error belongs to decides."""

_REASONS: dict[type[DeskhandError], str] = {
    errors.NotVisible: "NO_SCREEN_BOUNDS",
    errors.NotEnabled: "TARGET_DISABLED",
    errors.NotFocusable: "UNSUPPORTED_TARGET_TYPE",
    errors.NotEditable: "UNSUPPORTED_TARGET_TYPE",
    errors.ActionUnsupported: "UNSUPPORTED_TARGET_TYPE",
    errors.OptionNotFound: "OPTION_NOT_FOUND",
    errors.InvalidKey: "INVALID_KEY_CODE",
    errors.InvalidParams: "INVALID_PARAMS",
    errors.Stale: "STALE_REF",
    errors.NotFound: "NODE_NOT_FOUND",
    errors.Ambiguous: "SEVERAL_NODES",
    errors.ActionsOff: "ACTIONS_DISABLED",
    errors.Refused: "REFUSED_BY_POLICY",
    errors.WaitTimeout: "TIMEOUT",
    errors.UiBusy: "TIMEOUT",
    DeskhandError: "ACTION_FAILED",
}


def code_of(error: DeskhandError) -> str:
    """The code that stands for an error; `mcp_code` in its details wins."""
    own: str | None = error.details.get("mcp_code")
    return own or next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)


def reason_of(error: DeskhandError) -> str:
    """Why one action of several failed, as a word for programs."""
    return next(_REASONS[kind] for kind in type(error).__mro__ if kind in _REASONS)


def message_of(error: DeskhandError) -> str:
    """What went wrong, and what to do about it."""
    return "; ".join((error.message, *error.hints))


def to_mcp(error: DeskhandError) -> dict[str, Any]:
    """The contract's unified form of an error."""
    details = {
        name: value
        for name, value in error.to_json().items()
        if name not in ("kind", "message", "mcp_code", "suggestions", "traceback")
    }
    described: dict[str, Any] = {"code": code_of(error), "message": message_of(error)}
    return {**described, "details": details} if details else described


def for_caller(error: DeskhandError, again: tuple[str, ...]) -> DeskhandError:
    """The error in terms that the caller of a tool knows. `again` says how to get an app that is gone."""
    if isinstance(error, errors.Disabled):
        return errors.Disabled(
            error.message, suggestions=("start it without --standby, or switch it on inside",)
        )
    if isinstance(error, errors.ConnectFailed) and _is_display(error.target):
        # What the system says about a socket helps no caller.
        what = f"the desktop that the app was on is gone: display '{error.target}' does not answer"
        return errors.ConnectFailed(what, suggestions=again, **error.details)
    if isinstance(error, errors.NotConnected):
        # Of sockets the caller knows nothing.
        ours = (error.target or "").startswith("unix:")
        unsaid = ours and error.details.get("exit_code") is None
        what = "the app is gone: it has ended, or closed the connection" if unsaid else error.message
        return errors.NotConnected(what, suggestions=again, **error.details)
    error.suggestions = tuple(
        each.replace("give more time", "give more timeoutMs") for each in error.suggestions
    )
    return error


def _is_display(target: str | None) -> bool:
    """Whether an error is about an X display, such as `:99`."""
    return target is not None and target.rpartition(":")[1] == ":" and target.rpartition(":")[2].isdecimal()
