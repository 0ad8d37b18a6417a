"""Screenshots as expectations, with an app that shows one colour after another."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from deskhand import App, aio, expect
from deskhand.client import ExpectationFailed
from deskhand.client.options import options
from deskhand.model.errors import ActionUnsupported, InvalidParams, NotFound
from deskhand.model.node import Image, Node, Rect
from deskhand.model.operations import Find, Get, ListWindows, Operation, Screenshot


class Camera:
    """A link to an app that shows these colours, one in each screenshot, and goes on with the last."""

    address = "here"

    def __init__(self, *colours: str, size: tuple[int, int] = (20, 10)) -> None:
        self.colours = list(colours)
        self.size = size
        self.shots = 0

    def run(self, operation: Operation[Any]) -> Any:
        match operation:
            case Screenshot():
                self.shots += 1
                if not self.colours:
                    raise NotFound("nothing matches", target=operation.target)
                colour = self.colours.pop(0) if len(self.colours) > 1 else self.colours[0]
                return Image(png(colour, self.size), *self.size)
            case Get():
                return Node(bounds=Rect(100, 100, *self.size))
            case Find():
                return (Node(bounds=Rect(105, 102, 5, 4)), Node(visible=False, bounds=Rect(100, 100, 5, 4)))
            case ListWindows():
                return ()
        raise AssertionError(operation)

    def close(self) -> None: ...


class AsyncCamera(Camera):
    async def run(self, operation: Operation[Any]) -> Any:
        return super().run(operation)

    async def close(self) -> None: ...


def png(colour: str, size: tuple[int, int] = (20, 10)) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder that screenshots are stored in."""
    before = vars(options).copy()
    options.__init__()  # type: ignore[misc] - back to the defaults
    expect.set_options(test_file=tmp_path / "test_form.py", output=tmp_path / "out")
    yield tmp_path / "test_form.py-snapshots"
    vars(options).update(before)


@pytest.fixture
def stored(folder: Path) -> Path:
    """A stored screenshot that is blue."""
    folder.mkdir()
    (folder / "a.png").write_bytes(png("blue"))
    return folder / "a.png"


def colour_of(file: Path, at: tuple[int, int] = (0, 0)) -> Any:
    with Pillow.open(file) as image:
        return image.convert("RGB").getpixel(at)


def test_a_new_screenshot_is_stored_when_two_in_a_row_are_the_same(folder: Path) -> None:
    camera = Camera("red", "green", "blue", "blue", "yellow")

    with pytest.raises(ExpectationFailed, match="did not exist and was written"):
        expect(App(camera, timeout=30).locator("button")).to_have_screenshot("a.png")

    assert colour_of(folder / "a.png") == (0, 0, 255)
    assert camera.shots == 4


def test_an_app_that_keeps_changing_stores_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.client._sync.expect.TIMEOUT", 0.3)
    camera = Camera(*["red", "blue"] * 100)

    with pytest.raises(ExpectationFailed, match="no two screenshots in a row were the same"):
        expect(App(camera, timeout=0)).to_have_screenshot("a.png")

    assert not folder.exists()


def test_a_screenshot_that_is_as_stored_passes_at_once(stored: Path) -> None:
    camera = Camera("blue", "red")

    expect(App(camera)).to_have_screenshot("a.png")

    assert camera.shots == 1


def test_a_screenshot_that_becomes_as_stored_is_waited_for(stored: Path) -> None:
    expect(App(Camera("red", "red", "red", "blue"), timeout=30)).to_have_screenshot("a.png")


def test_a_different_screenshot_fails_and_the_stored_one_stays(stored: Path, tmp_path: Path) -> None:
    with pytest.raises(ExpectationFailed, match=r"200 pixels differ \(100\.00%\); 0 may") as caught:
        expect(App(Camera("red"), timeout=0.2)).to_have_screenshot("a.png")

    expected, actual, diff = caught.value.files
    assert expected == tmp_path / "out" / "a-expected.png"
    assert (colour_of(expected), colour_of(actual)) == ((0, 0, 255), (255, 0, 0))
    assert colour_of(diff) == (255, 0, 0)
    assert colour_of(stored) == (0, 0, 255)


def test_another_size_fails_whatever_may_differ(stored: Path) -> None:
    with pytest.raises(ExpectationFailed, match="it is 21 × 10 pixels, and 20 × 10 were expected"):
        expect(App(Camera("blue", size=(21, 10)), timeout=0)).to_have_screenshot(
            "a.png", max_diff_pixels=10_000
        )


def test_the_stored_one_is_written_anew_with_update_snapshots(stored: Path, folder: Path) -> None:
    expect.set_options(update_snapshots=True)

    expect(App(Camera("red"), timeout=30)).to_have_screenshot("a.png")
    expect(App(Camera("green"), timeout=30)).to_have_screenshot("b.png")

    assert colour_of(stored) == (255, 0, 0)
    assert colour_of(folder / "b.png") == (0, 128, 0)


def test_masked_elements_are_painted_over(folder: Path) -> None:
    expect.set_options(update_snapshots=True)
    app = App(Camera("blue"), timeout=30)

    expect(app.locator("button")).to_have_screenshot(
        "a.png", mask=[app.locator("text")], mask_color="#00ff00"
    )

    assert colour_of(folder / "a.png", (5, 2)) == colour_of(folder / "a.png", (9, 5)) == (0, 255, 0)
    assert colour_of(folder / "a.png", (4, 2)) == colour_of(folder / "a.png", (10, 5)) == (0, 0, 255)


def test_an_element_that_is_not_found_fails(stored: Path) -> None:
    with pytest.raises(ExpectationFailed, match="nothing matches"):
        expect(App(Camera(), timeout=0).locator("button")).to_have_screenshot("a.png")


def test_the_opposite_waits_until_it_differs(stored: Path) -> None:
    expect(App(Camera("blue", "blue", "red"), timeout=30)).not_.to_have_screenshot("a.png")
    with pytest.raises(InvalidParams, match="does not exist"):
        expect(App(Camera("blue"))).not_.to_have_screenshot("b.png")


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("a", {}, "such as 'greeting.png'"),
        ("../a.png", {}, "such as 'greeting.png'"),
        ("a.png", {"threshold": 2}, "'threshold' is from 0 to 1"),
        ("a.png", {"max_diff_pixels": -1}, "0 or more"),
        ("a.png", {"max_diff_pixel_ratio": 50}, "from 0 to 1"),
    ],
)
def test_wrong_arguments_are_refused(name: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        expect(App(Camera("blue"))).to_have_screenshot(name, **given)


def test_a_stored_file_that_is_not_an_image_is_named(stored: Path) -> None:
    stored.write_text("no image")

    with pytest.raises(InvalidParams, match=r"a\.png is not a PNG"):
        expect(App(Camera("blue"))).to_have_screenshot("a.png")


def test_without_pillow_the_error_names_the_extra(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)

    with pytest.raises(ActionUnsupported) as caught:
        expect(App(Camera("blue"))).to_have_screenshot("a.png")

    assert "deskhand[screenshots]" in caught.value.suggestions[0]


def test_soft_and_async_screenshots_work_alike(stored: Path, folder: Path) -> None:
    async def main() -> None:
        app = aio.App(AsyncCamera("red", "red", "blue"), timeout=30)
        await aio.expect(app).to_have_screenshot("a.png")
        app = aio.App(AsyncCamera("red"), timeout=0)
        await aio.expect.soft(app).to_have_screenshot("a.png")

    expect.take_soft()
    asyncio.run(main())
    (failure,) = expect.take_soft()
    assert isinstance(failure, ExpectationFailed)
    assert len(failure.files) == 3
