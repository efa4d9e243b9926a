"""The pipeline on its own examples: fields, counts that add up, files, steps."""

import numpy as np
import pytest

from core.agents.differential_expression import AGENT
from core.agents.differential_expression import calls as methods_module
from core.errors import AnalysisError
from core.records.table import find_tables


@pytest.fixture(scope="module")
def data(module_bench, make_tables):
    return module_bench.run(**make_tables().request(method="all"))


@pytest.mark.parametrize("example", AGENT.examples, ids=lambda example: example.name)
def test_examples_run_with_few_warnings(bench, example):
    data = bench.run(**example.request)
    assert len(data.warnings) <= 3
    assert data.consensus.n_consensus_significant > 0
    assert AGENT.data.model_validate_json(data.model_dump_json()).summary == data.summary


def test_methods_share_one_universe_and_their_consensus_adds_up(data):
    assert data.summary.methods_completed == ["DESeq2", "edgeR", "limma-voom"]
    assert list(data.summary.significant_by_method) == data.summary.methods_completed
    assert data.summary.comparison == "b vs a"
    first, *others = (result.table.frame for result in data.method_results)
    for other in others:
        assert other["gene_id"].equals(first["gene_id"])
        assert other["base_mean"].equals(first["base_mean"])
    assert {result.n_tested for result in data.method_results} == {len(first)}
    quality = data.sample_qc
    outside = quality.n_genes_all_zero + quality.n_genes_low_count
    assert quality.n_genes_tested + outside == quality.n_genes_numeric
    for result in data.method_results:
        assert result.n_up + result.n_down == result.n_significant
        assert int(result.table.frame["significant"].sum()) == result.n_significant
    called = [
        set(result.table.frame.loc[result.table.frame["significant"], "gene_id"])
        for result in data.method_results
    ]
    assert set(data.consensus.genes) == set.intersection(*called)
    assert data.consensus.n_methods == 3
    total = sum(overlap.n_genes for overlap in data.consensus.overlaps)
    assert total == len(data.consensus.table) == len(set.union(*called))
    planted = {f"G{index:04d}" for index in range(0, 150, 5)}
    found = set(data.consensus.genes)
    assert len(found & planted) >= 0.9 * len(planted)
    assert len(found - planted) <= 1
    for result in data.method_results:
        for top in (result.top_up, result.top_down):
            assert [gene.padj for gene in top] == sorted(gene.padj for gene in top)
            assert len(top) <= 20
        assert all(gene.log2FC > 0 for gene in result.top_up)
        assert all(gene.log2FC < 0 for gene in result.top_down)
    frame = data.method_results[1].table.frame
    assert frame["lfc_se"].isna().all()
    assert frame["log_cpm"].notna().all()


def test_genes_outside_the_universe_are_listed(bench, make_tables):
    tables = make_tables()
    tables.counts[0] = 0
    tables.counts[1] = 1
    data = bench.run(**tables.request())
    wire = data.model_dump(mode="json")["genes_not_tested"]
    assert wire == {"all_zero": ["G0000"], "low_count": ["G0001"]}


def test_view_echo_and_quality_describe_the_tables(data):
    view = data.model_dump(mode="json", context={"tables": "reference"})
    assert view["method_results"][0]["table"] == []
    assert view["consensus"]["table"] == []
    assert view["genes_not_tested"]["all_zero"] == []
    names = [table.name for table in find_tables(data)]
    assert names[:4] == ["DESeq2", "edgeR", "limma-voom", "consensus"]
    assert len(set(names)) == len(names)
    assert data.input.counts_csv.name == "counts_csv"
    assert data.input.counts_csv.n_rows == 150
    assert data.input.counts_csv.n_columns == 7
    assert len(data.input.counts_csv.sha256) == 64
    assert data.query_id == 7
    quality = data.sample_qc
    assert quality.group_counts == {"a": 3, "b": 3}
    assert [size.sample_id for size in quality.library_sizes] == list(quality.size_factors)
    assert np.isclose(np.prod(list(quality.tmm_factors.values())), 1)
    assert len(quality.pvalue_histogram) == 60
    assert {trend.method for trend in quality.dispersion_trend} == {"DESeq2", "limma-voom"}
    assert np.allclose(np.diag(quality.sample_distances.matrix), 0)


def test_the_r_script_quotes_names_and_takes_the_base_level_of_the_fit(bench, make_tables):
    tables = make_tables()
    tables.groups = ['a")); q("' if group == "a" else group for group in tables.groups]
    data = bench.run(**tables.request(reference_group='a")); q("'))
    assert bench.saved["run.R"].decode() == data.r_script
    assert 'reference_group <- "a\\")); q(\\""' in data.r_script
    tables = make_tables(n_each=(3, 4))
    scripts = {
        base: bench.run(
            **tables.request(reference_group=base, comparison_group=other, method="DESeq2")
        ).r_script
        for base, other in (("a", "b"), ("b", "a"))
    }
    turned = [base for base, script in scripts.items() if "ref = comparison)" in script]
    assert turned == ["a"]


def test_a_trend_without_a_parametric_curve_falls_back_to_a_local_one(bench, make_tables):
    tables = make_tables(n_genes=400, n_each=(4, 4))
    draw = np.random.default_rng(4)
    mean = 2 ** draw.uniform(5, 12, 400)
    size = 1 / (1e-3 * (mean / mean.min()) ** 0.8)
    chance = size / (size + mean)
    tables.counts = draw.negative_binomial(size[:, None], chance[:, None], (400, 8))
    data = bench.run(**tables.request(method="DESeq2"))
    assert any(text.startswith("trend_fallback: ") for text in data.warnings)


def test_methods_that_fail_leave_the_others_standing(bench, make_tables, monkeypatch):
    def fail(*_args):
        raise ValueError("singular matrix")

    monkeypatch.setitem(methods_module.FITS, "edgeR", fail)
    data = bench.run(**make_tables().request(method="all"))
    assert data.summary.methods_completed == ["DESeq2", "limma-voom"]
    assert any(text.startswith("method_failed: edgeR") for text in data.warnings)
    assert data.consensus.n_methods == 2

    def fail(*_args):
        raise FloatingPointError("overflow")

    monkeypatch.setitem(methods_module.FITS, "limma-voom", fail)
    with pytest.raises(AnalysisError, match="limma-voom"):
        bench.run(**make_tables().request())


def test_pydeseq2_stands_in_for_a_fit_that_fails(bench, make_tables, monkeypatch):
    def fail(*_args, **_settings):
        raise FloatingPointError("overflow")

    request = make_tables().request(method="DESeq2")
    plain = bench.run(**request)
    monkeypatch.setattr(methods_module, "fit_deseq2", fail)
    data = bench.run(**request)
    assert any(text.startswith("deseq2_fallback: ") for text in data.warnings)
    ours, theirs = (one.method_results[0].table.frame["log2FC"] for one in (plain, data))
    assert np.allclose(ours, theirs, atol=1e-3)


def test_every_warning_begins_with_its_code(bench, make_tables):
    tables = make_tables(n_genes=60, n_each=(2, 2))
    tables.genes[0] = "1-Mar"
    data = bench.run(**tables.request())
    assert len(data.warnings) >= 3
    for text in data.warnings:
        code, _, sentence = text.partition(": ")
        assert code.replace("_", "").isalpha()
        assert sentence.endswith(".")
