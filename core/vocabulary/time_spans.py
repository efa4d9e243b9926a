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
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _day(name: str) -> str:
    """Return the pattern of a year, month or day: "2025", "2025-03", "March 2025", "Q1 2025"."""
    return (
        rf"(?:(?P<{name}_word>(?:{'|'.join(_MONTHS)})[a-z]*)\.?\s+|"
        rf"(?P<{name}_part>[QH][1-4])[\s/-]*)?(?<![\w-])(?P<{name}_year>(?:19|20)\d\d)"
        rf"(?:-(?P<{name}_month>\d\d))?(?:-(?P<{name}_day>\d\d))?(?![\w-]|/\d)"
    )


_BETWEEN = re.compile(
    rf"\b(?:between|from)\s+{_day('a')}\s+(?:and|to|until|through)\s+{_day('b')}"
    r"|\b(?:in|during|of|for)?\s*(?P<c_year>20\d\d)\s*(?:-|and|or|to)\s*"
    r"(?P<d_year>20\d\d)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    rf"\b(?P<word>since|after|from|before|prior to|until|through|up to|by)\s+{_day('a')}"
    r"(?:\s+(?:on|onwards?))?\b",
    re.IGNORECASE,
)
_IN = re.compile(rf"(?:\b(?:in|during|of|for)\s+)?{_day('a')}", re.IGNORECASE)
EARLIEST = date(1900, 1, 1)


@dataclass(frozen=True)
class Span:
    """The days that a question asks about.

    Attributes:
        first: First day.
        last: Last day.
    """

    first: date
    last: date

    @property
    def words(self) -> str:
        """Return the span as a sentence names it."""
        first = f"of {self.first.isoformat()} " if self.first > EARLIEST else "up "
        return f"{first}to {self.last.isoformat()}"


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
    >>> take_span("news before March 2023", date(2026, 3, 2))[0].last.isoformat()
    '2023-02-28'
    >>> take_span("between 2020 and Q3 2022", date(2026, 3, 2))[0].last.isoformat()
    '2022-09-30'
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
    for match in _BETWEEN.finditer(text):
        first, last = ("a", "b") if match["a_year"] else ("c", "d")
        begin, end = _span_of(match, first), _span_of(match, last)
        if begin and end and begin.first <= end.last:
            yield match, Span(begin.first, end.last)
    for match in _SINCE.finditer(text):
        word, named = match["word"].casefold(), _span_of(match, "a")
        if named and word in {"since", "from"}:
            yield match, Span(min(named.first, today), today)
        elif named and word == "after":
            yield match, Span(min(named.last + timedelta(days=1), today), today)
        elif named:
            is_before = word in {"before", "prior to"}
            yield (
                match,
                Span(EARLIEST, named.first - timedelta(days=1) if is_before else named.last),
            )
    for match in _IN.finditer(text):
        if named := _span_of(match, "a"):
            yield match, named


def _span_of(match: re.Match[str], name: str) -> Span | None:
    """Return the first and the last day of a year, half-year, quarter, month or day."""
    fields = match.groupdict()
    word, part = fields.get(f"{name}_word"), fields.get(f"{name}_part")
    month, day = fields.get(f"{name}_month"), fields.get(f"{name}_day")
    year, first, n_months = int(match[f"{name}_year"]), 1, 12
    if part:
        n_months = 3 if part[0] in "qQ" else 6
        first = 1 + n_months * (int(part[1]) - 1)
    elif word or month:
        first = _MONTHS.index(word[:3].casefold()) + 1 if word else int(month or 1)
        n_months = 1
    if not 1 <= first <= 12:
        return None
    after = first - 1 + n_months
    end = date(year + after // 12, after % 12 + 1, 1) - timedelta(days=1)
    if day and 1 <= int(day) <= end.day:
        return Span(date(year, first, int(day)), date(year, first, int(day)))
    return Span(date(year, first, 1), end)
