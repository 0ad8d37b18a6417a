"""Reading a page of 15,000 nodes and clicking in a page, against Playwright on the same browser and page."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from deskhand import App, connect
from deskhand.inject import chromium

from .measure import Figure, Report

_NODES = 15_000
_READ, _CLICK = "read of 15,000 DOM nodes", "click until the page's own handler runs"
_BOUND, _BOUND_CHANGED = 8, 1
_STARTS = 30.0
_ROWS = _NODES // 6
# Six elements in each.
_ROW = (
    '<div class=row><label for=f{0}>Field {0}</label><input id=f{0} value="{0}">'
    "<button>Save {0}</button><a href='#{0}'>Link {0}</a><span>Note {0}</span></div>"
)
_PAGE = "<!doctype html><title>Large</title><main>" + "".join(map(_ROW.format, range(_ROWS))) + "</main>"
_CLICKED = """<!doctype html><title>Click</title><button id=button
onclick="textContent = performance.timeOrigin + performance.now()">0</button>"""


def run(report: Report, quick: bool) -> None:
    if not report.wants(_READ, _CLICK):
        return
    times = 3 if quick else 7
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        address = stack.enter_context(_browser(Path(folder)))
        playwright = stack.enter_context(sync_playwright())
        peer = playwright.chromium.connect_over_cdp(f"http://{address}").contexts[0].pages[0]
        app = stack.enter_context(connect(f"cdp://{address}", default_timeout=60))
        if report.wants(_READ):
            _read(report, app, peer, times)
        if report.wants(_CLICK):
            _click(report, app, peer, times * 5)


def _read(report: Report, app: App, peer: Page, times: int) -> None:
    peer.set_content(_PAGE)
    assert peer.evaluate("document.querySelectorAll('*').length") >= _NODES
    app.locator(f'button[name="Save {_ROWS - 1}"]').wait_for(timeout=60)
    assert len(app.tree()) > 5 * _ROWS

    def change() -> None:
        peer.evaluate("document.querySelector('button').textContent += '.'")

    for what, before, bound in (("unchanged", None, _BOUND), ("after a change", change, _BOUND_CHANGED)):
        ours = _best(app.tree, times, before)
        theirs = _best(lambda: peer.locator("body").aria_snapshot(), times, before)
        name, kept = f"{_READ}, {what}", theirs / ours >= bound
        said = f"at least {bound} times faster"
        report.add(Figure(name, ours * 1000, "ms", "Playwright's aria snapshot", theirs * 1000, said, kept))


def _click(report: Report, app: App, peer: Page, times: int) -> None:
    peer.set_content(_CLICKED)
    button, other = app.locator("#button"), peer.locator("#button")
    button.wait_for()
    ours = [_until_handled(button.click, other) for _ in range(times)]
    theirs = [_until_handled(other.click, other) for _ in range(times)]
    report.add(
        Figure(
            _CLICK,
            statistics.median(ours) * 1000,
            "ms",
            "Playwright's click",
            statistics.median(theirs) * 1000,
        )
    )


def _until_handled(click: Callable[[], object], button: object) -> float:
    """How long it takes from the call until the page's handler has the click, in seconds."""
    began = time.time()
    click()
    return float(button.text_content()) / 1000 - began  # type: ignore[attr-defined]  # Playwright's locator


def _best(call: Callable[[], object], times: int, before: Callable[[], object] | None = None) -> float:
    """The shortest time of several calls, in seconds, without what is done before each."""
    taken = []
    for _ in range(times):
        if before is not None:
            before()
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


@contextmanager
def _browser(folder: Path) -> Iterator[str]:
    """A headless Chromium with a debugging port; its address."""
    command = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _STARTS
        while not (found := list(chromium.ports([process.pid]))):
            assert time.monotonic() < deadline, "Chromium did not open its debugging port"
            time.sleep(0.05)
        yield found[0].address
    finally:
        process.terminate()
        process.wait(20)
