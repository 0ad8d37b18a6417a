"""A form with one of every widget, which writes down what happens to it. It knows nothing of deskhand."""

import importlib
import os

BINDING = os.environ["STAGE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
Qt = QtCore.Qt

COUNTRIES = [("France", "fr"), ("Kenya", "ke"), ("Japan", "jp"), ("Peru", "pe")]


class DropLabel(QtWidgets.QLabel):
    def __init__(self, form):
        super().__init__("drop here", objectName="drop")
        self.form = form
        self.setAcceptDrops(True)
        self.setFixedSize(120, 60)

    def dragEnterEvent(self, event):
        event.acceptProposedAction()

    def dropEvent(self, event):
        self.form.say(f"dropped {event.mimeData().text() or event.mimeData().formats()}")
        event.acceptProposedAction()


class DragLabel(QtWidgets.QLabel):
    def __init__(self, form):
        super().__init__("drag me", objectName="dragged")
        self.form = form
        self.setFixedSize(120, 60)

    def mouseMoveEvent(self, event):
        drag = QtGui.QDrag(self)
        data = QtCore.QMimeData()
        data.setText("cargo")
        drag.setMimeData(data)
        result = drag.exec(Qt.DropAction.CopyAction)
        self.form.say(f"drag ended {result.name}")


class Canvas(QtWidgets.QWidget):
    """Draws itself; all it has is events."""

    def __init__(self, form):
        super().__init__(objectName="canvas")
        self.form = form
        self.setMouseTracking(True)
        self.setFixedSize(120, 60)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def _say(self, what, event):
        at = event.position().toPoint()
        modifiers = event.modifiers().name or "" if event.modifiers() else ""
        self.form.say(f"{what} {event.button().name} {at.x()},{at.y()} {modifiers}".strip())

    def mousePressEvent(self, event):
        self._say("down", event)

    def mouseReleaseEvent(self, event):
        self._say("up", event)

    def mouseDoubleClickEvent(self, event):
        self._say("double", event)

    def mouseMoveEvent(self, event):
        if event.buttons():
            self.form.say(f"dragged to {event.position().toPoint().x()},{event.position().toPoint().y()}")

    def enterEvent(self, event):
        self.form.say("entered")

    def wheelEvent(self, event):
        self.form.say(f"wheel {event.angleDelta().x()},{event.angleDelta().y()}")

    def keyPressEvent(self, event):
        self.form.say(f"key {event.key():#x} {event.text()!r}")


class ShyCombo(QtWidgets.QComboBox):
    """Fills its list only when it is opened."""

    def showPopup(self):
        if self.count() == 0:
            self.addItems(["late", "later"])
        super().showPopup()


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.journal = []
        self.setWindowTitle("Everything")
        self.resize(900, 700)
        self.move(40, 40)
        page = QtWidgets.QWidget()
        self.setCentralWidget(page)
        self.rows = QtWidgets.QFormLayout(page)
        self.buttons()
        self.edits()
        self.numbers()
        self.choices()
        self.views()
        self.menus()
        self.dragging()
        self.show()

    def say(self, what):
        self.journal.append(str(what))

    def row(self, *widgets):
        line = QtWidgets.QHBoxLayout()
        for widget in widgets:
            line.addWidget(widget)
            setattr(self, widget.objectName(), widget)
        self.rows.addRow(line)

    def buttons(self):
        push = QtWidgets.QPushButton("Push", objectName="push")
        push.clicked.connect(lambda: self.say("pushed"))
        push.pressed.connect(lambda: self.say("push down"))
        dead = QtWidgets.QPushButton("Dead", objectName="dead", enabled=False)
        ask = QtWidgets.QPushButton("Ask", objectName="ask")
        ask.clicked.connect(self.ask_something)
        check = QtWidgets.QCheckBox("I agree", objectName="check")
        check.setMinimumWidth(400)
        check.clicked.connect(lambda on: self.say(f"check {on}"))
        three = QtWidgets.QCheckBox("Three", objectName="three", tristate=True)
        three.clicked.connect(lambda: self.say(f"three {three.checkState().name}"))
        self.row(push, dead, ask, check, three)
        self.box = QtWidgets.QGroupBox("Delivery", objectName="box", checkable=True)
        self.box.clicked.connect(lambda on: self.say(f"box {on}"))
        inside = QtWidgets.QHBoxLayout(self.box)
        for name in ("Post", "Courier"):
            radio = QtWidgets.QRadioButton(name, objectName=name.lower())
            radio.clicked.connect(lambda _, name=name: self.say(f"delivery {name}"))
            inside.addWidget(radio)
            setattr(self, name.lower(), radio)
        link = QtWidgets.QLabel('See <a href="help:1">help</a>', objectName="link")
        link.linkActivated.connect(lambda to: self.say(f"link {to}"))
        self.row(self.box, link)

    def edits(self):
        line = QtWidgets.QLineEdit(objectName="line")
        line.textEdited.connect(lambda text: self.say(f"edited {text}"))
        line.returnPressed.connect(lambda: self.say(f"submitted {line.text()}"))
        line.editingFinished.connect(lambda: self.say(f"finished {line.text()}"))
        secret = QtWidgets.QLineEdit(objectName="secret", maxLength=6)
        secret.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
        fixed = QtWidgets.QLineEdit("fixed", objectName="fixed", readOnly=True)
        digits = QtWidgets.QLineEdit(objectName="digits")
        digits.setValidator(QtGui.QIntValidator(0, 99, digits))
        text = QtWidgets.QPlainTextEdit("first", objectName="text")
        text.setFixedHeight(60)
        rich = QtWidgets.QTextEdit("rich", objectName="rich")
        rich.setFixedHeight(60)
        self.row(line, secret, fixed, digits, text, rich)

    def numbers(self):
        spin = QtWidgets.QSpinBox(objectName="spin", minimum=0, maximum=50, suffix=" kg")
        spin.valueChanged.connect(lambda value: self.say(f"spin {value}"))
        real = QtWidgets.QDoubleSpinBox(objectName="real")
        slider = QtWidgets.QSlider(Qt.Orientation.Horizontal, objectName="slider", maximum=100)
        slider.sliderMoved.connect(lambda value: self.say(f"slid {value}"))
        slider.sliderReleased.connect(lambda: self.say(f"slider {slider.value()}"))
        dial = QtWidgets.QDial(objectName="dial")
        dial.setFixedHeight(40)
        bar = QtWidgets.QProgressBar(objectName="bar", value=40)
        day = QtWidgets.QDateEdit(QtCore.QDate(2024, 1, 2), objectName="day")
        day.dateChanged.connect(lambda date: self.say(f"day {date.toString(Qt.DateFormat.ISODate)}"))
        clock = QtWidgets.QTimeEdit(QtCore.QTime(1, 2), objectName="clock")
        moment = QtWidgets.QDateTimeEdit(objectName="moment")
        moment.setDateTime(QtCore.QDateTime(QtCore.QDate(2024, 1, 2), QtCore.QTime(3, 4)))
        self.row(spin, real, slider, dial, bar, day, clock, moment)

    def choices(self):
        combo = QtWidgets.QComboBox(objectName="combo")
        for text, value in COUNTRIES:
            combo.addItem(text, value)
        combo.model().item(3).setEnabled(False)
        combo.activated.connect(lambda at: self.say(f"chose {combo.itemText(at)}"))
        free = QtWidgets.QComboBox(objectName="free", editable=True)
        free.addItems(["one", "two"])
        shy = ShyCombo(objectName="shy")
        tabs = QtWidgets.QTabWidget(objectName="tabs")
        for name in ("F&irst", "Second", "Third"):
            tabs.addTab(QtWidgets.QLabel(f"page {name}"), name)
        tabs.setTabEnabled(2, False)
        tabs.setFixedHeight(60)
        tabs.currentChanged.connect(lambda at: self.say(f"tab {at}"))
        self.row(combo, free, shy, tabs)

    def views(self):
        names = QtWidgets.QListWidget(objectName="names")
        names.addItems([f"name {number}" for number in range(100)])
        names.itemClicked.connect(lambda item: self.say(f"clicked {item.text()}"))
        names.itemActivated.connect(lambda item: self.say(f"activated {item.text()}"))
        names.itemSelectionChanged.connect(
            lambda: self.say("selected " + " ".join(sorted(i.text() for i in names.selectedItems())))
        )
        names.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.ExtendedSelection)
        table = QtWidgets.QTableWidget(50, 4, objectName="table")
        table.setHorizontalHeaderLabels(["Name", "Age", "Fixed", "Tick"])
        table.setSortingEnabled(False)
        for row in range(50):
            table.setItem(row, 0, QtWidgets.QTableWidgetItem(f"person {row}"))
            table.setItem(row, 1, QtWidgets.QTableWidgetItem(str(row)))
            fixed = QtWidgets.QTableWidgetItem("fixed")
            fixed.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            table.setItem(row, 2, fixed)
            tick = QtWidgets.QTableWidgetItem("tick")
            tick.setCheckState(Qt.CheckState.Unchecked)
            table.setItem(row, 3, tick)
        table.itemChanged.connect(
            lambda item: self.say(f"cell {item.row()},{item.column()} {item.text()} {item.checkState().name}")
        )
        table.horizontalHeader().sectionClicked.connect(lambda at: self.say(f"header {at}"))
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self.table_menu)
        tree = QtWidgets.QTreeWidget(objectName="tree")
        tree.setHeaderLabels(["Thing", "Count"])
        for name, below in (("Fruit", ["Apple", "Pear"]), ("Metal", ["Iron"])):
            top = QtWidgets.QTreeWidgetItem(tree, [name, str(len(below))])
            for each in below:
                QtWidgets.QTreeWidgetItem(top, [each, ""])
        tree.itemExpanded.connect(lambda item: self.say(f"opened {item.text(0)}"))
        tree.itemCollapsed.connect(lambda item: self.say(f"shut {item.text(0)}"))
        for view in (names, table, tree):
            view.setFixedHeight(120)
        self.row(names, table, tree)

    def table_menu(self, at):
        menu = QtWidgets.QMenu(self.table)
        row = self.table.rowAt(at.y())
        menu.addAction("Remove", lambda: self.say(f"removed {row}"))
        menu.exec(self.table.viewport().mapToGlobal(at))
        self.say("menu closed")

    def menus(self):
        file = self.menuBar().addMenu("&File")
        file.setObjectName("file")
        save = file.addAction("&Save", lambda: self.say("saved"))
        save.setShortcut("Ctrl+S")
        self.wrap = file.addAction("Wrap", lambda: self.say(f"wrap {self.wrap.isChecked()}"))
        self.wrap.setCheckable(True)
        recent = file.addMenu("Recent")
        recent.addAction("a.txt", lambda: self.say("opened a.txt"))
        file.addAction("Never", lambda: self.say("never")).setEnabled(False)
        self.file, self.recent, self.save = file, recent, save
        self.tools = self.menuBar().addMenu("Tools")
        self.tools.addAction("Undo", lambda: self.say("undone"))
        self.tools.aboutToShow.connect(self.fill_tools)
        QtGui.QShortcut(QtGui.QKeySequence("F5"), self, lambda: self.say("refreshed"))
        drop = QtWidgets.QPushButton("More", objectName="more")
        self.extra = QtWidgets.QMenu(drop)
        self.extra.addAction("Extra", lambda: self.say("extra"))
        drop.setMenu(self.extra)
        lazy = QtWidgets.QLabel("right-click me", objectName="lazy")
        lazy.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        lazy.addAction(QtGui.QAction("Copy", lazy, triggered=lambda: self.say("copied")))
        self.row(drop, lazy)

    def fill_tools(self):
        self.tools.clear()
        for name in ("Sort", "Count"):
            self.tools.addAction(name, lambda name=name: self.say(name))
        self.deeper = self.tools.addMenu("Deeper")
        self.deeper.addAction("Bottom", lambda: self.say("bottom"))
        self.tools.addAction("Undo", lambda: self.say("undone")).setEnabled(False)

    def dragging(self):
        area = QtWidgets.QScrollArea(objectName="area")
        area.setFixedSize(160, 60)
        inside = QtWidgets.QWidget()
        inside.setFixedSize(150, 800)
        far = QtWidgets.QPushButton("Far", inside, objectName="far")
        far.move(10, 700)
        far.clicked.connect(lambda: self.say("far"))
        self.far = far
        area.setWidget(inside)
        self.row(DragLabel(self), DropLabel(self), Canvas(self), area)

    def fill_area(self):
        """Put controls that the wheel changes over all of the scroll area, and say what they are set to."""
        self.controls = []
        for number in range(8):
            for place, kind in enumerate((QtWidgets.QSpinBox, QtWidgets.QSlider, QtWidgets.QDial)):
                control = kind(self.far.parentWidget())
                control.setGeometry(0, number * 75 + place * 25, 150, 25)
                control.setValue(20)
                control.show()
                self.controls.append(control)

    def set_to(self):
        return [control.value() for control in self.controls]

    def cover(self):
        """Put something in front of the push button."""
        self.lid = QtWidgets.QFrame(self.push.parentWidget(), objectName="lid")
        self.lid.setGeometry(self.push.geometry())
        self.lid.show()

    def ask_something(self):
        box = QtWidgets.QMessageBox(self)
        box.setWindowTitle("Question")
        box.setText("Really?")
        box.setStandardButtons(
            QtWidgets.QMessageBox.StandardButton.Yes | QtWidgets.QMessageBox.StandardButton.No
        )
        self.question = box
        self.say(f"answered {QtWidgets.QMessageBox.StandardButton(box.exec()).name}")


def main():
    return Form()
