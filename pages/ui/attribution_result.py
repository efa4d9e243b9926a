"""The result of the attribution engine, one function a tab."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.agent import Agent
from core.agents.attribution_engine.charts import (
    STATE_WORDS,
    compare_sizes,
    draw_paths,
    draw_sizes,
    draw_states,
    draw_strip,
)
from core.agents.attribution_engine.records import Attribution, Proposal
from core.agents.attribution_engine.schema import AttributionEngineData
from core.records.runs import RunRecord
from core.results import read_table
from core.workbench import current
from pages.ui.attribution_charts import moves_over_time
from pages.ui.charts import show_chart, show_plotly
from pages.ui.citing import web_address, web_link
from pages.ui.downloads import run_stem
from pages.ui.look import on_accent
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller
from pages.ui.starting import begin, stored_request
from pages.ui.tables import show_table

MOST_PROPOSALS = 60


def show_proposals(agent: Agent, run: RunRecord, data: AttributionEngineData) -> None:
    """List the proposals with a box each, and run again with those that are ticked."""
    st.markdown(
        "**None of these is counted as explained.** Each is a dated record of this instance on the "
        "days of an unexplained move or just before; its chance says how often records of its kind "
        "would lie as near on any dates of the stock."
    )
    shown = sorted(data.proposals, key=lambda proposal: proposal.chance)[:MOST_PROPOSALS]
    ticked = [proposal for index, proposal in enumerate(shown) if _draw_proposal(index, proposal)]
    if len(data.proposals) > MOST_PROPOSALS:
        st.caption(
            f"The {MOST_PROPOSALS} least likely by chance of {len(data.proposals):,} are shown."
        )
    caller = signed_in_caller()
    if run.owner_id != caller.user_id:
        return
    label = on_accent(f"Run again with {len(ticked)} more events")
    if st.button(label, type="primary", key="proposals-run", disabled=not ticked):
        request = stored_request(agent, run)
        body = request.model_dump(mode="json", by_alias=True)
        body["events"] += [as_event(proposal) for proposal in ticked]
        begin(agent, caller, agent.request.model_validate(body))


def _draw_proposal(index: int, proposal: Proposal) -> bool:
    """Draw one proposal; return whether it is ticked."""
    stock = f"{proposal.ticker} " if proposal.ticker else ""
    event = f"{proposal.event_type} of {proposal.asset}"
    title = f"{stock}{proposal.move_date} ({proposal.car:+.1%}): {event}"
    with st.container(gap=None):
        is_ticked = st.checkbox(plain(title), key=f"proposal-{index}")
        source = f" {web_link('[1]', proposal.url)}" if web_address(proposal.url) else ""
        st.caption(f"{plain(proposal.note)}{source}")
    return is_ticked


def as_event(proposal: Proposal) -> dict[str, object]:
    """Return a proposal as an event of a request; whether it is sure, its source says."""
    event: dict[str, object] = {
        "date": proposal.date.isoformat(),
        "asset": proposal.asset,
        "event_type": proposal.event_type,
        "relationship": proposal.relationship,
        "confirmed": True,
        "source": {"records": proposal.records, "url": proposal.url},
    }
    return event | ({"ticker": proposal.ticker} if proposal.ticker else {})


SHARES = (
    "car",
    "residual",
    "ar",
    "expected_abs_move",
    "leakage_car",
    "sigma",
    "detectable_move",
    "chance_of_tie",
    "chance_of_flag",
    "flag_fdr",
    "share_explained",
    "largest_unexplained",
    "median_abs_move",
    "lower_quartile",
    "upper_quartile",
    "share_up",
    "share_moved",
    "median_without_event",
    "stock",
    "market",
    "sector",
    "fitted",
)
STOCK_COLUMNS = (
    "ticker",
    "n_moves",
    "confirmed",
    "read_through",
    "partial",
    "unexplained",
    "share_explained",
    "ties_by_chance",
    "unexplained_a_year",
    "n_leakage_flags",
    "largest_unexplained",
    "largest_unexplained_on",
    "stock_years",
    "first_date",
    "last_date",
)
FIGURES = (
    "ties_by_chance",
    "unexplained_a_year",
    "stock_years",
    "volume_ratio",
    "scar",
    "sar",
    "ratio",
    "leakage_z",
    "beta",
    "beta_sector",
)
SMALL = ("p_value", "p_empirical", "p_fdr", "alpha", "chance", "chance_fdr")
FEW_NOTES = 12
MOST_NOTES = 100
MOVE_COLUMNS = (
    "move_date",
    "state",
    "car",
    "scar",
    "residual",
    "drift",
    "event_type",
    "asset",
    "event_date",
    "lag",
    "expected_abs_move",
    "ratio",
    "p_empirical",
    "chance_of_tie",
    "chance_of_flag",
    "flag_fdr",
    "note",
)


def number_formats() -> Mapping[str, object]:
    """Return how the columns of the tables are written."""
    form = st.column_config.NumberColumn
    return (
        {name: form(format="percent") for name in SHARES}
        | {name: form(format="%.2f") for name in FIGURES}
        | {name: form(format="%.4f") for name in SMALL}
        | {"note": st.column_config.TextColumn(width="large")}
    )


def picked_stock(data: AttributionEngineData) -> str | None:
    """Return the stock that the figures show; None where the rows name none."""
    tickers = [stock.ticker for stock in data.stocks]
    chosen = st.session_state.get("stock-shown")
    return chosen if chosen in tickers else next(iter(tickers), None)


def pick_stock(data: AttributionEngineData) -> None:
    """Let one of several stocks be picked for the figures."""
    if len(data.stocks) > 1:
        st.selectbox(
            "Stock in the figures", [stock.ticker for stock in data.stocks], key="stock-shown"
        )


def _of_stock(table: pd.DataFrame, data: AttributionEngineData) -> pd.DataFrame:
    """Return the rows of a table that belong to the stock that is shown."""
    if len(data.stocks) < 2:
        return table
    return table[table["ticker"] == picked_stock(data)].reset_index(drop=True)


def show_portfolio(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw the stocks side by side, and the unexplained moves of all of them, largest first."""
    show_chart(draw_states(data.stocks), "stocks")
    rows = pd.DataFrame([stock.model_dump(mode="json") for stock in data.stocks])
    states = pd.DataFrame(list(rows.pop("states")))
    table = pd.concat([rows, states], axis=1)[list(STOCK_COLUMNS)]
    show_table(
        table,
        total=len(table),
        name=f"{run_stem(run)}_stocks",
        formats=number_formats(),
        describe="Stocks with moves by state and share explained",
    )
    st.markdown("**Unexplained moves of all stocks, by size in deviations**")
    unexplained = _flat(data.unexplained, run)
    ranked = unexplained.iloc[unexplained["scar"].abs().argsort(kind="stable")[::-1]]
    columns = ["ticker", "move_date", "car", "scar", "p_empirical", "chance_of_flag", "note"]
    show_table(
        ranked[[name for name in columns if name in ranked]],
        total=len(ranked),
        name=f"{run_stem(run)}_unexplained_ranked",
        formats=number_formats(),
        describe="Unexplained moves of all stocks",
    )


def show_timeline(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw the main figure, and the note of a picked move."""
    daily, moves, events = (
        _of_stock(read_table(run, name, current()), data) for name in ("daily", "moves", "events")
    )
    figure, frame = moves_over_time(data, daily, moves, events)
    floor, z = data.config.min_abs_move, data.config.sig_z
    picked = show_plotly(
        figure,
        frame,
        name="moves",
        caption="Above: what 1 in the stock has become, and what alpha and beta alone would have "
        f"given, with every move by state. Below: abnormal return of each day, the band of {z:g} "
        f"deviations and the floor of {floor:.1%}. Shaded: rows of the leakage check of flagged "
        "moves. Pick a marker to read its note.",
        describe=f"Stock and fitted path with {len(moves)} moves over daily abnormal returns",
    )
    shown = set(moves["move_date"])
    ticker = picked_stock(data)
    for attribution in data.attributions:
        if attribution.ticker == ticker and str(attribution.move_date) in shown & set(picked):
            st.markdown(
                f"**{attribution.move_date} · {STATE_WORDS[attribution.state]}** "
                f"{plain(attribution.note)}"
            )


def _flat(records: Sequence[Attribution], run: RunRecord) -> pd.DataFrame:
    """Return the table of these moves with state and drift as words."""
    moves = read_table(run, "moves", current())
    move_keys = {(record.ticker, str(record.move_date)) for record in records}
    tickers = moves["ticker"].astype(object).where(moves["ticker"].notna(), None)
    keys = list(zip(tickers, moves["move_date"], strict=True))
    kept_moves = moves[pd.Series([key in move_keys for key in keys], index=moves.index, dtype=bool)]
    if kept_moves["ticker"].isna().all():
        kept_moves = kept_moves.drop(columns="ticker")
    return kept_moves.assign(
        state=kept_moves["state"].map(STATE_WORDS),
        drift=kept_moves["leakage_flag"].map({True: "check", False: "no"}),
    )


def show_moves(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw the table of moves with its filters."""
    table = _flat(data.attributions, run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        states = st.multiselect("States", list(STATE_WORDS.values())[:4], key="moves-states")
        flagged = st.toggle("Only patterns to check", key="moves-flagged")
        shared = st.toggle("Only with several events", key="moves-shared")
    frame = table
    if states:
        frame = frame[frame["state"].isin(states)]
    if flagged:
        frame = frame[frame["leakage_flag"].astype(bool)]
    if shared:
        frame = frame[frame["confounded"].astype(bool)]
    if table.empty:
        st.info("No day reached both limits.")
        return
    show_table(
        frame[[name for name in ("ticker", *MOVE_COLUMNS) if name in frame]],
        total=len(table),
        name=f"{run_stem(run)}_moves",
        formats=number_formats(),
        describe="Moves with state, size, event and note",
    )
    with st.expander("Notes in full", icon=":material/notes:", expanded=len(frame) <= FEW_NOTES):
        shown = frame[["move_date", "state", "note", "chance_note"]].head(MOST_NOTES)
        for day, state, note, chance in shown.itertuples(index=False):
            st.markdown(f"**{day} · {state}** {plain(note)} {plain(chance)}")
        if len(frame) > len(shown):
            st.caption(f"The first {len(shown)} of {len(frame):,}; the CSV holds all of them.")


def show_unexplained(run: RunRecord, data: AttributionEngineData) -> None:
    """List the moves that no event explains."""
    if not data.unexplained:
        st.info("Every move has an event in its window.")
        return
    st.markdown(
        f"**{len(data.unexplained)} moves have no event in the list.** An event that is missing "
        "from the list looks the same."
    )
    table = _flat(data.unexplained, run)
    columns = ["move_date", "car", "scar", "drift", "chance_of_flag", "flag_fdr"]
    columns += ["p_empirical", "note"]
    show_table(
        table[[name for name in ("ticker", *columns) if name in table]],
        total=len(data.unexplained),
        name=f"{run_stem(run)}_unexplained",
        formats=number_formats(),
        describe="Unexplained moves",
    )


def show_paths(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw what came before and after the moves, and expected against realized sizes."""
    ticker = picked_stock(data)
    mine = [attribution for attribution in data.attributions if attribution.ticker == ticker]
    paths = draw_paths(mine, _of_stock(read_table(run, "daily", current()), data))
    if paths is None:
        st.info("No day reached both limits.")
        return
    show_chart(paths, "car-paths")
    sizes = draw_sizes(data.attributions, data.config.partial_ratio)
    if sizes is not None:
        frame = pd.DataFrame(compare_sizes(data.attributions))
        show_chart(sizes, "sizes", frame=frame)


def show_events(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw every event and what became of it."""
    events = read_table(run, "events", current())
    if events.empty:
        st.info("The request names no events.")
        return
    if data.reactions:
        show_table(
            pd.DataFrame([reaction.model_dump() for reaction in data.reactions]),
            total=len(data.reactions),
            name=f"{run_stem(run)}_reactions",
            formats=number_formats(),
            describe="Sizes of reactions by type of event",
        )
        st.caption(
            "Reactions of the list's confirmed own events over their core rows, next to days away "
            "from events. A list that was chosen after its moves makes them look larger."
        )
    events = events.assign(outcome=events["outcome"].str.replace("_", " "))
    outcomes = sorted(events["outcome"].unique())
    chosen = st.multiselect("What became of it", outcomes, key="events-outcome")
    kept_events = events[events["outcome"].isin(chosen)] if chosen else events
    show_table(
        kept_events,
        total=len(events),
        name=f"{run_stem(run)}_events",
        formats=number_formats(),
        describe="Events and what became of them",
    )
    st.caption(
        "detectable_move: the smallest one-day move beyond the benchmark that would have been "
        "reported with 80 % power."
    )


def show_days(run: RunRecord, data: AttributionEngineData) -> None:
    """Draw the estimation over time and the daily table."""
    daily = _of_stock(read_table(run, "daily", current()), data)
    frame = daily[["date", "sigma", "beta", "n_obs", "excluded"]]
    show_chart(draw_strip(daily), "estimation", frame=frame)
    ticker = picked_stock(data)
    low = {str(day.date) for day in data.below_floor if day.ticker == ticker}
    only_low = st.toggle(
        f"Only significant days under the floor ({len(low)})", key="days-low", disabled=not low
    )
    shown = daily[daily["date"].isin(low)] if only_low else daily
    unused = [name for name in ("ticker", "sector", "beta_sector") if daily[name].isna().all()]
    show_table(
        shown.drop(columns=unused),
        total=len(daily),
        name=f"{run_stem(run)}_daily",
        formats=number_formats(),
        describe="Every trading day with its model",
    )
