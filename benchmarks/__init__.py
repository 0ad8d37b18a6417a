"""Figures, each a ratio against a named peer on the same work in the same run: `make bench`."""
