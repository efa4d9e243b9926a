"""Sets of genes: equal to R, names matched, files refused, shown in report."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from core.agents.differential_expression.gene_sets import match_gene_sets
from core.agents.differential_expression.report import compose
from core.errors import InvalidInput
from core.knowledge.gene_sets import load_gene_sets
from core.reports.charts import draw
from core.reports.document import Chart, Grid
from tests.core.agents.differential_expression.conftest import ask_study
from tests.core.agents.frames import Frames, make_about

FOLDER = Path(__file__).with_name("designs")


def own_sets() -> str:
    sets = {f"SET_{rest:02d}": [f"g{n:05d}" for n in range(rest, 250, 20)] for rest in range(20)}
    return "".join("\t".join([name, "by rule", *genes]) + "\n" for name, genes in sets.items())


def ask(bench, **fields: object):
    return ask_study(bench, "designs", **{"method": "limma-voom", **fields})


@pytest.fixture(scope="module")
def data(module_bench):
    return ask(module_bench, gene_sets_gmt=own_sets())


def test_camera_fry_and_overlap_are_those_of_r(data):
    ours = data.gene_set_results.table.frame.set_index("gene_set").sort_index()
    theirs = pd.read_csv(FOLDER / "gene-sets.csv", index_col=0).loc[ours.index]
    assert (ours["n_genes"] == theirs["n_genes"]).all()
    assert (ours["direction"] == theirs["direction"]).all()
    for column in ("camera_p", "fry_p"):
        assert np.abs(np.log10(ours[column]) - np.log10(theirs[column])).max() < 1e-7
    row = data.gene_set_results.table.frame.iloc[0]
    n_tested = data.sample_qc.n_genes_tested
    n_called = data.consensus.n_consensus_significant
    draws = np.random.default_rng(1).hypergeometric(
        n_called, n_tested - n_called, row["n_genes"], 200_000
    )
    assert row["overlap_p"] == pytest.approx((draws >= row["n_called"]).mean(), abs=0.01)
    row = data.gene_set_results.top[0]
    frame = data.method_results[0].table.frame.set_index("gene_id")
    changes = frame.loc[row.leading_genes.split("; "), "log2FC"]
    assert ((changes > 0) == (row.direction == "up")).all()


def test_a_planted_set_stands_first(bench, make_tables):
    tables = make_tables(n_genes=300)
    planted = [f"G{n:04d}" for n in range(0, 200, 10)]
    rest = [f"G{n:04d}" for n in range(1, 200, 10)]
    gmt = "\t".join(["RISES", "", *planted]) + "\n" + "\t".join(["STAYS", "", *rest]) + "\n"
    data = bench.run(**tables.request(gene_sets_gmt=gmt))
    first = data.gene_set_results.top[0]
    assert (first.gene_set, first.direction, first.n_called) == ("RISES", "up", 20)
    assert first.camera_padj < 1e-6 < data.gene_set_results.top[1].camera_padj
    assert any("RISES (up" in text for text in data.findings)
    tested = bench.saved["gene_sets_tested.gmt"].decode()
    assert tested.startswith("RISES\town\tG0000\t")


def test_shipped_sets_are_found_by_symbol_and_by_names_of_the_mouse():
    genes = load_gene_sets("hallmark")["HALLMARK_APOPTOSIS"]
    sets = {"hallmark": load_gene_sets("hallmark")}
    none = np.full(len(genes), None, dtype=object)
    human = match_gene_sets(sets, genes, none)
    mouse = match_gene_sets(sets, [gene.capitalize() for gene in genes], none)
    assert (human.matched_by, mouse.matched_by) == ("symbol", "name without case")
    assert human.names == mouse.names
    ids = [f"ENSG{n:011d}.3" for n in range(len(genes))]
    named = match_gene_sets(sets, ids, np.array(genes, dtype=object))
    assert named.names == human.names


def test_the_report_shows_sets_with_a_drawable_picture(data):
    document = compose(data, Frames(data), make_about("differential-expression", "b vs a"))
    assert any(isinstance(one, Grid) and "Gene sets" in one.caption for one in document.blocks)
    chart = next(
        one for one in document.blocks if isinstance(one, Chart) and "Gene sets" in one.caption
    )
    assert draw(chart).content


@pytest.mark.parametrize(
    ("gmt", "code", "word"),
    [
        ("A,b,c\n", "not_gmt", "Line 1"),
        ("A\tx\tG1\nA\tx\tG2\n", "not_gmt", "Line 2"),
        ("\n", "not_gmt", "Line 1"),
        ("A\tx\tQ1\tQ2\tQ3\tQ4\tQ5\n", "no_gene_set_matches", "by symbol"),
    ],
)
def test_files_that_hold_no_usable_set_are_refused(bench, gmt, code, word):
    with pytest.raises(InvalidInput, match=word) as caught:
        ask(bench, gene_sets_gmt=gmt)
    assert caught.value.word == code


def test_own_sets_come_one_way_and_without_sets_nothing_is_tested(bench, make_tables):
    with pytest.raises(ValidationError, match="cannot be combined"):
        ask(bench, gene_sets_gmt=own_sets(), gene_set_file_id="f")
    assert bench.run(**make_tables().request()).gene_set_results is None
