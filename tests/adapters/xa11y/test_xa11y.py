"""The adapter over xa11y, with a stand-in for the library; the real one runs in the conformance suite."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from deskhand.adapters.xa11y import Xa11yAdapter, build
from deskhand.desktop import session as outside
from deskhand.model import operations as ops
from deskhand.model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
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
from deskhand.model.verified import mismatches

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


def test_unknown_backend_error_lists_the_available_backends(monkeypatch: pytest.MonkeyPatch) -> None:
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
import deskhand.doctor, deskhand.desktop.session
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


def of_qt(role: str, name: str, number: int, **more: Any) -> Element:
    raw = {"object_path": f"/org/a11y/atspi/accessible/{(1 << 31) + number}", "bus_name": ":1.2"}
    return Element(role, name, raw=raw, **more)


@pytest.mark.parametrize("says", [True, False], ids=["Qt 6", "Qt 5"])
def test_the_current_item_of_a_view_of_qt_does_not_have_the_focus_of_a_field(
    adapt: Adapt, says: bool
) -> None:
    field = of_qt("text_field", "Name", 1, focused=True, focusable=True)
    row = of_qt("list_item", "Row", 2, focused=True, focusable=True)
    view = of_qt("list", "Rows", 3, below=[row], focusable=says)
    tab = of_qt("tab", "Person", 4, focused=True, focusable=True)
    tabs = of_qt("tab_group", "Tabs", 5, below=[tab], focusable=True)
    adapter = adapt(program("Notes", 70, field, view, tabs))

    def focused() -> set[str | None]:
        tree = adapter.read(timeout=5)
        found = tree.get(tree.focused)
        return {node.name for node in tree if node.focused} | {f"tree: {found.name if found else None}"}

    assert focused() == {"Name", "tree: Name"} | ({"Row"} if not says else set())
    field.focused, view.focused = False, says
    assert focused() == {"Row", "tree: Row"} | ({"Rows"} if says else set())
    view.focused, tabs.focused = False, True
    assert focused() == {"Tabs", "Person", "tree: Person"} | ({"Row"} if not says else set())


def test_a_read_of_a_current_item_alone_says_the_same_of_its_focus(adapt: Adapt) -> None:
    row = of_qt("list_item", "Row", 1, focused=True, focusable=True)
    view = of_qt("list", "Rows", 2, below=[row], focusable=True)
    adapter = adapt(program("Notes", 70, of_qt("text_field", "Name", 3, focused=True, focusable=True), view))
    uid = named(adapter.read(timeout=5), "Row")
    for view.focused in (False, True):
        kept = adapter.read(uid, timeout=5)
        assert kept.nodes[0].focused == view.focused
        assert mismatches(kept, adapter.read_cold(uid, timeout=5)) == []


def test_an_item_of_another_toolkit_may_have_the_focus_alone(adapt: Adapt) -> None:
    row = Element("list_item", "Row", focused=True, focusable=True)
    tree = adapt(program("Notes", 70, Element("list", "Rows", below=[row], focusable=True))).read(timeout=5)
    assert tree.focused == named(tree, "Row")


def test_a_read_of_one_element_is_as_all_around_it_is_now(adapt: Adapt) -> None:
    label = Element("static_text", "Name", bounds=at(0, 20, 50))
    field = Element("text_field", bounds=at(60, 20, 50), stable_id="name")
    options = [Element("list_item", name) for name in ("Norway", "Peru")]
    box = Element("list", "Country", below=options, bounds=at(60, 50, 50))
    group = Element("group", "Address", below=[label, field, box], bounds=at(0, 0, 200, 200))
    adapter = adapt(program("Notes", 70, group))
    tree = adapter.read(timeout=5)
    uids = {node.role: node.uid for node in tree}
    label.name = "Full name"
    box.below.append(Element("list_item", "Togo", selected=True))
    options[1].name = "Chile"
    group.enabled = False
    group.bounds = at(0, 0, 200, 45)
    for uid in uids["textfield"], uids["list"]:
        for depth in (0, None):
            kept = adapter.read(uid, depth=depth, timeout=5)
            assert not mismatches(kept, adapter.read_cold(uid, depth=depth, timeout=5))
    country = adapter.read(uids["list"], depth=0, timeout=5).nodes[0]
    assert [(one.text, one.selected) for one in country.options] == [
        ("Norway", False),
        ("Chile", False),
        ("Togo", True),
    ]
    assert (country.child_count, country.enabled, country.offscreen) == (3, False, True)
    assert adapter.read(uids["textfield"], depth=0, timeout=5).nodes[0].name == "Full name"
    group.visible = False
    assert not adapter.read(uids["textfield"], depth=0, timeout=5).nodes[0].visible


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


def test_contents_of_tabs_and_options_in_gtk_are_reported_as_theirs(adapt: Adapt) -> None:
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


def test_an_element_with_impossible_coordinates_has_no_bounds(adapt: Adapt) -> None:
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
    image = Element("image", "Logo", actions=["show_menu"])
    adapter = adapt(program("Notes", 70, image))
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


def test_a_click_goes_to_the_middle_and_nowhere_without_bounds(adapt: Adapt) -> None:
    adapter = adapt(program("Notes", 70, Element(name="Save"), Element(name="Lost", bounds=None)))
    tree = adapter.read(timeout=5)
    adapter.perform(ops.Click(), named(tree, "Save"), None, timeout=5)
    assert sys.modules["xa11y"].clicked == [(60, 35)]  # type: ignore[attr-defined]  # the stand-in
    with pytest.raises(ActionUnsupported, match="no bounds") as caught:
        adapter.perform(ops.Click(), named(tree, "Lost"), None, timeout=5)
    assert caught.value.suggestions


# -- effects that come later than the action -----------------------------------------------------------


def given(monkeypatch: pytest.MonkeyPatch, react: Callable[[str, object], None]) -> None:
    """Let the programs do this when they get real input."""
    monkeypatch.setattr(sys.modules["xa11y"], "on_input", react)


def later(change: Callable[[], None]) -> Callable[[], None]:
    """The same, a moment after it is asked for."""

    def soon() -> None:
        threading.Timer(0.2, change).start()

    return soon


def country(opened: Callable[[Element], None]) -> Element:
    """A combo box as Qt has it: when it is closed, its options have bounds all the same."""
    options = [
        Element("list_item", name, bounds=at(0, row * 20)) for row, name in enumerate(("France", "Kenya"))
    ]
    options[0].selected = True
    box = Element("combo_box", "France", below=[Element("list", below=options)], actions=["press"])
    box.expanded = False
    box.does["press"] = lambda: opened(box)
    return box


def drop_down(box: Element) -> None:
    box.expanded = True
    for row, option in enumerate(box.below[0].below):
        option.bounds = at(200, 300 + row * 20)


def test_an_option_that_is_only_under_the_pointer_is_not_taken_for_chosen(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = country(drop_down)
    adapter = adapt(program("Form", 70, box))
    clicks: list[object] = []

    def react(what: str, point: object) -> None:
        clicks.append(point)
        france, kenya = box.below[0].below
        france.selected, kenya.selected = False, True
        if len(clicks) > 1:  # the first one is lost, as the second half of a double click is
            box.name, box.expanded = "Kenya", False

    given(monkeypatch, react)
    uid = next(node.uid for node in adapter.read(timeout=5) if node.role == "combo-box")
    done = adapter.perform(ops.Select(text="Kenya"), uid, None, timeout=10)
    assert (box.name, box.expanded) == ("Kenya", False)
    assert done["selected"] == {"index": 1, "text": "Kenya", "value": "Kenya"}


def test_an_option_that_does_not_get_chosen_is_an_error_that_says_what_is(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = country(drop_down)
    adapter = adapt(program("Form", 70, box))

    def react(what: str, point: object) -> None:
        box.expanded = False

    given(monkeypatch, react)
    uid = next(node.uid for node in adapter.read(timeout=5) if node.role == "combo-box")
    with pytest.raises(ActionFailed, match="chosen is 'France'"):
        adapter.perform(ops.Select(text="Kenya"), uid, None, timeout=10)


def test_options_are_not_clicked_before_their_list_has_opened(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = country(lambda box: later(lambda: drop_down(box))())
    adapter = adapt(program("Form", 70, box))

    def react(what: str, point: object) -> None:
        if box.expanded:
            box.name, box.expanded = "Kenya", False

    given(monkeypatch, react)
    uid = next(node.uid for node in adapter.read(timeout=5) if node.role == "combo-box")
    adapter.perform(ops.Select(text="Kenya"), uid, None, timeout=10)
    assert sys.modules["xa11y"].clicked == [(250, 330)]  # type: ignore[attr-defined]  # the stand-in


def test_two_clicks_at_one_point_are_not_a_double_click(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = adapt(program("Notes", 70, Element(name="Save")))
    uid = named(adapter.read(timeout=5), "Save")
    times: list[float] = []
    given(monkeypatch, lambda what, point: times.append(time.monotonic()))
    for _ in range(2):
        adapter.perform(ops.Click(), uid, None, timeout=5)
    assert times[1] - times[0] >= 0.5


def test_an_option_that_offers_to_be_selected_is_selected_when_the_action_ends(adapt: Adapt) -> None:
    red, blue = (Element("list_item", name, actions=["select"]) for name in ("red", "blue"))
    red.selected = True

    def choose() -> None:
        red.selected, blue.selected = False, True

    blue.does["select"] = later(choose)
    adapter = adapt(program("Form", 70, Element("list", "Colours", below=[red, blue])))
    uid = named(adapter.read(timeout=5), "Colours")
    adapter.perform(ops.Select(text="blue"), uid, None, timeout=5)
    assert blue.selected
    red.does["select"] = lambda: None
    with pytest.raises(ActionFailed, match="chosen is 'blue'"):
        adapter.perform(ops.Select(text="red"), uid, None, timeout=5)


def test_a_box_is_ticked_when_the_action_ends(adapt: Adapt) -> None:
    box = Element("check_box", "News", checked="off", actions=["press"])
    box.does["press"] = later(lambda: setattr(box, "checked", "on"))
    adapter = adapt(program("Form", 70, box))
    uid = named(adapter.read(timeout=5), "News")
    adapter.perform(ops.SetChecked(checked=True), uid, None, timeout=5)
    assert box.checked == "on"
    with pytest.raises(ActionFailed, match="is ticked"):
        adapter.perform(ops.SetChecked(checked=False), uid, None, timeout=5)


def test_a_box_of_three_states_is_pressed_until_it_is_ticked(adapt: Adapt) -> None:
    box = Element("check_box", "All", checked="off", actions=["press"])
    states = iter(("mixed", "on", "off"))
    box.does["press"] = lambda: setattr(box, "checked", next(states))
    adapter = adapt(program("Form", 70, box))
    adapter.perform(ops.SetChecked(checked=True), named(adapter.read(timeout=5), "All"), None, timeout=5)
    assert box.checked == "on"


def test_an_element_is_expanded_when_the_action_ends(adapt: Adapt) -> None:
    item = Element("tree_item", "Europe", actions=["expand"])
    item.expanded = False
    item.does["expand"] = later(lambda: setattr(item, "expanded", True))
    adapter = adapt(program("Form", 70, item))
    adapter.perform(ops.Expand(), named(adapter.read(timeout=5), "Europe"), None, timeout=5)
    assert item.expanded
    item.expanded, item.does["expand"] = False, lambda: None
    with pytest.raises(ActionFailed, match="did not expand"):
        adapter.perform(ops.Expand(), named(adapter.read(timeout=5), "Europe"), None, timeout=5)


def test_a_tree_whose_items_are_replaced_when_one_expands_is_read_back(adapt: Adapt) -> None:
    def item(path: str, expanded: bool) -> Element:
        raw = {"bus_name": ":1.2", "object_path": path}
        return Element("tree_item", "Europe", raw=raw, actions=["expand"], expanded=expanded)

    tree = Element("list", "Places", raw={"atspi_role": "tree"}, below=[item("/1", False)])
    replace = later(lambda: setattr(tree, "below", [item("/2", True), Element("tree_item", "Paris")]))
    tree.below[0].does["expand"] = replace
    adapter = adapt(program("Form", 70, tree))
    adapter.perform(ops.Expand(), named(adapter.read(timeout=5), "Europe"), None, timeout=5)
    assert [one.name for one in tree.below] == ["Europe", "Paris"]


def test_keys_are_sent_once_the_window_is_active_and_the_element_has_the_focus(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = Element("text_field", "Name", editable=True, focusable=True)
    app = program("Form", 70, field)
    window = app.root.below[0]
    window.active, window.actions = False, ["activate"]
    window.does["activate"] = later(lambda: setattr(window, "active", True))
    field.does["focus"] = later(lambda: setattr(field, "focused", window.active))
    adapter = adapt(app)
    keys: list[tuple[object, bool, bool]] = []
    given(monkeypatch, lambda what, key: keys.append((key, window.active, field.focused)))
    uid = named(adapter.read(timeout=5), "Name")
    adapter.perform(ops.Key(keys="ctrl+s"), uid, None, timeout=5)
    assert [state for _, *state in keys] == [[True, True]]
    field.focused, field.does["focus"] = False, lambda: None
    with pytest.raises(ActionFailed, match="did not take the focus"):
        adapter.perform(ops.Key(keys="ctrl+s"), uid, None, timeout=5)
    assert len(keys) == 1


def test_the_wheel_is_not_turned_again_before_the_last_turn_took_effect(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = Element(name="Far", bounds=at(0, 350))
    app = program("Form", 70, Element("group", bounds=at(0, 0, 300, 300), below=[far]))
    app.root.below[0].bounds = at(0, 0, 300, 300)
    adapter = adapt(app)
    turns: list[object] = []

    def react(what: str, notches: object) -> None:
        turns.append(notches)
        later(lambda: setattr(far, "bounds", at(0, 200)))()

    given(monkeypatch, react)
    far_uid = named(adapter.read(timeout=5), "Far")
    adapter.perform(ops.Scroll(into_view=True), far_uid, None, timeout=5)
    assert len(turns) == 1


def test_a_window_has_its_new_size_when_the_action_ends(adapt: Adapt) -> None:
    app = program("Form", 70)
    window = app.root.below[0]
    window.actions = ["resize_to"]
    # A busy window manager takes its time, and then does it in two steps.
    middle, end = at(0, 0, 700, 30), at(0, 0, 700, 600)
    window.does["resize_to"] = lambda: [
        threading.Timer(seconds, lambda bounds=bounds: setattr(window, "bounds", bounds)).start()
        for seconds, bounds in ((0.2, middle), (0.8, end))
    ]
    adapter = adapt(app)
    uid = named(adapter.read(timeout=5), "Form")
    resize = ops.ControlWindow(do="resize", width=700, height=600)
    adapter.perform(resize, uid, None, timeout=10)
    assert window.bounds is end
    window.does["resize_to"] = lambda: None
    with pytest.raises(ActionFailed, match="did not move or resize"):
        adapter.perform(ops.ControlWindow(do="resize", width=10, height=10), uid, None, timeout=10)


def test_a_subscription_that_is_made_after_its_end_is_closed(
    adapt: Adapt, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ready, closed = threading.Event(), threading.Event(), threading.Event()

    def subscribe(element: Element) -> fake.Subscription:
        began.set()
        ready.wait(30)
        return fake.Subscription()

    monkeypatch.setattr(Element, "subscribe", subscribe)
    monkeypatch.setattr(fake.Subscription, "close", lambda self: (self._closed.set(), closed.set()))
    stop = adapt(program("Notes", 70)).subscribe(lambda: None)
    assert began.wait(30)
    stop()
    ready.set()
    assert closed.wait(30)


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
        time.sleep(0.01)  # nothing announces that a thread ends
