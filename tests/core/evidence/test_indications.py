"""Of a label only the clauses that give a use tell what a drug is for."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from core.evidence.diseases import Diseases
from core.evidence.starter.indications import is_named, read_indications, uses
from core.records.names import fold_name
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


def test_what_patients_had_before_is_taken_out_of_a_clause() -> None:
    told = "indicated for post-polycythemia vera myelofibrosis and interferon-refractory leukemia"
    assert [" ".join(one.split()) for one in uses(told)] == [
        "indicated for myelofibrosis and leukemia"
    ]


JOINTS = {
    "rheumatoid arthritis": (),
    "psoriatic arthritis": ("rheumatoid arthritis",),
    "systemic lupus erythematosus": (),
    "lupus nephritis": ("systemic lupus erythematosus",),
    "type 2 diabetes mellitus": (),
    "lymphoma": (),
    "B-cell lymphoma": ("lymphoma",),
    "leukemia": (),
    "candidiasis": (),
    "AIDS": (),
    "skin disorder": (),
    "asthma": ("skin disorder",),
    "malaria": (),
}


class Kinds(Names):
    """A resolver that has a disease as a kind of another one as some list has it."""

    def lookup(self, kind: str, names: Iterable[str]) -> Mapping[str, str]:
        """Return the folded names that are known."""
        held = {fold_name(one) for one in JOINTS}
        return {one: one for one in names if one in held}

    def resolve_many(self, kind: str, names: Iterable[str]) -> Mapping[str, Any]:
        """Return each name with its entity."""
        labels = {fold_name(one): one for one in JOINTS}
        return {
            one: SimpleNamespace(
                key=f"MONDO:{fold_name(one)}", label=labels[fold_name(one)], status="resolved"
            )
            for one in names
        }

    def ancestors(self, kind: str, key: str) -> set[str]:
        """Return a disease and what it is a kind of."""
        above = {f"MONDO:{fold_name(one)}": kinds for one, kinds in JOINTS.items()}
        return {key, *(f"MONDO:{fold_name(one)}" for one in above[key])}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "indicated for rheumatoid arthritis and psoriatic arthritis",
            {"rheumatoid arthritis", "psoriatic arthritis"},
        ),
        ("indicated for lymphoma: B-cell lymphoma", {"lymphoma", "B-cell lymphoma"}),
        ("indicated for skin disorder: asthma", {"asthma"}),
        (
            "X is indicated for: \u2022 patients with active systemic lupus erythematosus who are "
            f"{'receiving standard therapy ' * 5}, and \u2022 patients with lupus nephritis",
            {"systemic lupus erythematosus", "lupus nephritis"},
        ),
        (
            "As an adjunct to diet and exercise to improve control in type 2 diabetes mellitus",
            {"type 2 diabetes mellitus"},
        ),
        ("indicated for prophylaxis of candidiasis in patients with leukemia", {"candidiasis"}),
        ("indicated for treatment of candidiasis in patients with AIDS", {"candidiasis"}),
        ("indicated to prevent attacks in patients with asthma", {"asthma"}),
        ("for relief of signs and symptoms of rheumatoid arthritis", {"rheumatoid arthritis"}),
        ("indicated for asthma; Not used for the treatment of lymphoma", {"asthma"}),
        ("For treatment of malaria. It does not prevent B-cell lymphoma", {"malaria"}),
        (
            "indicated for: \u2022 treatment of asthma Limitations of Use: not for AIDS",
            {"asthma"},
        ),
    ],
)
def test_every_use_that_a_text_names_apart_is_kept(text: str, expected: set[str]) -> None:
    resolver: Any = Kinds()
    assert set(read_indications(text, Diseases(resolver))) == expected


def test_the_patients_of_a_plain_list_are_no_use() -> None:
    resolver: Any = Kinds()
    text = "prophylaxis of candidiasis in transplantation recipients or patients with leukemia"
    assert read_indications(text, Diseases(resolver), is_plain=True) == ["candidiasis"]


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
