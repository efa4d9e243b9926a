"""The memo: claims by section, checked, then rendered with numbered citations."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.agents.competitive_landscaping.completeness import INTERVAL, NEEDED, say_complete
from core.agents.competitive_landscaping.memo_figures import say_failed, say_to_beat
from core.agents.competitive_landscaping.memo_input import MemoInput
from core.agents.competitive_landscaping.memo_lead import say_ahead, say_understood
from core.agents.competitive_landscaping.memo_outlook import say_events, say_room
from core.evidence.assets.roles import owners_of
from core.evidence.proof.citations import Citations
from core.evidence.proof.claim_checks import Ground, check_claims
from core.evidence.proof.claims import Claim, render_claim, unmark
from core.records.evidence import Record
from core.records.stages import STAGE_WORDS

_MARKUP = re.compile(r"([\\`*_<>|~$])")
SECTIONS = (
    ("What was asked", say_understood),
    ("Who is ahead", say_ahead),
    ("What a candidate must beat", say_to_beat),
    ("Who stopped, and why", say_failed),
    ("The next twelve months", say_events),
    ("Where it is crowded, where it is open", say_room),
    ("How complete this is", lambda memo: say_complete(memo.lists)),
)


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


def compose(memo: MemoInput) -> Memo:
    """Return the claims of every section."""
    return Memo(tuple((title, tuple(say(memo))) for title, say in SECTIONS))


def check(memo: Memo, ground: Ground) -> Memo:
    """Return the memo without claims that the cited records do not carry."""
    faulty = {id(fault.claim) for fault in check_claims(memo.claims, ground)}
    sections = tuple(
        (title, tuple(claim for claim in claims if id(claim) not in faulty))
        for title, claims in memo.sections
    )
    return Memo(sections, tuple(claim for claim in memo.claims if id(claim) in faulty))


def make_ground(memo: MemoInput, records: Mapping[str, Record]) -> Ground:
    """Return what the memo's claims are held against.

    Args:
        memo: What it was written from.
        records: Records of the answer by id.
    """
    names: dict[str, set[str]] = {}
    for candidate in memo.candidates:
        asset = candidate.asset
        trials = {trial.record_id for one in asset.programs for trial in one.trials}
        known = {*asset.record_ids, *trials}
        for name in (asset.name, *owners_of(asset)):
            names.setdefault(name, set()).update(known)
        for program in asset.programs:
            for trial in program.trials:
                names.setdefault(trial.number, set()).add(trial.record_id)
    return Ground(
        records=records,
        facts=memo.facts,
        names={name: frozenset(found) for name, found in names.items()},
        words=frozenset(_words(memo)),
    )


def _words(memo: MemoInput) -> Iterable[str]:
    """Yield phrases with digits that state nothing: names of targets, diseases, kinds, stages."""
    for parsed in filter(None, (memo.scope.parsed, memo.described)):
        yield unmark(parsed.text)
        yield from (target.text for target in parsed.targets)
        yield from (unmark(named.label) for named in (*parsed.diseases, *parsed.drugs))
        yield from (*parsed.modalities, *parsed.not_modalities, *parsed.biomarkers, *parsed.lines)
    yield from (unmark(place.target) for place in memo.places)
    yield from (place.band.lower() for place in memo.places)
    yield from STAGE_WORDS.values()
    yield memo.scope.label
    for candidate in memo.candidates:
        yield from (unmark(one.indication) for one in candidate.asset.programs)
    yield "phase 2 or later"
    yield "before phase 2"
    yield "phase 4"
    yield "HbA1c"
    yield from (INTERVAL, NEEDED)


def render(memo: Memo, citations: Citations) -> str:
    """Return the memo as Markdown; a section without a claim is left out."""
    parts = [
        f"## {title}\n\n"
        + "\n".join(f"- {escape(render_claim(claim, citations))}" for claim in claims)
        for title, claims in memo.sections
        if claims
    ]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Return a sentence in which names and quotations are no Markdown and no HTML."""
    return _MARKUP.sub(r"\\\1", text)
