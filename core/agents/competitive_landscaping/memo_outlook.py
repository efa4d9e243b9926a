"""Memo: what a candidate must beat, who failed, what comes next, and where the field is open."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.agents.competitive_landscaping.ranking import Ranked
from core.agents.competitive_landscaping.survey import (
    Landscape,
    Survey,
    listed,
    shares_target,
    with_owner,
)
from core.briefs.crowding import TARGET_UNKNOWN, Event, years_from
from core.briefs.figures import (
    ACROSS_TRIALS,
    Comparison,
    comparable,
    conditions,
    short_measure,
    value_text,
)
from core.briefs.portfolio.catalysts import last_day
from core.evidence.proof.claims import (
    Claim,
    Figure,
    count_of,
    figure_of,
    make_claim,
    unmark,
    with_caveats,
)
from core.evidence.readers.questions.parsed import ParsedText
from core.records.programs import Outcome, Program, ProgramTrial
from core.records.stages import STAGES, phase_words
from core.vocabulary.lines import lines_of
from core.vocabulary.stages import PhaseBand

MOST_FIGURES = 4
MOST_A_CLASS = 2
MOST_FAILURES = 6
FEWEST = 10
"""Participants from which on a figure may be called the best."""
LONGEST_REASON = 220


@dataclass(frozen=True)
class _Best:
    """The best figure of one class, unit, line and biomarker."""

    by: Comparison
    drug: Ranked
    outcome: Outcome
    n_drugs: int


def say_to_beat(survey: Survey) -> list[Claim]:
    """Say the best cited figures of equal endpoint, unit, line and biomarker."""
    if not survey.found.subjects:
        return []
    described = survey.asked.described
    groups: dict[Comparison, list[tuple[Ranked, Outcome]]] = defaultdict(list)
    for drug in survey.found.subjects:
        for outcome in drug.outcomes:
            by = comparable(outcome)
            small = outcome.n is not None and outcome.n < FEWEST
            if by is not None and outcome.kind == "efficacy" and not small:
                groups[by].append((drug, outcome))
    requested_lines = lines_of(
        (*survey.found.scope.parsed.lines, *(described.lines if described else ()))
    )
    ordered: list[tuple[tuple[object, ...], _Best]] = []
    for by, entries in groups.items():
        best = min(entries, key=lambda entry: _merit(entry[0], entry[1], by, survey))
        drugs = {drug.asset.key for drug, _ in entries}
        on_target = described is not None and shares_target(best[0], described)
        tie_breakers = (not best[1].is_primary, -(best[1].n or 0), str(by))
        order = (
            by.line not in requested_lines if requested_lines else False,
            not on_target,
            -len(drugs),
            *tie_breakers,
        )
        ordered.append((order, _Best(by, *best, len(drugs))))
    best_figures = _few_a_class([best for _, best in sorted(ordered, key=lambda entry: entry[0])])
    if not best_figures:
        return [make_claim("No comparable efficacy data found.", "rule")]
    claims = [_say_best(figure) for figure in best_figures[:MOST_FIGURES]]
    caveat = make_claim(
        f"These figures stand {ACROSS_TRIALS}: equal endpoint, unit, line and biomarker as far as "
        "the records say, other patients.",
        "rule",
    )
    return with_caveats(claims, [caveat])


def _merit(
    drug: Ranked, outcome: Outcome, by: Comparison, survey: Survey
) -> tuple[bool, float, str, str]:
    """Return the order of figures: those on the candidate's target first, then the better one."""
    described = survey.asked.described
    far = described is not None and not shares_target(drug, described)
    value = -outcome.value if by.is_higher_better else outcome.value
    return (far, value, drug.name, outcome.record_id)


def _few_a_class(best_figures: list[_Best]) -> list[_Best]:
    """Return the first figures of each class, which stand for other lines or biomarkers."""
    seen: Counter[str] = Counter()
    kept_best_figures: list[_Best] = []
    for figure in best_figures:
        seen[figure.by.endpoint] += 1
        if seen[figure.by.endpoint] <= MOST_A_CLASS:
            kept_best_figures.append(figure)
    return kept_best_figures


def _say_best(best: _Best) -> Claim:
    """Say a figure with its conditions."""
    outcome = best.outcome
    named, names = with_owner(best.drug)
    size = f" (n={outcome.n:,})" if outcome.n else ""
    shown = value_text(outcome)
    parts = conditions(outcome)
    where = f", {', '.join(parts)}" if parts else ""
    measure = short_measure(outcome)
    best_word = "highest" if best.by.is_higher_better else "lowest"
    best_word = best_word if best.n_drugs > 1 else "only one"
    text = (
        f"To beat in {best.by.endpoint}: {shown}{size} with {named}, the {best_word} found for “"
        f"{measure}”{where}."
    )
    figures = [
        figure_of(outcome, shown, (measure, *parts, f"n={outcome.n:,}" if outcome.n else ""))
    ]
    return make_claim(text, "fact", figures=figures, names=names, words=[best_word])


_NO_REASON = frozenset({"", "design", "other"})
"""Words of lists that leave open why a trial was stopped."""


def say_failed(survey: Survey) -> list[Claim]:
    """Say who stopped and why, in the words of the records."""
    failures = sorted(_failures(survey), key=lambda failure: failure[0])
    claims = [claim for _, claim in failures[:MOST_FAILURES]]
    if not claims and survey.found.subjects:
        return [make_claim("No discontinued program with a stated reason.", "rule")]
    return claims


STOP_CLASSES = {
    "efficacy": "lack of efficacy",
    "safety": "safety reasons",
    "business": "business reasons",
    "enrollment": "slow enrollment",
    "regulatory": "regulatory reasons",
    "pandemic": "the pandemic",
    "supply": "lack of supply",
    "success": "early success",
}
"""Reasons as the starter pack classes them, in words."""


def _failures(survey: Survey) -> Iterator[tuple[tuple[object, ...], Claim]]:
    """Yield each stopped own trial with its reason, later phases and newer ones first."""
    seen: set[str] = set()
    for drug in survey.found.subjects:
        for program in drug.programs:
            for trial in program.trials:
                is_said = trial.why_stopped.strip(". ").casefold() not in _NO_REASON
                if not is_said or not trial.is_own or trial.number in seen:
                    continue
                seen.add(trial.number)
                stage = trial.phase if trial.phase in STAGES else "UNKNOWN"
                newest = -int((trial.as_of or "0")[:4])
                order = (STAGES.index(stage), newest, drug.name, trial.number)
                yield order, _say_stopped(drug, program, trial)


def _say_stopped(drug: Ranked, program: Program, trial: ProgramTrial) -> Claim:
    named, names = with_owner(drug)
    reason = trial.why_stopped[:LONGEST_REASON].rstrip(". ")
    shown = unmark(reason)
    phase = f"{phase_words(trial.phase)} ".lstrip()
    where = unmark(program.indication) or "an indication that is not named"
    why = f" for {STOP_CLASSES[shown]}" if shown in STOP_CLASSES else f": “{shown}”"
    text = f"{named}: {phase}trial {trial.number} in {where} was stopped{why}."
    figure = Figure(shown, record_id=trial.record_id)
    return make_claim(
        text,
        "fact",
        [trial.record_id],
        figures=[figure],
        names=[*names, trial.number],
        words=(f"{phase}trial", where),
    )


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
