"""The memo: what was found, in plain sentences made by rules."""

from collections.abc import Sequence

from core.agents.attribution_engine.records import (
    Attribution,
    BelowFloor,
    EventOutside,
    EventWithoutMove,
    Proposal,
    Summary,
)
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.wording import count, percent, share, size

_WORDS = {
    "confirmed": "explained by a confirmed event of its own",
    "read_through": "a read-through from an event of others",
    "partial": "partly explained or in doubt",
    "unexplained": "unexplained",
}


def write_memo(
    attributions: Sequence[Attribution],
    below_floor: Sequence[BelowFloor],
    quiet: Sequence[EventWithoutMove],
    outside: Sequence[EventOutside],
    summary: Summary,
    config: ConfigUsed,
) -> list[str]:
    """Write the memo's sentences, the main finding first."""
    return [
        *_count_moves(attributions, summary, config),
        *_name_largest(attributions),
        *_name_unexplained(attributions, summary),
        *_name_flags(attributions),
        *_name_chance(summary),
        *_name_shared(summary),
        *_name_silence(below_floor, quiet, outside, config),
    ]


def _count_moves(
    attributions: Sequence[Attribution], summary: Summary, config: ConfigUsed
) -> list[str]:
    """Say how many moves there are, by state."""
    if summary.n_tested == 0:
        return ["No day could be tested: the returns are too few for a market model."]
    limits = f"{size(config.min_abs_move)} beyond the benchmark and {config.sig_z:g} deviations"
    tested = (
        f"{summary.n_tested:,} of {summary.n_usable:,} usable days were tested "
        f"({summary.stock_years:.1f} stock-years)"
    )
    if not attributions:
        return [f"No day reached both limits ({limits}); {tested}."]
    counts = summary.states.model_dump()
    parts = [f"{number} {_WORDS[state]}" for state, number in counts.items() if number]
    moves = count(summary.n_moves, "move")
    return [f"{moves} reached both limits ({limits}): {', '.join(parts)}; {tested}."]


def _day(record: Attribution) -> str:
    """Return a move's day, behind its stock where there are several."""
    return f"{record.ticker} {record.move_date}" if record.ticker else str(record.move_date)


def _name_largest(attributions: Sequence[Attribution]) -> list[str]:
    """Tell of the largest move."""
    if not attributions:
        return []
    largest = max(attributions, key=lambda record: abs(record.car))
    return [f"The largest move is {percent(largest.car)} on {_day(largest)}. {largest.note}"]


def _name_unexplained(attributions: Sequence[Attribution], summary: Summary) -> list[str]:
    """List the days without an event, and how usual so many are."""
    open_moves = [record for record in attributions if record.state == "unexplained"]
    if not open_moves:
        return []
    if len({record.ticker for record in attributions}) > 1:
        open_moves.sort(key=lambda record: -abs(record.scar))  # of many stocks the largest first
    named = ", ".join(f"{_day(record)} ({percent(record.car)})" for record in open_moves[:8])
    more = f" and {len(open_moves) - 8} more" if len(open_moves) > 8 else ""
    rate = f"{summary.unexplained_a_year or 0:.1f} a stock-year"
    return [
        f"Moves that no event in the list explains ({rate}): {named}{more}. An event that is "
        "missing from the list, such as earnings, looks the same; at the default limits 5 to 9 a "
        "year are usual for a biotech stock when only its catalysts are listed."
    ]


def _name_flags(attributions: Sequence[Attribution]) -> list[str]:
    """Name the patterns to check."""
    flagged = [record for record in attributions if record.leakage_flag]
    if not flagged:
        return []
    days = ", ".join(_day(record) for record in flagged[:8])
    more = f" and {len(flagged) - 8} more" if len(flagged) > 8 else ""
    return [
        f"{count(len(flagged), 'move')} came with a pattern to check (drift in the same direction "
        f"before the event, or a move shortly before one): {days}{more}. Public news, sector "
        "drift and chance produce such patterns too; a flag is a reason to check and no finding."
    ]


def _name_chance(summary: Summary) -> list[str]:
    """Say how many ties the list would make by chance."""
    n_tied = summary.n_moves - summary.states.unexplained
    if not n_tied:
        return []
    by_chance = summary.ties_by_chance
    return [
        f"{count(n_tied, 'move')} {'is' if n_tied == 1 else 'are'} tied to an event; the same "
        f"events on any dates of the stock would tie {by_chance:.1f} "
        f"({share(by_chance / summary.n_moves)} of all moves) by chance."
    ]


def say_proposals(proposals: Sequence[Proposal], summary: Summary) -> list[str]:
    """Say how many unexplained moves have a dated record beside them, and the least likely one."""
    if not proposals:
        return []
    moves = {(proposal.ticker, proposal.move_date) for proposal in proposals}
    best = min(proposals, key=lambda proposal: proposal.chance)
    return [
        f"{count(len(moves), 'unexplained move')} of {summary.states.unexplained} "
        f"{'has' if len(moves) == 1 else 'have'} a dated event in the evidence on its days or "
        "just before; nothing of it is counted as explained. The least likely by chance "
        f"({share(best.chance)}): {best.note}"
    ]


def _name_shared(summary: Summary) -> list[str]:
    """Say how many moves have more than one event."""
    if not summary.n_confounded:
        return []
    return [
        f"{count(summary.n_confounded, 'move')} had several events in the window, so that their "
        "cause is not settled; they are counted apart in the share explained."
    ]


def _name_silence(
    below_floor: Sequence[BelowFloor],
    quiet: Sequence[EventWithoutMove],
    outside: Sequence[EventOutside],
    config: ConfigUsed,
) -> list[str]:
    """Say what did not become a move."""
    sentences = []
    seen = [event.detectable_move for event in quiet if event.detectable_move is not None]
    if seen:
        span = " to ".join(dict.fromkeys((size(min(seen)), size(max(seen)))))
        sentences.append(
            f"{count(len(seen), 'event')} had no reported move; a one-day move of {span} would "
            "have been seen there with 80 % power."
        )
    n_early = sum(event.reason == "not_testable" for event in quiet)
    if n_early:
        sentences.append(
            f"{count(n_early, 'event')} could not be tested: a day of the event has no usable "
            "return, or too few days come before."
        )
    if below_floor:
        sentences.append(
            f"{count(len(below_floor), 'day')} stood out statistically but stayed under the "
            f"floor of {size(config.min_abs_move)}; they are listed, not reported as moves."
        )
    if outside:
        sentences.append(f"{count(len(outside), 'event')} lay outside the dates of the returns.")
    return sentences
