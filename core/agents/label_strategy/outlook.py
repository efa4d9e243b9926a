"""What follows: restrictions to expect, risks, next steps, and where the label will stand."""

import re
from collections.abc import Iterator

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.classes import count_boxes, leading, too_small
from core.agents.label_strategy.expectations import expect_box, explain_box
from core.agents.label_strategy.matrix import FEEDBACK, cut
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.records import (
    ClaimRow,
    LabelRestriction,
    Level,
    NextStep,
    RegulatoryRisk,
    SafetyExpectations,
)
from core.agents.label_strategy.scores import endpoint_share
from core.agents.label_strategy.sentence import ROUTINE
from core.agents.label_strategy.tables import TUMOR
from core.evidence.proof.claims import unmark

MOST_LIMITS = 3
_LIMITATION = re.compile(r"^Limitations? of Use:?\s*", re.IGNORECASE)
MOST_POINTS = 10
MOST_TOLD = 5
LONGEST_LIMIT = 220


def list_restrictions(case: LabelCase, safety: SafetyExpectations) -> list[LabelRestriction]:
    """Return what will probably restrict the label, each with the labels behind it."""
    return [
        *_of_slots(case),
        *_of_approval(case),
        *_of_safety(case, safety),
        *_of_duties(case),
    ]


def _made(
    kind: str,
    text: str,
    level: str,
    why: str,
    ids: list[str],
    share: float | None = None,
    n: int = 0,
) -> LabelRestriction:
    return LabelRestriction.model_validate(
        {
            "kind": kind,
            "restriction": text,
            "likelihood": level,
            "share": share,
            "n_labels": n,
            "rationale": why,
            "source_ids": ids,
        }
    )


def _level(share: float | None) -> Level:
    if share is None:
        return "medium"
    return "high" if share >= 0.6 else "medium" if share >= 0.3 else "low"


def _of_slots(case: LabelCase) -> Iterator[LabelRestriction]:
    """Yield what line, biomarker, age and regimen of the claim shut out."""
    kinds = {"line": "line", "biomarker": "biomarker", "age": "age", "regimen": "regimen"}
    for slot in case.claim.slots:
        if slot.name not in kinds or not slot.value:
            continue
        share = slot.share if slot.n >= 3 else None
        level = "high" if slot.basis == "request" else _level(share)
        text = f"{slot.name.capitalize()}: {slot.value.replace(' | ', ', ')}"
        yield _made(
            kinds[slot.name], text, level, slot.why, case.cite.numbers(slot.having), share, slot.n
        )


def _of_approval(case: LabelCase) -> Iterator[LabelRestriction]:
    uses = [use for use in case.findings.uses if use.row.is_read]
    early = [use for use in uses if use.row.use.is_accelerated]
    n, n_early = len({use.moiety for use in uses}), len({use.moiety for use in early})
    pathway = case.question.agency.early_pathway
    if case.claim.is_accelerated or early:
        why = f"{n_early} of {n} drugs with a label in the disease have an accelerated use."
        why += " The own design supports no more." if case.claim.is_accelerated else ""
        share = round(n_early / n, 4) if n >= 3 else None
        level = "high" if case.claim.is_accelerated else _level(share)
        ids = case.cite.numbers(dict.fromkeys(use.row.record_id for use in early))
        text = f"Statement of {pathway} and a confirmatory trial"
        yield _made("accelerated", text, level, why, ids, share, n)
        if case.claim.is_accelerated:
            yield _made(
                "postmarketing",
                f"Confirmatory trial as {case.question.agency.duties}",
                "high",
                f"It goes with {pathway}.",
                [],
            )
    limited = {use.moiety: use for use in reversed(uses) if use.row.use.limitation}
    share = round(len(limited) / n, 4) if n >= 3 else None
    why = f"{len(limited)} of {n} drugs in the disease have a limitation of use."
    ids = case.cite.numbers(use.row.record_id for use in limited.values())
    for use in sorted(limited.values(), key=lambda use: (-use.match, use.name))[:MOST_LIMITS]:
        text = _LIMITATION.sub("", unmark(use.row.use.limitation))[:LONGEST_LIMIT]
        named = f"Limitation of use as in {use.name}: {text}"
        yield _made("limitation", named, _level(share), why, ids, share, n)


def _of_safety(case: LabelCase, safety: SafetyExpectations) -> Iterator[LabelRestriction]:
    box, rems = safety.boxed_warning, safety.rems
    levels = {"likely": "high", "possible": "medium"}
    if box.expected in levels:
        yield _made(
            "boxed",
            _name_box(case.question),
            levels[box.expected],
            box.rationale,
            box.source_ids,
            box.share,
            box.n_labels,
        )
    if rems.expected in levels:
        yield _made(
            "rems",
            f"Restricted distribution: {case.question.agency.safety_system}",
            levels[rems.expected],
            rems.rationale,
            rems.source_ids,
            rems.share,
            rems.n_labels,
        )
    for contraindication in safety.contraindications[:1]:
        yield _made(
            "contraindication",
            f"As in {contraindication.text}",
            "medium",
            "The newest label of the class that has one.",
            contraindication.source_ids,
        )


def _of_duties(case: LabelCase) -> Iterator[LabelRestriction]:
    """Yield diagnostics, pediatric duty, dosage."""
    if {*case.claim.biomarkers} - ROUTINE:
        chosen = [use for use in case.findings.uses if use.row.is_read and use.row.use.biomarker]
        tests = [use for use in chosen if use.row.use.needs_test]
        n = len({use.moiety for use in chosen})
        n_tests = len({test.moiety for test in tests})
        share = round(n_tests / n, 4) if n >= 3 else None
        why = f"{n_tests} of {n} drugs whose use names a biomarker ask for an approved test."
        yield _made(
            "diagnostic",
            f"Diagnostic: {case.question.agency.diagnostic}",
            "high",
            why,
            case.cite.numbers(dict.fromkeys(test.row.record_id for test in tests)),
            share,
            n,
        )
    yield _made(
        "pediatric",
        f"Pediatric duty: {case.question.agency.pediatric}",
        "medium",
        "Rule of the region (expert).",
        [],
    )
    if case.question.dosing:
        yield _made(
            "dosage",
            f"Dosage as given: {case.question.dosing}",
            "medium",
            "Your text; the dose of the label is that of the pivotal trial.",
            [],
        )


def list_risks(case: LabelCase, rows: list[ClaimRow]) -> list[RegulatoryRisk]:
    """Return what may stand against the claim, the gravest first."""
    risks = [
        *_of_evidence(case, rows),
        *_of_class(case),
        *_of_feedback(case.question),
    ]
    order = {"high": 0, "medium": 1, "low": 2}
    return sorted(risks, key=lambda risk: order[risk.severity])


def _risk(
    text: str, severity: Level, mitigation: str, ids: list[str] | None = None
) -> RegulatoryRisk:
    return RegulatoryRisk(risk=text, severity=severity, mitigation=mitigation, source_ids=ids or [])


def _of_evidence(case: LabelCase, rows: list[ClaimRow]) -> Iterator[RegulatoryRisk]:
    share, same, n = endpoint_share(case)
    if case.question.endpoints and not n:
        yield _risk(
            "No labeled trial in the disease reports an endpoint here, so the requested endpoint "
            "is not compared.",
            "medium",
            "Look up the endpoints of the labels' pivotal trials; agree the endpoint early.",
        )
    elif case.question.endpoints and not same and share < 0.9:
        behind = f"; {cut(case.findings)}" if case.findings.cut_studies else ""
        yield _risk(
            f"No labeled trial uses the requested endpoint ({n} with a reported endpoint "
            f"checked){behind}.",
            "medium" if behind else "high",
            "Agree the endpoint before the pivotal trial; add an endpoint that labels use.",
            case.cite.numbers(precedent.row.label_id for precedent in case.findings.pivotal[:5]),
        )
    yield from _of_own_trial(case.question)
    if not case.findings.uses:
        yield _risk(
            "No label in the disease is a precedent.",
            "high",
            "Ask for advice of the agency early; take the nearest disease as a frame.",
        )
    yield from _of_control(case)
    is_us = case.question.agency.name == "FDA"
    if is_us and TUMOR.search(case.question.disease) and not case.question.dosing:
        yield _risk(
            "Oncology: FDA expects a randomized comparison of two or more doses before the "
            "pivotal trial, and no dosing is given.",
            "medium",
            "State the doses compared (FDA dose optimization guidance, August 2024).",
        )


def _of_own_trial(question: Question) -> Iterator[RegulatoryRisk]:
    """Yield what the design and the result of the own trial leave open."""
    best = question.own.best
    if best is None:
        yield _risk(
            "No own trial is given, so that design and effect cannot be judged.",
            "medium",
            "Give design, population, endpoint and result of the pivotal trial.",
        )
    elif best.is_single_arm and question.is_regular_on_response:
        yield _risk(
            "A single arm carries the claim. For this rare driver FDA has granted regular approval "
            "on response rate and duration of response; fewer patients or short follow-up lead to "
            f"{question.agency.early_pathway}.",
            "medium",
            "Report response and its duration by independent review, by earlier treatment.",
        )
    elif best.is_single_arm:
        yield _risk(
            f"A single arm carries the claim: {question.agency.early_pathway} at most.",
            "high",
            "Plan or start a randomized confirmatory trial before filing.",
        )
    elif best.effect is None and best.p is None:
        yield _risk(
            "No effect of the own trial is given as a number, so it is not judged.",
            "medium",
            "Give the effect, its confidence interval and the p value as numbers.",
        )
    elif not best.has_shown_an_effect:
        yield _risk(
            "The own trial shows no effect that leaves out chance.",
            "high",
            "Wait for the final analysis; narrow the claim to where the effect is shown.",
        )


def _of_control(case: LabelCase) -> Iterator[RegulatoryRisk]:
    """Yield whether the control is one that trials behind labels had."""
    if not case.question.comparator:
        return
    ours = "placebo" if "placebo" in case.question.comparator.casefold() else "active"
    known_control = [
        precedent
        for precedent in case.findings.pivotal
        if precedent.row.design.control not in {"unknown"}
    ]
    same = [ranked for ranked in known_control if ours in ranked.row.design.control]
    text = (
        f"Control as given ({case.question.comparator}) counts as {ours}: {len(same)} of "
        f"{len(known_control)} trials behind labels in the disease with a known control had that "
        "kind."
    )
    level: Level = "medium" if known_control and not same else "low"
    yield _risk(
        text,
        level,
        "Take the standard of care of the line and region as control, or add to it.",
        case.cite.numbers(ranked.row.label_id for ranked in same[:5]),
    )


def _name_box(question: Question) -> str:
    """Return what an agency calls a warning that US labels print in a box."""
    is_us = question.agency.name == "FDA"
    return "Boxed warning" if is_us else "Prominent warning (boxed in the United States)"


def _of_class(case: LabelCase) -> Iterator[RegulatoryRisk]:
    group = leading(case.findings.classes)
    if group and expect_box(case) in {"likely", "possible"}:
        count = count_boxes(group)
        level: Level = "high" if expect_box(case) == "likely" else "medium"
        box = explain_box(case.question, group, count, too_small(case.findings.classes))
        yield _risk(
            f"{_name_box(case.question)} of the class. {box}",
            level,
            "Size the safety database to set the asset apart from its class; plan monitoring.",
            case.cite.numbers(count.record_ids[:8]),
        )
    yield from _of_letters(case)
    own_data = case.question.own
    if own_data.deaths:
        yield _risk(
            f"{own_data.deaths} deaths in the own safety data, as given.",
            "high",
            "Adjudicate each; state cause and relation.",
        )
    if own_data.sae_rate is not None and own_data.sae_rate >= 0.3:
        yield _risk(
            f"Serious adverse events in {own_data.sae_rate:.0%} of patients, as given.",
            "medium",
            "Show the rate of the control next to it.",
        )
    heavy = [event for event in own_data.events if event.is_serious and not event.hazards]
    for heavy_event in heavy[:2]:
        yield _risk(
            f"Serious event outside what labels of the class warn of: {heavy_event.term} (as "
            "given).",
            "medium",
            "Assess cause; plan a warning.",
        )


def _of_letters(case: LabelCase) -> Iterator[RegulatoryRisk]:
    """Yield that drugs of the class, and others of the disease, were refused, and over what."""
    for is_of_class, what in ((True, "class"), (False, "disease")):
        letters = [letter for letter in case.findings.letters if letter.is_of_class == is_of_class]
        if not letters:
            continue
        letters_text = [
            f"{letter.asset} ({letter.day}: "
            f"{', '.join(letter.deficiencies) or 'deficiencies not reported'})"
            for letter in letters[:MOST_TOLD]
        ]
        more = f" and {len(letters) - MOST_TOLD} more" if len(letters) > MOST_TOLD else ""
        yield _risk(
            f"Complete response letters to drugs of the {what}: {'; '.join(letters_text)}{more}.",
            "medium" if is_of_class else "low",
            "Answer in the file what those letters found.",
            case.cite.numbers(letter.record_ids[0] for letter in letters[:MOST_TOLD]),
        )


def _of_feedback(question: Question) -> Iterator[RegulatoryRisk]:
    feedback = question.own.feedback
    if feedback is None:
        return
    who = " ".join(filter(None, (feedback.agency, feedback.meeting, feedback.date))) or "an agency"
    for point in feedback.points[:MOST_POINTS]:
        touched = [name for name, words in FEEDBACK.items() if words.search(point)]
        where = f" It bears on: {', '.join(touched)}." if touched else ""
        yield _risk(
            f"Prior feedback of {who}, as you give it: “{point}”.{where}",
            "high" if touched else "medium",
            "Answer it in the briefing package and in the file.",
        )


def list_steps(case: LabelCase, rows: list[ClaimRow]) -> list[NextStep]:
    """Return what to do next: close the gaps, then what the pathway asks."""
    steps: list[NextStep] = []

    def add(step: str, why: str, timing: str, priority: Level) -> None:
        steps.append(NextStep(step=step, why=why, timing=timing, priority=priority, source_ids=[]))

    when = "before filing" if not case.question.is_early else "before the first trial in patients"
    for row in rows:
        if row.have in {"no", "unknown"}:
            level: Level = "high" if row.have == "no" else "medium"
            add(f"{row.claim_element.capitalize()}: {row.how_to_close}", row.gap, when, level)
    if case.claim.is_accelerated:
        add(
            "Have the confirmatory trial under way",
            f"{case.question.agency.early_pathway} asks for it",
            "before action on the file",
            "high",
        )
    if case.claim.biomarkers:
        add(
            f"Plan {case.question.agency.diagnostic}",
            "The claim chooses patients by a biomarker.",
            "with the pivotal trial",
            "high",
        )
    if case.question.is_early:
        add(
            "Treat this draft as conditional",
            "There are no human data yet.",
            "until proof of concept",
            "high",
        )
    add(
        "Ask the agency for advice on claim and endpoint",
        f"{case.question.agency.name}: {case.question.agency.section} depends on them.",
        "end of phase 2",
        "medium",
    )
    order = {"high": 0, "medium": 1, "low": 2}
    return sorted(steps, key=lambda step: order[step.priority])


def needs_early_pathway(question: Question) -> bool:
    """Return whether the best own trial supports no more than approval on early evidence."""
    best = question.own.best
    is_early = best is not None and best.is_single_arm
    return is_early and not question.is_regular_on_response
