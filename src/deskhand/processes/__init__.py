"""Processes: starting and supervising them, and the registry of those that can be driven."""
