"""Events: what happened to a drug or a trial, on which day as far as that is told, and who says so.

A record has states, one for each copy that told something else. What a state tells of an event
is a `ToldEvent`; several of one event, of one record or of several, are one `Event`.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.records.programs import TargetExpression

Precision = Literal["day", "month", "year", "between", "by"]
"""How well a day is known: "between" two states of a record (after `since`, seen on the day), or
"by" the day of the first state that shows it, which may be long after."""
PRECISIONS: tuple[Precision, ...] = ("day", "month", "year", "between", "by")
"""The best known first."""


class Told(NamedTuple):
    """A fact of a state: what an event may rest on.

    Attributes:
        fact_id: Its number.
        subject: What it is about, as written.
        predicate: The predicate.
        object: The word, name or day.
        value: The number; None where `object` states it.
        unit: Of the value.
        region: Where.
        population: As the predicate's row says.
        time_point: As the predicate's row says.
        as_of: Day of which it is told.
    """

    fact_id: int
    subject: str
    predicate: str
    object: str
    value: float | None
    unit: str
    region: str
    population: str
    time_point: str
    as_of: str


@dataclass(frozen=True, slots=True)
class State:
    """What one copy tells of a record.

    Attributes:
        record_id: The record.
        source: Its source.
        source_id: Its identifier there.
        version: Number of the state.
        is_current: Whether it is the newest.
        generation: The import that brought it; 0 where that was not noted.
        kind: Kind of the record.
        updated_on: Day of the source's last change as the copy has it; "" where it has none.
        copied_on: Day at which the copy shows the source.
        published_on: Day of publication.
        detail: How much of the record the copy holds.
        phase: Phase of a trial.
        origin: Where the copy came from.
        told: Its facts, as far as they were asked for.
    """

    record_id: str
    source: str
    source_id: str
    version: int
    is_current: bool
    generation: int
    kind: str
    updated_on: str
    copied_on: str
    published_on: str
    detail: int
    phase: str
    origin: str
    told: tuple[Told, ...]

    def first(self, predicate: str) -> Told | None:
        """Return the first fact of a predicate."""
        return next((fact for fact in self.told if fact.predicate == predicate), None)


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event as one record tells it.

    Attributes:
        record_id: The record.
        type: A word of `core.vocabulary.event_types.EventType`.
        subject: What it happened to: the drug's key, or the record where the event is its own.
        region: Whose decision it is; "" where that does not apply.
        day: YYYY-MM-DD, YYYY-MM or YYYY.
        precision: How well the day is known.
        since: Day of the state before; "" where there is none.
        phase: Phase of the trial.
        before: What the state before told.
        after: What is told now.
        rule: The rule that read it.
        fact_id: The fact that it rests on; 0 where it rests on the record.
        generation: The import that brought it.
        is_baseline: Whether that was the first import of its source, which makes no news.
        event: Identifier of the event; several tellings share it. "" before merging.
        is_lead: Whether the event's day is this one.
        event_generation: The import that brought the event's first telling.
        is_event_baseline: Whether that was the first import of its source.
    """

    record_id: str
    type: str
    subject: str
    region: str
    day: str
    precision: Precision
    since: str
    phase: str
    before: str
    after: str
    rule: str
    fact_id: int
    generation: int
    is_baseline: bool
    event: str = ""
    is_lead: bool = False
    event_generation: int = 0
    is_event_baseline: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, once, with everything that tells it.

    Attributes:
        id: Stays the same while its type, subject and day do.
        lead: The telling whose day, phase and words are the event's.
        told: All tellings, the lead first.
        drugs: As its records write them; no comparators and no background.
        companies: As its records write them.
        diseases: As its records write them; a register of licenses names none.
    """

    id: str
    lead: ToldEvent
    told: tuple[ToldEvent, ...]
    drugs: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    diseases: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """Return the word of its type."""
        return self.lead.type

    @property
    def day(self) -> str:
        """Return its day, as exact as `precision` says."""
        return self.lead.day

    @property
    def precision(self) -> Precision:
        """Return how well its day is known."""
        return self.lead.precision

    @property
    def records(self) -> tuple[str, ...]:
        """Return the records that tell it."""
        return tuple(dict.fromkeys(report.record_id for report in self.told))

    @property
    def generation(self) -> int:
        """Return the import that brought it."""
        return self.lead.event_generation

    @property
    def is_baseline(self) -> bool:
        """Return whether it came with the first import of its source."""
        return self.lead.is_event_baseline


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Which events to return; everything given narrows.

    Attributes:
        since: Those that may have happened on this day or later (YYYY-MM-DD).
        until: Those that may have happened on this day or earlier.
        types: Of these types.
        drugs: Of records that name one of these drugs.
        companies: Of records that name one of these companies.
        diseases: Of records that name one of these diseases.
        record_ids: Told by one of these records.
        after_generation: Brought by later imports.
        with_baseline: Whether those that came with the first import of a source count.
        limit: At most so many, the newest.
    """

    since: str = ""
    until: str = ""
    types: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    diseases: tuple[str, ...] = ()
    record_ids: tuple[str, ...] = ()
    after_generation: int = -1
    with_baseline: bool = True
    limit: int = 1_000


@dataclass(frozen=True, slots=True)
class LinkedDrug:
    """A drug with what it acts on.

    Attributes:
        key: "UNII:…" or "name:…".
        name: For display.
        targets: What it acts on; empty where nothing tells it.
        modality: Word of the modality table; "" where nothing tells it.
        is_expert: Whether only a curator's own knowledge carries the target.
        record_ids: Records that tell the target.
    """

    key: str
    name: str
    targets: tuple[TargetExpression, ...] = ()
    modality: str = ""
    is_expert: bool = False
    record_ids: tuple[str, ...] = ()
