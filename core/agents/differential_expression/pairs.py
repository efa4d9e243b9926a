"""Subjects seen in several groups: which samples a comparison within subjects can use."""

from collections.abc import Sequence

from core.agents.differential_expression.columns import show
from core.agents.differential_expression.metadata import SampleSheet
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import InvalidInput

_FEWEST_PAIRS = 2
_MISSING = ("", "NA", "NaN", "nan")


def keep_pairs(
    rows: list[int],
    condition: Sequence[str],
    sheet: SampleSheet,
    request: DifferentialExpressionRequest,
) -> tuple[list[int], tuple[str, ...]]:
    """Keep the samples of subjects that were seen in more than one group.

    A subject seen in one group only says nothing of a change within subjects, and would cost a
    coefficient.

    Args:
        rows: Rows of the metadata that are in the model.
        condition: Group of each row.
        sheet: The metadata.
        request: Names the column of subjects, if any.

    Raises:
        InvalidInput: Fewer than two subjects are left, or a sample has no subject.
    """
    if request.paired_column is None:
        return rows, ()
    subjects = sheet.column(request.paired_column, "paired_column")
    without = [sheet.sample_ids[row] for row in rows if subjects[row] in _MISSING]
    if without:
        raise InvalidInput(
            f"Column {request.paired_column!r} names no subject for sample {without[0]!r}; fill it "
            "in or leave the sample out.",
            field="paired_column",
            code="missing_covariate",
        )
    groups: dict[str, set[str]] = {}
    for row in rows:
        groups.setdefault(subjects[row], set()).add(condition[row])
    kept = [row for row in rows if len(groups[subjects[row]]) > 1]
    if len({subjects[row] for row in kept}) < _FEWEST_PAIRS:
        raise InvalidInput(
            f"Column {request.paired_column!r} has fewer than two subjects with samples in more "
            "than one group; leave paired_column out.",
            field="paired_column",
            code="no_pairs",
        )
    left_out = [sheet.sample_ids[row] for row in rows if row not in set(kept)]
    if not left_out:
        return kept, ()
    return kept, (
        f"incomplete_pairs: {len(left_out)} samples of subjects seen in one group only were left "
        f"out: {show(left_out)}.",
    )
