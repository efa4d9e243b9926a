"""Compounds, documents and owners as records of the answer."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.agents.compound_map.freedom import estimate_expiry
from core.agents.compound_map.mapping import Chart
from core.agents.compound_map.ranking import Ranked, group_skeletons, say_confidence
from core.agents.compound_map.reading import Generic, Reading, count_by_document
from core.agents.compound_map.records import (
    AssigneeRow,
    Compound,
    CompoundProperties,
    GenericDrawing,
    MemberLeftOut,
    MentionedPatent,
    Nearest,
    PatentLeftOut,
    PatentRow,
    Place,
)
from core.agents.compound_map.sample import Sample, legal_word, owner_key
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.records.patents import Chosen, PatentDocument

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
            claimed=compound.is_claimed,
            role=compound.played.role,
            role_reason=compound.played.reason,
            label=_label(compound),
            same_skeleton=[
                other
                for other in skeletons[compound.molecule.structure.skeleton]
                if other != compound.id
            ],
            scaffold=compound.scaffold,
            cluster=chart.clusters[number],
            xy=[float(value) for value in chart.points[number]],
            properties=CompoundProperties(
                molecular_weight=compound.properties.molecular_weight,
                clogp=compound.properties.clogp,
                tpsa=compound.properties.tpsa,
                hbd=compound.properties.h_donors,
                hba=compound.properties.h_acceptors,
                rotors=compound.properties.rotatable_bonds,
            ),
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


def _label(ranked: Ranked) -> str:
    return next((unmark(each.raw.label) for each in ranked.molecule.places if each.raw.label), "")


def _first_disclosed(ranked: Ranked, sample: Sample) -> Mapping[str, str]:
    dated = [
        (day, number)
        for number in ranked.molecule.documents
        if (day := sample.document(number).priority_on)
    ]
    day, number = min(dated, default=("", ""))
    return {"first_disclosed_on": day, "first_disclosed_in": number}


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
        assignee=unmark(next(iter(sample.owners_of([number])), "")),
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
        n_structures=len(delivered),
        n_compounds=counts[0].get(number, 0),
        n_claimed=counts[1].get(number, 0),
        n_crops=sample.crops.get(number, 0),
        sources_used=sorted({string.raw.method for string in delivered}),
        url=document.url,
        source_ids=[citations.cite(sample.source_of(number))],
    )


def describe_mentioned(sample: Sample, citations: Citations) -> list[MentionedPatent]:
    """Return the documents that only mention the target, at most 500."""
    return [
        MentionedPatent.model_validate(
            {
                "publication_number": mention.document.publication_number,
                "title": unmark(mention.document.title),
                "assignee": unmark(
                    next(iter(sample.owners_of([mention.document.publication_number])), "")
                ),
                "role": mention.role,
                "url": mention.document.url,
                "source_ids": [
                    citations.cite(sample.source_of(mention.document.publication_number))
                ],
            }
        )
        for mention in sample.mentioned[:MOST_LEFT_OUT]
    ]


def describe_left_out(sample: Sample) -> list[PatentLeftOut]:
    """Return the candidates that were not taken, at most 500."""
    return [
        PatentLeftOut(
            publication_number=dropped.document.publication_number,
            title=unmark(dropped.document.title),
            assignee=unmark(
                next(iter(sample.owners_of([dropped.document.publication_number])), "")
            ),
            reason=unmark(dropped.reason),
        )
        for dropped in sample.selection.dropped[:MOST_LEFT_OUT]
    ]


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
    spelled: dict[str, set[str]] = {}
    for document in (*sample.documents, *sample.candidates):
        for raw in document.assignees:
            spelled.setdefault(owner_key(raw), set()).add(raw)
    return [
        AssigneeRow(
            assignee=unmark(owner),
            patent_count=number,
            raw_names=sorted(unmark(raw) for raw in spelled.get(owner_key(owner), {owner})),
            candidate_count=max(candidates[owner], number),
            compound_count=drawn[owner],
        )
        for owner, number in sorted(patents.items(), key=lambda item: (-item[1], item[0]))
    ]
