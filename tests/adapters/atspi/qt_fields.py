"""A window of Qt 5 or Qt 6 with a combo box to write in and fields for dates: `qt_fields.py BINDING LOG`.

The last line of the log is what they hold.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

binding, log = sys.argv[1], Path(sys.argv[2])
widgets = importlib.import_module(f"{binding}.QtWidgets")
core = importlib.import_module(f"{binding}.QtCore")

app = widgets.QApplication(sys.argv[:1])
window = widgets.QWidget()
window.setWindowTitle("Fields")
layout = widgets.QVBoxLayout(window)

colour = widgets.QComboBox()
colour.setEditable(True)
colour.addItems(["Red", "Green", "Blue"])
colour.setAccessibleName("Colour")
layout.addWidget(colour)

day = core.QDate(2020, 1, 2)
formats = {"German": "dd.MM.yyyy", "American": "M/d/yy", "Named": "d MMM yyyy", "Iso": "yyyy-MM-dd"}
dates = {}
for name, shown in formats.items():
    dates[name] = widgets.QDateEdit(day)
    dates[name].setLocale(core.QLocale("en_US"))
    dates[name].setDisplayFormat(shown)
moment = widgets.QDateTimeEdit(core.QDateTime(day, core.QTime(3, 4)))
moment.setDisplayFormat("dd.MM.yyyy HH:mm")
late = widgets.QDateEdit(day)
late.setMaximumDate(core.QDate(2021, 1, 1))
for name, field in {**dates, "Moment": moment, "Late": late}.items():
    field.setAccessibleName(name)
    layout.addWidget(field)


def say() -> None:
    held = [colour.currentText(), *(field.date().toString("yyyy-MM-dd") for field in dates.values())]
    held += [moment.dateTime().toString("yyyy-MM-ddTHH:mm"), late.date().toString("yyyy-MM-dd")]
    with log.open("a") as file:
        file.write(" ".join(held) + "\n")


colour.editTextChanged.connect(say)
for field in (*dates.values(), moment, late):
    field.dateTimeChanged.connect(say)
window.show()
say()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
