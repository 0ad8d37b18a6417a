"""How file dialogs of all toolkits are recognised in a tree. Only reads trees: the client operates them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .node import Node
from .record import dataclass
from .tree import Tree

_CLASSES = frozenset(
    ("QFileDialog", "GtkFileChooserDialog", "GtkFileChooserWidget", "FileChooser", "TkFDialog", "TkChooseDir")
)
"""What the toolkits call a file dialog, or the part of it that has the files."""
_SHOWS_FIRST = "TkChooseDir"
_ROLE = "file chooser"
"""What it is called on the accessibility bus."""
_FIELDS = frozenset(("textfield", "editable-text", "combo-box"))
_NAMED = re.compile(r"(file ?name|selection|name|location|directory|folder|file)\b", re.IGNORECASE)
"""How the field for a file is called that is part of a dialog which does not say what it is."""
_FILES = frozenset(("table", "tree", "list", "list-box", "tree-grid", "list-grid", "grid"))
_ACCEPT = re.compile(r"(open|save|ok|select|choose|accept|import|export|attach)\b.*", re.IGNORECASE)
_REFUSE = re.compile(r"(cancel|no\b|close)", re.IGNORECASE)
_AGREE = re.compile(r"(yes|replace|overwrite|keep|save|ok\b)", re.IGNORECASE)
_QT_FIELD = "fileNameEdit"


@dataclass(frozen=True)
class Dialog:
    """A file dialog that is open."""

    window: str
    """The uid of its window."""
    title: str
    field: Node | None
    """Where a path can be typed; None if it has to be shown first, as in GTK."""
    accept: Node | None
    """The button that opens or saves, disabled while the dialog does not accept what was typed."""
    focused: bool
    shows_first: bool = False
    """Whether accepting another folder only shows it, as in Tk."""


def find(tree: Tree) -> Dialog | None:
    """The file dialog that is open; of several, the one with the focus."""
    found: dict[str, Dialog] = {}
    for node in tree.nodes:
        if node.visible and _is_chooser(node):
            window = tree.window_of(node)
            found.setdefault(window.uid, _dialog(tree, window))
    if not found:
        for window in tree.roots:
            if window.visible and (window.modal or window.role == "dialog") and _looks_like_one(tree, window):
                found[window.uid] = _dialog(tree, window)
    dialogs = list(found.values())
    return next((dialog for dialog in dialogs if dialog.focused), dialogs[-1] if dialogs else None)


def question(tree: Tree, known: frozenset[str], dialog: Dialog) -> tuple[Node, str, Node | None] | None:
    """A window that opened since over the dialog, what it says, and its button that agrees."""
    for window in reversed(tree.roots):
        if window.uid in known or window.uid == dialog.window or not window.visible:
            continue
        inside = [node for node in tree.descendants(window) if node.visible]
        buttons = {node.uid: node for node in inside if node.role == "button"}
        says = [
            node.text or node.name or ""
            for node in inside
            if node.role in ("text", "label-text") and node.parent not in buttons
        ]
        names = {node.uid: node.name or "" for node in buttons.values()}
        agree = [node for uid, node in buttons.items() if _AGREE.match(names[uid])]
        asks = any(
            _REFUSE.match(name) for name in names.values()
        )  # with one button only, it reports an error
        shown = " ".join(" ".join(dict.fromkeys(filter(None, says))).split())
        shown = shown or (window.name or "").strip()
        if shown and buttons:  # otherwise it is being filled in, as those of Tk are after they are shown
            return window, shown, agree[0] if agree and asks else None
    return None


def texts(tree: Tree, dialog: Dialog) -> str:
    """What the dialog itself says is wrong, if it does."""
    window = tree.get(dialog.window)
    if window is None:
        return ""
    wrong = (node for node in tree.descendants(window) if node.visible and node.role in ("alert", "status"))
    return " ".join(" ".join(filter(None, (node.name or node.text for node in wrong))).split())


def _is_chooser(node: Node) -> bool:
    return node.native_class.rpartition(".")[2] in _CLASSES or node.platform_role == _ROLE


def _looks_like_one(tree: Tree, window: Node) -> bool:
    """Whether a dialog has what a file dialog has: files, a field for a name, and a way out."""
    inside = [node for node in tree.descendants(window) if node.visible]
    return (
        any(node.role in _FILES for node in inside)
        and any(node.role == "button" and _REFUSE.match(node.name or "") for node in inside)
        and any(_is_field(node) and _NAMED.match(node.name or "") for node in inside)
    )


def _dialog(tree: Tree, window: Node) -> Dialog:
    listed = tree.window(window.uid)
    focused = (listed is not None and listed.focused) or window.focused
    return Dialog(
        window.uid,
        window.name or "",
        _field(tree, window),
        _accept(tree, window),
        focused,
        window.native_class == _SHOWS_FIRST,
    )


def _accept(tree: Tree, window: Node) -> Node | None:
    """The button that accepts: by its name, else the one next to the button that cancels."""
    buttons = [
        node for node in tree.descendants(window) if node.visible and node.role == "button" and node.name
    ]
    if named := [node for node in buttons if _ACCEPT.fullmatch(node.name or "")]:
        return named[-1]
    ways_out = {node.parent for node in buttons if _REFUSE.match(node.name or "")}
    others = [node for node in buttons if node.parent in ways_out and not _REFUSE.match(node.name or "")]
    return others[-1] if others else None


def _field(tree: Tree, window: Node) -> Node | None:
    fields = list(_fields(tree, window))
    for wanted in (
        lambda node: node.automation_id == _QT_FIELD or node.object_name == _QT_FIELD,
        lambda node: bool(_NAMED.match(node.name or "")),
        lambda node: node.focused,
        lambda node: node.role != "combo-box",
    ):
        if found := [node for node in fields if wanted(node)]:
            return found[0]
    return None


def _fields(tree: Tree, window: Node) -> Iterator[Node]:
    return (
        node for node in tree.descendants(window) if node.visible and not node.offscreen and _is_field(node)
    )


def _is_field(node: Node) -> bool:
    return node.role in _FIELDS and node.editable
