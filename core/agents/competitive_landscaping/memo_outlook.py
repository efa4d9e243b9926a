"""Memo: the twelve months ahead, and where the field is crowded and open."""

from collections.abc import Iterator, Mapping

from core.agents.competitive_landscaping.survey import (
    Landscape,
    Survey,
    listed,
    with_owner,
)
from core.briefs.crowding import TARGET_UNKNOWN, Event, years_from
from core.briefs.portfolio.catalysts import last_day
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
    """Say which decisions are overdue or due, and which active trials complete within a year."""
    dates = [*_say_target_dates(survey)]
    if not survey.found.events:
        if not survey.found.subjects:
            return []
        text = "No active trial found has its primary completion in the next twelve months."
        return [*dates, make_claim(text, "rule")]
    return [*dates, *(_say_event(event) for event in survey.found.events[:MOST_EVENTS])]


def _say_target_dates(survey: Survey) -> Iterator[Claim]:
    """Yield the target action dates of the uses asked about, overdue ones first."""
    today = survey.as_of.isoformat()
    end = years_from(survey.as_of, 1)
    dated = [
        (due, drug, uses[due.record_id])
        for drug in survey.found.subjects
        if (
            uses := {
                record_id: program.indication
                for program in drug.programs
                for stated in program.stages
                for record_id in stated.statement.record_ids
            }
        )
        for due in drug.asset.target_dates
        if due.due_on <= end and due.record_id in uses
    ]
    dated.sort(key=lambda entry: (entry[0].due_on, entry[1].name))
    for due, drug, use in dated[:MOST_EVENTS]:
        named, names = with_owner(drug)
        is_plain = due.indication and not any(sign.isdecimal() for sign in due.indication)
        where = unmark(due.indication if is_plain else use)
        what = f"{due.region} target action date"
        text = f"{due.due_on}: {named}, {what}, {where}."
        if last_day(due.due_on).isoformat() < today:
            text = f"Overdue: {what} {due.due_on} for {named}, {where}; no result reported."
        figure = Figure(due.due_on, record_id=due.record_id)
        ids = [due.record_id]
        yield make_claim(text, "fact", ids, figures=[figure], names=names, words=(what, where))


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
