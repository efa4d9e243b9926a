"""Hits of a day or a week as text in Markdown."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from core.records.alerts import AlertHit
from core.reports.markdown import escape


def digest(hits: Sequence[AlertHit], since: datetime, until: datetime) -> str:
    """Return hits by query, the best first.

    Args:
        hits: Of one caller.
        since: From when on.
        until: The present instant.
    """
    by_query: dict[str, list[AlertHit]] = defaultdict(list)
    for one in hits:
        by_query[one.query].append(one)
    lines = [f"# Alerts, {since:%Y-%m-%d} to {until:%Y-%m-%d}", ""]
    if not hits:
        lines += ["Nothing new on the watched questions.", ""]
    for query, found in sorted(by_query.items()):
        lines += [f"## {escape(query)}", ""]
        lines += [_line(one) for one in sorted(found, key=lambda one: (-one.score, one.title))]
        lines.append("")
    return "\n".join(lines)


def _line(one: AlertHit) -> str:
    where = f" ({escape(one.company)})" if one.company else ""
    link = f" <{one.url}>" if one.url and not set(one.url) & set(" <>") else ""
    return f"- {escape(one.event_day)}, score {one.score}: {escape(one.title)}{where}{link}"
