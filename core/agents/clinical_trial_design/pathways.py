"""Regulatory pathways with the trigger that fired, and the risks that rules raise."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from core.agents.clinical_trial_design.case import DesignCase, count
from core.agents.clinical_trial_design.effect import own_data
from core.agents.clinical_trial_design.endpoints import (
    approved_votes,
    name_of,
    primaries,
    primary_names,
    registered_votes,
)
from core.agents.clinical_trial_design.expectations import ExpectationRow
from core.agents.clinical_trial_design.planning import find_planning
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import (
    Expectation,
    Guidance,
    PathwayOption,
    RegulatoryPathway,
    Risk,
)
from core.agents.clinical_trial_design.tables import (
    PathwayRow,
    agency_rows,
    endpoint_role,
    pathways_of,
    split,
)

FEW_PRECEDENTS = 3
_KINDS = {
    "oncology_drug": "a drug or biologic against cancer",
    "car_t": "a CAR-T cell therapy",
    "genome_editing": "a product that edits the genome",
    "gene_therapy": "a gene therapy",
    "bispecific": "a bispecific antibody",
    "anti_infective": "an antibacterial or antifungal drug for a serious infection",
}
"""Kinds of drugs that lead to a pathway, each with its reason."""
_MICROBES = re.compile(
    r"bacter|pneumonia|urinary|sepsis|difficile|tubercul|fung|candid|aspergill|gonorrh|skin struct",
    re.IGNORECASE,
)
"""Words of infections by bacteria and fungi, in whose drugs the GAIN Act takes an interest."""
_ENDS = {"no difference shown": "showed no difference", "stopped": "stopped early"}
ROUTE = "route"
"""Kind of a pathway that ends in an approval; programs, designations and advice do not."""
_ORDER = {ROUTE: 0, "program": 1, "designation": 2, "consideration": 3}


def triggers(case: DesignCase) -> dict[str, str]:
    """Return the triggers that fire, each with why."""
    question = case.question
    if "biosimilar" in question.intents:
        return {"biosimilar": "a biosimilar of an approved product"}
    reasons = {"always": "holds for every application"}
    if "orphan" not in question.designations:
        reasons["no_orphan"] = "no orphan designation, which would exempt the indication"
    is_compared = case.expected is not None and case.comparator == "active"
    has_care = bool(case.care or case.approved) or is_compared
    if question.traits.serious and (not has_care or question.is_later_line):
        care = "a later line" if has_care else "no approved use of the line was found"
        reasons["serious_unmet"] = f"serious disease ({question.traits.area}); {care}"
    reasons |= _by_surrogate(case)
    for designation in question.designations:
        reasons[f"designation:{designation}"] = f"the request holds the designation: {designation}"
    return reasons | _by_kind(question)


def _by_surrogate(case: DesignCase) -> dict[str, str]:
    """Return the triggers of a surrogate endpoint: of the expectation, else of its class."""
    question, primary, expected = case.question, primaries(case), case.expected
    row = question.expected_later or expected
    role = endpoint_role(case.endpoint)
    supports = row.supports if row else role.supports if role else ""
    is_accelerated = supports == "accelerated"
    if question.is_oncology:
        is_after_treatment = question.is_later_line or question.is_late_line
        is_open = not case.is_randomized and expected is None
        if (is_accelerated or is_open) and (is_after_treatment or expected):
            why = "cancer after earlier treatment, on a surrogate"
            return {"oncology_later_line": why, "rare_or_late": why}
        return {}
    if supports == "animal rule":
        return {"animal_rule": "trials of efficacy in people are not ethical or feasible"}
    if is_accelerated and primary and (question.traits.serious or expected is not None):
        name = row.endpoint if row else primary_names(case)[0]
        return {"surrogate_endpoint": f"“{name}” is a surrogate in a serious disease"}
    return {}


def _by_kind(question: Question) -> dict[str, str]:
    """Return the triggers of the kind of drug."""
    is_gene_therapy = bool(question.kinds & {"gene therapy"} or question.is_edited)
    holds = {
        "oncology_drug": question.compares_doses,
        "car_t": question.is_car_t,
        "genome_editing": question.is_edited,
        "gene_therapy": is_gene_therapy or question.is_car_t,
        "bispecific": question.is_bispecific,
        "anti_infective": question.traits.area == "Infectious"
        and not question.kinds & {"vaccine"}
        and bool(_MICROBES.search(f"{question.disease} {question.patients_text}")),
    }
    return {trigger: _KINDS[trigger] for trigger, is_held in holds.items() if is_held}


def make_pathway(case: DesignCase) -> RegulatoryPathway:
    """Return the agency's pathways, the likely one first."""
    agencies, fired = case.question.agencies, triggers(case)
    likely = [(agency, _likely(agency, fired)) for agency in agencies]
    several = len(agencies) > 1
    return RegulatoryPathway(
        agency=" and ".join(agencies),
        likely="; ".join(f"{agency}: {path}" if several else path for agency, path in likely),
        options=[
            _option(row, fired)
            for agency in agencies
            for row in sorted(
                pathways_of(agency), key=lambda row: (row.trigger not in fired, _ORDER[row.kind])
            )
        ],
        differences=[
            f"{agency}: {row.difference}" if several else row.difference
            for agency in agencies
            for row in agency_rows(agency)
            if row.difference and (not row.area or case.question.is_oncology)
        ],
    )


def _likely(agency: str, fired: Mapping[str, str]) -> str:
    """Return the route to approval with the programs held; a designation alone is no route."""
    rows = [row for row in pathways_of(agency) if row.trigger in fired]
    routes = [row.pathway for row in rows if row.kind == ROUTE]
    programs = [
        row.pathway
        for row in rows
        if row.trigger.startswith("designation:") and row.pathway not in routes
    ]
    programs_text = f", with {' and '.join(programs)}" if programs else ""
    return f"{routes[0]}{programs_text}" if routes else "not known"


def _option(row: PathwayRow, fired: Mapping[str, str]) -> PathwayOption:
    why = fired.get(row.trigger, "")
    word = row.trigger.replace("_", " ").replace("designation:", "designation ")
    return PathwayOption(
        agency=row.agency,
        pathway=row.pathway,
        fired=bool(why),
        trigger=why or f"not met: {word}",
        consequence=row.consequence,
        review_months=float(row.review_months) if row.review_months else None,
        document=row.source_title or f"curators' knowledge: {row.note or 'not confirmed'}",
    )


def list_expectations(case: DesignCase) -> list[Expectation]:
    """Return what each agency of the request accepts in the setting."""
    drug = case.question.drug_text
    return [_expectation(agency, row, drug) for agency, row in case.question.expected_by_agency]


def _expectation(agency: str, row: ExpectationRow, drug: str) -> Expectation:
    table = find_planning(row, drug) if row.comparison != "superiority" else None
    return Expectation(
        agency=agency,
        setting=row.label,
        endpoint=row.endpoint,
        time_point=row.time_point,
        supports=row.supports,
        co_endpoint=row.co_endpoint if row.co_rule else "",
        other_endpoints=list(split(row.others)),
        control=row.control_words,
        comparison=row.comparison,
        margin=table.margin if table else None,
        size_range=[row.n_low, row.n_high],
        trials=row.trials,
        safety_database=row.safety_database,
        guidances=[
            Guidance(**guidance.model_dump(include=set(Guidance.model_fields)))
            for guidance in row.guidances
        ],
        basis=row.source_title or "curators’ expectation, not yet verified",
    )


def pathway_for(case: DesignCase, *triggers_wanted: str) -> str:
    """Return the first pathway of the agency with one of these triggers; the likely one else."""
    rows = [row for row in pathways_of(case.question.agency) if row.kind == ROUTE]
    pathways = (row.pathway for word in triggers_wanted for row in rows if row.trigger == word)
    return next(pathways, make_pathway(case).likely)


def list_risks(case: DesignCase) -> list[Risk]:
    """Return the risks, the gravest first."""
    return sorted(_risks(case), key=lambda risk: ("high", "medium", "low").index(risk.severity))


def _risks(case: DesignCase) -> Iterator[Risk]:
    question = case.question
    if question.study != "first in human" and case.precedents.trials:
        for name in primaries(case):
            if case.expected is None or question.preferred is not None:
                yield from _endpoint_risks(case, name)
            elif name == case.endpoint:
                yield from _expectation_risks(case, name)
    preferred, data = question.preferred, question.efficacy
    if data and preferred and own_data(question, preferred.name) is None:
        yield Risk(
            risk="own data speak of another endpoint than the one preferred",
            severity="medium",
            trigger=f"own data: {data.reading.name or 'class not known'}",
            mitigation="plan the effect by precedents, or wait for own data of the endpoint",
        )
    yield from _evidence_risks(case)
    yield from _request_risks(case)
    yield from _letter_risks(case)


def _endpoint_risks(case: DesignCase, name: str) -> Iterator[Risk]:
    """Yield that an endpoint without an expectation has no precedents, or is a surrogate."""
    registered, approved = registered_votes(case, name), approved_votes(case, name)
    if not registered.n_precedents:
        yield Risk(
            risk=f"no precedent of the setting has {name} as its primary endpoint",
            severity="high",
            trigger="0 registered precedents",
            mitigation="agree the endpoint with the agency before the protocol is final",
        )
    elif case.precedents.pivotal and not approved.n_precedents:
        yield Risk(
            risk=f"no label found in this setting is based on {name}",
            severity="medium",
            trigger=f"0 of {len(case.precedents.pivotal)} trials named in labels",
            mitigation="carry an endpoint with approvals as key secondary, with its own level",
        )
    role = endpoint_role(name)
    if role and role.supports == "accelerated" and case.question.study == "pivotal":
        yield _accelerated_alone(name, "table of endpoints: surrogate")


def _expectation_risks(case: DesignCase, name: str) -> Iterator[Risk]:
    """Yield what an expected endpoint leaves open: votes that differ, accelerated approval."""
    votes, shown = case.votes, f"“{name_of(case, name)}”"
    if votes and votes[0][0] != name:
        yield Risk(
            risk=f"precedents most often chose {votes[0][0]}, not {shown}",
            severity="low",
            trigger=f"{count(votes[0][2], 'precedent')} of the setting",
            mitigation="agree the endpoint with the agency before the protocol is final",
        )
    is_accelerated = case.expected is not None and case.expected.supports == "accelerated"
    if is_accelerated and case.question.study == "pivotal":
        yield _accelerated_alone(shown, "expectation of the setting: surrogate")


def _accelerated_alone(name: str, trigger: str) -> Risk:
    return Risk(
        risk=f"{name} supports accelerated approval alone",
        severity="medium",
        trigger=trigger,
        mitigation="start the confirmatory trial before the application",
    )


def _evidence_risks(case: DesignCase) -> Iterator[Risk]:
    with_endpoints = case.reporting
    if len(with_endpoints) < FEW_PRECEDENTS:
        yield Risk(
            risk="few precedents: the agency will ask why this design",
            severity="high" if case.expected is None else "low",
            trigger=f"{count(len(with_endpoints), 'precedent')} with a reported endpoint",
            mitigation="scientific advice with two design options",
            source_ids=case.ids_of(with_endpoints),
        )
    ends = {
        outcome: [trial for trial in case.near if trial.row.outcome == outcome] for outcome in _ENDS
    }
    if any(ends.values()):
        yield Risk(
            risk=" and ".join(
                f"{count(len(trials), 'close precedent')} {_ENDS[outcome]}"
                for outcome, trials in ends.items()
                if trials
            ),
            severity="medium",
            trigger="outcomes of close precedents",
            mitigation="read why, above all on endpoint, dose and population",
            source_ids=case.ids_of(trial for trials in ends.values() for trial in trials),
        )
    if not case.is_randomized and case.question.study == "pivotal" and case.expected is None:
        yield Risk(
            risk="a single arm shows no benefit over care and no time-to-event effect",
            severity="high",
            trigger="single-arm design",
            mitigation="a randomized confirmatory trial, enrolling before approval",
        )


def _request_risks(case: DesignCase) -> Iterator[Risk]:
    question = case.question
    if question.claim and set(question.claim.lines) - set(question.setting.lines):
        yield Risk(
            risk="the label claim names a line that the trial does not enroll",
            severity="high",
            trigger=f"claim: {', '.join(sorted(question.claim.lines))}",
            mitigation="enroll that line, or narrow the claim",
        )
    if question.claimed and question.claimed.name not in primaries(case):
        yield Risk(
            risk=f"a claim on {question.claimed.name} needs an endpoint under control of the level",
            severity="medium",
            trigger="intended label claim",
            mitigation="keep it in the order of tests, powered where it can be",
        )
    if question.safety.boxed_class:
        yield Risk(
            risk=f"a boxed warning of the class may follow: {question.safety.boxed_class}",
            severity="high",
            trigger="boxed class in the safety profile",
            mitigation="adjudicate cases; size the safety database to bound the rate",
        )
    if question.agency == "FDA" and question.compares_doses and question.study == "pivotal":
        yield Risk(
            risk="dose not compared in a randomized way before the pivotal study",
            severity="medium",
            trigger="oncology dose optimization (FDA, August 2024)",
            mitigation="two doses in parallel first, or as the first stage of the pivotal study",
        )
    if question.partners:
        yield Risk(
            risk="the part of each drug of a combination has to be shown",
            severity="medium",
            trigger=f"combination with {', '.join(question.partners)}",
            mitigation="an arm, or data, that isolates the new drug",
        )


def _letter_risks(case: DesignCase) -> Iterator[Risk]:
    letters = case.letters
    if not letters:
        return
    reasons = Counter(deficiency for letter in letters for deficiency in letter.entry.deficiencies)
    reasons_text = ", ".join(f"{name} {number}" for name, number in sorted(reasons.items()))
    yield Risk(
        risk=f"{count(len(letters), 'complete response letter')} that name the indication; "
        f"parts by discipline: {reasons_text or 'not reported'}",
        severity="medium",
        trigger="FDA letters in the evidence",
        mitigation="read them: each is a precedent of failure",
        source_ids=case.ids((letter.record_id for letter in letters), 8),
    )
