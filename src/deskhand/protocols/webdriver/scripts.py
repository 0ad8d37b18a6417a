"""What `execute/sync` answers: the scripts that clients send by themselves, and commands by name.

No JavaScript is run. `mobile:` commands are Appium's; `deskhand:` commands are operations of the core.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...model import codec
from ...model import operations as ops
from ...model.node import Node
from ...model.selector import by_uid
from ..jsontext import loads
from ..results import encode_result
from .errors import WebDriverError
from .session import ELEMENT, Call, Session

_ATOM = re.compile(r"\s*/\*\s*([\w-]+?)(?:\.js)?\s*\*/")
_NAMED = re.compile(r"return \(\s*function (\w+)\s*\(")
"""How webdriver.io sends its functions about one element."""
_COMMAND = re.compile(r"(mobile|deskhand):\s*(.+)", re.DOTALL)
_NEVER = (ops.Execute, ops.Upload, ops.Download, ops.Shutdown)
_KEYSYMS = {
    0xFF08: "backspace", 0xFF09: "tab", 0xFF0D: "enter", 0xFF1B: "escape", 0xFF50: "home", 0xFF51: "left",
    0xFF52: "up", 0xFF53: "right", 0xFF54: "down", 0xFF55: "pageup", 0xFF56: "pagedown", 0xFF57: "end",
    0xFF63: "insert", 0xFF67: "menu", 0xFF8D: "enter", 0xFFFF: "delete", 0x20: "space",
    **{0xFFBE + number: f"f{number + 1}" for number in range(12)},
}  # fmt: skip
"""Keys of X11 by number, as KDE's driver takes them."""


def execute(session: Session, call: Call) -> Any:
    """Answer a script; `unsupported operation` if it is not known."""
    script, arguments = call.body.get("script"), call.body.get("args", [])
    if not isinstance(script, str) or not isinstance(arguments, list):
        raise WebDriverError("invalid argument", "'script' must be a text and 'args' a list")
    if command := _COMMAND.fullmatch(script.strip()):
        given = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        kind, name = command.groups()
        if kind == "mobile":
            return _mobile(session, _plain(name), given, call)
        return _ours(session, name, given, call)
    return _script(session, script, arguments, call)


def elements(session: Session, call: Call) -> Sequence[Node]:
    """The elements that the arguments of a script are about."""
    arguments = call.body.get("args")
    first = arguments[0] if isinstance(arguments, list) and arguments else None
    if isinstance(first, dict) and ELEMENT in first:
        return [session.node(first, call.cancel)]
    target = first.get("target") if isinstance(first, dict) else None
    return () if target is None else session.run(ops.Find(_target(session, target) or "*"), call.cancel)


def _script(session: Session, script: str, arguments: Sequence[Any], call: Call) -> Any:
    atom = _ATOM.match(script)
    name = _plain(atom[1]) if atom else ""
    text = " ".join(script.rstrip("; \n").split())
    function = _NAMED.search(script)
    if function is not None and function[1] in _FUNCTIONS and len(arguments) == 1:
        return _FUNCTIONS[function[1]](session.node(arguments[0], call.cancel))
    if function is not None and function[1] == "getHTML" and arguments:
        inner = len(arguments) > 1 and arguments[1] is False
        return session.markup(arguments[0], call.cancel, inner=inner)
    if name == "isdisplayed" and arguments:
        return session.node(arguments[0], call.cancel).visible
    if name == "getattribute" and len(arguments) > 1:
        return session.attribute(_at(session, arguments[0], call, name=str(arguments[1])))
    if name == "submitform" and arguments:
        return session.send_keys(_at(session, arguments[0], call, text="\ue007"))
    if text == "return arguments[0][arguments[1]]" and len(arguments) > 1:
        return session.property(_at(session, arguments[0], call, name=str(arguments[1])))
    if text == "arguments[0].scrollIntoView(true); return arguments[0].getBoundingClientRect()" and arguments:
        return _scrolled(session, arguments[0], call)
    if text in ("return window.name", "return document.title"):
        return session.title(call)
    if text == "return document.readyState":
        return "complete"
    raise WebDriverError(
        "unsupported operation",
        f"there is no JavaScript here to run {script[:100]!r}; commands begin with 'mobile:' or 'deskhand:'",
    )


_FUNCTIONS: dict[str, Callable[[Node], bool]] = {
    "isElementDisplayed": lambda node: node.visible,
    "isElementInViewport": lambda node: node.visible and not node.offscreen,
    "isElementClickable": lambda node: node.visible and node.enabled and not node.offscreen,
    "isFocused": lambda node: node.focused,
}


def _at(session: Session, element: object, call: Call, *, name: str = "", text: str = "") -> Call:
    reference = session.reference_text(element)
    return Call({"element": reference, "name": name}, {"text": text}, call.cancel)


def _scrolled(session: Session, element: object, call: Call) -> dict[str, Any]:
    node = session.node(element, call.cancel)
    session.act(ops.Scroll(by_uid(node.uid), session.implicit, into_view=True), call.cancel)
    return session.rect(_at(session, element, call))


# -- Appium's commands ------------------------------------------------------------------------


def _mobile(session: Session, name: str, given: Mapping[str, Any], call: Call) -> Any:
    command = _MOBILE.get(name)
    if command is None:
        raise WebDriverError(
            "unsupported operation",
            f"no command 'mobile: {name[:60]}'; there are {', '.join(sorted(_MOBILE))}",
        )
    return command(session, given, call)


def get_clipboard(session: Session, _: Mapping[str, Any], call: Call) -> str:
    return base64.b64encode(session.run(ops.GetClipboard(), call.cancel).encode()).decode()


def set_clipboard(session: Session, given: Mapping[str, Any], call: Call) -> None:
    content = given.get("content")
    if not isinstance(content, str):
        raise WebDriverError("invalid argument", "'content' must be Base64")
    try:
        text = base64.b64decode(content, validate=False).decode()
    except ValueError:
        raise WebDriverError("invalid argument", "'content' must be text in UTF-8, as Base64") from None
    session.run(ops.SetClipboard(text), call.cancel)


def app_state(session: Session, given: Mapping[str, Any], _: Call) -> int:
    return session.app.state(_app_id(session, given))


def activate_app(session: Session, given: Mapping[str, Any], call: Call) -> None:
    session.app.activate(_app_id(session, given))
    session.settle(call.cancel)


def terminate_app(session: Session, given: Mapping[str, Any], _: Call) -> bool:
    return session.app.terminate(_app_id(session, given))


def launch_app(session: Session, given: Mapping[str, Any], call: Call) -> Any:
    command = given.get("command", given.get("args"))
    if command is None:
        return activate_app(session, given, call)
    if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
        raise WebDriverError("invalid argument", "'command' must be a list of texts")
    return session.app.launch(command)


def press_key(session: Session, given: Mapping[str, Any], call: Call) -> None:
    """Press a key: by its name, or by its number in X11."""
    key = given.get("key", given.get("keycode"))
    if isinstance(key, int) and not isinstance(key, bool):
        if key in _KEYSYMS:
            key = _KEYSYMS[key]
        elif 0x21 <= key <= 0xFF or 0x01000100 <= key <= 0x0110FFFF:
            key = chr(key & 0xFFFFFF)
    if not isinstance(key, str):
        raise WebDriverError("invalid argument", "'keycode' must be the number of a key in X11, or its name")
    session.act(ops.Key(keys=key), call.cancel)


def _app_id(session: Session, given: Mapping[str, Any]) -> str:
    found = given.get("appId", given.get("bundleId", session.app.id))
    if not isinstance(found, str):
        raise WebDriverError("invalid argument", "'appId' must be a text")
    return found


def _nothing(_: Session, __: Mapping[str, Any], ___: Call) -> None:
    return None


_MOBILE: dict[str, Callable[[Session, Mapping[str, Any], Call], Any]] = {
    "getclipboard": get_clipboard,
    "setclipboard": set_clipboard,
    "queryappstate": app_state,
    "activateapp": activate_app,
    "terminateapp": terminate_app,
    "launchapp": launch_app,
    "isappinstalled": lambda session, given, _: _app_id(session, given) == session.app.id,
    "presskey": press_key,
    "hidekeyboard": _nothing,
    "iskeyboardshown": lambda *_: False,
    "islocked": lambda *_: False,
    "getdevicetime": lambda *_: time.strftime("%Y-%m-%dT%H:%M:%S%z"),
}


# -- our commands -----------------------------------------------------------------------------


def _ours(session: Session, name: str, given: Mapping[str, Any], call: Call) -> Any:
    plain = _plain(name)
    if plain == "clipboard":
        if "text" in given:
            session.run(ops.SetClipboard(str(given["text"])), call.cancel)
            return None
        return session.run(ops.GetClipboard(), call.cancel)
    if plain in _LIFE:
        return _LIFE[plain](session, given, call)
    if plain == "tree":
        return str(session.tree(call.cancel, _target(session, given.get("target"))))
    if plain == "receipt":
        return _operate(session, _plain(str(given.get("action", "click"))), {**given, "receipt": True}, call)
    return _operate(session, _ALIASES.get(plain, plain), given, call)


def _operate(session: Session, plain: str, given: Mapping[str, Any], call: Call) -> Any:
    kind = _OPERATIONS.get(plain)
    if kind is None or issubclass(kind, _NEVER):
        known = sorted({*(ops.NAMES[each] for each in _OPERATIONS.values() if not issubclass(each, _NEVER))})
        raise WebDriverError(
            "unsupported operation", f"no command 'deskhand: {plain[:60]}'; there are {', '.join(known)}"
        )
    params = {name: value for name, value in given.items() if name != "action"}
    for name in ("target", "to"):
        if name in params:
            params[name] = _target(session, params[name])
    operation = codec.decode(kind, params)
    result = session.run(operation, call.cancel)
    if operation.acts:
        session.settle(call.cancel)
    return loads(encode_result(result))


def _target(session: Session, given: object) -> str | None:
    """A selector, or a reference to an element."""
    if given is None or isinstance(given, str):
        return given
    return by_uid(session.uid(given))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_OPERATIONS = {_plain(name): kind for name, kind in ops.OPERATIONS.items()}
_ALIASES = {
    "type": "typetext",
    "check": "setchecked",
    "set": "setvalue",
    "window": "controlwindow",
    "windows": "listwindows",
}
_LIFE = {"launch": launch_app, "activate": activate_app, "terminate": terminate_app, "state": app_state}

__all__ = [
    "activate_app",
    "app_state",
    "execute",
    "get_clipboard",
    "press_key",
    "set_clipboard",
    "terminate_app",
]
