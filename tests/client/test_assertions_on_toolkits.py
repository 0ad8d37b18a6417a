"""Trees, screenshots and held keys on the forms of three toolkits, each of which runs once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from deskhand import App, Locator, expect, launch
from deskhand.client import ExpectationFailed
from deskhand.client.options import options
from deskhand.model.node import Rect

REPORT = "text >> nth=-1"
DEMO = Path(__file__).parents[2] / "demo"
FORMS = {
    "qt": [sys.executable, str(DEMO / "qt_form.py")],
    "gtk3": ["/usr/bin/python3", str(DEMO / "gtk3_form.py")],
    "wx": ["/usr/bin/python3", str(DEMO / "wx_form.py")],
}


@pytest.fixture(scope="module", params=list(FORMS))
def app(request: pytest.FixtureRequest) -> Iterator[App]:
    with launch(FORMS[request.param], headless=True, size=(900, 700), default_timeout=20) as app:
        yield app


@pytest.fixture(autouse=True)
def _own_options(tmp_path: Path) -> Iterator[None]:
    before = vars(options).copy()
    options.__init__()  # type: ignore[misc] - back to the defaults
    expect.set_options(test_file=tmp_path / "test_form.py", output=tmp_path / "out")
    yield
    vars(options).update(before)


def test_one_description_matches_the_form_of_each_toolkit(app: App) -> None:
    app.locator("textfield[name=Name]").fill("Ada")
    app.get_by_role("checkbox", name="newsletter").check()

    expect(app).to_match_tree("""
      - window "Order form":
        - button "Zoom in"
        - tab "Person" [selected]
        - textfield "Name": Ada
        - textfield "Password"
        - combo-box "Country": France
        - button "Greet"
        - button "Send" [disabled]
    """)
    expect(app.get_by_role("group", name="Delivery")).to_match_tree("""
      - radio "Post" [checked=false]
      - radio /cour.er/i
    """)
    expect(app).to_match_tree('- checkbox "Send me the newsletter" [checked]')
    expect(app).not_.to_match_tree('- button "Greet"\n- textfield "Name"')
    expect(app).to_match_tree(app.tree_snapshot())


def test_a_failure_says_what_the_form_shows_instead(app: App) -> None:
    app.get_by_role("button", name="Greet").click()

    with pytest.raises(ExpectationFailed) as caught:
        expect(app).to_match_tree('- combo-box "Country": Kenya\n- button "Greet"', timeout=0.1)

    lines = str(caught.value).splitlines()
    assert '  - - combo-box "Country": Kenya' in lines
    assert '  + - combo-box "Country": France' in lines
    assert '    - button "Greet"' in lines


def test_a_screenshot_is_stored_once_and_compared_afterwards(app: App, tmp_path: Path) -> None:
    stored = tmp_path / "test_form.py-snapshots" / "buttons" / "greet.png"
    greet = app.get_by_role("button", name="Greet")

    with pytest.raises(ExpectationFailed, match="did not exist and was written"):
        expect(greet).to_have_screenshot("buttons/greet.png")
    with Image.open(stored) as image:
        bounds = greet.bounds()
        assert bounds is not None
        assert image.size == (bounds.width, bounds.height)
    expect(greet).to_have_screenshot("buttons/greet.png")
    with pytest.raises(ExpectationFailed, match="not look like"):
        expect(greet).not_.to_have_screenshot("buttons/greet.png", timeout=0)

    # The button Send is shown in grey, and another size is never the same.
    expect(app.get_by_role("button", name="Send")).not_.to_have_screenshot("buttons/greet.png")
    assert not (tmp_path / "out").exists()


def test_a_failed_comparison_leaves_what_was_expected_seen_and_different(app: App, tmp_path: Path) -> None:
    name, report = app.locator("textfield[name=Name]"), app.locator(REPORT)
    changing = [name, app.locator("status") if app.locator("status").count() else report]
    name.fill("Ada")
    expect(report).to_have_text("name Ada")
    expect.set_options(update_snapshots=True)
    expect(app).to_have_screenshot("form.png")
    expect(app).to_have_screenshot("masked.png", mask=changing)
    expect.set_options(update_snapshots=False)

    name.fill("Grace Hopper")
    expect(report).to_have_text("name Grace Hopper")
    expect(app).to_have_screenshot("masked.png", mask=changing)
    with pytest.raises(ExpectationFailed, match="pixels differ") as caught:
        expect(app).to_have_screenshot("form.png", timeout=0.5)

    out = tmp_path / "out"
    files = (out / "form-expected.png", out / "form-actual.png", out / "form-diff.png")
    assert caught.value.files == files
    assert all(str(file) in str(caught.value) for file in files)
    different = red_pixels(files[2])
    assert different
    areas = [area_in_window(app, locator) for locator in changing]
    assert not [point for point in different if not any(inside(point, area) for area in areas)]
    expect(app).to_have_screenshot("form.png", max_diff_pixels=len(different))
    expect(app).to_have_screenshot("form.png", max_diff_pixel_ratio=0.2)
    expect(app).to_have_screenshot("form.png", threshold=1)


def red_pixels(file: Path) -> list[tuple[int, int]]:
    with Image.open(file) as image:
        shown = image.convert("RGB")
    return [
        (x, y)
        for x in range(shown.width)
        for y in range(shown.height)
        if shown.getpixel((x, y)) == (255, 0, 0)
    ]


def area_in_window(app: App, locator: Locator) -> Rect:
    window, bounds = app.windows()[0].bounds, locator.bounds()
    assert window is not None
    assert bounds is not None
    return bounds.relative_to(window)


def inside(point: tuple[int, int], area: Rect) -> bool:
    return area.x <= point[0] < area.x + area.width and area.y <= point[1] < area.y + area.height


def test_held_modifiers_reach_the_form(app: App) -> None:
    name = app.locator("textfield[name=Name]")
    name.fill("abc")
    name.press("End")

    app.keyboard.down("Shift")
    name.press("ArrowLeft")
    name.press("ArrowLeft")
    app.keyboard.up("Shift")
    app.keyboard.type("x")
    expect(name).to_have_value("ax")
    app.keyboard.press("ControlOrMeta+a")
    app.keyboard.type("y")
    expect(name).to_have_value("y")
