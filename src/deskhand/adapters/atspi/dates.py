"""Dates and times as programs show them: what is meant by ISO 8601, and how a field would show it.

No program says in which order its field has day, month and year. What the field shows now leaves few orders,
and what it shows after one was tried tells whether that was right. Nothing here asks a program anything.
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .item import Item
from .kinds import role_name
from .vocabulary import Face

_ISO = re.compile(r"(?:(\d{4}-\d\d-\d\d)(?:[T ](?=\d))?)?(\d\d?:\d\d(?::\d\d)?)?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(\s*)([AaPp][Mm])?(?![\w:])")
_PARTS = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_DAYS, _MONTHS = 31, 12


@dataclass(frozen=True)
class Moment:
    """A date, a time, or both."""

    date: datetime.date | None = None
    time: datetime.time | None = None


def parse(text: str) -> Moment | None:
    """What ISO 8601 means; None if it is something else, ValueError if there is no such day or time."""
    found = _ISO.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    date, time = found.groups()
    return Moment(
        datetime.date.fromisoformat(date) if date else None,
        datetime.time.fromisoformat(time.zfill(5 if time.count(":") == 1 else 8)) if time else None,
    )


# -- fields that are one text ----------------------------------------------------------------------


def is_field(item: Item) -> bool:
    """Whether an item is a field for a date or a time that is one text, as those of Qt are.

    They are spin buttons, and have a number without a range: none.
    """
    if role_name(item) != "spin button" or not item.text or not item.has(Face.EDITABLE):
        return False
    return item.value in (None, (0.0, 0.0, 0.0)) and any(orders(item.text))


def orders(shown: str) -> list[str]:
    """In which orders the parts of a date may be shown, by the letters d, m and y; `-` for a time alone.

    None if it shows neither.
    """
    time, date = _apart(shown)
    values = [part for part in _PARTS.findall(date) if part.isalnum() and not _weekday(part)]
    if not values and time is not None:
        return ["-"]
    if len(values) != 3:
        return []
    found = ["dmy", "mdy", "ymd"]
    if not any(len(value) == 4 or not value.isdecimal() for value in values) and "-" not in date:
        found.remove("ymd")
    return [order for order in found if all(map(_may_be, order, values))]


def text_of(shown: str, order: str, moment: Moment) -> str:
    """How a field that shows this would show another moment."""
    time = _TIME.search(shown)
    before, middle, after = shown, "", ""
    if time is not None:
        before, middle, after = shown[: time.start()], time.group(), shown[time.end() :]
        if moment.time is not None:
            middle = _time_text(time, moment.time)
    if moment.date is not None:
        letters = iter(order)
        before = _date_text(before, letters, moment.date)
        after = _date_text(after, letters, moment.date)
    return before + middle + after


def shows(shown: str, order: str, moment: Moment) -> bool:
    """Whether a field shows a moment, however many zeros it puts in front."""
    time, date = _apart(shown)
    if moment.time is not None and (time is None or _time_text(time, moment.time) != time.group()):
        return False
    if moment.date is None:
        return True
    values = [part for part in _PARTS.findall(date) if part.isalnum() and not _weekday(part)]
    if len(values) != len(order):
        return False
    wanted = {"d": moment.date.day, "m": moment.date.month, "y": moment.date.year}
    for letter, value in zip(order, values, strict=True):
        number = int(value) if value.isdecimal() else _month(value)
        if number != (wanted[letter] % 100 if letter == "y" and len(value) < 3 else wanted[letter]):
            return False
    return True


def has_time(shown: str) -> bool:
    return _TIME.search(shown) is not None


def _apart(shown: str) -> tuple[re.Match[str] | None, str]:
    """The time in a text, and the text without it."""
    time = _TIME.search(shown)
    return time, shown if time is None else f"{shown[: time.start()]} {shown[time.end() :]}"


def _may_be(letter: str, value: str) -> bool:
    if not value.isdecimal():
        return letter == "m" and _month(value) is not None
    if letter == "y":
        return len(value) in (2, 4)
    return len(value) < 3 and 1 <= int(value) <= (_DAYS if letter == "d" else _MONTHS)


def _date_text(shown: str, letters: Iterator[str], date: datetime.date) -> str:
    parts = []
    for part in _PARTS.findall(shown):
        if _weekday(part):
            part = (calendar.day_name if len(part) > 3 else calendar.day_abbr)[date.weekday()]
        elif part.isalnum():
            part = _part_text(part, next(letters), date)
        parts.append(part)
    return "".join(parts)


def _part_text(shown: str, letter: str, date: datetime.date) -> str:
    if letter == "y":
        return f"{date.year:04}" if len(shown) == 4 else f"{date.year % 100:02}"
    if not shown.isdecimal():
        short = shown in calendar.month_abbr
        return (calendar.month_abbr if short else calendar.month_name)[date.month]
    number = date.day if letter == "d" else date.month
    return f"{number:02}" if len(shown) == 2 else f"{number}"


def _time_text(shown: re.Match[str], time: datetime.time) -> str:
    hour, _, seconds, space, half = shown.groups()
    number = (time.hour % 12 or 12) if half else time.hour
    text = f"{number:02}" if len(hour) == 2 else f"{number}"
    text += f":{time.minute:02}"
    if seconds is not None:
        text += f":{time.second:02}"
    if half:
        own = "PM" if time.hour >= 12 else "AM"
        text += space + (own.lower() if half.islower() else own)
    return text if half else text + (space or "")


def _weekday(word: str) -> bool:
    return word in calendar.day_name or word in calendar.day_abbr


def _month(word: str) -> int | None:
    names = [*list(calendar.month_name)[1:], *list(calendar.month_abbr)[1:]]
    return names.index(word) % 12 + 1 if word in names else None


# -- fields that have a number for each part -------------------------------------------------------


def parts_of(item: Item) -> dict[str, Item]:
    """The numbers that a date editor of Chromium has inside, by what they are.

    Their names are in the user's language; their ranges are not.
    """
    if role_name(item) != "date editor":
        return {}
    found: dict[str, Item] = {}
    for one in item.walk():
        if role_name(one) != "spin button" or one.value is None:
            continue
        _, low, high = one.value
        kind = _KINDS.get((low, high), "year" if high is not None and high > 1000 else "")
        if kind == "month" and "month" in found:
            kind = "hour12"
        if kind in ("minute", "second"):
            kind = "minute" if "minute" not in found else "second"
        if kind:
            found[kind] = one
    if "month" in found and "year" not in found and "minute" in found:
        # A time alone, of which the first number is the hour.
        found = {"hour12" if kind == "month" else kind: one for kind, one in found.items()}
    return found


_KINDS: dict[tuple[float | None, float | None], str] = {
    (1, 28): "day", (1, 29): "day", (1, 30): "day", (1, 31): "day", (1, 12): "month",
    (0, 23): "hour", (0, 59): "minute", (1, 2): "half",
}  # fmt: skip


def numbers(moment: Moment) -> dict[str, int]:
    """What each part of a moment is, by the names of `parts_of`."""
    found: dict[str, int] = {}
    if moment.date is not None:
        found |= {"year": moment.date.year, "month": moment.date.month, "day": moment.date.day}
    if moment.time is not None:
        hour = moment.time.hour
        found |= {"hour": hour, "hour12": hour % 12 or 12, "half": 1 + (hour >= 12)}
        found |= {"minute": moment.time.minute, "second": moment.time.second}
    return found


def value_of(item: Item) -> str | None:
    """What a date editor holds, as ISO 8601; empty if a part of it is, None if it is something else."""
    parts = parts_of(item)
    if not parts:
        return None
    held = {kind: int(one.value[0] or 0) if one.value else 0 for kind, one in parts.items()}
    date = "-".join(
        f"{held[kind]:0{4 if kind == 'year' else 2}}" for kind in ("year", "month", "day") if kind in held
    )
    if "half" in held and "hour12" in held:
        held["hour"] = held["hour12"] % 12 + (12 if held["half"] == 2 else 0)
    time = ":".join(f"{held[kind]:02}" for kind in ("hour", "minute", "second") if kind in held)
    if any(not held.get(kind, 1) for kind in ("year", "month", "day", "hour12", "half")):
        return ""
    return "T".join(text for text in (date, time) if text)
