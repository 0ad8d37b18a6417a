"""The roles of the types that GIP servers report: Qt, the web, WPF and Flet, as far as their names tell."""

from __future__ import annotations

_KINDS: dict[str, str] = {
    "button": "pushbutton toolbutton commandlinkbutton elevatedbutton textbutton outlinedbutton filledbutton "
    "filledtonalbutton iconbutton floatingactionbutton cupertinobutton repeatbutton submit",
    "checkbox": "cupertinocheckbox",
    "radio": "radiobutton cupertinoradio",
    "switch": "cupertinoswitch toggleswitch",
    "toggle-button": "togglebutton",
    "textfield": "lineedit textbox input passwordbox cupertinotextfield textinput maskedtextbox",
    "editable-text": "textedit plaintextedit textarea richtextbox textbrowser",
    "search-input": "searchbar searchbox",
    "combo-box": "combobox dropdown select dropdownm2 fontcombobox",
    "spin-button": "spinbox doublespinbox numericupdown",
    "date-picker": "datetimeedit dateedit timeedit datepicker timepicker calendarwidget calendar",
    "slider": "dial cupertinoslider rangeslider",
    "progress-indicator": "progressbar progressring progress",
    "scroll-bar": "scrollbar",
    "text": "label textblock span p lcdnumber em b i strong small",
    "heading": "h1 h2 h3 h4 h5 h6",
    "link": "a hyperlink",
    "image": "img icon picture svg",
    "group": "groupbox fieldset card expander",
    "tab-list": "tabbar tabs tabcontrol",
    "tab-panel": "tabwidget",
    "tab": "tabitem",
    "list": "listview listwidget listbox ul ol",
    "list-item": "listtile listboxitem listviewitem li",
    "table": "tableview tablewidget datagrid datatable",
    "row": "tr datarow datagridrow",
    "cell": "td datacell datagridcell",
    "column-header": "th headerview",
    "tree": "treeview treewidget",
    "tree-item": "treeviewitem",
    "menu-bar": "menubar",
    "menu": "contextmenu popupmenubutton",
    "menu-item": "menuitem action menuitembutton popupmenuitem",
    "toolbar": "appbar toolbartray nav",
    "status": "statusbar",
    "scroll-area": "scrollarea abstractscrollarea scrollviewer",
    "splitter": "gridsplitter",
    "separator": "divider verticaldivider hr",
    "tooltip": "",
    "dialog": "messagebox filedialog colordialog fontdialog inputdialog progressdialog errormessage "
    "alertdialog cupertinoalertdialog bottomsheet wizard modal",
    "window": "mainwindow page html mdisubwindow",
    "form": "",
    "generic": "widget frame stackedwidget container column stack grid div section body canvas dockpanel "
    "stackpanel wrappanel border responsiverow safearea view",
}
_ROLES = {name: role for role, names in _KINDS.items() for name in (role.replace("-", ""), *names.split())}
_ROLES["row"] = "generic"  # Flet's and WPF's layout, far more often than a table's

EDITABLE = frozenset(("textfield", "editable-text", "search-input", "spin-button", "date-picker"))
FOCUSABLE = EDITABLE | {
    "button", "checkbox", "radio", "switch", "toggle-button", "combo-box", "slider", "link", "list", "table",
    "tree", "tab-list", "tab", "menu-item",
}  # fmt: skip
ACTIONS: dict[str, tuple[str, ...]] = {
    "button": ("press",), "link": ("press",), "menu-item": ("press",), "tab": ("press", "select"),
    "list-item": ("press",), "tree-item": ("press",), "checkbox": ("press", "toggle"),
    "switch": ("press", "toggle"), "toggle-button": ("press", "toggle"), "radio": ("press", "select"),
    "combo-box": ("press", "select"), "list": ("select",), "tab-list": ("select",),
    **dict.fromkeys(EDITABLE, ("set-value",)),
}  # fmt: skip
WINDOWS = frozenset(("dialog", "window"))


def role_of(kind: str, properties: dict[str, object]) -> str:
    """The role of a type; `unknown` if its name says nothing."""
    bare = kind.rsplit(".", 1)[-1].rsplit("::", 1)[-1]
    if bare[:1] == "Q" and bare[1:2].isupper():
        bare = bare[1:]
    bare = bare.lower()
    if bare == "input":
        return _INPUTS.get(str(properties.get("type", "text")).lower(), "textfield")
    role = _ROLES.get(bare)
    if role is None:
        # A subclass mostly keeps the end of its parent's name: SaveButton, ui_MainWindow, MyLineEdit.
        role = next((_ROLES[name] for name in _BY_LENGTH if len(name) > 3 and bare.endswith(name)), "unknown")
    if role == "unknown" and "checked" in properties:
        return "checkbox"
    return role


_BY_LENGTH = sorted(_ROLES, key=len, reverse=True)
_INPUTS = {
    "button": "button", "submit": "button", "reset": "button", "image": "button", "checkbox": "checkbox",
    "radio": "radio", "range": "slider", "number": "spin-button", "date": "date-picker", "time": "input-time",
    "color": "color-well", "search": "search-input",
}  # fmt: skip
