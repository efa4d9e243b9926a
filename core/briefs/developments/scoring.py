"""signal_score of a development: six parts, in points, that sum to it (knowledge facts 7.1)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from core.briefs.developments.question import Wanted, hit
from core.briefs.developments.records import Development
from core.evidence_ports import EvidenceReader
from core.knowledge.event_materiality import materiality_of
from core.knowledge.score_weights import weight
from core.records.names import fold_name
from core.vocabulary.event_types import EventType

SAME_TYPE, SAME_KIND = "development.novelty.same_type", "development.novelty.same_kind"
Known = tuple[str, str]
"""What happened to what: asset, and type of an event or of a catalyst."""


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a score, in points.

    Attributes:
        materiality: How much such an event weighs, at most 30.
        recency: How fresh it is, at most 20; halves by the half-life of its kind.
        novelty: How new it is compared with earlier events, at most 20.
        authority: Who tells it, at most 15.
        filter_match: How well it meets the filters, at most 15.
        further_sources: 5 for each further independent source, at most 10.
    """

    materiality: float
    recency: float
    novelty: float
    authority: float
    filter_match: float
    further_sources: float

    @property
    def total(self) -> int:
        """Return the sum, rounded half up, 100 at most."""
        parts = (self.materiality, self.recency, self.novelty, self.authority, self.filter_match)
        return min(100, math.floor(math.fsum((*parts, self.further_sources)) + 0.5))


def score(
    development: Development, criteria: Wanted, today: date, earlier: Mapping[Known, date]
) -> Score:
    """Return the score of a development that has happened.

    Args:
        development: The development.
        criteria: What was asked for.
        today: Day of the question.
        earlier: First day on which each type of event was found of each asset.
    """
    age = max(0, (today - min(development.last_on, today)).days)
    recency = math.exp(-math.log(2) * age / development.row.half_life_days)
    further = min(weight("development.most_further"), 5.0 * (len(development.publishers) - 1))

    def points(component: str, value: float) -> float:
        return round(100 * weight(f"development.{component}") * value, 2)

    return Score(
        points("materiality", development.row.materiality),
        points("recency", recency),
        points("novelty", novelty(development, earlier)),
        points("authority", development.authority),
        points("filter_match", hit(development, criteria)),
        further,
    )


def novelty(development: Development, earlier: Mapping[Known, date]) -> float:
    """Return how new a development is: 1 less the likeness to what is on record before, 0 to 1."""

    def is_before(kind: str) -> bool:
        return any(
            earlier.get((drug, kind), date.max) < development.first_on
            for drug in ([each.key for each in development.drugs[:1]] or [development.asset])
        )

    if is_before(development.type):
        return weight(SAME_TYPE)
    return weight(SAME_KIND) if is_before(development.catalyst_type) else 1.0


def read_earlier(
    developments: Iterable[Development], evidence: EvidenceReader
) -> Mapping[Known, date]:
    """Return the first day of each type of event of each drug, as far as it is on record."""
    known_developments = list(developments)
    first: dict[Known, date] = {}
    subjects = {
        development.asset for development in known_developments if not development.is_of_trial
    }
    for event in evidence.told_events((), sorted(subjects)):
        _note(first, event.subject, event.type, event.phase, event.after, event.day)
    return first | _of_trials(
        [
            development
            for development in known_developments
            if development.is_of_trial and development.drugs
        ],
        evidence,
    )


def _of_trials(developments: Iterable[Development], evidence: EvidenceReader) -> dict[Known, date]:
    """Return the first days of events of trials that test the same drugs."""
    keys: dict[str, set[str]] = {}
    for development in developments:
        for name in (development.drugs[0].name, *development.event.drugs[:1]):
            keys.setdefault(fold_name(name), set()).add(development.drugs[0].key)
    mentions_by_record = (
        evidence.mentioning("drug", sorted(keys), ("trial_registration",)) if keys else {}
    )
    trials: dict[str, set[str]] = {}
    for record_id, mentions in mentions_by_record.items():
        for mention in mentions:
            if mention.role in {"", "investigational"}:
                subjects = keys.get(fold_name(mention.name), set())
                trials.setdefault(record_id, set()).update(subjects)
    first: dict[Known, date] = {}
    for event in evidence.told_events(sorted(trials), ()) if trials else ():
        for key in trials[event.record_id]:
            _note(first, key, event.type, event.phase, event.after, event.day)
    return first


def _note(
    first: dict[Known, date], asset: str, kind: str, phase: str, after: str, day: str
) -> None:
    """Note the day of an event under its type and its kind of catalyst."""
    try:
        earliest = date.fromisoformat(
            (day + "-01-01")[:10] if len(day) == 4 else (day + "-01")[:10]
        )
    except ValueError:
        return
    if kind == EventType.DECISION_EXPECTED:
        return  # a day that is meant is nothing that happened
    for word in (kind, materiality_of(kind, phase, after).catalyst_type):
        before = first.get((asset, word))
        first[asset, word] = min(before, earliest) if before else earliest
