"""Whether a name is that of a company, where no register says so."""

from functools import lru_cache

from core.evidence.names.companies import is_known
from core.evidence.names.identity.vocabularies import legal_forms

_COMPANY = (
    *("pharm", "bio", "therapeutic", "medicine", "laborator", "scienc", "gene", "vaccine"),
    *("immun", "cell", "thera", "health", "life", "chem"),
)
_NO_COMPANY = (
    *("universi", "hospital", "institut", "college", "cent", "clinic", "foundation", "school"),
    *("ministry", "department", "nih", "national", "group", "society", "trust", "academy"),
    *("council", "association", "assistance", "medical", "oncology", "research", "network"),
)


@lru_cache(maxsize=20_000)
def is_company(name: str) -> bool:
    """Return whether a name is a company's: a known one, or one with a legal form."""
    if is_known(name):
        return True
    folded = name.casefold()
    if any(word in folded for word in _NO_COMPANY):
        return False
    has_form = legal_forms(name)[-1] != name.strip()
    return has_form or " " not in name or has_industry_word(name)


def has_industry_word(name: str) -> bool:
    """Return whether a name holds a word of the drug industry."""
    folded = name.casefold()
    return any(word in folded for word in _COMPANY)
