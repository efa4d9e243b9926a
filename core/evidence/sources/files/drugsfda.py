"""Drugs@FDA: the zip of tab-separated tables, or a folder that holds some of them.

Site: fda.gov/drugs/drug-approvals-and-databases/drugsfda-data-files; United States government,
public domain; application numbers are strings with leading zeros.
"""

import io
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import UnreadableTable
from core.evidence.names.cleaning import clean_text
from core.evidence.names.companies import name_at_fda
from core.evidence.sources.files.forms.importers import Importer
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.tables.bounds import check_zip
from core.tables.rows import Row, SourceFile, read_lines, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

TENTATIVE = "tentative"
_OPEN = frozenset({"", "UNKNOWN", "N/A", "Unspecified", "NULL", "S"})
"""Words of the tables that tell nothing; "S" is any supplement."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission that the agency approved.

    Attributes:
        kind: ORIG or SUPPL.
        number: Its number within the application.
        day: YYYY-MM-DD of the action; "" where unknown.
        category: Class of the agency; "" where it has none.
        priority: PRIORITY, STANDARD and the like; "" where unknown.
        is_tentative: Whether the approval is tentative.
        line: Line of the table.
    """

    kind: str
    number: str
    day: str
    category: str
    priority: str
    is_tentative: bool
    line: int


def read_submission(row: Row, classes: Mapping[str, str], line: int) -> Submission:
    """Return a row of the table of submissions."""
    category = classes.get(row.get("SubmissionClassCodeID", "").strip(), "")
    priority = row.get("ReviewPriority", "").strip()
    return Submission(
        row["SubmissionType"].strip(),
        row.get("SubmissionNo", "").strip(),
        read_date(row["SubmissionStatusDate"]),
        "" if category in _OPEN else category,
        "" if priority in _OPEN else priority,
        row["SubmissionStatus"].strip() == "TA",
        line,
    )


def read_classes(rows: Iterator[tuple[int, Row]]) -> dict[str, str]:
    """Return the classes by their number in the table of submissions."""
    return {
        row["SubmissionClassCodeID"].strip(): clean_text(row["SubmissionClassCode"], 40)
        for _, row in rows
    }


def describe_submissions(
    submissions: Sequence[Submission], record_id: str, number: str, as_of: str
) -> Iterator[Fact]:
    """Yield a fact for each submission, the oldest first."""
    for submission in sorted(submissions, key=lambda submission: (submission.day, submission.line)):
        words = f"{submission.kind} {submission.number}".strip()
        yield Fact(
            record_id,
            number,
            Predicate.SUBMISSION,
            f"{words} ({TENTATIVE})" if submission.is_tentative else words,
            unit=submission.category,
            qualifiers=Qualifiers(
                region="FDA", time_point=submission.day, population=submission.priority
            ),
            as_of=as_of,
            locator=f"Submissions.txt:{submission.line}",
        )


LICENCE = "FDA, United States government, public domain"
_ADDRESS = (
    "https://www.accessdata.fda.gov/scripts/cder/daf/index.cfm?event=overview.process&ApplNo="
)
_MARKETING = {"1": "prescription", "2": "over the counter", "3": "discontinued", "4": "tentative"}


@dataclass
class Application:
    """What the agency says of one application.

    Attributes:
        products: Rows of its products (`DrugName`, `ActiveIngredient`).
        marketing: Marketing statuses of the products.
        submissions: Its approved submissions.
    """

    products: list[Row] = field(default_factory=list)
    marketing: set[str] = field(default_factory=set)
    submissions: list[Submission] = field(default_factory=list)

    @property
    def approved_on(self) -> str:
        """Return the day of the original approval; "" without one."""
        days = [
            submission.day
            for submission in self.submissions
            if submission.kind == "ORIG" and submission.day and not submission.is_tentative
        ]
        return min(days, default="")


def read_drugsfda(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an application.

    A folder without products and submissions says only who holds an application; that is a
    source of its own and does not replace what the whole tables say.

    Raises:
        UnreadableTable: There is no table of applications.
    """
    tables = _Tables(source)
    if "Applications.txt" not in tables.names:
        raise UnreadableTable(f"{source.name} holds no Applications.txt")
    known_applications = _collect(tables)
    for line, row in tables.rows("Applications.txt"):
        number = row.get("ApplNo", "")
        if not (number.isdecimal() and len(number) == 6):
            tables.report("Applications.txt", line, f"{clean_text(number, 20)!r} is no number")
            continue
        has_products = "Products.txt" in tables.names
        name = "drugsfda" if has_products else "drugsfda-holders"
        place = f"Applications.txt:{line}"
        yield describe_application(row, known_applications[number], tables.source, place, name)


def _collect(tables: "_Tables") -> dict[str, Application]:
    """Return products, first approval and marketing status by application number."""
    known_applications: dict[str, Application] = defaultdict(Application)
    for _, row in tables.rows("Products.txt"):
        known_applications[row["ApplNo"]].products.append(row)
    classes = read_classes(tables.rows("SubmissionClass_Lookup.txt"))
    for line, row in tables.rows("Submissions.txt"):
        known_applications[row["ApplNo"]].submissions.append(read_submission(row, classes, line))
    for _, row in tables.rows("MarketingStatus.txt"):
        known_applications[row["ApplNo"]].marketing.add(
            _MARKETING.get(row["MarketingStatusID"], "")
        )
    return known_applications


def describe_application(
    row: Row, application: Application, source: SourceFile, place: str, name: str = "drugsfda"
) -> Parsed:
    """Return the record of one application with its facts.

    Args:
        row: Its number, type and sponsor (`ApplNo`, `ApplType`, `SponsorName`).
        application: Products and submissions.
        source: Where it was read, and of which day that is.
        place: Place in the source.
        name: Short name of the source.
    """
    number, kind = row["ApplNo"], row.get("ApplType", "").strip()
    applicant = name_at_fda(clean_text(row.get("SponsorName", "")))
    brands = _values(application.products, "DrugName")
    ingredients = _values(application.products, "ActiveIngredient")
    record = Record(
        source=name,
        source_id=number,
        url=_ADDRESS + number,
        kind="approval_package",
        title=clean_text(f"{kind} {number}: {', '.join(brands)} ({'; '.join(ingredients)})"),
        published_on=application.approved_on,
        copied_on=source.as_of,
        fetched_at=source.fetched_at,
        licence=LICENCE,
        quote_allowed=True,
        origin=source.name,
        raw_ref=place,
        mentions=tuple(
            [Mention("drug", name, relation="ingredient") for name in ingredients]
            + [Mention("drug", name, relation="brand") for name in brands]
            + ([Mention("company", applicant, relation="applicant")] if applicant else [])
        ),
    )
    submissions = describe_submissions(application.submissions, record.id, number, record.copied_on)
    return Parsed(record, (*_facts(record, kind, application, applicant), *submissions))


def _facts(record: Record, kind: str, application: Application, applicant: str) -> Iterator[Fact]:
    stem = Fact(record.id, record.source_id, "", as_of=record.copied_on)
    if applicant:
        yield replace(
            stem, predicate=Predicate.APPLICATION_HOLDER, object=applicant, locator="SponsorName"
        )
    if kind:
        yield replace(stem, predicate=Predicate.APPLICATION_TYPE, object=kind, locator="ApplType")
    for status in _marketing(application.marketing):
        yield replace(
            stem, predicate=Predicate.MARKETING_STATUS, object=status, locator="MarketingStatus"
        )
    at_fda = Qualifiers(region="FDA")
    for ingredient in _values(application.products, "ActiveIngredient"):
        if application.approved_on:
            yield replace(
                stem,
                subject=ingredient,
                predicate=Predicate.APPROVED_ON,
                object=application.approved_on,
                qualifiers=at_fda,
                locator="Submissions ORIG AP",
            )
        for brand in _brands(application.products, ingredient):
            yield replace(
                stem,
                subject=ingredient,
                predicate=Predicate.HAS_ALIAS,
                object=brand,
                locator="DrugName",
            )


def _marketing(statuses: set[str]) -> list[str]:
    """Return the statuses of an application; it is discontinued only if all its products are.

    >>> _marketing({"discontinued", "prescription"}), _marketing({"discontinued", ""})
    (['prescription'], ['discontinued'])
    """
    marketed = statuses - {""}
    return sorted(marketed - {"discontinued"} or marketed)


def _values(products: list[Row], column: str) -> list[str]:
    return list(dict.fromkeys(filter(None, (clean_text(row[column]) for row in products))))


def _brands(products: list[Row], ingredient: str) -> list[str]:
    rows = [row for row in products if clean_text(row["ActiveIngredient"]) == ingredient]
    return [brand for brand in _values(rows, "DrugName") if brand != ingredient]


class _Tables:
    """The tables of a zip or of a folder."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self._archive: zipfile.ZipFile | None = None
        if source.path.is_dir():
            self.names = {path.name for path in source.path.glob("*.txt")}
            return
        try:
            self._archive = zipfile.ZipFile(source.path)
        except zipfile.BadZipFile:
            raise UnreadableTable(f"{source.name} is no zip archive") from None
        check_zip(self._archive, source.name)
        self.names = set(self._archive.namelist())

    def report(self, name: str, line: int, reason: str) -> None:
        """Note a damaged row of one of the tables."""
        self.source.report(line, f"{name}: {reason}")

    def rows(self, name: str) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a table; none when it is not there."""
        if name not in self.names:
            return
        lines = self._lines(name)
        member = replace(
            self.source,
            path=self.source.path / name,
            report=lambda line, reason: self.report(name, line, reason),
        )
        yield from read_table(member, lines, delimiter="\t")

    def _lines(self, name: str) -> Iterator[tuple[int, str]]:
        if self._archive is None:
            yield from read_lines(replace(self.source, path=self.source.path / name))
            return
        with self._archive.open(name) as member:
            text = io.TextIOWrapper(member, encoding="utf-8-sig", errors="surrogateescape")
            for number, line in enumerate(text, start=1):
                if line.strip():
                    yield number, line


def is_drugsfda(path: Path, head: str) -> bool:
    """Return whether a zip or folder holds the table of applications."""
    if path.is_dir():
        return (path / "Applications.txt").is_file()
    if path.suffix != ".zip" or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "Applications.txt" in archive.namelist()


IMPORTERS = (Importer("drugsfda", is_drugsfda, read_drugsfda),)
