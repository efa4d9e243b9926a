"""Saved lists of drugs and companies; every statement names the owner.

Writers lock the owner's row first, so that two at once see each other on PostgreSQL, too.
"""

from collections.abc import Sequence

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.records.lists import ListKind, SavedList
from core.records.names import fold_name
from storage.base import DatedStore
from storage.columns import record_of
from storage.tables import ListEntryRow, SavedListRow, UserRow

MOST_LISTS = 100
"""Lists of one person."""
MOST_ENTRIES = 500
"""Names in one list."""
LONGEST_NAME = 80
LONGEST_ENTRY = 200


class ListStore(DatedStore):
    """The lists of all people (core.list_ports.Lists)."""

    def of(self, owner_id: int) -> Sequence[SavedList]:
        """Return the owner's lists by name."""
        query = select(SavedListRow).where(col(SavedListRow.owner_id) == owner_id)
        with self._database.read() as session:
            rows = session.exec(query).all()
            ids = [row.id for row in rows]
            entries = session.exec(
                select(ListEntryRow)
                .where(col(ListEntryRow.list_id).in_(ids))
                .order_by(col(ListEntryRow.id))
            ).all()
            entries_by_list: dict[int, list[str]] = {}
            for entry in entries:
                entries_by_list.setdefault(entry.list_id, []).append(entry.entry)
            lists = [_record(row, entries_by_list.get(row.id or 0, ())) for row in rows]
        return sorted(
            lists, key=lambda saved_list: (saved_list.name.casefold(), saved_list.list_id)
        )

    def make(self, owner_id: int, name: str, kind: ListKind) -> SavedList:
        """Make an empty list; one of this name and kind is that list.

        Raises:
            InvalidInput: The name is blank, too long or that of a list of the other kind, or there
                are too many lists.
        """
        cleaned = _clean(name, "name", LONGEST_NAME)
        with self._database.write() as session:
            _lock(session, owner_id)
            row = _named(session, owner_id, cleaned)
            if row is not None and row.kind == kind:
                return _read(session, row)
            if row is not None:
                raise InvalidInput(f"there is a list of this name for a {row.kind}", field="name")
            n_lists = select(func.count()).where(col(SavedListRow.owner_id) == owner_id)
            if session.exec(n_lists).one() >= MOST_LISTS:
                raise InvalidInput(
                    f"there are {MOST_LISTS} lists, as many as may be; delete one first",
                    field="name",
                )
            row = SavedListRow(
                owner_id=owner_id, name=cleaned, name_key=cleaned.casefold(), kind=kind
            )
            row.created_at = self._now()
            session.add(row)
            session.flush()
            return _record(row, ())

    def change(
        self,
        owner_id: int,
        list_id: int,
        *,
        name: str | None = None,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> SavedList:
        """Rename a list, add names that it does not have yet, take names out; all or nothing.

        Raises:
            NotFound: There is no such list, or it is somebody else's.
            InvalidInput: The new name is blank, too long or that of another list (`name_taken`), an
                entry is blank, too long or has no letter or digit, or the list would grow too long.
        """
        new_name = None if name is None else _clean(name, "name", LONGEST_NAME)
        added = {_key(entry): entry for entry in (_clean(e, "entries", LONGEST_ENTRY) for e in add)}
        with self._database.write() as session:
            _lock(session, owner_id)
            row = _own(session, owner_id, list_id)
            if new_name is not None:
                other = _named(session, owner_id, new_name)
                if other is not None and other.id != row.id:
                    raise InvalidInput(
                        "you have another list of this name", field="name", code="name_taken"
                    )
                row.name, row.name_key = new_name, new_name.casefold()
            present = {_key(entry) for entry in _entries(session, row)}
            fresh = {key: entry for key, entry in added.items() if key not in present}
            if len(present) + len(fresh) > MOST_ENTRIES:
                raise InvalidInput(
                    f"a list has at most {MOST_ENTRIES} names; this one has {len(present)} and "
                    f"would get {len(fresh)} more",
                    field="entries",
                )
            for key, entry in fresh.items():
                session.add(ListEntryRow(list_id=list_id, entry=entry, entry_key=key))
                session.flush()
            keys = [fold_name(entry) for entry in remove]
            session.exec(
                delete(ListEntryRow).where(
                    col(ListEntryRow.list_id) == row.id, col(ListEntryRow.entry_key).in_(keys)
                )
            )
            return _read(session, row)

    def delete(self, owner_id: int, list_id: int) -> None:
        """Delete a list with its names.

        Raises:
            NotFound: There is no such list, or it is somebody else's.
        """
        with self._database.write() as session:
            session.delete(_own(session, owner_id, list_id))


def _lock(session: Session, owner_id: int) -> None:
    session.exec(select(UserRow.id).where(col(UserRow.id) == owner_id).with_for_update()).first()


def _own(session: Session, owner_id: int, list_id: int) -> SavedListRow:
    query = select(SavedListRow).where(
        col(SavedListRow.id) == list_id, col(SavedListRow.owner_id) == owner_id
    )
    row = session.exec(query).first()
    if row is None:
        raise NotFound("list not found")
    return row


def _named(session: Session, owner_id: int, name: str) -> SavedListRow | None:
    query = select(SavedListRow).where(
        col(SavedListRow.owner_id) == owner_id, col(SavedListRow.name_key) == name.casefold()
    )
    return session.exec(query).first()


def _entries(session: Session, row: SavedListRow) -> list[str]:
    query = (
        select(ListEntryRow.entry)
        .where(col(ListEntryRow.list_id) == row.id)
        .order_by(col(ListEntryRow.id))
    )
    return list(session.exec(query))


def _read(session: Session, row: SavedListRow) -> SavedList:
    return _record(row, _entries(session, row))


def _record(row: SavedListRow, entries: Sequence[str]) -> SavedList:
    return record_of(row, SavedList, list_id=row.id, entries=tuple(entries))


def _key(entry: str) -> str:
    key = fold_name(entry)
    if not key:
        raise InvalidInput(f"{entry!r} holds no letter or digit", field="entries")
    return key


def _clean(text: str, field: str, longest: int) -> str:
    """Return a name on one line without spaces at its ends."""
    cleaned = " ".join(text.split())
    if not cleaned:
        raise InvalidInput("the name is blank; write one", field=field)
    if max(len(cleaned), len(cleaned.casefold()), len(fold_name(cleaned))) > longest:
        raise InvalidInput(
            f"a name has at most {longest} signs; this has {len(cleaned)}", field=field
        )
    return cleaned
