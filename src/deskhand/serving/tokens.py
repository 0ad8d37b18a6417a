"""The further tokens of a running server: a small private file for each server, written by `deskhand token`.

The file has the hashes of the tokens only, and is in a folder that only its owner can open. The server makes
it, reads it again when it has changed, and removes it when it ends; readers remove those of servers that were
killed. A file that cannot be read means that no further token is accepted.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

if sys.platform != "win32":
    import fcntl

from ..model.alike import alike, did_you_mean
from ..model.errors import Ambiguous, InvalidParams, NotFound, Unauthorized
from ..model.record import dataclass
from ..processes import registry
from ..transports.bearer import MAIN, Bearers

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_SUFFIX = ".tokens"
_MAX_TOKENS = 1000
"""How many tokens a server may have at a time."""


@dataclass(frozen=True)
class Scope:
    """What a token is good for; without limits, for everything that the server offers."""

    app: str | None = None
    """The only app that is seen and operated."""
    read_only: bool = False

    @property
    def limited(self) -> bool:
        """Whether it allows less than the server's own token."""
        return self != Scope()


@dataclass(frozen=True)
class Token:
    """A further token, as it is kept."""

    name: str
    sha256: str
    app: str | None = None
    read_only: bool = False
    expires: float | None = None
    """When it is not accepted any more, in seconds since 1970."""

    @property
    def scope(self) -> Scope:
        """What it is good for."""
        return Scope(self.app, self.read_only)

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and time.time() >= self.expires


@dataclass(frozen=True)
class Server:
    """A running server that asks for tokens."""

    name: str
    """The app that it serves, or `desktop`."""
    pid: int
    started: str | None = None
    """When the process began: a process id may be used again, this is not."""
    desktop: bool = False
    """Whether it serves several apps, so that a token may be for one of them."""
    tokens: tuple[Token, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"


# -- in the server ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TokenBearer:
    """A client with a token of this server."""

    name: str
    scope: Scope
    token: Token | None = None
    known: Known | None = None

    @property
    def valid(self) -> bool:
        """Whether the token is still accepted."""
        return self.token is None or (self.known is not None and self.token in self.known.tokens())


class Known:
    """The further tokens of this server, from its making until `close`. Thread-safe."""

    def __init__(self, name: str, *, desktop: bool = False) -> None:
        """`name` is what `--server` calls it; `desktop` says that it serves several apps."""
        pid = os.getpid()
        self._server = Server(name, pid, registry.start_time(pid), desktop)
        self._lock = threading.Lock()
        self._path: Path | None = None
        self._seen: tuple[int, int, int] | None = None
        self._tokens: tuple[Token, ...] = ()

    def __enter__(self) -> Known:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget them all."""
        with self._lock:
            if self._path is not None:
                self._path.unlink(missing_ok=True)

    def tokens(self) -> tuple[Token, ...]:
        """Those that are accepted now."""
        with self._lock:
            now = self._signature()
            if now != self._seen:
                server = None if self._path is None else _read(self._path)
                self._tokens = () if server is None else server.tokens
                self._seen = now
            return tuple(token for token in self._tokens if not token.expired)

    def bearers(self, main: str) -> Bearers:
        """Accepts the token that the server was started with, and these."""
        wanted = _hash(main)
        self._publish()

        def who(given: str) -> TokenBearer | None:
            sent = _hash(given)
            found = TokenBearer(MAIN, Scope()) if hmac.compare_digest(sent, wanted) else None
            # All of them are compared, whichever it is.
            for token in self.tokens():
                if hmac.compare_digest(sent, token.sha256) and found is None:
                    found = TokenBearer(token.name, token.scope, token, self)
            return found

        return who

    def _publish(self) -> None:
        """Make the file, once: a server that asks for no token has none."""
        with self._lock:
            if self._path is not None:
                return
            try:
                servers()  # which removes the files of those that were killed
                with _locked():
                    _write(self._server)
                self._path = _path(self._server)
            except (OSError, Unauthorized) as error:
                # Fallback: the server's own token needs no file, and a full disk must not stop the server.
                logging.getLogger("deskhand").warning("no tokens can be added to this server: %s", error)

    def _signature(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            seen = self._path.stat()
        except OSError:
            return None
        return seen.st_ino, seen.st_mtime_ns, seen.st_size


# -- for the commands ------------------------------------------------------------------------------


def servers() -> tuple[Server, ...]:
    """The servers that run and ask for tokens, lowest process id first."""
    found = []
    for path in _folder().glob(f"*{_SUFFIX}"):
        server = _read(path)
        if (
            server is not None
            and registry.AppEntry(server.name, server.pid, "", started=server.started).running
        ):
            found.append(server)
        else:
            path.unlink(missing_ok=True)
    return tuple(sorted(found, key=lambda server: server.pid))


def server(wanted: str | None = None) -> Server:
    """The only server, or the only one with that name or process id. Raises NotFound, Ambiguous."""
    running = servers()
    found = [each for each in running if wanted in (None, each.name, str(each.pid))]
    if len(found) == 1:
        return found[0]
    listed = tuple(map(str, (found or running)[:10]))
    if found:
        raise Ambiguous(
            f"{len(found)} servers ask for tokens: {', '.join(listed)}",
            target=wanted,
            matches=listed,
            suggestions=("choose one by its process id: --server PID",),
        )
    if not listed:
        raise NotFound(
            "no server runs that asks for a token",
            target=wanted,
            suggestions=("start one: deskhand serve --mcp, or with --token-everywhere",),
        )
    raise NotFound(
        f"no server '{wanted}' asks for tokens; running: {', '.join(listed)}",
        target=wanted,
        near=listed,
        suggestions=did_you_mean(alike(wanted or "", [each.name for each in running])),
    )


def add(
    to: Server, name: str | None = None, *, scope: Scope | None = None, lifetime: float | None = None
) -> tuple[Token, str]:
    """Let a server accept a new token, for `lifetime` seconds: what is kept of it, and the token itself."""
    scope = scope or Scope()
    if name is not None and not _NAME.fullmatch(name):
        raise InvalidParams(
            f"'{name[:80]}' is not a name for a token; use up to 60 letters, digits, dots, dashes and "
            "underscores",
            field="name",
        )
    if scope.app is not None and not to.desktop and scope.app != to.name:
        raise InvalidParams(
            f"the server {to} serves '{to.name}' only, so a token for '{scope.app}' would be of no use",
            field="app",
            suggestions=(f"--app {to.name}, or a server of the desktop: deskhand serve --mcp",),
        )
    secret = secrets.token_urlsafe(24)
    with _changed(to) as now:
        kept = [token for token in now.tokens if not token.expired]
        taken = {MAIN, *(token.name for token in kept)}
        if name in taken:
            raise InvalidParams(
                f"the server {to} has a token named '{name}' already",
                field="name",
                suggestions=(f"choose another name, or remove it: deskhand token revoke {name}",),
            )
        if len(kept) >= _MAX_TOKENS:
            raise InvalidParams(f"the server {to} has {_MAX_TOKENS} tokens already", field="name")
        name = name or next(free for n in range(1, len(taken) + 1) if (free := f"token-{n}") not in taken)
        expires = None if lifetime is None else time.time() + lifetime
        token = Token(name, _hash(secret), scope.app, scope.read_only, expires)
        _write(replace(now, tokens=(*kept, token)))
    return token, secret


def revoke(of: Server, name: str) -> None:
    """Let a server accept a token no more. Raises NotFound, and InvalidParams for the server's own."""
    if name == MAIN:
        raise InvalidParams(
            f"'{MAIN}' is the token that the server was started with; end the server instead", field="name"
        )
    with _changed(of) as now:
        names = [token.name for token in now.tokens]
        if name not in names:
            raise NotFound(
                f"the server {of} has no token named '{name}'; it has {', '.join((MAIN, *names)[:10])}",
                target=name,
                near=tuple(names[:10]),
                suggestions=did_you_mean(alike(name, names)),
            )
        _write(replace(now, tokens=tuple(token for token in now.tokens if token.name != name)))


# -- the files -------------------------------------------------------------------------------------


@contextlib.contextmanager
def _changed(server: Server) -> Iterator[Server]:
    """The server as its file has it now, while no other process changes that. NotFound if it has ended."""
    with _locked():
        now = _read(_path(server))
        if now is None:
            raise NotFound(f"the server {server} has ended", target=server.name)
        yield now


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    if sys.platform == "win32":
        yield  # where a folder cannot be locked
        return
    # The folder itself, so that nothing is left of it.
    lock = os.open(_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _folder() -> Path:
    """Where the registry has its entries: ours alone, or Unauthorized is raised."""
    return registry.entry_path(0).parent


def _path(server: Server) -> Path:
    return _folder() / f"{server.pid}-{server.started or 0}{_SUFFIX}"


def _write(server: Server) -> None:
    path = _path(server)
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    # Exclusively, so that it is ours and has these permissions from the start.
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(server), file)
    new.replace(path)


def _read(path: Path) -> Server | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Server(**{**data, "tokens": tuple(Token(**token) for token in data["tokens"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None  # it is gone, or of another version


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
