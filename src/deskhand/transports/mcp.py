"""MCP by its official SDK: stateless Streamable HTTP, and stdio. Knows no tools; it is given some.

HTTP answers every POST with one JSON text and keeps no session. What the SDK leaves to its user is here: who
may ask, in which order that is checked, and what is answered to those who may not.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from typing import Any, Protocol, cast

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitationCapability,
    EmptyResult,
    ErrorData,
    GetPromptRequestParams,
    GetPromptResult,
    JSONRPCError,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    SetLevelRequestParams,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import ValidationError, to_json

from .asgi import AsgiServer
from .bearer import Bearers
from .interface import Cancel, Log
from .journal import taken, tell
from .limits import TOO_MUCH, Share, return_memory
from .lines import Lines, TooLong, standard_input
from .request_guard import LIMIT, Guard, Message, Receive, Scope, Send, refuse, replay
from .threaded import in_thread

PATH = "/mcp"
HEALTH = "/health"
MAX_CALLS = 64
"""How many calls are answered at once."""
MAX_UNREAD = 64
"""How many answers on stdio may wait for the client to read them before its next request is read."""
_LONGEST = 1024 * 1024
"""How long a message to the SDK may be, in bytes: it keeps several copies of each."""
_WIDEST = 4
"""How many bytes Python may take for each character of a text that is not ASCII."""
_BOTH = ("application/json", "text/event-stream")


class Toolbox(Protocol):
    """What is served. Plain data as MCP has it, so that only this file needs the SDK."""

    name: str
    version: str
    instructions: str

    def tools(self) -> list[dict[str, Any]]: ...

    def prompts(self) -> list[dict[str, Any]]: ...

    def prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Raises LookupError or ValueError."""

    def health(self) -> dict[str, Any]: ...

    def read(self, message: bytes) -> Any:
        """The data of a JSON text; ValueError if it is none, or too large to be read."""

    def call_json(self, name: str, arguments: Any, cancel: Cancel) -> bytes:
        """The answer to tools/call as JSON text. May take long. LookupError if there is no such tool."""


class _Server(Server[dict[str, Any]]):
    """The SDK's server, telling of lists that it may announce changes of."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(prompts_changed=True, tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


class _Caller(threading.Event):
    """Set when the caller went away; knows how the person who uses the client is asked, if it can ask."""

    def __init__(self, ask: Callable[[str, float], bool | None] | None) -> None:
        super().__init__()
        self.ask = ask


def _asking(session: ServerSession) -> Callable[[str, float], bool | None] | None:
    """What asks the person who uses a client, from any thread but the loop's; None if the client cannot."""
    if not session.check_client_capability(ClientCapabilities(elicitation=ElicitationCapability())):
        return None
    loop = asyncio.get_running_loop()

    def ask(question: str, timeout: float) -> bool | None:
        asked = asyncio.run_coroutine_threadsafe(session.elicit_form(f"Allow: {question}", _ALLOW), loop)
        try:
            answer = asked.result(timeout)
        except FutureTimeout:
            asked.cancel()
            return None
        except MCPError:
            return None
        if answer.action == "cancel":
            return None
        return answer.action == "accept" and (answer.content or {}).get("allow") is True

    return ask


_ALLOW: dict[str, Any] = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow it", "default": False}},
    "required": ["allow"],
}


class _Calls:
    """Tool calls, each in a thread of its own, cancelled when no client waits for its answer any more."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._running: set[threading.Event] = set()

    async def call(
        self, name: str, arguments: Any, ask: Callable[[str, float], bool | None] | None = None
    ) -> bytes:
        if len(self._running) >= MAX_CALLS:
            raise MCPError(
                code=INVALID_PARAMS, message=f"{MAX_CALLS} calls are being answered; try again later"
            )
        cancel = _Caller(ask)
        self._running.add(cancel)
        try:
            return await in_thread(lambda: self._toolbox.call_json(name, arguments, cancel))
        except LookupError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
        finally:
            cancel.set()
            self._running.discard(cancel)

    def end(self) -> None:
        for cancel in list(self._running):
            cancel.set()


def _make_server(toolbox: Toolbox, calls: _Calls) -> _Server:
    # Of the SDK's types, which know what else each version of the protocol wants.
    async def list_tools(_: Any, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult.model_validate({"tools": toolbox.tools()})

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        ask = _asking(context.session)
        with Share() as share:
            sent = to_json(params.arguments)
            if not share.add(len(sent) * (1 if sent.isascii() else _WIDEST)):
                raise MCPError(code=INVALID_PARAMS, message=TOO_MUCH)
            return CallToolResult.model_validate_json(await calls.call(params.name, params.arguments, ask))

    async def list_prompts(_: Any, __: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult.model_validate({"prompts": toolbox.prompts()})

    async def get_prompt(_: Any, params: GetPromptRequestParams) -> GetPromptResult:
        try:
            return GetPromptResult.model_validate(toolbox.prompt(params.name, params.arguments or {}))
        except (LookupError, ValueError) as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None

    async def set_level(_: Any, __: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()

    server = _Server(
        toolbox.name,
        version=toolbox.version,
        instructions=toolbox.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    # Given to the constructor it would warn: the protocol is to lose it, but clients still send it.
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)
    return server


# -- stdio -----------------------------------------------------------------------------------------


def serve_stdio(toolbox: Toolbox, log: Log | None = None) -> None:
    """Serve on standard input and output until the client closes them.

    What no tool answers goes to the log.
    """
    return_memory()
    calls = _Calls(toolbox)
    server = _make_server(toolbox, calls)
    if log is not None:
        server.middleware.append(_Written(log))

    async def run() -> None:
        with standard_input() as file:
            lines = _Lines(Lines(file, _LONGEST))
            # The SDK wants a file of anyio, of which it uses only the lines.
            async with stdio_server(cast("anyio.AsyncFile[str]", lines)) as (incoming, outgoing):
                lines.outgoing = _Outgoing(outgoing)
                await server.run(
                    _Answered(incoming, lines.outgoing),
                    cast("Any", lines.outgoing),
                    server.create_initialization_options(),
                )

    try:
        anyio.run(run)
    finally:
        calls.end()


class _Outgoing:
    """The messages to a client; knows how many of them the client has not read yet."""

    def __init__(self, outgoing: Any) -> None:
        self._outgoing = outgoing
        self._unread = 0
        self._read = anyio.Event()

    async def send(self, message: SessionMessage) -> None:
        self._unread += 1
        try:
            await self._outgoing.send(message)
        finally:
            self._unread -= 1
            self._read.set()
            self._read = anyio.Event()

    async def wait_for_room(self) -> None:
        """Wait until the client has read enough of its answers to be given more."""
        while self._unread >= MAX_UNREAD:
            await self._read.wait()

    async def aclose(self) -> None:
        await self._outgoing.aclose()

    async def __aenter__(self) -> _Outgoing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Lines:
    """The lines of a client for the SDK; one that is too long for it is answered here."""

    outgoing: _Outgoing
    """Set before the first line is read."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        while isinstance(line := await anyio.to_thread.run_sync(self._lines.next), TooLong):
            problem = ErrorData(code=INVALID_REQUEST, message=f"a message may be {_LONGEST} bytes long")
            refusal = JSONRPCError(jsonrpc="2.0", id=_id_at_ends(line), error=problem)
            await self.outgoing.send(SessionMessage(refusal))
        if line is None:
            raise StopAsyncIteration
        return line


class _Answered:
    """The messages of a client; a line that the SDK cannot read, and would ignore, is answered.

    Half a character, as programs in JavaScript send it, is such a line: its sender would wait for ever.
    """

    def __init__(self, incoming: Any, outgoing: _Outgoing) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        return self._incoming.last_context

    async def receive(self) -> SessionMessage | Exception:
        await self._outgoing.wait_for_room()
        while isinstance(item := await self._incoming.receive(), Exception):
            await self._outgoing.send(SessionMessage(_unreadable(item)))
        message: SessionMessage = item
        return message

    def __aiter__(self) -> _Answered:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._incoming.aclose()

    async def __aenter__(self) -> _Answered:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _unreadable(error: Exception) -> JSONRPCError:
    """What is answered to a line, with its id where that can be found out."""
    what = error.errors()[0] if isinstance(error, ValidationError) else {"type": "", "msg": str(error)}
    if what["type"] != "json_invalid":
        reason = f"{'.'.join(map(str, what.get('loc', ())))}: {what['msg']}"
        return JSONRPCError(
            jsonrpc="2.0", id=None, error=ErrorData(code=INVALID_REQUEST, message=reason[:500])
        )
    problem = ErrorData(code=PARSE_ERROR, message=f"Parse error: {what['msg']}"[:500])
    return JSONRPCError(jsonrpc="2.0", id=_id_of(what["input"]), error=problem)


def _id_of(line: str) -> str | int | None:
    """The id of a request that another reader can read; None if it has none, or that is the problem."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _valid_id(read.get("id")) if isinstance(read, dict) else None


_VALUE = rb'("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*'
_MEMBER = re.compile(rb'[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*' + _VALUE + rb"(?=[,}])", re.DOTALL)
_LAST_MEMBERS = re.compile(
    rb'[{,]\s*"id"\s*:\s*' + _VALUE + rb'(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$', re.DOTALL
)


def _id_at_ends(line: TooLong) -> str | int | None:
    """The id of a request that is too long to be read, if it is before or after all that is long in it."""
    found, at = None, 0
    while (member := _MEMBER.match(line.start, at)) is not None:
        at = member.end()
        if member[1] == b"id":
            found = member[2]
    if (last := _LAST_MEMBERS.search(line.end)) is not None:
        found = last[1]
    try:
        return None if found is None else _valid_id(json.loads(found))
    except ValueError:
        return None


def _valid_id(name: Any) -> str | int | None:
    """The id of a request; None if it is not valid, or cannot be sent."""
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        return None
    try:
        str(name).encode()
    except ValueError:
        return None
    return name


class _Written:
    """Writes down requests and their answers; tool calls only if no tool answers, for tools write theirs."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        is_call = ctx.method == "tools/call"
        asked: dict[str, Any] = {"method": ctx.method}
        if ctx.params and not is_call:
            asked["params"] = ctx.params
        try:
            result = await call_next(ctx)
        except Exception as error:
            self._write(asked, {"error": str(error)})
            raise
        if not is_call:
            self._write(asked, result if ctx.request_id is not None else None)
        return result

    def _write(self, asked: Mapping[str, Any], answer: Any) -> None:
        self._log.write("mcp", "in", to_json(asked))
        if answer is not None:
            self._log.write("mcp", "out", to_json(answer, by_alias=True, exclude_none=True))


# -- HTTP ------------------------------------------------------------------------------------------


class McpHttpServer:
    """Answers MCP at `/mcp`, and `/health`, from its making until `close`."""

    def __init__(
        self,
        host: str,
        port: int,
        toolbox: Toolbox,
        *,
        token: str | Bearers | None = None,
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Listen; port 0 takes a free one. Raises AddressInUse or BadAddress.

        What no tool answers goes to the log.
        """
        self._toolbox = toolbox
        self._calls = _Calls(toolbox)
        self._sessions = _Sessions(_make_server(toolbox, self._calls))
        self._guard = Guard(
            self._answer,
            bound_to=host,
            token=token,
            open_paths=(HEALTH, f"{HEALTH}/"),
            local_origins=True,
            json_only="always",
            refusal=_refusal,
        )
        # The SDK brings hundreds of thousands of objects that stay: the collector need not look at them
        # whenever a large answer is made.
        gc.freeze()
        self._server = AsgiServer(
            self, host, port, warn=token is None, refusal=_refusal, other_users=other_users, log=log
        )
        self.url = f"http://{host}:{self._server.port}{PATH}"

    def close(self) -> None:
        """Stop listening, and end what still runs."""
        self._calls.end()
        self._server.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As an ASGI app."""
        if scope["type"] != "http":
            await self._guard(scope, receive, send)
            return
        if (refused := self._guard.peer_refusal(scope)) is not None:
            await refuse(scope, receive, send, *refused, _refusal)
            return
        path = scope["path"].rstrip("/") or "/"
        allowed = {PATH: ("POST",), HEALTH: ("GET", "HEAD")}.get(path)
        if allowed is None:
            await _send(send, 404, _refusal(404, f"there is nothing at {path[:100]}; MCP is at {PATH}"))
        elif scope["method"] not in allowed:
            reason = f"{path} answers to {allowed[0]}, not to {scope['method'][:20]}"
            await _send(send, 405, _refusal(405, reason), allow=", ".join(allowed))
        else:
            await self._guard(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1003})
            return
        if scope["path"].rstrip("/") == HEALTH:
            await _send(send, 200, json.dumps(self._toolbox.health()).encode())
            return
        if not _accepts_both(scope):
            reason = "Both application/json and text/event-stream required in Accept header"
            await _send(send, 400, _refusal(400, reason))
            return
        body = await _body(receive)
        if body is None:
            return
        try:
            message = self._toolbox.read(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            what = "a batch is not taken" if isinstance(message, list) else "it is not a JSON object"
            await _send(send, 400, _refusal(400, f"Invalid message format: {what}"))
            return
        if "tool" in message and "jsonrpc" not in message:
            await self._older(scope, message, send)
            return
        if _is_plain_call(scope, message):
            await self._call(scope, message, receive, send)
            return
        if len(body) > _LONGEST:
            reason = f"a message other than a tool call may be {_LONGEST} bytes long"
            await _send(send, 413, _refusal(413, reason))
            return
        if message.get("method") == "tools/call":
            send = _taking_results(scope, send)
        else:
            tell(scope, message)
        # There are no sessions here, so one that a client has from elsewhere means nothing.
        scope = {**scope, "path": PATH, "headers": _without_session(scope["headers"])}
        await self._sessions.handle(scope, replay(body, receive), send)

    async def _call(self, scope: Scope, message: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a tool call as it comes: the SDK would check and copy a large result several times."""
        params = message["params"]
        call = asyncio.ensure_future(self._calls.call(params["name"], params.get("arguments")))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((call, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                return
            name, content = b"result", call.result()
            taken(scope)
        except MCPError as error:
            name, content = b"error", json.dumps({"code": error.code, "message": error.message}).encode()
        finally:
            leaving.cancel()
            call.cancel()
        number = json.dumps(message["id"]).encode()
        await _send(send, 200, b'{"jsonrpc":"2.0","id":%b,"%b":%b}' % (number, name, content))

    async def _older(self, scope: Scope, message: dict[str, Any], send: Send) -> None:
        """The form from before MCP had one: `{tool, input}`, answered by `{output}` or `{error}`."""
        try:
            result = await self._calls.call(str(message["tool"]), message.get("input"))
        except MCPError as error:
            await _send(send, 400, _refusal(400, str(error)))
            return
        taken(scope)
        structured = json.loads(result)["structuredContent"]
        kept = {name: structured[name] for name in ("error", "output") if name in structured}
        await _send(send, 200, json.dumps(kept, ensure_ascii=False).encode())


class _Sessions:
    """The SDK's handler of requests, started with the first one, for it belongs to the event loop."""

    def __init__(self, server: _Server) -> None:
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=LIMIT
        )
        self._started: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._started is None:
            self._started = asyncio.get_running_loop().create_future()
            self._task = asyncio.ensure_future(self._run(self._started))
        await asyncio.shield(self._started)
        await self._manager.handle_request(scope, receive, send)

    async def _run(self, started: asyncio.Future[None]) -> None:
        with suppress(asyncio.CancelledError):
            async with self._manager.run():
                started.set_result(None)
                await asyncio.Event().wait()  # until the loop ends


def _refusal(status: int, reason: str) -> bytes:
    code = {400: -32600, 404: -32601, 405: -32601}.get(status, -32000)
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}).encode()


def _accepts_both(scope: Scope) -> bool:
    given = b",".join(value for name, value in scope["headers"] if name == b"accept").decode("latin-1")
    kinds = {part.partition(";")[0].strip().lower() for part in given.split(",")}
    return all(kind in kinds or f"{kind.partition('/')[0]}/*" in kinds or "*/*" in kinds for kind in _BOTH)


def _is_plain_call(scope: Scope, message: dict[str, Any]) -> bool:
    """Whether it is a well-formed tool call in a version of the protocol that has sessions and handshakes."""
    version = next((value for name, value in scope["headers"] if name == b"mcp-protocol-version"), None)
    params = message.get("params")
    return (
        (version is None or version.decode("latin-1") in HANDSHAKE_PROTOCOL_VERSIONS)
        and message.get("jsonrpc") == "2.0"
        and message.get("method") == "tools/call"
        and type(message.get("id")) in (str, int)
        and isinstance(params, dict)
        and isinstance(params.get("name"), str)
        and isinstance(params.get("arguments", {}), dict)
    )


async def _left(receive: Receive) -> None:
    """Return when the caller is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _without_session(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name != b"mcp-session-id"]


def _taking_results(scope: Scope, send: Send) -> Send:
    """To the SDK's answer to a tool call: what a tool answered it has written down itself."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body" and b'"result":' in message.get("body", b""):
            taken(scope)
        await send(message)

    return sending


async def _body(receive: Receive) -> bytes | None:
    """The whole body, whose length the guard has seen to; None if the caller went away."""
    pieces = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


async def _send(send: Send, status: int, body: bytes, *, allow: str | None = None) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if allow is not None:
        headers.append((b"allow", allow.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
