"""Traces: what was done to apps, step by step, with screenshots and trees: recorded, read and shown.

A trace is a file that people open later. It is recorded around any Runner, so it is the same for the client
library and for every protocol. Imports adapters (for the pixels of a display) and what is below them.
"""

from .trace import Trace as Trace
