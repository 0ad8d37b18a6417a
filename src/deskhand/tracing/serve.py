"""Serves the page of a trace to a browser on this machine.

Loopback only. The address has a token, and requests by another name of this machine are refused, so that no
web page can read a trace.
"""

from __future__ import annotations

import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .page import html
from .reader import Recorded

_HOST = "127.0.0.1"


class PageServer:
    """The page of one trace, until it is closed."""

    def __init__(self, trace: Recorded, port: int = 0) -> None:
        """Raises OSError if the port is in use."""
        token = secrets.token_urlsafe(16)
        page = html(trace, embed=False).encode()
        names = frozenset(trace.names())
        reading = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                allowed = (f"{_HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}")  # type: ignore[attr-defined]
                path = self.path.partition("?")[0]
                prefix, name = f"/{token}/", path.rpartition("/")[2]
                if self.headers.get("Host") not in allowed or not secrets.compare_digest(
                    path[: len(prefix)].encode(), prefix.encode()
                ):
                    self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")
                elif path == prefix:
                    self._answer(HTTPStatus.OK, "text/html; charset=utf-8", page)
                elif path == f"{prefix}resources/{name}" and name in names:
                    with reading:
                        data = trace.resource(name)
                    self._answer(HTTPStatus.OK, "image/png" if name.endswith(".png") else "text/plain", data)
                else:
                    self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")

            def _answer(self, status: HTTPStatus, kind: str, data: bytes) -> None:
                self.send_response(status)
                for name, value in (
                    ("Content-Type", kind),
                    ("Content-Length", str(len(data))),
                    ("Cache-Control", "no-store"),
                    ("Referrer-Policy", "no-referrer"),
                    ("X-Content-Type-Options", "nosniff"),
                    ("X-Frame-Options", "DENY"),
                    ("Cross-Origin-Resource-Policy", "same-origin"),
                ):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((_HOST, port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://{_HOST}:{self._server.server_port}/{token}/"
        self._thread = threading.Thread(target=self._server.serve_forever, name="deskhand-page", daemon=True)
        self._thread.start()

    def __enter__(self) -> PageServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
