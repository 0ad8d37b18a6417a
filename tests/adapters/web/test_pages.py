"""What is read of a page, and what is done to it, in a headless Chromium."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from deskhand import expect
from deskhand.model import operations as ops
from deskhand.model.errors import NotReady

from .conftest import Browser, Show

NAMES = """
<input id=label-for><label for=label-for>By a label</label>
<label>Around <input id=label-around value=inner></label>
<span id=one>First</span> <span id=two hidden>second</span>
<input id=labelledby aria-labelledby="one two" aria-label=no>
<button id=aria-label aria-label="Said">Shown</button>
<button id=content> Save <b>all</b>
  files </button>
<button id=image><img alt="Print"></button>
<img id=alt alt="A cat" src="data:,">
<input id=submit type=submit>
<input id=title title="From the title">
<input id=hint placeholder="From the placeholder">
<fieldset id=legend><legend>Delivery</legend><input></fieldset>
<table id=caption><caption>Prices</caption><tr><td>1</table>
<a id=link href=#>Go <span aria-hidden=true>→</span>home</a>
<style>#generated::before { content: "New: " }</style><button id=generated>item</button>
<ul role=tree><li role=treeitem id=nested>Europe<ul role=group><li role=treeitem>Paris</ul></ul>
"""


def test_elements_are_named_by_the_accessible_name_rules(show: Show) -> None:
    tree = show(NAMES).tree()
    names = {node.automation_id: node.name for node in tree if node.automation_id}
    assert names == {
        "label-for": "By a label",
        "label-around": "Around",
        "one": "First",
        "two": "second",
        "labelledby": "First second",
        "aria-label": "Said",
        "content": "Save all files",
        "image": "Print",
        "alt": "A cat",
        "submit": "Submit",
        "title": "From the title",
        "hint": "From the placeholder",
        "legend": "Delivery",
        "caption": "Prices",
        "link": "Go home",
        "generated": "New: item",
        "nested": "Europe",
    }


def test_roles_states_and_values_are_those_of_every_toolkit(show: Show) -> None:
    tree = show("""
      <div role=switch id=switch aria-checked=true tabindex=0>Wifi</div>
      <input type=checkbox id=mixed><script>mixed.indeterminate = true</script>
      <button aria-pressed=true id=pressed>Bold</button>
      <input type=range id=range min=1 max=9 value=4>
      <progress id=progress max=10 value=3></progress>
      <details id=details><summary>More</summary>text</details>
      <div aria-disabled=true><button id=disabled>Off</button></div>
      <textarea id=area readonly>fixed</textarea>
      <div contenteditable id=editor>Dear all</div>
      <div role=combobox id=combo aria-expanded=false tabindex=0>Pick</div>
    """).tree()
    found = {node.automation_id: node for node in tree if node.automation_id}
    assert {name: node.role for name, node in found.items()} == {
        "switch": "switch", "mixed": "checkbox", "pressed": "toggle-button", "range": "slider",
        "progress": "progress-indicator", "details": "group", "disabled": "button",
        "area": "editable-text", "editor": "editable-text", "combo": "combo-box",
    }  # fmt: skip
    assert (found["switch"].checked, found["mixed"].mixed, found["pressed"].checked) == (True, True, True)
    assert (found["range"].number, found["range"].minimum, found["range"].maximum) == (4, 1, 9)
    assert (found["progress"].value, found["details"].expanded) == ("3", False)
    assert (found["disabled"].enabled, found["area"].editable, found["combo"].expanded) == (
        False,
        False,
        False,
    )
    assert found["editor"].value == "Dear all"


def test_frames_of_other_sites_and_open_shadow_roots_are_part_of_the_tree(browser: Browser) -> None:
    button = """<button onclick="this.textContent = 'pressed'">Inside</button>"""
    browser.serve("/inner", f"<!doctype html><style>body {{ margin: 0 }}</style>{button}")
    app = browser.show(f"""
      <style>iframe {{ margin: 50px; border: 5px solid }}</style>
      <div id=host></div>
      <script>
        host.attachShadow({{mode: "open"}}).innerHTML = "<button>Shadow</button>"
        host.shadowRoot.firstChild.onclick = event => event.target.textContent = "shadow pressed"
      </script>
      <iframe title=Other src="{browser.url("/inner", "localhost")}"></iframe>
      <iframe title=Same src="/inner"></iframe>
    """)
    other = app.locator('iframe[name="Other"] >> button[name="Inside"]')
    expect(other).to_be_visible(timeout=20)
    frame, button = app.locator('iframe[name="Other"]').bounds(), other.bounds()
    assert frame is not None
    assert button is not None
    assert (button.x - frame.x, button.y - frame.y) == (5, 5)
    other.click()
    expect(app.locator('iframe[name="Other"] >> button[name="pressed"]')).to_be_visible()
    app.locator('iframe[name="Same"] >> button[name="Inside"]').click()
    expect(app.locator('iframe[name="Same"] >> button[name="pressed"]')).to_be_visible()
    app.get_by_role("button", name="Shadow").click()
    expect(app.get_by_role("button", name="shadow pressed")).to_be_visible()


def test_alert_confirm_and_prompt_are_dialogs_with_buttons(show: Show) -> None:
    app = show("""
      <output id=said></output>
      <button onclick="said.textContent = confirm('Sure?')">Ask</button>
      <button onclick="said.textContent = prompt('Name?', 'Ada')">Name</button>
      <button onclick="alert('Done'); said.textContent = 'told'">Tell</button>
    """)
    app.get_by_role("button", name="Ask").click()
    assert app.state().modal_dialog == "Test says"
    expect(app.locator("dialog").get_by_text("Sure?")).to_be_visible()
    app.locator('dialog >> button[name="Cancel"]').click()
    expect(app.locator("#said")).to_have_text("false")
    app.get_by_role("button", name="Name").click()
    app.locator("dialog >> textfield").fill("Grace")
    app.locator('dialog >> button[name="OK"]').click()
    expect(app.locator("#said")).to_have_text("Grace")
    receipt = app.get_by_role("button", name="Tell").click(receipt=True).receipt
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Test says"]
    app.locator('dialog >> button[name="OK"]').click()
    expect(app.locator("#said")).to_have_text("told")


def test_what_covers_an_element_is_named_instead_of_clicked(show: Show) -> None:
    app = show("""
      <button id=below>Below</button>
      <div role=alert style="position: fixed; inset: 0; background: white">In front</div>
    """)
    with pytest.raises(NotReady) as caught:
        app.locator("#below").click(timeout=0.5)
    assert caught.value.details["covered_by"] == 'alert "In front"'


def test_a_file_is_chosen_and_a_download_is_reported(browser: Browser, tmp_path: Path) -> None:
    chosen = tmp_path / "photo.png"
    chosen.write_bytes(b"png")
    browser.serve("/data.bin", "content")
    app = browser.show("""
      <label>Photo <input type=file onchange="said.textContent = files[0].name + ' ' + files[0].size"></label>
      <output id=said></output> <a href=/data.bin>Get it</a>
    """)
    app.locator('button[name="Photo"]').set_value(str(chosen))
    expect(app.locator("#said")).to_have_text("photo.png 3")
    browser.adapter.report_downloads(tmp_path)
    app.get_by_role("link", name="Get it").click()
    expect.poll(lambda: [each["state"] for each in app.state().extra.get("downloads", ())]).to_be(
        ["completed"]
    )
    assert (tmp_path / "data.bin").read_text() == "content"


def test_a_wait_ends_by_the_change_itself(browser: Browser) -> None:
    app = browser.show("<button id=late disabled>Late</button>")
    heard = threading.Event()
    stop = browser.adapter.subscribe(heard.set)
    try:
        app.tree()
        heard.clear()
        browser.call("Runtime.evaluate", expression="late.disabled = false")
        assert heard.wait(5)
    finally:
        stop()
    browser.call(
        "Runtime.evaluate", expression="late.disabled = true; setTimeout(() => late.disabled = false, 300)"
    )
    began = time.monotonic()
    app.run(ops.Wait("#late", "enabled", poll=5.0, timeout=20))
    assert time.monotonic() - began < 4
