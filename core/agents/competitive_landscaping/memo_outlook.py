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
    landscape = survey.found
    return [
        *_say_crowded(landscape, survey.asked.described),
        *_say_held(landscape),
        *_say_open(landscape),
    ]


def _say_crowded(landscape: Landscape, described: ParsedText | None) -> Iterator[Claim]:
    """Say where most drugs are, in the diseases of the candidate asset first."""
    labels = {disease.label for disease in described.diseases} if described else set()
    known_niches = [niche for niche in landscape.places if niche.target != TARGET_UNKNOWN]
    crowded = [nich for nich in known_niches if len(nich.drugs) >= FEWEST_CROWDED]
    crowded.sort(key=lambda niche: niche.indication not in labels)
    for niche in crowded[:MOST_PLACES]:
        number = len(niche.drugs)
        text = (
            f"Crowded: {number} drugs on {niche.target} are {_AT[niche.band]} in "
            f"{unmark(niche.indication)}, among them {listed(niche.drugs, 3)}."
        )
        names = niche.drugs[:3]
        figures = [count_of(number, niche.drugs)]
        yield make_claim(text, "computed", niche.record_ids[:3], figures=figures, names=names)


def _say_held(landscape: Landscape) -> Iterator[Claim]:
    """Say how concentrated the field is."""
    if landscape.hhi is None or not landscape.shares:
        return
    total = sum(len(share.drugs) for share in landscape.shares)
    first = landscape.shares[0]
    numbers = tuple(len(share.drugs) / total for share in landscape.shares)
    word = "concentrated" if landscape.hhi > CONCENTRATED else "fragmented"
    shown = f"{landscape.hhi:.2f}"
    if len(first.drugs) < FEWEST_HELD:
        return
    text = (
        f"Concentration (HHI) {shown}, {word}: {len(landscape.shares)} companies have {total} "
        f"drugs; {first.company} has most ({len(first.drugs)})."
    )
    figures = [
        count_of(len(landscape.shares), [share.company for share in landscape.shares]),
        count_of(
            total, [f"{share.company}/{drug}" for share in landscape.shares for drug in share.drugs]
        ),
        Figure(shown, sum(n**2 for n in numbers), operation="sum of squares", inputs=numbers),
        count_of(len(first.drugs), first.drugs),
    ]
    ids = first.record_ids[:3]
    if ids:
        yield make_claim(text, "computed", ids, figures=figures, names=[first.company])


def _say_open(landscape: Landscape) -> Iterator[Claim]:
    for gap in landscape.opens[:MOST_OPEN]:
        if gap.record_ids:
            names = [
                name
                for name in [subject.name for subject in landscape.subjects]
                if name in gap.reason
            ]
            text = f"Open: {unmark(gap.indication)}, {gap.reason}."
            yield make_claim(text, "computed", gap.record_ids, names=names)
