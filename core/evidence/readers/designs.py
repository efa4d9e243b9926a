"""How a trial is built, as its register's words, its arms and its title tell it.

What none of them tells is unknown, never open-label.
"""

import re
from collections.abc import Collection, Sequence

from core.records.precedents import Allocation, Control, Masking, TrialDesign

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


_ALLOCATION: dict[str, Allocation] = {
    "RANDOMIZED": "randomized",
    "NON_RANDOMIZED": "not randomized",
}
_MASKING: dict[str, Masking] = {
    "NONE": "open-label",
    "NONE_OPEN_LABEL": "open-label",
    "SINGLE": "single-blind",
    "DOUBLE": "double-blind",
    "TRIPLE": "double-blind",
    "QUADRUPLE": "double-blind",
}
_MODELS = {
    "PARALLEL": "parallel",
    "CROSSOVER": "crossover",
    "FACTORIAL": "factorial",
    "SEQUENTIAL": "sequential",
    "SINGLE_GROUP": "single group",
}
_RANDOMIZED = re.compile(r"(?<!non-)(?<!non)(?<!not )\brandomi[sz]ed\b", re.IGNORECASE)
_SINGLE_ARM = re.compile(r"\b(?:single|one)[- ]arm(?:ed)?\b", re.IGNORECASE)
_DOUBLE_BLIND = re.compile(r"\b(?:double|triple|quadruple)[- ](?:blind|mask)(?:ed)?", re.I)
_OPEN = re.compile(r"\bopen[- ]label(?:ed|led)?\b|\bunblinded\b", re.IGNORECASE)
_PLACEBO = re.compile(r"\b(?:placebos?|sham|vehicle|saline|dummy)\b", re.IGNORECASE)
_EXTENSION = re.compile(
    r"\b(?:extension|roll-?over|long[- ]term follow|one arm for safety)", re.IGNORECASE
)
_DOSES = re.compile(r"\bdose[- ](?:ranging|finding|response|optimi[sz]ation)", re.IGNORECASE)


def is_extension(title: str) -> bool:
    """Return whether a trial follows patients of another one, so that its number is not its own.

    >>> is_extension("Long-term Extension Study of Drugoxib"), is_extension("Drugoxib in Gout")
    (True, False)
    """
    return _EXTENSION.search(title) is not None


def read_design(
    words: str,
    title: str,
    *,
    comparators: Sequence[str] = (),
    background: Collection[str] = (),
) -> TrialDesign:
    """Return how a trial is built.

    Args:
        words: The register's words, joined with "|".
        title: Its title.
        comparators: Drugs that it compares with.
        background: Drugs that all arms get.

    >>> read_design("RANDOMIZED|PARALLEL|QUADRUPLE", "", comparators=["Placebo"]).control
    'placebo'
    >>> read_design("", "A Study of Drugoxib").masking
    'unknown'
    """
    design_words = words.split("|")
    allocation = _allocation(design_words, title)
    masking = next((_MASKING[word] for word in design_words if word in _MASKING), None)
    if masking is None:
        is_blind, is_open = _DOUBLE_BLIND.search(title), _OPEN.search(title)
        masking = "double-blind" if is_blind else "open-label" if is_open else "unknown"
    model = next((_MODELS[word] for word in design_words if word in _MODELS), "")
    control = _control(allocation, title, comparators, background)
    return TrialDesign(allocation, model, masking, control)


def _allocation(words: Sequence[str], title: str) -> Allocation:
    allocation = next((_ALLOCATION[word] for word in words if word in _ALLOCATION), None)
    if allocation == "not randomized" and "SINGLE_GROUP" in words:
        return "single arm"
    if allocation:
        return allocation
    if "SINGLE_GROUP" in words or _SINGLE_ARM.search(title):
        return "single arm"
    return "randomized" if _RANDOMIZED.search(title) else "unknown"


def _control(
    allocation: Allocation, title: str, comparators: Sequence[str], background: Collection[str]
) -> Control:
    placebos = [comparator for comparator in comparators if _PLACEBO.search(comparator)]
    if len(placebos) < len(comparators):
        return "active"
    if placebos or (allocation != "single arm" and _PLACEBO.search(title)):
        return "add-on placebo" if background else "placebo"
    if allocation == "single arm":
        return "single arm"
    return "dose" if _DOSES.search(title) else "unknown"
