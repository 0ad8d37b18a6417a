"""The slicer cuts models into layers whose outlines, walls and fillings are where the model is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as some

from demo.slicer import slice as slicing
from demo.slicer.model import PRINTERS, Placement, Settings, check_fits
from demo.slicer.slice import Cancelled, fill, outlines, slice_mesh
from demo.slicer.stl import Mesh, ModelError, box, join, mesh
from tests.demo.shapes import hollow, inside_out, sphere, tube

CUBE = box((20, 20, 20))
COARSE = Settings(layer_height=0.4)


def area(model: Mesh, z: float) -> float:
    return fill(outlines(model, z)[0]).area


def gaps(model: Mesh, z: float) -> int:
    return outlines(model, z)[1]


def drawn(sliced, kind: str | None = None):
    paths = [path for layer in sliced.layers for path in layer.paths if kind in (None, path.kind)]
    return np.concatenate([path.points for path in paths])


def without(model: Mesh, *faces: int) -> Mesh:
    return Mesh(model.vertices, np.delete(model.faces, faces, axis=0))


# -- outlines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "z", "expected"),
    [
        (CUBE, 10, 400),
        (CUBE, 20, 400),
        (CUBE, 0, 0),
        (CUBE, 21, 0),
        (hollow(20, 4), 10, 400 - 144),
        (hollow(20, 4), 2, 400),
        (inside_out(CUBE), 10, 400),
        (inside_out(hollow(20, 4)), 10, 400 - 144),
        (join([hollow(20, 4), box((6, 6, 6), (7, 7, 7))]), 10, 400 - 144 + 36),
        (join([CUBE, box((20, 20, 20), (10, 10, 0))]), 10, 700),
        (join([CUBE, box((5, 5, 5), (40, 0, 0))]), 2, 425),
        (join([CUBE, CUBE]), 10, 400),
        (join([CUBE, box((20, 20, 20), (20, 20, 0))]), 10, 800),
    ],
    ids=["middle", "in the top", "in the bottom", "above", "hollow", "hollow, below the hole", "inside out",
         "hollow, inside out", "island in a hole", "overlapping", "apart", "twice", "touching in an edge"],
)  # fmt: skip
def test_a_plane_cuts_out_the_solid(model, z, expected):
    assert area(model, z) == pytest.approx(expected)
    assert gaps(model, z) == 0


def test_outlines_have_the_solid_to_their_left():
    (outer,), _ = outlines(CUBE, 10)
    assert shapely.LinearRing(outer).is_ccw
    rings, _ = outlines(hollow(20, 4), 10)
    assert sorted(shapely.LinearRing(ring).is_ccw for ring in rings) == [False, True]


def test_a_plane_through_corners_of_a_sphere_cuts_closed_lines():
    ball = sphere(10)
    for z in np.unique(ball.vertices[:, 2].round(9))[1:-1]:
        rings, broken = outlines(ball, float(z))
        assert (len(rings), broken) == (1, 0)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (without(CUBE, 4, 5), 400),
        (without(CUBE, 4), 400),
        (Mesh(CUBE.vertices, np.concatenate([CUBE.faces[:4], CUBE.faces[4:5, ::-1], CUBE.faces[5:]])), 400),
        (Mesh(CUBE.vertices, np.concatenate([CUBE.faces, CUBE.faces[4:5]])), 400),
        (Mesh(CUBE.vertices, np.concatenate([CUBE.faces, [[0, 7, 3]]])), 400),
    ],
    ids=["no wall", "a triangle is missing", "a triangle faces inwards", "a triangle twice", "a wall within"],
)  # fmt: skip
def test_a_surface_with_flaws_is_repaired(model, expected):
    for z in (3.0, 10.1, 17.0):
        assert area(model, z) == pytest.approx(expected)


def test_triangles_that_nearly_meet_are_joined():
    random = np.random.default_rng(2)
    soup = sphere(10).triangles
    shaken = mesh(soup + random.normal(0, 0.002, soup.shape))
    assert gaps(shaken, 1.1) > 20
    assert area(shaken, 1.1) == pytest.approx(area(sphere(10), 1.1), rel=0.01)


def test_a_single_triangle_is_not_a_solid():
    alone = mesh(np.array([[[0, 0, 0], [10, 0, 0], [5, 5, 10.0]]]))
    assert area(alone, 5) == 0
    with pytest.raises(ModelError, match="is its surface closed"):
        slice_mesh(alone, Settings())


@settings(max_examples=25, deadline=None)
@given(
    some.tuples(*[some.floats(-180, 180)] * 3),
    some.tuples(*[some.floats(0.5, 2)] * 3),
    some.sampled_from([CUBE, hollow(20, 5), tube(10, 6, 15)]),
)
def test_layers_hold_the_volume_of_the_model_however_it_is_turned(rotate, scale, model):
    placed = Placement((100, 100), rotate, scale).place(model)
    low, high = placed.bounds
    assert low[2] == pytest.approx(0, abs=1e-9)
    assert ((low + high) / 2)[:2] == pytest.approx([100, 100])
    planes = np.linspace(0, high[2], 61)
    volume = sum(area(placed, (a + b) / 2) * (b - a) for a, b in itertools.pairwise(planes))
    assert volume == pytest.approx(model.volume * np.prod(scale), rel=0.02)


# -- paths ------------------------------------------------------------------------------------


def test_walls_are_half_a_line_inside_the_model():
    sliced = slice_mesh(CUBE, COARSE)
    assert len(sliced.layers) == 50
    assert sliced.layers[-1].z == pytest.approx(20)
    outer = drawn(sliced, slicing.OUTER_WALL)
    assert outer.min(axis=0) == pytest.approx([0.225, 0.225])
    assert outer.max(axis=0) == pytest.approx([19.775, 19.775])
    inner = drawn(sliced, slicing.INNER_WALL)
    assert inner.max(axis=0) == pytest.approx([19.325, 19.325])


def test_every_path_stays_inside_the_model_and_walls_are_closed():
    model = tube(10, 5, 3)
    sliced = slice_mesh(model, COARSE)
    for at, layer in enumerate(sliced.layers):
        inside = fill(outlines(model, (at + 0.5) * 0.4)[0])
        for path in layer.paths:
            assert inside.buffer(1e-6).contains(shapely.LineString(path.points))
            if path.kind in (slicing.OUTER_WALL, slicing.INNER_WALL):
                assert (path.points[0] == path.points[-1]).all()


def test_tops_and_bottoms_are_solid_and_the_middle_is_not():
    sliced = slice_mesh(CUBE, COARSE)
    kinds = [{path.kind for path in layer.paths} for layer in sliced.layers]
    walls = {slicing.OUTER_WALL, slicing.INNER_WALL}
    assert all(layer == walls | {slicing.SOLID} for layer in (*kinds[:3], *kinds[-3:]))
    assert all(layer == walls | {slicing.SPARSE} for layer in kinds[3:-3])


def test_a_roof_over_a_hole_is_solid():
    sliced = slice_mesh(hollow(20, 4), COARSE)
    above = sliced.layers[41]
    assert above.z == pytest.approx(16.8)
    assert slicing.SOLID in {path.kind for path in above.paths}
    assert slicing.SPARSE in {path.kind for path in sliced.layers[6].paths}


@pytest.mark.parametrize(
    "model", [box((20, 15, 4)), tube(10, 5, 4), sphere(6, (0, 0, 6))], ids=["box", "tube", "ball"]
)
def test_wholly_filled_the_lines_take_the_volume_of_the_model(model):
    sliced = slice_mesh(model, Settings(infill=1))
    length = sum(
        np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum()
        for layer in sliced.layers
        for path in layer.paths
    )
    assert length * 0.45 * 0.2 == pytest.approx(model.volume, rel=0.04)


def test_sparse_filling_is_as_dense_as_wanted():
    def length(infill):
        layer = slice_mesh(CUBE, Settings(infill=infill, layer_height=0.4)).layers[25]
        return sum(np.linalg.norm(p.points[1] - p.points[0]) for p in layer.paths if p.kind == slicing.SPARSE)

    inside = (20 - 4 * 0.45) ** 2
    assert length(0) == 0
    assert length(0.2) * 0.45 == pytest.approx(0.2 * inside, rel=0.05)
    assert length(0.5) * 0.45 == pytest.approx(0.5 * inside, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_drawn_outside_of_a_model_that_is_full_of_holes(seed):
    ball = sphere(8, (9, 9, 9), 6, 8)
    kept = ball.faces[np.random.default_rng(seed).random(len(ball.faces)) > 0.3]
    sliced = slice_mesh(
        Placement((50, 50)).place(Mesh(ball.vertices, kept)), Settings(layer_height=0.4, infill=1)
    )
    assert sliced.repaired > 5
    assert abs(drawn(sliced) - 50).max() <= 8.0


def test_a_model_thinner_than_a_line_or_lower_than_a_layer_is_refused():
    with pytest.raises(ModelError, match=r"as thick as one line, 0\.45 mm"):
        slice_mesh(box((20, 0.3, 5)), Settings())
    with pytest.raises(ModelError, match=r"0\.050 mm high, not even one layer"):
        slice_mesh(box((20, 20, 0.05)), Settings())
    with pytest.raises(ModelError, match=r"0\.000 mm high"):
        slice_mesh(mesh(np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]])), Settings())


def test_progress_rises_to_the_end_and_can_stop_the_work():
    seen: list[float] = []
    slice_mesh(CUBE, COARSE, lambda done: seen.append(done) or True)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, 1)
    seen.clear()
    with pytest.raises(Cancelled):
        slice_mesh(CUBE, COARSE, lambda done: seen.append(done) or len(seen) < 10)
    assert len(seen) == 10


# -- where it stands --------------------------------------------------------------------------


def test_a_model_that_reaches_over_the_plate_is_refused():
    printer = PRINTERS[0]
    check_fits(Placement((110, 110)).place(CUBE), printer)
    check_fits(Placement((10, 210)).place(CUBE), printer)
    with pytest.raises(
        ModelError, match=r"in x it reaches from -1\.0 to 19\.0 mm, the printer from 0 to 220 mm"
    ):
        check_fits(Placement((9, 110)).place(CUBE), printer)
    with pytest.raises(ModelError, match="in z"):
        check_fits(Placement((110, 110), scale=(1, 1, 13)).place(CUBE), printer)


def test_turning_keeps_the_size_and_turns_the_way_of_the_clock_seen_backwards():
    long = box((30, 10, 5))
    low, high = Placement(rotate=(0, 0, 90)).place(long).bounds
    assert high - low == pytest.approx([10, 30, 5])
    ramp = mesh(np.array([[[0, 0, 0], [10, 0, 0], [0, 0, 1.0]]]))
    turned = Placement(rotate=(0, 0, 90)).place(ramp)
    assert turned.vertices[turned.vertices[:, 2] > 0.5][0][1] == pytest.approx(-5)


@pytest.mark.parametrize("wrong", [{"layer_height": 0}, {"layer_height": 0.5}, {"walls": 0}, {"infill": 1.5}])
def test_settings_that_cannot_be_printed_are_refused(wrong):
    with pytest.raises(ValueError, match=r"wanted|must be"):
        Settings(**wrong)
