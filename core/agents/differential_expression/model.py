"""The design of the comparison: covariates, their kind, and whether the data can answer it."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.metadata import SampleSheet
from core.agents.differential_expression.records import DesignFactor
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import ConfoundedDesign, InvalidInput, TooFewReplicates
from core.stats.design import Covariate, build_design, is_full_rank
from core.stats.fit import FloatArray

_MOST_LEVELS = 6
_FEW_REPLICATES = 3


@dataclass(frozen=True)
class Model:
    """The design matrix and what it is made of.

    Attributes:
        design: Samples x coefficients; the comparison is the last column.
        covariates: In the order of the request.
        formula: As R writes it.
        terms: The same for the answer.
        warnings: One sentence each.
    """

    design: FloatArray
    covariates: tuple[Covariate, ...]
    formula: str
    terms: tuple[DesignFactor, ...]
    warnings: tuple[str, ...]


def build_model(study: Study, sheet: SampleSheet, request: DifferentialExpressionRequest) -> Model:
    """Build the design and check that the comparison can be estimated and tested.

    Raises:
        ConfoundedDesign: A covariate cannot be told apart from the condition or another one.
        TooFewReplicates: No residual degrees of freedom are left.
        InvalidInput: A covariate is the condition, has one level or a missing value.
    """
    covariates, warnings = [], []
    for position, name in enumerate(request.covariates):
        field = f"covariates[{position}]"
        if name == request.condition_column or name in request.covariates[:position]:
            raise InvalidInput(
                f"Column {name!r} is already in the design; name each covariate once and not the "
                "condition.",
                field=field,
                code="duplicate_covariate",
            )
        sheet.column(name, field)
        covariate, notes = _read_covariate(name, study, field)
        covariates.append(covariate)
        warnings += notes
    design = build_design(covariates, study.is_comparison)
    _check_rank(covariates, study, request)
    if len(study.sample_ids) <= design.shape[1]:
        raise TooFewReplicates(
            f"{len(study.sample_ids)} samples and {design.shape[1]} coefficients leave no residual "
            "degrees of freedom: add replicates or leave out covariates.",
            field="covariates" if covariates else "metadata_csv",
        )
    condition = DesignFactor(
        name=request.condition_column,
        kind="factor",
        levels=[request.reference_group, request.comparison_group],
    )
    return Model(
        design=design,
        covariates=tuple(covariates),
        formula="~ " + " + ".join([*request.covariates, request.condition_column]),
        terms=(*(_describe_term(covariate) for covariate in covariates), condition),
        warnings=(*warnings, *_check_replicates(study)),
    )


def _describe_term(covariate: Covariate) -> DesignFactor:
    """Return a covariate as the answer describes it."""
    return DesignFactor(
        name=covariate.name,
        kind="numeric" if covariate.is_numeric else "factor",
        levels=[] if covariate.is_numeric else list(covariate.levels),
    )


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
    covariates: list[Covariate], study: Study, request: DifferentialExpressionRequest
) -> None:
    """Name the covariate at which the design stops being estimable."""
    for position, covariate in enumerate(covariates):
        field = f"covariates[{position}]"
        so_far = covariates[: position + 1]
        without_condition = build_design(so_far, study.is_comparison)[:, :-1]
        if not is_full_rank(without_condition):
            names = ", ".join(repr(one.name) for one in covariates[:position])
            raise ConfoundedDesign(
                f"Covariate {covariate.name!r} is determined by {names}; leave one of them out.",
                field=field,
            )
        if not is_full_rank(build_design(so_far, study.is_comparison)):
            raise ConfoundedDesign(
                f"Covariate {covariate.name!r} cannot be told apart from "
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
    n_comparison = int(study.is_comparison.sum())
    smallest = min(n_comparison, len(study.groups) - n_comparison)
    if smallest >= _FEW_REPLICATES:
        return ()
    return (
        f"low_replicates: the smaller group has {smallest} sample{'s' * (smallest > 1)}; the "
        "dispersion is uncertain, and below 3 replicates there is no Cook's check for count "
        "outliers.",
    )
