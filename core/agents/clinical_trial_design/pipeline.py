"""From a drug and its setting to a strategy for its next trial."""

from collections.abc import Iterator
from dataclasses import replace

from core.agents.clinical_trial_design.case import MOST_CITED, DesignCase
from core.agents.clinical_trial_design.columns import PrecedentTable
from core.agents.clinical_trial_design.conduct import make_feasibility, make_safety
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.endpoints import list_endpoints
from core.agents.clinical_trial_design.gathering import gather
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
from core.agents.clinical_trial_design.precedents import list_benchmarks, make_row
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import DesignSource
from core.agents.clinical_trial_design.schema import (
    ClinicalTrialDesignData,
    ClinicalTrialDesignRequest,
)
from core.agents.clinical_trial_design.statistical import make_statistics
from core.agents.clinical_trial_design.success import explain_base
from core.agents.clinical_trial_design.understanding import understand
from core.briefs.memo import Section
from core.briefs.skeleton import Brief, Dossier, Written
from core.evidence.proof.claims import Claim, count_of, make_claim
from core.evidence.proof.fact_tables import list_sources
from core.records.precedents import SettingTrial
from core.vocabulary.endpoints import classify_endpoint
from core.workbench import RunContext

Studied = Dossier[ClinicalTrialDesignRequest, Question, DesignCase]
_RELEVANCE = {
    "trial_registration": "precedent",
    "regulatory_label": "label of the setting or class",
    "regulatory_notice": "complete response letter",
}


def say(dossier: Studied) -> Iterator[Claim]:
    """Yield what precedents are on record and how they chose."""
    case = dossier.found
    trials = [trial.row for trial in case.precedents.trials]
    if not trials:
        return

    def claim(text: str, rows: list[SettingTrial], words: tuple[str, ...] = ()) -> Claim:
        return make_claim(
            text,
            "computed",
            [row.record_id for row in rows[:MOST_CITED] if row.record_id in dossier.records],
            figures=[count_of(len(rows), (row.number for row in rows))],
            words=words,
        )

    noun = "trial" if len(trials) == 1 else "trials"
    disease = case.question.disease
    first = claim(f"{len(trials)} precedent {noun} found in {disease}.", trials, (disease,))
    yield first
    if case.endpoint and classify_endpoint(case.endpoint):
        same = [row for row in trials if any(end.name == case.endpoint for end in row.endpoints)]
        if same:
            text = f"{len(same)} of them have {case.endpoint} as a primary endpoint."
            yield replace(claim(text, same), needs=(first.text,))
    if case.competing:
        rows = [precedent.row for precedent in case.competing]
        verb = "trial recruits" if len(rows) == 1 else "trials recruit"
        yield claim(f"{len(rows)} {verb} the same patients now.", rows)


def add_own(dossier: Studied, written: Written) -> dict[str, object]:
    """Return the sections of the strategy."""
    case = replace(dossier.found, cite=written.cite)
    sections = {  # in the order in which records get their numbers
        "input": dossier.request,
        "executive_summary": make_summary(case),
        "recommended_trial_design": make_design(case),
        "proposed_trial_schema": make_schema(case),
        "target_patient_population": make_population(case),
        "endpoint_strategy": list_endpoints(case),
        "comparator_strategy": make_comparator(case),
        "statistical_design_recommendations": (statistics := make_statistics(case)),
        "safety_monitoring_recommendations": make_safety(case),
        "operational_feasibility_analysis": make_feasibility(case),
        "competitive_trial_benchmarking": list_benchmarks(case),
        "regulatory_pathway": make_pathway(case),
        "regulatory_expectations": list_expectations(case),
        "regulatory_risks": list_risks(case),
        "strategy_scenarios": list_scenarios(case),
        "recommended_next_steps": list_steps(case),
        "assumptions": [*statistics.assumptions, explain_base(case)],
    }
    sources = [
        DesignSource(**source.model_dump(), relevance=_RELEVANCE.get(source.source_type, "result"))
        for source in list_sources(written.cite.citations, written.cite.records)
    ]
    return {**sections, "sources": sources}


def make_case(
    _request: ClinicalTrialDesignRequest, question: Question, context: RunContext
) -> DesignCase:
    """Return the case with its evidence and what is decided."""
    return decide(gather(question, context))


BRIEF = Brief(
    data=ClinicalTrialDesignData,
    steps=("Read the setting", "Gather evidence", "Write strategy"),
    understand=understand,
    gather=make_case,
    rows=make_row,
    sections=(Section("Summary", say),),
    columns=PrecedentTable,
    extra=add_own,
    rows_in=("precedents", "precedent_table"),
)


def run(request: ClinicalTrialDesignRequest, context: RunContext) -> ClinicalTrialDesignData:
    """Run the agent."""
    return BRIEF.run(request, context)
