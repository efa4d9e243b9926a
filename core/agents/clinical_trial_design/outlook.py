"""Scenarios, next steps, and the summary for those who decide."""

from collections.abc import Iterator
from dataclasses import replace

from core.agents.clinical_trial_design.drafting import (
    Draft,
    confidence_of,
    count,
    explain_missing_size,
    level_of,
)
from core.agents.clinical_trial_design.endpoints import primaries, primary_names
from core.agents.clinical_trial_design.outline import control_words, design_words
from core.agents.clinical_trial_design.pathways import list_risks, make_pathway, pathway_for
from core.agents.clinical_trial_design.records import (
    ExecutiveSummary,
    NextStep,
    RecommendedDesign,
    Scenario,
)
from core.agents.clinical_trial_design.success import estimate
from core.agents.clinical_trial_design.tables import endpoint_role
from core.agents.clinical_trial_design.votes import typical_total
from core.stats.trial_design.sizing import RATIOS, size_of, whole

PIVOTAL = "pivotal"
_SINGLE_ARM_N = 120
SHORTER_SURROGATE, SHORTER, LONGER = 0.6, 0.85, 1.3
"""Our own: months of a scenario against those of the recommended study."""
LEAST_POWER, MOST_POWER = 0.8, 0.95


def list_scenarios(draft: Draft) -> list[Scenario]:
    """Return three ways: as recommended, faster, safer."""
    return [_base(draft), _accelerated(draft), _conservative(draft)]


def _base(draft: Draft) -> Scenario:
    made = draft.made
    return Scenario(
        name="base",
        design_type=design_words(draft),
        primary_endpoint=" and ".join(primary_names(draft)) or "not decided",
        n=made.planned_total,
        months_to_readout=made.months,
        pathway=make_pathway(draft).likely,
        success_probability=estimate(draft.asked, draft.found),
        tradeoffs=[
            "the endpoint and control that agencies expect"
            if draft.expected
            else "the endpoint and control of most precedents",
            *_no_n(draft),
        ],
        source_ids=draft.ids_of(made.alike, 3),
    )


def _no_n(draft: Draft) -> list[str]:
    made = draft.made
    if made.size.n is None and made.typical:
        hint = "most are within a factor of two"
        return [f"sample size not calculated; comparable trials enrolled {made.typical:g} ({hint})"]
    return []


def _surrogate(draft: Draft) -> str:
    primary = primaries(draft)
    row = endpoint_role(primary[0]) if primary else None
    return row.surrogate_for if row else ""


def _accelerated(draft: Draft) -> Scenario:
    question = draft.asked
    fast, n = None, None
    surrogate = _surrogate(draft)
    pathway = pathway_for(draft, "designation:breakthrough", "designation:prime", "serious_unmet")
    if question.study == "first in human":
        design = "phase 1/2 with expansion cohorts that may turn into the first part of phase 2"
        trade = ["saves a start-up", "doses are fixed on few patients"]
    elif question.is_oncology and question.is_later_line and surrogate:
        design = f"single-arm, {surrogate} with duration, alongside a randomized confirmatory trial"
        pathway = pathway_for(draft, "oncology_later_line", "serious_unmet")
        fast, n = surrogate, _SINGLE_ARM_N
        trade = ["on the market earliest", "the confirmatory trial is required and may fail"]
    elif surrogate:
        design = f"{design_words(draft)}, first analysis on {surrogate}"
        fast = surrogate
        trade = ["earlier analysis on a surrogate", "the agency may not accept it alone"]
    else:
        design = f"{design_words(draft)} at 80 % power, seamless from dose selection"
        n = _sized(draft, LEAST_POWER)
        trade = ["fewer patients", "one study in five fails although the drug works"]
    factor = SHORTER_SURROGATE if fast else SHORTER
    if fast and n == _SINGLE_ARM_N:
        trade.append(f"{_SINGLE_ARM_N} patients are our assumption, not computed")
    return Scenario(
        name="accelerated",
        design_type=design,
        primary_endpoint=fast or " and ".join(primary_names(draft)) or "not decided",
        n=n,
        months_to_readout=_scaled(draft, factor),
        pathway=pathway,
        success_probability=estimate(question, draft.found, ["smaller study"]),
        tradeoffs=[*trade, *_assumed(draft, factor)],
    )


def _scaled(draft: Draft, factor: float) -> float | None:
    return None if draft.made.months is None else round(draft.made.months * factor, 1)


def _assumed(draft: Draft, factor: float) -> list[str]:
    """Return that the months of a scenario are assumed."""
    if draft.made.months is None:
        return []
    return [f"months are assumed: {factor:g} times those of the base scenario"]


def _sized(draft: Draft, power: float, effect: float | None = None) -> int | None:
    plan = draft.made.plan
    value = plan.planned.value if effect is None else effect
    if value is None or draft.made.size.n is None:
        return None
    n = size_of(plan, value, power).n
    if n is None:
        return None
    total = whole(n * plan.inflation, plan.groups) or 0
    return max(total, draft.made.planned_total or 0) if draft.made.is_exposure_bound else total


def _conservative(draft: Draft) -> Scenario:
    question = draft.asked
    if question.study in {"first in human", "phase 2"}:
        return _later_pivotal(draft)
    trials = question.expected.trials if question.expected else question.traits.trials
    n = _sized(draft, MOST_POWER)
    endpoint = " and ".join(primary_names(draft)) or "not decided"
    if question.is_oncology and "overall survival" not in primaries(draft):
        endpoint, n = "overall survival", None
    design = design_words(draft)
    if trials > 1:
        design = f"two trials, each {design}"
        n = None if n is None else trials * n
    trade = ["95% power", "satisfies agencies whether they expect one trial or two"]
    if endpoint == "overall survival" and n is None:
        trade.append("N needs the effect on survival: see the grid of the endpoint")
    return Scenario(
        name="conservative",
        design_type=design,
        primary_endpoint=endpoint,
        n=n,
        months_to_readout=_scaled(draft, LONGER),
        pathway=pathway_for(draft, "always"),
        success_probability=estimate(question, draft.found, ["larger study"]),
        tradeoffs=[*trade, *_assumed(draft, LONGER)],
    )


def _later_pivotal(draft: Draft) -> Scenario:
    """Return the pivotal study that comes after the next one."""
    question, trials = draft.asked, draft.found.precedents.trials
    late = [trial for trial in trials if trial.row.phase in {"PHASE3", "PHASE2_3"}]
    later = replace(question, study=PIVOTAL)  # type: ignore[arg-type]
    typical, alike = typical_total(late, "")
    from core.agents.clinical_trial_design.votes import endpoint_votes

    votes, row = endpoint_votes(late, later), question.expected_later
    endpoint = row.endpoint if row else votes[0][0] if votes else "not decided"
    note = (
        f"like precedents enrolled {typical:g}" if typical else "no pivotal precedent reports its N"
    )
    if row is not None:
        note = f"pivotal trials of the class enroll {row.n_low:,} to {row.n_high:,}"
    return Scenario(
        name="conservative",
        design_type="the pivotal study, after the next one has chosen dose and patients",
        primary_endpoint=endpoint,
        n=None,
        months_to_readout=None,
        pathway=pathway_for(draft, "always"),
        success_probability=estimate(later, draft.found),
        tradeoffs=["too early: it follows the next study", note],
        source_ids=draft.ids_of(alike, 3),
    )


def list_steps(draft: Draft) -> list[NextStep]:
    """Return what to do next, in order."""
    return list(_steps(draft))


def _steps(draft: Draft) -> Iterator[NextStep]:
    question, made = draft.asked, draft.made
    meeting = {
        "FDA": "pre-IND meeting" if question.study == "first in human" else "end-of-phase meeting",
        "EMA": "scientific advice (CHMP)",
    }.get(question.agency, f"advice of {question.agency}")
    yield NextStep(
        step=meeting,
        why="agree endpoint, comparator and number of trials",
        timing="before the protocol is final",
        priority="high",
    )
    if made.size.n is None and question.study != "first in human":
        yield NextStep(
            step="enter an effect and a control-arm value for the endpoint",
            why="the sample size needs both",
            timing="now",
            priority="high",
        )
    if question.is_oncology and question.study in {"phase 2", "pivotal"}:
        yield NextStep(
            step="compare two doses in parallel",
            why="dose optimization is expected before a pivotal study",
            timing="before the pivotal study",
            priority="high" if question.agency == "FDA" else "medium",
        )
    if question.setting.biomarkers:
        yield NextStep(
            step=f"develop the test for {question.setting.biomarkers[0]}",
            why="patients are chosen by it; a companion diagnostic is filed with the drug",
            timing="in parallel with the study before",
            priority="high",
        )
    yield from _later_steps(draft)


def _later_steps(draft: Draft) -> Iterator[NextStep]:
    question = draft.asked
    if question.designations == ():
        yield NextStep(
            step="PRIME request"
            if question.agency == "EMA"
            else "request for an expedited program",
            why="if the first controlled data are strong in a serious disease",
            timing="with the first data",
            priority="medium" if question.traits.serious else "low",
        )
    if draft.found.letters:
        yield NextStep(
            step="read the complete response letters of the indication",
            why=f"{count(len(draft.found.letters), 'letter')} found",
            timing="before the meeting",
            priority="medium",
            source_ids=draft.ids((letter.record_id for letter in draft.found.letters), 8),
        )
    yield NextStep(
        step="feasibility survey at sites",
        why=f"{count(len(draft.found.competing), 'competing trial')} recruit now",
        timing="three months before the first site opens",
        priority="medium",
    )


def make_design(draft: Draft) -> RecommendedDesign:
    """Return the next study with its precedents."""
    made = draft.made
    inputs = confidence_of(draft)
    score = min(inputs.values())
    primary = " and ".join(primary_names(draft)) or "endpoint not decided"
    n_votes = sum(n for name, _, n in made.votes if name in primaries(draft))
    no_endpoint = "endpoint not reported"
    support = [
        f"{precedent.row.number}: {precedent.row.design.words or 'design not reported'}, "
        f"N {precedent.row.n or 'not reported'}, "
        f"{', '.join(dict.fromkeys(e.name for e in precedent.row.endpoints)) or no_endpoint}"
        f" (match {precedent.match.score})"
        for precedent in draft.near[:5]
    ]
    pathway = make_pathway(draft)
    return RecommendedDesign(
        design_type=design_words(draft),
        rationale=f"{primary}: {made.endpoint_rule}; primary in {count(n_votes, 'precedent')}; "
        f"control: {made.comparator_rule}.",
        regulatory_feasibility=f"{pathway.agency}: {pathway.likely}; "
        f"{next((option.trigger for option in pathway.options if option.fired), 'no rule fired')}.",
        precedent_support=support,
        confidence=level_of(score),
        confidence_score=score,
        source_ids=draft.ids_of(precedent.row for precedent in draft.near[:5]),
    )


def make_summary(draft: Draft) -> ExecutiveSummary:
    """Return the strategy in a few sentences."""
    question, made = draft.asked, draft.made
    inputs = confidence_of(draft)
    score = min(inputs.values())
    pathway = make_pathway(draft)
    fired = next((option for option in pathway.options if option.fired), None)
    primary = " and ".join(primary_names(draft)) or "an endpoint that no precedent reports"
    has_words = made.comparator in {"active", "add_on_placebo"}
    against = f" against {control_words(draft)}" if has_words else ""
    n = made.planned_total
    size = f"N {n:,}" if n else f"sample size not calculated: {explain_missing_size(draft)}"
    if made.is_exposure_bound and n:
        size = f"N {n:,} as {_like(draft)} ({made.total} power the endpoint)"
    design = f"{design_words(draft)}{against}"
    lead = f"{question.asset} in {question.disease}: {design}; {primary}; {size}."
    months = (
        [f"Readout about {made.months:.0f} months from the first patient."] if made.months else []
    )
    return ExecutiveSummary(
        recommended_trial_strategy=" ".join([lead, *months]),
        likely_regulatory_pathway=f"{pathway.agency}: {pathway.likely}"
        + (f" ({fired.trigger}); {fired.consequence}." if fired else "."),
        major_design_risks=[risk.risk for risk in list_risks(draft)[:4]],
        competitive_positioning_considerations=list(_positions(draft)),
        confidence=level_of(score),
        confidence_score=score,
        confidence_inputs=inputs,
        source_ids=draft.ids_of(made.alike, 3),
    )


def _like(draft: Draft) -> str:
    """Return whose exposure sets N."""
    return "pivotal trials of the class" if draft.made.floor else "like precedents"


def _positions(draft: Draft) -> Iterator[str]:
    findings, question = draft.found, draft.asked
    same = [precedent for precedent in draft.near if precedent.match.parts.get("mechanism") == 1.0]
    yield f"{count(len(findings.competing), 'trial')} recruit the same patients now."
    if question.setting.targets:
        target = question.setting.targets[0].text
        yield (
            f"{count(len(same), 'close precedent')} on {target}."
            if same
            else (f"No close precedent acts on {target}: first in class in this setting.")
        )
    if draft.made.care:
        yield f"{count(len(draft.made.care), 'approved use')} in this line of therapy."
    planned = draft.made.plan.planned
    if planned.value is not None and planned.kind in RATIOS:
        yield f"To match precedents: {planned.kind} of about {planned.value:.2g}."
