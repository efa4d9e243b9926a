"""Boxed warnings of three classes on the starter pack: whole labels only, one a drug."""

import pytest

from core.agents.label_strategy.tables import is_label_of_class
from core.evidence.assets.precedents.label_sheets import LabelSheet, newest_sheets, read_sheets

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("starter")]


def count(sheets: list[LabelSheet]) -> tuple[int, int, int]:
    """Return labels with a box, whole labels, and drugs of which no whole label is held."""
    whole = [one for one in sheets if one.is_whole]
    return sum(one.box == "yes" for one in whole), len(whole), len(sheets) - len(whole)


def test_boxes_of_three_classes(starter, names) -> None:
    sheets = newest_sheets(read_sheets(starter.evidence, names))
    conjugates = [one for one in sheets if "antibody-drug conjugate" in one.modalities]
    kinase = [one for one in sheets if is_label_of_class(one, "JAK inhibitor")]
    bispecific = [one for one in sheets if is_label_of_class(one, "CD3 bispecific")]
    assert count(conjugates) == (8, 10, 1)
    assert count(kinase)[:2] == (2, 2)
    # Blinatumomab, the third whole label, is not in the starter pack: with all files it is 3 of 3.
    assert count(bispecific) == (2, 2, 6)
