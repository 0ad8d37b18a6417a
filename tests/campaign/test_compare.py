"""The comparison behind the campaign: it must find each kind of wrong read, and nothing in a right one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from campaign import compare
from campaign.explore import Step
from campaign.independent import Key, Object, OnScreen, Program, Walk
from campaign.visit import broken_promise, drawn_above, in_tree, related
from deskhand.model.node import MASK, Node, Option, Rect, Window
from deskhand.model.tree import Tree

BUS = ":1.5"
STATES = frozenset(("enabled", "sensitive", "showing", "visible"))


def node(path: str, parent: str | None, role: str, **fields: Any) -> Node:
    states = fields.pop("states", STATES)
    return Node.of(
        {
            "uid": f"u{path}",
            "parent": None if parent is None else f"u{parent}",
            "platform_role": role,
            "properties": {"path": path, "bus_name": BUS, "states": sorted(states)},
            **fields,
        }
    )


def thing(path: str, parent: str | None, role: str, kids: tuple[str, ...] = (), **fields: Any) -> Object:
    keys = tuple((BUS, kid) for kid in kids)
    plain = {"name": "", "states": STATES, "kids": keys, "count": len(keys), **fields}
    return Object(BUS, path, role, parent=parent, **plain)


def right_tree() -> Tree:
    return Tree(
        [
            node("/1", None, "frame", name="Window"),
            node("/2", "/1", "panel"),
            node("/3", "/2", "label", name="Name", text="Name"),
            node("/4", "/2", "entry", name="Name", text="Ada", value="Ada", editable=True),
            node("/5", "/2", "slider", number=4.0, value="4"),
            node("/6", "/2", "password text", value=MASK, text=MASK, password=True),
            node("/7", "/1", "push button", name="Save", text="Save"),
        ],
        (Window("u/1", "Window", native_id=7),),
    )


def right_walk(*changed: Object) -> Walk:
    objects = [
        thing("/root", None, "application", ("/1",)),
        thing("/1", "/root", "frame", ("/2", "/7"), name="Window"),
        thing("/2", "/1", "panel", ("/3", "/4", "/5", "/6")),
        thing("/3", "/2", "label", name="Name"),
        thing("/4", "/2", "entry", text="Ada", length=3, labels=("Name",)),
        thing("/5", "/2", "slider", value=4.0),
        thing("/6", "/2", "password text", length=6),
        thing("/7", "/1", "push button", name="Save"),
    ]
    known = {one.key: one for one in objects}
    known.update({one.key: one for one in changed})
    return Walk((Program("p", "gtk 3.24", 1, BUS, "/root"),), known)


def fields(walk: Walk, tree: Tree | None = None) -> set[tuple[str, str]]:
    found = compare.with_independent(tree or right_tree(), walk)
    return {(one.path, one.field) for one in found}


def changed(path: str, **values: Any) -> Object:
    return replace(right_walk().objects[(BUS, path)], **values)


def test_a_right_tree_has_no_difference() -> None:
    assert fields(right_walk()) == set()


@pytest.mark.parametrize(
    ("path", "values", "field"),
    [
        ("/7", {"role": "toggle button"}, "role"),
        ("/7", {"name": "Open"}, "name"),
        ("/3", {"name": "First name"}, "name"),
        ("/7", {"states": STATES | {"focused"}}, "states"),
        ("/7", {"states": STATES - {"enabled"}}, "states"),
        ("/4", {"text": "Ada L"}, "text"),
        ("/4", {"text": ""}, "text"),
        ("/5", {"value": 5.0}, "value"),
        ("/6", {"length": 0}, "value"),
    ],
)
def test_each_field_of_a_node_that_is_wrong_is_found(path: str, values: dict[str, Any], field: str) -> None:
    assert (path, field) in fields(right_walk(changed(path, **values)))


def test_a_name_that_no_label_says_any_more_is_found() -> None:
    other = changed("/4", labels=("Surname",))
    label = changed("/3", name="Surname")
    assert ("/4", "name") in fields(right_walk(other, label))


def test_a_child_that_is_missing_is_found_where_it_should_be() -> None:
    more = thing("/8", "/1", "push button", name="New")
    window = changed("/1", kids=((BUS, "/2"), (BUS, "/7"), (BUS, "/8")))
    assert fields(right_walk(window, more)) == {("/1", "children")}


def test_a_child_that_is_gone_is_found() -> None:
    window = changed("/1", kids=((BUS, "/2"),))
    walk = right_walk(window)
    del walk.objects[(BUS, "/7")]
    found = compare.with_independent(right_tree(), walk, {(BUS, "/7"): None})
    assert {(one.path, one.field) for one in found} == {("/1", "children"), ("/7", "presence")}


def test_children_in_another_order_are_found() -> None:
    assert fields(right_walk(changed("/1", kids=((BUS, "/7"), (BUS, "/2"))))) == {("/1", "order of children")}


def test_a_window_that_is_missing_is_found() -> None:
    second = thing("/9", "/root", "dialog", name="Question")
    root = changed("/root", kids=((BUS, "/1"), (BUS, "/9")))
    assert fields(right_walk(root, second)) == {("/root", "children")}


def test_children_that_were_not_walked_are_not_compared() -> None:
    assert fields(right_walk(changed("/2", kids=None, count=None))) == set()


def test_a_window_that_is_also_listed_in_another_window_is_not_a_difference() -> None:
    twice = changed("/root", kids=((BUS, "/1"), (BUS, "/7")))
    assert fields(right_walk(twice)) == set()
    nowhere = Tree([one for one in right_tree() if one.uid != "u/7"], right_tree().windows)
    assert fields(right_walk(twice), nowhere) == {("/1", "children"), ("/root", "children")}
    once = changed("/1", kids=((BUS, "/2"),))
    assert fields(right_walk(twice, once)) == {("/1", "children"), ("/root", "children")}


def test_a_child_that_is_listed_in_two_places_is_missed_in_the_other() -> None:
    both = changed("/2", kids=(*(changed("/2").kids or ()), (BUS, "/7")))
    assert fields(right_walk(both)) == {("/2", "children")}


def test_what_a_combo_box_or_menu_opens_may_be_listed_in_what_draws_it() -> None:
    nodes = [
        node("/1", None, "frame", name="Window"),
        node("/2", "/1", "combo box"),
        node("/3", "/2", "menu"),
    ]
    objects = [
        thing("/root", None, "application", ("/1", "/4")),
        thing("/1", "/root", "frame", ("/2",), name="Window"),
        thing("/2", "/1", "combo box", ("/3",)),
        thing("/3", "/2", "menu"),
        thing("/4", "/root", "window", ("/3",)),
    ]
    walk = Walk(right_walk().programs, {one.key: one for one in objects})
    windows = (Window("u/1", "Window", native_id=7),)
    assert compare.with_independent(Tree(nodes, windows), walk) == []
    # The other way round the combo box would have no options.
    drawn = [*nodes[:2], node("/4", None, "window"), node("/3", "/4", "menu")]
    found = compare.with_independent(Tree(drawn, windows), walk)
    assert {(one.path, one.field) for one in found} == {("/2", "children")}


def test_the_pages_of_a_stack_of_gtk_4_are_passed_over_and_what_is_on_them_is_not() -> None:
    page = "/org/gnome/baobab/a11y/64347d80_4bf9_4ef4_9af5_d143e8f1360c"
    stack = changed("/1", kids=((BUS, page), (BUS, "/7")))
    assert fields(right_walk(stack, thing(page, "/1", "panel", ("/2",), name="Rings Chart"))) == set()
    assert fields(right_walk(stack, thing(page, "/1", "panel", ("/8",)))) == {("/1", "children")}
    assert fields(right_walk(stack, thing(page, "/1", "push button", ("/2",)))) == {("/1", "children")}


def test_inner_parts_of_a_control_count_as_what_they_are_in() -> None:
    tree = Tree(
        [
            node("/1", None, "frame", name="Window"),
            node("/2", "/1", "spin button"),
            node("/3", "/2", "text", internal=True),
            node("/4", "/2", "push button", name="Up", text="Up"),
        ]
    )
    objects = [
        thing("/root", None, "application", ("/1",)),
        thing("/1", "/root", "frame", ("/2",), name="Window"),
        thing("/2", "/1", "spin button", ("/3",)),
        thing("/3", "/2", "text", ("/4",)),
        thing("/4", "/3", "push button", name="Up"),
    ]
    walk = Walk((Program("p", "Qt 5", 1, BUS, "/root"),), {one.key: one for one in objects})
    assert fields(walk, tree) == set()


def test_a_cold_read_that_differs_names_the_node_and_the_field() -> None:
    warm, cold = right_tree(), right_tree()
    cold.nodes[6] = cold.nodes[6].changed(bounds=Rect(1, 2, 3, 4))
    assert [(one.path, one.field) for one in compare.with_cold(warm, cold)] == [("/7", "bounds")]


def test_a_cold_read_with_more_or_fewer_nodes_differs() -> None:
    warm, cold = right_tree(), right_tree()
    gone = Tree(cold.nodes[:-1], cold.windows)
    assert [one.theirs for one in compare.with_cold(warm, gone)] == ["absent"]
    assert [one.theirs for one in compare.with_cold(gone, warm)] == ["present"]


def test_another_object_for_the_same_thing_is_not_a_difference() -> None:
    warm, cold = right_tree(), right_tree()
    cold.nodes[6] = node("/99", "/1", "push button", name="Save", text="Save")
    assert compare.with_cold(warm, cold) == []
    cold.nodes[6] = node("/99", "/1", "push button", name="Open", text="Open")
    assert {one.theirs for one in compare.with_cold(warm, cold)} == {"absent", "present"}


def test_only_what_two_comparisons_agree_about_is_counted() -> None:
    first = compare.with_independent(right_tree(), right_walk(changed("/7", name="Open")))
    moved_on = compare.with_independent(right_tree(), right_walk(changed("/7", name="Close")))
    assert compare.same_subjects(first, first) == first
    assert compare.same_subjects(first, moved_on) == []
    assert compare.same_subjects(first, []) == []


def test_a_hit_elsewhere_does_not_count() -> None:
    walk = right_walk()

    def chain(*paths: str) -> list[Key]:
        return [(BUS, path) for path in paths]

    assert related((BUS, "/4"), chain("/1", "/2", "/4"), walk)
    assert related((BUS, "/2"), chain("/1", "/4"), walk), "what is inside it is there"
    assert related((BUS, "/4"), chain("/1", "/2"), walk), "the toolkit goes no deeper"
    assert not related((BUS, "/4"), chain("/1", "/7"), walk)
    around = chain("/2", "/1")
    assert related((BUS, "/44"), chain("/1", "/2"), walk, around), "another object for the same header"
    assert not related((BUS, "/44"), chain("/1", "/7"), walk, around)


def test_a_hit_on_another_part_of_the_same_cell_is_a_hit() -> None:
    parts = [thing(path, "/8", "table cell") for path in ("/81", "/82")]
    cell = thing("/8", "/2", "table cell", ("/81", "/82"))
    other = [thing("/9", "/2", "table cell", ("/91",)), thing("/91", "/9", "table cell")]
    walk = right_walk(cell, *parts, *other)
    assert related((BUS, "/81"), [(BUS, "/8"), (BUS, "/82")], walk)
    assert not related((BUS, "/81"), [(BUS, "/9"), (BUS, "/91")], walk)


def test_a_mapped_window_that_the_tree_lacks_is_missed() -> None:
    shown = OnScreen(7, "Window", "", 10, 10, 300, 200, managed=True)
    assert in_tree(shown, right_tree())
    assert not in_tree(replace(shown, id=8, title="Question"), right_tree())
    assert not in_tree(replace(shown, id=8, managed=False), right_tree()), "a menu is not found by its title"


def test_what_is_selected_may_be_called_something_else_afterwards() -> None:
    rows = [node("/row", "/list", "list-item", name="service")]
    options = (Option(0, "service"),)
    tree = Tree([node("/list", None, "list-box", options=options), *rows])
    step, chooser = Step("select", "list-box", args={"index": 0}), thing("/list", None, "list box", ("/row",))
    picked = thing("/row", "/list", "list item", name="service, pid: 7", states=frozenset(("selected",)))
    other = replace(picked, states=frozenset())
    for row, wrong in ((picked, None), (other, "'service' is not selected")):
        walk = Walk((), {one.key: one for one in (chooser, row)})
        assert broken_promise(step, tree.nodes[0], chooser, chooser, walk, tree) == wrong


def test_what_is_drawn_later_in_a_container_is_above_what_is_drawn_before() -> None:
    objects = (
        thing("/overlay", None, "panel", ("/image", "/buttons")),
        thing("/image", "/overlay", "drawing area"),
        thing("/buttons", "/overlay", "panel", ("/next",)),
        thing("/next", "/buttons", "push button"),
    )
    walk = Walk((), {one.key: one for one in objects})
    assert drawn_above((BUS, "/next"), (BUS, "/image"), walk) == (BUS, "/buttons")
    assert drawn_above((BUS, "/image"), (BUS, "/next"), walk) is None
