"""Pages and browsers that hang, crash, close or are not ours."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deskhand import connect, expect
from deskhand.background import begin
from deskhand.model import operations as ops
from deskhand.model.errors import ConnectFailed, Stale, UiBusy, Unauthorized

from .conftest import Browser


def test_a_wait_goes_on_over_a_navigation(browser: Browser) -> None:
    browser.serve("/next", "<!doctype html><title>Next</title><button>Arrived</button>")
    app = browser.show("<button id=old>Leave</button>")
    old = app.locator("#old").get()
    browser.call("Runtime.evaluate", expression="setTimeout(() => location = '/next', 300)")
    app.run(ops.Wait('button[name="Arrived"]', "visible", timeout=20))
    with pytest.raises(Stale, match="Leave"):
        app.locator(f"uid={old.uid}").click(timeout=0)


def test_a_wait_notices_that_its_page_closes(browser: Browser) -> None:
    browser.show("<p>first</p>")
    target = browser.open(
        browser.serve("/second", "<!doctype html><title>Second</title><button>There</button>")
    )
    expect(browser.app.get_by_role("button", name="There")).to_be_visible()
    waiting = begin(
        lambda: browser.app.run(ops.Wait('button[name="There"]', "gone", timeout=20)), "test-wait"
    )
    browser.close(target)
    waiting.result(20)
    assert [window.title for window in browser.app.windows()] == ["Test"]


def test_a_crashed_page_costs_only_itself(browser: Browser) -> None:
    browser.show("<button>Alive</button>")
    target = browser.open(
        browser.serve("/crash", "<!doctype html><title>Doomed</title><button>Doomed button</button>")
    )
    doomed = browser.app.get_by_role("button", name="Doomed button").get()
    page = next(page for page in browser.adapter.pages.all() if page.target == target)
    browser.adapter._link.begin("Page.crash", session=page.session)
    expect.poll(lambda: page.crashed, timeout=20).to_be(True)
    tree = browser.app.tree()
    assert tree.cut is not None
    assert "has crashed" in tree.cut.reason
    assert any(node.name == "Alive" for node in tree)
    with pytest.raises(Stale):
        browser.app.locator(f"uid={doomed.uid}").click(timeout=0)
    browser.close(target)


def test_a_page_with_an_endless_script_costs_its_deadline_and_no_other_page(browser: Browser) -> None:
    browser.show("<button onclick=\"this.textContent = 'pressed'\">Alive</button>")
    target = browser.open(
        browser.serve("/endless", "<!doctype html><title>Busy</title><button>Stuck</button>")
    )
    page = next(page for page in browser.adapter.pages.all() if page.target == target)
    stuck = browser.app.get_by_role("button", name="Stuck").get()
    browser.adapter._link.begin("Runtime.evaluate", session=page.session, expression="for (;;);")
    began = time.monotonic()
    with pytest.raises(UiBusy):
        browser.app.run(ops.ReadTree(f"uid={stuck.uid}", timeout=1))
    assert time.monotonic() - began < 4
    tree = browser.app.run(ops.ReadTree(timeout=2)).tree
    assert tree is not None
    assert any(node.name == "Alive" for node in tree)
    assert tree.cut is not None
    assert "Busy" in tree.cut.reason
    browser.app.get_by_role("button", name="Alive").click()
    expect(browser.app.get_by_role("button", name="pressed")).to_be_visible()
    browser.call("Target.closeTarget", "", targetId=target)


def test_the_port_of_another_users_browser_is_refused() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start a process of another user")
    with _as_another_user() as port, pytest.raises(Unauthorized, match="belongs to user"):
        connect(f"cdp://127.0.0.1:{port}", timeout=5)


def test_an_address_without_a_browser_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ConnectFailed, match="Connection refused"):
        connect(f"cdp://127.0.0.1:{port}")


@contextmanager
def _as_another_user() -> Iterator[int]:
    """A process of another user that answers as the debugging port of a browser does; its port."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        server = socket.create_server(("127.0.0.1", 0))
        os.write(theirs, str(server.getsockname()[1]).encode())
        _answer(server)
        os._exit(0)
    try:
        yield int(os.read(ours, 16))
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(ours)
        os.close(theirs)


def _answer(server: socket.socket) -> None:
    port = server.getsockname()[1]
    while True:
        connection, _ = server.accept()
        threading.Thread(target=_converse, args=(connection, port), daemon=True).start()


def _converse(connection: socket.socket, port: int) -> None:
    asked = connection.recv(65536)
    if b"Upgrade" not in asked:
        body = f'{{"webSocketDebuggerUrl": "ws://127.0.0.1:{port}/devtools/browser/1"}}'.encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        return
    key = asked.split(b"Sec-WebSocket-Key: ")[1].split(b"\r\n")[0]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    connection.recv(65536)
