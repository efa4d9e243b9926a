"""Precedents: trials, label uses and approvals of a setting, each with its visible match.

What a record does not tell is None, "" or "unknown": an unknown design is not open-label, and a
number of both arms is not one per arm.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.records.trials import Trial

Allocation = Literal["randomized", "not randomized", "single arm", "unknown"]
Masking = Literal["double-blind", "single-blind", "open-label", "unknown"]
Control = Literal["placebo", "add-on placebo", "active", "dose", "single arm", "unknown"]
TrialOutcome = Literal[
    "carried an approval", "difference shown", "no difference shown", "stopped", "unknown"
]
Regimen = Literal["monotherapy", "combination", "add-on", "either", ""]


@dataclass(frozen=True, slots=True)
class Match:
    """How near a precedent is to the setting asked for.

    Attributes:
        score: 0 to 100: the weighted mean of the parts that were asked for.
        parts: Each part asked for, from 0 to 1.
    """

    score: int
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Range:
    """How a number lies among precedents.

    Attributes:
        low: First quartile; None where fewer than two tell it.
        median: The middle one; None where nobody tells it.
        high: Third quartile; None where fewer than two tell it.
        n: Precedents that tell it.
        unit: Of what.
    """

    low: float | None
    median: float | None
    high: float | None
    n: int
    unit: str


@dataclass(frozen=True, slots=True)
class TrialDesign:
    """How a trial is built.

    Attributes:
        allocation: How patients come to their arms.
        model: "parallel", "crossover", "factorial", "sequential", "single group" or "".
        masking: Who knows the arm.
        control: With what the drug is compared.
    """

    allocation: Allocation = "unknown"
    model: str = ""
    masking: Masking = "unknown"
    control: Control = "unknown"

    @property
    def words(self) -> str:
        """Return the design as a reader calls it; "" where nothing is known."""
        words = (self.allocation, self.masking, self.model)
        plain = [word for word in words if word not in {"", "unknown"}]
        return ", ".join(word for word in plain if word != "single group")


@dataclass(frozen=True, slots=True)
class EndpointReading:
    """An endpoint of a trial with what its words come to.

    Attributes:
        text: As written.
        name: Its class; "" where no class is known.
        area: Field of medicine of its class.
        better: Which direction is good: "higher", "lower" or "none".
        type: In what it is told; "" where unknown.
        time_point: As written.
        is_primary: Whether it is a primary one.
    """

    text: str
    name: str
    area: str
    better: str
    type: str
    time_point: str
    is_primary: bool


@dataclass(frozen=True, slots=True)
class PrecedentEffect:
    """A ratio or difference of two arms of a trial.

    Attributes:
        measure: As written.
        endpoint: Its class; "".
        value: The figure.
        unit: Such as "hazard ratio".
        interval: As written.
        is_primary: Whether it is of a primary endpoint.
        arms: As written, the first against the second; "".
        time_point: As written.
        n: Participants analyzed; None where unknown.
        excludes_none: Whether the interval leaves no room for "no effect"; None without interval.
        record_id: What tells it.
        fact_id: The fact.
    """

    measure: str
    endpoint: str
    value: float
    unit: str
    interval: str
    is_primary: bool
    arms: str
    time_point: str
    n: int | None
    excludes_none: bool | None
    record_id: str
    fact_id: int


@dataclass(frozen=True, slots=True)
class SettingTrial(Trial):
    """A registered trial as a precedent.

    Attributes:
        drugs: Drugs tested, as written.
        comparators: Drugs compared with, as written.
        targets: What the drugs tested act on, as shown.
        modalities: Their kinds.
        disease_keys: Diseases.
        line: Line of treatment; "".
        biomarkers: By which patients are chosen.
        design: How it is built.
        months: From start to primary completion, follow-up included; None where unknown.
        endpoints: Primary endpoints.
        effects: Effects that any record tells of it, the primary ones first.
        outcome: What came of it.
    """

    drugs: tuple[str, ...] = ()
    comparators: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    disease_keys: tuple[str, ...] = ()
    line: str = ""
    biomarkers: tuple[str, ...] = ()
    design: TrialDesign = field(default_factory=TrialDesign)
    months: float | None = None
    endpoints: tuple[EndpointReading, ...] = ()
    effects: tuple[PrecedentEffect, ...] = ()
    outcome: TrialOutcome = "unknown"


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """For what ages a use is.

    Attributes:
        adults: Whether adults are named.
        children: Whether younger patients are named.
        from_years: Least age in years that is named; None where none is.
        to_years: Greatest age of children alone; None where none is named.
    """

    adults: bool = False
    children: bool = False
    from_years: float | None = None
    to_years: float | None = None

    @property
    def words(self) -> str:
        """Return the ages in words; "" where the use names none."""
        least, most = map(word_age, (self.from_years, self.to_years))
        least = least.removesuffix(" years") if most.endswith("years") else least
        limits = f"{least and f' from {least}'}{most and f' to {most}'}"
        named = ("adults" * self.adults, "children" * self.children)
        whom = " and ".join(filter(None, named))
        return f"{whom}{limits}" if whom else ""


def word_age(years: float | None) -> str:
    """Return an age in words: months below one year; "" of none."""
    if years is None:
        return ""
    number, unit = (f"{years * 12:.0f}", "month") if years < 1 else (f"{years:g}", "year")
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


@dataclass(frozen=True, slots=True)
class UseReading:
    """One use as the text of a label tells it.

    Attributes:
        text: Its clause.
        line: Line of treatment; "".
        biomarker: Biomarkers of its patients, as written; "".
        needs_test: Whether an approved test must find them.
        age: For what ages.
        regimen: Alone or with others; "" where the clause does not say.
        partners: What it is combined with, as written; "".
        is_accelerated: Whether it stands under accelerated approval.
        limitation: What the label says against wider use; "".
    """

    text: str
    line: str = ""
    biomarker: str = ""
    needs_test: bool = False
    age: AgeGroup = field(default_factory=AgeGroup)
    regimen: Regimen = ""
    partners: str = ""
    is_accelerated: bool = False
    limitation: str = ""


@dataclass(frozen=True, slots=True)
class LabelUse:
    """A use of a label as a row.

    Attributes:
        record_id: The label.
        title: Its title.
        drugs: Active substances as written.
        disease_keys: Diseases of the use.
        diseases: Their names.
        use: What its clause tells; of a label whose text is not held, what its fact tells.
        is_read: Whether the slots were read from the label's own text; else they are of a row of
            the starter pack, where an empty slot says nothing.
        targets: What the drug acts on, as shown.
        modalities: Its kinds.
        approved_on: First approval of the product, not of the use; "".
        as_of: Day of the label.
    """

    record_id: str
    title: str
    drugs: tuple[str, ...]
    disease_keys: tuple[str, ...]
    diseases: tuple[str, ...]
    use: UseReading
    is_read: bool
    targets: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    approved_on: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class PivotalTrial:
    """A trial that the studies section of a label names.

    Attributes:
        number: Its number.
        label_id: The label.
        drugs: Active substances of the label as written.
        heading: Heading of the part of the section; "".
        disease_keys: Diseases that the heading names.
        endpoints: Classes of the efficacy endpoints that the part tells, in its order.
        design: What the part tells of the design.
        is_on_record: Whether the trial's own record is held.
        as_of: Day of the label.
    """

    number: str
    label_id: str
    drugs: tuple[str, ...]
    heading: str
    disease_keys: tuple[str, ...]
    endpoints: tuple[str, ...]
    design: TrialDesign
    is_on_record: bool
    as_of: str = ""
