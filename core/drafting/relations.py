"""What a sentence says of drugs and companies: cues of a table, laid over what is named in it.

A sentence is masked: what it names becomes a token of its sort, and a name that nobody knows
becomes a token, too. No cue reaches across a drug, a company, a stage or an unknown name, so that
a verb is never given to somebody else's subject. A cue counts only where its clause has no cue
against it: negation, hypothesis, comparison, another subject.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from core.evidence.readers.disease_phrases import PLAIN_WORDS
from core.vocabulary.cues import compile_phrases
from core.vocabulary.tables import TableRow, load_rows

Relation = Literal[
    "develops",
    "licensed_from",
    "licensed_to",
    "acquired",
    "stage",
    "readout_expected",
    "result",
    "approved",
    "stopped",
    "financing",
]
PartRole = Literal[
    "drug",
    "company",
    "partner",
    "target",
    "indication",
    "stage",
    "trial",
    "event",
    "date",
    "amount",
]
Slot = Literal["DRUG", "COMPANY", "OTHER", "STAGE", "DISEASE", "TRIAL", "REGION", "DAY", "MONEY"]
_CLOSED = frozenset({"DRUG", "COMPANY", "OTHER", "STAGE"})
"""Tokens with a full stop on each side, which no gap of a cue reaches across."""
_SLOT = re.compile(r"\b(?:DRUG|COMPANY|STAGE|DISEASE|TRIAL|REGION|DAY|MONEY)\b")
_TOKEN = re.compile(r"\.?z[a-z]+(\d+)\.?")
_CUT = re.compile(r";|,?\s+(?:while|whereas|but|although|though)\s+|,\s+(?:which|who)\s+")
_GAP = re.compile(r"(?<=\{0,)\d+\}")
_CAPITALIZED = re.compile(r"(?<![\w'-])[A-Z][\w&'\u2019-]*")
_SHORT = re.compile(r"[A-Z][A-Z0-9/-]{0,5}s?|[A-Z]{1,2}")
"""Words in capitals that are targets, diseases or measures."""
_STUDY = re.compile(r"\s+(?:[Tt]rial|[Ss]tud(?:y|ies))\b|\s+TRIAL|\s+STUDY")
"""What makes a name before it that of a trial."""
_OWNER = re.compile(r"\.zcompany\d+\. \.s (?=(?:[a-z-]+ ){0,3}\.zdrug)")
"""Whose drug it is, which only matters to who develops it."""
_SHARED = re.compile(r"(?:\.z(?:company|drug)\d+\.[\s,/&+]*(?:and|or|plus|with)?[\s,/&+]+$)")
_BESIDE = re.compile(r"\.zother\d+\.\s*$")
_OPENING = re.compile(r"[\u2122\u00ae]?\s?\(")
_CLOSING = re.compile(r"[\u2122\u00ae]?\)")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_LASTING = frozenset({"licensed_from", "licensed_to"})
"""Relations that another clause of the sentence may end: rights that were returned."""
ENDED = "ended"
UNUSED = "-"
"""What is named in a cue and is no part of the relation, such as the regulator."""
_TITLE = 0.6
"""Share of the longer words of a heading that begin with a capital."""


class QuoteCueRow(TableRow):
    """A cue of a relation, of a further part of it, or against it.

    Attributes:
        kind: "relation"; "part" that may follow it; "against" it; "plain" words of headings.
        relation: What it says; of a cue against: what it refuses, "" for all.
        cue: Phrases as in `core.vocabulary.cues`; words in capitals stand for what is named.
        parts: What the words in capitals are to the relation, in their order.
        despite: Sorts of cues against it that do not count.
        says: Words for a reader; of a cue against its sort.
        example: Words in which it says so.
        counter_example: Words in which it does not.
    """

    kind: Literal["relation", "part", "against", "plain"]
    relation: str
    cue: str
    parts: str
    despite: str
    says: str
    example: str
    counter_example: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a finding.

    Attributes:
        text: The page's characters.
        key: Key of a drug or disease, group of a company, a stage or day; "" where it has none.
        name: Name for display.
        value: Amount in millions.
        unit: Its currency.
    """

    text: str
    key: str = ""
    name: str = ""
    value: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """What a sentence names, and where.

    Attributes:
        slot: What sort of thing.
        start: First character.
        end: One past the last.
        part: It as a part of a finding.
    """

    slot: Slot
    start: int
    end: int
    part: Part = Part("")

    def meets(self, start: int, end: int) -> bool:
        """Return whether it shares characters with a passage."""
        return self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation that a sentence states.

    Attributes:
        relation: Which.
        says: It in words for a reader.
        parts: Number of the thing of each part.
        refused: Sort of the cue against it; "" where nothing speaks against it.
    """

    relation: Relation
    says: str
    parts: Mapping[PartRole, int]
    refused: str = ""


def mask(text: str, things: Sequence[Thing]) -> str:
    """Return a sentence with a word for each thing that it names, ".zdrug0." for a drug."""
    pieces: list[str] = []
    end = 0
    for number, thing in enumerate(things):
        pieces += [_plain(text[end : thing.start]), _word(thing.slot, number)]
        end = thing.end
    pieces.append(_plain(text[end:]))
    return "".join(pieces)


def _word(slot: str, number: int | str) -> str:
    stop = "." if slot in _CLOSED else ""
    return f"{stop}z{slot.casefold()}{number}{stop}"


def _plain(text: str) -> str:
    """Return text between things; a bar of a table is a word, and a possessive ends a gap."""
    text = re.sub(r"(?<=\d)\.(?=\d)", ",", _POSSESSIVE.sub(" .s", text))
    return text.replace("\u2019", "'").replace("|", " zbar ").replace("\t", " zbar ")


def is_word_of_cue(thing: Thing) -> bool:
    """Return whether what was read as a disease is a word of a cue: "plans" names none here."""
    is_plain = _plain_words().fullmatch(thing.part.text.casefold()) is not None
    return thing.slot == "DISEASE" and is_plain


def find_unknown(text: str, taken: Sequence[Thing]) -> Iterator[Thing]:
    """Yield words in capitals that are nobody's known name, so that no cue reaches across them."""
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", text) if len(word) > 3]
    capital = sum(word[0].isupper() for word in words)
    is_title = len(words) > 3 and capital / len(words) > _TITLE
    first = re.search(r"\w", text)
    for match in _CAPITALIZED.finditer(text):
        if any(thing.meets(*match.span()) for thing in taken):
            continue
        word = match[0].casefold()
        is_first = first is not None and match.start() == first.start()
        is_plain = word in PLAIN_WORDS or bool(_plain_words().fullmatch(word))
        is_cased = match[0][1:].islower()
        if _SHORT.fullmatch(match[0]) or (is_plain and (is_title or is_first or is_cased)):
            continue
        if _STUDY.match(text, match.end()):
            continue
        follows = _CAPITALIZED.match(text, match.end() + 1)
        if is_first and is_cased and not is_title and follows is None:
            continue
        yield Thing("OTHER", *match.span())


def join_names(things: Sequence[Thing], text: str) -> list[Thing]:
    """Return things by place, a name and the one in brackets after it as one: "Brand (drug)"."""
    joined: list[Thing] = []
    for thing in things:
        before = joined[-1] if joined else None
        if before and before.slot in {"DRUG", "OTHER"} and thing.slot == "DRUG":
            between, after = text[before.end : thing.start], text[thing.end : thing.end + 2]
            close = _CLOSING.match(after)
            if _OPENING.fullmatch(between) and close:
                part = before.part if before.part.key and not thing.part.key else thing.part
                joined[-1] = Thing("DRUG", before.start, thing.end + close.end(), part)
                continue
        joined.append(thing)
    return joined


@cache
def _plain_words() -> re.Pattern[str]:
    """Return what finds words that are no names: those of headings and of cues."""
    cues = "; ".join(row.cue for row in _rows() if row.kind in {"plain", "relation", "against"})
    words = {
        word.rstrip("?")
        for phrase in cues.split("; ")
        for token in phrase.split(" ")
        for word in token.split("|")
        if word[:1].islower() and not word.startswith("z")
    }
    return re.compile("|".join(re.escape(word).replace(r"\*", r"\w*") for word in sorted(words)))


@cache
def _rows() -> tuple[QuoteCueRow, ...]:
    return load_rows("quote_cues", QuoteCueRow)


@lru_cache(maxsize=2_000)
def _compile(phrase: str, *, is_start: bool = False) -> re.Pattern[str]:
    """Return a phrase as a pattern whose groups are what it names; gaps are as short as may be."""
    plain = _SLOT.sub(lambda slot: _word(slot[0], "*"), phrase).replace("BAR", "zbar")
    pattern = _GAP.sub(r"\g<0>?", compile_phrases(plain).pattern)
    pattern = re.sub(r"(?:\\\.)?z(?!bar)[a-z]+\\w\*(?:\\\.)?", r"(\g<0>)", pattern)
    before = r"\s*(?:[(,]\s*)?(?:[\w'-]+[\s-]+){0,6}?" if is_start else ""
    return re.compile(before + pattern, re.IGNORECASE)


def find_statements(masked: str, wanted: Relation | None = None) -> Iterator[Statement]:
    """Yield what a masked sentence states, refused statements with the reason.

    >>> text = ".zcompany0. said that it has acquired .zcompany1. for zmoney2"
    >>> [(s.relation, dict(s.parts)) for s in find_statements(text)]
    [('acquired', {'company': 0, 'partner': 1, 'amount': 2})]
    """
    plain = _OWNER.sub("", masked)
    for row in _rows():
        if row.kind != "relation" or (wanted and row.relation != wanted):
            continue
        text = masked if row.relation == "develops" else plain
        for phrase in row.cue.split("; "):
            pattern, at = _compile(phrase), 0
            while match := pattern.search(text, at):
                at = match.start() + 1
                if not text.startswith((" .s", ".s"), match.end()):
                    yield _statement(row, match, text)


def _statement(row: QuoteCueRow, match: re.Match[str], masked: str) -> Statement:
    """Return what a cue says at its place."""
    roles: list[PartRole] = row.parts.split()  # type: ignore[assignment]
    parts = {
        role: _number(token)
        for role, token in zip(roles, match.groups(), strict=True)
        if role != UNUSED
    }
    cuts = list(_CUT.finditer(masked))
    start = max((cut.end() for cut in cuts if cut.end() <= match.start()), default=0)
    end = min((cut.start() for cut in cuts if cut.start() >= match.end()), default=len(masked))
    parts |= _further(row, masked[match.end() : end], parts)
    refused = _find_against(row, masked[start:end])
    if not refused and row.relation in _LASTING and _find_against(row, masked) == ENDED:
        refused = ENDED
    before = masked[: match.start()] if masked.startswith(".z", match.start()) else ""
    if not refused and (_SHARED.search(before) or _BESIDE.search(before)):
        refused = "another subject"
    if masked.rstrip().endswith("?"):
        refused = refused or "hypothesis"
    return Statement(row.relation, row.says, parts, refused)  # type: ignore[arg-type]


def _number(token: str) -> int:
    match = _TOKEN.fullmatch(token)
    return int(match[1]) if match else -1


def _further(row: QuoteCueRow, rest: str, known: Mapping[PartRole, int]) -> Mapping[PartRole, int]:
    """Return parts that may follow a relation, such as the disease or the amount."""
    found: dict[PartRole, int] = {}
    for other in _rows():
        role: PartRole = other.parts  # type: ignore[assignment]
        if other.kind != "part" or role in known or row.relation not in other.relation.split():
            continue
        for phrase in other.cue.split("; "):
            if role not in found and (match := _compile(phrase, is_start=True).match(rest)):
                found[role] = _number(match[1])
    return found


def _find_against(row: QuoteCueRow, clause: str) -> str:
    """Return the sort of the first cue against a relation in its clause; "" for none."""
    despite = set(row.despite.split("; "))
    for other in _rows():
        if other.kind != "against" or other.says in despite:
            continue
        if other.relation in {"", row.relation} and _against(other.cue).search(clause):
            return other.says
    return ""


@lru_cache(maxsize=500)
def _against(cue: str) -> re.Pattern[str]:
    return re.compile("|".join(_compile(phrase).pattern for phrase in cue.split("; ")), re.I)
