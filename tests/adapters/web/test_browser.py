"""Chromium as `deskhand run -- chromium URL` starts it: its own window and the page in it as one tree."""

from __future__ import annotations

from pathlib import Path

from deskhand import expect, launch


def test_the_browsers_own_window_and_its_page_are_one_tree(tmp_path: Path) -> None:
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    first.write_text("""<!doctype html><title>First</title>
      <button id=ask onclick="said.textContent = confirm('Sure?')">Ask</button> <output id=said></output>""")
    second.write_text("<!doctype html><title>Second</title><h1>Arrived</h1>")
    with launch(["chromium", first.as_uri()], headless=True, timeout=60, default_timeout=20) as app:
        assert app.info().toolkit == "web"
        expect(app.get_by_role("tab", name="First")).to_be_visible()
        button, area = app.locator("web-area >> #ask"), app.locator('web-area[name="First"]')
        expect(button).to_be_visible()
        outer, inner = area.bounds(), button.bounds()
        assert outer is not None
        assert inner is not None
        assert outer.x <= inner.x <= outer.x + 20
        assert outer.y <= inner.y <= outer.y + 20

        button.click()
        dialog = app.locator("dialog:visible")
        expect(dialog.get_by_text("Sure?")).to_be_visible()
        dialog.get_by_role("button", name="Cancel").click()
        expect(app.locator("#said")).to_have_text("false")

        app.locator('textfield[name^="Address"]').fill(second.as_uri())
        app.keyboard.press("Enter")
        expect(app.get_by_role("heading", name="Arrived")).to_be_visible()
        expect(app.get_by_role("tab", name="Second")).to_be_visible()
        assert app.locator("web-area").count() == 1
