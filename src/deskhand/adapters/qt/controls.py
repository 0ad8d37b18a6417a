"""What kinds of widgets there are: the role of each class, what it can do, and how its own state is read.

State is read by columns: one getter of the class over all widgets of a kind at once. That is three times
as fast as asking each widget by attribute, and a subclass with a `text` of its own does not get in the way.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ...model.node import MASK, Option
from ...model.record import dataclass
from ..choices import worth
from .binding import Binding
from .contained import CONTAINER

Fields = dict[str, Any]
State = Any
"""What only widgets of one kind have, such that two equal states look the same."""

OPTIONS_KEPT = 100
TEXT_KEPT = 20_000
"""How much is read of a long text."""


@dataclass(frozen=True, eq=False)
class Kind:
    """What widgets of a class have in common."""

    role: str
    states: Callable[[list[Any]], Iterable[State]] | None = None
    """Reads the states of many widgets at once."""
    fill: Callable[[Fields, State], None] = dict.update
    """Puts a state into the fields of a node; without one of its own, the states are fields."""
    actions: tuple[str, ...] = ()
    parts: str | None = None
    """What it draws that is not a widget: tabs, entries, list, table, tree, scene, quick, window, more."""
    field: bool = False
    """Whether it has no caption of its own, and is called by the label beside it."""
    leaf: bool = False
    """Whether it seldom has widgets inside."""
    box: bool = False
    """Whether it is called by the label that belongs to it if it has no caption of its own."""


MORE = "More"
"""What the button is called that shows the tools which a tool bar has no room for."""
_MARKUP = re.compile(r"<(/?[a-zA-Z][^<>]*|!--.*--)>")


def plain(text: str) -> str:
    """A caption without the marks for its mnemonic, `&Save` and `Save && quit`, or space around it."""
    if "&" not in text:
        return text.strip()
    # Translations into Chinese and Japanese append the mnemonic in brackets.
    text = re.sub(r"\(&\w\)", "", text)
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").strip()


def attached(get: Callable[..., object], *arguments: object) -> str | None:
    """What the program attached to an option, as text; None if nothing, or what Python has no type for."""
    try:
        return worth(get(*arguments))
    except TypeError:  # PyQt, of what is known to C++ alone
        return None


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
        press = ("press", "focus")
        self.by_native_class = {
            "QToolBoxButton": Kind("tab", self._tool_box_tabs, self._tool_box_tab, press, leaf=True),
            CONTAINER: Kind("group", actions=("focus",), parts="window"),
        }
        """Of classes that only C++ knows; for Python they are of one above."""
        self._by_type: dict[type, Kind] = {}
        self.open_combos: set[int] = set()
        """The combo boxes whose popup is open, by id(): to ask each for its popup would make one."""

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

        def by(read: Callable[[Any], Fields]) -> Callable[[list[Any]], Iterable[State]]:
            return lambda natives: map(read, map(self._binding.bare, natives))

        button = Kind("button", self._buttons, self._button, press, leaf=True, box=True)
        spin = Kind("spin-button", by(self._spin_box), actions=step, field=True, leaf=True)
        slider = Kind("slider", by(self._range), actions=step, field=True, leaf=True)
        text = Kind("editable-text", by(self._text_edit), actions=(*edit, "scroll"), field=True)
        titled = by(self._titled)
        return {
            "QWidget": Kind("generic"),
            "QFrame": Kind("generic", self._frames, self._frame),
            "QMainWindow": Kind("window"),
            "QDialog": Kind("dialog"),
            "QSplashScreen": Kind("window"),
            "QAbstractButton": button,
            "QPushButton": Kind("button", self._push_buttons, self._push_button, press, leaf=True),
            "QToolButton": Kind("button", by(self._tool_button), actions=press, leaf=True),
            "QCheckBox": Kind("checkbox", self._check_boxes, self._check_box, ("press", "toggle", "focus"),
                              leaf=True, box=True),
            "QRadioButton": Kind("radio", self._radios, self._radio, ("press", "select", "focus"), leaf=True),
            "QLineEdit": Kind("textfield", self._line_edits, self._line_edit, edit, field=True, leaf=True),
            "QTextEdit": text,
            "QPlainTextEdit": text,
            "QTextBrowser": Kind("document", by(self._text_edit), actions=("scroll", "focus")),
            "QKeySequenceEdit": Kind("textfield", by(self._key_edit), actions=edit, field=True, leaf=True),
            "QComboBox": Kind("combo-box", self._combo_boxes, actions=choose, field=True, leaf=True),
            "QSpinBox": spin,
            "QDoubleSpinBox": spin,
            "QAbstractSpinBox": Kind("spin-button", by(self._other_spin_box), actions=step, field=True,
                                     leaf=True),
            "QDateTimeEdit": Kind("date-picker", by(self._date_edit), actions=step, field=True, leaf=True),
            "QTimeEdit": Kind("input-time", by(self._date_edit), actions=step, field=True, leaf=True),
            "QSlider": slider,
            "QDial": slider,
            "QScrollBar": Kind("scroll-bar", by(self._range), actions=step[:3], leaf=True),
            "QProgressBar": Kind("progress-indicator", by(self._progress_bar), field=True, leaf=True),
            "QLCDNumber": Kind("text", by(self._lcd), field=True, leaf=True),
            "QLabel": Kind("text", self._labels, self._label, leaf=True),
            "QGroupBox": Kind("group", self._group_boxes, self._group_box),
            "QDialogButtonBox": Kind("group"),
            "QTabWidget": Kind("tab-list", by(self._tabs), actions=("select",), parts="tabs"),
            "QTabBar": Kind("tab-list", by(self._tabs), actions=("select", "focus"), parts="tabs"),
            "QToolBox": Kind("group"),
            "QStackedWidget": Kind("generic"),
            "QScrollArea": Kind("scroll-area", actions=("scroll",)),
            "QAbstractScrollArea": Kind("scroll-area", actions=("scroll",)),
            "QSplitter": Kind("group"),
            "QSplitterHandle": Kind("splitter", leaf=True),
            "QMenuBar": Kind("menu-bar", actions=("select",), parts="entries"),
            "QMenu": Kind("menu", titled, actions=("select",), parts="entries"),
            "QToolBar": Kind("toolbar", titled, parts="more"),
            "QStatusBar": Kind("status", by(self._status_bar)),
            "QDockWidget": Kind("region", titled),
            "QMdiArea": Kind("group"),
            "QMdiSubWindow": Kind("window", titled),
            "QCalendarWidget": Kind("date-picker", by(self._calendar), actions=edit, field=True),
            "QListView": Kind("list", actions=view, parts="list", field=True),
            "QTableView": Kind("table", actions=view, parts="table", field=True),
            "QTreeView": Kind("tree", actions=view, parts="tree", field=True),
            "QHeaderView": Kind("row-group"),
            "QGraphicsView": Kind("canvas", actions=("scroll", "focus"), parts="scene"),
            "QOpenGLWidget": Kind("canvas"),
            "QQuickWidget": Kind("group", actions=("focus",), parts="quick"),
            "QWebEngineView": Kind("web-area", by(self._web_view)),
            "QRubberBand": Kind("none"),
            "QFocusFrame": Kind("none"),
            "QSizeGrip": Kind("none"),
        }
    # fmt: on

    # -- buttons -------------------------------------------------------------------------------

    def _buttons(self, natives: list[Any]) -> Iterable[State]:
        button = self._widgets.QAbstractButton
        can = list(map(button.isCheckable, natives))
        return zip(
            map(button.text, natives),
            can,
            map(button.isChecked, natives) if True in can else can,
            map(button.isDown, natives),
            strict=True,
        )

    def _button(self, fields: Fields, state: State) -> None:
        text, can, on, down, *_ = state
        if text and (text := plain(text)):
            fields["text"] = fields["name"] = text
        if can:
            fields["role"] = "checkbox" if self._binding.entered else "toggle-button"
            fields["actions"] = ("press", "toggle", "focus")
            fields["checked"] = on
        if down:
            fields["pressed"] = True

    def _push_buttons(self, natives: list[Any]) -> Iterable[State]:
        button = self._widgets.QPushButton
        can = list(map(button.isCheckable, natives))
        return zip(
            map(button.text, natives),
            can,
            map(button.isChecked, natives) if True in can else can,
            map(button.isDown, natives),
            map(self._is_open, map(button.menu, natives)),
            strict=True,
        )

    def _push_button(self, fields: Fields, state: State) -> None:
        self._button(fields, state)
        if state[4] is not None:
            fields["expanded"] = state[4]
            fields["actions"] = ("press", "expand", "focus")

    def _tool_button(self, native: Any) -> Fields:
        fields: Fields = {}
        self._button(fields, (native.text(), native.isCheckable(), native.isChecked(), native.isDown()))
        action = native.defaultAction()
        if action is not None:
            action = self._binding.bare(action)
            # The bus has what the button would show: of "Open..." the text "Open".
            if not (self._binding.entered and fields.get("name")) and (text := plain(action.text())):
                fields["name"] = text
            name = action.objectName()
            if name and not name.startswith("_q_"):
                fields["automation_id"] = name
        menu = native.menu()
        if menu is not None:
            fields["expanded"] = self._widgets.QWidget.isVisible(menu)
            fields["actions"] = ("press", "expand", "focus")
            if native.popupMode() == self._widgets.QToolButton.ToolButtonPopupMode.MenuButtonPopup:
                fields["role"] = "split-button"
        if not fields.get("name"):
            # Buttons of Qt's own, with an icon only.
            if native.inherits("QLineEditIconButton"):
                fields["name"] = "Clear"
            elif native.inherits("QToolBarExtension"):
                fields["name"] = MORE
        return fields

    def _tool_box_tabs(self, natives: list[Any]) -> Iterable[State]:
        return zip(self._buttons(natives), map(self._is_current, natives), strict=True)

    def _is_current(self, native: Any) -> bool:
        """Whether a tab of a tool box is that of the page which is shown."""
        widget, box = self._widgets.QWidget, self._widgets.QToolBox
        above = widget.parentWidget(native)
        if not isinstance(above, box):
            return False
        # Its layout has the tabs and the pages by turns.
        return bool(widget.layout(above).indexOf(native) == 2 * box.currentIndex(above))

    def _tool_box_tab(self, fields: Fields, state: State) -> None:
        button, fields["selected"] = state
        self._button(fields, button)

    def _check_boxes(self, natives: list[Any]) -> Iterable[State]:
        box = self._widgets.QCheckBox
        some = self._binding.Qt.CheckState.PartiallyChecked
        mixed = [
            three and box.checkState(native) == some
            for native, three in zip(natives, map(box.isTristate, natives), strict=True)
        ]
        return zip(map(box.text, natives), map(box.isChecked, natives), mixed, strict=True)

    def _check_box(self, fields: Fields, state: State) -> None:
        text, on, mixed = state
        if text and (text := plain(text)):
            fields["text"] = fields["name"] = text
        fields["checked"] = on
        if mixed:
            fields["mixed"] = True

    def _radios(self, natives: list[Any]) -> Iterable[State]:
        radio = self._widgets.QRadioButton
        return zip(map(radio.text, natives), map(radio.isChecked, natives), strict=True)

    def _radio(self, fields: Fields, state: State) -> None:
        text, fields["checked"] = state
        if text and (text := plain(text)):
            fields["text"] = fields["name"] = text

    # -- text ----------------------------------------------------------------------------------

    def _line_edits(self, natives: list[Any]) -> Iterable[State]:
        edit = self._widgets.QLineEdit
        normal = edit.EchoMode.Normal
        for text, echo, hint, fixed in zip(
            map(edit.text, natives),
            map(edit.echoMode, natives),
            map(edit.placeholderText, natives),
            map(edit.isReadOnly, natives),
            strict=True,
        ):
            # From here on no code has the password.
            yield (text, False, hint, fixed) if echo == normal else (MASK if text else "", True, hint, fixed)

    def _line_edit(self, fields: Fields, state: State) -> None:
        text, secret, hint, fixed = state
        if secret:
            fields["password"] = True
        fields["value"] = text if len(text) <= TEXT_KEPT else shorten(text)
        if hint:
            fields["placeholder"] = hint
        if fixed:
            fields["text"] = fields["value"]
            fields["actions"] = ("focus",)
        else:
            fields["editable"] = True

    def _text_edit(self, native: Any) -> Fields:
        fields: Fields = {}
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
        return fields

    def _beginning(self, document: Any) -> str:
        lines: list[str] = []
        block, length = document.begin(), 0
        while block.isValid() and length <= TEXT_KEPT:
            lines.append(block.text())
            length += len(lines[-1]) + 1
            block = block.next()
        return "\n".join(lines)[:TEXT_KEPT] + "…"

    def _key_edit(self, native: Any) -> Fields:
        return {"value": native.keySequence().toString(), "editable": True}

    def _labels(self, natives: list[Any]) -> Iterable[State]:
        label = self._widgets.QLabel
        kinds = self._binding.Qt.TextFormat
        for native, text, buddy in zip(
            natives, map(label.text, natives), map(label.buddy, natives), strict=True
        ):
            rich = has_image = False
            if not text:
                pixmap = label.pixmap(native)  # None in Qt 5 where there is none
                shown = pixmap is not None and not pixmap.isNull()
                has_image = shown or label.movie(native) is not None
            elif "<" in text:
                shown = label.textFormat(native)
                rich = shown == kinds.RichText or (
                    shown == kinds.AutoText and _MARKUP.search(text) is not None
                )
            yield text, 0 if buddy is None else id(buddy), rich, has_image

    def _label(self, fields: Fields, state: State) -> None:
        text, buddy, rich, has_image = state
        if text:
            # A mnemonic is shown only by a label that has a buddy.
            text = plain(text) if buddy else text
            text = without_markup(text) if rich else text
            fields["text"] = fields["name"] = text if len(text) <= TEXT_KEPT else shorten(text)
        elif has_image:
            fields["role"] = "image"

    # -- choices and numbers -------------------------------------------------------------------

    def _combo_boxes(self, natives: list[Any]) -> Iterable[State]:
        return map(self._combo_box, natives)

    def _combo_box(self, native: Any) -> Fields:
        combo = self._widgets.QComboBox
        fields: Fields = {"expanded": id(native) in self.open_combos}
        text, at, count = combo.currentText(native), combo.currentIndex(native), combo.count(native)
        hint = combo.placeholderText(native)
        if combo.isEditable(native):
            fields["editable"] = True
            fields["actions"] = ("press", "select", "expand", "set-value", "focus")
            line = combo.lineEdit(native)
            if line.echoMode() != self._widgets.QLineEdit.EchoMode.Normal:
                fields["password"] = True
                text = MASK if text else ""
            hint = hint or line.placeholderText()
        if hint:
            fields["placeholder"] = hint
        fields["value"] = text
        if count:
            shown = range(min(count, OPTIONS_KEPT))
            data = partial(combo.itemData, native)
            try:
                values = list(map(worth, map(data, shown)))
            except TypeError:  # see `attached`, which takes longer
                values = [attached(data, index) for index in shown]
            texts = map(partial(combo.itemText, native), shown)
            fields["options"] = tuple(
                Option(index, label, value, index == at)
                for index, label, value in zip(shown, texts, values, strict=True)
            )
            if count > OPTIONS_KEPT:
                fields["options_count"] = count
        return fields

    def _spin_box(self, native: Any) -> Fields:
        number = native.value()
        fields: Fields = {"number": number, "minimum": native.minimum(), "maximum": native.maximum()}
        # Until it is shown for the first time, its edit is empty.
        fields["value"] = native.cleanText() or ("" if native.isVisible() else native.textFromValue(number))
        return self._spin(native, fields)

    def _other_spin_box(self, native: Any) -> Fields:
        return self._spin(native, {"value": native.text()})

    def _date_edit(self, native: Any) -> Fields:
        moment = native.dateTime().toString("yyyy-MM-ddTHH:mm:ss")
        return self._spin(native, {"value": native.text(), "properties": {"dateTime": moment}})

    def _spin(self, native: Any, fields: Fields) -> Fields:
        text = native.text() or fields["value"]
        fixed = native.isReadOnly()
        if fixed or text != fields["value"]:
            fields["text"] = text
        if fixed:
            fields["actions"] = ("focus",)
        else:
            fields["editable"] = True
        return fields

    def _range(self, native: Any) -> Fields:
        number = native.value()
        return {
            "number": number,
            "value": str(number),
            "minimum": native.minimum(),
            "maximum": native.maximum(),
            "editable": True,
        }

    def _progress_bar(self, native: Any) -> Fields:
        low, high = native.minimum(), native.maximum()
        if low == high == 0:
            return {}  # busy, without saying how far it is
        # Before the first step, Qt has a value below the minimum.
        number = max(native.value(), low)
        fields: Fields = {"minimum": low, "maximum": high, "number": number, "value": str(number)}
        if native.isTextVisible() and (text := native.text()):
            fields["text"] = text
        return fields

    def _lcd(self, native: Any) -> Fields:
        number = native.value()
        text = str(int(number)) if number == int(number) else str(number)
        return {"text": text, "value": text, "number": number}

    def _calendar(self, native: Any) -> Fields:
        day = native.selectedDate().toString(self._binding.Qt.DateFormat.ISODate)
        return {"value": day, "editable": True}

    # -- containers ----------------------------------------------------------------------------

    def _frames(self, natives: list[Any]) -> Iterable[State]:
        return map(self._widgets.QFrame.frameShape, natives)

    def _frame(self, fields: Fields, state: State) -> None:
        shapes = self._widgets.QFrame.Shape
        if state in (shapes.HLine, shapes.VLine):
            fields["role"] = "separator"

    def _group_boxes(self, natives: list[Any]) -> Iterable[State]:
        box = self._widgets.QGroupBox
        can = list(map(box.isCheckable, natives))
        return zip(
            map(box.title, natives),
            can,
            map(box.isChecked, natives) if True in can else can,
            strict=True,
        )

    def _group_box(self, fields: Fields, state: State) -> None:
        title, can, on = state
        if title and (title := plain(title)):
            fields["text"] = fields["name"] = title
        if can:
            fields["checked"] = on
            fields["actions"] = ("press", "toggle", "focus")

    def _titled(self, native: Any) -> Fields:
        title = native.windowTitle() or (native.title() if native.inherits("QMenu") else "")
        return {"name": title} if (title := plain(title)) else {}

    def _status_bar(self, native: Any) -> Fields:
        message = native.currentMessage()
        return {"text": message, "name": message} if message else {}

    def _tabs(self, native: Any) -> Fields:
        at, count = native.currentIndex(), native.count()
        fields: Fields = {
            "options": tuple(
                Option(index, plain(native.tabText(index)), None, index == at, native.isTabEnabled(index))
                for index in range(min(count, OPTIONS_KEPT))
            )
        }
        if count > OPTIONS_KEPT:
            fields["options_count"] = count
        if at >= 0:
            fields["value"] = plain(native.tabText(at))
        return fields

    def _web_view(self, native: Any) -> Fields:
        title = native.title()
        return {"value": native.url().toString(), **({"name": title} if title else {})}

    def _is_open(self, menu: Any) -> bool | None:
        return None if menu is None else bool(self._widgets.QWidget.isVisible(menu))
