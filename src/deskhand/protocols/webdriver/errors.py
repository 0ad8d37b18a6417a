"""The error codes of WebDriver with their HTTP statuses, and the code for each error of the core."""

from __future__ import annotations

from typing import Any

from ...model import errors
from ...model.errors import DeskhandError
from ..jsontext import dumps

STATUSES = {
    "element click intercepted": 400,
    "element not interactable": 400,
    "insecure certificate": 400,
    "invalid argument": 400,
    "invalid cookie domain": 400,
    "invalid element state": 400,
    "invalid selector": 400,
    "invalid session id": 404,
    "javascript error": 500,
    "move target out of bounds": 500,
    "no such alert": 404,
    "no such cookie": 404,
    "no such element": 404,
    "no such frame": 404,
    "no such shadow root": 404,
    "no such window": 404,
    "script timeout": 500,
    "session not created": 500,
    "stale element reference": 404,
    "detached shadow root": 404,
    "timeout": 500,
    "unable to set cookie": 500,
    "unable to capture screen": 500,
    "unexpected alert open": 500,
    "unknown command": 404,
    "unknown error": 500,
    "unknown method": 405,
    "unsupported operation": 500,
}
"""Every error code of the standard, and the HTTP status it is sent with."""

_CODES: dict[type[DeskhandError], str] = {
    errors.ParseError: "invalid argument",
    errors.InvalidRequest: "invalid argument",
    errors.InvalidParams: "invalid argument",
    errors.SelectorError: "invalid selector",
    errors.UnknownMethod: "unknown command",
    errors.NotFound: "no such element",
    errors.Stale: "stale element reference",
    errors.WindowNotFound: "no such window",
    errors.Ambiguous: "no such element",
    errors.NotReady: "element not interactable",
    errors.NotEditable: "invalid element state",
    errors.ActionUnsupported: "unsupported operation",
    errors.MissingProgram: "unsupported operation",
    errors.ActionsOff: "unsupported operation",
    errors.Refused: "unsupported operation",
    errors.Disabled: "unsupported operation",
    errors.ExecFailed: "unsupported operation",
    errors.UploadFailed: "unsupported operation",
    errors.DownloadFailed: "unsupported operation",
    errors.OptionNotFound: "no such element",
    errors.WaitTimeout: "timeout",
    errors.UiBusy: "timeout",
    errors.ScreenshotFailed: "unable to capture screen",
    errors.NotConnected: "no such window",
    errors.ConnectFailed: "no such window",
    errors.AccessibilityUnavailable: "no such window",
    errors.LaunchFailed: "session not created",
    DeskhandError: "unknown error",
}
"""The code of the most specific class that an error belongs to is sent."""

INTERACTABLE = "element not interactable"


class WebDriverError(Exception):
    """A command failed, with one of the standard's codes."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        assert code in STATUSES, code
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def status(self) -> int:
        return STATUSES[self.code]

    def encode(self) -> bytes:
        """The body of the answer."""
        value: dict[str, Any] = {"error": self.code, "message": self.message, "stacktrace": ""}
        if self.data:
            value["data"] = self.data
        return dumps({"value": value}, str)


def of(error: DeskhandError) -> WebDriverError:
    """The error of the standard that stands for an error of the core."""
    code = next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)
    if "covered_by" in error.details:
        code = "element click intercepted"
    return WebDriverError(code, "; ".join((error.message, *error.hints)))


def refusal(status: int, reason: str) -> bytes:
    """The answer to a request that the transport refused: without the token, from a web page, too long."""
    code = {400: "invalid argument", 413: "invalid argument", 415: "invalid argument"}.get(
        status, "unknown error"
    )
    return WebDriverError(code, reason).encode()
