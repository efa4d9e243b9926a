"""Full-text search of the evidence pack: groups of words, and filters of records.

A caller's words never reach the query language of FTS5: every one is quoted.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text

from core.records.evidence_pack import Hit, TextQuery
from core.records.names import fold_name

TITLE_WEIGHT = 4.0
"""How much more a word in the title counts than one in the text (bm25 column weight)."""


def search(connection: Connection, query: TextQuery) -> list[Hit]:
    """Return the best current records by bm25, best first; ties by id."""
    groups = [cleaned for group in query.groups if (cleaned := _clean(group))]
    if not groups:
        return []
    filters, values = _filters(query)
    statement = (
        "SELECT records.record_id, records.title, records.kind, records.updated_on, "
        f"-bm25(texts, {TITLE_WEIGHT}, 1.0) AS score "
        "FROM texts JOIN records ON records.text_pk = texts.rowid "
        f"WHERE texts MATCH :words AND records.current = 1{filters} "
        "ORDER BY score DESC, records.record_id LIMIT :limit"
    )
    values |= {"words": " AND ".join(map(_quoted, groups)), "limit": query.limit}
    return [Hit(*row) for row in connection.execute(text(statement), values)]


def _quoted(group: Sequence[str]) -> str:
    """Return the FTS5 expression of a group of alternatives, each in quotes."""
    phrases = (words.replace('"', " ").replace("\x00", " ") for words in group)
    return "(" + " OR ".join(f'"{phrase}"' for phrase in phrases) + ")"


def _clean(group: Sequence[str]) -> list[str]:
    """Return the words and phrases of a group that hold a letter or digit at all."""
    return list(dict.fromkeys(words.strip() for words in group if fold_name(words)))


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
            "EXISTS (SELECT 1 FROM mentions WHERE mentions.record_pk = records.text_pk "
            f"AND mentions.kind = 'company' AND mentions.folded IN ({names}))"
        )
    if query.since:
        clauses.append("records.updated_on >= :since")
        values["since"] = query.since
    if query.until:  # "2026" and "2026-03" lie before "2026-03-31" as words too
        clauses.append(
            "COALESCE(NULLIF(records.updated_on, ''), NULLIF(records.copied_on, '')) <= :until"
        )
        values["until"] = query.until
    return "".join(f" AND {clause}" for clause in clauses), values


def _bind(stem: str, chosen: Sequence[str], values: dict[str, Any]) -> str:
    names = [f"{stem}{number}" for number in range(len(chosen))]
    values.update(zip(names, chosen, strict=True))
    return ", ".join(f":{name}" for name in names)
