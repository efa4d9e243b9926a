"""Daily prices by ticker on a loopback server: the recorded answer, faults, what is sent."""

import json
import os
from datetime import date
from pathlib import Path

import pytest

from core.agents.attribution_engine.market_files import read_market
from core.errors import InvalidInput, UnreadableTable
from core.evidence.sources.live.prices import fetch_prices
from core.settings import Settings
from tests.core.evidence.loopback import Answering, Asked, Sent, as_json, serving

REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference"))
DAYS = (date(2018, 1, 5), date(2018, 1, 19))
HEADER = b"date,close,adjClose\n"
CSV = {"Content-Type": "text/csv"}


def fetch(answer: Answering, ticker: str = "googl", **settings: object) -> tuple[str, list[Asked]]:
    with serving(answer) as server:
        fields = {"tiingo_api_key": "secret", **settings}
        allowed = Settings(live_addresses={"tiingo": server.address}, **fields)  # type: ignore[arg-type]
        return fetch_prices(ticker, *DAYS, allowed), server.asked


@pytest.mark.reference
def test_a_recorded_answer_becomes_returns() -> None:
    lines = (REFERENCE / "live" / "prices_tiingo" / "tiingo.ndjson").read_text().splitlines()
    recorded = next(
        pair
        for pair in map(json.loads, lines)
        if "GOOGL/prices?format=csv&resampleFreq=daily&startDate=2018" in pair["request"]["url"]
    )
    body = recorded["response"]["body"]
    text, (asked,) = fetch(lambda _: Sent(body.encode(), headers=CSV))
    wanted = dict(part.split("=") for part in recorded["request"]["url"].split("?")[1].split("&"))
    assert (asked.path, asked.query) == ("/tiingo/daily/GOOGL/prices", wanted)
    assert asked.headers["Authorization"] == "Token secret"
    prices = [float(line.split(",")[6]) for line in body.splitlines()[1:]]
    returns = [row["stock"] for row in read_market(text, text).rows]
    assert returns == pytest.approx([b / a - 1 for a, b in zip(prices, prices[1:], strict=False)])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Sent(b"not found", 404), InvalidInput),
        (Sent(HEADER, headers=CSV), InvalidInput),
        (as_json({"detail": "Invalid token"}), UnreadableTable),
        (Sent(b"", 401), UnreadableTable),
        (Sent(b"date,volume\n2018-01-05,1\n", headers=CSV), UnreadableTable),
        (Sent(HEADER + b"2018-01-05,1,1\n", headers=CSV, cut=9), UnreadableTable),
    ],
)
def test_what_gives_no_prices_is_an_error(answer: Sent, error: type[Exception]) -> None:
    with pytest.raises(error):
        fetch(lambda _: answer)


@pytest.mark.parametrize(
    ("ticker", "settings"),
    [
        ("../daily", {}),
        ("", {}),
        ("GOOGL", {"tiingo_api_key": None}),
        ("GOOGL", {"offline": True}),
    ],
)
def test_nothing_is_sent_without_a_key_or_a_ticker(ticker: str, settings: dict) -> None:
    def answer(_: Asked) -> Sent:
        raise AssertionError

    with pytest.raises(InvalidInput):
        fetch(answer, ticker, **settings)
