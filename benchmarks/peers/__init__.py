"""Other ways to read a desktop, each a program of its own that walks when told to by a line on its input."""
