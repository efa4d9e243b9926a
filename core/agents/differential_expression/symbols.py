"""Gene symbols beside human Ensembl ids, from the names that the instance holds."""

import re
from collections.abc import Sequence

import numpy as np

from core.agents.differential_expression.disagreement import Names
from core.evidence.names.identity.resolver import Resolver

_HUMAN = re.compile(r"(ENSG\d{11})(?:\.\d+)?(?:_PAR_Y)?")


def find_symbols(gene_ids: Sequence[str], resolver: Resolver) -> Names:
    """Return the HGNC symbol of each gene, None where there is none.

    A version behind the id is left off for the look-up only; other ids have no symbol here.

    Args:
        gene_ids: Gene ids as in the count matrix.
        resolver: Knows genes; an instance without names knows none.
    """
    found = [_HUMAN.fullmatch(gene) for gene in gene_ids]
    codes = sorted({one[1] for one in found if one})
    known = resolver.identity.labels_of_codes("target", "ENSEMBL", codes) if codes else {}
    symbols = np.full(len(gene_ids), None, dtype=object)
    for place, one in enumerate(found):
        if one:
            symbols[place] = known.get(one[1])
    return symbols
