"""A pipeline that runs without stores: uploads in memory, files kept in a dictionary."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.agents.differential_expression.pipeline import run
from core.agents.differential_expression.records import MethodResult
from core.agents.differential_expression.schema import (
    DifferentialExpressionData,
    DifferentialExpressionRequest,
)
from core.evidence.names.identity.resolver import Resolver
from storage.identity import IdentityStore
from tests.contexts import Uploads, make_context

HERE = Path(__file__).parent
TABLES = ("counts", "metadata")
NOW = datetime(2024, 5, 2, 12, tzinfo=UTC)


@dataclass
class Bench:
    """Runs requests and remembers what the pipeline reported and saved."""

    uploads: Uploads = field(default_factory=lambda: Uploads(NOW))
    saved: dict[str, bytes] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    resolver: Resolver = field(default_factory=lambda: Resolver(IdentityStore(Path("absent"))))

    def run(self, **fields: object) -> DifferentialExpressionData:
        context = make_context(
            NOW,
            files=self.uploads,
            progress=lambda step, done, total, note: self.steps.append(step),
            save_file=lambda name, content, media_type: self.saved.update({name: content}),
            resolver=self.resolver,
        )
        return run(DifferentialExpressionRequest.model_validate(fields), context)


def ask_study(bench: Bench, folder: str, **fields: object) -> DifferentialExpressionData:
    """Compare groups b and a of the study in a folder beside this file."""
    tables = {f"{name}_csv": (HERE / folder / f"{name}.csv").read_text() for name in TABLES}
    groups = {"reference_group": "a", "comparison_group": "b"}
    return bench.run(**{**tables, "condition_column": "condition", **groups, **fields})


def assert_equal_to_r(result: MethodResult, file: str, change: float, log10_p: float) -> None:
    """Compare a method's table with that of the R package, by the largest differences allowed."""
    ours = result.table.frame.set_index("gene_id")
    theirs = pd.read_csv(HERE / file, index_col=0).apply(pd.to_numeric, errors="coerce")
    theirs = theirs.loc[ours.index]
    assert (ours["padj"].isna() == theirs["padj"].isna()).all()
    assert ((ours["padj"] < 0.05) == (theirs["padj"] < 0.05)).all()
    assert np.nanmax(np.abs(ours["log2FC"] - theirs["log2FC"])) < change
    gap = np.log10(ours["pvalue"].clip(1e-300)) - np.log10(theirs["pvalue"].clip(1e-300))
    assert np.nanmax(np.abs(gap)) < log10_p


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture(scope="module")
def module_bench() -> Bench:
    """Return a bench for answers that several tests of a file look at."""
    return Bench()


@dataclass
class Tables:
    """Counts and metadata that tests bend out of shape before writing them."""

    genes: list[str]
    samples: list[str]
    counts: np.ndarray
    groups: list[str]
    extra: dict[str, list[str]] = field(default_factory=dict)

    def counts_text(self, separator: str = ",", corner: str = "gene_id") -> str:
        lines = [separator.join([corner, *self.samples])]
        for gene, row in zip(self.genes, self.counts, strict=True):
            lines.append(separator.join([gene, *(f"{cell:.10g}" for cell in row)]))
        return "\n".join(lines) + "\n"

    def metadata_text(self, separator: str = ",") -> str:
        lines = [separator.join(["sample_id", "condition", *self.extra])]
        for row, sample in enumerate(self.samples):
            more = [values[row] for values in self.extra.values()]
            lines.append(separator.join([sample, self.groups[row], *more]))
        return "\n".join(lines) + "\n"

    def request(self, **fields: object) -> dict[str, object]:
        return {
            "counts_csv": self.counts_text(),
            "metadata_csv": self.metadata_text(),
            "condition_column": "condition",
            "reference_group": "a",
            "comparison_group": "b",
            "method": "limma-voom",
            **fields,
        }


MakeTables = Callable[..., Tables]


@pytest.fixture(scope="session")
def make_tables() -> MakeTables:
    def make(n_genes: int = 150, n_each: tuple[int, int] = (3, 3), seed: int = 5) -> Tables:
        draw = np.random.default_rng(seed)
        n_reference, n_comparison = n_each
        is_comparison = np.array([False] * n_reference + [True] * n_comparison)
        mean = 30 * 1.03 ** np.arange(n_genes)
        change = np.where(np.arange(n_genes) % 10 == 0, 4.0, 1.0)
        change = np.where(np.arange(n_genes) % 10 == 5, 0.25, change)
        expected = mean[:, None] * np.where(is_comparison, change[:, None], 1.0)
        counts = draw.negative_binomial(20, 20 / (20 + expected)).astype(float)
        return Tables(
            genes=[f"G{index:04d}" for index in range(n_genes)],
            samples=[f"s{index + 1}" for index in range(len(is_comparison))],
            counts=counts,
            groups=["b" if flag else "a" for flag in is_comparison],
        )

    return make
