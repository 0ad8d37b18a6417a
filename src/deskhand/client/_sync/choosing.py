# Generated from client/_async/choosing.py by scripts/generate_sync.py; edit that file instead.
"""Answers the file dialog that is open, as a person with a keyboard would: the path, then Enter."""

from __future__ import annotations

import time
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...model.dialogs import Dialog, find, question, texts
from ...model.errors import ActionFailed, AppGone, InvalidParams, NotFound, Stale, WaitTimeout
from ...model.node import Node
from ...model.operations import Done, Exit, Key, Press, ReadTree, SetValue, Wait, WaitChange, WaitIdle
from ...model.selector import by_uid
from ...model.tree import Tree

if TYPE_CHECKING:
    from .app import App

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

_SHOW_FIELD = "/"
"""What shows the field for a path in dialogs of GTK. (Ctrl+L does too, but a list of recent files stays.)"""
_SOON = 2.0
"""How long a dialog may take to look at a path, in seconds."""
_LEAST = 1.0
"""How long each step may take in any case, in seconds."""


def choose(app: App, path: str | PathLike[str], overwrite: bool, timeout: float) -> Done:
    """Give the dialog a path and accept it; return when the dialog is closed."""
    answer = _Answer(app, _absolute(path), timeout)
    dialog = answer.dialog()
    known = answer.windows
    done = answer.enter(dialog)
    if done.exit is None:
        try:
            if dialog.shows_first:
                answer.accept_again(dialog)
            answer.until_closed(dialog, known, overwrite)
        except AppGone:
            if app.returncode != 0:
                raise
            return Done(uid=dialog.window, exit=Exit(0))  # a program that only asks for a file
    return Done(uid=dialog.window, exit=done.exit)


class _Answer:
    def __init__(self, app: App, path: str, timeout: float) -> None:
        self._app = app
        self._path = path
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self.tree = Tree(())

    @property
    def windows(self) -> frozenset[str]:
        return frozenset(node.uid for node in self.tree.roots)

    def dialog(self) -> Dialog:
        """The dialog that is open, once it is."""
        self._read()
        while (dialog := find(self.tree)) is None:
            if not self._changed():
                titles = ", ".join(f"'{window.title}'" for window in self.tree.windows) or "none"
                raise NotFound(
                    f"no file dialog is open (waited {self._timeout:g} s); the windows are {titles}",
                    suggestions=(
                        "do first what opens the dialog: click the button, or choose the menu item",
                    ),
                )
        # A dialog of Tk is shown before it fills in what it proposes.
        self._app.run(WaitIdle(timeout=self._left))
        self._read()
        return find(self.tree) or dialog

    def enter(self, dialog: Dialog) -> Done:
        """Type the path where it belongs, and accept it."""
        field = dialog.field
        if field is None:
            self._app.run(Key(keys=_SHOW_FIELD, timeout=self._left))
            while field is None:
                dialog = find(self.tree) or dialog
                field = dialog.field
                if field is None and not self._changed():
                    raise ActionFailed(f"the file dialog '{dialog.title}' shows no field for a path")
        target = by_uid(field.uid)
        self._app.run(SetValue(target, value=self._path, timeout=self._left))
        while True:
            self._held(dialog, field)
            ready = dialog.accept is not None and self._enabled(dialog.accept)
            self._app.run(WaitIdle(timeout=self._left))
            self._read()
            if self._holds(field):
                break  # and not completed to another name, which happens when a folder has been read
        if dialog.accept is not None and ready:
            return self._app.run(Press(by_uid(dialog.accept.uid), timeout=self._left))
        return self._app.run(Key(target, keys="Enter", timeout=self._left))

    def _held(self, dialog: Dialog, field: Node) -> None:
        """Wait until the field has the path, and nothing else."""
        completed = ""
        while not self._holds(field):
            shown = self.tree.get(field.uid)
            seen = None if shown is None else shown.value or shown.text
            if shown and shown.focused and seen and seen.startswith(self._path) and seen != completed:
                # GTK completes it to the name of another file, with what was added selected.
                completed = seen
                self._app.run(Key(keys="Delete", timeout=self._left))
            if not self._changed():
                raise ActionFailed(
                    f"the file dialog '{dialog.title}' did not take the path; its field holds {seen!r}",
                    target=self._path,
                )

    def _enabled(self, button: Node) -> bool:
        """Whether the dialog has looked at the path and accepts it. Before that it may also ignore Enter."""
        try:
            self._app.run(Wait(by_uid(button.uid), state="enabled", timeout=min(_SOON, self._left)))
        except WaitTimeout:
            return False
        return True

    def accept_again(self, dialog: Dialog) -> None:
        """Accept the folder that is shown now, unless it was shown before and the dialog is closed."""
        self._app.run(WaitIdle(timeout=self._left))
        self._read()
        if dialog.accept is not None and self._is_open(dialog):
            with suppress(NotFound, Stale):  # it may be closed just now
                self._app.run(Press(by_uid(dialog.accept.uid), timeout=self._left))

    def _is_open(self, dialog: Dialog) -> bool:
        return any(node.uid == dialog.window and node.visible for node in self.tree.roots)

    def until_closed(self, dialog: Dialog, known: frozenset[str], overwrite: bool) -> None:
        """Wait until it is closed, and answer whether a file is to be replaced."""
        self._read()
        while self._is_open(dialog):
            if (asked := question(self.tree, known, dialog)) is not None:
                window, says, agree = asked
                if not overwrite or agree is None:
                    hint = "overwrite=True replaces a file that exists"
                    raise ActionFailed(
                        f"the file dialog '{dialog.title}' is still open and says: {says}",
                        target=self._path,
                        suggestions=(hint,) if agree is not None else (),
                    )
                with suppress(NotFound, Stale):  # its window may be gone meanwhile
                    self._app.run(Press(by_uid(agree.uid), timeout=self._left))
                known = known | {window.uid}
                self._read()
            elif not self._changed():
                said = texts(self.tree, dialog)
                raise ActionFailed(
                    f"the file dialog '{dialog.title}' is still open after {self._timeout:g} s"
                    + (f" and says: {said}" if said else ""),
                    target=self._path,
                    suggestions=("check that the file exists, if it is to be opened",),
                )

    def _holds(self, field: Node) -> bool:
        """Whether a field has the path; GTK adds a slash to that of a folder."""
        now = self.tree.get(field.uid)
        return now is not None and (now.value or now.text) in (self._path, f"{self._path}/")

    @property
    def _left(self) -> float:
        return max(_LEAST, self._deadline - time.monotonic())

    def _read(self) -> None:
        snapshot = self._app.run(ReadTree())
        assert snapshot.tree is not None
        self.tree, self._revision = snapshot.tree, snapshot.revision

    def _changed(self) -> bool:
        """Wait for the next change and read it; False if the time is over."""
        left = self._deadline - time.monotonic()
        if left > 0:
            self._app.run(WaitChange(self._revision, timeout=left))
        self._read()
        return left > 0


def _absolute(path: str | PathLike[str]) -> str:
    if not str(path):
        raise InvalidParams("no path was given", field="path")
    return str(Path(path).expanduser().absolute())
