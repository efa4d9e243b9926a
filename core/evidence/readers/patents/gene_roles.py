"""What a gene is in a patent: its target, or a biomarker, a combination partner, a mere mention.

A document counts as one on the gene unless every place that names it says otherwise: a long list
of genes whose changes select patients, an inhibitor that is given in combination, a response or
resistance to others' drugs, a linker that it cleaves, a longer name of which its own is a part.
"Cancers with mutations in the gene", or "lower levels of the gene", alone says so only where the
document names an agent against something else. How such places are written are rows of
core/knowledge/gene_cues.csv.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.evidence.readers.patents.names import TargetReader, pattern_of
from core.evidence.readers.target_actions import read_action
from core.knowledge.gene_cues import GENE, CueKind, gene_cues
from core.records.names import fold_name
from core.records.patents import PatentDocument, PatentText, TargetNames

GeneRole = Literal["target", "biomarker", "partner", "other"]
BEFORE, AFTER = 160, 90
"""Characters around a name that show what the gene is."""
NEAR_LIST = 200
NEAR_AGENT = 40
_JOIN = r"(?:\s*,\s*(?:and/or\s+|and\s+|or\s+)?|\s+(?:and/or|and|or)\s+)"
_LIST = re.compile(rf"[A-Z][\w-]{{1,12}}(?:{_JOIN}[A-Z][\w-]{{1,12}}){{5,200}}")
_SECOND_CLAIM = re.compile(r"\n\s*2\s*[.)]")
_NUMBER = re.compile(
    r"[\s-]?(?:(?:sub)?type[\s-]?)?(\d{1,2})(?![\d.,%]|\s*(?:mg|times|weeks?|days?))\b"
)
_LONGER = re.compile(
    r"[\s-](?:like|releasing|synthesis|resistance|sensitivity|but(?:yl|oxy|anol)\w*|"
    r"(?:receptor[\s-])?(?:associated|activated|\w+ing) (?:kinase|protein|factor)s?|R\d|"
    r"(?P<receptor>receptor)s?(?! (?:super)?agonis))\b",
    re.IGNORECASE,
)
"""What makes a name a part of another one: "insulin-like", "EGF receptor", "tert-butyl"."""
_NEXT = re.compile(r" (?:[A-Z]{2,}|[A-Z](?=\d (?:receptor|subtype)))(\d+)\b")
"""Another name next to a family's: "histone deacetylase SIRT6", "muscarinic M1 receptor"."""
_NUMBERED = r"[\s-]?(?:[2-9]|[1-9]\d)(?![\d.%])"
"""Behind a family's name: one of its members, for 1 is often dropped."""


@dataclass(frozen=True, slots=True)
class Played:
    """What a gene is in a document.

    Attributes:
        reason: Name of the way of writing that shows it; "" for a target.
    """

    role: GeneRole
    reason: str = ""


_TARGET = Played("target")
_PART = Played("other", "part of another name")
_RELATIVE = Played("other", "another member of its family")
_ORDER: tuple[CueKind, ...] = ("other", "target", "partner", "biomarker", "effect", "mutated")
_WEAK: tuple[CueKind, ...] = ("effect", "mutated")


class RoleReader:
    """Tells what one gene is in documents."""

    def __init__(self, names: TargetNames, is_other: Callable[[str], bool]) -> None:
        """Keep the names.

        Args:
            names: Of the gene.
            is_other: Returns whether a name is another gene's: "EGF receptor" is not EGF.
        """
        self._is_other = is_other
        self._reader = TargetReader(names)
        self._own = pattern_of([*names.names, *names.family], re.IGNORECASE)
        own = [*names.names, *names.family, *names.members]
        self._folded = frozenset(map(fold_name, own))
        self._symbol = fold_name(names.symbol)
        family = "|".join(map(re.escape, names.family)) or "(?!)"
        self._numbered = re.compile(rf"\b(?:{family}){_NUMBERED}", re.IGNORECASE)

    def read(self, document: PatentDocument, texts: Sequence[PatentText] = ()) -> Played:
        """Return what the gene is by title, abstract and first claim."""
        passages = (document.title, document.abstract, _first_claim(texts))
        if document.named_as and self._is_of_relative(passages):
            return _RELATIVE
        weak: list[Played] = []
        strong: list[Played] = []
        is_clear = True
        for text in passages:
            for match in self._find(text, document.named_as):
                kind, name = self._read_mention(text, match)
                if kind == "target":
                    return _TARGET
                if kind in {"biomarker", "partner", "other"}:
                    strong.append(Played(kind, name))
                elif kind in _WEAK:
                    weak.append(Played("biomarker" if kind == "mutated" else "other", name))
                elif not strong:  # what an earlier place shows is not doubted by an open one
                    is_clear = False
        strong.sort(key=lambda played: played == _PART)  # a name of its own says more
        if strong and (is_clear or strong[0].role != "other"):
            return strong[0]
        return weak[0] if weak and self._names_other_agent(passages) else _TARGET

    def _is_of_relative(self, passages: Sequence[str]) -> bool:
        """Return whether a document that names the family alone is on another member of it."""
        numbers = {
            fold_name(each[0]) for text in passages for each in self._numbered.finditer(text)
        }
        if any(name in self._folded or self._symbol.startswith(name) for name in numbers):
            return False
        return bool(numbers) and self._own.search(self._numbered.sub("", passages[0])) is None

    def read_action(self, document: PatentDocument) -> str:
        """Return what title or abstract say is done to the gene, as "inhibitor"; "" for nothing."""
        name = document.named_as
        reader = TargetReader(TargetNames(name, (name,))) if name else self._reader
        passages = (document.title, document.abstract)
        actions = (read_action(text, reader, self._is_other) for text in passages)
        return next(filter(None, actions), "")

    def _find(self, text: str, named_as: str) -> Iterator[re.Match[str]]:
        """Return the places that name the gene, or its family where that alone is named."""
        if named_as:
            return pattern_of([named_as], re.IGNORECASE).finditer(text)
        return self._reader.find_mentions(text)

    def _read_mention(self, text: str, match: re.Match[str]) -> tuple[CueKind | Literal[""], str]:
        """Return what the gene is where a text names it, and what shows it; "" where nothing."""
        if self._is_part(text, match):
            return "other", _PART.reason
        if _is_listed(text, match):
            return "biomarker", "list of genes"
        around = (
            f"{text[max(0, match.start() - BEFORE) : match.start()]}{GENE}"
            f"{text[match.end() : match.end() + AFTER]}"
        )
        for kind in _ORDER:
            needed = GENE if kind == "biomarker" else ""
            if name := _find_cue(kind, around, needed):
                return kind, name
        is_agent = _find_cue("agent", around) or _find_cue("other agent", match[0])
        return ("target", "") if is_agent else ("", "")

    def _is_part(self, text: str, match: re.Match[str]) -> bool:
        """Return whether a name is a part of another gene's or of another word."""
        number = _NUMBER.match(text, match.end())
        if number and match[0][-1].isalpha():
            is_own = self._symbol.endswith(number[1])
            return not is_own and fold_name(f"{match[0]}{number[1]}") not in self._folded
        if following := _NEXT.match(text, match.end()):
            return not self._symbol.endswith(following[1])
        longer = _LONGER.match(text, match.end())
        if longer is None or fold_name(f"{match[0]}{longer[0]}") in self._folded:
            return False
        return not longer["receptor"] or self._is_other(f"{match[0]} {longer['receptor']}")

    def _names_other_agent(self, passages: Iterable[str]) -> bool:
        """Return whether an agent is named that is neither the gene's nor its family's."""
        for text in passages:
            for _, cue in gene_cues()["other agent"]:
                for agent in cue.finditer(text):
                    behind = text[agent.end() : agent.end() + NEAR_AGENT]
                    around = text[max(0, agent.start() - NEAR_AGENT) : agent.end()]
                    around += behind if behind.startswith(" of ") else ""
                    if not self._own.search(around):
                        return True
        return False


def _find_cue(kind: CueKind, text: str, needed: str = "") -> str:
    """Return the name of the first way of a kind in which a text is written; "" for none."""
    cues = ((name, cue) for name, cue in gene_cues()[kind] if needed in cue.pattern)
    return next((name for name, cue in cues if cue.search(text)), "")


def _is_listed(text: str, match: re.Match[str]) -> bool:
    """Return whether a name stands in a long list of genes that are changed or measured."""
    for listed in _LIST.finditer(text):
        if listed.start() <= match.start() < listed.end():
            before = text[max(0, listed.start() - NEAR_LIST) : listed.start()]
            behind = text[listed.end() : listed.end() + AFTER]
            return bool(_find_cue("biomarker", f"{before} {behind}"))
    return False


def _first_claim(texts: Sequence[PatentText]) -> str:
    lines = (
        line.text for section in texts if section.section == "claims" for line in section.lines
    )
    return _SECOND_CLAIM.split("\n".join(lines), maxsplit=1)[0]
