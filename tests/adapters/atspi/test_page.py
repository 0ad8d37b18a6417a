"""What a warm read shows of a page in Chromium is what a cold read shows, at every moment.

Chromium reports neither that attributes change nor what is scrolled. The page does what the test posts to it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from signal import SIGKILL
from typing import Any

import pytest

from deskhand import Desktop
from deskhand.adapters.atspi import AtspiAdapter

from .test_changes import Known, differences, known, only

pytestmark = pytest.mark.programs

_PAGE = """<!doctype html><title>Scene</title>
<h1 id=top class="wide dark">Top</h1>
<p id=para class=plain>a paragraph</p>
<div id=box><button id=press class=k1 title=help>Press</button></div>
<input id=field value=typed><input id=tick type=checkbox>
<ul id=list><li id=one class=row>first<li id=two class=row>second<li id=three class=row>third</ul>
<select id=pick><option>red<option>green</select>
<div id=hide>to hide <button>inside</button></div>
<div style="height:3000px"></div>
<p id=far class=away>far away</p>
<script>
const $ = id => document.getElementById(id)
async function next() {
  const code = await (await fetch('/next')).text()
  setTimeout(async () => { eval(code); await fetch('/done'); next() }, 0)
}
next()
</script>"""


class Page:
    """A page that runs what it is given, a warm adapter, and cold reads to compare it with."""

    def __init__(self, desktop: Desktop, folder: Path, stack: ExitStack) -> None:
        self._desktop = desktop
        self._code: SimpleQueue[str] = SimpleQueue()
        self._done: SimpleQueue[None] = SimpleQueue()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._code, self._done))
        stack.callback(server.server_close)
        stack.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._process = desktop.spawn(
            (
                "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                "--disable-background-networking", "--disable-component-update",
                "--force-renderer-accessibility",
                f"--user-data-dir={folder}", f"http://127.0.0.1:{server.server_port}/",
            ),
            stdout="null", stderr="null",
        )  # fmt: skip
        stack.callback(self._process.wait, 20)
        stack.callback(self._process.signal, SIGKILL)
        stack.callback(self._code.put, "")  # lets the last request for code end
        self._adapter = stack.enter_context(closing(AtspiAdapter(desktop.env, pid=self._process.pid)))
        deadline = time.monotonic() + 60
        while not any(node.automation_id == "far" for node in self._adapter.read(timeout=30)):
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def do(self, code: str) -> None:
        """Run code in one tick of the page's timer."""
        self._code.put(code)
        self._done.get(timeout=30)

    def until(self, expected: Callable[[Known], object]) -> Known:
        """Read warm and cold until the page shows what is expected.

        Whenever two cold reads agree, the warm read between them must agree too: one that is right only
        later is a stale read.
        """
        deadline = time.monotonic() + 20
        before = self._cold()
        while True:
            warm = known(self._adapter.read(timeout=30))
            after = self._cold()
            if not differences(before, after, ()):
                assert differences(warm, after, ()) == []
                if expected(warm):
                    return warm
            assert time.monotonic() < deadline, "the page never showed it"
            before = after

    def _cold(self) -> Known:
        with closing(AtspiAdapter(self._desktop.env, pid=self._process.pid)) as adapter:
            return known(adapter.read(timeout=30))


def _handler(code: SimpleQueue[str], done: SimpleQueue[None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = _PAGE if self.path == "/" else ""
            if self.path == "/next":
                try:
                    body = code.get(timeout=300)
                except Empty:
                    return
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())
            if self.path == "/done":
                done.put(None)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture(scope="module")
def page(desktop: Desktop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with ExitStack() as stack:
        yield Page(desktop, tmp_path_factory.mktemp("profile"), stack)


def element(nodes: Known, identity: str) -> dict[str, Any]:
    (found,) = only(nodes, automation_id=identity)
    return found


def shows(identity: str, **wanted: object) -> Callable[[Known], bool]:
    """Whether the element has these fields."""
    return lambda nodes: bool(only(nodes, automation_id=identity, **wanted))


def test_attributes_that_change_without_an_event_are_read(page: Page) -> None:
    page.do("$('press').className = 'k2 k3'")
    page.until(shows("press", style_classes=("k2", "k3")))
    page.do("$('para').removeAttribute('class')")
    page.until(shows("para", style_classes=()))
    page.do("$('box').className = 'new'")
    page.until(shows("box", style_classes=("new",)))
    page.do("$('box').tabIndex = 0")
    page.until(shows("box", focusable=True))


def test_list_item_replaced_in_one_tick_is_read(page: Page) -> None:
    page.do(
        "$('one').remove(); const item = document.createElement('li');"
        "item.id = 'four'; item.textContent = 'fourth'; $('list').append(item)"
    )
    nodes = page.until(shows("four"))
    items = [one["automation_id"] for one in only(nodes, parent=element(nodes, "list")["uid"])]
    assert items == ["two", "three", "four"]
    page.do("$('list').prepend($('four'))")
    page.until(
        lambda nodes: only(nodes, parent=element(nodes, "list")["uid"])[0]["automation_id"] == "four",
    )
    page.do("$('pick').options[0].remove(); $('pick').add(new Option('blue'))")
    page.until(lambda nodes: [one.text for one in _options(nodes, "pick")] == ["green", "blue"])


def test_texts_names_and_kinds_that_change_are_read(page: Page) -> None:
    page.do("$('para').firstChild.data = 'another text'")
    page.until(shows("para", text="another text"))
    page.do("$('press').textContent = 'Push'; $('press').title = 'more help'")
    page.until(shows("press", name="Push", description="more help"))
    page.do("$('field').type = 'password'")
    page.until(shows("field", password=True))
    page.do("$('field').type = 'text'; $('field').value = 'other'")
    page.until(shows("field", password=False, value="other"))
    page.do("$('box').setAttribute('role', 'region'); $('box').ariaLabel = 'named'")
    page.until(shows("box", role="region", name="named"))
    page.do("document.title = 'Another'")
    page.until(lambda nodes: only(nodes, platform_role="document web", name="Another"))


def test_states_that_change_are_read(page: Page) -> None:
    page.do("$('tick').checked = true; $('press').disabled = true; $('field').readOnly = true")
    page.until(
        lambda nodes: (
            shows("tick", checked=True)(nodes)
            and shows("press", enabled=False)(nodes)
            and shows("field", editable=False)(nodes)
        )
    )
    page.do("$('para').contentEditable = true")
    page.until(lambda nodes: only(nodes, parent=element(nodes, "para")["uid"], editable=True))
    page.do("$('hide').hidden = true")
    page.until(lambda nodes: not only(nodes, name="inside", role="button"))
    page.do("$('hide').hidden = false")
    page.until(lambda nodes: only(nodes, name="inside", role="button", visible=True))


def test_what_is_scrolled_out_of_sight_and_back_is_read(page: Page) -> None:
    page.do("scrollTo(0, 1500)")
    page.until(shows("top", offscreen=True))
    page.do("scrollTo(0, 9999)")
    page.until(shows("far", offscreen=False))
    page.do("scrollTo(0, 0)")
    page.until(
        lambda nodes: shows("top", offscreen=False)(nodes) and shows("far", offscreen=True)(nodes),
    )
    page.do("$('far').textContent = 'far'; $('far').className = 'changed'")
    page.until(shows("far", text="far", style_classes=("changed",)))


def test_hidden_elements_have_their_attributes_in_every_read(page: Page) -> None:
    nodes = page.until(lambda nodes: True)
    hidden = [one for one in nodes.values() if not one["visible"] and not _is_in_page(nodes, one)]
    assert hidden, "Chromium has buttons that it shows later"
    assert [one for one in hidden if not one["style_classes"]] == []


def test_long_list_keeps_all_its_items(page: Page) -> None:
    page.do("$('list').innerHTML = [...Array(250).keys()].map(i => '<li id=i' + i + '>' + i).join('')")
    page.until(shows("i249"))
    page.do(
        "$('i0').remove(); const item = document.createElement('li');"
        "item.id = 'last'; item.textContent = 'last'; $('list').append(item)"
    )
    nodes = page.until(shows("last"))
    items = [one["automation_id"] for one in only(nodes, parent=element(nodes, "list")["uid"])]
    assert items == [*(f"i{number}" for number in range(1, 250)), "last"]


def _is_in_page(nodes: Known, one: dict[str, Any]) -> bool:
    while one["parent"] is not None and one["platform_role"] != "document web":
        one = nodes[one["parent"]]
    return one["platform_role"] == "document web"


def _options(nodes: Known, identity: str) -> tuple[Any, ...]:
    return tuple(element(nodes, identity)["options"])
