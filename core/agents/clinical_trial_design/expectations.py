"""What agencies accept in a disease: endpoint, control, comparison, size, safety, guidance.

Decision of 2026-11-27: a design follows, in this order, the request's preferred endpoint, its
label claim where the claim is an outcome, the intent (vaccine, biosimilar, gene or cell therapy), a
row of this table, and only then the precedents. Precedents that choose otherwise are named next to
the answer and change nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from core.agents.clinical_trial_design.records import ComparatorType
from core.briefs.areas import Area
from core.evidence.names.identity.resolver import Resolver
from core.vocabulary.endpoints import EndpointType
from core.vocabulary.tables import TableRow, load_rows

Number = Annotated[float | None, BeforeValidator(lambda cell: cell or None)]
Comparison = Literal["superiority", "non_inferiority", "equivalence"]
CLAIM = "outcome claim"
EXCLUSIVE = frozenset({"biosimilar", "vaccine"})
"""Intents whose requests never take the row of a treatment."""
_WEIGHTS = {"intent": 16, "study": 8, "kinds": 4, "drug_words": 4, "words": 4, "lines": 3}
_SAME, _NAMED, _ANY_DISEASE = 0, 1, 10_000


class GuidanceRow(TableRow):
    """A guidance of FDA by the notice of its availability."""

    document: str
    title: str
    status: Literal["draft", "final"]
    published_on: str

    @property
    def words(self) -> str:
        """Return how the guidance is cited in a sentence."""
        return (
            f"FDA {self.status} guidance “{self.title}” (FR Doc. {self.document}, "
            f"{self.published_on})"
        )


class ExpectationRow(TableRow):
    """What an agency accepts in a disease; lists are joined with "|", "" holds for all.

    Attributes:
        key: Its name.
        diseases: Diseases by name; their kinds count, too.
        named: Words of the request that name the disease where the disease tree does not.
        words: Words that the patients of the request must be described by.
        drug_words: Words that the drug must be described by.
        intent: What the development is for, such as "biosimilar".
        lines: Lines of treatment.
        kinds: Kinds of drug.
        study: "first in human" where the row is for that study alone.
        agency: Regulator.
        area: Field of medicine whose traits hold.
        endpoint: Primary endpoint with its instrument.
        endpoint_class: Its class.
        type: In what it is told.
        better: Which direction is good.
        time_point: When it is read.
        supports: Full or accelerated approval.
        co_endpoint: Second primary endpoint with its instrument.
        co_class: Its class.
        co_rule: "both" where both must be met; "split" where either may be.
        others: Other endpoints that were accepted.
        control: Kind of control.
        control_words: The control by name.
        comparison: Superiority, non-inferiority or equivalence.
        n_low: Least participants of pivotal trials of the class.
        n_high: Most of them.
        trials: Pivotal trials that are usual.
        site_rate: Patients a site and month.
        factors: Stratification.
        criteria: Key inclusion.
        exclusions: Key exclusion.
        interest: Events of special interest, each with its monitoring after a colon.
        safety_database: Exposure that is asked for.
        guidance: Documents of the guidance table.
    """

    key: str
    diseases: str
    named: str
    words: str
    drug_words: str
    intent: Literal["", "biosimilar", "vaccine", "prevention", "outcome claim"]
    lines: str
    kinds: str
    study: Literal["", "first in human"]
    agency: str
    area: str
    endpoint: str
    endpoint_class: str
    type: EndpointType
    better: Literal["higher", "lower"]
    time_point: str
    supports: Literal["full", "accelerated"]
    co_endpoint: str
    co_class: str
    co_rule: Literal["", "both", "split"]
    others: str
    control: ComparatorType
    control_words: str
    comparison: Comparison
    n_low: int
    n_high: int
    trials: int
    site_rate: Number
    factors: str
    criteria: str
    exclusions: str
    interest: str
    safety_database: str
    guidance: str

    @property
    def label(self) -> str:
        """Return the setting of the row as a reader calls it."""
        study = "first-in-human studies" if self.study else ""
        disease = self.diseases.partition("|")[0] or self.intent or study
        return ", ".join(filter(None, (disease, self.lines.replace("|", " or "))))

    @property
    def guidances(self) -> list[GuidanceRow]:
        """Return the guidances that govern the setting."""
        rows = {row.document: row for row in load_rows("guidances", GuidanceRow)}
        return [rows[document] for document in self.guidance.split("|") if document]

    @property
    def monitored(self) -> Iterator[tuple[str, str]]:
        """Yield the events of special interest with how they are watched."""
        for event in filter(None, self.interest.split("|")):
            term, _, how = event.partition(": ")
            yield term, how


@dataclass(frozen=True)
class Situation:
    """What of a request decides which row holds.

    Attributes:
        areas: Diseases.
        fields: Fields of medicine of the diseases.
        patients: Words on disease, patients, line, marker and claim.
        drug: Words on drug, target, mechanism and kind.
        lines: Lines of treatment.
        kinds: Kinds of drug.
        intents: What the development is for.
        study: The next study.
        agency: Regulator.
        claimed: Class of the outcome that the label claim names; "".
    """

    areas: Sequence[Area]
    fields: Sequence[str]
    patients: str
    drug: str
    lines: frozenset[str]
    kinds: frozenset[str]
    intents: frozenset[str]
    study: str
    agency: str
    claimed: str = ""


def load_expectations() -> tuple[ExpectationRow, ...]:
    """Return the rows of the table."""
    return load_rows("expectations", ExpectationRow)


@lru_cache(maxsize=4)
def _disease_keys(resolver: Resolver) -> dict[str, tuple[str, ...]]:
    """Return the keys of the diseases of each row."""
    rows = load_expectations()
    names = {name for row in rows for name in row.diseases.split("|") if name}
    matches = resolver.resolve_many("disease", sorted(names))
    keys = {name: match.key for name, match in matches.items() if match.key}
    return {
        row.key: tuple(keys[name] for name in row.diseases.split("|") if name in keys)
        for row in rows
    }


def find_expectation(situation: Situation, resolver: Resolver) -> ExpectationRow | None:
    """Return the row that fits best: the nearest disease, then the most conditions met.

    Where the claim is an outcome, rows of that outcome go first: of the disease, else of the claim.
    """
    ranked = [
        (_distance(row, situation, resolver), -_points(row, situation), row.key, row)
        for row in load_expectations()
        if _fits(row, situation)
    ]
    fitting = [rank for rank in ranked if rank[0] is not None]
    claimed = [rank for rank in fitting if rank[3].endpoint_class == situation.claimed]
    of_disease = [rank for rank in claimed if rank[3].intent != CLAIM]
    fitting = of_disease or claimed or fitting
    return min(fitting, key=lambda rank: (rank[0], *rank[1:3]))[3] if fitting else None


def _fits(row: ExpectationRow, situation: Situation) -> bool:
    """Return whether every condition of a row but its disease is met."""
    if row.intent == CLAIM:
        return bool(situation.claimed) and situation.claimed == row.endpoint_class
    if (row.intent and row.intent not in situation.intents) or (
        situation.intents & EXCLUSIVE and row.intent not in situation.intents
    ):
        return False
    is_first = situation.study == "first in human"
    if bool(row.study) != is_first or row.agency not in {"", situation.agency}:
        return False
    if not row.diseases and row.area == "Cancer" and "Cancer" not in situation.fields:
        return False
    return all(
        (
            not row.lines or bool(situation.lines & set(row.lines.split("|"))),
            not row.kinds or bool(situation.kinds & set(row.kinds.split("|"))),
            not row.words or bool(_compiled(row.words).search(situation.patients)),
            not row.drug_words or bool(_compiled(row.drug_words).search(situation.drug)),
        )
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _points(row: ExpectationRow, situation: Situation) -> int:
    """Return how many conditions of a row are met, weighted."""
    met = sum(points for name, points in _WEIGHTS.items() if getattr(row, name))
    return met + (row.agency == situation.agency)


def _distance(row: ExpectationRow, situation: Situation, resolver: Resolver) -> int | None:
    """Return how far the disease of a row lies above the one asked for; None where it does not."""
    if row.named and _compiled(row.named).search(situation.patients):
        return _SAME
    if not row.diseases:
        return None if row.named else _ANY_DISEASE
    keys = _disease_keys(resolver)[row.key]
    steps = [
        _SAME if area.key == key else _NAMED + len(resolver.identity.descendants("disease", key))
        for area in situation.areas
        for key in keys
        if area.key == key or key in resolver.identity.ancestors("disease", area.key)
    ]
    return min(steps, default=None)


def order_areas(row: ExpectationRow, areas: Sequence[Area], resolver: Resolver) -> tuple[Area, ...]:
    """Return diseases with those first that the row is about: a design speaks of the first."""
    keys = set(_disease_keys(resolver)[row.key])

    def is_other(area: Area) -> bool:
        return not keys & {area.key, *resolver.identity.ancestors("disease", area.key)}

    return tuple(sorted(areas, key=is_other))


def named_disease(row: ExpectationRow, areas: Iterable[Area], resolver: Resolver) -> str:
    """Return the disease that a row names and the request's reader did not; "" for none."""
    keys = _disease_keys(resolver)[row.key]
    above = {
        key
        for area in areas
        for key in (area.key, *resolver.identity.ancestors("disease", area.key))
    }
    return "" if not row.named or not keys or set(keys) & above else row.diseases.partition("|")[0]
