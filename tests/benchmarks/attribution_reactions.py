"""How stocks of the reference reacted to the events that an instance holds; printed.

`python -m tests.benchmarks.attribution_reactions HOME [TABLE]`: own events with a day, found by
ticker, one a type and day, against the reference's daily returns. The events are all that are
held, chosen by nobody after their reaction; beside them days without events. Also how many
unexplained moves have a held event near them, beside the number that chance would give. With the
path of the knowledge table `usual_reactions.csv` its figures are written anew (types of 20 events
or more; words stay).
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.proposing import HeldEvent, Span, company_names, find_held
from core.agents.attribution_engine.records import Reaction
from core.agents.attribution_engine.schema import CompanyOfStock, EventRow
from core.agents.attribution_engine.settings import Config, use
from core.agents.attribution_engine.stocks import (
    Pair,
    list_reactions,
    list_stocks,
    study_days,
    tabulate_reactions,
)
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from core.vocabulary.event_types import event_types
from storage.stores import open_stores
from tests.benchmarks.attribution import NOW, say
from tests.benchmarks.attribution_placebo import BENCHMARKS, ask, read_returns
from tests.contexts import make_context

FEWEST = 20
CONFIG = use(Config(), 5)


def is_counted(held: HeldEvent) -> bool:
    """Return whether an event is the company's own, and no formal act of a later region.

    A decision of another agency than the FDA most often follows an opinion that was the news.
    """
    return held.relationship == "own" and held.event.lead.region in ("FDA", "")


def as_row(held: HeldEvent) -> EventRow:
    """Return a held event as a request names it."""
    event = held.event
    asset = ", ".join(event.drugs[:3]) or "a drug not named"
    fields = {"date": event.day, "asset": asset[:500], "event_type": held.title}
    return EventRow.model_validate({**fields, "relationship": "own", "confirmed": True})


def write(path: Path, reactions: Sequence[Reaction], pairs: Sequence[Pair], span: Span) -> None:
    """Write the figures of the types that have enough events into the table."""
    with path.open(encoding="utf-8", newline="") as text:
        known = {row["event_type"]: row for row in csv.DictReader(text)}
    titles = {row.title.casefold(): str(row.type) for row in event_types().values()}
    rows = []
    for one in reactions:
        kind = titles[one.event_type]
        if one.n_events < FEWEST:
            continue
        figures = one.model_dump(exclude={"event_type", "n_events"})
        stocks = sum(
            any(
                event.event.event_type.casefold() == one.event_type for event in stock.events.inside
            )
            for stock, _ in pairs
        )
        rows.append(
            known[kind]
            | {name: f"{value:.4f}" for name, value in figures.items()}
            | {"n_events": one.n_events, "n_stocks": stocks}
            | {"since": span.since, "until": span.until}
        )
    with path.open("w", encoding="utf-8", newline="") as text:
        columns = list(known[next(iter(known))])
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(sorted(rows, key=lambda row: str(row["event_type"])))


def main(home: str, table: str | None = None) -> None:
    """Print the reactions, and write the table where one is named."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    names, returns = company_names(stores.evidence), read_returns()
    context = replace(make_context(NOW), evidence=stores.evidence, resolver=resolver)
    span = Span(str(returns.index[0]), str(returns.index[-1]))
    pairs: list[Pair] = []
    near: dict[str, list[float]] = defaultdict(list)
    n_open = 0
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        held = find_held(ticker, span, names, stores.evidence, resolver)
        request = ask(returns, ticker, [])
        data = run(request.model_copy(update={"companies": [CompanyOfStock(name=ticker)]}), context)
        n_open += data.summary.states.unexplained
        for one in {(p.move_date, p.relationship): p for p in data.proposals}.values():
            near[one.relationship].append(one.chance)
        days = {(one.title, one.event.day): one for one in held.events if is_counted(one)}
        own = [as_row(one) for _, one in sorted(days.items())]
        (stock,) = list_stocks(request.model_copy(update={"events": own}), CONFIG)
        pairs.append((stock, study_days(stock.rows, stock.events, CONFIG)))
    reactions = tabulate_reactions(list_reactions(pairs, CONFIG), pairs, CONFIG)
    for row in reactions:
        say(
            f"{row.event_type}: n {row.n_events}, median {row.median_abs_move:.1%}, quartiles "
            f"{row.lower_quartile:.1%} to {row.upper_quartile:.1%}, up {row.share_up:.0%}, over "
            f"both limits {row.share_moved:.0%}, without event {row.median_without_event:.1%}"
        )
    for whose, chances in near.items():
        say(
            f"{len(chances)} of {n_open} unexplained moves have a held event ({whose}) near, "
            f"median chance {np.median(chances):.2%}, {sum(c <= 0.01 for c in chances)} at most 1 %"
        )
    if table is not None:
        write(Path(table), reactions, pairs, span)


if __name__ == "__main__":
    main(*sys.argv[1:])
