"""Companies by ticker and by key, as the register of filings writes them."""

from collections.abc import Collection, Iterable

from core.evidence.names.companies import company_group, has_industry_word, row_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import PRIMARY_TICKER, strip_state
from core.records.names import fold_name
from core.vocabulary.companies import load_companies

OWN_NAMES = frozenset(
    {"own name", "legal name", "former name", "new name", "as registers write it"}
)
"""Relations of names that identify a company; a short name ("Vertex") may be another company's."""


def company_of_ticker(ticker: str, resolver: Resolver) -> str:
    """Return the group of a ticker; "" where it is none, or that of two."""
    names_by_text = resolver.identity.lookup("company", [fold_name(ticker)])
    keys = {
        entry.key
        for names in names_by_text.values()
        for entry in names
        if entry.level >= PRIMARY_TICKER and ticker.strip().upper() == entry.name.upper()
    }
    return group_of_key(keys, resolver)


def group_of_key(keys: Collection[str], resolver: Resolver) -> str:
    """Return the group of the one company of these keys; "" where there is none, or two."""
    if len(keys) != 1:
        return ""
    entities = resolver.identity.entities("company", sorted(keys))
    return next((company_group(strip_state(entry.label)) for entry in entities.values()), "")


def find_ticker(group: str, written: Iterable[str], resolver: Resolver) -> str | None:
    """Return the primary ticker of a company; None where no register entry is surely its own.

    The register names no line of business, so its entry counts only where its legal name is one
    of the company's full names in the table of companies, or is the name itself with a word of the
    industry.
    """
    listed = [row.name for row in load_companies() if row.group == group and is_own_name(row.name)]
    spelled = [name for name in written if is_own_name(name)]
    names = dict.fromkeys(map(fold_name, (group, *listed, *spelled)))
    names_by_text = resolver.identity.lookup("company", list(names))
    keys = {
        entry.key
        for many in names_by_text.values()
        for entry in many
        if entry.level < PRIMARY_TICKER
    }
    labels = resolver.identity.entities("company", sorted(keys))
    sure = [key for key, entry in labels.items() if _is_entry_of(strip_state(entry.label), group)]
    if len(sure) != 1:
        return None
    tickers = resolver.identity.names("company", sure[0])
    return next((entry.name for entry in tickers if entry.level == PRIMARY_TICKER), None)


def is_own_name(name: str) -> bool:
    """Return whether a name is no short name, and not of a company that is part of another."""
    row = row_of(name)
    return row is None or row.relation in OWN_NAMES


def _is_entry_of(label: str, group: str) -> bool:
    """Return whether a legal name of the register is surely that of a company."""
    if fold_name(company_group(label)) != fold_name(group) or not is_own_name(label):
        return False
    return row_of(label) is not None or has_industry_word(label)
