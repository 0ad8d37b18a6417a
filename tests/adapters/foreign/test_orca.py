"""Programs that a foreign Orca server drives are driven like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from deskhand.adapters.foreign.orca import OrcaAdapter
from deskhand.adapters.foreign.orca_roles import role_of
from deskhand.engine.session import Session
from deskhand.model import errors
from deskhand.model import operations as ops
from deskhand.model.node import Node, Rect
from deskhand.protocols.orca.client import decode_reply, decode_version, encode_call, error_of
from tests.client.foreign_orca import PNG, Orca, Refused, Widget, slicer


def caller(orca: Orca) -> Any:
    def call(method: str, params: Mapping[str, Any], timeout: float) -> Any:
        try:
            return orca.call(method, dict(params))
        except Refused as error:
            raise error_of(method, {"code": error.code, "message": str(error)}) from None

    return call


@pytest.fixture
def orca() -> Iterator[Orca]:
    orca = slicer()
    yield orca
    assert orca.complaints == []


@pytest.fixture
def session(orca: Orca) -> Session:
    return Session(OrcaAdapter(caller(orca), version="1.0.0"))


def widget(orca: Orca, label: str) -> Widget:
    return next(widget for widget, _ in orca.nodes() if widget.label == label)


def get(session: Session, selector: str) -> Node:
    return session.run(ops.Get(selector))


def test_a_dump_becomes_a_tree(session: Session) -> None:
    tree = session.run(ops.ReadTree()).tree
    assert tree is not None
    assert [str(node) for node in tree.roots] == ['window "Untitled - OrcaSlicer"', 'dialog "Preferences"']
    assert [(window.title, window.kind) for window in tree.windows] == [
        ("Untitled - OrcaSlicer", "regular"), ("Preferences", "dialog"),
    ]  # fmt: skip
    field = get(session, "textfield")
    assert (field.value, field.editable, field.bounds) == ("Ada", True, Rect(10, 40, 80, 20))
    assert get(session, "dialog button").name == "OK"
    check = get(session, 'checkbox[name="Brim"]')
    assert (check.checked, check.value) == (False, None)
    assert get(session, "#canvas_3d").role == "canvas"


def test_an_id_determines_the_role_where_a_class_does_not(session: Session) -> None:
    assert get(session, "#btn_slice").role == "button"
    assert get(session, "#btn_slice").native_class == "Panel"


def test_an_imgui_item_is_called_by_its_path_and_by_what_is_shown(session: Session) -> None:
    slider = get(session, "slider")
    assert (slider.automation_id, slider.name, slider.value, slider.number) == (
        "ImGui/Move/X##move", "X", "1.5", 1.5,
    )  # fmt: skip
    assert slider.backend == "imgui"
    assert slider.properties["label"] == "X##move"


def test_elements_without_a_given_id_have_none(session: Session) -> None:
    assert get(session, "textfield").automation_id is None
    assert get(session, "textfield").properties["path"] == "MainFrame/Panel[0]/TextCtrl[2]"


def test_what_is_in_something_hidden_is_hidden(session: Session) -> None:
    with pytest.raises(errors.NotVisible):
        session.run(ops.Click('button[name="Inner"]', timeout=0))
    with pytest.raises(errors.NotEnabled):
        session.run(ops.Click("#btn_export", timeout=0))


@pytest.mark.parametrize(
    ("operation", "done"),
    [
        (ops.Click("#btn_slice"), [("click", ("btn_slice", {}))]),
        (ops.Press("#btn_slice"), [("click", ("btn_slice", {}))]),
        (
            ops.Click("#btn_slice", button="middle", count=2, modifiers=("ctrl", "meta")),
            [("click", ("btn_slice", {"button": "middle", "double": True, "modifiers": ["ctrl", "cmd"]}))],
        ),
        (ops.ShowMenu("#btn_slice"), [("click", ("btn_slice", {"button": "right"}))]),
        (ops.Click("dialog button"), [("click", ("MainFrame/Panel[3]/Dialog[0]/Button[0]", {}))]),
        (ops.Click('button[name="Reset"]'), [("click", ("ImGui/Move/Reset", {}))]),
        (ops.Click('button[name="Twin"]'), [("click", ("ImGui/Move/Twin", {}))]),
        (ops.TypeText("textfield", text="!"), [("type", "!")]),
        (ops.TypeText(text="x"), [("type", "x")]),
        (ops.TypeText(text="x", submit=True), [("type", "x"), ("key", "enter")]),
        (ops.Key(keys="ctrl+shift+S"), [("key", "ctrl+shift+s")]),
        (ops.Key(keys="ctrl++"), [("key", "ctrl++")]),
        (ops.Key(keys="meta+Return"), [("key", "cmd+enter")]),
        (ops.Key(keys="A"), [("key", "shift+a")]),
        (ops.Key("#canvas_3d", keys="Escape"), [("click", ("canvas_3d", {})), ("key", "esc")]),
        (ops.Focus("textfield"), [("click", ("MainFrame/Panel[0]/TextCtrl[2]", {}))]),
        (ops.SetChecked('checkbox[name="Brim"]', checked=False), []),
        (
            ops.SetChecked('checkbox[name="Brim"]'),
            [("click", ("MainFrame/Panel[0]/CheckBox[5]", {}))],
        ),
    ],
)  # fmt: skip
def test_actions_are_calls_of_its_methods(
    session: Session, orca: Orca, operation: ops.Action, done: object
) -> None:
    session.run(operation)
    assert orca.done == done


@pytest.mark.parametrize("text", ["Eve", ""])
def test_a_text_is_replaced(session: Session, orca: Orca, text: str) -> None:
    session.run(ops.SetValue("textfield", value=text))
    assert get(session, "textfield").value == text


def test_a_field_in_which_ctrl_a_selects_nothing_is_found_out(session: Session, orca: Orca) -> None:
    orca.before = lambda _: setattr(orca, "selected", False)
    with pytest.raises(errors.ActionFailed, match="holds 'AdaEve'"):
        session.run(ops.SetValue("textfield", value="Eve"))


def test_a_number_that_is_written_otherwise_afterwards_is_the_same(session: Session, orca: Orca) -> None:
    field = next(widget for widget, _ in orca.nodes() if widget.kind == "TextCtrl")
    field.value = "0"

    def round_it(method: str) -> None:
        if method == "widget.get" and field.value == "5":
            field.value = "5.0"

    orca.before = round_it
    session.run(ops.SetValue("textfield", value="5"))
    assert get(session, "textfield").value == "5.0"


def test_the_right_one_of_two_that_look_alike_is_clicked(session: Session, orca: Orca) -> None:
    session.run(ops.Click('button[name="Add"]:nth(1)'))
    assert orca.done == [("click", ("MainFrame/Panel[0]/Button[4]", {}))]


def test_elements_that_the_server_cannot_distinguish_are_ambiguous(session: Session, orca: Orca) -> None:
    with pytest.raises(errors.Ambiguous, match="ImGui/Scale/Same"):
        session.run(ops.Click('button[name="Same"]:nth(0)', timeout=0))
    assert orca.done == []


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (ops.Click("#btn_slice", count=3), "cannot click like this"),
        (ops.Click("#btn_slice", x=1, y=1), "cannot click like this"),
        (ops.Click(x=5, y=5), "at a point of the screen"),
        (ops.Hover("#btn_slice"), "cannot hover"),
        (ops.Drag("#btn_slice", to="#canvas_3d"), "cannot drag"),
        (ops.Scroll("#canvas_3d", dy=1), "cannot scroll"),
        (ops.Expand("#combo_printer"), "cannot expand"),
        (ops.ControlWindow("#btn_slice", do="close"), "cannot control window"),
        (ops.Select("#combo_printer", text="Prusa"), "whose options are not elements"),
        (ops.Key(keys="Home"), "no key 'Home'"),
        (ops.Key("#btn_slice", keys="space"), "would operate"),
        (ops.Focus("#btn_slice"), "would operate"),
        (ops.SetChecked("#btn_slice"), "does not tell whether it is checked"),
    ],
)
def test_what_the_protocol_cannot_do_is_refused_and_never_imitated(
    session: Session, orca: Orca, operation: ops.Action, reason: str
) -> None:
    if isinstance(operation, ops.SetChecked):
        widget(orca, "Brim").value = None
        operation, reason = ops.SetChecked('checkbox[name="Brim"]'), "does not tell whether it is checked"
    with pytest.raises(errors.ActionUnsupported, match=reason):
        session.run(operation)
    assert orca.done == []


def test_our_own_servers_know_more_keys(orca: Orca) -> None:
    sent = []

    def call(method: str, params: Mapping[str, Any], timeout: float) -> Any:
        sent.append(params["keys"])
        return {"ok": True}

    Session(OrcaAdapter(call, ours=lambda: True)).run(ops.Key(keys="ctrl+Home"))
    assert sent == [["ctrl", "home"]]


def test_an_option_that_is_an_element_is_clicked(orca: Orca, session: Session) -> None:
    orca.root.children.append(
        Widget("ListBox", children=[Widget("RadioButton", "A"), Widget("RadioButton", "B")])
    )
    done = session.run(ops.Select("list", text="B"))
    assert done.selected == {"index": 1, "text": "B"}
    assert orca.done == [("click", ("MainFrame/ListBox[4]/RadioButton[1]", {}))]
    with pytest.raises(errors.OptionNotFound, match="no option 'C'; there are 'A', 'B'"):
        session.run(ops.Select("list", text="C"))


def test_what_vanishes_between_looking_and_clicking_is_stale(orca: Orca, session: Session) -> None:
    def vanish(method: str) -> None:
        if method == "input.click":
            orca.root.children[0].children = [
                child for child in orca.root.children[0].children if child.id != "btn_slice"
            ]

    orca.before = vanish
    with pytest.raises(errors.Stale, match="Slice plate"):
        session.run(ops.Click("#btn_slice"))
    assert orca.done == []


def test_another_one_in_the_place_of_what_vanished_is_not_clicked(orca: Orca, session: Session) -> None:
    panel = orca.root.children[0]
    uid = session.run(ops.Find('button[name="Add"]'))[0].uid
    session.run(ops.ReadTree())
    panel.children[3] = Widget("Button", "Delete everything", at=(11, 70, 80, 20))
    with pytest.raises(errors.Stale, match="another element is in its place"):
        session.adapter.perform(ops.Click(), uid, None, timeout=5)
    assert orca.done == []


def test_elements_keep_their_identity(orca: Orca, session: Session) -> None:
    before = get(session, "#btn_slice").uid
    orca.root.children[0].children.insert(0, Widget("Button", "New"))
    assert get(session, "#btn_slice").uid == before, "an id is the same wherever it stands"
    orca.root.children[0].children = []
    with pytest.raises(errors.Stale):
        session.run(ops.Get(f"uid={before}"))


def test_its_state_and_its_screenshots_are_returned(orca: Orca, session: Session) -> None:
    orca.state.update(slicing=True, slice_progress=40, modal_dialog="Preferences", plates=3)
    state = session.run(ops.GetAppState())
    assert (state.active_view, state.busy, state.progress, state.foreground, state.modal_dialog) == (
        "Untitled - OrcaSlicer", True, 40, True, "Preferences",
    )  # fmt: skip
    assert state.extra == {"plates": 3}
    image = session.run(ops.Screenshot())
    assert (image.png, image.width, image.height) == (PNG, 1, 1)
    session.run(ops.Screenshot("#canvas_3d"))
    session.run(ops.Screenshot("dialog"))
    assert [target for what, target in orca.done if what == "screenshot"] == [
        None, {"id": "canvas_3d"}, {"path": "MainFrame/Panel[3]/Dialog[0]"},
    ]  # fmt: skip
    with pytest.raises(errors.ScreenshotFailed):
        session.run(ops.Screenshot("slider"))


@pytest.mark.parametrize("answer", [None, [], {}, {"ok": True}, "x", {"children": []}])
def test_an_answer_that_is_not_a_tree_is_reported(answer: object) -> None:
    with pytest.raises(errors.ActionFailed, match="without a root"):
        OrcaAdapter(lambda *_: answer).read(timeout=5)


@pytest.mark.parametrize(
    "root",
    [
        {"class": "Frame"},
        {"path": "Frame", "class": 5, "label": None, "rect": {"x": "1"}, "children": [5, None, {"id": 7}]},
        {"class": "Frame", "enabled": "yes", "visible": 1, "rect": None, "value": 3, "children": None},
    ],
)
def test_a_tree_with_holes_is_read_as_far_as_it_goes(root: object) -> None:
    assert OrcaAdapter(lambda *_: root).read(timeout=5).nodes[0].role == "window"


def test_a_very_deep_tree_is_read() -> None:
    root: dict[str, Any] = {"class": "Frame", "path": "Frame", "backend": "wx", "children": []}
    innermost = root
    for number in range(5000):
        child: dict[str, Any] = {"class": "Panel", "path": f"p{number}", "backend": "wx", "children": []}
        innermost["children"].append(child)
        innermost = child
    assert len(OrcaAdapter(lambda *_: root).read(timeout=5).nodes) == 5001


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (-32700, "x", errors.ParseError), (-32600, "x", errors.InvalidRequest),
        (-32601, "x", errors.UnknownMethod), (-32602, "x", errors.InvalidParams),
        (1001, "target not found", errors.NotFound), (1001, "target is ambiguous", errors.Ambiguous),
        (1001, "2 nodes match id 'x': a, b", errors.Ambiguous),
        (1002, "disabled or hidden", errors.NotReady), (1002, "is disabled", errors.NotEnabled),
        (1002, "is not visible", errors.NotVisible), (1003, "x", errors.WaitTimeout),
        (1004, "x", errors.UiBusy), (1005, "x", errors.ScreenshotFailed), (1006, "x", errors.Disabled),
        (1007, "x", errors.LoadFailed), (4711, "x", errors.ActionFailed), ("1001", "x", errors.ActionFailed),
    ],
)  # fmt: skip
def test_a_code_becomes_the_error_that_it_means(
    code: object, message: str, kind: type[errors.DeskhandError]
) -> None:
    error = error_of("input.click", {"code": code, "message": message})
    assert (type(error), error.message) == (kind, message)


def test_an_error_of_our_own_server_keeps_all_it_says() -> None:
    told = errors.NotFound("nothing there", near=("#save",)).to_json()
    error = error_of("widget.get", {"code": 1001, "message": "not found", "data": told})
    assert (type(error), error.message, error.near) == (errors.NotFound, "nothing there", ("#save",))


@pytest.mark.parametrize(
    "reply", [b"[]", b"5", b'{"id": 9999999, "result": 1}', b'{"id": %d}', b'{"jsonrpc": "2.0"}']
)
def test_a_reply_to_something_else_is_reported(reply: bytes) -> None:
    number, _ = encode_call("tree.dump")
    with pytest.raises(errors.InvalidRequest):
        decode_reply("tree.dump", number, reply % number if b"%d" in reply else reply)


@pytest.mark.parametrize("answer", [None, {}, {"capabilities": "tree.dump"}, {"capabilities": [1]}, []])
def test_an_invalid_version_is_none(answer: object) -> None:
    assert decode_version(answer) is None


@pytest.mark.parametrize(
    ("backend", "kind", "role"),
    [
        ("wx", "Button", "button"), ("wx", "wxButton", "button"), ("wx", "TextCtrl", "textfield"),
        ("wx", "Choice", "combo-box"), ("wx", "SpinCtrl", "spin-button"), ("wx", "GLCanvas", "canvas"),
        ("wx", "StaticText", "text"), ("wx", "Panel", "generic"), ("wx", "MainFrame", "window"),
        ("wx", "FileDialog", "dialog"), ("wx", "DataViewCtrl", "table"), ("wx", "MyButton", "button"),
        ("wx", "Notebook", "tab-list"), ("wx", "NotebookTab", "tab"),
        ("wx", "GridCell", "cell"), ("wx", "ToolBarTool", "button"), ("imgui", "drag", "spin-button"),
        ("wx", "Whatever", "unknown"), ("wx", "sipwxTreeCtrl", "tree"),
        ("imgui", "button", "button"), ("imgui", "combo", "combo-box"), ("imgui", "input", "textfield"),
        ("imgui", "radio", "radio"), ("imgui", "slider", "slider"), ("imgui", "tree_node", "tree-item"),
        ("imgui", "menu item", "menu-item"), ("imgui", "selectable", "list-item"),
        ("qt", "QPushButton", "button"), ("qt", "QFrame", "generic"), ("qt", "QMainWindow", "window"),
        ("gtk", "GtkEntry", "textfield"), ("atspi", "Text", "textfield"), ("gtk", "Entry", "textfield"),
        ("javafx", "javafx.scene.control.Button", "button"), ("javafx", "PasswordField", "textfield"),
        ("", "", "unknown"),
    ],
)  # fmt: skip
def test_a_class_determines_the_role(backend: str, kind: str, role: str) -> None:
    assert role_of(backend, kind, "") == role


def test_the_role_of_view_parts_and_menu_entries_depends_on_where_they_are() -> None:
    def node(kind: str, *children: dict[str, Any], **fields: str) -> dict[str, Any]:
        path = f"{kind}{len(children)}{fields}"
        return {"backend": "qt", "class": kind, "path": path, "children": list(children), **fields}

    index = node("QModelIndex", node("QModelIndex", label="inner"), label="outer")
    actions = [node("QAction", label="Save"), node("QAction", label="Grid", value="true"), node("QAction")]
    views = [node(kind, index) for kind in ("QListView", "QTreeView", "QTableView")]
    root = node("QMainWindow", *views, node("QMenu", *actions))
    tree = OrcaAdapter(lambda *_: root).read(timeout=5)
    assert [f"{node.role} {node.name}" for node in tree.nodes if node.native_class == "QModelIndex"] == [
        "list-item outer", "unknown inner", "tree-item outer", "tree-item inner", "row outer", "cell inner",
    ]  # fmt: skip
    assert [node.role for node in tree.nodes if node.native_class == "QAction"] == [
        "menu-item", "menu-item-checkbox", "separator",
    ]  # fmt: skip


def test_a_removed_element_is_described_as_it_was_before(orca: Orca, session: Session) -> None:
    uid = get(session, "dialog button").uid
    orca.root.children.pop()
    with pytest.raises(errors.Stale, match=r'button "OK" .*is gone'):
        session.run(ops.Get(f"uid={uid}"))
    with pytest.raises(errors.Stale, match='button "OK"'):
        session.run(ops.Click(f"uid={uid}", timeout=0))


def test_the_title_is_that_of_the_main_window(session: Session) -> None:
    assert session.run(ops.GetAppInfo()).title is None
    session.run(ops.ReadTree())
    assert session.run(ops.GetAppInfo()).title == "Untitled - OrcaSlicer"


@pytest.mark.parametrize(("ours", "waited"), [(False, [0.5]), (True, [])])
def test_two_clicks_in_a_moment_are_not_a_double_click(
    orca: Orca, ours: bool, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: 100.0, sleep=slept.append)
    monkeypatch.setattr("deskhand.adapters.foreign.orca.time", clock)
    session = Session(OrcaAdapter(caller(orca), ours=lambda: ours))
    for target in ("#btn_slice", "#btn_slice", "#canvas_3d"):
        session.run(ops.Click(target))
    assert slept == waited
    session.run(ops.TypeText("textfield", text="a"))
    session.run(ops.TypeText("textfield", text="b"))
    assert slept == [*waited, 0.5], "where it would select the text, it is waited for with every server"


@pytest.mark.parametrize(
    ("field", "selector"),
    [
        (Widget("SpinCtrl", id="layers", value="2"), "#layers"),
        (Widget("input", "mm##X", value="110.00", imgui="Move"), "id=ImGui/Move/mm##X"),
    ],
)
def test_a_number_is_taken_when_the_focus_leaves_it(
    orca: Orca, session: Session, field: Widget, selector: str
) -> None:
    (orca.root.children if field.imgui is None else orca.imgui).append(field)
    session.run(ops.SetValue(selector, value="7"))
    target = selector.removeprefix("#").removeprefix("id=")
    assert orca.done == [("click", (target, {})), ("key", "ctrl+a"), ("type", "7"), ("key", "tab")]
    assert get(session, selector).value == "7"
