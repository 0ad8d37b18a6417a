"""The `deskhand` command: a thin layer of words over the client library."""
