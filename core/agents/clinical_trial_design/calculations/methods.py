"""A calculation beside the headline, and what it assumes where nothing is on record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.agents.clinical_trial_design.records import Calculation, Cell
from core.agents.clinical_trial_design.tables import split
from core.vocabulary.tables import TableRow, load_rows


@dataclass(frozen=True)
class Method:
    """A calculation by its name, with its formula."""

    name: str
    formula: str

    def refuse(self, why: str) -> Calculation:
        """Return that it is not made, with the reason."""
        return Calculation(
            method=self.name, applies=False, why=why, formula="", inputs={}, results=[]
        )

    def apply(
        self,
        why: str,
        inputs: Mapping[str, Cell],
        results: Iterable[Mapping[str, Cell]],
        source_ids: Sequence[str] = (),
    ) -> Calculation:
        """Return the calculation with what calls for it, all that enters it, and its rows."""
        return Calculation(
            method=self.name,
            applies=True,
            why=why,
            formula=self.formula,
            inputs=dict(inputs),
            results=[dict(row) for row in results],
            source_ids=list(source_ids),
        )


class AssumptionRow(TableRow):
    """An assumption, our own; several values, joined with "|", are shown beside each other."""

    key: str
    values: str
    unit: str


def assumed_words(key: str) -> tuple[str, ...]:
    """Return the values of an assumption as written."""
    rows: tuple[AssumptionRow, ...] = load_rows("assumptions", AssumptionRow)
    return next(split(row.values) for row in rows if row.key == key)


def assumed(key: str) -> tuple[float, ...]:
    """Return the values of an assumption.

    >>> assumed("delay_months")
    (0.0, 2.0, 4.0, 6.0)
    """
    return tuple(float(value) for value in assumed_words(key))
