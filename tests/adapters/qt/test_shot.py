"""Screenshots, and the colours in them."""

import struct

import pytest

from deskhand.model.errors import ScreenshotFailed
from tests.adapters.qt.stage.direct import STAGES, stage

SHOTS = [(*each, scale) for each in STAGES for scale in ("1", "2")]


@pytest.fixture(scope="module", params=SHOTS, ids="-".join)
def theatre(request):
    binding, platform, scale = request.param
    with stage("widgets_form", binding, platform, QT_SCALE_FACTOR=scale) as director:
        director.scale = int(scale)
        yield director


@pytest.fixture
def form(theatre):
    return theatre.reset()


def paint(form, name, colour):
    form.ask(f"form.{name}.setStyleSheet('background: {colour}; border: none; color: {colour}')")
    form.ask("app.processEvents()")


def shoot(form, on, tmp_path):
    """The screenshot's size according to the header of its file; `colour` reads its pixels."""
    form.last_shot = tmp_path / "shot.png"
    answer = form.shoot(on, form.last_shot)
    png = form.last_shot.read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    size = struct.unpack(">II", png[16:24])
    assert size == (answer["width"], answer["height"])
    assert answer["scale"] == form.scale
    return size


def colour(form, x, y):
    """The colour of a physical pixel of the last screenshot; from the far end if negative."""
    image = f"QtGui.QImage({str(form.last_shot)!r})"
    across = x if x >= 0 else f"{image}.width() - {-x}"
    down = y if y >= 0 else f"{image}.height() - {-y}"
    return form.ask(f"{image}.pixelColor({across}, {down}).name()")


def test_a_window_is_shot_in_physical_pixels(form, tmp_path):
    width, height = form.ask("[form.width(), form.height()]")
    assert shoot(form, "form", tmp_path) == (width * form.scale, height * form.scale)


def test_a_node_is_cut_out_of_its_window(form, tmp_path):
    paint(form, "lazy", "#ff0000")
    width, height = form.ask("[form.lazy.width(), form.lazy.height()]")
    assert shoot(form, "form.lazy", tmp_path) == (width * form.scale, height * form.scale)
    assert {colour(form, 1, 1), colour(form, -2, -2)} == {"#ff0000"}


def test_what_overlaps_a_node_shows(form, tmp_path):
    form.ask("form.cover()")
    form.ask("form.lid.resize(form.push.width() // 2, form.push.height())")
    paint(form, "lid", "#0000ff")
    shoot(form, "form.push", tmp_path)
    assert colour(form, 5, 5) == "#0000ff"
    assert colour(form, -5, 5) != "#0000ff"


def test_an_open_popup_shows_in_the_screenshot_of_its_window(form, tmp_path):
    form.expand("form.combo")
    form.ask("form.combo.view().setStyleSheet('background: #00ff00; color: #00ff00')")
    form.ask("app.processEvents()")
    shoot(form, "form", tmp_path)
    middle = "form.mapFromGlobal(form.combo.view().mapToGlobal(form.combo.view().rect().center()))"
    x, y = form.ask(f"[{middle}.x(), {middle}.y()]")
    assert colour(form, x * form.scale, y * form.scale) == "#00ff00"
    assert shoot(form, "form.combo.view()", tmp_path)[1] > 40
    assert colour(form, -3, -3) == "#00ff00"
    form.expand("form.combo", expanded=False)


def test_a_cell_and_a_tab_can_be_shot(form, tmp_path):
    for on in ("item(form.table, 1, 1)", "Tab(form.tabs.tabBar(), 1)"):
        assert min(shoot(form, on, tmp_path)) > 10


def test_what_cannot_be_seen_cannot_be_shot(form, tmp_path):
    with pytest.raises(ScreenshotFailed, match='nothing of button "Far" shows'):
        form.shoot("form.far", tmp_path / "x.png")
    form.ask("form.lazy.hide()")
    with pytest.raises(ScreenshotFailed, match="is hidden"):
        form.shoot("form.lazy", tmp_path / "x.png")
    form.control_window("form", do="minimize")
    with pytest.raises(ScreenshotFailed, match="minimized"):
        form.shoot("form", tmp_path / "x.png")
    form.control_window("form", do="restore")
    form.ask("form.hide()")
    with pytest.raises(ScreenshotFailed, match="hidden"):
        form.shoot("form", tmp_path / "x.png")


def test_the_wheel_turns_where_it_was_aimed_at_every_scale(form):
    form.scroll("form.names", dy=3)
    assert form.ask("form.names.verticalScrollBar().value()") > 0
