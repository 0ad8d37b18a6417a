"""Pictures of what was drawn, read back from OpenGL, which draws Dear ImGui in every window there is."""

from __future__ import annotations

from ...model.errors import ActionUnsupported
from ...model.node import Image
from .scene import Box
from .stage import Stage


def picture(stage: Stage, box: Box | None, timeout: float) -> Image:
    """A picture of the whole, or of a box in it."""
    raise ActionUnsupported("there are no pixels: Dear ImGui is not drawn on a screen here")
