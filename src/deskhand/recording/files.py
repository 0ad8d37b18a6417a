"""File dialogs: what is done in one becomes a single answer, once it is closed.

The path is only taken if the file or folder is where the dialog must have meant it; else the steps are
recorded as they were done.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..model.dialogs import Dialog, find
from ..model.node import Node
from ..model.tree import Tree
from .steps import Step

_REFUSE = re.compile(r"(cancel|no\b|close)", re.IGNORECASE)
_OPEN = re.compile(r"(open|choose|select|import|export)\b", re.IGNORECASE)
_AGREE = re.compile(r"(yes|replace|overwrite|save|ok\b)", re.IGNORECASE)
_WRITTEN = 2.0
"""How long a program may take to write a file, in seconds."""
_POLL = 0.05


class FileDialogs:
    """Follows the file dialogs of an app."""

    def __init__(self, pid: int | None) -> None:
        """`pid` is its process, which says what it sees of the file system."""
        self._pid = pid
        self._open: Dialog | None = None
        self._before: Tree | None = None
        """The tree before the last gesture in it."""
        self._steps: list[Step] = []
        self._text: str | None = None

    def looks_at(self, before: Tree) -> bool:
        """Whether a gesture on this tree was in a file dialog, or in a question over one."""
        found = find(before)
        if found is not None:
            self._open = found
        return self._open is not None and self._open.window in before.by_uid

    def take(self, steps: list[Step], before: Tree) -> None:
        """Keep the steps of a gesture that was looked at, until it is seen what became of the dialog."""
        assert self._open is not None, "it is looked at first"
        self._steps += steps
        self._before = before
        if (text := self._named(steps, before)) is not None:
            self._text = text

    def closed(self, now: Tree, *, gone: bool) -> list[Step]:
        """The steps to record for a dialog that is closed now; none while it is open."""
        dialog, before = self._open, self._before
        window = None if dialog is None else now.get(dialog.window)
        if dialog is None or before is None or (window is not None and window.visible and not gone):
            return []
        kept, text = self._steps, self._text
        self._steps, self._open, self._before, self._text = [], None, None, None
        last = next((step for step in reversed(kept) if step.element is not None or step.arguments), None)
        if last is None or _refuses(last):
            return kept
        path = self._path(text, before, dialog) if text else None
        if path is None:
            return kept
        questions = {root.uid for root in before.roots if root.visible and root.uid != dialog.window}
        asked = (
            last.method == "click"
            and bool(_AGREE.match(_label(last) or ""))
            and _is_question(before, questions, last)
        )
        return [Step("choose_file", None, (path,), {"overwrite": True} if asked else {})]

    def rest(self) -> list[Step]:
        """What was done in a dialog that is still open."""
        kept, self._steps, self._open, self._before = self._steps, [], None, None
        return kept

    def _named(self, steps: list[Step], before: Tree) -> str | None:
        """The file that steps name, or that the dialog shows; None to go on with the one before."""
        for step in reversed(steps):
            value = step.arguments[0] if step.arguments else None
            if step.method in ("fill", "set_value", "select_option") and isinstance(value, str):
                return value
            if step.method in ("click", "dblclick") and (label := _label(step)) is not None:
                if _AGREE.match(label) or _REFUSE.match(label) or _OPEN.match(label):
                    continue
                return label
        assert self._open is not None, "it is looked at first"
        return None if self._text else self._shown(before, self._open)

    @staticmethod
    def _shown(tree: Tree, dialog: Dialog) -> str | None:
        """What the dialog has in its field, or else the file that is selected in it."""
        window = tree.get(dialog.window)
        if window is None:
            return None
        field = None if dialog.field is None else tree.get(dialog.field.uid)
        if field is not None and (text := field.value or field.text):
            return text
        chosen = [
            node.name or node.text
            for node in tree.descendants(window)
            if node.selected and node.visible and node.role in ("row", "cell", "list-item", "tree-item")
        ]
        return chosen[0] if chosen else None

    def _path(self, text: str, tree: Tree, dialog: Dialog) -> str | None:
        """The path of a file that exists in one of the folders that the dialog may have shown."""
        wanted = PurePosixPath(text)
        if text.startswith("~"):
            wanted = PurePosixPath(os.path.expanduser(text))  # noqa: PTH111 - a path that need not be here
        if wanted.is_absolute():
            return str(wanted)
        candidates = [
            str(PurePosixPath(folder, text)) for folder in dict.fromkeys(self._folders(tree, dialog))
        ]
        deadline = time.monotonic() + _WRITTEN
        while True:
            found = [path for path in candidates if self._exists(path)]
            if found or time.monotonic() > deadline:
                return found[0] if len(found) == 1 else None
            time.sleep(_POLL)  # nothing announces that another program has written a file

    def _folders(self, tree: Tree, dialog: Dialog) -> Iterator[str]:
        """The folders that a dialog names, and those that dialogs begin with."""
        window = tree.get(dialog.window)
        for node in tree.descendants(window) if window is not None else ():
            yield from (text for text in _texts(node) if text.startswith("/"))
        if self._pid is not None:
            with contextlib.suppress(OSError):  # it has ended
                yield str(Path(f"/proc/{self._pid}/cwd").readlink())
            yield from self._home()

    def _home(self) -> Iterator[str]:
        try:
            environ = Path(f"/proc/{self._pid}/environ").read_bytes()
        except OSError:
            return
        for entry in environ.split(b"\0"):
            if entry.startswith(b"HOME="):
                yield os.fsdecode(entry[5:])

    def _exists(self, path: str) -> bool:
        # A program on a private desktop has a /tmp of its own.
        root = "" if self._pid is None else f"/proc/{self._pid}/root"
        try:
            return Path(root + path).exists() or Path(path).exists()
        except OSError:
            return False


def _texts(node: Node) -> Iterator[str]:
    for text in (node.value, node.text, node.name):
        if text:
            yield text


def _label(step: Step) -> str | None:
    if step.element is None:
        return None
    if step.element.name is not None:
        return step.element.name
    found = re.search(r'\[name="([^"]*)"\]$', step.element.selector)
    return found[1] if found else None


def _refuses(step: Step) -> bool:
    if step.arguments[:1] == ("Escape",) or step.method == "control_window":
        return True
    return step.method == "click" and bool(_REFUSE.match(_label(step) or ""))


def _is_question(tree: Tree, windows: set[str], step: Step) -> bool:
    """Whether a step was in a window that opened over the dialog."""
    label = _label(step)
    return any(
        node.role == "button" and node.name == label and tree.window_of(node).uid in windows
        for node in tree.nodes
        if node.visible
    )
