"""An image editor: an export through the dialog of a plug-in, which is another process."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.traces import until

from .conversation import click, conversation, ref


def written(path: Path) -> tuple[str | None, tuple[int, int], str] | None:
    """The format, size and comment of an image that was written; None while there is none."""
    try:
        with Image.open(path) as image:
            image.load()
            return image.format, image.size, image.info["comment"].decode().rstrip("\0")
    except (OSError, KeyError):
        return None


@pytest.mark.heavy
@pytest.mark.programs
def test_gimp_exports_an_image_as_jpeg_with_a_comment(tmp_path: Path) -> None:
    image, exported = tmp_path / "in.png", tmp_path / "out.jpg"
    Image.new("RGB", (64, 48), (200, 30, 30)).save(image)
    with conversation("GIMP: export as JPEG", tmp_path, calls=8, tokens=5_000) as model:
        started = model.use("app_launch", command=["gimp", str(image)], timeoutMs=120_000)
        if "GIMP Startup" in started:
            model.use("ui_wait", until="closed", window="GIMP Startup", timeoutMs=120_000)
        entry = model.use("ui_query", selector={"text": "Export As"})
        files = model.perform(click(ref(entry, '"Export As..."')), timeoutMs=60_000)
        options = model.perform(
            {"type": "setText", "target": {"ref": ref(files, '"Name:"')}, "text": str(exported)},
            click(ref(files, "button ", '"Export"')),
            timeoutMs=60_000,
        )
        if "Export Image as JPEG" not in options:
            model.use("ui_wait", until="opened", window="Export Image as JPEG", timeoutMs=60_000)
            options = model.use("ui_get_snapshot")
        model.perform(
            {"type": "setText", "target": {"ref": ref(options, '"Quality:"')}, "text": "50"},
            {"type": "setText", "target": {"ref": ref(options, "editable-text")}, "text": "made by hand"},
            click(ref(options, "button ", '"Export"')),
            timeoutMs=60_000,
        )
        until(lambda: written(exported) == ("JPEG", (64, 48), "made by hand"))
    with Image.open(exported) as found:
        red, green, blue = found.convert("RGB").resize((1, 1)).tobytes()
    assert red > 180
    assert max(green, blue) < 50
