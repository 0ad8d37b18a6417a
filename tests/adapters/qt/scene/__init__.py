"""Ordinary Qt programs, read from the inside by the adapter; each in a process of its own."""
