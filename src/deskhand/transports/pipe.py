"""Windows named pipes, behind the same interface as sockets. Importable everywhere; runs on Windows only."""

from __future__ import annotations

from .interface import ConversationFactory


class PipeServer:
    r"""Listens on `\\.\pipe\NAME`."""

    url: str

    def __init__(self, address: str, conversations: ConversationFactory) -> None:
        raise NotImplementedError

    def close(self, timeout: float = 2.0) -> None: ...
