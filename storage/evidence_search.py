"""The full-text question of the evidence pack: groups of words, and filters of records."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from core.records.evidence_pack import Hit, TextQuery
from core.records.names import fold_name
from storage.evidence_texts import Group, PostgresTexts, SqliteTexts, Texts

CANDIDATES = 200
TELLING = 2
"""So many of the rarest groups find the candidates; the others only rank them."""
COMMON = 2500
"""A group of more records than this finds candidates only where there is no rarer one."""
SURE = 0.55
"""Part of a group's weight for occurring at all; the rest is for how prominently."""
PREFERRED = 1.4
"""How much more a record of a kind counts that the question names."""
Found = Sequence[tuple[Group, int]]


def rank(
    texts: Texts, groups: Sequence[Group], limit: int, preferred: Collection[str] = ()
) -> list[Hit]:
    """Return the records that meet most, best first.

    Args:
        texts: The text index.
        groups: At least one group of words.
        limit: At most so many.
        preferred: Kinds of records that the question asks for.
    """
    counted = [(group, texts.count(group)) for group in groups]
    counted_groups = sorted((entry for entry in counted if entry[1]), key=lambda entry: entry[1])
    if not counted_groups:
        return []
    size = texts.size()
    total: dict[int, float] = {}
    telling = _telling(counted_groups)
    for index, (group, count) in enumerate(counted_groups):
        if index < telling:
            scores = texts.matches(group, COMMON)
        else:
            if index == telling:
                total = _best(total)
            scores = texts.scores(group, list(total))
        _add(total, scores, math.log(1 + (size - count + 0.5) / (count + 0.5)))
    hits = texts.hits(_best(total))
    weighed = [(hit.score * (PREFERRED if hit.kind in preferred else 1), hit) for hit in hits]
    weighed.sort(key=lambda entry: (-entry[0], entry[1].record_id))
    return [hit for _, hit in weighed[:limit]]


def _telling(hit_found: Found) -> int:
    """Return how many groups, from the rarest on, find candidates."""
    rare = sum(count <= COMMON for _, count in hit_found)
    return max(1, min(TELLING, rare))


def _best(total: Mapping[int, float]) -> dict[int, float]:
    rows = sorted(total, key=lambda row: (-total[row], row))[:CANDIDATES]
    return {row: total[row] for row in rows}


def _add(total: dict[int, float], scores: Mapping[int, float], weight: float) -> None:
    """Add what a group is worth to the rows that meet it."""
    best = max(scores.values(), default=1.0) or 1.0
    for row, score in scores.items():
        total[row] = total.get(row, 0.0) + weight * (SURE + (1 - SURE) * score / best)


def search(connection: Connection, query: TextQuery) -> list[Hit]:
    """Return the best current records, best first; equal ones by id.

    With `any_group` a record need not meet all groups: it is ranked by how much it meets, a
    rare group counting more than a common one (storage.evidence_ranking).
    """
    groups = [cleaned for group in query.groups if (cleaned := _clean(group))]
    if not groups:
        return []
    kind: type[Texts] = SqliteTexts if connection.dialect.name == "sqlite" else PostgresTexts
    texts = kind(connection, *_filters(query))
    if query.any_group:
        return rank(texts, groups, query.limit, query.preferred)
    return texts.hits(texts.top(groups, query.limit, all_groups=True))


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
            "EXISTS (SELECT 1 FROM mentions WHERE mentions.record_pk = records.pk "
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
