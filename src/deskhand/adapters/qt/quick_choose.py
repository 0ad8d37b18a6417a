"""Choosing an option in QML: of a combo box, a tab bar, a view, or among radio buttons."""

from __future__ import annotations

from typing import Any

from ...model.errors import ActionFailed
from ...model.operations import Select
from . import quick_scroll
from .hands import Hands
from .options import Choice, insist, no_options, pick, selected, worth
from .quick_call import call, texts


def select(hands: Hands, action: Select, item: Any) -> dict[str, object]:
    """Choose, and answer with what is chosen now."""
    if hands.is_a(item, "QQuickComboBox"):
        return _in_combo(hands, action, item)
    if hands.is_a(item, "QQuickContainer"):
        return _in_container(hands, action, item)
    if quick_scroll.inner_view(item) is not None:
        return _in_view(hands, action, item)
    radios = [each for each in _below(item) if each.inherits("QQuickRadioButton")]
    if radios:
        return _click_one(hands, action, item, radios)
    raise no_options(hands.call(item))


def _in_combo(hands: Hands, action: Select, combo: Any) -> dict[str, object]:
    binding = hands.binding
    choices = [
        Choice(
            at,
            call(binding, combo, "textAt", at, gives="QString"),
            worth(call(binding, combo, "valueAt", at, gives="QVariant")),
        )
        for at in range(int(combo.property("count")))
    ]
    choice = insist(hands, action, combo, pick(action, choices), choices)
    combo.setProperty("currentIndex", choice.index)
    call(binding, combo, "activated", choice.index)
    return selected(choice)


def _in_container(hands: Hands, action: Select, container: Any) -> dict[str, object]:
    binding = hands.binding
    pages = [
        call(binding, container, "itemAt", at, gives="QQuickItem*")
        for at in range(int(container.property("count")))
    ]
    if all(page.inherits("QQuickAbstractButton") for page in pages):
        return _click_one(hands, action, container, pages)
    choices = [
        Choice(at, str(page.property("title") or ""), page.objectName() or None)
        for at, page in enumerate(pages)
    ]
    choice = insist(hands, action, container, pick(action, choices), choices)
    container.setProperty("currentIndex", choice.index)
    return selected(choice)


def _click_one(hands: Hands, action: Select, around: Any, buttons: list[Any]) -> dict[str, object]:
    choices = [
        Choice(at, str(button.property("text") or ""), button.objectName() or None, button.isEnabled())
        for at, button in enumerate(buttons)
    ]
    choice = insist(hands, action, around, pick(action, choices), choices)
    quick_scroll.into_view(hands, buttons[choice.index])
    hands.click(buttons[choice.index])
    return selected(choice)


def _in_view(hands: Hands, action: Select, item: Any) -> dict[str, object]:
    """Scroll to the row and click it, as QML has no selection of its own but for what a click does."""
    text = action.text if action.text is not None else action.value
    view, row = quick_scroll.to_row(hands, item, action.index, text)
    delegate = quick_scroll.delegate(hands.binding, view, row, action.column, text)
    if delegate is None:
        raise ActionFailed(f"row {row} of {hands.call(item)} could not be brought into view")
    shown = texts(delegate)
    hands.click(delegate, modifiers=("ctrl",) if action.extend else ())
    if view.inherits("QQuickItemView"):
        view.setProperty("currentIndex", row)
    return selected(Choice(row, shown[0] if shown else ""))


def _below(item: Any) -> list[Any]:
    return [found for child in item.childItems() for found in (child, *_below(child))]
