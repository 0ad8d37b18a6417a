"""The code of a recording is formatted as ruff does it, and says what a person would write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.recording import Element, Secret, Source, Step
from deskhand.recording.formats import program

FORM = Source(("python", "form.py"), headless=True)
NAME = Element('textfield[name="Name"]', "textfield", "Name")
LONG = Element('group[name="A name that is really long"] >> list-item[name="and \'another\' \\"one\\""]')
STEPS = (
    Step("fill", NAME, ("Ada",)),
    Step("fill", Element("#secret"), (Secret("PASSWORD"),)),
    Step("click", Element("#save")),
    Step("click", LONG, options={"modifiers": ["Control", "Shift"], "position": (12, 8)}),
    Step("drag_to", NAME, (LONG,), {"target_position": (3, 4)}),
    Step("keyboard.press", None, ("Control+s",)),
    Step("choose_file", None, ('/tmp/it\'s "here".txt',), {"overwrite": True}),
    Step("", comment="something that could not be seen"),
    Step("to_be_visible", Element("dialog"), options={"timeout": 20}),
    Step("to_have_text", Element("#report"), ("two\nlines",)),
    Step("to_match_tree", None, ('\n- window "Form":\n  - button "Save"\n',)),
)


@pytest.mark.parametrize("format", ["pytest", "python"])
@pytest.mark.parametrize(
    "source", [FORM, Source(("python", "f" * 90, "x" * 90)), Source(app="galculator"), Source()]
)
@pytest.mark.parametrize("steps", [STEPS, STEPS[:1], (), STEPS[7:8]])
def test_the_code_is_formatted_as_ruff_does_it(
    format: str, source: Source, steps: tuple[Step, ...], tmp_path: Path
) -> None:
    code = program(steps, format, source)
    compile(code, "recorded.py", "exec")
    ruff = [sys.executable, "-m", "ruff", "--isolated"]
    said = subprocess.run([*ruff, "format", "--diff", "-"], input=code, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    said = subprocess.run(
        [*ruff, "check", "--select=F,E4,E7,E9", "--ignore=F841", "-"],
        input=code,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_a_test_for_pytest_is_what_a_person_would_write() -> None:
    assert program(STEPS[:3], "pytest", FORM) == '''\
import os

import pytest
from deskhand import App


@pytest.mark.deskhand(["python", "form.py"])
def test_recorded(deskhand_app: App) -> None:
    app = deskhand_app
    app.get_by_role("textfield", name="Name").fill("Ada")
    app.locator("#secret").fill(os.environ["PASSWORD"])
    app.locator("#save").click()
'''  # fmt: skip


def test_commands_are_quoted_for_the_shell() -> None:
    code = program(STEPS, "sh", FORM)
    assert "deskhand type --clear 'textfield[name=\"Name\"]' Ada\n" in code
    assert "deskhand type --clear -- '#secret' \"$PASSWORD\"\n" in code
    assert "deskhand choose-file --overwrite '/tmp/it'\"'\"'s \"here\".txt'\n" in code
    assert "deskhand wait --timeout 20 dialog visible\n" in code
    checked = subprocess.run(["sh", "-n"], input=code, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
