"""What the whole of deskhand agrees on: nodes, selectors, operations, errors, and what an adapter is.

Imports nothing but the standard library: this layer also runs inside the programs that are driven.
"""
