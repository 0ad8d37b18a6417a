"""`deskhand webdriver` with the stock clients of selenium and Appium, unmodified.

What was done to a form is judged by the JSON that it prints itself when it ends.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tomllib
from appium import webdriver as appium
from appium.options.common import AppiumOptions
from appium.webdriver.common.appiumby import AppiumBy
from selenium import webdriver
from selenium.common import exceptions
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning")

ROOT = Path(__file__).resolve().parents[2]
DESKHAND = str(Path(sys.executable).with_name("deskhand"))
WAIT = 20
"""How long to wait for something on a busy machine, in seconds."""
FORMS = {
    "qt": (sys.executable, "demo/qt_form.py"),
    "gtk3": ("/usr/bin/python3", "demo/gtk3_form.py"),
    "wx": ("/usr/bin/python3", "demo/wx_form.py"),
    "javafx": ("demo/javafx_form/run.sh",),
}


class Plain(ArgOptions):
    """Capabilities of no browser."""

    @property
    def default_capabilities(self) -> dict[str, Any]:
        return {}


class Server:
    """A running `deskhand webdriver`."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [DESKHAND, "webdriver", "--port", "0", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        kind, name, self.url = self.process.stdout.readline().split()
        assert (kind, name) == ("ready", "webdriver")
        assert self.process.stdout.readline() == "ready\n"

    def open(self, *command: str, **capabilities: Any) -> webdriver.Remote:
        options = Plain()
        options.set_capability("platformName", "linux")
        options.set_capability("appium:automationName", "deskhand")
        if command:
            options.set_capability("deskhand:command", list(command))
        for name, value in capabilities.items():
            options.set_capability(name.replace("__", ":"), value)
        return webdriver.Remote(self.url, options=options)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(WAIT)
        assert self.process.stdout
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server("--slots", "2")
    yield server
    server.close()


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., tuple[str, ...]]:
    """A command whose standard output goes to a file, which exists before: /tmp of an app is its own."""
    (tmp_path / "out").touch()

    def command(*words: str) -> tuple[str, ...]:
        return ("sh", "-c", f'exec "$0" "$@" > {tmp_path}/out', *words)

    return command


def said(tmp_path: Path) -> list[str]:
    """What the form says happened, once it ended."""
    deadline = time.monotonic() + WAIT
    while not (text := (tmp_path / "out").read_text()).strip() and time.monotonic() < deadline:
        time.sleep(0.05)  # nothing announces that a file was written
    found: list[str] = json.loads(text)["events"]
    return found


@pytest.mark.parametrize("toolkit", FORMS)
def test_stock_selenium_completes_an_order(
    server: Server, toolkit: str, written: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    driver = server.open(*written(*FORMS[toolkit]))
    try:
        driver.implicitly_wait(WAIT)
        name = driver.find_element(By.NAME, "Name")
        name.send_keys("Ada Lovelace", Keys.HOME, "Dr. ", Keys.END, "x", Keys.BACKSPACE)
        assert name.text == name.get_attribute("value") == "Dr. Ada Lovelace"
        assert (name.tag_name, name.is_displayed(), name.is_enabled()) == ("textfield", True, True)
        name.clear()
        name.send_keys("old", Keys.CONTROL, "a", Keys.NULL, "Eve")
        box = driver.find_element(By.CSS_SELECTOR, "checkbox")
        box.click()
        assert box.is_selected()
        driver.find_element(By.XPATH, '//radio[@name="Courier"]').click()
        driver.find_element(By.NAME, "Load later").click()
        driver.find_element(By.NAME, "Send").click()
        driver.find_element(By.CSS_SELECTOR, 'button[name^="Place order"]').click()
        alert = WebDriverWait(driver, WAIT).until(lambda driver: driver.switch_to.alert)
        assert alert.text == "Place the order for Eve?"
        alert.accept()
        driver.close()
    finally:
        driver.quit()
    events = said(tmp_path)
    assert [event for event in events if event in ORDER] == list(ORDER)
    assert "name Dr. Ada Lovelace" in events


ORDER = ("name Eve", "newsletter True", "delivery Courier", "sent", "ordered")


@pytest.fixture(scope="module")
def driver(server: Server) -> Iterator[webdriver.Remote]:
    """A session for tests that leave the form usable."""
    driver = server.open(*FORMS["qt"])
    driver.implicitly_wait(WAIT)
    yield driver
    driver.quit()


def test_actions_click_drag_and_hold_modifiers(driver: webdriver.Remote) -> None:
    name = driver.find_element(By.NAME, "Name")
    name.clear()
    ActionChains(driver).click(name).key_down(Keys.SHIFT).send_keys("a").key_up(Keys.SHIFT).perform()
    ActionChains(driver).send_keys("bc é").perform()
    assert name.text == "Abc é"

    ActionChains(driver).double_click(name).perform()
    name.send_keys(Keys.DELETE)
    assert name.text in ("é", "Abc ")
    middle = name.rect["x"] + 20, name.rect["y"] + 10
    ActionChains(driver).w3c_actions.pointer_action.move_to_location(*middle)
    chain = ActionChains(driver)
    chain.w3c_actions.pointer_action.move_to_location(*middle).click()
    chain.perform()
    assert driver.switch_to.active_element == name


def test_windows_are_placed_and_screenshots_taken(driver: webdriver.Remote) -> None:
    driver.set_window_rect(30, 40, 700, 600)
    assert driver.get_window_rect() == {"x": 30, "y": 40, "width": 700, "height": 600}
    driver.maximize_window()
    driver.minimize_window()
    driver.set_window_rect(30, 40, 700, 600)
    assert driver.get_window_rect() == {"x": 30, "y": 40, "width": 700, "height": 600}
    driver.set_window_rect(x=50, height=620)
    assert driver.get_window_rect() == {"x": 50, "y": 40, "width": 700, "height": 620}

    assert driver.get_screenshot_as_png()[:4] == b"\x89PNG"
    button = driver.find_element(By.NAME, "Greet")
    assert len(button.screenshot_as_png) < len(driver.get_screenshot_as_png())
    assert button.value_of_css_property("font-size").endswith("pt")
    driver.switch_to.window("Order form")
    assert driver.title == "Order form"


def test_what_stock_selenium_cannot_do_here_raises_its_own_exceptions(driver: webdriver.Remote) -> None:
    driver.implicitly_wait(0)
    with pytest.raises(exceptions.NoSuchElementException):
        driver.find_element(By.ID, "nothing")
    with pytest.raises(exceptions.InvalidSelectorException):
        driver.find_element(By.XPATH, "//[")
    with pytest.raises(exceptions.NoAlertPresentException):
        _ = driver.switch_to.alert
    with pytest.raises(exceptions.WebDriverException, match="cookies"):
        driver.get_cookies()
    with pytest.raises(exceptions.WebDriverException, match="no JavaScript"):
        driver.execute_script("return 1 + 1")
    driver.implicitly_wait(WAIT)


def test_commands_by_name_choose_wait_and_return_a_receipt(driver: webdriver.Remote) -> None:
    country = driver.find_element(By.CSS_SELECTOR, "combo-box")
    driver.execute_script("deskhand: select", {"target": country, "text": "Japan"})
    assert country.text == "Japan"
    receipt = driver.execute_script(
        "deskhand: receipt", {"action": "select", "target": country, "text": "Peru"}
    )
    assert any("Peru" in change["what"] for change in receipt["receipt"]["changed"])
    driver.execute_script("deskhand: wait", {"target": "#country", "state": "value", "value": "Peru"})
    assert "Order form" in driver.execute_script("deskhand: tree")
    driver.execute_script("deskhand: clipboard", {"text": "héllo"})
    assert driver.execute_script("deskhand: clipboard") == "héllo"


def test_the_stock_appium_client_drives_an_app_by_its_command_line(server: Server) -> None:
    app = f"{sys.executable} demo/qt_form.py"
    options = AppiumOptions().load_capabilities(
        {"platformName": "linux", "appium:automationName": "deskhand", "appium:app": app}
    )
    driver = appium.Remote(server.url, options=options)
    try:
        driver.implicitly_wait(WAIT)
        name = driver.find_element(AppiumBy.ACCESSIBILITY_ID, "name")
        name.send_keys("Ada")
        assert (name.text, name.get_attribute("value"), name.is_displayed()) == ("Ada", "Ada", True)
        driver.find_element(AppiumBy.CLASS_NAME, "[push button | Greet]").click()
        assert driver.find_element(AppiumBy.ACCESSIBILITY_ID, "report").text == "Hello, Ada!"
        driver.set_clipboard_text("copied")
        assert driver.get_clipboard_text() == "copied"
        driver.update_settings({"a": 1})
        assert driver.get_settings() == {"a": 1}

        assert driver.query_app_state(app) == 4
        assert driver.terminate_app(app) is True
        assert driver.query_app_state(app) == 1
        with pytest.raises(exceptions.NoSuchWindowException):
            driver.find_element(AppiumBy.ACCESSIBILITY_ID, "name")
        driver.activate_app(app)
        assert driver.find_element(AppiumBy.ACCESSIBILITY_ID, "name").text == ""
    finally:
        driver.quit()


def test_commands_for_an_app_that_died_raise_no_such_window_and_its_session_ends_cleanly(
    server: Server,
) -> None:
    driver = server.open(*FORMS["qt"], appium__environ={"DESKHAND_TEST_MARK": "x"})
    try:
        pid = driver.execute_script("deskhand: get app info")["pid"]
        assert "DESKHAND_TEST_MARK=x" in Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        os.kill(pid, signal.SIGKILL)
        wait = WebDriverWait(driver, WAIT)
        wait.until(lambda driver: _gone(driver))
        with pytest.raises(exceptions.NoSuchWindowException):
            _ = driver.page_source
    finally:
        driver.quit()
    with pytest.raises(exceptions.InvalidSessionIdException):
        _ = driver.title


def test_screenshots_while_a_session_ends_succeed_or_name_what_is_gone(server: Server) -> None:
    driver = server.open(*FORMS["qt"])
    client = Plainly(server.url, None)
    taken = threading.Barrier(4)

    def shoot() -> set[str]:
        found = {client.ask("GET", f"/session/{driver.session_id}/screenshot")[0]}
        taken.wait(WAIT)
        codes = set()
        while "invalid session id" not in codes:
            status, value = client.ask("GET", f"/session/{driver.session_id}/screenshot")
            codes.add("success" if status == 200 else value["error"])
        assert found == {200}
        return codes

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(shoot) for _ in range(3)]
        taken.wait(WAIT)
        driver.quit()
        for each in running:
            assert each.result() <= {"success", "no such window", "invalid session id"}


def _gone(driver: webdriver.Remote) -> bool:
    try:
        _ = driver.title
    except exceptions.NoSuchWindowException:
        return True
    return False


def test_a_session_waits_for_a_free_slot_and_gives_up_in_time(
    server: Server, driver: webdriver.Remote
) -> None:
    second = server.open("galculator", timeouts={"pageLoad": 30_000})
    try:
        with pytest.raises(exceptions.SessionNotCreatedException, match="all 2 slots are in use"):
            server.open("galculator", timeouts={"pageLoad": 100})
    finally:
        second.quit()
    assert driver.title == "Order form"


def test_no_session_is_created_for_an_app_that_cannot_start(server: Server) -> None:
    with pytest.raises(exceptions.SessionNotCreatedException, match="no-such-program"):
        server.open("no-such-program")
    with pytest.raises(exceptions.InvalidArgumentException, match="name no app"):
        server.open()


def test_root_is_a_desktop_on_which_programs_are_launched(server: Server) -> None:
    driver = server.open(appium__app="Root", deskhand__size="900x700")
    try:
        assert driver.window_handles == []
        driver.execute_script("deskhand: launch", {"command": ["galculator"]})
        driver.execute_script("deskhand: launch", {"command": list(FORMS["qt"])})
        driver.implicitly_wait(WAIT)
        driver.find_element(By.NAME, "Greet").click()
        assert driver.find_element(By.ID, "report").text == "Hello, !"
        assert len(driver.window_handles) == 2
        png = driver.get_screenshot_as_png()
        assert [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)] == [900, 700]
    finally:
        driver.quit()


@pytest.mark.programs
def test_appium_writes_and_saves_a_document_in_libreoffice(server: Server, tmp_path: Path) -> None:
    saved = tmp_path / "letter.odt"
    command = ["soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard"]
    options = AppiumOptions().load_capabilities(
        {
            "platformName": "linux",
            "deskhand:command": command,
            "timeouts": {"implicit": 60_000, "pageLoad": 90_000},
        }
    )
    driver = appium.Remote(server.url, options=options)
    try:
        driver.find_element(AppiumBy.XPATH, "//document//paragraph").send_keys("Dear Ada")
        ActionChains(driver).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
        name = driver.find_element(AppiumBy.CSS_SELECTOR, "dialog textfield:focused")
        name.clear()
        name.send_keys(str(saved))
        driver.find_element(AppiumBy.CSS_SELECTOR, 'dialog button[name="Save"]').click()
        WebDriverWait(driver, 60).until(lambda driver: saved.exists() and "letter" in driver.title)
    finally:
        driver.quit()
    with zipfile.ZipFile(saved) as document:
        assert b"Dear Ada" in document.read("content.xml")


class Plainly:
    """A client that sends what it is given."""

    def __init__(self, url: str, token: str | None) -> None:
        self._url, self._token = url, token

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        connection = http.client.HTTPConnection(self._url.partition("://")[2], timeout=60)
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        value = json.loads(answer.read())["value"]
        connection.close()
        return answer.status, value


def test_one_app_is_served_with_a_token_and_files_are_moved_with_exec(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [DESKHAND, "run", "--headless", "--webdriver", "0", "--exec", "--json", "--", *FORMS["qt"]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["ready"] == "webdriver"
        client, stranger = Plainly(ready["url"], ready["token"]), Plainly(ready["url"], None)

        assert stranger.ask("GET", "/status")[1]["ready"] is True
        assert stranger.ask("POST", "/session", {"capabilities": {}})[0] == 401
        assert stranger.ask("GET", "/appium/sessions")[0] == 401
        assert client.ask("GET", "/status", Origin="http://evil.example")[0] == 403
        assert client.ask("GET", "/status", Host="evil.example")[0] == 403
        status, session = client.ask("POST", "/wd/hub/session", {"capabilities": {}})
        assert status == 200
        root = f"/session/{session['sessionId']}"
        assert client.ask("GET", f"{root}/title") == (200, "Order form")
        where, data = str(tmp_path / "file"), base64.b64encode(b"content").decode()
        push = {"script": "mobile: pushFile", "args": [{"remotePath": where, "payload": data}]}
        assert client.ask("POST", f"{root}/execute/sync", push) == (200, None)
        assert Path(where).read_bytes() == b"content"
        assert client.ask("POST", f"{root}/appium/device/pull_file", {"path": where}) == (200, data)
        assert client.ask("DELETE", root) == (200, None)
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(WAIT)
        process.stdout.close()


def test_the_configuration_for_a_grid_is_toml_that_relays_here() -> None:
    text = subprocess.run(
        [DESKHAND, "webdriver", "--port", "4799", "--slots", "3", "--grid-config"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    config = tomllib.loads(text)
    assert config["relay"]["url"] == "http://127.0.0.1:4799"
    count, capabilities = config["relay"]["configs"]
    assert (count, json.loads(capabilities)["appium:automationName"]) == ("3", "deskhand")
