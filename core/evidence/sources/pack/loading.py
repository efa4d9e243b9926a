"""Brings the starter pack into the evidence store, like any other file, whenever it changed."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from core.code_digest import READING, code_digest
from core.evidence.sources.pack.deals import deal_records
from core.evidence.sources.pack.fda_dates import fda_date_records
from core.evidence.sources.pack.own_records import DETAIL, LICENCE, ORIGIN, SOURCE, own_records
from core.evidence.sources.pack.reading import starter_version
from core.evidence.sources.pack.source_records import source_records
from core.evidence_ports import Evidence, EvidenceReader
from core.records.evidence import Parsed, Record
from core.records.evidence_pack import ImportedFile

TAKEN_OUT = "taken out of the starter pack"
_MOST = 100_000


def _kind() -> str:
    """Return the kind of file: what the tables come to depends on the code that reads them."""
    return f"starter-pack rules {code_digest(*READING)}"


def is_loaded(evidence: EvidenceReader) -> bool:
    """Return whether the store holds the starter pack as it is now."""
    stored_files = [file for file in evidence.files() if file.name == ORIGIN]
    return bool(stored_files) and (stored_files[-1].sha256, stored_files[-1].kind) == (
        starter_version(),
        _kind(),
    )


def load_starter(evidence: Evidence, now: datetime) -> int:
    """Write the records of the pack where the store lacks them; return how many came.

    What the pack no longer says is taken back: a drug of which nobody claims anything any more
    keeps an empty record, so that no question finds it.

    Args:
        evidence: The store.
        now: Instant of loading.
    """
    if is_loaded(evidence):
        return 0
    records = evidence.records(evidence.changed(SOURCE, "", limit=_MOST))
    with evidence.next_generation() as writer:
        came = writer.add(_own(records, now.date().isoformat()))
        came += writer.add(source_records())
        came += writer.add(deal_records())
        came += writer.add(fda_date_records())
        day = now.isoformat(timespec="seconds")
        writer.finish_file(ImportedFile(ORIGIN, _kind(), starter_version(), day, came, 0))
    return came


def _own(records: Mapping[str, Record], day: str) -> Iterator[Parsed]:
    """Yield what people know, then empty records for what was taken back.

    Args:
        records: What the store has of it.
        day: Day of loading.
    """
    seen: set[str] = set()
    for parsed in own_records():
        seen.add(parsed.record.id)
        record = records.get(parsed.record.id)
        if record and record.title == TAKEN_OUT:  # a state that was left is not known to the store
            yield replace(parsed, record=replace(parsed.record, published_on=day))
        else:
            yield parsed
    for record_id in sorted(records.keys() - seen):
        yield Parsed(
            Record(
                source=SOURCE,
                source_id=records[record_id].source_id,
                url="",
                kind="database_record",
                title=TAKEN_OUT,
                updated_on=records[record_id].updated_on,
                copied_on=records[record_id].copied_on,
                licence=LICENCE,
                origin=ORIGIN,
                detail=DETAIL,
            )
        )
