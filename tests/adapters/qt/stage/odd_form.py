"""Windows and widgets of the less usual kinds. Knows nothing of deskhand."""

import importlib
import os
from pathlib import Path

BINDING = os.environ["STAGE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
QtQuick = importlib.import_module(f"{BINDING}.QtQuick")
QtQuickWidgets = importlib.import_module(f"{BINDING}.QtQuickWidgets")
Qt = QtCore.Qt

QML = """
import QtQuick
import QtQuick.Controls
Rectangle {
    color: "gold"
    signal said(string what)
    Button { objectName: "gilt"; x: 10; y: 10; text: "Gilt"; onClicked: parent.said("gilt") }
    TextField { objectName: "ink"; x: 10; y: 40; width: 100; onTextEdited: parent.said("ink " + text) }
}
"""


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.journal = []
        self.setWindowTitle("Oddities")
        self.resize(900, 600)
        self.move(20, 20)
        page = QtWidgets.QWidget()
        self.setCentralWidget(page)
        self.layout_ = QtWidgets.QGridLayout(page)
        self.dialogs()
        self.scene()
        self.mdi()
        self.bars()
        self.quick()
        self.show()

    def say(self, what):
        self.journal.append(str(what))

    def dialogs(self):
        def button(name, slot):
            widget = QtWidgets.QPushButton(name, objectName=name)
            widget.clicked.connect(slot)
            self.layout_.addWidget(widget, 0, self.layout_.columnCount())
            setattr(self, name, widget)

        button("question", self.ask_question)
        button("text", self.ask_text)
        button("file", self.ask_file)
        button("later", lambda: QtCore.QTimer.singleShot(50, self.ask_question))
        button("sheet", self.open_sheet)

    def ask_question(self):
        answer = QtWidgets.QMessageBox.question(self, "Static", "Sure?")
        self.say(f"question {answer.name}")

    def keep_focus(self):
        """As if the window system took its time to give the focus to any other window."""
        self.focus_window = QtGui.QGuiApplication.focusWindow
        QtGui.QGuiApplication.focusWindow = staticmethod(self.windowHandle)

    def give_focus_back(self):
        QtGui.QGuiApplication.focusWindow = self.focus_window

    def ask_text(self):
        text, ok = QtWidgets.QInputDialog.getText(self, "Input", "Name")
        self.say(f"text {text} {ok}")

    def ask_file(self):
        options = QtWidgets.QFileDialog.Option.DontUseNativeDialog
        path, _ = QtWidgets.QFileDialog.getSaveFileName(self, "Save", "/tmp", options=options)
        self.say(f"file {path}")

    def open_sheet(self):
        self.sheet_ = QtWidgets.QDialog(self)
        self.sheet_.setWindowTitle("Sheet")
        self.sheet_.setWindowModality(Qt.WindowModality.WindowModal)
        QtWidgets.QPushButton("Done", self.sheet_, objectName="done").clicked.connect(self.sheet_.accept)
        self.sheet_.accepted.connect(lambda: self.say("sheet done"))
        self.sheet_.open()

    def scene(self):
        self.scene_ = QtWidgets.QGraphicsScene(0, 0, 300, 300, self)
        self.view = QtWidgets.QGraphicsView(self.scene_, objectName="view")
        self.view.setFixedSize(220, 160)
        self.box = self.scene_.addRect(20, 20, 40, 30, brush=QtGui.QBrush(Qt.GlobalColor.red))
        self.box.setFlag(QtWidgets.QGraphicsItem.GraphicsItemFlag.ItemIsMovable)
        self.box.setFlag(QtWidgets.QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        inside = QtWidgets.QPushButton("Embedded")
        inside.clicked.connect(lambda: self.say("embedded"))
        self.embedded = inside
        self.proxy = self.scene_.addWidget(inside)
        self.proxy.setPos(100, 40)
        self.layout_.addWidget(self.view, 1, 0, 1, 3)

    def mdi(self):
        self.area = QtWidgets.QMdiArea(objectName="area")
        self.area.setFixedSize(300, 160)
        self.subs = []
        for name in ("one", "two"):
            child = QtWidgets.QPushButton(f"in {name}")
            child.clicked.connect(lambda _, name=name: self.say(f"clicked in {name}"))
            sub = self.area.addSubWindow(child)
            sub.setWindowTitle(name)
            sub.setGeometry(5 + 20 * len(self.subs), 5, 150, 90)
            self.subs.append(sub)
        self.layout_.addWidget(self.area, 1, 3, 1, 4)

    def bars(self):
        bar = self.addToolBar("Tools")
        self.action = bar.addAction("Run", lambda: self.say("ran"))
        split = QtWidgets.QToolButton(text="Split", objectName="split")
        split.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QtWidgets.QMenu(split)
        self.menu.addAction("Inner", lambda: self.say("inner"))
        split.setMenu(self.menu)
        bar.addWidget(split)
        self.split, self.bar = split, bar
        dock = QtWidgets.QDockWidget("Dock", self)
        self.calendar = QtWidgets.QCalendarWidget()
        self.calendar.clicked.connect(lambda date: self.say(f"date {date.toString(Qt.DateFormat.ISODate)}"))
        dock.setWidget(self.calendar)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        self.many = QtWidgets.QTabBar(objectName="many")
        self.many.setFixedWidth(200)
        for number in range(20):
            self.many.addTab(f"tab {number}")
        self.many.currentChanged.connect(lambda at: self.say(f"tab {at}"))
        self.layout_.addWidget(self.many, 2, 0, 1, 3)
        self.tip = QtWidgets.QLabel("hover me", objectName="tip", toolTip="a tip")
        self.layout_.addWidget(self.tip, 2, 3)
        self.splitter = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(QtWidgets.QTextEdit())
        self.splitter.addWidget(QtWidgets.QTextEdit())
        self.splitter.setFixedHeight(60)
        self.splitter.splitterMoved.connect(lambda *_: self.say("split"))
        self.layout_.addWidget(self.splitter, 3, 0, 1, 4)

    def quick(self):
        file = Path(QtCore.QDir.tempPath()) / f"odd-{os.getpid()}.qml"
        file.write_text(QML)
        self.gold = QtQuickWidgets.QQuickWidget(QtCore.QUrl.fromLocalFile(str(file)))
        self.gold.setResizeMode(QtQuickWidgets.QQuickWidget.ResizeMode.SizeRootObjectToView)
        self.gold.setFixedSize(160, 80)
        file.unlink()
        self.gold.rootObject().said.connect(self.say)
        self.layout_.addWidget(self.gold, 3, 4)

    def item(self, name):
        return self.gold.rootObject().findChild(QtQuick.QQuickItem, name)


def main():
    return Form()
