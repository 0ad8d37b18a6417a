"""Trees, screenshots and held keys on the forms of three toolkits, each of which runs once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, expect, launch
from deskhand.client import ExpectationFailed
from deskhand.client.options import options

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
