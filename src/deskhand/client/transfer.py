"""Files to and from an agent, of any length, in either of the two forms that agents know.

The newer form carries the bytes as they are, the older one as base64 inside JSON. Neither holds more than a
piece of the file at a time, and a file that comes here appears under its name only when all of it is there.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from ..model.errors import ActionFailed, DeskhandError, DownloadFailed, InvalidParams, UploadFailed
from ..model.operations import Cancel
from ..processes.shortage import advice
from ..protocols.agent.client import decode, decode_action, encode
from ..transports.calls import CHUNK, HttpCalls, Incoming
from . import files

Progress = Callable[[int, "int | None"], None]
"""Called with how many bytes are done, and how many there are where that is known."""

PATIENCE = 30.0
"""How long a transfer may stand still, in seconds."""
_BYTES = "application/octet-stream"
_PIECE = CHUNK // 3 * 3
"""So much becomes base64 without a remainder."""
_CONTENT = re.compile(rb'"content"\s*:\s*"')
_HEAD = 64 * 1024
"""Where in an answer its content begins, at the latest."""


class Refused(Exception):
    """The agent refused a request, which may have been of a form that it does not know."""

    def __init__(self, error: DeskhandError) -> None:
        super().__init__(error.message)
        self.error = error


def upload(
    calls: HttpCalls,
    local: str | PathLike[str],
    remote: str,
    *,
    as_json: bool,
    progress: Progress | None,
    cancel: Cancel | None,
) -> int:
    """Send a file; how many bytes it has."""
    name = os.fspath(local)
    try:
        with Path(name).open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UploadFailed(f"'{name}' is not a regular file", target=name)
            return send(calls, file, found.st_size, remote, as_json=as_json, progress=progress, cancel=cancel)
    except OSError as error:
        if isinstance(error, (ConnectionError, TimeoutError)):
            raise
        raise UploadFailed(f"cannot read '{name}': {_reason(error)}", target=name) from None


def send(
    calls: HttpCalls,
    file: BinaryIO,
    size: int,
    remote: str,
    *,
    as_json: bool,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> int:
    """Send so many bytes of what can be read."""
    file.seek(0)
    if as_json:
        # The path as JSON has it, between quotes of its own; what is in between is base64, and needs none.
        head, tail = b'{"path":' + encode_text(remote) + b',"content":"', b'"}'
        length = len(head) + -(-size // 3) * 4 + len(tail)
        encoded = (base64.b64encode(piece) for piece in _pieces(file, size, _PIECE, progress))
        body: Iterator[bytes] = _joined(head, encoded, tail)
        path, kind = "/upload", "application/json"
    else:
        body, length = _pieces(file, size, CHUNK, progress), size
        path, kind = f"/upload?path={in_query(remote)}", _BYTES
    with calls.exchange("POST", path, body, length, kind=kind, patience=PATIENCE, cancel=cancel) as incoming:
        try:
            decode_action("/upload", incoming.status, incoming.body())
        except DeskhandError as error:
            tried = isinstance(error, ActionFailed) and 200 <= incoming.status < 300
            raise Refused(UploadFailed(error.message, target=remote) if tried else error) from None
    return size


def download(
    calls: HttpCalls,
    remote: str,
    local: str | PathLike[str],
    *,
    as_json: bool,
    progress: Progress | None,
    cancel: Cancel | None,
) -> int:
    """Fetch a file; how many bytes it has."""
    with receive(calls, remote, as_json=as_json, cancel=cancel) as (pieces, total), landing(local) as file:
        done = 0
        for piece in pieces:
            try:
                file.write(piece)
            except OSError as error:
                raise DownloadFailed(
                    f"cannot write '{os.fspath(local)}': {_reason(error)} (after {done} bytes)",
                    target=os.fspath(local),
                    suggestions=advice(error.errno),
                ) from None
            done += len(piece)
            if progress is not None:
                progress(done, total)
    return done


@contextmanager
def receive(
    calls: HttpCalls, remote: str, *, as_json: bool, cancel: Cancel | None
) -> Iterator[tuple[Iterator[bytes], int | None]]:
    """The bytes of a file in pieces, and how many there will be where that is known."""
    if as_json:
        path, request = "/download", encode({"path": remote})
    else:
        path, request = f"/download?path={in_query(remote)}", b""
    pieces = (request,) if request else ()
    with calls.exchange("POST", path, pieces, len(request), patience=PATIENCE, cancel=cancel) as incoming:
        if not 200 <= incoming.status < 300:
            try:
                decode("/download", incoming.status, incoming.body())
            except DeskhandError as error:
                raise Refused(error) from None
        if incoming.kind == "application/json":
            yield _decoded(incoming), None
        else:
            yield incoming.chunks(), incoming.length


@contextmanager
def landing(local: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Where the bytes of a file go that appears under its name only at the end, or not at all."""
    try:
        with files.landing(local) as file:
            yield file
    except OSError as error:
        if isinstance(error, (ConnectionError, TimeoutError)):
            raise
        raise DownloadFailed(
            f"cannot write '{Path(local).resolve()}': {_reason(error)}",
            target=str(Path(local).resolve()),
            suggestions=advice(error.errno),
        ) from None


def in_query(remote: str) -> str:
    """A path as written in a URL: a blank is %20 and a plus %2B."""
    return quote(_path(remote), safe="/", errors="surrogateescape")


def encode_text(remote: str) -> bytes:
    """A path as written in JSON."""
    return encode({"": _path(remote)})[len(b'{"":') : -1]


def _path(remote: str) -> str:
    if not remote or "\0" in remote:
        raise InvalidParams(f"'{remote}' is not a path on the other machine", field="remote")
    return remote


def _pieces(file: BinaryIO, size: int, most: int, progress: Progress | None) -> Iterator[bytes]:
    """So many bytes of a file, in pieces of the same length but for the last."""
    done = 0
    while done < size:
        piece = file.read(min(most, size - done))
        if not piece:
            raise UploadFailed(f"the file became shorter while it was sent: it had {size} bytes, now {done}")
        yield piece
        done += len(piece)
        if progress is not None:
            progress(done, size)


def _joined(head: bytes, middle: Iterator[bytes], tail: bytes) -> Iterator[bytes]:
    yield head
    yield from middle
    yield tail


def _decoded(incoming: Incoming) -> Iterator[bytes]:
    """The bytes in an answer of the older form, `{"content": "<base64>"}`, piece by piece."""
    chunks = incoming.chunks()
    head = b""
    while (found := _CONTENT.search(head)) is None:
        more = next(chunks, b"")
        if not more or len(head) > _HEAD:
            # It may be an error that came with a good status.
            try:
                decode("/download", incoming.status, head)
            except DeskhandError as error:
                raise Refused(error) from None
            raise DownloadFailed(f"the agent's answer has no content: {head[:200]!s}")
        head += more
    rest, more = b"", head[found.end() :]
    while True:
        text, end, _ = (rest + more).partition(b'"')
        # Some agents write a slash in JSON as \\/, and the two may come in two pieces.
        text = text.replace(b"\\/", b"/")
        whole = len(text) if end else len(text.removesuffix(b"\\")) // 4 * 4
        try:
            yield base64.b64decode(text[:whole], validate=True)
        except binascii.Error:
            raise DownloadFailed("the agent sent content that is not base64") from None
        if end:
            break
        rest, more = text[whole:], next(chunks, b"")
        if not more:
            raise DownloadFailed("the agent's answer ended in the middle of the content")
    for _ in chunks:
        pass  # what follows the content, so that the connection can be used again


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
