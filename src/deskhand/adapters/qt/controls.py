"""What kinds of widgets there are: the role of each class, what it can do, and how its own state is read.

State is read by columns: one getter of the class over all widgets of a kind at once. That is three times
as fast as asking each widget by attribute, and a subclass with a `text` of its own does not get in the way.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...model.node import MASK, Option
from .binding import Binding

Fields = dict[str, Any]
Fill = Callable[[list[Any], list[Fields]], None]

OPTIONS_KEPT = 100
TEXT_KEPT = 20_000
"""How much is read of a long text."""


@dataclass(frozen=True, eq=False)
class Kind:
    """What widgets of a class have in common."""

    role: str
    fill: Fill | None = None
    """Reads what only this kind has, of many widgets at once."""
    actions: tuple[str, ...] = ()
    parts: str | None = None
    """What it draws that is no widget: tabs, entries, a list, a table, a tree, a scene, quick."""
    field: bool = False
    """Whether it has no caption of its own, and is called by the label beside it."""
    leaf: bool = False
    """Whether it seldom has widgets inside."""


def plain(text: str) -> str:
    """A caption without the marks for its mnemonic: `&Save` and `Save && quit`."""
    if "&" not in text:
        return text
    # Translations into Chinese and Japanese append the mnemonic in brackets.
    text = re.sub(r"\(&\w\)", "", text)
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def without_markup(text: str) -> str:
    """What a person reads of rich text."""
    text = re.sub(r"(?is)<(style|script|head|title)\b.*?</\1\s*>", "", text)
    text = re.sub(r"(?i)<br\s*/?>|</(p|div|li|tr|h\d)\s*>", "\n", text)
    return html.unescape(re.sub(r"<[^<>]*>", "", text)).strip()


def shorten(text: str) -> str:
    return text if len(text) <= TEXT_KEPT else text[:TEXT_KEPT] + "…"


class Kinds:
    """The kinds of one binding's widgets, found by class."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._widgets = binding.QtWidgets
        self._prefix = f"{binding.name}."
        self.table = self._make()
        self._by_type: dict[type, Kind] = {}

    def of(self, native: Any) -> Kind:
        """The kind of the nearest class above that we know."""
        cls = type(native)
        kind = self._by_type.get(cls)
        if kind is None:
            kind = next(
                (
                    self.table[above.__name__]
                    for above in cls.__mro__
                    if above.__name__ in self.table and above.__module__.startswith(self._prefix)
                ),
                self.table["QWidget"],
            )
            self._by_type[cls] = kind
        return kind

    # fmt: off
    def _make(self) -> dict[str, Kind]:
        press = ("press", "focus")
        edit = ("set-value", "focus")
        step = ("set-value", "increment", "decrement", "focus")
        choose = ("press", "select", "expand", "focus")
        view = ("select", "scroll", "focus")
        return {
            "QWidget": Kind("generic"),
            "QFrame": Kind("generic", self._frames),
            "QMainWindow": Kind("window"),
            "QDialog": Kind("dialog"),
            "QSplashScreen": Kind("window"),
            "QPushButton": Kind("button", self._push_buttons, press, parts="menu", leaf=True),
            "QToolButton": Kind("button", self._tool_buttons, press, parts="menu", leaf=True),
            "QAbstractButton": Kind("button", self._buttons, press, leaf=True),
            "QCheckBox": Kind("checkbox", self._check_boxes, ("press", "toggle", "focus"), leaf=True),
            "QRadioButton": Kind("radio", self._radios, ("press", "select", "focus"), leaf=True),
            "QLineEdit": Kind("textfield", self._line_edits, edit, field=True, leaf=True),
            "QTextEdit": Kind("editable-text", self._text_edits, (*edit, "scroll"), field=True),
            "QPlainTextEdit": Kind("editable-text", self._text_edits, (*edit, "scroll"), field=True),
            "QTextBrowser": Kind("document", self._text_edits, ("scroll", "focus")),
            "QKeySequenceEdit": Kind("textfield", self._key_edits, edit, field=True, leaf=True),
            "QComboBox": Kind("combo-box", self._combo_boxes, choose, field=True, leaf=True),
            "QSpinBox": Kind("spin-button", self._spin_boxes, step, field=True, leaf=True),
            "QDoubleSpinBox": Kind("spin-button", self._spin_boxes, step, field=True, leaf=True),
            "QAbstractSpinBox": Kind("spin-button", self._other_spin_boxes, step, field=True, leaf=True),
            "QDateTimeEdit": Kind("date-picker", self._date_edits, step, field=True, leaf=True),
            "QTimeEdit": Kind("input-time", self._date_edits, step, field=True, leaf=True),
            "QSlider": Kind("slider", self._ranges, step, field=True, leaf=True),
            "QDial": Kind("slider", self._ranges, step, field=True, leaf=True),
            "QScrollBar": Kind("scroll-bar", self._ranges, step[:3], leaf=True),
            "QProgressBar": Kind("progress-indicator", self._progress_bars, field=True, leaf=True),
            "QLCDNumber": Kind("text", self._lcds, field=True, leaf=True),
            "QLabel": Kind("text", leaf=True),
            "QGroupBox": Kind("group", self._group_boxes),
            "QDialogButtonBox": Kind("group"),
            "QTabWidget": Kind("tab-list", self._tabs, ("select",), parts="tabs"),
            "QTabBar": Kind("tab-list", self._tabs, ("select", "focus"), parts="tabs"),
            "QToolBox": Kind("group"),
            "QStackedWidget": Kind("generic"),
            "QScrollArea": Kind("scroll-area", None, ("scroll",)),
            "QAbstractScrollArea": Kind("scroll-area", None, ("scroll",)),
            "QSplitter": Kind("group"),
            "QSplitterHandle": Kind("splitter", leaf=True),
            "QMenuBar": Kind("menu-bar", None, ("select",), parts="entries"),
            "QMenu": Kind("menu", self._titled, ("select",), parts="entries"),
            "QToolBar": Kind("toolbar", self._titled),
            "QStatusBar": Kind("status", self._status_bars),
            "QDockWidget": Kind("region", self._titled),
            "QMdiArea": Kind("group"),
            "QMdiSubWindow": Kind("window", self._titled),
            "QCalendarWidget": Kind("date-picker", self._calendars, ("set-value", "focus"), field=True),
            "QListView": Kind("list", None, view, parts="list", field=True),
            "QTableView": Kind("table", None, view, parts="table", field=True),
            "QTreeView": Kind("tree", None, view, parts="tree", field=True),
            "QHeaderView": Kind("row-group", None, ()),
            "QGraphicsView": Kind("canvas", None, ("scroll", "focus"), parts="scene"),
            "QOpenGLWidget": Kind("canvas"),
            "QQuickWidget": Kind("group", None, ("focus",), parts="quick"),
            "QWebEngineView": Kind("web-area", self._web_views),
            "QRubberBand": Kind("none"),
            "QFocusFrame": Kind("none"),
            "QSizeGrip": Kind("none"),
        }
    # fmt: on

    # -- buttons -------------------------------------------------------------------------------

    def _buttons(self, natives: list[Any], rows: list[Fields]) -> None:
        button = self._widgets.QAbstractButton
        texts = map(button.text, natives)
        for fields, text, can, down in zip(
            rows, texts, map(button.isCheckable, natives), map(button.isDown, natives), strict=True
        ):
            if text:
                fields["text"] = fields["name"] = plain(text)
            if can:
                fields["role"] = "toggle-button"
                fields["actions"] = ("press", "toggle", "focus")
            if down:
                fields["pressed"] = True
        for native, fields in zip(natives, rows, strict=True):
            if fields["role"] == "toggle-button":
                fields["checked"] = button.isChecked(native)

    def _push_buttons(self, natives: list[Any], rows: list[Fields]) -> None:
        self._buttons(natives, rows)
        for fields, menu in zip(rows, map(self._widgets.QPushButton.menu, natives), strict=True):
            if menu is not None:
                fields["expanded"] = menu.isVisible()
                fields["actions"] = ("press", "expand", "focus")

    def _tool_buttons(self, natives: list[Any], rows: list[Fields]) -> None:
        self._buttons(natives, rows)
        button = self._widgets.QToolButton
        split = button.ToolButtonPopupMode.MenuButtonPopup
        for native, fields in zip(natives, rows, strict=True):
            action = button.defaultAction(native)
            if action is not None:
                if text := action.text():
                    fields["name"] = plain(text)
                if "automation_id" not in fields and (name := action.objectName()):
                    fields["automation_id"] = name
            if button.menu(native) is not None:
                fields["expanded"] = button.menu(native).isVisible()
                fields["actions"] = ("press", "expand", "focus")
                if button.popupMode(native) == split:
                    fields["role"] = "split-button"
            if not fields.get("name") and native.inherits("QLineEditIconButton"):
                fields["name"] = "Clear"

    def _check_boxes(self, natives: list[Any], rows: list[Fields]) -> None:
        box = self._widgets.QCheckBox
        checked, three = map(box.isChecked, natives), map(box.isTristate, natives)
        for native, fields, text, on, mixed in zip(
            natives, rows, map(box.text, natives), checked, three, strict=True
        ):
            if text:
                fields["text"] = fields["name"] = plain(text)
            fields["checked"] = on
            if mixed and box.checkState(native) == self._binding.Qt.CheckState.PartiallyChecked:
                fields["mixed"] = True

    def _radios(self, natives: list[Any], rows: list[Fields]) -> None:
        radio = self._widgets.QRadioButton
        for fields, text, on in zip(
            rows, map(radio.text, natives), map(radio.isChecked, natives), strict=True
        ):
            if text:
                fields["text"] = fields["name"] = plain(text)
            fields["checked"] = on

    # -- text ----------------------------------------------------------------------------------

    def _line_edits(self, natives: list[Any], rows: list[Fields]) -> None:
        edit = self._widgets.QLineEdit
        normal = edit.EchoMode.Normal
        for fields, text, echo, hint, fixed in zip(
            rows,
            map(edit.text, natives),
            map(edit.echoMode, natives),
            map(edit.placeholderText, natives),
            map(edit.isReadOnly, natives),
            strict=True,
        ):
            if echo != normal:
                fields["password"] = True
                text = MASK if text else ""
            fields["value"] = text if len(text) <= TEXT_KEPT else shorten(text)
            if hint:
                fields["placeholder"] = hint
            if fixed:
                fields["text"] = fields["value"]
                fields["actions"] = ("focus",)
            else:
                fields["editable"] = True

    def _text_edits(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            document = native.document()
            count = document.characterCount() - 1
            if count > TEXT_KEPT:
                text = self._beginning(document)
                fields["properties"] = {"characterCount": count}
            else:
                text = document.toPlainText()
            fields["value"] = text
            if hint := native.placeholderText():
                fields["placeholder"] = hint
            if native.isReadOnly():
                fields["text"] = text
                fields["actions"] = ("scroll", "focus")
            else:
                fields["editable"] = True

    def _beginning(self, document: Any) -> str:
        lines: list[str] = []
        block, length = document.begin(), 0
        while block.isValid() and length <= TEXT_KEPT:
            lines.append(block.text())
            length += len(lines[-1]) + 1
            block = block.next()
        return "\n".join(lines)[:TEXT_KEPT] + "…"

    def _key_edits(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            fields["value"] = native.keySequence().toString()
            fields["editable"] = True

    def labels(self, natives: list[Any], rows: list[Fields], buddies: Iterable[Any]) -> None:
        """The texts of labels; a mnemonic is shown only by one that has a buddy."""
        label = self._widgets.QLabel
        for native, fields, text, buddy in zip(natives, rows, map(label.text, natives), buddies, strict=True):
            if text:
                if buddy is not None:
                    text = plain(text)
                if "<" in text and self._is_rich(native, text):
                    text = without_markup(text)
                fields["text"] = fields["name"] = text if len(text) <= TEXT_KEPT else shorten(text)
            elif not label.pixmap(native).isNull() or label.movie(native) is not None:
                fields["role"] = "image"

    def _is_rich(self, native: Any, text: str) -> bool:
        shown = native.textFormat()
        kinds = self._binding.Qt.TextFormat
        return shown == kinds.RichText or (
            shown == kinds.AutoText and re.search(r"<(/?[a-zA-Z][^<>]*|!--.*--)>", text) is not None
        )

    # -- choices and numbers -------------------------------------------------------------------

    def _combo_boxes(self, natives: list[Any], rows: list[Fields]) -> None:
        combo = self._widgets.QComboBox
        normal = self._widgets.QLineEdit.EchoMode.Normal
        for native, fields, text, at, count, editable in zip(
            natives,
            rows,
            map(combo.currentText, natives),
            map(combo.currentIndex, natives),
            map(combo.count, natives),
            map(combo.isEditable, natives),
            strict=True,
        ):
            if hint := combo.placeholderText(native):
                fields["placeholder"] = hint
            if editable:
                fields["editable"] = True
                fields["actions"] = ("press", "select", "expand", "set-value", "focus")
                line = combo.lineEdit(native)
                if line.echoMode() != normal:
                    fields["password"] = True
                    text = MASK if text else ""
                elif not hint and (hint := line.placeholderText()):
                    fields["placeholder"] = hint
            fields["value"] = text
            fields["expanded"] = False
            if count:
                shown = range(min(count, OPTIONS_KEPT))
                fields["options"] = tuple(
                    Option(index, label, None if data is None else str(data), index == at)
                    for index, label, data in zip(
                        shown,
                        map(partial(combo.itemText, native), shown),
                        map(partial(combo.itemData, native), shown),
                        strict=True,
                    )
                )
                if count > OPTIONS_KEPT:
                    fields["options_count"] = count

    def _spin_boxes(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            number = native.value()
            fields["number"] = number
            fields["minimum"] = native.minimum()
            fields["maximum"] = native.maximum()
            # Until it is shown for the first time, its edit is empty.
            fields["value"] = native.cleanText() or (
                "" if native.isVisible() else native.textFromValue(number)
            )
            self._spin(native, fields)

    def _other_spin_boxes(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            fields["value"] = native.text()
            self._spin(native, fields)

    def _date_edits(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            fields["value"] = native.text()
            fields["properties"] = {"dateTime": native.dateTime().toString("yyyy-MM-ddTHH:mm:ss")}
            self._spin(native, fields)

    def _spin(self, native: Any, fields: Fields) -> None:
        text = native.text() or fields["value"]
        if text != fields["value"] or native.isReadOnly():
            fields["text"] = text
        if native.isReadOnly():
            fields["actions"] = ("focus",)
        else:
            fields["editable"] = True

    def _ranges(self, natives: list[Any], rows: list[Fields]) -> None:
        slider = self._widgets.QAbstractSlider
        for native, fields in zip(natives, rows, strict=True):
            number = slider.value(native)
            fields["number"] = number
            fields["value"] = str(number)
            fields["minimum"] = slider.minimum(native)
            fields["maximum"] = slider.maximum(native)
            fields["editable"] = True

    def _progress_bars(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            low, high = native.minimum(), native.maximum()
            if low == high == 0:
                continue  # busy, without saying how far it is
            number = native.value()
            fields["minimum"], fields["maximum"] = low, high
            # Before the first step, Qt has a value below the minimum.
            fields["number"] = max(number, low)
            fields["value"] = str(max(number, low))
            if native.isTextVisible() and (text := native.text()):
                fields["text"] = text

    def _lcds(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            number = native.value()
            text = str(int(number)) if number == int(number) else str(number)
            fields["text"] = fields["value"] = text
            fields["number"] = number

    def _calendars(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            fields["value"] = native.selectedDate().toString(self._binding.Qt.DateFormat.ISODate)
            fields["editable"] = True

    # -- containers ----------------------------------------------------------------------------

    def _frames(self, natives: list[Any], rows: list[Fields]) -> None:
        shapes = self._widgets.QFrame.Shape
        lines = (shapes.HLine, shapes.VLine)
        for fields, shape in zip(rows, map(self._widgets.QFrame.frameShape, natives), strict=True):
            if shape in lines:
                fields["role"] = "separator"

    def _group_boxes(self, natives: list[Any], rows: list[Fields]) -> None:
        box = self._widgets.QGroupBox
        for native, fields, title, can in zip(
            natives, rows, map(box.title, natives), map(box.isCheckable, natives), strict=True
        ):
            if title:
                fields["text"] = fields["name"] = plain(title)
            if can:
                fields["checked"] = box.isChecked(native)
                fields["actions"] = ("press", "toggle", "focus")

    def _titled(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            title = native.windowTitle() or (native.title() if fields["role"] == "menu" else "")
            if title:
                fields["name"] = plain(title)

    def _status_bars(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            if message := native.currentMessage():
                fields["text"] = fields["name"] = message

    def _tabs(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            at, count = native.currentIndex(), native.count()
            fields["options"] = tuple(
                Option(index, plain(native.tabText(index)), None, index == at, native.isTabEnabled(index))
                for index in range(min(count, OPTIONS_KEPT))
            )
            if count > OPTIONS_KEPT:
                fields["options_count"] = count
            if at >= 0:
                fields["value"] = plain(native.tabText(at))

    def _web_views(self, natives: list[Any], rows: list[Fields]) -> None:
        for native, fields in zip(natives, rows, strict=True):
            if title := native.title():
                fields["name"] = title
            fields["value"] = native.url().toString()
