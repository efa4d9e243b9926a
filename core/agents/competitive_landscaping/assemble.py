"""Puts the answer together: sources get their numbers in the order in which a reader meets them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.agents.competitive_landscaping import crowding
from core.agents.competitive_landscaping import parts as parts_of
from core.agents.competitive_landscaping.completeness import read_lists, show_completeness
from core.agents.competitive_landscaping.gathering import Asked, Found
from core.agents.competitive_landscaping.groups import report_groups
from core.agents.competitive_landscaping.memo import Memo, check, compose, make_ground, render
from core.agents.competitive_landscaping.memo_input import MemoInput
from core.agents.competitive_landscaping.ranking import Mode, Ranked
from core.agents.competitive_landscaping.records import ExcludedRow, Narrative, UsageReport
from core.agents.competitive_landscaping.rows import cells_of, make_row
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.agents.competitive_landscaping.scope import Candidate
from core.agents.competitive_landscaping.tables import tabulate_drugs
from core.agents.competitive_landscaping.wording import relevance, warnings_of
from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import (
    list_sources,
    read_facts,
    tabulate_facts,
    tabulate_sources,
)
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact, Record
from core.records.evidence_sheets import FactTable
from core.workbench import RunContext


@dataclass(frozen=True)
class Landscape:
    """What was found, before it is written down.

    Attributes:
        asked: The request as understood.
        found: The drugs.
        ranked: The drugs by rank.
        by_mode: Drugs per mode that was run.
        cells: Cells per drug, by its key.
        memo: The memo's input.
        records: Records by id.
    """

    asked: Asked
    found: Found
    ranked: Sequence[Ranked]
    by_mode: Mapping[Mode, int]
    cells: Mapping[str, Sequence[Cell]]
    memo: MemoInput
    records: Mapping[str, Record]


def survey(
    asked: Asked,
    found: Found,
    ranked: Sequence[Ranked],
    by_mode: Mapping[Mode, int],
    evidence: EvidenceReader,
    as_of: date,
) -> Landscape:
    """Return what the drugs come to: cells, density, shares, events, with records and facts."""
    candidates = [one.candidate for one in ranked]
    cells = {one.asset.key: cells_of(one, found.scope) for one in candidates}
    shares = crowding.find_shares(candidates)
    ids = _records_named(ranked, cells)
    records = evidence.records(ids)
    memo = MemoInput(
        scope=found.scope,
        described=asked.described,
        ranked=ranked,
        events=crowding.find_events(ranked, as_of),
        places=crowding.find_density(candidates),
        shares=shares,
        hhi=crowding.concentration(shares),
        opens=crowding.find_open(candidates, as_of),
        lists=read_lists(found.scope, candidates, records),
        facts=dict(sorted((read_facts(ids, evidence) | _measured(candidates, found)).items())),
        as_of=as_of,
        n_excluded=len(found.excluded),
    )
    return Landscape(asked, found, ranked, by_mode, cells, memo, records)


def _measured(candidates: Sequence[Candidate], found: Found) -> dict[int, Fact]:
    """Return the figures of the records whose figures the drugs have, by their number."""
    shown = {one.record_id for each in candidates for one in each.asset.outcomes}
    return {number: one for number, one in found.figures.items() if one.record_id in shown}


def _records_named(ranked: Sequence[Ranked], cells: Mapping[str, Sequence[Cell]]) -> list[str]:
    """Return every record that a row, a trial or a figure may cite."""
    ids = [one for found in cells.values() for cell in found for one in cell.record_ids]
    for one in ranked:
        ids += one.candidate.asset.record_ids[:2]
        ids += [trial.record_id for trial in one.candidate.trials]
        ids += [outcome.record_id for outcome in one.candidate.asset.outcomes]
        ids += [
            record_id
            for program in one.candidate.programs
            for stage in program.stages
            for record_id in stage.statement.record_ids
        ]
    return sorted(set(ids))


def assemble(
    request: CompetitiveLandscapingRequest, land: Landscape, context: RunContext
) -> CompetitiveLandscapingData:
    """Return the answer; the memo is numbered first, then the rows, then the rest."""
    citations = Citations()
    memo = check(compose(land.memo), make_ground(land.memo, land.records))
    parts: dict[str, Any] = {
        "pipeline_summary": render(memo, citations),
        "memo": parts_of.list_sections(memo, citations),
        **_list_drugs(land, citations),
        "indication_specific_results": parts_of.list_patients(land.memo, land.records, citations),
        **parts_of.list_tables(land.memo, citations),
        "completeness": show_completeness(land.memo.lists),
        **_say_sources(request, land, memo),
    }
    sources = list_sources(citations, land.records)
    return CompetitiveLandscapingData(
        run_id=context.run_uuid,
        run_uuid=context.run_uuid,
        query_id=context.query_id,
        query=request.query,
        query_type=request.query_type,
        runs=parts_of.list_runs(land.by_mode, context.run_uuid),
        input_tokens=0,
        output_tokens=0,
        total_tokens=0,
        usage=UsageReport(),
        parsed_query=parts_of.show_query(land.asked),
        facts=_tabulate(land, citations),
        sources=sources,
        source_table=tabulate_sources(sources),
        narrative=Narrative(),
        **parts,
    )


def _list_drugs(land: Landscape, citations: Citations) -> dict[str, object]:
    """Return the rows, as records and as a flat table."""
    rows = [
        make_row(one, land.found.scope, land.cells[one.candidate.asset.key], citations)
        for one in land.ranked
    ]
    return {"drugs": rows, "drug_table": tabulate_drugs(rows)}


def _say_sources(
    request: CompetitiveLandscapingRequest, land: Landscape, memo: Memo
) -> dict[str, object]:
    """Return what was asked for, which sources answered, what was left out, what to beware of."""
    criteria = relevance(land.asked)
    groups = report_groups(request, land.found.held, land.found.hits)
    early = request.query_type == "preclinical"
    return {
        "relevance_criteria": criteria,
        "relevance_criterion": criteria.preclinical if early else criteria.clinical,
        "source_report": groups,
        "excluded": [
            ExcludedRow(drug_name=unmark(one.name), reason=unmark(one.reason), source_ids=[])
            for one in land.found.excluded
        ],
        "warnings": [
            *filter(None, [land.found.notice]),
            *warnings_of(request, land.asked, land.found, groups, memo.dropped),
        ],
    }


def _tabulate(land: Landscape, citations: Citations) -> FactTable:
    """Return the facts behind the rows."""
    cells = {one.candidate.asset.name: land.cells[one.candidate.asset.key] for one in land.ranked}
    return tabulate_facts(cells, land.memo.facts, land.records, citations)
