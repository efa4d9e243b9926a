"""Kinds of effects: what a parameter or a method of an analysis estimates, declared once."""

import re
from functools import cache

from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.words import Word


class Effect(Word):
    """What an analysis estimates of two arms."""

    DIFFERENCE = "difference"
    DIFFERENCE_IN_MEANS = "difference in means"
    DIFFERENCE_IN_MEDIANS = "difference in medians"
    HAZARD_RATIO = "hazard ratio"
    ODDS_RATIO = "odds ratio"
    RATE_RATIO = "rate ratio"
    RATIO_OF_MEANS = "ratio of means"
    RISK_RATIO = "risk ratio"


RATIOS = frozenset(one for one in Effect if "ratio" in one)
"""Effects without a unit; a difference has that of its measure."""


class EffectRow(TableRow):
    """Words by which an effect is named.

    Attributes:
        said: Words as they stand in a parameter, in small letters.
        effect: What they name.
        method: "yes" where they name it in the description of a method, too.
    """

    said: str
    effect: Effect
    method: str


@cache
def _rows() -> tuple[EffectRow, ...]:
    """Return the rows, the longest words first: "LS mean ratio" is no "LS mean"."""
    return tuple(sorted(load_rows("effects", EffectRow), key=lambda row: -len(row.said)))


def effect_of(parameter: str) -> Effect | None:
    """Return what kind of effect a parameter of an analysis is; None for any other.

    >>> effect_of("Hazard Ratio (HR)").value, effect_of("Mean Difference (Final Values)").value
    ('hazard ratio', 'difference in means')
    >>> effect_of("Slope")
    """
    folded = parameter.casefold()
    return next((row.effect for row in _rows() if row.said in folded), None)


def effect_of_method(*texts: str) -> Effect | None:
    """Return the one ratio that the words of a method name; None where they name none or two.

    >>> effect_of_method("Stratified Cox model; the hazard ratio is of A to B").value
    'hazard ratio'
    >>> effect_of_method("odds ratio and risk ratio were estimated")
    """
    folded = " ".join(texts).casefold()
    named = {row.effect for row in _rows() if row.method and _stands_in(row.said, folded)}
    return named.pop() if len(named) == 1 else None


def _stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}s?(?!\w)", text) is not None
