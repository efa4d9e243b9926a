"""The claim against the evidence: what is proposed, what is required, what there is, what lacks."""

import re
from collections.abc import Callable, Iterator

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.claim import NAIVE
from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.own_data import OwnTrial
from core.agents.label_strategy.question import Question, biomarkers_of
from core.agents.label_strategy.records import ClaimRow, Element, Have
from core.agents.label_strategy.rows import tell_effect
from core.agents.label_strategy.scores import endpoint_share, population_match
from core.agents.label_strategy.sentence import Slot
from core.evidence.proof.citations import Cite
from core.evidence.readers.label_uses import read_use
from core.records.precedents import SettingTrial
from core.records.stages import phase_words
from core.vocabulary.lines import asked_by

FEEDBACK: dict[Element, re.Pattern[str]] = {
    "endpoint": re.compile(r"endpoint|survival|response rate|surrogate|clinical benefit", re.I),
    "population": re.compile(r"population|subgroup|enrich|generali|foreign|diversity", re.I),
    "line": re.compile(r"line of|prior therap|previously treated|standard of care", re.I),
    "biomarker": re.compile(r"biomarker|companion|diagnostic|assay", re.I),
    "regimen": re.compile(r"dose|dosing|schedule|combination|contribution", re.I),
    "age": re.compile(r"pediatric|paediatric|children|adolescent|elderly|geriatric", re.I),
}
"""Words by which prior feedback speaks of a part of the claim."""
_GENE = re.compile(r"([A-Z][A-Z0-9]+)(?: (?:fusion|rearrangement|mutation|exon \d+))?")
"""A biomarker that is an altered gene, which populations may name without the alteration."""
_NAIVE = re.compile(r"(?:TKI|kinase inhibitor|treatment)[- ]na[i\u00ef]ve", re.IGNORECASE)
MOST_IDS = 8


def map_claim(case: LabelCase) -> list[ClaimRow]:
    """Return each part of the claim against the evidence."""
    slots = {slot.name: slot for slot in case.claim.slots}
    rows = [
        _population(case),
        _line(case, slots["line"]),
        _biomarker(case, slots["biomarker"]),
        _regimen(case, slots["regimen"]),
        _endpoint(case),
        _age(case, slots["age"]),
    ]
    registered = [_with_registered(row, case) for row in rows]
    return [_with_feedback(row, case.question) for row in registered]


def _with_registered(row: ClaimRow, case: LabelCase) -> ClaimRow:
    """Return a row with the asset's own trials on record that bear on it, where none is given."""
    if row.have not in {"unknown", "no"}:
        return row
    ours = {name for _, name in case.question.endpoints if name}
    tests: dict[Element, Callable[[SettingTrial], bool]] = {
        "population": lambda trial: True,
        "line": lambda trial: (
            bool(trial.line) and asked_by(trial.line) == asked_by(case.claim.line)
        ),
        "biomarker": lambda trial: bool({*trial.biomarkers} & {*case.claim.biomarkers}),
        "endpoint": lambda trial: bool({endpoint.name for endpoint in trial.endpoints} & ours),
    }
    test = tests.get(row.claim_element)
    fitting = [trial for trial in case.findings.own if test and test(trial)]
    if not fitting:
        return row
    first = fitting[0]
    design = f", {first.design.words}" if first.design.words else ""
    gap = (
        f"{first.number} ({phase_words(first.phase)}{design}) was found and is relevant; its "
        "result is not given."
    )
    ids = case.cite.numbers(trial.record_id for trial in fitting[:3])
    sources = sorted({*row.source_ids, *ids}, key=int)
    return row.model_copy(update={"have": "partial", "gap": gap, "source_ids": sources})


def _with_feedback(row: ClaimRow, question: Question) -> ClaimRow:
    """Return a row whose gap names the feedback that speaks of it."""
    feedback = question.own.feedback
    points = feedback.points if feedback else ()
    points_met = [point for point in points if FEEDBACK[row.claim_element].search(point)]
    if not points_met:
        return row
    have: Have = "partial" if row.have == "yes" else row.have
    gap = f"{row.gap} Prior feedback, as you give it, speaks of this: “{points_met[0]}”.".strip()
    return row.model_copy(update={"have": have, "gap": gap})


def own_figure(trial: OwnTrial | None) -> str | None:
    """Return the own trial's figure with n and interval, as given."""
    if trial is None or (trial.effect is None and trial.n is None):
        return None
    parts = [trial.endpoint or "effect"]
    parts += [f"{trial.effect:g}"] if trial.effect is not None else []
    parts += (
        [f"({trial.ci_low:g} to {trial.ci_high:g})"]
        if trial.ci_low is not None and trial.ci_high is not None
        else []
    )
    parts += [f"p={trial.p:g}"] if trial.p is not None else []
    parts += [f"n={trial.n}"] if trial.n else []
    return f"{' '.join(parts)} (as given)"


def _required(slot: Slot, what: str) -> str:
    if slot.basis == "request" and slot.n:
        has_share = slot.share is not None and slot.n >= 3
        share = f"{slot.share:.0%}" if has_share else str(round((slot.share or 0.0) * slot.n))
        drugs = "drug" if slot.n == 1 else "drugs"
        return f"{what}; found in {share} of {slot.n} {drugs} with a label in the disease."
    if slot.n:
        noun = "drug or trial" if slot.n == 1 else "drugs or trials"
        return f"{what}; reported for {slot.n} {noun}."
    return f"{what}; no precedent reports it."


def _row(
    element: Element,
    texts: tuple[str, str, Have, str, str],
    slot: Slot | None,
    cite: Cite,
    figures: tuple[str | None, str | None] = (None, None),
) -> ClaimRow:
    proposed, required, have, gap, close = texts
    return ClaimRow(
        claim_element=element,
        proposed=proposed,
        required_evidence=required,
        have=have,
        gap=gap,
        how_to_close=close,
        precedent_figure=figures[0],
        own_figure=figures[1],
        source_ids=cite.numbers(slot.having[:MOST_IDS]) if slot else [],
    )


def _population(case: LabelCase) -> ClaimRow:
    match = population_match(case)
    has_population = any(trial.population for trial in case.question.own.trials)
    have: Have = (
        "unknown"
        if not has_population
        else "yes"
        if match >= 0.75
        else "partial"
        if match > 0
        else "no"
    )
    gap = {
        "unknown": "No trial population is given.",
        "yes": "None.",
        "partial": f"Claim and trial population share {match:.0%} of their terms.",
        "no": "The trial population has none of the claim's terms.",
    }[have]
    what = " ".join(filter(None, (case.claim.extent, case.claim.disease))) or "disease not known"
    n = case.findings.moieties()
    required = (
        f"A pivotal trial in this population; {n} drugs have a label in the disease."
        if n
        else "A pivotal trial in this population; no label in the disease was found."
    )
    close = "State the population of the pivotal trial, or run it in the claim's population."
    slot = Slot(
        "population",
        what,
        "precedents",
        tuple(use.row.record_id for use in case.findings.uses[:MOST_IDS]),
    )
    return _row(
        "population",
        (what, required, have, gap, "None needed." if have == "yes" else close),
        slot,
        case.cite,
    )


def _line(case: LabelCase, slot: Slot) -> ClaimRow:
    lines = [
        read_use(f"{trial.population}; {trial.design}").line for trial in case.question.own.trials
    ]
    have: Have = "unknown" if not any(lines) else "yes" if case.claim.line in lines else "no"
    if not case.claim.line:
        is_naive = any(_NAIVE.search(trial.population) for trial in case.question.own.trials)
        is_claimed = any(NAIVE in each.row.fda for each in case.claim.stated.statements)
        have = "partial" if any(lines) or is_naive else "unknown"
        have = "yes" if is_naive and is_claimed else have
    gap = {
        "yes": "None.",
        "unknown": "No trial says which earlier treatment its patients had.",
        "no": f"Trials are in “{next(filter(None, lines), '')}”, the claim is “{case.claim.line}”.",
        "partial": "A claim without a line is based on trials of one line.",
    }[have]
    close = (
        "None needed."
        if have == "yes"
        else "Enroll by the line of the claim, or claim the line of the trial."
    )
    required = _required(slot, "Efficacy in patients of this line, with the control of that line")
    return _row(
        "line", (case.claim.line or "any line", required, have, gap, close), slot, case.cite
    )


def _biomarker(case: LabelCase, slot: Slot) -> ClaimRow:
    populations = " ; ".join(trial.population for trial in case.question.own.trials)
    genes = {name: match for name in case.claim.biomarkers if (match := _GENE.fullmatch(name))}
    bare = {name for name, gene in genes.items() if re.search(rf"\b{gene[1]}\b", populations)}
    names = {*biomarkers_of(populations)} | bare
    if not case.claim.biomarkers:
        have: Have = "partial" if names else "unknown" if not case.question.own.trials else "yes"
        gap = (
            "The trials chose patients by a biomarker that the claim does not name."
            if names
            else "None."
            if have == "yes"
            else "No trial population is given."
        )
    else:
        have = (
            "yes"
            if names & set(case.claim.biomarkers)
            else "no"
            if case.question.own.trials
            else "unknown"
        )
        gap = {
            "yes": "None.",
            "no": "No trial population names the biomarker.",
            "unknown": "No trial is given.",
        }[have]
    what = (
        "Patients chosen by the biomarker with a validated test"
        if case.claim.biomarkers
        else "Effect in patients with and without the marker of the target"
    )
    close = f"Prospective selection or stratification; {case.question.agency.diagnostic}."
    if have == "yes":
        close = "None needed."
    elif not case.claim.biomarkers and not names:
        close = "State how the trial selected its patients; without a marker, no test is needed."
    return _row(
        "biomarker",
        (", ".join(case.claim.biomarkers) or "all comers", _required(slot, what), have, gap, close),
        slot,
        case.cite,
    )


def _regimen(case: LabelCase, slot: Slot) -> ClaimRow:
    regimen = case.question.regimen
    have: Have = "yes" if regimen and regimen == case.claim.regimen else "unknown"
    gap = (
        "None."
        if have == "yes"
        else "Neither indication nor dosing information says whether the asset is given alone."
    )
    close = (
        "None needed."
        if have == "yes"
        else "State the regimen; in a combination show what each part contributes."
    )
    return _row(
        "regimen",
        (
            case.claim.regimen or "not restricted",
            _required(slot, "Efficacy of this regimen"),
            have,
            gap,
            close,
        ),
        slot,
        case.cite,
    )


def _endpoint(case: LabelCase) -> ClaimRow:
    share, same, n = endpoint_share(case)
    text = ", ".join(text for text, _ in case.question.endpoints) or "not given"
    classes = [name for _, name in case.question.endpoints if name]
    votes = sorted({e for precedent in case.findings.pivotal for e in precedent.row.endpoints})
    counts = {
        e: sum(e in precedent.row.endpoints for precedent in case.findings.pivotal) for e in votes
    }
    best = sorted(counts, key=lambda e: (-counts[e], e))[:3]
    required = (
        f"Labels in the disease are based on {', '.join(best)} ({n} trials report theirs)."
        if best
        else "No label in the disease states its endpoint."
    )
    shown = any(trial.has_shown_an_effect for trial in case.question.own.trials)
    have: Have
    if not case.question.endpoints:
        have, gap = "unknown", "No endpoint is given."
    elif not classes:
        have, gap = (
            "no",
            "The endpoint was not recognized, so no precedent can be named.",
        )
    elif not same and share < 0.9:
        have, gap = _without_precedent(case.findings)
    else:
        have = "yes" if shown else "partial"
        gap = "None." if shown else "No own result shows an effect on it."
    close = (
        "None needed."
        if have == "yes"
        else "Agree the endpoint with the agency; have a precedent's one as key secondary."
    )
    figure = next(
        (effect for use in case.findings.uses if (effect := tell_effect(use.trials))), None
    )
    ids = tuple(
        dict.fromkeys(precedent.row.label_id for precedent in case.findings.pivotal[:MOST_IDS])
    )
    slot = Slot("endpoint", text, "precedents", ids)
    return _row(
        "endpoint",
        (text, required, have, gap, close),
        slot,
        case.cite,
        (figure, own_figure(case.question.own.best)),
    )


def _without_precedent(findings: Holdings) -> tuple[Have, str]:
    if findings.cut_studies:
        return "unknown", f"No trial in the available label texts uses it; {cut(findings)}."
    return "no", "No labeled trial with a reported endpoint uses it."


def cut(findings: Holdings) -> str:
    """Return that studies sections are cut, so that an endpoint may stand behind the cut."""
    n = findings.cut_studies
    which = "section of one label is" if n == 1 else f"sections of {n} labels are"
    return f"the studies {which} cut at the copy's end, what stands behind is unknown"


def _age(case: LabelCase, slot: Slot) -> ClaimRow:
    ages = [
        read_use(trial.population).age for trial in case.question.own.trials if trial.population
    ]
    kids = any(age.children for age in ages)
    have: Have = "unknown" if not ages else "yes" if kids or not case.claim.age.children else "no"
    gap = {
        "yes": "None.",
        "unknown": "No trial population is given.",
        "no": "No trial population names children.",
    }[have]
    close = (
        "None needed." if have == "yes" else f"Pediatric plan: {case.question.agency.pediatric}."
    )
    return _row(
        "age",
        (
            case.claim.age.words or "adults",
            _required(slot, "Efficacy or extrapolation and dosing for these ages"),
            have,
            gap,
            close,
        ),
        slot,
        case.cite,
    )


def list_gaps(rows: list[ClaimRow]) -> Iterator[str]:
    """Yield what is missing, what there is none of first."""
    order = {"no": 0, "unknown": 1, "partial": 2}
    missing = [row for row in rows if row.have in order]
    for missing_row in sorted(missing, key=lambda row: order[row.have]):
        element = missing_row.claim_element.capitalize()
        yield f"{element}: {missing_row.gap} {missing_row.how_to_close}"
