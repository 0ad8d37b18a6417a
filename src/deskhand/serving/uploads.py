"""Puts a file in its place: whole or not at all, and nowhere that another user has prepared.

Folders are entered one by one by their descriptors, so that what was checked is what is used. For Linux.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from ..model.errors import UploadFailed

_MAX_LINKS = 40
"""As the kernel has it."""
_FOLDER = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Placed:
    """A file that is written next to its destination, under another name; `finish` renames it."""

    def __init__(self, path: Path) -> None:
        """Make the folders that are missing, and the file. Raises UploadFailed or OSError."""
        with contextlib.ExitStack() as undo:
            self._folder, self._name = _destination(path)
            undo.callback(os.close, self._folder)
            self._mode = self._mode_for(path)
            self._part = f".{self._name[:100]}.{secrets.token_hex(4)}.part"
            self._file = os.open(self._part, _NEW, 0o600, dir_fd=self._folder)
            undo.callback(self._remove)
            undo.callback(os.close, self._file)
            self._undo = undo.pop_all()

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._file, left) :]

    def finish(self) -> None:
        """Put it in its place, on the disk as well."""
        os.fchmod(self._file, self._mode)
        os.fsync(self._file)
        os.rename(self._part, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._part = ""
        with contextlib.suppress(OSError):  # a folder that may not be read; the file itself is on the disk
            folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._folder)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def close(self) -> None:
        """Leave nothing of a file that was not finished; does nothing the second time."""
        self._undo.close()

    def _remove(self) -> None:
        if self._part:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._part, dir_fd=self._folder)

    def _mode_for(self, path: Path) -> int:
        """The permissions of the file that is replaced if it is ours, and never more than permissions."""
        try:
            found = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return 0o666 & ~_umask()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no file"
            raise UploadFailed(f"{path} is {kind}", target=str(path))
        _refuse_foreign(found, os.fstat(self._folder), path, "belongs to")
        # Not set-uid, set-gid or sticky: the new file has another content and perhaps another owner.
        return found.st_mode & 0o777 if found.st_uid == os.geteuid() else 0o666 & ~_umask()


def _destination(path: Path) -> tuple[int, str]:
    """The folder that a file goes to, as a descriptor, and its name there. Links are followed."""
    waiting = list(reversed(path.parts[1:]))
    links = 0
    with _descriptor(os.open("/", _FOLDER)) as current:
        while waiting:
            name = waiting.pop()
            found = _look(name, current[0])
            if found is not None and stat.S_ISLNK(found.st_mode):
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                _refuse_foreign(found, os.fstat(current[0]), path, f"goes through the link '{name}' of")
                target = Path(os.readlink(name, dir_fd=current[0]))
                parts = target.parts
                if target.is_absolute():
                    current[0] = _enter("/", current[0])
                    parts = parts[1:]
                waiting.extend(reversed(parts))
                continue
            if not waiting:
                return os.dup(current[0]), name
            if found is None:
                with contextlib.suppress(FileExistsError):  # another upload made it just now
                    os.mkdir(name, dir_fd=current[0])
            elif not stat.S_ISDIR(found.st_mode):
                above = path.parents[len(waiting) - 1] if len(waiting) <= len(path.parents) else path
                raise UploadFailed(f"{path}: {above} is not a folder", target=str(path))
            current[0] = _enter(name, current[0])
    raise UploadFailed(f"{path} is a folder", target=str(path))


@contextlib.contextmanager
def _descriptor(number: int) -> Iterator[list[int]]:
    """A descriptor that may be exchanged for another one."""
    held = [number]
    try:
        yield held
    finally:
        os.close(held[0])


def _enter(name: str, folder: int) -> int:
    inner = os.open(name, _FOLDER, dir_fd=folder)
    os.close(folder)
    return inner


def _look(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _refuse_foreign(found: os.stat_result, folder: os.stat_result, path: Path, how: str) -> None:
    """Raise UploadFailed for what another user has put into a folder that all may write to, such as /tmp."""
    shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & (stat.S_IWOTH | stat.S_IWGRP)
    if shared and found.st_uid not in (os.geteuid(), folder.st_uid, 0):
        raise UploadFailed(
            f"{path} {how} user {found.st_uid}, in a folder that all users may write to",
            target=str(path),
            suggestions=("use another name, or a folder of your own",),
        )


def _umask() -> int:
    # Setting it and setting it back would show in other threads for a moment.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("Umask:"):
            return int(line.split()[1], 8)
    return 0o022
