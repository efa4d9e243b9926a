"""The common adverse reactions of a label, as its opening lists them.

A label repeats its lists below, for single trials; such a list is taken only where the opening
has none and the list itself says of which patients it is.
"""

import re
from collections.abc import Iterator

from core.records.evidence import Fact, Qualifiers, Span
from core.vocabulary.predicates import Predicate

_COMMON = re.compile(
    r"most common(?:ly reported)? adverse (?:reactions|events)\s*"
    r"\((?P<bound>[^)]{0,120}?(?:≥|>|at least)\s*\d+\s?%[^)]{0,120})\)"
    r"(?P<setting>[^.:]{0,160}?)\s*\b(?:were|are|include|included|is|was)\b\s*:?\s+"
    r"(?:\(\s*\d+(?:\.\d+)?\s*\)\s*:?\s*)?(?P<list>(?:[^.]|\.(?=\d)){3,700})\.(?!\d)",
    re.IGNORECASE,
)
_VERB = re.compile(r"^(?P<setting>.{0,200})\b(?:were|are)\b\s*:?\s*", re.IGNORECASE)
_SETTING = re.compile(r"\(|(?:in|with|of|among|for|increased|population|pooled)\b", re.IGNORECASE)
"""How words begin that tell of whom a list is, and are not the list."""
_WHOM = re.compile(
    r"\b(?:study|arm|combination|plus|monotherapy|single|adults?|p(?:a)?ediatric|cohort|"
    r"patients with)\b|\+",
    re.IGNORECASE,
)
_HEAD = re.compile(r"[\s\u2022]*(?P<whom>[A-Za-z][^:,;]{1,60}?)\s*:\s+")
"""Words that open a list and tell of whom it is: "Adult patients with solid tumors: edema"."""
_PATIENTS = re.compile(
    rf"{_WHOM.pattern}|cancer|tumou?r|neoplasm|metasta|oma\b|l[ae]uk|disease|syndrome|disorder",
    re.IGNORECASE,
)
_NO_LIST = re.compile(r"^summari[sz]ed|^(?:listed|shown|presented|described)\b", re.IGNORECASE)
_CHANGED_TREATMENT = re.compile(
    r"discontinu|interrupt|dos(?:e|age) (?:reduc|modif|delay)|reductions? of|withdraw",
    re.IGNORECASE,
)
"""Reactions that made patients stop or change treatment are not the common ones."""
_TAIL = re.compile(
    r"\s*(?:\(\s*(?:see )?(?:Table )?\d+(?:\.\d+)?\s*\)|To report SUSPECTED).*$",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a list whose full stop is missing: a reference, the address for reports."""
_BELOW = re.compile(r"\b6\.1 [A-Z]")
"""Where the opening of the section ends."""
_ANAPHORA = re.compile(r"\b(?:this|these|those)\b", re.IGNORECASE)
_BREAK = re.compile(
    r"\.\s+|\]\s+|(?<!\([A-Z]{2})(?<!\([A-Z]{3})(?<!\([A-Z]{4})(?<!\([A-Z]{5})\)\s+"
)
"""End of a sentence or reference; not that of a disease's short name: "Arthritis (RA) "."""
_INCLUDING = re.compile(r"\W*including laboratory abnormalities\W*", re.IGNORECASE)
"""What a list holds, no setting of it."""
MOST_LEAD = 160
"""Characters before a list of reactions in which its heading is looked for."""


def read_reactions(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield the lists of a section.

    Args:
        span: The section "adverse_reactions".
        record_id: The label's record.
        drug: The drug.
        as_of: Date of the label.
    """
    below = _BELOW.search(span.text)
    end = below.start() if below else len(span.text)
    lists = [
        (found, *told) for found in _COMMON.finditer(span.text) if (told := _read(span, found))
    ]
    opening = [one for one in lists if one[0].start() < end]
    for found, setting, reactions in opening or [one for one in lists if _WHOM.search(one[1])]:
        yield Fact(
            record_id,
            drug,
            Predicate.LABEL_ADVERSE_REACTIONS,
            reactions,
            qualifiers=Qualifiers(
                region="FDA", population=setting, interval=found["bound"].strip()
            ),
            as_of=as_of,
            locator=f"adverse_reactions[{found.start()}:{found.end()}]",
            confidence=85,
        )


def _read(span: Span, found: re.Match[str]) -> tuple[str, str] | None:
    """Return of whom a list is and the list; None where it is none, or cut."""
    setting, reactions = found["setting"].strip(" ,;"), found["list"].strip()
    setting = "" if _INCLUDING.fullmatch(setting) else setting
    setting = " ".join(filter(None, (_lead(span.text, found.start()), setting)))
    later = _VERB.match(reactions)
    if later and not _SETTING.match(reactions):
        return None
    if later:
        setting = f"{setting} {later['setting']}".strip()
        reactions = reactions[later.end() :]
    reactions = _TAIL.sub("", reactions)
    if (head := _HEAD.match(reactions)) and _tells_whom(head["whom"]):
        setting, reactions = f"{setting} {head['whom']}".strip(), reactions[head.end() :]
    if reactions.count("(") != reactions.count(")"):  # cut in the middle
        return None
    if _NO_LIST.search(reactions) or _CHANGED_TREATMENT.search(f"{setting} {reactions}"):
        return None
    return None if _ANAPHORA.search(setting) or not reactions else (setting, reactions)


def _tells_whom(words: str) -> bool:
    """Return whether words name patients, a disease or its short name, or a way of treatment."""
    return bool(_PATIENTS.search(words)) or (words.isalpha() and words.isupper())


def _lead(text: str, place: int) -> str:
    """Return the words that stand before a list in its own line: "In DTC", "as a single agent"."""
    said = _BREAK.split(text[max(0, place - MOST_LEAD) : place])
    lead = re.sub(r"(?:\bthe\b|[\s:\u2022,])+$", "", said[-1], flags=re.IGNORECASE)
    lead = re.sub(r"^(?:[\s\u2022]|ADVERSE REACTIONS|EXCERPT\b:?)+", "", lead)
    return lead.strip() if len(said) > 1 else ""
