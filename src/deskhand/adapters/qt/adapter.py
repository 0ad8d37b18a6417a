"""Qt as the engine sees it: reads and actions of one program, for callers on any thread."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Mapping
from typing import Any, TypeVar

from ...model.errors import NoWindows, ScreenshotFailed, UiBusy
from ...model.node import AppState, Image
from ...model.operations import Action, ControlWindow
from ..inside import InsideAdapter
from ..screen import screen
from . import binding as bindings
from . import shot
from .act import Performer
from .belief import on_x11
from .clipboard import QtClipboard
from .controls import plain
from .events import Changes
from .handles import Registry
from .read import Reader
from .thread import UiThread

T = TypeVar("T")


class QtAdapter(InsideAdapter[UiThread, Reader, Changes]):
    """Drives the Qt application of this process."""

    name = "qt"

    def __init__(self) -> None:
        self._binding = bindings.find()
        self._registry = Registry(self._binding)
        ui = UiThread(self._binding, self._registry.settle)
        reader = Reader(self._binding, self._registry)
        super().__init__(ui, reader, Changes(self._binding, self._registry, ui))
        self._performer = Performer(self._binding, self._registry, ui)
        self.clipboard = QtClipboard(self._binding, ui)
        # While Python ends, PySide6 frees its objects and leaves references to them behind that lead nowhere
        # (it asks whether Python runs, and that is no longer so): ours must be gone by then.
        atexit.register(self.close)

    @staticmethod
    def present() -> bool:
        """Whether this process has a Qt application."""
        return bindings.loaded() is not None

    def made_with(self) -> tuple[str, str, str]:
        return self._binding.name, self._binding.version, f"Qt {self._binding.qt_version}"

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        # A little before the caller stops waiting, who then hears how far it got.
        until = time.monotonic() + timeout - min(0.3, timeout / 4)

        native = self._registry.native

        def handle() -> Any:
            return None if uid is None else native(uid)

        def act() -> Mapping[str, object]:
            return self._performer.perform(action, handle(), None if to is None else native(to), until)

        if not isinstance(action, ControlWindow) or action.do == "close":
            try:
                return self._ui.post(act, timeout) or {}
            finally:
                self._changes.acted(action)
        answer = self._ui.post(act, timeout) or {}
        # The window manager does it, and the program hears of it later.
        try:
            differs = ", ".join(sorted(self._changes.idle(max(0.0, until - time.monotonic()))))
        except UiBusy as busy:
            differs = busy.message
        if differs:
            return {**answer, "detail": f"requested, but the display does not show it yet: {differs}"}
        if action.do == "focus":
            self._ui.call(
                lambda: self._performer.insist_on_active(handle()), max(0.0, until - time.monotonic())
            )
        return answer

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        def grab() -> object:
            handle = self._reader.main() if uid is None else self._registry.native(uid)
            if handle is None:
                raise NoWindows("the program shows no window", suggestions=("wait for a window",))
            return shot.grab(self._binding, self._registry, handle)

        # Made into a PNG here, where the GUI thread need not wait for it.
        return shot.encode(self._binding, self._ui.call(grab, timeout))

    def desktop(self, *, timeout: float) -> Image:
        if not on_x11(self._binding):
            platform_name = self._binding.QtGui.QGuiApplication.platformName()
            raise ScreenshotFailed(
                f"Qt draws by its platform '{platform_name}' here, and that has no desktop to take",
                suggestions=("start it on a private desktop: --headless, in Python headless=True",),
            )
        return screen(os.environ)

    def idle(self, *, timeout: float) -> None:
        self._changes.idle(timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self._registry.know(widget).automation_id = automation_id

    def close(self) -> None:
        atexit.unregister(self.close)
        self._ui.close(self._changes.close)
        self._reader.forget()
        self._registry.clear()
        self._registry.close()

    # -- on the GUI thread -----------------------------------------------------------------------

    def main_title(self) -> str | None:
        main = self._reader.main()
        if main is None:
            return None
        return self._title_of(main)

    def _title_of(self, native: Any) -> str | None:
        bare = self._binding.bare(native)
        title: str = bare.windowTitle() if bare.isWidgetType() else bare.title()
        return self._binding.title(title) or None

    def app_state(self) -> AppState:
        binding = self._binding
        gui = binding.QtGui.QGuiApplication
        if not isinstance(binding.app, gui):
            return AppState()
        return AppState(
            active_view=self._active_view(),
            foreground=binding.app.applicationState() == binding.Qt.ApplicationState.ApplicationActive,
            modal_dialog=self._modal_title(),
        )

    def _modal_title(self) -> str | None:
        window = self._binding.QtGui.QGuiApplication.modalWindow()
        if window is None:
            return None
        widget = self._binding.app.activeModalWidget() if self._binding.has_widgets() else None
        native = window if widget is None else widget
        return self._title_of(native) or self._registry.know(native).native_class

    def _active_view(self) -> str | None:
        """The tab that is shown if there is one tab widget, else the title of the active window."""
        if self._binding.has_widgets():
            main = self._reader.main()
            tabs = self._binding.QtWidgets.QTabWidget
            if main is not None and self._binding.QObject.isWidgetType(main):
                every = map(self._binding.bare, self._binding.QObject.findChildren(main, tabs))
                first = next(
                    (tab_widget for tab_widget in every if tab_widget.isVisible() and tab_widget.count()),
                    None,
                )
                if first is not None:
                    return plain(first.tabText(first.currentIndex()))
            active = self._binding.app.activeWindow()
            if active is not None:
                return self._title_of(active)
        return self.main_title()
