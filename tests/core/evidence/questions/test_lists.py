"""How much of whole lists is read as meant, as a person who asks needs it; rates are printed."""

import os
from pathlib import Path

import pytest

from core.evidence.readers.diseases import Diseases
from core.evidence.sources.pack.reading import load_rows
from core.vocabulary.class_words import load_class_words
from core.vocabulary.diseases import load_disease_words, load_own_diseases, short_disease_words
from core.vocabulary.drug_words import load_drug_words
from core.vocabulary.foreign_words import load_foreign_words
from core.vocabulary.target_axes import load_axes
from core.vocabulary.targets import load_targets
from tests.benchmarks.questions import Score, score_diseases, score_genes, score_rows
from tests.rows import size_of

pytestmark = pytest.mark.xdist_group("starter")
SLOWEST_MEAN_S = 0.08


@pytest.fixture(scope="module")
def typed() -> Path:
    """Return the words for diseases as analysts type them; without them tests are skipped."""
    default = Path(__file__).resolve().parents[5] / "shared" / "reference"
    path = Path(os.environ.get("BPW_REFERENCE", default)) / "questions" / "disease_words.csv"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    return path


def check(score: Score, least: float) -> None:
    """Check a rate, that nothing is read as a drug, and the time a question takes."""
    print(score.line())  # noqa: T201
    assert score.rate >= least, score.missed[:20]
    assert score.wrong_kind == []
    assert sum(score.elapsed_s) / len(score.elapsed_s) <= SLOWEST_MEAN_S


@pytest.mark.parametrize("ending", ["", " pipeline"])
def test_words_for_diseases_are_read_as_the_disease_meant(read, typed, ending) -> None:
    check(score_diseases(read, typed, ending), 0.92)


@pytest.mark.parametrize("lower", [False, True])
def test_symbols_are_genes_in_every_phrase(read, names, lower) -> None:
    check(score_genes(read, names, lower=lower, every=size_of(4, 16)), 0.97)  # the bench takes all


def test_targets_of_the_packs_drugs_are_read_as_targets(read) -> None:
    targets = {row["target"] for row in load_rows("drugs") if row["target"]}
    others = {  # also the name of a disease, or of a drug that is given
        *("ACC", "Acid alpha-glucosidase", "Alpha-1 antitrypsin", "Factor XIII"),
        *("C. difficile toxin B", "S. aureus alpha toxin"),
    }
    assert {target for target in targets if not read(target).targets} <= others


def test_stage_rows_are_reached_by_the_words_of_their_indication(read, names) -> None:
    check(score_rows(read, names, every=size_of(1, 4)), 0.99)


def test_every_condition_of_a_record_is_found_by_its_own_words(read, names, starter) -> None:
    diseases, missed, total = Diseases(names), [], 0
    written = [name for _, name, _ in starter.evidence.names("disease")]
    written = written[:: size_of(4, 16)]
    diseases.read_ahead(written)
    for name in written:
        stored = {one.key for one in diseases.of_conditions([name]) if one.key}
        asked = {one.key for one in read(name).diseases}
        below = {key for one in asked for key in names.identity.descendants("disease", one)}
        total += bool(stored)
        if stored and not stored & (asked | below):
            missed.append(name)
    print(f"conditions reached: {total - len(missed)} of {total}")  # noqa: T201
    assert len(missed) <= 0.01 * total, missed


@pytest.mark.parametrize(
    ("condition", "diseases"),
    [
        ("Lymphomas: Non-Hodgkin", ["lymphoma"]),
        ("Non Squamous Lung Cancer", ["lung cancer"]),
        ("Non-infectious Posterior Uveitis", ["posterior uveitis"]),
        ("Vasomotor Symptoms in Women and Men", ["vasomotor symptoms"]),
        ("anti-IgE antibody in urticaria", ["urticaria"]),
        ("Undifferentiated Leukemia", ["leukemia"]),
        ("Primary Generalized Seizure", ["epilepsy"]),
        ("Allergic Fungal Rhinosinusitis", ["allergic fungal sinusitis"]),
    ],
)
def test_no_condition_is_read_as_another_disease(names, condition, diseases) -> None:
    assert [one.name for one in Diseases(names).of_conditions([condition])] == diseases


def test_every_disease_that_a_table_means_is_one(names) -> None:
    said = [row.said for row in load_disease_words()]
    said += [*short_disease_words().values()]
    said += [name for row in load_own_diseases() for name in (row.label, *row.also)]
    said += [name for row in load_own_diseases() for name in (*row.parents, *row.kinds)]
    matches = names.resolve_many("disease", said)
    assert [one for one in said if matches[one].status == "unresolved"] == []


def test_every_class_and_axis_names_targets_of_the_table() -> None:
    known = {row.expression for row in load_targets()}
    assert {one for said in load_class_words().values() for one in said} <= known
    assert {*load_axes()} <= known


def test_every_short_name_of_a_drug_stands_for_known_drugs(names) -> None:
    drugs = {one for said in load_drug_words().values() for one in said}
    assert [one for one in sorted(drugs) if not names.resolve_drug(one).key] == []


FIELDS = {
    "disease": ("diseases",),
    "modality": ("modalities", "intents"),
    "stage": ("stages",),
    "route": ("routes",),
    "region": ("regions",),
    "line": ("lines", "populations"),
    "population": ("populations",),
    "company": ("companies",),
}


def test_words_of_other_languages_are_read_as_what_they_mean(read) -> None:
    rows = [row for row in load_foreign_words() if row.kind in FIELDS]
    missed = [
        row.said
        for row in rows
        if not any(getattr(read(row.said), name) for name in FIELDS[row.kind])
    ]
    print(f"words of other languages: {len(rows) - len(missed)} of {len(rows)}")  # noqa: T201
    assert len(missed) <= 0.02 * len(rows), missed
