"""A form that is served with the inspector, a client of it, and a browser to look at the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deskhand import App, connect
from tests.chromium import browser as browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py"), "--rows", "5"]
PROGRAM = [sys.executable, "-c", "from deskhand.cli import main; main()"]
POLICY = """
ask_timeout = 60

[[rule]]
name = "Load later"
operation = "click"
decide = "ask"
"""


@dataclass(frozen=True)
class Inspected:
    """A form under inspection."""

    url: str
    """Of the page."""
    app: App
    """A client of the same server."""
    folder: Path


@pytest.fixture(scope="module")
def inspected() -> Iterator[Inspected]:
    with tempfile.TemporaryDirectory(prefix="dh") as name:
        folder = Path(name)
        (folder / "policy.toml").write_text(POLICY)
        words = ["--headless", "--json", "--gip", str(folder / "gip"), "--inspector", "0"]
        process = subprocess.Popen(
            [*PROGRAM, "run", *words, "--policy", str(folder / "policy.toml"), "--", *FORM],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "DESKHAND_RUNTIME_DIR": str(folder / "run")},
        )
        assert process.stdout is not None
        urls = {}
        while (told := json.loads(process.stdout.readline()))["ready"] is not True:
            urls[told["ready"]] = told["url"]
        with connect(urls["gip"]) as app:
            yield Inspected(urls["inspector"], app, folder)
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture
def page(browser: Browser, inspected: Inspected) -> Iterator[Page]:
    """The page, as it shows the form."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(inspected.url)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("[role=treeitem]")
    yield page
    page.close()
    assert wrong == []
