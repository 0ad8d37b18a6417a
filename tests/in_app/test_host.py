"""A program that calls enable() can be driven, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.in_app import host
from deskhand.in_app import program as own
from deskhand.model.errors import (
    ActionFailed,
    ActionsOff,
    AppGone,
    ConnectFailed,
    Disabled,
    InvalidParams,
    Unauthorized,
)
from deskhand.model.operations import Find, GetAppState, OpenFiles, Ping, Press, SelectView
from deskhand.processes import registry
from deskhand.serving.remote import Remote
from deskhand.transports.socket import SocketChannel, SocketServer
from tests.asking import ask

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = ("PySide6", "PyQt6")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # The path of a socket has a limit, which pytest's folders can exceed.
    with tempfile.TemporaryDirectory(prefix="dh.") as short:
        monkeypatch.setenv(registry.VARIABLE, short)
        monkeypatch.setattr(own, "registered", {})
        yield Path(short)


@pytest.fixture
def adapter() -> Iterator[MemoryAdapter]:
    adapter = MemoryAdapter([Element("window", "Shop", children=[Element("button", "Buy", "buy")])])
    yield adapter
    adapter.close()


@pytest.fixture
def handle(adapter: MemoryAdapter) -> Iterator[host.Handle]:
    with host.enable(adapter=adapter, name="shop") as handle:
        yield handle


# -- the handle ---------------------------------------------------------------------------------


def test_it_is_listed_and_answers_on_a_socket_of_its_own(handle: host.Handle):
    entry = registry.app("shop")
    assert (entry.pid, entry.control, entry.endpoints) == (os.getpid(), handle.control, ())
    assert stat.S_IMODE(Path(entry.control).stat().st_mode) == 0o600
    assert [node.name for node in ask(handle, Find("button"))] == ["Buy"]


def test_closing_leaves_no_socket_entry_or_thread(adapter: MemoryAdapter, folder: Path):
    threads = set(threading.enumerate())
    handle = host.enable(str(folder / "gip"), adapter=adapter)
    assert folder.joinpath("gip").is_socket()
    handle.close()
    handle.close()
    assert [path for path in folder.rglob("*") if not path.is_dir()] == []
    assert set(threading.enumerate()) - threads <= {adapter._gui.thread}
    assert (handle.running, handle.endpoints, handle.control) == (False, (), None)


def test_after_closing_it_can_be_enabled_again(folder: Path):
    for _ in range(2):
        with host.enable(adapter=MemoryAdapter([Element("window", "Shop")])) as handle:
            assert ask(handle, Find("window"))


def test_a_second_call_gives_the_same_handle_and_adds_what_is_new(handle: host.Handle, folder: Path):
    one, two = str(folder / "one"), str(folder / "two")
    assert host.enable(one) is handle
    assert host.enable([one, two]) is handle
    assert handle.endpoints == (f"unix:{one}", f"unix:{two}")
    assert registry.app("shop").endpoints == (f"gip unix:{one}", f"gip unix:{two}")
    assert ask(one, Find("#buy"))
    assert ask(two, Find("#buy"))


def test_switched_off_it_refuses_until_it_is_switched_on(handle: host.Handle):
    handle.enabled = False
    with pytest.raises(Disabled):
        ask(handle, Find("button"))
    ask(handle, Ping())
    handle.enabled = True
    assert ask(handle, Find("button"))


def test_on_standby_it_starts_switched_off(adapter: MemoryAdapter):
    with host.enable(adapter=adapter, standby=True) as handle:
        assert not handle.enabled
        with pytest.raises(Disabled):
            ask(handle, Find("button"))


def test_read_only_answers_and_performs_nothing(adapter: MemoryAdapter):
    with host.enable(adapter=adapter, read_only=True) as handle:
        assert ask(handle, Find("#buy"))
        with pytest.raises(ActionsOff):
            ask(handle, Press("#buy"))


def test_a_second_call_only_restricts(handle: host.Handle):
    host.enable(read_only=True, standby=True)
    host.enable()
    assert not handle.enabled
    handle.enabled = True
    with pytest.raises(ActionsOff):
        ask(handle, Press("#buy"))


def test_a_name_cannot_be_changed_while_it_runs(handle: host.Handle):
    with pytest.raises(InvalidParams, match="already, with name='shop'; wanted 'store'") as caught:
        host.enable(name="store")
    assert caught.value.details["field"] == "name"


def test_an_address_that_is_taken_is_an_error_and_the_others_are_served(handle: host.Handle, folder: Path):
    taken = folder / "taken"
    with host.serve(_NoApp(), host.endpoints(str(taken))):
        with pytest.raises(ActionFailed, match="in use"):
            host.enable([str(folder / "free"), str(taken)])
        assert taken.is_socket()
    assert handle.endpoints == ()
    assert not folder.joinpath("free").exists()
    assert ask(handle, Find("#buy"))


def test_an_address_that_is_taken_at_the_start_leaves_nothing(adapter: MemoryAdapter, folder: Path):
    taken = folder / "taken"
    with host.serve(_NoApp(), host.endpoints(str(taken))), pytest.raises(ActionFailed, match="in use"):
        host.enable(str(taken), adapter=adapter)
    assert registry.apps() == ()
    assert not list(folder.rglob("*.sock"))


def test_web_endpoints_ask_for_the_token(adapter: MemoryAdapter):
    with host.enable(["http://127.0.0.1:0", "ws://127.0.0.1:0"], adapter=adapter, token="secret") as handle:
        assert [url.partition("://")[0] for url in handle.endpoints] == ["http", "ws"]
        for url in handle.endpoints:
            assert ask(url, Find("#buy"), token="secret")
            with pytest.raises(Unauthorized):
                ask(url, Find("#buy"))


def test_the_agent_contract_is_served_to_this_machine_without_commands(adapter: MemoryAdapter):
    with host.enable(agent=0, adapter=adapter, token="secret") as handle:
        (url,) = handle.endpoints
        assert url.startswith("http://127.0.0.1:")
        peer = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
        statuses = []
        for path, token in (("/windows", "wrong"), ("/windows", "secret"), ("/exec", "secret")):
            peer.request("POST", path, "{}", {"Authorization": f"Bearer {token}"})
            reply = peer.getresponse()
            reply.read()
            statuses.append(reply.status)
        peer.close()
        assert statuses == [401, 200, 403]


def test_two_protocols_cannot_share_a_port(adapter: MemoryAdapter):
    with host.enable("http://127.0.0.1:0", adapter=adapter) as handle:
        port = int(handle.endpoints[0].rstrip("/").rpartition(":")[2])
        with pytest.raises(ActionFailed, match="in use"):
            host.enable(agent=port)


def test_http_and_websocket_share_an_address(adapter: MemoryAdapter):
    with host.enable("http://127.0.0.1:0", adapter=adapter) as handle:
        http = handle.endpoints[0]
        ws = http.replace("http://", "ws://")
        host.enable([http, ws])
        assert ask(ws, Find("#buy"))


def test_every_message_is_written_to_the_wire_log(adapter: MemoryAdapter, folder: Path):
    with host.enable(adapter=adapter, log_wire=folder / "wire.log") as handle:
        ask(handle, Find("#buy"))
    assert "deskhand_find" in folder.joinpath("wire.log").read_text()


@pytest.mark.parametrize("shown", [False, True])
def test_the_wire_log_shows_texts_only_if_that_was_asked_for(
    adapter: MemoryAdapter, folder: Path, shown: bool
):
    with host.enable(adapter=adapter, log_wire=folder / "wire.log", log_wire_text=shown) as handle:
        ask(handle, Find('[value="Ada Lovelace"]'))
    assert ("Ada Lovelace" in folder.joinpath("wire.log").read_text()) is shown


@pytest.mark.parametrize("gip", ["", "ftp://x", "x" * 200, "tcp://127.0.0.1:1"])
def test_an_address_that_is_none_is_refused(gip: str):
    with pytest.raises(InvalidParams) as caught:
        host.enable(gip)
    assert caught.value.details["field"] == "gip"


def test_a_bare_name_is_in_the_temp_directory_and_true_is_the_default():
    assert [at.address for at in host.endpoints("my_app")] == [f"{tempfile.gettempdir()}/my_app"]
    assert [at.address for at in host.endpoints(True)] == [f"{tempfile.gettempdir()}/qt_instrument"]
    assert host.endpoints(None) == host.endpoints(False) == host.endpoints([]) == ()


def test_what_the_program_registered_is_asked(adapter: MemoryAdapter):
    opened: list[object] = []
    host.register(app_state=lambda: {"project_loaded": True, "count": 3}, file_open=opened.append)
    with host.enable(adapter=adapter) as handle:
        host.register(view_select=opened.append)
        state = ask(handle, GetAppState())
        ask(handle, OpenFiles(("a.txt",)))
        ask(handle, SelectView("editor"))
    assert (state.project_loaded, state.extra) == (True, {"count": 3})
    assert opened == [["a.txt"], "editor"]


def test_a_request_that_ends_the_serving_is_still_answered(folder: Path):
    class Ending:
        """Closes its own server, as a click on "Quit" does."""

        def handle(self, message: bytes, cancel: object) -> bytes:
            closing_thread = threading.Thread(target=server.close)
            closing_thread.start()
            closing_thread.join(0.1)
            return b'{"answer": true}'

        def refuse(self, reason: str) -> bytes:
            raise AssertionError(reason)

        def close(self) -> None: ...

    server = SocketServer(folder / "gip", lambda *_: Ending())
    with closing(SocketChannel(folder / "gip", 5)) as channel:
        assert channel.exchange(b"{}", 5) == b'{"answer": true}'
    assert not folder.joinpath("gip").exists()


class _NoApp:
    """A runner that is never asked."""

    def run(self, operation: object, cancel: object = None) -> object:
        raise AssertionError

    def close(self) -> None: ...


# -- real programs --------------------------------------------------------------------------------

WINDOW = """
import sys, threading, deskhand
from {binding}.QtWidgets import QApplication, QPushButton
from {binding}.QtCore import QTimer
{before}
app = QApplication(sys.argv)
button = QPushButton("Buy")
button.clicked.connect(lambda: print("bought", flush=True))
button.show()
{after}
app.exec()
{end}
"""


class Program:
    """A program that runs, and says things."""

    def __init__(self, text: str, folder: Path, **env: str) -> None:
        path = folder / "shop.py"
        path.write_text(text)
        self.process = subprocess.Popen(
            [sys.executable, str(path)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def says(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().rstrip("\n")
        if not line:
            raise AssertionError(f"it ended: {self.process.communicate()[1]}")
        return line

    def ends(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


@pytest.fixture
def program(folder: Path) -> Iterator[type[Program]]:
    started: list[Program] = []

    def start(text: str, **values: str) -> Program:
        filled = {"before": "", "after": "", "end": "", "binding": "PySide6", **values}
        started.append(Program(textwrap.dedent(text.format(**filled)), folder))
        return started[-1]

    yield start  # type: ignore[misc]  # a function that makes one
    for each in started:
        each.process.kill()
        each.process.communicate()


SAY_WHERE = """
def say_where():
    if handle.running:
        print(handle.control, flush=True)
    else:
        QTimer.singleShot(5, say_where)
QTimer.singleShot(0, say_where)
"""


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("where", ["before", "after", "thread"])
def test_it_may_be_called_before_or_after_the_application_is_made_and_from_any_thread(
    program, binding: str, where: str
):
    call = "handle = deskhand.enable()\n"
    thread = """
def enable():
    global handle
    handle = deskhand.enable()
other = threading.Thread(target=enable)
other.start()
other.join()
"""
    before = call if where == "before" else ""
    after = {"before": "", "after": call, "thread": thread}[where] + SAY_WHERE
    running = program(WINDOW, binding=binding, before=before, after=after)
    ask(running.says(), Press("button"))
    assert running.says() == "bought"


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_that_ends_removes_its_sockets(program, binding: str, folder: Path):
    after = f"handle = deskhand.enable({str(folder / 'gip')!r})\n{SAY_WHERE}"
    running = program(WINDOW, binding=binding, after=after + "\nbutton.clicked.connect(app.quit)")
    ask(running.says(), Press("button"))
    assert running.ends() == (0, "")
    assert [path for path in folder.rglob("*") if path.is_socket() or path.suffix == ".json"] == []


@pytest.mark.parametrize("binding", BINDINGS)
def test_serving_ends_with_the_application_object_and_begins_again_with_the_next(
    program, binding: str, folder: Path
):
    again = """
del button
if "{binding}" == "PySide6":
    app.shutdown()
del app
import gc; gc.collect()
print(handle.running, flush=True)
app = QApplication(sys.argv)
button = QPushButton("Again")
button.show()
QTimer.singleShot(0, say_where)
button.clicked.connect(app.quit)
app.exec()
"""
    gip = str(folder / "gip")
    after = f"handle = deskhand.enable({gip!r})\n{SAY_WHERE}\nbutton.clicked.connect(app.quit)"
    running = program(WINDOW, binding=binding, after=after, end=again.format(binding=binding))
    running.says()
    ask(gip, Press("button"))
    assert running.says() == "bought"
    assert running.says() == "False"
    running.says()
    assert [node.name for node in ask(gip, Find("button"))] == ["Again"]
    ask(gip, Press("button"))
    assert running.ends() == (0, "")


def test_ids_are_found_whenever_they_were_set(program):
    before = "import deskhand\n"
    after = f"""
other = QPushButton("Sell")
other.show()
deskhand.set_id(button, "early")
handle = deskhand.enable()
deskhand.set_id(other, "late")
{SAY_WHERE}
"""
    control = program(WINDOW, before=before, after=after).says()
    found = [ask(control, Find(selector))[0].name for selector in ("#early", "#late")]
    assert found == ["Buy", "Sell"]


def test_a_program_that_never_enables_it_opens_and_loads_nothing(program, folder: Path):
    after = """
deskhand.set_id(button, "buy")
deskhand.automation_flags(sys.argv)
print(threading.active_count(), "deskhand.adapters.qt" in sys.modules, flush=True)
"""
    assert program(WINDOW, after=after).says() == "1 False"
    assert registry.apps() == ()


@pytest.mark.parametrize("binding", BINDINGS)
def test_an_error_before_the_application_exists_is_reported_and_harms_nothing(
    program, binding: str, folder: Path
):
    folder.joinpath("gip").write_text("not a socket")
    before = f"handle = deskhand.enable({str(folder / 'gip')!r})"
    running = program(WINDOW, binding=binding, before=before, after="QTimer.singleShot(100, app.quit)")
    code, errors = running.ends()
    assert code == 0
    assert re.search(r"deskhand: cannot drive this program: .*is not a socket", errors)


def test_a_fork_of_the_program_neither_serves_nor_removes_anything(program):
    after = """
import atexit, os
handle = deskhand.enable()
def fork():
    if os.fork() == 0:
        atexit._run_exitfuncs()
        os._exit(0)
    os.wait()
    print(handle.control, flush=True)
QTimer.singleShot(0, fork)
"""
    control = program(WINDOW, after=after).says()
    assert ask(control, Find("button"))
    assert registry.app("shop").control == control


def test_the_end_of_the_program_is_noticed_although_a_fork_lives_on(program):
    after = """
import os
handle = deskhand.enable()
def fork():
    pid = os.fork()
    if pid == 0:
        sys.stdin.read()
        os._exit(0)
    print(handle.control, flush=True)
def fork_while_connected():
    print("forks", flush=True)
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
button.clicked.connect(fork_while_connected)
QTimer.singleShot(0, fork)
"""
    running = program(WINDOW, after=after)
    control = running.says()
    with closing(Remote(control).open()) as runner:
        runner.run(Press("button"))
        assert [running.says(), running.says()] == ["bought", "forks"]
        running.process.kill()
        running.process.wait()
        with pytest.raises(AppGone):
            runner.run(Ping())
    with pytest.raises(ConnectFailed):
        ask(control, Ping())


def test_the_example_of_the_guide_works(program, folder: Path):
    page = (ROOT / "docs/guides/make-your-app-drivable.md").read_text()
    example = re.search(r"```python app.py\n(.*?)```", page, re.DOTALL)
    assert example
    text = example[1].replace("{", "{{").replace("}", "}}").replace('"--automation" in sys.argv', "True")
    running = program(text.replace("window.show()", "window.show()\nprint('shown', flush=True)"))
    assert running.says() == "shown"
    counter = registry.app("counter")
    ask(counter, Press('button[name="More"]'))
    assert ask(counter, Find("#count"))[0].text == "1"
    assert ask(counter, GetAppState()).extra == {"count": 1}


# -- what is loaded into a program --------------------------------------------------------------------

LOADED = """
import json, sys
sys.path.insert(0, {src!r})
before = set(sys.modules)
for name in {modules!r}:
    __import__(name)
print(json.dumps({{name: getattr(module, "__file__", None) for name, module in sys.modules.items()}}))
"""

IN_APP = ("model", "engine", "adapters", "protocols", "inject")
"""Layers that may be loaded into a program. Of the transports, `host` brings in what is needed there."""


def test_all_that_runs_inside_a_program_is_standard_library():
    # These are read by Debian's modules, which are imported before they are.
    bound = ("deskhand.adapters.wx", "deskhand.adapters.gtk")
    names = [name for name in _modules() if not name.startswith(bound)]
    loaded = _load(names)
    assert _foreign(loaded) == {}
    assert {"deskhand.adapters.qt.thread", "deskhand.transports.socket"} <= loaded.keys()


def test_the_code_that_reads_wx_loads_only_wx():
    parts = ["wx", "wx.adv", "wx.aui", "wx.dataview", "wx.glcanvas", "wx.grid", "wx.html", "wx.propgrid"]
    ours = [name for name in _modules() if name.startswith("deskhand.adapters.wx")]
    alone, loaded = (_load([*parts, *names], "-I") for names in ([], ours))
    assert _foreign(loaded).keys() - alone.keys() == set()
    assert set(ours) <= loaded.keys()


def test_the_code_that_reads_gtk_loads_only_gi():
    parts = ["gi"] + [f"gi.repository.{name}" for name in ("GLib", "GObject", "Gio", "Gdk", "GdkX11", "Gtk")]
    ours = [name for name in _modules() if name.startswith("deskhand.adapters.gtk")]
    alone, loaded = (_load([*parts, *names], "-I") for names in ([], ours))
    assert _foreign(loaded).keys() - alone.keys() == set()
    assert set(ours) <= loaded.keys()


def _modules() -> list[str]:
    """All of ours that may be loaded into a program."""
    package = ROOT / "src" / "deskhand"
    names = ["deskhand", "deskhand.in_app.host"]
    for path in sorted(path for layer in IN_APP for path in package.joinpath(layer).rglob("*.py")):
        if path.parent.name != "site":
            parts = path.relative_to(package.parent).with_suffix("").parts
            names.append(".".join(parts).removesuffix(".__init__"))
    return names


def _foreign(loaded: dict[str, str | None]) -> dict[str, str]:
    """What is neither ours nor from the standard library."""
    library = Path(os.__file__).parent
    package = ROOT / "src" / "deskhand"
    return {
        name: file
        for name, file in loaded.items()
        if file and not Path(file).is_relative_to(package) and not _within(file, library)
    }


def test_a_program_does_not_pay_for_what_it_does_not_use():
    loaded = _load(["deskhand.in_app.host", "deskhand.adapters.qt"])
    heavy = {
        "asyncio",
        "ssl",
        "http",
        "email",
        "xml",
        "unittest",
        "multiprocessing",
        "sqlite3",
        "uuid",
        "subprocess",
    }
    assert heavy & loaded.keys() == set()


def _load(names: list[str], *options: str) -> dict[str, str | None]:
    """What an interpreter without anything of ours has loaded once these are imported, and from where."""
    code = LOADED.format(src=str(ROOT / "src"), modules=names)
    done = subprocess.run(
        [sys._base_executable, *(options or ("-I", "-S")), "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded: dict[str, str | None] = json.loads(done.stdout)
    return loaded


def _within(file: str, library: Path) -> bool:
    path = Path(file).resolve()
    return path.is_relative_to(library.resolve()) and not {"site-packages", "dist-packages"} & set(path.parts)
