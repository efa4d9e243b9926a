"""What a request tests: a comparison, an interaction, or several coefficients together."""

from collections.abc import Sequence

import numpy as np

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.errors import InvalidInput
from core.stats.design import Covariate, Effect, covariate_columns
from core.stats.fit import FloatArray
from core.tables.text import show

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
    design: FloatArray,
    dropped: Sequence[Covariate],
    study: Study,
    request: DifferentialExpressionRequest,
) -> Effect | None:
    """Return which last columns of the design are tested; None for the only two groups."""
    if request.test == "lrt":
        n_groups = len(study.levels) - 1
        n_products = n_groups * _count_crossed(study, request)
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


def _count_crossed(study: Study, request: DifferentialExpressionRequest) -> int:
    """Return the number of columns by which the interacting factor enters."""
    if request.interaction is None:
        return 0
    return len(set(study.metadata[request.interaction])) - 1


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
