"""Findings as SARIF 2.1.0, which code hosts show next to the code. Each selector is a logical location."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from .finding import RULES, Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Iterable[Finding], version: str, app: str | None = None) -> dict[str, Any]:
    """One run of the audit."""
    rules = list(RULES.values())
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "deskhand audit",
                        "version": version,
                        "rules": [
                            {
                                "id": rule.id,
                                "shortDescription": {"text": rule.title},
                                "fullDescription": {"text": f"WCAG 2.2, {rule.criterion}"},
                                "help": {"text": rule.remedy},
                                "defaultConfiguration": {"level": "error"},
                            }
                            for rule in rules
                        ],
                    }
                },
                "results": [
                    _result(finding, [rule.id for rule in rules].index(finding.rule), app)
                    for finding in findings
                ],
            }
        ],
    }


def _result(finding: Finding, index: int, app: str | None) -> dict[str, Any]:
    within = " / ".join(filter(None, (app, finding.window, finding.selector)))
    location: dict[str, Any] = {
        "logicalLocations": [{"name": finding.selector, "fullyQualifiedName": within, "kind": "element"}]
    }
    if finding.screenshot is not None:
        location["physicalLocation"] = {"artifactLocation": {"uri": finding.screenshot.replace("\\", "/")}}
    digest = hashlib.sha256("\n".join(finding.key).encode()).hexdigest()
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": f"{finding.message}. {finding.remedy[:1].upper()}{finding.remedy[1:]}."},
        "locations": [location],
        "partialFingerprints": {"ruleAndSelector/v1": digest},
    }
