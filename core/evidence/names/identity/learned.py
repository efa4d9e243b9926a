"""Names that records give to drugs and that the identity pack lacks.

A brand counts only where every regulator's record that has it names one single substance; a
brand of two products stays unresolved. A code counts where at least two records of trials write
it beside one known drug ("DPX-101 (drugamab)") and none writes it beside anything else.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from core.evidence.names.identity.drug_names import IN_BRACKETS, is_no_drug
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.identity import Entity, EntityName, IdentityRow, Level
from core.records.names import fold_name

REGULATORS = ("purplebook", "drugsfda", "label", "pmda")
SHORTEST_LEARNED = 3
LEAST_RECORDS = 2
_CODE = re.compile(r"[A-Za-z]{2,6}[- ]?\d{3,8}[A-Za-z]{0,2}(?:-\d{1,4})?")
_VEHICLE = re.compile(r"(?:dextrose|sodium chloride|water)\b", re.IGNORECASE)
"""What a brand is dissolved in: "CEFAZOLIN AND DEXTROSE" is cefazolin."""
_BESIDE = re.compile(r"([^()]{3,60}?)\s*\(([^()]{3,60})\)\s*")


def learn_names(
    evidence: EvidenceReader,
    resolver: Resolver,
    sources: Iterable[str] = REGULATORS,
    *,
    codes: bool = True,
) -> Iterator[IdentityRow]:
    """Yield names with the one drug that they stand for.

    Args:
        evidence: The pack whose records are read.
        resolver: Resolves their ingredients, without learned names.
        sources: Sources to learn brands from.
        codes: Learn the codes that trials write beside a drug, too.
    """
    drugs: Stated = defaultdict(set)
    spelled: dict[str, str] = {}
    for ingredient, name in evidence.aliases(tuple(sources)):
        if resolver.knows(name) or _names_several(name, resolver):
            continue
        matches = resolver.resolve_combination(ingredient)
        is_list = ";" in ingredient and matches[0].how == IN_BRACKETS
        keys = [] if is_list else [match.key for match in matches]
        folded = fold_name(name)
        drugs[folded].add(keys[0] if len(keys) == 1 and keys[0] else "")
        spelled.setdefault(folded, name)
    yield from _agreed(drugs, spelled, 2)
    if codes:
        yield from _agreed(*_codes(evidence, resolver), 3)


Stated = dict[str, set[str]]


def _agreed(drugs: Stated, spelled: Mapping[str, str], level: Level) -> Iterator[IdentityRow]:
    """Yield the names for which all statements name one drug."""
    for folded, keys in sorted(drugs.items()):
        key, *others = sorted(keys)
        if key and not others and len(folded) >= SHORTEST_LEARNED:
            yield Entity("drug", key, spelled[folded])
            yield EntityName("drug", folded, key, level, spelled[folded])


def _names_several(name: str, resolver: Resolver) -> bool:
    """Return whether a product is called by the drugs in it: "SOFOSBUVIR AND VELPATASVIR"."""
    matches = {match.key: match for match in resolver.resolve_combination(name) if match.key}
    return len([match for match in matches.values() if not _VEHICLE.match(match.label)]) > 1


def _codes(evidence: EvidenceReader, resolver: Resolver) -> tuple[Stated, dict[str, str]]:
    drugs: Stated = defaultdict(set)
    spelled: dict[str, str] = {}
    records: dict[str, int] = defaultdict(int)
    for _, name, count in evidence.names("drug"):
        for code, other in _beside(name):
            if resolver.knows(code):
                continue
            folded = fold_name(code)
            drugs[folded].add(resolver.resolve_drug(other).key)
            spelled.setdefault(folded, code)
            records[folded] += count
    often = {folded: keys for folded, keys in drugs.items() if records[folded] >= LEAST_RECORDS}
    return often, spelled


def _beside(name: str) -> Iterator[tuple[str, str]]:
    """Yield a code and the name beside it, whichever of the two stands in brackets."""
    match = _BESIDE.fullmatch(name)
    if match is None or is_no_drug(match[1]) or "placebo" in name.casefold():
        return
    outside, inside = match[1].strip(), re.split(r"[,;/=]", match[2])
    if _CODE.fullmatch(outside):
        yield outside, inside[0].strip()
    yield from ((code.strip(), outside) for code in inside if _CODE.fullmatch(code.strip()))
