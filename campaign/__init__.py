"""Explores programs of Debian at random and checks after each action that what deskhand says is true.

For development only: run it by `make campaign`. What it compares deskhand with is in `walk.py`, which shares
no code with deskhand.
"""
