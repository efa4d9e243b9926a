"""How stocks reacted to events of each type in the list, and what that makes usual for the next.

What is usual for an event is the median of the earlier events of its type in the same list, so
that nothing is known before its day; where there are too few, that of the reference's stocks. A
list that was chosen after its moves makes them look larger than they are; the days without events
stand beside them.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import numpy as np

from core.agents.attribution_engine.decision import core_rows
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.records import Reaction
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.stocks import Stock, Study
from core.knowledge.usual_reactions import find_usual
from core.stats.event_study import sum_abnormal

FEWEST = 5
"""Earlier events of a type that a usual size needs."""
Pair = tuple[Stock, Study]


class Reacted(NamedTuple):
    """An event's abnormal return over its core rows."""

    kind: str
    day: date
    ticker: str | None
    place: int
    car: float
    is_significant: bool


def list_reactions(stocks: Sequence[Pair], config: ConfigUsed) -> list[Reacted]:
    """Return the reactions to all confirmed own events that can be tested, by day."""
    reactions = []
    for stock, study in stocks:
        for placed in stock.events.inside:
            row = placed.row or 0
            if not (placed.is_own and placed.event.confirmed and study.found.tested[row]):
                continue
            rows = list(core_rows(placed, len(stock.rows), config))
            size = sum_abnormal(study.found, row, rows)
            is_significant = abs(size.scar) >= config.sig_z and abs(size.car) >= config.min_abs_move
            kind, day = plain_kind(placed.event.event_type), stock.rows.dates[row]
            reactions.append(
                Reacted(kind, day, placed.ticker, placed.index, size.car, is_significant)
            )
    return sorted(
        reactions, key=lambda reaction: (reaction.day, reaction.ticker or "", reaction.place)
    )


def plain_kind(event_type: str) -> str:
    """Return a type as types are compared.

    >>> plain_kind("  Phase 3  Readout ")
    'phase 3 readout'
    """
    return " ".join(event_type.casefold().split())


def tabulate_reactions(
    reacted: Sequence[Reacted], stocks: Sequence[Pair], config: ConfigUsed
) -> list[Reaction]:
    """Return one row a type, the most frequent first, beside days without events."""
    by_kind: dict[str, list[Reacted]] = defaultdict(list)
    for reaction in reacted:
        by_kind[reaction.kind].append(reaction)
    sizes = []
    for _, study in stocks:
        sums = np.concatenate([[0.0], np.cumsum(np.nan_to_num(study.found.ar))])
        day = np.flatnonzero(study.chances.quiet_days)
        stop = np.minimum(day + config.max_lag + 1, len(sums) - 1)
        sizes.append(np.abs(sums[stop] - sums[day]))
    quiet = np.concatenate([[], *sizes])
    usual = float(np.median(quiet)) if len(quiet) else None
    rows = []
    for kind, some in by_kind.items():
        low, middle, high = np.quantile([abs(reaction.car) for reaction in some], [0.25, 0.5, 0.75])
        rows.append(
            Reaction(
                event_type=kind,
                n_events=len(some),
                median_abs_move=float(middle),
                lower_quartile=float(low),
                upper_quartile=float(high),
                share_up=sum(reaction.car > 0 for reaction in some) / len(some),
                share_moved=sum(reaction.is_significant for reaction in some) / len(some),
                median_without_event=usual,
            )
        )
    return sorted(rows, key=lambda row: (-row.n_events, row.event_type))


def expect_usual(stock: Stock, reacted: Sequence[Reacted]) -> Stock:
    """Return a stock whose events without an expected move have the usual one of their type.

    Own confirmed events of a type that the list has too few of have that of the reference.
    """
    inside = tuple(_with_usual(placed, reacted) for placed in stock.events.inside)
    events = PlacedEvents(inside, stock.events.outside, stock.events.warnings)
    return replace(stock, events=events)


def _with_usual(placed: PlacedEvent, reacted: Sequence[Reacted]) -> PlacedEvent:
    if placed.event.expected_abs_move or placed.row_on is None:
        return placed
    kind = plain_kind(placed.event.event_type)
    # Events of the last core window before the day are left out: they may not have ended.
    earlier = [
        abs(reaction.car)
        for reaction in reacted
        if reaction.kind == kind and (placed.row_on - reaction.day).days > 7
    ]
    usual = float(np.median(earlier)) if len(earlier) >= FEWEST else None
    reaction = (
        find_usual(kind) if usual is None and (placed.is_own and placed.event.confirmed) else None
    )
    if reaction is not None:
        return replace(placed, usual=reaction.median_abs_move, usual_kind=kind)
    return replace(placed, usual=usual)


def say_usual(stocks: Sequence[Stock]) -> list[str]:
    """Say which events have the reference's usual move, and what that rests on."""
    kinds = Counter(event.usual_kind for stock in stocks for event in stock.events.inside)
    warnings = []
    for kind in sorted(kind for kind in kinds if kind is not None):
        usual = find_usual(kind)
        if usual is not None:
            warnings.append(
                f"usual_move_of_reference: {kind} ({kinds[kind]} of the list): where no expected "
                f"move is given and the list has fewer than {FEWEST} earlier ones, it is "
                f"{100 * usual.median_abs_move:.1f} %, the median size over {usual.n_events} such "
                f"events of {usual.n_stocks} biotech stocks from {usual.since[:4]} to "
                f"{usual.until[:4]} (without an event {100 * usual.median_without_event:.1f} %)."
            )
    return warnings
