"""Which sources a request's flags switch, and which of them this program can read."""

from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class SourceGroupRow(TableRow):
    """A group of sources.

    Attributes:
        group: Its key.
        flag: Request field that switches it; "" for one that is always on.
        title: Its name for readers.
        sources: Names that records of the pack carry, joined by "|"; "" where nothing reads it.
    """

    group: str
    flag: str
    title: str
    sources: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that records carry."""
        return tuple(name for name in self.sources.split("|") if name)


@cache
def source_groups() -> tuple[SourceGroupRow, ...]:
    """Return all groups by key."""
    return load_rows("source_groups", SourceGroupRow)
