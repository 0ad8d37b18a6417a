"""One suite, run over every adapter and every way in. What a toolkit cannot do is in matrix.py."""
