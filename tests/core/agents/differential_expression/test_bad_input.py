"""Bad and awkward input: every row of the design's table is an answer, never a crash."""

import gzip
from dataclasses import replace

import numpy as np
import pytest

from core.errors import (
    ConfoundedDesign,
    InvalidInput,
    MissingColumn,
    TooFewReplicates,
    UnknownGroup,
    UnreadableTable,
)
from tests.core.tables.shapes import zipped
from tests.rows import over_rows

KINDS = {
    "missing_column": MissingColumn,
    "unknown_group": UnknownGroup,
    "too_few_replicates": TooFewReplicates,
    "confounded_design": ConfoundedDesign,
}


def refuse(bench, request, code: str, *words: str):
    with pytest.raises(KINDS.get(code, InvalidInput)) as caught:
        bench.run(**request)
    assert caught.value.word == code
    for word in words:
        assert word in caught.value.message
    return caught.value


@over_rows(
    ("bend", "code", "words"),
    [
        (lambda counts: np.log2(counts + 1), "not_raw_counts", ("log", "raw counts")),
        (lambda counts: counts / counts.sum(axis=0) * 1e6, "not_raw_counts", ("1e+06", "TPM")),
        (lambda counts: counts / np.geomspace(1, 2e5, 150)[:, None], "not_raw_counts", ("FPKM",)),
        (
            lambda counts: counts * 0,
            "all_zero_counts",
            ("Every count of the samples",),
        ),
        (lambda counts: counts * [1, 1, 1, 1, 0, 1], "empty_sample", ("'s5'",)),
        (
            lambda counts: np.where(np.indices(counts.shape).sum(axis=0) == 4, -2, counts),
            "not_raw_counts",
            ("negative", "G0000", "s5"),
        ),
    ],
)
def test_numbers_that_are_no_counts_are_refused(bench, make_tables, bend, code, words):
    tables = make_tables()
    tables.counts = bend(tables.counts)
    refuse(bench, tables.request(), code, *words)


@over_rows(
    ("columns", "covariates", "code", "words"),
    [
        ({"batch": "xxxyyy"}, ["batch"], "confounded_design", ("'batch'", "x x a: 3")),
        (
            {"batch": "xyxyxy", "lane": "pqpqpq"},
            ["batch", "lane"],
            "confounded_design",
            ("'lane'", "'batch'"),
        ),
        ({"batch": ["x", "y", "", "x", "y", "x"]}, ["batch"], "missing_covariate", ("'s3'",)),
        ({"batch": "xxxxxx"}, ["batch"], "constant_covariate", ("'batch'",)),
        ({"batch": "xyxyxy"}, ["condition"], "duplicate_covariate", ()),
        ({"batch": "xyxyxy"}, ["batch", "batch"], "duplicate_covariate", ()),
        ({"donor": "vwxvyz"}, ["donor"], "too_few_replicates", ()),
    ],
)
def test_covariates_that_cannot_enter_are_refused(
    bench, make_tables, columns, covariates, code, words
):
    tables = make_tables()
    tables.extra = {name: list(values) for name, values in columns.items()}
    refuse(bench, tables.request(covariates=covariates), code, *words)


@over_rows(
    ("size", "fields", "code", "words"),
    [
        ({}, {"condition_column": "conditon"}, "missing_column", ("'condition'",)),
        ({}, {"gene_id_column": "nope"}, "missing_column", ("'nope'",)),
        ({}, {"sample_id_column": "nope"}, "missing_column", ("'nope'",)),
        ({}, {"comparison_group": "B"}, "unknown_group", ("'a', 'b'",)),
        ({}, {"comparison_group": "a"}, "same_group", ("'a', 'b'",)),
        ({}, {"min_count": 1_000_000}, "no_testable_genes", ("min_count",)),
        ({}, {"counts_csv": None, "count_file_id": "nope"}, "unknown_file", ("'nope'",)),
        ({"n_genes": 1}, {}, "no_testable_genes", ("1 of 1",)),
        ({"n_each": (1, 1)}, {}, "too_few_replicates", ("2 samples",)),
    ],
)
def test_requests_that_cannot_be_answered_are_refused(
    bench, make_tables, size, fields, code, words
):
    refuse(bench, make_tables(**size).request(**fields), code, *words)


@over_rows(
    ("field", "text", "code"),
    [
        ("counts_csv", "gene_id,s1,s2\nA,1,2\nB,1\n", "ragged_row"),
        ("counts_csv", "gene_id,s1,s2\nA,99999999999,2\n", "value_out_of_range"),
        ("condition_column", "conditon", "missing_column"),
    ],
)
def test_a_refusal_names_its_field(bench, make_tables, field, text, code):
    error = refuse(bench, make_tables().request(**{field: text}), code)
    assert error.details[0].field == field


def last_sample_in_words(tables) -> str:
    lines = tables.counts_text().splitlines()
    return "\n".join([lines[0], *(line.rsplit(",", 1)[0] + ",many" for line in lines[1:])])


@over_rows(
    ("field", "write", "code", "words"),
    [
        ("metadata_csv", lambda t: t.metadata_text() + "s1,a\n", "duplicate_samples", ("'s1'",)),
        ("metadata_csv", lambda t: t.metadata_text() + ",a\n", "blank_sample", ("Row 7",)),
        (
            "metadata_csv",
            lambda t: t.metadata_text().replace("\ns", "\npatient"),
            "samples_do_not_match",
            ("'patient1'", "'s1'"),
        ),
        (
            "counts_csv",
            lambda t: replace(t, genes=t.samples, samples=t.genes, counts=t.counts.T).counts_text(),
            "samples_do_not_match",
            ("transpose",),
        ),
        ("counts_csv", last_sample_in_words, "not_numeric", ("'s6'",)),
    ],
)
def test_tables_that_do_not_fit_are_refused(bench, make_tables, field, write, code, words):
    tables = make_tables()
    refuse(bench, tables.request(**{field: write(tables)}), code, *words)


@over_rows(
    ("size", "fields", "code", "word"),
    [
        ({"n_each": (1, 3)}, {}, "low_replicates", "no Cook's check"),
        ({"n_each": (2, 2)}, {}, "low_replicates", "no Cook's check"),
        ({"n_genes": 60}, {}, "few_genes", "60 genes"),
        ({}, {"counts": slice(1, None, 6)}, "depth_imbalance", "s2"),
        ({}, {"genes": ["1-Mar", "2-Sep", "2.31E+13"]}, "spreadsheet_names", "3 gene IDs"),
        (
            {"n_each": (3, 5)},
            {"groups": ["a", "a", "a", "b", "b", "b", "c", "c"]},
            "other_groups",
            "2 samples",
        ),
    ],
)
def test_what_weakens_an_answer_is_warned_of(bench, make_tables, size, fields, code, word):
    tables = make_tables(**size)
    if "counts" in fields:
        tables.counts.flat[fields["counts"]] *= 30
    tables.genes[:3] = fields.get("genes", tables.genes[:3])
    tables.groups = fields.get("groups", tables.groups)
    data = bench.run(**tables.request())
    assert word in warned(data, code)
    assert set(data.sample_qc.group_counts) == {"a", "b"}
    assert tables.genes[0] in set(data.method_results[0].table.frame["gene_id"])


def warned(data, code: str) -> str:
    found = [text for text in data.warnings if text.startswith(f"{code}: ")]
    assert len(found) == 1, data.warnings
    return found[0]


def test_fractional_and_repeated_counts_are_rounded_and_added_up(bench, make_tables):
    tables = make_tables()
    tables.counts[2, 0] += 0.4
    tables.counts[7, 5] += 0.3
    data = bench.run(**tables.request())
    text = warned(data, "rounded_counts")
    assert "2 fractional" in text
    assert "'G0002'" in text
    tables = make_tables()
    single = bench.run(**tables.request()).method_results[0].table.frame
    half = np.floor(tables.counts / 2)
    tables.counts = np.vstack([half, tables.counts - half])
    tables.genes = tables.genes * 2
    data = bench.run(**tables.request())
    assert "150 gene IDs" in warned(data, "duplicate_genes")
    assert np.array_equal(data.method_results[0].table.frame["log2FC"], single["log2FC"])


def test_columns_that_are_no_samples_are_dropped(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text("\t", "Geneid").splitlines()
    head = "Geneid\tChr\tStart\tEnd\tStrand\tLength\t" + "\t".join(tables.samples)
    body = [line.replace("\t", "\tchr1;chr1\t1;5\t9;12\t+\t90\t", 1) for line in lines[1:]]
    tally = "__no_feature\t\t\t\t\t\t" + "\t".join(["9"] * 6)
    text = "\n".join(["# Program:featureCounts", head, *body, tally]) + "\n"
    data = bench.run(**tables.request(counts_csv=text))
    assert "'Chr'" in warned(data, "annotation_dropped")
    assert "__no_feature" in warned(data, "annotation_dropped")
    assert data.sample_qc.n_genes_input == len(tables.genes)
    tables = make_tables()
    head, *body = tables.counts_text().splitlines()
    text = "\n".join(["# made by a pipeline", head + ",remark", *(line + ",fine" for line in body)])
    data = bench.run(**tables.request(counts_csv=text))
    assert "'remark'" in warned(data, "annotation_dropped")
    assert "counts_skip <- 1" in data.r_script
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    body = [f"{line},{number if number % 3 else 'NA'}" for number, line in enumerate(lines[1:])]
    data = bench.run(**tables.request(counts_csv="\n".join([lines[0] + ",entrez", *body])))
    assert "'entrez'" in warned(data, "annotation_dropped")
    assert data.sample_qc.n_genes_numeric == len(tables.genes)


def test_rows_with_a_word_are_left_out_with_a_warning(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    lines[4] = "G0003,1,2,oops,4,5,6"
    data = bench.run(**tables.request(counts_csv="\n".join(lines)))
    assert "'G0003', column 's3': 'oops'" in warned(data, "non_numeric_rows")
    assert data.sample_qc.n_genes_input - data.sample_qc.n_genes_numeric == 1


def written(tables, write, separator: str) -> str:
    """Return the count matrix with every count written by a function."""
    lines = [separator.join(["gene_id", *tables.samples])]
    for gene, row in zip(tables.genes, tables.counts, strict=True):
        cells = [f'"{cell}"' if separator == "," else cell for cell in map(write, row)]
        lines.append(separator.join([gene, *cells]))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("mark", "separator"),
    [(".", ","), (".", "\t"), (".", ";"), (",", ","), (",", "\t"), (",", ";")],
)
def test_log_values_of_three_decimals_are_no_thousands(bench, make_tables, mark, separator):
    tables = make_tables()
    tables.counts = np.log2(np.minimum(tables.counts, 5000) + 2)
    text = written(tables, lambda value: f"{value:.3f}".replace(".", mark), separator)
    refuse(bench, tables.request(counts_csv=text), "not_raw_counts", "log values")


def test_a_shallow_sample_is_read_as_the_others_are(bench, make_tables):
    tables = make_tables()
    tables.counts[:, 0] = np.clip(tables.counts[:, 0] // 15, 1, 900)
    plain = bench.run(**tables.request())
    tables.counts = tables.counts + 0.123
    text = written(tables, lambda value: f"{value:.3f}", ",")
    other = bench.run(**tables.request(counts_csv=text))
    assert other.method_results[0].table.frame.equals(plain.method_results[0].table.frame)


@over_rows(
    ("first", "last", "separator"),
    [("1,336.5", "1.336,5", "\t"), ("2500", "1,336", ",")],
)
def test_samples_written_in_two_ways_are_refused(bench, make_tables, first, last, separator):
    tables = make_tables()
    tables.counts = np.minimum(tables.counts, 999)
    lines = tables.counts_text(separator).splitlines()
    fields = lines[6].split(separator)
    lines[6] = separator.join([fields[0], first, *fields[2:-1], f'"{last}"'])
    request = tables.request(counts_csv="\n".join(lines))
    refuse(bench, request, "ambiguous_number", "'s1'", first, "'s6'", last)


@pytest.mark.parametrize(
    ("cells", "separator", "words"),
    [
        (["1.336", "2.411", "3.127"], "\t", ("'s1'", "'G0005'", "1.336")),
        (["1,336", "2,411", "3,127"], ";", ("'s1'", "'G0005'", "1,336")),
        (["1,336", "2411", "3,127"], "\t", ("'s1'", "'G0005'", "1,336")),
        (["1,336.5", "12,5", "3,1"], "\t", ("'s1'",)),
    ],
    ids=["point", "comma", "some", "two formats"],
)
def test_counts_that_can_be_read_in_two_ways_are_refused(
    bench, make_tables, cells, separator, words
):
    tables = make_tables()
    tables.counts = np.minimum(tables.counts, 999)
    lines = tables.counts_text(separator).splitlines()
    for offset, cell in enumerate(cells):
        fields = lines[6 + offset].split(separator)
        lines[6 + offset] = separator.join([fields[0], cell, *fields[2:]])
    request = tables.request(counts_csv="\n".join(lines))
    refuse(bench, request, "ambiguous_number", *words)


@pytest.mark.parametrize(
    ("n_rows", "first", "words"),
    [(2, 3, ("2 gene rows of 150", "'G0003'", "'s3'", "'oops'")),
     (1, 149, ("1 gene row of 150", "'G0149'", "'s3'", "'oops'"))],
    ids=["over 1 %", "highly expressed"],
)  # fmt: skip
def test_genes_lost_to_unreadable_cells_stop_the_run(bench, make_tables, n_rows, first, words):
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    for row in range(first, first + n_rows):
        fields = lines[1 + row].split(",")
        lines[1 + row] = ",".join([*fields[:3], "oops", *fields[4:]])
    refuse(bench, tables.request(counts_csv="\n".join(lines)), "not_numeric", *words)


def test_spreadsheet_dates_and_odd_ids_stay_text(bench, make_tables):
    tables = make_tables()
    tables.genes[10], tables.genes[20] = "1-Mar", "1-Mar"
    data = bench.run(**tables.request())
    text = warned(data, "spreadsheet_names")
    assert "2 gene IDs look" in text
    assert "not added up: '1-Mar'" in text
    genes = list(data.method_results[0].table.frame["gene_id"])
    assert (genes[10], genes[20], len(genes)) == ("1-Mar#1", "1-Mar#2", 150)
    assert not any(text.startswith("duplicate_genes") for text in data.warnings)
    tables = make_tables()
    tables.genes[:5] = ["007", "NA", "nan", "1e5", "TCGA-AA-1234"]
    data = bench.run(**tables.request())
    assert list(data.method_results[0].table.frame["gene_id"][:5]) == tables.genes[:5]


@pytest.mark.parametrize(
    ("in_counts", "in_metadata"),
    [("X1.a", "1-a"), ("Ctrl 1", "Ctrl1"), ("ctrl-1", "CTRL.1"), ("ctrl-1", "ctrl.1")],
)
def test_one_rewriting_matches_names(bench, make_tables, in_counts, in_metadata):
    tables = make_tables()
    counts, metadata = tables.counts_text(), tables.metadata_text()
    for number in range(1, 7):
        counts = counts.replace(f"s{number}", in_counts.replace("1", str(number)), 1)
        metadata = metadata.replace(f"s{number}", in_metadata.replace("1", str(number)), 1)
    data = bench.run(**tables.request(counts_csv=counts, metadata_csv=metadata))
    assert in_counts in warned(data, "names_rewritten")
    assert data.sample_qc.n_samples_used == 6


def test_samples_in_one_file_only_are_named(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    text = tables.metadata_text().replace("s4,a\n", "") + "extra-sample,b\n"
    data = bench.run(**tables.request(metadata_csv=text))
    found = [line for line in data.warnings if line.startswith("samples_ignored: ")]
    assert any("'extra-sample'" in line for line in found)
    assert any("'s4'" in line for line in found)


@over_rows(
    ("column", "values", "kind"),
    [
        ("lane", ["1", "2", "1", "2", "1", "2"], "factor"),
        ("age", ["1.5", "2", "3.1", "2.2", "1.9", "4"], "numeric"),
    ],
)
def test_few_whole_numbers_are_a_factor_with_a_warning(bench, make_tables, column, values, kind):
    tables = make_tables()
    tables.extra = {column: values}
    data = bench.run(**tables.request(covariates=[column]))
    assert data.settings.terms[0].kind == kind
    if kind == "factor":
        assert "'lane'" in warned(data, "covariate_as_factor")


def test_a_zero_in_every_gene_uses_poscounts(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    for row in range(len(tables.genes)):
        tables.counts[row, row % 8] = 0
    data = bench.run(**tables.request())
    warned(data, "poscounts_used")
    assert data.settings.size_factors == "poscounts"


@pytest.mark.parametrize("method", ["DESeq2", "edgeR", "limma-voom"])
def test_counts_that_do_not_vary_still_complete(bench, make_tables, method):
    tables = make_tables()
    tables.counts = np.full(tables.counts.shape, 50.0) + np.arange(150)[:, None]
    data = bench.run(**tables.request(method=method, lfc_test="threshold"))
    assert data.summary.significant_by_method == {method: 0}
    assert data.method_results[0].table.frame["pvalue"].max() <= 1


@pytest.fixture
def upload(bench, make_tables):
    def run(content: bytes, **fields: object):
        tables = make_tables()
        sheet = tables.metadata_text().encode()
        bench.uploads.files = {"c": ("c.csv", content), "m": ("m.csv", sheet)}
        request = tables.request(count_file_id="c", metadata_file_id="m", **fields)
        del request["counts_csv"], request["metadata_csv"]
        return bench.run(**request)

    return run


def test_an_upload_gives_the_answer_of_inline_text(bench, make_tables, upload):
    tables = make_tables()
    data = upload(gzip.compress(tables.counts_text().encode("utf-16")))
    plain = bench.run(**tables.request())
    assert data.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert (data.input.counts_csv.name, bench.saved.get("counts.csv")) == ("c.csv", None)
    files = {}
    for column, sample in enumerate(tables.samples):
        counts = tables.counts[:, column]
        rows = [f"{gene}\t{n}\n" for gene, n in zip(tables.genes, counts, strict=True)]
        files[f"run/{sample}/quant.genes.sf"] = "Name\tNumReads\n" + "".join(rows)
    data = upload(zipped(files))
    assert data.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert bench.saved["counts.csv"].startswith(b"gene_id,s1,")


def test_a_refused_upload_names_its_field(upload, make_tables):
    with pytest.raises(UnreadableTable, match="Latin-1") as caught:
        upload(b"gene_id,s1\nA,1\nB\xe9,2\n")
    assert caught.value.details[0].field == "count_file_id"
    with pytest.raises(InvalidInput, match="holds samples, not single cells"):
        upload(make_tables().counts_text().encode(), cell_sample_column="sample")
