"""Systematic names of registers are repaired before they are given up, and say so."""

import re

import pytest

from core.chemistry.libraries import find_formula
from core.chemistry.names import has_java, read_names
from core.evidence.names.identity.drug_structures import all_forms, list_name_forms, settle_forms
from core.vocabulary.name_repairs import NameRepairRow
from core.vocabulary.systematic_names import SystematicNameRow
from core.vocabulary.tables import load_rows
from tests.rows import over_rows

AXIAL = (
    "(1M)-6-FLUORO-7-(2-FLUORO-6-HYDROXYPHENYL)-1-(4-METHYL-2-(PROPAN-2-YL)PYRIDIN-3-YL)-4-((2S)-2-"
    "METHYL-4-(PROP-2-ENOYL)PIPERAZIN-1-YL)PYRIDO(2,3-D)PYRIMIDIN-2(1H)-ONE"
)
PARA = "(+/-)-2-(P-CHLOROPHENYL)-alpha-METHYL-5-BENZOXAZOLEACETIC ACID"
FLAT = "CIS-4-CHLORO-N-METHYLBENZAMIDE"


@over_rows("row", load_rows("name_repairs", NameRepairRow))
def test_each_repair_mends_its_example_and_nothing_twice(row) -> None:
    pattern = re.compile(row.pattern, re.IGNORECASE)
    assert pattern.sub(row.replacement, row.example) == row.repaired
    assert row.example != row.repaired


def test_forms_go_from_as_written_to_flat() -> None:
    written, repaired, flat = list_name_forms(AXIAL)
    assert written == AXIAL
    assert repaired == AXIAL.removeprefix("(1M)-")
    assert "(2S)" in repaired
    assert "(2S)" not in flat
    assert all_forms([AXIAL, FLAT])[:2] == [AXIAL, FLAT]


def test_the_first_form_that_is_read_is_taken_with_its_way() -> None:
    _, repaired, flat = list_name_forms(AXIAL)
    assert settle_forms([AXIAL], {AXIAL: "C", flat: "CC"}) == {AXIAL: ("C", "written")}
    assert settle_forms([AXIAL], {repaired: "C", flat: "CC"}) == {AXIAL: ("C", "repaired")}
    assert settle_forms([AXIAL], {flat: "CC"}) == {AXIAL: ("CC", "flat")}
    assert settle_forms([AXIAL], {}) == {}


@pytest.mark.skipif(not has_java(), reason="Java is not installed")
def test_each_name_of_the_table_is_a_structure_of_its_formula() -> None:
    rows = load_rows("systematic_names", SystematicNameRow)
    drawn = read_names([row.systematic_name for row in rows])
    formulas = {row.drug: find_formula(drawn[row.systematic_name]) for row in rows}
    assert formulas == {row.drug: row.formula for row in rows}


@pytest.mark.skipif(not has_java(), reason="Java is not installed")
def test_names_that_a_register_wrote_wrongly_become_structures() -> None:
    names = [AXIAL, PARA, FLAT, "no name at all"]
    found = settle_forms(names, read_names(all_forms(names)))
    assert {name: way for name, (_, way) in found.items()} == {
        AXIAL: "repaired",
        PARA: "repaired",
        FLAT: "flat",
    }
    assert "[C@@H]" in found[AXIAL][0] or "[C@H]" in found[AXIAL][0]
