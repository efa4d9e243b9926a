"""Which files at hand may fill rows of the starter pack: those marked F in their folder's README.

What is marked R (ChEMBL, lists of others without a licence) stands in no row of `sources.csv`,
so that nothing of it can enter.
"""

from pydantic import BaseModel, ConfigDict

from core.vocabulary.tables import load_rows


class SourceOfRows(BaseModel):
    """A file or folder that may fill rows.

    Attributes:
        source: Source of its records.
        file: Path below the folder of evidence.
        title: How a row names it.
        url: Where the source is.
        as_of: Date of the state that it shows, where its records carry none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    file: str
    title: str
    url: str
    as_of: str


def load_sources() -> tuple[SourceOfRows, ...]:
    """Return the rows of the table."""
    return load_rows("sources", SourceOfRows)


def source_named(source: str) -> SourceOfRows:
    """Return what a source's records are called; of several files the newest."""
    return max(
        (candidate for candidate in load_sources() if candidate.source == source),
        key=lambda source: source.as_of,
    )
