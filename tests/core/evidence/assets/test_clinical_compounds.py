"""Clinical compounds of a target, for comparison with the compounds of patents."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from core.evidence.assets.clinical import clinical_compounds
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence
from core.records.identity import Entity, EntityName, IdentityRow
from core.records.names import fold_name
from core.records.patents import ClinicalCompound
from storage.identity import IdentityStore
from tests.core.evidence.assets.conftest import make_label, make_trial

TODAY = date(2026, 11, 21)
DRUGS = {"UNII:A": "sotorasib", "UNII:B": "adagrasib", "UNII:C": "cetuximab"}
SOTORASIB = "4-(.ALPHA.-METHYLBENZYL)-PYRIMIDINE"


def _rows() -> Iterator[IdentityRow]:
    for key, name in DRUGS.items():
        yield Entity("drug", key, name)
        yield EntityName("drug", fold_name(name), key, 1, name)
    yield Entity("disease", "MONDO:2", "non-small cell lung cancer")
    for name in ("NSCLC", "non-small cell lung cancer"):
        yield EntityName("disease", fold_name(name), "MONDO:2", 2, name)
    for symbol in ("KRAS", "EGFR", "MET"):
        yield Entity("target", f"HGNC:{symbol}", symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), f"HGNC:{symbol}", 1, symbol)


@pytest.fixture
def resolver(tmp_path: Path) -> Resolver:
    """Return what knows three drugs, one of them by its systematic name."""
    identity = IdentityStore(tmp_path / "identity.db")
    identity.build(_rows(), [("UNII:A", SOTORASIB)], "test")
    return Resolver(identity)


@pytest.fixture
def held(pack: Evidence, hold: Callable[..., None]) -> Evidence:
    """Return a pack with an approved drug and one in phase 2 for KRAS, and another's."""
    carries = {"has_class": "KRAS Inhibitor"}
    hold(
        make_label("a", "sotorasib", "indicated for non-small cell lung cancer", carries),
        make_trial(1, {"adagrasib": "investigational"}, title="adagrasib, a KRAS inhibitor"),
        make_trial(2, {"cetuximab": "investigational"}, title="cetuximab, an EGFR antibody"),
    )
    return pack


def of(target: str, held: Evidence, resolver: Resolver) -> list[ClinicalCompound]:
    """Return the compounds of a target."""
    return clinical_compounds(target, held, resolver, TODAY)


def test_the_most_advanced_comes_first_with_its_records(held, resolver) -> None:
    """Stage and the records that tell it."""
    found = of("KRAS", held, resolver)
    assert [(one.name, one.stage) for one in found] == [
        ("sotorasib", "APPROVED"),
        ("adagrasib", "PHASE2"),
    ]
    assert [one.record_ids for one in found] == [("label:a",), ("ctgov:NCT00000001",)]
    assert not any(one.is_expert for one in found)


def test_a_structure_is_a_name_that_identity_holds(held, resolver) -> None:
    """And otherwise there is none; nothing is guessed."""
    first, second = of("KRAS", held, resolver)
    assert (first.structure, first.structure_kind) == (
        "4-(alpha-METHYLBENZYL)-PYRIMIDINE",
        "systematic_name",
    )
    assert (second.structure, second.structure_kind) == ("", "none")


@pytest.mark.parametrize("target", ["MET", "no gene", ""])
def test_a_target_without_drugs_has_none(held, resolver, target) -> None:
    """Also what is no target at all."""
    assert of(target, held, resolver) == []
