"""Programs whose widgets have a `model`, `menu`, `text` or `window` of their own are driven all the same."""

from __future__ import annotations

import pytest

from tests.adapters.qt.scene.program import BINDINGS, PLATFORMS, program


@pytest.fixture(scope="module", params=[(b, p) for b in BINDINGS for p in PLATFORMS], ids="-".join)
def app(request):
    with program("own_words", *request.param) as app:
        yield app


# One after another: what some of them find, others before them have left.
ACTIONS = (
    ("action_Open", "Press('x')", ["chose Open"]),
    ("action_Open", "Click('x')", ["chose Open"]),
    ("File", "Select('x', text='Open')", ["chose Open"]),
    ("action_Detail", "Click('x')", ["chose Detail"]),
    ("more", "Expand('x', expanded=True)", []),
    ("more", "Expand('x', expanded=False)", []),
    ("tick", "Click('x')", ["tick True"]),
    ("tick", "SetChecked('x', checked=False)", ["tick False"]),
    ("box", "Click('x')", ["box True"]),
    ("box", "Select('x', text='One')", ["one"]),
    ("link", "Press('x')", ["link there"]),
    ("line", "SetValue('x', value='ink')", ["line ink"]),
    ("line", "TypeText('x', text='y')", ["line inky"]),
    ("edit", "SetValue('x', value='words')", []),
    ("spin", "SetValue('x', value='7')", ["spin 7"]),
    ("slider", "SetValue('x', value='9')", ["slider 9"]),
    ("slider", "Drag('x', to_x=0, to_y=0)", ["slider 99"]),
    ("date", "SetValue('x', value='2024-05-31')", ["date 2024-05-31"]),
    ("combo", "Select('x', text='blue')", ["combo blue"]),
    ("combo", "Expand('x', expanded=True)", []),
    ("combo", "Expand('x', expanded=False)", []),
    ("tabs", "Select('x', text='second')", ["tab 1"]),
    ("first", "Press('x')", ["tab 0"]),
    ("second", "Click('x')", ["tab 1"]),
    ("table", "Select('x', text='row 40')", ["clicked 40"]),
    ("table", "Scroll('x', row=3)", []),
    ("row 3", "SetValue('x', value='three')", ["cell 3 three"]),
    ("three", "Click('x')", ["clicked 3"]),
    ("2", "Click('x')", []),
    ("far", "Click('x')", ["far"]),
    ("drawn", "SetValue('x', value='painted')", ["drawn painted"]),
    ("drawn", "Click('x')", []),
    ("window", "ControlWindow('x', do='resize', width=500, height=700)", []),
)


def act(app, name, action):
    """Perform an action on the node of that automation id or name; what the program then says."""
    app.here(
        f"""
from deskhand.model import operations as ops
wanted = next(node for node in adapter.read(timeout=10) if {name!r} in (node.automation_id, node.name))
if wanted.offscreen:
    adapter.perform(ops.Scroll(into_view=True), wanted.uid, None, timeout=10)
adapter.perform(ops.{action}, wanted.uid, None, timeout=10)
"""
    )
    app.idle()
    said = app.ask("list(form.journal)")
    app.do("form.journal.clear()")
    return said


def test_every_action_reaches_widgets_that_took_qts_words(app):
    found = [(name, action, act(app, name, action)) for name, action, _ in ACTIONS]
    assert found == list(ACTIONS)
    assert app.ask("form.findChild(QtWidgets.QTextEdit).toPlainText()") == "words"
    assert app.ask("[QtWidgets.QWidget.width(form), QtWidgets.QWidget.height(form)]") == [500, 700]


def test_its_window_is_photographed(app):
    wide = app.ask("QtWidgets.QWidget.width(form)")
    assert app.here("answer = adapter.screenshot(None, timeout=10).width") == wide
