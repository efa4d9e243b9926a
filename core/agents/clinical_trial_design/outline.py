"""The trial on one page: design, arms, periods, patients, comparator."""

import re
import statistics
from collections.abc import Iterator
from typing import Literal

from core.agents.clinical_trial_design.case import DesignCase, count, name_drugs
from core.agents.clinical_trial_design.endpoints import primary_names
from core.agents.clinical_trial_design.question import LATE_LINE
from core.agents.clinical_trial_design.records import (
    AgeLimits,
    Alternative,
    Arm,
    BiomarkerPlan,
    CareOption,
    ComparatorStrategy,
    Criterion,
    HistoricalControl,
    NonInferiority,
    Period,
    Randomization,
    TargetPopulation,
    TrialSchema,
)
from core.agents.clinical_trial_design.tables import split
from core.evidence.proof.claims import cut_at_word, unmark
from core.knowledge.withdrawn_drugs import find_withdrawn, market_of
from core.records.precedents import LabelUse, SettingTrial
from core.vocabulary.lines import asked_by

_AGES = re.compile(
    r"(\d+(?:\.\d+)?) ?(months?|years?)?(?: of age)? (?:to|through|and|-|–) (\d+) (years?)", re.I
)
_OLDER = re.compile(
    r"(\d+) years(?: of age)? (?:and|or) (?:older|over|above)|(?<=aged )(\d+)\+", re.I
)
LONGEST = 60
"""Characters of a name in a list."""
_WORDS = {
    "active": "active control",
    "placebo": "placebo",
    "add_on_placebo": "placebo added to background care",
    "single_arm": "no control arm",
    "dose_control": "another dose of the same drug",
}
_CONTROLLED = {
    "active": "active-controlled",
    "placebo": "placebo-controlled",
    "add_on_placebo": "placebo-controlled add-on",
    "dose_control": "dose-controlled",
}
MOST_NEAR = 40
_MOST_FACTORS = 4
OF_CLASS = 0.5
"""Match of mechanism from which a trial tests the same class of drug."""


def design_words(case: DesignCase) -> str:
    """Return the design in one line."""
    question = case.question
    if question.study == "first in human" and not case.is_randomized and not question.is_oncology:
        return "first-in-human single-arm study with staggered dosing"
    if question.study == "first in human":
        return (
            "first-in-human dose escalation (BOIN) with expansion"
            if question.is_oncology
            else "first-in-human single and multiple ascending doses, placebo-controlled"
        )
    if not case.is_randomized:
        is_two_stage = question.study == "phase 2" and question.is_oncology
        return "single-arm, open-label, two-stage" if is_two_stage else "single-arm, open-label"
    phase = "phase 2" if question.study == "phase 2" else "phase 3"
    row = case.expected
    aim = f"{row.comparison.replace('_', '-')}, " if row and row.comparison != "superiority" else ""
    return f"randomized, {blinding(case)}, {aim}{_CONTROLLED[case.comparator]}, {phase}"


def blinding(case: DesignCase) -> str:
    """Return the masking: as most precedents of the same control, blind where placebo is."""
    if not case.is_randomized:
        return "open-label"
    if case.comparator in {"placebo", "add_on_placebo"}:
        return "double-blind"
    if case.question.is_oncology:
        return "open-label"  # schedules and toxicity of cancer's controls tell the arms apart
    masks = (row.design.masking for row in _same_control(case))
    masks_reported = [mask for mask in masks if mask != "unknown"] or ["double-blind"]
    return max(sorted(set(masks_reported)), key=masks_reported.count)


def make_schema(case: DesignCase) -> TrialSchema:
    """Return arms, periods, looks."""
    question = case.question
    arms = list(_arms(case))
    looks = len(case.plan.looks) - 1 if case.is_randomized else 0
    ids = case.ids_of(case.alike)
    randomization = (
        Randomization(
            ratio=":".join("1" * case.plan.groups), stratification=factors(case), source_ids=ids
        )
        if case.is_randomized
        else None
    )
    periods = [
        Period(name="screening", months=1.0),
        Period(name="enrollment", months=case.fill_months),
        Period(name="treatment and follow-up to the readout", months=_after(case)),
        Period(name="safety follow-up", months=3.0),
    ]
    return TrialSchema(
        arms=arms,
        randomization=randomization,
        blinding=blinding(case),
        periods=periods,
        interim_looks=looks,
        diagram=_diagram(case, arms, looks),
        source_ids=ids if question.setting.areas else [],
    )


def _after(case: DesignCase) -> float | None:
    if case.months is None or case.fill_months is None:
        return None
    return round(max(0.0, case.months - case.fill_months), 1)


def _arms(case: DesignCase) -> Iterator[Arm]:
    question = case.question
    total = case.planned_total
    several = question.doses if len(question.doses) > 1 else ()
    regimen = question.regimen or "dose and interval to be set"
    given = f" with {' and '.join(question.partners)}" if question.partners else ""
    each = total // case.plan.groups if total else None
    if not case.is_randomized:
        yield Arm(name=f"{question.asset}{given}", role="experimental", regimen=regimen, n=total)
        return
    role: Literal["experimental", "add_on"] = "add_on" if question.partners else "experimental"
    for dose in several or ("",):
        name = f"{question.asset} {dose}".strip()
        how = ", ".join([dose, *regimen.split(", ")[1:]]) if dose else regimen
        yield Arm(name=f"{name}{given}", role=role, regimen=how, n=each)
    yield Arm(
        name=control_words(case),
        role="control",
        regimen="as labeled" if case.comparator == "active" else "matching",
        n=each,
        source_ids=case.ids((row.record_id for row in _care_named(case)), 3)
        if case.comparator == "active"
        else [],
    )


def _care_named(case: DesignCase) -> list[LabelUse]:
    """Return the approved uses behind the control: those of its drugs where it names any."""
    row, care = case.question.expected, list(case.care)
    if row is None:
        return care
    words = row.control_words.casefold()
    return [use for use in care if any(drug.casefold() in words for drug in use.drugs)]


def control_words(case: DesignCase) -> str:
    """Return the control arm in words; drugs are those of labels or precedents."""
    question = case.question
    partners = " and ".join(question.partners)
    if question.expected is not None and question.expected.control == case.comparator:
        with_partners = partners and partners not in question.expected.control_words
        return question.expected.control_words + (
            f", each with {partners}" if with_partners else ""
        )
    if case.comparator == "active":
        if partners and question.is_oncology:
            return f"standard of care with or without {partners}"
        options = care_options(case)
        shown = " or ".join(option.regimen for option in options[:2])
        return f"standard of care{f', such as {shown}' if shown else ''}"
    if case.comparator == "add_on_placebo":
        return f"placebo with {partners or 'background care'}"
    return _WORDS[case.comparator]


def care_options(case: DesignCase) -> list[CareOption]:
    """Return controls of trials of the line or the class, approved regimens, then other controls.

    What such trials compare with is the standard of care in use; a label may be narrower
    than the patients planned for.
    """
    options = list[tuple[str, str, str]]()
    usual = case.question.expected
    option = (
        [CareOption(regimen=usual.control_words, setting=f"expected in {usual.label}")]
        if usual
        else []
    )
    lines = set(case.question.setting.lines)
    for row in _care_named(case):
        line = asked_by(row.use.line)
        if lines and line not in lines:
            continue
        marker = cut_at_word(unmark(row.use.biomarker), LONGEST)
        setting = ", ".join(filter(None, (row.use.line, marker)))
        drugs = [drug for drug in row.drugs if "hyaluronidase" not in drug.casefold()]
        name = cut_at_word(name_drugs(drugs or row.drugs), LONGEST).lower()
        options.append((name, setting or "line of therapy not stated", row.record_id))
    controls, of_line = _list_controls(case)
    options = [*of_line, *options, *controls]
    first: dict[str, tuple[str, str, str]] = {}
    for name, setting, record_id in options:
        first.setdefault(name.casefold(), (name, setting, record_id))
    return option + [
        CareOption(regimen=name, setting=setting, source_ids=case.ids([record_id]))
        for name, setting, record_id in list(first.values())[:8]
        if not find_withdrawn([name], [case.question.disease], market_of(case.question.agency))
    ]


def _list_controls(
    case: DesignCase,
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Return active controls of near trials: other ones, then those of the line or the class."""
    others: list[tuple[str, str, str]] = []
    of_line: list[tuple[str, str, str]] = []
    for precedent in case.near[:MOST_NEAR]:
        named = cut_at_word(name_drugs(precedent.row.comparators), LONGEST)
        if precedent.row.design.control != "active" or not named:
            continue
        line, mechanism = (precedent.match.parts.get(name, 0.0) for name in ("line", "mechanism"))
        is_same = line == 1.0 or (line > 0 and mechanism >= OF_CLASS)
        option = (named.lower(), f"control of {precedent.row.number}", precedent.row.record_id)
        (of_line if is_same else others).append(option)
    names = [option[0] for option in of_line]
    return others, sorted(of_line, key=lambda option: -names.count(option[0]))


def factors(case: DesignCase) -> list[str]:
    """Return the factors of randomization: marker and line asked for, then those of the area."""
    question = case.question
    own_factors = [f"{biomarker} status" for biomarker in question.setting.biomarkers[:1]]
    row = case.question.expected
    usual = list(split(row.factors if row and row.factors else question.traits.factors))
    if question.partners:
        own_factors.append("background regimen")
    return list(dict.fromkeys([*own_factors, *usual]))[:_MOST_FACTORS]


def _diagram(case: DesignCase, arms: list[Arm], looks: int) -> str:
    """Return the scheme as plain text, one line a step."""
    lines = [f"Screening: {case.question.disease}"]
    joined = " | ".join(f"{arm.name} (n {arm.n if arm.n else 'open'})" for arm in arms)
    split = f"Randomization {':'.join('1' * len(arms))}" if len(arms) > 1 else "Treatment"
    lines.append(f"{split} -> {joined}")
    if looks:
        lines.append(f"{count(looks, 'interim look')} -> final analysis")
    lines.append(f"Primary endpoint: {', '.join(primary_names(case)) or 'open'}")
    return "\n".join(lines)


def make_population(case: DesignCase) -> TargetPopulation:
    """Return who is enrolled, with the share of precedents that name the same."""
    question = case.question
    marker = question.setting.biomarkers[0] if question.setting.biomarkers else None
    inclusion = list(_inclusion(case))
    line_words = list(question.line_words)
    line = ", ".join(line_words) or None
    age = ages(case)
    words = [question.disease, *line_words, *question.setting.biomarkers]
    return TargetPopulation(
        summary=f"Patients with {', '.join(dict.fromkeys(words))}, age {_age_words(age)}.",
        inclusion=inclusion,
        exclusion=list(_exclusion(case)),
        biomarker=BiomarkerPlan(
            required=marker is not None,
            marker=marker,
            companion_diagnostic=marker is not None and question.study != "first in human",
            source_ids=case.ids_of(_with_marker(case), 3),
        ),
        line_of_therapy=line,
        age=age,
        source_ids=case.ids_of(case.alike, 3),
    )


def _age_words(age: AgeLimits) -> str:
    low = "any" if age.min is None else f"from {age.min:g} years"
    return low if age.max is None else f"{low} to {age.max:g} years"


def ages(case: DesignCase) -> AgeLimits:
    """Return the median limits of age of near precedents; 18 years where none tells them."""
    designs = [case.designs.get(precedent.row.record_id) for precedent in case.near]
    lows = [design.ages[0] for design in designs if design and design.ages[0] is not None]
    highs = [design.ages[1] for design in designs if design and design.ages[1] is not None]
    match = _AGES.search(case.question.patients_text)
    if match:
        low, unit, high, last = match.groups()
        years = float(low) / 12 if (unit or last).startswith("month") else float(low)
        return AgeLimits(min=round(years, 2), max=float(high))
    least = _OLDER.search(case.question.patients_text)
    if least:
        return AgeLimits(min=float(least[1]), max=None)
    patients = case.question.patients
    words = " ".join(patients.populations).casefold() if patients else ""
    if "child" in words or "pediatric" in words:
        return AgeLimits(min=None, max=17.0)
    low = statistics.median_low(lows) if lows else 18.0
    high = statistics.median_low(highs) if len(highs) > len(lows) / 2 and highs else None
    return AgeLimits(min=low, max=high)


def _share(case: DesignCase, same: int, n_reported: int) -> float | None:
    return round(same / n_reported, 3) if n_reported else None


def _with_marker(case: DesignCase) -> list[SettingTrial]:
    requested_markers = set(case.question.setting.biomarkers)
    return [
        precedent.row
        for precedent in case.near
        if requested_markers & set(precedent.row.biomarkers)
    ]


def _inclusion(case: DesignCase) -> Iterator[Criterion]:
    question, near_trials = case.question, case.near
    yield Criterion(
        criterion=f"confirmed diagnosis of {question.disease}",
        share=1.0 if near_trials else None,
        rationale="the requested indication; every precedent names it or a kind of it",
        source_ids=case.ids_of((ranked.row for ranked in near_trials), 3),
    )
    for criterion in split(question.expected.criteria) if question.expected else ():
        yield Criterion(criterion=criterion, share=None, rationale="usual in trials of the class")
    for line in question.setting.lines:
        with_line = [ranked.row for ranked in near_trials if ranked.row.line]
        same = [row for row in with_line if asked_by(row.line) == line]
        yield Criterion(
            criterion=f"line of treatment: {LATE_LINE if question.is_late_line else line}",
            share=_share(case, len(same), len(with_line)),
            rationale=(
                f"as requested; {len(same)} of {len(with_line)} close precedents that report a line"
            ),
            source_ids=case.ids_of(same, 3),
        )
    for marker in question.setting.biomarkers:
        same = [ranked.row for ranked in near_trials if marker in ranked.row.biomarkers]
        yield Criterion(
            criterion=f"{marker} by a validated test",
            share=_share(case, len(same), len(near_trials)),
            rationale="selection named in the request",
            source_ids=case.ids_of(same, 3),
        )
    patients = question.patients
    for line_text in (*patients.populations, *patients.biomarkers) if patients else ():
        yield Criterion(
            criterion=str(line_text), share=None, rationale="population named in the request"
        )
    for line_text in patients.lines if patients and not question.is_late_line else ():
        yield Criterion(
            criterion=f"line of treatment: {line_text}",
            share=None,
            rationale="population named in the request",
        )


def _exclusion(case: DesignCase) -> Iterator[Criterion]:
    question, row = case.question, case.question.expected
    is_own = bool(row and row.exclusions)
    usual = row.exclusions if row and is_own else question.traits.exclusions
    where = "trials of the class" if is_own else question.traits.area.lower()
    for exclusion in split(usual):
        yield Criterion(criterion=exclusion, share=None, rationale=f"usual in {where}")
    for event in question.safety.events:
        if (event.grade3_rate or 0.0) >= SEVERE:
            yield Criterion(
                criterion=f"condition that raises the risk of {event.term}",
                share=None,
                rationale=f"severe in {event.grade3_rate:.0%} of own patients",
            )


SEVERE = 0.05


def make_comparator(case: DesignCase) -> ComparatorStrategy:
    """Return the comparator with its rule, the care of the line and the alternatives."""
    control = case.plan.planned.control
    historical = None
    if case.comparator == "single_arm" and control is not None and 0 <= control <= 1:
        historical = HistoricalControl(
            p0=control,
            lower_bound_rule="the lower 95 % bound of the response must lie above it",
            source_ids=case.ids(case.plan.planned.control_ids),
        )
    return ComparatorStrategy(
        recommended=control_words(case),
        type=case.comparator,
        rule=case.comparator_rule,
        standard_of_care=care_options(case),
        historical_control=historical,
        non_inferiority=_non_inferiority(case),
        alternatives=list(_alternatives(case)),
        precedent_types={name: number for name, _, number in case.comparator_votes},
        source_ids=case.ids_of(_same_control(case)),
    )


def _same_control(case: DesignCase) -> list[SettingTrial]:
    kind = case.comparator.replace("_", " ").replace("add on", "add-on")
    return [precedent.row for precedent in case.near if precedent.row.design.control == kind]


def _non_inferiority(case: DesignCase) -> NonInferiority:
    row, margin = case.expected, case.plan.margin
    if margin is not None and (row is None or row.comparison != "superiority"):
        given = "margin" in case.plan.planned.given
        table = case.plan.planned.table
        source = "given in the request" if given or table is None else table.words
        return NonInferiority(applicable=True, margin=margin, basis=f"margin {margin:g}: {source}")
    fits = case.comparator == "active" and case.question.traits.area == "Infectious"
    basis = (
        "active control in an infection: a margin from the effect of the comparator over none "
        "(ICH E10) has to be derived; none was found"
        if fits
        else "superiority is planned: no margin can be derived from what was found"
    )
    return NonInferiority(applicable=fits, margin=None, basis=basis)


def _alternatives(case: DesignCase) -> Iterator[Alternative]:
    reasons = {
        "active": ("where an approved standard of the line exists", "larger, but convinces payers"),
        "placebo": (
            "where patients can go without active treatment",
            "smallest; not where effective care exists",
        ),
        "add_on_placebo": ("where background care goes on", "blind; shows the added effect alone"),
        "single_arm": ("late line without care, large effect", "fast; needs a confirmatory trial"),
        "dose_control": ("dose still open", "shows dose response, not benefit over care"),
    }
    for kind, _, number in case.comparator_votes:
        if kind != case.comparator:
            when, tradeoff = reasons[kind]
            text = f"{when}; {count(number, 'precedent')}"
            yield Alternative(comparator=_WORDS[kind], when=text, tradeoff=tradeoff)
