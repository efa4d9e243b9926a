"""From a thesis to deals: signals, checks, scores, mini-memos, and what was rejected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from core.agents.deal_sourcing import AGENT
from core.agents.deal_sourcing.checking import check, split_by_kind
from core.agents.deal_sourcing.columns import DealTable
from core.agents.deal_sourcing.deals import list_deal_sources, make_deal
from core.agents.deal_sourcing.lead import Lead, in_window, score
from core.agents.deal_sourcing.money import link_deals, list_raised, with_comparables, with_money
from core.agents.deal_sourcing.openings import (
    LIVE,
    MOST_SEARCHED,
    RECENT_DAYS,
    find_openings,
    list_groups,
    make_opening_deal,
    warn_of_kinds,
)
from core.agents.deal_sourcing.records import (
    ParsedThesis,
    RejectedEntity,
    SearchWindow,
    SoftCriterion,
)
from core.agents.deal_sourcing.saying import Scene, Scored, Sourced, say
from core.agents.deal_sourcing.schema import DealSourcingData, DealSourcingRequest
from core.agents.deal_sourcing.signals import (
    Candidate,
    density_by_target,
    find_candidates,
    order_candidates,
)
from core.agents.deal_sourcing.thesis import Thesis, read_thesis
from core.briefs.developments.linking import Linker
from core.briefs.live import read_live, warn_of_live
from core.briefs.memo import Section
from core.briefs.skeleton import Brief, Written, tabulate_behind
from core.evidence.assets.gather import gather_assets
from core.evidence.entries.money import LEGAL_FORMS, DealEntry, TakeoverEntry, read_takeovers
from core.evidence.entries.records import taking_in
from core.evidence.names.companies import company_group, find_ticker, row_of
from core.evidence.proof.claims import unmark
from core.evidence.sources.live.base import SourceQuery
from core.evidence_ports import EvidenceReader
from core.records.asset_queries import AssetQuery
from core.records.events import LinkedDrug
from core.records.names import fold_name
from core.vocabulary.companies import load_companies
from core.vocabulary.company_homes import home_of
from core.workbench import RunContext

MOST_NAMES = 12
"""Names of a drug by which its trials are looked for."""
SMALL = frozenset({"company", "academic spin-out"})


def with_buyers(
    leads: Sequence[Lead], thesis: Thesis, evidence: EvidenceReader
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return deals under the owner of today, and those whose small owner was bought since."""
    bought = read_takeovers(evidence) if leads else {}
    kept_leads: list[Lead] = []
    dropped: list[tuple[str, str]] = []
    for lead in leads:
        buyer = bought.get(fold_name(company_group(lead.owner)))
        is_small = lead.kind in SMALL or "unlisted" in thesis.owners
        reason = _why_bought(lead, thesis) or (_tell(lead.owner, buyer) if buyer else "")
        if is_small and reason:
            dropped.append((lead.name, reason))
        else:
            kept_leads.append(_of_buyer(lead, buyer, bought) if buyer else lead)
    return kept_leads, dropped


def without_used(
    leads: Sequence[Lead], evidence: EvidenceReader
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return deals without shelved drugs that their owner still gives in some trial."""
    shelved = [lead for lead in leads if lead.kind == "shelved asset"]
    spelled = {
        fold_name(name): lead.asset.key
        for lead in shelved
        for name in [lead.asset.name, *lead.asset.aliases][:MOST_NAMES]
    }
    named = evidence.mentioning("drug", sorted(spelled), ("trial_registration",))
    running = taking_in(sorted(named), evidence)
    sponsors = evidence.mentions(running)
    used: dict[str, str] = {}
    for record_id in running:
        owners = {
            fold_name(company_group(mention.name))
            for mention in sponsors.get(record_id, ())
            if mention.relation == "sponsor"
        }
        keys = {spelled[fold_name(mention.name)] for mention in named[record_id]}
        for lead in shelved:
            if lead.asset.key in keys and fold_name(lead.owner) in owners:
                used.setdefault(lead.asset.key, record_id.partition(":")[2])
    reason = "its owner still gives it in trial {}"
    kept_leads = [
        lead for lead in leads if lead.kind != "shelved asset" or lead.asset.key not in used
    ]
    return kept_leads, [
        (lead.name, reason.format(used[lead.asset.key])) for lead in leads if lead not in kept_leads
    ]


def _of_buyer(lead: Lead, buyer: TakeoverEntry, bought: Mapping[str, TakeoverEntry]) -> Lead:
    """Return a deal of the company that bought its owner; of its last buyer."""
    last, records = buyer, [buyer.record_id]
    while next_one := bought.get(fold_name(company_group(last.buyer))):
        if next_one.record_id in records:
            break
        last = next_one
        records.append(last.record_id)
    owner = company_group(last.buyer)
    return replace(
        lead,
        owner=unmark(owner),
        home=home_of(owner),
        owner_ids=(last.record_id, *lead.owner_ids),
    )


def _tell(owner: str, buyer: TakeoverEntry) -> str:
    return f"its owner {owner} was bought by {unmark(company_group(buyer.buyer))} ({buyer.day})"


def _why_bought(lead: Lead, thesis: Thesis) -> str:
    """Return that an owner counts under another group, with the day; "" where it does not."""
    owner = lead.signals[0].sponsor
    row = row_of(owner)
    if "unlisted" not in thesis.owners or row is None or row.relation != "acquired":
        return ""
    return f"{unmark(owner)} is part of {row.group} ({row.from_on or 'day not known'})"


MOST_CHECKED = 40
MOST_DEALS = 25
MOST_TRIALS = 25
"""Number of trials from which on an owner is no small company, listed or not found listed."""
MOST_REJECTED = 60
NOT_CHECKED = "beyond the {} candidates with the newest signals; ask more narrowly"


def understand(request: DealSourcingRequest, context: RunContext) -> Thesis:
    """Return the criteria of the thesis."""
    return read_thesis(request.thesis, context.evidence, context.resolver, context.now.date())


def gather(request: DealSourcingRequest, thesis: Thesis, context: RunContext) -> Sourced:
    """Return the deals with their scores, and what was rejected."""
    today = context.now.date()
    evidence, resolver = context.evidence, context.resolver
    window = (today - timedelta(days=request.lookback_days), today)
    linker = Linker(evidence, resolver)
    candidates = find_candidates(thesis, evidence, linker, resolver, today)
    chosen = order_candidates(candidates, MOST_CHECKED)
    deals = link_deals(evidence, linker) if chosen else []
    leads, rejected = _check(chosen, thesis, deals, context)
    leads = with_money(leads, evidence, today)
    leads = with_comparables(leads, deals)
    openings = tuple(find_openings(thesis, evidence, resolver, window))
    if "unlisted" in thesis.owners and not thesis.conflicts:
        owners = [signal.sponsor for candidate in candidates for signal in candidate.signals]
        owners += [opening.owner for opening in openings]
        rejected += list_raised(window, owners, evidence)
    left = {candidate.key for candidate in candidates} - {candidate.key for candidate in chosen}
    reason = NOT_CHECKED.format(MOST_CHECKED)
    rejected += [(candidate.name, reason) for candidate in candidates if candidate.key in left]
    scored = _score(leads, thesis, window, context)
    newest = max(evidence.event_reach(today.isoformat()).values(), default="")
    shown = tuple(scored[:MOST_DEALS])
    rejected += [
        (dropped.lead.name, "below the first deals by score") for dropped in scored[MOST_DEALS:]
    ]
    return Sourced(
        subjects=[*(scored.lead for scored in shown), *openings],
        most=0,
        warnings=[
            *warn_of_live(context.live),
            *_warn(shown, thesis, window, newest),
            *warn_of_kinds(evidence),
        ],
        words=[thesis.text, f"last {request.lookback_days} days"],
        scored=shown,
        openings=openings,
        rejected=tuple((unmark(name), unmark(why)) for name, why in rejected[:MOST_REJECTED]),
        n_candidates=len(candidates),
        newest=newest,
    )


def _score(
    leads: Sequence[Lead], thesis: Thesis, window: tuple[date, date], context: RunContext
) -> list[Scored]:
    """Return deals with their scores, the best first."""
    density = density_by_target(context.resolver)
    ids = sorted({key for lead in leads for key in (*lead.record_ids(), *lead.asset.record_ids)})
    records = context.evidence.records(ids)
    scored = [
        Scored(
            lead,
            score(lead, thesis, records, density, window),
            in_window(lead.newest, window),
            _rivals(lead, density),
        )
        for lead in leads
    ]
    return sorted(
        scored,
        key=lambda scored: (
            -scored.score.total,
            scored.lead.name.casefold(),
            scored.lead.asset.key,
        ),
    )


def _check(
    chosen: Sequence[Candidate],
    thesis: Thesis,
    deals: Sequence[tuple[DealEntry, LinkedDrug]],
    context: RunContext,
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return the deals among the candidates, and why the others are none."""
    keys = tuple(candidate.key for candidate in chosen)
    if not keys:
        return [], []
    query = AssetQuery(drug_keys=keys, figures=False)
    day = context.now.date()
    gathered = gather_assets(query, context.evidence, context.resolver, day)
    assets = {asset.key: asset for asset in gathered.assets}
    why = {excluded.key: excluded.reason for excluded in gathered.excluded}
    leads: list[Lead] = []
    rejected: list[tuple[str, str]] = []
    for candidate in chosen:
        if candidate.key not in assets:
            rejected.append(
                (candidate.name, why.get(candidate.key, "no record of the evidence is about it"))
            )
            continue
        asset = assets[candidate.key]
        own_deals = [deal for deal, drug in deals if drug.key == asset.key]
        outcomes = [
            check(asset, by_kind, thesis, own_deals) for by_kind in split_by_kind(candidate)
        ]
        lead = next((each for each in outcomes if isinstance(each, Lead)), None)
        if lead:
            leads.append(lead)
        else:
            rejected.append((assets[candidate.key].name, str(outcomes[0])))
    owned, bought = with_buyers(leads, thesis, context.evidence)
    idle, used = without_used(owned, context.evidence)
    kept_leads, dropped = _by_listing(idle, thesis, context)
    return kept_leads, [*rejected, *bought, *used, *dropped]


def _by_listing(
    leads: Sequence[Lead], thesis: Thesis, context: RunContext
) -> tuple[list[Lead], list[tuple[str, str]]]:
    """Return the deals with the tickers of their owners, and those of another kind of owner."""
    owners = {lead.owner for lead in leads}
    tickers = {owner: find_ticker(owner, (), context.resolver) or "" for owner in sorted(owners)}
    kept_leads: list[Lead] = []
    dropped: list[tuple[str, str]] = []
    for lead in leads:
        ticker = tickers.get(lead.owner, "")
        is_small = lead.kind == "company" or "unlisted" in thesis.owners
        n_trials = _count_trials(lead, context) if is_small else 0
        if is_small and "listed" not in thesis.owners and ticker:
            dropped.append((lead.name, f"its owner {lead.owner} is listed ({ticker})"))
        elif n_trials > MOST_TRIALS and "listed" not in thesis.owners:
            dropped.append((lead.name, f"its owner {lead.owner} is no small company"))
        elif thesis.owners == ("listed",) and not ticker:
            dropped.append((lead.name, f"no listing of its owner {lead.owner} is found"))
        else:
            kept_leads.append(replace(lead, ticker=ticker))
    return kept_leads, dropped


def _count_trials(lead: Lead, context: RunContext) -> int:
    """Return how many trials name the owner, as the register writes it."""
    names = {lead.owner, *(signal.sponsor for signal in lead.signals if signal.sponsor)}
    names |= {company.name for company in load_companies() if company.group == lead.owner}
    folded = sorted({f"{fold_name(name)}{form}" for name in names for form in LEGAL_FORMS})
    return len(context.evidence.mentioning("company", folded, ("trial_registration",)))


def _rivals(lead: Lead, density: Mapping[str, int]) -> int | None:
    target = lead.asset.targets[0].target.text if lead.asset.targets else ""
    return max(0, density[target] - 1) if target in density else None


def _warn(
    shown: Sequence[Scored], thesis: Thesis, window: tuple[date, date], newest: str
) -> Iterator[str]:
    """Yield what is older than the window, and which parts of scores nothing tells."""
    old = sum(not scored.in_window for scored in shown)
    if old:
        yield (
            f"older_than_window: {old} of {len(shown)} candidates have no news since "
            f"{window[0].isoformat()}; they score 0 for recency. The newest event in the data is "
            f"of {newest or 'an unknown day'}."
        )
    parts = sorted({name for scored in shown for name in scored.score.unknown})
    if parts:
        yield (
            f"not_scored: {' and '.join(parts).replace('_', ' ')} could not be scored for some "
            "candidates (scored 0)."
        )
    if "unlisted" in thesis.owners or any(scored.lead.kind == "company" for scored in shown):
        yield (
            "listing_not_sure: owners are checked against the list of companies with a CIK and a "
            "ticker in the United States alone; other exchanges are not checked."
        )


def add_own(scene: Scene, written: Written) -> dict[str, object]:
    """Return the deals with their memos, the thesis as read, and what was rejected."""
    cite, thesis = written.cite, scene.asked
    words = (*thesis.soft, *thesis.parsed.words)
    deals = [make_deal(scored, scene, cite) for scored in scene.found.scored]
    deals += [
        make_opening_deal(opening, scene.records, scene.facts, cite)
        for opening in scene.found.openings
    ]
    deals.sort(key=lambda deal: -deal.deal_score)
    facts = tabulate_behind(scene.found.subjects, cite, scene.facts)
    return {
        "facts": facts,
        "thesis": scene.request.thesis,
        "week_of": (scene.as_of - timedelta(days=scene.as_of.weekday())).isoformat(),
        "deals": deals,
        "deal_table": DealTable.of("deals", deals),
        "parsed_thesis": ParsedThesis(
            hard=thesis.hard,
            soft=[SoftCriterion(term=unmark(word), weight=1.0) for word in words],
            unparsed=thesis.left,
            conflicts=list(thesis.conflicts),
        ),
        "rejected": [RejectedEntity(entity=name, reason=why) for name, why in scene.found.rejected],
        "window": SearchWindow(
            start_on=(scene.as_of - timedelta(days=scene.request.lookback_days)).isoformat(),
            end_on=scene.as_of.isoformat(),
            n_in_window=sum(scored.in_window for scored in scene.found.scored)
            + sum(opening.in_window for opening in scene.found.openings),
            newest_event_on=scene.found.newest or None,
        ),
        "n_candidates": scene.found.n_candidates,
        "sources": list_deal_sources(cite),
    }


BRIEF = Brief(
    data=DealSourcingData,
    steps=("Read thesis", "Find signals", "Check and write"),
    understand=understand,
    gather=gather,
    rows=None,  # a deal is made with its scores
    sections=(Section("Whom to call", say),),
    columns=DealTable,
    extra=add_own,
    rows_in=("deals", "deal_table"),
)


def run(request: DealSourcingRequest, context: RunContext) -> DealSourcingData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Evidence, names, the clock and progress.
    """
    if context.settings.live_sources:
        thesis = understand(request, context)
        since = context.now.date() - timedelta(days=RECENT_DAYS)
        query = SourceQuery(
            [[name for _, names in group for name in names] for group in list_groups(thesis)],
            limit=MOST_SEARCHED,
            since=since.isoformat(),
        )
        if query.groups:
            context = read_live(query, LIVE, context, AGENT)
    return BRIEF.run(request, context)
