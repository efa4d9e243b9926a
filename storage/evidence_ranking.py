"""Ranks records by how much of a question they meet.

bm25 adds up over all words, so a record with three names of one drug goes before one with the
drug and the disease. Here a group of names counts once: by how rare it is among all records,
and by how well the record meets it beside the best one.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from core.records.evidence_pack import Hit
from storage.evidence_texts import Group, Texts

CANDIDATES = 200
TELLING = 2
"""So many of the rarest groups find the candidates; the others only rank them."""
COMMON = 2500
"""A group of more records than this finds candidates only where there is no rarer one."""
SURE = 0.55
"""Part of a group's weight for occurring at all; the rest is for how prominently."""
PREFERRED = 1.4
"""How much more a record of a kind counts that the question names."""
Found = Sequence[tuple[Group, int]]


def rank(
    texts: Texts, groups: Sequence[Group], limit: int, preferred: Collection[str] = ()
) -> list[Hit]:
    """Return the records that meet most, best first.

    Args:
        texts: The text index.
        groups: At least one group of words.
        limit: At most so many.
        preferred: Kinds of records that the question asks for.
    """
    counted = [(group, texts.count(group)) for group in groups]
    found = sorted((one for one in counted if one[1]), key=lambda one: one[1])
    if not found:
        return []
    size = texts.size()
    total: dict[int, float] = {}
    telling = _telling(found)
    for place, (group, count) in enumerate(found):
        if place < telling:
            scores = texts.matches(group, COMMON)
        else:
            if place == telling:
                total = _best(total)
            scores = texts.scores(group, list(total))
        _add(total, scores, math.log(1 + (size - count + 0.5) / (count + 0.5)))
    hits = texts.hits(_best(total))
    weighed = [(hit.score * (PREFERRED if hit.kind in preferred else 1), hit) for hit in hits]
    weighed.sort(key=lambda one: (-one[0], one[1].record_id))
    return [hit for _, hit in weighed[:limit]]


def _telling(found: Found) -> int:
    """Return how many groups, from the rarest on, find candidates."""
    rare = sum(count <= COMMON for _, count in found)
    return max(1, min(TELLING, rare))


def _best(total: Mapping[int, float]) -> dict[int, float]:
    rows = sorted(total, key=lambda row: (-total[row], row))[:CANDIDATES]
    return {row: total[row] for row in rows}


def _add(total: dict[int, float], scores: Mapping[int, float], weight: float) -> None:
    """Add what a group is worth to the rows that meet it."""
    best = max(scores.values(), default=1.0) or 1.0
    for row, score in scores.items():
        total[row] = total.get(row, 0.0) + weight * (SURE + (1 - SURE) * score / best)
