"""From a product, its goal and stage to a plan of assays."""

from dataclasses import dataclass

from core.agents.assay_development.case import Case, understand
from core.agents.assay_development.field_evidence import FieldEvidence, read_evidence
from core.agents.assay_development.materials import list_controls, list_models
from core.agents.assay_development.numbering import Numbering
from core.agents.assay_development.package import CATEGORY_NAMES, Category, Package, choose
from core.agents.assay_development.planning import decide, list_risks, plan_weeks
from core.agents.assay_development.protocols import write_protocols
from core.agents.assay_development.records import AssayFormat, PackageEntry, ValidationPlan
from core.agents.assay_development.release import plan_release, warn_of_gap
from core.agents.assay_development.results import Uploaded, read_uploads
from core.agents.assay_development.schema import (
    AssayDevelopmentData,
    AssayDevelopmentRequest,
    RequestEcho,
)
from core.agents.assay_development.tables import CriterionTable, FormatTable
from core.agents.assay_development.validation import plan_validation
from core.agents.assay_development.wording import list_statements, summarize, tell_strategy
from core.briefs.records import Narrative
from core.evidence.proof.claims import unmark
from core.knowledge.assays.rows import parts
from core.workbench import RunContext

SURE, UNSURE, NOTHING = 60, 40, 20
"""Confidence of a plan: most of its rows are expert knowledge, so that none is above medium."""


def run(request: AssayDevelopmentRequest, context: RunContext) -> AssayDevelopmentData:
    """Run the agent.

    Raises:
        InvalidInput: An uploaded file cannot be read.
    """
    case = understand(request, context.resolver)
    uploaded = read_uploads(case, context)
    context.progress("Read request", 1, 1, case.target or request.modality)
    package = choose(case)
    context.progress("Choose assays", 1, 1, f"{len(package.chosen)} assays")
    evidence = read_evidence(case, context)
    numbering = Numbering(evidence.records)
    entries = [_entry(category, case, numbering) for category in package.categories]
    validation = plan_validation(package, case, numbering, uploaded.gcv)
    sizes = len(validation.sample_sizes)
    context.progress("Size experiments", 1, 1, f"{sizes} sample sizes")
    context.progress("Read evidence", 1, 1, f"{evidence.n_drugs} drugs on the target")
    data = _assemble(
        Plan(case, package, uploaded, evidence, entries, validation), numbering, context
    )
    context.progress("Write plan", 1, 1, f"{len(data.sources)} sources")
    return data


@dataclass(frozen=True)
class Plan:
    """What an answer is assembled from."""

    case: Case
    package: Package
    uploaded: Uploaded
    found: FieldEvidence
    entries: list[PackageEntry]
    validation: ValidationPlan


def _entry(category: Category, case: Case, numbering: Numbering) -> PackageEntry:
    return PackageEntry(
        category=CATEGORY_NAMES[category.key],
        rationale=f"{category.need.capitalize()}: {category.why}.",
        need=category.need,
        formats=[
            AssayFormat(
                name=choice.name,
                priority=choice.priority,
                stage=choice.row.from_stage,
                controls=[case.fill(control) for control in parts(choice.row.controls)],
                readouts=[case.fill(readout) for readout in parts(choice.row.readouts)],
                reasoning_trace=list(choice.reasons),
                key=choice.row.format,
                principle=case.fill(choice.row.principle),
                weeks=choice.row.weeks,
                source_ids=numbering.of_document(choice.row.document),
            )
            for choice in category.formats
        ],
        source_ids=[],
    )


def _assemble(plan: Plan, numbering: Numbering, context: RunContext) -> AssayDevelopmentData:
    """Return the answer; parts cite as they are made, the sources come last."""
    case, package, request = plan.case, plan.package, plan.case.request
    weeks, late = plan_weeks(package, case)
    sentences = summarize(package, case, weeks, plan.found, numbering)
    wants_protocols = request.include_protocol_skeletons
    fields = {
        "executive_summary": " ".join(sentences),
        "assay_strategy": tell_strategy(package, case, numbering, plan.uploaded.gcv),
        "recommended_assay_package": plan.entries,
        "protocol_skeletons": write_protocols(package, case, numbering) if wants_protocols else [],
        "validation_plan": plan.validation,
        "qc_release_strategy": plan_release(case, numbering),
        "context_used": [*case.used, *plan.uploaded.used],
        "controls_and_reagents": list_controls(package, case),
        "decision_framework": decide(package, case, numbering),
        "evidence": list_statements(package, case, plan.found, numbering),
        "model_systems": list_models(case) if package.chosen else [],
        "risks_and_mitigations": list_risks(package, case, numbering),
        "timeline": weeks,
        "file_results": list(plan.uploaded.results),
    }
    sources = numbering.sources()
    rows = [(entry, assay) for entry in plan.entries for assay in entry.formats]
    return AssayDevelopmentData.model_validate(
        fields
        | {
            "input": RequestEcho.model_validate(request.model_dump()),
            "as_of": context.now.date().isoformat(),
            "sources": sources,
            "confidence_score": _confidence(case, package),
            "format_table": FormatTable.of("format_table", rows),
            "criterion_table": CriterionTable.of("criterion_table", plan.validation.parameters),
            "narrative": Narrative(),
            "query_id": context.query_id,
            "run_uuid": context.run_uuid,
            "warnings": [
                unmark(warning)
                for warning in [
                    *plan.case.warnings,
                    *plan.package.warnings,
                    *warn_of_gap(plan.case),
                    *plan.uploaded.warnings,
                    *plan.found.warnings,
                    *late,
                ]
            ],
        }
    )


def _confidence(case: Case, package: Package) -> int:
    """Return how sure the plan is, 0 to 100; without a line for the target it is low."""
    if not package.chosen:
        return NOTHING
    needs_lines = any(chosen.row.is_on_target for chosen in package.chosen)
    return SURE if case.lines or not needs_lines else UNSURE
