"""Words of a question that name a span of time: "last 60 days", "since 2025", "next 6 months"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_DAYS = {"day": 1, "week": 7, "month": 30.4375, "quarter": 91.3125, "year": 365.25}
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "nine": 9, "twelve": 12}
_NUMBERS |= {"": 1, "couple of": 2, "few": 3}
_BACK = re.compile(
    r"\b(?:(?:with)?in|over|during|from|for)?\s*(?:the\s+)?(?:last|past|previous|recent)\s+"
    r"(?P<number>\d{1,4}|a|one|two|three|four|six|nine|twelve|couple of|few|)\s*"
    r"(?P<unit>day|week|month|quarter|year)s?\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    _BACK.pattern.replace("last|past|previous|recent", "next|coming|following"), re.I
)
_THIS = re.compile(
    r"\b(?:in|during|over|for)?\s*(?:this|the current)\s+(?P<unit>week|month|quarter|year)\b"
    r"|\b(?P<to_date>year to date|YTD)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince\s+(?P<year>20\d\d)(?:-(?P<month>\d\d))?(?:-(?P<day>\d\d))?\b", re.I)
_QUARTER = re.compile(r"\b(?:in\s+)?Q(?P<quarter>[1-4])[\s/-]*(?P<year>20\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:in|during|of|for)?\s*(?<![\w-])(?P<year>20\d\d)(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True)
class Span:
    """The days that a question asks about.

    Attributes:
        first: First day.
        last: Last day.
    """

    first: date
    last: date


def take_span(text: str, today: date) -> tuple[Span | None, str]:
    """Return the span of time that a text names, and the text without its words.

    Args:
        text: A question.
        today: The day that "last" and "next" count from.

    >>> take_span("FDA approvals last 60 days", date(2026, 3, 2))
    (Span(first=datetime.date(2026, 1, 1), last=datetime.date(2026, 3, 2)), 'FDA approvals')
    >>> take_span("licenses in 2025", date(2026, 3, 2))[0].last.isoformat()
    '2025-12-31'
    >>> take_span("FDA approvals this month", date(2026, 3, 2))[0].first.isoformat()
    '2026-03-01'
    >>> take_span("asthma", date(2026, 3, 2))
    (None, 'asthma')
    """
    for match, span in _spans(text, today):
        remainder = f"{text[: match.start()]} {text[match.end() :]}"
        return span, " ".join(remainder.split())
    return None, text


def _first_day(unit: str, today: date) -> date:
    """Return the first day of the week (Monday), month, quarter or year of a day."""
    months = {"month": today.month, "quarter": today.month - (today.month - 1) % 3, "year": 1}
    if unit == "week":
        return today - timedelta(days=today.weekday())
    return date(today.year, months[unit], 1)


def _spans(text: str, today: date) -> Iterator[tuple[re.Match[str], Span]]:
    for pattern, sign in ((_BACK, -1), (_AHEAD, 1)):
        for match in pattern.finditer(text):
            word = match["number"].casefold()
            number = int(word) if word.isdigit() else _NUMBERS[word]
            days = min(round(number * _DAYS[match["unit"].casefold()]), 36_500)
            other = today + timedelta(days=sign * days)
            yield match, Span(min(today, other), max(today, other))
    for match in _THIS.finditer(text):
        yield match, Span(_first_day((match["unit"] or "year").casefold(), today), today)
    for match in _SINCE.finditer(text):
        month, day = int(match["month"] or 1), int(match["day"] or 1)
        if 1 <= month <= 12 and 1 <= day <= 28:
            first = date(int(match["year"]), month, day)
            yield match, Span(min(first, today), today)
    for match in _QUARTER.finditer(text):
        year, month = int(match["year"]), 3 * int(match["quarter"]) - 2
        after = date(year + month // 10, (month + 2) % 12 + 1, 1)
        yield match, Span(date(year, month, 1), after - timedelta(days=1))
    for match in _YEAR.finditer(text):
        year = int(match["year"])
        yield match, Span(date(year, 1, 1), date(year, 12, 31))
