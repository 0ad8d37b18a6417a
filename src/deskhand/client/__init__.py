"""The library that tests and programs hold, sync and async."""
