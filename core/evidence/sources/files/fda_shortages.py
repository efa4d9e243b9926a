"""FDA's list of drug shortages, as openFDA answers it: one record a presentation.

Site: api.fda.gov/drug/shortages.json; United States government, CC0. No answer was at hand: the
fields are those that a client of 2026 declares. None of them is an identifier, so that drug,
company and presentation together are.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

NAME = "fda-shortages"
LICENCE = "FDA, United States government, CC0"
PAGE = "https://api.fda.gov/drug/shortages.json"


def read_shortages(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a presentation that is or was short."""
    for line, entry in read_objects(source):
        number, drug = number_shortage(entry), _text(entry, "generic_name")
        day, status = _read_day(entry, "initial_posting_date"), _text(entry, "status").casefold()
        if not number or not day:
            source.report(line, "no shortage: no drug, no presentation or no day")
            continue
        company = _text(entry, "company_name")
        record = Record(
            source=NAME,
            source_id=number,
            url=PAGE,
            kind="regulatory_notice",
            title=clean_text(f"FDA shortage ({status or 'no status'}): {drug}", 200),
            published_on=day,
            updated_on=_read_day(entry, "update_date") or day,
            mentions=(
                Mention("drug", drug, relation="ingredient"),
                *((Mention("company", company, relation="holder"),) if company else ()),
            ),
            **read_from(source, line, LICENCE),
        )
        short = Fact(
            record.id,
            drug,
            Predicate.SHORT_SINCE,
            day,
            qualifiers=Qualifiers(region="FDA", population=status),
            as_of=source.as_of,
            locator="initial_posting_date",
        )
        yield Parsed(record, (short,))


def number_shortage(entry: Mapping[str, Any]) -> str:
    """Return what tells a presentation from the others; "" where a part of it is missing."""
    parts = [_text(entry, name) for name in ("generic_name", "company_name", "presentation")]
    return clean_text(" / ".join(parts), 250) if parts[0] and parts[2] else ""


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return clean_text(value, 300) if isinstance(value, str) else ""


def _read_day(entry: Mapping[str, Any], name: str) -> str:
    """Return a day that is written as 01/15/2025; "" for none."""
    try:
        return datetime.strptime(_text(entry, name), "%m/%d/%Y").date().isoformat()  # noqa: DTZ007
    except ValueError:
        return ""


def is_shortages(_path: Path, head: str) -> bool:
    """Return whether a file begins like an answer of openFDA on shortages."""
    return '"initial_posting_date"' in head and '"generic_name"' in head


IMPORTERS = (Importer("fda-shortages", is_shortages, read_shortages, shape_basis="description"),)
