"""Effects of a drug's own trials: a ratio or difference of two arms, with its interval.

An effect belongs to a drug where one of the two arms got it and the other did not; what a label or
a report tells of a trial belongs to the drug whose trial it is.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.evidence.readers.arms import names_drug, title_of
from core.evidence.sources.files.trial_results import BETWEEN, PAIR
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.records.programs import Outcome, ProgramTrial
from core.vocabulary.predicates import Predicate

MOST_EFFECTS = 6
LATE = ("APPROVED", "PHASE3", "PHASE2_3", "PHASE2", "PHASE4")
LEAST_MATCH = 12
"""Letters of a cut outcome that must begin a primary endpoint."""
_DOSE = re.compile(r"(\d+(?:\.\d+)?)\s?(?:mg|mcg|\u00b5g|g|iu|units?)\b", re.IGNORECASE)
_CONTROL = re.compile(r"\b(?:placebo|control|sham|vehicle|standard|usual|observation)\b", re.I)
_INTERVAL = re.compile(r"(-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)$")
_RATIO = "ratio"


class Effects:
    """Effects of trials, all read at once."""

    def __init__(
        self,
        evidence: EvidenceReader,
        drugs: Mapping[str, Iterable[ProgramTrial]],
        tests_several: Callable[[str], bool],
    ) -> None:
        """Read what any record reports of the drugs' own later trials.

        Args:
            evidence: The pack.
            drugs: Trials by drug.
            tests_several: Whether a trial tests several drugs, so that a figure without arms may
                be that of any of them.
        """
        self._tests_several = tests_several
        self._trials = {
            key: [line for line in lines if line.is_own and line.phase in LATE]
            for key, lines in drugs.items()
        }
        numbers = sorted({line.number for lines in self._trials.values() for line in lines})
        self.facts: dict[str, list[StoredFact]] = defaultdict(list)
        query = FactQuery(subjects=numbers, predicates=(Predicate.TRIAL_EFFECT,))
        for fact in evidence.facts(query) if numbers else ():
            self.facts[fact.fact.subject].append(fact)

    def of(self, key: str, names: Sequence[str]) -> list[Outcome]:
        """Return a drug's effects: of the latest and largest trials first.

        Args:
            key: The drug.
            names: Folded names of it, none of which holds another.
        """
        lines = [line for line in self._trials.get(key, ()) if line.number in self.facts]
        lines.sort(key=lambda line: (LATE.index(line.phase), -(line.n or 0), line.number))
        made = [
            effect for line in lines for effect in _of_trial(line, self._told_by_arm(line), names)
        ]
        return made[:MOST_EFFECTS]

    def _told_by_arm(self, line: ProgramTrial) -> list[StoredFact]:
        facts = self.facts[line.number]
        if not self._tests_several(line.record_id):
            return facts
        return [fact for fact in facts if fact.fact.qualifiers.arm]


def _of_trial(
    line: ProgramTrial, facts: Sequence[StoredFact], names: Sequence[str]
) -> list[Outcome]:
    outcomes: dict[str, Outcome] = {}
    for fact in facts:
        outcome = _outcome(fact, line, names)
        if outcome and _is_better(outcome, outcomes.get(outcome.measure.casefold())):
            outcomes[outcome.measure.casefold()] = outcome
    return sorted(outcomes.values(), key=lambda outcome: not outcome.is_primary)


def _outcome(stored: StoredFact, line: ProgramTrial, names: Sequence[str]) -> Outcome | None:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    arms = qualifiers.arm.split(BETWEEN)
    own_arms = [
        arm for arm in arms if names_drug(arm, names) and not _CONTROL.search(title_of(arm))
    ]
    if len(arms) == PAIR:
        if len(own_arms) != 1:
            return None
        against = title_of(next(arm for arm in arms if arm != own_arms[0]))
    elif qualifiers.arm and not own_arms:  # a label of another drug
        return None
    else:
        against = ""
    return Outcome(
        kind="efficacy",
        measure=fact.object,
        value=fact.value or 0.0,
        unit=fact.unit,
        record_id=fact.record_id,
        fact_ids=(stored.id,),
        arm=title_of(own_arms[0]) if len(arms) == PAIR else "",
        comparator=against,
        n=int(qualifiers.n) if qualifiers.n.isdecimal() else None,
        interval=qualifiers.interval,
        time_point=qualifiers.time_point,
        indication="; ".join(line.conditions[:3]),
        line=qualifiers.line,
        biomarker=qualifiers.biomarker,
        trial_id=line.record_id,
        is_primary=qualifiers.population == "primary"
        or _is_planned(fact.object, line.primary_measures),
    )


def _is_planned(measure: str, endpoints: Sequence[str]) -> bool:
    """Return whether an effect is of a primary endpoint of its trial, whose words may be cut."""
    folded = fold_name(measure.partition(" for ")[2] or measure)
    planned = [fold_name(endpoint) for endpoint in endpoints]
    if any(folded in measure for measure in planned) and len(folded) >= LEAST_MATCH:
        return True
    return any(measure in folded for measure in planned if len(measure) >= LEAST_MATCH)


def _is_better(outcome: Outcome, other: Outcome | None) -> bool:
    """Return whether of two effects of one measure the first is that of the higher dose."""
    return other is None or _dose(outcome.arm) > _dose(other.arm)


def _dose(arm: str) -> float:
    return max((float(dose) for dose in _DOSE.findall(arm)), default=0.0)


def holds_none(outcome: Outcome) -> bool:
    """Return whether the interval of a ratio holds one: no effect was shown."""
    match = _INTERVAL.search(outcome.interval)
    if not match or _RATIO not in outcome.unit:
        return False
    return float(match[1]) <= 1.0 <= float(match[2])
