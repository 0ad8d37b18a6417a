"""The JSON form of an upload, read as it comes: a gigabyte of base64 is never in memory. No I/O here."""

from __future__ import annotations

import binascii
import json
import re

from ...model.errors import UploadFailed
from ..jsontext import loads

_LONGEST = 1 << 20
"""How much JSON there may be in addition to the content, in bytes."""
_ESCAPE = 12
"""How long an escape in a string can be: a pair of surrogates."""
_SPACE = b" \t\r\n"
_BEFORE = _SPACE + b"\xef\xbb\xbf"
"""What may stand before JSON: white space, and the mark that some put before UTF-8."""
_NO_PATH = "there is no path: send {path, content} in JSON, or the file itself with ?path= in the URL"
_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_CONTENT = re.compile(rb'"content"[ \t\r\n]*:[ \t\r\n]*"\Z')
_STRUCTURE = re.compile(rb'["{}\[\]]')
_END = re.compile(rb'["\\]')


class UploadReader:
    """Takes a body `{"path": …, "content": base64}` piece by piece, and gives the content's bytes.

    All but the content is kept, and read as JSON at the end.
    """

    def __init__(self) -> None:
        self.rest = bytearray()
        """The body without its content."""
        self._depth = 0
        self._in_string = False
        self._in_content = False
        self._had_content = False
        self._tail = b""
        self._digits = b""
        self._padded = False

    @property
    def path(self) -> str | None:
        """The path, if that is known before the content begins."""
        try:
            data = json.loads(bytes(self.rest).rpartition(b'"content"')[0].rstrip().removesuffix(b",") + b"}")
        except ValueError:
            return None
        path = data.get("path") if isinstance(data, dict) else None
        return path if isinstance(path, str) and path else None

    def feed(self, data: bytes) -> bytes:
        """The content in the next piece of the body."""
        data, self._tail = self._tail + data, b""
        found = []
        at = 0
        while at < len(data):
            at, content = self._content(data, at) if self._in_content else self._other(data, at)
            found.append(content)
            if at < 0:
                break
        if bytes(self.rest.lstrip(_BEFORE)[:1]) not in (b"", b"{"):
            raise UploadFailed(_NO_PATH, field="path")
        if len(self.rest) > _LONGEST:
            raise UploadFailed(f"the body has more than {_LONGEST} bytes in addition to its content")
        return b"".join(found)

    def finish(self) -> str:
        """The path, once all has come. ParseError or UploadFailed if something is missing or wrong."""
        if not self.rest.strip(_BEFORE):
            raise UploadFailed(_NO_PATH, field="path")
        data = loads(bytes(self.rest + self._tail))
        if not isinstance(data, dict):
            raise UploadFailed("the body must be a JSON object with 'path' and 'content'")
        for name in ("path", "content"):
            if not isinstance(data.get(name), str):
                raise UploadFailed(f"the body needs '{name}', a string", field=name)
        if not data["path"]:
            raise UploadFailed("'path' is empty", field="path")
        if self._digits:
            raise UploadFailed("'content' is not base64: it ends too early", field="content")
        path: str = data["path"]
        return path

    def _other(self, data: bytes, at: int) -> tuple[int, bytes]:
        """Go on to where the content begins, or to the end of the piece."""
        if self._in_string:
            match = _END.search(data, at)
            if match is None:
                self.rest += data[at:]
                return len(data), b""
            end = match.end()
            if match.group() == b"\\":
                if end == len(data):
                    self._tail = data[end - 1 :]
                    self.rest += data[at : end - 1]
                    return -1, b""
                end += 1
            else:
                self._in_string = False
            self.rest += data[at:end]
            return end, b""
        match = _STRUCTURE.search(data, at)
        if match is None:
            self.rest += data[at:]
            return len(data), b""
        self.rest += data[at : match.end()]
        sign = match.group()
        if sign == b'"':
            # Only a key is followed by a colon, so a value that reads "content" is not taken for it.
            if self._depth == 1 and _CONTENT.search(self.rest[-1000:]):
                if self._had_content:
                    raise UploadFailed("the body has 'content' twice", field="content")
                self._in_content = self._had_content = True
            else:
                self._in_string = True
        else:
            self._depth += 1 if sign in (b"{", b"[") else -1
        return match.end(), b""

    def _content(self, data: bytes, at: int) -> tuple[int, bytes]:
        end = data.find(b'"', at)
        done = end >= 0
        piece = data[at:end] if done else data[at:]
        if b"\\" in piece:
            piece, held = self._unescaped(piece, done)
            self._tail = held
        decoded = self._decoded(piece)
        if not done:
            return -1, decoded
        self._in_content = False
        self.rest += b'"'
        return end + 1, decoded

    def _unescaped(self, piece: bytes, done: bool) -> tuple[bytes, bytes]:
        """The piece without escapes, and what must wait for the rest of one."""
        held = b""
        last = piece.rfind(b"\\")
        if not done and len(piece) - last < _ESCAPE:
            piece, held = piece[:last], piece[last:]
        try:
            return json.loads(b'"' + piece + b'"', strict=False).encode(), held
        except ValueError:
            raise UploadFailed("'content' is not a JSON string", field="content") from None

    def _decoded(self, piece: bytes) -> bytes:
        if strange := piece.translate(None, _DIGITS):
            piece = piece.translate(None, _SPACE)
            if strange.strip(_SPACE + b"="):
                shown = strange.translate(None, _SPACE + b"=")[:20].decode(errors="replace")
                raise UploadFailed(f"'content' is not base64: it has {shown!r} in it", field="content")
        digits = self._digits + piece if self._digits else piece
        whole = len(digits) - len(digits) % 4
        self._digits = digits[whole:]
        digits = digits[:whole]
        body = digits.rstrip(b"=")
        if (piece and self._padded) or b"=" in body or len(digits) - len(body) > 2:
            raise UploadFailed("'content' is not base64: something follows its end", field="content")
        self._padded = self._padded or body != digits
        return binascii.a2b_base64(digits)
