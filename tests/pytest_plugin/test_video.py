"""`--deskhand-video`: a video of each test, or of those that failed."""

from __future__ import annotations

import sys

import pytest

from tests.pytest_plugin.conftest import Project

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="PyAV 18 needs Python 3.11")
TESTS = """
def test_right(deskhand_app):
    deskhand_app.get_by_role("button", name="Greet").click()

def test_wrong(deskhand_app):
    deskhand_app.get_by_role("button", name="Greet").click()
    assert False
"""
RIGHT, WRONG = "test-it-py-test-right", "test-it-py-test-wrong"


def test_only_failed_tests_keep_their_video(project: Project) -> None:
    done = project("--deskhand-video", "retain-on-failure", test_it=TESTS)

    assert done.left(RIGHT) == set()
    assert "video.webm" in done.left(WRONG)
    assert f"video: test-results/{WRONG}/video.webm" in done.shown


def test_every_test_keeps_its_video_with_on(project: Project) -> None:
    done = project("--deskhand-video", "on", "-k", "right", test_it=TESTS)

    assert done.code == 0, done.shown
    assert done.left(RIGHT) == {"video.webm"}
    assert (done.folder / "test-results" / RIGHT / "video.webm").read_bytes().startswith(b"\x1aE\xdf\xa3")


HIDE_PYAV = """
import importlib.util

find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "av" else find_spec(name, *more)
"""


def test_without_the_extra_the_usage_error_says_what_to_install(project: Project) -> None:
    done = project("-p", "hide", "--deskhand-video", "on", hide=HIDE_PYAV, test_it=TESTS)

    assert done.code == 4
    assert "a video needs PyAV, which is not installed: pip install 'deskhand[video]'" in done.shown
