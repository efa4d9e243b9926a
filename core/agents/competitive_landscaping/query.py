"""What a query asks for: targets, mechanisms, diseases, modalities, lines, stages, negations.

Every word is either understood, a plain word of speech, or shown as left over. The same reading
serves the query, the indication and the description of the candidate asset.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.evidence.names.cleaning import clean_text
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.retrieval import Named, understand
from core.evidence.readers.target_expressions import read_targets
from core.records.programs import TargetExpression
from core.records.stages import STAGES, Stage
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import AskedLine
from core.vocabulary.query_words import take_words

PORTION = 400
"""Characters that are searched for names at once."""
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_NOT = r"but not|not|no|without|excluding|exclude|except(?: for)?|other than|rather than|non"
_ENDING = r"\s+(?:but|in|for|with|against)\b|[,;.()]|$"
_NEGATION = re.compile(rf"\b(?:{_NOT})[\s-]+(?P<said>[^,;.()]+?)(?={_ENDING})", re.IGNORECASE)


@dataclass(frozen=True)
class ParsedText:
    """A text as it was understood.

    Attributes:
        text: The text, cleaned.
        targets: What drugs shall act on.
        mechanisms: How, such as "agonist".
        diseases: Diseases named, as entities.
        drugs: Drugs named, as entities.
        biomarkers: Biomarkers of patients; they narrow nothing.
        modalities: Words for the kind of drug.
        not_modalities: Kinds that are not wanted.
        not_drugs: Drugs that are not wanted.
        lines: Lines of treatment; they choose figures and narrow nothing.
        stages: Stages asked for; none: all.
        stage_words: The stage that each word means most closely, such as phase 2 of "phase 2".
        words: What is left over.
    """

    text: str
    targets: tuple[TargetExpression, ...] = ()
    mechanisms: tuple[str, ...] = ()
    diseases: tuple[Named, ...] = ()
    drugs: tuple[Named, ...] = ()
    biomarkers: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    not_modalities: tuple[str, ...] = ()
    not_drugs: tuple[Named, ...] = ()
    lines: tuple[AskedLine, ...] = ()
    stages: tuple[Stage, ...] = ()
    stage_words: tuple[Stage, ...] = ()
    words: tuple[str, ...] = field(default=())

    @property
    def names_something(self) -> bool:
        """Return whether any entity is named that drugs can be found by."""
        return bool(self.targets or self.diseases or self.drugs)


def tidy(text: str) -> str:
    """Return a text on one line, in one Unicode form and with one kind of hyphen."""
    return _DASHES.sub("-", clean_text(unicodedata.normalize("NFKC", text)))


def parse_text(text: str, resolver: Resolver) -> ParsedText:
    """Return what a text asks for.

    Args:
        text: As given; nothing in it is an instruction.
        resolver: Knows names.
    """
    tidied = tidy(text)
    kept, denied = _split_negations(tidied, resolver)
    mechanisms, _ = take_words("mechanism", kept)
    targets, rest = read_targets(kept, resolver)
    modalities, rest = take_words("modality", rest)
    _, rest = take_words("mechanism", rest)
    lines, rest = take_words("line", rest)
    stages, rest = take_words("stage", rest)
    _, rest = take_words("plain", rest)
    named, words = _find_names(rest, resolver)
    return replace(
        denied,
        text=tidied,
        targets=tuple(sorted(targets, key=lambda one: one.text)),
        mechanisms=tuple(sorted(mechanisms)),
        diseases=_of_kind("disease", named),
        drugs=_of_kind("drug", named),
        biomarkers=tuple(row.name for row in find_biomarkers(kept)),
        modalities=_split(modalities),
        lines=tuple(sorted(map(AskedLine, lines))),
        stages=_read_stages(stages),
        stage_words=_read_stages([word.partition("|")[0] for word in stages]),
        words=words,
    )


def _split_negations(text: str, resolver: Resolver) -> tuple[str, ParsedText]:
    """Return the text without its negated parts, and what they refuse.

    A negated part in which nothing is understood stays in the text.
    """
    modalities: list[str] = []
    drugs: list[Named] = []
    kept = text
    for found in _NEGATION.finditer(text):
        words, _ = take_words("modality", found["said"])
        named = () if words else _of_kind("drug", _find_names(found["said"], resolver)[0])
        if words or named:
            modalities += words
            drugs += named
            kept = kept.replace(found[0], " ", 1)
    return kept, ParsedText(text, not_modalities=_split(modalities), not_drugs=tuple(drugs))


def _find_names(text: str, resolver: Resolver) -> tuple[list[Named], tuple[str, ...]]:
    """Return the names in a text and the words that are part of none, sorted."""
    named: list[Named] = []
    words: list[str] = []
    for portion in _portions(text):
        understood = understand(portion, resolver)
        named += understood.named
        words += understood.words
    distinct = {(one.kind, one.key): one for one in reversed(named)}
    genes = [one.said for one in named if one.kind == "target"]
    left = {word.strip("-/+.'’"): None for word in (*words, *genes)}
    return list(distinct.values()), tuple(sorted(filter(None, left), key=str.casefold))


def _portions(text: str) -> Iterator[str]:
    """Yield a text in portions that end between words."""
    begin = 0
    while begin < len(text):
        end = begin + PORTION
        if end < len(text):
            end = text.rfind(" ", begin, end) + 1 or end
        yield text[begin:end]
        begin = end


def _of_kind(kind: str, named: list[Named]) -> tuple[Named, ...]:
    return tuple(sorted((one for one in named if one.kind == kind), key=lambda one: one.key))


def _split(words: list[str]) -> tuple[str, ...]:
    """Return the modalities that words stand for, by name."""
    return tuple(sorted({part for word in words for part in word.split("|")}))


def _read_stages(words: list[str]) -> tuple[Stage, ...]:
    """Return the stages that words stand for, the highest first."""
    said = {stage for word in words for stage in word.split("|")}
    return tuple(stage for stage in STAGES if stage in said)
