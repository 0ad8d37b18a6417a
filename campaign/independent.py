"""Starts the independent reader (`walk.py`) on a desktop and asks it; asks the display by its own tools."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

PYTHON = "/usr/bin/python3"
"""The system's own, which has the library of the accessibility bus."""
_SCRIPT = Path(__file__).with_name("walk.py")
_LINE = re.compile(
    r"\s*0x(?P<id>[0-9a-f]+) (?P<title>\".*\"|\(has no name\)): \((?P<kind>.*)\)"
    r"\s+(?P<width>\d+)x(?P<height>\d+)\+-?\d+\+-?\d+\s+\+(?P<x>-?\d+)\+(?P<y>-?\d+)$"
)

Key = tuple[str, str]
"""The bus name of a program and the path of an object."""


@dataclass(frozen=True)
class Object:
    """One accessible object, as the independent reader saw it."""

    bus: str
    path: str
    role: str
    name: str
    states: frozenset[str]
    parent: str | None = None
    text: str | None = None
    length: int | None = None
    value: float | None = None
    placeholder: str = ""
    labels: tuple[str, ...] = ()
    count: int | None = None
    """How many children it has; None where they were not asked for."""
    kids: tuple[Key, ...] | None = None

    @property
    def key(self) -> Key:
        return self.bus, self.path

    @staticmethod
    def of(known: Mapping[str, Any]) -> Object:
        fields = dict(known)
        fields["states"] = frozenset(known["states"])
        fields["labels"] = tuple(known.get("labels", ()))
        if "kids" in fields:
            fields["kids"] = tuple((bus, path) for bus, path in known["kids"])
        return Object(**fields)


@dataclass(frozen=True)
class Program:
    """One program on the bus."""

    name: str
    toolkit: str
    pid: int
    bus: str
    path: str


@dataclass(frozen=True)
class Walk:
    """All objects of all programs at one moment."""

    programs: tuple[Program, ...]
    objects: dict[Key, Object] = field(default_factory=dict)
    errors: tuple[str, ...] = ()


class NoAnswer(Exception):
    """The independent reader did not answer in time: a program on the desktop hangs."""


class Reader:
    """The independent reader on one desktop."""

    def __init__(self, env: Mapping[str, str], bus: str) -> None:
        self._process = subprocess.Popen(
            [PYTHON, "-I", str(_SCRIPT), bus], env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        )  # fmt: skip

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def walk(self, *, hidden: bool, timeout: float = 60.0) -> Walk:
        """Every object; with `hidden`, also what is inside those that do not show."""
        answer = self._ask({"do": "walk", "hidden": hidden}, timeout)
        objects = (Object.of(known) for known in answer["objects"])
        programs = tuple(Program(**known) for known in answer["programs"])
        return Walk(programs, {one.key: one for one in objects}, tuple(answer["errors"]))

    def read(self, keys: Sequence[Key], timeout: float = 30.0) -> list[Object | None]:
        """Some objects by plain D-Bus calls; None for one that is gone."""
        if not keys:
            return []
        answer = self._ask({"do": "read", "objects": keys}, timeout)
        return [None if known is None else Object.of(known) for known in answer["objects"]]

    def hits(self, window: Key, x: float, y: float, timeout: float = 30.0) -> tuple[list[Key], list[Key]]:
        """What a window says is at a point, from itself down to the innermost object; and what that is in."""
        answer = self._ask({"do": "hit", "window": window, "x": round(x), "y": round(y)}, timeout)
        chain, above = ([(bus, path) for bus, path in answer[part]] for part in ("hits", "above"))
        return chain, above

    def _ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Timer(timeout, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late.cancel()
        if not line:
            raise NoAnswer(f"the independent reader gave no answer to {request['do']} within {timeout:g} s")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise NoAnswer(str(answer["error"]))
        return answer


@dataclass(frozen=True)
class OnScreen:
    """A window that the display has mapped."""

    id: int
    title: str
    kind: str
    """The two parts of WM_CLASS as xwininfo prints them."""
    x: int
    y: int
    width: int
    height: int
    managed: bool
    """Whether the window manager put a frame around it; menus and tooltips have none."""


def windows(env: Mapping[str, str]) -> list[OnScreen]:
    """The windows of programs that the display shows, asked by xdotool and xwininfo."""
    shown = _run(["xdotool", "search", "--onlyvisible", "--maxdepth", "2", "--name", ""], env)
    mapped = {int(number) for number in shown.split()}
    found = []
    inside = False
    for line in _run(["xwininfo", "-root", "-tree"], env).splitlines():
        match = _LINE.match(line)
        depth = (len(line) - len(line.lstrip()) - 5) // 3
        if match is None or depth > 1:
            continue
        number, title, kind = int(match["id"], 16), match["title"], match["kind"]
        if depth == 0:
            inside = number in mapped
        named = title.startswith('"') or kind.startswith('"')
        if (
            not inside
            or number not in mapped
            or not named
            or "OPENBOX" in kind.upper()
            or title == '"Openbox"'
        ):
            continue
        x, y, width, height = (int(match[name]) for name in ("x", "y", "width", "height"))
        title = title.strip('"') if title.startswith('"') else ""
        found.append(OnScreen(number, title, kind, x, y, width, height, managed=depth == 1))
    return found


def window_type(env: Mapping[str, str], window: OnScreen) -> str:
    """What a program says that its window is, such as TOOLTIP; empty where it says nothing."""
    answer = _run(["xprop", "-id", str(window.id), "_NET_WM_WINDOW_TYPE"], env)
    return answer.partition("_NET_WM_WINDOW_TYPE_")[2].split(",")[0].strip()


def pointer(env: Mapping[str, str]) -> tuple[int, int]:
    """Where the display says that the pointer is."""
    answer = dict(part.split(":") for part in _run(["xdotool", "getmouselocation"], env).split())
    return int(answer["x"]), int(answer["y"])


def _run(argv: list[str], env: Mapping[str, str]) -> str:
    return subprocess.run(
        argv, env=dict(env), capture_output=True, text=True, errors="replace", timeout=60, check=False
    ).stdout
