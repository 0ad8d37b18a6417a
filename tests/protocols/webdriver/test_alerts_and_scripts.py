"""Alerts, the scripts that clients send, commands by name, and what the log shows."""

from __future__ import annotations

import json
import threading

import pytest

from deskhand.adapters.memory import Element
from deskhand.engine.session import Session
from deskhand.protocols.webdriver.server import WebDriverServer
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.webdriver import Only

from .conftest import ELEMENT, Driver


@pytest.fixture
def ask(form):
    """Opens a message box with these buttons, which close it."""

    def ask(*names, children=()):
        dialog = Element("dialog", "Question", modal=True)

        def end(name):
            form.said.append(name)
            form.adapter.windows.remove(dialog)

        buttons = [Element("button", name, on_press=lambda name=name: end(name)) for name in names]
        dialog.children = [Element("text", "Really?", text="Really?"), *children, *buttons]
        form.adapter.windows.append(dialog)
        return dialog

    return ask


def test_an_alert_says_its_text_and_is_accepted_or_dismissed(driver, form, ask):
    ask("&No", "_Yes")
    assert driver.value("GET", "alert/text") == "Really?"
    driver.value("POST", "alert/accept", {})
    ask("Discard", "Keep", "Cancel")
    driver.value("POST", "alert/dismiss", {})
    ask("Verstanden")
    driver.value("POST", "alert/dismiss", {})

    assert form.said == ["_Yes", "Cancel", "Verstanden"]


def test_without_a_modal_dialog_there_is_no_alert(driver):
    for method, path in (("GET", "alert/text"), ("POST", "alert/accept"), ("POST", "alert/dismiss")):
        assert driver.error(method, path, {} if method == "POST" else None) == "no such alert"
    assert driver.error("POST", "alert/text", {"text": "x"}) == "no such alert"


def test_a_text_is_sent_to_the_field_of_an_alert(driver, ask):
    field = Element("textfield", "Value", value="")
    ask("OK", children=[field])
    driver.value("POST", "alert/text", {"text": "42"})
    assert field.value == "42"

    driver.value("POST", "alert/accept", {})
    ask("OK")
    assert driver.error("POST", "alert/text", {"text": "x"}) == "element not interactable"
    assert driver.error("POST", "alert/text", {}) == "invalid argument"


def script(driver, text, *arguments):
    return driver.value("POST", "execute/sync", {"script": text, "args": list(arguments)})


def test_the_scripts_of_stock_clients_are_answered(driver, form):
    element = {ELEMENT: driver.find("id", "name_edit")}
    form.name.value = "Ada"

    assert script(driver, "/* isDisplayed */return (function(){}).apply(null, arguments);", element) is True
    assert (
        script(driver, "return (function isElementDisplayed(e) {}).apply(null, arguments)", element) is True
    )
    sent = "function webdriverioPolyfill() {} return (function %s(elem) {}).apply(null, arguments)"
    assert script(driver, sent % "isFocused", element) is False
    off = {ELEMENT: driver.find("name", "Off")}
    assert [script(driver, sent % "isElementClickable", each) for each in (element, off)] == [True, False]
    atom = "/* getAttribute */return (function(){}).apply(null, arguments);"
    assert script(driver, atom, element, "value") == "Ada"
    assert script(driver, "/* get-attribute.js */return 1", element, "nothing") is None
    assert script(driver, "return arguments[0][arguments[1]]", element, "value") == "Ada"
    assert script(driver, "return window.name") == "Main"
    assert script(driver, "return document.readyState;") == "complete"


@pytest.mark.parametrize(
    "text",
    [
        "return 1",
        "alert(1)",
        "",
        "mobile: dance",
        "deskhand: dance",
        "deskhand: execute",
        "deskhand: shutdown",
    ],
)
def test_other_scripts_are_unsupported(driver, text):
    body = {"script": text, "args": [{}]}
    assert driver.error("POST", "execute/sync", body) == "unsupported operation"


def test_a_script_must_be_a_text_with_a_list(driver):
    assert driver.error("POST", "execute/sync", {"script": 1, "args": []}) == "invalid argument"
    assert driver.error("POST", "execute/sync", {"script": "x", "args": {}}) == "invalid argument"
    wrong = {"script": "deskhand: click", "args": [{"target": "button["}]}
    assert driver.error("POST", "execute/sync", wrong) == "invalid selector"
    unknown = {"script": "deskhand: click", "args": [{"target": "#panel", "nonsense": 1}]}
    assert driver.error("POST", "execute/sync", unknown) == "invalid argument"


def test_operations_are_commands_by_name(driver, form):
    greet = {ELEMENT: driver.find("name", "Greet")}

    script(driver, "deskhand: press", {"target": greet})
    script(driver, "deskhand: set value", {"target": "#name_edit", "value": "Ada"})
    receipt = script(
        driver, "deskhand: receipt", {"action": "set checked", "target": 'checkbox[name="Agree"]'}
    )

    assert (form.said, form.name.value, form.agree.checked) == (["Greet"], "Ada", True)
    assert any("checked" in change["what"] for change in receipt["receipt"]["changed"])
    assert (
        script(driver, "deskhand: wait", {"target": "#name_edit", "state": "value", "value": "Ada"})["count"]
        == 1
    )
    assert "Main" in script(driver, "deskhand: tree")


def test_the_app_is_only_seen_from_a_session_that_did_not_start_it(driver):
    assert script(driver, "mobile: queryAppState", {"appId": "other"}) == 1
    for name in ("terminateApp", "launchApp"):
        body = {"script": f"mobile: {name}", "args": [{"appId": "form", "command": ["x"]}]}
        assert driver.error("POST", "execute/sync", body) == "unsupported operation"


def test_two_clients_use_one_session_at_the_same_time(driver, form, server):
    other = Driver(server)
    other.session = driver.session
    twins = [driver.find("name", "Greet"), other.find("name", "Twin")]

    def press(client, element):
        for _ in range(20):
            client.value("POST", f"element/{element}/click", {})

    threads = [threading.Thread(target=press, args=pair) for pair in zip((driver, other), twins, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(form.said) == ["Greet"] * 20 + ["Twin"] * 20


def test_commands_for_an_app_that_ended_answer_no_such_window(driver, form):
    greet = driver.find("name", "Greet")
    form.adapter.close()

    for method, path in (
        ("GET", "source"),
        ("GET", "screenshot"),
        ("GET", "window/handles"),
        ("GET", "title"),
    ):
        assert driver.error(method, path) == "no such window"
    assert driver.error("POST", f"element/{greet}/click", {}) == "no such window"
    assert driver.value("DELETE", "") is None


@pytest.mark.parametrize("text", [False, True])
def test_a_password_is_in_no_line_of_the_log(form, tools, tmp_path, text):
    form.name.password = True
    log = WireLog(tmp_path / "wire", text=text)
    driver = Driver(WebDriverServer(Only(Session(form.adapter), "form"), tools, log=log)).open()
    field = driver.find("id", "name_edit")

    driver.value("POST", f"element/{field}/value", {"text": "hunter2", "value": list("hunter2")})
    script(driver, "deskhand: set value", {"target": {ELEMENT: field}, "value": "hunter2"})
    script(driver, "deskhand: set value", {"target": "#name_edit", "value": "hunter2"})
    typed = [{"type": "keyDown", "value": letter} for letter in "hunter2"]
    driver.value("POST", "actions", {"actions": [{"type": "key", "id": "k", "actions": typed}]})
    log.close()

    lines = [json.loads(line) for line in (tmp_path / "wire").read_text().splitlines()]
    assert len(lines) == 12
    assert "hunter2" not in str(lines)
    assert "'h', 'u', 'n'" not in str(lines)
    assert "'value': 'h'" not in str(lines)
