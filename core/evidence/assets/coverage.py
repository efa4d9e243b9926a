"""How much the pack holds of each area of disease: trials, labels and tested drugs.

An area is what stands below one of MONDO's groups (`areas.csv`); a record counts in every area
of its diseases. A condition that resolves to no disease, or a disease outside all areas, counts
under "No area found", so that the sum hides nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows

ELSEWHERE = "No area found"
READ_OF_LABEL = 600
"""Characters of a label's indications that are searched for names of diseases."""
LONGEST_NAME = 5
SHORTEST_NAME = 5
_WORD = re.compile(r"[\w'-]+")
Keys = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class AreaCount:
    """What is held of one area.

    Attributes:
        area: Its name.
        trials: Registered trials with a condition of the area.
        labels: Labels whose indications name a disease of the area.
        drugs: Drugs that these trials test, each counted once under all its names.
    """

    area: str
    trials: int
    labels: int
    drugs: int


class AreaGroupRow(TableRow):
    """A group of diseases that counts as an area, or as a part of one."""

    area: str
    key: str
    name: str


def load_areas() -> tuple[tuple[str, str], ...]:
    """Return area and MONDO key of every row of the table."""
    return tuple((row.area, row.key) for row in load_rows("areas", AreaGroupRow))


def count_coverage(evidence: EvidenceReader, resolver: Resolver) -> list[AreaCount]:
    """Return the counts of every area, the largest first.

    Args:
        evidence: The pack.
        resolver: Knows diseases and drugs; without an identity pack nothing finds its area.
    """
    areas = _areas_of_keys(resolver)
    trials = _areas_of_trials(evidence, resolver, areas)
    ids = {
        record_id
        for record_id, kind, _, _ in evidence.all_mentions("drug")
        if kind == "regulatory_label"
    }
    labels = {}
    for record_id in sorted(ids):
        record = evidence.record(record_id)
        spans = record.spans if record else ()
        text = " ".join(span.text for span in spans if span.section == "indications_and_usage")
        keys = _diseases_in(text[:READ_OF_LABEL], resolver)
        labels[record_id] = {area for key in keys for area in areas.get(key, ())} or {ELSEWHERE}
    drugs = _drugs_of_areas(evidence, resolver, trials)
    names = [*dict.fromkeys(area for area, _ in load_areas()), ELSEWHERE]
    counts = [
        AreaCount(
            name,
            sum(name in names for names in trials.values()),
            sum(name in names for names in labels.values()),
            len(drugs[name]),
        )
        for name in names
    ]
    return sorted(counts, key=lambda count: (count.area == ELSEWHERE, -count.trials, count.area))


def _areas_of_keys(resolver: Resolver) -> Keys:
    """Return the areas of each disease."""
    labels: dict[str, set[str]] = defaultdict(set)
    for area, top in load_areas():
        for key in {top, *resolver.identity.descendants("disease", top)}:
            labels[key].add(area)
    return {key: frozenset(areas) for key, areas in labels.items()}


def _areas_of_trials(
    evidence: EvidenceReader, resolver: Resolver, areas: Keys
) -> dict[str, set[str]]:
    known_areas: dict[str, frozenset[str]] = {}
    labels: dict[str, set[str]] = defaultdict(set)
    for record_id, kind, folded, _ in evidence.all_mentions("disease"):
        if kind == "trial_registration":
            if folded not in known_areas:
                key = resolver.resolve("disease", folded).key
                known_areas[folded] = areas.get(key, frozenset())
            labels[record_id] |= known_areas[folded]
    return {record_id: names or {ELSEWHERE} for record_id, names in labels.items()}


def _diseases_in(text: str, resolver: Resolver) -> Iterator[str]:
    """Yield the diseases whose names stand in a text."""
    words = _WORD.findall(text)
    runs: Sequence[str] = [
        folded
        for index in range(len(words))
        for length in range(1, LONGEST_NAME + 1)
        if len(folded := fold_name(" ".join(words[index : index + length]))) >= SHORTEST_NAME
    ]
    for name in resolver.identity.lookup("disease", runs):
        key = resolver.resolve("disease", name).key
        if key:
            yield key


def _drugs_of_areas(
    evidence: EvidenceReader, resolver: Resolver, trials: Mapping[str, set[str]]
) -> Mapping[str, set[str]]:
    spelled = {folded: name for folded, name, _ in evidence.names("drug")}
    drug_keys: dict[str, str] = {}
    drugs_by_area: dict[str, set[str]] = defaultdict(set)
    for record_id, _, folded, role in evidence.all_mentions("drug"):
        if role == "investigational":
            if folded not in drug_keys:
                drug_keys[folded] = resolver.resolve_drug(spelled.get(folded, folded)).key or folded
            for area in trials.get(record_id, ()):
                drugs_by_area[area].add(drug_keys[folded])
    return drugs_by_area
