"""`python -m demo.slicer [--automation-server] [--automation-server-port PORT] [model.stl]`."""

from __future__ import annotations

from .app import main

if __name__ == "__main__":
    main()
