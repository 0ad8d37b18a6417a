"""Elements: how they are found, what is read of them, and what is done to them."""

from __future__ import annotations

import threading
import time

import pytest
from lxml import etree

from deskhand.adapters.memory import Element
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.node import Node
from deskhand.protocols.webdriver.server import WebDriverServer
from deskhand.serving.webdriver import Only

from .conftest import ELEMENT, Driver


@pytest.mark.parametrize(
    ("using", "value", "names"),
    [
        ("css selector", '[id="name_edit"]', ["Name"]),
        ("css selector", ".QCheckBox", ["Agree"]),
        ("css selector", 'button[name="Greet"]', ["Greet"]),
        ("css selector", "#panel > button", ["A", "B", "C"]),
        ("css selector", ".[push button | Greet]", ["Greet"]),
        ("id", "name_edit", ["Name"]),
        ("name", "Agree", ["Agree"]),
        ("class name", "QCheckBox", ["Agree"]),
        ("class name", "[check box | Agree]", ["Agree"]),
        ("class name", "[push button | Greet]", ["Greet"]),
        ("tag name", "checkbox", ["Agree"]),
        ("tag name", "div", []),
        ("accessibility id", "name_edit", ["Name"]),
        ("accessibility id", "Greet", ["Greet"]),
        ("link text", "More about us", ["More about us"]),
        ("partial link text", "about", ["More about us"]),
        ("xpath", "//group/button[2]", ["B"]),
        ("xpath", "(//button)[last()]", ["C"]),
        ("xpath", '//button[@name="B"]/preceding-sibling::*', ["A"]),
        ("xpath", '//button[@name="B"]/following-sibling::button', ["C"]),
        ("xpath", '//button[@name="A"]/ancestor::window', ["Main"]),
        ("xpath", '//*[contains(@class, "Check") and @enabled="true"]', ["Agree"]),
        ("xpath", "/application/window/checkbox", ["Agree"]),
        ("xpath", "//nothing", []),
    ],
)
def test_elements_are_found_by_every_strategy(driver, using, value, names):
    assert driver.names(using, value) == names


def test_a_field_comes_before_its_caption_and_a_visible_match_before_a_hidden_one(driver, form):
    form.name.labelled_by = "Name"

    field = driver.find("name", "Name")
    twin = driver.find("name", "Twin")

    assert driver.value("GET", f"element/{field}/name") == "textfield"
    assert driver.value("GET", f"element/{twin}/displayed") is True


def test_elements_are_found_below_an_element(driver):
    panel = driver.find("id", "panel")

    found = driver.find("xpath", "./button[3]", panel)

    assert driver.value("GET", f"element/{found}/text") == "C"
    body = {"using": "name", "value": "Greet"}
    assert driver.error("POST", f"element/{panel}/element", body) == "no such element"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"using": "css selector", "value": "button["}, "invalid selector"),
        ({"using": "xpath", "value": "//["}, "invalid selector"),
        ({"using": "xpath", "value": "count(//*)"}, "invalid selector"),
        ({"using": "xpath", "value": "//@name"}, "invalid selector"),
        ({"using": "xpath", "value": "//x:y"}, "invalid selector"),
        ({"using": "magic", "value": "x"}, "invalid argument"),
        ({"using": "css selector"}, "invalid argument"),
        ({"using": "css selector", "value": 7}, "invalid argument"),
        ({"using": "id", "value": "missing"}, "no such element"),
        ({"using": "xpath", "value": "//missing"}, "no such element"),
    ],
)
def test_what_cannot_be_found_has_the_standards_error(driver, body, code):
    assert driver.error("POST", "element", body) == code


def test_an_xpath_that_takes_too_long_ends_at_its_deadline_and_the_next_one_works(driver, form, tools):
    form.window.children += [form.button(f"Number {number}") for number in range(400)]
    bomb = "//*[count(//*[count(//*[count(//*[count(//*)>0])>0])>0])>0]"
    document = driver.value("GET", "source")

    with pytest.raises(Exception, match=r"took longer than 0\.2 s"):
        tools.xpath(document, bomb, 0, 0.2)

    assert driver.names("xpath", '//button[@name="Number 7"]') == ["Number 7"]


def test_an_element_that_comes_later_is_waited_for(driver, form):
    driver.value("POST", "timeouts", {"implicit": 20_000})

    def show(name):
        form.window.children.append(form.button(name))
        form.adapter.touch()

    for using, value in (("name", "Late"), ("xpath", '//button[@name="Later"]')):
        name = "Late" if using == "name" else "Later"
        threading.Timer(0.1, form.adapter.post, [lambda name=name: show(name)]).start()
        began = time.monotonic()
        assert driver.find(using, value)
        assert time.monotonic() - began < 15


def test_the_source_has_roles_as_tags_and_the_pinned_attributes(driver):
    root = etree.fromstring(driver.value("GET", "source"))

    field = root.find(".//textfield")
    assert dict(field.attrib) == {
        "id": "name_edit", "name": "Name", "class": "QLineEdit", "value": "", "enabled": "true",
        "visible": "true", "checked": "false", "selected": "false", "focused": "false",
        "x": "10", "y": "20", "width": "200", "height": "30",
    }  # fmt: skip
    assert [node.tag for node in root] == ["window"]


def test_texts_that_xml_cannot_hold_do_not_break_the_source(driver, form):
    form.greet.name = 'a "quoted" <b> & \x07 bell\nline'

    root = etree.fromstring(driver.value("GET", "source"))

    assert root.xpath("//button/@name")[0] == 'a "quoted" <b> & \ufffd bell\nline'


def test_an_element_says_what_it_is(driver):
    box = driver.find("name", "Agree")
    assert driver.value("GET", f"element/{box}/selected") is False
    driver.value("POST", f"element/{box}/click", {})

    read = {
        what: driver.value("GET", f"element/{box}/{what}") for what in ("selected", "enabled", "text", "name")
    }
    assert read == {"selected": True, "enabled": True, "text": "Agree", "name": "checkbox"}
    assert driver.value("GET", f"element/{box}/attribute/checked") == "true"
    assert driver.value("GET", f"element/{box}/property/checked") is True
    assert driver.value("GET", f"element/{box}/attribute/nothing") is None
    assert driver.value("GET", f"element/{box}/css/color") == ""
    field = driver.find("id", "name_edit")
    assert driver.value("GET", f"element/{field}/rect") == {"x": 10, "y": 20, "width": 200, "height": 30}
    assert driver.error("GET", f"element/{field}/shadow") == "no such shadow root"


def test_keys_are_typed_and_the_field_is_cleared(driver, form):
    field = driver.find("id", "name_edit")

    driver.value("POST", f"element/{field}/value", {"text": "Ada"})
    driver.value("POST", f"element/{field}/value", {"value": ["B", "C"]})
    assert form.name.value == "AdaBC"

    driver.value("POST", f"element/{field}/clear", {})
    assert form.name.value == ""
    driver.value("POST", f"appium/element/{field}/value", {"text": "set"})
    assert form.name.value == "set"


def test_actions_that_an_element_cannot_do_have_the_standards_errors(driver):
    off, label = driver.find("name", "Off"), driver.find("tag name", "label")
    hidden = driver.value("POST", "elements", {"using": "name", "value": "Twin"})[0][ELEMENT]

    assert driver.error("POST", f"element/{off}/click", {}) == "element not interactable"
    assert driver.error("POST", f"element/{hidden}/click", {}) == "element not interactable"
    assert driver.error("POST", f"element/{label}/clear", {}) == "invalid element state"
    assert driver.error("POST", f"element/{label}/value", {}) == "invalid argument"
    assert driver.error("POST", f"element/{label}/value", {"text": "\ue040"}) == "unsupported operation"
    assert driver.error("POST", f"element/{label}/value", b'{"text": "\\ud800"}') == "invalid argument"


def test_a_click_waits_for_its_element_within_the_implicit_wait(driver, form):
    form.off.on_press = lambda: form.said.append("Off")
    off = driver.find("name", "Off")
    driver.value("POST", "timeouts", {"implicit": 20_000})

    def enable():
        form.off.enabled = True
        form.adapter.touch()

    threading.Timer(0.1, form.adapter.post, [enable]).start()
    driver.value("POST", f"element/{off}/click", {})

    assert form.said == ["Off"]


def test_a_reference_survives_reading_again_and_is_stale_once_its_element_is_gone(driver, form):
    greet = driver.find("name", "Greet")
    driver.value("GET", "source")
    driver.value("POST", f"element/{greet}/click", {})
    assert form.said == ["Greet"]

    form.window.children.remove(form.greet)

    for method, what in (("GET", "text"), ("POST", "click"), ("GET", "rect"), ("POST", "element")):
        body = {"using": "name", "value": "x"} if method == "POST" else None
        assert driver.error(method, f"element/{greet}/{what}", body) == "stale element reference"


def test_a_reference_of_another_session_finds_no_such_element(driver):
    other = driver.find("name", "Greet")
    driver.open()

    for reference in (other, "nonsense", "..", other.replace(".", "")):
        assert driver.error("GET", f"element/{reference}/text") == "no such element"


def test_elements_of_a_second_window_are_found_without_switching(driver, form):
    dialog = Element("dialog", "Sure?", children=[form.button("Yes")], modal=True)
    form.adapter.windows.append(dialog)

    yes = driver.find("name", "Yes")
    driver.value("POST", f"element/{yes}/click", {})

    assert form.said == ["Yes"]


def test_windows_have_handles_and_can_be_switched_to(driver, form):
    form.adapter.windows.append(Element("window", "Second", children=[form.button("Greet")]))
    main, second = driver.value("GET", "window/handles")
    assert driver.value("GET", "window") == main
    driver.value("POST", "window", {"handle": second})

    assert driver.value("GET", "title") == "Second"
    assert driver.value("POST", "execute/sync", {"script": "return window.name", "args": []}) == "Second"
    assert len(driver.names("name", "Greet")) == 1
    assert driver.names("name", "Agree") == ["Agree"]
    assert driver.error("POST", "window", {"handle": "x"}) == "no such window"
    assert driver.error("POST", "frame", {"id": 0}) == "no such frame"
    assert driver.value("POST", "frame", {"id": None}) is None
    form.adapter.windows.pop()
    assert driver.error("GET", "window") == "no such window"


def test_the_element_with_the_focus_is_the_active_one(driver):
    assert driver.error("GET", "element/active") == "no such element"
    field = driver.find("id", "name_edit")
    driver.value("POST", f"element/{field}/value", {"text": "x"})

    assert driver.value("GET", "element/active")[ELEMENT] == field


@pytest.mark.parametrize("uid", ["w3:cell:1/2", 'a "b" >> c', "hex.00", "é ü", "41e5.1.2-1~2"])
def test_a_reference_is_one_part_of_a_path_whatever_the_uid(driver, server, uid):
    session = server._session(driver.session)

    (name,) = session.reference(Node(uid=uid)).values()

    assert name.isascii()
    assert not set(name) & set('/?#% "')
    assert session.uid({ELEMENT: name}) == session.uid(name) == uid
    assert driver.error("GET", f"element/{name}/text") == "stale element reference"


def test_a_key_after_a_text_is_pressed_once_the_app_has_reacted_to_the_text(form, tools):
    class Recorded(Session):
        def run(self, operation, cancel=None):
            done.append(operation)
            return super().run(operation, cancel)

    done = []
    driver = Driver(WebDriverServer(Only(Recorded(form.adapter), "form"), tools)).open()
    field = driver.find("id", "name_edit")
    del done[:]

    driver.ask("POST", f"element/{field}/value", {"text": "Ada\ue007"})

    assert [type(each) for each in done][:4] == [ops.Find, ops.TypeText, ops.WaitIdle, ops.Key]
