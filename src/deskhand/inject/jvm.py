"""Gets our agent into a Java virtual machine: from its start, or into one that runs already.

From its start by an option in JAVA_TOOL_OPTIONS, which every JVM reads, however it is started. The same
variable brings Swing programs onto the accessibility bus, by the bridge that Debian has for them. Into a
running one by HotSpot's attach protocol, spoken here: a file in its folder and SIGQUIT let it listen on a
socket, which takes the order to load a jar. What the agent says is its adapter's matter.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import stat
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..model.errors import ActionUnsupported, LaunchFailed, MissingProgram, Unauthorized

JAR = Path(__file__).parents[1] / "native" / "deskhand-javafx.jar"
VARIABLE = "JAVA_TOOL_OPTIONS"

BRIDGE_PACKAGE = "libatk-wrapper-java"
"""The Debian package that brings Swing programs onto the accessibility bus."""
_BRIDGE = Path("/usr/share/java/java-atk-wrapper.jar")
_LIBRARIES, _BRIDGE_LIBRARY = Path("/usr/lib"), "*/jni/libatk-wrapper.so"
_TECHNOLOGIES = "-Djavax.accessibility.assistive_technologies="

_TEMP = "tmp"
"""HotSpot's folder for its files, whatever TMPDIR says, below the root that the process sees."""
_DISABLED = "-XX:+DisableAttachMechanism"
_POLL = 0.002
_FAILURES = {
    100: "the jar was not found there, or has no agent in it",
    101: "the jar cannot be added to its class path",
    102: "the agent was loaded, but did not start",
}
"""What the JVM's own agent library answers."""
_INSTRUMENT = "Module java.instrument"
_LINK = "add that module to the run-time image of the program: jlink --add-modules java.instrument,…"
_NOTICE = re.compile(rf"^Picked up {VARIABLE}: (.*)\n?", re.MULTILINE)


def instrumented(env: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment in which every JVM has our agent, which listens in the folder, and Swing its bridge.

    Unchanged if neither is installed: most programs need none.
    """
    before = clean(env).get(VARIABLE, "")
    ours = [_option(folder)] if JAR.is_file() else []
    # A program whose options say which of these to use is left alone.
    ours += [] if _TECHNOLOGIES in before else bridge()
    if not ours:
        return dict(env)
    return {**env, VARIABLE: " ".join([before, *ours] if before else ours)}


def accessible(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which Swing programs are on the accessibility bus, and no JVM has our agent."""
    before = clean(env).get(VARIABLE, "")
    ours = [] if _TECHNOLOGIES in before else bridge()
    return {**env, VARIABLE: " ".join([before, *ours] if before else ours)} if ours else dict(env)


def bridge() -> list[str]:
    """The options that bring Swing onto the accessibility bus; none if its package is not installed."""
    libraries = sorted(_LIBRARIES.glob(_BRIDGE_LIBRARY))
    if not _BRIDGE.is_file() or not libraries:
        return []
    # On the boot class path, as programs set the other one themselves; libraries of classes there are
    # looked for in folders of their own, to which this option adds.
    return [
        f"-Xbootclasspath/a:{_BRIDGE}",
        f"-Dsun.boot.library.path={libraries[0].parent}",
        f"{_TECHNOLOGIES}org.GNOME.Accessibility.AtkWrapper",
    ]


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The environment as it would be without us."""
    if (options := env.get(VARIABLE)) is None:
        return dict(env)
    if rest := _without_ours(options):
        return {**env, VARIABLE: rest}
    return {name: value for name, value in env.items() if name != VARIABLE}


def without_notice(text: str) -> str:
    """What a program wrote, without the line by which the JVM tells of our option."""
    if VARIABLE not in text:
        return text
    return _NOTICE.sub(_rest_of_notice, text)


def without_agents(said: str) -> tuple[str, ...]:
    """What to do, if a JVM says that it takes no agent: its run-time image was made without them."""
    return (_LINK,) if _INSTRUMENT in said else ()


def need_jar() -> None:
    """Raise MissingProgram if this installation has no agent for Java."""
    if not JAR.is_file():
        raise MissingProgram(
            f"the agent for JavaFX programs is missing: there is no {JAR}",
            missing=JAR.name,
            package="deskhand",
            suggestions=(
                "in a checkout: make setup, which builds it with javac",
                "else: pip install deskhand, whose wheel brings it along",
            ),
        )


def inject(pid: int, folder: Path, timeout: float) -> None:
    """Let the JVM in a process load our agent, which then listens in the folder.

    Raises ActionUnsupported if it does not allow attaching, Unauthorized if another user's process answers.
    """
    need_jar()
    with contextlib.closing(_connect(pid, time.monotonic() + timeout)) as channel:
        channel.settimeout(timeout)
        words = ("1", "load", "instrument", "false", f"{JAR}={folder}")
        try:
            channel.sendall(b"".join(os.fsencode(word) + b"\0" for word in words))
            with channel.makefile("rb") as answer:
                said = answer.read().decode(errors="replace")
        except TimeoutError:
            raise LaunchFailed(
                f"the JVM in process {pid} did not load the agent within {timeout:g} s; "
                "it may be stopped, or busy collecting garbage",
                target=str(pid),
            ) from None
        except OSError as error:
            raise LaunchFailed(
                f"the JVM in process {pid} broke off while it loaded the agent: {error.strerror}",
                target=str(pid),
            ) from error
    _judge(pid, said)


@dataclass(frozen=True)
class Listening:
    """An agent of ours in a JVM, and where it can be reached."""

    pid: int
    address: str
    """The path of its socket, or a host and port."""
    secret: str | None = None
    """What it wants to hear first at a port, which others on this machine could open too."""


def listening(folder: Path) -> Iterator[Listening]:
    """The agents that listen in a folder. ActionUnsupported if one told that its JVM has no JavaFX."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".sock":
            yield Listening(int(path.stem), str(path))
        elif path.suffix == ".tcp":
            address, _, secret = path.read_text(encoding="ascii").strip().partition(" ")
            yield Listening(int(path.stem), address, secret)
        elif path.suffix == ".none":
            raise ActionUnsupported(
                f"process {path.stem} runs Java without JavaFX, and only programs of JavaFX get an agent",
                target=path.stem,
                suggestions=(
                    f"Swing is driven through accessibility, without one: deskhand tree --pid {path.stem}",
                    "if it has only just been started, try again in a moment",
                ),
            )


def forget(pid: int) -> None:
    """Remove the socket that we let a JVM make, if it was killed: then it could not do so itself."""
    path = Path("/", _TEMP, f".java_pid{pid}")
    with contextlib.suppress(OSError, Unauthorized):
        # A listener says more than the process, which may still end, or wait for its parent.
        if (channel := _open(path, pid)) is None:
            path.unlink()
        else:
            channel.close()


# -- the option ---------------------------------------------------------------------------------


def _option(folder: Path) -> str:
    return _quoted(f"-javaagent:{JAR}={folder}")


def _quoted(option: str) -> str:
    """As a JVM reads it: words are parted by white space, and either kind of quotes holds one together."""
    if not re.search(r"[\s'\"]", option):
        return option
    mark = "'" if '"' in option else '"'
    return f"{mark}{option}{mark}"


def _without_ours(options: str) -> str:
    ours = re.escape(f"-javaagent:{JAR}=")
    left = re.sub(rf"\s*(?:\"{ours}[^\"]*\"|'{ours}[^']*'|{ours}\S*)", "", options).strip()
    return left.replace(" ".join(bridge()), "").strip()


def _rest_of_notice(notice: re.Match[str]) -> str:
    rest = _without_ours(notice[1])
    if rest == notice[1].strip():
        return notice[0]
    return f"Picked up {VARIABLE}: {rest}\n" if rest else ""


# -- the attach protocol ------------------------------------------------------------------------


def _connect(pid: int, deadline: float) -> socket.socket:
    """A connection to the JVM, which is asked to listen if it does not yet."""
    number = _own_number(pid)
    path = _root(pid) / _TEMP / f".java_pid{number}"
    if (channel := _open(path, pid)) is not None:
        return channel
    _insist_on_attachable(pid)
    with _trigger(pid, number):
        os.kill(pid, signal.SIGQUIT)
        while time.monotonic() < deadline:
            if (channel := _open(path, pid)) is not None:
                return channel
            time.sleep(_POLL)  # it announces nothing; the socket is simply there
    raise LaunchFailed(
        f"the JVM in process {pid} did not listen in time; it may be stopped, of another make than "
        f"HotSpot, or started with {_DISABLED}",
        target=str(pid),
        suggestions=("start it with deskhand run",),
    )


def _open(path: Path, pid: int) -> socket.socket | None:
    """A connection to the socket of the JVM; None if there is none, or one without a listener."""
    try:
        seen = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(seen.st_mode) or seen.st_uid != os.geteuid():
        raise _taken_over(path, pid, f"it is not our socket, but belongs to user {seen.st_uid}")
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        channel.settimeout(5)
        channel.connect(str(path))
        answering, user = _peer(channel)
        # In a container the JVM has another number there than here, and the system tells neither.
        if user != os.geteuid() or answering not in (0, pid):
            raise _taken_over(path, pid, f"process {answering} of user {user} listens there")
    except ConnectionRefusedError:
        channel.close()
        return None
    except BaseException:
        channel.close()
        raise
    return channel


def _peer(channel: socket.socket) -> tuple[int, int]:
    """The process and user at the other end."""
    size = struct.calcsize("iII")
    pid, user, _ = struct.unpack("iII", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return pid, user


def _taken_over(path: Path, pid: int, why: str) -> Unauthorized:
    return Unauthorized(
        f"'{path}' should be the socket of the JVM in process {pid}; {why}",
        target=str(pid),
        suggestions=("remove it, and see who put it there",),
    )


@contextlib.contextmanager
def _trigger(pid: int, number: int) -> Iterator[None]:
    """The file that lets the JVM take SIGQUIT for a wish to attach, for as long as it is needed."""
    for place in (Path(f"/proc/{pid}/cwd"), _root(pid) / _TEMP):
        file = place / f".attach_pid{number}"
        try:
            # Anew and never through a link: others may write into that folder too.
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if file.lstat().st_uid != os.geteuid():
                continue
        except OSError:
            continue  # a folder that may not be written to; the JVM looks into the other as well
        try:
            yield
        finally:
            file.unlink(missing_ok=True)
        return
    raise Unauthorized(
        f"neither the folder in which process {pid} runs nor its /{_TEMP} can be written to", target=str(pid)
    )


def _insist_on_attachable(pid: int) -> None:
    """Raise if the signal would not be understood: it makes other programs write a core file and end."""
    if _DISABLED in _read(pid, "cmdline") + _read(pid, "environ"):
        raise ActionUnsupported(
            f"the JVM in process {pid} does not allow attaching: it was started with {_DISABLED}",
            target=str(pid),
            suggestions=("start it without that option", "or start it with deskhand run"),
        )
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", _read(pid, "status"), re.MULTILINE)
    if caught is None or not int(caught[1], 16) >> (signal.SIGQUIT - 1) & 1:
        raise ActionUnsupported(
            f"the JVM in process {pid} does not listen to SIGQUIT, by which it would be asked to accept us: "
            "it has only just been started",
            target=str(pid),
            suggestions=("try again in a moment", "or start it with deskhand run"),
        )


def _judge(pid: int, said: str) -> None:
    """What the JVM answered: a number that says whether it understood, then what the agent library said."""
    status, _, rest = said.partition("\n")
    code = re.search(r"(?:return code: )?(-?\d+)\s*$", rest)
    if status.strip() == "0" and code is not None and code[1] == "0":
        return
    reason = _FAILURES.get(int(code[1])) if code is not None else None
    answered = " ".join((rest or said).split())[:500]
    raise LaunchFailed(
        f"the JVM in process {pid} did not take the agent: {reason or answered or 'it said nothing'}",
        target=str(pid),
        answer=said[:2000],
        suggestions=("start it with deskhand run",) if "ynamic" in said else without_agents(said),
    )


def _root(pid: int) -> Path:
    """The root folder as the process sees it."""
    root = Path(f"/proc/{pid}/root")
    return root if os.access(root / _TEMP, os.X_OK) else Path("/")


def _own_number(pid: int) -> int:
    """The process id as the process itself knows it."""
    numbers = re.search(r"^NSpid:\s*(.+)$", _read(pid, "status"), re.MULTILINE)
    return int(numbers[1].split()[-1]) if numbers else pid


def _read(pid: int, file: str) -> str:
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes().decode(errors="replace")
    except OSError:
        return ""
