"""A tree as Orca's document: paths, classes, labels, values, and Dear ImGui's items in a flat list."""

from __future__ import annotations

import json

import pytest

from deskhand.model.errors import Ambiguous, InvalidParams, NotFound, NoWindows
from deskhand.model.node import Node, Rect
from deskhand.model.tree import Tree
from deskhand.protocols.orca.tree import Document, Target, flat, read_target, target_in
from tests.wire.orca_shapes import check_node


def node(uid, parent=None, **fields):
    return Node(uid=uid, parent=parent, **{"backend": "wx", "native_class": "wxPanel", **fields})


def slicer():
    """A wx frame with a canvas in which Dear ImGui draws a window, and a dialog."""

    def item(uid, label, kind, parent="gizmo", **fields):
        return node(
            uid, parent, backend="imgui", native_class=kind, role=kind, name=label.partition("##")[0],
            automation_id=f"ImGui/Move/{label}", **fields,
        )  # fmt: skip

    return Tree(
        [
            node("frame", native_class="wxFrame", role="window", name="Slicer"),
            node("tool", "frame", native_class="wxToolBar", role="toolbar"),
            node(
                "slice",
                "tool",
                native_class="wxButton",
                role="button",
                name="Slice",
                automation_id="btn_slice",
            ),
            node("canvas", "frame", native_class="wxGLCanvas", role="canvas", automation_id="canvas_3d"),
            node(
                "gizmo",
                "canvas",
                backend="imgui",
                native_class="window",
                role="window",
                name="Move",
                automation_id="ImGui/Move",
            ),
            item("x", "X##move", "slider", value="3.5"),
            item("lock", "Lock", "checkbox", checked=True),
            item("tree", "More", "tree_node"),
            item("reset", "Reset", "button", parent="tree"),
            item("again", "Reset", "button", parent="tree"),
            node("status", "frame", native_class="wxStatusBar", role="status-bar", visible=False),
            node("text", "status", native_class="wxStaticText", role="text", text="done"),
            node("dialog", native_class="wxDialog", role="dialog", name="About"),
            node("close", "dialog", native_class="wxButton", role="button", name="Close"),
        ]
    )


def dump(document, at=None, **options):
    text = document.text(document.root if at is None else document.at(at), **options)
    tree = json.loads(text)
    check_node(tree, children=True)
    return tree


def paths(tree):
    return [tree["path"], *(path for child in tree.get("children", []) for path in paths(child))]


# -- paths ------------------------------------------------------------------------------------------


def test_a_path_counts_all_siblings_and_further_windows_are_children_of_the_root():
    assert paths(dump(Document(slicer()))) == [
        "Frame",
        "Frame/ToolBar[0]",
        "Frame/ToolBar[0]/Button[0]",
        "Frame/GLCanvas[1]",
        "Frame/StatusBar[2]",
        "Frame/StatusBar[2]/StaticText[0]",
        "Frame/Dialog[3]",
        "Frame/Dialog[3]/Button[0]",
    ]


def test_items_of_imgui_come_last_in_the_order_they_are_drawn_and_have_no_children():
    tree = dump(Document(slicer()), imgui=True)
    items = [child for child in tree["children"] if child["backend"] == "imgui"]
    assert tree["children"][-5:] == items
    assert [(item["id"], item["class"], item["label"], item.get("value")) for item in items] == [
        ("ImGui/Move/X##move", "slider", "X##move", "3.5"),
        ("ImGui/Move/Lock", "checkbox", "Lock", "true"),
        ("ImGui/Move/More", "tree_node", "More", None),
        ("ImGui/Move/Reset", "button", "Reset", None),
        ("ImGui/Move/Reset", "button", "Reset", None),
    ]


def test_items_of_imgui_are_there_whatever_depth_and_root_are_asked_for():
    for options in (
        {"depth": 0},
        {"visible_only": True},
        {"at": "canvas_3d"},
        {"at": "btn_slice", "depth": 0},
    ):
        tree = dump(Document(slicer()), imgui=True, **options)
        assert sum(path.startswith("ImGui/") for path in paths(tree)) == 5
    assert not [path for path in paths(dump(Document(slicer()))) if path.startswith("ImGui/")]


def test_paths_below_another_root_are_the_same_as_in_the_whole():
    document = Document(slicer())
    assert paths(dump(document, "Frame/Dialog[3]")) == ["Frame/Dialog[3]", "Frame/Dialog[3]/Button[0]"]
    assert paths(dump(document, "btn_slice")) == ["Frame/ToolBar[0]/Button[0]"]
    item = json.loads(document.text(document.at("ImGui/Move/Lock"), imgui=True))
    assert (item["path"], "children" in item) == ("ImGui/Move/Lock", False)


def test_what_is_hidden_is_left_out_and_still_counts():
    shown = paths(dump(Document(slicer()), visible_only=True))
    assert "Frame/Dialog[3]" in shown
    assert not [path for path in shown if "StatusBar" in path]


@pytest.mark.parametrize(("depth", "count"), [(-1, 8), (0, 1), (1, 5), (2, 8), (9, 8)])
def test_depth_is_how_far_below_the_root_a_dump_goes(depth: int, count: int):
    assert len(paths(dump(Document(slicer()), depth=depth))) == count


def test_a_tree_may_be_very_deep():
    nodes = [node("u0"), *(node(f"u{at}", f"u{at - 1}") for at in range(1, 1200))]
    document = Document(Tree(nodes))
    text = document.text(document.root)
    assert text.count('"children":[') == 1200
    assert text.count("{") == text.count("}") == 2400
    assert text.endswith("]}")


def imgui(uid, parent, kind, name=None, **fields):
    return node(uid, parent, backend="imgui", native_class=kind, name=name, **fields)


def test_a_program_of_imgui_alone_has_its_window_as_the_root():
    windows = [
        imgui("panel", "app", "window", "Tools", automation_id="ImGui/Tools"),
        imgui("tabs", "panel", "tab_bar", automation_id="ImGui/Tools/tabs"),
        imgui("go", "tabs", "tab", "Go", automation_id="ImGui/Tools/Go"),
        imgui("pick", "panel", "popup", automation_id="ImGui/##pick"),
        imgui("red", "pick", "selectable", "red", automation_id="ImGui/##pick/red"),
        imgui("own", "pick", "selectable", "blue", object_name="2", automation_id="mine"),
    ]
    document = Document(Tree([imgui("app", None, "glfw", "Demo"), *windows]))
    root = json.loads(document.text(document.root, imgui=True))
    assert (root["path"], root["label"]) == ("glfw", "Demo")
    assert [(child["id"], child["path"], child["label"]) for child in root["children"]] == [
        ("ImGui/Tools/Go", "ImGui/Tools/Go", "Go"),
        ("ImGui/##pick/red", "ImGui/##pick/red", "red"),
        ("mine", "ImGui/##pick/blue##2", "blue##2"),
    ]
    document = Document(Tree([windows[0].changed(parent=None), *windows[1:]]))
    assert (document.root.id, document.root.path) == ("ImGui/Tools", "window")
    assert document.imgui[0].path == "ImGui/Tools/Go"


# -- fields -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"native_class": "wxButton"}, "Button"),
        ({"native_class": "SlicePanel"}, "SlicePanel"),
        ({"native_class": "wxButton", "backend": "qt"}, "wxButton"),
        ({"native_class": "javafx.scene.control.Button", "backend": "javafx"}, "Button"),
        ({"native_class": "javafx.scene.layout.VBox", "backend": "javafx", "role": "window"}, "Stage"),
        (
            {"native_class": "javafx.scene.control.DialogPane", "backend": "javafx", "role": "dialog"},
            "DialogPane",
        ),
        ({"native_class": "", "role": "combo-box"}, "ComboBox"),
    ],
)
def test_the_class_is_without_the_prefix_of_wx(fields: dict[str, str], kind: str):
    document = Document(Tree([node("frame", **fields)]))
    assert document.root.kind == kind


@pytest.mark.parametrize(
    ("fields", "label", "value"),
    [
        ({"name": "Name", "value": "", "text": ""}, "Name", ""),
        ({"text": "ready"}, "ready", None),
        ({"value": "typed", "text": "typed"}, "", "typed"),
        ({"name": "News", "checked": True}, "News", "true"),
        ({"name": "News", "checked": False, "value": "0"}, "News", "false"),
        ({"checked": False, "mixed": True}, "", "mixed"),
        ({"value": "••••", "password": True}, "", "••••"),
        ({}, "", None),
    ],
)
def test_labels_and_values(fields: dict[str, object], label: str, value: str | None):
    item = Document(Tree([node("one", **fields)])).root
    assert (item.label, item.value) == (label, value)


@pytest.mark.parametrize(
    ("bounds", "rect"),
    [
        (Rect(1.4, 2.6, 3.5, 4.5), {"x": 1, "y": 3, "w": 4, "h": 4}),
        (Rect(-5, float("inf"), float("nan"), 1e300), {"x": -5, "y": 0, "w": 0, "h": 0}),
        (None, {"x": 0, "y": 0, "w": 0, "h": 0}),
    ],
)
def test_a_rect_is_whole_numbers(bounds: Rect | None, rect: dict[str, int]):
    assert dump(Document(Tree([node("one", bounds=bounds)])))["rect"] == rect


def test_odd_texts_stay_as_they_are():
    name = 'a "quoted"\\ \n \u2028 \x00 Ł 🦈'
    assert dump(Document(Tree([node("one", name=name, automation_id=name)])))["label"] == name


# -- targets ----------------------------------------------------------------------------------------


def test_an_id_goes_before_a_path_and_that_before_all_others():
    document = Document(slicer())
    assert document.one(Target(id="btn_slice", path="no", name="no")).label == "Slice"
    assert document.one(Target(path="Frame/Dialog[3]", kind="no")).label == "About"
    assert document.one(Target(name="Slice")).id == document.one(Target(name="btn_slice")).id
    assert document.one(Target(name="Frame/Dialog[3]/Button[0]")).label == "Close"
    assert [item.node.uid for item in document.find(Target(backend="imgui", kind="button"))] == [
        "reset",
        "again",
    ]
    assert len(document.find(Target(backend="imgui"))) == 5
    assert document.find(Target()) == []


def test_two_items_with_one_name_are_ambiguous_and_errors_say_what_there_is():
    document = Document(slicer())
    with pytest.raises(Ambiguous, match="2 nodes match id 'ImGui/Move/Reset'") as alike:
        document.at("ImGui/Move/Reset")
    assert "another label" in alike.value.suggestions[0]
    with pytest.raises(Ambiguous) as apart:
        document.one(Target(backend="wx"))
    assert apart.value.suggestions == ("use the path of one of them",)
    with pytest.raises(NotFound, match="saw btn_slice"):
        document.one(Target(id="btn_slise"))
    with pytest.raises(NotFound, match="empty target"):
        document.one(Target())
    with pytest.raises(NoWindows):
        _ = Document(Tree([])).root
    with pytest.raises(NoWindows):
        Document(Tree([])).one(Target(id="x"))


def test_the_label_beside_a_field_is_its_name_hint_and_not_its_label():
    document = Document(
        Tree(
            [
                node("frame", native_class="wxFrame", role="window", name="Form"),
                node("text", "frame", native_class="wxStaticText", role="text", name="Name", text="Name"),
                node(
                    "field",
                    "frame",
                    native_class="wxTextCtrl",
                    role="textfield",
                    name="Name",
                    labelled_by="Name",
                    value="Ada",
                ),
            ]
        )
    )
    for target in (Target(label="Name"), Target(name="Name"), Target(label="Name", backend="wx")):
        assert [item.kind for item in document.find(target)] == ["StaticText"]
        assert document.one(target).kind == "StaticText"
    (field,) = document.find(Target(value="Ada"))
    told = json.loads(field.text + "}")
    assert (told["label"], told["value"], told["name_hint"]) == ("", "Ada", "Name")
    assert "name_hint" not in json.loads(document.one(Target(label="Name")).text + "}")


def test_several_nodes_that_show_the_same_label_are_ambiguous():
    document = Document(
        Tree(
            [
                node("frame", native_class="wxFrame", role="window", name="Form"),
                node("box", "frame", native_class="wxStaticBox", role="group", name="Name"),
                node("text", "box", native_class="wxStaticText", role="text", name="Name"),
                node("field", "box", native_class="wxTextCtrl", role="textfield", name="Name", value="Ada"),
            ]
        )
    )
    with pytest.raises(Ambiguous) as caught:
        document.one(Target(label="Name"))
    assert len(caught.value.matches) == 3


def test_a_control_keeps_the_label_that_a_text_inside_of_it_shows():
    document = Document(
        Tree(
            [
                node("frame", native_class="wxFrame", role="window", name="Form"),
                node("greet", "frame", native_class="wxButton", role="button", name="Greet"),
                node("caption", "greet", native_class="wxLabel", role="text", name="Greet"),
                node("send", "frame", native_class="wxButton", role="button", name="Send"),
                node("hint", "frame", native_class="wxLabel", role="text", name="Send"),
            ]
        )
    )
    assert document.one(Target(label="Greet")).node.uid == "greet"
    assert document.one(Target(label="Greet", kind="Label")).node.uid == "caption"
    assert [item.node.uid for item in document.find(Target(label="Greet"))] == ["greet", "caption"]
    with pytest.raises(Ambiguous):
        document.one(Target(label="Send"))


def test_a_target_is_an_object_of_strings():
    assert read_target({"class": "Button", "name": 5, "label": None, "colour": "red"}) == Target(
        kind="Button"
    )
    for params in ({}, {"target": None}, {"target": "x"}, {"target": [1]}):
        with pytest.raises(InvalidParams, match="target"):
            target_in(params)


def test_found_nodes_come_without_children():
    found = json.loads(flat(Document(slicer()).find(Target(backend="wx"))))
    assert [one["path"] for one in found][:3] == ["Frame", "Frame/ToolBar[0]", "Frame/ToolBar[0]/Button[0]"]
    assert not any("children" in one for one in found)


# -- from one read to the next ----------------------------------------------------------------------


def changed(tree, uid, **fields):
    return Tree([node.changed(**fields) if node.uid == uid else node.changed() for node in tree])


@pytest.mark.parametrize(
    "after",
    [
        slicer(),
        changed(slicer(), "slice", name="Slice again", enabled=False),
        changed(slicer(), "slice", native_class="wxToggleButton"),
        changed(slicer(), "close", parent="frame"),
        changed(slicer(), "lock", checked=False),
        changed(slicer(), "gizmo", automation_id="ImGui/Other", name="Other"),
        Tree([node for node in slicer() if node.uid != "tool"]),
        Tree([*slicer(), node("new", "dialog", native_class="wxTextCtrl", value="1")]),
        Tree([]),
    ],
)
def test_a_document_is_the_same_with_one_before_as_without(after):
    before = Document(slicer())
    before.text(before.root, imgui=True)
    again, alone = Document(after, before), Document(after)
    assert flat([*again.items, *again.imgui]) == flat([*alone.items, *alone.imgui])
    if alone.items:
        assert again.text(again.root, imgui=True) == alone.text(alone.root, imgui=True)
        assert again.text(again.root, depth=1) == alone.text(alone.root, depth=1)


def test_what_did_not_change_is_not_written_again():
    before = Document(slicer())
    again = Document(changed(slicer(), "slice", name="Again"), before)
    kept = [old is new for old, new in zip(before.items, again.items, strict=True)]
    assert kept.count(False) == 1
    assert again.imgui is before.imgui
