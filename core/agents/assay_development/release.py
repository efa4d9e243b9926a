"""Release of lots: tests with limits, potency, reference standard, stability, comparability."""

from core.agents.assay_development.case import DEPTHS, STAGES, Case
from core.agents.assay_development.numbering import Numbering, basis_of
from core.agents.assay_development.records import QcRelease, ReleaseTest, StabilityCondition
from core.knowledge.assays.rows import CriterionRow, StabilityRow, holds_for, parts
from core.vocabulary.tables import load_rows

_PRODUCT = {
    "CAR-T": "cell_product",
    "TCR-T": "cell_product",
    "TIL therapy": "cell_product",
    "NK cell therapy": "cell_product",
    "gene therapy": "aav_product",
    "ADC": "adc_product",
    "RNA therapy": "rna_product",
    "vaccine": "vaccine_product",
}
_PARTICLE = ("mrna", "in vivo")
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
    reason = (
        "No lot is released yet; these methods are prepared."
        if early
        else "Lots for patients or toxicology are released on these tests."
    )
    return QcRelease(
        applies=not early,
        reason=reason,
        tests=[_test(row, numbering) for row in _criteria(case)],
        potency_strategy=_potency(case, numbering),
        reference_standard=_standard(case, numbering),
        stability=_stability(case, numbering),
        comparability=_comparability(case, numbering),
        source_ids=[],
    )


def _context(case: Case) -> str:
    if case.variant in _PARTICLE:
        return "rna_product"
    if case.variant == "lentiviral":
        return "cell_product"
    return _PRODUCT.get(case.request.modality, "release")


def _criteria(case: Case) -> list[CriterionRow]:
    """Return the criteria of a product's lots up to the plan's depth, those of release at least."""
    context, last = _context(case), max(DEPTHS.index(case.depth), 1)
    rows: dict[str, CriterionRow] = {}
    for row in load_rows("criteria", CriterionRow):
        if row.context == context and 0 < DEPTHS.index(row.depth) <= last:
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


def _stability(case: Case, numbering: Numbering) -> list[StabilityCondition]:
    return [
        StabilityCondition(
            condition=row.condition,
            months=[int(one) for one in parts(row.months)],
            tests=parts(row.tests),
            basis=basis_of(row),
            source_ids=numbering.of_document(row.document),
        )
        for row in load_rows("stability", StabilityRow)
        if holds_for(row.modalities, case.request.modality)
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
