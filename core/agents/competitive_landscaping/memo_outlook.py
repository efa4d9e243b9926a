"""Memo: the twelve months ahead, and where the field is crowded and open."""

from collections.abc import Iterator, Mapping

from core.agents.competitive_landscaping.crowding import TARGET_UNKNOWN, Event
from core.agents.competitive_landscaping.memo_input import (
    MemoInput,
    listed,
    with_owner,
)
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.records.stages import phase_words
from core.vocabulary.stages import PhaseBand

MOST_EVENTS = 8
MOST_PLACES = 3
MOST_OPEN = 4
FEWEST_CROWDED = 3
FEWEST_HELD = 2
"""Drugs of the first company from which on a share says anything."""
CONCENTRATED = 0.25
"""Sum of squared shares above which competition authorities speak of a concentrated field."""


_AT: Mapping[PhaseBand, str] = {
    "Approved": "approved",
    "Filed": "filed",
    "Phase 3": "at phase 3",
    "Phase 2": "at phase 2",
    "Phase 1": "at phase 1",
    "Preclinical": "before clinical trials",
}


def say_events(memo: MemoInput) -> list[Claim]:
    """Say which active trials complete within a year."""
    if not memo.events:
        if not memo.ranked:
            return []
        text = "No active trial on record has its primary completion in the next twelve months."
        return [make_claim(text, "rule")]
    return [_say_event(one) for one in memo.events[:MOST_EVENTS]]


def _say_event(event: Event) -> Claim:
    named, names = with_owner(event.candidate)
    trial = event.trial
    phase = phase_words(trial.phase)
    where = unmark(event.program.indication) or "an indication that is not named"
    kind = f"{phase} trial" if phase else "trial"
    text = (
        f"{trial.primary_completion_on}: {named}, primary completion of {kind} {trial.number} "
        f"in {where}."
    )
    figure = Figure(trial.primary_completion_on, record_id=trial.record_id)
    return make_claim(
        text,
        "fact",
        [trial.record_id],
        figures=[figure],
        names=[*names, trial.number],
        words=(kind, where),
    )


def say_room(memo: MemoInput) -> list[Claim]:
    """Say where it is crowded, who holds the field, and where it is open."""
    return [*_say_crowded(memo), *_say_held(memo), *_say_open(memo)]


def _say_crowded(memo: MemoInput) -> Iterator[Claim]:
    wanted = {one.key for one in memo.described.diseases} if memo.described else set()
    labels = {one.label for one in memo.described.diseases} if memo.described else set()
    known = [one for one in memo.places if one.target != TARGET_UNKNOWN]
    crowded = [one for one in known if len(one.drugs) >= FEWEST_CROWDED]
    crowded.sort(key=lambda one: not (wanted and one.indication in labels))
    for place in crowded[:MOST_PLACES]:
        number = len(place.drugs)
        text = (
            f"Crowded: {number} drugs on {place.target} are {_AT[place.band]} in "
            f"{unmark(place.indication)}, among them {listed(place.drugs, 3)}."
        )
        names = place.drugs[:3]
        figures = [count_of(number, place.drugs)]
        yield make_claim(text, "computed", place.record_ids[:3], figures=figures, names=names)


def _say_held(memo: MemoInput) -> Iterator[Claim]:
    """Say how concentrated the field is."""
    if memo.hhi is None or not memo.shares:
        return
    total = sum(len(one.drugs) for one in memo.shares)
    first = memo.shares[0]
    numbers = tuple(len(one.drugs) / total for one in memo.shares)
    word = "concentrated" if memo.hhi > CONCENTRATED else "spread out"
    shown = f"{memo.hhi:.2f}"
    if len(first.drugs) < FEWEST_HELD:
        return
    text = (
        f"The field is {word}: {len(memo.shares)} companies hold {total} drugs, sum of squared "
        f"shares {shown}; {first.company} holds most ({len(first.drugs)})."
    )
    figures = [
        count_of(len(memo.shares), [one.company for one in memo.shares]),
        count_of(total, [f"{one.company}/{drug}" for one in memo.shares for drug in one.drugs]),
        Figure(shown, sum(n**2 for n in numbers), operation="sum of squares", inputs=numbers),
        count_of(len(first.drugs), first.drugs),
    ]
    ids = first.record_ids[:3]
    if ids:
        yield make_claim(text, "computed", ids, figures=figures, names=[first.company])


def _say_open(memo: MemoInput) -> Iterator[Claim]:
    for one in memo.opens[:MOST_OPEN]:
        if one.record_ids:
            names = [name for name in _names(memo) if name in one.reason]
            text = f"Open: {unmark(one.indication)}, {one.reason}."
            yield make_claim(text, "computed", one.record_ids, names=names)


def _names(memo: MemoInput) -> list[str]:
    return [one.asset.name for one in memo.candidates]
