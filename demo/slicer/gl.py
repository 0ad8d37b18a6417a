"""Draws the plate, the model and the toolpaths with OpenGL. Needs a current context, knows no window."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from . import slice as slicing
from .model import Printer
from .slice import Sliced
from .stl import Floats, Indexes, Mesh, normals

TRAVEL = "Travel"
COLOURS = {
    slicing.OUTER_WALL: (0.95, 0.55, 0.20),
    slicing.INNER_WALL: (0.90, 0.80, 0.30),
    slicing.SOLID: (0.60, 0.40, 0.90),
    slicing.SPARSE: (0.75, 0.25, 0.25),
    TRAVEL: (0.25, 0.45, 0.55),
}
"""Of the kinds of toolpaths, moves between them included."""

_BACKGROUND = (0.20, 0.22, 0.25)
_MODEL = (0.22, 0.65, 0.60)
_OUTSIDE = (0.75, 0.30, 0.28)
_PLATE = (0.27, 0.29, 0.32)
_GRID = (0.36, 0.38, 0.42)
_BOLD = (0.52, 0.55, 0.60)
_AXES = ((0.9, 0.3, 0.3), (0.4, 0.8, 0.3), (0.3, 0.5, 0.95))

_VERTEX = """
#version 330
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 extra;
uniform mat4 view;
out vec3 given;
void main() { given = extra; gl_Position = view * vec4(position, 1.0); }
"""
_SURFACE = """
#version 330
in vec3 given;
uniform vec3 colour;
uniform vec3 eye;
out vec4 shown;
void main() {
    vec3 normal = normalize(given);
    float light = 0.35 + 0.50 * max(dot(normal, normalize(eye + vec3(0.4, 0.2, 0.8))), 0.0)
                + 0.20 * max(normal.z, 0.0);
    shown = vec4(colour * light, 1.0);
}
"""
_LINES = """
#version 330
in vec3 given;
out vec4 shown;
void main() { shown = vec4(given, 1.0); }
"""


@dataclass(frozen=True)
class Camera:
    """From where the plate is looked at: around a point, in degrees and mm."""

    target: tuple[float, float, float] = (0, 0, 0)
    distance: float = 300
    turn: float = -60
    tilt: float = 35

    def orbit(self, right: float, up: float) -> Camera:
        """Look from further round, in degrees."""
        return replace(self, turn=(self.turn - right) % 360, tilt=min(90.0, max(-89.0, self.tilt + up)))

    def zoom(self, steps: float) -> Camera:
        """Come nearer, or with a negative number go away."""
        return replace(self, distance=min(5000.0, max(5.0, self.distance * 0.9**steps)))

    def pan(self, right: float, up: float) -> Camera:
        """Move sideways, in parts of the height of what is seen."""
        size = 2 * self.distance * math.tan(_LENS / 2)
        across, upwards, _ = self._axes()
        x, y, z = np.array(self.target) - (across * right + upwards * up) * size
        return replace(self, target=(float(x), float(y), float(z)))

    def fit(self, low: Floats, high: Floats) -> Camera:
        """Look at a box from so near that it just fits, however it is turned."""
        x, y, z = (low + high) / 2
        distance = 1.2 * float(np.linalg.norm(high - low)) / 2 / math.sin(_LENS / 2)
        return replace(self, target=(float(x), float(y), float(z)), distance=distance)

    @property
    def direction(self) -> Floats:
        """From the target to the eye."""
        turn, tilt = math.radians(self.turn), math.radians(self.tilt)
        return np.array([math.cos(turn) * math.cos(tilt), math.sin(turn) * math.cos(tilt), math.sin(tilt)])

    def matrix(self, aspect: float) -> Floats:
        """From places on the plate to places on the screen, which is so many times wider than high."""
        view = np.eye(4)
        view[:3, :3] = self._axes()
        view[:3, 3] = -view[:3, :3] @ (np.array(self.target) + self.direction * self.distance)
        near, far = self.distance / 50, self.distance * 10 + 2000
        f = 1 / math.tan(_LENS / 2)
        lens = np.array([
            [f / aspect, 0, 0, 0],
            [0, f, 0, 0],
            [0, 0, (near + far) / (near - far), 2 * near * far / (near - far)],
            [0, 0, -1, 0],
        ])  # fmt: skip
        return lens @ view

    def _axes(self) -> Floats:
        turn = math.radians(self.turn)
        across = np.array([-math.sin(turn), math.cos(turn), 0])
        return np.array([across, np.cross(self.direction, across), self.direction])


_LENS = math.radians(40)
_THICKNESS = 0.25
"""Of the lines of a toolpath, in mm: between the height and the width of what is printed."""


def camera(printer: Printer, turn: float = -60, tilt: float = 35) -> Camera:
    """A view of the whole plate."""
    width, depth, _ = printer.size
    return Camera((width / 2, depth / 2, 0), 1.7 * max(width, depth), turn, tilt)


class Scene:
    """What is on the graphics card. Make it and call it only while its context is current."""

    def __init__(self) -> None:
        self._surfaces = _program(_VERTEX, _SURFACE)
        self._lines = _program(_VERTEX, _LINES)
        self._plate, self._grid, self._model = _Batch(), _Batch(), _Batch()
        self._inside = True
        self._paths = {kind: _Batch() for kind in COLOURS}
        self._ends: dict[str, Indexes] = {}
        """How many corners there are of each kind up to each layer."""

    def set_plate(self, printer: Printer) -> None:
        width, depth, height = printer.size
        corners = np.array([[0, 0, -0.1], [width, 0, -0.1], [width, depth, -0.1], [0, depth, -0.1]], float)
        self._plate.fill(corners[[0, 1, 2, 0, 2, 3]], np.tile([0.0, 0.0, 1.0], (6, 1)))
        lines: list[Any] = []
        colours: list[Any] = []
        for size, other, axis in ((width, depth, 0), (depth, width, 1)):
            for at in np.arange(0, size + 0.5, 10):
                ends = [[at, 0, -0.05], [at, other, -0.05]]
                lines += ends if axis == 0 else [[y, x, z] for x, y, z in ends]
                colours += [_BOLD if at % 50 == 0 else _GRID] * 2
        top: list[tuple[float, float]] = [(0, 0), (width, 0), (width, depth), (0, depth)]
        for at, (x, y) in enumerate(top):
            lines += [[x, y, 0], [x, y, height], [x, y, height], [*top[at - 1], height]]
            colours += [_GRID] * 4
        for axis, colour in enumerate(_AXES):
            end = [0.0, 0.0, 0.0]
            end[axis] = 25.0
            lines += [[0, 0, 0], end]
            colours += [colour] * 2
        self._grid.fill(np.array(lines, float), np.array(colours, float))

    def set_model(self, mesh: Mesh | None, *, inside: bool = True) -> None:
        """Show this model, in another colour if it is not inside what the printer reaches."""
        self._inside = inside
        if mesh is None:
            self._model.fill(np.zeros((0, 3)), np.zeros((0, 3)))
        else:
            self._model.fill(mesh.triangles.reshape(-1, 3), np.repeat(normals(mesh), 3, axis=0))

    def set_paths(self, sliced: Sliced | None) -> None:
        """Show these toolpaths."""
        lines: dict[str, list[Floats]] = {kind: [] for kind in COLOURS}
        counts: dict[str, list[int]] = {kind: [0] for kind in COLOURS}
        place: Floats | None = None
        layers = sliced.layers if sliced else ()
        for layer in layers:
            for path in layer.paths:
                lines[path.kind].append(path.points)
                if place is not None:
                    lines[TRAVEL].append(np.array([place, path.points[0]]))
                place = path.points[-1]
            for kind, ends in counts.items():
                ends.append(len(lines[kind]))
        heights = np.array([layer.z for layer in layers])
        for kind, batch in self._paths.items():
            corners, self._ends[kind], layer_of = pieces(lines[kind], np.array(counts[kind]))
            # By its direction, a line is lit more or less, as the walls of the model are.
            along = np.repeat(corners[1::2] - corners[::2], 2, axis=0)
            shades = 0.65 + 0.35 * abs(np.cos(np.arctan2(along[:, 1], along[:, 0]) - 0.4))
            z = heights[layer_of] if len(layer_of) else np.zeros(0)
            batch.fill(np.column_stack([corners, z]), np.array(COLOURS[kind]) * shades[:, None])

    def draw(
        self, view: Camera, size: tuple[int, int], *, kinds: Sequence[str] | None = None, layers: int = 0
    ) -> None:
        """Draw the model, or if kinds of toolpaths are given, these up to a number of layers."""
        width, height = max(1, size[0]), max(1, size[1])
        GL.glViewport(0, 0, width, height)
        GL.glClearColor(*_BACKGROUND, 1)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_SCISSOR_TEST)
        matrix = view.matrix(width / height)
        self._use(self._surfaces, matrix, view)
        self._colour(_PLATE)
        # Behind the lines in it.
        GL.glEnable(GL.GL_POLYGON_OFFSET_FILL)
        GL.glPolygonOffset(2, 2)
        self._plate.draw(GL.GL_TRIANGLES)
        GL.glDisable(GL.GL_POLYGON_OFFSET_FILL)
        if kinds is None:
            self._colour(_MODEL if self._inside else _OUTSIDE)
            self._model.draw(GL.GL_TRIANGLES)
        self._use(self._lines, matrix, view)
        self._grid.draw(GL.GL_LINES)
        # About as thick as they are printed, where one looks at.
        GL.glLineWidth(min(10.0, max(1.0, _THICKNESS * height / (2 * view.distance * math.tan(_LENS / 2)))))
        for kind in kinds or ():
            ends = self._ends.get(kind, np.zeros(1, np.int64))
            self._paths[kind].draw(GL.GL_LINES, int(ends[min(layers, len(ends) - 1)]))
        GL.glLineWidth(1)
        GL.glUseProgram(0)

    def render(
        self, view: Camera, size: tuple[int, int], *, kinds: Sequence[str] | None = None, layers: int = 0
    ) -> NDArray[np.uint8]:
        """The same, drawn off screen: rows of red, green and blue, top row first."""
        width, height = size
        frame = GL.glGenFramebuffers(1)
        colour, depth = GL.glGenRenderbuffers(2)
        try:
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame)
            for buffer, kind, place in (
                (colour, GL.GL_RGB8, GL.GL_COLOR_ATTACHMENT0),
                (depth, GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_ATTACHMENT),
            ):
                GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
                GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, width, height)
                GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, buffer)
            self.draw(view, size, kinds=kinds, layers=layers)
            GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
            pixels = GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE)
        finally:
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
            GL.glDeleteRenderbuffers(2, [colour, depth])
            GL.glDeleteFramebuffers(1, [frame])
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[::-1]

    def _use(self, program: int, matrix: Floats, view: Camera) -> None:
        GL.glUseProgram(program)
        place = GL.glGetUniformLocation(program, "view")
        GL.glUniformMatrix4fv(place, 1, GL.GL_TRUE, matrix.astype(np.float32))
        eye = GL.glGetUniformLocation(program, "eye")
        if eye >= 0:
            GL.glUniform3f(eye, *view.direction)

    def _colour(self, colour: tuple[float, float, float]) -> None:
        GL.glUniform3f(GL.glGetUniformLocation(self._surfaces, "colour"), *colour)


class _Batch:
    """Corners on the graphics card, each with a normal or a colour."""

    def __init__(self) -> None:
        self._array = GL.glGenVertexArrays(1)
        self._buffer = GL.glGenBuffers(1)
        self._count = 0
        GL.glBindVertexArray(self._array)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        for place in range(2):
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, 3, GL.GL_FLOAT, GL.GL_FALSE, 24, ctypes.c_void_p(12 * place))
        GL.glBindVertexArray(0)

    def fill(self, positions: Floats, extras: Floats) -> None:
        data = np.ascontiguousarray(np.hstack([positions, extras]), np.float32)
        self._count = len(data)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, data.nbytes, data, GL.GL_DYNAMIC_DRAW)

    def draw(self, kind: int, count: int | None = None) -> None:
        """Draw it all, or so many of its corners."""
        count = self._count if count is None else count
        if count:
            GL.glBindVertexArray(self._array)
            GL.glDrawArrays(kind, 0, count)
            GL.glBindVertexArray(0)


def pieces(lines: list[Floats], ends: Indexes) -> tuple[Floats, Indexes, Indexes]:
    """Lines as pieces of two corners each: these, how many of them up to each layer, and the layer of each.

    `ends` says how many lines there are up to each layer.
    """
    if not lines:
        return np.zeros((0, 2)), np.zeros(len(ends), np.int64), np.zeros(0, np.int64)
    points = np.concatenate(lines)
    lengths = np.array([len(line) for line in lines])
    goes_on = np.ones(len(points), bool)
    goes_on[np.cumsum(lengths) - 1] = False
    begin = np.flatnonzero(goes_on)
    corners = np.stack([points[begin], points[begin + 1]], axis=1).reshape(-1, 2)
    after = np.concatenate([[0], np.cumsum(2 * (lengths - 1))])[ends]
    return corners, after, np.repeat(np.arange(len(ends) - 1), np.diff(after))


def _program(vertex: str, fragment: str) -> int:
    program: int = GL.glCreateProgram()
    for kind, source in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
        shader = GL.glCreateShader(kind)
        GL.glShaderSource(shader, source.strip())
        GL.glCompileShader(shader)
        if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
            raise RuntimeError(f"the graphics card takes no GLSL 330: {GL.glGetShaderInfoLog(shader)}")
        GL.glAttachShader(program, shader)
        GL.glDeleteShader(shader)
    GL.glLinkProgram(program)
    if not GL.glGetProgramiv(program, GL.GL_LINK_STATUS):
        raise RuntimeError(f"the shaders do not fit together: {GL.glGetProgramInfoLog(program)}")
    return program
