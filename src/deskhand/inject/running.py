"""Gets our agent into a Python program that runs already, by what this machine offers for it.

In order: the package hypno, the program gdb, and `sys.remote_exec` (Python 3.14 or later, the same on both
sides), which comes last because it waits until the program next runs some Python of its own: an idle window
does not. All need the right to trace the process: the same user and kernel.yama.ptrace_scope 0, or root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..model.errors import ActionUnsupported, LaunchFailed, MissingProgram, NotFound, Unauthorized
from . import diagnose, preload
from .command import PACKAGE

_HOOK = Path(__file__).with_name("hook.py")
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")

_SCRIPT = """\
import sys
if "_deskhand_hook" not in sys.modules:
    from importlib.machinery import ModuleSpec, SourceFileLoader
    loader = SourceFileLoader("_deskhand_hook", {hook!r})
    module = type(sys)("_deskhand_hook")
    module.__spec__ = ModuleSpec("_deskhand_hook", loader, origin={hook!r})
    module.__file__ = {hook!r}
    sys.modules["_deskhand_hook"] = module
    loader.exec_module(module)
sys.modules["_deskhand_hook"].start_running({settings!r})
"""

_BOOT_SCRIPT = """\
import sys
from importlib.machinery import SourceFileLoader
boot = type(sys)("_deskhand_boot")
boot.__file__ = {boot!r}
SourceFileLoader("_deskhand_boot", {boot!r}).exec_module(boot)
boot.main({settings!r})
"""
_WITHDRAW = (
    "import sys; sys.modules['_deskhand_hook'].withdraw() if '_deskhand_hook' in sys.modules else None"
)


def inject(pid: int, settings: Mapping[str, Any], folder: Path, timeout: float) -> None:
    """Let the Python in a process start our agent, which then reports as `settings` say.

    What it loads is put in `folder`, which it must see, and which must stay until it has reported.
    """
    version = _version(look_into(pid))
    script = folder / "attach.py"
    wanted = json.dumps({"package": str(PACKAGE.parent), **settings})
    script.write_text(_SCRIPT.format(hook=str(_HOOK), settings=wanted), encoding="utf-8")
    code = f"exec(compile(open({str(script)!r}, encoding='utf-8').read(), 'deskhand', 'exec'), dict())"
    _run(pid, version, code, folder, timeout, script)


def _run(
    pid: int, version: tuple[int, int], code: str, folder: Path, timeout: float, script: Path | None = None
) -> None:
    """Let the Python in a process run some code; `script` is a file with the same."""
    remote_exec = getattr(sys, "remote_exec", None)
    if find_spec("hypno") is not None:
        _trace([sys.executable, "-m", "hypno", str(pid), code], pid, folder, timeout)
    elif gdb := shutil.which("gdb"):
        _trace([gdb, "-p", str(pid), "-batch", "-nx", *_gdb_commands(code)], pid, folder, timeout)
    elif remote_exec is not None and version == sys.version_info[:2] and script is not None:
        remote_exec(pid, str(script))
    else:
        raise _no_tracer(pid)


def inject_native(pid: int, settings: Mapping[str, Any], folder: Path, report: str, timeout: float) -> None:
    """Let a program written in C or C++ start a Python, and our agent there. It reports as `settings` say."""
    wanted = json.dumps({"package": str(PACKAGE.parent), "native": preload.system_libraries(), **settings})
    boot = folder / "boot.py"
    boot.write_text(_BOOT_SCRIPT.format(boot=str(preload.BOOT), settings=wanted), encoding="utf-8")
    try:
        library = preload.prepare(folder, boot, report)
    except preload.Unavailable as error:
        raise ActionUnsupported(
            f"no agent can be put into process {pid}: {error}",
            target=str(pid),
            suggestions=(f"drive it through accessibility: deskhand tree --pid {pid}",),
        ) from None
    if find_spec("pyinjector") is not None:
        _trace([sys.executable, "-m", "pyinjector", str(pid), str(library)], pid, folder, timeout)
    elif gdb := shutil.which("gdb"):
        load = f'call (void *)dlopen("{library}", 2)'
        _trace([gdb, "-p", str(pid), "-batch", "-nx", "-ex", load], pid, folder, timeout)
    else:
        raise _no_tracer(pid)


def withdraw(pid: int, folder: Path, timeout: float) -> None:
    """Let the Python in a process end our agent there, and take out what else it has of ours.

    `folder` is one that it sees.
    """
    _run(pid, _version(look_into(pid)), _WITHDRAW, folder, timeout)


def look_into(pid: int) -> diagnose.Seen:
    """What is in a process, if it is there and ours to get into."""
    if sys.platform != "linux":
        raise ActionUnsupported(f"getting into a running process needs Linux; this is {sys.platform!r}")
    if not Path(f"/proc/{pid}").exists():
        raise NotFound(f"no process has the id {pid}", target=str(pid))
    owner = Path(f"/proc/{pid}").stat().st_uid
    if owner != os.geteuid():
        raise Unauthorized(
            f"process {pid} belongs to user {owner}; we are user {os.geteuid()}",
            target=str(pid),
            suggestions=("run this as that user",),
        )
    seen = diagnose.look(pid)
    if seen is None:
        raise Unauthorized(
            f"process {pid} ({_name(pid)}) cannot be traced, so no agent can be loaded into it",
            target=str(pid),
            suggestions=("name the process of an app; pgrep -af python lists those that may be one",),
        )
    return seen


def _version(seen: diagnose.Seen) -> tuple[int, int]:
    """The version of the Python in a process, if we can get into that."""
    if seen.python is None or seen.python < (3, 10):
        verdict = diagnose.judge(seen)
        raise ActionUnsupported(verdict.reason, target=str(seen.pid), suggestions=verdict.suggestions)
    return seen.python


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "?"


def _no_tracer(pid: int) -> MissingProgram:
    return MissingProgram(
        f"getting into process {pid} needs hypno or gdb; neither is installed",
        missing="hypno",
        package="hypno",
        suggestions=(
            "pip install 'deskhand[attach]'",
            "or apt install gdb",
            "or start the app with deskhand run",
        ),
    )


def _gdb_commands(code: str) -> list[str]:
    quoted = code.replace("\\", "\\\\").replace('"', '\\"')
    commands = (
        "set confirm off",
        "set $held = (int)PyGILState_Ensure()",
        f'call (int)PyRun_SimpleString("{quoted}")',
        "call (void)PyGILState_Release($held)",
    )
    return [part for command in commands for part in ("-ex", command)]


def _trace(command: list[str], pid: int, folder: Path, timeout: float) -> None:
    """Run a program that traces the process."""
    # hypno lets the process load a library that it writes at that moment: one with a /tmp of its own sees
    # what is new in the machine's /tmp only a little later.
    env = {**os.environ, "TMPDIR": str(folder)}
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace", timeout=timeout, env=env
        )
    except subprocess.TimeoutExpired:
        raise LaunchFailed(
            f"getting into process {pid} took longer than {timeout:g} s; its Python may be blocked",
            target=str(pid),
        ) from None
    said = f"{done.stdout}\n{done.stderr}".strip()
    if done.returncode == 0 and "ptrace: " not in said:
        return
    if "not permitted" in said or "ermission" in said:
        scope = f" (kernel.yama.ptrace_scope is {_SCOPE.read_text().strip()})" if _SCOPE.exists() else ""
        raise Unauthorized(
            f"process {pid} may not be traced{scope}",
            target=str(pid),
            suggestions=("run this as root", "or sysctl kernel.yama.ptrace_scope=0"),
        )
    raise LaunchFailed(
        f"getting into process {pid} failed: {said[-500:]}", target=str(pid), command=command[:3]
    )
