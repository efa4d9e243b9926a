"""What the readers of filings, grants and deals share: a dated record, and an amount as written."""

import re
from dataclasses import dataclass
from typing import Any

from core.records.evidence import Record, SourceType
from core.tables.rows import SourceFile

SEC_LICENCE = "SEC EDGAR, facts of filings"
ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
_PLAIN = re.compile(r"\d{1,15}(?:\.\d+)?")


@dataclass(frozen=True)
class Filed:
    """A row of a file as a record begins: where it stands and what it is.

    Attributes:
        source: The file.
        line: Place of the row, from 1.
        name: Short name of the source of records.
        kind: What sort of source it is.
        licence: Terms.
    """

    source: SourceFile
    line: int
    name: str
    kind: SourceType
    licence: str

    def record(self, number: str, title: str, day: str, **more: Any) -> Record:
        """Return the record of the row.

        Args:
            number: Its identifier at the source.
            title: Its title.
            day: When it was filed or awarded; "" where the source tells no day.
            **more: Further fields of the record.
        """
        fields: dict[str, Any] = {
            "source": self.name,
            "source_id": number,
            "url": "",
            "kind": self.kind,
            "title": title,
            "published_on": day,
            "updated_on": day,
            "copied_on": self.source.as_of,
            "fetched_at": self.source.fetched_at,
            "licence": self.licence,
            "origin": self.source.name,
            "raw_ref": f"{self.source.name}:{self.line}",
        }
        return Record(**{**fields, **more})


def filing_address(cik: str, number: str) -> str:
    """Return where a filing lies at EDGAR; "" without a number of the filer.

    >>> filing_address("0001234567", "0001234567-26-000001")
    'https://www.sec.gov/Archives/edgar/data/1234567/000123456726000001/'
    """
    if not cik.isdecimal():
        return ""
    return f"https://www.sec.gov/Archives/edgar/data/{int(cik)}/{number.replace('-', '')}/"


def read_amount(text: str) -> float | None:
    """Return an amount written in digits, with or without a dollar sign; None for anything else.

    >>> read_amount("$1,250.50"), read_amount("Indefinite"), read_amount("-3")
    (1250.5, None, None)
    """
    plain = text.strip().removeprefix("$").replace(",", "").strip()
    return float(plain) if _PLAIN.fullmatch(plain) else None
