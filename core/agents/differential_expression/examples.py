"""Requests that run as they stand, with small tables made by rule."""

import random

from core.agent import Example

_GENES = 160
_NOISE = 0.25


def _write_metadata(samples: list[tuple[str, bool, bool]], separator: str) -> str:
    """Return the metadata of the samples."""
    lines = [separator.join(["sample_id", "condition", "batch"])]
    for name, is_treated, is_second in samples:
        words = [name, "treated" if is_treated else "control", "B" if is_second else "A"]
        lines.append(separator.join(words))
    return "\n".join(lines) + "\n"


def _request(n_each: int, seed: int, separator: str = ",", **settings: object) -> dict[str, object]:
    """Return a request with inline tables."""
    control = [(f"control_{number + 1}", False, number % 2 == 1) for number in range(n_each)]
    treated = [(f"treated_{number + 1}", True, number % 2 == 1) for number in range(n_each)]
    samples = control + treated
    noise = random.Random(seed)  # noqa: S311
    lines = [separator.join(["gene_id", *(name for name, _, _ in samples)])]
    for gene in range(_GENES):
        mean = 40 * 1.03**gene
        change = {0: 4.0, 5: 0.25}.get(gene % 10, 1.0)
        batch = 1.5 if gene % 7 == 0 else 1.0
        spread = _NOISE + 0.5 / mean**0.5
        cells = [
            round(
                mean
                * (change if is_treated else 1.0)
                * (batch if is_second else 1.0)
                * 2.718281828 ** noise.gauss(0.0, spread)
            )
            for _, is_treated, is_second in samples
        ]
        lines.append(separator.join([f"GENE{gene + 1:03d}", *map(str, cells)]))
    return {
        "condition_column": "condition",
        "reference_group": "control",
        "comparison_group": "treated",
        "counts_csv": ("\n".join(lines) + "\n"),
        "metadata_csv": _write_metadata(samples, separator),
        **settings,
    }


EXAMPLES = (
    Example(
        name="three-methods",
        title="Treated against control, three methods",
        request=_request(3, seed=11),
    ),
    Example(
        name="batch-adjusted",
        title="Adjusted for a batch",
        request=_request(4, seed=12, covariates=["batch"], log2fc_cutoff=0.5),
    ),
    Example(
        name="limma-only",
        title="limma-voom alone, tab-separated",
        request=_request(3, seed=13, separator="\t", method="limma-voom", fdr_cutoff=0.01),
    ),
)
