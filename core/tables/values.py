"""Dates and numbers of single cells and whole columns, as vendors and registries write them."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from core.errors import UnreadableTable

_MISSING = frozenset(
    {"", "-", "--", "–", "na", "n/a", "nan", "null", "none", "nm", "@na", "#n/a", "#n/a n/a", "."}
)
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[T ].*)?")
_WORDED = ("%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%y", "%d %B %Y", "%b %d %Y")
_MOST_SHOWN = 40


class Dates(NamedTuple):
    """The dates of a column.

    Attributes:
        days: One a cell; None where the cell holds no date.
        is_ambiguous: Whether day and month could be told apart by no cell.
    """

    days: list[date | None]
    is_ambiguous: bool


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell.strip().casefold() in _MISSING


def read_dates(cells: Sequence[str]) -> Dates:
    """Read a column of dates; day and month are told apart by the whole column.

    Where no cell has a number over 12 in either place, the month is read first (as in New York).
    """
    pairs = [(int(m[1]), int(m[2])) for cell in cells if (m := _SLASHED.fullmatch(cell.strip()))]
    day_first = any(first > 12 for first, _ in pairs)
    month_first = any(second > 12 for _, second in pairs)
    days = [_read_date(cell.strip(), day_first=day_first and not month_first) for cell in cells]
    differs = any(first != second for first, second in pairs)
    return Dates(days, differs and not day_first and not month_first)


def _read_date(cell: str, *, day_first: bool) -> date | None:
    try:
        if match := _ISO.fullmatch(cell) or _COMPACT.fullmatch(cell):
            return date(int(match[1]), int(match[2]), int(match[3]))
        if match := _SLASHED.fullmatch(cell):
            first, second = int(match[1]), int(match[2])
            month, day = (second, first) if day_first else (first, second)
            return date(int(match[3]), month, day)
    except ValueError:
        return None
    for form in _WORDED:
        try:
            return datetime.strptime(cell, form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return None


def read_number(cell: str, *, decimal_comma: bool, where: str) -> float | None:
    """Read a number: currency and thousands signs go, percent divides by 100.

    `decimal_comma`: whether a comma parts the decimals. `where`: named when the cell is no number.

    Returns:
        The number, or None for a missing value.

    Raises:
        UnreadableTable: The cell holds something else.
    """
    if is_missing(cell):
        return None
    text = cell.strip().lstrip("$€£").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    is_percent = text.endswith("%")
    text = text.rstrip("%").replace("\N{MINUS SIGN}", "-").replace("$", "")
    text = text.replace(".", "").replace(",", ".") if decimal_comma else text.replace(",", "")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text):
        raise UnreadableTable(f"{where} holds no number: {cell[:_MOST_SHOWN]!r}")
    return float(text) / (100 if is_percent else 1)


_ISO_OR_LESS = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_FORMS = (
    *("%b %d, %Y", "%d-%b-%y", "%d-%b-%Y", "%B %d, %Y", "%d/%m/%Y", "%Y%m%d"),
    "%b. %d, %Y",
)


def _is_of_calendar(day: str) -> bool:
    """Return whether a day, month or year is one of the calendar."""
    try:
        date.fromisoformat(f"{day}-01-01"[:10])
    except ValueError:
        return False
    return True


@lru_cache(maxsize=50_000)
def read_date(text: str) -> str:
    """Return a date as YYYY-MM-DD, YYYY-MM or YYYY; "" when it is none.

    >>> read_date("Jun. 26, 2023"), read_date("2026-03"), read_date("soon")
    ('2023-06-26', '2026-03', '')
    """
    text = text.strip().replace("Sept.", "Sep.")
    match = _ISO_OR_LESS.match(text)
    if match and (len(text) == match.end() or text[10:11] in {" ", "T"}):
        return text[:10] if _is_of_calendar(text[:10]) else ""
    for form in _FORMS if text[:1].isalnum() and any(map(str.isdigit, text)) else ():
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - a day
        except ValueError:
            continue
    return ""
