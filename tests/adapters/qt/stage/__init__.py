"""Ordinary Qt programs, each on a stage of its own: a process that performs actions on them on command."""
