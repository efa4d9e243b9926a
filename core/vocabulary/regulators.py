"""Words of a question that name a regulator: "FDA", "European", "outside the US"."""

import re
from functools import cache

from core.vocabulary.tables import TableRow, load_rows

NOT = r"(?:outside(?: of)?|not|non|except(?: for)?|other than|excluding|ex|without|beyond)"


class RegulatorRow(TableRow):
    """A word and the regulator that it means."""

    said: str
    regulator: str


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted((row.said for row in _rows()), key=lambda word: (-len(word), word))
    alternatives = "|".join(map(re.escape, words))
    # "us" in small letters is a pronoun, so that case counts
    return re.compile(
        rf"(?<![\w-])(?P<no>(?i:{NOT})[\s-]+)?(?:(?i:in|by|from|of)\s+)?(?P<said>{alternatives})(?![\w-])"
    )


@cache
def _rows() -> tuple[RegulatorRow, ...]:
    return load_rows("regulators", RegulatorRow)


def take_regulators(text: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the regulators that a text asks for and excludes, and the text without their words.

    >>> take_regulators("NMPA approvals in oncology")
    (('NMPA',), (), 'approvals in oncology')
    >>> take_regulators("approvals outside the US")
    ((), ('FDA',), 'approvals')
    """
    meant = {row.said: row.regulator for row in _rows()}
    regulators: dict[str, None] = {}
    unwanted: dict[str, None] = {}
    for match in _pattern().finditer(text):
        (unwanted if match["no"] else regulators)[meant[match["said"]]] = None
    return tuple(regulators), tuple(unwanted), " ".join(_pattern().sub(" ", text).split())
