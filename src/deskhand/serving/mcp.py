"""The MCP contract for a runner."""

from __future__ import annotations

from ..engine.compound import Composer
from ..model.operations import Runner
from ..protocols.mcp.results import Parts
from ..protocols.mcp.server import McpServer
from ..protocols.mcp.shots import Cut, Draw
from ..protocols.wirelog import WireLog


def mcp_server(
    runner: Runner,
    *,
    read_only: bool = False,
    log: WireLog | None = None,
    draw: Draw | None = None,
    cut: Cut | None = None,
    parts: Parts = "structured",
) -> McpServer:
    """A server of the contract, with the options of `McpServer`."""
    return McpServer(Composer(runner), read_only=read_only, log=log, draw=draw, cut=cut, parts=parts)
