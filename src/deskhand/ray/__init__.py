"""A pool of private desktops on a Ray cluster, for evaluations, rollouts and large test runs.

It adds to Ray what a desktop needs; scheduling, placement, transport and noticing failures are Ray's own.
Needs `pip install 'deskhand[ray]'` here and on every node. May import everything but the command line.
"""

from __future__ import annotations

from .pool import Desktops, ItemFailed, ItemLost, Lost, Result
from .worker import PoolDesktop

__all__ = ["Desktops", "ItemFailed", "ItemLost", "Lost", "PoolDesktop", "Result"]
