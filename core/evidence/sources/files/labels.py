"""US drug labels: openFDA label JSON (whole or in part), and SPL documents.

Sites: api.fda.gov/drug/label.json (CC0), dailymed.nlm.nih.gov. Only a record that carries a
whole label says that a boxed warning is absent; of a part, what is missing is unknown.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.label_changes import describe_changes, describe_studies
from core.evidence.readers.label_outcomes import read_label_outcomes
from core.evidence.sources.files.forms.importers import Importer, has_columns, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from core.tables.rows import SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

LICENCE = "openFDA and DailyMed, United States government, CC0"
SECTIONS = (
    "boxed_warning",
    "indications_and_usage",
    "contraindications",
    "warnings_and_cautions",
    "warnings",
    "adverse_reactions",
    "clinical_studies",
    "mechanism_of_action",
    "drug_interactions",
)
KEPT = (
    *SECTIONS,
    *("dosage_and_administration", "use_in_specific_populations", "pregnancy"),
    *("pediatric_use", "geriatric_use", "recent_major_changes"),
)
"""Sections whose text is kept: those by which a label is recognized, and those read where it is
known.
"""
WHOLE = ("indications_and_usage", "dosage_and_administration", "adverse_reactions")
"""Sections that every whole label has."""
AT_FDA = Qualifiers(region="FDA")
Json = Mapping[str, Any]


def read_labels(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a label."""
    for line, label in read_objects(source):
        names = label.get("openfda")
        if not isinstance(names, Mapping) or not any(section in label for section in SECTIONS):
            source.report(line, "no openfda names or no label section")
            continue
        drugs = label_drugs(names)
        if not drugs:
            source.report(line, "the label names no drug")
            continue
        yield describe_label(label, drugs, source, line)


def describe_label(label: Json, drugs: list[Mention], source: SourceFile, line: int) -> Parsed:
    """Return record and facts of a label.

    Args:
        label: Its sections, each a list of texts, and `openfda`.
        drugs: The drugs it names, ingredients first.
        source: The file.
        line: Where in the file.
    """
    names = label["openfda"]
    spans = [
        Span(section, text, 0, len(text))
        for section in KEPT
        for text in [clean_text(" ".join(_texts(label.get(section))))]
        if text
    ]
    updated_on = read_date(str(label.get("effective_time", "")))
    companies = [clean_text(name) for name in _texts(names.get("manufacturer_name"))]
    record = Record(
        source="label",
        source_id=_identify(label, drugs),
        url=_address(label),
        kind="regulatory_label",
        title=f"US label: {', '.join(_display(drugs))}",
        published_on=updated_on,
        updated_on=updated_on,
        **read_from(source, line, LICENCE),
        detail=2 if is_whole(label) else 1,
        spans=tuple(spans),
        mentions=(*drugs, *(Mention("company", name, relation="labeler") for name in companies)),
    )
    return Parsed(record, tuple(_facts(record, label, updated_on)))


def is_whole(label: Json) -> bool:
    """Return whether a record carries a whole label, so that a missing section is absent."""
    return all(label.get(section) for section in WHOLE)


def _facts(record: Record, label: Json, as_of: str) -> Iterator[Fact]:
    """Yield what the label says of its drug."""
    names = label["openfda"]
    drug = record.mentions[0].name
    values = [
        (Predicate.HAS_ALIAS, mention.name, mention.relation)
        for mention in record.mentions
        if mention.kind == "drug"
    ]
    values += [(Predicate.LABEL_UNII, code, "unii") for code in _texts(names.get("unii"))]
    values += [
        (Predicate.APPLICATION, code, "application_number")
        for code in [code for code in _texts(names.get("application_number")) if code]
    ]
    values += [
        (Predicate.HAS_CLASS, clean_text(c), "pharm_class_epc")
        for c in _texts(names.get("pharm_class_epc"))
    ]
    values += [
        (Predicate.ACTS_ON, clean_text(c), "pharm_class_moa")
        for c in _texts(names.get("pharm_class_moa"))
    ]
    sections = {span.section for span in record.spans}
    if is_whole(label):
        values.append((Predicate.LABEL_CARRIES, "whole", "sections"))
    if "boxed_warning" in sections:
        values.append((Predicate.HAS_BOXED_WARNING, "yes", "boxed_warning"))
    elif is_whole(label):
        values.append((Predicate.HAS_BOXED_WARNING, "no", "sections"))
    if "indications_and_usage" in sections:
        values.append((Predicate.APPROVED_LABEL, "yes", "indications_and_usage"))
    for predicate, words, locator in values:
        if words and not (predicate == Predicate.HAS_ALIAS and words == drug):
            yield Fact(
                record.id, drug, predicate, words, qualifiers=AT_FDA, as_of=as_of, locator=locator
            )
    yield from _of_sections(record, drug, as_of)


def _of_sections(record: Record, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield figures, studies and changes that sections tell."""
    for span in record.spans:
        if span.section in {"clinical_studies", "adverse_reactions"}:
            yield from read_label_outcomes(span, record.id, drug, as_of)
        if span.section == "clinical_studies":
            yield from describe_studies(span, record.id, drug, as_of)
        elif span.section == "recent_major_changes":
            yield from describe_changes(span, record.id, drug, as_of)


def label_drugs(names: Json) -> list[Mention]:
    """Return the drugs of a label: ingredients, generic name, brand."""
    mentions: dict[str, Mention] = {}
    for field, relation in (
        ("substance_name", "ingredient"),
        ("generic_name", "generic"),
        ("brand_name", "brand"),
    ):
        for text in _texts(names.get(field)):
            name = clean_text(text, 300)
            if name:
                mentions.setdefault(name.casefold(), Mention("drug", name, relation=relation))
    return list(mentions.values())


def _display(drugs: list[Mention]) -> list[str]:
    brands = [drug.name for drug in drugs if drug.relation == "brand"]
    others = [drug.name for drug in drugs if drug.relation != "brand"]
    return (brands[:2] + others[:3]) or [drugs[0].name]


def _identify(label: Json, drugs: list[Mention]) -> str:
    """Return the set id; a part without one is named by what it says."""
    if label.get("set_id"):
        return clean_text(str(label["set_id"]), 60)
    identity = repr([drug.name.casefold() for drug in drugs] + sorted(set(label) & set(SECTIONS)))
    return f"part-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"


def _address(label: Json) -> str:
    set_id = label.get("set_id")
    stem = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid="
    return stem + clean_text(str(set_id), 60) if set_id else ""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def read_label_table(source: SourceFile) -> Iterator[Parsed]:
    """Yield the indications of labels listed by active ingredients; only text, no facts."""
    for line, row in read_table(source):
        names = [clean_text(name, 300) for name in row.get("active_ingredients", "").split("|")]
        names = [name for name in names if name]
        text = clean_text(row.get("indications_text", ""))
        if not names or not text:
            source.report(line, "no ingredients or no indications")
            continue
        mark = hashlib.sha256("|".join(names).encode()).hexdigest()[:16]
        record = Record(
            source="label-indications",
            source_id=mark,
            url="",
            kind="regulatory_label",
            title=f"US label indications: {', '.join(names)[:200]}",
            **read_from(source, line, LICENCE),
            spans=(Span("indications_and_usage", text, 0, len(text)),),
            mentions=tuple(Mention("drug", name, relation="ingredient") for name in names),
        )
        fact = Fact(
            record.id,
            "|".join(names),
            Predicate.APPROVED_LABEL,
            "yes",
            qualifiers=AT_FDA,
            as_of=source.as_of,
            locator="indications_text",
        )
        yield Parsed(record, (fact,))


def is_label_file(path: Path, head: str) -> bool:
    """Return whether a file begins like openFDA label JSON."""
    return '"openfda"' in head and any(f'"{name}"' in head for name in (*SECTIONS, "set_id"))


IMPORTERS = (
    Importer("labels", is_label_file, read_labels),
    Importer(
        "label-indications", has_columns("active_ingredients", "indications_text"), read_label_table
    ),
)
