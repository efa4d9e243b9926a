"""Four scores with their parts: rule-based, weights our own (printed with the answer)."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.classes import (
    Count,
    count_boxes,
    count_rems,
    count_warnings,
    leading,
)
from core.agents.label_strategy.expectations import expect_rems
from core.agents.label_strategy.gathering import Use
from core.agents.label_strategy.question import LATE, Question, biomarkers_of
from core.agents.label_strategy.sentence import Claim
from core.evidence.readers.label_extents import ADVANCED
from core.evidence.readers.label_uses import read_use
from core.vocabulary.lines import Line

FEASIBILITY = {
    "endpoint": 0.30,
    "design": 0.25,
    "precedents": 0.20,
    "match": 0.15,
    "biomarker": 0.10,
}
BREADTH = {"line": 0.35, "biomarker": 0.25, "age": 0.15, "combination": 0.10, "stage": 0.15}
RISK = {"claim_feasibility": 0.5, "no_burden": 0.2, "pathway_fit": 0.2, "cmc": 0.1}
BOX, REMS, TERM, MOST_TERMS, SERIOUS, SAE_CAP = 40.0, 15.0, 5.0, 6, 15.0, 0.5
VALIDATED, VALIDATED_LEAST = frozenset({"overall survival"}), 0.9
NOT_TOLD = 0.3
LEAST_WIDTHS, MOST_UNSEEN = 3, 80
"""Labels from which on the widest bounds a claim, and the bound where fewer are read."""
NEAR = 60
CMC: Mapping[str, float] = {
    "small molecule": 90,
    "monoclonal antibody": 90,
    "bispecific antibody": 90,
    "antibody-drug conjugate": 75,
    "siRNA": 75,
    "antisense oligonucleotide": 75,
    "mRNA": 75,
    "vaccine": 75,
    "recombinant protein": 75,
    "fusion protein": 75,
    "enzyme": 75,
    "cell therapy": 60,
    "gene therapy": 60,
}
OTHER_CMC = 70.0
Parts = Mapping[str, float]


@dataclass(frozen=True)
class Score:
    """A score with its parts."""

    value: int
    parts: Parts


def rounded(value: float) -> int:
    """Return a score, rounded half up, from 0 to 100.

    >>> rounded(62.5), rounded(-3)
    (63, 0)
    """
    return max(0, min(100, int(value + 0.5)))


def endpoint_share(case: LabelCase) -> tuple[float, list[str], int]:
    """Return how many trials that labels in the disease rest on use our endpoint, and which.

    Returns:
        The share, the numbers of those trials, and how many tell an endpoint.
    """
    ours = {name for _, name in case.question.endpoints if name}
    endpoints_by_trial = {
        precedent.row.number: set(precedent.row.endpoints)
        for precedent in case.findings.pivotal
        if precedent.row.endpoints
    }
    same = sorted(number for number, ends in endpoints_by_trial.items() if ends & ours)
    share = len(same) / len(endpoints_by_trial) if endpoints_by_trial else 0.0
    if not ours or not endpoints_by_trial:
        return NOT_TOLD, [], len(endpoints_by_trial)
    if not same and case.findings.cut_studies:
        share = NOT_TOLD
    if ours & VALIDATED:
        share = max(share, VALIDATED_LEAST)
    return share, same, len(endpoints_by_trial)


def design_part(question: Question) -> float:
    """Return what the own design bears: randomized and blinded most, a single arm half."""
    best = question.own.best
    if best is None:
        return 0.1
    base = 0.1
    if best.randomized:
        base = 1.0 if best.blinded else 0.85
    elif best.is_single_arm or best.n:
        base = 0.5
    return base * (1.0 if best.has_shown_an_effect else 0.4)


def population_match(case: LabelCase) -> float:
    """Return how far claim and own trial populations have the same terms (Jaccard)."""
    text = " ".join(f"{trial.population} {trial.design}" for trial in case.question.own.trials)
    if not text.strip():
        return 0.0
    use = read_use(text)
    have = {*biomarkers_of(text), str(use.line), "children" if use.age.children else "adults"}
    want = {
        *case.claim.biomarkers,
        case.claim.line,
        "children" if case.claim.age.children else "adults",
    }
    have, want = have - {""}, want - {""}
    return len(have & want) / len(have | want) if have | want else 0.0


def biomarker_part(case: LabelCase) -> float:
    """Return whether the trials chose patients by the biomarker of the claim."""
    if not case.claim.biomarkers:
        return 1.0
    text = " ".join(trial.population for trial in case.question.own.trials)
    return float(bool(set(case.claim.biomarkers) & set(biomarkers_of(text))))


def feasibility(case: LabelCase) -> Score:
    """Return how well evidence and precedents bear a claim."""
    parts = {
        "endpoint": endpoint_share(case)[0],
        "design": design_part(case.question),
        "precedents": min(1.0, case.findings.moieties(NEAR) / 3),
        "match": population_match(case),
        "biomarker": biomarker_part(case),
    }
    return _weighted(parts, FEASIBILITY)


def breadth(case: LabelCase) -> Score:
    """Return how wide a claim is: never wider than the widest label in the disease.

    A claim that no agency has granted in the disease is not a wide label, but none.
    """
    score = _breadth(case.claim)
    widths = [_breadth(_claim_of(use)).value for use in case.findings.uses if use.row.is_read]
    most = max(widths) if len(widths) >= LEAST_WIDTHS else MOST_UNSEEN
    return Score(min(score.value, most), {**score.parts, "widest_label": most / 100})


def _claim_of(use: Use) -> Claim:
    """Return the use of a label as a claim."""
    reading = use.row.use
    markers = tuple(filter(None, (reading.biomarker,)))
    return Claim(
        "", use.extent, reading.line, markers, reading.age, reading.regimen, reading.is_accelerated
    )


def _breadth(claim: Claim) -> Score:
    """Return how wide a claim is by its parts."""
    line = {Line.TREATED: 0.7, Line.SECOND: 0.7, Line.THIRD: 0.4}
    is_rare = len(claim.biomarkers) > 1
    parts = {
        "line": line.get(Line(claim.line), 1.0) if claim.line else 1.0,
        "biomarker": (0.3 if is_rare else 0.5) if claim.biomarkers else 1.0,
        "age": 1.0 if claim.age.children and claim.age.adults else 0.7,
        "combination": 1.0 if claim.regimen in {"", "either"} else 0.6,
        "stage": _stage_part(claim),
    }
    return _weighted(parts, BREADTH)


def _stage_part(claim: Claim) -> float:
    """Return how wide a claim is by stage of disease, genetics and history of its patients."""
    narrowed = claim.stated.of("population", "adjective", "patient", "purpose")
    share = 1.0 if not claim.extent else 0.6 if claim.extent in ADVANCED else 0.3
    return min(share, 0.6 if len(narrowed) == 1 else 0.3) if narrowed else share


def _weighted(parts: Parts, weights: Mapping[str, float]) -> Score:
    total = sum(weights[name] * value for name, value in parts.items())
    return Score(rounded(100 * total), {name: round(value, 4) for name, value in parts.items()})


def boxed_share(case: LabelCase) -> tuple[float, Count | None]:
    """Return the share of labels of the class with a box; a class rule makes it whole."""
    group = leading(case.findings.classes)
    count = count_boxes(group) if group else None
    share = len(count.having) / count.n if count and count.n else 0.0
    if count and count.share is None and not case.question.rules("boxed"):
        share *= 0.5
    return (1.0 if case.question.rules("boxed") else share), count


def burden(case: LabelCase) -> Score:
    """Return how heavy the warnings will weigh."""
    share, _ = boxed_share(case)
    group = leading(case.findings.classes)
    count = count_rems(group, case.findings.texts) if group else None
    is_restricted = expect_rems(case.question, count) == "likely"
    events = [
        event
        for event in case.question.own.events
        if event.is_serious or (event.grade3_rate or 0) >= 0.05
    ]
    terms = {hazard for event in events for hazard in event.hazards or (event.term,)}
    if not case.question.own.has_safety and group:
        terms = {
            warning.term
            for warning in count_warnings(group, case.findings.texts)
            if (warning.share or 0) >= 0.5
        }
    sae = case.question.own.sae_rate or 0.0
    parts = {
        "boxed_class": BOX * share,
        "rems": REMS * float(is_restricted),
        "serious_terms": TERM * min(MOST_TERMS, len(terms)),
        "serious_events": SERIOUS * min(1.0, sae / SAE_CAP),
    }
    return Score(
        rounded(min(100.0, sum(parts.values()))), {k: round(v, 2) for k, v in parts.items()}
    )


def pathway_fit(case: LabelCase) -> float:
    """Return whether the rule of a pathway is met (100), may be met (60) or is not (30)."""
    best, share = case.question.own.best, endpoint_share(case)[0]
    if best is not None and best.randomized and share >= 0.5 and case.findings.uses:
        return 100.0
    if best is not None and (best.randomized or best.is_single_arm) and share > 0:
        return 60.0
    return 60.0 if best is None and set(case.question.setting.stages) & LATE else 30.0


def regulatory_risk(feasible: Score, heavy: Score, case: LabelCase) -> Score:
    """Return how likely the claim meets resistance."""
    kinds = [CMC[modality] for modality in case.question.setting.modalities if modality in CMC]
    parts = {
        "claim_feasibility": float(feasible.value),
        "no_burden": float(100 - heavy.value),
        "pathway_fit": pathway_fit(case),
        "cmc": min(kinds, default=OTHER_CMC),
    }
    total = sum(RISK[name] * value for name, value in parts.items())
    return Score(rounded(100 - total), parts)


def confidence(case: LabelCase) -> dict[str, int]:
    """Return the inputs of the confidence, of which the lowest one counts."""
    slots = [slot for slot in case.claim.slots if slot.basis != "none"]
    parts = {
        "setting resolved": 90
        if case.question.setting.areas and not case.question.setting.unresolved
        else 55,
        "precedents": rounded(min(1.0, case.findings.moieties(NEAR) / 3) * 90)
        if case.findings.uses
        else 20,
        "nearest precedent": case.findings.best if case.findings.uses else 20,
        "slots supported": rounded(100 * len(slots) / max(1, len(case.claim.slots))),
        "own trials": 85 if case.question.own.trials else 60,
    }
    if not case.findings.uses or not case.question.setting.areas:
        parts["no precedent"] = 20
    if case.question.is_early:
        parts["no human data"] = 25
    return parts
