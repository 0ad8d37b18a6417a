"""Alerts: the modal message box that is open, whichever toolkit made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model.node import Node, Window
from ...model.order import shown_text
from ...model.tree import Tree

_TEXTS = frozenset(("text", "label-text", "heading", "paragraph", "caption", "status"))
_BUTTONS = frozenset(("button", "toggle-button", "split-button"))
_FIELDS = frozenset(("textfield", "editable-text", "search-input", "spin-button", "combo-box"))
_DIALOGS = frozenset(("dialog", "sheet", "systemDialog"))
_ACCEPT = (
    "ok", "yes", "accept", "continue", "proceed", "save", "open", "apply", "done", "allow", "agree", "retry",
    "delete", "discard", "close",
)  # fmt: skip
_DISMISS = ("cancel", "no", "dismiss", "abort", "reject", "deny", "later", "not now", "close")


def open_alert(windows: Sequence[Window]) -> Window | None:
    """The alert among an app's windows, the last opened one if there are several; None if none is open.

    Modal windows are alerts. A dialog that is not modal is one if no other window of its app is in front.
    """
    shown = [window for window in windows if window.showing and not window.minimized]
    modal = [window for window in shown if window.modal]
    others = [window for window in shown[1:] if window.kind in _DIALOGS and window.focused]
    for found in (modal, others):
        if found:
            return next((window for window in found if window.focused), found[-1])
    return None


def text_of(tree: Tree, window: Window) -> str:
    """What an alert says: its texts, one below the other; its title if it has none."""
    found = [
        text
        for node in tree.nodes
        if node.role in _TEXTS
        and node.visible
        and not _inside_control(tree, node)
        and (text := shown_text(node))
    ]
    return "\n".join(dict.fromkeys(found)) or window.title or ""


def field_of(tree: Tree) -> Node | None:
    """Where an alert takes a text; None if it takes none."""
    fields = [node for node in tree.nodes if node.role in _FIELDS and node.visible and node.editable]
    return next((node for node in fields if node.focused), fields[0] if fields else None)


def button_of(tree: Tree, *, accept: bool) -> Node | None:
    """The button that accepts or dismisses an alert; None if none is recognised."""
    buttons = [node for node in tree.nodes if node.role in _BUTTONS and node.visible and node.enabled]
    named = {_plain(node.name or node.text or ""): node for node in reversed(buttons)}
    names = _ACCEPT if accept else _DISMISS
    if (found := _first(named, names)) is not None:
        return named[found]
    others = [node for name, node in named.items() if name and name not in (_DISMISS if accept else _ACCEPT)]
    # With one button there is nothing to choose between.
    return buttons[0] if len(buttons) == 1 else others[0] if accept and len(others) == 1 else None


def _first(named: Iterable[str], names: Sequence[str]) -> str | None:
    known = list(named)
    for name in names:
        for candidate in known:
            if candidate == name or candidate.startswith(f"{name} "):
                return candidate
    return None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("&", "").strip(" .…!").casefold()


def _inside_control(tree: Tree, node: Node) -> bool:
    return any(above.role in _BUTTONS or above.role in _FIELDS for above in tree.ancestors(node))
