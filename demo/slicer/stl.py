"""Reads and writes STL files, binary and text. It judges the file, not the shape: see `slice` for that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Indexes: TypeAlias = NDArray[np.int64]

_HEADER = 80
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_START = _HEADER + 4

_BOM = b"\xef\xbb\xbf"
_NUMBER = rb"\s+([^\s]+)"
_TEXT_FACET = re.compile(
    rb"\bfacet\s+normal\s+\S+\s+\S+\s+\S+\s+outer\s+loop"
    + (rb"\s+vertex" + _NUMBER * 3) * 3
    + rb"\s+endloop\s+endfacet\b",
    re.IGNORECASE,
)
_TITLE = re.compile(rb"^[ \t]*(end[ \t]*)?solid\b[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_FACET_WORD = re.compile(rb"\b(?:end)?facet\b", re.IGNORECASE)


class ModelError(ValueError):
    """A model that cannot be used; the message is for the person who wants to print it."""


@dataclass(frozen=True)
class Mesh:
    """A surface: corners, each once, and the triangles between them, counter-clockwise seen from outside."""

    vertices: Floats
    faces: Indexes

    @property
    def triangles(self) -> Floats:
        """The corners of each triangle, as an array of n × 3 × 3."""
        return self.vertices[self.faces]

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest corner of the box around it."""
        used = self.vertices[self.faces.reshape(-1)]
        return used.min(axis=0), used.max(axis=0)

    @property
    def volume(self) -> float:
        """What it encloses, in mm³; right only if it is closed."""
        a, b, c = self.triangles.transpose(1, 0, 2)
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    def moved(self, vertices: Floats) -> Mesh:
        """The same triangles between other corners."""
        return Mesh(vertices, self.faces)


def load(path: str | Path) -> Mesh:
    """Read a model; ModelError says what is wrong with the file."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror or error}") from None
    try:
        return parse(data)
    except ModelError as error:
        raise ModelError(f"'{path.name}' {error}") from None


def parse(data: bytes) -> Mesh:
    """The model in the bytes of an STL file."""
    if not data.strip(b"\0 \t\r\n"):
        raise ModelError("is empty")
    return mesh(_text(data) if _is_text(data) else _binary(data))


def mesh(triangles: Floats) -> Mesh:
    """Join triangles at the corners that they share; those without an area are left out."""
    broken = ~np.isfinite(triangles).all(axis=(1, 2))
    if broken.any():
        which = f"facet {int(broken.argmax()) + 1} of {len(triangles)}"
        raise ModelError(f"is broken: {which} has a coordinate that is not a number")
    if not len(triangles):
        raise ModelError("is empty: it has no facets")
    vertices, faces = _shared(triangles.reshape(-1, 3))
    a, b, c = vertices[faces].transpose(1, 0, 2)
    faces = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0]
    if not len(faces):
        raise ModelError(f"is empty: none of its {len(triangles)} facets has an area")
    return Mesh(vertices, faces)


def _shared(corners: Floats) -> tuple[Floats, Indexes]:
    """Each corner once, and by threes which they are."""
    # Not np.unique, which takes several times as long for rows.
    order = np.lexsort(corners.T[::-1])
    ordered = corners[order]
    new = np.ones(len(corners), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    at = np.empty(len(corners), np.int64)
    at[order] = np.cumsum(new) - 1
    return ordered[new], at.reshape(-1, 3)


def join(meshes: list[Mesh]) -> Mesh:
    """Several models as the parts of one."""
    return meshes[0] if len(meshes) == 1 else mesh(np.concatenate([each.triangles for each in meshes]))


def binary(model: Mesh, title: str = "binary STL") -> bytes:
    """The model as a binary STL file."""
    facets = np.zeros(len(model.faces), _FACET)
    facets["corners"] = model.triangles
    facets["normal"] = normals(model)
    return title.encode("ascii", "replace")[:_HEADER].ljust(_HEADER) + _count(facets) + facets.tobytes()


def text(model: Mesh, title: str = "model") -> bytes:
    """The model as a text STL file."""
    lines = [f"solid {title}"]
    for normal, corners in zip(normals(model).tolist(), model.triangles.tolist(), strict=True):
        lines.append("  facet normal " + " ".join(map(repr, normal)))
        lines.append("    outer loop")
        lines += ["      vertex " + " ".join(map(repr, corner)) for corner in corners]
        lines += ["    endloop", "  endfacet"]
    lines.append(f"endsolid {title}\n")
    return "\n".join(lines).encode()


def normals(model: Mesh) -> Floats:
    """The direction that each triangle faces, of length 1."""
    a, b, c = model.triangles.transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    unit: Floats = across / np.linalg.norm(across, axis=1, keepdims=True)
    return unit


def box(size: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> Mesh:
    """A box of that size whose lowest corner is there."""
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float) * size + at
    sides = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return Mesh(corners, np.array([[a, *rest] for a, b, c, d in sides for rest in ((b, c), (c, d))]))


def _is_text(data: bytes) -> bool:
    """Whether it is the text form. Binary files may begin with "solid" too; their count has zeros."""
    start = data.removeprefix(_BOM).lstrip()[:5].lower()
    return start == b"solid" and b"\0" not in data[:_START]


def _binary(data: bytes) -> Floats:
    if len(data) < _START:
        raise ModelError(
            f"is not an STL file: {len(data)} bytes are too few, and it does not begin with 'solid'"
        )
    count = _announced(data)
    whole, rest = divmod(len(data) - _START, _FACET.itemsize)
    if whole < count:
        raise ModelError(
            f"is broken: it announces {count} facets and ends after {whole}"
            + (f" and {rest} bytes" if rest else "")
        )
    # What some programs put behind the facets is theirs.
    return np.frombuffer(data, _FACET, count, _START)["corners"].astype(float)


def _text(data: bytes) -> Floats:
    data = data.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    titles = [match[1] for match in _TITLE.finditer(data)]
    facets: list[Any] = _TEXT_FACET.findall(data)
    # A title may hold any words; what else speaks of facets must be one.
    words = len(_FACET_WORD.findall(_TITLE.sub(b"", data)))
    if words != 2 * len(facets):
        raise ModelError(f"is broken: a facet is incomplete, after {_whole_facets(data)} good ones")
    if titles.count(None) * 2 != len(titles):
        raise ModelError(f"is broken: it ends after {len(facets)} facets without 'endsolid'")
    try:
        # Not np.array(facets, float): it takes no bytes.
        return np.array([[float(number) for number in facet] for facet in facets], float).reshape(-1, 3, 3)
    except ValueError as error:
        raise ModelError(f"is broken: {error}") from None


def _whole_facets(data: bytes) -> int:
    """How many good facets there are before the first bad one."""
    at, count = 0, 0
    for match in _TEXT_FACET.finditer(data):
        if len(_FACET_WORD.findall(_TITLE.sub(b"", data[at : match.start()]))):
            break
        at, count = match.end(), count + 1
    return count


def _announced(data: bytes) -> int:
    return int.from_bytes(data[_HEADER:_START], "little")


def _count(facets: NDArray[np.void]) -> bytes:
    return len(facets).to_bytes(4, "little")
