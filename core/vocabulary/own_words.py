"""Classes for what sources write in sentences: ages, boxed warnings, reasons of stops, uses."""

from typing import Literal

from core.vocabulary.tables import TableRow

Kind = Literal["age", "boxed", "stop", "use"]


class OwnWordRow(TableRow):
    """A class and how sentences write it.

    Attributes:
        kind: What it is a class of.
        rank: When its pattern is tried among those of its kind.
        word: The class.
        pattern: How it is written.
    """

    kind: Kind
    rank: int
    word: str
    pattern: str
