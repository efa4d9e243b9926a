"""Endpoints, their acceptance, the estimand, and how the level passes from one to the next."""

import re
from collections.abc import Iterator, Sequence

from core.agents.clinical_trial_design.case import DesignCase, count, share_of
from core.agents.clinical_trial_design.decisions import EQUAL_ALPHA, FIRST_ALPHA, read_months
from core.agents.clinical_trial_design.question import DUAL
from core.agents.clinical_trial_design.records import (
    Acceptance,
    AlphaStep,
    EndpointEntry,
    Estimand,
    IntercurrentEvent,
    Multiplicity,
    Support,
)
from core.agents.clinical_trial_design.tables import (
    endpoint_role,
    intercurrent_events,
    split,
)
from core.agents.clinical_trial_design.votes import is_efficacy
from core.vocabulary.endpoints import classify_endpoint

_MEASURES = {
    "time to event": "hazard ratio",
    "proportion": "difference of proportions",
    "mean change": "difference of means",
    "rate": "ratio of rates",
}
MOST_SECONDARY = 3
_OF_LESIONS = frozenset({"objective response", "duration of response"})
"""Endpoints that need measurable lesions."""
DUAL_SHARE = 0.6
_BASELINE = re.compile(r"^(?:from )?baseline(?:,? (?:and|to|up to) |, ?)(?=.)", re.IGNORECASE)
CO_PRIMARY = "co-primary: both must be met, each at the full level"
THEN = ", then "
"""Joins the receiver of a level with the one that gets it once the first is rejected, too."""


def list_endpoints(case: DesignCase) -> list[EndpointEntry]:
    """Return the endpoints, the primary ones first, each once."""
    primary, row = primaries(case), case.expected
    entries = [_entry(case, name, "primary", _why_primary(case, name)) for name in primary]
    if row is not None and _has_twin(case):
        entry = _entry(case, row.co_class, "primary", CO_PRIMARY)
        point = None if read_months(row.co_endpoint) else entry.timepoint
        update = {"endpoint": row.co_endpoint, "timepoint": point}
        entries.append(entry.model_copy(update=update))
    role = endpoint_role(case.endpoint)
    usual = () if row else ("quality of life",)
    further = [
        *((name, "key_secondary", why) for name, why in _key_secondary(case, primary)),
        *(
            (name, "secondary", "accepted in this setting, too")
            for name in (split(row.others) if row else ())
            if not row or name.partition(" (accelerated")[0] not in split(row.key_secondary)
        ),
        *(
            (name, "secondary", "usual alongside the primary endpoint")
            for name in (split(role.secondary) if role else usual)
        ),
    ]
    if role and role.unless and re.search(role.unless, case.question.setting_text, re.IGNORECASE):
        further = [entry for entry in further if entry[0] not in _OF_LESIONS]
    first = {name: (name, kind, why) for name, kind, why in reversed(further)}
    names = dict.fromkeys(name for name, _, _ in further if name not in primary)
    entries += [_entry(case, *first[name]) for name in names]
    if case.question.setting.biomarkers:
        why = f"effect by {case.question.setting.biomarkers[0]}, to bear out the selection"
        entries.append(_entry(case, "gene or protein marker", "exploratory", why))
    return entries


def name_of(case: DesignCase, name: str) -> str:
    """Return an endpoint class as a reader names it: with its instrument where it is known."""
    row = case.expected
    if name == case.endpoint:
        return case.instrument
    return row.co_endpoint if row is not None and name == row.co_class else name


def primary_names(case: DesignCase) -> list[str]:
    """Return the primary endpoints as a reader names them."""
    row, names = case.expected, [name_of(case, primary) for primary in primaries(case)]
    return [*names, row.co_endpoint] if row is not None and _has_twin(case) else names


def _has_twin(case: DesignCase) -> bool:
    """Return whether the setting asks for a second primary endpoint of the same class."""
    row = case.expected
    is_asked = row is not None and row.co_rule == "both" and case.question.preferred is None
    return is_asked and row is not None and row.co_class in {row.endpoint_class, case.endpoint}


def primaries(case: DesignCase) -> list[str]:
    """Return the classes of the primary endpoints: one, or two that the setting asks for."""
    question = case.question
    if not case.endpoint:
        return []
    if question.preferred_second:
        return [case.endpoint, question.preferred_second]
    row = case.expected
    if row is not None and question.preferred is None:
        is_other = row.co_class not in {row.endpoint_class, case.endpoint}
        second = [row.co_class] if row.co_rule and is_other else []
        return [case.endpoint, *second]
    weights = {name: weight for name, weight, _ in case.votes}
    is_free = question.preferred is None and question.study == "pivotal" and question.is_oncology
    if is_free and case.endpoint in DUAL:
        (other,) = DUAL - {case.endpoint}
        if weights.get(other, 0.0) >= DUAL_SHARE * weights[case.endpoint]:
            return [case.endpoint, other]
    return [case.endpoint]


def _why_primary(case: DesignCase, name: str) -> str:
    """Return what a primary endpoint rests on, and what precedents chose."""
    question, row, votes = case.question, case.expected, case.votes
    if question.study == "first in human":
        return "the first study finds the dose, or shows similarity"
    n_reported = len(case.reporting)
    n_votes = next((number for vote, _, number in votes if vote == name), 0)
    share = f"primary in {n_votes} of {n_reported} precedents that report one"
    if row is None or question.preferred is not None:
        is_preferred = question.preferred is not None and question.preferred.name == name
        return (
            f"preferred in the request; {share}" if is_preferred else f"{share}, weighted by match"
        )
    if name != case.endpoint:
        return CO_PRIMARY if row.co_rule == "both" else f"second primary endpoint; {share}"
    parts = [case.endpoint_rule, CO_PRIMARY if row.co_rule == "both" else ""]
    parts += [guidance.words for guidance in row.guidances[:1]]
    parts += [share] if n_reported else []
    if votes and votes[0][0] != case.endpoint:
        parts.append(f"precedents most often chose {votes[0][0]}, which does not override it")
    return "; ".join(filter(None, parts))


def _key_secondary(case: DesignCase, primary: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield key secondary endpoints with the reason, those of the label claim first."""
    question = case.question
    if question.claimed:
        yield question.claimed.name, "named by the intended label claim: a claim needs its alpha"
    role, row = endpoint_role(case.endpoint), case.expected
    if row is not None and row.key_secondary:
        for name in split(row.key_secondary):
            yield name, "key secondary in pivotal trials of the class"
        return
    for name in split(role.key_secondary) if role else ():
        yield name, "supports the claim alongside the primary endpoint"
    seen = 0
    for name, _, number in case.votes if row is None else ():
        if name not in primary and is_efficacy(name) and seen < MOST_SECONDARY - 1:
            seen += 1
            yield name, f"primary in {count(number, 'precedent')}"


def _entry(case: DesignCase, name: str, role: str, why: str) -> EndpointEntry:
    row = endpoint_role(name)
    endpoint = classify_endpoint(name)
    is_primary = role == "primary"
    point = end_of(case.timepoint) if is_primary else ""
    supports: Support = (row.supports if row else "full") if role != "exploratory" else "none"
    registered, approved = registered_votes(case, name), approved_votes(case, name)
    if case.question.study == "first in human":
        supports = "none"
    elif is_primary and case.expected is not None:
        supports = case.expected.supports
    return EndpointEntry(
        role=role,
        endpoint=name_of(case, name) if is_primary else name,
        endpoint_class=endpoint.name if endpoint else "not classified",
        timepoint=point or (endpoint.time_point if endpoint else "") or None,
        registered=registered,
        acceptance=approved,
        supports=supports,
        rationale=why,
        source_ids=sorted({*registered.source_ids, *approved.source_ids}, key=int),
    )


def registered_votes(case: DesignCase, name: str) -> Acceptance:
    """Return how many registered precedents have an endpoint as a primary one."""
    same = [row for row in case.reporting if any(end.name == name for end in row.endpoints)]
    return Acceptance(
        regulator="registered trials",
        n_precedents=len(same),
        share=share_of(same, case.reporting),
        source_ids=case.ids_of(same, 3),
    )


def approved_votes(case: DesignCase, name: str) -> Acceptance:
    """Return how many trials named in approved labels told an endpoint."""
    reporting = [trial.row for trial in case.precedents.pivotal if trial.row.endpoints]
    same = [row for row in reporting if name in row.endpoints]
    return Acceptance(
        regulator="FDA labels",
        n_precedents=len(same),
        share=share_of(same, reporting),
        source_ids=case.ids((row.label_id for row in same), 3),
    )


def make_multiplicity(case: DesignCase) -> Multiplicity:
    """Return how the one-sided level is kept."""
    question, alpha = case.question, case.plan.alpha
    if question.study == "first in human":
        return Multiplicity(method="none: no hypothesis is tested", family=[], alpha_map=[])
    primary = primaries(case)
    keys = [name for name, _ in _key_secondary(case, primary) if name not in primary]
    chain = [*primary, *list(dict.fromkeys(keys))[:MOST_SECONDARY]]
    if len(question.doses) > 1 and case.is_randomized:
        return _by_dose(question.doses, chain, alpha)
    row = case.expected
    if len(primary) > 1 and row is not None and row.co_rule == "both":
        method = "co-primary endpoints: both must be met, each at the full level; then in order"
        first = {name: (alpha, _next(chain, primary[-1])) for name in primary}
    elif len(primary) > 1:
        method = "two primary endpoints: Bonferroni split, the level passes along a graph"
        tail = "".join(f"{THEN}{name}" for name in chain[2:3])
        first = {
            name: (round(alpha * FIRST_ALPHA.get(name, EQUAL_ALPHA), 6), f"{other}{tail}")
            for name, other in zip(primary, reversed(primary), strict=True)
        }
    else:
        method = "one primary endpoint, then key secondary ones in fixed order"
        first = {name: (alpha, _next(chain, name)) for name in primary}
    names = {name: name_of(case, name) for name in chain}
    steps = [
        AlphaStep(
            hypothesis=names[name],
            alpha=level,
            passes_to=THEN.join(names.get(name, name) for name in receiver.split(THEN)),
        )
        for name in chain
        for level, receiver in [first.get(name, (0.0, _next(chain, name)))]
    ]
    family = list(names.values())
    if row is not None and _has_twin(case):
        method = "co-primary endpoints: both must be met, each at the full level; then in order"
        twin = steps[0].model_copy(update={"hypothesis": row.co_endpoint})
        steps, family = [steps[0], twin, *steps[1:]], [family[0], row.co_endpoint, *family[1:]]
    return Multiplicity(method=method, family=family, alpha_map=steps)


def _by_dose(doses: Sequence[str], chain: Sequence[str], alpha: float) -> Multiplicity:
    """Return the levels of several doses: each a part, down its endpoints, then to the next."""
    family = [f"{dose}: {name}" for dose in doses for name in chain]
    heads = family[:: len(chain)]
    steps = [
        AlphaStep(
            hypothesis=dose,
            alpha=round(alpha / len(doses), 6) if dose in heads else 0.0,
            passes_to=family[(index + 1) % len(family)],
        )
        for index, dose in enumerate(family)
    ]
    method = (
        f"{len(doses)} doses: the level in equal parts, each passes down the endpoints of its "
        "dose, then to the next dose; Dunnett's larger level holds for the first endpoint "
        "alone and passes nothing on"
    )
    return Multiplicity(method=method, family=family, alpha_map=steps)


def _next(chain: Sequence[str], endpoint: str) -> str:
    position = chain.index(endpoint) + 1
    return chain[position] if position < len(chain) else "none: the end of the order"


def end_of(text: str) -> str:
    """Return the time at which a change from baseline is read.

    >>> end_of("Baseline and Week 72"), end_of("Baseline, Week 26"), end_of("12 weeks")
    ('Week 72', 'Week 26', '12 weeks')
    """
    return _BASELINE.sub("", text)


def word_time(text: str) -> str:
    """Return a time point as a phrase.

    >>> word_time("Baseline and Week 72"), word_time("Week 52")
    ('from baseline to Week 72', 'at Week 52')
    """
    end = end_of(text)
    return f"at {text}" if end == text else f"from baseline to {end}"


def make_estimand(case: DesignCase) -> Estimand:
    """Return what is estimated, with the strategy for each intercurrent event."""
    question = case.question
    by_agency = {agency: _strategies(case, agency) for agency in question.agencies}
    line = f", {', '.join(question.line_words)}" if question.line_words else ""
    marker = f", {', '.join(question.setting.biomarkers)}" if question.setting.biomarkers else ""
    set_of = "randomized" if case.is_randomized else "treated"
    population = f"patients with {question.disease}{line}{marker}, all {set_of}"
    measure = _MEASURES.get(case.endpoint_type, "difference between the arms")
    variable = case.instrument or "endpoint not decided"
    if case.timepoint and case.endpoint_type != "time to event":
        point = word_time(case.timepoint)
        variable += "" if point in variable else f" {point}"
    events = []
    for event, usual in _strategies(case, question.agency).items():
        strategies = {name: rows[event] for name, rows in by_agency.items() if event in rows}
        several = "; ".join(f"{name}: {strategy}" for name, strategy in strategies.items())
        is_one = len(set(strategies.values())) < 2  # noqa: PLR2004 - one strategy for all
        events.append(IntercurrentEvent(event=event, strategy=usual if is_one else several))
    return Estimand(
        population=population,
        variable=variable,
        intercurrent_events=events,
        summary=f"{measure} of {variable} in {population}; "
        f"{count(len(events), 'intercurrent event')} with a strategy each "
        f"({' and '.join(question.agencies)}; ICH E9(R1)).",
    )


def _strategies(case: DesignCase, agency: str) -> dict[str, str]:
    """Return the intercurrent events of the endpoint's type with an agency's strategies."""
    rows = intercurrent_events(case.endpoint_type, agency, case.question.traits.area)
    return {row.event: row.strategy for row in rows}
