"""Finds records for a question: names are asked for under all their aliases, words as they are.

A name in the question becomes one group of alternatives (MK-3475, Keytruda, pembrolizumab).
Records are ranked by how much they meet, a rare name counting more than a common word. A name of
several things is asked for under the names of all of them: nothing is merged by that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.evidence.names.identity.drug_names import mark_isomers
from core.evidence.names.identity.resolver import SHORTEST, Resolver
from core.evidence_ports import EvidenceReader
from core.records.evidence import MentionKind
from core.records.evidence_pack import Hit, TextQuery
from core.records.names import fold_name
from core.vocabulary.synonyms import load_synonyms

LONGEST_NAME = 5
"""Words of the longest name that is looked for in a question."""
MOST_ALIASES = 12
LONGEST_QUESTION = 400
MOST_MEANINGS = 3
KIND_WORDS: Mapping[str, tuple[str, ...]] = {
    "label": ("regulatory_label",),
    "labels": ("regulatory_label",),
    "labeling": ("regulatory_label",),
    "boxed": ("regulatory_label",),
    "warning": ("regulatory_label",),
    "contraindication": ("regulatory_label",),
    "contraindications": ("regulatory_label",),
    "indication": ("regulatory_label", "approval_package"),
    "approval": ("approval_package", "regulatory_label"),
    "approved": ("approval_package", "regulatory_label"),
    "license": ("approval_package", "regulatory_label"),
    "pipeline": ("company_disclosure",),
}
"""Words that name a kind of record rather than what it is about."""
_SOURCE_NOTE = re.compile(r"\s*\[[^\[\]]*\]$")
_LETTERS = re.compile(r"[A-Z]{2,6}")
_NUMBER = re.compile(r"\d{2,7}[A-Z]{0,2}")
_WORD = re.compile(r"[^\s,;:()\[\]?!\"]+")
_PLAIN_TEXT = """
a an and are as at be by for from has have how in is it its of on or that the their there these
this to vs was were what when where which who why will with drug drugs trial trials study studies
new latest about any all treatment therapy patients versus against before after added plus
between during than then only not no without study's given using used
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
_NO_NAMES = frozenset({"cart", "car", "cell", "cells", "stem"})
"""Words of methods that are also symbols or brands of something else."""
_SYNONYMS = {fold_name(row.said): row.also for row in load_synonyms()}
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
        kinds: Kinds of records that the question asks for ("label", "pipeline").
    """

    named: Sequence[Named] = ()
    words: Sequence[str] = ()
    kinds: Sequence[str] = ()

    @property
    def groups(self) -> list[list[str]]:
        """Return the alternatives to ask for, one group a name or word."""
        names = [[named.said, *named.aliases] for named in self.named]
        return names + [[word, *_SYNONYMS.get(fold_name(word), ())] for word in self.words]


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
    known_names = _known_names(words, resolver)
    named: list[Named] = []
    left: list[str] = []
    start = 0
    while start < len(words):
        named_entity, length = _name_at(words, start, known_names, resolver)
        if length == 1 and _is_code(words[start : start + 2]):
            left.append(" ".join(words[start : start + 2]))
            length = 2
        elif named_entity:
            named.append(named_entity)
        elif words[start].casefold() not in _PLAIN and fold_name(words[start]):
            left.append(words[start])
        start += length
    kinds = [kind for word in left for kind in KIND_WORDS.get(word.casefold(), ())]
    search_words = [word for word in left if word.casefold() not in KIND_WORDS] if named else left
    return Question(tuple(named), tuple(search_words), tuple(dict.fromkeys(kinds)))


def _is_code(words: Sequence[str]) -> bool:
    """Return whether two words are one code, whose letters alone are some other name.

    >>> _is_code(["AMG", "410"]), _is_code(["phase", "2"])
    (True, False)
    """
    return len(words) == 2 and bool(_LETTERS.fullmatch(words[0]) and _NUMBER.fullmatch(words[1]))


def _known_names(words: Sequence[str], resolver: Resolver) -> set[tuple[MentionKind, str]]:
    """Return kind and folded form of every run of words that is a name, asked for at once."""
    runs = {
        fold_name(mark_isomers(" ".join(words[index : index + length])))
        for index in range(len(words))
        for length in range(1, LONGEST_NAME + 1)
    }
    long_runs = sorted(run for run in runs if len(run) >= SHORTEST)
    return {
        (kind, run)
        for kind in _KINDS
        for pack in resolver.packs
        for run in pack.lookup(kind, long_runs)
    }


def _name_at(
    words: Sequence[str],
    start: int,
    known_names: set[tuple[MentionKind, str]],
    resolver: Resolver,
) -> tuple[Named | None, int]:
    """Return the longest name that begins at a word, and how many words it has."""
    for length in range(min(LONGEST_NAME, len(words) - start), 0, -1):
        phrase = " ".join(words[start : start + length])
        folded = fold_name(mark_isomers(phrase))
        if phrase.casefold() in _PLAIN or folded in _NO_NAMES:
            continue
        for kind in _KINDS:
            if (kind, folded) not in known_names or (kind == "target" and phrase.islower()):
                continue  # symbols of genes have capitals or digits
            match = resolver.resolve(kind, phrase)
            keys = [match.key] if match.key else match.candidates[:MOST_MEANINGS]
            if keys:
                aliases = aliases_of(kind, keys, phrase, resolver)
                return Named(kind, match.key, match.label or phrase, phrase, aliases), length
    return None, 1


def aliases_of(
    kind: MentionKind, keys: Sequence[str], written: str, resolver: Resolver
) -> tuple[str, ...]:
    """Return further names of entities; a spelling with hyphen stands for that with a blank.

    A name that holds a shorter one finds nothing more than that and is left out.
    """
    aliases = [written]
    for key in keys:
        for name in resolver.identity.names(kind, key):
            if name.level < 4 and len(name.folded) > 2 and len(aliases) <= MOST_ALIASES:
                aliases.append(_SOURCE_NOTE.sub("", name.name))
    distinct = dict.fromkeys(aliases)
    kept_aliases: list[str] = []
    for spelled in sorted(distinct, key=len):
        words = f" {_plain(spelled)} "
        if not any(f" {_plain(shorter)} " in words for shorter in kept_aliases):
            kept_aliases.append(spelled)
    return tuple(alias for alias in distinct if alias in kept_aliases and alias != written)


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


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
    query = replace(
        filters or TextQuery(()),
        groups=understood.groups,
        any_group=True,
        preferred=understood.kinds,
    )
    hits = evidence.search(query)
    full_hits = evidence.search(replace(query, any_group=False, limit=1)) if hits else ()
    return Found(understood, hits, is_exact=bool(full_hits))
