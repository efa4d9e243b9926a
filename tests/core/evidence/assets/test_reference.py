"""The tables against the whole identity pack, and drugs of the reference files."""

from datetime import date

import pytest

from core.evidence.assets.curators_drugs import known_by_key, known_names, load_drugs
from core.evidence.assets.gather import gather_assets
from core.evidence.names.drug_labels import code_in
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence.readers.target_expressions import read_targets
from core.evidence.sources.importing import outdated_files
from core.evidence.sources.pack.reading import load_rows
from core.evidence_ports import EvidenceReader
from core.ports import Stores
from core.records.asset_queries import AssetQuery
from core.records.names import fold_name
from core.records.programs import Asset
from core.vocabulary.modalities import load_modalities
from core.vocabulary.targets import load_targets

TODAY = date(2026, 11, 21)
pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
    pytest.mark.xdist_group("reference"),
]
World = tuple[EvidenceReader, Resolver]


@pytest.fixture(scope="module")
def world(held: Stores) -> World:
    """Return a pack of reference files and a resolver on the whole identity pack."""
    assert outdated_files(held.evidence.info()) == []
    return held.evidence, Resolver(held.identity, held.learned_names)


def test_reference_files_are_read_whole(held: Stores) -> None:
    files = {file.name: (file.records, file.damaged) for file in held.evidence.files()}
    assert files["trials_raw.ndjson.gz"] == (1500, 0)
    assert files["labels_raw.ndjson.gz"] == (400, 0)
    assert files["pipelines_10_companies.json"] == (405, 0)


def gather(world: World, target: str) -> tuple[Asset, ...]:
    evidence, resolver = world
    targets, _ = read_targets(target, resolver)
    return gather_assets(AssetQuery(targets=tuple(targets)), evidence, resolver, TODAY).assets


def test_every_symbol_of_the_table_is_a_gene(world) -> None:
    names = target_names(world[1])
    wrong = [row.expression for row in load_targets() if "" in names.of_row(row).gene_keys]
    assert wrong == []


def test_the_curators_table_names_known_targets_and_drugs(world) -> None:
    names = target_names(world[1])
    rows = load_drugs()
    targets = {row.target for row in rows} - {""}  # vaccines and replacements have none
    assert [target for target in sorted(targets) if names.of_text(target) is None] == []
    assert {row.modality for row in rows} <= set(load_modalities()) | {""}
    known = known_by_key(world[1])
    shared = [{row.drug for row in rows} for rows in known.values()]
    assert [drugs for drugs in shared if len(drugs) > 1] == []  # one takes the other's records
    register = [row for row in load_rows("approvals") if row["register"] == "purplebook"]
    licensed = {row["drug"] for row in register}  # knows vaccines by brand
    unknown = [
        rows[0].drug
        for key, rows in known.items()
        if key.startswith("name:") and rows[0].drug not in licensed
    ]
    names = [drug for drug in unknown if not code_in(drug)]
    assert len(names) <= 0.02 * len(known)
    others = {fold_name(name) for drug, name in known_names() if fold_name(drug) != fold_name(name)}
    codes = {fold_name(drug) for drug in unknown} - {fold_name(drug) for drug in names}
    assert codes & others == set()  # a code that no list has yet is no drug's further name


def test_checkpoint_drugs_stand_under_their_own_target(world) -> None:
    receptor = {asset.name for asset in gather(world, "PD-1")}
    ligand = {asset.name for asset in gather(world, "PD-L1")}
    assert {"pembrolizumab", "nivolumab", "dostarlimab"} <= receptor
    assert {"atezolizumab", "durvalumab"} <= ligand
    assert not receptor & {"atezolizumab", "durvalumab", "carboplatin", "ipilimumab"}


def test_no_biosimilar_has_a_row_of_its_own(world) -> None:
    found = [asset.name for asset in gather(world, "TNF")]
    assert [name for name in found if name.startswith("adalimumab")] == ["adalimumab"]
    assert [name for name in found if name.startswith("infliximab")] == ["infliximab"]


@pytest.mark.parametrize("target", ["PD-1", "HER2", "GLP-1 agonist", "JAK1", "TNF", "BTK"])
def test_no_drug_of_a_target_comes_twice_and_every_link_rests_on_something(target, world) -> None:
    assets = gather(world, target)
    assert assets
    assert len({asset.key for asset in assets}) == len(assets)
    assert all(
        link.mechanism.record_ids or link.mechanism.is_expert for a in assets for link in a.targets
    )
