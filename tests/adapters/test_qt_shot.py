"""Screenshots, looked at pixel by pixel."""

import struct
import zlib

import pytest

from deskhand.model.errors import ScreenshotFailed
from tests.adapters.qt_stage.direct import STAGES, stage

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
    """The picture's size, and its pixels as rows of (red, green, blue)."""
    answer = form.shoot(on, tmp_path / "shot.png")
    width, height, rows = pixels((tmp_path / "shot.png").read_bytes())
    assert (width, height) == (answer["width"], answer["height"])
    assert answer["scale"] == form.scale
    return (width, height), rows


def pixels(png):
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8
    size = {2: 3, 6: 4}[kind]
    data, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, stride = zlib.decompress(data), width * size
    rows, before = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = bytearray(raw[start + 1 : start + 1 + stride])
        unfilter(raw[start], row, before, size)
        rows.append([tuple(row[x : x + 3]) for x in range(0, stride, size)])
        before = row
    return width, height, rows


def unfilter(kind, row, before, size):
    for x in range(len(row)):
        left = row[x - size] if x >= size else 0
        corner = before[x - size] if x >= size else 0
        up = before[x]
        guess = left + up - corner
        paeth = min((left, up, corner), key=lambda each: abs(guess - each))
        row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255


def test_a_window_is_shot_in_physical_pixels(form, tmp_path):
    width, height = form.ask("[form.width(), form.height()]")
    size, _ = shoot(form, "form", tmp_path)
    assert size == (width * form.scale, height * form.scale)


def test_a_node_is_cut_out_of_its_window(form, tmp_path):
    paint(form, "lazy", "#ff0000")
    width, height = form.ask("[form.lazy.width(), form.lazy.height()]")
    size, rows = shoot(form, "form.lazy", tmp_path)
    assert size == (width * form.scale, height * form.scale)
    assert {rows[1][1], rows[-2][-2]} == {(255, 0, 0)}


def test_what_overlaps_a_node_shows(form, tmp_path):
    form.ask("form.cover()")
    form.ask("form.lid.resize(form.push.width() // 2, form.push.height())")
    paint(form, "lid", "#0000ff")
    _, rows = shoot(form, "form.push", tmp_path)
    assert rows[5][5] == (0, 0, 255)
    assert rows[5][-5] != (0, 0, 255)


def test_an_open_popup_shows_in_the_picture_of_its_window(form, tmp_path):
    form.expand("form.combo")
    form.ask("form.combo.view().setStyleSheet('background: #00ff00; color: #00ff00')")
    form.ask("app.processEvents()")
    _, rows = shoot(form, "form", tmp_path)
    assert any((0, 255, 0) in row for row in rows)
    size, rows = shoot(form, "form.combo.view()", tmp_path)
    assert size[1] > 40
    assert any((0, 255, 0) in row for row in rows)
    form.expand("form.combo", expanded=False)


def test_a_cell_and_a_tab_can_be_shot(form, tmp_path):
    for on in ("item(form.table, 1, 1)", "Tab(form.tabs.tabBar(), 1)"):
        size, _ = shoot(form, on, tmp_path)
        assert min(size) > 10


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
