"""The design of the comparison: covariates, their kind, and whether the data can answer it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.counts import SampleSheet
from core.agents.differential_expression.records import DesignFactor
from core.agents.differential_expression.schema import Contrast, DifferentialExpressionRequest
from core.errors import ConfoundedDesign, InvalidInput, MissingColumn, TooFewReplicates
from core.stats.design import (
    Covariate,
    Effect,
    SampleModel,
    build_design,
    covariate_columns,
    is_full_rank,
)
from core.stats.fit import BoolArray, FloatArray, GeneTests
from core.tables.text import missing_column, show

_FIELD = "duplicate_correlation"
_MISSING = ("", "NA", "NaN", "nan")
_LIGHT = 0.5


def read_sample_model(
    study: Study, design: FloatArray, taken: Sequence[str], request: DifferentialExpressionRequest
) -> SampleModel | None:
    """Return how the samples differ; None where they are equals.

    `taken`: columns that are in the design. `request`: names the column of subjects, and whether
    quality counts.

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
            f"Column {name!r} is already in the design; name it there or in {_FIELD}, not in both.",
            field=_FIELD,
            code="duplicate_covariate",
        )
    if name not in study.metadata:
        present = [column for column in study.metadata if column]
        raise MissingColumn(missing_column(name, present, "the metadata"), field=_FIELD)
    subjects = study.metadata[name]
    without = [
        sample for sample, value in zip(study.sample_ids, subjects, strict=True)
        if value in _MISSING
    ]  # fmt: skip
    if without:
        raise InvalidInput(
            f"Column {name!r} names no subject for sample {without[0]!r}; fill it in or leave the "
            "sample out.",
            field=_FIELD,
            code="missing_covariate",
        )
    codes, _ = pd.factorize(np.array(subjects, dtype=object))
    blocks = np.asarray(codes, dtype=np.int64)
    n_blocks, n_samples = int(blocks.max()) + 1, len(blocks)
    if not 1 < n_blocks <= n_samples - 2 or n_samples <= design.shape[1] + 2:
        raise InvalidInput(
            f"Column {name!r} names {n_blocks} subjects for {n_samples} samples; a correlation "
            f"needs two subjects or more, and two samples more than subjects. Leave {_FIELD} out.",
            field=_FIELD,
            code="no_pairs",
        )
    columns = covariate_columns(Covariate(name, study.metadata[name], is_numeric=False))
    if not any(is_full_rank(np.column_stack([design, column])) for column in columns):
        raise ConfoundedDesign(
            f"The design already distinguishes the subjects of {name!r}; leave {_FIELD} out.",
            field=_FIELD,
        )
    return SampleModel(blocks, request.sample_weights)


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
            (_FIELD, request.duplicate_correlation is not None),
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


_TWO = 2


def field_of(name: str, request: DifferentialExpressionRequest) -> str:
    """Return the request field that brought a column into the design."""
    if name in request.covariates:
        return f"covariates[{request.covariates.index(name)}]"
    return "paired_column" if name == request.paired_column else "interaction"


def check_crossing(crossed: Covariate, request: DifferentialExpressionRequest) -> None:
    """Refuse an interaction of many values where one coefficient is to be tested.

    Raises:
        InvalidInput: The column has more than two values and the test is no `lrt`.
    """
    if request.test == "comparison" and len(crossed.levels) != _TWO:
        raise InvalidInput(
            f"Column {crossed.name!r} has {len(crossed.levels)} values ({show(crossed.levels)}); "
            "an interaction of one coefficient needs two. Ask for test: lrt to test all together.",
            field="interaction",
            code="interaction_levels",
        )


def order_for_reduction(
    covariates: Sequence[Covariate], request: DifferentialExpressionRequest
) -> tuple[list[Covariate], int]:
    """Return the covariates, those that the reduced design drops last, and how many these are.

    Raises:
        InvalidInput: The reduced design names a column that the design lacks, or drops nothing.
    """
    if request.reduced is None:
        return list(covariates), 0
    names = [covariate.name for covariate in covariates]
    for index, name in enumerate(request.reduced):
        if name not in (*names, request.condition_column):
            raise InvalidInput(
                f"The reduced design keeps {name!r}, which is not in the design: "
                f"{show([*names, request.condition_column])}.",
                field=f"reduced[{index}]",
                code="not_in_design",
            )
    dropped = [covariate for covariate in covariates if covariate.name not in request.reduced]
    keeps_condition = request.condition_column in request.reduced
    if keeps_condition and (dropped or request.interaction is None):
        raise InvalidInput(
            "The reduced design must leave out the condition, or its interaction alone: drop "
            f"{request.condition_column!r} from reduced, or name every covariate in it.",
            field="reduced",
            code="nothing_reduced",
        )
    kept_covariates = [covariate for covariate in covariates if covariate.name in request.reduced]
    return [*kept_covariates, *dropped], len(dropped)


def find_effect(
    dropped: Sequence[Covariate], study: Study, request: DifferentialExpressionRequest
) -> Effect | None:
    """Return which last columns of the design are tested; None for the only two groups."""
    if request.test == "lrt":
        n_groups = len(study.levels) - 1
        n_products = n_groups * (
            0 if request.interaction is None else len(set(study.metadata[request.interaction])) - 1
        )
        keeps_condition = request.reduced is None and request.interaction is not None
        keeps_condition |= request.condition_column in (request.reduced or ())
        n_columns = n_products + (0 if keeps_condition else n_groups)
        n_columns += sum(len(covariate_columns(covariate)) for covariate in dropped)
        return Effect(n_columns=n_columns, by_ratio=True)
    if request.interaction is not None:
        return Effect()
    if len(study.levels) == _TWO:
        return None
    base = study.members(request.reference_group).astype(np.float64)
    return Effect(base=base)


def describe_effect(crossed: Covariate | None, request: DifferentialExpressionRequest) -> str:
    """Say what is tested."""
    change = f"{request.comparison_group} vs {request.reference_group}"
    if request.test == "lrt":
        if crossed is not None and request.reduced is None:
            return f"any difference of {request.condition_column} between {crossed.name}"
        return f"any difference between the groups of {request.condition_column}"
    if crossed is not None:
        first, second = crossed.levels
        return f"{change} in {crossed.name} {second}, beyond {change} in {first}"
    return change


def write_formula(covariates: Sequence[Covariate], request: DifferentialExpressionRequest) -> str:
    """Return the design as R writes it."""
    terms = [*(covariate.name for covariate in covariates), request.condition_column]
    if request.interaction is not None:
        terms.append(f"{request.interaction}:{request.condition_column}")
    return "~ " + " + ".join(terms)


def write_reduced(
    kept_covariates: Sequence[Covariate], request: DifferentialExpressionRequest
) -> str | None:
    """Return the reduced design as R writes it; None where nothing is reduced."""
    if request.test != "lrt":
        return None
    terms = [covariate.name for covariate in kept_covariates]
    keeps_condition = request.reduced is None and request.interaction is not None
    if keeps_condition or request.condition_column in (request.reduced or ()):
        terms.append(request.condition_column)
    return "~ " + (" + ".join(terms) or "1")


_MOST_LEVELS = 6
_FEW_REPLICATES = 3


@dataclass(frozen=True)
class Model:
    """The design matrix and what it is made of.

    Attributes:
        design: Samples x coefficients; what is tested stands last.
        filter_design: The design that the expression filter follows: `~ condition`, or the
            fitted design where an interaction or further factors are tested.
        filter_formula: The same as R writes it.
        filters_by_design: Whether it is the fitted design.
        covariates: In the order of the request, then subjects, then what interacts; those that
            a reduced design drops come last.
        effect: What is tested, None for a comparison of the only two groups.
        crossed: The covariate that interacts with the condition.
        said: What is tested, in words.
        reduced: Formula of the reduced design, None without one.
        samples: How samples differ beside the design; None where they are equals.
        formula: As R writes it.
        terms: The same for the answer.
    """

    design: FloatArray
    filter_design: FloatArray
    filter_formula: str
    filters_by_design: bool
    covariates: tuple[Covariate, ...]
    effect: Effect | None
    crossed: Covariate | None
    said: str
    reduced: str | None
    samples: SampleModel | None
    formula: str
    terms: tuple[DesignFactor, ...]
    warnings: tuple[str, ...]


def build_model(study: Study, sheet: SampleSheet, request: DifferentialExpressionRequest) -> Model:
    """Build the design and check that the comparison can be estimated and tested.

    The expression filter takes its sample size from the condition where the condition alone is
    tested: covariates, pairs and batches only adjust it, and the leverage of a paired design
    would admit genes expressed in a single sample. Where an interaction or further factors are
    tested, a gene may be expressed in one cell of the design, so the filter follows the fitted
    design, as edgeR's `filterByExpr(y, design)` does.

    Raises:
        ConfoundedDesign: A covariate cannot be distinguished from the condition or another one.
        TooFewReplicates: No residual degrees of freedom are left.
        InvalidInput: A covariate is the condition, has one level or a missing value.
    """
    covariates, warnings = _read_covariates(study, sheet, request)
    crossed = covariates[-1] if request.interaction else None
    if crossed is not None:
        check_crossing(crossed, request)
    covariates, n_dropped = order_for_reduction(covariates, request)
    others = [study.members(level) for level in study.levels[2:]]
    design = build_design(covariates, study.is_comparison, others, crossed)
    _check_rank(covariates, study, request, others)
    if not is_full_rank(design):
        raise ConfoundedDesign(
            f"Not every group of {request.condition_column!r} has samples of every value of "
            f"{request.interaction!r}, so their interaction cannot be estimated; leave interaction "
            "out.",
            field="interaction",
        )
    if len(study.sample_ids) <= design.shape[1]:
        raise TooFewReplicates(
            f"{len(study.sample_ids)} samples and {design.shape[1]} coefficients leave no residual "
            "degrees of freedom: add replicates or leave out covariates.",
            field="covariates" if covariates else "metadata_csv",
        )
    follows_design = crossed is not None or n_dropped > 0
    names = [request.condition_column, *(covariate.name for covariate in covariates)]
    condition = DesignFactor(
        name=request.condition_column, kind="factor", levels=list(study.levels)
    )
    return Model(
        design=design,
        filter_design=design if follows_design else build_design((), study.is_comparison, others),
        filter_formula=write_formula(covariates if follows_design else (), request),
        filters_by_design=follows_design,
        covariates=tuple(covariates),
        effect=find_effect(covariates[len(covariates) - n_dropped :], study, request),
        crossed=crossed,
        said=describe_effect(crossed, request),
        reduced=write_reduced(covariates[: len(covariates) - n_dropped], request),
        samples=read_sample_model(study, design, names, request),
        formula=write_formula(covariates, request),
        terms=(
            *(
                DesignFactor(
                    name=covariate.name,
                    kind="numeric" if covariate.is_numeric else "factor",
                    levels=[] if covariate.is_numeric else list(covariate.levels),
                )
                for covariate in covariates
            ),
            condition,
        ),
        warnings=(*warnings, *_check_replicates(study)),
    )


def rebase(model: Model, study: Study, contrast: Contrast) -> Model:
    """Return the same model written so that another comparison is its last column."""
    compared = (contrast.reference_group, contrast.comparison_group)
    others = [level for level in study.levels if level not in compared]
    return regroup(model, study.groups, (*compared, *others))


def regroup(model: Model, groups: Sequence[str], levels: Sequence[str]) -> Model:
    """Return the same model of samples that belong to other groups.

    `levels`: reference, comparison, then any others.
    """
    flags = [np.array([name == level for name in groups], dtype=np.bool_) for level in levels]
    design = build_design(model.covariates, flags[1], flags[2:], model.crossed)
    effect = model.effect
    if effect is not None and effect.base is not None:
        effect = replace(effect, base=flags[0].astype(np.float64))
    return replace(model, design=design, effect=effect)


def _read_covariates(
    study: Study, sheet: SampleSheet, request: DifferentialExpressionRequest
) -> tuple[list[Covariate], list[str]]:
    """Return the columns that adjust, pair and interact, and the warnings about them."""
    covariates: list[Covariate] = []
    warnings: list[str] = []
    named = [(name, f"covariates[{index}]") for index, name in enumerate(request.covariates)]
    further = (("paired_column", request.paired_column), ("interaction", request.interaction))
    named += [(name, field) for field, name in further if name is not None]
    for position, (name, field) in enumerate(named):
        if name == request.condition_column or name in [before for before, _ in named[:position]]:
            raise InvalidInput(
                f"Column {name!r} is already in the design; name each covariate once and not the "
                "condition.",
                field=field,
                code="duplicate_covariate",
            )
        sheet.column(name, field)
        covariate, notes = _read_covariate(name, study, field)
        if field == "interaction" and covariate.is_numeric:
            raise InvalidInput(
                f"Column {name!r} holds numbers; an interaction needs groups. Add a column that "
                f"groups them, such as low and high, or adjust for {name!r} as a covariate.",
                field=field,
                code="interaction_levels",
            )
        if field in ("paired_column", "interaction"):
            covariate, notes = replace(covariate, is_numeric=False), []
        covariates.append(covariate)
        warnings += notes
    return covariates, warnings


def _read_covariate(name: str, study: Study, field: str) -> tuple[Covariate, list[str]]:
    """Decide whether a column enters as a number or a factor."""
    values = study.metadata[name]
    missing = [
        sample
        for sample, value in zip(study.sample_ids, values, strict=True)
        if value in ("", "NA", "NaN", "nan")
    ]
    if missing:
        raise InvalidInput(
            f"Covariate {name!r} has no value for sample {missing[0]!r}; fill it in or leave the "
            "sample out.",
            field=field,
            code="missing_covariate",
        )
    distinct = set(values)
    if len(distinct) == 1:
        raise InvalidInput(
            f"Covariate {name!r} has the one value {values[0]!r} in all samples used; leave it "
            "out.",
            field=field,
            code="constant_covariate",
        )
    numbers = _as_numbers(values)
    if numbers is None:
        return Covariate(name, values, is_numeric=False), []
    if len(set(numbers)) > _MOST_LEVELS or any(number != round(number) for number in numbers):
        return Covariate(name, values, is_numeric=True), []
    note = (
        f"covariate_as_factor: covariate {name!r} has {len(distinct)} distinct whole numbers and "
        "was taken as a factor."
    )
    return Covariate(name, values, is_numeric=False), [note]


def _as_numbers(values: tuple[str, ...]) -> list[float] | None:
    """Return the values as finite numbers, None when one is not."""
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _check_rank(
    covariates: Sequence[Covariate],
    study: Study,
    request: DifferentialExpressionRequest,
    others: Sequence[BoolArray],
) -> None:
    """Name the covariate at which the design stops being estimable."""
    for position, covariate in enumerate(covariates):
        field = field_of(covariate.name, request)
        so_far = covariates[: position + 1]
        without_condition = build_design(so_far, study.is_comparison)[:, :-1]
        if not is_full_rank(without_condition):
            names = ", ".join(repr(covariate.name) for covariate in covariates[:position])
            raise ConfoundedDesign(
                f"Covariate {covariate.name!r} is determined by {names}; leave one of them out.",
                field=field,
            )
        if not is_full_rank(build_design(so_far, study.is_comparison, others)):
            raise ConfoundedDesign(
                f"Covariate {covariate.name!r} cannot be distinguished from "
                f"{request.condition_column!r}: {_cross(covariate, study)}. Leave it out, or add "
                "samples in which both groups share a value.",
                field=field,
            )


def _cross(covariate: Covariate, study: Study) -> str:
    """Return the number of samples of each value and group, in words."""
    counted = Counter(zip(covariate.values, study.groups, strict=True))
    cells = [f"{value} x {group}: {n}" for (value, group), n in sorted(counted.items())]
    more = len(cells) - 12
    return "; ".join(cells[:12]) + (f"; and {more} more" if more > 0 else "")


def _check_replicates(study: Study) -> tuple[str, ...]:
    """Return the warning about groups of fewer than three samples."""
    smallest = min(study.groups.count(level) for level in study.levels)
    if smallest >= _FEW_REPLICATES:
        return ()
    return (
        f"low_replicates: the smaller group has {smallest} sample{'s' * (smallest > 1)}; the "
        "dispersion is uncertain, and below 3 replicates there is no Cook's check for count "
        "outliers.",
    )
