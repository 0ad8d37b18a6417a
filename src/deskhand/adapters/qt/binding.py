"""One face for the bindings of Qt 6 and Qt 5: what they spell differently is here and nowhere else.

Never loads a binding of its own accord: it finds the one that the program has loaded. Objects of Qt are `Any`
throughout the adapter, because which binding's types they have is known only at run time.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from types import ModuleType
from typing import Any

from ...model.errors import NotConnected

BINDINGS = ("PySide6", "PyQt6", "PyQt5", "PySide2")
_BEFORE_APP = " — "
"""What Qt writes between a window's title and the name of the app, on X11."""


class Binding:
    """The binding a program uses: its modules, and the few things they name differently."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.failed: str | None = None
        """What a model of the program's own raised last; see `ask`."""
        self.QtCore: Any = import_module(f"{name}.QtCore")
        self.QtGui: Any = import_module(f"{name}.QtGui")
        self.Qt: Any = self.QtCore.Qt
        self.pyside = name.startswith("PySide")
        """Whether it is one of Qt's own bindings, which differ from those by Riverbank in more than names."""
        if self.pyside:
            shiboken: Any = import_module(f"shiboken{name[-1]}")
            self.Signal: Any = self.QtCore.Signal
            self.is_valid: Any = shiboken.isValid
            """Whether the C++ object behind a wrapper still exists."""
            self.made_in_python: Any = shiboken.createdByPython
            self.version: str = import_module(name).__version__
        else:
            sip: Any = import_module(f"{name}.sip")
            self.Signal = self.QtCore.pyqtSignal
            deleted = sip.isdeleted
            self.is_valid = lambda native: not deleted(native)
            self.made_in_python = sip.ispycreated
            self.set_deleted: Any = sip.setdeleted
            """Let a wrapper know that its object is gone; only where that may have gone unseen."""
            self.version = self.QtCore.PYQT_VERSION_STR
        self.qt_version: str = self.QtCore.qVersion()
        self.major = int(self.qt_version.partition(".")[0])
        self.QObject: Any = self.QtCore.QObject
        self._modules: dict[str, ModuleType | None] = {}
        self._bases: dict[type, type] = {}

    @property
    def QtWidgets(self) -> Any:
        """The module, or None in a program that has no widgets."""
        return self._module("QtWidgets", lambda: self._app_inherits("QApplication"))

    @property
    def QtQuick(self) -> Any:
        """The module, or None in a program that has no QML."""
        return self._module("QtQuick", lambda: f"{self.name}.QtQml" in sys.modules)

    @property
    def QtQuickWidgets(self) -> Any:
        """The module, or None in a program that has not loaded it."""
        return self._module("QtQuickWidgets", lambda: False)

    @property
    def QtQml(self) -> Any:
        """The module, or None in a program that has no QML."""
        return self._module("QtQml", lambda: False)

    @property
    def app(self) -> Any:
        """The application object; None before it was made and after it is gone."""
        return self.QtCore.QCoreApplication.instance()

    @cached_property
    def entered(self) -> bool:
        """Whether the program is written in C++.

        It is on the accessibility bus too, whose words are known to those who drive it. Its roles are the
        same here, so that what was written for one way in works for the other.
        """
        return self.app is not None and not self.made_in_python(self.app)

    def watch_validity(self, settle: Callable[[], None]) -> None:
        """Call `settle` before it is asked whether an object still exists."""
        is_valid = self.is_valid

        def settled(native: Any) -> bool:
            settle()
            return bool(is_valid(native))

        self.is_valid = settled

    @staticmethod
    def number(value: Any) -> int:
        """A member of an enumeration or a set of flags as a number: for Qt 5 they are numbers of a kind."""
        return int(getattr(value, "value", value))

    def address(self, native: Any) -> int:
        """The address of the C++ object behind a wrapper."""
        if self.pyside:
            return int(import_module(f"shiboken{self.name[-1]}").getCppPointer(native)[0])
        return int(import_module(f"{self.name}.sip").unwrapinstance(native))

    def has_children(self, model: Any, index: Any) -> bool:
        """Whether a model has rows below an index."""
        core = self.QtCore
        # Those of tables and lists have none, and do not let others ask.
        if isinstance(model, (core.QAbstractTableModel, core.QAbstractListModel)):
            return False
        return bool(model.hasChildren(index))

    def shown_in(self, action: Any) -> list[Any]:
        """The menus, bars and buttons that an action is in."""
        # In Qt 5 those in graphics views are in another list, and none of them opens a menu.
        return list(action.associatedObjects() if self.major >= 6 else action.associatedWidgets())

    def windows(self) -> list[Any]:
        """The top-level windows, in the order in which they were made."""
        # A window of QML must not get a wrapper before the class is known that the wrapper has to be of.
        _ = self.QtQuick
        gui = self.QtGui.QGuiApplication
        return list(gui.topLevelWindows()) if isinstance(self.app, gui) else []

    def title(self, text: str) -> str:
        """What the title bar of a window with this title shows, without the mark of unsaved changes."""
        # Qt shows the name of the app where there is no title; the name of its file would say nothing.
        gui = self.QtGui.QGuiApplication
        text = text.replace("[*]", "")
        shown: str = gui.applicationDisplayName()
        if not shown or not self._has_display_name(shown) or (text and gui.platformName() != "xcb"):
            return text
        return text if text.endswith(shown) else f"{text}{_BEFORE_APP}{shown}" if text else shown

    def _has_display_name(self, shown: str) -> bool:
        """Whether the name that Qt has for an app is not only that of the app's file."""
        if shown != self.QtGui.QGuiApplication.applicationName():
            return True
        if not self.entered:
            return False  # as far as can be seen
        symbol = "_ZN22QGuiApplicationPrivate11displayNameE"
        return ctypes.c_void_p.in_dll(ctypes.CDLL(None), symbol).value is not None

    def class_name(self, native: Any) -> str:
        """The object's own class, also where the binding knows only a class above it."""
        return unmarked(str(native.metaObject().className()))

    def bare(self, native: Any) -> Any:
        """The object with Qt's own methods only.

        Programs call their own things `model`, `layout`, `parent` or `text`, and hide Qt's methods by that.
        """
        cls = type(native)
        # What C++ made may be of a class that only it knows: such a method would be that of the class above.
        if cls is _Bare or not self.made_in_python(native):
            return native
        if cls not in self._bases:
            self._bases[cls] = self.known_class(native)
        base = self._bases[cls]
        return native if base is cls and not getattr(native, "__dict__", None) else _Bare(base, native)

    def method(self, native: Any, name: str) -> Any:
        """A method of an object: the program's own if its class has one, but never what hides it in there."""
        return (
            partial(getattr(type(native), name), native)
            if self.made_in_python(native)
            else getattr(native, name)
        )

    def ask(self, native: Any, name: str, *arguments: Any) -> Any:
        """What a method of an object says to all its arguments, as Qt gives them.

        A program's own model often has no defaults for them, and may raise: Qt then goes on with nothing, and
        so do we, with what went wrong in `failed`.
        """
        try:
            return self.method(native, name)(*arguments)
        except Exception as error:  # noqa: BLE001 - the program's own code; the view's node reports it
            self.failed = f"{name}: {type(error).__name__}: {error}"
            return None

    def overrides(self, native: Any, method: str) -> bool:
        """Whether the program defines a method of Qt's anew, in Python."""
        return any(method in vars(cls) for cls in type(native).__mro__ if not self._is_bound(cls))

    def known_class(self, native: Any) -> type:
        """The class of Qt that an object is of, below which there is only Python."""
        return next((cls for cls in type(native).__mro__ if self._is_bound(cls)), object)

    def _is_bound(self, cls: type) -> bool:
        return cls.__module__.startswith(f"{self.name}.") or cls.__module__ in ("sip", "Shiboken", "builtins")

    def has_widgets(self) -> bool:
        """Whether the application object is one for widgets."""
        return self.QtWidgets is not None and isinstance(self.app, self.QtWidgets.QApplication)

    def _app_inherits(self, name: str) -> bool:
        app = self.app
        return app is not None and bool(app.inherits(name))

    def _module(self, name: str, wanted: Any) -> Any:
        """A module that the program loaded, or that is needed to see what it made without it."""
        found = self._modules.get(name)
        if found is None:
            full = f"{self.name}.{name}"
            found = sys.modules.get(full)
            if found is None and wanted():
                try:
                    found = import_module(full)
                except ImportError:
                    # Fallback: a distribution may package this part of the binding apart; what needs it is
                    # then read as its plain base class.
                    return None
            self._modules[name] = found
        return found


def unmarked(name: str) -> str:
    """The name of a class, without the marks and numbers that QML appends to the types it makes."""
    return name.split("_QMLTYPE_", 1)[0].split("_QML_", 1)[0] if "_QML" in name else name


class _Bare:
    """An object whose methods are those of a class that it is of."""

    __slots__ = ("_base", "_native")

    def __init__(self, base: type, native: Any) -> None:
        self._base = base
        self._native = native

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._base, name)
        bind = getattr(type(found), "__get__", None)
        return partial(found, self._native) if bind is None else bind(found, self._native, self._base)


def loaded() -> str | None:
    """The name of the binding that this process has an application object of; None without one."""
    for name in BINDINGS:
        core: Any = sys.modules.get(f"{name}.QtCore")
        # A module that is still being imported by another thread has no class in it yet.
        application = getattr(core, "QCoreApplication", None)
        if application is not None and application.instance() is not None:
            return name
    return None


def find() -> Binding:
    """The binding that this process uses."""
    name = loaded()
    if name is None:
        there = [known for known in BINDINGS if f"{known}.QtCore" in sys.modules]
        seen = f"{' and '.join(there)} has no application object yet" if there else "none of them is loaded"
        raise NotConnected(
            f"no Qt application in this process: wanted one of {', '.join(BINDINGS)}; {seen}",
            suggestions=("call this after QApplication was made",),
        )
    return Binding(name)


def as_slot(method: Callable[[], object]) -> Callable[[], None]:
    """A function to connect to a signal, instead of a method of an object that is not a QObject.

    PySide6 never frees the weak reference that it makes each time such a method is connected. Like a method,
    the function does not keep the object alive.
    """
    known = weakref.WeakMethod(method)

    def call() -> None:
        found = known()
        if found is not None:
            found()

    return call
