"""Events of a scan as lines, and the sentences that tell of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.agents.new_developments.records import Catalyst, DatedEvent, DealTerms, ScoreComponents
from core.agents.new_developments.schema import NewDevelopmentsRequest
from core.briefs.developments.question import Wanted
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import Window
from core.briefs.developments.scoring import Score
from core.briefs.developments.themes import ONE_WORDS, TYPE_WORDS, Theme, theme_of
from core.briefs.developments.wording import name_drugs, number_of, title_of, words_of
from core.briefs.memo import tell_counts
from core.briefs.records import show_day
from core.briefs.skeleton import Dossier, Found
from core.evidence.entries.money import DealEntry
from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.sources.live.base import SourceAnswer
from core.records.evidence_pack import SourceCount

MOST_CITED = 4
MOST_DISEASES = 3
MOST_TARGETS = 3


@dataclass(frozen=True)
class Happened:
    """An event of the window with its score; without one it lies ahead, or before.

    Attributes:
        what: The development.
        score: Its score; None where it has none.
        deal: Its terms, where it is a deal.
    """

    what: Development
    score: Score | None = None
    deal: DealEntry | None = None

    @property
    def name(self) -> str:
        """Return its title."""
        return title_of(self.what)

    @property
    def is_expert_only(self) -> bool:
        """Return whether its target is curators' own knowledge alone."""
        return "target" in self.unconfirmed

    @property
    def unconfirmed(self) -> list[str]:
        """Return the cells that are curators' own knowledge alone."""
        return [cell.name for cell in self.cells() if cell.is_expert]

    def cells(self) -> list[Cell]:
        """Return what its line rests on."""
        what = self.what
        facts = tuple(event.lead.fact_id for event in what.events if event.lead.fact_id)
        rule = what.event.lead.rule
        cells = [Cell("event", self.name, what.record_ids, facts, rule, what.is_expert)]
        if what.drug and what.targets:
            ids, is_expert = what.drug.record_ids, what.drug.is_expert
            cells.append(Cell("target", _targets(what) or "", ids, is_expert=is_expert))
        if what.is_through_uses:
            cells.append(Cell("indication", _diseases(what) or "", what.link_ids))
        return cells

    def record_ids(self) -> set[str]:
        """Return every record that its line may cite."""
        return {*self.what.record_ids, *self.what.link_ids[:1]}

    def names(self) -> dict[str, set[str]]:
        """Return its drugs and its trial, with the records that tell it."""
        ids = set(self.what.record_ids)
        named = (name_drugs(self.what), number_of(self.what), unmark(self.what.company))
        return {name: ids for name in named if name}

    def words(self) -> Iterable[str]:
        """Yield phrases with digits that state nothing."""
        yield from words_of(self.what)


def _targets(what: Development) -> str | None:
    return ", ".join(unmark(target) for target in what.targets[:MOST_TARGETS]) or None


def _diseases(what: Development) -> str | None:
    names = [unmark(disease.name) for disease in what.diseases]
    more = f" and {len(names) - MOST_DISEASES} more" if len(names) > MOST_DISEASES else ""
    return ("; ".join(names[:MOST_DISEASES]) + more) or None


def make_event(happened: Happened, cite: Cite) -> DatedEvent:
    """Return the line of an event ahead or before."""
    return DatedEvent.model_validate(_plain(happened, cite))


def _plain(happened: Happened, cite: Cite) -> dict[str, object]:
    what = happened.what
    cited = [*what.record_ids[:MOST_CITED], *what.link_ids[:1]]
    return {
        "id": what.id,
        "title": happened.name,
        "date": what.day,
        "date_precision": what.precision,
        "catalyst_type": what.catalyst_type,
        "event_type": what.type,
        "drug": name_drugs(what) or None,
        "company": unmark(what.company) or None,
        "ticker": what.ticker or None,
        "indication": _diseases(what),
        "stage": what.stage,
        "source_ids": cite.numbers(key for key in cited if key in cite.records),
    }


def make_catalyst(happened: Happened, cite: Cite) -> Catalyst:
    """Return the line of an event of the window."""
    what, score = happened.what, happened.score
    if score is None:
        raise ValueError("an event of the window has a score")
    lead = what.event.lead
    parts = {name: getattr(score, name) for name in ScoreComponents.model_fields}
    return Catalyst.model_validate(
        _plain(happened, cite)
        | {
            "signal_score": score.total,
            "investors": [],
            "modality": what.modality or None,
            "target": _targets(what),
            "score_components": ScoreComponents(**parts),
            "theme_key": unmark(theme_of(what)[0]),
            "n_sources": len(what.publishers),
            "brand": unmark(what.brand) or None,
            "sponsor": unmark(what.sponsor) or None,
            "owner": unmark(what.owner) or None,
            "region": lead.region or None,
            "since": lead.since or None,
            "before": unmark(lead.before) or None,
            "after": unmark(lead.after) or None,
            "is_through_uses": what.is_through_uses,
            "told_by": list(what.publishers),
            "drug_key": what.drug.key if what.drug else None,
            "unconfirmed": happened.unconfirmed,
            "deal": _describe_deal(happened, cite),
        }
    )


def _describe_deal(happened: Happened, cite: Cite) -> DealTerms | None:
    """Return the terms of a deal; what its record does not report is None."""
    deal = happened.deal
    if deal is None:
        return None
    words = ("licensor", "licensee", "acquirer", "partner", "asset", "territory", "royalty")
    return DealTerms(
        type=deal.type,
        **{word: unmark(getattr(deal, word)) or None for word in words},
        announced_on=deal.day,
        announced_precision=happened.what.precision,
        upfront_musd=deal.upfront.value if deal.upfront else None,
        total_musd=deal.total.value if deal.total else None,
        source_ids=cite.numbers([deal.record_id]),
    )


MOST_TOLD = 3
MOST_TYPES = 5
OVERDUE = "Overdue, no result reported: "


@dataclass(frozen=True)
class Scanned(Found[Happened]):
    """What a scan found.

    Attributes:
        window: Its days.
        upcoming: What lies ahead.
        overdue: Target dates that passed without a reported result.
        nearest: What happened last before the window, where it holds nothing.
        themes: Themes of what happened.
        dropped: How many each filter removed.
        n_events: How many happened within the window before any filter.
        n_found: How many of them pass the filters, before the limit.
        reach: Newest day of an event by source.
        held: What is held of each source.
        live: What live sources answered.
    """

    window: Window = Window(date.min, 0)
    upcoming: Sequence[Happened] = ()
    overdue: Sequence[Happened] = ()
    nearest: Sequence[Happened] = ()
    themes: Sequence[Theme] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    n_events: int = 0
    n_found: int = 0
    reach: dict[str, str] = field(default_factory=dict)
    held: Sequence[SourceCount] = ()
    live: Sequence[SourceAnswer] = ()

    @property
    def own(self) -> Sequence[Happened]:
        """Return what happened within the window."""
        return self.shown


Scene = Dossier[NewDevelopmentsRequest, Wanted, Scanned]


def say(scene: Scene) -> Iterator[Claim]:
    """Yield how much happened, what weighs most, and what lies ahead; or what came before."""
    shown = scene.found.own
    if not shown:
        yield from _say_nothing(scene)
        return
    yield _count(shown, scene)
    for event in shown[:MOST_TOLD]:
        yield tell(event)
    for event in scene.found.overdue[:1]:
        yield tell(event, OVERDUE)
    for event in scene.found.upcoming[:1]:
        yield tell(event, "Next ahead: ")


def _count(shown: Sequence[Happened], scene: Scene) -> Claim:
    kinds = Counter(happened.what.catalyst_type for happened in shown)
    groups = {
        (ONE_WORDS if count == 1 else TYPE_WORDS)[kind]: [
            happened.what.id for happened in shown if happened.what.catalyst_type == kind
        ]
        for kind, count in kinds.most_common(MOST_TYPES)
    }
    text, figures = tell_counts(groups)
    window = scene.found.window
    where = f"in {window.words}" if window.until is None else f"from {window.words}"
    return make_claim(
        f"{len(shown)} event{'s' if len(shown) > 1 else ''} listed {where}: {text}.",
        "computed",
        [happened.what.record_ids[0] for happened in shown[:MOST_TOLD]],
        figures=[
            count_of(len(shown), (happened.what.id for happened in shown)),
            *figures,
        ],
    )


def tell(happened: Happened, lead: str = "") -> Claim:
    """Return the sentence of an event, with its day, company and records."""
    what = happened.what
    day = show_day(what.day, what.precision)
    day = day if lead else day.capitalize()
    company = unmark(what.company)
    title = title_of(what)
    by = f" ({company})" if company and company not in title else ""
    names = [name_drugs(what), number_of(what), company]
    text = f"{lead}{day}: {title}{by}."
    return make_claim(
        text,
        "rule" if lead == OVERDUE else "fact",
        what.record_ids[:MOST_TOLD],
        figures=[Figure(what.day, None, what.event.lead.record_id)],
        names=[name for name in names if name and name in text],
    )


def _say_nothing(scene: Scene) -> Iterator[Claim]:
    scan = scene.found
    if not scene.is_held:
        return
    for event in scan.upcoming[:MOST_TOLD]:
        yield tell(event, "Ahead: ")
    for event in scan.overdue[:MOST_TOLD]:
        yield tell(event, OVERDUE)
    yield make_claim("No listed event of the window passes the filters.", "rule")
    for event in scan.nearest[:MOST_TOLD]:
        yield tell(event, "Before the window: ")


def say_theme(theme: Theme, among: Sequence[Happened]) -> Iterator[Claim]:
    """Yield what a theme comes to: how many, against the window before, and the best."""
    n, before = len(theme.ids), theme.previous
    events = "event" if n == 1 else "events"
    yield make_claim(
        f"{n} {events} in this window, {before} in the one before.",
        "computed",
        [happened.what.record_ids[0] for happened in among[:MOST_TOLD]],
        figures=[
            count_of(n, theme.ids),
            count_of(before, (f"before {index}" for index in range(before))),
        ],
    )
    for happened in among[:MOST_TOLD]:
        yield tell(happened)
