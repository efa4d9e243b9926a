"""Submissions to an application of Drugs@FDA: original or supplement, class, priority, day.

A submission is told with the words of the agency's own lookup tables; a class or priority that is
"unknown", "unspecified" or not given stays empty, since a guess would make an approval of a label.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.reading import Row, read_date
from core.records.evidence import Fact, Qualifiers
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
    for one in sorted(submissions, key=lambda one: (one.day, one.line)):
        words = f"{one.kind} {one.number}".strip()
        yield Fact(
            record_id,
            number,
            Predicate.SUBMISSION,
            f"{words} ({TENTATIVE})" if one.is_tentative else words,
            unit=one.category,
            qualifiers=Qualifiers(region="FDA", time_point=one.day, population=one.priority),
            as_of=as_of,
            locator=f"Submissions.txt:{one.line}",
        )
