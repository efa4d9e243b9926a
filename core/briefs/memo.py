"""What an answer says in sentences: claims by section, none shown that the records do not carry."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.briefs.records import MemoSection, SummaryClaim
from core.briefs.subjects import Subject
from core.evidence.proof.citations import Cite
from core.evidence.proof.claim_checks import Ground, check_claims
from core.evidence.proof.claims import Claim, Figure, count_of, render_claim
from core.records.evidence import Fact, Record
from core.records.stages import STAGE_WORDS
from core.vocabulary.sources import is_accepted
from core.vocabulary.stages import PHASES

CURATED = "curator-entered"
"""Said of a fact that no source but the curators' own rows carries."""
UNCONFIRMED = "not confirmed"
"""Said of a fact that no source but pages that a person accepted carries."""
_MARKUP = re.compile(r"([\\`*_<>|~$])")


@dataclass(frozen=True)
class Section:
    """A heading and what says its claims from what was found.

    Attributes:
        title: The heading.
        say: Yields its claims.
        is_fixed: Whether their order is the rules', with a language model, too.
    """

    title: str
    say: Callable[[Any], Iterable[Claim]]
    is_fixed: bool = False


@dataclass(frozen=True)
class Memo:
    """Sections with their claims.

    Attributes:
        sections: Heading and claims, in reading order.
        dropped: Claims that failed the check and are not shown.
    """

    sections: tuple[tuple[str, tuple[Claim, ...]], ...]
    dropped: tuple[Claim, ...] = ()

    @property
    def claims(self) -> list[Claim]:
        """Return all claims in reading order."""
        return [claim for _, claims in self.sections for claim in claims]


def compose(sections: Iterable[Section], source: object) -> Memo:
    """Return what the sections say, not yet proved."""
    return Memo(tuple((section.title, tuple(section.say(source))) for section in sections))


def prove(memo: Memo, ground: Ground) -> Memo:
    """Return a memo without the claims that the cited records do not carry."""
    faulty = {id(fault.claim) for fault in check_claims(memo.claims, ground)}
    sections = tuple(
        (title, tuple(claim for claim in claims if id(claim) not in faulty))
        for title, claims in memo.sections
    )
    return Memo(sections, tuple(claim for claim in memo.claims if id(claim) in faulty))


def make_ground(
    subjects: Sequence[Subject],
    records: Mapping[str, Record],
    names: Iterable[str] = (),
    words: Iterable[str] = (),
    facts: Mapping[int, Fact] | None = None,
) -> Ground:
    """Return what claims are held against."""
    records_by_name: dict[str, set[str]] = {name: set(records) for name in names}
    for subject in subjects:
        for name, record_ids in subject.names().items():
            records_by_name.setdefault(name, set()).update(record_ids)
    return Ground(
        records=records,
        facts=facts or {},
        names={name: frozenset(record_ids) for name, record_ids in records_by_name.items()},
        words=frozenset([*words, *_words(subjects)]),
    )


def _words(subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield phrases with digits that state nothing: stages, and what the subjects have."""
    yield from PHASES
    yield from (phase.lower() for phase in PHASES)
    yield from STAGE_WORDS.values()
    for subject in subjects:
        yield from subject.words()


def tell_counts(groups: Mapping[str, Sequence[str]]) -> tuple[str, list[Figure]]:
    """Return how many things each group has, in words and as figures.

    Args:
        groups: Keys of the things by the words that name their group.

    >>> tell_counts({"approved": ["a", "b"], "phase 3": ["c"]})[0]
    '2 approved, 1 phase 3'
    """
    text = ", ".join(f"{len(keys)} {words}" for words, keys in groups.items())
    return text, [count_of(len(keys), keys) for keys in groups.values()]


def list_sections(memo: Memo, cite: Cite) -> list[MemoSection]:
    """Return the sections that say something as the wire has them, numbered in reading order."""
    return [
        MemoSection(title=title, claims=[_show(claim, cite) for claim in claims])
        for title, claims in memo.sections
        if claims
    ]


def _show(claim: Claim, cite: Cite) -> SummaryClaim:
    how_sure = _how_sure(claim, cite)
    if how_sure and UNCONFIRMED not in claim.text:
        claim = replace(claim, text=f"{claim.text.removesuffix('.')} ({how_sure}).")
    return SummaryClaim(
        text=render_claim(claim, cite.citations),
        kind=claim.kind,
        source_ids=cite.numbers(claim.record_ids),
    )


def _how_sure(claim: Claim, cite: Cite) -> str:
    """Return what a reader must know of a fact; its first record is the one that states it."""
    others = [record_id for record_id in claim.record_ids if not is_accepted(record_id)]
    has_accepted = len(others) < len(claim.record_ids)
    if claim.kind != "fact":
        return ""
    if claim.record_ids[:1] and is_accepted(claim.record_ids[0]):
        return UNCONFIRMED
    if all(_is_curated(record_id, cite) for record_id in others):
        return UNCONFIRMED if has_accepted else CURATED
    return ""


def _is_curated(record_id: str, cite: Cite) -> bool:
    """Return whether a record is a row that a curator wrote without naming a source."""
    record = cite.records[record_id]
    return record.source == "pack" and not record.url


def as_markdown(sections: Iterable[MemoSection]) -> str:
    """Return sections as Markdown in which names and quotations are no Markdown and no HTML."""
    parts = [
        "\n".join(
            [f"## {section.title}\n", *(f"- {escape(claim.text)}" for claim in section.claims)]
        )
        for section in sections
    ]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Return a sentence in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", text)
