"""Text of callers and sources, shown as text wherever Streamlit would read Markdown."""

import re
from datetime import datetime

from core.reports.text import readable

_MARKS = re.compile(r"([\\`*_{}\[\]<>#+\-.!|$~&^=])")
_LINK = re.compile(r"(?<=www)(?=\.)|(?<=:)(?=//)|(?=@)", re.IGNORECASE)
_DIRECTIVE = re.compile(r":(?=[A-Za-z0-9_+\-])")


def plain(text: str) -> str:
    r"""Return text in which Streamlit finds no Markdown, formula, color, icon or HTML.

    Args:
        text: Any text; line breaks become blanks, marks that turn its order round are taken out.

    >>> plain("$x$ :red[a]")
    '\\$x\\$ :\u2060red\\[a\\]'
    >>> plain("me@here.org, www.x.org")
    'me\u2060@here\\.org, www\u2060\\.x\\.org'
    """
    line = _LINK.sub("\u2060", " ".join(readable(text).split()))
    return _DIRECTIVE.sub(":\u2060", _MARKS.sub(r"\\\1", line))


def show_time(at: datetime | None) -> str:
    """Return an instant as date and time in UTC, or a dash."""
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else "–"


def show_seconds(seconds: float | None) -> str:
    """Return a duration in seconds or minutes, or a dash."""
    if seconds is None:
        return "–"
    minute = 60
    if seconds < minute:
        return f"{seconds:.1f} s"
    return f"{int(seconds // minute)} min {int(seconds % minute)} s"


def show_count(number: int) -> str:
    """Return a whole number with thousands separators."""
    return f"{number:,}"


def show_number(number: int, noun: str) -> str:
    """Return how many there are of something, in the right number.

    >>> show_number(1, "day"), show_number(1200, "drug")
    ('1 day', '1,200 drugs')
    """
    return f"{show_count(number)} {noun}{'' if number == 1 else 's'}"


def file_stem(*parts: str) -> str:
    """Return a file name without ending, made of letters, digits, dot and hyphen.

    Args:
        parts: Agent, query, date, run and the like, joined by underscores.
    """
    words = (re.sub(r"[^A-Za-z0-9.\-]+", "-", text).strip("-.")[:48] for text in parts)
    return "_".join(word for word in words if word) or "report"
