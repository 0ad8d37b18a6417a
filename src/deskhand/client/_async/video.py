"""Video of the desktop that an app is on: starting and stopping it, and what it shows of each operation."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...model.errors import ActionFailed, ActionUnsupported
from ...serving.machine import session_of
from ..threads import open_in_thread, to_thread

if TYPE_CHECKING:
    from ...video import Film

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it


class Video:
    """Films the desktop of an app into a WebM file, with captions of what is done and marks at clicks."""

    def __init__(self, pid: int | None) -> None:
        self.film: Film | None = None
        """What is recorded now; several apps of one desktop may share it."""
        self._pid = pid
        self._own = False

    async def start(self, path: str | PathLike[str]) -> None:
        """Film from now on. The file is complete after `stop`, or when the app is closed."""
        from ...video import Film  # large, and needed for this alone

        if self.film is not None:
            raise ActionFailed("this app is filmed already; stop that first", target=str(self.film.path))
        if self._pid is None:
            raise ActionUnsupported("a video is of a desktop of this machine, and this app is elsewhere")
        self.film = await open_in_thread(Film, path, session_of(self._pid))
        self._own = True

    async def stop(self, *, discard: bool = False) -> Path | None:
        """End the video; its file, or None if there is none or it was discarded."""
        film, self.film = self.film, None
        own, self._own = self._own, False
        return await to_thread(film.stop, discard=discard) if film is not None and own else None
