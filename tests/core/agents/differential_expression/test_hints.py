"""Warnings that name a column or a sample to look at."""

import numpy as np
import pytest


def warning(data, code: str) -> str:
    return " ".join(text for text in data.warnings if text.startswith(f"{code}: "))


@pytest.fixture
def batched(make_tables):
    tables = make_tables(n_each=(6, 6))
    batch = np.array([0, 1] * 6)
    shift = np.where(np.arange(150) % 3 == 1, 6.0, 1.0)
    tables.counts = np.round(tables.counts * np.where(batch, shift[:, None], 1.0))
    tables.extra = {"run_day": ["monday" if flag else "friday" for flag in batch]}
    return tables


def test_a_batch_is_named_where_it_is_outside_the_model(bench, batched):
    text = warning(bench.run(**batched.request()), "batch_not_in_model")
    assert "'run_day'" in text
    data = bench.run(**batched.request(covariates=["run_day"]))
    assert not warning(data, "batch_not_in_model")
    own = [part for part in data.sample_qc.pca_associations if part.column == "run_day"]
    assert all(part.pvalue_beyond_design is None for part in own)
    assert max(part.variance_share for part in own) > 0.5


def test_associations_name_every_grouping_column_and_component(bench, batched):
    batched.extra["note"] = [f"only {index}" for index in range(12)]
    found = bench.run(**batched.request()).sample_qc.pca_associations
    assert {(part.column, part.component) for part in found} == {
        (column, component) for column in ("condition", "run_day") for component in (1, 2)
    }


def test_a_subject_column_proposes_pairs_where_all_are_complete(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"subject": list("pqrspqrs")}
    text = warning(bench.run(**tables.request()), "paired_design")
    assert "'subject'" in text
    assert "4 pairs" in text
    assert not warning(bench.run(**tables.request(covariates=["subject"])), "paired_design")
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"subject": list("pqrspqrt")}
    assert not warning(bench.run(**tables.request()), "paired_design")


@pytest.mark.parametrize("genes", [("XIST", "RPS4Y1"), ("ENSG00000229807.12", "ENSG00000129824")])
def test_sex_genes_against_the_metadata_name_the_sample(bench, make_tables, genes):
    tables = make_tables(n_each=(4, 4))
    tables.genes[0], tables.genes[1] = genes
    female = np.array([True, False] * 4)
    tables.counts[0] = np.where(female, 900, 3)
    tables.counts[1] = np.where(female, 2, 700)
    tables.extra = {"Sex": ["F" if flag else "male" for flag in female]}
    assert not warning(bench.run(**tables.request()), "sex_mismatch")
    tables.extra["Sex"][4] = "male"
    assert "'s5'" in warning(bench.run(**tables.request()), "sex_mismatch")


def test_exchanged_labels_name_both_samples(bench, make_tables):
    tables = make_tables(n_each=(5, 5))
    assert not warning(bench.run(**tables.request()), "sample_swap")
    tables.groups[1], tables.groups[7] = "b", "a"
    text = warning(bench.run(**tables.request()), "sample_swap")
    assert "'s2'" in text
    assert "'s8'" in text


@pytest.mark.parametrize("method", ["edgeR", "limma-voom", "all"])
def test_a_gene_that_one_count_drives_is_named_with_its_sample(bench, make_tables, method):
    tables = make_tables(n_each=(5, 5))
    tables.counts[3, 5:] = 900
    tables.counts[3, 7] = 60_000
    data = bench.run(**tables.request(method=method))
    called = {
        result.method
        for result in data.method_results
        if result.method != "DESeq2"
        and "G0003" in set(result.table.frame.loc[result.table.frame["significant"], "gene_id"])
    }
    text = warning(data, "count_outliers")
    assert called
    assert "G0003 (s8; " in text
    assert all(name in text for name in called)


def test_no_gene_is_named_when_no_count_stands_out(bench, make_tables):
    data = bench.run(**make_tables(n_each=(5, 5)).request(method="all"))
    named = warning(data, "count_outliers").count("(s")
    assert named <= 3
