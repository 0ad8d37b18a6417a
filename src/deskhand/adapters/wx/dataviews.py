"""wx.dataview: stub."""

from __future__ import annotations

from typing import Any

from ...model.node import Node
from .drawn import Drawn
from .place import Place


class Items(Drawn):
    """The items of a data view."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        pass
