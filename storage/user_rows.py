"""Rows of accounts: found, named, turned into records, and never without an administrator."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.records.runs import User
from storage.columns import record_of
from storage.tables import UserRow

DELETED = "deleted:"
"""Begins the name of a deleted account; no other can be called so."""
NAME = re.compile(r"[a-z0-9._@-]{3,64}")


def check_name(name: str) -> None:
    """Refuse a malformed name.

    Raises:
        InvalidInput: It has other signs, or too few or too many.
    """
    if not NAME.fullmatch(name) or name.startswith("."):  # addresses with /. lead nowhere
        raise InvalidInput(
            "an account's name has 3 to 64 of: a-z 0-9 . _ - @, and does not begin with a dot",
            field="name",
        )


@contextmanager
def taking_name() -> Iterator[None]:
    """Say in plain words that a name is taken."""
    try:
        yield
    except IntegrityError as error:
        raise InvalidInput(
            "this name is taken; choose another", field="name", code="name_taken"
        ) from error


def find_user(session: Session, user_id: int, *, is_changing: bool = False) -> UserRow:
    """Return the row of an account, locked against other changes where it is to change.

    Raises:
        NotFound: There is none.
    """
    row = session.get(UserRow, user_id, with_for_update=is_changing)
    if row is None or row.name.startswith(DELETED):
        raise NotFound("account not found")
    return row


def id_of(row: UserRow) -> int:
    """Return the id of a row that the database has written."""
    assert row.id is not None
    return row.id


def keep_an_administrator(session: Session, leaving: UserRow) -> None:
    """Refuse a change after which nobody could administer; others who try it wait."""
    if leaving.role != "admin" or leaving.disabled_at is not None:
        return
    query = select(UserRow).where(col(UserRow.role) == "admin").with_for_update()
    for row in session.exec(query.order_by(col(UserRow.id))):
        if row.id != leaving.id and row.disabled_at is None and row.password_set_at is not None:
            return
    raise InvalidInput(
        f"{leaving.name} is the only administrator; make another one first",
        code="last_administrator",
    )


def user_of(row: UserRow, *, is_linked: bool = False) -> User:
    """Return an account as a record, without its password."""
    return record_of(row, User, user_id=row.id, is_linked=is_linked)
