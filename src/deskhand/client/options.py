"""What `expect` uses unless a call says otherwise: one record for sync, async and test runners."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any

from ..model.alike import alike, did_you_mean
from ..model.operations import check_timeout

_PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep
OUTPUT = "test-results"
"""The folder for the files of failed comparisons, where none was set."""


@dataclass
class Options:
    """The defaults of all expectations."""

    timeout: float | None = None
    """How long expectations wait, in seconds; None for the app's own timeout."""
    update_snapshots: bool = False
    """Write stored trees and screenshots anew instead of failing."""
    output: Path | None = None
    """Where a failed comparison leaves its files; None for `test-results` in the current folder."""
    test_file: Path | None = None
    """The file of the test that runs, set by a test runner; None for the file that calls `expect`."""

    def set(self, given: dict[str, Any]) -> None:
        """Change those that are given; TypeError names one that does not exist."""
        for name, value in given.items():
            if name not in self.__dataclass_fields__:
                near = "".join(f"; {hint}" for hint in did_you_mean(alike(name, self.__dataclass_fields__)))
                raise TypeError(f"no option '{name}' of expect{near}")
            if name == "timeout":
                check_timeout(value)
            is_path = name in ("output", "test_file") and value is not None
            setattr(self, name, path(value) if is_path else value)


options = Options()
"""The options that are in use."""


def path(value: str | PathLike[str]) -> Path:
    return Path(value).absolute()


def output_folder() -> Path:
    """Where a failed comparison leaves its files."""
    return options.output or Path(OUTPUT).absolute()


def test_file() -> Path:
    """The file of the test that runs: as the test runner set it, else the one that called into deskhand."""
    if options.test_file is not None:
        return options.test_file
    return Path(caller().f_code.co_filename).absolute()


def caller() -> FrameType:
    """The frame that called into deskhand."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to it
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame
