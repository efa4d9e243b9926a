"""The European Medicines Agency's lists beside that of medicines (CSV, JSON).

Orphan designations, referrals, letters to those who treat, shortages. Source: European Medicines
Agency, reuse with acknowledgement. The list of designations dates a change of holder as it dates
the designation; the number tells the year of the designation, and where both differ, it alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.ema import has_columns, read_rows
from core.evidence.sources.files.forms.importers import Importer, Reader, read_from
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, SourceType
from core.tables.rows import Row, SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

LICENCE = "European Medicines Agency, reuse with acknowledgement"
REGION = "EMA"
LONGEST_NAME = 50
_NO_NAME = re.compile(r"\b(?:containing|encod\w+|against|cells?|vector|extract|conjugated)\b|[(),]")
_DESIGNATION = re.compile(r"EU/3/(\d\d)/\d+")


@dataclass(frozen=True, slots=True)
class Listed:
    """What one of the lists is, and which of its columns tell what.

    Attributes:
        source: Of its records.
        kind: Of its records.
        title: What a record is called, with the columns in braces.
        names: Columns of drugs, each with its relation.
        updated: Column of the day of the last change.
        url: Column of the address.
        needs: Column without which a row tells nothing.
    """

    source: str
    kind: SourceType
    title: str
    names: Sequence[tuple[str, str]]
    updated: str
    url: str
    needs: str


ORPHANS = Listed(
    "ema-orphans",
    "regulatory_notice",
    "EU orphan designation {EU designation number}: {Intended use}",
    (("Active substance", "ingredient"), ("Medicine name", "brand")),
    "Last updated date",
    "Orphan designation URL",
    "EU designation number",
)
REFERRALS = Listed(
    "ema-referrals",
    "regulatory_notice",
    "EMA referral ({Referral type}): {Referral name}",
    (("International non-proprietary name (INN) / common name", "ingredient"),),
    "Last updated date",
    "Referral URL",
    "Referral name",
)
LETTERS = Listed(
    "ema-letters",
    "regulatory_notice",
    "EMA letter to healthcare professionals ({DHPC type}): {Name of medicine}",
    (("Active substances", "ingredient"), ("Name of medicine", "brand")),
    "Last updated date",
    "DHPC URL",
    "Name of medicine",
)
SHORTAGES = Listed(
    "ema-shortages",
    "regulatory_notice",
    "EMA shortage ({Supply shortage status}): {Medicine affected}",
    (
        ("International non-proprietary name (INN) or common name", "ingredient"),
        ("Medicine affected", "brand"),
    ),
    "Last updated date",
    "Shortage URL",
    "Medicine affected",
)
Tell = Callable[[Row, Fact], Iterator[Fact]]


def _reader(listed: Listed, tell: Tell) -> Reader:
    """Return what reads a list: one record a row."""

    def read(source: SourceFile) -> Iterator[Parsed]:
        for line, cells in read_rows(source, 2_000):
            if cells.get("Category", "Human") != "Human":
                continue
            number = cells.get(listed.url, "").rpartition("/")[2]
            if not cells.get(listed.needs) or not number:
                source.report(line, f"no {listed.needs} or no address")
                continue
            record = _record(listed, cells, number, source, line)
            subject = next((mention.name for mention in record.mentions), cells[listed.needs])
            at_ema = Qualifiers(region=REGION)
            stem = Fact(
                record.id,
                subject,
                "",
                qualifiers=at_ema,
                as_of=source.as_of,
                locator=f"line {line}",
            )
            yield Parsed(record, tuple(tell(cells, stem)))

    return read


def _record(listed: Listed, row: Row, number: str, source: SourceFile, line: int) -> Record:
    mentions = {
        name.casefold(): Mention("drug", name, relation=relation)
        for column, relation in listed.names
        for name in map(str.strip, row.get(column, "").split(";"))
        if name and len(name) <= LONGEST_NAME and not _NO_NAME.search(name)
    }
    return Record(
        source=listed.source,
        source_id=number[:150],
        url=row[listed.url],
        kind=listed.kind,
        title=clean_text(listed.title.format_map(row), 200),
        published_on=read_date(row.get("First published date", "")),
        updated_on=read_date(row.get(listed.updated, "")),
        **read_from(source, line, LICENCE, quote_allowed=False),
        mentions=tuple(mentions.values()),
    )


def _about(stem: Fact, predicate: Predicate, day: str, **told: str) -> Fact:
    return replace(
        stem, predicate=predicate, object=day, qualifiers=replace(stem.qualifiers, **told)
    )


def tell_orphan(row: Row, stem: Fact) -> Iterator[Fact]:
    """Yield an orphan designation with what it is for; one that was refused is told as such."""
    number = _DESIGNATION.search(row["EU designation number"])
    day = read_date(row.get("Date of designation / refusal", ""))
    is_refused = row.get("Status") == "Negative"
    if number:
        day = designated_on(day, f"20{number[1]}")
    if not day:
        return
    use = {"indication": row.get("Intended use", "")[:300]}
    if is_refused:
        yield _about(
            stem, Predicate.DECIDED_ON, day, population="orphan designation refused", **use
        )
        return
    status = row.get("Status", "").casefold()
    yield replace(
        _about(stem, Predicate.DESIGNATED_ON, day, population="orphan", **use), unit=status
    )


def designated_on(day: str, year: str) -> str:
    """Return the day of a designation, or its year alone where the day is of something later.

    >>> designated_on("2020-10-19", "2020"), designated_on("2025-02-11", "2016")
    ('2020-10-19', '2016')
    """
    is_next = day[:7] == f"{int(year) + 1}-01"  # numbered in December, published in January
    return day if day[:4] == year or is_next else year


def tell_referral(row: Row, stem: Fact) -> Iterator[Fact]:
    """Yield the steps of a referral that have a day."""
    for column, step in (
        ("Procedure start date", "referral started"),
        ("PRAC recommendation date", "PRAC recommendation"),
        ("CMDh position date", "CMDh position"),
        ("CHMP/CVMP opinion date", "CHMP opinion"),
        ("European Commission decision date", "European Commission decision"),
    ):
        day = read_date(row.get(column, ""))
        if day:
            kind = row.get("Referral type", "")
            yield _about(stem, Predicate.DECIDED_ON, day, population=f"{step} ({kind})")


def tell_letter(row: Row, stem: Fact) -> Iterator[Fact]:
    """Yield the day of a letter with its reason."""
    day = read_date(row.get("Dissemination date", ""))
    if day:
        yield _about(stem, Predicate.SAFETY_LETTER_ON, day, population=row.get("DHPC type", ""))


def tell_shortage(row: Row, stem: Fact) -> Iterator[Fact]:
    """Yield since when a medicine is short, with its status."""
    day = read_date(row.get("Start of shortage date", ""))
    if day:
        status = row.get("Supply shortage status", "").casefold()
        yield _about(stem, Predicate.SHORT_SINCE, day, population=status)


IMPORTERS = (
    Importer(
        "ema-orphans",
        has_columns("EU designation number", "Intended use"),
        _reader(ORPHANS, tell_orphan),
    ),
    Importer(
        "ema-referrals",
        has_columns("Referral name", "Referral type", "Procedure start date"),
        _reader(REFERRALS, tell_referral),
    ),
    Importer(
        "ema-letters", has_columns("DHPC type", "Dissemination date"), _reader(LETTERS, tell_letter)
    ),
    Importer(
        "ema-shortages",
        has_columns("Medicine affected", "Supply shortage status"),
        _reader(SHORTAGES, tell_shortage),
    ),
)
