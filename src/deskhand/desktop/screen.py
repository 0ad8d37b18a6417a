"""The screen that this process is on, in place of a private desktop: for a person who wants to watch.

Programs share its display and its buses with everything else on it. Their home is their own, as on a private
desktop, so that they neither find nor change the settings of that person.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .. import x11
from ..transports.interface import TOKEN
from .private import Desktop


class Screen(Desktop):
    """What DISPLAY names. Closing it ends the programs that were started here, and nothing else."""

    def __init__(
        self, *, env: Mapping[str, str] | None = None, home: str | os.PathLike[str] | None = None
    ) -> None:
        """`env` is added to the environment of every program; `home` is their home, made if it is missing."""
        super().__init__(env=env, home=home, tmp="shared")

    def start(self) -> Screen:
        """Make the home."""
        self._supervisor.start()
        try:
            self._prepare_home()
        except BaseException:
            self.close()
            raise
        return self

    def _prepare_home(self) -> None:
        home = self._kept_home or self.folder / "home"
        home.mkdir(0o700, parents=True, exist_ok=True)
        here = {name: value for name, value in os.environ.items() if name != TOKEN}
        self.display = here.get("DISPLAY", "")
        self.bus_address = here.get("DBUS_SESSION_BUS_ADDRESS", "")
        if self.display:
            # The default is in the home that programs do not have here.
            here.setdefault("XAUTHORITY", str(Path.home() / ".Xauthority"))
            with self._connect() as x:
                self.size = (x.width, x.height)
        folders = {"CACHE": ".cache", "CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state"}
        own = {f"XDG_{kind}_HOME": str(home / name) for kind, name in folders.items()}
        self.env = {**here, "HOME": str(home), **own, **self._extra}

    def _connect(self) -> x11.Connection:
        host, number = x11.parse_display(self.display)
        return x11.Connection(number, x11.read_cookie(os.environ, number), self._timeout, host=host)
