"""Entering text and values: key by key as typed, or all at once.

Values go in by the way that a person's input takes inside the widget, so that validators, limits and the
program's own signals have their say. The text of a password field appears in no message.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Any

from ...model.errors import ActionFailed, InvalidParams, NotEditable, NotFocusable
from ...model.keys import Chord
from ...model.operations import SetValue, TypeText
from .. import performer
from ..performer import no_value, number_within, whole_number
from . import press, quick_aim, windows
from .handles import Handle, Item, SceneItem
from .hands import Hands
from .quick_kinds import is_password

_FIXED_PARTS = "has fixed parts, which cannot be deleted and typed again"
_NO_TEXT = "takes no text"


# -- key by key --------------------------------------------------------------------------------


def type_text(hands: Hands, action: TypeText, handle: Handle | None) -> dict[str, object]:
    """Type with the keyboard."""
    if isinstance(handle, SceneItem) and (inner := press.embedded(hands, handle)) is not None:
        handle = inner
    if isinstance(handle, Item):
        handle = _open_editor(hands, handle)
    if handle is not None:
        _insist_on_editable(hands, handle)
        if (why := _not_typed(hands, handle)) is not None and (action.clear or why is _NO_TEXT):
            if not action.clear:
                raise NotEditable(f"{hands.call(handle)} {why}", suggestions=("set its value",))
            set_value(hands, handle, action.text)
            if action.submit:
                _type(hands, handle, [])
            return {"detail": f"set as a whole: it {why}"}
    window = windows.keyboard(hands, handle)
    before, after = [], []
    if action.clear:
        before += hands.input.chord(window, Chord(("ctrl",), text="a"))
        before += hands.input.chord(window, Chord((), key="Delete"))
    if action.submit:
        after += hands.input.chord(window, Chord((), key="Return"))
    steps = chain(before, hands.input.text(window, action.text), after)
    count = len(before) + hands.input.strokes(action.text) + len(after)
    hands.input.play(hands.input.paced(steps, count))
    return {}


# -- all at once -------------------------------------------------------------------------------


def set_value(hands: Hands, handle: Handle, value: str) -> dict[str, object]:
    """Replace what a handle holds."""
    if isinstance(handle, SceneItem):
        return _set_scene_item(hands, handle, value)
    if isinstance(handle, Item):
        return _set_item(hands, handle, value)
    if quick_aim.is_item(hands.binding, handle):
        _insist_on_editable(hands, handle)
        return _set_quick(hands, handle, value)
    if not hands.is_a(handle, "QWidget"):
        raise no_value(hands.call(handle))
    _insist_on_editable(hands, handle)
    for name, setter in _SETTERS.items():
        if handle.inherits(name):
            return setter(hands, handle, value) or {}
    return _set_user_property(hands, handle, value)


def _set_line(hands: Hands, native: Any, value: str) -> None:
    _focus_if_possible(hands, native)
    line = hands.bare(native)
    line.selectAll()
    if value:
        line.insert(value)
    else:
        line.backspace()
    if line.text() != value:
        masked = line.echoMode() != hands.binding.QtWidgets.QLineEdit.EchoMode.Normal
        was = "" if masked else f" of {value!r}; it holds {line.text()!r}"
        if len(value) > line.maxLength():
            because = f"it takes at most {line.maxLength()} characters"
        elif line.inputMask():
            because = f"it has the input mask {line.inputMask()!r}"
        else:
            because = "its validator refused it, or the program changed it"
        raise ActionFailed(f"{hands.call(native)} did not take all{was}: {because}")


def _set_text(hands: Hands, native: Any, value: str) -> None:
    _focus_if_possible(hands, native)
    edit = hands.bare(native)
    cursor = edit.textCursor()
    cursor.select(hands.binding.QtGui.QTextCursor.SelectionType.Document)
    cursor.insertText(value)
    edit.setTextCursor(cursor)


def _set_spin(hands: Hands, native: Any, value: str) -> None:
    spin, text = hands.bare(native), value.strip()
    number: Any
    try:
        number = int(text) if spin.inherits("QSpinBox") else float(text)
    except ValueError:
        _set_spin_text(hands, native, value)
        return
    number_within(text, spin.minimum(), spin.maximum(), hands.call(native))
    spin.setValue(number)


def _set_spin_text(hands: Hands, native: Any, value: str) -> None:
    """Enter what is not a plain number: `25 %`, `0xff`, `auto`."""
    spin = hands.bare(native)
    line = spin.findChild(hands.binding.QtWidgets.QLineEdit)
    before = spin.text()
    line.selectAll()
    line.insert(value)
    acceptable = spin.hasAcceptableInput()
    spin.interpretText()
    wanted = (value, f"{spin.prefix()}{value}{spin.suffix()}") if hasattr(native, "prefix") else (value,)
    if not acceptable or spin.text() not in wanted:
        line.setText(before)
        spin.interpretText()
        raise InvalidParams(
            f"{value!r} is nothing that {hands.call(native)} takes; it holds {before!r}", field="value"
        )


def _set_slider(hands: Hands, native: Any, value: str) -> None:
    slider = hands.bare(native)
    what = hands.call(native)
    number = whole_number(number_within(value, slider.minimum(), slider.maximum(), what), what)
    # As a drag does it: programs listen to sliderMoved and sliderReleased too.
    slider.setSliderDown(True)
    slider.setSliderPosition(number)
    slider.setSliderDown(False)


def _set_date(hands: Hands, native: Any, value: str) -> None:
    edit = hands.bare(native)
    moment = _moment(hands, edit, value)
    if not edit.minimumDateTime() <= moment <= edit.maximumDateTime():
        iso = hands.binding.Qt.DateFormat.ISODate
        raise InvalidParams(
            f"{value} is not between {edit.minimumDateTime().toString(iso)} and "
            f"{edit.maximumDateTime().toString(iso)}, the limits of {hands.call(native)}",
            field="value",
        )
    edit.setDateTime(moment)


def _moment(hands: Hands, edit: Any, value: str) -> Any:
    """Read a date, a time or both: ISO 8601, or as the widget shows it."""
    core, iso = hands.binding.QtCore, hands.binding.Qt.DateFormat.ISODate
    text = value.strip()
    now = edit.dateTime()
    date, time = core.QDate.fromString(text, iso), core.QTime.fromString(text, iso)
    if len(text) == 10 and date.isValid():
        now.setDate(date)
        return now
    if "-" not in text and time.isValid():
        now.setTime(time)
        return now
    for moment in (
        core.QDateTime.fromString(text.replace(" ", "T", 1), iso),
        core.QDateTime.fromString(text, edit.displayFormat()),
    ):
        if moment.isValid():
            now.setDate(moment.date())
            now.setTime(moment.time())
            return now
    raise InvalidParams(
        f"{value!r} is not a date or time such as 2024-05-31, 13:45:00, 2024-05-31T13:45:00 "
        f"or in the form {edit.displayFormat()}",
        field="value",
    )


def _set_calendar(hands: Hands, native: Any, value: str) -> None:
    calendar = hands.bare(native)
    date = hands.binding.QtCore.QDate.fromString(value.strip(), hands.binding.Qt.DateFormat.ISODate)
    if not date.isValid() or not calendar.minimumDate() <= date <= calendar.maximumDate():
        raise InvalidParams(f"{value!r} is not a date that {hands.call(native)} offers", field="value")
    calendar.setSelectedDate(date)
    calendar.clicked.emit(date)


def _set_combo(hands: Hands, combo: Any, value: str) -> None:
    _set_line(hands, hands.bare(combo).lineEdit(), value)


def _set_key_sequence(hands: Hands, edit: Any, value: str) -> None:
    edit.setKeySequence(hands.binding.QtGui.QKeySequence(value))
    edit.editingFinished.emit()


def _refuse(hands: Hands, widget: Any, _value: str) -> None:
    raise no_value(hands.call(widget))


_SETTERS: dict[str, Callable[[Hands, Any, str], dict[str, object] | None]] = {
    "QLineEdit": _set_line,
    "QTextEdit": _set_text,
    "QPlainTextEdit": _set_text,
    "QDateTimeEdit": _set_date,
    "QSpinBox": _set_spin,
    "QDoubleSpinBox": _set_spin,
    "QAbstractSlider": _set_slider,
    "QComboBox": _set_combo,
    "QCalendarWidget": _set_calendar,
    "QKeySequenceEdit": _set_key_sequence,
    "QAbstractButton": _refuse,
    "QGroupBox": _refuse,
    "QProgressBar": _refuse,
    "QLabel": _refuse,
    "QLCDNumber": _refuse,
}
"""How each kind of widget takes a value; the first that fits."""


def _set_user_property(hands: Hands, widget: Any, value: str) -> dict[str, object]:
    """Set what the widget's author declared as its value (a property with USER true)."""
    declared = widget.metaObject().userProperty()
    if not declared.isValid() or not declared.isWritable():
        raise no_value(hands.call(widget))
    if not declared.write(widget, value):
        raise ActionFailed(f"{hands.call(widget)} did not take {value!r} as its {declared.name()}")
    return {"detail": f"set its property {declared.name()}"}


# -- items of views ------------------------------------------------------------------------------


def _set_item(hands: Hands, handle: Item, value: str) -> dict[str, object]:
    index = hands.index(handle)
    editor = _open_editor(hands, handle)
    view = hands.bare(handle.view)
    # Qt 5 has one name for all of them, and what is meant depends on the argument.
    find = view.itemDelegateForIndex if hands.binding.major >= 6 else view.itemDelegate
    delegate = find(index)
    hint = hands.binding.QtWidgets.QAbstractItemDelegate.EndEditHint
    try:
        hands.perform(SetValue(value=value), editor)
    except BaseException:
        delegate.closeEditor.emit(editor, hint.RevertModelCache)
        raise
    delegate.commitData.emit(editor)
    if hands.binding.is_valid(editor):
        delegate.closeEditor.emit(editor, hint.NoHint)
    return {}


def _open_editor(hands: Hands, handle: Item) -> Any:
    """The widget in which a cell is edited, made by the view's delegate."""
    view, index = hands.bare(handle.view), hands.index(handle)
    widgets = hands.binding.QtWidgets
    locked = view.editTriggers() == widgets.QAbstractItemView.EditTrigger.NoEditTriggers
    if locked or not index.flags() & hands.binding.Qt.ItemFlag.ItemIsEditable:
        what = "its view does not let cells be edited" if locked else "its model does not let it be edited"
        raise NotEditable(f"{hands.call(handle)} cannot be edited: {what}")
    handle.view.scrollTo(index)
    hands.input.activate(hands.aim.window(handle.view))
    view.setCurrentIndex(index)
    view.edit(index)
    editor = view.indexWidget(index)
    if editor is None:
        raise ActionFailed(f"{hands.call(handle)} cannot be edited: the view opened no editor for it")
    return editor


def _set_scene_item(hands: Hands, handle: SceneItem, value: str) -> dict[str, object]:
    inner = press.embedded(hands, handle)
    if inner is not None:
        return dict(hands.perform(SetValue(value=value), inner))
    item = hands.bare(handle.item)
    is_text = isinstance(handle.item, hands.binding.QtWidgets.QGraphicsTextItem)
    if not is_text or not item.textInteractionFlags() & hands.binding.Qt.TextInteractionFlag.TextEditable:
        raise NotEditable(f"{hands.call(handle)} cannot be edited")
    item.setPlainText(value)
    return {}


# -- QML ---------------------------------------------------------------------------------------


def _set_quick(hands: Hands, item: Any, value: str) -> dict[str, object]:
    if hands.is_a(item, "QQuickTextInput", "QQuickTextEdit"):
        _set_quick_text(hands, item, value)
    elif hands.is_a(item, "QQuickComboBox"):
        _set_quick_text(hands, item.property("contentItem"), value)
    elif hands.is_a(item, "QQuickSpinBox", "QQuickDoubleSpinBox"):
        _set_quick_number(hands, item, value, ("from", "to"), "valueModified")
    elif hands.is_a(item, "QQuickSlider", "QQuickDial"):
        _set_quick_number(hands, item, value, ("from", "to"), "moved")
    else:
        raise no_value(hands.call(item))
    return {}


def _set_quick_text(hands: Hands, item: Any, value: str) -> None:
    core = hands.binding.QtCore
    windows.focus(hands, item)
    core.QMetaObject.invokeMethod(item, "selectAll")
    if value:
        hands.input.commit(value)
    else:
        hands.input.play(hands.input.chord(hands.aim.window(item), Chord((), key="Delete")))
    held = item.property("text")
    if held != value:
        masked = is_password(hands.binding, item)
        was = "" if masked else f" of {value!r}; it holds {held!r}"
        raise ActionFailed(f"{hands.call(item)} did not take all{was}: it has a limit or a validator")


def _set_quick_number(hands: Hands, item: Any, value: str, limits: tuple[str, str], signal: str) -> None:
    low, high = sorted(float(item.property(name)) for name in limits)
    number = number_within(value, low, high, hands.call(item))
    whole = item.inherits("QQuickSpinBox")
    item.setProperty("value", int(number) if whole else number)
    hands.binding.QtCore.QMetaObject.invokeMethod(item, signal)


# -- words -------------------------------------------------------------------------------------


def _insist_on_editable(hands: Hands, handle: Handle) -> None:
    if quick_aim.is_item(hands.binding, handle):
        read_only = bool(handle.property("readOnly"))
    elif hands.is_a(handle, "QLineEdit", "QTextEdit", "QPlainTextEdit", "QAbstractSpinBox"):
        read_only = handle.isReadOnly()
    else:
        read_only = False
    if read_only:
        raise performer.read_only(hands.call(handle))


def _not_typed(hands: Hands, handle: Handle) -> str | None:
    """Why a value is not entered key by key; None where it is."""
    if hands.is_a(handle, "QDateTimeEdit"):
        return _FIXED_PARTS
    if hands.is_a(handle, "QAbstractSlider", "QQuickSlider", "QQuickDial"):
        return _NO_TEXT
    return None


def _type(hands: Hands, handle: Handle, steps: list[Any]) -> None:
    window = windows.keyboard(hands, handle)
    hands.input.play(steps + hands.input.chord(window, Chord((), key="Return")))


def _focus_if_possible(hands: Hands, widget: Any) -> None:
    # What has the focus says editingFinished when it loses it, and programs wait for that.
    with suppress(NotFocusable, ActionFailed):
        windows.focus(hands, widget)
