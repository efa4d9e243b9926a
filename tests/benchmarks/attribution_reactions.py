"""How stocks of the reference reacted to the events that an instance holds; printed.

`python -m tests.benchmarks.attribution_reactions HOME`: own events with a day, found by ticker,
against the reference's daily returns. The events are all that are held, chosen by nobody after
their reaction; beside them days without events. Also how many unexplained moves have a held event
near them, beside the number that chance would give.
"""

import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.agents.attribution_engine.held_events import Span, company_names, find_held
from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.schema import CompanyOfStock
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.attribution import make_context, say
from tests.benchmarks.attribution_placebo import BENCHMARKS, ask, read_returns


def main(home: str) -> None:
    """Print the table."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    names, returns = company_names(stores.evidence), read_returns()
    context = replace(make_context(), evidence=stores.evidence, resolver=resolver)
    sizes: dict[str, list[float]] = defaultdict(list)
    quiet: list[float] = []
    near: dict[str, list[float]] = defaultdict(list)
    n_open = 0
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        span = Span(str(returns.index[0]), str(returns.index[-1]))
        held = find_held(ticker, span, names, stores.evidence, resolver)
        own = [one for one in held.events if one.relationship == "own"]
        request = ask(returns, ticker, [])
        request = request.model_copy(update={"companies": [CompanyOfStock(name=ticker)]})
        data = run(request, context)
        n_open += data.summary.states.unexplained
        for one in {(p.move_date, p.relationship): p for p in data.proposals}.values():
            near[one.relationship].append(one.chance)
        daily = data.daily.frame
        ar = daily["ar"].to_numpy(float)
        both = np.abs(np.nan_to_num(ar[:-1]) + np.nan_to_num(ar[1:]))[np.isfinite(ar[:-1])]
        quiet += both.tolist()
        days = daily["date"].tolist()
        for event in own:
            row = int(np.searchsorted(days, event.event.day))
            if row + 1 < len(days) and np.isfinite(ar[row]):
                sizes[event.title].append(abs(ar[row] + np.nan_to_num(ar[row + 1])))
    for title, some in sorted(sizes.items(), key=lambda one: -len(one[1])):
        low, middle, high = np.quantile(some, [0.25, 0.5, 0.75])
        say(f"{title}: n {len(some)}, median {middle:.1%}, quartiles {low:.1%} to {high:.1%}")
    say(f"any two days: n {len(quiet):,}, median {np.median(quiet):.1%}")
    for whose, chances in near.items():
        say(
            f"{len(chances)} of {n_open} unexplained moves have a held event ({whose}) near, "
            f"median chance {np.median(chances):.2%}, {sum(c <= 0.01 for c in chances)} at most 1 %"
        )


if __name__ == "__main__":
    main(sys.argv[1])
