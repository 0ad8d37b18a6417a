"""A browser: large, slow to start, and with a bridge of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskhand import Desktop, expect
from deskhand.model import operations as ops
from deskhand.model.node import MASK

from .conftest import Start
from .test_changes import look

pytestmark = pytest.mark.programs

_PAGE = """<!doctype html><title>Order</title>
<p id=out style="color:#1234ab;font:bold 20px serif">nothing</p>
<label for=who>Name</label><input id=who><label for=pw>Secret</label>
<input id=pw type=password value=hunter2><div style="height:3000px"></div>
<button id=send onclick="out.textContent='sent '+who.value">Send</button>"""


def test_a_form_in_a_browser_is_filled_and_sent(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(_PAGE)
    running = start(
        "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--force-renderer-accessibility",
        f"--user-data-dir={tmp_path / 'profile'}", page.as_uri(), until="#who", timeout=60,
    )  # fmt: skip
    app = running.app
    assert app.locator("#who").get().name == "Name"
    assert app.locator("#pw").get().value == MASK
    font = app.locator("#out").get().font
    assert font is not None
    assert (font.size, font.weight, font.color) == (15, "bold", "#1234ab")
    app.run(ops.SetValue("#who", value="Ada Lovelace"))
    expect(app.locator("#who")).to_have_value("Ada Lovelace")
    app.run(ops.Click("#send"))
    expect(app.locator('[text="sent Ada Lovelace"]').first).to_be_visible()
    look(running.adapter, desktop, running.process.pid)
