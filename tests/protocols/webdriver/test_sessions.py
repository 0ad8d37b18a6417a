"""Sessions: capabilities, their errors, timeouts, and which commands exist."""

from __future__ import annotations

import pytest

from deskhand.protocols.webdriver import capabilities
from deskhand.protocols.webdriver.errors import WebDriverError


def test_a_session_returns_the_capabilities_it_has(driver):
    found = driver.value("GET", "")

    assert found["platformName"] == "linux"
    assert found["appium:automationName"] == "deskhand"
    assert found["timeouts"] == {"script": 30000, "pageLoad": 300000, "implicit": 0}


def test_unknown_vendor_capabilities_are_accepted_and_returned(driver):
    driver.open(**{"wdio:something": 3, "appium:connectHardwareKeyboard": True, "webSocketUrl": True})

    found = driver.value("GET", "")
    assert found["wdio:something"] == 3
    assert "webSocketUrl" not in found


def test_the_first_match_that_can_be_provided_is_taken():
    several = [
        {"platformName": "windows"},
        {"platformName": "Linux", "vendor:x": 1},
        {"platformName": "linux"},
    ]

    assert capabilities.choose({"capabilities": {"firstMatch": several}})["vendor:x"] == 1


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "invalid argument"),
        ({"capabilities": []}, "invalid argument"),
        ({"capabilities": {"alwaysMatch": 1}}, "invalid argument"),
        ({"capabilities": {"firstMatch": []}}, "invalid argument"),
        ({"capabilities": {"firstMatch": [1]}}, "invalid argument"),
        ({"capabilities": {"alwaysMatch": {"noPrefix": 1}}}, "invalid argument"),
        ({"capabilities": {"alwaysMatch": {"platformName": 1}}}, "invalid argument"),
        ({"capabilities": {"alwaysMatch": {"timeouts": {"implicit": -1}}}}, "invalid argument"),
        ({"capabilities": {"alwaysMatch": {"deskhand:command": "text"}}}, "invalid argument"),
        (
            {"capabilities": {"alwaysMatch": {"x:a": 1}, "firstMatch": [{"x:a": 2}]}},
            "invalid argument",
        ),
        ({"capabilities": {"alwaysMatch": {"platformName": "windows"}}}, "session not created"),
        ({"capabilities": {"alwaysMatch": {"browserName": "chrome"}}}, "session not created"),
        (
            {"capabilities": {"alwaysMatch": {"appium:automationName": "UiAutomator2"}}},
            "session not created",
        ),
    ],
)
def test_malformed_and_impossible_capabilities_have_the_standards_errors(given, code):
    with pytest.raises(WebDriverError) as caught:
        capabilities.choose(given)

    assert caught.value.code == code


def test_capabilities_from_before_the_standard_are_read(driver):
    value = driver.value("POST", "/session", {"desiredCapabilities": {"app": "x", "platformName": "Linux"}})

    assert value["capabilities"]["appium:app"] == "x"


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff", b"", b" "])
def test_a_body_that_is_not_a_json_object_is_an_invalid_argument(driver, body):
    assert driver.error("POST", "/session", body) == "invalid argument"
    assert driver.error("POST", "timeouts", body) == "invalid argument"


def test_unknown_paths_methods_and_sessions_have_the_standards_errors(driver):
    assert driver.error("GET", "nothing") == "unknown command"
    assert driver.error("GET", "/") == "unknown command"
    assert driver.error("PUT", "element") == "unknown method"
    assert driver.error("GET", "/session/none/source") == "invalid session id"
    assert driver.value("GET", "/wd/hub/status")["ready"] is True


def test_a_deleted_session_is_gone_and_the_others_stay(driver):
    first = driver.session
    driver.open()
    assert {one["id"] for one in driver.value("GET", "/appium/sessions")} == {first, driver.session}

    assert driver.value("DELETE", "") is None

    assert driver.error("GET", "source") == "invalid session id"
    assert driver.value("GET", f"/session/{first}/source")


def test_timeouts_are_set_and_read_also_as_before_the_standard(driver):
    driver.value("POST", "timeouts", {"implicit": 1500, "script": None})
    assert driver.value("GET", "timeouts") == {"implicit": 1500, "script": None, "pageLoad": 300000}

    driver.value("POST", "timeouts", {"implicit": None, "pageLoad": None})
    assert driver.value("GET", "timeouts") == {"implicit": None, "script": None, "pageLoad": None}

    driver.value("POST", "timeouts/implicit_wait", {"ms": 20})
    assert driver.value("GET", "timeouts")["implicit"] == 20
    assert driver.error("POST", "timeouts", {"implicit": -1}) == "invalid argument"
    assert driver.error("POST", "timeouts", {"implicit": True}) == "invalid argument"
    assert driver.error("POST", "timeouts", {"implicit": 2**60}) == "invalid argument"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "cookie"),
        ("POST", "cookie"),
        ("DELETE", "cookie/a"),
        ("POST", "url"),
        ("GET", "url"),
        ("POST", "back"),
        ("POST", "print"),
        ("POST", "window/new"),
        ("POST", "shadow/x/element"),
    ],
)
def test_commands_without_a_meaning_on_a_desktop_are_refused(driver, method, path):
    assert driver.error(method, path, {} if method == "POST" else None) == "unsupported operation"


def test_settings_are_kept(driver):
    driver.value("POST", "appium/settings", {"settings": {"snapshotMaxDepth": 50}})

    assert driver.value("GET", "appium/settings") == {"snapshotMaxDepth": 50}


def test_an_abandoned_session_ends_after_its_idle_time(driver, server):
    kept = driver.session
    driver.open(**{"appium:newCommandTimeout": 0.001})
    server._session(driver.session).used -= 1

    server.expire()

    assert driver.error("GET", "source") == "invalid session id"
    assert driver.value("GET", f"/session/{kept}/timeouts")


def test_a_thousand_abandoned_sessions_are_freed(driver, server):
    for _ in range(999):
        driver.open(**{"appium:newCommandTimeout": 1})
    body = {"capabilities": {}}
    assert driver.error("POST", "/session", body) == "session not created"
    for session in list(server._sessions.values()):
        session.used -= 2

    server.expire()

    assert len(driver.value("GET", "/appium/sessions")) == 1
    assert driver.open().value("GET", "title") == "Main"


def test_files_are_refused_without_exec(driver):
    assert driver.error("POST", "appium/device/push_file", {"path": "/x"}) == "unsupported operation"
    script = {"script": "mobile: pullFile", "args": [{"remotePath": "/etc/passwd"}]}
    assert driver.error("POST", "execute/sync", script) == "unsupported operation"


def test_closing_the_last_window_ends_the_session_and_deleting_it_still_works(driver, form):
    assert driver.value("DELETE", "window") == []

    assert driver.error("GET", "title") == "invalid session id"
    assert driver.value("DELETE", "") is None
