"""An agent that knows only what tools/list and the results say fills and submits a form.

It talks to `deskhand mcp` by the SDK's client over stdio, as a chat client does, and starts the program.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

DEMO = Path(__file__).parents[3] / "demo"
FORMS = {
    "qt": [sys.executable, str(DEMO / "qt_form.py"), "--rows", "20"],
    "javafx": [str(DEMO / "javafx_form" / "run.sh")],
}
LINE = re.compile(r' *(?P<type>\w+)(?:#(?P<id>\S+))? \(uid=(?P<uid>[^)]+)\)(?: "(?P<label>.*)")?')


class Agent:
    """Calls only tools that are listed, with arguments that their schemas allow, and reads only texts."""

    def __init__(self, client: ClientSession) -> None:
        self._client = client
        self._tools: dict[str, Any] = {}
        self.said: list[str] = []
        """The transcript."""

    async def begin(self) -> None:
        self._tools = {tool.name: tool for tool in (await self._client.list_tools()).tools}
        assert not any(tool.output_schema for tool in self._tools.values())

    def tool(self, *words: str) -> str:
        """The tool whose description has these words."""
        found = [
            name for name, tool in self._tools.items() if all(word in tool.description for word in words)
        ]
        assert len(found) == 1, f"{words} describe {found}"
        return found[0]

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        jsonschema.validate(arguments, self._tools[name].input_schema)
        result = await self._client.call_tool(name, arguments)
        assert result.structured_content is None, "some clients pass only that part to the model"
        told = "\n".join(block.text for block in result.content if block.type == "text")
        self.said.append(f"> {name} {arguments}\n{told}")
        assert not result.is_error, self.said[-1]
        return told


class Screen:
    """What a snapshot said, read as its description explains it."""

    def __init__(self, text: str) -> None:
        self.lines = [found for line in text.split("\n") if (found := LINE.fullmatch(line))]
        self.text = text

    def uids(self, label: str) -> list[str]:
        return [line["uid"] for line in self.lines if line["label"] == label]

    def state(self, name: str) -> set[str]:
        """The uids that are in a state."""
        found = re.search(rf"^{name}: (.*)$", self.text, re.MULTILINE)
        return set(found[1].split()) if found else set()

    def empty_field(self, label: str) -> str:
        (uid,) = [uid for uid in self.uids(label) if uid in self.state("empty")]
        return uid

    def unticked(self, label: str) -> str:
        (uid,) = [uid for uid in self.uids(label) if uid in self.state("unchecked")]
        return uid

    def choice(self, label: str, option: str) -> str:
        """A field that offers an option."""
        offers = re.findall(rf"^(\S+) = .*\bof .*\b{option}\b", self.text, re.MULTILINE)
        (uid,) = [uid for uid in self.uids(label) if uid in offers]
        return uid

    def button(self, label: str) -> str:
        (uid,) = [
            line["uid"] for line in self.lines if line["label"] == label and "button" in line["type"].lower()
        ]
        return uid


def _at(uid: str) -> dict[str, Any]:
    return {"ref": {"uid": uid}}


async def fill_and_submit(agent: Agent, command: list[str]) -> str:
    """Order something, and what the form says at the end."""
    await agent.begin()
    launch, look = agent.tool("Start a program"), agent.tool("What the app shows", "Call this first")
    act, wait = agent.tool("Do things, in order"), agent.tool("Wait until a condition")
    await agent.use(launch, {"command": command, "name": "form"})
    await agent.use(wait, {"selector": {"text": "Place order", "match": "contains"}, "timeoutMs": 20000})
    screen = Screen(await agent.use(look, {}))
    actions = [
        {"type": "setText", "target": _at(screen.empty_field("Name")), "text": "Ada Lovelace"},
        {"type": "setText", "target": _at(screen.empty_field("Password")), "text": "analytical"},
        {"type": "setChecked", "target": _at(screen.unticked("Send me the newsletter")), "checked": True},
        {"type": "select", "target": _at(screen.choice("Country", "Kenya")), "text": "Kenya"},
        {"type": "click", "target": _at(screen.unticked("Courier"))},
        {"type": "setText", "target": _at(screen.empty_field("Notes")), "text": "Ring twice"},
    ]
    receipt = await agent.use(act, {"actions": actions})
    assert "Ada Lovelace" in receipt
    assert "Kenya" in receipt
    assert "analytical" not in receipt, "a password is in no receipt"
    receipt = await agent.use(
        act, {"actions": [{"type": "click", "target": _at(screen.button("Place order…"))}]}
    )
    assert "windowsOpened" in receipt
    question = Screen(await agent.use(look, {}))
    assert "Ada Lovelace" in question.text
    (yes,) = [line["uid"] for line in question.lines if (line["label"] or "").replace("&", "") == "Yes"]
    receipt = await agent.use(act, {"actions": [{"type": "click", "target": _at(yes)}]})
    assert "windowsClosed" in receipt
    return await agent.use(look, {})


@pytest.mark.parametrize("toolkit", FORMS)
def test_an_agent_that_knows_only_the_tool_descriptions_fills_and_submits_a_form(
    toolkit: str, tmp_path: Path
) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from deskhand.cli import main; main()", "mcp"],
        env={"DESKHAND_RUNTIME_DIR": str(tmp_path)},
    )

    async def talk() -> str:
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            agent = Agent(client)
            try:
                return await fill_and_submit(agent, FORMS[toolkit])
            except BaseException:
                print("\n\n".join(agent.said))
                raise

    end = asyncio.run(talk())

    report = next(line for line in Screen(end).lines if line["id"] == "report")
    assert report["label"] == "ordered"
