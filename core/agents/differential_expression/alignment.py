"""Counts and metadata of the same samples, in the same order, of the two groups only."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from core.agents.differential_expression.counts import CountMatrix, SampleSheet
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import InvalidInput, UnknownGroup
from core.stats.fit import BoolArray, IntArray
from core.tables.text import show

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
    paired = [row for row in rows if len(groups[subjects[row]]) > 1]
    if len({subjects[row] for row in paired}) < _FEWEST_PAIRS:
        raise InvalidInput(
            f"Column {request.paired_column!r} has fewer than two subjects with samples in more "
            "than one group; leave paired_column out.",
            field="paired_column",
            code="no_pairs",
        )
    left_out = [sheet.sample_ids[row] for row in rows if row not in set(paired)]
    if not left_out:
        return paired, ()
    return paired, (
        f"incomplete_pairs: {len(left_out)} samples of subjects seen in one group only were "
        f"excluded: {show(left_out)}.",
    )


def make_name(name: str) -> str:
    """Return the name as R's make.names would, without an X that stands for a leading digit."""
    dotted = re.sub(r"[^A-Za-z0-9._]", ".", name.strip())
    return re.sub(r"^[Xx](?=[\d.])", "", dotted)


_ENDINGS = re.compile(
    r"((_|\.)?Aligned)?(\.(sorted(ByCoord)?|sortedByCoord|out|bam|sam|cram|markdup|dedup|rmdup))+$",
    re.IGNORECASE,
)


def strip_path(name: str) -> str:
    """Return the name of a sample from that of its alignment, as featureCounts heads its columns.

    >>> strip_path("/data/run1/S1.sorted.bam")
    'S1'
    """
    return _ENDINGS.sub("", re.split(r"[/\\]", name.strip())[-1])


_REWRITINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("folders and the endings of alignments left off", strip_path),
    ("blanks removed", lambda name: re.sub(r"\s+", "", name)),
    ("upper and lower case taken as one", lambda name: name.strip().casefold()),
    ("zeros before digits left off", lambda name: re.sub(r"(?<!\d)0+(?=\d)", "", name.strip())),
    ("R's make.names (X before a digit, dots for other signs)", make_name),
    ("signs, X prefix and case ignored", lambda name: make_name(name).casefold()),
)


def rewrite_names(
    names: Sequence[str], present: Sequence[str]
) -> tuple[dict[str, str], str] | None:
    """Find one rewriting that maps all names one to one.

    Args:
        names: Names of one table that have no equal in the other.
        present: Names of the other table that have no equal.

    Returns:
        Name present by name wanted and what the rewriting does; None if none maps them all.
    """
    for what, rewrite in _REWRITINGS:
        by_key = {rewrite(name): name for name in present}
        keys = [rewrite(name) for name in names]
        is_one_to_one = len(by_key) == len(present) and len(set(keys)) == len(names)
        if is_one_to_one and all(key in by_key for key in keys):
            return {name: by_key[key] for name, key in zip(names, keys, strict=True)}, what
    return None


_DEPTH_SPREAD = 10


@dataclass(frozen=True)
class Study:
    """The samples compared, with everything that the fits need to know of them.

    Attributes:
        gene_ids: One a row of `counts`.
        sample_ids: As in the metadata, in its order.
        groups: Condition of each sample.
        is_comparison: Whether each sample belongs to the comparison group.
        levels: Groups in the model: reference, comparison, then any others by name.
        counts: Genes x samples.
        metadata: All metadata columns of these samples.
        count_columns: Name of each sample in the count matrix.
    """

    gene_ids: tuple[str, ...]
    sample_ids: tuple[str, ...]
    groups: tuple[str, ...]
    is_comparison: BoolArray
    levels: tuple[str, ...]
    counts: IntArray
    metadata: dict[str, tuple[str, ...]]
    count_columns: tuple[str, ...]
    warnings: tuple[str, ...]

    def members(self, group: str) -> BoolArray:
        """Mark the samples of a group."""
        return np.array([name == group for name in self.groups], dtype=np.bool_)


def align_samples(
    matrix: CountMatrix, sheet: SampleSheet, request: DifferentialExpressionRequest
) -> Study:
    """Bring counts and metadata together and keep the groups of the model.

    Raises:
        InvalidInput: Names do not match, a group is unknown or empty, a sample has no reads.
    """
    condition = sheet.column(request.condition_column, "condition_column")
    _check_groups(condition, request)
    matched, warnings = _match(matrix, sheet)
    compared_groups = _choose_groups(condition, request)
    rows = [
        row
        for row, name in enumerate(sheet.sample_ids)
        if name in matched and condition[row] in compared_groups
    ]
    rows, unpaired = keep_pairs(rows, condition, sheet, request)
    groups = tuple(condition[row] for row in rows)
    _check_both_present(groups, request)
    columns = tuple(matched[sheet.sample_ids[row]] for row in rows)
    position = {name: index for index, name in enumerate(matrix.sample_ids)}
    places = [position[name] for name in columns]
    is_whole = places == list(range(len(matrix.sample_ids)))
    counts = matrix.counts if is_whole else matrix.counts[:, places]
    sample_ids = tuple(sheet.sample_ids[row] for row in rows)
    others = [
        sheet.sample_ids[row]
        for row, value in enumerate(condition)
        if value not in compared_groups and sheet.sample_ids[row] in matched
    ]
    return Study(
        gene_ids=matrix.gene_ids,
        sample_ids=sample_ids,
        groups=groups,
        is_comparison=np.array([group == request.comparison_group for group in groups]),
        levels=tuple(group for group in compared_groups if group in groups),
        counts=counts,
        metadata={
            name: tuple(values[row] for row in rows) for name, values in sheet.columns.items()
        },
        count_columns=columns,
        warnings=(
            *warnings,
            *_describe_others(others),
            *unpaired,
            *_check_depth(counts, sample_ids),
        ),
    )


def _check_groups(condition: Sequence[str], request: DifferentialExpressionRequest) -> None:
    """Check that both groups occur and differ."""
    present = sorted({value for value in condition if value})
    for field, group in _named_groups(request):
        if group in present:
            continue
        close_matches = [name for name in present if name.casefold() == group.casefold()]
        close_matches += get_close_matches(group, present, n=1, cutoff=0.6)
        hint = f" Did you mean {close_matches[0]!r}?" if close_matches else ""
        raise UnknownGroup(
            f"No sample has {group!r} in column {request.condition_column!r}.{hint} "
            f"Values present: {show(present)}.",
            field=field,
        )
    named = _named_groups(request)
    for (_, reference), (field, comparison) in zip(named[::2], named[1::2], strict=True):
        if reference == comparison:
            raise InvalidInput(
                f"Reference and comparison group are both {reference!r}; choose two of "
                f"{show(present)}.",
                field=field,
                code="same_group",
            )


def _named_groups(request: DifferentialExpressionRequest) -> list[tuple[str, str]]:
    """Return the groups that the request names, two a comparison, each with its field."""
    named = [
        ("reference_group", request.reference_group),
        ("comparison_group", request.comparison_group),
    ]
    for index, contrast in enumerate(request.contrasts):
        named.append((f"contrasts[{index}].reference_group", contrast.reference_group))
        named.append((f"contrasts[{index}].comparison_group", contrast.comparison_group))
    return named


def _choose_groups(
    condition: Sequence[str], request: DifferentialExpressionRequest
) -> tuple[str, ...]:
    """Return the groups that enter the model: reference, comparison, then others by name."""
    compared = (request.reference_group, request.comparison_group)
    if not request.keeps_all_groups:
        return compared
    others = {value for value in condition if value not in ("", "NA", *compared)}
    return (*compared, *sorted(others))


def _check_both_present(groups: Sequence[str], request: DifferentialExpressionRequest) -> None:
    """Check that each group still has a sample once the tables are matched."""
    for field, group in _named_groups(request):
        if group not in groups:
            raise UnknownGroup(
                f"No sample of group {group!r} has a column in the count matrix; add its samples "
                "to the count matrix.",
                field=field,
            )


def _match(matrix: CountMatrix, sheet: SampleSheet) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the count column of each sample ID, rewriting names where that maps them all."""
    columns = set(matrix.sample_ids)
    matched = {name: name for name in sheet.sample_ids if name in columns}
    only_sheet = [name for name in sheet.sample_ids if name not in columns]
    only_counts = [name for name in matrix.sample_ids if name not in matched]
    warnings: list[str] = []
    rewritten = _rewrite(only_sheet, only_counts)
    if rewritten is not None:
        mapping, what = rewritten
        matched |= mapping
        pairs = show([f"{written} = {present}" for written, present in mapping.items()])
        warnings.append(f"names_rewritten: sample names were matched with {what}: {pairs}.")
        only_sheet = [name for name in only_sheet if name not in mapping]
        only_counts = [name for name in only_counts if name not in mapping.values()]
    if not matched:
        better = [name for name, values in sheet.columns.items() if columns & set(values)]
        hint = ""
        if better:
            hint = (
                f" The metadata column {better[0]!r} holds such names: set sample_id_column to it."
            )
        elif set(sheet.sample_ids) & set(matrix.gene_ids):
            hint = " The count matrix has samples in rows: transpose it."
        raise InvalidInput(
            f"No sample of the metadata is a column of the count matrix. Only in the metadata: "
            f"{show(only_sheet)}. Only in the count matrix: {show(only_counts)}.{hint}",
            field="sample_id_column",
            code="samples_do_not_match",
        )
    for column in matrix.other_columns if matched else ():
        if any(rewrite_names([name], [column]) for name in only_sheet):
            raise InvalidInput(
                f"Column {column!r} of the count matrix has the name of a sample and holds no "
                "counts; if the header names every column but the first, name that one gene_id.",
                field="gene_id_column",
                code="sample_without_counts",
            )
    for where, names in (("metadata", only_sheet), ("count matrix", only_counts)):
        if names:
            warnings.append(f"samples_ignored: only in the {where}: {show(names)}.")
    return matched, tuple(warnings)


def _rewrite(
    only_sheet: Sequence[str], only_counts: Sequence[str]
) -> tuple[dict[str, str], str] | None:
    """Map all names of the smaller side to the other, as sample ID -> count column."""
    if not only_sheet or not only_counts:
        return None
    if len(only_sheet) <= len(only_counts):
        return rewrite_names(only_sheet, only_counts)
    rewritten = rewrite_names(only_counts, only_sheet)
    if rewritten is None:
        return None
    mapping, what = rewritten
    return {sample: column for column, sample in mapping.items()}, what


def _describe_others(others: Sequence[str]) -> tuple[str, ...]:
    """Return the warning about samples of other groups."""
    if not others:
        return ()
    return (
        f"other_groups: {len(others)} samples of other groups were excluded before filtering and "
        f"fitting (model_groups: all keeps them in the model): {show(others)}.",
    )


def _check_depth(counts: IntArray, sample_ids: Sequence[str]) -> tuple[str, ...]:
    """Refuse samples without reads and warn of depths more than ten-fold apart."""
    depth = counts.sum(axis=0)
    if not depth.any():
        raise InvalidInput(
            "Every count of the samples compared is 0; send the matrix that holds their reads.",
            field="counts_csv",
            code="all_zero_counts",
        )
    empty = [name for name, reads in zip(sample_ids, depth, strict=True) if reads == 0]
    if empty:
        raise InvalidInput(
            f"Samples without a single read: {show(empty)}; leave them out of the metadata.",
            field="metadata_csv",
            code="empty_sample",
        )
    if depth.max() <= _DEPTH_SPREAD * depth.min():
        return ()
    low, high = int(depth.argmin()), int(depth.argmax())
    return (
        f"depth_imbalance: sequencing depths are {depth.max() / depth.min():.0f}-fold apart, from "
        f"{depth[low]} reads ({sample_ids[low]}) to {depth[high]} ({sample_ids[high]}).",
    )


def count_groups(study: Study) -> dict[str, int]:
    """Return the number of samples of each group, reference first."""
    counted = Counter(study.groups)
    return {group: counted[group] for group in study.levels}
