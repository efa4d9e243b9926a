"""The sentences of a plan: summary, strategy, and the statements that it rests on."""

from collections.abc import Iterator

from core.agents.assay_development.case import Case
from core.agents.assay_development.field_evidence import MOST_CITED, FieldEvidence, count_measured
from core.agents.assay_development.numbering import Numbering
from core.agents.assay_development.package import CATEGORY_NAMES, Package
from core.agents.assay_development.records import AssayEvidence, TimelineStep
from core.agents.assay_development.validation import tell_share_out

DEPTH_WORDS = {
    "exploratory": "exploratory (n = 3 runs)",
    "qualified": "qualified",
    "validated": "validated",
}
NO_PLAN = "No assay is planned for this request."


def summarize(
    package: Package,
    case: Case,
    weeks: list[TimelineStep],
    evidence: FieldEvidence,
    mark: Numbering,
) -> list[str]:
    """Return the sentences of the summary."""
    if not package.chosen:
        return [NO_PLAN]
    request, n = case.request, len(package.chosen)
    kind = case.product_class or request.modality
    product = f"{case.target} {kind}".strip()
    goal = request.assay_goal.replace("_", " ")
    must = [
        CATEGORY_NAMES[category.key]
        for category in package.categories
        if category.need == "mandatory"
    ]
    first = package.chosen[0]
    cited = mark.mark([first.row.document]) if first.row.document else ""
    sentences = [
        f"{product}, {goal}: {n} {'assay' if n == 1 else 'assays'} in "
        f"{len(package.categories)} {'category' if len(package.categories) == 1 else 'categories'},"
        f" {weeks[-1].end_week} weeks with three at a time.",
        f"First: {first.name} {cited}".rstrip() + ".",
        f"Mandatory at this stage: {', '.join(must)}; each is {DEPTH_WORDS[case.depth]}."
        if must
        else f"Each assay is {DEPTH_WORDS[case.depth]}.",
    ]
    return [*sentences, *_say_lines(case), *_say_measured(case, evidence, mark)]


def _say_lines(case: Case) -> Iterator[str]:
    if case.lines:
        yield case.fill("Lines: {positive} with the target, {negative} without (expert).")


def _say_measured(case: Case, evidence: FieldEvidence, mark: Numbering) -> Iterator[str]:
    """Yield what trials on the target measured."""
    counts = count_measured(evidence)[:3]
    if not counts:
        return
    parts = []
    for kind, number in counts:
        ids = mark.of_records(evidence.measured[kind][:MOST_CITED])
        parts.append(f"{kind} in {number} " + "".join(f"[{record_id}]" for record_id in ids))
    yield (
        f"Of {evidence.n_trials} trials of {case.target} drugs that report endpoints, "
        f"{', '.join(parts)} are measured."
    )


def tell_strategy(package: Package, case: Case, mark: Numbering, measured: float | None) -> str:
    """Return why these assays, a paragraph a category and one on precision."""
    if not package.chosen:
        return NO_PLAN
    sentences = []
    for category in package.categories:
        names = ", ".join(each.name for each in category.formats)
        documents = dict.fromkeys(
            each.row.document for each in category.formats if each.row.document
        )
        cited = f" {mark.mark(documents)}" if documents else ""
        sentences.append(
            f"{CATEGORY_NAMES[category.key]} ({category.need}): {category.why}. {names}{cited}."
        )
    if any(chosen.row.context == "bioassay" for chosen in package.chosen):
        sentences.append(_say_precision(case, mark, measured))
    return "\n\n".join(sentences)


def _say_precision(case: Case, mark: Numbering, measured: float | None) -> str:
    gcv, share = tell_share_out(measured, case.depth)
    basis = "as uploaded" if measured else "assumed until own results are uploaded"
    return (
        f"Precision: with a geometric CV of {gcv:.1f} % ({basis}; geometric CV, not CV) a lot "
        f"of 100 % falls outside 70 to 143 % with probability {share:.2g} "
        f"{mark.mark(['USP <1033>'])}."
    )


def list_statements(
    package: Package, case: Case, evidence: FieldEvidence, mark: Numbering
) -> list[AssayEvidence]:
    """Return what the plan rests on: facts held, rules, assumptions."""
    statements = [
        AssayEvidence(
            statement=f"{number} trials of drugs on {case.target} measure {kind}.",
            kind="fact",
            supports=_supports(kind, package),
            source_ids=mark.of_records(evidence.measured[kind][:MOST_CITED]),
        )
        for kind, number in count_measured(evidence)
    ]
    for category in package.categories:
        statements.append(
            AssayEvidence(
                statement=f"{CATEGORY_NAMES[category.key]}: {category.why}.",
                kind="rule",
                supports=[each.name for each in category.formats],
                source_ids=[],
            )
        )
    if case.product_class and not case.details:
        statements.append(
            AssayEvidence(
                statement=f"The product is planned as {case.product_class}.",
                kind="assumption",
                supports=[chosen.name for chosen in package.chosen if chosen.row.product_classes],
                source_ids=[],
            )
        )
    return statements


_KINDS = {
    "exposure": "pharmacokinetics",
    "antidrug antibodies": "immunogenicity",
    "persistence of cells or vector": "pharmacokinetics",
    "cytokines": "safety",
    "circulating DNA": "biomarkers",
    "biomarkers": "biomarkers",
}


def _supports(kind: str, package: Package) -> list[str]:
    return [chosen.name for chosen in package.chosen if chosen.row.category == _KINDS[kind]]
