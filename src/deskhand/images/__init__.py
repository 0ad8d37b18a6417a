"""Screenshots as bytes: the PNG codec, and what is cut from or drawn on them. Standard library only."""
