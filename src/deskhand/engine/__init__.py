"""Locate, wait, act, observe: once, for every toolkit. Imports the model only."""
