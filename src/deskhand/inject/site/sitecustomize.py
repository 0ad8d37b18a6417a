"""Put first on PYTHONPATH by `deskhand run`: watches for a Qt application, then gets out of the way.

Any interpreter may meet this file, also one too old for us, which must not notice: hence the old syntax.
"""
# ruff: noqa: PTH100, PTH118, PTH120 - pathlib would be loaded into a program that may have no use for it
# The old syntax has no types.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, import-not-found"

import os
import sys


def _watch():
    """Load the hook by its path alone: nothing of ours becomes importable by this."""
    from importlib.machinery import ModuleSpec, SourceFileLoader

    path = os.path.join(os.path.dirname(_HERE), "hook.py")
    loader = SourceFileLoader("_deskhand_hook", path)
    hook = type(sys)("_deskhand_hook")
    hook.__spec__ = ModuleSpec("_deskhand_hook", loader, origin=path)
    hook.__file__ = path
    sys.modules["_deskhand_hook"] = hook
    loader.exec_module(hook)
    hook.on_application(hook.start_agent)


def _chain():
    """Run the sitecustomize that would have run without us."""
    sys.path[:] = [entry for entry in sys.path if entry != _HERE]
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401 - run for its effect; what it raises is for `site` to report
    except ImportError as error:
        sys.modules["sitecustomize"] = ours
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise


_HERE = os.path.dirname(os.path.abspath(__file__))
if sys.version_info >= (3, 10) and "DESKHAND_AGENT" in os.environ:
    _watch()
_chain()
