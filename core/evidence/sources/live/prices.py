"""Tiingo: daily prices of a listed share or fund by its ticker, with the user's own key.

Site: api.tiingo.com/tiingo/daily/{ticker}/prices, key in `Authorization` (BPW_TIINGO_API_KEY);
commercial data for internal use under the holder's plan, so nothing of it is kept by the product.
Prices come with splits and dividends worked in (`adjClose`).
"""

import re
from datetime import date

from core.errors import InvalidInput, UnreadableTable
from core.evidence.sources.live.web import NoAnswer, open_site
from core.ports import Rates
from core.settings import Settings

NAME = "tiingo"
ADDRESS = "https://api.tiingo.com"
PAUSE_S = 0.2
LONGEST_S = 12.0
_TICKER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,11}")
_COLUMNS = ("date", "adjClose")


def fetch_prices(
    ticker: str, first: date, last: date, settings: Settings, rates: Rates | None = None
) -> str:
    """Return daily prices as CSV text with a header, the oldest day first.

    Args:
        ticker: Ticker of the share or fund, such as "XBI".
        first: First day.
        last: Last day, included.
        settings: Key, proxy and whether connections may be opened.
        rates: How often the host may be asked.

    Raises:
        InvalidInput: No key is set, or the ticker or the days are wrong.
        UnreadableTable: The service did not answer, or not with prices.
    """
    ticker = ticker.strip()
    if not _TICKER.fullmatch(ticker):
        raise InvalidInput(f"Enter a ticker such as XBI, not {ticker[:20]!r}.")
    if first >= last:
        raise InvalidInput("The first day must be before the last day.")
    key = (settings.tiingo_api_key or "").strip()
    if settings.offline or not key or not key.isascii() or not key.isprintable():
        why = "BPW_OFFLINE is set" if settings.offline else "set BPW_TIINGO_API_KEY"
        raise InvalidInput(f"Prices by ticker are not available on this instance: {why}.")
    site = open_site(settings, NAME, ADDRESS, LONGEST_S, pause_s=PAUSE_S, rates=rates)
    try:
        reply = site.ask(
            "GET",
            f"/tiingo/daily/{ticker.upper().replace('.', '-')}/prices",
            query={
                "format": "csv",
                "resampleFreq": "daily",
                "startDate": first.isoformat(),
                "endDate": last.isoformat(),
            },
            headers={"Authorization": f"Token {key}"},
        )
    except NoAnswer as failure:
        raise UnreadableTable(f"No prices of {ticker}: {failure.message}.") from failure
    text = reply.content.decode("utf-8", "replace")
    header, _, rows = text.partition("\n")
    names = header.strip().split(",")
    if not reply.is_missing and (
        "csv" not in reply.content_type or not set(_COLUMNS) <= set(names)
    ):
        raise UnreadableTable(f"No prices of {ticker}: Tiingo answered in another form.")
    days = [row.split(",")[names.index("date")][:10] for row in rows.splitlines() if row.strip()]
    if reply.is_missing or not days:
        raise InvalidInput(f"Tiingo lists no prices of {ticker} between {first} and {last}.")
    if min(days) < first.isoformat() or max(days) > last.isoformat():
        raise UnreadableTable(f"No prices of {ticker}: Tiingo sent other days than asked for.")
    return text
