"""Companies by ticker and by key, as the register of filings writes them."""

import re
from collections.abc import Collection

from core.evidence.names.companies import company_group
from core.evidence.names.identity.resolver import Resolver
from core.records.names import fold_name

TICKER_LEVEL = 3
"""Level of a company's name that is a ticker."""
_STATE = re.compile(r"\s*/\s*[A-Z]{2}\s*/?$")
"""The state that the register of filings writes behind a name."""


def company_of_ticker(said: str, resolver: Resolver) -> str:
    """Return the group of a ticker; "" where it is none, or that of two."""
    found = resolver.identity.lookup("company", [fold_name(said)])
    keys = {
        one.key
        for names in found.values()
        for one in names
        if one.level == TICKER_LEVEL and said.strip().upper() == one.name.upper()
    }
    return group_of_key(keys, resolver)


def group_of_key(keys: Collection[str], resolver: Resolver) -> str:
    """Return the group of the one company of these keys; "" where there is none, or two."""
    if len(keys) != 1:
        return ""
    entities = resolver.identity.entities("company", sorted(keys))
    return next((company_group(_STATE.sub("", one.label)) for one in entities.values()), "")
