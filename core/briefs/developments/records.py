"""A development: one event with the drug, diseases and companies that it is linked to."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal

from core.knowledge.event_materiality import (
    CatalystType,
    EventMaterialityRow,
    authority_of,
    is_expert,
    materiality_of,
    publisher_of,
)
from core.records.events import Event, LinkedDrug, Precision
from core.records.stages import Stage
from core.vocabulary.event_types import EventType, event_types
from core.vocabulary.stages import OF_PHASE

DAY = len("2026-11-23")


@dataclass(frozen=True, slots=True)
class Disease:
    """A disease of an event.

    Attributes:
        key: Its key; "" where its name resolves to none.
        name: Its name.
    """

    key: str
    name: str


@dataclass(frozen=True)
class Development:
    """An event with what it is linked to.

    Attributes:
        event: What happened; of several that are one, the one whose day is best known.
        further: The others that are the same one.
        drugs: Drugs that it happened to, or that its trial tests.
        brand: Name under which the product is sold; "" where no record has one.
        diseases: What it is about.
        is_through_uses: Whether the diseases are the drug's uses, as the record names none.
        company: Group of the company on that day; "" where no record names one.
        companies: All companies that its records name, as groups.
        sponsor: Who runs the trial, as written; "" elsewhere.
        owner: Whose the drug was on that day by the curators' table; "" where it does not tell.
        ticker: Ticker of the company; "" where no register has it.
        link_ids: Records that carry a link.
        note: What is told besides, such as the disease that a designation is for.
    """

    event: Event
    further: tuple[Event, ...] = ()
    drugs: tuple[LinkedDrug, ...] = ()
    brand: str = ""
    diseases: tuple[Disease, ...] = ()
    is_through_uses: bool = False
    company: str = ""
    companies: tuple[str, ...] = ()
    sponsor: str = ""
    owner: str = ""
    ticker: str = ""
    link_ids: tuple[str, ...] = ()
    note: str = ""
    phase: str = field(default="")

    @property
    def id(self) -> str:
        """Return the identifier of its event."""
        return self.event.id

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events that are this one, the leading one first."""
        return (self.event, *self.further)

    def said(self, kind: Literal["drugs", "companies", "diseases"]) -> tuple[str, ...]:
        """Return the names that its records write, those of the leading event first."""
        if not self.further:
            return tuple(getattr(self.event, kind))
        return tuple(dict.fromkeys(name for event in self.events for name in getattr(event, kind)))

    @property
    def type(self) -> EventType:
        """Return the type of its event."""
        return EventType(self.event.type)

    @property
    def row(self) -> EventMaterialityRow:
        """Return what it weighs by the table; of several that are one the weightiest."""
        rows = [materiality_of(event.type, self.phase, event.lead.after) for event in self.events]
        return max(rows, key=lambda row: row.materiality)

    @property
    def catalyst_type(self) -> CatalystType:
        """Return the contract's word for its type."""
        return self.row.catalyst_type

    @property
    def day(self) -> str:
        """Return its day, as exact as `precision` says."""
        return self.event.day

    @property
    def precision(self) -> Precision:
        """Return how well its day is known."""
        return self.event.precision

    @property
    def first_on(self) -> date:
        """Return the first day on which it may have happened."""
        return _end(self.day, last=False)

    @property
    def last_on(self) -> date:
        """Return the last day on which it may have happened."""
        return _end(self.day, last=True)

    @property
    def counted_on(self) -> date:
        """Return the day that decides about windows: mid-year where only the year is known."""
        is_year = len(self.day) == len("2025")
        return date(int(self.day), 7, 1) if is_year and self.day.isdigit() else self.last_on

    @property
    def drug(self) -> LinkedDrug | None:
        """Return its first drug."""
        return self.drugs[0] if self.drugs else None

    @property
    def asset(self) -> str:
        """Return what it happened to: the drug's key, else the event's own subject."""
        return self.drugs[0].key if self.drugs else self.event.lead.subject

    @property
    def is_of_trial(self) -> bool:
        """Return whether it is an event of a trial."""
        return event_types()[self.type].group == "trial"

    @property
    def is_deal(self) -> bool:
        """Return whether it is a deal between companies."""
        return event_types()[self.type].group == "deal"

    @property
    def region(self) -> str:
        """Return whose decision it is, or where the rights of a deal lie; "" where unknown."""
        lead = self.event.lead
        return lead.region or ("EMA" if lead.record_id.startswith("ema:") else "")

    @property
    def stage(self) -> Stage | None:
        """Return the stage of which it tells; None where it tells none."""
        if self.is_of_trial:
            return OF_PHASE.get(self.phase)
        return self.row.stage or None

    @property
    def targets(self) -> list[str]:
        """Return what its drugs act on, by name."""
        return list(dict.fromkeys(target.text for drug in self.drugs for target in drug.targets))

    @property
    def modality(self) -> str:
        """Return the kind of its first drug of which it is known."""
        return next((drug.modality for drug in self.drugs if drug.modality), "")

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Return the records that tell it, the leading one first."""
        return tuple(dict.fromkeys(record for event in self.events for record in event.records))

    @property
    def publishers(self) -> tuple[str, ...]:
        """Return who tells it: several records of one publisher are one source."""
        return tuple(sorted(set(map(publisher_of, self.record_ids))))

    @property
    def authority(self) -> float:
        """Return how far its best source is trusted, 0 to 1."""
        return max(map(authority_of, self.record_ids))

    @property
    def is_expert(self) -> bool:
        """Return whether only curators' own knowledge tells it."""
        return all(map(is_expert, self.record_ids))


def _end(day: str, *, last: bool) -> date:
    """Return the first or last day of a day, month or year."""
    parts = [int(number) for number in day.split("-")]
    try:
        if len(parts) == 3:
            return date(*parts)
        if len(parts) == 2:
            year, month = parts
            begin, after = date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
        else:
            begin, after = date(parts[0], 1, 1), date(parts[0] + 1, 1, 1)
    except ValueError:  # no day of the calendar, as registers have some
        return date.min
    return after - timedelta(days=1) if last else begin
