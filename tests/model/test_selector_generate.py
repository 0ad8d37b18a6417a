"""The selector that deskhand writes for a node, and the near misses it names."""

from __future__ import annotations

import time

import pytest

from deskhand.model.node import Node
from deskhand.model.selector import generate, generate_all, near, parse
from deskhand.model.tree import Tree
from tests.model.selector_material import make_tree


def tree_of(*rows: tuple[str, dict[str, object]]) -> Tree:
    """A tree of rows: how deep and what uid (`..b` is a grandchild), and the fields."""
    nodes: list[Node] = []
    line: list[str] = []
    for mark, fields in rows:
        uid = mark.lstrip(".")
        del line[len(mark) - len(uid) :]
        nodes.append(Node.of({"uid": uid, "parent": line[-1] if line else None, **fields}))
        line.append(uid)
    return Tree(nodes)


MAIN = ("w", {"role": "window", "name": "Main"})
DIALOG = ("d", {"role": "dialog", "name": "Open"})


def ok(mark: str, **fields: object) -> tuple[str, dict[str, object]]:
    return mark, {"role": "button", "name": "OK", **fields}


@pytest.mark.parametrize(
    ("rows", "uid", "wanted"),
    [
        pytest.param([MAIN, ok(".b", automation_id="ok")], "b", "#ok", id="an id"),
        pytest.param([MAIN, ok(".b", object_name="ok")], "b", "#ok", id="the toolkit's own name"),
        pytest.param([MAIN, ok(".b", automation_id="a b")], "b", '#"a b"', id="an odd id"),
        pytest.param([MAIN, ok(".b")], "b", 'button[name="OK"]', id="role and name"),
        pytest.param(
            [MAIN, ok(".a", automation_id="x"), (".b", {"role": "link", "automation_id": "x", "name": "Go"})],
            "b",
            'link[name="Go"]',
            id="an id that two have is none",
        ),
        pytest.param(
            [MAIN, ok(".a"), DIALOG, ok(".b")],
            "b",
            'dialog[name="Open"] >> button[name="OK"]',
            id="the window helps",
        ),
        pytest.param(
            [MAIN, (".g", {"role": "group", "automation_id": "panel"}), ok("..b"), ok(".c")],
            "b",
            '#panel >> button[name="OK"]',
            id="a container with an id helps",
        ),
        pytest.param(
            [MAIN, (".g", {"role": "group"}), ok("..b"), DIALOG, ok(".c")],
            "b",
            'window[name="Main"] >> button[name="OK"]',
            id="a name is better than a mere role",
        ),
        pytest.param(
            [
                MAIN,
                (".g", {"role": "group", "name": "A"}),
                ok("..b"),
                (".h", {"role": "group", "name": "B"}),
                ok("..c"),
                DIALOG,
                (".i", {"role": "group", "name": "A"}),
                ok("..e"),
                (".j", {"role": "group", "name": "B"}),
                ok("..f"),
            ],
            "f",
            'dialog[name="Open"] >> group[name="B"] >> button[name="OK"]',
            id="two containers help",
        ),
        pytest.param(
            [MAIN, (".t", {"role": "text", "text": "Ready"})], "t", 'text[text="Ready"]', id="role and text"
        ),
        pytest.param(
            [MAIN, (".t", {"role": "textfield", "placeholder": "Search"}), (".u", {"role": "textfield"})],
            "t",
            'textfield[placeholder="Search"]',
            id="role and placeholder",
        ),
        pytest.param(
            [
                MAIN,
                (".t", {"role": "textfield", "text": "Ada", "value": "Ada"}),
                (".u", {"role": "textfield"}),
            ],
            "t",
            'window[name="Main"] >> textfield:nth(0)',
            id="what a person typed is not a part of it",
        ),
        pytest.param(
            [
                MAIN,
                (".t", {"role": "document", "text": "Ada", "editable": True}),
                (".u", {"role": "document"}),
            ],
            "t",
            'window[name="Main"] >> document:nth(0)',
            id="nor in anything else that can be edited",
        ),
        pytest.param(
            [MAIN, (".b", {"role": "button", "name": "  "})], "b", "button", id="a blank name is none"
        ),
        pytest.param(
            [MAIN, (".s", {"role": "status", "name": "Ready", "text": "Ready"})],
            "s",
            "status",
            id="news instead of a name",
        ),
        pytest.param(
            [MAIN, ok(".a"), DIALOG, (".g", {"role": "group", "automation_id": "qt_buttons"}), ok("..b")],
            "b",
            'dialog[name="Open"] >> button[name="OK"]',
            id="a name is better than an id of the toolkit's own",
        ),
        pytest.param(
            [MAIN, (".g", {"role": "group"}), ok("..a"), ok("..b")],
            "b",
            'window[name="Main"] >> button[name="OK"]:nth(1)',
            id="a position in something that has a name",
        ),
        pytest.param(
            [
                MAIN,
                (".g", {"role": "group", "name": "A"}),
                ("..h", {"role": "group", "name": "B"}),
                *(ok(f"...{uid}") for uid in "ab"),
                (".i", {"role": "group", "name": "B"}),
                ok("..c"),
            ],
            "b",
            'group[name="A"] >> group[name="B"] >> button[name="OK"]:nth(1)',
            id="a position in the nearest such",
        ),
        pytest.param([MAIN, (".m", {"role": "menu-bar"})], "m", "menu-bar", id="a role that only one has"),
        pytest.param(
            [MAIN, ok(".a"), ok(".b")],
            "b",
            'window[name="Main"] >> button[name="OK"]:nth(1)',
            id="a position",
        ),
        pytest.param(
            [("a", {"role": "group"}), ("b", {"role": "group"})], "b", "group:nth(1)", id="nothing else"
        ),
        pytest.param(
            [MAIN, (".a", {"role": "generic", "native_class": "Dial"}), (".b", {"role": "generic"})],
            "a",
            ".Dial",
            id="the class where the role says nothing",
        ),
        pytest.param(
            [MAIN, (".a", {"role": "thingummy"}), (".b", {"role": "thingummy"})],
            "b",
            'window[name="Main"] >> *:nth(1)',
            id="an unknown role",
        ),
        pytest.param(
            [MAIN, (".a", {"role": "text", "text": "x" * 30 + "y" * 100})],
            "a",
            f'text[text^="{"x" * 30}{"y" * 10}"]',
            id="how a long text begins",
        ),
    ],
)
def test_the_shortest_robust_selector(
    rows: list[tuple[str, dict[str, object]]], uid: str, wanted: str
) -> None:
    tree = tree_of(*rows)

    assert generate(tree, tree.by_uid[uid]) == wanted
    assert parse(wanted).find(tree) == [tree.by_uid[uid]]


def test_long_texts_that_begin_alike_are_distinguished() -> None:
    tree = tree_of(
        MAIN,
        (".a", {"role": "text", "text": "x" * 100}),
        (".b", {"role": "text", "text": "x" * 45}),
        (".c", {"role": "text", "text": "x" * 99 + "y"}),
    )

    for node in tree:
        assert parse(generate(tree, node)).find(tree) == [node]


def test_ten_thousand_selectors_are_written_at_once() -> None:
    tree = make_tree(1, 10_000)
    started = time.process_time()
    written = generate_all(tree)
    took = time.process_time() - started

    assert len(written) == 10_000
    # About a tenth of a second; quadratic work would take minutes.
    assert took < 2


def test_in_a_big_tree_each_selector_finds_its_node() -> None:
    tree = make_tree(2, 1500)

    for uid, text in generate_all(tree).items():
        assert [node.uid for node in parse(text).find(tree)] == [uid], text


# -- near misses ---------------------------------------------------------------------------------


@pytest.fixture
def form() -> Tree:
    return tree_of(
        MAIN,
        (".s", {"role": "button", "name": "Save", "automation_id": "save_button"}),
        (".c", {"role": "button", "name": "Cancel"}),
        (".h", {"role": "button", "name": "Help", "visible": False}),
        (".f", {"role": "textfield", "name": "First name", "automation_id": "first_name"}),
        (".l", {"role": "link", "name": "Terms"}),
        DIALOG,
        (".o", {"role": "button", "name": "Open anyway"}),
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('button[name="Svae"]', "s c o h"),
        ('button[name="save"]', "s c o h"),
        ('button[name="Open"]', "o d s c h"),
        ('button[name="Terms"]', "l s c o h"),
        ('link[name="Trems"]', "l"),
        ('[name="First nam"]', "f"),
        ("#save_buton", "s"),
        ("#firstname", "f"),
        ("#cancel", "c"),
        ("text=Trms", "l"),
        ("button[name=/^Sav$/]", "s c o h"),
        ('button[name="Save"]:disabled', "s c o h"),
        ('dialog[name="Opne"] >> button[name="Open anyway"]', "d o s c h"),
        ('dialog >> button[name="Save"]', "s c o h"),
        ("slider", ""),
        ("slider, link[name=x]", "l"),
        ("#nothing_like_it", "s f"),
        ("path=root/first_nam", "f s c h l"),
    ],
)
def test_near_misses_are_similar_elements(form: Tree, text: str, wanted: str) -> None:
    assert " ".join(node.uid for node in near(parse(text), form).nodes) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('button[name="Svae"]', "s"),
        ('button[name="Terms"]', "l"),
        ('button[name="Save"]:disabled', "s"),
        ('button[name="Sevn"]', ""),
        ("button:disabled", ""),
        ("#nothing_like_it", ""),
        ("path=root/first_nam", "f"),
        ("path=root/nothing_like_it", ""),
    ],
)
def test_what_is_only_of_its_kind_is_not_alike(form: Tree, text: str, wanted: str) -> None:
    assert " ".join(node.uid for node in near(parse(text), form).alike) == wanted


def test_where_nothing_is_alike_more_of_its_kind_is_named_each_name_once_first() -> None:
    names = ["Undo", "Undo", None, *map(str, range(12))]
    tree = tree_of(MAIN, *((f".{at}", {"role": "button", "name": name}) for at, name in enumerate(names)))
    there = near(parse('button[name="Sevn"]'), tree)
    assert [node.name for node in there.nodes] == ["Undo", *map(str, range(9))]
    assert there.more == 5


def test_a_role_that_no_element_has_is_reported(form: Tree) -> None:
    assert near(parse('slider[name="Volume"]'), form).absent == "slider"
    assert near(parse('window >> slider[name="Volume"]'), form).absent == "slider"
    assert near(parse('button[name="Volume"]'), form).absent == ""
    assert near(parse('*[name="Volume"]'), form).absent == ""


def test_what_can_be_used_is_nearer_than_what_cannot() -> None:
    tree = tree_of(
        MAIN,
        (".off", {"role": "button", "name": "Save as", "enabled": False}),
        (".on", {"role": "button", "name": "Save to"}),
        (".hidden", {"role": "button", "name": "Save in", "visible": False}),
    )
    assert [node.uid for node in near(parse('button[name="Save x"]'), tree).nodes] == ["on", "off", "hidden"]


def test_what_matches_is_not_a_near_miss(form: Tree) -> None:
    assert "s" not in [node.uid for node in near(parse('button[name="Save"]'), form).nodes]


def test_near_misses_are_few(form: Tree) -> None:
    assert len(near(parse("button[name=Sav]"), form, limit=2).nodes) == 2
    assert len(near(parse("button[name=zzz]"), make_tree(3, 2000)).nodes) == 10


def test_near_misses_in_an_empty_tree_are_none() -> None:
    assert near(parse("button"), Tree([])).nodes == ()
