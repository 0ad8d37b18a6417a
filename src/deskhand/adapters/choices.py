"""Options to choose from: picking the one that is meant, and the error when there is none such."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.alike import alike
from ..model.errors import NotEditable, NotEnabled, OptionNotFound
from ..model.operations import Select
from ..model.record import dataclass

LISTED = 50
"""How many options an error lists, in its message and in its details."""
_LONGEST = 80
"""How many characters of one option a message has."""


@dataclass(frozen=True)
class Choice:
    """One option, as `Select` can name it."""

    index: int
    text: str
    value: str | None = None
    enabled: bool = True


def pick(action: Select, choices: Sequence[Choice]) -> Choice | None:
    """The option that is meant."""
    if action.index is not None:
        return choices[action.index] if 0 <= action.index < len(choices) else None
    if action.text is not None:
        return next((choice for choice in choices if choice.text == action.text), None)
    by_value = (choice for choice in choices if choice.value == action.value)
    # An option that was given no value is its own value.
    by_text = (choice for choice in choices if choice.value is None and choice.text == action.value)
    return next(by_value, None) or next(by_text, None)


def insist(action: Select, what: str, choices: Sequence[Choice]) -> Choice:
    """The option that is meant, if there is one and it can be chosen; `what` has the options."""
    choice = pick(action, choices)
    if choice is None:
        raise not_found(action, what, choices, len(choices))
    if not choice.enabled:
        raise NotEnabled(f"option {choice.text!r} of {what} is not enabled")
    return choice


def not_found(action: Select, what: str, choices: Sequence[Choice], count: int) -> OptionNotFound:
    """The error that lists what there is."""
    texts = [choice.text for choice in choices]
    asked = action.text if action.text is not None else action.value
    near: tuple[str, ...] = ()
    if asked is None:
        wanted = f"number {action.index}; it has {count}"
    else:
        known = dict.fromkeys([*texts, *(choice.value for choice in choices if choice.value)])
        wanted, near = repr(asked), alike(asked, known)
    kind = "of value " if action.value is not None else ""
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if asked in near:
        other = "value" if action.value is None else "text"
        hint = f"; it is the {other} of one: choose that by its {other}"
    return OptionNotFound(
        f"{what} has no option {kind}{wanted}{hint}{available(texts, count)}",
        near=near,
        options=texts[:LISTED],
        options_count=count,
    )


def available(texts: Sequence[str], count: int) -> str:
    """The options for the end of a message; empty if there are none. `count` is how many there are in all."""
    if not texts:
        return ""
    listed = ", ".join(repr(_short(text)) for text in texts[:LISTED])
    more = max(count, len(texts)) - min(len(texts), LISTED)
    return f"; there are {listed}" + (f" and {more} more" if more else "")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def no_options(what: str) -> NotEditable:
    """The error for what has nothing to choose from, the same for every toolkit."""
    return NotEditable(
        f"{what} has no options to choose from",
        suggestions=("target a combo box, list, table, tree or tab bar",),
    )


def named(texts: Sequence[str]) -> list[Choice]:
    """Options that have nothing but their texts."""
    return [Choice(index, text) for index, text in enumerate(texts)]


def selected(choice: Choice) -> dict[str, object]:
    """The answer that says what is chosen now."""
    value = choice.value if choice.value is not None else choice.text
    return {"selected": {"value": value, "index": choice.index, "text": choice.text}}


def worth(data: object) -> str | None:
    """What the program attached to an option, as text; None if nothing, or an object that has no text.

    Such an object is not compared either: its class may have its own idea of that, and fail.
    """
    if isinstance(data, str):
        return data or None
    if isinstance(data, float) and data.is_integer():
        data = int(data)  # QML has no other numbers
    kind = type(data)
    has_text = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return str(data) if data is not None and has_text else None
