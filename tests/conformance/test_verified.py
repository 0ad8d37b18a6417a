"""The forms of demo/ with every read compared with cold ones, while they are used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from demo.forms import FORMS, HERE, command
from deskhand import App, expect, launch
from deskhand.model.errors import WrongRead
from deskhand.model.verified import VARIABLE

VERIFIED = {way.name: command(way) for way in FORMS.values() if way.verified}


@pytest.fixture(params=VERIFIED)
def app(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setenv(VARIABLE, "1")
    with ExitStack() as stack:
        yield stack.enter_context(launch(VERIFIED[request.param], headless=True, default_timeout=30))


def test_every_read_is_what_a_cold_read_gives_while_a_form_is_used(app: App) -> None:
    def reads() -> None:
        """Of everything, from what is kept; and again, when all of it is kept."""
        for _ in range(2):
            app.tree()
            app.tree(internals=True)
        for window in app.windows():
            app.locator(f"uid={window.uid}").tree()

    reads()
    app.get_by_label("Name").first.fill("Ada")
    reads()
    app.get_by_role("checkbox", name="newsletter").check()
    reads()
    app.get_by_role("button", name="Greet").click()
    expect(app.get_by_text("Hello, Ada!").first).to_be_visible()
    reads()
    app.get_by_role("button", name="Load later").click()
    expect(app.get_by_role("button", name="Hidden hint")).to_be_visible()
    reads()
    app.get_by_role("button", name="Place order").click()
    dialog = app.get_by_role("dialog", name="Confirm")
    expect(dialog).to_be_visible()
    reads()
    dialog.get_by_role("button", name="Yes").click()
    expect(app.get_by_text("ordered", exact=True).first).to_be_visible()
    reads()


_DOCTORED = """
from deskhand.adapters.qt.adapter import QtAdapter
kept = {}
real = QtAdapter.read
def stale(self, root=None, **how):
    key = (root, *(how.get(name) for name in ("depth", "details", "internals")))
    return kept.setdefault(key, real(self, root, **how))
QtAdapter.read = stale
"""


def test_a_stale_read_inside_an_app_reaches_its_test_as_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    form = tmp_path / "doctored.py"
    form.write_text(
        f"import runpy, sys\nsys.path.insert(0, {str(HERE.parent)!r})\n{_DOCTORED}\n"
        f"sys.argv = [{str(HERE / 'qt_form.py')!r}]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    with launch([sys.executable, str(form)], headless=True, default_timeout=30) as app:
        app.tree()

        def use() -> None:
            app.locator("#name").fill("Ada")
            app.tree()

        with pytest.raises(WrongRead) as caught:
            use()
    assert caught.value.details["differences"]


def test_an_entry_of_a_menu_bar_is_in_its_menu_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with launch(VERIFIED["javafx"], headless=True, default_timeout=30) as app:
        tree = app.tree(internals=True)
        entry, *others = [node for node in tree if node.name == "Show grid"]
        assert not others
        menu = tree.get(entry.parent)
        assert menu is not None
        assert (menu.role, menu.name) == ("menu", "View")
        app.locator('menu-item-checkbox[name="Show grid"]').click()
        expect(app.get_by_text("grid True", exact=True).first).to_be_visible()
