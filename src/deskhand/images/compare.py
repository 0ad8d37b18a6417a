"""Compares screenshots as pixelmatch does: by what a person sees, without counting smoothed edges.

The distance of two colours is that in YIQ space. A pixel that differs counts unless it is anti-aliasing in
one of the images: between a brighter and a darker neighbour, one of which is part of an area in both.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from ..model.errors import ActionUnsupported, InvalidParams
from ..model.record import dataclass

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""

THRESHOLD = 0.2
_FARTHEST = 35215.0
"""The largest distance of two colours."""
_CHECKED = 50_000
"""How many pixels are checked for anti-aliasing once the images differ too much anyway."""
_FADED = 0.1
"""How much of the original is left in the image of the differences."""


@dataclass(frozen=True, eq=False)
class Pixels:
    """An opaque image, with each pixel as a number."""

    width: int
    height: int
    data: bytes
    """Red, green, blue and 255 for each pixel."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Pixels)
            and (self.width, self.height) == (other.width, other.height)
            and self.data == other.data
        )

    def __hash__(self) -> int:
        return hash(self.data)

    @property
    def png(self) -> bytes:
        out = io.BytesIO()
        _pillow().frombytes("RGBA", (self.width, self.height), self.data).convert("RGB").save(out, "PNG")
        return out.getvalue()


@dataclass(frozen=True)
class Comparison:
    """How much two images differ."""

    different: int
    """How many pixels; a lower bound where there are very many."""
    total: int
    sizes: tuple[tuple[int, int], tuple[int, int]]
    """Width and height of both."""
    marked: Pixels | None
    """What differs in red, anti-aliasing in yellow, on the faded first image; None if nothing differs."""

    @property
    def same_size(self) -> bool:
        return self.sizes[0] == self.sizes[1]


def decode(png: bytes, hidden: Iterable[Box] = (), colour: str = "#ff00ff") -> Pixels:
    """The pixels of a PNG; those in some boxes are painted over."""
    opener = _pillow()
    with opener.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB").convert("RGBA")
    for box in hidden:
        try:
            image.paste(colour, box)
        except ValueError:
            raise InvalidParams(
                f"'{colour}' is not a colour; one is such as #ff00ff", field="mask_color"
            ) from None
    return Pixels(image.width, image.height, image.tobytes())


def compare(expected: Pixels, actual: Pixels, threshold: float = THRESHOLD, allowed: int = 0) -> Comparison:
    """Compare two images; beyond `allowed` different pixels, their exact number no longer matters."""
    sizes = (expected.width, expected.height), (actual.width, actual.height)
    total = max(expected.width, actual.width) * max(expected.height, actual.height)
    if expected == actual:
        return Comparison(0, total, sizes, None)
    width, height = max(expected.width, actual.width), max(expected.height, actual.height)
    first, second = _enlarged(expected, width, height), _enlarged(actual, width, height)
    different, smoothed = _differing(first, second, threshold, allowed)
    return Comparison(len(different), total, sizes, _marked(first, different, smoothed))


def _differing(
    expected: Pixels, actual: Pixels, threshold: float, allowed: int
) -> tuple[list[int], list[int]]:
    """The positions of pixels that differ, and of those that are only smoothed otherwise."""
    most = _FARTHEST * threshold * threshold
    first, second = memoryview(expected.data).cast("I"), memoryview(actual.data).cast("I")
    width, height = expected.width, expected.height
    known: dict[tuple[int, int], bool] = {}
    different: list[int] = []
    smoothed: list[int] = []
    for row in range(height):
        start, stop = row * width, (row + 1) * width
        left, right = first[start:stop], second[start:stop]
        if left == right:
            continue
        for at, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True), start):
            if pair[0] == pair[1]:
                continue
            far = known.get(pair)
            if far is None:
                far = known[pair] = _distance(*pair) > most
            if not far:
                continue
            enough = len(different) > allowed and len(different) + len(smoothed) > _CHECKED
            if not enough and (
                _is_smoothed(first, second, at, width, height)
                or _is_smoothed(second, first, at, width, height)
            ):
                smoothed.append(at)
            else:
                different.append(at)
    return different, smoothed


def _distance(colour: int, other: int) -> float:
    """The squared distance of two colours in YIQ space, weighted as eyes do."""
    if colour >> 24 != other >> 24:
        return 2 * _FARTHEST  # one of the images ends before
    red = (colour & 255) - (other & 255)
    green = (colour >> 8 & 255) - (other >> 8 & 255)
    blue = (colour >> 16 & 255) - (other >> 16 & 255)
    y = red * 0.29889531 + green * 0.58662247 + blue * 0.11448223
    i = red * 0.59597799 - green * 0.27417610 - blue * 0.32180189
    q = red * 0.21147017 - green * 0.52261711 + blue * 0.31114694
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q


def _brightness(pixel: int) -> float:
    return (pixel & 255) * 0.29889531 + (pixel >> 8 & 255) * 0.58662247 + (pixel >> 16 & 255) * 0.11448223


def _is_smoothed(image: memoryview[int], other: memoryview[int], at: int, width: int, height: int) -> bool:
    """Whether a pixel is part of a smoothed edge of an image."""
    x, y = at % width, at // width
    own = _brightness(image[at])
    equal = 1 if x in (0, width - 1) or y in (0, height - 1) else 0
    darkest = brightest = 0.0
    dark = bright = at
    for beside in _around(x, y, width, height):
        step = own - _brightness(image[beside])
        if step == 0:
            equal += 1
            if equal > 2:
                return False
        elif step < darkest:
            darkest, dark = step, beside
        elif step > brightest:
            brightest, bright = step, beside
    if darkest == 0 or brightest == 0:
        return False
    return any(
        _in_area(image, end, width, height) and _in_area(other, end, width, height) for end in (dark, bright)
    )


def _in_area(image: memoryview[int], at: int, width: int, height: int) -> bool:
    """Whether a pixel has three neighbours or more of its own colour."""
    x, y = at % width, at // width
    equal = 1 if x in (0, width - 1) or y in (0, height - 1) else 0
    own = image[at]
    return equal + sum(image[beside] == own for beside in _around(x, y, width, height)) > 2


def _around(x: int, y: int, width: int, height: int) -> list[int]:
    # By columns, as pixelmatch goes, so that of equally bright neighbours the same one counts.
    return [
        row * width + column
        for column in range(max(x - 1, 0), min(x + 2, width))
        for row in range(max(y - 1, 0), min(y + 2, height))
        if row != y or column != x
    ]


def _enlarged(image: Pixels, width: int, height: int) -> Pixels:
    """The image on a larger area, which is transparent where the image ends."""
    if (image.width, image.height) == (width, height):
        return image
    opener = _pillow()
    area = opener.new("RGBA", (width, height), (0, 0, 0, 0))
    area.paste(opener.frombytes("RGBA", (image.width, image.height), image.data))
    return Pixels(width, height, area.tobytes())


def _marked(image: Pixels, different: list[int], smoothed: list[int]) -> Pixels:
    opener = _pillow()
    grey = opener.frombytes("RGBA", (image.width, image.height), image.data).convert("L")
    faded = grey.point([round(255 + (level - 255) * _FADED) for level in range(256)]).convert("RGBA")
    data = bytearray(faded.tobytes())
    for positions, colour in ((smoothed, b"\xff\xff\x00\xff"), (different, b"\xff\x00\x00\xff")):
        for at in positions:
            data[4 * at : 4 * at + 4] = colour
    return Pixels(image.width, image.height, bytes(data))


def _pillow() -> Any:
    """The module that reads and writes PNG, of any program."""
    try:
        from PIL import Image  # large, and needed for this alone
    except ImportError:
        raise ActionUnsupported(
            "comparing screenshots needs Pillow, which is not installed",
            suggestions=("pip install 'deskhand[screenshots]'",),
        ) from None
    return Image
