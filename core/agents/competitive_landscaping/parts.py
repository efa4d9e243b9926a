"""Parts of the answer with their sources: memo, patients, density, shares, events, query."""

from collections.abc import Callable, Mapping, Sequence

from core.agents.competitive_landscaping import crowding, patients
from core.agents.competitive_landscaping.gathering import Asked
from core.agents.competitive_landscaping.memo import Memo
from core.agents.competitive_landscaping.memo_input import MemoInput
from core.agents.competitive_landscaping.ranking import Mode
from core.agents.competitive_landscaping.records import (
    BiomarkerResult,
    Concentration,
    DensityCell,
    EndpointResult,
    IndicationResults,
    MemoClaim,
    MemoSection,
    ModeRun,
    ModeRuns,
    ParsedQuery,
    PatientSubset,
    ReadoutRow,
    SponsorShare,
    WhiteSpace,
)
from core.evidence.assets.roles import owners_of
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import render_claim, unmark
from core.evidence.proof.fact_tables import list_sources
from core.records.evidence import Record

MOST_PLACES = 60
MOST_OPEN = 20
MOST_EVENTS = 40


def list_sections(memo: Memo, citations: Citations) -> list[MemoSection]:
    """Return the memo's sections as records of the wire."""
    return [
        MemoSection(
            title=title,
            claims=[
                MemoClaim(
                    text=render_claim(claim, citations),
                    kind=claim.kind,
                    source_ids=[citations.cite(one) for one in claim.record_ids],
                )
                for claim in claims
            ],
        )
        for title, claims in memo.sections
        if claims
    ]


def list_patients(
    memo: MemoInput, records: Mapping[str, Record], citations: Citations
) -> IndicationResults:
    """Return what the trials in scope measure, and in whom."""
    trials = list(patients.own_trials(one.candidate for one in memo.ranked))
    biomarkers = patients.list_biomarkers(trials, citations)
    endpoints = patients.list_endpoints(trials, list(memo.facts.values()), citations)
    subsets = patients.list_subsets(trials, citations)
    rows: list[BiomarkerResult | EndpointResult | PatientSubset]
    rows = [*biomarkers, *endpoints, *subsets]
    used = {number for row in rows for number in row.source_ids}
    known = [one for one in list_sources(citations, records) if one.id in used]
    warnings = [] if trials else ["no_trials: no trial of a company is on record within this."]
    return IndicationResults(
        indication=memo.scope.label,
        biomarkers=biomarkers,
        clinical_endpoints=endpoints,
        patient_subsets=subsets,
        sources=known,
        warnings=warnings,
    )


def list_tables(memo: MemoInput, citations: Citations) -> dict[str, object]:
    """Return density, concentration, white space and events with their sources."""

    def cite(record_ids: Sequence[str]) -> list[str]:
        return sorted({citations.cite(one) for one in record_ids[:3]}, key=int)

    return {
        "density": [
            DensityCell(
                target=one.target,
                phase_band=one.band,
                indication=unmark(one.indication),
                count=len(one.drugs),
                drugs=list(one.drugs),
                source_ids=cite(one.record_ids),
            )
            for one in memo.places[:MOST_PLACES]
        ],
        "concentration": Concentration(
            hhi=memo.hhi,
            n_companies=len(memo.shares),
            top_sponsors=[
                SponsorShare(company=one.company, n=len(one.drugs), source_ids=cite(one.record_ids))
                for one in memo.shares[: crowding.MOST_SPONSORS]
            ],
        ),
        "white_space": [
            WhiteSpace(
                indication=unmark(one.indication),
                reason=one.reason,
                source_ids=cite(one.record_ids),
            )
            for one in memo.opens[:MOST_OPEN]
        ],
        "events": [_event(one, cite) for one in memo.events[:MOST_EVENTS]],
    }


def _event(event: crowding.Event, cite: Callable[[Sequence[str]], list[str]]) -> ReadoutRow:
    trial = event.trial
    return ReadoutRow(
        drug_name=event.candidate.asset.name,
        company="; ".join(owners_of(event.candidate.asset)),
        trial_id=trial.number,
        phase=trial.phase,
        expected_on=trial.primary_completion_on,
        endpoint=unmark("; ".join(trial.endpoints[:2]))[:200],
        indication=unmark(event.program.indication),
        source_ids=cite([trial.record_id]),
    )


def list_runs(by_mode: Mapping[Mode, int], run_uuid: str) -> ModeRuns:
    """Return what each mode came to; zeros and no run where it was not run."""
    found = {
        mode: ModeRun(drug_count=by_mode.get(mode, 0), run_id=run_uuid if mode in by_mode else "")
        for mode in ("clinical", "preclinical")
    }
    return ModeRuns(clinical=found["clinical"], preclinical=found["preclinical"])


def show_query(asked: Asked) -> ParsedQuery:
    """Return how the query was understood."""
    query = asked.query
    return ParsedQuery(
        targets=[one.text for one in query.targets],
        mechanisms=list(query.mechanisms),
        indications=[one.label for one in query.diseases],
        modalities=list(query.modalities),
        lines=list(query.lines),
        stages=list(query.stages),
        unparsed=unmark(" ".join(query.words)),
        drugs=[one.label for one in query.drugs],
        biomarkers=list(query.biomarkers),
        not_modalities=list(query.not_modalities),
        not_drugs=[one.label for one in query.not_drugs],
        nearest=[unmark(one) for one in asked.nearest],
    )
