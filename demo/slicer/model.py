"""What is to be printed, how and on what: placement of a model, printers and filaments, settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from .stl import Floats, Mesh, ModelError

Triple: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Printer:
    """A machine; its plate begins at (0, 0)."""

    name: str
    size: Triple
    """How far it reaches: width, depth and height, in mm."""
    nozzle: float = 0.4


@dataclass(frozen=True)
class Filament:
    """A material, and how warm it is printed."""

    name: str
    nozzle_temperature: int
    bed_temperature: int
    density: float
    """In g/cm³."""
    diameter: float = 1.75


PRINTERS = (
    Printer("Workbench 220", (220, 220, 250)),
    Printer("Compact 120", (120, 120, 120)),
    Printer("Broad 350", (350, 350, 400)),
)
FILAMENTS = (
    Filament("PLA", 210, 60, 1.24),
    Filament("PETG", 240, 80, 1.27),
    Filament("ABS", 250, 100, 1.04),
    Filament("TPU", 225, 50, 1.21),
)


@dataclass(frozen=True)
class Settings:
    """How a model is cut and filled. Lengths are in mm, speeds in mm/s."""

    layer_height: float = 0.2
    line_width: float = 0.45
    walls: int = 2
    infill: float = 0.15
    """The part of the inside that is filled, from 0 to 1."""
    shells: int = 3
    """How many layers at a top or a bottom are filled wholly."""
    speed: float = 60
    first_layer_speed: float = 25
    travel_speed: float = 150

    def __post_init__(self) -> None:
        if not (0 < self.layer_height <= self.line_width):
            raise ValueError(
                f"a layer must be higher than 0 and no higher than a line is wide ({self.line_width}); "
                f"got {self.layer_height}"
            )
        if self.walls < 1 or self.shells < 0 or not 0 <= self.infill <= 1:
            raise ValueError(f"walls ≥ 1, shells ≥ 0 and infill from 0 to 1 are wanted; got {self}")


@dataclass(frozen=True)
class Placement:
    """Where the model stands, how it is turned (degrees about x, y, z, in this order) and how large it is."""

    move: tuple[float, float] = (0, 0)
    """The middle of the model on the plate."""
    rotate: Triple = (0, 0, 0)
    scale: Triple = field(default=(1, 1, 1))

    def place(self, mesh: Mesh) -> Mesh:
        """The model as placed on the plate: its lowest corner always touches it."""
        low, high = mesh.bounds
        vertices: Floats = (mesh.vertices - (low + high) / 2) * self.scale @ _rotation(self.rotate).T
        placed = mesh.moved(vertices)
        low, high = placed.bounds
        middle = (low + high) / 2
        return mesh.moved(vertices + np.array([*(np.array(self.move) - middle[:2]), -low[2]]))


def check_fits(mesh: Mesh, printer: Printer) -> None:
    """ModelError if the model is not wholly within reach of the printer."""
    low, high = mesh.bounds
    for at, axis in enumerate("xyz"):
        if low[at] < -1e-6 or high[at] > printer.size[at] + 1e-6:
            raise ModelError(
                f"the model does not fit on {printer.name}: in {axis} it reaches from {low[at]:.1f} to "
                f"{high[at]:.1f} mm, the printer from 0 to {printer.size[at]:.0f} mm"
            )


def _rotation(degrees: Triple) -> Floats:
    turn = np.eye(3)
    for axis, angle in enumerate(np.radians(degrees)):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        step = np.eye(3)
        step[[one, other], [one, other]] = np.cos(angle)
        step[one, other], step[other, one] = -np.sin(angle), np.sin(angle)
        turn = step @ turn
    return turn
