"""Audits the accessibility of a running app: for screen readers, the keyboard alone, and little sight.

Works on the tree and on screenshots, so that every adapter is covered. `plan` asks and decides, the other
modules hold the rules: `names` (all that the tree decides), `keyboard` (what Tab reaches, in which order) and
`contrast` (all that screenshots decide). May import `model` and `images`.
"""

from __future__ import annotations

from .finding import RULES, Audit, Finding, Rule
from .plan import audited, perform

__all__ = ["RULES", "Audit", "Finding", "Rule", "audited", "perform"]
