"""`deskhand record --video`: a person's clicks and the code they become, on a video."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from deskhand import Desktop, attach
from deskhand.adapters.display import Display
from deskhand.adapters.keyboard import Input
from deskhand.cli import record
from deskhand.cli.main import commands
from tests.traces import until
from tests.video.test_film import RED, SIZE, frames, is_near

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="PyAV 18 needs Python 3.11")
_DESKHAND = [str(Path(sys.executable).with_name("deskhand"))]
_FORM = [sys.executable, "tests/audit/tk_faults.py", "--fixed"]


def test_clicks_of_a_person_are_marked_and_the_video_is_complete_after_ctrl_c(tmp_path: Path) -> None:
    video, code = tmp_path / "form.webm", tmp_path / "test_form.py"
    with Desktop(size=SIZE) as desktop:
        recording = subprocess.Popen(
            [*_DESKHAND, "record", "--video", str(video), "-o", str(code), "--", *_FORM],
            env={**os.environ, **desktop.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert recording.stdout is not None
        assert recording.stdout.readline() == "ready\n"
        display = Display(desktop.env)
        person = Input(display)
        with attach(_process_on(desktop)) as app:
            bounds = app.locator("#done").bounds()
        assert bounds is not None
        person.click(*bounds.center, "left", 1, ())
        until(lambda: "click()" in code.read_text())
        recording.send_signal(signal.SIGINT)
        _, said = recording.communicate(timeout=30)
        person.close()
        display.close()

    assert recording.returncode == 0, said
    assert 'locator("#done").click()' in code.read_text()
    middle = int(bounds.center[0]), int(bounds.center[1])
    assert any(is_near(image.getpixel(middle), RED) for _, image in frames(video))


def _process_on(desktop: Desktop) -> int:
    """The process of the form on this desktop."""
    display = f"DISPLAY={desktop.env['DISPLAY']}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            words = (process / "cmdline").read_bytes().split(b"\0")
            here = display in (process / "environ").read_bytes().split(b"\0")
            if here and words[1:2] == [b"tests/audit/tk_faults.py"]:
                return int(process.name)
    raise AssertionError("the form does not run")


def test_without_the_extra_it_is_wrong_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(record, "missing", lambda: "a video needs PyAV, which is not installed")
    file = str(tmp_path / "form.webm")
    done = CliRunner().invoke(commands, ["record", "--video", file, "--", "true"], prog_name="deskhand")

    assert done.exit_code == 2
    assert "a video needs PyAV, which is not installed: pip install 'deskhand[video]'" in done.stderr
