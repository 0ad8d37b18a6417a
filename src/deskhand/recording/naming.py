"""How steps name the elements they are about: the shortest robust selector, as a person would write it."""

from __future__ import annotations

import re

from ..model.generate import generate
from ..model.node import Node
from ..model.selector import by_role, parse
from ..model.syntax import quote
from ..model.tree import Tree
from .hit import MENU
from .steps import Element

_WORD = re.compile(r"[^0-9A-Za-z]+")


def element(tree: Tree, node: Node) -> Element:
    """The name of an element of a tree; no other element of it has that."""
    if node.role in MENU and (path := _menu_path(tree, node)) is not None:
        return Element(path)
    selector = generate(tree, node)
    if node.name and selector == f"{node.role}[name={quote(node.name)}]":
        alone = parse(by_role(node.role, node.name)).find(tree, limit=2) == [node]
        return Element(selector, node.role, node.name, exact=not alone)
    return Element(selector)


def variable(node: Node) -> str:
    """The name of a variable for the password of a field."""
    words = [part for part in (node.name, node.automation_id, node.placeholder) if part]
    name = _WORD.sub("_", words[0] if words else "password").strip("_").upper()
    return name if name and not name[0].isdigit() else f"PASSWORD_{name}".rstrip("_")


def _menu_path(tree: Tree, entry: Node) -> str | None:
    """The names of the menus that lead to an entry, and its own; None if they do not lead to it alone."""
    names = [node for node in reversed([entry, *tree.ancestors(entry)]) if node.role in MENU and node.name]
    if len(names) < 2 or names[-1] is not entry:
        return None
    path = " >> ".join(f"{node.role}[name={quote(node.name or '')}]" for node in names)
    return path if parse(path).find(tree, limit=2) == [entry] else None
