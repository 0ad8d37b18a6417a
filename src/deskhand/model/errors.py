"""Everything that can go wrong, as one tree of exceptions.

Each error has a `kind` that protocols map to their own codes, a message for people, and fields
for programs: what was wanted, what was found instead, what to do. `to_json` and `from_json` carry
an error from one process to another without loss.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

_LONG = 300
_KEPT = 200
"""How much of a longer quoted text a message repeats."""
# Not over several lines: the last output of a program has quotes of its own.
_LONG_TEXT = re.compile(rf"'[^'\n]{{{_LONG},}}'|\"[^\"\n]{{{_LONG},}}\"")


class DeskhandError(Exception):
    """An operation failed; every error of deskhand is one of these."""

    kind: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str,
        *,
        target: str | None = None,
        near: tuple[str, ...] = (),
        matches: tuple[str, ...] = (),
        last_seen: dict[str, Any] | None = None,
        suggestions: tuple[str, ...] = (),
        **details: Any,
    ) -> None:
        self.message = _with_short_texts(message)
        super().__init__(self.message)
        self.target = target
        """What the caller asked for: a selector, path, window or address."""
        self.near = near
        """Selectors, paths or names of what was found instead: similar ones first, then others."""
        self.matches = matches
        """Selectors or paths of what matched, where that was too many."""
        self.last_seen = last_seen
        """The state that was seen last, where the operation waited for one."""
        self.suggestions = suggestions
        self.details = details
        """What only this kind of error has, such as `options`, `position` or `missing`."""

    def __str__(self) -> str:
        return self.message + "".join(f"\n  hint: {hint}" for hint in self.hints)

    @property
    def hints(self) -> tuple[str, ...]:
        """The suggestions that the message does not already contain."""
        return tuple(suggestion for suggestion in self.suggestions if suggestion not in self.message)

    def to_json(self) -> dict[str, Any]:
        """The error as plain data, without empty fields."""
        data: dict[str, Any] = {"kind": self.kind, "message": self.message}
        for name in ("target", "last_seen"):
            if (value := getattr(self, name)) is not None:
                data[name] = value
        for name in ("near", "matches", "suggestions"):
            if value := getattr(self, name):
                data[name] = list(value)
        data.update(self.details)
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> DeskhandError:
        """The error that `to_json` described; a plain DeskhandError if its kind is unknown."""
        fields = dict(data)
        kind = fields.pop("kind", "internal")
        message = str(fields.pop("message", kind))
        for name in ("near", "matches", "suggestions"):
            if name in fields:
                fields[name] = tuple(fields[name])
        return ERRORS.get(kind, DeskhandError)(message, **fields)


def _with_short_texts(message: str) -> str:
    """The message with long quoted texts shortened to their beginning and their length."""
    return message if len(message) < _LONG else _LONG_TEXT.sub(_short_text, message)


def _short_text(quoted: re.Match[str]) -> str:
    text = quoted[0]
    return f"{text[: _KEPT + 1]}…{text[-1]} ({len(text) - 2} characters)"


class ParseError(DeskhandError):
    """The message is not JSON, or not UTF-8."""

    kind = "parse"


class InvalidRequest(DeskhandError):
    """The message is JSON, but not a request."""

    kind = "invalid_request"


class UnknownMethod(DeskhandError):
    """There is no such method; `near` has similar ones."""

    kind = "unknown_method"


class InvalidParams(DeskhandError):
    """A parameter is missing, of the wrong type or out of range; details name the `field`."""

    kind = "invalid_params"


class SelectorError(InvalidParams):
    """The selector cannot be parsed; details have the `position` of the fault."""

    kind = "selector"


class NotFound(DeskhandError):
    """Nothing matches."""

    kind = "not_found"


class Ambiguous(DeskhandError):
    """Several elements match where exactly one is needed."""

    kind = "ambiguous"


class Stale(NotFound):
    """The element existed and is gone."""

    kind = "stale"


class WindowNotFound(NotFound):
    """No window matches."""

    kind = "window_not_found"


class NoWindows(WindowNotFound):
    """The app has no window."""

    kind = "no_windows"


class NotReady(DeskhandError):
    """The element exists, but is not in a state in which the action is possible."""

    kind = "not_ready"


class NotVisible(NotReady):
    """The element is not visible."""

    kind = "not_visible"


class NotEnabled(NotReady):
    """The element is not enabled."""

    kind = "not_enabled"


class NotFocusable(NotReady):
    """The element cannot take the keyboard focus."""

    kind = "not_focusable"


class NotEditable(NotReady):
    """The element's text or value cannot be changed."""

    kind = "not_editable"


class NotStable(NotReady):
    """The element kept moving."""

    kind = "not_stable"


class ActionUnsupported(DeskhandError):
    """This element, toolkit or platform cannot do that at all."""

    kind = "action_unsupported"


class ActionFailed(DeskhandError):
    """The action was tried and did not work."""

    kind = "action_failed"


class OptionNotFound(DeskhandError):
    """There is no such option; details list the available `options`."""

    kind = "option_not_found"


class InvalidKey(InvalidParams):
    """There is no such key."""

    kind = "invalid_key"


class WaitTimeout(DeskhandError):
    """The condition was not met in time; `last_seen` has the state at the end."""

    kind = "wait_timeout"


class UiBusy(DeskhandError):
    """The app's GUI thread did not answer in time."""

    kind = "ui_busy"


class WrongRead(DeskhandError):
    """With DESKHAND_VERIFY=1: cached values differ from a fresh read; details list the `differences`."""

    kind = "wrong_read"


class ScreenshotFailed(DeskhandError):
    """The screenshot could not be taken."""

    kind = "screenshot_failed"


class Disabled(DeskhandError):
    """Automation is switched off in the app."""

    kind = "disabled"


class ActionsOff(DeskhandError):
    """The server is read-only."""

    kind = "actions_off"


class Refused(DeskhandError):
    """The server's policy does not allow the operation; details have the `rule` that decided."""

    kind = "refused"


class Changed(NotReady):
    """The target is no longer the element for which the action was allowed."""

    kind = "changed"


class LoadFailed(DeskhandError):
    """The app could not open the file."""

    kind = "load_failed"


class NotConnected(DeskhandError):
    """There is no connection to an app."""

    kind = "not_connected"


class ConnectFailed(DeskhandError):
    """The app or server cannot be reached."""

    kind = "connect_failed"


class AppGone(NotConnected):
    """The app ended; details have its `exit_code` where that is known."""

    kind = "app_gone"


class LaunchFailed(DeskhandError):
    """The program could not be started, or ended before it opened a window."""

    kind = "launch_failed"


class MissingProgram(DeskhandError):
    """A required program or library is not installed; details have `missing` and `package`."""

    kind = "missing_program"


class AccessibilityUnavailable(DeskhandError):
    """The accessibility bus cannot be reached."""

    kind = "accessibility_unavailable"


class ExecFailed(DeskhandError):
    """The command could not be started."""

    kind = "exec_failed"


class UploadFailed(DeskhandError):
    """The file could not be written."""

    kind = "upload_failed"


class DownloadFailed(DeskhandError):
    """The file could not be read."""

    kind = "download_failed"


class Unauthorized(DeskhandError):
    """The token is missing or wrong, or the request came from a web page that is not allowed."""

    kind = "unauthorized"


class Cancelled(DeskhandError):
    """The caller disconnected before the operation ended."""

    kind = "cancelled"


def _kinds(base: type[DeskhandError]) -> dict[str, type[DeskhandError]]:
    kinds = {base.kind: base}
    for sub in base.__subclasses__():
        kinds.update(_kinds(sub))
    return kinds


ERRORS = _kinds(DeskhandError)
"""Every error by its kind."""
