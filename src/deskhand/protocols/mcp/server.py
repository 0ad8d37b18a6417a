"""The MCP contract, server side: tools over any runner, or over several apps. No I/O, and no MCP library.

A transport that speaks MCP asks for `tools`, hands every call to `call`, and sends what it answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeVar

from ... import __version__
from ...model import operations as ops
from ...model.compound import Batch, Bounded, Performed, Step, Within
from ...model.errors import (
    ActionFailed,
    ActionsOff,
    DeskhandError,
    Disabled,
    InvalidParams,
    NotConnected,
    NotFound,
    NoWindows,
    ParseError,
    UiBusy,
)
from ...model.node import AppInfo, Image, Node, Rect, Window
from ...model.operations import Cancel, Runner
from ...model.policy import asked_by_client
from ...model.selector import by_uid
from ...model.tree import Tree
from ..jsontext import dumps, loads, loads_request, raw
from ..schema import check, record
from ..wirelog import FOCUSED, WireLog
from . import difference as mcp_difference
from . import find as mcp_find
from . import perform as mcp_perform
from . import target as mcp_target
from . import text as mcp_text
from . import windows as mcp_windows
from .errors import for_caller, message_of, reason_of
from .node import Include, encode, encode_match
from .refs import Given, as_ref, resolve, target_ref
from .results import Answer, Parts, done, failure_of, first_failure, result_of, with_image, without_image
from .scene import Scene, Stage, no_stages, searched, stage_at
from .shots import Cut, Draw, Frame, Shot, Shots, cut_out, marked, region_on_screen, shown_part
from .snapshot import SCHEMA, UNTRUSTED, choose, fields_of, settings_of, snapshot, stages_of
from .tools import (
    ACTING,
    ALIASES,
    APP_TOOLS,
    INSTRUCTIONS,
    INSTRUCTIONS_APPS,
    LIMIT,
    PROMPTS,
    TIMEOUT_MS,
    UI_TOOLS,
    WITHOUT_APP,
    for_models,
    for_programs,
    prompt_text,
)

R = TypeVar("R")

_PATIENCE = 1.0
"""How long the app may take to answer what is asked only for the log, or for a hint, in seconds."""
_SETTLE = 2.0
"""How long the app may take to be idle after a window was operated, in seconds."""
_LEAST = 0.001
"""The shortest timeout of a wait, in seconds."""
_CLIP = 20_000
"""How many characters of the clipboard are shown."""
_REFUSED = ("ui_perform", "app_launch", "app_close")
"""What a read-only server does not do, whatever is asked for."""
_CHECKED = {
    # Each action is checked for itself: one that is wrong fails, and the others are done.
    "ui_perform": record(
        {**UI_TOOLS["ui_perform"].schema["properties"], "actions": {"type": "array"}},
        required=("actions",),
    ),
    # The contract has an error of its own for no selector.
    "ui_query": {**UI_TOOLS["ui_query"].schema, "required": []},
}
_TYPED = {"typeText": "text", "setText": "text", "pressKey": "key"}
"""The actions that can type a password, and where it is in them."""
_OPAQUE = (
    "it has no accessibility: what is inside cannot be read; use ui_screenshot, click at its pixels, and type"
)
_MOST = 100_000


class UnknownTool(LookupError):
    """There is no tool, or no prompt, of that name."""


class Chosen(NamedTuple):
    """The app that the tools are about."""

    number: int
    """Counts the apps that were opened, from 1, so that what is known of one is never taken for another."""
    runner: Runner


class Apps(Protocol):
    """Several apps, of which one is chosen."""

    def current(self) -> Chosen:
        """The chosen app; NoWindows if there is none."""

    def listed(self) -> list[dict[str, Any]]: ...

    def launch(self, wanted: Mapping[str, Any]) -> dict[str, Any]: ...

    def attach(self, wanted: Mapping[str, Any]) -> dict[str, Any]: ...

    def let_go(self, wanted: Mapping[str, Any]) -> dict[str, Any]: ...

    def name_of(self, number: int) -> str | None:
        """The name of an app that is open, by its number."""


class McpServer:
    """Answers the tools of the contract for one runner, or for whichever of several apps is chosen."""

    def __init__(
        self,
        runner: Runner | None = None,
        *,
        apps: Apps | None = None,
        read_only: bool = False,
        log: WireLog | None = None,
        draw: Draw | None = None,
        cut: Cut | None = None,
        parts: Parts = "structured",
    ) -> None:
        """Give a runner, or apps.

        `draw` draws marks on screenshots; without it they are listed only. `cut` cuts and scales them.
        """
        self.name = "deskhand"
        self.version = __version__
        self.instructions = INSTRUCTIONS if apps is None else INSTRUCTIONS_APPS
        self._runner = runner
        self._apps = apps
        self._read_only = read_only
        self._log = log
        self._draw = draw
        self._cut = cut
        self._shots = Shots()
        self._parts: Parts = parts
        self._given: dict[int, Given] = {}
        self._about: dict[int, AppInfo] = {}
        self._tools: dict[str, Callable[[Any, Cancel], Answer]] = {
            "ui_get_snapshot": self._snapshot,
            "ui_query": self._query,
            "ui_get_node": self._get_node,
            "ui_perform": self._perform,
            "ui_wait": self._wait,
            "ui_screenshot": self._screenshot,
            "ui_window": self._window,
            "ui_clipboard": self._clipboard,
        }
        if apps is not None:
            self._tools["app_list"] = lambda _, __: Answer({"apps": apps.listed()})
            self._tools["app_launch"] = lambda wanted, cancel: self._opened(apps.launch(wanted), cancel)
            self._tools["app_attach"] = lambda wanted, cancel: self._attach(apps, wanted, cancel)
            self._tools["app_close"] = lambda wanted, _: Answer(apps.let_go(wanted))
        self._listed = {**UI_TOOLS, **(APP_TOOLS if apps is not None else {})}

    # -- what a transport asks ---------------------------------------------------------------------

    def tools(self) -> list[dict[str, Any]]:
        """The entries of tools/list."""
        entry = for_models if self._parts == "content" else for_programs
        return [
            entry(tool) for name, tool in self._listed.items() if not (self._read_only and name in ACTING)
        ]

    def prompts(self) -> list[dict[str, Any]]:
        """The entries of prompts/list."""
        return list(PROMPTS.values())

    def prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        """The answer to prompts/get; UnknownTool or ValueError."""
        if name not in PROMPTS:
            raise UnknownTool(f"there is no prompt '{name[:60]}'; there are {', '.join(PROMPTS)}")
        message = {"role": "user", "content": {"type": "text", "text": prompt_text(name, arguments)}}
        return {"description": PROMPTS[name]["description"], "messages": [message]}

    def read(self, message: bytes) -> Any:
        """The data of a JSON text; ValueError if it is none, or too large to be read."""
        try:
            return loads_request(message)
        except ParseError as error:
            raise ValueError(str(error)) from None

    def health(self) -> dict[str, Any]:
        """What /health says."""
        return {
            "ok": True,
            "schema": SCHEMA,
            "transport": "streamable-http-stateless",
            "tools": [entry["name"] for entry in self.tools()],
            "deskhand": __version__,
        }

    def call(self, name: str, arguments: Any, cancel: Cancel, peer: str = "mcp") -> dict[str, Any]:
        """The answer to tools/call. Raises UnknownTool, and nothing else."""
        result: dict[str, Any] = loads(self.call_json(name, arguments, cancel, peer))
        return result

    def call_json(self, name: str, arguments: Any, cancel: Cancel, peer: str = "mcp") -> bytes:
        """The same as JSON text, which a large answer is anyhow."""
        name = ALIASES.get(name, name)
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownTool(f"Unknown tool: {name[:60]}; there are {', '.join(self._tools)}")
        arguments = _unwrapped({} if arguments is None else arguments)
        if self._log is not None:
            self._note(peer, name, arguments)
        client = asked_by_client.set(getattr(cancel, "ask", None))
        try:
            if self._read_only and name in _REFUSED:
                raise _actions_off()
            answer = tool(check(_CHECKED.get(name) or self._listed[name].schema, arguments), cancel)
            result = result_of(answer, self._parts)
        except DeskhandError as error:
            result = failure_of(self._reworded(self._switched_off(error) or error))
        except Exception as error:
            import logging  # which takes some milliseconds, and is needed for this alone

            logging.getLogger("deskhand").exception("%s failed", name)
            result = failure_of(DeskhandError(f"{type(error).__name__}: {error}"))
        finally:
            asked_by_client.reset(client)
        if self._log is not None:
            self._log.write(peer, "out", dumps(without_image(result), raw))
        if self._parts == "content":
            del result["structuredContent"]
        return dumps(result, raw)

    def _switched_off(self, error: DeskhandError) -> Disabled | None:
        """That the server is switched off, if it is: that comes before what is wrong with a call."""
        if not isinstance(error, (InvalidParams, ActionsOff)) or self._runner is None:
            return None
        try:
            self._runner.run(ops.MayRead())
        except Disabled as off:
            return off
        except DeskhandError:
            pass
        return None

    def _reworded(self, error: DeskhandError) -> DeskhandError:
        """The error in terms that the caller of a tool knows, uids included."""
        error = for_caller(error, ("start it again",) if self._apps is None else WITHOUT_APP)
        for given in list(self._given.values()):
            error.message = given.reworded(error.message)
            error.target = None if error.target is None else given.reworded(error.target)
        return error

    # -- looking -----------------------------------------------------------------------------------

    def _current(self) -> tuple[Chosen, Given]:
        chosen = Chosen(1, self._runner) if self._runner is not None else None
        if chosen is None:
            assert self._apps is not None
            chosen = self._apps.current()
        return chosen, self._given.setdefault(chosen.number, Given(chosen.number))

    def _scene(
        self, chosen: Chosen, cancel: Cancel | None, *, internals: bool = False, details: bool = False
    ) -> Scene:
        """The app as it is now."""
        return self._remembered(chosen, self._tree(chosen, cancel, internals=internals, details=details))

    def _tree(
        self, chosen: Chosen, cancel: Cancel | None, *, internals: bool = False, details: bool = False
    ) -> Tree:
        found = chosen.runner.run(ops.ReadTree(internals=internals, details=details), cancel).tree
        assert found is not None, "without a revision to compare with, a whole tree comes"
        return found

    def _remembered(self, chosen: Chosen, tree: Tree) -> Scene:
        return self._given[chosen.number].scene(tree)

    def _snapshot(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        full = wanted.get("mode", "compact") == "full"
        settings = settings_of(wanted, full)
        included = wanted.get("include", {})
        internals = wanted.get("includeControlInternals", included.get("controlInternals", False))
        asked = wanted.get("sinceRevision")
        since = None if asked is None else given.own_revision(asked)
        details = settings.include.properties
        plain = not internals and not details
        view = ops.ReadTree(internals=internals, details=details, since=since, whole=plain)
        found = chosen.runner.run(view, cancel)
        if found.difference is not None:
            # What changed is described by where it is among the nodes that every result has.
            tree = found.tree if plain or found.difference.empty else self._tree(chosen, cancel)
            return self._changes(chosen, found.difference, tree)
        assert found.tree is not None, "it is one or the other"
        scene = self._remembered(chosen, found.tree)
        given.show_windows(found.tree.windows, all_=True)
        stages: list[tuple[Stage, Node]]
        if "root" in wanted:
            node = self._resolve(as_ref(wanted["root"]), chosen, given, scene, cancel)
            node = scene.tree.get(node.uid) or node
            stage = scene.stage_of(node)
            if stage is None:
                raise NotFound(f"{node} is in no window that is shown", ref={"uid": node.uid})
            stages = [(stage, node)]
        else:
            stages = [(stage, stage.root) for stage in stages_of(scene, wanted)]
        others = "root" not in wanted and ("stage" in wanted or "stageIndex" not in wanted)
        page = mcp_text.page(scene, stages, settings, others=others)
        if settings.max_tokens is not None:
            shown = page.shown
        else:
            shown = choose(scene, stages, settings)
            if others:
                shown = shown.beside(scene)
        output = snapshot(scene, shown, settings, self._app(chosen))
        notes = page.notes
        if asked is not None:
            output["unknownRevision"] = asked
            notes += f"\nrevision {asked} is another app's or forgotten, so this is everything"
        if any(_is_opaque(stage.root) for stage, _ in stages):
            output["hint"] = _OPAQUE
            notes += f"\n{_OPAQUE}"
        return Answer(output, (page.tree, notes))

    def _changes(self, chosen: Chosen, found: ops.Difference, tree: Tree | None) -> Answer:
        """What changed, and led to that tree."""
        scene = None
        if tree is not None and (found.added or found.changed):
            scene = self._remembered(chosen, tree)
        given = self._given[chosen.number]
        given.show_windows(found.windows_opened, found.windows_closed)
        written = None if scene is None else mcp_text.Lines(scene)
        report = mcp_difference.difference(scene, given.tag_difference(found), given.earlier, written)
        return Answer({"schema": SCHEMA, **report}, (mcp_difference.lines(report, scene, written),))

    def _app(self, chosen: Chosen) -> AppInfo:
        about = self._about.get(chosen.number)
        if about is None:
            about = self._about[chosen.number] = chosen.runner.run(ops.GetAppInfo())
        return about

    def _query(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, _ = self._current()
        selector = wanted.get("selector", {})
        if not selector.keys() & {"css", "text", "predicate"}:
            raise mcp_find.no_selector()
        scene = self._scene(chosen, cancel)
        if not scene.stages:
            raise no_stages()
        scope = wanted.get("scope", {})
        stages = searched(scene, scope)
        found = [] if mcp_find.has_states(selector) else self._native(chosen, scene, stages, selector, cancel)
        if not found:
            # Fallback: the toolkit's own CSS knows no roles and no attributes, which work everywhere else.
            found = mcp_find.find(scene.tree, stages, selector)
        if not found:
            # Fallback: the inner parts of controls, which are in results only if a selector names them.
            scene, found = self._inner(chosen, scene, scope, selector, cancel)
        limit = wanted.get("limit", LIMIT)
        output: dict[str, Any] = {"matches": [encode_match(scene, node) for node in found[:limit]]}
        if len(found) > limit:
            output["leftOut"] = {"matches": len(found) - limit, "how": f"a limit above {limit} has them"}
        if self._parts == "structured":
            return Answer(output)
        return Answer(output, (mcp_text.matches(scene, found, limit), UNTRUSTED))

    def _native(
        self,
        chosen: Chosen,
        scene: Scene,
        stages: Sequence[Stage],
        selector: Mapping[str, Any],
        cancel: Cancel,
        *,
        internals: bool = False,
    ) -> list[Node]:
        """What the toolkit's own CSS finds, where it has one."""
        if not mcp_find.has_own_css(stages, selector):
            return []
        look = ops.Find(selector["css"], limit=_MOST, internals=internals, native=True)
        found = chosen.runner.run(look, cancel)
        tagged = self._given[chosen.number].tagged
        wanted = {tagged(node.uid) for node in found}
        nodes = [
            node
            for stage in stages
            for node in (stage.root, *scene.tree.descendants(stage.root))
            if node.uid in wanted
        ]
        return mcp_find.filtered(nodes, selector)

    def _inner(
        self,
        chosen: Chosen,
        scene: Scene,
        scope: Mapping[str, Any],
        selector: Mapping[str, Any],
        cancel: Cancel,
    ) -> tuple[Scene, list[Node]]:
        """What the toolkit's own CSS finds inside of controls, and the scene with them."""
        if not mcp_find.has_own_css(scene.stages, selector) or mcp_find.has_states(selector):
            return scene, []
        whole = self._scene(chosen, cancel, internals=True)
        return whole, self._native(chosen, whole, searched(whole, scope), selector, cancel, internals=True)

    def _get_node(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        scene = self._scene(chosen, cancel)
        node = self._resolve(as_ref(wanted["ref"]), chosen, given, scene, cancel)
        own = given.own_uid(node.uid)
        assert own is not None
        detailed = given.tag(Tree([chosen.runner.run(ops.Get(by_uid(own)), cancel)])).nodes[0]
        if scene.tree.get(node.uid) is None:
            scene = self._scene(chosen, cancel, internals=True)
        include = Include(properties=True, accessibility=True)
        encoded = encode(scene, detailed, include)
        if "properties" in wanted:
            properties = encoded["fx"]["properties"]
            encoded["fx"]["properties"] = {
                name: properties[name] for name in wanted["properties"] if name in properties
            }
        if wanted.get("includeChildren"):
            children = scene.tree.children(node)
            encoded["children"] = [encode(scene, child, Include()) for child in children]
        if (fields := fields_of(wanted)) is not None:
            kept = fields | {"ref", "type"} | ({"children"} if wanted.get("includeChildren") else set())
            encoded = {name: value for name, value in encoded.items() if name in kept}
        return Answer(encoded)

    def _resolve(
        self,
        ref: Mapping[str, Any],
        chosen: Chosen,
        given: Given,
        scene: Scene | None,
        cancel: Cancel | None,
        patience: float = 0.0,
    ) -> Node:
        known = scene
        if mcp_target.is_described(ref):
            now = lambda: self._scene(chosen, cancel)  # noqa: E731 - read only if it is needed
            return mcp_target.find_described(ref, given, chosen.runner, now, patience, cancel)
        self._insist_on_this_app(ref, given)

        def read(inner: bool) -> Scene:
            if known is not None and not inner:
                return known
            return self._scene(chosen, cancel, internals=inner)

        return resolve(ref, given, chosen.runner, read)

    def _insist_on_this_app(self, ref: Mapping[str, Any], given: Given) -> None:
        """NotFound for a node of another app, which says whose it is."""
        uid = ref.get("uid")
        if uid is None or given.own_uid(uid) is not None:
            return
        owner = next((other for other in list(self._given.values()) if other.is_of(uid)), None)
        if owner is None:
            return
        name = None if self._apps is None else self._apps.name_of(owner.number)
        whose = "an app that is closed" if name is None else f"the app '{name}'"
        raise NotFound(
            f"Node not found for uid={uid} path={ref.get('path', 'null')}: it belongs to {whose}, and the "
            "ui_ tools are about another now",
            ref={part: ref[part] for part in ("path", "uid") if part in ref},
            suggestions=() if name is None else ("app_attach chooses that app",),
        )

    # -- acting ------------------------------------------------------------------------------------

    def _opened(self, opened: dict[str, Any], cancel: Cancel) -> Answer:
        """That an app is the current one now; with what to do if only its windows are known."""
        chosen, _ = self._current()
        with suppress(DeskhandError):  # the next call says what is wrong
            roots = chosen.runner.run(ops.Find(":root", timeout=_PATIENCE), cancel)
            if roots and all(map(_is_opaque, roots)):
                opened["hint"] = _OPAQUE
        return Answer(opened)

    def _attach(self, apps: Apps, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        # To choose an app changes nothing; to put an agent into it does.
        if wanted.get("inside") and self._read_only:
            raise _actions_off()
        try:
            opened = apps.attach(wanted)
        except NotFound as error:
            error.suggestions = WITHOUT_APP
            raise
        return self._opened(opened, cancel)

    def _perform(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        batch = Batch(
            tuple(self._step(data, chosen, given, cancel) for data in wanted["actions"]),
            timeout=wanted.get("timeoutMs", TIMEOUT_MS) / 1000,
            stop=wanted.get("onError", "stop") == "stop",
            settle=wanted.get("awaitUiIdle", True),
            receipt=wanted.get("receipt", True),
        )
        performed = chosen.runner.run(batch, cancel)
        if performed.before is not None and given.shown_windows is None:
            given.show_windows(performed.before.windows)
        failed: list[tuple[int, DeskhandError]] = []
        results: list[dict[str, Any]] = []
        for at, (data, outcome) in enumerate(zip(wanted["actions"], performed.outcomes, strict=True)):
            kind = data.get("type") if isinstance(data, dict) else None
            if outcome.after is not None:
                error = f"not run, because action {outcome.after} failed"
                results.append({"ok": False, "type": kind, "skipped": True, "error": error})
            elif outcome.error is not None:
                wrong = self._reworded(outcome.error)
                failed.append((at, wrong))
                reason = reason_of(wrong)
                results.append({"ok": False, "type": kind, "error": message_of(wrong), "reason": reason})
            else:
                results.append({"ok": True, "type": kind})
        output: dict[str, Any] = {"results": results}
        if performed.idle is not None:
            output["idle"] = performed.idle
        changes = self._receipt(output, chosen, performed)
        texts = () if self._parts == "structured" else ("\n".join((done(output), *changes)), UNTRUSTED)
        return Answer(output, texts, None, first_failure(failed, results))

    def _step(self, data: Any, chosen: Chosen, given: Given, cancel: Cancel) -> Step:
        """An action of a batch, which finds its target when those before it are done."""

        def make(runner: Bounded, patience: float) -> ops.Action:
            bounded = chosen._replace(runner=runner)
            action = mcp_perform.checked(data)
            if "screenshot" in action:
                action = mcp_perform.on_screen(action, self._shot(action["screenshot"], bounded, given))

            def uid_of(target: Any) -> str:
                ref = target_ref(target)
                own = given.own_uid(self._resolve(ref, bounded, given, None, cancel, patience).uid)
                assert own is not None
                return own

            return mcp_perform.operation(action, uid_of, patience)

        return make

    def _shot(self, name: str, chosen: Chosen, given: Given) -> Shot:
        """A screenshot by its name, if what it shows is still where it was."""

        def bounds_of(uid: str) -> Rect | None:
            found = chosen.runner.run(ops.Find(by_uid(given.own_uid(uid) or uid), limit=1, internals=True))
            return found[0].bounds if found else None

        return self._shots.get(name, chosen.number, bounds_of)

    def _window(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        windows = chosen.runner.run(ops.ListWindows(), cancel)
        do = wanted.get("do", "list")
        if do == "list":
            scene = self._scene(chosen, cancel)
            given.show_windows(windows, all_=True)
            return Answer({"windows": [mcp_windows.described(each, given, scene) for each in windows]})
        if self._read_only:
            raise _actions_off()
        own = self._window_uid(wanted, windows, chosen, given, cancel)
        sizes: dict[str, Any] = {name: wanted.get(name) for name in ("x", "y", "width", "height")}
        chosen.runner.run(ops.ControlWindow(by_uid(own), do=do, **sizes), cancel)
        output: dict[str, Any] = {"ok": True, "do": do}
        try:
            self._idle(chosen, _SETTLE, cancel)
            scene = self._scene(chosen, cancel)
            now = chosen.runner.run(ops.ListWindows(), cancel)
            given.show_windows(now, all_=True)
            output["windows"] = [mcp_windows.described(each, given, scene) for each in now]
        except (NotConnected, NoWindows) as error:
            # It was the last one, and its app has ended.
            output["windows"] = []
            if isinstance(error, NotConnected):
                code = error.details.get("exit_code")
                output |= {"exited": True, **({} if code is None else {"exitCode": code})}
        return Answer(output)

    def _window_uid(
        self,
        wanted: Mapping[str, Any],
        windows: Sequence[Window],
        chosen: Chosen,
        given: Given,
        cancel: Cancel,
    ) -> str:
        """The app's own uid of a window: by its title, its index or a node in it; else of the focused one."""
        if "window" in wanted:
            return mcp_windows.by_title(windows, wanted["window"], "contains").uid
        scene = self._scene(chosen, cancel)
        if "ref" in wanted:
            uid = self._resolve(as_ref(wanted["ref"]), chosen, given, scene, cancel).uid
        else:
            uid = stage_at(scene, wanted.get("stageIndex", -1)).window.uid
        own = given.own_uid(uid)
        assert own is not None
        return own

    def _clipboard(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, _ = self._current()
        if "text" not in wanted:
            text = chosen.runner.run(ops.GetClipboard(), cancel)
            output: dict[str, Any] = {"text": text[:_CLIP]}
            if len(text) > _CLIP:
                output["leftOut"] = {"characters": len(text) - _CLIP}
            return Answer(output)
        if self._read_only:
            raise _actions_off()
        chosen.runner.run(ops.SetClipboard(wanted["text"]), cancel)
        return Answer({"ok": True})

    def _idle(self, chosen: Chosen, seconds: float, cancel: Cancel) -> bool:
        try:
            chosen.runner.run(ops.WaitIdle(timeout=min(_SETTLE, max(seconds, 0.05))), cancel)
        except UiBusy:
            return False
        except (NotConnected, NoWindows):
            return True  # it was asked to end, and did
        return True

    def _receipt(self, output: dict[str, Any], chosen: Chosen, performed: Performed) -> Sequence[str]:
        """Say what changed, if that was requested; if the app has ended or does not answer, say that.

        Puts it into the output, and returns it as text.
        """
        if performed.unknown is not None:
            exited = performed.exit
            code = performed.unknown.details.get("exit_code")
            if code is None and exited is None:
                output["receipt"] = {"unknown": message_of(self._reworded(performed.unknown))}
                return (f"what changed is unknown: {output['receipt']['unknown']}",)
            code = code if exited is None or exited.code is None else exited.code
            output["receipt"] = {"exited": True, **({} if code is None else {"exitCode": code})}
            return ("the app has ended" + ("" if code is None else f" with exit code {code}"),)
        if performed.after is None or performed.before is None:
            return ()
        found = performed.after
        if found.difference is None:
            output["revision"] = self._given[chosen.number].revision(found.revision)
            return (f"revision {output['revision']}; ui_get_snapshot shows what there is now",)
        if found.difference.removed:
            self._remembered(chosen, performed.before)  # needed for the report
        receipt, texts, *_ = self._changes(chosen, found.difference, found.tree)
        del receipt["schema"]
        output["revision"] = receipt["revision"]
        output["receipt"] = receipt
        return texts

    # -- waiting and screenshots -----------------------------------------------------------------------

    def _wait(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        timeout = wanted.get("timeoutMs", TIMEOUT_MS) / 1000
        until = wanted.get("until", "visible")
        if until == "idle":
            waited = chosen.runner.run(ops.WaitIdle(timeout=timeout), cancel)
            return Answer({"ok": True, "until": until, "elapsedMs": round(waited.elapsed * 1000)})
        if until in (mcp_windows.OPENED, mcp_windows.CLOSED) or "window" in wanted:
            return self._wait_for_window(until, wanted, chosen, given, timeout, cancel)
        if "ref" not in wanted and "selector" not in wanted:
            raise InvalidParams(
                "ui_wait needs a 'ref', a 'selector' or a 'window', or until idle", field="selector"
            )
        began = time.monotonic()

        def make(runner: Bounded) -> ops.Wait:
            target = self._awaited(wanted, chosen._replace(runner=runner), given, cancel)
            return ops.Wait(
                target,
                until,
                value=wanted.get("value"),
                count=wanted.get("count"),
                match=wanted.get("match", "contains"),
                # A text is often there twice, on a button and inside of it.
                any_match=True,
                timeout=max(round(runner.left, 1), _LEAST),
            )

        operation = chosen.runner.run(Within(make, timeout), cancel)
        waited = chosen.runner.run(operation, cancel)
        elapsed = time.monotonic() - began
        output: dict[str, Any] = {"ok": True, "until": until, "elapsedMs": round(elapsed * 1000)}
        if waited.count is not None:
            output["count"] = waited.count
        if waited.node is not None:
            output["ref"] = {"uid": given.tagged(waited.node.uid)}
        return Answer(output)

    def _wait_for_window(
        self,
        until: str,
        wanted: Mapping[str, Any],
        chosen: Chosen,
        given: Given,
        timeout: float,
        cancel: Cancel,
    ) -> Answer:
        until = mcp_windows.condition(until)
        began = time.monotonic()
        found: Window | None = None
        try:
            found = chosen.runner.run(
                mcp_windows.awaited(until, wanted, given.shown_windows, timeout), cancel
            )
        except NotConnected:
            if until != mcp_windows.CLOSED:
                raise  # else it has ended, and its windows with it
        except UiBusy as busy:
            busy.message = f"the app does not answer in time: {busy.message}"
            busy.suggestions = (*busy.suggestions, "try again later, or give more time")
            raise
        elapsed = round((time.monotonic() - began) * 1000)
        output: dict[str, Any] = {"ok": True, "until": until, "elapsedMs": elapsed}
        if found is not None:
            given.show_windows([found])
            output["window"] = mcp_windows.described(found, given, self._scene(chosen, cancel))
        return Answer(output)

    def _awaited(self, wanted: Mapping[str, Any], chosen: Chosen, given: Given, cancel: Cancel) -> str:
        """A selector of what is to be waited for."""
        scene = self._scene(chosen, cancel)
        if "ref" in wanted:
            return self._target(wanted, chosen, given, scene, cancel)
        return mcp_find.to_selector(scene.tree, wanted["selector"])

    def _target(
        self, wanted: Mapping[str, Any], chosen: Chosen, given: Given, scene: Scene, cancel: Cancel
    ) -> str:
        ref = as_ref(wanted["ref"])
        if mcp_target.is_described(ref):
            return mcp_target.selector_of(ref)
        try:
            own = given.own_uid(self._resolve(ref, chosen, given, scene, cancel).uid)
        except NotFound:
            waits = wanted.get("until") in ("gone", "hidden") and given.knows(ref)
            own = given.own_uid(ref.get("uid", "")) if waits else None
            if not own:
                raise
        assert own is not None
        return by_uid(own)

    def _screenshot(self, wanted: Mapping[str, Any], cancel: Cancel) -> Answer:
        chosen, given = self._current()
        if "screenshot" in wanted:
            region = wanted.get("region")
            if region is None:
                raise InvalidParams("'screenshot' needs a 'region' of it", field="region")
            shot = self._shot(wanted["screenshot"], chosen, given)
            wanted = {**wanted, "region": region_on_screen(region, shot)}
        if wanted.get("desktop"):
            image, frame, nodes, scene = self._of_desktop(wanted, chosen, cancel)
        else:
            image, frame, nodes, scene = self._of_node(wanted, chosen, given, cancel)
        output: dict[str, Any] = {"contentType": "image/png"}
        if frame is None:
            if "region" in wanted:
                raise ActionFailed("where that is on the screen is not known, so it has no region")
        else:
            image, frame = cut_out(image, frame, wanted, self._cut)
            shot = self._shots.add(chosen.number, frame, image)
            output |= {
                "screenshot": shot.name,
                "origin": {"x": frame.rect.x, "y": frame.rect.y},
                "scale": round(shot.scale, 4),
            }
        output |= {"width": image.width, "height": image.height}
        if wanted.get("marks"):
            scene = scene or self._scene(chosen, cancel)
            seen = nodes if nodes is not None else scene.tree.nodes
            image = marked(image, seen, None if frame is None else frame.rect, scene, output, self._draw)
        return with_image(output, image)

    def _of_node(
        self, wanted: Mapping[str, Any], chosen: Chosen, given: Given, cancel: Cancel
    ) -> tuple[Image, Frame | None, Sequence[Node], Scene]:
        """A window or a node, what of the screen that is, and the nodes in it."""
        scene = self._scene(chosen, cancel)
        stage = stage_at(scene, wanted.get("stageIndex", -1))
        node = scene.tree.get(stage.window.uid) or stage.root
        if "ref" in wanted:
            node = self._resolve(as_ref(wanted["ref"]), chosen, given, scene, cancel)
            stage = scene.stage_of(node) or stage
        own = given.own_uid(node.uid)
        assert own is not None
        image = chosen.runner.run(ops.Screenshot(by_uid(own)), cancel)
        around = node.bounds or stage.window.bounds
        rect = None if around is None else shown_part(image, around, stage.window.bounds)
        frame = None if rect is None else Frame(rect, node.uid, node.bounds)
        return image, frame, (node, *scene.tree.descendants(node)), scene

    def _of_desktop(
        self, wanted: Mapping[str, Any], chosen: Chosen, cancel: Cancel
    ) -> tuple[Image, Frame | None, None, None]:
        """The whole desktop; marks are on what belongs to the app, in all of its windows."""
        for other in ("ref", "stageIndex"):
            if wanted.get(other, -1) != -1:
                raise InvalidParams(f"a screenshot of the desktop takes no '{other}'", field=other)
        image = chosen.runner.run(ops.Screenshot(desktop=True), cancel)
        rect = Rect(0, 0, image.width / image.scale, image.height / image.scale)
        return image, Frame(rect), None, None

    # -- the log -----------------------------------------------------------------------------------

    def _note(self, peer: str, name: str, arguments: Any) -> None:
        """Log a call, without what it types into a password field."""
        assert self._log is not None
        if (
            self._log.text
            and name == "ui_perform"
            and isinstance(arguments, dict)
            and isinstance(arguments.get("actions"), list)
        ):
            arguments = {**arguments, "actions": self._without_secrets(arguments["actions"])}
        message = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        self._log.write(peer, "in", dumps(message, str))

    def _without_secrets(self, actions: list[Any]) -> list[Any]:
        """Actions without what they type, if that may be a password, or if that is not known in time."""
        if not any(map(_typed, actions)):
            return actions

        def mask(runner: Bounded) -> list[Any]:
            bounded = chosen._replace(runner=runner)
            return [self._masked(action, at == 0, bounded, given) for at, action in enumerate(actions)]

        try:
            chosen, given = self._current()
            return chosen.runner.run(Within(mask, _PATIENCE))
        except DeskhandError:
            return [self._masked(action, False, None, None) for action in actions]

    def _masked(self, action: Any, first: bool, chosen: Chosen | None, given: Given | None) -> Any:
        """An action without what it types, if that may be a password in the chosen app, or if none is."""
        typed = _typed(action)
        if typed is None:
            return action

        def reached() -> Sequence[Node]:
            if chosen is None or given is None:
                return ()
            if isinstance(action.get("target"), (dict, str)):
                with suppress(AttributeError, TypeError):  # of a target that is none
                    return [self._resolve(target_ref(action["target"]), chosen, given, None, None)]
                return ()
            # Where the actions before it will put the focus is not known yet: it may be any of these.
            return chosen.runner.run(ops.Find(FOCUSED, limit=2) if first else ops.Find("*", limit=_MOST))

        assert self._log is not None
        return self._log.masked(action, typed, reached)


# -- below -----------------------------------------------------------------------------------------


def _typed(action: Any) -> str | None:
    """The member of an action that is typed; None if it types nothing."""
    kind = action.get("type") if isinstance(action, dict) else None
    return _TYPED.get(kind) if isinstance(kind, str) else None


def _unwrapped(arguments: Any) -> Any:
    """Some clients wrap the arguments once more."""
    if isinstance(arguments, dict) and arguments.keys() == {"name", "arguments"}:
        inner = arguments["arguments"]
        return {} if inner is None else inner
    return arguments


def _is_opaque(root: Node) -> bool:
    """Whether all that is known of a window is that it is there."""
    return root.backend == "x11"


def _actions_off() -> ActionsOff:
    return ActionsOff(
        "Actions are disabled", suggestions=("start the server, or make the token, without --read-only",)
    )
