"""Writes a trace in the format of Playwright's traces, version 8, for its viewer.

That format is for web pages: a screenshot becomes a page with one image, and the tree is left out. Viewers of
later versions read it as well.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from typing import Any

from .reader import Recorded

VERSION = 8
_PAGE = "page@1"
_FRAME = "frame@1"


def export(trace: Recorded) -> bytes:
    """The trace as the bytes of a zip."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as zipped:
        written = _Export(trace, zipped)
        lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in written.events())
        zipped.writestr("trace.trace", lines)
        zipped.writestr("trace.network", "")
    return output.getvalue()


class _Export:
    """The events and files of one trace."""

    def __init__(self, trace: Recorded, zipped: zipfile.ZipFile) -> None:
        self._trace = trace
        self._zipped = zipped
        self._images: dict[int, str] = {}
        """The data URL of each frame."""
        self._stored: set[str] = set()

    def events(self) -> list[dict[str, Any]]:
        trace, about = self._trace, self._trace.about
        frames = list(trace.frames.values())
        size = {"width": frames[0]["width"], "height": frames[0]["height"]} if frames else _size(None)
        first = {
            "type": "context-options",
            "version": VERSION,
            "origin": "library",
            "browserName": next((app.get("framework") for app in trace.apps.values()), None) or "deskhand",
            "platform": about["platform"],
            "wallTime": about["wall"] * 1000,
            "monotonicTime": 0,
            "title": about.get("title") or trace.path.name,
            "options": {"viewport": size, "deviceScaleFactor": 1},
            "sdkLanguage": "python",
            "contextId": "context@1",
        }
        timed: list[tuple[float, dict[str, Any]]] = []
        for group in trace.groups.values():
            timed += self._group(group)
        for step in trace.steps:
            timed += self._step(step)
        for number, frame in trace.frames.items():
            timed.append((frame["time"], self._shot(number, frame)))
        for entry in trace.log:
            timed.append((entry["time"], _log(entry)))
        # A stable sort: what belongs to one moment stays in its order.
        return [first, *(event for _, event in sorted(timed, key=lambda pair: pair[0]))]

    def _group(self, group: dict[str, Any]) -> list[tuple[float, dict[str, Any]]]:
        call, end = f"group@{group['group']}", group.get("end", group["time"])
        before = {
            "type": "before",
            "callId": call,
            "stepId": call,
            "startTime": group["time"] * 1000,
            "title": group["title"],
            "class": "Tracing",
            "method": "tracingGroup",
            "params": {"name": group["title"]},
        }
        if "parent" in group:
            before["parentId"] = f"group@{group['parent']}"
        return [(group["time"], before), (end, {"type": "after", "callId": call, "endTime": end * 1000})]

    def _step(self, step: dict[str, Any]) -> list[tuple[float, dict[str, Any]]]:
        call, start, end = f"call@{step['step']}", step["start"], step.get("end", step["start"])
        owner, _, method = (step.get("method") or f"App.{step['operation']}").rpartition(".")
        before: dict[str, Any] = {
            "type": "before",
            "callId": call,
            "stepId": call,
            "startTime": start * 1000,
            "title": step["title"],
            "class": owner or "App",
            "method": method,
            "params": _params(step),
            "pageId": _PAGE,
        }
        if "group" in step:
            before["parentId"] = f"group@{step['group']}"
        if step.get("stack"):
            before["stack"] = [self._line(line) for line in step["stack"]]
        after: dict[str, Any] = {"type": "after", "callId": call, "endTime": end * 1000}
        if "result" in step:
            after["result"] = step["result"]
        if "error" in step:
            error = step["error"]
            after["error"] = {"name": error["kind"], "message": error["message"]}
        events = [(start, before)]
        for name, at, event in (("before", start, before), ("after", end, after)):
            state = self._trace.states.get(step.get(name) or 0)
            if state is not None and state.get("frame") in self._trace.frames:
                event[f"{name}Snapshot"] = f"{name}@{call}"
                events.append((at, self._snapshot(call, name, state)))
        events += [
            (start, {"type": "log", "callId": call, "time": start * 1000, "message": text})
            for text in _notes(step)
        ]
        if (point := self._point(step)) is not None:
            events.append((start, {"type": "input", "callId": call, "point": point}))
        return [*events, (end, after)]

    def _snapshot(self, call: str, name: str, state: dict[str, Any]) -> dict[str, Any]:
        frame = self._trace.frames[state["frame"]]
        style = "margin:0;background:#000;overflow:hidden"
        image = [
            "IMG",
            {"src": self._image(state["frame"]), "style": "display:block;width:100%", "alt": "screenshot"},
        ]
        return {
            "type": "frame-snapshot",
            "snapshot": {
                "callId": call,
                "snapshotName": f"{name}@{call}",
                "pageId": _PAGE,
                "frameId": _FRAME,
                "frameUrl": "about:blank",
                "doctype": "html",
                "html": ["HTML", {}, ["HEAD", {}], ["BODY", {"style": style}, image]],
                "viewport": _size(frame),
                "timestamp": state["time"] * 1000,
                "wallTime": (self._trace.about["wall"] + state["time"]) * 1000,
                "collectionTime": 0,
                "resourceOverrides": [],
                "isMainFrame": True,
            },
        }

    def _shot(self, number: int, frame: dict[str, Any]) -> dict[str, Any]:
        png = self._trace.screenshot(number)
        assert png is not None, "every frame that is listed is stored"
        name = hashlib.sha1(png, usedforsecurity=False).hexdigest() + ".png"
        self._store(f"resources/{name}", png)
        return {
            "type": "screencast-frame",
            "pageId": _PAGE,
            "sha1": name,
            **_size(frame),
            "timestamp": frame["time"] * 1000,
        }

    def _image(self, number: int) -> str:
        if number not in self._images:
            png = self._trace.screenshot(number)
            assert png is not None, "its frame is listed"
            self._images[number] = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        return self._images[number]

    def _line(self, line: dict[str, Any]) -> dict[str, Any]:
        if "source" in line:
            name = hashlib.sha1(line["file"].encode(), usedforsecurity=False).hexdigest()
            self._store(f"resources/src@{name}.txt", self._trace.resource(line["source"]))
        return {"file": line["file"], "line": line["line"], "column": 0, "function": line["function"]}

    def _point(self, step: dict[str, Any]) -> dict[str, float] | None:
        state = self._trace.states.get(step.get("before") or 0)
        frame = None if state is None else self._trace.frames.get(state.get("frame", 0))
        if frame is None or "point" not in step:
            return None
        x, y = step["point"]
        return {"x": (x - frame["x"]) * frame["scale"], "y": (y - frame["y"]) * frame["scale"]}

    def _store(self, name: str, data: bytes) -> None:
        if name not in self._stored:
            self._stored.add(name)
            stored = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            self._zipped.writestr(name, data, stored)


def _params(step: dict[str, Any]) -> dict[str, Any]:
    params = {name: value for name, value in step["params"].items() if name != "target"}
    if "target" in step["params"]:
        params["selector"] = step["params"]["target"]
    return params


def _notes(step: dict[str, Any]) -> list[str]:
    """What was found out about a step, as lines of its log."""
    target = step.get("target", {})
    notes = []
    if "matches" in target:
        notes.append(f"{target['selector']} matches {target['matches']}")
    if "label" in target:
        notes.append(f"the target is {target['label']} at {target.get('bounds')}")
    notes += [f"waited {seconds:g} s: {what}" for seconds, what in step.get("waits", ())]
    receipt = step.get("receipt", {})
    notes += [line for name in ("changed", "added", "removed") for line in receipt.get(name, ())]
    return notes


def _log(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["type"] == "error":
        return {"type": "error", "message": entry.get("traceback") or entry["message"]}
    stream = entry.get("stream", "stdout")
    return {"type": stream, "timestamp": entry["time"] * 1000, "text": entry["text"]}


def _size(frame: dict[str, Any] | None) -> dict[str, int]:
    return (
        {"width": 1280, "height": 800}
        if frame is None
        else {name: frame[name] for name in ("width", "height")}
    )
