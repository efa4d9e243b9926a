"""What is said of a scan: claims about counts, the weightiest events, and each theme."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.agents.new_developments.schema import NewDevelopmentsRequest
from core.agents.new_developments.subjects import Happened
from core.briefs.developments.question import Wanted
from core.briefs.developments.scanning import Window
from core.briefs.developments.themes import ONE_WORDS, TYPE_WORDS, Theme
from core.briefs.developments.wording import name_drugs, number_of, title_of
from core.briefs.memo import tell_counts
from core.briefs.records import show_day
from core.briefs.skeleton import Dossier, Found
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.records.evidence_pack import SourceCount

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
    for event in scan.overdue[:MOST_TOLD]:
        yield tell(event, OVERDUE)
    for event in scan.upcoming[:MOST_TOLD]:
        yield tell(event, "Ahead: ")
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
