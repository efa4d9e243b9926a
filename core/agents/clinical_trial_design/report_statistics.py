"""The statistics of the report: effect, size, looks, levels, calculations beside the headline."""

from core.agents.clinical_trial_design.pictures import draw_grid, draw_looks
from core.agents.clinical_trial_design.report_blocks import capital, chart, grid
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.agents.clinical_trial_design.statistical_records import Effect, SampleSize
from core.reports.document import Block, Bullets, Heading
from core.reports.evidence_parts import marks, under

STATISTICS, SIZE = "Statistics", "Sample size"


def list_statistics(data: ClinicalTrialDesignData) -> list[Block]:
    """Return effect, size, looks, levels, and every calculation with its inputs."""
    statistical_design_recommendations = data.statistical_design_recommendations
    effect, control = (
        statistical_design_recommendations.effect,
        statistical_design_recommendations.control,
    )
    lines = [
        f"Effect: {_planned(effect)} {marks(effect.source_ids)}",
        f"Control arm: {_number(control.value)} {control.unit}; {control.formula}, "
        f"{control.inputs.get('results')} results {marks(control.source_ids)}",
        f"Estimand: {statistical_design_recommendations.estimand.summary}",
        f"Level over hypotheses: {statistical_design_recommendations.multiplicity.method}",
        *statistical_design_recommendations.assumptions,
    ]
    steps = [
        (step.hypothesis, step.alpha or "what is passed on", step.passes_to)
        for step in statistical_design_recommendations.multiplicity.alpha_map
    ]
    events = [
        (event.event, event.strategy)
        for event in statistical_design_recommendations.estimand.intercurrent_events
    ]
    seen = [(place_seen,) for place_seen in effect.seen_in]
    return [
        *under(SIZE, [*chart(draw_grid(data)), *_size(data)]),
        Heading(STATISTICS),
        Bullets(tuple(lines)),
        *grid(("Result",), seen, "Basis of the effect"),
        *chart(draw_looks(data)),
        *_looks(data),
        *grid(("Hypothesis", "One-sided level", "Passes to"), steps, "Alpha map"),
        *grid(("Intercurrent event", "Strategy"), events, "Estimand"),
        *_more(data),
        *_calculations(data),
    ]


def _size(data: ClinicalTrialDesignData) -> list[Block]:
    """Return how N came about: every number that enters the formula, and the formula."""
    size = data.statistical_design_recommendations.sample_size
    if size.inflated_total is None:
        return _cohort(size)
    events = f", {size.events:,} events of a comparison" if size.events else ""
    rows = [(name, str(value)) for name, value in size.inputs.items() if value is not None]
    return [
        *grid(("Input", "Value"), rows, f"N {size.inflated_total:,} by power{events}"),
        Bullets((f"Formula: {size.formula}.",)),
    ]


def _cohort(size: SampleSize) -> list[Block]:
    """Return the participants of a study that tests no hypothesis."""
    if size.planned_total is None or not size.class_range:
        return []
    low, high = size.class_range
    return [Bullets((f"{size.planned_total} participants: first studies enroll {low} to {high}.",))]


def _planned(effect: Effect) -> str:
    if effect.value is None:
        return effect.formula
    return f"{effect.value:g} {effect.unit}; {effect.formula}"


def _number(value: float | None) -> str:
    return "not found;" if value is None else f"{value:g}"


def _looks(data: ClinicalTrialDesignData) -> list[Block]:
    interim = data.statistical_design_recommendations.interim
    if interim is None:
        return []
    rows = [
        (
            f"{look.information:.0%}",
            look.events,
            look.z,
            look.p,
            look.futility_z,
            look.month,
            look.ratio,
        )
        for look in interim.looks
    ]
    columns = ("Information", "Events", "z", "p", "Futility z", "Month", "Ratio")
    return grid(columns, rows, f"Looks: {interim.spending}; inflation {interim.inflation:g}")


def _more(data: ClinicalTrialDesignData) -> list[Block]:
    statistical_design_recommendations = data.statistical_design_recommendations
    lines = []
    if statistical_design_recommendations.simon:
        simon = statistical_design_recommendations.simon
        lines.append(
            f"Two stages (Simon, optimal): stop at {simon.r1} or fewer of {simon.n1}, fail at "
            f"{simon.r} or fewer of {simon.n}; expected {simon.en0:g} under the control's rate."
        )
    if statistical_design_recommendations.dose_finding:
        dose = statistical_design_recommendations.dose_finding
        lines.append(f"Doses: {dose.method}; up: {dose.escalate}; down: {dose.deescalate}.")
        lines.append(f"Dose optimization: {dose.optimization}.")
    return [Bullets(tuple(lines))] if lines else []


def _calculations(data: ClinicalTrialDesignData) -> list[Block]:
    """Return the calculations beside the headline, each with what a reader needs to redo it."""
    made = data.statistical_design_recommendations.calculations
    blocks: list[Block] = [Heading("Additional calculations", 2)]
    for calculation in made:
        if not calculation.applies:
            continue
        inputs = "; ".join(
            f"{name} {'not found' if value is None else value}"
            for name, value in calculation.inputs.items()
        )
        columns = (
            tuple(capital(name) for name in calculation.results[0]) if calculation.results else ()
        )
        rows = [tuple(row.values()) for row in calculation.results]
        lines = (f"Why: {calculation.why}. {marks(calculation.source_ids)}", f"Inputs: {inputs}.")
        blocks += [
            *grid(columns, rows, capital(calculation.method)),
            Bullets((*lines, f"Formula: {calculation.formula}.")),
        ]
    others = [
        (calculation.method, calculation.why) for calculation in made if not calculation.applies
    ]
    return [*blocks, *grid(("Not called for", "Why"), others, "Calculations not called for")]
