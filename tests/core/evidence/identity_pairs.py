"""Pairs of drug names that must, and must not, join: drawn by rule and seed, never by hand.

Must join: names that an independent source gives to one product: Purple Book (proprietary and
proper name), Drugs@FDA (brand and single ingredient of an NDA), US labels (brand and ingredient).
Must not join: official names that differ only by payload, pegylation, enantiomer, letter or
number, and combinations against one of their parts.
"""

import csv
import random
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path

from core.evidence.names.identity.drug_names import mark_isomers, strip_suffix
from core.evidence.names.identity.drugs import find_parents, read_names
from core.evidence.names.identity.salts import strip_salt
from core.records.names import fold_name

Pair = tuple[str, str]
Triple = tuple[str, str, str]
SEED = 20_261_121
SEEDS = (SEED, 1, 2, 3, 4, 5)
"""The rules were written looking at what the whole pools lose, not at the draw of one seed."""
_PREFIXES = ("peg", "es", "lev", "levo", "dex", "dextro", "ar", "nor", "pegylated ")


def draw(pool: Iterable[Pair], count: int, seed: int = SEED) -> list[Pair]:
    """Return pairs drawn by the seed."""
    return random.Random(seed).sample(sorted(set(pool)), count)


def purple_pairs(reference: Path) -> Iterator[Pair]:
    """Yield proprietary and proper names of licensed products."""
    path = reference / "purple_book" / "pb_2026_03.csv"
    rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    start = max(number for number, row in enumerate(rows) if row and row[0] == "N/R/U")
    for cells in rows[start + 1 :]:
        row = dict(zip(rows[start], cells, strict=False))
        brand, proper = row["Proprietary Name"].strip(), row["Proper Name"].strip()
        is_plain = "," not in proper + brand and " and " not in proper
        if row["Center"] == "CDER" and brand not in {"", "N/A"} and is_plain:
            yield brand, proper


def drugsfda_pairs(reference: Path) -> Iterator[Pair]:
    """Yield brand and single ingredient of new drugs."""
    archive = zipfile.ZipFile(next((reference / "drugsfda").glob("*.zip")))
    with archive, archive.open("Applications.txt") as member:
        rows = csv.DictReader(
            TextIOWrapper(member, "latin-1"), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        new_drugs = {row["ApplNo"] for row in rows if row["ApplType"] == "NDA"}
    with zipfile.ZipFile(archive.filename or "") as again, again.open("Products.txt") as member:
        text = TextIOWrapper(member, "latin-1")
        for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
            brand, ingredient = row["DrugName"].strip(), row["ActiveIngredient"].strip()
            is_single = ";" not in ingredient and brand != ingredient
            if row["ApplNo"] in new_drugs and is_single and ingredient:
                yield brand, ingredient


def triples(reference: Path, packages: Path, count: int, seed: int = SEED) -> list[Triple]:
    """Return code, brand and ingredient of one product each, of as many ingredients.

    Brand and ingredient are a regulator's; the code is one that FDA's list gives to the
    substance whose official name the ingredient is.
    """
    codes: dict[str, list[str]] = defaultdict(list)
    official: dict[str, set[str]] = defaultdict(set)
    for name, kind, unii, _ in read_names(packages):
        if kind == "cd" and re.search(r"\d", name) and re.search(r"[A-Z]", name):
            codes[unii].append(name)
        if kind == "of":
            official[name.casefold()].add(unii)
    pools: dict[str, list[Triple]] = defaultdict(list)
    for brand, ingredient in sorted({*purple_pairs(reference), *drugsfda_pairs(reference)}):
        for unii in sorted(official[strip_suffix(ingredient).casefold()]):
            pools[ingredient] += [(code, brand, ingredient) for code in codes.get(unii, ())]
    drawn = random.Random(seed)
    asked = drawn.sample(sorted(name for name, pool in pools.items() if pool), count)
    return [drawn.choice(pools[name]) for name in asked]


def codes_of_several(packages: Path) -> dict[str, set[str]]:
    """Return the codes that FDA's list gives to substances of different bases, with the bases."""
    labels, parents = find_parents(packages)
    spelled: dict[str, str] = {}
    owners: dict[str, set[str]] = defaultdict(set)
    official = {fold_name(label) for label in labels.values()}
    for name, kind, unii, _ in read_names(packages):
        if kind == "cd" and re.search(r"\d", name) and re.search(r"[A-Z]", name):
            folded = fold_name(mark_isomers(name))
            owners[folded].add(f"UNII:{parents.get(unii, unii)}")
            spelled.setdefault(folded, name)
        elif kind in {"of", "bn"}:
            official.add(fold_name(name))
    several = {folded: keys for folded, keys in owners.items() if len(keys) > 1 and len(folded) > 2}
    return {spelled[folded]: keys for folded, keys in several.items() if folded not in official}


def must_not_join(packages: Path, count: int, seed: int = SEED) -> list[Pair]:
    """Return pairs of different substances with names alike, of each rule as many as there are."""
    labels = sorted(
        {
            label.lower()
            for name, kind, _, label in read_names(packages)
            if kind == "of" and name == label and len(label) < 60
        }
    )
    pools = [list(rule(labels)) for rule in (_payloads, _prefixed, _last_sign, _combinations)]
    drawn = random.Random(seed)
    share = count // len(pools)
    few = [pair for pool in pools for pair in drawn.sample(pool, min(share, len(pool)))]
    rest = sorted({pair for pool in pools for pair in pool} - set(few))
    return few + drawn.sample(rest, count - len(few))


def _payloads(labels: list[str]) -> Iterator[Pair]:
    """Yield conjugates of one antibody with different payloads, and conjugate and antibody."""
    families = defaultdict(list)
    for label in labels:
        words = label.split()
        if words[0].endswith(("mab", "tug")) and len(words) <= 2:
            families[words[0]].append(label)
    for family in families.values():
        yield from ((one, other) for one in family for other in family if one < other)


def _prefixed(labels: list[str]) -> Iterator[Pair]:
    """Yield pegylated and enantiopure drugs with their plain relatives."""
    known = set(labels)
    for label in labels:
        for prefix in _PREFIXES:
            plain = label.removeprefix(prefix)
            if plain != label and len(plain) > 5 and plain in known:
                yield label, plain


def _last_sign(labels: list[str]) -> Iterator[Pair]:
    """Yield names that differ in the sign at their end: alfa-2a and alfa-2b."""
    known = set(labels)
    for label in labels:
        if re.search(r"-\d?[a-y]$", label):
            sibling = label[:-1] + chr(ord(label[-1]) + 1)
            if sibling in known:
                yield label, sibling


def _combinations(labels: list[str]) -> Iterator[Pair]:
    """Yield a combination against its first part; salts of one drug are none."""
    plain = [label for label in labels if label.isalpha() and strip_salt(label) == label]
    for first, second in zip(plain[::7], plain[3::7], strict=False):
        yield f"{first} + {second}", first
