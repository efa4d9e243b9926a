"""FDA's Purple Book (biologics), Orange Book (patents, exclusivities) and decision lists.

Sites: purplebooksearch.fda.gov/downloads (monthly CSV), fda.gov Orange Book data files (monthly,
`~` between columns); United States government, public domain.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.drugsfda import LICENCE
from core.evidence.sources.files.forms.importers import Importer, begins, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.tables.rows import Row, SourceFile, read_lines, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

AT_FDA = Qualifiers(region="FDA")
_ENDED = ("Disc", "Voluntarily Revoked", "Revoked", "Withdrawn")


def read_purple_book(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a license from the full list, which follows the block of changes."""
    start = max(
        (number for number, line in read_lines(source) if line.startswith("N/R/U,")), default=0
    )
    lines = ((number, line) for number, line in read_lines(source) if number >= start)
    licenses: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    for line, row in read_table(source, lines):
        number = row.get("BLA Number", "").strip()
        if not number.isdecimal():
            source.report(line, f"{clean_text(number, 20)!r} is no BLA number")
            continue
        licenses[number].append((line, row))
    for number, rows in licenses.items():
        yield _describe_license(number, rows, source)


def past_date(text: str, as_of: str) -> str:
    """Return a date of two-digit year; what would lie after the file belongs to 1900-1999.

    >>> past_date("11-Jul-30", "2026-03"), past_date("5-Apr-16", "2026-03")
    ('1930-07-11', '2016-04-05')
    """
    day = read_date(text)
    if day and as_of and day[: len(as_of)] > as_of:
        return f"{int(day[:4]) - 100}{day[4:]}"
    return day


def _describe_license(number: str, rows: list[tuple[int, Row]], source: SourceFile) -> Parsed:
    line, first = rows[0]
    proper = _distinct(rows, "Proper Name")
    brands = _distinct(rows, "Proprietary Name")
    applicant = clean_text(first["Applicant"])
    record = Record(
        source="purplebook",
        source_id=f"BLA{number}",
        url="https://purplebooksearch.fda.gov/",
        kind="approval_package",
        title=f"BLA {number}: {', '.join(brands)} ({', '.join(proper)})",
        **read_from(source, line, LICENCE),
        mentions=tuple(
            [Mention("drug", name, relation="ingredient") for name in proper]
            + [Mention("drug", name, relation="brand") for name in brands]
            + [Mention("company", applicant, relation="applicant")]
        ),
    )
    return Parsed(record, tuple(_license_facts(record, rows, source)))


def _license_facts(
    record: Record, rows: list[tuple[int, Row]], source: SourceFile
) -> Iterator[Fact]:
    stem = Fact(record.id, record.source_id, "", as_of=source.as_of)
    for word, column in (
        (Predicate.APPLICATION_HOLDER, "Applicant"),
        (Predicate.APPLICATION_TYPE, "BLA Type"),
        (Predicate.MARKETING_STATUS, "Marketing Status"),
    ):
        for text in _standing(_distinct(rows, column)):
            yield replace(stem, predicate=word, object=text, locator=column)
    for name in _distinct(rows, "Proper Name"):
        mine = [(line, row) for line, row in rows if clean_text(row["Proper Name"]) == name]
        about = replace(stem, subject=name)
        days = [past_date(row["Approval Date"], source.as_of) for _, row in mine]
        day = min(filter(None, days), default="")
        if day:
            yield replace(
                about,
                predicate=Predicate.APPROVED_ON,
                object=day,
                qualifiers=AT_FDA,
                locator="Approval Date",
            )
        for brand in _distinct(mine, "Proprietary Name"):
            yield replace(
                about, predicate=Predicate.HAS_ALIAS, object=brand, locator="Proprietary Name"
            )
        if mine[0][1]["BLA Type"].startswith("351(k)"):
            for reference in _distinct(mine, "Ref. Product Proper Name"):
                yield replace(
                    about,
                    predicate=Predicate.BIOSIMILAR_OF,
                    object=reference,
                    locator="Ref. Product Proper Name",
                )
        yield from _exclusivities(about, mine)


def _standing(statuses: Sequence[str]) -> list[str]:
    """Return the statuses of a license; it has ended only if it has for all its products.

    >>> _standing(["Disc", "Rx"]), _standing(["Disc"]), _standing(["Voluntarily Revoked"])
    (['Rx'], ['Disc'], ['Voluntarily Revoked'])
    """
    return [status for status in statuses if not status.startswith(_ENDED)] or list(statuses)


def _exclusivities(about: Fact, rows: list[tuple[int, Row]]) -> Iterator[Fact]:
    for column in (
        "Exclusivity Expiration Date",
        "Ref. Product Exclusivity Exp. Date",
        "Orphan Exclusivity Exp. Date",
    ):
        for code in _distinct(rows, column):
            day = read_date(code)
            if day:
                yield replace(
                    about,
                    predicate=Predicate.EXCLUSIVITY_UNTIL,
                    object=day,
                    qualifiers=AT_FDA,
                    locator=column,
                )


def _distinct(rows: list[tuple[int, Row]], column: str) -> list[str]:
    """Return the values of a column; "N/A" is none."""
    texts = dict.fromkeys(clean_text(row.get(column, "")) for _, row in rows)
    return [value for value in texts if value and value != "N/A"]


def read_orange_book(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an application with its patents or its exclusivities."""
    applications: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    for line, row in read_table(source, delimiter="~"):
        kind, number = row.get("Appl_Type", ""), row.get("Appl_No", "")
        if kind not in {"N", "A"} or not (number.isdecimal() and len(number) == 6):
            source.report(line, "no application type and number")
            continue
        applications[f"{kind}{number}"].append((line, row))
    for number, rows in applications.items():
        yield _describe_patents(number, rows, source)


def _describe_patents(number: str, rows: list[tuple[int, Row]], source: SourceFile) -> Parsed:
    is_patents = "Patent_No" in rows[0][1]
    what = "patents" if is_patents else "exclusivities"
    record = Record(
        source=f"orangebook-{what}",
        source_id=number,
        url="https://www.accessdata.fda.gov/scripts/cder/ob/",
        kind="database_record",
        title=f"Orange Book {what} of application {number}",
        **read_from(source, rows[0][0], LICENCE),
    )
    names = ("Patent_No", "Patent_Expire_Date_Text") if is_patents else _EXCLUSIVITY
    facts: dict[tuple[str, str], Fact] = {}
    for line, row in rows:
        patent_number, day = row[names[0]].strip(), read_date(row[names[1]])
        if not patent_number or not day:
            source.report(line, "no number or no date")
            continue
        fact = Fact(
            record.id,
            number[1:],
            Predicate.PATENT_LISTED if is_patents else Predicate.EXCLUSIVITY_UNTIL,
            patent_number,
            qualifiers=Qualifiers(region="FDA", time_point=day),
            as_of=source.as_of,
            locator=f"line {line}",
        )
        facts.setdefault((patent_number, day), fact)
    return Parsed(record, tuple(facts.values()))


_EXCLUSIVITY = ("Exclusivity_Code", "Exclusivity_Date")


def read_decisions(source: SourceFile) -> Iterator[Parsed]:
    """Yield FDA decisions; what the list says of tickers is left out."""
    for line, event in read_objects(source):
        number = str(event.get("application_number", ""))
        day = read_date(str(event.get("decision_date", "")))
        drug = clean_text(str(event.get("drug_name", "")))
        if not (number[:3].isalpha() and number[3:].isdecimal() and day and drug):
            source.report(line, "no application number, drug or date")
            continue
        record = Record(
            source="fda-decisions",
            source_id=f"{number}-{day}-{clean_text(str(event.get('event_id', '')), 20)}",
            url="https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm"
            f"?event=overview.process&ApplNo={number[3:]}",
            kind="regulatory_notice",
            title=f"{number}: decision on {drug}",
            published_on=day,
            updated_on=day,
            fetched_at=source.fetched_at,
            licence=LICENCE,
            quote_allowed=True,
            origin=source.name,
            raw_ref=f"{source.name}:{line}",
            mentions=(Mention("drug", drug, relation="brand"),),
        )
        fact = Fact(
            record.id,
            drug,
            Predicate.EVENT,
            clean_text(
                f"{event.get('decision_outcome', '')} {event.get('submission_sub_type', '')}"
            ),
            qualifiers=AT_FDA,
            as_of=day,
            locator="decision_outcome",
        )
        yield Parsed(record, (fact,))


IMPORTERS = (
    Importer("purple-book", begins("BLA Number", "Proper Name", "BLA Type"), read_purple_book),
    Importer(
        "orange-book-patents", begins("Appl_Type~Appl_No~Product_No~Patent_No"), read_orange_book
    ),
    Importer(
        "orange-book-exclusivities",
        begins("Appl_Type~Appl_No~Product_No~Exclusivity_Code"),
        read_orange_book,
    ),
    Importer("fda-decisions", begins('"historical_regulatory_events.v1"'), read_decisions),
)
