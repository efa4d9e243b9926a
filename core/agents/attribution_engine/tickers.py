"""Names of stocks in rows and events: a request may hold several."""

from collections.abc import Sequence
from typing import Protocol

from core.agents.attribution_engine.input_checks import Fault


class Named(Protocol):
    """A row that may name its stock."""

    @property
    def ticker(self) -> str | None:
        """Return the stock's name as given."""
        ...


class Owned(Named, Protocol):
    """An event that may name its stock."""

    @property
    def relationship(self) -> str:
        """Return whose event it is."""
        ...


def plain_ticker(ticker: str | None) -> str | None:
    """Return a ticker as it is compared: without outer blanks, in capitals.

    >>> plain_ticker(" srpt "), plain_ticker(None)
    ('SRPT', None)
    """
    return None if ticker is None else " ".join(ticker.split()).upper()


def find_ticker_fault(
    rows: Sequence[Named], events: Sequence[Owned], own_words: frozenset[str]
) -> Fault | None:
    """Return what keeps rows and events from being told apart by stock.

    Args:
        rows: Returns.
        events: Events.
        own_words: Words for events of the company itself.
    """
    tickers = {plain_ticker(ticker) for ticker in {row.ticker for row in rows}}
    if None in tickers and len(tickers) > 1:
        position = next(index for index, row in enumerate(rows) if row.ticker is None)
        reason = "is needed in every row when other rows name one"
        return Fault("missing_field", f"returns[{position}].ticker", reason)
    if len(tickers) < 2:
        return None
    for position, event in enumerate(events):
        if event.ticker is None and event.relationship.strip().casefold() in own_words:
            reason = "is needed: the request holds several stocks, and this event is one's own"
            return Fault("missing_field", f"events[{position}].ticker", reason)
    return None
