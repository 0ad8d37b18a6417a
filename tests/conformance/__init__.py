"""One suite, run over every adapter and every way in. What a toolkit cannot have stands in matrix.py."""
