"""Capabilities: which of a client's wishes can be met, as the standard matches them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.errors import InvalidParams
from .errors import WebDriverError

NAME = "deskhand"
PLATFORM = "linux"
LARGEST = 2**53 - 1
"""The largest whole number of the standard."""

IMPLICIT, PAGE_LOAD, SCRIPT = "implicit", "pageLoad", "script"
TIMEOUTS: Mapping[str, int | None] = {SCRIPT: 30_000, PAGE_LOAD: 300_000, IMPLICIT: 0}
"""In milliseconds, as the standard has them. None means no limit."""

_PREFIX = "appium:"
_PROMPTS = ("accept", "dismiss", "accept and notify", "dismiss and notify", "ignore")


def choose(body: Mapping[str, Any]) -> dict[str, Any]:
    """The first set of capabilities that can be provided; `session not created` if there is none."""
    given = body.get("capabilities")
    if given is None and isinstance(body.get("desiredCapabilities"), dict):
        # Clients from before the standard, whose names have no prefix.
        given = {"alwaysMatch": _prefixed(body["desiredCapabilities"])}
    if not isinstance(given, dict):
        raise WebDriverError("invalid argument", "'capabilities' must be an object")
    always = _checked(given.get("alwaysMatch", {}), "alwaysMatch")
    several = given.get("firstMatch", [{}])
    if not isinstance(several, list) or not several:
        raise WebDriverError("invalid argument", "'firstMatch' must be a list with at least one object")
    refused = []
    merged = [_merged(always, _checked(each, f"firstMatch[{number}]")) for number, each in enumerate(several)]
    for wanted in merged:
        reason = _mismatch(wanted)
        if reason is None:
            return wanted
        refused.append(reason)
    raise WebDriverError("session not created", f"no match: {'; '.join(dict.fromkeys(refused))}")


def read_timeouts(given: Any) -> dict[str, int | None]:
    """The timeouts that a client set; `invalid argument` if they are none."""
    if not isinstance(given, dict):
        raise WebDriverError("invalid argument", "timeouts are an object with script, pageLoad and implicit")
    found: dict[str, int | None] = {}
    for name, value in given.items():
        if name not in TIMEOUTS:
            continue  # as the standard says
        found[name] = None if value is None else whole(value, f"the timeout '{name}'")
    return found


def whole(value: Any, what: str) -> int:
    """A whole number of the standard: 0 or more, and not too large."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise WebDriverError(
            "invalid argument", f"{what} must be a whole number from 0 on, not {_shown(value)}"
        )
    return value


def size(text: str) -> tuple[int, int]:
    """What `deskhand:size` says, such as 1280x800."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and len(text) < 20):
        raise InvalidParams(f"'deskhand:size' is like 1280x800, not {_shown(text)}", field="deskhand:size")
    return int(width), int(height)


def _prefixed(legacy: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name if ":" in name or name in _STANDARD else _PREFIX + name: value for name, value in legacy.items()
    }


def _checked(given: Any, where: str) -> dict[str, Any]:
    """Capabilities whose names and types are right; those that are null are left out."""
    if not isinstance(given, dict):
        raise WebDriverError("invalid argument", f"'{where}' must be an object")
    found = {}
    for name, value in given.items():
        if value is None:
            continue
        check = _STANDARD.get(name) or _OURS.get(name)
        if check is None and ":" not in name:
            raise WebDriverError("invalid argument", f"no capability '{name[:60]}'")
        if check is not None and not check(value):
            raise WebDriverError("invalid argument", f"the capability '{name}' cannot be {_shown(value)}")
        found[name] = value
    return found


def _merged(always: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    if twice := always.keys() & first.keys():
        raise WebDriverError(
            "invalid argument", f"'{min(twice)}' is in alwaysMatch and in firstMatch; give it once"
        )
    return {**always, **first}


def _mismatch(wanted: Mapping[str, Any]) -> str | None:
    """Why these cannot be provided; None if they can."""
    platform = wanted.get("platformName", PLATFORM)
    if platform.lower() not in (PLATFORM, "any", ""):
        return f"platformName is '{PLATFORM}', not '{platform}'"
    automation = wanted.get("appium:automationName", NAME)
    if automation.lower() != NAME:
        return f"appium:automationName is '{NAME}', not '{automation}'"
    browser = wanted.get("browserName", "")
    if browser.lower() not in ("", NAME):
        return f"there is no browser '{browser}' here: leave browserName out"
    if wanted.get("browserVersion"):
        return "there is no browser here: leave browserVersion out"
    if wanted.get("acceptInsecureCerts"):
        return "there are no certificates here: leave acceptInsecureCerts out"
    if wanted.get("proxy"):
        return "there is no proxy here: leave proxy out"
    return None


def _shown(value: Any) -> str:
    return repr(value)[:100]


def _is_timeouts(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(name in TIMEOUTS for name in value)
        and bool(read_timeouts(value) or 1)
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_prompts(value: Any) -> bool:
    return value in _PROMPTS or isinstance(value, dict)


def _is_command(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def _is_environment(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(part, (str, int, float)) for part in value.values())


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_app(value: Any) -> bool:
    return (isinstance(value, str) and bool(value.strip())) or (isinstance(value, int) and value > 0)


_STANDARD = {
    "acceptInsecureCerts": _is_flag,
    "browserName": _is_text,
    "browserVersion": _is_text,
    "platformName": _is_text,
    "pageLoadStrategy": lambda value: value in ("none", "eager", "normal"),
    "proxy": _is_object,
    "setWindowRect": _is_flag,
    "timeouts": _is_timeouts,
    "strictFileInteractability": _is_flag,
    "unhandledPromptBehavior": _is_prompts,
    "webSocketUrl": _is_flag,
    "userAgent": _is_text,
}
_OURS = {
    "appium:app": _is_app,
    "appium:automationName": _is_text,
    "appium:environ": _is_environment,
    "appium:newCommandTimeout": _is_seconds,
    "deskhand:attach": _is_app,
    "deskhand:command": _is_command,
    "deskhand:size": _is_text,
}
