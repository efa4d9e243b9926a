"""Subjects seen more than once and noisy samples in limma-voom, beside limma itself."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from core.errors import ConfoundedDesign, InvalidInput
from core.stats.projection import count_surrogates
from core.stats.voom import estimate_correlation
from tests.core.agents.differential_expression.conftest import ask_study, assert_equal_to_r

FOLDER = Path(__file__).with_name("samples")


def ask(bench, **fields: object):
    return ask_study(
        bench, "samples", **{"method": "limma-voom", "covariates": ["batch"], **fields}
    )


def assert_equal(data, name: str) -> None:
    (result,) = data.method_results
    assert_equal_to_r(result, f"samples/{name}.csv", change=1e-7, log10_p=1e-7)


@pytest.fixture(scope="module")
def within():
    return pd.read_csv(FOLDER / "within.csv", index_col=0)["correlation"]


@pytest.fixture(scope="module")
def both(module_bench):
    return ask(module_bench, duplicate_correlation="patient", sample_weights=True)


def test_patients_seen_twice_correlate_as_in_limma(bench, within):
    data = ask(bench, duplicate_correlation="patient")
    assert data.settings.intrablock_correlation == pytest.approx(within["patients"], abs=1e-9)
    assert data.settings.sample_weights == {}
    assert_equal(data, "patients")
    assert any("Samples of one patient correlate by 0.31" in text for text in data.findings)


def test_gene_sets_say_that_they_know_nothing_of_subjects(bench):
    genes = (FOLDER / "counts.csv").read_text().splitlines()[1:40]
    sets = "own\tnote\t" + "\t".join(line.split(",", 1)[0] for line in genes)
    said = ask(bench, duplicate_correlation="patient", gene_sets_gmt=sets).warnings
    (told,) = [text for text in said if text.startswith("gene_sets_without_subjects")]
    assert "camera and fry take samples of one patient as independent" in told
    assert not any("gene_sets_without" in text for text in ask(bench, gene_sets_gmt=sets).warnings)


def test_several_coefficients_of_correlated_samples_are_equal_to_limma(bench):
    genes = pd.read_csv(FOLDER / "together.csv")["gene_id"]  # those that pass the filter by group
    counts = pd.read_csv(FOLDER / "counts.csv", index_col=0).loc[genes]
    data = ask(
        bench,
        duplicate_correlation="patient",
        test="lrt",
        reduced=[],
        counts_csv=counts.to_csv(),
        min_count=0,
    )
    assert data.method_results[0].n_tested == len(genes)
    assert_equal(data, "together")


def test_noisy_samples_count_less_as_in_limma(bench):
    data = ask(bench, sample_weights=True)
    theirs = pd.read_csv(FOLDER / "weights.csv", index_col=0)["weight"]
    assert data.settings.sample_weights == pytest.approx(theirs.to_dict(), rel=1e-8)
    assert theirs.idxmin() == "s03"
    assert_equal(data, "quality")
    assert any("weighs noisy samples less: s03" in text for text in data.findings)


def test_both_together_are_equal_to_limma(both, within):
    assert both.settings.intrablock_correlation == pytest.approx(within["both"], abs=1e-9)
    assert_equal(both, "both")
    assert "voomWithQualityWeights(dge, matrix_, block = subject" in both.r_script
    assert 'subject <- trimws(sheet[["patient"]])' in both.r_script
    assert "lmFit(v, matrix_, block = subject, correlation = within)" in both.r_script


def test_the_other_methods_are_said_to_know_nothing_of_it(bench, both):
    data = ask(bench, method="all", sample_weights=True)
    (said,) = [text for text in data.warnings if text.startswith("limma_only")]
    assert (
        "limma-voom alone goes by sample_weights; DESeq2 and edgeR weigh all samples alike" in said
    )
    assert not any(text.startswith("limma_only") for text in both.warnings)
    alone = ask(bench, method="edgeR").method_results[0].table.frame
    assert np.array_equal(data.method_results[1].table.frame["pvalue"], alone["pvalue"])


@pytest.fixture(scope="module")
def hidden(module_bench):
    return ask(module_bench, covariates=[], surrogate_variables=2)


def test_surrogate_variables_are_those_of_sva(hidden):
    theirs = pd.read_csv(FOLDER / "surrogates.csv", index_col=0)
    found = hidden.settings.surrogates
    assert list(found) == ["surrogate_1", "surrogate_2"]
    for name, values in found.items():
        assert abs(np.corrcoef(values, theirs[name])[0, 1]) > 0.99999
    assert hidden.settings.design == "~ surrogate_1 + surrogate_2 + condition"
    assert any(text.startswith("surrogates_in_model: 2") for text in hidden.warnings)
    assert "samples$cov2 <- c(" in hidden.r_script


def test_a_structure_that_no_column_names_is_told_with_its_remedy(bench, hidden):
    sheet = pd.read_csv(FOLDER / "metadata.csv")[["sample_id", "condition"]]
    data = ask(bench, metadata_csv=sheet.to_csv(index=False), covariates=[])
    (said,) = [text for text in data.warnings if text.startswith("hidden_structure")]
    number = int(said.split("surrogate_variables: ")[1].split()[0])
    assert number >= 1
    again = ask(
        bench, metadata_csv=sheet.to_csv(index=False), covariates=[], surrogate_variables=number
    )
    assert not any(text.startswith("hidden_structure") for text in again.warnings)
    assert again.method_results[0].n_significant >= data.method_results[0].n_significant
    assert data.settings.surrogates == {}


def test_chance_alone_is_no_structure():
    draw = np.random.default_rng(5)
    design = np.column_stack([np.ones(12), np.repeat([0.0, 1.0], 6)])
    values = draw.normal(size=(600, 12))
    assert count_surrogates(values, design, seed=1) == (0, 0.0)
    values += np.outer(draw.normal(size=600), draw.normal(size=12))
    number, share = count_surrogates(values, design, seed=1)
    assert (number, share > 0.2) == (1, True)
    draw = np.random.default_rng(3)
    values, blocks = draw.normal(size=(800, 12)), np.repeat(np.arange(6), 2)
    found = estimate_correlation(values, np.ones((800, 12)), np.ones((12, 1)), blocks)
    assert abs(found) < 0.05
    values += np.repeat(draw.normal(size=(800, 6)), 2, axis=1)
    again = estimate_correlation(values, np.ones((800, 12)), np.ones((12, 1)), blocks)
    assert again == pytest.approx(0.5, abs=0.05)


def test_contrasts_and_reduced_designs_keep_the_surrogates(bench):
    data = ask(bench, covariates=["batch"], surrogate_variables=1, test="lrt", reduced=[])
    assert data.settings.reduced_design == "~ surrogate_1"
    assert "reduced <- ~ cov1" in data.r_script
    turned = [{"reference_group": "b", "comparison_group": "a"}]
    data = ask(bench, surrogate_variables=1, contrasts=turned)
    first = data.method_results[0].table.frame
    again = data.contrasts[0].method_results[0].table.frame
    assert np.allclose(first["log2FC"], -again["log2FC"], atol=1e-9)


def test_more_surrogates_than_samples_bear_are_refused(bench):
    with pytest.raises(InvalidInput, match="ask for at most 14") as caught:
        ask(bench, surrogate_variables=15)
    assert caught.value.details[0].field == "surrogate_variables"


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"duplicate_correlation": "nope"}, InvalidInput, "no column 'nope'"),
        ({"duplicate_correlation": "batch"}, InvalidInput, "already in the design"),
        ({"duplicate_correlation": "sample_id"}, InvalidInput, "18 subjects for 18 samples"),
        ({"duplicate_correlation": "clinic", "covariates": ["patient"]}, ConfoundedDesign,
         "already distinguishes the subjects"),
        ({"duplicate_correlation": "gaps"}, InvalidInput, "no subject for sample 's00'"),
    ],
    ids=["unknown", "twice", "once each", "encoded", "gaps"],
)  # fmt: skip
def test_columns_that_name_no_subjects_are_refused(bench, fields, error, words):
    sheet = pd.read_csv(FOLDER / "metadata.csv")
    sheet["clinic"] = ["north" if one < "p06" else "south" for one in sheet["patient"]]
    sheet["gaps"] = ["NA", *sheet["patient"][1:]]
    with pytest.raises(error, match=words) as caught:
        ask(bench, metadata_csv=sheet.to_csv(index=False), **fields)
    assert caught.value.details[0].field == "duplicate_correlation"


@pytest.mark.parametrize(
    "fields",
    [
        {"method": "edgeR", "sample_weights": True},
        {"method": "DESeq2", "duplicate_correlation": "patient"},
        {"certificate": True, "sample_weights": True},
    ],
)
def test_fields_that_limma_alone_knows_need_it(bench, fields):
    with pytest.raises(ValidationError, match="cannot be combined"):
        ask(bench, **fields)
