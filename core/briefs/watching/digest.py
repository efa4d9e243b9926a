"""Hits of a day or a week as text in Markdown."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from core.records.alerts import AlertHit
from core.reports.markdown import escape


def digest(hits: Sequence[AlertHit], since: datetime, until: datetime) -> str:
    """Return hits by query, the best first."""
    lines = [f"# Alerts, {since:%Y-%m-%d} to {until:%Y-%m-%d}", ""]
    if not hits:
        lines += ["Nothing new on the watched questions.", ""]
    for query, query_hits in by_query(hits):
        lines += [f"## {escape(query)}", "", *map(_line, query_hits), ""]
    return "\n".join(lines)


def by_query(hits: Sequence[AlertHit]) -> list[tuple[str, list[AlertHit]]]:
    """Return each question with its hits, the best first."""
    hits_by_query: dict[str, list[AlertHit]] = defaultdict(list)
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.title)):
        hits_by_query[hit.query].append(hit)
    return sorted(hits_by_query.items())


def _line(hit: AlertHit) -> str:
    where = f" ({escape(hit.company)})" if hit.company else ""
    link = f" <{hit.url}>" if hit.url and not set(hit.url) & set(" <>") else ""
    return f"- {escape(hit.event_day)}, score {hit.score}: {escape(hit.title)}{where}{link}"
