"""A trial as its register tells it; `programs` and `precedents` add what an answer needs."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from core.records.stages import Stage


@dataclass(frozen=True, slots=True)
class TrialEndpoint:
    """What a trial measures.

    Attributes:
        text: As written.
        is_primary: Whether it is a primary one.
        time_point: Time frame as written.
    """

    text: str
    is_primary: bool
    time_point: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial as its register tells it; "", None or () where the record does not say.

    Attributes:
        record_id: Its record.
        title: Its title.
        conditions: As written.
        phase: Stage word of its phase; "APPROVED" for phase 4.
        phase_fact: The fact that gives the phase.
        status: The register's word.
        as_of: Date of the status.
        sponsor: Lead sponsor as written.
        sponsor_class: The register's class of its lead sponsor.
        start_on: YYYY-MM-DD or YYYY-MM.
        primary_completion_on: Same form.
        n: Participants of all arms together.
        n_sites: Number of sites.
        countries: Countries of its sites.
        ages: Least and greatest age in years.
        measures: What it measures, in the order of the record.
        why_stopped: As written.
        design_words: Its design in the register's words.
        is_monitored: Whether a data monitoring committee watches.
        has_results: Whether results are posted.
    """

    record_id: str
    title: str = ""
    conditions: tuple[str, ...] = ()
    phase: Stage | Literal[""] = ""
    phase_fact: int = 0
    status: str = ""
    as_of: str = ""
    sponsor: str = ""
    sponsor_class: str = ""
    start_on: str = ""
    primary_completion_on: str = ""
    n: int | None = None
    n_sites: int | None = None
    countries: tuple[str, ...] = ()
    ages: tuple[float | None, float | None] = (None, None)
    measures: tuple[TrialEndpoint, ...] = ()
    why_stopped: str = ""
    design_words: str = ""
    is_monitored: bool | None = None
    has_results: bool = False

    @property
    def number(self) -> str:
        """Return its number in the register."""
        return self.record_id.partition(":")[2]

    @property
    def primary_measures(self) -> list[str]:
        """Return its primary endpoints as written."""
        return [measure.text for measure in self.measures if measure.is_primary]

    def told(self) -> dict[str, Any]:
        """Return what the register tells, by attribute, for a record that adds to it."""
        return {field.name: getattr(self, field.name) for field in fields(Trial)}
