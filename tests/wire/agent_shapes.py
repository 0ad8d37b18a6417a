"""The Agent contract's types, decoded as strictly as its strictest client does.

An unknown role, a missing childCount, a null anywhere, or a whole number with a fraction makes that client
reject the whole answer.
"""

from __future__ import annotations

import json
from typing import Any

from deskhand.model.roles import ROLES

KEYS = {
    "not_found", "ambiguous", "window_not_found", "action_unsupported", "accessibility_unavailable",
    "exec_failed", "upload_failed", "download_failed", "invalid_json",
}  # fmt: skip
PLACE = {"positionX", "positionY", "sizeWidth", "sizeHeight"}
ELEMENT = {"role": str, "enabled": bool, "focused": bool, "childCount": int, "actions": list}
ELEMENT_MORE = {
    "label": str, "value": str, "description": str, "id": str, "showing": bool, "platformRole": str,
    "children": list,
}  # fmt: skip
WINDOW = {"windowType": str, "appName": str, "focused": bool}
FONT = {"fontFamily": str, "fontWeight": str, "textColor": str}
BOUNDS = {"boundsX", "boundsY", "boundsWidth", "boundsHeight"}


def decode(text: bytes) -> Any:
    """JSON without nulls, and without fractions that are none."""

    def number(text: str) -> float:
        value = float(text)
        assert not value.is_integer(), f"{text} is a whole number"
        return value

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        assert len(names) == len(set(names)), f"a key twice in {names}"
        return dict(found)

    return json.loads(text.decode(), parse_float=number, object_pairs_hook=pairs)


def without_nulls(value: Any) -> None:
    assert value is not None
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        without_nulls(part)


def check_element(element: Any, *, children: bool = True) -> None:
    _fields(element, ELEMENT, ELEMENT_MORE, PLACE)
    assert element["role"] in ROLES
    assert element["childCount"] >= 0
    assert all(isinstance(action, str) for action in element["actions"])
    assert element.keys() & PLACE in (set(), PLACE)
    assert children or "children" not in element
    if "children" in element:
        assert 0 < len(element["children"]) <= element["childCount"]
        for child in element["children"]:
            check_element(child)


def check_window(window: Any, *, elements: bool) -> None:
    assert ("elements" in window) == elements
    assert window.keys() >= PLACE
    _fields(window, WINDOW, {"title": str, "elements": list}, PLACE)
    assert window.get("title") != ""
    for element in window.get("elements", ()):
        check_element(element)


def _check_told(answer: Any) -> None:
    """The windows, and which programs did not answer."""
    _fields(answer, {"windows": list}, {"details": str}, set())


def check_windows(answer: Any) -> None:
    _check_told(answer)
    for window in answer["windows"]:
        check_window(window, elements=False)


def check_snapshot(answer: Any) -> None:
    _check_told(answer)
    for window in answer["windows"]:
        check_window(window, elements=True)


def check_inspected(answer: Any) -> None:
    check_element(answer["element"], children=False)
    rest = {name: value for name, value in answer.items() if name != "element"}
    _fields(rest, {}, FONT, BOUNDS | {"fontSize"})
    assert rest.keys() & BOUNDS in (set(), BOUNDS)


def check_action(answer: Any) -> None:
    _fields(answer, {"success": bool}, {"message": str}, set())
    assert answer["success"] or answer["message"]


def check_executed(answer: Any) -> None:
    kinds = {"success": bool, "stdout": str, "stderr": str, "exitCode": int}
    _fields(answer, kinds, {"message": (str, type(None)), "timedOut": bool}, set())


def check_error(answer: Any) -> None:
    _fields(answer, {"error": str}, {"details": str}, set())
    assert answer["details"]


def check_health(answer: Any) -> None:
    _fields(
        answer,
        {"accessible": bool, "platform": str},
        {"deskhand": str, "error": str, "details": str},
        set(),
    )


ANSWERS = {
    "/health": check_health,
    "/windows": check_windows,
    "/snapshot": check_snapshot,
    "/inspect": check_inspected,
    "/exec": check_executed,
}


def check_answer(path: str, status: int, text: bytes) -> None:
    """Whether it is the answer that the contract describes."""
    answer = decode(text)
    if path == "/download" and status == 200:
        assert answer.keys() == {"content"}
        return
    if path != "/exec":
        without_nulls(answer)
    if status >= 400 and (path != "/health" or status != 503):
        check_error(answer)
    else:
        ANSWERS.get(path, check_action)(answer)


def _fields(record: Any, needed: dict[str, Any], more: dict[str, Any], numbers: set[str]) -> None:
    assert isinstance(record, dict)
    assert needed.keys() <= record.keys() <= needed.keys() | more.keys() | numbers, record.keys()
    for name, kind in {**needed, **more}.items():
        if name in record:
            assert isinstance(record[name], kind), (name, record[name])
            assert kind is not int or not isinstance(record[name], bool)
    for name in numbers & record.keys():
        assert type(record[name]) in (int, float), (name, record[name])
