"""Brings a live pack of an older format up to date, in place and without its being read anew."""

from sqlalchemy import select, text, update

from storage.evidence_places import PackInUse, Place
from storage.evidence_tables import FORMAT, META

TRIES = 30
"""How often a pack is tried for that others read just then."""


def bring_up_to_date(place: Place) -> None:
    """Give the rows of an older pack the columns that came since; a pack of today is left alone.

    What was imported under older rules says of the day of a copy that it is one of a change,
    until its file is imported again.

    Args:
        place: Of the pack.

    Raises:
        PackInUse: Others do not let go of it.
    """
    if not place.exists() or _format(place) != "1":
        return
    for left in reversed(range(TRIES)):
        try:
            with place.amend() as connection:
                known = connection.scalar(select(META.c.value).where(META.c.name == "format"))
                if known == "1":
                    column = "ALTER TABLE records ADD COLUMN copied_on TEXT DEFAULT '' NOT NULL"
                    connection.execute(text(column))
                    now = update(META).where(META.c.name == "format").values(value=FORMAT)
                    connection.execute(now)
            return
        except PackInUse:
            if not left:
                raise


def _format(place: Place) -> str:
    with place.read() as connection:
        return connection.scalar(select(META.c.value).where(META.c.name == "format")) or ""
