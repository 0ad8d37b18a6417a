"""A window with every standard widget. Knows nothing of deskhand."""

import importlib
import os

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
Qt = QtCore.Qt


class Stars(QtWidgets.QWidget):
    """A control that draws itself, as programs have them."""

    def __init__(self, stars):
        super().__init__()
        self.stars = stars
        self.setMinimumSize(80, 20)
        self.setAccessibleName(f"{stars} stars")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, event):
        QtGui.QPainter(self).drawText(2, 15, "*" * self.stars)


class Badge(QtWidgets.QLabel):
    """A label whose author needed the name `text` for something else."""

    text = 42
    x = y = None


class Own:
    """Things that programs have by names that Qt has too."""

    def take_names(self):
        for name in (
            "parent", "children", "layout", "model", "window", "menu", "actions", "text", "value", "count",
            "title", "data", "name", "font", "width", "geometry", "isVisible", "isWindow", "objectName",
            "viewport", "document", "windowTitle", "parentWidget", "currentIndex", "findChildren", "property",
            "selectionModel", "metaObject",
        ):  # fmt: skip
            setattr(self, name, None)
        return self


class OwnPanel(QtWidgets.QGroupBox, Own):
    pass


class OwnTable(QtWidgets.QTableWidget, Own):
    pass


class OwnTabs(QtWidgets.QTabWidget, Own):
    pass


class OwnSpin(QtWidgets.QSpinBox, Own):
    pass


class OwnDialog(QtWidgets.QDialog, Own):
    pass


class Names(QtCore.QAbstractListModel):
    def __init__(self, names):
        super().__init__()
        self.names = names

    def rowCount(self, _parent=None):
        return len(self.names)

    def data(self, index, role=0):
        return self.names[index.row()] if role == 0 else None


class Grid(QtCore.QAbstractTableModel):
    """Numbers, of which one column can be ticked, one be edited, and one row is off."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def rowCount(self, _parent=None):
        return self.rows

    def columnCount(self, _parent=None):
        return 4

    def data(self, index, role=0):
        if role == Qt.ItemDataRole.DisplayRole:
            return [f"row {index.row()}", index.row() * 2, index.row() / 4, None][index.column()]
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Checked if index.row() % 2 else Qt.CheckState.Unchecked
        return None

    def headerData(self, section, orientation, role=0):
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return ["Name", "Double", "Quarter", "Nothing"][section]
        return super().headerData(section, orientation, role)

    def flags(self, index):
        flags = super().flags(index)
        if index.column() == 0:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.column() == 1:
            flags |= Qt.ItemFlag.ItemIsEditable
        if index.row() == 2:
            flags &= ~Qt.ItemFlag.ItemIsEnabled
        return flags


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Every widget[*]")
        self.pages = QtWidgets.QTabWidget()
        self.pages.setObjectName("pages")
        for name in ("buttons", "texts", "choices", "views", "containers", "drawings"):
            page = self.named(f"{name}_page", QtWidgets.QWidget())
            getattr(self, f"make_{name}")(page)
            self.pages.addTab(page, f"&{name.capitalize()}")
        self.setCentralWidget(self.pages)
        self.make_menus()
        self.make_bars()
        self.resize(760, 640)

    def named(self, name, widget):
        widget.setObjectName(name)
        setattr(self, name, widget)
        return widget

    # -- pages ------------------------------------------------------------------------------

    def make_buttons(self, page):
        box = QtWidgets.QVBoxLayout(page)
        box.addWidget(self.named("push", QtWidgets.QPushButton("&Push && pull")))
        toggle = self.named("toggle", QtWidgets.QPushButton("Toggle"))
        toggle.setCheckable(True)
        toggle.setChecked(True)
        box.addWidget(toggle)
        opens = self.named("opens", QtWidgets.QPushButton("Opens a menu"))
        menu = QtWidgets.QMenu(opens)
        menu.addAction("One")
        menu.addAction("Two").setEnabled(False)
        opens.setMenu(menu)
        box.addWidget(opens)
        icon = self.named("icon_only", QtWidgets.QToolButton())
        icon.setToolTip("Make it <b>bold</b>")
        box.addWidget(icon)
        box.addWidget(self.named("link", QtWidgets.QCommandLinkButton("Go on", "to the next page")))
        check = self.named("check", QtWidgets.QCheckBox("&Check me"))
        check.setChecked(True)
        box.addWidget(check)
        three = self.named("three", QtWidgets.QCheckBox("Three states"))
        three.setTristate(True)
        three.setCheckState(Qt.CheckState.PartiallyChecked)
        box.addWidget(three)
        for name, text in (("red", "Red"), ("green", "Green")):
            box.addWidget(self.named(name, QtWidgets.QRadioButton(text)))
        self.green.setChecked(True)
        off = self.named("off", QtWidgets.QGroupBox("Switched off"))
        inside = QtWidgets.QHBoxLayout(off)
        inside.addWidget(self.named("in_off", QtWidgets.QPushButton("Inside")))
        off.setEnabled(False)
        box.addWidget(off)
        full = self.named("full", QtWidgets.QPushButton())
        row = QtWidgets.QHBoxLayout(full)
        row.addWidget(self.named("in_button", QtWidgets.QLabel("A label in a button")))
        full.setMinimumHeight(40)
        box.addWidget(full)
        box.addWidget(self.named("stars", Stars(3)))
        standard = QtWidgets.QDialogButtonBox.StandardButton
        box.addWidget(self.named("box", QtWidgets.QDialogButtonBox(standard.Ok | standard.Cancel)))
        hidden = self.named("hidden", QtWidgets.QPushButton("Hidden"))
        hidden.hide()
        box.addWidget(hidden)

    def make_texts(self, page):
        grid = QtWidgets.QGridLayout(page)
        grid.addWidget(QtWidgets.QLabel("Street:"), 0, 0)
        grid.addWidget(self.named("street", QtWidgets.QLineEdit("Main Road 1")), 0, 1)
        grid.addWidget(QtWidgets.QLabel("&Town"), 1, 0)
        grid.addWidget(self.named("town", QtWidgets.QLineEdit()), 1, 1)
        grid.itemAtPosition(1, 0).widget().setBuddy(self.town)
        self.town.setPlaceholderText("where you live")
        search = self.named("search", QtWidgets.QLineEdit())
        search.setPlaceholderText("Search…")
        search.setClearButtonEnabled(True)
        grid.addWidget(search, 2, 0, 1, 2)
        secret = self.named("secret", QtWidgets.QLineEdit("hunter2"))
        secret.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
        secret.setAccessibleName("Password")
        grid.addWidget(secret, 3, 1)
        none = self.named("silent", QtWidgets.QLineEdit("hunter3"))
        none.setEchoMode(QtWidgets.QLineEdit.EchoMode.NoEcho)
        grid.addWidget(none, 4, 1)
        shown = self.named("on_edit", QtWidgets.QLineEdit("hunter4"))
        shown.setEchoMode(QtWidgets.QLineEdit.EchoMode.PasswordEchoOnEdit)
        grid.addWidget(shown, 5, 1)
        fixed = self.named("fixed", QtWidgets.QLineEdit("cannot be changed"))
        fixed.setReadOnly(True)
        grid.addWidget(fixed, 6, 1)
        grid.addWidget(QtWidgets.QLabel("Letter"), 7, 0, 1, 2)
        grid.addWidget(self.named("letter", QtWidgets.QTextEdit()), 8, 0, 1, 2)
        self.letter.setHtml("<p>Dear <b>Ada</b>,</p><p>hello</p>")
        grid.addWidget(self.named("log", QtWidgets.QPlainTextEdit("line 1\nline 2")), 9, 0, 1, 2)
        self.log.setReadOnly(True)
        grid.addWidget(self.named("manual", QtWidgets.QTextBrowser()), 10, 0, 1, 2)
        self.manual.setPlainText("read me")
        grid.addWidget(self.named("rich", QtWidgets.QLabel("Total: <b>5&nbsp;€</b>")), 11, 0)
        grid.addWidget(self.named("literal", QtWidgets.QLabel("a & b < c")), 11, 1)
        grid.addWidget(self.named("icon_label", QtWidgets.QLabel()), 12, 0)
        self.icon_label.setPixmap(QtGui.QPixmap(16, 16))
        grid.addWidget(self.named("badge", Badge("New")), 12, 1)
        grid.addWidget(self.named("keys", QtWidgets.QKeySequenceEdit(QtGui.QKeySequence("Ctrl+K"))), 13, 0)

    def make_choices(self, page):
        form = QtWidgets.QFormLayout(page)
        fruit = self.named("fruit", QtWidgets.QComboBox())
        fruit.addItem("Apple", 1)
        fruit.addItem("Pear", 2)
        fruit.setCurrentIndex(1)
        form.addRow("&Fruit:", fruit)
        city = self.named("city", QtWidgets.QComboBox())
        city.setEditable(True)
        city.addItems(["Rome", "Oslo"])
        city.setEditText("Somewhere")
        form.addRow(QtWidgets.QLabel("City"), city)
        many = self.named("many", QtWidgets.QComboBox())
        many.addItems([f"choice {number}" for number in range(250)])
        form.addRow("Many", many)
        weight = self.named("weight", QtWidgets.QSpinBox())
        weight.setRange(1, 9000)
        weight.setValue(1200)
        weight.setSuffix(" kg")
        form.addRow("Weight", weight)
        form.addRow("Gift:", self.named("gift", QtWidgets.QCheckBox()))
        price = self.named("price", QtWidgets.QDoubleSpinBox())
        price.setPrefix("€ ")
        price.setValue(9.5)
        form.addRow("Price", price)
        day = self.named("day", QtWidgets.QDateEdit(QtCore.QDate(2026, 2, 28)))
        day.setDisplayFormat("dd.MM.yyyy")
        form.addRow("Day", day)
        clock = self.named("clock", QtWidgets.QTimeEdit(QtCore.QTime(8, 30)))
        clock.setDisplayFormat("HH:mm")
        form.addRow("Time", clock)
        slider = self.named("slider", QtWidgets.QSlider(Qt.Orientation.Horizontal))
        slider.setRange(-5, 5)
        slider.setValue(2)
        form.addRow("Slider", slider)
        dial = self.named("dial", QtWidgets.QDial())
        dial.setValue(30)
        form.addRow("Dial", dial)
        scroll = self.named("scroll", QtWidgets.QScrollBar(Qt.Orientation.Horizontal))
        form.addRow(scroll)
        progress = self.named("progress", QtWidgets.QProgressBar())
        progress.setValue(24)
        form.addRow("Progress", progress)
        busy = self.named("busy", QtWidgets.QProgressBar())
        busy.setRange(0, 0)
        form.addRow("Busy", busy)
        lcd = self.named("lcd", QtWidgets.QLCDNumber())
        lcd.display(17)
        form.addRow("Count", lcd)
        form.addRow(self.named("calendar", QtWidgets.QCalendarWidget()))
        self.calendar.setSelectedDate(QtCore.QDate(2026, 5, 1))

    def make_views(self, page):
        grid = QtWidgets.QGridLayout(page)
        names = self.named("names", QtWidgets.QListView())
        self.name_model = Names([f"name {number}" for number in range(500)])
        names.setModel(self.name_model)
        grid.addWidget(names, 0, 0)
        icons = self.named("icons", QtWidgets.QListWidget())
        icons.setViewMode(QtWidgets.QListView.ViewMode.IconMode)
        icons.setResizeMode(QtWidgets.QListView.ResizeMode.Adjust)
        for number in range(40):
            icons.addItem(f"icon {number}")
        icons.item(0).setCheckState(Qt.CheckState.Checked)
        grid.addWidget(icons, 0, 1)
        numbers = self.named("numbers", QtWidgets.QTableView())
        self.grid_model = Grid(10_000)
        numbers.setModel(self.grid_model)
        grid.addWidget(numbers, 1, 0, 1, 2)
        merged = self.named("merged", QtWidgets.QTableWidget(4, 4))
        merged.setHorizontalHeaderLabels(["A", "B", "C", "D"])
        for row in range(4):
            for column in range(4):
                merged.setItem(row, column, QtWidgets.QTableWidgetItem(f"{row}/{column}"))
        merged.setSpan(0, 0, 2, 2)
        merged.setColumnHidden(2, True)
        merged.horizontalHeader().moveSection(3, 0)
        merged.setCellWidget(3, 0, QtWidgets.QPushButton("In a cell"))
        merged.setEditTriggers(QtWidgets.QTableWidget.EditTrigger.NoEditTriggers)
        grid.addWidget(merged, 2, 0)
        tree = self.named("tree", QtWidgets.QTreeWidget())
        tree.setHeaderLabels(["Part", "Size"])
        for number in range(30):
            item = QtWidgets.QTreeWidgetItem(tree, [f"part {number}", f"{number} mm"])
            for letter in "abc":
                below = QtWidgets.QTreeWidgetItem(item, [f"part {number}{letter}", "1 mm"])
                QtWidgets.QTreeWidgetItem(below, [f"screw {number}{letter}", "2 mm"])
        grid.addWidget(tree, 2, 1)

    def make_containers(self, page):
        box = QtWidgets.QVBoxLayout(page)
        group = self.named("options", QtWidgets.QGroupBox("&Options"))
        group.setCheckable(True)
        group.setChecked(False)
        inside = QtWidgets.QVBoxLayout(group)
        inside.addWidget(self.named("in_options", QtWidgets.QCheckBox("In a group")))
        box.addWidget(group)
        bar = self.named("bar", QtWidgets.QTabBar())
        for text in ("One", "Two", "Three"):
            bar.addTab(text)
        bar.setTabEnabled(2, False)
        box.addWidget(bar)
        tools = self.named("tool_box", QtWidgets.QToolBox())
        tools.addItem(QtWidgets.QLabel("first page"), "First")
        tools.addItem(QtWidgets.QLabel("second page"), "Second")
        box.addWidget(tools)
        splitter = self.named("splitter", QtWidgets.QSplitter())
        splitter.addWidget(QtWidgets.QLabel("left"))
        splitter.addWidget(QtWidgets.QLabel("right"))
        box.addWidget(splitter)
        area = self.named("area", QtWidgets.QScrollArea())
        inner = QtWidgets.QWidget()
        rows = QtWidgets.QVBoxLayout(inner)
        for number in range(40):
            rows.addWidget(QtWidgets.QPushButton(f"row {number}"))
        area.setWidget(inner)
        area.setFixedHeight(120)
        box.addWidget(area)
        line = self.named("line", QtWidgets.QFrame())
        line.setFrameShape(QtWidgets.QFrame.Shape.HLine)
        box.addWidget(line)
        stack = self.named("stack", QtWidgets.QStackedWidget())
        for number in range(3):
            stack.addWidget(QtWidgets.QLabel(f"card {number}"))
        stack.setCurrentIndex(1)
        box.addWidget(stack)
        mdi = self.named("mdi", QtWidgets.QMdiArea())
        for number in range(2):
            sub = mdi.addSubWindow(QtWidgets.QTextEdit(f"document {number}"))
            sub.setWindowTitle(f"Document {number}")
        box.addWidget(mdi)

    def make_own(self):
        """A dialog in which nothing can be asked of the objects themselves."""
        dialog = OwnDialog(self)
        dialog.setObjectName("own")
        dialog.setWindowTitle("Own")
        box = QtWidgets.QVBoxLayout(dialog)
        panel = OwnPanel("Panel")
        inside = QtWidgets.QFormLayout(panel)
        spin = OwnSpin()
        spin.setValue(7)
        inside.addRow("Spin", spin.take_names())
        box.addWidget(panel.take_names())
        table = OwnTable(1, 1)
        table.setItem(0, 0, QtWidgets.QTableWidgetItem("cell"))
        box.addWidget(table.take_names())
        tabs = OwnTabs()
        tabs.addTab(QtWidgets.QLabel("page"), "Tab")
        box.addWidget(tabs.take_names())
        dialog.show()
        return dialog.take_names()

    def make_drawings(self, page):
        box = QtWidgets.QVBoxLayout(page)
        self.scene = QtWidgets.QGraphicsScene(0, 0, 300, 200)
        frame = self.frame = self.scene.addRect(10, 10, 100, 50)
        frame.setFlag(QtWidgets.QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        frame.setToolTip("the frame")
        words = self.scene.addSimpleText("words")
        words.setPos(20, 120)
        self.inside = QtWidgets.QGraphicsTextItem("inside", frame)
        self.inside.setPos(15, 15)
        button = self.named("in_scene", QtWidgets.QPushButton("In a scene"))
        self.scene.addWidget(button).setPos(150, 100)
        view = self.named("drawing", QtWidgets.QGraphicsView(self.scene))
        box.addWidget(view)

    # -- around the pages ---------------------------------------------------------------------

    def make_menus(self):
        file = self.menuBar().addMenu("&File")
        file.addAction("&Open…").setShortcut(QtGui.QKeySequence("Ctrl+O"))
        save = file.addAction("&Save")
        save.setObjectName("action_save")
        save.setEnabled(False)
        secret = file.addAction("Secret")
        secret.setVisible(False)
        file.addSeparator()
        export = file.addMenu("&Export")
        export.addAction("as &PDF")
        view = self.menuBar().addMenu("&View")
        group = QtGui.QActionGroup(view)
        for text in ("Small", "Large"):
            action = view.addAction(text)
            action.setCheckable(True)
            group.addAction(action)
        action.setChecked(True)
        view.addAction("Full screen").setCheckable(True)

    def make_bars(self):
        bar = self.addToolBar("Main tools")
        cut = bar.addAction("Cut")
        cut.setObjectName("action_cut")
        bar.addSeparator()
        bar.addWidget(QtWidgets.QLabel("Zoom"))
        bar.addWidget(self.named("zoom", QtWidgets.QComboBox()))
        dock = self.named("dock", QtWidgets.QDockWidget("Layers"))
        dock.setWidget(self.named("layers", QtWidgets.QListWidget()))
        self.layers.addItems(["background", "text"])
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        self.statusBar().showMessage("ready to go")
        self.statusBar().addPermanentWidget(self.named("line_number", QtWidgets.QLabel("line 1")))


def start():
    form = Form()
    form.show()
    return form
