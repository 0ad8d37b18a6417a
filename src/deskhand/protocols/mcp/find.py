"""What the selectors of the MCP contract mean: CSS, texts and predicates, over any toolkit.

CSS is our selector language with one difference: a bare word is a class before it is a role, and `.name` is
also a style class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...model.errors import InvalidParams
from ...model.node import Node
from ...model.regex import compiled, found_in, one_query, regex_problem
from ...model.selector import parse, quote
from ...model.syntax import Regex, role_name
from ...model.tree import Tree
from .node import hint_of, id_of, label_of
from .scene import Stage, type_of

_OWN_CSS = ("javafx",)
"""Toolkits whose own selectors are asked."""
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_RAW = ("nth-child", "nth-last-child", "nth", "text", "has-text", "text-is", "lang")
"""Pseudo-classes whose arguments are not selectors."""


def find(tree: Tree, stages: Sequence[Stage], selector: Mapping[str, Any]) -> list[Node]:
    """The nodes in these stages of which all that a selector says is true, in document order."""
    nodes = [node for stage in stages for node in (stage.root, *tree.descendants(stage.root))]
    if not selector.keys() & {"css", "text", "predicate"}:
        raise no_selector()
    if "css" in selector:
        matching = {node.uid for node in parse(css(tree, selector["css"])).find(tree)}
        nodes = [node for node in nodes if node.uid in matching]
    return filtered(nodes, selector)


def filtered(nodes: Sequence[Node], selector: Mapping[str, Any]) -> list[Node]:
    """Those of which the text and the predicate of a selector are true, whatever its CSS is."""
    found = list(nodes)
    if "text" in selector:
        test = text_test(selector["text"], selector.get("match", "contains"))
        with one_query():
            found = [node for node in found if any(test(each) for each in texts_of(node))]
    if "predicate" in selector:
        found = [node for node in found if fulfils(node, selector["predicate"])]
    return found


def no_selector() -> InvalidParams:
    return InvalidParams("No selector specified: css, text or predicate is needed", field="selector")


def css(tree: Tree, text: str) -> str:
    """The selector in our own language that a CSS selector stands for in this tree."""
    return _Css(tree, text).translated


def to_selector(tree: Tree, selector: Mapping[str, Any]) -> str:
    """A selector of the contract in our own language, for what waits in the engine."""
    found = "" if "css" not in selector else css(tree, selector["css"])
    also = ""
    if "text" in selector:
        also += _from_text(selector["text"], selector.get("match", "contains"))
    if "predicate" in selector:
        also += _from_predicate(selector["predicate"])
    if found and also:
        return f":is({found}){also}"
    if not found and not also:
        if "predicate" in selector:
            return "*"
        raise no_selector()
    return found or also


def _from_text(wanted: str, match: str) -> str:
    if match == "regex":
        return f":text({_regex(wanted)})"
    return f":text-is({quote(wanted.strip())})" if match == "equals" else f":text({quote(wanted)})"


def texts_of(node: Node) -> tuple[str, ...]:
    """The texts that a person sees at a node; at a control without any, its tooltip."""
    found = (label_of(node), node.value)
    if not any(found):
        found = (hint_of(node), None)
    return tuple(dict.fromkeys(each.strip() for each in found if each))


def text_test(wanted: str, match: str) -> Callable[[str], bool]:
    """Whether a text is the wanted one."""
    if match == "equals":
        plain = wanted.strip()
        return lambda text: text == plain if plain else True
    if match == "regex":
        expression = compiled(_regex(wanted))
        return lambda text: found_in(text, expression)
    folded = wanted.casefold()
    return lambda text: folded in text.casefold()


def fulfils(node: Node, predicate: Mapping[str, Any]) -> bool:
    """Whether all that a predicate says is true of a node."""
    own = node.visible if node.visible_self is None else node.visible_self
    types = predicate.get("typeIs")
    contained = predicate.get("textContains")
    return (
        (types is None or type_of(node) in types or node.native_class in types or node.role in types)
        and ("idEquals" not in predicate or predicate["idEquals"] in (id_of(node), node.object_name))
        and ("styleClassHas" not in predicate or predicate["styleClassHas"] in node.style_classes)
        and (contained is None or any(contained.casefold() in text.casefold() for text in texts_of(node)))
        and predicate.get("visible", own) == own
        and predicate.get("enabled", node.enabled) == node.enabled
    )


# -- CSS -------------------------------------------------------------------------------------------


class _Css:
    """Reads a CSS selector once, from left to right."""

    def __init__(self, tree: Tree, text: str) -> None:
        self._classes = {type_of(node) for node in tree.nodes}
        self._styles = {name for node in tree.nodes for name in node.style_classes}
        self._text = text
        self._at = 0
        out = []
        while self._at < len(text):
            out.append(self._next())
        self.translated = "".join(out)

    def _next(self) -> str:
        char = self._text[self._at]
        if char in "\"'":
            return self._until(self._end_of_string(self._at))
        if char == "[":
            return self._until(self._end_of_brackets())
        if char in "#.:":
            return self._named(char)
        word = _WORD.match(self._text, self._at)
        if word is None:
            return self._until(self._at + 1)
        if self._text[word.end() : word.end() + 1] == "=":
            return self._until(
                len(self._text)
            )  # one of our prefixes, such as `text=…`, takes all that follows
        self._at = word.end()
        return self._type(word[0])

    def _type(self, word: str) -> str:
        if word not in self._classes and role_name(word) is not None:
            return word
        return f".{word}"

    def _named(self, sign: str) -> str:
        word = _WORD.match(self._text, self._at + 1)
        if word is None:
            return self._until(self._at + 1)
        if sign == "." and word[0] in self._styles:
            self._at = word.end()
            return f":is(.{word[0]}, [style={quote(word[0])}])"
        end = word.end()
        if sign == ":" and word[0] in _RAW and self._text[end : end + 1] == "(":
            end = self._end_of_parentheses(end)
        return self._until(end)

    def _until(self, end: int) -> str:
        part = self._text[self._at : end]
        self._at = end
        return part

    def _end_of_string(self, start: int) -> int:
        at = start + 1
        while at < len(self._text) and self._text[at] != self._text[start]:
            at += 2 if self._text[at] == "\\" else 1
        return at + 1

    def _end_of_brackets(self) -> int:
        at = self._at
        while at < len(self._text) and self._text[at] != "]":
            at = self._end_of_string(at) if self._text[at] in "\"'" else at + 1
        return at + 1

    def _end_of_parentheses(self, start: int) -> int:
        at, open_ = start, 0
        while at < len(self._text):
            char = self._text[at]
            if char in "\"'":
                at = self._end_of_string(at)
                continue
            open_ += {"(": 1, ")": -1}.get(char, 0)
            at += 1
            if open_ == 0:
                break
        return at


def _from_predicate(predicate: Mapping[str, Any]) -> str:
    parts = []
    if types := predicate.get("typeIs"):
        parts.append(f":is({', '.join('.' + quote(each) for each in types)})")
    if "idEquals" in predicate:
        parts.append("#" + quote(predicate["idEquals"]))
    if "styleClassHas" in predicate:
        parts.append(f"[style={quote(predicate['styleClassHas'])}]")
    if "textContains" in predicate:
        parts.append(f":text({quote(predicate['textContains'])})")
    for name, (yes, no) in {"visible": (":visible", ":hidden"), "enabled": (":enabled", ":disabled")}.items():
        if name in predicate:
            parts.append(yes if predicate[name] else no)
    return "".join(parts)


# -- regular expressions -----------------------------------------------------------------------------


def _regex(pattern: str) -> Regex:
    regex = Regex(pattern, "i")
    if problem := regex_problem(regex):
        raise InvalidParams(problem, field="selector.text", target=pattern[:200])
    return regex


def has_states(selector: Mapping[str, Any]) -> bool:
    """Whether it asks for states, which JavaFX ignores: to it `Button:focused` is the same as `Button`."""
    return ":" in selector.get("css", "")


def has_own_css(stages: Sequence[Stage], selector: Mapping[str, Any]) -> bool:
    return "css" in selector and bool(stages) and stages[0].root.backend in _OWN_CSS
