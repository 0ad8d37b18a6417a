"""What the camera of the slicer sees, and how toolpaths become lines: without a window or a graphics card."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from demo.slicer.gl import Camera, camera, pieces
from demo.slicer.model import PRINTERS


def seen_at(view: Camera, point, aspect: float = 1.5) -> np.ndarray:
    """Where a point is in the image: from -1 to 1 in both directions, and from -1 (near) to 1 (far)."""
    x, y, z, w = view.matrix(aspect) @ [*point, 1]
    assert w > 0, "it is in front of the eye"
    return np.array([x, y, z]) / w


@pytest.mark.parametrize("tilt", [-80, 0, 35, 90])
def test_the_target_is_in_the_middle_of_the_screenshot(tilt):
    view = Camera((10, 20, 30), 200, 40, tilt)
    assert seen_at(view, view.target)[:2] == pytest.approx([0, 0], abs=1e-9)


def test_from_the_front_right_is_right_and_up_is_up():
    view = camera(PRINTERS[0], -90, 10)
    x, y, _ = view.target
    assert seen_at(view, (x + 10, y, 0))[0] > 0
    assert seen_at(view, (x, y, 10))[1] > 0
    assert seen_at(view, (x, y - 10, 0))[2] < seen_at(view, (x, y + 10, 0))[2]


@pytest.mark.parametrize("printer", PRINTERS, ids=lambda printer: printer.name)
def test_the_whole_plate_is_seen(printer):
    width, depth, _ = printer.size
    for corner in itertools.product((0, width), (0, depth), (0,)):
        assert abs(seen_at(camera(printer), corner)[:2]).max() <= 1


def test_a_box_fits_however_it_is_turned():
    low, high = np.array([50.0, 60, 0]), np.array([70.0, 65, 40])
    for turn, tilt in itertools.product(range(0, 360, 45), (-60, 0, 35, 90)):
        view = Camera(turn=turn, tilt=tilt).fit(low, high)
        corners = [seen_at(view, corner, 1.0) for corner in itertools.product(*zip(low, high, strict=True))]
        assert 0.3 < abs(np.array(corners)[:, :2]).max() <= 1


def test_panning_moves_what_is_seen_with_the_mouse():
    view = camera(PRINTERS[0])
    moved = view.pan(0.25, 0.1)
    # A quarter of the height of the image, which reaches from -1 to 1.
    assert seen_at(moved, view.target, 1.0)[:2] == pytest.approx([0.5, 0.2])


def test_zooming_in_and_out_again_leads_back():
    view = camera(PRINTERS[0])
    assert view.zoom(3).distance < view.distance
    assert view.zoom(3).zoom(-3).distance == pytest.approx(view.distance)
    assert Camera().zoom(1000).distance > 0


def test_lines_become_pieces_that_are_counted_by_layer():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], float)
    stroke = np.array([[5, 5], [6, 6]], float)
    corners, ends, layer = pieces([square, stroke, stroke + 1], np.array([0, 2, 2, 3]))
    assert ends.tolist() == [0, 10, 10, 12]
    assert layer.tolist() == [0] * 10 + [2] * 2
    assert corners[:4].tolist() == [[0, 0], [1, 0], [1, 0], [1, 1]]
    assert corners[8:].tolist() == [[5, 5], [6, 6], [6, 6], [7, 7]]


def test_no_lines_give_no_pieces():
    corners, ends, layer = pieces([], np.array([0, 0]))
    assert (len(corners), ends.tolist(), len(layer)) == (0, [0, 0], 0)
