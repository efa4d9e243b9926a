"""Contrasts, tests of several coefficients, interactions and pairs, beside R and by their rules."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from core.errors import ConfoundedDesign, InvalidInput, UnknownGroup
from tests.core.agents.differential_expression.conftest import ask_study, assert_equal_to_r

FOLDER = Path(__file__).with_name("designs")
FILES = {"DESeq2": "deseq2", "edgeR": "edger", "limma-voom": "limma"}
BARS = {"DESeq2": 5e-5, "edgeR": 1e-8, "limma-voom": 1e-7}
"""Largest difference of log10 p: DESeq2's is as far when R fits from another base level."""


def ask(bench, **fields: object):
    return ask_study(bench, "designs", **{"edger_flavor": "legacy_v3", **fields})


def assert_equal(results, design: str) -> None:
    for result in results:
        file = f"designs/{design}-{FILES[result.method]}.csv"
        assert_equal_to_r(result, file, change=1e-3, log10_p=BARS[result.method])


@pytest.fixture(scope="module")
def contrasts(module_bench):
    return ask(
        module_bench,
        contrasts=[
            {"reference_group": "b", "comparison_group": "c"},
            {"reference_group": "b", "comparison_group": "a"},
        ],
    )


def test_contrasts_of_three_groups_are_equal_to_r_and_turn(contrasts):
    assert contrasts.contrasts[0].name == "c vs b"
    assert_equal(contrasts.contrasts[0].method_results, "c-b")
    assert contrasts.sample_qc.group_counts == {"a": 8, "b": 8, "c": 8}
    assert contrasts.settings.terms[-1].levels == ["a", "b", "c"]
    names = [result.table.name for result in contrasts.contrasts[1].method_results]
    assert names[0] == "DESeq2-contrast-2"
    counts = pd.read_csv(FOLDER / "counts.csv", index_col=0)
    silent = counts.index[counts.iloc[:, :16].sum(axis=1) == 0]
    found = contrasts.method_results[0].table.frame.set_index("gene_id")
    shown = found.loc[[gene for gene in silent if gene in found.index]]
    assert len(shown) >= 2
    assert (shown["log2FC"] == 0).all()
    assert shown["pvalue"].dropna().eq(1).all()
    for result, turned in zip(
        contrasts.method_results, contrasts.contrasts[1].method_results, strict=True
    ):
        first, second = result.table.frame, turned.table.frame
        assert np.allclose(first["log2FC"], -second["log2FC"], atol=1e-7, equal_nan=True)
        assert np.allclose(first["pvalue"], second["pvalue"], rtol=1e-6, equal_nan=True)


def test_several_coefficients_together_are_equal_to_r(bench):
    data = ask(bench, test="lrt", covariates=["batch"])
    assert data.settings.reduced_design == "~ batch"
    assert_equal(data.method_results, "lrt-batch")
    called = data.method_results[0].table.frame
    assert (called["significant"] == (called["padj"] < 0.05)).all()


def test_an_interaction_is_equal_to_r(bench):
    genes = pd.read_csv(FOLDER / "interaction-edger.csv")["gene_id"]
    counts = pd.read_csv(FOLDER / "counts.csv", index_col=0).loc[genes]
    data = ask(bench, interaction="genotype", counts_csv=counts.to_csv(), min_count=0)
    assert data.method_results[0].n_tested == len(genes)
    assert data.summary.comparison == "b vs a in genotype w, beyond b vs a in m"
    assert_equal(data.method_results, "interaction")


@pytest.mark.parametrize(
    ("fields", "n_required", "n_tested"),
    [
        ({"interaction": "genotype"}, 4.0, 20),
        ({"interaction": "genotype", "covariates": ["batch"]}, 8 / 2.5, 20),
        ({"test": "lrt", "covariates": ["genotype"], "reduced": []}, 8 / 1.5, 0),
        ({"covariates": ["genotype"]}, 8.0, 0),
        ({}, 8.0, 0),
    ],
    ids=["interaction", "with batch", "two factors tested", "covariate", "plain"],
)
def test_the_filter_follows_the_cells_that_are_tested(
    bench, make_tables, fields, n_required, n_tested
):
    tables = make_tables(n_each=(8, 8))
    tables.extra = {
        "genotype": ["m"] * 4 + ["w"] * 4 + ["m"] * 4 + ["w"] * 4,
        "batch": list("xy") * 8,
    }
    tables.counts[:20] = 0
    tables.counts[:20, 12:] = np.arange(80, 160).reshape(20, 4)
    data = bench.run(**tables.request(**fields))
    tested = set(data.method_results[0].table.frame["gene_id"])
    assert len(tested & set(tables.genes[:20])) == n_tested
    assert data.settings.filter.required_samples == pytest.approx(n_required)
    assert ("design = filter_design" in data.r_script) == (n_required < 8)


def test_models_of_reduced_designs_and_other_groups_follow_the_request(bench):
    data = ask(bench, test="lrt", method="limma-voom", covariates=["batch"], reduced=["genotype"],
               interaction="genotype")  # fmt: skip
    assert data.settings.reduced_design == "~ genotype"
    assert data.settings.design == "~ genotype + batch + condition + genotype:condition"
    two = ask(bench, method="limma-voom")
    every = ask(bench, method="limma-voom", model_groups="all")
    assert two.sample_qc.group_counts == {"a": 8, "b": 8}
    assert every.sample_qc.group_counts == {"a": 8, "b": 8, "c": 8}
    assert any(text.startswith("other_groups: 8 samples") for text in two.warnings)
    assert not any(text.startswith("other_groups") for text in every.warnings)
    frames = [ask(bench, method="DESeq2", filter_alpha=alpha) for alpha in (0.1, 1e-8)]
    assert [data.settings.independent_filter_alpha for data in frames] == [0.1, 1e-8]
    assert "alpha = 1e-08" in frames[1].r_script


def test_pairs_are_compared_within_subjects(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"patient": ["p1", "p2", "p3", "p4", "p1", "p2", "p3", "p9"]}
    paired = bench.run(**tables.request(paired_column="patient"))
    assert paired.sample_qc.n_samples_used == 6
    assert any(text.startswith("incomplete_pairs: 2 samples") for text in paired.warnings)
    whole = make_tables(n_each=(4, 4))
    keep = [0, 1, 2, 4, 5, 6]
    whole.samples = [whole.samples[index] for index in keep]
    whole.groups = [whole.groups[index] for index in keep]
    whole.counts = whole.counts[:, keep]
    whole.extra = {"patient": ["p1", "p2", "p3"] * 2}
    adjusted = bench.run(**whole.request(covariates=["patient"]))
    frames = [one.method_results[0].table.frame for one in (paired, adjusted)]
    assert np.allclose(frames[0]["pvalue"], frames[1]["pvalue"])


@pytest.mark.parametrize(
    ("fields", "error", "field"),
    [
        ({"contrasts": [{"reference_group": "a", "comparison_group": "z"}]}, UnknownGroup,
         "contrasts[0].comparison_group"),
        ({"contrasts": [{"reference_group": "a", "comparison_group": "a"}]}, InvalidInput,
         "contrasts[0].comparison_group"),
        ({"interaction": "nope"}, InvalidInput, "interaction"),
        ({"test": "lrt", "reduced": ["nope"]}, InvalidInput, "reduced[0]"),
        ({"test": "lrt", "reduced": ["condition"]}, InvalidInput, "reduced"),
        ({"paired_column": "genotype", "interaction": "genotype"}, InvalidInput, "interaction"),
    ],
    ids=["unknown", "same", "column", "reduced", "nothing", "twice"],
)  # fmt: skip
def test_designs_that_cannot_be_are_refused(bench, fields, error, field):
    with pytest.raises(error) as caught:
        ask(bench, method="limma-voom", **fields)
    assert caught.value.details[0].field == field


def test_an_interaction_with_an_empty_cell_is_refused(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"site": ["x", "y", "x", "y", "x", "x", "x", "x"]}
    with pytest.raises(ConfoundedDesign, match="interaction cannot be estimated"):
        bench.run(**tables.request(interaction="site"))


@pytest.mark.parametrize("test", ["comparison", "lrt"])
def test_an_interaction_with_numbers_is_refused(bench, make_tables, test):
    tables = make_tables(n_each=(6, 6))
    tables.extra = {"age": [f"{20.5 + 3 * number}" for number in range(12)]}
    with pytest.raises(InvalidInput, match="holds numbers; an interaction needs groups"):
        bench.run(**tables.request(interaction="age", test=test))
    assert bench.run(**tables.request(covariates=["age"])).settings.design == "~ age + condition"


@pytest.mark.parametrize(
    "fields",
    [
        {"test": "lrt", "contrasts": [{"reference_group": "a", "comparison_group": "c"}]},
        {"test": "lrt", "lfc_test": "threshold"},
        {"reduced": ["batch"]},
    ],
)
def test_fields_that_contradict_each_other_are_refused(bench, fields):
    with pytest.raises(ValidationError, match="cannot be combined"):
        ask(bench, **fields)
