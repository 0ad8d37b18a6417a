"""The engine's own logic, over plain Python objects."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine import locate
from deskhand.engine.observe import differs
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionsOff,
    ActionUnsupported,
    Ambiguous,
    Cancelled,
    Disabled,
    InvalidParams,
    LoadFailed,
    NotEnabled,
    NotFound,
    NotReady,
    NotStable,
    NoWindows,
    UiBusy,
    WaitTimeout,
)
from deskhand.model.node import Rect, Window
from deskhand.model.tree import Tree


class Small:
    """A window with a button, a field and a label."""

    def __init__(self) -> None:
        self.pressed = 0
        self.button = Element("button", "Save", "save", on_press=self.press)
        self.field = Element("textfield", "Name", "name", value="")
        self.label = Element("text", id="label", text="one")
        self.window = Element("window", "Main", children=[self.button, self.field, self.label])
        self.adapter = MemoryAdapter([self.window])
        self.session = Session(self.adapter)

    def press(self) -> None:
        self.pressed += 1

    def later(self, seconds: float, change: object) -> None:
        """Change something on the GUI thread after a while, and say so."""

        def on_gui() -> None:
            change()  # type: ignore[operator]
            self.adapter.touch()

        threading.Timer(seconds, lambda: self.adapter.post(on_gui)).start()


@pytest.fixture
def small() -> Iterator[Small]:
    small = Small()
    yield small
    small.session.close()


def test_a_change_ends_a_wait_long_before_the_next_poll(small: Small) -> None:
    small.later(0.1, lambda: setattr(small.label, "text", "two"))
    waited = small.session.run(ops.Wait("#label", "text", "two", timeout=20, poll=10))
    assert waited.elapsed < 5


def test_a_change_without_an_event_is_found_by_polling(small: Small) -> None:
    threading.Timer(0.1, lambda: setattr(small.label, "text", "two")).start()
    assert small.session.run(ops.Wait("#label", "text", "two", timeout=20, poll=0.05)).elapsed < 5


def test_no_subscription_stays(small: Small) -> None:
    with pytest.raises(WaitTimeout):
        small.session.run(ops.Wait("#label", "text", "never", timeout=0.05))
    small.session.run(ops.Wait("#label", "text", "one"))
    assert small.adapter._changed == []


def test_a_wait_ends_when_its_caller_goes_away(small: Small) -> None:
    gone = threading.Event()
    threading.Timer(0.1, gone.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        small.session.run(ops.Wait("#label", "text", "never", timeout=60), cancel=gone)
    assert time.monotonic() - began < 5


def test_an_action_does_not_run_for_a_caller_that_disconnected(small: Small) -> None:
    small.button.enabled = False
    gone = threading.Event()
    gone.set()
    with pytest.raises(Cancelled):
        small.session.run(ops.Click("#save"), cancel=gone)
    assert small.pressed == 0


def test_a_blocked_gui_thread_costs_the_caller_its_deadline(small: Small) -> None:
    release = threading.Event()
    small.adapter.post(lambda: release.wait(20))
    began = time.monotonic()
    with pytest.raises(UiBusy):
        small.session.run(ops.Wait("#label", timeout=0.3))
    assert 0.25 < time.monotonic() - began < 5
    assert small.session.run(ops.Ping()).timestamp > 0
    assert small.session.run(ops.GetAppInfo()).framework == "memory"
    release.set()
    assert small.session.run(ops.Wait("#label")).node is not None


def test_a_slow_read_that_the_deadline_cuts_short_does_not_hide_what_the_last_one_saw(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, budgets = small.adapter.read, []

    def read(root: str | None = None, *, timeout: float, **how: Any) -> Tree:
        budgets.append(timeout)
        if len(budgets) > 1:
            time.sleep(timeout)
            raise UiBusy("not read within its time")
        time.sleep(0.6)  # what a large program takes for one read through accessibility
        return real(root, timeout=timeout, **how)

    monkeypatch.setattr(small.adapter, "read", read)
    with pytest.raises(WaitTimeout) as caught:
        small.session.run(ops.Wait("#label", "text", "never", timeout=2))
    assert caught.value.last_seen is not None
    assert caught.value.last_seen["text"] == "one"


def test_the_first_read_of_a_slow_program_is_finished_however_short_the_timeout_is(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = small.adapter.read

    def read(root: str | None = None, *, timeout: float, **how: Any) -> Tree:
        if timeout < 0.3:  # what this program takes for one read
            raise UiBusy("not read within its time")
        return real(root, timeout=timeout, **how)

    monkeypatch.setattr(small.adapter, "read", read)
    with pytest.raises(WaitTimeout) as caught:
        small.session.run(ops.Wait("#label", "text", "never", timeout=0.05))
    assert caught.value.last_seen is not None
    assert caught.value.last_seen["text"] == "one"


def test_an_action_that_came_too_late_never_runs(small: Small) -> None:
    small.session.ui_timeout = 0.1
    release = threading.Event()
    small.adapter.post(lambda: release.wait(20))
    with pytest.raises(UiBusy):
        small.session.run(ops.Click("#save", timeout=0))
    release.set()
    small.session.run(ops.WaitIdle())
    assert small.pressed == 0


def test_what_moves_is_not_clicked_until_it_rests(small: Small) -> None:
    places = iter(range(5, 1000))
    moves = True
    real = small.adapter._read

    def elsewhere(root: str | None, depth: int | None) -> Tree:
        if moves:
            small.button.bounds = Rect(next(places), 0, 10, 10)
        return real(root, depth)

    small.adapter._read = elsewhere  # type: ignore[method-assign]  # at every read
    with pytest.raises(NotStable):
        small.session.run(ops.Click("#save", timeout=0.2))
    moves = False
    small.session.run(ops.Click("#save"))
    assert small.pressed == 1


def test_an_action_waits_for_its_target_to_be_enabled(small: Small) -> None:
    small.button.enabled = False
    small.later(0.1, lambda: setattr(small.button, "enabled", True))
    small.session.run(ops.Click("#save"))
    assert small.pressed == 1


def covered(small: Small, monkeypatch: pytest.MonkeyPatch, times: int) -> list[ops.Action]:
    """What is tried on a button that something is in front of, so many times."""
    tried: list[ops.Action] = []
    perform = small.adapter.perform

    def refuse(action: ops.Action, *given: Any, **more: Any) -> Mapping[str, object]:
        tried.append(action)
        if len(tried) <= times:
            raise NotReady("the button is covered by a dialog", covered_by="a dialog")
        return perform(action, *given, **more)

    monkeypatch.setattr(small.adapter, "perform", refuse)
    return tried


def test_an_action_waits_until_nothing_is_in_front_of_its_target(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = covered(small, monkeypatch, 2)
    small.session.run(ops.Press("#save"))
    assert (len(tried), small.pressed) == (3, 1)


def test_an_action_whose_target_stays_covered_says_by_what(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = covered(small, monkeypatch, 1000)
    with pytest.raises(NotReady, match=r"covered by a dialog \(waited 0.2 s\)"):
        small.session.run(ops.Press("#save", timeout=0.2))
    assert len(tried) > 1
    with pytest.raises(NotReady):
        small.session.run(ops.Drag("#save", to="#name", timeout=0.2))
    assert [type(action) for action in tried].count(ops.Drag) == 1


def test_an_action_says_how_long_it_waited(small: Small) -> None:
    small.button.enabled = False
    with pytest.raises(NotEnabled, match=r"waited 0\.1 s"):
        small.session.run(ops.Click("#save", timeout=0.1))


def test_what_can_never_be_edited_is_refused_at_once(small: Small) -> None:
    began = time.monotonic()
    with pytest.raises(Exception, match="cannot") as caught:
        small.session.run(ops.TypeText("#label", text="x", timeout=30))
    assert time.monotonic() - began < 5
    assert caught.value.kind in ("not_focusable", "not_editable")  # type: ignore[attr-defined]


def test_a_disabled_parent_is_named(small: Small) -> None:
    small.window.enabled = False
    with pytest.raises(NotEnabled, match='window "Main" around it is disabled'):
        small.session.run(ops.Click("#save", timeout=0))


def test_a_tree_with_selectors_is_one_read_and_has_those_of_all_nodes(small: Small) -> None:
    reads: list[object] = []
    read = small.adapter.read

    def counted(*args: Any, **options: Any) -> Tree:
        reads.append(options)
        return read(*args, **options)

    small.adapter.read = counted  # type: ignore[method-assign]  # to count
    plain = small.session.run(ops.ReadTree(selectors=True, max_nodes=1))
    assert len(reads) == 1
    assert plain.selectors == small.session.run(ops.Selectors())
    below = small.session.run(ops.ReadTree("#save", selectors=True))
    assert below.selectors == plain.selectors
    assert small.session.run(ops.ReadTree()).selectors == {}


def test_standby_refuses_all_but_the_ping(small: Small) -> None:
    small.session.enabled = False
    with pytest.raises(Disabled):
        small.session.run(ops.ReadTree())
    for check in (ops.MayRead(), ops.MayAct()):
        with pytest.raises(Disabled):
            small.session.run(check)
    small.session.run(ops.Ping())
    small.session.enabled = True
    small.session.run(ops.ReadTree())


def test_read_only_reads_but_does_not_act(small: Small) -> None:
    small.session.read_only = True
    with pytest.raises(ActionsOff):
        small.session.run(ops.Click("#save"))
    with pytest.raises(ActionsOff):
        small.session.run(ops.MayAct())
    small.session.run(ops.MayRead())
    assert small.session.run(ops.Find("button"))
    assert small.pressed == 0


def test_a_program_without_windows_says_so() -> None:
    session = Session(MemoryAdapter([]))
    assert session.run(ops.ReadTree()).tree is not None
    with pytest.raises(NoWindows):
        session.run(ops.Click("button", timeout=0))
    session.close()


def test_more_than_one_match_is_an_error_that_lists_them(small: Small) -> None:
    small.window.children.append(Element("button", "Save as"))
    with pytest.raises(Ambiguous) as caught:
        small.session.run(ops.Click("button", timeout=0))
    assert caught.value.matches == ("#save", 'button[name="Save as"]')


@pytest.fixture
def twins(small: Small) -> Small:
    """The button Save, and two hidden ones of the same name before and after it."""
    small.window.children.insert(0, Element("button", "Save", "before", visible=False))
    small.window.children.append(Element("button", "Save", "after", visible=False))
    return small


def test_one_visible_match_among_hidden_ones_is_the_match(twins: Small) -> None:
    save = 'button[name="Save"]'
    twins.session.run(ops.Click(save, timeout=0))
    assert twins.pressed == 1
    assert twins.session.run(ops.Get(save)).automation_id == "save"
    below = twins.session.run(ops.ReadTree(save)).tree
    assert below is not None
    assert below.nodes[0].automation_id == "save"


def test_find_and_count_see_hidden_matches_too(twins: Small) -> None:
    found = twins.session.run(ops.Find('button[name="Save"]'))
    assert [node.automation_id for node in found] == ["before", "save", "after"]
    assert twins.session.run(ops.Wait('button[name="Save"]', "count", count=3, timeout=0)).count == 3


def test_wait_judges_the_one_visible_match(twins: Small) -> None:
    for state in ("exists", "visible", "enabled"):
        node = twins.session.run(ops.Wait('button[name="Save"]', state, timeout=0)).node
        assert node is not None
        assert node.automation_id == "save"
    with pytest.raises(WaitTimeout) as caught:
        twins.session.run(ops.Wait('button[name="Save"]', "disabled", timeout=0))
    assert caught.value.last_seen is not None
    assert caught.value.last_seen["enabled"] is True


def test_two_visible_matches_are_listed_without_the_hidden_ones(twins: Small) -> None:
    twins.window.children.append(Element("button", "Save", "second"))
    for operation in (ops.Click('button[name="Save"]', timeout=0), ops.Wait("button", "enabled", timeout=0)):
        with pytest.raises(Ambiguous) as caught:
            twins.session.run(operation)
        assert caught.value.matches == ("#save", "#second")
        assert "2 elements match" in caught.value.message


def test_several_hidden_matches_and_no_visible_one_is_said(twins: Small) -> None:
    twins.button.visible = False
    for operation in (ops.Click('button[name="Save"]', timeout=0), ops.Wait("button", timeout=0)):
        with pytest.raises(Ambiguous) as caught:
            twins.session.run(operation)
        assert "3 hidden elements match" in caught.value.message
        assert caught.value.matches == ("#before", "#save", "#after")


def test_a_match_that_becomes_visible_is_waited_for(twins: Small) -> None:
    twins.button.visible = False
    twins.later(0.1, lambda: setattr(twins.button, "visible", True))
    twins.session.run(ops.Click('button[name="Save"]', timeout=20))
    assert twins.pressed == 1


def test_no_match_names_similar_elements(small: Small) -> None:
    with pytest.raises(NotFound) as caught:
        small.session.run(ops.Click('button[name="Svae"]', timeout=0))
    assert caught.value.near[0] in ("#save", 'button[name="Save"]')


@pytest.mark.parametrize(
    ("selector", "said", "hint"),
    [
        (
            'button[name="Svae"]',
            'saw button "Save", button "Past save", b',
            'did you mean button[name="Save"]?',
        ),
        ('button[name="Sevn"]', 'saw button "7", button "Save", button "0", ', None),
        ('button[name="Sevn"]', 'button "19", button "20" and 4 more', None),
        ('link[name="Save"]', 'there is no link; saw button "Save"', 'did you mean button[name="Save"]?'),
        (
            'button[name="Past"]',
            'saw button "Past save"',
            'did you mean button[name="Past save"]? it is disabled',
        ),
        ('slider[name="Volume"]', "there is no slider", None),
        ("slider", "nothing matches slider", None),
        ("#quit_button", "saw #quit", "did you mean #quit?"),
        ("#nothing", "saw #quit", None),
    ],
)
def test_a_hint_is_given_for_what_can_have_been_meant(selector: str, said: str, hint: str | None) -> None:
    window = Element("window", "Main")
    for name in ("7", "Save", "0", *map(str, range(14, 24))):
        window.children.append(Element("button", name))
    window.children.append(Element("button", "Past save", enabled=False))
    window.children.append(Element("text", "Bye", "quit"))
    session = Session(MemoryAdapter([window]))
    try:
        with pytest.raises(NotFound) as caught:
            session.run(ops.Click(selector, timeout=0))
    finally:
        session.close()
    assert said in caught.value.message
    assert caught.value.suggestions == (() if hint is None else (hint,))


def test_similar_elements_are_searched_only_when_an_error_is_shown(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    explain = locate.not_found
    monkeypatch.setattr(locate, "not_found", lambda *given: asked.append("") or explain(*given))
    with pytest.raises(NotFound) as caught:
        small.session.run(ops.Click('button[name="Svae"]', timeout=0.5))
    assert caught.value.near
    assert len(asked) == 1


def test_a_revision_that_is_no_longer_kept_gives_the_whole_tree(small: Small) -> None:
    first = small.session.run(ops.ReadTree())
    for _ in range(80):
        small.session.run(ops.ReadTree())
    assert small.session.run(ops.ReadTree(since=first.revision)).tree is not None


def test_a_difference_lists_what_came_went_and_changed(small: Small) -> None:
    first = small.session.run(ops.ReadTree())
    small.window.children.remove(small.field)
    small.window.children.append(Element("button", "New"))
    small.label.text = "two"
    difference = small.session.run(ops.ReadTree(since=first.revision)).difference
    assert difference is not None
    assert [node.name for node in difference.added] == ["New"]
    assert [change.what for change in difference.removed] == ['textfield "Name" is gone']
    changes = {name for change in difference.changed for name in change.fields}
    assert "text" in changes


def test_a_change_is_reported_as_soon_as_it_happens(small: Small) -> None:
    since = small.session.run(ops.ReadTree()).revision
    small.later(0.02, lambda: setattr(small.label, "text", "two"))
    change = small.session.run(ops.WaitChange(since, timeout=20, poll=10))
    assert change.difference is not None
    assert [entry.fields["text"] for entry in change.difference.changed] == ["two"]
    assert change.revision == change.difference.revision > since
    assert small.adapter._changed == []


class Following(MemoryAdapter):
    """Reads by itself when `look` is called, and gives the tree to its followers; counts the other reads."""

    def __init__(self, roots: list[Element]) -> None:
        super().__init__(roots)
        self.followers: list[Callable[[Tree | None], None]] = []
        self.asked = 0
        self.rests = threading.Semaphore(0)
        """Released by each read that is asked for."""

    def read(self, *args: Any, **options: Any) -> Tree:
        self.asked += 1
        tree = super().read(*args, **options)
        self.rests.release()
        return tree

    def follow(self, changed: Callable[[Tree | None], None]) -> Callable[[], None]:
        self.followers.append(changed)
        return lambda: self.followers.remove(changed)

    def wait_for_looks(self, count: int) -> None:
        for _ in range(count):
            assert self.rests.acquire(timeout=20)

    def look(self) -> None:
        tree = super().read(timeout=5)
        for changed in self.followers:
            changed(tree)

    def tell(self) -> None:
        for changed in self.followers:
            changed(None)


@pytest.fixture
def following() -> Iterator[tuple[Small, Following]]:
    small = Small()
    small.adapter = adapter = Following([small.window])
    small.session = Session(adapter)
    yield small, adapter
    small.session.close()


def test_a_tree_that_the_program_has_read_itself_is_used_without_a_second_read(following: Any) -> None:
    small, adapter = following
    since = small.session.run(ops.ReadTree()).revision
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(small.session.run, ops.WaitChange(since, timeout=20, poll=20))
        adapter.wait_for_looks(3)  # the first, and one before and one after it follows
        small.label.text = "two"
        adapter.look()
        change = waiting.result(20).difference
    assert [entry.fields["text"] for entry in change.changed] == ["two"]
    assert (adapter.asked, adapter.followers) == (3, [])


def test_what_changes_after_a_program_looked_by_itself_is_not_missed(following: Any) -> None:
    small, adapter = following
    since = small.session.run(ops.ReadTree()).revision
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(small.session.run, ops.WaitChange(since, timeout=20, poll=20))
        adapter.wait_for_looks(3)
        adapter.look()
        small.label.text = "two"
        adapter.tell()
        change = waiting.result(20).difference
    assert [entry.fields["text"] for entry in change.changed] == ["two"]


def test_an_earlier_change_is_reported_at_once_and_as_a_whole_tree_if_requested(small: Small) -> None:
    since = small.session.run(ops.ReadTree()).revision
    small.window.children.remove(small.label)
    change = small.session.run(ops.WaitChange(since, whole=True, timeout=20, poll=10))
    assert change.tree is not None
    assert (len(change.tree), change.difference) == (3, None)
    assert small.session.run(ops.WaitChange(change.revision, timeout=0)) == ops.Snapshot(change.revision)


def test_an_unknown_revision_gives_the_whole_tree(small: Small) -> None:
    change = small.session.run(ops.WaitChange(4711, timeout=20))
    assert change.tree is not None
    assert len(change.tree) == 4


def test_a_window_that_has_the_focus_now_looks_different() -> None:
    before, after = (Tree([], (Window("w", focused=focused),)) for focused in (False, True))
    assert differs(before, after)
    assert not differs(before, Tree([], before.windows, revision=9))


def test_without_a_change_the_revision_is_the_same(small: Small) -> None:
    since = small.session.run(ops.ReadTree()).revision
    small.later(0.01, lambda: None)
    change = small.session.run(ops.WaitChange(since, timeout=0.05, poll=0.01))
    assert (change.revision, change.tree, change.difference) == (since, None, None)
    with pytest.raises(InvalidParams):
        small.session.run(ops.WaitChange(since, timeout=-1))


def test_a_blocked_gui_thread_changes_nothing_until_it_counts_as_hung(small: Small) -> None:
    since = small.session.run(ops.ReadTree()).revision
    free = threading.Event()
    small.adapter.post(free.wait)
    try:
        assert small.session.run(ops.WaitChange(since, timeout=0.05)).revision == since
        small.session.ui_timeout = 0.05
        with pytest.raises(UiBusy):
            small.session.run(ops.WaitChange(since, timeout=20))
    finally:
        free.set()


def test_a_strict_click_waits_for_no_target(small: Small) -> None:
    small.button.enabled = False
    began = time.monotonic()
    with pytest.raises(NotEnabled):
        small.session.run(ops.Click("#save", timeout=60, strict=True))
    with pytest.raises(NotFound, match="saw #save"):
        small.session.run(ops.Click("#sav", timeout=60, strict=True))
    small.window.children.append(Element("button", "Save", "save", visible=False))
    with pytest.raises(Ambiguous):
        small.session.run(ops.Click("#save", timeout=60, strict=True))
    assert time.monotonic() - began < 30
    assert small.pressed == 0


def test_a_strict_click_brings_the_window_of_its_target_to_the_front(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Element("window", "Other", children=[Element("button", "There", "there")])
    small.adapter.windows.append(other)
    done: list[tuple[ops.Action, str | None]] = []
    monkeypatch.setattr(
        small.adapter, "perform", lambda action, uid, to, *, timeout: done.append((action, uid)) or {}
    )
    small.session.run(ops.Click("#there", strict=True))
    (raised, window), (clicked, _) = done
    assert isinstance(raised, ops.ControlWindow)
    assert (raised.do, window) == ("focus", small.session.run(ops.ListWindows())[1].uid)
    assert isinstance(clicked, ops.Click)

    uid = small.session.run(ops.Find("#there"))[0].uid
    small.session.run(ops.Click(f"uid={uid}", strict=True))
    assert [type(action) for action, _ in done[2:]] == [ops.ControlWindow, ops.Click]
    small.session.run(ops.Click("#there"))
    assert len(done) == 5


def test_a_read_in_a_slow_program_may_take_longer_than_a_short_timeout(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, limits = small.adapter.read, []

    def slow(*args: Any, timeout: float, **options: Any) -> Tree:
        limits.append(timeout)
        threading.Event().wait(0.4)
        return read(*args, timeout=timeout, **options)

    monkeypatch.setattr(small.adapter, "read", slow)
    for _ in range(2):
        small.session.run(ops.Find("button", timeout=0.01))
    first, second = limits
    assert first == 1
    assert 1.2 <= second <= small.session.ui_timeout


def test_the_program_reports_its_own_state(small: Small) -> None:
    small.session.app_state = lambda: {"busy": True, "progress": 40, "colour": "red"}
    state = small.session.run(ops.GetAppState())
    assert (state.busy, state.progress, state.extra) == (True, 40, {"colour": "red"})


def test_files_are_opened_by_the_program_if_it_says_how(small: Small) -> None:
    with pytest.raises(ActionUnsupported, match="file_open"):
        small.session.run(ops.OpenFiles(("a.txt",)))
    opened: list[str] = []
    small.session.file_open = opened.extend
    small.session.run(ops.OpenFiles(("a.txt",)))
    assert opened == ["a.txt"]


@pytest.mark.parametrize(
    ("wait", "seen"),
    [
        (ops.Wait("#label", "text", "two"), {"text": "one"}),
        (ops.Wait("#save", "text", "two"), {"text": "Save"}),
        (ops.Wait("#label", "value", "two"), {"value": None}),
        (ops.Wait("#save", "focused"), {"focused": False}),
        (ops.Wait("#save", "checked"), {"checked": None}),
        (ops.Wait("#save", "unchecked"), {"checked": None}),
        (ops.Wait("#save", "disabled"), {"enabled": True}),
    ],
)
def test_a_wait_that_times_out_says_what_it_read(
    small: Small, wait: ops.Wait, seen: dict[str, object]
) -> None:
    with pytest.raises(WaitTimeout) as caught:
        small.session.run(replace(wait, timeout=0))
    assert caught.value.last_seen is not None
    assert seen.items() <= caught.value.last_seen.items()
    (field,) = seen
    assert f"{field}={seen[field]!r}" in caught.value.message


@pytest.mark.parametrize("views", [{"home": 0}, ["home"]])
@pytest.mark.parametrize("view", ["hoem", "the home page"])
def test_a_view_that_the_program_does_not_find_is_reported_in_words(
    small: Small, views: dict[str, int] | list[str], view: str
) -> None:
    small.session.view_select = views.__getitem__ if isinstance(views, dict) else views.index
    with pytest.raises(NotFound, match=f"^the program has no view '{view}'$") as caught:
        small.session.run(ops.SelectView(view))
    assert caught.value.target == view


def test_a_key_error_inside_a_registered_function_is_reported_as_such(small: Small) -> None:
    small.session.view_select = lambda _: {}["colour"]
    with pytest.raises(NotFound, match=r"^KeyError: 'colour'$"):
        small.session.run(ops.SelectView("home"))
    small.session.file_open = lambda _: {}["colour"]
    with pytest.raises(LoadFailed, match=r"^KeyError: 'colour'$"):
        small.session.run(ops.OpenFiles(("a",)))


def test_no_files_to_open_are_wrong_use(small: Small) -> None:
    small.session.file_open = len
    with pytest.raises(InvalidParams, match="no file was named"):
        small.session.run(ops.OpenFiles())


def test_a_long_text_is_given_the_time_that_its_key_strokes_take(small: Small) -> None:
    budgets = []
    small.adapter.perform = lambda *_, timeout, **__: budgets.append(timeout) or {}  # type: ignore[assignment]
    for length in (1, 10_000):
        small.session.run(ops.TypeText("#name", text="x" * length, timeout=0))
    assert budgets[0] < 6
    assert budgets[1] > 50


def test_a_program_does_not_run_commands(small: Small) -> None:
    with pytest.raises(ActionUnsupported):
        small.session.run(ops.Execute("true"))


@pytest.mark.parametrize("operation", [
    ops.Click("#save", count=0),
    ops.Click("#save", modifiers=("hyper",)),
    ops.Click(),
    ops.Press(),
    ops.Select("#name"),
    ops.Select("#name", text="a", index=1),
    ops.Key(),
    ops.Key(keys="ctrl+nothing"),
    ops.Drag("#save"),
    ops.ControlWindow("#save", do="explode"),
    ops.ControlWindow("#save", do="resize"),
    ops.ControlWindow("#save", do="move", width=5, height=5),
    ops.ControlWindow("#save", do="resize", width=0, height=5),
    ops.ControlWindow("#save", do="resize", width=100_000, height=5),
    ops.ControlWindow("#save", do="move", x=1, y=-1e30),
    ops.Wait("#save", "sleepy"),
    ops.Wait("#save", "text"),
    ops.Wait("#save", "text", "(", match="regex"),
    ops.Wait("#save", "text", "(a+)+b", match="regex"),
    ops.Click("#save", timeout=-1),
    ops.ReadTree(depth=-1),
    ops.Find("button", limit=0),
])  # fmt: skip
def test_what_means_nothing_is_refused(small: Small, operation: ops.Operation[object]) -> None:
    with pytest.raises(InvalidParams) as caught:
        small.session.run(operation)
    assert caught.value.details["field"]


def test_a_regular_expression_in_a_wait_is_searched_only_as_far_as_that_takes_no_time(small: Small) -> None:
    small.field.value = "a" * 20_000 + "end"
    began = time.monotonic()
    for expression in ("a*b", "a*a*b", "a*a*a*a*a*b"):
        with pytest.raises(WaitTimeout):
            small.session.run(ops.Wait("#name", "value", expression, match="regex", timeout=0))
    assert time.monotonic() - began < 10
    small.session.run(ops.Wait("#name", "value", "aend$", match="regex", timeout=0))


def test_one_of_several_matches_is_enough_if_that_is_wanted(small: Small) -> None:
    with pytest.raises(Ambiguous):
        small.session.run(ops.Wait("*", "enabled", timeout=0))
    waited = small.session.run(ops.Wait("*", "enabled", any_match=True, timeout=0))
    assert waited.node is not None
    assert waited.node.enabled


def test_looking_takes_a_bounded_share_of_the_gui_thread(small: Small) -> None:
    reads = 0
    real = small.adapter._read

    def slow(root: str | None, depth: int | None) -> object:
        nonlocal reads
        reads += 1
        time.sleep(0.05)
        small.adapter.touch()
        return real(root, depth)

    small.adapter._read = slow  # type: ignore[method-assign, assignment]
    with pytest.raises(WaitTimeout):
        small.session.run(ops.Wait("#label", "text", "never", timeout=1, poll=0.001))
    assert reads <= 9
