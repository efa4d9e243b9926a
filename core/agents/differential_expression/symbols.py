"""Gene symbols beside gene ids of human, mouse and rat, from the names that the instance holds."""

import re
from collections.abc import Sequence

import numpy as np

from core.agents.differential_expression.disagreement import Names
from core.evidence.names.identity.resolver import Resolver

_ENSEMBL = re.compile(r"(ENS(?:MUS|RNO)?G\d{11})(?:\.\d+)?(?:_PAR_Y)?")
_ENTREZ = re.compile(r"[1-9]\d{0,9}")


def find_symbols(gene_ids: Sequence[str], resolver: Resolver) -> Names:
    """Return the symbol of each gene, None where there is none.

    Known are Ensembl ids of human, mouse and rat, whose version is left off for the look-up only,
    and Entrez ids of human genes where every id of the table is a number. Other ids are names
    already, or have no symbol here.

    Args:
        gene_ids: Gene ids as in the count matrix.
        resolver: Knows genes; an instance without names knows none.
    """
    scheme, pattern = "ENSEMBL", _ENSEMBL
    if all(_ENTREZ.fullmatch(gene) for gene in gene_ids):
        scheme, pattern = "ENTREZ", _ENTREZ
    found = [pattern.fullmatch(gene) for gene in gene_ids]
    codes = sorted({one[one.lastindex or 0] for one in found if one})
    known = resolver.identity.labels_of_codes("target", scheme, codes) if codes else {}
    symbols = np.full(len(gene_ids), None, dtype=object)
    for place, one in enumerate(found):
        if one:
            symbols[place] = known.get(one[one.lastindex or 0])
    return symbols
