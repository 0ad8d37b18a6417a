"""Debian's Chromium for tests of pages, and axe-core, which finds what keeps people from using a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_AXE = Path(__file__).parents[1] / ".cache" / "axe" / "axe.min.js"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Playwright runs an event loop in this thread, so it ends with the module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox of Chromium does not work for root, as whom tests may run.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


def violations(page: Page) -> list[tuple[Any, ...]]:
    """What axe-core finds on a page that is serious or critical: the rule, why, and the elements."""
    page.evaluate(_AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        (each["id"], each["help"], [node["html"][:200] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
