"""An exported trace in Playwright's own viewer, which is in its package."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import playwright
import pytest
from click.testing import CliRunner

from deskhand.cli.main import commands

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.programs

VIEWER = Path(playwright.__file__).parent / "driver" / "package" / "lib" / "vite" / "traceViewer"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def exported(recorded: Path, tmp_path: Path) -> Path:
    output = tmp_path / "playwright.zip"
    result = CliRunner().invoke(commands, ["trace", "export", str(recorded), "-o", str(output)])
    assert result.exit_code == 0, result.output
    return output


@pytest.fixture
def viewer(exported: Path, tmp_path: Path) -> Iterator[str]:
    """The address of Playwright's viewer with the trace."""
    shutil.copytree(VIEWER, tmp_path / "viewer")
    shutil.copy(exported, tmp_path / "viewer" / "trace.zip")
    handler = functools.partial(_Quiet, directory=str(tmp_path / "viewer"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}"
        yield f"{base}/index.html?trace={base}/trace.zip"
        server.shutdown()
        thread.join()


def test_exported_trace_has_version_8_and_no_password(exported: Path) -> None:
    with zipfile.ZipFile(exported) as zipped:
        first = json.loads(zipped.read("trace.trace").splitlines()[0])
        assert (first["type"], first["version"]) == ("context-options", 8)
        assert not [name for name in zipped.namelist() if b"open sesame" in zipped.read(name)]


def test_viewer_of_playwright_shows_steps_screenshots_sources_and_errors(
    browser: Browser, viewer: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(viewer)
    steps = page.get_by_role("treeitem")
    steps.filter(has_text='click button[name*="Greet" i]').click()
    titles = steps.all_inner_texts()
    assert any(title.startswith("fill the form") for title in titles)
    assert any(title.startswith("to contain text #report") for title in titles)
    page.get_by_role("tab", name="After").click()
    image = page.frame_locator("iframe.snapshot-visible").locator("img[alt=screenshot]")
    image.wait_for()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    page.get_by_role("tab", name="Source").click()
    page.get_by_text('app.get_by_role("button", name="Greet").click(receipt=True)').first.wait_for()
    steps.filter(has_text="Missing").click()
    page.get_by_role("tab", name="Errors").click()
    page.get_by_text("nothing matches").first.wait_for()
    page.close()
