"""The ImGui panels over the view: the gizmos that move, turn and size the model, and the preview's layers.

Each is drawn anew in every frame from what there is, and answers with what there shall be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from imgui_bundle import imgui

from .gcode import Amounts
from .gl import COLOURS
from .model import Placement, Printer
from .slice import KINDS
from .stl import Mesh

_WIDTH = 270.0
_EDGE = 10.0
_AXES = "XYZ"
_FLAGS = imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_saved_settings
_SMALLEST, _LARGEST = 1.0, 1000.0
"""Scales, in per cent."""


@dataclass(frozen=True)
class Shown:
    """What of the toolpaths is shown."""

    layers: int
    """From below, so many of them."""
    kinds: frozenset[str] = frozenset(KINDS)


def gizmos(placement: Placement, printer: Printer, uniform: bool) -> tuple[Placement, bool]:
    """Where the model shall stand, and whether all its sizes shall change together."""
    top = _EDGE
    middle = (printer.size[0] / 2, printer.size[1] / 2)
    top = _begin("Move", top)
    x, y = _axes(placement.move, (0.0, 0.0), printer.size[:2], "mm", "%.2f")
    if imgui.button("Reset"):
        x, y = middle
    imgui.end()

    top = _begin("Rotate", top)
    turned = _axes(placement.rotate, (-180.0,) * 3, (180.0,) * 3, "deg", "%.1f")
    if imgui.button("Reset"):
        turned = [0.0, 0.0, 0.0]
    imgui.end()

    _begin("Scale", top)
    before = [100 * part for part in placement.scale]
    scaled = _axes(before, (_SMALLEST,) * 3, (_LARGEST,) * 3, "%", "%.1f", imgui.SliderFlags_.logarithmic)
    scaled = [min(_LARGEST, max(_SMALLEST, part)) for part in scaled]
    _, uniform = imgui.checkbox("Uniform", uniform)
    changed = [new for new, old in zip(scaled, before, strict=True) if new != old]
    if uniform and changed:
        scaled = [changed[0]] * 3
    imgui.same_line()
    if imgui.button("Reset"):
        scaled = [100.0, 100.0, 100.0]
    imgui.end()
    placement = replace(placement, move=(x, y), rotate=(turned[0], turned[1], turned[2]))
    # What was not edited stays the same, to the last digit.
    if scaled != before:
        placement = replace(placement, scale=(scaled[0] / 100, scaled[1] / 100, scaled[2] / 100))
    return placement, uniform


def model(placed: Mesh | None, inside: bool) -> None:
    """What there is on the plate."""
    _at_bottom("Model")
    if placed is None:
        imgui.text("The plate is empty: File, Open")
    else:
        low, high = placed.bounds
        x, y, z = high - low
        imgui.text(f"{x:.2f} x {y:.2f} x {z:.2f} mm, {len(placed.faces)} triangles")
        if not inside:
            imgui.text_colored(imgui.ImVec4(1.0, 0.5, 0.4, 1.0), "It reaches over the edge of the plate")
    imgui.end()


def layers(shown: Shown, count: int, needed: Amounts) -> Shown:
    """Which of the toolpaths shall be shown."""
    _begin("Preview", _EDGE)
    imgui.set_next_item_width(150)
    _, number = imgui.slider_int("Layer##slider", shown.layers, 1, count)
    imgui.set_next_item_width(150)
    _, number = imgui.input_int(f"of {count}###layer", number)
    kinds = set(shown.kinds)
    for kind, (red, green, blue) in COLOURS.items():
        imgui.push_style_color(imgui.Col_.check_mark, imgui.ImVec4(red, green, blue, 1.0))
        _, on = imgui.checkbox(kind, kind in kinds)
        imgui.pop_style_color()
        (kinds.add if on else kinds.discard)(kind)
    imgui.separator()
    imgui.text(f"{needed.length / 1000:.2f} m of filament, {needed.weight:.1f} g")
    imgui.text(f"about {needed.time}")
    imgui.end()
    return Shown(min(count, max(1, number)), frozenset(kinds))


def nothing_sliced() -> None:
    """The preview before there is anything."""
    _begin("Preview", _EDGE)
    imgui.text("Nothing is sliced yet")
    imgui.end()


def views() -> str | None:
    """The view that was asked for: "iso", "top", "front" or "fit"."""
    imgui.set_next_window_pos(imgui.ImVec2(_EDGE, _EDGE))
    imgui.begin("View", None, _FLAGS | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_collapse)
    asked = None
    for at, name in enumerate(("Iso", "Top", "Front", "Fit")):
        if at:
            imgui.same_line()
        if imgui.button(name):
            asked = name.lower()
    imgui.end()
    return asked


def _begin(title: str, top: float) -> float:
    """Open a panel at the right edge; gives where the next one below begins."""
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(imgui.ImVec2(size.x - _WIDTH - _EDGE, top))
    imgui.set_next_window_size(imgui.ImVec2(_WIDTH, 0))
    imgui.begin(title, None, _FLAGS)
    return top + imgui.get_window_height() + _EDGE


def _at_bottom(title: str) -> None:
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(imgui.ImVec2(_EDGE, size.y - _EDGE), 0, imgui.ImVec2(0, 1))
    imgui.begin(title, None, _FLAGS | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_collapse)


def _axes(
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    unit: str,
    style: str,
    flags: int = 0,
) -> list[float]:
    """A slider and a field for each axis."""
    answer = []
    for name, value, least, most in zip(_AXES, values, low, high, strict=False):
        imgui.set_next_item_width(105)
        slid, by_slider = imgui.slider_float(f"{name}##slider", value, least, most, style, flags)
        imgui.same_line()
        imgui.set_next_item_width(70)
        typed, by_field = imgui.input_float(f"{unit}##{name}", by_slider if slid else value, 0, 0, style)
        answer.append(by_field if typed else by_slider if slid else value)
    return answer
