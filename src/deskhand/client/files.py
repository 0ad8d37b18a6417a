"""Writes files for callers: whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file; if that fails, what was there before still is. Raises OSError, which names the file."""
    wanted = Path(path)
    try:
        _write(Path(os.path.realpath(wanted)), data)
    except OSError as error:
        error.filename = str(wanted)
        raise


def _write(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)  # a device or a pipe has nothing to be kept
        return
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.write_bytes(data)
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        part.replace(target)
    except PermissionError:
        part.unlink(missing_ok=True)
        # Fallback: a file that may be written, in a folder that may not.
        target.write_bytes(data)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
