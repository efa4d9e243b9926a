"""Brands of one substance: which records are about the brand that a document names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.records.names import fold_name

_REGIONS = {
    **dict.fromkeys(("drugsfda", "fda-actions", "label", "label-indications"), "FDA"),
    **{"purplebook": "FDA", "ema": "EMA", "pmda": "PMDA"},
}
"""Regulators by the source of a record."""


_VARIANT = re.compile(r"-[a-z]{4}$|\s(?:alfa|beta|gamma)$", re.IGNORECASE)
"""What distinguishes a biosimilar or another protein from the substance after which it is named."""
_BRAND = re.compile(r"[A-Z][a-z]{3,}")
"""A name that is no code and no abbreviation."""


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand of a substance that is sold under others, too.

    Attributes:
        said: As the document writes it.
        regions: Regulators in whose records the substance has no other brand.
        record_ids: Records that name this brand and no other.
    """

    said: str
    regions: frozenset[str]
    record_ids: frozenset[str]

    def names(self, record_id: str) -> bool:
        """Return whether a record names the brand and no other."""
        return record_id in self.record_ids

    def is_only(self, region: str, record_ids: Iterable[str]) -> bool:
        """Return whether all of the records are about the brand."""
        return region in self.regions or self.record_ids.issuperset(record_ids)


def find_brand(said: str, substance: str, names: Mapping[str, Sequence[str]]) -> Brand | None:
    """Return the brand that a document names; None for a substance or a code.

    Args:
        said: The name in the document.
        substance: Name of the substance.
        names: Names of the drug in each of its records, that of the substance first.
    """
    brand = _words(said)
    registered = [
        each
        for record_id, each in names.items()
        if record_id.partition(":")[0] in _REGIONS and each
    ]
    if _VARIANT.search(said) and not _VARIANT.search(substance):
        exact = {x for x, each in names.items() if fold_name(said) in map(fold_name, each)}
        return Brand(said, frozenset(), frozenset(exact))
    substances = {fold_name(each[0]) for each in registered}
    if fold_name(said) in substances or _is_substance(said, substance):
        return None
    named: set[str] = set()
    mixed: set[str] = set()
    regions: dict[str, bool] = {}
    firsts: dict[str, set[str]] = {}
    for record_id, each in names.items():
        region = _REGIONS.get(record_id.partition(":")[0], "")
        brands = [name for name in each[1:] if not _is_substance(name, substance)]
        own = [name for name in brands if brand <= _words(name)]
        if own:
            named.add(record_id)
        if len(own) < len(brands):
            mixed.add(record_id)
        firsts.setdefault(region, set()).update(
            min(_words(x), key=x.casefold().find) for x in brands
        )
        if brands and region:
            regions[region] = regions.get(region, True) and len(own) == len(brands)
    if not named and not _BRAND.fullmatch(said):
        return None
    alone = frozenset(region for region, is_alone in regions.items() if is_alone)
    alone = alone if all(len(firsts[region]) == 1 for region in regions) else frozenset()
    return Brand(said, alone, frozenset(named - mixed))


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.casefold()))


def _is_substance(name: str, substance: str) -> bool:
    """Return whether a name has a word of the substance's: a salt, a biosimilar's suffix."""
    return not _words(name).isdisjoint(_words(substance))
