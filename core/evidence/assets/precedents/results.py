"""What control arms of trials came to: medians, shares and deviations of their endpoints."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.evidence.readers.endpoints import read_endpoint
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact
from core.records.evidence_pack import FactQuery
from core.records.precedents import SettingTrial
from core.vocabulary.predicates import Predicate

_PLACEBO = re.compile(r"\b(?:placebos?|sham|vehicle|control|standard of care)\b", re.IGNORECASE)
_DEVIATION = re.compile(r"Standard Deviation\s+\d")
_LEAST_NAME = 4


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What a control arm came to.

    Attributes:
        number: The trial.
        endpoint: Class of the endpoint.
        kind: "median months", "share" or "mean".
        value: Months, a share from 0 to 1, or the mean in its unit.
        record_id: The record.
        fact_id: The fact.
    """

    number: str
    endpoint: str
    kind: str
    value: float
    record_id: str
    fact_id: int


def read_controls(trials: Sequence[SettingTrial], evidence: EvidenceReader) -> list[ControlResult]:
    """Return results of control arms in the order of the trials, the first a class and kind."""
    by_record = {trial.record_id: trial for trial in trials if trial.has_results or trial.effects}
    if not by_record:
        return []
    order = {record_id: index for index, record_id in enumerate(by_record)}
    query = FactQuery(record_ids=list(by_record), predicates=(Predicate.TRIAL_RESULT,))
    controls: dict[tuple[str, str, str], ControlResult] = {}
    for stored in evidence.facts(query):
        trial = by_record[stored.fact.record_id]
        if _is_control(stored.fact.qualifiers.arm, trial):
            for control in _read(stored.fact, stored.id, trial):
                controls.setdefault((control.record_id, control.endpoint, control.kind), control)
    return sorted(
        controls.values(), key=lambda control: (order[control.record_id], control.fact_id)
    )


def _is_control(arm: str, trial: SettingTrial) -> bool:
    """Return whether an arm is of the comparator alone: it names no drug that is tested."""
    folded_arm = arm.casefold()
    tested = (drug.casefold() for drug in trial.drugs if len(drug) >= _LEAST_NAME)
    if any(name in folded_arm for name in tested):
        return False
    compared = (
        comparator.casefold() for comparator in trial.comparators if len(comparator) >= _LEAST_NAME
    )
    return any(name in folded_arm for name in compared) or bool(_PLACEBO.search(arm))


def _read(fact: Fact, fact_id: int, trial: SettingTrial) -> Iterator[ControlResult]:
    value, unit, n = fact.value, fact.unit.casefold(), fact.qualifiers.n
    endpoint = read_endpoint(fact.object).name
    if value is None or not endpoint:
        return
    total = int(n) if n.isdecimal() else 0
    if "month" in unit and "median" in unit:
        kind = "median months"
    elif "percentage of participants" in unit and 0 <= value <= 100:  # noqa: PLR2004 - percent
        kind, value = "share", value / 100
    elif unit.startswith("participants") and total and 0 <= value <= total:
        kind, value = "share", value / total
    elif "mean" in unit and _DEVIATION.search(fact.qualifiers.interval):
        kind = "mean"
    else:
        return
    yield ControlResult(trial.number, endpoint, kind, value, fact.record_id, fact_id)
