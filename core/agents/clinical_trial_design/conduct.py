"""How the trial is watched and filled: safety, sites, months, competing trials, supply."""

import re
from collections.abc import Iterator
from typing import Literal

from core.agents.clinical_trial_design.case import DesignCase, count
from core.agents.clinical_trial_design.outline import SEVERE
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import (
    CompetingTrials,
    Feasibility,
    Monitoring,
    NumberRange,
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
from core.records.precedents import SettingTrial
from core.stats.trial_design.conduct import detectable_rate

LEAST_LABELS_SHARE = 0.2
MOST_TERMS = 12
MOST_COMPETING = 25
_FOLLOW_UP = {"cell therapy": 15.0, "gene therapy": 15.0}
LONGEST = 60
RAMP = 6.0
_FEASIBLE, _STRETCHED = 50, 90


def make_safety(case: DesignCase) -> SafetyPlan:
    """Return how safety is watched."""
    question = case.question
    n = max(1, (case.n or 100) // (2 if case.is_randomized else 1)) + (question.safety.n or 0)
    years = next((_FOLLOW_UP[kind] for kind in sorted(question.kinds & _FOLLOW_UP.keys())), None)
    return SafetyPlan(
        dmc=_monitoring(case),
        stopping_rules=list(_stopping(case)),
        special_interest=_interest(case),
        safety_database=SafetyDatabase(
            n=n,
            detectable_rate=round(detectable_rate(n), 4),
            expected=question.expected.safety_database if question.expected else "",
        ),
        follow_up_years=years,
    )


def _monitoring(case: DesignCase) -> Monitoring:
    designs = case.designs
    monitored = [
        precedent.row for precedent in case.near if _monitored(case, precedent.row) is not None
    ]
    with_one = [row for row in monitored if designs[row.record_id].monitored]
    question = case.question
    is_pivotal = case.is_randomized and question.study in {"pivotal", "confirmatory"}
    is_serious = question.traits.serious == "yes"
    share = round(len(with_one) / len(monitored), 3) if monitored else None
    looks = " with looks" if case.plan.bounds else ""
    early = "serious disease" if is_serious else "early or open study"
    why = f"randomized pivotal study{looks}" if is_pivotal else early
    reason = (
        f"{why}; {len(with_one)} of {count(len(monitored), 'precedent')} that say have a committee"
    )
    return Monitoring(
        needed=is_pivotal or is_serious,
        reason=reason,
        share=share,
        n_precedents=len(monitored),
        source_ids=case.ids_of(with_one, 3),
    )


def _monitored(case: DesignCase, row: SettingTrial) -> bool | None:
    design = case.designs.get(row.record_id)
    return design.monitored if design else None


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
    if question.study != "first in human":
        yield StoppingRule(
            event="ALT of 3 and bilirubin of 2 times the upper limit (Hy's law)",
            rule="stop the drug, rule out other causes (FDA, July 2009)",
        )


def _interest(case: DesignCase) -> list[SpecialInterest]:
    """Return the events that labels of the class name, and those of the own profile."""
    question, texts = case.question, case.texts
    own_terms = " ; ".join(
        [*(event.term for event in question.safety.events), *question.safety.dlt]
    )
    own_terms = f"{own_terms} ; {question.safety.boxed_class}"
    rows = []
    for row, pattern in interest_terms():
        naming = [record_id for record_id, text in texts.items() if pattern.search(text)]
        share = round(len(naming) / len(texts), 3) if texts else None
        is_own, is_kind = bool(pattern.search(own_terms)), _is_of_kind(row, question)
        if is_own or is_kind or (share or 0) >= LEAST_LABELS_SHARE:
            rows.append((is_own, share or 0.0, row, naming, share))
    rows.sort(key=lambda row: (not row[0], -row[1], row[2].term))
    usual = question.expected.monitored if question.expected else ()
    expected = [
        SpecialInterest(term=term, share=None, n_labels=0, monitoring=how or "at each visit")
        for term, how in usual
    ]
    seen = {event.term.casefold() for event in expected}
    interests = expected + [
        SpecialInterest(
            term=row.term,
            share=share,
            n_labels=len(naming),
            monitoring=row.monitoring,
            source_ids=case.ids(naming, 3),
        )
        for _, _, row, naming, share in rows[:MOST_TERMS]
        if row.term.casefold() not in seen
    ]
    patterns = [pattern for _, pattern in interest_terms()]
    for term in filter(
        None, (question.safety.boxed_class, *(e.term for e in question.safety.events))
    ):
        if not any(pattern.search(term) for pattern in patterns):
            interests.append(
                SpecialInterest(
                    term=term, share=None, n_labels=0, monitoring="own profile: grade and outcome"
                )
            )
    return interests


def _is_of_kind(row: InterestRow, question: Question) -> bool:
    """Return whether an event is usual with the kind of drug, or with what it acts on."""
    kinds = set(question.kinds)
    kinds |= {"CAR-T"} if question.is_car_t else set()
    kinds |= {"T cell engager"} if question.engages_t_cells else set()
    named = row.drug_words and re.search(row.drug_words, question.drug_text, re.IGNORECASE)
    return bool(kinds & set(split(row.kinds)) or named)


def make_feasibility(case: DesignCase) -> Feasibility:
    """Return how long recruitment takes and who else recruits."""
    rows = [precedent.row for precedent in case.competing]
    rates, percentile = _rates(case), _percentile(case)
    typical = case.typical
    share = None
    if case.n and typical:
        share = round(1 / (1 + len(rows) * typical / case.n), 3)
    return Feasibility(
        index=_index(percentile),
        sites=case.range(
            number_range((trial.sites for trial in case.alike), "sites"),
            [trial for trial in case.alike if trial.sites],
        ),
        rate_per_site_month=rates,
        planned_sites=case.enrollment.sites if case.enrollment else None,
        ramp_months=case.enrollment.ramp if case.enrollment else RAMP,
        enrollment_months=case.fill_months,
        percentile=percentile,
        competing_trials=CompetingTrials(
            count=len(rows),
            nct_ids=[row.number for row in rows[:MOST_COMPETING]],
            source_ids=case.ids_of(rows, 10),
        ),
        pool_share=share,
        regions=_regions(case),
        manufacturing_notes=list(_supply(case)),
        assumptions=list(_how_filled(case)),
    )


def _rates(case: DesignCase) -> NumberRange:
    """Return the patients a site and month: of precedents, else the published median."""
    rates = case.range(case.lower_rates, [trial for trial in case.alike if trial.sites])
    if rates.n:
        return rates
    return NumberRange(
        low=None,
        median=benchmark("rate_per_site_month"),
        high=None,
        n=0,
        unit="patients a site and month (published median of industry phase 3)",
    )


def _index(percentile: float | None) -> Literal["feasible", "stretched", "infeasible", "unknown"]:
    if percentile is None:
        return "unknown"
    if percentile <= _FEASIBLE:
        return "feasible"
    return "stretched" if percentile <= _STRETCHED else "infeasible"


def _percentile(case: DesignCase) -> float | None:
    """Return where the months to the readout lie among like precedents."""
    months_of_trials = [trial.months for trial in case.alike if trial.months]
    if not months_of_trials or case.months is None:
        return None
    return round(
        100 * sum(months <= case.months for months in months_of_trials) / len(months_of_trials),
        1,
    )


def _how_filled(case: DesignCase) -> Iterator[str]:
    yield "Rates of precedents leave out their follow-up, by the time point of the endpoint."
    plan = case.enrollment
    if plan is not None:
        row = case.question.expected
        is_own = bool(row and row.site_rate)
        whose = "usual in the setting" if is_own else "published median, or precedents' if higher"
        yield (
            f"{count(plan.sites, 'site')} for {count(case.n or 0, 'participant')} at {plan.rate:g} "
            f"patients a site and month ({whose}), opened evenly over {plan.ramp:g} months."
        )
        if plan.limit:
            yield f"{plan.limit} set the pace: {plan.months} months of recruitment."
    if case.size.n is None and case.typical:
        yield f"Months assume the {case.typical:g} participants of comparable trials."


def _regions(case: DesignCase) -> list[RegionShare]:
    """Return the share of near precedents with sites in the agency's region and elsewhere."""
    designs = case.designs
    reported = [precedent.row for precedent in case.near if _countries(case, precedent.row)]
    agency_regions = {
        name for row in agency_rows(case.question.agency) for name in split(row.regions)
    }
    regions_by_name = (
        {f"region of {case.question.agency}": agency_regions} if len(agency_regions) > 1 else {}
    )
    regions_by_name |= {
        region: {region}
        for region in ("United States", "China", "Japan", *sorted(agency_regions)[:1])
    }
    shares = []
    for region, names in regions_by_name.items():
        same = [row for row in reported if names & set(designs[row.record_id].countries)]
        if reported:
            shares.append(
                RegionShare(
                    region=region,
                    share=round(len(same) / len(reported), 3),
                    n=len(reported),
                    source_ids=case.ids_of(same, 2),
                )
            )
    return shares


def _countries(case: DesignCase, row: SettingTrial) -> tuple[str, ...]:
    design = case.designs.get(row.record_id)
    return design.countries if design else ()


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
