"""What holds for every selector and every tree."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deskhand.model.errors import SelectorError
from deskhand.model.selector import Selector, generate_all, near, parse, quote
from deskhand.model.syntax import Chain
from deskhand.model.tree import Tree
from tests.model.selector_material import chains, plain_trees, simply, slowly, structured, trees

# How long an example takes to make says more about the machine than about the test.
often = settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
pieces = st.sampled_from([
    "button", "text", "*", " ", ">", ">>", "+", "~", ",", "#", ".", "[", "]", "(", ")", ":", "=", "!=", "^=",
    '"', "'", "/", "\\", "name", "@", "id", "save", "text=", "role=", "path=", "uid=", "nth=", "1", "-1", "n",
    "i", "has", "not", "is", "nth", "nth-child", "has-text", "text-is", "first", "scope", "checked", "true",
    "/(a+)+/", "/[/", "\\41 ", "é", "\0", "\n",
])  # fmt: skip


def assert_reads_or_explains(text: str) -> None:
    try:
        selector = parse(text)
    except SelectorError as error:
        problem = error
    else:
        assert parse(str(selector)) == selector
        return
    assert 0 <= problem.details["position"] <= len(text)
    assert "^" in problem.message


@often
@given(st.text())
def test_any_text_is_read_or_explained(text: str) -> None:
    assert_reads_or_explains(text)


@often
@given(st.lists(pieces, max_size=12).map("".join))
def test_any_pieces_of_selectors_are_read_or_explained(text: str) -> None:
    assert_reads_or_explains(text)


@often
@given(chains, st.data())
def test_a_selector_with_something_cut_out_is_read_or_explained(chain: Chain, data: st.DataObject) -> None:
    text = str(chain)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    assert_reads_or_explains(text[:start] + text[end:])


@often
@given(chains)
def test_the_text_of_a_selector_reads_as_the_same_selector(chain: Chain) -> None:
    assert parse(str(chain)) == Selector(chain)


@often
@given(st.text())
def test_a_quoted_text_reads_as_that_text(text: str) -> None:
    assert parse(f"[name={quote(text)}]") == parse(str(parse(f"[name={quote(text)}]")))
    assert str(parse(f":text-is({quote(text)})")) == f":text-is({quote(text)})"


@often
@given(chains, trees)
def test_anything_that_can_be_written_can_be_looked_for(chain: Chain, tree: Tree) -> None:
    found = Selector(chain).find(tree)

    positions = [tree.nodes.index(node) for node in found]
    assert positions == sorted(set(positions))
    assert [node for node in tree if Selector(chain).matches(tree, node)] == found
    assert len(near(Selector(chain), tree).nodes) <= 10


@settings(often, max_examples=500)
@given(structured, plain_trees, st.data())
def test_the_fast_matcher_finds_what_the_definitions_say(
    chain: Chain, tree: Tree, data: st.DataObject
) -> None:
    within = data.draw(st.none() | st.sampled_from(list(tree.nodes)))

    assert Selector(chain).find(tree, within=within) == slowly(chain, tree, within, simply)


@often
@given(trees)
def test_a_generated_selector_finds_exactly_its_node(tree: Tree) -> None:
    for uid, text in generate_all(tree).items():
        assert [node.uid for node in parse(text).find(tree)] == [uid], text
