"""Events of a request from a file, its columns recognized by name."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import NamedTuple
from zoneinfo import ZoneInfo

from core.agents.attribution_engine.schema import name_some
from core.errors import InvalidInput, MissingColumn
from core.tables.text import TextTable, plain_name, read_text_table
from core.tables.values import is_missing, read_dates, read_number

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
    match = _CLOCK.fullmatch(text.strip())
    abbreviation = (match[4] or "").casefold() if match else ""
    zone = next((zone for zone, words in _ZONES.items() if abbreviation in words), None)
    if match is None or zone is None or (match[2] is None and match[3] is None):
        return EventTime(None, None)
    hour = int(match[1])
    if match[3] is not None:
        if not 1 <= hour <= 12:
            return EventTime(None, None)
        hour = hour % 12 + (12 if match[3].casefold() == "p" else 0)
    if hour > 23:
        return EventTime(None, None)
    instant = datetime.combine(day, time(hour, int(match[2] or 0)), tzinfo=ZoneInfo(zone))
    return EventTime(None, instant.isoformat())


_DATES = (
    "date",
    "eventdate",
    "announced",
    "announcementdate",
    "announceddate",
    "catalystdate",
    "pdufadate",
    "readoutdate",
    "newsdate",
    "day",
    "dates",
)
_NAMES: dict[str, tuple[str, ...]] = {
    "asset": ("asset", "drug", "product", "compound", "ticker", "company", "companyname", "symbol"),
    "event_type": ("eventtype", "event", "type", "catalyst", "catalysttype", "headline", "label"),
    "relationship": ("relationship", "relation", "whose"),
    "confirmed": ("confirmed", "isconfirmed"),
    "expected_abs_move": ("expectedabsmove", "expectedmove", "expected", "impliedmove"),
    "session": ("session", "timing", "time", "timeofday"),
    "announced_at": ("announcedat", "timestamp", "instant"),
    "source": ("source", "url", "link"),
    "ticker": ("ticker", "symbol"),
}
_MISSING = {
    "relationship": "No column relationship: every event counts as the company's own.",
    "confirmed": "No column confirmed: every event counts as confirmed.",
    "expected_abs_move": "No column expected_abs_move: sizes are not compared.",
}
_YES = frozenset({"true", "yes", "y", "1", "confirmed", "t"})
_NO = frozenset({"false", "no", "n", "0", "unconfirmed", "rumor", "rumour", "f"})


class EventInput(NamedTuple):
    """Events for a request, and how they were read."""

    events: list[dict[str, object]]
    notes: list[str]


def read_events(text: str) -> EventInput:
    """Read events; only a date column is indispensable.

    Raises:
        MissingColumn: No column holds dates.
        InvalidInput: A date or a word cannot be read; the message names the row.
        UnreadableTable: A cell holds no number, or the file is no table.
    """
    table = read_text_table(text, _DATES)
    date_place = table.find(_DATES)
    if date_place is None:
        raise MissingColumn("the event file has no column Date")
    places = {field: table.find(names) for field, names in _NAMES.items()}
    dates = read_dates(table.cells(date_place))
    notes = [text for field, text in _MISSING.items() if places[field] is None]
    if dates.is_ambiguous:
        notes.append("Dates of the events were read as month/day/year.")
    used_columns = {date_place, *(column for column in places.values() if column is not None)}
    events, vague, unread = [], [], []
    for line, (day, row) in enumerate(zip(dates.days, table.rows, strict=True), start=1):
        if day is None:
            cell = row[date_place]
            if _VAGUE.fullmatch(re.sub(r"(?<=[hqHQ])(?=\d{2})", " ", cell.strip())) is None:
                raise InvalidInput(
                    f"row {line} of the event file has no date that can be read: "
                    f"{cell[:40]!r}; write it as 2020-05-15",
                    code="value_malformed",
                )
            vague.append(f"{cell.strip()[:20]!r} (row {line})")
            continue
        event, word = _read_event(table, row, places, f"row {line} of the event file", day)
        unread += [word] if word else []
        taken = {"date", *_NAMES}
        events.append(
            {
                "date": day.isoformat(),
                **event,
                **{
                    name[:60]: row[index].strip()[:500]
                    for index, name in enumerate(table.names)
                    if index not in used_columns
                    and name
                    and name not in taken
                    and not is_missing(row[index])
                },
            }
        )
    if vague and not events:
        raise InvalidInput(
            f"no event has a day: {', '.join(vague[:3])}; write days as 2020-05-15",
            code="value_malformed",
        )
    return EventInput(events, [*notes, *_note_left_out(vague, unread)])


def _note_left_out(vague: Sequence[str], unread: Sequence[str]) -> list[str]:
    """Say which events have no day and which times could not be read."""
    notes = []
    if vague:
        notes.append(
            f"{len(vague)} events were skipped because they have no day: "
            f"{name_some(vague)}. Give each the day on which the news came."
        )
    if unread:
        named = ", ".join(sorted({repr(word[:20]) for word in unread})[:5])
        notes.append(
            f"{len(unread)} times of day could not be read and were skipped: {named}. Write pre, "
            "regular, after, or a time such as 4:05 PM ET."
        )
    return notes


def _read_event(
    table: TextTable,
    row: Sequence[str],
    places: dict[str, int | None],
    where: str,
    day: date,
) -> tuple[dict[str, object], str]:
    """Return the fields of one event besides its date, and a time of day that cannot be read."""
    cells = {
        field: row[column].strip()
        for field, column in places.items()
        if column is not None and not is_missing(row[column])
    }
    event: dict[str, object] = {
        "asset": cells.get("asset", "not named")[:500],
        "event_type": cells.get("event_type", "event")[:500],
        "relationship": cells.get("relationship", "own")[:100],
        "confirmed": _read_answer(cells.get("confirmed", "yes"), where),
    }
    if "expected_abs_move" in cells:
        event["expected_abs_move"] = read_number(
            cells["expected_abs_move"],
            decimal_comma=table.decimal_comma,
            where=f"{where}, expected move",
        )
    word = cells.get("session", "")
    when = read_time(word, day)
    extra = {
        "session": when.session,
        "announced_at": cells.get("announced_at", when.announced_at),
        "source": cells.get("source"),
        "ticker": cells.get("ticker", "")[:30] or None,
    }
    is_unread = bool(word) and when == EventTime(None, None)
    filled = {name: value for name, value in extra.items() if value is not None}
    return event | filled, word if is_unread else ""


def _read_answer(cell: str, where: str) -> bool:
    word = cell.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidInput(
        f"{where} says {cell[:40]!r} in column confirmed; write yes or no",
        code="value_not_allowed",
    )
