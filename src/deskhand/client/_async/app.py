"""An app that is driven: started by us, or running already."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ...audit import Audit, audited
from ...launching.ending import BROKEN, AppProcess, after_all, asked_before, concluded, insist_on_running
from ...model.errors import ActionUnsupported, InvalidKey, InvalidParams, NotConnected
from ...model.keys import modifier, parse
from ...model.node import AppInfo, AppState, Image, Node, Window
from ...model.operations import (
    TIMEOUT,
    Action,
    Click,
    Difference,
    Done,
    Drag,
    Execute,
    Executed,
    Find,
    GetAppInfo,
    GetAppState,
    GetClipboard,
    Hover,
    Key,
    ListWindows,
    MouseDown,
    MouseUp,
    OpenFiles,
    Operation,
    Ping,
    Pong,
    ReadTree,
    Screenshot,
    Scroll,
    Selectors,
    SelectView,
    SetClipboard,
    Shutdown,
    Snapshot,
    TypeText,
    Viewport3d,
    WaitChange,
    Waited,
    WaitIdle,
    check_timeout,
)
from ...model.outline import cut_note
from ...model.reading import read, render
from ...model.tree import Tree
from .. import soft
from ..files import write_whole
from ..options import options
from ..recorded import recording_of
from ..threads import assign, to_thread
from .auditing import audit
from .choosing import choose
from .finder import Finder
from .link import AgentLink
from .locator import Locator, Position
from .tracing import Tracing
from .video import Video

if TYPE_CHECKING:
    from ...protocols.agent.client import Health
    from ...recording import Event, Recording
    from ..transfer import Progress
    from .link import Link

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")

_ROUND = 30.0
"""How long a change is waited for at a time, in seconds."""


class App(Finder):
    """A running app. Closing it ends the app if we started it, and only lets go of it otherwise."""

    def __init__(
        self,
        link: Link,
        *,
        process: AppProcess | None = None,
        pid: int | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.timeout = timeout
        """How long every use of a locator waits, in seconds, unless told otherwise."""
        self.process = process
        """The process, if we started it."""
        self.pid = process.pid if process is not None else pid
        """The id of its process, where that is known."""
        self.keyboard = Keyboard(self)
        self.mouse = Mouse(self)
        self.clipboard = Clipboard(self)
        self.tracing = Tracing(link, process, self.pid)
        self.video = Video(self.pid)
        self.slow_mo = 0.0
        """How long to wait after each action, in seconds, so that a person can follow."""
        self._link = link
        self._closed = False

    def __repr__(self) -> str:
        return f"<App at {self._link.address}>"

    @property
    def address(self) -> str:
        """Where it is reached; `connect` takes it too."""
        return self._link.address

    async def __aenter__(self) -> App:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
        if kind is None and options.test_file is None:
            soft.raise_all(soft.take())  # a test runner does this at the end of the test

    async def run(self, operation: Operation[R]) -> R:
        """Run any operation of the model; all the other methods are made of this one."""
        if self._closed:
            raise NotConnected("this app was closed; launch or connect again", target=self._link.address)
        film, recorder = self.video.film, self.tracing.recorder
        if film is not None:
            film.begin(operation)
        if recorder is None or not recorder.trace.recording:
            return await self._run(operation)
        step = await to_thread(recorder.begin, operation, recorder.call())
        try:
            result = await self._run(operation)
        except Exception as error:
            await to_thread(step.failed, error)
            raise
        except BaseException as error:
            step.cancelled(error)
            raise
        step.done(result)
        return result

    async def _run(self, operation: Operation[R]) -> R:
        insist_on_running(self.process)
        held: Operation[R] = self.keyboard.holding(operation)
        windows: Sequence[Window] = ()
        try:
            if (first := asked_before(operation, self.process)) is not None:
                windows = await self._link.run(first)
            result = await self._link.run(held)
        except BROKEN as error:
            return await to_thread(after_all, operation, error, self.process, self.pid, windows)
        if self.video.film is not None:
            self.video.film.done(result)
        if isinstance(result, Done) and result.exit is not None:
            return await to_thread(concluded, result, self.process)
        if self.slow_mo and isinstance(operation, Action):
            await to_thread(time.sleep, self.slow_mo)
        return result

    async def release(self) -> None:
        """Keep no connection to it between operations: from now on each opens and closes its own.

        In `deskhand.aio` a connection belongs to an event loop; this is for an app that several loops use.
        """
        await self._link.release()

    async def close(self) -> None:
        """End the app if we started it; let go of it otherwise. Closing twice does no harm."""
        if self._closed:
            return
        await self.video.stop()
        await self.tracing.end()
        self._closed = True
        await self._link.close()
        if self.process is not None:
            await to_thread(self.process.close)

    # -- the process ---------------------------------------------------------------------------

    @property
    def returncode(self) -> int | None:
        """The exit code; None while it runs, or if we did not start it."""
        return None if self.process is None else self.process.returncode

    @property
    def stdout(self) -> str:
        """The end of what it wrote to its standard output, if we started it."""
        return "" if self.process is None else self.process.stdout

    @property
    def stderr(self) -> str:
        """The end of what it wrote to its standard error, if we started it."""
        return "" if self.process is None else self.process.stderr

    async def wait_for_exit(self, *, timeout: float | None = None) -> int:
        """Wait until it ends by itself, as long as that takes if there is no timeout; its exit code."""
        if self.process is None:
            raise InvalidParams("only an app that we started has an exit code to wait for")
        check_timeout(timeout)
        return await to_thread(self.process.wait, timeout)

    # -- looking -------------------------------------------------------------------------------

    def locator(self, selector: str) -> Locator:
        """What matches a selector, such as `button[name="Save"]` or `#greeting`."""
        return Locator(self, selector)

    async def find(
        self, selector: str, *, limit: int = 100, internals: bool = False, timeout: float | None = None
    ) -> tuple[Node, ...]:
        """The elements that match, now, in document order.

        `timeout` is how long the program may take to answer, here and below: 5 s unless told otherwise.
        """
        return await self.run(Find(selector, limit=limit, internals=internals, timeout=timeout))

    async def tree(
        self,
        *,
        depth: int | None = None,
        visible_only: bool = False,
        internals: bool = False,
        details: bool = False,
        max_nodes: int | None = None,
        timeout: float | None = None,
    ) -> Tree:
        """Everything that is there now; as a string, one line for each element."""
        snapshot = await self.run(
            ReadTree(
                depth=depth,
                visible_only=visible_only,
                internals=internals,
                details=details,
                max_nodes=max_nodes,
                timeout=timeout,
            )
        )
        assert snapshot.tree is not None
        return snapshot.tree

    async def tree_snapshot(self, *, timeout: float | None = None) -> str:
        """What is shown now, as text that `to_match_tree` takes."""
        tree = await self.tree(timeout=timeout)
        return render(read(tree), cut_note(tree))

    async def changes(self, since: int) -> Snapshot:
        """What changed since a tree's `revision`; the whole tree if that was too long ago."""
        return await self.run(ReadTree(since=since))

    async def events(
        self, *, since: int | None = None, timeout: float | None = None
    ) -> AsyncIterator[Difference]:
        """What changes, as it changes: from the first look on, or from a tree's `revision` on.

        Ends when nothing changed for `timeout` seconds; without one it goes on for ever. Where so much
        changed at once that not all of it is listed, `left_out` counts the rest.
        """
        seen = (await self.run(ReadTree())).revision if since is None else since
        while True:
            snapshot = await self.run(WaitChange(seen, timeout=_ROUND if timeout is None else timeout))
            if snapshot.tree is not None:
                yield Difference(seen, snapshot.revision, left_out=len(snapshot.tree))
            elif snapshot.difference is not None:
                yield snapshot.difference
            elif timeout is not None:
                return
            seen = snapshot.revision

    async def selectors(self, *nodes: Node) -> dict[str, str]:
        """The shortest robust selector of each of some nodes, by uid; of all if none are named."""
        return dict(await self.run(Selectors(tuple(node.uid for node in nodes))))

    async def windows(self, *, timeout: float | None = None) -> tuple[Window, ...]:
        """The top-level windows, the main one first."""
        return await self.run(ListWindows(timeout=timeout))

    async def title(self) -> str | None:
        """The title of the main window."""
        windows = await self.windows()
        return windows[0].title if windows else None

    async def info(self) -> AppInfo:
        """What it is made with."""
        return await self.run(GetAppInfo())

    async def state(self, *, timeout: float | None = None) -> AppState:
        """What it says about its own state, and what can be seen of that."""
        return await self.run(GetAppState(timeout=timeout))

    async def ping(self) -> Pong:
        """Whether it is there. Answers also while its GUI thread is blocked."""
        return await self.run(Ping())

    async def screenshot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        desktop: bool = False,
        timeout: float | None = None,
    ) -> Image:
        """A screenshot of the main window, also written to `path` as PNG.

        `desktop` takes the whole desktop that the app is on, with the windows of all programs.
        """
        image = await self.run(Screenshot(desktop=desktop, timeout=self.timeout_or(timeout)))
        if path is not None:
            write_whole(path, image.png)
        return image

    async def wait_idle(self, *, timeout: float | None = None) -> Waited:
        """Wait until it has nothing more to do."""
        return await self.run(WaitIdle(timeout=self.timeout_or(timeout)))

    async def record(self, *, on_event: Callable[[Event], None] | None = None) -> Recording:
        """Record what a person does to it with mouse and keyboard, until the recording's `stop()`.

        `recording.code()` is the test that repeats it; `on_event` is called for each step, in a thread of the
        recording. The app has to be on an X display of this machine.
        """
        return await to_thread(recording_of, self._link.runner(), self.pid, on_event)

    async def choose_file(
        self, path: str | PathLike[str], *, overwrite: bool = False, timeout: float | None = None
    ) -> Done:
        """Answer the file dialog that is open, for opening or saving, or wait until one is; any toolkit.

        Returns when the dialog is closed. If the dialog asks whether to replace a file that exists, that is
        an error unless `overwrite`. A relative path is one of this process's current folder.
        """
        return await choose(self, path, overwrite, self.timeout_or(timeout))

    async def audit(
        self,
        *,
        tab: bool = True,
        skip: Sequence[str] = (),
        baseline: str | PathLike[str] | None = None,
        output: str | PathLike[str] | None = None,
    ) -> Audit:
        """Its accessibility faults, for people with a screen reader, the keyboard alone or little sight.

        It is about what is shown now: open each dialog and audit it. `tab` presses Tab in the window that has
        the focus, to see what the keyboard reaches; the focus returns to where it was. `skip` names rules.
        Findings that are in the file `baseline`, which `deskhand audit --json` wrote, are left out. `output`
        is a folder for their screenshots.
        """
        plan = audited(
            tab=tab,
            skip=skip,
            baseline=None if baseline is None else Path(baseline),
            folder=None if output is None else Path(output),
        )
        return await audit(self, plan)

    # -- what only some apps can do --------------------------------------------------------------

    async def open_files(self, *paths: str | PathLike[str]) -> Done:
        """Let it open files, if it registered how."""
        for path in paths:
            if not isinstance(path, (str, PathLike)):
                raise InvalidParams(
                    f"a path is a text or a Path, not {type(path).__name__}; "
                    "give several as app.open_files('a', 'b')",
                    field="paths",
                )
        return await self.run(OpenFiles(tuple(str(path) for path in paths)))

    async def select_view(self, view: str) -> Done:
        """Let it show one of its views, if it registered how."""
        return await self.run(SelectView(view))

    async def viewport3d(self, index: int | None = None, *, width: int = 800, height: int = 600) -> Image:
        """An image of its current 3D view, or the one with that index, if the app registered a function."""
        return await self.run(Viewport3d(index, width, height))

    # -- the machine that it runs on, through an agent -----------------------------------------------

    async def exec(self, command: str, *, timeout: float = 30.0, detach: bool = False) -> Executed:
        """Run a command there, in a shell; how it ended, also if it failed or its time was over.

        `detach` starts it and waits for nothing.
        """
        return await self.run(Execute(command, timeout=timeout, detach=detach))

    async def upload(
        self, local: str | PathLike[str], remote: str, *, progress: Progress | None = None
    ) -> int:
        """Send a file there, into the directory if `remote` ends with a slash; how many bytes it has.

        `progress` is called with the bytes that are done, and with all of them where that is known, in the
        thread that carries them.
        """
        return await self._agent().upload(local, remote, progress)

    async def download(
        self, remote: str, local: str | PathLike[str], *, progress: Progress | None = None
    ) -> int:
        """Fetch a file from there, into `local` if that is a directory; how many bytes it has.

        It appears under its name when all of it is there, and what was there before stays until then.
        """
        return await self._agent().download(remote, local, progress)

    async def health(self) -> Health:
        """How the agent is."""
        return await self._agent().health()

    async def shutdown(self) -> Done:
        """End the agent; the machine and its programs go on.

        That is what the contract says. Some agents of other makes switch the machine off instead.
        """
        return await self.run(Shutdown())

    def _agent(self) -> AgentLink:
        if self._closed:
            raise NotConnected("this app was closed; connect again", target=self._link.address)
        if not isinstance(self._link, AgentLink):
            raise ActionUnsupported(
                f"{self._link.address} is not an agent, and only agents can do this",
                target=self._link.address,
                suggestions=("connect to the agent of the machine: agent://HOST:PORT",),
            )
        return self._link

    def timeout_or(self, timeout: float | None) -> float:
        """A timeout, or the app's own if that is None."""
        limit = self.timeout if timeout is None else timeout
        if not isinstance(limit, (int, float)):
            raise InvalidParams(f"'timeout' is a number of seconds, not {limit!r}", field="timeout")
        return limit


class Keyboard:
    """The keyboard, wherever the focus is."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._held: tuple[str, ...] = ()

    async def down(self, key: str) -> None:
        """Hold a modifier (`Shift`, `Control`, `Alt`, `Meta`, `ControlOrMeta`) until `up`.

        Each click, drag and key that this app is given meanwhile has it. Other keys can only be pressed.
        """
        name = _held_key(key)
        if name not in self._held:
            self._held = (*self._held, name)

    async def up(self, key: str) -> None:
        """Let go of a modifier."""
        name = _held_key(key)
        self._held = tuple(each for each in self._held if each != name)

    def holding(self, operation: Operation[R]) -> Operation[R]:
        """The same operation with the modifiers that are held down."""
        changed: Any = operation
        if not self._held:
            return operation
        if isinstance(operation, (Click, MouseDown, MouseUp, Drag)):
            modifiers = dict.fromkeys((*self._held, *operation.modifiers))
            changed = replace(operation, modifiers=tuple(modifiers))
        elif isinstance(operation, Key):
            changed = replace(operation, keys="+".join((*self._held, operation.keys)))
        elif isinstance(operation, Scroll) and (operation.dx or operation.dy):
            raise ActionUnsupported(
                f"the wheel cannot be turned while {' and '.join(self._held)} is held",
                suggestions=("let go of it with keyboard.up(…) first",),
            )
        kept: Operation[R] = changed
        return kept

    async def press(self, keys: str, *, receipt: bool = False) -> Done:
        """Press a chord, such as `Enter` or `ctrl+shift+s`."""
        return await self._app.run(Key(keys=keys, timeout=self._app.timeout, receipt=receipt))

    async def type(self, text: str, *, submit: bool = False, receipt: bool = False) -> Done:
        """Type text; `submit` presses Enter at the end."""
        return await self._app.run(
            TypeText(text=text, submit=submit, timeout=self._app.timeout, receipt=receipt)
        )


def _held_key(key: str) -> str:
    """The one name of a key that can be held."""
    if parse(key).modifiers or (name := modifier(key)) is None:
        raise InvalidKey(
            f"'{key}' cannot be held; those that can are Shift, Control, Alt and Meta",
            target=key,
            field="key",
            suggestions=("keyboard.press(…) presses any key",),
        )
    return name


class Clipboard:
    """The clipboard of the desktop that the app is on, as text; programs on that desktop share it.

    A text that is set is available until another one is copied. If the app is driven from outside by this
    process, as programs without deskhand inside are, it is also gone when the app is closed here.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    async def text(self) -> str:
        """What would be pasted now, as `get()`; an assignment is `set()`. In `deskhand.aio`, await it."""
        return await self.get()

    @text.setter
    def text(self, text: str) -> None:
        assign(self.set, text)

    async def get(self, *, timeout: float | None = None) -> str:
        """The text that would be pasted now; empty if nothing was copied.

        ActionFailed if it is not text, or a password that a password manager marked as one.
        """
        return await self._app.run(GetClipboard(timeout=self._app.timeout_or(timeout)))

    async def set(self, text: str, *, timeout: float | None = None) -> Done:
        """Put a text there; it can be pasted when this returns."""
        return await self._app.run(SetClipboard(text, timeout=self._app.timeout_or(timeout)))


class Mouse:
    """The mouse, at points of the screen in logical pixels. A locator's own methods aim better."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: str = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        receipt: bool = False,
    ) -> Done:
        """Click at a point."""
        return await self._app.run(
            Click(button=button, count=count, modifiers=tuple(modifiers), x=x, y=y, receipt=receipt)
        )

    async def dblclick(
        self,
        x: float,
        y: float,
        *,
        button: str = "left",
        modifiers: Sequence[str] = (),
        receipt: bool = False,
    ) -> Done:
        """Double-click at a point."""
        return await self.click(x, y, button=button, count=2, modifiers=modifiers, receipt=receipt)

    async def move(self, x: float, y: float) -> Done:
        """Move to a point."""
        return await self._app.run(Hover(x=x, y=y))

    async def down(self, x: float, y: float, *, button: str = "left") -> Done:
        """Press a button at a point and hold it."""
        return await self._app.run(MouseDown(button=button, x=x, y=y))

    async def up(self, x: float, y: float, *, button: str = "left") -> Done:
        """Let go of a button at a point."""
        return await self._app.run(MouseUp(button=button, x=x, y=y))

    async def drag(self, start: Position, end: Position, *, button: str = "left", steps: int = 10) -> Done:
        """Drag from a point to another."""
        (x, y), (to_x, to_y) = start, end
        return await self._app.run(Drag(x=x, y=y, to_x=to_x, to_y=to_y, button=button, steps=steps))

    async def wheel(self, dy: float = 0, dx: float = 0) -> Done:
        """Turn the wheel where the mouse is: `dy` notches down, `dx` to the right."""
        return await self._app.run(Scroll(dx=dx, dy=dy))
