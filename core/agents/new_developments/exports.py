"""The calendar of what lies ahead (RFC 5545), for other programs."""

from collections.abc import Iterator
from datetime import date, timedelta

from core.agents.new_developments.records import DatedEvent
from core.agents.new_developments.schema import NewDevelopmentsData
from core.errors import NotFound

LONGEST_LINE = 75
"""Octets of a line; a longer one goes on in the next, which begins with a blank."""


def export(data: NewDevelopmentsData, name: str) -> bytes:
    """Return a file of a run.

    Raises:
        NotFound: There is no such file.
    """
    if name != "upcoming.ics":
        raise NotFound(f"a run of this agent has no file {name!r}")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//biopharma workbench//events//EN"]
    for event in data.upcoming:
        lines += _event(event, data.generated_at)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded_line}\r\n" for line in lines for folded_line in _fold(line)).encode()


def _event(event: DatedEvent, at: str) -> Iterator[str]:
    """Yield the lines of an event; one of a month stands on its first day and says so."""
    day = date.fromisoformat(
        (f"{event.date}-01-01" if len(event.date) == 4 else f"{event.date}-01")[:10]
    )
    stamp = at[:19].replace("-", "").replace(":", "")
    about = " ".join(filter(None, (event.company, event.indication)))
    yield "BEGIN:VEVENT"
    yield f"UID:{event.id}@biopharma-workbench"
    yield f"DTSTAMP:{stamp}Z"
    yield f"DTSTART;VALUE=DATE:{day:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{_escape(event.title)}"
    yield f"DESCRIPTION:{_escape(f'Expected {event.date}. {about}'.strip())}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _escape(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\")
    return plain.replace(";", "\\;").replace(",", "\\,")


def _fold(line: str) -> Iterator[str]:
    """Yield a line in parts of at most 75 octets, no sign cut in two."""
    folded_line = ""
    for sign in line:
        if len((folded_line + sign).encode()) > LONGEST_LINE:
            yield folded_line
            folded_line = " "
        folded_line += sign
    yield folded_line
