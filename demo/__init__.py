"""The same small form in every toolkit, and a program that drives it (`python -m demo`)."""
