"""Inputs for each transport: what is sent, byte for byte. A seed and a number always make the same one."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.fuzz import messages
from tests.fuzz.mutate import Mutator

HTTP = ("gip", "orca", "agent", "mcp")
"""The endpoints behind HTTP."""
PATHS = {"gip": "/", "orca": "/jsonrpc", "mcp": "/mcp"}
_SHARES = (*HTTP[:3] * 3, "mcp")
"""MCP's SDK takes several times as long as the others for an answer."""


@dataclass(frozen=True)
class Input:
    """Something to send."""

    endpoint: str
    """Which of the server's endpoints gets it; `""` where there is only one."""
    data: bytes
    alone: bool
    """Whether it gets a connection of its own, since it may end that, or swallow what follows."""

    def to_json(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "alone": self.alone, "data": self.data.decode("latin-1")}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Input:
        return Input(data["endpoint"], data["data"].encode("latin-1"), data["alone"])


Make = Callable[[int], Input]
"""The input of a number."""


def maker(transport: str, seed: int, uids: list[str] | None = None) -> Make:
    """What makes the inputs of a transport; for the JVM, with the nodes of its program."""
    make = {"unix": _unix, "websocket": _websocket, "http": _http, "stdio": _stdio}.get(transport)
    makes = make() if make is not None else _jvm(uids or ["u-1"])

    def numbered(number: int) -> Input:
        return makes(Mutator(Random(seed * 1_000_000_007 + number)), number)

    return numbered


def _texts(found: list[Any]) -> list[str]:
    return [json.dumps(each) for each in found]


def _unix() -> Callable[[Mutator, int], Input]:
    seeds = _texts(messages.gip())

    def make(mutator: Mutator, _: int) -> Input:
        random = mutator.random
        text = mutator.message(random.choice(seeds))
        if text.sound and random.random() < 0.95:
            return Input("", text.data.replace(b"\n", b" ") + b"\n", alone=False)
        if random.random() < 0.5:
            return Input("", text.data + random.choice((b"", b"\n", b"\r\n")), alone=True)
        lengths = (len(text.data),) * 4 + (0, 1, len(text.data) + 1, len(text.data) - 1, 2**24 - 1, 2**24)
        length = max(0, random.choice(lengths))
        return Input("", length.to_bytes(4, "big") + text.data, alone=True)

    return make


def _websocket() -> Callable[[Mutator, int], Input]:
    seeds = _texts(messages.gip())

    def make(mutator: Mutator, _: int) -> Input:
        random = mutator.random
        text = mutator.message(random.choice(seeds))
        if random.random() < 0.93:
            # Text must be UTF-8: the server ends a connection on which it is not.
            sound = text.sound or _is_utf8(text.data)
            return Input("", frame(text.data, random.randbytes(4)), alone=not sound)
        return Input("", _bad_frame(random, text.data), alone=True)

    return make


def frame(data: bytes, mask: bytes, opcode: int = 0x81) -> bytes:
    """A frame of a WebSocket as clients send it."""
    if len(data) < 126:
        head = struct.pack(">BB", opcode, 0x80 | len(data))
    elif len(data) < 65536:
        head = struct.pack(">BBH", opcode, 0x80 | 126, len(data))
    else:
        head = struct.pack(">BBQ", opcode, 0x80 | 127, len(data))
    repeated = int.from_bytes((mask * (len(data) // 4 + 1))[: len(data)], "big")
    masked = (int.from_bytes(data, "big") ^ repeated).to_bytes(len(data), "big")
    return head + mask + masked


def _bad_frame(random: Random, data: bytes) -> bytes:
    mask = random.randbytes(4)
    half = len(data) // 2
    match random.randrange(9):
        case 0:  # reserved bits, opcodes that do not exist, control frames that are too long
            return frame(data, mask, random.randrange(256))
        case 1:  # without a mask
            return struct.pack(">BBH", 0x81, 126, len(data) & 0xFFFF) + data
        case 2:  # a length that never comes
            return (
                struct.pack(">BBQ", 0x81, 0xFF, random.choice((2**24, 2**32, 2**63 - 1, 2**63))) + mask + data
            )
        case 3:  # fragments, right and wrong
            return frame(data[:half], mask, 0x01) + frame(
                data[half:], mask, random.choice((0x80, 0x00, 0x81))
            )
        case 4:  # a continuation of nothing
            return frame(data, mask, 0x80)
        case 5:
            return frame(
                random.choice((b"", b"\x03", b"\x03\xe8", b"\x00\x00bye", b"\x03\xe8\xff")), mask, 0x88
            )
        case 6:
            return frame(data[:125], mask, 0x89) + frame(data[:125], mask, 0x8A)
        case 7:
            return frame(data, mask, 0x82)
        case _:
            return frame(data, mask)[: random.randrange(1, len(data) + 8)]


_HEADERS = (
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 5, 6",
    b"Content-Length: 0x5",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: identity",
    b"Host: evil.example",
    b"Host:", b"Host: [::1", b"Origin: http://evil.example", b"Origin: null", b"Origin: \xff",
    b"Upgrade: websocket",
    b"Connection: Upgrade", b"Connection: close", b"Expect: 100-continue", b"Expect: nothing",
    b"Authorization: Bearer x",
    b"Authorization: \xc3\xa9", b"Content-Type: text/plain",
    b"Content-Type: application/json; charset=utf-16",
    b"Accept: image/png", b"Sec-WebSocket-Key: x", b"Sec-WebSocket-Version: 99", b"Mcp-Session-Id: \xff",
    b"Mcp-Protocol-Version: 1.0", b"Cookie: " + b"a=b; " * 500, b"X: " + b"y" * 70_000, b" folded",
    b"No colon", b": nameless",
    b"Bad Name: x", b"X: a\0b", b"Sec-Fetch-Site: cross-site", b"Content-Encoding: gzip",
)  # fmt: skip
_LINES = (
    b"GET {} HTTP/1.1", b"PUT {} HTTP/1.1", b"HEAD {} HTTP/1.1", b"OPTIONS {} HTTP/1.1",
    b"OPTIONS * HTTP/1.1",
    b"DELETE {} HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"POST {} HTTP/1.0", b"POST {} HTTP/0.9",
    b"POST {} HTTP/2.0",
    b"POST {} HTTP/1.1.1", b"POST {}", b"POST", b"", b"POST  {} HTTP/1.1", b"POST {}/../.. HTTP/1.1",
    b"POST {}?a=%zz&a=1 HTTP/1.1",
    b"POST {}%00%ff HTTP/1.1", b"POST http://evil.example{} HTTP/1.1", b"POST {}\xff HTTP/1.1",
    b"\x16\x03\x01 {}", b"post {} HTTP/1.1",
    b"POST /" + b"x" * 9000 + b" HTTP/1.1", b"PRI * HTTP/2.0", b"BREW {} HTTP/1.1",
    b"GET /health HTTP/1.1", b"GET / HTTP/1.1",
)  # fmt: skip


def _http() -> Callable[[Mutator, int], Input]:
    seeds: dict[str, list[tuple[str, str]]] = {
        "gip": [(PATHS["gip"], text) for text in _texts(messages.gip())],
        "orca": [(PATHS["orca"], text) for text in _texts(messages.orca())],
        "agent": [(path, json.dumps(body)) for path, body in messages.agent()],
        "mcp": [(PATHS["mcp"], text) for text in _texts(messages.mcp())],
    }

    def make(mutator: Mutator, number: int) -> Input:
        random = mutator.random
        endpoint = _SHARES[number % len(_SHARES)]
        path, seed = random.choice(seeds[endpoint])
        body = mutator.message(seed).data
        if random.random() < 0.93:
            return Input(endpoint, request(path, body), alone=False)
        return Input(endpoint, _bad_request(mutator, path.encode(), body), alone=True)

    return make


def request(path: str, body: bytes) -> bytes:
    """A request as each endpoint takes it."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _bad_request(mutator: Mutator, path: bytes, body: bytes) -> bytes:
    random = mutator.random
    line = b"POST " + path + b" HTTP/1.1"
    if random.random() < 0.4:
        line = random.choice(_LINES).replace(b"{}", path)
    headers = [
        b"Host: 127.0.0.1",
        b"Content-Type: application/json",
        b"Accept: application/json, text/event-stream",
    ]
    headers += random.choices(_HEADERS, k=random.choice((0, 1, 1, 2)))
    match random.randrange(5):
        case 0:
            length = random.choice((0, 1, len(body) + 1, len(body) - 1, 2**24 + 1, 2**40))
            headers.append(b"Content-Length: %d" % length)
        case 1:
            headers.append(b"Transfer-Encoding: chunked")
            size = random.choice(
                (b"%x" % len(body), b"%x;a=b" % len(body), b"-1", b"fffffffffffffffff", b"zz", b"")
            )
            body = size + b"\r\n" + body + random.choice((b"\r\n0\r\n\r\n", b"\r\n", b"0\r\n\r\n"))
        case _:
            headers.append(b"Content-Length: %d" % len(body))
    if random.random() < 0.1:
        headers *= random.choice((2, 60))
    random.shuffle(headers)
    sent = b"\r\n".join((line, *headers, b"", b"")) + body
    return mutator.broken(sent) if random.random() < 0.2 else sent


def _stdio() -> Callable[[Mutator, int], Input]:
    seeds = _texts(messages.mcp())

    def make(mutator: Mutator, number: int) -> Input:
        text = mutator.message(mutator.random.choice(seeds)).data
        named = text.replace(b'"id":1,', b'"id":"f-%d",' % number).replace(
            b'"id" : 1 ', b'"id" : "f-%d" ' % number
        )
        return Input("", named.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n", alone=False)

    return make


def _jvm(uids: list[str]) -> Callable[[Mutator, int], Input]:
    seeds = _texts(messages.jvm(uids))

    def make(mutator: Mutator, _: int) -> Input:
        random = mutator.random
        text = mutator.message(random.choice(seeds))
        lengths = len(text.data), 0
        if random.random() < 0.02:
            lengths = (
                random.choice((0, 1, 2**31, 2**32 - 1, 2**24, 2**24 + 1, len(text.data) + 1)),
                random.choice((0, 0, 7)),
            )
        sound = text.sound and lengths == (len(text.data), 0)
        return Input("", struct.pack(">II", *lengths) + text.data, alone=not sound)

    return make


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
