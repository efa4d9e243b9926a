"""Where a phrase names diseases: the longest name counts, and a name is never widened.

One reading for what is stored and what is asked: conditions of trials, indications of the pack and
questions come here where they are no name as a whole. "Bladder cancer" is not "cancer": a general
word such as "cancer" behind a word that is unknown makes an unknown disease of both.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.target_expressions import MARKER
from core.records.identity import EntityName, Match
from core.records.names import fold_name
from core.vocabulary.diseases import load_disease_words, load_own_diseases, short_disease_words
from core.vocabulary.phrase_words import phrase_words
from core.vocabulary.query_words import fold_word, spellings, words_said

LONGEST_NAME = 10
"""Words of the longest name of a disease that is looked for."""
SHORTEST_ALONE = 3
"""Letters of a name of one word."""
WORD = re.compile(r"[^\W_]+(?:['\u2019]s(?!\w))?")
_GAP = re.compile(r"[ \-/\u2010-\u2015\u2019'&+,()]{1,3}")
_AFTER_LETTER = re.compile(r"\. ?")
"""Of an abbreviated first word: "C. diff"."""
_ADJECTIVE = re.compile(r"[a-z]{2,}(?:al|ic|ous|ive|ed|ary|ent|ant|ble|ing|less|oma-like)")
_LETTERS = re.compile(r"[A-Z][A-Za-z]{0,4}")
_CAPITALS = re.compile(r"[A-Z0-9]{1,5}s?")
PLAIN_WORDS = phrase_words("plain")
NOT_IT = "non"
"""Before a name it means what is not that disease: "non-squamous", "non-infectious"."""
_GENERAL = phrase_words("general")
"""Head nouns that are no disease by themselves."""
_HEADS = _GENERAL | phrase_words("head")
"""Head nouns that an unknown word before them makes another, unknown disease of."""
NOT_ALONE = phrase_words("not alone")
"""Words that lists of diseases have, and that alone name none."""


@dataclass(frozen=True, slots=True)
class DiseaseSaid:
    """A disease where a phrase names it.

    Attributes:
        start: First character.
        end: One past the last.
        said: As written.
        match: What it stands for; unresolved where the name is that of an unknown disease.
    """

    start: int
    end: int
    said: str
    match: Match


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of words that may be a name.

    Attributes:
        first: Number of its first word.
        last: Number of its last word.
        start: First character.
        end: One past the last.
        said: As written.
        is_joined: Whether it is letters and a hyphen joins more to them: "PD-L1", "anti-IgE".
    """

    first: int
    last: int
    start: int
    end: int
    said: str
    is_joined: bool = False


@cache
def own_words() -> frozenset[str]:
    """Return the folded words for diseases that the curators' tables have."""
    names = [name for row in load_own_diseases() for name in (row.label, *row.also)]
    names += [name for row in load_disease_words() for name in (row.said, *row.meant)]
    return frozenset(map(fold_name, names))


@cache
def _abbreviations() -> frozenset[str]:
    """Return the folded abbreviations of up to three letters that the tables write in capitals."""
    said = [row.said for row in load_disease_words() if len(row.said) <= SHORTEST_ALONE]
    return frozenset(fold_name(word) for word in said if _CAPITALS.fullmatch(word))


@cache
def first_words() -> frozenset[str]:
    """Return the folded words for diseases that are no target first."""
    second = {fold_name(row.said) for row in load_disease_words() if row.is_second}
    return own_words() - second


def warm(texts: Iterable[str], resolver: Resolver) -> None:
    """Look up what many phrases may name, with few questions."""
    resolver.resolve_many("disease", {run.said for text in texts for run in _runs(text)[1]})


def find_diseases(
    text: str,
    resolver: Resolver,
    *,
    is_free: Callable[[int, int], bool] | None = None,
    shortest: int = 1,
    markers: Collection[int] = (),
) -> list[DiseaseSaid]:
    """Return the diseases that a phrase names, by place.

    Args:
        text: The phrase.
        resolver: Knows names.
        is_free: Whether characters may be read, by begin and end; None: all.
        shortest: Words that a name must have.
        markers: Places of words that tell the patients, which only names of the curators' tables
            may have: HER2-positive breast cancer is breast cancer, triple-negative its own kind.
    """
    words, runs = _runs(text)
    runs = [
        run
        for run in runs
        if run.last - run.first + 1 >= shortest and (not is_free or is_free(run.start, run.end))
    ]
    if markers:
        runs = [
            run
            for run in runs
            if not any(index in markers for index in range(run.start, run.end))
            or fold_name(run.said) in own_words()
        ]
    matches = resolver.resolve_many("disease", [run.said for run in runs])
    taken = bytearray(len(words))
    may_name: dict[tuple[str, bool], bool] = {}
    named_diseases: list[DiseaseSaid] = []
    for run in sorted(runs, key=lambda run: (run.first - run.last, run.first)):
        match, lookup_key = matches[run.said], (run.said, run.is_joined)
        if match.status == "unresolved" or taken.find(1, run.first, run.last + 1) >= 0:
            continue
        if run.first and words[run.first - 1][0].casefold() == NOT_IT:
            continue
        if lookup_key not in may_name:
            may_name[lookup_key] = _may_name(run, words, resolver)
        if not may_name[lookup_key]:
            continue
        taken[run.first : run.last + 1] = b"\x01" * (run.last - run.first + 1)
        named_diseases.append(DiseaseSaid(run.start, run.end, run.said, match))
    return sorted(
        _unwidened(named_diseases, words, text, is_free),
        key=lambda named_disease: named_disease.start,
    )


@lru_cache(maxsize=64)
def _runs(text: str) -> tuple[Sequence[re.Match[str]], Sequence[_Run]]:
    """Return the words of a phrase, and every run of them that may be a name."""
    words = list(WORD.finditer(text))
    plain = [word[0].casefold() in PLAIN_WORDS and not word[0].isupper() for word in words]
    runs: list[_Run] = []
    for first, word in enumerate(words):
        for last in range(first, min(first + LONGEST_NAME, len(words))):
            if last > first and not _is_gap(text, words[last - 1], words[last]):
                break
            start, end = word.start(), words[last].end()
            is_cut = plain[first] or plain[last]
            if not is_cut or fold_name(text[start:end]) in own_words():
                phrase = text[start:end]
                beside = text[max(0, start - 1) : start] + text[end : end + 1]
                is_joined = "-" in beside and _LETTERS.fullmatch(phrase) is not None
                runs.append(_Run(first, last, start, end, phrase, is_joined))
    return words, runs


def _is_gap(text: str, before: re.Match[str], after: re.Match[str]) -> bool:
    gap = text[before.end() : after.start()]
    pattern = _AFTER_LETTER if len(before[0]) == 1 and "." in gap else _GAP
    return pattern.fullmatch(gap) is not None


def _may_name(run: _Run, words: Sequence[re.Match[str]], resolver: Resolver) -> bool:
    """Return whether words that lists of diseases have are meant as one here."""
    folded = fold_name(run.said)
    if run.is_joined and (len(folded) < SHORTEST_ALONE or folded not in own_words()):
        return False
    if folded in own_words():
        is_mixed = not run.said.isupper() and not run.said.islower()
        is_other = is_mixed and folded in _abbreviations()  # "Men", "IgE", "Ch"
        return not (is_other or (run.said.islower() and run.said in PLAIN_WORDS))
    names = resolver.identity.lookup("disease", [folded]).get(folded, ())
    if run.last > run.first:
        is_word = run.said.casefold().replace("-", " ") in NOT_ALONE
        is_made = _is_glued(run.said, names) or _is_state_first(run.said, resolver)
        # "Crohn's disease, oral drugs" asks for no oral Crohn's disease
        is_cut = "," in run.said and fold_word(run.said.rpartition(",")[2]) in spellings()
        return not (is_word or is_made or is_cut)
    if folded in short_disease_words():
        return False
    if len(words) == 1 and len(folded) > SHORTEST_ALONE:
        return run.said.casefold() not in _GENERAL
    return len(folded) >= SHORTEST_ALONE and _is_noun(run.said, names)


def _is_noun(phrase: str, names: Sequence[EntityName]) -> bool:
    """Return whether one word is the name of a disease and no adjective or word of speech.

    A plain word is not what others write in capitals alone.
    """
    is_adjective = phrase.islower() and _ADJECTIVE.fullmatch(phrase) is not None
    is_in_capitals = bool(names) and all(name.name.isupper() for name in names)
    is_word = phrase.casefold() in NOT_ALONE | _GENERAL
    return not (is_word or is_adjective or (is_in_capitals and not phrase.isupper()))


def _is_glued(phrase: str, names: Sequence[EntityName]) -> bool:
    """Return whether words only together make an abbreviation: "B PNH" is no BPNH."""
    return " " in phrase and bool(names) and all(_CAPITALS.fullmatch(name.name) for name in names)


def _is_state_first(phrase: str, resolver: Resolver) -> bool:
    """Return whether a name begins with the state of patients and is a disease without it."""
    first, _, tail = phrase.partition(" ")
    is_state = first.casefold() in phrase_words("state")
    return is_state and resolver.resolve("disease", tail).status == "resolved"


def _unwidened(
    named_diseases: Sequence[DiseaseSaid],
    words: Sequence[re.Match[str]],
    text: str,
    is_free: Callable[[int, int], bool] | None,
) -> Iterator[DiseaseSaid]:
    """Yield the names; a general word behind an unknown one is unknown with it."""
    named = {
        index
        for named_disease in named_diseases
        for index in range(named_disease.start, named_disease.end)
    }
    starts = {word.start(): number for number, word in enumerate(words)}
    heads = [
        named_disease for named_disease in named_diseases if named_disease.said.casefold() in _HEADS
    ]
    general = [
        DiseaseSaid(word.start(), word.end(), word[0], Match("unresolved"))
        for word in words
        if word[0].casefold() in _GENERAL
        and word.start() not in named
        and (is_free is None or is_free(*word.span()))
    ]
    for disease in named_diseases:
        is_head = disease.said.casefold() in _HEADS
        if not is_head and (start := _compound_before(disease, words, text, named)) >= 0:
            yield DiseaseSaid(start, disease.end, text[start : disease.end], Match("unresolved"))
        elif not is_head:
            yield disease
    for head in [*heads, *general]:
        first = starts[head.start]
        while first > 0 and _qualifies(words[first - 1], words[first], text, named, is_free):
            first -= 1
        start = words[first].start()
        if start < head.start:
            yield DiseaseSaid(start, head.end, text[start : head.end], Match("unresolved"))
        elif head.match.status != "unresolved":
            yield head


def _compound_before(
    named_disease: DiseaseSaid, words: Sequence[re.Match[str]], text: str, named: Collection[int]
) -> int:
    """Return where a word such as "alcohol-related" before a name begins; -1 where none stands."""
    before = [word for word in words if word.end() < named_disease.start][-2:]
    if len(before) < 2 or before[1][0].casefold() not in phrase_words("compound"):
        return -1
    first, last = before
    is_one = (
        text[first.end() : last.start()] == "-" and text[last.end() : named_disease.start] == " "
    )
    return first.start() if is_one and first.start() not in named else -1


def _qualifies(
    word: re.Match[str],
    after: re.Match[str],
    text: str,
    named: Collection[int],
    is_free: Callable[[int, int], bool] | None,
) -> bool:
    """Return whether a word before a head noun is an unknown part of the disease's name."""
    return (
        text[word.end() : after.start()] in {" ", "-"}
        and word.start() not in named
        and (is_free is None or is_free(*word.span()))
        and word[0].casefold() not in PLAIN_WORDS
        and word[0].casefold() not in words_said()
        and not _CAPITALS.fullmatch(word[0])
        and not MARKER.match(text, word.start())
        and len(word[0]) > 2
    )
