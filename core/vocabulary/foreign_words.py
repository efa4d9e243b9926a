"""Words of questions in Chinese, Japanese, German, French and Spanish, in English."""

from functools import cache
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows

Language = Literal["de", "es", "fr", "ja", "zh"]
UNSPACED: frozenset[Language] = frozenset({"ja", "zh"})
"""Languages that put no blanks between words."""


class ForeignWordRow(TableRow):
    """A word and what it means.

    Attributes:
        said: The word.
        language: Its language.
        kind: What sort of word: disease, company, modality, route, ...
        meant: The English word, as the other tables have it.
    """

    said: str
    language: Language
    kind: str
    meant: str


@cache
def load_foreign_words() -> tuple[ForeignWordRow, ...]:
    """Return all words."""
    return load_rows("foreign_words", ForeignWordRow)


@cache
def foreign_companies() -> frozenset[str]:
    """Return the folded names of the companies that the table means."""
    return frozenset(fold_name(row.meant) for row in load_foreign_words() if row.kind == "company")
