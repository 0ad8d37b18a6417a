"""The slicer is driven by a client that knows nothing but the document: JSON-RPC over HTTP."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from demo.slicer import gcode, stl, tour
from demo.slicer.gl import COLOURS
from demo.slicer.model import PRINTERS
from demo.slicer.slice import OUTER_WALL
from deskhand import Desktop


@pytest.fixture(scope="module")
def desktop():
    with Desktop(size=(1160, 820)) as private:
        yield private


@pytest.fixture
def cube(tmp_path):
    path = tmp_path / "cube.stl"
    path.write_bytes(stl.binary(stl.box((20, 20, 20))))
    return path


def screenshot(client, method="screenshot.window", **params) -> Image.Image:
    answer = client.ask(method, **params)
    image = Image.open(io.BytesIO(base64.b64decode(answer["png_base64"]))).convert("RGB")
    assert image.size == (answer["width"], answer["height"])
    return image


def share_of(image: Image.Image, likes) -> float:
    """How much of an image has a colour like that."""
    colours = image.getcolors(image.width * image.height)
    return sum(count for count, colour in colours if likes(*colour)) / (image.width * image.height)


def teal(red, green, blue):
    return green > 1.5 * red and green > 60 and abs(green - blue) < 30


def orange(red, green, blue):
    wall = COLOURS[OUTER_WALL]
    return (
        red > 130
        and abs(green / red - wall[1] / wall[0]) < 0.05
        and abs(blue / red - wall[2] / wall[0]) < 0.05
    )


def enter(client, field: str, text: str, slider: str) -> None:
    """Type into a field of ImGui, and wait until the slider next to it shows the same."""
    client.wait_for({"id": field}, "visible")
    client.ask("input.type", target={"id": field}, text=text)
    client.ask("input.key", keys="enter")
    client.wait_for({"id": slider}, "value", value=text)


def complaint(client) -> str:
    """What the dialog says; wx puts each line of it into a label of its own."""
    dialog = client.ask("widget.get", target={"id": "dlg_error"})
    return " ".join(child["label"] for child in dialog["children"] if child["class"] == "StaticText")


def state_of(client):
    return client.ask("app.state")


def test_a_client_loads_moves_slices_previews_and_exports(desktop, cube, tmp_path):
    exported = tmp_path / "cube.gcode"
    with tour.slicer(desktop, cube, log=tmp_path / "log") as (client, process):
        state = client.until(lambda state: bool(state["project_loaded"]))
        assert state | {"foreground": True} == {
            "active_tab": "prepare",
            "project_loaded": True,
            "slicing": False,
            "slice_progress": -1,
            "foreground": True,
        }
        client.wait_for({"id": "ImGui/Move/X##slider"}, "value", value="110")
        tour.move(client)
        assert share_of(screenshot(client, target={"id": "canvas_3d"}), teal) > 0.002

        client.until(lambda state: bool(state["foreground"]))
        client.ask("input.click", target={"id": "combo_filament"})
        client.wait_for({"label": "TPU"}, "visible")
        assert state_of(client)["foreground"] is True, "its list belongs to it"
        for key in ("down", "enter"):
            client.ask("input.key", keys=key)
        client.wait_for({"id": "combo_filament"}, "value", value="PETG")

        tour.slice_it(client)
        assert state_of(client)["slice_progress"] == 100
        assert state_of(client)["active_tab"] == "preview"
        client.wait_for({"id": "ImGui/Preview/Layer##slider"}, "value", value="100")
        assert share_of(screenshot(client, "screenshot.viewport3d", width=400, height=300), orange) > 0.002

        tour.export(client, exported)
        client.ask("input.click", target={"id": "btn_export"})
        client.until(lambda state: state.get("modal_dialog") == "Export G-code")
        tour.name_file(client, exported)
        # It asks whether to replace the file, in a dialog without a title, and that is the one in front.
        client.until(lambda state: state.get("modal_dialog") == "GtkMessageDialog")
        client.ask("input.click", target={"label": "Replace"})
        client.until(lambda state: "modal_dialog" not in state)
        assert tour.close(client, process) == 0
    assert "\nM109 S240\n" in exported.read_text()
    drawn = gcode.read(exported.read_text())
    assert drawn.low == pytest.approx([50.225, 65.225, 0.2], abs=0.002)
    assert drawn.high == pytest.approx([69.775, 84.775, 20], abs=0.002)


def test_an_error_is_shown_in_a_dialog_or_returned_to_the_caller(desktop, cube, tmp_path):
    broken = tmp_path / "broken.stl"
    broken.write_bytes(cube.read_bytes()[:300])
    with tour.slicer(desktop, broken, log=tmp_path / "log") as (client, _):
        # A model that is named at the start and cannot be used is complained of.
        client.until(lambda state: state.get("modal_dialog") == "Cannot open the model")
        assert state_of(client)["project_loaded"] is False
        assert "announces 12 facets and ends after 4" in complaint(client)
        client.ask("input.click", target={"class": "Button", "label": "OK"})
        client.until(lambda state: "modal_dialog" not in state)
        with pytest.raises(tour.Refused) as refused:
            client.ask("input.click", target={"id": "btn_slice"})
        assert refused.value.code == 1002

        # The caller that asked for the model gets the error, without a dialog.
        with pytest.raises(tour.Refused, match=r"1007: .*broken\.stl"):
            client.ask("file.open", paths=[str(broken)])
        assert "modal_dialog" not in state_of(client)
        assert client.ask("file.open", paths=[str(cube)]) == {"ok": True, "loaded": 1}
        assert state_of(client)["project_loaded"] is True

        # What reaches over the plate is not sliced.
        enter(client, "ImGui/Move/mm##X", "5", "ImGui/Move/X##slider")
        client.ask("input.click", target={"id": "btn_slice"})
        client.until(lambda state: state.get("modal_dialog") == "Cannot slice")
        assert "in x it reaches from -5.0 to 15.0 mm" in complaint(client)
        with pytest.raises(tour.Refused, match=r"1002: .*Cannot slice"):  # the dialog is in front of it
            client.ask("input.click", target={"id": "btn_slice"})
        client.ask("input.key", keys="enter")
        client.until(lambda state: "modal_dialog" not in state)
        client.ask("input.click", target={"id": "ImGui/Move/Reset"})
        client.wait_for({"id": "ImGui/Move/X##slider"}, "value", value="110")

        # What was sliced is no longer true once something changes.
        client.ask("input.click", target={"id": "btn_slice"})
        client.wait_for({"id": "btn_export"}, "enabled")
        assert client.ask("view.select", view="prepare")["view"] == "prepare"
        client.wait_for({"id": "ImGui/Scale/Uniform"}, "visible")
        client.ask("input.click", target={"id": "ImGui/Scale/Uniform"})
        enter(client, "ImGui/Scale/%##Z", "50", "ImGui/Scale/Z##slider")
        assert client.ask("widget.get", target={"id": "ImGui/Scale/X##slider"})["value"] == "100"
        assert client.ask("widget.get", target={"id": "btn_export"})["enabled"] is False
        assert state_of(client)["slice_progress"] == -1

        # A slicing that takes its time can be given up.
        client.ask("input.click", target={"id": "ImGui/Scale/Uniform"})
        enter(client, "ImGui/Scale/%##X", "1000", "ImGui/Scale/Z##slider")
        client.ask("input.click", target={"id": "btn_slice"})
        assert state_of(client)["slicing"] is True
        cancel = {"id": "cancel"}
        # Drawn without a graphics card, one frame may take seconds of a busy machine; then it is tried again.
        tour.until(lambda: not state_of(client)["slicing"] or client.ask("input.click", target=cancel), 60)
        state = client.until(lambda state: not state["slicing"])
        assert (state["slice_progress"], state["active_tab"]) == (-1, "prepare")

        with pytest.raises(tour.Refused, match="1001"):
            client.ask("view.select", view="calibration")
        client.ask("input.click", target={"id": "tab_device"})
        assert state_of(client)["active_tab"] == "device"
        assert PRINTERS[0].name in client.ask("widget.get", target={"id": "connection"})["label"]
