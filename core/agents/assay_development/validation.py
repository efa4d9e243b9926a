"""How far each assay is validated: criteria by context and depth, sizes of the experiments."""

from collections.abc import Iterator

from core.agents.assay_development.case import DEPTHS, Case
from core.agents.assay_development.numbering import Numbering, basis_of
from core.agents.assay_development.package import Chosen, Package
from core.agents.assay_development.records import (
    Basis,
    GuidanceDocument,
    Limit,
    SampleSize,
    ValidationParameter,
    ValidationPlan,
)
from core.knowledge.assays.rows import CriterionRow, documents
from core.stats.assays import sizes
from core.vocabulary.tables import load_rows

ASSUMED_GCV = {"exploratory": 30.0, "qualified": 15.0, "validated": 10.0}
"""Geometric CV in percent that is assumed where no result was uploaded."""
LIMIT_CV = {"exploratory": 40.0, "qualified": 25.0, "validated": 20.0}
MARGIN = 25.0
TIGHT_MARGIN = 12.0
GOAL_GCV = 10.0
_SPREAD = ("bioassay", "vaccine_product", "screening")


def criteria_of(chosen: Chosen, case: Case) -> list[CriterionRow]:
    """Return the criteria of an assay at a depth; a deeper one replaces the same parameter."""
    reached = DEPTHS[: DEPTHS.index(case.depth) + 1]
    rows: dict[str, CriterionRow] = {}
    for row in load_rows("criteria", CriterionRow):
        if row.context == chosen.row.context and row.depth in reached:
            rows[row.parameter] = row
    if len(rows) > 1:
        rows.pop("Repeatability", None) if case.depth == "qualified" else None
    return list(rows.values())


def list_limits(chosen: Chosen, case: Case, numbering: Numbering) -> list[Limit]:
    """Return the criteria of an assay as limits of its protocol."""
    return [
        Limit(
            parameter=row.parameter,
            criterion=row.criterion,
            basis=_basis(row),
            source_ids=numbering.of_document(row.document),
        )
        for row in criteria_of(chosen, case)
    ]


def plan_validation(
    package: Package, case: Case, numbering: Numbering, measured_gcv: float | None
) -> ValidationPlan:
    """Return the plan of validation.

    Args:
        package: The assays.
        case: The request as understood.
        numbering: Gives documents their numbers.
        measured_gcv: Geometric CV of uploaded results, in percent; None without.
    """
    parameters = [
        ValidationParameter(
            assay=chosen.name,
            parameter=row.parameter,
            design=_design(row.design, case),
            n=None,
            criterion=row.criterion,
            basis=_basis(row),
            source_ids=numbering.of_document(row.document),
        )
        for chosen in package.chosen
        for row in criteria_of(chosen, case)
    ]
    sizes_planned = [
        size for chosen in package.chosen for size in _sizes(chosen, case, numbering, measured_gcv)
    ]
    return ValidationPlan(
        depth=case.depth,
        documents=_documents(numbering),
        parameters=parameters,
        sample_sizes=sizes_planned,
        source_ids=[],
    )


def _basis(row: CriterionRow) -> Basis:
    return basis_of(row)  # type: ignore[return-value]


def _design(design: str, case: Case) -> str:
    """Return a design with the matrix of the request."""
    matrix = case.samples.get("matrix")
    return design.replace("matrix", str(matrix)) if isinstance(matrix, str) else design


def _documents(numbering: Numbering) -> list[GuidanceDocument]:
    documents_known = documents()
    return [
        GuidanceDocument(
            id=name,
            title=documents_known[name].title,
            status=_status(name),
            opened_on=documents_known[name].retrieved_on,
            source_ids=numbering.of_document(name),
        )
        for name in numbering.documents
    ]


def _status(name: str) -> str:
    row = documents()[name]
    return f"{row.status} by {row.replaced_by}" if row.replaced_by else row.status


def _sizes(
    chosen: Chosen, case: Case, numbering: Numbering, measured: float | None
) -> Iterator[SampleSize]:
    """Yield the sizes that the context of an assay asks for."""
    context = chosen.row.context
    if context in _SPREAD:
        basis: Basis = "computed" if measured else "assumption"
        sizes_by_level = _spread_sizes(measured or ASSUMED_GCV[case.depth], case)
    elif context in _SINGLE:
        basis, sizes_by_level = "assumption", _SINGLE[context]()
    else:
        return
    for purpose, size in sizes_by_level.items():
        yield _size(chosen, purpose, basis, size, numbering)
    n = case.samples.get("n_samples")
    if context in ("ligand_binding", "chromatography") and isinstance(n, int) and n:
        again = sizes.Size(sizes.incurred_samples(n), "10 % of 1,000 and 5 % of the rest", {"n": n})
        yield _size(chosen, "incurred samples to measure again", "computed", again, numbering)


def _spread_sizes(gcv: float, case: Case) -> dict[str, sizes.Size]:
    """Return the sizes of an assay of relative potency, by what they are for."""
    margin = TIGHT_MARGIN if case.depth == "validated" else MARGIN
    limit = LIMIT_CV[case.depth]
    return {
        f"precision: upper 95 % limit inside {limit:g} %": sizes.precision_size(gcv, limit),
        f"bias inside ±{margin:g} %, 80 % power": sizes.bias_size(gcv, margin, power=0.8),
        f"determinations in a reportable value of {GOAL_GCV:g} % GCV": sizes.reportable_size(
            gcv, GOAL_GCV
        ),
    }


_SINGLE = {
    "immunogenicity": lambda: {
        "donors: false-positive share of 5 % known within ±5 points": sizes.cut_point_size(
            0.05, 0.05
        )
    },
    "ligand_binding": lambda: {
        "precision: upper 95 % limit inside 20 %": sizes.precision_size(10, 20)
    },
    "chromatography": lambda: {
        "precision: upper 95 % limit inside 15 %": sizes.precision_size(8, 15)
    },
    "biomarker": lambda: {
        "paired samples: methods equal within half a standard deviation": sizes.comparison_size(
            1.0, 0.5
        )
    },
}
"""Sizes of other contexts, with the precision that is assumed."""


def _size(
    chosen: Chosen, purpose: str, basis: Basis, size: sizes.Size, numbering: Numbering
) -> SampleSize:
    return SampleSize(
        assay=chosen.name,
        purpose=purpose,
        n=size.n,
        formula=size.formula,
        inputs=size.inputs,
        basis=basis,
        source_ids=numbering.of_document("USP <1033>") if "GCV" in size.inputs else [],
    )


def tell_share_out(measured: float | None, depth: str) -> tuple[float, float]:
    """Return the geometric CV of a reportable value and its share out of 70 to 143 %.

    Args:
        measured: Of one determination, in percent; None: the assumed one.
        depth: Of validation.
    """
    gcv = measured or ASSUMED_GCV[depth]
    return gcv, sizes.share_out(0.0, gcv)
