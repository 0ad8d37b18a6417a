"""Unmodified Qt programs start with the agent inside, are driven, and leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deskhand
from deskhand.inject import running
from deskhand.launching import first_window, launcher
from deskhand.launching.output import Output
from deskhand.model.errors import (
    ActionFailed,
    ActionsOff,
    ActionUnsupported,
    AppGone,
    ConnectFailed,
    DeskhandError,
    Disabled,
    InvalidParams,
    LaunchFailed,
    MissingProgram,
    NotFound,
    Unauthorized,
    WaitTimeout,
)
from deskhand.model.operations import Find, GetAppInfo, Press, Screenshot, Wait
from deskhand.processes import registry
from deskhand.serving.endpoints import endpoints, serve
from deskhand.serving.remote import Remote
from deskhand.toolkits import bindings
from tests.asking import ask
from tests.inject.conftest import BINDINGS, bare, plain_environment

__all__ = ["bare"]  # the fixture

PROGRAM = """
import os, sys
from {binding}.QtCore import QTimer
from {binding}.QtWidgets import QApplication, QPushButton
app = QApplication(sys.argv)
button = QPushButton("Buy")
button.clicked.connect(lambda: print("bought", flush=True))
button.clicked.connect(lambda: QTimer.singleShot(0, lambda: {then}))
button.show()
sys.exit(app.exec())
"""

QML = """
import sys
from {binding}.QtGui import QGuiApplication
from {binding}.QtQml import QQmlApplicationEngine
app = QGuiApplication(sys.argv)
engine = QQmlApplicationEngine()
engine.loadData(b'''
import QtQuick
import QtQuick.Window
Window {{ visible: true; width: 200; height: 100; Text {{ objectName: "label"; text: "Buy" }} }}
''')
sys.exit(app.exec())
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # The path of a socket has a limit, which pytest's folders can exceed.
    with tempfile.TemporaryDirectory(prefix="dh.") as short:
        for name in list(os.environ):
            if name not in plain_environment():
                monkeypatch.delenv(name)
        monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
        monkeypatch.setenv(registry.VARIABLE, short)
        yield Path(short)
        left = [str(path) for path in Path(short).rglob("*") if path.is_socket()]
        assert left == [], "sockets stayed behind"


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    def write(
        text: str = PROGRAM, name: str = "shop.py", binding: str = "PySide6", then: str = "None"
    ) -> Path:
        path = tmp_path / name
        path.write_text(text.format(binding=binding, then=then))
        return path

    return write


def until(condition: Callable[[], object], timeout: float = 20) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true"
        time.sleep(0.01)


# -- programs as they are ---------------------------------------------------------------------------


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_is_driven_in_an_interpreter_without_anything_of_ours(program, bare: Path, binding: str):
    with launcher.start([bare, program(binding=binding, then="app.exit(7)")]) as launched:
        assert [node.name for node in ask(launched, Find("button"))] == ["Buy"]
        assert ask(launched, GetAppInfo()).pid == launched.pid
        ask(launched, Press("button"))
        assert launched.wait(20) == 7
        assert launched.stdout == "bought\n"
        assert launched.stderr == ""


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_on_a_private_desktop_is_driven_and_seen(program, bare: Path, binding: str):
    with launcher.start([bare, program(binding=binding)], headless=True, size=(640, 480)) as launched:
        image = ask(launched, Screenshot())
        assert image.png.startswith(b"\x89PNG")
        ask(launched, Press("button"))
        until(lambda: launched.stdout == "bought\n")
    assert launched.returncode is not None


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_qml_program_is_reached(program, bare: Path, binding: str):
    with launcher.start([bare, program(QML, binding=binding)]) as launched:
        assert ask(launched, Wait("#label", timeout=10))


def test_it_is_listed_under_its_name_while_it_runs(program, bare: Path):
    with launcher.start([bare, program()]) as launched:
        entry = registry.app("shop")
        assert (entry.pid, entry.control) == (launched.pid, launched.control)
    assert registry.apps() == ()


def test_it_can_be_given_another_name(program, bare: Path):
    with launcher.start([bare, program()], name="store"):
        assert registry.app("store")


def test_it_serves_the_sockets_that_it_can_itself(program, bare: Path, folder: Path):
    wanted = endpoints([str(folder / "gip"), "http://127.0.0.1:0"])
    with launcher.start([bare, program()], endpoints=wanted) as launched:
        assert [str(ready) for ready in launched.ready] == [f"gip unix:{folder / 'gip'}"]
        assert ask(str(folder / "gip"), Find("button"))


def test_standby_and_read_only_reach_the_program(program, bare: Path):
    with launcher.start([bare, program()], standby=True) as launched, pytest.raises(Disabled):
        ask(launched, Find("button"))
    with launcher.start([bare, program()], read_only=True) as launched, pytest.raises(ActionsOff):
        ask(launched, Press("button"))


def test_every_message_is_written_to_the_wire_log(program, bare: Path, folder: Path, monkeypatch):
    monkeypatch.chdir(folder)
    with launcher.start([bare, program()], log_wire="wire.log", cwd="/") as launched:
        ask(launched, Find("button"))
        assert "deskhand_find" in folder.joinpath("wire.log").read_text()


@pytest.mark.parametrize("shown", [False, True])
def test_the_wire_log_shows_texts_only_if_that_was_asked_for(program, bare: Path, folder: Path, shown: bool):
    log = folder / "wire.log"
    with launcher.start([bare, program()], log_wire=log, log_wire_text=shown) as launched:
        ask(launched, Find('[value="Ada Lovelace"]'))
    assert ("Ada Lovelace" in log.read_text()) is shown


def test_a_program_that_enables_itself_is_served_for_both(program, folder: Path):
    text = PROGRAM.replace("button.show()", "button.show()\nimport deskhand\ndeskhand.enable({gip!r})")
    gip = str(folder / "gip")
    path = program(text.replace("{gip!r}", repr(gip)))
    with launcher.start([sys.executable, path]) as launched:
        assert ask(launched, Find("button"))
        assert ask(gip, Find("button"))
        assert [entry.pid for entry in registry.apps()] == [launched.pid]


def test_a_deskhand_of_the_programs_own_is_used_and_said_to_be(program, bare: Path, tmp_path: Path):
    own = tmp_path / "own" / "deskhand"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(deskhand.__file__).parent, own, ignore=ignored)
    text = own.joinpath("__init__.py").read_text()
    own.joinpath("__init__.py").write_text(text.replace('__version__ = "', '__version__ = "9.'))
    with launcher.start([bare, program()], env={"PYTHONPATH": str(own.parent)}) as launched:
        assert ask(launched, Find("button"))
        assert launched.version is not None
        assert launched.version.startswith("9.")


# -- programs that start programs, and that start anew ------------------------------------------------

STARTS_ANOTHER = """
import subprocess, sys
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication(sys.argv)
button = QPushButton("Second" if "second" in sys.argv else "First")
button.show()
if "second" not in sys.argv:
    child = subprocess.Popen([sys.executable, sys.argv[0], "second"], stdin=subprocess.PIPE)
sys.exit(app.exec())
"""


def test_a_second_program_can_be_driven_beside_the_first(program, bare: Path, folder: Path):
    with launcher.start(
        [bare, program(STARTS_ANOTHER)], endpoints=endpoints(str(folder / "gip"))
    ) as launched:
        until(lambda: len(registry.apps()) == 2)
        [other] = [entry for entry in registry.apps() if entry.pid != launched.pid]
        assert [node.name for node in ask(launched, Find("button"))] == ["First"]
        assert [node.name for node in ask(other, Find("button"))] == ["Second"]
        assert [node.name for node in ask(str(folder / "gip"), Find("button"))] == ["First"]
        assert other.endpoints == ()
    until(lambda: not registry.apps())  # removes the socket of the second, once that is gone


WAITS_FOR_ANOTHER = """
import pathlib, subprocess, sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication(sys.argv)
goes, ended = pathlib.Path(sys.argv[0] + ".goes"), "ended" in sys.argv
button = QPushButton("Second" if "second" in sys.argv else "First")
button.show()
if "second" in sys.argv:
    QTimer.singleShot(50, goes.touch)
else:
    child = subprocess.Popen([sys.executable, sys.argv[0], "second"], stdin=subprocess.PIPE)
    while child.poll() is None if ended else not goes.exists():
        time.sleep(0.01)
sys.exit(app.exec())
"""


def test_the_first_program_is_the_app_also_if_another_that_it_starts_runs_its_loop_before(
    program, bare: Path
):
    with launcher.start([bare, program(WAITS_FOR_ANOTHER)]) as launched:
        assert [node.name for node in ask(launched, Find("button"))] == ["First"]
        until(lambda: len(registry.apps()) == 2)
    until(lambda: not registry.apps())


def test_a_program_whose_first_process_waits_for_another_is_driven_there(program, bare: Path):
    with launcher.start([bare, program(WAITS_FOR_ANOTHER), "ended"]) as launched:
        assert [node.name for node in ask(launched, Find("button"))] == ["Second"]
    until(lambda: not registry.apps())


def test_other_programs_are_left_alone_if_that_is_wanted(program, bare: Path, tmp_path: Path):
    text = """
import os, subprocess, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication(sys.argv)
button = QPushButton("Buy")
button.show()
def ask():
    code = "import json, os; print(json.dumps(sorted(os.environ)))"
    print(subprocess.check_output([sys.executable, "-c", code], text=True), flush=True)
button.clicked.connect(ask)
sys.exit(app.exec())
"""
    path = tmp_path / "shop.py"
    path.write_text(text)
    with launcher.start([bare, path], children=False) as launched:
        ask(launched, Press("button"))
        until(lambda: launched.stdout.strip())
        names = json.loads(launched.stdout)
    assert not {"DESKHAND_AGENT", "PYTHONPATH"} & set(names)
    assert "QT_QPA_PLATFORM" in names


def test_a_program_that_starts_itself_anew_is_still_reached(program, bare: Path):
    text = PROGRAM.replace("sys.exit(app.exec())", "print('shown', flush=True)\nsys.exit(app.exec())")
    path = program(text, then="os.execv(sys.executable, [sys.executable, sys.argv[0]])")
    with launcher.start([bare, path]) as launched:
        with contextlib.suppress(AppGone):  # the in-app agent may be gone before it answers
            ask(launched, Press("button"))
        until(lambda: launched.stdout.count("shown") == 2)

        def answers() -> bool:
            try:
                return bool(ask(launched, Find("button")))
            except (AppGone, ConnectFailed):
                return False

        until(answers)
        assert registry.app("shop").control == launched.control


# -- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["kill", "abort", "os._exit", "quit"])
def test_waiting_calls_learn_at_once_that_the_program_is_gone(program, bare: Path, end: str):
    then = {"abort": "os.abort()", "os._exit": "os._exit(3)", "quit": "app.quit()"}.get(end, "None")
    with launcher.start([bare, program(then=then)], endpoints=endpoints(_in_temp("gip"))) as launched:
        gip = Path(launched.ready[0].url.partition(":")[2])
        caught: list[DeskhandError] = []
        elapsed: list[float] = []

        def wait() -> None:
            started = time.monotonic()
            try:
                ask(launched, Wait("#nothing", timeout=60))
            except DeskhandError as error:
                caught.append(error)
            elapsed.append(time.monotonic() - started)

        waiting = threading.Thread(target=wait)
        waiting.start()
        ask(launched, Find("button"))
        if end == "kill":
            os.kill(launched.pid, signal.SIGKILL)
        else:
            with contextlib.suppress(AppGone):  # the in-app agent may be gone before it answers
                ask(launched, Press("button"))
        waiting.join(20)
        assert isinstance(caught[0], AppGone)
        assert elapsed[0] < 10
        launched.wait(20)
    assert not gip.exists()
    assert not Path(launched.control).exists()
    assert registry.apps() == ()


def test_closing_ends_the_program_and_all_that_it_started(program, bare: Path):
    text = "import subprocess\nsubprocess.Popen(['sleep', '1234'])\n" + PROGRAM
    with launcher.start([bare, program(text)]) as launched:
        children = Path(f"/proc/{launched.pid}/task/{launched.pid}/children").read_text().split()
        assert children
    assert not Path(f"/proc/{launched.pid}").exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def _in_temp(name: str) -> str:
    return str(Path(os.environ[registry.VARIABLE]) / name)


# -- what does not start ----------------------------------------------------------------------------


def test_a_command_in_one_text_is_refused_with_the_list_to_write():
    with pytest.raises(InvalidParams) as caught:
        launcher.start("python 'my app.py'")
    assert caught.value.suggestions == ("write ['python', 'my app.py']",)


def test_a_program_that_ends_before_it_has_a_window_is_reported_with_its_last_output(bare: Path):
    with pytest.raises(LaunchFailed) as caught:
        launcher.start([bare, "-c", "import sys; print('sold out', file=sys.stderr); sys.exit(4)"])
    assert "ended with exit code 4 before it had a window; its last words:\n  sold out" in str(caught.value)
    assert caught.value.details["exit_code"] == 4
    assert caught.value.details["stderr"] == "sold out\n"


def test_a_java_program_that_cannot_load_the_agent_is_reported_with_what_to_do(bare: Path):
    said = "Module java.instrument may be missing from runtime image."
    with pytest.raises(LaunchFailed, match="its last words") as caught:
        launcher.start([bare, "-c", f"import sys; print({said!r}); sys.exit(1)"])
    assert said in caught.value.message
    assert "jlink --add-modules java.instrument" in caught.value.suggestions[0]


def test_a_program_that_crashes_before_it_has_a_window_is_reported_by_its_signal(bare: Path):
    with pytest.raises(LaunchFailed, match="was ended by SIGKILL before it had a window"):
        launcher.start([bare, "-c", "import os; os.kill(os.getpid(), 9)"])


def test_the_end_of_everything_is_noticed_when_the_folder_of_reports_is_removed_first(monkeypatch):
    wake = first_window.Reports.wake

    def wake_late(reports: first_window.Reports) -> None:
        until(lambda: not reports.path.exists())
        wake(reports)

    monkeypatch.setattr(first_window.Reports, "wake", wake_late)
    with pytest.raises(LaunchFailed, match=r"was ended (by SIGTERM )?before it had a window"):
        launcher.start(["sh", "-c", "kill $PPID; sleep 1000"], timeout=10)  # $PPID is the supervisor


def test_a_desktop_that_ends_before_the_program_starts_is_the_reason(monkeypatch):
    place = launcher._place

    def place_and_end(*arguments: Any) -> Any:
        supervisor, env = place(*arguments)
        os.kill(supervisor.pid, signal.SIGTERM)
        until(lambda: not supervisor.folder.exists())
        return supervisor, env

    monkeypatch.setattr(launcher, "_place", place_and_end)
    with pytest.raises(LaunchFailed, match=r"before it had a window: the supervisor \(pid \d+\) "):
        launcher.start(["true"])


def test_a_command_that_does_not_exist_is_reported():
    with pytest.raises(LaunchFailed, match="no_such_program_of_that_name"):
        launcher.start(["no_such_program_of_that_name"])


@pytest.mark.parametrize(
    ("command", "timeout", "reason"),
    [
        (["{python}", "-c", "input()"], 1.5, "runs Python, but has made no application object"),
        (
            ["sleep", "100"],
            0.5,
            "is not a Python program; an agent can be put into PySide6, PyQt6, PyQt5, PySide2, wxPython",
        ),
        (["sh", "-c", "{python} -I -c 'input()'; true"], 1.5, "options that keep our hook out: .* -I"),
        (
            ["env", "-i", "{python}", "-c", "input()"],
            1.5,
            "without DESKHAND_AGENT: something on the way cleared",
        ),
        (
            ["{python}", "-c", "import PySide6.QtWidgets; input()"],
            4,  # on a busy machine it takes a while to load
            "has loaded Qt, but its event loop does not run",
        ),
    ],
)
def test_a_program_that_never_makes_a_qt_application_is_reported_with_the_reason(
    bare: Path, command: list[str], timeout: float, reason: str
):
    reader, writer = os.pipe()
    try:
        with pytest.raises(WaitTimeout, match=reason) as caught:
            launcher.start([part.format(python=bare) for part in command], timeout=timeout, stdin=reader)
        assert str(caught.value).startswith(f"waited {timeout:g} s for '")
    finally:
        os.close(reader)
        os.close(writer)


def test_an_old_python_is_named(bare: Path):
    old = [path for path in Path.home().glob(".pyenv/versions/3.[6-9].*/bin/python") if path.exists()]
    if not old:
        pytest.skip("no old Python on this machine")
    reader, writer = os.pipe()
    try:
        with pytest.raises(WaitTimeout, match=r"runs Python 3\.\d; deskhand needs 3\.10"):
            launcher.start([old[0], "-c", "input()"], timeout=1.5, stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)


def test_an_address_that_is_taken_is_reported_before_the_start_and_keeps_its_owner(folder: Path):
    taken = folder / "taken"
    with serve(_NoApp(), endpoints(str(taken))):
        with pytest.raises(
            ActionFailed, match=rf"cannot serve gip at {taken}: .* in use by \S+ \({os.getpid()}\)"
        ):
            launcher.start(["touch", str(folder / "started")], endpoints=endpoints(str(taken)))
        assert taken.is_socket()
    assert not (folder / "started").exists()


def test_without_a_display_it_says_what_to_do(program, bare: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(LaunchFailed, match="no display here") as caught:
        launcher.start([bare, program()])
    assert "--headless" in caught.value.suggestions[0]
    with launcher.start([bare, program(), "-platform", "offscreen"]) as launched:
        assert ask(launched, Find("button"))


class _NoApp:
    """A runner that is never asked."""

    def run(self, operation: object, cancel: object = None) -> object:
        raise AssertionError

    def close(self) -> None: ...


# -- the whole life of a command ----------------------------------------------------------------------

RUN = """
import sys
from deskhand.launching import launcher
from deskhand.serving.remote import Remote
from deskhand.serving.endpoints import endpoints

def ready(all):
    for each in all:
        print("ready", each, flush=True)
    print("ready", flush=True)

sys.exit(launcher.run(sys.argv[2:], endpoints=endpoints(sys.argv[1].split(",")), ready=ready,
                      connect=lambda control: Remote("unix:" + control).open()))
"""


class Hub:
    """A process that runs an app and serves it."""

    def __init__(self, gip: str, *argv: str | Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, gip, *map(str, argv)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def says(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().rstrip("\n")
        assert line, self.process.communicate()[1]
        return line


@pytest.fixture
def hub() -> Iterator[Callable[..., Hub]]:
    started: list[Hub] = []

    def start(*arguments: Any) -> Hub:
        started.append(Hub(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.terminate()
        each.process.communicate(timeout=30)


def test_an_app_is_served_until_it_ends_and_its_exit_code_is_passed_on(
    program, bare: Path, folder: Path, hub
):
    running_hub = hub(f"{folder}/gip,http://127.0.0.1:0", bare, program(then="app.exit(7)"))
    assert running_hub.says() == f"ready gip unix:{folder}/gip"
    web = running_hub.says()
    assert web.startswith("ready gip http://127.0.0.1:")
    assert running_hub.says() == "ready"
    url = web.split()[-1]
    assert [node.name for node in ask(url, Find("button"))] == ["Buy"]
    ask(url, Press("button"))
    assert running_hub.says() == "bought"
    assert running_hub.process.wait(30) == 7


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("when", ["ready", "starting"])
def test_a_signal_ends_both_and_leaves_nothing(
    program, bare: Path, folder: Path, hub, number: int, code: int, when: str, monkeypatch, tmp_path: Path
):
    monkeypatch.setenv("TMPDIR", str(folder))
    said = tmp_path / "pid"
    text = f"import os\nopen({str(said)!r}, 'w').write(str(os.getpid()))\n"
    text += PROGRAM if when == "ready" else "import time\ntime.sleep(100)"
    running_hub = hub(f"{folder}/gip", bare, program(text))
    if when == "ready":
        assert [running_hub.says(), running_hub.says()] == [f"ready gip unix:{folder}/gip", "ready"]
    until(lambda: said.exists() and said.read_text())
    running_hub.process.send_signal(number)
    assert running_hub.process.wait(30) == code
    assert not Path(f"/proc/{said.read_text()}").exists()
    assert [path for path in folder.rglob("*") if path.name not in ("apps",)] == []


def test_a_hub_that_is_killed_outright_leaves_nothing(program, bare: Path, folder: Path, hub, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(folder))
    running_hub = hub(f"{folder}/gip", bare, program())
    assert [running_hub.says(), running_hub.says()] == [f"ready gip unix:{folder}/gip", "ready"]
    pid = registry.app("shop").pid
    running_hub.process.kill()
    until(lambda: not Path(f"/proc/{pid}").exists())
    # Not rglob: folders vanish meanwhile.
    until(lambda: [found for found in os.walk(folder) if found[2] or set(found[1]) - {"apps"}] == [])


# -- apps that run already ------------------------------------------------------------------------


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []

    def start(*argv: str | Path) -> subprocess.Popen[str]:
        processes.append(
            subprocess.Popen(
                [str(part) for part in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()
    registry.apps()  # removes what the killed have left


WAYS = {"gdb": shutil.which("gdb") is not None, "hypno": running.find_spec("hypno") is not None}


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("way", WAYS)
def test_an_agent_is_put_into_a_program_that_runs(
    program, bare: Path, started, binding: str, way: str, monkeypatch: pytest.MonkeyPatch
):
    if not WAYS[way]:
        pytest.skip(f"{way} is not installed")
    monkeypatch.setattr(running, "find_spec", lambda name: way == "hypno" or None)
    process = started(
        bare, program(PROGRAM.replace("sys.exit", "print('shown', flush=True)\nsys.exit"), binding=binding)
    )
    assert process.stdout.readline() == "shown\n"
    entry = launcher.attach(process.pid, name="found").entry
    assert (entry.name, entry.pid) == ("found", process.pid)
    ask(entry, Press("button"))
    assert process.stdout.readline() == "bought\n"
    assert launcher.attach(process.pid).entry == entry


STARTING = """
import sys, time
from PySide6.QtWidgets import QApplication, QPushButton
print("loaded", flush=True)
while {condition}:
    time.sleep(0.01)
app = QApplication(sys.argv)
button = QPushButton("Buy")
button.clicked.connect(lambda: print("bought", flush=True))
button.show()
sys.exit(app.exec())
"""


@pytest.mark.parametrize("way", WAYS)
def test_attaching_to_a_program_that_is_still_starting_waits_for_its_application_object(
    bare: Path, started, way: str, monkeypatch: pytest.MonkeyPatch
):
    if not WAYS[way]:
        pytest.skip(f"{way} is not installed")
    monkeypatch.setattr(running, "find_spec", lambda name: way == "hypno" or None)
    process = started(bare, "-c", STARTING.format(condition='"_deskhand_hook" not in sys.modules'))
    assert process.stdout.readline() == "loaded\n"

    entry = launcher.attach(process.pid).entry

    assert entry.pid == process.pid
    ask(entry, Press("button"))
    assert process.stdout.readline() == "bought\n"


def test_attaching_to_a_program_that_never_makes_its_application_object_says_so(bare: Path, started):
    if not any(WAYS.values()):
        pytest.skip("nothing to get in with")
    process = started(bare, "-c", STARTING.format(condition="True"))
    assert process.stdout.readline() == "loaded\n"
    with pytest.raises(LaunchFailed, match="no application object in this process; PySide6 is loaded"):
        launcher.attach(process.pid, timeout=2)


def test_an_app_with_an_agent_is_attached_to_as_it_is(program, bare: Path):
    with launcher.start([bare, program()]) as launched:
        assert launcher.attach(launched.pid).entry.control == launched.control


def test_attaching_to_a_python_program_without_qt_says_so(bare: Path, started):
    if not any(WAYS.values()):
        pytest.skip("nothing to get in with")
    process = started(bare, "-c", "print('runs', flush=True); input()")
    assert process.stdout.readline() == "runs\n"
    with pytest.raises(
        LaunchFailed,
        match=f"no application object in this process; none of {', '.join(bindings())} is loaded",
    ):
        launcher.attach(process.pid)


def test_attaching_to_a_program_that_is_not_python_says_so(started):
    process = started("sleep", "100")
    with pytest.raises(ActionUnsupported, match="is not a Python program"):
        launcher.attach(process.pid)


def test_attaching_to_what_may_not_be_looked_at_says_what_it_is_and_what_to_do(started, monkeypatch):
    process = started("sleep", "100")
    monkeypatch.setattr(running.diagnose, "look", lambda pid: None)
    with pytest.raises(Unauthorized, match=rf"process {process.pid} \(.+\) cannot be traced") as caught:
        launcher.attach(process.pid)
    assert "pgrep" in caught.value.suggestions[0]


def test_attaching_to_a_process_that_does_not_exist_says_so():
    with pytest.raises(NotFound, match="no process has the id 4194305"):
        launcher.attach(4194305)


def test_attaching_without_a_way_in_names_what_to_install(
    bare: Path, started, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    monkeypatch.setattr(running.shutil, "which", lambda name: None)
    monkeypatch.delattr(sys, "remote_exec", raising=False)
    process = started(bare, "-c", "print('runs', flush=True); input()")
    assert process.stdout.readline() == "runs\n"
    with pytest.raises(MissingProgram, match="hypno or gdb") as caught:
        launcher.attach(process.pid)
    assert "deskhand[attach]" in caught.value.suggestions[0]


def test_an_attached_app_is_served_until_it_ends(program, bare: Path, folder: Path):
    with launcher.start([bare, program(then="app.quit()")]) as launched:
        heard: list[Any] = []

        def ready(all_ready: tuple[Any, ...]) -> None:
            heard.extend(all_ready)
            ask(str(folder / "gip"), Press("button"))

        code = launcher.serve_attached(
            registry.app(pid=launched.pid),
            endpoints=endpoints(str(folder / "gip")),
            connect=lambda control: Remote(f"unix:{control}").open(),
            ready=ready,
        )
        assert (code, [str(each) for each in heard]) == (0, [f"gip unix:{folder / 'gip'}"])
        assert not folder.joinpath("gip").exists()


ELSEWHERE = """
import os, signal, sys, threading
from deskhand.launching import launcher
from deskhand.processes import registry

def other():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    threading.Event().wait()

def ready(_):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
threading.Thread(target=other, daemon=True).start()
entry = registry.AppEntry("app", os.getppid(), "nowhere")
sys.exit(launcher.serve_attached(entry, connect=None, ready=ready))
"""


def test_a_signal_that_another_thread_takes_ends_the_serving_all_the_same():
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], timeout=30, check=False)
    assert done.returncode == 128 + signal.SIGTERM


def test_the_log_of_an_app_has_what_the_end_leaves_out_also_after_the_app_has_ended(tmp_path: Path) -> None:
    output = Output(tmp_path / "stdout")
    (tmp_path / "stdout").write_text("first\n" + "line\n" * 2000)
    for _ in range(2):
        assert output.log.startswith("first\nline\n")
        assert output.end.startswith("… (6006 bytes before)\nline\n")
        output.finish()
        (tmp_path / "stdout").unlink(missing_ok=True)
