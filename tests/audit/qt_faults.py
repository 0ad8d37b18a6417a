"""One form twice: with a fault of each kind, or with each of them corrected. `--fixed` shows the latter."""

from __future__ import annotations

import sys

from PySide6 import QtCore, QtGui, QtWidgets

FIXED = "--fixed" in sys.argv


class Dial(QtWidgets.QWidget):
    """A custom control without a role of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(QtCore.Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(60, 30)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        QtGui.QPainter(self).drawEllipse(2, 2, 40, 24)


class Box(QtWidgets.QCheckBox):
    """A check box that always looks unchecked."""

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        option = QtWidgets.QStyleOptionButton()
        self.initStyleOption(option)
        option.state &= ~QtWidgets.QStyle.StateFlag.State_On
        option.state |= QtWidgets.QStyle.StateFlag.State_Off
        painter = QtWidgets.QStylePainter(self)
        painter.drawControl(QtWidgets.QStyle.ControlElement.CE_CheckBox, option)


class Form(QtWidgets.QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Trip" if FIXED else "")
        self.setStyleSheet("QLabel { color: #202020; background: #f4f4f4 }")
        rows = QtWidgets.QVBoxLayout(self)
        for make in (self.names, self.labels, self.boxes, self.colours, self.keys, self.small):
            row = QtWidgets.QHBoxLayout()
            for widget in make():
                row.addWidget(widget)
            row.addStretch()
            rows.addLayout(row)

    def names(self) -> list[QtWidgets.QWidget]:
        icon = QtWidgets.QPushButton()
        icon.setObjectName("icon")
        icon.setIcon(self.style().standardIcon(QtWidgets.QStyle.StandardPixmap.SP_BrowserReload))
        tipped = QtWidgets.QPushButton()
        tipped.setObjectName("tipped")
        tipped.setIcon(self.style().standardIcon(QtWidgets.QStyle.StandardPixmap.SP_DialogSaveButton))
        tipped.setToolTip("Save the trip")
        other = QtWidgets.QPushButton("Send")
        other.setObjectName("other")
        other.setAccessibleName("Send the trip" if FIXED else "button17")
        if FIXED:
            icon.setAccessibleName("Reload")
            tipped.setAccessibleName("Save")
        dial = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal) if FIXED else Dial()
        dial.setAccessibleName("Speed")
        dial.setObjectName("dial")
        return [icon, tipped, other, dial]

    def labels(self) -> list[QtWidgets.QWidget]:
        label, field = QtWidgets.QLabel("Name:"), QtWidgets.QLineEdit()
        field.setObjectName("beside")
        bare = QtWidgets.QSpinBox()
        bare.setObjectName("bare")
        hinted = QtWidgets.QLineEdit()
        hinted.setObjectName("hinted")
        hinted.setPlaceholderText("City")
        if FIXED:
            label.setBuddy(field)
            bare.setAccessibleName("Days")
            hinted.setAccessibleName("City")
        return [label, field, bare, hinted]

    def boxes(self) -> list[QtWidgets.QWidget]:
        kind = QtWidgets.QCheckBox if FIXED else Box
        on, off = kind("Return"), kind("Window seat")
        on.setObjectName("on")
        on.setChecked(True)
        off.setObjectName("off" if FIXED else "on")
        return [on, off]

    def colours(self) -> list[QtWidgets.QWidget]:
        pale = QtWidgets.QLabel("Prices include all taxes")
        pale.setObjectName("pale")
        gone = QtWidgets.QLabel("Seats are limited")
        gone.setObjectName("gone")
        large = QtWidgets.QLabel("Bargain")
        large.setObjectName("large")
        large.setStyleSheet("color: #808080; background: #f4f4f4; font-size: 28px")
        off = QtWidgets.QPushButton("Not yet")
        off.setEnabled(False)
        if not FIXED:
            pale.setStyleSheet("color: #a0a0a0; background: #f4f4f4")
            gone.setStyleSheet("color: #f4f4f4; background: #f4f4f4")
        return [pale, gone, large, off]

    def keys(self) -> list[QtWidgets.QWidget]:
        buttons = [QtWidgets.QPushButton(text) for text in ("One", "Two", "Three")]
        mouse, click = QtWidgets.QPushButton("Mouse"), QtWidgets.QPushButton("Click")
        mouse.setObjectName("mouse")
        click.setObjectName("click")
        buttons[1].setObjectName("two")
        if not FIXED:
            mouse.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
            click.setFocusPolicy(QtCore.Qt.FocusPolicy.ClickFocus)
            QtCore.QTimer.singleShot(0, lambda: self._scramble(buttons))
        return [*buttons, mouse, click]

    def _scramble(self, buttons: list[QtWidgets.QPushButton]) -> None:
        self.setTabOrder(buttons[0], buttons[2])
        self.setTabOrder(buttons[2], buttons[1])

    def small(self) -> list[QtWidgets.QWidget]:
        holder = QtWidgets.QWidget()
        gap = 30 if FIXED else 0
        for number, name in enumerate(("less", "more")):
            button = QtWidgets.QPushButton("<>"[number], holder)
            button.setObjectName(name)
            button.setAccessibleName(name)
            button.setStyleSheet("padding: 0")
            button.setGeometry(number * (16 + gap), 0, 16, 16)
        holder.setFixedSize(80, 20)
        return [holder]


if __name__ == "__main__":
    application = QtWidgets.QApplication(sys.argv)
    form = Form()
    form.show()
    sys.exit(application.exec())
