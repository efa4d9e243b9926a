"""The request's free objects as typed data: what can be read, and what is not used and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.briefs.report import as_text
from core.vocabulary.hazards import find_hazards

LONGEST = 300
MOST_ROWS = 50
TRIAL_KEYS = (
    *("id", "phase", "design", "randomized", "blinded", "n", "population", "endpoint"),
    *("effect", "ci_low", "ci_high", "p"),
)
EVENT_KEYS = ("term", "rate", "grade3_rate", "serious")
SAFETY_KEYS = ("events", "sae_rate", "deaths", "n")
FEEDBACK_KEYS = ("agency", "date", "meeting", "points")
_SINGLE = ("single arm", "single-arm", "one arm", "uncontrolled")
_RATIO = ("hazard", "ratio")
NULL_OF_RATIO, NULL_OF_DIFFERENCE = 1.0, 0.0


@dataclass(frozen=True)
class OwnTrial:
    """A trial of the asset as the request tells it; None or "" where it does not."""

    id: str = ""
    phase: str = ""
    design: str = ""
    population: str = ""
    endpoint: str = ""
    randomized: bool | None = None
    blinded: bool | None = None
    n: int | None = None
    effect: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None

    @property
    def is_single_arm(self) -> bool:
        """Return whether nothing is compared."""
        design = self.design.casefold()
        return (
            self.randomized is False
            and not any(w in design for w in ("control", "parallel"))
            or (self.randomized is not True and any(word in design for word in _SINGLE))
        )

    @property
    def is_ratio(self) -> bool:
        """Return whether the effect is a ratio of two arms."""
        text = f"{self.endpoint} {self.design}".casefold()
        names_ratio = any(word in text for word in _RATIO)
        return names_ratio or (
            self.randomized is True and self.effect is not None and 0 < self.effect < 2
        )

    @property
    def has_shown_an_effect(self) -> bool:
        """Return whether p is below .05 or the interval leaves no room for "no effect"."""
        if self.p is not None:
            return self.p < 0.05
        if self.ci_low is None or self.ci_high is None:
            return False
        null = NULL_OF_RATIO if self.is_ratio else NULL_OF_DIFFERENCE
        return not self.ci_low <= null <= self.ci_high


@dataclass(frozen=True)
class OwnEvent:
    """An adverse event of the asset."""

    term: str
    rate: float | None = None
    grade3_rate: float | None = None
    is_serious: bool = False

    @property
    def hazards(self) -> tuple[str, ...]:
        """Return the hazards that its term names."""
        return find_hazards(self.term)


@dataclass(frozen=True)
class Feedback:
    """What an agency said, in the words of the request."""

    agency: str = ""
    date: str = ""
    meeting: str = ""
    points: tuple[str, ...] = ()


@dataclass
class OwnData:
    """Everything of the request's free objects, with what was not used."""

    trials: list[OwnTrial] = field(default_factory=list)
    events: list[OwnEvent] = field(default_factory=list)
    sae_rate: float | None = None
    deaths: int | None = None
    n_safety: int | None = None
    feedback: Feedback | None = None
    has_safety: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def hazards(self) -> set[str]:
        """Return the hazards that the asset's own events name."""
        return {hazard for event in self.events for hazard in event.hazards}

    @property
    def best(self) -> OwnTrial | None:
        """Return the trial that carries a claim best: randomized, blinded, shown, large."""
        return max(
            self.trials,
            key=lambda trial: (
                trial.randomized is True,
                trial.blinded is True,
                trial.has_shown_an_effect,
                trial.n or 0,
            ),
            default=None,
        )


def read_own_data(
    trials: Mapping[str, Any] | None,
    safety: Mapping[str, Any] | None,
    feedback: Mapping[str, Any] | None,
) -> OwnData:
    """Return the free objects as typed data."""
    own_data = OwnData()
    if trials:
        _unused(own_data, "clinical_trial_data", trials, ("trials",))
        for index, row in enumerate(
            _rows(own_data, "clinical_trial_data.trials", trials.get("trials"))
        ):
            own_data.trials += _trial(own_data, row, f"clinical_trial_data.trials[{index}]")
    if safety:
        _read_safety(own_data, safety)
    if feedback:
        _unused(own_data, "prior_regulatory_feedback", feedback, FEEDBACK_KEYS)
        feedback_texts = {key: _text(feedback.get(key)) for key in FEEDBACK_KEYS[:3]}
        points = feedback.get("points")
        points_given = [points] if isinstance(points, str) else points
        listed = points_given if isinstance(points_given, list) else []
        if points_given is not None and not isinstance(points_given, list):
            own_data.warnings.append(
                _not_used("prior_regulatory_feedback.points", "not a list of texts")
            )
        points_read = tuple(filter(None, map(_text, listed[:MOST_ROWS])))
        own_data.feedback = Feedback(
            feedback_texts["agency"], feedback_texts["date"], feedback_texts["meeting"], points_read
        )
    return own_data


def _read_safety(own_data: OwnData, safety: Mapping[str, Any]) -> None:
    _unused(own_data, "safety_data", safety, SAFETY_KEYS)
    own_data.has_safety = True
    for index, row in enumerate(_rows(own_data, "safety_data.events", safety.get("events"))):
        path = f"safety_data.events[{index}]"
        _unused(own_data, path, row, EVENT_KEYS)
        term = _text(row.get("term"))
        if not term:
            own_data.warnings.append(_not_used(f"{path}.term", "an event needs a term"))
            continue
        rates = [_number(own_data, path, row, key, 0, 1) for key in ("rate", "grade3_rate")]
        own_data.events.append(OwnEvent(term, rates[0], rates[1], row.get("serious") is True))
    own_data.sae_rate = _number(own_data, "safety_data", safety, "sae_rate", 0, 1)
    deaths, n = (_number(own_data, "safety_data", safety, key, 0, 1e6) for key in ("deaths", "n"))
    own_data.deaths = None if deaths is None else int(deaths)
    own_data.n_safety = int(n) if n else None
    if n == 0:
        own_data.warnings.append(_not_used("safety_data.n", "it is 0"))


def _trial(own_data: OwnData, row: Mapping[str, Any], path: str) -> Iterator[OwnTrial]:
    _unused(own_data, path, row, TRIAL_KEYS)
    n = _number(own_data, path, row, "n", 1, 1e6)
    low, high = (_number(own_data, path, row, key, -1e6, 1e6) for key in ("ci_low", "ci_high"))
    if low is not None and high is not None and low > high:
        own_data.warnings.append(_not_used(f"{path}.ci_low", "it lies above ci_high"))
        low = high = None
    made = OwnTrial(
        **{key: _text(row.get(key)) for key in ("id", "phase", "design", "population", "endpoint")},
        randomized=_switch(own_data, path, row, "randomized"),
        blinded=_switch(own_data, path, row, "blinded"),
        n=None if n is None else int(n),
        effect=_number(own_data, path, row, "effect", -1e6, 1e6),
        ci_low=low,
        ci_high=high,
        p=_number(own_data, path, row, "p", 0, 1),
    )
    yield _without_contradictions(own_data, made, path)


def _without_contradictions(own_data: OwnData, trial: OwnTrial, path: str) -> OwnTrial:
    """Return a trial without figures that its own design rules out."""
    endpoint = trial.endpoint.casefold()
    if "hazard" in endpoint and trial.effect is not None and trial.effect <= 0:
        own_data.warnings.append(_not_used(f"{path}.effect", "a hazard ratio is above 0"))
        return replace(trial, effect=None, ci_low=None, ci_high=None, p=None)
    if trial.is_single_arm and ("hazard" in endpoint or trial.p is not None):
        why = "a single arm has no hazard ratio and no p value against a control"
        own_data.warnings.append(_not_used(f"{path}: effect, interval and p", why))
        return replace(trial, effect=None, ci_low=None, ci_high=None, p=None)
    bounds = (trial.ci_low, trial.effect, trial.ci_high)
    finite_bounds = [bound for bound in bounds if bound is not None]
    if len(finite_bounds) == len(bounds) and finite_bounds != sorted(finite_bounds):
        own_data.warnings.append(_not_used(f"{path}: interval", "it does not hold the effect"))
        return replace(trial, ci_low=None, ci_high=None)
    return trial


def _rows(value: OwnData, path: str, given: object) -> Sequence[Mapping[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, list):
        value.warnings.append(_not_used(path, "not a list of objects"))
        return []
    rows = [row for row in given if isinstance(row, dict)]
    if len(rows) < len(given):
        value.warnings.append(_not_used(path, "an entry is no object"))
    return rows[:MOST_ROWS]


def _unused(
    own_data: OwnData, path: str, row: Mapping[str, Any], known_keys: tuple[str, ...]
) -> None:
    own_data.warnings += [
        f"input_not_used: {path}.{as_text(str(key))[:60]} is not read."
        for key in row
        if key not in known_keys
    ]


def _number(
    own_data: OwnData, path: str, row: Mapping[str, Any], key: str, low: float, high: float
) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        own_data.warnings.append(_not_used(f"{path}.{key}", "not a number"))
        return None
    if not low <= value <= high:
        own_data.warnings.append(_not_used(f"{path}.{key}", f"not between {low:g} and {high:g}"))
        return None
    return float(value)


def _switch(own_data: OwnData, path: str, row: Mapping[str, Any], key: str) -> bool | None:
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    own_data.warnings.append(_not_used(f"{path}.{key}", "not true or false"))
    return None


def _text(value: object) -> str:
    return as_text(value)[:LONGEST] if isinstance(value, str) else ""


def _not_used(path: str, why: str) -> str:
    return f"input_not_used: {path}: {why}."
