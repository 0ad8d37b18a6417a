"""Locate, wait, act and observe, once for every toolkit. Imports model only."""
