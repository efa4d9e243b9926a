"""The certificate: false calls under shuffled labels, and calls that rest on one sample."""

import numpy as np
import pytest

from core.agents.differential_expression import certificate as certificate_module
from core.agents.differential_expression.certificate import draw_shuffles


class Labels:
    """What of a study the shuffles look at."""

    def __init__(self, groups):
        self.groups = tuple(groups)
        self.levels = ("a", "b")


def test_shuffles_are_distinct_seeded_and_within_blocks():
    study = Labels("aaabbb")
    blocks = [()] * 6
    found = draw_shuffles(study, blocks, 100, seed=3)
    assert len(found) == 20 // 2 - 1
    mirrored = {tuple("ab"["ba".index(one)] for one in groups) for groups in found}
    assert study.groups not in set(found) | mirrored
    assert not set(found) & mirrored
    assert found == draw_shuffles(study, blocks, 100, seed=3)
    assert all(sorted(groups) == sorted(study.groups) for groups in found)
    study = Labels("aabbabab")
    blocks = [("x",)] * 4 + [("y",)] * 4
    for groups in draw_shuffles(study, blocks, 30, seed=1):
        assert groups[:4].count("a") == groups[4:].count("a") == 2


@pytest.fixture(scope="module")
def certified(module_bench):
    draw = np.random.default_rng(11)
    flags = np.repeat([False, True], 4)
    mean = 2 ** draw.uniform(5, 11, 200)
    change = np.where(np.arange(200) < 20, 6.0, 1.0)
    counts = draw.negative_binomial(
        20, 20 / (20 + mean[:, None] * np.where(flags, change[:, None], 1.0))
    )
    counts[150] = [20, 22, 19, 21, 20, 23, 21, 4000]
    samples = [f"s{n}" for n in range(8)]
    rows = [",".join(["gene", *samples])]
    rows += [",".join([f"G{n:03d}", *map(str, row)]) for n, row in enumerate(counts)]
    sheet = [
        "sample,condition",
        *(f"{s},{'b' if f else 'a'}" for s, f in zip(samples, flags, strict=True)),
    ]
    return module_bench.run(
        counts_csv="\n".join(rows) + "\n",
        metadata_csv="\n".join(sheet) + "\n",
        condition_column="condition",
        reference_group="a",
        comparison_group="b",
        method="limma-voom",
        certificate=True,
    )


def test_false_calls_and_samples_left_out_of_planted_genes(certified):
    found = certified.certificate
    (one,) = found.false_calls
    assert (found.n_shuffles, found.n_genes_shuffled) == (34, certified.sample_qc.n_genes_tested)
    assert one.n_called == certified.method_results[0].n_significant
    assert one.nominal == pytest.approx(0.05 * one.n_called)
    assert one.mean < 0.2 * one.n_called
    assert one.largest >= one.median
    frame = found.fragile.frame.set_index("gene_id")
    assert (found.n_left_out, found.not_left_out) == (8, [])
    assert set(frame.index) == set(certified.consensus.genes)
    assert (frame["n_runs"] == 8).all()
    planted = [f"G{n:03d}" for n in range(20)]
    assert (frame.loc[planted, "n_kept"] == 8).mean() > 0.8
    assert found.n_robust == (frame["n_kept"] == 8).sum()
    lost = frame["lost_without"].map(lambda text: len(text.split("; ")) if text else 0)
    assert (frame["n_kept"] + lost == 8).all()
    assert any("shuffled labels (34 shuffles)" in text for text in certified.findings)


def test_a_gene_driven_by_one_sample_is_lost_without_it(bench, make_tables):
    tables = make_tables(n_each=(3, 3))
    target = 61
    tables.counts[target] = [30, 33, 29, 62, 66, 500]
    data = bench.run(**tables.request(certificate=True, fdr_cutoff=0.5, log2fc_cutoff=1.5))
    frame = data.certificate.fragile.frame.set_index("gene_id")
    assert frame.loc[tables.genes[target], "lost_without"] == "s6"


def test_time_stays_bounded_by_fitting_some_of_the_genes(bench, make_tables, monkeypatch):
    monkeypatch.setattr(certificate_module, "_FEWEST", 60)
    monkeypatch.setattr(certificate_module, "_CELLS", 100)
    data = bench.run(**make_tables().request(certificate=True))
    found = data.certificate
    assert found.n_genes_shuffled == 50
    assert len(data.consensus.genes) < found.n_genes_refitted < 100
    whole = {gene for gene in data.consensus.genes}
    assert set(found.fragile.frame["gene_id"]) == whole


def test_it_is_off_unless_asked_for(bench, make_tables):
    assert bench.run(**make_tables().request()).certificate is None
