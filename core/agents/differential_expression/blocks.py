"""Samples that are no equals: subjects seen more than once, and noisy samples."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import ConfoundedDesign, InvalidInput, MissingColumn
from core.stats.design import Covariate, SampleModel, covariate_columns, is_full_rank
from core.stats.fit import FloatArray, GeneTests, IntArray
from core.tables.text import missing_column

FIELD = "duplicate_correlation"
_MISSING = ("", "NA", "NaN", "nan")
_LIGHT = 0.5


def read_sample_model(
    study: Study, design: FloatArray, taken: Sequence[str], request: DifferentialExpressionRequest
) -> SampleModel | None:
    """Return how the samples differ; None where they are equals.

    Args:
        study: The samples with their metadata.
        design: Samples x coefficients.
        taken: Columns that are in the design.
        request: Names the column of subjects, and whether quality counts.

    Raises:
        MissingColumn: There is no such column.
        InvalidInput: The column is in the design, has gaps, or hardly any subject has two samples.
        ConfoundedDesign: The design already tells the subjects apart.
    """
    name = request.duplicate_correlation
    if name is None:
        return SampleModel(by_quality=True) if request.sample_weights else None
    if name in taken:
        raise InvalidInput(
            f"Column {name!r} is already in the design; name it there or in {FIELD}, not in both.",
            field=FIELD,
            code="duplicate_covariate",
        )
    blocks = _read_blocks(study, name)
    n_blocks, n_samples = int(blocks.max()) + 1, len(blocks)
    if not 1 < n_blocks <= n_samples - 2 or n_samples <= design.shape[1] + 2:
        raise InvalidInput(
            f"Column {name!r} names {n_blocks} subjects for {n_samples} samples; a correlation "
            f"needs two subjects or more, and two samples more than subjects. Leave {FIELD} out.",
            field=FIELD,
            code="no_pairs",
        )
    columns = covariate_columns(Covariate(name, study.metadata[name], is_numeric=False))
    if not any(is_full_rank(np.column_stack([design, column])) for column in columns):
        raise ConfoundedDesign(
            f"The design already distinguishes the subjects of {name!r}; leave {FIELD} out.",
            field=FIELD,
        )
    return SampleModel(blocks, request.sample_weights)


def _read_blocks(study: Study, name: str) -> IntArray:
    """Return the subject of each sample as a code from 0."""
    if name not in study.metadata:
        present = [column for column in study.metadata if column]
        raise MissingColumn(missing_column(name, present, "the metadata"), field=FIELD)
    subjects = study.metadata[name]
    without = [
        sample for sample, value in zip(study.sample_ids, subjects, strict=True)
        if value in _MISSING
    ]  # fmt: skip
    if without:
        raise InvalidInput(
            f"Column {name!r} names no subject for sample {without[0]!r}; fill it in or leave the "
            "sample out.",
            field=FIELD,
            code="missing_covariate",
        )
    codes, _ = pd.factorize(np.array(subjects, dtype=object))
    return np.asarray(codes, dtype=np.int64)


def describe_samples(
    study: Study, tests: GeneTests | None, request: DifferentialExpressionRequest
) -> list[str]:
    """Say what limma-voom, if it came through, found of subjects and samples."""
    if tests is None:
        return []
    sentences = []
    correlation, weights = tests.block_correlation, tests.sample_weights
    if correlation is not None:
        sentences.append(
            f"Samples of one {request.duplicate_correlation} correlate by {correlation:.2f} beyond "
            "the design, which limma-voom takes into account."
        )
    if weights is not None:
        light = [
            f"{study.sample_ids[index]} ({weights[index]:.2f})"
            for index in np.argsort(weights, kind="stable")
            if weights[index] < _LIGHT
        ]
        least = int(weights.argmin())
        sentences.append(
            f"limma-voom weighs noisy samples less: {', '.join(light[:10])} against 1 for the "
            "usual sample."
            if light
            else "limma-voom weighs samples by their noise; none counts less than half, the least "
            f"is {study.sample_ids[least]} ({weights[least]:.2f})."
        )
    return sentences


def warn_of_samples(request: DifferentialExpressionRequest) -> tuple[str, ...]:
    """Return the warning that two of the three methods know nothing of it."""
    fields = [
        name
        for name, is_given in (
            (FIELD, request.duplicate_correlation is not None),
            ("sample_weights", request.sample_weights),
        )
        if is_given
    ]
    if not fields or request.method != "all":
        return ()
    remedy = (
        "take samples of one subject as independent, so that their p values can be too small: ask "
        "for method: limma-voom"
        if request.duplicate_correlation is not None
        else "weigh all samples alike"
    )
    named = " and ".join(fields)
    return (f"limma_only: limma-voom alone goes by {named}; DESeq2 and edgeR {remedy}.",)
