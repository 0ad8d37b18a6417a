"""The adapter over xa11y, with a stand-in for the library; the real one runs in the conformance suite."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from deskhand import outside
from deskhand.adapters.xa11y import Xa11yAdapter, build
from deskhand.model import operations as ops
from deskhand.model.errors import (
    AccessibilityUnavailable,
    ActionUnsupported,
    AppGone,
    InvalidParams,
    MissingProgram,
    Stale,
    UiBusy,
)
from deskhand.model.node import MASK
from deskhand.model.roles import ROLES
from deskhand.model.tree import Tree

from . import fake_xa11y as fake
from .fake_xa11y import Element, program

Adapt = Callable[..., Xa11yAdapter]


@pytest.fixture
def adapt(monkeypatch: pytest.MonkeyPatch) -> Iterator[Adapt]:
    """Makes an adapter over programs."""
    made: list[Xa11yAdapter] = []

    def adapter(*programs: fake.App, **options: int) -> Xa11yAdapter:
        monkeypatch.setitem(sys.modules, "xa11y", fake.Library(*programs))
        made.append(Xa11yAdapter(**options))
        return made[-1]

    yield adapter
    for one in made:
        one.close()


def named(tree: Tree, name: str) -> str:
    return next(node.uid for node in tree if node.name == name)


# -- the library and the choice -------------------------------------------------------------------


def test_without_the_library_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xa11y", None)
    with pytest.raises(MissingProgram) as caught:
        Xa11yAdapter()
    assert caught.value.suggestions == ("pip install 'deskhand[xa11y]'",)


def test_it_is_chosen_by_name_by_the_environment_and_by_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKHAND_BACKEND", raising=False)
    assert outside.chosen_backend() == "atspi"
    assert outside.chosen_backend("xa11y") == "xa11y"
    monkeypatch.setenv("DESKHAND_BACKEND", "xa11y")
    assert outside.chosen_backend() == "xa11y"
    assert outside.chosen_backend("atspi") == "atspi"
    monkeypatch.delenv("DESKHAND_BACKEND")
    monkeypatch.setattr(sys, "platform", "win32")
    assert outside.chosen_backend() == "xa11y"


def test_a_backend_that_there_is_not_is_told_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParams, match="atspi, xa11y") as caught:
        outside.session(backend="x11y")
    assert caught.value.near == ("xa11y",)


def test_the_desktop_and_its_programs_are_reached_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_BACKEND", "xa11y")
    library = fake.Library(program("Notes", 70, Element(name="Save")), program("Mail", 71))
    monkeypatch.setitem(sys.modules, "xa11y", library)
    assert [(one.name, one.pid) for one in outside.programs()] == [("Notes", 70), ("Mail", 71)]
    session = outside.session("notes")
    try:
        assert [window.title for window in session.run(ops.ListWindows())] == ["Notes"]
    finally:
        session.close()


def test_what_it_needs_can_be_imported_where_there_is_no_unix() -> None:
    script = """
import os, socket, sys
sys.platform = "win32"
for name in ("fcntl", "pwd", "resource", "termios"):
    sys.modules[name] = None
for module, names in ((socket, ["AF_UNIX"]), (os, ["getuid", "geteuid", "setsid", "killpg", "fork"])):
    for name in names:
        delattr(module, name)
import deskhand.doctor, deskhand.outside
from deskhand.adapters.xa11y import Xa11yAdapter
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


# -- reading ----------------------------------------------------------------------------------------


def test_every_role_is_one_of_the_unified() -> None:
    assert {*build.UNIFIED.values(), *build.NATIVE.values()} <= ROLES


@pytest.mark.parametrize(
    ("element", "role"),
    [
        (Element("list", raw={"control_type_id": 50023}), "tree"),
        (Element("group", raw={"ax_role": "AXScrollArea"}), "scroll-area"),
        (
            Element("text_field", raw={"ax_role": "AXTextField", "ax_subrole": "AXSearchField"}),
            "search-input",
        ),
        (Element("button", raw={"ax_role": "AXButton", "ax_subrole": "AXCloseButton"}), "button"),
        (Element("check_box", raw={"atspi_role": "check menu item"}), "menu-item-checkbox"),
        (Element("something new"), "unknown"),
    ],
)
def test_where_the_system_says_more_that_counts(element: Element, role: str) -> None:
    assert build.role_of(element, top=False) == role  # type: ignore[arg-type]  # the stand-in


def test_ids_are_those_that_programs_gave_and_no_addresses(adapt: Adapt) -> None:
    given = Element(name="Save", stable_id="btn_save", raw={"automation_id": "btn_save"})
    address = Element(name="Quit", stable_id="/a11y/7", raw={"object_path": "/a11y/7", "bus_name": ":1.2"})
    tree = adapt(program("Notes", 70, given, address)).read(timeout=5)
    assert {node.name: node.automation_id for node in tree if node.role == "button"} == {
        "Save": "btn_save",
        "Quit": None,
    }


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ({"ax_role": "AXTextField", "ax_subrole": "AXSecureTextField"}, "hunter2"),
        ({"atspi_role": "password text"}, "hunter2"),
        ({"atspi_role": "text"}, "●●●●●●●"),
    ],
)
def test_a_password_is_masked(adapt: Adapt, raw: dict[str, str], value: str) -> None:
    secret = Element("text_field", "Password", value, {**raw, "uia_value": value}, editable=True)
    tree = adapt(program("Login", 70, secret)).read(timeout=5, details=True)
    node = next(node for node in tree if node.name == "Password")
    assert (node.password, node.value, node.text) == (True, MASK, MASK)
    assert value not in str(node.fields)


def test_a_uid_stays_with_what_it_was_given_to(adapt: Adapt) -> None:
    save, app = Element(name="Save"), program("Notes", 70)
    app.root.below[0].below = [save]
    adapter = adapt(app)
    before = named(adapter.read(timeout=5), "Save")
    app.root.below[0].below = [Element(name="New"), save]
    after = adapter.read(timeout=5)
    assert named(after, "Save") == before != named(after, "New")


def test_hidden_parts_are_not_looked_into_but_for_menus(adapt: Adapt) -> None:
    hidden = Element("group", "page", visible=False, below=[Element(name="inside")])
    menu = Element("menu", "File", visible=False, below=[Element("menu_item", "Save", visible=False)])
    tree = adapt(program("Notes", 70, hidden, Element("menu_bar", below=[menu]))).read(timeout=5)
    assert "inside" not in [node.name for node in tree]
    assert tree.get(named(tree, "Save")).visible  # type: ignore[union-attr]  # it is in the tree
    assert tree.cut is not None
    assert tree.cut.at == (named(tree, "page"),)


def test_the_menu_bar_of_a_program_is_not_its_main_window(adapt: Adapt) -> None:
    app = program("Notes", 70, Element(name="Save"))
    app.root.below.insert(0, Element("menu_bar", "Menu", below=[Element("menu_item", "File")]))
    tree = adapt(app).read(timeout=5)
    assert [(window.title, window.kind) for window in tree.windows] == [
        ("Notes", "regular"),
        ("Menu", "menuBar"),
    ]
    assert tree.main is not None
    assert tree.main.role == "window"


def at(x: int, y: int, width: int = 100, height: int = 20) -> SimpleNamespace:
    return SimpleNamespace(x=x, y=y, width=width, height=height)


def test_a_field_is_called_by_the_label_beside_it_whatever_the_order(adapt: Adapt) -> None:
    options = Element("list", below=[Element("list_item", "France"), Element("list_item", "Kenya")])
    inside = [
        Element("combo_box", "France", below=[options], bounds=at(120, 0)),
        Element("static_text", "Name", bounds=at(0, 40)),
        Element("static_text", "Country", bounds=at(0, 0)),
        Element("text_field", editable=True, bounds=at(120, 40)),
        Element("text_field", editable=True, bounds=at(0, 120)),
        Element("static_text", "Notes", bounds=at(0, 98)),
        Element("text_field", editable=True, bounds=at(400, 400)),
    ]
    tree = adapt(program("Notes", 70, *inside)).read(timeout=5)
    combo = next(node for node in tree if node.role == "combo-box")
    assert (combo.name, combo.value) == ("Country", "France")
    assert [option.text for option in combo.options] == ["France", "Kenya"]
    assert [node.name for node in tree if node.role == "textfield"] == ["Name", "Notes", None]


def test_what_gtk_has_inside_tabs_and_options_is_told_as_theirs(adapt: Adapt) -> None:
    pages = [
        Element(
            "tab", "Person", selected=True, below=[Element("group", "page 1", below=[Element(name="Save")])]
        ),
        Element("tab", "Items", below=[Element("group", "page 2", below=[Element(name="Far")])]),
    ]
    options = Element("list", "colours", below=[Element("list_item", below=[Element("static_text", "red")])])
    tree = adapt(program("Notes", 70, Element("tab_group", below=pages), options)).read(timeout=5)
    visible = {node.name: node.visible for node in tree if node.role == "group"}
    assert visible == {"page 1": True, "page 2": False}
    assert "Far" not in [node.name for node in tree]
    colours = tree.get(named(tree, "colours"))
    assert colours is not None
    assert [option.text for option in colours.options] == ["red"]


def test_what_is_told_to_be_nowhere_has_no_place(adapt: Adapt) -> None:
    nowhere = SimpleNamespace(x=-2147483648, y=-2147483648, width=1, height=1)
    menu = Element("menu", "File", below=[Element("menu_item", "Save", bounds=nowhere)])
    area = Element("group", bounds=at(0, 0, 300, 300), below=[Element(name="Far", bounds=nowhere)])
    tree = adapt(program("Notes", 70, area, Element("menu_bar", below=[menu]))).read(timeout=5)
    save, far = (tree.get(named(tree, name)) for name in ("Save", "Far"))
    assert save is not None
    assert far is not None
    assert (save.visible, save.bounds, save.offscreen) == (True, None, False)
    assert (far.visible, far.bounds, far.offscreen) == (True, None, True)


# -- programs that hang or end ------------------------------------------------------------------------


def test_a_program_that_hangs_is_named_and_the_others_are_returned(adapt: Adapt) -> None:
    ready = threading.Event()
    stuck = program("Stuck", 71)
    stuck.root.hangs = ready
    adapter = adapt(program("Notes", 70, Element(name="Save")), stuck)
    began = time.monotonic()
    tree = adapter.read(timeout=0.5)
    assert time.monotonic() - began < 3
    assert [window.title for window in tree.windows] == ["Notes"]
    assert tree.cut is not None
    assert "'Stuck' (pid 71)" in tree.cut.reason
    ready.set()
    assert len(adapter.read(timeout=5).windows) == 2


def test_the_one_program_that_hangs_is_busy_at_the_deadline(adapt: Adapt) -> None:
    stuck = program("Stuck", 71)
    adapter = adapt(stuck, pid=71)
    stuck.root.hangs = ready = threading.Event()
    began = time.monotonic()
    with pytest.raises(UiBusy, match="Stuck"):
        adapter.read(timeout=0.3)
    assert time.monotonic() - began < 3
    ready.set()


def test_an_action_that_did_not_start_in_time_never_does(adapt: Adapt) -> None:
    pressed = threading.Event()
    save = Element(name="Save", actions=["press"], does={"press": pressed.set})
    app = program("Notes", 70, save)
    adapter = adapt(app, pid=70)
    uid = named(adapter.read(timeout=5), "Save")
    app.root.hangs = ready = threading.Event()
    with pytest.raises(UiBusy):
        adapter.read(timeout=0.2)
    with pytest.raises(UiBusy):
        adapter.perform(ops.Press(), uid, None, timeout=0.2)
    ready.set()
    adapter.read(timeout=5)
    assert not pressed.is_set()


def test_a_program_that_ended_is_gone(adapt: Adapt) -> None:
    adapter = adapt(program("Notes", 70), pid=70)
    sys.modules["xa11y"].programs.clear()  # type: ignore[attr-defined]  # the stand-in
    with pytest.raises(AppGone, match="70"):
        adapter.read(timeout=5)


# -- acting ---------------------------------------------------------------------------------------------


def fails(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("raised", "ours"),
    [
        (fake.ActionNotSupportedError("press not supported on button"), ActionUnsupported),
        (fake.PermissionDeniedError("not trusted"), AccessibilityUnavailable),
        (fake.PlatformError("UnknownObject: No such object path"), Stale),
        (fake.PlatformError("ServiceUnknown: the name was not provided"), AppGone),
        (fake.TimeoutError("timed out"), UiBusy),
    ],
)
def test_errors_of_the_library_are_errors_of_ours(
    adapt: Adapt, raised: Exception, ours: type[Exception]
) -> None:
    save = Element(name="Save", actions=["press"], does={"press": fails(raised)})
    adapter = adapt(program("Notes", 70, save))
    uid = named(adapter.read(timeout=5), "Save")
    with pytest.raises(ours, match="Save"):
        adapter.perform(ops.Press(), uid, None, timeout=5)


def test_what_an_element_does_not_offer_is_refused_with_what_it_does(adapt: Adapt) -> None:
    picture = Element("image", "Logo", actions=["show_menu"])
    adapter = adapt(program("Notes", 70, picture))
    uid = named(adapter.read(timeout=5), "Logo")
    with pytest.raises(ActionUnsupported, match="offers show_menu"):
        adapter.perform(ops.Expand(), uid, None, timeout=5)


def test_an_element_that_is_gone_says_what_it_was(adapt: Adapt) -> None:
    app = program("Notes", 70, Element(name="Save", actions=["press"]))
    adapter = adapt(app)
    uid = named(adapter.read(timeout=5), "Save")
    app.root.below[0].below = []
    with pytest.raises(Stale, match="Save"):
        adapter.perform(ops.Press(), uid, None, timeout=5)
    adapter.read(timeout=5)
    with pytest.raises(Stale, match="Save"):
        adapter.read(uid, timeout=5)


def test_a_click_goes_to_the_middle_and_nowhere_without_a_place(adapt: Adapt) -> None:
    adapter = adapt(program("Notes", 70, Element(name="Save"), Element(name="Lost", bounds=None)))
    tree = adapter.read(timeout=5)
    adapter.perform(ops.Click(), named(tree, "Save"), None, timeout=5)
    assert sys.modules["xa11y"].clicked == [(60, 35)]  # type: ignore[attr-defined]  # the stand-in
    with pytest.raises(ActionUnsupported, match="no place") as caught:
        adapter.perform(ops.Click(), named(tree, "Lost"), None, timeout=5)
    assert caught.value.suggestions


def test_closing_leaves_no_thread_behind(adapt: Adapt) -> None:
    adapter = adapt(program("Notes", 70))
    adapter.read(timeout=5)
    stop = adapter.subscribe(lambda: None)
    deadline = time.monotonic() + 10
    while not any(thread.name == "xa11y-events" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)  # it is started by the thread of the program
    stop()
    adapter.close()
    while any(thread.name.startswith("xa11y") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)  # a thread that ends tells nobody
