"""Writes toolpaths as G-code, and reads G-code back: what is drawn where, and how much of it.

Positions are absolute, in mm; extrusion is relative (M83): each move says how much filament it takes. The
words in comments (`;LAYER_CHANGE`, `;Z:`, `;HEIGHT:`, `;WIDTH:`, `;TYPE:`) are those that viewers read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from .model import Filament, Printer, Settings
from .slice import Layer, Sliced
from .stl import Floats

_RETRACT = 0.8
_RETRACT_SPEED = 35
_SHORT = 3.0
"""A travel no longer than this, in mm, needs no retraction."""


@dataclass(frozen=True)
class Amounts:
    """What a print takes."""

    length: float
    """Of filament, in mm."""
    weight: float
    """In g."""
    seconds: float

    @property
    def time(self) -> str:
        """In words."""
        minutes = max(1, round(self.seconds / 60))
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


@dataclass(frozen=True)
class Drawn:
    """What a file of G-code draws."""

    low: Floats
    high: Floats
    """The corners of the box around all moves that extrude: x, y, z."""
    layers: int
    extruded: float
    """Filament, in mm, without what is only drawn back and pushed out again."""


def write(sliced: Sliced, printer: Printer, filament: Filament) -> str:
    """The whole file."""
    needed = amounts(sliced, filament)
    lines = [
        "; made by demo.slicer",
        f"; printer: {printer.name}",
        f"; filament: {filament.name}, {needed.length / 1000:.2f} m, {needed.weight:.1f} g",
        f"; estimated printing time: {needed.time}",
        f"; layer_height = {sliced.settings.layer_height:g}",
        f"; nozzle_diameter = {printer.nozzle:g}",
        f"; filament_diameter = {filament.diameter:g}",
        f"; total layer number: {len(sliced.layers)}",
        f"M140 S{filament.bed_temperature}",
        f"M104 S{filament.nozzle_temperature}",
        "G21 ; millimetres",
        "G90 ; absolute positions",
        "M83 ; relative extrusion",
        "G28 ; home",
        f"M190 S{filament.bed_temperature}",
        f"M109 S{filament.nozzle_temperature}",
        "G92 E0",
    ]
    head = _Head(sliced.settings, filament)
    for number, layer in enumerate(sliced.layers):
        lines += head.draw(number, layer)
    top = min(sliced.layers[-1].z + 10, printer.size[2])
    lines += [
        *head.retract(),
        f"G0 Z{top:.3f} F{60 * sliced.settings.travel_speed:.0f}",
        f"G0 X0 Y{printer.size[1]:.3f}",
        "M104 S0",
        "M140 S0",
        "M107",
        "M84",
        "; end",
        "",
    ]
    return "\n".join(lines)


def amounts(sliced: Sliced, filament: Filament) -> Amounts:
    """How much filament and time the print takes; starting and stopping is not counted."""
    settings = sliced.settings
    volume = seconds = 0.0
    place = np.zeros(2)
    for number, layer in enumerate(sliced.layers):
        for path in layer.paths:
            length = float(np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum())
            volume += length * settings.line_width * layer.height
            seconds += math.dist(place, path.points[0]) / settings.travel_speed
            seconds += length / _speed(settings, number)
            place = path.points[-1]
    return Amounts(volume / _section(filament), volume / 1000 * filament.density, seconds)


def read(text: str) -> Drawn:
    """What a file draws, by its moves alone, with relative or absolute extrusion. ValueError if nothing."""
    place = {"X": 0.0, "Y": 0.0, "Z": 0.0, "E": 0.0}
    relative, layers, extruded, owed = False, 0, 0.0, 0.0
    points: list[tuple[float, float, float]] = []
    for words in _commands(text):
        match words[0]:
            case "M82" | "M83":
                relative = words[0] == "M83"
            case "G92":
                place |= _numbers(words)
            case ";LAYER_CHANGE":
                layers += 1
            case "G0" | "G1":
                to = _numbers(words)
                pushed = to.get("E", 0.0) if relative else to.get("E", place["E"]) - place["E"]
                before = (place["X"], place["Y"], place["Z"])
                place |= to
                after = (place["X"], place["Y"], place["Z"])
                if before == after:
                    owed -= pushed
                elif pushed > 0:
                    points += before, after
                    extruded += pushed
    if not points:
        raise ValueError("nothing is drawn: no move extrudes")
    if abs(owed) > _RETRACT + 1e-6:
        raise ValueError(
            f"{abs(owed):.3f} mm of filament were drawn back or pushed out on the spot, and remain so"
        )
    corners = np.array(points)
    return Drawn(corners.min(axis=0), corners.max(axis=0), layers, extruded)


class _Head:
    """The nozzle: where it is, and whether the filament is drawn back."""

    def __init__(self, settings: Settings, filament: Filament) -> None:
        self._settings = settings
        self._section = _section(filament)
        self._place = [0.0, 0.0]
        self._retracted = False

    def draw(self, number: int, layer: Layer) -> Iterator[str]:
        yield ";LAYER_CHANGE"
        yield f";LAYER:{number}"
        yield f";Z:{layer.z:.3f}"
        yield f";HEIGHT:{layer.height:.3f}"
        yield from self.retract()
        yield f"G0 Z{layer.z:.3f} F{60 * self._settings.travel_speed:.0f}"
        if number == 1:
            yield "M106 S255"
        kind = ""
        for path in layer.paths:
            if path.kind != kind:
                kind = path.kind
                yield f";TYPE:{kind}"
                yield f";WIDTH:{self._settings.line_width:.3f}"
            # By what is written, so that rounding loses nothing.
            first, *rest = path.points.round(3).tolist()
            yield from self._travel(first)
            feed = f" F{60 * _speed(self._settings, number):.0f}"
            thickness = self._settings.line_width * layer.height / self._section
            for to in rest:
                length = math.dist(self._place, to)
                if length:
                    yield f"G1 X{to[0]:.3f} Y{to[1]:.3f} E{length * thickness:.5f}{feed}"
                    self._place, feed = to, ""

    def retract(self) -> Iterator[str]:
        if not self._retracted:
            self._retracted = True
            yield f"G1 E-{_RETRACT:.5f} F{60 * _RETRACT_SPEED}"

    def _travel(self, to: list[float]) -> Iterator[str]:
        apart = math.dist(self._place, to)
        if apart > _SHORT:
            yield from self.retract()
        if apart:
            yield f"G0 X{to[0]:.3f} Y{to[1]:.3f} F{60 * self._settings.travel_speed:.0f}"
        if self._retracted:
            self._retracted = False
            yield f"G1 E{_RETRACT:.5f} F{60 * _RETRACT_SPEED}"
        self._place = to


def _section(filament: Filament) -> float:
    """The area of the filament's round section, in mm²."""
    return math.pi * (filament.diameter / 2) ** 2


def _speed(settings: Settings, layer: int) -> float:
    return settings.speed if layer else settings.first_layer_speed


def _commands(text: str) -> Iterable[list[str]]:
    for line in text.splitlines():
        code, mark, comment = line.partition(";")
        if words := code.split():
            yield words
        elif mark and comment.split():
            yield [";" + comment.split()[0]]


def _numbers(words: list[str]) -> dict[str, float]:
    return {word[0]: float(word[1:]) for word in words[1:] if word[0] in "XYZE"}
