"""What the sentences of a page name, for the findings on it: known names, and shapes of names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from urllib.parse import urlsplit

from core.briefs.entities.identifying import Library
from core.checking.entities import EntitySpan, find_entities
from core.checking.values import find_days, find_money, find_phases
from core.documents.sentences import Location, Sentence
from core.drafting.findings import SHAPED, Focus
from core.drafting.relations import Part, PartRole, Slot, Thing, company_words, is_plain
from core.evidence.names.companies import company_group, is_known
from core.evidence.names.modalities import find_stem
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.vocabulary.company_codes import is_code, owner_of_code
from core.vocabulary.label_words import alternatives
from core.vocabulary.predicates import Predicate

SHORTEST_STEM = 4
SHORTEST_NAME = 7
"""Letters of an ending by which an unknown word is a drug's name, and of the word."""
SHORTEST_COMPANY = 5
SHORTEST_NAME_OF_COMPANY = 4
SHORTEST_HOST = 4
"""Letters of a company that only records name, of its short name, and of that in its address."""
_SLOTS: dict[str, Slot] = {
    **{"drug": "DRUG", "company": "COMPANY", "disease": "DISEASE", "trial": "TRIAL"},
    "region": "REGION",
}
_CAPITALIZED = re.compile(r"[A-Z][\w&'-]*(?:\s+[A-Z&][\w&'-]*){0,5}")
_WORD = re.compile(r"\S+")
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,6}-?\d{3,7}[A-Z]?(?![\w-])")
_SPACED = re.compile(r"(?<![\w-])[A-Z]{2,6} \d{3,7}[A-Z]?(?![\w-])")
_NO_DRUG = re.compile(r"\s*(?:trial|stud(?:y|ies)|receptor|gene|cells?)\b", re.IGNORECASE)
_FORM = re.compile(
    rf"(?:\s(?:{alternatives('general word of companies')})\b)*"
    r"(?:,?\s+(?:Inc|Ltd|Limited|Corp|Corporation|plc|PLC|AG|SA|N\.V|LLC|GmbH|Co)\b)?\.?"
    r"(?:\s*\((?:NYSE|NASDAQ|Nasdaq|LSE|TSE|SIX|Euronext|HKEX)[^()]*\))?"
)
"""Legal form and ticker behind a company's name."""
_GENERAL = re.compile(rf"(?:{alternatives('general word of companies')})", re.IGNORECASE)
_HALF = re.compile(
    r"(?:the\s+)?(?:first|second|third|fourth|last|early|mid|late|end|beginning)[\s-]?"
    r"(?:half|quarter|part)?(?:\s+of)?\s*$",
    re.IGNORECASE,
)
"""Words before a year that belong to it."""
_BEFORE_YEAR = re.compile(r"\b(?:In|During|Since)(?= (?:19|20)\d\d\b)")
_PART_OF_YEAR = re.compile(r"\b(?:early|mid|late)[\s-]+(?=20\d\d)", re.IGNORECASE)
_RATE = re.compile(
    r"\s*(?:(?:per|an?|each|/)\s*(?:share|ADS|unit|dose|vial|patient|year|month|week|day)|each)\b",
    re.IGNORECASE,
)
"""Words behind an amount that is for one of many."""
_GENERAL_END = re.compile(rf"(?:,?\s+(?:{alternatives('general word of companies')}))+$")
MOST_WORDS = 3
"""Words before the one by which a name is a company's."""
_APPROVED = (Predicate.APPROVED_ON, Predicate.APPROVED_LABEL)
_RELATIVE = re.compile(
    r"\b(?:(?:earlier |later )?(?:last|this|next) (?:week|month|quarter|year)|yesterday)\b", re.I
)
_US = re.compile(r"U\.S$")
_OWN = re.compile(r"\b(?:[Tt]he Company|[Ww]e)\b")
_PRECLINICAL = re.compile(r"\b(?:pre-?clinical)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PageNames:
    """Reads names with the evidence of the instance.

    Attributes:
        library: Evidence and names.
    """

    library: Library

    def is_own(self, url: str, focus: Focus) -> bool:
        """Return whether an address is one of the company asked for: its host begins so."""
        host = (urlsplit(url).hostname or "").split(".")
        names = {fold_name(name) for name in (focus.company, *focus.spellings)}
        labels = [fold_name(label) for label in host[-3:-1]]
        return any(len(label) >= SHORTEST_HOST and label in names for label in labels)

    def read(self, texts: Sequence[str], focus: Focus, *, is_own: bool) -> list[list[Thing]]:
        """Return what each sentence names, and its days, stages and amounts, without overlap."""
        sentences = [Sentence(n, text, Location()) for n, text in enumerate(texts, start=1)]
        every = find_entities(sentences, self.library)
        named = [
            _without_overlap(text, [*self._list(text, entities, focus, is_own)])
            for text, entities in zip(texts, every, strict=True)
        ]
        short = _short_names(thing for things in named for thing in things)
        return [
            _without_overlap(
                text, [*things, *_list_short(text, short), *_list_shaped(text, things)]
            )
            for text, things in zip(texts, named, strict=True)
        ]

    def is_approved(self, drug: Part) -> bool:
        """Return whether a record states that a drug is approved anywhere."""
        identity = self.library.resolver.identity
        names = [name.name for name in identity.names("drug", drug.key)]
        query = FactQuery(subjects=sorted({*names, drug.name}), predicates=_APPROVED)
        return bool(drug.key) and any(True for _ in self.library.evidence.facts(query))

    def prove(self, role: PartRole, text: str) -> Part | None:
        """Return a name that a model points at; None where it is neither known nor shaped so."""
        if role == "drug":
            match = self.library.resolver.resolve_drug(text)
            if match.key:
                return Part(text, match.key, match.label)
            stem = find_stem(text) if " " not in text and len(text) >= SHORTEST_NAME else None
            is_shaped = is_code(text) or (stem and len(stem.stem) >= SHORTEST_STEM)
            return Part(text, f"name:{fold_name(text)}", text) if is_shaped else None
        is_company = is_known(text) or self.library.resolver.resolve("company", text).key
        return Part(text, company_group(text), text) if is_company else None

    def _list(
        self, text: str, entities: Sequence[EntitySpan], focus: Focus, is_own: bool
    ) -> Iterator[Thing]:
        """Yield things, the surer first."""
        for name in focus.spellings:
            for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
                yield _with_form(text, *match.span(), Part("", focus.company, focus.company))
        if is_own:
            for match in _OWN.finditer(text):
                yield Thing("COMPANY", *match.span(), Part("", focus.company, focus.company))
        for name in focus.unlisted:
            for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE):
                yield Thing("DRUG", *match.span(), Part("", f"name:{fold_name(name)}", name))
        yield from self._list_companies(text)
        for kind in _SLOTS:
            for entity in entities:
                if entity.kind == kind:
                    yield from _of_entity(text, entity)
            if kind == "trial":
                yield from _list_values(text)
        spaced = (code for code in _SPACED.finditer(text) if owner_of_code(code[0]))
        for match in (*_CODE.finditer(text), *spaced):
            is_target = self.library.resolver.resolve("target", match[0]).key
            if is_code(match[0]) and not is_target and not _NO_DRUG.match(text, match.end()):
                key = f"name:{fold_name(match[0])}"
                yield Thing("DRUG", *match.span(), Part("", key, match[0]))

    def _list_companies(self, text: str) -> Iterator[Thing]:
        """Yield companies that no table has, but records of the evidence."""
        for run in _CAPITALIZED.finditer(text):
            words = list(_WORD.finditer(text, *run.span()))
            spans = combinations(range(len(words) + 1), 2)
            for first, last in sorted(spans, key=lambda span: (span[0] - span[1], span)):
                start, end = words[first].start(), words[last - 1].end()
                said = text[start:end].removesuffix("'")
                end = start + len(said)
                is_name = len(said) >= SHORTEST_COMPANY and not _GENERAL.fullmatch(said)
                if is_name and fold_name(said) in self._spelled:
                    yield _with_form(text, start, end, Part("", company_group(said), said))

    @cached_property
    def _spelled(self) -> frozenset[str]:
        return frozenset(self.library.evidence.spellings("company"))


def _of_entity(text: str, entity: EntitySpan) -> Iterator[Thing]:
    part = Part("", entity.key, entity.name)
    if entity.kind == "company":
        yield _with_form(text, entity.start, entity.end, part)
        return
    end, said = entity.end, text[entity.start : entity.end]
    is_open = said.count("(") > said.count(")") and text.startswith(")", end)
    is_abbreviation = _US.search(said) and text.startswith(".", end)
    yield Thing(_SLOTS[entity.kind], entity.start, end + bool(is_open or is_abbreviation), part)


def _with_form(text: str, start: int, end: int, part: Part) -> Thing:
    """Return a company with its legal form and ticker; the stop of a sentence is none of it."""
    match = _FORM.match(text, end)
    last = match.end() if match else end
    if text[end:last] == "." and not text[start:end].endswith(("Inc", "Ltd", "Corp", "Co")):
        last = end
    return Thing("COMPANY", start, last, part)


def _short_names(things: Iterable[Thing]) -> dict[str, Part]:
    """Return companies by the name that is left of them: "Verve" of "Verve Therapeutics"."""
    short: dict[str, Part] = {}
    for part in (thing.part for thing in things if thing.slot == "COMPANY"):
        name = _GENERAL_END.sub("", _FORM.sub("", part.text))
        if len(name) >= SHORTEST_NAME_OF_COMPANY and name != part.text and not is_plain(name):
            short[name] = part if short.get(name, part).key == part.key else Part("")
    return {name: part for name, part in short.items() if part.key}


def _list_short(text: str, short: Mapping[str, Part]) -> Iterator[Thing]:
    for name, part in short.items():
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield _with_form(text, *match.span(), part)


def _list_shaped(text: str, things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield names that nobody knows, but of the form of a company's: "Acme Therapeutics"."""
    for general in company_words().finditer(text):
        if not general[0][0].isupper():
            continue
        start = general.start()
        for word in list(_WORD.finditer(text[:start]))[: -MOST_WORDS - 1 : -1]:
            is_name = word[0][0].isupper() and word[0][-1].isalnum() and not is_plain(word[0])
            if not is_name or any(thing.meets(*word.span()) for thing in things):
                break
            start = word.start()
        if start < general.start():
            name = text[start : general.end()]
            yield _with_form(text, start, general.end(), Part("", SHAPED + fold_name(name), name))


def _list_values(text: str) -> Iterator[Thing]:
    """Yield amounts, days and stages."""
    for money in find_money(text):
        end = money.start + len(money.said)
        part = Part("", "", money.said, money.millions, money.currency)
        rate = _RATE.match(text, end)
        yield Thing("RATE" if rate else "MONEY", money.start, rate.end() if rate else end, part)
    spelled = _BEFORE_YEAR.sub(lambda match: match[0].casefold(), text)
    for day in find_days(_PART_OF_YEAR.sub(lambda match: f"{'in':{len(match[0])}}", spelled)):
        first, last = day.first.isoformat(), day.last.isoformat()
        is_month = first[:7] == last[:7]
        key = first if first == last else first[:7] if is_month else f"{first}/{last}"
        half = _HALF.search(text, 0, day.start)
        yield Thing("DAY", half.start() if half else day.start, day.end, Part("", key, day.said))
    for match in _RELATIVE.finditer(text):
        yield Thing("DAY", *match.span())
    for phase in find_phases(text):
        stage = "" if phase.is_phase4 else phase.stage
        yield Thing("STAGE", phase.start, phase.end, Part("", stage, phase.said))
    for match in _PRECLINICAL.finditer(text):
        yield Thing("STAGE", *match.span(), Part("", "PRECLINICAL", match[0]))


def _without_overlap(text: str, things: Sequence[Thing]) -> list[Thing]:
    """Return the surer of things that share characters, with the page's characters."""
    kept: list[Thing] = []
    for thing in things:
        if not any(other.meets(thing.start, thing.end) for other in kept):
            said = text[thing.start : thing.end]
            kept.append(replace(thing, part=replace(thing.part, text=said)))
    return kept
