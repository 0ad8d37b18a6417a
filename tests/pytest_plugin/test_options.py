"""The plugin's options, and what it does to runs that have nothing to do with it."""

from __future__ import annotations

from pathlib import Path

from deskhand import Desktop
from tests.pytest_plugin.conftest import Project

PASSES = "def test_passes(): pass\n"
DESKTOP = "def test_desktop(deskhand_desktop): pass\n"
FAILS = "def test_fails(deskhand_desktop): assert deskhand_desktop.size == (0, 0)\n"


def test_a_run_without_desktops_loads_nothing_and_leaves_the_folder_alone(
    project: Project, tmp_path: Path
) -> None:
    other = tmp_path / "test-results/of-another-tool.xml"
    other.parent.mkdir()
    other.touch()
    loaded = """
import sys

def test_passes():
    assert "deskhand.pytest_plugin" in sys.modules
    ours = {name for name in sys.modules if name.startswith("deskhand.")}
    assert ours == {"deskhand.pytest_plugin"}
"""
    assert project(test_it=loaded).code == 0
    assert other.exists()


def test_the_output_of_earlier_runs_is_removed(project: Project, tmp_path: Path) -> None:
    stale = tmp_path / "test-results/earlier/trace.zip"
    stale.parent.mkdir(parents=True)
    stale.touch()
    assert project(test_it=DESKTOP).code == 0
    assert list((tmp_path / "test-results").iterdir()) == []


def test_only_listing_the_tests_removes_nothing(project: Project, tmp_path: Path) -> None:
    stale = tmp_path / "test-results/earlier/trace.zip"
    stale.parent.mkdir(parents=True)
    stale.touch()
    assert project("--collect-only", test_it=DESKTOP).code == 0
    assert stale.exists()


def test_an_output_folder_that_is_named_is_emptied_and_used(project: Project, tmp_path: Path) -> None:
    stale = tmp_path / "out/deep/earlier/trace.zip"
    stale.parent.mkdir(parents=True)
    stale.touch()
    done = project("--deskhand-output", "out/deep", "--junitxml=out/deep/junit.xml", test_it=FAILS)
    assert "screenshot: out/deep/test-it-py-test-fails/test-failed-1.png" in done.shown
    names = sorted(
        str(path.relative_to(tmp_path / "out/deep")) for path in (tmp_path / "out/deep").rglob("*.*")
    )
    assert names == ["junit.xml", "test-it-py-test-fails/test-failed-1.png"]
    assert not (tmp_path / "test-results").exists()


def test_an_output_folder_with_the_project_in_it_is_refused(project: Project, tmp_path: Path) -> None:
    done = project("--deskhand-output", ".", test_it=PASSES)
    assert done.code == 4
    assert "--deskhand-output: '" in done.shown
    assert "is emptied before the tests, and it contains" in done.shown
    assert (tmp_path / "test_it.py").exists()


def test_screenshots_and_traces_can_be_had_of_every_test_and_of_none(project: Project) -> None:
    app = "def test_app(deskhand_app): assert deskhand_app.title() == 'Greeter'\n"
    on = project("--deskhand-screenshot", "on", "--deskhand-trace", "on", test_it=app)
    assert on.left("test-it-py-test-app") == {"test-finished-1.png", "trace.zip"}
    app = app.replace("Greeter", "Other")
    off = project("--deskhand-screenshot", "off", "--deskhand-trace", "off", test_it=app)
    assert off.left("test-it-py-test-app") == {"tree.txt", "app.log"}


def test_update_snapshots_reaches_the_expectations(project: Project) -> None:
    tests = """
from pathlib import Path
from deskhand.client.options import options

def test_it():
    assert options.update_snapshots
    assert options.test_file == Path(__file__)
    assert options.output == Path("test-results/test-it-py-test-it").absolute()
"""
    assert project("--deskhand-update-snapshots", test_it=tests).code == 0


def test_a_missing_command_is_explained(project: Project, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    done = project(test_it="def test_it(deskhand_app): pass\n")
    assert (
        "deskhand_app has no command: mark the test with @pytest.mark.deskhand(['python', 'app.py'])"
        in done.shown
    )
    assert "Traceback" not in done.shown


def test_an_argument_for_the_desktop_is_refused_in_one_launch(project: Project) -> None:
    tests = "def test_it(deskhand_launch): deskhand_launch(['python', 'app.py'], size=(640, 480))\n"
    assert "'size' is not for one launch: the desktop exists before its apps" in project(test_it=tests).shown


def test_headed_apps_are_on_the_screen_of_the_person_with_a_home_of_their_own(project: Project) -> None:
    tests = """
import os

def test_it(deskhand_desktop, deskhand_launch):
    show = "import os; print(os.environ['DISPLAY'], os.environ['HOME'], flush=True);"
    app = deskhand_launch(["python", "-c", show + "exec(open('app.py').read())"])
    display, home = app.stdout.split()
    assert display == deskhand_desktop.display == os.environ["DISPLAY"]
    assert home != os.environ["HOME"]
    app.locator('textfield[name="Name"]').fill("Ada")
    assert app.locator('textfield[name="Name"]').input_value() == ""
"""
    with Desktop((900, 700)) as screen:
        done = project("--deskhand-headed", "--deskhand-slowmo", "1", env=screen.env, test_it=tests)
    assert "AssertionError: assert 'Ada' == ''" in done.shown
    assert done.left("test-it-py-test-it") == {"test-failed-1.png", "tree.txt", "app.log", "trace.zip"}
