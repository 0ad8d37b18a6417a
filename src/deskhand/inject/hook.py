"""Notices when the program makes its application object, without making the program import a toolkit.

Part of the package, and also loaded alone by the `sitecustomize` beside it, in an interpreter that has
nothing of ours: so it imports nothing of ours, and at first only what every interpreter has loaded anyway.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any, TypeAlias

    Callback: TypeAlias = Callable[[str], None]
    """Called from the event loop with the name of the toolkit's module, such as `PySide6` or `wx`."""

VARIABLE = "DESKHAND_AGENT"
"""The environment variable that tells a program what to serve, as JSON."""

QT = ("PySide6", "PyQt6")
IMGUI = "imgui_bundle"
"""Has no application object: what counts is its first frame."""

_CLASSES = {
    **{
        f"{binding}.{module}": name
        for binding in QT
        for module, name in (("QtWidgets", "QApplication"), ("QtGui", "QGuiApplication"))
    },
    "wx.core": "App",
}
"""The application class of each module that has one. QCoreApplication is left out: it has no windows."""

TOOLKITS = (*dict.fromkeys(name.partition(".")[0] for name in _CLASSES), IMGUI)
"""The modules whose programs an agent can be put into."""

_FIRST = 5.0
"""How long other processes of the same start wait for the event loop of the first one, in seconds."""

_callbacks: list[Callback] = []
_finder: _Finder | None = None
_posted: set[Any] = set()
"""What is on its way to the event loop; nothing else holds it."""
_awaited: set[str] = set()
"""The settings of agents that start with the application object of a program that is still starting."""
_begun: set[str] = set()
"""The settings of agents that were started in this program while it ran."""


def on_application(callback: Callback) -> None:
    """Call this from the event loop of every application object that is made from now on.

    On its first turn: then the program has most likely shown its window, and it does answer.
    """
    global _finder
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
        for name, module in list(sys.modules.items()):
            if name in _CLASSES:
                _patch(module)
    _callbacks.append(callback)
    if IMGUI in sys.modules:
        _watch_frames()


def forget(callback: Callback) -> None:
    """Stop calling it."""
    if callback in _callbacks:
        _callbacks.remove(callback)
        if not _callbacks and IMGUI in sys.modules:
            _recorder().uninstall(_drawn)


def application() -> str | None:
    """The toolkit that has an application object for windows in this process, if there is one."""
    for name, kind in _CLASSES.items():
        # A module that another thread is still importing has no class in it yet.
        found = getattr(sys.modules.get(name), kind, None)
        if found is None:
            continue
        toolkit = name.partition(".")[0]
        instance = found.instance() if toolkit in QT else found.Get()
        if isinstance(instance, found):
            return toolkit
    return IMGUI if draws() else None


def on_gui_thread(toolkit: str) -> bool:
    """Whether this is the thread of the application object."""
    if toolkit in QT:
        core: Any = sys.modules[f"{toolkit}.QtCore"]
        return bool(core.QThread.currentThread() == core.QCoreApplication.instance().thread())
    if toolkit == IMGUI:
        return bool(_contexts()[0].inside)
    return bool(sys.modules["wx.core"].IsMainThread())


def post(toolkit: str, function: Callable[[], None]) -> None:
    """Call it from the event loop of the application object, from whatever thread this is."""
    if toolkit in QT:
        _post_to_qt(toolkit, function)
    elif toolkit == IMGUI:
        _contexts()[0].later(function)
    else:
        from threading import Thread

        # Not from here: who gets into a running program may have stopped its GUI thread in the middle of its
        # waiting, and wx wakes it only for another thread.
        Thread(target=sys.modules["wx.core"].CallAfter, args=(function,), daemon=True).start()


def _post_to_qt(binding: str, function: Callable[[], None]) -> None:
    core: Any = sys.modules[f"{binding}.QtCore"]

    class Messenger(core.QObject):  # type: ignore[misc]  # the class is known only at run time
        def event(self, event: Any) -> bool:
            if event.type() != core.QEvent.Type.User:
                return bool(super().event(event))
            _posted.discard(self)
            function()
            return True

    messenger = Messenger()
    _posted.add(messenger)
    messenger.moveToThread(core.QCoreApplication.instance().thread())
    core.QCoreApplication.postEvent(messenger, core.QEvent(core.QEvent.Type.User))


def draws() -> bool:
    """Whether something is drawn with Dear ImGui, alone or in a window of another toolkit."""
    return bool(_contexts())


def on_context_gone(function: Callable[[], None]) -> None:
    """Call it when the context of Dear ImGui goes that was there first."""
    _contexts()[0].on_gone.append(function)


def start_agent(toolkit: str) -> None:
    """In a program that was started by deskhand: serve what the environment says. From the event loop."""
    settings = os.environ.get(VARIABLE, "")
    if not _another_is_first(settings):
        _start(settings, toolkit)
        return
    from threading import Thread

    Thread(target=_start_second, args=(settings, toolkit), name="deskhand-start", daemon=True).start()


def _claim_to_be_first() -> None:
    """Say that this process has an application object, if no other of the same start has said so.

    The app is the first process with one. On a busy machine the event loop of a second program, which the app
    starts, may run before that of the app.
    """
    import json

    try:
        path = _first(json.loads(os.environ[VARIABLE]))
        mine = f"{path}.{os.getpid()}"
        with open(mine, "x") as file:  # noqa: PTH123 - pathlib may not be loaded
            file.write(str(os.getpid()))
        try:
            os.link(mine, path)  # which is there at once with what is in it, or fails
        finally:
            os.unlink(mine)  # noqa: PTH108 - as above
    except (KeyError, OSError, ValueError):
        pass  # another one was first, or its parent is gone


def _another_is_first(settings: str) -> bool:
    """Whether another process, which goes on, had an application object before, and does not serve yet."""
    import json

    try:
        told = json.loads(settings)
        with open(_first(told)) as file:  # noqa: PTH123 - as above
            pid = int(file.read())
        if pid == os.getpid() or os.path.exists(told["control"]):  # noqa: PTH110 - as above
            return False
        os.kill(pid, 0)
    except (KeyError, OSError, ValueError):
        return False
    return True


def _start_second(settings: str, toolkit: str) -> None:
    """Start the agent once the first process serves; also if that waits for this one, and never will."""
    import time

    until = time.monotonic() + _FIRST
    while _another_is_first(settings) and time.monotonic() < until:
        time.sleep(0.02)
    try:
        post(toolkit, lambda: _start(settings, toolkit))
    except BaseException as error:  # noqa: BLE001 - the program may be ending, and must not notice
        _report(settings, error)


def _first(settings: dict[str, Any]) -> str:
    return f"{settings['control']}.first"


def start_running(settings: str) -> None:
    """In a program that runs already, on whatever thread this is: serve what the settings say, in JSON.

    In a program that is still starting, this happens once it has made its application object; the report says
    that it is `waiting`, and calling this again with the same settings does no harm.
    """
    if settings in _begun:
        return
    toolkit = application()
    if toolkit is not None:
        _begun.add(settings)
        post(toolkit, lambda: _start(settings, toolkit))
    elif IMGUI in sys.modules:
        _start_with_frame(settings)
    else:
        loaded = [name for name in TOOLKITS if name in sys.modules]
        seen = f"{' and '.join(loaded)} is loaded" if loaded else f"none of {', '.join(TOOLKITS)} is loaded"
        text = f"no application object in this process; {seen}"
        if loaded:
            _start_with_application(settings, text)
        else:
            _report(settings, RuntimeError(text))


def _start_with_application(settings: str, reason: str) -> None:
    """In a program that is still starting: serve from the event loop of its application object on."""
    import json

    try:
        report = json.loads(settings)["report"]
        _send(settings, {"waiting": reason, "pid": os.getpid()})
        # A module that is still being loaded has no class yet that could be watched: the caller tries again.
        if settings in _awaited or any(_is_loading(name) for name in _CLASSES):
            return

        def begin(toolkit: str) -> None:
            forget(begin)
            _awaited.discard(settings)
            # If the caller has given up, nothing is served.
            if settings not in _begun and os.path.exists(report):  # noqa: PTH110 - pathlib may not be loaded
                _begun.add(settings)
                _start(settings, toolkit)

        _awaited.add(settings)
        on_application(begin)
    except BaseException as error:  # noqa: BLE001 - the program goes on without us
        _report(settings, error)


def _is_loading(name: str) -> bool:
    spec: Any = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _start(settings: str, toolkit: str) -> None:
    """Load the package and start the agent. Whatever goes wrong must not harm the program."""
    try:
        import json
        from importlib import import_module

        told = json.loads(settings)
        _offer_package(told["package"])
        import_module("deskhand.in_app.host").start_agent(told, toolkit)
    except BaseException as error:  # noqa: BLE001 - PyQt6 aborts the program if a slot raises
        _report(settings, error)


class _Finder:
    """Lets the other finders find a toolkit, and looks at the module once it is loaded."""

    def __init__(self) -> None:
        self._looking: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        # Another tool's finder may ask all the others, us included, while we ask it.
        if (name not in _CLASSES and name != IMGUI) or name in self._looking:
            return None
        self._looking.add(name)
        try:
            for finder in list(sys.meta_path):
                spec: Any = None if finder is self else finder.find_spec(name, path, target)
                if spec is not None:
                    spec.loader = _Loader(spec.loader)
                    return spec
        finally:
            self._looking.discard(name)
        return None


class _Loader:
    """Loads the module as the loader does that it stands for, patches it, and leaves no trace in it."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec: Any = module.__spec__
        spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _patch(module)


def _patch(module: ModuleType) -> None:
    toolkit = module.__name__.partition(".")[0]
    if toolkit == IMGUI:
        _watch_frames()
        return
    kind = getattr(module, _CLASSES[module.__name__])
    # In wx the program's OnInit is a part of __init__, and may show a dialog; this comes right before it.
    name = "__init__" if toolkit in QT else "OnPreInit"
    make = getattr(kind, name)
    if getattr(make, "patched_by", None) is _patch:
        return

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        if VARIABLE in os.environ:
            _claim_to_be_first()
        if toolkit in QT:
            sys.modules[f"{toolkit}.QtCore"].QTimer.singleShot(0, lambda: _made(toolkit))
        else:
            post(toolkit, lambda: _made(toolkit))

    # No copy of __doc__: PySide6 makes it up on demand, from modules that are not loaded yet.
    made.patched_by = _patch  # type: ignore[attr-defined]  # a mark, so that it is patched once
    setattr(kind, name, made)


# -- Dear ImGui ---------------------------------------------------------------------------------


def _watch_frames() -> None:
    """Stand before the functions of Dear ImGui, before the program takes them by their names."""
    try:
        _recorder().install(_drawn)
    except BaseException as error:  # noqa: BLE001 - the program imports a module; it must get that
        _report(os.environ.get(VARIABLE, ""), error)


def _start_with_frame(settings: str) -> None:
    """In a program that draws already: serve from the end of the next frame on."""
    try:
        import json

        _offer_package(json.loads(settings)["package"])
        if getattr(sys.modules[IMGUI].__spec__, "_initializing", False):
            raise RuntimeError(f"{IMGUI} is still being loaded; try again")
        _recorder().install(_drawn)

        def begin(toolkit: str) -> None:
            _start(settings, toolkit)
            forget(begin)

        on_application(begin)
    except BaseException as error:  # noqa: BLE001 - the program goes on without us
        _report(settings, error)


def _drawn(_context: object) -> None:
    """At the end of the first frame of a context."""
    _made(IMGUI)


def _contexts() -> list[Any]:
    """The contexts of Dear ImGui that draw, as far as noticed."""
    record: Any = sys.modules.get("deskhand.adapters.imgui.record")
    return [] if record is None else list(record.known())


def _recorder() -> Any:
    from importlib import import_module

    if VARIABLE in os.environ:
        import json

        _offer_package(json.loads(os.environ[VARIABLE])["package"])
    return import_module("deskhand.adapters.imgui.record")


def _made(toolkit: str) -> None:
    for callback in list(_callbacks):
        callback(toolkit)


class _Package:
    """Finds the package deskhand, nothing else of its folder. Asked last, so that an installed one wins."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, *_: object) -> Any:
        if name != "deskhand":
            return None
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name, [self._folder])


def _offer_package(folder: str) -> None:
    if not any(type(finder).__name__ == _Package.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_Package(folder))


def _report(settings: str, error: BaseException) -> None:
    """Report to our parent why there is no agent; if it does not listen any more, on the program's stderr."""
    import traceback
    from contextlib import suppress

    ours = type(error) is RuntimeError or hasattr(error, "kind")
    text = str(error) if ours else f"{type(error).__name__}: {error}"
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    message = {"error": text, "pid": os.getpid(), "traceback": trace[-4000:]}
    try:
        _send(settings, message)
    except (OSError, ValueError, KeyError):
        with suppress(OSError, ValueError, AttributeError):  # there may be no stderr
            sys.stderr.write(f"deskhand: cannot drive this program: {text}\n")


def _send(settings: str, message: dict[str, Any]) -> None:
    """Report to the process that asked for an agent."""
    import json
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.sendto(json.dumps(message).encode(), json.loads(settings)["report"])
