"""A connection that stays open sees what the program shows, also where the toolkit announces nothing.

Judged by raw AT-SPI: an independent walk in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from deskhand import Desktop

from .conftest import Running, Start

pytestmark = pytest.mark.programs

_WALK = """
import json, sys
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
found = []
def visit(node):
    if node is None:
        return
    found.append((node.get_role_name(), node.get_name()))
    for at in range(min(node.get_child_count(), 200)):
        visit(node.get_child_at_index(at))
desktop = Atspi.get_desktop(0)
for at in range(desktop.get_child_count()):
    app = desktop.get_child_at_index(at)
    if app is not None and app.get_process_id() == int(sys.argv[1]):
        visit(app)
print(json.dumps(found))
"""


def raw(desktop: Desktop, pid: int) -> list[tuple[str, str]]:
    """Role and name of everything that a program has on the bus."""
    argv = ["/usr/bin/python3", "-c", _WALK, str(pid)]
    answer = subprocess.run(argv, env=desktop.env, capture_output=True, text=True, check=True, timeout=60)
    return [(role, name) for role, name in json.loads(answer.stdout)]


def names(running: Running, role: str) -> set[str]:
    return {node.name or "" for node in running.adapter.read(timeout=20) if node.platform_role == role}


def seen_by_both(running: Running, desktop: Desktop, role: str, wanted: str) -> None:
    """Wait until the program has an object of that name; the open connection has it then too."""
    deadline = time.monotonic() + 20
    while True:
        theirs = {name for kind, name in raw(desktop, running.process.pid) if kind == role}
        ours = names(running, role)
        if wanted in theirs and wanted in ours:
            return
        assert time.monotonic() < deadline, (ours, theirs)


def test_title_of_a_tab_that_changes_later_is_seen(start: Start, desktop: Desktop, tmp_path: Path) -> None:
    running = start("gedit", str(tmp_path / "none.txt"), until="editable-text:visible")
    running.adapter.read(timeout=20)
    running.app.locator("editable-text:visible").first.type("words")
    seen_by_both(running, desktop, "label", "*none.txt")


def test_what_is_inside_a_checkable_group_box_is_read(start: Start) -> None:
    code = """if 1:
        from PyQt5 import QtWidgets
        app = QtWidgets.QApplication([])
        box = QtWidgets.QGroupBox("Proxy")
        box.setCheckable(True)
        box.setChecked(False)
        QtWidgets.QVBoxLayout(box).addWidget(QtWidgets.QPushButton("inside"))
        box.show()
        app.exec()
    """
    app = start("/usr/bin/python3", "-c", code, until='[name="Proxy"]').app
    assert not app.get_by_role("button", name="inside").get().enabled
    app.locator('checkbox[name="Proxy"]').first.check()
    assert app.get_by_role("button", name="inside").get().enabled
