"""Bad and awkward input: every row of the design's table is an answer, never a crash."""

import gzip

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


def refuse(bench, request, code: str, *words: str, error: type[InvalidInput] = InvalidInput):
    with pytest.raises(error) as caught:
        bench.run(**request)
    assert caught.value.word == code
    for word in words:
        assert word in caught.value.message
    return caught.value


def warned(data, code: str) -> str:
    found = [text for text in data.warnings if text.startswith(f"{code}: ")]
    assert len(found) == 1, data.warnings
    return found[0]


def test_negative_count_is_refused_with_its_place(bench, make_tables):
    tables = make_tables()
    tables.counts[3, 1] = -2
    refuse(bench, tables.request(), "not_raw_counts", "negative", "G0003", "s2")


def test_log_values_are_refused(bench, make_tables):
    tables = make_tables()
    tables.counts = np.log2(tables.counts + 1)
    refuse(bench, tables.request(), "not_raw_counts", "log", "raw counts")


def test_equal_column_sums_with_fractions_are_refused(bench, make_tables):
    tables = make_tables()
    tables.counts = tables.counts / tables.counts.sum(axis=0) * 1e6
    refuse(bench, tables.request(), "not_raw_counts", "1e+06", "TPM")


def test_many_values_below_one_are_refused_as_fpkm(bench, make_tables):
    tables = make_tables()
    tables.counts = tables.counts / np.geomspace(1, 200_000, len(tables.genes))[:, None]
    refuse(bench, tables.request(), "not_raw_counts", "FPKM")


def test_fractional_estimates_are_rounded_and_counted(bench, make_tables):
    tables = make_tables()
    tables.counts[2, 0] += 0.4
    tables.counts[7, 5] += 0.3
    data = bench.run(**tables.request())
    text = warned(data, "rounded_counts")
    assert "2 fractional" in text
    assert "'G0002'" in text


def test_numeric_and_missing_looking_gene_ids_stay_text(bench, make_tables):
    tables = make_tables()
    tables.genes[:5] = ["007", "NA", "nan", "1e5", "TCGA-AA-1234"]
    data = bench.run(**tables.request())
    assert list(data.method_results[0].table.frame["gene_id"][:5]) == tables.genes[:5]


def test_spreadsheet_names_are_counted_and_kept(bench, make_tables):
    tables = make_tables()
    tables.genes[:3] = ["1-Mar", "2-Sep", "2.31E+13"]
    data = bench.run(**tables.request())
    assert "3 gene IDs" in warned(data, "spreadsheet_names")
    assert "1-Mar" in set(data.method_results[0].table.frame["gene_id"])


def test_duplicate_genes_are_added_up(bench, make_tables):
    tables = make_tables()
    single = bench.run(**tables.request()).method_results[0].table.frame
    half = np.floor(tables.counts / 2)
    tables.counts = np.vstack([half, tables.counts - half])
    tables.genes = tables.genes * 2
    data = bench.run(**tables.request())
    assert "150 gene IDs" in warned(data, "duplicate_genes")
    assert np.array_equal(data.method_results[0].table.frame["log2FC"], single["log2FC"])


def test_duplicate_samples_in_metadata_are_refused(bench, make_tables):
    tables = make_tables()
    text = tables.metadata_text() + "s1,a\n"
    refuse(bench, tables.request(metadata_csv=text), "duplicate_samples", "'s1'")


def test_feature_counts_columns_and_tally_rows_are_dropped(bench, make_tables):
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


def test_text_columns_of_unknown_name_are_dropped(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    text = "\n".join([lines[0] + ",remark", *(line + ",fine" for line in lines[1:])])
    data = bench.run(**tables.request(counts_csv=text))
    assert "'remark'" in warned(data, "annotation_dropped")


def test_a_sample_column_of_words_is_refused(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    body = [line.rsplit(",", 1)[0] + ",many" for line in lines[1:]]
    request = tables.request(counts_csv="\n".join([lines[0], *body]))
    refuse(bench, request, "not_numeric", "'s6'")


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
    ("write", "separator"),
    [
        (lambda count: f"{count:,.0f}", ","),
        (lambda count: f"{count:,.0f}", "\t"),
        (lambda count: f"{count:,.0f}".replace(",", "."), ";"),
        (lambda count: f"{count:,.0f}".replace(",", "."), "\t"),
        (lambda count: f"{count:,.0f}".replace(",", " "), ","),
        (lambda count: f"{count:,.0f}".replace(",", "\u202f"), ";"),
        (lambda count: f"{count:,.0f}".replace(",", "\u2019"), ";"),
        (lambda count: f"{count:.1f}".replace(".", ","), ";"),
        (lambda count: f"{count:,.1f}".translate({44: ".", 46: ","}), ";"),
    ],
    ids=["comma", "comma-tab", "point", "point-tab", "space", "narrow", "apostrophe", "decimal",
         "point-comma"],
)  # fmt: skip
def test_counts_written_by_another_locale_are_read(bench, make_tables, write, separator):
    tables = make_tables()
    tables.counts[5] = [1340, 1230, 2500, 3120, 1150, 990]
    plain = bench.run(**tables.request())
    other = bench.run(**tables.request(counts_csv=written(tables, write, separator)))
    assert other.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert "'s1'" in warned(other, "number_format")
    assert "thousands <- c(" in other.r_script


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


@pytest.mark.parametrize(
    ("first", "last", "separator"),
    [("1,336.5", "1.336,5", "\t"), ("2500", "1,336", ",")],
    ids=["marks", "unmarked"],
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


def test_gaps_of_a_column_that_is_no_sample_cost_no_gene(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text().splitlines()
    body = [f"{line},{number if number % 3 else 'NA'}" for number, line in enumerate(lines[1:])]
    data = bench.run(**tables.request(counts_csv="\n".join([lines[0] + ",entrez", *body])))
    assert "'entrez'" in warned(data, "annotation_dropped")
    assert data.sample_qc.n_genes_numeric == len(tables.genes)


@pytest.mark.parametrize(
    "names",
    [
        ["no_feature", "ambiguous", "too_low_aQual", "not_aligned", "alignment_not_unique"],
        ["__no_feature", "__ambiguous", "__too_low_aQual", "__not_aligned",
         "__alignment_not_unique"],
        ["_ambiguous", "_ambiguous_readpair_position", "_empty", "_lowaqual", "_notaligned"],
        ["N_unmapped", "N_multimapping", "N_noFeature", "N_ambiguous"],
        ["Unassigned_Unmapped", "Unassigned_NoFeatures", "Unassigned_Ambiguity"],
    ],
    ids=["old htseq", "htseq", "DEXSeq", "STAR", "featureCounts"],
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 70, 150])
def test_summary_rows_of_quantifiers_are_no_genes(bench, make_tables, names, place):
    tables = make_tables()
    plain = bench.run(**tables.request())
    for name in names:
        tables.genes.insert(place, name)
        tables.counts = np.insert(tables.counts, place, 50_000, axis=0)
    data = bench.run(**tables.request())
    assert all(f"'{name}'" in warned(data, "annotation_dropped") for name in names)
    assert data.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert all(f'"{name}"' in data.r_script for name in names)


def test_rows_of_one_spreadsheet_date_are_not_added_up(bench, make_tables):
    tables = make_tables()
    tables.genes[10], tables.genes[20] = "1-Mar", "1-Mar"
    data = bench.run(**tables.request())
    text = warned(data, "spreadsheet_names")
    assert "2 gene IDs look" in text
    assert "not added up: '1-Mar'" in text
    genes = list(data.method_results[0].table.frame["gene_id"])
    assert (genes[10], genes[20], len(genes)) == ("1-Mar#1", "1-Mar#2", 150)
    assert not any(text.startswith("duplicate_genes") for text in data.warnings)


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


def test_unmatched_names_are_listed_on_both_sides(bench, make_tables):
    tables = make_tables()
    text = tables.metadata_text().replace("\ns", "\npatient")
    request = tables.request(metadata_csv=text)
    refuse(bench, request, "samples_do_not_match", "'patient1'", "'s1'")


def test_transposed_counts_are_recognized(bench, make_tables):
    tables = make_tables()
    rows = [",".join(["sample", *tables.genes])]
    for sample, column in zip(tables.samples, tables.counts.T, strict=True):
        rows.append(",".join([sample, *(f"{cell:g}" for cell in column)]))
    request = tables.request(counts_csv="\n".join(rows))
    refuse(bench, request, "samples_do_not_match", "transpose")


def test_samples_in_one_file_only_are_named(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    text = tables.metadata_text().replace("s4,a\n", "") + "extra-sample,b\n"
    data = bench.run(**tables.request(metadata_csv=text))
    found = [line for line in data.warnings if line.startswith("samples_ignored: ")]
    assert any("'extra-sample'" in line for line in found)
    assert any("'s4'" in line for line in found)


def test_unknown_column_names_the_nearest(bench, make_tables):
    request = make_tables().request(condition_column="conditon")
    error = refuse(bench, request, "missing_column", "'condition'", error=MissingColumn)
    assert error.details[0].field == "condition_column"


@pytest.mark.parametrize("field", ["gene_id_column", "sample_id_column"])
def test_unknown_id_column_is_refused(bench, make_tables, field):
    refuse(bench, make_tables().request(**{field: "nope"}), "missing_column", "'nope'")


def test_unknown_group_names_those_present(bench, make_tables):
    request = make_tables().request(comparison_group="B")
    refuse(bench, request, "unknown_group", "'a', 'b'", error=UnknownGroup)


def test_equal_groups_are_refused(bench, make_tables):
    refuse(bench, make_tables().request(comparison_group="a"), "same_group", "'a', 'b'")


def test_one_against_one_is_refused(bench, make_tables):
    request = make_tables(n_each=(1, 1)).request()
    refuse(bench, request, "too_few_replicates", "2 samples", error=TooFewReplicates)


def test_saturated_design_is_refused(bench, make_tables):
    tables = make_tables(n_each=(2, 2))
    tables.extra = {"donor": ["x", "y", "x", "z"]}
    request = tables.request(covariates=["donor"])
    refuse(bench, request, "too_few_replicates", error=TooFewReplicates)


@pytest.mark.parametrize("n_each", [(1, 3), (2, 2)])
def test_few_replicates_run_with_a_warning(bench, make_tables, n_each):
    data = bench.run(**make_tables(n_each=n_each).request())
    assert "no Cook's check" in warned(data, "low_replicates")


def test_confounded_covariate_is_refused_with_the_cross_table(bench, make_tables):
    tables = make_tables()
    tables.extra = {"batch": ["x"] * 3 + ["y"] * 3}
    request = tables.request(covariates=["batch"])
    refuse(bench, request, "confounded_design", "'batch'", "x x a: 3", error=ConfoundedDesign)


def test_covariates_that_determine_each_other_are_refused(bench, make_tables):
    tables = make_tables()
    tables.extra = {"batch": list("xyxyxy"), "lane": list("pqpqpq")}
    request = tables.request(covariates=["batch", "lane"])
    refuse(bench, request, "confounded_design", "'lane'", "'batch'", error=ConfoundedDesign)


def test_missing_covariate_value_names_the_sample(bench, make_tables):
    tables = make_tables()
    tables.extra = {"batch": ["x", "y", "", "x", "y", "x"]}
    refuse(bench, tables.request(covariates=["batch"]), "missing_covariate", "'s3'")


def test_constant_covariate_is_refused(bench, make_tables):
    tables = make_tables()
    tables.extra = {"batch": ["x"] * 6}
    refuse(bench, tables.request(covariates=["batch"]), "constant_covariate", "'batch'")


@pytest.mark.parametrize("covariates", [["condition"], ["batch", "batch"]])
def test_repeated_design_columns_are_refused(bench, make_tables, covariates):
    tables = make_tables()
    tables.extra = {"batch": list("xyxyxy")}
    refuse(bench, tables.request(covariates=covariates), "duplicate_covariate")


def test_few_whole_numbers_become_a_factor_with_a_warning(bench, make_tables):
    tables = make_tables()
    tables.extra = {"lane": list("121212")}
    data = bench.run(**tables.request(covariates=["lane"]))
    assert "'lane'" in warned(data, "covariate_as_factor")
    assert data.settings.terms[0].kind == "factor"


def test_fractional_covariate_enters_as_a_number(bench, make_tables):
    tables = make_tables()
    tables.extra = {"age": ["1.5", "2", "3.1", "2.2", "1.9", "4"]}
    data = bench.run(**tables.request(covariates=["age"]))
    assert data.settings.terms[0].kind == "numeric"


def test_a_zero_in_every_gene_uses_poscounts(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    for row in range(len(tables.genes)):
        tables.counts[row, row % 8] = 0
    data = bench.run(**tables.request())
    warned(data, "poscounts_used")
    assert data.settings.size_factors == "poscounts"


def test_sample_without_reads_is_refused(bench, make_tables):
    tables = make_tables()
    tables.counts[:, 4] = 0
    refuse(bench, tables.request(), "empty_sample", "'s5'")


def test_uneven_depths_are_warned_of(bench, make_tables):
    tables = make_tables()
    tables.counts[:, 1] *= 30
    assert "s2" in warned(bench.run(**tables.request()), "depth_imbalance")


def test_no_testable_gene_is_refused(bench, make_tables):
    refuse(bench, make_tables().request(min_count=1_000_000), "no_testable_genes", "min_count")


def test_few_testable_genes_are_warned_of(bench, make_tables):
    assert "60 genes" in warned(bench.run(**make_tables(n_genes=60).request()), "few_genes")


def test_samples_of_other_groups_are_left_out(bench, make_tables):
    tables = make_tables(n_each=(3, 5))
    tables.groups[-2:] = ["c", "c"]
    data = bench.run(**tables.request())
    assert "2 samples" in warned(data, "other_groups")
    assert data.sample_qc.group_counts == {"a": 3, "b": 3}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("gene_id,s1,s2\nA,1,2\nB,1\n", "ragged_row"),
        ("gene_id,s1,s2\nA,99999999999,2\n", "value_out_of_range"),
    ],
    ids=["ragged", "large"],
)
def test_text_that_is_no_table_is_refused(bench, make_tables, text, code):
    request = make_tables().request(counts_csv=text)
    with pytest.raises(InvalidInput) as caught:
        bench.run(**request)
    assert caught.value.word == code
    assert caught.value.details[0].field == "counts_csv"


def test_blank_sample_id_is_refused(bench, make_tables):
    tables = make_tables()
    text = tables.metadata_text() + ",a\n"
    refuse(bench, tables.request(metadata_csv=text), "blank_sample", "Row 7")


def test_a_single_testable_gene_is_refused(bench, make_tables):
    refuse(bench, make_tables(n_genes=1).request(), "no_testable_genes", "1 of 1")


def test_comment_lines_are_skipped_in_the_r_script_too(bench, make_tables):
    tables = make_tables()
    text = "# made by a pipeline\n" + tables.counts_text()
    data = bench.run(**tables.request(counts_csv=text))
    assert "counts_skip <- 1" in data.r_script


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
        bench.uploads.contents = {"c": content, "m": tables.metadata_text().encode()}
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


def test_a_folder_of_salmon_gives_the_answer_of_its_table(bench, make_tables, upload):
    tables = make_tables()
    files = {}
    for column, sample in enumerate(tables.samples):
        counts = tables.counts[:, column]
        rows = [f"{gene}\t{n}\n" for gene, n in zip(tables.genes, counts, strict=True)]
        files[f"run/{sample}/quant.genes.sf"] = "Name\tNumReads\n" + "".join(rows)
    data = upload(zipped(files))
    plain = bench.run(**tables.request())
    assert data.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert bench.saved["counts.csv"].startswith(b"gene_id,s1,")


def test_columns_of_feature_counts_are_matched_without_folder_and_ending(bench, make_tables):
    tables = make_tables()
    lines = tables.counts_text("\t", "Geneid").splitlines()
    paths = [f"/data/run/{sample}.sorted.bam" for sample in tables.samples]
    text = "\n".join(["\t".join(["Geneid", *paths]), *lines[1:]])
    data = bench.run(**tables.request(counts_csv=text))
    assert "s1" in warned(data, "names_rewritten")


def test_a_refused_upload_names_its_field(upload):
    with pytest.raises(UnreadableTable, match="Latin-1") as caught:
        upload(b"gene_id,s1\nA,1\nB\xe9,2\n")
    assert caught.value.details[0].field == "count_file_id"


def test_unknown_upload_is_refused(bench, make_tables):
    request = make_tables().request(count_file_id="nope")
    del request["counts_csv"]
    refuse(bench, request, "unknown_file", "'nope'")


def test_columns_of_cells_need_cells(make_tables, upload):
    with pytest.raises(InvalidInput, match="holds samples, not single cells"):
        upload(make_tables().counts_text().encode(), cell_sample_column="sample")
