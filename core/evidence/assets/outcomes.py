"""What trials and labels report for a drug: the most telling figures, each with its arm.

A figure belongs to a drug only where its arm names the drug, or where the trial tests nothing
else; an arm that might be the comparator's gives nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.evidence.assets.arms import (
    LEAST_NAME,
    drugs_beside,
    is_own_arm,
    names_another,
)
from core.evidence.assets.shelf import Shelf
from core.evidence.measures import LAST, SEVERE, MeasureClass, classify_measure
from core.evidence.settings_of_trials import read_biomarker, read_cut_off, read_line
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.records.programs import Outcome, Program, TrialLine

MOST_TRIALS = 6
MOST_READ = 12
"""Trials with posted results that are read for a drug; not every one has figures."""
MOST_FIGURES = 4
MOST_LABEL_FIGURES = 4
REPORTED = ("trial_result", "trial_adverse_event")
ON_LABELS = ("label_result", "label_adverse_reactions")
_BOUND = re.compile(r"(\d+(?:\.\d+)?)\s?%")
_STAGE = re.compile(
    r"(?:phase|part|period|stage|step|cohorts?|group|arm|double[- ]blind|open[- ]label|core|"
    r"main|extension|induction|maintenance|dose[- ]\w+)\b[^:]{0,40}: ",
    re.IGNORECASE,
)
"""A part of a trial named before a measure: "Phase 1b: Overall Response Rate"."""
_SAFETY_SET = re.compile(r"\bsafety\b[^.,;]{0,20}\b(?:population|set|evaluable)\b", re.I)
_WHOLE_TRIAL = re.compile(r"\s*(?:total|all|overall|any|combined|pooled)\b", re.I)
"""Columns of a whole trial, in which the drug's own arm is counted too."""
_AT_BASELINE = re.compile(r"(?:^|[:;,(] ?)(?:at )?baseline(?! ?(?:to|minus|-)\b)(?=$|[;,):])", re.I)
_SCALES = frozenset({"lipids", "blood pressure", "clinical scale", "body weight", "other"})
"""Measures that a trial also takes to watch safety."""
_PHASES = ("APPROVED", "PHASE3", "PHASE2_3", "PHASE2", "PHASE1_2", "PHASE1", "")


class Outcomes:
    """Reads the figures of drugs, all trials with posted results at once."""

    def __init__(
        self, shelf: Shelf, evidence: EvidenceReader, drugs: Mapping[str, Sequence[Program]]
    ) -> None:
        """Choose trials and read their figures.

        Args:
            shelf: What the pack holds.
            evidence: The pack.
            drugs: Programs by drug.
        """
        self.shelf = shelf
        self.trials = {key: self._choose(programs) for key, programs in drugs.items()}
        labels = {one for key in drugs for one in shelf.of(key, "label") if shelf.is_alone(one)}
        wanted = {line.record_id for lines in self.trials.values() for line in lines} | labels
        self.facts: dict[str, list[StoredFact]] = defaultdict(list)
        query = FactQuery(record_ids=sorted(wanted), predicates=(*REPORTED, *ON_LABELS))
        for one in evidence.facts(query) if wanted else ():
            self.facts[one.fact.record_id].append(one)

    def _choose(self, programs: Iterable[Program]) -> list[TrialLine]:
        """Return the trials with posted results: own ones first, then by phase and size."""
        lines = {line.record_id: line for one in programs for line in one.trials}
        posted = [
            line
            for line in lines.values()
            if (said := self.shelf.said(line.record_id, "trial_has_results"))
            and said.fact.object == "true"
        ]
        posted.sort(
            key=lambda one: (not one.is_own, _PHASES.index(one.phase), -(one.n or 0), one.number)
        )
        return posted[:MOST_READ]

    def of(self, key: str) -> tuple[Outcome, ...]:
        """Return a drug's figures, efficacy first, of the most telling trials first."""
        names = [name for name in map(fold_name, self.shelf.names[key]) if len(name) >= LEAST_NAME]
        efficacy: list[Outcome] = []
        toxicity: list[Outcome] = []
        read = 0
        for line in self.trials.get(key, ()):
            good, bad = self._of_trial(line, names)
            efficacy += good
            toxicity += bad
            read += bool(good or bad)
            if read >= MOST_TRIALS:
                break
        for record_id in self.shelf.of(key, "label"):
            for one in self._of_label(record_id):
                (efficacy if one.kind == "efficacy" else toxicity).append(one)
        return (*_distinct(efficacy), *_distinct(toxicity))

    def _of_trial(
        self, line: TrialLine, names: Sequence[str]
    ) -> tuple[list[Outcome], list[Outcome]]:
        facts = self.facts.get(line.record_id, ())
        is_alone = self._is_alone(line.record_id)
        arms = {one.fact.qualifiers.arm for one in facts}
        mentioned = self._drugs_in(line.record_id)
        own = {
            arm
            for arm in arms
            if is_own_arm(
                arm, names, is_alone=is_alone and not names_another(arm, names, mentioned)
            )
        }
        mine = [one for one in facts if one.fact.qualifiers.arm in own]
        taken = {one.id for one in mine}
        others = [one for one in facts if one.id not in taken]
        results = [one for one in mine if one.fact.predicate == "trial_result"]
        good = _best(results, set(line.endpoints))
        bad = [*_severe(results), *_events(mine)]
        return (
            [self._outcome(one, "efficacy", line, others, names) for one in good],
            [self._outcome(one, "toxicity", line, others, names) for one in bad],
        )

    def _drugs_in(self, record_id: str) -> list[str]:
        return [one.name for one in self.shelf.mentions[record_id] if one.kind == "drug"]

    def _is_alone(self, record_id: str) -> bool:
        """Return whether a trial has no other drug and no comparator that an arm may be of."""
        design = self.shelf.said(record_id, "trial_design")
        if design and "SINGLE_GROUP" in design.fact.object:
            return True
        drugs = [one for one in self.shelf.mentions[record_id] if one.kind == "drug"]
        named = [drug for one in drugs for drug in self.shelf.labels.get(one.name, ())]
        is_known = all(one.name in self.shelf.labels for one in drugs)
        keys = {drug.key or drug.said for drug in named}
        return is_known and len(keys) == 1 and {one.role for one in drugs} == {"investigational"}

    def _outcome(
        self,
        one: StoredFact,
        kind: str,
        line: TrialLine,
        others: Sequence[StoredFact],
        names: Sequence[str],
    ) -> Outcome:
        fact, said = one.fact, one.fact.qualifiers
        design = self.shelf.said(line.record_id, "trial_design")
        is_drawn = not (design and re.search("NON_RANDOMIZED|SINGLE_GROUP", design.fact.object))
        against = _comparator(one, others) if is_drawn else None
        ids = (one.id, *((against.id,) if against else ()))
        population = said.population
        return Outcome(
            kind="efficacy" if kind == "efficacy" else "toxicity",
            measure=fact.object,
            value=fact.value if fact.value is not None else 0.0,
            unit=fact.unit,
            record_id=fact.record_id,
            fact_ids=ids,
            arm=said.arm,
            given_with=drugs_beside(said.arm, names, self._drugs_in(line.record_id)),
            comparator=_words(against) if against else "",
            n=int(said.n) if said.n.isdecimal() else None,
            interval=said.interval,
            time_point=said.time_point,
            population=population,
            indication="; ".join(line.conditions[:2]),
            line=said.line or read_line(line.title, said.arm, population),
            biomarker=said.biomarker or read_biomarker(line.title, said.arm, population),
            data_cut_off=fact.as_of or read_cut_off(said.time_point, population),
        )

    def _of_label(self, record_id: str) -> list[Outcome]:
        made: list[Outcome] = []
        for one in self.facts.get(record_id, ()):
            fact, said = one.fact, one.fact.qualifiers
            bound = _BOUND.search(said.interval)
            if fact.predicate == "label_adverse_reactions" and bound:
                made.append(
                    Outcome(
                        kind="toxicity",
                        measure=f"most common adverse reactions: {fact.object}",
                        value=float(bound[1]),
                        unit=f"% of patients ({said.interval})",
                        record_id=fact.record_id,
                        fact_ids=(one.id,),
                        population=said.population,
                    )
                )
            elif fact.predicate == "label_result" and fact.value is not None:
                made.append(
                    Outcome(
                        kind="efficacy",
                        measure=fact.object,
                        value=fact.value,
                        unit=fact.unit,
                        record_id=fact.record_id,
                        fact_ids=(one.id,),
                        n=int(said.n) if said.n.isdecimal() else None,
                        interval=said.interval,
                        population=said.population,
                        line=said.line,
                        biomarker=said.biomarker,
                    )
                )
        return [one for one in made if one.kind == "efficacy"][:MOST_LABEL_FIGURES] + [
            one for one in made if one.kind == "toxicity"
        ][:2]


def _best(results: Sequence[StoredFact], primary: set[str]) -> list[StoredFact]:
    """Return the most telling efficacy figures: primary measures first, then by kind."""
    ranked: list[tuple[tuple[bool, int, int], StoredFact]] = []
    for one in results:
        measure = one.fact.object
        kind = _kind(one)
        if not _may_tell_efficacy(one, kind):
            continue
        is_primary = any(measure == said or measure.startswith(f"{said}: ") for said in primary)
        if kind.side == "efficacy" or (is_primary and kind.side == "other"):
            ranked.append(((not is_primary, kind.rank, one.id), one))
    ranked.sort(key=lambda entry: entry[0])
    chosen: list[StoredFact] = []
    seen: dict[str, int] = {}
    for (not_primary, rank, _), one in ranked:
        group = one.fact.object.split(": ")[0]
        if not_primary and rank == LAST:
            continue
        seen[group] = seen.get(group, 0) + 1
        if seen[group] <= 2:
            chosen.append(one)
    return chosen[:MOST_FIGURES]


def _may_tell_efficacy(one: StoredFact, kind: MeasureClass) -> bool:
    """Return whether a figure is neither a value before treatment nor one watched for safety."""
    measure, population = one.fact.object, one.fact.qualifiers.population
    if _AT_BASELINE.search(measure.partition(": ")[2]):
        return False
    return not (kind.name in _SCALES and _SAFETY_SET.search(population))


def _severe(results: Sequence[StoredFact]) -> list[StoredFact]:
    found = [one for one in results if SEVERE.search(one.fact.object)]
    return [one for one in found if _kind(one).side == "safety"][:2]


def _kind(one: StoredFact) -> MeasureClass:
    """Return the kind of a measure; what follows its title names a row of its table."""
    measure = one.fact.object
    part = _STAGE.match(measure)
    return classify_measure(measure[part.end() if part else 0 :].partition(": ")[0])


def _events(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the share with serious events, then the most frequent reactions of the largest arm."""
    events = [one for one in facts if one.fact.predicate == "trial_adverse_event"]
    events = [one for one in events if one.fact.value is not None]
    serious = [one for one in events if one.fact.object == "serious adverse events, any"]
    serious.sort(key=lambda one: (-_n(one), one.id))
    terms = [one for one in events if one.fact.object.startswith("other adverse event: ")]
    arm = serious[0].fact.qualifiers.arm if serious else ""
    terms = [one for one in terms if one.fact.qualifiers.arm == arm]
    terms.sort(key=lambda one: (-(one.fact.value or 0), one.id))
    return [*serious[:2], *terms[:3]]


def _n(one: StoredFact) -> int:
    return int(one.fact.qualifiers.n) if one.fact.qualifiers.n.isdecimal() else 0


def _comparator(one: StoredFact, others: Sequence[StoredFact]) -> StoredFact | None:
    """Return the same measure of the only other arm; with several there is no telling."""
    place = one.fact.locator.rpartition(".measurements")[0]
    same = [
        two
        for two in others
        if two.fact.object == one.fact.object
        and two.fact.unit == one.fact.unit
        and two.fact.predicate == one.fact.predicate
        and not _WHOLE_TRIAL.match(two.fact.qualifiers.arm)
        and (two.fact.locator.rpartition(".measurements")[0] == place)
    ]
    return same[0] if len(same) == 1 else None


def _words(one: StoredFact) -> str:
    value = one.fact.value if one.fact.value is not None else 0.0
    n = f" (n={one.fact.qualifiers.n})" if one.fact.qualifiers.n else ""
    return f"{one.fact.qualifiers.arm}: {value:g} {one.fact.unit}{n}"


def _distinct(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return list(dict.fromkeys(outcomes))
