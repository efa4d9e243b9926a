"""A drug as a deal: its owner, its signals, and its score in six parts; unknown ones count 0."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from core.agents.deal_sourcing.records import DealKind
from core.agents.deal_sourcing.signals import Signal
from core.agents.deal_sourcing.thesis import Thesis
from core.briefs.subjects import Drug
from core.evidence.entries.money import DealEntry, MoneyEntry
from core.evidence.names.companies import company_group
from core.evidence.proof.claims import shorten, unmark
from core.knowledge.event_materiality import authority_of
from core.records.evidence import Record
from core.records.names import fold_name
from core.records.programs import CompanyRole, ProgramTrial
from core.records.stages import STAGES, Stage

UNLISTED = "no listing in the United States found; other exchanges not checked"


@dataclass(frozen=True)
class Lead(Drug):
    """A drug as a deal.

    Attributes:
        signals: What happened, the newest first.
        kind: What kind of deal it would be.
        owner: Whose it is today; the group.
        home: Country of the owner; "" where not known.
        ticker: Of the owner; "" where no listing in the United States is found.
        owner_ids: Records that name the owner.
        partners: Companies with a right of it beside the owner.
        deals: Licences of drugs like it, to compare with.
        filings: Filings of its owner that tell of a deal, of whatever drug.
    """

    signals: tuple[Signal, ...] = ()
    kind: DealKind = "licence"
    owner: str = ""
    home: str = ""
    ticker: str = ""
    owner_ids: tuple[str, ...] = field(default=())
    partners: tuple[CompanyRole, ...] = ()
    deals: tuple[DealEntry, ...] = ()
    filings: tuple[MoneyEntry, ...] = ()

    @property
    def newest(self) -> str:
        """Return the day of the newest signal; "" where none is dated."""
        return max((signal.day for signal in self.signals), default="")

    @property
    def top(self) -> Stage:
        """Return the highest stage that its evidence carries, given up or not."""
        return min(
            (program.stage for program in self.programs), key=STAGES.index, default="UNKNOWN"
        )

    @property
    def all_trials(self) -> list[ProgramTrial]:
        """Return the trials of all its programs, asked for or not, by number."""
        return Drug(self.asset, self.asset.programs).trials

    @property
    def sponsors(self) -> set[str]:
        """Return the companies that ran what its signals tell of, by folded name."""
        return {fold_name(company_group(one.sponsor)) for one in self.signals if one.sponsor}

    def record_ids(self) -> set[str]:
        """Return the records of its statements, trials, owner, signals and comparables."""
        ids = {signal.record_id for signal in self.signals if signal.record_id}
        entries: tuple[DealEntry | MoneyEntry, ...] = (*self.deals, *self.filings)
        ids |= {entry.record_id for entry in entries}
        return super().record_ids() | ids | set(self.owner_ids)

    def names(self) -> dict[str, set[str]]:
        """Return its name, its trials and its owner, with the records that tell them."""
        named = super().names()
        for signal in self.signals:
            if signal.number and signal.record_id:
                named.setdefault(signal.number, set()).add(signal.record_id)
        told = [(self.owner, self.owner_ids)]
        told += [(signal.sponsor, (signal.record_id,)) for signal in self.signals]
        told += [(role.company, role.statement.record_ids) for role in self.partners]
        companies: dict[str, set[str]] = {}
        for name, record_ids in told:
            companies.setdefault(unmark(name), set()).update(record_ids)
        companies.pop("", None)
        return named | companies

    def words(self) -> Iterator[str]:
        """Yield phrases with digits that state nothing: indications, targets, reasons."""
        yield from super().words()
        yield from (unmark(link.target.text) for link in self.asset.targets)
        yield from (quote(signal.reason) for signal in self.signals if signal.reason)
        yield self.name


def quote(reason: str) -> str:
    """Return a reason as written, short."""
    return shorten(unmark(reason).rstrip(". "), 140)


HALF_LIFE_DAYS = 30
FULL_SOURCES = 3
"""Independent sources that make the science part whole."""
AVAILABILITY = {
    "shelved asset": 1.0,
    "licence": 1.0,
    "academic spin-out": 0.8,
    "company": 0.6,
    "private company": 0.6,
    "company without a known program": 0.6,
    "STTR company": 0.6,
    "technology offer": 1.0,
    "university paper": 0.8,
    "research report": 0.4,
    "laboratory with a grant": 0.8,
}
WEIGHTS = {
    "thesis_fit": 30,
    "science": 20,
    "stage_fit": 15,
    "availability": 15,
    "recency": 10,
    "room": 10,
}


@dataclass(frozen=True)
class Score:
    """The parts of a score in points, and those that are not known.

    Attributes:
        parts: Points by part; they sum to the score.
        unknown: Parts that nothing on record tells: 0, never an average.
    """

    parts: Mapping[str, float]
    unknown: tuple[str, ...]

    @property
    def total(self) -> int:
        """Return the sum, rounded half up."""
        return min(100, math.floor(math.fsum(self.parts.values()) + 0.5))


def score(
    lead: Lead,
    thesis: Thesis,
    records: Mapping[str, Record],
    density: Mapping[str, int],
    window: tuple[date, date],
) -> Score:
    """Return the score of a deal."""
    values: dict[str, float | None] = {
        "thesis_fit": fit(lead, thesis, records),
        "science": _science(lead, records),
        "stage_fit": 1.0 if thesis.stages else None,
        "availability": AVAILABILITY[lead.kind],
        "recency": recency_of(lead.newest, window),
        "room": room(lead, density),
    }
    parts = {name: round(WEIGHTS[name] * (value or 0.0), 2) for name, value in values.items()}
    return Score(parts, tuple(name for name, value in values.items() if value is None))


def fit(lead: Lead, thesis: Thesis, records: Mapping[str, Record]) -> float | None:
    """Return the share of criteria and preferred words that are met; None where none is told."""
    words = [*thesis.soft, *thesis.parsed.words]
    if not thesis.hard and not words:
        return None
    text = " ".join(
        records[record_id].title.casefold()
        for record_id in lead.record_ids()
        if record_id in records
    )
    hit = sum(word.casefold() in text for word in words)
    return (len(thesis.hard) + hit) / (len(thesis.hard) + len(words))


def _science(lead: Lead, records: Mapping[str, Record]) -> float | None:
    record_ids = [record_id for record_id in lead.asset.record_ids if record_id in records] or list(
        lead.record_ids()
    )
    if not record_ids:
        return None
    best = max(map(authority_of, record_ids))
    return best * min(1.0, len(record_ids) / FULL_SOURCES)


def recency_of(day: str, window: tuple[date, date]) -> float | None:
    """Return how fresh a signal is: 1 today, half in 30 days, 0 before the window."""
    if not day:
        return None
    if not in_window(day, window):
        return 0.0
    age = (window[1] - date.fromisoformat(day)).days
    return math.exp(-math.log(2) * max(0, age) / HALF_LIFE_DAYS)


def in_window(day: str, window: tuple[date, date]) -> bool:
    """Return whether a signal fell into the window for certain, by its day."""
    is_day = len(day) == len("2026-11-23")
    return is_day and window[0].isoformat() <= day <= window[1].isoformat()


def room(lead: Lead, density: Mapping[str, int]) -> float | None:
    """Return how open the field of its target is: 1 less the share of targets as full or less."""
    counts = [
        density[link.target.text] for link in lead.asset.targets if link.target.text in density
    ]
    if not counts:
        return None
    fuller = sum(count <= max(counts) for count in density.values())
    return 1 - fuller / len(density)
