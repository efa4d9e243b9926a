"""Form D data sets of the SEC: a quarter as a zip or a folder of tab-separated tables.

Site: sec.gov/data-research/sec-markets-data/form-d-data-sets; United States government work. The
shape is that of the published description of the tables (ISSUERS, OFFERING, FORMDSUBMISSION), not
checked against a quarter at hand. Kept are offerings of the sector alone: biotechnology,
pharmaceuticals and other health care; funds, real estate and the like are left out. Persons whom
a filing names are not read. The tables are read one after the other, so that memory holds only
what is kept.
"""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from core.errors import UnreadableTable
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import (
    ACCESSION,
    SEC_LICENCE,
    Filed,
    filing_address,
    read_amount,
)
from core.evidence.sources.files.forms.importers import Importer
from core.records.evidence import Fact, Mention, Parsed
from core.tables.bounds import BROKEN, ZipBounds, check_zip
from core.tables.rows import LONGEST_ROW, SourceFile, is_intact, open_text
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

SECTOR = frozenset({"biotechnology", "pharmaceuticals", "other health care"})
TABLES = ("OFFERING.tsv", "FORMDSUBMISSION.tsv", "ISSUERS.tsv")
_NUMBER = "ACCESSIONNUMBER"
Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Offering:
    """An offering that is kept.

    Attributes:
        group: Group of industry as filed.
        sold: Amount sold, in USD; None where the filing gives no number.
        sought: Amount offered, in USD; None where it is indefinite.
        first_sale_on: Day of the first sale; "" where it is yet to occur.
        filed_on: Day of the filing; "" until the table of submissions was read.
        form: D or D/A.
    """

    group: str
    sold: float | None
    sought: float | None
    first_sale_on: str
    filed_on: str = ""
    form: str = "D"


def read_form_d(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an offering of the sector, with its first issuer.

    Raises:
        UnreadableTable: A table is missing, or the archive holds too much.
    """
    with _opened(source) as tables:
        kept_offerings = dict(_read_offerings(source, tables[TABLES[0]]))
        for line, row in _rows(source, tables[TABLES[1]], TABLES[1], kept_offerings):
            offering = kept_offerings[row[_NUMBER]]
            day = read_date(row.get("FILING_DATE", "").title())
            if row.get("TESTORLIVE", "").casefold() == "test":
                del kept_offerings[row[_NUMBER]]
            elif not day:
                source.report(line, f"{TABLES[1]}: {row[_NUMBER]} has no day of filing")
            else:
                form = clean_text(row.get("SUBMISSIONTYPE", ""), 10) or offering.form
                kept_offerings[row[_NUMBER]] = replace(offering, filed_on=day, form=form)
        yield from _issuers(source, tables[TABLES[2]], kept_offerings)


Opening = Callable[[], TextIO]


def _read_offerings(source: SourceFile, opening: Opening) -> Iterator[tuple[str, _Offering]]:
    for line, row in _rows(source, opening, TABLES[0]):
        group = clean_text(row.get("INDUSTRYGROUPTYPE", ""), 60)
        if group.casefold() not in SECTOR:
            continue
        number = row[_NUMBER]
        if not ACCESSION.fullmatch(number):
            source.report(line, f"{TABLES[0]}: {clean_text(number, 25)!r} is no accession number")
            continue
        sold, sought = (row.get(name, "") for name in ("TOTALAMOUNTSOLD", "TOTALOFFERINGAMOUNT"))
        if sold and read_amount(sold) is None:
            source.report(line, f"{TABLES[0]}: amount sold {clean_text(sold, 20)!r} is no number")
            continue
        first = read_date(row.get("SALE_DATE", "").title())
        yield number, _Offering(group, read_amount(sold), read_amount(sought), first)


def _issuers(
    source: SourceFile, opening: Opening, kept_offerings: Mapping[str, _Offering]
) -> Iterator[Parsed]:
    seen: set[str] = set()
    for line, row in _rows(source, opening, TABLES[2], kept_offerings):
        number = row[_NUMBER]
        offering, name = kept_offerings[number], clean_text(row.get("ENTITYNAME", ""), 150)
        is_first = row.get("IS_PRIMARYISSUER_FLAG", "yes").strip().casefold() in {"yes", "true"}
        if number in seen or not is_first or not offering.filed_on:
            continue
        if not name:
            source.report(line, f"{TABLES[2]}: {number} has no name of its issuer")
            continue
        seen.add(number)
        yield _describe(Filed(source, line, "sec-form-d", "financing", SEC_LICENCE), row, offering)
    for number in sorted(kept_offerings.keys() - seen):
        if kept_offerings[number].filed_on:
            source.report(1, f"{TABLES[2]}: {number} has no first issuer")


def _describe(filed: Filed, row: Cells, offering: _Offering) -> Parsed:
    number, name = row[_NUMBER], clean_text(row["ENTITYNAME"], 150)
    record = filed.record(
        number,
        f"Form {offering.form} of {name}, {offering.filed_on}",
        offering.filed_on,
        url=filing_address(row.get("CIK", "").strip(), number),
        mentions=(Mention("company", name, relation="issuer"),),
    )
    stem = Fact(record.id, name, "", as_of=offering.filed_on, locator=f"ISSUERS.tsv:{filed.line}")
    days = (
        (Predicate.FILED_ON, offering.filed_on),
        (Predicate.FIRST_SALE_ON, offering.first_sale_on),
    )
    facts = [replace(stem, predicate=what, object=day) for what, day in days if day]
    facts[0] = replace(facts[0], unit=offering.form)
    facts.append(replace(stem, predicate=Predicate.INDUSTRY_GROUP, object=offering.group))
    amounts = ((Predicate.RAISED, offering.sold), (Predicate.RAISE_SOUGHT, offering.sought))
    facts += [
        replace(stem, predicate=what, value=value, unit="USD")
        for what, value in amounts
        if value is not None
    ]
    return Parsed(record, tuple(facts))


def _rows(
    source: SourceFile,
    opening: Opening,
    table: str,
    known_numbers: Mapping[str, object] | None = None,
) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a table, or those of kept filings alone; report rows cut short.

    Args:
        source: The file, for reports.
        opening: Opens the table.
        table: Its name.
        known_numbers: Accession numbers of interest; None for every row.
    """
    with opening() as text:
        header = text.readline(LONGEST_ROW).rstrip("\r\n").upper().split("\t")
        if _NUMBER not in header:
            raise UnreadableTable(f"{table} of {source.name} has no column {_NUMBER}")
        column, width = header.index(_NUMBER), len(header)
        try:
            for line, text_line in enumerate(text, start=2):
                cells = text_line.rstrip("\r\n").split("\t")
                if len(cells) != width:
                    if text_line.strip():
                        source.report(line, f"{table}: {len(cells)} columns instead of {width}")
                elif not is_intact(text_line):
                    source.report(line, f"{table}: not UTF-8")
                elif known_numbers is None or cells[column] in known_numbers:
                    yield line, dict(zip(header, cells, strict=True))
        except BROKEN:
            source.report(1, f"{table}: the compressed file breaks off")


@contextmanager
def _opened(source: SourceFile) -> Iterator[Mapping[str, Opening]]:
    """Give what opens each table, in a folder or a zip."""
    if source.path.is_dir():
        files = _find(source.path)
        _check(source, files)
        yield {name: lambda path=path: open_text(path) for name, path in files.items()}  # type: ignore[misc]
        return
    try:
        with zipfile.ZipFile(source.path) as archive:
            check_zip(archive, source.name, ZipBounds(largest=20 * 10**9))
            members = {Path(name).name: name for name in archive.namelist()}
            tables = {name: members[name] for name in TABLES if name in members}
            _check(source, tables)

            def opening(member: str) -> TextIO:
                return io.TextIOWrapper(
                    archive.open(member), encoding="utf-8-sig", errors="surrogateescape", newline=""
                )

            yield {name: lambda member=member: opening(member) for name, member in tables.items()}  # type: ignore[misc]
    except zipfile.BadZipFile as damage:
        raise UnreadableTable(f"{source.name} is a damaged archive: {damage}") from damage


def _find(folder: Path) -> dict[str, Path]:
    return {name: folder / name for name in TABLES if (folder / name).is_file()}


def _check(source: SourceFile, members: Mapping[str, object]) -> None:
    missing = [name for name in TABLES if name not in members]
    if missing:
        raise UnreadableTable(f"{source.name} holds no {', '.join(missing)}")


def is_form_d(path: Path, _head: str) -> bool:
    """Return whether a folder or zip holds the tables of Form D."""
    if path.is_dir():
        return TABLES[0] in _find(path)
    if path.suffix.lower() != ".zip" or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {TABLES[0], TABLES[1]} <= {Path(name).name for name in archive.namelist()[:50]}


IMPORTERS = (Importer("form-d", is_form_d, read_form_d, shape_basis="description"),)
