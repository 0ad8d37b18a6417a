"""A headless Chromium at the other end of its debugging pipe, and a server for its pages."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from deskhand import App
from deskhand.adapters.web.adapter import WebAdapter
from deskhand.adapters.web.channel import Pipe
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.inject import chromium


class Browser:
    """A browser that runs, and what is served to it."""

    def __init__(self, adapter: WebAdapter, app: App, port: int, pages: dict[str, str]) -> None:
        self.adapter = adapter
        self.app = app
        self._port = port
        self._pages = pages

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a page; by another host it is another site."""
        return f"http://{host}:{self._port}{path}"

    def serve(self, path: str, html: str) -> str:
        """Serve this there; the address."""
        self._pages[path] = html
        return self.url(path)

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Let the browser do something, in its first page unless another session is named."""
        if session is None:
            session = self.adapter.pages.all()[0].session
        return self.adapter._link.call(method, session=session, timeout=20, **params)

    def show(self, html: str, path: str = "/") -> App:
        """Show a page with this in it, when it is loaded."""
        self.call("Page.navigate", url=self.serve(path, f"<!doctype html><title>Test</title>{html}"))
        self.app.wait_idle(timeout=20)
        return self.app

    def open(self, url: str) -> str:
        """Open another page; its target."""
        target: str = self.call("Target.createTarget", "", url=url)["targetId"]
        deadline = time.monotonic() + 20
        while not any(
            page.target == target and page.main in page.contexts for page in self.adapter.pages.all()
        ):
            assert time.monotonic() < deadline, "the page did not open"
            time.sleep(0.02)
        return target

    def close(self, target: str) -> None:
        """Close a page."""
        self.call("Target.closeTarget", "", targetId=target)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    pages: dict[str, str] = {}
    with ExitStack() as stack:
        server = stack.enter_context(_server(pages))
        folder = tmp_path_factory.mktemp("browser")
        awaited = stack.enter_context(chromium.Awaited(folder / "pipe"))
        command = chromium.instrumented(
            ["chromium", "--headless", "--window-size=800,600", "about:blank"], folder / "pipe"
        )
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(process.wait, 20)
        stack.callback(process.terminate)
        deadline = time.monotonic() + 30
        while (connected := awaited.connected()) is None:
            assert time.monotonic() < deadline, "the browser did not connect"
            time.sleep(0.02)
        pid, connection = connected
        assert pid == process.pid
        adapter = WebAdapter(Pipe(connection), pid=pid)
        adapter.await_page(20)
        app = stack.enter_context(App(LocalEngine(Session(adapter), "web")))
        yield Browser(adapter, app, server.server_port, pages)


def _server(pages: dict[str, str]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if self.path.endswith(".bin"):
                self.send_header("Content-Disposition", "attachment; filename=data.bin")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    close = server.server_close

    def end() -> None:
        server.shutdown()
        close()

    server.server_close = end  # type: ignore[method-assign]  # so that leaving it ends its thread
    return server


Show = Callable[[str], App]


@pytest.fixture
def show(browser: Browser) -> Show:
    return browser.show


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
