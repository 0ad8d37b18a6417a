"""What kinds of windows there are: the role of each class, what it can do, and how its own state is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wx

from ...model.node import MASK, Option, called
from ...model.record import dataclass
from ..choices import worth
from .gtk import gtk, widget_of

Fields = dict[str, Any]

DRAWN_BOOKS = ("aui-tabs", "flat-tabs")
"""Parts of books that draw their tabs in a window of their own."""
BOOKS = ("tabs", "pages", *DRAWN_BOOKS)
"""Parts of all books."""
OPTIONS_KEPT = 100
TEXT_KEPT = 20_000
"""How much is read of a long text."""

Read = Callable[[Any, Fields], None]


@dataclass(frozen=True, eq=False)
class Kind:
    """What windows of a class have in common."""

    role: str
    read: Read | None = None
    """Puts the state of a window into the fields of its node."""
    actions: tuple[str, ...] = ()
    parts: str | None = None
    """What it draws that is not a window: see `parts`."""
    field: bool = False
    """Whether it has no caption of its own, and is called by the label beside it."""
    leaf: bool = False
    """Whether it has no windows inside that matter to clients."""
    whole: bool = False
    """Whether the windows inside are parts of it that its user does not think of as elements."""
    label: bool = False
    """Whether it names what is beside it."""
    getters: tuple[Callable[[Any], Any], ...] = ()
    """What its state depends on, all of it, where unbound getters can report that."""


def kind_of(window: Any) -> Kind:
    """The kind of the nearest class above that we know."""
    cls = type(window)
    kind = _by_type.get(cls)
    if kind is None:
        names = [above.__name__ for above in cls.__mro__ if above.__module__.startswith("wx.")]
        kind = _by_type[cls] = next((KINDS[name] for name in names if name in KINDS), KINDS["Window"])
    if kind.role == "generic":
        return _BY_NATIVE.get(window.GetClassName(), kind)
    if kind.getters and window.GetWindowStyleFlag() & (wx.TE_PASSWORD | wx.CHK_3STATE):
        # Of these, the getters report too little or too much.
        return _SPECIAL.get(kind.role, kind)
    return kind


def native_class(window: Any) -> str:
    """What wx calls the class of a window."""
    # The binding's own subclasses of some classes say so.
    name = str(window.GetClassName()).removeprefix("sip")
    cls = type(window)
    if cls.__module__.startswith("wx._") and name == f"wx{cls.__mro__[1].__name__}":
        # Some classes have no name in wx itself, and are called by the one above.
        return f"wx{cls.__name__}"
    return name


def python_class(window: Any) -> str | None:
    """The name of a class that is none of wx's own: the program's, or one of wx.lib."""
    cls = type(window)
    # What wx.lib draws in Python is to wx itself a control like any other.
    ours = cls.__module__.startswith("wx.") and not cls.__module__.startswith("wx.lib.")
    return None if ours else cls.__name__


def own(kind: Kind, window: Any) -> Fields:
    """What a window says of itself, as its kind knows."""
    fields: Fields = {}
    if kind.read is not None:
        try:
            kind.read(window, fields)
        except Exception as error:  # noqa: BLE001 - one that cannot be read must not hide all others
            unreadable(fields, error)
    return fields


def describe(window: Any, role: str | None = None) -> str:
    """What to call a window in an error, such as `button "Save"`; `role` is given where its kind varies."""
    kind = kind_of(window)
    if role is None:
        role = own(kind, window).get("role", kind.role)
    return called(role, _spoken(window), native_class(window))


def _spoken(window: Any) -> str:
    if isinstance(window, wx.TopLevelWindow):
        return str(window.GetTitle())
    # Never the text of an edit: it may be long, or a password.
    if isinstance(window, wx.Control) and not isinstance(window, wx.TextEntry):
        return str(window.GetLabelText()) or str(window.GetName())
    return str(window.GetName())


def unreadable(fields: Fields, error: Exception) -> None:
    """Say in a node that not all of it could be read: programs have controls of classes of their own."""
    fields["properties"] = {**fields.get("properties", {}), "unreadable": f"{type(error).__name__}: {error}"}


def shorten(text: str) -> str:
    return text if len(text) <= TEXT_KEPT else text[:TEXT_KEPT] + "…"


# -- captions and buttons ----------------------------------------------------------------------


def _caption(window: Any, fields: Fields) -> None:
    text = window.GetLabelText()
    if text:
        fields["text"] = fields["name"] = text


def _toggle(window: Any, fields: Fields) -> None:
    _caption(window, fields)
    fields["checked"] = window.GetValue()


def _check_box(window: Any, fields: Fields) -> None:
    _caption(window, fields)
    if window.Is3State():
        state = window.Get3StateValue()
        fields["checked"] = state == wx.CHK_CHECKED
        if state == wx.CHK_UNDETERMINED:
            fields["mixed"] = True
    else:
        fields["checked"] = window.GetValue()


def _drawn_caption(window: Any, fields: Fields) -> None:
    # Not by GetLabelText, which not all of wx.lib have as it should be.
    if text := wx.Control.RemoveMnemonics(window.GetLabel()):
        fields["text"] = fields["name"] = text


def _drawn_toggle(window: Any, fields: Fields) -> None:
    _drawn_caption(window, fields)
    fields["checked"] = bool(window.GetToggle())


def _link(window: Any, fields: Fields) -> None:
    _caption(window, fields)
    fields["value"] = window.GetURL()


# -- text --------------------------------------------------------------------------------------


def _text(window: Any, fields: Fields) -> None:
    style = window.GetWindowStyleFlag()
    # What it shows: those of wx.lib for numbers give a number.
    text = wx.TextCtrl.GetValue(window)
    if style & wx.TE_PASSWORD:
        # From here on no code has the password.
        text = MASK if text else ""
        fields["password"] = True
    if style & wx.TE_MULTILINE:
        fields["role"] = "editable-text"
        fields["actions"] = ("set-value", "focus", "scroll")
    _entry(window, fields, text)


def _entry(window: Any, fields: Fields, text: str) -> None:
    fields["value"] = text if len(text) <= TEXT_KEPT else shorten(text)
    hint = window.GetHint()
    if hint:
        fields["placeholder"] = hint
    if window.IsEditable():
        fields["editable"] = True
    else:
        fields["text"] = fields["value"]
        fields["actions"] = ("focus",)


def _search(window: Any, fields: Fields) -> None:
    _entry(window, fields, window.GetValue())
    if not fields.get("placeholder") and (hint := window.GetDescriptiveText()):
        fields["placeholder"] = hint


def _styled(window: Any, fields: Fields) -> None:
    length = window.GetTextLength()
    fields["value"] = shorten(
        window.GetText() if length <= TEXT_KEPT else window.GetTextRange(0, TEXT_KEPT + 1)
    )
    if not window.GetReadOnly():
        fields["editable"] = True


def _rich(window: Any, fields: Fields) -> None:
    fields["value"] = shorten(window.GetValue())
    if window.IsEditable():
        fields["editable"] = True


def _html(window: Any, fields: Fields) -> None:
    text = window.ToText()
    if text:
        fields["text"] = shorten(text)
    if title := window.GetOpenedPageTitle():
        fields["name"] = title


# -- choices -----------------------------------------------------------------------------------


def _choice(window: Any, fields: Fields) -> None:
    at = window.GetSelection()
    texts = window.GetStrings()
    fields["value"] = texts[at] if 0 <= at < len(texts) else ""
    _options(window, fields, texts, at)


def _combo(window: Any, fields: Fields) -> None:
    _options(window, fields, window.GetStrings(), window.GetSelection())
    fields["value"] = window.GetValue()
    _editable(window, fields)


def _combo_ctrl(window: Any, fields: Fields) -> None:
    fields["value"] = window.GetValue()
    _editable(window, fields)


def _editable(window: Any, fields: Fields) -> None:
    if not window.GetWindowStyleFlag() & wx.CB_READONLY:
        fields["editable"] = True
        fields["actions"] = ("press", "select", "expand", "set-value", "focus")


def _options(window: Any, fields: Fields, texts: list[str], at: int) -> None:
    data = window.HasClientData()
    fields["options"] = tuple(
        Option(index, text, worth(window.GetClientData(index)) if data else None, index == at)
        for index, text in enumerate(texts[:OPTIONS_KEPT])
    )
    if len(texts) > OPTIONS_KEPT:
        fields["options_count"] = len(texts)


# -- numbers and dates -------------------------------------------------------------------------


def _range(window: Any, fields: Fields) -> None:
    value = window.GetValue()
    fields["value"] = f"{value:g}" if isinstance(value, float) else str(value)
    fields["number"] = float(value)
    fields["minimum"], fields["maximum"] = float(window.GetMin()), float(window.GetMax())
    fields["editable"] = True


def _spin_double(window: Any, fields: Fields) -> None:
    _range(window, fields)
    fields["value"] = f"{window.GetValue():.{window.GetDigits()}f}"


def _float_spin(window: Any, fields: Fields) -> None:
    fields["value"] = window.GetTextCtrl().GetValue()
    fields["number"] = float(window.GetValue())
    limits = (("minimum", window.GetMin()), ("maximum", window.GetMax()))
    fields.update((name, float(limit)) for name, limit in limits if limit is not None)
    fields["editable"] = True


def _knob(window: Any, fields: Fields) -> None:
    fields["value"] = str(window.GetValue())
    fields["number"] = float(window.GetValue())


def _gauge(window: Any, fields: Fields) -> None:
    value = window.GetValue()
    if isinstance(value, (list, tuple)):
        value = value[0]  # that of wx.lib may have several
    fields["value"] = str(value)
    fields["number"], fields["minimum"], fields["maximum"] = float(value), 0.0, float(window.GetRange())


def _scroll_bar(window: Any, fields: Fields) -> None:
    position = window.GetThumbPosition()
    fields["value"] = str(position)
    fields["number"], fields["minimum"] = float(position), 0.0
    fields["maximum"] = float(max(0, window.GetRange() - window.GetThumbSize()))


def _date(window: Any, fields: Fields) -> None:
    value = window.GetValue() if hasattr(window, "GetValue") else window.GetDate()
    fields["value"] = value.FormatISODate() if value.IsValid() else ""
    fields["editable"] = True


def _time(window: Any, fields: Fields) -> None:
    hour, minute, second = window.GetTime()
    fields["value"] = f"{hour:02}:{minute:02}:{second:02}"
    fields["editable"] = True


# -- the rest ----------------------------------------------------------------------------------


def _picked_path(window: Any, fields: Fields) -> None:
    fields["value"] = window.GetPath()
    fields["editable"] = True


def _picked_colour(window: Any, fields: Fields) -> None:
    fields["value"] = window.GetColour().GetAsString(wx.C2S_HTML_SYNTAX)
    fields["editable"] = True


def _picked_font(window: Any, fields: Fields) -> None:
    font = window.GetSelectedFont()
    fields["value"] = font.GetNativeFontInfoUserDesc() if font.IsOk() else ""
    fields["editable"] = True


def _pane(window: Any, fields: Fields) -> None:
    _caption(window, fields)
    if "name" not in fields and gtk is not None and (label := gtk.expander_label(widget_of(window))):
        fields["text"] = fields["name"] = label
    fields["expanded"] = window.IsExpanded()


def _title(window: Any, fields: Fields) -> None:
    if text := window.GetTitle():
        fields["name"] = text


def _status(window: Any, fields: Fields) -> None:
    texts = [window.GetStatusText(at) for at in range(window.GetFieldsCount())]
    # After the help of a menu, wx restores an empty field with a character that is none.
    if text := " ".join(text for text in texts if text.strip("\0")):
        fields["text"] = text


def _check_list(window: Any, fields: Fields) -> None:
    if texts := [window.GetString(at) for at in window.GetCheckedItems()]:
        fields["value"] = ", ".join(texts)


def _page(window: Any, fields: Fields) -> None:
    at = window.GetSelection()
    if at != wx.NOT_FOUND:
        fields["value"] = window.GetPageText(at)


_PRESS = ("press", "focus")
_EDIT = ("set-value", "focus")
_STEP = ("set-value", "increment", "decrement", "focus")
_CHOOSE = ("press", "select", "expand", "focus")
_VIEW = ("select", "scroll", "focus")


# fmt: off
def _of_the_library() -> dict[str, Kind]:
    """What wx.lib and wx.lib.agw draw in Python."""
    button = Kind("button", _drawn_caption, _PRESS, leaf=True)
    book = Kind("tab-list", _page, ("select",), parts="flat-tabs")
    return {
        "GenButton": button,
        "GradientButton": button,
        "AquaButton": button,
        "PlateButton": button,
        "SButton": button,
        "__ToggleMixin": Kind("toggle-button", _drawn_toggle, ("press", "toggle", "focus"), leaf=True),
        "GenCheckBox": Kind("checkbox", _toggle, ("press", "toggle", "focus"), leaf=True),
        "GenStaticText": Kind("text", _caption, leaf=True, label=True),
        "GenStaticBitmap": Kind("image", leaf=True),
        "HyperLinkCtrl": Kind("link", _link, leaf=True),
        "FloatSpin": Kind("spin-button", _float_spin, _STEP, field=True, whole=True),
        "KnobCtrl": Kind("slider", _knob, field=True, leaf=True),
        "PyGauge": Kind("progress-indicator", _gauge, field=True, leaf=True),
        "FlatNotebook": book,
        "FlatBookBase": book,
        "CustomTreeCtrl": Kind("tree", actions=_VIEW, parts="drawn-tree", field=True, leaf=True),
        "UltimateListCtrl": Kind("table", actions=_VIEW, parts="drawn-report", field=True, leaf=True),
    }


def _make() -> dict[str, Kind]:
    label = (wx.Window.GetLabel,)
    button = Kind("button", _caption, _PRESS, leaf=True, getters=label)
    toggle = Kind("toggle-button", _toggle, ("press", "toggle", "focus"), leaf=True)
    scrolled = Kind("scroll-area", actions=("scroll",))
    book = Kind("tab-list", _page, ("select",), parts="tabs")
    other_book = Kind("group", _page, ("select",), parts="pages")
    view = Kind("table", actions=_VIEW, parts="data", field=True, leaf=True)
    date = Kind("date-picker", _date, _STEP, field=True, whole=True)
    path = Kind("group", _picked_path, ("set-value",), field=True)
    return {
        **_of_the_library(),
        "Window": Kind("generic"),
        "Control": Kind("generic"),
        "Panel": Kind("generic"),
        "ScrolledCanvas": scrolled,
        "ScrolledWindow": scrolled,
        "ScrolledPanel": scrolled,
        "ScrollHelper": scrolled,
        "TopLevelWindow": Kind("window", _title),
        "Frame": Kind("window", _title),
        "Dialog": Kind("dialog", _title),
        "MDIChildFrame": Kind("window", _title),
        "AuiMDIChildFrame": Kind("window", _title),
        "PopupWindow": Kind("popover"),
        "AnyButton": button,
        "Button": button,
        "ToggleButton": toggle,
        "CheckBox": Kind("checkbox", _check_box, ("press", "toggle", "focus"), leaf=True,
                         getters=(*label, wx.CheckBox.GetValue)),
        "RadioButton": Kind("radio", _toggle, ("press", "select", "focus"), leaf=True,
                            getters=(*label, wx.RadioButton.GetValue)),
        "RadioBox": Kind("radio-group", _caption, ("select", "focus"), parts="radios", leaf=True),
        "TextCtrl": Kind("textfield", _text, _EDIT, field=True, leaf=True,
                         getters=(wx.TextCtrl.GetValue, wx.TextCtrl.GetHint, wx.TextCtrl.IsEditable)),
        "SearchCtrl": Kind("search-input", _search, _EDIT, field=True, leaf=True),
        "StyledTextCtrl": Kind("editable-text", _styled, (*_EDIT, "scroll"), field=True, leaf=True),
        "RichTextCtrl": Kind("editable-text", _rich, (*_EDIT, "scroll"), field=True, leaf=True),
        "HtmlWindow": Kind("document", _html, ("scroll", "focus"), leaf=True),
        "Choice": Kind("combo-box", _choice, _CHOOSE, field=True, leaf=True),
        "ComboBox": Kind("combo-box", _combo, _CHOOSE, field=True, leaf=True),
        "ComboCtrl": Kind("combo-box", _combo_ctrl, _CHOOSE, field=True, whole=True),
        "OwnerDrawnComboBox": Kind("combo-box", _combo, _CHOOSE, field=True, whole=True),
        "BitmapComboBox": Kind("combo-box", _combo, _CHOOSE, field=True, leaf=True),
        "SpinCtrl": Kind("spin-button", _range, _STEP, field=True, leaf=True),
        "SpinCtrlDouble": Kind("spin-button", _spin_double, _STEP, field=True, leaf=True),
        "SpinButton": Kind("spin-button", _range, _STEP, field=True, leaf=True),
        "Slider": Kind("slider", _range, _STEP, field=True, leaf=True),
        "ScrollBar": Kind("scroll-bar", _scroll_bar, _STEP[:3], leaf=True),
        "Gauge": Kind("progress-indicator", _gauge, field=True, leaf=True),
        "ActivityIndicator": Kind("progress-indicator", field=True, leaf=True),
        "DatePickerCtrl": date,
        "GenericDatePickerCtrl": date,
        "CalendarCtrl": date,
        "GenericCalendarCtrl": date,
        "TimePickerCtrl": Kind("input-time", _time, _STEP, field=True, whole=True),
        "ListBox": Kind("list", actions=_VIEW, parts="list", field=True, leaf=True),
        "CheckListBox": Kind("list", _check_list, actions=_VIEW, parts="list", field=True, leaf=True),
        "VListBox": Kind("list", actions=_VIEW, parts="drawn-list", field=True, leaf=True),
        "ListCtrl": Kind("table", actions=_VIEW, parts="report", field=True, leaf=True),
        "TreeCtrl": Kind("tree", actions=_VIEW, parts="tree", field=True, leaf=True),
        "DataViewCtrl": view,
        "TreeListCtrl": Kind("generic"),
        "Grid": Kind("table", actions=_VIEW, parts="grid", field=True, leaf=True),
        "PropertyGrid": Kind("tree-grid", actions=_VIEW, parts="properties", field=True, leaf=True),
        "Notebook": book,
        "AuiNotebook": Kind("tab-list", _page, ("select",), parts="aui-tabs"),
        "BookCtrlBase": other_book,
        "Simplebook": other_book,
        "StaticText": Kind("text", _caption, leaf=True, label=True, getters=label),
        "StaticBox": Kind("group", _caption),
        "StaticLine": Kind("separator", leaf=True),
        "StaticBitmap": Kind("image", leaf=True),
        "GenericStaticBitmap": Kind("image", leaf=True),
        "AnimationCtrl": Kind("image", leaf=True),
        "HyperlinkCtrl": Kind("link", _link, _PRESS, leaf=True),
        "CollapsiblePane": Kind("group", _pane, ("press", "expand", "focus")),
        "FilePickerCtrl": path,
        "DirPickerCtrl": path,
        "ColourPickerCtrl": Kind("color-well", _picked_colour, ("set-value", "press"), field=True,
                                 whole=True),
        "FontPickerCtrl": Kind("button", _picked_font, ("set-value", "press"), field=True, whole=True),
        "ToolBar": Kind("toolbar", parts="tools"),
        "AuiToolBar": Kind("toolbar", parts="aui-tools"),
        "StatusBar": Kind("status", _status),
        "MenuBar": Kind("menu-bar", actions=("select",), parts="menus", leaf=True),
        "SplitterWindow": Kind("group"),
        "InfoBar": Kind("alert"),
        "GLCanvas": Kind("canvas", actions=("focus",)),
        "MediaCtrl": Kind("video", actions=("focus",), leaf=True),
        "WebView": Kind("web-area", actions=("focus",), leaf=True),
    }


KINDS = _make()
"""By the name of the class in wx."""

_SPECIAL = {
    "textfield": Kind("textfield", _text, _EDIT, field=True, leaf=True),
    "checkbox": Kind("checkbox", _check_box, ("press", "toggle", "focus"), leaf=True),
}
"""For passwords and boxes with three states, by the role."""
_BY_NATIVE = {
    "wxGtkCalendarCtrl": Kind("date-picker", whole=True, leaf=True),
    "wxCollapsibleHeaderCtrl": Kind("button", _caption, _PRESS, leaf=True),
    "wxSashWindow": Kind("group"),
    "wxMDIClientWindow": Kind("group"),
}
"""Of classes that Python has no name for; to it they are of one above."""
# fmt: on
_by_type: dict[type, Kind] = {}


_OTHER_NAMES = """
    animation animationctrl activityindicator auinotebook auitoolbar bannerwindow bitmapComboBox bitmapbutton
    bitmapcombobox CalendarCtrl choicebook clientWindow collapsiblePanePane commandlinkbutton dataviewCtrl
    dataviewctrl datectrl editableListBox GLCanvas grid GridWindow headerctrl htmlListBox htmlWindow hyperlink
    infobar infoBar layoutWindow layoutwindow listbook media menubar menuBar odcombobox popup propertyGrid
    propertygrid propertygridmanager richText sashWindow scrolledPanel scrolledpanel scrolledWindow simplebook
    spinButton spinCtrl splitter splitterWindow staticbitmap stcwindow tab timectrl toolbook treebook
    treelistctrl webView wizard wxAuiNotebook wxAuiTabCtrl wxCollapsiblePanePane wxMDIClientWindow
    wxPropertyGrid wxPropertyGridManager wxSpinButton wxSpinCtrl wxSpinCtrlDouble wxTreeListCtrl wxTreelist
    wxWizard wxlistctrlcolumntitles
    AnalogClock AuiMDIChildFrame AuiMDIParentFrame AuiNotebook AuiTabCtrl ColourSelect CustomTreeCtrl
    FlatBookBase FlatImageBook FlatNotebook FloatSpin FourWaySplitter GenCheckBox HyperTreeList ImageContainer
    ImageContainerBase InfoBar IpAddrCtrl LabelBook LabelContainer MaskedEdit MultiColumnListCtrl PieCtrl
    PyCollapsiblePane RibbonBar RibbonControl RibbonGallery RibbonPanel RibbonToolBar ShapeCanvas
    UltimateListCtrl UltimateListCtrlcolumntitles ZoomBar aquabutton buttonPanel dirBrowseButton expando
    fileBrowseButton genbutton genstatbmp genstattext gradientbutton integer ledctrl listctrlmainwindow
    maskedComboBox maskedTextCtrl multiSplitter multidirdialog plotCanvas styledtextctrl throbber
    treelistctrl wxtreelistctrlcolumntitles wxtreelistmainwindow
"""


def _default_names() -> frozenset[str]:
    """The names that windows have of whom the program gave none."""
    found = {
        name.decode() if isinstance(name, bytes) else name
        for name in (getattr(wx, key) for key in dir(wx) if key.endswith("NameStr"))
    }
    return frozenset(("", *found, *_OTHER_NAMES.split()))


DEFAULT_NAMES = _default_names()
