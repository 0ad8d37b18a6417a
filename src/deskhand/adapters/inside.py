"""An adapter inside the program that it drives: what is the same for every toolkit there.

A toolkit adds how its tree is read, how actions are done, and how a screenshot is made.
"""

from __future__ import annotations

import os
import platform
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar

from .. import __version__
from ..model.errors import AppGone, UiBusy
from ..model.node import AppInfo, AppState, Image
from ..model.operations import Action
from ..model.tree import Tree
from .clipboard import Clipboard
from .placement import Belief, Placement
from .screen import screen

T = TypeVar("T")

_TITLE_TIMEOUT = 0.1
"""How long `info` waits for the title of the main window, before it reports the last one known."""
_FIRST_TITLE_TIMEOUT = 1.0
"""The same while none is known: a program that has just started may be busy with showing its window."""


class Thread(Protocol):
    """The GUI thread of a toolkit."""

    def call(self, fn: Callable[[], T], timeout: float) -> T: ...

    def look(self, fn: Callable[[], T], timeout: float) -> T: ...


class Reads(Protocol):
    """Reads the tree of a toolkit, on its GUI thread."""

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        cold: bool = False,
    ) -> Tree: ...


class Subscribable(Protocol):
    """Knows when something may look different."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]: ...


U = TypeVar("U", bound=Thread)
R = TypeVar("R", bound=Reads)
C = TypeVar("C", bound=Subscribable)


class InsideAdapter(ABC, Generic[U, R, C]):
    """Reads one toolkit in this process, for callers on any thread."""

    name: ClassVar[str]

    def __init__(self, ui: U, reader: R, changes: C) -> None:
        self._ui = ui
        self._reader = reader
        self._changes = changes
        self._title: str | None = None

    @abstractmethod
    def made_with(self) -> tuple[str, str, str]:
        """What the program is made with: its framework, the version of that, and what both run on."""

    @abstractmethod
    def main_title(self) -> str | None:
        """The title of the main window. On the GUI thread."""

    @abstractmethod
    def app_state(self) -> AppState:
        """What can be seen of the program's state. On the GUI thread."""

    def info(self) -> AppInfo:
        # Fallback: while the GUI thread is blocked, the title is the one that it had before.
        timeout = _FIRST_TITLE_TIMEOUT if self._title is None else _TITLE_TIMEOUT
        with suppress(UiBusy, AppGone):
            self._title = self._ui.look(self.main_title, timeout)
        framework, version, base = self.made_with()
        return AppInfo(
            framework=framework,
            version=version,
            pid=os.getpid(),
            title=self._title,
            runtime=f"{base}{', ' if base else ''}Python {platform.python_version()}",
            main=Path(sys.argv[0]).name if sys.argv and sys.argv[0] else None,
            toolkit=self.name,
            deskhand=__version__,
        )

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        read = self._reader.read
        tree = self._ui.look(lambda: read(root, depth=depth, details=details, internals=internals), timeout)
        if tree.windows:
            self._title = tree.windows[0].title
        return tree

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """The same read with nothing taken from earlier ones."""
        read = self._reader.read
        return self._ui.look(
            lambda: read(root, depth=depth, details=details, internals=internals, cold=True), timeout
        )

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        return self._changes.subscribe(changed)

    def state(self, *, timeout: float) -> AppState:
        return self._ui.look(self.app_state, timeout)

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        """Run a function of the program's own on its GUI thread."""
        return self._ui.call(function, timeout)


class OnDisplay(InsideAdapter[U, R, C]):
    """One whose windows, pointer, keys and clipboard are those of the X display."""

    def __init__(self, ui: U, reader: R, changes: C) -> None:
        super().__init__(ui, reader, changes)
        self._placement = Placement(whose=os.getpid().__eq__)
        self.clipboard = Clipboard(os.environ)

    @abstractmethod
    def act(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Mapping[str, object]:
        """Do it now, to the node with that uid."""

    @abstractmethod
    def rest(self, timeout: float) -> Belief:
        """Return once the GUI thread has nothing more to do, with what its windows are about to do."""

    @abstractmethod
    def let_go(self) -> None:
        """Leave the toolkit and its thread unchanged."""

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        try:
            return self.act(action, uid, to, timeout)
        finally:
            self._placement.acted(action)

    def desktop(self, *, timeout: float) -> Image:
        return screen(os.environ)

    def idle(self, *, timeout: float) -> None:
        self._placement.connect(os.environ)
        self._placement.wait(self.rest, timeout)

    def close(self) -> None:
        self.let_go()
        self._placement.close()
        self.clipboard.close()
