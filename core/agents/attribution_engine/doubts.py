"""What makes an explanation doubtful: a move against the event's direction, or far too large."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.attribution_engine.decision import Decision
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.stocks import Studied

_CORE = ("own_confirmed", "own_weak", "own_excessive", "own_split")
_FEWEST_SIGNED = 3
_SHARE_AGAINST = 1 / 3
_NAMED = 5


@dataclass(frozen=True)
class Directions:
    """How often the moves of a list go the way of their events.

    Attributes:
        n_agreeing: Moves in the usual direction of their own confirmed event.
        n_against: Moves in the other direction.
    """

    n_agreeing: int
    n_against: int

    @property
    def is_consistent(self) -> bool:
        """Return whether event types tell a direction in this list.

        They do not where moves go both ways and a third or more of at least 3 go against: the
        types are then used loosely ("approval" for any decision).
        """
        n_signed = self.n_agreeing + self.n_against
        is_mixed = self.n_agreeing > 0 and self.n_against >= _SHARE_AGAINST * n_signed
        return n_signed < _FEWEST_SIGNED or not is_mixed


def weigh_directions(studied: Sequence[Studied]) -> Directions:
    """Count moves with and against the direction of the own confirmed event they meet.

    Args:
        studied: Stocks whose moves were decided without regard to directions.
    """
    signs = [
        decision.matches[0].placed.direction * decision.move.sign
        for stock in studied
        for decision in stock.decisions
        if decision.matches and decision.matches[0].basis in _CORE
    ]
    return Directions(sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs))


def warn_of_doubts(
    studied: Sequence[Studied], directions: Directions, config: ConfigUsed
) -> list[str]:
    """Name moves against the direction of their event, and moves far above what was expected."""
    moves = [(stock, decision) for stock in studied for decision in stock.decisions]
    against = [
        f"{_name_day(*move)} ({match.placed.event.event_type[:60].strip()})"
        for move in moves
        if (match := move[1].match) is not None
        and match.lag <= config.max_lag
        and match.placed.direction * move[1].move.sign < 0
    ]
    large = [
        f"{_name_day(*move)} ({move[1].ratio or 0:.0f} times)"
        for move in moves
        if move[1].doubt == "far_above_expected"
    ]
    warnings = []
    if against and directions.is_consistent and config.check_direction:
        warnings.append(
            "move_against_event: a move against the usual direction of its event does not count "
            f"as explained by it: {_list_days(against)}."
        )
    elif against:
        why = "config.check_direction is false"
        if config.check_direction:
            why = "the list has moves in both directions, so its event types tell none"
        warnings.append(
            "directions_not_used: moves against the usual direction of their event count as "
            f"explained, because {why}: {_list_days(against)}."
        )
    if large:
        warnings.append(
            f"move_far_above_expected: more than {config.overshoot_ratio:g} times the expected "
            f"move, so only partly explained: {_list_days(large)}; check these returns for splits "
            "and wrong prices, and the expected moves."
        )
    return warnings


def _name_day(stock: Studied, decision: Decision) -> str:
    """Return the day of a move, behind its stock where there are several."""
    day = stock.stock.rows.dates[decision.move.peak]
    return f"{stock.stock.ticker} {day}" if stock.stock.ticker else str(day)


def _list_days(days: Sequence[str]) -> str:
    """Return the first days, and how many more there are."""
    more = f" and {len(days) - _NAMED} more" if len(days) > _NAMED else ""
    return ", ".join(days[:_NAMED]) + more
