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


_COMMON = frozenset({Effect.HAZARD_RATIO, Effect.ODDS_RATIO, Effect.RATE_RATIO, Effect.RISK_RATIO})
"""Ratios of which a parameter that names two names none."""
_SCALED = re.compile(r"\blog\b|\bln\b|%;|mean ratio \(percentage\)")
"""Words of an estimate on another scale than its name says."""
_COMPARED = re.compile(r"diff|compar")
RATIOS = frozenset(effect for effect in Effect if "ratio" in effect)
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
    >>> effect_of("Slope"), effect_of("Odds Ratio, log"), effect_of("Relative Risk (Hazard Ratio)")
    (None, None, None)
    """
    folded = parameter.casefold()
    named = [row.effect for row in _rows() if row.said in folded]
    if not named or _SCALED.search(folded) or len(_COMMON & {*named}) > 1:
        return None
    is_of_two = "ratio" in named[0] or _COMPARED.search(folded)
    return named[0] if is_of_two and ("ratio" in named[0] or "ratio" not in folded) else None


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
