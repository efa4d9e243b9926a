"""Of a label only the clauses that give a use tell what a drug is for."""

from typing import Any

import pytest

from core.evidence.diseases import Diseases
from core.evidence.starter.indications import is_named, read_indications, uses
from tests.core.evidence.test_pack_words import Names


class Alone(Names):
    """A resolver whose diseases are no kinds of each other."""

    def ancestors(self, kind: str, key: str) -> set[str]:
        """Return a disease alone."""
        return {key}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X is indicated for asthma.", ["asthma"]),
        ("X is indicated for asthma in patients who have hypertension", ["asthma"]),
        ("X is indicated for asthma. Studies in hypertension show an effect", ["asthma"]),
        ("X is indicated for asthma. Patients with anemia should be monitored", ["asthma"]),
        ("For the following it is indicated: asthma; lymphoma", ["asthma", "lymphoma"]),
        ("Reduced doses in hypertension", []),
    ],
)
def test_conditions_studies_and_warnings_are_no_indications(text: str, expected: list[str]) -> None:
    resolver: Any = Alone()
    assert read_indications(text, Diseases(resolver)) == expected


def test_references_to_sections_are_no_clauses() -> None:
    (clause,) = uses("For treatment of asthma ( 1.1 ) [see Warnings (5.2)]")
    assert clause.strip() == "For treatment of asthma"


@pytest.mark.parametrize(
    ("disease", "text", "expected"),
    [
        ("plasma cell myeloma", "for multiple myeloma", True),
        ("hypertensive disorder", "for hypertension", True),
        ("Fanconi anemia complementation group E", "for anxiety with face flushing", False),
        ("rumination disorder", "for rumination", False),
        ("mucopolysaccharidosis type 2", "for mucopolysaccharidosis 2", True),
        ("interstitial lung disease 2", "for interstitial lung disease", False),
    ],
)
def test_a_disease_is_kept_only_where_the_text_has_its_words(
    disease: str, text: str, expected: bool
) -> None:
    assert is_named(disease, text) is expected
