"""What users of the plugin see, mostly in one run of a project of theirs: fixtures, and what tests leave."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.pytest_plugin.conftest import Project, Run, run

LEFT = {"test-failed-1.png", "tree.txt", "app.log", "trace.zip"}

TESTS = """
import os
import sys
from pathlib import Path

import pytest
import pytest_asyncio

from deskhand import aio, expect

ATTEMPTS = []


@pytest.fixture(scope="session")
def deskhand_launch_args(deskhand_launch_args):
    return {**deskhand_launch_args, "size": (800, 600), "env": {"COMMON": "1", "MODE": "common"}}


def test_passes(deskhand_app, deskhand_desktop):
    deskhand_app.locator('textfield[name="Name"]').fill("Ada")
    deskhand_app.get_by_role("button", name="Greet").click()
    expect(deskhand_app.locator("#greeting")).to_have_text("Hello, Ada!")
    assert deskhand_desktop.size == (800, 600)


def test_misses_a_button(deskhand_app):
    deskhand_app.locator('textfield[name="Name"]').fill("Ada")
    deskhand_app.get_by_role("button", name="Gret").click(timeout=0.1)


def test_two_apps(deskhand_launch):
    show = "import os; print(*map(os.environ.get, ('DISPLAY', 'COMMON', 'MODE')), flush=True);"
    command = ["python", "-c", show + "exec(open('app.py').read())"]
    one, two = deskhand_launch(command), deskhand_launch(command, env={"MODE": "own"})
    Path("pids").write_text(f"{one.pid} {two.pid}")
    assert one.stdout.split() == [one.stdout.split()[0], "1", "common"]
    assert two.stdout.split() == [one.stdout.split()[0], "1", "own"]
    two.locator('textfield[name="Name"]').fill("Grace")
    expect(two.locator("#greeting")).to_have_text("Bye", timeout=0.1)


@pytest.mark.deskhand(["python", "-c", "import sys; sys.exit('no such profile')"])
def test_app_that_ends_at_once(deskhand_app):
    raise AssertionError("unreachable")


@pytest.mark.deskhand(["python", "app.py"], size=(640, 480), default_timeout=0.1)
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_async(deskhand_aio_app, anyio_backend):
    await deskhand_aio_app.locator('textfield[name="Name"]').fill("Ada")
    await deskhand_aio_app.get_by_role("button", name="Gret").click()


@pytest_asyncio.fixture
async def greeter(deskhand_aio_launch):
    app = await deskhand_aio_launch(["python", "app.py"])
    yield app
    assert await app.title() == "Greeter"


@pytest.mark.asyncio
async def test_asyncio(greeter):
    await greeter.get_by_role("button", name="Greet").click()
    await aio.expect(greeter.locator("#greeting")).to_have_text("Hello, !")


@pytest.mark.flaky(reruns=2)
def test_passes_the_second_time(deskhand_desktop):
    ATTEMPTS.append(1)
    assert len(ATTEMPTS) == 2


def test_soft_twice():
    expect.soft(lambda: "one").to_be("two", timeout=0)
    expect.soft(lambda: "three").to_be("four", timeout=0)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_soft_and_async(anyio_backend):
    await aio.expect.soft(lambda: "five").to_be("six", timeout=0)


def test_soft_and_then_for_real(deskhand_desktop):
    expect.soft(lambda: "seven").to_be("eight", timeout=0)
    assert deskhand_desktop is None, "nine"


def test_app_is_killed(deskhand_app):
    os.kill(deskhand_app.pid, 9)
    deskhand_app.title()


def test_desktop_is_closed(deskhand_desktop):
    deskhand_desktop.close()
    assert deskhand_desktop.failed


@pytest.mark.xfail
def test_expected_to_fail(deskhand_desktop):
    raise AssertionError
"""

SHARED = """
import sys

import pytest

from deskhand import launch


@pytest.fixture(scope="module")
def app():
    with launch([sys.executable, "app.py"], headless=True, size=(700, 500)) as app:
        yield app


def test_shared(app):
    app.get_by_label("Name").fill("Shared")
    assert app.title() == "Other"
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("project")
    options = ["--junitxml=junit.xml", "--html=html/report.html", "--alluredir=allure"]
    return run(folder, *options, env={"GITHUB_ACTIONS": "true"}, test_greeter=TESTS, test_later=SHARED)


def test_tests_with_the_fixtures_pass_and_fail_as_they_should(done: Run) -> None:
    assert "9 failed, 3 passed, 1 xfailed, 1 error, 1 rerun in" in done.shown, done.shown


def test_a_failed_test_leaves_a_screenshot_of_its_desktop(done: Run) -> None:
    path = done.folder / "test-results/test-greeter-py-test-misses-a-button/test-failed-1.png"
    with Image.open(path) as image:
        assert image.size == (800, 600)
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20


def test_a_failed_test_leaves_the_tree_as_it_was_when_the_test_failed(done: Run) -> None:
    tree = done.read("test-greeter-py-test-misses-a-button", "tree.txt")
    assert 'textfield "Name" = "Ada" [focused]  textfield[name="Name"]' in tree


def test_the_log_has_what_each_app_wrote(done: Run) -> None:
    one, two = re.findall(
        r"^## standard output\n(.*)\n", done.read("test-greeter-py-test-two-apps", "app.log"), re.M
    )
    assert one.endswith(" 1 common")
    assert two.endswith(" 1 own")


def test_the_tree_has_each_app(done: Run) -> None:
    tree = done.read("test-greeter-py-test-two-apps", "tree.txt")
    assert tree.count('window "Greeter"') == 2
    assert tree.count('textfield "Name" = "Grace"') == 1


def test_apps_end_with_the_test(done: Run) -> None:
    for pid in (done.folder / "pids").read_text().split():
        assert not Path("/proc", pid).exists()


def test_an_app_that_ends_at_once_leaves_what_it_said(done: Run) -> None:
    name = "test-greeter-py-test-app-that-ends-at-once"
    assert done.left(name) == LEFT
    assert "\nno such profile\n" in done.read(name, "app.log")
    assert "LaunchFailed: " in done.shown


def test_an_app_that_several_tests_share_is_written_down_too(done: Run) -> None:
    name = "test-later-py-test-shared"
    assert done.left(name) == LEFT - {"trace.zip"}
    assert 'textfield "Name" = "Shared"' in done.read(name, "tree.txt")
    with Image.open(done.folder / "test-results" / name / "test-failed-1.png") as image:
        assert image.size == (700, 500)


def test_an_app_that_was_killed_is_named_in_the_report(done: Run) -> None:
    shown = _section(done, "test_app_is_killed")
    assert "AppGone: the app was killed by SIGKILL" in shown
    assert "python app.py: was killed by signal 9\n" in shown
    assert "launching" not in shown  # no line of ours is shown
    assert done.left("test-greeter-py-test-app-is-killed") == LEFT


def test_a_screenshot_that_cannot_be_taken_does_not_hide_the_failure(done: Run) -> None:
    shown = _section(done, "test_desktop_is_closed")
    assert ">       assert deskhand_desktop.failed\n" in shown
    assert "test-failed-1.png could not be written: " in shown


def test_an_async_test_leaves_the_same(done: Run) -> None:
    name = "test-greeter-py-test-async-asyncio"
    assert done.left(name) == LEFT
    assert 'textfield "Name" = "Ada"' in done.read(name, "tree.txt")
    with Image.open(done.folder / "test-results" / name / "test-failed-1.png") as image:
        assert image.size == (640, 480)


def test_each_attempt_has_its_own_folder_and_passing_ones_leave_nothing(done: Run) -> None:
    assert {
        path.name.removeprefix("test-greeter-py-test-") for path in (done.folder / "test-results").iterdir()
    } == {
        "test-later-py-test-shared",
        "misses-a-button",
        "two-apps",
        "app-that-ends-at-once",
        "async-asyncio",
        "passes-the-second-time",
        "soft-and-then-for-real",
        "app-is-killed",
    }


def test_a_trace_has_the_steps_of_the_test_and_its_failure(done: Run) -> None:
    path = done.folder / "test-results/test-greeter-py-test-misses-a-button/trace.zip"
    with zipfile.ZipFile(path) as trace:
        assert trace.testzip() is None
        text = b"".join(trace.read(name) for name in trace.namelist() if name.endswith("l")).decode()
    assert "test_greeter.py::test_misses_a_button" in text
    assert 'nothing matches button[name*=\\"Gret\\" i]' in text


def test_a_failure_shows_near_misses_and_the_screenshot_on_one_screen(done: Run) -> None:
    shown = _section(done, "test_misses_a_button")
    assert 'nothing matches button[name*="Gret" i]; saw button "Greet"' in shown
    assert "screenshot: test-results/test-greeter-py-test-misses-a-button/test-failed-1.png\n" in shown
    assert "tree: test-results/test-greeter-py-test-misses-a-button/tree.txt\n" in shown
    assert len(shown.splitlines()) < 20


def test_a_failed_expectation_shows_the_last_state(done: Run) -> None:
    assert "last seen: visible=True, enabled=True, text=None" in done.shown


def test_soft_failures_fail_the_test_at_its_end_with_their_own_lines(done: Run) -> None:
    shown = _section(done, "test_soft_twice")
    assert "SoftFailures: 2 soft expectations failed" in shown
    for text in (
        'expect.soft(lambda: "one").to_be("two", timeout=0)',
        'expect.soft(lambda: "three").to_be("four", timeout=0)',
    ):
        line = TESTS.splitlines().index(f"    {text}") + 1
        assert re.search(
            rf'test_greeter.py", line {line}, in test_soft_twice\n *\|? *{re.escape(text)}', shown
        )


def test_a_soft_failure_of_an_async_test_is_shown_as_itself(done: Run) -> None:
    shown = _section(done, r"test_soft_and_async\[asyncio\]")
    assert '>       await aio.expect.soft(lambda: "five").to_be("six", timeout=0)' in shown


def test_soft_failures_are_reported_with_the_failure_that_came_after_them(done: Run) -> None:
    shown = _section(done, "test_soft_and_then_for_real")
    assert "AssertionError: nine" in shown
    assert "soft expectations that failed before" in shown
    assert "'eight'" in shown


def test_junit_xml_names_the_files_without_a_further_option(done: Run) -> None:
    files: dict[str, list[str]] = {}
    for case in ElementTree.parse(done.folder / "junit.xml").iter("testcase"):
        named = re.findall(r"\[\[ATTACHMENT\|(.*?)\]\]", case.findtext("system-out") or "")
        files.setdefault(case.attrib["name"], []).extend(named)
    assert [Path(path).name for path in files["test_misses_a_button"]] == [
        "test-failed-1.png",
        "tree.txt",
        "app.log",
        "trace.zip",
    ]
    assert all(Path(path).is_file() for paths in files.values() for path in paths)
    assert files["test_app_that_ends_at_once"]
    assert files["test_passes_the_second_time"]  # of its first attempt
    assert not files["test_passes"]


def test_pytest_html_shows_the_screenshot(done: Run) -> None:
    report = (done.folder / "html/report.html").read_text()
    assert "../test-results/test-greeter-py-test-misses-a-button/tree.txt" in report
    images = list((done.folder / "html/assets").glob("*misses_a_button*.png"))
    assert len(images) == 1


def test_allure_has_the_files(done: Run) -> None:
    results = [json.loads(path.read_text()) for path in (done.folder / "allure").glob("*-result.json")]
    (missed,) = [result for result in results if result["name"] == "test_misses_a_button"]
    assert [one["name"] for one in missed["attachments"]] == [
        "test-failed-1.png",
        "tree.txt",
        "app.log",
        "trace.zip",
    ]


def test_github_shows_failures_at_their_lines(done: Run) -> None:
    line = (
        TESTS.splitlines().index('    deskhand_app.get_by_role("button", name="Gret").click(timeout=0.1)') + 1
    )
    found = re.search(rf"^::error file=test_greeter.py,line={line},title=(.*?)::(.*)$", done.shown, re.M)
    assert found
    assert found[1] == "test_greeter.py%3A%3Atest_misses_a_button"
    assert 'saw button "Greet"' in found[2]
    assert "%0Ascreenshot: /" in found[2]


def test_workers_have_desktops_of_their_own_and_keep_each_others_files(
    project: Project, tmp_path: Path
) -> None:
    stale = tmp_path / "test-results/earlier/test-failed-1.png"
    stale.parent.mkdir(parents=True)
    stale.touch()
    tests = """
import pathlib, time

def run(desktop, app, own, other):
    pathlib.Path(own).write_text(desktop.display)
    deadline = time.monotonic() + 60
    while not pathlib.Path(other).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    app.locator('textfield[name="Name"]').fill(own)
    assert app.locator('textfield[name="Name"]').input_value() == ""

def test_one(deskhand_desktop, deskhand_app):
    run(deskhand_desktop, deskhand_app, "one", "two")

def test_two(deskhand_desktop, deskhand_app):
    run(deskhand_desktop, deskhand_app, "two", "one")
"""
    done = project("-n", "2", "--junitxml=junit.xml", "-o", "junit_logging=all", test_it=tests)
    assert "2 failed" in done.shown, done.shown
    assert (tmp_path / "one").read_text() != (tmp_path / "two").read_text()
    assert {path.name for path in (tmp_path / "test-results").iterdir()} == {
        "test-it-py-test-one",
        "test-it-py-test-two",
    }
    for name in ("one", "two"):
        assert f'textfield "Name" = "{name}"' in done.read(f"test-it-py-test-{name}", "tree.txt")
    cases = list(ElementTree.parse(tmp_path / "junit.xml").iter("testcase"))
    assert [(case.findtext("system-out") or "").count("[[ATTACHMENT|") for case in cases] == [4, 4]
    assert [len(case.findall("system-out")) for case in cases] == [1, 1]


def _section(done: Run, test: str) -> str:
    """What the terminal shows of one failed test."""
    found = re.search(rf"^_+ {test} _+\n(.*?)^(_+ test|---+ generated)", done.shown, re.M | re.S)
    assert found, done.shown
    return found[1]
