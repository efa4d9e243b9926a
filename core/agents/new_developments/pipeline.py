"""From filters to what happened, what it adds up to, and what lies ahead."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from core.agents.new_developments import AGENT
from core.agents.new_developments.columns import CatalystTable, ThemeTable
from core.agents.new_developments.records import (
    EchoedFilters,
    LiveDiscovery,
    Momentum,
    ResolvedFilters,
    SourceReach,
    ThemeBrief,
)
from core.agents.new_developments.records import Theme as ThemeRow
from core.agents.new_developments.schema import NewDevelopmentsData, NewDevelopmentsRequest
from core.agents.new_developments.subjects import (
    Happened,
    Scanned,
    Scene,
    make_catalyst,
    make_event,
    say,
    say_theme,
)
from core.briefs.developments.focus import read_focus
from core.briefs.developments.question import Fields, Wanted, read_fields
from core.briefs.developments.scanning import Window, scan
from core.briefs.developments.themes import UNTOLD, Theme, find_themes
from core.briefs.live import TITLES, names_of, numbers_of, read_live, warn_of_live
from core.briefs.memo import Section, list_sections, prove
from core.briefs.memo import compose as compose_memo
from core.briefs.skeleton import Brief, Written
from core.evidence.entries.money import deals_of
from core.evidence.proof.claims import Claim, unmark
from core.evidence.sources.live.base import SourceAnswer, SourceQuery
from core.evidence.sources.live.phase import MOST_RECORDS
from core.workbench import RunContext

MOST_SHOWN = 400
DISCOVERED = ("ctgov", "drugsfda", "federal-register", "sec-filings", "sec-submissions")
"""Live sources that tell what happened on which day."""
MOST_UPCOMING = 60
MOST_BRIEFS = 5
NOT_CONNECTED = (
    "No live source is connected on this instance (BPW_LIVE_SOURCES), so none was queried."
)
NOT_ASKED = "Live sources were not requested."


def understand(request: NewDevelopmentsRequest, context: RunContext) -> Wanted:
    """Return what the filters ask for."""
    fields = Fields(
        request.query,
        request.indication,
        request.modality,
        request.target,
        read_focus(request.stage_focus),
    )
    return read_fields(fields, context.evidence, context.resolver, context.now.date())


def gather(request: NewDevelopmentsRequest, criteria: Wanted, context: RunContext) -> Scanned:
    """Return what happened within the window, what lies ahead, and what came before."""
    window = Window.of(context.now.date(), request.lookback_days, criteria.span)
    evidence = context.evidence
    found_events = scan(criteria, window, evidence, context.resolver)
    scored = [(catalyst.what, catalyst.score.total) for catalyst in found_events.catalysts]
    dropped = {str(name): count for name, count in found_events.dropped.items()}
    if len(scored) > MOST_SHOWN:
        dropped["beyond_limit"] = len(scored) - MOST_SHOWN
    shown = found_events.catalysts[:MOST_SHOWN]
    leads = [scored.what.event.lead.record_id for scored in shown if scored.what.is_deal]
    deals = deals_of(leads, evidence)
    own_events = [
        Happened(scored.what, scored.score, deals.get(scored.what.event.lead.record_id))
        for scored in shown
    ]
    upcoming = [Happened(development) for development in found_events.upcoming[:MOST_UPCOMING]]
    overdue = [Happened(development) for development in found_events.overdue]
    nearest = [Happened(development) for development in found_events.nearest]
    reach = dict(evidence.event_reach(window.today.isoformat()))
    return Scanned(
        subjects=[*own_events, *upcoming, *overdue, *nearest],
        most=len(own_events),
        warnings=[
            *_warn_of_discovery(request, context.live),
            *_warn(window, own_events, nearest, reach, found_events.n_events),
        ],
        words=[*criteria.words, window.words],
        window=window,
        upcoming=upcoming,
        overdue=overdue,
        nearest=nearest,
        themes=find_themes(scored, found_events.previous),
        dropped=dropped,
        n_events=found_events.n_events,
        n_found=len(scored),
        reach=reach,
        held=evidence.sources(),
        live=context.live,
    )


def _warn_of_discovery(
    request: NewDevelopmentsRequest, answers: Sequence[SourceAnswer]
) -> list[str]:
    if request.include_live_discovery and not answers:
        return [f"not_configured: {NOT_CONNECTED}"]
    return warn_of_live(answers)


def _warn(
    window: Window,
    own_events: list[Happened],
    nearest: list[Happened],
    reach: Mapping[str, str],
    n_events: int,
) -> list[str]:
    if own_events or not reach:
        return []
    source, day = max(reach.items(), key=lambda entry: (entry[1], entry[0]))
    beside = f"; the {len(nearest)} nearest earlier events stand apart" if nearest else ""
    why = f"none of the {n_events} events passes the filters" if n_events else "no event was found"
    return [
        f"window_empty: of {window.words} {why}; the newest event found "
        f"is of {day} ({source}){beside}."
    ]


def add_own(scene: Scene, written: Written) -> dict[str, object]:
    """Return themes, briefs, filters, what lies ahead, and how far the sources reach."""
    scanned, cite = scene.found, written.cite
    among = {event.what.id: event for event in scanned.own}
    briefs = _brief(scene, written, among)
    themes = [
        ThemeRow(
            theme_key=unmark(theme.key),
            label=unmark(theme.label),
            catalyst_count=len(theme.ids),
            momentum=Momentum(current=len(theme.ids), previous=theme.previous, change=theme.change),
            mean_score=theme.mean,
            top_catalyst_ids=list(theme.ids[:MOST_BRIEFS]),
            source_ids=cite.numbers(
                among[key].what.record_ids[0] for key in theme.ids[:1] if key in among
            ),
        )
        for theme in scanned.themes
        if any(key in among for key in theme.ids)
    ]
    return {
        "themes": themes,
        "theme_table": ThemeTable.of("themes", themes),
        "briefs": briefs,
        "filters": _echo(scene),
        "upcoming": [make_event(event, cite) for event in scanned.upcoming],
        "overdue": [make_event(event, cite) for event in scanned.overdue],
        "nearest": [make_event(event, cite) for event in scanned.nearest],
        "n_catalysts": scanned.n_found,
        "reach": [
            SourceReach(
                source=count.source,
                newest_event_on=scanned.reach.get(count.source),
                newest_record_on=count.newest or None,
                n_records=count.records,
            )
            for count in scanned.held
        ],
        "live_discovery": _tell_discovery(scene),
    }


def _tell_discovery(scene: Scene) -> LiveDiscovery:
    """Return what became of the live sources: the least complete of their answers."""
    answers = scene.found.live
    if not scene.request.include_live_discovery:
        return LiveDiscovery(status="skipped", message=NOT_ASKED)
    if not answers:
        return LiveDiscovery(status="not_configured", message=NOT_CONNECTED)
    parts: list[str] = []
    for answer in answers:
        n_records = len(answer.records)
        count = f"{n_records:,} {'record' if n_records == 1 else 'records'}"
        brought = f"{count} as of {answer.as_of}" if answer.as_of else count
        parts.append(f"{TITLES.get(answer.source, answer.source)}: {answer.message or brought}")
    statuses = [answer.status for answer in answers]
    fullest = ("answered", "empty", "partial")
    worst = next((status for status in statuses if status not in fullest), None)
    status = worst or max(statuses, key=fullest.index)
    return LiveDiscovery(status=status, message=f"{'; '.join(parts)}.")


def _brief(scene: Scene, written: Written, among: Mapping[str, Happened]) -> list[ThemeBrief]:
    """Return the first themes in words; those of which neither target nor disease is told last."""
    themes = [
        theme for theme in scene.found.themes if not theme.key.startswith(f"{UNTOLD}|{UNTOLD}")
    ]
    briefs: list[ThemeBrief] = []
    for theme in themes[:MOST_BRIEFS]:
        shown = [among[key] for key in theme.ids if key in among]
        section = Section(theme.label, partial(_say_of, theme, shown))
        memo = prove(compose_memo([section], scene), scene.ground)
        claims = list(chain(*(section.claims for section in list_sections(memo, written.cite))))
        if claims:
            briefs.append(
                ThemeBrief(
                    theme_key=unmark(theme.key),
                    title=unmark(theme.label),
                    text=" ".join(claim.text for claim in claims),
                    claims=claims,
                    catalyst_ids=[event.what.id for event in shown],
                    source_ids=sorted(
                        {key for claim in claims for key in claim.source_ids}, key=int
                    ),
                )
            )
    return briefs


def _say_of(theme: Theme, shown: Sequence[Happened], _: object) -> Iterator[Claim]:
    yield from say_theme(theme, shown)


def _echo(scene: Scene) -> EchoedFilters:
    request, criteria, scanned = scene.request, scene.asked, scene.found
    return EchoedFilters(
        **request.model_dump(exclude={"use_cache"}),
        window_start_on=scanned.window.start.isoformat(),
        window_end_on=scanned.window.end.isoformat(),
        n_events=scanned.n_events,
        resolved=ResolvedFilters(
            targets=criteria.target_names,
            indications=criteria.area_names,
            companies=list(criteria.companies),
            modalities=list(
                dict.fromkeys(modality for group in criteria.modalities for modality in group)
            ),
            drugs=[label for _, label in criteria.drugs],
            stages=list(criteria.stages),
            types=list(criteria.types),
        ),
        dropped=scanned.dropped,
    )


BRIEF = Brief(
    data=NewDevelopmentsData,
    steps=("Read filters", "Find events", "Write briefs"),
    understand=understand,
    gather=gather,
    rows=make_catalyst,
    sections=(Section("What happened", say),),
    columns=CatalystTable,
    extra=add_own,
    rows_in=("catalysts", "catalyst_table"),
)


def run(request: NewDevelopmentsRequest, context: RunContext) -> NewDevelopmentsData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Evidence, names, the clock and progress.
    """
    if request.include_live_discovery and context.settings.live_sources:
        criteria = understand(request, context)
        window = Window.of(context.now.date(), request.lookback_days, criteria.span)
        query = SourceQuery(
            groups=[
                [name for target in group for name in (target.text, *target.gene_symbols)]
                for group in criteria.targets
            ],
            limit=MOST_RECORDS,
            drugs=[name for _, name in criteria.drugs],
            diseases=criteria.area_names,
            companies=[name for company in criteria.companies for name in names_of(company)],
            since=window.start.isoformat(),
            ciks=numbers_of(criteria.companies, context),
        )
        context = read_live(query, DISCOVERED, context, AGENT)
    return BRIEF.run(request, context)
