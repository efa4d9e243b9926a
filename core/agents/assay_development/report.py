"""The report of a plan: package, criteria, sizes, protocols, release, weeks, risks, sources."""

from collections.abc import Sequence

from core.agents.assay_development.plate_chart import draw_plate
from core.agents.assay_development.records import PackageEntry, ProtocolSkeleton
from core.agents.assay_development.schema import AssayDevelopmentData
from core.agents.assay_development.tables import CRITERIA, FORMAT_VIEW, FORMATS
from core.agents.assay_development.week_chart import draw_weeks
from core.briefs.columns import list_all, list_grid
from core.briefs.report import METHOD, make_document, make_front
from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import marks, under

PACKAGE, CRITERIA_HEAD, SIZES = "Assays by category", "Acceptance criteria", "Sample sizes"
PROTOCOLS, RELEASE, RISKS = "Protocol skeletons", "Release and stability", "Risks"
WEEKS = "Timeline"
MATERIALS, GATES, RESULTS = "Controls, reagents and models", "Gates", "Uploaded results"
EXPERT = (
    "Criteria marked “expert” reflect common practice and have not been checked against a source. "
    "Verify them against the named documents before use."
)
MOST_CRITERIA = 60
MOST_PROTOCOLS = 12


def compose(data: AssayDevelopmentData, tables: TableReader, about: About) -> Document:
    """Compose the report of a plan."""
    front = make_front(
        _sentences(data.executive_summary),
        _figures(data),
        draw_weeks(data.timeline),
        _doubts(data),
    )
    blocks: list[Block] = [
        *_list_package(data),
        *under(RESULTS, _list_results(data)),
        *_list_criteria(data),
        *under(SIZES, _list_sizes(data)),
        *under(MATERIALS, _list_materials(data)),
        *under(RELEASE, _list_release(data)),
        *under(WEEKS, _list_weeks(data)),
        *under(GATES, _list_gates(data)),
        *under(RISKS, _list_risks(data)),
        *under(PROTOCOLS, _list_protocols(data)),
        Heading(METHOD),
        *_list_method(data),
    ]
    return make_document(data, tables, about, front=front, blocks=blocks)


def _sentences(text: str) -> list[str]:
    """Return the sentences of the summary."""
    return [f"{sentence.rstrip('.')}." for sentence in text.split(". ") if sentence]


def _figures(data: AssayDevelopmentData) -> tuple[tuple[str, str, str], ...]:
    formats = [assay for entry in data.recommended_assay_package for assay in entry.formats]
    must = [entry for entry in data.recommended_assay_package if entry.need == "mandatory"]
    weeks = max((step.end_week for step in data.timeline), default=0)
    criteria = data.validation_plan.parameters
    opened = sum(parameter.basis != "expert" for parameter in criteria)
    return (
        ("Assays", f"{len(formats)}", "in the package"),
        ("Mandatory categories", f"{len(must)}", "by goal and stage"),
        ("Weeks", f"{weeks}", "three assays in parallel"),
        (
            "Criteria read at source",
            f"{opened} of {len(criteria)}",
            "the rest from expert practice",
        ),
    )


def _doubts(data: AssayDevelopmentData) -> list[str]:
    criteria = data.validation_plan.parameters
    expert = sum(parameter.basis == "expert" for parameter in criteria)
    assumed = sum(siz.basis == "assumption" for siz in data.validation_plan.sample_sizes)
    doubts = [f"{expert} of {len(criteria)} criteria are expert knowledge"] if expert else []
    return doubts + ([f"{assumed} sample sizes assume a precision"] if assumed else [])


def _list_package(data: AssayDevelopmentData) -> list[Block]:
    rows = [(entry, assay) for entry in data.recommended_assay_package for assay in entry.formats]
    grid = list_grid(FORMATS, FORMAT_VIEW, rows, PACKAGE)
    blocks: Sequence[Block] = grid or [Paragraph(data.executive_summary)]
    return [
        Heading(PACKAGE),
        *blocks,
        Heading("Why these", 2),
        *(Paragraph(paragraph) for paragraph in data.assay_strategy.split("\n\n")),
    ]


def _list_results(data: AssayDevelopmentData) -> list[Block]:
    rows = tuple(
        (
            result.file,
            result.sample,
            result.n,
            _shown(result.midpoint),
            _shown(result.relative_potency),
            result.verdict,
        )
        for result in data.file_results
    )
    head = ("File", "Sample", "Results", "Midpoint", "Relative potency, %", "Verdict")
    return [Grid(head, rows, "Fits of uploaded results")] if rows else []


def _shown(value: float | None) -> str | None:
    return None if value is None else f"{value:.4g}"


def _list_criteria(data: AssayDevelopmentData) -> list[Block]:
    parameters = data.validation_plan.parameters
    grid = list_all(CRITERIA, parameters, "Limits by assay", most=MOST_CRITERIA)
    note = (
        [Paragraph(EXPERT)] if any(parameter.basis == "expert" for parameter in parameters) else []
    )
    return under(CRITERIA_HEAD, [*grid, *note])


def _list_sizes(data: AssayDevelopmentData) -> list[Block]:
    rows = tuple(
        (
            siz.assay,
            siz.purpose,
            siz.n,
            ", ".join(f"{name} {value:g}" for name, value in siz.inputs.items()),
            siz.basis,
        )
        for siz in data.validation_plan.sample_sizes
    )
    formulas = dict.fromkeys(siz.formula for siz in data.validation_plan.sample_sizes)
    grid = Grid(
        ("Assay", "Purpose", "n", "Inputs", "Inputs are"), rows, "Sample size by assay and purpose"
    )
    return [grid, Bullets(tuple(formulas))] if rows else []


def _list_materials(data: AssayDevelopmentData) -> list[Block]:
    controls = tuple(
        (reagent.name, reagent.kind.replace("_", " "), len(reagent.assays), reagent.qualification)
        for reagent in data.controls_and_reagents
    )
    models = tuple(
        (system.name, system.fit_for, system.limits, system.basis) for system in data.model_systems
    )
    blocks: list[Block] = []
    if controls:
        head = ("Control or reagent", "Kind", "Assays", "Qualification")
        blocks.append(Grid(head, controls, "Controls and critical reagents", most=40))
    if models:
        blocks.append(Grid(("Model", "For", "Limits", "Basis"), models, "Model systems"))
    return blocks


def _list_release(data: AssayDevelopmentData) -> list[Block]:
    plan = data.qc_release_strategy
    if not plan.tests and not plan.applies:
        return []
    tests = tuple(
        (
            test.attribute,
            test.method,
            test.criterion,
            test.from_stage.replace("_", " ").replace("phase", "phase "),
            test.basis,
            marks(test.source_ids),
        )
        for test in plan.tests
    )
    stability = tuple(
        (
            condition.condition,
            ", ".join(map(str, condition.months)),
            ", ".join(condition.tests),
            condition.basis,
        )
        for condition in plan.stability
    )
    return [
        Paragraph(plan.reason),
        Grid(
            ("Attribute", "Method", "Criterion", "From stage", "Basis", "Sources"),
            tests,
            "Tests of a lot",
        ),
        Paragraph(f"**Potency.** {plan.potency_strategy}"),
        Paragraph(f"**Reference standard.** {plan.reference_standard}"),
        Paragraph(f"**Comparability.** {plan.comparability}"),
        Grid(("Condition", "Months", "Tests", "Basis"), stability, "Stability"),
    ]


def _list_weeks(data: AssayDevelopmentData) -> list[Block]:
    rows = tuple(
        (step.activity, step.start_week, step.end_week, "; ".join(step.depends_on))
        for step in data.timeline
    )
    return (
        [Grid(("Activity", "From week", "To week", "After"), rows, "Activities by week")]
        if rows
        else []
    )


def _list_gates(data: AssayDevelopmentData) -> list[Block]:
    rows = tuple(
        (
            gate.gate,
            gate.question,
            criterion.metric,
            criterion.go,
            criterion.no_go,
            gate.if_between,
            criterion.basis,
        )
        for gate in data.decision_framework.gates
        for criterion in gate.criteria
    )
    head = ("Gate", "Question", "Metric", "Go", "No go", "Between", "Basis")
    return [Grid(head, rows, "Go and no-go criteria")] if rows else []


def _list_risks(data: AssayDevelopmentData) -> list[Block]:
    rows = tuple(
        (
            mitigation.risk,
            mitigation.severity,
            mitigation.likelihood,
            mitigation.mitigation,
            mitigation.early_sign,
        )
        for mitigation in data.risks_and_mitigations
    )
    head = ("Risk", "Severity", "Likelihood", "Mitigation", "Early sign")
    return [Grid(head, rows, "By severity")] if rows else []


def _list_protocols(data: AssayDevelopmentData) -> list[Block]:
    """List the skeletons: steps, suitability, plate, reduction."""
    blocks: list[Block] = []
    drawn: dict[str, str] = {}
    for skeleton in data.protocol_skeletons[:MOST_PROTOCOLS]:
        steps = [f"{step.n}. {step.action}" for step in skeleton.steps]
        limits = [f"{each.parameter}: {each.criterion}" for each in skeleton.system_suitability]
        blocks += [
            Heading(skeleton.assay, 2),
            Paragraph(
                f"{skeleton.principle[:1].upper()}{skeleton.principle[1:]}. "
                f"Reduction: {skeleton.data_reduction.model}, weighting "
                f"{skeleton.data_reduction.weighting}; {skeleton.layout.replicates} replicates."
            ),
            Bullets((*steps, *(f"Suitability: {limit}" for limit in limits))),
            *_lay_out(skeleton, drawn),
        ]
    left = len(data.protocol_skeletons) - MOST_PROTOCOLS
    if left > 0:
        blocks.append(Paragraph(f"{left} more protocols are files of this run."))
    return blocks


def _lay_out(skeleton: ProtocolSkeleton, drawn: dict[str, str]) -> list[Block]:
    """Return the plate of a protocol, drawn once for all protocols that use it."""
    layout, chart = skeleton.layout, draw_plate(skeleton.layout, skeleton.assay)
    if chart is None:
        return [Paragraph(f"Order: {layout.order}.")] if layout.order else []
    key = layout.model_dump_json()
    if key in drawn:
        return [Paragraph(f"Plate layout as for {drawn[key]}.")]
    drawn[key] = skeleton.assay
    return [chart]


def _list_method(data: AssayDevelopmentData) -> list[Block]:
    used = tuple((context.input, context.value, context.effect) for context in data.context_used)
    documents = tuple(
        (
            document.id,
            document.title,
            document.status,
            document.opened_on or "not opened",
            marks(document.source_ids),
        )
        for document in data.validation_plan.documents
    )
    statements = tuple(
        f"{statement.statement} {marks(statement.source_ids)}".strip()
        for statement in data.evidence
    )
    blocks: list[Block] = [Bullets(statements)] if statements else []
    if used:
        blocks.append(Grid(("Input", "Value", "Effect"), used, "Inputs that changed the plan"))
    if documents:
        head = ("Document", "Title", "Status", "Opened on", "Sources")
        blocks.append(Grid(head, documents, "Documents that the plan follows"))
    return [*blocks, *_list_traces(data.recommended_assay_package)]


def _list_traces(package: Sequence[PackageEntry]) -> list[Block]:
    rows = tuple(
        (assay.name, "; ".join(assay.reasoning_trace))
        for entry in package
        for assay in entry.formats
    )
    return [Grid(("Assay", "Why it was chosen"), rows, "Rules, rows and documents")] if rows else []
