"""Families of targets: a patent that says "JAK inhibitor" is of JAK1 and of its relatives.

Families are the rows of the table of targets with several genes of which any is meant (JAK, PARP,
FGFR, PI3K, MEK). A name that belongs to one member alone (MEK2 in the row of MEK) names that member
and not the family; the name of the row names the family even where a register
gives it to one member, too (PARP, an alias of PARP1).
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import rows_by_alias, split_glued
from core.evidence.readers.patents.names import (
    is_contextual,
    is_in_context,
    names_of_gene,
    pattern_of,
)
from core.records.names import fold_name
from core.records.patents import TargetNames
from core.vocabulary.targets import TargetRow, load_targets

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
