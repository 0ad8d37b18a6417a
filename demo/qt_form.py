"""An order form in Qt Widgets. It knows nothing of deskhand.

Run it with PySide6, PyQt6, PyQt5 or PySide2: `python demo/qt_form.py [--binding PyQt6]`. What the user did
is shown in the status line, and printed as JSON when the form closes. With `--again`, each line on standard
input starts it over with a fresh form, which is answered by a line.
"""

import argparse
import collections
import importlib
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--binding", default="PySide6", choices=["PySide6", "PyQt6", "PyQt5", "PySide2"])
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
arguments = parser.parse_args()

QtCore = importlib.import_module(f"{arguments.binding}.QtCore")
QtGui = importlib.import_module(f"{arguments.binding}.QtGui")
QtWidgets = importlib.import_module(f"{arguments.binding}.QtWidgets")

Qt = QtCore.Qt


def loop(thing, *where):
    """Run its event loop, which PySide2 knows by another name."""
    return (thing.exec if hasattr(thing, "exec") else thing.exec_)(*where)


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Order form")
        self.setObjectName("order_form")
        self.events = collections.deque(maxlen=1000)
        self.make_menus()
        tabs = QtWidgets.QTabWidget()
        tabs.setObjectName("tabs")
        tabs.addTab(self.make_person(), "Person")
        tabs.addTab(self.make_items(), "Items")
        tabs.addTab(self.make_more(), "More")
        tabs.currentChanged.connect(lambda index: self.say(f"tab {tabs.tabText(index)}"))
        self.setCentralWidget(tabs)
        self.report = QtWidgets.QLabel("ready")
        self.report.setObjectName("report")
        self.report.setAccessibleDescription("What happened last")
        self.statusBar().addWidget(self.report, 1)
        self.resize(640, 560)

    def say(self, what):
        self.events.append(what)
        self.report.setText(what)

    # -- the parts ------------------------------------------------------------------------

    def make_menus(self):
        file = self.menuBar().addMenu("&File")
        save = file.addAction("&Save")
        save.setShortcut(QtGui.QKeySequence("Ctrl+S"))
        save.triggered.connect(lambda: self.say("saved"))
        recent = file.addMenu("&Recent")
        recent.addAction("first.txt").triggered.connect(lambda: self.say("opened first.txt"))
        file.addSeparator()
        file.addAction("&Quit").triggered.connect(self.close)
        view = self.menuBar().addMenu("&View")
        grid = view.addAction("Show &grid")
        grid.setCheckable(True)
        grid.toggled.connect(lambda on: self.say(f"grid {on}"))
        bar = self.addToolBar("Tools")
        bar.setObjectName("tools")
        zoom = bar.addAction("Zoom in")
        zoom.triggered.connect(lambda: self.say("zoomed"))

    def make_person(self):
        page = QtWidgets.QWidget()
        form = QtWidgets.QFormLayout(page)
        self.name = QtWidgets.QLineEdit()
        self.name.setObjectName("name")
        self.name.setPlaceholderText("Full name")
        self.name.textChanged.connect(lambda text: self.say(f"name {text}"))
        self.name.returnPressed.connect(lambda: self.say(f"submitted {self.name.text()}"))
        form.addRow("&Name", self.name)
        self.secret = QtWidgets.QLineEdit()
        self.secret.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
        self.secret.setObjectName("secret")
        self.secret.textChanged.connect(lambda text: self.say(f"secret of {len(text)}"))
        form.addRow("&Password", self.secret)
        self.news = QtWidgets.QCheckBox("Send me the &newsletter")
        self.news.toggled.connect(lambda on: self.say(f"newsletter {on}"))
        form.addRow(self.news)
        self.country = QtWidgets.QComboBox()
        self.country.setObjectName("country")
        for text, code in (("France", "FR"), ("Kenya", "KE"), ("Japan", "JP"), ("Peru", "PE")):
            self.country.addItem(text, code)
        self.country.currentTextChanged.connect(lambda text: self.say(f"country {text}"))
        form.addRow("&Country", self.country)
        box = QtWidgets.QGroupBox("Delivery")
        row = QtWidgets.QHBoxLayout(box)
        for text in ("Post", "Courier"):
            radio = QtWidgets.QRadioButton(text)
            radio.toggled.connect(lambda on, text=text: on and self.say(f"delivery {text}"))
            row.addWidget(radio)
        form.addRow(box)
        self.notes = QtWidgets.QPlainTextEdit()
        self.notes.setObjectName("notes")
        self.notes.setMaximumHeight(60)
        self.notes.textChanged.connect(lambda: self.say(f"notes {self.notes.toPlainText()!r}"))
        form.addRow("N&otes", self.notes)
        buttons = QtWidgets.QHBoxLayout()
        greet = QtWidgets.QPushButton("&Greet")
        greet.clicked.connect(lambda: self.say(f"Hello, {self.name.text()}!"))
        order = QtWidgets.QPushButton("Place order…")
        order.setObjectName("order")
        order.clicked.connect(self.place_order)
        slow = QtWidgets.QPushButton("Load later")
        slow.setObjectName("later")
        slow.clicked.connect(self.load_later)
        self.send = QtWidgets.QPushButton("Send")
        self.send.setObjectName("send")
        self.send.setEnabled(False)
        self.send.clicked.connect(lambda: self.say("sent"))
        for button in (greet, order, slow, self.send):
            buttons.addWidget(button)
        form.addRow(buttons)
        self.hint = QtWidgets.QPushButton("Hidden hint")
        self.hint.setObjectName("hint")
        self.hint.hide()
        form.addRow(self.hint)
        return page

    def make_items(self):
        page = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(page)
        self.table = QtWidgets.QTableWidget(arguments.rows, 3)
        self.table.setObjectName("table")
        self.table.setHorizontalHeaderLabels(["Item", "Price", "Stock"])
        for number in range(arguments.rows):
            for at, text in enumerate((f"Item {number}", f"{number}.50", str(number % 7))):
                self.table.setItem(number, at, QtWidgets.QTableWidgetItem(text))
        self.table.itemSelectionChanged.connect(self.tell_cells)
        self.table.itemChanged.connect(
            lambda item: self.say(f"cell {item.row()},{item.column()} {item.text()}")
        )
        column.addWidget(self.table)
        lower = QtWidgets.QHBoxLayout()
        self.colours = QtWidgets.QListWidget()
        self.colours.setObjectName("colours")
        self.colours.addItems(["red", "green", "blue"])
        self.colours.currentTextChanged.connect(lambda text: self.say(f"colour {text}"))
        lower.addWidget(self.colours)
        self.tree = QtWidgets.QTreeWidget()
        self.tree.setObjectName("tree")
        self.tree.setHeaderLabels(["Place"])
        europe = QtWidgets.QTreeWidgetItem(self.tree, ["Europe"])
        QtWidgets.QTreeWidgetItem(europe, ["Paris"])
        QtWidgets.QTreeWidgetItem(self.tree, ["Africa"])
        self.tree.itemExpanded.connect(lambda item: self.say(f"expanded {item.text(0)}"))
        self.tree.currentItemChanged.connect(lambda item, _: item and self.say(f"place {item.text(0)}"))
        lower.addWidget(self.tree)
        column.addLayout(lower)
        return page

    def make_more(self):
        page = QtWidgets.QWidget()
        form = QtWidgets.QFormLayout(page)
        self.amount = QtWidgets.QSpinBox()
        self.amount.setObjectName("amount")
        self.amount.setRange(0, 50)
        self.amount.valueChanged.connect(lambda value: self.say(f"amount {value}"))
        form.addRow("&Amount", self.amount)
        self.volume = QtWidgets.QSlider(Qt.Orientation.Horizontal)
        self.volume.setObjectName("volume")
        self.volume.setRange(0, 100)
        self.volume.valueChanged.connect(lambda value: self.say(f"volume {value}"))
        form.addRow("&Volume", self.volume)
        self.day = QtWidgets.QDateEdit(QtCore.QDate(2026, 1, 31))
        self.day.setObjectName("day")
        self.day.setDisplayFormat("yyyy-MM-dd")
        self.day.dateChanged.connect(lambda day: self.say(f"day {day.toString('yyyy-MM-dd')}"))
        form.addRow("&Day", self.day)
        area = QtWidgets.QScrollArea()
        area.setObjectName("area")
        area.setAccessibleName("Area")
        inner = QtWidgets.QWidget()
        inner.setMinimumHeight(2000)
        rows = QtWidgets.QVBoxLayout(inner)
        rows.addStretch(1)
        far = QtWidgets.QPushButton("Far away")
        far.setObjectName("far")
        far.clicked.connect(lambda: self.say("far pressed"))
        rows.addWidget(far)
        area.setWidget(inner)
        area.setWidgetResizable(True)
        form.addRow(area)
        pad = QtWidgets.QLabel("Right-click me")
        pad.setObjectName("pad")
        pad.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        pad.customContextMenuRequested.connect(lambda at: self.context_menu(pad, at))
        form.addRow(pad)
        return page

    # -- what happens -----------------------------------------------------------------------

    def tell_cells(self):
        cells = [f"{index.row()},{index.column()}" for index in self.table.selectedIndexes()]
        self.say("selected " + " ".join(cells[:3]))

    def context_menu(self, pad, at):
        menu = QtWidgets.QMenu(pad)
        menu.addAction("Copy").triggered.connect(lambda: self.say("copied"))
        loop(menu, pad.mapToGlobal(at))

    def place_order(self):
        box = QtWidgets.QMessageBox(self)
        box.setWindowTitle("Confirm")
        box.setText(f"Place the order for {self.name.text()}?")
        box.setStandardButtons(
            QtWidgets.QMessageBox.StandardButton.Yes | QtWidgets.QMessageBox.StandardButton.No
        )
        loop(box)
        answer = box.standardButton(box.clickedButton())
        box.deleteLater()
        self.say("ordered" if answer == QtWidgets.QMessageBox.StandardButton.Yes else "order cancelled")

    def load_later(self):
        self.say("loading")
        QtCore.QTimer.singleShot(300, self.loaded)

    def loaded(self):
        self.send.setEnabled(True)
        self.hint.show()
        self.say("loaded")

    def closeEvent(self, event):
        print(json.dumps({"events": list(self.events), "name": self.name.text()}), flush=True)
        event.accept()


class Forms:
    """The form on the screen, and a fresh one for each line that is read."""

    def __init__(self):
        self.form = Form()
        self.form.show()
        self.lines = QtCore.QSocketNotifier(0, QtCore.QSocketNotifier.Type.Read) if arguments.again else None
        if self.lines:
            self.lines.activated.connect(self.start_over)

    def start_over(self, *_):
        if not sys.stdin.readline():
            self.lines.setEnabled(False)
            return
        old = [window for window in QtWidgets.QApplication.topLevelWidgets() if window.isVisible()]
        self.form = Form()
        self.form.show()
        for window in reversed(old):
            if isinstance(window, Form):
                window.hide()
                window.deleteLater()
            else:
                window.close()
        print("ready", flush=True)


if __name__ == "__main__":
    app = QtWidgets.QApplication(sys.argv[:1])
    forms = Forms()
    sys.exit(loop(app))
