"""Designs of the table of accepted answers: `python -m tests.benchmarks.design_requests HOME`.

Prints for each request the answer's first primary endpoint, control and participants, and how many
of each are acceptable to an expert.
"""

import sys
import time
from pathlib import Path

from core.settings import Settings
from tests.benchmarks.frozen_answers import ask, make_context
from tests.benchmarks.targets import say
from tests.core.agents.clinical_trial_design.accepted_designs import ACCEPTED, size_of


def main(home: Path) -> None:
    """Print the answers and the figures."""
    context = make_context(Settings(home=home, database_url=None))
    totals = dict.fromkeys(("endpoint", "control", "both", "N shown", "N in range"), 0)
    slowest = 0.0
    for case in ACCEPTED:
        began = time.perf_counter()
        data = ask("clinical-trial-design", dict(case.request), context)
        elapsed_s = time.perf_counter() - began
        slowest = max(slowest, elapsed_s)
        n, right = size_of(data), (case.has_endpoint(data), case.has_control(data))
        shown = {
            "endpoint": right[0],
            "control": right[1],
            "both": all(right),
            "N shown": n is not None,
            "N in range": case.has_size(data),
        }
        for name, hit in shown.items():
            totals[name] += hit
        first = next((e for e in data.endpoint_strategy if e.role == "primary"), None)
        marks = " ".join("+" if hit else "-" for hit in shown.values())
        months = data.strategy_scenarios[0].months_to_readout
        say(
            f"{marks} {case.name}: {first.endpoint if first else 'none'} | "
            f"{data.comparator_strategy.type}: {data.comparator_strategy.recommended[:70]} | "
            f"N {n} {case.sizes} | {months} months | "
            f"confidence {data.executive_summary.confidence_score} | {elapsed_s:.1f} s"
        )
    say(f"of {len(ACCEPTED)}: {totals}; slowest {slowest:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
