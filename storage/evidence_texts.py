"""The text index of the evidence pack: SQLite's FTS5 and PostgreSQL's full text, asked alike.

A caller's words never reach the query language: on SQLite every word stands in quotes, on
PostgreSQL it goes through `phraseto_tsquery`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

from core.records.evidence_pack import Hit

TITLE_WEIGHT = 4.0
"""How much more a word in the title counts than one in the text (bm25 column weight)."""
Group = Sequence[str]
_NO_WORD = re.compile(r"[\W_]+")


def plain_words(query: str) -> str:
    """Return a text as words and blanks; PostgreSQL would read "MK-3475" as a negative number.

    >>> plain_words("MK-3475/placebo")
    'MK 3475 placebo'
    """
    return _NO_WORD.sub(" ", query).strip()


class Texts(ABC):
    """The text index of one pack, under the filters of one question."""

    def __init__(self, connection: Connection, filters: str, values: Mapping[str, Any]) -> None:
        """Keep the question's filters.

        Args:
            connection: To the pack.
            filters: Further conditions on records, each beginning with AND.
            values: Their values.
        """
        self._connection = connection
        self._filters = filters
        self._values = dict(values)

    def hits(self, scores: Mapping[int, float]) -> list[Hit]:
        """Return the records of row numbers with their scores, best first, equal ones by id."""
        query = (
            "SELECT pk, record_id, title, kind, updated_on FROM records "
            f"WHERE pk IN ({_numbers(scores)}) AND current = 1"
        )
        hits = [
            Hit(row[1], row[2], row[3], row[4], scores[row[0]])
            for row in self._connection.execute(text(query))
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.record_id))

    def size(self) -> int:
        """Return about how many records there are."""
        return int(self._connection.scalar(text("SELECT max(pk) FROM records")) or 0)

    @abstractmethod
    def top(self, groups: Sequence[Group], limit: int, *, all_groups: bool) -> dict[int, float]:
        """Return the row numbers that best meet all groups, or any, with their scores."""

    @abstractmethod
    def count(self, group: Group) -> int:
        """Return in how many records a group occurs."""

    @abstractmethod
    def matches(self, group: Group, limit: int) -> dict[int, float]:
        """Return the row numbers, at most so many, that meet a group, with their scores."""

    @abstractmethod
    def scores(self, group: Group, among: Sequence[int]) -> dict[int, float]:
        """Return how well these row numbers meet a group; those that do not are left out."""

    def _scored(self, statement: str, values: Mapping[str, Any]) -> dict[int, float]:
        rows = self._connection.execute(text(statement), {**self._values, **values})
        return {row[0]: float(row[1]) for row in rows}


class SqliteTexts(Texts):
    """FTS5, ranked by bm25."""

    def top(self, groups: Sequence[Group], limit: int, *, all_groups: bool) -> dict[int, float]:
        """Return the row numbers that best meet all groups, or any, with their scores."""
        statement = (
            f"SELECT records.pk, -bm25(texts, {TITLE_WEIGHT}, 1.0) AS score "
            "FROM texts JOIN records ON records.pk = texts.rowid "
            f"WHERE texts MATCH :words AND records.current = 1{self._filters} "
            "ORDER BY score DESC, records.record_id LIMIT :limit"
        )
        joined = (" AND " if all_groups else " OR ").join(map(_quoted, groups))
        return self._scored(statement, {"words": joined, "limit": limit})

    def count(self, group: Group) -> int:
        """Return in how many records a group occurs."""
        query = text("SELECT count(*) FROM texts WHERE texts MATCH :words")
        return int(self._connection.scalar(query, {"words": _quoted(group)}) or 0)

    def matches(self, group: Group, limit: int) -> dict[int, float]:
        """Return the row numbers, at most so many, that meet a group, with their scores."""
        join = " JOIN records ON records.pk = texts.rowid" if self._filters else ""
        statement = (
            f"SELECT texts.rowid, -bm25(texts, {TITLE_WEIGHT}, 1.0) FROM texts{join} "
            f"WHERE texts MATCH :words{self._filters} LIMIT :limit"
        )
        return self._scored(statement, {"words": _quoted(group), "limit": limit})

    def scores(self, group: Group, among: Sequence[int]) -> dict[int, float]:
        """Return how well these row numbers meet a group; those that do not are left out."""
        statement = (  # with a bare rowid FTS5 would begin anew for each number
            f"SELECT rowid, -bm25(texts, {TITLE_WEIGHT}, 1.0) FROM texts "
            f"WHERE texts MATCH :words AND +rowid IN ({_numbers(among)})"
        )
        return self._scored(statement, {"words": _quoted(group)})


class PostgresTexts(Texts):
    """Full text of PostgreSQL, ranked by cover density."""

    def top(self, groups: Sequence[Group], limit: int, *, all_groups: bool) -> dict[int, float]:
        """Return the row numbers that best meet all groups, or any, with their scores."""
        values: dict[str, Any] = {"limit": limit}
        query = _tsquery(groups, values, " && " if all_groups else " || ")
        statement = (
            "SELECT records.pk, ts_rank_cd(texts.words, asked, 1) AS score "
            f"FROM (SELECT {query} AS asked) AS question, texts "
            "JOIN records ON records.pk = texts.record_pk "
            f"WHERE texts.words @@ asked AND records.current = 1{self._filters} "
            "ORDER BY score DESC, records.record_id LIMIT :limit"
        )
        return self._scored(statement, values)

    def count(self, group: Group) -> int:
        """Return in how many records a group occurs."""
        values: dict[str, Any] = {}
        tsquery = _tsquery([group], values, " || ")
        query = text(f"SELECT count(*) FROM texts WHERE texts.words @@ ({tsquery})")
        return int(self._connection.scalar(query, values) or 0)

    def matches(self, group: Group, limit: int) -> dict[int, float]:
        """Return the row numbers, at most so many, that meet a group, with their scores."""
        values: dict[str, Any] = {"limit": limit}
        query = _tsquery([group], values, " || ")
        statement = (
            f"SELECT record_pk, ts_rank(texts.words, ({query}), 1) "
            "FROM texts JOIN records ON records.pk = texts.record_pk "
            f"WHERE texts.words @@ ({query}){self._filters} LIMIT :limit"
        )
        return self._scored(statement, values)

    def scores(self, group: Group, among: Sequence[int]) -> dict[int, float]:
        """Return how well these row numbers meet a group; those that do not are left out."""
        values: dict[str, Any] = {}
        query = _tsquery([group], values, " || ")
        statement = (
            f"SELECT record_pk, ts_rank(texts.words, ({query}), 1) FROM texts "
            f"WHERE record_pk IN ({_numbers(among)}) AND texts.words @@ ({query})"
        )
        return self._scored(statement, values)


def _numbers(rows: Sequence[int] | Mapping[int, float]) -> str:
    return ", ".join(str(int(row)) for row in rows) or "-1"


def _quoted(group: Group) -> str:
    """Return FTS5's expression of a group, every word or phrase in quotes."""
    inner = " OR ".join(f'"{_unquote(words)}"' for words in group)
    return f"({inner})"


def _unquote(words: str) -> str:
    return words.replace('"', " ").replace("\x00", " ")


def _tsquery(groups: Sequence[Group], values: dict[str, Any], join: str) -> str:
    """Return PostgreSQL's expression; the words themselves are parameters."""
    joined: list[str] = []
    for number, group in enumerate(groups):
        parts: list[str] = []
        for index, words in enumerate(group):
            name = f"w{number}_{index}"
            values[name] = plain_words(words)
            parts.append(f"phraseto_tsquery('english', :{name})")
        joined.append("(" + " || ".join(parts) + ")")
    return join.join(joined)
