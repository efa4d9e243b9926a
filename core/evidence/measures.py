"""What kind of measure an outcome is: how well a drug works, how safe it is, how it is exposed.

The table (`measures.csv`) is the curators' own; it only sorts measures as written and names no
value.
"""

import csv
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

TABLE = Path(__file__).with_name("measures.csv")
Side = Literal["efficacy", "safety", "exposure", "other"]
LAST = 99
"""Rank of a measure that no row of the table knows."""


@dataclass(frozen=True, slots=True)
class MeasureClass:
    """A kind of measure.

    Attributes:
        name: Its name.
        rank: Place among those of its side, the most telling first.
        side: What it speaks of.
        pattern: Words by which it is known.
    """

    name: str
    rank: int
    side: Side
    pattern: re.Pattern[str]


UNKNOWN = MeasureClass("other", LAST, "other", re.compile("(?!)"))
_SIDES: dict[str, Side] = {"efficacy": "efficacy", "safety": "safety", "exposure": "exposure"}
SEVERE = re.compile(
    r"grade\s*(?:[\u2265>]=?\s*3|3(?:\s*(?:or|to|-|and)\s*(?:higher|above|greater|[45]))|[34]\s*/)|"
    r"(?:[\u2265>]=?\s*|at least )grade 3|grade 3 or",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def load_measures() -> tuple[MeasureClass, ...]:
    """Return the kinds of measures: safety and exposure first, which efficacy words also name."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        rows = [
            MeasureClass(
                row["class"],
                int(row["rank"]),
                _SIDES[row["side"]],
                re.compile(row["pattern"], re.IGNORECASE),
            )
            for row in csv.DictReader(text)
        ]
    order = {"exposure": 0, "safety": 1, "efficacy": 2}
    return tuple(sorted(rows, key=lambda one: (order[one.side], one.rank)))


@lru_cache(maxsize=20_000)
def classify_measure(measure: str) -> MeasureClass:
    """Return the kind of a measure.

    >>> classify_measure("Objective Response Rate (ORR)").name
    'response rate'
    >>> classify_measure("Number of Participants With Adverse Events").side
    'safety'
    """
    return next((one for one in load_measures() if one.pattern.search(measure)), UNKNOWN)
