"""Orca: JSON-RPC over HTTP."""
