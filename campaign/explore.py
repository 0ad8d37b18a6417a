"""Chooses what to do next, at random but by a seed, from the tree: what a curious user might try.

A step names its target by role, name and number, so that the same steps can be done again in another run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deskhand.model import operations as ops
from deskhand.model.node import Node
from deskhand.model.operations import Action
from deskhand.model.tree import Tree

TIMEOUT = 2.0
"""How long an action may wait for its target, in seconds."""
AVOID = re.compile(
    r"quit|exit|^close( window| all| tab)?$|print|e-?mail|send|share|web ?site|online|internet|donat|update|"
    r"upload|download|report|bug|connect|log ?out|restart|shut ?down|trash|delete|erase|format|account|get "
    r"involved|translate|forum|homepage|plug-?ins|terminal|run command|camera|scan|record|play|full ?screen|"
    r"always on top|kill|detach|new window|iconify|minimi[sz]e|extensions|subscribe|license|uninstall",
    re.IGNORECASE,
)
"""What leaves the machine, ends the program, or makes the next actions pointless."""
_OUT = re.compile(
    r"^(cancel|close|no|don.t save|discard|close without saving|ok|done|back|later|not now|dismiss|ignore|"
    r"yes|abort|skip|apply)$",
    re.IGNORECASE,
)
"""Buttons that end a dialog; the first ones change nothing."""
_CLICKABLE = frozenset(
    ("button", "toggle-button", "checkbox", "radio", "tab", "menu", "menu-item", "menu-item-checkbox",
     "menu-item-radio", "link", "list-item", "tree-item", "cell", "combo-box", "switch", "split-button",
     "column-header", "textfield", "editable-text", "slider", "spin-button")
)  # fmt: skip
_SCROLLED = frozenset(
    ("scroll-area", "list", "list-box", "table", "tree", "tree-grid", "editable-text", "web-area", "document")
)
_DRAGGED = frozenset(("slider", "editable-text", "canvas", "document", "table", "splitter", "scroll-bar"))
_TEXTS = ("lorem", "42", "Grüße", "a b", "x", "=1+2", "world", "7")
_KEYS = (
    "tab", "shift+tab", "escape", "down", "up", "left", "right", "home", "end", "page_down", "page_up",
    "ctrl+a", "ctrl+z", "ctrl+y", "ctrl+c", "ctrl+v", "ctrl+s", "enter", "space", "delete", "ctrl+f", "f10",
    "ctrl+plus", "ctrl+minus", "alt+down", "ctrl+page_down",
)  # fmt: skip
_FOLDER = re.compile(r"/?[^ ]*deskhand-supervisor\.[^/ ]*")
_REFUSED = 2
"""After how many refused actions in a row Escape is pressed: an open menu takes what is meant for others."""
_PATIENCE = 6
"""After how many actions in the same dialog getting out of it becomes likely."""


@dataclass(frozen=True)
class Step:
    """One action: what is done, and to which node."""

    do: str
    role: str = ""
    name: str = ""
    nth: int = 0
    args: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        what = (
            f" {self.role} {self.name!r}" + (f" number {self.nth}" if self.nth else "") if self.role else ""
        )
        more = "".join(f" {name}={value!r}" for name, value in self.args.items())
        return f"{self.do}{what}{more}"

    def action(self, uid: str | None) -> Action:
        """The operation that it is, on a node or on no node in particular."""
        target = None if uid is None else f"uid={uid}"
        kinds: dict[str, type[Action]] = {
            "click": ops.Click, "press": ops.Press, "check": ops.SetChecked, "expand": ops.Expand,
            "type": ops.TypeText, "fill": ops.SetValue, "select": ops.Select, "scroll": ops.Scroll,
            "drag": ops.Drag, "key": ops.Key, "menu": ops.ShowMenu, "window": ops.ControlWindow,
            "focus": ops.Focus,
        }  # fmt: skip
        return kinds[self.do](target=target, timeout=TIMEOUT, receipt=True, **self.args)

    def find(self, tree: Tree) -> Node | None:
        """The node that it is about in a tree; None if there is none any more."""
        if not self.role:
            return None
        same = [node for node in tree if node.role == self.role and called(node) == self.name]
        return same[self.nth] if self.nth < len(same) else None


class Explorer:
    """Chooses steps for one program."""

    def __init__(self, seed: int | str, avoid: str = "") -> None:
        self._random = random.Random(seed)
        self._avoid = re.compile(avoid, re.IGNORECASE) if avoid else None
        self._in_dialog = 0
        self._refused = 0

    def refused(self, yes: bool) -> None:
        """Take in whether the last step was refused."""
        self._refused = self._refused + 1 if yes else 0

    def choose(self, tree: Tree) -> Step:
        """What to do next."""
        if self._refused == _REFUSED:
            return Step("key", args={"keys": "escape"})
        windows = tuple(window.uid for window in tree.windows if window.showing)
        self._in_dialog = self._in_dialog + 1 if len(windows) > 1 else 0
        if self._in_dialog > _PATIENCE and self._random.random() < 0.25 * (self._in_dialog - _PATIENCE):
            return self._leave(tree)
        nodes = self._candidates(tree)
        choices: list[tuple[int, Callable[[Tree, Sequence[Node]], Step | None]]] = [
            (30, self._click), (12, self._open_menu), (10, self._type), (6, self._fill), (8, self._select),
            (6, self._check), (4, self._expand), (7, self._scroll), (4, self._drag), (4, self._window),
            (8, self._key), (4, self._menu), (5, self._press), (2, self._focus),
        ]  # fmt: skip
        for _ in range(20):
            (choice,) = self._random.choices([one for _, one in choices], [weight for weight, _ in choices])
            step = choice(tree, nodes)
            if step is not None:
                return step
        return Step("key", args={"keys": "escape"})

    def _candidates(self, tree: Tree) -> list[Node]:
        """What can be operated now: visible and enabled, in the window in front for the most part."""
        top = {node.uid: node.uid for node in tree if node.parent is None}
        for node in tree:
            if node.parent is not None:
                top[node.uid] = top.get(node.parent, node.parent)
        modal = [window.uid for window in tree.windows if window.modal and window.showing]
        front = modal[-1:] or [window.uid for window in tree.windows if window.focused]
        popups = [window.uid for window in tree.windows if window.kind == "popup"]
        usable = [
            node
            for node in tree
            if node.visible and node.enabled and node.bounds is not None and node.bounds.width > 0
            if not self._avoided(node)
        ]
        ahead = [node for node in usable if top[node.uid] in (*front, *popups)]
        return ahead if ahead and self._random.random() < 0.95 else usable

    def _avoided(self, node: Node) -> bool:
        name = f"{node.name or ''}"
        return bool(AVOID.search(name) or (self._avoid is not None and self._avoid.search(name)))

    # -- the kinds of step -------------------------------------------------------------------------

    def _click(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.role in _CLICKABLE])
        if node is None:
            return None
        count = 2 if self._random.random() < 0.08 and node.role in ("cell", "list-item", "tree-item") else 1
        return self._on(tree, node, "click", **({"count": count} if count > 1 else {}))

    def _press(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if "press" in node.actions])
        return None if node is None else self._on(tree, node, "press")

    def _open_menu(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        by_uid = {node.uid: node for node in tree}
        entries = [
            node
            for node in nodes
            if node.role.startswith("menu-item") or node.role in ("menu", "split-button")
            if node.parent is not None
            and by_uid[node.parent].role in ("menu-bar", "menu", "menu-item", "window")
        ]
        node = self._one(entries)
        return None if node is None else self._on(tree, node, "click")

    def _type(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.editable and node.focusable and node.number is None])
        if node is None:
            return None
        more = {"submit": True} if self._random.random() < 0.15 else {}
        return self._on(tree, node, "type", text=self._random.choice(_TEXTS), **more)

    def _fill(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if "set-value" in node.actions])
        if node is None:
            return None
        if node.number is None:
            return self._on(tree, node, "fill", value=self._random.choice(_TEXTS))
        low, high = node.minimum, node.maximum
        if low is None or high is None or high - low > 10_000:
            return None
        return self._on(tree, node, "fill", value=f"{low + self._random.randint(0, max(0, int(high - low)))}")

    def _select(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.options])
        if node is None:
            return None
        option = self._random.choice(node.options)
        if AVOID.search(option.text):
            return None
        return self._on(tree, node, "select", index=option.index)

    def _check(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.checked is not None and "toggle" in node.actions])
        if node is None or (node.checked and node.role.startswith("radio")):
            return None
        return self._on(tree, node, "check", checked=not node.checked)

    def _expand(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.expanded is not None])
        return None if node is None else self._on(tree, node, "expand", expanded=not node.expanded)

    def _scroll(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        if self._random.random() < 0.3:
            node = self._one([node for node in nodes if node.offscreen])
            if node is not None:
                return self._on(tree, node, "scroll", into_view=True)
        node = self._one([node for node in nodes if node.role in _SCROLLED])
        return (
            None if node is None else self._on(tree, node, "scroll", dy=self._random.choice((3, 10, -3, -10)))
        )

    def _drag(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.role in _DRAGGED])
        if node is None or node.bounds is None or min(node.bounds[2:]) < 8:
            return None
        x, y, width, height = node.bounds
        to = {
            "to_x": round(x + width * self._random.uniform(0.2, 0.8)),
            "to_y": round(y + height * self._random.uniform(0.2, 0.8)),
        }
        return self._on(tree, node, "drag", **to)

    def _window(self, tree: Tree, _: Sequence[Node]) -> Step | None:
        shown = [window for window in tree.windows if window.showing and window.native_id is not None]
        node = next((node for node in tree if shown and node.uid == shown[-1].uid), None)
        if node is None:
            return None
        if self._random.random() < 0.3:
            return self._on(
                tree,
                node,
                "window",
                do="move",
                x=self._random.randint(0, 300),
                y=self._random.randint(0, 150),
            )
        size = {"width": self._random.randint(500, 1200), "height": self._random.randint(400, 750)}
        return self._on(tree, node, "window", do="resize", **size)

    def _key(self, _: Tree, __: Sequence[Node]) -> Step | None:
        return Step("key", args={"keys": self._random.choice(_KEYS)})

    def _menu(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one(
            [node for node in nodes if node.role in _CLICKABLE or node.role in ("table", "list")]
        )
        return None if node is None else self._on(tree, node, "menu")

    def _focus(self, tree: Tree, nodes: Sequence[Node]) -> Step | None:
        node = self._one([node for node in nodes if node.focusable and not node.focused])
        return None if node is None else self._on(tree, node, "focus")

    def _leave(self, tree: Tree) -> Step:
        """Get out of what is open: by its button, by a key, by closing its window."""
        nodes = self._candidates(tree)
        buttons = [
            node for node in nodes if node.role == "button" and _OUT.match((node.name or "").replace("_", ""))
        ]
        if buttons and self._random.random() < 0.7:
            buttons.sort(key=lambda node: (node.name or "").lower() not in ("cancel", "close", "no"))
            return self._on(
                tree, buttons[0] if self._random.random() < 0.7 else self._random.choice(buttons), "click"
            )
        dialogs = [window for window in tree.windows if window.showing and window.kind == "dialog"]
        node = next((node for node in tree if dialogs and node.uid == dialogs[-1].uid), None)
        if node is not None and self._random.random() < 0.4:
            return self._on(tree, node, "window", do="close")
        return Step("key", args={"keys": "escape"})

    # -- small things ------------------------------------------------------------------------------

    def _one(self, nodes: Sequence[Node]) -> Node | None:
        return self._random.choice(nodes) if nodes else None

    def _on(self, tree: Tree, node: Node, do: str, /, **args: Any) -> Step:
        same = [one.uid for one in tree if one.role == node.role and called(one) == called(node)]
        return Step(do, node.role, called(node), same.index(node.uid), args)


def called(node: Node) -> str:
    """The name of a node, the same in each run: without the folder that a desktop has for itself."""
    return _FOLDER.sub("", node.name or "")
