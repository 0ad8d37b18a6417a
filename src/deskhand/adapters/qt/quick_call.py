"""Asking QML: methods and signals of items, expressions in their own context, what is written on them."""

from __future__ import annotations

from typing import Any

from .binding import Binding

_TYPES = {int: "int", float: "double", str: "QString", bool: "bool"}


def call(binding: Binding, native: Any, method: str, *arguments: Any, gives: str | None = None) -> Any:
    """Call a method, or emit a signal. `gives` is the C++ name of the result's type."""
    core = binding.QtCore
    passed = [core.Q_ARG(_TYPES.get(type(each), type(each).__name__), each) for each in arguments]
    if gives is not None:
        passed.insert(0, core.Q_RETURN_ARG(gives))
    return core.QMetaObject.invokeMethod(native, method, binding.Qt.ConnectionType.DirectConnection, *passed)


def has_method(native: Any, signature: str) -> bool:
    return bool(native.metaObject().indexOfMethod(signature) >= 0)


def evaluate(binding: Binding, item: Any, expression: str) -> Any:
    """What an expression gives in the context of an item; None if it has none or the expression fails.

    Reaches what the bindings have no types for: popups and attached properties.
    """
    qml = binding.QtQml
    context = qml.QQmlEngine.contextForObject(item) if qml is not None else None
    if context is None:
        return None
    evaluated = qml.QQmlExpression(context, item, expression)
    result = evaluated.evaluate()
    # One binding gives the value, the other also whether it was undefined.
    return None if evaluated.hasError() else result[0] if isinstance(result, tuple) else result


def texts(item: Any) -> list[str]:
    """What is written on an item and in it; not what was typed there, which may be a password."""
    if item.inherits("QQuickTextInput") or item.inherits("QQuickTextEdit"):
        return []
    own = item.property("text")
    if isinstance(own, str) and own:
        return [own]
    return [text for child in item.childItems() if child.isVisible() for text in texts(child)]
