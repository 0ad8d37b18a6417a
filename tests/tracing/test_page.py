"""The page of a trace in a real Chromium: every part of it is used as a person would."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from deskhand.cli.main import commands
from deskhand.tracing.reader import Recorded
from deskhand.tracing.serve import PageServer
from tests.chromium import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.programs

TYPED = "Ada </script>"


@pytest.fixture(scope="module")
def file(recorded: Path) -> Path:
    """The trace as one file."""
    output = recorded.with_name("trace.html")
    result = CliRunner().invoke(commands, ["trace", "html", str(recorded), "-o", str(output)])
    assert result.exit_code == 0, result.output
    return output


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(f"{file.as_uri()}#step=1")
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()
    assert wrong == []


def selected(page: Page) -> int:
    return int(page.locator("#steps [aria-selected=true]").get_attribute("data-step") or 0)


def painted(page: Page, selector: str) -> bool:
    """Whether a canvas shows more than one colour."""
    colours = """canvas => {
        const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(all.buffer)).size;
    }"""
    return bool(page.locator(selector).first.evaluate(colours) > 10)


def test_file_needs_no_network_and_opens_at_the_first_error(browser: Browser, file: Path) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert "2 errors" in page.inner_text("#summary")
    assert page.inner_text("#title") == "test_order"
    assert "failed" in page.locator("#steps [aria-selected=true]").inner_text()
    page.close()


def test_the_point_that_was_hit_is_marked_on_the_target(page: Page) -> None:
    page.locator("#steps [role=option]", has_text="click").first.click()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#point:visible")

    point, target = page.locator("#point").bounding_box(), page.locator("#target").bounding_box()
    assert point is not None
    assert target is not None
    assert target["x"] < point["x"] + point["width"] / 2 < target["x"] + target["width"]
    assert target["y"] < point["y"] + point["height"] / 2 < target["y"] + target["height"]
    assert "hit at" in page.inner_text("#panel")


def test_steps_show_calls_in_their_groups_without_reads(page: Page) -> None:
    assert page.locator("#steps [role=presentation]").first.inner_text() == "fill the form"
    titles = page.locator("#steps .title").all_inner_texts()
    assert titles[0] == f'fill #name "{TYPED}"'
    assert titles[1].endswith('"••••"')
    assert not any(title.startswith("find") for title in titles)
    page.get_by_label("Show reads").check()
    assert any(title.startswith("find") for title in page.locator("#steps .title").all_inner_texts())


def test_arrow_keys_walk_through_steps_and_moments(page: Page) -> None:
    page.keyboard.press("ArrowDown")
    assert selected(page) == 2
    assert page.url.endswith("#step=2")
    page.keyboard.press("ArrowUp")
    assert selected(page) == 1
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("tab", name="Before").get_attribute("aria-selected") == "true"
    page.keyboard.press("End")
    assert "Missing" in page.locator("#steps [aria-selected=true]").inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("e")
    assert page.get_by_test_id("errors").locator("pre").last.inner_text().startswith("nothing matches")


def test_link_leads_to_a_step(page: Page) -> None:
    page.evaluate("location.hash = '#step=3'")
    page.wait_for_function("document.querySelector('#steps [aria-selected=true]').dataset.step === '3'")


def test_film_strip_shows_screenshots_and_leads_to_their_steps(page: Page) -> None:
    frames = page.get_by_test_id("filmstrip").get_by_role("button")
    assert frames.count() >= 3
    assert painted(page, "#filmstrip canvas")
    frames.last.click()
    last = frames.last.get_attribute("data-step")
    page.wait_for_function(f"document.querySelector('#steps [aria-selected=true]').dataset.step === '{last}'")


def test_target_is_marked_on_the_screenshot_at_its_bounds(page: Page, recorded: Path) -> None:
    with Recorded(recorded) as trace:
        step = next(step for step in trace.steps if step["title"].startswith("click"))
    page.goto(page.url.partition("#")[0] + f"#step={step['step']}")
    page.get_by_role("tab", name="Before").click()
    page.get_by_label("Whole screen").check()
    page.wait_for_selector("#target:visible")
    assert painted(page, "#canvas")
    box, screen = page.locator("#target").bounding_box(), page.locator("#canvas").bounding_box()
    assert box is not None
    assert screen is not None
    scale = screen["width"] / 1280
    x, y, width, height = step["target"]["bounds"]
    for seen, wanted in zip(
        (box["x"] - screen["x"], box["y"] - screen["y"], box["width"], box["height"]),
        (x * scale, y * scale, width * scale, height * scale),
        strict=True,
    ):
        assert seen == pytest.approx(wanted, abs=3)


def test_tree_is_searched_and_linked_with_the_screenshot(page: Page) -> None:
    page.keyboard.press("/")
    page.get_by_test_id("tree-search").fill("button greet")
    rows = page.get_by_role("treeitem")
    assert rows.all_inner_texts() == ['button "Greet"']
    rows.first.hover()
    page.wait_for_selector("#hover:visible")
    rows.first.click()
    assert "automation_id" not in page.locator("#panel dl").inner_text()
    assert "QPushButton" in page.locator("#panel dl").inner_text()
    marked = page.locator("#hover").bounding_box()
    assert marked is not None
    page.get_by_role("tab", name="Call").click()
    page.mouse.click(marked["x"] + marked["width"] / 2, marked["y"] + marked["height"] / 2)
    assert page.locator("[role=treeitem][aria-selected=true]").inner_text() == 'button "Greet"'


def test_changes_source_log_and_errors_have_their_tabs(page: Page) -> None:
    page.get_by_role("tab", name="Changes").click()
    assert TYPED in page.get_by_test_id("changes").inner_text()
    page.get_by_role("tab", name="Source").click()
    assert ".fill(" in page.locator("[data-testid=source] .current").inner_text()
    assert "open sesame" not in page.get_by_test_id("source").inner_text()
    page.get_by_role("tab", name="Log").click()
    assert "the test is over" in page.get_by_test_id("log").inner_text()
    page.get_by_role("tab", name=re.compile("Errors")).click()
    assert "nothing matches" in page.get_by_test_id("errors").inner_text()
    page.get_by_role("tab", name=re.compile("Errors")).press("ArrowLeft")
    assert page.get_by_role("tab", name="Log").get_attribute("aria-selected") == "true"


def test_call_shows_parameters_target_and_receipt(page: Page) -> None:
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    text = page.locator("#panel").inner_text()
    assert 'button "Greet"' in text
    assert "Receipt" in text
    assert "Hello, Ada" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_has_the_colours_of_the_system_until_switched(browser: Browser, file: Path, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(file.as_uri())
    dark = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(part => part < 60)"
    assert page.evaluate(dark) is (scheme == "dark")
    page.wait_for_selector("html[data-ready]")
    assert violations(page) == []
    page.locator("#theme").click()
    assert page.evaluate(dark) is (scheme == "light")
    page.close()


def test_show_serves_the_page_to_those_who_know_its_address(browser: Browser, recorded: Path) -> None:
    with Recorded(recorded) as trace, PageServer(trace) as server:
        page = browser.new_page()
        page.goto(server.url)
        page.wait_for_selector("html[data-ready]")
        assert painted(page, "#canvas")
        page.close()
        parts = urlsplit(server.url)

        def status(path: str, host: str = parts.netloc) -> int:
            connection = http.client.HTTPConnection(parts.netloc, timeout=30)
            connection.request("GET", path, headers={"Host": host})
            return connection.getresponse().status

        assert status(parts.path) == 200
        assert status("/") == 404
        assert status("/wrong/") == 404
        assert status(f"{parts.path}resources/../trace.jsonl") == 404
        assert status(parts.path, "attacker.example") == 404


def test_show_prints_its_address_and_ends_by_a_signal(recorded: Path) -> None:
    code = "from deskhand.cli import main; main()"
    command = [sys.executable, "-c", code, "trace", "show", "--no-open", str(recorded)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/\n", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_missing_file_is_wrong_use_with_what_was_left(tmp_path: Path) -> None:
    (tmp_path / "trace.zip.recording").mkdir()
    result = CliRunner().invoke(commands, ["trace", "html", str(tmp_path / "trace.zip")])
    assert result.exit_code == 2
    assert "trace.zip.recording" in result.output
