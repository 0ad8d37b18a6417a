"""Where a token comes from, and that no other user of the machine sees it."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from itertools import pairwise
from pathlib import Path

import click

from ..transports.interface import TOKEN

VARIABLE = TOKEN
_OPTION = "--token"


def given(token: str | None, file: Path | None) -> str | None:
    """The token that an option, its file or else the environment gives. Raises UsageError."""
    if token is not None and file is not None:
        raise click.UsageError("--token contradicts --token-file; give one of them")
    if token == "":
        raise click.UsageError("--token is empty")
    if token is not None:
        return token
    return os.environ.get(VARIABLE) or None if file is None else _read(file)


def taken(token: str | None, file: Path | None) -> str | None:
    """The same for a server, which removes it from its environment: what it starts does not inherit it."""
    found = given(token, file)
    os.environ.pop(VARIABLE, None)
    return found


def made(as_json: bool) -> str:
    """A new token, printed once on stderr unless the JSON of the endpoints carries it."""
    token = secrets.token_urlsafe(24)
    if not as_json:
        click.echo(f"token {token}", err=True)
    return token


def _read(file: Path) -> str:
    try:
        text = file.read_text().strip()
        readable = stat.S_IMODE(file.stat().st_mode) & (stat.S_IRGRP | stat.S_IROTH)
    except (OSError, UnicodeError) as error:
        raise click.UsageError(f"cannot read the token in {file}: {error}") from None
    if not text or len(text.split()) != 1:
        raise click.UsageError(f"{file} does not hold a token: one line without spaces")
    if readable:
        click.echo(f"warning: other users can read the token in {file}; chmod 600 {file}", err=True)
    return text


def hide(arguments: list[str]) -> None:
    """Overwrite the tokens in the command line that the system shows of this process, as `ps` does."""
    secret = {
        following if argument == _OPTION else argument.partition("=")[2]
        for argument, following in pairwise([*arguments, ""])
        if argument == _OPTION or argument.startswith(f"{_OPTION}=")
    } - {""}
    if not secret or sys.platform != "linux":
        return
    try:
        _overwrite({os.fsencode(text) for text in secret})
    except (OSError, ValueError, IndexError) as error:
        click.echo(
            f"warning: other users can see --token in the list of processes ({error}); "
            f"use --token-file or {VARIABLE}",
            err=True,
        )


def _overwrite(secret: set[bytes]) -> None:
    # The name in the second field may hold spaces; the fields after it are numbered from 3.
    fields = Path("/proc/self/stat").read_bytes().rpartition(b") ")[2].split()
    begin, end = int(fields[48 - 3]), int(fields[49 - 3])
    with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
        memory.seek(begin)
        shown = memory.read(end - begin)
        hidden = b"\0".join(_masked(argument, secret) for argument in shown.split(b"\0"))
        with contextlib.suppress(OSError):  # what counts is what is shown now
            memory.seek(begin)
            memory.write(hidden)
    if any(text in Path("/proc/self/cmdline").read_bytes().split(b"\0") for text in secret):
        raise OSError("the system does not let it be overwritten")


def _masked(argument: bytes, secret: set[bytes]) -> bytes:
    name, equals, value = argument.partition(b"=")
    if argument in secret:
        return b"*" * len(argument)
    return name + equals + b"*" * len(value) if equals and value in secret else argument
