"""Says what a machine has run out of (space, descriptors, processes) and what to do about it.

For errors that people read. Not for deciding what to do next: nothing here tries again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import resource  # nothing here runs on Windows, where the package is imported all the same

_NO_THREAD = "can't start new thread"
"""What Python says in a RuntimeError when the system gives it no thread."""
_SPACE = "free space on that disk, or use another one; for temporary files that is TMPDIR"
_WRITABLE = "use a file system that can be written; a private desktop needs /tmp to be one"
_KINDS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_SAID = {"Cannot fork": errno.EAGAIN, **{os.strerror(kind): kind for kind in _KINDS}}
"""What programs write when they lack something."""
_TASKS = 64
"""How many processes and threads a private desktop has, and then some."""


def kind_of(error: BaseException) -> int | None:
    """What an error says is lacking, as an errno; None if it says something else."""
    if isinstance(error, OSError):
        return error.errno if error.errno in _KINDS else None
    return errno.EAGAIN if isinstance(error, RuntimeError) and str(error) == _NO_THREAD else None


def in_words(error: BaseException) -> str:
    """The error without its number, with the file that it is about."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.strerror}: '{os.fsdecode(error.filename)}'"


@contextlib.contextmanager
def about(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors name this file if they name none: Python's do not when a write fails on a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


def advice_on(said: str) -> tuple[str, ...]:
    """What to do when a program fails and says this; empty if it seems to lack nothing."""
    kind = next((number for text, number in _SAID.items() if text in said), None)
    # Some say nothing of it when they cannot start another process.
    return tuple(_crowded()) if kind is None else advice(kind)


def advice(kind: int | None) -> tuple[str, ...]:
    """What to do when this is lacking, an errno; empty for others."""
    if kind in (errno.ENOSPC, errno.EDQUOT):
        return (_SPACE,)
    if kind == errno.EROFS:
        return (_WRITABLE,)
    if kind == errno.EMFILE:
        return (f"raise the limit on open files, which is {_limit('NOFILE')}: ulimit -n",)
    if kind == errno.ENFILE:
        return ("raise the machine's limit on open files: sysctl fs.file-max",)
    if kind == errno.ENOMEM:
        return ("end programs that need much memory",)
    if kind == errno.EAGAIN:
        known = tuple(_crowded())
        return known or ("end some processes, or raise the limit on them: ulimit -u, or the container's",)
    return ()


def _crowded() -> Iterator[str]:
    """Each limit on processes that is about to be reached, with what to do."""
    limit = _limit("NPROC")
    if limit is not None and os.geteuid() != 0 and (there := _tasks()) + _TASKS > limit:
        yield (
            f"this user may have {limit} processes and threads, and has {there}; a private desktop needs "
            f"up to {_TASKS}: end some, or raise the limit: ulimit -u"
        )
    with contextlib.suppress(OSError, ValueError):  # no such group, or no limit
        group = _group()
        most, there = (int((group / f"pids.{name}").read_text()) for name in ("max", "current"))
        if there + _TASKS > most:
            yield (
                f"this container or control group may have {most} processes and threads, and has {there}; a "
                f"private desktop needs up to {_TASKS}: raise its limit: pids.max, docker run --pids-limit"
            )


def _limit(name: str) -> int | None:
    """A limit of this process; None if there is none."""
    limit: int = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _tasks() -> int:
    """How many threads the processes of this user have."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if process.stat().st_uid == os.geteuid():
                count += len(os.listdir(process / "task"))  # noqa: PTH208 - names are enough
    return count


def _group() -> Path:
    """The folder of the control group that limits our processes, in either version."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "pids" in controllers.split(","):
            return Path("/sys/fs/cgroup/pids" + path)
    # Fallback: none of the first version, so that the second has it, whose line comes last.
    return Path("/sys/fs/cgroup" + path)
