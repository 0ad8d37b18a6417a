"""Appium Inspector in a real browser: the page of its plugin from npm, unmodified, is a client.

The page is served by a plain file server: version 2025.8.1 of the plugin cannot be loaded by Appium 3.8.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from .test_webdriver import FORMS, ROOT, Server

pytestmark = pytest.mark.programs

WAIT = 60_000
"""How long to wait for something on a busy machine, in ms."""


class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def origin() -> Iterator[str]:
    """The address of the inspector's page."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(ROOT / ".cache/appium")))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.set_default_timeout(WAIT)
        yield page
        browser.close()


def test_appium_inspector_opens_a_session_shows_the_app_and_finds_elements(origin: str, page: Page) -> None:
    server = Server("--slots", "1", "--allow-origin", origin)
    try:
        page.goto(f"{origin}/inspector/")
        page.locator("#customServerHost").fill("127.0.0.1")
        page.locator("#customServerPort").fill(server.url.rpartition(":")[2])
        page.get_by_role("img", name="edit").click()
        capabilities = {
            "platformName": "linux",
            "appium:automationName": "deskhand",
            "appium:app": shlex.join(FORMS["qt"]),
        }
        page.locator("textarea").fill(json.dumps(capabilities))
        page.get_by_role("img", name="save").first.click()
        page.get_by_role("button", name="Start Session").click()

        window = page.locator(".ant-tree-title", has_text="Order form")
        expect(window).to_be_visible(timeout=WAIT)
        shown = page.locator("img[src^='data:image']").first
        expect(shown).to_be_visible(timeout=WAIT)
        assert shown.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [640, 560]

        page.get_by_role("button", name="search").click()
        modal = page.locator(".ant-modal")
        modal.get_by_text("XPath", exact=True).click()
        modal.locator("textarea, input:not([type=radio])").last.fill('//button[@name="Greet"]')
        modal.get_by_role("button", name="Search").click()
        expect(modal.get_by_text("Elements found")).to_be_visible(timeout=WAIT)
        expect(modal).to_contain_text("1")
        modal.get_by_role("button", name="Done").click()

        page.locator(".ant-tree-title", has_text="tab-list").first.click()
        expect(page.get_by_text("Person").first).to_be_visible()
        if folder := os.environ.get("DESKHAND_DOCS_IMAGES"):  # as in docs/images
            expect(page.locator(".ant-spin-dot")).to_have_count(0)
            page.screenshot(path=Path(folder) / "appium-inspector.png")
    finally:
        server.close()


def test_pages_of_named_origins_may_be_clients_and_no_others() -> None:
    page, other = "http://127.0.0.1:4725", "http://127.0.0.1:4726"
    server = Server("--slots", "1", "--allow-origin", page, "--token", "secret")
    try:
        asked = {"Access-Control-Request-Method": "POST", "Origin": page}
        status, headers = answer(server, "OPTIONS", "/session", asked)
        assert (status, headers["access-control-allow-origin"]) == (204, page)
        assert "authorization" in headers["access-control-allow-headers"]
        status, headers = answer(server, "GET", "/status", {"Origin": page, "Sec-Fetch-Site": "same-site"})
        assert (status, headers["access-control-allow-origin"]) == (200, page)
        # The token is asked for all the same, and the page may read why.
        status, headers = answer(server, "GET", "/appium/sessions", {"Origin": page})
        assert (status, headers["access-control-allow-origin"]) == (401, page)

        for method, path in (("OPTIONS", "/session"), ("GET", "/status"), ("GET", "/appium/sessions")):
            status, headers = answer(server, method, path, {**asked, "Origin": other})
            assert status == 403
            assert "access-control-allow-origin" not in headers
        assert answer(server, "OPTIONS", "/session", {**asked, "Host": "evil.example"})[0] == 403
    finally:
        server.close()


def answer(server: Server, method: str, path: str, headers: dict[str, str]) -> tuple[int, Mapping[str, str]]:
    connection = http.client.HTTPConnection(server.url.partition("://")[2], timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}


@pytest.mark.parametrize(
    "text", ["*", "null", "127.0.0.1:4725", "http://a/", "http://a:80", "http://b@a", "HTTP://a"]
)
def test_an_argument_that_is_not_an_origin_is_refused(text: str) -> None:
    command = [Path(sys.executable).with_name("deskhand"), "webdriver", "--allow-origin", text]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 2
    assert f"'{text}' is not an origin" in ran.stderr
