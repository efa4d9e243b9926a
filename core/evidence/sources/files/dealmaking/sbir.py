"""Awards to small businesses (SBIR, STTR) as sbir.gov exports them.

Site: sbir.gov/data-resources; United States government work. The columns are those of the
published description of the export, not checked against a file at hand. Kept are awards of the
Department of Health and Human Services alone; contacts and investigators are not read.
"""

from collections.abc import Iterator

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import Filed, read_amount
from core.evidence.sources.files.forms.importers import Importer, has_columns
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Span
from core.tables.rows import Row, SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

LICENCE = "SBIR.gov awards, United States government, public domain"
AGENCIES = frozenset({"department of health and human services", "hhs"})
NEEDED = frozenset({"Company", "Award Title", "Agency", "Phase", "Program", "Award Amount"})


def read_awards(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an award of the sector."""
    for line, row in read_table(source):
        if row.get("Agency", "").strip().casefold() not in AGENCIES:
            continue
        company, title = clean_text(row["Company"], 150), clean_text(row["Award Title"], 400)
        number = clean_text(row.get("Contract") or row.get("Agency Tracking Number") or "", 60)
        if not company or not title or not number:
            source.report(line, "an award without company, title or number")
            continue
        if row["Award Amount"].strip() and read_amount(row["Award Amount"]) is None:
            text = clean_text(row["Award Amount"], 20)
            source.report(line, f"Award Amount {text!r} is no number")
            continue
        filed = Filed(source, line, "sbir", "grant", LICENCE)
        yield _describe(filed, row, (company, title, number))


def _describe(filed: Filed, row: Row, details: tuple[str, str, str]) -> Parsed:
    company, title, number = details
    phase = clean_text(f"{row['Program']} {row['Phase']}", 40)
    year = row.get("Award Year", "").strip()
    about = clean_text(row.get("Abstract", ""), 8_000)
    day = read_date(row.get("Proposal Award Date", ""))
    record = filed.record(
        clean_text(f"{number}/{phase}/{year}", 120),
        title,
        day,
        published_on=day or (year if year.isdecimal() else ""),
        spans=(Span("abstract", about, 0, len(about)),) if about else (),
        mentions=(Mention("company", company, relation="grantee"),),
    )
    amount = read_amount(row["Award Amount"])
    given = Fact(
        record.id,
        company,
        Predicate.GRANTED,
        clean_text(f"{phase} {number}", 110),
        value=amount,
        unit="USD" if amount is not None else "",
        qualifiers=Qualifiers(time_point=f"award year {year}" if year.isdecimal() else ""),
        as_of=day,
        locator=f"row {filed.line}",
    )
    return Parsed(record, (given,))


IMPORTERS = (Importer("sbir", has_columns(*NEEDED), read_awards, shape_basis="description"),)
