"""One node as the MCP contract writes it: `UiNode`, its line in the text tree, and its state in words."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from ...model.node import Node, Rect
from ...model.outline import extent, states
from ...model.record import dataclass
from ...model.roles import CONTROL_ROLES, ROLES, UNKNOWN
from ...model.syntax import NAMED_BESIDE
from ..jsontext import dumps, quote
from .scene import Scene, simple, type_of

_NAMED_ROLES = ROLES - {UNKNOWN}
_CLASSLESS = frozenset(("atspi", "xa11y"))
"""Adapters whose native classes are only the names that accessibility has for roles."""
LABEL = 120
"""How much of a label a line of the text tree has."""
_SUMMARY = 20
_SHOWN = 60
_OPTION = 60
"""How much of an option is shown: it is chosen by its whole text."""

_PLAIN_ROLES = frozenset((
    "group", "generic", "unknown", "none", "presentation", "region", "section", "scroll-area", "tab-panel",
    "form", "main", "radio-group", "splitter", "separator", "row-group", "document", "complementary",
    "banner", "footer", "header-as-non-landmark", "footer-as-non-landmark", "navigation", "paragraph",
    "application", "toolbar", "status", "menu-bar", "tab-list", "scroll-bar", "image", "img",
    "text", "label-text", "row", "column", "list-marker", "feed", "article", "iframe", "web-area",
))  # fmt: skip
"""Roles that tell nothing by themselves: such a node matters for what it shows, or for what is in it."""


_BOXES = frozenset(("group", "generic", "unknown", "none", "presentation", "region", "section"))
"""Roles of what holds other nodes; one that takes the focus and holds none is drawn by the app itself."""

Fields = AbstractSet[str] | None
"""Which fields of a node are wanted in addition to its ref, its type and its children; None for all."""
_ALWAYS = ("ref", "type")


_SHOWS_VALUE = frozenset((
    "textfield", "editable-text", "search", "search-input", "combo-box", "spin-button", "date-picker",
    "input-time",
))  # fmt: skip
"""Roles of fields that show what they hold as text."""
_NAMED_CONTROLS = ("menu", "column-header")
"""Roles that a person operates if they have a name: a menu in a bar, but not the pop-up that it opens."""


@dataclass(frozen=True)
class Include:
    """Which sections of a node are wanted."""

    bounds: bool = True
    local_to_screen: bool = True
    properties: bool = False
    virtualization: bool = True
    accessibility: bool = False


def is_interactive(node: Node) -> bool:
    """Whether a person operates it."""
    return (
        node.role in CONTROL_ROLES
        or node.editable
        or node.checked is not None
        or (node.role in _NAMED_CONTROLS and bool(node.name))
    )


def is_telling(node: Node) -> bool:
    """Whether an agent that sees the node learns anything from it."""
    return bool(
        node.role not in _PLAIN_ROLES
        or (not _TELLING.isdisjoint(node.fields) and _tells(node))
        or node.text
        or node.name
        or node.value
        or ("press" in node.actions and not node.child_count)
        or draws_itself(node)
    )


def draws_itself(node: Node) -> bool:
    """Whether what it shows is seen on a screenshot only."""
    return not node.child_count and (
        node.role == "canvas"
        or (node.focusable and node.role in _BOXES and not node.editable and not label_of(node))
    )


_TELLING = frozenset(
    ("placeholder", "automation_id", "focused", "options", "virtualization", "editable", "checked")
)
"""Fields that may tell something. Most nodes have none of them at all, which is quickly seen."""
_NOTED = frozenset((
    "editable", "mixed", "checked", "selected", "expanded", "focused", "modal", "password", "visible",
    "enabled", "value", "virtualization", "options",
))  # fmt: skip
_PSEUDO = frozenset(("pseudo_classes", "focused", "pressed", "enabled", "selected", "checked"))


def _tells(node: Node) -> bool:
    return bool(
        node.placeholder
        or node.automation_id
        or node.focused
        or node.options
        or node.virtualization
        or node.editable
        or node.checked is not None
    )


def id_of(node: Node) -> str | None:
    return node.automation_id or node.object_name


def label_of(node: Node) -> str | None:
    """The text that a node itself shows. The name of a root is the title of its stage."""
    held = node.value if node.role in _SHOWS_VALUE else None
    return node.text or held or (None if node.parent is None else node.own_name) or None


def held_of(node: Node) -> str | None:
    """What a node holds; of a field that tells no value, the text in it."""
    return node.text if node.value is None and node.role in NAMED_BESIDE else node.value


def text_of(node: Node) -> str:
    """What the line of a node says about it: what it is called, else what it asks for, else what it holds."""
    called = node.name if node.role in NAMED_BESIDE else node.text or node.name
    return called or node.placeholder or held_of(node) or ""


def hint_of(node: Node) -> str | None:
    """What a control without a label says when the pointer is over it: its tooltip, or what describes it."""
    said = (node.tooltip or node.description or node.help) if is_interactive(node) else None
    # GIMP adds what the modifiers do, a line for each.
    return said.strip().partition("\n")[0] if said else None


def kind_of(node: Node) -> str:
    """What the text calls a node: its class, or where the toolkit reports none its role."""
    return node.role if node.backend in _CLASSLESS and node.role in _NAMED_ROLES else type_of(node)


def line_of(node: Node) -> str:
    """A node in the text tree, without its indentation."""
    line = kind_of(node)
    # An id with spaces could not be separated from what follows; queries and the JSON still have it.
    if (name := id_of(node)) and not any(map(str.isspace, name)):
        line += f"#{name}"
    if node.uid:
        line += f" (uid={node.uid})"
    if label := flat(text_of(node)) or flat(hint_of(node)):
        line += f' "{label[:LABEL]}"'
    return line


def summary_of(node: Node) -> str:
    """A node in a few words."""
    label = flat(label_of(node) or held_of(node))
    if label:
        return f"{type_of(node)}[text={cut(label, _SUMMARY)}]"
    name = id_of(node)
    return f"{type_of(node)}[id={name}]" if name else type_of(node)


def is_plain(node: Node) -> bool:
    """Whether a node has neither states nor a value, as most: quickly seen, and not always when it is so."""
    return _NOTED.isdisjoint(node.fields)


def flags_of(node: Node) -> Iterator[str]:
    """The states that a node is in, where they are not what one expects, and whether a field is empty.

    What is scrolled away is not among them: it may be most of a window, and is scrolled to when it is used.
    """
    for state in states(node):
        if state != "offscreen":
            yield state
    if node.editable and not held_of(node):
        yield "empty"


def value_of(node: Node, options: int) -> str | None:
    """What a node holds, in words, if its line does not say that, with so many of its options."""
    parts = []
    held = held_of(node)
    if held and held != text_of(node):
        parts.append(f'"{cut(flat(held), _SHOWN)}"')
    if node.virtualization is not None:
        parts.append(extent(node.virtualization))
    elif node.options:
        count = node.options_count or len(node.options)
        texts = " | ".join(cut(flat(option.text), _OPTION) for option in node.options[:options])
        parts.append(f"of {texts}" + (f" | … {count - options} more" if count > options else ""))
    return " ".join(parts) or None


def pseudo_of(node: Node) -> list[str]:
    """The CSS pseudo-classes of a node that are known."""
    if _PSEUDO.isdisjoint(node.fields):
        return []
    known = {
        "focused": node.focused,
        "pressed": node.pressed,
        "disabled": not node.enabled,
        "selected": bool(node.selected) or bool(node.checked),
    }
    return list(dict.fromkeys((*node.pseudo_classes, *(name for name, holds in known.items() if holds))))


def encode(
    scene: Scene, node: Node, include: Include, fields: Fields = None, *, full: bool = True
) -> dict[str, Any]:
    """A `UiNode` without children. In full, what is not there is null; else it is left out."""
    encoded = _full(scene, node)
    if include.bounds:
        encoded["layout"] = _layout(scene, node, include)
    if include.accessibility:
        own = node.platform_role if node.backend == "javafx" else None
        role = own or node.role.upper().replace("-", "_")
        encoded["accessibility"] = {
            "role": role,
            "help": node.help or node.description,
            "labelledBy": node.labelled_by,
        }
    elif not full and node.labelled_by is not None:
        # A view without hidden and plain nodes leaves out the label that says the same.
        encoded["accessibility"] = {"labelledBy": node.labelled_by}
    if include.properties:
        encoded["fx"] = {"properties": _properties(node)}
    if include.virtualization and node.virtualization is not None:
        encoded["virtualization"] = _virtualization(scene, node)
    if fields is not None:
        encoded = {name: value for name, value in encoded.items() if name in fields or name in _ALWAYS}
    if not full:
        encoded = _without_nulls(encoded)
    encoded["children"] = []
    return encoded


def encode_compact(node: Node, path: str, fields: Fields = None) -> str:
    """The beginning of a `UiNode` as JSON text: all but its children, without sections and without nulls.

    Text at once, for there can be thousands, and as many objects would take several times as long.
    """
    wanted = _BASE if fields is None else fields
    known = node.fields
    kind, styles = _kind(node.native_class or node.role, node.style_classes)
    text = f'{{"ref":{{"path":"{path}","uid":{quote(node.uid)}}}{kind}'
    if "module" in wanted and node.module:
        text += f',"module":{quote(node.module)}'
    if "id" in wanted and (name := node.automation_id or node.object_name):
        text += f',"id":{quote(name)}'
    if "styleClass" in wanted:
        text += styles
    if "pseudoClass" in wanted and (pseudo := pseudo_of(node)):
        text += f',"pseudoClass":{_words(tuple(pseudo))}'
    if fields is None and _SPECIAL.isdisjoint(known):
        text += ',"visible":true,"managed":true,"disabled":false'
    elif own := {name: value for name, value in _own(node).items() if name in wanted}:
        text += "," + dumps(own).decode()[1:-1]
    if "text" in wanted:
        label = label_of(node)
        if label:
            text += f',"text":{{"label":{quote(label)}' + (
                f',"prompt":{quote(node.placeholder)}}}' if node.placeholder else "}"
            )
        elif node.placeholder:
            text += f',"text":{{"prompt":{quote(node.placeholder)}}}'
    if (
        "value" in wanted
        and not _HELD.isdisjoint(known)
        and (not _FLAGGED.isdisjoint(known) or held_of(node) is not None)
    ):
        held = _value(node)
        text += f',"value":{dumps({name: part for name, part in held.items() if part is not None}).decode()}'
    if fields is None and node.labelled_by is not None:
        text += f',"accessibility":{{"labelledBy":{quote(node.labelled_by)}}}'
    return text


_BASE = frozenset((
    "id", "styleClass", "pseudoClass", "visible", "managed", "disabled", "opacity", "text", "value",
))  # fmt: skip
"""The fields of a node in addition to its ref and its type, by default."""


_SPECIAL = frozenset(("visible", "visible_self", "properties", "enabled"))
_HELD = frozenset(("value", "text", "selected", "checked"))
_FLAGGED = frozenset(("selected", "checked"))


@lru_cache(maxsize=4096)
def _kind(native_class: str, styles: tuple[str, ...]) -> tuple[str, str]:
    """What nodes of the same class and style have in common, as JSON."""
    return f',"type":"{simple(native_class)}"', f',"styleClass":{_words(styles)}'


@lru_cache(maxsize=1024)
def _words(words: tuple[str, ...]) -> str:
    return dumps(list(words)).decode()


def _full(scene: Scene, node: Node) -> dict[str, Any]:
    return {
        "ref": scene.ref(node),
        "type": type_of(node),
        "module": node.module,
        "id": id_of(node),
        "styleClass": list(node.style_classes),
        "pseudoClass": pseudo_of(node),
        **_own(node),
        "text": {"label": label_of(node), "prompt": node.placeholder},
        "value": _value(node),
    }


def _value(node: Node) -> dict[str, Any]:
    """What a node holds. JavaFX calls a box that is ticked selected, and so does its pseudo-class."""
    selected = node.checked if node.selected is None else node.selected
    return {"text": held_of(node), "selected": selected, "checked": node.checked}


def _own(node: Node) -> dict[str, Any]:
    """Whether a node lets itself be seen and operated."""
    return {
        "visible": node.visible if node.visible_self is None else node.visible_self,
        "managed": bool(node.properties.get("managed", True)),
        "disabled": not node.enabled,
        "opacity": _number(node.properties.get("opacity"), 1.0),
    }


def flat(text: str | None) -> str:
    """A text on one line, so that it is not taken for several lines of ours."""
    return " ".join((text or "").split())


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "..."


def bounds(rect: Rect | None) -> dict[str, float] | None:
    """A rectangle inside of something."""
    return (
        None if rect is None else {"minX": rect.x, "minY": rect.y, "width": rect.width, "height": rect.height}
    )


def in_scene(scene: Scene, node: Node) -> Rect | None:
    """Where a node is in its window."""
    stage = scene.stage_of(node)
    if node.bounds is None or stage is None or stage.root.bounds is None:
        return node.bounds
    return node.bounds.relative_to(stage.root.bounds)


def _layout(scene: Scene, node: Node, include: Include) -> dict[str, Any]:
    own = in_scene(scene, node)
    layout: dict[str, Any] = {
        # What a root is in is the scene.
        "boundsInParent": bounds(own if node.parent is None else scene.tree.bounds_in_parent(node)),
        "boundsInScene": bounds(own),
    }
    if include.local_to_screen:
        layout["localToScreen"] = None if node.bounds is None else node.bounds._asdict()
    return layout


def _properties(node: Node) -> dict[str, Any]:
    own = {name: value for name, value in node.properties.items() if name not in ("managed", "opacity")}
    known = {"tooltip": node.tooltip, "userData": None, **own}
    if node.password:
        known = {name: None if name in ("text", "displayText") else value for name, value in known.items()}
    return known


def _virtualization(scene: Scene, node: Node) -> dict[str, Any]:
    view = node.virtualization
    assert view is not None, "asked for a node that has it"
    shown = view.visible_range
    return {
        "kind": view.kind,
        "itemsCount": view.items_count,
        "visibleRange": None if shown is None else {"from": shown[0], "to": shown[1]},
        "selectedIndices": list(view.selected_indices),
        "focusedIndex": view.focused_index,
        "columns": [{"id": column.id, "text": column.text} for column in view.columns],
        "visibleCells": [
            {
                "index": row.index,
                "rowRef": None if row.uid is None else {"path": scene.paths.get(row.uid), "uid": row.uid},
                "cells": [{"columnId": column, "text": text} for column, text in row.cells],
            }
            for row in view.visible_cells
        ],
    }


def _without_nulls(encoded: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in encoded.items():
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if part is not None}
            if not value:
                continue
        if value is not None:
            kept[name] = value
    return kept


def _number(value: object, default: float) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def encode_match(scene: Scene, node: Node) -> dict[str, Any]:
    match: dict[str, Any] = {"ref": scene.ref(node), "type": type_of(node)}
    if name := id_of(node):
        match["id"] = name
    match["summary"] = summary_of(node)
    if node.labelled_by is not None:
        match["accessibility"] = {"labelledBy": node.labelled_by}
    match["layout"] = {"boundsInScene": bounds(in_scene(scene, node))}
    if states := list(flags_of(node)):
        match["states"] = states
    return match
