"""Which part a drug has in a trial: what is tested, what it is compared with, what both get.

Only a drug that is tested can make a row of a landscape. Where a record does not say which arm
gets which drug, the arms' labels and the title are read; what stays open is "unclear".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.records.evidence import Role

DRUG_TYPES = frozenset({"DRUG", "BIOLOGICAL", "GENETIC", "COMBINATION_PRODUCT", ""})
_COMPARATORS = frozenset(
    {"ACTIVE_COMPARATOR", "PLACEBO_COMPARATOR", "SHAM_COMPARATOR", "NO_INTERVENTION"}
)
_PLACEBO = re.compile(r"\b(placebo|sham|vehicle|saline|standard of care|best supportive)\b", re.I)
_RESCUE = re.compile(r"\brescue\b", re.I)
_AGAINST = re.compile(r"\b(versus|vs\.?|compared (?:to|with)|against|comparator)\b", re.I)
_COMPARED = re.compile(r"\bcomparison of\b(?P<before>.{3,120}?)\bwith\b(?P<after>.+)", re.I)
"""A title that sets what is tested against another without saying "versus"."""
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Arm:
    """An arm of a trial.

    Attributes:
        type: The register's word, such as "EXPERIMENTAL"; "" if unknown.
        label: Its label.
        drugs: Names of its interventions; None where the record does not link them.
    """

    type: str
    label: str
    drugs: frozenset[str] | None = None


def find_roles(drugs: Sequence[str], arms: Sequence[Arm], title: str = "") -> dict[str, Role]:
    """Return the role of each drug."""
    roles: dict[str, Role] = {}
    for drug in drugs:
        if _RESCUE.search(drug):
            roles[drug] = "rescue"
        elif _PLACEBO.search(drug):
            roles[drug] = "comparator"
    real = [drug for drug in drugs if drug not in roles]
    for drug in real:
        roles[drug] = _by_arms(drug, arms)
    if not any(roles[drug] == "investigational" for drug in real):
        _promote(real, roles, arms)
    for drug in real:
        if roles[drug] == "unclear":
            roles[drug] = _by_title(drug, title, alone=len(real) == 1)
    return roles


def _by_arms(drug: str, arms: Sequence[Arm]) -> Role:
    tested, compared = _arms_with(drug, arms)
    if not tested and not compared:
        return "unclear"
    if not tested:
        return "comparator"
    return "background" if compared else "investigational"


def _arms_with(drug: str, arms: Sequence[Arm]) -> tuple[int, int]:
    """Return how many tested and how many comparator arms get the drug."""
    with_drug = [arm for arm in arms if _gets(arm, drug)]
    compared = sum(arm.type in _COMPARATORS for arm in with_drug)
    return len(with_drug) - compared, compared


_LEFT_OUT = re.compile(
    r"(?:(?<!or )(?<!/)\bwithout|\bw/o|\bno|"
    r"\b(?:after|following) (?:(?:disease )?progression|failure|relapse) (?:on|of|after|with))"
    r"\s+[\w-]+"
)
"""What an arm's label says that it does not get, or got before."""


def _gets(arm: Arm, drug: str) -> bool:
    if arm.drugs is not None:
        return drug in arm.drugs
    words = set(_WORDS.findall(_LEFT_OUT.sub(" ", arm.label.casefold())))
    drug_words = [word for word in _WORDS.findall(drug.casefold()) if len(word) > 2]
    return bool(drug_words) and drug_words[0] in words


def _promote(real: Sequence[str], roles: dict[str, Role], arms: Sequence[Arm]) -> None:
    """Where both sides get every drug (doses, schedules), what is compared is tested.

    The same holds where a record calls all its arms comparators.
    """
    if all(roles[drug] == "comparator" for drug in real) and not any(
        arm.type == "EXPERIMENTAL" for arm in arms
    ):
        for drug in real:
            roles[drug] = "unclear"
    shared = [drug for drug in real if roles[drug] == "background"]
    if len(shared) == 1 and not any(roles[drug] == "unclear" for drug in real):
        roles[shared[0]] = "investigational"


def _by_title(drug: str, title: str, *, alone: bool) -> Role:
    """Return the role that the title tells: what stands before "versus" is tested."""
    drug_word = next((word for word in _WORDS.findall(drug.casefold()) if len(word) > 2), "")
    before, *after = _AGAINST.split(title.casefold(), maxsplit=1)
    compared = None if after else _COMPARED.search(title.casefold())
    if compared:
        before, after = compared["before"], [compared["after"]]
    if drug_word and drug_word in _WORDS.findall(before):
        return "investigational"
    if drug_word and after and drug_word in _WORDS.findall(after[-1]):
        return "comparator"
    return "investigational" if alone else "unclear"
