"""What a page says of the drugs and companies asked for: proposed by rules or a model, then proved.

Rules propose every sentence in which a cue stands; a language model only points at more. Both go
the same way: the quote stands in the page, its parts stand in the quote, drug and company are
known or shaped like a name, the table of cues confirms the relation, and nothing speaks against
it. What is shown are the page's characters.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import Field

from core.drafting.drafter import Drafter
from core.drafting.marking import LONGEST_EVIDENCE, on_one_line
from core.drafting.quotes import LONGEST, PageText, Place
from core.drafting.relations import (
    Part,
    PartRole,
    Relation,
    Slot,
    Statement,
    Thing,
    find_statements,
    find_unknown,
    is_word_of_cue,
    join_names,
    mask,
)
from core.records.model import ModelAnswer, Task
from core.records.names import fold_name
from core.records.stages import STAGES, Stage
from core.records.web import WebPage

MOST_ITEMS = 40
MOST_SENTENCES = 2_000
MOST_TOKENS = 2_500
HIGHEST: Stage = "PHASE3"
"""No page raises a drug above it."""
_BELOW = frozenset(STAGES[STAGES.index(HIGHEST) :])
_PAST = frozenset({"approved", "financing"})
"""Relations that no day to come can have."""
_AHEAD = frozenset({"decision_expected", "readout_expected"})
"""Relations that no day before the page's can have."""
SHAPED = "shaped:"
"""Begin of the key of a company that nobody knows but by the form of its name."""
_NAMES: tuple[PartRole, ...] = ("drug", "company", "partner")
SYSTEM = (
    "You help readers who decide about drugs. You get the sentences of one page. Point at what it "
    "states as fact about drugs and companies: who develops, licenses or acquires what, "
    "agreements, returned rights, the stage of a drug, expected readouts and decisions, results, "
    "approvals and refusals, ended programs, financings. For each, copy 20 to 400 characters of "
    "one sentence into 'quote', exactly as they stand, and copy each part from that quote. Leave "
    "out what is denied, only possible or planned, compared, or said of somebody else. Write "
    "nothing of your own."
)


@dataclass(frozen=True)
class Focus:
    """What is asked for; empty: whatever a page says.

    Attributes:
        drugs: Keys of drugs.
        companies: Groups of companies.
        diseases: Keys of diseases; with one of them in the sentence, any drug counts.
        company: The one company asked for, whose own pages may say "we".
        spellings: Names under which records write it.
        unlisted: Names of drugs that no register has, as records write them.
    """

    drugs: frozenset[str] = frozenset()
    companies: frozenset[str] = frozenset()
    diseases: frozenset[str] = frozenset()
    company: str = ""
    spellings: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether everything counts."""
        return not (self.drugs or self.companies or self.diseases)


class Names(Protocol):
    """Reads what sentences name."""

    def is_own(self, url: str, focus: Focus) -> bool:
        """Return whether an address is one of the company asked for."""
        ...

    def read(self, texts: Sequence[str], focus: Focus, *, is_own: bool) -> list[list[Thing]]:
        """Return what each sentence names, and its days, stages and amounts, without overlap."""
        ...

    def is_approved(self, drug: Part) -> bool:
        """Return whether a drug is approved anywhere."""
        ...

    def prove(self, role: PartRole, text: str) -> Part | None:
        """Return a name that a model points at; None where it is neither known nor shaped so."""
        ...


@dataclass(frozen=True)
class Finding:
    """A relation that a page states, with the quote that proves it.

    Attributes:
        relation: Which.
        says: It in words for a reader.
        quote: The page's characters.
        place: Where they stand.
        parts: Its parts.
    """

    relation: Relation
    says: str
    quote: str
    place: Place
    parts: Mapping[PartRole, Part]

    def part(self, role: PartRole) -> Part:
        """Return a part; an empty one where it has none."""
        return self.parts.get(role, Part(""))

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what two quotes of one fact share."""
        named = (self.part(role) for role in (*_NAMES, "stage", "amount", "date"))
        return (self.relation, self.says, *(fold_name(part.key or part.text) for part in named))


@dataclass
class PageFindings:
    """What a page came to.

    Attributes:
        page: The page.
        is_own: Whether it is a page of the company asked for.
        findings: What is proved, in the page's order.
        refused: Proposals that failed their proof, by reason.
    """

    page: WebPage
    is_own: bool = False
    findings: list[Finding] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


class PointedPart(ModelAnswer):
    """A part of a quote."""

    role: PartRole
    text: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Pointed(ModelAnswer):
    """A passage that a model points at."""

    relation: Relation
    quote: Annotated[str, Field(max_length=LONGEST)]
    parts: Annotated[list[PointedPart], Field(max_length=12)]


class FoundOnPage(ModelAnswer):
    """What a model points at on a page."""

    items: Annotated[list[Pointed], Field(max_length=MOST_ITEMS)]


class _Refused(Exception):  # noqa: N818 - a proposal that fails its proof, with the reason
    """Why a proposal is not taken."""


def find_on_page(
    page: WebPage, focus: Focus, names: Names, drafter: Drafter | None = None
) -> PageFindings:
    """Return what a page states about what is asked for, each with its quote.

    Args:
        page: Its text is data, whatever it says.
        focus: What is asked for.
        names: Reads what sentences name.
        drafter: Asks a language model to point at more; None: rules alone.
    """
    reading = _Reading(page, focus, names)
    reading.take_all()
    if drafter is not None and "web" in drafter.tasks and reading.sentences:
        answer = drafter.ask(_make_task(page, reading.words))
        before = len(reading.result.findings)
        for item in answer.items if answer else ():
            try:
                reading.take_pointed(item)
            except _Refused as reason:
                reading.result.refused[str(reason)] += 1
        if len(reading.result.findings) > before:
            drafter.note_use("web")
    reading.result.findings.sort(key=lambda finding: finding.place.start)
    return reading.result


def _make_task(page: WebPage, sentences: Sequence[str]) -> Task[FoundOnPage]:
    """Return the task of a page; sentences beyond what one task may send are left out."""
    evidence = f"PAGE: {on_one_line(page.title)[:300]}"
    for sentence in sentences:
        longer = f"{evidence}\n{on_one_line(sentence)}"
        if len(longer) > LONGEST_EVIDENCE:
            break
        evidence = longer
    return Task("web", SYSTEM, evidence, FoundOnPage, MOST_TOKENS)


class _Reading:
    """A page as it is read, sentence by sentence."""

    def __init__(self, page: WebPage, focus: Focus, names: Names) -> None:
        self.focus, self.names = focus, names
        self.text = PageText(page.text)
        self.sentences = self.text.sentences[:MOST_SENTENCES]
        self.words = [
            self.text.text[place.start : place.end].replace("\n", " ") for place in self.sentences
        ]
        self.result = PageFindings(page, names.is_own(page.url, focus))
        self.things = names.read(self.words, focus, is_own=self.result.is_own)
        self._taken: dict[tuple[str, ...], int] = {}

    def take_all(self) -> None:
        """Take what the rules read."""
        for number, known in enumerate(self.things):
            things = self._with_unknown(number, known)
            reasons: set[str] = set()
            for statement in find_statements(mask(self.words[number], things)):
                try:
                    self._take(number, statement, things)
                except _Refused as reason:
                    reasons.add(str(reason))
            self.result.refused.update(sorted(reasons))

    def take_pointed(self, item: Pointed) -> None:
        """Take what a model points at. Raises _Refused."""
        place = self.text.bind(item.quote)
        sentence = self.text.sentence_at(place) if place else None
        if place is None or sentence is None or sentence not in self.sentences:
            raise _Refused("quote_not_in_page")
        number = self.sentences.index(sentence)
        parts = self._bind_parts(item.parts, place, sentence.start)
        things = self._with_unknown(number, self._with_names(number, parts))
        within = Place(place.start - sentence.start, place.end - sentence.start)
        reason = "no_cue"
        for statement in find_statements(mask(self.words[number], things), item.relation):
            try:
                self._compare(statement, things, parts, within)
                self._take(number, statement, things)
            except _Refused as failure:
                reason = str(failure)
            else:
                return
        raise _Refused(reason)

    def _bind_parts(
        self, pointed: Sequence[PointedPart], quote: Place, start: int
    ) -> dict[PartRole, Place]:
        """Return where the parts of a quote stand in its sentence. Raises _Refused."""
        parts: dict[PartRole, Place] = {}
        for part in pointed:
            match = next(self.text.find(part.text, quote), None)
            if match is None:
                raise _Refused("part_not_in_quote")
            if part.role in parts:
                raise _Refused("part_twice")
            parts[part.role] = Place(match.start - start, match.end - start)
        if not parts.keys() & {*_NAMES}:
            raise _Refused("no_name")
        return parts

    def _with_names(self, number: int, parts: Mapping[PartRole, Place]) -> list[Thing]:
        """Return what a sentence names, with the names that a model points at. Raises _Refused."""
        things = list(self.things[number])
        for role, place in parts.items():
            if role not in _NAMES or any(thing.meets(place.start, place.end) for thing in things):
                continue
            part = self.names.prove(role, self.words[number][place.start : place.end])
            if part is None:
                raise _Refused(f"unknown_{'drug' if role == 'drug' else 'company'}")
            slot: Slot = "DRUG" if role == "drug" else "COMPANY"
            things.append(Thing(slot, place.start, place.end, part))
        return things

    def _with_unknown(self, number: int, things: Sequence[Thing]) -> list[Thing]:
        text = self.words[number]
        known = [thing for thing in things if not is_word_of_cue(thing)]
        every = [*known, *find_unknown(text, known)]
        return join_names(sorted(every, key=lambda thing: thing.start), text)

    def _take(self, number: int, statement: Statement, things: Sequence[Thing]) -> None:
        """Add what a sentence states. Raises _Refused."""
        if statement.refused:
            raise _Refused(statement.refused.replace(" ", "_"))
        parts = {role: things[at].part for role, at in statement.parts.items()}
        if not self._is_asked(parts, things):
            raise _Refused("not_asked")
        self._check(statement.relation, parts)
        place, begin = self.sentences[number], self.sentences[number].start
        if place.end - place.start > LONGEST:
            named = [things[at] for at in statement.parts.values()]
            first, last = min(x.start for x in named), max(x.end for x in named)
            place = Place(begin + first, begin + last)
            if last - first > LONGEST:
                raise _Refused("quote_too_long")
        quote = self.text.text[place.start : place.end]
        finding = Finding(statement.relation, statement.says, quote, place, parts)
        findings = self.result.findings
        at_number = self._taken.setdefault(finding.identity, len(findings))
        if at_number == len(findings):
            findings.append(finding)
        elif len(finding.parts) > len(findings[at_number].parts):
            findings[at_number] = finding

    def _check(self, relation: Relation, parts: Mapping[PartRole, Part]) -> None:
        """Raise _Refused where the parts of a relation are none that a page can prove."""
        if self.result.page.is_suspicious:
            raise _Refused("suspicious_page")
        if parts.get("company", Part("")).key.startswith(SHAPED):
            raise _Refused("unknown_company")
        if "stage" in parts and parts["stage"].key not in _BELOW:
            raise _Refused("above_phase_3")
        is_bare = relation == "stage" and "indication" not in parts
        if is_bare and self.names.is_approved(parts["drug"]):
            raise _Refused("approved_already")
        page, (first, _, last) = self.result.page, parts.get("date", Part("")).key.partition("/")
        if relation in _PAST and first > page.fetched_at.date().isoformat():
            raise _Refused("in_the_future")
        day, last = (page.published_on or page.fetched_at.date()).isoformat(), last or first
        if relation in _AHEAD and last and last < day[: len(last)]:
            raise _Refused("day_has_passed")

    def _is_asked(self, parts: Mapping[PartRole, Part], things: Sequence[Thing]) -> bool:
        """Return whether a finding is about what is asked for."""
        focus = self.focus
        if focus.is_open or self.result.is_own:
            return True
        named = {parts[role].key for role in _NAMES if role in parts}
        if named & (focus.companies | focus.drugs):
            return True
        companies = {thing.part.key for thing in things if thing.slot == "COMPANY"}
        if "drug" in parts and len(companies) == 1 and companies <= focus.companies:
            return True
        diseases = {thing.part.key for thing in things if thing.slot == "DISEASE"}
        return "drug" in parts and bool(diseases & focus.diseases)

    def _compare(
        self,
        statement: Statement,
        things: Sequence[Thing],
        pointed: Mapping[PartRole, Place],
        within: Place,
    ) -> None:
        """Raise _Refused where the parts that a model points at are not those of the statement."""
        for role, at in statement.parts.items():
            thing = things[at]
            if role in _NAMES and not (within.start <= thing.start and thing.end <= within.end):
                raise _Refused("part_outside_quote")
            if role in pointed and not self._is_thing(role, thing, pointed[role]):
                raise _Refused("part_of_another_role")
        if any(role in pointed and role not in statement.parts for role in _NAMES):
            raise _Refused("part_of_another_role")

    def _is_thing(self, role: PartRole, thing: Thing, place: Place) -> bool:
        """Return whether words that a model points at are a thing, or another name of it."""
        if not (thing.start <= place.start and place.end <= thing.end):
            return False
        offset = place.start - thing.start
        words = thing.part.text[offset : offset + place.end - place.start]
        if role not in _NAMES or words == thing.part.text:
            return True
        if role != "drug":
            return offset == 0
        part = self.names.prove(role, words)
        return part is not None and part.key == thing.part.key
