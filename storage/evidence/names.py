"""Names in the pack by their letters: those with a part, and those nearest to a misspelled one.

Similarity is that of PostgreSQL's pg_trgm: the share of three-letter groups that two names have
in common.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, func, or_, select

from core.records.evidence import MentionKind, Role
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate
from storage.evidence.pack_reader import PackReader
from storage.evidence.schema import FACTS, MENTIONS, NAMES, RECORDS, refresh_names

LEAST_SIMILARITY = 0.4
"""Share of common groups below which a name is no candidate."""
MOST_LETTERS = 200
MOST_PARTS = 500
"""Parts of names in one statement; SQLite takes no expression of a thousand."""


class NameReader(PackReader):
    """What the records of a pack name."""

    def names_with(self, kind: MentionKind, parts: Sequence[str]) -> Sequence[str]:
        """Return names of current records whose folded form contains one of the parts, sorted."""
        folded = sorted({fold_name(letters) for letters in parts} - {""})
        found: set[str] = set()
        with self._reading() as connection:
            for start in range(0, len(folded), MOST_PARTS):
                batch = folded[start : start + MOST_PARTS]
                contains = (NAMES.c.folded.contains(letters, autoescape=True) for letters in batch)
                query = select(NAMES.c.name).where(NAMES.c.kind == kind, or_(*contains))
                found.update(connection.scalars(query))
        return sorted(found)

    def spellings(self, kind: MentionKind) -> Sequence[str]:
        """Return every folded name of current records once, sorted; cheaper than `names`."""
        query = select(NAMES.c.folded).where(NAMES.c.kind == kind).distinct()
        with self._reading() as connection:
            return list(connection.scalars(query.order_by(NAMES.c.folded)))

    def nearest_names(
        self, kind: MentionKind, name: str, limit: int = 5
    ) -> Sequence[tuple[str, float]]:
        """Return names of current records nearest to a misspelled one, with their similarity."""
        letters = fold_name(name)[:MOST_LETTERS]
        size = len(letters) + 1  # groups of a name in which none comes twice
        groups = func.length(NAMES.c.folded) + 1
        query = select(NAMES.c.folded, func.min(NAMES.c.name)).where(
            NAMES.c.kind == kind,
            groups >= LEAST_SIMILARITY * size,
            groups <= size / LEAST_SIMILARITY,
        )
        if not letters:
            return []
        similarities = [
            (-value, folded, spelling)
            for folded, spelling in self._mapped(query.group_by(NAMES.c.folded)).items()
            if (value := similarity(letters, folded)) >= LEAST_SIMILARITY
        ]
        return [(spelling, round(-value, 3)) for value, _, spelling in sorted(similarities)[:limit]]

    def names(self, kind: MentionKind) -> Iterator[tuple[str, str, int]]:
        """Yield each folded name, one spelling of it and the number of records with it."""
        records = func.count(MENTIONS.c.record_pk.distinct())
        query = _current(kind, MENTIONS.c.folded, func.min(MENTIONS.c.name), records)
        yield from self._all(query.group_by(MENTIONS.c.folded).order_by(MENTIONS.c.folded))

    def all_mentions(self, kind: MentionKind) -> Iterator[tuple[str, str, str, Role]]:
        """Yield record, its kind, folded name and role of every mention in current records."""
        of_record = (RECORDS.c.record_id, RECORDS.c.kind)
        yield from self._all(_current(kind, *of_record, MENTIONS.c.folded, MENTIONS.c.role))

    def aliases(self, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each drug and another name that current records of these sources give to it."""
        query = (
            select(FACTS.c.subject, FACTS.c.object)
            .join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
            .where(
                FACTS.c.predicate == Predicate.HAS_ALIAS,
                RECORDS.c.current == 1,
                RECORDS.c.source.in_(list(sources)),
            )
            .distinct()
            .order_by(FACTS.c.subject, FACTS.c.object)
        )
        yield from self._all(query)

    def _all(self, query: Any) -> Iterator[Any]:
        with self._reading() as connection:
            yield from (tuple(row) for row in connection.execute(query))


def _current(kind: MentionKind, *columns: Any) -> Any:
    """Return a query over the mentions of one kind in current records."""
    records = select(*columns).join_from(
        MENTIONS, RECORDS, RECORDS.c.text_pk == MENTIONS.c.record_pk
    )
    return records.where(MENTIONS.c.kind == kind, RECORDS.c.current == 1)


def update_names(connection: Connection, record_ids: Sequence[str]) -> None:
    """Update the list of spellings where only these records have changed.

    Args:
        connection: To the pack.
        record_ids: Of the records; as many as one query can name.
    """
    changed = select(MENTIONS.c.folded).join(RECORDS, RECORDS.c.text_pk == MENTIONS.c.record_pk)
    folded = set(connection.scalars(changed.where(RECORDS.c.record_id.in_(record_ids))))
    refresh_names(connection, sorted(folded))


def similarity(name: str, other: str) -> float:
    """Return the share of groups of three letters that two folded names have in common.

    >>> round(similarity("pembrolizumab", "pembrolizumab"), 2)
    1.0
    >>> round(similarity("pembrolizumab", "pembrolizumap"), 2)
    0.75
    """
    mine, others = _groups(name), _groups(other)
    common = len(mine & others)
    return common / (len(mine) + len(others) - common)


def _groups(folded: str) -> set[str]:
    padded = f"  {folded} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}
