"""What typing means: the text that a field holds afterwards, or the keys themselves.

A password is never read: it becomes a variable, and its keys are not looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

from ..model.node import Node
from ..model.tree import Tree
from .display import Input, Key
from .gestures import Typed, chord
from .hit import DATES, NUMBERS
from .naming import element, variable
from .outcome import written
from .steps import Element, Secret, Step
from .timeline import Moment, Timeline

_LAG = 1.0
"""For how long a program may still take in keys, in seconds."""
UNSEEN = Step("", comment="something was typed here; into which field could not be seen")


def may_be_secret(*trees: Tree) -> bool:
    """Whether something that was typed may be a password."""
    return any(node.password and node.visible for tree in trees for node in tree.nodes)


def filled(before: Tree, after: Tree, known: Mapping[str, object]) -> Node | None:
    """The first field with another text than before, other than those whose text is known.

    Of a password only whether there is one can be seen.
    """
    for now in after.nodes:
        was = before.get(now.uid) if now.visible and (now.password or now.editable) else None
        if was is None or (now.password and now.uid in known):
            continue
        if now.password and bool(was.value or was.text) != bool(now.value or now.text):
            return was
        if not now.password and written(was) != written(now) and known.get(now.uid) != written(now):
            return was
    return None


def _text_in(moment: Moment, field: Node) -> str | None:
    now = moment.tree.get(field.uid)
    return None if now is None else written(now)


class Writer:
    """Makes steps of typing."""

    def __init__(self, timeline: Timeline, meaning: Callable[[Input], Key]) -> None:
        self._timeline = timeline
        self._meaning = meaning

    def fill(self, gesture: Typed, field: Node, tree: Tree, until: float, *, secret: bool) -> list[Step]:
        """Typing into a field. `tree` has the field, `until` is when the next gesture began.

        If `secret`, a password may be among what was typed, and the keys are not looked up.
        """
        named = element(tree, field)
        if field.password:
            gesture.keys.clear()
            return [Step("fill", named, (Secret(variable(field)),))]
        was = written(field) or ""
        now, sure = self._held(field, gesture, until)
        if field.role in NUMBERS or field.role in DATES:
            return [Step("set_value", named, (now,))] if now is not None and now != was else []
        if secret:
            if now is not None and now != was and sure:
                return [Step("fill", named, (now,))]
            return [UNSEEN] if self.writes(gesture) else []
        typed = self._text(gesture)
        if typed == "" or (typed is None and now == was):
            return []  # the caret moved, or what was typed was removed again
        if now is not None and (typed is None or typed in now):
            return [Step("fill", named, (now,))] if now != was else []
        if not was and typed is not None:
            return [Step("fill", named, (typed,))]
        return self.literally(gesture, named)

    def changed(self, gesture: Typed, field: Node, until: float) -> bool:
        """Whether a field got another text by what was typed."""
        return not field.password and self._held(field, gesture, until)[0] != written(field)

    def writes(self, gesture: Typed) -> bool:
        """Whether any of the keys writes something."""
        return any(self._meaning(key).character is not None for key in gesture.keys)

    def literally(self, gesture: Typed, named: Element | None) -> list[Step]:
        """The keys themselves, into an element or wherever the focus is."""
        keys = [self._meaning(key) for key in gesture.keys]
        strokes = [
            (key.character is not None, key.character or chord(key, event.state))
            for key, event in zip(keys, gesture.keys, strict=True)
        ]
        steps = []
        for text, group in groupby(strokes, lambda stroke: stroke[0]):
            names = [name for _, name in group]
            if text:
                steps.append(Step("type" if named else "keyboard.type", named, ("".join(names),)))
            else:
                steps += [Step("press" if named else "keyboard.press", named, (name,)) for name in names]
        return steps

    def names(self, gesture: Typed) -> list[str]:
        """What `press` calls the keys."""
        return [chord(self._meaning(key), key.state) for key in gesture.keys]

    def _held(self, field: Node, gesture: Typed, until: float) -> tuple[str | None, bool]:
        """What the field held when all was typed, and whether that is sure.

        Best is what was read after the last key and before anything else was done. If there was no time for
        that, or a program is slow to take keys in, what is read later counts as long as the text only grows.
        """
        seen = self._timeline.between(gesture.began, until)
        text = _text_in(seen[-1], field) if seen else None
        sure = bool(seen) and seen[-1].began >= gesture.ended
        for moment in self._timeline.begun(gesture.ended, gesture.ended + _LAG):
            now = _text_in(moment, field)
            if now is None or (text and text not in now) or (sure and not text):
                break
            text, sure = now, True
        return text, sure

    def _text(self, gesture: Typed) -> str | None:
        """The text that was typed, if that can be said without knowing where the caret was."""
        text: list[str] = []
        for event in gesture.keys:
            key = self._meaning(event)
            name = chord(key, event.state)
            if key.character is not None and name in (key.name, key.character):
                text.append(key.character)
            elif name == "Backspace" and text:
                text.pop()
            else:
                return None
        return "".join(text)
