"""What a title or abstract says is done to a target: "inhibitors of KRAS G12D", "IRAK4 degraders".

The words must belong to the target: what is given in combination with an inhibitor of it, those
who resist one, or "KRAS-driven" tumors say nothing of the kind. The words are rows of
`early_words.csv`.
"""

import re
from collections.abc import Callable
from functools import cache

from core.evidence.readers.patents.names import TargetReader
from core.knowledge.early_words import action_patterns, early_words
from core.knowledge.gene_cues import GENE, gene_cues

BEFORE, AFTER = 110, 60
"""Characters around a target's name that are read."""
_QUALIFIER = (
    r"(?:proteins?|kinases?|receptors?|enzymes?|activity|signal?ling|pathway|selective|specific|"
    r"covalent|reversible|irreversible|allosteric|mutants?|small[\s-]molecule|dual|potent|novel|"
    r"oral|function|[A-Z]\d{1,4}[A-Z*]?|targeted|targeting|directed|peptide|monoclonal)"
)
_JOINT = (
    r"(?:of|for|to|against|towards?|on|that|which|specific|selective|specifically|selectively|"
    r"bind(?:s|ing)?|targeting|targets?|activity|levels?|expression|function|between)"
)
_ARTICLE = r"(?:the|an?|human|both|one or more|any|mutants?|mutated|oncogenic|protein|enzyme)"
_OTHER = r"(?!(?:via|by|through|in|from|using|with|having|for|of|to)\b)[\w/-]+,?\s+"
"""Another target of a list."""
_BREAK = re.compile(r"[.;:]\s")
_ANTI = re.compile(r"\banti-?\s?$", re.IGNORECASE)
_NOUN = re.compile(r"(?:ors?|ers?|ists?|bod(?:y|ies)|ligands?|sirnas?|protacs?)$", re.IGNORECASE)
"""An action of which a target is only named with "of" or the like between."""
_WORD_BEFORE = re.compile(r"\b[A-Za-z]+[\s-]$")
_RECEPTOR = re.compile(r"[\s-]*receptors?\b", re.IGNORECASE)


def read_action(
    text: str, reader: TargetReader, is_other: Callable[[str], bool], *, of_agents: bool = False
) -> str:
    """Return what a text says is done to a target; "" where it says nothing of the kind.

    Args:
        text: A title or an abstract.
        reader: Knows the target's names.
        is_other: Returns whether a name is another target's: "EGF receptor" is not EGF.
        of_agents: Whether only what does it counts: "inhibitors", not "inhibition".
    """
    behind, ahead = _patterns()
    for match in reader.find_mentions(text):
        before = _BREAK.split(text[max(0, match.start() - BEFORE) : match.start()])[-1]
        after = _BREAK.split(text[match.end() : match.end() + AFTER])[0]
        longer = [f"{word[0]}{match[0]}" for word in _WORD_BEFORE.finditer(before)]
        longer += [f"{match[0]} receptor"] if _RECEPTOR.match(after) else []
        if (
            any(map(is_other, longer))
            or early_words("not own").search(before)
            or _is_partner(before, after)
        ):
            continue
        found = behind.match(after)
        if found and _counts(found, of_agents) and not _is_aside(after[found.end() :]):
            return _name(found["action"])
        if early_words("relation").search(after):
            continue
        found = ahead.search(before)
        is_joined = found and (found["joint"] or not _NOUN.search(found["action"]))
        if found and is_joined and _counts(found, of_agents):
            return _name(found["action"])
        if _ANTI.search(before):
            return "antibody"
    return ""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds an action behind a target's name, and what finds one before it."""
    actions = "|".join(pattern.pattern for _, pattern in action_patterns())
    action = rf"(?P<action>{actions})"
    listed = r"/[\w-]+|\s+(?:and/or|and|or)\s+(?-i:[A-Z])[\w-]*"
    behind = rf"(?:[\s-]+{_QUALIFIER}|{listed}){{0,4}}[\s-]+{action}\b"
    ahead = rf"\b{action}\s+(?P<joint>(?:{_JOINT}\s+){{0,4}})(?:{_ARTICLE}\s+){{0,3}}"
    ahead += rf"(?:{_OTHER}(?:and/or\s+|and\s+|or\s+)?){{0,2}}$"
    return re.compile(behind, re.IGNORECASE), re.compile(ahead, re.IGNORECASE)


def _counts(found: re.Match[str], of_agents: bool) -> bool:  # noqa: FBT001
    return not of_agents or _NOUN.search(found["action"]) is not None


def _is_aside(text: str) -> bool:
    """Return whether the words behind an action tell what it does to patients."""
    return early_words("not meant").search(text) is not None


def _is_partner(before: str, after: str) -> bool:
    around = f"{before}{GENE}{after}"
    return any(cue.search(around) for _, cue in gene_cues()["partner"])


def _name(words: str) -> str:
    return next(name for name, pattern in action_patterns() if pattern.fullmatch(words))
