"""Writes files for callers: whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO


def write_whole(path: str | PathLike[str], data: bytes) -> None:
    """Write a file; if that fails, the one that was there before still is. OSError names the file."""
    try:
        with landing(path) as file:
            file.write(data)
    except OSError as error:
        error.filename = os.fspath(path)
        raise


@contextmanager
def landing(local: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Where the bytes of a file go that appears under its name only at the end, or not at all."""
    path = Path(local).resolve()
    found = path.stat() if path.exists() else None
    if found is not None and not stat.S_ISREG(found.st_mode):
        # A device or a pipe can only be written to, not replaced.
        with path.open("wb") as file:
            yield file
        return
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    with part.open("xb") as file:
        try:
            if found is not None and found.st_uid == part.stat().st_uid:
                # Permissions, and not set-uid, set-gid or sticky: it has another content now.
                part.chmod(found.st_mode & 0o777)
            yield file
            file.close()
            part.replace(path)
        except BaseException:
            with suppress(OSError):  # the error that is on its way says more
                part.unlink()
            with suppress(OSError):  # closing writes what was held back, which fails once more
                file.close()
            raise
