"""What actions and waits leave behind in a program: nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from deskhand import launch

_PROGRAM = """
import gc
import weakref
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

app = QApplication([])
window = QWidget()
column = QVBoxLayout(window)
field, button = QLineEdit(), QPushButton("Count")
field.setObjectName("field")
column.addWidget(field)
column.addWidget(button)

def count():
    gc.collect()
    field.setText(str(sum(type(one) is weakref.ref for one in gc.get_objects())))

button.clicked.connect(count)
window.show()
app.exec()
"""


def test_actions_and_waits_leave_no_references_in_a_program(tmp_path: Path) -> None:
    script = tmp_path / "counts.py"
    script.write_text(_PROGRAM)
    with launch([sys.executable, str(script)], env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}) as app:
        field, button = app.locator("#field"), app.locator("button")
        counts = []
        for _ in range(4):
            for number in range(40):
                field.fill(f"text {number}")
                app.wait_idle()
            button.click()
            counts.append(int(field.input_value() or "0"))
    # In the first round, modules are loaded.
    assert counts[-1] - counts[1] < 20, counts
