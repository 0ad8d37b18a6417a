"""Videos of a private desktop: captions, marks, an end at any time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand import App, Desktop, launch
from deskhand.model.errors import ActionFailed, ActionUnsupported
from deskhand.video import Film, film
from deskhand.video.drawing import STRIP, ring, strip

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="PyAV 18 needs Python 3.11")
SIZE = (640, 400)
RED = (212, 20, 60)


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop(size=SIZE) as desktop:
        yield desktop


@pytest.fixture
def app(desktop: Desktop, tmp_path: Path) -> Iterator[App]:
    form = [sys.executable, "tests/audit/tk_faults.py", "--fixed"]
    with launch(form, desktop=desktop, video=tmp_path / "form.webm") as app:
        yield app


def frames(path: Path) -> list[Any]:
    """The frames of a video, as images, with when each is shown."""
    import av

    with av.open(str(path)) as video:
        stream = video.streams.video[0]
        assert (stream.width, stream.height) == (SIZE[0], SIZE[1] + STRIP)
        assert stream.codec_context.name == "vp8"
        return [(frame.time, frame.to_image()) for frame in video.decode(stream)]


def is_near(colour: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(abs(one - other) < 60 for one, other in zip(colour, wanted, strict=True))


def test_a_click_is_captioned_and_marked_where_it_was(app: App, tmp_path: Path) -> None:
    clicked = app.locator("#done").click()
    app.wait_idle()
    app.close()

    assert clicked.point is not None
    x, y = map(round, clicked.point)
    shown = [image for _, image in frames(tmp_path / "form.webm")]
    assert any(is_near(image.getpixel((x, y)), RED) for image in shown)
    captions = [image.crop((0, SIZE[1], SIZE[0], SIZE[1] + STRIP)).convert("L") for image in shown]
    assert any(caption.getextrema()[1] > 200 for caption in captions)


def test_what_is_typed_is_in_no_caption(desktop: Desktop, tmp_path: Path) -> None:
    from deskhand.model import operations as ops

    with Film(tmp_path / "typed.webm", desktop.env) as recorded:
        said: list[str] = []
        recorded.caption = said.append  # type: ignore[method-assign]  # to see them all
        recorded.begin(ops.TypeText("#password", text="secret"))
        recorded.begin(ops.SetValue("#password", value="secret"))
        recorded.begin(ops.Key("#password", keys="s"))
        recorded.begin(ops.ReadTree())

    assert said == ["type text #password", "set value #password", "key #password"]


def test_the_file_is_complete_however_soon_it_is_stopped(desktop: Desktop, tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.webm"
        recorded = Film(path, desktop.env)
        threads = [threading.Thread(target=recorded.stop) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert recorded.stop() == path
        assert len(frames(path)) >= 1
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".webm"] * 5


def test_a_discarded_video_leaves_nothing(desktop: Desktop, tmp_path: Path) -> None:
    recorded = Film(tmp_path / "gone.webm", desktop.env)

    assert recorded.stop(discard=True) is None
    assert list(tmp_path.iterdir()) == []


def test_the_video_of_a_desktop_that_ends_is_kept(tmp_path: Path) -> None:
    with Desktop(size=SIZE) as desktop:
        recorded = Film(tmp_path / "ended.webm", desktop.env)
    threading.Event().wait(0.3)  # until after the next frame, which cannot be taken

    assert recorded.stop() is not None
    assert recorded.failed
    assert len(frames(tmp_path / "ended.webm")) >= 1


def test_a_folder_that_cannot_be_made_is_an_error(desktop: Desktop, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ActionFailed, match=r"cannot write '.*/file/video\.webm'"):
        Film(tmp_path / "file" / "video.webm", desktop.env)


def test_without_the_extra_the_error_says_what_to_install(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(film, "find_spec", lambda name: None if name == "av" else object())

    with pytest.raises(ActionUnsupported, match="a video needs PyAV, which is not installed") as raised:
        Film(tmp_path / "video.webm", desktop.env)
    assert raised.value.suggestions == ("pip install 'deskhand[video]'",)


def test_a_long_caption_is_cut_and_a_mark_at_an_edge_fits() -> None:
    assert len(strip("click " + "x" * 500, 100)) == 100 * STRIP * 4
    pixels = bytearray(50 * 40 * 4)
    for x, y in ((0, 0), (49, 39), (-100, 5), (25, 20)):
        ring(pixels, 50, 40, x, y)
    assert len(pixels) == 50 * 40 * 4
    assert is_near(tuple(reversed(pixels[(20 * 50 + 25) * 4 :][:3])), RED)
