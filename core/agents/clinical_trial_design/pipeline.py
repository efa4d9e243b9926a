"""From a drug and its setting to a strategy for its next trial."""

from collections.abc import Iterator
from dataclasses import replace

from core.agents.clinical_trial_design.asked import Asked, understand
from core.agents.clinical_trial_design.columns import PrecedentTable
from core.agents.clinical_trial_design.conduct import (
    list_benchmarks,
    make_feasibility,
    make_safety,
)
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.endpoints import list_endpoints
from core.agents.clinical_trial_design.gathering import Holding, gather
from core.agents.clinical_trial_design.outline import (
    make_comparator,
    make_population,
    make_schema,
)
from core.agents.clinical_trial_design.outlook import (
    list_scenarios,
    list_steps,
    make_design,
    make_summary,
)
from core.agents.clinical_trial_design.pathways import (
    list_expectations,
    list_risks,
    make_pathway,
)
from core.agents.clinical_trial_design.precedents import make_row
from core.agents.clinical_trial_design.records import DesignSource
from core.agents.clinical_trial_design.schema import (
    ClinicalTrialDesignData,
    ClinicalTrialDesignRequest,
)
from core.agents.clinical_trial_design.statistical import list_assumptions, make_statistics
from core.agents.clinical_trial_design.success import explain_base
from core.briefs.memo import Section
from core.briefs.skeleton import Brief, Dossier, Written
from core.evidence.proof.claims import Claim, count_of, make_claim
from core.evidence.proof.fact_tables import list_sources
from core.vocabulary.endpoints import classify_endpoint
from core.workbench import RunContext

Studied = Dossier[ClinicalTrialDesignRequest, Asked, Holding]
MOST_CITED = 5


def say(dossier: Studied) -> Iterator[Claim]:
    """Yield what precedents are on record and how they chose."""
    question, findings = dossier.asked, dossier.found
    trials = [trial.row for trial in findings.precedents.trials]
    if not trials:
        return
    ids = [trial.record_id for trial in trials[:MOST_CITED]]
    yield make_claim(
        f"{len(trials)} precedent {'trial' if len(trials) == 1 else 'trials'} found in "
        f"{question.disease}.",
        "computed",
        ids,
        figures=[count_of(len(trials), (trial.number for trial in trials))],
        words=[question.disease],
    )
    made = decide(question, findings)
    if made.endpoint and classify_endpoint(made.endpoint):
        same = [
            trial for trial in trials if any(end.name == made.endpoint for end in trial.endpoints)
        ]
        if same:
            yield make_claim(
                f"{len(same)} of them have {made.endpoint} as a primary endpoint.",
                "computed",
                [
                    trial.record_id
                    for trial in same[:MOST_CITED]
                    if trial.record_id in dossier.records
                ],
                figures=[count_of(len(same), (trial.number for trial in same))],
            )
    if findings.competing:
        rows = [precedent.row for precedent in findings.competing]
        yield make_claim(
            f"{len(rows)} {'trial recruits' if len(rows) == 1 else 'trials recruit'} the same "
            "patients now.",
            "computed",
            [row.record_id for row in rows[:MOST_CITED] if row.record_id in dossier.records],
            figures=[count_of(len(rows), (row.number for row in rows))],
        )


_RELEVANCE = {
    "trial_registration": "precedent",
    "regulatory_label": "label of the setting or class",
    "regulatory_notice": "complete response letter",
}
NOTHING_KNOWN = (
    "no_precedent: no disease or target of the request was recognized, so there are "
    "no precedents; the strategy uses general rules alone."
)
NO_PRECEDENT = "no_precedent: the evidence has no precedent for this setting."


def add_own(dossier: Studied, written: Written) -> dict[str, object]:
    """Return the sections of the strategy."""
    made = decide(dossier.asked, dossier.found)
    draft = Draft(dossier.asked, dossier.found, made, written.cite, dossier.as_of)
    sections = {
        "input": dossier.request,
        "executive_summary": make_summary(draft),
        "recommended_trial_design": make_design(draft),
        "proposed_trial_schema": make_schema(draft),
        "target_patient_population": make_population(draft),
        "endpoint_strategy": list_endpoints(draft),
        "comparator_strategy": make_comparator(draft),
        "statistical_design_recommendations": make_statistics(draft),
        "safety_monitoring_recommendations": make_safety(draft),
        "operational_feasibility_analysis": make_feasibility(draft),
        "competitive_trial_benchmarking": list_benchmarks(draft),
        "regulatory_pathway": make_pathway(draft),
        "regulatory_expectations": list_expectations(draft),
        "regulatory_risks": list_risks(draft),
        "strategy_scenarios": list_scenarios(draft),
        "recommended_next_steps": list_steps(draft),
        "assumptions": [
            *list_assumptions(draft),
            explain_base(dossier.asked, dossier.found),
        ],
    }
    sources = list_sources(written.cite.citations, written.cite.records)
    design_sources = [
        DesignSource(**source.model_dump(), relevance=_RELEVANCE.get(source.source_type, "result"))
        for source in sources
    ]
    return {**sections, "sources": design_sources}


def warn(question: Asked, findings: Holding) -> list[str]:
    """Return the notice of a setting without precedents."""
    if findings.precedents.trials or findings.precedents.own:
        return []
    return [NO_PRECEDENT if question.setting.areas else NOTHING_KNOWN]


def gather_with_notice(
    request: ClinicalTrialDesignRequest, question: Asked, context: RunContext
) -> Holding:
    """Return what the evidence holds, and that it holds nothing."""
    findings = gather(request, question, context)
    return replace(findings, warnings=[*findings.warnings, *warn(question, findings)])


BRIEF = Brief(
    data=ClinicalTrialDesignData,
    steps=("Read the setting", "Gather evidence", "Write strategy"),
    understand=understand,
    gather=gather_with_notice,
    rows=make_row,
    sections=(Section("Summary", say),),
    columns=PrecedentTable,
    extra=add_own,
    rows_in=("precedents", "precedent_table"),
)


def run(request: ClinicalTrialDesignRequest, context: RunContext) -> ClinicalTrialDesignData:
    """Run the agent."""
    return BRIEF.run(request, context)
