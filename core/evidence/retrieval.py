"""Finds records for a question: names are asked for under all their aliases, words as they are.

A name in the question becomes one group of alternatives (MK-3475, Keytruda, pembrolizumab); every
group must be met. Where no record meets all, records are ranked by how much they meet.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.evidence.identity.drug_names import mark_isomers
from core.evidence.identity.resolver import SHORTEST, Resolver
from core.evidence_ports import EvidenceReader
from core.records.evidence import MentionKind
from core.records.evidence_pack import Hit, TextQuery
from core.records.identity import UNRESOLVED
from core.records.names import fold_name

LONGEST_NAME = 5
"""Words of the longest name that is looked for in a question."""
MOST_ALIASES = 12
LONGEST_QUESTION = 400
_WORD = re.compile(r"[^\s,;:()\[\]?!\"]+")
_PLAIN_TEXT = """
a an and are as at be by for from has have how in is it its of on or that the their there these
this to vs was were what when where which who why will with drug drugs trial trials study studies
new latest about any all treatment therapy patients
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
_KINDS: tuple[MentionKind, ...] = ("drug", "disease", "target")


@dataclass(frozen=True)
class Named:
    """A name found in a question.

    Attributes:
        kind: What sort of thing.
        key: Its entity.
        label: The entity's name.
        said: As the question has it.
        aliases: Other names, official ones first.
    """

    kind: MentionKind
    key: str
    label: str
    said: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question as it was understood.

    Attributes:
        named: Names found, in order.
        words: Words that are part of no name.
    """

    named: Sequence[Named] = ()
    words: Sequence[str] = ()

    @property
    def groups(self) -> list[list[str]]:
        """Return the alternatives to ask for, one group a name or word."""
        names = [[one.said, *one.aliases] for one in self.named]
        return names + [[word] for word in self.words]


@dataclass(frozen=True)
class Found:
    """Records found and how the question was understood."""

    question: Question
    hits: Sequence[Hit] = field(default_factory=tuple)
    is_exact: bool = True


def understand(question: str, resolver: Resolver) -> Question:
    """Return the names in a question, the longest first tried, and the words left over.

    Args:
        question: As asked; at most 400 characters are read.
        resolver: Knows names.
    """
    words = _WORD.findall(question[:LONGEST_QUESTION])
    known = _known_names(words, resolver)
    named: list[Named] = []
    left: list[str] = []
    place = 0
    while place < len(words):
        found, length = _name_at(words, place, known, resolver)
        if found:
            named.append(found)
        elif words[place].casefold() not in _PLAIN and fold_name(words[place]):
            left.append(words[place])
        place += length
    return Question(tuple(named), tuple(left))


def _known_names(words: Sequence[str], resolver: Resolver) -> set[tuple[MentionKind, str]]:
    """Return kind and folded form of every run of words that is a name, asked for at once."""
    runs = {
        fold_name(mark_isomers(" ".join(words[place : place + length])))
        for place in range(len(words))
        for length in range(1, LONGEST_NAME + 1)
    }
    asked = sorted(run for run in runs if len(run) >= SHORTEST)
    return {
        (kind, run)
        for kind in _KINDS
        for pack in resolver.packs
        for run in pack.lookup(kind, asked)
    }


def _name_at(
    words: Sequence[str],
    place: int,
    known: set[tuple[MentionKind, str]],
    resolver: Resolver,
) -> tuple[Named | None, int]:
    """Return the longest name that begins at a word, and how many words it has."""
    for length in range(min(LONGEST_NAME, len(words) - place), 0, -1):
        said = " ".join(words[place : place + length])
        folded = fold_name(mark_isomers(said))
        if said.casefold() in _PLAIN:
            continue
        for kind in _KINDS:
            match = resolver.resolve(kind, said) if (kind, folded) in known else UNRESOLVED
            if match.key:
                aliases = _aliases(kind, match.key, said, resolver)
                return Named(kind, match.key, match.label, said, aliases), length
    return None, 1


def _aliases(kind: MentionKind, key: str, said: str, resolver: Resolver) -> tuple[str, ...]:
    """Return further names of an entity; a spelling with hyphen stands for that with a blank."""
    seen = {fold_name(said)}
    aliases: list[str] = []
    for name in resolver.identity.names(kind, key):
        if name.level < 4 and name.folded not in seen and len(name.folded) > 2:
            seen.add(name.folded)
            aliases.append(name.name)
    return tuple(aliases[:MOST_ALIASES])


def find_records(
    question: str, evidence: EvidenceReader, resolver: Resolver, filters: TextQuery | None = None
) -> Found:
    """Return the records for a question, best first.

    Args:
        question: As asked.
        evidence: The pack.
        resolver: Knows names.
        filters: Kinds, dates, phases, companies and limit to keep to; its groups are not used.
    """
    understood = understand(question, resolver)
    if not understood.groups:
        return Found(understood)
    query = replace(filters or TextQuery(()), groups=understood.groups, any_group=False)
    hits = evidence.search(query)
    if hits:
        return Found(understood, hits)
    return Found(understood, evidence.search(replace(query, any_group=True)), is_exact=False)
