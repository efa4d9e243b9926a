"""What calculations assume where nothing is on record: our own, each shown as such."""

from core.agents.clinical_trial_design.tables import split
from core.vocabulary.tables import TableRow, load_rows


class AssumptionRow(TableRow):
    """An assumption; several values, joined with "|", are shown beside each other."""

    key: str
    values: str
    unit: str


def assumed_words(key: str) -> tuple[str, ...]:
    """Return the values of an assumption as written."""
    rows = {row.key: row for row in load_rows("assumptions", AssumptionRow)}
    return split(rows[key].values)


def assumed(key: str) -> tuple[float, ...]:
    """Return the values of an assumption.

    >>> assumed("delay_months")
    (0.0, 2.0, 4.0, 6.0)
    """
    return tuple(float(value) for value in assumed_words(key))
