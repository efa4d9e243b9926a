"""Release of lots: tests with limits, potency, reference standard, stability, comparability."""

from core.agents.assay_development.case import STAGES, Case
from core.agents.assay_development.numbering import Numbering, basis_of
from core.agents.assay_development.records import (
    QcRelease,
    ReleaseTest,
    StabilityCondition,
)
from core.knowledge.assays.rows import (
    LimitType,
    PotencyRow,
    ReleaseAttributeRow,
    StabilityRow,
    parts,
)
from core.vocabulary.tables import load_rows

POTENCY = "Potency"
FIRST_LOTS = "IND_enabling"
"""Stage whose attributes earlier plans prepare."""
_CELLS = ("CAR-T", "TCR-T", "TIL therapy", "NK cell therapy", "gene therapy")
_KINDS = ("general", "identity", "content", "purity", "impurity", "safety")


def plan_release(case: Case, numbering: Numbering) -> QcRelease:
    """Return the strategy of release."""
    if reason := _why_not(case):
        return QcRelease(
            applies=False,
            reason=reason,
            tests=[],
            potency_strategy="",
            reference_standard="",
            stability=[],
            comparability="",
            source_ids=[],
        )
    early = case.stage < STAGES.index("preclinical")
    if not case.product_class:
        reason = (
            "The class of this product is not known, so no release attributes are proposed; state "
            "its format."
        )
    elif early:
        reason = "No lot is released yet; these methods are prepared."
    else:
        reason = "Lots for patients or toxicology studies are released on these tests."
    return QcRelease(
        applies=not early,
        reason=reason,
        tests=list_release_tests(case, numbering),
        potency_strategy=_potency(case, numbering),
        reference_standard=_standard(case, numbering),
        stability=[
            StabilityCondition(
                condition=row.condition,
                months=[int(month) for month in parts(row.months)],
                tests=parts(row.tests),
                basis=basis_of(row),
                source_ids=numbering.of_document(row.document),
            )
            for row in _stability_rows(case)
        ],
        comparability=_comparability(case, numbering),
        source_ids=[],
    )


def _why_not(case: Case) -> str:
    """Return why no release is planned; "" where it is."""
    if not case.request.include_qc_release or case.is_refused:
        return "The request leaves release out."
    if case.request.assay_goal == "translational_biomarkers":
        return "Biomarker assays measure patients, not lots; ask for CMC release to plan release."
    return ""


def warn_of_gap(case: Case) -> list[str]:
    """Return a warning where the tables hold no release attributes or no stability conditions."""
    if _why_not(case):
        return []
    warnings = []
    product = case.product_class or case.request.modality
    if not _attributes(case):
        warnings.append(
            f"release_gap: no release attributes are available for this product ({product}); set "
            "tests and limits from your toxicology and clinical lots."
        )
    if not _stability_rows(case):
        warnings.append(
            f"stability_gap: no stability conditions are available for this product ({product}); "
            "set conditions and tests from your development data."
        )
    return warnings


def list_release_tests(case: Case, numbering: Numbering) -> list[ReleaseTest]:
    """Return the attributes of a product class that are due, with potency after content."""
    rows = _attributes(case)
    index = sum(row.kind in _KINDS[:3] for row in rows)
    tests = [_test(row, row.attribute, row.method, row.limit_type, numbering) for row in rows]
    for row in _potency_rows(case, _last_stage(case))[-1:]:
        limit: LimitType = "minimum" if "lower" in row.criterion else "range"
        potency = _test(row, POTENCY, row.measure, limit, numbering)
        contents = [place for place, content in enumerate(rows) if content.kind == "content"]
        for place in contents:  # one specification for what is measured once
            if row.measure.startswith("content"):
                criterion = f"as specified for {tests[contents[0]].attribute}"
                potency = potency.model_copy(update={"criterion": criterion})
            elif rows[place].attribute.casefold() in row.measure.casefold():
                update = {"criterion": f"as specified for {POTENCY}"}
                tests[place] = tests[place].model_copy(update=update)
        tests.insert(index, potency)
    return tests


def _last_stage(case: Case) -> int:
    """Return the stage whose attributes are due; plans before the first lots prepare theirs."""
    return max(case.stage, STAGES.index(FIRST_LOTS))


def _attributes(case: Case) -> list[ReleaseAttributeRow]:
    """Return the attributes of product class and dosage form that are due, by what they answer.

    An attribute has one specification: that of the dosage form where it sets its own.
    """
    forms = {form.dosage_form for form in case.dosage_forms}
    dropped = {name for form in case.dosage_forms for name in parts(form.drops)}
    rows: dict[str, ReleaseAttributeRow] = {}
    for row in load_rows("release_attributes", ReleaseAttributeRow):
        of_form = bool(forms & {*parts(row.dosage_forms)})
        fits = of_form if row.dosage_forms else row.attribute not in dropped
        is_due = STAGES.index(row.from_stage) <= _last_stage(case)
        if fits and is_due and case.product_class in parts(row.product_classes):
            known = rows.get(row.attribute.casefold())
            if known is None or of_form:
                rows[row.attribute.casefold()] = row
    return sorted(rows.values(), key=lambda row: _KINDS.index(row.kind))


def _potency_rows(case: Case, last: int) -> list[PotencyRow]:
    """Return what is expected of the potency test up to a stage, earlier expectations first."""
    rows = [
        row
        for row in load_rows("potency_expectations", PotencyRow)
        if case.product_class in parts(row.product_classes) and STAGES.index(row.from_stage) <= last
    ]
    return sorted(rows, key=lambda row: STAGES.index(row.from_stage))


def _test(
    row: ReleaseAttributeRow | PotencyRow,
    attribute: str,
    method: str,
    limit_type: LimitType,
    numbering: Numbering,
) -> ReleaseTest:
    return ReleaseTest(
        attribute=attribute,
        method=method,
        criterion=row.criterion,
        limit_type=limit_type,
        from_stage=row.from_stage,
        basis=basis_of(row),
        source_ids=numbering.of_document(row.document),
    )


def _potency(case: Case, numbering: Numbering) -> str:
    """Return what the potency test measures now and from which later stage it has to do more."""
    rows = _potency_rows(case, len(STAGES))
    if not rows:
        mark = numbering.mark(["USP <1032>"])
        return f"An assay of the mechanism gives relative potency against a reference {mark}."
    due = [row for row in rows if STAGES.index(row.from_stage) <= _last_stage(case)]
    attributes = []
    for row in rows[max(len(due) - 1, 0) :]:
        mark = f" {numbering.mark([row.document])}" if row.document else ""
        when = "" if row in due else f"From {row.from_stage.replace('phase', 'phase ')}: "
        text = (
            row.expectation if not when else f"{row.expectation[:1].lower()}{row.expectation[1:]}"
        )
        attributes.append(f"{when}{text.rstrip('.')}{mark}.")
    if any(row.document == "FDA Potency 2023" for row in rows):
        mark = numbering.mark(["FDA Potency 2023", "FDA Potency 2011"])
        attributes.append(
            f"The guidance of 2023 is a draft; that of 2011 stands until it is final {mark}."
        )
    return " ".join(attributes)


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
        if case.product_class in parts(row.product_classes)
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
