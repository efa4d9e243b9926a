"""When on its day an event came, as files write it: a word, or a clock time with a zone."""

import re
from datetime import date, datetime, time
from typing import NamedTuple
from zoneinfo import ZoneInfo

from core.agents.attribution_engine.file_tables import plain_name

_SESSIONS = {
    "pre": ("pre", "bmo", "premarket", "beforeopen", "beforemarket", "beforemarketopen"),
    "regular": ("regular", "dmh", "during", "duringmarket", "intraday", "duringmarkethours"),
    "after": (
        "after",
        "amc",
        "post",
        "postmarket",
        "afterclose",
        "aftermarket",
        "aftermarketclose",
    ),
}
_CLOCK = re.compile(
    r"(\d{1,2})(?::([0-5]\d))?(?::[0-5]\d)?\s*([ap])?\.?\s*(?:m\.?)?\s*([a-z]{1,4})?", re.IGNORECASE
)
_ZONES = {
    "America/New_York": ("", "et", "est", "edt", "ny"),
    "America/Chicago": ("ct", "cst", "cdt"),
    "America/Los_Angeles": ("pt", "pst", "pdt"),
    "UTC": ("utc", "gmt", "z"),
    "Europe/London": ("bst",),
    "Europe/Paris": ("cet", "cest"),
}
_VAGUE = re.compile(
    r"(?:(?:early|mid|late|end|by|q[1-4]|[1-4]q|h[12]|[12]h|spring|summer|fall|autumn|winter|tbd|tba"
    r"|jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|of|year"
    r"|quarter|half|first|second|third|fourth|1st|2nd|3rd|4th|[12]\d{3}|'?\d{2})[\s,./-]*)+",
    re.IGNORECASE,
)


class EventTime(NamedTuple):
    """A session or an instant; both None where the text says neither."""

    session: str | None
    announced_at: str | None


def read_time(text: str, day: date) -> EventTime:
    """Read when on its day an event came; a clock time without a zone is New York's.

    >>> read_time("BMO", date(2020, 5, 15)).session
    'pre'
    >>> read_time("4:05 PM ET", date(2020, 5, 15)).announced_at
    '2020-05-15T16:05:00-04:00'
    """
    word = plain_name(text)
    session = next((name for name, words in _SESSIONS.items() if word in words), None)
    if session is not None:
        return EventTime(session, None)
    found = _CLOCK.fullmatch(text.strip())
    zone = _find_zone(found[4] or "") if found else None
    if found is None or zone is None or (found[2] is None and found[3] is None):
        return EventTime(None, None)
    hour = int(found[1])
    if found[3] is not None:
        if not 1 <= hour <= 12:
            return EventTime(None, None)
        hour = hour % 12 + (12 if found[3].casefold() == "p" else 0)
    if hour > 23:
        return EventTime(None, None)
    instant = datetime.combine(day, time(hour, int(found[2] or 0)), tzinfo=ZoneInfo(zone))
    return EventTime(None, instant.isoformat())


def _find_zone(word: str) -> str | None:
    plain = word.casefold()
    return next((zone for zone, words in _ZONES.items() if plain in words), None)


def is_vague(cell: str) -> bool:
    """Return whether a cell names a span of time instead of a day.

    >>> is_vague("Q2 2022"), is_vague("mid-2022"), is_vague("2H22"), is_vague("soon")
    (True, True, True, False)
    """
    return _VAGUE.fullmatch(re.sub(r"(?<=[hqHQ])(?=\d{2})", " ", cell.strip())) is not None
