"""What regulators did: submissions to an application, letters, what a label says of its changes."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.evidence.entries.records import facts_of_records
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact
from core.records.evidence_pack import StoredFact
from core.vocabulary.predicates import Predicate

LETTER = (
    *(Predicate.APPLICATION, Predicate.LETTER_ON, Predicate.LETTER_TO),
    Predicate.LETTER_DEFICIENCY,
)
LABEL_PARTS = (Predicate.LABEL_CHANGED, Predicate.LABEL_STUDY, Predicate.LABEL_NAMES_TRIAL)
_TENTATIVE = " (tentative)"


@dataclass(frozen=True, slots=True)
class SubmissionEntry:
    """A submission that the agency approved.

    Attributes:
        kind: ORIG or SUPPL.
        number: Its number within the application.
        day: Of the action.
        category: Class, as EFFICACY, LABELING, "TYPE 1"; "" where the agency tells none.
        priority: PRIORITY, STANDARD and the like; "" where unknown.
        is_tentative: Whether the approval is tentative.
        fact_id: The fact.
    """

    kind: str
    number: str
    day: str
    category: str
    priority: str
    is_tentative: bool
    fact_id: int


@dataclass(frozen=True, slots=True)
class LetterEntry:
    """A complete response letter; one may be of several applications.

    Attributes:
        applications: Their numbers, as "NDA208288".
        company: To whom it went.
        days: Of the letters that its file holds; () where none can be told.
        deficiencies: Classes of its parts.
    """

    applications: tuple[str, ...]
    company: str
    days: tuple[str, ...]
    deficiencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A change as a label lists it; later labels list it again.

    Attributes:
        drug: Its drug.
        section: Name of the section.
        numbers: Of the changed parts.
        month: YYYY-MM.
    """

    drug: str
    section: str
    numbers: str
    month: str


@dataclass(frozen=True, slots=True)
class LabelStudy:
    """A part of the studies section: its head, where it stands, the trials that it names."""

    head: str
    locator: str
    trials: tuple[str, ...]


def read_submissions(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, tuple[SubmissionEntry, ...]]:
    """Return the submissions of applications, by record, the oldest first."""
    facts_by_record = facts_of_records(record_ids, (Predicate.SUBMISSION,), evidence, known_by)
    return {
        key: tuple(_submission(fact) for fact in facts) for key, facts in facts_by_record.items()
    }


def _submission(stored: StoredFact) -> SubmissionEntry:
    fact, qualifiers = stored.fact, stored.fact.qualifiers
    kind, _, number = fact.object.removesuffix(_TENTATIVE).partition(" ")
    is_tentative = fact.object.endswith(_TENTATIVE)
    return SubmissionEntry(
        kind,
        number,
        qualifiers.time_point,
        fact.unit,
        qualifiers.population,
        is_tentative,
        stored.id,
    )


def read_letters(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, LetterEntry]:
    """Return letters, by record."""
    facts_by_record = facts_of_records(record_ids, LETTER, evidence, known_by)
    return {
        key: LetterEntry(
            _objects(facts, Predicate.APPLICATION),
            next(iter(_objects(facts, Predicate.LETTER_TO)), ""),
            _objects(facts, Predicate.LETTER_ON),
            _objects(facts, Predicate.LETTER_DEFICIENCY),
        )
        for key, facts in facts_by_record.items()
    }


def read_changes(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[LabelChange, tuple[str, ...]]:
    """Return the changes that labels list, each once, with the labels that list it."""
    records_by_change: dict[LabelChange, list[str]] = defaultdict(list)
    for key, facts in facts_of_records(record_ids, LABEL_PARTS, evidence, known_by).items():
        for change in dict.fromkeys(map(_change, _of(facts, Predicate.LABEL_CHANGED))):
            records_by_change[change].append(key)
    return {change: tuple(labels) for change, labels in records_by_change.items()}


def _change(fact: Fact) -> LabelChange:
    qualifiers = fact.qualifiers
    return LabelChange(fact.subject, fact.object, qualifiers.indication, qualifiers.time_point)


def read_studies(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, tuple[LabelStudy, ...]]:
    """Return the parts of labels' studies sections, by record, in their order."""
    facts_by_record = facts_of_records(record_ids, LABEL_PARTS, evidence, known_by)
    return {key: tuple(_studies(facts)) for key, facts in facts_by_record.items()}


def _studies(facts: Sequence[StoredFact]) -> Iterable[LabelStudy]:
    heads: dict[str, str] = {}
    trials: dict[str, list[str]] = defaultdict(list)
    for fact in _of(facts, Predicate.LABEL_STUDY):
        heads[fact.locator] = fact.qualifiers.indication
    for fact in _of(facts, Predicate.LABEL_NAMES_TRIAL):
        heads.setdefault(fact.locator, fact.qualifiers.indication)
        trials[fact.locator].append(fact.object)
    for locator, head in heads.items():
        yield LabelStudy(head, locator, tuple(trials[locator]))


def _of(facts: Iterable[StoredFact], predicate: Predicate) -> list[Fact]:
    return [fact.fact for fact in facts if fact.fact.predicate == predicate]


def _objects(facts: Iterable[StoredFact], predicate: Predicate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.object for fact in _of(facts, predicate)))
