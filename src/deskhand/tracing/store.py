"""What a trace writes while it is recorded: a file of events, and one file for each resource.

Each event is written when it happens, so that what a killed process leaves can be read. A disk that is full
or gone never disturbs what is traced: it is logged once.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

from ..model.node import MASK
from ..protocols.jsontext import dumps, quote
from .stack import Call

FORMAT = 1
"""The version of the format; `reader` refuses newer ones."""
EVENTS = "trace.jsonl"
RESOURCES = "resources"
RECORDING = ".recording"
"""What the name of the folder ends with while the trace is recorded."""
MOST_BYTES = 256_000_000
"""How large a trace may become. Afterwards screenshots and trees are left out, and the trace says so."""
_LONGEST_SOURCE = 1_000_000
_RECOGNISABLE = 4
"""From how many characters on a password is looked for in other texts; shorter ones would be everywhere."""
_PIECES = re.compile(r"[\x00-\x1f\x7f]+")
"""What moves on to the next field in a text that is typed, such as a tab."""


class Store:
    """The folder of a trace. Thread-safe."""

    def __init__(self, path: Path | None) -> None:
        """`path` is that of the zip; without one the folder is a temporary one. Raises OSError."""
        self._lock = threading.RLock()
        self._began = time.monotonic()
        self._steps = self._states = self._apps = self._groups = self._size = 0
        self._open_groups: list[int] = []
        self._secrets: set[str] = set()
        self._sources: dict[str, str | None] = {}
        self._names: set[str] = set()
        self._unwritten = b""
        self.over = False
        """Whether nothing more is written."""
        self.full = False
        """Whether it is so large that screenshots and trees are left out."""
        self.folder = _folder(path)
        self._events = (self.folder / EVENTS).open("ab", buffering=0)

    def close(self) -> None:
        """Write nothing more."""
        with self._lock:
            self.over = True
            self._events.close()

    def pack(self, target: Path) -> None:
        """Write what is here as a zip, without passwords, and remove it. Raises OSError."""
        self._mask_files()
        _pack(self.folder, target)
        self.remove()

    def remove(self) -> None:
        """Leave nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def next_app(self) -> int:
        """The number of one more app."""
        with self._lock:
            self._apps += 1
            return self._apps

    def open_group(self, title: str) -> int:
        """Begin a group of steps; its number."""
        with self._lock:
            self._groups += 1
            parent = self._open_groups[-1] if self._open_groups else None
            self._open_groups.append(self._groups)
            self.write("group", group=self._groups, title=title, parent=parent)
            return self._groups

    def close_group(self, number: int) -> None:
        """End a group of steps."""
        with self._lock:
            self._open_groups.remove(number)
            self.write("group-end", group=number)

    def next_step(self) -> tuple[int, int | None]:
        """The number of one more step, and its group."""
        with self._lock:
            self._steps += 1
            return self._steps, self._open_groups[-1] if self._open_groups else None

    def next_state(self) -> int:
        """The number of one more state."""
        with self._lock:
            self._states += 1
            return self._states

    @property
    def now(self) -> float:
        """Seconds since it began."""
        return round(time.monotonic() - self._began, 4)

    def write(self, kind: str, *, now: bool = True, **fields: Any) -> None:
        """Write an event; None is left out. Without `now`, it is written with the next one."""
        event = {"type": kind, "time": self.now}
        event.update({name: value for name, value in fields.items() if value is not None})
        line = self.masked_json(dumps(event)) + b"\n"
        with self._lock:
            if self.over:
                return
            self._unwritten += line
            if now:
                self.flush()

    def flush(self) -> None:
        """Write what waits for the next event."""
        with self._lock:
            lines, self._unwritten = self._unwritten, b""
            if self.over or not lines:
                return
            try:
                self._events.write(lines)
            except OSError as error:
                self._stop(error)
                return
            self._grow(len(lines))

    def keep(self, data: bytes, ending: str) -> str | None:
        """Keep a resource, once; its name. None if it cannot be kept."""
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest() + ending
        path = self.folder / RESOURCES / name
        with self._lock:
            if self.over or self.full:
                return None
            if name in self._names:
                return name
            self._names.add(name)
            try:
                path.write_bytes(data)
            except OSError as error:
                self._stop(error)
                return None
            self._grow(len(data))
        return name

    def source(self, file: str) -> str | None:
        """Keep the text of a source file; the name of the resource."""
        with self._lock:
            if file not in self._sources:
                self._sources[file] = self._read_source(file)
            return self._sources[file]

    def sources(self, call: Call) -> list[dict[str, Any]]:
        """The lines of a call as data, with the names of their sources."""
        lines = []
        for line in call.lines:
            entry: dict[str, Any] = {"file": line.file, "line": line.line, "function": line.function}
            if (source := self.source(line.file)) is not None:
                entry["source"] = source
            lines.append(entry)
        return lines

    def hide(self, secret: str) -> None:
        """Leave a password out of everything that is written, also of what was written before."""
        with self._lock:
            for piece in (secret, *_PIECES.split(secret)):
                if len(piece) >= _RECOGNISABLE:
                    self._secrets.add(piece)

    def masked_json(self, text: bytes) -> bytes:
        """JSON without the passwords that are known."""
        # The longest first: a shorter one may be a part of it.
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(quote(secret)[1:-1].encode(), MASK.encode())
        return text

    def _mask_files(self) -> None:
        if not self._secrets:
            return
        events = self.folder / EVENTS
        events.write_bytes(self.masked_json(events.read_bytes()))
        for name in filter(None, self._sources.values()):
            path = self.folder / RESOURCES / name
            text = path.read_bytes()
            for secret in sorted(self._secrets, key=len, reverse=True):
                text = text.replace(secret.encode(), MASK.encode())
            path.write_bytes(text)

    def _read_source(self, file: str) -> str | None:
        path = Path(file)
        try:
            if path.stat().st_size > _LONGEST_SOURCE:
                return None
            # Named by what it is called too: two files with the same text are masked alike anyway.
            return self.keep(path.read_bytes(), ".txt")
        except OSError:
            return None

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_BYTES and not self.full:
            self.write(
                "cut", text=f"from here on without screenshots and trees: more than {MOST_BYTES} bytes"
            )
            self.full = True

    def _stop(self, error: OSError) -> None:
        """The disk is full or gone: nothing that is traced may fail because of that."""
        if not self.full:
            self.full = True
            logging.getLogger("deskhand").warning("%s misses steps: %s", self.folder, error.strerror)


def _folder(path: Path | None) -> Path:
    """A folder that other users cannot read."""
    if path is None:
        folder = Path(tempfile.mkdtemp(prefix="deskhand-trace."))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = path.with_name(path.name + RECORDING)
        if folder.exists():
            # What a killed process left; the file was asked for again.
            shutil.rmtree(folder)
        folder.mkdir(0o700)
    (folder / RESOURCES).mkdir()
    return folder


def _pack(folder: Path, target: Path) -> None:
    """Write a zip of a folder; it appears under its name when all of it is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with (
            part.open("wb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped,
        ):
            os.fchmod(file.fileno(), 0o600)
            zipped.write(folder / EVENTS, EVENTS)
            for path in sorted((folder / RESOURCES).iterdir()):
                stored = zipfile.ZIP_STORED if path.suffix == ".png" else zipfile.ZIP_DEFLATED
                zipped.write(path, f"{RESOURCES}/{path.name}", stored)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
