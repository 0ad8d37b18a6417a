"""Notices when the program makes its application object, without making the program import a toolkit.

Part of the package, and also loaded alone by the `sitecustomize` next to it, in an interpreter that has
nothing of ours: there it loads the records of the toolkits by their path, and at first only what every
interpreter has loaded anyway. What a toolkit does is in `application.py` of its adapter's folder.
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
    """Called from the event loop with the toolkit's binding, such as `PySide6`."""

VARIABLE = "DESKHAND_AGENT"
"""The environment variable that has what a program is to serve, as JSON."""


def _alone(name: str, *path: str) -> Any:
    """Load a file of the package by its path, where the package itself is not importable."""
    from importlib.machinery import SourceFileLoader

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib may not be loaded
    file = os.path.join(package, *path)  # noqa: PTH118 - as above
    module: Any = type(sys)(f"_deskhand_{name}")
    module.__file__ = file
    SourceFileLoader(module.__name__, file).exec_module(module)
    return module


if TYPE_CHECKING or __package__:
    from .. import toolkits
else:
    toolkits = _alone("toolkits", "toolkits.py")

_WATCHED = {module: toolkit for toolkit in toolkits.TOOLKITS for module in toolkit.watched}

_FIRST = 5.0
"""How long other processes of the same start wait for the event loop of the first one, in seconds."""

_callbacks: list[Callback] = []
_finder: _Finder | None = None
_applications: dict[str, Any] = {}
"""The `application` module of each toolkit that was met, by the toolkit's name."""
_awaited: set[str] = set()
"""The settings of agents that start with the application object of a program that is still starting."""
_begun: set[str] = set()
"""The settings of agents that were started in this program while it ran."""


def on_application(callback: Callback, settings: str | None = None) -> None:
    """Call this from the event loop of every application object that is made from now on.

    On its first turn: then the program has most likely shown its window, and it does answer. If a toolkit
    cannot be watched, that is reported where these settings say, by default those of the environment.
    """
    global _finder
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    _callbacks.append(callback)
    for name, module in list(sys.modules.items()):
        if name in _WATCHED:
            _watch(module, settings)


def forget(callback: Callback) -> None:
    """Stop calling it."""
    if callback in _callbacks:
        _callbacks.remove(callback)
        if not _callbacks:
            for binding in _loaded():
                if toolkits.of_binding(binding).immediate:
                    _application_of(binding).unwatch()


def stop_watching() -> None:
    """Take the hook out of the program's imports and toolkits."""
    global _finder
    _callbacks.clear()
    if _finder is not None and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _finder = None
    for name, toolkit in _WATCHED.items():
        if name in sys.modules and toolkit.name in _applications:
            _restore(sys.modules[name], _applications[toolkit.name].watch)


def _restore(module: ModuleType, watch: Any) -> None:
    """Undo what a toolkit's `watch` did to the classes of a module."""
    for kind in [each for each in vars(module).values() if isinstance(each, type)]:
        for name, made in list(vars(kind).items()):
            if getattr(made, "patched_by", None) is watch:
                setattr(kind, name, made.original)


def application() -> str | None:
    """The binding of the toolkit that has an application object for windows in this process, if one has."""
    # What is drawn in immediate mode may be in a window of another toolkit, which then counts.
    for binding in sorted(_loaded(), key=lambda binding: toolkits.of_binding(binding).immediate):
        if _application_of(binding).running(binding):
            return binding
    return None


def drawn_inside() -> str | None:
    """The binding of a toolkit that draws in immediate mode: alone, or in a window of another toolkit."""
    for binding in _loaded():
        if toolkits.of_binding(binding).immediate and _application_of(binding).running(binding):
            return binding
    return None


def on_gui_thread(binding: str) -> bool:
    """Whether this is the thread of the application object."""
    return bool(_application_of(binding).on_gui_thread(binding))


def post(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop of the application object, from whatever thread this is."""
    _application_of(binding).post(binding, function)


def on_end(binding: str, function: Callable[[], None]) -> None:
    """Call it when the application object goes."""
    _application_of(binding).on_end(binding, function)


def _loaded() -> list[str]:
    """The bindings that the program has imported."""
    return [binding for binding in toolkits.bindings() if binding in sys.modules]


def _application_of(binding: str) -> Any:
    """How a toolkit's application object is noticed and entered: `application.py` in its adapter's folder."""
    name = toolkits.of_binding(binding).name
    if name not in _applications:
        if __package__:
            from importlib import import_module

            _applications[name] = import_module(f"..adapters.{name}.application", __package__)
        else:
            _applications[name] = _alone(name, "adapters", name, "application.py")
    return _applications[name]


def start_agent(binding: str) -> None:
    """In a program that was started by deskhand: serve what the environment says. From the event loop."""
    settings = os.environ.get(VARIABLE, "")
    if not _another_is_first(settings):
        _start(settings, binding)
        return
    from threading import Thread

    Thread(target=_start_second, args=(settings, binding), name="deskhand-start", daemon=True).start()


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
        wanted = json.loads(settings)
        with open(_first(wanted)) as file:  # noqa: PTH123 - as above
            pid = int(file.read())
        if pid == os.getpid() or os.path.exists(wanted["control"]):  # noqa: PTH110 - as above
            return False
        os.kill(pid, 0)
    except (KeyError, OSError, ValueError):
        return False
    return True


def _start_second(settings: str, binding: str) -> None:
    """Start the agent once the first process serves; also if that waits for this one, and never will."""
    import time

    until = time.monotonic() + _FIRST
    while _another_is_first(settings) and time.monotonic() < until:
        time.sleep(0.02)
    try:
        post(binding, lambda: _start(settings, binding))
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
    binding = application()
    if binding is not None:
        _begun.add(settings)
        post(binding, lambda: _start(settings, binding))
    else:
        known, loaded = toolkits.bindings(), _loaded()
        seen = f"{' and '.join(loaded)} is loaded" if loaded else f"none of {', '.join(known)} is loaded"
        text = f"no application object in this process; {seen}"
        if loaded:
            _start_with_application(settings, text)
        else:
            _report(settings, RuntimeError(text))


def start_native(settings: str, binding: str, *, first: bool) -> None:
    """In a program written in C or C++, whose binding was just imported, on a thread of our own.

    `first` if it was started by deskhand, and may be one of several processes of that start.
    """
    import json
    from importlib import import_module

    global _native
    _native = True
    toolkit = toolkits.of_binding(binding)
    _offer_package(json.loads(settings)["package"])
    # Here, where they do not delay the GUI thread.
    import_module("deskhand.in_app.host")
    if toolkit.native_modules:
        import_module(f"deskhand.adapters.{toolkit.name}.adapter")
    if first:
        _claim_to_be_first()

    def begin() -> None:
        try:
            if not toolkit.native_modules:
                _application_of(binding).load(binding)
            _without_signals(lambda: start_agent(binding) if first else _start(settings, binding))
        except BaseException as error:  # noqa: BLE001 - the program called us, and must not notice
            _report(settings, error)

    if toolkit.native_modules:
        _application_of(binding).enter(binding, begin)
    else:
        _through_glib(begin)


def _through_glib(function: Callable[[], None]) -> None:
    """Call it from the event loop of GLib, without a binding: none may be loaded on another thread."""
    import ctypes

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

    def run(_: object) -> int:
        function()
        return 0

    callback = kind(run)
    _callbacks_of_glib.append(callback)
    add = ctypes.CDLL(None)["g_idle_add"]
    add.argtypes, add.restype = (kind, ctypes.c_void_p), ctypes.c_uint
    add(callback, None)


_callbacks_of_glib: list[Any] = []
"""What GLib may still call; it knows nothing of Python's counts."""


def _without_signals(function: Callable[[], None]) -> None:
    """Call it, so that threads which it starts get no signals.

    A program written in C has its own handlers, or ends by SIGPIPE when a client of ours hangs up: Python
    itself would ignore that one, but not here.
    """
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        function()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_native = False
"""Whether this is a program written in C or C++, which is driven from outside if the agent cannot start."""
_released: list[Any] = []
"""What the threads wait for that started Python in a program."""


def await_release() -> None:
    """Wait on the thread that started Python in a program until the agent there was let go of."""
    from threading import Event

    released = Event()
    _released.append(released)
    released.wait()


def withdraw() -> None:
    """Let go of the program: end the agent in it, and every thread and patch of ours. On any thread."""
    host: Any = sys.modules.get("deskhand.in_app.host")
    if host is not None:
        host.withdraw()
    stop_watching()
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != _Package.__name__]
    _begun.clear()
    while _released:
        _released.pop().set()


def _start_with_application(settings: str, reason: str) -> None:
    """In a program that is still starting: serve from the event loop of its application object on."""
    import json

    try:
        wanted = json.loads(settings)
        report = wanted["report"]
        _send(settings, {"waiting": reason, "pid": os.getpid()})
        # A module that is still being loaded has no class yet that could be watched: the caller tries again.
        if settings in _awaited or any(_is_loading(name) for name in _WATCHED):
            return
        _offer_package(wanted["package"])

        def begin(binding: str) -> None:
            _awaited.discard(settings)
            # If the caller has given up, nothing is served.
            if settings not in _begun and os.path.exists(report):  # noqa: PTH110 - pathlib may not be loaded
                _begun.add(settings)
                _start(settings, binding)
            # Last: the agent listens by now, so that what draws in immediate mode stays watched.
            forget(begin)

        _awaited.add(settings)
        on_application(begin, settings)
    except BaseException as error:  # noqa: BLE001 - the program goes on without us
        _report(settings, error)


def _is_loading(name: str) -> bool:
    spec: Any = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _start(settings: str, binding: str) -> None:
    """Load the package and start the agent. Whatever goes wrong must not harm the program."""
    try:
        import json
        from importlib import import_module

        wanted = json.loads(settings)
        _offer_package(wanted["package"])
        import_module("deskhand.in_app.host").start_agent(wanted, binding)
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
        if name not in _WATCHED or name in self._looking:
            return None
        self._looking.add(name)
        try:
            for finder in list(sys.meta_path):
                spec: Any = None if finder is self else finder.find_spec(name, path, target)
                if spec is not None:
                    modern = hasattr(spec.loader, "exec_module")
                    spec.loader = (_Loader if modern else _OldLoader)(spec.loader)
                    return spec
        finally:
            self._looking.discard(name)
        return None


class _OldLoader:
    """The same for a loader that knows nothing of specifications, as that of PyGObject."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def load_module(self, name: str) -> ModuleType:
        module: ModuleType = self._loader.load_module(name)
        _watch(module)
        return module


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
        _watch(module)


def _watch(module: ModuleType, settings: str | None = None) -> None:
    """Have its toolkit notice application objects, if it does not yet. Must not harm the program's import."""
    settings = os.environ.get(VARIABLE, "") if settings is None else settings
    binding = toolkits.binding_of(module.__name__)
    try:
        if settings and toolkits.of_binding(binding).immediate:
            # What is drawn is recorded from here on, by modules of the package.
            import json

            _offer_package(json.loads(settings)["package"])
        _application_of(binding).watch(module, _created, lambda: _made(binding))
    except BaseException as error:  # noqa: BLE001 - the program imports a module; it must get that
        _report(settings, error)


def _created() -> None:
    if VARIABLE in os.environ:
        _claim_to_be_first()


def _made(binding: str) -> None:
    for callback in list(_callbacks):
        callback(binding)


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
    kind = "outside" if _native else "error"
    message = {kind: text, "pid": os.getpid(), "traceback": trace[-4000:]}
    try:
        _send(settings, message)
    except (OSError, ValueError, KeyError):
        if _native:
            return  # which writes nothing of ours
        with suppress(OSError, ValueError, AttributeError):  # there may be no stderr
            sys.stderr.write(f"deskhand: cannot drive this program: {text}\n")


def _send(settings: str, message: dict[str, Any]) -> None:
    """Report to the process that asked for an agent."""
    import json
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.sendto(json.dumps(message).encode(), json.loads(settings)["report"])
