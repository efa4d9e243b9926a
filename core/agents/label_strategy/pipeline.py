"""From an asset and its aim to a draft label with precedents, warnings, gaps and scores."""

from collections.abc import Mapping, Sequence
from typing import Literal

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.claim import broaden, list_options, narrow, propose
from core.agents.label_strategy.columns import FrequencyTable, UseTable
from core.agents.label_strategy.expectations import list_frequencies, tell_expectations
from core.agents.label_strategy.gathering import MOST_USES, Use, gather
from core.agents.label_strategy.matrix import list_gaps, map_claim
from core.agents.label_strategy.outlook import (
    list_restrictions,
    list_risks,
    list_steps,
    needs_early_pathway,
)
from core.agents.label_strategy.question import understand
from core.agents.label_strategy.records import (
    ClaimRow,
    ComparedUse,
    ExecutiveSummary,
    LabelScenario,
    LabelSource,
    Level,
    ProposedIndication,
    RegionalWording,
    RiskScores,
    SlotOption,
    SlotRow,
)
from core.agents.label_strategy.rows import compare, list_history, make_precedent
from core.agents.label_strategy.schema import LabelStrategyData, LabelStrategyRequest
from core.agents.label_strategy.scores import (
    Score,
    breadth,
    burden,
    confidence,
    feasibility,
    regulatory_risk,
)
from core.agents.label_strategy.sentence import JOINED, Claim, word_slot, write_sentence
from core.agents.label_strategy.summary import File, say
from core.agents.label_strategy.wording import NO_SMPC, draft, find_terms
from core.briefs.memo import Section
from core.briefs.skeleton import Brief, Written
from core.evidence.proof.citations import Cite
from core.evidence.proof.fact_tables import list_sources
from core.workbench import RunContext

HIGH, MEDIUM = 70, 40
MOST_CITED = 5
AGENCIES: tuple[Literal["FDA", "EMA"], ...] = ("FDA", "EMA")
_RELEVANCE = {
    "regulatory_label": "precedent label",
    "approval_package": "review of a precedent",
    "regulatory_guidance": "guidance",
    "regulatory_notice": "complete response letter",
    "trial_registration": "trial of the setting",
}


def make_row(use: Use, cite: Cite) -> ComparedUse:
    """Return a use as a line; the differences come with the claim, in `add_own`."""
    return compare(use, Claim("", "", "", (), use.row.use.age, "", is_accelerated=False), cite)


def add_own(dossier: File, written: Written) -> dict[str, object]:
    """Return the agent's own fields."""
    question, findings, cite = dossier.asked, dossier.found, written.cite
    claim = propose(question, findings, is_accelerated=needs_early_pathway(question))
    case = LabelCase(question, findings, claim, cite)
    rows = map_claim(case)
    safety = tell_expectations(case)
    uses = [compare(use, claim, cite) for use in findings.uses[: findings.most]]
    frequencies = list_frequencies(case)
    scenarios = list_scenarios(case)
    proposed = _tell_proposal(case, rows)
    scores = _tell_scores(case, rows)
    sections = {
        "executive_summary": _sum_up(proposed, case),
        "proposed_indication_language": proposed,
        "likely_label_restrictions": list_restrictions(case, safety),
        "safety_warning_expectations": safety,
        "competitor_label_comparison": uses,
        "use_table": UseTable.of("uses", uses),
        "evidence_to_claim_mapping": rows,
        "label_scenarios": scenarios,
        "regulatory_risks": list_risks(case, rows),
        "risk_scores": scores,
        "recommended_next_steps": list_steps(case, rows),
        "precedents": [make_precedent(use, cite) for use in findings.uses[:MOST_USES]],
        "label_history": list_history(case),
        "frequencies": frequencies,
        "frequency_table": FrequencyTable.of("frequencies", frequencies),
    }
    sources = [
        LabelSource(**source.model_dump(), relevance=_RELEVANCE.get(source.source_type, "evidence"))
        for source in list_sources(cite.citations, cite.records)
    ]
    return {**sections, "sources": sources}


def list_scenarios(case: LabelCase) -> list[LabelScenario]:
    """Return a narrow, the base and a broad claim; a broader one is never the more feasible."""
    claims = {
        "narrow": narrow(case.claim, case.findings),
        "base": case.claim,
        "broad": broaden(case.claim, case.findings),
    }
    made: list[LabelScenario] = []
    widths = {name: breadth(case.claiming(each)).value for name, each in claims.items()}
    base = feasibility(case).value
    least = {
        "narrow": max(base, feasibility(case.claiming(claims["narrow"])).value),
        "base": base,
        "broad": min(base, feasibility(case.claiming(claims["broad"])).value),
    }
    widths["narrow"] = min(widths["narrow"], widths["base"])
    widths["broad"] = max(widths["broad"], widths["base"])
    for name, scenario_claim in claims.items():
        drafts = {agency: draft(case.claiming(scenario_claim), agency) for agency in AGENCIES}
        is_us = case.question.agency.name == "FDA"
        has_eu = any(use.geography == "EMA" for use in case.findings.uses)
        form = "" if has_eu else f" ({NO_SMPC})"
        made.append(
            LabelScenario.model_validate(
                {
                    "name": name,
                    "language": drafts["FDA" if is_us else "EMA"],
                    "requires": list(_requires(name, case.claiming(scenario_claim), case.claim)),
                    "claim_feasibility_score": least[name],
                    "label_breadth_score": widths[name],
                    "note": _explain_same(name, case.claiming(scenario_claim), case.claim),
                    "wording": RegionalWording(FDA=drafts["FDA"], EMA=f"{drafts['EMA']}{form}"),
                    "source_ids": case.cite.numbers(
                        use.row.record_id for use in case.findings.uses[:3]
                    ),
                }
            )
        )
    return made


def _explain_same(name: str, case: LabelCase, base: Claim) -> str:
    """Return why a narrower or broader draft reads as the base; "" where it differs."""
    is_same = draft(case, "FDA") == draft(case.claiming(base), "FDA")
    if name == "base" or not is_same:
        return ""
    if name == "broad":
        return (
            "The base claim names no line, biomarker or regimen that a broader one could drop, and "
            "too few labels in the disease are for children to add them."
        )
    return "No label with a similar mechanism restricts its use further than the base claim."


def _requires(name: str, case: LabelCase, base: Claim) -> list[str]:
    """Return what a breadth of the claim asks of the evidence."""
    needs: list[str] = []
    if case.claim.is_accelerated:
        needs.append(f"A confirmatory trial under way ({case.question.agency.early_pathway})")
    if case.claim.biomarkers:
        needs.append(
            f"Patients chosen by {', '.join(case.claim.biomarkers)}; "
            f"{case.question.agency.diagnostic}"
        )
    elif base.biomarkers:
        needs.append(f"Effect shown in patients without {', '.join(base.biomarkers)}, too")
    if case.claim.line:
        needs.append(f"A pivotal trial in this setting: {case.claim.line}")
    elif base.line:
        needs.append(f"Effect shown outside “{base.line}”, against the standard of each line")
    if case.claim.age.children and not base.age.children:
        needs.append("Pediatric data or extrapolation with dosing")
    if case.claim.age.adults and not base.age.adults:
        needs.append("Effect and dose shown in adults, too")
    if name == "broad" and base.is_accelerated:
        needs.append("A randomized trial on an endpoint of clinical benefit")
    if case.claim.regimen == "either" and base.regimen != "either":
        needs.append("Trials alone and in combination, with the contribution of each part")
    return needs or ["The pivotal trial of the base claim"]


def _tell_proposal(case: LabelCase, rows: Sequence[ClaimRow]) -> ProposedIndication:
    parts = confidence(case)
    score = min(parts.values())
    agency: Literal["FDA", "EMA"] = "FDA" if case.question.agency.name == "FDA" else "EMA"
    options = _tell_options(case, rows)
    ids = dict.fromkeys(each for slot in case.claim.slots for each in slot.having[:3])
    terms = find_terms(case, agency)
    return ProposedIndication(
        language=f"{terms.prefix}{write_sentence(case.claim, terms, agency)}",
        confidence=level_of(score),
        confidence_score=score,
        source_ids=case.cite.numbers(ids),
        confidence_parts=parts,
        slots=[
            SlotRow(
                slot=slot.name,
                value=slot.value.replace(" | ", JOINED),
                worded=word_slot(slot.name, case.claim, terms),
                basis=slot.basis,
                share=slot.share if slot.n >= 3 else None,
                n_precedents=slot.n,
                rationale=slot.why,
                source_ids=case.cite.numbers(slot.having),
                options=options[slot.name],
            )
            for slot in case.claim.slots
        ],
        terms=terms,
    )


def _tell_options(case: LabelCase, rows: Sequence[ClaimRow]) -> dict[str, list[SlotOption]]:
    """Return the other values of each slot, with the cards that each would change."""
    return {
        name: [
            SlotOption(
                value=slot.value.replace(" | ", JOINED),
                basis="trials" if slot.basis == "trials" else "precedents",
                n_having=len(slot.having),
                rationale=slot.why,
                rows=[row for row in map_claim(case.claiming(changed)) if row not in rows],
                source_ids=case.cite.numbers(slot.having[:MOST_CITED]),
            )
            for changed, slot in made
        ]
        for name, made in list_options(case.claim, case.findings).items()
    }


def level_of(score: int) -> Level:
    """Return the word of a confidence.

    >>> level_of(70), level_of(69), level_of(39)
    ('high', 'medium', 'low')
    """
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


def _tell_scores(case: LabelCase, rows: list[ClaimRow]) -> RiskScores:
    feasible, wide = feasibility(case), breadth(case)
    heavy = burden(case)
    risk = regulatory_risk(feasible, heavy, case)
    parts: Mapping[str, Score] = {
        "claim_feasibility": feasible,
        "label_breadth": wide,
        "safety_burden": heavy,
        "regulatory_risk": risk,
    }
    return RiskScores(
        claim_feasibility_score=feasible.value,
        regulatory_risk_score=risk.value,
        label_breadth_score=wide.value,
        safety_burden_score=heavy.value,
        source_ids=case.cite.numbers(use.row.record_id for use in case.findings.uses[:3]),
        components={name: dict(score.parts) for name, score in parts.items()},
        gaps=list(list_gaps(rows)),
    )


def _sum_up(proposed: ProposedIndication, case: LabelCase) -> ExecutiveSummary:
    """Return in two sentences where the label will stand and how far it will reach."""
    pathway = (
        case.question.agency.early_pathway if case.claim.is_accelerated else "regular approval"
    )
    stand = "conditionally, " if case.question.is_early else ""
    n = case.findings.moieties()
    drugs = "1 labeled drug" if n == 1 else f"{n} labeled drugs"
    beside = (
        f"{drugs} in {case.question.disease}" if n else "no precedent label found in the evidence"
    )
    hint = f"; closest precedent: {case.findings.uses[0].name}" if case.findings.uses else ""
    scope = ", ".join(
        filter(
            None,
            (
                case.claim.line or "any line",
                ", ".join(case.claim.biomarkers) or "no biomarker",
                case.claim.age.words or "adults",
                case.claim.regimen or "regimen not restricted",
                case.claim.extent,
                case.claim.stated.describe(),
            ),
        )
    )
    position = f"{stand}{case.question.agency.name}: {pathway}, {beside}{hint}."
    return ExecutiveSummary(
        likely_regulatory_positioning=f"{position[:1].upper()}{position[1:]}",
        expected_label_scope=f"{scope[:1].upper()}{scope[1:]}.",
        source_ids=proposed.source_ids,
    )


BRIEF = Brief(
    data=LabelStrategyData,
    steps=("Read setting", "Gather labels", "Write strategy"),
    understand=understand,
    gather=gather,
    rows=make_row,
    sections=(Section("Summary", say),),
    columns=UseTable,
    extra=add_own,
    rows_in=("competitor_label_comparison", "use_table"),
)


def run(request: LabelStrategyRequest, context: RunContext) -> LabelStrategyData:
    """Run the agent."""
    return BRIEF.run(request, context)
