"""Runs a program for an interpreter that ignores PYTHONPATH: `python -I isolated.py script.py arguments`.

A script of its own, and as far as the program can tell not there: argv, the module search path and `__main__`
are as they would be without it. Takes what Python takes: a script, a folder or archive, -m, -c.
"""
# ruff: noqa: PTH100, PTH109, PTH113, PTH118, PTH120, PTH123 - pathlib would be loaded into a program that may have no use for it

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

ModuleType = type(sys)
_HERE = os.path.dirname(os.path.abspath(__file__))


def main(arguments: list[str]) -> None:
    """Watch for a Qt application, then run the program that the arguments name."""
    _watch()
    first, *rest = arguments
    if first == "-c":
        code, *rest = rest
        _begin(["-c", *rest], "")
        _run(code, "<string>", None)
    elif first == "-m":
        module, *rest = rest
        _begin(["-m", *rest], os.getcwd())
        _run_module(module, alter_argv=True)
    elif os.path.isfile(first) and _is_source(first):
        path = os.path.abspath(first)
        _begin(arguments, os.path.dirname(path))
        with open(path, "rb") as file:
            _run(file.read(), path, SourceFileLoader("__main__", path))
    else:
        _begin(arguments, None)
        sys.path.insert(0, first)
        _run_module("__main__", alter_argv=False)


def _watch() -> None:
    path = os.path.join(_HERE, "hook.py")
    loader = SourceFileLoader("_deskhand_hook", path)
    hook = ModuleType("_deskhand_hook")
    hook.__spec__ = ModuleSpec("_deskhand_hook", loader, origin=path)
    hook.__file__ = path
    sys.modules["_deskhand_hook"] = hook
    loader.exec_module(hook)
    hook.on_application(hook.start_agent)


def _begin(argv: list[str], folder: str | None) -> None:
    """What Python does before it runs a program: its arguments, and its folder first on the path."""
    sys.argv[:] = argv
    # Isolated or safe, Python puts nothing on the path; otherwise it has put our own folder there.
    if not sys.flags.isolated and not getattr(sys.flags, "safe_path", False):
        sys.path[:1] = [] if folder is None else [folder]
    # With -S alone PYTHONPATH is heeded, but the sitecustomize that it leads to is not.
    sys.path[:] = [entry for entry in sys.path if entry != os.path.join(_HERE, "site")]


def _is_source(path: str) -> bool:
    with open(path, "rb") as file:
        return b"\0" not in file.read(1024)


def _run(source: bytes | str, name: str, loader: SourceFileLoader | None) -> None:
    main = ModuleType("__main__")
    if loader is not None:
        main.__file__ = name
    main.__loader__ = loader
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 - that is what it is for


def _run_module(name: str, *, alter_argv: bool) -> None:
    import runpy

    # What `python -m` itself calls; the public functions run the module in a copy that is not __main__.
    runpy._run_module_as_main(name, alter_argv=alter_argv)  # type: ignore[attr-defined]  # noqa: SLF001 - as said


if __name__ == "__main__":
    main(sys.argv[1:])
