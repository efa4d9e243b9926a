"""From a company's name to its drugs, how it came by them, and what comes next."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from core.agents.company_asset_searcher import AGENT
from core.agents.company_asset_searcher.columns import AssetTable, ProgramTable, programs_of
from core.agents.company_asset_searcher.drugs import make_record
from core.agents.company_asset_searcher.records import AliasRow, DrugStore, SearchUsage, WebSearch
from core.agents.company_asset_searcher.schema import (
    CompanyAssetSearcherData,
    CompanyAssetSearcherRequest,
)
from core.agents.company_asset_searcher.web import add_web
from core.briefs.developments.question import held_by
from core.briefs.live import names_of, numbers_of, read_live, warn_of_live
from core.briefs.memo import Section, tell_counts
from core.briefs.notices import NO_WEB_SEARCH, NOT_CONFIGURED
from core.briefs.portfolio.catalysts import past_due
from core.briefs.portfolio.companies import Company, find_company, owner_of
from core.briefs.portfolio.holdings import (
    GROUPS,
    OLD,
    OwnDrug,
    count_listed,
    group_of,
    study_drugs,
    that_came_with,
)
from core.briefs.recent import DAYS, Recent, find_recent, list_recent
from core.briefs.records import RecentRow
from core.briefs.skeleton import Brief, Dossier, Found, Written
from core.evidence.assets.gather import gather_assets
from core.evidence.entries.money import MoneyEntry, read_money
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.readers.questions.reading import parse_text
from core.evidence.sources.live.base import SourceQuery
from core.evidence.sources.live.clinicaltrials import NAME as REGISTER
from core.evidence.sources.live.phase import MOST_RECORDS
from core.evidence.sources.live.sec_filings import SUBMISSIONS
from core.records.asset_queries import AssetQuery, Gathered
from core.records.catalysts import Origin
from core.records.model import Spend
from core.records.stages import STAGE_WORDS, STAGES, region_words
from core.vocabulary.event_types import EventType
from core.workbench import RunContext

_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")


@dataclass(frozen=True)
class Holdings(Found[OwnDrug]):
    """The drugs of a company, what happened to those listed, and its filings, within a year."""

    recent: Sequence[Recent] = ()
    filings: Sequence[MoneyEntry] = ()


Portfolio = Dossier[CompanyAssetSearcherRequest, Company, Holdings]
MOST_NAMED = 5
LATE = ("Phase 3", "Filed", "Approved")
PASSED_ON: Origin = "licensed-out"
ORIGIN_WORDS: Mapping[Origin, str] = {
    "in-house": "originated in-house",
    "licensed-in": "licensed in",
    "acquired": "acquired",
    PASSED_ON: "now with other companies",
    "partnered": "partnered",
}


def say(dossier: Portfolio) -> Iterator[Claim]:
    """Yield what the company has, what comes next, and how it came by it."""
    company, drugs = dossier.asked, dossier.found.subjects
    if not drugs:
        return
    yield _count(company, drugs)
    own = [drug for drug in drugs if drug.provenance.origin != PASSED_ON]
    for phase in LATE[::-1]:
        in_phase = [drug for drug in own if drug.phase == phase]
        if in_phase:
            yield _name(phase, in_phase, [drug for drug in drugs if drug.phase == phase])
    ahead = [drug for drug in own if drug.catalyst.score > 0 and drug.catalyst.date != "TBD"]
    ahead = [
        drug for drug in ahead if drug.catalyst.category != "Commercial"
    ]  # ends, not catalysts
    if ahead:
        best = max(ahead, key=lambda drug: (drug.catalyst.score, drug.asset.name))
        yield _next(best)
    if not company.acquired and any(drug.provenance.origin for drug in drugs):
        yield _origins(drugs)


def _count(company: Company, drugs: Sequence[OwnDrug]) -> Claim:
    by_stage: dict[str, list[str]] = {STAGE_WORDS[stage]: [] for stage in STAGES}
    for drug in drugs:
        by_stage[STAGE_WORDS[drug.stage]].append(drug.asset.key)
    text, figures = tell_counts({words: keys for words, keys in by_stage.items() if keys})
    name, names = company.name, [company.name]
    if company.acquired and len(that_came_with(drugs, company.acquired.name)) == len(drugs):
        name = f"{company.acquired.name}, now part of {name}"
        names.append(company.acquired.name)
    return make_claim(
        f"{name}: {len(drugs)} {'drug' if len(drugs) == 1 else 'drugs'} listed ({text}).",
        "computed",
        [drug.asset.record_ids[0] for drug in drugs[:MOST_NAMED] if drug.asset.record_ids],
        figures=[count_of(len(drugs), (drug.asset.key for drug in drugs)), *figures],
        names=names,
    )


def _name(phase: str, drugs: Sequence[OwnDrug], listed: Sequence[OwnDrug]) -> Claim:
    """Name the drugs of a phase that are the company's own; those passed on are counted."""
    shown = drugs[:MOST_NAMED]
    names = [drug.name for drug in shown]
    rest = drugs[MOST_NAMED:]
    gone = [drug for drug in listed if drug.provenance.origin == PASSED_ON]
    counted = (
        (rest, f" and {len(rest)} more"),
        (gone, f"; {len(gone)} {ORIGIN_WORDS[PASSED_ON]}"),
    )
    suffix = "".join(words for group, words in counted if group)
    figures = [
        count_of(len(group), (drug.asset.key for drug in group)) for group, _ in counted if group
    ]
    ids = [
        record_id
        for drug in shown
        for program in drug.asset.programs[:1]
        for stated in program.stages[:1]
        for record_id in stated.statement.record_ids[:1]
    ]
    ids += [
        trial.record_id
        for drug in shown
        for program in drug.asset.programs[:1]
        for trial in program.trials[:1]
        if not program.stages
    ]
    placed = names if phase != "Approved" else [_where_approved(drug) for drug in shown]
    text = f"{phase}: {', '.join(placed)}{suffix}."
    return make_claim(text, "fact", ids, figures=figures, names=names)


def _where_approved(drug: OwnDrug) -> str:
    """Return a drug with its regions, where neither the FDA nor the EMA approved it."""
    approved = [x for x in drug.asset.regions if x.stage == "APPROVED" and not x.is_over]
    regions = [region_words(each.region) for each in approved if each.region]
    is_known = not regions or {"FDA", "EMA"} & {each.region for each in approved}
    return drug.name if is_known else f"{drug.name} ({', '.join(regions)})"


def _next(drug: OwnDrug) -> Claim:
    name, catalyst = drug.name, drug.catalyst
    event, due = unmark(catalyst.event), _DAY.search(catalyst.event)
    when = "overdue: no result found" if catalyst.is_past_due else catalyst.confidence
    text = f"Next catalyst: {name}, {event}, {catalyst.date} ({when})."
    trials = [trial for program in drug.asset.programs for trial in program.trials]
    named = [trial for trial in trials if trial.number in text]
    return make_claim(
        text,
        "rule",
        catalyst.record_ids,
        figures=[
            Figure(due[0], record_id=record_id, said=(event,))
            for record_id in catalyst.record_ids[:1]
            if due
        ],
        names=[name, *(trial.number for trial in named[:1])],
    )


def _origins(drugs: Sequence[OwnDrug]) -> Claim:
    drugs_by_origin: dict[Origin, list[str]] = {}
    left: list[str] = []
    for drug in drugs:
        origin = drug.provenance.origin
        (drugs_by_origin.setdefault(origin, []) if origin else left).append(drug.asset.key)
    order = sorted(drugs_by_origin, key=lambda origin: (-len(drugs_by_origin[origin]), origin))
    text, figures = tell_counts({ORIGIN_WORDS[origin]: drugs_by_origin[origin] for origin in order})
    suffix = f"; origin of {len(left)} not reported" if left else ""
    figures += [count_of(len(left), left)] if left else []
    return make_claim(f"Rights: {text}{suffix}.", "rule", figures=figures)


MOST_CHECKED = 60
NO_DRUG = "No drug of this company is listed."
NOTHING = Gathered((), (), ())


NARROWING = frozenset(
    {"disease", "target", "modality", "mechanism", "stage", "route", "agency", "region", "refused"}
)
"""What words next to a company's name may be understood as that narrow its drugs."""


def understand(request: CompanyAssetSearcherRequest, context: RunContext) -> Company:
    """Return the company that is meant."""
    aliases, written_name = request.company_aliases or (), request.company
    evidence, resolver = context.evidence, context.resolver
    company = find_company(written_name, aliases, evidence, resolver)
    parsed = parse_text(written_name, resolver, held_by(evidence, resolver))
    others = [piece for piece in parsed.pieces if piece.became != "company"]
    is_narrowed = any(piece.became in NARROWING for piece in others)
    is_phrase = any(piece.said[:1].islower() for piece in others)
    if len(parsed.companies) == 1 and is_narrowed and is_phrase:
        named = find_company(parsed.companies[0], aliases, evidence, resolver)
        notice = (
            f"not_filtered: {written_name!r} was read as the company {named.name}; all of its "
            "drugs are listed, since a company search is not narrowed by further words."
        )
        if named.groups:
            return replace(named, warnings=(notice, *named.warnings))
    if company.groups:
        return company
    drug, owner = owner_of(written_name, evidence, resolver, context.now.date())
    if not owner:
        return company
    notice = (
        f"drug_named: {written_name!r} is a drug of {owner} ({drug}); "
        f"all drugs of {owner} are listed."
    )
    owning_company = find_company(owner, aliases, evidence, resolver)
    return replace(owning_company, warnings=(notice, *owning_company.warnings))


def gather(request: CompanyAssetSearcherRequest, company: Company, context: RunContext) -> Holdings:
    """Return the drugs in which the company has a part; nothing where no record names it."""
    gathered, as_of = NOTHING, context.now.date()
    if company.groups:
        names = company.written
        query = AssetQuery(companies=company.groups, company_names=names, figures=False)
        gathered = gather_assets(query, context.evidence, context.resolver, as_of)
    context.progress("Gather drugs", 1, 1, f"{len(gathered.assets)} drugs")
    drugs = study_drugs(gathered.assets, company, context.evidence, as_of)
    drugs, warnings = _of_acquired(company, drugs)
    listed = count_listed(drugs, as_of, with_old=request.include_old)
    most = min(request.drugdb_limit, listed)
    late = past_due([(drug.name, drug.catalyst) for drug in drugs[:most]])
    recent = find_recent(drugs[:most], context.evidence, context.resolver, as_of)
    entries = read_money([company.name], context.evidence).get(company.name, ())
    since = (as_of - timedelta(days=DAYS)).isoformat()
    filings = [entry for entry in entries if entry.kind == "filing" and entry.day >= since]
    return Holdings(
        drugs,
        gathered.excluded,
        most,
        [*warn_of_live(context.live), *warnings, *late],
        recent=recent,
        filings=filings,
        further_ids=[filing.record_id for filing in filings],
    )


def _list_filings(holdings: Holdings, company: str, cite: Cite) -> list[RecentRow]:
    return [
        RecentRow(
            date=filing.day,
            date_precision="day",
            drug_name="",
            company=company,
            event_type=EventType.FILING,
            title=f"8-K filing, item {', '.join(filing.words)}",
            source_ids=cite.numbers([filing.record_id]),
        )
        for filing in holdings.filings
    ]


def _of_acquired(company: Company, drugs: list[OwnDrug]) -> tuple[list[OwnDrug], list[str]]:
    """Return what came with an acquired company that was asked for, and that it was acquired."""
    row = company.acquired
    if row is None:
        return drugs, []
    event = f"{row.name} was acquired by {row.group}"
    event += f" ({row.from_on})" if row.from_on else ""
    acquired_drugs = that_came_with(drugs, row.name)
    if acquired_drugs:
        return acquired_drugs, [
            f"acquired: {event}; its drugs are listed. Ask for {row.group} to see all."
        ]
    return drugs, [
        f"acquired: {event}; no drug is known to have come with it, so that all of {row.group} "
        "are listed."
    ]


def add_own(dossier: Portfolio, written: Written) -> dict[str, object]:
    """Return the company, its programs, and what was asked for them."""
    company = dossier.asked
    count, n_shown = len(dossier.found.subjects), len(dossier.found.shown)
    if not dossier.is_held:
        message, status = "No evidence is imported on this instance.", "unavailable"
    elif not count:
        message, status = "The store holds no drug of this company.", "empty"
    elif n_shown < count:
        message = (
            f"{n_shown} of {count} drugs are listed; {_how_to_see(dossier)} to see the rest: "
            f"{_left_off(dossier)}."
        )
        status = "partial"
    else:
        message, status = f"All {count} drugs found are listed.", "ok"
    fields: dict[str, object] = {
        "company": company.name,
        "ticker": company.ticker,
        "program_table": ProgramTable.of("programs", programs_of(written.rows)),
        "drugdb": DrugStore.model_validate(
            {
                "company_aliases_checked": [
                    unmark(name) for name in dossier.asked.checked[:MOST_CHECKED]
                ],
                "count": count,
                "first": True,
                "message": message,
                "status": status,
            }
        ),
        "web_search": WebSearch(message=NOT_CONFIGURED, status="not_configured"),
        "usage": SearchUsage(),
        "recent": [
            *list_recent(dossier.found.recent, written.cite),
            *_list_filings(dossier.found, company.name, written.cite),
        ],
        "alias_trail": [
            AliasRow(name=row.name, relation=row.relation, since=row.from_on, basis=row.basis)
            for row in company.trail
        ],
    }
    return fields if dossier.found.subjects else fields | {"summary": NO_DRUG}


def show_spent(_: Mapping[str, Any], spend: Spend) -> dict[str, object]:
    """Return what was used of a language model, which searches no web."""
    return {
        "web_search": WebSearch(message=NO_WEB_SEARCH, status="not_configured"),
        "usage": SearchUsage(
            input_tokens=spend.input_tokens,
            output_tokens=spend.output_tokens,
            total_tokens=spend.total_tokens,
        ),
    }


def _how_to_see(dossier: Portfolio) -> str:
    """Return which fields of the request bring the drugs that are left off."""
    request, holdings = dossier.request, dossier.found
    left = [
        group_of(subject, dossier.as_of) for subject in holdings.subjects[len(holdings.shown) :]
    ]
    fields = [] if all(group in OLD for group in left) else ["raise drugdb_limit"]
    with_old = ["set include_old"] if not request.include_old and OLD & {*left} else []
    return " and ".join([*fields, *with_old]) or "raise drugdb_limit"


def _left_off(dossier: Portfolio) -> str:
    """Return how many drugs of each part of the portfolio the limit leaves off."""
    left = dossier.found.subjects[len(dossier.found.shown) :]
    counts = Counter(group_of(drug, dossier.as_of) for drug in left)
    return ", ".join(f"{counts[group]} {group}" for group in GROUPS if counts[group])


BRIEF = Brief(
    data=CompanyAssetSearcherData,
    steps=("Resolve company", "Trace origin and next event", "Write summary"),
    understand=understand,
    gather=gather,
    rows=make_record,
    sections=(Section("Summary", say),),
    columns=AssetTable,
    extra=add_own,
    spent=show_spent,
)


def run(request: CompanyAssetSearcherRequest, context: RunContext) -> CompanyAssetSearcherData:
    """Run the agent."""
    if context.settings.live_sources:
        company = understand(request, context)
        names = names_of(company.name) if company.groups else []
        ciks = numbers_of([company.name], context) if names else []
        query = SourceQuery((), limit=MOST_RECORDS, companies=names, ciks=ciks)
        context = read_live(query, (REGISTER, SUBMISSIONS), context, AGENT)
    data = BRIEF.run(request, context)
    if context.web is None:
        return data
    return add_web(data, request, understand(request, context), context)
