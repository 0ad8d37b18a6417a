"""What the file of a program says about itself: its machine, and the libraries it is linked with.

Only as much of the ELF format as decides whether a library of ours can be loaded into it. Starts
nothing. Linux only.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from glob import glob
from pathlib import Path

_MAGIC = b"\x7fELF"
_LITTLE = 1
_PROGRAM_TYPES = (2, 3)
"""Programs at fixed addresses, and those at any, which libraries look like as well."""
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29
_MOST = 2_000
"""How many libraries are followed; no program has as many."""
_USUAL = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")


@dataclass(frozen=True)
class Image:
    """A program or a library."""

    path: str
    bits: int
    machine: int
    """The number that ELF has for the kind of processor."""
    linked: bool
    """Whether it is started by the dynamic linker, which loads libraries into it."""
    needed: tuple[str, ...]
    folders: tuple[str, ...]
    """Where it wants its libraries looked for first."""


def read(path: str | os.PathLike[str]) -> Image | None:
    """What a file says about itself; None if it is not an ELF file, or broken."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(6)
            if not head.startswith(_MAGIC) or head[5] != _LITTLE:
                return None
            # Mapped, as some are 200 MB and a few pages say all.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _image(os.path.realpath(path), data)
    except (OSError, struct.error, IndexError, ValueError):
        return None


def libraries(image: Image) -> dict[str, str]:
    """All libraries that the dynamic linker will load into a program, each with its path, or ""."""
    found: dict[str, str] = {}
    pending = [image]
    while pending and len(found) < _MOST:
        each = pending.pop(0)
        for name in each.needed:
            if name in found:
                continue
            path = found[name] = library(name, (*each.folders, *image.folders), image.bits) or ""
            if path and (below := read(path)) is not None:
                pending.append(below)
    return found


def library(name: str, folders: tuple[str, ...] = (), bits: int = 64) -> str | None:
    """The path of a library by its name, as the dynamic linker would find it; None if there is none."""
    if "/" in name:
        return name if Path(name).exists() else None
    for folder in (*folders, *system_folders()):
        path = os.path.join(folder, name)  # noqa: PTH118 - thousands of them are tried
        if os.path.exists(path) and _bits(path) == bits:  # noqa: PTH110 - as above
            return path
    return None


@cache
def system_folders() -> tuple[str, ...]:
    """The folders that the dynamic linker knows by its configuration."""
    return tuple(dict.fromkeys((*_configured("/etc/ld.so.conf", 0), *_USUAL)))


def _configured(pattern: str, depth: int) -> Iterator[str]:
    for path in sorted(glob(pattern)):  # noqa: PTH207 - the pattern is a whole path
        try:
            lines = Path(path).read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            word, _, rest = line.partition("#")[0].strip().partition(" ")
            if word == "include" and depth < 5:
                yield from _configured(str(Path(path).parent / rest.strip()), depth + 1)
            elif word.startswith("/"):
                yield word


def _bits(path: str) -> int:
    try:
        with Path(path).open("rb") as file:
            head = file.read(5)
    except OSError:
        return 0
    return 0 if head[:4] != _MAGIC else 64 if head[4] == 2 else 32


def _image(path: str, data: mmap.mmap) -> Image:
    bits = 64 if data[4] == 2 else 32
    kind, machine = struct.unpack_from("<HH", data, 16)
    if kind not in _PROGRAM_TYPES:
        raise ValueError(path)
    wide = bits == 64
    at = struct.unpack_from("<Q" if wide else "<I", data, 32 if wide else 28)[0]
    size, count = struct.unpack_from("<HH", data, 54 if wide else 42)
    loads, dynamic, linked = [], None, False
    for number in range(count):
        begin = at + number * size
        if wide:
            sort, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, begin)
        else:
            sort, offset, address, _, length = struct.unpack_from("<IIIII", data, begin)
        if sort == _LOAD:
            loads.append((address, offset, length))
        elif sort == _DYNAMIC:
            dynamic = (offset, length)
        elif sort == _INTERPRETER:
            linked = True
    needed, folders = _dynamic(data, dynamic, loads, wide, path)
    return Image(path, bits, machine, linked, needed, folders)


def _dynamic(
    data: mmap.mmap, where: tuple[int, int] | None, loads: list[tuple[int, int, int]], wide: bool, path: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the libraries, and the folders to look in."""
    if where is None:
        return (), ()
    form = "<qQ" if wide else "<iI"
    size = struct.calcsize(form)
    entries = list(struct.iter_unpack(form, data[where[0] : where[0] + where[1] // size * size]))
    address = next((value for tag, value in entries if tag == _STRINGS), None)
    if address is None:
        return (), ()
    strings = next(
        offset + address - begin for begin, offset, length in loads if begin <= address < begin + length
    )

    def text(at: int) -> str:
        return os.fsdecode(data[strings + at : data.find(b"\0", strings + at)])

    here = os.path.dirname(path)  # noqa: PTH120 - as text
    paths = [text(value) for tag, value in entries if tag in (_RPATH, _RUNPATH)]
    folders = tuple(
        folder.replace("${ORIGIN}", here).replace("$ORIGIN", here)
        for each in paths
        for folder in each.split(":")
        if folder
    )
    return tuple(text(value) for tag, value in entries if tag == _NEEDED), folders
