"""Which drugs come first where there are too many to look at: by activity, stage and recency.

All is told from a few stored facts of the records by which the drugs were found, before anything
is worked out of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.evidence.assets.stages.truth import OPEN
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.stages import STAGES, Stage
from core.vocabulary.predicates import Predicate
from core.vocabulary.stages import OF_PHASE

TELLING = (
    *(Predicate.TRIAL_PHASE, Predicate.TRIAL_STATUS, Predicate.IN_STAGE),
    *(Predicate.HIGHEST_STAGE, Predicate.APPROVED_ON),
)
_OVER = "discontinued"


@dataclass
class _Seen:
    """What the facts tell of a drug: whether it is under way, its stage, its last day."""

    is_live: bool = False
    stage: int = len(STAGES)
    newest_on: str = ""


def by_activity(records_of: Mapping[str, Iterable[str]], evidence: EvidenceReader) -> list[str]:
    """Return drugs: those under way first, then by highest stage, then by the last day on record.

    Args:
        records_of: The records by which each drug was found.
        evidence: The pack.
    """
    ids = list(dict.fromkeys(one for found in records_of.values() for one in found))
    said: dict[str, list[StoredFact]] = defaultdict(list)
    for one in evidence.facts(FactQuery(record_ids=ids, predicates=TELLING)) if ids else ():
        said[one.fact.record_id].append(one)
    seen = {key: _read(found, said) for key, found in records_of.items()}
    newest_first = sorted(seen, key=lambda key: (seen[key].newest_on, key), reverse=True)
    return sorted(newest_first, key=lambda key: (not seen[key].is_live, seen[key].stage))


def _read(record_ids: Iterable[str], said: Mapping[str, Iterable[StoredFact]]) -> _Seen:
    seen = _Seen()
    for record_id in record_ids:
        for one in said.get(record_id, ()):
            stage, is_live = _tell(one)
            seen.is_live |= is_live
            seen.stage = min(seen.stage, STAGES.index(stage) if stage else len(STAGES))
            seen.newest_on = max(seen.newest_on, one.fact.as_of)
    return seen


def _tell(one: StoredFact) -> tuple[Stage | None, bool]:
    """Return the stage that a fact tells, and whether it tells that the drug is under way."""
    said, word = one.fact.predicate, one.fact.object
    if said == Predicate.TRIAL_STATUS:
        return None, word in OPEN
    if said == Predicate.APPROVED_ON:
        return "APPROVED", True
    if said == Predicate.TRIAL_PHASE:
        return OF_PHASE.get(word) or None, False
    stage = next((one for one in STAGES if one == word), None)
    return stage, stage is not None and one.fact.unit != _OVER and stage != "DISCONTINUED"
