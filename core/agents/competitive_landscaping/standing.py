"""Whether a drug is under way, established, of no activity or over; how many there are of each.

Early assets, read from titles and abstracts, are counted apart from the drugs.

A question by disease lists what is under way first and what is over last. What was left out is
counted by its reason, so that every drug that was met is in a row or in a count.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from core.records.asset_queries import ExcludedAsset

if TYPE_CHECKING:
    from core.briefs.board import Board
    from core.briefs.subjects import Drug

Standing = Literal["under way", "established", "no activity", "over", "early asset"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
"""In the order in which an answer about a disease lists them."""
EARLY_ASSET: Standing = "early asset"
NO_DRUG = "No matching drug is listed."
_COUNTED = re.compile(r" \(\d+\)$")


def standing_of(drug: "Drug", board: "Board") -> Standing:
    """Return how a drug stands within what was asked.

    A drug is established where it is approved in scope, nothing further is under way, and it was
    first approved longer ago than a patent lasts; or no term protects it and no own trial is under
    way. In a new use, approved within a patent's life, it is not.
    """
    live = [program for program in drug.programs if program.state == "live"]
    if not live:
        is_over = all(program.state == "over" for program in drug.programs)
        return "over" if is_over else "no activity"
    is_further = any(program.stage != "APPROVED" for program in live)
    if is_further:
        return "under way"
    is_unprotected = board.is_off_patent and not drug.active_trials
    is_old = board.is_long_approved or is_unprotected
    return "established" if is_old and not board.is_new_use else "under way"


def count_listed(n_drugs: int, n_early: int) -> str:
    """Return how many drugs and early assets are listed, in words.

    >>> count_listed(8, 1), count_listed(0, 2), count_listed(1, 0)
    ('8 drugs and 1 early asset', '2 early assets', '1 drug')
    """
    counted = [(n_drugs, "drug"), (n_early, "early asset")]
    shown = [f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counted if n]
    return " and ".join(shown) or "no drugs"


def group_left_out(excluded: Iterable[ExcludedAsset]) -> Mapping[str, Sequence[str]]:
    """Return the names of candidates that were not taken by the reason, the commonest first.

    Args:
        excluded: The candidates; numbers of trials at the end of a reason do not count.
    """
    names_by_reason: dict[str, list[str]] = defaultdict(list)
    for asset in excluded:
        names_by_reason[_COUNTED.sub("", asset.reason)].append(asset.name)
    return dict(sorted(names_by_reason.items(), key=lambda entry: (-len(entry[1]), entry[0])))
