"""Names of the pack by their letters: those with a part, and those nearest to a misspelt one.

Nearness is pg_trgm's: the share of groups of three letters that two names have in common. On
PostgreSQL its index finds the candidates; on SQLite, or where the extension may not be made, all
names are compared. Either way the same computation decides, so the answers are equal.
"""

import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, inspect, or_, select, text
from sqlalchemy.exc import DBAPIError

from core.records.evidence import MentionKind
from core.records.names import fold_name
from storage.evidence_tables import MENTIONS, NAMES, RECORDS

LEAST_NEAR = 0.4
"""Share of common groups below which a name is no candidate."""
MOST_LETTERS = 200
MOST_CANDIDATES = 500
_EXTENSION = (
    "SELECT quote_ident(nspname) FROM pg_extension "
    "JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'"
)
_log = logging.getLogger(__name__)


def index_letters(connection: Connection) -> None:
    """Index the letters of names on PostgreSQL; without the right to, say so and go on."""
    if connection.dialect.name != "postgresql":
        return
    try:
        with connection.begin_nested():
            if connection.scalar(text(_EXTENSION)) is None:
                connection.execute(text("CREATE EXTENSION pg_trgm WITH SCHEMA public"))
            schema = connection.scalar(text(_EXTENSION))
            connection.execute(
                text(
                    "CREATE INDEX ix_names_letters ON names "
                    f"USING gin (folded {schema}.gin_trgm_ops)"
                )
            )
    except DBAPIError as failure:
        reason = str(failure.orig).splitlines()[0]
        _log.warning("names are looked up without pg_trgm, more slowly: %s", reason)


def list_names(connection: Connection) -> None:
    """List each spelling that a current record has once."""
    NAMES.drop(connection, checkfirst=True)
    NAMES.create(connection)
    connection.execute(NAMES.insert().from_select(["kind", "folded", "name"], _said()))


def list_names_of(connection: Connection, record_ids: Sequence[str]) -> None:
    """Bring the list up to date where only these records have changed.

    Args:
        connection: To the pack.
        record_ids: Of the records; a portion that one question can name.
    """
    if not inspect(connection).has_table(NAMES.name):
        list_names(connection)
        return
    spelled = (
        select(MENTIONS.c.kind, MENTIONS.c.folded, MENTIONS.c.name)
        .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
        .where(RECORDS.c.record_id.in_(record_ids))
        .distinct()
    )
    newest = {tuple(row) for row in connection.execute(spelled.where(RECORDS.c.current == 1))}
    older = {tuple(row) for row in connection.execute(spelled.where(RECORDS.c.current != 1))}
    fresh = [name_row for name_row in sorted(newest) if not _is_listed(connection, name_row)]
    if fresh:
        rows = [dict(zip(("kind", "folded", "name"), name_row, strict=True)) for name_row in fresh]
        connection.execute(NAMES.insert(), rows)
    for gone in sorted(older - newest):
        if not _is_said(connection, gone):
            connection.execute(NAMES.delete().where(*_equal(NAMES.c, gone)))


Spelling = tuple[str, str, str]


def _equal(columns: Any, spelling: Spelling) -> list[ColumnElement[bool]]:
    kind, folded, name = spelling
    return [columns.kind == kind, columns.folded == folded, columns.name == name]


def _is_listed(connection: Connection, spelling: Spelling) -> bool:
    query = select(NAMES.c.kind).where(*_equal(NAMES.c, spelling)).limit(1)
    return connection.execute(query).first() is not None


def _is_said(connection: Connection, spelling: Spelling) -> bool:
    """Return whether a current record has a spelling."""
    query = (
        select(MENTIONS.c.pk)
        .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
        .where(*_equal(MENTIONS.c, spelling), RECORDS.c.current == 1)
        .limit(1)
    )
    return connection.execute(query).first() is not None


def _listed(connection: Connection) -> Any:
    """Return the list of names; of a pack that was made before there was one, the same of it."""
    if inspect(connection).has_table(NAMES.name):
        return NAMES.c
    return _said().subquery("names").c


def _said() -> Any:
    return (
        select(MENTIONS.c.kind, MENTIONS.c.folded, MENTIONS.c.name)
        .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
        .where(RECORDS.c.current == 1)
        .distinct()
    )


def names_with(connection: Connection, kind: MentionKind, parts: list[str]) -> list[str]:
    """Return names of current records whose folded form contains one of the parts, sorted."""
    folded = sorted({fold_name(text_part) for text_part in parts} - {""})
    if not folded:
        return []
    names = _listed(connection)
    query = (
        select(names.name)
        .where(names.kind == kind)
        .where(
            or_(*(names.folded.contains(folded_part, autoescape=True) for folded_part in folded))
        )
    )
    return sorted(connection.scalars(query))


def count_names(connection: Connection, kind: MentionKind) -> list[tuple[str, str, int]]:
    """Return each folded name, one spelling of it and the number of current records with it."""
    query = (
        select(
            MENTIONS.c.folded,
            func.min(MENTIONS.c.name),
            func.count(MENTIONS.c.record_pk.distinct()),
        )
        .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
        .where(MENTIONS.c.kind == kind, RECORDS.c.current == 1)
        .group_by(MENTIONS.c.folded)
        .order_by(MENTIONS.c.folded)
    )
    return [(folded, name, count) for folded, name, count in connection.execute(query)]


def spellings(connection: Connection, kind: MentionKind) -> list[str]:
    """Return every folded name of current records once, sorted."""
    names = _listed(connection)
    query = select(names.folded).where(names.kind == kind).distinct()
    return list(connection.scalars(query.order_by(names.folded)))


def nearest_names(
    connection: Connection, kind: MentionKind, name: str, limit: int
) -> list[tuple[str, float]]:
    """Return the names of current records nearest to one, with the share of common letters."""
    letters = fold_name(name)[:MOST_LETTERS]
    if not letters:
        return []
    size = len(letters) + 1  # groups of a name, where none comes twice
    names = _listed(connection)
    query = (
        select(names.folded)
        .where(names.kind == kind)
        .where(func.length(names.folded) + 1 >= LEAST_NEAR * size)
        .where(func.length(names.folded) + 1 <= size / LEAST_NEAR)
        .distinct()
    )
    schema = _place_of_index(connection) if letters.isascii() else None
    if schema:
        connection.execute(text(f"SET LOCAL pg_trgm.similarity_threshold = {LEAST_NEAR - 0.05}"))
        query = query.where(names.folded.op(f"OPERATOR({schema}.%)")(letters))
    shares = {
        folded: share
        for folded in connection.scalars(query)
        if (share := similarity(letters, folded)) >= LEAST_NEAR
    }
    order = sorted(shares, key=lambda folded: (-shares[folded], folded))[:MOST_CANDIDATES]
    spellings = _spellings(connection, kind, order)
    nearest = [folded for folded in order if folded in spellings][:limit]
    return [(spellings[folded], round(shares[folded], 3)) for folded in nearest]


def _spellings(connection: Connection, kind: MentionKind, folded: list[str]) -> dict[str, str]:
    """Return one spelling of each folded name that a current record has."""
    names = _listed(connection)
    query = select(names.folded, names.name).where(names.kind == kind, names.folded.in_(folded))
    names_by_spelling: dict[str, list[str]] = {}
    for folded_name, name in connection.execute(query):
        names_by_spelling.setdefault(folded_name, []).append(name)
    return {folded_name: min(names) for folded_name, names in names_by_spelling.items()}


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


def _place_of_index(connection: Connection) -> str | None:
    """Return the schema of the extension where the pack's names are indexed with it."""
    if connection.dialect.name != "postgresql":
        return None
    if connection.scalar(text("SELECT to_regclass('ix_names_letters')")) is None:
        return None
    schema: str | None = connection.scalar(text(_EXTENSION))
    if schema:  # loads the library, so that its setting is known
        connection.execute(text(f"SELECT {schema}.similarity('a', 'a')"))
    return schema
