"""Starts a program whose files 3 and 4 are a connection to a socket: `with_pipe.py SOCKET PROGRAM ...`.

A browser with `--remote-debugging-pipe` reads its commands there. Run by its path, with the standard library.
"""

from __future__ import annotations

import os
import socket
import sys

FIRST, SECOND = 3, 4


def main() -> None:
    address, program, *arguments = sys.argv[1:]
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    descriptor = os.dup(connection.fileno())
    # It may itself be the third or the fourth file.
    while descriptor in (FIRST, SECOND):
        descriptor = os.dup(descriptor)
    for number in (FIRST, SECOND):
        os.dup2(descriptor, number)
    os.execvp(program, [program, *arguments])  # noqa: S606 - as the user gave it


if __name__ == "__main__":
    main()
