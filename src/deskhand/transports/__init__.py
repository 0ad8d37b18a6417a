"""Carry bytes between processes. Import nothing of ours."""
