"""Memo: what a candidate must beat, and who failed and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from core.agents.competitive_landscaping.figures import (
    ACROSS_TRIALS,
    Comparison,
    comparable,
    conditions,
    short_measure,
    value_text,
)
from core.agents.competitive_landscaping.memo_input import (
    MemoInput,
    shares_target,
    with_owner,
)
from core.agents.competitive_landscaping.scope import Candidate, outcomes_in
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
    candidate: Candidate
    outcome: Outcome
    n_drugs: int


def say_to_beat(memo: MemoInput) -> list[Claim]:
    """Say the best cited figures of equal endpoint, unit, line and biomarker."""
    if not memo.ranked:
        return []
    found = _best_figures(memo)
    if not found:
        return [
            make_claim(
                "The records held give no figure of efficacy that could be compared.", "rule"
            )
        ]
    claims = [_say_best(one) for one in found[:MOST_FIGURES]]
    return [
        *claims,
        make_claim(
            f"These figures stand {ACROSS_TRIALS}: equal endpoint, unit, line and biomarker as "
            "far as the records say, other patients.",
            "rule",
        ),
    ]


def _best_figures(memo: MemoInput) -> list[_Best]:
    """Return the best figure per class and group; lines and biomarkers asked for come first."""
    described = memo.described
    groups: dict[Comparison, list[tuple[Candidate, Outcome]]] = defaultdict(list)
    for candidate in memo.candidates:
        for outcome in outcomes_in(candidate, memo.scope):
            by = comparable(outcome)
            small = outcome.n is not None and outcome.n < FEWEST
            if by is not None and outcome.kind == "efficacy" and not small:
                groups[by].append((candidate, outcome))
    wanted = lines_of((*memo.scope.parsed.lines, *(described.lines if described else ())))
    found: list[tuple[tuple[object, ...], _Best]] = []
    for by, entries in groups.items():
        best = min(entries, key=lambda one: _merit(one[0], one[1], by, memo))
        drugs = {one.asset.key for one, _ in entries}
        on_target = described is not None and shares_target(best[0], described)
        order = (by.line not in wanted if wanted else False, not on_target, -len(drugs), str(by))
        found.append((order, _Best(by, *best, len(drugs))))
    return _few_a_class([best for _, best in sorted(found, key=lambda one: one[0])])


def _merit(
    candidate: Candidate, outcome: Outcome, by: Comparison, memo: MemoInput
) -> tuple[bool, float, str, str]:
    """Return the order of figures: those on the candidate's target first, then the better one."""
    described = memo.described
    far = described is not None and not shares_target(candidate, described)
    value = -outcome.value if by.is_higher_better else outcome.value
    return (far, value, candidate.asset.name, outcome.record_id)


def _few_a_class(found: list[_Best]) -> list[_Best]:
    """Return the first figures of each class, which stand for other lines or biomarkers."""
    seen: Counter[str] = Counter()
    kept: list[_Best] = []
    for one in found:
        seen[one.by.endpoint] += 1
        if seen[one.by.endpoint] <= MOST_A_CLASS:
            kept.append(one)
    return kept


def _say_best(best: _Best) -> Claim:
    """Say a figure with its conditions."""
    outcome = best.outcome
    named, names = with_owner(best.candidate)
    size = f" (n={outcome.n:,})" if outcome.n else ""
    shown = value_text(outcome)
    parts = conditions(outcome)
    where = f", {', '.join(parts)}" if parts else ""
    measure = short_measure(outcome)
    best_word = "highest" if best.by.is_higher_better else "lowest"
    best_word = best_word if best.n_drugs > 1 else "only one"
    text = (
        f"To beat in {best.by.endpoint}: {shown}{size} with {named}, the {best_word} on record "
        f"for “{measure}”{where}."
    )
    figures = [
        figure_of(outcome, shown, (measure, *parts, f"n={outcome.n:,}" if outcome.n else ""))
    ]
    return make_claim(text, "fact", figures=figures, names=names, words=[best_word])


def say_failed(memo: MemoInput) -> list[Claim]:
    """Say who stopped and why, in the words of the records."""
    found = sorted(_failures(memo), key=lambda one: one[0])
    claims = [claim for _, claim in found[:MOST_FAILURES]]
    if not claims and memo.ranked:
        return [make_claim("No record within this gives a reason for a stopped program.", "rule")]
    return claims


def _failures(memo: MemoInput) -> Iterator[tuple[tuple[object, ...], Claim]]:
    """Yield each stopped own trial with its reason, later phases and newer ones first."""
    seen: set[str] = set()
    for candidate in memo.candidates:
        for program in candidate.programs:
            for trial in program.trials:
                if not trial.why_stopped or not trial.is_own or trial.number in seen:
                    continue
                seen.add(trial.number)
                stage = trial.phase if trial.phase in STAGES else "UNKNOWN"
                newest = -int((trial.as_of or "0")[:4])
                order = (STAGES.index(stage), newest, candidate.asset.name, trial.number)
                yield order, _say_stopped(candidate, program, trial)


def _say_stopped(candidate: Candidate, program: Program, trial: TrialLine) -> Claim:
    named, names = with_owner(candidate)
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
