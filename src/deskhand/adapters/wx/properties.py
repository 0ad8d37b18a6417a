"""wx.propgrid: stub."""

from __future__ import annotations

from typing import Any

from ...model.node import Node
from .drawn import Drawn
from .place import Place


class Properties(Drawn):
    """The properties of a property grid."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        pass
