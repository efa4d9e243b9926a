"""How patents name a target: its names, and where a text has one of them.

A symbol that is also a word (MET, KIT, CAT) counts in capitals and near a context word only; in a
text that is all in capitals the context word must stand beside it. Names come from the table of
targets and from HGNC; short aliases of HGNC, most of them names of diseases, are left out.

Families are the rows of the table of targets with several genes of which any is meant (JAK, PARP,
FGFR, PI3K, MEK). A name that belongs to one member alone (MEK2 in the row of MEK) names that member
and not the family; the name of the row names the family even where a register
gives it to one member, too (PARP, an alias of PARP1).
"""

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import rows_by_alias, split_glued
from core.identity_ports import Identity
from core.knowledge.patent_words import context_words
from core.records.identity import EntityName
from core.records.names import fold_name
from core.records.patents import TargetNames
from core.vocabulary.targets import TargetRow, load_targets

SHORTEST_ALIAS = 4
LONGEST_WORD_SYMBOL = 3
SHORTEST_SYMBOL = 2
"""So few signs are also atoms and places in a molecule (C2, C3): what acts must be next to it."""
NEAR = 60
"""Characters on each side of a symbol in which a context word must stand."""
MOST_RELATIVES = 40
MOST_NUMBERS = 30
OFFICIAL = 1
_PARTS = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d-]+")
_MUTATION = r"(?=[A-Z]\d{1,4}[A-Z]\b)"
_ADJACENT_BEFORE = re.compile(r"(\w+)\s+(?:of|for|to|against|the|by)(?:\s+the)?\s+$", re.IGNORECASE)
_WORD_AFTER = re.compile(r"[\s-]+([A-Za-z-]+)")


def patent_names(target: str, resolver: Resolver) -> TargetNames | None:
    """Return how a target is called; None where it is no gene that identity knows.

    Args:
        target: As asked: a symbol, an alias, or an expression of the table ("KRAS G12C").
        resolver: Knows genes.
    """
    row = rows_by_alias().get(fold_name(split_glued(target)))
    symbol = _symbol_of(target, row, resolver)
    if not symbol:
        return None
    if symbol.casefold() == target.strip().casefold():
        row = None
    key = resolver.resolve("target", symbol).key
    names = _names_of(symbol, row, key, resolver.identity)
    return TargetNames(
        symbol,
        names,
        tuple(name for name in names if is_contextual(name, symbol)),
        tuple(_relatives(symbol, resolver.identity)),
        tuple(_others(target, key, resolver.identity)),
    )


def _symbol_of(target: str, row: TargetRow | None, resolver: Resolver) -> str:
    """Return the approved symbol; one that is written as asked wins over the table."""
    match = resolver.resolve("target", target)
    if match.key and (row is None or match.label.casefold() == target.strip().casefold()):
        return match.label
    return row.genes[0] if row is not None and row.genes else ""


def _names_of(
    symbol: str, target_row: TargetRow | None, key: str, identity: Identity
) -> tuple[str, ...]:
    """Return the names to look for; those of a variant alone where a variant was asked for."""
    if target_row is not None and (target_row.variant or len(target_row.genes) > 1):
        return tuple(dict.fromkeys(target_row.aliases))
    names = [symbol]
    for row in load_targets():
        if row.genes == (symbol,) and not row.variant:
            names += row.aliases
    for entry in identity.names("target", key):
        folded = fold_name(entry.name)
        is_shared = len({other.key for other in _bearers(folded, identity)}) > 1
        if entry.level == OFFICIAL or (len(folded) >= SHORTEST_ALIAS and not is_shared):
            name = entry.name.partition(",")[0]
            names += [] if all(map(context_words().fullmatch, name.split())) else [name]
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.casefold(), name)
    return tuple(first.values())


def names_of_gene(symbol: str, resolver: Resolver) -> tuple[str, ...]:
    """Return how a gene is called, its symbol first."""
    key = resolver.resolve("target", symbol).key
    return _names_of(symbol, None, key, resolver.identity)


def _bearers(folded: str, identity: Identity) -> Sequence[EntityName]:
    return identity.lookup("target", [folded]).get(folded, ())


@lru_cache(maxsize=1)
def _words_by_table() -> frozenset[str]:
    return frozenset(folded for row in load_targets() for folded in row.ambiguous)


def is_contextual(name: str, symbol: str) -> bool:
    """Return whether a name is also a word, or letters that are not to be told from one.

    Capitals of an alias are often made to spell a word: LIGHT is TNFSF14.
    """
    if fold_name(name) in _words_by_table() and name.isalpha():
        return True
    if name != symbol and name.isalpha() and name.isupper():
        return True
    if len(name) <= SHORTEST_SYMBOL:
        return True
    limit = LONGEST_WORD_SYMBOL if name == symbol else SHORTEST_ALIAS
    return name.isalpha() and len(name) <= limit


def _others(target: str, key: str, identity: Identity) -> list[str]:
    """Return approved symbols of other genes that bear the name that was asked for."""
    keys = sorted({name.key for name in _bearers(fold_name(target), identity)} - {key})
    return sorted(entity.label for entity in identity.entities("target", keys).values())


def _relatives(symbol: str, identity: Identity) -> list[str]:
    """Return approved symbols that differ in the first or last letter or in a number."""
    names = _official(_varied(symbol), identity)
    return [name for name in names if name != symbol][:MOST_RELATIVES]


def _varied(symbol: str) -> Iterator[str]:
    letters = string.ascii_uppercase
    if symbol.isalpha() and len(symbol) > LONGEST_WORD_SYMBOL:
        yield from (f"{letter}{symbol[1:]}" for letter in letters)
        yield from (f"{symbol[:-1]}{letter}" for letter in letters)
    for number in re.finditer(r"\d+", symbol):
        for other in range(1, MOST_NUMBERS + 1):
            yield f"{symbol[: number.start()]}{other}{symbol[number.end() :]}"
    if symbol[-1].isalpha() and not symbol.isalpha():
        yield from (f"{symbol[:-1]}{letter}" for letter in letters)


def nearest_symbols(text: str, identity: Identity) -> list[str]:
    """Return approved symbols that are one sign away from a text that names no gene."""
    plain = fold_name(text).upper()[:20]
    signs = string.ascii_uppercase + string.digits
    cuts = [(plain[:at], plain[at:]) for at in range(len(plain) + 1)]
    nearby_symbols = [before + after[1:] for before, after in cuts if after]
    nearby_symbols += [
        before + sign + after[1:] for before, after in cuts if after for sign in signs
    ]
    nearby_symbols += [before + sign + after for before, after in cuts for sign in signs]
    nearby_symbols += [
        before + after[1] + after[0] + after[2:] for before, after in cuts if after[1:]
    ]
    return _official(nearby_symbols, identity)[:5]


def _official(symbols: Iterator[str] | list[str], identity: Identity) -> list[str]:
    """Return those that are approved symbols, in their order."""
    distinct = list(dict.fromkeys(symbols))
    names_by_symbol = identity.lookup("target", [fold_name(symbol) for symbol in distinct])
    official = {
        name.name for names in names_by_symbol.values() for name in names if name.level == OFFICIAL
    }
    return [symbol for symbol in distinct if symbol in official]


class TargetReader:
    """Tells whether texts name a target."""

    def __init__(self, names: TargetNames) -> None:
        """Keep the names."""
        contextual = set(names.contextual)
        plain = [name for name in names.names if name not in contextual]
        self._plain = pattern_of(plain, re.IGNORECASE)
        self._contextual = pattern_of([name for name in names.names if name in contextual], 0)
        others = [relative for relative in names.relatives if relative not in names.names]
        self._relatives = pattern_of(others, 0)

    def names_target(self, text: str) -> bool:
        """Return whether a text names the target."""
        return next(self.find_mentions(text), None) is not None

    def find_mentions(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the places at which a text names the target."""
        yield from self._plain.finditer(text)
        words = self._contextual.finditer(text)
        yield from (word for word in words if is_in_context(text, word))

    def names_relative(self, text: str) -> bool:
        """Return whether a text names another gene of the family."""
        return bool(self._relatives.search(text))


def is_in_context(text: str, match: re.Match[str]) -> bool:
    """Return whether a name that is also a word names a target where it stands.

    In a text that is all in capitals, and for two signs, what acts must be next to it.
    """
    letters = [sign for sign in text if sign.isalpha()]
    is_shouted = 2 * sum(sign.isupper() for sign in letters) > len(letters)
    if is_shouted or len(match[0]) <= SHORTEST_SYMBOL:
        return _is_beside(text, match)
    before = text[max(0, match.start() - NEAR) : match.start()]
    after = text[match.end() : match.end() + NEAR]
    return bool(context_words().search(before) or context_words().search(after))


def _is_beside(text: str, match: re.Match[str]) -> bool:
    """Return whether the next word is a context word, or "inhibitor of" stands before."""
    after = _WORD_AFTER.match(text, match.end())
    if after and context_words().fullmatch(after[1]):
        return True
    before = _ADJACENT_BEFORE.search(text[: match.start()])
    return bool(before and context_words().fullmatch(before[1]))


def pattern_of(names: Sequence[str], flags: int, unless: str = "") -> re.Pattern[str]:
    """Return what finds whole names; parts may be joined by a hyphen, a blank or nothing.

    Args:
        names: Written as printed.
        flags: Of the expression.
        unless: What must not stand behind a name.
    """
    joined = "|".join(
        r"[\s-]?".join(map(re.escape, _PARTS.findall(name)))
        for name in sorted(names, key=len, reverse=True)
        if _PARTS.search(name)
    )
    if not joined:
        return re.compile("(?!)")
    return re.compile(rf"(?<![A-Za-z\d])(?:{joined})(?:(?![A-Za-z\d])|{_MUTATION}){unless}", flags)


_MEMBER_AFTER = r"(?![\s-]?(?:\d|[\u03b1-\u03c9]|alpha\b|beta\b|gamma\b|delta\b))"
"""What stands behind a family's name where it is only the stem of a member's ("JAK 2", "PI3Kα")."""


def asked_family(target: str) -> TargetRow | None:
    """Return the family that a text names; None where it names no family."""
    row = rows_by_alias().get(fold_name(split_glued(target)))
    return row if row is not None and row.relation == "family" and len(row.genes) > 1 else None


def join_family(names: TargetNames, target: str, resolver: Resolver) -> TargetNames:
    """Return the names of a target with those of its family, and of the family's other members.

    Args:
        names: Of the target. Those of a variant ("KRAS G12C") come back as they are, for no
            family's name stands for it; a family that was asked for stands for all its members.
        target: As asked.
        resolver: Knows genes.
    """
    row = asked_family(target)
    if row is not None and names.symbol.casefold() != target.strip().casefold():
        return _of_family(names, row, resolver)
    if names.symbol not in names.names:
        return names
    rows = [
        target
        for target in load_targets()
        if target.relation == "family" and not target.variant and names.symbol in target.genes
    ]
    shared = {fold_name(row.expression) for row in rows}
    own_names = tuple(name for name in names.names if fold_name(name) not in shared)
    genes = dict.fromkeys(gene for row in rows for gene in row.genes if gene != names.symbol)
    named = _unique(name for gene in genes for name in names_of_gene(gene, resolver))
    taken = {fold_name(own_name) for own_name in own_names}
    members = tuple(name for name in named if fold_name(name) not in taken | shared)
    taken |= {fold_name(member) for member in members}
    unique = _unique(name for row in rows for name in (row.expression, *row.aliases))
    family = tuple(name for name in unique if fold_name(name) not in taken)
    words = tuple(name for name in (*family, *members) if is_contextual(name, names.symbol))
    return replace(
        names,
        names=own_names,
        contextual=(*(name for name in names.contextual if name in own_names), *words),
        family=family,
        members=members,
    )


def _of_family(names: TargetNames, row: TargetRow, resolver: Resolver) -> TargetNames:
    """Return the names of a family that was asked for: its own and those of all its members."""
    members = _unique(name for gene in row.genes for name in names_of_gene(gene, resolver))
    unique = _unique((*row.aliases, *members))
    words = tuple(name for name in unique if is_contextual(name, row.expression))
    return TargetNames(row.expression, unique, words, ambiguous=names.ambiguous)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without repeats but for case."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.casefold(), name)
    return tuple(first.values())


class FamilyReader:
    """Tells which texts name the family of a target, and which its relatives alone."""

    def __init__(self, names: TargetNames) -> None:
        """Keep the names."""
        words = set(names.contextual)
        self._family = pattern_of(
            [name for name in names.family if name not in words], re.IGNORECASE, _MEMBER_AFTER
        )
        self._family_words = pattern_of(
            [name for name in names.family if name in words], 0, _MEMBER_AFTER
        )
        self._members = pattern_of(
            [member for member in names.members if member not in words], re.IGNORECASE
        )

    def names_member(self, text: str) -> str:
        """Return the first other member of the family that a text names; "" for none."""
        match = self._members.search(text)
        return match[0] if match else ""

    def names_family(self, text: str) -> str:
        """Return the name by which a text names the family as a whole; "" where it does not."""
        plain = self._members.sub(" ", text)
        match = self._family.search(plain)
        if match is None:
            words = self._family_words.finditer(plain)
            match = next((word for word in words if is_in_context(plain, word)), None)
        return " ".join(match[0].split()) if match else ""
