"""Notes on moves, in plain words.

A drift before an event is called a pattern to check. No sentence says or hints that anybody did
anything: most drifts have public causes.
"""

from core.agents.attribution_engine.decision import Decision, Match
from core.agents.attribution_engine.leakage import Drift
from core.agents.attribution_engine.places import PlacedEvent
from core.agents.attribution_engine.settings import ConfigUsed

_LONGEST = 120
_TO_CHECK = "a pattern to check, which often has public causes"


def percent(value: float) -> str:
    """Return a fraction as a signed percentage.

    >>> percent(0.1234), percent(-0.05)
    ('+12.3 %', '-5.0 %')
    """
    return f"{100 * value:+.1f} %"


def size(value: float) -> str:
    """Return a fraction as a percentage without sign."""
    return f"{100 * abs(value):.1f} %"


def share(value: float) -> str:
    """Return a share as a percentage.

    >>> share(0.1234), share(0.0004)
    ('12 %', 'under 0.1 %')
    """
    if value < 0.001:
        return "under 0.1 %"
    return f"{100 * value:.1f} %" if value < 0.095 else f"{100 * value:.0f} %"


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "row"), count(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def name_event(placed: PlacedEvent) -> str:
    """Name an event by what happened, to what, when, and whose it is."""
    event = placed.event
    words = " ".join(f"{event.event_type} of {event.asset}".split())
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    sure = "confirmed" if event.confirmed else "not confirmed"
    whose = "own" if placed.is_own else " ".join(event.relationship.split())[:40]
    return f"{short} on {event.date} ({whose}, {sure})"


def write_note(decision: Decision, drift: Drift | None, config: ConfigUsed) -> str:
    """Write the note of a move: one sentence."""
    match = decision.match
    clauses = _explain(decision, match, config) if match else _leave_open(decision, config)
    if len(decision.matches) > 1:
        others = len(decision.matches) - 1
        second = name_event(decision.matches[1].placed)
        more = f" and {count(others - 1, 'more event')}" if others > 1 else ""
        clauses.append(f"also in the window: {second}{more}, so the cause is not alone")
    if drift is not None and drift.is_flagged:
        days = count(drift.size.n_days, "trading day")
        clauses.append(
            f"{percent(drift.size.car)} beyond the benchmark over {days} before the event "
            f"(z {drift.size.scar:.1f}), {_TO_CHECK}"
        )
    return "; ".join(clauses) + "."


def _explain(decision: Decision, match: Match, config: ConfigUsed) -> list[str]:
    move = percent(decision.move.size.car)
    return [
        f"{_OPENINGS[match.basis]} {name_event(match.placed)}, {_say_lag(match)}",
        *_say_size(decision, match, move, config),
    ]


_OPENINGS = {
    "own_confirmed": "Explained by",
    "other_confirmed": "Read-through from",
    "own_weak": "Partly explained by",
    "own_against": "Against the usual direction of",
    "own_split": "Perhaps an unadjusted split, or explained by",
    "own_excessive": "Far larger than expected from",
    "other_excessive": "Far larger than expected from",
    "own_unconfirmed": "Only an unconfirmed own event is near:",
    "other_unconfirmed": "Only an unconfirmed event of others is near:",
    "late": "Late after",
}


def _say_lag(match: Match) -> str:
    """Say when the move came, counted from the first trading day of the news."""
    lag, placed = match.lag, match.placed
    day = f"its trading day {placed.row_on}" if placed.row_on != placed.event.date else "that day"
    if lag == 0:
        return f"on {day}"
    if lag > 0:
        return f"{count(lag, 'trading day')} after {day}"
    return f"beginning {count(-lag, 'trading day')} before {day}"


def _say_size(decision: Decision, match: Match, move: str, config: ConfigUsed) -> list[str]:
    """Set the expected beside the realized move."""
    expected, ratio = match.placed.expected, decision.ratio
    if expected is None or ratio is None:
        return [f"moved {move} with no expected move given"]
    size_text = f"moved {move} where {size(expected)} was expected ({ratio:.2f} times)"
    if match.basis == "own_weak":
        return [f"{size_text}, less than {config.partial_ratio:g} times"]
    if match.basis in ("own_excessive", "other_excessive"):
        return [
            f"{size_text}, more than {config.overshoot_ratio:g} times; check the return for a "
            "split or a wrong price, and the expected move"
        ]
    if match.basis == "own_against":
        return [size_text]
    return (
        [f"{size_text}, an overshoot of {size(abs(decision.residual))}"]
        if ratio > 1
        else [size_text]
    )


def _leave_open(decision: Decision, config: ConfigUsed) -> list[str]:
    move = percent(decision.move.size.car)
    clauses = [
        f"Moved {move} with no event on its days or in the "
        f"{count(config.unexplained_window, 'trading day')} before"
    ]
    following = decision.following
    if following is not None and following.row is not None:
        rows = following.row - decision.move.last
        check = f", {_TO_CHECK}" if following.is_own else ""
        clauses.append(
            f"precedes {name_event(following)} by {count(rows, 'row')}{check}; an event "
            "after a move does not explain it"
        )
    return clauses


def say_chance(
    decision: Decision,
    tie: float,
    flag: float | None,
    flag_fdr: float | None,
    volume: tuple[float | None, float | None],
) -> str:
    """Say how often chance alone would have made the tie, and what a flag rests on."""
    if decision.match is not None:
        text = f"chance match with random dates {share(tie)}"
    else:
        text = f"chance match of any event with random dates {share(tie)}"
    ratio, often = volume
    if ratio is not None and often is not None:
        rise = f"volume before it was {ratio:.1f} times the usual"
        text += f"; {rise}, as before {share(often)} of its days"
    if flag is None:
        return f"Chance: {text}."
    what = "so much drift" if decision.match is not None else "so near an own event"
    over = "" if flag_fdr is None else f", {share(flag_fdr)} over the list"
    return f"Chance: {text}; {what} on {share(flag)} of its days{over}."


def describe_method(config: ConfigUsed, benchmark: str, second: str | None = None) -> str:
    """Describe the method with the numbers used.

    Args:
        config: Settings used.
        benchmark: Label of the benchmark.
        second: Label of the second factor, where the model has one.
    """
    kept_out = {
        "events_and_outliers": "rows 0 and +1 of every event and past rows with abs(SAR) over "
        f"{config.outlier_z:g} are kept out of estimation (at most 3 fits)",
        "events": "rows 0 and +1 of every event are kept out of estimation",
        "none": "no row is kept out of estimation",
    }[config.exclusion]
    label = " ".join(benchmark.split())
    against = ""
    if config.check_direction:
        against = (
            ", as it is for a move against the usual direction of an own event's type unless the "
            "moves of the list go both ways"
        )
    follows = {
        "constant": "",
        "ewma": " Its variance follows the days before by weights that decay by .94.",
        "garch": " Its variance follows the days before by GARCH(1,1), fitted to the series.",
    }[config.variance]
    beside, model = "", "alpha + beta M + e"
    if second is not None:
        beside = f" and {' '.join(second.split())} beside it"
        model = "alpha + beta M + gamma S + e"
    return (
        f"Sector beta-adjusted market model against {label}{beside}, with expected-move residual "
        f"and economic magnitude floor. R = {model} is fitted by least squares for every "
        f"day to {config.estimation_window} rows ending {config.gap} rows before it (at least "
        f"{config.min_obs} usable); {kept_out}.{follows} A day moves when its standardized "
        f"abnormal return reaches {config.sig_z:g} and its abnormal return reaches the floor of "
        f"{size(config.min_abs_move)}; neighboring days of one sign are one move, whose CAR has "
        "the exact variance of a window. An event meets a move on its event row or up to "
        f"{count(config.max_lag, 'row')} later, and late up to "
        f"{count(config.unexplained_window, 'row')}; below {config.partial_ratio:g} of the "
        f"expected move, and above {config.overshoot_ratio:g} times an event's own one, the state "
        f"is partial{against}. Leakage check: the CAR of rows "
        f"-{config.leakage_window} to -2 before the event row by both limits in the move's "
        "direction, or an unexplained move before an own event as close as at most "
        f"{share(config.flag_chance)} of the stock's days without an event come; a flag is a "
        "pattern to check, never a finding about anybody. Chances are shares of the stock's own "
        "days: of ties for the events of the list on any dates, adjusted over the list by "
        "Benjamini-Hochberg for flags and reactions. Times of "
        "announcement are read by New York's clock with the close at 16:00."
    )
