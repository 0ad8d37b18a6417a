"""A model's side of a task: it uses the tools of `deskhand mcp` by the SDK's client, and knows what it read.

What a test may do here is what a model could: call listed tools with arguments that their schemas allow, and
name nodes by what earlier answers said. `use` fails for a ref or a name that no answer contained, and for a
point if no screenshot was taken. Each task states how many calls and tokens it may take; what it took is
written to `build/tasks`.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jsonschema
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CHARACTERS = 4
"""Characters of a token: the estimate that `maxTokens` and the benchmarks use."""
PIXELS = 750
"""Pixels of a screenshot for each token, as vision models count them."""
FOLDER = Path("build/tasks")
"""Where the cost of each task is written."""
_NAMES = ("ref", "uid", "path", "name", "text")
"""What names a node in a target."""
_POINTS = ("x", "y")
_REF = re.compile(r'uid(?:=|":")([^)"\s]+)')
_SHOWN = 4000
"""Characters of an answer in the transcript of a failed task."""


@dataclass(frozen=True)
class Cost:
    """What a task took."""

    task: str
    calls: int
    read: int
    """Tokens of the list of tools, the instructions and all answers."""
    written: int
    """Tokens of the names and arguments of all calls."""
    seconds: float


class Model:
    """Calls tools, reads the texts of the answers, and counts both."""

    def __init__(self, portal: BlockingPortal, session: ClientSession) -> None:
        started = portal.call(session.initialize)
        tools = portal.call(session.list_tools).tools
        self._portal = portal
        self._session = session
        self._tools = {tool.name: tool for tool in tools}
        self._seen = ""
        self.screenshots: list[bytes] = []
        """What the model saw, as PNG."""
        self.transcript: list[str] = []
        self.calls = 0
        self.written = 0.0
        listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
        self.read = _tokens(_json(listed)) + _tokens(started.instructions or "")

    def use(self, tool: str, *, fails: bool = False, **arguments: Any) -> str:
        """Call a tool; the text of its answer. `fails` states that the answer is an error."""
        jsonschema.validate(arguments, self._tools[tool].input_schema)
        self._check_known(arguments)
        self.calls += 1
        self.written += _tokens(tool) + _tokens(_json(arguments))
        asked = time.monotonic()
        answer = self._portal.call(self._session.call_tool, tool, arguments)
        took = time.monotonic() - asked
        text = "\n".join(block.text for block in answer.content if block.type == "text")
        self.transcript.append(f"> {tool} {_json(arguments)}\n< after {took:.1f} s\n{text}")
        self.read += _tokens(text)
        if answer.structured_content is not None:
            self.read += _tokens(_json(answer.structured_content))
        for block in answer.content:
            if block.type == "image":
                self.screenshots.append(base64.b64decode(block.data))
                self.read += _image_tokens(self.screenshots[-1])
        self._seen += text
        assert answer.is_error is fails, self.transcript[-1]
        return text

    def perform(self, *actions: Mapping[str, Any], **options: Any) -> str:
        """`ui_perform`."""
        return self.use("ui_perform", actions=list(actions), **options)

    def _check_known(self, arguments: Any) -> None:
        """Fail if a node is named by something that no answer contained."""
        if isinstance(arguments, list):
            for each in arguments:
                self._check_known(each)
        if not isinstance(arguments, Mapping):
            return
        for key, value in arguments.items():
            if key in ("target", "ref", "from", "to", "root"):
                named = value if isinstance(value, Mapping) else {"ref": value}
                for kind in _NAMES:
                    if isinstance(named.get(kind), str):
                        assert named[kind] in self._seen, f"no answer contained {named[kind]!r}"
            elif key in _POINTS:
                assert self.screenshots, "a point is known only from a screenshot"
            self._check_known(value)


@contextmanager
def conversation(
    task: str, folder: Path, *, calls: int, tokens: int, way: str | None = None
) -> Iterator[Model]:
    """A model in a conversation with `deskhand mcp`, for a task that may take so many calls and tokens.

    `folder` is an empty one for the server's own files. Tokens are those read and written together. `way` is
    how programs are driven, if not in the richest way.
    """
    server = StdioServerParameters(
        command=str(Path(sys.executable).with_name("deskhand")),
        args=["mcp"],
        env={"DESKHAND_RUNTIME_DIR": str(folder), **({"DESKHAND_WAY": way} if way else {})},
    )
    begin = time.monotonic()
    with start_blocking_portal() as portal, ExitStack() as stack:
        streams = stack.enter_context(portal.wrap_async_context_manager(stdio_client(server)))
        session = stack.enter_context(portal.wrap_async_context_manager(ClientSession(*streams)))
        model = Model(portal, session)
        try:
            yield model
        except BaseException:
            print("\n\n".join(each[:_SHOWN] for each in model.transcript))
            raise
        seconds = time.monotonic() - begin
    cost = Cost(task, model.calls, round(model.read), round(model.written), round(seconds, 1))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', task.lower())}.json").write_text(_json(asdict(cost)) + "\n")
    assert cost.calls <= calls, f"{cost}: more than {calls} calls"
    assert cost.read + cost.written <= tokens, f"{cost}: more than {tokens} tokens"


def ref(answer: str, *words: str) -> str:
    """The ref of the only node that an answer describes with all these words."""
    nodes = [part for line in answer.splitlines() for part in re.split(r"(?=\{)", line)]
    described = [part for part in nodes if _REF.search(part) and all(word in part for word in words)]
    found = {first.group(1) for part in described if (first := _REF.search(part))}
    assert len(found) == 1, f"{words} are in {len(found)} nodes: {described[:5]}"
    return found.pop()


def click(target: str) -> dict[str, Any]:
    """The action that clicks a node."""
    return {"type": "click", "target": {"ref": target}}


def table(costs: list[Cost]) -> str:
    """The costs of tasks, in Markdown."""
    rows = [f"| {c.task} | {c.calls} | {c.read:,} | {c.written:,} | {c.seconds:g} |" for c in costs]
    head = ["| task | calls | tokens read | tokens written | seconds |", "|---|---|---|---|---|"]
    return "\n".join(head + rows)


def costs() -> list[Cost]:
    """What the last run of each task took."""
    return [Cost(**json.loads(path.read_text())) for path in sorted(FOLDER.glob("*.json"))]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tokens(text: str) -> float:
    return len(text) / CHARACTERS


def _image_tokens(png: bytes) -> float:
    width, height = struct.unpack(">II", png[16:24])
    return float(width * height / PIXELS)
