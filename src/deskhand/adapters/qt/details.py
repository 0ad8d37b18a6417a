"""Everything that Qt itself knows of one object: its declared and dynamic properties, its font and colour."""

from __future__ import annotations

from typing import Any

from ...model.node import MASK, Font, weight_name
from .binding import Binding
from .place import Fields

_PROPERTIES_KEPT = 200
_LONGEST = 1_000
_SECRET = frozenset(("text", "displayText", "selectedText", "currentText", "cleanText"))
_QT5_WEIGHTS = {0: 100, 12: 200, 25: 300, 50: 400, 57: 500, 63: 600, 75: 700, 81: 800, 87: 900}
"""The weights of Qt 5, on the scale of everything else."""
_LEFT_OUT = frozenset(("styleSheet", "palette", "font", "cursor", "windowIcon", "icon"))


def add(binding: Binding, native: Any, fields: Fields) -> None:
    """Add the details of an object to the fields of its node."""
    native = binding.bare(native)
    meta = native.metaObject()
    found: dict[str, Any] = dict(fields.get("properties") or {})
    secret = bool(fields.get("password"))
    for at in range(min(meta.propertyCount(), _PROPERTIES_KEPT)):
        declared = meta.property(at)
        name = declared.name()
        if name in _LEFT_OUT or name in found or not declared.isReadable():
            continue
        if declared.typeName().startswith("QQmlListProperty"):
            continue  # PyQt6 frees some of these twice
        if secret and name in _SECRET:
            found[name] = MASK
            continue
        try:
            value = native.property(name)
        except (RuntimeError, TypeError):
            # A type that the binding cannot convert; there is nothing to show of it.
            continue
        value = _plain(binding, value)
        if value is not None:
            found[name] = value
    for name in native.dynamicPropertyNames():
        key = bytes(name).decode("utf-8", "replace")
        if not key.startswith("_"):
            value = _plain(binding, native.property(key))
            if value is not None:
                found[key] = value
    fields["properties"] = found
    if native.isWidgetType():
        fields["font"] = _font(binding, native)
        if help_text := native.whatsThis():
            fields["help"] = help_text
        description = native.accessibleDescription() or native.statusTip()
        if description:
            fields["description"] = description


def _font(binding: Binding, native: Any) -> Font:
    font = native.font()
    color = native.palette().color(native.foregroundRole())
    size = font.pointSizeF()
    return Font(
        family=font.family(),
        size=size if size > 0 else None,
        weight=_weight(binding, font.weight()),
        color=color.name(),
    )


def _weight(binding: Binding, weight: Any) -> str:
    number = binding.number(weight)
    if binding.major < 6:
        number = _QT5_WEIGHTS[min(_QT5_WEIGHTS, key=lambda known: abs(known - number))]
    return weight_name(number)


def _plain(binding: Binding, value: Any) -> Any:
    """A value as plain data; None for what has no such form."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
    if isinstance(value, (list, tuple)):
        return [_plain(binding, part) for part in value[:100]]
    core, gui = binding.QtCore, binding.QtGui
    if isinstance(value, (core.QSize, core.QSizeF)):
        return [value.width(), value.height()]
    if isinstance(value, (core.QPoint, core.QPointF)):
        return [value.x(), value.y()]
    if isinstance(value, (core.QRect, core.QRectF)):
        return list(value.getRect())
    if isinstance(value, (core.QDate, core.QTime, core.QDateTime)):
        return value.toString(binding.Qt.DateFormat.ISODate)
    if isinstance(value, gui.QColor):
        return value.name()
    if isinstance(value, (core.QUrl, gui.QKeySequence)):
        return value.toString()
    if isinstance(value, core.QLocale):
        return value.name()
    if isinstance(value, core.QObject):
        return None
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else None
