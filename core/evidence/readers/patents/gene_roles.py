"""What a gene is in a patent: its target, or a biomarker or combination partner that it mentions.

A document counts as one on the gene unless every place that names it says otherwise: a long list
of genes whose changes select patients, an inhibitor that is given in combination, a response or
resistance to others' drugs. "Cancers with mutations in the gene" alone says so only where the
document names an inhibitor of something else.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from core.evidence.readers.patents.names import TargetReader, pattern_of
from core.knowledge.gene_cues import GENE, CueKind, gene_cues
from core.records.patents import PatentDocument, PatentText

GeneRole = Literal["target", "biomarker", "partner"]
BEFORE, AFTER = 160, 90
"""Characters around a name that show what the gene is."""
NEAR_LIST = 200
NEAR_AGENT = 40
_JOIN = r"(?:\s*,\s*(?:and/or\s+|and\s+|or\s+)?|\s+(?:and/or|and|or)\s+)"
_LIST = re.compile(rf"[A-Z][\w-]{{1,12}}(?:{_JOIN}[A-Z][\w-]{{1,12}}){{5,200}}")
_SECOND_CLAIM = re.compile(r"\n\s*2\s*[.)]")


def read_role(
    document: PatentDocument, reader: TargetReader, texts: Sequence[PatentText] = ()
) -> GeneRole:
    """Return what the target is in a document, by its title, abstract and first claim."""
    family = pattern_of([document.named_as], re.IGNORECASE) if document.named_as else None
    passages = (document.title, document.abstract, _first_claim(texts))
    weak = False
    strong: list[GeneRole] = []
    for text in passages:
        for match in family.finditer(text) if family else reader.find_mentions(text):
            role = _read_mention(text, match)
            if role == "target":
                return "target"
            weak = weak or role == "mutated"
            strong += [role] if role != "mutated" else []
    if strong:
        return strong[0]
    return "biomarker" if weak and _names_other_agent(passages, reader) else "target"


def _read_mention(text: str, match: re.Match[str]) -> GeneRole | Literal["mutated"]:
    """Return what the gene is where a text names it."""
    around = (
        f"{text[max(0, match.start() - BEFORE) : match.start()]}{GENE}"
        f"{text[match.end() : match.end() + AFTER]}"
    )
    if _is_listed(text, match):
        return "biomarker"
    if _has("target", around):
        return "target"
    if _has("partner", around):
        return "partner"
    if _has("biomarker", around, GENE):
        return "biomarker"
    return "mutated" if _has("mutated", around) else "target"


def _has(kind: CueKind, text: str, needed: str = "") -> bool:
    """Return whether a text is written in one of the ways of a kind."""
    cues = (cue for cue in gene_cues()[kind] if needed in cue.pattern)
    return any(cue.search(text) for cue in cues)


def _is_listed(text: str, match: re.Match[str]) -> bool:
    """Return whether a name stands in a long list of genes that are changed or measured."""
    for listed in _LIST.finditer(text):
        if listed.start() <= match.start() < listed.end():
            before = text[max(0, listed.start() - NEAR_LIST) : listed.start()]
            behind = text[listed.end() : listed.end() + AFTER]
            return _has("biomarker", f"{before} {behind}")
    return False


def _names_other_agent(passages: Iterable[str], reader: TargetReader) -> bool:
    """Return whether an inhibitor is named that is not the gene's."""
    for text in passages:
        for agent in (agent for cue in gene_cues()["other agent"] for agent in cue.finditer(text)):
            behind = text[agent.end() : agent.end() + NEAR_AGENT]
            around = text[max(0, agent.start() - NEAR_AGENT) : agent.end()]
            around += behind if behind.startswith(" of ") else ""
            if not reader.names_target(around):
                return True
    return False


def _first_claim(texts: Sequence[PatentText]) -> str:
    lines = (
        line.text for section in texts if section.section == "claims" for line in section.lines
    )
    return _SECOND_CLAIM.split("\n".join(lines), maxsplit=1)[0]
