"""One slicing, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from . import gcode
from .model import Filament, Printer, Settings
from .slice import Cancelled, Sliced, slice_mesh
from .stl import Mesh, ModelError


@dataclass(frozen=True)
class Plan:
    """All that a slicing depends on."""

    mesh: Mesh
    """As placed on the plate."""
    printer: Printer
    filament: Filament
    settings: Settings


@dataclass(frozen=True)
class Result:
    """What came of it."""

    sliced: Sliced
    text: str
    """The G-code."""
    needed: gcode.Amounts


class Job:
    """Slices until it is done or cancelled. It calls what it is given in its thread, `progress` in per cent.

    After `cancel` none of them is called any more, but for one that has begun already.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        progress: Callable[[Job, int], None],
        done: Callable[[Job, Result], None],
        failed: Callable[[Job, str], None],
    ) -> None:
        self.plan = plan
        self.percent = 0
        self._progress, self._done, self._failed = progress, done, failed
        self.cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="slicing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self, timeout: float | None = None) -> None:
        """Give up after the layer that is being worked on; with a timeout, wait so long for it."""
        self.cancelled.set()
        if timeout is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        plan = self.plan
        try:
            sliced = slice_mesh(plan.mesh, plan.settings, self._report)
            result = Result(
                sliced,
                gcode.write(sliced, plan.printer, plan.filament),
                gcode.amounts(sliced, plan.filament),
            )
        except Cancelled:
            return
        except ModelError as error:
            self._failed(self, str(error))
        except Exception as error:  # noqa: BLE001 - shown to the user, whatever it is
            self._failed(self, f"the slicing failed: {type(error).__name__}: {error}")
        else:
            if not self.cancelled.is_set():
                self._done(self, result)

    def _report(self, share: float) -> bool:
        percent = int(share * 100)
        if percent != self.percent and not self.cancelled.is_set():
            self.percent = percent
            self._progress(self, percent)
        return not self.cancelled.is_set()
