"""The roles of the classes that servers of the Orca protocol report: wx's, ImGui's types, other toolkits'."""

from __future__ import annotations

from .gip_roles import role_of as role_of_type

_WX: dict[str, str] = {
    "button": "bitmapbutton commandlinkbutton gradientbutton genbutton toolbartool auitoolbaritem "
    "collapsibleheaderctrl",
    "toggle-button": "bitmaptogglebutton",
    "checkbox": "",
    "radio": "radiobutton radioboxbutton",
    "radio-group": "radiobox",
    "combo-box": "choice combobox bitmapcombobox ownerdrawncombobox comboctrl odcombobox",
    "textfield": "textctrl maskedtextctrl",
    "editable-text": "styledtextctrl richtextctrl",
    "search-input": "searchctrl",
    "spin-button": "spinctrl spinctrldouble floatspin",
    "date-picker": "datepickerctrl genericdatepickerctrl calendarctrl genericcalendarctrl gtkcalendarctrl",
    "input-time": "timepickerctrl timectrl",
    "color-well": "colourpickerctrl colourbutton",
    "slider": "",
    "progress-indicator": "gauge activityindicator",
    "scroll-bar": "scrollbar",
    "text": "statictext genstatictext",
    "image": "staticbitmap genericstaticbitmap",
    "separator": "staticline toolbarseparator",
    "group": "staticbox collapsiblepane filepickerctrl dirpickerctrl fontpickerctrl editablelistbox "
    "sashwindow mdiclientwindow",
    "list": "listbox checklistbox rearrangelist listview htmllistbox vlistbox simplehtmllistbox",
    "table": "listctrl grid dataviewctrl dataviewlistctrl gridwindow",
    "list-item": "listboxitem",
    "row": "gridrow dataviewitem",
    "cell": "gridcell dataviewcell",
    "column-header": "gridcolumnlabel listcolumn",
    "tree-item": "",
    "tree": "treectrl generictreectrl dataviewtreectrl customtreectrl",
    "tree-grid": "treelistctrl propertygrid propertygridmanager",
    "tab-list": "auitabctrl notebook auinotebook listbook choicebook treebook toolbook simplebook "
    "flatnotebook bookctrlbase",
    "tab": "notebooktab",
    "toolbar": "auitoolbar ribbonbar",
    "menu-bar": "",
    "menu-item": "menu",
    "status": "statusbar statusbargeneric",
    "splitter": "splitterwindow multisplitterwindow",
    "scroll-area": "scrolledwindow scrolledcanvas scrolled scrolledpanel",
    "canvas": "glcanvas glcanvas3d",
    "link": "hyperlinkctrl generichyperlinkctrl",
    "document": "htmlwindow",
    "web-area": "webview",
    "alert": "infobar",
    "popover": "popupwindow popuptransientwindow",
    "tooltip": "tipwindow",
    "window": "frame mainframe miniframe toplevelwindow mdiparentframe auimdiparentframe",
    "dialog": "messagedialog genericmessagedialog filedialog dirdialog progressdialog "
    "genericprogressdialog textentrydialog singlechoicedialog propertysheetdialog wizard richmessagedialog",
    "generic": "window panel control simplepanel navigationenabled",
}
_IMGUI: dict[str, str] = {
    "button": "smallbutton imagebutton invisiblebutton arrowbutton colorbutton",
    "checkbox": "checkboxflags",
    "radio": "radiobutton",
    "combo-box": "combo",
    "slider": "vslider",
    "textfield": "input inputtext",
    "editable-text": "inputtextmultiline",
    "spin-button": "drag inputint inputfloat",
    "color-well": "color coloredit colorpicker",
    "list-box": "",
    "list-item": "selectable",
    "menu-item": "menu",
    "tab": "tabitem tabitembutton",
    "tab-list": "tabbar",
    "tree-item": "treenode treenodeex",
    "disclosure-triangle": "collapsingheader",
    "progress-indicator": "progressbar progress",
    "link": "textlink",
    "text": "bullettext labeltext",
    "image": "plot",
    "table": "",
    "menu-bar": "",
    "group": "window child childwindow popup",
}
_OTHERS: dict[str, str] = {
    "textfield": "entry passwordfield",
    "editable-text": "textview textpane editorpane",
    "checkbox": "checkbutton",
    "combo-box": "choicebox",
    "spin-button": "spinner",
    "group": "titledpane filler viewport",
    "tab-list": "tabpane notebook qtabwidget",
    "tab": "pagetab",
    "menu-item-checkbox": "checkmenuitem",
    "menu-item-radio": "radiomenuitem",
    "separator": "separatormenuitem",
    "scroll-area": "scrollpane",
    "row": "tablerow",
    "list-item": "listcell",
    "tree-item": "treecell",
    "column-header": "tablecolumn qheadersection",
    "dialog": "dialogpane",
    "window": "stage applicationwindow",
    "generic": "pane borderpane gridpane hbox vbox flowpane anchorpane tilepane region "
    "qquickcolumnlayout qquickrowlayout qquickgridlayout qquickitem",
}
_ATSPI: dict[str, str] = {
    "window": "frame",
    "group": "panel",
    "textfield": "text passwordtext",
    "tree-grid": "treetable",
    "list-box": "",
}
_PREFIXES = (
    ("btn_", "button"),
    ("combo_", "combo-box"),
    ("tab_", "tab"),
    ("canvas_", "canvas"),
    ("dlg_", "dialog"),
)
"""What the protocol's own ids begin with; a widget that draws itself often has no class that would tell."""


def _by_name(kinds: dict[str, str]) -> dict[str, str]:
    return {name: role for role, names in kinds.items() for name in (role.replace("-", ""), *names.split())}


_OTHER = _by_name(_OTHERS)
_TABLES = {
    "wx": _by_name(_WX),
    "imgui": _by_name(_IMGUI),
    "atspi": {**_OTHER, **_by_name(_ATSPI)},
}
_PARTS = {
    "list": "list-item", "list-box": "list-item", "tree": "tree-item", "tree-item": "tree-item",
    "table": "row", "tree-grid": "row", "grid": "row", "row": "cell",
}  # fmt: skip
"""What the parts of a view are, where their class says no more than that they are parts."""


def role_of(backend: str, kind: str, id: str) -> str:
    """The role of a class or item type; `unknown` if neither its name nor the id tells."""
    bare = kind.rsplit(".", 1)[-1].lower()
    plain = "".join(letter for letter in bare if letter not in "_- ")
    if backend == "wx":
        plain = plain.removeprefix("sip").removeprefix("wx")
    known = _TABLES.get(backend, _OTHER)
    role = known.get(plain) or known.get(plain.removeprefix("gtk"))
    if role is None:
        role = role_of_type(kind, {})
    if role in ("unknown", "generic"):
        return next((known_role for prefix, known_role in _PREFIXES if id.startswith(prefix)), role)
    return role


def role_in_context(role: str, above: str, label: str, value: str | None) -> str:
    """A role that a class alone does not tell, by what is around it and by what it holds."""
    if role == "unknown":
        return _PARTS.get(above, role)
    if role == "menu-item" and value in ("true", "false"):
        return "menu-item-checkbox"
    if role == "menu-item" and not label:
        return "separator"
    return role
