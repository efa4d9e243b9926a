"""Scenarios, next steps, and the summary for those who decide."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.agents.clinical_trial_design.case import MOST_CITED, DesignCase, count
from core.agents.clinical_trial_design.endpoints import primaries, primary_names
from core.agents.clinical_trial_design.outline import control_words, design_words
from core.agents.clinical_trial_design.pathways import list_risks, make_pathway, pathway_for
from core.agents.clinical_trial_design.records import (
    ExecutiveSummary,
    Level,
    NextStep,
    RecommendedDesign,
    Scenario,
)
from core.agents.clinical_trial_design.statistical import explain_missing_size
from core.agents.clinical_trial_design.success import estimate
from core.agents.clinical_trial_design.tables import endpoint_role
from core.agents.clinical_trial_design.votes import endpoint_votes, typical_total
from core.stats.trial_design.sizing import RATIOS, size_of, whole

HIGH, MEDIUM = 70, 40
"""Scores from which the confidence is high or medium."""
NO_PRECEDENT, BY_EXPECTATION, UNSIZED, MIXED = 30, 75, 45, 15
_BASES = {"request": 75, "planning": 60, "evidence": 70}
_SINGLE_ARM_N = 120
SHORTER_SURROGATE, SHORTER, LONGER = 0.6, 0.85, 1.3
"""Our own: months of a scenario against those of the recommended study."""
LEAST_POWER, MOST_POWER = 0.8, 0.95


def list_scenarios(case: DesignCase) -> list[Scenario]:
    """Return three ways: as recommended, faster, safer."""
    is_early = case.question.study in {"first in human", "phase 2"}
    return [
        _base(case),
        _accelerated(case),
        _later_pivotal(case) if is_early else _conservative(case),
    ]


def _primary_words(case: DesignCase) -> str:
    return " and ".join(primary_names(case))


def _base(case: DesignCase) -> Scenario:
    trade = ["the endpoint and control of most precedents"]
    if case.expected:
        trade = ["the endpoint and control that agencies expect"]
    elif not case.votes:
        trade = ["no precedent was found: agree endpoint and control with the agency first"]
    if case.planned_total is None and case.typical:
        trade.append(
            f"sample size not calculated; comparable trials enrolled {case.typical:g} (most are "
            "within a factor of two)"
        )
    return Scenario(
        name="base",
        design_type=design_words(case),
        primary_endpoint=_primary_words(case) or "not decided",
        n=case.planned_total,
        months_to_readout=case.months,
        pathway=make_pathway(case).likely,
        success_probability=estimate(case),
        tradeoffs=trade,
        source_ids=case.ids_of(case.alike, 3),
    )


def _accelerated(case: DesignCase) -> Scenario:
    question, surrogate = case.question, _surrogate(case)
    fast, n = "", None
    triggers: tuple[str, ...] = ("designation:breakthrough", "designation:prime", "serious_unmet")
    if "biosimilar" in question.intents:
        design = "pharmacokinetic similarity study alone, comparative efficacy trial waived"
        fast = "AUC and Cmax ratios, 90% confidence interval within 80.00 to 125.00%"
        trade = ["no efficacy trial", "the agency has to agree that no doubt is left"]
    elif question.study == "first in human":
        design = "phase 1/2 with expansion cohorts that may turn into the first part of phase 2"
        trade = ["saves a start-up", "doses are fixed on few patients"]
    elif question.is_oncology and question.is_later_line and surrogate:
        design = f"single-arm, {surrogate} with duration, alongside a randomized confirmatory trial"
        fast, n, triggers = surrogate, _SINGLE_ARM_N, ("oncology_later_line", "serious_unmet")
        trade = ["on the market earliest", "the confirmatory trial is required and may fail"]
        trade.append(f"{_SINGLE_ARM_N} patients are our assumption, not computed")
    elif surrogate:
        design = f"{design_words(case)}, first analysis on {surrogate}"
        fast = surrogate
        trade = ["earlier analysis on a surrogate", "the agency may not accept it alone"]
    else:
        seamless = "" if question.is_given_once else ", seamless from dose selection"
        design = f"{design_words(case)} at 80% power{seamless}"
        n = _sized(case, LEAST_POWER)
        is_smaller = n is None or n < (case.planned_total or 0)
        trade = ["fewer patients" if is_smaller else "as many patients: the class sets the number"]
        trade.append("one study in five fails although the drug works")
    months, assumed = _scale_months(case, SHORTER_SURROGATE if fast else SHORTER)
    return Scenario(
        name="accelerated",
        design_type=design,
        primary_endpoint=fast or _primary_words(case) or "not decided",
        n=n,
        months_to_readout=months,
        pathway=pathway_for(case, *triggers),
        success_probability=estimate(case, ["smaller study"]),
        tradeoffs=[*trade, *assumed],
    )


def _surrogate(case: DesignCase) -> str:
    """Return an earlier endpoint that can be measured in the setting; "" for none."""
    row, role = case.expected, endpoint_role(case.endpoint)
    if row is not None and (accepted := row.list_others("accelerated approval")):
        return accepted[0]
    if role is None or (row is not None and row.supports == "accelerated"):
        return ""
    is_absent = role.unless and re.search(role.unless, case.question.setting_text, re.IGNORECASE)
    return "" if is_absent else role.surrogate_for


def _scale_months(case: DesignCase, factor: float) -> tuple[float | None, list[str]]:
    """Return the months of a scenario, and that they are assumed."""
    if case.months is None:
        return None, []
    assumed = [f"months are assumed: {factor:g} times those of the base scenario"]
    return round(case.months * factor, 1), assumed


def _sized(case: DesignCase, power: float) -> int | None:
    """Return the participants for another power, no fewer than exposure asks for."""
    plan, value = case.plan, case.plan.planned.value
    n = None if value is None or case.size.n is None else size_of(plan, value, power).n
    if n is None:
        return None
    total = whole(n * plan.inflation, plan.groups) or 0
    return max(total, case.planned_total or 0) if case.is_exposure_bound else total


def _conservative(case: DesignCase) -> Scenario:
    question, row, design = case.question, case.expected, design_words(case)
    trials = question.expected.trials if question.expected else question.traits.trials
    endpoint, n = _primary_words(case) or "not decided", _sized(case, MOST_POWER)
    trade, confirmed = ["95% power"], _confirmed(case)
    if confirmed:
        endpoint, n, trade = confirmed, None, ["confirms benefit at once, on a clinical endpoint"]
        if question.is_oncology and not case.is_randomized:
            design = "randomized, open-label, active-controlled, phase 3"
    elif trials > 1:
        design, n = f"two trials, each {design}", None if n is None else trials * n
        trade.append("satisfies agencies whether they expect one trial or two")
    if n is None and (confirmed or row is None):
        trade.append("N needs the effect on this endpoint")
    months, assumed = _scale_months(case, LONGER)
    return Scenario(
        name="conservative",
        design_type=design,
        primary_endpoint=endpoint,
        n=n,
        months_to_readout=months,
        pathway=pathway_for(case, "always"),
        success_probability=estimate(case, ["larger study"]),
        tradeoffs=[*trade, *assumed],
    )


def _confirmed(case: DesignCase) -> str:
    """Return the endpoint that confirms a surrogate, or survival where agencies accept it, too."""
    row, is_response = case.expected, case.endpoint in {"objective response", "response rate"}
    if not case.question.is_oncology and (row is None or row.supports != "accelerated"):
        return ""
    if row is None:
        return "overall survival" if is_response else ""
    if row.supports == "accelerated":
        named = (*row.list_others("confirmatory"), *row.list_others("full approval"))
        return next(iter(named), "") if case.question.preferred is None else ""
    accepts = "overall survival" in {*row.others.split("|"), row.co_class}
    is_new = case.is_randomized and "overall survival" not in primaries(case)
    return "overall survival" if accepts and is_new else ""


def _later_pivotal(case: DesignCase) -> Scenario:
    """Return the pivotal study that comes after the next one."""
    row = case.question.expected_later
    later = replace(case, question=replace(case.question, study="pivotal"))
    late = [trial for trial in case.precedents.trials if trial.row.phase in {"PHASE3", "PHASE2_3"}]
    typical, alike = typical_total(late, "")
    votes = endpoint_votes(late, later.question)
    endpoint = votes[0][0] if votes else "not decided"
    note = "no pivotal precedent reports its N"
    note = f"like precedents enrolled {typical:g}" if typical else note
    if row is not None:
        endpoint = row.endpoint
        note = f"pivotal trials of the class enroll {row.n_low:,} to {row.n_high:,}"
    return Scenario(
        name="conservative",
        design_type="the pivotal study, after the next one has chosen dose and patients",
        primary_endpoint=endpoint,
        n=None,
        months_to_readout=None,
        pathway=pathway_for(case, "always"),
        success_probability=estimate(later),
        tradeoffs=["too early: it follows the next study", note],
        source_ids=case.ids_of(alike, 3),
    )


def list_steps(case: DesignCase) -> list[NextStep]:
    """Return what to do next, in order."""
    return [*_early_steps(case), *_later_steps(case)]


def _early_steps(case: DesignCase) -> Iterator[NextStep]:
    question = case.question
    is_biosimilar = "biosimilar" in question.intents
    early = "pre-IND meeting" if question.study == "first in human" else "end-of-phase meeting"
    meeting = {
        "FDA": "biosimilar biological product development (BPD) meeting"
        if is_biosimilar
        else early,
        "EMA": "scientific advice (CHMP)",
    }.get(question.agency, f"advice of {question.agency}")
    yield NextStep(
        step=meeting,
        why="agree endpoint, comparator and number of trials",
        timing="before the protocol is final",
        priority="high",
    )
    if is_biosimilar and question.study != "first in human":
        yield NextStep(
            step="show pharmacokinetic similarity first: AUC and Cmax within 80.00 to 125.00%",
            why="a comparative efficacy trial follows only where doubt is left",
            timing="before the efficacy trial starts",
            priority="high",
        )
    if case.planned_total is None and question.study != "first in human":
        yield NextStep(
            step="enter an effect and a control-arm value for the endpoint",
            why="the sample size needs both",
            timing="now",
            priority="high",
        )
    if question.compares_doses and question.study in {"phase 2", "pivotal"}:
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


def _later_steps(case: DesignCase) -> Iterator[NextStep]:
    question = case.question
    if question.designations == ():
        yield NextStep(
            step="PRIME request"
            if question.agency == "EMA"
            else "request for an expedited program",
            why="if the first controlled data are strong in a serious disease",
            timing="with the first data",
            priority="medium" if question.traits.serious else "low",
        )
    if case.letters:
        yield NextStep(
            step="read the complete response letters of the indication",
            why=f"{count(len(case.letters), 'letter')} found",
            timing="before the meeting",
            priority="medium",
            source_ids=case.ids((letter.record_id for letter in case.letters), 8),
        )
    yield NextStep(
        step="feasibility survey at sites",
        why=f"{count(len(case.competing), 'competing trial')} recruiting now",
        timing="three months before the first site opens",
        priority="medium",
    )


def make_design(case: DesignCase) -> RecommendedDesign:
    """Return the next study with its precedents."""
    score, pathway = min(_confidence_of(case).values()), make_pathway(case)
    primary = _primary_words(case) or "endpoint not decided"
    n_votes = sum(n for name, _, n in case.votes if name in primaries(case))
    fired = next((option.trigger for option in pathway.options if option.fired), "no rule fired")
    no_endpoint = "endpoint not reported"
    return RecommendedDesign(
        design_type=design_words(case),
        rationale=f"{primary}: {case.endpoint_rule}; primary in {count(n_votes, 'precedent')}; "
        f"control: {case.comparator_rule}.",
        regulatory_feasibility=f"{pathway.agency}: {pathway.likely}; {fired}.",
        precedent_support=[
            f"{trial.row.number}: {trial.row.design.words or 'design not reported'}, "
            f"N {trial.row.n or 'not reported'}, "
            f"{', '.join(dict.fromkeys(end.name for end in trial.row.endpoints)) or no_endpoint}"
            f" (match {trial.match.score})"
            for trial in case.near[:5]
        ],
        confidence=_level_of(score),
        confidence_score=score,
        source_ids=case.ids_of(case.near[:5]),
    )


def make_summary(case: DesignCase) -> ExecutiveSummary:
    """Return the strategy in a few sentences."""
    question, inputs, pathway = case.question, _confidence_of(case), make_pathway(case)
    score, n = min(inputs.values()), case.planned_total
    has_words = case.comparator in {"active", "add_on_placebo"}
    against = f" against {control_words(case)}" if has_words else ""
    size = f"N {n:,}" if n else f"sample size not calculated: {explain_missing_size(case)}"
    if case.is_exposure_bound and n:
        like = "pivotal trials of the class" if case.floor else "like precedents"
        size = f"N {n:,} as {like} ({case.total} power the endpoint)"
    months = f" Readout about {case.months or 0:.0f} months from the first patient."
    why = (
        f" ({option.trigger}); {option.consequence}." for option in pathway.options if option.fired
    )
    return ExecutiveSummary(
        recommended_trial_strategy=f"{question.asset} in {question.disease}: "
        f"{design_words(case)}{against}; "
        f"{_primary_words(case) or 'an endpoint that no precedent reports'}; {size}."
        f"{months if case.months else ''}",
        likely_regulatory_pathway=f"{pathway.agency}: {pathway.likely}{next(why, '.')}",
        major_design_risks=[risk.risk for risk in list_risks(case)[:4]],
        competitive_positioning_considerations=list(_positions(case)),
        confidence=_level_of(score),
        confidence_score=score,
        confidence_inputs=inputs,
        source_ids=case.ids_of(case.alike, 3),
    )


def _positions(case: DesignCase) -> Iterator[str]:
    question = case.question
    same = case.same_mechanism
    n_open = len(case.competing)
    verb = "recruits" if n_open == 1 else "recruit"
    yield f"{count(n_open, 'trial')} {verb} the same patients now."
    if question.setting.targets:
        target = question.setting.targets[0].text
        yield (
            f"{count(len(same), 'close precedent')} on {target}."
            if same
            else f"No close precedent on {target} was found in the evidence."
        )
    if case.care:
        yield f"{count(len(case.care), 'approved use')} in this line of therapy."
    planned = case.plan.planned
    if planned.value is not None and planned.kind in RATIOS:
        yield f"To match precedents: {planned.kind} of about {planned.value:.2g}."


def _level_of(score: int) -> Level:
    """Return the word of a score."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


def _confidence_of(case: DesignCase) -> dict[str, int]:
    """Return the scores of which the confidence is the lowest, by what they speak of."""
    precedents, setting = case.precedents, case.question.setting
    numbers = {name: number for name, _, number in case.votes}
    total = sum(numbers.values())
    basis = _BASES.get(case.plan.planned.basis, UNSIZED)
    is_mixed = any(text.startswith("contradiction:") for text in case.question.warnings)
    understood = MIXED if is_mixed else 40 if setting.unresolved else 90
    is_understood = {"setting understood": understood}
    if case.expected is not None:
        scores = {
            "expectation of the setting": BY_EXPECTATION,
            "basis of the effect": basis if case.planned_total is not None else UNSIZED,
            **is_understood,
        }
        if total >= MOST_CITED:
            share = round(45 * numbers.get(case.endpoint, 0) / total)
            scores["precedents that share the endpoint"] = min(95, 50 + share)
        return scores
    if not (precedents.trials or precedents.own):
        return {"precedents": NO_PRECEDENT if setting.areas else 0}
    best = [trial.match.score for trial in precedents.trials[:10]] or [NO_PRECEDENT]
    return {
        "match of the nearest precedents": round(sum(best) / len(best)),
        "precedents that report their endpoint": min(95, 30 + 5 * total),
        "basis of the effect": basis if case.size.n is not None else UNSIZED,
        **is_understood,
    }
