"""Generations of a pack: what each brought, told by notes in `meta`, and how the next one comes.

The states of records are numbered as they come, so that the number at which a generation began
tells which one brought a state. Of each source stands a mark that changes with every state that
comes, so that an answer may be kept while the sources that it rests on stay as they are.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby, islice

from sqlalchemy import Connection, delete, insert, select

from core.errors import EvidenceDamaged
from core.records.evidence import Damage, Parsed
from core.records.evidence_pack import ImportedFile
from storage.evidence.names import update_names
from storage.evidence.pack_file import PackFile, PackInUse
from storage.evidence.pack_reader import read_note
from storage.evidence.schema import CHUNK, META, RECORDS, create_indexes, optimize, refresh_names
from storage.evidence.states import mark_fuller
from storage.evidence.writer import PackWriter

MOST_AMENDED = 2_000
"""Records that one small import may bring; they are kept in memory."""
_GENERATION, _BEGINS, _SOURCE = "generation", "generation begins ", "source "


def source_marks(connection: Connection) -> dict[str, str]:
    """Return the mark of each source; empty for a pack from before there were marks."""
    query = select(META.c.name, META.c.value).where(META.c.name.startswith(_SOURCE))
    return {name.removeprefix(_SOURCE): mark for name, mark in connection.execute(query)}


def beginnings(connection: Connection) -> list[tuple[int, int]]:
    """Return generations with the number of the first state that they may have brought."""
    query = select(META.c.name, META.c.value).where(META.c.name.startswith(_BEGINS))
    rows = connection.execute(query)
    return sorted((int(name.removeprefix(_BEGINS)), int(first)) for name, first in rows)


def generation_of(pk: int, begun: Sequence[tuple[int, int]]) -> int:
    """Return the generation that brought a state; 0 where that was not noted.

    >>> [generation_of(pk, [(3, 10), (4, 20)]) for pk in (9, 10, 25)]
    [0, 3, 4]
    """
    return max((number for number, first in begun if first <= pk), default=0)


def raise_generation(connection: Connection, writer: PackWriter) -> int:
    """Count this generation, note what it brought, and return its number."""
    number = int(read_note(connection, _GENERATION) or 0) + 1
    notes = {_GENERATION: str(number), f"{_BEGINS}{number}": str(writer.first_pk)}
    marks = source_marks(connection)
    fresh = _by_source(writer.changed) if marks else _all_digests(connection)
    for source, digests in fresh.items():
        content = "\n".join((marks.get(source, ""), *sorted(digests)))
        notes[f"{_SOURCE}{source}"] = hashlib.sha256(content.encode()).hexdigest()[:16]
    connection.execute(delete(META).where(META.c.name.in_(list(notes))))
    connection.execute(
        insert(META), [{"name": name, "value": value} for name, value in notes.items()]
    )
    return number


def _by_source(changed: dict[str, list[str]]) -> dict[str, list[str]]:
    digests_by_source: dict[str, list[str]] = defaultdict(list)
    for record_id, digests in changed.items():
        digests_by_source[record_id.partition(":")[0]] += digests
    return digests_by_source


def _all_digests(connection: Connection) -> dict[str, list[str]]:
    """Return the digests of all states by source, for the first marks of a pack."""
    digests: dict[str, list[str]] = defaultdict(list)
    for source, mark in connection.execute(select(RECORDS.c.source, RECORDS.c.digest)):
        digests[source].append(mark)
    return digests


def complete(connection: Connection, writer: PackWriter, *, has_indexes: bool) -> None:
    """Index and check the next pack as a whole."""
    if not has_indexes:
        create_indexes(connection)
    mark_fuller(connection)
    refresh_names(connection)
    raise_generation(connection, writer)
    optimize(connection)
    _refuse(writer.check())


def complete_part(connection: Connection, writer: PackWriter) -> None:
    """Bring what follows from the records up to date, and check what this generation brought."""
    changed = sorted(writer.changed)
    mark_fuller(connection, changed)
    for start in range(0, len(changed), CHUNK):
        update_names(connection, changed[start : start + CHUNK])
    raise_generation(connection, writer)
    _refuse(writer.check(whole=False))


def _refuse(problems: Collection[str]) -> None:
    if problems:
        raise EvidenceDamaged(
            f"the new evidence pack failed its check ({'; '.join(problems)}); the old one stays"
        )


class NextGeneration:
    """Takes what an import brings (core.evidence_ports.EvidenceWriter).

    Little is kept and written into the live pack in one go; much is written into a copy.
    """

    def __init__(self, file: PackFile, stack: ExitStack) -> None:
        """Set the file of the pack.

        Args:
            file: The live pack.
            stack: Ends the writing of a copy.
        """
        self._file = file
        self._stack = stack
        self._kept: list[Parsed | Damage | ImportedFile] = []
        self._room = MOST_AMENDED if file.exists() else 0
        self._copy: tuple[Connection, PackWriter, bool] | None = None

    def add(self, parsed: Iterable[Parsed]) -> int:
        """Take records with facts and return how many came."""
        stream = iter(parsed)
        came = 0
        if self._copy is None:
            kept_parseds = list(islice(stream, self._room + 1))
            self._kept += kept_parseds
            self._room -= len(kept_parseds)
            came = len(kept_parseds)
        return came if self._room >= 0 else came + self._writer().add(stream)

    def report(self, damage: Damage) -> None:
        """Note a row that could not be read."""
        self._note(damage)

    def finish_file(self, file: ImportedFile) -> None:
        """Note that a file was read to its end."""
        self._note(file)

    def take_over(self) -> None:
        """Let what came be the next generation. Raises EvidenceDamaged, StorageFull."""
        if self._copy is None and self._file.exists() and self._amend():
            return
        writer = self._writer()
        assert self._copy is not None  # noqa: S101  (the writer opened it)
        connection, _, has_indexes = self._copy
        complete(connection, writer, has_indexes=has_indexes)

    def _note(self, damage: Damage | ImportedFile) -> None:
        if self._copy is None:
            self._kept.append(damage)
        else:
            self._write(self._copy[1], [damage])

    def _writer(self) -> PackWriter:
        """Return the writer of the copy, which begins with what was kept."""
        if self._copy is None:
            opened = self._file.replace(keep=True)
            connection, has_indexes = self._stack.enter_context(opened)
            writer = PackWriter(connection)
            self._copy = (connection, writer, has_indexes)
            self._write(writer, self._kept)
            self._kept = []
        return self._copy[1]

    def _amend(self) -> bool:
        """Write into the live pack; return False when its readers do not let go of it."""
        try:
            with self._file.amend() as connection:
                writer = PackWriter(connection)
                self._write(writer, self._kept)
                complete_part(connection, writer)
        except PackInUse:
            return False
        return True

    @staticmethod
    def _write(writer: PackWriter, entries: Sequence[Parsed | Damage | ImportedFile]) -> None:
        for kind, came in groupby(entries, key=type):
            if kind is Parsed:
                writer.add(entry for entry in came if isinstance(entry, Parsed))
                continue
            for entry in came:
                if isinstance(entry, Damage):
                    writer.report(entry)
                elif isinstance(entry, ImportedFile):
                    writer.finish_file(entry)


@contextmanager
def next_generation(file: PackFile) -> Iterator[NextGeneration]:
    """Give a writer; on leaving without an error what came is checked and takes over.

    Args:
        file: The live pack.

    Raises:
        EvidenceDamaged: The check failed; the old pack stays.
        StorageFull: The disk is full; the old pack stays.
    """
    with ExitStack() as stack:
        writer = NextGeneration(file, stack)
        yield writer
        writer.take_over()
