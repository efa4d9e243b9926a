"""The trial on one page: design, arms, periods, patients, comparator."""

import re
import statistics
from collections.abc import Iterator
from typing import Literal

from core.agents.clinical_trial_design.case import DesignCase, count, name_drugs, share_of
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
from core.agents.clinical_trial_design.tables import fit_exclusions, split
from core.evidence.proof.claims import cut_at_word, unmark
from core.knowledge.withdrawn_drugs import find_withdrawn, market_of
from core.records.precedents import LabelUse, SettingTrial, word_age
from core.vocabulary.lines import asked_by

_AGES = re.compile(
    r"(\d+(?:\.\d+)?) ?(months?|years?)?(?: of age)? (?:to|through|and|-|–) (\d+) (years?)", re.I
)
_UP_TO = re.compile(
    r"\b(?:up to|below|under|younger than|less than|within) (?:the first )?(\d+) "
    r"(days|weeks|months|years)\b(?: of (?:age|life)| old)?(?! (?:after|of onset|from))",
    re.IGNORECASE,
)
_PER_YEAR = {"days": 365, "weeks": 52, "months": 12, "years": 1}
_OLDER = re.compile(
    r"(\d+) years(?: of age)? (?:and|or) (?:older|over|above)|(?<=aged )(\d+)\+", re.I
)
_AGE_TERMS = (
    (re.compile(r"\badolescen|\bteen", re.I), 12.0, 17.0),
    (re.compile(r"\bnewborn|\bneonat", re.I), None, 0.08),
    (re.compile(r"\binfan(?:ts?|tile)\b|\bbab(?:y|ies)\b", re.I), None, 1.0),
    (re.compile(r"\bchild|p(?:a)?ediatric|\bjuvenile\b|\bboys\b|\bgirls\b", re.I), None, 17.0),
)
"""Terms of ages with their limits in years, the first that a text names counts."""
LONGEST = 60
"""Characters of a name in a list."""
_CONTROLS = {
    "active": (
        *("active control", "active-controlled", "where an approved standard of the line exists"),
        "larger, but convinces payers",
    ),
    "placebo": (
        *("placebo", "placebo-controlled", "where patients can go without active treatment"),
        "smallest; not where effective care exists",
    ),
    "add_on_placebo": (
        *("placebo added to background care", "placebo-controlled add-on"),
        *("where background care goes on", "blind; shows the added effect alone"),
    ),
    "single_arm": (
        *("no control arm", "", "late line without care, large effect"),
        "fast; needs a confirmatory trial",
    ),
    "dose_control": (
        *("another dose of the same drug", "dose-controlled", "dose still open"),
        "shows dose response, not benefit over care",
    ),
}
"""Of a kind of control its name, its word in the design, when it fits and what it costs."""
MOST_NEAR = 40
MOST_APPROVED = 3
_MOST_FACTORS = 4
OF_CLASS = 0.5
"""Match of mechanism from which a trial tests the same class of drug."""
SEVERE = 0.05
"""Share of patients with grade 3 or more from which an own event counts as severe."""
Option = tuple[str, str, str]
"""A regimen, its setting and its record."""


def design_words(case: DesignCase) -> str:
    """Return the design in one line."""
    question, row = case.question, case.expected
    if question.study == "first in human":
        if row is not None and row.intent == "biosimilar":
            return "single-dose, parallel pharmacokinetic similarity study"
        if question.is_oncology:
            return "first-in-human dose escalation (BOIN) with expansion"
        if not case.is_randomized:
            return "first-in-human single-arm study with staggered dosing"
        return "first-in-human single and multiple ascending doses, placebo-controlled"
    if not case.is_randomized:
        is_two_stage = question.study == "phase 2" and question.is_oncology
        return "single-arm, open-label, two-stage" if is_two_stage else "single-arm, open-label"
    aim = f"{row.comparison.replace('_', '-')}, " if row and row.comparison != "superiority" else ""
    phase = "phase 2" if question.study == "phase 2" else "phase 3"
    return f"randomized, {blinding(case)}, {aim}{_CONTROLS[case.comparator][1]}, {phase}"


def blinding(case: DesignCase) -> str:
    """Return the masking: as most precedents of the same control, blind where placebo is."""
    if not case.is_randomized:
        return "open-label"
    if case.comparator in {"placebo", "add_on_placebo"}:
        return "double-blind"
    if case.question.is_oncology or case.question.is_conditioned:
        return "open-label"  # schedules and toxicity of cancer's controls tell the arms apart
    row = case.expected
    if row is not None and row.control == "active" and row.control_words.startswith("standard"):
        return "open-label with blinded endpoint assessment"  # of care in use there is no dummy
    masks = [row.design.masking for row in _same_control(case) if row.design.masking != "unknown"]
    return max(sorted(set(masks)), key=masks.count, default="double-blind")


def make_schema(case: DesignCase) -> TrialSchema:
    """Return arms, periods, looks."""
    arms = list(_arms(case))
    looks = len(case.plan.looks) - 1 if case.is_randomized else 0
    ids, filled, after = case.ids_of(case.alike), case.fill_months, None
    if case.months is not None and filled is not None:
        after = round(max(0.0, case.months - filled), 1)
    randomization = Randomization(
        ratio=":".join("1" * case.plan.groups), stratification=factors(case), source_ids=ids
    )
    return TrialSchema(
        arms=arms,
        randomization=randomization if case.is_randomized else None,
        blinding=blinding(case),
        periods=[
            Period(name="screening", months=1.0),
            Period(name="enrollment", months=filled),
            Period(name="treatment and follow-up to the readout", months=after),
            Period(name="safety follow-up", months=3.0),
        ],
        interim_looks=looks,
        diagram=_diagram(case, arms, looks),
        source_ids=ids if case.question.setting.areas else [],
    )


def _arms(case: DesignCase) -> Iterator[Arm]:
    question, total, is_active = case.question, case.planned_total, case.comparator == "active"
    regimen = question.regimen or "dose and interval to be set"
    given = f" with {' and '.join(question.partners)}" if question.partners else ""
    each = total // case.plan.groups if total else None
    if not case.is_randomized:
        yield Arm(name=f"{question.asset}{given}", role="experimental", regimen=regimen, n=total)
        return
    role: Literal["experimental", "add_on"] = "add_on" if question.partners else "experimental"
    for dose in question.doses if len(question.doses) > 1 else ("",):
        name = f"{question.asset} {dose}".strip()
        how = ", ".join([dose, *regimen.split(", ")[1:]]) if dose else regimen
        yield Arm(name=f"{name}{given}", role=role, regimen=how, n=each)
    yield Arm(
        name=control_words(case),
        role="control",
        regimen="as labeled" if is_active else "matching",
        n=each,
        source_ids=case.ids((row.record_id for row in _care_named(case)), 3) if is_active else [],
    )


def _care_named(case: DesignCase) -> list[LabelUse]:
    """Return the approved uses behind the control: those of its drugs where it names any."""
    row = case.question.expected
    words = row.control_words.casefold() if row else ""
    return [
        use
        for use in case.care
        if row is None or any(drug.casefold() in words for drug in use.drugs)
    ]


def control_words(case: DesignCase) -> str:
    """Return the control arm in words; drugs are those of labels or precedents."""
    row, partners = case.question.expected, " and ".join(case.question.partners)
    if row is not None and row.control == case.comparator:
        is_named = all(partner in row.control_words for partner in case.question.partners)
        return row.control_words + ("" if is_named else f", each with {partners}")
    if case.comparator == "active":
        if partners and case.question.is_oncology:
            return f"standard of care with or without {partners}"
        shown = " or ".join(option.regimen for option in care_options(case)[:2])
        such = f", such as {shown}" if shown else ""
        if case.question.is_conditioned and row is not None:
            return f"standard care of {case.question.disease}, without placebo{such}"
        return f"standard of care{such}"
    if case.comparator == "add_on_placebo":
        return f"placebo with {partners or 'background care'}"
    return _CONTROLS[case.comparator][0]


def care_options(case: DesignCase) -> list[CareOption]:
    """Return controls of trials of the line or the class, approved regimens, then other controls.

    What such trials compare with is the standard of care in use; a label may be narrower
    than the patients planned for.
    """
    question, usual = case.question, case.question.expected
    controls, of_line = _list_controls(case)
    first: dict[str, Option] = {}
    for option in (*of_line, *_label_options(case), *(controls if usual is None else ())):
        first.setdefault(option[0].casefold(), option)
    market = market_of(question.agency)
    options = [
        CareOption(regimen=name, setting=setting, source_ids=case.ids([record_id]))
        for name, setting, record_id in list(first.values())[:8]
        if not find_withdrawn([name], [question.disease], market)
    ]
    if usual is None:
        return options
    if usual.control != case.comparator == "active":
        return options
    expected = CareOption(regimen=usual.control_words, setting=f"expected in {usual.label}")
    return [expected] if usual.intent == "biosimilar" else [expected, *options]


def _label_options(case: DesignCase) -> Iterator[Option]:
    """Yield the approved regimens of the line."""
    for row in (*_care_named(case), *(() if case.care else case.approved[:MOST_APPROVED])):
        marker = cut_at_word(unmark(row.use.biomarker), LONGEST)
        setting = ", ".join(filter(None, (row.use.line, marker)))
        drugs = [drug for drug in row.drugs if "hyaluronidase" not in drug.casefold()]
        name = cut_at_word(name_drugs(drugs or row.drugs), LONGEST).lower()
        yield name, setting or "line of therapy not stated", row.record_id


def _list_controls(case: DesignCase) -> tuple[list[Option], list[Option]]:
    """Return active controls of near trials: other ones, then those of the line or the class."""
    others: list[Option] = []
    of_line: list[Option] = []
    for precedent in case.near[:MOST_NEAR]:
        named = cut_at_word(name_drugs(precedent.row.comparators), LONGEST)
        if precedent.row.design.control != "active" or not named:
            continue
        line, mechanism = (precedent.match.parts.get(name, 0.0) for name in ("line", "mechanism"))
        is_of_class = line > 0 and mechanism >= OF_CLASS and not case.question.is_around_surgery
        is_same = line == 1.0 or is_of_class
        option = (named.lower(), f"control of {precedent.row.number}", precedent.row.record_id)
        (of_line if is_same else others).append(option)
    names = [option[0] for option in of_line]
    return others, sorted(of_line, key=lambda option: -names.count(option[0]))


def factors(case: DesignCase) -> list[str]:
    """Return the factors of randomization: marker and line asked for, then those of the area."""
    question, row = case.question, case.question.expected
    own_factors = [f"{biomarker} status" for biomarker in question.setting.biomarkers[:1]]
    own_factors += ["background regimen"] if question.partners else []
    usual = split(row.factors if row and row.factors else question.traits.factors)
    if question.is_around_surgery or "1L" in map(str, question.setting.lines):
        usual = tuple(factor for factor in usual if "earlier lines" not in factor)
    return list(dict.fromkeys([*own_factors, *usual]))[:_MOST_FACTORS]


def _diagram(case: DesignCase, arms: list[Arm], looks: int) -> str:
    """Return the scheme as plain text, one line a step."""
    joined = " | ".join(f"{arm.name} (n {arm.n if arm.n else 'open'})" for arm in arms)
    how = f"Randomization {':'.join('1' * len(arms))}" if len(arms) > 1 else "Treatment"
    return "\n".join(
        [
            f"Screening: {case.question.disease}",
            f"{how} -> {joined}",
            *([f"{count(looks, 'interim look')} -> final analysis"] if looks else []),
            f"Primary endpoint: {', '.join(primary_names(case)) or 'open'}",
        ]
    )


def make_population(case: DesignCase) -> TargetPopulation:
    """Return who is enrolled, with the share of precedents that name the same."""
    question, markers = case.question, case.question.setting.biomarkers
    age = ages(case)
    least = "" if age.min is None else f"from {word_age(age.min)}"
    most = "" if age.max is None else f"{'up ' * (not least)}to {word_age(age.max)}"
    limits = " ".join(filter(None, (least, most))).replace(" 1 months", " 1 month") or "any"
    who, _ = _who(case)
    words = dict.fromkeys([who, *question.line_words, *markers])
    with_marker = [trial for trial in case.near if set(markers) & set(trial.row.biomarkers)]
    return TargetPopulation(
        summary=f"{', '.join(words)}, age {limits}.",
        inclusion=list(_inclusion(case)),
        exclusion=list(_exclusion(case)),
        biomarker=BiomarkerPlan(
            required=bool(markers),
            marker=next(iter(markers), None),
            companion_diagnostic=bool(markers) and question.study != "first in human",
            source_ids=case.ids_of(with_marker, 3),
        ),
        line_of_therapy=", ".join(question.line_words) or None,
        age=age,
        source_ids=case.ids_of(case.alike, 3),
    )


def _is_preventive(case: DesignCase) -> bool:
    """Return whether people without the disease are enrolled: attacks of it need the disease."""
    row, intents = case.question.expected, case.question.intents
    return bool(({row.intent} if row else intents) & {"prevention", "vaccine"})


def _who(case: DesignCase) -> tuple[str, str]:
    """Return who is enrolled, and how the inclusion puts it."""
    row, disease = case.question.expected, case.question.disease
    if row is not None and row.who:
        who, _, criterion = row.who.partition("|")
        return who, criterion
    if _is_preventive(case):
        return f"People at risk of {disease}", f"at risk of {disease}, without it at entry"
    return f"Patients with {disease}", f"confirmed diagnosis of {disease}"


def ages(case: DesignCase) -> AgeLimits:
    """Return the limits of age: of the request, of trials of the class, of near precedents.

    From 18 years where none reports them.
    """
    row = case.question.expected
    asked, usual = case.question.patients_text, row.criteria if row else ""
    named = _read_terms(asked)
    if named is not None and not named.min:  # "children" says less than years of the class
        named = _read_years(usual) or named
    if limits := _read_years(asked) or named or _read_years(usual) or _read_terms(usual):
        return limits
    spans = [trial.row.ages for trial in case.near]
    lows = [low for low, _ in spans if low is not None]
    highs = [high for _, high in spans if high is not None]
    return AgeLimits(
        min=statistics.median_low(lows) if lows else 18.0,
        max=statistics.median_low(highs) if len(highs) > len(lows) / 2 else None,
    )


def _read_years(text: str) -> AgeLimits | None:
    """Return the limits of age that a text gives in figures; None where it gives none."""
    if match := _AGES.search(text):
        start, unit, end, last = match.groups()
        years = float(start) / 12 if (unit or last).startswith("month") else float(start)
        return AgeLimits(min=round(years, 2), max=float(end))
    if least := _OLDER.search(text):
        return AgeLimits(min=float(least[1] or least[2]), max=None)
    most = _UP_TO.search(text) if _read_terms(text) else None
    years = float(most[1]) / _PER_YEAR[most[2].casefold()] if most else 0.0
    return AgeLimits(min=None, max=round(years, 2)) if most else None


def _read_terms(text: str) -> AgeLimits | None:
    """Return the limits of age that words such as "infants" mean; None without such words."""
    terms = () if "adult" in text.casefold() else _AGE_TERMS
    named = next((limits for term, *limits in terms if term.search(text)), None)
    return AgeLimits(min=named[0], max=named[1]) if named else None


def _inclusion(case: DesignCase) -> Iterator[Criterion]:
    question, patients, rows = case.question, case.question.patients, [t.row for t in case.near]
    is_preventive = _is_preventive(case)
    yield Criterion(
        criterion=_who(case)[1],
        share=1.0 if rows and not is_preventive else None,
        rationale="the drug is to prevent the indication"
        if is_preventive
        else f"the requested indication{'; every precedent names it or a kind of it' * bool(rows)}",
        source_ids=case.ids_of(rows, 3),
    )
    for criterion in split(question.expected.criteria) if question.expected else ():
        yield Criterion(criterion=criterion, share=None, rationale="usual in trials of the class")
    for line in question.setting.lines:
        with_line = [row for row in rows if row.line]
        same = [row for row in with_line if asked_by(row.line) == line]
        yield Criterion(
            criterion=f"line of treatment: {LATE_LINE if question.is_late_line else line}",
            share=share_of(same, with_line),
            rationale=f"as requested; {len(same)} of {len(with_line)} close precedents that "
            "report a line",
            source_ids=case.ids_of(same, 3),
        )
    for marker in question.setting.biomarkers:
        same = [row for row in rows if marker in row.biomarkers]
        yield Criterion(
            criterion=f"{marker} by a validated test",
            share=share_of(same, rows),
            rationale="selection named in the request",
            source_ids=case.ids_of(same, 3),
        )
    named = [*patients.populations, *patients.biomarkers] if patients else []
    if patients and not question.is_late_line:
        named += [f"line of treatment: {line}" for line in patients.lines]
    for words in named:
        rationale = "population named in the request"
        yield Criterion(criterion=str(words), share=None, rationale=rationale)


def _exclusion(case: DesignCase) -> Iterator[Criterion]:
    question, row = case.question, case.question.expected
    usual = tuple(fit_exclusions(split(question.traits.exclusions), question.setting_text))
    where = question.traits.area.lower()
    if row and row.exclusions:
        usual, where = split(row.exclusions), "trials of the class"
    for exclusion in usual:
        yield Criterion(criterion=exclusion, share=None, rationale=f"usual in {where}")
    for event in question.safety.events:
        if (event.grade3_rate or 0.0) >= SEVERE:
            yield Criterion(
                criterion=f"condition that raises the risk of {event.term}",
                share=None,
                rationale=f"severe in {event.grade3_rate:.0%} of own patients",
            )


def make_comparator(case: DesignCase) -> ComparatorStrategy:
    """Return the comparator with its rule, the care of the line and the alternatives."""
    planned, historical = case.plan.planned, None
    control = planned.control
    if case.comparator == "single_arm" and control is not None and 0 <= control <= 1:
        historical = HistoricalControl(
            p0=control,
            lower_bound_rule="the lower 95 % bound of the response must lie above it",
            source_ids=case.ids(planned.control_ids),
        )
    return ComparatorStrategy(
        recommended=control_words(case),
        type=case.comparator,
        rule=case.comparator_rule,
        standard_of_care=care_options(case),
        historical_control=historical,
        non_inferiority=_non_inferiority(case),
        alternatives=[
            Alternative(
                comparator=_CONTROLS[kind][0],
                when=f"{_CONTROLS[kind][2]}; {count(number, 'precedent')}",
                tradeoff=_CONTROLS[kind][3],
            )
            for kind, _, number in case.comparator_votes
            if kind != case.comparator
        ],
        precedent_types={name: number for name, _, number in case.comparator_votes},
        source_ids=case.ids_of(_same_control(case)),
    )


def _same_control(case: DesignCase) -> list[SettingTrial]:
    kind = case.comparator.replace("_", " ").replace("add on", "add-on")
    return [precedent.row for precedent in case.near if precedent.row.design.control == kind]


def _non_inferiority(case: DesignCase) -> NonInferiority:
    row, margin, planned = case.expected, case.plan.margin, case.plan.planned
    if margin is not None and (row is None or row.comparison != "superiority"):
        is_given = "margin" in planned.given or planned.table is None
        source = "given in the request" if is_given or not planned.table else planned.table.words
        return NonInferiority(applicable=True, margin=margin, basis=f"margin {margin:g}: {source}")
    if not case.compares_arms:
        basis = "no arms are compared: no margin applies"
        return NonInferiority(applicable=False, margin=None, basis=basis)
    fits = case.comparator == "active" and case.question.traits.area == "Infectious"
    basis = (
        "active control in an infection: a margin from the effect of the comparator over none "
        "(ICH E10) has to be derived; none was found"
        if fits
        else "superiority is planned: no margin can be derived from what was found"
    )
    return NonInferiority(applicable=fits, margin=None, basis=basis)
