"""`--deskhand-audit`: the apps of each test are audited at its end."""

from __future__ import annotations

import json

from tests.pytest_plugin.conftest import Project

FAULTY = """
import tkinter

root = tkinter.Tk()
root.title("Search")
tkinter.Entry(root, name="words").pack(padx=40, pady=40)
root.mainloop()
"""
TEST = """
import pytest

@pytest.mark.deskhand(["python", "faulty.py"])
def test_search(deskhand_app):
    deskhand_app.locator("#words").fill("trains")
"""
FOLDER = "test-app-py-test-search"


def test_findings_fail_the_test_unless_the_baseline_has_them(project: Project) -> None:
    first = project("--deskhand-audit", test_app=TEST, faulty=FAULTY)

    assert first.code == 1, first.shown
    assert "1 accessibility finding:" in first.shown
    assert "label: the textfield has no label (#words)" in first.shown
    assert "audit.json" in first.left(FOLDER)
    findings = json.loads(first.read(FOLDER, "audit.json"))
    assert {"rule", "selector", "message", "screenshot"} <= findings[0].keys()

    (first.folder / "known.json").write_text(json.dumps(findings))
    again = project("--deskhand-audit-baseline", "known.json", test_app=TEST, faulty=FAULTY)

    assert again.code == 0, again.shown
    assert again.left(FOLDER) == set()


def test_without_the_option_nothing_is_audited(project: Project) -> None:
    done = project(test_app=TEST, faulty=FAULTY)

    assert done.code == 0, done.shown
