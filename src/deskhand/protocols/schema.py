"""A small part of JSON Schema: enough to tell a caller what it may send, and to check what it did send.

What is published is made of what is checked, so the two agree. Bounds, and what results show, are left out of
it, because models read it in every conversation. Errors are for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, cast

from ..model.alike import alike
from ..model.errors import InvalidParams

Schema = dict[str, Any]

_BRIEF = "brief"

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a string"),
    "boolean": ((bool,), "true or false"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "object": ((dict,), "an object"),
    "array": ((list,), "a list"),
}


def text(description: str = "", *, one_of: Sequence[str] | None = None, default: str | None = None) -> Schema:
    """A string, or one of some."""
    schema: Schema = {"type": "string", "description": description}
    if one_of is not None:
        schema["enum"] = list(one_of)
    return _with_default(schema, default)


def flag(description: str = "", default: bool | None = None) -> Schema:
    """True or false."""
    return _with_default({"type": "boolean", "description": description}, default)


def whole(
    description: str = "",
    minimum: int | None = None,
    maximum: int | None = None,
    *,
    default: int | None = None,
) -> Schema:
    """A whole number."""
    schema: Schema = {"type": "integer", "description": description}
    if minimum is not None:
        schema["minimum"] = minimum
    if maximum is not None:
        schema["maximum"] = maximum
    return _with_default(schema, default)


def number(
    description: str = "",
    limit: int = 1_000_000,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
) -> Schema:
    """Any number that is not further from 0 than a limit, or that is within bounds."""
    least = -limit if minimum is None else minimum
    most = limit if maximum is None else maximum
    return {"type": "number", "description": description, "minimum": least, "maximum": most}


def listed(items: Schema, description: str = "") -> Schema:
    """A list of something."""
    return {"type": "array", "items": items, "description": description}


def record(properties: Mapping[str, Schema], description: str = "", required: Sequence[str] = ()) -> Schema:
    """An object that has these members and no others."""
    schema: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if description:
        schema["description"] = description
    if required:
        schema["required"] = list(required)
    return schema


def brief(schema: Schema, instead: Schema) -> Schema:
    """A schema that is checked in full, and published as something shorter."""
    return {**schema, _BRIEF: instead}


def published(schema: Schema) -> Schema:
    """A schema for callers to read: without bounds that no caller meets by accident, which errors name."""
    if _BRIEF in schema:
        return dict(schema[_BRIEF])
    shown: Schema = {}
    for name, part in schema.items():
        if name in ("minimum", "maximum"):
            continue
        if name == "properties":
            shown[name] = {member: published(each) for member, each in part.items()}
        elif name in ("items", "additionalProperties") and isinstance(part, dict):
            shown[name] = published(part)
        elif name != "description" or part:
            shown[name] = part
    return shown


def _with_default(schema: Schema, default: object) -> Schema:
    """With what is taken if nothing is given; it is published, and the reader of the data applies it."""
    return schema if default is None else {**schema, "default": default}


def check(schema: Schema, data: Any, field: str = "") -> Any:
    """The data, without members that are null; InvalidParams says what is wrong with it, and where."""
    if "anyOf" in schema:
        return _check_any(schema["anyOf"], data, field)
    kind = schema.get("type")
    if kind is None:
        return data
    allowed, what = _KINDS[kind]
    if not isinstance(data, allowed) or (isinstance(data, bool) and kind != "boolean"):
        raise _wrong(field, what, data)
    if "enum" in schema and data not in schema["enum"]:
        near = alike(str(data), schema["enum"], 1)
        raise _wrong(field, f"one of {', '.join(schema['enum'])}", data, near)
    if "minimum" in schema and data < schema["minimum"]:
        raise _wrong(field, f"{schema['minimum']} or more", data)
    if "maximum" in schema and data > schema["maximum"]:
        raise _wrong(field, f"{schema['maximum']} or less", data)
    if isinstance(data, float) and not isfinite(data):
        raise _wrong(field, "a finite number", data)
    if kind == "array" and "items" in schema:
        parts = cast("list[Any]", data)
        return [check(schema["items"], part, f"{field}[{at}]") for at, part in enumerate(parts)]
    if kind == "object" and "properties" in schema:
        return _check_record(schema, cast("dict[str, Any]", data), field)
    return data


def _check_any(choices: Sequence[Schema], data: Any, field: str) -> Any:
    for choice in choices:
        allowed = _KINDS[choice["type"]][0]
        if isinstance(data, allowed) and (not isinstance(data, bool) or choice["type"] == "boolean"):
            return check(choice, data, field)
    raise _wrong(field, " or ".join(_KINDS[choice["type"]][1] for choice in choices), data)


def _check_record(schema: Schema, data: dict[str, Any], field: str) -> dict[str, Any]:
    known: dict[str, Schema] = schema["properties"]
    prefix = f"{field}." if field else ""
    for name in data:
        if name not in known and not schema.get("additionalProperties", True):
            near = alike(str(name), known, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known) or 'none'}"
            raise InvalidParams(
                f"there is no '{prefix}{str(name)[:60]}'; {hint}",
                field=f"{prefix}{str(name)[:60]}",
                near=near,
            )
    for name in schema.get("required", ()):
        if data.get(name) is None:
            raise InvalidParams(f"'{prefix}{name}' is missing", field=f"{prefix}{name}")
    return {
        name: check(known[name], part, f"{prefix}{name}") if name in known else part
        for name, part in data.items()
        if part is not None
    }


def _wrong(field: str, wanted: str, data: Any, near: tuple[str, ...] = ()) -> InvalidParams:
    seen = repr(data)
    seen = seen if len(seen) <= 60 else seen[:57] + "..."
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return InvalidParams(
        f"'{field or 'the input'}' must be {wanted}, not {seen}{hint}", field=field, near=near
    )
