"""Reads from a trial's own words what a drug acts on: "anti-CLDN18.2 ADC CMG901".

Drug and target must stand side by side, with nothing between them but words that describe a
drug; a target that only marks the patients, or that belongs to another drug, links nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.names.identity.drug_names import clean_label, readings
from core.evidence.names.target_tables import TargetNames, split_glued
from core.evidence.readers.target_expressions import CLASS_WORD, Said, find_joined
from core.records.programs import TargetExpression

_DESCRIBES_TEXT = r"""
a|an|the|is|are|as|of|to|that|which|by|its|novel|new|oral|orally|potent|selective|
highly|first|in|class|best|next|generation|second|third|humani[sz]ed|fully|human|recombinant|
investigational|monoclonal|antibod(?:y|ies)|drug|conjugates?|against|target(?:s|ing|ed)?|directed|
inhibit(?:s|ing)?|block(?:s|ing)?|binds?|binding|anti|dual|bi-?specific|tri-?specific|small|
molecule|irreversible|reversible|covalent|long|acting|once|twice|daily|weekly|inhibitors?|agonists?|
antagonists?|engagers?|t|cells?|car|cart|chimeric|antigen|receptors?|modified|engineered|autologous|
allogeneic|product|injections?|tablets?|capsules?|for|igg\d?|fc|optimi[sz]ed|fusion|proteins?|adc|
mab|immunotherapy|immune|checkpoint|blocker|tyrosine|kinase|tki|pan|mutant|wild|type|brain|
penetrant|cns|antisense|oligonucleotide|sirna|rnai|interference|therapeutic|therapy|agent|
degrader|protac|modulator|stimulator|activator|radioligand|peptide|analog(?:ue)?|subcutaneous(?:ly)?|
intravenous(?:ly)?|administered|codrituximab|named|called|code|i\.e\.|e\.g\.|known|specific|
high|affinity|heavy|light|chain|single|domain|nanobody|vhh|biosimilar|candidate|compound|
neutrali[sz]ing|depleting|cytotoxic|topoisomerase|based|payload|pathway|signal(?:ing|ling)?|
transduction|vaccine|gene|replacement|enzyme|liposomal|pegylated|pd|xl|mimetic|trap|ligand
"""
_DESCRIBES = re.compile(rf"(?:{_DESCRIBES_TEXT.replace(chr(10), '')})", re.IGNORECASE)
_TOKENS = re.compile(r"[^\W_]+|[^\w\s]")
_SIGNS = frozenset("-\u2010\u2011\u2012\u2013\u2014()[],:'\"/\u2122\u00ae\u2019.")
_SEVERAL = re.compile(
    r"\s*(?:inhibitors|agonists|antagonists|blockers|antibodies|activators|modulators)\b", re.I
)
MOST_BETWEEN = 14
"""Words and signs that may stand between a drug and its target."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A drug and a target side by side.

    Attributes:
        label: The drug's label in the record.
        target: The target.
        words: The words from the one to the other, which tell the mechanism.
    """

    label: str
    target: TargetExpression
    words: str


def read_links(
    text: str,
    labels: Mapping[str, Sequence[str]],
    names: TargetNames,
    further: Mapping[str, TargetExpression],
) -> Iterator[Worded]:
    """Yield the drugs that a text puts beside a target."""
    read = split_glued(text)
    named_targets = [
        named_target
        for named_target in find_joined(read, names, further)
        if not named_target.is_marker
    ]
    if not named_targets:
        return
    plain = read.casefold()
    places = [
        (match.start(), match.end(), label)
        for label, spellings in labels.items()
        if (
            matching := [spelling for spelling in spellings if spelling.casefold() in plain]
        )  # few are
        for match in _pattern(matching).finditer(read)
    ]
    for start, end, label in places:
        others = [entry for entry in places if entry[2] != label]
        for target in named_targets:
            words = _beside(read, (start, end), target, others)
            if words:
                yield Worded(label, target.target, words)


def _pattern(spellings: Sequence[str]) -> re.Pattern[str]:
    joined = "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


def _beside(
    text: str, drug: tuple[int, int], named_target: Said, others: Sequence[tuple[int, int, str]]
) -> str:
    """Return the words from drug to target where only a description stands between; else ""."""
    start, end = drug
    after = named_target.start >= end
    between = text[end : named_target.start] if after else text[named_target.end : start]
    overlaps = start < named_target.end and named_target.start < end
    is_parted = any(
        min(end, named_target.end) <= other[0] < max(start, named_target.start) for other in others
    )
    if overlaps or is_parted or not _describes(between, after=after):
        return ""
    following = (
        re.split(r"[,;()]|\bin\b|\bfor\b", text[named_target.end : named_target.end + 60])[0]
        if after
        else ""
    )
    if after and between.lstrip().startswith(",") and _SEVERAL.match(following):
        return ""  # "drugoxib, PD-1 inhibitors and chemotherapy" is a list
    around = f"{text[max(0, named_target.start - 12) : named_target.start]} {between} {following}"
    if not any(
        CLASS_WORD.fullmatch(word) or word.lower() == "anti"
        for word in re.findall(r"[^\W_]+", around)
    ):
        return ""
    first, last = (
        (start, named_target.end + len(following))
        if after
        else (_anti(text, named_target.start), end)
    )
    return text[first:last].strip(" ,;:-(")


def _describes(between: str, *, after: bool) -> bool:
    """Return whether words only describe a drug; before a drug a comma ends the description."""
    tokens = _TOKENS.findall(between)
    if between in {"-", "/"}:  # "metformin-GLP-1 agonist" gives both
        return False
    if len(tokens) > MOST_BETWEEN or ". " in between or ";" in between:
        return False
    if not after and "," in tokens:
        return False
    if after and tokens[:1] == ["to"]:  # "addition of one drug to anti-CD19 cells" gives both
        return False
    return all(token in _SIGNS or _DESCRIBES.fullmatch(token) for token in tokens)


def _anti(text: str, start: int) -> int:
    match = re.search(r"\banti-?\s?$", text[max(0, start - 6) : start], re.IGNORECASE)
    return start - len(match[0]) if match else start


def spellings(label: str, further: Sequence[str] = ()) -> list[str]:
    """Return how a text may write the drug of a label.

    Args:
        label: The label.
        further: A code in it and other names of the drug.
    """
    all_spellings = [*further, *(reading for reading, _ in readings(label)), clean_label(label)]
    return list(dict.fromkeys(spelling for spelling in all_spellings if len(spelling) > 2))
