"""A window of Qt 5 or Qt 6 with a text field, and lists that say when a row becomes current or is clicked.

`qt_pages.py BINDING LOG`: each change is a line of the log.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

binding, log = sys.argv[1], Path(sys.argv[2])
widgets = importlib.import_module(f"{binding}.QtWidgets")


def say(what: str) -> None:
    with log.open("a") as file:
        file.write(f"{what}\n")


app = widgets.QApplication(sys.argv[:1])
window = widgets.QWidget()
window.setWindowTitle("Pages")
layout = widgets.QHBoxLayout(window)
rows = [f"Row {number}" for number in range(40)]

current = widgets.QListWidget()
current.setAccessibleName("Current")
current.addItems(rows)
current.setCurrentRow(0)
current.currentRowChanged.connect(lambda row: say(f"current {row}"))
layout.addWidget(current)

clicked = widgets.QListWidget()
clicked.setAccessibleName("Clicked")
clicked.addItems(rows)
clicked.itemClicked.connect(lambda item: say(f"clicked {item.text()}"))
layout.addWidget(clicked)

tree = widgets.QTreeWidget()
tree.setAccessibleName("Tree")
tree.setColumnCount(2)
for row in rows:
    tree.addTopLevelItem(widgets.QTreeWidgetItem([row, "more"]))
tree.currentItemChanged.connect(lambda item, _: say(f"tree {item.text(0)}"))
layout.addWidget(tree)

several = widgets.QListWidget()
several.setAccessibleName("Several")
several.addItems(rows)
several.setSelectionMode(widgets.QAbstractItemView.SelectionMode.ExtendedSelection)
several.itemSelectionChanged.connect(
    lambda: say("several " + ", ".join(sorted(item.text() for item in several.selectedItems())))
)
layout.addWidget(several)

never = widgets.QListWidget()
never.setAccessibleName("Never")
never.addItems(["Fixed"])
never.setSelectionMode(widgets.QAbstractItemView.SelectionMode.NoSelection)
layout.addWidget(never)

field = widgets.QLineEdit()
field.setAccessibleName("Field")
layout.addWidget(field)

window.resize(1000, 300)
window.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
