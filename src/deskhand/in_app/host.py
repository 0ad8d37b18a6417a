"""Lets a program be driven: what runs inside it, joined. `enable` is the door, for its own code and for ours.

Loads nothing but the standard library, except for a toolkit's adapter and for endpoints that need more. Not
for starting programs (`launcher`) nor for serving them from another process (`endpoints.serve`).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import toolkits
from ..adapters.companions import WithOthers
from ..adapters.scope import Mark, Scope
from ..engine.session import Session
from ..inject import hook
from ..model.adapter import Adapter, Grows, abilities
from ..model.errors import InvalidParams
from ..processes import registry
from ..protocols.gip.server import GipServer
from ..serving.endpoints import Endpoint, Gip, Ready, Served, endpoints, listen, open_log, serve
from ..transports.interface import AddressInUse, Server
from ..transports.socket import SocketServer
from . import program as own
from .peers import Peers
from .program import automation_flags, register, set_id

__all__ = [
    "Endpoint",
    "Handle",
    "Ready",
    "Served",
    "automation_flags",
    "enable",
    "endpoints",
    "register",
    "serve",
    "set_id",
]


def enable(
    gip: Gip = None,
    *,
    orca: int | bool | None = None,
    agent: int | bool | None = None,
    token: str | None = None,
    standby: bool = False,
    read_only: bool = False,
    log_wire: str | os.PathLike[str] | None = None,
    log_wire_text: bool = False,
    name: str | None = None,
    allow_other_users: bool = False,
    adapter: Adapter | None = None,
) -> Handle:
    """Let this program be driven, from now on or as soon as its application object exists.

    It enters the registry, with a control socket that only the same user may open, so that `deskhand tree`
    and the rest find it; `gip` serves it at further addresses, `orca` and `agent` at a port by the contracts
    of those names (True for the default one), to this machine only, without commands and files. A second call
    gives the same handle and adds what is new; `standby` and `read_only` then only restrict. `token` is asked
    for over WebSocket and HTTP; other users of this machine are refused there unless `allow_other_users`.
    """
    wanted = endpoints(gip, orca=orca, agent=agent)
    with _lock:
        program = _current()
        program.set(
            token=token,
            log_wire=log_wire,
            log_wire_text=log_wire_text or None,
            name=name,
            other_users=allow_other_users or None,
        )
        program.restrict(standby=standby, read_only=read_only)
        program.add(wanted, adapter)
        return program.handle


class Handle:
    """The switch of automation in this program; there is one. Made by `enable`."""

    def __init__(self, program: _Program) -> None:
        self._program = program

    def __repr__(self) -> str:
        waiting = "closed" if self._program.closed else "waiting for the application object"
        return f"<deskhand.Handle {'running' if self.running else waiting}, enabled={self.enabled}>"

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def enabled(self) -> bool:
        """Whether requests are answered; switch it off and on as you like."""
        return self._program.enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        with _lock:
            self._program.switch(on)

    @property
    def running(self) -> bool:
        """Whether it is served: not before the application object exists, not after `close`."""
        return self._program.agent is not None

    @property
    def name(self) -> str:
        """What the program is called in the registry."""
        return self._program.name or program_name()

    @property
    def control(self) -> str | None:
        """The path of the control socket; None while nothing runs."""
        agent = self._program.agent
        return None if agent is None else agent.entry.control

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The further addresses at which it is served, such as `unix:/tmp/my_app`, while it is served."""
        agent = self._program.agent
        return () if agent is None else tuple(ready.url for ready in agent.served.ready)

    def close(self) -> None:
        """Stop serving, leave the registry, remove every socket; does nothing the second time."""
        with _lock:
            self._program.close()


def program_name() -> str:
    """What this program is called: its script or package."""
    script = Path(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c", "-m") else Path(sys.executable)
    return script.parent.name if script.name == "__main__.py" and script.parent.name else script.stem


# -- for the hook in a program that was started by us -------------------------------------------


def start_agent(settings: Mapping[str, Any], binding: str) -> None:
    """In a program that `launcher` started: serve what it wants, and report to it. On the GUI thread.

    The first program that comes is the app. Another one, started by the app or next to it, finds the control
    socket taken: it registers under a name of its own and serves nothing else.
    """
    control: str = settings["control"]
    if runtime := settings.get("runtime"):
        os.environ[registry.VARIABLE] = runtime
    with _lock:
        program = _current()
        if program.agent is not None and program.agent.listens_at(control):
            program.agent.join(binding)
            # Another attach, which came a moment later, finds the agent of the first.
            _report(settings["report"], {"ready": True, "pid": os.getpid()})
            return
        if program.log_wire is None:
            # What its own log shows, the program has chosen together with it.
            program.prefer(log_wire_text=settings.get("log_wire_text"))
        program.prefer(name=settings.get("name"), log_wire=settings.get("log_wire"))
        program.restrict(standby=settings.get("standby", False), read_only=settings.get("read_only", False))
        is_app = program.claim(control, endpoints(settings.get("gip")))
        agent = program.agent
        if is_app and agent is not None and (mark := settings.get("windows")):
            agent.own(Mark(**mark))
        unlogged = settings.get("unlogged") if is_app else None
        if unlogged is not None and agent is not None:
            agent.listen_at(unlogged, logged=False)
    assert agent is not None, "on the GUI thread, with an application object, it starts at once"
    if not settings.get("children", True):
        _forget_environment()
    _report(
        settings["report"],
        {
            "ready": is_app,
            "pid": os.getpid(),
            "name": agent.entry.name,
            "control": control if is_app else agent.entry.control,
            "unlogged": unlogged,
            "endpoints": [[ready.kind, ready.url] for ready in agent.served.ready],
            "toolkit": binding,
        },
    )


def withdraw() -> None:
    """Close the agent in this program, if there is one, so that another may follow. On any thread."""
    with _lock:
        if _program is not None:
            _program.close()
    hook.stop_watching()


# -- the one of each process --------------------------------------------------------------------


class _Program:
    """What is wanted of this program, and the agent that does it while there is an application object."""

    def __init__(self) -> None:
        self.handle = Handle(self)
        self.enabled = True
        self.read_only = False
        self.token: str | None = None
        self.log_wire: str | os.PathLike[str] | None = None
        self.log_wire_text: bool | None = None
        self.other_users: bool | None = None
        self.name: str | None = None
        self.control: str | None = None
        self.wanted: dict[Endpoint, None] = {}
        self.agent: _Agent | None = None
        self.closed = False

    def set(self, **options: Any) -> None:
        """Settings that are fixed once it runs; None leaves one as it is."""
        for option, value in options.items():
            before = getattr(self, option)
            if value is None or value == before:
                continue
            if before is not None or self.agent is not None:
                raise InvalidParams(
                    f"automation is enabled already, with {option}={before!r}; wanted {value!r}",
                    field=option,
                    suggestions=("close() its handle first",),
                )
            setattr(self, option, value)

    def prefer(self, **options: Any) -> None:
        """The same, for a guest: what the program chose itself stays."""
        if self.agent is None:
            self.set(**{option: value for option, value in options.items() if getattr(self, option) is None})

    def restrict(self, *, standby: bool, read_only: bool) -> None:
        self.read_only = self.read_only or read_only
        if self.agent is not None:
            self.agent.session.read_only = self.read_only
        self.switch(self.enabled and not standby)

    def switch(self, on: bool) -> None:
        self.enabled = bool(on)
        if self.agent is not None:
            self.agent.session.enabled = self.enabled

    def add(self, wanted: Iterable[Endpoint], adapter: Adapter | None = None) -> None:
        """Serve these as well: at once if that is possible, else as soon as it is."""
        new = [endpoint for endpoint in wanted if endpoint not in self.wanted]
        if self.agent is not None:
            self.agent.add(new)
            self.wanted.update(dict.fromkeys(new))
            return
        self.wanted.update(dict.fromkeys(new))
        try:
            binding = hook.application()
            if adapter is not None:
                self.agent = _Agent(self, adapter)
            elif binding is not None and hook.on_gui_thread(binding):
                self.agent = _Agent(self, _adapter(binding))
            elif binding is not None:
                hook.post(binding, lambda: self.on_application(binding))
        except BaseException:
            for endpoint in new:
                del self.wanted[endpoint]
            raise
        hook.forget(self.on_application)
        hook.on_application(self.on_application)

    def claim(self, control: str, wanted: Iterable[Endpoint]) -> bool:
        """Serve these, and the given control socket; False if another program has that one."""
        try:
            if self.agent is not None:
                self.agent.listen_at(control)
            else:
                self.control = control
            self.add(wanted)
        except AddressInUse:
            self.control = None
            self.add(())
            return False
        return True

    def on_application(self, binding: str) -> None:
        """From the event loop: there is an application object now."""
        try:
            with _lock:
                if self.agent is not None:
                    self.agent.join(binding)
                elif not self.closed:
                    self.agent = _Agent(self, _adapter(binding))
        except Exception as error:  # noqa: BLE001 - PyQt6 aborts the program if a slot raises
            sys.stderr.write(f"deskhand: cannot drive this program: {error}\n")

    def close(self) -> None:
        self.closed = True
        hook.forget(self.on_application)
        if self.agent is not None:
            self.agent.close()


class _Agent:
    """The engine in this program and its servers, for as long as the application object exists."""

    def __init__(self, program: _Program, adapter: Adapter) -> None:
        self._program = program
        self._pid = os.getpid()
        self._adapter = adapter
        self._scope = Scope(self._pid)
        self._peers = Peers()
        self.session = Session(self._with_others(), read_only=program.read_only)
        self.session.enabled = program.enabled
        self._controls: dict[str, Server] = {}
        self._undo = contextlib.ExitStack()
        self._undo.callback(self._peers.close)
        self._undo.callback(self.session.close)
        with self._undo:
            # First, so that what is registered from now on comes by itself.
            own.driven.append(self.session)
            self._undo.callback(own.driven.remove, self.session)
            for name, value in list(own.registered.items()):
                setattr(self.session, name, value)
            self._name(adapter)
            log = open_log(program.log_wire, bool(program.log_wire_text))
            self._gip = GipServer(self.session, names=(program.handle.name,), log=log)
            self.served = self._undo.enter_context(
                Served(self._gip, log, program.token, other_users=bool(program.other_users))
            )
            self.listen_at(program.control or registry.control_address(self._pid))
            self.served.add(program.wanted)
            self._undo.callback(registry.unregister, self._pid)
            self._enter()
            # All is well: what would undo it now runs when the agent closes.
            self._undo = self._undo.pop_all()
        atexit.register(self.close)
        if (binding := hook.application()) is not None:
            hook.on_end(binding, self.close)
        if (drawing := hook.drawn_inside()) is not None:
            self.join(drawing)

    def join(self, binding: str) -> None:
        """There is another application object in this program: what it shows becomes a part of the same tree.

        Only what is drawn in immediate mode has windows of another toolkit around it.
        """
        adapter = self._adapter
        if toolkits.of_binding(binding).name == adapter.name and isinstance(adapter, Grows):
            adapter.grow()
            return
        immediate = toolkits.of_binding(binding).immediate
        only = toolkits.named(adapter.name)
        if abilities(adapter).names_by_label is not None if immediate else not (only and only.immediate):
            return
        from ..adapters.imgui.adapter import ImguiAdapter
        from ..adapters.overlay import SeveralAdapter

        outer, inner = (adapter, _adapter(binding)) if immediate else (_adapter(binding), adapter)
        assert isinstance(inner, ImguiAdapter), "the one toolkit that draws in immediate mode"
        both = SeveralAdapter(outer, inner)
        self._name(both)
        self._adapter = both
        self.session.adapter = self._with_others()

    def own(self, mark: Mark) -> None:
        """Let the windows of these processes belong to the app, instead of those that it started itself."""
        self._scope.mark = mark

    def _with_others(self) -> Adapter:
        """The toolkit's adapter, and on X11 the windows of the app's other processes."""
        if sys.platform != "linux" or not os.environ.get("DISPLAY"):
            return self._adapter
        return WithOthers(self._adapter, self._scope, self._program.handle.name, parts=self._peers.among)

    def _name(self, adapter: Adapter) -> None:
        for known, automation_id in list(own.ids.values()):
            if (widget := known()) is not None:
                own.name(adapter, widget, automation_id)

    def add(self, wanted: Iterable[Endpoint]) -> None:
        """Serve these as well."""
        self.served.add(wanted)
        self._enter()

    def listen_at(self, control: str, *, logged: bool = True) -> None:
        """Serve GIP at an address that is not published. AddressInUse if there is a server already."""
        gip = self._gip if logged else GipServer(self.session, names=self._gip.names)
        self._controls[control] = server = listen(control, gip)
        self._undo.callback(server.close)

    def listens_at(self, control: str) -> bool:
        """Whether that is one of ours."""
        return control in self._controls

    def close(self) -> None:
        """Leave no trace; another agent may follow with the next application object."""
        if self._program.agent is self:
            self._program.agent = None
        if self._pid == os.getpid():  # in a fork of the program, what we hold is not ours to remove
            atexit.unregister(self.close)
            self._undo.close()

    def abandon(self) -> None:
        """In a fork: close the program's server sockets, or waiting clients never see its end."""
        self.served.abandon()
        for server in self._controls.values():
            if isinstance(server, SocketServer):
                server.abandon()

    def _enter(self) -> None:
        """Tell the registry."""
        self.entry = registry.AppEntry(
            name=self._program.handle.name,
            pid=self._pid,
            control=next(iter(self._controls)),
            endpoints=tuple(str(ready) for ready in self.served.ready),
            started=registry.start_time(self._pid),
            # Not info(): that looks at the windows, which would slow down every start.
            framework=hook.application() or self._adapter.name,
        )
        registry.register(self.entry)


_lock = threading.RLock()
_program: _Program | None = None


def _current() -> _Program:
    global _program
    if _program is None or _program.closed:
        _program = _Program()
    return _program


def _adapter(binding: str) -> Adapter:
    """What reads and drives a toolkit, by its binding. Made on the GUI thread."""
    toolkit = toolkits.of_binding(binding)
    module = import_module(f"..adapters.{toolkit.name}.adapter", __package__)
    adapter: Adapter = getattr(module, toolkit.adapter)()
    return adapter


def _forget_environment() -> None:
    """Start no agent in the programs that this one starts."""
    from ..inject.command import clean

    env = clean(os.environ)
    for name in os.environ.keys() - env.keys():
        del os.environ[name]
    os.environ.update(env)


def _report(address: str, message: Mapping[str, Any]) -> None:
    import json
    import socket

    from .. import __version__

    # The launcher no longer listens once it gave up on the app, which then ends anyway.
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.sendto(json.dumps({**message, "version": __version__}).encode(), address)


def _in_fork() -> None:
    """In a fork of the program none of our threads lives on, so nothing is served there."""
    global _lock, _program
    _lock = threading.RLock()
    if _program is not None and _program.agent is not None:
        _program.agent.abandon()
    own.driven.clear()
    _program = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_fork)
