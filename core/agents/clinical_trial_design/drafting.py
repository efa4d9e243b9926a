"""What every section is written from, and the numbers that several of them tell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.decisions import Decisions
from core.agents.clinical_trial_design.expectations import ExpectationRow
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.records import Level, NumberRange
from core.briefs.citing import Cite
from core.briefs.precedents import Ranked
from core.evidence.names.identity.salts import strip_water
from core.evidence.proof.claims import unmark
from core.records.precedents import Range, SettingTrial

MOST_CITED = 5
HIGH, MEDIUM = 70, 40
NO_PRECEDENT = 30


@dataclass(frozen=True)
class Draft:
    """What every section is written from."""

    asked: Asked
    found: Holding
    made: Decisions
    cite: Cite
    as_of: date

    @property
    def expected(self) -> ExpectationRow | None:
        """Return what agencies accept, where it is of the endpoint chosen."""
        return self.made.expected

    @property
    def near(self) -> Sequence[Ranked[SettingTrial]]:
        """Return the nearest precedents."""
        return self.found.near

    def ids(self, record_ids: Iterable[str], most: int = MOST_CITED) -> list[str]:
        """Return the numbers of the first few records that the answer holds."""
        known_ids = [
            record_id for record_id in dict.fromkeys(record_ids) if record_id in self.cite.records
        ]
        return self.cite.numbers(known_ids[:most])

    def ids_of(self, trials: Iterable[SettingTrial], most: int = MOST_CITED) -> list[str]:
        """Return the numbers of the first few trials."""
        return self.ids((trial.record_id for trial in trials), most)

    def range(self, spread: Range, trials: Iterable[SettingTrial] = ()) -> NumberRange:
        """Return how a number lies among precedents, with the first of them."""
        ids = self.ids_of(trials) if spread.n else []
        return NumberRange(
            low=spread.low,
            median=spread.median,
            high=spread.high,
            n=spread.n,
            unit=spread.unit,
            source_ids=ids,
        )


def level_of(score: int) -> Level:
    """Return the word of a score."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


def confidence_of(draft: Draft) -> dict[str, int]:
    """Return the scores of which the confidence is the lowest, by what they speak of."""
    precedents, made = draft.found.precedents, draft.made
    if draft.expected is not None:
        return _confidence_by_expectation(draft)
    if not (precedents.trials or precedents.own):
        return {"precedents": 0 if not draft.asked.setting.areas else NO_PRECEDENT}
    best = [trial.match.score for trial in precedents.trials[:10]] or [NO_PRECEDENT]
    n_reported = sum(vote[2] for vote in made.votes)
    basis = {"request": 75, "evidence": 70}.get(made.plan.planned.basis, 45)
    return {
        "match of the nearest precedents": round(sum(best) / len(best)),
        "precedents that report their endpoint": min(95, 30 + 5 * n_reported),
        "basis of the effect": basis if made.size.n is not None else 45,
        "setting understood": 40 if draft.asked.setting.unresolved else 90,
    }


BY_EXPECTATION = 75
_BASES = {"request": 75, "planning": 60, "evidence": 70}
UNSIZED = 45


def _confidence_by_expectation(draft: Draft) -> dict[str, int]:
    """Return the scores of a setting whose endpoint and control are known."""
    made = draft.made
    total = sum(number for _, _, number in made.votes)
    same = sum(number for name, _, number in made.votes if name == made.endpoint)
    basis = _BASES.get(made.plan.planned.basis, UNSIZED)
    scores = {
        "expectation of the setting": BY_EXPECTATION,
        "basis of the effect": basis if made.planned_total is not None else UNSIZED,
        "setting understood": 40 if draft.asked.setting.unresolved else 90,
    }
    if total >= MOST_CITED:
        scores["precedents that share the endpoint"] = min(95, 50 + round(45 * same / total))
    return scores


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def name_drugs(names: Iterable[str]) -> str:
    """Return drugs as they are shown: joined, each once, without the words of its water.

    >>> name_drugs(["docetaxel anhydrous", "Docetaxel", "carboplatin"])
    'docetaxel, carboplatin'
    """
    first: dict[str, str] = {}
    for name in map(strip_water, names):
        first.setdefault(name.casefold(), name)
    return unmark(", ".join(first.values()))


def explain_missing_size(draft: Draft) -> str:
    """Return why there is no sample size: which input is missing, and what to type for it."""
    planned, kind = draft.made.plan.planned, draft.made.endpoint_type
    if planned.without_gain:
        return f"the reported effects show no benefit; {_WHAT_TO_TYPE['value']}"
    if planned.too_small:
        return (
            "the reported effects would need over ten times the largest comparable trial; "
            f"{_WHAT_TO_TYPE['value']}"
        )
    missing = [*(["value"] if planned.value is None else [])]
    if kind in {"time to event", "proportion"} and planned.control is None:
        missing.append("control_value")
    if kind not in {"time to event", "proportion"} and planned.variance is None:
        missing.append("standard_deviation" if kind == "mean change" else "control_value")
    names = [_NAMES.get((name, kind), _NAMES[name, ""]) for name in dict.fromkeys(missing)]
    asks = "; ".join(_WHAT_TO_TYPE[name] for name in dict.fromkeys(missing))
    if not names:
        return "the inputs show no difference that a trial can be sized for"
    question = draft.asked
    has_no_line = question.is_oncology and not question.setting.lines
    line = "name the line of therapy, or " if has_no_line else ""
    return f"no {' and no '.join(names)} found for the endpoint; {line}{asks}"


_NAMES = {
    ("value", ""): "effect size",
    ("control_value", ""): "control-arm value",
    ("control_value", "time to event"): "control-arm median",
    ("control_value", "proportion"): "control-arm rate",
    ("standard_deviation", ""): "standard deviation",
}
_WHAT_TO_TYPE = {
    "value": "enter measure and value in preliminary_efficacy_data, such as “hazard ratio for "
    "overall survival”, 0.75",
    "control_value": "enter control_value in preliminary_efficacy_data: months for a hazard ratio, "
    "a share from 0 to 1 for a rate, events a year for a rate ratio",
    "standard_deviation": "enter standard_deviation in preliminary_efficacy_data",
}
