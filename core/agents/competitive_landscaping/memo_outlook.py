"""Memo: the twelve months ahead, and where the field is crowded and open."""

from collections.abc import Iterator, Mapping

from core.agents.competitive_landscaping.survey import (
    Landscape,
    Survey,
    listed,
    with_owner,
)
from core.briefs.crowding import TARGET_UNKNOWN, Event
from core.evidence.proof.claims import Claim, Figure, count_of, make_claim, unmark
from core.evidence.readers.questions.parsed import ParsedText
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


def say_events(survey: Survey) -> list[Claim]:
    """Say which active trials complete within a year."""
    if not survey.found.events:
        if not survey.found.subjects:
            return []
        text = "No active trial found has its primary completion in the next twelve months."
        return [make_claim(text, "rule")]
    return [_say_event(event) for event in survey.found.events[:MOST_EVENTS]]


def _say_event(event: Event) -> Claim:
    named, names = with_owner(event.drug)
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


def say_room(survey: Survey) -> list[Claim]:
    """Say where it is crowded, who holds the field, and where it is open."""
    found = survey.found
    return [*_say_crowded(found, survey.asked.described), *_say_held(found), *_say_open(found)]


def _say_crowded(found: Landscape, described: ParsedText | None) -> Iterator[Claim]:
    """Say where most drugs are, in the diseases of the candidate asset first."""
    labels = {disease.label for disease in described.diseases} if described else set()
    known = [one for one in found.places if one.target != TARGET_UNKNOWN]
    crowded = [one for one in known if len(one.drugs) >= FEWEST_CROWDED]
    crowded.sort(key=lambda one: one.indication not in labels)
    for place in crowded[:MOST_PLACES]:
        number = len(place.drugs)
        text = (
            f"Crowded: {number} drugs on {place.target} are {_AT[place.band]} in "
            f"{unmark(place.indication)}, among them {listed(place.drugs, 3)}."
        )
        names = place.drugs[:3]
        figures = [count_of(number, place.drugs)]
        yield make_claim(text, "computed", place.record_ids[:3], figures=figures, names=names)


def _say_held(found: Landscape) -> Iterator[Claim]:
    """Say how concentrated the field is."""
    if found.hhi is None or not found.shares:
        return
    total = sum(len(share.drugs) for share in found.shares)
    first = found.shares[0]
    numbers = tuple(len(share.drugs) / total for share in found.shares)
    word = "concentrated" if found.hhi > CONCENTRATED else "fragmented"
    shown = f"{found.hhi:.2f}"
    if len(first.drugs) < FEWEST_HELD:
        return
    text = (
        f"Concentration (HHI) {shown}, {word}: {len(found.shares)} companies have {total} drugs; "
        f"{first.company} has most ({len(first.drugs)})."
    )
    figures = [
        count_of(len(found.shares), [share.company for share in found.shares]),
        count_of(
            total, [f"{share.company}/{drug}" for share in found.shares for drug in share.drugs]
        ),
        Figure(shown, sum(n**2 for n in numbers), operation="sum of squares", inputs=numbers),
        count_of(len(first.drugs), first.drugs),
    ]
    ids = first.record_ids[:3]
    if ids:
        yield make_claim(text, "computed", ids, figures=figures, names=[first.company])


def _say_open(found: Landscape) -> Iterator[Claim]:
    for one in found.opens[:MOST_OPEN]:
        if one.record_ids:
            names = [name for name in _names(found) if name in one.reason]
            text = f"Open: {unmark(one.indication)}, {one.reason}."
            yield make_claim(text, "computed", one.record_ids, names=names)


def _names(found: Landscape) -> list[str]:
    return [subject.name for subject in found.subjects]
