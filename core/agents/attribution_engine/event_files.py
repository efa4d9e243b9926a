"""Events of a request from a file, its columns recognized by name."""

from collections.abc import Sequence
from typing import NamedTuple

from core.agents.attribution_engine.file_cells import is_nothing, read_dates, read_number
from core.agents.attribution_engine.file_tables import FileTable, plain_name, read_table
from core.errors import InvalidInput, MissingColumn

_DATES = ("date", "eventdate", "announced", "announcementdate", "announceddate", "day", "dates")
_NAMES: dict[str, tuple[str, ...]] = {
    "asset": ("asset", "drug", "product", "compound", "ticker", "company", "companyname", "symbol"),
    "event_type": ("eventtype", "event", "type", "catalyst", "catalysttype", "headline", "label"),
    "relationship": ("relationship", "relation", "whose"),
    "confirmed": ("confirmed", "isconfirmed"),
    "expected_abs_move": ("expectedabsmove", "expectedmove", "expected", "impliedmove"),
    "session": ("session", "timing", "time", "timeofday"),
    "announced_at": ("announcedat", "timestamp", "instant"),
    "source": ("source", "url", "link"),
}
_YES = frozenset({"true", "yes", "y", "1", "confirmed", "t"})
_NO = frozenset({"false", "no", "n", "0", "unconfirmed", "rumor", "rumour", "f"})
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
    table = read_table(text, _DATES)
    date_place = table.find(_DATES)
    if date_place is None:
        raise MissingColumn("the event file has no column Date")
    places = {field: table.find(names) for field, names in _NAMES.items()}
    dates = read_dates(table.cells(date_place))
    notes = _note_missing(places)
    if dates.is_ambiguous:
        notes.append("Dates of the events were read as month/day/year.")
    known = {date_place, *(place for place in places.values() if place is not None)}
    events = []
    for line, (day, row) in enumerate(zip(dates.days, table.rows, strict=True), start=1):
        if day is None:
            raise InvalidInput(
                f"row {line} of the event file has no date that can be read: "
                f"{row[date_place][:40]!r}; write it as 2020-05-15",
                code="value_malformed",
            )
        events.append({"date": day.isoformat(), **_read_event(table, row, places, line)})
        events[-1] |= _read_others(table, row, known)
    return EventInput(events, notes)


def _note_missing(places: dict[str, int | None]) -> list[str]:
    said = {
        "relationship": "No column relationship: every event counts as the company's own.",
        "confirmed": "No column confirmed: every event counts as confirmed.",
        "expected_abs_move": "No column expected_abs_move: sizes are not compared.",
    }
    return [text for field, text in said.items() if places[field] is None]


def _read_event(
    table: FileTable, row: Sequence[str], places: dict[str, int | None], line: int
) -> dict[str, object]:
    """Return the fields of one event besides its date."""
    cells = {
        field: row[place].strip()
        for field, place in places.items()
        if place is not None and not is_nothing(row[place])
    }
    where = f"row {line} of the event file"
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
    session = _read_session(cells.get("session", ""))
    extra = {"session": session, "announced_at": cells.get("announced_at")}
    extra["source"] = cells.get("source")
    return event | {name: value for name, value in extra.items() if value is not None}


def _read_answer(cell: str, where: str) -> bool:
    word = cell.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidInput(
        f"{where} says {cell[:40]!r} in column confirmed; write yes or no",
        code="value_not_allowed",
    )


def _read_session(cell: str) -> str | None:
    """Return the session that a word stands for; other words (a clock time) are left out."""
    word = plain_name(cell)
    return next((name for name, words in _SESSIONS.items() if word in words), None)


def _read_others(table: FileTable, row: Sequence[str], known: set[int]) -> dict[str, object]:
    """Return further columns as further fields of the event."""
    taken = {"date", *_NAMES}
    return {
        name[:60]: row[place].strip()[:500]
        for place, name in enumerate(table.names)
        if place not in known and name and name not in taken and not is_nothing(row[place])
    }
