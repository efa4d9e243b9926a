"""Watched questions and what they found, as every floor may pass them on."""

from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

SignalLevel = Literal["low", "medium", "high"]
LEAST_SCORE: dict[SignalLevel, int] = {"low": 30, "medium": 50, "high": 70}
"""The score from which on a level fires; each holds the next."""
MANUAL = "alerts"
"""Stands for the agent of a query that was typed in."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WatchQuestion(_Record):
    """What of a request says something to events, as it was written.

    Attributes:
        query: A question in plain words.
        indication: A disease.
        modality: A kind of drug.
        target: A target or mechanism.
        known_target: One that narrows only where it is known.
        company: A company.
        drug: A drug.
        stage_focus: A stage; "any" narrows nothing.
    """

    query: str | None = None
    indication: str | None = None
    modality: str | None = None
    target: str | None = None
    known_target: str | None = None
    company: str | None = None
    drug: str | None = None
    stage_focus: str = "any"


class AlertQuota(_Record):
    """How many queries of a caller fire, and how many may."""

    enabled_count: int
    max_enabled: int

    @property
    def at_cap(self) -> bool:
        """Return whether no further one may."""
        return self.enabled_count >= self.max_enabled


class Subscription(_Record):
    """A saved query of a caller as its owner sees it."""

    query_id: int
    agent: str
    query: str
    is_enabled: bool
    is_manual: bool
    drug_name: str | None = None
    signal_level: SignalLevel = "medium"
    question: WatchQuestion | None = None
    unseen: int = 0
    evaluated_generation: int | None = None
    evaluated_at: datetime | None = None
    seen_at: datetime | None = None
    muted_until: datetime | None = None
    error: str | None = None


class ScorePart(_Record):
    """One part of a score, in points."""

    name: str
    points: float


class NewHit(_Record):
    """Something that a watched query found, with why it fired.

    Attributes:
        identity: The same for equal drug, type and day.
        title: What happened.
        catalyst_type: The contract's word for its type.
        score: 0 to 100.
        event_day: Day of the event, as exact as it is known; never an instant of ours.
        drug: Name of the drug; "" where none is known.
        company: Name of the company; "" where none is known.
        url: Where it is told; None where no record has an address.
        source_ids: Records that tell it.
        parts: Parts of the score.
        met: Filters of the question that it met, in words.
        generation: Import that brought it.
    """

    identity: str
    title: str
    catalyst_type: str
    score: int
    event_day: str
    drug: str = ""
    company: str = ""
    url: str | None = None
    source_ids: tuple[str, ...] = ()
    parts: tuple[ScorePart, ...] = ()
    met: tuple[str, ...] = ()
    generation: int = 0


class AlertHit(NewHit):
    """A stored hit as its owner sees it."""

    hit_id: int
    query_id: int
    query: str
    found_at: datetime
    seen_at: datetime | None = None
    snoozed_until: datetime | None = None


class HitSearch(NamedTuple):
    """Which hits to return.

    Attributes:
        query_id: Of this query alone.
        catalyst_type: Of this type alone.
        least_score: Of this score at least.
        only_unseen: Only those not seen yet.
        with_muted: Those of muted queries, and those put off, too.
        since: Found at this time or later.
        limit: At most so many.
        offset: So many are passed over.
    """

    query_id: int | None = None
    catalyst_type: str | None = None
    least_score: int = 0
    only_unseen: bool = False
    with_muted: bool = False
    since: datetime | None = None
    limit: int = 50
    offset: int = 0


ALL_HITS = HitSearch()


class Watch(_Record):
    """An enabled query as the evaluation sees it: no name of its owner.

    Attributes:
        query_id: The query.
        question: What it asks; None where it was never noted.
        query: Its line.
        signal_level: From which score on it fires.
        after: Import up to which it was evaluated.
        mark: The stored mark, by which two evaluations know each other.
    """

    query_id: int
    question: WatchQuestion | None
    query: str
    signal_level: SignalLevel
    after: int
    mark: int | None


class AlertCounts(_Record):
    """What an administrator sees: numbers, never contents."""

    queries: int = 0
    enabled: int = 0
    failing: int = 0
    hits: int = 0
    unseen: int = 0
    note: str = Field(default="", description="What the last evaluation found, in one line.")
    noted_at: datetime | None = None
