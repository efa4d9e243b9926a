"""Sentences cut into clauses, each with what it names and the drug that it is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.checking.entities import Entities, EntitySpan, of_kind
from core.checking.values import DaySpan, find_days

_CUT = re.compile(
    r";\s+|,?\s+(?:while|whereas|but|although)\s+|,?\s+and\s+(?=(?:is|are|was|were|has|have)\b)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is read alone.

    Attributes:
        text: The whole sentence.
        start: First character of the part.
        end: One past the last.
        entities: What it names.
        drugs: The drugs that it is about: its own, else those carried over.
        is_carried: Whether the drug was carried over from what stands before.
        is_weak: Whether it was carried over from a heading, so that nothing of it is corrected.
    """

    text: str
    start: int
    end: int
    entities: Entities
    drugs: tuple[EntitySpan, ...]
    is_carried: bool = False
    is_weak: bool = False

    @property
    def words(self) -> str:
        """Return its words."""
        return self.text[self.start : self.end]

    def of_kind(self, kind: str) -> list[EntitySpan]:
        """Return what it names of one sort."""
        return of_kind(self.entities, kind)  # type: ignore[arg-type]

    def days(self) -> list[DaySpan]:
        """Return its days by place in the sentence."""
        return [day for day in find_days(self.text) if self.start <= day.start < self.end]


def split_clauses(
    text: str, entities: Entities, carried: EntitySpan | None, *, is_weak: bool = False
) -> Iterator[Clause]:
    """Yield the clauses of a sentence; one without a drug is about the only drug before it.

    Args:
        text: The sentence.
        entities: What it names.
        carried: The drug that stands before the sentence, where it may go on about it.
        is_weak: Whether that is a heading.
    """
    cuts = [0]
    for match in _CUT.finditer(text):
        if text.count("(", 0, match.start()) == text.count(")", 0, match.start()):
            cuts.append(match.end())
    subject = carried
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        inside = [entity for entity in entities if start <= entity.start < end]
        own = tuple(of_kind(inside, "drug"))
        drugs = own or ((subject,) if subject else ())
        is_guess = is_weak and subject is carried and not own
        yield Clause(text, start, end, inside, drugs, not own, is_guess)
        if len({drug.key for drug in own}) == 1:
            subject = own[0]
        elif own:
            subject = None
