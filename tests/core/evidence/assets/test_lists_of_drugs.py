"""Labels that list several drugs, names of the curators' table, and names of products."""

import pytest

from core.evidence.assets import curators_drugs as own_knowledge
from core.evidence.assets import joined_names as joining
from core.evidence.assets.curators_drugs import KnownDrug
from core.evidence.assets.joined_names import joined_names
from core.evidence.assets.shelf import fill_shelf
from core.evidence.names.drug_labels import Naming
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence
from core.records.evidence import Mention, Parsed, Record
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from storage.identity import IdentityStore

PEMBRO, SITA, MET = "UNII:PEMBRO", "UNII:SITA", "UNII:MET"


def product(ingredients: list[str], brand: str) -> Parsed:
    """Return an application of a register."""
    return Parsed(
        Record(
            source="purplebook",
            source_id="BLA1",
            url="",
            kind="approval_package",
            title=brand,
            mentions=(
                *(Mention("drug", one, relation="ingredient") for one in ingredients),
                Mention("drug", brand, relation="brand"),
            ),
        ),
        (),
    )


@pytest.mark.parametrize(
    ("ingredients", "brand", "expected"),
    [
        (["sitagliptin"], "Januvia", {SITA}),
        (["sitagliptin"], "Keytruda", {SITA}),  # what is sold counts, not what a list says
        (["sitagliptin (recombinant)"], "Keytruda", {PEMBRO}),  # a proper name of several drugs
        (["sitagliptin (recombinant)"], "Unknown", {SITA}),
        (["sitagliptin", "metformin"], "Januvia", {SITA, MET}),
        (["unheard"], "Keytruda", {PEMBRO}),
    ],
)
def test_a_product_counts_under_what_is_sold(
    resolver, pack, hold, ingredients, brand, expected
) -> None:
    hold(product(ingredients, brand))
    keys: dict[str, list[str]] = {PEMBRO: [], SITA: [], MET: []}
    shelf = fill_shelf(keys, pack, Naming(resolver, {}))
    assert set(shelf.drugs.get("purplebook:BLA1", ())) == expected


def test_a_brand_that_is_said_to_be_no_brand_of_a_drug_takes_the_product_from_it(
    resolver, pack, hold, monkeypatch
) -> None:
    hold(product(["sitagliptin"], "Otherbrand"))
    false = frozenset({("otherbrand", "sitagliptin")})
    monkeypatch.setattr("core.evidence.assets.shelf.load_false_names", lambda: false)
    assert not fill_shelf({SITA: []}, pack, Naming(resolver, {})).drugs


def test_one_of_two_drugs_alone_is_asked_for(resolver, pack, hold) -> None:
    hold(product(["sitagliptin (recombinant)"], "Keytruda"))
    assert not fill_shelf({SITA: []}, pack, Naming(resolver, {})).drugs


DRUGS = (
    *("sulfadiazine", "sulfamerazine", "estrogens, conjugated", "meprobamate"),
    *("glecaprevir", "pibrentasvir", "givamab", "nexiguran", "ziclumeran"),
)


@pytest.fixture
def known(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Return a resolver of a few drugs, whose keys are their names."""
    store = IdentityStore(tmp_path_factory.mktemp("names") / "identity.db")
    rows = [Entity("drug", f"UNII:{one}", one) for one in DRUGS]
    names = [EntityName("drug", fold_name(one), f"UNII:{one}", 1, one) for one in DRUGS]
    store.build([*rows, *names], (), "1")
    return Resolver(store)


@pytest.mark.parametrize(
    ("label", "drugs"),
    [
        ("DUOSULFA (SULFADIAZINE;SULFAMERAZINE)", ["sulfadiazine", "sulfamerazine"]),
        ("ESTROGENS, CONJUGATED; MEPROBAMATE", ["estrogens, conjugated", "meprobamate"]),
        (
            "ESTROGENS, CONJUGATED; MEPROBAMATE, SULFADIAZINE",
            ["estrogens, conjugated", "meprobamate", "sulfadiazine"],
        ),
        ("Glecaprevir hydrate/ Pibrentasvir", ["glecaprevir", "pibrentasvir"]),
        ("Duosulfa (sulfadiazine; Acme)", ["sulfadiazine"]),
        ("X (prodrug of Y); glecaprevir, 10 mg; pibrentasvir", ["glecaprevir", "pibrentasvir"]),
    ],
)
def test_each_drug_of_a_list_is_read(known, label, drugs) -> None:
    read = Naming(known, {}).read([label])[label]
    found = [drug.key.removeprefix("UNII:") for drug in read if drug.key]
    assert found == drugs


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("deltamab", "name:deltamab"),
        ("Epsilonmab", "name:epsilonmab"),
        ("anti-PD-1 mAb", ""),
        ("ADC", ""),
        ("oral ADC", ""),
        ("without deltamab", ""),
        ("oral statins", ""),
    ],
)
def test_a_name_that_ends_as_a_class_does_is_a_drug_and_the_class_is_none(
    known, label, key
) -> None:
    (read,) = Naming(known, {}).read([label])[label]
    assert read.key == key


def join(
    known: Resolver, pack: Evidence, monkeypatch: pytest.MonkeyPatch, *told: tuple[str, str]
) -> dict[str, str]:
    """Return the keys of the names that the curators' table tells."""
    monkeypatch.setattr(joining, "known_names", lambda: told)
    own = {
        "name:nexiguranziclumeran": "nexiguran ziclumeran",
        "name:tugomabrezetecan": "tugomab rezetecan",
    }
    drugs = {key: (type("Row", (), {"drug": name}),) for key, name in own.items()}
    monkeypatch.setattr(joining, "known_by_key", lambda _: drugs)
    return {folded: key for folded, (key, _) in joined_names(pack, known).items()}


@pytest.mark.parametrize("name", ["TJ-CD4B", "giva-cel", "AMG 193", "C1 Blocker (Human)"])
def test_a_name_of_the_table_counts_however_it_looks(known, pack, monkeypatch, name) -> None:
    joined = join(known, pack, monkeypatch, ("givamab", name))
    assert joined[fold_name(name)] == "UNII:givamab"


def test_a_drug_that_no_list_has_as_a_whole_takes_its_names(known, pack, monkeypatch) -> None:
    told = [("nexiguran ziclumeran", one) for one in ("NTLA-2001", "nex-z")]
    joined = join(known, pack, monkeypatch, *told)
    assert joined["ntla2001"] == joined["nexz"] == "name:nexiguranziclumeran"


def test_names_joined_in_a_row_count_under_the_last(known, pack, monkeypatch) -> None:
    told = (("AB-1001", "AB-1002"), ("givamab", "AB-1001"))
    joined = join(known, pack, monkeypatch, *told)
    assert joined["ab1002"] == joined["ab1001"] == "UNII:givamab"


def test_a_code_of_a_company_counts_under_the_name_that_the_table_has(
    known, pack, monkeypatch
) -> None:
    told = (("GG-5733", "tugomab rezetecan"), ("GG-5733", "ZZ-1003"))
    joined = join(known, pack, monkeypatch, *told)
    assert joined["gg5733"] == joined["zz1003"] == "name:tugomabrezetecan"


def test_a_row_that_nothing_knows_counts_under_its_other_name(known, monkeypatch) -> None:
    rows = [KnownDrug(one, "", "", "", "") for one in ("GIV-X-1", "GIV-X-2", "givamab")]
    names = (("GIV-X-1", "givamab"), ("GIV-X-2", "givamab"), ("GIV-X-2", "meprobamate"))
    monkeypatch.setattr(own_knowledge, "load_drugs", lambda: tuple(rows))
    monkeypatch.setattr(own_knowledge, "known_names", lambda: names)
    found = own_knowledge.known_by_key.__wrapped__(known)
    assert {key: [row.drug for row in said] for key, said in found.items()} == {
        "UNII:givamab": ["GIV-X-1", "givamab"],
        "name:givx2": ["GIV-X-2"],  # its names stand for two drugs
    }


def test_a_name_of_another_known_drug_joins_nothing(known, pack, monkeypatch) -> None:
    joined = join(known, pack, monkeypatch, ("givamab", "meprobamate"), ("givamab", "AB-1001"))
    assert "ab1001" not in joined
    assert "meprobamate" not in joined
