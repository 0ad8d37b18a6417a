"""A trace of a real app, and a real browser to look at it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deskhand import Trace, expect, launch
from tests.chromium import browser as browser

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py"), "--rows", "5"]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a test that fails at its last step."""
    trace = Trace(tmp_path_factory.mktemp("recorded") / "trace.zip", title="test_order")
    with launch(FORM, headless=True, trace=trace) as app:
        with trace.group("fill the form"):
            app.locator("#name").fill("Ada </script>")
            app.get_by_label("Password").fill("open sesame")
        app.get_by_role("button", name="Greet").click(receipt=True)
        expect(app.locator("#report")).to_contain_text("Hello, Ada")
        app.find("button")
        try:
            app.get_by_role("button", name="Missing").click(timeout=0.1)
        except Exception as error:  # noqa: BLE001 - the failure of the test that is recorded
            trace.error(error)
        trace.log("the test is over")
        trace.save()
    assert trace.path is not None
    return trace.path
