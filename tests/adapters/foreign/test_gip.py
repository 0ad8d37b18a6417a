"""Programs that a foreign GIP server instruments are driven like any other."""

from __future__ import annotations

import json

import pytest

from deskhand.adapters.foreign.gip import GipAdapter
from deskhand.adapters.foreign.gip_roles import role_of
from deskhand.engine.session import Session
from deskhand.model import errors
from deskhand.model import operations as ops
from deskhand.model.node import Rect
from deskhand.protocols.gip.client import decode_reply, encode_call
from deskhand.protocols.gip.server import GipServer
from tests.wire.form import make_session


def widget(
    ref, kind, name=None, *, geometry=(0, 0, 10, 10), children=(), visible=True, enabled=True, **properties
):
    box = dict(zip(("x", "y", "width", "height"), geometry, strict=True))
    return {
        "ref": ref, "type": kind, "objectName": name, "visible": visible, "enabled": enabled, "geometry": box,
        "properties": properties, "children": list(children),
    }  # fmt: skip


class Server:
    """A GIP server of another make: what it shows, and which calls it received."""

    def __init__(self, root, methods=("snapshot", "click", "type", "select")):
        self.root = root
        self.methods = methods
        self.calls = []
        self.answers = {}

    def __call__(self, method, params, timeout):
        if method not in self.methods:
            raise errors.UnknownMethod(f"Unknown method: {method}")
        if method == "snapshot":
            return json.loads(json.dumps(self.root))
        self.calls.append((method, dict(params)))
        return self.answers.get(method, {"success": True})


@pytest.fixture
def form():
    return Server(
        widget(
            "root", "MainWindow", "main", geometry=(100, 50, 400, 300), title="Shop",
            children=[
                widget("root/name", "QLineEdit", "name", geometry=(10, 20, 200, 30), text="Ada",
                       placeholder="Name"),
                widget("root/save", "QPushButton", "save", text="Save", focused=True),
                widget("root/panel", "QWidget", "panel", geometry=(5, 5, 50, 50), visible=False, children=[
                    widget("root/panel/QCheckBox[0]", "QCheckBox", geometry=(1, 2, 3, 4), text="Agree",
                           checked=True),
                ]),
                widget("root/dialog", "QMessageBox", "dialog", geometry=(300, 200, 100, 80), title="Sure?",
                       children=[
                    widget("root/dialog/QPushButton[0]", "QPushButton", text="Yes"),
                ]),
                widget("root/country", "QComboBox", "country", currentText="Peru", items=["USA", "Peru"]),
                widget("root/secret", "QLineEdit", "secret", text="hunter2", echoMode="Password"),
            ],
        )
    )  # fmt: skip


@pytest.fixture
def session(form):
    session = Session(
        GipAdapter(form, info={"framework": "PyQt6", "version": "6.5", "pid": 7, "title": "Shop"})
    )
    yield session
    session.close()


def test_a_snapshot_becomes_a_tree(session):
    tree = session.run(ops.ReadTree()).tree
    assert [str(node) for node in tree.roots] == ['window "Shop"', 'dialog "Sure?"']
    assert [window.kind for window in tree.windows] == ["regular", "dialog"]
    name = session.run(ops.Get("#name"))
    assert (name.role, name.value, name.placeholder, name.editable) == ("textfield", "Ada", "Name", True)
    assert name.bounds == Rect(110, 70, 200, 30)
    assert session.run(ops.Get("dialog button")).text == "Yes"
    assert session.run(ops.Get("#country")).options[1].selected
    assert tree.get(tree.focused).automation_id == "save"


def test_what_is_in_something_hidden_is_hidden(session):
    check = session.run(ops.Get("checkbox"))
    assert (check.visible, check.checked, check.bounds) == (False, True, Rect(106, 57, 3, 4))
    with pytest.raises(errors.NotVisible):
        session.run(ops.Click("checkbox", timeout=0))


def test_a_password_never_leaves_the_adapter(session):
    secret = session.run(ops.Get("#secret"))
    assert secret.password
    assert secret.value == "••••"
    assert "hunter2" not in repr(secret.fields)


def test_a_part_of_the_tree_can_be_read(session):
    whole = session.run(ops.ReadTree()).tree
    panel = session.run(ops.ReadTree(target="#panel")).tree
    assert [node.native_class for node in panel.nodes] == ["QWidget", "QCheckBox"]
    assert len(session.run(ops.ReadTree(target="#panel", depth=0)).tree.nodes) == 1
    assert len(session.run(ops.ReadTree(depth=0)).tree.nodes) == 2
    assert len(whole.nodes) == 9


def test_elements_keep_their_identity(session, form):
    before = session.run(ops.Get("#save")).uid
    assert session.run(ops.Get("#save")).uid == before
    form.root["children"][1]["type"] = "QToolButton"
    assert session.run(ops.Get("#save")).uid != before
    with pytest.raises(errors.Stale):
        session.adapter.read(before, timeout=5)


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        (ops.Click("#save"), ("click", {"ref": "root/save"})),
        (ops.Press("#save"), ("click", {"ref": "root/save"})),
        (
            ops.Click("#save", button="right", modifiers=("ctrl",)),
            ("click", {"ref": "root/save", "button": "right", "modifiers": ["ctrl"]}),
        ),
        (ops.TypeText("#name", text="x"), ("type", {"ref": "root/name", "text": "x"})),
        (
            ops.TypeText("#name", text="x", clear=True, submit=True),
            ("type", {"ref": "root/name", "text": "x", "clear": True, "submit": True}),
        ),
        (ops.SetValue("#name", value="Eve"), ("type", {"ref": "root/name", "text": "Eve", "clear": True})),
        (ops.Select("#country", index=0), ("select", {"ref": "root/country", "index": 0})),
        (ops.Select("#country", text="USA"), ("select", {"ref": "root/country", "text": "USA"})),
        (ops.Click("dialog button"), ("click", {"ref": "root/dialog/QPushButton[0]"})),
    ],
)
def test_actions_are_calls_of_its_methods(session, form, operation, call):
    session.run(operation)
    assert form.calls == [call]


def test_ticking_is_a_click_only_if_it_is_not_so_already(session, form):
    form.root["children"][2]["visible"] = True
    session.run(ops.SetChecked("checkbox", checked=True))
    assert form.calls == []
    session.run(ops.SetChecked("checkbox", checked=False))
    assert form.calls == [("click", {"ref": "root/panel/QCheckBox[0]"})]


def test_what_is_selected_is_reported(session, form):
    form.answers["select"] = {"success": True, "selected": {"value": "u", "index": 0, "text": "USA"}}
    assert session.run(ops.Select("#country", index=0)).selected == {"value": "u", "index": 0, "text": "USA"}


@pytest.mark.parametrize(
    "operation",
    [
        ops.Click("#save", count=2), ops.Click("#save", x=1, y=1), ops.Click(x=5, y=5), ops.Hover("#save"),
        ops.Key("#name", keys="enter"), ops.Focus("#name"), ops.Scroll("#name", dy=1), ops.TypeText(text="x"),
        ops.Screenshot(), ops.ShowMenu("#save"), ops.Drag("#save", to="#name"), ops.ControlWindow("#save"),
        ops.OpenFiles(("a",)),
    ],
)  # fmt: skip
def test_what_gip_does_not_know_is_refused_and_never_imitated(session, form, operation):
    with pytest.raises(errors.ActionUnsupported):
        session.run(operation)
    assert form.calls == []


def test_a_method_that_this_server_does_not_know_is_reported(session, form):
    form.methods = ("snapshot", "click")
    with pytest.raises(errors.ActionUnsupported, match="does not know select"):
        session.run(ops.Select("#country", index=0))


def test_a_server_that_does_not_clear_is_found_out(session, form):
    form.root["children"][0]["properties"]["text"] = "AdaEve"
    with pytest.raises(errors.ActionFailed, match="did not clear"):
        session.run(ops.SetValue("#name", value="Eve"))


def test_waiting_reads_again_and_again(session, form):
    with pytest.raises(errors.WaitTimeout):
        session.run(ops.Wait("#name", state="value", value="Eve", timeout=0.15, poll=0.02))
    form.root["children"][0]["properties"]["text"] = "Eve"
    assert session.run(ops.Wait("#name", state="value", value="Eve", timeout=5)).node.value == "Eve"


def test_refs_that_count_all_siblings_are_put_right_for_a_qt_server_that_counts_the_type():
    """As a published server prints them; its own look-up counts the siblings of the type."""
    server = Server(
        widget("root", "QMainWindow", children=[
            widget("root/QLabel[0]", "QLabel", text="a"),
            widget("root/QPushButton[1]", "QPushButton", text="One"),
            widget("root/QWidget[2]", "QWidget", children=[
                widget("root/QWidget[2]/QLabel[0]", "QLabel", text="b"),
                widget("root/QWidget[2]/QPushButton[1]", "QPushButton", text="Two"),
                widget("root/QWidget[2]/named", "QPushButton", "named", text="Three"),
            ]),
        ])
    )  # fmt: skip
    session = Session(GipAdapter(server))
    for text in ("One", "Two", "Three"):
        session.run(ops.Click(f'button[name="{text}"]', timeout=0))
    assert [params["ref"] for _, params in server.calls] == [
        "root/QPushButton[0]", "root/QWidget[0]/QPushButton[0]", "root/QWidget[0]/named",
    ]  # fmt: skip


def test_refs_that_count_the_type_are_left_as_they_are():
    server = Server(
        widget("root", "QMainWindow", children=[
            widget("root/QLabel[0]", "QLabel", text="a"),
            widget("root/QPushButton[0]", "QPushButton", text="One"),
            widget("root/QPushButton[1]", "QPushButton", text="Two"),
        ])
    )  # fmt: skip
    session = Session(GipAdapter(server))
    session.run(ops.Click('button[name="Two"]', timeout=0))
    assert server.calls == [("click", {"ref": "root/QPushButton[1]"})]


def test_a_flet_program_has_no_geometry_and_says_disabled():
    server = Server({
        "ref": "root", "type": "Page", "properties": {"title": "Flet app"}, "children": [
            {"ref": "root/Column[0]", "type": "Column", "properties": {}, "children": [
                {"ref": "root/Column[0]/Text[0]", "type": "Text", "properties": {"value": "Hello"}},
                {"ref": "root/Column[0]/go", "type": "ElevatedButton", "properties": {"text": "Go"}},
                {"ref": "root/Column[0]/ElevatedButton[2]", "type": "ElevatedButton", "disabled": True,
                 "properties": {"text": "Stop"}, "children": []},
                {"ref": "root/Column[0]/Container[content]", "type": "TextField",
                 "properties": {"value": "x", "label": "Name", "hint_text": "here"}, "children": []},
                {"ref": "root/Column[0]/Checkbox[4]", "type": "Checkbox",
                 "properties": {"label": "Agree", "value": True}, "children": []},
            ]},
        ],
    })  # fmt: skip
    session = Session(GipAdapter(server))
    field = session.run(ops.Get("textfield"))
    assert (field.name, field.value, field.placeholder, field.bounds) == ("Name", "x", "here", None)
    assert session.run(ops.Get("checkbox")).checked is True
    assert session.run(ops.Get("text")).text == "Hello"
    with pytest.raises(errors.NotEnabled):
        session.run(ops.Click('button[name="Stop"]', timeout=0))
    session.run(ops.Click("#go", timeout=0))
    session.run(ops.TypeText("textfield", text="y", timeout=0))
    assert [params["ref"] for _, params in server.calls] == [
        "root/Column[0]/go", "root/Column[0]/Container[content]",
    ]  # fmt: skip


def test_equal_refs_are_two_elements_all_the_same():
    twin = widget("root/twin", "QPushButton", "twin")
    tree = (
        Session(GipAdapter(Server(widget("root", "QWidget", children=[twin, twin])))).run(ops.ReadTree()).tree
    )
    assert len({node.uid for node in tree.nodes}) == 3


@pytest.mark.parametrize("answer", [None, [], {}, {"success": False}, "x"])
def test_an_answer_that_is_not_a_tree_is_reported(answer):
    with pytest.raises(errors.ActionFailed, match="without a root"):
        GipAdapter(lambda *_: answer).read(timeout=5)


@pytest.mark.parametrize(
    "root",
    [
        {"ref": "root"},
        {"ref": "root", "type": None, "properties": None, "children": None, "geometry": {"x": "1"}},
        {
            "ref": "root",
            "type": "W",
            "children": [5, None, {"ref": 7, "type": 8, "properties": {"value": [1]}}],
        },
        {"ref": "root", "type": "W", "visible": "yes", "enabled": 1, "geometry": None, "objectName": 5},
    ],
)
def test_a_tree_with_holes_is_read_as_far_as_it_goes(root):
    assert GipAdapter(lambda *_: root).read(timeout=5).nodes[0].role == "window"


def test_a_very_deep_tree_is_read():
    root = innermost = {"ref": "root", "type": "QWidget", "children": []}
    for _ in range(5000):
        child = {"ref": f"{innermost['ref'][:20]}/w", "type": "QWidget", "children": []}
        innermost["children"].append(child)
        innermost = child
    assert len(GipAdapter(lambda *_: root).read(timeout=5).nodes) == 5001


def test_its_info_is_that_of_connect(session):
    info = session.run(ops.GetAppInfo())
    assert (info.framework, info.version, info.pid, info.title, info.deskhand) == (
        "PyQt6",
        "6.5",
        7,
        "Shop",
        None,
    )
    assert GipAdapter(lambda *_: None).info().framework == "unknown"


def test_a_modal_dialog_is_part_of_its_state(session):
    assert session.run(ops.GetAppState()).modal_dialog == "Sure?"


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("QPushButton", "button"), ("SaveButton", "button"), ("button", "button"),
        ("ElevatedButton", "button"), ("QLineEdit", "textfield"), ("MyLineEdit", "textfield"),
        ("TextBox", "textfield"), ("TextField", "textfield"),
        ("input", "textfield"), ("QTextEdit", "editable-text"), ("QLabel", "text"), ("TextBlock", "text"),
        ("Text", "text"), ("QComboBox", "combo-box"), ("Dropdown", "combo-box"), ("select", "combo-box"),
        ("System.Windows.Controls.CheckBox", "checkbox"), ("Checkbox", "checkbox"), ("QDialog", "dialog"),
        ("AlertDialog", "dialog"), ("QMainWindow", "window"), ("Page", "window"), ("QWidget", "generic"),
        ("Row", "generic"), ("QTabWidget", "tab-panel"), ("QQuickItem", "unknown"), ("", "unknown"),
        ("Q", "unknown"),
        ("a", "link"), ("h2", "heading"), ("ns::Slider", "slider"), ("DataGrid", "table"),
    ],
)  # fmt: skip
def test_a_type_determines_the_role(kind, role):
    assert role_of(kind, {}) == role


def test_the_type_of_an_input_determines_its_role():
    assert role_of("input", {"type": "checkbox"}) == "checkbox"
    assert role_of("input", {"type": "submit"}) == "button"
    assert role_of("input", {"type": "whatever"}) == "textfield"


def test_our_own_server_is_driven_like_a_foreign_one():
    inner = make_session()
    conversation = GipServer(inner).conversation("unix", "unix:/tmp/app", "test")

    def call(method, params, timeout):
        request = encode_call(method, params)
        return decode_reply(request, conversation.handle(request.data))

    outer = Session(GipAdapter(call))
    try:
        outer.run(ops.TypeText("#name_edit", text="Ada"))
        outer.run(ops.Click('button[name="Two"]'))
        assert outer.run(ops.Get("#report")).text == "two"
        assert outer.run(ops.Get("#name_edit")).value == "Ada"
        assert outer.run(ops.Select("#country", text="Peru")).selected["index"] == 2
        outer.run(ops.SetChecked("checkbox"))
        assert outer.run(ops.Get("checkbox")).checked is True
        inner_tree, outer_tree = inner.run(ops.ReadTree()).tree, outer.run(ops.ReadTree()).tree
        assert [path for _, path in outer_tree.paths()] == [path for _, path in inner_tree.paths()]
        assert [node.bounds for node in outer_tree] == [node.bounds for node in inner_tree]
        with pytest.raises(errors.NotFound):
            call("click", {"ref": "root/nothing"}, 1)
    finally:
        outer.close()
        inner.close()
