"""The form of the attribution engine: files of returns or prices, a file of events, settings."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import streamlit as st
from pydantic.fields import FieldInfo

from core.agent import Agent
from core.agents.attribution_engine.event_files import read_events
from core.agents.attribution_engine.market_files import (
    MarketInput,
    list_tickers,
    pick_benchmark,
    read_market,
    read_stocks,
)
from core.agents.attribution_engine.settings import Config, Exclusion, ShortHistory, Variance
from core.errors import InvalidInput, UnreadableTable, WorkbenchError
from core.evidence.sources.live.prices import fetch_prices
from core.records.runs import Caller
from core.tables.bounds import expand_upload
from core.tables.delimited import decode_upload
from core.vocabulary.exchanges import ExchangeCode, name_exchange
from core.workbench import current
from pages.ui import form
from pages.ui.form import state_key
from pages.ui.plain import plain, show_count
from pages.ui.upload import TableInput, pick_table

LONGEST = 8 * 1024 * 1024
"""Characters of a file that are read; a request may not be larger either."""
_FIRST = ("sig_z", "min_abs_move")
_FOLDED = (
    "estimation_window",
    "gap",
    "min_obs",
    "max_lag",
    "leakage_window",
    "outlier_z",
    "partial_ratio",
    "flag_chance",
)
_SWITCHES = {
    "set_aside": "Set aside splits and halts",
    "usual_moves": "Expect what earlier events of the type did",
}
_CHOICES = {
    "exchange": ExchangeCode,
    "exclusion": Exclusion,
    "variance": Variance,
    "short_history": ShortHistory,
}


def fill(agent: Agent, values: dict[str, Any]) -> None:
    """Put a request into the form: its rows as tables, kept exactly as they were."""
    form.fill(
        agent,
        {name: value for name, value in values.items() if name not in ("config", "companies")},
    )
    st.session_state.pop(state_key(agent, "benchmark_file"), None)
    for field, rows in (
        ("stock_file", values.get("returns")),
        ("event_file", values.get("events")),
    ):
        key = state_key(agent, field)
        st.session_state.pop(key, None)
        if rows:
            notes = values.get("input_notes", []) if field == "stock_file" else []
            st.session_state[key] = {"text": _write(rows), "rows": rows, "notes": notes}
    companies = values.get("companies") or []
    key = state_key(agent, "company")
    st.session_state[f"{key}-many"] = len(companies) > 1
    st.session_state[key] = companies[0]["name"] if len(companies) == 1 else ""
    settings = Config.model_validate(values.get("config") or {})
    for name in (*_FIRST, *_FOLDED, *_CHOICES, *_SWITCHES):
        st.session_state[_setting_key(agent, name)] = getattr(settings, name)
    st.session_state[_setting_key(agent, "min_obs")] = settings.usable_rows_needed


def _write(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV text, for the preview."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(row.get(name)) for name in names] for row in rows])
    return target.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def draw(agent: Agent, caller: Caller) -> dict[str, Any]:
    """Draw the form and return the request's fields."""
    _draw_prices(agent)
    stock = pick_table(
        "Returns or prices",
        state_key(agent, "stock_file"),
        caller,
        help_text="One row a trading day: date, stock and market as simple returns (fractions), or "
        "a price file of Yahoo, Stooq, Nasdaq, Bloomberg, FactSet or CRSP shape. A file of several "
        "stocks (a column or a row each) is read by ticker. A column named sector next to the "
        "benchmark's"
        " is a second factor of the model. Log returns cannot be distinguished from simple ones"
        ": send simple returns.",
    )
    benchmark = pick_table(
        "Benchmark, if it has a file of its own (optional)",
        state_key(agent, "benchmark_file"),
        caller,
        help_text="Prices or returns of the sector benchmark over the same days.",
    )
    events = pick_table(
        "Events (optional)",
        state_key(agent, "event_file"),
        caller,
        help_text="One row an event: date, asset, event_type, relationship (own or whose), "
        "confirmed (yes or no), expected_abs_move, session (pre, regular, after, or 4:05 PM ET), "
        "ticker where there are several stocks.",
    )
    values = _read_market(agent, caller, stock, benchmark)
    read, notes = _read_events(agent, caller, events)
    all_notes = [*values.get("input_notes", []), *(note[:500] for note in notes)]
    values |= {"events": read, "input_notes": list(dict.fromkeys(all_notes))[:20]}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        second = any(row.get("sector") is not None for row in values.get("returns") or [])
        labels = ("benchmark", "second_benchmark") if second else ("benchmark",)
        values |= form.draw_fields(agent, (*labels, "unexplained_window"))
    values["companies"] = _draw_companies(agent, values.get("returns") or [])
    values["config"] = _draw_settings(agent)
    return values


def _draw_prices(agent: Agent) -> None:
    """Offer to get prices of a share and its benchmark by ticker, where a key is set."""
    settings = current().settings
    if not settings.tiingo_api_key:
        return
    with st.expander("Get prices by ticker (Tiingo)", icon=":material/download:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            key = state_key(agent, "prices")
            stock = st.text_input("Ticker", key=f"{key}-stock", max_chars=12)
            st.session_state.setdefault(f"{key}-market", "XBI")
            market = st.text_input("Benchmark ticker", key=f"{key}-market", max_chars=12)
            today = datetime.now(UTC).date()
            st.session_state.setdefault(f"{key}-days", (today - timedelta(days=2 * 365), today))
            days = st.date_input("First and last day", key=f"{key}-days", max_value=today)
            is_asked = st.button("Get prices", key=f"{key}-get")
        st.caption("Only the tickers and the days are sent. Both series replace the files below.")
        if not is_asked:
            return
        try:
            if not isinstance(days, tuple) or len(days) != 2:  # noqa: PLR2004 - a range has two ends
                raise InvalidInput("Choose a first and a last day.")
            texts = [fetch_prices(ticker, *days, settings) for ticker in (stock, market)]
        except WorkbenchError as error:
            st.error(plain(error.message), icon=":material/error:")
            return
        for field, text in zip(("stock_file", "benchmark_file"), texts, strict=True):
            st.session_state[state_key(agent, field)] = {"text": text}
        st.session_state[state_key(agent, "benchmark")] = market.strip().upper()
        st.session_state[state_key(agent, "company")] = stock.strip().upper()


def _draw_companies(agent: Agent, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Ask for the company behind the stock; those of several are known by their tickers."""
    tickers = sorted({str(row["ticker"]) for row in rows if row.get("ticker")})
    key = state_key(agent, "company")
    if len(tickers) > 1:
        label = "List known events next to unexplained moves"
        st.session_state.setdefault(f"{key}-many", False)
        is_many = st.toggle(label, key=f"{key}-many", help="Companies are found by their tickers.")
        return [{"ticker": ticker, "name": ticker} for ticker in tickers] if is_many else []
    st.session_state.setdefault(key, "")
    name = st.text_input(
        "Company (optional)",
        key=key,
        max_chars=200,
        help="Name or ticker: dated events that this instance holds of it, and of drugs on the "
        "same targets, are proposed for moves that the list leaves unexplained.",
    )
    ticker = tickers[0] if tickers else None
    return [{"ticker": ticker, "name": name.strip()}] if name.strip() else []


def _kept(agent: Agent, field: str) -> dict[str, Any] | None:
    """Return rows that a request brought into the form and no upload has replaced."""
    source = st.session_state.get(state_key(agent, field)) or {}
    return source if "rows" in source else None


def _read_market(
    agent: Agent, caller: Caller, stock: TableInput | None, benchmark: TableInput | None
) -> dict[str, Any]:
    kept_answer = _kept(agent, "stock_file")
    if stock is None:
        return {"returns": None}
    if kept_answer is not None and benchmark is None:
        _show_notes(kept_answer["notes"])
        return {"returns": kept_answer["rows"], "input_notes": kept_answer["notes"]}
    try:
        second = None if benchmark is None else _text(benchmark, caller)
        stocks = _read_stocks(agent, _text(stock, caller), second)
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return {"returns": None}
    first, last = (stocks.rows[0]["date"], stocks.rows[-1]["date"]) if stocks.rows else ("–", "–")
    st.caption(f"{show_count(len(stocks.rows))} days of returns, {first} to {last}")
    _show_notes(stocks.notes)
    return {"returns": stocks.rows, "input_notes": [note[:500] for note in stocks.notes[:20]]}


def _read_stocks(agent: Agent, text: str, second: str | None) -> MarketInput:
    """Read a file of one stock, or of those that are picked from a file of several."""
    tickers = list_tickers(text)
    if not tickers:
        return read_market(text, second)
    usual = None if second is not None else pick_benchmark(tickers)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = [None, *tickers] if second is not None or usual is None else tickers
        benchmark = st.selectbox(
            "Benchmark in the file",
            options,
            index=options.index(usual),
            format_func=lambda ticker: plain(ticker or "none"),
            key=state_key(agent, "benchmark_ticker"),
        )
        others = [ticker for ticker in tickers if ticker != benchmark]
        stocks = st.multiselect(
            "Stocks",
            others,
            default=others,
            key=state_key(agent, f"stocks-{','.join(others)[:200]}"),
        )
    return read_stocks(text, second, stocks=stocks, benchmark=benchmark)


def _read_events(
    agent: Agent, caller: Caller, events: TableInput | None
) -> tuple[list[dict[str, object]] | None, Sequence[str]]:
    """Return the events, None where they cannot be read, and how they were read."""
    kept_answer = _kept(agent, "event_file")
    if events is None:
        return [], ()
    if kept_answer is not None:
        return kept_answer["rows"], ()
    try:
        event_input = read_events(_text(events, caller))
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return None, ()
    st.caption(f"{show_count(len(event_input.events))} events")
    _show_notes(event_input.notes)
    return event_input.events, event_input.notes


def _show_notes(notes: Sequence[str]) -> None:
    if notes:
        st.info("\n".join(f"- {plain(note)}" for note in notes), icon=":material/info:")


def _text(table: TableInput, caller: Caller) -> str:
    """Return the text of a table, whole.

    Raises:
        UnreadableTable: Larger than a request may be, damaged, or no text.
    """
    if table.text is not None:
        return table.text
    stores = current().stores
    file = stores.files.get(caller.user_id, table.file_id or "")
    with stores.blobs.open(file.sha256) as content:
        raw = content.read(LONGEST + 1)
    if len(raw) > LONGEST:
        raise UnreadableTable(f"the file is larger than {LONGEST // 2**20} MB")
    return decode_upload(expand_upload(raw, LONGEST))


def _setting_key(agent: Agent, name: str) -> str:
    return state_key(agent, f"config.{name}")


def _draw_settings(agent: Agent) -> dict[str, object]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values = {name: _draw_number(agent, name) for name in _FIRST}
    with st.expander("More settings", icon=":material/tune:"):
        values |= {name: _draw_number(agent, name) for name in _FOLDED}
        for name, kind in _CHOICES.items():
            info, key = Config.model_fields[name], _setting_key(agent, name)
            st.session_state.setdefault(key, info.default)
            label = form.label_of(name, info).removesuffix(" (optional)")
            shown = {"help": info.description, "format_func": name_exchange}
            values[name] = st.selectbox(label, get_args(kind), key=key, **shown)
        for name, label in _SWITCHES.items():
            info, key = Config.model_fields[name], _setting_key(agent, name)
            st.session_state.setdefault(key, info.default)
            values[name] = st.toggle(label, key=key, help=info.description)
    return values


def _draw_number(agent: Agent, name: str) -> float | int:
    info = Config.model_fields[name]
    key = _setting_key(agent, name)
    st.session_state.setdefault(key, info.default if name != "min_obs" else 60)
    is_whole = isinstance(st.session_state[key], int)
    label = form.label_of(name, info).removesuffix(" (optional)")
    low, high = _bounds(info)
    shown: dict[str, Any] = {"label": label, "key": key, "help": info.description}
    if is_whole:
        return int(st.number_input(min_value=int(low), max_value=int(high), step=1, **shown))
    step = 0.01 if name == "min_abs_move" else 0.1
    return float(st.number_input(min_value=low, max_value=high, step=step, format="%g", **shown))


def _bounds(info: FieldInfo) -> tuple[float, float]:
    low = max((getattr(rule, "ge", getattr(rule, "gt", None)) or 0) for rule in info.metadata)
    high = max((getattr(rule, "le", None) or 0) for rule in info.metadata)
    return float(low), float(high)
