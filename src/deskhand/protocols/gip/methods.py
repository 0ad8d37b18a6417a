"""GIP's methods one by one: parameters, what they do, what they answer.

The parameters of each are a record, read by the same code as operations. Refs are paths of the tree, and
every method insists on its element being ready now, for GIP's messages name no time to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from ... import __version__
from ...model import codec
from ...model import operations as ops
from ...model.errors import ActionUnsupported, ConnectFailed, InvalidParams, NotFound, NoWindows, UiBusy
from ...model.node import AppInfo
from ...model.operations import Cancel, Operation, Runner
from ...model.parsing import MAX_LENGTH
from ...model.record import dataclass
from ...model.selector import by_path
from ..jsontext import dumps
from .snapshot import SnapshotEncoder

PREFIX = "deskhand_"
"""Before the name of every operation of the core."""


class Peer(Protocol):
    """What a method sees of the connection that it was called on."""

    transport: str
    url: str
    connected: bool
    names: frozenset[str]
    snapshots: SnapshotEncoder

    @property
    def uptime(self) -> float: ...


@dataclass(frozen=True)
class Call:
    """One call of a method. Without a runner, only what needs none can be called."""

    runner: Runner
    peer: Peer
    cancel: Cancel | None

    def run(self, operation: Operation[ops.R]) -> ops.R:
        return self.runner.run(operation, self.cancel)


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


@dataclass(frozen=True)
class Connect:
    target: str


@dataclass(frozen=True)
class Click:
    ref: str
    button: str = "left"
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Type:
    ref: str
    text: str
    submit: bool = False
    clear: bool = False


@dataclass(frozen=True)
class Select:
    ref: str
    value: str | None = None
    index: int | None = None
    text: str | None = None


@dataclass(frozen=True)
class SelectTab:
    ref: str
    index: int | None = None
    text: str | None = None


@dataclass(frozen=True)
class Ref:
    ref: str


@dataclass(frozen=True)
class OptionalRef:
    ref: str | None = None


def connect(call: Call, params: Connect) -> bytes:
    info = call.run(ops.GetAppInfo())
    if not _leads_here(params.target, call.peer, info):
        raise ConnectFailed("Connection failed: target not found", target=params.target)
    with suppress(UiBusy, ActionUnsupported):
        # Says whether automation is switched off, and delays no client while the program is busy.
        call.run(ops.WaitIdle(timeout=0))
    call.peer.connected = True
    about: dict[str, Any] = {
        "framework": info.framework,
        "version": info.version,
        "transport": call.peer.transport,
        "pid": info.pid,
    }
    for name, value in (("title", info.title), ("toolkit", info.toolkit)):
        if value:
            about[name] = value
    # Says that this server knows every operation, also where another project's server is inside the program.
    about["deskhand"] = info.deskhand or __version__
    return dumps({"success": True, "app_info": about})


def snapshot(call: Call, _: Nothing) -> bytes:
    tree = call.run(ops.ReadTree()).tree
    if tree is None or not tree.nodes:
        raise NoWindows("the program has no window", suggestions=("wait until it shows one",))
    return call.peer.snapshots.encode(tree)


def click(call: Call, params: Click) -> bytes:
    if params.button not in ops.BUTTONS:
        raise _not_one_of("button", params.button, ops.BUTTONS)
    modifiers = tuple(_modifier(name) for name in params.modifiers)
    call.run(ops.Click(_at(params.ref), timeout=0, button=params.button, modifiers=modifiers))
    return _SUCCESS


def type_(call: Call, params: Type) -> bytes:
    call.run(
        ops.TypeText(_at(params.ref), timeout=0, text=params.text, clear=params.clear, submit=params.submit)
    )
    return _SUCCESS


def select(call: Call, params: Select) -> bytes:
    given = [name for name in ("value", "index", "text") if getattr(params, name) is not None]
    if len(given) != 1:
        what = "none is there" if not given else f"{' and '.join(given)} are there"
        raise InvalidParams(f"exactly one of value, index and text is needed, and {what}", field="value")
    return _select(call, params.ref, value=params.value, index=params.index, text=params.text)


def qt_select_tab(call: Call, params: SelectTab) -> bytes:
    if (params.index is None) == (params.text is None):
        raise InvalidParams("exactly one of index and text is needed", field="index")
    return _select(call, params.ref, index=params.index, text=params.text)


def qt_properties(call: Call, params: Ref) -> bytes:
    node = call.run(ops.Get(_at(params.ref)))
    return dumps({"type": node.native_class, "properties": dict(node.properties)}, str)


def qt_screenshot(call: Call, params: OptionalRef) -> bytes:
    target = None if params.ref is None else _at(params.ref)
    return dumps(codec.encode(call.run(ops.Screenshot(target, timeout=0))))


METHODS: Mapping[str, tuple[type[Any], Callable[[Call, Any], bytes]]] = {
    "connect": (Connect, connect),
    "snapshot": (Nothing, snapshot),
    "click": (Click, click),
    "type": (Type, type_),
    "select": (Select, select),
    "qt_select_tab": (SelectTab, qt_select_tab),
    "qt_properties": (Ref, qt_properties),
    "qt_screenshot": (OptionalRef, qt_screenshot),
}
"""Those that need the program. `disconnect` and `ping` are about the connection alone."""


def read_params(kind: type[Any], params: Mapping[str, Any]) -> Any:
    """The parameters of a method; null is the same as leaving out."""
    return codec.decode(kind, {name: value for name, value in params.items() if value is not None})


_SUCCESS = b'{"success":true}'
_MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "cmd": "meta",
    "meta": "meta",
    "shift": "shift",
    "alt": "alt",
}


def _at(ref: str) -> str:
    if not ref:
        raise NotFound("the ref is empty", suggestions=("refs begin with 'root'",))
    if len(selector := by_path(ref)) > MAX_LENGTH:
        raise NotFound(f"no ref has {len(ref):,} characters")
    return selector


def _select(call: Call, ref: str, **by: Any) -> bytes:
    done = call.run(ops.Select(_at(ref), timeout=0, **by))
    selected = dict(done.selected or {})
    text = selected.get("text", by.get("text"))
    value = selected.get("value", by.get("value"))
    answer = {
        "value": text if value is None else value,
        "index": selected.get("index", by.get("index")),
        "text": text,
    }
    return dumps({"success": True, "selected": answer}, str)


def _modifier(name: str) -> str:
    if name not in _MODIFIERS:
        raise _not_one_of("modifiers", name, _MODIFIERS)
    return _MODIFIERS[name]


def _not_one_of(field: str, value: str, choices: Any) -> InvalidParams:
    return InvalidParams(f"'{field}' must be one of {', '.join(choices)}, not '{value[:60]}'", field=field)


def _leads_here(target: str, peer: Peer, info: AppInfo) -> bool:
    """Whether a target is one of the names of this program, or an address at which it may be served.

    A path counts by its last part, and a URL whatever it is: by links, other host names and forwarded ports
    one server has many addresses, and who can ask has found it by one of them.
    """
    own = _last(peer.url)
    names = {*peer.names, str(info.pid), info.title, info.framework, info.toolkit, info.main, own}
    if info.main:
        names.add(_last(info.main))
    web = target.startswith(("http://", "https://", "ws://", "wss://"))
    # The target of pages is the address of their browser's debugging port, of which it has several as well.
    if web and (peer.transport in ("http", "websocket") or info.toolkit == "web"):
        return True
    return bool(target) and (target in names or _last(target) == own)


def _last(address: str) -> str:
    return address.removeprefix("unix:").removeprefix("pipe:").rpartition("/")[2]
