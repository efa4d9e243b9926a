"""From a query in plain words to the drugs that compete, and what that means."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from core.agents.competitive_landscaping import AGENT
from core.agents.competitive_landscaping.columns import DrugTable
from core.agents.competitive_landscaping.completeness import INTERVAL, NEEDED, say_complete
from core.agents.competitive_landscaping.early import LIVE, asks_early, find_early
from core.agents.competitive_landscaping.fitting import fit
from core.agents.competitive_landscaping.gathering import (
    find_drugs,
    find_publications,
    report_groups,
    sources_switched_on,
    understand,
    warn_of_groups,
)
from core.agents.competitive_landscaping.memo_lead import say_ahead, say_understood
from core.agents.competitive_landscaping.memo_outlook import (
    say_events,
    say_failed,
    say_room,
    say_to_beat,
)
from core.agents.competitive_landscaping.ranking import (
    MODES,
    Ranked,
    leave_out,
    merge,
    rank,
    with_boards,
)
from core.agents.competitive_landscaping.rows import add_own, make_row, show_spent
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.agents.competitive_landscaping.scope import Asked, Scope
from core.agents.competitive_landscaping.standing import EARLY_ASSET, count_listed
from core.agents.competitive_landscaping.survey import Landscape, lists_of, warn_of_wider
from core.agents.competitive_landscaping.web import add_web
from core.briefs import crowding
from core.briefs.board import find_boards
from core.briefs.live import live_query, read_live, warn_of_live
from core.briefs.memo import Section
from core.briefs.recent import find_recent
from core.briefs.skeleton import Brief
from core.evidence.names.companies import company_group
from core.evidence.patents.stored import HeldPatents
from core.evidence.proof.claims import unmark
from core.evidence.readers.patents.names import patent_names
from core.records.patents import PatentDocument
from core.vocabulary.sources import PATENT_SOURCES
from core.workbench import RunContext

EARLY = frozenset({"PRECLINICAL", "DISCOVERY"})
MOST_PATENTS = 40
MOST_OWNERS = 8
PUBLISHED: Mapping[str, str] = {
    **dict.fromkeys(PATENT_SOURCES, "patents"),
    **dict.fromkeys(("europepmc", "preprints"), "papers"),
    **dict.fromkeys(("nih-reporter", "sbir"), "grants"),
    "tech-transfer": "technology offers",
}
STRONG = frozenset({"title", "abstract", "claims"})


def say_early(
    request: CompetitiveLandscapingRequest,
    drugs: Sequence[Ranked],
    early: Sequence[Ranked],
    patents: Callable[[], Sequence[PatentDocument]],
) -> Iterator[str]:
    """Yield what early assets are listed, or that no program before phase 1 was found."""
    if early:
        counts = Counter(PUBLISHED[drug.asset.record_ids[0].partition(":")[0]] for drug in early)
        shown = ", ".join(f"{n} from {words}" for words, n in sorted(counts.items()))
        verb = "is" if len(early) == 1 else "are"
        apart = "apart from the drugs " if drugs else ""
        yield (
            f"early_assets: {count_listed(0, len(early))} {verb} listed {apart}({shown}); what "
            "they do to the target is read from titles and abstracts, so check the source."
        )
        return
    if request.query_type == "clinical" or any(
        any(program.stage in EARLY and program.state == "live" for program in drug.programs)
        for drug in drugs
    ):
        return
    listed = "; what is listed is in the clinic or was" if drugs else ""
    named = _named_owners(patents())
    owners = f"; owners of patents that name the target: {named}" if named else ""
    yield f"no_preclinical: no program before phase 1 was found{listed}{owners}."


def say_patents(scope: Scope, patents: Sequence[PatentDocument]) -> str:
    """Return how many patent documents name the target asked for, and who owns the newest."""
    if _symbol(scope) == "":
        return (
            "patents: patent documents are searched by one gene; the question names none, or "
            "several, so that none was searched."
        )
    named = _named_owners(patents)
    documents = f"{len(patents)} patent document{'' if len(patents) == 1 else 's'}"
    return f"patents: {documents} on this instance name {_symbol(scope)}{named and f': {named}'}."


def _named_owners(patents: Sequence[PatentDocument]) -> str:
    """Return the owners of documents, each with the number of one of them."""
    first: dict[str, str] = {}
    for patent in patents:
        if patent.assignees:
            first.setdefault(company_group(patent.assignees[0]), patent.publication_number)
    shown = [f"{unmark(name)} ({number})" for name, number in first.items()][:MOST_OWNERS]
    return ", ".join(shown)


def find_patents(scope: Scope, context: RunContext) -> list[PatentDocument]:
    """Return the patent documents of this instance that name the one gene asked for."""
    symbol = _symbol(scope)
    names = patent_names(symbol, context.resolver) if symbol else None
    documents = HeldPatents(context.evidence).find(names, MOST_PATENTS) if names else ()
    return [patent for patent in documents if any(mention in STRONG for mention in patent.mentions)]


def _symbol(scope: Scope) -> str:
    targets = scope.parsed.targets
    is_one = len(targets) == 1 and len(targets[0].gene_symbols) == 1
    return targets[0].gene_symbols[0] if is_one else ""


SECTIONS = (
    Section("What was asked", say_understood, is_fixed=True),
    Section("Who is ahead", say_ahead),
    Section("What a candidate must beat", say_to_beat),
    Section("Who stopped, and why", say_failed),
    Section("The next twelve months", say_events),
    Section("Competitive density and white space", say_room),
    Section("How complete this is", lambda survey: say_complete(lists_of(survey)), is_fixed=True),
)
WORDS = ("phase 2 or later", "before phase 2", "phase 4", "HbA1c", INTERVAL, NEEDED)
"""Phrases with digits that state nothing."""


def gather(
    request: CompetitiveLandscapingRequest, question: Asked, context: RunContext
) -> Landscape:
    """Return the drugs by rank, merged where both modes are run, and what they come to."""
    taken, as_of = find_drugs(question, request, context), context.now.date()
    context.progress("Gather drugs", 1, 1, f"{len(taken.drugs)} drugs")
    lists = {
        mode: rank(taken.fitted, taken.scope, mode, as_of) for mode in MODES[request.query_type]
    }
    ranked = merge(lists.get("clinical", []), lists.get("preclinical", []))
    ranked = with_boards(ranked, find_boards(ranked, context.evidence, as_of))
    ranked, left = leave_out(ranked, request)
    owners = {owner for drug in taken.drugs for owner in drug.owners}
    fitted = fit(find_early(request, taken.scope, context, owners), taken.scope)
    early = [
        replace(asset, standing=EARLY_ASSET)
        for asset in rank(fitted, taken.scope, "preclinical", as_of)
    ]
    context.progress("Rank", 1, 1, f"{len(ranked)} rows")
    parsed, places = taken.scope.parsed, crowding.find_density(ranked)
    shares = [] if parsed.companies else crowding.find_shares(ranked)  # of one there is no share
    is_whole = not (parsed.companies or parsed.stages)  # else what others do in it is not known
    patents = cache(partial(find_patents, taken.scope, context))
    counted = Counter(patent.source for patent in patents() if request.include_patents)
    counted += Counter(drug.asset.record_ids[0].partition(":")[0] for drug in early)
    publications = find_publications(request, context.live)
    listed = Counter(each.source for each in publications)
    groups = report_groups(
        request, context.evidence.sources(), {**taken.hits, **counted, **listed}, context.live
    )
    return Landscape(
        subjects=ranked,
        excluded=[*taken.excluded, *left],
        warnings=[
            *map(unmark, taken.fitted.notices),
            *warn_of_live(context.live),
            *warn_of_groups(groups),
            *warn_of_wider(ranked),
            *([say_patents(taken.scope, patents())] if request.include_patents else ()),
            *(say_early(request, ranked, early, patents) if ranked or early else ()),
        ],
        facts=taken.figures,
        words=[*WORDS, *question.words, *(niche.target for niche in places)],
        scope=taken.scope,
        by_mode={
            mode: len(drugs) + (len(early) if mode == "preclinical" else 0)
            for mode, drugs in lists.items()
        },
        early=early,
        groups=groups,
        places=places,
        shares=shares,
        hhi=crowding.concentration(shares),
        opens=crowding.find_open(ranked, _related(context)) if is_whole else [],
        events=crowding.find_events(ranked, as_of),
        publications=publications,
        further_ids=[each.id for each in publications],
        recent=find_recent(ranked, context.evidence, context.resolver, as_of),
    )


def _related(context: RunContext) -> Callable[[str], Collection[str]]:
    """Return what gives a disease's key with those of its kinds and of the wider diseases."""
    identity = context.resolver.identity
    return lambda key: {
        key,
        *identity.descendants("disease", key),
        *identity.ancestors("disease", key),
    }


BRIEF = Brief(
    data=CompetitiveLandscapingData,
    steps=("Parse query", "Survey the field", "Write memo"),
    understand=understand,
    gather=gather,
    rows=make_row,
    sections=SECTIONS,
    columns=DrugTable,
    extra=add_own,
    spent=show_spent,
)


def run(request: CompetitiveLandscapingRequest, context: RunContext) -> CompetitiveLandscapingData:
    """Run the agent."""
    if context.settings.live_sources:
        question = understand(request, context)
        areas = [area.label for areas in question.scope.areas for area in areas]
        query = live_query(question.query, areas)
        asks = asks_early(request, question.scope)
        names = [name for name in sources_switched_on(request) if asks or name not in LIVE]
        is_fresh = request.skip_drug_cache
        context = read_live(query, names, context, AGENT, is_fresh=is_fresh)
    data = BRIEF.run(request, context)
    return data if context.web is None else add_web(data, request, context)
