"""Desktops served by another project's agent are driven by the same client."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from deskhand import App, aio, connect, expect
from deskhand.model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    ActionUnsupported,
    AppGone,
    ConnectFailed,
    InvalidParams,
    NotConnected,
    NotFound,
    OptionNotFound,
    Stale,
    UiBusy,
    Unauthorized,
    WaitTimeout,
)
from deskhand.model.operations import ControlWindow, Press
from tests.client.foreign_agent import Element, ForeignAgent, Refusal, Window, served


def desktop() -> list[Window]:
    """An editor with a form, an OK button in each of two windows, and a menu bar that is listed twice."""
    menu = Element("menu-bar", children=[Element("menu", "File", actions=("click",))])
    form = [
        menu,
        Element(
            "group",
            enabled=False,  # which says nothing of what is in it
            children=[
                Element("textfield", "Name", "name", value="", at=(110, 120, 200, 24)),
                Element("textfield", "PIN", "pin", value="1234", platform_role="password text"),
                Element(
                    "button", "Greet", at=(110, 150, 80, 24), actions=("click",), platform_role="AXButton"
                ),
                Element("button", "Greet all", at=(200, 150, 80, 24), actions=("click",)),
                Element("text", "no name yet", "greeting"),
                Element("checkbox", "Newsletter", value="0.0", actions=("toggle", "click")),
                Element("checkbox", "Untold", actions=("click",)),
                Element("slider", "Volume", value="30"),
                Element(
                    "list",
                    "Sizes",
                    children=[Element("list-item", name, actions=("click",)) for name in ("S", "M", "L")],
                ),
            ],
        ),
        Element("button", "OK", at=(110, 400, 60, 24), actions=("click",)),
        Element("image", at=None),
        Element("menuItemRadio", "Odd", at=(-2147483648, -2147483648, 10, 10)),
        Element("button", "Hidden", showing=False, enabled=False, actions=("click",)),
    ]
    question = [
        Element("text", "Really?"),
        Element("button", "OK", at=(300, 300, 60, 24), actions=("click",)),
        Element("button", "Twice", at=(300, 330, 60, 24), actions=("click",)),
        Element("button", "Twice", at=(300, 360, 60, 24), actions=("click",)),
    ]
    return [
        Window("Order form", "Editor", form, focused=True),
        Window("Question", "Editor", question, "dialog", (290, 290, 200, 120)),
        Window("Menu Bar", "Editor", [menu], "menuBar"),
    ]


@pytest.fixture(params=["omitted", "nulls", "errors with 200"])
def agent(request: pytest.FixtureRequest) -> ForeignAgent:
    how = request.param
    return ForeignAgent(desktop(), nulls=how == "nulls", errors_with_200=how == "errors with 200")


@pytest.fixture
def app(agent: ForeignAgent) -> Iterator[App]:
    with served(agent) as address, connect(address, default_timeout=2) as app:
        yield app


@pytest.fixture
def plain() -> ForeignAgent:
    return ForeignAgent(desktop())


def test_it_is_found_filled_pressed_and_waited_for(app: App, agent: ForeignAgent) -> None:
    app.locator("#name").fill("Ada")
    done = app.get_by_role("button", name="Greet", exact=True).click()
    expect(app.locator("#greeting")).to_have_text("Greet!")

    assert agent.acted("/set-value")[0]["value"] == "Ada"
    assert done.detail == "pressed: this agent has no mouse"


def test_the_tree_has_roles_values_states_and_places(app: App) -> None:
    tree = app.tree()
    found = {node.name: node for node in tree if node.name}

    assert [(window.title, window.kind, window.app_name) for window in tree.windows] == [
        ("Order form", "regular", "Editor"),
        ("Question", "dialog", "Editor"),
    ]
    assert found["Question"].role == "dialog"
    assert found["Greet"].bounds == (110, 150, 80, 24)
    assert found["Greet"].actions == ("press",)
    assert found["Greet"].platform_role == "AXButton"
    assert found["Newsletter"].checked is False
    assert found["Untold"].checked is None
    assert found["Volume"].number == 30
    assert found["no name yet"].text == "no name yet"
    assert found["Odd"].role == "menu-item-radio"
    assert found["Odd"].bounds is None
    assert not found["Hidden"].visible
    assert not found["Hidden"].enabled
    assert found["S"].parent == found["Sizes"].uid


def test_a_password_is_masked(app: App) -> None:
    assert app.locator("#pin").get().value == "••••"
    with pytest.raises(ActionUnsupported):
        app.locator("#pin").type("5")


def test_uids_stay_while_texts_and_values_change(app: App, agent: ForeignAgent) -> None:
    before = {node.uid for node in app.tree()}
    app.locator("#name").fill("Ada")
    app.locator('button[name="Greet all"]').click()
    after = {node.uid: node for node in app.tree()}

    assert set(after) == before
    assert "Greet all!" in [node.text for node in after.values()]


def test_the_windows_are_listed_without_a_snapshot(app: App) -> None:
    windows = app.windows()

    assert [window.title for window in windows] == ["Order form", "Question"]
    assert windows[0].focused
    assert windows[0].uid == app.tree().windows[0].uid
    assert app.state().modal_dialog is None


def test_one_node_has_its_font(app: App) -> None:
    font = app.locator("#greeting").get().font

    assert font is not None
    assert (font.family, font.size, font.weight, font.color) == ("Sans", 11, "bold", "#102030")


def test_a_part_of_another_label_is_not_confused_with_it(app: App, agent: ForeignAgent) -> None:
    app.run(Press('button[name="Greet"]'))

    (query,) = agent.acted("/press")
    assert query["label"] == "Greet"
    assert query["index"] == 0


def test_the_same_button_of_two_windows_is_distinguished_by_the_window(app: App, agent: ForeignAgent) -> None:
    app.locator('dialog >> button[name="OK"]').click()

    assert agent.acted("/press") == [{"role": "button", "label": "OK", "window": "Question"}]


@pytest.mark.parametrize("first", [0, 1])
def test_an_agent_that_counts_from_one_presses_the_right_one_too(first: int) -> None:
    agent = ForeignAgent(desktop(), first_index=first)
    pressed: list[Any] = []
    agent.pressed = pressed.append  # type: ignore[method-assign]  # to see which it was
    with served(agent) as address, connect(address) as app:
        app.locator('button[name="Twice"]:nth(1)').click()

    assert [element.at for element in pressed] == [(300, 360, 60, 24)]


def test_two_elements_that_cannot_be_distinguished_are_not_guessed(plain: ForeignAgent) -> None:
    plain.first_index = 7
    with served(plain) as address, connect(address) as app, pytest.raises(ActionUnsupported):
        app.locator('button[name="Twice"]:nth(1)').click()

    assert plain.acted("/press") == []


def test_boxes_are_ticked_only_where_that_is_known(app: App, agent: ForeignAgent) -> None:
    app.locator('checkbox[name="Newsletter"]').check()
    app.locator('checkbox[name="Newsletter"]').check()
    with pytest.raises(ActionUnsupported):
        app.locator('checkbox[name="Untold"]').check()

    assert [query["label"] for query in agent.acted("/press")] == ["Newsletter"]


def test_an_option_is_selected_by_pressing_it(app: App, agent: ForeignAgent) -> None:
    done = app.locator('list[name="Sizes"]').select_option(text="M")
    with pytest.raises(OptionNotFound) as caught:
        app.locator('list[name="Sizes"]').select_option(text="XL")

    assert done.selected == {"index": 1, "text": "M"}
    assert caught.value.details["options"] == ["S", "M", "L"]
    assert agent.acted("/press") == [{"role": "list-item", "label": "M"}]


def test_text_is_typed_after_the_existing_text(app: App, agent: ForeignAgent) -> None:
    app.locator("#name").fill("Ada")
    app.locator("#name").type(" L")

    assert agent.acted("/set-value")[-1]["value"] == "Ada L"


def test_focus_and_context_menus(app: App, agent: ForeignAgent) -> None:
    app.locator("#name").focus()
    app.locator('button[name="Greet all"]').click(button="right")

    assert app.locator("#name").get().focused
    assert agent.acted("/show-menu") == [{"role": "button", "label": "Greet all"}]


def test_windows_are_arranged(app: App, agent: ForeignAgent) -> None:
    app.run(ControlWindow("dialog", do="move", x=5, y=6))
    app.run(ControlWindow("dialog", do="resize", width=300, height=200))
    assert app.windows()[1].bounds == (5, 6, 300, 200)
    app.run(ControlWindow("dialog", do="close"))
    assert [window.title for window in app.windows()] == ["Order form"]
    app.run(ControlWindow(do="minimize"))
    assert agent.acted("/window-minimize") == [{"window": "Order form"}]
    with pytest.raises(ActionUnsupported):
        app.run(ControlWindow(do="maximize"))


def test_a_window_that_another_one_hides_by_its_title_is_not_guessed(plain: ForeignAgent) -> None:
    plain.windows[1].title = "form"
    with served(plain) as address, connect(address) as app, pytest.raises(ActionUnsupported):
        app.run(ControlWindow("dialog", do="close"))

    assert len(plain.windows) == 3


def test_what_the_contract_cannot_do_is_refused_with_a_reason(app: App) -> None:
    with pytest.raises(ActionUnsupported, match="no screenshots"):
        app.screenshot()
    with pytest.raises(ActionUnsupported, match="neither mouse nor keyboard"):
        app.locator("#name").hover()
    with pytest.raises(ActionUnsupported, match="no keyboard"):
        app.keyboard.press("enter")


def test_an_action_that_failed_says_why_if_that_is_known(app: App) -> None:
    with pytest.raises(ActionFailed, match="it gives no reason"):
        app.run(Press("#greeting"))


@pytest.mark.parametrize("with_200", [False, True])
@pytest.mark.parametrize("key", ["not_found", "element_not_found", "elementNotFound"])
def test_an_element_that_vanishes_before_the_action_is_stale_with_any_error_key(
    key: str, with_200: bool
) -> None:
    agent = ForeignAgent(desktop(), errors_with_200=with_200)

    def vanish(query: dict[str, Any]) -> Element:
        raise Refusal(key, status=400 if key == "not_found" else 404)

    agent._find = vanish  # type: ignore[method-assign]  # as if it had gone in between
    with served(agent) as address, connect(address) as app, pytest.raises(Stale, match="Greet all"):
        app.locator('button[name="Greet all"]').click()


def test_locators_wait_and_name_near_misses_there_too(app: App) -> None:
    with pytest.raises(NotFound) as caught:
        app.locator("#nam").click(timeout=0.1)
    with pytest.raises(WaitTimeout):
        app.locator("#name").wait_for("disabled", timeout=0.1)

    assert "#name" in caught.value.near


def test_a_menu_bar_that_is_nowhere_else_is_a_window(plain: ForeignAgent) -> None:
    del plain.windows[0].elements[0]
    with served(plain) as address, connect(address) as app:
        assert app.tree().windows[-1].kind == "menuBar"
        assert app.locator('menu[name="File"]').is_visible()


def test_it_is_driven_with_await(plain: ForeignAgent) -> None:
    async def main() -> None:
        with served(plain) as address:
            async with aio.connect(address) as app:
                expected = aio.expect(app.locator("#greeting")).to_have_text("Greet all!")
                await asyncio.gather(expected, app.locator('button[name="Greet all"]').click())
                assert (await app.exec("echo there")).stdout == "there"
                assert (await app.health()).platform == "linux"

    asyncio.run(main())


# -- the machine -----------------------------------------------------------------------------------


def test_commands_run_there(app: App) -> None:
    done = app.exec("echo out; echo err >&2; exit 3")

    assert (done.exit_code, done.stdout, done.stderr, done.timed_out) == (3, "out", "err", False)


def test_a_command_that_takes_too_long_is_reported(app: App) -> None:
    assert app.exec("sleep 20", timeout=0.2).timed_out
    with pytest.raises(InvalidParams):
        app.exec("true", timeout=0)


def test_health_and_shutdown(app: App, agent: ForeignAgent) -> None:
    health = app.health()
    app.shutdown()

    assert (health.accessible, health.platform, health.deskhand) == (True, "linux", None)
    assert agent.stopped.is_set()


@pytest.mark.parametrize(
    ("status", "body", "accessible"),
    [(200, b"", True), (200, b"OK", True), (200, b'{"accessible": false}', False)],
)
def test_a_health_that_says_little_is_enough(status: int, body: bytes, accessible: bool) -> None:
    with served(ForeignAgent([], health=(status, body))) as address, connect(address) as app:
        assert app.health().accessible is accessible
        assert app.windows() == ()
        assert app.exec("echo 1").stdout == "1"


@pytest.mark.parametrize(("status", "body"), [(404, b"no"), (200, b"<html>"), (500, b"{}")])
def test_what_is_not_an_agent_is_refused(status: int, body: bytes) -> None:
    with (
        served(ForeignAgent([], health=(status, body))) as address,
        pytest.raises(ConnectFailed, match="there is no agent"),
    ):
        connect(address)


def test_an_app_that_is_not_an_agent_says_so(app: App, tmp_path: Any) -> None:
    from deskhand.client._sync.link import LocalEngine
    from deskhand.engine.session import Session
    from tests.client.greeter import Greeter

    local = App(LocalEngine(Session(Greeter().session.adapter), "here"))
    with pytest.raises(ActionUnsupported, match="agent"):
        local.exec("true")
    with pytest.raises(ActionUnsupported, match="is not an agent"):
        local.upload(__file__, "/tmp/x")


# -- the way there ---------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_the_error_for_a_port_without_a_server_says_what_to_start() -> None:
    with pytest.raises(ConnectFailed) as caught:
        connect(f"agent://127.0.0.1:{free_port()}")

    assert "deskhand agent" in caught.value.suggestions[0]


def test_an_invalid_host_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ConnectFailed, match="there is no host"):
        connect("agent://nowhere.invalid")


@pytest.mark.parametrize("address", ["agent://", "agent://host:x", "agent://a b", "agent://host/path"])
def test_an_invalid_address_is_reported(address: str) -> None:
    with pytest.raises(InvalidParams):
        connect(address)


def test_a_server_that_never_answers_costs_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(ConnectFailed) as caught:
            connect(f"agent://127.0.0.1:{silent.getsockname()[1]}", timeout=0.3)

    assert time.monotonic() - began < 5
    assert "firewall" in caught.value.suggestions[0]


def test_a_token_is_sent_and_asked_for(plain: ForeignAgent) -> None:
    plain.token = "secret"  # only what is posted asks for it here
    with served(plain) as address:
        with connect(address, token="secret") as app:
            assert len(app.windows()) == 2
        with connect(address, token="wrong") as app, pytest.raises(Unauthorized):
            app.windows()
    plain.health = (401, b'{"error": "a token is needed"}')
    with served(plain) as address, pytest.raises(Unauthorized) as caught:
        connect(address)
    assert "--token" in caught.value.suggestions[0]
    plain.health = (403, b'{"error": "unauthorized", "details": "the host \'vm\' is not this machine"}')
    with served(plain) as address, pytest.raises(Unauthorized, match="not this machine") as caught:
        connect(address)
    assert "--allow-host" in caught.value.suggestions[0]


def test_an_agent_that_ended_is_reported_and_so_is_a_closed_app(plain: ForeignAgent) -> None:
    with served(plain) as address:
        app = connect(address)
        app.windows()
    with pytest.raises(AppGone):
        app.windows()
    app.close()
    with pytest.raises(NotConnected):
        app.health()


def test_an_agent_without_accessibility_says_so(plain: ForeignAgent) -> None:
    def refuse(path: str, params: dict[str, Any]) -> dict[str, Any]:
        raise Refusal("accessibility_unavailable", "the bus is not there", 503)

    plain.answer = refuse  # type: ignore[method-assign]  # as long as no user is logged in
    raises = pytest.raises(AccessibilityUnavailable, match="the bus is not there")
    with served(plain) as address, connect(address) as app, raises:
        app.tree()


def test_an_answer_that_is_nonsense_is_not_an_empty_desktop(plain: ForeignAgent) -> None:
    plain.answer = lambda path, params: {"hello": "world"}  # type: ignore[method-assign]  # no agent at all
    raises = pytest.raises(ActionFailed, match="without windows")
    with served(plain) as address, connect(address) as app, raises:
        app.tree()


def test_a_cancelled_wait_stops_asking_and_a_cancelled_command_is_let_go(plain: ForeignAgent) -> None:
    async def main() -> None:
        with served(plain) as address:
            async with aio.connect(address) as app:
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(app.exec("sleep 1"), 0.1)
                began = time.monotonic()
                assert (
                    len(await app.windows()) == 2
                )  # once the agent, which does one thing at a time, is free
                assert time.monotonic() - began < 10

    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 20


def test_a_hung_agent_is_busy_and_not_gone() -> None:
    """Answers the health request, and nothing after that."""
    agent = ForeignAgent([])
    release = threading.Event()

    def hang(path: str, params: dict[str, Any]) -> dict[str, Any]:
        release.wait(20)
        return {"windows": []}

    agent.answer = hang  # type: ignore[method-assign]  # that is the point
    with served(agent) as address, connect(address) as app:
        with pytest.raises(UiBusy), contextlib.closing(app):
            app.locator("button").click(timeout=0.3)
        release.set()
