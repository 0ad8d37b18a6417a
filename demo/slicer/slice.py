"""Cuts a model into layers, and each layer into the paths that a nozzle draws.

A layer is cut in the middle of its height. Everything in the plane is shapely's: insets, holes, what is
covered from above and below. Nothing here knows of G-code or of a window.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient

from .model import Settings
from .stl import Floats, Indexes, Mesh, ModelError

OUTER_WALL, INNER_WALL, SOLID, SPARSE = "Outer wall", "Inner wall", "Solid infill", "Sparse infill"
KINDS = (OUTER_WALL, INNER_WALL, SOLID, SPARSE)

Progress: TypeAlias = Callable[[float], bool]
"""Called with how much is done, from 0 to 1; answers whether to go on."""

_SMOOTH = 0.005
"""Corners that lie so close to a straight line are left out, in mm."""
_GAP = 1.0
"""Ends of a broken outline that are at most this far apart are joined, in mm."""
_CUT_SHARE = 0.4
"""How much of the whole work the cutting is, for the progress."""


class Cancelled(Exception):
    """The slicing was given up because `progress` said so."""


@dataclass(frozen=True)
class Path:
    """A line that is drawn in one go; a closed one ends where it begins, and says so by its points."""

    kind: str
    points: Floats


@dataclass(frozen=True)
class Layer:
    """What is drawn at one height, in the order of drawing."""

    z: float
    """Its top, where the nozzle is."""
    height: float
    paths: tuple[Path, ...]


@dataclass(frozen=True)
class Sliced:
    """All layers, from below."""

    layers: tuple[Layer, ...]
    settings: Settings
    repaired: int
    """In how many layers the outline had gaps, which were closed."""


def slice_mesh(mesh: Mesh, settings: Settings, progress: Progress = lambda _: True) -> Sliced:
    """Cut the model, which is on the plate. ModelError if there is nothing to draw."""

    def go_on(done: float) -> None:
        if not progress(done):
            raise Cancelled

    go_on(0)
    bottom, top = (float(corner[2]) for corner in mesh.bounds)
    count = round((top - bottom) / settings.layer_height) if top > bottom else 0
    if not count:
        raise ModelError(
            f"the model is {top - bottom:.3f} mm high, not even one layer of {settings.layer_height} mm"
        )
    areas, repaired = [], 0
    for at in range(count):
        rings, gaps = outlines(mesh, bottom + (at + 0.5) * settings.layer_height)
        areas.append(fill(rings))
        repaired += gaps > 0
        go_on(_CUT_SHARE * (at + 1) / count)
    layers = []
    place = np.zeros(2)
    for at in range(count):
        paths, place = _order(list(_paths(areas, at, settings)), place)
        layers.append(Layer(bottom + (at + 1) * settings.layer_height, settings.layer_height, tuple(paths)))
        go_on(_CUT_SHARE + (1 - _CUT_SHARE) * (at + 1) / count)
    if not any(layer.paths for layer in layers):
        raise ModelError(
            f"nothing of the model is as thick as one line, {settings.line_width} mm; is its surface closed?"
        )
    return Sliced(tuple(layers), settings, repaired)


# -- from triangles to outlines -------------------------------------------------------------


def outlines(mesh: Mesh, z: float) -> tuple[list[Floats], int]:
    """The closed lines in which a plane cuts the surface, the solid to their left, and how many had gaps.

    A corner in the plane counts as above it, so that every triangle is cut in two edges or in none. A line
    goes on where two triangles share an edge, by the edge's name: a surface without flaws needs no tolerance.
    """
    starts, ends, points = _segments(mesh, z)
    following: defaultdict[int, list[int]] = defaultdict(list)
    for segment, start in enumerate(starts):
        following[start].append(segment)
    # What begins where nothing ends is taken first, so that a broken line is followed from its beginning.
    loose = Counter(starts)
    loose.subtract(ends)
    order = sorted(range(len(starts)), key=lambda segment: loose[starts[segment]] <= 0)
    used = [False] * len(starts)
    rings: list[Floats] = []
    broken: list[Floats] = []
    for first in order:
        if used[first]:
            continue
        line = [starts[first]]
        at: int | None = first
        while at is not None:
            used[at] = True
            line.append(ends[at])
            if ends[at] == line[0]:
                break
            at = next((other for other in following[ends[at]] if not used[other]), None)
        corners = np.array([points[edge] for edge in line])
        (rings if line[0] == line[-1] else broken).append(corners)
    rings += _repair(broken)
    return [ring for ring in rings if len(ring) > 3], len(broken)


def _segments(mesh: Mesh, z: float) -> tuple[list[int], list[int], dict[int, Floats]]:
    """Where the plane cuts triangles: names of the edges from which and to which, and the points there."""
    above = mesh.vertices[:, 2] >= z
    sides = above[mesh.faces]
    high = sides.sum(axis=1)
    faces, sides, high = (kept[(high == 1) | (high == 2)] for kept in (mesh.faces, sides, high))
    one_high = high == 1
    # The corner that is alone on its side; both edges that are cut meet there.
    alone = np.where(one_high, sides.argmax(axis=1), sides.argmin(axis=1))
    rows = np.arange(len(faces))
    corner, after, before = (faces[rows, (alone + step) % 3] for step in range(3))
    first, second = _edges(corner, after, len(above)), _edges(corner, before, len(above))
    starts, ends = np.where(one_high, first, second), np.where(one_high, second, first)
    names = np.unique(np.concatenate([first, second]))
    low, up = mesh.vertices[names // len(above)], mesh.vertices[names % len(above)]
    share = (z - low[:, 2]) / (up[:, 2] - low[:, 2])
    points = low[:, :2] + share[:, None] * (up - low)[:, :2]
    return starts.tolist(), ends.tolist(), dict(zip(names.tolist(), points, strict=True))


def _edges(one: Indexes, other: Indexes, count: int) -> Indexes:
    """A name for each edge, the same from both sides."""
    return np.minimum(one, other) * count + np.maximum(one, other)


def _repair(lines: list[Floats]) -> list[Floats]:
    """Join broken lines at the ends that are nearest to each other, then close each by a straight line.

    An end may meet any other, also another beginning: a triangle that faces the wrong way is run backwards.
    """
    if not lines:
        return []
    ends = np.array([end for line in lines for end in (line[0], line[-1])])
    spots = shapely.points(ends)
    left, right = shapely.STRtree(spots).query(spots, predicate="dwithin", distance=_GAP)
    pairs = np.array([left, right])[:, left < right]
    apart = np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=1)
    partner: dict[int, int] = {}
    for one, other in pairs[:, np.argsort(apart, kind="stable")].T.tolist():
        if one not in partner and other not in partner:
            partner[one], partner[other] = other, one
    return list(_run(lines, partner))


def _run(lines: list[Floats], partner: dict[int, int]) -> Iterator[Floats]:
    """Run along the lines from end to end; end 2n is the beginning of line n, end 2n + 1 its end."""
    left = set(range(len(lines)))
    while left:
        begin = 2 * min(left)
        # Back to where nothing is joined, or once around.
        seen = begin
        while seen in partner and partner[seen] ^ 1 != begin:
            seen = partner[seen] ^ 1
        at: int | None = seen
        parts, forwards = [], 0
        while at is not None and at // 2 in left:
            left.discard(at // 2)
            line = lines[at // 2]
            parts.append(line if at % 2 == 0 else line[::-1])
            forwards += len(line) if at % 2 == 0 else -len(line)
            at = partner.get(at ^ 1)
        ring = np.concatenate([*parts, parts[0][:1]])
        # Most triangles face the right way: the solid is to the left of most of it.
        yield ring if forwards >= 0 else ring[::-1]


# -- from outlines to areas -----------------------------------------------------------------


def fill(rings: list[Floats]) -> BaseGeometry:
    """The area inside, which the outlines wind around: parts may overlap, and be inside holes of others."""
    if not rings:
        return Polygon()
    alone = Polygon(rings[0]) if len(rings) == 1 else None
    if alone is not None and alone.is_valid:
        return orient(alone.simplify(_SMOOTH))
    lines = shapely.union_all([LineString(ring) for ring in rings])
    faces = [face for face in shapely.polygonize([lines]).geoms if face.area > 0]
    inside = [face for face, turns in zip(faces, _windings(faces, rings), strict=True) if turns]
    return shapely.union_all(inside).simplify(_SMOOTH)


def _windings(faces: list[Polygon], rings: list[Floats]) -> list[int]:
    """How often the outlines wind around a point inside each face."""
    a, b = (np.concatenate([ring[part] for ring in rings]) for part in (np.s_[:-1], np.s_[1:]))
    return [_winding(face.representative_point(), a, b) for face in faces]


def _winding(point: shapely.Point, a: Floats, b: Floats) -> int:
    x, y = point.x, point.y
    rises, falls = (a[:, 1] <= y) & (b[:, 1] > y), (a[:, 1] > y) & (b[:, 1] <= y)
    side = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])
    return int((rises & (side > 0)).sum() - (falls & (side < 0)).sum())


# -- from areas to paths --------------------------------------------------------------------


def _paths(areas: list[BaseGeometry], at: int, settings: Settings) -> Iterator[Path]:
    """What is drawn in one layer: walls from the outside, then what fills them."""
    width = settings.line_width
    for wall in range(settings.walls):
        for polygon in _polygons(_inset(areas[at], (wall + 0.5) * width)):
            for ring in (polygon.exterior, *polygon.interiors):
                yield Path(INNER_WALL if wall else OUTER_WALL, np.array(ring.coords))
    inside = _inset(areas[at], settings.walls * width)
    if inside.is_empty:
        return
    solid = inside.difference(_covered(areas, at, settings.shells))
    # Slivers that no line fits into are left to the sparse part.
    solid = _flat(solid.buffer(-width / 4).buffer(width / 4, join_style="mitre").intersection(inside))
    angle = 45 if at % 2 == 0 else 135
    yield from (Path(SOLID, line) for line in _hatch(solid, width, angle))
    if settings.infill:
        sparse = _flat(inside.difference(solid))
        yield from (Path(SPARSE, line) for line in _hatch(sparse, width / settings.infill, angle))


def _inset(area: BaseGeometry, distance: float) -> BaseGeometry:
    # Round only where the outline turns inwards. Mitred corners there could reach through a thin wall.
    return area.buffer(-distance, quad_segs=4)


def _covered(areas: list[BaseGeometry], at: int, shells: int) -> BaseGeometry:
    """Where there is something in all of the nearest layers above and below."""
    near = [other for other in range(at - shells, at + shells + 1) if other != at]
    if not near:
        return areas[at]
    if near[0] < 0 or near[-1] >= len(areas):
        return Polygon()
    covered = areas[near[0]]
    for other in near[1:]:
        covered = _flat(covered.intersection(areas[other]))
    return covered


def _flat(area: BaseGeometry) -> BaseGeometry:
    """Without the points and lines in which two areas may also meet."""
    return MultiPolygon([part for part in shapely.get_parts(area) if isinstance(part, Polygon)])


def _hatch(area: BaseGeometry, spacing: float, angle: float) -> Iterator[Floats]:
    """Parallel lines through the area, to and fro; in layers of the same angle they lie over each other."""
    rings = shapely.get_rings(shapely.get_parts(area))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    along = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
    across = np.array([-along[1], along[0]])
    # Not shapely's intersection: next to slivers it has drawn lines far outside of the area.
    x, row = points @ along, points @ across / spacing - 0.5
    edges = np.flatnonzero(ring[1:] == ring[:-1])
    first, last = (np.ceil(end(row[edges], row[edges + 1])).astype(int) for end in (np.minimum, np.maximum))
    edge = np.repeat(edges, last - first)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(last - first) - last, last - first)
    crossing = x[edge] + (number - row[edge]) / (row[edge + 1] - row[edge]) * (x[edge + 1] - x[edge])
    # On each line, the area begins at one crossing and ends at the next.
    order = np.lexsort((crossing, number))
    number, begin, end = number[order][::2], crossing[order][::2], crossing[order][1::2]
    long = end - begin > spacing / 10
    number, begin, end = number[long], begin[long], end[long]
    # To in one line, fro in the next.
    back = number % 2 == 1
    begin, end = np.where(back, end, begin), np.where(back, begin, end)
    middle = ((number + 0.5) * spacing)[:, None] * across
    lines = np.stack([middle + begin[:, None] * along, middle + end[:, None] * along], axis=1)
    yield from lines[np.lexsort((np.where(back, -begin, begin), number))]


def _polygons(area: BaseGeometry) -> list[Polygon]:
    parts = area.geoms if isinstance(area, MultiPolygon) else [area]
    return [orient(part) for part in parts if isinstance(part, Polygon) and not part.is_empty]


def _order(paths: list[Path], place: Floats) -> tuple[list[Path], Floats]:
    """The nearest wall first, outer ones before inner ones; infill stays to and fro. And where that ends."""
    ordered = []
    for kind in KINDS:
        left = [path for path in paths if path.kind == kind]
        while left and kind in (OUTER_WALL, INNER_WALL):
            path = left.pop(int(np.argmin([math.dist(place, path.points[0]) for path in left])))
            place = path.points[-1]
            ordered.append(path)
        if left:
            place = left[-1].points[-1]
            ordered += left
    return ordered, place
