"""The full-text question of the evidence pack, for SQLite's FTS5 and for PostgreSQL.

A caller's words never reach the query language: on SQLite every word stands in quotes, on
PostgreSQL it goes through `phraseto_tsquery`.
"""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text

from core.records.evidence_pack import Hit, TextQuery
from core.records.names import fold_name

TITLE_WEIGHT = 4.0
"""How much more a word in the title counts than one in the text (bm25 column weight)."""


def search(connection: Connection, query: TextQuery) -> list[Hit]:
    """Return the best current records, best first; equal ones by id."""
    groups = [cleaned for group in query.groups if (cleaned := _clean(group))]
    if not groups:
        return []
    filters, values = _filters(query)
    values["limit"] = query.limit
    if connection.dialect.name == "sqlite":
        values["words"] = _match_words(groups, query.any_group)
        statement = _SQLITE.format(filters=filters, weight=TITLE_WEIGHT)
    else:
        asked = _tsquery(groups, query.any_group, values)
        statement = _POSTGRES.format(filters=filters, asked=asked)
    rows = connection.execute(text(statement), values)
    return [Hit(*row) for row in rows]


_NO_WORD = re.compile(r"[\W_]+")
_SQLITE = """
SELECT records.record_id, records.title, records.kind, records.updated_on,
       -bm25(texts, {weight}, 1.0) AS score
FROM texts JOIN records ON records.pk = texts.rowid
WHERE texts MATCH :words AND records.current = 1{filters}
ORDER BY score DESC, records.record_id LIMIT :limit
"""
_POSTGRES = """
SELECT records.record_id, records.title, records.kind, records.updated_on,
       ts_rank_cd(texts.words, asked, 1) AS score
FROM (SELECT {asked} AS asked) AS question, texts
JOIN records ON records.pk = texts.record_pk
WHERE texts.words @@ asked AND records.current = 1{filters}
ORDER BY score DESC, records.record_id LIMIT :limit
"""


def plain_words(said: str) -> str:
    """Return a text as words and blanks; PostgreSQL would read "MK-3475" as a negative number.

    >>> plain_words("MK-3475/placebo")
    'MK 3475 placebo'
    """
    return _NO_WORD.sub(" ", said).strip()


def _clean(group: Sequence[str]) -> list[str]:
    """Return the words and phrases of a group that hold a letter or digit at all."""
    return list(dict.fromkeys(words.strip() for words in group if fold_name(words)))


def _match_words(groups: list[list[str]], any_group: bool) -> str:
    """Return FTS5's expression, every word or phrase in quotes."""
    joined = [" OR ".join(f'"{_unquote(words)}"' for words in group) for group in groups]
    return (" OR " if any_group else " AND ").join(f"({group})" for group in joined)


def _unquote(words: str) -> str:
    return words.replace('"', " ").replace("\x00", " ")


def _tsquery(groups: list[list[str]], any_group: bool, values: dict[str, Any]) -> str:
    """Return PostgreSQL's expression; the words themselves are parameters."""
    joined: list[str] = []
    for number, group in enumerate(groups):
        parts: list[str] = []
        for place, words in enumerate(group):
            name = f"w{number}_{place}"
            values[name] = plain_words(words)
            parts.append(f"phraseto_tsquery('english', :{name})")
        joined.append("(" + " || ".join(parts) + ")")
    return (" || " if any_group else " && ").join(joined)


def _filters(query: TextQuery) -> tuple[str, dict[str, Any]]:
    """Return further conditions and their values."""
    clauses: list[str] = []
    values: dict[str, Any] = {}
    for column, chosen in (
        ("kind", query.kinds),
        ("phase", query.phases),
        ("source", query.sources),
    ):
        if chosen:
            clauses.append(f"records.{column} IN ({_bind(column, chosen, values)})")
    if query.companies:
        folded = [fold_name(company) for company in query.companies]
        names = _bind("company", folded, values)
        clauses.append(
            "EXISTS (SELECT 1 FROM mentions WHERE mentions.record_pk = records.pk "
            f"AND mentions.kind = 'company' AND mentions.folded IN ({names}))"
        )
    if query.since:
        clauses.append("records.updated_on >= :since")
        values["since"] = query.since
    if query.until:  # "2026" and "2026-03" lie before "2026-03-31" as words too
        clauses.append("records.updated_on <> '' AND records.updated_on <= :until")
        values["until"] = query.until
    return "".join(f" AND {clause}" for clause in clauses), values


def _bind(stem: str, chosen: Sequence[str], values: dict[str, Any]) -> str:
    names = [f"{stem}{number}" for number in range(len(chosen))]
    values.update(zip(names, chosen, strict=True))
    return ", ".join(f":{name}" for name in names)
