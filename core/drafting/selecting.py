"""Which sentences lead an answer, and their order: by id, out of those that are proved.

Nothing is taken out of a memo: a sentence that is not chosen follows the chosen ones of its
section. A caveat stands behind the figures that need it, and what a sentence refers to before it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from core.drafting.drafter import Drafter
from core.drafting.marking import LONGEST_EVIDENCE, on_one_line
from core.evidence.proof.claims import Claim
from core.records.model import ModelAnswer, Task

Join = Literal["", "and", "while", "whereas", "also"]
FEWEST_CLAIMS = 3
"""Fewer sentences have no order worth asking for."""
MOST_LEAD = 3
MOST_TOKENS = 1_200
LONGEST_QUESTION = 1_500
Sections = Sequence[tuple[str, Sequence[Claim]]]
SYSTEM = (
    "You help readers who decide about drugs. You get a question and numbered sentences of the "
    "answer, by section. Choose in 'lead' the one to three sentences that answer the question "
    "best. List in 'lines' sentences in the order in which they matter for the question; 'join' "
    "may connect a sentence to the one before it in the same section. Use each number at most "
    "once in each list. Set 'answers' to false if no sentence answers the question."
)


class Line(ModelAnswer):
    """A sentence at its place."""

    claim: str
    join: Join = ""


class Draft(ModelAnswer):
    """What a model chooses; the task narrows the ids to those that were sent."""

    lead: list[str]
    lines: list[Line]
    answers: bool


@dataclass(frozen=True)
class Selection:
    """The order of an answer's sentences; numbers count the claims of all sections.

    Attributes:
        lead: The sentences that lead, with what they need.
        order: The sentences of each section.
        joins: Words that connect a sentence with the one before it.
    """

    lead: tuple[int, ...]
    order: tuple[tuple[int, ...], ...]
    joins: Mapping[int, Join] = field(default_factory=dict)


def select(
    question: str, sections: Sections, drafter: Drafter, fixed: Collection[str] = ()
) -> Selection | None:
    """Return the order that a model chooses; None where the order by rules stands.

    Args:
        question: The request in words.
        sections: Title and proved claims, in reading order.
        drafter: Asks the model.
        fixed: Titles of sections whose order is the rules'.
    """
    claims = [claim for _, section in sections for claim in section]
    if len(claims) < FEWEST_CLAIMS:
        return None
    evidence = _list_evidence(question, sections)
    if len(evidence) > LONGEST_EVIDENCE:
        return None
    draft = drafter.ask(_make_task(evidence, len(claims)))
    if draft is None or not draft.answers:
        return None
    numbers = {f"c{number}": number - 1 for number in range(1, len(claims) + 1)}
    picked = [numbers[key] for key in (*draft.lead, *(line.claim for line in draft.lines))]
    needs = find_needs(claims)
    order = tuple(
        tuple(group if title in fixed else _arrange(group, picked, needs))
        for (title, _), group in zip(sections, _number(sections), strict=True)
    )
    joins = {numbers[line.claim]: line.join for line in draft.lines if line.join}
    drafter.note_use("select")
    return Selection(_with_needs([numbers[key] for key in draft.lead], needs), order, joins)


def _list_evidence(question: str, sections: Sections) -> str:
    """Return the question and the numbered sentences as a model reads them."""
    lines = [f"QUESTION: {on_one_line(question)[:LONGEST_QUESTION]}"]
    number = 0
    for title, claims in sections:
        lines += [f"SECTION: {on_one_line(title)}"] if claims else []
        for claim in claims:
            number += 1
            lines.append(f"c{number} ({claim.kind}) {on_one_line(claim.text)}")
    return "\n".join(lines)


def _make_task(evidence: str, n_claims: int) -> Task[Draft]:
    """Return the task whose ids are those of the sentences that are sent."""
    return Task("select", SYSTEM, evidence, _make_draft(n_claims), MOST_TOKENS, _check)


@lru_cache(maxsize=64)
def _make_draft(n_claims: int) -> type[Draft]:
    """Return the form of a choice among so many sentences."""
    ids: Any = Literal[tuple(f"c{number}" for number in range(1, n_claims + 1))]
    line: Any = create_model("Line", __base__=Line, claim=(ids, ...))
    lead: Any = Annotated[list[ids], Field(min_length=1, max_length=MOST_LEAD)]
    lines: Any = Annotated[list[line], Field(max_length=n_claims)]
    return create_model("Draft", __base__=Draft, lead=(lead, ...), lines=(lines, ...))


def _check(draft: Draft) -> str:
    """Return what is wrong with a choice."""
    for ids in (draft.lead, [line.claim for line in draft.lines]):
        if len(set(ids)) != len(ids):
            return "A number stands twice in one list."
    return ""


def _number(sections: Sections) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of each section's claims."""
    start = 0
    for _, claims in sections:
        yield tuple(range(start, start + len(claims)))
        start += len(claims)


def find_needs(claims: Sequence[Claim]) -> Mapping[int, tuple[int, ...]]:
    """Return for each claim the numbers of those that it needs, theirs among them, in order."""
    first: dict[str, int] = {}
    for number, claim in enumerate(claims):
        first.setdefault(claim.text, number)
    direct = {
        number: {first[text] for text in claim.needs if text in first} - {number}
        for number, claim in enumerate(claims)
    }
    needs: dict[int, tuple[int, ...]] = {}
    for number, wanted in direct.items():
        reached: set[int] = set()
        waiting = set(wanted)
        while waiting:
            reached |= waiting
            waiting = {far for near in waiting for far in direct[near]} - reached
        needs[number] = tuple(sorted(reached - {number}))
    return needs


def _with_needs(chosen: Sequence[int], needs: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Return sentences with what each needs: what it refers to before it, caveats at the end.

    A sentence with which there would be more than `MOST_LEAD` is left out.
    """
    lead: tuple[int, ...] = ()
    for end in range(1, len(chosen) + 1):
        taken = [number for number in chosen[:end] if number in lead or number == chosen[end - 1]]
        numbers = [each for number in taken for each in (*needs[number], number)]
        caveats = {need for number in taken for need in needs[number] if need > number}
        ordered = dict.fromkeys(number for number in numbers if number not in caveats)
        together = (*ordered, *sorted(caveats))
        lead = together if len(together) <= MOST_LEAD else lead
    return lead


def _arrange(
    group: Sequence[int], picked: Iterable[int], needs: Mapping[int, tuple[int, ...]]
) -> list[int]:
    """Return the sentences of a section: chosen ones first, each near what it needs.

    A caveat follows as soon as all the sentences that need it are written.
    """
    wanted = [number for number in dict.fromkeys([*picked, *group]) if number in group]
    users = {
        number: {user for user in group if number in needs[user] and user < number}
        for number in group
    }
    order: list[int] = []
    for number in wanted:
        for member in (*(need for need in needs[number] if need < number), number):
            if member in group and member not in order and users[member] <= {*order}:
                order.append(member)
        order += [
            caveat
            for caveat in group
            if caveat not in order and users[caveat] and users[caveat] <= {*order}
        ]
    return order


def join_sentences(first: str, second: str, join: Join) -> str:
    """Return two whole sentences, connected by a word where that reads well.

    Their words stay as they are but for the capital of a plain word.

    >>> join_sentences("3 drugs are approved [1].", "Two are in phase 3 [2].", "whereas")
    '3 drugs are approved [1], whereas two are in phase 3 [2].'
    >>> join_sentences("Phase 3: alphamab.", "Status: 3 active.", "and")
    'Phase 3: alphamab. Status: 3 active.'
    """
    if not join or ":" in first or ":" in second or not first.endswith("."):
        return f"{first} {second}"
    word, _, rest = second.partition(" ")
    plain = word.lower() if word in _PLAIN else word
    if join == "also":
        return f"{first} Also, {plain} {rest}"
    return f"{first.removesuffix('.')}, {join} {plain} {rest}"


_PLAIN = frozenset(
    {"A", "All", "By", "Each", "Found", "In", "No", "None", "Of", "One", "The", "Two"}
)
"""Words that begin a sentence and are no name."""
