"""Files sent and fetched by the Agent contract, in both of its forms. No I/O here: the machine does that.

With a `path` in the URL the body is the file; without one both are in JSON, the file in base64. Either way a
file goes through in pieces.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import IO, Any, NamedTuple, Protocol

from ...model.errors import DownloadFailed, ParseError, UploadFailed
from ...model.operations import Cancel, Execute, Executed
from ..jsontext import dumps, loads
from .upload import UploadReader

_HEAD, _TAIL = b'{"content":"', b'"}'


class Incoming(Protocol):
    """A file that is being written; it is not visible before `finish` puts it in its place."""

    def __enter__(self) -> Incoming: ...

    def __exit__(self, *_: object) -> None:
        """Leave nothing of it behind if it was not finished."""

    def write(self, data: bytes) -> None: ...

    def finish(self, path: str | None = None) -> None:
        """Put it in its place, which is given here if it was not before."""


class Outgoing(Protocol):
    """A file that is being read, in pieces that are a multiple of three bytes long, but for the last."""

    size: int | None
    """None if unknown before the end."""
    file: IO[bytes]

    def __iter__(self) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Machine(Protocol):
    """What can be done to the machine itself."""

    def execute(self, operation: Execute, cancel: Cancel | None = None) -> Executed:
        """Run a command; raises ExecFailed if that could not be begun."""

    def receive(self, path: str | None) -> Incoming:
        """Begin to write a file; raises UploadFailed."""

    def send(self, path: str) -> Outgoing:
        """Begin to read a file; raises DownloadFailed."""


class Body(Protocol):
    """What an upload needs of its request."""

    @property
    def query(self) -> Mapping[str, str]: ...

    def chunks(self) -> Iterator[bytes]: ...


class Sent(NamedTuple):
    """The answer to a download."""

    body: Iterator[bytes]
    kind: str
    length: int | None
    file: IO[bytes] | None = None
    """What the body is made of, where it goes out as it is."""


def upload(request: Body, machine: Machine) -> bytes:
    """Write the file that a request brings; the answer. Raises UploadFailed."""
    path = request.query.get("path")
    if path == "":
        raise UploadFailed("'path' is empty", field="path")
    try:
        path = _upload_json(request, machine) if path is None else _upload_bytes(request, path, machine)
    except EOFError as error:
        raise UploadFailed(f"{error}; nothing was written") from None
    return dumps({"success": True, "message": f"Uploaded to {path}"})


def _upload_bytes(request: Body, path: str, machine: Machine) -> str:
    with machine.receive(path) as file:
        for chunk in request.chunks():
            file.write(chunk)
        file.finish()
    return path


def _upload_json(request: Body, machine: Machine) -> str:
    reader = UploadReader()
    chunks = request.chunks()
    first = next(chunks, b"")
    if _is_other_json(first):
        raise ParseError("the body must be a JSON object")
    content = reader.feed(first)
    # Where the path stands behind the content, the file must wait elsewhere until that is known.
    with machine.receive(reader.path) as file:
        file.write(content)
        for chunk in chunks:
            file.write(reader.feed(chunk))
        try:
            path = reader.finish()
        except ParseError as error:
            raise ParseError(
                f"{error.message}; it should be {{path, content}}, or the file itself with ?path="
            ) from None
        file.finish(path)
    return path


def _is_other_json(body: bytes) -> bool:
    """Whether a body is JSON, but not an object. One that is not JSON is a file that came without a path."""
    if body.lstrip()[:1] in (b"", b"{"):
        return False
    try:
        loads(body)
    except ParseError:
        return False
    return True


def download(query: Mapping[str, str], data: Mapping[str, Any], machine: Machine) -> Sent:
    """The file that a request asks for, in the form in which it asks. Raises DownloadFailed."""
    if "path" in query:
        file = machine.send(_path(query["path"]))
        return Sent(_closing(file, iter(file)), "application/octet-stream", file.size, file.file)
    path = data.get("path")
    if not isinstance(path, str):
        raise DownloadFailed("the body needs 'path', a string; or put it in the URL: ?path=", field="path")
    file = machine.send(_path(path))
    size = None if file.size is None else len(_HEAD) + (file.size + 2) // 3 * 4 + len(_TAIL)
    return Sent(_closing(file, _base64(file)), "application/json", size)


def _base64(file: Outgoing) -> Iterator[bytes]:
    yield _HEAD
    for piece in file:
        yield base64.b64encode(piece)
    yield _TAIL


def _closing(file: Outgoing, pieces: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from pieces
    finally:
        file.close()


def _path(path: str) -> str:
    if not path:
        raise DownloadFailed("'path' is empty", field="path")
    return path
