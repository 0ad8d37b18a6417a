# Generated from client/_async/__init__.py by scripts/generate_sync.py; edit that file instead.
"""The client for asyncio, written by hand; `_sync` is made from it."""
