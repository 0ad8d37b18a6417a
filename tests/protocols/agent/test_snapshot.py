"""Windows and elements as the Agent contract has them: what is in a snapshot, and that it is right again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.model.node import Font, Node, Rect, Window
from deskhand.model.tree import Tree
from deskhand.protocols.agent.snapshot import (
    Filter,
    Pane,
    SnapshotEncoder,
    encode_inspected,
    encode_windows,
)
from tests.wire.agent_shapes import check_inspected, check_snapshot, check_windows, decode, without_nulls

WINDOW = Window("w", "Títle ☃", "app", 7, bounds=Rect(1, 2, 300, 200), focused=True)


def node(uid, parent=None, **fields):
    return Node.of({"uid": uid, "role": "group", **({"parent": parent} if parent else {}), **fields})


ALL = Filter("full", 99)


def snapshot(nodes, wanted=ALL, windows=(WINDOW,), encoder=None):
    panes = [Pane(window, window.uid) for window in windows]
    text = (encoder or SnapshotEncoder()).encode([(Tree(nodes, windows), panes)], wanted)
    answer = decode(text)
    without_nulls(answer)
    check_snapshot(answer)
    return answer["windows"]


def names(elements):
    return [
        (one.get("label"), names(one["children"])) if "children" in one else one.get("label")
        for one in elements
    ]


def small():
    return [
        node("w", role="window", child_count=3),
        node("a", "w", name="A", child_count=2),
        node("b", "a", name="B", role="button", actions=("press",), bounds=Rect(1, 2, 3, 4)),
        node("c", "a", name="C", role="text"),
        node("d", "w", name="D", child_count=1),
        node("e", "d", name="E", child_count=1),
        node("f", "e", name="F", role="textfield", editable=True, value="v", bounds=Rect(0.5, -1, 2.0, 1.25)),
        node("g", "w", name="G", role="text", focused=True),
    ]


def test_a_minimal_element_has_only_what_every_element_must_have():
    (window,) = snapshot([node("w", child_count=1), Node.of({"uid": "x", "parent": "w"})])
    assert window["elements"] == [
        {
            "role": "unknown",
            "enabled": True,
            "focused": False,
            "showing": True,
            "childCount": 0,
            "actions": [],
        }
    ]


def test_the_entry_of_a_closed_menu_is_not_showing_although_it_can_be_pressed():
    entry = node("x", "w", role="menu-item", name="Save", actions=("press",))
    placed = node("y", "w", role="menu-item", name="Quit", actions=("press",), bounds=Rect(1, 2, 30, 4))
    (window,) = snapshot([node("w", child_count=2), entry, placed])
    assert [one["showing"] for one in window["elements"]] == [False, True]


def test_everything_known_about_an_element_is_reported():
    full = node(
        "x",
        "w",
        role="spin-button",
        name="Näme",
        value="5",
        description="how many",
        automation_id="count",
        enabled=False,
        focused=True,
        visible=False,
        bounds=Rect(1.0, 2.5, 3, 4),
        child_count=2,
        actions=("focus", "set-value"),
        platform_role="spin button",
        native_class="GtkSpinButton",
    )
    ((element,),) = [window["elements"] for window in snapshot([node("w", child_count=1), full])]
    assert element == {
        "role": "spin-button",
        "label": "Näme",
        "value": "5",
        "description": "how many",
        "id": "count",
        "enabled": False,
        "focused": True,
        "showing": False,
        "positionX": 1,
        "positionY": 2.5,
        "sizeWidth": 3,
        "sizeHeight": 4,
        "childCount": 2,
        "actions": ["focus", "set-value"],
        "platformRole": "spin button",
    }


@pytest.mark.parametrize(
    ("fields", "label", "value"),
    [
        ({"name": "N", "text": "T"}, "N", "T"),
        ({"text": "T"}, "T", None),
        ({"text": "T", "value": "T"}, None, "T"),
        ({"text": "T", "role": "editable-text"}, None, "T"),
        ({"text": "T", "editable": True}, None, "T"),
        ({"name": "N", "checked": True}, "N", "1"),
        ({"name": "N", "checked": False}, "N", "0"),
        ({"name": "N", "checked": False, "mixed": True}, "N", "2"),
        ({"name": "N", "number": 2.0}, "N", "2"),
        ({"name": "N", "number": 0.25}, "N", "0.25"),
        ({"name": "N", "number": float("nan")}, "N", None),
        ({"name": ""}, "", None),
    ],
)
def test_label_and_value(fields, label, value):
    (window,) = snapshot([node("w", child_count=1), node("x", "w", **fields)])
    assert (window["elements"][0].get("label"), window["elements"][0].get("value")) == (label, value)


@pytest.mark.parametrize("bounds", [None, Rect(-2147483648, -2147483648, 1, 1), Rect(0, 0, 2147483647, 5)])
def test_what_is_nowhere_has_no_place(bounds):
    (window,) = snapshot([node("w", child_count=1), node("x", "w", bounds=bounds)])
    assert "positionX" not in window["elements"][0]
    assert "boundsX" not in decode(encode_inspected(node("x", bounds=bounds)))


def test_a_role_that_the_contract_does_not_know_is_unknown():
    (window,) = snapshot([node("w", child_count=1), node("x", "w", role="hologram")])
    assert window["elements"][0]["role"] == "unknown"


def test_windows_are_listed_with_numbers_and_without_empty_fields():
    bare = Window("v", None, "app", 7, "dialog", None, focused=True, minimized=True)
    answer = decode(encode_windows([WINDOW, bare]))
    check_windows(answer)
    assert answer["windows"][0]["title"] == "Títle ☃"
    assert answer["windows"][1] == {
        "windowType": "dialog",
        "sizeWidth": 0,
        "sizeHeight": 0,
        "positionX": 0,
        "positionY": 0,
        "appName": "app",
        "focused": False,
    }


def test_an_inspected_element_has_font_and_bounds_and_no_children():
    font = Font("Sans", 11.0, "bold", "#102030")
    answer = decode(encode_inspected(node("x", bounds=Rect(1, 2, 3, 4), child_count=4, font=font)))
    check_inspected(answer)
    assert answer["fontSize"] == 11
    assert (answer["fontFamily"], answer["fontWeight"], answer["textColor"]) == ("Sans", "bold", "#102030")
    assert (answer["boundsX"], answer["boundsHeight"], answer["element"]["childCount"]) == (1, 4, 4)


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        (Filter("full", 0), []),
        (Filter("full", 1), ["A", "D", "G"]),
        (Filter("full", 2), [("A", ["B", "C"]), ("D", ["E"]), "G"]),
        (Filter("full", 3), [("A", ["B", "C"]), ("D", [("E", ["F"])]), "G"]),
        (Filter("interactive", 3), [("A", ["B"]), ("D", [("E", ["F"])]), "G"]),
        (Filter("interactive", 2), [("A", ["B"]), "G"]),
        (Filter("layout", 3), [("A", ["B"]), ("D", [("E", ["F"])])]),
        (Filter("full", 3, "text"), [("A", ["C"]), "G"]),
        (Filter("full", 3, "text", "c"), [("A", ["C"])]),
        (Filter("full", 3, None, "e"), [("D", ["E"])]),
        (Filter("full", 3, "button", "e"), []),
        (Filter("interactive", 3, "text"), ["G"]),
    ],
)
def test_depth_mode_and_filters_keep_what_matches_and_what_is_around_it(wanted, seen):
    (window,) = snapshot(small(), wanted)
    assert names(window["elements"]) == seen


def test_the_number_of_children_is_the_real_one_whatever_is_left_out():
    (window,) = snapshot(small(), Filter("full", 1, None, "a"))
    assert [one["childCount"] for one in window["elements"]] == [2]


@pytest.mark.parametrize("action", ["scroll-into-view", "show-menu", "scroll"])
def test_what_everything_can_do_makes_nothing_interactive(action):
    (window,) = snapshot([node("w", child_count=1), node("x", "w", actions=(action,))], Filter("interactive"))
    assert window["elements"] == []


def test_each_window_has_its_own_elements_in_their_order():
    other = Window("v", "Other", "app", 7)
    nodes = [*small(), node("v", role="dialog", child_count=1), node("h", "v", name="H")]
    first, second = snapshot(nodes, windows=(WINDOW, other))
    assert names(first["elements"])[-1] == "G"
    assert names(second["elements"]) == ["H"]
    first, second = snapshot(nodes, windows=(other, WINDOW))
    assert (first["title"], names(first["elements"])) == ("Other", ["H"])
    assert names(second["elements"])[0] == ("A", ["B", "C"])


def test_there_are_never_more_children_than_reported():
    encoder = SnapshotEncoder()
    for name in ("one", "two"):
        nodes = [
            node("w", child_count=1),
            node("x", "w", name=name, child_count=1),
            node("y", "x"),
            node("z", "x"),
            *(node(f"o{number}", "w") for number in range(20)),
        ]
        (window,) = snapshot(nodes, encoder=encoder)
        assert (window["elements"][0]["childCount"], window["elements"][0]["label"]) == (2, name)


# -- one after the other ----------------------------------------------------------------------------


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("name"), st.integers(0, 7), st.sampled_from(["x", 'é"\\', "A"])),
        st.tuples(st.just("role"), st.integers(0, 7), st.sampled_from(["button", "text", "group"])),
        st.tuples(st.just("bounds"), st.integers(0, 7), st.sampled_from([None, Rect(1, 1, 2, 2)])),
        st.tuples(st.just("uid"), st.integers(1, 7), st.sampled_from(["z1", "z2"])),
        st.tuples(st.just("remove"), st.integers(1, 7), st.none()),
        st.tuples(st.just("nothing"), st.just(0), st.none()),
    ),
    max_size=6,
)
FILTERS = [
    Filter("full", 9),
    Filter("interactive", 9),
    Filter("layout", 9),
    Filter("full", 2),
    Filter("full", 9, None, "x"),
]


@settings(deadline=None)
@given(changes=CHANGES, wanted=st.sampled_from(FILTERS), copied=st.booleans())
def test_a_snapshot_after_changes_is_the_same_as_a_first_one(changes, wanted, copied):
    """Also of trees whose nodes are new objects each time."""
    encoder = SnapshotEncoder()
    nodes = small()
    snapshot_of(nodes, wanted, encoder)
    for what, at, value in changes:
        if at >= len(nodes):
            continue
        if what == "remove":
            gone = {nodes[at].uid}
            for one in nodes:
                if one.parent in gone:
                    gone.add(one.uid)
            nodes = [one for one in nodes if one.uid not in gone]
        elif what == "uid" and value not in [one.uid for one in nodes]:
            old = nodes[at].uid
            nodes[at] = nodes[at].changed(uid=value)
            nodes = [one.changed(parent=value) if one.parent == old else one for one in nodes]
        elif what not in ("nothing", "uid"):
            nodes[at] = nodes[at].changed(**{what: value})
        if copied:
            nodes = [one.changed() for one in nodes]
        assert snapshot_of(nodes, wanted, encoder) == snapshot_of(nodes, wanted, SnapshotEncoder())


def snapshot_of(nodes, wanted, encoder):
    text = encoder.encode([(Tree(list(nodes)), [Pane(WINDOW, "w")])], wanted)
    json.loads(text)
    return text


def test_an_element_that_moved_to_another_parent_is_reported_there():
    encoder = SnapshotEncoder()
    for parent in ("a", "b"):
        nodes = [
            node("w", child_count=3),
            *(node(f"o{number}", "w") for number in range(20)),
            node("a", "w", name="A", child_count=1),
            node("b", "a", name="B", child_count=1),
            node("x", parent, name="X"),
        ]
        (window,) = snapshot(nodes, encoder=encoder)
        inside = {"a": [("A", ["B", "X"])], "b": [("A", [("B", ["X"])])]}[parent]
        assert names(window["elements"])[20:] == inside


def test_a_changed_window_is_reported_again():
    encoder = SnapshotEncoder()
    for title in ("One", "Two"):
        window = Window("w", title, "app", 7)
        assert snapshot(small(), windows=(window,), encoder=encoder)[0]["title"] == title
