"""How a trial is built, as its register's words, its arms and its title tell it.

What none of them tells is unknown, never open-label.
"""

import re
from collections.abc import Collection, Sequence

from core.records.precedents import Allocation, Control, Masking, TrialDesign

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
_EXTENSION = re.compile(r"\b(?:extension|roll-?over|long[- ]term follow)", re.IGNORECASE)
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
