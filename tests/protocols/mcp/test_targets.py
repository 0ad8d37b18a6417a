"""Nodes by what they show, windows by their titles, and points by the pixels of a screenshot."""

from __future__ import annotations

import io
import threading

import pytest
from PIL import Image as Pixels

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.images.marks import cut
from deskhand.model import operations as ops
from deskhand.model.node import Image, Rect
from deskhand.serving.mcp import mcp_server


class Client:
    """Calls tools as a transport does."""

    def __init__(self, server):
        self.server = server

    def __call__(self, name, /, **arguments):
        answer = self.server.call(name, arguments, threading.Event())
        assert not answer["isError"], answer["content"][0]["text"]
        return answer["structuredContent"]["output"]

    def error(self, name, /, **arguments):
        answer = self.server.call(name, arguments, threading.Event())
        assert answer["isError"]
        return answer["structuredContent"]["error"]


class Drawing:
    """A runner whose screenshots are of one colour, and that notes what it is asked to do."""

    def __init__(self, session):
        self.session, self.done = session, []

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.Screenshot):
            if operation.desktop:
                return blank(1000, 800)
            bounds = self.session.run(ops.Get(operation.target)).bounds
            return blank(round(bounds.width), round(bounds.height))
        if isinstance(operation, (ops.Click, ops.Drag, ops.Hover, ops.ControlWindow)):
            self.done.append(operation)
            return ops.Done()
        return self.session.run(operation, cancel)


def blank(width, height):
    out = io.BytesIO()
    Pixels.new("RGB", (width, height)).save(out, "PNG")
    return Image(out.getvalue(), width, height)


def size_of(answer):
    for block in answer["content"]:
        if block["type"] == "image":
            raise AssertionError("not in both parts")
    output = answer["structuredContent"]["output"]
    return output["width"], output["height"]


@pytest.fixture
def pressed():
    return []


@pytest.fixture
def main(pressed):
    def button(name, **fields):
        return Element("button", name, native_class="Button", on_press=lambda: pressed.append(name), **fields)

    return Element(
        "window",
        "Main",
        bounds=Rect(100, 50, 400, 300),
        children=[
            Element("text", text="Name", native_class="Label"),
            Element("textfield", "Name", value="", native_class="Field"),
            button("Save"),
            button("Save", visible=False),
            button("Twin"),
            button("Twin"),
            Element("text", text="Extras", native_class="Label"),
            Element("list-box", "Extras", native_class="List"),
            Element("group", "Box", bounds=Rect(200, 100, 50, 40), native_class="Panel"),
        ],
    )


@pytest.fixture
def adapter(main):
    adapter = MemoryAdapter([main])
    yield adapter
    adapter.close()


@pytest.fixture
def drawing(adapter):
    return Drawing(Session(adapter))


@pytest.fixture
def call(adapter):
    return Client(mcp_server(Session(adapter)))


@pytest.fixture
def drawn(drawing):
    return Client(mcp_server(drawing, cut=cut))


# -- by what they show -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        {"text": "Save"},
        {"role": "button", "name": "Save"},
        {"ref": {"text": "Save"}},
        {"name": " Save "},
        {"role": "Button", "text": "Save"},
    ],
)
def test_a_target_is_the_visible_node_that_shows_a_text(call, pressed, target):
    told = call("ui_perform", actions=[{"type": "click", "target": target}])

    assert told["results"] == [{"ok": True, "type": "click"}]
    assert pressed == ["Save"]


def test_a_field_is_meant_rather_than_the_caption_that_names_it(call, main):
    call("ui_perform", actions=[{"type": "setText", "target": {"text": "Name"}, "text": "Ada"}])

    assert main.children[1].value == "Ada"
    assert call("ui_get_node", ref={"text": "Extras"})["type"] == "List"
    assert call("ui_get_node", ref={"role": "textfield", "name": "Name"})["value"]["text"] == "Ada"


def test_several_nodes_that_show_a_text_are_all_named_and_none_is_operated(call, pressed):
    error = call.error("ui_perform", actions=[{"type": "click", "target": {"text": "Twin"}}])

    assert error["code"] == "MCP_UI_ACTION_FAILED"
    assert error["details"]["reason"] == "SEVERAL_NODES"
    assert '2 nodes match {"text": "Twin"}' in error["message"]
    assert error["message"].count('"Twin",') + error["message"].count('"Twin";') == 2
    assert pressed == []
    assert call.error("ui_get_node", ref={"text": "Twin"})["code"] == "MCP_UI_NODE_NOT_FOUND"


def test_an_unknown_text_is_an_error_with_similar_texts(call):
    uid = call("ui_query", selector={"css": "Button:visible", "text": "Save"})["matches"][0]["ref"]["uid"]

    for target in ({"text": "Svae"}, {"role": "button", "name": "Sav"}):
        error = call.error("ui_perform", actions=[{"type": "click", "target": target}])
        assert error["details"]["reason"] == "NODE_NOT_FOUND"
        assert "nothing matches" in error["message"]
        assert f'Button (uid={uid}) "Save"' in error["message"]


class Slow:
    """A program that takes a moment for each read."""

    def __init__(self, session, seconds):
        self.session, self.seconds = session, seconds

    def run(self, operation, cancel=None):
        if not operation.acts:
            threading.Event().wait(self.seconds)
        return self.session.run(operation, cancel)


@pytest.mark.parametrize("timeout", [50, 300])
def test_a_wrong_target_is_named_with_near_misses_however_short_the_timeout_is(adapter, timeout):
    call = Client(mcp_server(Slow(Session(adapter), 0.1)))

    error = call.error(
        "ui_perform", actions=[{"type": "click", "target": {"text": "Svae"}}], timeoutMs=timeout
    )

    assert error["code"] == "MCP_UI_ACTION_FAILED"
    assert error["details"]["reason"] == "NODE_NOT_FOUND"
    assert 'nothing matches {"text": "Svae"}; there is Button' in error["message"]
    assert '"Save"' in error["message"]


def test_each_of_several_actions_that_are_all_tried_has_the_error_of_its_own_target(call, pressed):
    names = ("Svae", "Twni", "Save")

    error = call.error(
        "ui_perform",
        actions=[{"type": "click", "target": {"text": name}} for name in names],
        onError="continue",
        timeoutMs=2000,
    )

    first, second, third = error["details"]["results"]
    assert first["reason"] == second["reason"] == "NODE_NOT_FOUND"
    assert 'nothing matches {"text": "Svae"}; there is Button' in first["error"]
    assert 'nothing matches {"text": "Twni"}; there is Button' in second["error"]
    assert third["ok"]
    assert pressed == ["Save"]


def test_a_wrong_target_is_named_also_after_the_time_is_over(adapter):
    call = Client(mcp_server(Slow(Session(adapter), 0.2)))
    names = ("Svae", "Twni", "Save")

    error = call.error(
        "ui_perform",
        actions=[{"type": "click", "target": {"text": name}} for name in names],
        onError="continue",
        timeoutMs=50,
    )

    first, second, third = error["details"]["results"]
    assert 'nothing matches {"text": "Svae"}' in first["error"]
    assert 'nothing matches {"text": "Twni"}' in second["error"]
    assert third["reason"] == "TIMEOUT"
    assert "no time was left for it" in third["error"]


def test_a_target_that_is_never_ready_is_reported_with_its_state_however_short_the_timeout_is(adapter, main):
    main.children[2].enabled = False
    call = Client(mcp_server(Slow(Session(adapter), 0.05)))

    error = call.error(
        "ui_perform", actions=[{"type": "click", "target": {"text": "Save"}}], timeoutMs=300, receipt=False
    )

    assert error["details"]["reason"] == "TARGET_DISABLED"


def test_a_program_that_hangs_while_its_target_is_awaited_is_reported_as_hanging(adapter):
    free = threading.Event()

    class Hanging:
        def __init__(self, session):
            self.session = session

        def run(self, operation, cancel=None):
            if isinstance(operation, ops.Wait):
                adapter.post(lambda: free.wait(60))
            return self.session.run(operation, cancel)

    call = Client(mcp_server(Hanging(Session(adapter))))

    error = call.error("ui_perform", actions=[{"type": "click", "target": {"text": "Svae"}}], timeoutMs=100)

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert "does not answer" in error["message"]


def test_a_wrong_target_is_named_although_the_program_hangs_when_it_is_read_for_near_misses(adapter):
    free = threading.Event()

    class Hanging:
        def __init__(self, session):
            self.session, self.waited = session, False

        def run(self, operation, cancel=None):
            if self.waited and isinstance(operation, ops.ReadTree):
                adapter.post(lambda: free.wait(60))
            self.waited = self.waited or isinstance(operation, ops.Wait)
            return self.session.run(operation, cancel)

    call = Client(mcp_server(Hanging(Session(adapter))))

    error = call.error(
        "ui_perform",
        actions=[{"type": "click", "target": {"text": "Svae"}}],
        timeoutMs=100,
        awaitUiIdle=False,
    )

    assert error["details"]["reason"] == "NODE_NOT_FOUND"
    assert 'nothing visible matched {"text": "Svae"}' in error["message"]


def test_waiting_for_a_window_of_a_program_that_hangs_says_that_it_hangs(adapter):
    free = threading.Event()
    adapter.post(lambda: free.wait(60))

    error = Client(mcp_server(Session(adapter))).error("ui_wait", window="quit", timeoutMs=100)
    free.set()

    assert error["code"] == "MCP_UI_TIMEOUT"
    assert "does not answer" in error["message"]


def test_the_focused_window_counts_before_the_others(call, adapter, pressed):
    inner = Element("button", "Save", native_class="Button", on_press=lambda: pressed.append("in the dialog"))
    # The first window is the focused one.
    adapter.windows.insert(0, Element("dialog", "Sure?", children=[inner], bounds=Rect(0, 0, 90, 90)))

    call("ui_perform", actions=[{"type": "click", "target": {"text": "Save"}}])

    assert pressed == ["in the dialog"]


def test_a_target_may_show_up_by_an_action_before(call, main, pressed):
    later = Element("button", "Later", native_class="Button", on_press=lambda: pressed.append("Later"))
    main.children.append(
        Element(
            "button",
            "Go",
            native_class="Button",
            on_press=lambda: threading.Timer(0.2, main.children.append, (later,)).start(),
        )
    )

    actions = [{"type": "click", "target": {"text": name}} for name in ("Go", "Later")]
    call("ui_perform", actions=actions)

    assert pressed == ["Later"]


def test_an_entry_of_a_closed_menu_is_not_waited_for(drawing, main):
    main.children.append(Element("menu-item", "Print", visible=False, native_class="MenuItem"))
    waits = []

    class Noting:
        def run(self, operation, cancel=None):
            if isinstance(operation, ops.Wait):
                waits.append(operation)
            return drawing.run(operation, cancel)

    click = {"type": "click", "target": {"text": "Print"}}
    Client(mcp_server(Noting()))("ui_perform", actions=[click], receipt=False)

    assert len(drawing.done) == 1
    assert waits == []


def test_a_wait_takes_what_a_node_shows(call, main):
    assert call("ui_wait", ref={"text": "Twin"}, timeoutMs=2000)["count"] == 2
    main.children[4].enabled = False
    assert call("ui_wait", ref={"role": "button", "name": "Twin"}, until="disabled", timeoutMs=2000)["ref"]


def test_the_error_for_a_target_that_is_not_a_uid_says_how_to_name_it(call):
    error = call.error("ui_perform", actions=[{"type": "click", "target": "Save"}])

    assert "that is not a uid" in error["message"]
    assert '{"text": "Save"}' in error["message"]
    assert "another app" not in error["message"]
    both = {"uid": "u-1", "text": "Save"}
    assert "not by 'uid' and 'text'" in call.error("ui_get_node", ref=both)["message"]


# -- windows -----------------------------------------------------------------------------------------------


def test_a_window_is_waited_for_by_its_title_until_it_opens_and_closes(call, adapter):
    question = Element("dialog", "Really quit?", bounds=Rect(0, 0, 90, 90))
    threading.Timer(0.2, adapter.windows.append, (question,)).start()
    told = call("ui_wait", until="opened", window="quit", timeoutMs=5000)
    assert told["window"]["title"] == "Really quit?"
    assert told["window"]["stageIndex"] == 1

    assert call("ui_wait", window="QUIT", timeoutMs=5000)["until"] == "opened"
    error = call.error("ui_wait", window="quit", until="gone", timeoutMs=100)
    assert error["code"] == "MCP_UI_TIMEOUT"
    assert "'Main', 'Really quit?'" in error["message"]

    threading.Timer(0.2, adapter.windows.remove, (question,)).start()
    assert call("ui_wait", until="closed", window="quit", timeoutMs=5000)["until"] == "closed"
    assert call.error("ui_wait", until="enabled", window="Main")["details"]["field"] == "until"


def test_any_window_that_was_not_seen_is_waited_for_without_a_title(call, adapter):
    assert call.error("ui_wait", until="opened", timeoutMs=100)["code"] == "MCP_UI_TIMEOUT"
    call("ui_get_snapshot")
    adapter.windows.append(Element("dialog", "Opened meanwhile", bounds=Rect(0, 0, 90, 90)))
    call("ui_query", selector={"text": "Save"})  # reads the windows, and names none
    assert call("ui_wait", until="opened", timeoutMs=5000)["window"]["title"] == "Opened meanwhile"
    assert call.error("ui_wait", until="opened", timeoutMs=100)["code"] == "MCP_UI_TIMEOUT"
    popup = Element("dialog", "News", bounds=Rect(0, 0, 90, 90))
    threading.Timer(0.2, adapter.windows.append, (popup,)).start()

    assert call("ui_wait", until="opened", timeoutMs=5000)["window"]["title"] == "News"


def test_windows_are_listed_and_one_is_named_by_title_index_or_a_node_in_it(drawn, drawing, adapter):
    adapter.windows.append(Element("window", "Other", bounds=Rect(0, 0, 90, 90)))

    listed = drawn("ui_window")["windows"]
    assert [window["title"] for window in listed] == ["Main", "Other"]
    assert (listed[0]["x"], listed[0]["width"]) == (100, 400)
    drawn("ui_window", do="move", window="other", x=5, y=6)
    drawn("ui_window", do="resize", stageIndex=0, width=300, height=200)
    drawn("ui_window", do="minimize", ref=listed[1]["ref"])

    others, mains = (f'uid="{listed[at]["ref"]["uid"]}"' for at in (1, 0))
    assert drawing.done == [
        ops.ControlWindow(others, do="move", x=5, y=6),
        ops.ControlWindow(mains, do="resize", width=300, height=200),
        ops.ControlWindow(others, do="minimize"),
    ]
    error = drawn.error("ui_window", do="close", window="third")
    assert error["code"] == "MCP_UI_NO_STAGES"
    assert "'Main', 'Other'" in error["message"]


def test_a_read_only_server_lists_windows_and_does_nothing_to_them(drawing):
    call = Client(mcp_server(drawing, read_only=True))

    assert call("ui_window")["windows"]
    for name, arguments in (("ui_window", {"do": "close"}), ("ui_clipboard", {"text": "x"})):
        assert call.error(name, **arguments)["message"].startswith("Actions are disabled")
    assert drawing.done == []


# -- screenshots -------------------------------------------------------------------------------------------


def test_a_screenshot_says_where_it_is_and_its_pixels_can_be_clicked(drawn, drawing):
    told = drawn("ui_screenshot", scale=0.5)
    assert (told["origin"], told["scale"]) == ({"x": 100, "y": 50}, 0.5)
    assert (told["width"], told["height"]) == (200, 150)

    click = {"type": "click", "x": 60, "y": 30, "screenshot": told["screenshot"]}
    drag = {"type": "drag", "from": {"x": 0, "y": 0}, "to": {"x": 10, "y": 20}}
    drag["screenshot"] = told["screenshot"]
    hover = {"type": "hover", "x": 1, "y": 2, "screenshot": told["screenshot"]}
    drawn("ui_perform", actions=[click, drag, hover], receipt=False)

    assert drawing.done == [
        ops.Click(x=220, y=110, timeout=1.0),
        ops.Drag(x=100, y=50, to_x=120, to_y=90, timeout=1.0),
        ops.Hover(x=102, y=54, timeout=1.0),
    ]


def test_a_region_is_cut_out_on_the_screen_or_in_another_screenshot(drawn):
    region = {"x": 150, "y": 100, "width": 100, "height": 50}
    first = drawn("ui_screenshot", region=region, scale=2)
    assert (first["origin"], first["scale"]) == ({"x": 150, "y": 100}, 2)
    assert (first["width"], first["height"]) == (200, 100)

    inner = {"x": 20, "y": 10, "width": 40, "height": 40}
    second = drawn("ui_screenshot", region=inner, screenshot=first["screenshot"])
    assert (second["origin"], second["width"], second["height"]) == ({"x": 160, "y": 105}, 20, 20)

    whole = drawn("ui_screenshot", desktop=True, region=region)
    assert (whole["origin"], whole["width"]) == ({"x": 150, "y": 100}, 100)
    outside = {"x": 5000, "y": 0, "width": 10, "height": 10}
    assert "100, 50, 400 x 300" in drawn.error("ui_screenshot", region=outside)["message"]


def test_a_screenshot_of_what_has_moved_since_is_not_clicked_at(drawn, drawing, main):
    name = drawn("ui_screenshot")["screenshot"]
    click = {"type": "click", "x": 1, "y": 1, "screenshot": name}
    main.bounds = Rect(0, 0, 400, 300)

    error = drawn.error("ui_perform", actions=[click])

    assert error["details"]["reason"] == "STALE_REF"
    assert f"what screenshot {name} shows has moved" in error["message"]
    assert drawing.done == []


def test_a_point_outside_a_screenshot_or_in_an_unknown_one_is_refused(drawn, drawing):
    name = drawn("ui_screenshot")["screenshot"]

    def said(**action):
        return drawn.error("ui_perform", actions=[{"type": "click", "y": 1, **action}])["message"]

    assert "400x300 pixels" in said(x=400, screenshot=name)
    assert "screenshot 's77' is not known" in said(x=1, screenshot="s77")
    assert "not in both" in said(x=1, screenshot=name, target={"text": "Save"})
    assert drawing.done == []


def test_marks_are_where_they_are_in_the_region(drawing):
    drawn = []

    def draw(png, marks):
        drawn.extend(marks)
        return png

    drawing.session.adapter.windows[0].children[2].bounds = Rect(210, 120, 20, 10)
    call = Client(mcp_server(drawing, cut=cut, draw=draw))
    region = {"x": 200, "y": 100, "width": 100, "height": 50}

    told = call("ui_screenshot", region=region, scale=2, marks=True)

    assert [mark["summary"] for mark in told["marks"]] == ["Button[text=Save]"]
    assert drawn[0].rect == Rect(20, 40, 40, 20)
