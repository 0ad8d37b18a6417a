"""The second way in for events, for platforms where the first is not to be had."""

import pytest

from tests.adapters.qt.stage.direct import STAGES, stage


@pytest.fixture(scope="module", params=STAGES, ids="-".join)
def theatre(request):
    with stage("widgets_form", *request.param) as director:
        director.ask("stage.use_qtest()")
        yield director


@pytest.fixture
def form(theatre):
    theatre.reset()
    theatre.journal  # noqa: B018 - asking for it empties it
    return theatre


def test_clicks_are_counted(form):
    form.click("form.canvas", count=3)
    form.click("form.canvas", modifiers=["shift"])
    words = [line.split()[0] for line in form.journal if line != "entered"]
    assert words == ["down", "up", "double", "up", "down", "up", "down", "up"]


def test_keys_type_and_fire_shortcuts(form):
    form.type_text("form.line", text="Aé日!", submit=True)
    assert form.ask("form.line.text()") == "Aé日!"
    form.key(keys="ctrl+s")
    form.key(keys="f5")
    assert form.journal[-2:] == ["saved", "refreshed"]


def test_the_wheel_and_drags_work(form):
    form.scroll("form.names", dy=3)
    assert form.ask("form.names.verticalScrollBar().value()") > 0
    form.drag("form.slider", "form.slider", to_x=80, to_y=10)
    assert form.ask("form.slider.value()") > 20


def test_menus_open_on_the_way(form):
    form.click("MenuEntry(form.recent, form.recent.actions()[0])")
    assert form.journal == ["opened a.txt"]
