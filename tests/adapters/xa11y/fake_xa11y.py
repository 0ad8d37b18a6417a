"""A stand-in for the library xa11y, so that it can report here what it reports on Windows and macOS."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any


class XA11yError(Exception):
    pass


class PermissionDeniedError(XA11yError):
    pass


class AccessibilityNotEnabledError(XA11yError):
    pass


class SelectorNotMatchedError(XA11yError):
    pass


class ActionNotSupportedError(XA11yError):
    pass


class TimeoutError(XA11yError):  # noqa: A001 - that is what the library calls it
    pass


class PlatformError(XA11yError):
    pass


@dataclass(eq=False)
class Element:
    role: str = "button"
    name: str | None = None
    value: str | None = None
    raw: dict[str, Any] = field(default_factory=dict)
    below: list[Element] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    stable_id: str | None = None
    description: str | None = None
    numeric_value: float | None = None
    min_value: float | None = None
    max_value: float | None = None
    bounds: Any = field(default_factory=lambda: SimpleNamespace(x=10, y=20, width=100, height=30))
    enabled: bool = True
    visible: bool = True
    focused: bool = False
    active: bool = False
    checked: str | None = None
    selected: bool = False
    expanded: bool | None = None
    editable: bool = False
    focusable: bool = False
    modal: bool = False
    minimized: bool | None = None
    maximized: bool | None = None
    hangs: threading.Event | None = None
    """If given, each call waits until it is set."""
    does: dict[str, Callable[[], None]] = field(default_factory=dict)

    def children(self) -> list[Element]:
        if self.hangs is not None:
            self.hangs.wait(30)
        return list(self.below)

    def press(self) -> None:
        self.does["press"]()

    def toggle(self) -> None:
        self.does["toggle"]()

    def select(self) -> None:
        self.does["select"]()

    def focus(self) -> None:
        self.does["focus"]()

    def expand(self) -> None:
        self.does["expand"]()

    def activate(self) -> None:
        self.does["activate"]()

    def resize_to(self, width: int, height: int) -> None:
        self.does["resize_to"]()

    def scroll_into_view(self) -> None:
        raise ActionNotSupportedError("scroll_into_view not supported")

    def set_value(self, value: str) -> None:
        self.value = value

    def subscribe(self) -> Subscription:
        return Subscription()


class Subscription:
    def __init__(self) -> None:
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[object]:
        self._closed.wait(30)
        return iter(())

    def close(self) -> None:
        self._closed.set()


@dataclass(eq=False)
class App:
    name: str
    pid: int
    root: Element

    def as_element(self) -> Element:
        return self.root


class Library(ModuleType):
    """The module itself; `programs` is what runs."""

    def __init__(self, *programs: App) -> None:
        super().__init__("xa11y")
        self.programs = list(programs)
        self.clicked: list[tuple[int, int]] = []
        self.on_input: Callable[[str, Any], None] = lambda what, value: None
        """What a program does when it gets a click, a turn of the wheel or a key."""
        for error in (
            XA11yError, PermissionDeniedError, AccessibilityNotEnabledError, SelectorNotMatchedError,
            ActionNotSupportedError, TimeoutError, PlatformError,
        ):  # fmt: skip
            setattr(self, error.__name__, error)
        self.App = SimpleNamespace(list=lambda: list(self.programs), by_pid=self._by_pid)

    def _by_pid(self, pid: int, timeout: float) -> App:
        for program in self.programs:
            if program.pid == pid:
                return program
        raise SelectorNotMatchedError(str(pid))

    def input_sim(self) -> Any:
        return SimpleNamespace(
            click=self._click,
            scroll=lambda at, dx, dy: self.on_input("scroll", dy),
            chord=lambda key, held: self.on_input("key", key),
            press=lambda key: self.on_input("key", key),
        )

    def _click(self, at: tuple[int, int], **_: Any) -> None:
        self.clicked.append(at)
        self.on_input("click", at)


def program(name: str, pid: int, *inside: Element) -> App:
    """A program with one window."""
    window = Element("window", name, below=list(inside), active=True)
    return App(name, pid, Element("application", name, below=[window]))
