"""Messages to operations and results to messages, without I/O. Imports model only."""
