"""How much two screenshots differ, as pixelmatch counts it."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from deskhand.images.compare import Pixels, compare, decode
from deskhand.model.errors import InvalidParams

SIZE = (40, 30)


def drawn(colour: str = "white", size: tuple[int, int] = SIZE, kind: str = "RGB") -> Image.Image:
    return Image.new(kind, size, colour)


def pixels(image: Image.Image) -> Pixels:
    out = io.BytesIO()
    image.save(out, "PNG")
    return decode(out.getvalue())


def test_equal_images_do_not_differ_whatever_wrote_them() -> None:
    written = (drawn(), drawn(kind="RGBA"), drawn(kind="L"), drawn(kind="P"))

    assert {compare(pixels(drawn()), pixels(image)).different for image in written} == {0}
    assert compare(pixels(drawn()), pixels(drawn())).marked is None


def test_pixels_of_another_colour_are_counted_and_marked_red() -> None:
    image = drawn()
    ImageDraw.Draw(image).rectangle((10, 10, 14, 13), fill="black")

    found = compare(pixels(drawn()), pixels(image))

    assert found.different == 20
    assert found.marked is not None
    marked = decode(found.marked.png)
    assert marked.data[4 * (12 * 40 + 12) :][:3] == b"\xff\x00\x00"
    assert marked.data[:3] == b"\xff\xff\xff"


@pytest.mark.parametrize(("threshold", "different"), [(0.0, 1200), (0.01, 1200), (0.2, 0)])
def test_a_similar_colour_counts_by_the_threshold(threshold: float, different: int) -> None:
    assert compare(pixels(drawn("#ffffff")), pixels(drawn("#f0f0f0")), threshold).different == different


def test_smoothed_edges_do_not_count() -> None:
    hard = drawn()
    ImageDraw.Draw(hard).rectangle((0, 0, 19, 29), fill="black")
    smooth = hard.copy()
    ImageDraw.Draw(smooth).line((20, 0, 20, 29), fill="#808080")

    found = compare(pixels(hard), pixels(smooth))

    assert found.different == 0
    assert found.marked is not None
    assert decode(found.marked.png).data[4 * (15 * 40 + 20) :][:3] == b"\xff\xff\x00"


def test_the_count_is_that_of_pixelmatch() -> None:
    """Its own answer for these images, from version 0.4.0 of the package pixelmatch."""
    one, other = drawn(size=(120, 60)), drawn(size=(120, 60))
    ImageDraw.Draw(one).text((5, 5), "Hello, Ada!", fill="black", font_size=20)
    ImageDraw.Draw(other).text((6, 5), "Hello, Bob!", fill="navy", font_size=20)

    counts = [compare(pixels(one), pixels(other), threshold).different for threshold in (0.05, 0.1, 0.2)]

    assert counts == [392, 388, 278]


def test_images_of_other_sizes_differ_where_one_ends() -> None:
    found = compare(pixels(drawn()), pixels(drawn(size=(42, 31))))

    assert not found.same_size
    assert found.different == 42 * 31 - 40 * 30


def test_very_different_images_are_compared_in_a_moment() -> None:
    white, black = pixels(drawn(size=(1280, 800))), pixels(drawn("black", (1280, 800)))

    assert compare(white, black).different == 1280 * 800


def test_boxes_are_painted_over() -> None:
    out = io.BytesIO()
    drawn().save(out, "PNG")

    painted = decode(out.getvalue(), [(10, 10, 20, 20)], "#00ff00")

    assert compare(pixels(drawn()), painted).different == 100
    with pytest.raises(InvalidParams, match="'pinkish' is not a colour"):
        decode(out.getvalue(), [(10, 10, 20, 20)], "pinkish")
