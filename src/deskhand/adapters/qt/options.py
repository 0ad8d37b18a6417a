"""Options of Qt's widgets: those of every toolkit, with the words that Qt's handles are called by."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.errors import NotEnabled, OptionNotFound
from ...model.operations import Select
from ..choices import LISTED, Choice, no_options, pick, selected, worth
from ..choices import not_found as _not_found
from .handles import Handle
from .hands import Hands

__all__ = ["LISTED", "Choice", "insist", "no_options", "not_found", "pick", "selected", "worth"]


def insist(
    hands: Hands, action: Select, handle: Handle, choice: Choice | None, choices: Sequence[Choice]
) -> Choice:
    """The option, if there is one and it can be chosen."""
    if choice is None:
        raise not_found(hands, action, handle, choices, len(choices))
    if not choice.enabled:
        raise NotEnabled(f"option {choice.text!r} of {hands.call(handle)} is not enabled")
    return choice


def not_found(
    hands: Hands, action: Select, handle: Handle, choices: Sequence[Choice], count: int
) -> OptionNotFound:
    """The error that lists what there is."""
    return _not_found(action, hands.call(handle), choices, count)
