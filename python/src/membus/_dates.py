"""Replaces English expressions such as "tomorrow" and "two months ago" by dates."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import Callable

_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MONTHS = "January February March April May June July August September October November December".split()
#: A preposition before the expression, which stays. "on", "in" and "at" are then replaced.
_BEFORE = r"(?P<before>\b(?:until|till|by|from|since|before|after|for|of|on|in|at)\s+)?"
_PART = r"(?P<part>\s+(?:morning|afternoon|evening|night))?"
_COUNT = r"(?P<count>\d{1,3}|a|an|one|two|three|four|five|six)"
_UNIT = r"(?P<unit>day|week|month|year)"


def resolve_dates(text: str, at: float) -> str:
    """Replace relative dates by those that they mean on the day of `at` (Unix seconds, UTC). Words in identifiers, and
    other languages, stay.
    """
    day = datetime.fromtimestamp(at, timezone.utc).date()
    for pattern, date_of in _EXPRESSIONS:
        text = pattern.sub(lambda words: date_of(words, day), text)
    return text


def _on_day(words: re.Match[str], day: date, part: str = "") -> str:
    named = part or (words.groupdict().get("part") or "").strip()
    time = "" if not named else " at night" if named.lower() == "night" else f" in the {named}"
    return f"{_preposition(words, 'on')}{day.isoformat()}{time}"


def _in_unit(words: re.Match[str], day: date, count: int) -> str:
    """Return a day for days, the week of a day, a month or a year."""
    match words["unit"].lower():
        case "day":
            return _on_day(words, day + timedelta(days=count))
        case "week":
            monday = day + timedelta(days=7 * count - day.weekday())
            return f"{_preposition(words, 'in')}the week of {monday.isoformat()}"
        case "month":
            year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
            return f"{_preposition(words, 'in')}{_MONTHS[month]} {year}"
        case _:
            return f"{_preposition(words, 'in')}{day.year + count}"


def _preposition(words: re.Match[str], otherwise: str) -> str:
    before: str | None = words["before"]
    return f"{otherwise} " if before is None or before.strip().lower() in ("on", "in", "at") else before


def _weekday(words: re.Match[str], day: date) -> str:
    """Use the nearest day with the name: before today for "last", otherwise after today."""
    ahead = (_WEEKDAYS.index(words["name"].lower()) - day.weekday()) % 7 or 7
    days = ahead - (14 if ahead == 7 else 7) if words["which"].lower() == "last" else ahead
    return _on_day(words, day + timedelta(days=days))


def _count(words: re.Match[str]) -> int:
    count = words["count"].lower()
    return _NUMBERS[count] if count in _NUMBERS else int(count)


def _step(words: re.Match[str]) -> int:
    return ["last", "this", "next"].index(words["which"].lower()) - 1


def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w`.$/-]){_BEFORE}{pattern}(?![\w`(=/]|['’]s|-\w)", re.IGNORECASE)


def _days(pattern: str, days: int, part: str = "") -> tuple[re.Pattern[str], Callable[[re.Match[str], date], str]]:
    return _expression(pattern), lambda words, day: _on_day(words, day + timedelta(days=days), part)


_EXPRESSIONS: list[tuple[re.Pattern[str], Callable[[re.Match[str], date], str]]] = [
    _days(f"the day after tomorrow{_PART}", 2),
    _days(f"the day before yesterday{_PART}", -2),
    _days(f"tomorrow{_PART}", 1),
    _days(f"yesterday{_PART}", -1),
    _days("today", 0),
    _days("tonight", 0, "evening"),
    _days("last night", -1, "night"),
    _days("this (?P<part>morning|afternoon|evening)", 0),
    (_expression(rf"(?P<which>last|next|this|coming) (?P<name>{'|'.join(_WEEKDAYS)}){_PART}"), _weekday),
    (_expression(f"(?P<which>last|next|this) {_UNIT}"), lambda words, day: _in_unit(words, day, _step(words))),
    (_expression(f"{_COUNT} {_UNIT}s? ago"), lambda words, day: _in_unit(words, day, -_count(words))),
    (_expression(rf"in {_COUNT} {_UNIT}s?(?! (?:of|or|long))"), lambda words, day: _in_unit(words, day, _count(words))),
]
