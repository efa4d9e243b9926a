"""The sections of the report: grids and pictures of the strategy."""

from core.agents.clinical_trial_design.columns import PRECEDENTS, VIEW
from core.agents.clinical_trial_design.pictures import (
    draw_grid,
    draw_scenarios,
    draw_schema,
)
from core.agents.clinical_trial_design.report_blocks import Row, capital, chart, grid
from core.agents.clinical_trial_design.report_statistics import list_statistics
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.briefs.columns import list_grid
from core.briefs.front import list_doubts
from core.briefs.report import make_front
from core.reports.document import Block, Bullets, Front, Heading, Paragraph
from core.reports.evidence_parts import marks, under

STRATEGY, SCHEMA, PATIENTS = "Strategy", "Trial schema", "Patients"
ENDPOINTS, COMPARATOR = "Endpoints", "Comparator"
SAFETY, OPERATIONS, PATHWAY = "Safety", "Feasibility", "Regulatory pathway and risks"
SCENARIOS, STEPS, PRECEDENT = "Scenarios", "Next steps", "Precedents"
COMPETITION = "Competing trials"
MOST_PRINTED = 25


def make_first(data: ClinicalTrialDesignData) -> Front:
    """Return what the answer opens with."""
    summary, size = data.executive_summary, data.statistical_design_recommendations.sample_size
    base = data.strategy_scenarios[0]
    months = base.months_to_readout
    n = f"{size.planned_total:,}" if size.planned_total else "Not sized"
    figures = (
        ("Precedents", f"{len(data.precedents):,}", "nearest, in the table"),
        (
            "Participants",
            n,
            f"by {size.planned_by}" if size.planned_total else "enter the missing input below",
        ),
        ("Months to readout", f"{months:.0f}" if months else "NR", "from the first patient"),
        ("Success", f"{base.success_probability.value:.0%}", "of this study, by rule"),
    )
    sentences = [summary.recommended_trial_strategy, summary.likely_regulatory_pathway]
    sentences += [one.text for one in data.claims[:1]]
    doubts = [f"confidence {summary.confidence} ({summary.confidence_score} of 100)"]
    doubts += list_doubts([], data.warnings, 0, 0)
    return make_front(sentences, figures, draw_grid(data), doubts)


def list_parts(data: ClinicalTrialDesignData) -> list[Block]:
    """Return the sections in reading order."""
    return [
        *_strategy(data),
        *_schema(data),
        *_patients(data),
        *_endpoints(data),
        *_comparator(data),
        *list_statistics(data),
        *_safety(data),
        *_operations(data),
        *_pathway(data),
        *_scenarios(data),
        *_steps(data),
        *under(PRECEDENT, list_grid(PRECEDENTS, VIEW, data.precedents, "Nearest", MOST_PRINTED)),
        *_competition(data),
    ]


def _strategy(data: ClinicalTrialDesignData) -> list[Block]:
    summary, design = data.executive_summary, data.recommended_trial_design
    return [
        Heading(STRATEGY),
        Paragraph(
            f"**{capital(design.design_type)}.** {capital(design.rationale)} "
            f"{marks(design.source_ids)}"
        ),
        Heading("Main risks", 2),
        Bullets(tuple(summary.major_design_risks) or ("No rule raised a risk.",)),
        Heading("Competition", 2),
        Bullets(tuple(summary.competitive_positioning_considerations)),
    ]


def _schema(data: ClinicalTrialDesignData) -> list[Block]:
    schema = data.proposed_trial_schema
    rows = [
        (one.name, one.role.replace("_", " "), one.regimen, one.n, marks(one.source_ids))
        for one in schema.arms
    ]
    periods = [(one.name, one.months) for one in schema.periods]
    lines = [f"Masking: {schema.blinding}"]
    if schema.randomization:
        lines.append(f"Stratified by: {'; '.join(schema.randomization.stratification)}")
    return [
        Heading(SCHEMA),
        draw_schema(data),
        Bullets(tuple(lines)),
        *grid(("Arm", "Role", "Regimen", "N", "Sources"), rows, "Arms"),
        *grid(("Period", "Months"), periods, "Periods"),
    ]


def _patients(data: ClinicalTrialDesignData) -> list[Block]:
    told = data.target_patient_population
    rows = [
        (kind, one.criterion, _percent(one.share), one.rationale, marks(one.source_ids))
        for kind, found in (("inclusion", told.inclusion), ("exclusion", told.exclusion))
        for one in found
    ]
    columns = ("Kind", "Criterion", "Precedents", "Why", "Sources")
    return [Heading(PATIENTS), Paragraph(told.summary), *grid(columns, rows, "Criteria")]


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"


def _endpoints(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            one.role.replace("_", " "),
            one.endpoint,
            one.timepoint,
            one.registered.n_precedents,
            one.acceptance.n_precedents,
            one.supports,
            one.rationale,
            marks(one.source_ids),
        )
        for one in data.endpoint_strategy
    ]
    columns = ("Role", "Endpoint", "Time", "Trials", "Labels", "Supports", "Why", "Sources")
    return under(ENDPOINTS, grid(columns, rows, "Primary in trials, reported in labels"))


def _comparator(data: ClinicalTrialDesignData) -> list[Block]:
    told = data.comparator_strategy
    care = [(one.regimen, one.setting, marks(one.source_ids)) for one in told.standard_of_care]
    others = [(one.comparator, one.when, one.tradeoff) for one in told.alternatives]
    margin = capital(told.non_inferiority.basis)
    text = f"**{capital(told.recommended)}.** {capital(told.rule)}. {margin}. "
    return [
        Heading(COMPARATOR),
        Paragraph(text + marks(told.source_ids)),
        *grid(("Regimen", "Setting", "Sources"), care, "Standard of care in this line"),
        *grid(("Alternative", "When", "Tradeoff"), others, "Alternatives"),
    ]


def _safety(data: ClinicalTrialDesignData) -> list[Block]:
    told = data.safety_monitoring_recommendations
    terms = [
        (one.term, _percent(one.share), one.n_labels, one.monitoring, marks(one.source_ids))
        for one in told.special_interest
    ]
    rules = [(one.event, one.rule) for one in told.stopping_rules]
    base = told.safety_database
    lines = [
        f"Monitoring committee: {'yes' if told.dmc.needed else 'not needed'}; {told.dmc.reason} "
        f"{marks(told.dmc.source_ids)}",
        f"{base.n:,} treated see events of {base.detectable_rate:.2%} or more with 95 %.",
    ]
    columns = ("Event", "Labels of the class", "Labels", "Monitoring", "Sources")
    return [
        Heading(SAFETY),
        Bullets(tuple(lines)),
        *grid(columns, terms, "Special interest"),
        *grid(("Event", "Rule"), rules, "Stopping rules"),
    ]


def _operations(data: ClinicalTrialDesignData) -> list[Block]:
    told = data.operational_feasibility_analysis
    rows: list[Row] = [
        (one.unit, one.low, one.median, one.high, one.n)
        for one in (
            told.sites,
            told.rate_per_site_month,
            data.statistical_design_recommendations.duration,
            data.statistical_design_recommendations.precedent_total,
            data.statistical_design_recommendations.dropout,
        )
    ]
    regions = [(one.region, _percent(one.share), one.n) for one in told.regions]
    months = f"{told.enrollment_months:g} months" if told.enrollment_months else "not reported"
    lines = [
        f"Recruitment: {months}, {told.index}; {told.competing_trials.count} competing trials.",
        *told.assumptions,
        *told.manufacturing_notes,
    ]
    columns = ("Of precedents", "Low", "Median", "High", "Trials")
    return [
        Heading(OPERATIONS),
        Bullets(tuple(lines)),
        *grid(columns, rows, "Quartiles of precedents"),
        *grid(("Sites in", "Share", "Trials"), regions, "Regions"),
    ]


def _pathway(data: ClinicalTrialDesignData) -> list[Block]:
    told = data.regulatory_pathway
    options = [
        (one.pathway, "yes" if one.fired else "no", one.trigger, one.consequence, one.document)
        for one in told.options
    ]
    risks = [
        (one.severity, one.risk, one.trigger, one.mitigation, marks(one.source_ids))
        for one in data.regulatory_risks
    ]
    columns = ("Pathway", "Fired", "Trigger", "Consequence", "Document")
    return [
        Heading(PATHWAY),
        Bullets(tuple(told.differences) or (f"{told.agency}: {told.likely}",)),
        *grid(("Severity", "Risk", "Trigger", "Mitigation", "Sources"), risks, "Risks"),
        *grid(columns, options, f"Pathways of {told.agency}"),
    ]


def _scenarios(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            one.name,
            one.design_type,
            one.primary_endpoint,
            one.n,
            one.months_to_readout,
            one.pathway,
            f"{one.success_probability.value:.0%} "
            f"({one.success_probability.low:.0%} to {one.success_probability.high:.0%})",
        )
        for one in data.strategy_scenarios
    ]
    columns = ("Way", "Design", "Endpoint", "N", "Months", "Pathway", "Success")
    steps = [
        (one.name, f"{one.success_probability.base:.0%}", _adjusted(one.success_probability))
        for one in data.strategy_scenarios
    ]
    how = grid(
        ("Way", "Base", "Adjustments (log-odds)"), steps, "How probability of success was estimated"
    )
    return under(
        SCENARIOS,
        [
            *chart(draw_scenarios(data)),
            *grid(columns, rows, "Three ways"),
            Bullets(
                tuple(
                    f"**{one.name.capitalize()}:** {'; '.join(one.tradeoffs)}."
                    for one in data.strategy_scenarios
                )
            ),
            *how,
            Paragraph(data.assumptions[-1]),
        ],
    )


def _adjusted(told: object) -> str:
    rows = getattr(told, "adjustments", ())
    return "; ".join(f"{one.name} {one.delta_logit:+g}" for one in rows) or "none"


def _steps(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (one.priority, one.step, one.why, one.timing, marks(one.source_ids))
        for one in data.recommended_next_steps
    ]
    columns = ("Priority", "Step", "Why", "When", "Sources")
    return under(STEPS, grid(columns, rows, "In order"))


def _competition(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            *(one.asset, one.phase, one.population, one.endpoint, one.comparator),
            *(one.sample_size, one.outcome, marks(one.source_ids)),
        )
        for one in data.competitive_trial_benchmarking
    ]
    columns = ("Drug", "Phase", "Patients", "Endpoint", "Control", "N", "Outcome", "Sources")
    return under(COMPETITION, grid(columns, rows, "Asked for, same mechanism, recruiting"))
