"""Writes one generation of the evidence pack in batches; older versions are kept."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import Connection, func, insert, select, text, update

from core.records.evidence import Damage, Parsed
from core.records.evidence_pack import ImportedFile
from storage.evidence.rows import (
    FACT_COLUMNS,
    MENTION_COLUMNS,
    RECORD_COLUMNS,
    SPAN_COLUMNS,
    Values,
    digest,
    fact_values,
    mention_values,
    record_values,
    searched_text,
    span_values,
)
from storage.evidence.schema import CHUNK, DAMAGES, FILES, MENTIONS, RECORDS, SPANS
from storage.evidence.states import NEWEST, STATE, State, state_of

BATCH = 2_000
_TEXT = "INSERT INTO texts(rowid, title, body) VALUES (?, ?, ?)"


@dataclass
class _State:
    """What the pack knows of a record: every state's digest, and which state is the newest."""

    digests: set[str] = field(default_factory=set)
    newest: State | None = None
    current_pk: int = 0


@dataclass(frozen=True)
class _Fresh:
    """A state of a record that the pack does not hold yet; `previous` is the newest before it."""

    pk: int
    parsed: Parsed
    version: int
    mark: str
    previous: int


def _chunks(values: Iterable[Any]) -> Iterator[list[Any]]:
    distinct = sorted(set(values))
    for start in range(0, len(distinct), CHUNK):
        yield distinct[start : start + CHUNK]


class PackWriter:
    """Adds records to a pack that nobody reads yet (core.evidence_ports.EvidenceWriter)."""

    def __init__(self, connection: Connection) -> None:
        """Continue after the rows that are there.

        Args:
            connection: Connection within whose transaction all is written.
        """
        self._connection = connection
        self.first_pk = (connection.scalar(select(func.max(RECORDS.c.pk))) or 0) + 1
        self._next_pk = self.first_pk
        self.changed: dict[str, list[str]] = {}
        """Digests of the states that came, by the id of their record."""

    def add(self, parsed: Iterable[Parsed]) -> int:
        """Write records with facts; an unchanged record is left alone. Return how many came."""
        stream = iter(parsed)
        came = 0
        while batch := list(islice(stream, BATCH)):
            came += len(batch)
            self._add_batch(batch)
        return came

    def report(self, damage: Damage) -> None:
        """Note a row that could not be read."""
        values = {"file": damage.file, "line": damage.line, "reason": damage.reason}
        self._connection.execute(insert(DAMAGES), [values])

    def finish_file(self, file: ImportedFile) -> None:
        """Note that a file was read to its end."""
        values = {name: getattr(file, name) for name in ImportedFile.__dataclass_fields__}
        self._connection.execute(insert(FILES), [values])

    def add_texts(self, texts: Iterable[tuple[int, str, str]]) -> None:
        """Index records by number, title and text."""
        self._send(_TEXT, list(texts))

    def _add_batch(self, batch: Sequence[Parsed]) -> None:
        """Write one batch; the newest and fullest state of each record stays its current one."""
        known_states = self._states({parsed.record.id for parsed in batch})
        fresh: list[_Fresh] = []
        for parsed in batch:
            mark = digest(parsed)
            state = known_states.setdefault(parsed.record.id, _State())
            if mark in state.digests:
                continue
            pk, self._next_pk = self._next_pk, self._next_pk + 1
            state.digests.add(mark)
            self.changed.setdefault(parsed.record.id, []).append(mark)
            fresh.append(_Fresh(pk, parsed, len(state.digests), mark, state.current_pk))
            record = parsed.record
            came = state_of(record.updated_on, record.copied_on, record.detail, mark, record.origin)
            if state.newest is None or came.replaces(state.newest):
                state.newest, state.current_pk = came, pk
        if fresh:
            current = {state.current_pk for state in known_states.values()}
            self._retire(
                [fresh_state.parsed.record.id for fresh_state in fresh if fresh_state.pk in current]
            )
            self._insert(fresh, current)

    def _states(self, record_ids: set[str]) -> dict[str, "_State"]:
        """Return what is known of these records."""
        states: dict[str, _State] = {}
        columns = (RECORDS.c.record_id, RECORDS.c.current, *STATE)
        for chunk in _chunks(record_ids):
            query = select(*columns).where(RECORDS.c.record_id.in_(chunk))
            for record_id, is_current, pk, *cells in self._connection.execute(query):
                state = states.setdefault(record_id, _State())
                came = state_of(*cells)
                state.digests.add(came.digest)
                if is_current == NEWEST:
                    state.newest, state.current_pk = came, pk
        return states

    def _retire(self, replaced: Sequence[str]) -> None:
        """Mark the states that are replaced."""
        for chunk in _chunks(replaced):
            older = RECORDS.c.record_id.in_(chunk)
            self._connection.execute(
                update(RECORDS).where(older, RECORDS.c.current == NEWEST).values(current=0)
            )

    def _insert(self, fresh: Sequence["_Fresh"], current: set[int]) -> None:
        shared = self._shared(fresh)
        records = [
            record_values(
                fresh_state.parsed,
                fresh_state.pk,
                fresh_state.version,
                text_pk=shared.get(fresh_state.pk, fresh_state.pk),
                mark=fresh_state.mark,
                is_current=fresh_state.pk in current,
            )
            for fresh_state in fresh
        ]
        self._many("records", RECORD_COLUMNS, records)
        facts = [fact_values(fact, state.pk) for state in fresh for fact in state.parsed.facts]
        self._many("facts", FACT_COLUMNS, facts)
        pairs = [(state.pk, state.parsed) for state in fresh if state.pk not in shared]
        spans = [span_values(span, pk) for pk, parsed in pairs for span in parsed.record.spans]
        self._many("spans", SPAN_COLUMNS, spans)
        mentions = [
            mention_values(mention, pk)
            for pk, parsed in pairs
            for mention in parsed.record.mentions
        ]
        self._many("mentions", MENTION_COLUMNS, mentions)
        self.add_texts((pk, *searched_text(parsed.record)) for pk, parsed in pairs)

    def _shared(self, fresh: Sequence["_Fresh"]) -> dict[int, int]:
        """Return states whose words are those of the newest before, with the number of these."""
        before: dict[int, tuple[int, str]] = {}
        told: dict[int, list[Values]] = {}
        for chunk in _chunks([state.previous for state in fresh if state.previous]):
            query = select(RECORDS.c.pk, RECORDS.c.text_pk, RECORDS.c.title)
            rows = self._connection.execute(query.where(RECORDS.c.pk.in_(chunk)))
            before |= {pk: (text_pk, title) for pk, text_pk, title in rows}
        for table, columns in ((SPANS, SPAN_COLUMNS), (MENTIONS, MENTION_COLUMNS)):
            for chunk in _chunks([text_pk for text_pk, _ in before.values()]):
                query = select(*(table.c[name] for name in columns)).order_by(table.c.pk)
                for row in self._connection.execute(query.where(table.c.record_pk.in_(chunk))):
                    told.setdefault(row[0], []).append(tuple(row))
        shared: dict[int, int] = {}
        for state in fresh:
            text_pk, title = before.get(state.previous, (0, ""))
            record = state.parsed.record
            spans = (span_values(span, text_pk) for span in record.spans)
            mentions = (mention_values(mention, text_pk) for mention in record.mentions)
            if text_pk and (title, told.get(text_pk, [])) == (record.title, [*spans, *mentions]):
                shared[state.pk] = text_pk
        return shared

    def _many(self, table: str, columns: Sequence[str], rows: list[Values]) -> None:
        names = ", ".join(f'"{column}"' for column in columns)
        signs = ", ".join("?" * len(columns))
        self._send(f"INSERT INTO {table} ({names}) VALUES ({signs})", rows)

    def _send(self, statement: str, rows: list[Values]) -> None:
        if rows:
            self._connection.exec_driver_sql(statement, rows)

    def check(self, *, whole: bool = True) -> list[str]:
        """Return what is wrong with the pack; empty when it may take over.

        Args:
            whole: Look at all of it, not only at what this generation brought.
        """
        problems: list[str] = []
        if whole:
            result = self._connection.scalar(text("PRAGMA integrity_check"))
            if result != "ok":
                problems.append(str(result))
        first = 0 if whole else self.first_pk
        for query, reason in _RULES:
            count: Any = self._connection.scalar(text(query), {"first": first})
            if count:
                problems.append(f"{count} {reason}")
        return problems


_RULES = (
    (
        "SELECT count(*) FROM facts WHERE record_pk >= :first AND NOT EXISTS "
        "(SELECT 1 FROM records WHERE records.pk = facts.record_pk)",
        "facts without a record",
    ),
    (
        "SELECT count(*) FROM mentions WHERE record_pk >= :first AND NOT EXISTS "
        "(SELECT 1 FROM records WHERE records.pk = mentions.record_pk)",
        "mentions without a record",
    ),
    (
        "SELECT count(*) FROM (SELECT record_id FROM records WHERE record_id IN "
        "(SELECT record_id FROM records WHERE pk >= :first) GROUP BY record_id "
        "HAVING sum(CASE WHEN current = 1 THEN 1 ELSE 0 END) <> 1) AS odd",
        "records without exactly one newest version",
    ),
)
