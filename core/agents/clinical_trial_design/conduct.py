"""How the trial is watched and filled: safety, sites, months, competing trials, supply."""

import re
from collections.abc import Iterator
from typing import Literal

from core.agents.clinical_trial_design.case import DesignCase, count, share_of
from core.agents.clinical_trial_design.decisions import RAMP
from core.agents.clinical_trial_design.outline import SEVERE, ages
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import (
    CompetingTrials,
    Feasibility,
    Monitoring,
    RegionShare,
    SafetyDatabase,
    SafetyPlan,
    SpecialInterest,
    StoppingRule,
)
from core.agents.clinical_trial_design.tables import (
    InterestRow,
    agency_rows,
    benchmark,
    interest_terms,
    split,
)
from core.briefs.precedents import number_range
from core.stats.trial_design.conduct import detectable_rate

LEAST_LABELS_SHARE = 0.2
MOST_TERMS = 12
MOST_COMPETING = 25
LONG_FOLLOW_UP = frozenset({"cell therapy", "gene therapy"})
LONG_YEARS = 15.0
ADULT = 18
SCHOOL_AGE = 6
_OF_GROWN = frozenset({"abuse and dependence", "suicidality"})
"""Events that are not asked for before school age."""
LEAST_COMPARED = 3
"""Precedents whose months are enough to compare with."""
_FEASIBLE, _STRETCHED = 50, 90


def make_safety(case: DesignCase) -> SafetyPlan:
    """Return how safety is watched."""
    question = case.question
    n = max(1, (case.n or 100) // (2 if case.is_randomized else 1)) + (question.safety.n or 0)
    return SafetyPlan(
        dmc=_monitoring(case),
        stopping_rules=list(_stopping(case)),
        special_interest=list(_interest(case)),
        safety_database=SafetyDatabase(
            n=n,
            detectable_rate=round(detectable_rate(n), 4),
            expected=_exposure(case),
        ),
        follow_up_years=LONG_YEARS if question.kinds & LONG_FOLLOW_UP else None,
    )


def _exposure(case: DesignCase) -> str:
    """Return the exposure asked for; ICH E1 speaks of chronic drugs in adults alone."""
    question, highest = case.question, ages(case).max
    asked = question.expected.safety_database if question.expected else ""
    is_other = question.is_given_once or (highest is not None and highest < ADULT)
    return "" if "ICH E1" in asked and is_other else asked


def _monitoring(case: DesignCase) -> Monitoring:
    """Return whether a committee watches, with the precedents that have one."""
    saying = [trial.row for trial in case.near if trial.row.is_monitored is not None]
    with_one = [row for row in saying if row.is_monitored]
    is_pivotal = case.is_randomized and case.question.may_carry_approval
    is_serious = case.question.traits.serious == "yes"
    why = "serious disease" if is_serious else "early or open study"
    if case.question.is_given_once:
        why = "given once and not reversible: the committee reviews before further dosing"
    if is_pivotal:
        why = f"randomized pivotal study{' with looks' if case.plan.bounds else ''}"
    of_near = f"{len(with_one)} of {count(len(saying), 'precedent')} that report it have one"
    return Monitoring(
        needed=is_pivotal or is_serious or case.question.is_given_once,
        reason=f"{why}; {of_near if saying else 'no precedent reports one'}",
        share=share_of(with_one, saying),
        n_precedents=len(saying),
        source_ids=case.ids_of(with_one, 3),
    )


def _stopping(case: DesignCase) -> Iterator[StoppingRule]:
    safety, question = case.question.safety, case.question
    for term in safety.dlt:
        yield StoppingRule(event=term, rule="hold the dose where the posterior rate exceeds 33 %")
    for event in safety.events:
        if (event.grade3_rate or 0) >= SEVERE:
            yield StoppingRule(
                event=event.term,
                rule=f"review where grade 3 or more exceeds twice the {event.grade3_rate:.0%} seen",
            )
    if safety.boxed_class:
        yield StoppingRule(
            event=safety.boxed_class, rule="each case reviewed at once; pause at a second one"
        )
    yield StoppingRule(event="treatment-related death", rule="pause and review by the committee")
    if question.is_given_once:
        yield StoppingRule(
            event="severe adverse event related to the product or to conditioning",
            rule="pause further dosing, review by the committee before the next participant",
        )
    elif question.study != "first in human" and not question.intents & {"diagnostic", "vaccine"}:
        yield StoppingRule(
            event="ALT of 3 and bilirubin of 2 times the upper limit (Hy's law)",
            rule="stop the drug, rule out other causes (FDA, July 2009)",
        )


def _interest(case: DesignCase) -> Iterator[SpecialInterest]:
    """Yield the events expected in the setting, those that labels name, and those of own data."""
    question, texts = case.question, case.texts
    usual = list(question.expected.monitored) if question.expected else []
    for term, how in usual:
        monitoring = how or "at each visit"
        yield SpecialInterest(term=term, share=None, n_labels=0, monitoring=monitoring)
    own_events = [event.term for event in question.safety.events]
    oldest = ages(case).max
    own_terms = " ; ".join([*own_events, *question.safety.dlt, question.safety.boxed_class])
    rows = []
    for row, pattern in interest_terms():
        naming = [record_id for record_id, text in texts.items() if pattern.search(text)]
        share = share_of(naming, texts)
        if row.term in _OF_GROWN and (oldest or ADULT) < SCHOOL_AGE:
            continue
        is_own = bool(pattern.search(own_terms))
        if is_own or _is_of_kind(row, question) or (share or 0) >= LEAST_LABELS_SHARE:
            rows.append((not is_own, -(share or 0.0), row.term, row, naming, share))
    seen = {term.casefold() for term, _ in usual}
    for *_, row, naming, share in sorted(rows, key=lambda entry: entry[:3])[:MOST_TERMS]:
        if row.term.casefold() not in seen:
            yield SpecialInterest(
                term=row.term,
                share=share,
                n_labels=len(naming),
                monitoring=row.monitoring,
                source_ids=case.ids(naming, 3),
            )
    for term in filter(None, (question.safety.boxed_class, *own_events)):
        if not any(pattern.search(term) for _, pattern in interest_terms()):
            monitoring = "own profile: grade and outcome"
            yield SpecialInterest(term=term, share=None, n_labels=0, monitoring=monitoring)


def _is_of_kind(row: InterestRow, question: Question) -> bool:
    """Return whether an event is usual with the drug's kind or target; eye drugs act locally."""
    kinds = set(question.kinds) | ({"CAR-T"} if question.is_car_t else set())
    kinds |= {"T cell engager"} if question.engages_t_cells else set()
    named = row.drug_words and re.search(row.drug_words, question.drug_text, re.IGNORECASE)
    if "diagnostic" in question.intents:
        return False  # a tracer dose has none of the effects of a drug on its target
    return bool(kinds & set(split(row.kinds)) or (named and question.traits.area != "Eye"))


def make_feasibility(case: DesignCase) -> Feasibility:
    """Return how long recruitment takes and who else recruits."""
    rows, enrollment = [trial.row for trial in case.competing], case.enrollment
    with_sites = [trial for trial in case.alike if trial.n_sites]
    rates = case.range(case.lower_rates, with_sites)
    if not rates.n:
        unit = "patients a site and month (published median of industry phase 3)"
        rates = rates.model_copy(update={"median": benchmark("rate_per_site_month"), "unit": unit})
    percentile = _percentile(case)
    share = None
    if case.n and case.typical:
        share = round(1 / (1 + len(rows) * case.typical / case.n), 3)
    return Feasibility(
        index=_index(percentile),
        sites=case.range(
            number_range((trial.n_sites for trial in case.alike), "sites"), with_sites
        ),
        rate_per_site_month=rates,
        planned_sites=enrollment.sites if enrollment else None,
        ramp_months=enrollment.ramp if enrollment else RAMP,
        enrollment_months=case.fill_months,
        percentile=percentile,
        competing_trials=CompetingTrials(
            count=len(rows),
            nct_ids=[row.number for row in rows[:MOST_COMPETING]],
            source_ids=case.ids_of(rows, 10),
        ),
        pool_share=share,
        regions=list(_regions(case)),
        manufacturing_notes=list(_supply(case)),
        assumptions=list(_how_filled(case)),
    )


def _index(percentile: float | None) -> Literal["feasible", "stretched", "infeasible", "unknown"]:
    if percentile is None:
        return "unknown"
    if percentile <= _FEASIBLE:
        return "feasible"
    return "stretched" if percentile <= _STRETCHED else "infeasible"


def _percentile(case: DesignCase) -> float | None:
    """Return where the months to the readout lie among like precedents."""
    months, planned = [trial.months for trial in case.alike if trial.months], case.months
    if len(months) < LEAST_COMPARED or planned is None:
        return None
    return round(100 * sum(number <= planned for number in months) / len(months), 1)


def _how_filled(case: DesignCase) -> Iterator[str]:
    yield "Rates of precedents leave out their follow-up, by the time point of the endpoint."
    plan, row = case.enrollment, case.question.expected
    if _index(_percentile(case)) == "infeasible":
        yield "Slower than precedents: over 90% of them reached their readout earlier."
    if plan is not None:
        is_usual = bool(row and row.site_rate)
        whose = "usual in the setting" if is_usual else "published median, or precedents' if higher"
        yield (
            f"{count(plan.sites, 'site')} for {count(case.n or 0, 'participant')} at {plan.rate:g} "
            f"patients a site and month ({whose}), opened evenly over {plan.ramp:g} months."
        )
        if plan.limit:
            yield f"{plan.limit} set the pace: {plan.months} months of recruitment."
    if case.planned_total is None and case.typical:
        yield f"Months assume the {case.typical:g} participants of comparable trials."


def _regions(case: DesignCase) -> Iterator[RegionShare]:
    """Yield the share of near precedents with sites in the agency's region and elsewhere."""
    agency = case.question.agency
    countries = {name for row in agency_rows(agency) for name in split(row.regions)}
    regions = {f"region of {agency}": countries} if len(countries) > 1 else {}
    for region in ("United States", "China", "Japan", *sorted(countries)[:1]):
        regions[region] = {region}
    reported = [trial.row for trial in case.near if trial.row.countries]
    for region, names in regions.items() if reported else ():
        same = [row for row in reported if names & {*row.countries}]
        yield RegionShare(
            region=region,
            share=round(len(same) / len(reported), 3),
            n=len(reported),
            source_ids=case.ids_of(same, 2),
        )


def _supply(case: DesignCase) -> Iterator[str]:
    supply, n = case.question.supply, case.n
    if supply.slots_per_month:
        half = (n or 0) / (2 if case.is_randomized else 1)
        yield (
            f"{supply.slots_per_month:g} slots a month treat {half:g} patients in "
            f"{half / supply.slots_per_month:.1f} months at best."
            if n
            else f"{supply.slots_per_month:g} slots a month limit recruitment."
        )
    if supply.vein_to_vein_days:
        yield (
            f"{supply.vein_to_vein_days:g} days from vein to vein: bridging therapy, and all "
            "randomized patients are analyzed, treated or not."
        )
    if supply.cold_chain:
        yield f"Cold chain ({supply.cold_chain}): sites are limited to those with storage."
    if supply.has_notes:
        yield "Notes on manufacturing are kept in the echo of the request; no rule reads them."
