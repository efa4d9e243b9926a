"""What a trial is sized with where the request gives no data of its own: values by disease."""

import math
import re
from dataclasses import dataclass
from functools import cache

from core.agents.clinical_trial_design.expectations import ExpectationRow, Number
from core.agents.clinical_trial_design.records import Basis
from core.stats.trial_design.sizing import PlannedEffect
from core.vocabulary.tables import TableRow, load_rows

PER_YEAR = "events a year"
_LN2 = math.log(2)


class PlanningRow(TableRow):
    """Effect, control arm, spread and conduct that a setting is planned with.

    Attributes:
        key: Row of the expectations.
        drug_words: Words that the drug must be described by; "" for all.
        control: Median in months, events a year, share, mean or rate of the control arm.
        control_unit: "events a year" where the control of a time to an event is a rate.
        effect_kind: "hazard ratio", "difference" or "rate ratio".
        effect: The effect on that scale; of non-inferiority the true one, mostly none.
        margin: Of non-inferiority or equivalence, or a ratio that the bound has to exclude.
        deviation: Standard deviation of one participant.
        dispersion: k of counts, with variance mean + k mean squared.
        years: Years that a participant's events are counted.
        months: Months of recruitment that N assumes.
        follow_up: Months from the last entry to the analysis.
        dropout: Share lost, a year for times to an event, in all else.
        year_from: First year of the trials behind the values.
        year_to: Last year of them.
        trials: Trials behind the control's value.
        patients: Patients of their control arms.
    """

    key: str
    drug_words: str
    control: Number
    control_unit: str
    effect_kind: str
    effect: float
    margin: Number
    deviation: Number
    dispersion: Number
    years: Number
    months: Number
    follow_up: Number
    dropout: Number
    year_from: str
    year_to: str
    trials: str
    patients: str

    def control_of(self, kind: str) -> float | None:
        """Return the control arm of an endpoint type: of a time to an event its median."""
        if kind != "time to event" or self.control is None or self.control_unit != PER_YEAR:
            return self.control
        return round(12 * _LN2 / self.control, 2)

    @property
    def variance(self) -> float | None:
        """Return the variance of the effect times the participants of both arms."""
        if self.deviation is not None:
            return 4 * self.deviation**2
        if self.effect_kind != "rate ratio" or not self.control or not self.effect:
            return None
        years, spread = self.years or 1.0, self.dispersion or 0.0
        rates = (self.control, self.control * self.effect)
        return 2 * (sum(1 / (years * rate) for rate in rates) + 2 * spread)

    @property
    def words(self) -> str:
        """Return where the values come from, in a few words."""
        years = f", trials of {self.year_from} to {self.year_to}" if self.year_from else ""
        seen = f", {self.trials} trials, {self.patients} patients" if self.trials else ""
        source = f"{self.source_title}: {self.source_locator}" if self.source_title else ""
        note = f"; {self.note}" if self.note else ""
        return f"{source or 'curator-entered, not yet verified'}{years}{seen}{note}"


@dataclass(frozen=True)
class Planned(PlannedEffect):
    """What the study is planned with, and the records it comes from.

    Attributes:
        low: Weaker end of what was seen.
        high: Stronger end.
        seen_in: Arm, participants and time point of each result.
        ids: Records.
        control_ids: Records of the control's value.
        n_control: Results that give it.
        control_spread: Quartiles of the control's value.
        results: Results that the effect is the median of.
        untold: Results left out: which arm did better cannot be told.
        without_gain: Results whose median is no benefit, so that nothing is planned with them.
        too_small: Results whose median asks for more participants than can be found.
        margin: Of non-inferiority or equivalence.
        table: Row of the planning values behind effect, spread or control.
        given: What the request gives: "control", "deviation", "margin".
    """

    basis: Basis = "assumption"
    low: float | None = None
    high: float | None = None
    seen_in: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    control_ids: tuple[str, ...] = ()
    n_control: int = 0
    control_spread: tuple[float, float] | None = None
    results: int = 0
    untold: int = 0
    without_gain: int = 0
    too_small: int = 0
    margin: float | None = None
    table: PlanningRow | None = None
    given: frozenset[str] = frozenset()

    @property
    def out_of_reach(self) -> "Planned":
        """Return this without its effect: no study is planned with so small a one."""
        return Planned(
            control=self.control,
            control_ids=self.control_ids,
            n_control=self.n_control,
            control_spread=self.control_spread,
            untold=self.untold,
            too_small=self.results,
        )


@cache
def _rows_of(key: str) -> list[PlanningRow]:
    """Return the values of an expectation, those of a class of drugs first."""
    rows = [row for row in load_rows("planning_values", PlanningRow) if row.key == key]
    return sorted(rows, key=lambda row: not row.drug_words)


def find_planning(expected: ExpectationRow | None, drug: str) -> PlanningRow | None:
    """Return the values of an expectation: of the drug's class where it has a row of its own."""
    fitting = (
        row
        for row in (_rows_of(expected.key) if expected else ())
        if not row.drug_words or re.search(row.drug_words, drug, re.IGNORECASE)
    )
    return next(fitting, None)
