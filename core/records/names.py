"""How names are compared: one spelling for what only case, hyphens and accents tell apart."""

import unicodedata
from functools import lru_cache

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ω": "omega",
}
_NO_LETTERS = {number: None for number in range(128) if not chr(number).isalnum()}
"""Signs of plain text that are neither letter nor digit."""


@lru_cache(maxsize=200_000)
def fold_name(name: str) -> str:
    """Return a name without case, accents, spaces and punctuation.

    >>> fold_name("MK-3475") == fold_name("mk 3475")
    True
    >>> fold_name("Interferon β-1a")
    'interferonbeta1a'
    """
    if name.isascii():
        return name.casefold().translate(_NO_LETTERS)
    folded = unicodedata.normalize("NFKD", name).casefold()
    if not folded.isascii():
        folded = "".join(_GREEK.get(letter, letter) for letter in folded)
    return "".join(letter for letter in folded if letter.isalnum())
