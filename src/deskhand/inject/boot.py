"""Run by the preload shim in a program written in C or C++: loads its toolkit's binding, and then our agent.

On a thread of the shim, in a Python that the shim has just started, which knows nothing of ours. The program
must notice nothing of it: whatever goes wrong is reported to the launcher, and the program runs on.
"""
# ruff: noqa: PTH100, PTH118, PTH119, PTH120, PTH123, PTH208 - pathlib would be loaded into a program that has no use for it

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))


class Unfit(Exception):
    """This program cannot be driven from inside; the accessibility bus takes over."""


def main(settings: str | None = None) -> None:
    """Start the agent, and wait until it is let go of: the thread is the main one to this Python.

    By the settings in the environment, unless others are given for a program that ran already.
    """
    import json
    from contextlib import suppress

    began = settings is None
    settings = os.environ["DESKHAND_AGENT"] if settings is None else settings
    wanted = json.loads(settings)
    hook = _load_hook()
    # What goes wrong unnoticed on a thread of ours must not be written to the program's output.
    sys.stdout = sys.stderr = None
    try:
        with open("/proc/self/cmdline", "rb") as file:
            sys.argv = [os.fsdecode(part) for part in file.read().split(b"\0")[:-1]]
        hook.start_native(settings, _binding(hook.toolkits, wanted["native"]), first=began)
    except BaseException as error:  # noqa: BLE001 - the program goes on without us
        told = str(error) if isinstance(error, Unfit) else f"{type(error).__name__}: {error}"
        message = {"outside": told, "pid": os.getpid()}
        with suppress(OSError):  # the launcher may be gone
            hook._send(settings, message)  # noqa: SLF001 - ours, loaded alone
        return
    hook.await_release()


def _load_hook() -> Any:
    from importlib.machinery import ModuleSpec, SourceFileLoader

    if "_deskhand_hook" in sys.modules:
        return sys.modules["_deskhand_hook"]  # from an earlier time
    path = os.path.join(_HERE, "hook.py")
    loader = SourceFileLoader("_deskhand_hook", path)
    hook: Any = type(sys)("_deskhand_hook")
    hook.__spec__ = ModuleSpec("_deskhand_hook", loader, origin=path)
    hook.__file__ = path
    sys.modules["_deskhand_hook"] = hook
    loader.exec_module(hook)
    return hook


def _binding(toolkits: Any, system: dict[str, str]) -> str:
    """Import the binding for the toolkit's library that the program has loaded; its name.

    `system` has the path of each library as the binding would load it by itself.
    """
    with open("/proc/self/maps") as file:
        mapped = {line.split(None, 5)[-1].strip() for line in file if ".so" in line}
    names = {os.path.basename(path): path for path in mapped}
    for toolkit in toolkits.TOOLKITS:
        for library, binding in toolkit.native.items():
            path = next((names[name] for name in names if name.startswith(library)), None)
            if path is None:
                continue
            if os.path.realpath(path) != system.get(library):
                raise Unfit(f"it brings its own {toolkit.title} ({path}), for which no binding is made")
            return _imported(toolkit, binding, names)
    raise Unfit("it has loaded no toolkit that can be driven from inside")


def _imported(toolkit: Any, binding: str, names: dict[str, str]) -> str:
    from importlib import import_module
    from importlib.util import find_spec

    spec = find_spec(binding)
    if spec is None or not spec.submodule_search_locations:
        package = toolkit.native_packages[binding]
        raise Unfit(f"{binding} is not installed for {sys.executable}: apt install {package}")
    folder = next(iter(spec.submodule_search_locations))
    if any(own in ("Qt", "Qt5", "Qt6") or (own[:3] == "lib" and ".so" in own) for own in os.listdir(folder)):
        raise Unfit(f"the {binding} of {sys.executable} brings its own {toolkit.title} ({folder})")
    try:
        for part, library in toolkit.native_modules.items():
            if any(name.startswith(library.format(binding[-1])) for name in names):
                import_module(f"{binding}.{part}")
    except ImportError as error:
        raise Unfit(f"{binding} does not match its {toolkit.title}: {error}") from error
    return binding


if __name__ == "__main__":
    main()
