"""Tables as other people write them: the answer of the plain table, or a stop that names the row.

No row is lost in silence: what is left out is in a warning.
"""

import gzip
import io
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import openpyxl
import pytest

from core.errors import WorkbenchError

TALLIES = {
    "htseq": ["__no_feature", "__ambiguous", "__too_low_aQual", "__not_aligned",
              "__alignment_not_unique"],
    "old htseq": ["no_feature", "ambiguous", "too_low_aQual", "not_aligned",
                  "alignment_not_unique"],
    "DEXSeq": ["_ambiguous", "_ambiguous_readpair_position", "_empty", "_lowaqual", "_notaligned"],
    "STAR": ["N_unmapped", "N_multimapping", "N_noFeature", "N_ambiguous"],
    "summary of featureCounts": ["Assigned", "Unassigned_Unmapped", "Unassigned_NoFeatures"],
    "other case": ["__No_Feature", "n_unmapped", "UNASSIGNED_AMBIGUITY"],
    "core facility": ["Total_reads:", "raw reads", "Unmapped", "\u5e73\u5747", "protein_coding"],
}  # fmt: skip
"""Names of summary rows by the program that writes them."""


def rows_of(tables, write=None) -> list[list[str]]:
    cells = [[(write or "{:.0f}".format)(cell) for cell in row] for row in tables.counts]
    body = [[gene, *row] for gene, row in zip(tables.genes, cells, strict=True)]
    return [["gene_id", *tables.samples], *body]


def join(rows: Sequence[Sequence[str]], mark: str = ",", quote: str = "", end: str = "\n") -> str:
    return "".join(mark.join(f"{quote}{cell}{quote}" for cell in row) + end for row in rows)


def write_counts(mark: str, quote: str, decimals: int, signs: str):
    """Return a writer of counts whose marks of thousands and decimals are `signs`."""
    table = str.maketrans({",": signs[0], ".": signs[1]})
    return lambda tables: join(
        rows_of(tables, lambda cell: f"{cell:,.{decimals}f}".translate(table)), mark, quote
    )


def change(tables, *edits: tuple[int, int, str]) -> str:
    """Return the table with some cells changed, each by row and column."""
    rows = rows_of(tables)
    for row, column, cell in edits:
        rows[row][column] = cell
    return join(rows)


def insert(tables, place: int, names: Sequence[str], counts: Sequence[float]) -> str:
    rows = rows_of(tables)
    rows[place:place] = [[name, *(f"{count:.0f}" for count in counts)] for name in names]
    return join(rows)


def add_tallies(names: Sequence[str]):
    """Return a writer that puts rows above, among and below the genes in turn."""

    def write(tables) -> str:
        rows = rows_of(tables)
        for number, name in enumerate(names):
            rows.insert((1, 71, len(rows))[number % 3], [name, *["50000"] * 6])
        return join(rows)

    return write


def add_total(place: int, name: str):
    return lambda tables: insert(tables, place, [name], tables.counts.sum(axis=0))


def add_columns(*columns: tuple[int, str, str]):
    """Return a writer that inserts columns, each by place, name and a pattern of the row number."""

    def write(tables) -> str:
        rows = rows_of(tables)
        for place, name, pattern in columns:
            for number, row in enumerate(rows):
                row.insert(place, pattern.format(number) if number else name)
        return join(rows)

    return write


def add_line(place: int, line: str):
    def write(tables) -> str:
        lines = tables.counts_text().splitlines()
        return "\n".join([*lines[:place], line, *lines[place:]])

    return write


def split_genes(tables) -> str:
    head, *body = rows_of(tables)
    half = np.floor(tables.counts / 2)
    halves = (half, tables.counts - half)
    rows = [[row[0], *(f"{n:.0f}" for n in cells)] for part in halves
            for row, cells in zip(body, part, strict=True)]  # fmt: skip
    return join([head, *rows])


def feature_counts(tables) -> str:
    head, *body = rows_of(tables)
    places = ["Chr", "Start", "End", "Strand", "Length"]
    named = [head[0], *places, *(f"/data/{sample}.sorted.bam" for sample in head[1:])]
    rows = [[row[0], "chr1;chr1", "1;5", "2;9", "+;+", "90", *row[1:]] for row in body]
    return "# Program:featureCounts v2.0.6\n" + join([named, *rows], "\t")


def of_rows(edit):
    """Return a writer that changes the rows of the table."""
    return lambda tables: join(edit(rows_of(tables)))


def lines(edit):
    """Return a writer that changes the text of the table."""
    return lambda tables: edit(tables.counts_text())


def workbook(*sheets) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append([int(c) if isinstance(c, str) and c.isdecimal() else c for c in row])
    book.save(out)
    return out.getvalue()


def both_sheets(tables) -> bytes:
    sheet = [line.split(",") for line in tables.metadata_text().splitlines()]
    return workbook([["Study"]], rows_of(tables), sheet)


def below_hidden(tables) -> bytes:
    """Return a workbook whose first sheet, with older counts, is hidden."""
    rows = rows_of(tables)
    older = [rows[0], *([row[0], *("7" for _ in row[1:])] for row in rows[1:])]
    book = openpyxl.load_workbook(io.BytesIO(workbook(older, rows)))
    book.active = 1
    book.worksheets[0].sheet_state = "hidden"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def dates(tables) -> bytes:
    rows = rows_of(tables)
    rows[11][0] = rows[21][0] = datetime(2024, 3, 1)  # noqa: DTZ001 (as Excel keeps it)
    return workbook(rows)


def renamed(old: str, new: str):
    """Return a writer of metadata whose samples are written in another way."""
    return lambda tables: tables.metadata_text().replace(old, new)


RIGHT = {
    "below a hidden sheet": (below_hidden, None),
    "comma": (write_counts(",", '"', 0, ",."), "number_format"),
    "comma, tabs": (write_counts("\t", "", 0, ",."), "number_format"),
    "point": (write_counts(";", "", 0, ".,"), "number_format"),
    "point, tabs": (write_counts("\t", "", 0, ".,"), "number_format"),
    "space": (write_counts(",", "", 0, " ."), "number_format"),
    "narrow space": (write_counts(";", "", 0, "\u202f,"), "number_format"),
    "apostrophe": (write_counts(";", "", 0, "'."), "number_format"),
    "round apostrophe": (write_counts(";", "", 0, "\u2019,"), "number_format"),
    "decimal comma": (
        lambda tables: join(rows_of(tables, lambda cell: f"{cell:.0f},0"), ";"), "number_format"),
    "point and comma": (write_counts(";", "", 1, ".,"), "number_format"),
    **{tool: (add_tallies(names), "annotation_dropped") for tool, names in TALLIES.items()},
    "total": (add_total(151, "Total"), "annotation_dropped"),
    "total of another name": (add_total(1, "all my reads"), "annotation_dropped"),
    "total without a name": (add_total(151, ""), None),
    "mean": (lambda tables: insert(tables, 151, ["Mean"], [77] * 6), "annotation_dropped"),
    "mark of UTF-8": (lambda tables: tables.counts_text().encode("utf-8-sig"), None),
    "UTF-16": (lambda tables: tables.counts_text("\t").encode("utf-16"), None),
    "CR": (lines(lambda text: text.replace("\n", "\r")), None),
    "CRLF": (lines(lambda text: text.replace("\n", "\r\n")), None),
    "gzip": (lambda tables: gzip.compress(tables.counts_text().encode()), None),
    "workbook": (lambda tables: workbook(rows_of(tables)), None),
    "workbook with a title, gaps and a remark": (
        lambda tables: workbook(
            [["Counts"], [], *([None, *row] for row in rows_of(tables)[:80]), [],
             *([None, *row] for row in rows_of(tables)[80:-1]),
             [None, *rows_of(tables)[-1], "checked"]]),
        "cells_outside"),
    "dates made by a spreadsheet": (dates, "spreadsheet_names"),
    "rows of separators": (add_line(60, "," * 6), None),
    "repeated header": (of_rows(lambda rows: [*rows[:70], rows[0], *rows[70:]]),
                        "annotation_dropped"),
    "repeated genes": (split_genes, "duplicate_genes"),
    "blanks around": (lambda tables: join(rows_of(tables), " ,", " "), None),
    "quotes": (lambda tables: join(rows_of(tables), ",", '"'), None),
    "separators at line ends": (lambda tables: join(rows_of(tables), "\t", end="\t\n"), None),
    "separators at row ends": (
        of_rows(lambda rows: [rows[0], *([*row, ""] for row in rows[1:])]), None),
    "separator at the header's end": (of_rows(lambda rows: [[*rows[0], ""], *rows[1:]]), None),
    "length": (add_columns((1, "Length", "9{}")), "annotation_dropped"),
    "length of another name": (add_columns((1, "bp", "9{}")), "samples_ignored"),
    "symbol": (add_columns((1, "hgnc", "SYM{}")), "annotation_dropped"),
    "row numbers": (add_columns((0, "", "{}")), "row_numbers annotation_dropped"),
    "names of rows and of genes": (
        of_rows(lambda rows: [rows[0], *([str(n), *row] for n, row in enumerate(rows[1:], 1))]),
        "row_numbers annotation_dropped"),
    "row numbers and a repeated header": (
        of_rows(lambda rows: [[str(n or ""), *row]
                              for n, row in enumerate([*rows[:70], rows[0], *rows[70:]])]),
        "row_numbers annotation_dropped"),
    "names of rows left out, separators at line ends": (
        of_rows(lambda rows: [[*rows[0][1:], ""], *([*row, ""] for row in rows[1:])]),
        None),
    "total beside a length": (
        of_rows(lambda rows: [
            [*rows[0], "bp"], *([*row, "99"] for row in rows[1:]),
            ["all", *(str(sum(map(int, cells))) for cells in zip(*(row[1:] for row in rows[1:]),
                                                                strict=True)), "9"],
        ]), "annotation_dropped samples_ignored"),
    "comment in a workbook": (
        lambda tables: workbook([["# made by x, y"], *rows_of(tables)]), None),
    "comments": (add_line(0, "# made, by\n\n#"), None),
    "header behind a number sign": (lines(lambda text: "#" + text), None),
    "title": (add_line(0, "Counts of the study\n"), "title_lines"),
    "title of a sheet": (add_line(0, "Counts of the study,,,,,,"), "title_lines"),
    "Excel's separator": (lambda tables: "sep=;\n" + tables.counts_text(";"), None),
    "featureCounts": (feature_counts, "annotation_dropped names_rewritten"),
}  # fmt: skip
"""Count matrices by shape, each with the warnings that say what was changed."""
METADATA = {
    "leading zeros": (renamed("s", "s0"), "names_rewritten"),
    "other case": (renamed("s", "S"), "names_rewritten"),
    "blank rows": (lambda tables: tables.metadata_text() + ",\n,\n", None),
    "of R": (lambda tables: tables.metadata_text().removeprefix("sample_id,"), None),
    "title": (lambda tables: "Samples,,\n" + tables.metadata_text().replace("\n", ",x\n"),
              "title_lines"),
    "semicolons": (lambda tables: tables.metadata_text(";"), None),
}  # fmt: skip
STOPS = {
    "samples in rows": (
        lambda tables: join(list(zip(*rows_of(tables), strict=True))),
        "samples_do_not_match", "transpose"),
    "Latin-1": (
        lambda tables: change(tables, (9, 0, "caf\xe9")).encode("latin-1"), "not_utf8", "Line 10"),
    "UTF-16 without a mark": (
        lambda tables: tables.counts_text().encode("utf-16-le"), "unreadable_table", "UTF-8"),
    "comment among rows": (add_line(50, "# half"), "ragged_row", "line 51"),
    "short row": (of_rows(lambda rows: [*rows[:9], rows[9][:-1], *rows[10:]]),
                  "ragged_row", "line 10"),
    "comma in every last cell": (
        lines(lambda text: text.replace("\n", ",5\n").replace("s6,5", "s6")),
        "ragged_row", "1,336"),
    "separator at the end of R's header": (
        of_rows(lambda rows: [[*rows[0][1:], ""], *rows[1:]]), "ragged_row", "begins with 's1'"),
    "R's header beside a column of symbols": (
        of_rows(lambda rows: [["symbol", *rows[0][1:], ""], *([row[0], f"S{n}", *row[1:]]
                              for n, row in enumerate(rows[1:]))]),
        "not_numeric", "'s1'"),
    "negative": (lambda tables: change(tables, (4, 3, "-7")), "not_raw_counts", "'G0003'"),
    "NA, highly expressed": (
        lambda tables: change(tables, (150, 2, "NA")), "not_numeric", "'G0149', column 's2': 'NA'"),
    "NA, many": (
        lambda tables: change(tables, (2, 1, "NA"), (9, 1, "NA")), "not_numeric",
        "2 gene rows of 150"),
    "dashes for zeros": (
        lambda tables: change(tables, (1, 1, "-"), (2, 1, "-")), "not_numeric",
        "'G0000', column 's1': '-'"),
    "genes without an ID": (
        lambda tables: change(tables, (2, 0, ""), (9, 0, "")), "blank_gene_ids", "row 2"),
    "genes called NA": (
        lambda tables: change(tables, (2, 0, "NA"), (150, 0, "NA")), "blank_gene_ids", "row 150"),
    "one sample of another locale": (
        lambda tables: change(tables, *((row, 1, "1.336") for row in range(1, 151))),
        "ambiguous_number", "column 's1' holds '1.336'"),
    "one sample of a third locale": (
        lambda tables: join(
            [[row[0], row[1].replace("'", "."), *row[2:]]
             for row in rows_of(tables, lambda cell: f"{cell:,.0f}".replace(",", "'"))], ";"),
        "ambiguous_number", "column 's1' holds '1."),
    "twice the same sample": (lines(lambda text: text.replace("s2", "s1")),
                              "duplicate_columns", "'s1'"),
    "percent": (lambda tables: join(rows_of(tables, "{:.0f}%".format)), "not_numeric", "'s1'"),
    "too large": (lambda tables: change(tables, (4, 3, "9999999999")), "value_out_of_range",
                  "'G0003' in sample 's3'"),
    "names in single quotes": (lambda tables: join(rows_of(tables), ",", "'"),
                               "not_numeric", "\"'s1'\""),
    "no rows": (lines(lambda text: text.partition("\n")[0]), "empty_table", "one row"),
    "shortened by a spreadsheet": (
        lambda tables: change(tables, (7, 2, "1.23E+05")), "shortened_numbers", "'G0006'"),
    "one thousands separator": (
        lambda tables: change(tables, (7, 2, "104.233")), "mixed_number_format", "104233"),
}  # fmt: skip
"""Count matrices that are not read, each with the code of the error and what it names."""


@pytest.fixture
def send(bench, make_tables):
    """Return what asks with two uploads, either of which may be written in another way."""

    def ask(write_counts=None, write_metadata=None, **fields):
        tables = make_tables()
        tables.counts[5] = [1340, 1230, 2500, 3120, 1150, 990]
        contents = (
            write_counts(tables) if write_counts else tables.counts_text(),
            write_metadata(tables) if write_metadata else tables.metadata_text(),
        )
        counts, sheet = (c.encode() if isinstance(c, str) else c for c in contents)
        bench.uploads.files = {"c": ("c.csv", counts), "m": ("m.csv", sheet)}
        request = tables.request(count_file_id="c", metadata_file_id="m", **fields)
        del request["counts_csv"], request["metadata_csv"]
        return bench.run(**request)

    return ask


@pytest.fixture(scope="module")
def plain(module_bench, make_tables):
    tables = make_tables()
    tables.counts[5] = [1340, 1230, 2500, 3120, 1150, 990]
    return module_bench.run(**tables.request())


CASES = [
    *((name, write, None, codes) for name, (write, codes) in RIGHT.items()),
    *((f"metadata, {name}", None, write, codes) for name, (write, codes) in METADATA.items()),
    ("two sheets of one workbook", both_sheets, both_sheets, "sheet_read"),
]


@pytest.mark.parametrize(
    ("write_counts", "write_metadata", "codes"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_a_foreign_table_gives_the_answer_of_the_plain_one(
    send, plain, request, write_counts, write_metadata, codes
):
    data = send(write_counts, write_metadata)
    theirs, ours = (one.method_results[0].table.frame for one in (plain, data))
    assert ours.drop(columns="gene_id").equals(theirs.drop(columns="gene_id"))
    assert (ours["gene_id"] == theirs["gene_id"]).sum() >= len(ours) - 2
    sizes = [[size.library_size for size in one.sample_qc.library_sizes] for one in (plain, data)]
    assert sizes[0] == sizes[1]
    named = {text.partition(":")[0] for text in data.warnings}
    expected = {text.partition(":")[0] for text in plain.warnings}
    assert named - expected == set((codes or "").split())
    assert ("thousands <- c(" in data.r_script) == ("number_format" in named)
    dropped = " ".join(text for text in data.warnings if text.startswith("annotation_dropped"))
    assert all(
        f"'{name}'" in dropped and f'"{name}"' in data.r_script
        for name in TALLIES.get(request.node.callspec.id, ())
    )


@pytest.mark.parametrize(("write_counts", "code", "words"), STOPS.values(), ids=STOPS)
def test_a_table_that_cannot_be_read_is_stopped_by_name(send, write_counts, code, words):
    with pytest.raises(WorkbenchError) as caught:
        send(write_counts)
    assert caught.value.word == code
    assert words in caught.value.message


def test_a_missing_column_names_the_sheets(send):
    with pytest.raises(WorkbenchError) as caught:
        send(both_sheets, both_sheets, condition_column="treatment")
    assert "'treatment' in sheet 'sheet 2' of m.csv" in caught.value.message
    assert "Other sheets: 'sheet 0', 'sheet 1'" in caught.value.message
