"""How the trial is watched and filled: safety, sites, months, competing trials, supply."""

import re
from collections.abc import Iterator
from typing import Literal

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.drafting import Draft, count, name_drugs
from core.agents.clinical_trial_design.outline import SEVERE
from core.agents.clinical_trial_design.records import (
    Benchmark,
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
from core.evidence.proof.claims import cut_at_word, unmark
from core.records.precedents import SettingTrial
from core.records.stages import STAGE_WORDS
from core.stats.trial_design.conduct import detectable_rate

LEAST_LABELS_SHARE = 0.2
MOST_TERMS = 12
MOST_COMPETING = 25
_FOLLOW_UP = {"cell therapy": 15.0, "gene therapy": 15.0}
LONGEST = 60
RAMP = 6.0
_FEASIBLE, _STRETCHED = 50, 90


def make_safety(draft: Draft) -> SafetyPlan:
    """Return how safety is watched."""
    asked, made = draft.asked, draft.made
    n = max(1, (made.n or 100) // (2 if made.is_randomized else 1)) + (asked.safety.n or 0)
    years = next((_FOLLOW_UP[kind] for kind in sorted(asked.kinds & _FOLLOW_UP.keys())), None)
    return SafetyPlan(
        dmc=_monitoring(draft),
        stopping_rules=list(_stopping(draft)),
        special_interest=_interest(draft),
        safety_database=SafetyDatabase(
            n=n,
            detectable_rate=round(detectable_rate(n), 4),
            expected=asked.expected.safety_database if asked.expected else "",
        ),
        follow_up_years=years,
    )


def _monitoring(draft: Draft) -> Monitoring:
    designs = draft.found.designs
    told = [one.row for one in draft.near if _monitored(draft, one.row) is not None]
    with_one = [row for row in told if designs[row.record_id].monitored]
    made, asked = draft.made, draft.asked
    is_pivotal = made.is_randomized and asked.study in {"pivotal", "confirmatory"}
    is_serious = asked.traits.serious == "yes"
    share = round(len(with_one) / len(told), 3) if told else None
    looks = " with looks" if made.plan.bounds else ""
    early = "serious disease" if is_serious else "early or open study"
    why = f"randomized pivotal study{looks}" if is_pivotal else early
    reason = f"{why}; {len(with_one)} of {count(len(told), 'precedent')} that say have a committee"
    return Monitoring(
        needed=is_pivotal or is_serious,
        reason=reason,
        share=share,
        n_precedents=len(told),
        source_ids=draft.ids_of(with_one, 3),
    )


def _monitored(draft: Draft, row: SettingTrial) -> bool | None:
    design = draft.found.designs.get(row.record_id)
    return design.monitored if design else None


def _stopping(draft: Draft) -> Iterator[StoppingRule]:
    safety, asked = draft.asked.safety, draft.asked
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
    if asked.study != "first in human":
        yield StoppingRule(
            event="ALT of 3 and bilirubin of 2 times the upper limit (Hy's law)",
            rule="stop the drug, rule out other causes (FDA, July 2009)",
        )


def _interest(draft: Draft) -> list[SpecialInterest]:
    """Return the events that labels of the class name, and those of the own profile."""
    asked, texts = draft.asked, draft.found.texts
    own = " ; ".join([*(event.term for event in asked.safety.events), *asked.safety.dlt])
    own = f"{own} ; {asked.safety.boxed_class}"
    rows = []
    for row, pattern in interest_terms():
        naming = [one for one, text in texts.items() if pattern.search(text)]
        share = round(len(naming) / len(texts), 3) if texts else None
        is_own, is_kind = bool(pattern.search(own)), _is_of_kind(row, asked)
        if is_own or is_kind or (share or 0) >= LEAST_LABELS_SHARE:
            rows.append((is_own, share or 0.0, row, naming, share))
    rows.sort(key=lambda one: (not one[0], -one[1], one[2].term))
    usual = asked.expected.monitored if asked.expected else ()
    expected = [
        SpecialInterest(term=term, share=None, n_labels=0, monitoring=how or "at each visit")
        for term, how in usual
    ]
    seen = {one.term.casefold() for one in expected}
    found = expected + [
        SpecialInterest(
            term=row.term,
            share=share,
            n_labels=len(naming),
            monitoring=row.monitoring,
            source_ids=draft.ids(naming, 3),
        )
        for _, _, row, naming, share in rows[:MOST_TERMS]
        if row.term.casefold() not in seen
    ]
    known = [pattern for _, pattern in interest_terms()]
    for term in filter(None, (asked.safety.boxed_class, *(e.term for e in asked.safety.events))):
        if not any(pattern.search(term) for pattern in known):
            found.append(
                SpecialInterest(
                    term=term, share=None, n_labels=0, monitoring="own profile: grade and outcome"
                )
            )
    return found


def _is_of_kind(row: InterestRow, asked: Asked) -> bool:
    """Return whether an event is usual with the kind of drug, or with what it acts on."""
    kinds = set(asked.kinds)
    kinds |= {"CAR-T"} if asked.is_car_t else set()
    kinds |= {"T cell engager"} if asked.engages_t_cells else set()
    named = row.drug_words and re.search(row.drug_words, asked.drug_text, re.IGNORECASE)
    return bool(kinds & set(split(row.kinds)) or named)


def make_feasibility(draft: Draft) -> Feasibility:
    """Return how long recruitment takes and who else recruits."""
    made, found = draft.made, draft.found
    rows = [one.row for one in found.competing]
    rates, percentile = _rates(draft), _percentile(draft)
    typical = made.typical
    share = None
    if made.n and typical:
        share = round(1 / (1 + len(rows) * typical / made.n), 3)
    return Feasibility(
        index=_index(percentile),
        sites=draft.range(made.sites, [one for one in made.alike if one.sites]),
        rate_per_site_month=rates,
        planned_sites=made.enrollment.sites if made.enrollment else None,
        ramp_months=made.enrollment.ramp if made.enrollment else RAMP,
        enrollment_months=made.fill_months,
        percentile=percentile,
        competing_trials=CompetingTrials(
            count=len(rows),
            nct_ids=[row.number for row in rows[:MOST_COMPETING]],
            source_ids=draft.ids_of(rows, 10),
        ),
        pool_share=share,
        regions=_regions(draft),
        manufacturing_notes=list(_supply(draft)),
        assumptions=list(_how_filled(draft)),
    )


def _rates(draft: Draft) -> NumberRange:
    """Return the patients a site and month: of precedents, else the published median."""
    made = draft.made
    told = draft.range(made.lower_rates, [one for one in made.alike if one.sites])
    if told.n:
        return told
    return NumberRange(
        low=None,
        median=benchmark("rate_per_site_month").median,
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


def _percentile(draft: Draft) -> float | None:
    """Return where the months to the readout lie among like precedents."""
    told = [one.months for one in draft.made.alike if one.months]
    if not told or draft.made.months is None:
        return None
    return round(100 * sum(one <= draft.made.months for one in told) / len(told), 1)


def _how_filled(draft: Draft) -> Iterator[str]:
    made = draft.made
    yield "Rates of precedents leave out their follow-up, by the time point of the endpoint."
    plan = made.enrollment
    if plan is not None:
        row = draft.asked.expected
        is_own = bool(row and row.site_rate)
        whose = "usual in the setting" if is_own else "published median, or precedents' if higher"
        yield (
            f"{count(plan.sites, 'site')} for {count(made.n or 0, 'participant')} at {plan.rate:g} "
            f"patients a site and month ({whose}), opened evenly over {plan.ramp:g} months."
        )
        if plan.limit:
            yield f"{plan.limit} set the pace: {plan.months} months of recruitment."
    if made.size.n is None and made.typical:
        yield f"Months assume the {made.typical:g} participants of comparable trials."


def _regions(draft: Draft) -> list[RegionShare]:
    """Return the share of near precedents with sites in the agency's region and elsewhere."""
    designs = draft.found.designs
    told = [one.row for one in draft.near if _countries(draft, one.row)]
    own = {name for row in agency_rows(draft.asked.agency) for name in split(row.regions)}
    wanted = {f"region of {draft.asked.agency}": own} if len(own) > 1 else {}
    wanted |= {one: {one} for one in ("United States", "China", "Japan", *sorted(own)[:1])}
    found = []
    for region, names in wanted.items():
        same = [row for row in told if names & set(designs[row.record_id].countries)]
        if told:
            found.append(
                RegionShare(
                    region=region,
                    share=round(len(same) / len(told), 3),
                    n=len(told),
                    source_ids=draft.ids_of(same, 2),
                )
            )
    return found


def _countries(draft: Draft, row: SettingTrial) -> tuple[str, ...]:
    design = draft.found.designs.get(row.record_id)
    return design.countries if design else ()


def _supply(draft: Draft) -> Iterator[str]:
    supply, n = draft.asked.supply, draft.made.n
    if supply.slots_per_month:
        half = (n or 0) / (2 if draft.made.is_randomized else 1)
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


def list_benchmarks(draft: Draft) -> list[Benchmark]:
    """Return competing trials: those asked for first, then those of the same mechanism."""
    same = [one.row for one in draft.near if one.match.parts.get("mechanism") == 1.0]
    open_now = [one.row for one in draft.found.competing]
    rows = list({one.number: one for one in (*draft.found.asked_for, *same, *open_now)}.values())
    return [_benchmark(draft, row) for row in rows[:12]]


def _benchmark(draft: Draft, row: SettingTrial) -> Benchmark:
    known = row.record_id in draft.cite.records
    population = ", ".join([*row.conditions[:2], row.line, *row.biomarkers[:2]])
    ends = ", ".join(dict.fromkeys(endpoint.name or endpoint.text for endpoint in row.endpoints))
    return Benchmark(
        asset=cut_at_word(name_drugs(row.drugs) or unmark(row.title), LONGEST),
        phase=STAGE_WORDS[row.phase],
        population=cut_at_word(unmark(population.strip(", ")), 2 * LONGEST) or "not reported",
        endpoint=cut_at_word(unmark(ends), 2 * LONGEST) or "not reported",
        comparator=cut_at_word(name_drugs(row.comparators), LONGEST) or row.design.control,
        sample_size=f"{row.n:,}" if row.n else "not reported",
        outcome=row.outcome,
        source_ids=draft.ids([row.record_id]) if known else [],
    )
