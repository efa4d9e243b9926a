"""Whether a candidate is a deal: owner, rights and state checked; what is not is told with why."""

import re
from collections.abc import Sequence

from core.agents.deal_sourcing.lead import Lead, quote
from core.agents.deal_sourcing.records import DealKind
from core.agents.deal_sourcing.signals import Candidate, Signal
from core.agents.deal_sourcing.thesis import Thesis
from core.evidence.assets.roles import ORIGINATOR, owner_role, owners_of
from core.evidence.assets.target_match import matches
from core.evidence.entries.money import DealEntry
from core.evidence.names.companies import company_group, is_company
from core.evidence.proof.claims import unmark
from core.evidence.readers.stop_reasons import stop_class
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole, Program, ProgramTrial
from core.vocabulary.company_homes import home_of, is_in

KINDS: dict[str, DealKind] = {
    "stopped for business reasons": "shelved asset",
    "dropped from a pipeline": "shelved asset",
    "no licensee found": "licence",
    "trial of a company not found listed": "company",
    "trial of an academic sponsor": "academic spin-out",
}
RANKS: tuple[DealKind, ...] = ("shelved asset", "licence", "company", "academic spin-out")
"""Kinds of deals in the order in which a drug is checked against them."""
FOUND_BY_DISEASE = frozenset(
    {
        *("stopped for business reasons", "trial of a company not found listed"),
        "trial of an academic sponsor",
    }
)
SCIENCE = frozenset({"efficacy", "safety"})
ON_MARKET = frozenset({"APPROVED", "FILED"})
HOLDING = frozenset({"licensee", "partner", "holder", "sponsor"})
CAR_T = ("car-t", "car t", "cart", "chimeric antigen", "autoleucel", "cabtagene")
MOST_NAMED = 3
NO_PROGRAM = "no program in the requested disease was found"
SEVERAL = re.compile(r"\w\s*[;\uff1b\u3001]\s*\w")
"""Signs between drugs that a register writes as one."""
TAKING = {
    "license": "a license",
    "option": "an option",
    "co_development": "a co-development deal",
    "asset_purchase": "bought it",
    "newco": "a NewCo deal",
}
"""Types of deals by which a company gets rights of a drug."""
SOLD_BY = frozenset({"FDA", "EMA"})
"""Agencies outside the home of an Asian originator, whose approval somebody holds."""
STALE_BEFORE = "2020"
"""Year before which a drug without any active trial is nobody's offer any more."""


def split_by_kind(candidate: Candidate) -> list[Candidate]:
    """Return a candidate once for each kind of deal that its signals tell, by what is offered.

    What a thesis asks for decides which signals are looked for; a drug that is no deal by one
    kind of signal may be one by another, so that a further criterion never adds a deal.
    """
    kinds: dict[DealKind, list[Signal]] = {}
    for signal in sorted(candidate.signals, key=lambda signal: signal.day, reverse=True):
        kinds.setdefault(KINDS[signal.type], []).append(signal)
    ordered_kinds = sorted(kinds, key=RANKS.index)
    return [Candidate(candidate.key, candidate.name, kinds[kind]) for kind in ordered_kinds]


def check(
    asset: Asset, candidate: Candidate, thesis: Thesis, deals: Sequence[DealEntry] = ()
) -> Lead | str:
    """Return the deal, but for ticker and score; or why it is none."""
    signals = tuple(sorted(candidate.signals, key=lambda signal: signal.day, reverse=True))
    kind = KINDS[signals[0].type]
    signals = _with_own_trial(asset, signals)
    programs = tuple(program for program in asset.programs if _is_asked(program, thesis))
    if not programs and thesis.areas:
        programs = _of_signals(asset, signals, thesis)
    lead = _lead(asset, programs, signals, kind)
    reasons = (
        _why_no_asset(asset, thesis),
        "" if programs else NO_PROGRAM,
        _why_no_owner(lead, thesis),
        _why_alive(lead) if kind == "shelved asset" else "",
        _why_taken(lead, deals) if kind == "licence" or thesis.partner else "",
        _why_not_small(lead) if kind in {"company", "academic spin-out"} else "",
        _why_other(lead, thesis),
    )
    return next((reason for reason in reasons if reason), lead)


def _lead(
    asset: Asset, programs: tuple[Program, ...], signals: tuple[Signal, ...], kind: DealKind
) -> Lead:
    then = next((signal.sponsor for signal in signals if signal.sponsor), "")
    role = _role_of(asset, then) if kind == "shelved asset" else None
    role = role or owner_role(asset)
    if role and role.role == "sponsor" and kind != "shelved asset":
        role = _originator(asset) or role
    owner = role.company if role else ""
    if not owner and kind != "licence" and then:
        owner = company_group(then)
    ids = [*(role.statement.record_ids if role else ())]
    group = fold_name(owner)
    ids += [
        signal.record_id
        for signal in signals
        if signal.record_id and fold_name(company_group(signal.sponsor)) == group
    ]
    trials = [trial for program in asset.programs for trial in program.trials]
    ids += [trial.record_id for trial in trials if fold_name(trial.sponsor_group) == group][
        :MOST_NAMED
    ]
    others = [company for company in asset.companies if fold_name(company.company) != group]
    return Lead(
        asset,
        programs,
        signals,
        kind,
        unmark(owner),
        home_of(owner),
        "",
        tuple(dict.fromkeys(ids)),
        tuple(other for other in others if other.role in HOLDING),
    )


def _role_of(asset: Asset, sponsor: str) -> CompanyRole | None:
    """Return the part of who ran the trial, where it is one of several owners."""
    group, owners = (
        fold_name(company_group(sponsor)),
        {fold_name(owner) for owner in owners_of(asset)},
    )
    roles = [
        company for company in asset.companies if sponsor and fold_name(company.company) == group
    ]
    return roles[0] if roles and group in owners else None


def _originator(asset: Asset) -> CompanyRole | None:
    """Return the part of the company that made a drug that others test, too."""
    return next((company for company in asset.companies if company.role == ORIGINATOR), None)


def _with_own_trial(asset: Asset, signals: tuple[Signal, ...]) -> tuple[Signal, ...]:
    """Return the signals of a drug without licensee with the newest trial of its owner."""
    if signals[0].type != "no licensee found":
        return signals
    trials = [
        trial
        for program in asset.programs
        for trial in program.trials
        if trial.is_own and trial.start_on
    ]
    if not trials:
        return signals
    trial = max(trials, key=lambda trial: (trial.start_on, trial.number))
    newest = Signal(
        "newest trial of its owner",
        trial.start_on,
        trial.record_id,
        trial.sponsor_group,
        "",
        trial.number,
    )
    return (*signals, newest)


def _of_signals(asset: Asset, signals: tuple[Signal, ...], thesis: Thesis) -> tuple[Program, ...]:
    """Return the programs of the trials that were found by their disease.

    A condition that resolves to nothing, or to a wider disease, names none of the area; the trial
    itself does.
    """
    open_to = tuple(
        program
        for program in asset.programs
        if not any(area.holds(program) for area in thesis.not_areas)
    )
    return (
        open_to
        if any(signal.number and signal.type in FOUND_BY_DISEASE for signal in signals)
        else ()
    )


def _is_asked(program: Program, thesis: Thesis) -> bool:
    if any(area.holds(program) for area in thesis.not_areas):
        return False
    return not thesis.areas or any(area.holds(program) for area in thesis.areas)


def _why_no_asset(asset: Asset, thesis: Thesis) -> str:
    parsed, kind = thesis.parsed, asset.modality.text if asset.modality else ""
    links = [target.target for target in asset.targets]
    is_copy = any("biosimilar" in company.statement.rule for company in asset.companies)
    is_other = bool(parsed.modalities) and kind not in parsed.modalities
    acts = any(matches(t, w) for t in links for w in thesis.targets)
    several = SEVERAL.search(asset.name)
    routes = {route.text for route in asset.routes}
    is_otherwise = bool(routes and parsed.routes) and not routes & {*parsed.routes}
    rules = (
        (bool(several), "the register names several drugs together"),
        (asset.has_generics and not thesis.copies, "generics of it are on the market"),
        (is_copy and not thesis.copies, "it is a biosimilar"),
        (is_other, f"it is a {kind or 'drug of unknown kind'}, not the requested kind"),
        (kind in parsed.not_modalities, f"it is a {kind}, which is excluded"),
        (bool(thesis.targets) and not acts, "it does not act on the requested target"),
        (
            any(matches(t, w) for t in links for w in parsed.not_targets),
            "it acts on a target that is excluded",
        ),
        (asset.key in {drug.key for drug in parsed.not_drugs}, "it is excluded by name"),
        (is_otherwise, f"it is given by {', '.join(sorted(routes))}"),
        (bool(routes) and routes <= {*parsed.not_routes}, "its route is excluded"),
        ("CAR-T" in thesis.kinds and not _is_car_t(asset), "no record calls it a CAR-T"),
    )
    return next((reason for is_so, reason in rules if is_so), "")


def _is_car_t(asset: Asset) -> bool:
    texts = [asset.name, *asset.aliases]
    texts += [trial.title for program in asset.programs for trial in program.trials]
    return any(word in text.casefold() for text in texts for word in CAR_T)


def _why_no_owner(lead: Lead, thesis: Thesis) -> str:
    parsed, owner = thesis.parsed, fold_name(lead.owner)
    if not lead.owner:
        return "no owner was found"
    homes = {home_of(owner) for owner in lead.owners}
    maker = _originator(lead.asset)
    is_told = lead.kind == "licence" and owner == fold_name(maker.company if maker else "")
    is_sponsors = lead.kind == "shelved asset" and owner in lead.sponsors  # it can speak for it
    several = ", ".join(map(unmark, lead.owners[:MOST_NAMED]))
    is_near = any(is_in(lead.home, region) for region in thesis.regions)
    groups = {fold_name(company) for company in parsed.companies}
    rules = (
        (
            len(lead.owners) > 1 and len(homes) > 1 and not is_told and not is_sponsors,
            f"several owners were found: {several}",
        ),
        (
            any(is_in(lead.home, region) for region in parsed.not_regions),
            f"its owner {lead.owner} is at home in {lead.home}, which is excluded",
        ),
        (
            bool(thesis.regions) and not is_near,
            f"its owner {lead.owner} is at home in {lead.home or 'a country not known here'}",
        ),
        (bool(groups) and owner not in groups, f"its owner is {lead.owner}"),
        (
            owner in {fold_name(company) for company in parsed.not_companies},
            f"its owner {lead.owner} is excluded",
        ),
    )
    return next((reason for is_so, reason in rules if is_so), "")


def _why_alive(lead: Lead) -> str:
    """Return why a stopped program is none to be had; "" where it lies idle."""
    if lead.asset.highest_stage in ON_MARKET or any(
        region.stage in ON_MARKET and not region.is_over for region in lead.asset.regions
    ):
        return "it is approved or filed; the stop of one trial is no end of the drug"
    trials = lead.all_trials
    running = [trial for trial in trials if trial.is_active]
    if running:
        first = min(running, key=lambda trial: (not trial.is_own, trial.number))
        sponsor = unmark(first.sponsor_group) or "another sponsor"
        return f"trial {first.number} of {sponsor} is under way"
    for program in lead.asset.programs:
        if program.end and program.end.reason and stop_class(program.end.reason) in SCIENCE:
            return f"given up for {stop_class(program.end.reason)}: {quote(program.end.reason)}"
    failed = [trial for trial in trials if stop_class(trial.why_stopped) in SCIENCE]
    if failed:
        reason = stop_class(failed[0].why_stopped)
        return f"trial {failed[0].number} was stopped for {reason}"
    if lead.sponsors and fold_name(lead.owner) not in lead.sponsors:
        return f"the stopped trial was of {unmark(lead.signals[0].sponsor)}, it is {lead.owner}'s"
    return _later(lead, trials)


def _later(lead: Lead, trials: Sequence[ProgramTrial]) -> str:
    """Return that an own trial began after the end of the stopped one."""
    known_trials = {trial.number: trial for trial in trials}
    stopped = [
        known_trials[signal.number].primary_completion_on or known_trials[signal.number].start_on
        for signal in lead.signals
        if signal.number in known_trials
    ]
    if not stopped or not max(stopped):
        return ""
    after = [
        trial
        for trial in trials
        if trial.is_own
        and trial.start_on > max(stopped)
        and not trial.why_stopped
        and trial.state not in {"terminated", "withdrawn", "suspended"}
    ]
    if after:
        trial = max(after, key=lambda trial: (trial.start_on, trial.number))
        return f"its owner began trial {trial.number} after the stopped one"
    return ""


def _why_taken(lead: Lead, deals: Sequence[DealEntry]) -> str:
    """Return who has rights of it, or an option on them, outside the originator's home."""
    maker = _originator(lead.asset)
    home = home_of(maker.company if maker else "") or lead.home
    returned = {fold_name(deal.licensee): deal.day for deal in deals if deal.type == "return"}
    for deal in deals:
        is_over = returned.get(fold_name(deal.licensee), "") >= deal.day
        if deal.type in TAKING and not is_over and home_of(deal.licensee) != home:
            return f"{unmark(deal.licensee)} has {TAKING[deal.type]} ({deal.day})"
    for role in lead.partners:
        home = home_of(role.company)
        is_same = bool(home) and home == lead.home
        if not is_same and not (role.role == "sponsor" and not is_company(role.company)):
            words = f"{role.role}{f' for {role.territory}' if role.territory else ''}"
            return f"{unmark(role.company)} is recorded as its {words}"
    if lead.asset.highest_stage == "DISCONTINUED":
        return "every program of it was given up"
    if lead.kind == "licence":
        return _why_not_free(lead)
    return ""


def _why_not_free(lead: Lead) -> str:
    """Return why a drug without licensee on record is none to be had; "" where it may be."""
    for region in lead.asset.regions:
        if region.region in SOLD_BY and region.stage == "APPROVED" and not region.is_over:
            return f"it is approved by the {region.region}: somebody sells it there"
    trials = lead.all_trials
    for trial in trials:
        home = home_of(trial.sponsor_group)
        is_others = is_company(trial.sponsor_group) and fold_name(trial.sponsor_group) != fold_name(
            lead.owner
        )
        if trial.is_active and is_others and home and home != lead.home:
            return f"trial {trial.number} of {unmark(trial.sponsor_group)} is under way"
    newest = max((trial.start_on for trial in trials), default="")
    if trials and not any(trial.is_active for trial in trials) and newest < STALE_BEFORE:
        return f"no active trial found, and none that began in {STALE_BEFORE} or later"
    return ""


def _why_not_small(lead: Lead) -> str:
    if not lead.active_trials:
        return "no active trial of its owner was found"
    if lead.asset.highest_stage in ON_MARKET:
        return "it is approved or filed"
    if lead.sponsors and fold_name(lead.owner) not in lead.sponsors:
        return f"the trial is of {unmark(lead.signals[0].sponsor)}, the drug {lead.owner}'s"
    return ""


def _why_other(lead: Lead, thesis: Thesis) -> str:
    stage = lead.top
    if thesis.stages and stage not in thesis.stages:
        return "its stage is not the requested one"
    if stage in thesis.parsed.not_stages:
        return "its stage is excluded"
    days = [signal.day for signal in lead.signals if signal.day]
    first, last = thesis.since, thesis.until
    if first and not any(day[: len(first)] >= first[: len(day)] for day in days):
        return f"no signal of it is of {thesis.since} or later"
    if last and not any(day[: len(last)] <= last[: len(day)] for day in days):
        return f"no signal of it is of {thesis.until} or earlier"
    return ""
