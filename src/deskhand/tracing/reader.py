"""Reads a trace: the zip, or the folder that a process was killed in the middle of."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from ..images.png import to_png
from ..model.errors import InvalidParams
from . import trees
from .frames import pixels_of
from .store import EVENTS, FORMAT, RECORDING, RESOURCES


class Recorded:
    """What a trace has: its steps in the order in which they began, the states between them, and the log."""

    def __init__(self, source: str | PathLike[str]) -> None:
        """Raises InvalidParams if it is not a trace that can be read."""
        self.path = Path(source)
        self.events: list[dict[str, Any]] = []
        """Everything, as it was written."""
        self.about: dict[str, Any] = {}
        self.apps: dict[int, dict[str, Any]] = {}
        self.groups: dict[int, dict[str, Any]] = {}
        self.steps: list[dict[str, Any]] = []
        self.states: dict[int, dict[str, Any]] = {}
        """By number; each has a complete `tree`, if it was read."""
        self.frames: dict[int, dict[str, Any]] = {}
        self.log: list[dict[str, Any]] = []
        """Errors, outputs of apps and lines of the test."""
        self.complete = False
        """Whether the recording was ended; otherwise the process was killed, or still runs."""
        self._pixels: dict[int, tuple[int, int, bytearray]] = {}
        self._zip = _opened(self.path)
        try:
            self._read()
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidParams(f"{self.path} is not a trace: {error!r}", field="file") from error

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    def resource(self, name: str) -> bytes:
        """A file of the trace. Raises KeyError."""
        if self._zip is not None:
            return self._zip.read(f"{RESOURCES}/{name}")
        path = self.path / RESOURCES / name
        if path.parent != self.path / RESOURCES or not path.is_file():
            raise KeyError(name)
        return path.read_bytes()

    def names(self) -> list[str]:
        """The names of all resources."""
        if self._zip is not None:
            prefix = f"{RESOURCES}/"
            return [name[len(prefix) :] for name in self._zip.namelist() if name.startswith(prefix)]
        return sorted(path.name for path in (self.path / RESOURCES).iterdir())

    def screenshot(self, number: int) -> bytes | None:
        """A frame as PNG; None if it is missing."""
        frame = self.frames.get(number)
        if frame is None:
            return None
        if "base" not in frame and not any(other.get("base") == number for other in self.frames.values()):
            return self.resource(frame["png"])
        width, height, colours = self._composed(number)
        blue_first = bytearray(width * height * 4)
        for channel in range(3):
            blue_first[2 - channel :: 4] = colours[channel::3]
        return to_png(width, height, bytes(blue_first))

    def _composed(self, number: int) -> tuple[int, int, bytearray]:
        chain = [number]
        while "base" in self.frames[chain[-1]] and chain[-1] not in self._pixels:
            chain.append(self.frames[chain[-1]]["base"])
        last = chain.pop()
        composed = self._pixels.get(last) or pixels_of(self.resource(self.frames[last]["png"]))
        while chain:
            width, height, colours = composed[0], composed[1], bytearray(composed[2])
            frame = self.frames[chain.pop()]
            part_width, _, part = pixels_of(self.resource(frame["png"]))
            below = 0
            for left, top, part_height in frame["strips"]:
                for row in range(top, top + part_height):
                    at, source = (row * width + left) * 3, (below + row - top) * part_width * 3
                    colours[at : at + part_width * 3] = part[source : source + part_width * 3]
                below += part_height
            composed = width, height, colours
        self._pixels = {number: composed}  # the next one is usually based on it
        return composed

    # -- events --------------------------------------------------------------------------------------

    def _read(self) -> None:
        steps: dict[int, dict[str, Any]] = {}
        newest: dict[int, dict[str, Any]] = {}
        for written in self._events():
            self.events.append(written)
            event = dict(written)
            kind = event.pop("type")
            match kind:
                case "start":
                    if event["format"] > FORMAT:
                        raise InvalidParams(
                            f"{self.path} has format {event['format']}, and this deskhand reads {FORMAT}",
                            field="file",
                            suggestions=("open it with a newer deskhand",),
                        )
                    self.about = event
                case "app":
                    self.apps[event["app"]] = event
                case "app-end":
                    self.apps[event["app"]]["end"] = event["time"]
                case "group":
                    self.groups[event["group"]] = event
                case "group-end":
                    self.groups[event["group"]]["end"] = event["time"]
                case "before":
                    steps[event["step"]] = {
                        "start": event.pop("time"),
                        "before": event.pop("state", None),
                        **event,
                    }
                case "after":
                    step = steps[event.pop("step")]
                    step["end"] = event.pop("time")
                    # What it was done to counts more than what its selector matched before.
                    step["target"] = {**step.get("target", {}), **event.pop("target", {})}
                    if event.get("waits"):
                        event["waits"] = [[step["start"] + at, what] for at, what in event["waits"]]
                    step.update(event)
                case "settled":
                    steps[event["step"]]["after"] = event["state"]
                case "params":
                    step = steps[event["step"]]
                    step["params"] = {**step["params"], **event["params"]}
                case "state":
                    if "tree" in event:
                        event["tree"] = newest[event["app"]] = trees.patched(
                            newest.get(event["app"], {}), event["tree"]
                        )
                    self.states[event["state"]] = event
                case "frame":
                    self.frames[event["frame"]] = event
                case "log" | "output" | "error" | "cut":
                    self.log.append({"type": kind, **event})
                case "end":
                    self.complete = True
        if not self.about:
            raise InvalidParams(f"{self.path} is not a trace: it has no start", field="file")
        self.steps = [steps[number] for number in sorted(steps)]

    def _events(self) -> Iterator[dict[str, Any]]:
        try:
            data = (self.path / EVENTS).read_bytes() if self._zip is None else self._zip.read(EVENTS)
        except (KeyError, OSError) as error:
            raise InvalidParams(f"{self.path} is not a trace: it has no {EVENTS}", field="file") from error
        lines = data.split(b"\n")
        for number, line in enumerate(lines):
            if not line:
                continue
            try:
                yield json.loads(line)
            except ValueError:
                if number < len(lines) - 1:
                    raise
                # The process was killed while it wrote its last line.


def _opened(path: Path) -> zipfile.ZipFile | None:
    if path.is_dir():
        return None
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        left = path.with_name(path.name + RECORDING)
        hint = (f"{left} is what a killed process recorded; open that",) if left.is_dir() else ()
        raise InvalidParams(f"there is no file {path}", field="file", suggestions=hint) from None
    except (OSError, zipfile.BadZipFile) as error:
        raise InvalidParams(f"{path} is not a trace: {error}", field="file") from error
