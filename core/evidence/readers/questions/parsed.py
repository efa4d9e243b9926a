"""What a question asks for, in typed fields, and what an answer must say of how it was read."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from core.evidence.names.aliases import Named
from core.records.programs import TargetExpression
from core.records.stages import Stage
from core.vocabulary.lines import AskedLine
from core.vocabulary.phrase_words import phrase_words
from core.vocabulary.query_words import WordKind

Became = Literal[
    "target", "disease", "drug", "company", "biomarker", "refused", "left over", WordKind
]
"""What a piece of a question was understood as."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a question and what became of them; every word is part of one.

    Attributes:
        start: First character in the question as it was read.
        end: One past the last.
        said: The words.
        became: What they were understood as.
        meant: What they stand for; "" for plain speech and for what is left over.
    """

    start: int
    end: int
    said: str
    became: Became
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A word of a question that was read as another one, or that another one may be meant by.

    Attributes:
        said: As typed.
        meant: What it was read as, or may stand for.
        why: "translated", "mended" or "ambiguous"; "offered" where it was left as it is; "model"
            where a language model read it.
    """

    said: str
    meant: str
    why: Literal["translated", "mended", "ambiguous", "offered", "model"]


@dataclass(frozen=True)
class ParsedText:
    """A text as it was understood.

    Attributes:
        text: The text, cleaned.
        targets: What drugs shall act on.
        mechanisms: How, such as "agonist".
        diseases: Diseases named, as entities.
        is_in_all_diseases: Whether a drug must be for each of them: "both asthma and COPD".
        drugs: Drugs named, as entities.
        biomarkers: Biomarkers of patients; they narrow nothing.
        modalities: Words for the kind of drug.
        not_modalities: Kinds that are not wanted.
        not_drugs: Drugs that are not wanted.
        lines: Lines of treatment; they choose figures and narrow nothing.
        stages: Stages asked for; none: all.
        stage_words: The stage that each word means most closely, such as phase 2 of "phase 2".
        words: What is left over.
        adjacent: The other ends of axes: the receptor of a ligand asked for, and the reverse;
            their drugs compete and stand behind.
        routes: Routes of administration.
        populations: Patients by age, earlier treatment or extent of disease.
        regions: Regions of owners, such as "China".
        territories: Those of the regions in which a drug shall be sold: "in Japan".
        agencies: Regulators whose approval is asked for.
        is_approved_by_all: Whether each of the regulators must have approved.
        is_approved_alone: Whether no other regulator may have approved: "approved only in China".
        companies: Companies named, by group.
        intents: What is asked about the drugs: "competitors", "best in class", ...
        unknown_diseases: Words that name a disease not known here.
        not_targets: Targets that are not wanted.
        not_diseases: Diseases that are not wanted.
        not_stages: Stages that are not wanted.
        not_routes: Routes that are not wanted.
        not_companies: Companies whose drugs are not wanted.
        not_regions: Regions whose drugs are not wanted.
        not_agencies: Regulators that must not have approved.
        changes: Words that were translated or mended, or that may mean something else.
        pieces: What became of each word, in order.
        unread: What follows the last word that was read, of a text that is too long.
    """

    text: str
    targets: tuple[TargetExpression, ...] = ()
    mechanisms: tuple[str, ...] = ()
    diseases: tuple[Named, ...] = ()
    is_in_all_diseases: bool = False
    drugs: tuple[Named, ...] = ()
    biomarkers: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    not_modalities: tuple[str, ...] = ()
    not_drugs: tuple[Named, ...] = ()
    lines: tuple[AskedLine, ...] = ()
    stages: tuple[Stage, ...] = ()
    stage_words: tuple[Stage, ...] = ()
    words: tuple[str, ...] = ()
    adjacent: tuple[TargetExpression, ...] = ()
    routes: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    territories: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    is_approved_by_all: bool = False
    is_approved_alone: bool = False
    companies: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    unknown_diseases: tuple[str, ...] = ()
    not_targets: tuple[TargetExpression, ...] = ()
    not_diseases: tuple[Named, ...] = ()
    not_stages: tuple[Stage, ...] = ()
    not_routes: tuple[str, ...] = ()
    not_companies: tuple[str, ...] = ()
    not_regions: tuple[str, ...] = ()
    not_agencies: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    pieces: tuple[Piece, ...] = ()
    unread: str = ""

    @property
    def names_something(self) -> bool:
        """Return whether any entity is named that drugs can be found by."""
        return bool(self.targets or self.diseases or self.drugs or self.companies)

    @property
    def families(self) -> tuple[TargetExpression, ...]:
        """Return the families among the targets: any of their genes will do."""
        return tuple(target for target in self.targets if target.relation == "family")


MOST = 12
"""Words that one notice lists."""
LONGEST = 40
"""Signs that are shown of a part that was not read."""


def notices_of(parsed: ParsedText) -> Iterator[str]:
    """Yield a sentence for everything that was dropped, corrected, added or is ambiguous."""
    if parsed.unread:
        yield f"too_long: the question was read up to {_quote((parsed.unread[:LONGEST],))}."
    if parsed.unknown_diseases:
        yield (
            f"disease_unknown: {_quote(parsed.unknown_diseases)} is no disease known here; it "
            "filters nothing."
        )
    yield from _of_changes(parsed)
    if parsed.families:
        members = [
            f"{family.text} ({', '.join(family.gene_symbols)})" for family in parsed.families
        ]
        yield f"family: {'; '.join(members)} is a family; a drug on any of its members counts."
    if parsed.adjacent:
        names = ", ".join(expression.text for expression in parsed.adjacent)
        yield f"same_axis: {names} is the other end of the axis; its drugs are listed, too."


_QUALIFIERS = {
    "lines": "line of therapy",
    "populations": "patients",
    "biomarkers": "biomarker",
    "routes": "route",
    "not_routes": "excluded route",
    "regions": "home of the owner",
    "not_regions": "excluded home of the owner",
    "territories": "market",
    "agencies": "regulator",
    "not_agencies": "excluded regulator",
    "not_stages": "excluded stage",
}
"""Qualifiers that not every agent can narrow by, by field."""


def warn_unfiltered(texts: Iterable[ParsedText], *applied: str) -> Iterator[str]:
    """Yield which qualifiers were understood, but narrow nothing in this answer."""
    parts = list(texts)
    diseases = " ".join(disease.label for text in parts for disease in text.diseases).casefold()
    named = {
        title: [
            value
            for value in dict.fromkeys(str(each) for text in parts for each in getattr(text, field))
            if value.casefold() not in diseases
        ]
        for field, title in _QUALIFIERS.items()
        if field not in applied
    }
    shown = [f"{title} ({_quote(tuple(values))})" for title, values in named.items() if values]
    if shown:
        yield f"not_filtered: {'; '.join(shown)}: understood, but nothing was narrowed by it."


def _of_changes(parsed: ParsedText) -> Iterator[str]:
    for why, code, words in (
        ("translated", "translated", "was read as"),
        ("mended", "mended", "was read as"),
        ("ambiguous", "two_meanings", "may also mean"),
        ("offered", "did_you_mean", "is not known; did you mean"),
        ("model", "read_by_model", "was read by the language model as"),
    ):
        changes = [change for change in parsed.changes if change.why == why][:MOST]
        if changes:
            yield f"{code}: {'; '.join(_say(change, words) for change in changes)}."


def _say(change: Change, words: str) -> str:
    return f"{_quote((change.said,))} {words} {change.meant}"


def _quote(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words[:MOST])


WORD = re.compile(r"[^\W_]+(?:['\u2019]s?(?!\w))?\+?")


class Sheet:
    """A question with the pieces of it that are understood; no word is part of two.

    Attributes:
        text: The question.
        words: Its words.
        pieces: What is understood so far.
        reserved: Places of names of which no part is understood alone.
    """

    def __init__(self, text: str) -> None:
        """Begin with nothing understood."""
        self.text = text
        self.words = list(WORD.finditer(text))
        self.pieces: list[Piece] = []
        self._taken = bytearray(len(text))
        self.reserved: list[tuple[int, int]] = []
        self._starts = [word.start() for word in self.words]
        self._ends = [word.end() for word in self.words]

    def is_free(self, start: int, end: int) -> bool:
        """Return whether nobody has understood any of some characters, or reserved more."""
        if any(
            first <= start and end <= last and end - start < last - first
            for first, last in self.reserved
        ):
            return False
        return self._taken.find(1, start, end) < 0

    def take(self, start: int, end: int, became: Became, meant: str = "") -> None:
        """Mark characters as understood."""
        self.pieces.append(Piece(start, end, self.text[start:end], became, meant))
        self._taken[start:end] = b"\x01" * (end - start)

    def runs(self, most: int) -> Iterator[tuple[int, int, str]]:
        """Yield begin, end and words of runs of free words, the longest first.

        Args:
            most: Words of the longest run.
        """
        for length in range(min(most, len(self.words)), 0, -1):
            for first in range(len(self.words) - length + 1):
                start, end = self._starts[first], self._ends[first + length - 1]
                if self.is_free(start, end):
                    yield start, end, self.text[start:end]

    def before(self, start: int, most: int = 1) -> list[str]:
        """Return the words before a place, the nearest first, in lower case."""
        last = bisect_right(self._ends, start)
        words = self.words[max(0, last - most) : last]
        return [word[0].casefold() for word in reversed(words)]

    def after(self, end: int, most: int = 1) -> list[str]:
        """Return the words behind a place, in lower case."""
        first = bisect_left(self._starts, end)
        return [word[0].casefold() for word in self.words[first : first + most]]

    def left(self) -> list[re.Match[str]]:
        """Return the words that nobody has understood."""
        return [word for word in self.words if self.is_free(word.start(), word.start() + 1)]

    def finished(self) -> tuple[Piece, ...]:
        """Return all pieces by place; what nobody has understood is left over."""
        remaining_pieces = [Piece(x.start(), x.end(), x[0], "left over") for x in self.left()]
        return tuple(sorted((*self.pieces, *remaining_pieces), key=lambda piece: piece.start))


def is_earlier(sheet: Sheet, start: int, end: int) -> bool:
    """Return whether a drug or class is one that patients had before: "after osimertinib"."""
    before = sheet.before(start, 2)
    phrase = " ".join(reversed(before))
    is_after = bool({phrase, *before[:1]} & phrase_words("before earlier drug"))
    return is_after or bool(set(sheet.after(end)) & phrase_words("behind earlier drug"))
