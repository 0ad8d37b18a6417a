"""Operations, results and errors survive the way to another process."""

from __future__ import annotations

import json

import pytest

from deskhand.model import codec
from deskhand.model import operations as ops
from deskhand.model.errors import ERRORS, DeskhandError, InvalidParams, NotFound, UnknownMethod
from deskhand.model.node import Image, Node, Option, Rect, Virtualization, VisibleRow, Window
from deskhand.model.tree import Cut, Tree


def there_and_back(kind: object, value: object) -> object:
    return codec.decode(kind, json.loads(json.dumps(codec.encode(value))))


@pytest.mark.parametrize("operation", [
    ops.Click("#a", count=2, modifiers=("ctrl", "shift"), x=1.5),
    ops.ReadTree(depth=0, since=3),
    ops.Wait("button", "count", count=0, timeout=0),
    ops.Upload("/a", b"\x00\xff"),
    ops.Ping(),
])  # fmt: skip
def test_an_operation_comes_back_the_same(operation: ops.Operation[object]) -> None:
    name, params = codec.encode_operation(operation)
    assert codec.decode_operation(name, json.loads(json.dumps(params))) == operation


def test_every_operation_has_a_name_a_description_and_a_result() -> None:
    for name, kind in ops.OPERATIONS.items():
        assert kind.__doc__, name
        assert codec.result_type(kind) is not None
        assert ops.NAMES[kind] == name


def test_what_is_left_at_its_default_is_not_sent() -> None:
    assert codec.encode_operation(ops.Click("#a")) == ("click", {"target": "#a"})


def test_a_node_comes_back_the_same() -> None:
    node = Node.of({
        "uid": "u-1",
        "role": "table",
        "bounds": Rect(1, 2, 3, 4),
        "actions": ("press",),
        "options": (Option(0, "a", None, True),),
        "virtualization": Virtualization(
            "Table", 5, (0, 2), (1,), visible_cells=(VisibleRow(0, "u-2", (("c", "t"),)),)
        ),
        "checked": False,
    })  # fmt: skip
    back = there_and_back(Node, node)
    assert isinstance(back, Node)
    assert back.same(node)


def test_a_tree_comes_back_the_same() -> None:
    tree = Tree(
        [Node.of({"uid": "u-1"})],
        (Window("u-1", "T", bounds=Rect(0, 0, 1, 1)),),
        7,
        1.5,
        "u-1",
        Cut(3, "why"),
    )
    back = there_and_back(ops.Snapshot, ops.Snapshot(7, tree))
    assert isinstance(back, ops.Snapshot)
    assert back.tree is not None
    assert (back.tree.windows, back.tree.revision, back.tree.focused, back.tree.cut) == (
        tree.windows,
        7,
        "u-1",
        tree.cut,
    )
    assert back.tree.nodes[0].uid == "u-1"


def test_a_screenshot_comes_back_the_same() -> None:
    assert there_and_back(Image, Image(b"\x89PNG", 2, 3, 1.5)) == Image(b"\x89PNG", 2, 3, 1.5)


def test_fields_of_a_newer_engine_are_passed_over() -> None:
    node = codec.decode(Node, {"uid": "u-1", "brand_new": 1})
    assert (node.uid, "brand_new" in node.fields) == ("u-1", False)


@pytest.mark.parametrize(("params", "field"), [
    ({"target": 3}, "target"),
    ({"count": "2"}, "count"),
    ({"count": True}, "count"),
    ({"modifiers": "ctrl"}, "modifiers"),
    ({"modifiers": [1]}, "modifiers[0]"),
    ({"timeout": None}, "timeout"),
    ({"tarket": "#a"}, "tarket"),
])  # fmt: skip
def test_a_wrong_parameter_is_named(params: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        codec.decode_operation("click", params)
    assert caught.value.details["field"] == field


def test_what_takes_no_parameter_says_so() -> None:
    with pytest.raises(InvalidParams, match="no parameter named 'ref'; it takes none"):
        codec.decode(ops.Ping, {"ref": "root"})


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(InvalidParams, match="'target' is missing"):
        codec.decode_operation("find", {})


def test_an_unknown_operation_names_similar_ones() -> None:
    with pytest.raises(UnknownMethod) as caught:
        codec.decode_operation("klick", {})
    assert caught.value.near == ("click",)


def test_every_error_comes_back_as_itself() -> None:
    for kind, error in ERRORS.items():
        sent = error(
            "why", target="#a", near=("#b",), last_seen={"visible": True}, suggestions=("wait",), field="x"
        )
        back = DeskhandError.from_json(json.loads(json.dumps(sent.to_json())))
        assert type(back) is error, kind
        assert back.to_json() == sent.to_json()


def test_an_error_of_a_newer_engine_is_still_an_error() -> None:
    back = DeskhandError.from_json({"kind": "brand_new", "message": "why"})
    assert type(back) is DeskhandError
    assert str(back) == "why"
    assert isinstance(NotFound("x"), DeskhandError)
