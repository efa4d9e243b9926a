"""The facts behind the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agents.company_asset_searcher.drugs import OwnDrug
from core.evidence.proof.cells import Cell, cells_of_asset
from core.evidence.proof.citations import Citations
from core.evidence.proof.claims import unmark
from core.evidence.proof.fact_tables import read_facts, tabulate_facts
from core.evidence_ports import EvidenceReader
from core.records.evidence import Record
from core.records.evidence_sheets import FactTable
from core.vocabulary.predicates import Predicate

EVENT = "next event"
DATING = frozenset({Predicate.TRIAL_PRIMARY_COMPLETION, Predicate.TRIAL_STATUS, Predicate.IN_STAGE})
"""Facts that date an event ahead."""


def tabulate_behind(
    drugs: Sequence[OwnDrug],
    records: Mapping[str, Record],
    citations: Citations,
    evidence: EvidenceReader,
) -> FactTable:
    """Return the facts behind the rows, one line a fact.

    Args:
        drugs: The drugs that are listed.
        records: Records by id.
        citations: Numbers of records.
        evidence: The pack.
    """
    cells = {unmark(one.asset.name): _cells(one) for one in drugs}
    ids = {record_id for found in cells.values() for cell in found for record_id in cell.record_ids}
    facts = read_facts(sorted(ids), evidence)
    dates: dict[str, list[int]] = {}
    for number, fact in facts.items():
        if fact.predicate in DATING:
            dates.setdefault(fact.record_id, []).append(number)
    dated = {name: [_dated(one, dates) for one in found] for name, found in cells.items()}
    return tabulate_facts(dated, facts, records, citations)


def _dated(cell: Cell, dates: Mapping[str, Sequence[int]]) -> Cell:
    """Return the cell of an event with the facts that date it."""
    if cell.name != EVENT:
        return cell
    ids = tuple(one for record_id in cell.record_ids for one in dates.get(record_id, ()))
    return replace(cell, fact_ids=ids)


def _cells(drug: OwnDrug) -> list[Cell]:
    """Return the cells of a drug's row with what they rest on."""
    event, until = drug.catalyst, drug.protection
    cells = cells_of_asset(drug.asset, drug.asset.programs)
    if event.record_ids:
        said = f"{unmark(event.event)}, {event.date}"
        cells.append(Cell(EVENT, said, event.record_ids, rule="date and weight by rule"))
    if until and until.record_ids:
        days = (until.last_patent_on, until.last_exclusivity_on, until.biologic_until)
        said = f"protected until {max(days)}"
        cells.append(Cell("exclusivity", said, until.record_ids, until.fact_ids))
    return cells
