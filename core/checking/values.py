"""Days, phases, amounts and figures as running text writes them."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from core.records.stages import Stage

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_YEAR}-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>[0-3]\d))?\b",
        rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_MONTH},?\s+{_YEAR}\b",
        rf"\b(?P<part>[1-4]Q|Q[1-4]|[12]H|H[12])\s?/?{_YEAR}\b",
        rf"(?:\b(?:in|since|by|during|of|FDA|EMA|PMDA|NMPA|year)\s+|[(,]\s?|^){_YEAR}\b(?![-/.]\d)",
    )
)
STATUSES = ("NOT_YET_RECRUITING", "RECRUITING", "ACTIVE_NOT_RECRUITING", "COMPLETED")
"""How a trial goes on: an earlier status was true once."""
STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})
"""How it ends before its time."""
TOLERANCE = timedelta(days=3)
"""Days by which two sources may date one event differently."""


@dataclass(frozen=True, slots=True)
class DaySpan:
    """A day, month, quarter or year where a text writes it.

    Attributes:
        start: First character in the text; 0 for a day of a record.
        end: One past the last.
        first: First day that may be meant.
        last: Last day that may be meant.
        said: As written.
    """

    start: int
    end: int
    first: date
    last: date
    said: str

    def meets(self, other: "DaySpan") -> bool:
        """Return whether both may mean one day; two single days may differ as sources do."""
        margin = TOLERANCE if self.is_day and other.is_day else timedelta(0)
        return self.first <= other.last + margin and other.first <= self.last + margin

    def holds(self, other: "DaySpan") -> bool:
        """Return whether another day is certainly in this one, give or take how sources differ."""
        if self.is_day and other.is_day:
            return self.meets(other)
        return self.first <= other.first and other.last <= self.last

    @property
    def is_day(self) -> bool:
        """Return whether it is a single day."""
        return self.first == self.last

    @property
    def is_rough(self) -> bool:
        """Return whether it is a quarter or longer."""
        return (self.last - self.first).days > 60


def find_days(text: str) -> list[DaySpan]:
    """Return the days of a text by place; a year alone counts where words say that it is one.

    >>> [(day.said, str(day.first), str(day.last)) for day in find_days("on 1 May 2026 (FDA 2024)")]
    [('1 May 2026', '2026-05-01', '2026-05-01'), ('2024', '2024-01-01', '2024-12-31')]
    """
    days: list[DaySpan] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            start = (
                match.start("year")
                if match.lastgroup == "year" and len(match.groupdict()) == 1
                else match.start()
            )
            if any(day.start < match.end() and start < day.end for day in days):
                continue
            span = _span(match, start)
            if span is not None:
                days.append(span)
    return sorted(days, key=lambda day: day.start)


def _span(match: re.Match[str], start: int) -> DaySpan | None:
    groups = match.groupdict()
    year, said = int(groups["year"]), match.string[start : match.end()]
    if groups.get("part"):
        part = groups["part"].upper()
        length = 3 if "Q" in part else 6
        month = (int(part.strip("QH")) - 1) * length + 1
        last = month + length - 1
    elif groups.get("number") or groups.get("month"):
        word = groups.get("month") or ""
        month = int(groups.get("number") or 0) or _MONTHS.index(word[:3].casefold()) + 1
        last = month
    else:
        month, last = 1, 12
    try:
        if groups.get("day"):
            day = date(year, month, int(groups["day"]))
            return DaySpan(start, match.end(), day, day, said)
        end = date(year, last, monthrange(year, last)[1])
        return DaySpan(start, match.end(), date(year, month, 1), end, said)
    except ValueError:
        return None


def span_of(recorded: str) -> DaySpan | None:
    """Return a record's day (YYYY-MM-DD, YYYY-MM or YYYY) as a span; None where it has none."""
    match = re.match(r"(?P<year>\d{4})(?:-(?P<number>\d\d)(?:-(?P<day>\d\d))?)?$", recorded)
    return _span(match, 0) if match else None


_PHASE = re.compile(
    r"\b(?:early\s+)?phases?[\s-]+(?P<first>[1-4]|I{1,3}|IV)(?P<letter>[ab])?"
    r"(?:\s?[/\u2013-]\s?(?P<second>[2-4]|I{1,3}|IV)[ab]?)?\b",
    re.IGNORECASE,
)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4"}


@dataclass(frozen=True, slots=True)
class StageSpan:
    """A stage where a text writes it; a phase 4 is that of a trial."""

    start: int
    end: int
    stage: Stage
    said: str
    is_phase4: bool = False


def find_phases(text: str) -> Iterator[StageSpan]:
    """Yield the phases that a text names.

    >>> [phase.stage for phase in find_phases("Phase IIb, then phase 2/3, phase III")]
    ['PHASE2', 'PHASE2_3', 'PHASE3']
    """
    for match in _PHASE.finditer(text):
        first, second = (_digit(match[name]) for name in ("first", "second"))
        stage: Stage | None = {
            ("1", ""): "PHASE1",
            ("2", ""): "PHASE2",
            ("3", ""): "PHASE3",
            ("4", ""): "APPROVED",
            ("1", "2"): "PHASE1_2",
            ("2", "3"): "PHASE2_3",
        }.get((first, second))  # type: ignore[assignment]
        if stage:
            yield StageSpan(match.start(), match.end(), stage, match[0], first == "4")


def _digit(text: str | None) -> str:
    return _ROMAN.get(text.casefold(), text) if text else ""


_SCALE = {"thousand": 1e-3, "k": 1e-3, "million": 1, "m": 1, "mn": 1, "billion": 1e3, "bn": 1e3}
_SCALE["b"] = 1e3
_CURRENCIES = {"$": "USD", "us$": "USD", "usd": "USD", "us dollars": "USD", "dollars": "USD"}
_CURRENCIES |= {"\u20ac": "EUR", "eur": "EUR", "euros": "EUR", "euro": "EUR", "\u00a3": "GBP"}
_CURRENCIES |= {"gbp": "GBP", "rmb": "CNY", "cny": "CNY", "yuan": "CNY", "\u00a5": "JPY"}
_CURRENCIES |= {"jpy": "JPY", "yen": "JPY"}
_MONEY = re.compile(
    r"(?P<sign>US\$|\$|\u20ac|\u00a3|\u00a5|\b(?:USD|EUR|GBP|CNY|RMB|JPY))?\s?"
    r"(?P<number>\d[\d,]*(?:\.\d+)?)[\s-]?(?P<scale>thousand|millions?|billions?|mn|bn|[MBk]\b)?"
    r"(?:\s(?P<currency>USD|US dollars|dollars|EUR|euros?|GBP|CNY|RMB|yuan|JPY|yen)\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in millions of a currency where a text writes it."""

    start: int
    end: int
    millions: float
    currency: str
    said: str


def find_money(text: str) -> Iterator[Money]:
    """Yield the amounts of a text that name a currency.

    >>> [(x.millions, x.currency) for x in find_money("$1.2 billion, 2,000 million USD and 40%")]
    [(1200.0, 'USD'), (2000.0, 'USD')]
    """
    for match in _MONEY.finditer(text):
        currency = _CURRENCIES.get((match["sign"] or match["currency"] or "").casefold())
        if currency is None:
            continue
        scale = (match["scale"] or "").casefold()
        factor = _SCALE.get(scale.removesuffix("s") if len(scale) > 2 else scale, 1e-6)
        value = float(match["number"].replace(",", "")) * factor
        yield Money(match.start(), match.end(), round(value, 6), currency, match[0].strip())


_FIGURES = (
    ("hazard ratio", r"\b(?:HR|hazard ratio)s?\b(?:\s*(?:of|was|is|=|:|,))*\s*(\d{1,2}\.\d+|\d\b)"),
    ("odds ratio", r"\b(?:OR|odds ratio)\b(?:\s*(?:of|was|is|=|:|,))+\s*(\d{1,2}\.\d+)"),
    ("p value", r"\b[Pp]\s?(?:-?value)?\s?(?:[<=\u2264]|of)\s?(0?\.\d+)"),
    ("%", r"(?<![\d.])(\d{1,3}(?:\.\d+)?)\s?(?:%|percent\b|per cent\b)(?!\s*(?:CI|confidence))"),
    ("months", r"(?<![\d.])(\d{1,3}(?:\.\d+)?)[\s-]months?\b"),
    ("weeks", r"(?<![\d.])(\d{1,3}(?:\.\d+)?)[\s-]weeks?\b"),
    ("days", r"(?<![\d.])(\d{1,3}(?:\.\d+)?)[\s-]days?\b"),
    ("years", r"(?<![\d.])(\d{1,3}(?:\.\d+)?)[\s-]years?\b"),
    ("participants", r"\b[nN]\s?=\s?(\d[\d,]*)"),
)
_PATTERNS = tuple((unit, re.compile(pattern)) for unit, pattern in _FIGURES)


@dataclass(frozen=True, slots=True)
class FigureSpan:
    """A figure with its unit where a text writes it."""

    start: int
    end: int
    value: float
    unit: str
    said: str

    @property
    def step(self) -> float:
        """Return half the last digit: what rounding may take away."""
        digits = re.search(r"\.(\d+)", self.said)
        return float(f"0.{'0' * len(digits[1])}5") if digits else 0.5


def find_figures(text: str) -> list[FigureSpan]:
    """Return the figures of a text by place.

    >>> [(x.value, x.unit) for x in find_figures("HR 0.62 (n=2,582), median 9.2 months, 34%")]
    [(0.62, 'hazard ratio'), (2582.0, 'participants'), (9.2, 'months'), (34.0, '%')]
    """
    figures: list[FigureSpan] = []
    for unit, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = float(match[1].replace(",", ""))
            figures.append(FigureSpan(match.start(), match.end(), value, unit, match[0]))
    return sorted(figures, key=lambda figure: figure.start)
