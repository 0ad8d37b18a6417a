"""Says why a program that runs has no agent in it, from what /proc shows of its processes. Linux only."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ..toolkits import TOOLKITS, Toolkit, driven_inside
from . import jvm, preload
from .hook import VARIABLE

_JAVA = "Java"
"""What a program is called that has a Java virtual machine and none of the toolkits."""
_ONLY = f"an agent can be put into {driven_inside('and')} programs"
_IN_ORDER = sorted(TOOLKITS, key=lambda toolkit: toolkit.immediate)
"""The toolkits as they are recognised: what is drawn in immediate mode may be in a window of another one."""
_FROM_OUTSIDE = (
    "programs of the desktop are driven through accessibility, without an agent: deskhand tree --pid {}"
)

_DEAF = re.compile(r"-[a-zA-Z]*[IES][a-zA-Z]*")
_LIBPYTHON = re.compile(r"(?:libpython|/python)(\d)\.(\d+)")


_INTERPRETER = re.compile(r"/(?:python|pypy)[\d.]*t?$")


@dataclass(frozen=True)
class Verdict:
    """Why there is no agent, and what to do."""

    reason: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What the system shows of a process."""

    pid: int
    command: tuple[str, ...]
    libraries: str
    has_settings: bool
    """Whether its environment still has what it is to serve."""
    has_jvm_option: bool = False
    """Whether its environment still has our option for a Java virtual machine."""
    enters: tuple[str, ...] = ()
    """The libraries with which our shim enters a program, by its environment."""

    @property
    def python(self) -> tuple[int, int] | None:
        """The version of the Python in it."""
        found = _LIBPYTHON.search(self.libraries)
        return None if found is None else (int(found[1]), int(found[2]))

    @property
    def jvm(self) -> bool:
        """Whether a Java virtual machine is in it."""
        return "/libjvm.so" in self.libraries

    @property
    def record(self) -> Toolkit | None:
        """The toolkit in it; of several the first, as some load another as well."""
        known = (each for each in _IN_ORDER if any(part in self.libraries for part in each.libraries))
        return next(known, None)

    @property
    def toolkit(self) -> str | None:
        """What its toolkit is called, with the version where that matters."""
        if self.record is None:
            return _JAVA if self.jvm else None
        return next(name for part, name in self.record.libraries.items() if part in self.libraries)

    @property
    def runtime(self) -> str:
        """Where the agent of its toolkit runs, if that has one."""
        return self.record.runtime if self.record is not None and self.record.adapter else ""

    @property
    def gets_java_agent(self) -> bool:
        """Whether it is the virtual machine of Java that an agent goes into."""
        return self.jvm and (self.python is None or self.runtime == "java")

    @property
    def native(self) -> bool:
        """Whether it is written in C or C++, with a toolkit whose programs our agent can get into."""
        # What the process runs is last among them.
        is_python = _INTERPRETER.search(self.libraries) is not None
        own_python = self.python is not None and preload.SHIM.name not in self.libraries
        return self._links_native and not (is_python or own_python or self.jvm)

    @property
    def _links_native(self) -> bool:
        return any(library in self.libraries for toolkit in TOOLKITS for library in toolkit.native)

    @property
    def entered(self) -> bool:
        """Whether it is written in C or C++ and our shim is in it, which starts an agent there."""
        entered = any(library in self.libraries for library in self.enters)
        return preload.SHIM.name in self.libraries and self.native and entered

    @property
    def frozen(self) -> bool:
        """Whether it brought its own Python along, as PyInstaller's programs do."""
        return "_MEI" in self.libraries or "/_internal/" in self.libraries


def without_agent(pids: Collection[int]) -> Verdict:
    """Why none of these processes has an agent."""
    return judge(with_window(pids))


def may_get_agent(pids: Collection[int]) -> bool:
    """Whether an agent may still come: what has a toolkit is a kind that gets one, or nothing has one yet."""
    best = with_window(pids)
    return best is None or best.record is None or _gets_agent(best)


def gets_agent(pid: int) -> bool:
    """Whether a process is of a kind that gets an agent."""
    seen = look(pid)
    return seen is not None and _gets_agent(seen)


def was_entered(pid: int) -> bool:
    """Whether our shim is in a process, which starts an agent there unless something is in its way."""
    seen = look(pid)
    return seen is not None and seen.entered


def _gets_agent(seen: Seen) -> bool:
    if seen.entered:
        return True
    if seen.runtime == "java":
        return seen.has_jvm_option
    return seen.runtime == "python" and seen.python is not None and seen.python >= (3, 10) and not seen.frozen


def with_window(pids: Collection[int]) -> Seen | None:
    """Of some processes, the one that is most likely to have the window."""
    seen = [process for pid in sorted(pids) if (process := look(pid))]
    # The one with a toolkit is the one with the window; of several, the last that was started.
    best = next((each for each in reversed(seen) if each.toolkit), None)
    best = best or next((each for each in reversed(seen) if each.python), None)
    return best or (seen[-1] if seen else None)


def judge(seen: Seen | None) -> Verdict:
    """Why this process has no agent."""
    if seen is None:
        return Verdict("it is gone")
    who = f"process {seen.pid} ({seen.command[0] if seen.command else '?'})"
    with_toolkit = f" with {seen.toolkit}" if seen.toolkit else ""
    if seen.frozen:
        return Verdict(
            f"{who} is a frozen program{with_toolkit}, which this version cannot get into",
            ("run it from its source", "or call deskhand.enable() in it and freeze it again"),
        )
    if seen.gets_java_agent:
        return _of_jvm(seen, who)
    if seen.python is None:
        return Verdict(
            f"{who} is not a Python program{with_toolkit}; {_ONLY}",
            (_FROM_OUTSIDE.format(seen.pid),),
        )
    if seen.python < (3, 10):
        return Verdict(f"{who} runs Python {seen.python[0]}.{seen.python[1]}; deskhand needs 3.10 or later")
    if any(_DEAF.fullmatch(part) for part in seen.command[1:]):
        return Verdict(
            f"{who} runs Python with options that keep our hook out: {' '.join(seen.command[:6])}",
            ("start it without -I, -E and -S", "or name the interpreter after `deskhand run --` yourself"),
        )
    if not seen.has_settings:
        return Verdict(
            f"{who} runs Python in an environment without {VARIABLE}: something on the way cleared it",
            ("name the interpreter after `deskhand run --` yourself",),
        )
    if seen.record is not None and seen.runtime == "python":
        return Verdict(
            f"{who} has loaded {seen.record.title}, but its event loop does not run yet",
            ("give it more time", "see whether it waits for something before it shows its window"),
        )
    if seen.toolkit:
        return Verdict(
            f"{who} uses {seen.toolkit}; {_ONLY}",
            (_FROM_OUTSIDE.format(seen.pid),),
        )
    return Verdict(f"{who} runs Python, but has made no application object of a toolkit that we know")


def _of_jvm(seen: Seen, who: str) -> Verdict:
    in_java = [toolkit for toolkit in TOOLKITS if toolkit.runtime == "java"]
    if seen.record is None:
        titles = " nor ".join(each.title for each in in_java)
        return Verdict(f"{who} runs Java, but has loaded neither {titles}")
    if seen.runtime != "java":
        inside = " and ".join(each.title for each in in_java if each.adapter)
        return Verdict(
            f"{who} is a {seen.toolkit} program, and only those of {inside} get an agent",
            (
                _FROM_OUTSIDE.format(seen.pid),
                swing_hint(),
            ),
        )
    if not jvm.JAR.is_file():
        return Verdict(
            f"{who} is a {seen.toolkit} program, and the agent for those is missing: there is no {jvm.JAR}",
            ("in a checkout: make setup, which builds it with javac",),
        )
    if not seen.has_jvm_option:
        return Verdict(
            f"{who} is a {seen.toolkit} program in an environment without our option in {jvm.VARIABLE}",
            (
                "see whether something on the way clears or replaces it",
                f"or get into it now: deskhand attach {seen.pid}",
            ),
        )
    return Verdict(
        f"{who} has loaded {seen.toolkit}, but shows no window yet",
        ("give it more time", "see whether it waits for something before it shows its window"),
    )


def swing_hint() -> str:
    """What a Swing program that is not on the accessibility bus lacks."""
    if not jvm.bridge():
        return (
            f"Swing programs are read and operated with the package {jvm.BRIDGE_PACKAGE}, which is not "
            f"installed: apt install {jvm.BRIDGE_PACKAGE}"
        )
    return (
        f"{jvm.BRIDGE_PACKAGE} is installed, but the program did not get our options in {jvm.VARIABLE}, or "
        "has its own for assistive technologies: see whether something on the way clears or replaces them"
    )


def look(pid: int) -> Seen | None:
    """What the system shows of a process; None if it is gone or not ours to look at."""
    folder = Path(f"/proc/{pid}")
    try:
        command = folder.joinpath("cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
        libraries = folder.joinpath("maps").read_text(errors="replace")
        environment = folder.joinpath("environ").read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        libraries += str(folder.joinpath("exe").readlink())
    return Seen(
        pid,
        tuple(command),
        libraries,
        f"{VARIABLE}=".encode() in environment,
        jvm.JAR.name.encode() in environment,
        preload.entered(environment),
    )
