"""Whether a drug is under way, an old product, of no activity or over; how many there are of each.

A question by disease lists what is under way first and what is over last. What was left out is
counted by its reason, so that every drug that was met is in a row or in a count.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from core.records.asset_queries import ExcludedAsset

if TYPE_CHECKING:
    from core.briefs.subjects import Drug

Standing = Literal["under way", "approved, off patent", "no activity", "over"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
"""In the order in which an answer about a disease lists them."""
_COUNTED = re.compile(r" \(\d+\)$")


def standing_of(drug: "Drug", *, is_off_patent: bool) -> Standing:
    """Return how a drug stands within what was asked.

    Args:
        drug: The drug.
        is_off_patent: Whether no term protects it; it stands so where no own trial of it is under
            way in scope.
    """
    live = [program for program in drug.programs if program.state == "live"]
    if not live:
        is_over = all(program.state == "over" for program in drug.programs)
        return "over" if is_over else "no activity"
    is_further = any(program.stage != "APPROVED" for program in live)
    if is_further or drug.active_trials:
        return "under way"
    return "approved, off patent" if is_off_patent else "under way"


def group_left_out(excluded: Iterable[ExcludedAsset]) -> Mapping[str, Sequence[str]]:
    """Return the names of candidates that were not taken by the reason, the commonest first.

    Args:
        excluded: The candidates; numbers of trials at the end of a reason do not count.
    """
    names_by_reason: dict[str, list[str]] = defaultdict(list)
    for asset in excluded:
        names_by_reason[_COUNTED.sub("", asset.reason)].append(asset.name)
    return dict(sorted(names_by_reason.items(), key=lambda entry: (-len(entry[1]), entry[0])))
