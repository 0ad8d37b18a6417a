"""Says what works on this machine, what does not, and how to fix it.

Every check tries the thing itself, in a process of its own and with a time limit: a program is started, a
toolkit shows a window that is then driven, a protocol is served and asked. What this version does not have at
all is known by its missing module, and said plainly.
"""

from .checks import check
from .report import Check, exit_code, render, to_json

__all__ = ["Check", "check", "exit_code", "render", "to_json"]
