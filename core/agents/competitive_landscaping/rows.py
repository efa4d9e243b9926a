"""The rows of drugs and the landscape's own fields: patients, density, shares, events, query."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.agents.competitive_landscaping.columns import ProgramTable
from core.agents.competitive_landscaping.completeness import show_completeness
from core.agents.competitive_landscaping.ranking import Mode, Ranked
from core.agents.competitive_landscaping.records import (
    Concentration,
    DensityCell,
    DrugRow,
    ExcludedRow,
    IndicationResults,
    LeftOutCount,
    ModeRun,
    ModeRuns,
    ModeUsage,
    ParsedQuery,
    ProgramLine,
    ProviderUsage,
    PublicationRow,
    ReadoutRow,
    SponsorShare,
    StandingCount,
    TokenCounts,
    UsageReport,
    WhiteSpace,
    WordChange,
    WordRead,
)
from core.agents.competitive_landscaping.scope import Asked
from core.agents.competitive_landscaping.standing import STANDINGS, group_left_out
from core.agents.competitive_landscaping.survey import Survey, lists_of, relevance
from core.briefs import patients
from core.briefs.board import approved_for
from core.briefs.crowding import MOST_SPONSORS, Event
from core.briefs.figures import ComparedFigure, find_compared
from core.briefs.recent import list_recent
from core.briefs.records import BiomarkerResult, EndpointResult, PatientSubset
from core.briefs.skeleton import Written, list_excluded
from core.briefs.subjects import Drug
from core.evidence.assets.roles import partners_of
from core.evidence.entries import endpoints_of
from core.evidence.proof.cells import Cell, unconfirmed_cells
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import list_sources
from core.records.model import Spend
from core.records.stages import STAGES, Stage

BOARD = (
    *("brand", "line", "biomarker", "trial", "enrolled", "next_readout", "ended"),
    *("licensor", "licensee", "protected_until", "is_off_patent"),
)
"""Fields of a row that a board deck shows next to the stage."""
MOST_TRIALS = 12
MOST_CITED = 25
"""Records that a row cites at most: those of its cells come first."""


def make_row(drug: Ranked, cite: Cite) -> DrugRow:
    """Return the row of a drug."""
    asset, cells, owners = drug.asset, drug.cells(), drug.owners
    ids = list(dict.fromkeys(record_id for cell in drug.cells() for record_id in cell.record_ids))
    ids = ids[:MOST_CITED] or list(drug.asset.record_ids[:1])
    return DrugRow(
        drug_name=drug.name,
        target=_join(cell.text for cell in cells if cell.name == "target"),
        modality=asset.modality.text if asset.modality else "",
        stage=drug.stage,
        label_use=drug.label_use,
        match=drug.match,
        company=_join(owners),
        indication=drug.indications,
        efficacy=_figures("efficacy", cells, cite),
        toxicity=_figures("toxicity", cells, cite),
        compared=_compared(drug, cite),
        drug_key=asset.key if asset.key.startswith("UNII:") else None,
        aliases=[unmark(name) for name in asset.aliases],
        mechanism=_join(unmark(link.mechanism.text) for link in asset.targets),
        partners=partners_of(asset),
        regions=regions(drug),
        trial_ids=[trial.number for trial in drug.trials],
        n_active_trials=len(drug.active_trials),
        n_other_trials=sum(not trial.is_own for trial in drug.trials),
        highest_stage=asset.highest_stage,
        is_expert_only=drug.is_expert_only,
        unconfirmed=unconfirmed_cells(asset, drug.programs, owners),
        standing=drug.standing,
        not_known=[unmark(criterion) for criterion in drug.not_known],
        **{name: getattr(drug.board, name) for name in BOARD},
        approved_in=approved_for(drug.programs, asset),
        modes=sorted(drug.modes),
        rank_score=drug.score,
        score_components=drug.components,
        as_of=drug.programs[0].as_of,
        source_ids=cite.numbers(dict.fromkeys((*ids, *drug.board.record_ids))),
    )


def _compared(drug: Ranked, cite: Cite) -> list[ComparedFigure]:
    """Return the figures by which the drug may be compared."""
    return [
        ComparedFigure(
            **vars(by),
            value=outcome.value,
            n=outcome.n,
            source_ids=cite.numbers([outcome.record_id]),
        )
        for by, outcome in find_compared(drug.outcomes)
    ]


def regions(drug: Drug) -> dict[str, Stage]:
    """Return the highest stage stated per region, regions in order; approvals that ended do not."""
    over = {region.region for region in drug.asset.regions if region.is_over}
    stages: dict[str, Stage] = {}
    for program in drug.programs:
        for stage in program.stages:
            if stage.region and stage.region not in over:
                current = stages.get(stage.region, "UNKNOWN")
                stages[stage.region] = min(current, stage.stage, key=STAGES.index)
    return dict(sorted(stages.items()))


def _join(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(name for name in names if name))


def _figures(kind: str, cells: Iterable[Cell], cite: Cite) -> str:
    """Return the figures of a kind with their citations."""
    shown = [cell for cell in cells if cell.name == kind]
    return "; ".join(f"{cell.text} {cite.mark(cell.record_ids)}".strip() for cell in shown)


def make_lines(drug: Ranked, cite: Cite) -> Iterator[ProgramLine]:
    """Yield a drug's programs within what was asked, one line each."""
    for program in drug.programs:
        own_trials = [trial for trial in program.trials if trial.is_own]
        carrying = [stage for stage in program.stages if stage.stage == program.stage]
        ids = [record_id for stated in carrying for record_id in stated.statement.record_ids[:2]]
        approvals = {
            stage.region: stage.first_on
            for stage in reversed(program.stages)
            if stage.stage == "APPROVED" and stage.region and not stage.is_over
        }
        yield ProgramLine(
            drug_name=drug.name,
            company=_join(drug.owners),
            target=_join(link.target.text for link in drug.asset.targets),
            indication=unmark(program.indication),
            stage=program.shown_stage,
            state=program.state_words or program.state,
            reason=unmark(program.reason),
            approved_in="; ".join(
                f"{name} {day}".strip() for name, day in sorted(approvals.items())
            ),
            trial_ids=[trial.number for trial in own_trials[:MOST_TRIALS]],
            as_of=program.as_of,
            source_ids=cite.numbers((ids or [trial.record_id for trial in own_trials[:2]])[:4]),
        )


MOST_PLACES = 60
MOST_OPEN = 20
MOST_EVENTS = 40
MOST_CITED_OF_A_FIGURE = 3


def add_own(survey: Survey, written: Written) -> dict[str, object]:
    """Return the landscape's own fields; patients get their numbers first."""
    request, question, landscape = survey.request, survey.asked, survey.found
    criteria = relevance(question)
    early = request.query_type == "preclinical"
    return {
        "query": request.query,
        "as_of": survey.as_of.isoformat(),
        "query_type": request.query_type,
        "indication_specific_results": list_patients(survey, written.cite),
        **_list_tables(survey, written.cite),
        "recent": list_recent(landscape.recent, written.cite),
        "publications": [
            PublicationRow(
                title=unmark(record.title),
                kind=record.kind,
                published_on=record.published_on,
                url=record.url,
                source_ids=written.cite.numbers([record.id]),
            )
            for record in landscape.publications
        ],
        "relevance_criteria": criteria,
        "relevance_criterion": criteria.preclinical if early else criteria.clinical,
        "runs": _list_runs(landscape.by_mode, survey.run_uuid),
        **dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0),
        "usage": UsageReport(),
        "parsed_query": show_query(question),
        "program_table": ProgramTable.of(
            "programs",
            [line for subject in landscape.shown for line in make_lines(subject, written.cite)],
        ),
        "completeness": show_completeness(lists_of(survey)),
        "source_report": landscape.groups,
        "excluded": [
            ExcludedRow(drug_name=drug.name, reason=drug.reason, source_ids=[])
            for drug in list_excluded(landscape.excluded)
        ],
        "standings": [
            StandingCount(standing=standing, n=sum(x.standing == standing for x in landscape.shown))
            for standing in STANDINGS
        ],
        "left_out": [
            LeftOutCount(reason=unmark(reason), n=len(names))
            for reason, names in group_left_out(landscape.excluded).items()
        ],
    }


def show_spent(fields: Mapping[str, Any], spend: Spend) -> dict[str, object]:
    """Return what was used of a language model; the first mode that was run has its tokens."""
    counts = {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "total_tokens": spend.total_tokens,
    }
    runs = fields["runs"]
    mode = "clinical" if runs.clinical.run_id else "preclinical"
    run = getattr(runs, mode).model_copy(update=counts)
    usage = UsageReport(by_mode=ModeUsage(**{mode: TokenCounts(**counts)}))
    if spend.calls:
        usage = usage.model_copy(
            update={spend.provider: ProviderUsage(calls=spend.calls, **counts)}
        )
    return {**counts, "runs": runs.model_copy(update={mode: run}), "usage": usage}


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
        return cite.numbers(record_ids[:MOST_CITED_OF_A_FIGURE])

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
        endpoint=unmark("; ".join(trial.primary_measures[:2]))[:200],
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


AS_READ = (
    *("mechanisms", "modalities", "lines", "stages", "biomarkers", "routes", "populations"),
    *("regions", "companies", "intents", "not_modalities", "not_stages", "not_routes"),
    *("not_companies", "not_regions"),
)
"""Fields of a query that are shown as they were read."""


def show_query(question: Asked) -> ParsedQuery:
    """Return how the query was understood."""
    query = question.query
    labels = {
        "targets": [target.text for target in query.targets],
        "not_targets": [target.text for target in query.not_targets],
        "adjacent_targets": [expression.text for expression in query.adjacent],
        "indications": [disease.label for disease in query.diseases],
        "not_indications": [disease.label for disease in query.not_diseases],
        "unknown_indications": [unmark(disease) for disease in query.unknown_diseases],
        "drugs": [drug.label for drug in query.drugs],
        "not_drugs": [drug.label for drug in query.not_drugs],
        "families": [
            f"{family.text}: {', '.join(family.gene_symbols)}" for family in query.families
        ],
        "nearest": [unmark(name) for name in question.nearest],
    }
    words = {name: list(getattr(query, name)) for name in AS_READ}
    return ParsedQuery(
        **labels,
        **words,
        unparsed=unmark(" ".join(query.words)),
        changes=[
            WordChange(said=unmark(change.said), meant=unmark(change.meant), why=change.why)
            for change in query.changes
        ],
        words=[
            WordRead(said=unmark(piece.said), became=piece.became, meant=unmark(piece.meant))
            for piece in query.pieces
        ],
    )
