"""The G-code draws the model: where it stands, as high as it is, with as much filament as it takes."""

from __future__ import annotations

import math
import re

import pytest

from demo.slicer import gcode
from demo.slicer.model import FILAMENTS, PRINTERS, Placement, Settings
from demo.slicer.slice import slice_mesh
from demo.slicer.stl import box
from tests.demo.shapes import tube

PLA = FILAMENTS[0]
CUBE = Placement((50, 70)).place(box((20, 20, 20)))
SLICED = slice_mesh(CUBE, Settings(layer_height=0.4))
TEXT = gcode.write(SLICED, PRINTERS[0], PLA)


def test_it_draws_within_half_a_line_of_the_model():
    seen = gcode.read(TEXT)
    assert seen.low == pytest.approx([40.225, 60.225, 0.4], abs=0.002)
    assert seen.high == pytest.approx([59.775, 79.775, 20], abs=0.002)
    assert seen.layers == 50


def test_filament_is_counted_by_volume():
    solid = slice_mesh(Placement((100, 100)).place(tube(10, 4, 4)), Settings(infill=1))
    seen = gcode.read(gcode.write(solid, PRINTERS[0], PLA))
    volume = seen.extruded * math.pi * (1.75 / 2) ** 2
    assert volume == pytest.approx(tube(10, 4, 4).volume, rel=0.03)
    needed = gcode.amounts(solid, PLA)
    assert needed.length == pytest.approx(seen.extruded, rel=0.001)
    assert needed.weight == pytest.approx(volume / 1000 * 1.24, rel=0.001)


def test_it_sets_up_the_printer_before_it_draws():
    before = TEXT[: TEXT.index(";LAYER:0")].splitlines()
    commands = [line.split(";")[0].strip() for line in before if not line.startswith(";")]
    assert commands == [
        "M140 S60", "M104 S210", "G21", "G90", "M83", "G28", "M190 S60", "M109 S210", "G92 E0",
    ]  # fmt: skip
    assert TEXT.rstrip().splitlines()[-5:] == ["M104 S0", "M140 S0", "M107", "M84", "; end"]


def test_layers_rise_evenly_and_are_numbered():
    assert re.findall(r"^;LAYER:(\d+)$", TEXT, re.M) == [str(number) for number in range(50)]
    heights = [float(z) for z in re.findall(r"^G0 Z([\d.]+)", TEXT, re.M)]
    assert heights == pytest.approx([0.4 * number for number in range(1, 51)] + [30])


def test_every_line_is_a_command_that_printers_know():
    known = re.compile(
        r";.*|G[01]( [XYZEF]-?\d+(\.\d+)?)+|G(21|28|90) ;.*|G92 E0|M83 ;.*|M1(04|06|09|40|90) S\d+|M107|M84"
    )
    assert [line for line in TEXT.splitlines() if line and not known.fullmatch(line)] == []


def test_filament_that_is_drawn_back_is_pushed_out_before_anything_is_drawn():
    back = False
    for line in TEXT.splitlines():
        if line.startswith("G1 E-"):
            assert not back
            back = True
        elif line.startswith("G1 E"):
            assert back
            back = False
        elif line.startswith("G1 X"):
            assert not back
    assert back


def test_filament_is_drawn_back_before_a_long_way_and_not_before_a_short_one():
    place, back, ways = (0.0, 0.0), False, []
    for line in TEXT.splitlines():
        if line.startswith("G1 E"):
            back = line.startswith("G1 E-")
        elif match := re.match(r"G([01]) X([\d.]+) Y([\d.]+)", line):
            before, place = place, (float(match[2]), float(match[3]))
            if match[1] == "0":
                ways.append((math.dist(before, place), back))
    # The first way in a layer may be short as well: what was drawn back before the nozzle rose is still so.
    assert all(back for length, back in ways[:-1] if length > 3)
    assert sum(1 for length, back in ways if length < 3 and not back) > 100


def test_absolute_extrusion_is_read_too():
    text = "G90\nM82\nG92 E0\nG1 X0 Y0 Z1\nG1 X10 E1\nG1 Y10 E3\nG92 E0\nG1 X0 E1.5\n"
    seen = gcode.read(text)
    assert seen.extruded == pytest.approx(4.5)
    assert (seen.low.tolist(), seen.high.tolist()) == ([0, 0, 1], [10, 10, 1])


def test_a_file_that_draws_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing is drawn"):
        gcode.read("G28\nG0 X10 Y10\n")


def test_a_file_that_loses_filament_is_refused():
    with pytest.raises(ValueError, match="drawn back"):
        gcode.read("M83\nG1 E-2\nG1 X1 E1\n")


def test_times_are_in_hours_and_minutes():
    assert [gcode.Amounts(0, 0, seconds).time for seconds in (1, 90, 3600, 7500)] == [
        "1 min", "2 min", "1 h 0 min", "2 h 5 min",
    ]  # fmt: skip
