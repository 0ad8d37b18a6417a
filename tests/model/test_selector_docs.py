"""Every example in the selector reference does what the page says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.model import selector as selectors
from deskhand.model.errors import SelectorError
from deskhand.model.node import Node
from deskhand.model.parsing import _ALL_PSEUDOS, _PREFIXES
from deskhand.model.selector import generate, near, parse
from deskhand.model.syntax import _ALIASES, FLAGS, NUMBERS, TEXTS, role_set
from deskhand.model.tree import Tree

PAGE = (Path(__file__).parents[2] / "docs/reference/selectors.md").read_text(encoding="utf-8")
LINE = re.compile(
    r"""\s*(?P<number>\d+)\ \ (?P<indent>\ *)(?P<role>[\w-]+)
    (?:\ "(?P<name>[^"]*)")? (?:\ =\ "(?P<value>[^"]*)")? (?:\ \#(?P<id>\S+))?
    (?:\ \[(?P<states>[^]]*)\])? (?:\ \.(?P<cls>\S+))? (?P<more>(?:\ @?\w+=(?:"[^"]*"|\S+))*)$""",
    re.VERBOSE,
)
STATES: dict[str, dict[str, object]] = {
    "collapsed": {"expanded": False},
    "disabled": {"enabled": False},
    "hidden": {"visible": False},
    "unchecked": {"checked": False},
}


def tables(heads: str) -> Iterator[list[str]]:
    """The rows of all tables that begin with these columns."""
    cells: list[str] = []
    inside = False
    for line in PAGE.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if ", ".join(cells).startswith(heads):
            inside = True
        elif inside and set(cells[0]) != {"-"}:
            yield cells


def code(cell: str) -> str:
    assert cell.startswith("`")
    assert cell.endswith("`")
    return cell[1:-1]


def numbers(cell: str) -> list[int]:
    found: list[int] = []
    for part in cell.split(","):
        if part.strip():
            first, _, last = part.strip().partition("–")
            found += range(int(first), int(last or first) + 1)
    return found


@pytest.fixture(scope="module")
def tree() -> Tree:
    block = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert block
    nodes: list[Node] = []
    above: list[str] = []
    for line in block[1].splitlines():
        match = LINE.match(line)
        assert match, line
        del above[len(match["indent"]) // 2 :]
        fields: dict[str, object] = {
            "uid": f"u-{match['number']}",
            "parent": above[-1] if above else None,
            "role": match["role"],
            "native_class": match["cls"] or "",
        }
        if match["name"]:
            fields["name"] = match["name"]
        if match["value"]:
            fields["value"] = match["value"]
        if match["id"]:
            fields["automation_id"] = match["id"]
        for state in filter(None, (match["states"] or "").split(", ")):
            fields.update(STATES.get(state, {state: True}))
        properties = {}
        for key, value in re.findall(r'(@?\w+)=("[^"]*"|\S+)', match["more"]):
            (properties if key[0] == "@" else fields)[key.lstrip("@")] = json.loads(value)
        nodes.append(Node.of({**fields, **({"properties": properties} if properties else {})}))
        above.append(f"u-{match['number']}")
    return Tree(nodes)


FINDS = [(code(row[0]), numbers(row[1])) for row in tables("Selector, Finds")]
CALLS = [(code(row[0]), code(row[1])) for row in tables("Call, Selector")]
WRITTEN = [(int(row[0]), code(row[1])) for row in tables("Element, Selector")]
ERRORS = re.findall(r"```text\n(\S[^\n]*\n  (\S[^\n]*)\n +\^)\n```", PAGE)


def test_the_page_has_examples() -> None:
    assert len(FINDS) > 100
    assert len(CALLS) > 8
    assert len(WRITTEN) > 5
    assert len(ERRORS) == 3


@pytest.mark.parametrize(("text", "wanted"), FINDS)
def test_a_selector_finds_what_the_page_says(tree: Tree, text: str, wanted: list[int]) -> None:
    assert [node.uid for node in parse(text).find(tree)] == [f"u-{number}" for number in wanted]


@pytest.mark.parametrize("text", [text for text, _ in FINDS])
def test_the_canonical_text_of_an_example_means_the_same(text: str) -> None:
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(("call", "wanted"), CALLS)
def test_a_call_equals_the_selector_on_the_page(call: str, wanted: str) -> None:
    names = {f"get_{name}": getattr(selectors, name) for name in dir(selectors) if name.startswith("by_")}

    assert eval(call, {"re": re}, names) == wanted


@pytest.mark.parametrize(("number", "wanted"), WRITTEN)
def test_an_element_is_written_as_the_page_says(tree: Tree, number: int, wanted: str) -> None:
    assert generate(tree, tree.by_uid[f"u-{number}"]) == wanted


@pytest.mark.parametrize(("message", "text"), ERRORS)
def test_an_error_reads_as_on_the_page(message: str, text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse(text)

    assert caught.value.message == message


def test_near_misses_are_those_on_the_page(tree: Tree) -> None:
    page = " ".join(PAGE.split())
    sentence = re.search(r"`button\[name=\"Svae\"\]` on the windows above: (.*?)\.", page)
    assert sentence
    wanted = [code(each) for each in sentence[1].split(", ")]

    assert [str(node) for node in near(parse('button[name="Svae"]'), tree).nodes] == wanted


def test_other_names_of_roles_mean_what_the_page_says() -> None:
    listed = re.search(r"^Also `radio-button`.*?\.$", PAGE, re.MULTILINE | re.DOTALL)
    assert listed
    pairs = re.findall(r"`([\w-]+)`(?:\s+and\s+`([\w-]+)`)?\s+\(([^)]*)\)", listed[0])
    assert len(pairs) == 13
    for first, second, roles in pairs:
        for word in filter(None, (first, second)):
            assert list(role_set(word)) == re.findall(r"[\w-]+", roles), word


def test_every_attribute_and_pseudo_class_is_on_the_page() -> None:
    words = set(re.findall(r"[\w-]+", PAGE))
    squashed = {word.replace("-", "").lower() for word in words}
    assert {*TEXTS, *FLAGS, *NUMBERS, *_PREFIXES, *_ALL_PSEUDOS} - words == set()
    assert set(_ALIASES) - squashed == set()
