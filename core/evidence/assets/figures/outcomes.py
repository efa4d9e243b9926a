"""What trials and labels report for a drug: the most telling figures, each with its arm.

A figure belongs to a drug only where its arm names the drug, or where the trial tests nothing
else; an arm that might be the comparator's gives nothing.

A value before treatment, a count of those who left, or a measure that is only watched for safety
in patients of that disease tells nothing of efficacy.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.evidence.assets.figures.effects import Effects, holds_none
from core.evidence.assets.shelf import Shelf
from core.evidence.entries.records import facts_of_records
from core.evidence.names.drug_labels import Naming, code_in
from core.evidence.readers.arms import (
    LEAST_NAME,
    drugs_beside,
    find_comparator,
    is_own_arm,
    names_another,
    names_drug,
    speaks_of,
    spell_out,
    tell_comparator,
    title_of,
)
from core.evidence.readers.endpoints import (
    is_before_treatment,
    is_of_safety_set,
    is_severe,
    is_trial_of_safety,
    is_watched_in,
    kind_of,
)
from core.evidence.readers.trial_settings import read_biomarker, read_cut_off, read_line_of_arm
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import StoredFact
from core.records.names import fold_name
from core.records.programs import Outcome, Program, ProgramTrial
from core.vocabulary.endpoints import LAST, MeasureClass
from core.vocabulary.predicates import Predicate

MOST_FIGURES = 4
MOST_OF_A_MEASURE = 2
_SCALES = frozenset(
    {
        "lipids",
        "blood pressure",
        "clinical scale",
        "body weight",
        "lung function",
        "exacerbations",
        "blood counts",
        "red cells",
        "heart function",
    }
)
"""Measures that a trial also takes to watch safety."""
_WANTED = frozenset({"blood pressure"})
"""Of them those that tell efficacy in a trial of safety, too, where they are the disease."""


def best_figures(
    results: Sequence[StoredFact], primary: set[str], diseases: str
) -> list[StoredFact]:
    """Return the most telling efficacy figures: primary measures first, then by kind."""
    is_of_safety = is_trial_of_safety(diseases)
    ranked: list[tuple[tuple[bool, int, int], StoredFact]] = []
    for result in results:
        kind = kind_of(result.fact.object)
        planned = is_primary(result.fact.object, primary)
        if _may_tell_efficacy(result, kind, diseases) and _tells(kind, planned, is_of_safety):
            ranked.append(((not planned, kind.rank, result.id), result))
    ranked.sort(key=lambda entry: entry[0])
    chosen: list[StoredFact] = []
    seen: Counter[str] = Counter()
    for (not_primary, rank, _), stored in ranked:
        group = stored.fact.object.split(": ")[0]
        if not_primary and rank == LAST:
            continue
        seen[group] += 1
        if seen[group] <= MOST_OF_A_MEASURE:
            chosen.append(stored)
    return chosen[:MOST_FIGURES]


def is_primary(measure: str, primary: set[str]) -> bool:
    """Return whether a measure is one of the trial's primary ones, or a row of it."""
    return any(measure == name or measure.startswith(f"{name}: ") for name in primary)


def _tells(kind: MeasureClass, planned: bool, is_of_safety: bool) -> bool:
    """Return whether a kind of measure tells how well a drug works in such a trial."""
    if kind.side == "efficacy":
        return planned or not is_of_safety or kind.name not in _SCALES - _WANTED
    return kind.side == "other" and planned and not is_of_safety


def severe_figures(results: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the posted counts of patients with severe events."""
    severe = [x for x in results if is_severe(x.fact.object) and not is_before_treatment(x.fact)]
    return [result for result in severe if kind_of(result.fact.object).side == "safety"][:2]


def event_figures(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the share with serious events, then the most frequent reactions of the largest arm."""
    events = [fact for fact in facts if fact.fact.predicate == Predicate.TRIAL_ADVERSE_EVENT]
    events = [event for event in events if event.fact.value is not None]
    serious = [event for event in events if event.fact.object == "serious adverse events, any"]
    serious.sort(
        key=lambda seriou: (
            -(int(seriou.fact.qualifiers.n) if seriou.fact.qualifiers.n.isdecimal() else 0),
            seriou.id,
        )
    )
    terms = [event for event in events if event.fact.object.startswith("other adverse event: ")]
    arm = serious[0].fact.qualifiers.arm if serious else ""
    terms = [term for term in terms if term.fact.qualifiers.arm == arm and term.fact.value]
    terms.sort(key=lambda term: (-(term.fact.value or 0), term.id))
    return [*serious[:2], *terms[:3]]


def _may_tell_efficacy(fact: StoredFact, kind: MeasureClass, diseases: str) -> bool:
    """Return whether a figure is neither a value before treatment nor one watched for safety."""
    if is_before_treatment(fact.fact) or is_watched_in(kind, diseases):
        return False
    may_be_of_safety = kind.name in _SCALES or kind.side == "other"
    return not (may_be_of_safety and is_of_safety_set(fact.fact.qualifiers.population))


MOST_TRIALS = 6
MOST_READ = 12
"""Trials with posted results that are read for a drug; not every one has figures."""
MOST_LABEL_FIGURES = 4
MOST_CONDITIONS = 6
"""Diseases of a trial that are shown with a figure; its arm may have had any of them."""
REPORTED = (Predicate.TRIAL_RESULT, Predicate.TRIAL_ADVERSE_EVENT)
ON_LABELS = (Predicate.LABEL_RESULT, Predicate.LABEL_ADVERSE_REACTIONS)
_NUMBER = re.compile(r"\bNCT\d{8}\b")
_BOUND = re.compile(r"(\d+(?:\.\d+)?)\s?%")
_PHASES = ("APPROVED", "PHASE3", "PHASE2_3", "PHASE2", "PHASE1_2", "PHASE1", "")


class Outcomes:
    """Reads the figures of drugs, all trials with posted results at once."""

    def __init__(
        self,
        shelf: Shelf,
        evidence: EvidenceReader,
        drugs: Mapping[str, Sequence[Program]],
        naming: Naming,
    ) -> None:
        """Choose trials and read their figures."""
        self.shelf = shelf
        self.trials = {key: self._choose(programs) for key, programs in drugs.items()}
        labels = {
            record_id
            for key in drugs
            for record_id in shelf.of(key, "label")
            if shelf.is_alone(record_id)
        }
        labels |= {record_id for key in drugs for record_id in shelf.of(key, "pack")}
        record_ids = {line.record_id for lines in self.trials.values() for line in lines} | labels
        read = [line.record_id for lines in self.trials.values() for line in lines]
        codes = {name for record_id in read for name in self._drugs_in(record_id) if code_in(name)}
        self.coded = naming.read(sorted(codes))
        self.facts = facts_of_records(sorted(record_ids), (*REPORTED, *ON_LABELS), evidence)
        lines = {key: _lines(programs) for key, programs in drugs.items()}
        self.effects = Effects(evidence, lines, self._tests_several)

    def _choose(self, programs: Iterable[Program]) -> list[ProgramTrial]:
        """Return the trials with posted results: own ones first, then by phase and size."""
        posted = [line for line in _lines(programs) if line.has_results]
        posted.sort(
            key=lambda trial: (
                not trial.is_own,
                _PHASES.index(trial.phase),
                -(trial.n or 0),
                trial.number,
            )
        )
        return posted[:MOST_READ]

    def of(self, key: str) -> tuple[Outcome, ...]:
        """Return a drug's figures, efficacy first, of the most telling trials first."""
        names = _shortest(fold_name(name) for name in self.shelf.names[key])
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
        for record_id in self.shelf.of(key, "pack", "label"):
            for outcome in self._of_label(record_id):
                (efficacy if outcome.kind == "efficacy" else toxicity).append(outcome)
        efficacy += self.effects.of(key, names)
        return (*sorted(_distinct(efficacy), key=_tier), *_distinct(toxicity))

    def _of_trial(
        self, line: ProgramTrial, names: Sequence[str]
    ) -> tuple[list[Outcome], list[Outcome]]:
        facts = self.facts.get(line.record_id, ())
        mine = self._own_figures(line.record_id, facts, names)
        taken = {stored.id for stored in mine}
        others = [fact for fact in facts if fact.id not in taken]
        results = [stored for stored in mine if stored.fact.predicate == Predicate.TRIAL_RESULT]
        good = best_figures(
            results, set(line.primary_measures), "; ".join((line.title, *line.conditions))
        )
        bad = [*severe_figures(results), *event_figures(mine)]
        return (
            [self._outcome(stored, "efficacy", line, others, names) for stored in good],
            [self._outcome(stored, "toxicity", line, others, names) for stored in bad],
        )

    def _own_figures(
        self, record_id: str, facts: Sequence[StoredFact], names: Sequence[str]
    ) -> list[StoredFact]:
        """Return the figures of the arms that got the drug."""
        mentioned = self._drugs_in(record_id)
        by_measure: dict[str, list[StoredFact]] = defaultdict(list)
        arms_by_record: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            by_measure[_measure_of(fact)].append(fact)
            arms_by_record[fact.fact.predicate].add(fact.fact.qualifiers.arm)
        own_arms = {
            (measure, arm)
            for measure, facts in by_measure.items()
            for arm in self._own_arms(
                record_id,
                facts,
                names,
                mentioned,
                n_arms=len(arms_by_record[facts[0].fact.predicate]),
            )
        }
        return [fact for fact in facts if (_measure_of(fact), fact.fact.qualifiers.arm) in own_arms]

    def _own_arms(
        self,
        record_id: str,
        facts: Sequence[StoredFact],
        names: Sequence[str],
        mentioned: Sequence[str],
        *,
        n_arms: int,
    ) -> set[str]:
        """Return the arms of one measure that got the drug; the whole trial tells of `n_arms`.

        Where titles name the drug, an arm whose title does not was the other one, whatever its
        description tells; in a cross-over trial each arm got all drugs in turn, so that one whose
        description tells of another tells nothing.
        """
        arms = {fact.fact.qualifiers.arm for fact in facts}
        is_alone = self._is_alone(record_id, n_arms)
        others = [arm for arm in mentioned if not any(name in fold_name(arm) for name in names)]
        if self._design(record_id, "CROSSOVER"):
            arms = {arm for arm in arms if not speaks_of(arm[len(title_of(arm)) :], others)}
        titled = {arm for arm in arms if names_drug(arm, names)}
        return titled or {
            arm
            for arm in arms
            if is_own_arm(
                arm, names, is_alone=is_alone and not names_another(arm, names, mentioned)
            )
        }

    def _drugs_in(self, record_id: str) -> list[str]:
        return [
            mention.name for mention in self.shelf.mentions[record_id] if mention.kind == "drug"
        ]

    def _tests_several(self, record_id: str) -> bool:
        tested = {
            drug.key or drug.said
            for mention in self.shelf.mentions[record_id]
            if mention.kind == "drug" and mention.role == "investigational"
            for drug in self.shelf.labels.get(mention.name, ())
        }
        return len(tested) > 1

    def _spelled(self, record_id: str, arm: str) -> list[str]:
        """Return a trial's drugs as an arm calls them: by name where it does not tell the code."""
        folded_arm = fold_name(arm)
        spelled: list[str] = []
        for name in self._drugs_in(record_id):
            names = [
                drug.name for drug in self.coded.get(name, ()) if fold_name(drug.name) in folded_arm
            ]
            is_by_name = len(names) == 1 and fold_name(name) not in folded_arm
            spelled.append(names[0] if is_by_name else name)
        return spelled

    def _design(self, record_id: str, words: str) -> bool:
        return bool(re.search(words, self.shelf.entries.trial(record_id).design_words))

    def _is_alone(self, record_id: str, n_arms: int) -> bool:
        """Return whether a trial has no other drug and no comparator that an arm may be of."""
        drugs = [mention for mention in self.shelf.mentions[record_id] if mention.kind == "drug"]
        named = [drug for mention in drugs for drug in self.shelf.labels.get(mention.name, ())]
        is_known = all(drug.name in self.shelf.labels for drug in drugs)
        keys = {drug.key or drug.said for drug in named}
        if self._design(record_id, "SINGLE_GROUP"):
            return n_arms == 1 or (is_known and len(keys) <= 1)
        return is_known and len(keys) == 1 and {drug.role for drug in drugs} == {"investigational"}

    def _outcome(
        self,
        stored: StoredFact,
        kind: str,
        line: ProgramTrial,
        others: Sequence[StoredFact],
        names: Sequence[str],
    ) -> Outcome:
        fact, qualifiers = stored.fact, stored.fact.qualifiers
        is_drawn = not self._design(line.record_id, "NON_RANDOMIZED|SINGLE_GROUP|CROSSOVER")
        all_arms = self.facts[fact.record_id]
        against = find_comparator(stored, others, all_arms, names) if is_drawn else None
        ids = (stored.id, *((against.id,) if against else ()))
        more = ("\u2026",) if len(line.conditions) > MOST_CONDITIONS else ()
        population = qualifiers.population
        drugs = self._drugs_in(line.record_id)
        arm = spell_out(qualifiers.arm, drugs, (each.fact.qualifiers.arm for each in all_arms))
        return Outcome(
            kind="efficacy" if kind == "efficacy" else "toxicity",
            is_primary=is_primary(fact.object, set(line.primary_measures)),
            measure=fact.object,
            value=fact.value if fact.value is not None else 0.0,
            unit=fact.unit,
            record_id=fact.record_id,
            fact_ids=ids,
            arm=qualifiers.arm,
            given_with=drugs_beside(arm, names, self._spelled(line.record_id, arm)),
            comparator=tell_comparator(against) if against else "",
            n=int(qualifiers.n) if qualifiers.n.isdecimal() else None,
            interval=qualifiers.interval,
            time_point=qualifiers.time_point,
            population=population,
            indication="; ".join((*line.conditions[:MOST_CONDITIONS], *more)),
            line=qualifiers.line or read_line_of_arm(qualifiers.arm, population, (line.title,)),
            biomarker=qualifiers.biomarker
            or read_biomarker(line.title, qualifiers.arm, population),
            data_cut_off=fact.as_of or read_cut_off(qualifiers.time_point, population),
        )

    def _of_label(self, record_id: str) -> list[Outcome]:
        made: list[Outcome] = []
        for stored in self.facts.get(record_id, ()):
            fact, qualifiers = stored.fact, stored.fact.qualifiers
            bound = _BOUND.search(qualifiers.interval)
            if fact.predicate == Predicate.LABEL_ADVERSE_REACTIONS and bound:
                made.append(
                    Outcome(
                        kind="toxicity",
                        measure=f"most common adverse reactions: {fact.object}",
                        value=float(bound[1]),
                        unit=f"% of patients ({qualifiers.interval})",
                        record_id=fact.record_id,
                        fact_ids=(stored.id,),
                        population=qualifiers.population,
                    )
                )
            elif fact.predicate == Predicate.LABEL_RESULT and fact.value is not None:
                match = _NUMBER.search(qualifiers.population)
                made.append(
                    Outcome(
                        kind="efficacy",
                        measure=fact.object,
                        value=fact.value,
                        unit=fact.unit,
                        record_id=fact.record_id,
                        fact_ids=(stored.id,),
                        trial_id=f"ctgov:{match[0]}" if match else "",
                        n=int(qualifiers.n) if qualifiers.n.isdecimal() else None,
                        # of a label's figure: the other arm and its value
                        comparator=qualifiers.arm,
                        interval=qualifiers.interval,
                        time_point=qualifiers.time_point,
                        indication=qualifiers.indication,
                        population=qualifiers.population,
                        line=qualifiers.line,
                        biomarker=qualifiers.biomarker,
                    )
                )
        return [outcome for outcome in made if outcome.kind == "efficacy"][:MOST_LABEL_FIGURES] + [
            outcome for outcome in made if outcome.kind == "toxicity"
        ][:2]


def _lines(programs: Iterable[Program]) -> list[ProgramTrial]:
    return list({line.record_id: line for program in programs for line in program.trials}.values())


def _tier(outcome: Outcome) -> tuple[int, bool]:
    """Return where a figure of efficacy stands: what regulators and primary endpoints tell first.

    A label tells on what the approval rests, first where a curator read it; of its ratios one
    that shows no effect comes last.
    """
    is_effect = "ratio" in outcome.unit or "difference" in outcome.measure.partition(" for ")[0]
    if outcome.record_id.startswith("pack:"):
        return -1, False
    if outcome.record_id.startswith("label"):
        return 0, holds_none(outcome)
    if outcome.is_primary:
        return (1 if is_effect else 2), False
    return 3, False


def _shortest(names: Iterable[str]) -> list[str]:
    """Return the names that contain no other one; "budesonide/formoterol" is formoterol's too."""
    long = sorted({name for name in names if len(name) >= LEAST_NAME}, key=len)
    return [
        name
        for name in long
        if not any(shorter in name for shorter in long if len(shorter) < len(name))
    ]


def _measure_of(fact: StoredFact) -> str:
    """Return where a figure stands: one measure, or the events."""
    return fact.fact.locator.partition(".")[0] or fact.fact.predicate


def _distinct(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return list(dict.fromkeys(outcomes))
