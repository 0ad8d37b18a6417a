"""What is made of the answers of programs, without any program."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.adapters.atspi import wire
from deskhand.adapters.atspi.answers import CacheList, properties_of
from deskhand.adapters.atspi.build import build
from deskhand.adapters.atspi.bus import Lane, Question
from deskhand.adapters.atspi.item import App, Item
from deskhand.adapters.atspi.reader import Reader
from deskhand.adapters.atspi.strategy import Facet, strategy
from deskhand.adapters.atspi.vocabulary import CACHE_PATH, ROLE_NUMBERS, ROOT_PATH, Face, State
from deskhand.adapters.atspi.windows import XWindow
from deskhand.adapters.atspi.wire import Method, Variant, WireError, path_field
from deskhand.model.node import Rect

BUS = ":1.7"
LIST = "a((so)(so)(so)iiassusau)"


class Asked(Lane):
    """A lane whose questions are kept instead of sent."""

    def __init__(self) -> None:
        self.connection = SimpleNamespace(guid="0123456789abcdef")  # type: ignore[assignment]  # only its name
        self.destination = BUS
        self.failed = None
        self.asked: list[tuple[bytes, Method, Any, Any]] = []

    def call(self, path: bytes, method: Method, handler: Any, argument: Any = None) -> None:
        self.asked.append((path, method, handler, argument))

    def ask_all(self, questions: Iterable[Question]) -> None:
        self.asked.extend(questions)

    def kids_asked(self) -> list[bytes]:
        return self.members_asked(b"GetChildren")

    def members_asked(self, member: bytes) -> list[bytes]:
        return [path for path, method, _, _ in self.asked if member in method.message(1, path)]

    def answer_kids(self, path: str, *kids: str) -> None:
        self._answer(path, b"GetChildren", wire.pack("a(so)", [(BUS, place(kid)) for kid in kids]))

    def answer_count(self, path: str, count: int) -> None:
        self._answer(path, b"ChildCount", wire.pack("v", Variant("i", count)))

    def answer_name(self, path: str, name: str) -> None:
        self._answer(path, b"Name", wire.pack("v", Variant("s", name)))

    def answer_extents(self, path: str, *extents: int) -> None:
        self._answer(path, b"GetExtents", wire.pack("(iiii)", extents))

    def _answer(self, path: str, member: bytes, body: bytes) -> None:
        for at, (field, method, handler, argument) in enumerate(self.asked):
            if field == path_field(path) and member in method.message(1, field):
                del self.asked[at]
                handler(argument, body)
                return
        raise AssertionError(f"no call was expected of {path} for {member.decode()}")


def place(name: str) -> str:
    return ROOT_PATH if name == "root" else f"/org/a11y/atspi/accessible/{name}"


def entry(name: str, parent: str, index: int, kids: int, role: str = "panel") -> tuple[object, ...]:
    root = (BUS, ROOT_PATH)
    return (
        (BUS, place(name)), root, (BUS, place(parent)), index, kids, ["org.a11y.atspi.Accessible"],
        f"the {name}", ROLE_NUMBERS[role], "", [0, 0],
    )  # fmt: skip


@pytest.fixture
def app() -> App:
    made = App(BUS, Asked())
    made.how = strategy("gtk", "3.24.38")
    return made


def load(app: App, *entries: tuple[object, ...]) -> Asked:
    lane = app.lane
    assert isinstance(lane, Asked)
    Reader(app)._got_items(None, wire.pack(LIST, list(entries)))
    return lane


def names(item: Item) -> list[str]:
    return [one.name for one in item.walk()][1:]


def test_window_of_gtk_3_is_asked_for_the_order_of_what_is_in_it(app: App) -> None:
    lane = load(app, entry("w", "root", 0, 2, "dialog"), entry("b", "w", 1, 0), entry("a", "w", 0, 0))
    lane.answer_kids(ROOT_PATH, "w")
    lane.answer_kids(place("w"), "b", "a")
    assert names(app.root) == ["the w", "the b", "the a"]


def test_a_list_that_is_whole_needs_only_the_windows_confirmed(app: App) -> None:
    lane = load(app, entry("w", "root", 0, 2), entry("b", "w", 1, 0), entry("a", "w", 0, 0))
    assert lane.kids_asked() == [path_field(ROOT_PATH)]
    lane.answer_kids(ROOT_PATH, "w")
    assert names(app.root) == ["the w", "the a", "the b"]
    assert lane.kids_asked() == []


def test_another_connection_calls_objects_by_the_same_uids(app: App) -> None:
    first = app.item(place("7"))
    app.drop(first, defunct=True)
    second, long = app.item(place("7")), [app.item(place(name)).uid for name in ("8_a", "8_b")]
    assert second.uid != first.uid
    other = App(BUS, Asked())
    other.identify(app.identities())
    assert [other.item(place(name)).uid for name in ("8_b", "8_a", "7")] == [*reversed(long), second.uid]


@pytest.mark.parametrize("role", ["filler", "panel", "frame"])
def test_a_separate_toplevel_is_a_window_and_an_embedded_one_is_not(app: App, role: str) -> None:
    lane = load(app, entry("w", "root", 0, 1, role), entry("a", "w", 0, 0, role))
    lane.answer_kids(ROOT_PATH, "w")
    assert [node.role for node in build(app, {}).nodes] == ["window", "group"]


@pytest.mark.parametrize(
    ("area", "told", "place"),
    [
        (Rect(700, 384, 400, 446), (350, 192, 200, 223), Rect(722, 624, 356, 44)),
        (Rect(701, 384, 300, 335), (468, 256, 200, 223), Rect(717.5, 564, 267, 33)),
        (Rect(350, 192, 200, 223), (350, 192, 200, 223), Rect(361, 312, 178, 22)),
        (Rect(350, 192, 230, 223), (350, 192, 200, 223), Rect(361, 312, 178, 22)),
    ],
    ids=["twice", "and a half", "as it is", "being resized"],
)
def test_places_are_on_the_screen_also_where_the_program_is_enlarged(
    app: App, area: Rect, told: tuple[int, int, int, int], place: Rect
) -> None:
    lane = load(app, entry("w", "root", 0, 1, "frame"), entry("a", "w", 0, 0, "push button"))
    lane.answer_kids(ROOT_PATH, "w")
    (window,) = app.windows
    window.extents = told
    (button,) = window.kids
    button.extents = (told[0] + 11, told[1] + 120, 178, 22)
    window.states = button.states = State.SHOWING | State.VISIBLE
    built = build(app, {window: XWindow(1, 1, "w", area)})
    assert built.nodes[1].bounds == place


def test_field_without_a_name_is_called_by_the_label_next_to_it_while_it_is_shown(app: App) -> None:
    names = {"a": "First name", "b": "", "c": "Secret:", "d": ""}
    places = [(10, 10, 80, 20), (100, 10, 200, 20), (10, 40, 80, 20), (100, 40, 200, 20)]
    roles = ("label", "text", "label", "password text")
    rows = (entry(name, "w", at, 0, role) for at, (name, role) in enumerate(zip(names, roles, strict=True)))
    lane = load(app, entry("w", "root", 0, 4, "frame"), *rows)
    lane.answer_kids(ROOT_PATH, "w")
    lane.answer_kids(place("w"), *names)
    (window,) = app.windows
    for one, name, where in zip(window.kids, names.values(), places, strict=True):
        one.name, one.extents = name, where
    for one in window.walk():
        one.states = State.SHOWING | State.VISIBLE
    assert [node.name for node in build(app, {}).nodes][2::2] == ["First name", "Secret"]
    window.kids[1].states = 0
    window.kids[1].changed()
    hidden = build(app, {}).nodes[2]
    assert (hidden.name, hidden.visible) == (None, False), (
        "as for a connection that reads it for the first time"
    )


def test_a_terminal_takes_what_is_typed(app: App) -> None:
    lane = load(app, entry("w", "root", 0, 1, "frame"), entry("t", "w", 0, 0, "terminal"))
    lane.answer_kids(ROOT_PATH, "w")
    app.windows[0].kids[0].states = State.SHOWING | State.VISIBLE | State.FOCUSABLE
    assert [node.editable for node in build(app, {}).nodes] == [False, True]


def test_what_was_read_while_its_window_moved_has_a_place_once_that_stands(app: App) -> None:
    lane = load(
        app,
        entry("w", "root", 0, 1, "frame"),
        entry("p", "w", 0, 1),
        entry("b", "p", 0, 0, "push button"),
    )
    lane.answer_kids(ROOT_PATH, "w")
    app.how = strategy("qt", "5.15.8")
    items = [*app.root.walk()][1:]
    for item in items:
        item.states, item.faces = State.SHOWING | State.VISIBLE, Face.COMPONENT
    reader = Reader(app)

    reader.fetch(items[0], Facet.EXTENTS)
    lane.answer_extents(place("w"), 0, 0, 640, 560)
    lane.answer_extents(place("p"), 650, 20, 620, 500)  # by now its window is at another position
    reader.fetch(items[0], Facet.EXTENTS)
    lane.answer_extents(place("w"), 640, 0, 640, 560)
    lane.answer_extents(place("p"), 650, 20, 620, 500)
    lane.answer_extents(place("b"), 660, 30, 80, 20)

    assert [node.bounds for node in build(app, {}).nodes][1:] == [
        Rect(650, 20, 620, 500),
        Rect(660, 30, 80, 20),
    ]


def test_a_child_with_a_wrong_parent_is_found_by_reading_the_children(app: App) -> None:
    """LibreOffice names parents that do not have the child, and hides children of others."""
    lane = load(
        app, entry("w", "root", 0, 2), entry("a", "w", 0, 0), entry("lost", "elsewhere", -1, 1),
        entry("in", "lost", 0, 0),
    )  # fmt: skip
    lane.answer_kids(ROOT_PATH, "w")
    lane.answer_kids(place("w"), "lost", "a")
    assert names(app.root) == ["the w", "the lost", "the in", "the a"]
    assert len(app.items) == 4


def test_what_is_on_the_list_and_in_nothing_is_forgotten(app: App) -> None:
    lane = load(app, entry("w", "root", 0, 0), entry("stray", "gone", 0, 0))
    lane.answer_kids(ROOT_PATH, "w")
    assert set(app.items) == {place("w")}


def test_list_with_other_items_but_as_many_as_before_is_read_again(app: App) -> None:
    lane = load(
        app, entry("w", "root", 0, 1, "frame"), entry("list", "w", 0, 2, "list box"),
        entry("a", "list", 0, 0), entry("b", "list", 1, 0),
    )  # fmt: skip
    lane.answer_kids(ROOT_PATH, "w")
    Reader(app).fetch(app.items[place("list")], Facet.KIDS)
    lane.answer_count(place("list"), 2)
    lane.answer_kids(place("list"), "b", "c")
    assert [kid.path for kid in app.items[place("list")].kids] == [place("b"), place("c")]
    assert place("a") not in app.items


def test_a_list_that_goes_round_in_circles_ends(app: App) -> None:
    lane = load(app, entry("w", "root", 0, 1), entry("a", "b", 0, 1), entry("b", "a", 0, 1))
    lane.answer_kids(ROOT_PATH, "w")
    lane.answer_kids(place("w"), "a")
    lane.answer_kids(place("b"), "a")
    assert names(app.root) == ["the w", "the a", "the b"]


def test_libreoffice_is_known_by_its_name_and_qt_5_is_never_asked_for_everything() -> None:
    assert (
        strategy("gtk", "3.24.38", "soffice") == strategy("VCL", "7.4") != strategy("gtk", "3.24.38", "gedit")
    )
    assert not strategy("Qt", "5.15.8").get_all
    assert not strategy("Qt", "6.11").get_all
    assert not strategy("something", "new").get_all


@given(
    st.dictionaries(
        st.sampled_from(["Name", "Description", "ChildCount", "Parent", "Attributes", "Other"]),
        st.one_of(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).map(
                lambda text: Variant("s", text)
            ),
            st.integers(-(2**31), 2**31 - 1).map(lambda number: Variant("i", number)),
            st.just(Variant("(so)", (BUS, ROOT_PATH))),
            st.just(Variant("a{ss}", {"id": "who", "class": "wide"})),
            st.booleans().map(lambda flag: Variant("b", flag)),
        ),
    )
)
def test_all_properties_are_read_by_hand_as_by_the_book(properties: dict[str, Variant]) -> None:
    body = wire.pack("a{sv}", properties)
    assert properties_of(body) == wire.unpack("a{sv}", body)[0]


def test_a_list_that_is_cut_short_is_refused() -> None:
    body = wire.pack(LIST, [entry("w", "root", 0, 0)])
    with pytest.raises(WireError):
        CacheList(BUS).entries(body[:-8])
    with pytest.raises(WireError):
        properties_of(wire.pack("a{sv}", {"Name": Variant("s", "some text")})[:-4])


_PLACES = st.sampled_from(["w", "a", "b", "another", "the-last"])
_ENTRIES = st.lists(
    st.builds(
        entry, _PLACES, _PLACES, st.integers(0, 3), st.integers(0, 3), st.sampled_from(["panel", "label"])
    ),
    unique_by=lambda one: one[0],
)


@given(_ENTRIES, _ENTRIES)
def test_a_list_that_follows_another_is_read_as_by_one_that_knows_nothing(
    first: list[tuple[object, ...]], second: list[tuple[object, ...]]
) -> None:
    stranger = ((":1.123", place("w")), *entry("w", "root", 0, 0)[1:])
    known = CacheList(BUS)
    for entries in (first, [stranger, *first[::-1], stranger], second):
        body = wire.pack(LIST, entries)
        found = known.entries(body)
        assert found == CacheList(BUS).entries(body)
        assert [one[0] for one in found] == [one[0][1] for one in entries if one is not stranger]  # type: ignore[index]


def test_what_is_asked_before_the_list_comes_is_asked_again_only_where_that_says_something_new(
    app: App,
) -> None:
    def listed(name: str) -> bytes:
        parts = [entry("w", "root", 0, 2), entry("a", "w", 0, 0), entry("b", "w", 1, 0)]
        shown = [State.SHOWING & 0xFFFFFFFF, State.SHOWING >> 32]
        faces = ["org.a11y.atspi.Accessible", "org.a11y.atspi.Component"]
        named = {place("a"): name}
        return wire.pack(
            LIST, [(*one[:5], faces, named.get(one[0][1], one[6]), *one[7:9], shown) for one in parts]  # type: ignore[index]
        )  # fmt: skip

    lane = app.lane
    assert isinstance(lane, Asked)
    reader = Reader(app)

    def read(name: str) -> dict[str, int]:
        """How often each object is asked for its bounds."""
        lane.asked.clear()
        reader.read()
        reader._got_items(None, listed(name))
        lane.answer_kids(ROOT_PATH, "w")
        asked = [path for path, method, _, _ in lane.asked if b"GetExtents" in method.message(1, path)]
        reader.finish()
        return {one: asked.count(path_field(place(one))) for one in ("w", "a", "b")}

    assert read("one") == {"w": 1, "a": 1, "b": 1}
    assert read("one") == {"w": 1, "a": 1, "b": 1}
    assert read("two") == {"w": 1, "a": 2, "b": 1}
    assert app.items[place("a")].name == "two"


class Listed:
    """A program whose list has a window with three labels, read again and again."""

    def __init__(self, app: App) -> None:
        assert isinstance(app.lane, Asked)
        self.app, self.lane, self.reader = app, app.lane, Reader(app)

    def read(self, names: str = "abc", left: int = 0) -> list[str]:
        """Read it, with these names, shifted to the right; returns who was asked for its position."""
        shown = [State.SHOWING & 0xFFFFFFFF, State.SHOWING >> 32]
        faces = ["org.a11y.atspi.Accessible", "org.a11y.atspi.Component"]
        parts = [("w", *entry("w", "root", 0, 3))]
        parts += [(names[at], *entry(label, "w", at, 0, "label")) for at, label in enumerate("abc")]
        body = [(*one[1:6], faces, one[0], *one[8:10], shown) for one in parts]
        self.lane.asked.clear()
        self.reader.read()
        self.lane._answer(CACHE_PATH, b"GetItems", wire.pack(LIST, body))
        self.lane._answer(ROOT_PATH, b"Name", wire.pack("v", Variant("s", "a program")))
        self.lane.answer_kids(ROOT_PATH, "w")
        self.reader.read_moved()
        asked = []
        while self.lane.asked:
            path, method, handler, argument = self.lane.asked.pop(0)
            assert b"GetExtents" in method.message(1, path)
            asked.append(next(one for one in "wabc" if path == path_field(place(one))))
            handler(argument, wire.pack("(iiii)", (left, 20 * "wabc".index(asked[-1]), 90, 20)))
        self.reader.finish()
        return asked

    def __getitem__(self, name: str) -> Item:
        return self.app.items[place(name)]


def test_one_of_the_widgets_in_a_parent_is_asked_for_its_position_and_all_if_that_moved(app: App) -> None:
    program = Listed(app)
    for _ in range(2):
        assert sorted(program.read()) == ["a", "b", "c", "w"]
    assert sorted(program.read()) == ["a", "w"]
    assert sorted(program.read(left=5)) == ["a", "b", "c", "w"]
    assert {program[name].extents[0] for name in "abc"} == {5}  # type: ignore[index]  # they have some
    app.moved.add(program["c"])
    assert sorted(program.read(left=5)) == ["a", "c", "w"]
    assert sorted(program.read(left=5)) == ["a", "w"]


def test_what_was_read_in_another_way_is_compared_with_the_list_again(app: App) -> None:
    program = Listed(app)
    for _ in range(3):
        program.read()
    program.reader.fetch(program["b"], Facet.NAME)
    program.lane._answer(place("b"), b"Name", wire.pack("v", Variant("s", "meanwhile")))
    assert program["b"].name == "meanwhile"
    program.read()
    assert [program[name].name for name in "abc"] == ["a", "b", "c"]
    program.read("axc")
    assert [program[name].name for name in "abc"] == ["a", "x", "c"]


def test_gtk4_is_asked_for_children_again_when_its_list_has_them_in_another_order(app: App) -> None:
    app.how = strategy("gtk", "4.8.3")
    lane, reader = app.lane, Reader(app)
    assert isinstance(lane, Asked)

    def read(*kids: str, more: int = 0) -> list[bytes]:
        """Read the window with these children and some unlisted ones; returns what is asked for its own."""
        lane.asked.clear()
        reader.read()
        parts = [entry(name, "w", at, 0) for at, name in enumerate(kids)]
        lane._answer(
            CACHE_PATH, b"GetItems", wire.pack(LIST, [entry("w", "root", 0, len(kids) + more), *parts])
        )
        lane.answer_kids(ROOT_PATH, "w")
        asked = lane.kids_asked()
        for _ in asked:
            lane.answer_kids(place("w"), *kids)
        reader.finish()
        return asked

    (window,) = read("a", "b")
    assert [read("a", "b"), read("a", "b")] == [[window], []]
    assert [read("b", "a"), read("b", "a"), read("b", "a")] == [[window], [window], []]
    assert names(app.root) == ["the w", "the b", "the a"]
    assert [read("b", "a", more=1) for _ in range(4)] == [[window]] * 4


@pytest.mark.parametrize(
    ("toolkit", "role", "asked"),
    [
        ("gtk 3.24 soffice", "menu item", {"GetRole", "GetState", "GetAll"}),
        ("Qt 5.15", "menu item", {"Name", "GetState", "GetChildren"}),
        ("Qt 5.15", "push button", {"Name", "Description", "GetState", "GetChildren"}),
    ],
)
def test_entries_of_menus_are_asked_for_all_but_what_they_never_have(
    app: App, toolkit: str, role: str, asked: set[str]
) -> None:
    app.how = strategy(*toolkit.split())
    lane, item = app.lane, app.item(place("t"))
    assert isinstance(lane, Asked)
    item.role = ROLE_NUMBERS[role]
    Reader(app).again(item)
    messages = [method.message(1, path) for path, method, _, _ in lane.asked]
    assert len(messages) == len(asked)
    assert {name for name in asked if any(name.encode() + b"\0" in one for one in messages)} == asked


@pytest.mark.parametrize("toolkit", ["gtk 4.8", "chromium 1"])
def test_the_length_of_a_text_that_is_too_long_follows_it(app: App, toolkit: str) -> None:
    app.how = strategy(*toolkit.split())
    lane, item = app.lane, app.item(place("t"))
    assert isinstance(lane, Asked)
    item.role, item.faces = ROLE_NUMBERS["text"], Face.TEXT
    reader = Reader(app)

    def read(text: str, length: int) -> int | None:
        reader.fetch(item, Facet.TEXT)
        lane._answer(item.path, b"GetText", wire.pack("s", text[:10_000]))
        if len(text) >= 10_000:
            lane._answer(item.path, b"CharacterCount", wire.pack("v", Variant("i", length)))
        assert not lane.asked
        assert item.text == text[:10_000]
        return item.text_length

    assert read("x" * 12_000, 12_000) == 12_000
    assert read("x" * 13_000, 13_000) == 13_000
    assert read("short", 5) is None


def test_slides_of_libreoffice_that_are_other_objects_for_the_same_slides_keep_their_uids(app: App) -> None:
    app.how = strategy("gtk", "3.24.38", "soffice")
    lane, reader = app.lane, Reader(app)
    assert isinstance(lane, Asked)

    def read(first: str, second: str) -> dict[str, str]:
        """Read the view with two slides, each by the object that it has now; the uid of each by its name."""
        lane.asked.clear()
        reader.read()
        slides = [entry(path, "view", at, 0) for at, path in enumerate((first, second))]
        named = [(*slide[:6], f"slide{at + 1}", *slide[7:]) for at, slide in enumerate(slides)]
        view = entry("view", "w", 0, 2, "document frame")
        lane._answer(CACHE_PATH, b"GetItems", wire.pack(LIST, [entry("w", "root", 0, 1), view, *named]))
        lane.answer_kids(ROOT_PATH, "w")
        reader.finish()
        return {item.name: item.uid for item in app.items[place("view")].kids}

    before = read("30", "31")
    assert list(before) == ["slide1", "slide2"]
    assert read("40", "41") == before
    assert app.items.keys() >= {place("40"), place("41")}, "each is asked by its new object"
    assert not app.items.keys() & {place("30"), place("31")}


def test_the_text_of_a_label_is_read_in_the_same_read_in_which_it_loses_its_name(app: App) -> None:
    app.how = strategy("Qt", "5.15.8")
    lane = app.lane
    assert isinstance(lane, Asked)
    label = app.item(place("7"))
    label.role, label.faces, label.name = ROLE_NUMBERS["label"], Face.TEXT, "Help"
    Reader(app).again(label)
    assert not lane.members_asked(b"GetText")
    lane.answer_name(place("7"), "")
    assert lane.members_asked(b"GetText") == [path_field(place("7"))]
