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
    stated = facts_of_records(record_ids, (Predicate.LABEL_CHANGED,), evidence, known_by)
    for key, facts in stated.items():
        for change in dict.fromkeys(_change(stored.fact) for stored in facts):
            records_by_change[change].append(key)
    return {change: tuple(labels) for change, labels in records_by_change.items()}


def _change(fact: Fact) -> LabelChange:
    qualifiers = fact.qualifiers
    return LabelChange(fact.subject, fact.object, qualifiers.indication, qualifiers.time_point)


def _of(facts: Iterable[StoredFact], predicate: Predicate) -> list[Fact]:
    return [fact.fact for fact in facts if fact.fact.predicate == predicate]


def _objects(facts: Iterable[StoredFact], predicate: Predicate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.object for fact in _of(facts, predicate)))
