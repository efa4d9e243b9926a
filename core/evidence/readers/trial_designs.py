"""What texts of a trial tell of its design: the ratio of its arms, how many criteria it has."""

import re
from collections.abc import Sequence

_RATIO = re.compile(r"(?<![\d:.])(\d{1,2}(?:\s?:\s?\d{1,2}){1,6})(?![\d:]|\.\d)")
_DRAWN = re.compile(r"\brandomi[sz]|\ballocat|\bassigned\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:a\.?m|p\.?m|dilut\w*|titer|effector|molar|hours?|hrs?)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[a-z)])[.;]\s+|\n")
_BULLET = re.compile(r"^(\s*)(?:[*\u2022\u00b7\u25cf\u25aa-]|\d{1,2}[.)])\s*\S", re.MULTILINE)
_HEADS = re.compile(
    r"^[\s*#]*(?:key |main |major |principal |general )?(in|ex)clusions?\b"
    r"(?: criteria)?[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
MOST_OTHER = 40
"""Characters about a ratio that may show that it is of something else."""


def read_ratio(texts: Sequence[str], n_arms: int = 0) -> str:
    """Return the ratio in which participants are drawn to arms; "" if none or several are told.

    Args:
        texts: Titles, summary, description of the design.
        n_arms: Arms of the trial; 0 where unknown. No ratio has more parts.

    >>> read_ratio(["Patients are randomized 2:1 to drugoxib or placebo."], 2)
    '2:1'
    >>> read_ratio(["Randomized at 8:00 a.m."]), read_ratio(["Randomized 1:1, later 2:1"])
    ('', '')
    """
    ratios = set()
    for text in texts:
        for sentence in _SENTENCE.split(text):
            if _DRAWN.search(sentence):
                ratios |= {
                    re.sub(r"\s", "", match[1])
                    for match in _RATIO.finditer(sentence)
                    if not _is_of_another(sentence, match.start(), match.end())
                }
    ratio = ratios.pop() if len(ratios) == 1 else ""
    parts = ratio.split(":")
    if "0" in parts or "00" in parts or (n_arms and len(parts) > n_arms):
        return ""
    return ratio


def _is_of_another(text: str, start: int, end: int) -> bool:
    """Return whether a ratio is a time, a dilution, or of effector to target cells."""
    return _OTHER.search(text[max(0, start - MOST_OTHER) : end + MOST_OTHER]) is not None


def count_criteria(text: str) -> dict[str, int]:
    r"""Return how many criteria of inclusion and of exclusion a text lists; empty where unclear.

    Criteria are the outermost items under each head; both heads must stand once.

    >>> count_criteria("Inclusion Criteria:\n* A\n  * part\n* B\n\nExclusion Criteria:\n* C")
    {'inclusion': 2, 'exclusion': 1}
    >>> count_criteria("Adults with asthma")
    {}
    """
    heads = list(_HEADS.finditer(text))
    if [head[1].casefold() for head in heads] != ["in", "ex"]:
        return {}
    included = _count_items(text[heads[0].end() : heads[1].start()])
    excluded = _count_items(text[heads[1].end() :])
    return {"inclusion": included, "exclusion": excluded} if included and excluded else {}


def _count_items(text: str) -> int:
    """Return how many outermost items a list has; a line before them that ends in ":" is none."""
    matches = list(_BULLET.finditer(text))
    depths = [len(match[1].replace("\n", "")) for match in matches]
    least = min(depths, default=0)
    lines = [text[match.end() :].partition("\n")[0].rstrip() for match in matches]
    heads = sum(
        line.endswith(":") and depth == least == after
        for line, depth, after in zip(lines, depths, depths[1:], strict=False)
    )
    return depths.count(least) - heads
