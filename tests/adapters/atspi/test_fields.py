"""Combo boxes to write in, and fields for dates, as their programs see what was written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deskhand import Desktop
from deskhand.adapters.atspi import dates
from deskhand.adapters.atspi.dates import Moment
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, InvalidParams, OptionNotFound
from tests.adapters.atspi.conftest import Running, Start
from tests.adapters.atspi.test_menus import until

HERE = Path(__file__).parent
_NAMES = ("Colour", "German", "American", "Named", "Iso", "Moment", "Late")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture(params=["PySide6", "PyQt5"])
def fields(request: pytest.FixtureRequest, start: Start, log: Path) -> Running:
    python = "/usr/bin/python3" if request.param == "PyQt5" else sys.executable
    return start(python, str(HERE / "qt_fields.py"), request.param, str(log), until="combo-box")


def last(log: Path) -> str:
    return log.read_text().splitlines()[-1] if log.exists() and log.read_text() else ""


def holds(log: Path, name: str, value: str) -> None:
    """Wait until a field of the program holds a value."""
    until(lambda: last(log).split()[_NAMES.index(name)] == value, f"{name} should hold {value}: {log}")


@pytest.mark.parametrize("kit", ["gtk3", "gtk4", "PySide6", "PyQt5"])
def test_a_combo_box_to_write_in_takes_text_like_its_field(start: Start, log: Path, kit: str) -> None:
    if kit.startswith("gtk"):
        argv = (sys.executable, str(HERE / "gtk_fields.py"), f"{kit[-1]}.0", str(log))
    else:
        python = "/usr/bin/python3" if kit == "PyQt5" else sys.executable
        argv = (python, str(HERE / "qt_fields.py"), kit, str(log))
    app = start(*argv, until="combo-box").app
    combo = app.locator("combo-box")

    def shows(text: str) -> bool:
        return last(log).split(" ")[0] == text

    combo.fill("Mauve")
    until(lambda: shows("Mauve"), "filled")
    combo.type("X")
    until(lambda: shows("MauveX"), "typed behind it")
    combo.set_value("Teal")
    until(lambda: shows("Teal"), "set")
    assert combo.get().editable
    assert combo.get().value == "Teal"
    if kit != "gtk4":  # which does not say what such a combo box offers
        combo.select_option("Blue")
        until(lambda: shows("Blue"), "chosen")
        combo.select_option("Red")
        until(lambda: shows("Red"), "chosen")


def test_list_of_a_gtk_4_combo_box_to_write_in_is_where_it_is_shown(
    start: Start, desktop: Desktop, log: Path
) -> None:
    argv = (sys.executable, str(HERE / "gtk_fields.py"), "4.0", str(log))
    running = start(*argv, until="combo-box")
    with pytest.raises(OptionNotFound, match="does not say which options it has"):
        running.app.locator("combo-box").select_option("Green")
    running.app.locator("combo-box >> button").click()
    running.app.wait_idle()
    rows = [node for node in running.adapter.read(timeout=20) if node.role == "group" and node.focusable]
    assert len(rows) == 3
    bounds = rows[1].bounds
    assert bounds is not None
    x, y = (str(round(one)) for one in bounds.center)
    subprocess.run(
        ["xdotool", "mousemove", x, y, "click", "1"], env=dict(desktop.env), check=True, timeout=20
    )
    until(lambda: last(log) == "Green", "the second row is where it is said to be")


@pytest.mark.parametrize("value", ["2026-11-18", "2026-05-06", "2026-06-05"])
def test_a_date_is_written_into_fields_of_any_format(fields: Running, log: Path, value: str) -> None:
    for name in ("German", "American", "Named", "Iso"):
        fields.app.run(ops.SetValue(f'spin-button[name="{name}"]', value=value))
        holds(log, name, value)
    fields.app.locator('spin-button[name="German"]').fill("2024-02-29")
    holds(log, "German", "2024-02-29")


def test_a_date_leaves_the_time_beside_it_unless_that_is_given(fields: Running, log: Path) -> None:
    moment = 'spin-button[name="Moment"]'
    for value, held in (
        ("2026-11-18", "2026-11-18T03:04"),
        ("13:45", "2026-11-18T13:45"),
        ("2025-12-24T18:00", "2025-12-24T18:00"),
    ):
        fields.app.run(ops.SetValue(moment, value=value))
        holds(log, "Moment", held)


def test_a_date_that_a_field_does_not_take_is_an_error(fields: Running, log: Path) -> None:
    with pytest.raises(ActionFailed, match="did not take"):
        fields.app.run(ops.SetValue('spin-button[name="Late"]', value="2026-11-18"))
    with pytest.raises(ActionFailed, match="did not take 'tomorrow'; it still holds"):
        fields.app.run(ops.SetValue('spin-button[name="German"]', value="tomorrow"))
    with pytest.raises(InvalidParams, match="day is out of range"):
        fields.app.run(ops.SetValue('spin-button[name="German"]', value="2026-02-31"))
    holds(log, "Late", "2020-01-02")
    holds(log, "German", "2020-01-02")


def test_the_value_of_a_date_is_what_it_shows(fields: Running) -> None:
    assert fields.app.locator('spin-button[name="German"]').get().value == "02.01.2020"


_PAGE = """<title>Dates</title>
<label>Day <input type=date id=day></label>
<label>Moment <input type=datetime-local id=moment></label>
<label>Time <input type=time id=time></label>
<p id=held>none</p>
<script>
addEventListener("input", () => { held.textContent = `${day.value}|${moment.value}|${time.value}` })
</script>
"""


def test_dates_of_a_web_page_are_set_and_read_as_iso(start: Start, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(_PAGE)
    running = start(
        "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--force-renderer-accessibility",
        f"--user-data-dir={tmp_path / 'profile'}", page.as_uri(),
        until='date-picker[name="Time"]', timeout=60, name="Chromium",
    )  # fmt: skip
    app = running.app
    for name, value, held in (
        ("Day", "2026-11-18", "2026-11-18||"),
        ("Moment", "2025-12-24T18:05", "2026-11-18|2025-12-24T18:05|"),
        ("Time", "07:08", "2026-11-18|2025-12-24T18:05|07:08"),
    ):
        app.locator(f'date-picker[name="{name}"]').set_value(value)
        assert running.shows(held), f"{name} was not set"
        assert app.locator(f'date-picker[name="{name}"]').get().value == value
    app.locator('date-picker[name="Day"]').fill("2024-02-29")
    assert running.shows("2024-02-29|2025-12-24T18:05|07:08")
    with pytest.raises(InvalidParams, match="needs a date"):
        app.locator('date-picker[name="Day"]').set_value("tomorrow")


@pytest.mark.parametrize("shown", ["7", "1.5", "12 %", "Monday", "1.2.3.4"])
def test_what_shows_no_date_is_not_taken_for_one(shown: str) -> None:
    assert dates.orders(shown) == []


@pytest.mark.parametrize(
    ("shown", "orders", "written"),
    [
        ("02.01.2020", ["dmy", "mdy"], "18.11.2026"),
        ("25.01.2020", ["dmy"], "18.11.2026"),
        ("1/2/20", ["dmy", "mdy"], "18/11/26"),
        ("2020-01-02", ["ymd"], "2026-11-18"),
        ("20-01-02", ["dmy", "ymd"], "18-11-26"),
        ("2 Jan 2020", ["dmy"], "18 Nov 2026"),
        ("Thu, January 2, 2020", ["mdy"], "Wed, November 18, 2026"),
        ("02.01.2020 03:04", ["dmy", "mdy"], "18.11.2026 13:05"),
        ("1/2/20 3:04 AM", ["dmy", "mdy"], "18/11/26 1:05 PM"),
        ("03:04:05", ["-"], "13:05:00"),
    ],
)  # fmt: skip
def test_a_moment_is_written_as_a_field_shows_it(shown: str, orders: list[str], written: str) -> None:
    moment = dates.parse("2026-11-18T13:05")
    assert moment is not None
    assert dates.orders(shown) == orders
    text = dates.text_of(shown, orders[0], moment)
    assert text == written
    held = moment if dates.has_time(shown) else Moment(moment.date)
    assert dates.shows(text, orders[0], held if orders != ["-"] else Moment(None, moment.time))
    assert not dates.shows(shown, orders[0], held)


PANE = """if 1:
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk
    pane = Gtk.Paned(position=50)
    pane.pack1(Gtk.Label(label="left", width_request=20), True, False)
    pane.pack2(Gtk.Label(label="right", width_request=100), True, False)
    window = Gtk.Window(title="Pane", default_width=300, default_height=100)
    window.add(pane)
    window.show_all()
    Gtk.main()
"""


def test_pane_that_limits_its_position_says_which_it_took(start: Start) -> None:
    running = start("/usr/bin/python3", "-c", PANE, until="splitter")
    pane = running.app.locator("splitter")
    assert pane.set_value("80").detail == "through accessibility"
    detail = pane.set_value("290").detail
    limit = running.app.locator("splitter").get().number
    assert limit is not None
    assert limit < 290
    assert detail == f"through accessibility; it holds {limit:g}"
