"""From a target to the compounds that its patents draw, and the map of them.

Compounds, documents and owners as records of the answer.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

from core.agents.compound_map.clinical import (
    Reference,
    choose_clinical,
    find_nearest,
    list_reference,
    names_of,
    read_reference,
    say_basis,
)
from core.agents.compound_map.columns import CompoundTable
from core.agents.compound_map.finding import (
    UPLOAD,
    Asked,
    Sample,
    find_sample,
    legal_word,
    understand,
)
from core.agents.compound_map.freedom import (
    cross_owners,
    describe_freedom,
    estimate_expiry,
    gather_claims,
    tell_time,
)
from core.agents.compound_map.mapping import (
    Chart,
    SeriesFound,
    chart_compounds,
    find_series,
    tabulate_pairs,
)
from core.agents.compound_map.named import (
    DrawnNames,
    deliver_names,
    draw_names,
    look_for_names,
    read_named,
)
from core.agents.compound_map.own import OwnRead, compare_own, read_own
from core.agents.compound_map.ranking import (
    Ranked,
    group_skeletons,
    is_sure,
    rank_compounds,
    say_confidence,
)
from core.agents.compound_map.reading import Generic, Reader, Reading, count_by_document
from core.agents.compound_map.records import (
    AssigneeRow,
    ClinicalBasis,
    Compound,
    CompoundProperties,
    GenericDrawing,
    MemberLeftOut,
    MentionedPatent,
    Nearest,
    PatentLeftOut,
    PatentRow,
    Place,
    Repair,
    Similarity,
    SourceAnswerRow,
)
from core.agents.compound_map.schema import CompoundMapData, CompoundMapRequest
from core.agents.compound_map.trust import read_basis
from core.agents.compound_map.uploads import add_uploads
from core.agents.compound_map.wording import summarize, warn
from core.briefs.records import Narrative
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import count_heteroatoms
from core.chemistry.similarity import FINGERPRINT, THRESHOLD
from core.code_digest import code_digest
from core.evidence.assets.clinical import clinical_compounds
from core.evidence.patents.pool import open_patents
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import tabulate_sources
from core.evidence.sources.pack.notice import starter_notice
from core.patent_ports import PatentPool
from core.records.evidence import Record
from core.records.patents import Chosen, ClinicalCompound, PatentDocument
from core.records.sources import Source
from core.workbench import RunContext

MOST_LEFT_OUT = 500
_UPLOADED = "your own document"


def describe_compounds(
    compounds: Sequence[Ranked],
    chart: Chart,
    nearest: Sequence[Nearest | None],
    sample: Sample,
    citations: Citations,
) -> list[Compound]:
    """Return the compounds by rank."""
    skeletons = group_skeletons(compounds)
    return [
        Compound(
            id=compound.id,
            smiles=compound.smiles,
            inchikey=compound.molecule.structure.inchikey,
            patents=[
                Place(
                    publication_number=each.raw.publication_number,
                    location=unmark(each.raw.location),
                    image_or_block=unmark(each.raw.block),
                    section=each.raw.section,
                    method=each.raw.method,
                )
                for each in compound.molecule.places
            ],
            extraction_method=compound.best.raw.method,
            confidence=say_confidence(compound.score),
            confidence_score=compound.score,
            witnesses=list(compound.trust.witnesses),
            doubts=list(compound.trust.doubts),
            repair=_describe_repair(compound),
            claimed=compound.is_claimed,
            role=compound.played.role,
            role_reason=compound.played.reason,
            label=next(
                (unmark(each.raw.label) for each in compound.molecule.places if each.raw.label), ""
            ),
            same_skeleton=[
                other
                for other in skeletons[compound.molecule.structure.skeleton]
                if other != compound.id
            ],
            scaffold=compound.scaffold,
            cluster=chart.clusters[number],
            xy=[float(value) for value in chart.points[number]],
            properties=CompoundProperties(**asdict(compound.properties)),
            assignees=sample.owners_of(compound.molecule.documents),
            **_first_disclosed(compound, sample),
            nearest_clinical=nearest[number],
            proof=next((each.proof for each in compound.molecule.places if each.proof), None),
            source_ids=[
                citations.cite(sample.source_of(each)) for each in compound.molecule.documents
            ],
        )
        for number, compound in enumerate(compounds)
    ]


def _describe_repair(compound: Ranked) -> Repair | None:
    drug = compound.trust.repair
    if drug is None:
        return None
    n_lost = count_heteroatoms(drug.smiles) - count_heteroatoms(compound.smiles)
    atoms = "a carbon in place of a heteroatom"
    if n_lost > 1:
        atoms = f"{n_lost} carbons in place of heteroatoms"
    reason = f"drawn with {atoms}; {drug.source_title}"
    return Repair(name=drug.drug, smiles=drug.smiles, inchikey=drug.inchikey, reason=reason)


def _first_disclosed(ranked: Ranked, sample: Sample) -> Mapping[str, str]:
    dated = [
        (day, number)
        for number in ranked.molecule.documents
        if (day := sample.document(number).priority_on)
    ]
    day, number = min(dated, default=("", ""))
    return {"first_disclosed_on": day, "first_disclosed_in": number}


def _first_owner(sample: Sample, number: str) -> str:
    return unmark(next(iter(sample.owners_of([number])), ""))


def describe_generics(generics: Sequence[Generic]) -> list[GenericDrawing]:
    """Return the drawings set apart."""
    return [
        GenericDrawing.model_validate(
            {
                "smiles": generic.smiles,
                "kind": generic.kind,
                "publication_number": generic.raw.publication_number,
                "location": unmark(generic.raw.location),
                "image_or_block": unmark(generic.raw.block),
                "section": generic.raw.section,
                "method": generic.raw.method,
                "n_places": generic.n_places,
            }
        )
        for generic in generics
    ]


def describe_patents(sample: Sample, reading: Reading, citations: Citations) -> list[PatentRow]:
    """Return the documents, those of the caller first."""
    drawn, claimed = count_by_document(reading.molecules)
    chosen = {choice.document.publication_number: choice for choice in sample.selection.chosen}
    return [
        _patent(
            document, chosen.get(document.publication_number), sample, (drawn, claimed), citations
        )
        for document in sample.documents
    ]


def _patent(
    document: PatentDocument,
    chosen: Chosen | None,
    sample: Sample,
    counts: tuple[Mapping[str, int], Mapping[str, int]],
    citations: Citations,
) -> PatentRow:
    number = document.publication_number
    delivered = sample.delivered.get(number, ())
    published = document.published_on or ""
    return PatentRow(
        publication_number=number,
        title=unmark(document.title),
        assignee=_first_owner(sample, number),
        year=int(published[:4]) if published[:4].isdigit() else None,
        family=document.family or number,
        why_selected=unmark(chosen.why_selected) if chosen else _UPLOADED,
        kind=document.kind,
        legal=legal_word(document),
        priority_on=document.priority_on or "",
        published_on=published,
        estimated_expiry_on=estimate_expiry(document),
        members_dropped=[
            MemberLeftOut(
                publication_number=dropped.publication_number,
                reason=unmark(dropped.reason),
            )
            for dropped in (chosen.members_dropped if chosen else ())
        ],
        mentions=list(document.mentions),
        named_as=unmark(document.named_as),
        action=sample.actions.get(number, ""),
        n_structures=len(delivered),
        n_compounds=counts[0].get(number, 0),
        n_claimed=counts[1].get(number, 0),
        n_crops=sample.crops.get(number, 0),
        sources_used=sorted({string.raw.method for string in delivered}),
        url=document.url,
        source_ids=[citations.cite(sample.source_of(number))],
    )


def describe_assignees(sample: Sample, compounds: Sequence[Ranked]) -> list[AssigneeRow]:
    """Return the owners of the sample, those of most documents first; applicants do not count."""
    patents = Counter(
        owner
        for document in sample.documents
        for owner in sample.owners_of([document.publication_number])
    )
    candidates = Counter(
        owner
        for candidate in sample.candidates
        for owner in sample.owners_of([candidate.publication_number])
    )
    drawn = Counter(
        owner for compound in compounds for owner in sample.owners_of(compound.molecule.documents)
    )
    return [
        AssigneeRow(
            assignee=unmark(owner),
            patent_count=number,
            raw_names=[unmark(raw) for raw in sample.owners[owner]],
            candidate_count=max(candidates[owner], number),
            compound_count=drawn[owner],
        )
        for owner, number in sorted(patents.items(), key=lambda item: (-item[1], item[0]))
    ]


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
    request: CompoundMapRequest, findings: Found, context: RunContext, elapsed_s: float
) -> CompoundMapData:
    """Return the answer."""
    citations = Citations()
    for document in findings.sample.documents:
        citations.cite(findings.sample.source_of(document.publication_number))
    nearest = find_nearest(findings.reference, findings.chart.fingerprints)
    parts = {
        **_list_documents(findings, citations),
        **_list_map(findings, nearest, citations),
        **_compare(request, findings, nearest, citations),
    }
    sources = list_sources(citations, findings, context)
    return CompoundMapData(
        elapsed_s=round(elapsed_s, 3),
        n_selected=len(findings.sample.documents),
        n_candidates=len(findings.sample.candidates),
        n_compound_crops=sum(findings.sample.crops.values()),
        n_smiles_raw=findings.reading.funnel.raw,
        n_similarity_pairs=len(findings.chart.pairs),
        funnel=findings.reading.funnel,
        generic=describe_generics(findings.reading.generics),
        patents_left_out=[
            PatentLeftOut(
                publication_number=dropped.document.publication_number,
                title=unmark(dropped.document.title),
                assignee=_first_owner(findings.sample, dropped.document.publication_number),
                reason=unmark(dropped.reason),
            )
            for dropped in findings.sample.selection.dropped[:MOST_LEFT_OUT]
        ],
        uploads=list(findings.sample.uploads),
        series=list(findings.series.series),
        r_groups=findings.series.groups,
        matched_pairs=findings.series.changes,
        sources=sources,
        source_table=tabulate_sources(sources),
        narrative=Narrative(),
        **_tell(request, findings, context),
        **parts,
    )


def _tell(request: CompoundMapRequest, findings: Found, context: RunContext) -> dict[str, object]:
    """Return what was asked for, and what to beware of."""
    notice = starter_notice(context.evidence) if findings.reference.compounds else None
    warnings = warn(
        request,
        findings.asked,
        findings.sample,
        findings.reading,
        findings.chart,
        findings.reference,
    )
    names = findings.asked.names.names if findings.asked.names else ()
    return {
        "target": unmark(findings.asked.symbol),
        "aliases": [unmark(name) for name in names],
        "seed": findings.asked.seed,
        "warnings": [*warnings, *findings.own.warnings, *filter(None, [notice])],
    }


def _list_documents(findings: Found, citations: Citations) -> dict[str, object]:
    """Return the documents, their owners and what the sources of documents answered."""
    return {
        "patents": describe_patents(findings.sample, findings.reading, citations),
        "assignees": describe_assignees(findings.sample, findings.compounds),
        "mentioned_in": [
            MentionedPatent.model_validate(
                {
                    "publication_number": mention.document.publication_number,
                    "title": unmark(mention.document.title),
                    "assignee": _first_owner(findings.sample, mention.document.publication_number),
                    "role": mention.played.role,
                    "reason": mention.played.reason,
                    "url": mention.document.url,
                    "source_ids": [
                        citations.cite(
                            findings.sample.source_of(mention.document.publication_number)
                        )
                    ],
                }
            )
            for mention in findings.sample.mentioned[:MOST_LEFT_OUT]
        ],
        "source_report": [
            SourceAnswerRow(
                source=unmark(answer.source),
                origin=answer.origin,
                status=answer.status,
                asked_at=answer.asked_at,
                count=answer.count,
                message=unmark(answer.message),
            )
            for answer in findings.sample.answers
        ],
    }


def _list_map(
    findings: Found, nearby_nearests: Sequence[Nearest | None], citations: Citations
) -> dict[str, object]:
    """Return the compounds and how they lie to each other and to time and owners."""
    compounds = describe_compounds(
        findings.compounds, findings.chart, nearby_nearests, findings.sample, citations
    )
    return {
        "compounds": compounds,
        "compound_table": CompoundTable.of("compounds", compounds),
        "n_sure": sum(is_sure(compound.score) for compound in findings.compounds),
        "similarity": Similarity(
            pairs=tabulate_pairs(findings.chart, findings.compounds),
            fingerprint=FINGERPRINT,
            threshold=THRESHOLD,
            n_found=findings.chart.n_pairs,
        ),
        "assignee_scaffolds": cross_owners(findings.compounds, findings.sample),
        "timeline": tell_time(findings.compounds, findings.sample, citations),
    }


def _compare(
    request: CompoundMapRequest,
    findings: Found,
    nearby_nearests: Sequence[Nearest | None],
    citations: Citations,
) -> dict[str, object]:
    """Return clinical compounds, claims and own compounds, and what all of it comes to."""
    by_id: Mapping[str, Nearest | None] = {
        compound.id: nearest
        for compound, nearest in zip(findings.compounds, nearby_nearests, strict=True)
    }
    freedom = describe_freedom(
        findings.compounds,
        findings.reading.generics,
        by_id,
        findings.reference,
        findings.sample,
        citations,
    )
    summary = summarize(
        findings.asked, findings.sample, findings.compounds, freedom, findings.reference, citations
    )
    prints = findings.chart.fingerprints
    numbers = [document.publication_number for document in findings.sample.documents]
    claims = gather_claims(numbers, findings.reading.generics, findings.compounds)
    return {
        "clinical_basis": ClinicalBasis(
            status="full" if request.include_full_clinical_landscape else "local",
            message=say_basis(is_full=request.include_full_clinical_landscape),
            n_local=len(findings.reference.compounds),
        ),
        "clinical_reference": list_reference(
            findings.reference, findings.compounds, prints, citations
        ),
        "freedom_to_operate": freedom,
        "own_compounds": compare_own(
            findings.own,
            findings.compounds,
            prints,
            request.match_mode,
            claims,
            findings.sample.documents,
        ),
        "summary": summary,
    }


def list_sources(citations: Citations, findings: Found, context: RunContext) -> list[Source]:
    """Return the numbered sources: records of the pack, live answers, files of the caller."""
    known_records: dict[str, Record] = dict(context.evidence.records(citations.cited))
    mentioned = (mention.document for mention in findings.sample.mentioned)
    for document in (*findings.sample.documents, *mentioned):
        key = findings.sample.source_of(document.publication_number)
        title = (
            document.title
            if document.source == UPLOAD
            else f"{document.publication_number}: {document.title}"
        )
        record = known_records.get(key)
        known_records[key] = (
            replace(record, title=title)
            if record is not None
            else Record(document.source, document.publication_number, document.url, "patent", title)
        )
    return [
        each.model_copy(update={"title": unmark(each.title)})
        for each in citations.sources(known_records)
    ]


STEP = "Read structures"
TOGETHER = 5
"""Documents whose strings are judged at once: enough for a second process, few for a bar."""


def run(request: CompoundMapRequest, context: RunContext) -> CompoundMapData:
    """Run the agent."""
    began = time.monotonic()
    question = understand(request, context)
    pool = open_patents(context.evidence, context.settings, context.now, context.rates)
    sample = find_sample(question, request, pool, context.resolver)
    context.progress("Find patents", 1, 1, f"{len(sample.documents)} of {len(sample.candidates)}")
    sample = add_uploads(sample, request, context)
    day = context.now.date()
    reference_compounds = clinical_compounds(
        question.symbol, context.evidence, context.resolver, day
    )
    chosen = choose_clinical(reference_compounds, is_full=request.include_full_clinical_landscape)
    notebook = Notebook(context.notes, code_digest("chemistry", "knowledge"))
    sample, reading, drawn = _read(sample, pool, chosen, notebook, context)
    basis = read_basis(sample, reading.molecules, pool)
    compounds = rank_compounds(reading.molecules, notebook, basis)
    reference = read_reference(chosen, drawn.smiles, drawn.ways)
    own_compounds = read_own(request, context)
    context.progress("Compare", 1, 1, f"{len(reference.compounds)} clinical compounds")
    chart = chart_compounds(compounds)
    series = find_series(compounds, notebook)
    context.progress("Map", 1, 1, f"{len(chart.pairs)} pairs")
    findings = Found(question, sample, reading, compounds, chart, series, reference, own_compounds)
    data = assemble(request, findings, context, time.monotonic() - began)
    context.progress("Write result", 1, 1, f"{len(data.sources)} sources")
    return data


def _read(
    sample: Sample,
    pool: PatentPool,
    reference_compounds: Sequence[ClinicalCompound],
    notebook: Notebook,
    context: RunContext,
) -> tuple[Sample, Reading, DrawnNames]:
    """Read the strings of all documents, then names where these told nothing."""
    reader = Reader(sample.families)
    total = max(len(sample.delivered), 1) + 1
    for done, number in enumerate(sample.delivered):
        if done % TOGETHER == 0:
            some = islice(sample.delivered.values(), done, done + TOGETHER)
            reader.prepare(some, notebook)
        reader.read(sample.delivered[number])
        context.progress(STEP, done + 1, total, number)
    places = look_for_names(sample, reader.covered, pool)
    drawn = draw_names(places, names_of(reference_compounds))
    sample = deliver_names(sample, places, drawn, reader)
    read_named(sample, places, reader.read)
    reading = reader.finish()
    context.progress(STEP, total, total, f"{len(reading.molecules)} compounds")
    return sample, reading, drawn
