"""Other ways to read a desktop, each a program of its own that walks once for each line on its input."""
