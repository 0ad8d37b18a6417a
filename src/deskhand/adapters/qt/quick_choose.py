"""What is offered in QML: by a combo box, a tab bar, a view, or among radio buttons."""

from __future__ import annotations

from typing import Any

from ...model.errors import ActionFailed
from ...model.operations import Select
from ..choices import Choice, worth
from ..performer import Offer, Options
from . import quick_scroll
from .hands import Hands
from .quick_call import call, texts


def offer(hands: Hands, item: Any) -> Offer | None:
    """What an item offers to choose from; None if that is nothing."""
    if hands.is_a(item, "QQuickComboBox"):
        return _combo(hands, item)
    if hands.is_a(item, "QQuickContainer"):
        return _container(hands, item)
    if quick_scroll.inner_view(item) is not None:
        return _View(hands, item)
    radios = [each for each in _below(item) if each.inherits("QQuickRadioButton")]
    return _buttons(hands, item, radios) if radios else None


def _combo(hands: Hands, combo: Any) -> Offer:
    binding = hands.binding
    choices = [
        Choice(
            at,
            call(binding, combo, "textAt", at, gives="QString"),
            worth(call(binding, combo, "valueAt", at, gives="QVariant")),
        )
        for at in range(int(combo.property("count")))
    ]

    def choose(choice: Choice, _extend: bool) -> None:
        combo.setProperty("currentIndex", choice.index)
        call(binding, combo, "activated", choice.index)

    return Options(hands.call(combo), choices, choose)


def _container(hands: Hands, container: Any) -> Offer:
    pages = [
        call(hands.binding, container, "itemAt", at, gives="QQuickItem*")
        for at in range(int(container.property("count")))
    ]
    if all(page.inherits("QQuickAbstractButton") for page in pages):
        return _buttons(hands, container, pages)
    choices = [
        Choice(at, str(page.property("title") or ""), page.objectName() or None)
        for at, page in enumerate(pages)
    ]

    def choose(choice: Choice, _extend: bool) -> None:
        container.setProperty("currentIndex", choice.index)

    return Options(hands.call(container), choices, choose)


def _buttons(hands: Hands, around: Any, buttons: list[Any]) -> Offer:
    choices = [
        Choice(at, str(button.property("text") or ""), button.objectName() or None, button.isEnabled())
        for at, button in enumerate(buttons)
    ]

    def choose(choice: Choice, _extend: bool) -> None:
        quick_scroll.into_view(hands, buttons[choice.index])
        hands.click(buttons[choice.index])

    return Options(hands.call(around), choices, choose)


class _View:
    """Rows that are scrolled to and clicked, as QML has no selection of its own but for what a click does."""

    def __init__(self, hands: Hands, item: Any) -> None:
        self._hands, self._item = hands, item
        self._view: Any = None
        self._delegate: Any = None

    def pick(self, action: Select) -> Choice:
        hands = self._hands
        text = action.text if action.text is not None else action.value
        self._view, row = quick_scroll.to_row(hands, self._item, action.index, text)
        self._delegate = quick_scroll.delegate(hands.binding, self._view, row, action.column, text)
        if self._delegate is None:
            raise ActionFailed(f"row {row} of {hands.call(self._item)} could not be brought into view")
        shown = texts(self._delegate)
        return Choice(row, shown[0] if shown else "")

    def choose(self, choice: Choice, extend: bool) -> None:
        self._hands.click(self._delegate, modifiers=("ctrl",) if extend else ())
        if self._view.inherits("QQuickItemView"):
            self._view.setProperty("currentIndex", choice.index)


def _below(item: Any) -> list[Any]:
    return [found for child in item.childItems() for found in (child, *_below(child))]
