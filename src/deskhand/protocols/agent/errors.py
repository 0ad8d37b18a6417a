"""The Agent contract's error keys and HTTP statuses, and the errors of the core that they stand for."""

from __future__ import annotations

from typing import Any

from ...model import errors
from ...model.errors import DeskhandError
from ..jsontext import dumps

KEYS = (
    "not_found", "ambiguous", "window_not_found", "action_unsupported", "accessibility_unavailable",
    "exec_failed", "upload_failed", "download_failed", "invalid_json",
)  # fmt: skip
"""The contract's keys. Clients must bear others, and get some where none of these would be true."""

_ANSWERS: dict[type[DeskhandError], tuple[int, str]] = {
    errors.ParseError: (400, "invalid_json"),
    errors.InvalidRequest: (400, "invalid_json"),
    errors.InvalidParams: (400, "invalid_json"),
    errors.UnknownMethod: (404, "not_found"),
    errors.NotFound: (400, "not_found"),
    errors.WindowNotFound: (400, "window_not_found"),
    errors.Ambiguous: (400, "ambiguous"),
    errors.NotReady: (400, "action_unsupported"),
    errors.ActionUnsupported: (400, "action_unsupported"),
    errors.MissingProgram: (400, "action_unsupported"),
    errors.ScreenshotFailed: (400, "action_unsupported"),
    errors.OptionNotFound: (400, "not_found"),
    errors.ActionFailed: (400, "action_failed"),
    errors.WaitTimeout: (400, "timeout"),
    errors.LoadFailed: (400, "action_failed"),
    errors.ActionsOff: (403, "action_unsupported"),
    errors.Refused: (403, "action_unsupported"),
    errors.Unauthorized: (401, "unauthorized"),
    errors.UiBusy: (503, "accessibility_unavailable"),
    errors.Disabled: (503, "accessibility_unavailable"),
    errors.NotConnected: (503, "accessibility_unavailable"),
    errors.ConnectFailed: (503, "accessibility_unavailable"),
    errors.AccessibilityUnavailable: (503, "accessibility_unavailable"),
    errors.ExecFailed: (400, "exec_failed"),
    errors.UploadFailed: (400, "upload_failed"),
    errors.DownloadFailed: (400, "download_failed"),
    DeskhandError: (500, "internal"),
}
"""The most special class that an error belongs to decides."""


def answer_of(error: DeskhandError) -> tuple[int, str]:
    """The status and the key that stand for an error. `status` in its details wins."""
    status, key = next(_ANSWERS[kind] for kind in type(error).__mro__ if kind in _ANSWERS)
    return error.details.get("status", status), key


def to_agent(error: DeskhandError) -> tuple[int, bytes]:
    """The answer to one of the contract's own requests."""
    status, key = answer_of(error)
    return status, dumps({"error": key, "details": _details(error)}, str)


def to_core(error: DeskhandError) -> tuple[int, bytes]:
    """The answer to a request for an operation: all fields too, so that a client can raise the same error."""
    status, key = answer_of(error)
    data: dict[str, Any] = {"error": key, "details": _details(error)}
    return status, dumps({**error.to_json(), **data}, str)


def refusal(status: int, reason: str) -> bytes:
    """The answer to who is not let in: without the token, from a web page, or with too much."""
    key = {401: "unauthorized", 403: "unauthorized", 503: "busy"}.get(status, "invalid_json")
    return dumps({"error": key, "details": reason})


def _details(error: DeskhandError) -> str:
    return "; ".join((error.message, *error.suggestions))
