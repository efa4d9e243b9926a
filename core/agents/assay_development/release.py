"""Release of lots: tests with limits, potency, reference standard, stability, comparability."""

from collections.abc import Sequence

from core.agents.assay_development.case import DEPTHS, STAGES, Case
from core.agents.assay_development.numbering import Numbering, basis_of
from core.agents.assay_development.records import QcRelease, ReleaseTest, StabilityCondition
from core.knowledge.assays.rows import CriterionRow, StabilityRow, is_of_product, parts
from core.vocabulary.tables import load_rows

_NOT_ASKED = "The request leaves release out."
_NOTHING = QcRelease(
    applies=False,
    reason=_NOT_ASKED,
    tests=[],
    potency_strategy="",
    reference_standard="",
    stability=[],
    comparability="",
    source_ids=[],
)
_CELLS = ("CAR-T", "TCR-T", "TIL therapy", "NK cell therapy", "gene therapy")


def plan_release(case: Case, numbering: Numbering) -> QcRelease:
    """Return the strategy of release.

    Args:
        case: The request as understood.
        numbering: Gives documents their numbers.
    """
    if not case.request.include_qc_release or case.is_refused:
        return _NOTHING
    early = case.stage < STAGES.index("preclinical")
    rows = _criteria(case)
    if not rows:
        reason = (
            f"No release tests or acceptance limits for this product ({_product(case)}) are "
            "available here; set them from your own lots."
        )
    elif early:
        reason = "No lot is released yet; these methods are prepared."
    else:
        reason = "Lots for patients or toxicology studies are released on these tests."
        if not _has_limits(rows):
            reason += " No acceptance limits are available here; set them from your own lots."
    return QcRelease(
        applies=not early,
        reason=reason,
        tests=[_test(row, numbering) for row in rows],
        potency_strategy=_potency(case, numbering),
        reference_standard=_standard(case, numbering),
        stability=_stability(case, numbering),
        comparability=_comparability(case, numbering),
        source_ids=[],
    )


def warn_of_gap(case: Case) -> list[str]:
    """Return a warning for limits of lots and for stability that the tables do not hold."""
    if not case.request.include_qc_release or case.is_refused:
        return []
    rows, product = _criteria(case), _product(case)
    warnings = []
    if not _has_limits(rows):
        tests = "tests are named without limits" if rows else "no release test is named"
        warnings.append(
            f"release_gap: the tables hold no acceptance limits for lots of this product "
            f"({product}), so {tests}; set limits from your toxicology and clinical lots."
        )
    if not _stability_rows(case):
        warnings.append(
            f"stability_gap: the tables hold no stability conditions for this product ({product}); "
            "set conditions and tests from your development data."
        )
    return warnings


def _has_limits(rows: Sequence[CriterionRow]) -> bool:
    """Return whether a criterion states a number."""
    return any(sign.isdigit() for row in rows for sign in row.criterion)


def _product(case: Case) -> str:
    return ", ".join(filter(None, (case.request.modality, case.variant)))


def _criteria(case: Case) -> list[CriterionRow]:
    """Return the attributes of a product's lots up to the plan's depth, at least qualified.

    A row holds for its own kinds of products alone: a kind without rows has no tests.
    """
    last = max(DEPTHS.index(case.depth), 1)
    rows: dict[str, CriterionRow] = {}
    for row in load_rows("criteria", CriterionRow):
        is_due = 0 < DEPTHS.index(row.depth) <= last
        if is_due and row.holds_for_lots_of(case.request.modality, case.variant):
            rows[row.parameter] = row
    return list(rows.values())


def _test(row: CriterionRow, numbering: Numbering) -> ReleaseTest:
    return ReleaseTest(
        attribute=row.parameter,
        method=row.design,
        criterion=row.criterion,
        from_stage="phase3" if row.depth == "validated" else "IND_enabling",
        basis=basis_of(row),
        source_ids=numbering.of_document(row.document),
    )


def _potency(case: Case, numbering: Numbering) -> str:
    if case.request.modality in _CELLS:
        mark = numbering.mark(["FDA Potency 2023", "FDA Potency 2011"])
        return (
            "A matrix of assays, each tied to a step of the mechanism: delivery or expression, "
            "recognition, effect. One assay of the effect is in release before the pivotal trial; "
            f"the guidance of 2023 is a draft, that of 2011 stands until it is final {mark}."
        )
    if case.request.modality == "small molecule":
        mark = numbering.mark(["ICH Q2(R2)"])
        return f"Content by the chromatographic assay stands for potency {mark}."
    mark = numbering.mark(["USP <1032>", "USP <1033>", "USP <1034>"])
    return (
        "A cell-based assay of the mechanism gives relative potency against the reference "
        f"standard; binding supports it and does not replace it {mark}."
    )


def _standard(case: Case, numbering: Numbering) -> str:
    if case.request.modality in _CELLS:
        return (
            "A control lot of the product, frozen in one use portions, and an assay control that "
            "outlives it; a new lot is bridged in 6 or more runs."
        )
    return (
        "A primary standard from a lot of toxicology or phase 1, a working standard calibrated "
        f"against it in 6 or more independent runs {numbering.mark(['ICH Q6B'])}."
    )


def _stability_rows(case: Case) -> list[StabilityRow]:
    """Return the conditions of a product; those of other products say nothing of it."""
    return [
        row
        for row in load_rows("stability", StabilityRow)
        if is_of_product(row.products, case.request.modality, case.variant)
    ]


def _stability(case: Case, numbering: Numbering) -> list[StabilityCondition]:
    return [
        StabilityCondition(
            condition=row.condition,
            months=[int(one) for one in parts(row.months)],
            tests=parts(row.tests),
            basis=basis_of(row),
            source_ids=numbering.of_document(row.document),
        )
        for row in _stability_rows(case)
    ]


def _comparability(case: Case, numbering: Numbering) -> str:
    mark = numbering.mark(["ICH Q5E"])
    if case.request.modality in _CELLS:
        return (
            "Split starting material through both processes where it can be had; equivalence "
            f"limits set before the runs, potency and identity first {mark}."
        )
    return (
        "Side by side with retained lots, extended characterization and forced degradation; "
        f"equivalence limits set before the runs {mark}."
    )
