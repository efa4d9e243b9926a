"""Puts the answer together: documents get their numbers first, then whatever cites besides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agents.compound_map.claims import gather_claims
from core.agents.compound_map.clinical import (
    Reference,
    find_nearest,
    list_reference,
    say_basis,
)
from core.agents.compound_map.columns import CompoundTable
from core.agents.compound_map.describing import (
    describe_assignees,
    describe_compounds,
    describe_generics,
    describe_left_out,
    describe_mentioned,
    describe_patents,
)
from core.agents.compound_map.finding import Asked
from core.agents.compound_map.freedom import cross_owners, describe_freedom, tell_time
from core.agents.compound_map.map_records import ClinicalBasis, Similarity
from core.agents.compound_map.mapping import Chart, SeriesFound, tabulate_pairs
from core.agents.compound_map.own import OwnRead, compare_own
from core.agents.compound_map.ranking import Ranked, is_sure
from core.agents.compound_map.reading import Reading
from core.agents.compound_map.records import Nearest, SourceAnswerRow
from core.agents.compound_map.sample import UPLOAD, Sample
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.agents.compound_map.wording import summarize, warn
from core.briefs.records import Narrative
from core.chemistry.similarity import FINGERPRINT, THRESHOLD
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import tabulate_sources
from core.evidence.sources.pack.notice import starter_notice
from core.records.evidence import Record
from core.records.sources import Source
from core.workbench import RunContext


@dataclass(frozen=True)
class Found:
    """All that was found, before it is written down."""

    asked: Asked
    sample: Sample
    reading: Reading
    compounds: Sequence[Ranked]
    chart: Chart
    series: SeriesFound
    reference: Reference
    own: OwnRead


def assemble(
    request: CompoundMapRequest, found: Found, context: RunContext, elapsed_s: float
) -> CompoundMapData:
    """Return the answer."""
    citations = Citations()
    for document in found.sample.documents:
        citations.cite(found.sample.source_of(document.publication_number))
    nearest = find_nearest(found.reference, found.chart.fingerprints)
    parts = {
        **_list_documents(found, citations),
        **_list_map(found, nearest, citations),
        **_compare(request, found, nearest, citations),
    }
    sources = list_sources(citations, found, context)
    return CompoundMapData(
        elapsed_s=round(elapsed_s, 3),
        n_selected=len(found.sample.documents),
        n_candidates=len(found.sample.candidates),
        n_compound_crops=sum(found.sample.crops.values()),
        n_smiles_raw=found.reading.funnel.raw,
        n_similarity_pairs=len(found.chart.pairs),
        funnel=found.reading.funnel,
        generic=describe_generics(found.reading.generics),
        patents_left_out=describe_left_out(found.sample),
        uploads=list(found.sample.uploads),
        series=list(found.series.series),
        r_groups=found.series.groups,
        matched_pairs=found.series.changes,
        sources=sources,
        source_table=tabulate_sources(sources),
        narrative=Narrative(),
        **_tell(request, found, context),
        **parts,
    )


def _tell(request: CompoundMapRequest, found: Found, context: RunContext) -> dict[str, object]:
    """Return what was asked for, and what to beware of."""
    notice = starter_notice(context.evidence) if found.reference.compounds else None
    warnings = warn(request, found.asked, found.sample, found.reading, found.chart, found.reference)
    names = found.asked.names.names if found.asked.names else ()
    return {
        "target": unmark(found.asked.symbol),
        "aliases": [unmark(name) for name in names],
        "seed": found.asked.seed,
        "warnings": [*warnings, *found.own.warnings, *filter(None, [notice])],
    }


def _list_documents(found: Found, citations: Citations) -> dict[str, object]:
    """Return the documents, their owners and what the sources of documents answered."""
    return {
        "patents": describe_patents(found.sample, found.reading, citations),
        "assignees": describe_assignees(found.sample, found.compounds),
        "mentioned_in": describe_mentioned(found.sample, citations),
        "source_report": [
            SourceAnswerRow(
                source=unmark(answer.source),
                origin=answer.origin,
                status=answer.status,
                asked_at=answer.asked_at,
                count=answer.count,
                message=unmark(answer.message),
            )
            for answer in found.sample.answers
        ],
    }


def _list_map(
    found: Found, near: Sequence[Nearest | None], citations: Citations
) -> dict[str, object]:
    """Return the compounds and how they lie to each other and to time and owners."""
    compounds = describe_compounds(found.compounds, found.chart, near, found.sample, citations)
    return {
        "compounds": compounds,
        "compound_table": CompoundTable.of("compounds", compounds),
        "n_sure": sum(is_sure(compound.score) for compound in found.compounds),
        "similarity": Similarity(
            pairs=tabulate_pairs(found.chart, found.compounds),
            fingerprint=FINGERPRINT,
            threshold=THRESHOLD,
            n_found=found.chart.n_pairs,
        ),
        "assignee_scaffolds": cross_owners(found.compounds, found.sample),
        "timeline": tell_time(found.compounds, found.sample, citations),
    }


def _compare(
    request: CompoundMapRequest,
    found: Found,
    near: Sequence[Nearest | None],
    citations: Citations,
) -> dict[str, object]:
    """Return clinical compounds, claims and own compounds, and what all of it comes to."""
    by_id: Mapping[str, Nearest | None] = {
        one.id: nearest for one, nearest in zip(found.compounds, near, strict=True)
    }
    freedom = describe_freedom(
        found.compounds, found.reading.generics, by_id, found.reference, found.sample, citations
    )
    summary = summarize(
        found.asked, found.sample, found.compounds, freedom, found.reference, citations
    )
    prints = found.chart.fingerprints
    numbers = [document.publication_number for document in found.sample.documents]
    claims = gather_claims(numbers, found.reading.generics, found.compounds)
    return {
        "clinical_basis": ClinicalBasis(
            status="full" if request.include_full_clinical_landscape else "local",
            message=say_basis(is_full=request.include_full_clinical_landscape),
            n_local=len(found.reference.compounds),
        ),
        "clinical_reference": list_reference(found.reference, found.compounds, prints, citations),
        "freedom_to_operate": freedom,
        "own_compounds": compare_own(
            found.own, found.compounds, prints, request.match_mode, claims, found.sample.documents
        ),
        "summary": summary,
    }


def list_sources(citations: Citations, found: Found, context: RunContext) -> list[Source]:
    """Return the numbered sources: records of the pack, live answers, files of the caller."""
    known: dict[str, Record] = dict(context.evidence.records(citations.cited))
    mentioned = (one.document for one in found.sample.mentioned)
    for one in (*found.sample.documents, *mentioned):
        key = found.sample.source_of(one.publication_number)
        title = one.title if one.source == UPLOAD else f"{one.publication_number}: {one.title}"
        record = known.get(key)
        known[key] = (
            replace(record, title=title)
            if record is not None
            else Record(one.source, one.publication_number, one.url, "patent", title)
        )
    return [
        each.model_copy(update={"title": unmark(each.title)}) for each in citations.sources(known)
    ]
