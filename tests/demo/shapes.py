"""Models for the slicer's tests, whose sizes are known."""

from __future__ import annotations

import numpy as np

from demo.slicer.stl import Mesh, box, mesh


def sphere(radius: float, at=(0.0, 0.0, 0.0), rings: int = 24, sectors: int = 48) -> Mesh:
    """A ball of flat triangles, a little smaller than the round one."""
    heights = np.linspace(0, np.pi, rings + 1)
    turns = np.linspace(0, 2 * np.pi, sectors, endpoint=False)

    def corner(ring: int, sector: int):
        flat = np.sin(heights[ring]) if 0 < ring < rings else 0.0
        turn = turns[sector % sectors]
        return np.array([flat * np.cos(turn), flat * np.sin(turn), np.cos(heights[ring])]) * radius + at

    triangles = []
    for ring in range(rings):
        for sector in range(sectors):
            a, b = corner(ring, sector), corner(ring + 1, sector)
            c, d = corner(ring + 1, sector + 1), corner(ring, sector + 1)
            triangles += (
                [[a, b, c]] if ring == 0 else [[a, b, d]] if ring == rings - 1 else [[a, b, c], [a, c, d]]
            )
    return mesh(np.array(triangles))


def tube(outer: float, inner: float, height: float, sides: int = 48) -> Mesh:
    """An upright pipe."""
    turns = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1)

    def corner(radius: float, side: int, z: float):
        return [*(around[side % sides] * radius), z]

    quads = []
    for side in range(sides):
        (a, b), (c, d) = (
            [(corner(radius, at, 0), corner(radius, at, height)) for at in (side, side + 1)]
            for radius in (outer, inner)
        )
        quads += [
            [a[0], b[0], b[1], a[1]],
            [d[0], c[0], c[1], d[1]],
            [a[1], b[1], d[1], c[1]],
            [b[0], a[0], c[0], d[0]],
        ]
    return mesh(np.array([[q[0], *rest] for q in quads for rest in ((q[1], q[2]), (q[2], q[3]))]))


def inside_out(model: Mesh) -> Mesh:
    return Mesh(model.vertices, model.faces[:, ::-1])


def hollow(size: float, wall: float) -> Mesh:
    """A cube with a cubic hole that no outside reaches."""
    inner = box((size - 2 * wall,) * 3, (wall,) * 3)
    return mesh(np.concatenate([box((size,) * 3).triangles, inside_out(inner).triangles]))
