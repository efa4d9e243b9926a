"""Whether a drug meets what a question says of route, owner, biomarker and patients.

A drug that facts show to be another one is left out with the reason. One of which nothing is known
stays, marked, behind those that fit: nothing is dropped in silence.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from core.agents.competitive_landscaping.scope import Scope, outcomes_in
from core.briefs.subjects import Drug
from core.evidence.assets.curators_drugs import mechanisms_by_drug
from core.evidence.assets.roles import owners_of
from core.evidence.assets.stages.truth import is_regulatory
from core.evidence.assets.target_match import matches
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.asset_queries import ExcludedAsset
from core.records.programs import Program
from core.vocabulary.biomarkers import excluded_by, find_biomarkers
from core.vocabulary.company_homes import home_of, is_in
from core.vocabulary.query_words import take_words
from core.vocabulary.regulators import agencies_of
from core.vocabulary.routes import INTERVAL, NEEDLE, by_needle


@dataclass(frozen=True)
class Condition:
    """One thing that a question asks of its drugs.

    Attributes:
        label: As a reader sees it, such as "oral (route)".
        judge: Returns whether a drug meets it, or the reason why it does not.
        is_silent: Whether nothing is said where it excludes no drug.
    """

    label: str
    judge: Callable[[Drug], str]
    is_silent: bool = False


@dataclass(frozen=True)
class Fitted:
    """Drugs as a question's conditions leave them.

    Attributes:
        drugs: Those that no fact speaks against.
        excluded: The others.
        not_known: Conditions that nothing tells of a drug, by its key.
        notices: What each condition came to.
    """

    drugs: list[Drug]
    excluded: list[ExcludedAsset]
    not_known: Mapping[str, tuple[str, ...]]
    notices: tuple[str, ...]


def fit(drugs: Sequence[Drug], scope: Scope) -> Fitted:
    """Return the drugs that meet what the question says of them."""
    kept_drugs, excluded, notices = list(drugs), list[ExcludedAsset](), list[str]()
    not_known: dict[str, list[str]] = defaultdict(list)
    for condition in _conditions(scope):
        verdicts = {drug.asset.key: condition.judge(drug) for drug in kept_drugs}
        counts = Counter(verdicts.values())
        others = {key: why for key, why in verdicts.items() if why not in {"fits", "unknown"}}
        if condition.is_silent and not others:
            continue
        if not kept_drugs or counts["unknown"] == len(kept_drugs):
            notices.append(
                f"not_filtered: {unmark(condition.label)} was understood but excludes no drug, "
                "because no record reports it for any of these."
            )
            continue
        excluded += [
            ExcludedAsset(drug.asset.name, others[drug.asset.key], drug.asset.key)
            for drug in kept_drugs
            if drug.asset.key in others
        ]
        kept_drugs = [drug for drug in kept_drugs if drug.asset.key not in others]
        for key in (key for key, verdict in verdicts.items() if verdict == "unknown"):
            not_known[key].append(condition.label)
        notices.append(
            f"filtered: {unmark(condition.label)}: met by {counts['fits']:,} drugs, not met by "
            f"{len(others):,}, which are excluded; not reported for {counts['unknown']:,}, which "
            "are listed last and marked."
        )
    return Fitted(
        kept_drugs,
        excluded,
        {key: tuple(reasons) for key, reasons in not_known.items()},
        tuple(notices),
    )


def _conditions(scope: Scope) -> Iterator[Condition]:
    parsed = scope.parsed
    routes = [route for route in parsed.routes if route != INTERVAL]
    if routes or parsed.not_routes:
        yield Condition(
            _label(routes, parsed.not_routes, "route"), partial(_by_route, parsed=parsed)
        )
    if scope.targets and parsed.mechanisms:
        label = f"{' or '.join(parsed.mechanisms)} (mechanism)"
        yield Condition(label, partial(_by_mechanism, scope=scope), is_silent=True)
    if INTERVAL in parsed.routes:
        yield Condition(f"{INTERVAL} (interval)", _by_interval)
    is_by_regulator = bool({"APPROVED", "FILED"} & {*parsed.stage_words})
    homes = [region for region in parsed.regions if region not in parsed.territories]
    homes, asked = ([], parsed.regions) if is_by_regulator else (homes, parsed.territories)
    if homes or parsed.not_regions:
        label = _label(homes, parsed.not_regions, "home of the owner")
        yield Condition(label, partial(_by_region, parsed=parsed))
    agencies = [*parsed.agencies, *agencies_of(asked)]
    if agencies or parsed.not_agencies:
        label = _label([*parsed.agencies, *asked], parsed.not_agencies, "regulator")
        alone = "only " * bool(agencies and parsed.is_approved_alone)
        yield Condition(f"{alone}{label}", partial(_by_agency, parsed=parsed, agencies=agencies))
    biomarkers = [
        piece.meant for piece in parsed.pieces if piece.became == "biomarker" and piece.meant
    ]
    for marker in list(dict.fromkeys(biomarkers)):
        yield Condition(f"{marker} (biomarker)", partial(_by_marker, marker=marker, scope=scope))
    for population in parsed.populations:
        yield Condition(
            f"{population} (patients)", partial(_by_patients, population=population, scope=scope)
        )


def _label(required: Sequence[str], denied: Sequence[str], kind: str) -> str:
    phrases = [" or ".join(required), *(f"not {name}" for name in denied)]
    return f"{', '.join(filter(None, phrases))} ({kind})"


def _by_route(drug: Drug, parsed: ParsedText) -> str:
    drug_routes = {route.text for route in drug.asset.routes} - {INTERVAL}
    routes = {route for route in parsed.routes if route != INTERVAL}
    if not drug_routes:
        return "unknown"
    if drug_routes <= _meant(parsed.not_routes):
        return f"given by {_listed(drug_routes)}, which the query leaves out"
    if not routes or drug_routes & _meant(routes):
        return "fits"
    if drug_routes == {NEEDLE} and routes & by_needle("route"):
        return "unknown"
    return f"given by {_listed(drug_routes)}; no record says {_listed(routes)}"


def _meant(routes: Iterable[str]) -> set[str]:
    """Return routes, of injection every one by needle."""
    meant = set(routes)
    return meant | by_needle("route") if NEEDLE in meant else meant


_UP, _DOWN = frozenset({"agonist", "mimetic"}), frozenset({"antagonist", "inhibitor", "degrader"})
"""What switches a target on, and what switches it off."""
_EXACT = frozenset({"degrader", "selective modulator"})
"""Mechanisms that every source names where a drug has them."""
_GIVEN = re.compile(r"\b(?:hormone|replacement|precursor)\b(?! receptor)", re.IGNORECASE)
"""Words for what the body makes itself and is given."""
_BETWEEN = re.compile(r"\b(?:inverse|partial|mixed)\b", re.IGNORECASE)


def _by_mechanism(drug: Drug, scope: Scope) -> str:
    """Judge by what is told of the drug's effect on the targets: the opposite excludes it."""
    asked = {*scope.parsed.mechanisms}
    texts = [
        link.mechanism.text
        for link in drug.asset.targets
        if any(matches(link.target, target) for target in scope.targets)
    ]
    if asked <= _EXACT:  # a label may say less: "estrogen receptor antagonist" of a degrader
        texts += mechanisms_by_drug().get(drug.asset.name.casefold(), ())
    told = {word for text in texts for word in take_words("mechanism", text)[0]}
    told |= {"mimetic"} if any(map(_GIVEN.search, texts)) else set()
    if asked <= _EXACT:
        return "fits" if told & asked else f"no {_listed(asked)} of the target by its mechanism"
    opposite = _DOWN if asked <= _UP else _UP if asked <= _DOWN else frozenset()
    if not told or not told <= opposite or any(map(_BETWEEN.search, texts)):
        return "fits"
    return f"{_listed(told)} of the target, not {_listed(asked)}"


def _by_interval(drug: Drug) -> str:
    return "fits" if any(route.text == INTERVAL for route in drug.asset.routes) else "unknown"


def _by_region(drug: Drug, parsed: ParsedText) -> str:
    makers = [company.company for company in drug.asset.companies if company.role == "originator"]
    companies = dict.fromkeys([*owners_of(drug.asset), *makers])
    homes = {home for company in companies if (home := home_of(company))}
    if not homes:
        return "unknown"
    if any(is_in(home, region) for home in homes for region in parsed.not_regions):
        return f"of a company in {_listed(homes)}, which the query leaves out"
    regions = [region for region in parsed.regions if region not in parsed.territories]
    if not regions or any(is_in(home, region) for home in homes for region in regions):
        return "fits"
    return f"of a company in {_listed(homes)}, not {_listed(regions)}"


def _by_agency(drug: Drug, parsed: ParsedText, agencies: Sequence[str]) -> str:
    """Judge by what regulators have; where an approval is asked for, silence excludes."""
    stages = {one.region: one.stage for one in drug.asset.regions if not one.is_over}
    approving = {region for region, stage in stages.items() if stage == "APPROVED"}
    if refused := approving & {*parsed.not_agencies}:
        return f"approved by {_listed(refused)}, which the query leaves out"
    if agencies and parsed.is_approved_alone and (others := approving - {*agencies}):
        return f"approved by {_listed(others)}, too"
    is_filed = "FILED" in parsed.stage_words
    is_named = bool(parsed.agencies or parsed.is_approved_alone) and not is_filed
    is_approval = is_named or "APPROVED" in parsed.stage_words
    known = approving if is_approval else stages.keys()
    enough = all if parsed.is_approved_by_all else any
    if not agencies or enough(agency in known for agency in agencies):
        return "fits"
    missing = [agency for agency in agencies if agency not in known]
    is_strict = is_approval or is_filed
    return f"no {' or '.join(missing)} approval or filing found" if is_strict else "unknown"


def _by_marker(drug: Drug, marker: str, scope: Scope) -> str:
    """Judge by each program: one that names no biomarker may be of any patients.

    So may an approved drug, whose label may have further uses than the records held tell.
    """
    chosen = [_markers(_texts_of(program)) for program in drug.programs]
    stated = [(outcome.biomarker, outcome.population) for outcome in outcomes_in(drug, scope)]
    if any(marker in markers for markers in (*chosen, _markers(chain.from_iterable(stated)))):
        return "fits"
    others = [markers & excluded_by(marker) for markers in chosen]
    named = sorted({marker for other in others for marker in other})
    if not all(others) or is_regulatory(drug.stage):
        return "unknown"
    return f"its records choose {', '.join(named)}, not {marker}"


def _markers(texts: Iterable[str]) -> set[str]:
    return {row.name for text in texts for row in find_biomarkers(text)}


def _by_patients(drug: Drug, population: str, scope: Scope) -> str:
    texts = [text for program in drug.programs for text in _texts_of(program)]
    texts += [outcome.population for outcome in outcomes_in(drug, scope)]
    is_said = any(
        population in take_words("population", text)[0] or population in text for text in texts
    )
    return "fits" if is_said else "unknown"


def _texts_of(program: Program) -> Iterator[str]:
    """Yield what tells the patients of a program."""
    yield program.indication
    for trial in program.trials:
        yield trial.title
        yield from trial.conditions


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))
