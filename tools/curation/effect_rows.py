"""Rows of figures: effects of the pack's trials, and what labels of its drugs tell of their own."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from core.evidence.readers.diseases import Diseases
from core.evidence.sources.files.trial_results import BETWEEN
from core.evidence.sources.pack.files import Row
from core.evidence_ports import EvidenceReader
from core.records.evidence import Record
from core.records.evidence_pack import FactQuery, StoredFact
from core.vocabulary.predicates import Predicate
from tools.curation.sources import source_named

PORTION = 400
MOST_OF_A_RECORD = 4
LATE = ("PHASE3", "PHASE2_3", "PHASE2", "PHASE4")
LABEL = "label"
_ROLES = frozenset({"primary", "label", "report", "registry"})
_LONGEST = 190
_TRIAL = re.compile(r"NCT\d{8}")
MOST_HEADS = 2
"""Heads before a label's table that may name the disease: the trial's number, the section's."""


def effect_rows(
    trials: Sequence[Row], labels: Sequence[Row], evidence: EvidenceReader, diseases: Diseases
) -> Iterator[dict[str, str]]:
    """Yield the rows of figures, at most four of a record.

    Args:
        trials: Rows of the pack's trials.
        labels: Rows of its labels.
        evidence: Records of the sources that may fill rows.
        diseases: Reads the disease of a label's study.
    """
    of_trial = {row["nct_id"]: row["drug"] for row in trials if row["phase"] in LATE}
    query = FactQuery(subjects=sorted(of_trial), predicates=(Predicate.TRIAL_EFFECT,))
    facts = [one for one in evidence.facts(query) if one.fact.qualifiers.population in _ROLES]
    yield from _rows(facts, of_trial, evidence, diseases)
    of_label = {f"label:{row['number']}": row["drug"] for row in labels if row["register"] == LABEL}
    ids = sorted(of_label)
    for start in range(0, len(ids), PORTION):
        portion = ids[start : start + PORTION]
        query = FactQuery(record_ids=portion, predicates=(Predicate.LABEL_RESULT,))
        yield from _rows(evidence.facts(query), of_label, evidence, diseases)


def _rows(
    facts: Sequence[StoredFact],
    drugs: dict[str, str],
    evidence: EvidenceReader,
    diseases: Diseases,
) -> Iterator[dict[str, str]]:
    by_record: dict[str, list[StoredFact]] = defaultdict(list)
    for one in facts:
        by_record[one.fact.record_id].append(one)
    records = evidence.records(sorted(by_record))
    for record_id in sorted(by_record):
        for one in by_record[record_id][:MOST_OF_A_RECORD]:
            fact = one.fact
            drug = drugs.get(fact.subject) or drugs.get(record_id, "")
            if drug and record_id in records:
                yield {**_row(one, drug, records[record_id]), **_setting(one, diseases)}


def _setting(one: StoredFact, diseases: Diseases) -> dict[str, str]:
    """Return of whom a figure is, in names and numbers: no words of a label are copied."""
    said = one.fact.qualifiers
    told = {"indication": "", "line": said.line, "biomarker": said.biomarker}
    if one.fact.predicate == Predicate.TRIAL_EFFECT:
        return told
    number = _TRIAL.search(said.population)
    heads = "; ".join(said.population.split("; ")[:MOST_HEADS])
    found = diseases.in_texts([heads])[heads]
    told["indication"] = found[0].name if found else ""
    return {**told, "comparator": "", "arm": number[0] if number else ""}


def _row(one: StoredFact, drug: str, record: Record) -> dict[str, str]:
    fact, said = one.fact, one.fact.qualifiers
    is_of_trial = fact.predicate == Predicate.TRIAL_EFFECT
    arm, _, against = said.arm.partition(BETWEEN)
    told = {
        "number": record.id,
        "drug": drug,
        "trial": fact.subject if is_of_trial else "",
        "endpoint": fact.object,
        "value": f"{fact.value:g}",
        "unit": fact.unit,
        "arm": arm if is_of_trial else "",
        "comparator": against if is_of_trial else "",
        "n": said.n,
        "interval": said.interval,
        "time_point": said.time_point,
        "role": said.population if is_of_trial else "",
        "source_id": record.id,
        "source_url": record.url,
        "source_title": record.title,
        "source_locator": fact.locator,
        "as_of": record.told_on or record.published_on or source_named(record.source).as_of,
        "basis": "published",
        "status": "verified",
    }
    return {name: _short(words) for name, words in told.items()}


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + "\u2026"
