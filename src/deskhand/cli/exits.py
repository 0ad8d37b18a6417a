"""Exit codes: which error ends the command with which."""

from __future__ import annotations

from ..model.errors import ERRORS, DeskhandError

DONE = 0
FAILED = 1
WRONG_USE = 2
NOT_FOUND = 3
NOT_ALLOWED = 4
AMBIGUOUS = 5
TIMED_OUT = 7

MEANING = {
    DONE: "done",
    FAILED: "failed",
    WRONG_USE: "wrong use: an option, a selector or a key that cannot be read",
    NOT_FOUND: "not found: no such element, window, option or app",
    NOT_ALLOWED: "not allowed: read-only, switched off, a wrong token, refused by a policy",
    AMBIGUOUS: "ambiguous: more than one element or app matches",
    TIMED_OUT: "timed out",
}

CODES = {
    "parse": WRONG_USE,
    "invalid_request": WRONG_USE,
    "unknown_method": WRONG_USE,
    "invalid_params": WRONG_USE,
    "not_found": NOT_FOUND,
    "option_not_found": NOT_FOUND,
    "connect_failed": NOT_FOUND,
    "unauthorized": NOT_ALLOWED,
    "actions_off": NOT_ALLOWED,
    "disabled": NOT_ALLOWED,
    "refused": NOT_ALLOWED,
    "ambiguous": AMBIGUOUS,
    "wait_timeout": TIMED_OUT,
    "ui_busy": TIMED_OUT,
}
"""By kind of error; a kind that is not listed has the code of the error it derives from, or else 1."""


def code_of(error: DeskhandError) -> int:
    """The exit code for an error."""
    for kind in type(error).__mro__:
        if issubclass(kind, DeskhandError) and kind.kind in CODES and ERRORS.get(kind.kind) is kind:
            return CODES[kind.kind]
    return FAILED
