"""Everything that can go wrong, as one tree of exceptions.

Each error has a `kind` that protocols map to their own codes, a message for people, and fields
for programs: what was wanted, what was there instead, what to do. `to_json` and `from_json` carry
an error from one process to another without loss.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

_LONG = 300
_KEPT = 200
"""How much a message repeats of a quoted text that is longer than that."""
# Not over several lines: a program's last words have quotes of their own.
_LONG_TEXT = re.compile(rf"'[^'\n]{{{_LONG},}}'|\"[^\"\n]{{{_LONG},}}\"")


class DeskhandError(Exception):
    """Something that deskhand was asked to do could not be done."""

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
        """Selectors, paths or names of what is there instead: what looks like the target, then others."""
        self.matches = matches
        """Selectors or paths of what matched, where that was too many."""
        self.last_seen = last_seen
        """The state that was seen last, where a state was wanted."""
        self.suggestions = suggestions
        self.details = details
        """What belongs to this kind of error alone, such as `options`, `position` or `missing`."""

    def __str__(self) -> str:
        return self.message + "".join(f"\n  hint: {hint}" for hint in self.hints)

    @property
    def hints(self) -> tuple[str, ...]:
        """The suggestions that the message does not make itself."""
        return tuple(suggestion for suggestion in self.suggestions if suggestion not in self.message)

    def to_json(self) -> dict[str, Any]:
        """The error as plain data, without what is empty."""
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
        """The error that `to_json` described; of an unknown kind, a plain DeskhandError."""
        fields = dict(data)
        kind = fields.pop("kind", "internal")
        message = str(fields.pop("message", kind))
        for name in ("near", "matches", "suggestions"):
            if name in fields:
                fields[name] = tuple(fields[name])
        return ERRORS.get(kind, DeskhandError)(message, **fields)


def _with_short_texts(message: str) -> str:
    """The message with no more than the beginning of the long texts that it quotes, and how long they are."""
    return message if len(message) < _LONG else _LONG_TEXT.sub(_short_text, message)


def _short_text(quoted: re.Match[str]) -> str:
    text = quoted[0]
    return f"{text[: _KEPT + 1]}…{text[-1]} ({len(text) - 2} characters)"


class ParseError(DeskhandError):
    """The message is not JSON, or not UTF-8."""

    kind = "parse"


class InvalidRequest(DeskhandError):
    """The message is JSON, but no request."""

    kind = "invalid_request"


class UnknownMethod(DeskhandError):
    """There is no such method; `near` has the ones that look like it."""

    kind = "unknown_method"


class InvalidParams(DeskhandError):
    """A parameter is missing, of the wrong type or out of range; details name the `field`."""

    kind = "invalid_params"


class SelectorError(InvalidParams):
    """The selector cannot be read; details have its `position`."""

    kind = "selector"


class NotFound(DeskhandError):
    """Nothing matches."""

    kind = "not_found"


class Ambiguous(DeskhandError):
    """More than one matches where exactly one is needed."""

    kind = "ambiguous"


class Stale(NotFound):
    """The element was there and is gone."""

    kind = "stale"


class WindowNotFound(NotFound):
    """No window matches."""

    kind = "window_not_found"


class NoWindows(WindowNotFound):
    """The program has no window."""

    kind = "no_windows"


class NotReady(DeskhandError):
    """The element is there, but not in a state in which the action makes sense."""

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
    """It was tried, and did not work."""

    kind = "action_failed"


class OptionNotFound(DeskhandError):
    """There is no such choice; details list the `options`."""

    kind = "option_not_found"


class InvalidKey(InvalidParams):
    """There is no such key."""

    kind = "invalid_key"


class WaitTimeout(DeskhandError):
    """The condition was not met in time; `last_seen` has the state at the end."""

    kind = "wait_timeout"


class UiBusy(DeskhandError):
    """The program's GUI thread did not answer in time."""

    kind = "ui_busy"


class WrongRead(DeskhandError):
    """With DESKHAND_VERIFY=1: what is kept between reads is not so; details list the `differences`."""

    kind = "wrong_read"


class ScreenshotFailed(DeskhandError):
    """No picture could be taken."""

    kind = "screenshot_failed"


class Disabled(DeskhandError):
    """Automation is switched off in the program."""

    kind = "disabled"


class ActionsOff(DeskhandError):
    """The server answers questions only."""

    kind = "actions_off"


class Refused(DeskhandError):
    """The server's policy does not allow it; details have `rule`, the rule that decided."""

    kind = "refused"


class Changed(NotReady):
    """The target is no longer what it was when it was decided that the action is allowed."""

    kind = "changed"


class LoadFailed(DeskhandError):
    """The program could not open the file."""

    kind = "load_failed"


class NotConnected(DeskhandError):
    """There is no connection to a program."""

    kind = "not_connected"


class ConnectFailed(DeskhandError):
    """The program or server cannot be reached."""

    kind = "connect_failed"


class AppGone(NotConnected):
    """The program ended; details have its `exit_code` where that is known."""

    kind = "app_gone"


class LaunchFailed(DeskhandError):
    """The program could not be started, or ended before it had a window."""

    kind = "launch_failed"


class MissingProgram(DeskhandError):
    """A program or library that is needed is not installed; details have `missing` and `package`."""

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
    """The token is missing or wrong, or the request came from a page that may not ask."""

    kind = "unauthorized"


class Cancelled(DeskhandError):
    """The caller went away before the end."""

    kind = "cancelled"


def _kinds(base: type[DeskhandError]) -> dict[str, type[DeskhandError]]:
    kinds = {base.kind: base}
    for sub in base.__subclasses__():
        kinds.update(_kinds(sub))
    return kinds


ERRORS = _kinds(DeskhandError)
"""Every error by its kind."""
