"""The clipboard of an app, judged by what a Qt form copies and pastes."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from deskhand import App, aio, expect, launch
from deskhand.model.errors import ActionUnsupported, InvalidParams, NotConnected
from tests.traces import until

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py")]


def test_the_clipboard_has_what_the_form_copied_and_the_form_pastes_what_was_set() -> None:
    with launch(FORM, headless=True, size=(900, 700)) as app:
        name, report = app.locator("#name"), app.locator("#report")
        assert app.clipboard.text == ""

        name.fill("Ada ✓")
        name.press("ctrl+a")
        name.press("ctrl+c")
        until(lambda: app.clipboard.text == "Ada ✓")
        assert app.clipboard.get() == "Ada ✓"

        app.clipboard.text = "Grace Höpper"
        name.press("ctrl+a")
        name.press("ctrl+v")
        expect(report).to_have_text("name Grace Höpper")

        asyncio.run(_with_asyncio(app.address))
        expect(report).to_have_text("name awaited")

        not_text: Any = 5
        with pytest.raises(InvalidParams, match="'text'"):
            app.clipboard.text = not_text
        assert app.clipboard.text == "awaited"
    with pytest.raises(NotConnected):
        app.clipboard.get()


async def _with_asyncio(address: str) -> None:
    async with aio.connect(address) as app:
        assert await app.clipboard.text == "Grace Höpper"
        with pytest.raises(AttributeError, match=r"await .*set"):
            app.clipboard.text = "lost"
        await app.clipboard.set("awaited")
        assert await app.clipboard.get(timeout=5) == await app.clipboard.text == "awaited"
        await app.locator("#name").press("ctrl+a")
        await app.locator("#name").press("ctrl+v")


def test_an_app_without_a_clipboard_says_so(app: App) -> None:
    with pytest.raises(ActionUnsupported):
        app.clipboard.get()
    with pytest.raises(ActionUnsupported):
        app.clipboard.text = "Ada"
