"""The landscape's own fields: patients, density, shares, events, and how the query was read."""

from collections.abc import Mapping, Sequence

from core.agents.competitive_landscaping.columns import ProgramTable
from core.agents.competitive_landscaping.completeness import show_completeness
from core.agents.competitive_landscaping.ranked import Mode
from core.agents.competitive_landscaping.records import (
    Concentration,
    DensityCell,
    ExcludedRow,
    IndicationResults,
    LeftOutCount,
    ModeRun,
    ModeRuns,
    ParsedQuery,
    ReadoutRow,
    SponsorShare,
    StandingCount,
    UsageReport,
    WhiteSpace,
    WordChange,
    WordRead,
)
from core.agents.competitive_landscaping.rows import make_lines
from core.agents.competitive_landscaping.scope import Asked
from core.agents.competitive_landscaping.standing import STANDINGS, group_left_out
from core.agents.competitive_landscaping.survey import Survey, lists_of
from core.agents.competitive_landscaping.wording import relevance
from core.briefs import patients
from core.briefs.citing import Cite
from core.briefs.crowding import MOST_SPONSORS, Event
from core.briefs.memo import as_markdown
from core.briefs.patient_records import BiomarkerResult, EndpointResult, PatientSubset
from core.briefs.recent import list_recent
from core.briefs.skeleton import Written, list_excluded
from core.evidence.entries import endpoints_of
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import list_sources

MOST_PLACES = 60
MOST_OPEN = 20
MOST_EVENTS = 40
MOST_CITED = 3


def add_own(survey: Survey, written: Written) -> dict[str, object]:
    """Return the landscape's own fields; patients get their numbers first."""
    request, question, landscape = survey.request, survey.asked, survey.found
    criteria = relevance(question)
    early = request.query_type == "preclinical"
    return {
        "query": request.query,
        "as_of": survey.as_of.isoformat(),
        "query_type": request.query_type,
        "pipeline_summary": as_markdown(written.sections),
        "indication_specific_results": list_patients(survey, written.cite),
        **_list_tables(survey, written.cite),
        "recent": list_recent(landscape.recent, written.cite),
        "relevance_criteria": criteria,
        "relevance_criterion": criteria.preclinical if early else criteria.clinical,
        "runs": _list_runs(landscape.by_mode, survey.run_uuid),
        **dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0),
        "usage": UsageReport(),
        "parsed_query": show_query(question),
        "program_table": ProgramTable.of(
            "programs",
            [line for subject in landscape.subjects for line in make_lines(subject, written.cite)],
        ),
        "completeness": show_completeness(lists_of(survey)),
        "source_report": landscape.groups,
        "excluded": [
            ExcludedRow(drug_name=drug.name, reason=drug.reason, source_ids=[])
            for drug in list_excluded(landscape.excluded)
        ],
        "standings": [
            StandingCount(
                standing=standing, n=sum(x.standing == standing for x in landscape.subjects)
            )
            for standing in STANDINGS
        ],
        "left_out": [
            LeftOutCount(reason=unmark(reason), n=len(names))
            for reason, names in group_left_out(landscape.excluded).items()
        ],
    }


def list_patients(survey: Survey, cite: Cite) -> IndicationResults:
    """Return what the trials in scope measure, and in whom."""
    trials = list(patients.own_trials(survey.found.subjects))
    biomarkers = patients.list_biomarkers(trials, cite)
    endpoints = patients.list_endpoints(trials, endpoints_of(survey.facts), cite)
    subsets = patients.list_subsets(trials, cite)
    rows: list[BiomarkerResult | EndpointResult | PatientSubset]
    rows = [*biomarkers, *endpoints, *subsets]
    used = {number for row in rows for number in row.source_ids}
    sources = [source for source in list_sources(cite.citations, cite.records) if source.id in used]
    warnings = [] if trials else ["no_trials: no company-sponsored trial matches."]
    return IndicationResults(
        indication=survey.found.scope.label,
        biomarkers=biomarkers,
        clinical_endpoints=endpoints,
        patient_subsets=subsets,
        sources=sources,
        warnings=warnings,
    )


def _list_tables(survey: Survey, cite: Cite) -> dict[str, object]:
    """Return density, concentration, white space and events with their sources."""
    landscape = survey.found

    def few(record_ids: Sequence[str]) -> list[str]:
        return cite.numbers(record_ids[:MOST_CITED])

    return {
        "density": [
            DensityCell(
                target=niche.target,
                phase_band=niche.band,
                indication=unmark(niche.indication),
                count=len(niche.drugs),
                drugs=list(niche.drugs),
                source_ids=few(niche.record_ids),
            )
            for niche in landscape.places[:MOST_PLACES]
        ],
        "concentration": Concentration(
            hhi=landscape.hhi,
            n_companies=len(landscape.shares),
            top_sponsors=[
                SponsorShare(
                    company=share.company, n=len(share.drugs), source_ids=few(share.record_ids)
                )
                for share in landscape.shares[:MOST_SPONSORS]
            ],
        ),
        "white_space": [
            WhiteSpace(
                indication=unmark(gap.indication),
                reason=gap.reason,
                source_ids=few(gap.record_ids),
            )
            for gap in landscape.opens[:MOST_OPEN]
        ],
        "events": [_readout(event, cite) for event in landscape.events[:MOST_EVENTS]],
    }


def _readout(event: Event, cite: Cite) -> ReadoutRow:
    trial = event.trial
    return ReadoutRow(
        drug_name=event.drug.name,
        company="; ".join(event.drug.owners),
        trial_id=trial.number,
        phase=trial.phase,
        expected_on=trial.primary_completion_on,
        endpoint=unmark("; ".join(trial.endpoints[:2]))[:200],
        indication=unmark(event.program.indication),
        source_ids=cite.numbers([trial.record_id]),
    )


def _list_runs(by_mode: Mapping[Mode, int], run_uuid: str) -> ModeRuns:
    """Return what each mode came to; zeros and no run where it was not run."""
    modes: tuple[Mode, Mode] = ("clinical", "preclinical")
    return ModeRuns(
        **{
            mode: ModeRun(
                drug_count=by_mode.get(mode, 0), run_id=run_uuid if mode in by_mode else ""
            )
            for mode in modes
        }
    )


def show_query(question: Asked) -> ParsedQuery:
    """Return how the query was understood."""
    query = question.query
    return ParsedQuery(
        targets=[target.text for target in query.targets],
        mechanisms=list(query.mechanisms),
        indications=[disease.label for disease in query.diseases],
        modalities=list(query.modalities),
        lines=list(query.lines),
        stages=list(query.stages),
        unparsed=unmark(" ".join(query.words)),
        drugs=[drug.label for drug in query.drugs],
        biomarkers=list(query.biomarkers),
        not_modalities=list(query.not_modalities),
        not_drugs=[drug.label for drug in query.not_drugs],
        nearest=[unmark(name) for name in question.nearest],
        adjacent_targets=[expression.text for expression in query.adjacent],
        families=[f"{family.text}: {', '.join(family.gene_symbols)}" for family in query.families],
        routes=list(query.routes),
        populations=list(query.populations),
        regions=list(query.regions),
        companies=list(query.companies),
        intents=list(query.intents),
        unknown_indications=[unmark(disease) for disease in query.unknown_diseases],
        not_targets=[target.text for target in query.not_targets],
        not_indications=[disease.label for disease in query.not_diseases],
        not_stages=list(query.not_stages),
        not_routes=list(query.not_routes),
        not_companies=list(query.not_companies),
        not_regions=list(query.not_regions),
        changes=[
            WordChange(said=unmark(change.said), meant=change.meant, why=change.why)
            for change in query.changes
        ],
        words=[
            WordRead(said=unmark(piece.said), became=piece.became, meant=unmark(piece.meant))
            for piece in query.pieces
        ],
    )
