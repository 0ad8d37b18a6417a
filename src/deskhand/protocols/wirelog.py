"""A log of every message that goes in or out, for `--log-wire FILE`.

Only fields known to be harmless are shown in it (`logfields`), anything else by its length. With `text`, for
`--log-wire-text`, everything is shown but what is typed into a password field: that is neither in the request
nor where the app shows it later.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..model.errors import DeskhandError
from ..model.node import MASK, Node
from ..model.operations import Find, Runner
from ..model.selector import by_path
from .jsontext import dumps, loads, quote
from .logfields import WORDS, shown_of_answer, shown_of_request

_TYPING: dict[str, tuple[str, str]] = {
    "type": ("ref", "text"),
    "deskhand_type_text": ("target", "text"),
    "deskhand_set_value": ("target", "value"),
    "deskhand_key": ("target", "keys"),
}
"""The methods whose parameters can hold a password: where it is typed, and what."""
FOCUSED = ":focused"
"""Where keys go that are sent to no node in particular."""
_LONGEST_SECRET = 4096
_SECRETS = 500
_RECOGNISABLE = 4
"""From how many characters on a secret is looked for inside other texts; shorter ones would be everywhere."""
_PIECES = re.compile(r"[\x00-\x1f\x7f]+")
"""What moves on to the next field in a text that is typed, such as a tab."""


def _open_own(path: Path) -> int:
    """Open a log to append to. PermissionError if another user prepared it, to read what is in it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    if not hasattr(os, "geteuid"):
        return os.open(path, flags, 0o600)
    try:
        file = os.open(path, flags | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        if path.lstat().st_uid not in (os.geteuid(), 0):
            raise PermissionError(errno.EPERM, f"it is a link of user {path.lstat().st_uid}") from None
        file = os.open(path, flags, 0o600)
    found = os.fstat(file)
    if stat.S_ISREG(found.st_mode):
        if found.st_uid != os.geteuid():
            os.close(file)
            raise PermissionError(errno.EPERM, f"it belongs to user {found.st_uid}")
        os.fchmod(file, 0o600)
    return file


class WireLog:
    """Appends one JSON line for each message to a file that only its owner may read.

    A disk that is full or gone never disturbs a request: it is said once on stderr.
    """

    def __init__(self, path: str | Path, *, text: bool = False, limit: int = 65536) -> None:
        """`text` shows what is typed; `limit` is how many characters of each message are kept.

        Raises OSError.
        """
        self.path = Path(path)
        self.text = text
        self._limit = limit
        self._lock = threading.Lock()
        self._secrets: deque[str] = deque(maxlen=_SECRETS)
        self._told = False
        self._torn = False
        """The last line was written only in part."""
        self._file = _open_own(self.path)

    def write(self, connection: str, direction: str, message: bytes) -> None:
        """Log a message; direction is `in` or `out`."""
        if self.text and len(message) > self._limit * 4:
            text = message[: (self._limit + _LONGEST_SECRET) * 4].decode("utf-8", "replace")
            text = self._hidden_in(text, _inner)
        else:
            try:
                data = loads(message)
            except DeskhandError as error:
                # Such as Infinity, which some write and JSON does not have: the log is JSON.
                self.note(connection, direction, f"a message that is not JSON: {error.message[:200]}")
                return
            text = message.decode("utf-8", "replace")
            if not self.text:
                # Only what clients send is masked in later messages: what an app shows would be too much.
                data = shown_of_request(data, self.hide) if direction == "in" else shown_of_answer(data)
                text = dumps(data).decode()
            if any(secret in text for secret in map(_inner, list(self._secrets))):
                text = dumps(self._without_secrets(data)).decode()
        if len(text) <= self._limit:
            self._line(connection, direction, f'"message":{text}')
        else:
            self._line(
                connection,
                direction,
                f'"message":{quote(text[: self._limit])},"cut":"the first {self._limit} characters of '
                f'{len(message)} bytes"',
            )

    def write_request(self, connection: str, request: Any, runner: Runner | None) -> None:
        """Log a request that was read, without what it types into a password field."""
        self.write(connection, "in", dumps(self._masked(request, runner) if self.text else request))

    def hide(self, secret: str) -> None:
        """Remember a text that may be a password, to leave it out wherever it comes up."""
        for piece in (secret, *_PIECES.split(secret)):
            if len(piece) > 1 and piece[:_LONGEST_SECRET] not in self._secrets:
                self._secrets.append(piece[:_LONGEST_SECRET])

    def masked(
        self, params: Mapping[str, Any], field: str, reached: Callable[[], Sequence[Node]]
    ) -> dict[str, Any]:
        """Parameters without what they type in that field, if it may be a password.

        It may be one if a node that it reaches is a password field, and also if no such node is known.
        """
        try:
            nodes = reached()
        except DeskhandError:
            nodes = ()
        if nodes and not any(node.password for node in nodes):
            return dict(params)
        secret = params.get(field)
        if isinstance(secret, str):
            self.hide(secret)
        return {**params, field: MASK}

    def note(self, connection: str, direction: str, about: str) -> None:
        """Log that something came that cannot be shown, because it may contain a password."""
        self._line(connection, direction, f'"unreadable":{quote(about)}')

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    # -- passwords -----------------------------------------------------------------------------

    def _masked(self, request: Any, runner: Runner | None) -> Any:
        if not isinstance(request, dict):
            return request
        where, what = _TYPING.get(str(request.get("method")), ("", ""))
        params = request.get("params")
        if not where or not isinstance(params, dict) or not params.get(what):
            return request
        target = params.get(where)
        if isinstance(target, str) and where == "ref":
            target = by_path(target)
        if runner is None:
            return request
        selector = target if isinstance(target, str) else FOCUSED
        return {**request, "params": self.masked(params, what, lambda: runner.run(Find(selector, limit=2)))}

    def _without_secrets(self, value: Any, field: str = "") -> Any:
        if isinstance(value, str):
            if not self.text and field in WORDS:
                return value
            return MASK if value in self._secrets else self._hidden_in(value, str)
        if isinstance(value, dict):
            return {name: self._without_secrets(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self._without_secrets(part, field) for part in value]
        return value

    def _hidden_in(self, text: str, form: Callable[[str], str]) -> str:
        """The text without the secrets in it, in the form that they have there; short ones as whole words."""
        # The longest first: a shorter one may be a part of it.
        for secret in sorted(self._secrets, key=len, reverse=True):
            if len(secret) >= _RECOGNISABLE:
                text = text.replace(form(secret), MASK)
            elif not self.text:
                text = re.sub(rf"(?<!\w){re.escape(form(secret))}(?!\w)", MASK, text)
        return text

    # -- the file ------------------------------------------------------------------------------

    def _line(self, connection: str, direction: str, rest: str) -> None:
        line = f'{{"t":{time.time():.6f},"connection":{quote(connection)},"dir":"{direction}",{rest}}}\n'
        data = line.encode("utf-8", "replace")
        with self._lock:
            if self._file < 0:
                return
            if self._torn:
                data = b"\n" + data
            try:
                written = os.write(self._file, data)
            except OSError as error:
                self._tell(error.strerror or str(error))
            else:
                self._torn = written < len(data)
                if self._torn:
                    self._tell("the disk is full")

    def _tell(self, reason: str) -> None:
        if not self._told:
            self._told = True
            sys.stderr.write(f"deskhand: {self.path} misses messages: {reason}\n")


def _inner(text: str) -> str:
    """A string as it stands inside a JSON string."""
    return quote(text)[1:-1]
