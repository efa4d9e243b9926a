"""Lists the early assets of targets drawn by seed, with the text that each is read from.

`python -m tests.benchmarks.early_assets HOME [SEED] [named]`: HOME is an instance with names and
the starter pack. With "named" only targets count that a stored patent names. The reader judges each
row by its text; the last line is the fill rate.
"""

import random
import sys
from pathlib import Path

from core.agents.competitive_landscaping.early import find_early
from core.agents.competitive_landscaping.gathering import understand
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.patents.stored import HeldPatents
from core.evidence.readers.patents.names import patent_names
from core.settings import Settings
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import make_context
from tests.benchmarks.targets import say

N_TARGETS = 20


def draw_targets(context: RunContext, seed: int, *, named_only: bool) -> list[str]:
    """Return targets of the curators' table."""
    rows = [row for rows in known_by_key(context.resolver).values() for row in rows]
    targets = sorted({row.target for row in rows if row.target})
    random.Random(seed).shuffle(targets)
    pool = HeldPatents(context.evidence)
    chosen: list[str] = []
    for target in targets:
        names = patent_names(target, context.resolver)
        if not named_only or (names and pool.find(names, 1)):
            chosen.append(target)
        if len(chosen) == N_TARGETS:
            break
    return chosen


def main() -> None:
    """Print each target with its rows, and the fill rate."""
    home, seed = Path(sys.argv[1]), int([*sys.argv[2:], "44"][0])
    context = make_context(Settings(home=home))
    n_filled = n_rows = 0
    for target in draw_targets(context, seed, named_only="named" in sys.argv):
        request = CompetitiveLandscapingRequest(query=f"{target} drugs")
        drugs = find_early(request, understand(request, context).scope, context)
        n_filled, n_rows = n_filled + bool(drugs), n_rows + len(drugs)
        say(f"{target}: {len(drugs)}")
        for drug in drugs:
            ids = list(drug.asset.record_ids)
            title = context.evidence.records(ids)[ids[0]].title
            spans = context.evidence.passages(ids, ["abstract", "relevance"]).get(ids[0], ())
            action = drug.asset.targets[0].mechanism.text
            say(f"  {drug.name} | {drug.stage} | {action} | {drug.asset.newest_on} | {title}")
            say(f"    {' '.join(span.text for span in spans)[:400]}")
    say(f"{n_filled} of {N_TARGETS} targets have rows, {n_rows} rows")


if __name__ == "__main__":
    main()
