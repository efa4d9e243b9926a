"""The open objects of a request, read key by key; what cannot be so is not used, and told."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.evidence.proof.claims import unmark
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import EndpointReading

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
    """The own drug's result; `is_ratio` where the measure is a hazard ratio."""

    measure: str
    reading: EndpointReading
    value: float
    n: int | None
    low: float | None
    high: float | None
    control: float | None
    is_ratio: bool


@dataclass(frozen=True)
class Supply:
    """Limits of manufacturing."""

    vein_to_vein_days: float | None = None
    slots_per_month: float | None = None
    cold_chain: str = ""
    has_notes: bool = False


@dataclass
class Reader:
    """Reads an object and keeps what it could not use."""

    name: str
    values: Mapping[str, object]
    warnings: list[str] = field(default_factory=list)

    def refuse(self, key: str, why: str) -> None:
        """Say that a value is not used."""
        self.warnings.append(f"value_not_used: {self.name}.{key} {why}; it is not used.")

    def others(self, known: Sequence[str]) -> None:
        """Say which keys are not read."""
        for key in sorted(set(self.values) - set(known))[:10]:
            self.warnings.append(f"input_not_used: {self.name}.{unmark(key)[:40]} is not read.")

    def number(
        self, key: str, low: float, high: float, values: Mapping[str, object] | None = None
    ) -> float | None:
        """Return a number within bounds; None where there is none, with a warning if wrong."""
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

    def text(self, key: str) -> str:
        """Return a text on one line, cut to a length that a cell bears."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            self.refuse(key, "is no text")
        return unmark(value)[:LONGEST] if isinstance(value, str) else ""


def read_safety(values: Mapping[str, object] | None) -> tuple[Safety, list[str]]:
    """Return the safety profile and what of it is not used."""
    if not values:
        return Safety(), []
    reader = Reader("safety_profile", values)
    reader.others(("events", "dlt", "boxed_class", "n"))
    listed = values.get("events") or []
    events = listed if isinstance(listed, list) else []
    if listed and not events:
        reader.refuse("events", "is no list")
    said = values.get("dlt") or []
    terms = said if isinstance(said, list) else [said]
    n = reader.number("n", 1, 1e6)
    safety = Safety(
        tuple(_events(events[:MOST_EVENTS], reader)),
        tuple(unmark(one)[:LONGEST] for one in terms if isinstance(one, str))[:MOST_EVENTS],
        reader.text("boxed_class"),
        int(n) if n else None,
    )
    return safety, reader.warnings


def _events(listed: Sequence[object], reader: Reader) -> Iterator[SafetyEvent]:
    for one in listed:
        term = one.get("term") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(term, str) or not term.strip():
            reader.refuse("events", "has an entry without a term")
            continue
        rates = [reader.number(key, 0, 1, one) for key in ("rate", "grade3_rate")]
        yield SafetyEvent(unmark(term)[:LONGEST], rates[0], rates[1])


_RATIO = re.compile(r"\bhazard ratio\b|\bHR\b", re.IGNORECASE)


def read_efficacy(values: Mapping[str, object] | None) -> tuple[Efficacy | None, list[str]]:
    """Return the own result and what of it is not used."""
    if not values:
        return None, []
    reader = Reader("preliminary_efficacy_data", values)
    known = ("measure", "value", "n", "ci_low", "ci_high", "control_value", "source")
    reader.others(known)
    measure = reader.text("measure")
    is_ratio = bool(_RATIO.search(measure))
    reading = read_endpoint(_RATIO.sub(" ", measure).replace(" for ", " ").strip() or measure)
    is_share = not is_ratio and reading.type == "proportion"
    low, high = (1e-6, 1e3) if is_ratio else (0.0, 1.0) if is_share else (-1e9, 1e9)
    value = reader.number("value", low, high)
    n = reader.number("n", 1, 1e6)
    limits = [reader.number(key, low, high) for key in ("ci_low", "ci_high")]
    if None not in limits and value is not None and not limits[0] <= value <= limits[1]:  # type: ignore[operator]
        reader.refuse("ci_low", "and ci_high do not hold the value")
        limits = [None, None]
    control = None if is_ratio else reader.number("control_value", low, high)
    if not measure or value is None:
        reader.warnings.append(
            "value_not_used: preliminary_efficacy_data needs a measure and a value that can be so; "
            "rates are shares from 0 to 1, hazard ratios lie above 0."
        )
        return None, reader.warnings
    n_read = int(n) if n else None
    return Efficacy(
        measure, reading, value, n_read, limits[0], limits[1], control, is_ratio
    ), reader.warnings


def read_supply(values: Mapping[str, object] | None) -> tuple[Supply, list[str]]:
    """Return the limits of manufacturing and what of them is not used."""
    if not values:
        return Supply(), []
    reader = Reader("manufacturing_constraints", values)
    reader.others(("vein_to_vein_days", "slots_per_month", "cold_chain", "notes"))
    supply = Supply(
        reader.number("vein_to_vein_days", 1, 1000),
        reader.number("slots_per_month", 1, 1e6),
        reader.text("cold_chain"),
        bool(reader.text("notes")),
    )
    return supply, reader.warnings
