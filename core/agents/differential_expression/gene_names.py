"""What genes are called: IDs that a spreadsheet damaged, symbols of the table and of the names."""

import csv
import lzma
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.evidence.names.identity.resolver import Resolver
from core.stats.fit import IntArray
from core.tables.delimited import DelimitedText
from core.tables.numbers import NumberBlock
from core.tables.text import show

Names = npt.NDArray[np.object_]

NO_NAME = frozenset({"na", "nan", "n/a", "#n/a", "null", "none", "nil", "-", "--", "."})
"""What stands for a missing gene ID where it occurs more than once; a gene may be called NA."""
SYMBOL_COLUMNS = frozenset(
    {"symbol", "gene_symbol", "gene symbol", "genesymbol", "symbols", "gene_name", "gene name"}
    | {"genename", "external_gene_name", "hgnc_symbol", "mgi_symbol", "zfin_symbol", "gene"}
)
"""Names of a column of gene symbols."""
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mrz|mai|okt|dez"
DAMAGED = (
    rf"([0-9]{{1,2}}[-/.] ?({_MONTHS})([-/. ][0-9]+)?|({_MONTHS})[-/. ][0-9]{{1,4}}"
    r"|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}( 00:00:00)?|[0-9](\.[0-9]+)?e\+[0-9]{2})"
)
"""Gene IDs that a spreadsheet made: dates in upper or lower case, and long numbers."""
_DAMAGED = re.compile(DAMAGED, re.IGNORECASE)


def separate_damaged(ids: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Number gene IDs that a spreadsheet made and that occur more than once.

    Two genes (MARCH1 and MARC1) become one date, so rows of one such name are never added up.

    Returns:
        The IDs, and a warning where some are damaged.
    """
    damaged = [name for name in ids if _DAMAGED.fullmatch(name)]
    if not damaged:
        return ids, ()
    repeated = {name for name, times in Counter(damaged).items() if times > 1}
    seen: Counter[str] = Counter()
    numbered = []
    for name in ids:
        seen[name] += name in repeated
        numbered.append(f"{name}#{seen[name]}" if name in repeated else name)
    more = ""
    if repeated:
        more = (
            f" Rows that share such a name may be different genes, so they were numbered and not "
            f"added up: {show(sorted(repeated))}."
        )
    count = "1 gene ID looks" if len(damaged) == 1 else f"{len(damaged)} gene IDs look"
    return tuple(numbered), (
        f"spreadsheet_names: {count} like dates or numbers made by a spreadsheet; restore the "
        f"gene names: {show(list(dict.fromkeys(damaged)))}.{more}",
    )


def read_symbols(
    block: NumberBlock,
    table: DelimitedText,
    id_column: int,
    rows: IntArray,
    ids: Sequence[str],
) -> tuple[dict[str, str], str | None]:
    """Return the symbols that the file gives its genes, and the name of their column.

    `rows`: those of the genes `ids`.
    """
    for position, name in enumerate(table.columns):
        is_text = position not in block.positions and position != id_column
        if not is_text or name.lower() not in SYMBOL_COLUMNS:
            continue
        cells = [str(cell).strip() for cell in block.cells.column(position).take(rows).to_pylist()]
        symbols = {
            gene: symbol
            for gene, symbol in zip(reversed(ids), reversed(cells), strict=True)
            if symbol and symbol != gene and symbol.casefold() not in NO_NAME
        }
        if symbols:
            return symbols, name
    return {}, None


_ENSEMBL = re.compile(r"(ENS(?:MUS|RNO|DAR)?G\d{11})(?:\.\d+)?(?:_PAR_Y)?")
_ENTREZ = re.compile(r"[1-9]\d{0,9}")
_ACCESSION = re.compile(
    r"ENS[A-Z]*G\d{11}(\.\d+)?|FBgn\d{7}|WBGene\d{8}|AT[1-5CM]G\d{5}|Y[A-P][LR]\d{3}[WC](-[A-Z])?"
)
"""IDs of Ensembl, FlyBase, WormBase, TAIR and SGD, which nobody reads as names."""
ZEBRAFISH = Path(__file__).with_name("zebrafish_genes.tsv.xz")
"""Ensembl IDs and symbols of ZFIN (27 June 2023, CC BY 4.0), from zfin_to_ensembl_V1.txt of the
package danrerlib 0.1.5 (sha256 1ffbae73161a2513e5e7f45f784be7906137b05f7d15606ad4f22e5389392799);
IDs with two symbols are skipped."""


@lru_cache(maxsize=1)
def _list_zebrafish_symbols() -> Mapping[str, str]:
    """Return the symbols of zebrafish genes by Ensembl ID."""
    with lzma.open(ZEBRAFISH, "rt", encoding="utf-8", newline="") as text:
        return {row["gene_id"]: row["symbol"] for row in csv.DictReader(text, delimiter="\t")}


def find_symbols(
    gene_ids: Sequence[str], resolver: Resolver, given: Mapping[str, str] | None = None
) -> Names:
    """Return the symbol of each gene, None where there is none.

    Known are Ensembl ids of human, mouse, rat and zebrafish, whose version is left off for the
    look-up only, and Entrez ids of human genes where every id of the table is a number. Other ids
    are names already, or have no symbol here.

    `given`: symbols that the table itself gives, which go first.
    """
    scheme, pattern = "ENSEMBL", _ENSEMBL
    if all(_ENTREZ.fullmatch(gene) for gene in gene_ids):
        scheme, pattern = "ENTREZ", _ENTREZ
    matches = [pattern.fullmatch(gene) for gene in gene_ids]
    codes = sorted({match[match.lastindex or 0] for match in matches if match})
    labels = dict(resolver.identity.labels_of_codes("target", scheme, codes)) if codes else {}
    if any(code.startswith("ENSDAR") for code in codes):
        labels |= _list_zebrafish_symbols()
    symbols = np.full(len(gene_ids), None, dtype=object)
    for index, match in enumerate(matches):
        if match:
            symbols[index] = labels.get(match[match.lastindex or 0])
        if given and gene_ids[index] in given:
            symbols[index] = given[gene_ids[index]]
    return symbols


def warn_of_symbols(gene_ids: Sequence[str], symbols: Names) -> tuple[str, ...]:
    """Say that IDs are shown where no gene has a symbol and the IDs are no names."""
    coded = [gene for gene in gene_ids if _ACCESSION.fullmatch(gene)]
    if 2 * len(coded) < len(gene_ids) or any(symbol is not None for symbol in symbols):
        return ()
    return (
        f"no_symbols: no gene symbols are installed for IDs such as {coded[0]!r}, so tables, "
        "charts and report show IDs. A column 'symbol' in the count matrix would be shown instead.",
    )
