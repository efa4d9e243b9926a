"""Deal sourcing against theses written before it was built: what must and must not appear.

Run with `python -m tests.benchmarks.deal_theses HOME`, HOME an instance that holds all reference
files. The theses with their assets lie in `deal_theses.csv`, drawn from its trials and roles.
"""

import csv
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from core.agents.deal_sourcing.pipeline import run
from core.agents.deal_sourcing.schema import DealSourcingRequest
from core.records.names import fold_name
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.contexts import make_context

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
MUST, MUST_NOT = 0.7, 0.05


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def context_of(home: Path) -> RunContext:
    """Return a run on an instance."""
    stores = open_stores(Settings(home=home, database_url=None))
    return make_context(NOW, stores)


def measure(home: Path) -> bool:
    """Print what appears of what must and must not; return whether the floors are reached."""
    context = context_of(home)
    counts: Counter[tuple[str, str]] = Counter()
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            began = time.perf_counter()
            data = run(DealSourcingRequest(thesis=row["thesis"]), context)
            took = time.perf_counter() - began
            shown = {fold_name(one.entities.asset) for one in data.deals}
            why = {fold_name(one.entity): one.reason for one in data.rejected}
            must = [one for one in row["must"].split("|") if one]
            never = [one for one in row["must_not"].split("|") if one]
            missing = [one for one in must if fold_name(one) not in shown]
            false = [one for one in never if fold_name(one) in shown]
            counts[row["kind"], "must"] += len(must)
            counts[row["kind"], "found"] += len(must) - len(missing)
            counts[row["kind"], "never"] += len(never)
            counts[row["kind"], "false"] += len(false)
            say(f"{took:5.1f} s  {len(data.deals):2} of {data.n_candidates:3}  {row['thesis']}")
            for name in missing:
                say(f"         missing {name}: {why.get(fold_name(name), 'no candidate')}")
            for name in false:
                say(f"         false {name}")
    return _tell(counts)


def _tell(counts: Counter[tuple[str, str]]) -> bool:
    for kind in dict.fromkeys(kind for kind, _ in counts):
        told = {word: counts[kind, word] for word in ("found", "must", "false", "never")}
        say(
            f"{kind}: must {told['found']}/{told['must']}, must not {told['false']}/{told['never']}"
        )
    total = {
        word: sum(n for (_, w), n in counts.items() if w == word)
        for word in ("found", "must", "false", "never")
    }
    must, false = total["found"] / total["must"], total["false"] / total["never"]
    say(f"all: must appear {must:.2f} of {total['must']}, must not {false:.2f} of {total['never']}")
    return must >= MUST and false <= MUST_NOT


if __name__ == "__main__":
    sys.exit(0 if measure(Path(sys.argv[1])) else 1)
