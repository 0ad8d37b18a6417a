"""Widgets that call their own things what Qt calls its methods. Knows nothing of deskhand."""

import importlib
import os

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
Qt = QtCore.Qt

WORDS = (
    "action", "actions", "alignment", "count", "cursor", "data", "document", "font", "geometry", "header",
    "index", "items", "layout", "maximum", "menu", "minimum", "model", "orientation", "parent", "pos", "rect",
    "scene", "size", "state", "style", "text", "title", "value", "view", "viewport", "widget", "width",
    "window", "x", "y",
)  # fmt: skip


def own(cls, *arguments, **properties):
    """An object of a subclass of `cls`, with an attribute of its own for each of `WORDS`."""
    made = type(f"Own{cls.__name__}", (cls,), {})(*arguments, **properties)
    for word in WORDS:
        setattr(made, word, "mine")
    return made


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.journal = []
        self.setObjectName("window")
        page = own(QtWidgets.QWidget)
        self.setCentralWidget(page)
        column = QtWidgets.QVBoxLayout(page)
        for widget in (*self.buttons(), *self.fields(), *self.choices(), self.far(), self.drawn()):
            column.addWidget(widget)
        bar = own(QtWidgets.QMenuBar)
        self.setMenuBar(bar)
        bar.addMenu(self.menu_of("File", "Open"))
        for word in WORDS:
            setattr(self, word, "mine")

    def say(self, what):
        self.journal.append(what)

    def menu_of(self, title, text):
        menu = own(QtWidgets.QMenu, title, self)
        action = own(QtGui.QAction, text, menu, objectName=f"action_{text}")
        action.triggered.connect(lambda: self.say(f"chose {text}"))
        QtWidgets.QMenu.addAction(menu, action)
        return menu

    def buttons(self):
        button = own(QtWidgets.QPushButton, "More", objectName="more")
        button.setMenu(self.menu_of("More", "Detail"))
        yield button
        tick = own(QtWidgets.QCheckBox, "Tick", objectName="tick")
        tick.clicked.connect(lambda on: self.say(f"tick {on}"))
        yield tick
        box = own(QtWidgets.QGroupBox, "Box", objectName="box", checkable=True, checked=False)
        box.clicked.connect(lambda on: self.say(f"box {on}"))
        one = own(QtWidgets.QRadioButton, "One")
        QtWidgets.QVBoxLayout(box).addWidget(one)
        one.clicked.connect(lambda: self.say("one"))
        yield box
        link = own(QtWidgets.QLabel, '<a href="there">link</a>', objectName="link")
        link.linkActivated.connect(lambda to: self.say(f"link {to}"))
        yield link

    def fields(self):
        line = own(QtWidgets.QLineEdit, objectName="line")
        line.textEdited.connect(lambda text: self.say(f"line {text}"))
        yield line
        yield own(QtWidgets.QTextEdit, objectName="edit")
        for name, cls in (
            ("spin", QtWidgets.QSpinBox),
            ("slider", QtWidgets.QSlider),
            ("date", QtWidgets.QDateEdit),
        ):
            field = own(cls, objectName=name)
            changed = field.dateChanged if name == "date" else field.valueChanged
            changed.connect(lambda value, name=name: self.say(f"{name} {plain(value)}"))
            yield field

    def choices(self):
        combo = own(QtWidgets.QComboBox, objectName="combo")
        combo.addItems(["red", "blue"])
        combo.textActivated.connect(lambda text: self.say(f"combo {text}"))
        yield combo
        tabs = own(QtWidgets.QTabWidget, objectName="tabs")
        for name in ("first", "second"):
            tabs.addTab(own(QtWidgets.QWidget), name)
        tabs.currentChanged.connect(lambda at: self.say(f"tab {at}"))
        yield tabs
        table = own(QtWidgets.QTableWidget, 50, 2, objectName="table")
        for row in range(50):
            table.setItem(row, 0, QtWidgets.QTableWidgetItem(f"row {row}"))
        table.cellChanged.connect(
            lambda row, column: self.say(f"cell {row} {table.item(row, column).text()}")
        )
        table.cellClicked.connect(lambda row, column: self.say(f"clicked {row}"))
        yield table

    def far(self):
        area = own(QtWidgets.QScrollArea, objectName="area")
        page = own(QtWidgets.QWidget)
        page.setFixedSize(100, 2_000)
        button = own(QtWidgets.QPushButton, "Far", page, objectName="far")
        QtWidgets.QWidget.move(button, 0, 1_900)
        button.clicked.connect(lambda: self.say("far"))
        area.setWidget(page)
        return area

    def drawn(self):
        view = own(QtWidgets.QGraphicsView, objectName="drawing")
        self.drawing = QtWidgets.QGraphicsScene()
        text = own(QtWidgets.QGraphicsTextItem, "drawn", objectName="drawn")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextEditorInteraction)
        below = QtWidgets.QGraphicsTextItem.document(text)
        below.contentsChanged.connect(lambda: self.say(f"drawn {below.toPlainText()}"))
        for word in ("setData", "flags", "isVisible", "isAncestorOf", "sceneBoundingRect", "toPlainText"):
            setattr(text, word, "mine")
        self.drawing.addItem(text)
        view.setScene(self.drawing)
        return view


def plain(value):
    return value.toString(Qt.DateFormat.ISODate) if isinstance(value, QtCore.QDate) else value


def start():
    form = Form()
    form.show()
    return form
