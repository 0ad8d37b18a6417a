"""The client for asyncio, written by hand; `_sync` is made from it."""
