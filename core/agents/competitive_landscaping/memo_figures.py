"""Memo: what a candidate must beat, and who failed and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from core.agents.competitive_landscaping.ranked import Ranked
from core.agents.competitive_landscaping.survey import (
    Survey,
    shares_target,
    with_owner,
)
from core.briefs.figures import (
    ACROSS_TRIALS,
    Comparison,
    comparable,
    conditions,
    short_measure,
    value_text,
)
from core.evidence.proof.claims import Claim, Figure, figure_of, make_claim, unmark
from core.records.programs import Outcome, Program, TrialLine
from core.records.stages import STAGES, phase_words
from core.vocabulary.lines import lines_of

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
    return [
        *claims,
        make_claim(
            f"These figures stand {ACROSS_TRIALS}: equal endpoint, unit, line and biomarker as "
            "far as the records say, other patients.",
            "rule",
        ),
    ]


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


def _say_stopped(drug: Ranked, program: Program, trial: TrialLine) -> Claim:
    named, names = with_owner(drug)
    reason = trial.why_stopped[:LONGEST_REASON].rstrip(". ")
    shown = unmark(reason)
    phase = f"{phase_words(trial.phase)} ".lstrip()
    where = unmark(program.indication) or "an indication that is not named"
    text = f"{named}: {phase}trial {trial.number} in {where} was stopped: “{shown}”."
    figure = Figure(shown, record_id=trial.record_id)
    return make_claim(
        text,
        "fact",
        [trial.record_id],
        figures=[figure],
        names=[*names, trial.number],
        words=(f"{phase}trial", where),
    )
