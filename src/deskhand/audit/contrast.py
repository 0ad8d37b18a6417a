"""Rules that screenshots decide: the contrast of text, and whether what the tree says can be seen.

A finding must hold for the colours that were meant, and smoothed strokes are paler than these. So the colour
of a text is what its strongest pixels would be if they were covered as little as is usual; where that is too
pale as well, the text is. What may be covered by something else, or is disabled, is not judged.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from ..images.sampled import Colour, Sampled, contrast
from ..model.node import Image, Node, Rect
from ..model.order import shown
from .finding import Fault
from .scene import ENTRIES, FIELDS, PRESSED, Scene, brief

_TEXTS = frozenset(("text", "label-text", "heading", "paragraph", "status", "caption", "legend"))
_BOXES = frozenset(("checkbox", "radio", "menu-item-checkbox", "menu-item-radio"))
_FRAME = 3
"""How many pixels at each side of a control its frame takes."""
_ENOUGH, _LARGE_ENOUGH = 4.5, 3.0
_LARGE = 17
"""How high letters of a large text are, in logical pixels."""
_LETTER = 4
"""How high a line of text is at least."""
_COVERED, _COVERED_SHORT = 0.85, 0.6
"""How much of a pixel the strongest strokes of a text cover at least, and those of a text of few letters."""
_SHORT = 5
_INK = 12
"""By how much a channel differs from the background where something is drawn."""
_SHARE = 0.35
"""What part of an area has its background colour at least; with less, it is an image or a gradient."""


class Shots:
    """The screenshots of the windows."""

    def __init__(self, images: Mapping[str, Image], scene: Scene) -> None:
        self._scene = scene
        self._images = {uid: (Sampled(image.png), image.scale) for uid, image in images.items()}

    def of(self, node: Node, bounds: Rect | None = None, margin: float = 0.0) -> Sampled | None:
        """What an element, or a part of it, looks like; None if that was not taken."""
        window = self._scene.window(node)
        bounds = bounds or node.bounds
        if window.uid not in self._images or window.bounds is None or bounds is None:
            return None
        image, scale = self._images[window.uid]
        at = bounds.relative_to(window.bounds)
        return image.part(
            (
                math.floor((at.x - margin) * scale),
                math.floor((at.y - margin) * scale),
                math.ceil((at.x + at.width + margin) * scale),
                math.ceil((at.y + at.height + margin) * scale),
            )
        )

    def scale(self, node: Node) -> float:
        return self._images[self._scene.window(node).uid][1]


def contrasts(scene: Scene, shots: Shots) -> Iterator[Fault]:
    """Text stands out from its background."""
    for node in scene.nodes:
        text, bounds = _drawn(scene, node)
        if text is None or bounds is None:
            continue
        part = shots.of(node, bounds)
        if part is None:
            continue
        colours = part.colours()
        count, behind = colours[0]
        if count < _SHARE * part.width * part.height:
            continue
        if len(colours) == 1 or _strongest(colours, behind) < 1.02:
            if node.role in _TEXTS and not scene.is_covered(node):
                yield Fault(
                    "state",
                    node,
                    f"the {node.role} says {_cut(text)}, and nothing is drawn there",
                )
            continue
        letters = sum(char.isalnum() for char in text)
        ratio = max(
            contrast(behind, _uncovered(behind, colour, _COVERED if letters > _SHORT else _COVERED_SHORT))
            for _, colour in colours
        )
        drawn = part.drawn(behind, _INK)
        if drawn.cut or drawn.height < _LETTER or drawn.columns < min(letters, part.width // 8):
            continue  # another part of the screen: a program may report wrong bounds
        wanted = _LARGE_ENOUGH if drawn.height >= _LARGE * shots.scale(node) else _ENOUGH
        if ratio < wanted and not scene.is_covered(node):
            yield Fault(
                "contrast", node,
                f"{_cut(text)} has a contrast of at most {ratio:.1f}:1 to its background {_hex(behind)}, and "
                f"{wanted:g}:1 is needed",
            )  # fmt: skip


def boxes(scene: Scene, shots: Shots) -> Iterator[Fault]:
    """Boxes that are checked look unlike those that are not."""
    alike: dict[tuple[object, ...], list[tuple[Node, Sampled]]] = defaultdict(list)
    for node in scene.nodes:
        if node.role not in _BOXES or node.checked is None or node.mixed or node.bounds is None:
            continue
        side = min(node.bounds.height, node.bounds.width)
        part = shots.of(node, Rect(node.bounds.x, node.bounds.y, side, node.bounds.height))
        if part is None or len(part.colours()) < 2 or node.focused:
            continue
        kind = node.role, node.native_class, node.enabled, part.width, part.height
        alike[kind].append((node, part))
    for group in alike.values():
        for at, (node, part) in enumerate(group):
            for other, seen in group[at + 1 :]:
                if node.checked != other.checked and part.same(seen):
                    on, off = (node, other) if node.checked else (other, node)
                    if not scene.is_covered(on) and not scene.is_covered(off):
                        what = f"{brief(on)} is checked, and looks like {brief(off)}, which is not"
                        yield Fault("state", on, what)


def _drawn(scene: Scene, node: Node) -> tuple[str | None, Rect | None]:
    """The text that an element draws, and the part of it that has the text."""
    bounds = node.bounds
    if bounds is None or not node.enabled or node.password or scene.is_part(node):
        return None, None
    if any(not above.enabled for above in scene.tree.ancestors(node)):
        return None, None
    text = shown(node) if node.role not in FIELDS else (node.value or node.text or "")
    if not any(char.isalnum() for char in text):
        return None, None
    if node.role in _TEXTS:
        return (text, bounds) if not scene.tree.children(node) else (None, None)
    if node.role in _BOXES:
        left = bounds.height + 2
        return (
            (text, Rect(bounds.x + left, bounds.y, bounds.width - left, bounds.height))
            if (bounds.width > left + 6)
            else (None, None)
        )
    if node.role in PRESSED or node.role in ENTRIES or node.role == "textfield":
        if any(below.role in _TEXTS for below in scene.tree.descendants(node)):
            return None, None  # that is judged
        if node.role in ("switch", "color-well", "disclosure-triangle") or node.focused:
            return None, None
        inset = _FRAME
        inside = Rect(bounds.x + inset, bounds.y + inset, bounds.width - 2 * inset, bounds.height - 2 * inset)
        return (text, inside) if inside.width > 4 and inside.height > 6 else (None, None)
    return None, None


def _strongest(colours: list[tuple[int, Colour]], behind: Colour) -> float:
    return max(contrast(behind, colour) for _, colour in colours)


def _uncovered(behind: Colour, seen: Colour, covered: float) -> Colour:
    """The colour that covers so much of a pixel that it looks as seen."""
    red, green, blue = (
        min(255, max(0, round(back + (here - back) / covered)))
        for back, here in zip(behind, seen, strict=True)
    )
    return red, green, blue


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 40 else flat[:39] + "…")
