"""The report of a run: the strategy, section by section, with its pictures."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from core.agents.clinical_trial_design.case import count
from core.agents.clinical_trial_design.columns import PRECEDENTS, VIEW
from core.agents.clinical_trial_design.pictures import (
    draw_grid,
    draw_looks,
    draw_scenarios,
    draw_schema,
)
from core.agents.clinical_trial_design.records import NumberRange, Statistics
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.briefs.columns import list_grid
from core.briefs.report import compose_report, list_doubts, make_front
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import marks, under

STRATEGY, SCHEMA, PATIENTS = "Strategy", "Trial schema", "Patients"
ENDPOINTS, COMPARATOR = "Endpoints", "Comparator"
STATISTICS, SIZE = "Statistics", "Sample size"
SAFETY, OPERATIONS, PATHWAY = "Safety", "Feasibility", "Regulatory pathway and risks"
SCENARIOS, STEPS, PRECEDENT = "Scenarios", "Next steps", "Precedents"
COMPETITION = "Competing trials"
MOST_PRINTED = 25
WHOLE = 1000
"""Figures from which a quartile is shown whole."""
DECK = (
    *(ENDPOINTS, COMPARATOR, SIZE, SCHEMA, STATISTICS, PATIENTS),
    *("Competition", OPERATIONS, "Risks", SCENARIOS, STEPS),
)
"""Headings that become slides: what is measured, against what, with how many, and what may fail."""
_ENDPOINT = {
    **{"Role": "role", "Endpoint": "endpoint", "Time": "timepoint"},
    **{"Trials": "registered.n_precedents", "Labels": "acceptance.n_precedents"},
    **{"Supports": "supports", "Why": "rationale", "Sources": "source_ids"},
}
_STEP = {
    **{"Priority": "priority", "Step": "step", "Why": "why", "When": "timing"},
    "Sources": "source_ids",
}
_BENCHMARK = {
    **{"Drug": "asset", "Phase": "phase", "Patients": "population", "Endpoint": "endpoint"},
    **{"Control": "comparator", "N": "sample_size", "Outcome": "outcome"},
    "Sources": "source_ids",
}
Cell = str | float | int | None


def compose(data: ClinicalTrialDesignData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    document = compose_report(
        data, tables, about, front=_make_front(data), own_blocks=_list_parts(data)
    )
    return replace(document, deck=DECK)


def _make_front(data: ClinicalTrialDesignData) -> Front:
    """Return what the answer opens with."""
    summary, size = data.executive_summary, data.statistical_design_recommendations.sample_size
    base = data.strategy_scenarios[0]
    months, n = base.months_to_readout, size.planned_total
    figures = (
        ("Precedents", f"{len(data.precedents):,}", "nearest, in the table"),
        (
            "Participants",
            f"{n:,}" if n else "Not sized",
            f"by {size.planned_by}" if n else "enter the missing input below",
        ),
        ("Months to readout", f"{months:.0f}" if months else "NR", "from the first patient"),
        ("Success", f"{base.success_probability.value:.0%}", "of this study, by rule"),
    )
    sentences = [summary.recommended_trial_strategy, summary.likely_regulatory_pathway]
    sentences += [claim.text for claim in data.claims[:1]]
    doubts = [f"confidence {summary.confidence} ({summary.confidence_score} of 100)"]
    doubts += list_doubts([], data.warnings, 0, 0)
    return make_front(sentences, figures, draw_grid(data), doubts)


def _list_parts(data: ClinicalTrialDesignData) -> list[Block]:
    """Return the sections in reading order."""
    return [
        *_strategy(data),
        *_schema(data),
        *_patients(data),
        *under(
            ENDPOINTS,
            _list("Primary in trials, reported in labels", data.endpoint_strategy, _ENDPOINT),
        ),
        *_comparator(data),
        *list_statistics(data),
        *_safety(data),
        *_operations(data),
        *_pathway(data),
        *_scenarios(data),
        *under(STEPS, _list("In order", data.recommended_next_steps, _STEP)),
        *under(PRECEDENT, list_grid(PRECEDENTS, VIEW, data.precedents, "Nearest", MOST_PRINTED)),
        *under(
            COMPETITION,
            _list(
                "Named in the request, same mechanism, recruiting",
                data.competitive_trial_benchmarking,
                _BENCHMARK,
            ),
        ),
    ]


def _list(caption: str, records: Sequence[object], columns: Mapping[str, str]) -> list[Block]:
    """Return records as a grid; nothing without records.

    Args:
        caption: Of the grid.
        records: One a line.
        columns: Headings with the field that each shows.
    """
    rows = [[_show(record, name) for name in columns.values()] for record in records]
    return _grid(tuple(columns), rows, caption)


def _show(record: object, name: str) -> Cell:
    """Return a field as a grid shows it."""
    value = record[name] if isinstance(record, dict) else attrgetter(name)(record)
    if name == "source_ids":
        return marks(value)
    if name == "share":
        return None if value is None else f"{value:.0%}"
    if name == "role":
        return str(value).replace("_", " ")
    shown: Cell = value if not isinstance(value, bool) else "yes" if value else "no"
    return shown


def _grid(columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str) -> list[Block]:
    """Return a grid; nothing without rows. A column of whole numbers shows no decimals."""
    if not rows:
        return []
    is_whole = [
        all(
            cell is None or (isinstance(cell, int | float) and float(cell).is_integer())
            for cell in column
        )
        for column in zip(*rows, strict=True)
    ]
    cells = (
        tuple(
            int(cell) if plain and isinstance(cell, float) else cell
            for plain, cell in zip(is_whole, row, strict=True)
        )
        for row in rows
    )
    return [Grid(tuple(columns), tuple(cells), caption)]


def _chart(chart: Chart | None) -> list[Block]:
    return [chart] if chart else []


def _capital(text: str) -> str:
    """Return a sentence with a capital first; a symbol such as z or r stays as it is.

    >>> _capital("level reached"), _capital("z at the look"), _capital("p0")
    ('Level reached', 'z at the look', 'p0')
    """
    is_symbol = re.match(r"[a-z]\d?\b", text) is not None
    return text if is_symbol else text[:1].upper() + text[1:]


def _strategy(data: ClinicalTrialDesignData) -> list[Block]:
    summary, design = data.executive_summary, data.recommended_trial_design
    return [
        Heading(STRATEGY),
        Paragraph(
            f"**{_capital(design.design_type)}.** {_capital(design.rationale)} "
            f"{marks(design.source_ids)}"
        ),
        Heading("Main risks", 2),
        Bullets(tuple(map(_capital, summary.major_design_risks)) or ("None identified by rule.",)),
        Heading("Competition", 2),
        Bullets(tuple(summary.competitive_positioning_considerations)),
    ]


def _schema(data: ClinicalTrialDesignData) -> list[Block]:
    schema = data.proposed_trial_schema
    lines = [f"Masking: {schema.blinding}"]
    if schema.randomization:
        lines.append(f"Stratified by: {'; '.join(schema.randomization.stratification)}")
    columns = {"Arm": "name", "Role": "role", "Regimen": "regimen", "N": "n"}
    return [
        Heading(SCHEMA),
        draw_schema(data),
        Bullets(tuple(lines)),
        *_list("Arms", schema.arms, columns | {"Sources": "source_ids"}),
        *_list("Periods", schema.periods, {"Period": "name", "Months": "months"}),
    ]


def _patients(data: ClinicalTrialDesignData) -> list[Block]:
    population = data.target_patient_population
    names = ("criterion", "share", "rationale", "source_ids")
    rows = [
        (kind, *(_show(criterion, name) for name in names))
        for kind, criteria in (
            ("inclusion", population.inclusion),
            ("exclusion", population.exclusion),
        )
        for criterion in criteria
    ]
    columns = ("Kind", "Criterion", "Precedents", "Why", "Sources")
    return [Heading(PATIENTS), Paragraph(population.summary), *_grid(columns, rows, "Criteria")]


def _comparator(data: ClinicalTrialDesignData) -> list[Block]:
    comparator = data.comparator_strategy
    margin = _capital(comparator.non_inferiority.basis)
    text = f"**{_capital(comparator.recommended)}.** {_capital(comparator.rule)}. {margin}. "
    care = {"Regimen": "regimen", "Setting": "setting", "Sources": "source_ids"}
    others = {"Alternative": "comparator", "When": "when", "Tradeoff": "tradeoff"}
    return [
        Heading(COMPARATOR),
        Paragraph(text + marks(comparator.source_ids)),
        *_list("Standard of care in this line", comparator.standard_of_care, care),
        *_list("Alternatives", comparator.alternatives, others),
    ]


def list_statistics(data: ClinicalTrialDesignData) -> list[Block]:
    """Return effect, size, looks, levels, and every calculation with its inputs."""
    statistics = data.statistical_design_recommendations
    effect, control = statistics.effect, statistics.control
    planned = effect.formula
    if effect.value is not None:
        planned = f"{effect.value:g} {effect.unit}; {planned}"
    control_value = "not found;" if control.value is None else f"{control.value:g}"
    n_results = control.inputs.get("results")
    of_results = f", {n_results} results" if n_results else ""
    lines = [
        f"Effect: {planned} {marks(effect.source_ids)}",
        f"Control arm: {control_value} {control.unit}; {control.formula}{of_results} "
        f"{marks(control.source_ids)}",
        f"Estimand: {statistics.estimand.summary}",
        f"Level over hypotheses: {statistics.multiplicity.method}",
        *statistics.assumptions,
    ]
    levels = ("Hypothesis", "One-sided level", "Passes to")
    steps = [
        (step.hypothesis, step.alpha or "what is passed on", step.passes_to)
        for step in statistics.multiplicity.alpha_map
    ]
    strategies = {"Intercurrent event": "event", "Strategy": "strategy"}
    return [
        *under(SIZE, [*_chart(draw_grid(data)), *_size(statistics)]),
        Heading(STATISTICS),
        Bullets(tuple(lines)),
        *_grid(("Result",), [(seen,) for seen in effect.seen_in], "Basis of the effect"),
        *_chart(draw_looks(data)),
        *_looks(statistics),
        *_grid(levels, steps, "Alpha map"),
        *_list("Estimand", statistics.estimand.intercurrent_events, strategies),
        *_stages_and_doses(statistics),
        *_calculations(statistics),
    ]


def _size(statistics: Statistics) -> list[Block]:
    """Return every number that enters the formula of N, and the formula; else the cohort."""
    size = statistics.sample_size
    if size.inflated_total is not None:
        events = f", {size.events:,} events of a comparison" if size.events else ""
        rows = [(name, str(value)) for name, value in size.inputs.items() if value is not None]
        caption = f"N {size.inflated_total:,} by power{events}"
        return [
            *_grid(("Input", "Value"), rows, caption),
            Bullets((f"Formula: {size.formula}.",)),
        ]
    if size.planned_total is None or not size.class_range:
        return []
    low, high = size.class_range
    return [Bullets((f"{size.planned_total} participants: first studies enroll {low} to {high}.",))]


def _looks(statistics: Statistics) -> list[Block]:
    interim = statistics.interim
    if interim is None:
        return []
    names = ("events", "z", "p", "futility_z", "month", "ratio")
    rows = [
        (f"{look.information:.0%}", *(_show(look, name) for name in names))
        for look in interim.looks
    ]
    columns = ("Information", "Events", "z", "p", "Futility z", "Month", "Ratio")
    return _grid(columns, rows, f"Looks: {interim.spending}; inflation {interim.inflation:g}")


def _stages_and_doses(statistics: Statistics) -> list[Block]:
    lines = []
    if simon := statistics.simon:
        lines.append(
            f"Two stages (Simon, optimal): stop at {simon.r1} or fewer of {simon.n1}, fail at "
            f"{simon.r} or fewer of {simon.n}; expected {simon.en0:g} under the control's rate."
        )
    if dose := statistics.dose_finding:
        lines.append(f"Doses: {dose.method}; up: {dose.escalate}; down: {dose.deescalate}.")
        lines.append(f"Dose optimization: {dose.optimization}.")
    return [Bullets(tuple(lines))] if lines else []


def _calculations(statistics: Statistics) -> list[Block]:
    """Return the calculations beside the headline, each with what a reader needs to redo it."""
    blocks: list[Block] = [Heading("Additional calculations", 2)]
    for calculation in statistics.calculations:
        if not calculation.applies:
            continue
        inputs = "; ".join(
            f"{name} {'not found' if value is None else value}"
            for name, value in calculation.inputs.items()
        )
        columns = [_capital(name) for result in calculation.results[:1] for name in result]
        rows = [tuple(row.values()) for row in calculation.results]
        lines = (f"Why: {calculation.why}. {marks(calculation.source_ids)}", f"Inputs: {inputs}.")
        blocks += [
            *_grid(columns, rows, _capital(calculation.method)),
            Bullets((*lines, f"Formula: {calculation.formula}.")),
        ]
    others = [calculation for calculation in statistics.calculations if not calculation.applies]
    columns_of_others = {"Not called for": "method", "Why": "why"}
    return [*blocks, *_list("Calculations not called for", others, columns_of_others)]


def _safety(data: ClinicalTrialDesignData) -> list[Block]:
    plan = data.safety_monitoring_recommendations
    base, committee = plan.safety_database, plan.dmc
    lines = [
        f"Monitoring committee: {'yes' if committee.needed else 'not needed'}; "
        f"{committee.reason} {marks(committee.source_ids)}",
        f"{base.n:,} treated see events of {base.detectable_rate:.2%} or more with 95 %.",
        *([f"Expected: {base.expected}."] if base.expected else []),
    ]
    columns = {"Event": "term", "Labels of the class": "share", "Labels": "n_labels"}
    columns |= {"Monitoring": "monitoring", "Sources": "source_ids"}
    return [
        Heading(SAFETY),
        Bullets(tuple(lines)),
        *_list("Special interest", plan.special_interest, columns),
        *_list("Stopping rules", plan.stopping_rules, {"Event": "event", "Rule": "rule"}),
    ]


def _operations(data: ClinicalTrialDesignData) -> list[Block]:
    operations, statistics = (
        data.operational_feasibility_analysis,
        data.statistical_design_recommendations,
    )
    ranges = (
        *(operations.sites, operations.rate_per_site_month, statistics.duration),
        *(statistics.precedent_total, statistics.dropout),
    )
    months = operations.enrollment_months
    lines = [
        f"Recruitment: {f'{months:g} months' if months else 'not reported'}, {operations.index}; "
        f"{count(operations.competing_trials.count, 'competing trial')}.",
        *operations.assumptions,
        *operations.manufacturing_notes,
    ]
    columns = {"Of precedents": "unit", "Low": "low", "Median": "median", "High": "high"}
    return [
        Heading(OPERATIONS),
        Bullets(tuple(lines)),
        *_list("Quartiles of precedents", list(map(_round, ranges)), columns | {"Trials": "n"}),
        *_list(
            "Regions", operations.regions, {"Sites in": "region", "Share": "share", "Trials": "n"}
        ),
    ]


def _round(spread: NumberRange) -> dict[str, Cell]:
    """Return quartiles with three significant figures: a table shows no more."""
    numbers = {name: getattr(spread, name) for name in ("low", "median", "high")}
    shown = {
        name: None if n is None else f"{n:,.0f}" if n >= WHOLE else f"{n:.3g}"
        for name, n in numbers.items()
    }
    return {"unit": spread.unit, "n": spread.n, **shown}


def _pathway(data: ClinicalTrialDesignData) -> list[Block]:
    pathway = data.regulatory_pathway
    risks = {"Severity": "severity", "Risk": "risk", "Trigger": "trigger"}
    risks |= {"Mitigation": "mitigation", "Sources": "source_ids"}
    fired = [option for option in pathway.options if option.fired]
    others = [option.pathway for option in pathway.options if not option.fired]
    options = {"Pathway": "pathway", "Trigger": "trigger"}
    options |= {"Consequence": "consequence", "Document": "document"}
    lines = tuple(pathway.differences) or (f"{pathway.agency}: {pathway.likely}",)
    return [
        Heading(PATHWAY),
        Bullets(lines),
        *_list("Risks", data.regulatory_risks, risks),
        *_list(f"Pathways of {pathway.agency}", fired, options),
        *([Paragraph(f"Not met: {'; '.join(others)}.")] if others else []),
        *_expectations(data),
    ]


def _expectations(data: ClinicalTrialDesignData) -> list[Block]:
    """Return what agencies accept in the setting, with the guidances that govern it."""
    expectations = data.regulatory_expectations
    rows = [
        (
            row.agency,
            row.endpoint + (f"; {row.co_endpoint}" if row.co_endpoint else ""),
            row.control,
            row.comparison.replace("_", "-") + (f", margin {row.margin:g}" if row.margin else ""),
            f"{row.size_range[0]:,} to {row.size_range[1]:,}",
            row.safety_database or "ICH E1",
        )
        for row in expectations
    ]
    guidances = {
        (
            *(guidance.title, guidance.status, guidance.published_on),
            f"FR Doc. {guidance.document}" if guidance.document[:1].isdigit() else "not at hand",
        )
        for row in expectations
        for guidance in row.guidances
    }
    columns = ("Agency", "Primary endpoint", "Control", "Aim", "Pivotal N", "Safety database")
    return [
        *_grid(columns, rows, "What agencies accept in this setting"),
        *_grid(("Guidance", "Status", "Date", "Notice"), sorted(guidances), "Guidances (FDA)"),
    ]


def _scenarios(data: ClinicalTrialDesignData) -> list[Block]:
    scenarios = [(scenario, scenario.success_probability) for scenario in data.strategy_scenarios]
    names = ("name", "design_type", "primary_endpoint", "n", "months_to_readout", "pathway")
    rows = [
        (
            *(_show(scenario, name) for name in names),
            f"{chance.value:.0%} ({chance.low:.0%} to {chance.high:.0%})",
        )
        for scenario, chance in scenarios
    ]
    steps = [
        (
            scenario.name,
            f"{chance.base:.0%}",
            "; ".join(f"{row.name} {row.delta_logit:+g}" for row in chance.adjustments) or "none",
        )
        for scenario, chance in scenarios
    ]
    columns = ("Scenario", "Design", "Endpoint", "N", "Months", "Pathway", "Success")
    how = ("Scenario", "Base", "Adjustments (log-odds)")
    trade = (
        f"**{scenario.name.capitalize()}:** {'; '.join(scenario.tradeoffs)}."
        for scenario, _ in scenarios
    )
    return [
        Heading(SCENARIOS),
        draw_scenarios(data),
        *_grid(columns, rows, "Scenarios side by side"),
        Bullets(tuple(trade)),
        *_grid(how, steps, "How probability of success was estimated"),
        Paragraph(data.assumptions[-1]),
    ]
