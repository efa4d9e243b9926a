"""The open objects of a request, read key by key; what cannot be so is not used, and told."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.evidence.proof.claims import unmark
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import EndpointReading
from core.stats.trial_design.history import Z95
from core.vocabulary.endpoints import EndpointType

LONGEST = 80
MOST_EVENTS = 20


@dataclass(frozen=True)
class SafetyEvent:
    """An event of the own drug with its shares."""

    term: str
    rate: float | None
    grade3_rate: float | None


@dataclass(frozen=True)
class Safety:
    """What is known of the own drug's safety."""

    events: tuple[SafetyEvent, ...] = ()
    dlt: tuple[str, ...] = ()
    boxed_class: str = ""
    n: int | None = None


@dataclass(frozen=True)
class Efficacy:
    """The drug's own result, as the request gives it.

    Attributes:
        measure: What was measured, as given.
        reading: Its endpoint class and type.
        value: Of the drug's arm, or a ratio of the arms.
        n: Participants.
        low: Lower end of its interval.
        high: Upper end.
        control: Of the control arm: a median in months where the value is a hazard ratio, a yearly
            rate beside a rate ratio, a share beside an odds or risk ratio.
        deviation: Standard deviation of one participant's value.
        ratio: "hazard ratio", "rate ratio", "odds ratio", "risk ratio"; "" for no ratio.
        has_interval_of_difference: Whether the interval is that of value minus control.
    """

    measure: str
    reading: EndpointReading
    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None
    control: float | None = None
    deviation: float | None = None
    ratio: str = ""
    has_interval_of_difference: bool = False

    @property
    def is_ratio(self) -> bool:
        """Return whether the value is a ratio of two arms."""
        return bool(self.ratio)

    @property
    def is_bare_ratio(self) -> bool:
        """Return whether the measure is a ratio and names nothing that was measured."""
        return self.is_ratio and not _PLAIN.sub("", _words_beside(self.measure, self.ratio))


@dataclass(frozen=True)
class Given:
    """What the request gives to plan with, whether or not the drug has a result of its own.

    Attributes:
        control: Value of the control arm, in the unit of the endpoint.
        deviation: Standard deviation of one participant.
        margin: Of non-inferiority: a ratio above 1, or a difference.
        history: Past trials of the comparator against placebo: effect and standard error.
        is_ratio: Whether the history is of ratios, so that its effects are logarithms.
        preserved: Share of the comparator's effect that has to be kept.
        others: Results of further endpoints.
    """

    control: float | None = None
    deviation: float | None = None
    margin: float | None = None
    history: tuple[tuple[float, float], ...] = ()
    is_ratio: bool = False
    preserved: float = 0.5
    others: tuple[Efficacy, ...] = ()


@dataclass(frozen=True)
class Supply:
    """Limits of manufacturing."""

    vein_to_vein_days: float | None = None
    slots_per_month: float | None = None
    cold_chain: str = ""
    has_notes: bool = False


@dataclass
class Reader:
    """Reads an object and tells what it could not use."""

    name: str
    values: Mapping[str, object]
    notices: list[str]

    def refuse(self, key: str, why: str) -> None:
        """Say that a value is not used."""
        self.notices.append(f"value_not_used: {self.name}.{key} {why}; it is not used.")

    def read_only(self, known_keys: Sequence[str]) -> None:
        """Say which keys are not read."""
        for key in sorted(set(self.values) - set(known_keys))[:10]:
            self.notices.append(f"input_not_used: {self.name}.{unmark(key)[:40]} is not read.")

    def number(
        self, key: str, low: float, high: float, values: Mapping[str, object] | None = None
    ) -> float | None:
        """Return a number within bounds; None where there is none, with a notice if wrong."""
        value = (self.values if values is None else values).get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(key, "is no number")
        elif not low <= value <= high:
            self.refuse(key, f"must lie between {low:g} and {high:g}")
        else:
            return float(value)
        return None

    def count(self, key: str) -> int | None:
        """Return a number of people; None where there is none."""
        number = self.number(key, 1, 1e6)
        return int(number) if number else None

    def text(self, key: str) -> str:
        """Return a text on one line, truncated to the cell width."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            self.refuse(key, "is no text")
        return unmark(value)[:LONGEST] if isinstance(value, str) else ""

    def entries(self, key: str) -> list[Any]:
        """Return the entries of a list; none where it is no list."""
        value = self.values.get(key) or []
        if not isinstance(value, list):
            self.refuse(key, "is no list")
        return value[:MOST_EVENTS] if isinstance(value, list) else []


def read_safety(values: Mapping[str, object] | None, notices: list[str]) -> Safety:
    """Return the safety profile; what of it is not used is added to the notices."""
    reader = Reader("safety_profile", values or {}, notices)
    reader.read_only(("events", "dlt", "boxed_class", "n"))
    listed = reader.entries("events")
    value = reader.values.get("dlt") or []
    terms = value if isinstance(value, list) else [value]
    n = reader.count("n")
    return Safety(
        tuple(_events(listed, reader)),
        tuple(unmark(term)[:LONGEST] for term in terms if isinstance(term, str))[:MOST_EVENTS],
        reader.text("boxed_class"),
        n,
    )


def _events(listed: Sequence[Any], reader: Reader) -> Iterator[SafetyEvent]:
    for event in listed:
        term = event.get("term") if isinstance(event, dict) else None
        if not isinstance(term, str) or not term.strip():
            reader.refuse("events", "has an entry without a term")
            continue
        rates = [reader.number(key, 0, 1, event) for key in ("rate", "grade3_rate")]
        yield SafetyEvent(unmark(term)[:LONGEST], *rates)


_RATIOS = {
    "hazard ratio": re.compile(r"\bhazard ratio\b|\bHR\b", re.IGNORECASE),
    "odds ratio": re.compile(r"\bodds ratio\b", re.IGNORECASE),
    "risk ratio": re.compile(r"\b(?:risk ratio|relative risk)\b", re.IGNORECASE),
    "rate ratio": re.compile(r"(?<=\brate) ratio\b", re.IGNORECASE),
}
_TYPES = {
    "hazard ratio": EndpointType.TIME_TO_EVENT,
    "odds ratio": EndpointType.PROPORTION,
    "risk ratio": EndpointType.PROPORTION,
    "rate ratio": EndpointType.RATE,
}
_PLAIN = re.compile(
    r"\b(?:rate|(?:un)?adjusted|(?:un)?stratified|observed|interim|treatment|effect|primary|"
    r"endpoint|versus|vs|control|placebo|Cox|95 ?%?|CI)\b|\W",
    re.IGNORECASE,
)
"""Words next to a ratio that name nothing that was measured."""
_RESPONSE = re.compile(
    r"\bresponders?\b|\bresponses?\b(?! (?:duration|score))|\bremission\b|"
    r"\b(?:PASI|EASI|ACR|ASAS|SALT|SRI)[- ]?\d{1,3}\b"
)
"""Words of a measure that counts patients who reach a level of a score."""
_KNOWN = (
    *("measure", "value", "n", "ci_low", "ci_high", "control_value", "standard_deviation"),
    *("source", "margin", "historical_trials", "preserved_fraction", "other_measures"),
)
_PLANNING = ("control_value", "standard_deviation", "margin", "historical_trials")
"""Keys that plan a trial without a result of the drug itself."""
_SHARES, _POSITIVE, _ANY = (0.0, 1.0), (1e-6, 1e4), (-1e9, 1e9)


def counts_responders(measure: str) -> bool:
    """Return whether a measure counts patients who reach a level of a score."""
    return _RESPONSE.search(measure) is not None


def read_efficacy(values: Mapping[str, object] | None, notices: list[str]) -> Efficacy | None:
    """Return the own result; what of it is not used is added to the notices."""
    if not values:
        return None
    reader = Reader("preliminary_efficacy_data", values, notices)
    reader.read_only(_KNOWN)
    measure = reader.text("measure")
    ratio = next((name for name, words in _RATIOS.items() if words.search(measure)), "")
    reading = _read_measure(measure, ratio, values)
    is_share = reading.type == EndpointType.PROPORTION
    bounds = _POSITIVE if ratio else _SHARES if is_share else _ANY
    value, n = reader.number("value", *bounds), reader.count("n")
    limits = [reader.number(key, *(bounds if ratio else _ANY)) for key in ("ci_low", "ci_high")]
    control = reader.number("control_value", *(_SHARES if is_share else bounds))
    deviation = reader.number("standard_deviation", 1e-9, 1e9)
    if value is None and measure and any(values.get(key) is not None for key in _PLANNING):
        return None  # read_given takes them
    is_mixed = (
        not ratio
        and counts_responders(measure)
        and None not in (value, control)
        and ((value or 0) > 1) != ((control or 0) > 1)
    )
    if is_mixed:
        notices.append(
            f"value_not_used: {value:g} against {control:g} mixes shares and percentages; give "
            "both as shares from 0 to 1."
        )
        return None
    if not measure or value is None:
        notices.append(
            "value_not_used: preliminary_efficacy_data needs a measure and a plausible value: a "
            "share from 0 to 1 for a rate of patients, a number above 0 for a ratio."
        )
        return None
    low, high, is_of_difference = _interval(limits, value, None if ratio else control, reader)
    return Efficacy(
        measure=measure,
        reading=reading,
        value=value,
        n=n,
        low=low,
        high=high,
        control=control,
        deviation=deviation,
        ratio=ratio,
        has_interval_of_difference=is_of_difference,
    )


def read_given(values: Mapping[str, object] | None, notices: list[str]) -> Given:
    """Return what the request gives to plan with; what is not used is added to the notices."""
    if not values:
        return Given()
    reader = Reader("preliminary_efficacy_data", values, notices)
    quiet = Reader(reader.name, values, [])  # read_efficacy tells what is wrong with these
    measure = quiet.text("measure")
    is_ratio = any(words.search(measure) for words in _RATIOS.values())
    history = tuple(_historical(reader, is_ratio=is_ratio))
    margin = reader.number("margin", 1e-6, 1e4)
    preserved = reader.number("preserved_fraction", 0.0, 0.99) or 0.5
    others = [
        read_efficacy(entry if isinstance(entry, dict) else {"measure": ""}, notices)
        for entry in reader.entries("other_measures")
    ]
    return Given(
        control=quiet.number("control_value", *_ANY),
        deviation=quiet.number("standard_deviation", 1e-9, 1e9),
        margin=margin,
        history=history,
        is_ratio=is_ratio,
        preserved=preserved,
        others=tuple(result for result in others if result),
    )


def _historical(reader: Reader, *, is_ratio: bool) -> Iterator[tuple[float, float]]:
    """Yield effect and standard error of past trials, logarithms for ratios."""
    for entry in reader.entries("historical_trials"):
        given = entry if isinstance(entry, dict) else {}
        effect, low, high = (
            reader.number(key, 1e-6 if is_ratio else -1e9, 1e9, given)
            for key in ("effect", "ci_low", "ci_high")
        )
        if effect is None or low is None or high is None or not low < effect < high:
            reader.refuse("historical_trials", "has a trial without effect, ci_low and ci_high")
            continue
        if is_ratio:
            effect, low, high = math.log(effect), math.log(low), math.log(high)
        yield effect, (high - low) / (2 * Z95)


def _read_measure(measure: str, ratio: str, values: Mapping[str, object]) -> EndpointReading:
    """Return the endpoint that a measure names; shares of responders are proportions."""
    words = _words_beside(measure, ratio) if ratio else measure
    reading = read_endpoint(words or measure)
    if ratio:
        return replace(reading, type=_TYPES[ratio])
    given = [values.get(key) for key in ("value", "control_value")]
    are_shares = all(isinstance(share, int | float) and 0 <= share <= 1 for share in given)
    if are_shares and _RESPONSE.search(measure):
        return replace(reading, type=EndpointType.PROPORTION, better="higher")
    return reading


def _words_beside(measure: str, ratio: str) -> str:
    """Return a measure without the words for its ratio.

    >>> _words_beside("hazard ratio for overall survival", "hazard ratio")
    'overall survival'
    >>> _words_beside("Hazard ratio (HR)", "hazard ratio"), _words_beside("OS HR", "hazard ratio")
    ('', 'OS')
    """
    words = re.sub(r"\b(?:for|of)\b", " ", _RATIOS[ratio].sub(" ", measure))
    return " ".join(words.split()).strip(" ():,;-")


def _interval(
    limits: Sequence[float | None], value: float, control: float | None, reader: Reader
) -> tuple[float | None, float | None, bool]:
    """Return an interval, and whether it is that of the difference; a wrong one is refused."""
    low, high = limits
    if low is None or high is None:
        return low, high, False
    if low <= value <= high:
        return low, high, False
    if control is not None and low <= value - control <= high:
        return low, high, True
    reader.refuse("ci_low", "and ci_high hold neither the value nor its difference from control")
    return None, None, False


def read_supply(values: Mapping[str, object] | None, notices: list[str]) -> Supply:
    """Return the limits of manufacturing; what is not used is added to the notices."""
    reader = Reader("manufacturing_constraints", values or {}, notices)
    reader.read_only(("vein_to_vein_days", "slots_per_month", "cold_chain", "notes"))
    return Supply(
        reader.number("vein_to_vein_days", 1, 1000),
        reader.number("slots_per_month", 1, 1e6),
        reader.text("cold_chain"),
        bool(reader.text("notes")),
    )
