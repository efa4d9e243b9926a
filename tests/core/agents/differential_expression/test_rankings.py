"""Ranked lists, shrunken changes, and why a gene is no consensus gene."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def data(module_bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    tables.counts[3, 5] = 2_000_000
    return module_bench.run(**tables.request(method="all"))


@pytest.mark.parametrize("method", ["DESeq2", "edgeR", "limma-voom"])
def test_rankings_go_from_the_surest_rise_to_the_surest_fall(module_bench, data, method):
    lines = module_bench.saved[f"{method}.rnk"].decode().splitlines()
    scores = [float(line.split("\t")[1]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    result = next(part for part in data.method_results if part.method == method)
    assert lines[0].split("\t")[0] in [gene.gene_id for gene in result.top_up]
    assert lines[-1].split("\t")[0] in [gene.gene_id for gene in result.top_down]
    assert len(lines) == int(result.table.frame["pvalue"].notna().sum())


def test_rankings_with_a_threshold_use_p_where_there_is_no_statistic(bench, make_tables):
    bench.run(**make_tables().request(method="edgeR", lfc_test="threshold"))
    lines = bench.saved["edgeR.rnk"].decode().splitlines()
    assert len(lines) == 150


def test_shrunken_changes_are_nearer_to_zero_and_keep_their_sign(data):
    frame = data.method_results[0].table.frame
    known = frame[frame["log2FC"].abs() > 0.01]
    assert (known["log2FC_shrunken"].abs() <= known["log2FC"].abs() + 0.02).all()
    strong = known[known["padj"] < 1e-6]
    assert np.allclose(strong["log2FC_shrunken"], strong["log2FC"], rtol=0.1)
    weak = known[known["pvalue"] > 0.5]
    assert (weak["log2FC_shrunken"].abs() < weak["log2FC"].abs()).mean() > 0.95
    assert data.method_results[1].table.frame["log2FC_shrunken"].isna().all()


def test_genes_outside_the_consensus_have_a_reason(data, bench, make_tables):
    frame = data.consensus.table.frame
    consensus = frame["is_consensus"].astype(bool)
    assert frame.loc[consensus, "reason"].isna().all()
    assert frame.loc[~consensus, "reason"].notna().all()
    tables = make_tables(n_each=(5, 5))
    tables.counts[3, 5:] = 900
    tables.counts[3, 7] = 60_000
    frame = bench.run(**tables.request(method="all")).consensus.table.frame
    row = frame.set_index("gene_id").loc["G0003"]
    assert "DESeq2: count outlier" in row["reason"]


def test_the_strongest_genes_come_with_every_sample(data):
    strongest = data.strongest_genes
    names = [gene.gene_id for gene in strongest.genes]
    tops = {gene.gene_id for part in data.method_results for gene in (*part.top_up, *part.top_down)}
    assert len(set(names)) == len(names) <= 60
    assert set(names) <= tops
    assert {part.top_up[0].gene_id for part in data.method_results} <= set(names)
    factors = data.sample_qc.size_factors
    assert strongest.sample_ids == list(factors)
    base_mean = data.method_results[0].table.frame.set_index("gene_id")["base_mean"]
    for gene in strongest.genes:
        assert np.mean(gene.normalized_counts) == pytest.approx(base_mean[gene.gene_id], abs=0.01)
