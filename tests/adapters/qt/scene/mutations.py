"""What can happen to a window: random changes to the one with every widget."""

from deskhand.model.verified import mismatches


def changes(form, QtCore, QtGui, QtWidgets):
    """Functions that each change something, given a source of randomness."""
    Qt = QtCore.Qt
    made = []

    def some(random, kind=None):
        widgets = [w for w in form.findChildren(kind or QtWidgets.QWidget) if not w.isWindow()]
        return random.choice(widgets)

    def ordinary(random):
        return random.choice(
            [form.push, form.check, form.street, form.weight, form.fruit, form.letter, form.red]
        )

    def add(random):
        page = random.choice([form.buttons_page, form.texts_page, form.options])
        kind = random.choice([QtWidgets.QLabel, QtWidgets.QPushButton, QtWidgets.QCheckBox])
        widget = kind(f"made {len(made)}")
        page.layout().addWidget(widget)
        widget.show()
        made.append(widget)

    def remove(random):
        if made:
            widget = made.pop(random.randrange(len(made)))
            widget.setParent(None)
            widget.deleteLater()

    def wrap(random):
        widget = random.choice([form.push, form.street, form.check])
        label = QtWidgets.QLabel("inside", widget)
        label.show()
        made.append(label)

    def label(random):
        label = random.choice(form.findChildren(QtWidgets.QLabel))
        label.setText(random.choice(["Road", "Strada:", "&Via", "<b>Rue</b>", ""]))

    def buddy(random):
        label = random.choice(form.findChildren(QtWidgets.QLabel))
        label.setBuddy(random.choice([form.street, form.town, form.fruit, form.letter, None]))

    def tabs(random):
        form.pages.setTabText(random.randrange(6), random.choice(["A&bc", "Def", "Page"]))

    def move_tab(random):
        form.pages.tabBar().moveTab(random.randrange(6), random.randrange(6))

    def dock(random):
        form.dock.setFloating(not form.dock.isFloating())

    def menu(random):
        action = random.choice(form.menuBar().actions()[0].menu().actions())
        random.choice([action.setEnabled, action.setVisible])(random.random() < 0.5)

    def rows(random):
        table = form.merged
        random.choice([lambda: table.insertRow(0), lambda: table.removeRow(0), lambda: table.selectRow(1)])()

    def cell(random):
        item = form.merged.item(random.randrange(max(1, form.merged.rowCount())), random.randrange(2))
        if item is not None:
            item.setText(random.choice(["x", "yy", ""]))

    def scroll(random):
        bar = random.choice([form.area, form.numbers, form.tree, form.names]).verticalScrollBar()
        bar.setValue(random.randint(0, bar.maximum()))

    def expand(random):
        item = form.tree.topLevelItem(random.randrange(5))
        item.setExpanded(not item.isExpanded())

    def combo_edit(random):
        form.fruit.setEditable(not form.fruit.isEditable())

    def viewport(random):
        form.area.setViewport(QtWidgets.QWidget())

    def content(random):
        inside = QtWidgets.QLabel(f"content {len(made)}")
        random.choice([form.area.setWidget, form.dock.setWidget])(inside)

    def hidden_name(random):
        inner = random.choice([form.street, form.check, form.push])
        inner.setObjectName(random.choice(["qt_rubberband", "street"]))

    def inner_name(random):
        inner = form.weight.findChild(QtWidgets.QLineEdit)
        if inner is not None:
            inner.setObjectName(random.choice(["mine", "qt_spinbox_lineedit"]))

    def move(random):
        widget = random.choice([form.push, form.street, form.check, *made])
        around = random.choice([form.buttons_page, form.texts_page, form.check, form.options])
        if around is not widget and not widget.isAncestorOf(around):
            widget.setParent(around)
            widget.show()

    def model(random):
        names = QtCore.QStringListModel([f"name {n}" for n in range(random.randrange(5))], form.names)
        form.names.setModel(names)

    def cell_widget(random):
        form.merged.setCellWidget(0, 0, QtWidgets.QPushButton(f"in a cell {len(made)}"))

    def edit_triggers(random):
        trigger = QtWidgets.QAbstractItemView.EditTrigger
        form.merged.setEditTriggers(random.choice([trigger.NoEditTriggers, trigger.DoubleClicked]))

    def corner(random):
        form.pages.setCornerWidget(QtWidgets.QPushButton(f"corner {len(made)}"))

    def page(random):
        at = random.randrange(form.pages.count())
        form.pages.insertTab(at, QtWidgets.QLabel(f"page {len(made)}"), "New")

    def no_page(random):
        if form.pages.count() > 6:
            form.pages.removeTab(random.randrange(form.pages.count()))

    def button_menu(random):
        menu = QtWidgets.QMenu(form)
        menu.addAction(f"entry {random.random()}")
        random.choice([form.push, form.opens]).setMenu(random.choice([menu, None]))

    def window_made(random):
        if random.random() < 0.5 and made:
            made.pop().close()
            return
        window = QtWidgets.QDialog(form)
        window.setWindowTitle("extra")
        QtWidgets.QLabel("in a dialog", window)
        window.show()
        made.append(window)

    def action_button(random):
        action = QtGui.QAction(f"act {random.random()}", form)
        form.icon_only.setDefaultAction(action)

    def look_of(random):
        random.choice([form, form.pages, form.street]).setStyleSheet(
            random.choice(["", "* { font-size: 20px; }"])
        )

    def direction(random):
        form.setLayoutDirection(random.choice(list(Qt.LayoutDirection)))

    return {
        "combo edit": combo_edit,
        "viewport": viewport,
        "content": content,
        "hidden name": hidden_name,
        "inner name": inner_name,
        "move": move,
        "model": model,
        "cell widget": cell_widget,
        "edit triggers": edit_triggers,
        "corner": corner,
        "new page": page,
        "page goes": no_page,
        "button menu": button_menu,
        "another window": window_made,
        "action of a button": action_button,
        "style": look_of,
        "direction": direction,
        "text": lambda r: ordinary(r).setProperty("text", r.choice(["one", "two &three", ""])),
        "value": lambda r: r.choice([form.weight, form.slider, form.dial]).setValue(r.randint(-5, 5)),
        "check": lambda r: r.choice([form.check, form.toggle, form.green]).setChecked(r.random() < 0.5),
        "check a group": lambda r: form.options.setChecked(r.random() < 0.5),
        "hide": lambda r: ordinary(r).setVisible(r.random() < 0.7),
        "hide anything": lambda r: some(r).setVisible(r.random() < 0.9),
        "enable": lambda r: some(r).setEnabled(r.random() < 0.7),
        "enable all": lambda r: form.pages.setEnabled(r.random() < 0.8),
        "name": lambda r: ordinary(r).setObjectName(r.choice(["a", "b", ""])),
        "tip": lambda r: ordinary(r).setToolTip(r.choice(["a tip", "<i>t</i>", ""])),
        "speak": lambda r: ordinary(r).setAccessibleName(r.choice(["spoken", ""])),
        "focus policy": lambda r: ordinary(r).setFocusPolicy(r.choice(list(Qt.FocusPolicy))),
        "focus": lambda r: ordinary(r).setFocus(),
        "hint": lambda r: r.choice([form.street, form.search]).setPlaceholderText(r.choice(["hint", ""])),
        "echo": lambda r: form.street.setEchoMode(r.choice(list(QtWidgets.QLineEdit.EchoMode))),
        "read only": lambda r: form.street.setReadOnly(r.random() < 0.5),
        "page": lambda r: form.pages.setCurrentIndex(r.randrange(6)),
        "card": lambda r: form.stack.setCurrentIndex(r.randrange(3)),
        "raise": lambda r: some(r).raise_(),
        "resize": lambda r: form.resize(r.randint(500, 900), r.randint(500, 800)),
        "window": lambda r: form.move(r.randint(0, 100), r.randint(0, 100)),
        "title": lambda r: form.setWindowTitle(r.choice(["x", "y"])),
        "options": lambda r: form.fruit.addItem(f"fruit {r.random()}"),
        "message": lambda r: form.statusBar().showMessage(r.choice(["m", ""])),
        "add": add,
        "remove": remove,
        "wrap": wrap,
        "label": label,
        "buddy": buddy,
        "tabs": tabs,
        "move tab": move_tab,
        "dock": dock,
        "menu": menu,
        "rows": rows,
        "cell": cell,
        "scroll": scroll,
        "expand": expand,
    }


def compare(adapter, form, QtCore, QtGui, QtWidgets, random, steps):
    """Change things, and read after each change: what differs from a read of everything, or None."""
    reader = adapter._reader
    todo = adapter.call(lambda: changes(form, QtCore, QtGui, QtWidgets), timeout=20)
    adapter.read(timeout=20)
    done = []
    for _ in range(steps):
        done.append(random.choice(list(todo)))
        adapter.call(lambda: todo[done[-1]](random), timeout=20)
        if random.random() < 0.7:
            adapter.idle(timeout=20)
        # Reading may let a view lay itself out, so what is read before and after must be the same.
        before, warm, after = adapter.call(
            lambda: (reader.read(cold=True), reader.read(), reader.read(cold=True)), timeout=20
        )
        found = set(mismatches(warm, before)) & set(mismatches(warm, after))
        if found:
            return f"after {done[-5:]}: {'; '.join(map(str, list(found)[:5]))}"
        known = set()
        for node in warm:
            if node.uid in known or (node.parent is not None and node.parent not in known):
                return f"{node} is there twice or before its parent, after {done[-3:]}"
            known.add(node.uid)
    return None
