"""The identity pack: one SQLite file of names, built at set-up and never changed after it."""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from core.errors import EvidenceDamaged
from core.records.evidence import MentionKind
from core.records.identity import (
    CrossReference,
    Entity,
    EntityName,
    IdentityRow,
    IsA,
    NameKind,
)

PORTION = 500
BATCH = 20_000
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entities (
    kind TEXT, key TEXT, label TEXT, parent TEXT, note TEXT, PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE TABLE names (
    kind TEXT, folded TEXT, level INTEGER, key TEXT, name TEXT,
    PRIMARY KEY (kind, folded, level, key)
) WITHOUT ROWID;
CREATE TABLE codes (
    kind TEXT, scheme TEXT, code TEXT, key TEXT, PRIMARY KEY (kind, scheme, code, key)
) WITHOUT ROWID;
CREATE TABLE is_a (kind TEXT, child TEXT, parent TEXT, PRIMARY KEY (kind, child, parent))
WITHOUT ROWID;
CREATE TABLE systematic (key TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
"""
_INDEXES = """
CREATE INDEX ix_names_key ON names (kind, key);
CREATE INDEX ix_entities_parent ON entities (kind, parent) WHERE parent <> '';
CREATE INDEX ix_is_a_parent ON is_a (kind, parent);
ANALYZE;
"""
_INSERTS: Mapping[type[IdentityRow], tuple[str, Callable[[IdentityRow], tuple[Any, ...]]]] = {
    Entity: (
        "INSERT OR IGNORE INTO entities VALUES (?, ?, ?, ?, ?)",
        attrgetter("kind", "key", "label", "parent", "note"),
    ),
    EntityName: (
        "INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?)",
        attrgetter("kind", "folded", "level", "key", "name"),
    ),
    CrossReference: (
        "INSERT OR IGNORE INTO codes VALUES (?, ?, ?, ?)",
        attrgetter("kind", "scheme", "code", "key"),
    ),
    IsA: ("INSERT OR IGNORE INTO is_a VALUES (?, ?, ?)", attrgetter("kind", "child", "parent")),
}


MOST_CLIMBS = 20_000
"""Results of climbs through the kinds of diseases that are remembered: some 20 MB."""


class IdentityStore:
    """Names in a SQLite file (core.identity_ports.Identity)."""

    def __init__(self, path: Path) -> None:
        """Prepare; nothing is opened before the first question.

        Args:
            path: The pack file.
        """
        self.path = path
        self._lock = threading.Lock()
        self._open: tuple[tuple[int, int], sqlite3.Connection] | None = None
        self._climbs: dict[tuple[str, str, str], frozenset[str]] = {}

    def __del__(self) -> None:
        """Close the file."""
        if self._open is not None:
            self._open[1].close()

    def version(self) -> str:
        """Return what the pack was built from; "" when there is none."""
        rows = self._ask("SELECT value FROM meta WHERE name = 'version'")
        return str(rows[0][0]) if rows else ""

    def lookup(
        self, kind: MentionKind, folded: Sequence[str]
    ) -> Mapping[str, Sequence[EntityName]]:
        """Return the entities of folded names; names without any are left out."""
        query = "SELECT kind, folded, key, level, name FROM names WHERE kind = ? AND folded IN ({})"
        names: dict[str, list[EntityName]] = {}
        for row in self._in_portions(query, kind, folded):
            name = EntityName(*row)
            names.setdefault(name.folded, []).append(name)
        return names

    def entities(self, kind: MentionKind, keys: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities of keys; unknown keys are left out."""
        query = "SELECT kind, key, label, parent, note FROM entities WHERE kind = ? AND key IN ({})"
        rows = self._in_portions(query, kind, keys)
        return {row[1]: Entity(*row) for row in rows}

    def names(self, kind: MentionKind, key: str) -> Sequence[EntityName]:
        """Return the names of an entity and of those that count under it, official ones first."""
        query = (
            "SELECT kind, folded, key, level, name FROM names WHERE kind = ?1 AND key IN "
            "(SELECT ?2 UNION SELECT key FROM entities "
            "WHERE kind = ?1 AND parent = ?2 AND parent <> '') "
            "ORDER BY level, length(name), name"
        )
        return [EntityName(*row) for row in self._ask(query, kind, key)]

    def all_names(self, kind: NameKind) -> Sequence[EntityName]:
        """Return every name of a kind, by folded name."""
        query = (
            "SELECT kind, folded, key, level, name FROM names WHERE kind = ? "
            "ORDER BY folded, level, key"
        )
        return [EntityName(*row) for row in self._ask(query, kind)]

    def ancestors(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that this one is a kind of."""
        return self._climb("child", "parent", kind, key)

    def descendants(self, kind: MentionKind, key: str) -> frozenset[str]:
        """Return every entity that is a kind of this one."""
        return self._climb("parent", "child", kind, key)

    def references(self, kind: MentionKind, scheme: str, code: str) -> Sequence[str]:
        """Return the keys that carry a code of another scheme."""
        query = "SELECT key FROM codes WHERE kind = ? AND scheme = ? AND code = ? ORDER BY key"
        return [row[0] for row in self._ask(query, kind, scheme, code)]

    def labels_of_codes(
        self, kind: MentionKind, scheme: str, codes: Sequence[str]
    ) -> Mapping[str, str]:
        """Return the entity's label by code; codes that none or several carry are left out."""
        query = (
            "SELECT codes.code, entities.label FROM codes JOIN entities "
            "ON entities.kind = codes.kind AND entities.key = codes.key "
            "WHERE codes.kind = ? AND codes.scheme = '{}' AND codes.code IN ({{}})"
        ).format(scheme.replace("'", "''"))
        labels: dict[str, set[str]] = {}
        for code, label in self._in_portions(query, kind, codes):
            labels.setdefault(code, set()).add(label)
        return {code: next(iter(labels)) for code, labels in labels.items() if len(labels) == 1}

    def systematic_names(self, key: str) -> Sequence[str]:
        """Return a drug's systematic names, its own before its salts', to draw its structure."""
        rows = self._ask("SELECT name FROM systematic WHERE key = ?", key)
        return str(rows[0][0]).split("\n") if rows else []

    def build(
        self,
        rows: Iterable[IdentityRow],
        systematic: Iterable[tuple[str, str]],
        version: str,
    ) -> None:
        """Write a new pack beside the old one and put it in its place.

        Raises:
            EvidenceDamaged: The new pack failed its check; the old one stays.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = self.path.with_suffix(".next")
        beside.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(beside)) as connection:
                _write(connection, rows, systematic, version)
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)

    def _ask(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with self._lock:
            connection = self._connection()
            return connection.execute(query, values).fetchall() if connection else []

    def _connection(self) -> sqlite3.Connection | None:
        """Return the open pack; one that has taken its place meanwhile is opened anew."""
        try:
            state = self.path.stat()
        except FileNotFoundError:
            return None
        mark = (state.st_ino, state.st_mtime_ns)
        if self._open is None or self._open[0] != mark:
            if self._open is not None:
                self._open[1].close()
            address = f"file:{self.path.resolve()}?mode=ro&immutable=1"
            connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            connection.execute("PRAGMA mmap_size = 268435456")
            self._open = (mark, connection)
            self._climbs = {}
        return self._open[1]

    def _in_portions(
        self, query: str, kind: MentionKind, values: Sequence[str]
    ) -> Iterator[tuple[Any, ...]]:
        distinct = list(dict.fromkeys(values))
        for start in range(0, len(distinct), PORTION):
            portion = distinct[start : start + PORTION]
            signs = ", ".join("?" * len(portion))
            yield from self._ask(query.format(signs), kind, *portion)

    def _climb(self, near_column: str, far: str, kind: MentionKind, key: str) -> frozenset[str]:
        """Return what is reached from one end of is-a to the other, level by level.

        One recursive question would be shorter, but SQLite then builds a filter over the whole
        table at every step. Results are remembered as long as the pack is the same file.
        """
        with self._lock:
            self._connection()
            climbs = self._climbs
        remembered = climbs.get((near_column, kind, key))
        if remembered is not None:
            return remembered
        seen: set[str] = set()
        frontier = {key}
        while frontier:
            signs = ", ".join("?" * len(frontier))
            query = f"SELECT {far} FROM is_a WHERE kind = ? AND {near_column} IN ({signs})"
            nearby = {row[0] for row in self._ask(query, kind, *sorted(frontier))}
            frontier = nearby - seen
            seen |= nearby
        if len(climbs) >= MOST_CLIMBS:
            climbs.clear()
        reached = climbs[near_column, kind, key] = frozenset(seen - {key})
        return reached


def _write(
    connection: sqlite3.Connection,
    rows: Iterable[IdentityRow],
    systematic: Iterable[tuple[str, str]],
    version: str,
) -> None:
    """Fill the tables, then index and check them."""
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -200000")
    connection.executescript(_TABLES)
    with connection:
        stream = iter(rows)
        while batch := list(islice(stream, BATCH)):
            values = defaultdict(list)
            for row in batch:
                values[type(row)].append(_INSERTS[type(row)][1](row))
            for kind, tuples in values.items():
                connection.executemany(_INSERTS[kind][0], tuples)
        listed = (  # one a line: a pack built when one name was kept is read all the same
            (key, "\n".join(name for _, name in named))
            for key, named in groupby(systematic, key=itemgetter(0))
        )
        connection.executemany("INSERT OR IGNORE INTO systematic VALUES (?, ?)", listed)
        connection.execute("INSERT INTO meta VALUES ('version', ?)", (version,))
    connection.executescript(_INDEXES)
    result = connection.execute("PRAGMA integrity_check").fetchone()[0]
    lost = connection.execute(
        "SELECT count(*) FROM names WHERE NOT EXISTS (SELECT 1 FROM entities "
        "WHERE entities.kind = names.kind AND entities.key = names.key)"
    ).fetchone()[0]
    if result != "ok" or lost:
        raise EvidenceDamaged(
            f"the new identity pack failed its check: {result}, {lost} lost names"
        )
