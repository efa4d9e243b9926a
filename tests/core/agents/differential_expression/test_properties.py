"""What must hold whatever the numbers are."""

import json

import numpy as np
import pytest

METHODS = ["DESeq2", "edgeR", "limma-voom"]
CLOSE = 1e-9


def table(data, method: str):
    found = next(result for result in data.method_results if result.method == method)
    return found.table.frame.set_index("gene_id")


@pytest.mark.parametrize("method", METHODS)
def test_swapped_groups_flip_the_sign_and_keep_p(bench, make_tables, method):
    tables = make_tables()
    plain = table(bench.run(**tables.request(method=method)), method)
    swapped = table(
        bench.run(**tables.request(method=method, reference_group="b", comparison_group="a")),
        method,
    )
    assert np.allclose(swapped["log2FC"], -plain["log2FC"], rtol=0, atol=CLOSE)
    assert np.allclose(swapped["pvalue"], plain["pvalue"], rtol=CLOSE, atol=0)


@pytest.mark.parametrize("method", METHODS)
def test_order_of_genes_and_samples_changes_nothing(bench, make_tables, method):
    tables = make_tables()
    plain = table(bench.run(**tables.request(method=method)), method)
    draw = np.random.default_rng(1)
    genes, samples = draw.permutation(len(tables.genes)), draw.permutation(len(tables.samples))
    tables.counts = tables.counts[genes][:, samples]
    tables.genes = [tables.genes[index] for index in genes]
    tables.samples = [tables.samples[index] for index in samples]
    tables.groups = [tables.groups[index] for index in samples]
    shuffled = table(bench.run(**tables.request(method=method)), method).loc[plain.index]
    for column in ("base_mean", "log2FC", "pvalue", "padj"):
        assert np.allclose(shuffled[column], plain[column], rtol=CLOSE, atol=CLOSE, equal_nan=True)


def test_order_of_metadata_and_repetition_change_nothing(bench, make_tables):
    tables = make_tables()
    lines = tables.metadata_text().splitlines()
    reversed_text = "\n".join([lines[0], *reversed(lines[1:])])
    plain = table(bench.run(**tables.request()), "limma-voom")
    other = table(bench.run(**tables.request(metadata_csv=reversed_text)), "limma-voom")
    assert np.allclose(other["pvalue"], plain["pvalue"], atol=CLOSE)
    request = make_tables().request()
    assert bench.run(**request).model_dump_json() == bench.run(**request).model_dump_json()


@pytest.mark.parametrize("method", METHODS)
def test_a_covariate_changes_the_answer(bench, make_tables, method):
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"batch": list("xyxyxyxy")}
    plain = table(bench.run(**tables.request(method=method)), method)
    adjusted = table(bench.run(**tables.request(method=method, covariates=["batch"])), method)
    assert not np.allclose(adjusted["pvalue"], plain["pvalue"], atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_threshold_makes_p_larger(bench, make_tables, method):
    tables = make_tables()
    plain = table(bench.run(**tables.request(method=method)), method)
    strict = table(bench.run(**tables.request(method=method, lfc_test="threshold")), method)
    assert (strict["pvalue"] >= plain["pvalue"] - CLOSE).all()
    assert strict["pvalue"].median() > plain["pvalue"].median()


@pytest.mark.parametrize(
    ("method", "flavor"),
    [("edgeR", {"edger_flavor": "legacy_v3"}), ("limma-voom", {"limma_flavor": "adaptive_span"})],
)
def test_flavors_give_other_numbers(bench, make_tables, method, flavor):
    tables = make_tables()
    plain = table(bench.run(**tables.request(method=method)), method)
    other = table(bench.run(**tables.request(method=method, **flavor)), method)
    assert not np.allclose(other["pvalue"], plain["pvalue"], atol=1e-6)


def test_no_number_is_nan_on_the_wire(bench, make_tables):
    tables = make_tables()
    tables.counts[3, 4] = 2_000_000
    data = bench.run(**tables.request(method="all"))
    json.loads(data.model_dump_json(), parse_constant=pytest.fail)
    row = next(row for row in data.method_results[0].table.rows() if row["gene_id"] == "G0003")
    assert row["pvalue"] is None
    assert row["na_reason"] == "outlier"


def test_one_huge_count_is_warned_of_and_no_consensus(bench, make_tables):
    tables = make_tables(n_each=(5, 5))
    tables.counts[[3, 14, 27], 7] = 300_000
    data = bench.run(**tables.request(method="all"))
    assert not {"G0003", "G0014", "G0027"} & set(data.consensus.genes)
    edger = table(data, "edgeR")
    called = [gene for gene in ("G0003", "G0014", "G0027") if edger.loc[gene, "significant"]]
    text = " ".join(line for line in data.warnings if line.startswith("count_outliers: "))
    assert all(gene in text for gene in called)
