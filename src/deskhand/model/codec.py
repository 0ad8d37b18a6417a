"""Operations, results and records as plain JSON data, and back, driven by their type annotations.

What equals its default is left out. Wrong types and unknown fields raise InvalidParams that names the field.
"""

from __future__ import annotations

import base64
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin

from .alike import alike, did_you_mean
from .errors import InvalidParams, UnknownMethod
from .node import Node, Rect, Window
from .operations import NAMES, OPERATIONS, Operation
from .tree import Cut, Tree

T = TypeVar("T")


def encode_operation(operation: Operation[Any]) -> tuple[str, dict[str, Any]]:
    """The operation's name and its parameters."""
    return NAMES[type(operation)], encode(operation)


def decode_operation(name: str, params: Mapping[str, Any]) -> Operation[Any]:
    """The operation of that name with those parameters."""
    kind = OPERATIONS.get(name)
    if kind is None:
        near = alike(name, OPERATIONS)
        raise UnknownMethod(
            f"no operation named '{name}'", target=name, near=near, suggestions=did_you_mean(near)
        )
    return cast("Operation[Any]", decode(kind, params))


def result_type(operation: type[Operation[Any]]) -> Any:
    """What running an operation gives."""
    for base in _bases(operation):
        args = get_args(base)
        if get_origin(base) is Operation and args:
            return args[0]
    raise TypeError(f"{operation.__name__} does not say what it gives")


def encode(value: Any) -> Any:
    """A value as data for JSON."""
    if isinstance(value, Node):
        return _encode_node(value)
    if isinstance(value, Tree):
        return _encode_tree(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: encode(part)
            for name, _, default in _schema(type(value))
            if (part := getattr(value, name)) != default
        }
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): encode(part) for key, part in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [encode(part) for part in value]
    return str(value)


def decode(kind: Any, data: Any, field: str = "") -> Any:
    """Data from JSON as a value of that type; InvalidParams says which field is wrong and how."""
    if kind is Any or kind is object:
        return data
    if kind is Node:
        return _decode_node(data, field)
    if kind is Tree:
        return _decode_tree(data, field)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in get_args(kind):
            return None
        choices = [choice for choice in get_args(kind) if choice is not type(None)]
        if len(choices) == 1:
            return decode(choices[0], data, field)
        for choice in choices:
            if isinstance(choice, type) and isinstance(data, choice):
                return data
        raise _wrong(field, " or ".join(str(choice) for choice in choices), data)
    if kind is Rect:
        return Rect(*decode(tuple[float, float, float, float], data, field))
    if is_dataclass(kind):
        return _decode_record(cast("type[Any]", kind), data, field)
    if origin is tuple:
        return _decode_tuple(get_args(kind), data, field)
    if origin in (Mapping, dict) or kind is dict:
        if not isinstance(data, Mapping):
            raise _wrong(field, "an object", data)
        part = get_args(kind)[1] if get_args(kind) else Any
        return {key: decode(part, value, f"{field}.{key}") for key, value in data.items()}
    return _decode_scalar(kind, data, field)


_SCALARS: dict[type, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a string"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    type(None): ((type(None),), "null"),
}


def _decode_scalar(kind: Any, data: Any, field: str) -> Any:
    if kind is bytes:
        try:
            return base64.b64decode(data, validate=True)
        except (ValueError, TypeError):
            raise _wrong(field, "bytes in base64", data) from None
    if kind not in _SCALARS:
        raise TypeError(f"no way to decode {kind!r}")
    if kind is int and isinstance(data, float) and data.is_integer():
        return int(data)  # JSON has one kind of numbers, and some languages write each with a fraction
    allowed, what = _SCALARS[kind]
    if not isinstance(data, allowed) or (isinstance(data, bool) and kind is not bool):
        raise _wrong(field, what, data)
    return data


def _decode_tuple(args: tuple[Any, ...], data: Any, field: str) -> tuple[Any, ...]:
    if not isinstance(data, (list, tuple)):
        raise _wrong(field, "a list", data)
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(decode(args[0], part, f"{field}[{index}]") for index, part in enumerate(data))
    if len(data) != len(args):
        raise _wrong(field, f"a list of {len(args)}", data)
    pairs = enumerate(zip(args, data, strict=True))
    return tuple(decode(kind, part, f"{field}[{index}]") for index, (kind, part) in pairs)


def _decode_record(kind: type[Any], data: Any, field: str) -> Any:
    if not isinstance(data, Mapping):
        raise _wrong(field, "an object", data)
    schema = _schema(cast("Any", kind))
    known = {name for name, _, _ in schema}
    prefix = f"{field}." if field else ""
    if unknown := [name for name in data if name not in known]:
        near = alike(str(unknown[0]), sorted(known), 1)
        hint = f"did you mean '{near[0]}'?" if near else f"it takes {', '.join(sorted(known)) or 'none'}"
        raise InvalidParams(f"no parameter named '{prefix}{unknown[0]}'; {hint}", field=str(unknown[0]))
    if missing := [name for name, _, default in schema if default is MISSING and name not in data]:
        raise InvalidParams(f"the parameter '{prefix}{missing[0]}' is missing", field=missing[0])
    return kind(**{name: decode(part, data[name], prefix + name) for name, part, _ in schema if name in data})


def _wrong(field: str, wanted: str, data: Any) -> InvalidParams:
    seen = repr(data)
    seen = seen if len(seen) <= 60 else seen[:57] + "..."
    return InvalidParams(f"'{field or 'the value'}' must be {wanted}, not {seen}", field=field)


@cache
def _schema(kind: type[Any]) -> tuple[tuple[str, Any, Any], ...]:
    """Name, type and default of each field."""
    hints = typing.get_type_hints(kind)
    rows = []
    for row in fields(kind):
        default = row.default_factory() if row.default_factory is not MISSING else row.default
        rows.append((row.name, hints[row.name], default))
    return tuple(rows)


def _bases(kind: type[Any]) -> typing.Iterator[Any]:
    for base in getattr(kind, "__orig_bases__", ()):
        yield base
    for base in kind.__bases__:
        yield from _bases(base)


_PLAIN = (str, int, float, bool)
_LISTS = ("bounds", "actions")


def _encode_node(node: Node) -> dict[str, Any]:
    """A node's own fields; most are plain already, and there can be very many nodes."""
    data = {}
    for name, part in node.fields.items():
        if type(part) in _PLAIN:
            data[name] = part
        elif part is not None:
            data[name] = list(part) if name in _LISTS else encode(part)
    return data


def _decode_node(data: Any, field: str) -> Node:
    if not isinstance(data, dict):
        raise _wrong(field, "a node", data)
    types_of = _node_types()
    try:
        if "bounds" in data:
            data["bounds"] = Rect(*data["bounds"])
        if "actions" in data:
            data["actions"] = tuple(data["actions"])
    except TypeError:
        raise _wrong(f"{field}.bounds", "four numbers", data.get("bounds")) from None
    for name in _RECORDS.intersection(data):
        data[name] = decode(types_of[name], data[name], f"{field}.{name}")
    if not data.keys() <= types_of.keys():
        # A newer engine may know more of a node than we do; its other fields are still good.
        for name in data.keys() - types_of.keys():
            del data[name]
    return Node.of(data)


_RECORDS = frozenset(("options", "virtualization", "font", "style_classes", "pseudo_classes"))
"""The fields of a node that need more than taking the JSON as it is."""


@cache
def _node_types() -> dict[str, Any]:
    return {name: kind for name, kind, _ in _schema(Node)}


def _encode_tree(tree: Tree) -> dict[str, Any]:
    data: dict[str, Any] = {
        "revision": tree.revision,
        "captured_at": tree.captured_at,
        "windows": encode(tree.windows),
        "nodes": [_encode_node(node) for node in tree.nodes],
    }
    if tree.focused:
        data["focused"] = tree.focused
    if tree.cut:
        data["cut"] = encode(tree.cut)
    return data


def _decode_tree(data: Any, field: str) -> Tree:
    if not isinstance(data, dict):
        raise _wrong(field, "a tree", data)
    return Tree(
        nodes=[_decode_node(node, f"{field}.nodes") for node in data["nodes"]],
        windows=decode(tuple[Window, ...], data.get("windows", []), f"{field}.windows"),
        revision=data.get("revision", 0),
        captured_at=data.get("captured_at", 0.0),
        focused=data.get("focused"),
        cut=decode(Cut, data["cut"], f"{field}.cut") if data.get("cut") else None,
    )
