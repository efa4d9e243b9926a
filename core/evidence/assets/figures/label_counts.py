"""How many labels carry a section: one whole label a moiety counts (evidence notes, section 1)."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class LabelRecord:
    """A label as far as counts need it.

    Attributes:
        moiety: Key of its active moiety (combinations: all keys in order).
        record_id: Its record.
        as_of: Its date; "" if unknown.
        is_whole: Whether the record carries a whole label.
        sections: Sections that it has.
    """

    moiety: str
    record_id: str
    as_of: str
    is_whole: bool
    sections: frozenset[str]


@dataclass(frozen=True)
class Frequency:
    """How many labels have a section, of those that could tell.

    Attributes:
        having: Labels with it.
        counted: Labels that could tell: one whole label a moiety.
        unknown: Moieties of which no record carries a whole label.
    """

    having: int
    counted: int
    unknown: int


def newest_labels(labels: Iterable[LabelRecord]) -> dict[str, LabelRecord]:
    """Return one label a moiety: the newest whole one; generics and biosimilars count once."""
    newest: dict[str, LabelRecord] = {}
    for label in labels:
        newer = newest.get(label.moiety)
        if newer is None or _rank(label) > _rank(newer):
            newest[label.moiety] = label
    return newest


def _rank(label: LabelRecord) -> tuple[bool, str, str]:
    return (label.is_whole, label.as_of, label.record_id)


def section_frequency(labels: Iterable[LabelRecord], section: str) -> Frequency:
    """Return how often labels have a section; a part of a label neither has it nor lacks it."""
    chosen = newest_labels(labels).values()
    whole_labels = [label for label in chosen if label.is_whole]
    having = sum(section in label.sections for label in whole_labels)
    return Frequency(having, len(whole_labels), len(chosen) - len(whole_labels))
