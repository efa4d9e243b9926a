"""Prints a hundred drugs at phase 2 or later that companies are said to have, drawn by a seed.

`PYTHONPATH=. python tests/benchmarks/false_assets.py HOME [SEED]`: HOME is an instance with the
reference files imported. The companies are the ten of the pipeline file and three small ones,
drawn by the seed among those with two to fifteen such drugs. A person judges each line: has the
company really a part in the drug (origin, license, approval, own trials)?
"""

import random
import sys
from pathlib import Path

from core.agents.company_asset_searcher.records import DrugRecord
from core.evidence.identity.resolver import Resolver
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.company_assets import ask, expected, say

SEED = 20_261_121
DRAWN = 100
SMALL = 3
FEWEST, MOST = 2, 15
LATE = frozenset({"phase_2", "phase_3", "filed", "approved"})
