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
from typing import Literal, get_args

from core.evidence.readers.disease_phrases import PLAIN_WORDS
from core.vocabulary.company_codes import is_code
from core.vocabulary.cues import compile_phrases
from core.vocabulary.tables import TableRow, load_rows

Relation = Literal[
    "develops",
    "licensed_from",
    "licensed_to",
    "acquired",
    "partnered",
    "rights_returned",
    "stage",
    "readout_expected",
    "result",
    "decision_expected",
    "not_approved",
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
Slot = Literal[
    "DRUG", "COMPANY", "OTHER", "STAGE", "DISEASE", "TRIAL", "REGION", "DAY", "MONEY", "RATE"
]
"""RATE: an amount for one share, dose or month."""
_CLOSED = frozenset({"DRUG", "COMPANY", "OTHER", "STAGE"})
"""Tokens with a full stop on each side, which no gap of a cue reaches across."""
_SLOT = re.compile(rf"\b(?:{'|'.join(get_args(Slot))})\b")
_TOKEN = re.compile(r"\.?z[a-z]+(\d+)\.?")
_CUT = re.compile(r";|,?\s+(?:while|whereas|but|although|though)\s+|,\s+(?:which|who)\s+")
_GAP = re.compile(r"(?<=\{0,)\d+\}")
_CAPITALIZED = re.compile(r"(?<![\w'-])[^\W\d_a-z][\w&'\u2019-]*")
"""A word in capitals, or of letters that only look Latin."""
_SHORT = re.compile(r"[A-Z][A-Z0-9/-]{0,5}s?|[A-Z][a-z]")
"""Words in capitals that are targets, diseases or measures."""
_STUDY = re.compile(r"(?:\s+[A-Z0-9][\w-]*){0,3}?\s+(?:[Tt]rial|[Ss]tud(?:y|ies)|TRIAL|STUDY)\b")
"""What makes a name before it that of a trial."""
_OWNER = re.compile(r"\.zcompany\d+\. \.s (?=(?:[a-z-]+ ){0,3}\.zdrug)")
"""Whose drug it is, which only matters to who develops it."""
_SHARED = re.compile(r"(?:\.z(?:company|drug)\d+\.[\s,/&+]*(?:and|or|plus|with)?[\s,/&+]+$)")
_BESIDE = re.compile(r"\.zother\d+\.\s*$")
_OPENING = re.compile(r"[\u2122\u00ae]?\s?\(")
_CLOSING = re.compile(r"[\u2122\u00ae]?\)")
_APOSTROPHE = re.compile("[\u2018\u2019\u02bc\u2032\uff07`\u00b4]")
_POSSESSIVE = re.compile(r"'s\b|^'(?=\s)")
_NEXT = re.compile(r"\s*(\.z\w+|[\w'-]+)")
"""The word or name behind a cue; none at the end of a clause."""
_PLACED = re.compile(
    r"(?<!said )(?<!announced )(?<!reported )\b(?:on|in|during) (zday\d+)", re.IGNORECASE
)
"""A day on which something happened, not one on which it was told."""
_LEADING = re.compile(r"(?:(?:on|in|during) )?(zday\d+), ", re.IGNORECASE)
_WORDED = frozenset({"plain", "relation", "against", "throughout"})
UNUSED = "-"
"""What is named in a cue and is no part of the relation, such as the regulator."""
_TITLE = 0.6
"""Share of the longer words of a heading that begin with a capital."""


class QuoteCueRow(TableRow):
    """A cue of a relation, of a further part of it, or against it.

    Attributes:
        kind: "relation"; "part" that may follow it; "against" it in its clause, or "throughout"
            its sentence; words that may come "after" it; "plain" words of headings; words by which
            a "name" that nobody knows is a company's.
        relation: What it says; of the other kinds: what they are of or refuse, "" for all.
        cue: Phrases as in `core.vocabulary.cues`; words in capitals stand for what is named.
        parts: What the words in capitals are to the relation, in their order.
        despite: Sorts of cues against it that do not count.
        says: Words for a reader; of a cue against its sort.
        example: Words in which it says so.
        counter_example: Words in which it does not.
    """

    kind: Literal["relation", "part", "against", "throughout", "after", "plain", "name"]
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
    text = _POSSESSIVE.sub(" .s", _APOSTROPHE.sub("'", text))
    text = re.sub(r"(?<=\d)\.(?=\d)", ",", text)
    return text.replace("|", " zbar ").replace("\t", " zbar ")


def is_word_of_cue(thing: Thing) -> bool:
    """Return whether what was read as a disease is a word of a cue: "plans" names none here."""
    is_plain = _plain_words().fullmatch(thing.part.text.casefold()) is not None
    return thing.slot == "DISEASE" and is_plain


def is_plain(word: str) -> bool:
    """Return whether a word is one of sentences, never a name."""
    folded = word.casefold()
    return folded in PLAIN_WORDS or _plain_words().fullmatch(folded) is not None


@cache
def company_words() -> re.Pattern[str]:
    """Return what finds the words by which an unknown name is a company's: "Acme Therapeutics"."""
    cues = (row.cue for row in _rows() if row.kind == "name")
    return compile_phrases("; ".join(cues))


def find_unknown(text: str, taken: Sequence[Thing]) -> Iterator[Thing]:
    """Yield words in capitals that are nobody's known name, so that no cue reaches across them."""
    words = [word for word in re.findall(r"[A-Za-z][\w'-]+", text) if len(word) > 3]
    capital = sum(word[0].isupper() for word in words)
    is_title = len(words) > 2 and capital / len(words) > _TITLE
    first = re.search(r"\w", text)
    for match in _CAPITALIZED.finditer(text):
        if any(thing.meets(*match.span()) for thing in taken):
            continue
        is_first = first is not None and match.start() == first.start()
        is_cased = match[0][1:].islower()
        if _SHORT.fullmatch(match[0]) or (
            is_plain(match[0]) and (is_title or is_first or is_cased)
        ):
            continue
        if _STUDY.match(text, match.end()):
            continue
        follows = _CAPITALIZED.match(text, match.end() + 1)
        if is_first and is_cased and not is_title and follows is None:
            continue
        end = match.end() - 2 * match[0].endswith(("'s", "\u2019s"))
        yield Thing("OTHER", match.start(), end)


def join_names(things: Sequence[Thing], text: str) -> list[Thing]:
    """Return things by place, a name and the one in brackets after it as one: "Brand (drug)"."""
    joined: list[Thing] = []
    for thing in things:
        before = joined[-1] if joined else None
        if before and before.slot in {"DRUG", "OTHER"} and thing.slot == "DRUG":
            between, after = text[before.end : thing.start], text[thing.end : thing.end + 2]
            close = _CLOSING.match(after)
            if _OPENING.fullmatch(between) and close:
                is_code_of_it = before.slot == "DRUG" and is_code(thing.part.text)
                is_first = before.part.key and (is_code_of_it or not thing.part.key)
                part = before.part if is_first else thing.part
                joined[-1] = Thing("DRUG", before.start, thing.end + close.end(), part)
                continue
        joined.append(thing)
    return joined


@cache
def _plain_words() -> re.Pattern[str]:
    """Return what finds words that are no names: those of headings and of cues."""
    cues = "; ".join(row.cue for row in _rows() if row.kind in _WORDED)
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
    if "date" not in parts and (day := _find_day(row, match[0], "" if start else masked)):
        parts["date"] = _number(day)
    refused = _find_against(row, masked[start:end]) or _find_against(row, masked, "throughout")
    refused = refused or _find_after(row, masked[match.end() :])
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
                found[role] = _number(match[match.lastindex or 0])
    return found


def _find_day(row: QuoteCueRow, cue: str, clause: str) -> str:
    """Return the day that stands within a cue, else the one that its clause begins with."""
    dated = (other.relation.split() for other in _rows() if other.parts == "date")
    if not any(row.relation in relations for relations in dated):
        return ""
    leading = _LEADING.match(clause)
    days = [*([leading[1]] if leading else []), *_PLACED.findall(cue)]
    return days[-1] if days else ""


def _find_against(row: QuoteCueRow, text: str, kind: str = "against") -> str:
    """Return the sort of the first cue against a relation; "" for none."""
    despite = set(row.despite.split("; "))
    for other in _rows():
        if other.kind != kind or other.says in despite:
            continue
        is_meant = not other.relation or row.relation in other.relation.split()
        if is_meant and _against(other.cue).search(text):
            return other.says
    return ""


def _find_after(row: QuoteCueRow, rest: str) -> str:
    """Return what refuses a relation whose last name goes on: "acquired X shares"; "" if none."""
    word = _NEXT.match(rest)
    for other in _rows():
        if other.kind == "after" and row.relation in other.relation.split() and word:
            return "" if _against(other.cue).fullmatch(word[1]) else other.says
    return ""


@lru_cache(maxsize=500)
def _against(cue: str) -> re.Pattern[str]:
    return re.compile("|".join(_compile(phrase).pattern for phrase in cue.split("; ")), re.I)
