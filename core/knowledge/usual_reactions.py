"""How far biotechnology stocks moved at events that records date, whatever the stock did.

The events are all of their type that the records hold of the companies of the reference's daily
returns: a rule drew them, nobody after their reaction. `tests/benchmarks/attribution_reactions.py`
makes the table anew.
"""

from functools import cache

from pydantic import Field

from core.vocabulary.event_types import EventType
from core.vocabulary.tables import TableRow, load_rows


class UsualReactionRow(TableRow):
    """Reactions to one type of event over its day and the next trading day.

    Attributes:
        event_type: As the records type it.
        words: What a list may call it, in lower case, between bars.
        n_events: Own events that could be tested.
        n_stocks: Of so many stocks.
        median_abs_move: Median abs(CAR) beyond the benchmark, a fraction.
        lower_quartile: Of the same.
        upper_quartile: Of the same.
        share_up: Share with a CAR above 0.
        share_moved: Share over both limits of a move (2.58 deviations, 5 %).
        median_without_event: Median abs(CAR) over as many days away from events.
        since: First day of the returns.
        until: Last day.
    """

    event_type: EventType
    words: str
    n_events: int = Field(ge=20)
    n_stocks: int
    median_abs_move: float
    lower_quartile: float
    upper_quartile: float
    share_up: float
    share_moved: float
    median_without_event: float
    since: str
    until: str


@cache
def _by_word() -> dict[str, UsualReactionRow]:
    rows = load_rows("usual_reactions", UsualReactionRow)
    return {word: row for row in rows for word in row.words.split("|")}


def find_usual(kind: str) -> UsualReactionRow | None:
    """Return the usual reaction to a type of event.

    Args:
        kind: What a list calls it, in lower case with single blanks.
    """
    return _by_word().get(kind)
