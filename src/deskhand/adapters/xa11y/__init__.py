"""Programs on Windows, macOS and Linux through the library xa11y: the adapter where no other one reaches.

Imports the model, and xa11y itself only once a desktop is asked for: it comes with `deskhand[xa11y]`.
"""

from .adapter import Xa11yAdapter

__all__ = ["Xa11yAdapter"]
