"""The inspector: a page on which a person sees an app, its tree and what clients do to it, and steps in.

It sits on a Runner, so it works with every toolkit. May import what is below `serving`, which serves it.
"""
