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
    sentences += [claim.text for claim in data.claims[:1]]
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
        Bullets(tuple(map(capital, summary.major_design_risks)) or ("None identified by rule.",)),
        Heading("Competition", 2),
        Bullets(tuple(summary.competitive_positioning_considerations)),
    ]


def _schema(data: ClinicalTrialDesignData) -> list[Block]:
    schema = data.proposed_trial_schema
    rows = [
        (arm.name, arm.role.replace("_", " "), arm.regimen, arm.n, marks(arm.source_ids))
        for arm in schema.arms
    ]
    periods = [(period.name, period.months) for period in schema.periods]
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
    population = data.target_patient_population
    rows = [
        (
            kind,
            criterion.criterion,
            _percent(criterion.share),
            criterion.rationale,
            marks(criterion.source_ids),
        )
        for kind, criteria in (
            ("inclusion", population.inclusion),
            ("exclusion", population.exclusion),
        )
        for criterion in criteria
    ]
    columns = ("Kind", "Criterion", "Precedents", "Why", "Sources")
    return [
        Heading(PATIENTS),
        Paragraph(population.summary),
        *grid(columns, rows, "Criteria"),
    ]


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"


def _endpoints(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            endpoint.role.replace("_", " "),
            endpoint.endpoint,
            endpoint.timepoint,
            endpoint.registered.n_precedents,
            endpoint.acceptance.n_precedents,
            endpoint.supports,
            endpoint.rationale,
            marks(endpoint.source_ids),
        )
        for endpoint in data.endpoint_strategy
    ]
    columns = ("Role", "Endpoint", "Time", "Trials", "Labels", "Supports", "Why", "Sources")
    return under(ENDPOINTS, grid(columns, rows, "Primary in trials, reported in labels"))


def _comparator(data: ClinicalTrialDesignData) -> list[Block]:
    comparator = data.comparator_strategy
    care = [
        (option.regimen, option.setting, marks(option.source_ids))
        for option in comparator.standard_of_care
    ]
    others = [
        (alternative.comparator, alternative.when, alternative.tradeoff)
        for alternative in comparator.alternatives
    ]
    margin = capital(comparator.non_inferiority.basis)
    text = f"**{capital(comparator.recommended)}.** {capital(comparator.rule)}. {margin}. "
    return [
        Heading(COMPARATOR),
        Paragraph(text + marks(comparator.source_ids)),
        *grid(("Regimen", "Setting", "Sources"), care, "Standard of care in this line"),
        *grid(("Alternative", "When", "Tradeoff"), others, "Alternatives"),
    ]


def _safety(data: ClinicalTrialDesignData) -> list[Block]:
    monitoring = data.safety_monitoring_recommendations
    terms = [
        (
            interest.term,
            _percent(interest.share),
            interest.n_labels,
            interest.monitoring,
            marks(interest.source_ids),
        )
        for interest in monitoring.special_interest
    ]
    rules = [(rule.event, rule.rule) for rule in monitoring.stopping_rules]
    base = monitoring.safety_database
    lines = [
        f"Monitoring committee: {'yes' if monitoring.dmc.needed else 'not needed'}; "
        f"{monitoring.dmc.reason} "
        f"{marks(monitoring.dmc.source_ids)}",
        f"{base.n:,} treated see events of {base.detectable_rate:.2%} or more with 95 %.",
        *([f"Expected: {base.expected}."] if base.expected else []),
    ]
    columns = ("Event", "Labels of the class", "Labels", "Monitoring", "Sources")
    return [
        Heading(SAFETY),
        Bullets(tuple(lines)),
        *grid(columns, terms, "Special interest"),
        *grid(("Event", "Rule"), rules, "Stopping rules"),
    ]


def _operations(data: ClinicalTrialDesignData) -> list[Block]:
    operations = data.operational_feasibility_analysis
    rows: list[Row] = [
        (spread.unit, spread.low, spread.median, spread.high, spread.n)
        for spread in (
            operations.sites,
            operations.rate_per_site_month,
            data.statistical_design_recommendations.duration,
            data.statistical_design_recommendations.precedent_total,
            data.statistical_design_recommendations.dropout,
        )
    ]
    regions = [(region.region, _percent(region.share), region.n) for region in operations.regions]
    months = (
        f"{operations.enrollment_months:g} months"
        if operations.enrollment_months
        else "not reported"
    )
    lines = [
        f"Recruitment: {months}, {operations.index}; {operations.competing_trials.count} "
        "competing trials.",
        *operations.assumptions,
        *operations.manufacturing_notes,
    ]
    columns = ("Of precedents", "Low", "Median", "High", "Trials")
    return [
        Heading(OPERATIONS),
        Bullets(tuple(lines)),
        *grid(columns, rows, "Quartiles of precedents"),
        *grid(("Sites in", "Share", "Trials"), regions, "Regions"),
    ]


def _pathway(data: ClinicalTrialDesignData) -> list[Block]:
    regulatory_pathway = data.regulatory_pathway
    options = [
        (
            option.pathway,
            "yes" if option.fired else "no",
            option.trigger,
            option.consequence,
            option.document,
        )
        for option in regulatory_pathway.options
    ]
    risks = [
        (risk.severity, risk.risk, risk.trigger, risk.mitigation, marks(risk.source_ids))
        for risk in data.regulatory_risks
    ]
    columns = ("Pathway", "Fired", "Trigger", "Consequence", "Document")
    return [
        Heading(PATHWAY),
        Bullets(
            tuple(regulatory_pathway.differences)
            or (f"{regulatory_pathway.agency}: {regulatory_pathway.likely}",)
        ),
        *grid(("Severity", "Risk", "Trigger", "Mitigation", "Sources"), risks, "Risks"),
        *grid(columns, options, f"Pathways of {regulatory_pathway.agency}"),
        *_expectations(data),
    ]


def _expectations(data: ClinicalTrialDesignData) -> list[Block]:
    """Return what agencies accept in the setting, with the guidances that govern it."""
    rows: list[Row] = [
        (
            expectation.agency,
            expectation.endpoint
            + (f"; {expectation.co_endpoint}" if expectation.co_endpoint else ""),
            expectation.control,
            expectation.comparison.replace("_", "-")
            + (f", margin {expectation.margin:g}" if expectation.margin else ""),
            f"{expectation.size_range[0]:,} to {expectation.size_range[1]:,}",
            expectation.safety_database or "ICH E1",
        )
        for expectation in data.regulatory_expectations
    ]
    guidances = {
        (guidance.title, guidance.status, guidance.published_on, f"FR Doc. {guidance.document}")
        for expectation in data.regulatory_expectations
        for guidance in expectation.guidances
    }
    columns = ("Agency", "Primary endpoint", "Control", "Aim", "Pivotal N", "Safety database")
    return [
        *grid(columns, rows, "What agencies accept in this setting"),
        *grid(("Guidance", "Status", "Date", "Notice"), sorted(guidances), "Guidances (FDA)"),
    ]


def _scenarios(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            scenario.name,
            scenario.design_type,
            scenario.primary_endpoint,
            scenario.n,
            scenario.months_to_readout,
            scenario.pathway,
            f"{scenario.success_probability.value:.0%} "
            f"({scenario.success_probability.low:.0%} to {scenario.success_probability.high:.0%})",
        )
        for scenario in data.strategy_scenarios
    ]
    columns = ("Scenario", "Design", "Endpoint", "N", "Months", "Pathway", "Success")
    steps = [
        (
            scenario.name,
            f"{scenario.success_probability.base:.0%}",
            _adjusted(scenario.success_probability),
        )
        for scenario in data.strategy_scenarios
    ]
    how = grid(
        ("Scenario", "Base", "Adjustments (log-odds)"),
        steps,
        "How probability of success was estimated",
    )
    return under(
        SCENARIOS,
        [
            *chart(draw_scenarios(data)),
            *grid(columns, rows, "Scenarios side by side"),
            Bullets(
                tuple(
                    f"**{scenario.name.capitalize()}:** {'; '.join(scenario.tradeoffs)}."
                    for scenario in data.strategy_scenarios
                )
            ),
            *how,
            Paragraph(data.assumptions[-1]),
        ],
    )


def _adjusted(value: object) -> str:
    rows = getattr(value, "adjustments", ())
    return "; ".join(f"{row.name} {row.delta_logit:+g}" for row in rows) or "none"


def _steps(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (step.priority, step.step, step.why, step.timing, marks(step.source_ids))
        for step in data.recommended_next_steps
    ]
    columns = ("Priority", "Step", "Why", "When", "Sources")
    return under(STEPS, grid(columns, rows, "In order"))


def _competition(data: ClinicalTrialDesignData) -> list[Block]:
    rows = [
        (
            *(
                benchmark.asset,
                benchmark.phase,
                benchmark.population,
                benchmark.endpoint,
                benchmark.comparator,
            ),
            *(benchmark.sample_size, benchmark.outcome, marks(benchmark.source_ids)),
        )
        for benchmark in data.competitive_trial_benchmarking
    ]
    columns = ("Drug", "Phase", "Patients", "Endpoint", "Control", "N", "Outcome", "Sources")
    return under(
        COMPETITION, grid(columns, rows, "Named in the request, same mechanism, recruiting")
    )
