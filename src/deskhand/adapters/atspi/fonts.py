"""How a text looks, out of its attributes: family, size, weight and colour, where a toolkit tells them."""

from __future__ import annotations

import re

from ...model.node import Font, weight_name
from .bus import CallError
from .item import Item
from .live import Live
from .vocabulary import ROLE_NUMBERS, TEXT, Face

_PASSWORD = ROLE_NUMBERS["password text"]
_NUMBER = re.compile(r"\d+(\.\d+)?")
_FULL = 255
_PANGO = 1024
"""So many units of Pango's are a point."""
_FEW = 4
"""Something with more inside than this is not a frame around a label."""


def font(live: Live, item: Item, timeout: float) -> Font | None:
    """The font of an item's first character; of one without a text of its own, that of the label inside."""
    inside = item.kids if len(item.kids) <= _FEW else []
    found = next((one for one in (item, *inside) if one.has(Face.TEXT)), None)
    if found is None or found.role == _PASSWORD:
        return None
    with live.lock:
        try:
            attributes, _, _ = found.app.lane.ask(
                found.path, TEXT, "GetAttributeRun", "ib", 0, True, reply="a{ss}ii", timeout=timeout
            )
        except CallError:
            return None
    known = Font(
        family=attributes.get("family-name", "").strip('"') or None,
        size=_size(attributes.get("size", "")),
        weight=_weight(attributes.get("weight", "")),
        color=_color(attributes.get("fg-color", "")),
    )
    return known if known != Font() else None


def _size(text: str) -> float | None:
    """Points; GTK 3 tells the size that a program gave a part of a text in its own, much smaller unit."""
    number = _NUMBER.match(text.strip())
    if number is None:
        return None
    size = float(number[0])
    return size / _PANGO if size >= _PANGO else size


def _weight(text: str) -> str | None:
    if not text.isdigit():
        return text.lower() or None
    # LibreOffice tells 20 for its menus, on a scale of its own.
    return weight_name(int(text)) if int(text) >= 100 else None


def _color(text: str) -> str | None:
    """`#rrggbb` of three numbers; those of GTK 3 go up to 65,535."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    if len(parts) != 3:
        return text if re.fullmatch("#[0-9a-fA-F]{6}", text) else None
    if max(parts) > _FULL:
        parts = [part // (_FULL + 2) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in parts)
