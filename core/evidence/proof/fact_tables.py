"""The facts behind the cells: what the record says, where in it, and by which rule it counts."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Citations, record_page
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact, Qualifiers, Record
from core.records.evidence_pack import FactQuery
from core.records.evidence_sheets import FactRow, FactTable, SourceRow, SourceTable
from core.records.sources import Source
from core.vocabulary.predicates import citable

MOST_FACTS_A_CELL = 8
_INDEX = re.compile(r"\[(\d+)\]")
"""An index of a JSON path, which would look like a citation."""


def read_facts(record_ids: Sequence[str], evidence: EvidenceReader) -> dict[int, Fact]:
    """Return the facts of records, but for figures, by their number in the pack."""
    query = FactQuery(record_ids=record_ids, predicates=citable())
    facts = evidence.facts(query) if record_ids else ()
    return {fact.id: fact.fact for fact in facts}


def tabulate_facts(
    cells: Mapping[str, Sequence[Cell]],
    facts: Mapping[int, Fact],
    records: Mapping[str, Record],
    citations: Citations,
) -> FactTable:
    """Return one line a fact, by drug in the order of the rows."""
    import pandas as pd

    rows = [
        row.model_dump()
        for drug, cells_of_drug in cells.items()
        for cell in cells_of_drug
        for row in _rows(drug, cell, facts, records, citations)
    ]
    frame = pd.DataFrame(rows, columns=list(FactRow.model_fields))
    return FactTable("facts", frame.drop_duplicates(ignore_index=True))


def _rows(
    drug: str,
    cell: Cell,
    facts: Mapping[int, Fact],
    records: Mapping[str, Record],
    citations: Citations,
) -> Iterator[FactRow]:
    """Yield the facts of a cell; where it names none, the records that it rests on."""
    known_facts = [
        facts[fact_id] for fact_id in cell.fact_ids[:MOST_FACTS_A_CELL] if fact_id in facts
    ]
    for fact in known_facts:
        record = records.get(fact.record_id)
        yield FactRow(
            drug_name=drug,
            cell=cell.name,
            statement=cell.text,
            predicate=fact.predicate,
            value=fact_value(fact),
            qualifiers=fact_qualifiers(fact.qualifiers),
            as_of=fact.as_of,
            locator=_INDEX.sub(r".\1", fact.locator),
            record_id=fact.record_id,
            url=(record.url if record else "") or record_page(fact.record_id),
            source_id=citations.number(fact.record_id),
            rule=cell.rule,
            is_expert=cell.is_expert,
        )
    for record_id in () if known_facts else cell.record_ids[:MOST_FACTS_A_CELL]:
        if record_id in records:
            yield _of_record(drug, cell, records[record_id], citations)


def _of_record(drug: str, cell: Cell, record: Record, citations: Citations) -> FactRow:
    return FactRow(
        drug_name=drug,
        cell=cell.name,
        statement=cell.text,
        predicate="",
        value=unmark(record.title),
        qualifiers="",
        as_of=record.told_on or record.published_on,
        locator="",
        record_id=record.id,
        url=record.url or record_page(record.id),
        source_id=citations.number(record.id),
        rule=cell.rule,
        is_expert=cell.is_expert,
    )


def fact_value(fact: Fact) -> str:
    """Return what a fact states, with its number and unit."""
    number = "" if fact.value is None else f"{fact.value:g} {fact.unit}".strip()
    return unmark(": ".join(component for component in (fact.object, number) if component))


def fact_qualifiers(qualifiers: Qualifiers) -> str:
    """Return for whom, where and when a fact holds, in words."""
    parts = [
        f"{name.replace('_', ' ')}: {getattr(qualifiers, name)}"
        for name in qualifiers.__dataclass_fields__
        if getattr(qualifiers, name)
    ]
    return unmark("; ".join(parts))


def list_sources(citations: Citations, records: Mapping[str, Record]) -> list[Source]:
    """Return the numbered sources; a title is a record's words and holds no citation."""
    return [
        source.model_copy(update={"title": unmark(source.title)})
        for source in citations.sources(records)
    ]


def tabulate_sources(sources: Sequence[Source]) -> SourceTable:
    """Return the sources as lines."""
    import pandas as pd

    rows = [SourceRow(**source.model_dump()).model_dump() for source in sources]
    return SourceTable("sources", pd.DataFrame(rows, columns=list(SourceRow.model_fields)))
