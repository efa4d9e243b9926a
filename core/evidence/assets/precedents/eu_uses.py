"""Uses of EU product information: the indications of the EMA's list, clause by clause."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.evidence.assets.precedents.labels import ingredients_of
from core.evidence.assets.precedents.traits import names_of_diseases, read_traits
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import diseases_of
from core.evidence.readers.label_uses import read_use
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.records.precedents import LabelUse
from core.vocabulary.predicates import Predicate

SECTION = "indications"
_AUTHORIZED = "authorised"
_SENTENCE = re.compile(r"\n+|(?<=[.;])\s+(?=[A-Z])")
_IS_USE = re.compile(
    r"indicat|treatment|prevent|prophyla|immuni[sz]|patients|adults", re.IGNORECASE
)
LEAST_CLAUSE = 40
"""Characters of a clause that states a use; the starter pack has names of diseases alone."""


def read_eu_uses(
    keys: frozenset[str], evidence: EvidenceReader, resolver: Resolver
) -> Iterator[LabelUse]:
    """Yield the uses of authorized medicines of the EMA's list that lie in some diseases."""
    clauses = list(_read_clauses(keys, evidence, resolver))
    named = diseases_of(resolver).in_texts(text for _, text in clauses)
    found = [
        (record_id, text, [one for one in named[text] if one.key])
        for record_id, text in clauses
        if keys & {one.key for one in named[text]}
    ]
    ids = sorted({record_id for record_id, *_ in found})
    records, mentions = evidence.records(ids), evidence.mentions(ids)
    drugs = {one: ingredients_of(mentions.get(one, ())) for one in ids}
    traits = read_traits(
        sorted({name for each in drugs.values() for name in each}), evidence, resolver
    )
    for record_id, text, diseases in found:
        targets, kinds = traits.of(drugs[record_id])
        record = records[record_id]
        yield LabelUse(
            record_id=record_id,
            title=_title(record.title),
            drugs=drugs[record_id],
            disease_keys=tuple(one.key for one in diseases),
            diseases=tuple(one.name for one in diseases),
            use=replace(read_use(text), text=text),
            is_read=True,
            targets=targets,
            modalities=kinds,
            approved_on=record.published_on,
            as_of=record.updated_on or record.copied_on,
        )


def _read_clauses(
    keys: frozenset[str], evidence: EvidenceReader, resolver: Resolver
) -> Iterator[tuple[str, str]]:
    """Yield the clauses of authorized medicines that name one of the diseases, by record."""
    query = FactQuery(sources=("ema",), predicates=(Predicate.MARKETING_STATUS,))
    ids = sorted(
        {one.fact.record_id for one in evidence.facts(query) if one.fact.object == _AUTHORIZED}
    )
    names = [name.casefold() for name in names_of_diseases(sorted(keys), resolver) if len(name) > 2]
    for record_id, spans in evidence.passages(ids, (SECTION,)).items():
        text = " ".join(span.text for span in spans)
        if not any(name in text.casefold() for name in names):
            continue
        lead = ""
        for clause in filter(None, map(str.strip, _SENTENCE.split(text))):
            if len(clause) >= LEAST_CLAUSE and _IS_USE.search(clause):
                yield record_id, clause
            elif _IS_USE.search(lead + clause):
                yield record_id, f"{lead} {clause}".strip()
            lead = clause if len(clause) < LEAST_CLAUSE else ""


def _title(title: str) -> str:
    """Return brand and substances of a record's title.

    >>> _title("EMA EMEA/H/C/000603: Tysabri (natalizumab)")
    'Tysabri, natalizumab'
    """
    return title.partition(": ")[2].replace(" (", ", ").rstrip(")")
