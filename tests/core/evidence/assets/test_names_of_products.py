"""Brand and ingredient of a product may name two drugs; then one of the names counts."""

import pytest

from core.evidence.assets.shelf import fill_shelf
from core.evidence.names.drug_labels import Naming
from core.records.evidence import Mention, Parsed, Record

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
