"""Whether a drug is under way, an old product, of no activity or over; how many there are of each.

A question by disease lists what is under way first and what is over last. What was left out is
counted by its reason, so that every drug that was met is in a row or in a count.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal, get_args

from core.briefs.subjects import Drug
from core.records.asset_queries import ExcludedAsset

Standing = Literal["under way", "approved, off patent", "no activity", "over"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
"""In the order in which an answer about a disease lists them."""
PATENT_YEARS = 20
"""The term of a patent from its filing (TRIPS, article 33), which comes before any approval."""
_COUNTED = re.compile(r" \(\d+\)$")


def standing_of(drug: Drug, as_of: date) -> Standing:
    """Return how a drug stands within what was asked.

    An approved drug is off patent where no own trial of it is under way in scope and a register
    holds a generic, or its first approval is older than the term of a patent.

    Args:
        drug: The drug.
        as_of: The day asked about.
    """
    live = [one for one in drug.programs if one.state == "live"]
    if not live:
        is_over = all(one.state == "over" for one in drug.programs)
        return "over" if is_over else "no activity"
    is_further = any(one.stage != "APPROVED" for one in live)
    if is_further or drug.active_trials:
        return "under way"
    first = min((one.first_on for one in drug.asset.regions if one.first_on), default="")
    is_old = bool(first) and first[:4] <= str(as_of.year - PATENT_YEARS)
    return "approved, off patent" if is_old or drug.asset.has_generics else "under way"


def group_left_out(excluded: Iterable[ExcludedAsset]) -> Mapping[str, Sequence[str]]:
    """Return the names of candidates that were not taken by the reason, the commonest first.

    Args:
        excluded: The candidates; numbers of trials at the end of a reason do not count.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for one in excluded:
        found[_COUNTED.sub("", one.reason)].append(one.name)
    return dict(sorted(found.items(), key=lambda one: (-len(one[1]), one[0])))
